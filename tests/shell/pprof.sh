# Functions of real pprof profiles have the values that a decoder of its own finds, by the rules of
# pprof -top: flat of the innermost frame, cum once a sample.
. "${srcdir:-.}/tests/lib.sh"

need_command python3
need_corpus pprof

cat >"$work/top.py" <<'PY'
import collections, gzip, json, subprocess, sys
from protobuf import parse, varint

def fields(data):
    return [(number, value) for number, _, value in parse(data)]

def numbers(value): # one, or several packed
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(number)
    return found

strata, path = sys.argv[1:]
data = open(path, 'rb').read()
data = gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data
messages = fields(data)
texts = [value.decode() for number, value in messages if number == 6]
functions, locations = {}, {}
for number, value in messages:
    if number == 5:
        function = dict(fields(value))
        functions[function[1]] = texts[function[2]], texts[function.get(4, 0)]
for number, value in messages:
    if number == 4:
        parts = fields(value)
        locations[dict(parts)[1]] = [functions[dict(fields(line))[1]]
                                     for part, line in parts if part == 4]
flat, cum = collections.Counter(), collections.Counter()
for number, value in messages:
    if number != 2:
        continue
    stack, values = [], []
    for part, inner in fields(value):
        if part == 1:
            for location in numbers(inner):
                stack += locations[location]
        elif part == 2:
            values += numbers(inner)
    value = values[-1]
    if value >> 63:
        continue
    flat[stack[0]] += value
    for function in set(stack):
        cum[function] += value
want = sorted([name, file, flat[name, file], total] for (name, file), total in cum.items() if total)
rows = json.loads(subprocess.run(
    [strata, 'query', '-q', '-f', 'json',
     'SELECT function, file, sum(self_ns), sum(total_ns) FROM python GROUP BY 1, 2', path],
    capture_output=True, check=True).stdout)
got = sorted(list(row.values()) for row in rows)
for pair in zip(want, got):
    if pair[0] != pair[1]:
        print('want %s, got %s' % pair)
sys.exit(got != want)
PY
for file in simple jax_model_parallel_memory; do
	PYTHONPATH="$srcdir/tests/shell" python3 -B "$work/top.py" "$builddir/strata" "$corpus/pprof/$file.prof" || fail "$file"
done
assert_exit 0 strata report advice -q "$corpus/pprof/simple.prof"
assert_line "$work/out" 'main.alpha'
