# Common ground of the hostile cases: each is made by tests/hostile/trace (or in the script), read,
# looked at in every view and in the explorer, and must end: whole, or refused in one sentence.
#
# STRATA_HOSTILE=full makes the cases as large as files get: 4 GB of one string, 100 million events.
. "${srcdir:-.}/tests/lib.sh"
limit=300	# seconds after which something hangs; what is timed here takes a few at most

# amount FULL USUAL UNDER_TOOLS: how large the case is this time
amount()
{
	if [ "${STRATA_HOSTILE-}" = full ]; then echo "$1"
	elif [ -n "${TEST_WRAPPER-}" ]; then echo "$3"
	else case ${SANITIZERS-} in *thread*) echo "$3" ;; *) echo "$2" ;; esac; fi
}

hostile() { "$builddir/tests/hostile/trace" "$@"; }

# ends STATUSES MIB ARGUMENT...: strata ends with one of the statuses ("0 1") within that much memory
ends()
{
	statuses=$1 mib=$2 status=0
	shift 2
	if [ -n "${TEST_WRAPPER-}${SANITIZERS-}" ]; then
		timeout $limit ${TEST_WRAPPER-} "$builddir/strata" "$@" \
			>"$work/out" 2>"$work/err" || status=$?
	else
		timeout $limit "$builddir/tests/peak" "$work/peak" "$builddir/strata" "$@" \
			>"$work/out" 2>"$work/err" || status=$?
		[ "$status" = 124 ] || [ "$(cat "$work/peak")" -le $((mib << 20)) ] ||
			fail "$(($(cat "$work/peak") >> 20)) MiB of memory: strata $*"
	fi
	case " $statuses " in
	*" $status "*) ;;
	*) head -c 2000 "$work/err" >&2; fail "exit $status, not one of $statuses: strata $*" ;;
	esac
	[ "$status" -lt 2 ] || {
		assert_equal "sentences of: strata $*" 1 "$(wc -l <"$work/err")"
		is_clean "$work/err"
	}
}

# is_clean FILE: nothing in it speaks to a terminal: no control bytes, no bidirectional controls
is_clean()
{
	! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$1" || fail "control bytes in $1"
	! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$1" || fail "C1 controls in $1"
	! LC_ALL=C grep -Eq "$(printf '\342\200[\216\217\252-\256]|\342\201[\246-\251]')" "$1" ||
		fail "bidirectional controls in $1"
	if LC_ALL=C tr -d '\000' <"$1" | cmp -s - "$1"; then :; else fail "NUL in $1"; fi
}

# every_view MIB FILE: all reports end and are safe to look at
every_view()
{
	for view in $(strata views -f csv | sed '1d; s/,.*//'); do
		ends "0 1" "$1" report "$view" -q -n 50 -w 200 "$2"
		is_clean "$work/out"
	done
}

# explore MIB FILE: through the views, down into rows, searched, sorted, filtered, and back out
explore()
{
	cat >"$work/script" <<END
:save-screen $work/screen1
2jj<Enter><Enter><Enter>:save-screen $work/screen2
:save-screen $work/screen2
3<End><Home><PageDown>s
/a+<Enter>nn
:save-screen $work/screen3
&x<Enter>
:save-screen $work/screen4
&<C-u><Enter>
:view launches
<Enter><Right><Right><Left>
:save-screen $work/screen5
:view info
<End>
:save-screen $work/screen6
:sql SELECT name, count(*) FROM operators GROUP BY 1
:save-screen $work/screen7
END
	ends 0 "$1" --script "$work/script" --size 90x30 "$2"
	for screen in "$work"/screen[1-7]; do
		is_clean "$screen"
	done
}
