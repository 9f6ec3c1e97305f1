# Secrets planted in the metadata of a trace appear in no report, page, export or answer, unless
# --show-secrets asks for them; and texts of CSV harm no spreadsheet with --csv-safe.
. "${srcdir:-.}/tests/lib.sh"
cd "$work"
cat >t.json <<'END'
{"schemaVersion":1,
"env":{"AWS_SECRET_ACCESS_KEY":"planted-one","PATH":"/usr/bin","nested":{"HF_TOKEN":"planted-two"}},
"command":"train.py --api-key planted-three --lr 0.1","password":"planted four",
"database":"postgres://user:planted-five@host/x",
"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"=cmd|'/C calc'!A0","pid":1,"tid":1,"ts":1,"dur":5},
{"ph":"X","cat":"cpu_op","name":"@\u001b[2J\u202e\u0000x","pid":1,"tid":1,"ts":10,"dur":5},
{"ph":"X","cat":"cpu_op","name":"+1","pid":1,"tid":1,"ts":20,"dur":5},
{"ph":"X","cat":"cpu_op","name":"plain-name","pid":1,"tid":1,"ts":30,"dur":5}]}
END
# everything OPTION...: all that can be printed or written of the trace, into the folder all
everything()
{
	rm -rf all; mkdir all
	for format in csv json html; do
		strata report all -q -f $format -o all/$format "$@" t.json
	done
	for format in table csv tsv json ndjson markdown html; do
		strata info -q -f $format "$@" t.json >all/info.$format
	done
	strata query -q "$@" 'SELECT * FROM info' t.json >all/query
	strata export -q --sqlite all/t.db --trace all/t.json "$@" t.json
	strata diff -q --view operators -f json --envelope "$@" t.json t.json >all/diff
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","arguments":{"view":"info","limit":500}}}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT * FROM info"}}}' |
		strata serve --stdio "$@" t.json >all/served
	strata summarize -q -o all "$@" t.json
	strata info -q -f csv "$@" all/t.json.strsum >all/summary.csv
	echo ':view info' >script
	echo ":save-screen $work/all/screen" >>script
	strata --script script --size 200x100 "$@" t.json
}
everything
! grep -rl planted all || fail "a secret is shown"
assert_line all/info.csv 'PATH.*/usr/bin'
assert_line all/info.csv 'api-key \(masked\) --lr 0\.1'
[ "$(grep -c '(masked)' all/served)" = 2 ] || fail "the server has no metadata"
everything --show-secrets
for secret in planted-one planted-two planted-three 'planted four' planted-five; do
	for file in info.csv info.html query served html t.json t.db summary.csv; do
		grep -qr -- "$secret" "all/$file" || fail "$secret is missing in $file despite --show-secrets"
	done
done

# a page says what it holds before it is written
strata report all -f html t.json 2>err >page
assert_line err 'the page has names, paths and metadata of the profile, secrets in it masked; read it before you share it'

# ---- CSV ----
for format in csv tsv; do
	strata report operators -q -f $format -c name --csv-safe t.json >safe
	! LC_ALL=C grep -q "$(printf '[\001-\010\013\014\016-\037\177]')" safe || fail "control characters in safe $format"
	! LC_ALL=C tr -d '"' <safe | grep -q '^[=+@-]' || fail "a formula in safe $format"
	assert_line safe "^\"?'=cmd"
	assert_line safe "^'\\+1"
	assert_line safe '^plain-name'
done
strata report operators -q -f csv -c name t.json | grep -q '^=cmd' || fail "plain CSV has other names"
printf ':view operators\n:write %s/written.csv\n' "$work" >script
strata --script script t.json
assert_line written.csv "'=cmd"
! LC_ALL=C grep -q "$(printf '\033')" written.csv || fail "the explorer wrote control characters"
