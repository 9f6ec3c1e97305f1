# Memory stays below three bytes per byte of trace plus 64 MiB, at any size.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

for size in 1M 10M 50M; do
	tracegen --size $size -o "$work/trace.json"
	assert_exit 0 within_memory "$(wc -c <"$work/trace.json")" info -q "$work/trace.json"
done
tracegen --size 50M | gzip -1c >"$work/trace.json.gz"
assert_exit 0 within_memory 52428800 info -q "$work/trace.json.gz"
