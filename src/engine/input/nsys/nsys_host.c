/*
 * Host calls other than NVTX: CUDA runtime and driver, libraries, the operating system, and
 * profiler overhead.
 */
#include "input/cuda/cuda_names.h"
#include "input/nsys/nsys_private.h"

enum { NSYS_CALL_COLUMNS(SQLITE_PLACE) COLUMNS };
static const char columns[] = NSYS_CALL_COLUMNS(SQLITE_COLUMN);

static const struct nsys_host_source {
	const char *table; /* with '%' one for each of KINDS, with blanks between */
	enum span_kind kind;
	const char *category; /* category of SPAN_OTHER */
	const char *lane;     /* track to use instead of the thread's */
	const char *chains;   /* table of call chains */
	const char *class;    /* of MPI calls */
	const char *kinds;
} sources[] = { NSYS_HOST_ROWS };

/* API function name without version suffix. */
static uint32_t call_name(struct nsys *nsys, int64_t id)
{
	struct nsys_text *text = nsys_text(nsys, id);
	if (!text)
		return 0;
	if (text->call_name == NO_ROW)
		text->call_name = intern_add(nsys->profile->strings, text->text,
					     cuda_call_name_length(text->text, text->length));
	return text->call_name;
}

static uint32_t nsys_host_info_of(struct nsys *nsys, const struct nsys_host_source *source,
				  const struct sqlite_rows *rows)
{
	if (source->kind == SPAN_OTHER)
		return builder_key(nsys->builder, source->category);
	if (source->kind != SPAN_RUNTIME)
		return NO_ROW;
	struct call_info info = { sqlite_int(rows, CORRELATION), NO_VALUE };
	return info.correlation == NO_VALUE ? NO_ROW : builder_call_info(nsys->builder, &info);
}

/* Two versions of one function, or the runtime and the driver, may differ in nothing else. */
static void keep_recorded_name(struct nsys *nsys, int64_t id, uint32_t span)
{
	const struct nsys_text *text = nsys_text(nsys, id);
	if (text && text->length != intern_length(nsys->profile->strings, text->call_name))
		builder_span_attribute(nsys->builder, span,
				       builder_key(nsys->builder, CALL_RECORDED_AS),
				       nsys_string(nsys, id));
}

static void keep_message(struct nsys *nsys, const struct nsys_host_source *source,
			 const struct sqlite_rows *rows, uint32_t span)
{
	int64_t received = sqlite_int(rows, RECEIVED);
	bool collective = strcmp(source->class, "collectives") == 0;
	builder_span_text(nsys->builder, span, MPI_CLASS,
			  builder_key(nsys->builder, source->class));
	NSYS_MESSAGE_NUMBERS(builder_span_number);
}

/* The profiler marks its own start among the calls of the operating system. */
static enum span_kind nsys_host_kind_of(const struct nsys_host_source *source,
					const struct sqlite_rows *rows)
{
	enum { CALL = 27 };
	int64_t class = sqlite_int(rows, CLASS);
	bool system = source->category && strcmp(source->category, CATEGORY_SYSTEM) == 0;
	return system && class != NO_VALUE && class != CALL ? SPAN_INSTANT : source->kind;
}

static void read_source(struct nsys *nsys, const struct nsys_host_source *source, const char *table)
{
	AUTO(call_chains_clear) struct call_chains chains = { 0 };
	struct sqlite_rows *rows = sqlite_rows_open(nsys->database, table, columns, COLUMNS);
	if (rows && source->chains)
		chains = nsys_chains_read(nsys, source->chains);
	while (sqlite_rows_next(&rows)) {
		int64_t start, dur, thread = sqlite_int(rows, THREAD);
		if (!nsys_times(nsys, rows, START, END, &start, &dur))
			continue;
		uint32_t track = source->lane ? nsys_lane(nsys, thread, source->lane)
					      : nsys_thread(nsys, thread);
		int64_t name = sqlite_int(rows, NAME);
		enum span_kind kind = nsys_host_kind_of(source, rows);
		uint32_t span = builder_span(nsys->builder, kind, track,
					     source->kind == SPAN_RUNTIME ? call_name(nsys, name)
									  : nsys_string(nsys, name),
					     start, kind == SPAN_INSTANT ? 0 : dur,
					     nsys_host_info_of(nsys, source, rows));
		builder_span_record(nsys->builder, span, sqlite_int(rows, RECORD));
		if (source->kind == SPAN_RUNTIME) {
			keep_recorded_name(nsys, name, span);
			builder_span_number(nsys->builder, span, CALL_RESULT,
					    sqlite_int(rows, RESULT));
			nsys_graphs_keep(nsys, span, thread, start, dur);
		}
		if (source->class)
			keep_message(nsys, source, rows, span);
		if (chains.count)
			builder_span_text(nsys->builder, span, CALL_RECORDED_STACK,
					  call_chain_text(&chains, nsys->profile->strings,
							  sqlite_int(rows, CHAIN)));
	}
}

void nsys_read_calls(struct nsys *nsys)
{
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		const char *table = sources[i].table, *rest = strchr(table, '%'), *kind;
		if (!rest)
			read_source(nsys, &sources[i], table);
		for (kind = sources[i].kinds; kind && *kind; kind += strspn(kind, " ")) {
			int length = (int)strcspn(kind, " "), start = (int)(rest - table);
			AUTO_FREE char *name =
				mem_printf("%.*s%.*s%s", start, table, length, kind, rest + 1);
			read_source(nsys, &sources[i], name);
			kind += length;
		}
	}
}
