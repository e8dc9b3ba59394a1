# SPDX-License-Identifier: MIT
# Files that the tests of the command share: sourced after command.sh, not run. shellcheck shell=sh
# shellcheck disable=SC2034 # used where this is sourced

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
