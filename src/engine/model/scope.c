#include "model/scope.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/number.h"
#include "model/device_label.h"

#include <strings.h>

static const char *const phase_names[PHASES] = { PHASE_ROWS(LISTED_NAME) };

const char *phase_name(enum phase phase)
{
	return phase_names[phase];
}

void scope_init(struct scope *scope)
{
	memset(scope, 0, sizeof *scope);
	scope->rank = ANY_RANK;
	scope->layer = scope->operator_name = scope->operator_shapes = NO_ROW;
	scope->operator_stack = scope->kernel_name = scope->call = scope->track = NO_ROW;
	scope->function = NO_ROW;
}

void scope_copy(struct scope *to, const struct scope *from)
{
	*to = *from;
	to->under = from->under ? mem_strdup(from->under) : NULL;
	to->filter = from->filter ? mem_strdup(from->filter) : NULL;
}

void scope_clear(struct scope *scope)
{
	mem_free_all(scope->under, scope->filter);
	scope_init(scope);
}

void scope_add_phases(struct buffer *out, const struct scope *scope)
{
	size_t before = out->length;
	for (int i = 0; i < PHASES; i++)
		if (scope->phases >> i & 1)
			buffer_printf(out, "%s%s", out->length > before ? "," : "", phase_names[i]);
}

void scope_set_text(char **field, const char *text)
{
	char *copy = text ? mem_strdup(text) : NULL;
	mem_free(*field);
	*field = copy;
}

static bool text_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool list_equal(const struct scope_list *a, const struct scope_list *b)
{
	return a->count == b->count && memcmp(a->id, b->id, (size_t)a->count * sizeof *a->id) == 0;
}

bool scope_equal(const struct scope *a, const struct scope *b)
{
	return a->rank == b->rank && a->phases == b->phases && a->all_ranks == b->all_ranks &&
	       a->has_steps == b->has_steps &&
	       (!a->has_steps ||
		(a->step_first == b->step_first && a->step_last == b->step_last)) &&
	       a->has_time == b->has_time &&
	       (!a->has_time || (a->time_first == b->time_first && a->time_last == b->time_last)) &&
	       list_equal(&a->ranks, &b->ranks) && list_equal(&a->devices, &b->devices) &&
	       list_equal(&a->streams, &b->streams) && list_equal(&a->threads, &b->threads) &&
	       a->layer == b->layer && a->operator_name == b->operator_name &&
	       a->operator_shapes == b->operator_shapes && a->operator_stack == b->operator_stack &&
	       a->kernel_name == b->kernel_name && a->call == b->call && a->track == b->track &&
	       a->function == b->function && a->shortest == b->shortest &&
	       text_equal(a->under, b->under) && text_equal(a->filter, b->filter);
}

/* ---- options ---- */

typedef bool read_number(const char *text, size_t length, int64_t *value);

/* "A..B", "A..", "..B" or "A" (both ends). */
static bool read_range(const char *value, read_number *read, int64_t *first, int64_t *last,
		       bool *is_point)
{
	const char *dots = strstr(value, "..");
	*first = INT64_MIN;
	*last = INT64_MAX;
	*is_point = !dots;
	if (!dots) {
		if (!read(value, strlen(value), first))
			return false;
		*last = *first;
		return true;
	}
	size_t head = (size_t)(dots - value), tail = strlen(dots + 2);
	return (!head || read(value, head, first)) && (!tail || read(dots + 2, tail, last)) &&
	       (head || tail) && *first <= *last;
}

static bool set_steps(struct scope *scope, const char *value, struct error *error)
{
	bool is_point;
	if (!read_range(value, number_parse_int, &scope->step_first, &scope->step_last, &is_point))
		return error_usage(error, "invalid step range '%s' (example: 3..5)", value);
	scope->has_steps = true;
	return true;
}

/* "decode,mixed" */
static bool set_phases(struct scope *scope, const char *value, struct error *error)
{
	unsigned phases = 0;
	for (const char *at = value;; at++) {
		size_t length = strcspn(at, ","), i = 0;
		while (i < PHASES && (strlen(phase_names[i]) != length ||
				      memcmp(at, phase_names[i], length) != 0))
			i++;
		if (i == PHASES)
			return error_usage(
				error, "unknown phase '%.*s' (prefill, decode, mixed, idle, none)",
				(int)length, at);
		phases |= 1u << i;
		at += length;
		if (!*at)
			break;
	}
	scope->phases = phases;
	return true;
}

static bool set_time(struct scope *scope, const char *value, struct error *error)
{
	bool is_point;
	if (!read_range(value, number_parse_duration, &scope->time_first, &scope->time_last,
			&is_point))
		return error_usage(error, "invalid time range '%s' (example: 1.5ms..2ms)", value);
	if (is_point && scope->time_last < INT64_MAX)
		scope->time_last++;
	scope->has_time = true;
	return true;
}

/* A list item: a number, optionally after "GPU", "NPU" or "TPU", or "CPU" for -1. */
static bool read_item(const char *text, size_t length, int64_t *id)
{
	if (length == 3 && strncasecmp(text, "cpu", 3) == 0) {
		*id = -1;
		return true;
	}
	for (int kind = 0; kind < DEVICE_KINDS && length > 3; kind++)
		if (strncasecmp(text, device_kind_name(kind), 3) == 0) {
			bool good = number_parse_int(text + 3, length - 3, id) &&
				    (kind == DEVICE_GPU || (*id >= 0 && *id < DEVICE_NUMBER_MAX));
			if (good && kind != DEVICE_GPU)
				*id = device_of_kind(kind, (int32_t)*id);
			return good;
		}
	return number_parse_int(text, length, id);
}

static bool set_list(struct scope_list *list, const char *name, const char *value,
		     struct error *error)
{
	struct scope_list read = { .count = 0 };
	for (const char *at = value;; at++) {
		size_t length = strcspn(at, ",");
		if (read.count == SCOPE_LIST_MAX)
			return error_usage(error, "more than %d values for %s", SCOPE_LIST_MAX,
					   name);
		if (!read_item(at, length, &read.id[read.count++]))
			return error_usage(error, "'%.*s' is not a %s number", (int)length, at,
					   name);
		at += length;
		if (!*at)
			break;
	}
	*list = read;
	return true;
}

static bool set_ranks(struct scope *scope, const char *value, struct error *error)
{
	struct scope_list read;
	scope->all_ranks = strcmp(value, "all") == 0;
	if (scope->all_ranks) {
		scope->ranks.count = 0;
		scope->rank = ANY_RANK;
		return true;
	}
	if (!set_list(&read, "rank", value, error))
		return false;
	for (int i = 0; i < read.count; i++)
		if (read.id[i] < 0 || read.id[i] > INT32_MAX)
			return error_usage(error, "invalid rank '%s'", value);
	scope->ranks = read;
	scope->rank = (int)read.id[0];
	return true;
}

bool scope_set(struct scope *scope, const char *name, const char *value, struct error *error)
{
	if (strcmp(name, "steps") == 0)
		return set_steps(scope, value, error);
	if (strcmp(name, "phase") == 0)
		return set_phases(scope, value, error);
	if (strcmp(name, "time") == 0)
		return set_time(scope, value, error);
	if (strcmp(name, "rank") == 0)
		return set_ranks(scope, value, error);
	if (strcmp(name, "device") == 0)
		return set_list(&scope->devices, name, value, error);
	if (strcmp(name, "stream") == 0)
		return set_list(&scope->streams, name, value, error);
	if (strcmp(name, "thread") == 0)
		return set_list(&scope->threads, name, value, error);
	if (strcmp(name, "under") == 0)
		return scope_set_text(&scope->under, value), true;
	if (strcmp(name, "filter") == 0)
		return scope_set_text(&scope->filter, value), true;
	return error_usage(error, "unknown scope '%s'", name);
}
