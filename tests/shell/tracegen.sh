# The trace generator: deterministic per seed, any size, validated options.
. "${srcdir:-.}/tests/lib.sh"

tracegen >"$work/a" && tracegen --seed 1 -o "$work/b"
cmp -s "$work/a" "$work/b" || fail "one seed gives two traces"
tracegen --seed 2 >"$work/b"
cmp -s "$work/a" "$work/b" && fail "two seeds give one trace"

tracegen --steps 1 --size 8M -o "$work/big"
[ "$(wc -c <"$work/big")" -ge 8388608 ] || fail "--size 8M gives less"
assert_equal "balanced braces" "$(tr -cd '{' <"$work/big" | wc -c)" \
	"$(tr -cd '}' <"$work/big" | wc -c)"

tracegen --no-modules --stacks 0 >"$work/b"
grep -q python_function "$work/b" && fail "unexpected stacks"
tracegen --no-shapes >"$work/b"
grep -q 'Input Dims' "$work/b" && fail "unexpected shapes"
tracegen --no-steps --synchronize layer1 >"$work/b"
grep -q ProfilerStep "$work/b" && fail "unexpected steps"
assert_line "$work/b" cudaDeviceSynchronize
tracegen --rank 1 --world 2 >"$work/b"
assert_line "$work/b" '"rank": 1, "world_size": 2'
assert_line "$work/b" 'ncclDevKernel_AllReduce'

assert_exit 2 tracegen --layers 0
assert_exit 2 tracegen --size 3X
assert_exit 2 tracegen --rank 2 --world 2
assert_exit 2 tracegen --slow nowhere:2
assert_exit 2 tracegen --synchronize nowhere
assert_exit 2 tracegen --straggler 1
assert_exit 2 tracegen trailing
assert_exit 5 tracegen -o "$work/no/such/directory"
assert_exit 0 tracegen --help
