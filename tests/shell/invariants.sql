-- What must hold of any profile: a row is something that does not.
WITH broken(what, n) AS (
SELECT 'the classes of a step do not sum to it', count(*) FROM steps
	WHERE kernel_ns + memcpy_ns + memset_ns + communication_ns + runtime_ns + dataloader_ns +
	      cpu_exec_ns + other_ns <> dur_ns
UNION ALL SELECT 'a class of a step is negative', count(*) FROM steps
	WHERE min(kernel_ns, memcpy_ns, memset_ns, communication_ns, runtime_ns, dataloader_ns,
		  cpu_exec_ns, other_ns) < 0
UNION ALL SELECT 'the causes of a step do not sum to it', count(*) FROM steps
	WHERE compute_ns + compute_overlapped_ns + exposed_communication_ns + exposed_copy_ns +
	      idle_launch_ns + idle_sync_ns + idle_dataloader_ns + idle_allocator_ns +
	      idle_compile_ns + idle_overhead_ns + idle_host_ns + idle_unknown_ns <> dur_ns
UNION ALL SELECT 'a cause of a step is negative', count(*) FROM steps
	WHERE min(compute_ns, compute_overlapped_ns, exposed_communication_ns, exposed_copy_ns,
		  idle_launch_ns, idle_sync_ns, idle_dataloader_ns, idle_allocator_ns,
		  idle_compile_ns, idle_overhead_ns, idle_host_ns, idle_unknown_ns) < 0
UNION ALL SELECT 'computation is more or less than the kernels', count(*) FROM steps
	WHERE compute_ns + compute_overlapped_ns <> kernel_ns
UNION ALL SELECT 'a share in the overview is none', count(*) FROM overview
	WHERE unit = '%' AND (value < 0 OR value > 100.000001)
UNION ALL SELECT 'a step uses the device for less or more than all of it', count(*) FROM steps
	WHERE gpu_util_pct < 0 OR gpu_util_pct > 100
UNION ALL SELECT 'an operator has more time itself than in all', count(*) FROM operators
	WHERE gpu_self_ns > gpu_total_ns OR cpu_self_ns > cpu_total_ns OR cpu_self_ns < 0
UNION ALL SELECT 'an operator uses tensor cores for less or more than all of it', count(*)
	FROM operators WHERE tc_self_pct < 0 OR tc_self_pct > 100 OR tc_total_pct < 0 OR
	      tc_total_pct > 100
UNION ALL SELECT 'a module has more time itself than in all', count(*) FROM modules
	WHERE gpu_self_ns > gpu_total_ns OR cpu_self_ns > cpu_total_ns OR cpu_self_ns < 0
UNION ALL SELECT 'the layers do not hold the time of all device work', 1
	WHERE (SELECT coalesce(sum(gpu_total_ns), 0) FROM layers WHERE depth = 0) <>
	      (SELECT coalesce(sum(dur_ns), 0) FROM launches WHERE kind <> 'sync')
UNION ALL SELECT 'the kernels do not hold the time of all kernels', 1
	WHERE (SELECT coalesce(sum(total_ns), 0) FROM kernels) <>
	      (SELECT coalesce(sum(dur_ns), 0) FROM launches WHERE kind = 'kernel')
UNION ALL SELECT 'a kernel is on average shorter or longer than ever', count(*) FROM kernels
	WHERE min_ns * calls > total_ns OR max_ns * calls < total_ns
UNION ALL SELECT 'a stream or thread is busy for less or more than all the time', count(*)
	FROM streams WHERE util_pct < 0 OR util_pct > 100.000001 OR busy_ns < 0 OR idle_ns < 0
)
SELECT what, n FROM broken WHERE n > 0
