# A zstd file with a compression ratio of 10000 is read as a stream; one that needs more memory than
# zstd's default limit is refused.
. "${srcdir:-.}/tests/hostile/lib.sh"

pack() { "$builddir/tests/hostile/zstd" "$@"; }

bytes=$(amount 4294967296 268435456 100000000)
hostile blanks "$bytes" | pack 20 >"$work/bomb.zst"
[ $(($(wc -c <"$work/bomb.zst") * 10000)) -lt "$bytes" ] || fail "the compression ratio is below 10000"
ends 0 100 info -q "$work/bomb.zst"
assert_line "$work/out" '^rows +operator +2$'
assert_line "$work/out" 'zstd'

hostile long-string "$bytes" | pack 20 | ends 0 400 info -q -
assert_line "$work/out" '^rows +operator +2$'

# The largest accepted window, which adds to memory use, and a larger one.
hostile blanks "$bytes" | pack 27 >"$work/wide.zst"
ends 0 300 info -q "$work/wide.zst"
assert_line "$work/out" '^rows +operator +2$'
hostile blanks "$bytes" | pack 30 >"$work/wider.zst"
ends "0 4" 300 info -q "$work/wider.zst"
[ "$status" = 4 ] || assert_line "$work/out" 'cut|damaged|ends early'

# A nested bomb is a compressed file without a profile.
pack 20 <"$work/bomb.zst" >"$work/twice.zst"
ends 4 100 info "$work/twice.zst"
