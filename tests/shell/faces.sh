# CSV, JSON and SQL give equal contents of each view; malicious names are escaped.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

traces()
{
	tracegen --steps 2 -o "$work/generated.json" && echo "$work/generated.json"
	[ -d "$corpus/kineto" ] || return 0
	find "$corpus/kineto/torch113/weird_names" "$corpus/kineto/probes" -type f \
		-name '*.json*' | sort | sampled 4
}

# View $2 of trace $1 in each format, to shown/$2.FORMAT; the rows of a report and of a query are
# equal. Both parse the file: memory use differs when an index is loaded.
same_rows()
{
	strata report "$2" -q --no-cache -f ndjson "$1" | sort >"$work/report"
	strata query "SELECT * FROM $2" -q --no-cache -f ndjson "$1" | sort >"$work/query"
	cmp -s "$work/report" "$work/query" || fail "SQL and report differ: $2 of $1"
	for format in json table markdown; do
		strata report "$2" -q -f $format "$1" >"$work/shown/$2.$format"
	done
	rows=$(wc -l <"$work/report")
	assert_equal "rows of JSON, $2 of $1" "$rows" "$(grep -c '^ {' "$work/shown/$2.json" || :)"
}

# Print the files that are not valid JSON according to SQLite.
not_json()
{
	command -v sqlite3 >/dev/null || return 0
	for file; do
		echo "SELECT '$file' WHERE NOT json_valid(CAST(readfile('$file') AS TEXT));"
	done | sqlite3 :memory:
}

# Only printable characters and newlines, in all text formats.
is_harmless()
{
	! LC_ALL=C grep -rq "$(printf '[\001-\011\013-\037\177]')" "$@" &&
		! LC_ALL=C grep -rq "$(printf '\342\200[\213-\217\250-\256]')" "$@"
}

printf 'a\033b\n' >"$work/bad"
is_harmless "$work/bad" && fail "is_harmless accepts an escape"
printf 'a\342\200\256b\n' >"$work/bad"
is_harmless "$work/bad" && fail "is_harmless accepts a bidirectional control"

traces >"$work/traces"
echo '{"a":}' >"$work/bad"
if command -v sqlite3 >/dev/null; then
	assert_equal 'what is not JSON' "$work/bad" "$(not_json "$work/bad")"
fi

mkdir "$work/shown"
while IFS= read -r trace; do
	for view in operators kernels layers launches info; do
		same_rows "$trace" $view
	done
	assert_equal "invalid JSON of $trace" '' "$(not_json "$work"/shown/*.json)"
	is_harmless "$work/shown" || fail "control characters in views of $trace"
done <"$work/traces"

# Rows of a tree are found by their contents, not their position.
counted=$(strata query "SELECT sum(kind = 'module') FROM layers" -q -f csv "$work/generated.json")
found=$(strata query "SELECT count(*) FROM layers WHERE kind = 'module'" -q -f csv \
	"$work/generated.json")
assert_equal "modules of the tree" "${counted#*)}" "${found#*)}"
echo "$(wc -l <"$work/traces") traces"
