# The index cache: options, directory, damage.
. "${srcdir:-.}/tests/lib.sh"

trace="$work/trace.json"
tracegen --size 2M -o "$trace"
touch -d '1 hour ago' "$trace"
cache="$XDG_CACHE_HOME/strata"

# ---- written, used, listed and removed ----
strata cache -f csv >"$work/out"
assert_equal "indexes at first" 1 "$(wc -l <"$work/out")"
strata report operators -q -f csv "$trace" >"$work/read"
assert_equal "mode of the directory" 700 "$(stat -c %a "$cache")"
index=$(echo "$cache"/*.index)
assert_equal "mode of the index" 600 "$(stat -c %a "$index")"
strata report operators -v -f csv "$trace" >"$work/kept" 2>"$work/err"
cmp "$work/read" "$work/kept" || fail "the index gives another answer"
assert_line "$work/err" 'finding the index'
! grep -q nesting "$work/err" || fail "the file was parsed although there is an index"
strata report operators --no-cache -v -f csv "$trace" >"$work/kept" 2>"$work/err"
cmp "$work/read" "$work/kept" || fail "another answer without the index"
assert_line "$work/err" nesting
strata cache -f csv >"$work/out"
assert_line "$work/out" "^$trace,[0-9]+,"
assert_exit 0 strata cache --clear
assert_line "$work/err" '^strata: indexes removed: 1 '
assert_equal "files in the directory" 0 "$(find "$cache" -type f | wc -l)"

# ---- what a killed writer left is listed, and removed by the next ----
echo half >"$cache/0123456789abcdef.index.1.tmp"
strata cache -f csv >"$work/out"
assert_line "$work/out" '^\(unfinished\),5,'
assert_exit 0 strata cache --clear
assert_line "$work/err" '^strata: indexes removed: 1 '
echo half >"$cache/0123456789abcdef.index.1.tmp"
strata info -q "$trace" >/dev/null
strata cache -f csv >"$work/out"
! grep -q unfinished "$work/out" || fail "the next writer left an unfinished index"
assert_line "$work/out" "^$trace,[0-9]+,"
assert_exit 0 strata cache --clear

# ---- not written ----
strata info -q --no-cache "$trace" >/dev/null
strata info -q "$trace" --cache-size 1k >/dev/null
strata info -q - <"$trace" >/dev/null
tracegen --steps 1 --layers 1 -o "$work/small.json"
touch -d '1 hour ago' "$work/small.json"
strata info -q "$work/small.json" >/dev/null
assert_equal "files in the directory" 0 "$(find "$cache" -type f | wc -l)"
assert_exit 2 strata info --cache-size much "$trace"
assert_exit 2 strata cache "$trace"
XDG_CACHE_HOME=/dev/null assert_exit 0 strata info -q "$trace"
XDG_CACHE_HOME=relative assert_exit 0 strata info -q "$trace"
[ ! -e relative ] || fail "a directory was created for another user"
HOME= XDG_CACHE_HOME= assert_exit 2 strata cache

# ---- a damaged index is ignored ----
strata report operators -q -f csv "$trace" >/dev/null
index=$(echo "$cache"/*.index)
printf 'x' | dd of="$index" bs=1 seek=5000 conv=notrunc 2>/dev/null
assert_exit 0 strata report operators -q -f csv "$trace"
cmp "$work/read" "$work/out" || fail "another answer with a damaged index"

# ---- truncated while in use: an error message, no crash ----
strata report operators -q "$trace" >/dev/null
mkfifo "$work/pipe"
status=0
strata report launches -q -f ndjson "$trace" >"$work/pipe" 2>"$work/err" &
{
	read -r line
	: >"$index"
	cat >/dev/null
} <"$work/pipe"
wait $! || status=$?
assert_equal "status when the index is truncated" 4 "$status"
assert_line "$work/err" '^strata: an open file was truncated'
assert_exit 0 strata report operators -q -f csv "$trace"
cmp "$work/read" "$work/out" || fail "another answer afterwards"

# ---- what is read of several files is not kept by one of them ----
mkdir "$work/rocm"
awk 'BEGIN {
	print "Kind,Agent_Id,Queue_Id,Thread_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp"
	for (i = 1; i <= 40000; i++)
		printf "KERNEL_DISPATCH,Agent 2,1,70,\"add<float>(float*, int)\",%d,%d,%d\n", i, 9000 + 100 * i, 9050 + 100 * i
}' >"$work/rocm/1_kernel_trace.csv"
for call in hipLaunchKernel hipModuleLaunchKernel; do
	printf '%s\n' Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp \
		"HIP_RUNTIME_API,$call,70,70,1,1000,2000" >"$work/rocm/1_hip_api_trace.csv"
	touch -d '1 hour ago' "$work"/rocm/*
	assert_equal "the call beside the kernels" "$call" \
		"$(strata report spans -q -f csv -c name "$work/rocm/1_kernel_trace.csv" | tr -d '\r' | tail -n 1)"
done
strata cache -f csv >"$work/out"
! grep -q rocm "$work/out" || fail "an index of one file of several"
rm "$work/rocm/1_hip_api_trace.csv"
strata report kernels -q -f csv "$work/rocm/1_kernel_trace.csv" >"$work/out"
strata cache -f csv >"$work/out"
assert_line "$work/out" "^$work/rocm/1_kernel_trace.csv,"
