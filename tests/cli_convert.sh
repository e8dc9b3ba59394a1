#!/bin/sh
# SPDX-License-Identifier: MIT
# Commands on contents: convert, index, diff, hash, with good and bad input. TAP on standard output.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"
# shellcheck source=tests/cli_data.sh
. "$SHEAF_TESTS/cli_data.sh"

# ---- convert, diff, hash ----

begin 'convert: there and back'
expect 0 convert plain.ctf plain.cbf
empty out
empty err
expect 0 convert plain.cbf back.ctf
expect 0 diff --compare keys --strict plain.ctf back.ctf
expect 0 diff --compare keys --strict plain.ctf plain.cbf
is out 'plain.ctf and plain.cbf are equal'
expect 0 hash --compare keys plain.ctf plain.cbf back.ctf
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
expect 1 diff --compare keys words.ctf words.cbf
has out 'sequence 1: key 5 | key 1'
expect 0 diff words.ctf words.cbf
end

begin 'convert: loss is refused, or allowed and named'
expect 0 convert --allow missing missing.ctf missing.cbf
expect 6 convert missing.cbf x.ctf
has err 'loss'
[ ! -e x.ctf ] || fault 'expected no output'
expect 0 convert --allow loss missing.cbf x.ctf
has err 'sheaf: loss: '
has err 'sheaf: missing.cbf: 1 kind of loss allowed ('
[ -s x.ctf ] || fault 'expected an output'
end

begin 'what no input can be is refused by its name'
ln -s loop.ex.gz loop.ex.gz
expect 3 convert loop.ex loop.bex
has err 'cannot open loop.ex.gz'
printf '|x 1\n' | "$sheaf" merge - missing.ctf joined.jsonl 2>err && fault 'expected a refusal'
has err 'error: -: expected an input whose rows can be copied unchanged, found another'
printf '{"n%01100d":1}\n' 0 >long.jsonl
expect 6 convert long.jsonl long.npz
has err 'columns: expected names of at most 1000 bytes, found a longer name'
expect 6 convert --layout coo "$SHEAF_TESTS/files/npy/good-scalar.npy" scalar.npz
has err 'expected a tensor of at least one dimension, found 0'
end

begin 'convert: a note if rows become another kind of rows'
printf '|x 1 2\n|x 3 4\n' >change.ctf
expect 0 convert change.ctf change.mtx
has err 'sheaf: note: change.ctf: sequences become entries of a tensor'
expect 0 convert -q change.mtx change.cbf
[ ! -s err ] || fault "expected nothing, found $(cat err)"
rm change.*
end

begin 'a column that has no place is lost, also where all its cells are missing'
printf 'a,t\n1,\n2,\n' >hollow.csv
for out in hollow.cbf hollow.ctf hollow.h5; do
	expect 6 convert hollow.csv $out
	has err 'row 0, column "t"'
	has err 'column that is not numeric (2)'
	[ ! -e $out ] || fault "expected no $out"
done
expect 0 convert --allow loss hollow.csv hollow.cbf
expect 1 diff hollow.csv hollow.cbf
has out 'column "t": such a column | none'
rm hollow.*
end

begin 'diff: a table and the sequences that it became are equal, as are an array and the table of its entries'
printf 'a,b\n5,1.5\n6,\n' >gaps.csv
printf 'a,b\n5,1.5\n6,2.5\n' >cells.csv
for out in cells.cbf cells.ctf cells.h5 cells.jsonl; do
	expect 0 convert -qf cells.csv $out
	expect 0 diff cells.csv $out
	expect 0 diff $out cells.csv
	expect 1 diff gaps.csv $out
done
expect 0 convert --columns a -q cells.csv vector.npy
for out in vector.csv vector.tsv vector.jsonl; do
	expect 0 convert -q vector.npy $out
	expect 0 diff vector.npy $out
	expect 0 diff $out vector.npy
done
rm cells.* gaps.csv vector.*
end

begin 'names above no rows are read as names, or a warning says how'
for names in a,b '1,2' '"1","2"' null 2020-01-05,a '1.5,x,y' '"sep=;"' '"x,y",|z' 'na,Na' '=1,#c'; do
	for out in headed.csv headed.tsv; do
		printf '%s\n' "$names" >names.csv
		expect 0 convert --header yes names.csv headed.npz
		expect 0 convert headed.npz "$out"
		if grep -q 'read them back with --header yes' err; then how='--header yes'; else how=; fi
		expect 0 convert $how "$out" again.npz
		cmp headed.npz again.npz || fault "expected the same names in $out, found others: $names"
		rm names.csv headed.* again.npz
	done
done
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
expect 0 index --chunk-bytes 64K indexed.ctf
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
expect 2 index --chunk-bytes many words.ctf
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
expect 2 diff --delimiter comma plain.ctf other.ctf
has err '--delimiter: expected an option that the format of one of the files uses, found one that neither uses'
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

begin 'a table whose first name begins with a bar stays a table'
printf '{"|x":1.5}\n{"|x":-2}\n' >bar.jsonl
for out in bar.csv bar.tsv; do
	expect 0 convert bar.jsonl $out
	expect 0 diff bar.jsonl $out
done
end

begin 'what diff calls equal has one hash, in whichever order entries come'
printf '0 |x 0:1 1:2 2:3\n1 |x 4:1\n' >rising.ctf
printf '0 |x 2:3 0:1 1:2\n1 |x 4:1\n' >mixed.ctf
printf '0 |x 1 2 3\n' >all.ctf
printf '0 |x 2:3 0:1 1:2\n' >entries.ctf
for pair in 'rising.ctf mixed.ctf' 'all.ctf entries.ctf'; do
	expect 0 diff $pair
	expect 0 hash $pair
	[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 1 ] || fault "$pair: expected equal hashes"
done
end

begin 'diff --strict, hash --strict: types count'
expect 0 convert --element-type double plain.ctf double.cbf
expect 0 diff plain.ctf double.cbf
expect 1 diff --strict plain.ctf double.cbf
expect 0 hash plain.ctf double.cbf
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 1 ] || fault 'expected equal hashes'
expect 0 hash --strict plain.ctf double.cbf
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 2 ] || fault 'expected different hashes'
end

begin 'diff and hash: --compare types alone, and warnings with --strict'
expect 1 diff --compare types plain.ctf double.cbf
expect 0 hash --compare types plain.ctf double.cbf
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 2 ] || fault 'expected different hashes'
printf '%s\n' 'a,a' '1,2' >twice.csv
expect 0 diff --compare types twice.csv twice.csv
has err 'warning: twice.csv'
expect 4 diff --strict twice.csv twice.csv
expect 0 hash --compare types twice.csv
expect 4 hash --strict twice.csv
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
expect 0 hash --compare keys words.ctf words.cbf
[ "$(cut -d ' ' -f 1 out | sort -u | wc -l)" -eq 2 ] || fault 'expected keys to count'
end

# A file and a pipe must give the same output and messages, whatever follows the first part.
begin 'convert: streams that the first part does not show'
awk 'BEGIN { for (i = 0; i < 90000; i++) print "|A " i % 7 " 1.5 |B " i % 9 ":1 12:2" }' >first.ctf
while IFS='|' read -r what lines; do
	printf '%b' "$lines" | tr : '|' | sed 's/\([0-9]\)|/\1:/g' | cat first.ctf - first.ctf >later.ctf
	"$sheaf" convert -f --index never later.ctf later.cbf >out 2>err
	status=$?
	"$sheaf" convert -f --to cbf - piped.cbf <later.ctf >out 2>piped
	[ $? -eq $status ] || fault "$what: expected the status of a pipe, found $status"
	sed 's/(stdin)/later.ctf/g; s/^sheaf: -:/sheaf: later.ctf:/; s/piped\.cbf/later.cbf/g' piped | cmp -s - err ||
		fault "$what: expected the messages of a pipe, found $(cat err piped)"
	[ $status -ne 0 ] || cmp -s later.cbf piped.cbf || fault "$what: expected the bytes of a pipe"
	[ $status -eq 0 ] || [ ! -e later.cbf ] || fault "$what: expected no output"
	rm -f later.cbf piped.cbf
	"$sheaf" convert -f --index never --rows 10 later.ctf later.cbf >out 2>err
	status=$?
	"$sheaf" convert -f --rows 10 --to cbf - piped.cbf <later.ctf >out 2>piped
	[ $? -eq $status ] || fault "$what, 10 rows: expected the status of a pipe, found $status"
	[ $status -ne 0 ] || cmp -s later.cbf piped.cbf || fault "$what, 10 rows: expected the bytes of a pipe"
	rm -f later.cbf piped.cbf
done <<-'END'
	nothing new|
	a larger index|:A 1 2 :B 13:4\n
	more values|:A 1 2 3 :B 1:4\n
	another stream|:A 1 2 :C 1 :B 1:4\n
	a dense stream that is sparse|:A 0:2 :B 1:4\n
	rounded values|:A 1.2345678901 2 :B 1:4\n
	a warning|:A 1 2 :B 1:4 2:1e40\n
	a warning, then a larger index|:A 1 2 :B 1:1e40\n:A 1 2 :B 99:1\n
	an error|:A 1 x :B 1:4\n
	an error, then a larger index|:A 1 x :B 1:4\n:A 1 2 :B 99:1\n
	fewer values|:A 1 :B 1:4\n
	an empty line|\n
END
printf '|A 1 2 |B 1:1e40\n' | cat - first.ctf >later.ctf
(
	ulimit -f 100
	trap '' XFSZ
	"$sheaf" convert --index never later.ctf later.cbf >out 2>err
)
[ $? -eq 3 ] || fault 'expected exit status 3 where the disk is full'
has err 'later.ctf:1:13'
rm first.ctf later.ctf piped
end

begin 'a column without a name, as JSON and Arrow have it, comes back'
echo '{"":1,"b":2}' >nameless.jsonl
echo '{"key":0,"streams":{"":[[1],[2]]}}' >stream.jsonl
expect 0 hash nameless.jsonl stream.jsonl
cp out hashes
for to in arrow jsonl npz; do
	expect 0 convert nameless.jsonl first.$to
	expect 0 hash first.$to stream.jsonl
	[ "$(cut -d ' ' -f 1 out)" = "$(cut -d ' ' -f 1 hashes)" ] || fault "$to: expected the same hash"
done
expect 0 convert --layout declared nameless.jsonl first.jsonl -f
expect 0 diff --strict nameless.jsonl first.jsonl
expect 0 convert stream.jsonl second.arrow
expect 0 hash nameless.jsonl second.arrow
[ "$(cut -d ' ' -f 1 out)" = "$(cut -d ' ' -f 1 hashes)" ] || fault 'arrow: expected the same hash'
rm nameless.jsonl stream.jsonl first.* second.* hashes
end

begin 'what could not be read back is refused, or a warning says so'
printf '{"a":{"base64":"/w=="}}\n{"a":"x"}\n' >bytes.jsonl
for to in csv tsv; do
	expect 6 convert bytes.jsonl bytes.$to
	has err "bytes.$to: row 0: column \"a\": expected text in UTF-8, found byte 0xff (JSON lines keep"
done
printf 'a,b\n' >empty.csv
expect 2 convert --header yes --layout bare empty.csv empty.jsonl
has err '--layout bare: without rows, nothing but a first line that declares the columns shows them'
echo '{"key":0,"streams":{"a":[[1],[2]]}}' >stream.jsonl
expect 0 convert --layout bare stream.jsonl bare.jsonl
has err 'found rows alone, which do not show the types and dimensions; --layout declared writes that line'
rm bytes.* empty.* stream.jsonl bare.jsonl
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

begin 'lists reach JSON lines as they are'
given=$SHEAF_TESTS/files/arrow/good-nested-lists.arrow
expect 0 convert "$given" nested.jsonl
has err 'expected streams, or one item in each column, found lists beside items'
has nested.jsonl '{"i":[[1,2],null,[]],"t":["a",null],"f":[["a","b"],["c","d"]],"h":[1.5],"d":["z"],"n":[null]}'
has nested.jsonl '{"i":null,"t":[],"f":null,"h":[],"d":[],"n":null}'
expect 6 convert -f --layout declared "$given" nested.jsonl
has err '--layout declared: it declares streams'
expect 0 convert "$given" nested.npz
expect 0 head "$given"
has out '0  i [1 2] null []  t "a" null  f [["a" "b"] ["c" "d"]]  h [1.5]  d "z"  n null'
expect 0 diff "$given" nested.npz
expect 0 convert "$SHEAF_TESTS/files/arrow/good-structs.arrow" structs.jsonl
has structs.jsonl '{"s.x":1,"s.t.y":"a","s.t.z":[true],"b":7}'
end

begin 'lists with missing entries: kept by Arrow and NPZ, a loss by name elsewhere, counted as missing'
for kind in lists samples lists-that-cover vectors; do
	given=$SHEAF_TESTS/files/arrow/good-missing-$kind.arrow
	for to in kept.arrow kept.arrows kept.npz; do
		expect 0 convert -q -f "$given" $to
		expect 0 diff "$given" $to
		expect 0 hash "$given" $to
		cut -c 1-32 out | uniq >hashes
		lines hashes 1
	done
	expect 0 cat --json "$given"
	mv out wanted
	"$sheaf" cat --json - <"$given" >out || fault 'expected rows from a pipe'
	cmp -s out wanted || fault "$kind: expected the same rows from a pipe"
	expect 6 convert -q "$given" never.ctf
	has err 'expected none, since the format has no place for it'
	expect 6 convert -q "$given" never.csv
	has err 'some of its lists, samples or values are missing'
	expect 2 batches --pack rows "$given"
	has err 'some of whose samples are missing'
done
expect 0 stats "$SHEAF_TESTS/files/arrow/good-missing-vectors.arrow"
has out 'column v: samples of dim 2, int8, of which some are missing'
has out 'missing: 2; with a code: 0; values: 3;'
expect 0 info "$SHEAF_TESTS/files/arrow/good-missing-vectors.arrow"
has out '  v  values  dim 2  int8  nullable'
[ ! -e never.csv ] && [ ! -e never.ctf ] || fault 'expected no output'
end

begin 'rows that are filled have a bounded number of cells for each byte'
awk 'BEGIN { for (i = 0; i < 4000; i++) printf "%sc%d", i ? "," : "", i; for (i = 0; i < 4000; i++) print "\n" i }' |
	grep . >filled.csv
expect 5 cat --fill filled.csv
has err 'rows: expected at most 64 cells for each byte, found '
expect 0 cat --rows 0:2 --fill --allow large filled.csv
rm filled.csv
end

begin 'a column called CDF is no netCDF file'
printf 'CDF\tx\n1\t2\n' >cdf.tsv
expect 0 cat cdf.tsv
is out '0  CDF 1  x 2'
rm cdf.tsv
end

echo "1..$count"
