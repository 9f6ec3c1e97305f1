# Recipes have the version of configure.ac, and a wheel of one binary is the same whenever it is made.
. "${srcdir:-.}/tests/lib.sh"
[ -d "$srcdir/packaging" ] || skip "no recipes here"
cp -R "$srcdir/packaging" "$srcdir/debian" "$work/"
chmod -R u+w "$work"
version=$(strata --version | sed -n '1s/^strata //p')

# versions: each line of a recipe that has a version, without what surrounds it
versions()
{
	(cd "$work" && sed -n '1s/^strata (\(.*\)-1).*/\1/p' debian/changelog
	sed -n -e 's/^Version: *//p' -e 's/.*strata-\([0-9].*\)\.tar\.gz.*/\1/p' -e 's/^%autosetup -n strata-//p' packaging/rpm/strata.spec
	sed -n -e 's/^    version("\(.*\)".*/\1/p' -e 's/.*strata-\([0-9].*\)\.tar\.gz.*/\1/p' packaging/spack/package.py
	sed -n 's/^{% set version = "\(.*\)" %}/\1/p' packaging/conda/meta.yaml) | tr '\n' ' '
}
package=$(echo "$version" | tr - '~')
assert_equal "versions of recipes (make update writes them)" \
	"$package $package $version $version $version $version $(echo "$version" | sed 's/-dev/.dev0/') " "$(versions)"
"$work/packaging/set-version" 9.8.7-dev
assert_equal "versions that are written" "9.8.7~dev 9.8.7~dev 9.8.7-dev 9.8.7-dev 9.8.7-dev 9.8.7-dev 9.8.7.dev0 " "$(versions)"

# ---- wheel ----
need_command python3
mkdir "$work/first" "$work/second"
cp "$builddir/strata" "$work/strata"
"$work/packaging/wheel/build" "$work/strata" "$work/first" >/dev/null
touch -d '2001-01-01' "$work/strata"
(umask 077 && TZ=Asia/Tokyo "$work/packaging/wheel/build" "$work/strata" "$work/second" >/dev/null)
cmp "$work"/first/*.whl "$work"/second/*.whl || fail "two wheels of one binary differ"
cd "$work/second"
python3 -m zipfile -e ./*.whl .
cmp strata_profiler/strata "$work/strata" || fail "the wheel has another binary"
