# The program is whole: a copy alone in an empty directory has the sample run, all themes, reports,
# queries and the brief for agents. `make install` and `make uninstall` leave nothing behind.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
mkdir "$work/alone"
cp "$builddir/strata" "$work/alone/strata"
cd "$work/alone"
unset STRATA_DATADIR
alone() { env -i TERM=xterm-256color ${TEST_WRAPPER-} ./strata "$@"; }

# ---- compiled in ----
assert_exit 0 alone --version
assert_line "$work/out" '^strata [0-9]'
for library in ncurses SQLite PCRE2 zstd utf8proc; do
	assert_line "$work/out" "^libraries: .*$library [0-9]"
done
assert_line "$work/out" '^compiled in: .*demo.trace.json.gz.*'
if [ ! -e /usr/share/strata ] && [ ! -e /usr/local/share/strata ]; then
	alone info --demo -q -f csv | grep -q 'builtin:demo.trace.json.gz' || fail "the sample run is not the built-in one"
fi
STRATA_DATADIR="$srcdir" strata report kernels --demo -q -f csv >"$work/installed"
alone report kernels --demo -q -f csv | cmp - "$work/installed" || fail "the built-in sample run differs"
assert_exit 0 alone query "SELECT count(*) FROM steps" --demo -q -f csv
assert_line "$work/out" '^3'
alone --list themes | sed 's/	.*//' >"$work/themes"
for theme in "$srcdir"/themes/*.theme; do
	name=$(basename "$theme" .theme)
	grep -q "$name" "$work/themes" || fail "theme $name is not listed"
	echo quit | assert_exit 0 alone --demo --theme "$name" --script - --size 80x24 --no-state
done
assert_exit 2 alone --demo --theme nosuch --script /dev/null
XDG_CACHE_HOME="$work/alone/cache" ./strata report steps -q --demo -f csv >/dev/null

# ---- the brief ----
alone agent >brief
[ "$(wc -c <brief)" -le 4096 ] || fail "the brief has more than 4 KB"
cmp brief "$srcdir/man/agent/SKILL.md" || fail "the brief is not the installed skill"
STRATA_DATADIR="$srcdir" strata views >views
grep -o '`[a-z-]*`' brief | tr -d '`' | sort -u | while read -r word; do
	case $word in strata | check | null | self | total | warnings | coverage | truncated | comparable | weak | no) continue ;; esac
	grep -q "^$word:" views || case $word in
	*_*|-*) ;;
	*) fail "the brief names $word, which is no view" ;;
	esac
done
for option in --envelope --steps --time --rank --device --under --filter; do
	grep -q -- "$option" brief && alone report --help | grep -q -- "$option" || fail "the brief lacks $option"
done

# ---- installation ----
[ -f "$builddir/Makefile" ] || skip "no makefile here"
install() { (cd "$builddir" && make -s "$@" DESTDIR="$work/root" >"$work/make.log" 2>&1) || { tail "$work/make.log"; fail "make $*"; }; }
install install
(cd "$work/root" && find . -type f -o -type l) >"$work/installed"
for file in bin/strata man1/strata.1 man5/strata-json.5 bash-completion/completions/strata \
	site-functions/_strata vendor_completions.d/strata.fish share/strata/demo.trace.json.gz \
	share/strata/complete share/strata/themes/dark.theme share/strata/skills/strata/SKILL.md; do
	grep -q "/$file$" "$work/installed" || fail "not installed: $file"
done
install uninstall
left=$(cd "$work/root" && find . -type f -o -type l -o -path '*/share/strata' -o -path '*/share/strata/*')
[ -z "$left" ] || fail "left by uninstall: $left"
