# export --speedscope: valid by the rules of speedscope's file format, the same stacks and times as --stacks, and
# readable by strata itself.
. "${srcdir:-.}/tests/lib.sh"
need_command python3
cd "$work"
tracegen --steps 2 -o plain.json
sed 's/"name": *"aten::conv2d"/"name":"a\\"b\\\\c\\u0007<\/x>"/g' plain.json >run.json
for group in gpu cpu; do
	strata export -q -g $group --speedscope out.speedscope.json --stacks out.stacks run.json
	python3 - out.speedscope.json out.stacks <<'END'
import json, sys
file = json.load(open(sys.argv[1]))
assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
assert set(file) <= {"$schema", "exporter", "name", "activeProfileIndex", "shared", "profiles"}
frames = file["shared"]["frames"]
for frame in frames:
    assert set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str)
assert len({frame["name"] for frame in frames}) == len(frames), "a frame twice"
assert len(file["profiles"]) >= 1
sums = {}
for profile in file["profiles"]:
    assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
    assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds"
    assert len(profile["samples"]) == len(profile["weights"]) > 0
    for sample, weight in zip(profile["samples"], profile["weights"]):
        assert sample and all(isinstance(i, int) and 0 <= i < len(frames) for i in sample)
        assert weight > 0
        stack = ";".join(frames[i]["name"] for i in sample)
        sums[stack] = sums.get(stack, 0) + weight
    assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
collapsed = sum(int(line.rsplit(" ", 1)[1]) for line in open(sys.argv[2]))
assert collapsed == sum(sums.values()), (collapsed, sum(sums.values()))
assert len(sums) == sum(1 for line in open(sys.argv[2]))
END
done
strata info -q out.speedscope.json | grep -qi speedscope || fail "strata does not read it"
strata export -q -g gpu --speedscope gpu.json run.json
ns=$(strata query -q -f csv "SELECT sum(value_ns) FROM stacks" run.json | tail -n 1 | tr -d '\r')
[ "$ns" -gt 0 ] || fail "no times"
assert_exit 2 strata export -g nosuch --speedscope other.json run.json
assert_exit 2 strata export -g gpu --trace other.json run.json
[ ! -e other.json ] || fail "written despite the error"
# a check that could not run says what to record, not what to do about its problem
assert_equal "advice of checks that did not run" 0 "$(strata query -q -f csv "SELECT count(*) FROM advice WHERE
	severity = 'unknown' AND recommendation GLOB 'Overlap*'" "$srcdir/tests/fuzz/seeds/python/evented" | tail -n 1 | tr -d '\r')"
# what is no time has no unit of time
printf 'main;foo 3\nmain;bar 7\n' >counts.txt
strata export -q --speedscope counts.json counts.txt
grep -Fq '"name":"Value by call stack","unit":"none","startValue":0,"endValue":10' counts.json || fail "unit of counts"
strata report stacks -q counts.json >read.txt
assert_line read.txt '^ +7 .*main;bar'
