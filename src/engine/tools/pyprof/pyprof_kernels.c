#include "tools/pyprof/pyprof_kernels.h"

#include "tools/pyprof/pyprof_ranges.h"
#include "base/literal.h"

#include <string.h>

static void *make_room(struct arena *arena, size_t count, size_t size)
{
	return arena_alloc(arena, (count + 1) * size);
}

/* ---- from a net.dict ---- */

static const struct literal *pyprof_kernels_attribute(struct arena *arena,
						      const struct profile *profile,
						      const struct attribute *attributes,
						      size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++) {
		const char *text = profile_string(profile, attributes[i].text);
		if (strcmp(profile_string(profile, attributes[i].key), key) == 0)
			return literal_parse(arena, text, strlen(text), NULL);
	}
	return NULL;
}

static struct pyprof_texts texts_of(struct arena *arena, const struct literal *list)
{
	struct pyprof_texts texts = { 0 };
	if (!literal_is_sequence(list))
		return texts;
	texts.item = make_room(arena, list->count, sizeof *texts.item);
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind == LITERAL_TEXT)
			texts.item[texts.count++] = list->items[i].text;
	return texts;
}

static struct pyprof_ids ids_of(struct arena *arena, const struct literal *list)
{
	struct pyprof_ids ids = { 0 };
	if (!literal_is_sequence(list))
		return ids;
	ids.id = make_room(arena, list->count, sizeof *ids.id);
	for (size_t i = 0; i < list->count; i++)
		ids.count += literal_int(&list->items[i], &ids.id[ids.count]);
	return ids;
}

static int64_t int_of(const struct literal *literal)
{
	int64_t value;
	return literal_int(literal, &value) ? value : 0;
}

/* An attribute that is a bare text. */
static const char *word(const struct profile *profile, const struct attribute *attributes,
			size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(profile_string(profile, attributes[i].key), key) == 0)
			return profile_string(profile, attributes[i].text);
	return "";
}

static void read_dict_kernel(struct pyprof_kernels *kernels, const struct profile *profile,
			     uint32_t activity)
{
	size_t count;
	const struct attribute *at = profile_activity_attributes(profile, activity, &count);
	struct arena *arena = kernels->arena;
	uint32_t call = profile->activity_launch[activity];
	struct pyprof_kernel *kernel = &kernels->kernels[kernels->count++];
	*kernel = (struct pyprof_kernel){
		.activity = activity,
		.line = int_of(pyprof_kernels_attribute(arena, profile, at, count, "line")),
		.name = word(profile, at, count, "kShortName"),
		.tid = call == NO_ROW ? 0 : profile->tracks[profile->span_track[call]].tid,
		.sub = int_of(pyprof_kernels_attribute(arena, profile, at, count, "subSeqId")),
		.backward = strcmp(word(profile, at, count, "dir"), "bprop") == 0,
		.layer = texts_of(arena,
				  pyprof_kernels_attribute(arena, profile, at, count, "layer")),
		.trace = texts_of(arena,
				  pyprof_kernels_attribute(arena, profile, at, count, "trace")),
		.marker = texts_of(arena,
				   pyprof_kernels_attribute(arena, profile, at, count, "marker")),
		.repr = texts_of(
			arena, pyprof_kernels_attribute(arena, profile, at, count, "reprMarkers")),
		.sequences = texts_of(
			arena, pyprof_kernels_attribute(arena, profile, at, count, "seqMarker")),
		.mod = texts_of(arena, pyprof_kernels_attribute(arena, profile, at, count, "mod")),
		.op = texts_of(arena, pyprof_kernels_attribute(arena, profile, at, count, "op")),
		.seq = ids_of(arena, pyprof_kernels_attribute(arena, profile, at, count, "seqId")),
		.alt = ids_of(arena,
			      pyprof_kernels_attribute(arena, profile, at, count, "altSeqId")),
	};
}

/* ---- interface ---- */

enum { DICT_WEIGHT = 64 }; /* weight of a kernel whose dict is parsed */

/* Kernels in file order; the caller frees the array. */
static uint32_t *kernels_in_order(const struct profile *profile, uint32_t *count)
{
	uint32_t max = 0, kept = 0;
	for (uint32_t i = 0; i < profile->activities; i++)
		if (profile->activity_order[i] > max)
			max = profile->activity_order[i];
	uint32_t *rows = mem_alloc(((size_t)max + 1) * sizeof *rows);
	memset(rows, 0xff, ((size_t)max + 1) * sizeof *rows);
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
	mem_grow(kernels->kernels, kernels->capacity, count);
	bool dict = strcmp(profile->format, "PyProf net.dict") == 0;
	bool ok = dict || pyprof_ranges_read(kernels, profile, rows, count, progress);
	for (uint32_t i = 0; dict && ok && i < count; i++) {
		read_dict_kernel(kernels, profile, rows[i]);
		ok = progress_heavy_row(progress, "loading kernels", i, count, DICT_WEIGHT);
	}
	mem_free(rows);
	return ok;
}

void pyprof_kernels_free(struct pyprof_kernels *kernels)
{
	arena_free(kernels->arena);
	mem_free(kernels->kernels);
}
