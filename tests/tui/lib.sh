# Helpers of the explorer's tests: play scripts without a terminal and compare screens as text.
. "${srcdir:-.}/tests/lib.sh"
screens=$srcdir/tests/tui

# play SIZE [PATH]: play the script on standard input, on the sample run or PATH; `:save-screen
# NAME` writes to the work directory.
play()
{
	sed "s|^:save-screen |&$work/|" >"$work/script"
	assert_exit 0 strata ${2:---demo} --script "$work/script" --size "$1"
	[ ! -s "$work/err" ] || fail "said: $(cat "$work/err")"
}

# screen NAME: compare the saved screen with tests/tui/NAME.screen, ignoring the tab line, which
# grows with the number of views. UPDATE_GOLDEN=1 regenerates it: review the git diff.
screen()
{
	sed '1,2s/^[[ ]1.*/(tabs)/' "$work/$1" >"$work/masked" && mv "$work/masked" "$work/$1"
	if [ "${UPDATE_GOLDEN-}" ]; then
		cp "$work/$1" "$screens/$1.screen"
	else
		diff -u "$screens/$1.screen" "$work/$1" || fail "the screen $1 has changed"
	fi
}

# unframed NAME: the screen with blanks for the frames of panels
unframed()
{
	sed 's/├/┌/g; s/┤/┐/g; s/[┬┼┴]/┐┌/g; s/^┌─ / /; s/^│/ /; s/│$//; s/│/  /g
		/┐/s/ \(─\)\{1,\} \{0,1\}/  /g; s/┐┌─ /  /g; s/┐$//' "$work/$1"
}
# shows NAME REGEX, hides NAME REGEX
shows() { { cat "$work/$1"; unframed "$1"; } | grep -E -- "$2" >/dev/null || { cat "$work/$1" >&2; fail "$1 does not show: $2"; }; }
hides() { ! { cat "$work/$1"; unframed "$1"; } | grep -E -- "$2" >/dev/null || { cat "$work/$1" >&2; fail "$1 shows: $2"; }; }
# same NAME NAME: the two screens are equal
same() { diff -u "$work/$1" "$work/$2" || fail "$1 and $2 differ"; }
# selected NAME REGEX: match the row under the cursor
selected() { grep -E '^>' "$work/$1" | grep -Eq -- "$2" || { cat "$work/$1" >&2; fail "not selected in $1: $2"; }; }
