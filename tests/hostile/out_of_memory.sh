# Out of memory at any point gives an error message, never a crash.
. "${srcdir:-.}/tests/hostile/lib.sh"
need_plain_memory

tracegen --size 10M -o "$work/t.json"
said=0
# want KIB ARGUMENT...: with this address space limit
want()
{
	kib=$1 status=0
	shift
	(ulimit -v "$kib" && exec timeout $limit "$builddir/strata" "$@") >"$work/out" 2>"$work/err" ||
		status=$?
	case $status in
	0 | 1) ;;
	2 | 4 | 5)
		assert_line "$work/err" 'memory|too big|cannot start|no thread'
		said=$((said + 1)) ;;
	*) cat "$work/err" >&2; fail "exit $status with $kib KiB: strata $*" ;;
	esac
}
printf '%s\n' 2 '<Enter>' ':view launches' ':sql SELECT * FROM launches a, launches b LIMIT 20000' >"$work/script"
for kib in 25000 40000 80000; do
	want $kib info -q "$work/t.json"
	want $kib report launches -q -f csv "$work/t.json"
	want $kib query -q "SELECT group_concat(a.name) FROM launches a, launches b" "$work/t.json"
	want $kib export -q --sqlite "$work/db" "$work/t.json"
	want $kib --script "$work/script" "$work/t.json"
done
[ "$said" -gt 0 ] || fail "memory never ran out"
