/*
 * Samples of GPUs as tools print them in columns: nvidia-smi --query-gpu (CSV), nvidia-smi dmon,
 * dcgmi dmon, rocm-smi and amd-smi (CSV). Each column of numbers is a counter of its GPU.
 *
 * Their time is mostly local, without a zone: it is read as UTC, and TELEMETRY_CLOCK says so. Where
 * a table has no time, a second passes from one sample to the next.
 */
#include "input/readers.h"
#include "input/text_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COLUMNS_MAX = 256 }; /* limit: columns of a table */

enum column_use { COLUMN_COUNTER, COLUMN_TIME, COLUMN_DATE, COLUMN_GPU, COLUMN_REASONS };

/*
 * What a column is, by its name in small letters without its unit. Others with numbers are counters
 * under their own name.
 */
static const struct {
	const char *names, *counter;
	bool plain; /* also a word of other tables: three tell */
	enum column_use use;
} columns[] = { TELEMETRY_ROWS };

enum { KNOWN_COLUMNS = sizeof columns / sizeof *columns };

/* Bits of active throttle reasons that slow kernels down. */
static const struct {
	uint32_t bit;
	const char *counter;
} reasons[] = { THROTTLE_ROWS };

/* Units of values and headers; others have a factor of 1. */
static const struct text_unit telemetry_units[] = { TELEMETRY_UNIT_ROWS{ NULL, 0 } };

struct telemetry_column {
	enum column_use use;
	uint32_t name;
	double factor; /* of its heading; values with a unit of their own have another */
};

struct telemetry {
	struct text_reading text;
	struct telemetry_column columns[COLUMNS_MAX];
	size_t count;
	uint32_t process;
	int64_t sample, last_gpu; /* of tables without a time */
	bool timed, dated, zoned; /* zoned: times are of Unix */
};

/* ---- lines ---- */

/* Cells with commas between, or of tables printed with blanks: "#Entity", "# gpu", "GPU 0". */
static struct text_slice next_cell(struct text_slice *line, bool commas)
{
	const char *comma = commas ? memchr(line->text, ',', line->length) : NULL;
	struct text_slice cell = *line;
	if (commas) {
		cell = comma ? slice_until(*line, comma) : *line;
		*line = slice_from(*line, comma ? comma + 1 : line->text + line->length);
		return slice_trim(cell);
	}
	cell = slice_next(line);
	if (slice_is(cell, "GPU") || slice_is(cell, "#"))
		cell = slice_next(line);
	slice_skip(&cell, "#");
	return cell;
}

/* The name of a heading, "power.draw [W]", in small letters without its unit. */
static void plain_name(struct text_slice cell, char name[64])
{
	size_t length = 0;
	while (length < cell.length && length < 63 && !memchr("[(:", cell.text[length], 3)) {
		char c = cell.text[length];
		name[length++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
	while (length && name[length - 1] == ' ')
		length--;
	name[length] = 0;
}

/* The unit of a heading: "power.draw [W]", "GPU use (%)". */
static double factor_of(struct text_slice cell)
{
	for (const struct text_unit *unit = telemetry_units; *unit->suffix; unit++) {
		const char *at = slice_find(cell, unit->suffix);
		if (at && at > cell.text && memchr("[(", at[-1], 2))
			return unit->factor;
	}
	return 1;
}

static size_t known_column(struct text_slice cell)
{
	char name[64];
	plain_name(cell, name);
	for (size_t i = 0; i < KNOWN_COLUMNS; i++)
		if (text_is_one(name, columns[i].names))
			return i;
	return KNOWN_COLUMNS;
}

/* Are its columns known: two with one by a name of its own, or three? */
static bool is_heading(struct text_slice line)
{
	bool commas = memchr(line.text, ',', line.length) != NULL;
	size_t own = 0, known = 0;
	for (size_t cells = 0; line.length && cells < COLUMNS_MAX; cells++) {
		size_t at = known_column(next_cell(&line, commas));
		own += at < KNOWN_COLUMNS && !columns[at].plain;
		known += at < KNOWN_COLUMNS;
	}
	return known >= (own ? 2 : 3);
}

/* A row of nvidia-smi without a heading: "2025/04/24 15:58:57.879, 18.81 W". */
static bool is_bare(struct text_slice line)
{
	struct text_slice cell = next_cell(&line, true);
	int year, month, day, used = 0;
	char text[24];
	snprintf(text, sizeof text, "%.*s", (int)(cell.length < 23 ? cell.length : 23), cell.text);
	return line.length &&
	       sscanf(text, "%4d/%2d/%2d %*d:%*d:%*d.%*3d%n", &year, &month, &day, &used) == 3 &&
	       used == 23;
}

static bool telemetry_recognize(const char *head, size_t length)
{
	const char *at = head, *end = head + length;
	if (strlen(head) < length || head[0] == '{' || head[0] == '[')
		return false;
	for (struct text_slice line; text_line(&at, end, &line.text, &line.length);)
		if (slice_trim(line).length)
			return is_heading(slice_trim(line)) || is_bare(slice_trim(line));
	return false;
}

/* ---- values ---- */

/*
 * "2025/04/24 15:58:57.879", "2025-04-24T15:58:57", "20250424" and "15:58:57" in columns of their
 * own, or seconds of Unix.
 */
static bool telemetry_parse_time(struct telemetry *telemetry, struct text_slice cell, int64_t *ns)
{
	char text[40];
	struct tm date = { .tm_year = 1970, .tm_mon = 1, .tm_mday = 1 };
	double seconds = 0;
	snprintf(text, sizeof text, "%.*s", (int)(cell.length < 39 ? cell.length : 39), cell.text);
	bool unix_time = slice_real(cell, &seconds) && seconds > 1e9 && seconds < 9e9;
	if (!unix_time && sscanf(text, "%d:%d:%lf", &date.tm_hour, &date.tm_min, &seconds) != 3) {
		seconds = 0;
		if (sscanf(text, "%d%*[-/]%d%*[-/]%d%*[ T]%d:%d:%lf", &date.tm_year, &date.tm_mon,
			   &date.tm_mday, &date.tm_hour, &date.tm_min, &seconds) != 6 &&
		    (cell.length != 8 ||
		     sscanf(text, "%4d%2d%2d", &date.tm_year, &date.tm_mon, &date.tm_mday) != 3))
			return false;
		telemetry->dated = true;
	}
	telemetry->zoned |= unix_time;
	if (date.tm_year < 1970 || date.tm_year > 2100 || date.tm_mon < 1 || date.tm_mon > 12 ||
	    date.tm_mday < 1 || date.tm_mday > 31 || date.tm_hour < 0 || date.tm_hour > 24 ||
	    date.tm_min < 0 || date.tm_min > 59 || !(fabs(seconds) < 9e9))
		return false;
	date.tm_year -= 1900;
	date.tm_mon--;
	*ns = (int64_t)timegm(&date) * 1000000000 + llround(seconds * 1000) * 1000000;
	return true;
}

/* A number, with a unit or in that of its column; "Active" and "Not Active". */
static bool parse_value(const struct telemetry_column *column, struct text_slice cell,
			double *value)
{
	while (cell.length && memchr("([", *cell.text, 2)) /* "(1700Mhz)", "[N/A]" */
		cell = slice_from(cell, cell.text + 1);
	while (cell.length && memchr(")]", cell.text[cell.length - 1], 2))
		cell.length--;
	*value = slice_is(cell, "Active");
	if (slice_is(cell, "Active") || slice_is(cell, "Not Active"))
		return true;
	if (slice_real(cell, value))
		*value *= column->factor;
	else if (!slice_scaled(cell, telemetry_units, value))
		return false;
	return isfinite(*value);
}

static void put_value(struct telemetry *telemetry, struct counter *counter, uint32_t name,
		      double value)
{
	counter->name = counter->series = name;
	counter->value = value;
	builder_counter(telemetry->text.builder, counter);
	telemetry->text.rows++;
}

static void put_reasons(struct telemetry *telemetry, struct counter *counter,
			struct text_slice cell)
{
	char text[24], *end;
	snprintf(text, sizeof text, "%.*s", (int)(cell.length < 23 ? cell.length : 23), cell.text);
	unsigned long long bits = strtoull(text, &end, 16);
	for (size_t i = 0; !*end && end != text && i < sizeof reasons / sizeof *reasons; i++)
		put_value(telemetry, counter,
			  profile_intern(telemetry->text.profile, reasons[i].counter),
			  (bits & reasons[i].bit) != 0);
}

/* ---- rows ---- */

static void take_heading(struct telemetry *telemetry, struct text_slice line)
{
	bool commas = memchr(line.text, ',', line.length) != NULL;
	telemetry->count = 0;
	while (line.length && telemetry->count < COLUMNS_MAX) {
		struct text_slice cell = next_cell(&line, commas);
		size_t at = known_column(cell);
		struct telemetry_column *column = &telemetry->columns[telemetry->count++];
		*column = (struct telemetry_column){ .factor = factor_of(cell) };
		if (at < KNOWN_COLUMNS)
			column->use = columns[at].use;
		column->name =
			at < KNOWN_COLUMNS && columns[at].counter
				? profile_intern(telemetry->text.profile, columns[at].counter)
				: text_intern(&telemetry->text, cell);
	}
}

/* Columns without a heading are called by their number; one in watts alone is the power drawn. */
static void take_bare(struct telemetry *telemetry, struct text_slice line)
{
	struct telemetry_column *power = NULL;
	size_t watts = 0;
	for (telemetry->count = 0; line.length && telemetry->count < COLUMNS_MAX;) {
		struct text_slice cell = next_cell(&line, true);
		struct telemetry_column *column = &telemetry->columns[telemetry->count++];
		*column = (struct telemetry_column){
			.use = telemetry->count == 1 ? COLUMN_TIME : COLUMN_COUNTER,
			.name = profile_print(telemetry->text.profile, "column %zu",
					      telemetry->count),
			.factor = 1,
		};
		if (slice_ends(cell, " W")) {
			watts++;
			power = column;
		}
	}
	if (watts == 1)
		power->name = profile_intern(telemetry->text.profile, COUNTER_POWER);
}

/* The time and the GPU of a row; false without them. */
static bool take_place(struct telemetry *telemetry, const struct text_slice *cells, size_t count,
		       struct counter *counter)
{
	int64_t gpu = 0, time = 0, part;
	bool timed = false;
	for (size_t i = 0; i < count; i++) {
		enum column_use use = telemetry->columns[i].use;
		struct text_slice number = cells[i];
		slice_skip(&number, "card");
		if (use == COLUMN_GPU && !slice_count(number, &gpu))
			return false;
		if ((use == COLUMN_TIME || use == COLUMN_DATE) &&
		    telemetry_parse_time(telemetry, cells[i], &part)) {
			timed |= use == COLUMN_TIME;
			if (__builtin_add_overflow(time, part, &time))
				return false;
		}
	}
	telemetry->sample += gpu <= telemetry->last_gpu;
	telemetry->last_gpu = gpu;
	telemetry->timed |= timed;
	counter->time = timed ? time : telemetry->sample * 1000000000;
	counter->track = builder_track(telemetry->text.builder, telemetry->process, NO_VALUE,
				       profile_intern(telemetry->text.profile, "telemetry"),
				       gpu >= 0 && gpu < 1024 ? (int32_t)gpu : -1);
	return timed || !telemetry->timed;
}

static void telemetry_take_line(void *state, struct text_slice line)
{
	struct telemetry *telemetry = state;
	struct text_slice cells[COLUMNS_MAX];
	struct counter counter = { 0 };
	bool commas = memchr(line.text, ',', line.length) != NULL;
	size_t count = 0;
	double value;
	line = slice_trim(line);
	if (is_heading(line)) {
		take_heading(telemetry, line);
		return;
	}
	if (!telemetry->count && is_bare(line))
		take_bare(telemetry, line);
	if (!line.length || *line.text == '#' || slice_is(line, "ID") || slice_is(line, "Id"))
		return; /* units of dmon */
	while (line.length && count < telemetry->count)
		cells[count++] = next_cell(&line, commas);
	if (!take_place(telemetry, cells, count, &counter)) {
		text_damage(&telemetry->text, "line without a time and a GPU");
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (telemetry->columns[i].use == COLUMN_REASONS)
			put_reasons(telemetry, &counter, cells[i]);
		else if (telemetry->columns[i].use == COLUMN_COUNTER &&
			 parse_value(&telemetry->columns[i], cells[i], &value))
			put_value(telemetry, &counter, telemetry->columns[i].name, value);
}

static void telemetry_begin(void *state)
{
	struct telemetry *telemetry = state;
	telemetry->process = builder_process(telemetry->text.builder, NO_VALUE, 0);
	telemetry->sample = -1;
	telemetry->last_gpu = INT64_MAX;
}

static void telemetry_end(void *state)
{
	struct telemetry *telemetry = state;
	const char *clock = !telemetry->timed
				    ? "none; a second from one sample to the next is assumed"
			    : telemetry->zoned ? TELEMETRY_UNIX
			    : telemetry->dated ? "local time without a zone, read as UTC"
					       : "time of an unknown day";
	builder_metadata(telemetry->text.builder,
			 profile_intern(telemetry->text.profile, TELEMETRY_CLOCK),
			 profile_intern(telemetry->text.profile, clock));
}

static const struct text_format telemetry_format = {
	.empty = "is a table of GPU samples without a value",
	.state = sizeof(struct telemetry),
	.begin = telemetry_begin,
	.line = telemetry_take_line,
	.end = telemetry_end,
};

const struct reader telemetry_reader = { .format = "GPU telemetry (nvidia-smi, dcgmi, amd-smi)",
					 .recognize = telemetry_recognize,
					 .text = &telemetry_format,
					 .joins = JOINS_ALL };
