# The action of packaging/action: status of the gate, Markdown in the summary and, if asked for, a comment.
. "${srcdir:-.}/tests/lib.sh"
cd "$work"
tracegen --steps 8 -o good.json
tracegen --steps 8 --slow layer3:2 -o slow.json
head -c 100000 slow.json >half.json
mkdir bin
printf '#!/bin/sh\necho "$@" >>asked; cp "$5" posted\n' >bin/gh
printf '#!/bin/sh\nexec %s "%s/strata" "$@"\n' "${TEST_WRAPPER-}" "$builddir" >bin/strata
chmod +x bin/gh bin/strata
export PATH="$work/bin:$PATH" GITHUB_STEP_SUMMARY="$work/summary" GATE_STRATA=strata GATE_FAIL_ABOVE=5% \
	GATE_VIEW=layers GATE_ROWS=5 GATE_COMMENT=false GATE_PULL_REQUEST=7
gate() # STATUS BASE NEW
{
	rm -f summary posted asked
	GATE_BASE=$2 GATE_NEW=$3 assert_exit "$1" sh "$srcdir/packaging/action/gate"
}
gate 0 good.json good.json
assert_line summary '^### strata: not slower by more than 5%$'
[ ! -e posted ] || fail "posted without being asked"
GATE_COMMENT=true gate 1 good.json slow.json
assert_line summary '^### strata: slower$'
assert_line summary '^\| .*slower'
assert_line summary '^- .* slower \(limit 5%\)$|^- .*% slower'
cmp summary posted || fail "another text was posted"
assert_equal "where" "pr comment 7" "$(cut -d' ' -f1-3 asked)"
gate 6 good.json half.json
assert_line summary '^### strata: not comparable$'
gate 4 good.json nosuch.json
assert_line summary 'no comparison \(status 4\)'
# every input reaches the gate, by the environment alone
for name in $(sed -n '/^runs:/q; s/^  \([a-z-]*\):$/\1/p' "$srcdir/packaging/action/action.yml"); do
	grep -q "inputs.$name }}" "$srcdir/packaging/action/action.yml" || fail "unused input: $name"
done
! grep -n 'run:.*\${{' "$srcdir/packaging/action/action.yml" || fail "an input is part of a script"
