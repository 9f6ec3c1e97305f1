# Brackets and spans nested a hundred thousand levels deep: no recursion, no quadratic view.
. "${srcdir:-.}/tests/hostile/lib.sh"

hostile depth-in-arguments "$(amount 10000000 1000000 10000)" >"$work/arguments.json"
ends 0 200 info -q "$work/arguments.json"
assert_line "$work/out" '^rows +operator +3$'
explore 300 "$work/arguments.json"

hostile depth-of-document "$(amount 10000000 1000000 10000)" | ends 4 100 info -

hostile depth-of-spans "$(amount 1000000 10000 5000)" >"$work/spans.json"
ends 0 2000 info -q "$work/spans.json"
assert_line "$work/out" 'events nested too deeply'
every_view 2000 "$work/spans.json"
explore 2000 "$work/spans.json"
