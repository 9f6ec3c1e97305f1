#include "tools/nsys/nsys_names.h"

#include "base/any_of.h"

#include <inttypes.h>
#include <stdlib.h>

uint32_t nsys_span_attribute(const struct profile *profile, uint32_t span, const char *key)
{
	return profile_span_attribute(profile, span, profile_find(profile, key));
}

int64_t nsys_number_of(const struct profile *profile, uint32_t text)
{
	const char *from = profile_string(profile, text);
	bool hexadecimal = strncmp(from, "0x", 2) == 0;
	char *end;
	int64_t number = hexadecimal ? (int64_t)strtoull(from, &end, 16) : strtoll(from, &end, 10);
	return *from && !*end ? number : NO_VALUE;
}

/* ---- ranges ---- */

bool nsys_range_name(const struct profile *profile, uint32_t span, struct buffer *name,
		     bool *started)
{
	enum span_kind kind = (enum span_kind)profile->span_kind[span];
	if (kind != SPAN_OPERATOR && kind != SPAN_ANNOTATION && kind != SPAN_PYTHON)
		return false;
	uint32_t text = nsys_span_attribute(profile, span, NVTX_TEXT);
	if (kind == SPAN_PYTHON && text == NO_ROW)
		return false;
	uint32_t domain = nsys_span_attribute(profile, span, NVTX_DOMAIN);
	*started = nsys_span_attribute(profile, span, NVTX_STYLE) != NO_ROW;
	buffer_clear(name);
	if (domain != NO_ROW)
		buffer_printf(name, "%s:", profile_string(profile, domain));
	buffer_puts(name,
		    profile_string(profile, text != NO_ROW ? text : profile->span_name[span]));
	const struct op_ids *ids = text != NO_ROW ? NULL : profile_op_ids(profile, span);
	bool nvtx = profile_recording(profile)->nvtx_ranges;
	if (nvtx && ids && ids->sequence != NO_VALUE)
		buffer_printf(name, ", seq = %" PRId64, ids->sequence);
	if (nvtx && ids && ids->external_id != NO_VALUE)
		buffer_printf(name, ", op_id = %" PRId64, ids->external_id);
	return true;
}

/* ---- calls ---- */

static size_t call_length(const char *name, size_t length)
{
	enum { SUFFIX = 6 }; /* "_v7000" */
	bool versioned = length >= SUFFIX && memcmp(name + length - SUFFIX, "_v", 2) == 0;
	return versioned ? length - SUFFIX : length;
}

uint32_t nsys_call_name(const struct profile *profile, uint32_t span, size_t *length)
{
	uint32_t recorded = nsys_span_attribute(profile, span, CALL_RECORDED_AS);
	uint32_t name = recorded != NO_ROW ? recorded : profile->span_name[span];
	*length = call_length(INTERNED(profile->strings, name));
	return name;
}

/* ---- copies ---- */

/* "Memcpy HtoD (Pinned -> Device)" becomes "[CUDA memcpy Host-to-Device]". */
const char *nsys_copy_name(const struct profile *profile, uint32_t activity)
{
	static const struct {
		const char *ours, *name;
	} kinds[] = { COPY_NAMES_ROWS };
	static const char prefix[] = "Memcpy ";
	const char *name = profile_string(profile, profile->activity_name[activity]);
	if (profile->activity_kind[activity] == ACTIVITY_MEMSET)
		return "[CUDA memset]";
	const char *kind = strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : "";
	size_t length = strcspn(kind, "(");
	while (length && kind[length - 1] == ' ')
		length--;
	return looked_up(at, kinds,
			 strlen(at->ours) == length && memcmp(at->ours, kind, length) == 0,
			 at->name, name);
}

/* ---- cells ---- */

enum { ID_BITS = 0xffffff };

static struct value short_id(const struct profile *profile, int64_t id)
{
	if (id == NO_VALUE)
		return value_missing();
	return value_int(profile->span_records && id >= 0 ? id & ID_BITS : id);
}

struct value nsys_pid(const struct profile *profile, uint32_t track)
{
	return short_id(profile, profile->processes[profile->tracks[track].process].pid);
}

struct value nsys_tid(const struct profile *profile, uint32_t track)
{
	return short_id(profile, profile->tracks[track].tid);
}

struct value nsys_triple(struct table *table, const int32_t triple[3])
{
	return table_printf(table, "%4d %4d %4d", triple[0], triple[1], triple[2]);
}
