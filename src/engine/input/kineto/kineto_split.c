#include "input/kineto/kineto_split.h"

#include "base/error.h"
#include "input/kineto/kineto_layout.h"
#include "input/kineto/kineto_rows.h"
#include "model/append.h"

#include <pthread.h>
#include <string.h>

struct crew;

/* A thread with its current block and the part it fills. */
struct hand {
	struct crew *crew;
	pthread_t thread;
	bool is_caller; /* the thread that called split_read: it reports progress */
	char *text;
	size_t length; /* 0: no block awaiting its append */
	uint64_t offset, number;
	struct profile *part;
	struct builder *builder;
	struct rows *rows;
	struct layouts *layouts;
	struct append_map map;
	struct event event;
	struct event_log log;
};

struct crew {
	struct split *split;
	struct hand *hands;

	pthread_mutex_t reading; /* guards the source, the leftover text and the next number */
	uint64_t next;
	bool dry; /* no further block can be cut */

	pthread_mutex_t
		turn_lock; /* guards the two below; the worker whose turn it is owns the whole */
	pthread_cond_t turn_changed;
	uint64_t turn; /* number of the next block to append */
	bool stopped;
	struct error error; /* unless a block was merely not confirmed */
};

/* ---- cutting ---- */

static const char *back_over_blanks(const char *start, const char *at)
{
	while (at > start && (at[-1] == ' ' || at[-1] == '\n' || at[-1] == '\r' || at[-1] == '\t'))
		at--;
	return at;
}

/* The length up to the last apparent end of an event that is followed by another; 0: none. */
static size_t last_cut(const char *text, size_t length)
{
	const char *end = text + length, *brace = end;
	while ((brace = memrchr(text, '{', (size_t)(brace - text)))) {
		if (!event_begins(brace, end))
			continue;
		const char *comma = back_over_blanks(text, brace);
		if (comma == text || comma[-1] != ',')
			continue;
		const char *close = back_over_blanks(text, comma - 1);
		if (close > text && close[-1] == '}')
			return (size_t)(close - text);
	}
	return 0;
}

/* Cut the next block for HAND. False when there is none, or on failure with ERROR. */
static bool cut_block(struct crew *crew, struct hand *hand, struct error *error)
{
	struct split *split = crew->split;
	if (crew->dry)
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
	crew->dry = cut == 0;
	if (crew->dry)
		return false;
	char *text = hand->text;
	memcpy(text, split->text + cut, split->length - cut);
	hand->text = split->text;
	hand->length = cut;
	hand->offset = split->offset;
	hand->number = crew->next++;
	split->text = text;
	split->length -= cut;
	split->offset += cut;
	return true;
}

/* ---- reading ---- */

static bool parse_event(struct hand *hand, struct json_cursor *cursor)
{
	if (layouts_take(hand->layouts, cursor, &hand->event))
		return true;
	const char *start = cursor->at;
	struct event_log *log = layouts_learning(hand->layouts) ? &hand->log : NULL;
	if (*start != '{' || event_parse(cursor, &hand->event, log) != JSON_OK ||
	    hand->event.is_document)
		return false;
	if (log)
		layouts_learn(hand->layouts, start, cursor->at, &hand->event, log);
	return true;
}

/*
 * Read the events of the block into the part. False when it does not end after an event or contains
 * anything exceptional.
 */
static bool read_block(struct hand *hand)
{
	struct json_cursor cursor = { .at = hand->text, .end = hand->text + hand->length };
	while (cursor.at < cursor.end) {
		json_skip_blank(&cursor);
		if (cursor.at == cursor.end || *cursor.at != ',')
			return false;
		cursor.at++;
		json_skip_blank(&cursor);
		uint64_t offset = hand->offset + (uint64_t)(cursor.at - hand->text);
		if (cursor.at == cursor.end || !parse_event(hand, &cursor) ||
		    !rows_add_event(hand->rows, &hand->event, offset))
			return false;
	}
	return true;
}

static bool stop(struct crew *crew, const struct error *error)
{
	pthread_mutex_lock(&crew->turn_lock);
	crew->stopped = true;
	if (error && !crew->error.code)
		crew->error = *error;
	pthread_cond_broadcast(&crew->turn_changed);
	pthread_mutex_unlock(&crew->turn_lock);
	return false;
}

/* Wait until all blocks before NUMBER are appended. False when stopping. */
static bool await_turn(struct crew *crew, uint64_t number)
{
	pthread_mutex_lock(&crew->turn_lock);
	while (crew->turn != number && !crew->stopped)
		pthread_cond_wait(&crew->turn_changed, &crew->turn_lock);
	bool go_on = !crew->stopped;
	pthread_mutex_unlock(&crew->turn_lock);
	return go_on;
}

static void end_turn(struct crew *crew)
{
	pthread_mutex_lock(&crew->turn_lock);
	crew->turn++;
	pthread_cond_broadcast(&crew->turn_changed);
	pthread_mutex_unlock(&crew->turn_lock);
}

static bool take_block(struct hand *hand, struct error *error)
{
	pthread_mutex_lock(&hand->crew->reading);
	bool taken = cut_block(hand->crew, hand, error);
	pthread_mutex_unlock(&hand->crew->reading);
	return taken;
}

static bool report(struct hand *hand, struct error *error)
{
	struct split *split = hand->crew->split;
	if (!hand->is_caller)
		return true;
	/* under the lock: the reading worker reports progress too */
	pthread_mutex_lock(&hand->crew->reading);
	uint64_t rows = profile_rows(split->profile);
	source_report(split->source, rows, split->profile->events);
	bool go_on = progress_update(split->progress, "reading", source_consumed(split->source),
				     source_total(split->source), rows);
	pthread_mutex_unlock(&hand->crew->reading);
	return go_on || error_set(error, ERROR_CANCELLED, "cancelled");
}

/* Read and append one block. False when this worker is done. */
static bool work(void *context)
{
	struct hand *hand = context;
	struct crew *crew = hand->crew;
	struct error error = { 0 };
	if (!take_block(hand, &error))
		return error.code ? stop(crew, &error) : false;
	bool fits = read_block(hand);
	if (!await_turn(crew, hand->number))
		return false;
	if (!fits)
		return stop(crew, NULL);
	builder_append(crew->split->builder, hand->builder, &hand->map);
	if (!report(hand, &error))
		return stop(crew, &error);
	hand->length = 0;
	end_turn(crew);
	return true;
}

static void *run(void *context)
{
	struct hand *hand = context;
	struct error error = { 0 };
	while (mem_guard(work, hand, &error))
		;
	if (error.code)
		stop(hand->crew, &error);
	return NULL;
}

/* ---- threads ---- */

static void start_hand(struct crew *crew, struct hand *hand)
{
	hand->crew = crew;
	hand->text = mem_alloc(crew->split->block);
	hand->part = profile_new("");
	hand->part->no_python = crew->split->profile->no_python;
	hand->part->filter = crew->split->profile->filter;
	hand->builder = builder_new(hand->part);
	hand->rows = rows_new(hand->part, hand->builder);
	rows_keep_apart(hand->rows);
	hand->layouts = layouts_new();
}

static void free_hand(struct hand *hand)
{
	rows_free(hand->rows);
	layouts_free(hand->layouts);
	builder_free(hand->builder);
	profile_free(hand->part);
	append_map_free(&hand->map);
	mem_free(hand->text);
}

/* Prepend the blocks that were not appended to the leftover text. */
static void hand_back(struct crew *crew)
{
	struct split *split = crew->split;
	size_t length = split->length;
	for (unsigned i = 0; i < split->threads; i++)
		length += crew->hands[i].length;
	mem_grow(split->text, split->capacity, length);
	memmove(split->text + length - split->length, split->text, split->length);
	for (unsigned i = 0; i < split->threads; i++) {
		const struct hand *hand = &crew->hands[i];
		if (!hand->length)
			continue;
		size_t at = 0;
		for (unsigned j = 0; j < split->threads; j++)
			if (crew->hands[j].length && crew->hands[j].number < hand->number)
				at += crew->hands[j].length;
		memcpy(split->text + at, hand->text, hand->length);
	}
	split->offset -= length - split->length;
	split->length = length;
}

bool split_read(struct split *split)
{
	struct crew crew = { .split = split };
	unsigned started = 1;
	crew.hands = mem_zalloc(split->threads, sizeof *crew.hands);
	/* Workers' texts and this one are swapped, so all have the same capacity. */
	mem_grow(split->text, split->capacity, split->block);
	split->capacity = split->block;
	pthread_mutex_init(&crew.reading, NULL);
	pthread_mutex_init(&crew.turn_lock, NULL);
	pthread_cond_init(&crew.turn_changed, NULL);
	for (unsigned i = 0; i < split->threads; i++)
		start_hand(&crew, &crew.hands[i]);
	crew.hands[0].is_caller = true;
	while (started < split->threads &&
	       pthread_create(&crew.hands[started].thread, NULL, run, &crew.hands[started]) == 0)
		started++;
	run(&crew.hands[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(crew.hands[i].thread, NULL);
	hand_back(&crew);
	split->blocks = crew.turn;
	for (unsigned i = 0; i < split->threads; i++)
		free_hand(&crew.hands[i]);
	mem_free(crew.hands);
	pthread_cond_destroy(&crew.turn_changed);
	pthread_mutex_destroy(&crew.turn_lock);
	pthread_mutex_destroy(&crew.reading);
	if (crew.error.code)
		*split->error = crew.error;
	return !crew.error.code;
}
