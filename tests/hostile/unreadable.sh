# A file without read permission, wherever one is read.
. "${srcdir:-.}/tests/hostile/lib.sh"

tracegen --steps 1 -o "$work/t.json"
cp "$work/t.json" "$work/secret"
chmod 0 "$work/secret"
! cat "$work/secret" >/dev/null 2>&1 || skip "this user can read all files"
mkdir "$work/closed"
cp "$work/t.json" "$work/closed/"
ends 4 200 info "$work/secret"
assert_line "$work/err" 'Permission denied'
ends 4 200 report operators "$work/t.json" --base "$work/secret"
ends 4 200 report operators "$work/t.json" "$work/secret"
ends 2 200 --script "$work/secret" "$work/t.json"
ends 2 200 --script /dev/null --config "$work/secret" "$work/t.json"
ends 2 200 info --device-peaks "$work/secret" "$work/t.json"
chmod 500 "$work/closed"
ends 5 200 report operators -q -o "$work/closed/t.csv" "$work/closed/t.json"
ends 5 200 export -q --sqlite "$work/closed/t.db" "$work/closed/t.json"
# an existing file is written in place, and said to be
chmod 700 "$work/closed"
: >"$work/closed/t.csv"
: >"$work/closed/t.db"
chmod 500 "$work/closed"
assert_exit 0 strata report operators -o "$work/closed/t.csv" "$work/closed/t.json"
assert_line "$work/err" 't.csv: written in place'
[ -s "$work/closed/t.csv" ] || fail "nothing in a file of a directory that cannot be written"
assert_exit 0 strata export --sqlite "$work/closed/t.db" "$work/closed/t.json"
assert_line "$work/err" 't.db: written in place'
chmod 0 "$work/closed"
ends 4 200 info "$work/closed"
ends 4 200 info "$work/closed/t.json"
chmod 700 "$work/closed"
