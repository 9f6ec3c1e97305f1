# Numbers of a thousand digits in every numeric field.
. "${srcdir:-.}/tests/hostile/lib.sh"

hostile long-numbers "$(amount 100000 1000 1000)" >"$work/t.json"
ends 0 1000 info -q "$work/t.json"
assert_line "$work/out" 'event without a valid time'
every_view 1000 "$work/t.json"
explore 1000 "$work/t.json"
