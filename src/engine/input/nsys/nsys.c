#include "base/any_of.h"
#include "input/nsys/nsys_private.h"

#include "base/error.h"
#include "input/timeline_rows.h"

#include <inttypes.h>

/* StringIds and any one of these identify an export; captures with nothing recorded have none. */
static const char *const tables[] = { NSYS_TABLE_ROWS };

static bool nsys_recognize(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "StringIds") &&
	       any_of(i, sizeof tables / sizeof *tables,
		      sqlite_database_has(database, tables[i]) ||
			      sqlite_database_has_view(database, tables[i]));
}

/* ---- strings ---- */

static void nsys_read_strings(struct nsys *nsys)
{
	sqlite_each (rows, nsys->database, "StringIds", "id! value:text!", 2) {
		size_t length;
		int64_t id = sqlite_int(rows, 0);
		const char *value = sqlite_text(rows, 1, &length);
		if (id == NO_VALUE || !value)
			continue;
		struct nsys_text *text = id_table_add(&nsys->texts, sizeof *text, id);
		*text = (struct nsys_text){ arena_strndup(nsys->arena, value, length), length,
					    NO_ROW, NO_ROW, NO_ROW };
	}
}

struct nsys_text *nsys_text(struct nsys *nsys, int64_t id)
{
	if (id == NO_VALUE)
		return NULL;
	if (nsys->last_text && id == nsys->last_text_id)
		return nsys->last_text;
	nsys->last_text_id = id;
	nsys->last_text = id_table_find(&nsys->texts, id);
	if (nsys->last_text)
		return nsys->last_text;
	profile_damage(nsys->profile, "name missing in the string table", "kept without a name",
		       UINT64_MAX);
	return NULL;
}

uint32_t nsys_string(struct nsys *nsys, int64_t id)
{
	struct nsys_text *text = nsys_text(nsys, id);
	if (!text)
		return 0;
	if (text->string == NO_ROW)
		text->string = intern_add(nsys->profile->strings, text->text, text->length);
	return text->string;
}

/* ---- processes and threads ---- */

static void read_processes(struct nsys *nsys)
{
	enum { GLOBAL, PID, NAME, COLUMNS };
	sqlite_each (rows, nsys->database, "PROCESSES", "globalPid! pid name:text", COLUMNS) {
		struct nsys_pid *pid =
			id_table_add(&nsys->pids, sizeof *pid, sqlite_int(rows, GLOBAL));
		pid->pid = sqlite_int(rows, PID);
		pid->name = sqlite_intern(rows, NAME);
	}
}

static void read_thread_names(struct nsys *nsys)
{
	sqlite_each (rows, nsys->database, "ThreadNames", "globalTid! nameId! priority", 3) {
		int64_t global = sqlite_int(rows, 0), priority = sqlite_int(rows, 2);
		uint32_t name = nsys_string(nsys, sqlite_int(rows, 1));
		if (global == NO_VALUE)
			continue;
		if (name)
			hash_add(nsys->thread_names, (uint64_t)global, name);
		if (priority >= 0 && priority < NO_ROW)
			hash_add(nsys->priorities, (uint64_t)global, (uint32_t)priority);
	}
}

static void read_ranks(struct nsys *nsys)
{
	sqlite_each (rows, nsys->database, "MPI_RANKS", "globalTid! rank!", 2) {
		int64_t global = sqlite_int(rows, 0), rank = sqlite_int(rows, 1);
		if (global != NO_VALUE && rank >= 0 && rank < INT32_MAX)
			hash_add(nsys->ranks, (uint64_t)(global & ~NSYS_THREAD_BITS),
				 (uint32_t)rank);
	}
}

/* Processes of another machine than the first have the machine in their label and devices. */
static void set_machine(struct nsys *nsys, uint32_t process, int64_t machine)
{
	if (machine == nsys->machine)
		return;
	uint32_t number = hash_first(nsys->others, (uint64_t)machine);
	if (number == NO_ROW) {
		number = ++nsys->other_count;
		hash_add(nsys->others, (uint64_t)machine, number);
	}
	hash_add(nsys->hosts, process, number);
}

static uint32_t make_process(struct nsys *nsys, int64_t global)
{
	int64_t machine = (int64_t)((uint64_t)global >> 48);
	int64_t pid = (global >> 24) & NSYS_THREAD_BITS;
	uint32_t label = 0;
	const struct nsys_pid *known = id_table_find(&nsys->pids, global);
	if (known && known->pid != NO_VALUE)
		pid = known->pid;
	if (nsys->machine < 0)
		nsys->machine = machine;
	if (machine != nsys->machine) {
		label = profile_print(nsys->profile, "[machine %" PRId64 "] %" PRId64, machine,
				      pid);
	}
	uint32_t process = builder_process(nsys->builder, pid, label);
	set_machine(nsys, process, machine);
	uint32_t rank = hash_last(nsys->ranks, (uint64_t)global);
	nsys->profile->processes[process].name = known ? known->name : 0;
	nsys->profile->processes[process].rank = rank == NO_ROW ? -1 : (int32_t)rank;
	return process;
}

uint32_t nsys_process(struct nsys *nsys, int64_t global)
{
	if (global == NO_VALUE)
		return builder_process(nsys->builder, NO_VALUE, 0);
	global &= ~NSYS_THREAD_BITS;
	uint32_t process = hash_first(nsys->processes, (uint64_t)global);
	if (process != NO_ROW)
		return process;
	process = make_process(nsys, global);
	hash_add(nsys->processes, (uint64_t)global, process);
	return process;
}

int64_t nsys_device(const struct nsys *nsys, uint32_t process, int64_t device)
{
	enum { MACHINE_DEVICES = 64 };
	uint32_t host = hash_first(nsys->hosts, process);
	if (host != NO_ROW)
		return device < 0 ? device : device + (int64_t)host * MACHINE_DEVICES;
	int64_t pid = nsys->profile->processes[process].pid;
	uint32_t gpu = hash_first(nsys->devices, hash_pair((uint64_t)pid, (uint64_t)device));
	return gpu == NO_ROW ? device : gpu;
}

uint32_t nsys_thread(struct nsys *nsys, int64_t global)
{
	if (nsys->thread_count && global == nsys->last_thread)
		return nsys->last_track;
	uint32_t at = hash_first(nsys->threads, (uint64_t)global);
	if (at == NO_ROW) {
		int64_t tid = global == NO_VALUE ? NO_VALUE : global & NSYS_THREAD_BITS;
		at = (uint32_t)nsys->thread_count++;
		mem_grow(nsys->thread, nsys->thread_count);
		nsys->thread[at] = (struct nsys_thread){
			global, builder_track(nsys->builder, nsys_process(nsys, global), tid, 0, -1)
		};
		hash_add(nsys->threads, (uint64_t)global, at);
	}
	nsys->last_thread = global;
	return nsys->last_track = nsys->thread[at].track;
}

uint32_t nsys_lane(struct nsys *nsys, int64_t global, const char *label)
{
	return builder_track(nsys->builder, nsys_process(nsys, global), NO_VALUE,
			     profile_intern(nsys->profile, label), -1);
}

static void name_threads(struct nsys *nsys)
{
	for (size_t i = 0; i < nsys->thread_count; i++) {
		uint64_t global = (uint64_t)nsys->thread[i].global;
		struct track *track = &nsys->profile->tracks[nsys->thread[i].track];
		uint32_t name = hash_last(nsys->thread_names, global);
		uint32_t priority = hash_last(nsys->priorities, global);
		if (name != NO_ROW)
			track->name = name;
		if (priority != NO_ROW)
			track->priority = priority;
	}
}

/* ---- times ---- */

bool nsys_times(struct nsys *nsys, const struct sqlite_rows *rows, size_t start_column,
		size_t end_column, int64_t *start, int64_t *dur)
{
	*start = sqlite_int(rows, start_column);
	return row_times(nsys->profile, TIMES_OPEN_END | TIMES_ZEROS, *start,
			 sqlite_int(rows, end_column), dur);
}

/* ---- reading ---- */

static bool refuse_empty(const struct nsys *nsys, struct error *error)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (!sqlite_database_has(nsys->database, tables[i]) &&
		    sqlite_database_has_view(nsys->database, tables[i]))
			return error_input(
				error,
				"is an Nsight Systems export with a view in place of table %s; export it again: nsys export -t sqlite",
				tables[i]);
	return error_input(
		error,
		"is an Nsight Systems export without GPU events, API calls, NVTX ranges or samples; record with: nsys profile -t cuda,nvtx,osrt");
}

/* A file with a single rank gets its number. */
static void set_rank(struct profile *profile)
{
	int64_t rank = NO_VALUE;
	size_t ranks = 0;
	for (size_t i = 0; i < profile->process_count; i++) {
		if (profile->processes[i].rank < 0)
			continue;
		rank = profile->processes[i].rank;
		ranks++;
	}
	if (ranks == 1)
		profile->rank = rank;
}

static void nsys_read_all(struct nsys *nsys)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		sqlite_database_expect(nsys->database, tables[i], "");
	nsys_read_strings(nsys);
	read_processes(nsys);
	read_thread_names(nsys);
	read_ranks(nsys);
	nsys_read_target(nsys);
	nsys->graphs = nsys_graphs_read(nsys);
	nsys_read_activities(nsys);
	nsys_read_calls(nsys);
	nsys_read_ranges(nsys);
	nsys_read_samples(nsys);
	nsys_read_unified(nsys);
	nsys_read_threads(nsys);
	name_threads(nsys);
	set_rank(nsys->profile);
}

static bool nsys_read(struct sqlite_database *database, struct builder *builder,
		      struct error *error)
{
	struct nsys nsys = { .database = database,
			     .profile = database->profile,
			     .builder = builder,
			     .arena = arena_new(),
			     .processes = hash_new(16),
			     .ranks = hash_new(16),
			     .devices = hash_new(16),
			     .contexts = hash_new(16),
			     .threads = hash_new(64),
			     .thread_names = hash_new(64),
			     .priorities = hash_new(64),
			     .others = hash_new(4),
			     .hosts = hash_new(16),
			     .machine = -1 };
	nsys_read_all(&nsys);
	bool done = sqlite_database_ok(database) &&
		    (profile_has_rows(nsys.profile) || refuse_empty(&nsys, error));
	arena_free(nsys.arena);
	nsys_graphs_free(nsys.graphs);
	id_table_clear(&nsys.texts);
	id_table_clear(&nsys.pids);
	hash_free_all(nsys.processes, nsys.ranks, nsys.devices, nsys.contexts, nsys.others,
		      nsys.hosts, nsys.threads, nsys.thread_names, nsys.priorities);
	mem_free(nsys.thread);
	return done;
}

const struct reader nsys_reader = { .format = "Nsight Systems export (SQLite)",
				    .recognize_database = nsys_recognize,
				    .read_database = nsys_read };
