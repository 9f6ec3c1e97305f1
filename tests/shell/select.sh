# Partial reading: what is skipped by option, and what is refused for lack of memory.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

trace="$work/trace.json"
tracegen --size 12M --stacks 40 -o "$trace"
touch -d '1 hour ago' "$trace"

# ---- Python functions ----
rows() { strata info -q -f csv "$@" "$trace" | sed -n "s/^rows,$kind,\([0-9]*\),.*/\1/p"; }
kind=python
[ "$(rows)" -gt 1000 ] || fail "the trace has no Python functions"
assert_equal "Python functions" "" "$(rows --no-python)"
assert_equal "Python functions, read again" "" "$(rows --no-python)"
[ "$(rows)" -gt 1000 ] || fail "an index of other options was used"
for kind in module operator kernel runtime annotation; do
	assert_equal "rows of kind $kind" "$(rows)" "$(rows --no-python)"
done
strata info -q --no-python "$trace" >"$work/out"
assert_line "$work/out" 'discarded except module calls \(--no-python\)'
strata report layers -q -f csv "$trace" >"$work/all"
strata report layers -q -f csv --no-python "$trace" >"$work/less"
cmp "$work/all" "$work/less" || fail "layers differ without Python functions"

# ---- a rank ----
mkdir "$work/run"
for rank in 0 1 2 3; do
	tracegen --rank $rank --world 4 --seed $rank -o "$work/run/part$rank.json"
done
echo 'not a profile' >"$work/run/notes.txt"
fact() { strata report info -q -f csv "$@" "$work/run" | sed -n "s/^file,\"*$fact[^,]*,*[^0-9]*\([0-9]*\),.*/\1/p"; }
strata report operators -q -f csv --no-cache --rank 2 "$work/run" >"$work/one"
strata query -q -f csv "SELECT * FROM operators WHERE rank = 2" "$work/run" >"$work/all"
[ "$(wc -l <"$work/one")" -gt 10 ] || fail "rank 2 has no rows"
assert_equal "operators of a single rank" "$(cut -d, -f1 "$work/all" | sort)" \
	"$(cut -d, -f1 "$work/one" | sort)"
fact='files of other ranks'
assert_equal "skipped files" 3 "$(fact --rank 2)"
assert_equal "skipped files without --rank" "" "$(fact)"
fact='files skipped (not profiles)'
assert_equal "files that are not profiles" 1 "$(fact --rank 2)"
assert_exit 2 strata report operators --rank 4 "$work/run"
assert_line "$work/err" 'unknown rank 4'
# views that compare ranks read them all
assert_exit 0 strata report ranks -q -f csv --rank 2 "$work/run"
assert_equal "ranks shown" 2 "$(wc -l <"$work/out")"
strata report ranks -q -f csv "$work/run" >"$work/all"
assert_equal "comparison of one rank" "$(grep '^2,' "$work/all")" "$(tail -n 1 "$work/out")"
assert_exit 0 strata report collectives -q -f csv --rank 1,3 "$work/run"
assert_equal "ranks of collectives" "1 3" "$(tail -n +2 "$work/out" | cut -d, -f1 | sort -u | xargs)"
assert_exit 2 strata report ranks -q --rank 7 "$work/run"
assert_exit 2 strata report layers --rank 1,3 "$work/run"
assert_line "$work/err" 'takes one rank here'
# views with a column rank list the rows of each
for view in operators kernels launches; do
	columns=name,rank
	[ $view = launches ] || columns=$columns,calls
	for rank in 0 1 2 3; do
		strata report $view -q -f csv -c $columns --rank $rank "$work/run" | tail -n +2
	done | sort >"$work/each"
	strata report $view -q -f csv -c $columns --rank all "$work/run" | tail -n +2 | sort >"$work/all"
	cmp "$work/each" "$work/all" || fail "$view of all ranks are not those of each"
	assert_equal "ranks of $view" "1 3" "$(strata report $view -q -f csv -c rank --rank 1,3 \
		"$work/run" | tail -n +2 | tr -d '\r' | sort -u | xargs)"
	assert_equal "$view of rank 2 by SQL" "$(grep -c ',2\(,\|.\?$\)' "$work/each")" "$(strata query -q -f csv \
		"SELECT count(*) FROM $view WHERE rank = 2" "$work/run" | tail -n 1 | tr -d '\r')"
done
# a device that one rank has is not an error of the others
mkdir "$work/devices"
cp "$work/run/part0.json" "$work/devices/rank0.json"
sed 's/"device": 0/"device": 3/; s/"pid": 0,/"pid": 3,/; s/"id": 0,/"id": 3,/' "$work/run/part1.json" >"$work/devices/rank1.json"
assert_exit 0 strata report launches -q -f csv -c rank,device --rank all --device 3 "$work/devices"
assert_equal "ranks with device 3" "1,GPU3" "$(tail -n +2 "$work/out" | tr -d '\r' | sort -u)"
# the other files are identified by their headers; the rest may be invalid
for rank in 0 1 3; do
	cp "$work/run/part$rank.json" "$work/part$rank"
	{ head -c 300000 "$work/part$rank"; head -c 1000000 /dev/zero; } >"$work/run/part$rank.json"
done
assert_exit 0 strata report operators -q -f csv --strict --no-cache --rank 2 "$work/run"
cmp "$work/one" "$work/out" || fail "other files in the directory change the answer"
assert_exit 3 strata report operators -q --strict --no-cache "$work/run"
# if one header lacks a rank, all files are read and ranks are identified by position
mv "$work/part1" "$work/run/part1.json"
mv "$work/part3" "$work/run/part3.json"
sed 's/"rank": 0/"rang": 0/' "$work/part0" >"$work/run/part0.json"
assert_exit 0 strata report operators -q -f csv --strict --no-cache --rank 2 "$work/run"
cmp "$work/one" "$work/out" || fail "rank 2 differs if one file lacks its rank"
assert_equal "files of other ranks if one lacks its rank" "" "$(fact='files of other ranks'; fact --rank 2)"
mv "$work/run/part0.json" "$work/run/rank0.json"
assert_equal "a file with its rank in the name" 3 "$(fact='files of other ranks'; fact --rank 2)"

# ---- memory ----
assert_exit 2 strata info --max-memory lots "$trace"
assert_exit 0 strata info -q --no-cache --max-memory 0 "$trace"
assert_exit 0 strata info -q --no-cache --max-memory 1G "$trace"
assert_exit 4 strata info -q --no-cache --max-memory 1M "$trace"
assert_line "$work/err" 'needs about [0-9.]+ [KM]iB of memory, and the limit is 1.00 MiB, so about [0-9]+ %'
assert_line "$work/err" 'fits; use --steps A..B to load some steps, --no-python to skip Python functions, or raise --max'
assert_exit 4 strata info -q --no-cache --no-python --max-memory 500k "$trace"
assert_line "$work/err" 'fits; use --steps A..B to load some steps, or raise --max-memory'
# results and SQLite's own memory count, too
assert_exit 4 strata query -q --max-memory 1M "WITH RECURSIVE n(i) AS
	(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i FROM n" --demo
assert_line "$work/err" 'needs more memory than the limit of 1.00 MiB; raise --max-memory'
many='SELECT length(a || a) FROM (SELECT hex(zeroblob(15000000)) AS a)'
assert_exit 4 strata query -q --max-memory 1M "$many" --demo
assert_line "$work/err" 'needs more memory than the limit of 1.00 MiB; raise --max-memory'
assert_exit 0 strata query -q --max-memory 200M "$many" --demo
# the size of piped input is unknown
assert_exit 4 strata info -q --max-memory 1M - <"$trace"
assert_exit 4 sh -c 'cat "$1" | "$2" info -q --max-memory 1M -' sh "$trace" "$builddir/strata"
assert_line "$work/err" 'the pipe needs about [0-9.]+ [KM]iB of memory so far, and the limit is 1.00 MiB'
assert_line "$work/err" 'save it to a file and use --steps A..B to load some steps, --no-python to skip Python functions, or raise --max'

# On one processor: on several, what threads hold at once depends on the load of the machine.
if command -v taskset >/dev/null; then
	processor=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	strata() { taskset -c "$processor" ${TEST_WRAPPER-} "$builddir/strata" "$@"; }
fi
peak() { peak_of info -q --no-cache --max-memory 0 "$@"; }
tracegen --steps 1 --layers 1 --stacks 0 -o "$work/tiny.json"
own=$(peak "$work/tiny.json")
# Refused with half the memory, opened with half as much again: the estimate is within a factor of
# 1.5 of actual use, plus 1 MiB for buffers.
for how in '--size 8M' '--size 30M' '--size 20M --stacks 60' '--size 20M --no-modules --stacks 0' \
	'--size 20M --no-shapes --layers 60'; do
	# shellcheck disable=SC2086
	tracegen $how -o "$work/t.json"
	taken=$(($(peak "$work/t.json") - own))
	assert_exit 4 strata info -q --no-cache --max-memory $((taken * 2 / 3)) "$work/t.json"
	assert_exit 0 strata info -q --no-cache --max-memory $((taken * 3 / 2 + 1048576)) "$work/t.json"
done
gzip -1 "$trace"
assert_exit 4 strata report operators -q --no-cache --max-memory 1M "$trace.gz"

# ---- some steps of a file that does not fit ----
tracegen --size 60M -o "$work/long.json"
steps='--steps 20..21'
taken=$(($(peak "$work/long.json") - own))
for view in operators layers steps launches overview; do
	# shellcheck disable=SC2086
	strata report $view -q -f csv --no-cache $steps "$work/long.json" | grep -v '^trust,' >"$work/all"
	# shellcheck disable=SC2086
	assert_exit 0 strata report $view -q -f csv --no-cache $steps --max-memory $((taken * 2 / 3)) \
		"$work/long.json"
	grep -v '^trust,' "$work/out" | cmp - "$work/all" || fail "$view differs when reading only the steps that fit"
done
left_out() { sed -n 's/^file,"rows of other steps, not loaded (--steps)",\([0-9]*\),.*/\1/p' "$work/out"; }
# shellcheck disable=SC2086
assert_exit 0 strata report info -q -f csv --no-cache $steps "$work/long.json"
assert_equal "rows skipped although they fit" "" "$(left_out)"
# shellcheck disable=SC2086
assert_exit 0 strata report info -q -f csv --no-cache $steps --max-memory $((taken * 2 / 3)) \
	"$work/long.json"
[ "$(left_out)" -gt 50000 ] || fail "only '$(left_out)' rows were skipped"
# reading two steps peaks below half of reading all
# shellcheck disable=SC2086
for memory in "--steps 20..21 --max-memory 0" "--only-steps 20..21"; do
	echo $(($(peak_of report info -q --no-cache $memory "$work/long.json") - own))
done >"$work/peaks"
[ $(($(tail -n 1 "$work/peaks") * 2)) -lt "$(head -n 1 "$work/peaks")" ] ||
	fail "the peaks of all and of some steps: $(cat "$work/peaks")"
# shellcheck disable=SC2086
assert_exit 4 strata report steps -q --no-cache $steps --max-memory 1M "$work/long.json"
assert_line "$work/err" '--steps A..B to load fewer steps'
assert_exit 4 strata report steps -q --steps 20..21 --max-memory 1M - <"$work/long.json"
assert_exit 2 strata report steps --only-steps some "$work/long.json"

# ---- total memory of everything open ----
tracegen --size 8M -o "$work/base.json"
tracegen --size 8M --seed 2 -o "$work/new.json"
taken=$(($(peak "$work/base.json") - own))
assert_exit 0 strata report operators -q --no-cache --max-memory $((taken * 3 / 2 + 1048576)) \
	"$work/base.json"
assert_exit 4 strata diff "$work/base.json" "$work/new.json" --view operators -q --no-cache \
	--max-memory $((taken * 3 / 2 + 1048576))
assert_line "$work/err" "base.json: needs about .* used by other open files"
assert_exit 0 strata diff "$work/base.json" "$work/new.json" --view operators -q --no-cache \
	--max-memory $((taken * 3 + 1048576))
# unused ranks are dropped to make room for others
mkdir "$work/many"
for rank in 0 1 2 3 4 5; do
	tracegen --rank $rank --world 6 --size 4M -o "$work/many/rank$rank.json"
done
one=$(($(peak "$work/many/rank0.json") - own))
assert_exit 0 strata report ranks -q -f csv --no-cache "$work/many"
mv "$work/out" "$work/all"
assert_exit 0 strata report ranks -q -f csv --no-cache --max-memory $((one * 3 + 2097152)) "$work/many"
cmp "$work/all" "$work/out" || fail "ranks differ with less memory"
assert_exit 4 strata report ranks -q --no-cache --max-memory $((one / 3)) "$work/many"
assert_line "$work/err" '--rank R to load one file'
assert_exit 0 strata report steps -q --no-cache --rank 3 --max-memory $((one * 3 + 2097152)) "$work/many"

# ---- in the explorer, which can load further steps on request ----
printf ':view steps\n:save-screen %s\n:steps 22..22\n:save-screen %s\n' "$work/read" "$work/other" \
	>"$work/script"
assert_exit 0 strata --no-cache --only-steps 20..20 --script "$work/script" "$work/long.json"
assert_line "$work/read" '1/1'
assert_line "$work/other" 'Only steps 20..20 are loaded'
