#!/bin/sh
# SPDX-License-Identifier: MIT
# Outputs appear whole or not at all: conversions that are killed, interrupted, or find the disk full leave
# the old file or none, and after the next run nothing else. TAP on standard output. SHEAF is the command.
set -u

sheaf=${SHEAF:?expected the path of the command in SHEAF}
folder=$(mktemp -d "${TMPDIR:-/tmp}/sheaf-atomic.XXXXXX")
mounted=
writer=
clean() {
	[ -z "$writer" ] || kill "$writer" 2>/dev/null
	[ -z "$mounted" ] || umount "$mounted"
	chmod -R u+w "$folder"
	rm -rf "$folder"
}
trap clean EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 1

# shellcheck source=tests/tap.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/tap.sh"

code_is() {
	[ "$1" -eq "$2" ] || fault "expected exit status $2, found $1: $(head -n 3 err)"
}
has() {
	grep -qF -e "$2" "$1" || fault "$1: expected to find: $2
found: $(head -n 5 "$1")"
}
holds_old() {
	if [ "$(cat "$1" 2>&1)" != old ]; then fault "$1: expected the old content, found another"; fi
}
absent() {
	if [ -e "$1" ]; then fault "$1: expected no such file, found one"; fi
}
litter() {
	find "${1:-.}" -maxdepth 1 -name '.sheaf-*' | wc -l
}
no_litter() {
	[ "$(litter "${1:-.}")" -eq 0 ] ||
		fault "${1:-.}: expected no temporary files, found $(find "${1:-.}" -maxdepth 1 -name '.sheaf-*')"
}
# A run in the background, whose process is $running. A shell without job control starts background
# commands with SIGINT ignored, and nohup with SIGHUP ignored: env resets both.
start() {
	env --default-signal=INT,TERM,HUP "$sheaf" "$@" 2>err &
	running=$!
}
wait_for_litter() {
	tries=0
	while [ "$(litter .)" -eq 0 ] && [ $tries -lt 500 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
	[ "$(litter .)" -eq 1 ] || fault 'expected a temporary file beside the output while it is written'
}
# A conversion that takes long, because xz does. Returns once its temporary file exists.
start_slow() {
	start convert -f --to ctf big.cbf "$1"
	wait_for_litter
}

# ---- data ----

printf '|A 1 2 |B 3:1\n|A 3 4 |B 4:1\n' >small.ctf
awk 'BEGIN { for (i = 0; i < 400000; i++) printf "|A %d %d |B %d:%d\n", i, i * 7919 % 10007, i % 1000, i * 31 % 65537 }' >big.ctf
"$sheaf" convert -f big.ctf big.cbf || echo '# expected to convert the big file'
mkfifo pipe

# ---- killed ----

begin 'SIGKILL in the middle: the old output stays, the next run cleans up'
echo old >out.ctf.xz
start_slow out.ctf.xz
kill -KILL $running
wait $running 2>/dev/null
code_is $? 137
holds_old out.ctf.xz
"$sheaf" convert -f small.ctf other.cbf 2>err
code_is $? 0
no_litter
holds_old out.ctf.xz
end

begin 'SIGKILL in the middle: no output where there was none'
start_slow none.ctf.xz
kill -KILL $running
wait $running 2>/dev/null
absent none.ctf.xz
"$sheaf" convert -f small.ctf other.cbf 2>err
no_litter
absent none.ctf.xz
end

begin 'cleaning up leaves the temporary of a conversion under way'
start_slow both.ctf.xz
"$sheaf" convert -f small.ctf other.cbf 2>err2
[ "$(litter .)" -eq 1 ] || fault 'expected the temporary of the other run to be still there'
kill -KILL $running
wait $running 2>/dev/null
"$sheaf" convert -f small.ctf other.cbf 2>err
no_litter
end

# ---- interrupted ----

begin 'SIGINT in the middle: exit 130, the old output stays, no litter'
start_slow out.ctf.xz
kill -INT $running
wait $running
code_is $? 130
has err 'sheaf: error: interrupted'
holds_old out.ctf.xz
no_litter
end

begin 'SIGTERM and SIGHUP in the middle: the same'
for s in TERM HUP; do
	start_slow out.ctf.xz
	kill -$s $running
	wait $running
	code_is $? 130
	holds_old out.ctf.xz
	no_litter
done
end

begin 'SIGINT while a pipe waits for its writer'
timeout --preserve-status -s INT 0.5 "$sheaf" convert -f pipe out.ctf.xz 2>err
code_is $? 130
holds_old out.ctf.xz
no_litter
end

begin 'SIGINT while a pipe waits for bytes'
sleep 30 >pipe &
writer=$!
timeout --preserve-status -s INT 0.5 "$sheaf" convert -f --to cbf pipe out.ctf.xz 2>err
code_is $? 130
holds_old out.ctf.xz
no_litter
kill $writer
wait $writer 2>/dev/null
writer=
end

begin 'SIGKILL while a pipe waits for bytes'
{
	head -n 1000 big.ctf
	exec sleep 30
} >pipe &
writer=$!
timeout -s KILL 0.5 "$sheaf" convert -f --to cbf pipe out.ctf.xz 2>err
holds_old out.ctf.xz
kill $writer
wait $writer 2>/dev/null
writer=
"$sheaf" convert -f small.ctf other.cbf 2>err
no_litter
end

begin 'SIGINT for what only reads'
timeout --preserve-status -s INT 0.5 "$sheaf" cat pipe >out 2>err
code_is $? 130
has err 'sheaf: error: interrupted'
end

begin 'a file that is cut while it is read: one line of message'
"$sheaf" convert -f --chunk-bytes 64K big.ctf shrinking.cbf 2>err
# The first row is printed, and the pipe is full, long before the last chunk is read.
(
	"$sheaf" cat shrinking.cbf 2>err
	echo $? >status
) | {
	dd bs=1 count=1 of=first 2>dd.err
	: >shrinking.cbf
	cat >out
}
code_is "$(cat status)" 3
has err 'sheaf: error: a file that is being read was truncated by another program'
[ "$(wc -l <err)" -eq 1 ] || fault 'expected one line'
end

begin 'a file that is cut while it is converted: exit 3, the old output stays, no litter'
"$sheaf" convert -f --chunk-bytes 64K big.ctf shrinking.cbf 2>err
start_slow_from() {
	start convert -f --to ctf "$1" "$2"
	wait_for_litter
}
start_slow_from shrinking.cbf out.ctf.xz
: >shrinking.cbf
wait $running
code_is $? 3
has err 'sheaf: error: a file that is being read was truncated by another program'
holds_old out.ctf.xz
no_litter
end

# ---- sets of files ----

begin 'SIGKILL at any moment of splitting: after the next run all parts are old, or all are new'
awk 'BEGIN { for (i = 0; i < 20000; i++) print i "," i * 7 }' >rows.csv
"$sheaf" convert -f rows.csv rows.scidb 2>err || fault "$(cat err)"
mkdir parts
cd parts || exit 1
for delay in 0 0.002 0.004 0.006 0.008 0.01 0.012 0.015 0.02 0.03 0.05; do
	for i in $(seq -w 0 199); do echo old >part."$i"; done
	start split -f --from scidb --format-string '(int64,int64)' --parts 200 ../rows.scidb part
	sleep $delay
	kill -KILL $running 2>/dev/null
	wait $running 2>/dev/null
	"$sheaf" convert -f ../small.ctf ../other.cbf 2>err
	"$sheaf" convert -f ../small.ctf another.cbf 2>err
	old=$(grep -lx old part.* | wc -l)
	[ "$old" -eq 0 ] || [ "$old" -eq 200 ] ||
		fault "after $delay s: expected 200 old parts or none, found $old"
	no_litter
done
cd ..
end

# ---- into an existing file ----

printf '%%%%MatrixMarket matrix coordinate real general\n4 5 3\n1 2 0.5\n3 1 2\n4 5 7\n' >small.mtx
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; n = 200000; print n, n, n; for (i = 1; i <= n; i++) print i, i * 7919 % n + 1, i / 7 }' >big.mtx
"$sheaf" convert -f small.mtx there.h5
"$sheaf" convert --into B small.mtx there.h5
"$sheaf" convert --into A/sub big.mtx there.h5
cp there.h5 before.h5
# A shell's sleep is not exact, so the moments differ in each run.
begin 'SIGKILL at any moment of writing a tensor into a file: the old file is whole, or the new one is'
printf '%%%%MatrixMarket matrix coordinate real general\n%% another\n' >other.mtx
sed -e 1d -e 's/$/5/' -e 's/^\(200000 .*\)5$/\1/' big.mtx >>other.mtx
kept=0
for delay in 0 0.01 0.02 0.03 0.05 0.07 0.1 0.15 0.2 0.3 0.5; do
	cp before.h5 there.h5
	start convert --into A/sub --compression deflate:9 other.mtx there.h5
	sleep $delay
	kill -KILL $running 2>/dev/null
	wait $running 2>/dev/null
	if cmp -s before.h5 there.h5; then
		kept=$((kept + 1))
	else
		"$sheaf" diff --dataset A/sub other.mtx there.h5 >out 2>&1 ||
			fault "after $delay s: expected the old file or the new one, found neither: $(head -n 3 out)"
	fi
	for member in / A/sub B; do
		"$sheaf" validate --strict --dataset $member there.h5 >out 2>&1 ||
			fault "after $delay s: expected a sound tensor at $member, found $(head -n 3 out)"
	done
done
[ $kept -gt 0 ] || fault 'expected the old file where the run is killed at its begin'
"$sheaf" convert -f small.mtx another.h5
no_litter
end

begin 'SIGKILL once the copy of the file exists'
cp before.h5 there.h5
start convert --into A/sub --compression deflate:12 big.mtx there.h5
wait_for_litter
kill -KILL $running
wait $running 2>/dev/null
code_is $? 137
cmp -s before.h5 there.h5 || fault 'expected the old file, byte by byte'
"$sheaf" convert -f small.mtx another.h5
no_litter
end

begin 'SIGINT, SIGTERM and SIGHUP: exit 130, the old file stays, no litter'
for s in INT TERM HUP; do
	start convert --into A/sub --compression deflate:12 big.mtx there.h5
	wait_for_litter
	kill -$s $running
	wait $running
	code_is $? 130
	cmp -s before.h5 there.h5 || fault "after SIG$s: expected the old file, byte by byte"
	no_litter
done
end

begin 'a failure leaves the old file'
sed 's/^4 5 7$/4 9 7/' small.mtx >bad.mtx
"$sheaf" convert --into A/sub bad.mtx there.h5 2>err
code_is $? 4
"$sheaf" convert --into A/sub/values small.mtx there.h5 2>err
code_is $? 4
cmp -s before.h5 there.h5 || fault 'expected the old file, byte by byte'
no_litter
end

# ---- no room ----

if [ -w /dev/full ]; then
	begin 'a full device: exit 3'
	"$sheaf" convert -f --to cbf big.ctf /dev/full 2>err
	code_is $? 3
	has err 'No space left'
	[ -c /dev/full ] || fault 'expected /dev/full to be as it was'
	end
else
	skip 'a full device: exit 3' 'there is no /dev/full here'
fi

mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=64k,mode=777 none disk 2>/dev/null; then
	mounted=$folder/disk
	begin 'a full disk: exit 3, the old output stays, no litter'
	echo old >disk/out.cbf
	"$sheaf" convert -f big.cbf disk/out.cbf 2>err
	code_is $? 3
	has err 'No space left'
	holds_old disk/out.cbf
	no_litter disk
	"$sheaf" convert -f big.cbf disk/none.ctf 2>err
	code_is $? 3
	absent disk/none.ctf
	no_litter disk
	"$sheaf" convert -f small.ctf disk/out.cbf 2>err
	code_is $? 0
	end
else
	skip 'a full disk: exit 3, the old output stays, no litter' \
		'this needs root and the right to mount a tmpfs'
fi

begin 'a limit on the size of files: exit 3, the old output stays, no litter'
(
	ulimit -f 16
	"$sheaf" convert -f --to cbf big.cbf out.ctf.xz 2>err
	echo $? >status
)
code_is "$(cat status)" 3
holds_old out.ctf.xz
no_litter
end

# ---- no right to write ----

# Root may write everywhere, so another user is used.
plain_user() {
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	else
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
}
mkdir locked
echo old >locked/out.cbf
chmod 666 locked/out.cbf
chmod 555 locked
chmod 755 .
if plain_user "$sheaf" --version >/dev/null 2>&1 && plain_user test -r small.ctf; then
	begin 'a folder without the right to write: exit 3, the old output stays'
	plain_user "$sheaf" convert -f small.ctf locked/out.cbf 2>err
	code_is $? 3
	has err 'Permission denied'
	holds_old locked/out.cbf
	plain_user "$sheaf" convert -f small.ctf locked/none.cbf 2>err
	code_is $? 3
	absent locked/none.cbf
	no_litter locked
	end
else
	skip 'a folder without the right to write: exit 3, the old output stays' \
		'this needs a user who is not root and can run the command'
fi

# ---- what a finished output looks like ----

begin 'the mode of the old output is kept, and a link is followed'
"$sheaf" convert -f small.ctf real.cbf 2>err
chmod 640 real.cbf
ln -s real.cbf link.cbf
"$sheaf" convert -f big.ctf link.cbf 2>err
code_is $? 0
[ -h link.cbf ] || fault 'expected the link to be a link still'
[ "$(stat -c %a real.cbf)" = 640 ] || fault "expected mode 640, found $(stat -c %a real.cbf)"
cmp -s real.cbf big.cbf || fault 'expected the new content after the link'
no_litter
end

begin 'a failed conversion leaves the old output'
echo old >kept.cbf
printf '|A 1 x\n' >bad.ctf
"$sheaf" convert -f bad.ctf kept.cbf 2>err
code_is $? 4
"$sheaf" convert -f nosuch.ctf kept.cbf 2>err
code_is $? 3
"$sheaf" convert -f --nonsense small.ctf kept.cbf 2>err
code_is $? 2
holds_old kept.cbf
no_litter
end

echo "1..$count"
