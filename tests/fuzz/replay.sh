# Replays the seeds and past findings of all fuzz targets.
. "${srcdir:-.}/tests/lib.sh"

for program in "$builddir"/tests/fuzz/*; do
	target=${program##*/}
	[ -d "$srcdir/tests/fuzz/seeds/$target" ] && [ -x "$program" ] || continue
	inputs=$srcdir/tests/fuzz/seeds/$target
	[ ! -d "$srcdir/tests/fuzz/found/$target" ] || inputs="$inputs $srcdir/tests/fuzz/found/$target"
	${TEST_WRAPPER-} "$program" $inputs >"$work/out" 2>"$work/err" || {
		cat "$work/err" >&2
		fail "$target"
	}
	assert_line "$work/out" '^[1-9][0-9]* inputs$'
	echo "$target: $(tail -n 1 "$work/out")"
done
