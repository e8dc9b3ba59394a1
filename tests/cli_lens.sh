#!/bin/sh
# SPDX-License-Identifier: MIT
# Example files as users meet them: shown, described, converted both ways, read as they arrive. TAP on
# standard output.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"

# ---- data ----

printf ';\nI: 0 0 T: 0;\nI: 0 1 T: 1;\nI: 1 0 T: 1;\nI: 1 1 T: 0;\n' >xor.ex
cat >rich.ex <<'END'
proc: { setTime -i 3 }
max:2 defT:-
;
name:{a {b}} freq:2.5 proc:{puts hi}
2
[0 proc:{go}] I: (in 1) 0.5 0.25 {in 2} 0 3
[1 max:4] B: {pair} 0-1;
I: (in) 1 2 3 4 T: {pair -1} *;
END
printf ';\nI: 1 2 3 T: 4;\nI: 5\n' >cut.ex
printf ';\nI: (a) 1 2 T: 1;\nI: (a 3) 7 (b) 1 T: 1;\n' >wide.ex
printf ';\nI: 0 1 - T: 1;\nI: {1} 0 2 T: -;\n' >nan.ex
printf '0 |x 1 2 |y 0:1\n0 |x 3 4 |y\n1 |x 5 6 |y 2:0.5 0:3\n' >pairs.ctf
PAIRS='--stream x:2:dense --stream y:3:sparse'
SIDES='--group x:2:input --group y:3:output:sparse'

# ---- what it is ----

begin 'info: groups, columns, examples, events, and the first lines of procs'
expect 0 info rich.ex
has out 'format: lens'
has out '  in.input     dense  dim 4  float32'
has out '  pair.target  dense  dim 2  float32'
has out '  event.proc   text'
has out 'examples: 2'
has out 'events: 3'
has out 'procs: 3'
has out '  "setTime -i 3 "'
has out '  "puts hi"'
expect 0 info --json rich.ex
json out
has out '"examples":2,"events":3,"complete":true,"procs":3,"first_lines":["setTime -i 3 ","puts hi","go"]'
end

begin 'info of a long file says that it saw a part'
awk 'BEGIN { print ";"; for (i = 0; i < 90000; i++) printf "I: 0.25 0.5 T: 1;\n" }' >long.ex
expect 0 info long.ex
has out 'sequences: not counted'
has out 'examples in its first part: '
expect 0 stats long.ex
has out 'sequences: 90000'
end

# ---- shown ----

begin 'cat --json: the set, then the examples, with all that the model has'
expect 0 cat --json rich.ex
json out
lines out 3
head -n 1 out >line
is line '{"set":{"proc":" setTime -i 3 ","max":2,"min":0,"grace":0,"defI":0,"actI":1,"defT":"nan","actT":1}}'
head -n 2 out | tail -n 1 >line
is line '{"example":0,"name":"a {b}","proc":"puts hi","freq":2.5,"events":[{"proc":"go","max":null,"min":null,"grace":null,"defI":0,"actI":1,"defT":"nan","actT":1,"inputs":0,"targets":null},{"proc":null,"max":4,"min":null,"grace":null,"defI":0,"actI":1,"defT":"nan","actT":1,"inputs":1,"targets":1}],"lists":[[{"group":"in","dense":[0.5,0.25],"first":1},{"group":"in","sparse":[0,3],"value":2}],[{"group":"pair","sparse":[[0,1]],"value":1}]]}'
tail -n 1 out >line
has line '{"group":"pair","sparse":"*","value":-1}'
end

begin 'cat: a file that reads back to the same'
expect 0 cat rich.ex
mv out shown.ex
expect 0 diff rich.ex shown.ex
expect 0 cat --json shown.ex
mv out again
expect 0 cat --json rich.ex
same out again
end

begin 'head: some examples, after others'
expect 0 head -n 1 --skip 2 --json xor.ex
lines out 2
has out '{"example":2,'
end

begin 'stats: streams, and the other columns'
expect 0 stats rich.ex
has out 'stream in.input: dense, dim 4, float32'
has out 'column name: text; missing: 1'
has out 'column freq: float32'
expect 0 stats --json rich.ex
json out
end

begin 'schema: the network as options that can be given again'
expect 0 schema --to lens rich.ex
is out "--group 'in:4:input'
--group 'pair:2:input'
--group 'pair:2:output'"
end

# ---- between text and binary ----

begin 'from text to binary and back: nothing is lost'
expect 0 convert rich.ex rich.bex
expect 0 convert rich.bex back.ex
expect 0 cat --json rich.ex
mv out one
expect 0 cat --json back.ex
same out one
expect 0 diff rich.ex rich.bex
expect 0 hash rich.ex rich.bex back.ex
cut -d ' ' -f 1 out | sort -u >hashes
lines hashes 1
end

begin 'inputs of one event that are the targets of another: written twice as text, with a warning, and the same from then on'
printf ';\n2 [0] T: 5 B: 1 2;\n' >across.ex
expect 0 convert across.ex across.bex
lacks err 'warning'
expect 0 convert across.bex twice.ex
has err 'expected inputs that are shared as targets of the same events, found targets of other events; written once more, as targets'
is twice.ex ';
2
[0]I: 1 2
[0]T: 5
[1]T: 1 2
;'
expect 0 diff across.ex twice.ex
expect 0 convert twice.ex twice.bex
expect 0 convert twice.bex again.ex
same twice.ex again.ex
end

begin 'the sign of a zero is kept, also in times and defaults'
printf 'min:-0 ;\n2 [1 defI:-0 grace:-0] [0] I: -0 I: 1;\n' >minus.ex
expect 0 convert minus.ex minus.bex
expect 0 convert minus.bex minus2.ex
expect 0 cat --json minus.ex
mv out one
has one '"min":-0'
has one '"grace":-0,"defI":-0'
expect 0 cat --json minus2.ex
same out one
expect 0 convert --group x:1:input minus.ex minus3.ex
expect 0 diff --group x:1:input minus.ex minus3.ex
end

begin 'a frequency below 0 is a loss in binary, which Lens would not read'
printf ';\nfreq:-1 I: 1;\n' >less.ex
expect 6 convert less.ex less.bex
has err 'negative frequency (1)'
[ ! -e less.bex ] || fault 'expected no less.bex'
expect 0 convert --allow loss less.ex less.bex
expect 0 cat --json less.bex
has out '"freq":0'
end

begin 'the name says which spelling and compression; the content does, too'
expect 0 convert xor.ex xor.bex.gz
gzip -dc xor.bex.gz | head -c 4 | od -An -tx1 | tr -d ' \n' >magic
is magic 'aaaaaaaa'
cp xor.bex.gz any.name
expect 0 diff xor.ex any.name
expect 0 convert xor.ex xor2.ex.bz2
expect 0 diff xor.ex xor2.ex.bz2
end

begin 'a name without its compression suffix is found, in no other format'
expect 0 convert xor.ex hidden.ex.gz
expect 0 diff xor.ex hidden.ex
cp hidden.ex.gz moved.bex.gz
expect 0 head -n 1 moved.bex
expect 0 convert xor.ex hidden2.ex.bz2
expect 0 convert hidden2.ex hidden2.bex
expect 0 diff xor.ex hidden2.bex
expect 3 cat nowhere.ex
has err 'cannot open nowhere.ex'
gzip -c pairs.ctf >hidden.ctf.gz
# shellcheck disable=SC2086
expect 3 cat $PAIRS hidden.ctf
end

begin 'what a text cannot hold stops the conversion, unless that is allowed'
one='\077\200\000\000' zero='\000\000\000\000' once='\000\000\000\001'
# shellcheck disable=SC2059
printf "\\252\\252\\252\\252\\000\\000\\000\\004\\000$one$zero$zero$zero$one$zero$one$once" >odd.bex
# shellcheck disable=SC2059
printf "a}b\\000\\000$one$once$zero$zero$zero" >>odd.bex
expect 0 head --json odd.bex
has out '"name":"a}b"'
expect 6 convert odd.bex odd.ex
has err 'found loss'
[ ! -e odd.ex ] || fault 'expected no odd.ex'
expect 0 convert --allow loss odd.bex odd.ex
end

# ---- as rows ----

begin 'to streams without loss if there are no other columns'
expect 0 convert xor.ex xor.ctf
is xor.ctf '|inputs 0 0 |targets 0
|inputs 0 1 |targets 1
|inputs 1 0 |targets 1
|inputs 1 1 |targets 0'
expect 0 diff xor.ex xor.ctf
expect 0 convert xor.ctf again.bex
expect 0 diff xor.ex again.bex
expect 0 convert xor.ex xor.cbf
expect 0 diff xor.ex xor.cbf
expect 0 hash xor.ex xor.ctf xor.cbf xor.bex.gz
cut -d ' ' -f 1 out | sort -u >hashes
lines hashes 1
end

begin 'names, weights, times and procs are data: a format without a place for them loses them'
expect 6 convert rich.ex rich.cbf
has err 'found loss: set proc (1), example name (1), example proc (1), example frequency (1), event time (2), event proc (1)'
[ ! -e rich.cbf ] || fault 'expected no rich.cbf'
expect 0 convert --allow loss rich.ex rich.cbf
has err '6 kinds of loss allowed'
expect 0 cat --json rich.cbf
is out '{"key":0,"streams":{"in.input":[[2,0.5,0.25,2],[0,0,0,0]],"pair.input":[[0,0],[1,1]],"pair.target":[["nan","nan"],[1,1]]}}
{"key":1,"streams":{"in.input":[[1,2,3,4]],"pair.input":[[0,0]],"pair.target":[[-1,-1]]}}'
expect 1 diff rich.ex rich.cbf
has out 'stream "name": "a {b}" | none'
has out 'stream "proc":'
lacks out 'in.input'
end

begin 'a proc that cannot stand in a text file is a loss, also that of the set'
{
	printf '\252\252\252\252\000\000\000\004puts {\000\077\200\000\000' # max:1
	printf '\000\000\000\000\000\000\000\000\000\000\000\000\077\200\000\000\000\000\000\000\077\200\000\000'
	printf '\000\000\000\000' # no examples
} >brace.bex
expect 6 convert brace.bex brace.ex
has err 'set proc'
[ ! -e brace.ex ] || fault 'expected no brace.ex'
end

begin 'NaN is kept where it can be, and is a loss elsewhere'
expect 0 convert nan.ex nan.cbf
expect 0 cat --json nan.cbf
has out '{"inputs":[[0,1,"nan"]],"targets":[[1]]}'
expect 6 convert nan.ex nan.ctf
has err 'NaN (2)'
end

begin 'widths are those of the whole file, or of the network'
expect 0 cat --json wide.ex
expect 0 convert wide.ex wide.cbf
expect 0 cat --json wide.cbf
has out '"a.input":[[1,2,0,0]],"b.input":[[0]],"targets":[[1]]'
has out '"a.input":[[0,0,0,7]],"b.input":[[1]]'
expect 0 convert -f --group a:5:input --group b:1:input --group c:2:output wide.ex wide.cbf
expect 0 cat --json wide.cbf
has out '"a":[[1,2,0,0,0]],"b":[[0]],"c":[[1,0]]'
end

begin 'units of the whole network are those of its groups, one after the other'
expect 0 convert --group p:1:input --group q:1:input --group t:1:output xor.ex parts.ctf
is parts.ctf '|p 0 |q 0 |t 0
|p 0 |q 1 |t 1
|p 1 |q 0 |t 1
|p 1 |q 1 |t 0'
end

begin 'units that the network does not have are an error, and groups that it does not have are skipped'
expect 4 stats --group p:1:input --group t:1:output xor.ex
has err 'xor.ex:2:'
has err 'expected units from 0 to 0 of group "p", found 0 to 1'
expect 0 stats --max-errors 9 --group p:1:input --group t:1:output xor.ex
expect 2 stats --group q:1:input --group t:1:output wide.ex
has err '--group q: expected a group of inputs in wide.ex, found none of that name (--allow missing goes on without it)'
expect 0 stats --group a:4:input --group t:1:output wide.ex
has err 'expected an input group of the network, found "b"; the range is left out'
end

begin 'an example that is cut off'
printf 'I:1 0 T:1;\nI:0 1 ' >cut.ex
expect 4 cat cut.ex
has err "the ';' that ends the example, found the end of the file"
expect 0 cat --drop-incomplete cut.ex
has err 'cut.ex:1 (byte 10): expected an example with its end, found the end of the input; what is cut off is left out'
printf 'I:1 0 T:1;\n' >whole.ex
cp out cut
expect 0 cat whole.ex
is out "$(cat cut)"
end

begin 'sparse where declared'
expect 0 convert -f --group x:3:input:sparse --group t:1:output nan.ex nan.cbf
expect 0 cat --json nan.cbf
has out '"x":[[[0,0],[1,1],[2,"nan"]]]'
has out '"x":[[[0,1],[2,1]]]'
end

begin 'a unit named again keeps its place and gets the later value'
printf 'i: 7 3 7 5 {2} 3 {4} 5 8 3;\ni: 2 1;\ni: 1 2;\n' >again.ex
expect 0 convert -f --group x:9:input:sparse again.ex again.ctf
is again.ctf '|x 7:1 3:4 5:4 8:4
|x 2:1 1:1
|x 1:1 2:1'
end

begin 'the memory for an example depends on its size, not on the numbers in it'
printf 'i: 2000000000;\n' >wide.unit.ex
expect 0 validate --max-memory 24M wide.unit.ex
expect 0 info wide.unit.ex
has out '  inputs       sparse  dim 2000000001  float32'
expect 0 convert -f --max-memory 24M wide.unit.ex wide.unit.ctf
is wide.unit.ctf '|inputs 2000000000:1'
printf 'i: 0-2000000000;\n' >wide.span.ex
expect 1 validate --max-memory 24M wide.span.ex
expect 1 validate wide.span.ex
printf ';\n65536 [*] i: 0-100000;\n' >wide.events.ex
expect 1 validate --max-memory 64M wide.events.ex
has out 'wide.events.ex:2:1 (byte 2): sequence 0: expected at most 1048576 units in all events of an example'
printf 'defI: 1;\ni: 12345678;\n' >wide.default.ex
expect 1 validate --max-memory 24M wide.default.ex
has out 'found 12345679 when only 1051648 are left'
expect 0 validate --group x:12345679:input wide.default.ex
end

begin 'from streams to examples and back'
# shellcheck disable=SC2086
expect 0 convert $PAIRS $SIDES pairs.ctf pairs.ex
is pairs.ex ';
2
[0]I:({x} 0) 1 2
[1]I:({x} 0) 3 4
[0]t:{{y} 1} 0
[1]t:{{y} 1}
;
I:({x} 0) 5 6
t:{{y} 0.5} 2 {{y} 3} 0
;'
# shellcheck disable=SC2086
expect 0 convert $SIDES pairs.ex back.ctf
same back.ctf pairs.ctf
# shellcheck disable=SC2086
expect 0 convert $PAIRS $SIDES pairs.ctf pairs.bex
# shellcheck disable=SC2086
expect 0 diff $SIDES pairs.ex pairs.bex
end

begin 'streams without a side need one'
# shellcheck disable=SC2086
expect 2 convert $PAIRS pairs.ctf no.ex
has err "stream \"x\": expected a name that says whether these are inputs or targets"
has err "--group 'x:2:input'"
# shellcheck disable=SC2086
expect 2 convert $PAIRS --group x:3:input --group y:3:output pairs.ctf no.ex
has err 'expected the dim of stream "x", 2, found 3'
expect 2 cat --group x:0:input xor.ex
has err 'expected NAME:SIZE:input|output[:sparse]'
expect 2 cat --group x:1:input --group x:2:input xor.ex
has err 'expected each group once on each side'
[ ! -e no.ex ] || fault 'expected no no.ex'
end

begin 'what examples cannot hold is a loss: unequal lengths, indices twice'
printf '0 |a.input 1 |b.target 1\n0 |a.input 2\n1 |a.input 3 |b.target 4\n' >uneven.ctf
expect 6 convert uneven.ctf uneven.ex
has err 'unequal lengths (1)'
expect 0 convert --allow loss uneven.ctf uneven.ex
has uneven.ex '{{b} -} *'
printf '0 |a.input 1:1 1:2\n' >twice.ctf
expect 6 convert -f --stream a.input:3:sparse twice.ctf twice.ex
has err 'repeated index (1)'
end

begin 'a time that is NaN would be inherited'
printf 'grace:-;\nI: 1 T: 0;\n' >timeless.ex
expect 0 convert timeless.ex timeless.bex
expect 6 convert --group x:1:input --group y:1:output timeless.ex named.ex
has err 'stream "event.grace": expected a number, found NaN'
end

begin 'two files of examples into one'
expect 0 convert xor.ex xor.ex both.bex
expect 0 stats both.bex
has out 'sequences: 8'
end

# ---- wrong input ----

begin 'an example that does not end'
expect 4 cat cut.ex
has err 'cut.ex:'
has err 'expected'
expect 1 validate cut.ex
expect 0 validate xor.ex rich.ex
end

begin 'options of other commands are refused'
expect 2 stats --loop xor.ex
has err '--loop: expected a command that shows rows as they arrive'
expect 2 cat --group nonsense xor.ex
end

# ---- as they arrive ----

begin 'the first example of a slow writer arrives before the writer ends'
mkfifo slow
(
	printf ';\nI: 1 T: 0;\n'
	while [ ! -e seen ]; do sleep 0.05; done
	printf 'I: 2 T: 1;\n'
) >slow &
writer=$!
"$sheaf" cat --json slow >out 2>err &
reader=$!
tries=0
while [ $tries -lt 200 ] && ! grep -q '"example":0' out; do
	sleep 0.05
	tries=$((tries + 1))
done
has out '"example":0'
lacks out '"example":1'
: >seen
wait $reader || fault "expected exit status 0: $(cat err)"
wait $writer
has out '"example":1'
end

begin 'what is written to a pipe goes out example by example'
rm -f seen
mkfifo source target
(
	printf ';\nI: 1 T: 0;\n'
	while [ ! -e seen ]; do sleep 0.05; done
	printf 'I: 2 T: 1;\n'
) >source &
writer=$!
"$sheaf" convert --from lens --to lens source target 2>err &
converter=$!
cat target >arrived &
tries=0
while [ $tries -lt 200 ] && ! grep -q 'I: 1' arrived 2>/dev/null; do
	sleep 0.05
	tries=$((tries + 1))
done
has arrived 'I: 1'
lacks arrived 'I: 2'
: >seen
wait $converter || fault "expected exit status 0: $(cat err)"
wait
has arrived 'I: 2'
end

begin '--loop begins again at the end: a file'
"$sheaf" head --loop -n 9 --json xor.ex >out 2>err || fault "expected exit status 0: $(cat err)"
lines out 10
grep -c '"example":0,' out >zeros
is zeros 3
end

begin '--loop opens a FIFO again for the next writer'
mkfifo rounds
# A writer that opens before the reader has seen the end would only continue where the last one stopped.
(
	for round in 1 2 3; do
		printf ';\nI: %s T: 0;\n' $round >rounds
		while ! grep -q "I: $round" out; do sleep 0.05; done
		sleep 0.5
	done
) &
writer=$!
: >out
"$sheaf" head --loop -n 3 rounds >out 2>err || fault "expected exit status 0: $(cat err)"
wait $writer
has out 'I: 1'
has out 'I: 3'
end

begin '--loop: the next writer of a FIFO must begin with the same header'
for header in 'max:2' 'proc:p'; do
	rm -f rounds && mkfifo rounds
	(
		printf ';\nI: 1 T: 0;\n' >rounds
		while ! grep -q 'I: 1' out; do sleep 0.05; done
		sleep 0.5
		printf '%s;\nI: 2 T: 0;\n' "$header" >rounds
	) &
	writer=$!
	: >out
	"$sheaf" head --loop -n 2 rounds >out 2>err
	[ $? -eq 4 ] || fault "expected exit status 4: $(cat err)"
	wait $writer
	has err 'rounds: expected the same header as the first time, found another'
done
end

begin '--loop over standard input: a file begins again, a pipe cannot'
"$sheaf" head --loop -n 6 --json - <xor.ex >out 2>err || fault "expected exit status 0: $(cat err)"
lines out 7
printf ';\nI: 1;\n' | "$sheaf" cat --loop - >out 2>err
[ $? -eq 6 ] || fault "expected exit status 6: $(cat err)"
has err 'cannot be opened again by its name'
end

begin 'an empty set does not loop forever'
printf ';\n# nothing\n' >none.ex
expect 0 cat --loop none.ex
end

begin "a binary much larger than the memory allowed is written: its examples wait in a temporary file for their number"
awk 'BEGIN { print ";"; for (i = 0; i < 60000; i++) printf "i: {1} %d %d %d %d %d %d t: {1} %d;\n", i % 7, i % 11 + 10, i % 13 + 30, i % 17 + 50, i % 19 + 70, i % 23 + 90, i % 5 }' >many.ex
expect 0 convert --max-memory 4M many.ex many.bex
expect 0 convert many.ex wanted.bex
same many.bex wanted.bex
[ "$(wc -c <many.bex)" -gt 4194304 ] ||
	fault "expected a binary of more than 4 MiB, found $(wc -c <many.bex) bytes"
expect 0 diff many.ex many.bex
end

begin 'what validate says does not depend on the memory: an example of events without any values'
printf ';\n60000 I: 1;\n70000 I: 1;\n' >events.ex
for memory in 16M 256M 4G; do
	expect 1 validate --max-memory $memory events.ex
	is out 'error: events.ex:3:1 (byte 14): expected at most 65536 events, and one more for each byte of the example (65547), found 70000; the example is left out
events.ex: 1 violation'
done
expect 5 cat events.ex
awk 'BEGIN { print ";"; print "66000"; for (i = 0; i < 100; i++) print "I: 1"; print ";" }' >many.ex
expect 0 validate many.ex
end

# ---- changed and chosen, with all that the model has ----

begin 'rows are taken as they are: nothing in an example is lost or spelled in another way'
printf 'name:{one} freq: 2\nI: (hid) 1 0 T: (out) 1;\nname:{two} I: (hid) 0 1 T: (out) 0;\nname:{three} B: {hid} * ;\nI: {hid} 1;\n' >four.ex
expect 0 convert --where 't*' four.ex some.ex
is some.ex ';
name:{two}
I:({hid} 0) 0 1
T:({out} 0) 0
;
name:{three}
b:{{hid} 1} *
;'
for chosen in '--rows 1:3' '--skip 3' '--sample 2' '--sample 50% --seed 3' '-n 2' '--where one' \
	'--rows 9:'; do
	# shellcheck disable=SC2086 # several words
	expect 0 cat --json $chosen four.ex
	sed 's/"example":[0-9]*/"example":0/' out >wanted
	for suffix in ex bex; do
		rm -f part.$suffix
		# shellcheck disable=SC2086 # several words
		expect 0 convert $chosen four.ex part.$suffix
		expect 0 cat --json part.$suffix
		sed 's/"example":[0-9]*/"example":0/' out >found
		same wanted found
	done
done
expect 2 convert --where nobody four.ex never.ex
has err '--where: expected the name of a row of four.ex, or a pattern for names, found "nobody", which none of them has'
[ ! -e never.ex ] || fault 'expected no output'
end

begin 'examples are changed in at most 64 ways'
# shellcheck disable=SC2046 # an option and its value each
expect 2 convert $(seq -f '--frequency=x%g=1' 64) four.ex never.ex
lacks err 'at most'
# shellcheck disable=SC2046
expect 5 convert $(seq -f '--frequency=x%g=1' 65) four.ex never.ex
has err 'expected at most 64 changes of examples, found more'
end

begin 'groups are renamed and frequencies set, wherever examples are read'
expect 0 convert --rename-group hid=hidden --frequency 3 --frequency 't*=0.5' --frequency three=1e-3 \
	four.ex edited.ex
is edited.ex ';
name:{one}
freq:3
I:({hidden} 0) 1 0
T:({out} 0) 1
;
name:{two}
freq:0.5
I:({hidden} 0) 0 1
T:({out} 0) 0
;
name:{three}
freq:0.001
b:{{hidden} 1} *
;
freq:3
i:{{hidden} 1} 1
;'
expect 0 cat --rename-group hid=hidden --frequency 3 --frequency 't*=0.5' --frequency three=1e-3 four.ex
mv out shown
expect 0 cat edited.ex
same shown out
expect 0 hash --rename-group hid=hidden --rename-group out=o four.ex
cut -c 1-32 out >wanted
expect 0 convert --rename-group hid=hidden --rename-group out=o four.ex edited.bex
expect 0 hash edited.bex
cut -c 1-32 out >found
same wanted found
expect 0 info --rename-group hid=hidden four.ex
has out 'hidden.input'
lacks out ' hid.'
end

begin 'a change that applies to nothing, or is empty, is an error'
for command in 'convert four.ex never.ex' 'stats four.ex'; do
	# shellcheck disable=SC2086 # several words
	expect 2 $command --rename-group hit=hidden
	has err '--rename-group: expected the name of a group of four.ex, found "hit", which none of them has'
	# shellcheck disable=SC2086 # several words
	expect 2 $command --frequency four=1
	has err '--frequency: expected the name of an example of four.ex, found "four", which none of them has'
	[ ! -e never.ex ] || fault 'expected no output'
done
for wrong in hid =x x=; do
	expect 2 cat --rename-group "$wrong" four.ex
	has err "--rename-group: expected OLD=NEW, found \"$wrong\""
done
for wrong in x one= one=-1 one=x 1e 'nan'; do
	expect 2 cat --frequency "$wrong" four.ex
	has err "--frequency: expected a number F of at least 0, or NAME=F, found \"$wrong\""
done
end

echo "1..$count"
