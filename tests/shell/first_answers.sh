# First answers by kinds of files: what leads, and what must not be said.
. "${srcdir:-.}/tests/lib.sh"

# says FILE PATTERN: the advice has a line of it; leads FILE TITLE: its first finding
says() { assert_exit 0 strata report advice -q "$1"; tr -s ' \n' '  ' <"$work/out" >"$work/joined"; assert_line "$work/joined" "$2"; }
leads() { assert_exit 0 strata report advice -q "$1"; sed -n 1p "$work/out" >"$work/first"; assert_line "$work/first" "$2"; }
never() { ! grep -q "$1" "$work/joined" || fail "the advice says $1"; }

# Kernels whose counters were collected run one by one: the pauses between are the profiler's.
{
	echo '"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"'
	i=1
	while [ $i -le 20 ]; do
		for counter in FETCH_SIZE Wavefronts; do
			echo "\"$i\",\"$i\",\"Agent 1\",\"1\",\"7\",\"7\",\"4096\",\"3\",\"gemm_kernel\",\"256\",\"0\",\"0\",\"32\",\"0\",\"64\",\"$counter\",\"12.5\",\"$((i * 9000000))\",\"$((i * 9000000 + 400000))\""
		done
		i=$((i + 1))
	done
} >"$work/counter_collection.csv"
leads "$work/counter_collection.csv" 'Kernel hot spot'
says "$work/counter_collection.csv" '20 kernels, 400.00 us each'
never 'GPU utilization'
never 'idle'
never 'Cold start'
# Their times are as recorded; the time between them is named as what it is.
assert_exit 0 strata report overview -q "$work/counter_collection.csv"
tr -s ' ' ' ' <"$work/out" >"$work/joined"
assert_line "$work/joined" "of kernels that ran one by one for their counters"
never 'laid end to end'

# A spreadsheet saves what ncu printed without quotes, behind a mark of its encoding.
printf '\357\273\277ID,Process ID,Process Name,Host Name,Kernel Name,Kernel Time,Context,Stream,Section Name,Metric Name,Metric Unit,Metric Value\n' >"$work/saved.csv"
for i in 0 1 2; do
	echo "$i,7,app,127.0.0.1,compute,2020-Oct-25 20:27:10,1,15,Command line profiler metrics,gpu__time_duration.sum,nsecond,\"2,500\"" >>"$work/saved.csv"
done
assert_exit 0 strata query -q -f csv 'SELECT name, calls, total_ns FROM kernels' "$work/saved.csv"
assert_line "$work/out" '^compute,3,7500'

# The action names the kernel, where its name is an identifier.
{
	echo 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name'
	echo '90.0,9000000,30,300000.0,300000.0,300000,300000,0.0,"void ns::solve_step<float, (int)4>(float *, int)"'
	echo '10.0,1000000,30,33333.0,33333.0,33333,33333,0.0,"void ns::fix<float>(float *)"'
} >"$work/cuda_gpu_kern_sum.csv"
says "$work/cuda_gpu_kern_sum.csv" 'ncu --kernel-name solve_step --launch-count 3'
sed -i 's/ns::solve_step</ns::solve.step</' "$work/cuda_gpu_kern_sum.csv"
says "$work/cuda_gpu_kern_sum.csv" 'ncu --kernel-name NAME'

# Lightning times actions with what they call alone; the table states the whole.
table() # LOADING: seconds
{
	echo 'FIT Profiler Report'
	echo '---------------------------------------------------------------------------------------------'
	echo '|  Action  |  Mean duration (s)  |  Num calls  |  Total time (s)  |  Percentage %  |'
	echo '---------------------------------------------------------------------------------------------'
	echo '|  Total  |  -  |  500  |  100.0  |  100 %  |'
	echo '---------------------------------------------------------------------------------------------'
	echo '|  run_training_epoch  |  19.6  |  5  |  98.0  |  98.0  |'
	echo "|  [_TrainingEpochLoop].train_dataloader_next  |  0.4  |  100  |  $1  |  $1  |"
	echo '|  run_training_batch  |  0.5  |  100  |  50.0  |  50.0  |'
}
table 40.0 >"$work/fit.txt"
says "$work/fit.txt" 'Data loader bound .*40.00 s of 100.00 s .40.0 %'
table 4.0 >"$work/fast.txt"
assert_exit 0 strata report advice -q "$work/fast.txt"
! grep -q 'Data loader' "$work/out" || fail "4 % is no bottleneck"

# A timeline of TensorFlow 1 tells no launches: the gap in which input is fetched is the loader's. An operation that
# several processes of one name list ran once, one at another time did not.
process() { echo "{\"ph\":\"M\",\"pid\":$1,\"name\":\"process_name\",\"args\":{\"name\":\"$2\"}},"; }
op() { echo "{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"$2\",\"pid\":$1,\"tid\":0,\"ts\":$3,\"dur\":$4,\"args\":{\"name\":\"$2\",\"op\":\"$2\"}},"; }
timeline() # FETCH
{
	echo '{"traceEvents":['
	process 1 '/job:localhost/replica:0/task:0/device:CPU:0 Compute'
	process 2 '/device:GPU:0/stream:1 Compute'
	i=0
	while [ $i -lt 20 ]; do
		op 2 MatMul $((1000 + i * 100)) 90
		op 2 Conv2D $((900000 + i * 100)) 90
		i=$((i + 1))
	done
	op 1 "$1" 3200 896000
	op 1 Sum 902000 50
	echo '{}]}'
}
timeline IteratorGetNext >"$work/fetch.json"
says "$work/fetch.json" 'Data loader bound '
never 'Cold start'
timeline SomethingElse >"$work/other.json"
says "$work/other.json" 'Cold start'
{
	echo '{"traceEvents":['
	for pid in 1 4 7; do
		process $pid '/job:localhost/replica:0/task:0/cpu:0 Compute'
		op $pid MatMul 1000 500
		op $pid MatMul $((5000 + pid)) 300
	done
	process 9 '/job:localhost/replica:0/task:1/cpu:0 Compute'
	op 9 MatMul 1000 500
	echo '{}]}'
} >"$work/again.json"
assert_exit 0 strata query -q -f csv "SELECT calls, cpu_self_ns FROM operators WHERE name = 'MatMul'" "$work/again.json"
assert_line "$work/out" '^5,1900000'

# Ascend: a task of unknown core is a kernel; an arrow links it to its operator where the call was not recorded.
cat >"$work/trace_view.json" <<'END'
[{"ph":"M","name":"process_name","pid":77,"tid":0,"args":{"name":"Python"}},
{"ph":"M","name":"process_name","pid":800,"tid":0,"args":{"name":"Ascend Hardware"}},
{"ph":"M","name":"process_name","pid":801,"tid":0,"args":{"name":"CANN"}},
{"ph":"X","name":"aten::mul","pid":77,"tid":77,"ts":"100.0","dur":20.0,"cat":"cpu_op","args":{}},
{"ph":"s","bp":"e","name":"torch_to_npu","id":150000,"pid":77,"tid":77,"ts":"100.0","cat":"async_npu"},
{"ph":"f","bp":"e","name":"torch_to_npu","id":150000,"pid":800,"tid":3,"ts":"150.0","cat":"async_npu"},
{"ph":"X","name":"AscendCL@aclnnMul","pid":801,"tid":78,"ts":"110.0","dur":5.0,"args":{"connection_id":9}},
{"ph":"X","name":"aclnnMul_MulAiCore_Mul","pid":800,"tid":3,"ts":"150.0","dur":4.0,"args":{"Task Type":"Other","connection_id":8}}]
END
assert_exit 0 strata query -q -f csv "SELECT kind, operator FROM launches" "$work/trace_view.json"
assert_line "$work/out" '^kernel,aten::mul'
