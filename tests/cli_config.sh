#!/bin/sh
# SPDX-License-Identifier: MIT
# --config: commands that take their file, format, streams and options from a CNTK configuration. TAP on
# standard output.
set -u

# shellcheck source=tests/command.sh
. "${SHEAF_TESTS:?expected the folder of the tests in SHEAF_TESTS}/command.sh"

cat >train.cntk <<'END'
command = Train:Test
precision = "double"
Train = [
    action = "train"
    Network = { f(x) = if x == 1 then "a" else 'b' ; L = Layer { dim:3 } }
    reader = [
        readerType = "CNTKTextFormatReader"
        file = "C:\mydata\data.txt"   # it is beside this file now
        randomize = false; maxErrors = 1
        input = [
            features = [ alias = "A"; dim = 2; format = "dense" ]
            labels   = { format = "sparse" ; dim = 10 }
        ]
    ]
]
Test = [ action = "test"
    reader = [ readerType = "CNTKBinaryReader" ; file = "out.cbf" ; input = { F = { alias = "features" } } ] ]
END
printf '|A 1 2 |labels 3:1\n|A 0.1 0 |labels 9:1 |labels 4:\n' >data.txt

begin "file, streams, precision and tolerance come from the configuration"
expect 0 cat --json --config train.cntk
is out '{"key":0,"streams":{"features":[[1,2]],"labels":[[[3,1]]]}}
{"key":1,"streams":{"features":[[0.1,0]],"labels":[[[9,1]]]}}'
has err '1 error tolerated'
end

begin "every reading command takes it"
expect 1 info --config train.cntk
has out 'features  dense  dim 2  float64  alias A'
has out 'errors: 1 ('
expect 0 head --config train.cntk
lines out 2
expect 0 stats --json --config train.cntk
json out
expect 0 hash --config train.cntk
lines out 1
expect 1 validate --config train.cntk
has out 'data.txt:2:32'
end

begin "convert takes its input from it, and a section by its name"
expect 0 convert --quiet --config train.cntk out.cbf
expect 0 cat --json --config train.cntk:Test
has out '{"F":[[0.1,0]]'
expect 0 cat --json --config train.cntk:test.reader
has out '"F"'
end

begin "what the command line says counts more"
expect 4 cat --config train.cntk --max-errors 0
has err 'data.txt:2:32'
expect 0 cat --quiet --config train.cntk --stream labels:100:sparse
lacks out features
printf '|A 7 8 |labels 1:1\n' >other.txt
expect 0 cat --json --config train.cntk other.txt
has out '[7,8]'
end

begin "the reader section that schema prints is one that --config reads"
expect 0 schema --quiet --config train.cntk --to ctf
sed -n '/^precision/,/^]/p' out >again.cntk
expect 0 schema --quiet --config again.cntk --to ctf
has out '--stream features:2:dense:double:alias=A'
end

begin "refusals"
expect 3 cat --config none.cntk
sed 's/dim = 2/dim = two/' train.cntk >bad.cntk
expect 4 cat --config bad.cntk
has err 'bad.cntk:11:45: dim: expected a whole number, found "two"'
expect 4 cat --config train.cntk:Nowhere
has err 'expected a section "Nowhere"'
expect 2 diff --config train.cntk a b
has err '--config'
sed 's/maxErrors = 1/maxErrors = 1; colour = red/' train.cntk >odd.cntk
expect 0 cat --config odd.cntk
has err 'odd.cntk:9:43: expected a key of such a reader, found "colour"; it is ignored'
expect 4 cat --strict --config odd.cntk
expect 0 cat --quiet --config odd.cntk
lacks err colour
end

begin "of several inputs one is named"
cat >two.cntk <<'END'
reader = { deserializers = ( { type = "CNTKTextFormatDeserializer" ; file = "data.txt"
    input = { A = { dim = 2 ; format = "dense" } } } : { type = "CBFDeserializer" ; file = "out.cbf" } ) }
END
expect 2 cat --config two.cntk
has err 'expected one input for sheaf cat, found 2; name one'
expect 0 cat --config two.cntk:reader.deserializers.0
has out 'A [1 2]'
expect 4 info --config two.cntk:reader.deserializers.1
has err 'out.cbf: stream "features": expected float32, the requested precision, found float64'
expect 0 info --config two.cntk:reader.deserializers.1 'reader=[precision=double]'
has out 'format: cbf'
end

begin "batches take order, window, size of chunks and seed from it"
for i in 0 1 2 3 4 5 6 7 8 9; do echo "|A $i"; done >ten.txt
cat >order.cntk <<'END'
reader = [ readerType = CNTKTextFormatReader ; file = ten.txt ; chunkSizeInBytes = 10
           randomizationSeed = 3 ; randomizationWindow = 2
           input = [ A = [ dim = 1 ; format = dense ] ] ]
END
expect 0 batches --json --size 4 --order cntk --chunk-bytes 10 --seed 3 --window 2 --stream A:1:dense ten.txt
mv out wanted
expect 0 batches --json --size 4 --config order.cntk
same out wanted
sed 's/file = /randomize = false ; file = /' order.cntk >file.cntk
expect 0 batches --json --size 4 --config file.cntk
has out '"keys":[0,1,2,3]'
end

begin "batches join several inputs, each with its own streams"
for i in 0 1 2 3; do echo "$i |A $i $i"; done >a.txt
for i in 3 1 0; do echo "$i |B $i:1"; done >b.txt
cat >join.cntk <<'END'
train = { reader = { randomize = false ; deserializers = (
  { type = "CNTKTextFormatDeserializer" ; file = "a.txt" ; input = { A = { dim = 2 ; format = "dense" } } } :
  { type = "CNTKTextFormatDeserializer" ; file = "b.txt" ; input = { B = { dim = 9 ; format = "sparse" } } }
) } }
END
expect 0 batches --json --config join.cntk
has out '"keys":[0,1,3]'
has err '1 sequences without one'
expect 2 batches --config join.cntk a.txt
has err 'one for each of its 2 inputs'
printf '%s\n' a.txt b.txt >both
: >none
expect 0 batches --json --config join.cntk @both
has out '"keys":[0,1,3]'
expect 2 batches --config join.cntk @both a.txt
has err 'one for each of its 2 inputs, found 3'
expect 2 batches --config join.cntk @none a.txt
has err 'one for each of its 2 inputs, found 1'
end

begin "a binary file has the precision that is said, or is refused"
cat >binary.cntk <<'END'
reader = [ readerType = "CNTKBinaryReader" ; file = "out.cbf" ]
END
expect 4 batches --config binary.cntk
has err 'expected float32, the requested precision, found float64'
expect 0 batches --json --config binary.cntk precision=double
lines out 1
expect 0 convert --quiet --allow loss --out-element-type float out.cbf single.cbf
expect 0 batches --json --config binary.cntk single.cbf
lines out 1
expect 4 cat --element-type double single.cbf
has err 'expected float64, the requested precision, found float32'
expect 0 cat --element-type float single.cbf
end

begin "NAME=VALUE sets variables, as CNTK's command line does"
mkdir -p far
mv ten.txt far
cat >far.cntk <<'END'
train = [ reader = [ file = "$DataDir$/ten.txt" ; randomize = $Shuffle$
                     input = [ A = [ dim = 1 ; format = dense ] ] ] ]
Shuffle = true
END
expect 4 batches --config far.cntk
# shellcheck disable=SC2016 # $ stands in the message
has err 'far.cntk:1:30: file: expected a value of $DataDir$, found none at the top of the file; set it with DataDir=VALUE'
expect 0 batches --json --size 4 --config far.cntk DataDir=far Shuffle=f
has out '"keys":[0,1,2,3]'
expect 0 batches --json --size 4 DataDir=far --config far.cntk 'train=[reader=[randomize=false]]'
has out '"keys":[0,1,2,3]'
expect 4 cat --config far.cntk DataDir=far 'train=[reader=[maxErrors=few]]'
has err 'command line:2:26: maxErrors: expected a whole number, found "few"'
expect 0 convert --quiet --config far.cntk DataDir=far far.cbf
expect 0 info far.cbf
has out 'sequences: 10'
cp far/ten.txt a=b.txt
expect 0 cat --json --config far.cntk DataDir=nowhere ./a=b.txt
lines out 10
expect 3 cat a=c.txt
end

begin "training says how much it takes at a time; the command line says more"
cat >sizes.cntk <<'END'
DataDir = far
train = [
    SGD = [ minibatchSize = 4 ; epochSize = 6 ; maxEpochs = 2 ]
    reader = [ file = "$DataDir$/ten.txt" ; randomize = false ; input = [ A = [ dim = 1 ; format = dense ] ] ]
]
END
expect 0 batches --json --config sizes.cntk
lines out 4
has out '"keys":[4,5]'
has out '"keys":[0,1]'
expect 0 batches --json --config sizes.cntk --size 5 --epochs 1
lines out 2
has out '"keys":[5]'
expect 0 batches --json --config sizes.cntk --epoch-size 1sweep --epochs 1
lines out 3
has out '"keys":[4,5,6,7]'
expect 0 head --config sizes.cntk
lines out 10
end

begin "a rest that wraps goes over the ends of sweeps, whatever the configuration does"
expect 0 batches --json --config sizes.cntk --size 7 --epoch-size 2sweeps --epochs 1
has out '"keys":[7,8,9]'
expect 0 batches --json --config sizes.cntk --size 7 --epoch-size 2sweeps --epochs 1 --rest wrap
has out '"keys":[7,8,9,0,1,2,3]'
end

begin "a sweep of truncated sequences ends with the last samples of the last of them, on every shard"
files="$SHEAF_TESTS/files/config"
expect 0 batches --json --size 4 --config "$files/good-truncated.cntk"
tail -n 1 out >last
has last '"sweep_end":true,"epoch_end":true,"keys":[10]'
grep -c '"sweep_end":true' out >ends
is ends 1
for shard in 0/3 1/3 2/3; do
	expect 0 batches --json --size 6 --epoch-size 2sweeps --shard $shard --config "$files/good-truncated.cntk"
	grep -c '"sweep_end":true' out >ends
	is ends 2
	expect 0 batches --json --size 6 --epoch-size 2sweeps --shard $shard --order cntk --chunk-bytes 40 \
		--pack 2 "$files/good-data.ctf"
	grep -c '"sweep_end":true' out >ends
	is ends 2
done
end

begin "one way to pack: what the command line says replaces what the configuration does"
sed 's/file = ten.txt/file = far\/ten.txt ; frameMode = true/' order.cntk >frames.cntk
expect 0 batches --json --size 4 --config frames.cntk
has out '"packed":{"A":[4,1]}'
expect 0 batches --json --size 4 --config frames.cntk --pack rows
has out '"packed":{"A":[4,1]}'
end

begin "a part of a reader with images is read alone"
cat >images.cntk <<'END'
train = [ reader = [ randomize = false ; deserializers = (
    [ type = "ImageDeserializer" ; module = "ImageReader" ; file = "map.txt" ] :
    [ type = "CNTKTextFormatDeserializer" ; file = "far/ten.txt"
      input = [ A = [ dim = 1 ; format = dense ] ] ]
) ] ]
END
expect 4 batches --config images.cntk
has err 'found "ImageDeserializer"; another part can be read alone, as :train.reader.deserializers.1'
expect 0 batches --json --size 10 --config images.cntk:train.reader.deserializers.1
has out '"keys":[0,1,2,3,4,5,6,7,8,9]'
end

begin "seeds have 64 bits"
expect 0 batches --json --size 4 --seed -1 far/ten.txt
mv out wanted
expect 0 batches --json --size 4 --seed 18446744073709551615 far/ten.txt
same out wanted
expect 2 batches --seed 18446744073709551616 far/ten.txt
has err '--seed: expected a whole number of 64 bits, found 18446744073709551616'
end

echo "1..$count"
