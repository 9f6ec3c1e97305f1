#include "analysis/advice/judge_table.h"

#include "base/text_slice.h"
#include "model/python_stats.h"

enum { PRINTED_TABLE_LIMIT_ROWS(_) };

/*
 * Does Python wait in this row for threads of autograd's engine, which compute the backward pass in
 * rows of their own? The call that waits has no time but its own.
 */
static bool waits_for_engine(const struct profile *profile, const struct python_operator *row)
{
	return row->cpu_self_s >= row->cpu_total_s &&
	       strstr(profile_string(profile, row->name), "run_backward");
}

/* Self time of all operators in nanoseconds: as the table states it, else of the rows it lists. */
struct table_times {
	double cpu, gpu;
	bool stated; /* both, so that they can be compared: a table may list a part of its rows */
};

static double positive_ns(double seconds)
{
	return seconds > 0 ? 1e9 * seconds : 0;
}

static int64_t clamped(double number)
{
	const double most = 1e18;
	return (int64_t)(number < most ? number : most);
}

/* Work on the GPU has rows of its own where PyTorch knows it; operators repeat its time. */
static struct table_times times_of_table(const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	struct table_times times = { python_fact_sum(stats, PYTHON_CPU_SELF),
				     python_fact_sum(stats, PYTHON_GPU_SELF), true };
	double cpu = 0, by_operator = 0, by_work = 0, waits = 0;
	for_each (row, stats->operators, stats->operator_count) {
		bool work = row->kind == ROW_KERNEL || row->kind == ROW_COPY;
		cpu += positive_ns(row->cpu_self_s);
		waits += waits_for_engine(profile, row) ? positive_ns(row->cpu_self_s) : 0;
		*(work ? &by_work : &by_operator) += positive_ns(row->gpu_self_s);
	}
	times.stated = times.cpu > 0 && times.gpu > 0;
	times.cpu = (times.cpu > 0 ? times.cpu : cpu) - waits;
	times.gpu = times.gpu > 0 ? times.gpu : by_work > 0 ? by_work : by_operator;
	return times;
}

/* By string: self time of operators of that name on the CPU, without waits, in ns. mem_free. */
static int64_t *host_times(const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	int64_t *ns = mem_zalloc(intern_count(profile->strings) + 1, sizeof *ns);
	for_each (row, stats->operators, stats->operator_count)
		if (row->kind == ROW_OPERATOR && !waits_for_engine(profile, row) &&
		    !strstr(profile_string(profile, row->name), "Synchronize"))
			ns[row->name] =
				clamped((double)ns[row->name] + positive_ns(row->cpu_self_s));
	return ns;
}

static void add_hottest(const struct diagnosis *diagnosis, struct finding *finding, int64_t *host,
			double cpu_ns)
{
	enum { LISTED = 3 };
	uint32_t hottest = most_costly(host, intern_count(diagnosis->profile->strings));
	double share = percent_of((double)host[hottest], cpu_ns);
	add_costly(diagnosis, &finding->evidence, host, cpu_ns, LISTED,
		   share < SLOW_PERCENT ? share : SLOW_PERCENT);
}

/* The threads of a program wait for each other: its CPU time is little more than the time it takes.
 */
void judge_table_host(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct table_times times = times_of_table(profile);
	AUTO_FREE int64_t *host = host_times(profile);
	uint32_t hottest = most_costly(host, intern_count(profile->strings));
	if (!times.stated || hottest == NO_ROW) {
		report_unknown(finding, NULL,
			       "The table does not state the sums of CPU and GPU time.");
		return;
	}
	if (percent_of(times.gpu, times.cpu) >= BUSY_PERCENT) {
		report_ok(finding, "The GPU works for %s, operators take %s on the CPU.",
			  DURATION(clamped(times.gpu)), DURATION(clamped(times.cpu)));
		return;
	}
	finding->severity = SEVERITY_HIGH;
	finding->recommendation =
		percent_of((double)host[hottest], times.cpu) >= VERY_HOT_PERCENT
			? "Find what this operator does on the CPU; if its first calls compile, load or choose kernels, warm up before the recording."
			: "Do these less often or for more data at once (larger batches, torch.compile); a trace (export_chrome_trace) tells for what the GPU waits.";
	report_problem(
		finding,
		"Operators take %s on the CPU, their work on the GPU %s: it is busy for %s %% of that at most; the longest: ",
		DURATION(clamped(times.cpu)), DURATION(clamped(times.gpu)),
		PERCENT(times.gpu, times.cpu));
	add_hottest(diagnosis, finding, host, times.cpu);
}

void judge_table_hot_spot(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct table_times times = times_of_table(profile);
	AUTO_FREE int64_t *host = host_times(profile);
	uint32_t hottest = most_costly(host, intern_count(profile->strings));
	double share = hottest == NO_ROW ? 0 : percent_of((double)host[hottest], times.cpu);
	if (times.gpu > 0) {
		report_ok(finding, "GPU work was recorded.");
	} else if (hottest == NO_ROW) {
		report_unknown(finding, NULL, "No time was recorded.");
	} else if (share < HOT_PERCENT) {
		report_ok(finding, "The hottest operator has %s %% of all self time.",
			  PERCENT(share, 100));
	} else {
		finding->title = diagnosis->plain ? "Calls of the GPU's interface" : NULL;
		finding->severity = share >= VERY_HOT_PERCENT ? SEVERITY_HIGH : SEVERITY_MEDIUM;
		report_problem(finding, "%s CPU self time of %s: ", DURATION(clamped(times.cpu)),
			       diagnosis->plain ? "calls" : "operators");
		add_hottest(diagnosis, finding, host, times.cpu);
		buffer_puts(&finding->evidence, "; no GPU work was recorded");
		if (diagnosis->plain)
			finding->recommendation = call_advice(profile_string(profile, hottest));
	}
}

void judge_table_loader(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	double ns = 0, all = times_of_table(profile).cpu;
	for_each (row, profile->python->operators, profile->python->operator_count)
		if (diagnosis->derived->role[row->name] & NAME_DATALOADER)
			ns += positive_ns(row->cpu_total_s);
	if (percent_of(ns, all) < SLOW_PERCENT)
		report_unknown(finding, NULL, "The table lists no data loader that takes long.");
	else
		report_problem(finding, "Data loaders take %s of %s CPU time (%s %%)",
			       DURATION(clamped(ns)), DURATION(clamped(all)), PERCENT(ns, all));
}

/* Convolutions that launch kernels do so where cuDNN does not compute them. */
void judge_table_slow_code(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct table_times times = times_of_table(profile);
	const struct python_operator *worst = NULL;
	double most = 0;
	for_each (row, profile->python->operators, profile->python->operator_count) {
		double cpu = percent_of(positive_ns(row->cpu_self_s), times.cpu);
		double gpu = percent_of(positive_ns(row->gpu_total_s), times.gpu);
		double share = gpu > 0 ? gpu : cpu;
		if (row->kind == ROW_OPERATOR && share > most &&
		    slow_code_of(profile_string(profile, row->name))) {
			most = share;
			worst = row;
		}
	}
	if (most < SLOW_PERCENT) {
		report_ok(finding, "Slow algorithms take %s %% of the time.", PERCENT(most, 100));
		return;
	}
	const char *name = profile_string(profile, worst->name);
	bool gpu = worst->gpu_total_s > 0;
	finding->severity = SEVERITY_MEDIUM;
	finding->title = gpu ? "Slow algorithms" : NULL;
	finding->recommendation = gpu ? WITHOUT_CUDNN : slow_code_of(name)->instead;
	report_problem(finding, "%s in %s call%s of ",
		       DURATION(clamped(positive_ns(gpu ? worst->gpu_total_s : worst->cpu_self_s))),
		       COUNT(worst->calls), PLURAL(worst->calls));
	add_name(&finding->evidence, name);
	buffer_printf(&finding->evidence, " (%s %% of %s time): %s", PERCENT(most, 100),
		      gpu ? "GPU" : "CPU",
		      gpu ? "convolutions without cuDNN" : slow_code_of(name)->what);
}

/* Copies, or kernels, that a detector judges. */
static const struct {
	const char *detector;
	const char *words, *others;         /* of their names, and not, between bars; or NULL */
	const char *title, *recommendation; /* NULL: the detector's */
	const char *what;
	double least; /* share of GPU time */
} table_copies[] = { TABLE_COPIES_ROWS };

void judge_table_copies(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct table_times times = times_of_table(profile);
	__auto_type copies = table_copies;
	while (strcmp(copies->detector, finding->detector->id) != 0)
		copies++;
	double ns = 0, calls = 0, to_host = 0;
	for_each (row, profile->python->operators, profile->python->operator_count) {
		const char *name = profile_string(profile, row->name);
		if (row->kind == ROW_OPERATOR || !text_has_one(name, strlen(name), copies->words) ||
		    (copies->others && text_has_one(name, strlen(name), copies->others)))
			continue;
		ns += positive_ns(row->gpu_self_s);
		to_host += strstr(name, "DtoH") ? positive_ns(row->gpu_self_s) : 0;
		calls += row->calls > 0 ? (double)row->calls : 0;
	}
	double share = percent_of(ns, times.gpu);
	if (!(times.gpu > 0)) {
		report_unknown(finding, NULL, "No GPU time was recorded.");
		return;
	}
	if (share < copies->least) {
		report_ok(finding, "%s take %s %% of GPU time.", copies->what,
			  PERCENT(ns, times.gpu));
		return;
	}
	finding->severity = share >= VERY_HOT_PERCENT ? SEVERITY_HIGH : SEVERITY_MEDIUM;
	finding->title = copies->title;
	if (copies->recommendation)
		finding->recommendation = copies->recommendation;
	else
		choose_pinning(finding, to_host, ns);
	report_problem(finding, "%s take %s of %s GPU time (%s %%), in %s calls", copies->what,
		       DURATION(clamped(ns)), DURATION(clamped(times.gpu)), PERCENT(ns, times.gpu),
		       COUNT(clamped(calls)));
}
