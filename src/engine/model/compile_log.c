#include "model/compile_log.h"

#include "base/binary_search.h"
#include "base/buffer.h"
#include "model/profile.h"

#include <stdlib.h>

void compile_log_free(struct compile_log *log)
{
	for (int kind = 0; log && kind < COMPILE_KINDS; kind++)
		mem_free(log->items[kind].at);
	if (log)
		mem_free_all(log->path, log);
}

size_t compile_log_size(const struct compile_log *log)
{
	size_t size = log ? sizeof *log : 0;
	for (int kind = 0; log && kind < COMPILE_KINDS; kind++)
		size += mem_rows(log->items[kind].at, log->items[kind].count);
	return size;
}

struct compile_item *compile_add(struct compile_log *log, enum compile_kind kind, uint32_t id)
{
	struct compile_items *items = &log->items[kind];
	struct compile_item *item = mem_push(items->at, items->count);
	*item = (struct compile_item){ .id = id };
	for (int i = 0; i < COMPILE_NUMBERS; i++)
		item->number[i] = NO_VALUE;
	return item;
}

/* ---- kernels of events ---- */

struct compile_key compile_key_of(const struct profile *profile, uint32_t activity)
{
	static const char region[] = "Torch-Compiled Region: ";
	struct compile_key key = { profile->activity_name[activity], NO_ROW, 0 };
	uint32_t file = profile_find(profile, "kernel_file");
	for (uint32_t span = profile->activity_launch[activity]; span != NO_ROW && !key.id;
	     span = profile->span_parent[span]) {
		const char *name = profile_string(profile, profile->span_name[span]);
		if (key.file == NO_ROW)
			key.file = profile_span_attribute(profile, span, file);
		if (strncmp(name, region, strlen(region)) == 0)
			key.id = profile_find(profile, name + strlen(region));
	}
	return key;
}

const struct compile_item *compile_kernel(const struct compile_log *log, struct compile_key key)
{
	const struct compile_items *kernels = &log->items[OF_KERNEL];
	const struct compile_item *found = NULL;
	for (size_t i = kernels->count; i--;) {
		const struct compile_item *kernel = &kernels->at[i];
		if (kernel->text[KERNEL_NAME] != key.name)
			continue;
		if (kernel->id == key.id || kernel->text[KERNEL_OWN_FILE] == key.file)
			return kernel;
		found = found ?: kernel;
	}
	return found;
}

/* ---- time ---- */

/* The latest compilation of an id; NULL. */
static const struct compile_item *compile_with_id(const struct compile_log *log, uint32_t id)
{
	const struct compile_items *all = &log->items[OF_COMPILATION];
	for (size_t i = all->count; i--;)
		if (all->at[i].id == id)
			return &all->at[i];
	return NULL;
}

const struct compile_item *compile_during(const struct profile *profile, int64_t from, int64_t to)
{
	uint32_t lane = profile_find(profile, CATEGORY_COMPILE);
	uint32_t key = profile_find(profile, COMPILE_ID), longest = NO_ROW;
	int64_t most = (to - from + 1) / 2;
	for (size_t t = 0; profile->compile && lane != NO_ROW && t < profile->track_count; t++) {
		const struct track *track = &profile->tracks[t];
		uint32_t end = track->first_span + track->spans;
		if (track->name != lane)
			continue;
		for (uint32_t i = search_first(at, track->first_span, end,
					       profile_span_end(profile, at) > from);
		     i < end && profile->span_start[i] < to; i++) {
			int64_t start = profile->span_start[i], last = profile_span_end(profile, i);
			int64_t common = (last < to ? last : to) - (start > from ? start : from);
			longest = common >= most ? i : longest;
			most = common > most ? common : most;
		}
	}
	return longest == NO_ROW ? NULL
				 : compile_with_id(profile->compile,
						   profile_span_attribute(profile, longest, key));
}

void compile_why(const struct profile *profile, const struct compile_item *item, struct buffer *out)
{
	const char *reason = profile_string(profile, item->text[COMPILE_REASON]);
	AUTO_BUFFER struct buffer how = { 0 };
	buffer_printf(out, "%s compiled %s", profile_string(profile, item->text[COMPILE_FUNCTION]),
		      *reason ? "again: " : "for the first time");
	compile_reason_words(reason, out, &how);
}

/* ---- guards in words ---- */

/* The name in "L['x']", "L['self'].layers": without the scope around its first part. */
static void add_name(struct buffer *out, const char *text, size_t length)
{
	const char *close = length > 4 && strchr("LG", *text) && text[1] == '['
				    ? memmem(text + 3, length - 3, "']", 2)
				    : NULL;
	if (close) {
		buffer_add(out, text + 3, (size_t)(close - text) - 3);
		length -= (size_t)(close - text) + 2;
		text = close + 2;
	}
	buffer_add(out, text, length);
}

/* Parts of guards, and what they mean of the name before or after; "%ld" is a dimension. */
static const struct guard_form {
	const char *part;
	bool before; /* the name ends where the part begins */
	const char *words, *how;
} forms[] = { GUARD_FORM_ROWS };

static void describe(const struct guard_form *form, const char *guard, struct buffer *words,
		     struct buffer *how)
{
	const char *at = strstr(guard, form->part), *after = at + strlen(form->part);
	const char *name = form->before ? guard : after;
	if (form->before && strncmp(name, "tensor '", 8) == 0)
		name += 8;
	for (const char *c = name; form->before && c < at; c++)
		if (strchr("( ", *c))
			name = c + 1; /* "2 <= L['x'].size()[0]" */
	size_t length = form->before ? (size_t)(at - name) : strcspn(name, ",)");
	bool dimension = form->words[0] != ' ';
	buffer_puts(words, dimension ? form->words : "");
	add_name(words, name, length);
	if (dimension)
		buffer_printf(words, " changed in dimension %ld: %s", strtol(after, NULL, 10),
			      strstr(after, "expected ") ?: guard);
	else
		buffer_printf(words, "%s%s", form->words, form->before ? after : "");
	buffer_puts(how, form->how);
	if (form->how[strlen(form->how) - 1] != '(')
		return;
	add_name(how, name, length);
	buffer_printf(how, ", %ld), or mark_unbacked() where 0 and 1 occur",
		      strtol(after, NULL, 10));
}

void compile_reason_words(const char *reason, struct buffer *words, struct buffer *how)
{
	const char *colon = strstr(reason, ": ");
	bool numbered = colon && strspn(reason, "!0123456789/") == (size_t)(colon - reason);
	const char *text = numbered ? colon + 2 : reason;
	size_t length = strcspn(text, "\n#");
	while (length && text[length - 1] == ' ')
		length--;
	AUTO_FREE char *guard = mem_strndup(text, length);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strstr(guard, forms[i].part)) {
			describe(&forms[i], guard, words, how);
			return;
		}
	buffer_puts(words, guard);
}
