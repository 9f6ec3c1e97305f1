# What a command line names exists, else the message says what does; suggestions are near; colors.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
cd "$work"
tracegen --steps 10 --seed 3 -o run.json

# ---- a scope outside the profile, in reports, pictures, exports, queries and for agents ----
first=$(strata query -q -f csv "SELECT min(step) FROM steps" run.json | sed 1d | tr -d '\r')
last=$((first + 9))
threads=$(strata query -q -f csv "SELECT DISTINCT thread FROM spans WHERE thread >= 0 ORDER BY 1" run.json | sed 1d | tr -d '\r')
streams=$(strata query -q -f csv "SELECT DISTINCT stream FROM launches ORDER BY 1" run.json | sed 1d | tr -d '\r')
[ -n "$threads" ] && [ -n "$streams" ] || fail "no threads or streams"
refused() # MESSAGE OPTION...: by every command
{
	message=$1
	shift
	for what in "report kernels" "report overview" "report ranks" "report dashboard" "report timeline" \
		"report plot-steps" "export --trace new" "export --sqlite new" "export --stacks new"; do
		assert_exit 2 strata $what -q "$@" run.json
		assert_line err "^strata: $message"
		[ ! -e new ] || fail "$what $* wrote a file"
	done
	assert_exit 2 strata query -q "SELECT count(*) FROM kernels" "$@" run.json
	assert_line err "^strata: $message"
}
refused "unknown step; the steps are $first\.\.$last$" --steps 70..90
refused "unknown stream 4711; the streams are $(echo $streams | sed 's/ /, /g')$" --stream 4711
refused "unknown thread 3; the threads are .*$(echo $threads | cut -d' ' -f1)" --thread 3
refused "unknown device 9; the devices are CPU, GPU0$" --device 9
refused "unknown rank 5; the ranks are 0\.\.0$" --rank 5
refused 'no annotation matches the step name "nosuch"; some are "ProfilerStep#' --step-name nosuch
for good in "--steps $last..$((last + 9))" "--stream $(echo "$streams" | tail -1)" "--device cpu,0" "--step-name ProfilerStep"; do
	assert_exit 0 strata report overview -q $good run.json
done
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","arguments":{"view":"kernels","steps":"70..90"}}}' |
	strata serve --stdio run.json >out
assert_line out "unknown step; the steps are $first\.\.$last.*\"isError\": true"
mkdir ranks
for rank in 0 1; do
	tracegen --steps 2 --rank $rank --world 2 -o ranks/r$rank.json
done
assert_exit 2 strata report kernels -q --rank 2 ranks
assert_line err 'unknown rank 2; the ranks are 0\.\.1'

# ---- suggestions ----
for slip in kernls:kernels oeprators:operators kernal:kernels; do
	assert_exit 2 strata report "${slip%:*}" run.json
	assert_line err "did you mean ${slip#*:}\?"
done
for far in zzzzzz xy banana; do
	assert_exit 2 strata report "$far" run.json
	! grep -q 'did you mean' err || fail "a suggestion for $far: $(cat err)"
	assert_exit 2 strata "--$far" run.json
	! grep -q 'did you mean' err || fail "a suggestion for --$far: $(cat err)"
done

# ---- half of a run is no run ----
head -c $(($(wc -c <run.json) / 2)) run.json >half.json
for pair in "run.json half.json" "half.json run.json"; do
	assert_exit 6 strata diff $pair --view diff
	assert_exit 6 strata diff $pair --fail-above 1000000
done
assert_exit 0 strata diff run.json run.json --view diff

# ---- colors: on a terminal, or when asked for; never in a file or another format ----
escape=$(printf '\033')
colored() # yes|no COMMAND...
{
	expected=$1 found=no
	shift
	"$@" >out 2>err || fail "exit of: $*"
	! grep -q "$escape" out || found=yes
	assert_equal "colors of $*" "$expected" "$found"
}
plain() { sed "s/$escape\[[0-9;]*m//g" "$1"; }
tracegen --steps 10 --seed 3 --slow layer3:4 -o slow.json
for what in "report kernels" "report dashboard" "report timeline" "report plot-steps" "report advice" "diff run.json --view diff"; do
	colored no strata $what -q slow.json
	colored yes strata $what -q --color always slow.json
	cp out colors
	colored no strata $what -q --color never slow.json
	plain colors | cmp - out || fail "$what --color always has another text"
	colored yes env CLICOLOR_FORCE=1 "$builddir/strata" $what -q slow.json
	colored no env CLICOLOR_FORCE=1 NO_COLOR=1 "$builddir/strata" $what -q slow.json
	colored no env CLICOLOR_FORCE=1 "$builddir/strata" $what -q --color never slow.json
done
strata diff run.json -q --view diff --color always slow.json | grep -q "$escape\[1;31mslower$escape\[0m" ||
	fail "slower is not marked"
for format in csv json markdown; do
	colored no strata report kernels -q --color always -f $format run.json
done
colored no strata report dashboard -q --color auto -o page run.json
if command -v script >/dev/null && [ -z "${TEST_WRAPPER-}" ]; then
	for term in xterm:yes dumb:no; do
		found=no
		TERM=${term%:*} script -qec "'$builddir/strata' report kernels -q run.json" /dev/null </dev/null >out
		! grep -q "$escape\[1m" out || found=yes
		assert_equal "colors on ${term%:*}" "${term#*:}" "$found"
	done
fi
