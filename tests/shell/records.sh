# Texts of which C is made (src/demo/records.awk, ids.awk): how lines go on, what is defined, what is refused.
. "${srcdir:-.}/tests/lib.sh"
echo 'function finish() { print name; print_members("title columns flag other") }' >"$work/print.awk"
records() { awk -f "$srcdir/src/demo/records.awk" -f "$work/print.awk" "$work/text" 2>&1; }
cat >"$work/text" <<'END'
# comment
define SUM sum(@), max(@)
define BOTH $SUM(a),
		$SUM(min(b))
one
	title A "title" that
		goes on,
		and ends
	columns a,
		b, c
		d
	flag
two-b
	title $BOTH of $SUM()
END
records >"$work/printed" || fail "the text is refused: $(cat "$work/printed")"
cat >"$work/expected" <<'END'
one
	.title = "A \"title\" that goes on, and ends",
	.columns = "a,b, c d",
	.flag = true,
two-b
	.title = "sum(a), max(a),sum(min(b)), max(min(b)) of sum(), max()",
END
cmp "$work/expected" "$work/printed" || fail "printed: $(cat "$work/printed")"
refuses() # WHAT TEXT
{
	printf "$2" >"$work/text"
	records >"$work/printed" && fail "accepted: $2"
	assert_line "$work/printed" "$1"
}
refuses 'text:3: repeated: title' 'one\n\ttitle a\n\ttitle b\n'
refuses 'one: not defined: NONE' 'one\n\ttitle $NONE\n'
refuses 'text:1: neither a record nor a line of one' '\ttitle a\n'
refuses 'text:2: neither a record nor a line of one' 'one\n title a\n'

printf '# comment\none-b | x\n  | y\ntwo\n' >"$work/text"
assert_equal "enumerators" "ROLE_ONE_B, ROLE_TWO," \
	"$(awk -v prefix=ROLE_ -f "$srcdir/src/demo/ids.awk" "$work/text" | tr '\n' ' ' | sed 's/ $//')"
