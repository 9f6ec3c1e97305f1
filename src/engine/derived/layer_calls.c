#include "derived/layer_calls.h"

#include "derived/derived.h"
#include "base/parallel.h"

struct layer_calls_calls {
	const struct derived *derived;
	bool recorded; /* work of devices */
	uint8_t *call;
	uint32_t *above;
};

static bool is_in_namespace(const struct profile *profile, uint32_t span)
{
	return strstr(profile_string(profile, profile->span_name[span]), "::") != NULL;
}

bool layer_calls_is_range(const struct derived *derived, uint32_t span)
{
	const struct profile *profile = derived->profile;
	uint32_t next = span + 1;
	return profile->span_kind[span] == SPAN_OPERATOR &&
	       !derived->role[profile->span_name[span]] && next < profile->spans &&
	       profile->span_parent[next] == span && profile->span_kind[next] == SPAN_OPERATOR &&
	       !is_in_namespace(profile, span) && is_in_namespace(profile, next);
}

static int kind_of_operator(const struct derived *derived, uint32_t span)
{
	return derived->layers.source == LAYERS_RANGES && layer_calls_is_range(derived, span)
		       ? LAYER_ANNOTATION
		       : LAYER_OPERATOR;
}

/* The kind of node for a span, or -1. */
static int node_kind(const struct layer_calls_calls *calls, uint32_t span)
{
	const struct derived *derived = calls->derived;
	const struct profile *profile = derived->profile;
	uint16_t role = derived->role[profile->span_name[span]];
	switch (profile->span_kind[span]) {
	case SPAN_MODULE: return LAYER_MODULE;
	case SPAN_ANNOTATION: return role & NAME_STEPS ? -1 : LAYER_ANNOTATION;
	case SPAN_OPERATOR: return role & NAME_STEPS ? -1 : kind_of_operator(derived, span);
	case SPAN_PYTHON: return derived->layers.source == LAYERS_PYTHON ? LAYER_PYTHON : -1;
	case SPAN_RUNTIME: /* work that it launches stands for a call, where it was recorded */
		return role & NAME_BLOCKING || !calls->recorded ? LAYER_RUNTIME : -1;
	default: return -1;
	}
}

static uint8_t layer_calls_call_of(const struct derived *derived, uint32_t span, int kind,
				   uint32_t above)
{
	uint8_t flags = derived->span_flags[span];
	unsigned call = (unsigned)kind | CALL_HAS_NODE;
	if (flags & SPAN_BACKWARD) {
		call |= CALL_BACKWARD;
		if (above == NO_ROW || !(derived->span_flags[above] & SPAN_BACKWARD))
			call |= CALL_STARTS_BACKWARD;
	}
	if (kind == LAYER_OPERATOR && above != NO_ROW &&
	    (flags & SPAN_FOLDED ||
	     derived->role[derived->profile->span_name[above]] & NAME_BACKWARD_ENGINE))
		call |= CALL_MAY_REPEAT;
	return (uint8_t)call;
}

/* The nearest with a node among SPAN and those around it. */
static uint32_t nearest(const struct layer_calls_calls *calls, uint32_t span)
{
	while (span != NO_ROW && node_kind(calls, span) < 0)
		span = calls->derived->profile->span_parent[span];
	return span;
}

/* Parents before the range are looked up once for all of their children that follow each other. */
static void find_range(void *context, size_t from, size_t to)
{
	const struct layer_calls_calls *calls = context;
	const struct derived *derived = calls->derived;
	uint32_t before = NO_ROW, around = NO_ROW;
	for (uint32_t i = (uint32_t)from; i < to; i++) {
		uint32_t parent = derived->profile->span_parent[i], above = NO_ROW;
		if (parent != NO_ROW && parent >= from) {
			above = calls->call[parent] ? parent : calls->above[parent];
		} else if (parent != NO_ROW) {
			around = parent == before ? around : nearest(calls, parent);
			before = parent;
			above = around;
		}
		int kind = node_kind(calls, i);
		calls->above[i] = above;
		calls->call[i] = kind < 0 ? 0 : layer_calls_call_of(derived, i, kind, above);
	}
}

bool layer_calls_find(const struct derived *derived, uint8_t *call, uint32_t *above,
		      const struct progress *progress)
{
	bool recorded = profile_all_rows(derived->profile).activities;
	struct layer_calls_calls calls = { derived, recorded, call, above };
	return parallel_ranges(derived->profile->spans, find_range, &calls, "building layers",
			       progress);
}
