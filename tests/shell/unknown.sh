# What a kind of profile cannot know is blank in every view: device columns without device work, what
# happened when where only durations were recorded, durations where none were.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

# filled FILE PATTERN: columns of its views that match and have a value
filled()
{
	rm -rf "$work/all"
	strata report all -q -f tsv --no-cache -o "$work/all" "$1" 2>"$work/err" || return 1
	awk -F '\t' -v pattern="$2" '
	FNR == 1 { split($0, id, "\t"); view = FILENAME; sub(/.*\//, "", view); next }
	view == "overview.tsv" { if ($2 ~ pattern && $4 != "") print view, $2, $4; next }
	{ for (i = 1; i <= NF; i++) if ($i != "" && id[i] ~ pattern) print view, id[i], $i }' \
		"$work/all"/*.tsv >"$work/filled"
}

# blank WHAT FILE PATTERN: no such column has a value
blank()
{
	filled "$2" "$3" || fail "$2 cannot be opened: $(cat "$work/err")"
	[ ! -s "$work/filled" ] || {
		sort "$work/filled" | uniq -c | sort -rn | head >&2
		fail "$2 says what it cannot know: $1"
	}
}

idle='idle_(launch|sync|dataloader|allocator|compile|dependency|overhead|host|outside)_(ns|pct)'
no_device="^($idle|gpu_(total|self|avg|min|max|bwd)_ns|gpu_util_pct|busy_pct|exposed_copy_.*|launches|launched)\$|\
^(kernels?(_ns|_pct)?|mem(cpy|set)_(ns|pct)|compute(_overlapped)?_(ns|pct)|(non_)?tc_ns)\$"
no_calls='^(runtime|overhead_(total|avg|min|max))_ns$'
no_times="^($idle|idle_unknown_pct|(busy|gpu_util|util)_pct|(overlap|idle|compute_overlapped|exposed_.*)_(ns|pct))\$"

tracegen --layers 2 -o "$work/own.json"
sed -E 's/"cat": "(kernel|gpu_[a-z_]*|cuda_runtime|cuda_driver)"/"cat": "Trace"/' "$work/own.json" >"$work/cpu.json"
blank 'device work' "$work/cpu.json" "$no_device"
# the parts of a step add up to it: what is not known has a column, which the whole run need not say
! grep -q 'idle_unknown.*[0-9]' "$work/all/overview.tsv" || fail "overview tells of an idle GPU without one"
blank 'runtime calls' "$work/cpu.json" "$no_calls"
filled "$work/own.json" "$no_device|$no_calls"
for column in idle_launch_ns gpu_total_ns busy_pct launches runtime_ns overhead_avg_ns; do
	grep -q " $column " "$work/filled" || fail "$column is never known"
done

# without any event there is no rank's step, no path, and no length of a recording
echo '{"cudaEvents": 1, "traceEvents": [{"name": "memory", "ph": "C", "pid": 1, "ts": 1, "args": {"used": 1}},
	{"name": "memory", "ph": "C", "pid": 1, "ts": 5, "args": {"used": 2}}]}' >"$work/counters.json"
blank 'its steps' "$work/counters.json" '^(computation|communication|overlap)_ns$|^(share|other)_pct$'

# steps of a server that close before the GPU works, whose launches were not recorded, hold nothing: the capture is
# one step; with launches it has two
served()
{
	cat >"$work/server.json" <<END
{"traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "execute_context_0(0)_generation_2(2)", "pid": 1, "tid": 1, "ts": 1, "dur": 8},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2, "dur": 5, "args": {"$1": 1}},
{"ph": "X", "cat": "user_annotation", "name": "execute_context_0(0)_generation_2(2)", "pid": 1, "tid": 1, "ts": 11, "dur": 8},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12, "dur": 5, "args": {"$1": 2}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 31, "dur": 5,
 "args": {"device": 0, "stream": 7, "$1": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 37, "dur": 5,
 "args": {"device": 0, "stream": 7, "$1": 2}}]}
END
	strata query -q -f csv 'select kernel_ns, launches from steps' "$work/server.json" |
		sed 1d | tr -d '\r' | tr '\n' ' '
}
assert_equal 'steps with launches' '5000,1 5000,1 ' "$(served correlation)"
assert_equal 'a step without them' '10000,2 ' "$(served lost)"

# answer DETECTOR FILE: of the check; "unknown" where it cannot tell
answer()
{
	strata report advice -q -g all -f csv -c severity,detector "$2" | tr -d '\r' | sed -n "s/,$1\$//p"
}

# whether a period of kernels is a step, or a layer whose activations stay until the backward pass
awk 'BEGIN {
	print "{\"traceEvents\": ["
	for (i = 0; i < 320; i++) {
		printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 3, \"args\": {\"correlation\": %d}},\n", 10 * i, i + 1
		printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k%d\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 5, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}},\n", i % 40, 10 * i + 4, i + 1
		printf "{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"args\": {\"Device Type\": 1, \"Device Id\": 0, \"Bytes\": 9, \"Addr\": %d, \"Total Allocated\": %d, \"Total Reserved\": 9000}}%s\n", 10 * i + 5, 4096 + i, 1000 + 9 * i, i < 319 ? "," : "]}"
	}
}' >"$work/period.json"
assert_exit 0 strata report info -q "$work/period.json"
assert_line "$work/out" 'a period of'
assert_equal 'memory of periods' unknown "$(answer memory_growth "$work/period.json")"

# a machine without a GPU computes in its operators
echo '{"schemaVersion": 1, "traceEvents": [
	{"ph": "X", "cat": "user_annotation", "name": "load", "pid": 1, "tid": 1, "ts": 1, "dur": 30}]}' >"$work/ranges.json"
blank 'its operators' "$work/ranges.json" '^computation_ns$'
# and a GPU without them computes for 0 ns where it copies
echo '{"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEvents": [
	{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 5, "args": {"device": 0, "stream": 7}},
	{"ph": "X", "cat": "gpu_memcpy", "name": "c", "pid": 0, "tid": 7, "ts": 10, "dur": 5,
	 "args": {"device": 0, "stream": 7}}]}' >"$work/copies.json"
assert_equal "a copy alone" 0 "$(strata report rank-time -q -f csv -c computation_ns --time 8us..20us "$work/copies.json" |
	sed 1d | tr -d "\r" | sort -u)"

# where no kernel tells whether it uses Tensor Cores, the device may have none
eligible()
{
	cat >"$work/kernels.json" <<END
{"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 9, "args": {"External id": 1}},
{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 11, "dur": 9, "args": {"External id": 2}},
{"ph": "X", "cat": "kernel", "name": "$1", "pid": 0, "tid": 7, "ts": 3, "dur": 5,
 "args": {"External id": 1, "device": 0, "stream": 7}}]}
END
	strata query -q -f csv 'select name, tc_eligible from operators order by name' "$work/kernels.json" |
		sed 1d | tr -d '\r' | tr '\n' ' '
}
assert_equal 'with a known kernel' 'aten::add,0 aten::mm,1 ' "$(eligible ampere_sgemm_128x64_nn)"
assert_equal 'with an unknown kernel' 'aten::add, aten::mm, ' "$(eligible pe_exe)"

# estimated bytes have a mark wherever they are formatted
for view in operators launches layers; do
	assert_exit 0 strata report $view -q -f csv -c bytes_from,bytes "$work/own.json"
	strata report $view -q -c bytes_from,bytes "$work/own.json" | sed 1,2d |
		awk 'NF { marked = $2 ~ /^~/; if (marked != ($1 == "estimated")) exit 1; n += marked }
			END { exit !n }' || fail "$view: estimates are not marked"
	! grep -q '~' "$work/out" || fail "$view: a mark in a number for programs"
done

strata report overview -q "$work/own.json" | grep -q '^work  *Bytes  *~' || fail "overview: bytes are not marked"

need_corpus ncu
# PyTorch's traces list the GPUs of the machine: without one, GPU time is 0
kinds='SELECT NOT EXISTS (SELECT 1 FROM launches WHERE kind IN ('"'kernel', 'memcpy', 'memset'"')) AND
	EXISTS (SELECT 1 FROM spans) AND (EXISTS (SELECT 1 FROM info WHERE section LIKE '"'device %'"') OR
	NOT EXISTS (SELECT 1 FROM info WHERE metric = '"'format' AND (value LIKE 'Kineto%' OR value LIKE 'Chrome%')"')),
	EXISTS (SELECT 1 FROM overview WHERE metric = '"'times'"'),
	EXISTS (SELECT 1 FROM launches) AND NOT EXISTS (SELECT 1 FROM launches WHERE dur_ns > 0)'
(cd "$corpus" && find ncu pyprof -type f -size -2M ! -name '*.md' && small_profiles) | sort -u | sampled 4 >"$work/paths"
while read -r path; do
	file=$corpus/$path
	strata query -q -f csv "$kinds" "$file" >"$work/kinds" 2>/dev/null || continue
	kinds_here=$(tail -n 1 "$work/kinds" | tr -d '\r')
	case $kinds_here in 1,*) blank 'device work' "$file" "$no_device" ;; esac
	case $kinds_here in *,1,*) blank 'when work ran' "$file" "$no_times" ;; esac
	case $kinds_here in *,1) blank 'durations' "$file" '^(gpu_(total|self|avg|min|max)|total|avg|min|max|stddev|computation|kernel|compute)_ns$' ;; esac
	echo "$kinds_here" >>"$work/seen"
done <"$work/paths"
[ -z "${SANITIZERS-}" ] || exit 0 # a sample need not have each kind
for kind in 1, ,1, ,1; do
	case $kind in 1,) pattern='^1,' ;; ,1,) pattern=',1,' ;; *) pattern=',1$' ;; esac
	[ "$(grep -c "$pattern" "$work/seen")" -ge 1 ] || fail "no profile here is of kind $kind"
done
sort "$work/seen" | uniq -c

# a step without a duration is none
echo '[{"ph":"i","name":"a","ts":1,"pid":1,"tid":1,"s":"t"}]' >"$work/instant.json"
for view in ranks runs; do
	assert_equal "step time in $view" step_ns "$(strata query -q -f csv "SELECT step_ns FROM $view" "$work/instant.json" | tr -d '\r\n')"
done

# how many GPUs a machine has no sums of functions tell
printf 'a;b 1\na;c 2\n' >"$work/counts.txt"
assert_exit 0 strata report dlprof-summary -q "$work/counts.txt"
! grep '^GPU Count' "$work/out" || fail "GPUs are counted that no file tells of"
