# Every real trace opens, is identified, and every view can be built.
. "${srcdir:-.}/tests/lib.sh"
need_corpus kineto

find "$corpus/kineto" "$corpus/chrome_other" -type f \
	\( -name '*.json' -o -name '*.json.gz' \) | sort >"$work/traces"
while IFS= read -r trace; do
	assert_exit 0 strata info -q -f csv "$trace"
	[ -s "$work/out" ] || fail "info fails on $trace"
	hold_invariants "$trace"
	bytes=$(sed -n 's/^file,text size,\([0-9]*\),.*/\1/p' "$work/out")
	assert_exit 0 within_memory "$bytes" report operators -q -f csv "$trace"
	rm -rf "$work/all"
	assert_exit 0 strata report all -q -f ndjson -o "$work/all" "$trace"
	[ -s "$work/all/info.ndjson" ] || fail "no report of $trace"
done <"$work/traces"
echo "$(wc -l <"$work/traces") traces"

# Non-profiles are refused with one line.
find "$corpus/bad" -type f | sort >"$work/bad"
while IFS= read -r file; do
	assert_exit 4 strata info -q "$file"
	assert_equal "lines of the message about $file" 1 "$(wc -l <"$work/err")"
done <"$work/bad"
