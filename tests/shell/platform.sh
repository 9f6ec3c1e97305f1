# As on an unknown system of POSIX: the program with a platform.c and a sandbox.c (of src/engine/base)
# without any system prints and writes the same.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_command cc
[ -f "$builddir/Makefile" ] || skip "no makefile here"
variable() { printf 'include Makefile\nshown:\n\t@echo $(%s)\n' "$1" | (cd "$builddir" && MAKEFLAGS= ${MAKE:-make} -s -f - shown); }
objects=$(variable strata_OBJECTS)
# shellcheck disable=SC2046,SC2086 # lists of words
(cd "$builddir" &&
	for part in engine/base/platform engine/base/sandbox cli/attach_socket; do
		$(variable CC) -DPLATFORM_PORTABLE $(variable DEFS) $(variable AM_CPPFLAGS) -I. $(variable AM_CFLAGS) \
			-O1 -c -o "$work/${part##*/}.o" "$srcdir/src/$part.c" || exit 1
	done &&
	$(variable CC) $(variable AM_LDFLAGS) $(variable LDFLAGS) -o "$work/portable" $objects "$work/platform.o" "$work/sandbox.o" \
		libexplorer.a libengine.a $(variable strata_libs) $(variable LIBS)) || fail "does not build"
portable() { "$work/portable" "$@"; }
used=$(nm "$work/platform.o" "$work/sandbox.o" | sed -n 's/^ *U //p' | grep -E '^(memrchr|qsort_r|sched_getaffinity|readlink|linkat|prctl|syscall)$' || :)
assert_equal "functions of one system" "" "$used"

export STRATA_DATADIR=$srcdir
tracegen -o "$work/run.json"
cd "$work"
for command in 'report overview' 'report layers -f csv' 'report advice -f json' 'info --list-damage' 'diff run.json'; do
	strata $command -q run.json >expected 2>&1 || :
	portable $command -q run.json >got 2>&1 || :
	cmp expected got || fail "differs: $command"
done
# A file without a name cannot get one: it has one from the start.
portable report kernels -f csv -q -o kernels.csv run.json || fail "cannot write"
strata report kernels -f csv -q run.json | cmp - kernels.csv
assert_equal "files left" "" "$(find . -name '*.strata-*' -o -name '.*.tmp')"
unset STRATA_DATADIR
assert_equal "the sample run" "$(strata report steps --demo -q -f csv)" "$(portable report steps --demo -q -f csv)"
