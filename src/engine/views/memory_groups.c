#include "views/memory_groups.h"

#include "analysis/memory.h"
#include "analysis/memory_blocks.h"
#include "analysis/stacks.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/keyed.h"
#include "model/snapshot.h"

#include <stdlib.h>

static const char stage[] = "summing memory";

/* Does the AMOUNT from TIME on go before BEST, that of an earlier time? */
static bool is_higher(const struct scope *scope, int64_t time, int64_t amount, int64_t best)
{
	if (!scope->has_time || (time > scope->time_first && time < scope->time_last))
		return amount > best;
	return time <= scope->time_first;
}

/* Set what point I of the curve tells of all memory of a device, and its TIME; false: nothing. */
static bool read_point(const struct profile *profile, size_t i, struct memory_moment *moment,
		       int64_t *time)
{
	if (profile->snapshot) {
		struct snapshot_point point = snapshot_point(profile->snapshot, i);
		*moment = (struct memory_moment){ point.device, point.entry,
						  point.active == NO_VALUE ? point.allocated
									   : point.active,
						  point.reserved };
		*time = profile->snapshot->timed ? point.time : 0;
		return !point.category;
	}
	const struct memory_event *event = &profile->memory_events[i];
	*moment = (struct memory_moment){ memory_device(event), (int64_t)i, event->total_allocated,
					  event->total_reserved };
	*time = event->time;
	return event->total_allocated != NO_VALUE && !event->part;
}

bool memory_find_moments(const struct profile *profile, const struct scope *scope,
			 const struct memory_removed *removed, struct memory_moment *moments,
			 size_t *found, const struct progress *progress)
{
	const struct snapshot *snapshot = profile->snapshot;
	size_t count = 0, points = snapshot ? snapshot_points(snapshot) : profile->memory_count;
	struct scope within = *scope;
	within.has_time &= !snapshot || snapshot->timed;
	for (size_t i = 0; i < points; i++) {
		struct memory_moment moment;
		int64_t time;
		size_t at = 0;
		if (!progress_row(progress, stage, i, points))
			return false;
		if (!read_point(profile, i, &moment, &time) ||
		    (within.has_time && time >= within.time_last))
			continue;
		if (removed)
			moment.bytes =
				number_add(moment.bytes,
					   -memory_removed_at(removed, moment.device, moment.at));
		while (at < count && moments[at].device != moment.device)
			at++;
		if (at == MEMORY_DEVICES_MAX)
			continue;
		if (at == count || is_higher(&within, time, moment.bytes, moments[at].bytes))
			moments[at] = moment;
		count += at == count;
	}
	*found = count;
	return true;
}

struct memory_moment memory_moment_of(const struct memory_moment *moments, size_t found,
				      int32_t device)
{
	for (size_t i = 0; i < found; i++)
		if (moments[i].device == device)
			return moments[i];
	return (struct memory_moment){ device, SNAPSHOT_BEFORE, 0, NO_VALUE };
}

/* ---- who holds memory ---- */

enum memory_by { BY_OWNER, BY_LAYER, BY_CATEGORY, BY_STACK };

/* Keys besides names, layer nodes, categories and frames + 1. 0: outside any. */
enum { KEY_LEFT_OUT = -1, KEY_BEFORE = -2 };

struct memory_grouping {
	struct table *table;
	const struct derived *derived;
	const struct progress *progress;
	struct memory_blocks blocks;
	enum memory_by by;
	struct stacks stacks; /* if by them */
	uint8_t *named;       /* by block: is it left out? NULL: none is */
};

/* Alive at the moment, of these at an earlier one, too, and at that. */
struct holder {
	int64_t count, bytes, kept, earlier;
};

struct holders {
	struct keyed keys; /* int64_t */
	struct holder *items;
	struct holder sum;
};

/* In a partially read profile: the allocating call was not read. */
static bool is_left_out(const struct profile *profile, const struct memory_event *event)
{
	int64_t time = profile->base_ns + event->time;
	return profile->some_steps &&
	       (time < profile->left_out.kept_from || time > profile->left_out.kept_to);
}

static int64_t key_of_block(const struct memory_grouping *grouping,
			    const struct memory_block *block, enum memory_by by)
{
	const struct derived *derived = grouping->derived;
	const struct profile *profile = derived->profile;
	const struct snapshot *snapshot = profile->snapshot;
	const struct memory_event *event = snapshot ? NULL : &profile->memory_events[block->source];
	if (event && is_left_out(profile, event))
		return KEY_LEFT_OUT;
	if (by == BY_CATEGORY)
		return block->from == INT64_MIN ? KEY_BEFORE : block->category;
	uint32_t place =
		event ? derived_span_at(derived, event->track, event->time) : block->source;
	uint32_t frame =
		by == BY_STACK && place != NO_ROW ? grouping->stacks.places[place] : NO_ROW;
	if (by == BY_STACK)
		return frame != NO_ROW            ? (int64_t)frame + 1
		       : block->from == INT64_MIN ? KEY_BEFORE
						  : 0;
	if (snapshot)
		return by == BY_OWNER ? (int64_t)snapshot->stacks[place].owner : 0;
	uint32_t owner = by == BY_OWNER ? memory_owner(derived, event) : NO_ROW;
	if (by == BY_OWNER)
		return owner == NO_ROW ? 0 : profile->span_name[owner];
	return place == NO_ROW ? 0 : layer_enclosing(derived, derived->layers.span_node[place]);
}

static struct value name_of_key(const struct memory_grouping *grouping, int64_t key,
				enum memory_by by)
{
	static const char *const outside[] = { MEMORY_OUTSIDE_ROWS };
	struct buffer stack = { 0 };
	if (key < 0 || by == BY_CATEGORY || !key)
		return value_text(key == KEY_LEFT_OUT ? "(in steps not loaded)"
				  : key == KEY_BEFORE ? "(allocated before the capture)"
				  : by == BY_CATEGORY
					  ? memory_category_name((enum memory_category)key)
					  : outside[by]);
	if (by != BY_STACK)
		return by == BY_LAYER
			       ? cell_layer_path(grouping->table, grouping->derived, (uint32_t)key)
			       : cell_text(grouping->derived->profile, (uint32_t)key);
	stacks_print(&stack, &grouping->stacks, (uint32_t)key - 1);
	return table_take_text(grouping->table, &stack);
}

/* What is alive at the moment and, if not NULL, at an EARLIER one. */
static bool find_holders(const struct memory_grouping *grouping, const struct memory_moment *moment,
			 const struct memory_moment *earlier, struct holders *holders)
{
	const struct memory_blocks *blocks = &grouping->blocks;
	bool ok = true;
	for_heavy_rows (ok, i, blocks->count, grouping->progress, stage, MEMORY_WEIGHT) {
		const struct memory_block *block = &blocks->items[i];
		bool alive = memory_block_is_alive(block, moment->at);
		bool before = earlier && memory_block_is_alive(block, earlier->at);
		if (block->device != moment->device || (!alive && !before) ||
		    (block->from == INT64_MIN && !grouping->derived->profile->snapshot) ||
		    (grouping->named && grouping->named[i] && !block->bytes))
			continue;
		int64_t key = key_of_block(grouping, block, grouping->by);
		struct holder *holder = keyed_item(&holders->keys, holders->items, &key);
		holder->count += alive;
		holder->bytes = number_add(holder->bytes, alive ? block->bytes : 0);
		holder->kept = number_add(holder->kept, alive && before ? block->bytes : 0);
		holder->earlier = number_add(holder->earlier, before ? block->bytes : 0);
		holders->sum.bytes = number_add(holders->sum.bytes, alive ? block->bytes : 0);
		holders->sum.earlier = number_add(holders->sum.earlier, before ? block->bytes : 0);
	}
	return ok;
}

static size_t add_holder(const struct memory_grouping *grouping, int32_t device, int64_t key)
{
	struct table *table = grouping->table;
	struct ref ref = { REF_NONE, 0, 0, 0 };
	if (key > 0 && grouping->by < BY_CATEGORY && !grouping->derived->profile->snapshot)
		ref = grouping->by == BY_LAYER
			      ? (struct ref){ REF_LAYER, (uint32_t)key, 0, 0 }
			      : (struct ref){ REF_OPERATOR, (uint32_t)key, NO_ROW, NO_ROW };
	size_t row = table_add_row(table, ref);
	table_set(table, row, "device", cell_device(table, device));
	table_set(table, row, "name", name_of_key(grouping, key, grouping->by));
	return row;
}

static void set_live(struct table *table, size_t row, int64_t bytes)
{
	table_set(table, row, "self_alloc_bytes", value_int(bytes));
	table_set(table, row, "self_size_increase_bytes", value_int(bytes));
}

static void set_change(struct table *table, size_t row, const struct holder *holder)
{
	HOLDER_CELLS(table_set);
}

/* Name a column of this table after its contents here. */
static void retitle(struct table *table, const char *id, const char *title)
{
	int at = table_need(table, id);
	struct column *column = arena_alloc(table->arena, sizeof *column);
	*column = *table->column[at];
	column->title = title;
	table->column[at] = column;
}

/*
 * Rows of a device; what its totals hold besides was allocated before the capture, and freed since
 * if it is less at the moment than EARLIER.
 */
static bool add_holders(const struct memory_grouping *grouping, const struct memory_moment *moment,
			const struct memory_moment *earlier)
{
	struct holders holders = { 0 };
	bool ok = find_holders(grouping, moment, earlier, &holders);
	for (uint32_t h = 0; h < holders.keys.count && ok; h++) {
		const struct holder *holder = &holders.items[h];
		size_t row = add_holder(grouping, moment->device,
					*(const int64_t *)keyed_key(&holders.keys, h));
		if (earlier) {
			set_change(grouping->table, row, holder);
			continue;
		}
		table_set(grouping->table, row, "self_alloc_count", value_int(holder->count));
		set_live(grouping->table, row, holder->bytes);
	}
	struct holder unseen = { .bytes = number_add(moment->bytes, -holders.sum.bytes) };
	if (earlier)
		unseen.earlier = number_add(earlier->bytes, -holders.sum.earlier);
	unseen.kept = unseen.bytes < unseen.earlier ? unseen.bytes : unseen.earlier;
	if (ok && !grouping->derived->profile->snapshot &&
	    (unseen.bytes > 0 || unseen.earlier > 0)) {
		size_t row = add_holder(grouping, moment->device, KEY_BEFORE);
		if (earlier)
			set_change(grouping->table, row, &unseen);
		else
			set_live(grouping->table, row, unseen.bytes);
	}
	keyed_clear(&holders.keys);
	mem_free(holders.items);
	return ok;
}

static bool add_peaks(const struct memory_grouping *grouping, const struct selection *selection,
		      const struct memory_moment *peaks, size_t count)
{
	bool ok = true;
	retitle(grouping->table, "self_size_increase_bytes",
		selection->scope->has_time ? "Live" : "Live at Peak");
	for (size_t i = 0; i < count && ok; i++) {
		ok = add_holders(grouping, &peaks[i], NULL);
		if (grouping->by == BY_CATEGORY && peaks[i].reserved > peaks[i].bytes)
			set_live(grouping->table,
				 add_holder(grouping, peaks[i].device, MEMORY_FRAGMENTATION),
				 peaks[i].reserved - peaks[i].bytes);
	}
	return ok;
}

/* ---- two moments ---- */

/* From the beginning of the scope's time to its end, without times of the recording. */
static bool add_changes(const struct memory_grouping *grouping, const struct selection *selection)
{
	const struct profile *profile = selection->profile;
	struct memory_moment from[MEMORY_DEVICES_MAX], to[MEMORY_DEVICES_MAX];
	size_t froms = 0, tos = 0;
	struct scope first = { .has_time = true, .time_first = -1 }, last = first;
	bool untimed = profile->snapshot && !profile->snapshot->timed;
	last.time_first = profile->end_ns;
	if (selection->scope->has_time) {
		first.time_first = selection->scope->time_first;
		last.time_first = selection->scope->time_last - 1;
	}
	first.time_last = first.time_first + 1;
	last.time_last = last.time_first + 1;
	bool ok = memory_find_moments(profile, &first, NULL, from, &froms, grouping->progress) &&
		  memory_find_moments(profile, &last, NULL, to, &tos, grouping->progress);
	for (size_t i = 0; i < tos && ok; i++) {
		struct memory_moment earlier =
			memory_moment_of(from, untimed ? 0 : froms, to[i].device);
		to[i].at = untimed ? INT64_MAX - 1 : to[i].at;
		ok = add_holders(grouping, &to[i], &earlier);
	}
	grouping->table->default_columns =
		"device,name,start_bytes,freed_bytes,added_bytes,end_bytes,size_increase_bytes";
	grouping->table->default_sort = "size_increase_bytes:desc";
	return ok;
}

/* ---- without some owners ---- */

/* Does "category layer owner" of the block match? Each such text is searched once. */
struct memory_naming {
	struct keyed keys;
	struct memory_verdict {
		bool known, named;
	} * verdicts;
};

static bool is_named(const struct memory_grouping *grouping, const struct memory_block *block,
		     const struct pattern *pattern, struct memory_naming *naming)
{
	int64_t key[BY_CATEGORY + 1];
	for (int by = BY_OWNER; by <= BY_CATEGORY; by++)
		key[by] = key_of_block(grouping, block, (enum memory_by)by);
	struct memory_verdict *verdict = keyed_item(&naming->keys, naming->verdicts, &key);
	if (!verdict->known) {
		AUTO_BUFFER struct buffer text = { 0 };
		for (int by = BY_CATEGORY; by >= BY_OWNER; by--) {
			struct value name = name_of_key(grouping, key[by], (enum memory_by)by);
			buffer_add(&text, name.text, name.length);
			if (by)
				buffer_putc(&text, ' ');
		}
		verdict->known = true;
		verdict->named = pattern_match(pattern, BUFFERED(&text), NULL, NULL);
	}
	return verdict->named;
}

static bool name_blocks(struct memory_grouping *grouping, const struct pattern *pattern)
{
	struct memory_naming naming = { 0 };
	const struct memory_blocks *blocks = &grouping->blocks;
	bool ok = true;
	grouping->named = mem_zalloc(blocks->count + 1, 1);
	for_heavy_rows (ok, i, blocks->count, grouping->progress, stage, MEMORY_WEIGHT)
		grouping->named[i] = is_named(grouping, &blocks->items[i], pattern, &naming);
	keyed_clear(&naming.keys);
	mem_free(naming.verdicts);
	return ok;
}

/* Of TEXT, "optimizer x0.5": how much is kept, and the LENGTH of the pattern before it. */
static double kept_share(const char *text, size_t *length)
{
	const char *times = strrchr(text, ' ');
	char *end;
	*length = strlen(text);
	if (!times || times[1] != 'x')
		return 0;
	double share = strtod(times + 2, &end);
	if (end == times + 2 || *end || !(share > 0 && share < 1))
		return 0;
	*length = (size_t)(times - text);
	return share;
}

/* Activations that are left out are computed again, in the calls that allocated them. */
static void note_recomputing(const struct memory_grouping *grouping, struct buffer *note)
{
	const struct derived *derived = grouping->derived;
	AUTO_KEYED struct keyed calls = { 0 };
	int64_t ns = 0;
	for (size_t i = 0; i < grouping->blocks.count && !derived->profile->snapshot; i++) {
		const struct memory_block *block = &grouping->blocks.items[i];
		if (!grouping->named[i] || block->category != MEMORY_ACTIVATIONS)
			continue;
		uint32_t call =
			memory_owner(derived, &derived->profile->memory_events[block->source]);
		uint32_t known = calls.count;
		if (call == NO_ROW || keyed_add(&calls, &call, sizeof call) < known)
			continue;
		int64_t device_ns = derived_gpu_total(derived, call);
		ns += device_ns ? device_ns : derived->profile->span_dur[call];
	}
	if (calls.count)
		buffer_printf(note, " Computing %u call%s again takes %s, as recorded.",
			      calls.count, calls.count == 1 ? "" : "s",
			      number_duration((char[NUMBER_MAX]){ 0 }, ns));
}

/* The peaks of the recording, and those without the blocks that match, or with a share of them. */
static bool add_without(struct memory_grouping *grouping, const struct selection *selection,
			const char *text, struct error *error)
{
	struct memory_moment was[MEMORY_DEVICES_MAX], is[MEMORY_DEVICES_MAX];
	size_t count = 0, length;
	double share = kept_share(text, &length);
	AUTO_FREE char *named = mem_strndup(text, length);
	AUTO_PATTERN struct pattern *pattern = pattern_new(named, error);
	if (!pattern)
		return false;
	bool ok = name_blocks(grouping, pattern);
	struct memory_removed removed =
		memory_blocks_remove(&grouping->blocks, grouping->named, share);
	ok = ok &&
	     memory_find_moments(selection->profile, selection->scope, NULL, was, &count,
				 grouping->progress) &&
	     memory_find_moments(selection->profile, selection->scope, &removed, is, &count,
				 grouping->progress) &&
	     add_peaks(grouping, selection, is, count);
	AUTO_BUFFER struct buffer note = { 0 };
	for (size_t i = 0; i < count && ok; i++) {
		char before[NUMBER_MAX], after[NUMBER_MAX];
		buffer_printf(&note, "%s%s peaks at %s instead of %s", i ? ", " : "",
			      cell_device(grouping->table, is[i].device).text,
			      number_bytes(after, (double)is[i].bytes),
			      number_bytes(before, (double)was[i].bytes));
	}
	buffer_puts(&note, share ? ": a replay with smaller blocks, which the allocator may round."
				 : ": exact, a replay of all other allocations.");
	if (ok && !share)
		note_recomputing(grouping, &note);
	if (count)
		table_note(grouping->table, "%s", buffer_text(&note));
	mem_free_all(removed.items, grouping->named);
	return ok;
}

bool memory_add_groups(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const char *group = query->group;
	const char *equals = strchr(group, '=');
	struct memory_moment peaks[MEMORY_DEVICES_MAX];
	size_t count = 0;
	struct memory_grouping grouping = { table, selection->derived, query->progress };
	grouping.by = strcmp(group, "peak-layer") == 0      ? BY_LAYER
		      : strcmp(group, "peak-category") == 0 ? BY_CATEGORY
		      : strcmp(group, "peak-stack") == 0    ? BY_STACK
							    : BY_OWNER;
	const struct snapshot *snapshot = selection->profile->snapshot;
	if (snapshot && snapshot->unpaired) /* its owners are categories */
		grouping.by = BY_OWNER;
	bool ok = memory_blocks_find(&grouping.blocks, selection->derived, query->progress);
	if (grouping.by == BY_STACK)
		ok = ok && stacks_make(&grouping.stacks, selection, STACKS_PLACES, query->progress);
	if (ok && strcmp(group, "change") == 0)
		ok = add_changes(&grouping, selection);
	else if (ok && equals && equals[1])
		ok = add_without(&grouping, selection, equals + 1, query->error);
	else if (ok)
		ok = memory_find_moments(selection->profile, selection->scope, NULL, peaks, &count,
					 query->progress) &&
		     add_peaks(&grouping, selection, peaks, count);
	memory_blocks_free(&grouping.blocks);
	stacks_clear(&grouping.stacks);
	return ok;
}

/* ---- steps ---- */

static void memory_groups_add_step(struct table *table, const struct selection *selection,
				   uint32_t index, int32_t device,
				   const struct allocation_sum *activity)
{
	const struct step *step = &selection->derived->steps[index];
	size_t row = table_add_row(table, (struct ref){ REF_STEP, index, 0, 0 });
	STEP_MEMORY_CELLS(table_set);
}

bool memory_add_steps(struct table *table, const struct selection *selection,
		      const struct progress *progress)
{
	const struct derived *derived = selection->derived;
	const struct profile *profile = derived->profile;
	struct memory_moment devices[MEMORY_DEVICES_MAX];
	size_t count, event = 0;
	struct scope always;
	scope_init(&always);
	if (!memory_find_moments(profile, &always, NULL, devices, &count, progress))
		return false;
	for (uint32_t s = 0; s < derived->step_count; s++) {
		struct allocation_sum sums[MEMORY_DEVICES_MAX] = { 0 };
		const struct step *step = &derived->steps[s];
		while (event < profile->memory_count &&
		       profile->memory_events[event].time < step->host_start)
			event++;
		for (; event < profile->memory_count &&
		       profile->memory_events[event].time < step->host_end;
		     event++) {
			const struct memory_event *record = &profile->memory_events[event];
			size_t d = 0;
			if (!progress_row(progress, stage, event, profile->memory_count))
				return false;
			while (d < count && devices[d].device != memory_device(record))
				d++;
			if (d == count)
				continue;
			allocation_sum_add(&sums[d], record->bytes);
		}
		for (size_t d = 0; d < count; d++)
			memory_groups_add_step(table, selection, s, devices[d].device, &sums[d]);
	}
	return true;
}
