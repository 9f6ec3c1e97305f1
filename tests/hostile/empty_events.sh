# 100 million empty events (10 million unless STRATA_HOSTILE=full).
. "${srcdir:-.}/tests/hostile/lib.sh"

count=$(amount 100000000 10000000 100000)
hostile empty-events "$count" | ends 0 100 info -q -
assert_line "$work/out" "empty events +$count\$"
assert_line "$work/out" '^rows +operator +2$'
