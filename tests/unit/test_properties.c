/* Invariants of all profiles, checked on generated runs of several kinds. */
#include "trace_case.h"

#include "derived/intervals.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/binary_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const runs[] = { "--seed 1",
				    "--seed 2 --steps 5",
				    "--seed 3 --layers 1 --steps 1",
				    "--seed 4 --slow layer2:9",
				    "--seed 5 --no-modules --stacks 0",
				    "--seed 6 --no-shapes --stacks 30",
				    "--seed 7 --rank 1 --world 3",
				    "--seed 8 --layers 20 --stacks 2 --no-modules" };
enum { RUNS = sizeof runs / sizeof *runs };

static struct run *opened[RUNS];

static struct run *open_generated(const char *options)
{
	char path[] = "properties-XXXXXX", command[256];
	const char *paths[] = { path };
	struct error error = { 0 };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof command, "./tracegen %s -o %s", options, path);
	assert_int_equal(system(command), 0);
	struct run *run = run_open(paths, 1, NULL, NULL, &error);
	unlink(path);
	if (!run)
		fail_msg("%s: %s", options, error.message);
	return run;
}

static int open_all(void **state)
{
	for (int i = 0; i < RUNS; i++)
		opened[i] = open_generated(runs[i]);
	return 0;
}

static int close_all(void **state)
{
	for (int i = 0; i < RUNS; i++)
		run_free(opened[i]);
	return 0;
}

static int64_t sum(const struct table *table, const char *id)
{
	int64_t total = 0;

	for (size_t row = 0; row < table->rows; row++)
		total += table_number(table, row, id);
	return total;
}

static const struct profile *profile_of(int i)
{
	return opened[i]->ranks[0].profile;
}

static bool is_work(const struct profile *profile, uint32_t activity)
{
	return profile->activity_kind[activity] != ACTIVITY_SYNC;
}

static int64_t device_time(const struct profile *profile, bool kernels_only)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < profile->activities; i++)
		if (kernels_only ? profile->activity_kind[i] == ACTIVITY_KERNEL
				 : is_work(profile, i))
			total += profile->activity_dur[i];
	return total;
}

/* ---- invariants ---- */

TEST(generated_runs_are_complete)
{
	for (int i = 0; i < RUNS; i++) {
		const struct profile *profile = profile_of(i);
		assert_int_equal(damage_count(profile, NULL), 0);
		for (uint32_t k = 0; k < profile->activities; k++)
			assert_true(profile->activity_launch[k] != NO_ROW);
	}
}

static void assert_parts_sum(const struct table *steps, const char *const *parts, size_t count)
{
	assert_true(steps->rows >= 1);
	for (size_t row = 0; row < steps->rows; row++) {
		int64_t total = 0;
		for (size_t i = 0; i < count; i++) {
			int64_t ns = table_number(steps, row, parts[i]);
			assert_true(ns >= 0);
			total += ns;
		}
		assert_int_equal(total, table_number(steps, row, "dur_ns"));
	}
}

TEST(both_breakdowns_sum_to_the_step)
{
	static const char *const classes[] = { "kernel_ns",        "memcpy_ns",  "memset_ns",
					       "communication_ns", "runtime_ns", "dataloader_ns",
					       "cpu_exec_ns",      "other_ns" };
	static const char *const causes[] = {
		"compute_ns",         "compute_overlapped_ns", "exposed_communication_ns",
		"exposed_copy_ns",    "idle_launch_ns",        "idle_sync_ns",
		"idle_dataloader_ns", "idle_allocator_ns",     "idle_compile_ns",
		"idle_dependency_ns", "idle_overhead_ns",      "idle_host_ns",
		"idle_unknown_ns",    "idle_outside_ns",
	};

	for (int i = 0; i < RUNS; i++) {
		struct table *steps = trace_view(opened[i], "steps", NULL, NULL);
		assert_parts_sum(steps, classes, sizeof classes / sizeof *classes);
		assert_parts_sum(steps, causes, sizeof causes / sizeof *causes);
		for (size_t row = 0; row < steps->rows; row++) /* both agree */
			assert_int_equal(table_number(steps, row, "kernel_ns"),
					 table_number(steps, row, "compute_ns") +
						 table_number(steps, row, "compute_overlapped_ns"));
		table_free(steps);
	}
}

TEST(percentages_are_in_range)
{
	for (int i = 0; i < RUNS; i++) {
		for (size_t v = 0; view_at(v); v++) {
			struct table *table = trace_view(opened[i], view_at(v)->name, NULL, NULL);
			for (size_t c = 0; c < table->columns; c++) {
				if (table->column[c]->unit != UNIT_PERCENT)
					continue;
				for (size_t row = 0; row < table->rows; row++) {
					struct value value = table_value(table, row, c);
					double percent = value.kind == VALUE_INT
								 ? (double)value.integer
								 : value.real;
					if (value.kind != VALUE_MISSING &&
					    !(percent >= 0 && percent <= 100 + 1e-9))
						fail_msg("%s, row %zu: %s is %f", view_at(v)->name,
							 row, table->column[c]->id, percent);
				}
			}
			table_free(table);
		}
	}
}

/* The time-weighted mean of the buckets equals the overview's utilization. */
TEST(utilization_averages_to_the_overview)
{
	static const char *const groups[] = { "auto", "10", "1000", "10000" };

	for (int i = 0; i < RUNS; i++) {
		struct table *overview = trace_view(opened[i], "overview", NULL, NULL);
		for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
			struct table *buckets =
				trace_view(opened[i], "utilization", NULL, groups[g]);
			assert_in_range(buckets->rows, 1, g ? (size_t)atol(groups[g]) : 100);
			for (const char *const *id =
				     (const char *const[]){ "gpu_util_pct", "sm_efficiency_pct",
							    NULL };
			     *id; id++) {
				double sum = 0, dur = 0;
				for (size_t row = 0; row < buckets->rows; row++) {
					double ns = (double)table_number(buckets, row, "dur_ns");
					sum += ns * table_cell(buckets, row, *id).real;
					dur += ns;
				}
				size_t row = 0;
				while (strcmp(table_cell(overview, row, "metric").text, *id))
					row++;
				assert_float_equal(sum / dur,
						   table_cell(overview, row, "value").real, 1e-9);
			}
			table_free(buckets);
		}
		table_free(overview);
	}
}

TEST(root_has_all_device_time)
{
	for (int i = 0; i < RUNS; i++) {
		struct table *layers = trace_view(opened[i], "layers", NULL, NULL);
		int64_t roots = 0;
		for (size_t row = 0; row < layers->rows; row++)
			if (table_depth(layers, row) == 0)
				roots += table_number(layers, row, "gpu_total_ns");
		assert_int_equal(roots, device_time(profile_of(i), false));
		table_free(layers);
	}
}

/* Grouped by pass, each pass has the time of its launches. */
TEST(passes_sum_their_launches)
{
	for (int i = 0; i < RUNS; i++) {
		struct table *layers = trace_view(opened[i], "layers", NULL, "passes");
		struct table *launches = trace_view(opened[i], "launches", NULL, NULL);
		int64_t forward = 0, backward = 0, shown[2] = { 0, 0 };
		for (size_t row = 0; row < launches->rows; row++) {
			struct value pass = table_cell(launches, row, "pass");
			int64_t ns = table_number(launches, row, "dur_ns");
			if (!strcmp(table_cell(launches, row, "kind").text, "sync"))
				continue;
			*(pass.kind == VALUE_TEXT && !strcmp(pass.text, "bwd") ? &backward
									       : &forward) += ns;
		}
		for (size_t row = 0; row < layers->rows; row++)
			if (!strcmp(table_cell(layers, row, "kind").text, "pass"))
				shown[!strcmp(table_cell(layers, row, "name").text, "backward")] =
					table_number(layers, row, "gpu_total_ns");
		assert_int_equal(shown[0], forward);
		assert_int_equal(shown[1], backward);
		assert_true(backward > 0 || i > 0);
		table_free(layers);
		table_free(launches);
	}
}

/* Kernel rows below a layer make up its own time; the other child rows are added. */
TEST(layer_is_self_plus_children)
{
	for (int i = 0; i < 2 * RUNS; i++) {
		struct table *layers =
			trace_view(opened[i / 2], "layers", NULL, i % 2 ? "passes" : NULL);
		for (size_t row = 0; row < layers->rows; row++) {
			uint32_t depth = table_depth(layers, row);
			int64_t self = table_number(layers, row, "gpu_self_ns"), launched = 0,
				parts = 0;
			bool leaf =
				row + 1 == layers->rows || table_depth(layers, row + 1) <= depth;
			for (size_t below = row + 1;
			     below < layers->rows && table_depth(layers, below) > depth; below++) {
				const char *kind = table_cell(layers, below, "kind").text;
				int64_t ns = table_number(layers, below, "gpu_total_ns");
				if (table_depth(layers, below) > depth + 1)
					continue;
				if (!strcmp(kind, "kernel") || !strcmp(kind, "memcpy") ||
				    !strcmp(kind, "memset"))
					launched += ns;
				else
					parts += ns;
			}
			assert_int_equal(self + parts, table_number(layers, row, "gpu_total_ns"));
			assert_true(leaf || launched == self);
		}
		table_free(layers);
	}
}

TEST(operators_sum_their_launches)
{
	static const char *const groups[] = { "name", "shape", "stack" };

	for (int i = 0; i < RUNS; i++) {
		for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
			struct table *table = trace_view(opened[i], "operators", NULL, groups[g]);
			/* every generated launch is inside an operator */
			assert_int_equal(sum(table, "gpu_self_ns"),
					 device_time(profile_of(i), false));
			for (size_t row = 0; row < table->rows; row++) {
				assert_true(table_number(table, row, "gpu_self_ns") <=
					    table_number(table, row, "gpu_total_ns"));
				assert_true(table_number(table, row, "cpu_self_ns") <=
					    table_number(table, row, "cpu_total_ns"));
				assert_true(table_number(table, row, "cpu_self_ns") >= 0);
				assert_true(table_number(table, row, "calls") > 0);
			}
			table_free(table);
		}
	}
}

TEST(groupings_have_equal_sums)
{
	static const char *const ids[] = { "calls", "cpu_self_ns", "gpu_self_ns", "kernels" };

	for (int i = 0; i < RUNS; i++) {
		struct table *by_name = trace_view(opened[i], "operators", NULL, "name");
		struct table *by_shape = trace_view(opened[i], "operators", NULL, "shape");
		for (size_t c = 0; c < sizeof ids / sizeof *ids; c++)
			assert_int_equal(sum(by_name, ids[c]), sum(by_shape, ids[c]));
		assert_true(by_shape->rows >= by_name->rows);
		table_free(by_name);
		table_free(by_shape);
	}
}

TEST(kernels_have_all_kernel_time)
{
	static const char *const groups[] = { "name", "properties" };

	for (int i = 0; i < RUNS; i++) {
		for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
			struct table *table = trace_view(opened[i], "kernels", NULL, groups[g]);
			assert_int_equal(sum(table, "total_ns"), device_time(profile_of(i), true));
			for (size_t row = 0; row < table->rows; row++) {
				int64_t calls = table_number(table, row, "calls");
				int64_t total = table_number(table, row, "total_ns");
				assert_true(table_number(table, row, "min_ns") * calls <= total);
				assert_true(table_number(table, row, "max_ns") * calls >= total);
			}
			table_free(table);
		}
	}
}

TEST(every_activity_is_a_launch)
{
	for (int i = 0; i < RUNS; i++) {
		struct table *table = trace_view(opened[i], "launches", NULL, NULL);
		assert_int_equal(table->rows, profile_of(i)->activities);
		for (size_t row = 0; row < table->rows; row++) {
			/* no kernel starts before its launch call */
			struct value delay = table_cell(table, row, "launch_delay_ns");
			assert_true(delay.kind == VALUE_MISSING || delay.integer > 0);
		}
		table_free(table);
	}
}

TEST(steps_partition_kernels)
{
	for (int i = 0; i < RUNS; i++) {
		struct table *steps = trace_view(opened[i], "steps", NULL, NULL);
		int64_t calls = 0, total = 0;
		for (size_t row = 0; row < steps->rows; row++) {
			struct scope scope;
			scope_init(&scope);
			scope.has_steps = true;
			scope.step_first = scope.step_last = table_number(steps, row, "step");
			struct table *kernels = trace_view(opened[i], "kernels", &scope, NULL);
			calls += sum(kernels, "calls");
			total += sum(kernels, "total_ns");
			table_free(kernels);
			scope_clear(&scope);
		}
		struct table *whole = trace_view(opened[i], "kernels", NULL, NULL);
		assert_int_equal(calls, sum(whole, "calls"));
		assert_int_equal(total, sum(whole, "total_ns"));
		table_free(whole);
		table_free(steps);
	}
}

TEST(filter_selects_subset)
{
	for (int i = 0; i < RUNS; i++) {
		struct scope scope;
		struct error error = { 0 };
		scope_init(&scope);
		assert_true(scope_set(&scope, "filter", "conv", &error));
		struct table *some = trace_view(opened[i], "operators", &scope, NULL);
		struct table *all = trace_view(opened[i], "operators", NULL, NULL);
		assert_in_range(some->rows, 1, all->rows - 1);
		assert_true(sum(some, "gpu_self_ns") < sum(all, "gpu_self_ns"));
		table_free(some);
		table_free(all);
		scope_clear(&scope);
	}
}

/* Thread time is operators' self time plus runtime calls. */
TEST(host_time_adds_up)
{
	for (int i = 0; i < RUNS; i++) {
		const struct profile *profile = profile_of(i);
		struct table *table = trace_view(opened[i], "operators", NULL, "name");
		int64_t outermost = 0, runtime = 0;
		for (uint32_t span = 0; span < profile->spans; span++) {
			uint32_t above = profile->span_parent[span];
			while (above != NO_ROW && profile->span_kind[above] != SPAN_OPERATOR)
				above = profile->span_parent[above];
			if (profile->span_kind[span] == SPAN_OPERATOR && above == NO_ROW)
				outermost += profile->span_dur[span];
			if (profile->span_kind[span] == SPAN_RUNTIME && above != NO_ROW)
				runtime += profile->span_dur[span];
		}
		assert_int_equal(sum(table, "cpu_self_ns") + runtime, outermost);
		table_free(table);
	}
}

TEST(links_connect_equal_sequence_numbers)
{
	for (int i = 0; i < RUNS; i++) {
		const struct profile *profile = profile_of(i);
		struct table *links = trace_view(opened[i], "links", NULL, NULL);
		assert_true(links->rows > 10);
		for (size_t row = 0; row < links->rows; row++) {
			struct ref ref = table_ref(links, row);
			assert_int_equal(ref.kind, REF_LINK);
			const struct op_ids *forward = profile_op_ids(profile, ref.a);
			const struct op_ids *backward = profile_op_ids(profile, ref.b);
			assert_int_equal(forward->sequence, backward->sequence);
			assert_true(profile->span_start[ref.a] < profile->span_start[ref.b]);
		}
		table_free(links);
	}
}

/*
 * Search matches each distinct text once and skips columns of numbers that cannot match; it finds
 * the same rows as matching every cell.
 */
TEST(search_finds_every_match)
{
	static const char *const views[] = { "operators", "launches", "calls", "steps", "layers" };
	static const char *const words[] = {
		"conv", "12", "ms", "relu|[0-9]ns", ".", "^$", "GEMM"
	};
	int columns[VIEW_COLUMNS_MAX];
	size_t hits;
	for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
		struct table *table = trace_view(opened[0], views[v], NULL, NULL);
		for (size_t i = 0; i < table->columns; i++)
			columns[i] = (int)i;
		for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
			struct pattern *pattern = pattern_new(words[w], NULL);
			uint32_t *found = table_matches(table, pattern, columns, table->columns,
							NULL, 0, &hits, NULL, NULL);
			size_t at = 0;
			for (size_t row = 0; row < table->rows; row++)
				if (table_row_matches(table, row, columns, table->columns, pattern))
					assert_true(at < hits && found[at++] == row);
			assert_int_equal(at, hits);
			mem_free(found);
			pattern_free(pattern);
		}
		table_free(table);
	}
}

/* Compared with marks on a short line. */
TEST(merged_intervals_cover_same_time)
{
	enum { LINE = 400 };
	uint32_t seed = 1;
	for (int round = 0; round < 200; round++) {
		struct intervals set = { 0 };
		char line[LINE] = { 0 };
		int count = round % 40;
		for (int i = 0; i < count; i++) {
			seed = seed * 1664525 + 1013904223;
			int start = (int)(seed >> 8) % (LINE - 30), length = (int)(seed >> 20) % 30;
			intervals_add(&set, start, start + length);
			memset(line + start, 1, (size_t)length);
		}
		intervals_merge(&set);
		int64_t covered = 0;
		for (int i = 0; i < LINE; i++) {
			size_t near = (size_t)i * 7 % (set.count + 1);
			assert_int_equal(intervals_length_in(&set, i, i + 1), line[i]);
			assert_int_equal(intervals_length_near(&set, i, i + 1, &near), line[i]);
			covered += line[i];
		}
		assert_int_equal(intervals_length(&set), covered);
		for (size_t i = 1; i < set.count; i++)
			assert_true(set.item[i - 1].end < set.item[i].start);
		intervals_free(&set);
	}
}

/* Which instants of a short line does the set cover? Its intervals are merged. */
static void mark_line(const struct intervals *set, char line[500])
{
	memset(line, 0, 500);
	for (size_t i = 0; i < set->count; i++) {
		assert_true(!i || set->item[i - 1].end < set->item[i].start);
		for (int64_t at = set->item[i].start; at < set->item[i].end; at++)
			line[at] = 1;
	}
}

TEST(operations_on_intervals_are_those_on_instants)
{
	uint32_t seed = 3;
	for (int round = 0; round < 100; round++) {
		struct intervals a = { 0 }, b = { 0 }, common = { 0 }, any = { 0 }, rest = { 0 };
		struct intervals moved = { 0 };
		char in_a[500], in_b[500], line[500];
		for (int i = 0; i < round; i++) {
			seed = seed * 1664525 + 1013904223;
			int start = (int)(seed >> 8) % 400, length = (int)(seed >> 20) % 40;
			intervals_add(i % 3 ? &a : &b, start, start + length / (1 + i % 3));
		}
		intervals_merge(&a);
		intervals_merge(&b);
		mark_line(&a, in_a);
		mark_line(&b, in_b);
		intervals_intersect(&a, &b, &common);
		intervals_unite(&a, &b, &any);
		intervals_subtract(&a, &b, &rest);
		mark_line(&common, line);
		for (int i = 0; i < 500; i++)
			assert_int_equal(line[i], in_a[i] && in_b[i]);
		mark_line(&any, line);
		for (int i = 0; i < 500; i++)
			assert_int_equal(line[i], in_a[i] || in_b[i]);
		mark_line(&rest, line);
		for (int i = 0; i < 500; i++)
			assert_int_equal(line[i], in_a[i] && !in_b[i]);
		intervals_move(&a, &b, &moved);
		assert_int_equal(moved.count, common.count);
		assert_int_equal(a.count, rest.count);
		mark_line(&a, line);
		for (int i = 0; i < 500; i++)
			assert_int_equal(line[i], in_a[i] && !in_b[i]);
		intervals_free(&a);
		intervals_free(&b);
		intervals_free(&common);
		intervals_free(&any);
		intervals_free(&rest);
		intervals_free(&moved);
	}
}

/* A set is cut into what lies in a range and what lies outside. */
TEST(cut_sets_cover_the_same_time)
{
	enum { LINE = 200 };
	uint32_t seed = 3;
	for (int round = 0; round < 300; round++) {
		struct intervals set = { 0 }, outside = { 0 };
		char line[LINE] = { 0 };
		seed = seed * 1664525 + 1013904223;
		int from = (int)(seed >> 9) % LINE, to = (int)(seed >> 20) % LINE;
		for (int i = 0; i < round % 20; i++) {
			seed = seed * 1664525 + 1013904223;
			int start = (int)(seed >> 8) % (LINE - 20), length = (int)(seed >> 20) % 20;
			intervals_add(&set, start, start + length);
			memset(line + start, 1, (size_t)length);
		}
		intervals_merge(&set);
		intervals_cut(&set, from, to, &outside);
		for (int i = 0; i < LINE; i++) {
			bool within = i >= from && i < to;
			assert_int_equal(intervals_length_in(&set, i, i + 1), within && line[i]);
			assert_int_equal(intervals_length_in(&outside, i, i + 1),
					 !within && line[i]);
		}
		intervals_free(&set);
		intervals_free(&outside);
	}
}

/* Whatever the guess, the place found is the first value that is not below. */
TEST(search_finds_the_same_from_every_guess)
{
	static const int64_t values[] = { -9, -9, 0, 3, 3, 3, 4, 10, 11, 50, 51, 51 };
	enum { COUNT = sizeof values / sizeof *values };
	for (size_t count = 0; count <= COUNT; count++)
		for (int64_t wanted = -11; wanted < 54; wanted++) {
			size_t first = 0;
			while (first < count && values[first] < wanted)
				first++;
			for (size_t near = 0; near <= count; near++)
				assert_int_equal(
					search_near(ASCENDING_ARRAY(values, count), wanted, near),
					first);
		}
}

TEST_PROGRAM(open_all, close_all)
