#!/bin/sh
# SPDX-License-Identifier: MIT
# SciDB binary files as users meet them: what they hold, what is wrong with them, in pipes, in parts and
# merged. TAP on standard output.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"

# ---- data ----

printf '\007\377\054\001\000\000\000\000\000\003\000\000\000hi\000\370\005\000\000\377\002\000\000\000x\000\004\000\000\000abc\000' >sample.scidb
SCHEMA='flatArray<A:int8 NOT NULL,B:int16,C:string,D:string NOT NULL>[row=0:1]'
FORMAT='(int8, int16 null, string null, string)'
# 20000 cells with a string of 0 to 5 bytes, and as many of one size
python3 -c 'import struct,sys
for i in range(20000):
    sys.stdout.buffer.write(struct.pack("<iI", i, i % 6 + 1) + b"y" * (i % 6) + b"\0")' >counted.scidb
python3 -c 'import struct,sys
for i in range(20000):
    there = i % 10 != 0
    sys.stdout.buffer.write(struct.pack("<qBh", i, 255 * there, i % 1000 * there))' >fixed.scidb
COUNTED='(int32, string)'
FIXED='(int64, int16 null)'

# ---- what it is ----

begin 'info: rows, columns, the format string'
expect 0 info --schema "$SCHEMA" sample.scidb
has out 'format: scidb'
has out '  B  values  int16  nullable'
has out '  D  text'
has out 'format string: (int8, int16 null, string null, string)'
expect 0 info --format-string "$FIXED" fixed.scidb
has out 'rows: 20000'
has out 'cell bytes: 11'
expect 0 info --json --format-string "$FIXED" fixed.scidb
json out
has out '"format_string":"(int64, int16 null)","cell_bytes":11'
end

begin 'schema: both forms and the statements'
expect 0 schema --to scidb --format-string "$FORMAT" sample.scidb
has out '(int8, int16 null, string null, string)'
has out 'cells<a0:int8 NOT NULL,a1:int16,a2:string,a3:string NOT NULL> [i=0:*:0:*]'
has out "load(cells, 'sample.scidb', -2, '(int8, int16 null, string null, string)');"
end

begin 'schema: statements for old servers say NULL'
expect 0 schema --to scidb --from scidb --schema 'old<a:int8,b:string NULL>[i=0:9,5,0]' \
	--not-null-default /dev/null
has out 'create array old <a:int8 NOT NULL,b:string NULL> [i=0:9:0:5];'
has out "load(old, '/dev/null', -2, '(int8, string null)');"
end

begin 'an option of one format implies it'
printf '\001\002' >r.bin
expect 0 info --format-string '(int8)' r.bin
has out 'rows: 2'
expect 0 info --schema '<a:int8 not null>[i=0:*]' r.bin
expect 4 info r.bin
has err 'found content of none of them (--from names one)'
printf '|A 1\n' >text.ctf
expect 2 info --format-string '(int8)' text.ctf
has err 'expected an option that format ctf uses'
end

begin 'for an unknown type, the one that was meant is named'
expect 2 cat --format-string '(int8, flaot)' r.bin
has err 'did you mean float?'
expect 2 cat --schema '<a:strng>[i=0:*]' r.bin
has err 'did you mean string?'
expect 2 cat --columns 'a:int46' --from csv r.bin
has err 'did you mean int16?'
expect 2 cat --stream A:1:dence text.ctf
has err 'did you mean dense?'
end

begin 'convert and merge choose the same format for a name, and say which'
expect 0 split --quiet --format-string "$FIXED" fixed.scidb a.scidb b.scidb
expect 0 merge --format-string "$FIXED" a.scidb b.scidb whole.dat
has err 'whole.dat: expected a suffix that names a format (or --to), found .dat; it is written as scidb, of which --format-string is an option'
expect 0 convert --format-string "$FIXED" a.scidb b.scidb other.dat
has err 'found .dat; it is written as scidb'
same whole.dat other.dat
same whole.dat fixed.scidb
expect 0 merge --format-string "$FIXED" a.scidb b.scidb merged.csv
expect 0 convert --format-string "$FIXED" a.scidb b.scidb converted.csv
same merged.csv converted.csv
expect 2 merge text.ctf text.ctf text.parquet
has err 'found .parquet (which is not written; '
rm -f a.scidb b.scidb
end

begin 'without a format string or schema it is not read'
expect 2 cat sample.scidb
has err 'expected --format-string or --schema'
expect 2 cat --format-string '(int8, what)' sample.scidb
has err 'column 8: expected the name of a type'
has err '(int8, ^what)'
expect 2 cat --schema "$SCHEMA" --format-string '(int8)' sample.scidb
has err '--format-string: expected an entry for each of the 4 attributes of --schema, besides those that are skipped, found 1'
end

# ---- rows ----

begin 'what ends the reading also ends it after skipped rows'
head -c 219998 fixed.scidb >cut.scidb
expect 4 cat --format-string "$FIXED" cut.scidb
mv err kept
for k in 1 19998 19999 20000 99999; do
	expect 4 cat --skip $k --format-string "$FIXED" cut.scidb
	same err kept
done
expect 4 cat --format-string '(int64, string)' fixed.scidb
mv err kept
for k in 1 99999; do
	expect 4 head -n 1 --skip $k --format-string '(int64, string)' fixed.scidb
	same err kept
done
end

begin 'cat, head, stats, hash'
expect 0 cat --json --schema "$SCHEMA" sample.scidb
json out
has out '{"row":1,"cells":{"A":-8,"B":{"null":5},"C":"x","D":"abc"}}'
expect 0 head --json --rows 1 --skip 19999 --format-string "$COUNTED" counted.scidb
is out '{"row":19999,"cells":{"a0":19999,"a1":"y"}}'
expect 0 head --json --rows 1 --skip 12345 --format-string "$FIXED" fixed.scidb
is out '{"row":12345,"cells":{"a0":12345,"a1":345}}'
expect 0 stats --format-string "$FIXED" fixed.scidb
expect 0 hash --format-string "$FIXED" fixed.scidb
mv out one
expect 0 hash --threads 2 --format-string "$FIXED" fixed.scidb
same one out
end

begin 'an index finds rows after strings'
expect 0 index --format-string "$COUNTED" --chunk-bytes 1000 counted.scidb
expect 0 index --check --format-string "$COUNTED" counted.scidb
expect 0 head --json --rows 1 --skip 15000 --index require --format-string "$COUNTED" counted.scidb
is out '{"row":15000,"cells":{"a0":15000,"a1":""}}'
expect 4 head --index require --format-string "$FIXED" counted.scidb
rm -f counted.scidb.sheaf-index
end

# ---- what is wrong ----

begin 'validate: cell, attribute, byte'
head -c 30 sample.scidb >cut.scidb
expect 1 validate --schema "$SCHEMA" cut.scidb
has out 'cell 1, attribute "D", byte 27: expected a count of 4 bytes before a value of type string, found 3 to the end of the input; the last cell that makes sense is 0'
expect 1 validate --json --schema "$SCHEMA" cut.scidb
json out
has out '"rule":"end of input","file":"cut.scidb","byte":27,"cell":1,"attribute":"D"'
expect 4 cat --schema "$SCHEMA" cut.scidb
expect 0 cat --json --max-errors 1 --schema "$SCHEMA" cut.scidb
lines out 1
has err '1 error tolerated (end of input 1)'
end

begin 'validate doubts a wrong format string'
expect 0 validate --format-string "$FIXED" fixed.scidb
lacks out 'probably wrong'
expect 1 validate --format-string '(int16, double null)' fixed.scidb
has out 'the format string is probably wrong'
end

# ---- pipes ----

begin 'in and out through pipes'
"$sheaf" convert --quiet --from scidb --to scidb --format-string "$COUNTED" - - <counted.scidb >copy 2>err ||
	fault "convert: $(cat err)"
same copy counted.scidb
"$sheaf" convert --quiet --from scidb --to scidb --max-memory 16M --format-string "$FIXED" - - \
	<fixed.scidb 2>err | cat >copy
same copy fixed.scidb
end

begin 'a huge count in a pipe takes no memory'
printf '\360\377\377\377abc' | "$sheaf" cat --from scidb --format-string '(string)' --max-memory 8M - \
	>out 2>err
[ $? -eq 4 ] || fault "expected exit status 4: $(cat err)"
has err 'expected 4294967280 bytes of type string, found 3 to the end of the input'
end

# ---- other layouts ----

begin 'convert to another format string'
expect 0 convert --quiet --format-string "$FORMAT" \
	--out-format-string '(skip(3), int64, int16 null, string null, string(8))' sample.scidb wide.scidb
expect 0 cat --json --format-string '(skip(3), int64, int16 null, string null, string(8))' wide.scidb
has out '{"row":0,"cells":{"a0":7,"a1":300,"a2":{"null":0},"a3":"hi"}}'
expect 6 convert --quiet --format-string "$FORMAT" --out-format-string '(int8, int16, string null, string)' \
	sample.scidb bad.scidb
has err 'cell 1, attribute "a1": expected a value, since entry 2 is not null, found null, reason 5'
[ ! -e bad.scidb ] || fault 'expected no output, found one'
expect 2 convert --quiet --format-string "$FORMAT" --out-format-string '(int8, intt)' sample.scidb bad.scidb
has err 'sheaf: error: --out-format-string: column 8: expected the name of a type'
expect 0 diff --schema "$SCHEMA" sample.scidb sample.scidb
end

# ---- parts ----

begin 'split and merge: the same bytes'
for kind in counted fixed; do
	format=$COUNTED
	[ $kind = fixed ] && format=$FIXED
	expect 0 split --format-string "$format" --parts 7 $kind.scidb part
	lines out 7
	has out 'part.0: 2858 rows'
	has out 'part.6: 2857 rows'
	expect 0 merge --quiet --from scidb --format-string "$format" part.0 part.1 part.2 part.3 part.4 \
		part.5 part.6 whole
	empty out
	same whole $kind.scidb
	expect 0 split --quiet --format-string "$format" $kind.scidb a b
	empty out
	cat a b >both
	same both $kind.scidb
	rm -f part.* a b both whole
done
end

begin 'split: more parts than rows, nothing to split, rows that are not whole, other formats'
expect 0 split --schema "$SCHEMA" --parts 3 sample.scidb part
has out 'part.0: 1 row'
has out 'part.2: 0 rows'
[ ! -s part.2 ] || fault 'expected an empty part'
rm -f part.*
expect 4 split --schema "$SCHEMA" --parts 2 cut.scidb part
has err 'found 3 to the end of the input'
[ ! -e part.0 ] || fault 'expected no parts, found some'
expect 2 split --schema "$SCHEMA" --parts 0 sample.scidb part
expect 2 split --schema "$SCHEMA" --parts 2 sample.scidb a b
printf '0 |x 1\n' >x.ctf
expect 6 split --parts 2 x.ctf part
has err 'part.1: expected at least one sequence, since an empty file is invalid in this format, found none'
[ ! -e part.0 ] || fault 'expected no parts, found some'
end

begin 'merge: a cell that is not whole would shift the others'
expect 4 merge --from scidb --format-string "$FORMAT" cut.scidb sample.scidb whole
[ ! -e whole ] || fault 'expected no output, found one'
cp sample.scidb first.scidb
"$sheaf" merge --quiet --from scidb --format-string "$FORMAT" - sample.scidb whole <first.scidb 2>err ||
	fault "merge: $(cat err)"
cat sample.scidb sample.scidb >both
same whole both
end

# ---- places ----

begin 'rows in any order are written where their coordinates say'
PLACES='<v:int32,s:string NOT NULL>[i=0:99:0:30; j=5:54:0:7]'
python3 -c 'import random
rows = [(i, j) for i in range(100) for j in range(5, 55)]
line = lambda i, j: "%d,t%s,%d,%d\n" % (i * j, "x" * (i % 7), i, j)
chunks = [(i, j) for i in range(0, 100, 30) for j in range(5, 55, 7)]
inside = lambda ci, cj: [(i, j) for i in range(ci, min(100, ci + 30)) for j in range(cj, min(55, cj + 7))]
ordered = [place for chunk in chunks for place in inside(*chunk)]
open("ordered.csv", "w").write("v,s,i,j\n" + "".join(line(*p) for p in ordered))
random.Random(1).shuffle(rows)
open("any.csv", "w").write("v,s,i,j\n" + "".join(line(*p) for p in rows))
open("some.csv", "w").write("v,s,i,j\n" + "".join(line(*p) for p in rows if p != (3, 17)))'
expect 0 convert --quiet --schema "$PLACES" --dimensions ordered.csv ordered.scidb
expect 0 convert --quiet --schema "$PLACES" --dimensions any.csv any.scidb
same any.scidb ordered.scidb
expect 0 convert -f --quiet --max-memory 4M --schema "$PLACES" --dimensions any.csv any.scidb
same any.scidb ordered.scidb
expect 0 head -n 1 --schema "$PLACES" --dimensions any.scidb
is out '0  i 0  j 5  v 0  s "t"'
end

begin 'cells that no row has, or two, or that are not in the array'
expect 6 convert --schema "$PLACES" --dimensions some.csv some.scidb
has err 'found none for {3, 17}; --fill-cells writes null, or 0'
[ ! -e some.scidb ] || fault 'expected no output, found one'
expect 0 convert --quiet --schema "$PLACES" --dimensions --fill-cells some.csv some.scidb
expect 0 cat --schema "$PLACES" --dimensions some.scidb
lines out 5000
has out '  i 3  j 17  v null  s ""'
(cat any.csv && tail -n 1 any.csv) >twice.csv
expect 4 convert --schema "$PLACES" --dimensions twice.csv twice.scidb
has err ': expected each cell once, found {'
printf 'i,j,v,s\n1,4,1,x\n' >outside.csv
expect 6 convert --schema "$PLACES" --dimensions outside.csv outside.scidb
has err 'row 0: expected coordinates within the dimensions of --schema, found {1, 4}'
expect 2 convert --schema '<a:int8>[i=0:9:0:3]' --dimensions outside.csv outside.scidb
expect 2 convert --schema '<i:int64,j:int64,v:int64,s:string>[c=0:*]' --fill-cells outside.csv outside.scidb
has err '--fill-cells: expected --dimensions'
printf 'i,v,s\n1,4,x\n' >narrow.csv
expect 2 convert --schema "$PLACES" --dimensions narrow.csv narrow.scidb
has err 'expected a column of int64, never missing, for dimension "j", found none'
expect 5 convert --max-memory 4M --schema '<v:int8,s:string>[i=0:99999:0:1000; j=0:99999:0:1000]' \
	--dimensions --fill-cells outside.csv outside.scidb
has err 'expected empty cells that fit the memory limit'
end

begin 'a dimension that goes on after the last row has its last cells empty'
printf 'i,v\n0,1\n1,2\n2,3\n' >short.csv
expect 0 convert --quiet --schema '<v:int64 NOT NULL>[i=0:5:0:2]' --dimensions short.csv short.scidb
[ "$(wc -c <short.scidb)" -eq 24 ] || fault 'expected 3 cells'
expect 0 cat --schema '<v:int64 NOT NULL>[i=0:5:0:2]' --dimensions short.scidb
lines out 3
end

# ---- columns and attributes ----

begin 'columns become the attributes of their names, in any order'
printf 'lat,lon,at\n1.5,2.5,x\n' >ll.csv
expect 0 convert --strict --to scidb \
	--schema '<at:string NOT NULL,lat:double NOT NULL,lon:double NOT NULL>[i=0:*]' ll.csv ll.bin
empty err
expect 0 cat --from scidb --format-string '(string,double,double)' ll.bin
is out '0  a0 "x"  a1 1.5  a2 2.5'
expect 0 convert -f --strict --to scidb \
	--schema '<lon:double NOT NULL,at:string,lat:double NOT NULL>[i=0:*]' \
	--out-format-string '(float, skip(2), string null, double)' ll.csv ll.bin
expect 0 cat --from scidb --format-string '(float,skip(2),string null,double)' ll.bin
is out '0  a0 2.5  a1 "x"  a2 1.5'
printf 'lat,lon,i\n1.5,2.5,0\n' >placed.csv
expect 0 convert -f --strict --to scidb --schema '<lon:double NOT NULL,lat:double NOT NULL>[i=0:9]' \
	--dimensions placed.csv ll.bin
expect 0 cat --from scidb --format-string '(double,double)' ll.bin
is out '0  a0 2.5  a1 1.5'
end

begin 'columns of other names are taken by position, with a warning'
OTHERS='<x:double NOT NULL,lon:double NOT NULL,at:string NOT NULL>[i=0:*]'
expect 0 convert -f --to scidb --schema "$OTHERS" ll.csv ll.bin
has err 'll.bin: attribute "x": expected a column of its name, as --schema has it, found column "lat"; it is taken by its position'
has err '1 warning (column of another name 1)'
expect 0 cat --from scidb --format-string '(double,double,string)' ll.bin
is out '0  a0 1.5  a1 2.5  a2 "x"'
rm ll.bin
expect 4 convert -f --strict --to scidb --schema "$OTHERS" ll.csv ll.bin
has err 'found column "lat"'
[ ! -e ll.bin ] || fault 'expected no output, found one'
expect 2 convert -f --to scidb --schema '<lat:double,lon:double>[i=0:*]' ll.csv ll.bin
has err 'expected an entry for each of the 3 columns'
end

begin 'a tensor becomes a dense array'
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.5\n2 1 2\n3 2 -1\n' >sym.mtx
MATRIX='<v:double NOT NULL>[i=0:2:0:2; j=0:2:0:2]'
expect 0 convert --quiet --schema "$MATRIX" --dimensions --fill-cells sym.mtx sym.scidb
expect 0 convert --quiet --from scidb --schema "$MATRIX" --dimensions --coordinates i,j sym.scidb sym.npy
expect 0 cat sym.npy
has out '2 1  -1'
end

begin 'a time that NumPy takes for a missing one'
printf '\0\0\0\0\0\0\0\200' >first.scidb
expect 6 convert --format-string '(datetime)' --from scidb first.scidb first.npy
has err 'expected a time other than the smallest number of seconds'
expect 0 convert --allow loss --format-string '(datetime)' --from scidb first.scidb first.npy
has err 'it is read back as a missing time'
end

echo "1..$count"
