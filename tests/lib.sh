# Helpers of the shell tests: `. "${srcdir:-.}/tests/lib.sh"` from the build directory.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$PWD
export LC_ALL=C.UTF-8 TZ=UTC STRATA_DATADIR="$srcdir"
unset STRATA_CONFIG NO_COLOR COLUMNS LINES 2>/dev/null || :

# Not in $TMPDIR: screens and messages shorten long paths.
work=$(cd "$(TMPDIR=/tmp mktemp -d)" && pwd -P)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
export HOME="$work" XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state" \
	XDG_CACHE_HOME="$work/cache"

corpus=${STRATA_CORPUS:-$srcdir/../shared/corpus}
[ ! -d "$corpus" ] || corpus=$(cd "$corpus" && pwd)

strata() { ${TEST_WRAPPER-} "$builddir/strata" "$@"; }
tracegen() { "$builddir/tracegen" "$@"; }

fail() { echo "FAIL: $*" >&2; exit 1; }
skip() { echo "SKIP: $*" >&2; exit 77; }

# Tests over real traces need a folder of the corpus; without it they skip and name it.
need_corpus() { [ -d "$corpus/$1" ] || skip "no $1 traces here"; }
need_command() { command -v "$1" >/dev/null 2>&1 || skip "no $1 here"; }

# Limits of the address space are meaningless under valgrind and sanitizers.
need_plain_memory()
{
	[ -z "${TEST_WRAPPER-}${SANITIZERS-}" ] || skip "limits of memory are not meaningful under these tools"
}

# sampled N: the lines of the input; under sanitizers, which look for errors of memory and are slow,
# each Nth, others in other runs (SAMPLE, which ./check sets), the first if none is. For figures, which no sanitizer
# changes.
sampled()
{
	every=$1
	[ -n "${SANITIZERS-}" ] || every=1
	awk -v every="$every" -v sample="${SAMPLE-0}" '
		NR == 1 { first = $0 }
		(NR + sample) % every == 0 { print; any = 1 }
		END { if (NR && !any) print first }'
}

# seldom N: end a test under sanitizers but in each Nth run (SAMPLE). For those of figures and texts, whose code
# others execute, too.
seldom()
{
	[ -z "${SANITIZERS-}" ] || (
		name=${0##*/}
		[ $(((${#name} + ${SAMPLE-0}) % $1)) = 0 ]
	) || skip "under sanitizers in each run of $1"
}

# some WORD...: the words; under sanitizers each third
some() { printf '%s\n' "$@" | sampled 3; }

# peak_of ARGUMENT...: run strata; print the most bytes that it held at once, by its own count
peak_of()
{
	strata "$@" -v 2>"$work/stages" >/dev/null
	sed -n 's/^strata: memory allocated at the peak: \([0-9]*\) bytes$/\1/p' "$work/stages"
}

# within_memory BYTES ARGUMENT...: run strata; fail if its peak memory is not in proportion to a
# trace of BYTES
within_memory()
{
	bytes=$1; shift
	in_proportion "$(peak_of "$@")" "$bytes"
}

# in_proportion PEAK BYTES: fail if that peak of memory is not in proportion to a trace of BYTES
in_proportion()
{
	[ "$1" -le $((3 * $2 + 67108864)) ] || {
		echo "$1 bytes of memory for $2 bytes of trace" >&2
		return 1
	}
}

# assert_equal WHAT EXPECTED ACTUAL
assert_equal() { [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"; }

# assert_exit STATUS COMMAND...: output goes to $work/out and $work/err.
assert_exit()
{
	expected=$1; shift
	status=0
	"$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" = "$expected" ] || {
		cat "$work/err" >&2
		fail "exit $status instead of $expected: $*"
	}
}

# assert_line FILE REGEX
assert_line() { grep -Eq -- "$2" "$1" || fail "no line of $1 matches: $2"; }

# small_profiles: paths of the corpus of at most 2 MB, two of each folder
small_profiles()
{
	(cd "$corpus" && find * -type f -size -2M ! -path 'golden/*' ! -path 'hostile/*' \
		! -path '*bad/*' ! -name '*.md') | sort |
		awk -F / '{ folder = $0; sub(/\/[^\/]*$/, "", folder) } n[folder]++ < 2'
}

# hold_invariants TRACE: the views agree with themselves and each other (tests/shell/invariants.sql)
hold_invariants()
{
	assert_exit 0 strata query - -q -f csv "$1" <"$srcdir/tests/shell/invariants.sql"
	[ "$(wc -l <"$work/out")" = 1 ] || {
		cat "$work/out" >&2
		fail "the views contradict themselves on $1"
	}
}
