-- Invariants of any profile: each row of the result is a violation.
WITH broken(what, n) AS (
SELECT 'the classes of a step do not sum to its duration', count(*) FROM steps
	WHERE kernel_ns + memcpy_ns + memset_ns + communication_ns + runtime_ns + dataloader_ns +
	      cpu_exec_ns + other_ns <> dur_ns
UNION ALL SELECT 'a class of a step is negative', count(*) FROM steps
	WHERE min(kernel_ns, memcpy_ns, memset_ns, communication_ns, runtime_ns, dataloader_ns,
		  cpu_exec_ns, other_ns) < 0
UNION ALL SELECT 'the causes of a step do not sum to its duration', count(*) FROM steps
	WHERE compute_ns + compute_overlapped_ns + exposed_communication_ns + exposed_copy_ns +
	      idle_launch_ns + idle_sync_ns + idle_dataloader_ns + idle_allocator_ns +
	      idle_compile_ns + idle_dependency_ns + idle_overhead_ns + idle_host_ns +
	      idle_unknown_ns + idle_outside_ns <> dur_ns
UNION ALL SELECT 'a cause of a step is negative', count(*) FROM steps
	WHERE min(compute_ns, compute_overlapped_ns, exposed_communication_ns, exposed_copy_ns,
		  idle_launch_ns, idle_sync_ns, idle_dataloader_ns, idle_allocator_ns,
		  idle_compile_ns, idle_dependency_ns, idle_overhead_ns, idle_host_ns,
		  idle_unknown_ns, idle_outside_ns) < 0
UNION ALL SELECT 'compute time differs from kernel time', count(*) FROM steps
	WHERE compute_ns + compute_overlapped_ns <> kernel_ns
	      AND (SELECT count(DISTINCT device) FROM launches) < 2
UNION ALL SELECT 'a share in the overview is out of range', count(*) FROM overview
	WHERE unit = '%' AND (value < 0 OR value > 100.000001)
UNION ALL SELECT 'GPU utilization of a step is out of range', count(*) FROM steps
	WHERE gpu_util_pct < 0 OR gpu_util_pct > 100
UNION ALL SELECT 'self time of an operator exceeds its total', count(*) FROM operators
	WHERE gpu_self_ns > gpu_total_ns OR cpu_self_ns > cpu_total_ns OR cpu_self_ns < 0
UNION ALL SELECT 'the durations of an operator contradict each other', count(*) FROM operators
	WHERE min_ns > avg_ns OR avg_ns > max_ns OR stddev_ns < 0 OR
	      abs(avg_ns * calls - cpu_total_ns) > 1 + cpu_total_ns * 1e-9 OR
	      (calls = 1 AND (stddev_ns <> 0 OR min_ns <> max_ns))
UNION ALL SELECT 'the GPU times of an operator contradict each other', count(*) FROM operators
	WHERE gpu_min_ns > gpu_avg_ns OR gpu_avg_ns > gpu_max_ns OR
	      gpu_avg_ns * calls > gpu_total_ns * (1 + 1e-9) + 1
UNION ALL SELECT 'the times of a module contradict each other', count(*) FROM modules
	WHERE gpu_min_ns > gpu_avg_ns OR gpu_avg_ns > gpu_max_ns OR min_ns > avg_ns OR
	      avg_ns > max_ns OR abs(gpu_avg_ns * calls - gpu_total_ns) > gpu_total_ns * 1e-9 + 1 OR
	      abs(avg_ns * calls - cpu_total_ns) > cpu_total_ns * 1e-9 + 1
UNION ALL SELECT 'the GPU times of a layer contradict each other', count(*) FROM layers
	WHERE gpu_min_ns > gpu_avg_ns OR gpu_avg_ns > gpu_max_ns OR
	      gpu_avg_ns * calls > gpu_total_ns * (1 + 1e-9) + 1 OR
	      (leaf AND (gpu_avg_ns <> avg_ns OR gpu_min_ns <> min_ns OR gpu_max_ns <> max_ns))
UNION ALL SELECT 'the deviation of a kernel differs from that of its launches', count(*)
	FROM kernels k JOIN (SELECT name, count(*) AS n, avg(dur_ns) AS mean,
			     sum(1.0 * (dur_ns - (SELECT avg_ns FROM kernels WHERE name = l.name)) *
				 (dur_ns - (SELECT avg_ns FROM kernels WHERE name = l.name))) AS squares
			     FROM launches l WHERE kind IN ('kernel', 'communication') AND
			     name IN (SELECT name FROM kernels ORDER BY total_ns DESC LIMIT 2)
			     GROUP BY name) USING (name)
	WHERE n > 1 AND n = calls AND abs(stddev_ns - sqrt(squares / (n - 1))) > 1 + stddev_ns * 1e-6
UNION ALL SELECT 'own FLOPs of an operator exceed its total', count(*)
	FROM operators WHERE self_flops > flops * (1 + 1e-9) + 1
UNION ALL SELECT 'own work of operators is not that of their launches', count(*)
	FROM (SELECT count(*) AS n, sum(flops) AS flops, sum(bytes * (1 + (kind = 'memcpy'))) AS bytes
	      FROM launches WHERE operator IS NOT NULL),
	     (SELECT sum(self_flops) AS own_flops, sum(self_bytes) AS own_bytes FROM operators)
	WHERE abs(own_flops - flops) > n + flops * 1e-9 OR abs(own_bytes - bytes) > n + bytes * 1e-9
UNION ALL SELECT 'tensor core share of an operator is out of range', count(*)
	FROM operators WHERE tc_self_pct < 0 OR tc_self_pct > 100 OR tc_total_pct < 0 OR
	      tc_total_pct > 100
UNION ALL SELECT 'self time of a module exceeds its total', count(*) FROM modules
	WHERE gpu_self_ns > gpu_total_ns OR cpu_self_ns > cpu_total_ns OR cpu_self_ns < 0
UNION ALL SELECT 'the layers do not sum to GPU time', 1
	WHERE (SELECT coalesce(sum(gpu_total_ns), 0) FROM layers WHERE depth = 0) <>
	      (SELECT coalesce(sum(dur_ns), 0) FROM launches WHERE kind <> 'sync')
UNION ALL SELECT 'the leaves of the layers do not sum to GPU time', 1
	WHERE (SELECT coalesce(sum(gpu_self_ns), 0) FROM layers WHERE leaf) <>
	      (SELECT coalesce(sum(dur_ns), 0) FROM launches WHERE kind <> 'sync')
UNION ALL SELECT 'the nodes of the layers without leaves do not sum to GPU time', 1
	WHERE (SELECT coalesce(sum(gpu_self_ns), 0) FROM layers WHERE NOT leaf) <>
	      (SELECT coalesce(sum(dur_ns), 0) FROM launches WHERE kind <> 'sync')
UNION ALL SELECT 'the launches of an operator do not sum to its GPU time', count(*) FROM (
	SELECT name FROM (SELECT name, gpu_self_ns AS ns FROM operators
		UNION ALL SELECT operator, -dur_ns FROM launches
			WHERE operator IS NOT NULL AND kind <> 'sync')
		GROUP BY name HAVING sum(ns) <> 0)
UNION ALL SELECT 'the operator of a launch is no row of operators', count(*) FROM launches
	WHERE operator IS NOT NULL AND operator NOT IN (SELECT name FROM operators)
UNION ALL SELECT 'the coverage of operators differs from their share of the launches', 1
	WHERE (SELECT abs(value - 100.0 * (SELECT coalesce(sum(gpu_self_ns), 0) FROM operators) /
			(SELECT sum(dur_ns) FROM launches WHERE kind <> 'sync'))
		FROM overview WHERE metric = 'linked to operator, GPU time') > 1e-6
UNION ALL SELECT 'the launches of a step differ from the rows with that step', count(*)
	FROM steps WHERE launches <> (SELECT count(*) FROM launches AS l
		WHERE l.step = steps.step AND l.kind <> 'sync')
UNION ALL SELECT 'a queue delay is negative', count(*) FROM launches WHERE launch_delay_ns < 0
UNION ALL SELECT 'the calls of the kernels differ from the launches', 1
	WHERE (SELECT coalesce(sum(calls), 0) FROM kernels) <>
	      (SELECT count(*) FROM launches WHERE kind = 'kernel')
UNION ALL SELECT 'the shares of the kernels do not sum to 100 %', 1
	WHERE (SELECT abs(sum(share_pct) - 100) FROM kernels) > 1e-6
UNION ALL SELECT 'the parts of a collective exceed it', count(*) FROM collectives
	WHERE sync_ns > total_ns + 1 OR sync_ns < 0 OR transfer_ns < 0
UNION ALL SELECT 'the parts of the communication of a rank exceed it', count(*) FROM ranks
	WHERE sync_ns > communication_ns + 1 OR sync_ns < 0 OR transfer_ns < 0
UNION ALL SELECT 'overlap exceeds communication or computation', count(*) FROM ranks
	WHERE overlap_ns > min(communication_ns, computation_ns) + 1
UNION ALL SELECT 'FLOPs or bytes of an operator are 0 where no launch has any', count(*)
	FROM operators WHERE gpu_self_ns > 0 AND EXISTS (SELECT 1 FROM kernels) AND (
		flops = 0 AND name NOT IN (SELECT operator FROM launches
			WHERE flops IS NOT NULL AND operator IS NOT NULL) OR
		bytes = 0 AND name NOT IN (SELECT operator FROM launches
			WHERE bytes IS NOT NULL AND operator IS NOT NULL))
UNION ALL SELECT 'FLOPs of a layer are 0 where no launch has any', count(*)
	FROM layers WHERE flops = 0 AND EXISTS (SELECT 1 FROM kernels) AND
		NOT EXISTS (SELECT 1 FROM launches WHERE flops IS NOT NULL)
UNION ALL SELECT 'the kernels do not sum to kernel time', 1
	WHERE (SELECT coalesce(sum(total_ns), 0) FROM kernels) <>
	      (SELECT coalesce(sum(dur_ns), 0) FROM launches WHERE kind = 'kernel')
UNION ALL SELECT 'the average of a kernel is not between minimum and maximum', count(*) FROM kernels
	WHERE min_ns * calls > total_ns OR max_ns * calls < total_ns
UNION ALL SELECT 'utilization of a stream or thread is out of range', count(*)
	FROM streams WHERE util_pct < 0 OR util_pct > 100.000001 OR busy_ns < 0 OR idle_ns < 0
UNION ALL SELECT 'the gains of the findings exceed the time examined', 1
	WHERE (SELECT coalesce(sum(gain_pct), 0) FROM advice) > 100.000001
UNION ALL SELECT 'the cost of a finding is not its share of the time examined', count(*)
	FROM advice WHERE cost_ns IS NOT NULL AND
		abs(gain_pct * scope_ns - 100.0 * cost_ns) > 0.000001 * scope_ns
UNION ALL SELECT 'a device with work in the time examined is not busy', count(*) FROM devices
	WHERE busy_pct = 0 AND (gpu_util_pct > 0 OR compute_ns + compute_overlapped_ns +
		exposed_communication_ns + exposed_copy_ns > 0)
UNION ALL SELECT 'the busy time of a device and its causes differ', count(*) FROM devices
	WHERE dur_ns > 0 AND abs(busy_pct - 100.0 * (compute_ns + compute_overlapped_ns +
		exposed_communication_ns + exposed_copy_ns) / dur_ns) > 1e-6
UNION ALL SELECT 'the overview and the devices differ in how busy a device is', count(*)
	FROM (SELECT device AS gpu, busy_pct FROM devices) JOIN
		overview ON section = 'device ' || substr(gpu, 4) AND metric = 'busy_pct'
	WHERE gpu LIKE 'GPU%' AND abs(value - busy_pct) > 1e-6
UNION ALL SELECT 'the shares of the kernels of all families do not sum to 100 %', 1
	WHERE (SELECT abs(sum(share_pct) - 100) FROM kernels WHERE group_by = 'family') > 1e-6
UNION ALL SELECT 'the families do not sum to kernel time', 1
	WHERE (SELECT coalesce(sum(total_ns), 0) FROM kernels WHERE group_by = 'family' AND depth = 0) <>
	      (SELECT coalesce(sum(total_ns), 0) FROM kernels)
UNION ALL SELECT 'the properties of kernels do not sum to kernel time', 1
	WHERE (SELECT coalesce(sum(total_ns), 0) FROM kernels WHERE group_by = 'properties') <>
	      (SELECT coalesce(sum(total_ns), 0) FROM kernels)
UNION ALL SELECT 'a kernel and its launches differ in their use of tensor cores', count(*)
	FROM kernels k WHERE tensor_core IS NOT NULL AND EXISTS (SELECT 1 FROM launches l
		WHERE l.name = k.name AND l.kind = 'kernel' AND l.tensor_core IS NOT k.tensor_core)
UNION ALL SELECT 'a copy or memset has FLOPs', count(*) FROM launches
	WHERE kind IN ('memcpy', 'memset') AND flops IS NOT NULL
UNION ALL SELECT 'the shares of the gaps exceed 100 %', 1
	WHERE (SELECT coalesce(sum(share_pct), 0) FROM gaps) > 100.000001
UNION ALL SELECT 'the shares of the critical path exceed 100 %', 1
	WHERE (SELECT coalesce(sum(share_pct), 0) FROM critical_path) > 100.000001
UNION ALL SELECT 'the operators by shape do not sum to those by name', 1
	WHERE (SELECT coalesce(sum(gpu_self_ns), 0) FROM operators WHERE group_by = 'shape') <>
	      (SELECT coalesce(sum(gpu_self_ns), 0) FROM operators)
UNION ALL SELECT 'an all-gather and a reduce-scatter of one size differ in bandwidth factor', count(*)
	FROM collectives WHERE (name LIKE '%gather%' OR name LIKE '%reduce_scatter%') AND
		group_size > 1 AND algbw_gbps > 0 AND
		abs(busbw_gbps / algbw_gbps - (group_size - 1.0) / group_size) > 1e-6
UNION ALL SELECT 'the title of a finding is long', count(*) FROM advice
	WHERE length(problem) > 50
)
SELECT what, n FROM broken WHERE n > 0
