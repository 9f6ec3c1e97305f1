# Ids and names that collide in the hash table (src/engine/base/secret.h) if its secret is known:
# without a secret these million would take hours.
. "${srcdir:-.}/tests/hostile/lib.sh"

count=$(amount 3000000 1000000 20000)
for case in colliding-ids colliding-names; do
	hostile $case "$count" | ends 0 1000 info -q -f csv -
	assert_line "$work/out" "^rows,(operator|runtime),($count|$((count + 1))),"
done
