# Pairs of runs whose truth is known: a layer planted slower under noise is found, in every grouping alike, and
# unchanged rows are not called slower or faster.
. "${srcdir:-.}/tests/lib.sh"
[ -z "${SANITIZERS-}" ] || skip "verdicts are judged in a build without sanitizers"

cd "$work"
layer=ResNet_0/Sequential_3/BasicBlock_4/Conv2d_11

# noisy SEED NOISE FILE: multiply the duration of each kernel by a lognormal factor
noisy()
{
	awk -v seed="$1" -v noise="$2" 'BEGIN { srand(seed) }
		/"cat": "kernel"/ && match($0, /"dur": [0-9.]*/) {
			normal = sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
			dur = substr($0, RSTART + 7, RLENGTH - 7) * exp(noise * normal)
			$0 = substr($0, 1, RSTART - 1) "\"dur\": " sprintf("%.3f", dur) substr($0, RSTART + RLENGTH)
		} 1' "$3"
}

# without_steps FILE: nor annotations that would serve as steps
without_steps()
{
	sed '/"name": "ProfilerStep/d; s/Optimizer.step#SGD.step/update/
		s/Optimizer.zero_grad#SGD.zero_grad/reset/; s/enumerate(DataLoader)[^"]*/fetch/' "$1"
}

# pair SEED NOISE FACTOR STEPS [--no-steps]: base.json and new.json
pair()
{
	tracegen --seed "$1" --steps "$4" $5 -o plain.json
	noisy "$1" "$2" plain.json >base.json
	tracegen --seed $(($1 + 1)) --steps "$4" $5 --slow layer3.0.conv2:$3 -o plain.json
	noisy $(($1 + 1)) "$2" plain.json >new.json
	[ -z "$5" ] || for file in base new; do
		without_steps $file.json >plain.json && mv plain.json $file.json
	done
}

# verdicts GROUP...: rows of the pair, "grouping kind name verdict" with tabs
verdicts()
{
	query=
	for group; do
		query="$query${query:+ UNION ALL }SELECT '$group' AS grouping, kind, name, verdict FROM diff WHERE group_by = '$group'"
	done
	strata query "$query" -q -f tsv --base base.json new.json | tr -d '\r' | sed 1d
}

# ---- planted: 3 %, 10 % and twice the time, where it exceeds twice the noise ----
found=0 pairs=0 seed=100
for case in 0.01:1.03 0.01:1.10 0.03:1.10 0.01:2 0.03:2 0.10:2; do
	for steps in "" --no-steps; do
		for try in 1 2; do
			seed=$((seed + 2)) pairs=$((pairs + 1))
			pair $seed ${case%:*} ${case#*:} 5 "$steps"
			verdicts layers modules tree >rows
			verdict=$(awk -F '\t' -v name=$layer '$1 == "layers" && $3 == name { print $4 }' rows)
			case $verdict in slower | "likely slower") found=$((found + 1)) ;; esac
			alike=$(awk -F '\t' -v name=$layer '$3 == name || ($1 == "tree" && $3 == "Conv2d_11")' rows |
				cut -f 4 | sort -u | wc -l)
			assert_equal "verdicts of the layer: $case $steps, seed $seed" 1 $((alike))
		done
	done
done
[ $((found * 20)) -ge $((pairs * 19)) ] || fail "only $found of $pairs planted layers are found"

# ---- nothing planted: most rows of a single step are of one call, others of many ----
sure=0 rows=0
for noise in 0.01 0.03 0.10; do
	for steps in 5: 5:--no-steps 1:--no-steps 1:--no-steps; do
		seed=$((seed + 2))
		pair $seed $noise 1 ${steps%:*} "${steps#*:}"
		verdicts layers tree modules operators kernels family >rows
		rows=$((rows + $(wc -l <rows)))
		sure=$((sure + $(awk -F '\t' '$4 == "slower" || $4 == "faster"' rows | wc -l)))
	done
done
[ $((sure * 200)) -le $rows ] || fail "$sure of $rows unchanged rows are surely slower or faster"

# ---- steps of one recording: nothing changed, and the noise is real ----
trace=$corpus/kineto/tb_samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz
if [ -f "$trace" ]; then
	sure=0 rows=0
	for step in 6 7 8; do
		strata export -q --steps $step --trace base.json "$trace"
		strata export -q --steps $((step + 1)) --trace new.json "$trace"
		verdicts layers tree operators kernels >rows
		rows=$((rows + $(awk -F '\t' '$4 != ""' rows | wc -l)))
		sure=$((sure + $(awk -F '\t' '$4 == "slower" || $4 == "faster"' rows | wc -l)))
	done
	[ $rows -gt 500 ] && [ $((sure * 100)) -le $rows ] ||
		fail "$sure of $rows rows of the next step are surely slower or faster"
fi

command -v python3 >/dev/null || exit 0

# plant TRACE LAYERS FACTOR: base.json and new.json, its kernels with noise of 3 %, those in LAYERS (LIKE) slower
plant()
{
	strata query -q -f csv "SELECT correlation FROM launches WHERE kind = 'kernel' AND layer LIKE '$2'" "$1" |
		sed 1d | tr -d '\r' >inside
	python3 - "$1" inside "$3" <<'END'
import gzip, json, math, random, sys
inside = set(map(int, open(sys.argv[2])))
for name, factor, seed in ("base", 1, 7), ("new", float(sys.argv[3]), 8):
    trace, noise = json.load(gzip.open(sys.argv[1])), random.Random(seed)
    for event in trace["traceEvents"]:
        if event.get("cat", "").lower() == "kernel" and "dur" in event:
            planted = event["args"].get("correlation") in inside
            event["dur"] = round(event["dur"] * math.exp(noise.gauss(0, 0.03)) * (factor if planted else 1), 3)
    json.dump(trace, open(name + ".json", "w"))
END
}

# ---- what a layer does itself, next to inner layers that take far longer: one verdict ----
trace=$corpus/kineto/wild/CodingPlatelets__SwitchTransformers/result__trace.json.gz
if [ -f "$trace" ]; then
	plant "$trace" '%/SwitchMoE_0' 1.3
	verdicts layers modules tree | grep -E '[/	]SwitchMoE_0	[^	]*$' >rows
	assert_equal "rows of a layer with inner ones" 3 $(($(wc -l <rows)))
	assert_equal "its verdicts" 1 $(($(cut -f 4 rows | sort -u | wc -l)))
	! grep -Ev '	(likely )?slower$' rows || fail "what a layer does itself is not found"
fi

# ---- a layer whose collectives take twice the time, too: what it does beside them tells ----
trace=$corpus/kineto/hta/trace_filter/sampled_rank-1.json.gz
[ -f "$trace" ] || exit 0
layer=DistributedDataParallel.forward
plant "$trace" "%$layer%" 2
verdicts layers tree | awk -F '\t' -v name=$layer '$3 == name || $3 ~ "/" name "$"' >rows
assert_equal "rows of the layer" 2 $(($(wc -l <rows)))
! awk -F '\t' '$4 != "slower" && $4 != "likely slower"' rows | grep . || fail "twice the time of a layer is not found"
