# A trace that captured a CUDA graph beside one that replays it: replayed kernels get the operators
# and layers around the launches that were captured, marked as inferred.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
cd "$work"

event() # event CATEGORY NAME PID START DURATION ARGUMENTS
{
	printf ',\n{"ph":"X","cat":"%s","name":"%s","pid":%s,"tid":%s,"ts":%s,"dur":%s,"args":{%s}}' \
		"$1" "$2" "$3" "$3" "$4" "$5" "$6"
}

# captured PID START MODULE OPERATOR KERNEL...: a capture in which operators launch kernels
captured()
{
	pid=$1 at=$2 module=$3 operator=$4
	shift 4
	event python_function "nn.Module: $module" "$pid" "$at" 90 '"Python module id":0'
	event cuda_runtime cudaStreamBeginCapture "$pid" "$at" 1 '"correlation":1'
	for kernel; do
		at=$((at + 5))
		event cpu_op "$operator" "$pid" "$at" 4 "\"Input Dims\":[[$at]],\"Input type\":[\"float\"]"
		event cuda_runtime cudaLaunchKernel "$pid" $((at + 1)) 1 \
			"\"kernel\":\"$kernel\",\"correlation\":$at"
	done
	event cuda_runtime cudaStreamEndCapture "$pid" $((at + 9)) 1 '"correlation":2'
}

# replayed PID START KERNEL...: a graph launch; kernels start in this order
replayed()
{
	pid=$1 at=$2
	shift 2
	event cuda_runtime cudaGraphLaunch "$pid" "$at" 2 "\"correlation\":$at"
	id=$at
	for kernel; do
		at=$((at + 10))
		printf ',\n{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%s,"dur":5,"args":{"device":0,"stream":7,"correlation":%s}}' \
			"$kernel" "$at" "$id"
	done
}

# trace FILE EVENTS: many calls of another kind make it a capture and little else
trace()
{
	mkdir -p "$(dirname "$1")"
	printf '{"schemaVersion":1,"deviceProperties":[],"traceEvents":[\n{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}}%s]}\n' \
		"$2" >"$1"
}
twenty() # launches that are captured but match nothing
{
	captured "$1" 5000 Warmup_0 aten::zero_ o p q r s t u v w x y z o p q r s t u v
}
launches() # launches PATH...
{
	strata query -q -f csv "SELECT name, operator, layer, inferred, input_shapes FROM launches
		WHERE kind = 'kernel' ORDER BY start_ns" "$@" 2>/dev/null | tr -d '\r' | sed 1d
}

# one capture, two replays, the second after the first
trace one/capture_traces/capture.json "$(captured 5 100 Net_0 aten::mm a b c d; twenty 5)"
trace one/replay.json "$(replayed 5 9000 a b c d; replayed 5 9500 a b c d)"
launches one >"$work/got"
for shape in 105 110 115 120 105 110 115 120; do
	echo "aten::mm,Net_0,graph capture,[[$shape]]"
done >"$work/want"
cut -d, -f2- "$work/got" | tr -d '"' | diff "$work/want" - || fail "operators of a replayed graph"
assert_equal "runs" "1,1,1" "$(strata report runs -q -f csv -c run,ranks,companions one 2>/dev/null |
	tr -d '\r' | sed 1d)"
strata info one >"$work/info" 2>/dev/null
grep -q 'operator inferred from graph capture, GPU time *100.0%' "$work/info" || fail "coverage"
grep -q 'kernels of graph launches, GPU time *100.0%' "$work/info" || fail "kernels of graphs"
grep -q 'linked to operator *0$' "$work/info" || fail "what is inferred was counted as recorded"

# what is measured stays: totals of operators, and the trace alone
launches one/replay.json | cut -d, -f2- | sort -u >"$work/alone"
assert_equal "the replay alone" ",,," "$(cat "$work/alone")"
for view in operators steps overview; do
	strata report $view -q -f csv one >"$work/both" 2>/dev/null
	strata report $view -q -f csv one/replay.json >"$work/alone" 2>/dev/null
	grep -v recordings "$work/both" | diff - "$work/alone" >/dev/null ||
		[ $view = overview ] || fail "$view changed"
done
assert_equal "calls and time of the layer" "0,40000" "$(strata query -q -f csv \
	"SELECT calls, gpu_total_ns FROM layers WHERE path = 'Net_0'" one 2>/dev/null | tr -d '\r' | sed 1d)"

# captures that agree in the operator only, and in nothing
trace two/capture.json "$(captured 5 100 A_0 aten::mm a b c d; captured 5 300 B_0 aten::mm a b c d; twenty 5)"
trace two/replay.json "$(replayed 5 9000 a b c d)"
assert_equal "layers differ" "aten::mm,,graph capture," "$(launches two | cut -d, -f2- | sort -u)"
trace three/capture.json "$(captured 5 100 A_0 aten::mm a b c d; captured 5 300 B_0 aten::add a b c d; twenty 5)"
trace three/replay.json "$(replayed 5 9000 a b c d)"
assert_equal "operators differ" ",,," "$(launches three | cut -d, -f2- | sort -u)"

# captures that agree in all
trace equal/capture.json "$(captured 5 100 A_0 aten::mm a b c d; captured 5 300 A_0 aten::mm a b c d; twenty 5)"
trace equal/replay.json "$(replayed 5 9000 a b c d)"
assert_equal "captures of one layer" "aten::mm,A_0,graph capture" "$(launches equal | cut -d, -f2-4 | sort -u)"

# a capture of just these kernels tells more than a part of another; two captures in a row are not one
trace whole/capture.json "$(captured 5 100 A_0 aten::add a b c d e; captured 5 300 B_0 aten::mm a b c d; twenty 5)"
trace whole/replay.json "$(replayed 5 9000 a b c d)"
assert_equal "whole" "aten::mm,B_0,graph capture" "$(launches whole | cut -d, -f2-4 | sort -u)"
trace across/capture.json "$(captured 5 100 A_0 aten::mm a b; captured 5 300 B_0 aten::mm c d; twenty 5)"
trace across/replay.json "$(replayed 5 9000 a b c d)"
assert_equal "across" ",,," "$(launches across | cut -d, -f2- | sort -u)"

# a part of a capture matches; another order, too few kernels and another process do not
trace part/capture.json "$(captured 5 100 Net_0 aten::mm a b c d e; twenty 5)"
trace part/replay.json "$(replayed 5 9000 b c d e)"
assert_equal "part" "aten::mm,Net_0,graph capture" "$(launches part | cut -d, -f2-4 | sort -u)"
for kernels in "a c b d" "a b c" "a b c d x"; do
	trace none/capture.json "$(captured 5 100 Net_0 aten::mm a b c d; twenty 5)"
	# shellcheck disable=SC2086
	trace none/replay.json "$(replayed 5 9000 $kernels)"
	assert_equal "kernels $kernels" ",,," "$(launches none | cut -d, -f2- | sort -u)"
done
trace other/capture.json "$(captured 6 100 Net_0 aten::mm a b c d; twenty 6)"
trace other/replay.json "$(replayed 5 9000 a b c d)"
assert_equal "another process" ",,," "$(launches other/replay.json other/capture.json --run replay.json |
	cut -d, -f2- | sort -u)"

# capture and replay in one file
trace same.json "$(captured 5 100 Net_0 aten::mm a b c d; replayed 5 9000 a b c d)"
assert_equal "one file" "aten::mm,Net_0,graph capture" "$(launches same.json | cut -d, -f2-4 | sort -u)"

# an export that has nodes of graphs: each kernel is that of the call that made its node, whatever
# names and order say; the graph may be instantiated in either file, or again
if command -v sqlite3 >/dev/null; then
	export_of() # export_of FILE: statements on standard input
	{
		{
			cat <<-'SQL'
				CREATE TABLE StringIds (id INTEGER, value TEXT);
				INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'),
					(3, 'cudaGraphLaunch_v10000'), (4, 'cudaStreamBeginCapture_v10000'),
					(5, 'cudaStreamEndCapture_v10000'), (6, 'cudaGraphInstantiate_v10000'),
					(7, 'CUDA graph node');
				CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,
					correlationId INT, nameId INT);
				CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT,
					streamId INT, correlationId INT, globalPid INT, demangledName INT,
					graphNodeId INT);
				CREATE TABLE CUDA_GRAPH_EVENTS (start INT, end INT, eventClass INT, globalTid INT,
					nameId INT, graphNodeId INT, originalGraphNodeId INT);
				CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT,
					globalTid INT, domainId INT);
			SQL
			cat
		} | sqlite3 "$1"
	}
	thread=$((5 << 24 | 5)) process=$((5 << 24))
	capture="INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 11, $thread, 1, 4),
			(110, 120, $thread, 2, 2), (210, 220, $thread, 3, 2), (310, 320, $thread, 4, 2),
			(400, 401, $thread, 5, 5), (500, 600, $thread, 6, 6);
		INSERT INTO NVTX_EVENTS VALUES
			(100, 190, 59, 'aten::mm, seq = 1, op_id = 1, sizes = [[2, 3], [3, 4]]', $thread, 0),
			(200, 290, 59, 'aten::add, seq = 2, op_id = 2, sizes = [[5]]', $thread, 0),
			(300, 390, 59, 'aten::relu, seq = 3, op_id = 3, sizes = [[7]]', $thread, 0);
		INSERT INTO CUDA_GRAPH_EVENTS VALUES (112, 113, 77, $thread, 7, 1, NULL),
			(212, 213, 77, $thread, 7, 2, 0), (312, 313, 77, $thread, 7, 3, 3);"
	clones="INSERT INTO CUDA_GRAPH_EVENTS VALUES (510, 511, 96, $thread, 7, 11, 1),
			(512, 513, 96, $thread, 7, 12, 2), (514, 515, 96, $thread, 7, 13, 3),
			(516, 517, 96, $thread, 7, 21, 11);"
	replay="INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (9000, 9010, $thread, 90, 3);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (9100, 9110, 0, 7, 90, $process, 1, 13),
			(9200, 9210, 0, 7, 90, $process, 1, 11), (9300, 9310, 0, 7, 90, $process, 1, 12),
			(9400, 9410, 0, 7, 90, $process, 1, 21), (9500, 9510, 0, 7, 90, $process, 1, 99);"
	want='"aten::relu"|"aten::mm"|"aten::add"|"aten::mm"||'
	operators() # operators PATH...: of the kernels
	{
		strata query -q -f ndjson "SELECT operator FROM launches WHERE kind = 'kernel' ORDER BY start_ns" \
			"$@" 2>"$work/err" | sed 's/{"operator": *\(.*\)}/\1/; s/null//' | tr '\n' '|'
	}
	mkdir nodes clones
	echo "$capture $clones $replay" | export_of nodes.sqlite
	assert_equal "nodes in one file" "$want" "$(operators nodes.sqlite)"
	echo "$capture $clones" | export_of nodes/capture.sqlite
	echo "$replay" | export_of nodes/replay.sqlite
	assert_equal "nodes of a pair" "$want" "$(operators nodes/replay.sqlite nodes/capture.sqlite --run replay.sqlite)"
	echo "$capture" | export_of clones/capture.sqlite
	echo "$clones $replay" | export_of clones/replay.sqlite
	cycle="INSERT INTO CUDA_GRAPH_EVENTS VALUES (520, 1, 96, $thread, 7, 13, 30),
			(521, 1, 96, $thread, 7, 30, 31), (522, 1, 96, $thread, 7, 31, 30),
			(NULL, NULL, NULL, $thread, NULL, -9223372036854775808, 9223372036854775807),
			(9223372036854775807, 0, 77, $thread, 7, 9223372036854775807, NULL),
			('x', 'y', 'z', 'thread', 'name', 'node', 'original');"
	echo "$capture $cycle $replay" | export_of cycle.sqlite
	assert_equal "clones of one another, and no numbers" "|||||" "$(operators cycle.sqlite | tr -d ' ')"
	assert_equal "cloned beside the replay" "$want" "$(operators clones/replay.sqlite clones/capture.sqlite --run replay.sqlite)"
fi

# recorded ones: nearly all kernels of the graphs are in the layers of the models
inference=$corpus/kineto/tracelens/inference
[ -d "$inference" ] || exit 0
# Where an operator was recorded around the launch of the graph, it stays.
count() # count DIRECTORY LAYER: replayed kernels, those with a model's layer, and the operators
{
	strata query -q -f csv "SELECT count(*), sum(layer LIKE '%$2%'),
		CASE WHEN count(DISTINCT operator) > 5 THEN 'many' ELSE min(operator) END
		FROM launches WHERE inferred = 'graph capture'" "$inference/$1" 2>/dev/null |
		tr -d '\r' | sed 1d
}
assert_equal vLLM "421,421,many" "$(count vllm_decode_full GptOssForCausalLM_0)"
assert_equal SGLang "544,542,many" "$(count sglang_decode Qwen3Model_0)"
assert_equal xDiT "6264,6264,Torch-Compiled Region: 0/0" "$(count xdit_flux.1_aiter_sage Flux1Transformer)"
