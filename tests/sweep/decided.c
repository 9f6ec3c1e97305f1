/*
 * All findings of a profile, and of it with single durations longer or shorter, other numbers, with
 * values of other events or without a kind of data: both sides of what decides them.
 */
#include "rows.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "model/scope.h"
#include "session/load.h"
#include "table/view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All cells of all findings, also of checks that passed or lack data. */
static void print_findings(FILE *out, const char *file)
{
	struct error error = { 0 };
	struct buffer text = { 0 };
	struct scope scope;
	struct run *run = run_open(&file, 1, NULL, NULL, &error);
	if (!run) {
		fprintf(out, "%s\n", error.message);
		return;
	}
	scope_init(&scope);
	struct table *advice = view_build(view_find("advice"), run, &scope, "all", NULL, NULL);
	for (size_t row = 0; advice && row < advice->rows; row++) {
		for (size_t column = 0; column < advice->columns; column++) {
			table_format(&text, advice, row, column, true);
			buffer_putc(&text, '|');
		}
		buffer_putc(&text, '\n');
	}
	fprintf(out, "%s", buffer_text(&text));
	buffer_free(&text);
	table_free(advice);
	scope_clear(&scope);
	run_free(run);
}

/* Where the value of the next duration after AT begins; NULL: there is none. */
static const char *next_duration(const char *at)
{
	static const char key[] = "\"dur\":";
	at = strstr(at, key);
	return at ? at + sizeof key - 1 : NULL;
}

static void print_changed(FILE *out, const char *title, const struct buffer *text)
{
	fprintf(out, "== %s\n", title);
	sweep_write("altered", text->data, text->length);
	print_findings(out, "altered");
	unlink("altered");
}

/*
 * Durations all over the trace, one at a time, become longer or shorter: a little, which crosses
 * the limits of detectors that are near, or much.
 */
static void print_durations(FILE *out, const char *bytes, size_t length)
{
	enum { VARIANTS = 7 };
	static const double factors[VARIANTS] = { 1.08, 0.5, 0.92, 3, 0, 1.3, 0.7 };
	size_t count = 0;
	for (const char *at = bytes; (at = next_duration(at));)
		count++;
	for (size_t i = 0; i < VARIANTS && i < count; i++) {
		size_t number = count < VARIANTS ? i : i * count / VARIANTS;
		const char *at = next_duration(bytes);
		for (size_t left = number; left; left--)
			at = next_duration(at);
		char changed[40], title[100], *end;
		snprintf(changed, sizeof changed, "%.3f", strtod(at, &end) * factors[i]);
		snprintf(title, sizeof title, "duration %zu: %s", number, changed);
		struct buffer text = { 0 };
		sweep_alter(&text, bytes, length, (size_t)(at - bytes), (size_t)(end - at), changed,
			    strlen(changed));
		print_changed(out, title, &text);
		buffer_free(&text);
	}
}

/* Numbers all over the trace, one at a time, become others. */
static void print_numbers(FILE *out, const char *bytes, size_t length)
{
	enum { VARIANTS = 5 };
	static const double factors[] = { 2, 0, 10, 0.5, 1.1, 100, 0.9 };
	size_t place = 0, count = sweep_find_part(bytes, length, false, SIZE_MAX, &place);
	for (size_t i = 0; i < VARIANTS && i < count; i++) {
		size_t number = count < VARIANTS ? i : i * count / VARIANTS;
		char changed[40], title[100];
		sweep_find_part(bytes, length, false, number, &place);
		double value = strtod(bytes + place, NULL);
		snprintf(changed, sizeof changed, "%.0f",
			 value * factors[(i + length) % (sizeof factors / sizeof *factors)]);
		snprintf(title, sizeof title, "number %zu: %s", number, changed);
		struct buffer text = { 0 };
		sweep_alter(&text, bytes, length, place, sweep_part_at(bytes, length, place, false),
			    changed, strlen(changed));
		print_changed(out, title, &text);
		buffer_free(&text);
	}
}

/* Some events have values that others have: of some traces also all views of one of these. */
static void print_exchanged(FILE *out, const char *bytes, size_t length)
{
	enum { VARIANTS = 2, PERCENT = 8, ALL_OF = 8 };
	for (uint64_t i = 0; i < VARIANTS; i++) {
		char title[40];
		struct buffer text = { 0 };
		sweep_exchange(&text, bytes, length, i + length, PERCENT);
		snprintf(title, sizeof title, "exchanged %d", (int)i);
		print_changed(out, title, &text);
		sweep_write("altered", text.data, text.length);
		if (i == 0 && length % ALL_OF == 0)
			sweep_print_read(out, "altered", true);
		unlink("altered");
		buffer_free(&text);
	}
}

/* What some recordings lack, or have in its place. */
static void print_without(FILE *out, const char *bytes)
{
	static const char *const words[][2] = {
		{ "deviceProperties", "properties" },
		{ "Input Dims", "Dims" },
		{ "\"correlation\"", "\"number\"" },
		{ "python_function", "user_annotation" },
		{ "In msg nelems", "Elements" },
		{ "allreduce", "reduce_scatter" },
		{ "ProfilerStep#", "Part " },
		{ "cuda_runtime", "cpu_op" },
		{ "Pinned", "Pageable" },
		{ "[\"c10::Half\"", "[\"\"" },
		{ "cpu_op", "user_annotation" },
		{ "\"grid\"", "\"size\"" },
		{ "\"float\"", "\"double\"" },
		{ "cudaLaunchKernel", "cudaGraphLaunch" },
		{ "\"cuda", "\"hip" },
		{ "HtoD", "DtoH" },
		{ "\"kernel\"", "\"gpu_memset\"" },
		{ "cudaStreamSynchronize", "cudaMalloc" },
		{ "forward", "backward" },
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *from = bytes, *at;
		struct buffer text = { 0 };
		for (; (at = strstr(from, words[i][0])); from = at + strlen(words[i][0])) {
			buffer_add(&text, from, (size_t)(at - from));
			buffer_puts(&text, words[i][1]);
		}
		buffer_puts(&text, from);
		if (from != bytes)
			print_changed(out, words[i][1], &text);
		buffer_free(&text);
	}
}

/* With as many functions of Python as there are events, which slows the host down. */
static void print_with_stacks(FILE *out, const char *bytes)
{
	static const char events[] = "\"traceEvents\":", phase[] = "\"ph\":";
	const char *list = strstr(bytes, events), *first = list ? strchr(list, '{') : NULL;
	struct buffer text = { 0 };
	if (!first)
		return;
	buffer_add(&text, bytes, (size_t)(first - bytes));
	for (const char *at = first; (at = strstr(at, phase)); at += strlen(phase))
		buffer_puts(
			&text,
			"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"train.py(12): step\",\"pid\":1,"
			"\"tid\":1,\"ts\":0,\"dur\":5,\"args\":{}},");
	buffer_puts(&text, first);
	print_changed(out, "stacks", &text);
	buffer_free(&text);
}

/* With what the beginning of a trace says of the device and the run. */
static void print_beginning(FILE *out, const char *bytes)
{
	static const char *const members[] = {
		"\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 80GB HBM3\",\"totalGlobalMem\":85017493504,"
		"\"computeMajor\":9,\"computeMinor\":0,\"numSms\":132,\"warpSize\":32,"
		"\"maxThreadsPerMultiprocessor\":2048,\"regsPerMultiprocessor\":65536,"
		"\"sharedMemPerMultiprocessor\":233472}],\"with_stack\":1,\"record_shapes\":1,",
		"\"distributedInfo\":{\"backend\":\"gloo\",\"rank\":0,\"world_size\":8},\"profile_memory\":1,",
	};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		struct buffer text = { 0 };
		buffer_puts(&text, "{");
		buffer_puts(&text, members[i]);
		buffer_puts(&text, bytes + strcspn(bytes, "{") + 1);
		print_changed(out, members[i], &text);
		buffer_free(&text);
	}
}

void print_advice(const char *path)
{
	char name[256];
	size_t length;
	sweep_name(path, name, sizeof name);
	FILE *out = sweep_open(name, "advice");
	print_findings(out, path);
	char *bytes = sweep_is_directory(path) ? NULL : sweep_read(path, &length);
	if (bytes) {
		bytes[length] = '\0';
		print_durations(out, bytes, length);
		if (length % 2) { /* for time */
			print_numbers(out, bytes, length);
			print_exchanged(out, bytes, length);
		}
		print_without(out, bytes);
		print_with_stacks(out, bytes);
		if (strchr(bytes, '{') && strstr(bytes, "\"traceEvents\":"))
			print_beginning(out, bytes);
	}
	fclose(out);
	free(bytes);
}
