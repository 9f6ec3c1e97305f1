/*
 * Tables are read one by one in id order and joined through maps of ids; the file's own views,
 * indexes and foreign keys are not trusted. Columns missing in older versions read as empty.
 */
#include "input/readers.h"

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/keyed.h"
#include "base/number.h"
#include "base/sort.h"
#include "input/cuda/cuda_names.h"
#include "input/dlprof/dlprof_private.h"
#include "input/timeline_rows.h"

/* ---- rows of the correlated profile ---- */

enum { DEEPEST_PATH = 256 };

/* An open function or scope enclosing instances. */
struct open_scope {
	uint32_t name, span;
	int64_t end;
};

struct dlprof_spans_adding {
	struct profile *profile;
	const struct dlprof *dlprof;
	struct builder *builder;
	const struct dlprof_aggregation *newest; /* NULL: none */
	struct open_scope open[DEEPEST_PATH];
	size_t depth;
	struct buffer text;
	struct op_texts {
		bool known;
		uint32_t input, output; /* shapes of the instance, as read */
		uint32_t shapes, types, stack, output_shapes;
	} * texts; /* by op */
};

static const char *string(const struct dlprof_spans_adding *adding, uint32_t id)
{
	return profile_string(adding->profile, id);
}

static uint32_t host_track(struct dlprof_spans_adding *adding, int64_t process, int64_t thread)
{
	uint32_t row = builder_process(adding->builder, process, 0);
	return builder_track(adding->builder, row, thread, 0, -1);
}

/* ---- operators ---- */

/* Innermost line first, as other writers do. */
static uint32_t stack_text(struct dlprof_spans_adding *adding, uint32_t stack)
{
	const char *text = string(adding, stack);
	buffer_clear(&adding->text);
	for (const char *end = text + strlen(text); end > text;) {
		const char *line = end;
		while (line > text && line[-1] != '\n')
			line--;
		if (end > line && adding->text.length)
			buffer_putc(&adding->text, ';');
		buffer_add(&adding->text, line, (size_t)(end - line));
		end = line > text ? line - 1 : text;
	}
	return intern_add(adding->profile->strings, BUFFERED(&adding->text));
}

/* "[[6,3],[6]]\n"; "null": none. */
static uint32_t shapes_text(struct dlprof_spans_adding *adding, uint32_t shapes)
{
	const char *text = string(adding, shapes);
	size_t length = strlen(text);
	while (length && text[length - 1] == '\n')
		length--;
	return *text == '[' ? intern_add(adding->profile->strings, text, length) : 0;
}

/* DLProf has one type for all tensors: repeat it per shape, in PyTorch's spelling. */
static uint32_t types_text(struct dlprof_spans_adding *adding, uint32_t type, uint32_t shapes)
{
	static const char *const names[][2] = { DLPROF_ELEMENT_ROWS };
	const char *name = string(adding, type);
	if (!type || !shapes)
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i][0]) == 0)
			name = names[i][1];
	buffer_clear(&adding->text);
	for (const char *at = string(adding, shapes) + 1; (at = strchr(at, '[')); at++)
		buffer_printf(&adding->text, "%s\"%s\"", adding->text.length ? "," : "[", name);
	buffer_puts(&adding->text, adding->text.length ? "]" : "");
	return intern_add(adding->profile->strings, BUFFERED(&adding->text));
}

/* The texts of an instance, which are mostly those of the last of its op. */
static const struct op_texts *texts_of(struct dlprof_spans_adding *adding,
				       const struct dlprof_instance *instance)
{
	const struct dlprof_op *op = &adding->dlprof->ops[instance->op];
	struct op_texts *texts = &adding->texts[instance->op];
	if (texts->known && texts->input == instance->input_shapes &&
	    texts->output == instance->output_shapes)
		return texts;
	*texts = (struct op_texts){ .known = true,
				    .input = instance->input_shapes,
				    .output = instance->output_shapes };
	texts->shapes = shapes_text(adding, instance->input_shapes);
	texts->types = types_text(adding, op->data_type, texts->shapes);
	texts->stack = stack_text(adding, op->stack);
	texts->output_shapes = shapes_text(adding, instance->output_shapes);
	return texts;
}

static void dlprof_spans_add_operator(struct dlprof_spans_adding *adding,
				      const struct dlprof_instance *instance)
{
	const struct dlprof_op *op = &adding->dlprof->ops[instance->op];
	const struct op_texts *texts = texts_of(adding, instance);
	struct op_info info = { .forward_thread = NO_VALUE,
				.shapes = texts->shapes,
				.types = texts->types,
				.stack = texts->stack };
	uint32_t span = builder_span(adding->builder, SPAN_OPERATOR,
				     host_track(adding, instance->process, instance->thread),
				     op->type, instance->start, instance->stop - instance->start,
				     builder_op_ids(adding->builder, NO_VALUE, NO_VALUE, &info));
	builder_span_text(adding->builder, span, "op id", op->id);
	builder_span_text(adding->builder, span, "op name", op->name);
	builder_span_text(adding->builder, span, "direction", op->direction);
	builder_span_text(adding->builder, span, "output shapes", texts->output_shapes);
}

/* ---- scopes from op name paths ---- */

static void close_scopes(struct dlprof_spans_adding *adding, size_t depth)
{
	while (adding->depth > depth) {
		struct open_scope *scope = &adding->open[--adding->depth];
		builder_span_end(adding->builder, scope->span, scope->end);
	}
}

static void enter_scope(struct dlprof_spans_adding *adding, uint32_t name,
			const struct dlprof_instance *instance)
{
	enum span_kind kind = adding->dlprof->pytorch ? SPAN_PYTHON : SPAN_ANNOTATION;
	uint32_t span = builder_span(adding->builder, kind,
				     host_track(adding, instance->process, instance->thread), name,
				     instance->start, 0, NO_ROW);
	adding->open[adding->depth++] = (struct open_scope){ name, span, instance->stop };
}

/* Consecutive instances share the scopes of their common path prefix. */
static void enter_path(struct dlprof_spans_adding *adding, const struct dlprof_instance *instance)
{
	const struct dlprof_op *op = &adding->dlprof->ops[instance->op];
	const char *at = op->unassociated ? "" : string(adding, op->name), *slash;
	size_t depth = 0;
	for (at += *at == '/'; (slash = strchr(at, '/')) && depth < DEEPEST_PATH; at = slash + 1) {
		uint32_t name = intern_add(adding->profile->strings, at, (size_t)(slash - at));
		if (depth < adding->depth && adding->open[depth].name != name)
			close_scopes(adding, depth);
		if (depth == adding->depth)
			enter_scope(adding, name, instance);
		raise_to(adding->open[depth].end, instance->stop);
		depth++;
	}
	close_scopes(adding, depth);
}

/* A thread of instances. */
struct dlprof_spans_thread {
	int64_t process, thread;
	uint32_t number; /* in the order of their first instances */
	size_t count, end;
};

COMPARE_MEMBERS(compare_threads, struct dlprof_spans_thread, UP(process) UP(thread))

COMPARE_ITEMS(dlprof_spans_compare_starts, struct dlprof_instance *const,
	      COMPARE((*x)->start, (*y)->start))

/* The instances by process, thread and start, else in their order: in each thread mostly sorted. */
static const struct dlprof_instance **order_instances(const struct dlprof *dlprof)
{
	size_t count = dlprof->instance_count, end = 0;
	AUTO_KEYED struct keyed keys = { 0 }; /* process and thread */
	AUTO_FREE struct dlprof_spans_thread *threads = NULL;
	AUTO_FREE uint32_t *thread = mem_alloc((count + 1) * sizeof *thread);
	for (size_t i = 0; i < count; i++) {
		const int64_t key[] = { dlprof->instances[i].process, dlprof->instances[i].thread };
		struct dlprof_spans_thread *of = keyed_item(&keys, threads, &key);
		thread[i] = of->number = (uint32_t)(of - threads);
		of->process = key[0];
		of->thread = key[1];
		of->count++;
	}
	sort_items(threads, keys.count, compare_threads);
	AUTO_FREE size_t *place = mem_alloc((keys.count + 1) * sizeof *place);
	for (size_t i = 0; i < keys.count; i++) {
		place[threads[i].number] = end;
		threads[i].end = end += threads[i].count;
	}
	const struct dlprof_instance **order = mem_alloc((count + 1) * sizeof *order);
	for (size_t i = 0; i < count; i++)
		order[place[thread[i]]++] = &dlprof->instances[i];
	for (size_t i = 0; i < keys.count; i++)
		sort_runs(order + threads[i].end - threads[i].count, threads[i].count,
			  sizeof *order, dlprof_spans_compare_starts, NULL);
	return order;
}

static size_t iteration_of(const struct dlprof_aggregation *newest, int64_t time)
{
	size_t count = newest ? newest->iteration_count : 0;
	return count ? search_between(ASCENDING(newest->iteration, start, count), time + 1, 0,
				      count)
		     : 0;
}

static void add_operators(struct dlprof_spans_adding *adding)
{
	const struct dlprof *dlprof = adding->dlprof;
	size_t count = dlprof->instance_count, iteration = 0;
	AUTO_FREE const struct dlprof_instance **order = order_instances(dlprof);
	for (size_t i = 0; i < count; i++) {
		const struct dlprof_instance *before = order[i ? i - 1 : 0];
		size_t iteration_before = iteration;
		iteration = iteration_of(adding->newest, order[i]->start);
		/* scopes end with their thread and iteration */
		if (order[i]->process != before->process || order[i]->thread != before->thread ||
		    iteration != iteration_before)
			close_scopes(adding, 0);
		enter_path(adding, order[i]);
		dlprof_spans_add_operator(adding, order[i]);
	}
	close_scopes(adding, 0);
}

/* ---- steps ---- */

/* Iterations apply to all threads; they are shown on the thread with most ops. */
static uint32_t busiest_track(struct dlprof_spans_adding *adding)
{
	const struct profile *profile = adding->profile;
	AUTO_FREE size_t *ops = mem_zalloc(profile->track_count + 1, sizeof *ops);
	for (uint32_t i = 0; i < profile->spans; i++)
		ops[profile->span_track[i]] += profile->span_kind[i] == SPAN_OPERATOR;
	uint32_t best = NO_ROW;
	for (uint32_t i = 0; i < profile->track_count; i++)
		if (best == NO_ROW || ops[i] > ops[best])
			best = i;
	return best;
}

static void dlprof_spans_add_steps(struct dlprof_spans_adding *adding)
{
	uint32_t track = busiest_track(adding);
	for (size_t i = 0; track != NO_ROW && adding->newest && i < adding->newest->iteration_count;
	     i++) {
		const struct dlprof_iteration *iteration = &adding->newest->iteration[i];
		uint32_t name = profile_print(adding->profile, "DLProf iteration#%lld",
					      (long long)iteration->number);
		builder_span(adding->builder, SPAN_ANNOTATION, track, name, iteration->start,
			     iteration->stop - iteration->start, NO_ROW);
	}
}

/* ---- calls and device activities ---- */

/* Strips the version: "cudaMemcpyAsync_v3020" is cudaMemcpyAsync. */
static uint32_t api_name(struct dlprof_spans_adding *adding, const struct dlprof_call *call)
{
	if (call->kind == DLPROF_KERNEL) /* DLProf stores the kernel's name instead */
		return builder_key(adding->builder, "kernel launch");
	const char *name = string(adding, call->name), *version = strrchr(name, '_');
	if (version && version[1] == 'v' && version[2] &&
	    version[2 + strspn(version + 2, "0123456789")] == 0)
		return intern_add(adding->profile->strings, name, (size_t)(version - name));
	return call->name;
}

static uint32_t work_name(struct dlprof_spans_adding *adding, const struct dlprof_call *call)
{
	enum { LAST_KIND = 10 }; /* PtoP */
	if (call->kind == DLPROF_KERNEL)
		return call->long_name ? call->long_name : call->name;
	if (call->kind == DLPROF_MEMSET)
		return builder_key(adding->builder, "Memset");
	if (call->copy_kind <= 0 || call->copy_kind > LAST_KIND)
		return builder_key(adding->builder, "Memcpy");
	return cuda_copy_name(adding->profile, call->copy_kind, NO_VALUE, NO_VALUE,
			      CUDA_MEMORY_FROM_0);
}

static uint32_t dlprof_spans_add_config(struct dlprof_spans_adding *adding,
					const struct dlprof_call *call)
{
	struct launch_config config = launch_config_unknown();
	memcpy(config.grid, call->grid, sizeof config.grid);
	memcpy(config.block, call->block, sizeof config.block);
	return builder_config(adding->builder, &config);
}

/* DLProf does not record streams: one lane per device. */
static void dlprof_spans_add_work(struct dlprof_spans_adding *adding,
				  const struct dlprof_call *call, int64_t correlation)
{
	static const enum activity_kind kinds[] = {
		[DLPROF_KERNEL] = ACTIVITY_KERNEL,
		[DLPROF_MEMSET] = ACTIVITY_MEMSET,
		[DLPROF_MEMCPY] = ACTIVITY_MEMCPY,
	};
	uint32_t process = builder_process(adding->builder, call->process, 0);
	struct activity activity = activity_of(kinds[call->kind]);
	activity.track = builder_track(adding->builder, process, NO_VALUE, 0, call->device);
	activity.name = work_name(adding, call);
	activity.config =
		call->kind == DLPROF_KERNEL ? dlprof_spans_add_config(adding, call) : NO_ROW;
	activity.start = call->gpu_start;
	activity.dur = call->gpu_stop - call->gpu_start;
	activity.correlation = correlation;
	activity.bytes = call->bytes;
	builder_activity(adding->builder, &activity);
}

static void dlprof_spans_add_calls(struct dlprof_spans_adding *adding)
{
	for (size_t i = 0; i < adding->dlprof->call_count; i++) {
		const struct dlprof_call *call = &adding->dlprof->calls[i];
		struct call_info info = { (int64_t)i + 1, NO_VALUE };
		builder_span(adding->builder, SPAN_RUNTIME,
			     host_track(adding, call->process, call->thread),
			     api_name(adding, call), call->api_start,
			     call->api_stop - call->api_start,
			     builder_call_info(adding->builder, &info));
		if (call->kind <= DLPROF_MEMCPY)
			dlprof_spans_add_work(adding, call, info.correlation);
	}
}

/* ---- machine ---- */

/* The memory of each GPU, if all have the same; NO_VALUE. */
static int64_t memory_of_each(const struct dlprof *dlprof)
{
	bool all = dlprof->memory_count && dlprof->memory_count == dlprof->gpu_count;
	for (size_t i = 1; all && i < dlprof->memory_count; i++)
		all = dlprof->memories[i].total == dlprof->memories[0].total;
	return all ? dlprof->memories[0].total : NO_VALUE;
}

static void dlprof_spans_add_devices(struct dlprof_spans_adding *adding)
{
	int64_t memory = memory_of_each(adding->dlprof);
	for_each (gpu, adding->dlprof->gpus, adding->dlprof->gpu_count) {
		struct device *device = builder_device(adding->builder, gpu->device);
		if (!device)
			return;
		MEMBERS(device, gpu,
			TAKE(name) TAKE(compute_major) TAKE(compute_minor) TAKE(sm_count));
		device->memory_bytes = memory;
	}
}

/*
 * Instances become operators, named by type, inside the functions or scopes of their paths; CUDA
 * calls become runtime calls and device activities; iterations of the most recent aggregation
 * become steps. Reads PROFILE's struct dlprof.
 */
static void dlprof_add_spans(struct profile *profile, struct builder *builder)
{
	const struct dlprof *dlprof = dlprof_of(profile);
	size_t count = dlprof->aggregation_count;
	struct dlprof_spans_adding adding = {
		.profile = profile,
		.dlprof = dlprof,
		.builder = builder,
		.texts = mem_zalloc(dlprof->op_count + 1, sizeof *adding.texts),
		.newest = count ? &dlprof->aggregations[count - 1] : NULL,
	};
	add_operators(&adding);
	dlprof_spans_add_steps(&adding);
	dlprof_spans_add_calls(&adding);
	dlprof_spans_add_devices(&adding);
	for (int i = 0; i < DLPROF_FACTS; i++)
		if (dlprof_fact_keys[i])
			builder_fact(adding.builder, dlprof_fact_keys[i], adding.dlprof->fact[i]);
	mem_free(adding.texts);
	buffer_free(&adding.text);
}

static bool dlprof_reader_read_table(struct dlprof_reader *reader, const struct dlprof_table *table,
				     struct error *error)
{
	if (table->needed && !sqlite_database_has(reader->database, table->name))
		return error_input(error, "is a DLProf database without table %s", table->name);
	AUTO_BUFFER struct buffer columns = { 0 };
	size_t count = 2; /* the id and the first */
	buffer_printf(&columns, "id! %s", table->columns);
	for (const char *at = table->columns; (at = strchr(at, ' ')); at++)
		count++;
	reader->table = table;
	reader->row = sqlite_rows_open(reader->database, table->name, buffer_text(&columns), count);
	while (sqlite_rows_next(&reader->row)) {
		table->take(reader);
		reader->profile->events++;
	}
	if (table->after)
		table->after(reader);
	return sqlite_database_ok(reader->database);
}

static bool read_tables(struct dlprof_reader *reader, const struct dlprof_table *tables,
			struct error *error)
{
	for (; tables->name; tables++)
		if (!dlprof_reader_read_table(reader, tables, error))
			return false;
	return true;
}

static void expect_tables(struct sqlite_database *database, const struct dlprof_table *tables)
{
	for (; tables->name; tables++)
		sqlite_database_expect(database, tables->name, "");
}

/* Memory in use of the GPUs, in the order of the file, as metadata. */
static void list_memories(struct dlprof_reader *reader)
{
	const struct dlprof *dlprof = reader->dlprof;
	struct buffer used = { 0 };
	char size[NUMBER_MAX];
	for (size_t i = 0; i < dlprof->memory_count; i++)
		buffer_printf(&used, "%s%s", i ? ", " : "",
			      number_bytes(size, (double)dlprof->memories[i].used));
	builder_fact(reader->builder, "GPU memory used", profile_take(reader->profile, &used));
}

/* Device names, as listed in the summary. */
static void list_gpus(struct dlprof_reader *reader)
{
	const struct dlprof *dlprof = reader->dlprof;
	struct buffer names = { 0 };
	for (size_t i = 0; i < dlprof->gpu_count; i++)
		buffer_printf(&names, "%s%s", i ? ", " : "",
			      profile_string(reader->profile, dlprof->gpus[i].name));
	reader->dlprof->fact[DLPROF_GPU_NAMES] = profile_take(reader->profile, &names);
}

static void free_reader(struct dlprof_reader *reader)
{
	struct id_map *const maps[] = { &reader->strings, &reader->ops, &reader->triples,
					&reader->domains };
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		id_map_clear(maps[i]);
	mem_free_all(reader->triple, reader->first_instance, reader->instance_of_op);
}

static bool dlprof_recognize(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "read_only_system_config");
}

static bool dlprof_read(struct sqlite_database *database, struct builder *builder,
			struct error *error)
{
	AUTO(free_reader)
	struct dlprof_reader reader = { .database = database,
					.profile = database->profile,
					.builder = builder,
					.dlprof = mem_zalloc(1, sizeof *reader.dlprof) };
	dlprof_attach(reader.dlprof, database->profile);
	expect_tables(database, dlprof_raw_tables);
	expect_tables(database, dlprof_stored_tables);
	bool done = read_tables(&reader, dlprof_raw_tables, error) &&
		    read_tables(&reader, dlprof_stored_tables, error);
	if (done) {
		list_gpus(&reader);
		list_memories(&reader);
		dlprof_add_spans(reader.profile, builder);
	}
	return done;
}

const struct reader dlprof_reader = { .format = "DLProf database (SQLite)",
				      .recognize_database = dlprof_recognize,
				      .read_database = dlprof_read };
