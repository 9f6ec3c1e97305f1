# Standard input, output or errors that were closed before the start: nothing that is said goes into a
# file that was opened in their place, and a report that went nowhere is told of by the status.
. "${srcdir:-.}/tests/hostile/lib.sh"
[ -z "${TEST_WRAPPER-}" ] || skip "valgrind opens what was closed"

tracegen --steps 1 -o "$work/t.json"
cp "$work/t.json" "$work/kept.json"
strata report launches -q -f csv "$work/t.json" >"$work/right.csv" <"$work/t.json"

# closed DESCRIPTORS STATUS ARGUMENT...: with "0", "1", "2" or several of them closed
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
	cmp "$work/t.json" "$work/kept.json" || fail "the trace was written into: strata $*"
}
for descriptors in 0 1 2 12 012; do
	# written to a file it is the same, however much there is to say
	rm -f "$work/t.csv"
	closed $descriptors 0 report launches -v -f csv -o "$work/t.csv" "$work/t.json"
	cmp "$work/t.csv" "$work/right.csv" || fail "another report without $descriptors"
	closed $descriptors 4 report launches -f csv -o "$work/t.csv" "$work/t.json" "$work/none.json"
	cmp "$work/t.csv" "$work/right.csv" || fail "a report that failed was written without $descriptors"
	rm -f "$work/db"
	closed $descriptors 0 export -v --sqlite "$work/db" --trace "$work/again.json" "$work/t.json"
	strata info -q "$work/again.json" >/dev/null
done
closed 0 0 report launches -q -f csv "$work/t.json"
cmp "$work/out" "$work/right.csv"
closed 0 4 info -
assert_line "$work/err" '^strata: -: cannot be'
for descriptors in 1 12 012; do
	closed $descriptors 5 report launches -q -f csv "$work/t.json"
	closed $descriptors 5 query -q "SELECT 1" "$work/t.json"
	closed $descriptors 5 --help
done
closed 2 0 report launches -f csv -v "$work/t.json"
cmp "$work/out" "$work/right.csv"
closed 2 2 report nothing "$work/t.json"
[ ! -s "$work/out" ] || fail "what was to be said went into the output"
