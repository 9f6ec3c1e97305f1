# strata serve: a session over pipes, with a base, limits, and hostile lines.
. "${srcdir:-.}/tests/lib.sh"
cd "$work"
tracegen --steps 3 -o base.json
tracegen --steps 3 --slow layer3:4 -o new.json

call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":{%s}}}\n' "$@"; }
session()
{
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}'
	printf '%s\r\n\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	call 2 report '"view":"kernels","limit":2'
	call 3 diff '"limit":2'
	printf '\000\001\033[2J\n'
	head -c 3000000 /dev/zero | tr '\000' '{'
	echo
	call 4 query '"sql":"SELECT count(*) AS steps FROM steps"'
	printf '{"id":5,"method":"ping"}'
}
session | strata serve --stdio --base base.json new.json >answers 2>err
[ ! -s err ] || fail "standard error: $(head -3 err)"
assert_equal "answers" 7 "$(wc -l <answers)"
assert_equal "ids" '1 2 3 null null 4 5' "$(sed 's/.*"id": \([^,]*\), "\(result\|error\)".*/\1/' answers | paste -sd' ')"
sed -n 3p answers | grep -q 'comparable\\": \\"yes' || fail "diff does not say that the runs are comparable"
assert_line answers 'longer than 1 MiB'
assert_line answers '"steps\\": 3}'
! LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" answers || fail "control characters in an answer"
if command -v sqlite3 >/dev/null; then
	while IFS= read -r line; do
		printf %s "$line" >line
		assert_equal "valid JSON" 1 "$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('line') AS TEXT))")"
	done <answers
fi

# the rows are those of the report
call 1 report '"view":"kernels","limit":2,"columns":"name,calls,total_ns"' | strata serve --stdio new.json |
	sed 's/\\"/"/g; s/\\n/\n/g' | sed -n 's/^ \({"name": .*}\),\{0,1\}$/\1/p' | sed 's/\]}.*//' >served
strata report kernels -q -n 2 -c name,calls,total_ns -f ndjson new.json | cmp - served || fail "other rows than the report"

call 1 report '"view":"launches","limit":500' | strata serve --stdio --max-rows 3 new.json >answers
assert_line answers 'rows\\": 3, '
assert_exit 2 strata serve new.json
assert_line err 'serve --stdio'
assert_exit 4 strata serve --stdio nosuch.json
