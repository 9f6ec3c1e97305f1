# A full disk and a file size limit: an error message, status 5, no partial file.
. "${srcdir:-.}/tests/hostile/lib.sh"

tracegen --steps 2 -o "$work/t.json"
mkdir "$work/out.d"
# no_room ARGUMENT...: limited to 4 KiB per file
no_room()
{
	status=0
	(ulimit -f 8 && exec ${TEST_WRAPPER-} "$builddir/strata" "$@") 2>"$work/err" || status=$?
	assert_equal "status of: strata $*" 5 "$status"
	assert_equal "messages of: strata $*" 1 "$(wc -l <"$work/err")"
	[ -z "$(ls -A "$work/out.d")" ] || fail "left over: $(ls -A "$work/out.d")"
}
no_room report launches -q -f csv -o "$work/out.d/t.csv" "$work/t.json"
no_room report launches -q -f ndjson -o "$work/out.d/t.json" "$work/t.json"
no_room export -q --sqlite "$work/out.d/t.db" "$work/t.json"
no_room export -q --stacks "$work/out.d/stacks" -g cpu "$work/t.json"
no_room export -q --trace "$work/out.d/t.trace.json" "$work/t.json"
no_room report launches -q -f csv "$work/t.json" >"$work/stdout"
# Explorer commands; existing files are unchanged.
for command in "write $work/out.d/t.csv" "write $work/out.d/t.json" "write! $work/there.csv"; do
	echo kept >"$work/there.csv"
	printf ':view launches\n:%s\n' "$command" >"$work/script"
	no_room --script "$work/script" "$work/t.json"
	assert_line "$work/err" "script line 2"
	assert_equal "existing file" kept "$(cat "$work/there.csv")"
done
printf ':view launches\n:screenshot %s/out.d/t.ans\n' "$work" >"$work/script"
no_room --script "$work/script" --size 200x100 "$work/t.json"

[ -c /dev/full ] || exit 0
for form in csv json ndjson markdown table; do
	ends 5 300 report launches -q -f $form -o /dev/full "$work/t.json"
done
# A script that cannot write reports its line.
printf ':view launches\n:write /dev/full/x.csv\n:write %s/none/x.csv\n:save-screen %s/screen\n' \
	"$work" "$work" >"$work/script"
ends 5 300 --script "$work/script" "$work/t.json"
assert_line "$work/err" "script line 2"
