# What doc/my-run-is-slow.md shows is what its commands print. UPDATE_GOLDEN=1 updates it.
. "${srcdir:-.}/tests/lib.sh"
document=$srcdir/doc/my-run-is-slow.md
mkdir "$work/bin" "$work/run"
for program in strata tracegen; do
	printf '#!/bin/sh\nexec %s "%s/%s" "$@"\n' "${TEST_WRAPPER-}" "$builddir" $program >"$work/bin/$program"
	chmod +x "$work/bin/$program"
done
export PATH="$work/bin:$PATH"
cd "$work/run"
console= commands=0
while IFS= read -r line; do
	case $console$line in
	'```console') console=yes ;;
	'yes```') console= ;;
	'yes$ '*)
		printf '%s\n' "$line"
		sh -c "${line#??}" 2>&1 || fail "status $? of: ${line#??}"
		commands=$((commands + 1))
		continue ;;
	yes*) continue ;; # output of the last command
	esac
	printf '%s\n' "$line"
done <"$document" >"$work/new"
[ $commands -ge 8 ] || fail "only $commands commands found"
if [ "${UPDATE_GOLDEN-}" ]; then
	cat "$work/new" >"$document"
fi
diff -u "$document" "$work/new" || fail "the document shows something else"
