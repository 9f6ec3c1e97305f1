# strata bisect, alone and as the command of git bisect run: the example of the manual.
. "${srcdir:-.}/tests/lib.sh"

tracegen --steps 6 --layers 2 --stacks 0 -o "$work/good.json"
tracegen --steps 6 --layers 2 --stacks 0 --slow layer1.0:3 -o "$work/slow.json"
bisect() { strata bisect -q "$@"; }

assert_exit 0 bisect "$work/good.json" "$work/good.json"
assert_exit 1 bisect "$work/good.json" "$work/slow.json"
assert_exit 0 bisect "$work/slow.json" "$work/good.json"
assert_exit 0 bisect "$work/good.json" "$work/slow.json" --fail-above 1000
assert_exit 0 strata bisect "$work/good.json" "$work/good.json"
assert_line "$work/err" 'good.json is not slower than '
assert_exit 125 bisect "$work/good.json" "$work/nothing.json"
head -c 20000 "$work/good.json" >"$work/cut.json"
assert_exit 125 bisect "$work/good.json" "$work/cut.json"
assert_exit 2 bisect "$work/good.json"
[ -z "$(cat "$work/out")" ] || fail "something on standard output"

# The command records the run, fails, leaves the old one, or is not there.
assert_exit 1 bisect "$work/good.json" "$work/new.json" -- cp "$work/slow.json" "$work/new.json"
assert_exit 0 bisect "$work/good.json" "$work/new.json" -- cp "$work/good.json" "$work/new.json"
assert_exit 125 bisect "$work/good.json" "$work/new.json" -- false
assert_line "$work/err" 'false failed'
assert_exit 125 bisect "$work/good.json" "$work/new.json" -- true
assert_line "$work/err" "true wrote no new $work/new.json"
assert_exit 125 bisect "$work/good.json" "$work/new.json" -- "$work/nothing"
assert_line "$work/err" 'cannot run .*nothing: No such file'

# ---- git bisect run: commit 6 of 9 is slower, and commit 4 does not run ----
need_command git
mkdir "$work/repository" "$work/bin"
cd "$work/repository"
printf '#!/bin/sh\nexec %s "%s/strata" "$@"\n' "${TEST_WRAPPER-}" "$builddir" >"$work/bin/strata"
chmod +x "$work/bin/strata"
PATH=$work/bin:$PATH
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q
for commit in 1 2 3 4 5 6 7 8 9; do
	run=good
	[ $commit -lt 6 ] || run=slow
	printf '#!/bin/sh\n: commit %s\ncp "%s/%s.json" new.json\n' $commit "$work" $run >record.sh
	[ $commit != 4 ] || printf '#!/bin/sh\nexit 1\n' >record.sh
	chmod +x record.sh
	git add record.sh
	git commit -qm "commit $commit"
done
git tag v1.0 HEAD~8
assert_exit 0 env strata baseline add good "$work/good.json"
sed -n '/^strata baseline add good/,/^git bisect run/p' "$srcdir/man/strata.1" >"$work/example"
assert_equal "lines of the example" 3 "$(wc -l <"$work/example")"
sed 's/^strata baseline.*//' "$work/example" >"$work/commands"
sh -e "$work/commands" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "the example fails"; }
assert_line "$work/log" 'is the first bad commit'
assert_equal "the commit" "commit 6" "$(git log -1 --format=%s refs/bisect/bad)"
