#include "tools/pyprof/pyprof_kernels.h"

#include "base/literal.h"

static void *make_room(struct arena *arena, size_t count, size_t size)
{
	return arena_alloc(arena, (count + 1) * size);
}

/* ---- from a net.dict ---- */

/* A line of it: the attributes of its kernel. */
struct dict_line {
	struct arena *arena;
	const struct profile *profile;
	const struct attribute *attributes;
	size_t count;
};

/* An attribute that is a bare text. */
static const char *dict_word(const struct dict_line *line, const char *key)
{
	for (size_t i = 0; i < line->count; i++)
		if (strcmp(profile_string(line->profile, line->attributes[i].key), key) == 0)
			return profile_string(line->profile, line->attributes[i].text);
	return "";
}

static const struct literal *dict_literal(const struct dict_line *line, const char *key)
{
	const char *text = dict_word(line, key);
	return literal_parse(line->arena, text, strlen(text));
}

static struct pyprof_texts dict_texts(const struct dict_line *line, const char *key)
{
	const struct literal *list = dict_literal(line, key);
	struct pyprof_texts texts = { 0 };
	if (!literal_is_sequence(list))
		return texts;
	texts.item = make_room(line->arena, list->count, sizeof *texts.item);
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind == LITERAL_TEXT)
			texts.item[texts.count++] = list->items[i].text;
	return texts;
}

static struct pyprof_ids dict_ids(const struct dict_line *line, const char *key)
{
	const struct literal *list = dict_literal(line, key);
	struct pyprof_ids ids = { 0 };
	if (!literal_is_sequence(list))
		return ids;
	ids.id = make_room(line->arena, list->count, sizeof *ids.id);
	for (size_t i = 0; i < list->count; i++)
		ids.count += literal_int(&list->items[i], &ids.id[ids.count]);
	return ids;
}

static int64_t dict_int(const struct dict_line *line, const char *key)
{
	int64_t value;
	return literal_int(dict_literal(line, key), &value) ? value : 0;
}

static void read_dict_kernel(struct pyprof_kernels *kernels, const struct profile *profile,
			     uint32_t activity)
{
	struct dict_line line = { .arena = kernels->arena, .profile = profile };
	line.attributes = profile_activity_attributes(profile, activity, &line.count);
	uint32_t call = profile->activity_launch[activity];
	kernels->kernels[kernels->count++] = (struct pyprof_kernel){
		.activity = activity,
		.line = dict_int(&line, "line"),
		.name = dict_word(&line, "kShortName"),
		.tid = call == NO_ROW ? 0 : profile->tracks[profile->span_track[call]].tid,
		.sub = dict_int(&line, "subSeqId"),
		.backward = strcmp(dict_word(&line, "dir"), "bprop") == 0,
		.layer = dict_texts(&line, "layer"),
		.trace = dict_texts(&line, "trace"),
		.marker = dict_texts(&line, "marker"),
		.repr = dict_texts(&line, "reprMarkers"),
		.sequences = dict_texts(&line, "seqMarker"),
		.mod = dict_texts(&line, "mod"),
		.op = dict_texts(&line, "op"),
		.seq = dict_ids(&line, "seqId"),
		.alt = dict_ids(&line, "altSeqId"),
	};
}

/* ---- interface ---- */

enum { DICT_WEIGHT = 64 }; /* weight of a kernel whose dict is parsed */

/* Kernels in file order; the caller frees the array. */
static uint32_t *kernels_in_order(const struct profile *profile, uint32_t *count)
{
	uint32_t max = 0, kept = 0;
	for (uint32_t i = 0; i < profile->activities; i++)
		raise_to(max, profile->activity_order[i]);
	uint32_t *rows = mem_no_rows((size_t)max + 1);
	for (uint32_t i = 0; i < profile->activities; i++)
		if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			rows[profile->activity_order[i]] = i;
	for (uint32_t i = 0; i <= max; i++)
		if (rows[i] != NO_ROW)
			rows[kept++] = rows[i];
	*count = kept;
	return rows;
}

bool pyprof_kernels_read(struct pyprof_kernels *kernels, const struct profile *profile,
			 const struct progress *progress)
{
	uint32_t count, *rows = kernels_in_order(profile, &count);
	*kernels = (struct pyprof_kernels){ .arena = arena_new() };
	mem_grow(kernels->kernels, count);
	bool dict = strcmp(profile->format, "PyProf net.dict") == 0;
	bool ok = dict || pyprof_ranges_read(kernels, profile, rows, count, progress);
	for (uint32_t i = 0; dict && ok && i < count; i++) {
		read_dict_kernel(kernels, profile, rows[i]);
		ok = progress_heavy_row(progress, "loading kernels", i, count, DICT_WEIGHT);
	}
	mem_free(rows);
	return ok;
}

FREE_MEMBERS(pyprof_kernels_free, struct pyprof_kernels, OWN_BY(arena_free, arena) OWN(kernels))
