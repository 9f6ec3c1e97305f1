# Lanes of the timeline use the room there is, and a move changes none of them.
. "${srcdir:-.}/tests/tui/lib.sh"

play 160x60 <<'END'
5+++++
:save-screen near
F
:save-screen first
..[
:save-screen linked
]jjjj
:save-screen moved
&wgrad<Enter>
:save-screen few
/wgrad<Enter>++++++
:save-screen hits
&no_such_event<Enter>
:save-screen none
END
names() { sed -n '5,34p' "$work/$1" | cut -c2-24; }
[ "$(names first)" = "$(names moved)" ] || fail "a move changes lanes"
selected first 'work'
! grep -q '^>  work' "$work/moved" || fail "the cursor is where it was"
shows linked ' launched by cuda'
# a line leads to its kernel along the rule between; at the edge is how far away an end is
grep -Eq '^── CPU ─.*(┬.*┴|┴.*┬)' "$work/linked" || fail "no line along the rule"
shows near '│◂ [0-9.]+ [mu]s '
# folded threads are open where all lanes fit; otherwise it says which lanes are shown
shows first '▾pt_autograd_0'
hides first 'lanes [0-9]'
play 80x24 <<'END'
5
:save-screen top
<PageDown><PageDown><PageDown>
:save-screen bottom
END
shows top ' lanes 4-[0-9]+/[0-9]+ '
shows bottom ' lanes [0-9]+-([0-9]+)/\1 '
shows bottom '^>▸pt_auto'
# work of devices is higher even where lanes are out of sight
grep -B1 '^>  work' "$work/top" | head -1 | grep -Eq '^ +│.*(▆|▇|█)' || fail 'the lane of kernels is low'
# a few lanes are high
rows=$(sed -n '5,34p' "$work/few" | grep -c '^[^│]*│')
[ "$rows" -ge 11 ] || fail "three lanes have only $rows rows"
# a match is no idle cell
shows hits '▒▒▒'
# nothing is left but the steps
shows none 'No event is left by the filter'

# A stream that only waits is hidden where another one of the device works.
printf '%s' '{"traceEvents":[' \
	'{"ph":"X","cat":"kernel","name":"gemm","ts":0,"dur":9,"pid":0,"tid":7,"args":{"device":0,"stream":7}},' \
	'{"ph":"X","cat":"cuda_sync","name":"Event Sync","ts":20,"dur":9,"pid":0,"tid":9,"args":{"device":0,"stream":9}}' \
	']}' >"$work/waits.json"
printf '5\n:save-screen waits\n' | play 160x45 "$work/waits.json"
shows waits 'GPU0 .*s7'
hides waits 's9'
sed 's/"cat":"kernel"/"cat":"cuda_sync"/' "$work/waits.json" >"$work/only.json"
printf '5\n:save-screen only\n' | play 160x45 "$work/only.json"
shows only 's9'

# A thread that only waits stays folded, a thin line, where there is room for all lanes.
printf '%s' '{"traceEvents":[' \
	'{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":9,"pid":1,"tid":1},' \
	'{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":50,"dur":9,"pid":1,"tid":1},' \
	'{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":90000,"dur":9,"pid":1,"tid":1},' \
	'{"ph":"X","cat":"python_function","name":"run","ts":0,"dur":90000,"pid":1,"tid":2},' \
	'{"ph":"X","cat":"python_function","name":"wait","ts":5,"dur":80000,"pid":1,"tid":2}' \
	']}' >"$work/idle.json"
printf '5\n:save-screen idle\n' | play 160x45 "$work/idle.json"
shows idle '▸thread 2 .*│─+run─'
hides idle '█wait'
# So does one whose stack never changes, however short the recording.
sed 's/90000/900/g; s/80000/800/' "$work/idle.json" >"$work/short.json"
printf '5\n:save-screen short\n' | play 160x45 "$work/short.json"
shows short '▸thread 2 .*│─+run─'

# Without a device the map shows the work of a thread, not its marks.
printf '%s' '{"traceEvents":[' \
	'{"ph":"X","cat":"user_annotation","name":"a","ts":0,"dur":1,"pid":1,"tid":1},' \
	'{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":5000,"dur":5000,"pid":1,"tid":1},' \
	'{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":9,"pid":1,"tid":1}' \
	']}' >"$work/cpu.json"
play 80x24 "$work/cpu.json" <<'END'
5
:save-screen map
&no_such_event<Enter>
:save-screen none
END
shows map '^  all .*██]$'
# nothing to move to: no keys for it
shows none 'No event is left by the filter'
hides none ' Zoom | Search '

# A thread alone does not fill the screen, and its events of an unknown kind are not the brightest area.
printf '[{"ph":"X","cat":"mpi","name":"ALLREDUCE","pid":1,"tid":1,"ts":0,"dur":70},{"ph":"X","cat":"mpi","name":"SEND","pid":1,"tid":1,"ts":90,"dur":10}]' >"$work/alone.json"
printf '5\n:save-screen alone\n' | play 120x35 "$work/alone.json"
[ "$(grep -c '██████' "$work/alone")" -le 9 ] || fail 'a lane is too high'
printf '5\n:save-screen %s/alone.svg\n' "$work" >"$work/script"
assert_exit 0 strata "$work/alone.json" --theme dark --color always --script "$work/script" --size 120x35
grep -q '<rect.*#969696' "$work/alone.svg" || fail 'blocks of other events are not dim'
! grep '<rect.*#d8d8d8"/' "$work/alone.svg" || fail 'blocks are as bright as text'

# What overlaps on a stream is lower than the stream.
printf '%s' '{"traceEvents":[' \
	'{"ph":"X","cat":"kernel","name":"gemm","ts":0,"dur":99,"pid":0,"tid":7,"args":{"device":0,"stream":7}},' \
	'{"ph":"X","cat":"kernel","name":"add","ts":50,"dur":99,"pid":0,"tid":7,"args":{"device":0,"stream":7}}' \
	']}' >"$work/overlap.json"
printf '5\n:save-screen overlap\n' | play 80x24 "$work/overlap.json"
stream=$(grep -c '│[█▇░].*[┊▃▄]$' "$work/overlap") above=$(grep -c '│   *[┊▆▁]' "$work/overlap")
[ "$stream" -gt "$above" ] || fail "a stream has $stream rows, what overlaps $above"

# Few events do not fill the screen, on whatever lane: two rows each.
[ "$stream" -le 2 ] || fail "a stream of one event has $stream rows"

# A merge of ranks moves the numbers of processes; annotations of a device are on the lanes of its kernels.
cat >"$work/merged.json" <<'END'
{"traceEvents": [
{"ph": "X", "cat": "gpu_user_annotation", "name": "forward", "pid": 100000003, "tid": 7, "ts": 10, "dur": 50},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 100000003, "tid": 7, "ts": 10, "dur": 50,
 "args": {"device": 3, "stream": 7}}]}
END
printf '%s\n' ':view timeline' ':save-screen merged' | play 100x30 "$work/merged.json"
shows merged 'GPU3'
shows merged 'forward'
hides merged 'GPU100000003'

# The process is in the name of a lane only where others use its device.
one='{"ph":"X","cat":"kernel","name":"gemm","ts":0,"dur":9,"tid":7,"pid"' three='"args":{"device":3,"stream":7}}'
host='{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":9'
both="$host,\"pid\":101,\"tid\":1},$host,\"pid\":202,\"tid\":2}"
printf '%s' '{"traceEvents":[' "$both,$one:101,$three,$one:202,\"args\":{\"device\":4,\"stream\":7}}]}" >"$work/own.json"
printf '%s' '{"traceEvents":[' "$both,$one:101,$three,$one:202,$three]}" >"$work/shared.json"
for name in own shared; do
	printf '%s\n' ':view timeline' ":save-screen $name" | play 100x30 "$work/$name.json"
done
shows own 'GPU3 compute s7 '
shows shared 'GPU3 compu…rocess 101 '

# Kernels that were counted, not timed, have no time axis: no tab, and a key that says so.
cat >"$work/counted.csv" <<'END'
Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,obj,GPUBusy,Wavefronts
0,"copy(int) [clone .kd]",0,0,0,2,2,1024,64,0,0,4,24,0,0x0,0x7ff,100,262144
1,"copy(int) [clone .kd]",0,0,0,2,2,2048,64,0,0,4,24,0,0x0,0x7ff,100,262144
END
play 80x24 "$work/counted.csv" <<'END'
4
f
5
:save-screen counted
:view timeline
:save-screen untimed
END
hides counted '5 Timeline'
shows counted '4 Kernels\]'
shows counted '^ Timeline: no times of events in the profile'
shows untimed '4 Kernels\]'
shows untimed '^ Timeline: no times of events in the profile'

# A row of kernels says what their launches share, and that they differ.
play 160x45 "$work/counted.csv" <<'END'
4
:save-screen shared
END
shows shared 'Grid several  *Block 64,1,1  *Regs 4$'

# The stream with kernels is first, from which one steps to gaps, though there are more copies.
{
	printf '{"traceEvents":['
	for i in 1 2; do
		printf '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":300,"args":{"device":0,"stream":7}},\n' $((i * 400))
	done
	for i in 1 2 3 4 5 6 7 8; do
		printf '{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":9,"ts":%d,"dur":9,"args":{"device":0,"stream":9}},\n' $((400 + i * 20))
	done
	printf '{"ph":"X","cat":"cpu_op","name":"o","pid":1,"tid":1,"ts":400,"dur":9}]}'
} >"$work/copies.json"
printf '5\n:save-screen copies\n}\n:save-screen gap\n' | play 100x30 "$work/copies.json"
shows copies '^> GPU0 compute s7 '
shows gap 'idle 100\.00 us'

# Work of a device on an unknown stream is on no thread.
cat >"$work/streamless.csv" <<'END'
Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name
1000,5000,1,4,1,1,64,1,1,32,0.0,0.0,,,,,NVIDIA A100 (0),1,,gemm
7000,5000,2,4,1,1,64,1,1,32,0.0,0.0,,,,,NVIDIA A100 (0),1,,gemm
END
play 80x24 "$work/streamless.csv" <<'END'
5
:save-screen streamless
END
shows streamless '^> GPU0 compute s\? '
