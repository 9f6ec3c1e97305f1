# What is left out when a file is read, and what is not read because it would not fit.
. "${srcdir:-.}/tests/lib.sh"

trace="$work/trace.json"
tracegen --size 12M --stacks 40 -o "$trace"
touch -d '1 hour ago' "$trace"

# ---- Python functions ----
rows() { strata info -q -f csv "$@" "$trace" | sed -n "s/^rows,$kind,\([0-9]*\),.*/\1/p"; }
kind=python
[ "$(rows)" -gt 1000 ] || fail "the trace has no Python functions"
assert_equal "Python functions" "" "$(rows --no-python)"
assert_equal "Python functions, read again" "" "$(rows --no-python)"
[ "$(rows)" -gt 1000 ] || fail "the index of one reading was taken for the other"
for kind in module operator kernel runtime annotation; do
	assert_equal "rows of kind $kind" "$(rows)" "$(rows --no-python)"
done
strata info -q --no-python "$trace" >"$work/out"
assert_line "$work/out" 'left out \(--no-python\)'
strata report layers -q -f csv "$trace" >"$work/all"
strata report layers -q -f csv --no-python "$trace" >"$work/less"
cmp "$work/all" "$work/less" || fail "other layers without Python functions"

# ---- memory ----
assert_exit 2 strata info --max-memory lots "$trace"
assert_exit 0 strata info -q --no-cache --max-memory 0 "$trace"
assert_exit 0 strata info -q --no-cache --max-memory 1G "$trace"
[ -z "${TEST_WRAPPER-}${SANITIZERS-}" ] || exit 0
assert_exit 4 strata info -q --no-cache --max-memory 1M "$trace"
assert_line "$work/err" 'would take about [0-9.]+ [KM]iB of memory, and 1.00 MiB may be used: --no-python'
gzip -1 "$trace"
assert_exit 4 strata report operators -q --no-cache --max-memory 1M "$trace.gz"
