/*
 * What the rows of a recording refer to: strings, machines, processes, threads, agents, kernel
 * symbols, counters, tracks.
 */
#include "base/compare.h"
#include "input/rocm/rocpd_private.h"

#include <stdlib.h>

/* ---- lookups ---- */

struct rocpd_lane rocpd_place(const struct rocpd *rocpd, const struct sqlite_rows *rows)
{
	const struct rocpd_lane *lane = id_table_find(&rocpd->lanes, sqlite_int(rows, PLACE_LANE));
	struct rocpd_lane place = { .name = lane ? lane->name : 0 };
#define OWN_OR_OF_LANE(part, column)                                                               \
	place.part = sqlite_int(rows, column);                                                     \
	place.part = place.part == NO_VALUE && lane ? lane->part : place.part
	ROCPD_PLACES(OWN_OR_OF_LANE);
	return place;
}

uint32_t rocpd_process(const struct rocpd *rocpd, int64_t process)
{
	uint32_t known = id_find(rocpd->processes, process);
	return known != NO_ROW ? known : builder_process(rocpd->builder, process, 0);
}

uint32_t rocpd_thread(const struct rocpd *rocpd, const struct rocpd_lane *place)
{
	const struct rocpd_thread *thread = id_table_find(&rocpd->threads, place->thread);
	int64_t process = place->process, tid = thread ? thread->tid : place->thread;
	if (thread && process == NO_VALUE)
		process = thread->process;
	uint32_t track = builder_track(rocpd->builder, rocpd_process(rocpd, process), tid, 0, -1);
	if (thread && thread->name)
		rocpd->profile->tracks[track].name = thread->name;
	return track;
}

/* ---- strings ---- */

static struct hash *read_texts(struct rocpd *rocpd, const char *table, const char *columns)
{
	struct hash *texts = hash_new(64);
	rocpd_each (rows, rocpd, table, columns, 2)
		id_add(texts, sqlite_int(rows, 0), sqlite_intern(rows, 1));
	return texts;
}

/* ---- machines, processes, threads ---- */

/* A file of several machines says which; the first is left out. */
static void read_node(struct rocpd *rocpd)
{
	enum { HASH, HOST, COLUMNS };
	struct sqlite_rows *rows =
		rocpd_open(rocpd, "info_node", "hash hostname|machine_id:text", COLUMNS);
	if (sqlite_rows_next(&rows)) {
		int64_t hash = sqlite_int(rows, HASH);
		if (rocpd->first_node == NO_VALUE)
			rocpd->first_node = hash;
		else if (hash != rocpd->first_node)
			rocpd->machine = sqlite_intern(rows, HOST);
	}
	sqlite_rows_close(rows);
}

static uint32_t make_process(struct rocpd *rocpd, int64_t pid)
{
	if (!rocpd->machine)
		return builder_process(rocpd->builder, pid, 0);
	return builder_process(rocpd->builder, NO_VALUE,
			       profile_print(rocpd->profile, "[%.80s] %lld",
					     profile_string(rocpd->profile, rocpd->machine),
					     (long long)pid));
}

static void read_processes(struct rocpd *rocpd)
{
	enum { ID, PID, COLUMNS };
	struct sqlite_rows *rows = rocpd_open(rocpd, "info_process", "id! pid!", COLUMNS);
	rocpd->processes = hash_new(64);
	while (sqlite_rows_next(&rows)) {
		int64_t id = sqlite_int(rows, ID), pid = sqlite_int(rows, PID);
		if (id != NO_VALUE)
			hash_add(rocpd->processes, (uint64_t)id, make_process(rocpd, pid));
	}
}

static void read_threads(struct rocpd *rocpd)
{
	enum { ID, PROCESS, TID, NAME, COLUMNS };
	rocpd_each (rows, rocpd, "info_thread", "id! pid tid! name:text", COLUMNS) {
		struct rocpd_thread *thread =
			id_table_add(&rocpd->threads, sizeof *thread, sqlite_int(rows, ID));
		thread->process = sqlite_int(rows, PROCESS);
		thread->tid = sqlite_int(rows, TID);
		thread->name = sqlite_intern(rows, NAME);
	}
}

/* ---- agents ---- */

COMPARE_MEMBERS(compare_agents, struct rocpd_agent, UP(index) UP(id))

/* GPUs are numbered in the machine's order. */
static void number_agents(struct rocpd *rocpd)
{
	int32_t count = 0;
	struct rocpd_agent *agents = rocpd->agents.items;
	if (agents)
		qsort(agents, rocpd->agents.count, sizeof *agents, compare_agents);
	for (size_t i = 0; i < rocpd->agents.count; i++) {
		struct rocpd_agent *agent = &agents[i];
		id_add(rocpd->agents.places, agent->id, (uint32_t)i);
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
	rocpd_each (rows, rocpd, "info_agent",
		    "id! type:text absolute_index product_name:text name|generic_name:text",
		    COLUMNS) {
		size_t length;
		int64_t id = sqlite_int(rows, ID), index = sqlite_int(rows, INDEX);
		const char *type = sqlite_text(rows, TYPE, &length);
		if (id == NO_VALUE)
			continue;
		bool gpu = type && sqlite3_stricmp(type, "GPU") == 0;
		bool cpu = type && sqlite3_stricmp(type, "CPU") == 0;
		uint32_t product = sqlite_intern(rows, PRODUCT);
		/* their ids are added when they are in order */
		struct rocpd_agent *agent = id_table_add(&rocpd->agents, sizeof *agent, NO_VALUE);
		*agent = (struct rocpd_agent){
			.id = id,
			.index = index == NO_VALUE ? INT64_MAX : index,
			.device = gpu ? 0 : -1,
			.name = product ? product : sqlite_intern(rows, NAME),
			.known = gpu || cpu,
		};
	}
	number_agents(rocpd);
}

/* ---- kernel symbols ---- */

/* The name that people read; a symbol without one is that of the object file. */
static uint32_t symbol_name(struct rocpd *rocpd, const struct sqlite_rows *rows, size_t display,
			    size_t symbol)
{
	size_t length;
	uint32_t name = sqlite_intern(rows, display);
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
	rocpd_each (rows, rocpd, "info_kernel_symbol",
		    "id! display_name:text kernel_name:text arch_vgpr_count accum_vgpr_count",
		    COLUMNS) {
		struct rocpd_symbol *symbol =
			id_table_add(&rocpd->symbols, sizeof *symbol, sqlite_int(rows, ID));
		symbol->name = symbol_name(rocpd, rows, DISPLAY, SYMBOL);
		symbol->registers =
			add_known(sqlite_int(rows, VECTOR), sqlite_int(rows, ACCUMULATION));
	}
}

/* ---- tracks and counters ---- */

static void read_lanes(struct rocpd *rocpd)
{
	enum { ID = PLACE_COLUMNS, NAME, COLUMNS };
	rocpd_each (rows, rocpd, "track", ROCPD_PLACE " id! name_id", COLUMNS) {
		struct rocpd_lane own = rocpd_place(rocpd, rows);
		struct rocpd_lane *lane =
			id_table_add(&rocpd->lanes, sizeof *lane, sqlite_int(rows, ID));
		*lane = own;
		lane->name = rocpd_string(rocpd, sqlite_int(rows, NAME));
	}
}

static void read_pmcs(struct rocpd *rocpd)
{
	enum { ID, NAME, UNIT, AGENT, COLUMNS };
	rocpd_each (rows, rocpd, "info_pmc", "id! name|symbol:text! units:text agent_id", COLUMNS) {
		struct rocpd_pmc *pmc =
			id_table_add(&rocpd->pmcs, sizeof *pmc, sqlite_int(rows, ID));
		pmc->name = sqlite_intern(rows, NAME);
		pmc->unit = sqlite_intern(rows, UNIT);
		pmc->agent = sqlite_int(rows, AGENT);
	}
}

/* ---- the recording ---- */

/* The version of the tables, for the info view. */
static void read_version(struct rocpd *rocpd)
{
	rocpd_each (rows, rocpd, "metadata", "tag:text! value:text!", 2) {
		size_t length;
		const char *tag = sqlite_text(rows, 0, &length);
		if (tag && strcmp(tag, "schema_version") == 0 &&
		    !profile_metadata(rocpd->profile, "rocpd schema"))
			builder_metadata(rocpd->builder,
					 profile_intern(rocpd->profile, "rocpd schema"),
					 sqlite_intern(rows, 1));
	}
}

void rocpd_read_info(struct rocpd *rocpd)
{
	read_version(rocpd);
	rocpd->strings = read_texts(rocpd, "string", "id! string:text!");
	rocpd->categories = read_texts(rocpd, "info_category", "id! name:text!");
	read_node(rocpd);
	read_processes(rocpd);
	read_threads(rocpd);
	read_agents(rocpd);
	read_symbols(rocpd);
	read_lanes(rocpd);
	read_pmcs(rocpd);
}
