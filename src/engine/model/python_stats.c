#include "model/python_stats.h"

#include "model/frame_name.h"

#include <math.h>

struct python_stats *python_stats_new(void)
{
	struct python_stats *stats = mem_zalloc(1, sizeof *stats);
	stats->unit_s = NAN;
	stats->keys = mem_zalloc(1, sizeof *stats->keys);
	frames_init(&stats->frames);
	return stats;
}

FREE_OBJECT(python_stats_free, struct python_stats,
	    OWN_IN(frames_clear, frames) OWN_BY(keyed_clear, keys) OWN(keys) OWN(functions)
		    OWN(callers) OWN(lines) OWN(splits) OWN(samples) OWN(track_calls) OWN(operators)
			    OWN(wholes) OWN(facts))

size_t python_stats_size(const struct python_stats *stats)
{
	return stats ? sizeof *stats + mem_rows(stats->functions, stats->function_count) +
			       mem_rows(stats->callers, stats->caller_count) +
			       mem_rows(stats->lines, stats->line_count) +
			       mem_rows(stats->splits, stats->split_count) +
			       mem_rows(stats->frames.frames, stats->frames.count) +
			       mem_rows(stats->samples, stats->sample_count) +
			       mem_rows(stats->operators, stats->operator_count) +
			       mem_rows(stats->facts, stats->fact_count)
		     : 0;
}

/* ---- functions ---- */

bool python_is_builtin_file(const char *file, size_t length)
{
	return length == strlen(PYTHON_BUILTIN_FILE) && !memcmp(file, PYTHON_BUILTIN_FILE, length);
}

static uint32_t function_add(struct python_stats *stats, const struct python_function *function)
{
	*mem_push(stats->functions, stats->function_count) = *function;
	return (uint32_t)stats->function_count - 1;
}

static const struct python_function blank_function = {
	.line = NO_VALUE,
	.calls = NO_VALUE,
	.primitive_calls = NO_VALUE,
	.self_s = NAN,
	.total_s = NAN,
	.memory_bytes = NAN,
	.mean_s = NAN,
	.split = NO_ROW,
	.is_named_only = true,
};

uint32_t python_function_find(struct python_stats *stats, uint32_t name, uint32_t file,
			      int64_t line, uint32_t section)
{
	const int64_t key[] = { file, name, line, section };
	uint32_t at = keyed_add(stats->keys, key, sizeof key);
	if (at < stats->function_count)
		return at;
	struct python_function function = blank_function;
	function.name = name;
	function.file = file;
	function.line = line;
	function.section = section;
	return function_add(stats, &function);
}

uint32_t python_function_of_label(struct python_stats *stats, struct intern *strings,
				  uint32_t label)
{
	uint32_t at = keyed_add(stats->keys, &label, sizeof label);
	if (at < stats->function_count)
		return at;
	struct frame_name parts;
	frame_name_split(&parts, INTERNED(strings, label));
	struct python_function function = blank_function;
	function.label = label;
	function.name = intern_add(strings, parts.function.text, parts.function.length);
	function.file = intern_add(strings, parts.file.text, parts.file.length);
	function.line = parts.line;
	return function_add(stats, &function);
}

const char *python_unit(const struct python_stats *stats)
{
	return stats->sample_unit == SAMPLE_NS      ? "ns"
	       : stats->sample_unit == SAMPLE_BYTES ? "bytes"
						    : "count";
}

bool python_function_exists(const struct python_stats *stats, uint32_t function)
{
	return function == NO_ROW || (stats && function < stats->function_count);
}

/* ---- rows ---- */

struct python_line *python_line_add(struct python_stats *stats)
{
	struct python_line *line = mem_push(stats->lines, stats->line_count);
	SET_UNKNOWN(line,
		    UNKNOWN(function) UNKNOWN(line) UNKNOWN(hits) UNKNOWN(ticks) UNKNOWN(self_s)
			    UNKNOWN(memory_bytes) UNKNOWN(level_bytes) UNKNOWN(split));
	return line;
}

void python_sample_add(struct python_stats *stats, const struct python_sample *sample)
{
	if (sample->value <= 0 || sample->calls < 0 ||
	    __builtin_add_overflow(stats->sample_sum, sample->value, &stats->sample_sum) ||
	    __builtin_add_overflow(stats->sample_calls, sample->calls, &stats->sample_calls))
		return;
	*mem_push(stats->samples, stats->sample_count) = *sample;
	if (sample->track == NO_ROW)
		return;
	mem_grow(stats->track_calls, (size_t)sample->track + 1);
	while (stats->track_count <= sample->track)
		stats->track_calls[stats->track_count++] = 0;
	stats->track_calls[sample->track] += sample->calls;
}

int64_t python_track_samples(const struct python_stats *stats, uint32_t track)
{
	return stats && track < stats->track_count ? stats->track_calls[track] : 0;
}

struct python_operator *python_operator_add(struct python_stats *stats)
{
	struct python_operator *row = mem_push(stats->operators, stats->operator_count);
	SET_UNKNOWN(row, UNKNOWN(calls) UNKNOWN(cpu_self_s) UNKNOWN(cpu_total_s) UNKNOWN(gpu_self_s)
				 UNKNOWN(gpu_total_s) UNKNOWN(gpu_min_s) UNKNOWN(gpu_max_s)
					 UNKNOWN(gpu_deviation_s) UNKNOWN(cpu_bytes)
						 UNKNOWN(cpu_self_bytes) UNKNOWN(gpu_bytes)
							 UNKNOWN(gpu_self_bytes) UNKNOWN(flops));
	return row;
}

double python_whole_of(const struct python_stats *stats, uint32_t section)
{
	for (size_t i = stats->whole_count; i-- > 0;)
		if (stats->wholes[i].section == section)
			return stats->wholes[i].total_s;
	return NAN;
}

void python_fact_number(struct python_stats *stats, const char *section, const char *metric,
			int64_t number, const char *unit)
{
	*mem_push(stats->facts, stats->fact_count) =
		(struct python_fact){ section, metric, unit, 0, number };
}

double python_fact_sum(const struct python_stats *stats, const char *metric)
{
	double sum = 0;
	for_each (fact, stats->facts, stats->fact_count)
		sum += strcmp(fact->metric, metric) == 0 ? (double)fact->number : 0;
	return sum;
}

double python_kernel_ns(const struct python_stats *stats)
{
	double kernels = 0, copies = 0;
	for_each (row, stats->operators, stats->operator_count)
		if (row->gpu_self_s > 0 && (row->kind == ROW_KERNEL || row->kind == ROW_COPY))
			*(row->kind == ROW_KERNEL ? &kernels : &copies) += row->gpu_self_s * 1e9;
	return fmax(kernels, python_fact_sum(stats, PYTHON_GPU_SELF) - copies);
}

void python_fact_text(struct python_stats *stats, const char *section, const char *metric,
		      uint32_t text)
{
	*mem_push(stats->facts, stats->fact_count) =
		(struct python_fact){ section, metric, "", text, 0 };
}
