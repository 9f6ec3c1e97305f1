#!/usr/bin/env python3
"""
Thirty questions about a made trace, asked as an agent asks: a few calls of tools each. Expected facts are
counted here, from the JSON of the trace. questions.py STRATA TRACE SLOW_TRACE; prints each failure, then the
score.
"""
import json, re, subprocess, sys, collections

strata, path, slow = sys.argv[1:]
events = [e for e in json.load(open(path))['traceEvents'] if e.get('ph') == 'X']
kernels = [e for e in events if e.get('cat') == 'kernel']
copies = [e for e in events if e.get('cat') == 'gpu_memcpy']
sets = [e for e in events if e.get('cat') == 'gpu_memset']
steps = [e for e in events if e['name'].startswith('ProfilerStep#') and e.get('cat') == 'user_annotation']
ns = lambda us: round(us * 1000)
total, count = collections.Counter(), collections.Counter()
for e in kernels:
    total[e['name']] += ns(e['dur'])
    count[e['name']] += 1
top = [name for name, _ in total.most_common(3)]
numbers = sorted(int(e['name'].split('#')[1]) for e in steps)
streams = sorted({e['args']['stream'] for e in kernels + copies + sets})
longest = max(kernels, key=lambda e: e['dur'])
h2d = sum(e['args']['bytes'] for e in copies if 'HtoD' in e['name'])
threads = collections.Counter(e['tid'] for e in events if e.get('cat') == 'cpu_op')
convs = sum(e['name'] == 'aten::conv2d' for e in events if e.get('cat') == 'cpu_op')
launched = sum(e['name'] == 'cudaLaunchKernel' for e in events)
shown = lambda value: r'\b%d\b' % value
has = lambda text: re.escape(json.dumps(text)[1:-1])

def report(view, **more): return 'report', dict(more, view=view)
def query(sql, **more): return 'query', dict(more, sql=sql)
first = query('SELECT name, calls, total_ns FROM kernels ORDER BY total_ns DESC LIMIT 3')

questions = [
    ('How many steps were recorded?', [query('SELECT count(*) AS n FROM steps')], '"n": %d}' % len(steps)),
    ('Which step is the first?', [report('steps', columns='step', sort='step:asc', limit=1)], '"step": %d}' % numbers[0]),
    ('Which step is the last?', [report('steps', columns='step', sort='step:desc', limit=1)], '"step": %d}' % numbers[-1]),
    ('Which kernel takes the most time?', [report('kernels', sort='total_ns:desc', limit=1)], has(top[0])),
    ('How long does it take in all?', [first], shown(total[top[0]])),
    ('How often is it launched?', [first], '"calls": %d,' % count[top[0]]),
    ('Which kernel is second?', [first], has(top[1])),
    ('How long does the third take?', [first], shown(total[top[2]])),
    ('How many kernels were launched?', [query("SELECT count(*) AS n FROM launches WHERE kind = 'kernel'")], '"n": %d}' % len(kernels)),
    ('How many different kernels?', [query('SELECT count(*) AS n FROM kernels')], '"n": %d}' % len(total)),
    ('What is the time of all kernels?', [query('SELECT sum(total_ns) AS t FROM kernels')], '"t": %d}' % sum(total.values())),
    ('What was the longest launch of a kernel?', [query("SELECT name FROM launches WHERE kind = 'kernel' ORDER BY dur_ns DESC LIMIT 1")], has(longest['name'])),
    ('How long did it run?', [query("SELECT max(dur_ns) AS t FROM launches WHERE kind = 'kernel'")], '"t": %d}' % ns(longest['dur'])),
    ('Which streams are there?', [report('kernels', stream='4711')], 'the streams are ' + ', '.join(map(str, streams))),
    ('How many copies?', [query("SELECT count(*) AS n FROM launches WHERE kind = 'memcpy'")], '"n": %d}' % len(copies)),
    ('How many memsets?', [query("SELECT count(*) AS n FROM launches WHERE kind = 'memset'")], '"n": %d}' % len(sets)),
    ('How many bytes go to the device?', [query("SELECT sum(size_bytes) AS b FROM launches"),
                                          query("SELECT sum(bytes) AS b FROM launches WHERE name LIKE '%HtoD%'")], '"b": %d}' % h2d),
    ('Which steps exist?', [report('overview', steps='700..900')], r'the steps are %d\.\.%d' % (numbers[0], numbers[-1])),
    ('Which thread runs most operators?', [query("SELECT thread, count(*) AS n FROM spans WHERE kind = 'operator' GROUP BY 1 ORDER BY 2 DESC LIMIT 1")],
     '"n": %d}' % max(threads.values())),
    ('How often is conv2d called?', [query("SELECT calls FROM operators WHERE name = 'aten::conv2d'")], '"calls": %d}' % convs),
    ('How many calls of cudaLaunchKernel?', [query("SELECT count(*) AS n FROM spans WHERE name = 'cudaLaunchKernel'")], '"n": %d}' % launched),
    ('What should be changed first?', [('advice', dict(limit=1))], '"recommendation": "[^"]{20}'),
    ('What keeps the GPU idle?', [('advice', dict(limit=8, columns='problem,gain_pct'))], '[Dd]ata ?[Ll]oader'),
    ('Which column has the time on the GPU of an operator?', [('views', dict(view='operators'))], '"gpu_self_ns"'),
    ('How is that column of kernels called?', [query('SELECT total_n FROM kernels')], 'did you mean total_ns'),
    ('Is there a kernel of this name?', [report('kernels', filter='nosuch')], '"warnings": \\["no row'),
    ('The next page of kernels?', [report('kernels', limit=1, columns='name'), report('kernels', limit=1, columns='name', offset=1)], has(top[1])),
    ('Is the sentence true?', [('check', dict(sentence='It takes %.2f ms in %d calls.' % (total[top[0]] / 1e6, count[top[0]]), sql=first[1]['sql']))],
     '"verified": true, "cited": 3'),
    ('Is this one?', [('check', dict(sentence='It takes %.2f ms.' % (total[top[0]] / 1e6 + 1), sql=first[1]['sql']))], '"verified": false, "cited": 3'),
    ('What is slower in the other run?', [('diff', dict(path=slow, base=path, group_by='layers', filter='Sequential_3', limit=5, columns='name,verdict,ratio'))],
     'Sequential_3[^}]*slower'),
]

def ask(calls):
    lines = [json.dumps({'jsonrpc': '2.0', 'id': i, 'method': 'tools/call', 'params': {'name': name, 'arguments': arguments}})
             for i, (name, arguments) in enumerate(calls)]
    out = subprocess.run([strata, 'serve', '--stdio', path], input='\n'.join(lines) + '\n', text=True, capture_output=True).stdout
    texts = []
    for line in out.splitlines():
        result = json.loads(line)['result']
        texts.append(result['content'][0]['text'])
        assert result['isError'] or result['structuredContent'] == json.loads(texts[-1]), line
    return texts

good = 0
for question, calls, fact in questions:
    texts = ask(calls)
    tokens = sum(map(len, texts)) // 4
    right = re.search(fact, texts[-1]) if len(calls) < 2 else any(re.search(fact, text) for text in texts)
    if right and len(calls) <= 5 and tokens <= 8000 and len(texts) == len(calls):
        good += 1
    else:
        print('%s %d tokens; no %s in %.600s' % (question, tokens, fact, texts))
brief = ask([report('kernels', limit=1)] + [report(view, limit=0) for view in ('kernels', 'steps', 'gaps', 'memory')])[1:]
for text in brief:
    if len(text) - len(json.dumps(json.loads(text)['warnings'])) > 480:
        print('more than 120 tokens of envelope:', text)
        good = 0
print('%d of %d' % (good, len(questions)))
sys.exit(good < 27)
