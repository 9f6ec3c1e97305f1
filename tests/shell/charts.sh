# Pies, lanes and charts show what follows from the numbers in the files, added up here from the raw
# events: shares of kernels and of Tensor Cores, SM efficiency over time, differences and their sum.
. "${srcdir:-.}/tests/lib.sh"

# kernel NAME START DUR BLOCKS: and its launch
kernel()
{
	printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%s,"dur":1,"args":{"correlation":%s}},\n' \
		"$2" "$2"
	printf '{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{"device":0,"stream":7,"correlation":%s,"blocks per SM":%s}},\n' \
		"$1" "$2" "$3" "$2" "$4"
}

# trace FILE NAME DUR BLOCKS...: kernels one after another
trace()
{
	file=$1 at=0
	shift
	{
		echo '{"deviceProperties":[{"id":0,"name":"Tesla V100-SXM2-16GB","computeMajor":7,"computeMinor":0,"numSms":80}],"traceEvents":['
		while [ $# -gt 0 ]; do
			kernel "$1" $at "$2" "$3"
			at=$((at + $2))
			shift 3
		done
		echo '{"ph":"i","ts":0,"pid":1,"tid":1,"name":"end","s":"g"}]}'
	} >"$file"
}

# kernels FILE: name, duration and blocks per SM of the kernels in the file itself
kernels()
{
	sed -n 's/.*"cat":"kernel","name":"\([^"]*\)".*"dur":\([0-9]*\).*"blocks per SM":\([0-9.]*\).*/\1 \2 \3/p' "$1"
}

trace "$work/base.json" volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn 250 0.25 \
	volta_sgemm_128x64_nn 450 0.5 tanh_kernel 200 0.75 volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn 100 2
trace "$work/new.json" volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn 310 0.25 \
	volta_sgemm_128x64_nn 410 0.5 tanh_kernel 210 0.75 volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn 140 2

# The pie of all kernels, and that of those with and without Tensor Cores, of which a name with s884
# has them and one with sgemm does not.
assert_exit 0 strata report dashboard -q -w 120 "$work/base.json"
kernels "$work/base.json" | awk '{ ns[$1] += $2; all += $2 }
	END { for (name in ns) printf "%.1f %s\n", 100 * ns[name] / all, name }' >"$work/pie"
assert_equal "kernels in the file" 3 "$(wc -l <"$work/pie")"
while read -r share name; do
	assert_line "$work/out" "^ $name .* $share %"
done <"$work/pie"
kernels "$work/base.json" | awk '
	{ all += $2 } /s884/ { used += $2 } /sgemm/ { unused += $2 }
	END { printf "█ %.1f\n▚ %.1f\n╱ %.1f\n", 100 * used / all,
		100 * unused / all, 100 * (all - used - unused) / all }' >"$work/pie"
sed -n 's/^ Kernels \([^ ]*\)  *\([0-9.]*\) %.*/\1 \2/p' "$work/out" >"$work/bar"
read -r bar used <"$work/bar"
assert_equal "share of Tensor Cores" "█ $used" "$(head -1 "$work/pie")"
cells=$(printf %s "$bar" | wc -m)
while read -r mark share; do # each part of the bar has its share of the cells
	part=$(printf %s "$bar" | grep -oF "$mark" | wc -l)
	awk "BEGIN { off = 100 * $part - $share * $cells; exit off < -100 || off > 100 }" ||
		fail "$part of $cells cells for $share %"
done <"$work/pie"

# The lane of SM efficiency: in eighths, the share of the SMs that a kernel has blocks for.
assert_exit 0 strata report timeline -q -w 120 "$work/base.json"
sed -n 's/^GPU0 SM eff[^│]*│\(.*\)│$/\1/p' "$work/out" | grep -o . | uniq -c |
	awk '$1 >= 5 { print $2 }' >"$work/lane"
kernels "$work/base.json" | awk '{ split("▁ ▂ ▃ ▄ ▅ ▆ ▇ █", eighth, " ")
	print eighth[int(8 * ($3 < 1 ? $3 : 1))] }' | diff - "$work/lane" || fail "the lane differs"
wanted=$(kernels "$work/base.json" | awk '{ sum += $2 * ($3 < 1 ? $3 : 1); all += $2 }
	END { printf "%.2f", 100 * sum / all }')
assert_equal "SM efficiency" "$wanted" "$(strata query -q -f tsv "SELECT printf('%.2f', value) FROM overview
	WHERE metric = 'sm_efficiency_pct'" "$work/base.json" | sed 1d)"

# A comparison of runs without layers and operators opens on kernels, the largest differences first.
join_runs()
{
	for side in base new; do
		kernels "$work/$side.json" | awk -v side=$side '{ print side, $1, $2 }'
	done | awk '{ ns[$2] += $1 == "new" ? $3 : -$3 }
		END { for (name in ns) print name "," 1000 * ns[name] }' |
		awk -F, '{ print ($2 < 0 ? -$2 : $2) "," $0 }' | sort -t, -k1,1nr | cut -d, -f2-
}
join_runs >"$work/wanted"
assert_exit 0 strata diff -q -f csv -c name,delta_gpu_ns "$work/base.json" "$work/new.json"
tr -d '\r' <"$work/out" | sed 1d | diff "$work/wanted" - || fail "the differences are others"
strata diff "$work/base.json" "$work/new.json" 2>&1 | grep -q 'kernels are compared' ||
	fail "it does not say what is compared"

# Its chart: bars of more and of less, and their sum so far, in the order of the rows.
assert_exit 0 strata report plot-diff -q -f svg --base "$work/base.json" "$work/new.json"
sed -n 's/.*<title>\([^ ]*\)  \(More\|Less\) \([0-9.]*\) us at \([0-9]*\).*/\4 \1,\2\3/p' "$work/out" |
	sort -n | sed 's/^[0-9]* //; s/More//; s/Less/-/' | awk -F, '{ print $1 "," 1000 * $2 }' |
	diff "$work/wanted" - || fail "the bars are others"
tr '>' '\n' <"$work/out" | sed -n 's/^<polyline points="\([^"]*\)".*/\1/p' | tr ' ' '\n' | tail -n +1 >"$work/line"
# heights of the labels of the lower panel
grep -E '>(0|100) us</text>' "$work/out" | tail -n 2 | sed 's/.* y="\([0-9.]*\)".*>\([0-9]*\) us.*/\2 \1/' >"$work/scale"
awk -F, 'NR == FNR { split($0, label, " "); if (label[1] == 0) zero = label[2]; else top = label[2]; next }
	NF == 2 { y = sprintf("%.0f", 100 * (zero - 4 - $2) / (zero - top))
		if (y != last) print y
		last = y }' "$work/scale" "$work/line" >"$work/sums"
awk -F, '{ sum += $2 / 1000; print sum }' "$work/wanted" | diff - "$work/sums" || fail "the sum so far is another"
