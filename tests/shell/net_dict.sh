# PyProf's net.dict of any profile: the keys of parse.py, which strata and prof.py read again.
. "${srcdir:-.}/tests/lib.sh"

tracegen -o "$work/run.json"
assert_exit 0 strata export --net-dict "$work/net.dict" "$work/run.json"
keys="kShortName kDuration layer trace reprMarkers marker seqMarker seqId subSeqId altSeqId dir mod op tid device stream grid block kLongName"
assert_equal "keys of a line" "$keys" "$(head -n 1 "$work/net.dict" | sed 's|"[^"]*"||g' | grep -oE "[{ ]'[a-zA-Z]+': ['0-9(\[]" |
	sed "s/^..//; s/'.*//" | xargs)"

# the same kernels, durations and operators come back
assert_exit 0 strata query -q -f csv "SELECT name, dur_ns, grid FROM launches WHERE kind = 'kernel'
	ORDER BY 1, 2, 3" "$work/run.json"
mv "$work/out" "$work/before"
assert_exit 0 strata query -q -f csv "SELECT name, dur_ns, grid FROM launches WHERE kind = 'kernel'
	ORDER BY 1, 2, 3" "$work/net.dict"
cmp "$work/before" "$work/out" || fail "kernels of the net.dict differ"
assert_exit 0 strata report pyprof -q "$work/net.dict"
assert_line "$work/out" ' conv2d .* N=64,C=3,H=224,W=224,K=64,'

# the report is the file
assert_exit 0 strata report net-dict -q "$work/run.json"
cmp "$work/net.dict" "$work/out" || fail "report net-dict is not the file"

# what parse.py wrote of the same databases
need_corpus pyprof
cd "$corpus/pyprof" || fail "no folder"
for pair in g200_nsys.sqlite:g200_nsys.dict g200_nvprof.sql:g200_nvprof.dict; do
	assert_exit 0 strata report net-dict -q --no-cache "fixtures/${pair%:*}"
	cmp "$work/out" "fixtures/${pair#*:}" || fail "${pair%:*} differs from parse.py"
done
assert_exit 0 strata report net-dict -q --no-cache josiahdavis__profiling-lm/net.dict
cmp "$work/out" josiahdavis__profiling-lm/net.dict || fail "a net.dict is not kept as it is"
