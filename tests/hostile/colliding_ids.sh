# Ids and names that all belong into one place of a table whose hash is known (src/engine/base/secret.h): with
# a known hash these million would take hours.
. "${srcdir:-.}/tests/hostile/lib.sh"

count=$(amount 3000000 1000000 20000)
for case in colliding-ids colliding-names; do
	hostile $case "$count" | ends 0 1000 info -q -f csv -
	assert_line "$work/out" "^rows,(operator|runtime),($count|$((count + 1))),"
done
