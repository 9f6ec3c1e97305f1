# A profile exported as a Chrome trace reads back as an equal profile: all views match.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

views="steps layers modules operators calls kernels launches memory memory-events memory-curve
	streams utilization critical-path links stacks advice"

columns()
{
	strata report "$1" -c help | awk 'NR > 2 { print $1 }' | paste -sd, -
}

# The views of $1 and of its exported trace match, except the columns "view:column" and views listed
# in $2 and rows matching $3.
assert_same_views()
{
	assert_exit 0 strata export -q --trace "$work/copy.json" "$1"
	assert_exit 0 strata info -q --strict "$work/copy.json"
	for view in $views; do
		chosen=$(columns "$view")
		for except in $2; do
			[ "$except" != "$view" ] || continue 2
			[ "${except%%:*}" = "$view" ] &&
				chosen=$(echo ",$chosen," | sed "s/,${except##*:},/,/; s/^,//; s/,\$//")
		done
		strata report "$view" -q -f csv -c "$chosen" "$1" | grep -v "${3:-^$}" >"$work/original.csv"
		strata report "$view" -q -f csv -c "$chosen" "$work/copy.json" | grep -v "${3:-^$}" \
			>"$work/copy.csv"
		cmp -s "$work/original.csv" "$work/copy.csv" || fail "$view differs in the trace of $1"
	done
}

tracegen --steps 2 --layers 4 --stacks 3 -o "$work/made.json"
assert_same_views "$work/made.json" ''

# Malicious names, lanes without ids, invalid shapes.
cat >"$work/names.json" <<'JSON'
{"schemaVersion":1,"note":"[\"not\" json","traceEvents":[
{"ph":"M","pid":"a \"b\"","tid":"t","name":"thread_name","args":{"name":"x\u001b[2Jy"}},
{"ph":"X","cat":"cpu_op","name":"aten::\"q\"\\ \u0007\u202e","pid":"a \"b\"","tid":"t","ts":1.5,"dur":10,
 "args":{"Input Dims":[[1,2],[],"a,]"],"Input type":"[[","Sequence number":3,"odd \"key\"":"01"}},
{"ph":"X","cat":"strange","name":"","pid":"a \"b\"","tid":"t","ts":2,"dur":0.001,"args":{}},
{"ph":"C","name":"c","pid":1,"tid":1,"ts":4,"args":{"v":1.25}},
{"ph":"i","s":"t","cat":"mark","name":"here","pid":1,"tid":1,"ts":5}
]}
JSON
assert_same_views "$work/names.json" ''

# Begin/end pairs stay spans in any category: as complete events some would become kernels.
cat >"$work/two.json" <<'END'
{"schemaVersion":1,"traceEvents":[
{"ph":"B","cat":"kernel","name":"outer","pid":1,"tid":1,"ts":10,"args":{"x":1}},
{"ph":"B","cat":"kernel","name":"inner","pid":1,"tid":1,"ts":20},
{"ph":"E","pid":1,"tid":1,"ts":30},
{"ph":"E","pid":1,"tid":1,"ts":50},
{"ph":"X","cat":"kernel","name":"sgemm","pid":0,"tid":7,"ts":30,"dur":10,"args":{"device":0,"stream":7}}
]}
END
assert_same_views "$work/two.json" ''
assert_equal "kernels" "$(strata report kernels -q -f csv -c name "$work/copy.json" | tr -d '\r')" \
	"$(printf 'name\nsgemm')"

# A scope is exported alone, unchanged.
assert_exit 0 strata export -q --trace "$work/step.json" --steps 4 "$work/made.json"
assert_equal "steps in the trace of one step" "$(strata report steps -q -f csv -c step "$work/step.json" | tr -d '\r')" \
	"$(printf 'step\n4')"
assert_equal "kernels of one step" \
	"$(strata report kernels -q -f csv -c name,calls,total_ns "$work/step.json")" \
	"$(strata report kernels -q -f csv -c name,calls,total_ns --steps 4 "$work/made.json")"

# A failed write keeps the existing file.
echo kept >"$work/kept"
assert_exit 4 strata export -q --trace "$work/kept" "$work/none.json"
assert_exit 2 strata export -q --trace "$work/no-steps" --steps 999 "$work/made.json"
assert_line "$work/err" 'unknown step; the steps are [0-9]*\.\.[0-9]*$'
[ ! -e "$work/no-steps" ] || fail "a trace of no step"
assert_equal "existing file" "$(cat "$work/kept")" kept
assert_exit 5 strata export -q --trace "$work/no/where" "$work/made.json"

# A list stands there as it was if its texts are plain, else as text, and reads the same.
at=0
{
	printf '{"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}}\n'
	for odd in 'a' '\177' '\303\251' '\\\\' '\\u0001' ']' ','; do
		printf ',{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":%d,"dur":2,"args":{"Concrete Inputs":["x'"$odd"'y","2"]}}\n' $((at += 10))
	done
	echo ']}'
} >"$work/odd.json"
strata export -q --trace "$work/odd-again.json" "$work/odd.json"
! LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" "$work/odd-again.json" || fail "a control character is written"
assert_equal "lists that are plain" 3 "$(grep -c '"Concrete Inputs":\[' "$work/odd-again.json")"
strata export -q --trace "$work/odd-third.json" "$work/odd-again.json"
cmp "$work/odd-again.json" "$work/odd-third.json" || fail "odd texts are read as others"

need_corpus kineto/dlrm_8ranks
need_corpus nsys
for real in $(some kineto/dlrm_8ranks/worker0_step_12.1694128201545.pt.trace.json.gz \
	kineto/profiling_tutorial/dc3b0e7228dd_851.1752215573993169006.pt.trace.json.gz \
	kineto/probes/lightning.pt.trace.json kineto/probes/nccl_modern.pt.trace.json); do
	assert_same_views "$corpus/$real" ''
done
# A trace is taken around the workload, an Nsight capture is not: without steps their windows differ.
assert_same_views "$corpus/nsys/gxxxh__ml_predict/resnet.sqlite" 'launches:correlation
	launches:api_off_cpu_ns streams utilization critical-path advice:recommendation' '[",]off_cpu\|[",]unified_memory\|checks skipped'
# CPU samples are exported as instants: other tools do not show samples of a trace.
for file in "$corpus/nsys/gxxxh__ml_predict/resnet.sqlite" "$work/copy.json"; do
	strata report stacks -g samples -q -f csv "$file" | sort >"$work/stacks"
	[ ! -f "$work/before" ] || cmp -s "$work/before" "$work/stacks" || fail "samples differ"
	mv "$work/stacks" "$work/before"
done
assert_equal "samples in the trace" 1222 "$(grep -c '"ph":"i".*"cat":"cpu_sample"' "$work/copy.json")"
