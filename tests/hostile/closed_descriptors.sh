# Standard input, output or error closed before the start: messages never end up in a file opened
# under their number, and a report that could not be written is reported by the exit status.
. "${srcdir:-.}/tests/hostile/lib.sh"
[ -z "${TEST_WRAPPER-}" ] || skip "valgrind reopens closed descriptors"

tracegen --steps 1 -o "$work/t.json"
cp "$work/t.json" "$work/kept.json"
strata report launches -q -f csv "$work/t.json" >"$work/right.csv" <"$work/t.json"

# closed DESCRIPTORS STATUS ARGUMENT...: with descriptors 0, 1, 2 closed
closed()
{
	descriptors=$1 expected=$2 status=0
	shift 2
	: >"$work/err"
	case $descriptors in
	0) strata "$@" <&- >"$work/out" 2>"$work/err" || status=$? ;;
	1) strata "$@" >&- 2>"$work/err" || status=$? ;;
	2) strata "$@" >"$work/out" 2>&- || status=$? ;;
	12) strata "$@" >&- 2>&- || status=$? ;;
	012) strata "$@" <&- >&- 2>&- || status=$? ;;
	esac
	assert_equal "status without $descriptors of: strata $*" "$expected" "$status"
	cmp "$work/t.json" "$work/kept.json" || fail "the trace was modified: strata $*"
}
for descriptors in 0 1 2 12 012; do
	# written to a file it is complete, at any length
	rm -f "$work/t.csv"
	closed $descriptors 0 report launches -v -f csv -o "$work/t.csv" "$work/t.json"
	cmp "$work/t.csv" "$work/right.csv" || fail "the report differs without $descriptors"
	closed $descriptors 4 report launches -f csv -o "$work/t.csv" "$work/t.json" "$work/none.json"
	cmp "$work/t.csv" "$work/right.csv" || fail "a failed report was written without $descriptors"
	rm -f "$work/db"
	closed $descriptors 0 export -v --sqlite "$work/db" --trace "$work/again.json" "$work/t.json"
	strata info -q "$work/again.json" >/dev/null
done
closed 0 0 report launches -q -f csv "$work/t.json"
cmp "$work/out" "$work/right.csv"
closed 0 4 info -
assert_line "$work/err" '^strata: -: cannot'
for descriptors in 1 12 012; do
	closed $descriptors 5 report launches -q -f csv "$work/t.json"
	closed $descriptors 5 query -q "SELECT 1" "$work/t.json"
	closed $descriptors 5 --help
done
# Where /dev/null cannot be opened in their place, nothing is read or written.
if [ -z "${SANITIZERS-}" ]; then
	status=0
	sh -c 'ulimit -n 1; exec "$0" info "$1"' "$builddir/strata" "$work/t.json" <&- >&- 2>&- || status=$?
	assert_equal "status without descriptors" 5 $status
fi
closed 2 0 report launches -f csv -v "$work/t.json"
cmp "$work/out" "$work/right.csv"
closed 2 2 report nothing "$work/t.json"
[ ! -s "$work/out" ] || fail "a message went to the output file"
