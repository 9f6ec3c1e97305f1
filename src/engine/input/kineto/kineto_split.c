#include "input/kineto/kineto_split.h"

#include "base/error.h"
#include "base/platform.h"
#include "input/kineto/kineto_layout.h"
#include "input/kineto/kineto_rows.h"
#include "model/append.h"

#include <pthread.h>

struct pool;

/* A thread with its current block and the part it fills. */
struct kineto_split_worker {
	struct pool *pool;
	pthread_t thread;
	bool is_caller; /* the thread that called split_read: it reports progress */
	char *text;
	size_t length; /* 0: no block awaiting its append */
	uint64_t offset, number;
	uint64_t rows_read; /* of all blocks up to its last one */
	struct profile *part;
	struct builder *builder;
	struct rows *rows;
	struct layouts *layouts;
	struct append_map map;
	struct event event;
};

struct pool {
	struct kineto_split *split;
	struct kineto_split_worker *workers;

	pthread_mutex_t read_lock; /* guards the source, the leftover text and the next number */
	uint64_t next;
	bool exhausted; /* no further block can be cut */

	pthread_mutex_t
		turn_lock; /* guards the two below; the worker whose turn it is owns the whole */
	pthread_cond_t turn_changed;
	uint64_t turn; /* number of the next block to append */
	bool stopped;
	struct error error; /* unless a block was merely not confirmed */
};

/* ---- cutting ---- */

static const char *skip_blanks_back(const char *start, const char *at)
{
	while (at > start && (at[-1] == ' ' || at[-1] == '\n' || at[-1] == '\r' || at[-1] == '\t'))
		at--;
	return at;
}

/* The length up to the last apparent end of an event that is followed by another; 0: none. */
static size_t last_cut(const char *text, size_t length)
{
	const char *end = text + length, *brace = end;
	while ((brace = platform_memrchr(text, '{', (size_t)(brace - text)))) {
		if (!event_begins(brace, end))
			continue;
		const char *comma = skip_blanks_back(text, brace);
		if (comma == text || comma[-1] != ',')
			continue;
		const char *close = skip_blanks_back(text, comma - 1);
		if (close > text && close[-1] == '}')
			return (size_t)(close - text);
	}
	return 0;
}

/* Cut the next block for WORKER. False when there is none, or on failure with ERROR. */
static bool cut_block(struct pool *pool, struct kineto_split_worker *worker, struct error *error)
{
	struct kineto_split *split = pool->split;
	if (pool->exhausted)
		return false;
	while (split->length < split->block && !split->at_end) {
		ptrdiff_t got = source_read(split->source, split->text + split->length,
					    split->block - split->length, error);
		if (got < 0)
			return false;
		split->at_end = got == 0;
		split->length += (size_t)got;
	}
	/* Leave the end of the text to sequential reading. */
	size_t cut = split->at_end ? 0 : last_cut(split->text, split->length);
	pool->exhausted = cut == 0;
	if (pool->exhausted)
		return false;
	char *text = worker->text;
	memcpy(text, split->text + cut, split->length - cut);
	worker->text = split->text;
	worker->length = cut;
	worker->offset = split->offset;
	worker->number = pool->next++;
	split->text = text;
	split->length -= cut;
	split->offset += cut;
	return true;
}

/* ---- reading ---- */

/*
 * Read the events of the block into the part. False when it does not end after an event or contains
 * anything exceptional.
 */
static bool kineto_split_read_block(struct kineto_split_worker *worker)
{
	struct json_cursor cursor = { .at = worker->text, .end = worker->text + worker->length };
	while (cursor.at < cursor.end) {
		json_skip_blank(&cursor);
		if (cursor.at == cursor.end || *cursor.at != ',')
			return false;
		cursor.at++;
		json_skip_blank(&cursor);
		uint64_t offset = worker->offset + (uint64_t)(cursor.at - worker->text);
		if (!layouts_parse(worker->layouts, &cursor, &worker->event) ||
		    !rows_add_event(worker->rows, &worker->event, offset))
			return false;
	}
	return true;
}

static bool stop(struct pool *pool, const struct error *error)
{
	pthread_mutex_lock(&pool->turn_lock);
	pool->stopped = true;
	if (error && !pool->error.code)
		pool->error = *error;
	pthread_cond_broadcast(&pool->turn_changed);
	pthread_mutex_unlock(&pool->turn_lock);
	return false;
}

/* Wait until all blocks before NUMBER are appended. False when stopping. */
static bool await_turn(struct pool *pool, uint64_t number)
{
	pthread_mutex_lock(&pool->turn_lock);
	while (pool->turn != number && !pool->stopped)
		pthread_cond_wait(&pool->turn_changed, &pool->turn_lock);
	bool check_cancelled = !pool->stopped;
	pthread_mutex_unlock(&pool->turn_lock);
	return check_cancelled;
}

static void end_turn(struct pool *pool)
{
	pthread_mutex_lock(&pool->turn_lock);
	pool->turn++;
	pthread_cond_broadcast(&pool->turn_changed);
	pthread_mutex_unlock(&pool->turn_lock);
}

/* It is held for less than it takes to be woken, mostly. */
static void lock_soon(pthread_mutex_t *lock)
{
	enum { YIELDS_MAX = 800 };
	for (int i = 0; i < YIELDS_MAX; i++) {
		if (pthread_mutex_trylock(lock) == 0)
			return;
		platform_yield();
	}
	pthread_mutex_lock(lock);
}

/*
 * Under the lock for reading: a lock of its own would have the next reader sleep. Sources without a
 * size, which need the number of events, are not split.
 */
static bool report(const struct kineto_split_worker *worker, struct error *error)
{
	const struct kineto_split *split = worker->pool->split;
	if (!worker->is_caller)
		return true;
	return progress_update(split->progress, "reading", source_consumed(split->source),
			       source_total(split->source), worker->rows_read) ||
	       error_cancelled(error);
}

static bool cut_next_block(struct kineto_split_worker *worker, struct error *error)
{
	lock_soon(&worker->pool->read_lock);
	bool taken = report(worker, error) && cut_block(worker->pool, worker, error);
	pthread_mutex_unlock(&worker->pool->read_lock);
	return taken;
}

/* Read and append one block. False when this worker is done. */
static bool work(void *context)
{
	struct kineto_split_worker *worker = context;
	struct pool *pool = worker->pool;
	struct error error = { 0 };
	if (!cut_next_block(worker, &error))
		return error.code ? stop(pool, &error) : false;
	bool fits = kineto_split_read_block(worker);
	if (!await_turn(pool, worker->number))
		return false;
	if (!fits)
		return stop(pool, NULL);
	builder_append(pool->split->builder, worker->builder, &worker->map);
	worker->rows_read = profile_rows(pool->split->profile);
	worker->length = 0;
	end_turn(pool);
	return true;
}

static void *kineto_split_run(void *context)
{
	struct kineto_split_worker *worker = context;
	struct error error = { 0 };
	while (mem_guard(work, worker, &error))
		;
	if (error.code)
		stop(worker->pool, &error);
	return NULL;
}

/* ---- threads ---- */

static void start_worker(struct pool *pool, struct kineto_split_worker *worker)
{
	worker->pool = pool;
	worker->rows_read = profile_rows(pool->split->profile);
	worker->text = mem_alloc(pool->split->block);
	worker->part = profile_new("");
	MEMBERS(worker->part, pool->split->profile, TAKE(no_python) TAKE(record_ids) TAKE(filter));
	worker->builder = builder_new(worker->part);
	worker->rows = rows_new(worker->part, worker->builder);
	rows_mark_part(worker->rows);
	worker->layouts = layouts_new();
}

STATIC_FREE_MEMBERS(free_worker, struct kineto_split_worker,
		    OWN_BY(rows_free, rows) OWN_BY(layouts_free, layouts)
			    OWN_BY(builder_free, builder) OWN_BY(profile_free, part)
				    OWN_IN(append_map_free, map) OWN(text))

/* Prepend the blocks that were not appended to the leftover text. */
static void return_blocks(struct pool *pool)
{
	struct kineto_split *split = pool->split;
	size_t length = split->length;
	for (unsigned i = 0; i < split->threads; i++)
		length += pool->workers[i].length;
	mem_grow_to(split->text, split->capacity, length);
	memmove(split->text + length - split->length, split->text, split->length);
	for (unsigned i = 0; i < split->threads; i++) {
		const struct kineto_split_worker *worker = &pool->workers[i];
		if (!worker->length)
			continue;
		size_t at = 0;
		for (unsigned j = 0; j < split->threads; j++)
			if (pool->workers[j].length && pool->workers[j].number < worker->number)
				at += pool->workers[j].length;
		memcpy(split->text + at, worker->text, worker->length);
	}
	split->offset -= length - split->length;
	split->length = length;
}

bool split_read(struct kineto_split *split)
{
	struct pool pool = { .split = split };
	unsigned started = 1;
	pool.workers = mem_zalloc(split->threads, sizeof *pool.workers);
	/* Workers' texts and this one are swapped, so all have the same capacity. */
	mem_grow_to(split->text, split->capacity, split->block);
	split->capacity = split->block;
	pthread_mutex_init(&pool.read_lock, NULL);
	pthread_mutex_init(&pool.turn_lock, NULL);
	pthread_cond_init(&pool.turn_changed, NULL);
	for (unsigned i = 0; i < split->threads; i++)
		start_worker(&pool, &pool.workers[i]);
	pool.workers[0].is_caller = true;
	while (started < split->threads &&
	       pthread_create(&pool.workers[started].thread, NULL, kineto_split_run,
			      &pool.workers[started]) == 0)
		started++;
	kineto_split_run(&pool.workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(pool.workers[i].thread, NULL);
	return_blocks(&pool);
	split->blocks = pool.turn;
	for (unsigned i = 0; i < split->threads; i++)
		free_worker(&pool.workers[i]);
	mem_free(pool.workers);
	pthread_cond_destroy(&pool.turn_changed);
	pthread_mutex_destroy(&pool.turn_lock);
	pthread_mutex_destroy(&pool.read_lock);
	if (pool.error.code)
		*split->error = pool.error;
	return !pool.error.code;
}
