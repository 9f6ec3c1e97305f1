# A view within a scope shows what the rows of that scope add up to in the whole run.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

ask() { strata query -q -f csv "$@" | sed 1d | tr -d '\r'; }

tracegen --seed 5 -o "$work/made.json"
for run in --demo "$work/made.json"; do
	[ "$(ask "SELECT count(*) FROM steps" $run)" -ge 2 ] || fail "no steps in $run"
	for step in $(ask "SELECT step FROM steps WHERE partial = 0" $run); do
		scope="--steps $step..$step"
		# times of a step: the overview within it, and its row of steps
		for time in kernel memcpy memset communication runtime dataloader cpu_exec other dur; do
			assert_equal "$time of step $step of $run" \
				"$(ask "SELECT ${time}_ns FROM steps WHERE step = $step" $run)" \
				"$(ask "SELECT CAST(value AS INTEGER) FROM overview
					WHERE section = 'step time' AND metric = '${time}_ns'" $scope $run)"
		done
		# GPU work: launches, kernels and layers
		launched="FROM launches WHERE step = $step"
		assert_equal "launches of step $step of $run" \
			"$(ask "SELECT id $launched ORDER BY 1" $run)" \
			"$(ask "SELECT id FROM launches ORDER BY 1" $scope $run)"
		assert_equal "kernels of step $step of $run" \
			"$(ask "SELECT name, count(*), sum(dur_ns), min(dur_ns), max(dur_ns) $launched
				AND kind = 'kernel' GROUP BY 1 ORDER BY 1" $run)" \
			"$(ask "SELECT name, calls, total_ns, min_ns, max_ns FROM kernels ORDER BY 1" $scope $run)"
	done
	for stream in $(ask "SELECT DISTINCT stream FROM launches" $run); do
		assert_equal "kernels of stream $stream of $run" \
			"$(ask "SELECT name, count(*), sum(dur_ns) FROM launches
				WHERE kind = 'kernel' AND stream = $stream GROUP BY 1 ORDER BY 1" $run)" \
			"$(ask "SELECT name, calls, total_ns FROM kernels ORDER BY 1" --stream "$stream" $run)"
	done
	# the overview of one stream: its copies do not overlap each other
	first=$(ask "SELECT min(step) FROM steps" $run)
	for stream in $(ask "SELECT DISTINCT stream FROM launches WHERE kind = 'memcpy'" $run); do
		assert_equal "copies of stream $stream of $run" \
			"$(ask "SELECT sum(dur_ns) FROM launches
				WHERE kind = 'memcpy' AND stream = $stream AND step = $first" $run)" \
			"$(ask "SELECT CAST(value AS INTEGER) FROM overview
				WHERE section = 'step time' AND metric = 'memcpy_ns'" \
				--stream "$stream" --steps "$first..$first" $run)"
	done
	assert_equal "layers of $run without a pass" runtime \
		"$(ask "SELECT DISTINCT kind FROM layers WHERE coalesce(pass, '') = ''" $run)"
	# memory: groups add up to the allocations among the events
	assert_equal "bytes allocated in $run" \
		"$(ask "SELECT sum(size_bytes) FROM memory_events" $run)" \
		"$(ask "SELECT sum(self_alloc_bytes) FROM memory" $run)"
done
