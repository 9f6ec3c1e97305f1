# Every real trace opens, is identified, and every view can be built.
# Thousands of files are synced, which takes longer than making them: in memory if that can be.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
. "${srcdir:-.}/tests/lib.sh"
need_corpus kineto

find "$corpus/kineto" "$corpus/chrome_other" -type f \
	\( -name '*.json' -o -name '*.json.gz' \) | sort | sampled 8 >"$work/traces"
while IFS= read -r trace; do
	hold_invariants "$trace"
	rm -rf "$work/all" "$work/cache"
	peak=$(peak_of report all -q -n 2000 -f ndjson -o "$work/all" "$trace")
	[ -s "$work/all/info.ndjson" ] || fail "no report of $trace: $(cat "$work/stages")"
	bytes=$(sed -n 's/.*"metric": "uncompressed size", "value": \([0-9]*\),.*/\1/p' "$work/all/info.ndjson")
	[ "$bytes" ] || fail "no size of $trace"
	assert_exit 0 in_proportion "$peak" "$bytes"
done <"$work/traces"
echo "$(wc -l <"$work/traces") traces"

# Non-profiles are refused with one line.
find "$corpus/bad" -type f | sort >"$work/bad"
while IFS= read -r file; do
	assert_exit 4 strata info -q "$file"
	assert_equal "lines of the message about $file" 1 "$(wc -l <"$work/err")"
done <"$work/bad"
