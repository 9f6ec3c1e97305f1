# PyProf's output on real and synthetic profiles, byte for byte.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_corpus golden/pyprof
[ -x "$corpus/../tools/parity" ] || skip "the comparison tool is not installed"

"$corpus/../tools/parity" "$builddir/strata" --corpus "$corpus" --suite pyprof -v >"$work/out" || {
	grep -v 'identical$' "$work/out" >&2
	fail "the reports differ"
}
assert_line "$work/out" '^pyprof: [1-9][0-9]* of [0-9]+ values agree'

# From standard input, in a scope, in strata's own formats, and with invalid options.
dict=$corpus/pyprof/fixtures/g200_nsys.dict
assert_exit 0 strata report pyprof -q -f json -c idx,flops,layer -n 1 - <"$dict"
assert_line "$work/out" '"idx": ?1, ?"flops": ?0, ?"layer": ?null'
assert_exit 2 strata report pyprof -q -w 20 "$dict"
assert_exit 2 strata report pyprof -q --csv -f json "$dict"
assert_exit 2 strata report kernels -q --csv "$dict"
assert_exit 2 strata report pyprof -q -c nothing "$dict"

# FLOPs of a real network's convolutions, from the sizes that PyProf printed: 2 N K P Q C R S / g
# each.
counted=$(awk -F'","' '
	function value(key) { return match("," $12, "," key "=[0-9]+") ? \
		substr($12, RSTART + length(key) + 1, RLENGTH - length(key) - 2) : 0 }
	NR > 1 && $7 == "fprop" && $8 == 0 && $10 == "conv2d" {
		sum += 2 * value("N") * value("K") * value("P") * value("Q") * value("C") * \
			value("R") * value("S") / value("g")
	} END { printf "%.0f", sum }' "$corpus/golden/pyprof/real_resnet.csv")
resnet=$corpus/nsys/gxxxh__ml_predict/resnet.sqlite
assert_exit 0 strata query -q -f csv "SELECT flops FROM operators WHERE name = 'aten::conv2d'" "$resnet"
assert_equal "FLOPs of the convolutions" "$counted" "$(tail -n 1 "$work/out" | tr -d '\r')"
assert_exit 0 strata query -q -f csv "SELECT flops FROM operators WHERE name = 'ConvolutionBackward0'" "$resnet"
assert_equal "FLOPs of their gradients" $((2 * counted)) "$(tail -n 1 "$work/out" | tr -d '\r')"
# The classifier multiplies [32, 2048] by [2048, 1000], and twice that for its gradients.
assert_exit 0 strata query -q -f csv "SELECT sum(flops) FROM launches WHERE operator = 'aten::addmm'" "$resnet"
assert_equal "FLOPs of the classifier" $((2 * 32 * 2048 * 1000)) "$(tail -n 1 "$work/out" | tr -d '\r')"
assert_exit 0 strata query -q -f csv "SELECT flops FROM operators WHERE name = 'AddmmBackward0'" "$resnet"
assert_equal "FLOPs of its gradients" $((4 * 32 * 2048 * 1000)) "$(tail -n 1 "$work/out" | tr -d '\r')"
