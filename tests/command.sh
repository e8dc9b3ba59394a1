# SPDX-License-Identifier: MIT
# Shared by the shell tests that run the command: an empty working folder, running the command, and
# checking what it printed. Sourced, not run. SHEAF is the command. shellcheck shell=sh

# shellcheck source=tests/tap.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/tap.sh"

sheaf=${SHEAF:?expected the path of the command in SHEAF}
folder=$(mktemp -d "${TMPDIR:-/tmp}/sheaf-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 1

# expect CODE ARGUMENT...: runs the command; its output is in `out`, its messages in `err`.
expect() {
	wanted=$1
	shift
	"$sheaf" "$@" >out 2>err </dev/null
	code=$?
	[ "$code" -eq "$wanted" ] || fault "sheaf $*: expected exit status $wanted, found $code: $(head -n 3 err)"
}
has() {
	grep -qF -e "$2" "$1" || fault "$1: expected to find: $2
found: $(head -n 5 "$1")"
}
lacks() {
	if grep -qF -e "$2" "$1"; then fault "$1: expected not to find: $2"; fi
}
is() {
	if [ "$(cat "$1")" != "$2" ]; then
		fault "$1: expected: $2
found: $(head -n 5 "$1")"
	fi
}
empty() {
	if [ -s "$1" ]; then fault "$1: expected nothing, found: $(head -n 3 "$1")"; fi
}
lines() {
	found=$(wc -l <"$1")
	[ "$found" -eq "$2" ] || fault "$1: expected $2 lines, found $((found)): $(head -n 3 "$1")"
}
same() {
	cmp -s "$1" "$2" || fault "expected $1 and $2 to be the same, found a difference"
}
# json FILE: each line is one JSON document.
json() {
	python3 -m json.tool --json-lines <"$1" >/dev/null 2>json.err ||
		fault "$1: expected JSON, found: $(head -n 2 json.err)"
}
