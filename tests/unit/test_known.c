/*
 * Recorded traces: no figure of the overview lacks its coverage where it is below 95 %. Coverage is
 * computed here from the launches.
 */
#include "trace_case.h"
#include "file_case.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 200 * 1024 }; /* bytes of a file */

/*
 * Figures that are known for some kernels only, the fact that says for how many, and the column of
 * launches that tells which.
 */
static const struct figure {
	const char *section, *metric, *coverage, *column;
} figures[] = {
	{ "device", "tensor_core_pct", "tensor_core_known_pct", "tensor_core" },
	{ "device", "sm_efficiency_pct", "sm_efficiency_known_pct", "grid" },
	{ "device", "occupancy_pct", "occupancy_known_pct", NULL },
	{ "work", "flops", "flops_known_pct", "flops" },
	{ "work", "flops_per_s", "flops_known_pct", "flops" },
	{ "work", "bytes", "bytes_known_pct", "bytes" },
};
enum { FIGURES = sizeof figures / sizeof *figures };

/* Facts of these sections that are known as a whole, or are coverages. */
static const char *const whole[] = {
	"name",
	"memory_bytes",
	"compute_capability",
	"sm_count",
	"busy_pct",
	"busy_capture_pct",
	"gpu_util_pct",
	"kernel_ns",
	"peak_memory_bytes",
	"tensor_core_known_pct",
	"sm_efficiency_known_pct",
	"occupancy_known_pct",
	"flops_known_pct",
	"bytes_known_pct",
};

/* Kernel time, and that with a value in COLUMN, of a device or of all (-1). */
static double known_pct(const struct table *launches, const char *column, int device)
{
	double known = 0, all = 0;
	for (size_t row = 0; row < launches->rows; row++) {
		struct value on = table_cell(launches, row, "device");
		if (strcmp(table_cell(launches, row, "kind").text, "kernel") != 0 ||
		    (device >= 0 && on.kind == VALUE_TEXT && atoi(on.text + 3) != device))
			continue;
		double dur = (double)table_number(launches, row, "dur_ns");
		all += dur;
		known += table_cell(launches, row, column).kind == VALUE_MISSING ? 0 : dur;
	}
	return all > 0 ? 100 * known / all : 100;
}

static struct value fact_of(const struct table *overview, const char *section, const char *metric)
{
	for (size_t row = 0; row < overview->rows; row++)
		if (!strcmp(table_cell(overview, row, "section").text, section) &&
		    !strcmp(table_cell(overview, row, "metric").text, metric))
			return table_cell(overview, row, "value");
	return value_missing();
}

static bool is_whole(const char *metric)
{
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (!strcmp(metric, whole[i]))
			return true;
	return false;
}

static const struct figure *figure_of(const char *section, const char *metric)
{
	for (size_t i = 0; i < FIGURES; i++)
		if (!strncmp(section, figures[i].section, strlen(figures[i].section)) &&
		    !strcmp(metric, figures[i].metric))
			return &figures[i];
	return NULL;
}

/* The coverage is stated, and is that of the launches unless a window limits it. */
static void check_figure(const char *path, const struct table *overview,
			 const struct table *launches, const char *section,
			 const struct figure *figure)
{
	struct value stated = fact_of(overview, section, figure->coverage);
	bool device = !strncmp(section, "device", 6);
	if (!figure->column)
		return;
	double known = known_pct(launches, figure->column, device ? atoi(section + 7) : -1);
	if (known < 95 && stated.kind == VALUE_MISSING)
		fail_msg("%s: %s %s is known of %.1f %% of kernel time and does not say so", path,
			 section, figure->metric, known);
	bool limited = !strcmp(figure->column, "grid");
	if (stated.kind == VALUE_REAL && !limited && fabs(stated.real - known) > 1e-6)
		fail_msg("%s: %s %s %.6f, but %.6f of the launches", path, section,
			 figure->coverage, stated.real, known);
}

static size_t checked;

static void check_overview(const char *path, const struct run *run)
{
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	for (size_t row = 0; row < overview->rows; row++) {
		const char *section = table_cell(overview, row, "section").text;
		const char *metric = table_cell(overview, row, "metric").text;
		const struct figure *figure = figure_of(section, metric);
		bool partly = !strncmp(section, "device ", 7) || !strcmp(section, "work");
		if (partly && !figure && !is_whole(metric))
			fail_msg("%s: is %s %s known as a whole?", path, section, metric);
		if (!figure || table_cell(overview, row, "value").kind == VALUE_MISSING)
			continue;
		check_figure(path, overview, launches, section, figure);
		checked++;
	}
	table_free(overview);
	table_free(launches);
}

static int check_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	if (type != FTW_F || status->st_size > LARGEST)
		return 0;
	struct run *run = run_open(&path, 1, NULL, NULL, NULL);
	if (run && run->rank_count == 1 && run->ranks[0].profile->activities)
		check_overview(path, run);
	run_free(run);
	return 0;
}

TEST(no_figure_lacks_its_coverage)
{
	static const char *const folders[] = { "kineto", "nsys", "nvprof" };
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (corpus_path(folders[i]))
			nftw(corpus_path(folders[i]), check_one, 16, FTW_PHYS);
	if (!checked)
		skip();
	print_message("%zu figures\n", checked);
}

/* Decoding with Triton's products: the library's 12 % of kernel time are no Tensor Core share. */
TEST(a_serving_trace_has_no_tensor_core_share)
{
	static const char trace[] =
		"kineto/tracelens/inference/vllm_decode_full/graph_execution.json.gz";
	const char *path = corpus_path(trace);
	if (!path)
		skip();
	struct run *run = run_open(&path, 1, NULL, NULL, NULL);
	assert_non_null(run);
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	struct table *kernels = trace_view(run, "kernels", NULL, NULL);
	struct value known = fact_of(overview, "device 2", "tensor_core_known_pct");
	assert_int_equal(fact_of(overview, "device 2", "tensor_core_pct").kind, VALUE_MISSING);
	assert_int_equal(known.kind, VALUE_REAL);
	assert_true(known.real > 25 && known.real < 30);
	for (size_t row = 0; row < kernels->rows; row++)
		if (strstr(table_cell(kernels, row, "name").text, "_matmul_ogs_"))
			assert_int_equal(table_cell(kernels, row, "tensor_core").kind,
					 VALUE_MISSING);
	table_free(overview);
	table_free(kernels);
	run_free(run);
}
