# A gzip file that expands a thousandfold is read as it comes and held nowhere as a whole.
. "${srcdir:-.}/tests/hostile/lib.sh"
need_command gzip

bytes=$(amount 4294967296 268435456 100000000)
hostile blanks "$bytes" | gzip -9c >"$work/bomb.gz"
[ $(($(wc -c <"$work/bomb.gz") * 1000)) -lt "$bytes" ] || fail "it does not expand a thousandfold"
ends 0 100 info -q "$work/bomb.gz"
assert_line "$work/out" '^rows +operator +2$'

hostile long-string "$bytes" | gzip -9c | ends 0 400 info -q -
assert_line "$work/out" '^rows +operator +2$'

# A bomb inside a bomb is a compressed file that holds no profile.
gzip -9c <"$work/bomb.gz" >"$work/twice.gz"
ends 4 100 info "$work/twice.gz"
