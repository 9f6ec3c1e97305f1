/*
 * Reads DLProf's correlated profile: ops, instances, CUDA calls.
 */
#include "input/dlprof/dlprof_private.h"

static void dlprof_raw_read_triple(struct dlprof_reader *reader, int column, int32_t out[3])
{
	uint32_t found = id_map_find(&reader->triples, row_int(reader, column));
	for (int i = 0; i < 3; i++)
		out[i] = found == NO_ROW ? -1 : reader->triple[found].of[i];
}

static void parse_string(struct dlprof_reader *reader)
{
	id_map_add(&reader->strings, row_id(reader), row_text(reader, 1));
}

static void parse_system(struct dlprof_reader *reader)
{
	struct dlprof *dlprof = reader->dlprof;
	for (int i = 0; i < DLPROF_FACTS; i++)
		if (i != DLPROF_GPU_NAMES)
			dlprof->fact[i] = row_text(reader, i + 1);
	uint32_t mode = row_text(reader, 3);
	dlprof->fact[DLPROF_GPU_NAMES] = 0;
	dlprof->pytorch = strcmp(profile_string(reader->profile, mode), "pytorch") == 0;
}

static void parse_setting(struct dlprof_reader *reader)
{
	const char *name = reader->table->columns;
	for (int i = 1; *name; i++) {
		int length = (int)strcspn(name, " ");
		builder_metadata(reader->builder,
				 profile_print(reader->profile, "%.*s", length, name),
				 builder_number(reader->builder, row_int(reader, i)));
		name += length + (name[length] == ' ');
	}
}

static void parse_gpu(struct dlprof_reader *reader)
{
	struct dlprof *dlprof = reader->dlprof;
	*mem_push(dlprof->gpus, dlprof->gpu_count) = (struct dlprof_gpu){
		row_small(reader, 1), row_text(reader, 2), row_int(reader, 3),
		row_int(reader, 4),   row_int(reader, 5),
	};
}

/* 0 of 0: it was not measured. */
static void parse_memory(struct dlprof_reader *reader)
{
	struct dlprof *dlprof = reader->dlprof;
	struct dlprof_memory memory = { row_int(reader, 1), row_int(reader, 2) };
	if (memory.total <= 0)
		return;
	*mem_push(dlprof->memories, dlprof->memory_count) = memory;
}

static void parse_op(struct dlprof_reader *reader)
{
	enum { ELIGIBLE, TOLERATED, UNASSOCIATED };
	struct dlprof *dlprof = reader->dlprof;
	id_map_add(&reader->ops, row_id(reader), (uint32_t)dlprof->op_count);
	int64_t status = row_int(reader, 5);
	*mem_push(dlprof->ops, dlprof->op_count) = (struct dlprof_op){
		.domain = (uint32_t)row_int(reader, 1),
		.id = row_string(reader, 2),
		.name = row_text(reader, 3),
		.type = row_string(reader, 4),
		.eligible = status == ELIGIBLE,
		.unassociated = status == UNASSOCIATED,
		.data_type = row_string(reader, 6),
		.input_format = row_string(reader, 7),
		.output_format = row_string(reader, 8),
		.parameter_format = row_string(reader, 9),
		.direction = row_string(reader, 10),
		.stack = row_text(reader, 11),
	};
}

static void parse_instance(struct dlprof_reader *reader)
{
	struct dlprof *dlprof = reader->dlprof;
	uint32_t op = id_map_find(&reader->ops, row_int(reader, 1));
	if (op == NO_ROW) {
		profile_skip(reader->profile, "instance of a missing op");
		return;
	}
	struct dlprof_instance *instance = mem_push(dlprof->instances, dlprof->instance_count);
	instance->op = op;
	instance->start = row_time(reader, 2);
	instance->stop = row_end(reader, 3, instance->start);
	instance->process = row_int(reader, 4);
	instance->thread = row_int(reader, 5);
	instance->input_shapes = row_string(reader, 6);
	instance->output_shapes = row_string(reader, 7);
	instance->parameters = row_string(reader, 8);
}

/* Calls refer to instances by index within their op. */
static void index_instances(struct dlprof_reader *reader)
{
	const struct dlprof *dlprof = reader->dlprof;
	uint32_t *first = mem_zalloc(dlprof->op_count + 2, sizeof *first);
	uint32_t *order = mem_alloc((dlprof->instance_count + 1) * sizeof *order);
	for (size_t i = 0; i < dlprof->instance_count; i++)
		first[dlprof->instances[i].op + 2]++;
	for (size_t i = 2; i < dlprof->op_count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < dlprof->instance_count; i++)
		order[first[dlprof->instances[i].op + 1]++] = (uint32_t)i;
	reader->first_instance = first;
	reader->instance_of_op = order;
}

static uint32_t instance_row(const struct dlprof_reader *reader, uint32_t op, int64_t place)
{
	if (op == NO_ROW || place < 0 ||
	    place >= (int64_t)reader->first_instance[op + 1] - reader->first_instance[op])
		return NO_ROW;
	return reader->instance_of_op[reader->first_instance[op] + (size_t)place];
}

/* Common columns of the call tables: op, instance index, name, times, place. */
static struct dlprof_call *dlprof_raw_parse_call(struct dlprof_reader *reader,
						 enum dlprof_call_kind kind)
{
	struct dlprof *dlprof = reader->dlprof;
	struct dlprof_call *call = mem_push(dlprof->calls, dlprof->call_count);
	*call = (struct dlprof_call){ .kind = kind, .bytes = NO_VALUE };
	call->op = id_map_find(&reader->ops, row_int(reader, 1));
	call->instance = instance_row(reader, call->op, row_int(reader, 2));
	call->name = row_string(reader, 3);
	call->api_start = row_time(reader, 4);
	call->api_stop = row_end(reader, 5, call->api_start);
	call->process = row_int(reader, 6);
	call->thread = row_int(reader, 7);
	return call;
}

static struct dlprof_call *parse_device_call(struct dlprof_reader *reader,
					     enum dlprof_call_kind kind)
{
	struct dlprof_call *call = dlprof_raw_parse_call(reader, kind);
	call->gpu_start = row_time(reader, 8);
	call->gpu_stop = row_end(reader, 9, call->gpu_start);
	call->device = row_small(reader, 10);
	return call;
}

static void parse_kernel(struct dlprof_reader *reader)
{
	struct dlprof_call *call = parse_device_call(reader, DLPROF_KERNEL);
	call->long_name = row_string(reader, 11);
	call->uses_tc = row_int(reader, 12) != 0;
	dlprof_raw_read_triple(reader, 13, call->grid);
	dlprof_raw_read_triple(reader, 14, call->block);
}

static void parse_memset(struct dlprof_reader *reader)
{
	parse_device_call(reader, DLPROF_MEMSET)->bytes = row_int(reader, 11);
}

static void parse_memcpy(struct dlprof_reader *reader)
{
	struct dlprof_call *call = parse_device_call(reader, DLPROF_MEMCPY);
	call->bytes = row_int(reader, 11);
	call->copy_kind = row_int(reader, 12);
}

static void parse_sync(struct dlprof_reader *reader)
{
	dlprof_raw_parse_call(reader, DLPROF_SYNC);
}

static void parse_other_call(struct dlprof_reader *reader)
{
	dlprof_raw_parse_call(reader, DLPROF_OTHER_CALL);
}

static void parse_triple(struct dlprof_reader *reader)
{
	mem_grow(reader->triple, reader->triple_count + 1);
	for (int i = 0; i < 3; i++)
		reader->triple[reader->triple_count].of[i] = row_small(reader, 1 + i);
	id_map_add(&reader->triples, row_id(reader), (uint32_t)reader->triple_count++);
}

/* ---- tables, in order of dependency ---- */

#define CALL "read_only_ops_id op_instance name_id api_start api_stop process_id thread_id"
#define DEVICE_CALL CALL " gpu_start gpu_stop device_id"

const struct dlprof_table dlprof_raw_tables[] = { DLPROF_RAW_ROWS{ .name = NULL } };
