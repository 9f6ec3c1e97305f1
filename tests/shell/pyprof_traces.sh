# prof.py's columns of a trace that PyProf did not record: what launches knows, and na, never 0.
. "${srcdir:-.}/tests/lib.sh"

assert_exit 0 strata report pyprof -q -c dir,op,params,tc,flops,bytes -w 200 --demo
assert_line "$work/out" '^fprop conv2d +N=64,C=3,H=224,W=224,K=64,P=112,Q=112,.* 1 +15105785856 +122046848 *$'
assert_line "$work/out" '^bprop conv2d +N=64,C=64,.* 1 '
assert_line "$work/out" '^fprop aten::max_pool2.* na +na *$'
# a tensor without dimensions, and a number
assert_line "$work/out" '^fprop __add__ +\[\]int64;\[\]int32 .* 1 +16 *$'
assert_line "$work/out" '^fprop batch_norm +\[64,64,112,112\]fp16 '
# so it is of bfloat16, which PyProf did not know
tracegen --steps 1 --layers 1 -o "$work/half.json"
sed 's/c10::Half/c10::BFloat16/g' "$work/half.json" >"$work/bfloat16.json"
for type in half bfloat16; do
	assert_exit 0 strata report pyprof -q -c op,params,flops,bytes -f csv "$work/$type.json"
	sed 's/bf16/fp16/g' "$work/out" >"$work/$type.csv"
done
grep -q 'K=.*bf16' "$work/out" || fail "no type bf16"
cmp "$work/half.csv" "$work/bfloat16.csv" || fail "bfloat16 is not read as float16 is"

sum() { strata report "$@" -q -f csv --demo | tr -d '\r' | awk 'NR > 1 { sum += $1 } END { printf "%.0f\n", sum }'; }
for column in flops bytes; do
	assert_equal "$column of kernels" "$(strata query -q -f csv "SELECT printf('%.0f', sum($column)) FROM launches WHERE kind = 'kernel'" --demo | tail -n 1 | tr -d "\r")" \
		"$(sum pyprof -c $column)"
done

# the columns, once each, not in prof.py's format
assert_exit 0 strata report pyprof -c help
assert_line "$work/out" '^Column +Default +Unit +Definition *$'
assert_line "$work/out" '^params +yes +text '
