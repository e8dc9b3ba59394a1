#!/bin/sh
# SPDX-License-Identifier: MIT
# Commands that show and check files: info, head, cat, stats, show, schema, formats, validate, with good and
# bad input, as text and JSON. TAP on standard output.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"
# shellcheck source=tests/cli_data.sh
. "$SHEAF_TESTS/cli_data.sh"
"$sheaf" convert -q words.ctf words.cbf --chunk-bytes 1M

# ---- info, head, cat ----

begin 'info'
expect 0 info words.ctf
has out 'file: words.ctf'
has out 'format: ctf ('
has out "bytes: $(($(wc -c <words.ctf)))"
has out 'sparse  dim 10  float32'
has out 'inferred from'
lacks out 'chunks'
printf '{"a":1}\n' >table.jsonl
expect 0 info table.jsonl
has out 'declaration: inferred from the whole input'
expect 0 info words.cbf
has out 'sequences: 2'
has out 'samples: 3'
has out 'chunks: 1'
lacks out 'inferred'
empty err
end

begin 'info and its look for errors share --max-memory'
awk 'BEGIN { for (r = 0; r < 2; r++) { for (i = 0; i < 100000; i++) printf "%sc%d", i ? "," : "", i; print "" } }' \
	>wide.csv
peak='import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)'
found=$(python3 -c "$peak" "$sheaf" info --header yes --max-memory 64M wide.csv)
grep -q __asan_init "$sheaf" || [ "$found" -lt 84 ] || fault "expected less than 84 MiB, found $found"
rm wide.csv
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
expect 1 info --stream A:1:dense --allow missing flaws.ctf
has out 'errors: 4 (not a number 2, empty row 2); left out with --max-errors, see sheaf validate'
expect 1 info --json --stream A:1:dense --allow missing flaws.ctf
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
	has err 'sheaf: error: cannot open nosuch.ctf'
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
has out 'samples in a sequence: 1 to 2, mean 1.5; p50 1.5, p95 1.95, p99 1.99'
has out 'standard deviation'
lacks out '#####'
LC_ALL=C expect 0 stats --draw words.ctf
has out '#########'
has out 'word: 2 sequences down, 10 indices across'
has out '    +-----+'
LC_ALL=C.UTF-8 expect 0 stats --draw words.ctf
has out '█'
has out '┌─────┐'
expect 0 stats --json --draw words.ctf
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
expect 1 report --stream word:5:sparse flawed.ctf flawed.html
has flawed.html '<th scope="row">finding 1</th><td><bdi>flawed.ctf:6:'
has flawed.html '<th scope="row">finding 12</th>'
lacks flawed.html '<th scope="row">finding 21</th>'
end

begin 'report: the encoding of the file is on the card'
printf '\377\376a\000,\000b\000\n\0001\000,\0002\000\n\000' >wide.csv
expect 0 report wide.csv wide.html
has wide.html '<th scope="row">encoding</th><td><bdi>UTF-16LE</bdi>'
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
has err '--svg: JSON has no charts; leave out --json or --svg'
[ ! -e new.json ] || fault 'expected no numbers where charts were asked for'
far=$(printf '%02043d' 0 | sed 's,0,./,g') # 4,086 bytes
for name in chart longest; do
	expect 2 report -f --svg "$far$name" words.ctf new.html
	has err '--svg: expected a shorter path'
done
end

begin 'show: one row as a picture'
LC_ALL=C expect 0 show --skip 1 words.ctf
has out 'tag: dense, dim 2, float32; samples: '
has out '    +-'
LC_ALL=C.UTF-8 COLUMNS=60 expect 0 show words.ctf
has out '│'
lacks out '\\['
expect 2 show --skip 2 words.ctf
has err 'words.ctf: expected a row with the number 2, counted from 0, found none'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 3 2' '1 1 5' '2 3 7' > two.mtx
expect 0 show --skip 1 two.mtx
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

echo "1..$count"
