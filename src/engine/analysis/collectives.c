#include "analysis/collectives.h"

#include "derived/derived.h"
#include "base/compare.h"
#include "base/any_of.h"
#include "base/binary_search.h"
#include "base/id_map.h"
#include "base/literal.h"
#include "base/sort.h"
#include "base/text_slice.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

/* Attribute keys of operations, as string ids. */
struct collectives_keys {
#define COLLECTIVES_KEY(member, key) uint32_t member;
	COLLECTIVE_KEY_ROWS(COLLECTIVES_KEY)
};

struct collector {
	const struct derived *derived;
	const struct profile *profile;
	struct rank_summary *summary;
	struct collectives_keys keys;
	struct id_map by_call; /* span that described an operation → its collective */
	struct hash *members;  /* communicator id as text → number of ranks */
};

static struct collectives_keys find_keys(const struct profile *profile)
{
#define FOUND_KEY(member, key) .member = profile_find(profile, key),
	return (struct collectives_keys){ COLLECTIVE_KEY_ROWS(FOUND_KEY) };
}

struct attributes {
	const struct attribute *first;
	size_t count;
};

static const char *find_text(const struct collector *collector, struct attributes attributes,
			     uint32_t key)
{
	for (size_t i = 0; key != NO_ROW && i < attributes.count; i++)
		if (attributes.first[i].key == key)
			return profile_string(collector->profile, attributes.first[i].text);
	return NULL;
}

static int64_t find_int(const struct collector *collector, struct attributes attributes,
			uint32_t key)
{
	const char *text = find_text(collector, attributes, key);
	char *end;
	long long value = text ? strtoll(text, &end, 10) : 0;
	return text && end != text && *end == 0 ? value : NO_VALUE;
}

/* NCCL records the size of a communicator when it is created. */
static void find_members(struct collector *collector)
{
	const struct profile *profile = collector->profile;
	const struct collectives_keys *keys = &collector->keys;
	if (keys->members == NO_ROW || keys->communicator == NO_ROW)
		return;
	for (size_t i = 0; i < profile->span_attribute_count; i++) {
		struct attributes attributes;
		if (profile->span_attributes[i].key != keys->members)
			continue;
		attributes.first = profile_span_attributes(profile, profile->span_attributes[i].row,
							   &attributes.count);
		const char *communicator = find_text(collector, attributes, keys->communicator);
		int64_t members = find_int(collector, attributes, keys->members);
		if (communicator && members > 0 && members < INT32_MAX)
			hash_add(collector->members, profile_find(profile, communicator),
				 (uint32_t)members);
	}
}

static int64_t members_of(const struct collector *collector, struct attributes attributes)
{
	const char *communicator = find_text(collector, attributes, collector->keys.communicator);
	uint32_t members = communicator ? hash_last(collector->members,
						    profile_find(collector->profile, communicator))
					: NO_ROW;
	return members == NO_ROW ? NO_VALUE : members;
}

/* ---- sizes ---- */

static int64_t element_size(const char *dtype)
{
	static const struct {
		const char *name;
		int64_t size;
	} sizes[] = { ELEMENT_SIZE_ROWS };
	if (strncasecmp(dtype, "c10::", 5) == 0)
		dtype += 5;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t length = strlen(sizes[i].name);
		if (strncasecmp(dtype, sizes[i].name, length) != 0)
			continue;
		if (dtype[length] == 0 || strncmp(sizes[i].name, "float8", 6) == 0 ||
		    strncasecmp(dtype + length, " int", 4) == 0)
			return sizes[i].size;
	}
	return NO_VALUE;
}

static int64_t times(int64_t a, int64_t b)
{
	int64_t product;
	return a == NO_VALUE || b == NO_VALUE || __builtin_mul_overflow(a, b, &product) ? NO_VALUE
											: product;
}

int64_t collective_bytes(const char *type, int64_t elements)
{
	return times(elements, element_size(type));
}

static bool is_gather(const char *name)
{
	return strcasestr(name, "gather");
}

/* Message size as used for bandwidth: the gathered or scattered whole, else the input. */
static int64_t message_elements(const char *name, int64_t in, int64_t out, int64_t ranks)
{
	if (is_gather(name))
		return out != NO_VALUE ? out : times(in, ranks);
	if (in == NO_VALUE && strcasestr(name, "scatter"))
		return times(out, ranks);
	return in != NO_VALUE ? in : out;
}

/* NCCL and HCCL record a single rank's part for gather and scatter. */
static int64_t part_bytes(const char *name, int64_t message, int64_t ranks)
{
	bool part = is_gather(name) || strcasestr(name, "scatter");
	return part ? times(message, ranks) : message;
}

/* Bytes of the tensors among a call's arguments; NO_VALUE: none, or unknown. */
struct tensor_bytes {
	int64_t all, largest, smallest;
};

static int64_t tensor_bytes_of(const struct literal *shape, const struct literal *type)
{
	const struct literal *size;
	int64_t elements = 1, dim;
	for (size_t i = 0; (size = literal_item(shape, i)); i++)
		elements = literal_int(size, &dim) && dim >= 0 ? times(elements, dim) : NO_VALUE;
	return type && type->kind == LITERAL_TEXT ? collective_bytes(type->text, elements)
						  : NO_VALUE;
}

static void add_tensor(struct tensor_bytes *bytes, int64_t tensor)
{
	if (bytes->all == NO_VALUE)
		*bytes = (struct tensor_bytes){ 0, tensor, tensor };
	if (tensor == NO_VALUE || __builtin_add_overflow(bytes->all, tensor, &bytes->all))
		bytes->all = NO_VALUE;
	bytes->largest = tensor > bytes->largest ? tensor : bytes->largest;
	bytes->smallest = tensor < bytes->smallest ? tensor : bytes->smallest;
}

/* From shapes "[[394241],[8,2],[]]" and types ["float","int",""]; those of lists are unknown. */
static struct tensor_bytes bytes_of_shapes(const struct profile *profile, uint32_t span)
{
	struct tensor_bytes bytes = { NO_VALUE, NO_VALUE, NO_VALUE };
	const struct op_info *info = profile_op_info(profile, span);
	const char *shapes = info ? profile_string(profile, info->shapes) : "";
	const char *types = info ? profile_string(profile, info->types) : "";
	AUTO_ARENA struct arena *arena = arena_new();
	const struct literal *shape, *all = literal_parse(arena, shapes, strlen(shapes));
	const struct literal *names = literal_parse(arena, types, strlen(types));
	for (size_t i = 0; (shape = literal_item(all, i)); i++) {
		if (!shape->count)
			continue;
		add_tensor(&bytes, tensor_bytes_of(shape, literal_item(names, i)));
		if (bytes.all == NO_VALUE)
			break;
	}
	return bytes;
}

enum { CALLS_MAX = 3 }; /* spans from an annotation up to its c10d operator */

/*
 * Annotations and functional operators record their inputs, of a gather one rank's part. Operators
 * of c10d have (output, input): the larger is the whole, and their ratio the number of ranks.
 */
static void size_from_shapes(const struct profile *profile, uint32_t span, const char *name,
			     bool group_known, struct collective *collective)
{
	struct tensor_bytes inputs = bytes_of_shapes(profile, span);
	bool parts = is_gather(name) || strcasestr(name, "scatter");
	uint32_t at = span;
	for (int up = 0; parts && at != NO_ROW && up < CALLS_MAX; up++) {
		struct tensor_bytes both = bytes_of_shapes(profile, at);
		if (both.all != NO_VALUE &&
		    strncmp(profile_string(profile, profile->span_name[at]), "c10d::", 6) == 0 &&
		    both.smallest > 0 && both.all - both.largest == both.smallest &&
		    both.largest % both.smallest == 0) {
			collective->bytes = both.largest;
			if (!group_known)
				collective->group_size = both.largest / both.smallest;
			return;
		}
		at = profile->span_parent[at];
	}
	if (strncmp(name, "c10d::", 6) == 0)
		collective->bytes = inputs.largest;
	else
		collective->bytes =
			is_gather(name) ? times(inputs.all, collective->group_size) : inputs.all;
}

/* ---- one operation ---- */

static uint32_t collectives_keep(struct collector *collector, const char *text)
{
	return text && *text ? intern_add(collector->summary->strings, text, strlen(text)) : 0;
}

/* The nearest ancestor that describes the operation by arguments or name. */
static uint32_t describing_span(const struct collector *collector, uint32_t span)
{
	const struct derived *derived = collector->derived;
	const struct profile *profile = collector->profile;
	uint32_t named = NO_ROW;
	for (uint32_t at = span; at != NO_ROW; at = profile->span_parent[at]) {
		struct attributes attributes;
		attributes.first = profile_span_attributes(profile, at, &attributes.count);
		if (find_text(collector, attributes, collector->keys.name) ||
		    find_text(collector, attributes, collector->keys.message))
			return at;
		if (named == NO_ROW && derived->role[profile->span_name[at]] & NAME_COMMUNICATION)
			named = at;
	}
	return named;
}

/* Bytes of "AllReduceTreeLLKernel" or "DevKernel" without what follows the operation. */
static size_t operation_length(const char *name, size_t length)
{
	static const char *const ends[] = { "Kernel", "LL128", "LL",      "Tree",
					    "Ring",   "Nvls",  "CollNet", "Dev" };
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		length -= text_ends(name, length, ends[i]) ? strlen(ends[i]) : 0;
	return length;
}

/*
 * "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)", "ncclAllReduceTreeLLKernel_sum_i32(…)" (NCCL before
 * 2.11) and "hcom_AllReduce__586_0_1" are an AllReduce.
 */
static uint32_t name_of_kernel(struct collector *collector, uint32_t activity)
{
	const char *name =
		profile_string(collector->profile, collector->profile->activity_name[activity]);
	const char *start = name + 4, *mark = strchr(name, '_');
	bool hcom = strncmp(name, "hcom_", 5) == 0;
	if ((strncasecmp(name, "nccl", 4) != 0 && !hcom) || !mark)
		return collectives_keep(collector, name);
	size_t length = hcom ? 0 : operation_length(start, (size_t)(mark - start));
	if (!length) {
		start = mark + 1;
		length = strcspn(start, "_(");
	}
	return intern_add(collector->summary->strings, start, length);
}

static void collectives_describe(struct collector *collector, struct attributes attributes,
				 uint32_t span, struct collective *collective)
{
	const struct collectives_keys *keys = &collector->keys;
	const struct profile *profile = collector->profile;
	const char *name = find_text(collector, attributes, keys->name);
	const char *dtype = find_text(collector, attributes, keys->dtype);
	const char *ranks = find_text(collector, attributes, keys->ranks);
	const char *group = find_text(collector, attributes, keys->group);
	/* a hash that is equal on all ranks of the communicator */
	const char *communicator = find_text(collector, attributes, keys->communicator);
	int64_t message = find_int(collector, attributes, keys->message);
	if (!name && span != NO_ROW)
		name = profile_string(profile, profile->span_name[span]);
	if (name && message != NO_VALUE && strncmp(name, "nccl", 4) == 0 && name[4])
		name += 4;
	collective->name = collectives_keep(collector, name);
	collective->dtype = collectives_keep(collector, dtype);
	collective->group = collectives_keep(collector, ranks   ? ranks
							: group ? group
								: communicator);
	collective->group_size = find_int(collector, attributes, keys->group_size);
	if (collective->group_size == NO_VALUE)
		collective->group_size = members_of(collector, attributes);
	bool group_known = collective->group_size != NO_VALUE;
	if (!group_known)
		collective->group_size = collector->summary->world_size;
	collective->sequence = find_int(collector, attributes, keys->sequence);
	if (name && dtype)
		collective->bytes = times(
			message_elements(name, find_int(collector, attributes, keys->in_elements),
					 find_int(collector, attributes, keys->out_elements),
					 collective->group_size),
			element_size(dtype));
	if (collective->bytes == NO_VALUE && name && message != NO_VALUE)
		collective->bytes = part_bytes(name, message, collective->group_size);
	if (collective->bytes == NO_VALUE && span != NO_ROW)
		size_from_shapes(profile, span, name, group_known, collective);
}

/* The ends of a message by attributes, or by the name of a span: "nccl:recv 0<-1"; 0: none. */
static uint32_t pair_of(struct collector *collector, struct attributes attributes, const char *name)
{
	int64_t source = find_int(collector, attributes, collector->keys.source);
	int64_t target = find_int(collector, attributes, collector->keys.target);
	unsigned from, to;
	char text[64];
	if (sscanf(name, "nccl:send %9u->%9u", &from, &to) == 2 ||
	    sscanf(name, "nccl:recv %9u<-%9u", &to, &from) == 2) {
		source = from;
		target = to;
	}
	if (source < 0 || target < 0)
		return 0;
	snprintf(text, sizeof text, "%" PRId64 ">%" PRId64, source, target);
	return collectives_keep(collector, text);
}

bool collective_is_exchange(const char *name)
{
	return strcasestr(name, "all_to_all") || strcasestr(name, "alltoall");
}

bool collectives_exchange(const struct rank_summary *summary)
{
	return any_of(i, summary->collective_count,
		      collective_is_exchange(
			      intern_text(summary->strings, summary->collectives[i].name)));
}

bool collective_is_message(const char *name)
{
	return (strcasestr(name, "send") || strcasestr(name, "recv")) &&
	       !strcasestr(name, "SendRecv") && !strcasestr(name, "all_to_all");
}

/* What only the spans from the launch up to the one that describes the operation tell. */
static void describe_by_spans(struct collector *collector, uint32_t launch, uint32_t last,
			      struct collective *collective)
{
	const struct profile *profile = collector->profile;
	bool message =
		collective_is_message(intern_text(collector->summary->strings, collective->name));
	for (uint32_t at = launch; last != NO_ROW && at != NO_ROW; at = profile->span_parent[at]) {
		struct attributes attributes;
		attributes.first = profile_span_attributes(profile, at, &attributes.count);
		if (collective->sequence == NO_VALUE)
			collective->sequence =
				find_int(collector, attributes, collector->keys.sequence);
		if (message && !collective->pair)
			collective->pair = pair_of(collector, attributes,
						   profile_string(profile, profile->span_name[at]));
		if (at == last)
			break;
	}
}

/* What Ascend's profiler records of an operation. */
static void describe_hccl(struct collector *collector, struct attributes attributes,
			  struct collective *collective)
{
	const char *dtype = find_text(collector, attributes, collector->keys.hccl_dtype);
	int64_t elements = find_int(collector, attributes, collector->keys.hccl_elements);
	if (!dtype)
		return;
	collective->dtype = collective->dtype ?: collectives_keep(collector, dtype);
	if (collective->bytes == NO_VALUE)
		collective->bytes =
			part_bytes(intern_text(collector->summary->strings, collective->name),
				   collective_bytes(dtype, elements), collective->group_size);
}

static int64_t absolute(const struct profile *profile, int64_t time)
{
	int64_t base, sum;
	if (__builtin_add_overflow(profile->epoch_ns, profile->base_ns, &base) ||
	    __builtin_add_overflow(base, time, &sum))
		return time;
	return sum;
}

static void collectives_add(struct collector *collector, struct collective collective,
			    uint32_t call, uint32_t step)
{
	struct rank_summary *summary = collector->summary;
	const struct derived *derived = collector->derived;
	uint32_t known = call == NO_ROW ? NO_ROW : id_map_find(&collector->by_call, call);
	if (known != NO_ROW) { /* its kernels may be on several streams and devices */
		struct collective *same = &summary->collectives[known];
		same->end = collective.end > same->end ? collective.end : same->end;
		same->start = collective.start < same->start ? collective.start : same->start;
		return;
	}
	if (call != NO_ROW)
		id_map_add(&collector->by_call, call, (uint32_t)summary->collective_count);
	collective.step = step == NO_ROW ? NO_VALUE : derived->steps[step].number;
	*mem_push(summary->collectives, summary->collective_count) = collective;
}

/* Of which nothing is known but its time. */
static struct collective unknown_between(const struct profile *profile, int64_t start, int64_t dur)
{
	return (struct collective){ .bytes = NO_VALUE,
				    .start = absolute(profile, start),
				    .end = absolute(profile, start + dur) };
}

static void collectives_add_kernel(struct collector *collector, uint32_t activity)
{
	const struct profile *profile = collector->profile;
	int64_t start = profile->activity_start[activity];
	struct collective collective =
		unknown_between(profile, start, profile->activity_dur[activity]);
	uint32_t launch = profile->activity_launch[activity];
	uint32_t span = launch == NO_ROW ? NO_ROW : describing_span(collector, launch);
	struct attributes attributes;
	attributes.first = profile_activity_attributes(profile, activity, &attributes.count);
	if (!find_text(collector, attributes, collector->keys.name) && span != NO_ROW)
		attributes.first = profile_span_attributes(profile, span, &attributes.count);
	collectives_describe(collector, attributes, span, &collective);
	collective.name = collective.name ?: name_of_kernel(collector, activity);
	attributes.first = profile_activity_attributes(profile, activity, &attributes.count);
	describe_hccl(collector, attributes, &collective);
	describe_by_spans(collector, launch, span, &collective);
	uint32_t step = collector->derived->activity_step[activity];
	collectives_add(collector, collective, span,
			step != NO_ROW ? step : derived_step_at(collector->derived, start));
}

static void collectives_add_span(struct collector *collector, uint32_t span)
{
	const struct profile *profile = collector->profile;
	int64_t start = profile->span_start[span];
	struct collective collective = unknown_between(profile, start, profile->span_dur[span]);
	struct attributes attributes;
	attributes.first = profile_span_attributes(profile, span, &attributes.count);
	collectives_describe(collector, attributes, span, &collective);
	describe_by_spans(collector, span, span, &collective);
	collectives_add(collector, collective, span, derived_step_at(collector->derived, start));
}

COMPARE_MEMBERS(collectives_compare_starts, struct collective, UP(start))

/* Operations of a flight recorder that have completed. */
static void add_flight(struct collector *collector)
{
	struct rank_summary *summary = collector->summary;
	for_each (entry, summary->flight.entries, summary->flight.count) {
		if (entry->started == NO_VALUE || entry->completed == NO_VALUE || entry->pair)
			continue;
		*mem_push(summary->collectives, summary->collective_count) = (struct collective){
			.name = entry->name,
			.group = entry->group,
			.dtype = entry->type,
			.sequence = entry->sequence,
			.step = NO_VALUE,
			.group_size = NO_VALUE,
			.start = entry->started,
			.end = entry->completed < entry->started ? entry->started
								 : entry->completed,
			.bytes = entry->type ? collective_bytes(
						       intern_text(summary->strings, entry->type),
						       entry->elements)
					     : NO_VALUE,
		};
	}
}

bool collectives_collect(const struct derived *derived, struct rank_summary *summary,
			 const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	struct collector collector = { .derived = derived,
				       .profile = profile,
				       .summary = summary,
				       .keys = find_keys(profile),
				       .members = hash_new(16) };
	find_members(&collector);
	add_flight(&collector);
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, "collecting collectives")
		if (derived_is_communication(derived, i))
			collectives_add_kernel(&collector, i);
	for (uint32_t i = 0; !profile->activities && i < profile->spans && ok; i++) {
		ok = progress_row(progress, "collecting collectives", i, profile->spans);
		if (derived->role[profile->span_name[i]] & NAME_COMMUNICATION &&
		    (profile->span_kind[i] == SPAN_ANNOTATION ||
		     profile->span_kind[i] == SPAN_OPERATOR))
			collectives_add_span(&collector, i);
	}
	sort_items(summary->collectives, summary->collective_count, collectives_compare_starts);
	hash_free(collector.members);
	id_map_clear(&collector.by_call);
	return ok;
}

double collective_bus_factor(const char *name, int64_t ranks)
{
	double n = (double)ranks;
	if (strcasestr(name, "all_reduce") || strcasestr(name, "allreduce"))
		return 2 * (n - 1) / n;
	if (strcasestr(name, "gather") || strcasestr(name, "scatter") ||
	    collective_is_exchange(name))
		return (n - 1) / n;
	return 1;
}

/* ---- back to activities ---- */

size_t collective_of_activity(const struct derived *derived, const struct rank_summary *summary,
			      uint32_t activity)
{
	const struct profile *profile = derived->profile;
	int64_t start = absolute(profile, profile->activity_start[activity]);
	if (!derived_is_communication(derived, activity))
		return SIZE_MAX;
	size_t after = search_first(i, 0, summary->collective_count,
				    summary->collectives[i].start > start);
	return after > 0 && summary->collectives[after - 1].end >= start ? after - 1 : SIZE_MAX;
}

uint32_t collective_activity(const struct derived *derived, const struct collective *collective)
{
	const struct profile *profile = derived->profile;
	return row_where(i, 0, profile->activities,
			 absolute(profile, profile->activity_start[i]) == collective->start &&
				 derived_is_communication(derived, i));
}
