#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the command where people slip: outputs that are there already, names that match nothing, options of old.
# shellcheck disable=SC2086

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"

echo 'TAP version 13'

printf '%s\n' '7 |word 12:1 |label 1 0' '7 |word 3:1 40:0.5 |label 0 1' '8 |word 12:1 |label 1 0' >a.ctf
printf '%s\n' '0 |word 5:1 |label 1 0' >b.ctf
printf '%s\n' 'id,x' '1,2.5' '2,3' '3,1' >a.csv
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 5\n2 3 1.5\n' >m.mtx

# kept FILE COMMAND...: the command refuses to replace the file, which stays as it is.
kept() {
	file=$1
	shift
	cp "$file" before
	expect 2 "$@"
	empty out
	has err "$file: expected no file of that name, found one, which stays as it is (--force replaces it)"
	same "$file" before
}

begin 'an output that is there is refused, and replaced with --force'
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

begin 'only inputs on the line: what was probably meant'
kept b.ctf convert a.ctf own.ctf b.ctf
has err '; the last file named is the output: to join all 3, name another file after them'
kept b.ctf convert a.ctf b.ctf
lacks err 'to join all'
end

begin 'nothing is read before an output is refused'
kept b.ctf convert nosuch.ctf b.ctf
kept b.ctf merge nosuch.csv b.ctf
end

begin '--into updates the file on purpose'
if "$sheaf" convert m.mtx box.h5 2>err || ! grep -q 'not built' err; then
	kept box.h5 convert m.mtx box.h5
	expect 0 convert --into more m.mtx box.h5
	expect 0 info --dataset more box.h5
	expect 0 info --dataset / box.h5
fi
end

begin 'what is no regular file is written as ever'
expect 0 convert --to ctf a.ctf /dev/null
expect 0 convert --to ctf a.ctf -
has out '|word 12:1'
expect 0 convert --to ctf a.ctf /dev/stdout
has out '|word 12:1'
end

# at_a_terminal ANSWER COMMAND...: someone sits there and types this.
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
		has out 'sheaf: asked.cbf is there already (9 bytes, of '
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
	has out 'part.0 is there already'
	has out '; replace it, and the other outputs that are there? [y/N] '
	[ $code -eq 0 ] || fault "expected exit status 0, found $code"
	end
else
	skip 'at a terminal there is a question' 'no program gives a terminal'
fi

begin '-f in its old sense is refused, with a hint'
for words in '-f ctf a.ctf new.cbf' '-fctf a.ctf new.cbf' '-qf csv a.ctf new.cbf'; do
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

echo "1..$count"
