# A gzip file with a compression ratio of 1000 is read as a stream, never held in memory as a whole.
. "${srcdir:-.}/tests/hostile/lib.sh"
need_command gzip

bytes=$(amount 4294967296 268435456 100000000)
hostile blanks "$bytes" | gzip -9c >"$work/bomb.gz"
[ $(($(wc -c <"$work/bomb.gz") * 1000)) -lt "$bytes" ] || fail "the compression ratio is below 1000"
ends 0 100 info -q "$work/bomb.gz"
assert_line "$work/out" '^rows +operator +2$'

hostile long-string "$bytes" | gzip -9c | ends 0 400 info -q -
assert_line "$work/out" '^rows +operator +2$'

# A nested bomb is a compressed file without a profile.
gzip -9c <"$work/bomb.gz" >"$work/twice.gz"
ends 4 100 info "$work/twice.gz"
