#!/bin/sh
# SPDX-License-Identifier: MIT
# sheaf batches, as a user runs it. TAP on standard output.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"

i=0
while [ $i -lt 10 ]; do
	echo "$i |A $i" >>ten.ctf
	i=$((i + 1))
done
printf '1 |B 1\n1 |B 2\n7 |B 7\n' >some.ctf

begin "one object a batch: number, positions, ends, keys"
expect 0 batches --json --order file --size 4 ten.ctf
is out '{"batch":0,"position":[0,4],"sweep":0,"sweep_end":false,"epoch_end":false,"keys":[0,1,2,3]}
{"batch":1,"position":[4,8],"sweep":0,"sweep_end":false,"epoch_end":false,"keys":[4,5,6,7]}
{"batch":2,"position":[8,10],"sweep":0,"sweep_end":true,"epoch_end":true,"keys":[8,9]}'
json out
end

begin "CNTK's order of a small file"
expect 0 batches --json --order cntk --chunk-bytes 14 --window 1000000samples --size 10 ten.ctf
has out '"keys":[6,3,1,5,9,0,4,2,7,8]'
end

begin "the shuffle has every sequence once, and differs from sweep to sweep and seed to seed"
expect 0 batches --json --size 10 --epoch-size 2sweeps ten.ctf
grep -o '"keys.*' out | tr -dc '0-9,\n' | while IFS= read -r keys; do
	echo "$keys" | tr ',' '\n' | sort -n | tr '\n' ' '
done >sorted
is sorted '0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 '
grep -o '"keys.*' out >sweeps
[ "$(sort -u sweeps | wc -l)" -eq 2 ] || fault "expected two orders, found one"
expect 0 batches --json --size 10 --seed 1 ten.ctf
grep -o '"keys.*' out | grep -qxF -f sweeps && fault "expected another order with another seed"
end

begin "shards part each batch"
expect 0 batches --json --size 6 --limit 1 ten.ctf
grep -o '\[[0-9,]*\]}' out | tr -dc '0-9,' | tr ',' '\n' | sort >whole
for rank in 0 1; do
	expect 0 batches --json --size 6 --limit 1 --shard $rank/2 ten.ctf
	has out '"position":[0,6]'
	grep -o '\[[0-9,]*\]}' out | tr -dc '0-9,' | tr ',' '\n'
	echo
done | grep . | sort >parts
same whole parts
end

begin "a shard is that of whoever started this process, where that is asked for, and is noted"
unset RANK WORLD_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMI_RANK PMI_SIZE
unset SLURM_PROCID SLURM_NTASKS SLURM_STEP_NUM_TASKS
expect 2 batches --shard env ten.ctf
has err '--shard: expected the rank that torchrun (RANK and WORLD_SIZE), Open MPI'
for launcher in 'torchrun RANK WORLD_SIZE' 'Open MPI OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE' \
	'MPI PMI_RANK PMI_SIZE' \
	'Slurm SLURM_PROCID SLURM_STEP_NUM_TASKS' 'Slurm SLURM_PROCID SLURM_NTASKS'; do
	world=${launcher##* }
	who=${launcher% *}
	variable=${who##* }
	who=${who% *}
	export "$variable=1" "$world=2"
	expect 0 batches --json --size 6 --limit 1 --shard env ten.ctf
	has err "sheaf: note: shard 1 of 2, as $who ($variable=1, $world=2) says"
	cp out noted
	expect 0 batches --json --size 6 --limit 1 --shard 1/2 ten.ctf
	same out noted
	lacks err 'note: shard'
	expect 0 batches --json --size 10 --limit 1 ten.ctf # never by itself
	[ "$(grep -o '"keys.*' out | tr -dc ',' | wc -c)" -eq 9 ] || fault "expected all ten, found $(cat out)"
	export "$variable=2"
	expect 2 batches --shard env ten.ctf
	has err "--shard: expected a number in $variable below that in $world, found \"2\" and \"2\""
	unset "$variable" "$world"
done
end

begin "torchrun, and mpirun inside of a Slurm job, know more of their processes than Slurm does"
export SLURM_PROCID=0 SLURM_NTASKS=4 PMI_RANK=1 PMI_SIZE=3
expect 0 batches --json --limit 1 --shard env ten.ctf
has err 'shard 1 of 3, as MPI'
export RANK=2 WORLD_SIZE=8
expect 0 batches --json --limit 1 --shard env ten.ctf
has err 'shard 2 of 8, as torchrun'
unset RANK WORLD_SIZE PMI_RANK PMI_SIZE SLURM_PROCID SLURM_NTASKS
end

begin "a state goes on where it was left, with the number of shards that there is now"
expect 0 batches --json --size 3 --epoch-size 2sweeps ten.ctf
cp out all
expect 0 batches --json --size 3 --epoch-size 2sweeps --limit 2 --state state ten.ctf
[ "$(wc -c <state)" = 256 ] || fault "expected a state of 256 bytes, found $(wc -c <state)"
expect 0 batches --json --size 3 --epoch-size 2sweeps --state state ten.ctf
sed 's/^{"batch":[0-9]*//' out >rest
tail -n +3 all | sed 's/^{"batch":[0-9]*//' >wanted
same rest wanted
end

begin "a state of other data or options is refused"
expect 2 batches --size 4 --epoch-size 2sweeps --state state ten.ctf
has err 'other options'
expect 2 batches --size 3 --epoch-size 2sweeps --state state some.ctf
has err 'a state of these data'
echo nonsense >broken
expect 2 batches --size 3 --state broken ten.ctf
end

begin "a run that is killed repeats at most 64 batches of those that it has written"
awk 'BEGIN { for (i = 0; i < 3000; i++) print i, "|A", i }' >short.ctf
for least in 1 500 30000; do
	rm -f killed out
	"$sheaf" batches --json --size 1 --epoch-size 100000sweeps --state killed short.ctf >out 2>err &
	running=$!
	until [ "$(wc -l <out)" -ge $least ] 2>/dev/null; do kill -0 $running || break; done
	kill -KILL $running
	wait $running 2>/dev/null
	written=$(wc -l <out)
	saved=0 # the first state may not be there yet
	[ ! -s killed ] || saved=$(sed 's/.*"position":\([0-9]*\),.*/\1/' killed)
	[ "$saved" -le "$written" ] && [ $((written - saved)) -le 64 ] ||
		fault "expected a state of at most 64 batches before the $written that were written, found $saved"
done
end

begin "an index is written where it is wanted, and used"
for order in sheaf file; do
	rm -f ten.ctf.sheaf-index
	expect 0 batches --json --order $order --size 4 ten.ctf
	cp out all
	[ ! -e ten.ctf.sheaf-index ] || fault "expected no index of a small file that nobody asked for"
	expect 0 batches --json --order $order --size 4 --index write ten.ctf
	same out all
	[ -e ten.ctf.sheaf-index ] || fault "expected an index, found none"
	expect 0 batches --json --order $order --size 4 --index require ten.ctf
	same out all
done
rm -f ten.ctf.sheaf-index
end

begin "what does not go together is refused, by its name"
expect 2 batches --join --mix 1,2 ten.ctf some.ctf
has err '--mix: files are either joined or mixed; leave out --join'
expect 2 batches --mix 1,1 --join ten.ctf some.ctf
has err '--mix: files are either joined or mixed; leave out --join'
expect 2 batches --mix 1,1 --order file ten.ctf ten.ctf
has err 'expected order "sheaf", found file'
expect 2 batches --mix 1,1 --bucket ten.ctf ten.ctf
has err 'weights cannot be used with buckets'
expect 2 batches --pack 2 --size 256sequences ten.ctf
has err 'truncation needs a size in samples'
expect 2 batches --pack 2 --rest drop ten.ctf
has err 'truncation cannot drop, pad or wrap rests'
expect 2 batches --pack 2 --pad 2 ten.ctf
has err '--pad is given, too'
for option in size window epoch-size epochs pack; do
	expect 2 batches "--$option=" ten.ctf
	has err "--$option: expected "
done
mkdir folder
expect 3 batches --state folder ten.ctf
end

begin "positions, epochs, sweeps, rests"
expect 0 batches --json --order file --size 4 --position 7 ten.ctf
has out '"position":[7,10]'
expect 0 batches --json --order file --size 4 --epoch-size 5 --epochs 1:3 ten.ctf
has out '{"batch":0,"position":[5,9]'
has out '"position":[9,10],"sweep":0,"sweep_end":true,"epoch_end":true,"keys":[9]'
expect 0 batches --json --order file --size 4 --rest drop ten.ctf
lines out 2
expect 0 batches --json --order file --size 4 --rest pad ten.ctf
has out '"keys":[8,9,8,9],"repeated":2}'
expect 0 batches --json --order file --size 4 --rest wrap ten.ctf
has out '"keys":[8,9,0,1]}'
expect 0 batches --json --order file --size 4 --epoch-size 2sweeps --no-cross-sweep ten.ctf
lines out 6
end

begin "files joined by key, and one after the other"
expect 0 batches --json --order file --join ten.ctf some.ctf
is out '{"batch":0,"position":[0,3],"sweep":0,"sweep_end":true,"epoch_end":true,"keys":[1,7]}'
has err '8 sequences without one'
expect 0 batches --json --order file --size 30 ten.ctf ten.ctf
has out '"keys":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]'
expect 4 batches ten.ctf some.ctf
has err 'expected the streams of ten.ctf'
end

begin "files mixed by weights"
expect 0 batches --json --size 4 --limit 3 --mix 3,1 ten.ctf ten.ctf
lines out 3
expect 2 batches --mix 3 ten.ctf ten.ctf
has err 'a weight for each of 2 files'
expect 2 batches --mix 3,x ten.ctf ten.ctf
end

begin "patterns and lists name files"
cp ten.ctf 'part-1.ctf'
cp ten.ctf 'part-2.ctf'
expect 0 batches --json --order file --size 30 'part-*.ctf'
has out '"position":[0,20]'
printf '# a list\npart-2.ctf\n\nten.ctf\nten.ctf\n' >list
expect 0 batches --json --order file --size 50 @list
has out '"position":[0,30]'
expect 3 batches 'nothing-*.ctf'
has err 'found none'
expect 3 batches @nowhere
end

begin "packed batches tell their rows and steps"
expect 0 batches --json --order file --pad 4 --size 5 ten.ctf
has out '"packed":{"A":[5,4]}'
expect 0 batches --json --order file --pack frames --size 5 ten.ctf
has out '"packed":{"A":[5,1]}'
expect 0 batches --json --order file --pack rows --size 5 ten.ctf
has out '"packed":{"A":[5,1]}'
expect 0 batches --json --order file --pack 2 --size 6 --state cut --limit 1 ten.ctf
has out '"packed":{"A":[3,2]}'
has cut '"step":1'
expect 0 batches --json --order file --pack 2 --size 6 --state cut ten.ctf
lines out 1
expect 2 batches --pack rows --pad 2 ten.ctf
end

begin "what is in a batch: streams as cat has them, rows and steps where they are packed"
printf '0 |A 1 2 |B 3:1\n0 |A 3 4 |B\n1 |A 5 6 |B 1:2 4:7\n' >two.ctf
streams='--stream A:2:dense --stream B:5:sparse --order file --size 4'
# shellcheck disable=SC2086
expect 0 batches --json --data $streams two.ctf
has out '"keys":[0,1],"streams":{"A":[[[1,2],[3,4]],[[5,6]]],"B":[[[[3,1]],[]],[[[1,2],[4,7]]]]}}'
json out
for packing in '--pad 2' '--pack rows'; do
	# shellcheck disable=SC2086
	expect 0 batches --json --data $packing $streams two.ctf
	has out '"packed":{"A":[2,2],"B":[2,2]},"streams":{"A":[[[1,2],[3,4]],[[5,6],null]],"B":[[[[3,1]],[]],[[[1,2],[4,7]],null]]}}'
done
printf 'name: "one" freq: 3 I: 1 0 T: 1;\n' >one.ex
expect 0 batches --json --data --order file one.ex
has out '"name":["one"]'
has out '"freq":[3]'
expect 2 batches --data two.ctf
has err '--data: only JSON shows the contents of batches'
end

begin "batches as files of a folder"
expect 0 batches -q --order file --size 2 --to arrow -o made ten.ctf
[ "$(echo made/*)" = 'made/batch-000000000000.arrow made/batch-000000000002.arrow made/batch-000000000004.arrow made/batch-000000000006.arrow made/batch-000000000008.arrow' ] ||
	fault "expected five files named by position, found $(echo made/*)"
expect 0 convert made/* whole.ctf
expect 0 diff whole.ctf ten.ctf
expect 2 batches --order file --size 5 --to arrow -o made ten.ctf
has err 'found made/batch-0000000000'
has err '(--force removes them first)'
expect 0 batches -f --order file --size 5 --to arrow -o made ten.ctf
[ "$(echo made/*)" = 'made/batch-000000000000.arrow made/batch-000000000005.arrow' ] ||
	fault "expected two files, found $(echo made/*)"
expect 0 batches --order file --size 4 --shard 1/2 --to arrow -o shards ten.ctf
[ -f shards/batch-000000000000.shard1.arrow ] ||
	fault "expected the shard in the name, found $(echo shards/*)"
expect 2 batches -o folder ten.ctf
has err '--output: files of batches need a format'
expect 2 batches --to arrow ten.ctf
has err '--to: batches become files in a folder'
expect 6 batches -o other --to mtx ten.ctf
has err '--to: expected a format that holds sequences'
[ ! -e other ] || fault 'expected no folder'
expect 3 batches -o ten.ctf --to arrow ten.ctf
end

begin "packed batches as files: a row for each row of the grid, and whose samples these are"
# shellcheck disable=SC2086
expect 0 batches -q --pad 2 --limit 1 $streams --to arrow -o padded two.ctf
expect 0 cat --json padded/batch-000000000000.arrow
has out '{"key":0,"streams":{"A":[[1,2],[3,4]],"A.mask":[[1],[1]],"B":[[[3,1]],[]],"B.mask":[[1],[1]]}}'
has out '{"key":1,"streams":{"A":[[5,6],[0,0]],"A.mask":[[1],[0]],"B":[[[1,2],[4,7]],[]],"B.mask":[[1],[0]]}}'
lines out 2
printf '4 |A 1\n4 |A 2\n4 |A 3\n5 |A 4 |B 0:1\n6 |A 5\n6 |A 6\n' >three.ctf
streams='--stream A:1:dense --stream B:2:sparse --order file --allow missing'
for to in ctf cbf npz jsonl binsparse arrow; do
	# shellcheck disable=SC2086
	expect 0 batches -q -f --pack rows --size 9 $streams --to $to -o grid three.ctf
	expect 0 cat --json grid/*
	lines out 2
	has out '"A":[[1],[2],[3]],"A.mask":[[1],[1],[1]],"A.key":[[4],[4],[4]],"A.step":[[0],[1],[2]],"B":[[[0,1]]],"B.mask":[[1]],"B.key":[[5]],"B.step":[[0]]'
	has out '"A":[[4],[5],[6]],"A.mask":[[1],[1],[1]],"A.key":[[5],[6],[6]],"A.step":[[0],[0],[1]],"B":[[]],"B.mask":[[0]],"B.key":[[0]],"B.step":[[0]]'
	rm -r grid
done
expect 0 batches -q --pack 2 --size 4 --order file --to arrow --stream A:1:dense -o rows three.ctf
expect 0 cat --json rows/*
has out '"A":[[3],[0]],"A.mask":[[1],[0]],"A.key":[[4],[0]],"A.step":[[2],[0]]'
printf '0 |A 1 |A.mask 1\n' >taken.ctf
expect 2 batches --pack rows --order file --to arrow -o taken taken.ctf
has err 'A.mask'
end

begin "batches as files, with a state: a run that is killed goes on, and no file comes twice or is lost"
awk 'BEGIN { for (i = 0; i < 3000; i++) print i, "|A", i }' >many.ctf
expect 0 batches --size 16 --seed 3 --to arrow -o right many.ctf
for round in 1 2 3 4 5 6; do
	"$sheaf" batches --size 16 --seed 3 --state going --to arrow -o going.d many.ctf >out 2>err &
	running=$!
	sleep 0.0$round
	kill -KILL $running 2>/dev/null
	wait $running 2>/dev/null
done
expect 0 batches --size 16 --seed 3 --state going --to arrow -o going.d many.ctf
diff -r right going.d >differences || fault "expected the files of one run, found $(head -n 3 differences)"
end

begin "without --json: how fast they come"
expect 0 batches --epoch-size 3sweeps ten.ctf
has out 'sequences/s'
lines out 2
end

begin "tolerated errors are reported from trace level 1 on"
printf '0 |A 1\n0 |A x\n1 |A 3\n' >bad.ctf
expect 0 batches --json --stream A:1:dense --max-errors 5 --trace-level 0 bad.ctf
empty err
expect 0 batches --json --stream A:1:dense --max-errors 5 bad.ctf
has err 'expected a number, found "x"'
expect 0 batches --json --stream A:1:dense --max-errors 5 --trace-level 2 bad.ctf
has err 'a sweep has 2 sequences and 3 samples'
end

begin "values that make no sense"
for bad in '--size 0' '--window 0' '--shard 2/2' '--shard x' '--shard 1/' '--epoch-size 0' '--epoch-size x' \
	'--epoch-size 2sweps' '--epoch-size 1sweeps2' '--size 4chunks' '--window tokens' '--epochs 2:2' \
	'--epochs x' '--pack 0' '--pack row' '--rest wrap --no-cross-sweep' '--bucket --order cntk' \
	'--order odd'; do
	# shellcheck disable=SC2086
	expect 2 batches $bad ten.ctf
done
end

begin "files that cannot be drawn from together, or at all"
printf '|A 1 2\n' >a.ctf
printf '|A 1 2 |B 3\n' >ab.ctf
for file in a ab; do expect 0 convert --quiet $file.ctf $file.cbf; done
expect 4 batches a.cbf ab.cbf
has err 'ab.cbf: expected the streams of a.cbf, found "B" as well'
printf '|B 1 2\n' >name.ctf
printf '|A 1 2 3\n' >extent.ctf
printf '|A 1:2\n' >kind.ctf
printf '|A 1 2\n' >type.ctf
expect 0 convert --quiet --element-type double type.ctf type.cbf
expect 0 convert --quiet --stream A:2:sparse kind.ctf kind.cbf
for file in name extent; do expect 0 convert --quiet $file.ctf $file.cbf; done
for file in name extent kind type; do
	expect 4 batches a.cbf $file.cbf
	has err "$file.cbf: expected the streams of a.cbf, found no stream \"A\" (dense, dim 2, float32) as number 1"
done
for frequency in -1 0 1; do printf ';\nname:n freq:%s I:1 T:0;\n' $frequency >$frequency.ex; done
expect 4 batches --order frequency ./-1.ex
has err 'frequencies: expected numbers of at least 0, found -1'
expect 4 batches --order frequency 0.ex
has err 'frequencies: expected one above 0, found none'
expect 0 batches --json --order frequency 1.ex
for how in '--pack rows' '--pad 1'; do
	expect 0 batches $how 1.ex
	has err 'expected streams, which are packed, found '
	has err 'beside them, the first "name"; these columns are left out'
done
expect 0 convert --quiet --stream A:2:dense a.ctf one.jsonl
head -n 1 one.jsonl >none.jsonl
expect 2 batches --mix 1,1 one.jsonl none.jsonl
has err 'weights: expected sequences in each dataset, found none in number 1'
printf '1 |A 1\n2 |A 3\n1 |A 5\n' >again.ctf
printf '1 |B 1\n2 |B 3\n' >once.ctf
expect 0 batches --join --json once.ctf again.ctf
has err 'again.ctf: sequence 2: expected each key once in an input that is joined, found key 1 again'
expect 4 batches --join --json --strict once.ctf again.ctf
printf '|S 2147483647:1\n' >most.ctf
printf '|S 2147483648:1\n' >more.ctf
expect 0 batches --pack rows --json most.ctf
expect 6 batches --pack rows --json more.ctf
has err 'stream "S": expected a dim of at most 2^31 in a packed batch, found 2147483649'
expect 3 batches --to ctf --output none/folder ab.ctf
has err 'none/folder: expected a folder that can be made'
expect 2 batches --to ctf --output "$(printf '%02040d' 0 | sed 's,0,./,g')long" ab.ctf
has err '--output: expected a shorter path'
expect 3 batches --to ctf --output list.ctf/x ab.ctf
printf '# no file\n\n' >list
expect 3 batches --to ctf --output list ab.ctf
has err 'list: expected a folder that can be read'
expect 2 batches @list
has err 'inputs: expected at least one, found only empty lists'
end

begin "a pipe and a compressed file can be shuffled, too"
"$sheaf" batches --json --size 10 - <ten.ctf >out 2>err || fault "expected a pipe to be read: $(cat err)"
has out '"position":[0,10]'
gzip -k ten.ctf
expect 0 batches --json --size 10 ten.ctf.gz
has out '"position":[0,10]'
end

echo "1..$count"
