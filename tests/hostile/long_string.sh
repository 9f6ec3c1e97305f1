# A string of 4 GB (256 MB unless STRATA_HOSTILE=full) from a pipe is skipped without buffering it.
. "${srcdir:-.}/tests/hostile/lib.sh"

hostile long-string "$(amount 4294967296 268435456 100000000)" | ends 0 400 info -q -
assert_line "$work/out" '^rows +operator +2$'
assert_line "$work/out" 'text that is not an event'

hostile endless-string "$(amount 4294967296 268435456 100000000)" | ends 0 400 info -q -
assert_line "$work/out" '^rows +operator +1$'

# The limit does not depend on how the bytes arrive.
for bytes in 60000000 80000000; do
	hostile long-string $bytes >"$work/t.json"
	[ $bytes = 60000000 ] && rows=3 || rows=2
	ends 0 400 info -q "$work/t.json"
	assert_line "$work/out" "^rows +operator +$rows\$"
	hostile long-string $bytes | ends 0 400 info -q -
	assert_line "$work/out" "^rows +operator +$rows\$"
	hostile long-string $bytes | dd bs=3000 2>/dev/null | ends 0 400 info -q -
	assert_line "$work/out" "^rows +operator +$rows\$"
done
