#!/bin/sh
# SPDX-License-Identifier: MIT
# The command as users meet it: each subcommand with good and bad input, text and JSON, exit codes, pipes,
# messages. TAP on standard output.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"

# ---- data ----

cat >words.ctf <<'END'
0	|word 2:1	|tag 1 0	|# the
0	|word 7:1 9:0.5	|tag 0 1	|# tree
5	|word 4:-2.5	|tag 1 0
END
WORDS='--stream word:10:sparse --stream tag:2:dense'
printf '|A 1 2 |B 3:1\n|A 3 4 |B 4:1\n|A 5 6 |B\n' >plain.ctf
printf '|A 1 2 |B 3:1\n|A 3 4.5 |B 4:1\n|A 5 6 |B 0:7\n' >other.ctf
printf '0 |A 1 x |A 1 2 |B 3:1\n1 |A 3 4 |B 44:1 |B 4:1\n2 |A 5 6 |B 1:1 |C 1\n' >bad.ctf
BAD='--stream A:2:dense --stream B:5:sparse'
printf '0 |A 1 2 |B 3:1\n1 |A 3 4\n' >missing.ctf
printf 'neither this nor that\n' >strange.xyz
: >empty.ctf
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%d |A %d %d |B %d:1\n", i, i, i % 7, i % 100 }' >big.ctf

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
expect 0 help --man
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
	expect 0 help --man
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
expect 2 help hed
has err 'did you mean head?'
expect 2 stats --frm ctf words.ctf
has err 'did you mean --from?'
expect 2 stats --sream A:1:dense words.ctf
has err 'did you mean --stream?'
expect 2 info --rows 3 words.ctf
has err '--rows: expected an option of sheaf info, found one that is not'
expect 2 formats --stream A:1:dense
expect 2 cat -x words.ctf
has err '-x: expected an option of sheaf cat'
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
for name in ctf .CTF txt; do expect 0 cat --quiet --from "$name" words.ctf; done
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
long=$long/../../../../../../../../../../../../../$long/table.csv
printf 'a\n1\n' >"$long"
expect 0 cat "$long"
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
is err 'sheaf: error: nowhere.ctf: expected a readable file; the system says: No such file or directory'
expect 3 convert words.ctf nowhere/x.ctf
is err 'sheaf: error: nowhere/x.ctf: expected a folder to write it in; the system says: No such file or directory'
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
end

begin 'the number of files is checked'
expect 2 cat
has err 'expected FILE..., found 0 operands'
expect 2 schema words.ctf words.ctf
expect 2 diff words.ctf
expect 2 convert words.ctf
expect 2 formats words.ctf
expect 2 diff - -
has err 'expected standard input once'
end

begin 'options stand anywhere, in any spelling'
expect 0 head -n 1 words.ctf
mv out one
for line in '-n1 words.ctf' '--rows 1 words.ctf' 'words.ctf --rows=1' 'words.ctf -qn1' \
	'-q -n 3 -n 1 words.ctf' '-n1 -- words.ctf'; do
	# shellcheck disable=SC2086 # words are meant to be split
	expect 0 head $line
	same out one
done
cp words.ctf ./-n
expect 0 head -q --rows=1 -- -n
same out one
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

# ---- info, head, cat ----

begin 'info'
expect 0 info words.ctf
has out 'file: words.ctf'
has out 'format: ctf ('
has out "bytes: $(($(wc -c <words.ctf)))"
has out 'sparse  dim 10  float32'
has out 'inferred from'
lacks out 'chunks'
expect 0 info words.cbf
has out 'sequences: 2'
has out 'samples: 3'
has out 'chunks: 1'
lacks out 'inferred'
empty err
end

begin 'info: unknown values are not printed'
expect 0 info big.ctf --stream A:2:dense --stream B:100:sparse
has out 'sequences: not counted (see sheaf stats)'
lacks out 'inferred'
end

begin 'info --json'
expect 0 info --json words.cbf
is out "{\"file\":\"words.cbf\",\"format\":\"cbf\",\"bytes\":$(($(wc -c <words.cbf))),\"sequences\":2,\"samples\":3,\"chunks\":1,\"streams\":[{\"name\":\"word\",\"storage\":\"sparse\",\"dim\":10,\"type\":\"float32\"},{\"name\":\"tag\",\"storage\":\"dense\",\"dim\":2,\"type\":\"float32\"}],\"index\":{\"state\":\"none\"}}"
expect 0 info --json words.ctf plain.ctf words.cbf
json out
lines out 3
has out '"inferred":'
printf '0 |a 1\n' >alias.ctf
expect 0 info --json --stream long:1:dense:double:alias=a alias.ctf
has out '{"name":"long","alias":"a","storage":"dense","dim":1,"type":"float64"}'
end

begin 'info counts the errors that reading would stop at or leave out'
printf '|A 1\n|A x\n|A 3\n|A y\n' >flaws.ctf
expect 1 info --stream A:1:dense --allow-missing flaws.ctf
has out 'errors: 4 (not a number 2, empty row 2); left out with --max-errors, see sheaf validate'
expect 1 info --json --stream A:1:dense --allow-missing flaws.ctf
has out '"flaws":{"errors":4,"rules":{"not a number":2,"empty row":2},"complete":true}}'
json out
expect 1 info words.ctf flaws.ctf plain.ctf
has out 'errors: '
awk 'BEGIN { for (i = 0; i < 200000; i++) print "1,2"; print "x" }' >late.csv
expect 0 info late.csv
lacks out 'errors'
end

begin 'rows before a flaw'
printf '|A 1\n|A 2\n|A x\n|A 4\n' >flaw.ctf
for c in cat head; do
	expect 4 $c --stream A:1:dense flaw.ctf
	is out '0  A [1]
1  A [2]'
	has err 'flaw.ctf:3:'
	lines err 1
	expect 0 $c --rows 2 --stream A:1:dense flaw.ctf
	lines out 2
	empty err
done
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n4 2 2\n3 3 3\n' >flaw.mtx
expect 4 cat --json flaw.mtx
is out '{"tensor":"/","format":"coordinate","shape":[3,3],"entries":[[[0,0],1]'
"$sheaf" cat --json flaw.mtx 2>&1 | tail -n 1 >both
has both 'sheaf: error: flaw.mtx:4:1'
expect 4 convert --stream A:1:dense flaw.ctf flaw.cbf
[ ! -e flaw.cbf ] || fault 'expected no output where the input has a flaw'
end

begin 'names that JSON must escape'
printf '0 |a"b\\c 1\n' >'odd "name".ctf'
expect 0 info --json 'odd "name".ctf'
json out
has out '"odd \"name\".ctf"'
has out '"a\"b\\c"'
end

begin 'several files: the highest exit status, and all are processed'
expect 3 info words.ctf nosuch.ctf words.cbf
has out 'file: words.ctf'
has out 'file: words.cbf'
has err 'nosuch.ctf'
expect 4 hash strange.xyz words.ctf
lines out 1
end

begin 'files that cannot be read: exit 3 or 4'
for c in info head cat stats show validate schema hash; do
	expect 3 "$c" nosuch.ctf
	has err 'sheaf: error: nosuch.ctf'
	expect 3 "$c" .
	expect 4 "$c" strange.xyz
	has err 'sheaf: error: strange.xyz'
	case $c in validate) ;; *) expect 4 "$c" empty.ctf ;; esac
done
expect 1 validate empty.ctf
has out 'empty.ctf: 1 violation'
end

begin 'head'
expect 0 head words.ctf
has err 'sheaf: note: words.ctf: streams inferred from'
is out '0  word [2:1] [7:1 9:0.5]  tag [1 0] [0 1]
5  word [4:-2.5]  tag [1 0]'
expect 0 head --quiet words.ctf
empty err
# shellcheck disable=SC2086
expect 0 head $WORDS words.ctf
empty err
expect 0 head -q big.ctf
lines out 10
expect 0 head -q -n 3 --skip 59998 big.ctf
lines out 2
has out '59998  A [59998 1]'
expect 0 head -q -n 0 big.ctf
empty out
end

begin 'head cuts what is long, cat and JSON do not'
awk 'BEGIN { for (s = 0; s < 9; s++) { printf "0 |A"; for (i = 0; i < 30; i++) printf " %d", i; print "" } }' >long.ctf
expect 0 head -q long.ctf
short=$(wc -c <out)
expect 0 cat long.ctf
[ "$short" -lt "$(wc -c <out)" ] || fault 'expected head to print less than cat'
expect 0 cat --json long.ctf
mv out kept
expect 0 head -q --json long.ctf
same out kept
end

begin 'cat'
expect 0 cat words.ctf
is out '0  word [2:1] [7:1 9:0.5]  tag [1 0] [0 1]
5  word [4:-2.5]  tag [1 0]'
empty err
expect 0 cat --json words.ctf
is out '{"key":0,"streams":{"word":[[[2,1]],[[7,1],[9,0.5]]],"tag":[[1,0],[0,1]]}}
{"key":5,"streams":{"word":[[[4,-2.5]]],"tag":[[1,0]]}}'
expect 0 cat --skip 1 words.ctf
lines out 1
expect 0 cat --skip 9 words.ctf
empty out
printf 'a,b\n1,2\n3\n' >short.csv
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n3 3 x\n' >broken.mtx
printf '0 |A 1\n1 |A 2\n2 |A x\n' >broken.ctf
for file in short.csv broken.mtx broken.ctf; do
	expect 4 cat --quiet $file
	mv err kept
	for k in 1 2 3 4 100; do
		expect 4 cat --quiet --skip $k $file
		same err kept
		expect 4 cat --quiet --skip $k --index never $file
		same err kept
	done
done
expect 0 cat big.ctf
lines out 60000
expect 0 cat --json big.ctf
lines out 60000
json out
end

begin 'pipes in'
for c in cat stats schema hash info; do
	expect 0 "$c" words.ctf
	mv out kept
	# shellcheck disable=SC2002 # a pipe is what is tested
	cat words.ctf | "$sheaf" "$c" - >out 2>err || fault "sheaf $c -: expected exit status 0"
	case $c in cat | stats) same out kept ;; esac
done
# shellcheck disable=SC2002
cat words.cbf | "$sheaf" diff - words.ctf >out 2>err || fault 'sheaf diff -: expected exit status 0'
end

# ---- stats, schema, formats ----

begin 'stats'
expect 0 stats words.ctf
has out 'sequences: 2; keys: explicit'
has out 'stream word: sparse, dim 10, float32'
expect 0 stats --json words.ctf
json out
lines out 1
python3 - out <<'END' || fault 'expected the statistics of this file'
import json, sys
stats = json.load(open(sys.argv[1]))
word, tag = stats["streams"]
assert stats["sequences"] == 2 and stats["keys"] == "explicit"
assert word["samples"] == 3 and word["values"] == 4
assert word["min"] == -2.5 and word["max"] == 1 and word["max_index"] == 9
assert tag["zeros"] == 3 and tag["lengths"]["max"] == 2
END
end

begin 'stats: quantiles, histograms and pictures'
expect 0 stats words.ctf
has out 'samples in a sequence: 1 to 2, mean 1.5; p50 1, p95 2, p99 2'
has out 'standard deviation'
lacks out '#####'
LC_ALL=C expect 0 stats --histogram --spy words.ctf
has out '#########'
has out 'word: 2 sequences down, 10 indices across'
has out '    +-----+'
LC_ALL=C.UTF-8 expect 0 stats --histogram --spy words.ctf
has out '█'
has out '┌─────┐'
expect 0 stats --json --histogram --spy words.ctf
mv out drawn
expect 0 stats --json words.ctf
same drawn out
expect 0 report --json words.ctf -
same drawn out
end

begin 'stats and report: names of indices, and rows that contradict each other'
awk 'BEGIN { for (s = 0; s < 9; s++) print "|word " s % 3 ":1 |label " (s == 6) }' >said.ctf
printf 'the\r\nof <&>\n' >names.txt
set -- --stream word:5:sparse --stream label:1:dense
expect 0 stats "$@" --names word=names.txt --target label said.ctf
has out '  most used: 0 the 3 times, 1 of <&> 3 times, 2 3 times'
has out 'contradictions: 3 different inputs; with several targets: 1, in 3 rows; first: 0 and 6'
expect 0 stats --json "$@" --names word=names.txt --target label said.ctf
has out '"most_used":[[0,3,"the"],[1,3,"of <&>"],[2,3]]'
has out '"contradictions":{"different_inputs":3,"inputs":1,"rows":3,"counts":"exact","first":[[0,6]]}'
expect 0 report "$@" --names word=names.txt --target label said.ctf said.html
has said.html '<bdi>of &lt;&amp;&gt;</bdi>'
has said.html '<h2>Contradictions</h2>'
gzip -k names.txt
expect 0 stats "$@" --names word=names.txt.gz said.ctf
has out '  most used: 0 the 3 times'
lacks out contradictions
for part in 1/2 2/2; do expect 0 stats "$@" --target label --part $part said.ctf "p${part%/2}"; done
expect 0 merge p1 p2
has out 'with several targets: 1, in 3 rows; first: 0 and 6'
expect 2 stats "$@" --names wrd=names.txt said.ctf
has err '--names: expected a stream of the dataset, found "wrd"; did you mean word?'
expect 2 stats "$@" --names names.txt said.ctf
has err '--names: expected STREAM=FILE, found "names.txt"'
expect 3 stats "$@" --names word=none.txt said.ctf
has err 'none.txt'
expect 2 report "$@" --target lable said.ctf new.html
has err '--target: expected a stream of the dataset, found "lable"; did you mean label?'
[ ! -e new.html ] || fault 'expected no page'
end

begin 'report: the first findings one by one'
awk 'BEGIN { for (s = 0; s < 30; s++) print "|word " s % 9 ":1" }' >flawed.ctf
expect 0 report --max-errors 100 --stream word:5:sparse flawed.ctf flawed.html
has flawed.html '<th scope="row">finding 1</th><td><bdi>flawed.ctf:6:'
has flawed.html '<th scope="row">finding 12</th>'
lacks flawed.html '<th scope="row">finding 21</th>'
end

begin 'report: charts go into a folder, which is made'
expect 0 report --svg charts words.ctf page.html
[ -s charts/01-lengths.svg ] || fault 'expected a chart in the folder'
expect 2 report --svg other words.ctf page.html
[ ! -e other ] || fault 'expected no folder where the page is refused'
expect 3 report --svg other nosuch.ctf new.html
{ [ ! -e other ] && [ ! -e new.html ]; } || fault 'expected nothing to be made of an input that is not there'
expect 2 report --svg charts words.ctf new.html
has err 'charts/01-lengths.svg: expected no file of that name'
[ ! -e new.html ] || fault 'expected no page where a chart is refused'
expect 0 report -f --svg charts words.ctf page.html
expect 3 report --svg far/away words.ctf new.html
has err 'far/away: expected a folder for charts, or a place for one; the system says: No such file or directory'
expect 2 report --svg words.ctf words.ctf new.html
has err '--svg: expected a folder, found a file, words.ctf'
expect 2 report --json --svg charts words.ctf new.json
has err '--svg: expected a page, which has charts, found --json'
[ ! -e new.json ] || fault 'expected no numbers where charts were asked for'
end

begin 'show: one row as a picture'
LC_ALL=C expect 0 show --row 1 words.ctf
has out 'tag: dense, dim 2, float32; samples: '
has out '    +-'
LC_ALL=C.UTF-8 COLUMNS=60 expect 0 show words.ctf
has out '│'
lacks out '\\['
expect 2 show --row 2 words.ctf
has err '--row: expected a row of the file, found 2, which is after its last one'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 3 2' '1 1 5' '2 3 7' > two.mtx
expect 0 show --row 1 two.mtx
has out 'value: sparse, dim 3, float64; samples: 1; 7 to 7'
end

begin 'schema'
expect 0 schema words.ctf
has out '--stream word:10:sparse'
has out '# ctf'
expect 0 schema --to ctf words.cbf
has out '--stream tag:2:dense'
lacks out '# cbf'
expect 2 schema --to nothing words.ctf
end

begin 'formats'
expect 0 formats
has out 'ctf'
has out '.cbf'
has out 'read write'
expect 0 formats --json
json out
grep -q '^{"name":"ctf","read":true,"write":true,"suffixes":\[".ctf",".txt"\],"summary":"' out ||
	fault 'expected a row for ctf'
COLUMNS=1000 expect 0 help formats
has out 'This build knows the'
has out 'compressions gzip, bzip2, zstd, xz'
has out 'ask the HDF5 library of the system (--hdf5 system)'
end

# ---- validate ----

begin 'validate: valid'
expect 0 validate words.ctf words.cbf
is out 'words.ctf: valid
words.cbf: valid'
empty err
expect 0 validate --json words.ctf
is out '{"file":"words.ctf","valid":true,"violations":0,"warnings":0,"notes":0}'
end

begin 'validate: every violation, one a line'
# shellcheck disable=SC2086
expect 1 validate $BAD bad.ctf
has out 'error: bad.ctf:1:8'
has out 'error: bad.ctf:2:'
has out 'breach: bad.ctf:3:'
has out 'bad.ctf: '
has out 'violations'
empty err
found=$(lines=$(wc -l <out) && echo $((lines - 1)))
grep -q "^bad.ctf: $found violations" out ||
	fault "expected a summary that counts $found lines, found $(tail -n 1 out)"
mv out kept
# shellcheck disable=SC2086
expect 1 validate --quiet $BAD bad.ctf
is out "$(tail -n 1 kept)"
end

begin 'validate --json'
# shellcheck disable=SC2086
expect 1 validate --json $BAD bad.ctf
json out
python3 - out <<'END' || fault 'expected problems with their places, then a summary'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
first, summary = rows[0], rows[-1]
assert first["severity"] == "error" and first["file"] == "bad.ctf"
assert first["line"] == 1 and first["column"] == 8 and first["byte"] == 7 and first["stream"] == "A"
assert first["rule"] and first["expected"] and first["found"] and first["consequence"]
assert "chunk" not in first
assert not summary["valid"] and summary["violations"] == len(rows) - 1
END
end

begin 'validate --strict: notes count, too'
printf '0 |A .5 2\n' >note.ctf
expect 0 validate note.ctf
has out 'note: note.ctf:1:6'
has out 'note.ctf: valid, 1 portability note'
expect 1 validate --strict note.ctf
has out 'note.ctf: 1 violation'
end

begin 'validate: what ends the reading is a violation'
head -c 60 words.cbf >cut.cbf
expect 1 validate cut.cbf words.cbf
has out 'error: cut.cbf'
has out 'cut.cbf: 1 violation'
has out 'words.cbf: valid'
expect 1 validate --json cut.cbf
json out
has out '"valid":false'
expect 3 validate cut.cbf nosuch.ctf
expect 4 validate strange.xyz cut.cbf
end

# ---- convert, diff, hash ----

begin 'convert: there and back'
expect 0 convert plain.ctf plain.cbf
empty out
empty err
expect 0 convert plain.cbf back.ctf
expect 0 diff --keys --strict plain.ctf back.ctf
expect 0 diff --keys --strict plain.ctf plain.cbf
is out 'plain.ctf and plain.cbf are equal'
expect 0 hash --keys plain.ctf plain.cbf back.ctf
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 1 ] || fault 'expected three equal hashes'
end

begin 'convert: formats by option'
expect 0 convert --to cbf --from ctf plain.ctf plain.data
expect 0 diff plain.data plain.ctf
expect 2 convert plain.ctf plain.data2
has err 'plain.data2'
expect 4 convert --from cbf plain.ctf x.ctf
[ ! -e x.ctf ] || fault 'expected no output'
end

begin 'convert: pipes'
"$sheaf" convert --to cbf - - <plain.ctf >piped.cbf 2>err || fault "expected exit status 0, found $(cat err)"
same piped.cbf plain.cbf
expect 2 convert plain.ctf -
expect 0 convert plain.ctf - --to ctf
same out plain.ctf
"$sheaf" convert --to cbf plain.ctf - | "$sheaf" convert --to ctf - - >out 2>err
same out plain.ctf
end

begin 'convert: compressed input and output'
for s in gz bz2 zst xz; do
	expect 0 convert plain.ctf "plain.ctf.$s"
	expect 0 diff plain.ctf "plain.ctf.$s"
	expect 0 convert -f "plain.ctf.$s" again.cbf
	same again.cbf plain.cbf
done
gzip -dc plain.ctf.gz | cmp -s - plain.ctf || fault 'expected gzip to read plain.ctf.gz'
gzip -c words.ctf >words.ctf.gz
expect 0 info words.ctf.gz
has out 'compression: gzip'
expect 0 info --json words.ctf.gz
has out '"compression":"gzip"'
expect 0 cat words.ctf.gz
mv out kept
expect 0 cat words.ctf
same out kept
end

begin 'convert: several inputs, and into an input'
expect 0 convert plain.ctf other.ctf both.cbf
expect 0 info both.cbf
has out 'sequences: 6'
cp plain.ctf place.ctf
expect 0 convert -f place.ctf place.ctf
same place.ctf plain.ctf
printf '0 |Z 1\n' >z.ctf
expect 4 convert plain.ctf z.ctf x.cbf
[ ! -e x.cbf ] || fault 'expected no output'
end

begin 'convert: keys become positions, with one warning'
expect 0 convert -f words.ctf words.cbf
[ "$(grep -c 'sheaf: warning: ' err)" -eq 1 ] || fault "expected one warning, found: $(cat err)"
has err 'sheaf: words.ctf: 1 warning ('
expect 0 convert -f --quiet words.ctf words.cbf
empty err
expect 4 convert --strict words.ctf x.cbf
expect 1 diff --keys words.ctf words.cbf
has out 'sequence 1: key 5 | key 1'
expect 0 diff words.ctf words.cbf
end

begin 'convert: loss is refused, or allowed and named'
expect 0 convert --allow-missing missing.ctf missing.cbf
expect 6 convert missing.cbf x.ctf
has err 'loss'
[ ! -e x.ctf ] || fault 'expected no output'
expect 0 convert --allow-loss missing.cbf x.ctf
has err 'sheaf: loss: '
has err 'sheaf: missing.cbf: 1 kind of loss allowed ('
[ -s x.ctf ] || fault 'expected an output'
end

begin 'convert: a note if rows become another kind of rows'
printf '|x 1 2\n|x 3 4\n' >change.ctf
expect 0 convert change.ctf change.mtx
has err 'sheaf: note: change.ctf: sequences become entries of a tensor'
expect 0 convert -q change.mtx change.cbf
[ ! -s err ] || fault "expected nothing, found $(cat err)"
rm change.*
end

begin 'help FORMAT: what the format keeps of each kind of data'
expect 0 help ctf
has out 'What the format keeps of each kind of data:'
has out '  keys of sequences       kept'
has out '  columns of text         lost: column that is not numeric (2)'
expect 0 help --json ctf
json out
has out '"feature":"float64 values in streams","kept":"changed"'
end

begin 'index: written, used, found stale'
cp big.ctf indexed.ctf
expect 0 index indexed.ctf
has out 'indexed.ctf: written'
has out "index: $PWD/indexed.ctf.sheaf-index"
has out 'sequences: 60000'
has out 'streams: inferred from the whole input'
expect 0 index --json indexed.ctf
json out
has out '"state":"fresh"'
expect 0 index --check indexed.ctf
has out 'indexed.ctf: sound'
expect 0 info indexed.ctf
has out 'sequences: 60000'
has out "index: fresh, $PWD/indexed.ctf.sheaf-index"
for c in cat stats hash 'head -n 3 --skip 59999' 'cat --skip 59000'; do
	# shellcheck disable=SC2086
	expect 0 $c --index require indexed.ctf
	mv out with
	# shellcheck disable=SC2086
	expect 0 $c --index never indexed.ctf
	sed s/indexed.ctf/x/ out >without
	sed s/indexed.ctf/x/ with | same - without
done
echo '60000 |A 1 2 |B 1:1' >>indexed.ctf
expect 0 info indexed.ctf
has out 'index: stale: '
has out 'another size, time or content'
expect 4 cat --index require indexed.ctf
has err 'an index is required'
expect 1 index --check indexed.ctf
has out 'expected the size, time and hash'
expect 0 stats --index write indexed.ctf
expect 0 index --check indexed.ctf
expect 0 index --piece-bytes 64K indexed.ctf
has out 'written'
has out 'of about 65536 bytes'
rm indexed.ctf indexed.ctf.sheaf-index
end

begin 'index: inputs that can have none'
expect 1 index --check words.ctf
has out 'expected an index, found none'
gzip -c big.ctf >packed.ctf.gz
expect 6 index packed.ctf.gz
has err 'expected an uncompressed regular file, found gzip'
expect 6 cat --index write packed.ctf.gz
expect 4 cat --index require words.ctf
"$sheaf" index - <big.ctf >out 2>err
[ $? -eq 6 ] || fault 'expected exit status 6 for standard input'
expect 2 index --piece-bytes many words.ctf
expect 2 cat --index sometimes words.ctf
lacks out x
end

begin 'diff'
expect 1 diff plain.ctf other.ctf
is out 'sequence 1, stream "A", sample 0: [3 4] | [3 4.5]
sequence 2, stream "B", sample 0: [] | [0:7]
plain.ctf and other.ctf differ'
expect 1 diff --quiet plain.ctf other.ctf
lines out 2
expect 1 diff --limit 1 plain.ctf other.ctf
has out 'differ; only the first 1 difference'
lines out 2
expect 1 diff --limit 0 --quiet plain.ctf other.ctf
empty out
expect 1 diff plain.ctf z.ctf
has out 'stream "A": '
expect 1 diff plain.ctf both.cbf
has out '3 sequences | 6 sequences'
expect 3 diff plain.ctf nosuch.ctf
expect 4 diff strange.xyz plain.ctf
end

begin 'diff --json'
expect 1 diff --json plain.ctf other.ctf
json out
is out '{"sequence":1,"stream":"A","sample":0,"a":"[3 4]","b":"[3 4.5]"}
{"sequence":2,"stream":"B","sample":0,"a":"[]","b":"[0:7]"}
{"equal":false,"differences":2,"more":false}'
expect 0 diff --json plain.ctf plain.cbf
is out '{"equal":true,"differences":0,"more":false}'
end

begin 'diff: twenty differences by default'
sed 's/^\([0-9]*\) |A 1/\1 |A 2/' big.ctf >changed.ctf
expect 1 diff big.ctf changed.ctf
lines out 21
has out 'only the first 20 differences are shown'
end

begin 'diff --strict, hash --strict: types count'
expect 0 convert --precision double plain.ctf double.cbf
expect 0 diff plain.ctf double.cbf
expect 1 diff --strict plain.ctf double.cbf
expect 0 hash plain.ctf double.cbf
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 1 ] || fault 'expected equal hashes'
expect 0 hash --strict plain.ctf double.cbf
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 2 ] || fault 'expected different hashes'
end

begin 'hash'
expect 0 hash plain.ctf other.ctf
grep -qE '^[0-9a-f]{32}  plain\.ctf$' out || fault "expected a hash and a name, found $(cat out)"
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 2 ] || fault 'expected different hashes'
expect 0 hash --json plain.ctf
json out
grep -qE '^\{"file":"plain\.ctf","hash":"[0-9a-f]{32}"\}$' out ||
	fault "expected a hash and a name, found $(cat out)"
expect 0 hash words.ctf words.cbf
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 1 ] || fault 'expected keys not to count'
expect 0 hash --keys words.ctf words.cbf
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 2 ] || fault 'expected keys to count'
end

begin 'threads: any number gives the same'
awk 'BEGIN { for (i = 0; i < 300000; i++) print i " |A " i % 7 " 1 |B " i % 9 ":" i }' >many.ctf
gzip -k many.ctf
expect 0 convert --threads 1 many.ctf many1.cbf
expect 0 hash --threads 1 many.ctf
cp out one
for threads in 2 3 9; do
	expect 0 convert -f --threads $threads many.ctf many2.cbf
	cmp -s many1.cbf many2.cbf || fault "expected the same bytes with $threads threads"
	expect 0 hash --threads $threads many.ctf many.ctf.gz
	[ "$(cut -d ' ' -f 1 out one | sort -u | grep -c .)" -eq 1 ] ||
		fault "expected the same hash with $threads threads"
done
expect 2 hash --threads some many.ctf
rm many* one
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

echo "1..$count"
