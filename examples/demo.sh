#!/bin/sh
# SPDX-License-Identifier: MIT
# A short tour: sequences, a table and a matrix, shown, converted into other formats and back, and compared
# and checked.
#
#     SHEAF=path/to/sheaf examples/demo.sh      (default: build/sheaf beside this folder)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
sheaf=${SHEAF:-$here/../build/sheaf}
case $sheaf in
*/*) sheaf=$(cd "$(dirname "$sheaf")" && pwd)/$(basename "$sheaf") ;;
esac
folder=$(mktemp -d "${TMPDIR:-/tmp}/sheaf-demo.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder"

# Prints the command as a user would type it, then runs it.
run() {
	printf '\n$ sheaf'
	printf ' %s' "$@"
	printf '\n'
	"$sheaf" "$@"
}

# Sentences: for each word its number in a sparse stream, and a dense label of three numbers.
cat >train.ctf <<'END'
100	|word 12:1	|label 1 0 0	|# show
100	|word 7:1	|label 0 1 0	|# me
100	|word 305:1	|label 0 0 1	|# flights
100	|word 41:1 42:0.5	|label 0 0.25 0.75	|# from Boston
101	|word 88:1	|label 1 0 0	|# how
101	|word 305:1 306:0.25	|label 0 0 1	|# many
102	|word 12:1	|label 1 0 0	|# show
102	|word 7:1	|label 0 1 0	|# me
102	|word 999:-1.5e-3	|label 0 0 1	|# an unknown word
END
echo "The text file:"
cat train.ctf

run info train.ctf
run head -n 2 train.ctf
run stats train.ctf
run convert train.ctf train.cbf
run info train.cbf
run head --json -n 2 train.cbf
run convert train.cbf back.ctf
run diff train.ctf train.cbf
run diff train.ctf back.ctf
run hash train.ctf train.cbf back.ctf
run validate train.ctf train.cbf back.ctf
printf '\nThe three files hold the same.\n'

# Readings of a sensor: nulls, one of them with a reason, and text.
cat >readings.csv <<'END'
sensor,at,celsius,note
1,2012-05-25 14:13:29,21.5,
2,2012-05-25 14:13:30,?3,"cold, then gone"
3,2012-05-25 14:13:31,null,
END
printf '\nA table:\n'
cat readings.csv
schema='<sensor:int64 NOT NULL,at:datetime NOT NULL,celsius:double,note:string>'
run info readings.csv
run convert readings.csv readings.scidb
run cat --json --from scidb --schema "$schema" readings.scidb

# A symmetric matrix, of which the lower triangle is stored.
cat >matrix.mtx <<'END'
%%MatrixMarket matrix coordinate real symmetric
4 4 5
1 1 4
2 1 -1
3 3 2.5
4 1 0.125
4 4 1e-3
END
printf '\nA matrix:\n'
cat matrix.mtx
run stats matrix.mtx
run convert --structure general matrix.mtx matrix.csv
run cat matrix.csv
run convert --coordinates i,j --shape 4,4 --structure auto matrix.csv again.mtx
run cat again.mtx
run diff matrix.mtx again.mtx
if run convert --layout CSR matrix.mtx matrix.h5 2>why; then
	run info matrix.h5
	run cat --expand --json matrix.h5
	run convert matrix.h5 rows.ctf
	run hash matrix.mtx matrix.h5
else
	cat why
fi
