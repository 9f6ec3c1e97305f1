#include "model/stored_profile.h"

#include "base/any_of.h"
#include "base/parallel.h"
#include "model/frames.h"
#include "model/tool.h"
#include "text_tables.h"

/* A new member needs a line below, and the new size here. */
_Static_assert(sizeof(void *) != 8 || sizeof(struct profile) == 944,
	       "the tables below lack a member");

#define STORED_OWNER struct profile
#define SPANS(type, column, ids) STORED_COLUMN(column, STORED_SPANS),
#define ACTIVITIES(type, column, ids) STORED_COLUMN(column, STORED_ACTIVITIES),
#define ROWS(type, rows, prefix, counter) STORED_FIELD(prefix##_count, STORED_##counter),
#define TABLE_ROWS(type, rows, prefix, counter) STORED_COLUMN(rows, STORED_##counter),

static const struct stored_field fields[] = {
	PROFILE_NUMBER_ROWS STORED_FIELD(spans, STORED_SPANS),
	STORED_FIELD(activities, STORED_ACTIVITIES),
	STORED_FIELD(span_records, STORED_SPAN_RECORDS),
	PROFILE_TABLES(ROWS) STORED_NUMBER(sample_period),
	PROFILE_LISTS(ROWS) STORED_FIELD(damage_count, STORED_DAMAGES),
};

static const struct stored_column columns[] = {
	PROFILE_SPAN_COLUMNS(SPANS) STORED_COLUMN(span_record, STORED_SPAN_RECORDS),
	PROFILE_ACTIVITY_COLUMNS(ACTIVITIES) PROFILE_TABLES(TABLE_ROWS) PROFILE_LISTS(TABLE_ROWS)
};

/* Columns validated by check_rows are not listed. */
static const struct stored_index indexes[] = { PROFILE_INDEX_ROWS };

#define TABLE(array) array, sizeof(array) / sizeof *(array)

static const struct stored_table table = { "profile", TABLE(fields), TABLE(columns),
					   TABLE(indexes) };

bool stored_profile_possible(const struct profile *profile)
{
	return !profile->tool_data && !profile->python && !profile->snapshot && !profile->totals &&
	       !profile->flight && !profile->compile && !profile->requests && !profile->tables &&
	       !profile->partial && !profile->some_steps;
}

/* ---- the format name and damage texts ---- */

static size_t write_text(char *out, const char *text)
{
	size_t size = strlen(text) + 1;
	if (out)
		memcpy(out, text, size);
	return size;
}

/* Write all texts with their NULs to OUT (may be NULL); returns the bytes. */
static size_t write_texts(char *out, const struct profile *profile)
{
	size_t at = write_text(out, profile->format);
	for (size_t i = 0; i < profile->damage_count; i++) {
		at += write_text(out ? out + at : NULL, profile->damages[i].cause);
		at += write_text(out ? out + at : NULL, profile->damages[i].action);
	}
	return at;
}

struct damage_place {
	uint64_t count, offset;
};

static void add_texts(struct stored_pack *pack, const struct profile *profile)
{
	size_t size = write_texts(NULL, profile);
	char *texts = arena_alloc(pack->arena, size);
	struct damage_place *places =
		arena_alloc(pack->arena, profile->damage_count * sizeof *places);
	write_texts(texts, profile);
	for (size_t i = 0; i < profile->damage_count; i++)
		places[i] = (struct damage_place){ profile->damages[i].count,
						   profile->damages[i].offset };
	stored_add(pack, table.name, "texts", texts, size);
	stored_add(pack, table.name, "damages", places, profile->damage_count * sizeof *places);
}

/* The next text, or NULL. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, 0, (size_t)(end - text));
	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

static bool load_texts(struct profile *profile, const struct store *store, uint64_t damages)
{
	size_t size, bytes;
	const struct damage_place *places = store_find(store, "profile.damages", &bytes);
	const char *at = store_find(store, "profile.texts", &size), *end = at + size;
	if (!places || !at || bytes % sizeof *places || bytes / sizeof *places != damages)
		return false;
	profile->format = next_text(&at, end);
	profile->damages = mem_zalloc(damages, sizeof *profile->damages);
	for (uint64_t i = 0; i < damages; i++) {
		struct damage *damage = &profile->damages[i];
		damage->count = places[i].count;
		damage->offset = places[i].offset;
		damage->cause = next_text(&at, end);
		damage->action = damage->cause ? next_text(&at, end) : NULL;
		if (!damage->action)
			return false;
	}
	return profile->format && at == end;
}

/* ---- storing ---- */

static void set_limits(uint64_t *counts)
{
	counts[STORED_SPAN_KINDS] = SPAN_KINDS;
	counts[STORED_ACTIVITY_KINDS] = ACTIVITY_KINDS;
	counts[STORED_FLOW_KINDS] = FLOW_OTHER + 1;
	counts[STORED_THREAD_STATES] = THREAD_BLOCKED + 1;
	counts[STORED_FLAGS] = 2;
	counts[STORED_ROWS_MAX] = INT32_MAX;
}

void stored_profile_add(struct stored_pack *pack, const struct profile *profile, uint64_t *counts)
{
	stored_counts(&table, profile, counts);
	stored_add_object(pack, &table, profile, counts);
	stored_add_strings(pack, table.name, profile->strings);
	add_texts(pack, profile);
}

/* ---- restoring ---- */

/* Sums of column lengths are computed in 32 bits, like row numbers. */
static bool check_counts(const uint64_t *counts)
{
	for (int i = STORED_STRINGS; i <= STORED_DAMAGES; i++)
		if (counts[i] >= INT32_MAX)
			return false;
	if (counts[STORED_SPAN_RECORDS] && counts[STORED_SPAN_RECORDS] != counts[STORED_SPANS])
		return false;
	return counts[STORED_NAMES] <= counts[STORED_STRINGS];
}

static bool check_flag(const bool *flag)
{
	uint8_t byte;
	memcpy(&byte, flag, 1);
	return byte <= 1;
}

/* Tracks are adjacent and cover all rows. */
static bool check_tracks(const struct profile *profile)
{
	uint64_t spans = 0, activities = 0;
	for_each (track, profile->tracks, profile->track_count) {
		if ((track->spans && track->first_span != spans) ||
		    (track->activities && track->first_activity != activities) ||
		    (uint64_t)track->first_span + track->spans > profile->spans ||
		    (uint64_t)track->first_activity + track->activities > profile->activities)
			return false;
		spans += track->spans;
		activities += track->activities;
	}
	return spans == profile->spans && activities == profile->activities;
}

/* Callers precede their callees. */
static bool check_frames(const struct profile *profile)
{
	return !any_of(i, profile->frame_count,
		       profile->frames[i].caller != NO_ROW && profile->frames[i].caller >= i);
}

/* Sorted by track for binary search. */
static bool check_threads(const struct profile *profile)
{
	for (size_t i = 1; i < profile->sample_count; i++)
		if (profile->samples[i].track < profile->samples[i - 1].track)
			return false;
	for (size_t i = 1; i < profile->run_count; i++)
		if (profile->runs[i].track < profile->runs[i - 1].track)
			return false;
	return true;
}

/* What a span's info indexes depends on its kind. */
static bool check_info(const struct profile *profile, uint32_t span)
{
	uint32_t info = profile->span_info[span];
	switch (profile->span_kind[span]) {
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION: return info == NO_ROW || info < profile->op_info_count;
	case SPAN_RUNTIME: return info == NO_ROW || info < profile->call_info_count;
	case SPAN_INSTANT:
	case SPAN_OTHER: return info == NO_ROW || info < intern_count(profile->strings);
	default: return true;
	}
}

enum { PIECE = 1 << 16 };

struct stored_profile_checking {
	const struct profile *profile;
	atomic_bool bad;
};

/* Parents precede their children, subtrees stay in bounds. */
static void check_spans(void *context, size_t piece)
{
	struct stored_profile_checking *checking = context;
	const struct profile *profile = checking->profile;
	uint32_t first = (uint32_t)piece * PIECE, left = profile->spans - first;
	uint32_t end = first + (left < PIECE ? left : PIECE);
	bool good = true;
	for (uint32_t i = first; i < end; i++) {
		uint32_t size = profile->span_size[i], parent = profile->span_parent[i];
		good &= size >= 1 && size <= profile->spans - i;
		good &= parent < i || parent == NO_ROW;
		good &= check_info(profile, i);
	}
	if (!good)
		atomic_store(&checking->bad, true);
}

static bool check_rows(const struct profile *profile)
{
	struct stored_profile_checking checking = { .profile = profile };
	parallel_for(((size_t)profile->spans + PIECE - 1) / PIECE, check_spans, &checking);
	return !atomic_load(&checking.bad);
}

/* profile_size counts capacities. */
static void set_capacities(struct profile *profile)
{
#define SET_CAPACITY(type, rows, prefix, counter) profile->prefix##_cap = profile->prefix##_count;
	PROFILE_TABLES(SET_CAPACITY)
}

static bool load(struct profile *profile, uint64_t *counts, const struct store *store)
{
	struct intern *strings = stored_load_strings(table.name, store);
	if (!strings)
		return false;
	intern_free(profile->strings);
	profile->strings = strings;
	counts[STORED_STRINGS] = intern_count(strings);
	set_limits(counts);
	if (!stored_load_fields(&table, profile, counts, store) || !check_counts(counts) ||
	    !check_flag(&profile->truncated) || !check_flag(&profile->ids_per_process) ||
	    !check_flag(&profile->ids_in_order) || !check_flag(&profile->no_python) ||
	    !tool_exists(profile->tool) || !stored_load_columns(&table, profile, counts, store) ||
	    !load_texts(profile, store, counts[STORED_DAMAGES]))
		return false;
	set_capacities(profile);
	return stored_check(&table, profile, counts, store) && check_tracks(profile) &&
	       check_frames(profile) && check_threads(profile) && check_rows(profile);
}

struct profile *stored_profile_load(struct store *store, const char *path, uint64_t *counts)
{
	struct profile *profile = profile_new(path);
	profile->store = store;
	if (load(profile, counts, store))
		return profile;
	stored_profile_drop(profile);
	return NULL;
}

void stored_profile_drop(struct profile *profile)
{
	struct profile hollow = { .arena = profile->arena,
				  .strings = profile->strings,
				  .path = profile->path,
				  .damages = profile->damages };
	*profile = hollow;
	profile_free(profile);
}
