#!/bin/sh
# SPDX-License-Identifier: MIT
# Tensors as users meet them, whatever the format: shown, expanded, compared, hashed, described, their
# structure found, made of tables and sequences and into them. TAP on standard output.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"

printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n' >one.mtx

# ---- data ----

matrix() {
	printf '%%%%MatrixMarket matrix coordinate %s\n' "$1"
	shift
	printf '%s\n' "$@"
}
matrix 'real general' '3 3 5' '1 1 2' '3 1 5' '1 3 5' '2 3 1' '3 2 1' >a.mtx
matrix 'real general' '3 3 5' '3 2 1' '2 3 1' '1 1 2' '3 1 5' '1 3 5' >shuffled.mtx
matrix 'real symmetric' '3 3 3' '1 1 2' '3 1 5' '3 2 1' >symmetric.mtx
matrix 'real skew-symmetric' '3 3 2' '2 1 4' '3 1 5' >skew.mtx
matrix 'real general' '3 3 5' '1 1 2' '3 1 5' '1 3 5' '2 3 1' '3 2 4' >other.mtx
matrix 'complex general' '2 2 3' '1 1 1 0' '2 1 2 3' '1 2 2 -3' >hermitian.mtx
matrix 'real general' '2 3 4' '1 3 1' '2 1 2' '1 3 3' '2 1 4' >twice.mtx
printf 'i,j,x,name\n0,2,1.5,a\n1,0,2.5,b\n0,1,3.5,c\n' >table.csv

# ---- shown ----

begin 'show: complex values are no sequences'
expect 6 show hermitian.mtx
has err 'expected a tensor of numbers, none missing, since its rows are to be sequences, found complex values'
end

begin 'cat --expand: zeros of an array stay'
printf '%%%%MatrixMarket matrix array real general\n2 2\n0\n1\n2\n0\n' >array.mtx
expect 0 cat --expand array.mtx
is out '0 0  0
1 0  1
0 1  2
1 1  0'

begin 'entries that cannot be read are left out, as many as --max-errors says; values never'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 4' '1 1 2.5' 'x 2 1' '3 9 4' \
	'2 2 7' >wrong.mtx
printf '%s\n' '1 1 1 2' '1 2 z 4' '2 2 2 5' >wrong.tns
expect 4 cat wrong.mtx
expect 4 cat --max-errors 1 wrong.mtx
expect 0 cat --max-errors 2 wrong.mtx
is out '0 0  2.5
1 1  7'
has err 'the entry is left out'
expect 0 convert --max-errors 2 wrong.mtx right.mtx
expect 0 cat right.mtx
lines out 2
expect 4 cat wrong.tns
expect 0 convert --max-errors 1 wrong.tns right.tns
expect 0 cat right.tns
is out '0 0 0  2
1 1 1  5'
expect 1 validate wrong.mtx
has out 'wrong.mtx: 2 violations'
sed 's/^3 3 4/3 3 5/' wrong.mtx >short.mtx
expect 4 cat --max-errors 9 short.mtx
has err 'short.mtx: expected 5 entries'
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 x 3 4 >array.mtx
expect 4 cat --max-errors 9 array.mtx
end

begin 'cat: entries as they are stored, and with those that the structure implies'
expect 0 cat symmetric.mtx
is out '0 0  2
2 0  5
2 1  1'
expect 0 cat --expand symmetric.mtx
is out '0 0  2
2 0  5
0 2  5
2 1  1
1 2  1'
expect 0 cat --expand --json skew.mtx
json out
has out '"entries":[[[1,0],4],[[0,1],-4],[[2,0],5],[[0,2],-5]]'
end

begin 'an upper triangle goes into a file of lower ones as the opposites that it implies'
for values in 'integer skew_symmetric 7 -7' 'real skew_symmetric 0.5 -0.5' \
	'integer skew_symmetric 9223372036854775807 -9223372036854775807' \
	'complex skew_symmetric 1 2 -1 -2' 'complex hermitian 1 2 1 -2' 'integer symmetric 7 7'; do
	# shellcheck disable=SC2086
	set -- $values
	below=$3 above=$4
	[ $# -eq 4 ] || below="$3 $4" above="$5 $6"
	matrix "$1 general" '2 2 2' "2 1 $below" "1 2 $above" >whole.mtx
	expect 0 convert -f --structure "$2_upper" whole.mtx triangle.mtx
	is triangle.mtx "$(matrix "$1 $(echo "$2" | tr _ -)" '2 2 1' "2 1 $below")"
	expect 0 diff whole.mtx triangle.mtx
done
end

begin 'info: what is known of a tensor without reading all of it'
expect 0 info symmetric.mtx
has out 'tensor: coordinate, 3 x 3, float64, symmetric_lower, 3 stored'
expect 0 info --json symmetric.mtx
json out
has out '"shape":[3,3],"type":"float64","complex":false,"dense":false,"iso":false,"structure":"symmetric_lower"'
end

begin 'stats: slices, diagonal, bandwidth and symmetry of a matrix'
expect 0 stats a.mtx
has out 'tensor: 3 x 3, general; entries with those that the structure implies: 5; density: 0.555556'
has out 'dimension i: 3, of them with entries: 3'
has out 'diagonal: 1; bandwidth: 2 below, 2 above'
has out 'symmetry: pattern yes; values symmetric'
expect 0 stats --json other.mtx
json out
has out '"symmetry":{"pattern":true,"values":"none","pattern_share":1,"value_share":0.5}'
expect 0 stats skew.mtx
has out 'symmetry: pattern yes; values skew_symmetric'
expect 0 stats hermitian.mtx
has out 'symmetry: pattern yes; values hermitian'
end

# ---- compared ----

begin 'diff and hash: the order of entries and the structure do not count'
expect 0 diff a.mtx shuffled.mtx
expect 0 diff a.mtx symmetric.mtx
expect 1 diff other.mtx symmetric.mtx
has out '(2,1): 4 | 1'
expect 1 diff --json other.mtx symmetric.mtx
json out
has out '{"entry":"(2,1)","a":"4","b":"1"}'
expect 1 diff a.mtx twice.mtx
has out 'shape (3,3) | shape (2,3)'
expect 1 diff a.mtx skew.mtx
has out '(0,0): 2 | none'
expect 0 hash a.mtx shuffled.mtx symmetric.mtx
cut -c 1-32 out | uniq >hashes
lines hashes 1
end

begin 'diff and hash: a dense triangle is what it becomes in any other storage'
printf '%%%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n0\n' >triangle-s.mtx
printf '%%%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n0\n' >triangle-k.mtx
printf '%%%%MatrixMarket matrix array complex hermitian\n3 3\n1 0\n2 1\n0 0\n4 0\n1 1\n0 0\n' >triangle-h.mtx
for kind in s k h; do
	for to in triangle.npy triangle.npz triangle.h5 triangle.mtx; do
		expect 0 convert triangle-$kind.mtx $to
		expect 0 diff triangle-$kind.mtx $to
		expect 0 hash triangle-$kind.mtx $to
		cut -d' ' -f1 out | sort -u | wc -l >digests
		is digests 1
	done
	for layout in COO CSR DMAT DMATC; do
		expect 0 convert --layout $layout triangle-$kind.mtx triangle.h5
		expect 0 diff triangle-$kind.mtx triangle.h5
	done
done

begin 'diff of a tensor and sequences: these are taken as a tensor'
expect 0 convert --quiet a.mtx a.ctf
expect 0 diff a.mtx a.ctf --stream value:3:sparse
expect 0 diff a.ctf a.mtx --stream value:3:sparse
end

# ---- converted ----

begin 'convert: a structure is found, kept, expanded and refused'
expect 0 convert --structure auto a.mtx found.mtx
has found.mtx 'real symmetric'
has found.mtx '3 3 3'
expect 0 diff a.mtx found.mtx
expect 0 convert -f --structure auto other.mtx found.mtx
has found.mtx 'real general'
expect 0 convert -f --structure auto hermitian.mtx found.mtx
has found.mtx 'complex hermitian'
expect 0 diff hermitian.mtx found.mtx
expect 0 convert --structure general symmetric.mtx general.mtx
has general.mtx '3 3 5'
expect 4 convert --structure skew_symmetric_lower a.mtx refused.mtx
has err 'a.mtx: expected a skew_symmetric_lower matrix, found one that is symmetric_lower'
end

begin 'convert: entries of one position are refused, summed, or the last one counts'
expect 4 convert twice.mtx twice.ctf
has err 'expected each position once, found (0,2) twice (--duplicates sum or last makes one of them)'
expect 0 convert --duplicates sum twice.mtx once.mtx
has once.mtx '2 3 2'
has once.mtx '1 3 4'
expect 0 convert -f --duplicates last twice.mtx once.mtx
has once.mtx '2 1 4'
end

begin 'convert: rows of a matrix are sequences, and sequences a matrix'
expect 0 convert --quiet symmetric.mtx rows.ctf
is rows.ctf '|value 0:2 2:5
|value 2:1
|value 0:5 1:1'
expect 0 convert rows.ctf --stream value:3:sparse back.mtx
expect 0 diff a.mtx back.mtx
expect 0 convert --max-memory 64M --threads 1 shuffled.mtx --to ctf --quiet sorted.ctf
same rows.ctf sorted.ctf
end

begin 'convert: a dense array is rows, zeros and all'
matrix 'real general' '3 2 1' '2 2 5' >few.mtx
expect 0 convert few.mtx few.npy
expect 0 convert --quiet few.npy few.ctf
has few.ctf ' 0 5'
lines few.ctf 3
expect 0 hash few.mtx few.npy
cut -c 1-32 out | uniq >hashes
lines hashes 1
end

begin 'batches: rows of a matrix'
expect 0 convert --quiet a.mtx a.cbf
expect 0 batches --json --size 1 a.cbf
lines out 3
end

begin '--matrix: a table of numbers is a matrix, and a matrix such a table'
printf 'x,y,z\n1,2,3.5\n4,5,nan\n' >m.csv
expect 0 cat --matrix m.csv
is out '0 0  1
0 1  2
0 2  3.5
1 0  4
1 1  5
1 2  nan'
expect 0 convert --matrix m.csv m.npy
expect 0 diff --matrix m.csv m.npy
expect 0 convert --matrix m.npy wide.csv
is wide.csv 'a0,a1,a2
1,2,3.5
4,5,nan'
expect 0 convert --matrix --out-header no m.npy wide.csv
is wide.csv '1,2,3.5
4,5,nan'
expect 0 convert --matrix m.csv m.mtx
expect 0 convert --matrix m.mtx wide.csv
is wide.csv 'a0,a1,a2
1,2,3.5
4,5,nan'
printf 'i,j,v\n2,1,7\n0,0,5\n' >entries.csv
expect 0 convert --matrix --coordinates i,j entries.csv wide.csv
is wide.csv 'a0,a1
5,0
0,0
0,7'
expect 0 convert --matrix wide.csv long.csv
is long.csv 'i,j,value
0,0,5
0,1,0
1,0,0
1,1,0
2,0,0
2,1,7'
printf '1 |a 1 2\n2 |a 3 4\n' >rows.ctf
expect 0 convert --quiet --matrix rows.ctf wide.csv
is wide.csv 'a0,a1
1,2
3,4'
printf 'a,b\n1,true\n2,false\n' >mixed.csv
expect 0 convert --matrix mixed.csv mixed.npy
expect 0 cat mixed.npy
is out '0 0  1
0 1  1
1 0  2
1 1  0'
printf 'a,b\n' >none.csv
expect 0 convert --matrix none.csv none.npy
expect 0 info --json none.npy
has out '"shape":[0,2]'

begin '--matrix: tables that are not matrices, and what is lost'
printf 'a,b\n1,x\n' >text.csv
expect 6 convert --matrix text.csv m.npy
has err 'column "b": expected numbers, since the table is to be a matrix, found text; take the other columns alone (--columns NAME,...)'
printf 'a,b\n1,null\n' >null.csv
expect 6 convert --matrix null.csv m.npy
has err 'row 0, column "b": expected a number, since the table is to be a matrix, found null'
expect 0 convert --matrix --allow loss null.csv m.npy
has err 'it is 0'
printf 'a,b\n0.5,9007199254740993\n' >wide.csv
expect 0 cat --quiet --matrix wide.csv
printf 'a,b\n1,9007199254740993\n0,1\n' >int.csv
expect 0 convert --matrix int.csv m.npy
expect 6 convert --matrix --columns 'a:double,b:int64' int.csv m.npy
has err 'row 0, column "b": expected an integer that a double holds, as the other columns have them, found int64'
printf 'i,j,k,v\n0,0,0,1\n' >three.csv
expect 6 convert --matrix --coordinates i,j,k three.csv wide.csv
has err 'matrix: expected a matrix, or a table, found a tensor of 3 dimensions'

begin '--coordinates: columns of a table are coordinates'
expect 0 cat --coordinates i,j --value x table.csv
is out '0 2  1.5
1 0  2.5
0 1  3.5'
expect 0 convert --coordinates i,j --value x table.csv table.mtx
has table.mtx '2 3 3'
expect 0 convert -f --coordinates i,j --value x --shape 4,5 table.csv table.mtx
has table.mtx '4 5 3'
expect 2 cat --coordinates i,z --value x table.csv
has err 'expected a column "z"'
expect 0 diff --coordinates i,j --value x table.csv table.csv
expect 6 convert table.csv refused.mtx
has err 'say which columns are coordinates (--coordinates NAME,...)'
end

begin 'index and schema: in the words of what the file holds'
expect 0 index table.csv
has out 'rows: 3'
has out 'columns: inferred from the whole input'
has out 'bits for each row'
lacks out 'sequences'
lacks out 'samples'
expect 0 index --json a.mtx
json out
has out '"entries":5'
lacks out 'samples'
expect 0 schema table.csv
lacks out '# lens'
rm -f table.csv.sheaf-index a.mtx.sheaf-index
end

begin 'a comment goes through a Binsparse file without becoming a loss'
{ matrix 'real general' '% said by hand' '1 2 1' && echo '1 2 3'; } >comment.mtx
expect 0 convert comment.mtx comment.h5
expect 0 hash comment.mtx comment.h5
[ "$(cut -c1-32 out | sort -u | wc -l)" -eq 1 ] || fault 'expected the same hash'
expect 0 convert comment.h5 comment.npz
empty err
expect 0 convert comment.h5 again.mtx
has again.mtx '% said by hand'
expect 2 cat --dataset none comment.npz
has err 'comment.npz: expected an array none in the archive, found none'
end

begin 'integers that a float does not hold become text with a warning'
{ matrix 'integer general' '1 2 1' && echo '1 2 16777217'; } >wide.mtx
expect 0 convert wide.mtx wide.ctf
has err 'expected an element type that the format records, found float64 values, which it does not; read them back with --element-type double'
expect 0 cat --json --element-type double wide.ctf
has out '16777217'
end

begin 'integers that no float holds are a loss'
{ matrix 'integer general' '1 2 2' && echo '1 1 9007199254740992' && echo '1 2 9007199254740993'; } >large.mtx
for to in ctf cbf; do
	expect 6 convert large.mtx "large.$to"
	has err 'expected values that fit float64, found 1 of int64 that do not'
	has err '(--allow loss writes it anyway)'
	expect 0 convert --allow loss large.mtx "large.$to"
done
grep -v 93 large.mtx | sed 's/2 2$/2 1/' | sed 's/^1 2 2$/1 2 1/' >exact.mtx
expect 0 convert exact.mtx exact.ctf
expect 0 cat --json --element-type double exact.ctf
has out '9007199254740992'
end

begin 'tables that become sequences keep their words, and may have been meant as tensors'
printf 'i,j,w\n0,1,2\n' >numbers.csv
printf 'i,j,w\n0,1,x\n' >words.csv
expect 4 convert numbers.csv words.csv joined.csv
has err 'words.csv: column "w": expected the same as in the first input (int64), found text (--columns declares them for all inputs)'
printf 'i\000,j\n0,1\n' >zero.csv
expect 4 info zero.csv
has err 'zero.csv:1:1 (byte 0): expected names without NUL bytes, found a name with a NUL byte'
expect 6 convert words.csv words.ctf
has err 'words.ctf: row 0, column "w": expected none, since the format has no place for it, found "x"'
lacks err '--coordinates'
expect 6 convert words.csv words.h5
has err 'row 0, column "w"'
has err 'say which columns are coordinates (--coordinates NAME,...)'
for to in mtx tns; do
	expect 6 convert words.csv "words.$to"
	has err 'words.csv: expected entries of a tensor, found rows of a table; say which columns are coordinates (--coordinates NAME,...)'
done
end

begin 'inputs whose rows are of different kinds are told apart'
printf '1 1:2\n' >row.svm
expect 4 convert exact.mtx row.svm both.h5
has err 'row.svm: expected entries of a tensor as in the first input, found sequences'
end

begin '--value: one stream of several is a tensor, and where it is of no use it is refused'
printf '|A 1 2 |B 1:1\n|A 3 4 |B 2:1\n' >value.ctf
expect 6 convert value.ctf value.npy
has err 'value.npy: expected one dense stream, found 2 (A, B); any of them may become a tensor (--value NAME)'
expect 0 convert --value A value.ctf value.npy
expect 0 cat --json value.npy
has out '"shape":[2,2]'
expect 0 head --value B value.ctf
has out '0 1  1'
expect 2 head --value C value.ctf
has err '--value: expected a stream of value.ctf, found "C"; it has A, B'
expect 2 convert --value A value.ctf other.ctf
has err 'value.ctf: expected no --value, since sequences stay sequences'
expect 2 head --value w words.csv
has err 'expected the columns that are coordinates (--coordinates NAME,...) beside --value'
expect 6 convert value.ctf value.svm
has err 'value.svm: expected two streams, one called label or named as the label (--label NAME), found 2 (A, B), and no label'
end

begin 'info: a scalar has no shape'
expect 0 info "$SHEAF_TESTS/files/npy/good-scalar.npy"
has out 'tensor: scalar, complex float64, dense, 1 stored'
end

begin 'info: streams in groups of their own are no scalars'
printf '0 |A 1 2 |B 1:0.5\n0 |A 3 4 |B 2:1 7:3\n1 |A 5 6 |B 0:1\n' >two.ctf
expect 0 convert two.ctf two.h5
expect 0 info two.h5
has out '2 sequences of A (dense, dim 2, float32)'
lacks out 'scalar'
expect 0 info --json two.h5
json out
has out '{"path":"B","sequences":2,"streams":[{"name":"B","storage":"sparse","dim":8,"type":"float32"}]}'
end

begin 'sequences of unequal lengths do not become dense silently'
printf '0 |A 1 2\n1 |A 3 4\n1 |A 5 6\n2 |A 7 8\n' >uneven.ctf
expect 6 convert --value A uneven.ctf uneven.npy
has err 'uneven.npy: sequence 0, stream "A": expected sequences of the same length, 2 samples, since the tensor is dense, found 2 with fewer, of which this is the first'
[ ! -e uneven.npy ] || fault 'expected no file, found one'
expect 6 convert --allow loss --value A uneven.ctf uneven.npy
has err '--pad fills them up with zeros and writes the lengths, too'
[ ! -e uneven.npy ] || fault 'expected no file, found one'
expect 0 convert -q --pad --value A uneven.ctf uneven.npy
empty err
expect 0 cat uneven.lengths.npy
is out '0  1
1  2
2  1'
expect 0 cat uneven.npy
lines out 12
: >uneven.lengths.npz
expect 2 convert --pad --value A uneven.ctf uneven.npz --layout dense
has err 'uneven.lengths.npz: expected no file of that name'
[ ! -e uneven.npz ] || fault 'expected no file, found one'
expect 0 convert -f --pad --value A uneven.ctf uneven.npz --layout dense
expect 0 cat uneven.lengths.npz
lines out 3
expect 2 convert --pad uneven.ctf uneven.cbf
has err '--pad: expected a format of tensors'
expect 2 convert --pad --to npy --value A uneven.ctf -
has err 'beside which the lengths are written'
expect 6 convert uneven.ctf one.npy
has err '--value A makes a tensor of sequences and samples'
printf '0 |A 1 2 |B 1\n0 |A 3 4 |B 2\n1 |A 5 6 |B 3\n1 |A 7 8\n' >uneven.ctf
expect 0 convert --value A uneven.ctf even.npy
expect 6 convert --value B uneven.ctf uneven-b.npy
has err 'sequence 1, stream "B"'
printf '0 |A 1:1\n0 |A 0:2\n1 |A 1:3\n' >uneven.ctf
expect 6 convert -f uneven.ctf --value A uneven.npy
has err 'sequence 1, stream "A"'
expect 0 convert --value A uneven.ctf uneven.tns
end

begin 'padded sequences are read back as long as they were'
printf '0 |A 1 2 |B 1:1\n0 |A 3 4 |B\n1 |A 5 6 |B 2:4\n2 |A 7 8 |B 1:3\n2 |A 0 0 |B\n2 |A 0 9 |B\n' >padded.ctf
for to in npy npz csv tsv tns; do
	coordinates=
	case $to in csv | tsv) coordinates='--coordinates=sequence,sample,element' ;; esac
	for stream in A B; do
		expect 0 convert -q --streams $stream -f padded.ctf one.ctf
		expect 0 convert -q --pad --value $stream padded.ctf $stream.$to
		# shellcheck disable=SC2086 # no word, or one
		expect 0 convert -q -f --value $stream $coordinates $stream.$to back.ctf
		if [ $to$stream != npyB ]; then # in them zeros are values
			if [ -z "$coordinates" ]; then expect 0 diff $stream.$to one.ctf; fi
			expect 0 diff back.ctf one.ctf
		fi
	done
done
expect 0 stats --lengths A.lengths.npy A.npy
has out 'sequences: 3'
has out 'samples: 6'
expect 0 cat --lengths A.lengths.tns --value C A.npy
is out '0  C [1 2] [3 4]
1  C [5 6]
2  C [7 8] [0 0] [0 9]'
expect 0 cat A.npy
lines out 18
expect 0 convert -q -f --lengths none A.npy back.ctf
lines back.ctf 9
expect 0 convert -q -f A.npy back.cbf
expect 0 diff back.cbf back.cbf
expect 0 batches --json --size 1sequences --order file A.npy
lines out 3
expect 0 convert -q -f --part 1/2 A.npy back.cbf
expect 0 convert -q -f --part 2/2 A.npy second.cbf
expect 0 merge -q -f back.cbf second.cbf merged.cbf
expect 0 diff A.npy merged.cbf
end

begin 'lengths that contradict the tensor beside them are refused, by name'
lengths() { printf '%s\n' "$@" >n.csv && expect 0 convert -q -f n.csv A.lengths.npy; }
lengths n 2 1
expect 4 convert -f A.npy back.ctf
has err 'A.lengths.npy: expected 3 whole numbers, the lengths of as many sequences, found fewer of them (--lengths none reads the tensor without them)'
lengths n 2 1 4
expect 4 convert -f A.npy back.ctf
has err 'A.lengths.npy: expected lengths of 0 to 3, the samples of a sequence in A.npy, found 4 for sequence 2'
lengths n 2 1 -1
expect 4 convert -f A.npy back.ctf
has err 'found -1 for sequence 2'
lengths n 2 1 0.5
expect 4 convert -f A.npy back.ctf
has err 'the lengths of as many sequences, found'
lengths n 2 1 1
expect 4 convert -f A.npy back.ctf
has err 'A.npy: expected nothing but zeros after the 1 samples of sequence 2'
expect 0 convert -q -f --lengths A.lengths.npy A.npy back.ctf
lines back.ctf 4
printf '1 1\n2 1\n' >B.lengths.tns
expect 4 convert -f B.tns back.ctf
has err 'B.lengths.tns: expected 3 whole numbers'
printf 'sequence,value\n0,2\n1,1\n' >A.lengths.csv
expect 4 convert -f --coordinates sequence,sample,element A.csv back.ctf
has err 'found fewer of them'
printf 'sequence,value\n0,2\n1,1\n7,1\n' >A.lengths.csv
expect 4 convert -f --coordinates sequence,sample,element A.csv back.ctf
has err 'found others'
printf 'sequence,value\n0,2\n1,1\n1,1\n' >A.lengths.csv
expect 4 convert -f --coordinates sequence,sample,element A.csv back.ctf
has err 'found -1 for sequence 2'
printf 'name,value,more\na,2,1\n' >A.lengths.csv
expect 4 convert -f --coordinates sequence,sample,element A.csv back.ctf
has err 'found no list of numbers'
expect 2 convert -f --lengths A.lengths.npy padded.ctf back.ctf
has err '--lengths: expected a tensor of sequences, samples and elements, found sequences in padded.ctf'
expect 2 convert -f --lengths A.lengths.npy a.mtx back.ctf
has err '--lengths: expected a tensor of sequences, samples and elements, found 2 dimensions in a.mtx'
expect 3 convert -f --lengths none-such.npy A.npy back.ctf
has err 'none-such.npy'
end

begin 'sequences of no samples, and none at all, are padded and read back'
printf 'key,sample,A\n4,0,1\n4,1,2\n5,,\n6,0,3\n' >gaps.csv
expect 0 convert -q --sequences wide gaps.csv gaps.jsonl
expect 0 convert -q --pad --value A gaps.jsonl gaps.npy
expect 0 cat gaps.lengths.npy
is out '0  2
1  0
2  1'
expect 0 convert -q gaps.npy again.jsonl
expect 0 diff gaps.npy gaps.jsonl
expect 0 convert -q --rows 0 gaps.jsonl none.arrow
expect 0 convert -q --pad --value A none.arrow nothing.npy
expect 0 convert -q nothing.npy nothing.arrow
expect 0 diff nothing.npy nothing.arrow
end

begin 'tables that were made of sequences are compared with sequences as such'
expect 0 convert -q padded.ctf samples.csv
expect 0 diff --sequences wide samples.csv padded.ctf
expect 0 convert -q --layout lists padded.ctf lists.csv
expect 0 diff --sequences lists lists.csv padded.ctf
expect 2 diff --sequences lists padded.ctf padded.ctf
has err '--sequences: expected rows of a table, found sequences'
end

begin 'entries written in the order in which they come have each position once'
printf 'i,j,v\n0,0,1\n0,1,5\n0,0,2\n' >repeated.csv
for out in repeated.mtx repeated.tns; do
	expect 4 convert --coordinates i,j --value v repeated.csv $out
	has err "$out: expected each position once, found (0,0) twice (--duplicates sum or last makes one of them)"
	[ ! -e $out ] || fault "$out: expected no file, found one"
	expect 4 convert twice.mtx $out
	has err 'found (0,2) twice'
	expect 0 convert --duplicates sum --coordinates i,j --value v repeated.csv $out
	expect 0 validate $out
	rm $out
done
matrix 'real symmetric' '3 3 3' '3 1 1' '1 1 2' '3 1 3' >half.mtx
expect 4 convert half.mtx half.tns
has err 'found (2,0) twice'
matrix 'real general' '3 3 4' '3 1 1' '1 1 2' '2 3 3' '2 2 4' >free.mtx
expect 0 convert free.mtx freed.mtx
is freed.mtx "$(cat free.mtx)"
end

begin 'a comment in Latin-1 is kept where texts are UTF-8'
printf '%%%%MatrixMarket matrix coordinate real general\n%% Jos\351\n1 1 1\n1 1 1\n' >latin.mtx
expect 0 convert latin.mtx latin.h5
has err 'warning: latin.mtx: expected text in UTF-8 (--encoding names another encoding), found other bytes in comments; they are taken as Latin-1'
expect 0 convert latin.h5 latin-again.mtx
has latin-again.mtx "$(printf '%% Jos\303\251')"
expect 0 convert latin.mtx same.mtx
same latin-again.mtx same.mtx
end

begin 'layouts are known in any case of letters'
for out in lettered.h5 lettered.npz; do
	for layout in csr CSR Coo; do
		expect 0 convert -f --layout $layout a.mtx $out
		expect 0 diff a.mtx $out
	done
done
expect 0 convert -f --layout csr a.mtx lettered.h5
expect 0 info --json lettered.h5
has out '"format":"CSR"'
expect 2 convert -f --layout dia a.mtx lettered.npz
has err '--layout: expected csr|csc|coo|dense for a tensor, found dia'
end

begin 'an array that breaks off gets no values that nobody gave, whatever it becomes'
printf '%%%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n' >cut.mtx
printf '%%%%MatrixMarket matrix array real skew-symmetric\n4 4\n3\n6\n9\n3\n6\n' >half.mtx
for in in cut half; do
	for out in cut.npy cut.npz cut.h5 cut.h5ad cut-again.mtx cut.tns cut.csv; do
		expect 4 convert --drop-incomplete $in.mtx $out
		has err "$in.mtx: expected 6 entries, as the sizes say, found 5"
		[ ! -e $out ] || fault "$out: expected no file, found one"
	done
	expect 4 convert --drop-incomplete --layout csr $in.mtx cut.npz
done
sed 's/^5$/five/' cut.mtx >wrong.mtx
echo 6 >>wrong.mtx
expect 4 convert --max-errors 1 wrong.mtx cut.tns
has err 'expected a number, found "five"'
end

begin 'an archive of several arrays asks for the name of one'
expect 0 convert a.mtx a.npy
python3 -c 'import zipfile
with zipfile.ZipFile("several.npz", "w") as archive:
    archive.write("a.npy")
    archive.write("a.npy", "b.npy")'
expect 2 cat several.npz
has err 'or the name of one (--dataset), found a.npy, b.npy'
expect 0 cat --dataset b several.npz
end

begin 'an archive with the array of a descriptor is Binsparse, and its arrays have names without .npy'
expect 0 convert -f --to binsparse a.mtx described.npz
expect 0 info described.npz
has out 'format: binsparse'
has out '  values  float64  '
lacks out '.npy'
expect 0 diff a.mtx described.npz
python3 -c 'import zipfile
with zipfile.ZipFile("described.npz", "a") as archive:
    archive.write("a.npy", "values/x.npy")'
expect 4 info described.npz
has err 'described.npz: expected values to be an array or a group, found both'
end

begin 'indices of a sample in any order are sorted, with their values'
printf '0 |B 5:1 2:2 9:3 1:4 7:5\n' >mixed.ctf
expect 0 convert --to binsparse mixed.ctf mixed.npz
has err 'expected indices that ascend, found 1; they are sorted'
expect 0 cat mixed.npz
is out '0  B [1:4 2:2 5:1 7:5 9:3]'
end

begin 'arrays of known length take no detour through a temporary file'
awk 'BEGIN { n = 600000; print "%%MatrixMarket matrix coordinate real general"; print 700, 1000, n
	for (i = 0; i < n; i++) print (i * 7) % 600 + 1, int(i / 600) + 1, i % 1000 + 0.5 }' >long.mtx
was=${TMPDIR:-/tmp}
TMPDIR=/nowhere
export TMPDIR
for layout in CSR CSC COO; do
	expect 0 convert --layout $layout long.mtx long-$layout.h5
	expect 0 hash long.mtx long-$layout.h5
	[ "$(cut -d ' ' -f 1 out | uniq | wc -l)" -eq 1 ] ||
		fault "$layout: expected the same hash, found another"
done
expect 3 convert --duplicates sum long.mtx long.h5
has err 'cannot make a temporary file in /nowhere'
TMPDIR=$was
rm long*
end

# ---- larger than memory ----

# Eleven million bytes: six of values, three of indices, two of pointers.
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; n = 400000; print n, n, 2 * n; for (i = 1; i <= n; i++) print i, i, i / 7 "\n" i, (i * 7919 + 17) % n + 1, i }' >large.mtx
begin 'validate, stats, hash, head and cat of arrays that are larger than the memory allowed'
expect 0 convert --layout CSR --duplicates last large.mtx large.h5
expect 0 hash large.h5
cut -c 1-32 out >wanted
expect 0 hash --max-memory 4M large.h5
cut -c 1-32 out >found
same wanted found
expect 0 validate --strict --max-memory 4M large.h5
expect 0 stats --max-memory 4M large.h5
has out ', CSR 12799984, CSC 12799984, dense '
# Less memory leaves out how many entries each row and column has.
sed '/^dimension/,/^diagonal/d' out >stats
expect 0 stats large.h5
has out 'of them with entries: 400000'
sed '/^dimension/,/^diagonal/d' out >whole
same stats whole
expect 0 head --max-memory 4M large.h5
lines out 10
expect 0 cat large.h5
cp out whole
expect 0 cat --max-memory 4M large.h5
same whole out
end

begin 'convert: such arrays in their order, and sorted through a temporary file'
expect 0 convert --max-memory 4M large.h5 large.txt.mtx
expect 0 convert -f --quiet --max-memory 4M --chunk-bytes 64K large.h5 large.cbf
expect 0 diff --max-memory 4M large.h5 large.txt.mtx
expect 0 diff --max-memory 4M large.h5 large.cbf --value value
for layout in COO DCSR CSC DCSC COOC; do
	expect 0 convert -f --max-memory 4M --layout $layout large.h5 other.h5
	expect 0 hash --max-memory 4M other.h5
	cut -c 1-32 out >found
	same wanted found
	expect 0 validate --strict --max-memory 4M other.h5
done
expect 0 convert -f --max-memory 8M --compression deflate:1 --chunk-bytes 64K --layout CSC large.h5 other.h5
expect 0 diff --max-memory 4M large.h5 other.h5
expect 5 convert --max-memory 4M large.h5 large.npz
has err 'found that the limit (--max-memory) is reached'
end
rm -f large.* other.h5 whole


begin 'positions that are not stored have the value of --fill'
matrix 'real general' '2 2 1' '1 2 1.5' >fill.mtx
expect 0 convert --fill-value 5 fill.mtx fill.h5
expect 0 cat --json fill.h5
has out '"fill":5,"entries":[[[0,1],1.5]]'
expect 0 convert -f --fill-value=-inf --layout DMAT fill.mtx fill.h5
expect 0 cat --json fill.h5
has out '"fill":"-inf","entries":[[[0,0],"-inf"],[[0,1],1.5],[[1,0],"-inf"],[[1,1],"-inf"]]'
matrix 'complex general' '2 2 1' '1 2 1.5 2' >fill.mtx
expect 0 convert -f --fill-value 1,-2.5 fill.mtx fill.h5
expect 0 cat --json fill.h5
has out '"fill":[1,-2.5]'
expect 0 convert -f --fill-value 3 fill.mtx fill.h5
expect 0 cat --json fill.h5
has out '"fill":[3,0]'
expect 2 convert --fill-value 4 fill.h5 other.h5
has err '--fill-value: expected the fill value of the input'
expect 0 convert --fill-value 3,0 fill.h5 other.h5
rm other.h5
for wrong in '' x '1,' 1,x 1e400 1,2,3; do
	expect 2 convert -f --fill-value "$wrong" fill.mtx fill.h5
	has err '--fill-value: expected a value of type complex float64'
done
matrix 'integer general' '2 2 1' '1 2 7' >fill.mtx
expect 0 convert -f --fill-value -9223372036854775808 fill.mtx fill.h5
expect 0 cat --json fill.h5
has out '"fill":-9223372036854775808'
for wrong in 1.5 9223372036854775808 -9223372036854775809 nan; do
	expect 2 convert -f --fill-value "$wrong" fill.mtx fill.h5
	has err '--fill-value: expected a value of type int64'
done
printf '|x 1\n' >fill.ctf
expect 2 convert -f --fill-value 1 fill.ctf fill.h5
has err '--fill-value: expected a tensor, found sequences'
rm fill.*
end

begin 'one value stands for all entries on request'
matrix 'real general' '3 3 3' '1 1 0.5' '2 1 0.5' '3 3 0.5' >same.mtx
for layout in CSR COO DMAT DCSR; do
	expect 0 convert -f --layout $layout --iso auto same.mtx same.h5
	expect 0 validate --strict same.h5
	expect 0 diff same.mtx same.h5
	expect 0 info same.h5
	if [ $layout = DMAT ]; then has out 'values: float64'; else has out 'values: iso[float64]'; fi
done
expect 0 convert --iso no same.h5 apart.h5
expect 0 convert same.mtx kept.h5
expect 0 convert --iso auto a.mtx many.h5
for file in apart.h5 kept.h5 many.h5; do
	expect 0 info $file
	has out 'values: float64'
done
expect 0 convert --iso auto same.h5 again.h5
expect 0 convert again.h5 once-more.h5
expect 0 info once-more.h5
has out 'values: iso[float64]'
end

begin 'a custom layout is kept by default'
for layout in S2@10 SD DD@10 SS@10 S2; do
	expect 0 convert -f --layout $layout a.mtx one.h5
	expect 0 convert -f one.h5 two.h5
	expect 0 info --json one.h5
	sed 's/.*"levels":"\([^"]*\)".*/\1/' out >one
	expect 0 info --json two.h5
	sed 's/.*"levels":"\([^"]*\)".*/\1/' out >two
	same one two
	expect 0 diff one.h5 two.h5
done
end

begin 'info: a container is listed with a description of each dataset, and needs no index'
rm -f several.h5
expect 0 convert --into / a.mtx several.h5
expect 0 convert --into aux/x comment.mtx several.h5
expect 0 info several.h5
has out '/  CSR, 3 x 3'
has out '    x  CSR, 1 x 2'
has out '      attributes: comment'
lacks out 'index'
expect 0 info --json several.h5
json out
has out '"attributes":["comment"]'
expect 0 info kept.h5
lacks out 'index'
end

begin 'validate: an empty container is a violation, as any other empty file is'
for name in none.h5 none.nc none.npz none.npy none.mtx; do
	: >$name
	expect 1 validate $name
done
echo text >text.h5
expect 1 validate text.h5
has out 'expected an HDF5 or netCDF-4 file, found no signature of either'
end

begin 'the slices of several tensors follow one another'
expect 0 convert a.mtx symmetric.mtx both.mtx
matrix 'real general' '6 3 10' '1 1 2' '3 1 5' '3 2 1' '2 3 1' '1 3 5' \
	'4 1 2' '6 1 5' '6 2 1' '4 3 5' '5 3 1' >both2.mtx
expect 0 diff --strict both.mtx both2.mtx
expect 0 convert --part 1/2 --to npz a.mtx symmetric.mtx both.1.part
expect 0 convert --part 2/2 --to npz a.mtx symmetric.mtx both.2.part
expect 0 merge both.1.part both.2.part both.npz
expect 0 convert both2.mtx whole.npz
same both.npz whole.npz
printf '1 1 1\n2 3 1\n' >guessed.tns
expect 0 convert a.mtx wide.tns
expect 4 merge hermitian.mtx a.mtx unlike.mtx
has err 'a.mtx: dimension 2: expected extent 2 as in the first input, found 3'
expect 0 convert guessed.tns rows.h5
printf '1 1 1 1\n' >cube.tns
expect 0 convert cube.tns cube.h5
expect 4 merge rows.h5 cube.h5 unlike.h5
has err 'cube.h5: expected 2 dimensions as in the first input, found 3'
expect 0 convert --fill-value 5 guessed.tns fives.h5
expect 4 merge rows.h5 fives.h5 unlike.h5
has err 'fives.h5: expected the fill value of the first input, found another or none'
printf '%%%%MatrixMarket matrix coordinate real general\n4611686018427387904 2 1\n5 1 1\n' >tall.mtx
expect 5 merge tall.mtx tall.mtx unlike.mtx
has err 'tall.mtx: expected fewer than 2^63 slices in all inputs, found more'
expect 6 merge wide.tns guessed.tns unlike.tns
has err 'guessed.tns: expected one input, since it is a tensor, or several of which each has its shape'
expect 0 merge --shape 2,3 guessed.tns guessed.tns twice.tns
expect 6 convert --coordinates i,j --value x table.csv table.csv unlike.mtx
has err 'of which each is stored as a tensor'
[ ! -e unlike.mtx ] && [ ! -e unlike.tns ] || fault 'expected no output'
end

# ---- several in one file ----

python3 - <<'END'
import struct, zipfile
with zipfile.ZipFile("objects.npz", "w") as z:
    for name, descr in ("a", "<i4"), ("f", "|O"), ("g", "<i4"):
        head = "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }" % descr
        head = struct.pack("<H", 118) + head.ljust(117).encode() + b"\n"
        z.writestr(name + ".npy", b"\x93NUMPY\1\0" + head + bytes(4))
END
begin 'info reads a pipe once: its format is known from the opening that reads it'
mkfifo once
printf '|A 1 2 |B 3:1\n' >once.ctf
cat once.ctf >once &
expect 0 info once
has out 'format: ctf '
has out 'sequences: 1'
wait
cat objects.npz >once &
expect 2 info once
has err '--dataset'
wait
rm once
end

begin 'info: a dataset that cannot be read is listed with the reason, and the rest as ever'
expect 0 info objects.npz
has out 'datasets: 3'
has out '  f.npy  '
has out '  g.npy  '
expect 0 info --json objects.npz
json out
has out '"refused":"'
end

"$sheaf" convert --quiet -f a.mtx several.h5
begin 'convert: of several datasets in a file those that are left out are named'
expect 0 convert --quiet --into b/c symmetric.mtx several.h5
expect 0 convert -f several.h5 one.mtx
has err 'warning: several.h5: expected one dataset, or --dataset with the path of one of them, found 1 other beside the one at the root'
expect 4 convert -f --strict several.h5 one.mtx
expect 0 convert -f --strict --dataset / several.h5 one.mtx
empty err
expect 0 convert -f --strict --dataset b/c several.h5 one.mtx
empty err
printf 'a: float64 1 2\nb: float64 3\n' >arrays.txt
"$BOX_TOOL" assemble arrays.h5 arrays.txt || fault 'expected box_tool to make arrays.h5'
expect 2 cat arrays.h5
has err 'arrays.h5: expected one dataset, or --dataset with the path of one of them, found 2: /a, /b'
end

begin 'an array whose header is damaged: the file is not valid, and nothing is unsupported'
expect 0 convert --quiet a.mtx damaged.h5
python3 - <<-'END'
data = bytearray(open("damaged.h5", "rb").read())
data[data.rindex(b"OHDR") + 12] ^= 1
open("damaged.h5", "wb").write(data)
END
expect 4 cat damaged.h5
has err 'expected a readable array, found one that is damaged'
expect 1 validate damaged.h5
has out 'damaged.h5: 1 violation'
end

begin 'validate: all datasets of a file are read, one at the root or none'
expect 0 validate several.h5
is out 'several.h5: valid'
expect 0 convert --quiet --into a a.mtx apart.h5
expect 0 convert --quiet --into b/c symmetric.mtx apart.h5
expect 0 validate apart.h5
is out 'apart.h5: valid'
cat >flawed.txt <<'EOT'
/
binsparse = {"binsparse": {"version": "0.1", "format": "DVEC", "shape": [1], "number_of_stored_values": 1,
	"data_types": {"values": "uint8"}}}
values: uint8 1
/b
binsparse = {"binsparse": {"version": "0.1", "format": "CVEC", "shape": [3], "number_of_stored_values": 1,
	"data_types": {"indices_0": "uint8", "values": "uint8"}}}
indices_0: uint8 9
values: uint8 1
EOT
"$BOX_TOOL" assemble flawed.h5 flawed.txt || fault 'expected box_tool to make flawed.h5'
expect 1 validate flawed.h5
has out 'flawed.h5: dataset b: not valid'
has out 'found 9'
expect 0 validate --dataset / flawed.h5
end

name=$(printf '%0255d' 0)
printf 'b,x%s\n1,2\n' "$name" >long.csv
begin 'NumPy: a name that is too long'
expect 6 convert long.csv long.npy
has err 'expected a name of 1 to 255 bytes'
end

printf '\223NUMPY\2\0\1\0\0\1' >head.npy
truncate -s 17M head.npy
begin 'NumPy: a header of one byte too many'
expect 5 cat head.npy
has err 'expected a header of at most 16 MiB, found 16777217 bytes'
end

begin 'a dataset that is an array, a group or nothing is said to be that, and which one may be meant'
expect 2 cat --dataset values several.h5
has err 'expected a tensor at "values", found an array'
expect 2 cat --dataset b several.h5
has err 'expected a tensor at "b", found a group without a descriptor'
expect 2 cat --dataset nowhere several.h5
has err 'found nothing there'
expect 2 info --dataset b/d several.h5
has err 'found nothing there; did you mean b/c?'
python3 - <<-'END'
import zipfile
with zipfile.ZipFile("named.npz", "w") as archive:
    for name in ("alpha", "beta"):
        archive.write("a.npy", name + ".npy")
END
expect 2 cat --dataset alpa named.npz
has err 'expected an array alpa in the archive, found none; did you mean alpha?'
expect 2 convert --dataset alpa named.npz named.csv
[ -e named.csv ] && fault 'expected no named.csv'
expect 2 diff --dataset alpa named.npz named.npz
has err 'did you mean alpha?'
end

# ---- long comments ----

begin 'comments before the first entry may be as long as the memory; those after it, longer'
{ yes '# a comment' | head -n 300000 && printf '1 1 1\n'; } >comments.tns
expect 0 cat --max-memory 16M comments.tns
is out '0 0  1'
expect 5 cat --max-memory 4M comments.tns
has err 'comments.tns (byte 0): expected memory for'
{ printf '1 1 1\n' && yes '# a comment' | head -n 300000 && printf '2 1 7\n'; } >comments.tns
"$sheaf" cat --from tns --shape 2,2 --max-memory 2M - <comments.tns >out 2>err
is out '0 0  1
1 0  7'
end

# ---- small inputs, large outputs ----

printf '50000000000 1 2\n' >far.tns
begin 'an output far larger than its input is refused, with the size, before anything is written'
for out in far.npy far.ctf far.cbf; do
	expect 5 convert far.tns $out
	has err 'expected an output of at most 1073741824 bytes, which is 64 times the input or 1 GiB, found a need for'
	has err '(--allow large writes it anyway)'
	[ ! -e $out ] || fault "$out: expected no such file"
done
has err 'a need for 50000000000 or more'
expect 5 convert --layout csr far.tns far.npz
has err 'a need for 200000000000 or more'
expect 0 convert far.tns far.mtx
expect 0 convert far.tns far.csv
end

begin 'a matrix of many more rows than entries takes a layout without pointers, unless one was asked for'
expect 0 convert far.tns far.npz
has err 'found 50000000000 rows; it is stored as coo (--layout csr keeps to that)'
expect 0 diff far.tns far.npz
expect 0 convert far.tns far.h5
has err 'found 50000000000 rows; it is stored as DCSR (--layout CSR keeps to that)'
expect 0 diff far.tns far.h5
expect 5 convert -f --layout CSR far.tns far.h5
has err 'a need for 400000000000 or more'
expect 5 convert -f --layout DMAT far.tns far.h5
printf '# shape: 2 2147483647\n1 5 2\n' >broad.tns
expect 5 convert --to hdf5 broad.tns broad.h5ad
has err 'a need for 21474836480 or more' # their names, of ten digits each, and pointers
printf '# shape: 1000000 3\n5 1 2\n' >near.tns
expect 0 convert near.tns near.npz
empty err
end

begin '--allow large writes it all the same'
printf '# shape: 140000000\n1 2\n' >wide.tns
expect 5 convert wide.tns wide.npy
has err 'a need for 1120000000 or more'
(
	ulimit -f 2000
	"$sheaf" convert --allow large wide.tns wide.npy 2>err
	echo $? >status
)
# With 32-bit addresses, memory ends before that.
case $(od -An -tu1 -j4 -N1 "$sheaf" | tr -d ' ') in
1) is status 5 ;;
*) is status 3 ;;
esac
end

begin 'an option that the rows cannot use is refused, with what it needs'
printf '0 |x 1 2\n1 |x 3 4\n' >plain.ctf
printf 'n,x\n1,0.5\n2,1.5\n' >plain.csv
expect 2 convert --pad a.mtx padded.npy
has err '--pad: expected sequences, which are to become a tensor, found none in a.mtx'
expect 6 convert --pad --part 1/2 plain.ctf padded.npy.part
has err '--pad: expected a conversion of all rows, since their lengths must be known, found a part'
expect 2 convert --pad plain.ctf "$(printf '%02048d' 0 | sed 's|0|d/|g')x.npy"
expect 2 convert --structure general plain.ctf refused.ctf
has err '--structure: expected entries of a matrix to be written, found other rows'
expect 2 convert --columns x:int64 a.mtx refused.ctf
has err '--columns: expected names of columns, since those of format matrixmarket are not declared, found "x:int64"'
expect 2 show --from nosuch a.mtx
has err '--from: expected one of the formats'
expect 2 split --element-type double plain.csv refused.1.csv refused.2.csv
has err '--element-type: expected an option that csv uses for reading or csv for writing, found one that neither uses'
expect 6 split "$SHEAF_TESTS/files/npy/good-scalar.npy" refused.1.npy refused.2.npy
has err 'expected a tensor with a dimension to split, found a scalar'
expect 6 convert "$SHEAF_TESTS/files/npy/good-scalar.npy" refused.tns
has err 'tensor: expected at least one dimension, found none'
expect 6 convert "$SHEAF_TESTS/files/npy/good-scalar.npy" refused.mtx
has err 'tensor: expected one or two dimensions, found 0'
expect 2 cat --shape 2,2 a.mtx
has err '--shape: expected --coordinates beside it, found none'
expect 6 convert --into more --part 1/2 a.mtx a.h5.part
has err '--part: expected a new output, found one that is updated'
end

begin 'zeros of a dense tensor are shown when it is expanded, and not hashed; those of a sparse one are both'
printf '%%%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n2 2 0\n' >zero.mtx
printf '%%%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 5\n' >none.mtx
printf '%%%%MatrixMarket matrix array integer general\n2 2\n5\n0\n0\n0\n' >dense.mtx
for name in zero none dense; do
	"$sheaf" hash $name.mtx | cut -d ' ' -f 1 >$name.hash
	"$sheaf" cat --json --expand $name.mtx >$name.entries
done
same dense.hash none.hash
cmp -s zero.hash none.hash && fault 'expected other hashes with and without a zero that is stored, found the same'
has zero.entries '"entries":[[[0,0],5],[[1,1],0]]'
has dense.entries '"entries":[[[0,0],5],[[1,0],0],[[0,1],0],[[1,1],0]]'
end

begin 'what cannot be coordinates, values, columns or names of rows'
printf 'a,b,c,d,e,f,g,h,i,v\n0,0,0,0,0,0,0,0,0,1\n' >nine.csv
printf 'i,j,v\n0,,1\n1,2,2\n' >null.csv
printf 'i,j,v\n0,x,1\n' >text.csv
printf '|A 1\n' >one.ctf
printf '1 1 1 5\n' >three.tns
printf '# shape: 2 268435455\n1 1 5\n' >most.tns
printf '# shape: 2 268435456\n1 1 5\n' >wide.tns
for dim in 100000 100001; do
	printf '{"sheaf":"schema","rows":"sequences","columns":[{"name":"A","storage":"dense","type":"float32",' >$dim.jsonl
	printf '"dim":%s},{"name":"B","storage":"dense","type":"float32","dim":1}]}\n' $dim >>$dim.jsonl
done
expect 2 cat --coordinates a,b,c,d,e,f,g,h,i nine.csv
has err '--coordinates: expected at most 8 columns, found more'
expect 0 cat --coordinates a,b,c,d,e,f,g,h --value v nine.csv
expect 4 cat --coordinates i,j null.csv
has err 'null.csv:2: column "j": expected a coordinate, found null'
expect 6 cat --coordinates i,v --value j text.csv
has err 'column "j": expected numbers, since they are to be the values of a tensor, found text'
expect 2 cat --coordinates A one.ctf
has err 'expected rows of a table, whose columns may be coordinates, found sequences'
expect 6 convert --matrix text.csv never.npy
has err 'column "j": expected numbers, since the table is to be a matrix, found text'
expect 6 convert --matrix three.tns never.csv
has err '--matrix: expected a matrix, or a table, found a tensor of 3 dimensions in three.tns'
expect 5 convert --matrix wide.tns never.csv
has err 'wide.tns: expected fewer columns, since they become those of a table'
expect 5 convert --matrix --max-memory 1M most.tns never.csv
lacks err 'expected fewer columns'
expect 6 convert 100001.jsonl never.csv
has err 'stream "A": expected at most 100000 values in a sample, each of which is a column, found 100001'
expect 0 convert --quiet 100000.jsonl columns.csv
printf 'name,v\n1,2\n' >numbers.csv
for file in one.ctf numbers.csv; do
	expect 2 cat --where x $file
	has err "--where: expected rows with names, a column \"name\" of texts, found none in $file"
done
[ ! -e never.csv ] && [ ! -e never.npy ] || fault 'expected no output'
end

begin 'rows of a table, and hashes, of a tensor made of sequences in several pieces have its own coordinates'
seq 1 150000 | sed 's/.*/&\t|A &/' >long.ctf
expect 0 convert --quiet long.ctf long.scidb
expect 0 convert --quiet long.ctf long.tns
# (sequence int64, element int64, A float)
tail -c 20 long.scidb | od -A n -t d8 -N 8 | tr -d ' ' >last
[ "$(cat last)" = 149999 ] || fault "expected sequence 149999 in the last row, found $(cat last)"
expect 0 hash --value A long.ctf long.tns
cut -c 1-32 out | uniq >hashes
lines hashes 1
end

echo "1..$count"
