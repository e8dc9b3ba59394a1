#!/bin/sh
# SPDX-License-Identifier: MIT
# The command as users meet it: help, the command line, exit codes, messages, pipes. TAP on standard output.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"
# shellcheck source=tests/cli_data.sh
. "$SHEAF_TESTS/cli_data.sh"
"$sheaf" convert -q plain.ctf plain.cbf

# ---- help ----

begin 'version'
expect 0 --version
grep -qE '^sheaf [0-9]+\.[0-9]+\.[0-9]+$' out || fault "expected a version, found $(cat out)"
empty err
end

begin 'help lists the commands'
expect 0 --help
for c in info head cat stats show validate convert schema diff hash batches index formats help; do
	has out "  $c"
done
mv out overview
expect 0 help
same out overview
expect 0 -h
same out overview
end

begin 'each command has help of its own'
for c in info head cat stats show validate convert schema diff hash batches index formats help; do
	expect 0 help "$c"
	has out "usage: sheaf $c"
	mv out kept
	expect 0 "$c" --help
	same out kept
	expect 0 "$c" --nonsense -h
	same out kept
	expect 0 "$c" --help --json
	json out
	has out "\"name\":\"$c\""
done
end

begin 'the table of options is JSON'
expect 0 --help --json
json out
lines out 1
mv out table
expect 0 help --json
same out table
python3 - table <<'END' || fault 'expected commands, options and formats in the table'
import json, sys
table = json.load(open(sys.argv[1]))
commands = {c["name"]: c for c in table["commands"]}
assert len(commands) == 18
rows = next(o for o in commands["head"]["options"] if o["name"] == "rows")
assert {"name", "letter", "kind", "argument", "help"} == set(rows)
assert commands["convert"]["format_options"] == ["reading", "writing"]
assert commands["formats"]["format_options"] == []
assert all(o["reading"] or o["writing"] for f in table["formats"] for o in f["options"])
END
end

begin 'the manual names each option'
expect 0 help --as man
has out '.TH SHEAF 1'
has out '.SH "EXIT STATUS"'
python3 - table out <<'END' || fault 'expected all commands and options in the manual'
import json, sys
table, page = json.load(open(sys.argv[1])), open(sys.argv[2]).read().replace("\\-", "-")
for options in [c["options"] for c in table["commands"]] + [f["options"] for f in table["formats"]]:
    for option in options:
        assert "--" + option["name"] in page, option["name"]
for c in table["commands"]:
    assert '.SS "sheaf ' + c["name"] in page, c["name"]
END
end

printf '.TH PROBE 1\n.SH NAME\nprobe \\- a page\n' >probe.1
if man -l probe.1 >/dev/null 2>&1; then
	begin 'the manual renders'
	expect 0 help --as man
	mv out sheaf.1
	LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l sheaf.1 >page 2>warnings ||
		fault 'expected man to render the page'
	empty warnings
	has page 'sheaf convert IN... OUT'
	end
else
	skip 'the manual renders' 'man cannot render a local file here'
fi

# ---- the command line ----

begin 'wrong command lines: exit 2, and the nearest word'
expect 2
has err 'expected a command, found none'
expect 2 hed words.ctf
has err 'did you mean head?'
expect 2 zzzzzz
lacks err 'did you mean'
expect 2 formats words.ctf
has err 'sheaf formats: expected no operand, found "words.ctf"'
expect 2 help hed
has err 'did you mean head?'
expect 2 stats --frm ctf words.ctf
has err 'did you mean --from?'
expect 2 stats --sream A:1:dense words.ctf
has err 'did you mean --stream?'
expect 2 show --nth 1 words.ctf
has err 'unknown option --nth; see sheaf help show'
expect 2 info --rows 3 words.ctf
has err '--rows is no option of sheaf info'
expect 2 convert --allow-loss words.ctf out.cbf
has err 'unknown option --allow-loss; use --allow loss'
expect 2 diff --keys words.ctf words.ctf
has err 'unknown option --keys; use --compare keys'
expect 2 cat --allow large,mising words.ctf
has err '--allow: expected words of large,missing,unaligned,breach, found mising; did you mean missing?'
expect 2 cat words.ctf --allow
has err '--allow: expected words of large,missing,unaligned,breach, found nothing'
expect 2 formats --stream A:1:dense
for twice in dense:sparse float:double 1:2; do
	expect 2 cat --stream "word:$twice" words.ctf
	has err "expected each part once, found \"${twice#*:}\" after another one"
done
expect 2 cat -x words.ctf
has err 'unknown option -x'
empty out
end

begin 'values of options are checked'
expect 2 head -n x words.ctf
has err 'sheaf: error: --rows: expected a number N, for the first N rows, or A:B, for those from A (counted from 0) up to B without it, found "x"'
expect 2 head -qn words.ctf
has err 'expected FILE..., found 0 operands'
expect 2 head words.ctf -n
has err '-n: expected N|A:B, found nothing'
for rows in x 3x 1:x x:1 5:3 1:2:3 -1 1- 99999999999999999999; do
	expect 2 head "--rows=$rows" words.ctf
	has err "found \"$rows\""
done
for sample in x 0% 101% -5% 10%x 1.5 %; do
	expect 2 cat "--sample=$sample" words.ctf
	has err "--sample: expected a number of rows, or a share above 0% and up to 100% such as 10%, found \"$sample\""
done
expect 2 head words.ctf --rows
has err '--rows: expected N|A:B, found nothing'
expect 2 head --json=yes words.ctf
expect 2 cat --max-memory 12Q words.ctf
expect 2 cat --progress perhaps words.ctf
has err 'auto|always|never'
expect 2 cat --from ctg words.ctf
has err 'did you mean ctf?'
expect 2 convert --to nothing words.ctf x.ctf
end

begin 'formats are known by their suffixes, too'
for from in ctf .CTF txt; do expect 0 cat --quiet --from "$from" words.ctf; done
printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n' >one.mtx
expect 0 cat --from mtx one.mtx
expect 0 convert --to mm one.mtx again
has again '%%MatrixMarket'
expect 2 convert --to mtz one.mtx again
has err 'did you mean matrixmarket?'
expect 2 convert --to svmlite one.mtx again
has err 'did you mean svmlight?'
long=$(printf '%s23456789/' a b c d e f g h i j k l m)
long=${long%/}
mkdir -p "$long"
long=$long/../../../../../../../../../../../../../$long/table.tns # which only the name shows
printf '1 1\n' >"$long"
expect 0 cat "$long"
end

begin 'head and cat: rows as a table'
printf 'name,n,when\nana,1,2026-01-02\nbo,22,2026-01-03\n' >people.csv
for command in head cat; do
	expect 0 $command --table people.csv
	cat >wanted <<'END'
name      n  when
text  int64  date
ana       1  2026-01-02
bo       22  2026-01-03
END
	same out wanted
done
awk 'BEGIN { for (k = 0; k < 2; k++) { for (i = 0; i < 50; i++) printf "%s%s%d", i ? "," : "", k ? "" : "c", i
	print "" } }' >people.csv
COLUMNS=40 expect 0 head --table people.csv
has out '... 47 more'
[ "$(awk 'length > 40' out)" = '' ] || fault 'expected lines of at most 40 characters'
rm people.csv
end

begin 'help: of a command, of a format, and of the two together'
expect 0 help convert
lacks out '--sort-indices'
has out 'sheaf help convert FORMAT'
expect 0 help convert cbf
has out 'Options of cbf:'
has out '--sort-indices'
expect 0 help cat ctf
has out '--stream'
lacks out '--alias'
lacks out '--expand'
lacks out 'Exit status'
expect 0 help mtx
has out 'matrixmarket: Matrix Market'
has out '.mtx'
has out '--layout'
expect 0 help --json csv
json out
has out '"name":"csv"'
expect 2 help convert cbg
has err 'did you mean cbf?'
expect 2 help matrxmarket
has err 'expected a command or a format, found "matrxmarket"; did you mean matrixmarket?'
expect 2 help ctf cat
end

begin 'a file that is missing'
expect 3 cat nowhere.ctf
is err 'sheaf: error: cannot open nowhere.ctf; the system says: No such file or directory'
expect 3 convert words.ctf nowhere/x.ctf
is err 'sheaf: error: cannot open the folder of nowhere/x.ctf; the system says: No such file or directory'
end

begin 'schema as JSON: what the file holds, and the declarations as texts'
expect 0 schema --json words.ctf
json out
lines out 1
python3 - out <<'END' || fault 'expected streams and declarations'
import json, sys
schema = json.load(open(sys.argv[1]))
assert schema["format"] == "ctf" and [s["name"] for s in schema["streams"]] == ["word", "tag"]
assert "--stream word:10:sparse" in schema["declarations"]["ctf"] and "cbf" in schema["declarations"]
END
expect 0 schema --json --to cbf words.ctf
json out
lacks out '"ctf":'
expect 0 schema --json one.mtx
json out
has out '"shape":[1,1]'
expect 6 schema --json --to npy words.ctf
empty out
echo '1 1:2 # a comment' >one.svmlight
expect 0 schema --json one.svmlight
has out '"declarations":{}'
printf '|\377 1\n' >named.ctf
expect 6 convert --stream "$(printf '\377'):1:dense" named.ctf named.jsonl
has err 'expected a name in UTF-8'
expect 6 schema one.svmlight
has err 'one.svmlight: no format can declare its streams'
end

begin 'the number of files is checked'
expect 2 cat
has err 'expected FILE..., found 0 operands'
expect 2 schema words.ctf words.ctf
expect 2 diff words.ctf
expect 2 convert words.ctf
expect 2 formats words.ctf
expect 2 diff - -
has err 'standard input (-) can be read only once'
end

begin 'options stand anywhere, in any spelling'
expect 0 head -n 1 words.ctf
mv out one
for line in '-n1 words.ctf' '--rows 1 words.ctf' 'words.ctf --rows=1' 'words.ctf -qn1' \
	'-q -q -n 1 words.ctf' '-n1 -- words.ctf'; do
	# shellcheck disable=SC2086 # words are meant to be split
	expect 0 head $line
	same out one
done
cp words.ctf ./-n
expect 0 head -q --rows=1 -- -n
same out one
end

begin 'an option that takes one value is given once; a flag, or one that takes several, may be repeated'
printf '%s\n' 'name,age' 'x,1' >table.csv
for words in '--rows 1 --rows 3' '-n1 --rows=1' '--max-memory 1G --max-memory 2G' \
	'--delimiter , --delimiter ,' '--json --progress never --progress never'; do
	# shellcheck disable=SC2086 # words are meant to be split
	expect 2 head $words table.csv
	has err 'expected one value, found two, '
done
expect 0 head --json --json --stream word:50:sparse --stream tag:2:dense words.ctf
expect 0 stats --target tag --target word words.ctf
end

begin 'names that match nothing: what was meant'
expect 2 head --streams wrod words.ctf
has err 'found "wrod"; did you mean word?'
expect 2 head --columns nmae table.csv
has err 'found "nmae"; did you mean name?'
expect 2 head --coordinates age --value nmae table.csv
has err 'did you mean name?'
expect 2 help cvs
has err 'found "cvs"; did you mean csv?'
expect 2 help nonsense
has err 'found "nonsense"; see sheaf help and sheaf formats'
end

begin 'options of formats: refused where nothing uses them'
expect 2 head --chunk-bytes 1M words.ctf
has err '--chunk-bytes'
expect 2 convert --skip-sequence-ids words.ctf words.cbf --chunk-bytes many
expect 0 convert -f words.ctf words.cbf --chunk-bytes 1M
expect 2 convert words.cbf --skip-sequence-ids x.ctf
has err '--skip-sequence-ids'
[ ! -e x.ctf ] || fault 'expected no output'
end

# ---- errors and warnings ----

begin 'errors: none tolerated by default'
# shellcheck disable=SC2086
expect 4 cat $BAD bad.ctf
has err 'sheaf: error: bad.ctf:1:8'
lines err 1
end

begin 'errors: tolerated ones are reported and summed up'
# shellcheck disable=SC2086
expect 0 cat --max-errors 3 $BAD bad.ctf
[ "$(grep -c '^sheaf: error: bad.ctf:' err)" -ge 2 ] || fault 'expected the errors on standard error'
grep -qE '^sheaf: bad.ctf: [0-9]+ errors? tolerated \(.* 1.*\), 1 warning \(.* 1\)$' err ||
	fault "expected a summary, found: $(tail -n 1 err)"
# shellcheck disable=SC2086
expect 0 cat --quiet --max-errors 3 $BAD bad.ctf
empty err
# shellcheck disable=SC2086
expect 4 cat --max-errors 1 $BAD bad.ctf
has err '1 error tolerated'
# shellcheck disable=SC2086
expect 4 cat --strict --max-errors 2 $BAD bad.ctf
end

begin 'errors: at most ten of a kind are shown'
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%d |A 1 |A x\n", i }' >many.ctf
expect 0 cat --max-errors 40 --stream A:1:dense many.ctf
[ "$(grep -c '^sheaf: error: many.ctf:[0-9]' err)" -eq 10 ] ||
	fault "expected ten lines, found $(grep -c 'error: many' err)"
has err 'are counted but not shown'
has err 'sheaf: many.ctf: 40 errors tolerated ('
lines out 40
end

begin 'errors: as many as --max-errors allows, and not one more'
for n in 1 2 5 6 11 39; do
	expect 4 cat --max-errors $n --stream A:1:dense many.ctf
	grep -q "^sheaf: many.ctf: $n errors\{0,1\} tolerated" err ||
		fault "expected $n tolerated errors, found: $(tail -n 2 err)"
	has err "sheaf: error: many.ctf:$((n + 1)):"
done
expect 4 cat --max-errors 39 --stream A:1:dense many.ctf
expect 0 cat --max-errors 40 --stream A:1:dense many.ctf
for n in 5 6 7 8; do
	head -n $n many.ctf >few.ctf
	expect 0 cat --max-errors $n --stream A:1:dense few.ctf
	expect 4 cat --max-errors $((n - 1)) --stream A:1:dense few.ctf
done
end

begin 'messages cannot control the terminal'
printf '0 |A 1 \033[31mx\n' >escape.ctf
expect 4 cat --stream A:1:dense escape.ctf
if LC_ALL=C grep -q "$(printf '\033')" err; then fault 'expected no escape character'; fi
printf 'sheaf\n' >"$(printf 'two\nlines.ctf')"
expect 4 cat "$(printf 'two\nlines.ctf')"
lines err 1
end

begin 'limits: exit 5'
expect 5 cat --max-memory 100K big.ctf
has err 'sheaf: error: '
empty out
end

begin 'an unclosed quote is named when memory for its record runs out'
{ printf 'id,text\n1,"open\n' && yes '2,hello' | head -n 300000; } >open.csv
for c in stats validate 'convert -f'; do
	case $c in convert*) to=open.jsonl ;; *) to= ;; esac
	# shellcheck disable=SC2086
	expect 5 $c --max-memory 1M open.csv $to
	has err 'open.csv:2:3 (byte 10): expected a quote that closes the field, found none in the next '
	has err '--max-memory'
done
{ printf 'id,"text\n' && yes '2,hello' | head -n 300000; } >open.csv
expect 5 stats --max-memory 1M open.csv
has err 'open.csv:1:4 (byte 3): expected a quote that closes the field, found none in the next '
end

# ---- surroundings ----

begin 'the same in any locale'
before=${LC_ALL-}
export LC_ALL
for c in cat stats 'cat --json' info formats 'help convert'; do
	case $c in formats | help*) file= ;; *) file=words.ctf ;; esac
	LC_ALL=C
	# shellcheck disable=SC2086
	expect 0 $c $file
	mv out kept
	for LC_ALL in C.UTF-8 de_DE.UTF-8 tr_TR.UTF-8; do
		# shellcheck disable=SC2086
		expect 0 $c $file
		same out kept
	done
done
if [ -n "$before" ]; then LC_ALL=$before; else unset LC_ALL; fi
end

begin 'a closed pipe ends the command quietly'
("$sheaf" cat big.ctf 2>err; echo $? >status) | head -n 1 >out
has out '0  A [0 0]'
empty err
is status 141
("$sheaf" convert --to ctf big.ctf - 2>err; echo $? >status) | head -n 1 >/dev/null
empty err
is status 141
end

if [ -w /dev/full ]; then
	begin 'a full output: exit 3'
	for c in cat head info stats schema hash 'validate' 'convert --to cbf' 'cat --json'; do
		case $c in convert*) last=- ;; *) last= ;; esac
		# shellcheck disable=SC2086
		"$sheaf" $c words.ctf $last >/dev/full 2>err
		code=$?
		[ "$code" -eq 3 ] || fault "sheaf $c: expected exit status 3, found $code"
		has err 'No space left'
	done
	for c in formats help --help --version; do
		"$sheaf" "$c" >/dev/full 2>err
		code=$?
		[ "$code" -eq 3 ] || fault "sheaf $c: expected exit status 3, found $code"
	done
	end
else
	skip 'a full output: exit 3' 'there is no /dev/full here'
fi

begin 'closed standard streams'
"$sheaf" cat words.ctf >&- 2>err
code=$?
[ "$code" -eq 3 ] || fault "output: expected exit status 3, found $code"
"$sheaf" convert plain.ctf closed.cbf <&- >&- 2>&-
code=$?
[ "$code" -eq 0 ] || fault "all: expected exit status 0, found $code"
same closed.cbf plain.cbf
"$sheaf" cat - <&- >out 2>err
code=$?
[ "$code" -eq 3 ] || fault "input: expected exit status 3, found $code"
end

begin 'progress'
(
	head -n 1000 big.ctf
	sleep 1.2
	tail -n 1000 big.ctf
) | "$sheaf" stats --progress always - >out 2>err
has err 'KiB'
[ "$(tail -c 4 err)" = "$(printf '\r\033[K')" ] || fault 'expected the line to be erased in the end'
(
	head -n 1000 big.ctf
	sleep 1.2
) | "$sheaf" stats - >out 2>err
empty err
end

begin "a truncated compressed file: what is whole, then the error"
gzip -c big.ctf >cut.gz
head -c $(($(wc -c <cut.gz) / 2)) cut.gz >half.ctf.gz
expect 4 cat half.ctf.gz
has err "the file ends inside a gzip member"
[ "$(wc -l <out)" -gt 100 ] || fault "expected the rows before the break, found $(wc -l <out)"
end

begin "inputs are joined by the names of their streams"
printf '|B 9:1 |A 7 8\n' >swapped.ctf
expect 0 convert plain.ctf swapped.ctf joined.cbf
expect 0 cat joined.cbf
has out "3  A [7 8]  B [9:1]"
end

begin "a user's own file that begins like a temporary stays"
mkdir -p own
echo notes >own/.sheaf-notes.txt
expect 0 convert -q plain.ctf own/out.cbf
[ -s own/.sheaf-notes.txt ] || fault "expected own/.sheaf-notes.txt to stay, found it gone"
end

begin "names beyond ASCII are reported when they are written"
printf '|gr\303\266 1\n' >utf8.ctf
expect 0 convert utf8.ctf utf8.cbf
has err "expected a stream name of ASCII characters"
end

begin "values that lose digits are reported, and refused under --strict"
printf '|A 123456789.123\n' >digits.ctf
expect 0 convert digits.ctf digits.cbf
has err "1 with more digits than it keeps"
expect 4 convert --strict digits.ctf strict.cbf
[ ! -e strict.cbf ] || fault "expected no strict.cbf, found one"
end

begin "a memory that is enough for one thread is enough for several"
awk 'BEGIN { for (i = 0; i < 12000; i++) { printf "|w"; for (j = 0; j < 40; j++) printf " %d:%d", i % 7 + j * 11, j; print "" } }' >memory.ctf
for threads in 1 2 3; do
	expect 0 convert --threads $threads --max-memory 10M --chunk-bytes 2M --stream w:1000:sparse \
		memory.ctf memory$threads.cbf
done
same memory1.cbf memory2.cbf
same memory1.cbf memory3.cbf
end

begin 'closed standard streams: no opened file takes their places'
# shellcheck disable=SC2086
expect 0 convert $BAD --max-errors 9 bad.ctf wanted.cbf
has err 'error: bad.ctf:2'
for closed in '0 1 2' '1 2' '0 2' '2' '0 1'; do
	rm -f closed.cbf
	(
		for fd in $closed; do eval "exec $fd>&-"; done
		# shellcheck disable=SC2086
		exec "$sheaf" convert $BAD --max-errors 9 bad.ctf closed.cbf
	) 2>/dev/null
	code=$?
	[ $code -eq 0 ] || fault "closed $closed: expected exit status 0, found $code"
	same wanted.cbf closed.cbf
done
"$sheaf" convert --to ctf wanted.cbf - >&- 2>err </dev/null
[ $? -eq 3 ] || fault 'expected exit status 3 where standard output is closed'
"$sheaf" stats - 2>err <&- >out
[ $? -eq 3 ] || fault 'expected exit status 3 where standard input is closed'
"$sheaf" diff wanted.cbf - 2>err <&- >out
[ $? -eq 3 ] || fault 'expected exit status 3 where standard input is closed, and not the file that was opened before'
end

# Threads of some programs and systems have no more.
begin 'stacks of 128 kB suffice for every command'
printf 'a,b\n1,2\n3,4\n' >small.csv
for what in 'info small.csv' 'stats small.csv' 'validate small.csv' 'head small.csv' 'cat small.csv' \
	'hash small.csv' 'schema small.csv' 'batches small.csv' 'show --skip 0 small.csv' 'plan small.csv' \
	'report -f small.csv small.html' 'diff small.csv small.csv' 'index small.csv' formats help \
	'help convert csv' 'split -f --parts 2 small.csv half.csv' 'merge -f half.0.csv half.1.csv whole.csv'; do
	# shellcheck disable=SC2086
	(ulimit -s 128 && exec "$sheaf" $what) >out 2>err
	[ $? -eq 0 ] || fault "$what: expected exit status 0, found $(cat err)"
done
for target in small.jsonl small.npz small.h5 small.arrow; do
	(ulimit -s 128 && exec "$sheaf" convert -f small.csv $target) >out 2>err
	[ $? -eq 0 ] || fault "convert to $target: expected exit status 0, found $(cat err)"
done
end

echo "1..$count"
