-- What findings say, and what the row of that name says in the view that they lead to: each row of
-- the result is a figure, and whether the finding has it. A share is of what doc/glossary.md says.
WITH finding AS MATERIALIZED (SELECT detector, severity, evidence AS e, cost_ns, gain_pct, scope_ns
	FROM advice WHERE group_by = 'all'),
fired AS (SELECT * FROM finding WHERE severity NOT IN ('silent', 'unknown', 'stored')),
-- with the refill of the queue the idle time of a blocking call is no row of a view
of_time AS (SELECT * FROM finding WHERE severity <> 'unknown' AND e NOT LIKE '%and until its queue is filled again, for%' AND
	(e LIKE '% \% of step time%' ESCAPE '\' OR e LIKE '% \% of the time examined%' ESCAPE '\')),
kernel AS MATERIALIZED (SELECT family, calls, total_ns FROM kernels),
whole AS (SELECT 1.0 * sum(total_ns) AS ns FROM kernel),
family AS MATERIALIZED (SELECT family AS name, sum(calls) AS calls, sum(total_ns) AS ns,
	100 * sum(total_ns) / (SELECT ns FROM whole) AS pct FROM kernel GROUP BY family),
busiest AS (SELECT * FROM family WHERE name <> 'communication' ORDER BY ns DESC LIMIT 1),
device AS MATERIALIZED (SELECT device AS gpu, * FROM devices),
critical AS (SELECT * FROM device WHERE critical),
-- the causes of the time examined, and the row of the overview that has them of the step time
cause(detector, ns, row) AS (
	SELECT 'launch_bound', idle_launch_ns, 'idle_launch_pct' FROM critical
	UNION ALL SELECT 'synchronisation', idle_sync_ns, 'idle_sync_pct' FROM critical
	UNION ALL SELECT 'dataloader', idle_dataloader_ns, 'idle_dataloader_pct' FROM critical
	UNION ALL SELECT 'compilation', idle_compile_ns, 'idle_compile_pct' FROM critical
	UNION ALL SELECT 'profiler_overhead', idle_overhead_ns, 'idle_overhead_pct' FROM critical
	UNION ALL SELECT 'communication', exposed_communication_ns, 'exposed_communication_pct'
		FROM critical
	UNION ALL SELECT 'exposed_copies', exposed_copy_ns, 'exposed_copy_pct' FROM critical),
-- "Consecutive kernels take 3.10 ms in 9 calls (2.1 % of kernel time)": the figures of the text
take AS (SELECT e, substr(e, instr(e, ' take ') + 6) AS from_time,
		substr(e, instr(e, ' % of kernel time)') - 5, 5) AS before FROM fired
	WHERE e LIKE '% take % in % call%(% of kernel time)%' AND detector <> 'plain_attention'),
taken AS (SELECT e, CAST(substr(before, instr(before, '(') + 1) AS REAL) AS said,
		100 * CAST(from_time AS REAL) / (SELECT ns FROM whole) *
		CASE substr(from_time, instr(from_time, ' ') + 1, 2)
		WHEN 'ns' THEN 1 WHEN 'us' THEN 1e3 WHEN 'ms' THEN 1e6 ELSE 1e9 END AS pct FROM take),
-- a text of the finding around a share of PCT; SAID: the share, without the text
figure(what, head, pct, tail, e, said) AS (
SELECT 'the family of the hot spot', upper(substr(name, 1, 1)) || substr(name, 2) || ' kernels take ',
		pct, printf(' %% of kernel time (%d kernel', calls), e, NULL
	FROM fired, busiest WHERE detector = 'kernel_hotspot' AND e LIKE '% of kernel time (%' AND
	name <> 'other'
UNION ALL SELECT 'a family beside the hot spot', ' ' || name || ' ', pct, ' %', e, NULL
	FROM fired, family WHERE detector = 'kernel_hotspot' AND e LIKE '% of kernel time (%; then %' AND
	instr(substr(e, instr(e, '; then ')), ' ' || name || ' ')
UNION ALL SELECT 'no family is hot', '; ' || name || ' takes ', pct, ' % of kernel time.', e, NULL
	FROM finding, busiest WHERE detector = 'kernel_hotspot' AND e LIKE 'No family % of kernel time.'
UNION ALL SELECT 'kernel time', '', pct, '', e, said FROM taken
UNION ALL SELECT 'a cause of the time examined', '', 100.0 * ns / dur_ns, ' % of ', e, NULL
	FROM of_time JOIN cause USING (detector), critical
UNION ALL SELECT 'a cause of the step time', '', value, ' % of step time', e, NULL
	FROM of_time JOIN cause USING (detector) JOIN overview ON metric = cause.row
	WHERE e LIKE '% of step time%'
UNION ALL SELECT 'overlapped communication', '', 100.0 * compute_overlapped_ns /
		(compute_overlapped_ns + exposed_communication_ns), ' % of communication is overlapped',
		e, NULL FROM fired, critical WHERE detector = 'communication'
UNION ALL SELECT 'a busy device', gpu || ' ', busy_pct, ' %', e, NULL FROM finding, device
	WHERE detector = 'low_utilisation' AND instr(e, 'GPU busy: ') AND instr(e, gpu || ' ')
UNION ALL SELECT 'busy in the overview', gpu || ' ', value, ' %', e, NULL
	FROM finding, device JOIN overview ON section = 'device ' || substr(gpu, 4)
	WHERE metric = 'busy_pct' AND detector = 'low_utilisation' AND instr(e, gpu || ' ') AND
	gpu LIKE 'GPU%'
UNION ALL SELECT 'the busiest device', gpu || ' is busy ', busy_pct, ' %', e, NULL
	FROM fired, (SELECT * FROM device ORDER BY busy_pct DESC LIMIT 1)
	WHERE detector = 'uneven_devices'
UNION ALL SELECT 'the least busy device', ', ' || gpu || ' ', busy_pct, ' %', e, NULL
	FROM fired, (SELECT * FROM device ORDER BY busy_pct LIMIT 1) WHERE detector = 'uneven_devices'
UNION ALL SELECT 'the hot function', '(', max(share_pct), ' %) is spent in', e, NULL
	FROM fired, python WHERE group_by = CASE WHEN EXISTS (SELECT 1 FROM stacks WHERE
	group_by = 'samples') THEN 'merged' ELSE 'recorded' END AND detector = 'hot_spot' AND e LIKE '% is spent in %' AND
	e NOT LIKE '% another %' GROUP BY e HAVING max(share_pct) NOT NULL
UNION ALL SELECT 'the hot operator', ' CPU self time of operators (', 100.0 * cpu_self_ns / ns,
		' %) is in ' || name, e, NULL
	FROM fired, (SELECT name, cpu_self_ns, sum(cpu_self_ns) OVER () AS ns FROM operators
		ORDER BY cpu_self_ns DESC LIMIT 1)
	WHERE detector = 'hot_spot' AND e LIKE '%CPU self time of operators (% is in %' AND
	e NOT LIKE '% is in the first of %' AND e NOT LIKE '% is in one of %'
UNION ALL SELECT 'GPU time without a launch', '', 100 - value, ' % of GPU time', e, NULL
	FROM fired, overview WHERE detector = 'unlinked_work' AND section = 'links' AND
	metric = 'linked to launch, GPU time'
UNION ALL SELECT 'the gain', '', 100.0 * cost_ns / scope_ns, '', e, gain_pct
	FROM fired WHERE gain_pct NOT NULL
UNION ALL SELECT 'all gains', '', sum(gain_pct), '', 'more than the time examined',
	min(100, sum(gain_pct)) FROM fired HAVING count(gain_pct))
SELECT what, CASE WHEN said NOT NULL THEN abs(said - pct) < 0.06 + 0.006 * pct
	     ELSE instr(e, head || printf('%.1f', pct) || tail) +
		  instr(e, head || printf('%.1f', pct - 1e-6) || tail) > 0 END AS ok,
       head || printf('%.1f', pct) || tail AS text, e FROM figure
