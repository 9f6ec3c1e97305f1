#include "input/timeline_rows.h"
#include "input/readers.h"

#include "input/json_stream.h"
#include "input/text_lines.h"
#include "model/totals.h"

#include <math.h>

enum { NS_PER_MS = 1000000 };

struct trt {
	struct profile *profile;
	struct builder *builder;
	int64_t iterations;
	int64_t end; /* of the run before */
	int64_t runs;
	bool overlaps;
};

/* ---- values ---- */

/* Milliseconds as ns; NO_VALUE without the member. */
static int64_t member_ns(const struct json_slice *object, const char *name)
{
	struct json_slice value;
	double ms;
	if (!json_find_type(object, name, JSON_NUMBER, &value) || !json_real(&value, &ms) ||
	    !(ms >= 0 && ms < 9e12))
		return NO_VALUE;
	return llround(ms * NS_PER_MS);
}

/* ---- layer times (--exportProfile) ---- */

static void parse_layer_time(struct trt *trt, const struct json_slice *object)
{
	struct json_slice count;
	if (json_find(object, "count", &count)) {
		json_int(&count, &trt->iterations);
		return;
	}
	uint32_t name = json_find_text(object, "name", trt->profile->strings);
	int64_t time = member_ns(object, "timeMs");
	if (!name || time == NO_VALUE) {
		profile_skip(trt->profile, "layer without name or time");
		return;
	}
	struct totals *totals = trt->profile->totals;
	uint32_t row = totals_add(totals, name);
	totals->rows[row].calls = trt->iterations;
	totals->rows[row].gpu_self_ns = time;
}

/* ---- run times (--exportTimes) ---- */

static void tensorrt_add_work(struct trt *trt, enum activity_kind kind, const char *name,
			      int64_t start, int64_t dur)
{
	uint32_t process = builder_process(trt->builder, NO_VALUE, 0);
	struct activity activity = activity_of(kind);
	activity.track = builder_track(trt->builder, process, 0, 0, 0);
	activity.name = profile_intern(trt->profile, name);
	activity.start = start;
	activity.dur = dur;
	if (dur > 0)
		builder_activity(trt->builder, &activity);
}

/*
 * Times have six digits, so a run seems to begin before the one before it has ended: it is placed
 * after it.
 */
static void parse_run(struct trt *trt, const struct json_slice *object)
{
	int64_t in = member_ns(object, "h2dMs"), compute = member_ns(object, "computeMs");
	int64_t out = member_ns(object, "d2hMs"), latency = member_ns(object, "latencyMs");
	int64_t start = member_ns(object, "startH2dMs");
	if (start == NO_VALUE)
		start = member_ns(object, "startComputeMs");
	if (compute == NO_VALUE) {
		profile_skip(trt->profile, "run without a time");
		return;
	}
	in = in == NO_VALUE ? 0 : in;
	out = out == NO_VALUE ? 0 : out;
	if (latency == NO_VALUE)
		latency = in + compute + out;
	if (start == NO_VALUE || start < trt->end) {
		trt->overlaps |= start != NO_VALUE && trt->end - start > compute / 10;
		start = trt->end;
	}
	uint32_t process = builder_process(trt->builder, NO_VALUE, 0);
	builder_span(trt->builder, SPAN_ANNOTATION, builder_track(trt->builder, process, 0, 0, -1),
		     profile_print(trt->profile, "ProfilerStep#%lld", (long long)trt->runs++),
		     start, latency, NO_ROW);
	tensorrt_add_work(trt, ACTIVITY_MEMCPY, "Memcpy HtoD", start, in);
	tensorrt_add_work(trt, ACTIVITY_KERNEL, "inference", start + in, compute);
	tensorrt_add_work(trt, ACTIVITY_MEMCPY, "Memcpy DtoH", start + in + compute, out);
	trt->end = start + latency;
}

/* ---- layers (--exportLayerInfo) ---- */

/* Without --profilingVerbosity=detailed a layer is its name alone. */
static void parse_layer(struct trt *trt, const struct json_slice *value)
{
	uint32_t name = value->type == JSON_STRING
				? json_intern(value, trt->profile->strings)
				: json_find_text(value, "Name", trt->profile->strings);
	if (!name) {
		profile_skip(trt->profile, "layer without name or time");
		return;
	}
	uint32_t kind = json_find_text(value, "LayerType", trt->profile->strings);
	struct totals *totals = trt->profile->totals;
	uint32_t row = totals_add(totals, name);
	totals->rows[row].kind = kind;
}

/* ---- documents ---- */

static struct totals *totals_of(struct trt *trt)
{
	trt->profile->totals = trt->profile->totals ?: totals_new();
	return trt->profile->totals;
}

static void tensorrt_parse_entry(void *context, struct stream *stream, const char *key)
{
	struct trt *trt = context;
	struct json_slice object, found;
	if (!stream_record(stream, &object))
		return;
	if (object.type != JSON_OBJECT)
		profile_skip(trt->profile, "entry that is no object");
	else if (json_find(&object, "computeMs", &found))
		parse_run(trt, &object);
	else if (totals_of(trt))
		parse_layer_time(trt, &object);
}

static void parse_layer_entry(void *context, struct stream *stream, const char *key)
{
	struct trt *trt = context;
	struct json_slice value;
	if (stream_record(stream, &value))
		parse_layer(trt, &value);
}

static void parse_binding(void *context, struct stream *stream, const char *key)
{
	int64_t *bindings = context;
	struct json_slice value;
	*bindings += stream_value(stream, &value);
}

static void tensorrt_parse_member(void *context, struct stream *stream, const char *key)
{
	struct trt *trt = context;
	struct totals *totals = totals_of(trt);
	int64_t bindings = 0;
	if (strcmp(key, "Layers") == 0) {
		stream_walk(stream, parse_layer_entry, trt);
	} else if (strcmp(key, "Bindings") == 0) {
		stream_walk(stream, parse_binding, &bindings);
		totals_fact(totals, trt->profile->strings, "engine", "bindings", bindings);
	} else {
		stream_skip(stream);
	}
}

static void finish_totals(struct trt *trt, bool with_times)
{
	struct totals *totals = trt->profile->totals;
	if (!totals)
		return;
	totals->layers = true;
	totals->operators = with_times;
	totals_add_up(totals);
	totals_fact(totals, trt->profile->strings, "engine", "layers", (int64_t)totals->count);
	if (trt->iterations != NO_VALUE)
		totals_fact(totals, trt->profile->strings, "engine", "iterations", trt->iterations);
}

static bool read_tensorrt(struct input *input)
{
	struct stream stream = stream_of(input, "reading TensorRT's file");
	struct trt trt = { .profile = input->profile,
			   .builder = input->builder,
			   .iterations = NO_VALUE };
	bool array = stream_peek(&stream) == '[';
	stream_walk(&stream, array ? tensorrt_parse_entry : tensorrt_parse_member, &trt);
	input->profile->events = stream.records;
	finish_totals(&trt, array);
	if (trt.overlaps)
		profile_damage(input->profile, "run that begins before the one before it ends",
			       "placed after it", UINT64_MAX);
	return stream_finish(&stream, input->profile);
}

static bool tensorrt_recognize(const char *head, size_t length)
{
	bool runs = memmem(head, length, "\"computeMs\"", 11) &&
		    memmem(head, length, "\"latencyMs\"", 11);
	bool layers =
		memmem(head, length, "\"timeMs\"", 8) && memmem(head, length, "\"averageMs\"", 11);
	return ((runs || layers) && json_after(head, "[{")) ||
	       text_begins_one(json_after(head, "{"), "\"Layers\"|\"Bindings\"");
}

const struct reader tensorrt_reader = { .format = "TensorRT output (JSON)",
					.recognize = tensorrt_recognize,
					.read = read_tensorrt,
					.empty = "is TensorRT's output without layers or times" };
