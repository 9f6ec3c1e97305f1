#include "views/memory_groups.h"

#include "analysis/memory.h"
#include "base/hash.h"
#include "base/keyed.h"

/* Record with a device's peak allocation, by device; NO_ROW terminates DEVICES. */
struct memory_groups_peak {
	int32_t device;
	uint32_t event;
};

static const char stage[] = "summing memory";

bool memory_is_higher(const struct scope *scope, int64_t time, int64_t amount, int64_t best)
{
	if (!scope->has_time || (time > scope->time_first && time < scope->time_last))
		return amount > best;
	return time <= scope->time_first;
}

/* Within the time of SCOPE. False when cancelled; so are the functions below. */
static bool find_peaks(const struct profile *profile, const struct scope *scope,
		       struct memory_groups_peak *peaks, size_t max, size_t *found,
		       const struct progress *progress)
{
	size_t count = 0;
	for (size_t i = 0; i < profile->memory_count; i++) {
		if (!progress_row(progress, stage, i, profile->memory_count))
			return false;
		const struct memory_event *event = &profile->memory_events[i];
		size_t at = 0;
		if (event->total_allocated == NO_VALUE || event->part ||
		    (scope->has_time && event->time >= scope->time_last))
			continue;
		while (at < count && peaks[at].device != memory_device(event))
			at++;
		if (at == count) {
			if (count == max)
				continue;
			peaks[count++] =
				(struct memory_groups_peak){ memory_device(event), (uint32_t)i };
		} else if (memory_is_higher(
				   scope, event->time, event->total_allocated,
				   profile->memory_events[peaks[at].event].total_allocated)) {
			peaks[at].event = (uint32_t)i;
		}
	}
	*found = count;
	return true;
}

/* ---- live at the peak ---- */

#define KEY_LEFT_OUT NO_ROW

struct holder {
	int64_t count, bytes;
};

/* By key: operator name or layer node; 0: outside any; or KEY_LEFT_OUT. */
struct holders {
	struct keyed keys;
	struct holder *items;
};

/* In a partially read profile: the allocating call was not read. */
static bool is_left_out(const struct profile *profile, const struct memory_event *event)
{
	int64_t time = profile->base_ns + event->time;
	return profile->some_steps &&
	       (time < profile->left_out.kept_from || time > profile->left_out.kept_to);
}

static uint32_t memory_groups_key_of(const struct derived *derived,
				     const struct memory_event *event, bool by_layer)
{
	if (is_left_out(derived->profile, event))
		return KEY_LEFT_OUT;
	uint32_t owner = memory_owner(derived, event);
	if (!by_layer)
		return owner == NO_ROW ? 0 : derived->profile->span_name[owner];
	uint32_t span = derived_span_at(derived, event->track, event->time);
	return span == NO_ROW ? 0 : layer_enclosing(derived, derived->layers.span_node[span]);
}

/* Allocations on the peak's device that are live at the peak. */
static bool find_holders(const struct derived *derived, const struct memory_groups_peak *peak,
			 bool by_layer, struct holders *holders, int64_t *sum,
			 const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	AUTO_HASH struct hash *places = hash_new(256);
	AUTO_FREE uint8_t *live = mem_zalloc((size_t)peak->event + 1, 1);
	bool ok = true;
	*sum = 0;
	for (uint32_t i = 0; i <= peak->event && ok; i++) {
		const struct memory_event *event = &profile->memory_events[i];
		ok = progress_row(progress, stage, i, peak->event);
		if (memory_device(event) != peak->device)
			continue;
		uint32_t open = hash_last(places, memory_place(event));
		if (open != NO_ROW)
			live[open] = 0;
		if (event->bytes > 0) {
			live[i] = 1;
			hash_add(places, memory_place(event), i);
		}
	}
	for (uint32_t i = 0; i <= peak->event && ok; i++) {
		const struct memory_event *event = &profile->memory_events[i];
		ok = progress_heavy_row(progress, stage, i, peak->event, MEMORY_WEIGHT);
		if (!live[i])
			continue;
		uint32_t key = memory_groups_key_of(derived, event, by_layer);
		struct holder *holder = keyed_item(&holders->keys, holders->items, &key);
		holder->count++;
		holder->bytes += event->bytes;
		*sum += event->bytes;
	}
	return ok;
}

static struct value holder_name(struct table *table, const struct derived *derived, uint32_t key,
				bool by_layer)
{
	if (key == KEY_LEFT_OUT)
		return value_text("(in steps not loaded)");
	if (!by_layer || key == 0)
		return key ? cell_text(derived->profile, key)
			   : value_text(by_layer ? "(outside any layer)"
						 : "(outside any operator)");
	return cell_layer_path(table, derived, key);
}

static void add_holder(struct table *table, const struct derived *derived, int32_t device,
		       uint32_t key, const struct holder *holder, bool by_layer)
{
	struct ref ref = { REF_NONE, 0, 0, 0 };
	if (key && key != KEY_LEFT_OUT)
		ref = by_layer ? (struct ref){ REF_LAYER, key, 0, 0 }
			       : (struct ref){ REF_OPERATOR, key, NO_ROW, NO_ROW };
	size_t row = table_add_row(table, ref);
	table_set(table, row, "device", cell_device(table, device));
	table_set(table, row, "name", holder_name(table, derived, key, by_layer));
	table_set(table, row, "self_alloc_count", value_int(holder->count));
	table_set(table, row, "self_alloc_bytes", value_int(holder->bytes));
	table_set(table, row, "self_size_increase_bytes", value_int(holder->bytes));
}

static void add_unseen(struct table *table, int32_t device, int64_t bytes)
{
	size_t row = table_add_row(table, (struct ref){ REF_NONE, 0, 0, 0 });
	table_set(table, row, "device", cell_device(table, device));
	table_set(table, row, "name", value_text("(allocated before the capture)"));
	table_set(table, row, "self_alloc_bytes", value_int(bytes));
	table_set(table, row, "self_size_increase_bytes", value_int(bytes));
}

enum { DEVICES_MAX = 64 };

/* Name a column of this table after its contents here. */
static void retitle(struct table *table, const char *id, const char *title)
{
	int at = table_need(table, id);
	struct column *column = arena_alloc(table->arena, sizeof *column);
	*column = *table->column[at];
	column->title = title;
	table->column[at] = column;
}

bool memory_add_peak(struct table *table, const struct selection *selection, bool by_layer,
		     const struct progress *progress)
{
	const struct derived *derived = selection->derived;
	struct memory_groups_peak peaks[DEVICES_MAX];
	size_t count = 0;
	const struct scope *scope = selection->scope;
	bool ok = find_peaks(derived->profile, scope, peaks, DEVICES_MAX, &count, progress);
	retitle(table, "self_size_increase_bytes", scope->has_time ? "Live" : "Live at Peak");
	for (size_t i = 0; i < count && ok; i++) {
		struct holders holders = { 0 };
		int64_t total = derived->profile->memory_events[peaks[i].event].total_allocated,
			sum;
		ok = find_holders(derived, &peaks[i], by_layer, &holders, &sum, progress);
		for (uint32_t h = 0; h < holders.keys.count && ok; h++)
			add_holder(table, derived, peaks[i].device,
				   *(const uint32_t *)keyed_key(&holders.keys, h),
				   &holders.items[h], by_layer);
		if (total > sum && ok)
			add_unseen(table, peaks[i].device, total - sum);
		keyed_clear(&holders.keys);
		mem_free(holders.items);
	}
	return ok;
}

/* ---- steps ---- */

static void memory_groups_add_step(struct table *table, const struct selection *selection,
				   uint32_t index, int32_t device,
				   const struct allocation_sum *activity)
{
	const struct step *step = &selection->derived->steps[index];
	size_t row = table_add_row(table, (struct ref){ REF_STEP, index, 0, 0 });
	table_set(table, row, "device", cell_device(table, device));
	table_set(table, row, "name", cell_text(selection->profile, step->name));
	table_set(table, row, "size_increase_bytes", value_int(activity->growth));
	table_set(table, row, "self_size_increase_bytes", value_int(activity->growth));
	table_set(table, row, "alloc_count", value_int(activity->count));
	table_set(table, row, "alloc_bytes", value_int(activity->bytes));
}

bool memory_add_steps(struct table *table, const struct selection *selection,
		      const struct progress *progress)
{
	const struct derived *derived = selection->derived;
	const struct profile *profile = derived->profile;
	struct memory_groups_peak devices[DEVICES_MAX];
	size_t count, event = 0;
	struct scope always;
	scope_init(&always);
	if (!find_peaks(profile, &always, devices, DEVICES_MAX, &count, progress))
		return false;
	for (uint32_t s = 0; s < derived->step_count; s++) {
		struct allocation_sum sums[DEVICES_MAX] = { 0 };
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
