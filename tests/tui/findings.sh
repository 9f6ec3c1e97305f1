# Enter on a finding leads to rows, never to an empty table.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

# rows_behind FILE: open every finding in turn
rows_behind()
{
	fired=$(strata report advice -q -f csv -c severity --no-cache "$1" | grep -cE '^(high|medium|low|headline)')
	[ "$fired" -gt 0 ] || fail "$1 has no finding"
	for i in $(seq "$fired"); do
		echo "<Enter>"
		echo ":save-screen rows$i"
		echo "<Backspace>j"
	done | { echo 9; cat; } | play 120x35 "$1"
	for i in $(seq "$fired"); do
		shows "rows$i" '^>'
		hides "rows$i" '\[9 Advice\]'
	done
}

# A data loader is no operator, and while it runs there is no launch: its own calls are shown.
call='"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1'
cat >"$work/idle.json" <<END
{"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":20000},
{"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__","pid":1,"tid":1,"ts":10,"dur":9000},
{$call,"ts":9100,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9110,"dur":10000,"args":{"device":0,"stream":7,"correlation":1}}
]}
END
rows_behind "$work/idle.json"
printf '%s\n' '9/Data loader<Enter><Enter>' ':save-screen loader' | play 120x35 "$work/idle.json"
shows loader '\[Spans\]'
selected loader 'DataLoader.* 9\.00 ms'

# A time in which no GPU event starts, idle or busy, leads to the timeline, others to their launches.
printf '%s\n' ':view utilization' '<Enter>' ':save-screen bucket' | play 120x35 "$work/idle.json"
shows bucket '\[5 Timeline\]'
shows bucket 'GPU0 busy'
sed '/"name":"k"/s/$/,\n{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":10,"args":{"device":0}}/' \
	"$work/idle.json" >"$work/gaps.json"
printf '%s\n' ':view gaps' ':save-screen gaps' '<Enter>' ':save-screen after' '<Backspace>j<Enter>' \
	':save-screen end' | play 120x35 "$work/gaps.json"
selected gaps '9\.09 ms'
shows after '\[Launches\]'
selected after 'kernel .* 9\.11 ms'
shows end '\[5 Timeline\]'

# Without layers, what would lead there leads to what the profile has.
printf '[%s]' '{"ph":"X","cat":"work","name":"a","pid":1,"tid":1,"ts":0,"dur":10}' >"$work/events.json"
printf '%s\n' t gg '<Enter>' ':save-screen file' '<Backspace>' 7 '<Enter>' ':save-screen step' |
	play 120x35 "$work/events.json"
shows file '\[Spans\]'
selected file 'a +other'
shows step '\[Spans\]'

# A scope in the tree of operators that encloses none has no calls of operators, but spans.
printf '[%s]' '{"ph":"X","cat":"cpu_op","name":"DataParallel.forward","pid":1,"tid":1,"ts":0,"dur":10}' \
	>"$work/alone.json"
printf '%s\n' 2 '/DataParallel<Enter>' '<Enter>' ':save-screen alone' | play 120x35 "$work/alone.json"
shows alone '\[Spans\]'
selected alone 'DataParallel'

# Durations of kernels tell nothing of idle time and overlap.
tracegen -o "$work/run.json"
assert_exit 0 strata export --net-dict "$work/net.dict" "$work/run.json"
assert_exit 0 strata query -q -f tsv "SELECT detector, evidence FROM advice WHERE severity = 'unknown'
	AND detector LIKE '%low_utilisation%'" "$work/net.dict"
assert_line "$work/out" 'no timeline'

for file in kineto/tracelens/h100/Falconsai_nsfw_image_detection__1016002.json.gz \
	kineto/tracelens/h100/facebook_timesformer-base-finetuned-k400__1016002.json.gz \
	kineto/tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz \
	kineto/tracelens/mi300/gaunernst_bert-small-uncased__1016001.json.gz \
	rpd/matmul_result.rpd rocpd/rocpd_3.0.0_no_views.db ascend/db/level1; do
	[ -e "$corpus/$file" ] || skip "needs corpus/$file"
	rows_behind "$corpus/$file"
done

# An idle GPU has no launches to show, but gaps.
printf '%s\n' '9/CPU prep<Enter><Enter>' ':save-screen gaps' |
	play 120x35 "$corpus/kineto/tracelens/h100/facebook_timesformer-base-finetuned-k400__1016002.json.gz"
shows gaps '\[Gaps\]'
selected gaps 'GPU0 .* 218\.12 ms .*CPU work'
