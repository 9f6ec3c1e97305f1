# Outside UTF-8, with names in UTF-8 and in neither: screens are ASCII only, reports contain no
# control sequences, and machine formats do not depend on the locale.
. "${srcdir:-.}/tests/hostile/lib.sh"

hostile odd-names >"$work/odd.json"
name=$(printf 'caf\303\251 \346\227\245\346\234\254.json')
cat >"$work/$name" <<END
{"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"größe 日本 é","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","cat":"cpu_op","name":"plain","pid":1,"tid":1,"ts":20,"dur":10}]}
END
for form in csv json ndjson markdown; do
	strata report operators -q -f $form "$work/$name" >"$work/right.$form"
done
LC_ALL=C
export LC_ALL
for form in csv json ndjson markdown; do
	ends 0 200 report operators -q -f $form "$work/$name"
	cmp "$work/out" "$work/right.$form" || fail "$form differs in the C locale"
done
ends 0 200 report operators -q --filter '日本' "$work/$name"
assert_line "$work/out" '日本|\\u65e5'
for file in "$work/$name" "$work/odd.json"; do
	every_view 200 "$file"
	explore 200 "$file"
	for screen in "$work"/screen[1-7]; do
		! grep -q '[^ -~]' "$screen" || fail "non-ASCII characters on $screen"
	done
done
ends 4 200 info "$work/$name.none"
