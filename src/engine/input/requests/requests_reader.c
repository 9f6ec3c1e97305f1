/*
 * Requests to inference servers: results of the benchmarks of vLLM and SGLang with details, objects
 * with a list for each measure, and spans of OpenTelemetry in JSON that say how long a model took.
 */
#include "base/compare.h"
#include "base/sort.h"
#include "input/json_stream.h"
#include "input/readers.h"
#include "model/requests.h"

#include <math.h>

/* A measure: the list of a benchmark, the attribute of a span, and its units in one of ours. */
static const struct request_field {
	const char *list, *attribute;
	size_t at;
	double scale;
} fields[] = { REQUEST_FIELD_ROWS };
enum { FIELDS = sizeof fields / sizeof *fields };

struct requests_reading {
	struct requests *requests;
	const struct request_field *field; /* of the list that is read */
	size_t first, at;                  /* requests of this object; the next one */
	bool at_once, limited;             /* all are sent at once; some at a time */
};

static void set_field(struct server_request *request, const struct request_field *field,
		      const struct json_slice *value)
{
	double number;
	if (json_real(value, &number) && number >= 0 && number * field->scale < 2e18)
		*(int64_t *)((char *)request + field->at) = llround(number * field->scale);
}

static struct server_request *add_request(struct requests *requests)
{
	struct server_request *request = mem_push(requests->items, requests->count);
	*request = (struct server_request){ NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE,
					    NO_VALUE, NO_VALUE, NO_VALUE, 0 };
	return request;
}

/* ---- benchmarks ---- */

static struct server_request *next_request(struct requests_reading *reading)
{
	struct requests *requests = reading->requests;
	return reading->at++ < requests->count ? &requests->items[reading->at - 1]
					       : add_request(requests);
}

/* The time from a token to the next one. */
static void take_gap(void *context, struct stream *stream, const char *key)
{
	struct requests_reading *reading = context;
	struct requests *requests = reading->requests;
	struct server_request *request = &requests->items[reading->at - 1];
	struct json_slice value;
	double seconds;
	if (stream_record(stream, &value) && json_real(&value, &seconds) && seconds >= 0 &&
	    seconds < 1e6)
		add_if_known(&request->decode, llround(seconds * 1e9));
	*mem_push(requests->tokens, requests->token_count) = request->decode;
}

/* A number for the next request, or a list of times between its tokens. */
static void take_number(void *context, struct stream *stream, const char *key)
{
	struct requests_reading *reading = context;
	struct requests *requests = reading->requests;
	struct server_request *request = next_request(reading);
	struct json_slice value;
	if (stream_peek(stream) != '[') {
		if (stream_record(stream, &value) && reading->field)
			set_field(request, reading->field, &value);
		return;
	}
	request->decode = 0;
	*mem_push(requests->tokens, requests->token_count) = 0;
	stream_walk(stream, take_gap, reading);
	requests->items[reading->at - 1].token_end = requests->token_count;
}

COMPARE_ITEMS(compare_token_times, int64_t, COMPARE(*x, *y))

/* When an object was read: its tokens, from TOKEN on, come after the first one of their request. */
static void place_tokens(struct requests_reading *reading, size_t token)
{
	struct requests *requests = reading->requests;
	for (size_t i = reading->first; i < requests->count; i++) {
		struct server_request *request = &requests->items[i];
		if (reading->at_once && !reading->limited && request->arrival == NO_VALUE)
			request->arrival = 0;
		int64_t first = sum_known(request->arrival, request->first_token);
		for (; token < request->token_end; token++)
			requests->tokens[token] = sum_known(first, requests->tokens[token]);
	}
}

/* ---- spans ---- */

static void take_span(void *context, struct stream *stream, const char *key)
{
	struct requests_reading *reading = context;
	struct json_slice span, list, name, value;
	if (!stream_record(stream, &span) ||
	    !json_find_type(&span, "attributes", JSON_ARRAY, &list))
		return;
	struct server_request *request = add_request(reading->requests);
	for (struct json_members at = json_members(&list); json_each(&at);) {
		if (!json_find(&at.value, "key", &name) || !json_find(&at.value, "value", &value))
			continue;
		struct json_members typed = json_members(&value); /* { "doubleValue": 0.5 } */
		for (size_t i = json_each(&typed) ? 0 : FIELDS; i < FIELDS; i++)
			if (json_equal(&name, fields[i].attribute))
				set_field(request, &fields[i], &typed.value);
	}
	request->arrival = json_find_id(&span, "startTimeUnixNano");
	if (request->first_token == NO_VALUE)
		request->first_token = sum_known(request->queue, request->prefill);
	reading->requests->count -= request->first_token == NO_VALUE; /* it is another span */
}

/* ---- the reader ---- */

static void requests_take_member(void *context, struct stream *stream, const char *key)
{
	struct requests_reading *reading = context;
	struct json_slice value;
	reading->at = reading->first;
	reading->field = NULL;
	reading->requests->unix_time |= strcmp(key, "resourceSpans") == 0;
	for (size_t i = 0; i < FIELDS; i++)
		if (*key && strcmp(key, fields[i].list) == 0)
			reading->field = &fields[i];
	if (reading->field || strcmp(key, "itls") == 0)
		stream_walk(stream, take_number, reading);
	else if (strcmp(key, "spans") == 0)
		stream_walk(stream, take_span, reading);
	else if (!*key || strcmp(key, "resourceSpans") == 0 || strcmp(key, "scopeSpans") == 0)
		stream_walk(stream, requests_take_member, reading);
	else if (strcmp(key, "request_rate") == 0 && stream_value(stream, &value))
		reading->at_once = strncasecmp(value.text, "inf", 3) == 0;
	else if (strcmp(key, "max_concurrency") == 0 && stream_value(stream, &value))
		reading->limited = value.type == JSON_NUMBER;
	else
		stream_skip(stream);
}

static bool read_requests(struct input *input)
{
	struct stream stream = stream_of(input, "reading requests");
	struct requests *requests = mem_zalloc(1, sizeof *requests);
	input->profile->requests = requests;
	while (stream_peek(&stream) && !stream.cut && !stream.failed) { /* an object a line */
		struct requests_reading reading = { requests, .first = requests->count };
		size_t token = requests->token_count;
		stream_walk(&stream, requests_take_member, &reading);
		place_tokens(&reading, token);
	}
	sort_items(requests->tokens, requests->token_count, compare_token_times);
	input->profile->events = requests->count;
	return stream_finish(&stream, input->profile);
}

static bool requests_recognize(const char *head, size_t length)
{
	return json_after(head, "{") && !strstr(head, "\"traceEvents\"") &&
	       (strstr(head, "\"resourceSpans\"")
			? strstr(head, "\"gen_ai.") != NULL
			: strstr(head, "\"request_throughput\"") && strstr(head, "\"input_lens\""));
}

const struct reader requests_reader = { .format = "requests to an inference server (JSON)",
					.recognize = requests_recognize,
					.read = read_requests,
					.empty = "has no requests to a model",
					.joins = JOINS_ALL };
