#include "input/layer_table/layer_table_private.h"

#include <math.h>
#include <string.h>

enum { NUMBERS_MAX = 8 };

/* ---- words and numbers ---- */

/* "29,258.49", "21.54", "0.153%" */
static bool layer_layouts_parse_number(struct text_slice word, double *value)
{
	char text[32];
	size_t length = 0;
	if (word.length && word.text[word.length - 1] == '%')
		word.length--;
	for (size_t i = 0; i < word.length; i++) {
		if (word.text[i] == ',')
			continue;
		if (length == sizeof text)
			return false;
		text[length++] = word.text[i];
	}
	return slice_real((struct text_slice){ text, length }, value) && *value >= 0;
}

/* Removes the last word of LINE. */
static struct text_slice last_word(struct text_slice *line)
{
	*line = slice_trim(*line);
	size_t from = line->length;
	while (from && line->text[from - 1] != ' ' && line->text[from - 1] != '\t')
		from--;
	struct text_slice word = { line->text + from, line->length - from };
	line->length = from;
	return word;
}

/* The COUNT numbers at the end of LINE, which are removed from it. */
static bool last_numbers(struct text_slice *line, size_t count, double *values)
{
	while (count-- > 0)
		if (!layer_layouts_parse_number(last_word(line), &values[count]))
			return false;
	*line = slice_trim(*line);
	return true;
}

/* The first COUNT numbers that follow each other: *BEFORE and *LINE are what is around them. */
static bool find_numbers(struct text_slice *line, size_t count, double *values,
			 struct text_slice *before)
{
	struct text_slice rest = *line;
	size_t found = 0;
	const char *from = NULL;
	while (found < count) {
		struct text_slice word = slice_next(&rest);
		if (!word.length)
			return false;
		if (!layer_layouts_parse_number(word, &values[found])) {
			found = 0;
			continue;
		}
		from = found++ ? from : word.text;
	}
	*before = slice_trim((struct text_slice){ line->text, (size_t)(from - line->text) });
	*line = slice_trim(rest);
	return true;
}

static struct text_slice until(struct text_slice line, const char *end)
{
	return slice_trim((struct text_slice){ line.text, (size_t)(end - line.text) });
}

static struct text_slice layer_layouts_after(struct text_slice line, const char *at, size_t skip)
{
	const char *from = at + skip;
	return slice_trim((struct text_slice){ from, (size_t)(line.text + line.length - from) });
}

/* ---- rows ---- */

static uint32_t layer_layouts_keep(struct layer_table *table, struct text_slice word)
{
	return word.length ? intern_add(table->profile->strings, word.text, word.length) : 0;
}

static bool layer_layouts_damage(struct layer_table *table)
{
	profile_damage(table->profile, "line not a row of its table", "skipped", table->offset);
	return true;
}

static int64_t ns_of(double value, double scale)
{
	return value < 9e18 / scale ? llround(value * scale) : NO_VALUE;
}

static struct total *layer_layouts_add_layer(struct layer_table *table, struct text_slice name,
					     struct text_slice kind)
{
	struct text_slice called = name.length ? name : kind;
	uint32_t at = totals_add(table->totals, layer_layouts_keep(table, called));
	struct total *row = &table->totals->rows[at];
	row->kind = layer_layouts_keep(table, kind);
	table->format = table->format ? table->format : table->layout->format;
	return row;
}

/* ---- TensorRT: "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer" ---- */

static const char *begin_trtexec(struct layer_table *table, struct text_slice line)
{
	static const char title[] = "=== Profile (";
	const char *time = slice_find(line, "Time(ms)"), *old = slice_find(line, "Time (ms)");
	const char *layer = slice_find(line, "Layer "), *average = slice_find(line, "Avg.");
	const char *profile = slice_find(line, title);
	if (table && profile) {
		struct text_slice rest = layer_layouts_after(line, profile, sizeof title - 1);
		slice_count(slice_next(&rest), &table->iterations);
	}
	if (!average || !((time && slice_ends(slice_trim(line), " Layer")) || (old && layer)))
		return NULL;
	if (table) {
		table->name_first = !time;
		table->numbers = slice_find(line, "Median") ? 4 : 3;
	}
	return time ? time : layer;
}

/* Time of all iterations, of one, the median, the share */
static bool trtexec_row(struct layer_table *table, struct text_slice line)
{
	double values[NUMBERS_MAX];
	struct text_slice before = { 0 };
	if (!line.length)
		return false;
	bool good = table->name_first ? last_numbers(&line, table->numbers, values)
				      : find_numbers(&line, table->numbers, values, &before);
	if (!good || before.length || !line.length)
		return slice_is(line, "%") ||
		       layer_layouts_damage(table); /* "%": a heading that was wrapped */
	if (slice_is(line, "Total"))
		return false;
	struct total *row = layer_layouts_add_layer(table, line, (struct text_slice){ 0 });
	row->calls = table->iterations;
	row->gpu_self_ns = ns_of(values[0], 1e6);
	return true;
}

const struct layer_layout trtexec_layout = { "trtexec layer profile (text)", begin_trtexec,
					     trtexec_row };

/* ---- TensorFlow: "[node type] [start] [first] [avg ms] [%] [cdf%] [mem KB] …" ---- */

static void parse_columns(struct layer_table *table, struct text_slice line)
{
	table->numbers = 0;
	table->time_at = table->calls_at = NUMBERS_MAX;
	for (const char *at = line.text, *end = line.text + line.length;
	     (at = memchr(at, '[', (size_t)(end - at))) && table->numbers < NUMBERS_MAX; at++) {
		struct text_slice title = { at, (size_t)(end - at) };
		if (slice_begins(title, "[node type]") || slice_begins(title, "[Name]"))
			continue;
		if (slice_begins(title, "[avg ms]"))
			table->time_at = table->numbers;
		if (slice_begins(title, "[times called]"))
			table->calls_at = table->numbers;
		table->numbers++;
	}
}

/* What the tables that follow are of. */
static void parse_part(struct layer_table *table, struct text_slice line)
{
	const struct totals *totals = table->totals;
	if (slice_find(line, " for Benchmark Initialization"))
		table->skip = true;
	else if (slice_find(line, " for Regular Benchmark Runs") || slice_find(line, "Run Order"))
		table->skip &= !slice_find(line, " for Regular Benchmark Runs");
	if (!slice_begins(line, "Delegate internal"))
		return;
	table->delegate = totals->count ? (uint32_t)totals->count - 1 : NO_ROW;
	table->skip = table->delegate == NO_ROW ||
		      !strstr(profile_string(table->profile, totals->rows[table->delegate].kind),
			      "Delegate");
}

static const char *begin_tensorflow(struct layer_table *table, struct text_slice line)
{
	const char *at = slice_find(line, "[node type]");
	if (table)
		parse_part(table, slice_trim(line));
	if (!at || !slice_find(line, "[avg ms]") || !slice_find(line, "[Name]"))
		return NULL;
	if (table)
		parse_columns(table, line);
	return at;
}

/* Rows in the order of the run; tables in other orders repeat them. */
static bool tensorflow_row(struct layer_table *table, struct text_slice line)
{
	double values[NUMBERS_MAX] = { 0 };
	struct text_slice kind = { 0 };
	if (!line.length) {
		table->skip = true;
		return false;
	}
	if (table->skip)
		return true;
	if (table->time_at >= table->numbers ||
	    !find_numbers(&line, table->numbers, values, &kind) || !kind.length)
		return layer_layouts_damage(table);
	struct total *row = layer_layouts_add_layer(table, line, kind);
	row->cpu_total_ns = ns_of(values[table->time_at], 1e6);
	row->calls = table->calls_at < table->numbers && values[table->calls_at] >= 1 &&
				     values[table->calls_at] < 1e15
			     ? (int64_t)values[table->calls_at]
			     : NO_VALUE;
	if (table->delegate != NO_ROW) {
		row->parent = table->delegate;
		row->depth = 1;
	}
	return true;
}

static const struct layer_layout tensorflow_layout = { "TensorFlow benchmark (text)",
						       begin_tensorflow, tensorflow_row };

/* ---- TVM: "Name  Duration (us)  Percent  Device  Count  Argument Shapes" ---- */

static const char *begin_tvm(struct layer_table *table, struct text_slice line)
{
	const char *name = slice_find(line, "Name  ");
	return slice_find(line, " Duration (us)  Percent  ") && slice_find(line, " Count  ") ? name
											     : NULL;
}

/* Shapes end at two blanks, before a hash. */
static struct text_slice shapes_of(struct text_slice line)
{
	line = slice_trim(line);
	const char *gap = slice_find(line, "  ");
	struct text_slice shapes = gap ? until(line, gap) : line;
	return memchr(shapes.text, '[', shapes.length) ? shapes : (struct text_slice){ 0 };
}

static bool tvm_row(struct layer_table *table, struct text_slice line)
{
	struct text_slice name = slice_next(&line);
	double time, share;
	int64_t calls;
	if (slice_begins(name, "-----") || slice_is(name, "Sum") || slice_is(name, "Total"))
		return slice_begins(name, "-----");
	if (!name.length)
		return false;
	bool good = layer_layouts_parse_number(slice_next(&line), &time) &&
		    layer_layouts_parse_number(slice_next(&line), &share);
	struct text_slice device = slice_next(&line);
	if (!good || !slice_count(slice_next(&line), &calls))
		return layer_layouts_damage(table);
	struct total *row = layer_layouts_add_layer(table, name, (struct text_slice){ 0 });
	int64_t ns = ns_of(time, 1e3);
	row->calls = calls;
	row->shapes = layer_layouts_keep(table, shapes_of(line));
	if (slice_begins(device, "cpu"))
		row->cpu_total_ns = ns;
	else
		row->gpu_self_ns = ns;
	return true;
}

static const struct layer_layout tvm_layout = { "TVM profile (text)", begin_tvm, tvm_row };

/* ---- OpenVINO: "conv1  EXECUTED  layerType: Convolution  realTime: 706  cpu: 706 …" ---- */

static const char *const states[] = { "EXECUTED", "NOT_RUN", "OPTIMIZED_OUT" };

/* The value after KEY, up to the next blank; empty without. */
static struct text_slice layer_layouts_value_of(struct text_slice line, const char *key)
{
	const char *at = slice_find(line, key);
	struct text_slice rest = at ? layer_layouts_after(line, at, strlen(key))
				    : (struct text_slice){ line.text, 0 };
	return slice_next(&rest);
}

/* "706" in us, "0:00:00.000706", glued to what follows, or after " (ms): " in ms: ns */
static int64_t openvino_time(struct text_slice line, const char *key, const char *key_ms)
{
	struct text_slice plain = layer_layouts_value_of(line, key),
			  ms = layer_layouts_value_of(line, key_ms);
	const char *colon = slice_find(plain, ":");
	double value, minutes, hours;
	if (ms.length)
		return layer_layouts_parse_number(ms, &value) ? ns_of(value, 1e6) : NO_VALUE;
	if (!colon)
		return layer_layouts_parse_number(plain, &value) ? ns_of(value, 1e3) : NO_VALUE;
	struct text_slice rest = layer_layouts_after(plain, colon, 1);
	const char *second = slice_find(rest, ":");
	if (!second || !layer_layouts_parse_number(until(plain, colon), &hours) ||
	    !layer_layouts_parse_number(until(rest, second), &minutes))
		return NO_VALUE;
	struct text_slice seconds = layer_layouts_after(rest, second, 1);
	seconds.length = strspn(seconds.text, "0123456789.") < seconds.length
				 ? strspn(seconds.text, "0123456789.")
				 : seconds.length;
	return layer_layouts_parse_number(seconds, &value)
		       ? ns_of(hours * 3600 + minutes * 60 + value, 1e9)
		       : NO_VALUE;
}

/* REAL: on the device, the same as HOST where that is the CPU. */
static void add_openvino(struct layer_table *table, struct text_slice name, struct text_slice kind,
			 int64_t real, int64_t host)
{
	struct total *row = layer_layouts_add_layer(table, name, kind);
	row->calls = 1;
	row->cpu_total_ns = host;
	if (real != host)
		row->gpu_self_ns = real;
}

static bool parse_counters(struct layer_table *table, struct text_slice line)
{
	static const char key[] = "layerType:";
	const char *type = slice_find(line, key), *end = NULL;
	struct text_slice head = type ? until(line, type) : (struct text_slice){ 0 };
	size_t state = 0;
	for (; type && state < 3 && !slice_ends(head, states[state]);)
		state++;
	if (!type || state == 3)
		return false;
	end = head.text + head.length - strlen(states[state]);
	struct text_slice name = until(head, end);
	if (slice_ends(name, "Status."))
		name.length -= 7;
	int64_t real = openvino_time(line, "realTime:", "realTime (ms):");
	int64_t host = openvino_time(line, "cpu:", "cpuTime (ms):");
	if (state)
		table->left_out++;
	else if (real == NO_VALUE || host == NO_VALUE || !slice_trim(name).length)
		return layer_layouts_damage(table);
	else
		add_openvino(table, slice_trim(name), layer_layouts_value_of(line, key), real,
			     host);
	return true;
}

/* The counters of the first request; others are of the same layers. */
static bool counters_row(struct layer_table *table, struct text_slice line)
{
	if (table->skip || parse_counters(table, line))
		return true;
	table->skip = table->totals->count > 0;
	return !table->skip;
}

static const char *begin_counters(struct layer_table *table, struct text_slice line)
{
	return slice_find(line, " layerType: ") && slice_find(line, "realTime") &&
			       slice_find(line, "execType:")
		       ? line.text
		       : NULL;
}

const struct layer_layout counters_layout = { "OpenVINO performance counters (text)",
					      begin_counters, counters_row };

/* ---- OpenVINO's reports: "layerName;execStatus;layerType;execType;realTime (ms);…" ---- */

static const char *begin_openvino_csv(struct layer_table *table, struct text_slice line)
{
	return slice_begins(line, "layerName;execStatus;layerType;") ? line.text : NULL;
}

static struct text_slice next_field(struct text_slice *line)
{
	const char *end = memchr(line->text, ';', line->length);
	struct text_slice field = { line->text, end ? (size_t)(end - line->text) : line->length };
	size_t skip = field.length + (end != NULL);
	line->text += skip;
	line->length -= skip;
	return field;
}

static bool openvino_csv_row(struct layer_table *table, struct text_slice line)
{
	struct text_slice name = next_field(&line), state = next_field(&line),
			  kind = next_field(&line);
	struct text_slice exec = next_field(&line), times[3] = { { 0 } };
	size_t count = 0;
	double real, host;
	(void)exec;
	if (!name.length || slice_begins(name, "Total"))
		return false;
	while (line.length && count < 3)
		times[count++] = next_field(&line);
	if (count < 2 || !layer_layouts_parse_number(slice_trim(times[count - 2]), &real) ||
	    !layer_layouts_parse_number(slice_trim(times[count - 1]), &host))
		return layer_layouts_damage(table);
	if (slice_is(state, states[0]) || slice_ends(state, "EXECUTED"))
		add_openvino(table, name, kind, ns_of(real, 1e6), ns_of(host, 1e6));
	else
		table->left_out++;
	return true;
}

static const struct layer_layout openvino_csv_layout = { "OpenVINO performance counters (CSV)",
							 begin_openvino_csv, openvino_csv_row };

const struct layer_layout *const layer_layouts[] = { &trtexec_layout,      &tensorflow_layout,
						     &tvm_layout,          &counters_layout,
						     &openvino_csv_layout, NULL };
