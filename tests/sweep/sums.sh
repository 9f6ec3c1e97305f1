# For sweeps that hold texts as checksums: lines PROFILE PART SUM, in the file $sums.
#
#   SWEEP='NAME.*'    only the profiles whose names match
#   SWEEP_KEEP=DIR    keep the texts there: compare them with those of another build
#   UPDATE_GOLDEN=1   write $sums: say in the commit what was compared

# same_sums NAMES: compare texts/PROFILE.PART, a + in a name standing for a slash, with what is held of the profiles
# that the file NAMES has in its lines
same_sums()
{
	(cd texts && cksum ./*) | sed 's|\(.*\) \(.*\) \./\(.*\)\.\([a-z]*\)$|\3 \4 \1|' | tr + / | LC_ALL=C sort >new
	[ -z "${SWEEP_KEEP-}" ] || { mkdir -p "$SWEEP_KEEP" && cp -R texts/. "$SWEEP_KEEP"; }
	if [ "${UPDATE_GOLDEN-}" ]; then
		[ "${SWEEP:-.*}" = '.*' ] || fail "only the whole is written"
		cp new "$sums"
		return
	fi
	awk 'NR == FNR { named[$1]; next } $1 in named' "$1" "$sums" >expected
	diff expected new >changes || {
		sed -n 's/^[<>] //p' changes | cut -d ' ' -f 1,2 | sort -u | head -40 >&2
		fail "these say something else (SWEEP_KEEP=DIR keeps the texts, to compare with those of another build)"
	}
}
