/*
 * Nsight Compute reports: blocks of sessions, string tables, sources and results.
 *
 * After "NVR\0" and a file header, blocks follow one another: the length of a header, the header (a
 * message), and a payload of entries, each a length and a message. Numbers are little-endian.
 */
#include "base/error.h"
#include "input/readers.h"
#include "input/ncu/ncu_result.h"

#include <inttypes.h>

/* Fields of a block's header. */
enum { NCU_BLOCK_ROWS(_) };

struct ncu_report_report {
	struct ncu *ncu;
	struct ncu_result result;
	const char *bytes;
	size_t length, at;
	uint64_t counts[BLOCK_KINDS]; /* of the current block */
	uint64_t sources, others;     /* entries that are not read */
};

/* ---- sessions ---- */

/* Attributes of a device that have a member. */
static void set_device(struct device *device, const char *name, int64_t value)
{
	const struct {
		const char *name;
		int64_t *member;
		int64_t scale;
	} known[] = { NCU_DEVICE_ROWS };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(name, known[i].name) == 0 && value > 0 && value < INT64_MAX / 1000)
			*known[i].member = value * known[i].scale;
}

/* An attribute: 1 its name, 2 its value. CLOCK and WIDTH are of the memory. */
static void read_attribute(struct ncu_report_report *report, struct device *device,
			   struct proto message, int64_t *clock, int64_t *width)
{
	static const char prefix[] = "device__attribute_";
	struct proto_field name, field;
	struct ncu_value value;
	char text[64];
	if (!proto_find(message, 1, &name) || !proto_find(message, 2, &field) || !name.bytes ||
	    name.length >= sizeof text || !ncu_value(report->ncu, proto_in(&field), &value))
		return;
	memcpy(text, name.bytes, name.length);
	text[name.length] = 0;
	const char *rest =
		strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : text;
	int64_t number = value.number >= 0 && value.number < 9e15 ? (int64_t)value.number : 0;
	if (strcmp(rest, "memory_clock_rate") == 0)
		*clock = number; /* kHz */
	else if (strcmp(rest, "global_memory_bus_width") == 0)
		*width = number; /* bits */
	else
		set_device(device, rest, number);
}

/* Two transfers a clock. */
static int64_t bandwidth_of(int64_t clock, int64_t width)
{
	int64_t bits;
	if (clock <= 0 || width <= 0 || __builtin_mul_overflow(clock, width, &bits) ||
	    bits > INT64_MAX / 2000)
		return NO_VALUE;
	return bits / 8 * 2000;
}

/* 1 id, 2 name, 3 attributes. */
static void read_device(struct ncu_report_report *report, struct proto message)
{
	struct proto_field field;
	struct profile *profile = report->ncu->profile;
	uint64_t id = 0;
	int64_t clock = 0, width = 0;
	if (proto_find(message, 1, &field))
		proto_unsigned(&field, &id);
	struct device *device =
		id <= INT32_MAX ? builder_device(report->ncu->builder, (int32_t)id) : NULL;
	while (device && proto_next(&message, &field)) {
		if (field.number == 2)
			device->name = proto_text(&field, profile->strings);
		else if (field.number == 3)
			read_attribute(report, device, proto_in(&field), &clock, &width);
	}
	if (device && bandwidth_of(clock, width) != NO_VALUE)
		device->memory_bandwidth = bandwidth_of(clock, width);
}

/* 1 provider, 2 version. */
static void read_version(struct ncu_report_report *report, struct proto message)
{
	struct proto_field name, version;
	struct profile *profile = report->ncu->profile;
	if (proto_find(message, 1, &name) && proto_find(message, 2, &version) && name.bytes)
		builder_metadata(report->ncu->builder, proto_text(&name, profile->strings),
				 proto_text(&version, profile->strings));
}

/* The executable's settings (9) hold its environment and are not read. */
static void read_session(struct ncu_report_report *report, struct proto message)
{
	enum { CREATED = 2, DEVICE = 6, WRITER = 8, COMMAND = 11 };
	struct profile *profile = report->ncu->profile;
	uint64_t seconds;
	for (struct proto_field field; proto_next(&message, &field);) {
		if (field.number == CREATED && proto_unsigned(&field, &seconds) &&
		    seconds < INT64_MAX / 1000000000)
			profile->epoch_ns = (int64_t)seconds * 1000000000;
		else if (field.number == DEVICE)
			read_device(report, proto_in(&field));
		else if (field.number == WRITER)
			read_version(report, proto_in(&field));
		else if (field.number == COMMAND)
			builder_fact(report->ncu->builder, "command line",
				     proto_text(&field, profile->strings));
	}
}

/* ---- blocks ---- */

static void read_process(struct ncu_report_report *report, struct proto message)
{
	struct ncu *ncu = report->ncu;
	struct proto_field field;
	uint64_t pid;
	if (!proto_find(message, 1, &field) || !proto_unsigned(&field, &pid) || pid > UINT32_MAX)
		return;
	ncu->process = builder_process(ncu->builder, (int64_t)pid, 0);
	if (proto_find(message, 3, &field))
		ncu->profile->processes[ncu->process].name =
			proto_text(&field, ncu->profile->strings);
}

static void read_header(struct ncu_report_report *report, struct proto message)
{
	struct profile *profile = report->ncu->profile;
	memset(report->counts, 0, sizeof report->counts);
	for (struct proto_field field; proto_next(&message, &field);) {
		if (field.number == BLOCK_SESSION)
			read_session(report, proto_in(&field));
		else if (field.number == BLOCK_STRINGS)
			ncu_add_strings(&report->result, profile->strings, proto_in(&field));
		else if (field.number == BLOCK_PROCESS)
			read_process(report, proto_in(&field));
		else if (field.number < BLOCK_KINDS)
			proto_unsigned(&field, &report->counts[field.number]);
	}
	if (message.damaged)
		profile_damage(profile, "damaged header of a block", "kept", report->at);
}

/* A length at the current place and that number of bytes; false, marked as truncated, when less is
 * left.
 */
static bool ncu_report_take(struct ncu_report_report *report, size_t end, struct proto *message)
{
	size_t left = end - report->at;
	uint32_t length = 0;
	for (size_t i = 0; i < 4 && i < left; i++)
		length |= (uint32_t)(uint8_t)report->bytes[report->at + i] << 8 * i;
	if (left < 4 || length > left - 4)
		return false;
	*message = proto_of(report->bytes + report->at + 4, length);
	report->at += 4 + (size_t)length;
	return true;
}

/* Entries are sources, results, then ranges, command lists and graphs. */
static bool read_payload(struct ncu_report_report *report, size_t end)
{
	struct proto entry;
	uint64_t number = 0, first = report->counts[BLOCK_SOURCES];
	while (report->at < end) {
		size_t place = report->at;
		if (!progress_heavy_row(report->ncu->progress, "reading results", number, 0, 4096))
			return false;
		if (!ncu_report_take(report, end, &entry)) {
			profile_damage(report->ncu->profile, "entry longer than its block",
				       "skipped", place);
			return true;
		}
		if (number < first)
			report->sources++;
		else if (number - first < report->counts[BLOCK_RESULTS])
			ncu_read_result(report->ncu, &report->result, entry, place);
		else
			report->others++;
		number++;
	}
	return true;
}

static bool read_blocks(struct ncu_report_report *report)
{
	struct proto header;
	while (report->at < report->length) {
		if (!ncu_report_take(report, report->length, &header)) {
			report->ncu->profile->truncated = true;
			return true;
		}
		read_header(report, header);
		uint64_t payload = report->counts[BLOCK_PAYLOAD];
		size_t left = report->length - report->at;
		if (payload > left)
			report->ncu->profile->truncated = true;
		size_t end = report->at + (payload < left ? (size_t)payload : left);
		if (!read_payload(report, end))
			return false;
		report->at = end;
	}
	return true;
}

/* ---- the whole ---- */

static void note_unread(struct ncu_report_report *report)
{
	struct buffer text = { 0 };
	if (report->sources)
		buffer_printf(&text, "%" PRIu64 " sources and programs", report->sources);
	if (report->others)
		buffer_printf(&text, "%s%" PRIu64 " results of ranges and graphs",
			      text.length ? ", " : "", report->others);
	buffer_printf(&text, "%scharts of sections, call stacks", text.length ? ", " : "");
	builder_fact(report->ncu->builder, "not loaded", profile_take(report->ncu->profile, &text));
}

static bool read_report(struct ncu_report_report *report, struct error *error)
{
	struct profile *profile = report->ncu->profile;
	struct proto header;
	report->at = 4;
	if (!ncu_report_take(report, report->length, &header))
		return error_input(error,
				   "is an Nsight Compute report cut in its header at byte %zu",
				   report->at);
	if (!read_blocks(report))
		return false;
	if (!report->ncu->kernels && report->others)
		return error_input(
			error,
			"is an Nsight Compute report of ranges or graphs, without kernels; profile again with: ncu --replay-mode kernel -o FILE PROGRAM");
	if (!report->ncu->kernels)
		return error_input(
			error,
			"is an Nsight Compute report without kernels%s; profile again with: ncu -o FILE PROGRAM",
			profile->truncated ? " before its cut" : "");
	note_unread(report);
	return true;
}

static bool read_ncu(struct input *input)
{
	AUTO(ncu_end) struct ncu ncu = ncu_begin(input->profile, input->builder, input->progress);
	struct ncu_report_report report = { .ncu = &ncu,
					    .bytes = input->text.data,
					    .length = input->text.length };
	bool done = read_report(&report, input->error);
	ncu_result_end(&report.result);
	return done;
}

static bool ncu_report_recognize(const char *head, size_t length)
{
	return length >= 4 && memcmp(head, "NVR", 4) == 0;
}

const struct reader ncu_report_reader = {
	.format = "Nsight Compute report",
	.recognize = ncu_report_recognize,
	.text_max = SOURCE_WHOLE_MAX,
	.read = read_ncu,
	.joins = JOINS_NAMED,
};
