# Megabyte names of combining marks and of blanks, and shapes of that length.
. "${srcdir:-.}/tests/hostile/lib.sh"

hostile long-name "$(amount 16777216 262144 65536)" >"$work/t.json"
ends 0 1000 info -q "$work/t.json"
assert_line "$work/out" '^rows +operator +4$'
every_view 1000 "$work/t.json"
explore 1000 "$work/t.json"
