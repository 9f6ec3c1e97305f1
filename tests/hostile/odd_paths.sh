# File names with escape sequences, C0 and C1 controls and bidirectional controls: all messages
# about them are escaped and take one line.
. "${srcdir:-.}/tests/hostile/lib.sh"

name=$(printf 'a\033[2J\033]0;x\007\302\23331m\342\200\256b\nc')
mkdir "$work/$name"
none=$work/$name/none
tracegen --steps 1 -o "$work/t.json"
trace=$work/t.json
printf 'neither JSON nor a database' >"$work/$name/text"
printf 'SQLite format 3\000and no more' >"$work/$name/database"
printf '{"traceEvents":[{"ph":"X","name":"x","pid":1,"tid":1,"ts":1,"dur":1},{"ph":"X","na' >"$work/$name/cut.json"
: >"$work/$name/empty"

# told STATUS ARGUMENT...: a one-line message
told()
{
	ends "$@"
	[ -s "$work/err" ] || fail "no message: strata $*"
	is_clean "$work/out"
}
for file in none text database empty; do
	told 4 200 info "$work/$name/$file"
	told 4 200 report operators "$trace" "$work/$name/$file"
	told 4 200 report operators "$trace" --base "$work/$name/$file"
	told 4 200 diff "$work/$name/$file" "$trace"
	told 4 200 --script /dev/null "$work/$name/$file"
	told 4 200 query "SELECT 1" "$work/$name/$file"
	told 4 200 export --sqlite "$work/db" "$work/$name/$file"
done
mkdir "$work/$name/folder"
told 4 200 info "$work/$name/folder"
ends 0 200 info -q "$work/$name/cut.json"
is_clean "$work/out"
is_clean "$work/err"
assert_exit 3 strata info --strict "$work/$name/cut.json"
is_clean "$work/out"
is_clean "$work/err"

for option in --output --sqlite --trace --stacks; do
	case $option in
	--output) told 5 200 report operators -q "$trace" $option "$none/x" ;;
	*) told 5 200 export -q "$trace" $option "$none/x" ;;
	esac
done
told 5 200 report all -q "$trace" -o "$trace/x"
for option in --config --script; do
	told 2 200 "$trace" --script /dev/null $option "$none"
done
told 2 200 info "$trace" --device-peaks "$none"
printf 'no device\n' >"$work/$name/devices"
ends 0 200 info "$trace" --device-peaks "$work/$name/devices"
[ "$(wc -l <"$work/err")" -ge 1 ] || fail "an invalid device line is not reported"
is_clean "$work/err"

# ---- names of other things ----
told 2 200 report "$name" "$trace"
told 2 200 query "$name" "$trace"
told 2 200 query "SELECT [$name] FROM operators" "$trace"
told 2 200 export "$trace"
told 2 200 --list "$name"
told 2 200 "--$name" "$trace"
told 2 200 --script /dev/null --view "$name" "$trace"
for option in --format --columns --sort --group-by --steps --time --rank --limit --width --by --filter; do
	told 2 200 report operators "$trace" "$option=($name"
done
told 2 200 report key-averages "$trace" --sort-by "$name"
told 2 200 diff "$trace" "$trace" --fail-above "$name"
told 2 200 --script /dev/null --size "$name" "$trace"
told 2 200 --color "$name" "$trace"

# ---- in the explorer ----
i=0
for command in "view $name" "write $none/x.csv" "write $none/x.$name" "theme $none" "base $none" \
	"sql SELECT '$name' x" "sql $name" "$name" "search ($name" "filter ($name" "columns $name" \
	"sort $name" "steps $name" "set $name" "save-config $none" "plot $name" "key-node $name"; do
	i=$((i + 1))
	printf ':view operators\n:%s\n:save-screen %s/screen%d\n' "$(echo "$command" | tr -d '\n')" \
		"$work" $i >"$work/script"
	ends "0 5" 200 --script "$work/script" "$trace"
	[ ! -f "$work/screen$i" ] || is_clean "$work/screen$i"
	is_clean "$work/err"
done
