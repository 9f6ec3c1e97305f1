/*
 * What the rows of a recording refer to: strings, machines, processes, threads, agents, kernel
 * symbols, counters, tracks.
 */
#include "input/rocm/rocpd_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lookups ---- */

static uint32_t rocpd_info_find(const struct hash *hash, int64_t id)
{
	size_t cursor;
	return id == NO_VALUE ? NO_ROW : hash_find(hash, (uint64_t)id, &cursor);
}

uint32_t rocpd_intern(struct rocpd *rocpd, const char *text)
{
	return text ? intern_add(rocpd->profile->strings, text, strlen(text)) : 0;
}

uint32_t rocpd_cell(struct rocpd *rocpd, const struct sqlite_rows *rows, size_t column)
{
	size_t length;
	const char *text = sqlite_text(rows, column, &length);
	return text ? intern_add(rocpd->profile->strings, text, length) : 0;
}

uint32_t rocpd_string(const struct rocpd *rocpd, int64_t id)
{
	uint32_t string = rocpd_info_find(rocpd->strings, id);
	if (string == NO_ROW && id != NO_VALUE)
		profile_damage(rocpd->profile, "name missing in the string table",
			       "kept without a name", UINT64_MAX);
	return string == NO_ROW ? 0 : string;
}

const struct rocpd_agent *rocpd_agent(const struct rocpd *rocpd, int64_t id)
{
	uint32_t at = rocpd_info_find(rocpd->agent_ids, id);
	return at == NO_ROW ? NULL : &rocpd->agents[at];
}

struct rocpd_lane rocpd_place(const struct rocpd *rocpd, const struct sqlite_rows *rows,
			      size_t first_column)
{
	struct rocpd_lane place = {
		.node = sqlite_int(rows, first_column + PLACE_NODE),
		.process = sqlite_int(rows, first_column + PLACE_PROCESS),
		.thread = sqlite_int(rows, first_column + PLACE_THREAD),
		.agent = sqlite_int(rows, first_column + PLACE_AGENT),
		.queue = sqlite_int(rows, first_column + PLACE_QUEUE),
		.stream = sqlite_int(rows, first_column + PLACE_STREAM),
	};
	uint32_t at = rocpd_info_find(rocpd->lane_ids, sqlite_int(rows, first_column + PLACE_LANE));
	if (at == NO_ROW)
		return place;
	const struct rocpd_lane *lane = &rocpd->lanes[at];
#define FROM_LANE(part) place.part = place.part == NO_VALUE ? lane->part : place.part
	FROM_LANE(node);
	FROM_LANE(process);
	FROM_LANE(thread);
	FROM_LANE(agent);
	FROM_LANE(queue);
	FROM_LANE(stream);
	place.name = lane->name;
	return place;
}

uint32_t rocpd_process(const struct rocpd *rocpd, int64_t process)
{
	uint32_t known = rocpd_info_find(rocpd->processes, process);
	return known != NO_ROW ? known : builder_process(rocpd->builder, process, 0);
}

uint32_t rocpd_thread(const struct rocpd *rocpd, const struct rocpd_lane *place)
{
	uint32_t at = rocpd_info_find(rocpd->thread_ids, place->thread), name = 0;
	int64_t process = place->process, tid = place->thread;
	if (at != NO_ROW) {
		process = process == NO_VALUE ? rocpd->threads[at].process : process;
		tid = rocpd->threads[at].tid;
		name = rocpd->threads[at].name;
	}
	uint32_t track = builder_track(rocpd->builder, rocpd_process(rocpd, process), tid, 0, -1);
	if (name)
		rocpd->profile->tracks[track].name = name;
	return track;
}

/* ---- strings ---- */

static void read_texts(struct rocpd *rocpd, const char *table, const char *column,
		       struct hash *texts)
{
	const struct sqlite_column columns[] = { { "id", COLUMN_INT, true },
						 { column, COLUMN_TEXT, true } };
	struct sqlite_rows *rows = rocpd_open(rocpd, table, columns, 2);
	while (sqlite_rows_next(rows)) {
		int64_t id = sqlite_int(rows, 0);
		if (id != NO_VALUE)
			hash_add(texts, (uint64_t)id, rocpd_cell(rocpd, rows, 1));
	}
	sqlite_rows_close(rows);
}

/* ---- machines, processes, threads ---- */

/* A file of several machines says which; the first is left out. */
static void read_node(struct rocpd *rocpd)
{
	enum { HASH, HOST, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[HASH] = { "hash", COLUMN_INT, false },
		[HOST] = { "hostname|machine_id", COLUMN_TEXT, false },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "info_node", columns, COLUMNS);
	if (sqlite_rows_next(rows)) {
		int64_t hash = sqlite_int(rows, HASH);
		if (rocpd->first_node == NO_VALUE)
			rocpd->first_node = hash;
		else if (hash != rocpd->first_node)
			rocpd->machine = rocpd_cell(rocpd, rows, HOST);
	}
	sqlite_rows_close(rows);
}

static uint32_t make_process(struct rocpd *rocpd, int64_t pid)
{
	if (!rocpd->machine)
		return builder_process(rocpd->builder, pid, 0);
	char label[128];
	snprintf(label, sizeof label, "[%.80s] %lld",
		 profile_string(rocpd->profile, rocpd->machine), (long long)pid);
	return builder_process(rocpd->builder, NO_VALUE, rocpd_intern(rocpd, label));
}

static void read_processes(struct rocpd *rocpd)
{
	enum { ID, PID, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[ID] = { "id", COLUMN_INT, true },
		[PID] = { "pid", COLUMN_INT, true },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "info_process", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t id = sqlite_int(rows, ID), pid = sqlite_int(rows, PID);
		if (id != NO_VALUE)
			hash_add(rocpd->processes, (uint64_t)id, make_process(rocpd, pid));
	}
	sqlite_rows_close(rows);
}

static void read_threads(struct rocpd *rocpd)
{
	enum { ID, PROCESS, TID, NAME, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[ID] = { "id", COLUMN_INT, true },
		[PROCESS] = { "pid", COLUMN_INT, false },
		[TID] = { "tid", COLUMN_INT, true },
		[NAME] = { "name", COLUMN_TEXT, false },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "info_thread", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t id = sqlite_int(rows, ID);
		if (id == NO_VALUE)
			continue;
		mem_grow(rocpd->threads, rocpd->thread_cap, rocpd->thread_count + 1);
		rocpd->threads[rocpd->thread_count] =
			(struct rocpd_thread){ sqlite_int(rows, PROCESS), sqlite_int(rows, TID),
					       rocpd_cell(rocpd, rows, NAME) };
		hash_add(rocpd->thread_ids, (uint64_t)id, (uint32_t)rocpd->thread_count++);
	}
	sqlite_rows_close(rows);
}

/* ---- agents ---- */

static int compare_agents(const void *a, const void *b)
{
	const struct rocpd_agent *x = a, *y = b;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* GPUs are numbered in the machine's order. */
static void number_agents(struct rocpd *rocpd)
{
	int32_t count = 0;
	if (rocpd->agent_count)
		qsort(rocpd->agents, rocpd->agent_count, sizeof *rocpd->agents, compare_agents);
	for (size_t i = 0; i < rocpd->agent_count; i++) {
		struct rocpd_agent *agent = &rocpd->agents[i];
		hash_add(rocpd->agent_ids, (uint64_t)agent->id, (uint32_t)i);
		if (agent->device < 0)
			continue;
		agent->device = count++;
		struct device *device = builder_device(rocpd->builder, agent->device);
		if (device && agent->name)
			device->name = agent->name;
	}
}

static void read_agents(struct rocpd *rocpd)
{
	enum { ID, TYPE, INDEX, PRODUCT, NAME, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[ID] = { "id", COLUMN_INT, true },
		[TYPE] = { "type", COLUMN_TEXT, false },
		[INDEX] = { "absolute_index", COLUMN_INT, false },
		[PRODUCT] = { "product_name", COLUMN_TEXT, false },
		[NAME] = { "name|generic_name", COLUMN_TEXT, false },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "info_agent", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		size_t length;
		int64_t id = sqlite_int(rows, ID), index = sqlite_int(rows, INDEX);
		const char *type = sqlite_text(rows, TYPE, &length);
		if (id == NO_VALUE)
			continue;
		bool gpu = type && sqlite3_stricmp(type, "GPU") == 0;
		bool cpu = type && sqlite3_stricmp(type, "CPU") == 0;
		uint32_t product = rocpd_cell(rocpd, rows, PRODUCT);
		mem_grow(rocpd->agents, rocpd->agent_cap, rocpd->agent_count + 1);
		rocpd->agents[rocpd->agent_count++] = (struct rocpd_agent){
			.id = id,
			.index = index == NO_VALUE ? INT64_MAX : index,
			.device = gpu ? 0 : -1,
			.name = product ? product : rocpd_cell(rocpd, rows, NAME),
			.known = gpu || cpu,
		};
	}
	sqlite_rows_close(rows);
	number_agents(rocpd);
}

/* ---- kernel symbols ---- */

/* The name that people read; a symbol without one is that of the object file. */
static uint32_t symbol_name(struct rocpd *rocpd, const struct sqlite_rows *rows, size_t display,
			    size_t symbol)
{
	size_t length;
	uint32_t name = rocpd_cell(rocpd, rows, display);
	const char *text = name ? NULL : sqlite_text(rows, symbol, &length);
	if (!text)
		return name;
	if (length > 3 && memcmp(text + length - 3, ".kd", 3) == 0)
		length -= 3;
	return intern_add(rocpd->profile->strings, text, length);
}

static int64_t add_known(int64_t a, int64_t b)
{
	int64_t sum;
	if (a < 0 || b < 0)
		return a < 0 ? NO_VALUE : a;
	return __builtin_add_overflow(a, b, &sum) ? NO_VALUE : sum;
}

static void read_symbols(struct rocpd *rocpd)
{
	enum { ID, DISPLAY, SYMBOL, VECTOR, ACCUMULATION, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[ID] = { "id", COLUMN_INT, true },
		[DISPLAY] = { "display_name", COLUMN_TEXT, false },
		[SYMBOL] = { "kernel_name", COLUMN_TEXT, false },
		[VECTOR] = { "arch_vgpr_count", COLUMN_INT, false },
		[ACCUMULATION] = { "accum_vgpr_count", COLUMN_INT, false },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "info_kernel_symbol", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t id = sqlite_int(rows, ID);
		if (id == NO_VALUE)
			continue;
		mem_grow(rocpd->symbols, rocpd->symbol_cap, rocpd->symbol_count + 1);
		rocpd->symbols[rocpd->symbol_count] = (struct rocpd_symbol){
			.name = symbol_name(rocpd, rows, DISPLAY, SYMBOL),
			.registers =
				add_known(sqlite_int(rows, VECTOR), sqlite_int(rows, ACCUMULATION)),
		};
		hash_add(rocpd->symbol_ids, (uint64_t)id, (uint32_t)rocpd->symbol_count++);
	}
	sqlite_rows_close(rows);
}

/* ---- tracks and counters ---- */

static void read_lanes(struct rocpd *rocpd)
{
	enum { ID = PLACE_COLUMNS, NAME, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		ROCPD_PLACE,
		[ID] = { "id", COLUMN_INT, true },
		[NAME] = { "name_id", COLUMN_INT, false },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "track", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t id = sqlite_int(rows, ID);
		if (id == NO_VALUE)
			continue;
		struct rocpd_lane lane = rocpd_place(rocpd, rows, 0);
		lane.name = rocpd_string(rocpd, sqlite_int(rows, NAME));
		mem_grow(rocpd->lanes, rocpd->lane_cap, rocpd->lane_count + 1);
		rocpd->lanes[rocpd->lane_count] = lane;
		hash_add(rocpd->lane_ids, (uint64_t)id, (uint32_t)rocpd->lane_count++);
	}
	sqlite_rows_close(rows);
}

static void read_pmcs(struct rocpd *rocpd)
{
	enum { ID, NAME, UNIT, AGENT, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[ID] = { "id", COLUMN_INT, true },
		[NAME] = { "name|symbol", COLUMN_TEXT, true },
		[UNIT] = { "units", COLUMN_TEXT, false },
		[AGENT] = { "agent_id", COLUMN_INT, false },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "info_pmc", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t id = sqlite_int(rows, ID);
		if (id == NO_VALUE)
			continue;
		mem_grow(rocpd->pmcs, rocpd->pmc_cap, rocpd->pmc_count + 1);
		rocpd->pmcs[rocpd->pmc_count] = (struct rocpd_pmc){ rocpd_cell(rocpd, rows, NAME),
								    rocpd_cell(rocpd, rows, UNIT),
								    sqlite_int(rows, AGENT) };
		hash_add(rocpd->pmc_ids, (uint64_t)id, (uint32_t)rocpd->pmc_count++);
	}
	sqlite_rows_close(rows);
}

/* ---- the recording ---- */

/* The version of the tables, for the info view. */
static void read_version(struct rocpd *rocpd)
{
	static const struct sqlite_column columns[] = { { "tag", COLUMN_TEXT, true },
							{ "value", COLUMN_TEXT, true } };
	struct sqlite_rows *rows = rocpd_open(rocpd, "metadata", columns, 2);
	while (sqlite_rows_next(rows)) {
		size_t length;
		const char *tag = sqlite_text(rows, 0, &length);
		if (tag && strcmp(tag, "schema_version") == 0 &&
		    !profile_metadata(rocpd->profile, "rocpd schema"))
			builder_metadata(rocpd->builder, rocpd_intern(rocpd, "rocpd schema"),
					 rocpd_cell(rocpd, rows, 1));
	}
	sqlite_rows_close(rows);
}

void rocpd_read_info(struct rocpd *rocpd)
{
	read_version(rocpd);
	read_texts(rocpd, "string", "string", rocpd->strings);
	read_texts(rocpd, "info_category", "name", rocpd->categories);
	read_node(rocpd);
	read_processes(rocpd);
	read_threads(rocpd);
	read_agents(rocpd);
	read_symbols(rocpd);
	read_lanes(rocpd);
	read_pmcs(rocpd);
}
