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

# ---- limits are kept from outside: one instruction of SQLite takes long, a sort takes memory ----
query() { call "$1" query "\"sql\":\"$2\""; }
numbers='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c'
long="$numbers WHERE x < 1000) SELECT sum(instr(hex(zeroblob(500000)), hex(zeroblob(250000)) || '1')) FROM c"
large="$numbers) SELECT count(*) FROM (SELECT hex(randomblob(400000)) AS y FROM c ORDER BY y)"
now() { date +%s%3N; }
{ query 1 "$long"; query 2 'SELECT 1 AS one'; } >requests
start=$(now)
strata serve --stdio --max-seconds 1 new.json <requests >answers
took=$(($(now) - start))
ids() { sed 's/^{"jsonrpc": "2.0", "id": \([^,]*\), .*/\1/' answers | paste -sd' '; }
assert_equal "ids" '1 2' "$(ids)"
sed -n 1p answers | grep -q 'time limit of a request exceeded' || fail "no time limit: $(sed -n 1p answers)"
assert_line answers 'one\\": 1}'
[ -n "${TEST_WRAPPER-}${SANITIZERS-}" ] || [ $took -lt 4000 ] || fail "two requests took $took ms"
if [ -z "${TEST_WRAPPER-}${SANITIZERS-}" ]; then
	{ query 1 "$large"; query 2 'SELECT 1 AS one'; } >requests
	(ulimit -v 1000000; strata serve --stdio --max-memory 100M new.json <requests >answers)
	sed -n 1p answers | grep -q 'more memory than the limit' || fail "no memory limit: $(sed -n 1p answers)"
	assert_line answers 'one\\": 1}'
	# sums of groups are kept outside of SQLite
	awk 'BEGIN { for (i = 0; i < 60000; i++)
		printf "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"ts\":%d,\"dur\":1,\"pid\":1,\"tid\":1}", i ? "," : "[", 2 * i
		print "]" }' >groups.json
	sums=$(for i in 1 2 3 4 5 6 7 8 9 10 11; do printf 'avg(dur_ns), '; done)
	groups="SELECT start_ns, $sums count(*) AS calls FROM calls GROUP BY start_ns HAVING calls > 1"
	# where they exceed the limit, SQLite does without
	for limit in 1G 50M; do
		query 1 "$groups" | strata serve --stdio --max-memory $limit groups.json >answers
		assert_line answers 'rows\\": \[\]'
	done
fi

# ---- cancelled: not answered, running or waiting; the next one is ----
cancelled() { printf '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}\n' "$1"; }
endless="$numbers) SELECT max(x) FROM c"
start=$(now)
{ query 1 "$endless"; query 2 "$endless"; query 3 'SELECT 1 AS one'; cancelled 2; sleep 0.5; cancelled 1; } |
	strata serve --stdio new.json >answers
assert_equal "ids" 3 "$(ids)"
[ $(($(now) - start)) -lt 30000 ] || fail "a cancelled request went on"

# ---- TERM: the request that runs is answered, and then the server ends ----
mkfifo in
"$builddir/strata" serve --stdio --max-seconds 2 new.json <in >answers &
server=$!
exec 3>in
{ query 1 "$endless"; query 2 'SELECT 1'; } >&3
until child=$(cat /proc/$server/task/$server/children 2>/dev/null) && [ -n "$child" ]; do sleep 0.1; done
kill -TERM $server
wait $server || fail "status $? after TERM"
exec 3>&-
assert_equal "ids" 1 "$(ids)"
assert_line answers 'time limit of a request exceeded'

# ---- a request whose process is killed fails alone ----
"$builddir/strata" serve --stdio --max-seconds 60 new.json <in >answers &
server=$!
exec 3>in
query 1 "$endless" >&3
until child=$(cat /proc/$server/task/$server/children 2>/dev/null) && [ -n "$child" ]; do sleep 0.1; done
kill -KILL $child
query 2 'SELECT 1 AS one' >&3
exec 3>&-
wait $server || fail "status $? after the end of a request"
sed -n 1p answers | grep -q 'ended without an answer' || fail "a killed request: $(cat answers)"
assert_line answers 'one\\": 1}'
