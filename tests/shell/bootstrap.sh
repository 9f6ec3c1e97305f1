# ./bootstrap installs what is missing once, asks nothing if nothing is missing, and says what to do without root.
. "${srcdir:-.}/tests/lib.sh"
[ -e "$srcdir/bootstrap" ] || skip "no bootstrap here"

# A system of programs that are named one by one, and records what it is asked to install.
mkdir "$work/tree" "$work/bin"
cp "$srcdir/bootstrap" "$work/tree/"
printf '#!/bin/sh\n' >"$work/tree/configure"
chmod +x "$work/tree/configure"
for tool in sh sed grep cat dirname printf paste env; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
program() # NAME LINE...
{
	name=$1
	shift
	{ echo '#!/bin/sh'; printf '%s\n' "$@"; } >"$work/bin/$name"
	chmod +x "$work/bin/$name"
}
bootstrap() # ARGUMENT...: status in $status, messages in $work/said
{
	status=0
	env -i PATH="$work/bin" "$work/tree/bootstrap" "$@" </dev/null >"$work/said" 2>&1 || status=$?
}
for tool in gcc cc make autoreconf automake gzip; do program $tool 'exit 0'; done
# pkg-config knows the modules that a file lists
program pkg-config "grep -qx \"\$2\" '$work/modules'"
program dpkg-query 'exit 1'
program id 'echo 1000'
printf '%s\n' ncursesw sqlite3 libpcre2-8 libzstd libutf8proc libisal >"$work/modules"

bootstrap
assert_equal "status with everything there" "0 " "$status $(cat "$work/said")"
bootstrap --nosuch
assert_equal "status of an unknown option" 2 "$status"

# what only makes strata faster is not asked for, and ISA-L is needed where zlib is not
sed -i 's/libisal/zlib/' "$work/modules"
bootstrap
assert_equal "status without ISA-L" "0 " "$status $(cat "$work/said")"
sed -i /zlib/d "$work/modules"
bootstrap
assert_equal "status without ISA-L and zlib" 1 "$status"
assert_line "$work/said" '^    apt-get install --no-install-recommends libisal-dev$'

# without root: only what is missing, and how else to get strata
echo zlib >>"$work/modules"
sed -i '/^sqlite3$/d' "$work/modules"
rm "$work/bin/automake"
bootstrap
assert_equal "status without root" 1 "$status"
assert_line "$work/said" '^    apt-get install --no-install-recommends automake libsqlite3-dev libisal-dev$'
assert_line "$work/said" 'packaging/static'
assert_line "$work/said" 'dpkg-buildpackage'
! grep -q 'gcc\|cmocka\|valgrind' "$work/said" || fail "what is there, or for tests, is claimed missing"

# as root: all at once, with its size, and then no more
program id 'echo 0'
program apt-cache 'exit 0'
program apt-get "echo \"\$*\" >>'$work/installed'" 'case "$*" in
*--assume-no*) echo "Need to get 1,234 kB of archives."
	echo "After this operation, 5,678 kB of additional disk space will be used."
	exit 1 ;;
*install*) cat "'"$work"'/new" >>"'"$work"'/modules"; cp "'"$work"'/bin/make" "'"$work"'/bin/automake" ;;
esac'
ln -s "$(command -v cp)" "$work/bin/cp"
printf '%s\n' sqlite3 libisal >"$work/new"
bootstrap
assert_equal "status as root" 0 "$status"
assert_line "$work/said" 'installs them \(1,234 kB to download, 5,678 kB on disk\)'
assert_equal "installed at once" "install -qy --no-install-recommends automake libsqlite3-dev libisal-dev" \
	"$(grep -v assume-no "$work/installed")"
rm "$work/installed"
bootstrap
assert_equal "status at the second start" "0 " "$status $(cat "$work/said")"
[ ! -e "$work/installed" ] || fail "the second start installs: $(cat "$work/installed")"

# tests need more; where it cannot be installed, the tests are skipped
program apt-get 'exit 1'
bootstrap --tests
assert_equal "status without what tests need" 0 "$status"
assert_line "$work/said" 'tmux valgrind clang-format openmpi-bin mold libcmocka-dev libvterm-dev libopenmpi-dev'
assert_line "$work/said" 'tests that need them are skipped'
