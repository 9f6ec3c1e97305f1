/* What ncu prints: CSV of both pages, text, messages between, damage. */
#include "trace_case.h"
#include "file_case.h"

#define IDENTITY                                                                                   \
	"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","        \
	"\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\""
#define KERNEL_OF(id, name)                                                                        \
	"\"" id "\",\"12\",\"app\",\"host\",\"" name "\",\"1\",\"7\",\"(128, 1, 1)\","             \
	"\"(4, 2, 1)\",\"0\",\"8.0\""

static const char raw[] =
	"==PROF== Connected to process 12\nhello, world\n" IDENTITY
	",\"gpu__time_duration.sum\",\"dram__bytes.sum.per_second\",\"launch__registers_per_thread\","
	"\"device__attribute_chip\",\"empty\"\n"
	"\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"usecond\",\"Gbyte/second\","
	"\"register/thread\",\"\",\"\"\n" KERNEL_OF(
		"0",
		"f<\"\"a, b\"\">(int)") ",\"1,234.5\",\"2\",\"16\",\"GA100\",\"\"\n"
					"==WARNING== something\n" KERNEL_OF(
						"1",
						"g") ",\"2\",\"no data\",\"16\",\"GA100\",\"\"\n";

static const char details[] = IDENTITY
	",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\","
	"\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"\n" KERNEL_OF("0", "f") ",\"Speed\",\"Duration\",\"usecond\",\"3.5\",\n" KERNEL_OF(
		"0",
		"f") ",\"Launch\",\"Registers Per Thread\",\"register/thread\",\"21\",\n" KERNEL_OF("0",
												    "f") ",\"Speed\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\",\"Do less.\",\"local\",\"12\"\n" KERNEL_OF("1",
																									 "f") ",\"Speed\",\"Duration\",\"usecond\",\"4\",\n";

/* What rule NAME says of the kernel in a row; "" when nothing. */
static const char *rule_of(const struct profile *profile, uint32_t row, const char *name)
{
	size_t count;
	const struct attribute *attributes = profile_activity_attributes(profile, row, &count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(profile_string(profile, attributes[i].key), name))
			return profile_string(profile, attributes[i].text);
	return "";
}

static const struct launch_config *config_of(const struct profile *profile, const char *kernel)
{
	const struct launch_config *config =
		profile_config(profile, activity_named(profile, kernel));
	assert_non_null(config);
	return config;
}

TEST(raw_values_are_in_base_units)
{
	struct profile *profile = trace_open(raw);
	uint32_t kernel = activity_named(profile, "f<\"a, b\">(int)");
	size_t bandwidth = 0;
	assert_int_equal(profile->activities, 2);
	assert_int_equal(profile->activity_dur[kernel], 1234500);
	assert_int_equal(config_of(profile, "g")->regs_per_thread, 16);
	assert_int_equal(config_of(profile, "g")->grid[1], 2);
	assert_int_equal(profile_device(profile, 0)->compute_major, 8);
	for (size_t i = 0; i < profile->metric_count; i++)
		if (profile->metrics[i].activity == kernel &&
		    !strcmp(profile_string(profile, profile->metrics[i].name),
			    "dram__bytes.sum.per_second")) {
			bandwidth++;
			assert_true(profile->metrics[i].value == 2e9);
			assert_string_equal(profile_string(profile, profile->metrics[i].unit),
					    "bytes/s");
		}
	assert_int_equal(bandwidth, 1);
	assert_int_equal(profile->metric_count, 8); /* the empty column is none */
	profile_free(profile);
}

TEST(details_are_as_printed)
{
	struct profile *profile = trace_open(details);
	assert_int_equal(profile->activities, 2);
	assert_int_equal(profile->activity_dur[0], 3500);
	assert_int_equal(profile->activity_dur[1], 4000);
	assert_int_equal(config_of(profile, "f")->regs_per_thread, 21);
	assert_true(profile->metrics[0].value == 3.5);
	assert_string_equal(profile_string(profile, profile->metrics[0].unit), "usecond");
	assert_string_equal(profile_string(profile, profile->metrics[0].section), "Speed");
	assert_string_equal(rule_of(profile, 0, "rule SOLBottleneck"),
			    "Do less (estimated local speedup 12.0 %)");
	profile_free(profile);
}

TEST(text_has_kernels_metrics_and_rules)
{
	struct profile *profile = trace_open(data_text("ncu_printed.txt"));
	uint32_t kernel = activity_named(profile, "f<2>(int, float (*)(int))");
	assert_int_equal(profile->activities, 2);
	assert_int_equal(config_of(profile, "f<2>(int, float (*)(int))")->grid[1], 2);
	assert_int_equal(config_of(profile, "f<2>(int, float (*)(int))")->block[0], 128);
	assert_int_equal(config_of(profile, "f<2>(int, float (*)(int))")->regs_per_thread, 1024);
	assert_int_equal(profile->activity_dur[kernel], 2500);
	assert_int_equal(config_of(profile, "old_kernel")->regs_per_thread, 42);
	assert_int_equal(config_of(profile, "old_kernel")->grid[0], -1);
	assert_int_equal(profile->metric_count, 4);
	assert_string_equal(rule_of(profile, kernel, "rule Launch Statistics"),
			    "A sentence that is continued here");
	profile_free(profile);
}

static void cut_and_damage(const char *whole, size_t size)
{
	char copy[4096];
	assert_true(size <= sizeof copy);
	for (size_t length = 40; length < size; length += 3) {
		struct error error = { 0 };
		struct profile *profile = trace_open_bytes(whole, length, &error);
		assert_true(profile || strlen(error.message) > 5);
		profile_free(profile);
	}
	for (size_t at = 0; at < size; at += 2) {
		static const char wrong[] = { '"', ',', '\n', 0, '(', (char)0xff };
		struct error error = { 0 };
		memcpy(copy, whole, size);
		copy[at] = wrong[at / 2 % sizeof wrong];
		struct profile *profile = trace_open_bytes(copy, size, &error);
		assert_true(profile || strlen(error.message) > 5);
		profile_free(profile);
	}
}

TEST(cut_and_damaged_output)
{
	cut_and_damage(raw, sizeof raw - 1);
	cut_and_damage(details, sizeof details - 1);
	cut_and_damage(data_text("ncu_printed.txt"), strlen(data_text("ncu_printed.txt")));
}

/* ncu --import prints no messages; tables of 2020 had no heading, and their rules were also "OK".
 */
TEST(text_without_messages_opens)
{
	static const char imported[] =
		"[48] train@127.0.0.1\n"
		"  f(int), 2020-Mar-31 15:01:23, Context 1, Stream 7\n"
		"    Section: GPU Speed Of Light\n"
		"    ---------------- ------------- ---------\n"
		"    Duration               usecond      3.87\n"
		"    ---------------- ------------- ---------\n"
		"    OK    The kernel is fast, and this line is longer than the table.\n";
	struct profile *profile = trace_open(imported);
	assert_string_equal(profile->format, "Nsight Compute output (text)");
	assert_int_equal(profile->activity_dur[activity_named(profile, "f(int)")], 3870);
	assert_int_equal(profile->metric_count, 1);
	assert_string_equal(rule_of(profile, 0, "rule GPU Speed Of Light"),
			    "The kernel is fast, and this line is longer than the table");
	profile_free(profile);
}

static void assert_says(const char *output, const char *part)
{
	struct error error = { 0 };
	assert_null(trace_open_bytes(output, strlen(output), &error));
	assert_non_null(strstr(error.message, part));
}

TEST(output_without_kernels_is_refused_with_the_reason)
{
	assert_says("==PROF== Connected to process 3\nhello\n", "profile again with: ncu -o");
	assert_says("==PROF== Connected to process 3\n==ERROR== ERR_NVGPUCTRPERM - The user\n",
		    "ERR_NVGPUCTRPERM");
	assert_says("==PROF== x\n[5] a@b\n  Device 0, CC 8.6, Invocations 10\n",
		    "--print-summary per-kernel");
	assert_says(
		"\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Block Size\"\n",
		"without kernels");
}

#define SUM(name, grid, calls, metric, unit, values)                                               \
	"\"12\",\"app\",\"host\",\"" name "\",\"(128, 1, 1)\",\"" grid "\",\"0\",\"9.0\",\"" calls \
	"\",\"Speed\",\"" metric "\",\"" unit "\"," values "\n"
static const char sums_csv[] =
	"\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\","
	"\"Device\",\"CC\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
	"\"Minimum\",\"Maximum\",\"Average\"\n" SUM("f", "(4, 2, 1)", "3", "Duration", "usecond",
						    "\"2\",\"4\",\"3\"")
		SUM("f", "(4, 2, 1)", "3", "DRAM", "Gbyte", "\"1,000\",\"n/a\",\"2,000.5\"")
			SUM("f", "(8, 1, 1)", "2", "Duration", "usecond", "\"5\",\"9\",\"7\"");

/* Sums are kernels with all their launches, and metrics of no launch alone. */
TEST(summaries_of_kernels)
{
	struct run *run = trace_run(data_text("ncu_printed_sums.txt"));
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns,avg_ns,min_ns,max_ns",
		    "f<2>(int, float *),3,9000,3000,2000,4000\nrelu(float *),1,,,,\n");
	assert_rows(run, "metrics", NULL, NULL, "launch,kernel,metric,statistic,value,unit",
		    ",f<2>(int, float *),Duration,minimum,2,us\n"
		    ",f<2>(int, float *),Duration,maximum,4,us\n"
		    ",f<2>(int, float *),Duration,average,3,us\n"
		    ",f<2>(int, float *),Waves Per SM,minimum,0.5,\n"
		    ",f<2>(int, float *),Waves Per SM,maximum,0.75,\n"
		    ",f<2>(int, float *),Waves Per SM,average,0.6,\n"
		    ",relu(float *),Waves Per SM,minimum,5,%\n"
		    ",relu(float *),Waves Per SM,maximum,5,%\n"
		    ",relu(float *),Waves Per SM,average,5,%\n");
	assert_rows(run, "launches", NULL, NULL, "name,dur_ns,grid",
		    "f<2>(int, float *),,4,2,1\nrelu(float *),,8,1,1\n");
	run_free(run);
	run = trace_run(sums_csv);
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns,min_ns,max_ns",
		    "f,5,23000,2000,9000\n");
	assert_rows(run, "metrics", NULL, NULL, "metric,statistic,value,text",
		    "Duration,minimum,2,\nDuration,maximum,4,\nDuration,average,3,\n"
		    "DRAM,minimum,1000,\nDRAM,maximum,,\nDRAM,average,2000.5,\n"
		    "Duration,minimum,5,\nDuration,maximum,9,\nDuration,average,7,\n");
	run_free(run);
	cut_and_damage(data_text("ncu_printed_sums.txt"),
		       strlen(data_text("ncu_printed_sums.txt")));
	cut_and_damage(sums_csv, sizeof sums_csv - 1);
}

/* How busy the GPU was is not known; it is not 0 and not what memory held before. */
TEST(kernels_without_durations_say_nothing_of_devices)
{
	static const char timeless[] = IDENTITY
		",\"launch__registers_per_thread\"\n"
		"\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
		"\"register/thread\"\n" KERNEL_OF("0", "f") ",\"16\"\n" KERNEL_OF("1",
										  "g") ",\"16\"\n";
	struct run *run = trace_run(timeless);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	for (size_t row = 0; row < advice->rows; row++) {
		const char *detector = table_cell(advice, row, "detector").text;
		if (strstr(detector, "unused_devices") || strstr(detector, "uneven_devices") ||
		    strstr(detector, "low_utilisation"))
			assert_string_equal(table_cell(advice, row, "severity").text, "unknown");
	}
	table_free(advice);
	run_free(run);
}

#define RULE_OF(id, name, rule, text, scope, speedup)                                              \
	KERNEL_OF(id, name)                                                                        \
	",\"S\",\"\",\"\",\"\",\"" rule "\",\"OPT\",\"" text "\",\"" scope "\",\"" speedup "\"\n"
#define TIME_OF(id, name, us)                                                                      \
	KERNEL_OF(id, name) ",\"S\",\"Duration\",\"usecond\",\"" us "\",\"\",\"\",\"\",\"\",\"\"\n"

/* The verdict first, then by the time that rules estimate; failures and NaN say nothing. */
TEST(rules_come_by_what_they_save)
{
	static const char ranked[] = IDENTITY
		",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\","
		"\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"\n" TIME_OF(
			"0", "f", "90") RULE_OF("0", "f", "HighPipeUtilization",
						"FMA is at nan% of its peak.", "", "")
			RULE_OF("0", "f", "Occupancy", "Limited by registers.", "",
				"") RULE_OF("0", "f", "CPIStall", "Banana stalls.", "local", "60")
				RULE_OF("0", "f", "FPInstructions", "Fuse.", "global",
					"20") RULE_OF("0", "f", "SOLBottleneck", "Compute is busy.",
						      "", "") TIME_OF("1", "g", "3")
					RULE_OF("1", "g", "LaunchConfiguration", "Tail.", "global",
						"90")
						RULE_OF("1", "g", "MemoryL2Compression",
							"The metric could not be found.", "", "");
	static const char *const order[] = { "ncu:SOLBottleneck", "ncu:FPInstructions",
					     "ncu:LaunchConfiguration", "ncu:CPIStall",
					     "ncu:Occupancy" };
	struct run *run = trace_run(ranked);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	size_t found = 0;
	for (size_t row = 0; row < advice->rows; row++) {
		if (strcmp(table_cell(advice, row, "severity").text, "stored"))
			continue;
		assert_true(found < sizeof order / sizeof *order);
		assert_cell(advice, row, "detector", order[found++]);
	}
	assert_int_equal(found, sizeof order / sizeof *order);
	table_free(advice);
	run_free(run);
}

/* What the error of a rule prints is no advice; which kernel was not measured is. */
TEST(failures_are_no_rules)
{
	struct run *run = trace_run(
		"==PROF== Profiling \"render\" - 0: 0%....100% - 2 passes\n\n==ERROR== LaunchFailed\n"
		"==ERROR== The application returned an error code (9).\n[12] app@127.0.0.1\n"
		"  first(int) (4, 2, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n"
		"    Section: GPU Speed Of Light Throughput\n"
		"    ----------- ----------- ------------\n"
		"    Metric Name Metric Unit Metric Value\n"
		"    ----------- ----------- ------------\n"
		"    Duration             us         2.50\n"
		"    ----------- ----------- ------------\n\n"
		"  render(int) (0, 0, 0)x(0, 0, 0), Context 1, Stream 7, Device 0, CC 9.0\n"
		"    Section: GPU Speed Of Light Roofline Chart\n"
		"    ERR   float division by zero\n"
		"          /home/me/Sections/SpeedOfLight_Roofline.py:64\n\n");
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	int stored = 0;
	for (size_t row = 0; row < advice->rows; row++)
		if (!strcmp(table_cell(advice, row, "severity").text, "stored")) {
			stored++;
			assert_cell(advice, row, "detector", "ncu:Launch failed");
			assert_cell(advice, row, "evidence",
				    "render(int): It was not measured: LaunchFailed.");
		}
	assert_int_equal(stored, 1);
	table_free(advice);
	run_free(run);
}
