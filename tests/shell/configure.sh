# Targets that cannot work are refused by configure, with the reason.
. "${srcdir:-.}/tests/lib.sh"

need_command cc
[ -x "$srcdir/configure" ] || skip "no configure script here"
[ ! -e "$srcdir/config.status" ] || skip "the source directory is configured"
mkdir "$work/build"
cd "$work/build"

# refused WORDS DEFINITION: a compiler for another target, which only compiles, is refused
refused()
{
	{
		echo '#!/bin/sh'
		echo "case \" \$* \" in *' -c '*) exec cc $2 \"\$@\" ;; esac"
		echo 'exec cc "$@"'
	} >"$work/cc"
	chmod +x "$work/cc"
	status=0
	"$srcdir/configure" CC="$work/cc" >"$work/out" 2>"$work/err" || status=$?
	assert_equal "status of configure for another target" 1 "$status"
	assert_line "$work/err" "$1"
}

refused 'error: strata needs a 64-bit target; ' -m32
refused 'error: strata needs a little-endian target; ' \
	'-Wno-builtin-macro-redefined -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__'

# Figures are the same on targets that could fuse a multiplication and an addition.
case $(uname -m) in
x86_64) target=-mfma fused=vfmadd ;;
aarch64) target= fused=fmadd ;;
*) skip "no fused multiply-add known here" ;;
esac
echo 'double sum(double a, double b, double c) { return a * b + c; }' >"$work/sum.c"
flags=$(sed -n 's/^STRATA_CFLAGS = //p' "$builddir/Makefile")
[ -n "$flags" ] || fail "no flags in the makefile"
${CC:-gcc} -O2 $target -S -o "$work/fused.s" "$work/sum.c"
grep -q "$fused" "$work/fused.s" || skip "this compiler fuses nothing"
${CC:-gcc} -O2 $target $(printf '%s\n' $flags | grep -- -ffp) -S -o "$work/apart.s" "$work/sum.c"
! grep -q "$fused" "$work/apart.s" || fail "strata is built with fused multiplications and additions"
