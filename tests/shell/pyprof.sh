# What PyProf printed of real and made profiles, byte for byte.
. "${srcdir:-.}/tests/lib.sh"
need_corpus golden/pyprof
[ -x "$corpus/../tools/parity" ] || skip "no tool to compare with here"

"$corpus/../tools/parity" "$builddir/strata" --corpus "$corpus" --suite pyprof -v >"$work/out" || {
	grep -v 'identical$' "$work/out" >&2
	fail "the reports differ"
}
assert_line "$work/out" '^pyprof: [1-9][0-9]* of [0-9]+ values agree'

# From standard input, narrowed, in strata's own forms, and asked for what cannot be.
dict=$corpus/pyprof/fixtures/g200_nsys.dict
assert_exit 0 strata report pyprof -q -f json -c idx,flops,layer -n 1 - <"$dict"
assert_line "$work/out" '"idx": ?1, ?"flops": ?0, ?"layer": ?null'
assert_exit 2 strata report pyprof -q -w 20 "$dict"
assert_exit 2 strata report pyprof -q --csv -f json "$dict"
assert_exit 2 strata report kernels -q --csv "$dict"
assert_exit 2 strata report pyprof -q -c nothing "$dict"
