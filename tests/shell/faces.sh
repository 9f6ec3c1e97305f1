# CSV, JSON and SQL give equal contents of each view; malicious names are escaped.
. "${srcdir:-.}/tests/lib.sh"

traces()
{
	tracegen --steps 2 -o "$work/generated.json" && echo "$work/generated.json"
	[ -d "$corpus/kineto" ] || return 0
	find "$corpus/kineto/torch113/weird_names" "$corpus/kineto/probes" -type f \
		-name '*.json*' | sort
}

# The rows of a report and of a query, sorted for comparison. Both parse the file: memory use
# differs when an index is loaded.
same_rows()
{
	strata report "$2" -q --no-cache -f ndjson "$1" | sort >"$work/report"
	strata query "SELECT * FROM $(echo "$2" | tr - _)" -q --no-cache -f ndjson "$1" |
		sort >"$work/query"
	cmp -s "$work/report" "$work/query" || fail "SQL and report differ: $2 of $1"
	rows=$(wc -l <"$work/report")
	strata report "$2" -q -f json "$1" >"$work/json"
	assert_equal "rows of JSON, $2 of $1" "$rows" "$(grep -c '^ {' "$work/json" || :)"
}

# True if the file $1 is valid JSON according to SQLite.
is_json()
{
	command -v sqlite3 >/dev/null || return 0
	[ "$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('$1') AS TEXT))")" = 1 ]
}

# Only printable characters and newlines, in all text formats.
is_harmless()
{
	! LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" "$1" &&
		! LC_ALL=C grep -q "$(printf '\342\200[\213-\217\250-\256]')" "$1"
}

printf 'a\033b\n' >"$work/bad"
is_harmless "$work/bad" && fail "is_harmless accepts an escape"
printf 'a\342\200\256b\n' >"$work/bad"
is_harmless "$work/bad" && fail "is_harmless accepts a bidirectional control"

traces >"$work/traces"
while IFS= read -r trace; do
	for view in operators kernels layers launches info; do
		same_rows "$trace" $view
		is_json "$work/json" || fail "invalid JSON: $view of $trace"
		is_harmless "$work/json" || fail "JSON with control characters: $view of $trace"
		for format in table markdown; do
			strata report $view -q -f $format "$trace" >"$work/shown"
			is_harmless "$work/shown" ||
				fail "$format with control characters: $view of $trace"
		done
	done
done <"$work/traces"

# Rows of a tree are found by their contents, not their position.
counted=$(strata query "SELECT sum(kind = 'module') FROM layers" -q -f csv "$work/generated.json")
found=$(strata query "SELECT count(*) FROM layers WHERE kind = 'module'" -q -f csv \
	"$work/generated.json")
assert_equal "modules of the tree" "${counted#*)}" "${found#*)}"
echo "$(wc -l <"$work/traces") traces"
