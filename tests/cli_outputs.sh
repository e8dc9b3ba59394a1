#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the command where people slip: outputs that are there already, names that match nothing, options of
# old. shellcheck disable=SC2086

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"

echo 'TAP version 13'

printf '%s\n' '7 |word 12:1 |label 1 0' '7 |word 3:1 40:0.5 |label 0 1' '8 |word 12:1 |label 1 0' >a.ctf
printf '%s\n' '0 |word 5:1 |label 1 0' >b.ctf
printf '%s\n' 'id,x' '1,2.5' '2,3' '3,1' >a.csv
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 5\n2 3 1.5\n' >m.mtx

# kept FILE COMMAND...: the command refuses to replace the file, which stays unchanged.
kept() {
	file=$1
	shift
	cp "$file" before
	expect 2 "$@"
	empty out
	has err "$file: expected no file of that name, found one, which is kept (--force replaces it)"
	same "$file" before
}

begin 'an existing output is refused, and replaced with --force'
echo precious >out.cbf
kept out.cbf convert a.ctf out.cbf
expect 0 convert -q --force a.ctf out.cbf
expect 0 diff a.ctf out.cbf
echo precious >out.cbf
expect 0 convert -qf a.ctf out.cbf
expect 0 diff a.ctf out.cbf
end

begin 'each command that writes refuses an output that is there'
echo precious >part.1
kept part.1 split --from scidb --format-string '(int64,double)' --parts 2 m.mtx part
[ -e part.0 ] && fault 'expected no part to be written'
expect 0 convert -q a.csv a.scidb
expect 0 split -q -f --from scidb --format-string '(int64,double)' --parts 2 a.scidb part
kept a.scidb merge --from scidb --format-string '(int64,double)' part.0 part.1 a.scidb
expect 0 merge -q -f --from scidb --format-string '(int64,double)' part.0 part.1 a.scidb
end

begin 'an output over its own input needs --force, too'
cp a.ctf own.ctf
kept own.ctf convert own.ctf own.ctf
ln -s own.ctf link.ctf
kept link.ctf convert own.ctf link.ctf
expect 0 convert -q -f own.ctf own.ctf
expect 0 diff own.ctf a.ctf
end

begin 'only inputs on the command line: what was probably meant'
kept b.ctf convert a.ctf own.ctf b.ctf
has err '; the last file named is the output: to join all 3, name another file after them'
kept b.ctf convert a.ctf b.ctf
lacks err 'to join all'
kept b.ctf report a.ctf b.ctf
has err '; the last file named is the output: to compare the 2, name another file after them'
kept b.ctf report a.ctf -o b.ctf
lacks err 'to compare'
kept b.ctf convert a.ctf own.ctf -o b.ctf
lacks err 'to join all'
end

begin 'a link that leads nowhere is a file of that name: nothing is written through it'
ln -s nowhere.ctf dangling.ctf
expect 2 convert a.ctf dangling.ctf
has err 'dangling.ctf: expected no file of that name, found one, which is kept (--force replaces it)'
expect 2 split --parts 1 a.csv dangling.ctf -o dangling.ctf
ln -s nowhere.html dangling.html
expect 2 report a.ctf dangling.html
if [ -e nowhere.ctf ] || [ -e nowhere.html ]; then fault 'expected nothing to be written'; fi
expect 0 convert -q --force a.ctf dangling.ctf
expect 0 diff a.ctf nowhere.ctf
end

begin 'a suffix of another kind of file is no name for an output, but with --to'
printf '\001\002' >r.scidb
expect 0 convert -q --part 1/2 a.csv one.part --to csv
expect 0 convert -q --part 2/2 a.csv two.part --to csv
for name in p.parquet p.xlsx p.json P.JSON p.parquet.gz p.nc4; do
	expect 2 convert --schema '<a:int8 not null>[i=0:*]' r.scidb $name
	has err "$name: expected a suffix that names one format, found "
	expect 2 split --parts 0.5,0.5 a.csv $name other
	expect 2 split --parts 2 a.csv $name
	expect 2 merge a.csv a.csv $name
	expect 2 merge one.part two.part $name
	[ "$(echo p.*)" = 'p.*' ] || fault "expected nothing, found $(echo p.*)"
done
expect 2 split --parts 1001 a.csv p.csv
has err 'expected from 1 to 1000 parts, found 1001'
expect 2 split --parts 2 a.csv p.parquet
has err 'p.parquet.0: expected a suffix that names one format, found .parquet (which is not written; '
expect 0 convert --schema '<a:int8 not null>[i=0:*]' r.scidb r.out
has err 'it is written as scidb'
expect 0 convert --to csv --from scidb --schema '<a:int8 not null>[i=0:*]' r.scidb p.json
expect 0 split -q a.csv one.jsonl two.jsonl
expect 0 cat --from jsonl one.jsonl
expect 2 split a.csv three.jsonl four.csv
has err 'four.csv: expected the name of a jsonl file, like the other outputs'
end

begin 'Zarr is a folder or a zip file, which no compression of files takes'
for suffix in gz bz2 xz zst lz4; do
	expect 2 convert m.mtx z.zarr.$suffix
	has err "z.zarr.$suffix: Zarr compresses its chunks (--compression)"
	[ -e z.zarr.$suffix ] && fault "expected no z.zarr.$suffix"
done
expect 0 convert m.mtx Z.ZARR
[ -d Z.ZARR ] || fault 'expected a folder'
end

begin 'a page takes the place of no input, and no name of a dataset'
cp a.ctf page.html
ln -s page.html same.html
for name in page.html same.html ./page.html; do
	expect 2 report --force --from ctf page.html $name
	has err "$name: the page would replace an input; name another file"
	same a.ctf page.html
done
expect 2 report a.ctf --force b.ctf
has err 'b.ctf: expected the name of a page, found that of a ctf file'
expect 2 report --json a.ctf numbers.csv
for name in page.json page.JSON page.parquet page.xlsx; do
	expect 2 report a.ctf $name
	has err "$name: expected the name of a page"
	[ ! -e $name ] || fault "expected no $name"
done
expect 0 report --json a.ctf page.json
end

begin 'nothing is read before an output is refused'
kept b.ctf convert nosuch.ctf b.ctf
kept b.ctf merge nosuch.csv b.ctf
end

begin '--into updates the file on purpose'
"$sheaf" convert m.mtx box.h5
kept box.h5 convert m.mtx box.h5
expect 0 convert --into more m.mtx box.h5
expect 0 info --dataset more box.h5
expect 0 info --dataset / box.h5
end

begin 'a file that is not regular is written as usual'
expect 0 convert --to ctf a.ctf /dev/null
expect 0 convert --to ctf a.ctf -
has out '|word 12:1'
expect 0 convert --to ctf a.ctf /dev/stdout
has out '|word 12:1'
end

# at_a_terminal ANSWER COMMAND...: a user types this.
at_a_terminal() {
	answer=$1
	shift
	printf "%s\n" "$answer" | NO_COLOR=1 script -qec "$sheaf $*" /dev/null >out 2>&1
	code=$?
}

if command -v script >/dev/null; then
	begin 'at a terminal there is a question'
	echo precious >asked.cbf
	for answer in n '' no quit; do
		at_a_terminal "$answer" convert a.ctf asked.cbf
		[ $code -eq 2 ] || fault "$answer: expected exit status 2, found $code"
		has out 'sheaf: asked.cbf already exists (9 bytes, of '
		has out '); replace it? [y/N] '
		has out 'asked.cbf: left as it is'
		is asked.cbf precious
	done
	at_a_terminal y convert -q a.ctf asked.cbf
	[ $code -eq 0 ] || fault "expected exit status 0, found $code"
	expect 0 diff a.ctf asked.cbf
	cp b.ctf c.ctf
	at_a_terminal n convert a.ctf b.ctf c.ctf
	has out 'note: the last file named is the output: c.ctf'
	same b.ctf c.ctf
	printf precious >part.1
	at_a_terminal y split -q --from scidb --format-string "'(int64,double)'" --parts 2 a.scidb part
	has out 'part.0 already exists'
	has out '; replace it and the other existing outputs? [y/N] '
	[ $code -eq 0 ] || fault "expected exit status 0, found $code"
	: >out
	{
		for _ in $(seq 200); do grep -qF '[y/N]' out || sleep 0.05; done
		printf '\003'
	} | NO_COLOR=1 script -qec "$sheaf convert a.ctf b.ctf" /dev/null >>out 2>&1
	code=$?
	has out 'interrupted'
	[ $code -eq 130 ] || fault "expected exit status 130, found $code"
	end
else
	skip 'at a terminal there is a question' 'no program gives a terminal'
fi

begin '-f in its old sense is refused, with a hint'
for words in '-f ctf a.ctf new.cbf' '-fctf a.ctf new.cbf' '-qf csv a.ctf new.cbf'; do
	# shellcheck disable=SC2086 # words are meant to be split
	expect 2 convert $words
	has err '-f: expected a flag (--force) and no format after it, found c'
	has err '; -F c'
	has err ' (or --from) names the format to read'
	[ -e new.cbf ] && fault "$words: expected no output"
done
expect 2 info -f ctf a.ctf
has err '-f: expected another option, found -f; -F ctf (or --from) names the format to read'
expect 0 info -F ctf a.ctf
has out 'format: ctf'
end

begin 'a declared stream that the file does not have: the name that was probably meant'
for words in convert cat stats validate hash info; do
	out=
	[ $words = convert ] && out=typo.cbf
	expect 2 $words --stream wrod:41:sparse --stream label:2:dense a.ctf $out
	has err '--stream wrod: expected a stream of a.ctf, found none of that name; did you mean word?'
done
[ -e typo.cbf ] && fault 'expected no output'
expect 2 cat --stream xyz:41:sparse --max-errors 100 a.ctf
has err '--stream xyz: expected a stream of a.ctf, found none of that name, but word, label (--allow missing reads it as empty)'
expect 0 cat -q --allow missing --stream word:41:sparse --stream zz:4:sparse a.ctf
expect 0 cat --allow missing --stream word:41:sparse --stream zz:4:sparse a.ctf
has err 'warning: a.ctf: stream "zz": expected a sample of it in some sequence, found none in the whole input; it is empty'
awk 'BEGIN { for (i = 0; i < 20000; i++) print "|word 1:1"; print "|word 1:1 |late 1" }' >late.ctf
expect 0 cat -q --allow missing --stream word:41:sparse --stream late:1:dense late.ctf
expect 4 cat --stream word:41:sparse --stream late:1:dense late.ctf
has err '--allow missing reads it without'
expect 2 convert -q --max-errors 30000 --stream word:41:sparse --stream nowhere:1:dense late.ctf typo.cbf
has err '--stream nowhere: expected a stream of late.ctf, found none of that name in the whole input (--allow missing reads it as empty)'
[ -e typo.cbf ] && fault 'expected no output of a stream that is nowhere'
for stream in late nowhere; do
	for i in 1 2; do
		expect 0 convert -f -q --part $i/2 --allow missing --stream word:41:sparse --stream \
			$stream:1:dense late.ctf late.cbf.$i.part
		[ -s err ] && fault "expected no finding of a part, found $(cat err)"
	done
	expect 0 merge -f late.cbf.1.part late.cbf.2.part late.cbf
	[ $stream = late ] && lacks err 'in the whole input'
	[ $stream = nowhere ] && has err 'stream "nowhere": expected a sample of it in some sequence, found none in the whole input'
done
printf '|word 1:1' >short.ctf
expect 0 cat --stream word:41:sparse short.ctf
lacks err 'did you mean'
expect 2 convert --value wrod a.ctf typo.npy
has err '--value: expected a stream of a.ctf, found "wrod"; did you mean word?'
end

begin 'a declared stream or alias that a binary file does not have'
expect 0 convert -f -q a.ctf names.cbf
expect 2 cat --stream text:alias=wrod names.cbf
has err '--stream: expected a stream of names.cbf, found "wrod"; did you mean word?'
expect 2 cat --stream xyz names.cbf
has err '--stream: expected a stream of names.cbf, found "xyz"; it has word, label'
expect 0 cat --stream text:alias=word names.cbf
has out 'text ['
end

begin 'a declared group that the examples do not have: the name that was probably meant'
printf 'name:{one} 2\n[0] I: (in) 1 0 T: (out) 1\n[1] I: (in) 0 1 T: (out) 0;\n' >g.ex
expect 2 convert --allow loss --group inn:2:input --group out:1:output g.ex g.cbf
has err '--group inn: expected a group of inputs in g.ex, found none of that name; did you mean in?'
[ -e g.cbf ] && fault 'expected no output'
expect 2 validate --group in:2:input --group ou:1:output g.ex
has err '--group ou: expected a group of targets in g.ex, found none of that name; did you mean out?'
expect 2 stats --group different:2:input --group out:1:output g.ex
has err '--group different: expected a group of inputs in g.ex, found none of that name (--allow missing'
expect 0 stats --allow missing --max-errors 9 --group different:2:input --group out:1:output g.ex
expect 0 stats --group in:2:input --group out:1:output --group other:9:input g.ex
has err 'group "other": expected an example with inputs of each group that is declared, found none'
expect 0 stats --group in:2:input --group out:1:output g.ex
lacks err 'expected an example'
end

begin 'an index written without being asked for is reported once; SHEAF_INDEX stands for --index'
yes '|A 1' | head -n 14000000 >large.ctf
touch -d '1 minute ago' large.ctf
expect 0 hash --stream A:1:dense large.ctf
has err 'note: large.ctf.sheaf-index: written, so that the file opens faster from now on (--index never, or SHEAF_INDEX=never, writes none)'
expect 0 hash --stream A:1:dense large.ctf
empty err
rm -f large.ctf*
printf '|A 1\n' >small.ctf
SHEAF_INDEX="write" "$sheaf" hash --stream A:1:dense small.ctf >out 2>err
empty err
[ -e small.ctf.sheaf-index ] || fault 'expected an index, found none'
SHEAF_INDEX=nver "$sheaf" hash small.ctf >out 2>err
[ $? -eq 2 ] || fault 'expected exit status 2'
has err 'SHEAF_INDEX: expected auto, never, require or write, found nver'
end

begin 'validate prints 20 findings of a rule, and counts the others'
awk 'BEGIN { for (i = 0; i < 30; i++) print "|A x" }' >many.ctf
expect 1 validate --stream A:1:dense many.ctf
[ "$(grep -c 'expected a number' out)" -eq 20 ] ||
	fault "expected 20 findings, found $(grep -c 'expected a number' out)"
has out 'many.ctf: 10 more of this kind: '
has out ' (--limit prints more)'
expect 1 validate --limit 30 --stream A:1:dense many.ctf
[ "$(grep -c 'expected a number' out)" -eq 30 ] || fault 'expected 30 findings with --limit 30'
lacks out 'more of this kind'
expect 1 validate --json --stream A:1:dense many.ctf
[ "$(grep -c 'expected.*a number' out)" -eq 30 ] || fault 'expected 30 findings with --json'
expect 1 validate -q --stream A:1:dense many.ctf
lines out 1
end

begin 'a state of batches: killed, interrupted, or with a closed pipe, nothing is lost'
awk 'BEGIN { for (i = 0; i < 60000; i++) print i, "|A", i }' >numbers.ctf
expect 0 batches --json --size 16 --seed 3 numbers.ctf
cp out whole
for signal in INT TERM KILL; do
	rm -f run.json got
	for round in 1 2 3 4 5 6; do
		"$sheaf" batches --json --size 16 --seed 3 --state run.json numbers.ctf >part 2>err &
		running=$!
		sleep 0.0$round
		kill -$signal $running 2>/dev/null
		wait $running 2>/dev/null
		cat part >>got
	done
	expect 0 batches --json --size 16 --seed 3 --state run.json numbers.ctf
	cat out >>got
	grep -a '}$' got | sed 's/^{"batch":[0-9]*,//' | sort -u >sorted
	sed 's/^{"batch":[0-9]*,//' whole | sort -u >wanted
	comm -23 wanted sorted >lost
	[ -s lost ] && fault "$signal: expected every batch, found $(wc -l <lost) lost: $(head -n 1 lost)"
	[ $signal = KILL ] && continue
	[ "$(grep -ac '}$' got)" -eq "$(wc -l <whole)" ] || fault "$signal: expected no batch twice"
done
rm -f run.json
"$sheaf" batches --json --size 16 --seed 3 --state run.json numbers.ctf 2>err | head -n 50 >got
expect 0 batches --json --size 16 --seed 3 --state run.json numbers.ctf
json out
find . -maxdepth 1 -name '.sheaf-*' >litter && [ -s litter ] &&
	fault "expected no litter, found $(cat litter)"
end

begin 'info --guess: format strings for cells that do not describe themselves, with the evidence'
python3 - <<'END'
import random
import struct
random.seed(1)
fixed, nullable, texts, noise = b"", b"", b"", b""
for i in range(400):
    floats = random.gauss(0, 1), random.random() * 10, random.random()
    fixed += struct.pack("<qdffBhq", i, *floats, i % 2, i % 600 - 300, 1500000000 + 977 * i)
    nullable += struct.pack("<i", i) + (b"\xff" + struct.pack("<d", random.random()) if i % 5 else b"\0" * 9)
    nullable += b"\xff" + struct.pack("<h", i % 50)
    one, two = b"name%d\0" % i, b"x" * (i % 9 + 2) + b"\0"
    texts += struct.pack("<qI", i, len(one)) + one + b"\xff" + struct.pack("<d", i / 7)
    texts += b"\xff" + struct.pack("<I", len(two)) + two + struct.pack("<i", -i)
    noise += random.randbytes(11)
words = b""
for i in range(400):
    # A text, a number and a text that may be missing: the first cells have texts that are short or missing.
    words += struct.pack("<I", i % 7 + 1) + b"w" * (i % 7) + b"\0" + struct.pack("<q", i * 977)
    city = b"" if i < 3 else b"city%d" % i
    city = b"\xff" + struct.pack("<I", len(city) + 1) + city + b"\0" if i % 4 and i > 1 else b"\0" * 5
    words += city + struct.pack("<b", i % 90 - 45)
    words += b"\xff" + struct.pack("<b", i % 77 - 40) if i % 10 else b"\0\0"
open("words.raw", "wb").write(words)
for name, content in ("fixed", fixed), ("nullable", nullable), ("texts", texts), ("noise", noise + b"x"):
    open(name + ".raw", "wb").write(content)
END
expect 0 info --guess words.raw
has out "  --format-string '(string, int64, string null, int8, int8 null)'"
expect 0 info --guess fixed.raw
has out "  --format-string '(int64, double, float, float, bool, int16, datetime)'"
has out 'scidb: cells of 35 bytes, which divide the 14000 of the file into 400'
expect 0 info --guess --json nullable.raw
has out '"option":"format-string","value":"(int32, double null, int16 null)"'
json out
expect 0 info --guess texts.raw
has out "  --format-string '(int64, string, double null, string null, int32)'"
has out '400 cells one after the other, with 2 counted texts each that end with NUL'
has out ', the end of the file'
expect 0 head -n 1 --format-string '(int64, string, double null, string null, int32)' texts.raw
has out 'a1 "name0"'
expect 4 info --guess noise.raw
has err 'noise.raw: no options fit its bytes'
expect 4 info --guess a.ctf
: >nothing.raw
expect 4 info --guess nothing.raw
expect 3 info --guess nowhere.raw
end

begin 'sequences become rows of a table: for each sample, each value, or each sequence'
printf '7 |A 1 2 |B 3:1\n7 |A 3 4 |B\n9 |A 5 6 |B 1:2 4:7\n' >k.ctf
expect 0 convert -q k.ctf wide.csv
is wide.csv 'key,sample,A.0,A.1,B
7,0,1.0,2.0,3:1
7,1,3.0,4.0,""
9,0,5.0,6.0,1:2 4:7'
expect 0 convert -q --layout long k.ctf long.csv
is long.csv 'key,sample,stream,index,value
7,0,A,0,1.0
7,0,A,1,2.0
7,1,A,0,3.0
7,1,A,1,4.0
7,0,B,3,1.0
9,0,A,0,5.0
9,0,A,1,6.0
9,0,B,1,2.0
9,0,B,4,7.0'
expect 0 convert -q --layout lists k.ctf lists.csv
is lists.csv 'key,A,B
7,"[[1,2],[3,4]]","[[[3,1]],[]]"
9,"[[5,6]]","[[[1,2],[4,7]]]"'
printf 'name:one proc:p freq:2 2\n[0 max:3 min:1] I: 1 0 T: 1;\nname:{a b} I: 1 1 T: 0;' >names.ex
expect 0 convert -q --null NA names.ex names.csv
is names.csv 'sequence,sample,inputs.0,inputs.1,targets,name,proc,freq,event.max,event.min,event.grace,event.proc
0,0,1.0,0.0,1.0,one,p,2.0,3.0,1.0,0.0,NA
0,1,0.0,0.0,0.0,one,p,2.0,1.0,0.0,0.0,NA
1,0,1.0,1.0,0.0,a b,NA,1.0,1.0,0.0,0.0,NA'
expect 0 convert -q --layout long names.ex names-long.csv
has names-long.csv '0,0,inputs,1,0.0,one,p,2.0,3.0,1.0,0.0,'
printf '0 |A 1 |B 1:1\n1 |A 2 |B 1:1\n1 |A 3\n' >ragged.ctf
expect 0 convert -q --allow unaligned ragged.ctf ragged.csv
is ragged.csv 'key,sample,A,B
0,0,1.0,1:1
1,0,2.0,1:1
1,1,3.0,'
for threads in 1 4; do
	expect 0 convert -f -q --threads $threads numbers.ctf numbers.csv
	expect 0 convert -f -q --threads $threads --layout wide numbers.ctf "numbers-$threads.csv"
done
same numbers-1.csv numbers-4.csv
[ "$(tail -n 1 numbers-1.csv)" = 59999,0,59999.0 ] ||
	fault "expected keys of all rows, found $(tail -n 1 numbers-1.csv)"
awk 'BEGIN { printf "0 |A"; for (i = 0; i < 30; i++) printf " %d.5", i; print " |B 1:1" }' >many.ctf
expect 0 convert -f many.ctf many.csv
[ "$(grep -c 'found float here and in 29 others' err)" -eq 1 ] ||
	fault "expected one warning of 30 columns, found $(cat err)"
expect 2 convert --layout wide wide.csv again.tsv
has err '--layout: expected sequences of streams, found rows of a table in wide.csv'
expect 2 convert --layout wide --value A k.ctf again.csv
has err 'of which one stream becomes a tensor'
expect 0 convert -q --coordinates key,sample,index --value value --columns \
	key:int64,sample:int64,stream:string,index:int64,value:double long.csv x.npz --duplicates last
end

begin 'rows of a table are sequences again, as the option says'
printf '7 |A 1 2 |B 3:1\n7 |A 3 4 |B\n7 |A 0.1 1e-07 |B 0:-1\n9 |A 5 6 |B 1:2 4:7\n' >kk.ctf
for layout in wide long lists; do
	expect 0 convert -f -q --layout "$layout" kk.ctf "$layout.csv"
	expect 0 convert -q --sequences "$layout" "$layout.csv" "$layout.ctf"
	expect 0 diff --strict --compare keys kk.ctf "$layout.ctf"
	expect 0 convert -q --layout "$layout" kk.ctf "$layout.tsv"
	expect 0 diff --sequences "$layout" "$layout.tsv" "$layout.csv"
	expect 0 convert -q --layout "$layout" names.ex "n.$layout.csv"
	expect 0 convert -q --sequences "$layout" "n.$layout.csv" "n.$layout.ex"
	expect 0 diff --strict names.ex "n.$layout.ex"
	expect 0 convert -q --layout "$layout" ragged.ctf "r.$layout.csv" --allow unaligned
	expect 0 convert -q --sequences "$layout" "r.$layout.csv" "r.$layout.cbf"
	expect 0 diff --compare keys --allow unaligned ragged.ctf "r.$layout.cbf"
done
expect 0 convert -q --sequences wide wide.csv w.cbf
expect 0 convert -q kk.ctf k.cbf
same w.cbf k.cbf
expect 0 head -n 1 --json --sequences wide wide.csv
is out '{"key":7,"streams":{"A":[[1,2],[3,4],[0.1,1e-7]],"B":[[[3,1]],[],[[0,-1]]]}}'
expect 0 convert -q --rows 1: --sequences long long.csv one.ctf
is one.ctf '9 |A 5 6 |B 1:2 4:7'
printf 'key,sample,stream,index,value\n7,0,B,9,1\n7,0,B,3,2\n9,0,B,1,5\n' >dims.csv
expect 0 convert -q --rows 1: --sequences long dims.csv dims.cbf # all rows say how large a stream is
expect 0 info dims.cbf
has out 'B  sparse  dim 10'
printf 'key,sample,A\n1,0,0.1\n1,1,0.30000000000000004\n' >digits.csv
expect 0 cat --json --sequences wide digits.csv
has out '[[0.1],[0.30000000000000004]]'
expect 2 cat --sequences wide k.ctf
has err '--sequences: expected rows of a table, found sequences in k.ctf'
seq 0 99999 | awk 'BEGIN { print "key,sample,x" } { print int($1 / 7) "," $1 % 7 "," $1 }' >big.csv
for threads in 1 4; do
	expect 0 convert -q -f --sequences wide --threads $threads big.csv "big$threads.cbf"
done
same big1.cbf big4.cbf
expect 0 info big1.cbf
has out '14286'
end

# table LAYOUT HEADER ROW...: makes table.csv, and prints its sequences.
table() {
	layout=$1
	shift
	printf '%s\n' "$@" >table.csv
	"$sheaf" cat --json --sequences "$layout" table.csv >out 2>err
}
# prints ROWS LAYOUT HEADER ROW...: these are the table's sequences.
prints() {
	rows=$1
	shift
	table "$@" || fault "expected sequences, found $(cat err)"
	is out "$rows"
}
# refuses MESSAGE LAYOUT HEADER ROW...: the table is refused, and nothing is printed.
refuses() {
	message=$1
	shift
	table "$@" && fault "expected an error, found $(cat out)"
	empty out
	has err "$message"
}

begin 'damaged tables of sequences are refused, with the place'
long=key,sample,stream,index,value
refuses 'table.csv: row 1, column "key": expected a number from 0 on, found none' wide key,sample,A 5,0,1 ,1,2
refuses 'table.csv: row 0, column "sequence": expected a number from 0 on, found -5' wide sequence,sample,A -5,0,1
refuses 'sequence 5, column "sample": expected sample 1, found 2' wide key,sample,A 5,0,1 5,2,3
refuses 'sequence 6, column "sample": expected sample 0, found 1' wide key,sample,A 5,0,1 6,1,3
refuses 'column "sample": expected a whole number from 0 on, found 0.5' wide key,sample,A 5,0,1 5,0.5,3
refuses 'column "sample": expected a whole number from 0 on, found -1' long $long 5,-1,A,0,1
refuses 'column "sample": expected the number of a sample, found none' long $long 5,0,A,0,1 5,,A,0,1
refuses 'column "stream": expected the name of a stream, found none' long $long 5,0,A,0,1 5,0,,1,2
refuses 'column "stream": expected another name than that of a column, found w' long $long,w 5,0,w,0,1,2
refuses 'column "index": expected a whole number from 0 on, found none' long $long 5,0,A,0,1 5,0,A,,1
refuses 'sequence 5, column "index": expected a whole number from 0 on, found -1' long $long 5,0,A,-1,1
refuses 'column "index": expected a whole number from 0 on, found 1.5' long $long 5,0,A,1.5,1
refuses 'column "value": expected a number, found none' long $long 5,0,A,0,1 5,0,A,1,
refuses 'column "value": expected a number that float64 holds, found 9007199254740993' \
	long $long 5,0,A,0,9007199254740993
refuses 'column "A": expected a number that float64 holds, found 18446744073709551615' \
	wide key,sample,A 5,0,18446744073709551615
refuses 'column "w": expected one item in all rows of a sample, found another' \
	long $long,w 5,0,A,0,1,x 5,0,A,1,3,y
refuses 'column "A": expected samples in order, found an earlier one' long $long 5,0,A,0,1 5,1,A,0,1 5,0,A,1,1
refuses 'column "w": expected samples one after the other, found one that is missing' \
	long $long,w 5,0,A,0,1,x 5,2,A,0,1,y
refuses 'table.csv: sequence 5, its row 2, column "A": expected no sample after one that is missing, found one' \
	wide key,sample,A,B 5,0,1,2:1 5,1,, 5,2,3,1:1
refuses 'column "A": expected all values of a sample, or none, found some of them' \
	wide key,sample,A.0,A.1 5,0,1, 6,0,1,2
refuses 'table.csv: expected columns of streams beside those of sequences, found none' wide key,sample,A 5,0,x
refuses '--sequences: expected a column "key" of numbers, found none in table.csv' wide 0,0,1 0,1,2 1,0,3
refuses '--sequences: expected a column "key" of numbers, found text in table.csv' wide key,sample,A x,0,1
refuses '--sequences: expected a column "sample" of numbers, found none in table.csv' wide key,A 5,1
refuses '--sequences: expected a column "stream" of texts, found none in table.csv' long key,sample,A 5,0,1
refuses '--sequences: expected keys of 64 bits, found float64 in table.csv' wide key,sample,A 5.5,0,1
printf '%s\n' key,sample,A,when '5,0,1,2012-01-01 00:00:00' >dates.csv
expect 6 cat --sequences wide --columns 'key:int64,sample:int64,A:double,when:datetime' dates.csv
has err 'dates.csv: column "when": expected numbers or texts beside sequences, found datetime'
expect 2 cat --sequences broad dates.csv
has err '--sequences: expected wide|long|lists, found broad'
end

begin 'columns beside streams, and names like those of keys'
prints '{"key":5,"streams":{"w":[0.5,0.7],"A":[[1],[3]]}}' long $long,w 5,0,A,0,1,0.5 5,1,A,0,3,0.7
prints '{"key":5,"streams":{"w":0.5,"A":[[1],[3]]}}' long $long,w 5,0,A,0,1,0.5 5,1,A,0,3,0.5
prints '{"key":5,"streams":{"freq":[1.5,2.5],"A":[[1],[3]]}}' wide key,sample,freq,A 5,0,1.5,1 5,1,2.5,3
prints '{"key":5,"streams":{"sequence":[[1],[3]]}}' wide key,sample,sequence 5,0,1 5,1,3
prints '{"key":0,"streams":{"key":[[1],[3]]}}' wide sequence,sample,key 0,0,1 0,1,3
prints '{"key":5,"streams":{"A":[[1],[0]]}}' wide key,sample,A 5,0,true 5,1,false
prints '{"key":5,"streams":{"A":[]}}
{"key":5,"streams":{"A":[[1]]}}' wide key,sample,A 5,, 5,0,1
awk -v head=$long 'BEGIN { print head; for (s = 0; s < 20000; s++) print "1,0,s" s ",0," s }' >streams.csv
expect 0 convert -q --sequences long streams.csv streams.cbf
expect 0 info streams.cbf
has out '  s19999  dense  dim 1  float32'
end

begin '70,000 columns: more members than the short list of a ZIP file counts'
awk 'BEGIN { for (r = 0; r < 3; r++) for (c = 0; c < 70000; c++) {
	printf "%s%s", r ? r * c : "c" c, c < 69999 ? "," : "\n" } }' >wide.csv
for to in npz arrow; do
	expect 0 convert -q wide.csv wide.$to
	expect 0 diff wide.csv wide.$to
done
end

begin 'an unknown suffix: the known ones are listed'
expect 2 convert a.ctf a.parquet
has err 'a.parquet: expected a suffix that names one format, found .parquet (which is not written; '
has err 'Polars and DuckDB make it of .arrow, which is); there are '
has err ' .cbf '
has err '; or name the format to write (--to)'
expect 2 convert a.ctf ./noname
has err 'found none; there are '
end

begin 'rows that name few columns are not read where they have very many, unless that is asked for'
awk 'BEGIN { for (i = 0; i < 3000; i++) print i " |s" i " 1" }' >few.ctf
awk 'BEGIN { for (i = 0; i < 3000; i++) print "{\"k" i "\":1}" }' >few.jsonl
awk 'BEGIN { for (i = 0; i < 3000; i++) print "i: {g" i "} 1 t: 1 ;" }' >few.ex
for name in few.ctf few.jsonl few.ex; do
	expect 5 hash --max-errors 100000000 $name
	has err 'rows: expected at most 64 cells for each byte, found'
	has err '(--allow large reads them anyway)'
done
expect 0 hash --allow missing --allow large few.ctf
expect 0 hash --allow large few.jsonl
expect 0 hash --allow large few.ex
end

echo "1..$count"
