# Times and kinds as the manual says (FORMATS): whole nanoseconds, events without a category, and the time examined
# of a device.
. "${srcdir:-.}/tests/lib.sh"
cd "$work"
rows() { strata query -q -f csv "$@" 2>/dev/null | sed 1d | tr -d '\r' | tr '\n' ' '; }

cat >bare.json <<'END'
{"traceEvents": [
{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
{"ph": "M", "name": "thread_sort_index", "pid": 1},
{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 1.2349, "dur": 5.9999},
{"ph": "X", "name": "inner", "pid": 1, "tid": 1, "ts": 1.2355, "dur": 0.0009},
{"ph": "X", "name": "aten::mm", "pid": "CPU functions", "tid": 1, "ts": 10.001, "dur": 5},
{"ph": "X", "name": "sgemm", "pid": "CUDA functions", "tid": 7, "ts": 11, "dur": 3}]}
END
assert_equal "further digits are dropped" "other,work,0,5999 other,inner,1,0 operator,aten::mm,8767,5000 " \
	"$(rows 'SELECT kind, name, start_ns, dur_ns FROM spans ORDER BY start_ns, dur_ns DESC' bare.json)"
assert_equal "a process names what its events are" "kernel,sgemm,9766,3000 " \
	"$(rows 'SELECT kind, name, start_ns, dur_ns FROM launches' bare.json)"

# an order without a number leaves the name of the process: of Ascend's collectives, which it tells
cat >ascend.json <<'END'
[{"ph": "M", "name": "process_name", "pid": 32, "tid": 0, "args": {"name": "HCCL"}},
{"ph": "M", "name": "thread_name", "pid": 32, "tid": 1, "args": {"name": "Group 0 Communication"}},
{"ph": "M", "name": "thread_sort_index", "pid": 32, "tid": 1, "args": {}},
{"ph": "M", "name": "thread_sort_index", "pid": 32, "args": {}},
{"ph": "X", "name": "hcom_allReduce_", "pid": 32, "tid": 1, "ts": "1.5", "dur": 4, "args": {}}]
END
assert_equal "collectives of Ascend" "4000 " "$(rows 'SELECT communication_ns FROM steps' ascend.json)"

# without categories names tell what events are, as far as they do: no finding says that there is no GPU work
tracegen --steps 3 -o run.json
sed 's/"cat": "[a-z_]*", //' run.json >kinds.json
assert_equal "kinds" "annotation operator other runtime " "$(rows 'SELECT DISTINCT kind FROM spans' kinds.json)"
assert_equal "claims about GPU work" "0 " \
	"$(rows "SELECT count(*) FROM advice WHERE detector = 'no_device_work' AND severity NOT IN ('unknown', 'silent')" kinds.json)"

# the time examined of a device: the sum of its steps, which gaps between them may separate
assert_equal "time examined" "1,1,1 " "$(rows 'SELECT d.dur_ns = sum(s.dur_ns), d.start_ns = min(s.start_ns),
	d.start_ns + d.dur_ns <= max(s.start_ns + s.dur_ns) AS within FROM devices d, steps s' run.json)"
assert_equal "by its causes" "1 " "$(rows 'SELECT dur_ns = compute_ns + compute_overlapped_ns + exposed_communication_ns +
	exposed_copy_ns + idle_launch_ns + idle_sync_ns + idle_dataloader_ns + idle_allocator_ns + idle_compile_ns +
	idle_dependency_ns + idle_overhead_ns + idle_host_ns + idle_unknown_ns AS equal FROM devices' run.json)"
