/* Samples of GPUs beside a trace: zones, what is added, energy of steps and layers, throttling. */
#include "text_profile_case.h"

#include "analysis/energy.h"
#include "base/buffer.h"
#include "session/load.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* A step of 2 s from 2024-01-01 12:00:00 UTC on, with kernels of a layer in its second second. */
#define BASE "1704110400000000000"
static const char trace[] =
	"{\"schemaVersion\":1,\"baseTimeNanoseconds\":" BASE ",\"traceEvents\":["
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":1,"
	"\"ts\":0,\"dur\":2000000},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#4\",\"pid\":1,\"tid\":1,"
	"\"ts\":2000000,\"dur\":2000000},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":100,\"dur\":2,\"args\":{\"correlation\":1}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":110,\"dur\":2,\"args\":{\"correlation\":2}},"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"tid\":7,\"ts\":1000000,"
	"\"dur\":600000,\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}},"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":0,\"tid\":8,\"ts\":1400000,"
	"\"dur\":500000,\"args\":{\"device\":0,\"stream\":8,\"correlation\":2}}]}";

/* Power of each half second, from the local time 06:00:00 (UTC-6) less half a second on. */
static const double watts[] = { 90, 100, 140, 200, 180 };

static struct buffer telemetry(const char *heading, const char *hour, const char *index)
{
	struct buffer text = { 0 };
	buffer_puts(&text, heading);
	for (size_t i = 0; i < sizeof watts / sizeof *watts; i++) {
		double second = 59.5 + 0.5 * (double)i;
		buffer_printf(&text, "2024/01/01 %02d:%02d:%06.3f%s, %g W\n",
			      atoi(hour) - (second < 60), second < 60 ? 59 : 0, fmod(second, 60),
			      index, watts[i]);
	}
	return text;
}

static struct run *both(const char *text, struct buffer *samples)
{
	char first[] = "/tmp/strata-trace-XXXXXX", second[] = "/tmp/strata-smi-XXXXXX";
	const char *const paths[] = { first, second };
	struct load_options options = { 0 };
	struct error error = { 0 };
	write_temporary(first, text, strlen(text));
	write_temporary(second, samples->data, samples->length);
	struct run *run = run_open(paths, 2, &options, NULL, &error);
	assert_non_null(run);
	assert_non_null(run_acquire(run, run->ranks[0].number, NULL, &error));
	assert_int_equal(run->rank_count, 1);
	unlink(first);
	unlink(second);
	buffer_free(samples);
	return run;
}

#define HEADING "timestamp, power.draw [W]\n"

/* Power at a time after the start of the trace, and its integral in steps of a tenth of a ms. */
static double power_at(double second)
{
	double at = (second + 0.5) / 0.5;
	size_t low = (size_t)at;
	if (low + 1 >= sizeof watts / sizeof *watts)
		return watts[sizeof watts / sizeof *watts - 1];
	return watts[low] + (watts[low + 1] - watts[low]) * (at - (double)low);
}

static double integral(double from, double to)
{
	double joules = 0, width = 1e-4;
	for (double at = from; at < to - width / 2; at += width)
		joules += power_at(at + width / 2) * width;
	return joules;
}

static double cell(const struct table *table, size_t row, const char *column)
{
	struct value value = table_value(table, row, (size_t)table_column(table, column));
	return value_number(value, NAN);
}

TEST(energy_is_the_integral_of_power)
{
	struct buffer samples = telemetry(HEADING, "6", "");
	struct run *run = both(trace, &samples);
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	struct table *layers = trace_view(run, "layers", NULL, NULL);
	/* samples reach 1.5 s into the first step, and not into the second */
	assert_true(fabs(cell(steps, 0, "energy_j") - integral(0, 1.5)) < 0.01);
	assert_true(fabs(cell(steps, 0, "energy_known_pct") - 75) < 0.01);
	assert_true(is_blank(steps, 1, "energy_j"));
	assert_true(cell(steps, 1, "energy_known_pct") == 0);
	/* of 1.4 to 1.6 s, where both run, the first one has all that is known */
	assert_true(fabs(cell(layers, row_with(layers, "name", "a"), "energy_j") -
			 integral(1, 1.5)) < 0.01);
	assert_true(is_blank(layers, row_with(layers, "name", "b"), "energy_j"));
	/* views with the samples say where these are from */
	struct table *counters = trace_view(run, "counters", NULL, NULL);
	assert_non_null(strstr(steps->note, "Telemetry: "));
	assert_non_null(strstr(counters->note, "Telemetry: "));
	table_free(counters);
	table_free(steps);
	table_free(layers);
	run_free(run);
}

/* Of any time, also one that begins and ends between samples or that they do not reach. */
TEST(energy_of_any_time)
{
	struct buffer samples = telemetry(HEADING, "6", "");
	struct run *run = both(trace, &samples);
	struct energy *energy = energy_new(run->ranks[0].profile);
	for (int i = 0; i < 14; i++)
		for (int k = i + 1; k < 18; k++) {
			double from = 0.13 * i, to = 0.13 * k, known = to < 1.5 ? to : 1.5;
			struct energy_sum sum = { 0 };
			energy_add(energy, 0, (int64_t)(from * 1e9), (int64_t)(to * 1e9), &sum);
			double joules = from < known ? integral(from, known) : 0;
			double covered = from < known ? known - from : 0;
			assert_true(fabs(sum.joules - joules) < 0.01);
			assert_true(fabs((double)sum.covered / 1e9 - covered) < 1e-6);
			assert_true(fabs((double)sum.all / 1e9 - (to - from)) < 1e-6);
		}
	energy_free(energy);
	run_free(run);
}

TEST(the_zone_is_found_and_named)
{
	static const struct {
		const char *hour, *zone;
	} zones[] = { { "6", "UTC-06:00" }, { "12", "UTC+00:00" }, { "21", "UTC+09:00" } };
	for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
		struct buffer samples = telemetry(HEADING, zones[i].hour, "");
		struct run *run = both(trace, &samples);
		const char *note = profile_metadata(run->ranks[0].profile, "telemetry");
		assert_non_null(strstr(note, zones[i].zone));
		assert_non_null(strstr(note, "4 values"));
		assert_int_equal(run->ranks[0].profile->counter_count, 5);
		run_free(run);
	}
}

TEST(samples_of_another_time_are_not_added)
{
	struct buffer samples = { 0 };
	buffer_puts(&samples, HEADING "2024/02/01 06:00:00.000, 90 W\n");
	struct run *run = both(trace, &samples);
	assert_non_null(strstr(profile_metadata(run->ranks[0].profile, "telemetry"),
			       "not added: taken at another time"));
	assert_int_equal(run->ranks[0].profile->counter_count, 0);
	run_free(run);
	buffer_puts(&samples, "# gpu pwr sm\n# Idx W %\n0 43 5\n");
	run = both(trace, &samples);
	assert_non_null(strstr(profile_metadata(run->ranks[0].profile, "telemetry"),
			       "not added: its clock is none"));
	run_free(run);
	samples = telemetry(HEADING, "6", "");
	run = both(DOCUMENT(KERNEL("a", "0", "1000000", "1")), &samples);
	assert_non_null(strstr(profile_metadata(run->ranks[0].profile, "telemetry"),
			       "the trace has no time of day"));
	run_free(run);
}

/* Samples of Unix time are at their place; of several GPUs each is on its own. */
TEST(unix_time_and_several_gpus)
{
	struct buffer samples = { 0 };
	buffer_puts(&samples, "timestamp,gpu,power_usage\n1704110400,0,100\n1704110400,1,50\n"
			      "1704110401,0,100\n1704110401,1,50\n1704110402,0,100\n");
	struct run *run = both(trace, &samples);
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	assert_rows(run, "counters", NULL, NULL, "device,name,value_count,mean_value",
		    "GPU0,power (W),3,100\nGPU1,power (W),2,50\n");
	/* GPU1 does no work of this trace */
	assert_true(fabs(cell(steps, 0, "energy_j") - 200) < 0.001);
	assert_true(fabs(cell(steps, 0, "energy_known_pct") - 100) < 0.001);
	assert_null(strstr(profile_metadata(run->ranks[0].profile, "telemetry"), "zone"));
	table_free(steps);
	run_free(run);
}

/* Between samples much further apart than others nothing is known. */
TEST(gaps_are_not_covered)
{
	struct buffer samples = { 0 };
	buffer_puts(&samples, "timestamp,gpu,power_usage\n");
	for (int i = 0; i < 8; i++)
		buffer_printf(&samples, "17041104%05.2f,0,100\n", 0.1 * i);
	buffer_puts(&samples, "1704110402.00,0,100\n");
	struct run *run = both(trace, &samples);
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	assert_true(fabs(cell(steps, 0, "energy_j") - 70) < 0.001);
	assert_true(fabs(cell(steps, 0, "energy_known_pct") - 35) < 0.001);
	table_free(steps);
	run_free(run);
}

/* A clock that drops while the GPU works is a finding, with the reason that was sampled. */
TEST(clocks_and_reasons_reach_the_advice)
{
	struct buffer samples = { 0 };
	static const char busy[] =
		"{\"schemaVersion\":1,\"baseTimeNanoseconds\":" BASE ",\"traceEvents\":["
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
		"\"tid\":1,\"ts\":0,\"dur\":2,\"args\":{\"correlation\":1}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"tid\":7,\"ts\":10,"
		"\"dur\":2000000,\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}}]}";
	buffer_puts(&samples,
		    "timestamp, clocks.current.sm [MHz], clocks_throttle_reasons.active\n");
	for (int i = 1; i < 20; i++)
		buffer_printf(&samples, "2024/01/01 12:00:%06.3f, %d MHz, 0x%016x\n", 0.1 * i,
			      i < 10 ? 1980 : 1400, i < 10 ? 0 : 0x20);
	struct run *run = both(busy, &samples);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	const char *text =
		table_text(advice, row_with(advice, "detector", "throttling"), "evidence");
	assert_non_null(strstr(text, "SM clock (MHz) is below 90 % of its highest in 52.6 %"));
	assert_non_null(strstr(text, "throttled by software thermal limit in 52.6 % of samples"));
	table_free(advice);
	run_free(run);
}
