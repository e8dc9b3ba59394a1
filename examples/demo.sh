#!/bin/sh
# SPDX-License-Identifier: MIT
# A short tour: a text file of sequences, looked at, converted to the binary format and back, compared and checked.
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
