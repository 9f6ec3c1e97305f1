# Line profiles are printed with their source, as far as inspect.getblock() of Python finds a
# function; no file but those of Python is read.
. "${srcdir:-.}/tests/lib.sh"
need_command python3

mkdir "$work/code"
cat >"$work/code/odd.py" <<'PY'
import functools

@functools.wraps(print)
# between
def decorated(a,
              b=(1,
                 2)):  # a comment: with colon
    """doc
string
  """
    x = {
'a': "# no comment",
    }

    # comment in the body
    if a:
	    y = 1
    return x \
+ y
  # comment less indented
# comment at the margin

class K:
    def method(self, s='''
def fake():
'''):
        return [i for i in
range(3)]
        # comment at the level of the body

    # comment at the level of def
    async def short(self): return "'''"
    x = lambda: (
        1)

def last():
	return 'it\'s'
PY
printf 'def carriage():\r\n    pass\r\n\r\nx = 1\r\n' >"$work/code/crlf.py"
printf 'def control():\n    "\033[31m"\n' >"$work/code/control.py"
mkfifo "$work/code/pipe.py"
mkdir "$work/code/folder.py"
echo secret >"$work/code/secret.txt"
(
	cd "$work/code" || exit 1
	python3 - >expected <<'PY'
import ast, inspect, pickle, sys, types

class LineStats: pass
LineStats.__qualname__ = 'LineStats'
sys.modules['line_profiler'] = types.ModuleType('line_profiler')
for name in ('line_profiler.line_profiler', 'line_profiler._line_profiler'):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].LineStats = LineStats

timings, code = {}, {}
for file in ('odd.py', 'crlf.py', 'control.py'):
    text = open(file).read()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        first = min([node.lineno] + [d.lineno for d in getattr(node, 'decorator_list', [])])
        key = (file, first, getattr(node, 'name', '<lambda>'))
        timings[key] = [(node.lineno, 2, 3000)]
        code[key] = inspect.getblock(text.splitlines(True)[first - 1:])
def dump(path, timings, module='line_profiler.line_profiler'):
    LineStats.__module__ = module
    stats = LineStats()
    stats.timings, stats.unit = timings, 1e-9
    pickle.dump(stats, open(path, 'wb'), 2)
dump('code.lprof', {**timings, ('odd.py', 25, 'never called'): []})
hostile = {(file, 1, 'f'): [(1, 1, 1000)]
           for file in ('pipe.py', 'folder.py', 'secret.txt', '/dev/zero.py', 'gone.py')}
hostile['odd.py', 1 << 40, 'beyond'] = [(1 << 40, 1, 1000)]
dump('hostile.lprof', hostile)
long = {('gone.py', 1, 'f'): [(1, 2, 6021750952), (2, 12345678901, 1)]}
dump('new.lprof', long)
dump('old.lprof', long, 'line_profiler._line_profiler')

print('Timer unit: 1e-06 s\n')
for key in sorted(code):
    print('Total time: 3e-06 s\nFile: %s\nFunction: %s at line %d\n' % (key[0], key[2], key[1]))
    print('Line #      Hits         Time  Per Hit   % Time  Line Contents')
    print('=' * 62)
    for number, line in enumerate(code[key], key[1]):
        cells = (2, '  3.0', '  1.5', '100.0') if number == timings[key][0][0] else ('',) * 4
        print(('%6s %9s %12s %8s %8s  ' % ((number,) + cells)) + line.rstrip('\n'))
    print()
PY
)
# relative names are from here, or from the folder of the profile
for from in "$work/code" "$work"; do
	(cd "$from" && strata report lprof -q --skip-zero "$work/code/code.lprof") >"$work/got"
	cmp -s "$work/code/expected" "$work/got" || {
		diff "$work/code/expected" "$work/got" >&2
		fail "the lines of functions"
	}
done
assert_exit 0 strata report lprof -q --unit 1e-9 "$work/code/code.lprof"
assert_line "$work/out" '^Timer unit: 1e-09 s$'
assert_line "$work/out" 'at line 25$'
assert_exit 2 strata report lprof --unit 0 "$work/code/code.lprof"
assert_exit 2 strata report lprof --unit second "$work/code/code.lprof"

assert_exit 0 strata report lprof -q "$work/code/hostile.lprof"
assert_equal "files that are no source" 5 "$(grep -c '^Could not find file' "$work/out")"
! grep -q secret$ "$work/out" || fail "a file that is no source was read"
assert_line "$work/out" '^Function: beyond at line 1099511627776$'

# the view has the same lines without their indentation; blank where the file is not here
(cd "$work/code" && strata report python -q -f tsv -c function,line,code code.lprof) >"$work/got"
assert_line "$work/got" "^method	24	def method.self, s='''\$"
assert_line "$work/got" '^carriage	1	def carriage\(\):$'
# ... also of lines that never ran, and the share of each within its function
(cd "$work/code" && strata report python -q -f tsv -c function,line,calls,function_share_pct,code code.lprof) >"$work/got"
assert_line "$work/got" '^carriage	1	2	100	def carriage\(\):$'
assert_line "$work/got" '^carriage	2			pass$'
assert_line "$work/got" "^last	37			return 'it"
! grep -q '^carriage	[34]' "$work/got" || fail "lines after a function"
cp "$work/code/code.lprof" "$work/alone.lprof"
assert_exit 0 strata report python -f tsv -c line,code "$work/alone.lprof"
assert_line "$work/out" '^24	$'
assert_line "$work/err" 'Code is blank for ([0-9]+) of \1 lines'

# newer versions of line_profiler shorten long numbers, older ones let them exceed their columns
assert_exit 0 strata report lprof -q --unit 1e-9 "$work/code/new.lprof"
assert_line "$work/out" '^     1           2 6021750952.0 3.01e\+09    100.0  $'
assert_line "$work/out" '^     2 1.23457e\+10          1.0      0.0      0.0  $'
assert_exit 0 strata report lprof -q --unit 1e-9 "$work/code/old.lprof"
assert_line "$work/out" '^     1         2 6021750952.0 3010875476.0    100.0  $'
assert_line "$work/out" '^     2 12345678901          1.0      0.0      0.0  $'
