#!/bin/sh
# SPDX-License-Identifier: MIT
# The bench runs and prints each of its lines, with texts so small that the times mean nothing. TAP on
# standard output. BENCH is the program.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"

bench=${BENCH:?expected the path of sheaf-bench in BENCH}
export BENCH_DIR="$folder/data" BENCH_MB=1 BENCH_ROUNDS=1 BENCH_RECORDS="$folder/records"
tab=$(printf '\t')
"$bench" --list >list
"$bench" "$sheaf" >table 2>messages
code=$?

begin "the whole bench succeeds"
[ "$code" -eq 0 ] || fault "expected exit status 0, found $code: $(tail -n 3 messages)"
[ "$(wc -l <list)" -ge 30 ] || fault "expected 30 lines or more, found: $(cat list)"
end

begin "the table tells the machine and the settings"
for word in '^machine  *[^ ]' '^built  *sheaf [0-9]' '^settings  *workloads of 1 MB, medians of 1 rounds'; do
	grep -q "$word" table || fault "expected a line like $word, found none"
done
end

begin "each line of the list is in the table and in the records"
while IFS=$tab read -r part job how; do
	grep -qE "^$part +$job +$how +(cpu|wall|mem|size) +([0-9]|not )" table ||
		fault "the table: expected $part, $job, $how, found no such line"
	grep -qF "$part$tab$job$tab$how$tab" "$BENCH_RECORDS" ||
		fault "the records: expected $part, $job, $how, found no such line"
done <list
end

begin "each target has a verdict"
if grep -F '; target >=' table | grep -vE ': (met|missed|not measured)$'; then
	fault "expected a verdict at the end of each target"
fi
[ "$(grep -cE '; target >= [0-9.]+ x .*: (met|missed|not measured)$' table)" -ge 10 ] ||
	fault "expected 10 targets or more, found fewer"
end

begin "only the workloads stay"
for left in "$BENCH_DIR"/*; do
	case ${left##*/} in
	*-[0-9]*-[0-9]*.scidb | *-[0-9]*-[0-9]*.mtx | *-[0-9]*-[0-9]*.h5 | *-[0-9]*-[0-9]*.npy) ;;
	*-[0-9]*-[0-9]*.c[tb]f | *-[0-9]*-[0-9]*.*ex | *.ctf.sheaf-index) ;;
	*) fault "expected no other files than workloads, found $left" ;;
	esac
done
end

begin "a part alone"
BENCH_ONLY=start "$bench" "$sheaf" >part 2>>messages ||
	fault "expected exit status 0, found another: $(tail -n 3 messages)"
grep -q '^start' part || fault "expected the lines of the part, found none"
if grep -qE '^(parse|convert)' part; then fault "expected no other part, found one"; fi
end

begin "wrong settings are refused"
for setting in BENCH_MB=0 BENCH_ROUNDS=many BENCH_DIR=/dev/null/x; do
	if env "$setting" "$bench" "$sheaf" >/dev/null 2>err; then
		fault "$setting: expected it to be refused, found that it is not"
	fi
	grep -q 'bench: error: .*expected' err || fault "$setting: expected an error message, found: $(cat err)"
done
if BENCH_ONLY=nonsense "$bench" "$sheaf" >/dev/null 2>err; then
	fault "BENCH_ONLY=nonsense: expected it to be refused, found that it is not"
fi
end

begin "a file is summed as peers sum it"
printf 'a,b,c\n1,0.5,text\n2,-4,"more, of it"\n' >t.csv
"$(dirname "$bench")/sheaf-bench-sum" t.csv 1 >sum 2>&1 ||
	fault "expected exit status 0, found another: $(cat sum)"
grep -q '^2 rows, sum ' sum || fault "expected 2 rows and a sum, found: $(cat sum)"
if "$(dirname "$bench")/sheaf-bench-sum" none.csv 1 >sum 2>&1; then
	fault "expected another exit status for a file that is not there, found 0"
fi
end

echo "1..$count"
