# User SQL reads only the views, changes nothing, and can be cancelled.
. "${srcdir:-.}/tests/hostile/lib.sh"

tracegen --steps 1 -o "$work/t.json"
trace=$work/t.json

# refused NAME SQL: not run, with a one-line message
refused()
{
	ends 2 200 query -q "$2" "$trace"
	[ ! -s "$work/out" ] || fail "$1: unexpected output"
}

# ---- writing ----
refused insert "INSERT INTO operators VALUES (1)"
refused update "UPDATE operators SET name = 'x'"
refused delete "DELETE FROM operators"
refused create "CREATE TABLE t (a)"
refused create-temporary "CREATE TEMP TABLE t AS SELECT * FROM operators"
refused drop "DROP TABLE operators"
refused alter "ALTER TABLE operators RENAME TO x"
refused virtual "CREATE VIRTUAL TABLE t USING fts5(a)"
refused vacuum "VACUUM INTO '$work/vacuumed'"
refused returning "INSERT INTO operators VALUES (1) RETURNING *"
refused reindex "REINDEX"
refused analyze "ANALYZE"
refused savepoint "SAVEPOINT x"
refused second "SELECT 1; DROP TABLE operators"
# ---- attaching ----
refused attach "ATTACH '$work/attached' AS a"
refused detach "DETACH main"
# ---- loading ----
refused load_extension "SELECT load_extension('$work/x.so')"
refused load_extension-hidden "SELECT count(*) FROM (SELECT load_extension('libc.so.6'))"
refused fts3_tokenizer "SELECT fts3_tokenizer('simple', x'0102030405060708')"
# ---- reading other data ----
refused readfile "SELECT readfile('/etc/passwd')"
refused writefile "SELECT writefile('$work/written', 'x')"
refused edit "SELECT edit('x')"
refused fsdir "SELECT * FROM fsdir('/etc')"
refused pragma "PRAGMA database_list"
assert_line "$work/err" "strata views -f json lists the views and their columns"
refused pragma-table "SELECT * FROM pragma_database_list"
refused pragma-schema "PRAGMA table_info(sqlite_master)"
refused pragma-function "SELECT * FROM pragma_function_list"
refused pragma-write "PRAGMA user_version = 7"
refused schema "SELECT * FROM sqlite_master"
assert_line "$work/err" "strata views lists the views to query"
refused schema-rows "SELECT count(*) FROM sqlite_schema"
refused pages "SELECT * FROM sqlite_dbpage"
refused statements "SELECT * FROM sqlite_stmt"
refused statistics "SELECT * FROM dbstat"
# ---- too large ----
# A failure after a view was built is not reported as cancelled.
refused too-large "SELECT group_concat(a.name || zeroblob(1000000)) FROM launches a"
assert_line "$work/err" 'too big'
refused too-long "SELECT '$(head -c 70000 /dev/zero | tr '\0' 'x')' || zeroblob(100000000)"
refused too-deep "SELECT 1$(head -c 3000 /dev/zero | sed 's/./+1/g')"
assert_line "$work/err" 'maximum depth'
refused like "SELECT 'a' LIKE '$(head -c 2000 /dev/zero | tr '\0' '%')'"
[ -z "$(find "$work" -name vacuumed -o -name attached -o -name written)" ] ||
	fail "a query wrote a file"

# ---- regular expressions ----
refused regexp-invalid "SELECT 'x' REGEXP '('"
assert_line "$work/err" 'invalid at byte 1'
refused regexp-endless "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' REGEXP '^(a|[a-z]|aa)+\\d'"
assert_line "$work/err" 'takes too many steps'
refused filter-endless "SELECT count(*) FROM operators WHERE filter = '((.*)*)*x\$'"
assert_line "$work/err" 'takes too many steps'

# ---- endless ----
# Each is stopped by a signal: no output, and the exit status shows the signal.
endless()
{
	status=0
	timeout --preserve-status -s "$1" 1 ${TEST_WRAPPER-} "$builddir/strata" query -q "$3" "$trace" \
		>"$work/out" 2>"$work/err" || status=$?
	assert_equal "status after SIG$1 of: $3" "$2" "$status"
	[ ! -s "$work/out" ] || fail "unexpected output"
}
endless INT 130 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
endless TERM 143 "SELECT count(*) FROM launches a, launches b, launches c, launches d, launches e"
endless HUP 129 "SELECT group_concat(a.name) FROM launches a, launches b, launches c
	WHERE length(a.name || b.name || c.name) < 0"
