#include "model/stored_profile.h"

#include "base/any_of.h"
#include "base/packed.h"
#include "base/parallel.h"
#include "model/frames.h"
#include "model/tool.h"

/* A new member needs a line below, and the new size here. */
_Static_assert(sizeof(void *) != 8 || sizeof(struct profile) == 824,
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

static const struct packed_type format_type =
	PACKED_TYPE(struct profile, PACKED(struct profile, format, NAME));
static const struct packed_type damage_type = PACKED_TYPE(
	struct damage, PACKED(struct damage, cause, NAME), PACKED(struct damage, action, NAME),
	PACKED(struct damage, count, NUMBER), PACKED(struct damage, offset, NUMBER));

static void add_texts(struct stored_pack *pack, const struct profile *profile)
{
	AUTO_BUFFER struct buffer bytes = { 0 }, rows = { 0 };
	AUTO_INTERN struct intern *texts = intern_new();
	const struct packing packing = { &rows, texts, profile->strings };
	packed_add_row(&packing, &format_type, profile);
	packed_add_rows(&packing, &damage_type, profile->damages, profile->damage_count);
	packed_add_texts(&bytes, texts);
	buffer_add(&bytes, rows.data, rows.length);
	stored_add(pack, table.name, "texts", arena_strndup(pack->arena, bytes.data, bytes.length),
		   bytes.length);
}

static bool load_texts(struct profile *profile, const struct store *store, uint64_t damages)
{
	size_t size, count;
	const char *bytes = store_find(store, "profile.texts", &size);
	if (!bytes)
		return false;
	struct packed packed = { bytes, bytes + size, false };
	AUTO(packed_texts_free) struct packed_texts texts = packed_take_texts(&packed);
	const struct unpacking unpacking = { &packed, &texts, profile->strings };
	packed_take_row(&unpacking, &format_type, profile);
	profile->damages = packed_take_rows(&unpacking, &damage_type, &count);
	return packed_ended(&packed) && count == damages;
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
	return !any_of(i, profile->sample_count,
		       i && profile->samples[i].track < profile->samples[i - 1].track) &&
	       !any_of(i, profile->run_count,
		       i && profile->runs[i].track < profile->runs[i - 1].track);
}

/* What a span's info indexes depends on its kind. */
static bool check_info(const struct profile *profile, uint32_t span)
{
	uint32_t info = profile->span_info[span];
	switch (profile->span_kind[span]) {
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION: return info == NO_ROW || info < profile->op_id_count;
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
	    !stored_flag_holds(&profile->truncated) ||
	    !stored_flag_holds(&profile->ids_per_process) ||
	    !stored_flag_holds(&profile->ids_in_order) || !stored_flag_holds(&profile->no_python) ||
	    !tool_exists(profile->tool) || !stored_load_columns(&table, profile, counts, store) ||
	    !load_texts(profile, store, counts[STORED_DAMAGES]))
		return false;
	return stored_check(&table, profile, counts, store) && check_tracks(profile) &&
	       check_frames(profile) && check_threads(profile) && check_rows(profile);
}

struct profile *stored_profile_load(struct store *store, const char *path, uint64_t *counts)
{
	struct profile *profile = profile_new(path);
	profile->store = store;
	return keep_if(load(profile, counts, store), profile, stored_profile_drop);
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
