# SPDX-License-Identifier: MIT
# Shared by the shell tests: points of TAP, each begun, checked any number of times, and ended. Sourced, not
# run. shellcheck shell=sh

count=0
begin() {
	name=$1
	faults=
}
end() {
	count=$((count + 1))
	if [ -z "$faults" ]; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		printf '%s\n' "$faults" | sed 's/^/# /'
	fi
}
skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}
fault() {
	faults="$faults$1
"
}
