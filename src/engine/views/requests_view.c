/*
 * The requests view: what a benchmark or the server itself measured of each, and its steps.
 */
#include "analysis/request_clock.h"
#include "model/requests.h"
#include "views/views.h"

#include <stdio.h>

/* The last step that ends by TIME, or is in its last quarter; NO_ROW: none. */
static uint32_t step_ended_by(const struct derived *derived, int64_t time)
{
	const struct step *steps = derived->steps;
	uint32_t after = search_first(i, 0U, derived->step_count,
				      steps[i].end - (steps[i].end - steps[i].start) / 4 > time);
	return after ? after - 1 : NO_ROW;
}

/* When its last token is there, if the first one is at TOKEN. */
static int64_t last_token(const struct server_request *request, int64_t token)
{
	return request->decode == NO_VALUE ? token : sum_known(token, request->decode);
}

/*
 * The steps of a request whose first token is there at TOKEN, a time of the profile. A client does
 * not tell queue from prefill: prefill begins with the step that gives the first token.
 */
static void set_request_steps(struct table *table, size_t row, const struct derived *derived,
			      const struct server_request *request, int64_t token)
{
	uint32_t first = step_ended_by(derived, token);
	uint32_t last = step_ended_by(derived, last_token(request, token));
	const struct step *of = first == NO_ROW ? NULL : &derived->steps[first];
	if (last == NO_ROW || (of && first + 1 == derived->step_count &&
			       token - of->end > 3 * (of->end - of->start) / 4))
		return;
	if (of && request->queue == NO_VALUE && token - of->start <= request->first_token) {
		table_set(table, row, "prefill_ns", value_int(token - of->start));
		table_set(table, row, "waiting_ns",
			  value_int(request->first_token - (token - of->start)));
	} else if (of && request->prefill != NO_VALUE)
		first = search_first(i, 0U, first,
				     derived->steps[i].end > token - request->prefill);
	if (of)
		table_set(table, row, "first_step", value_int(derived->steps[first].number));
	table_set(table, row, "last_step", value_int(derived->steps[last].number));
	table_set(table, row, "steps", value_int(last + 1 - (of ? first : 0)));
}

static void add_request_row(struct table *table, const struct derived *derived,
			    const struct server_request *request, int64_t number, int64_t start)
{
	size_t row = table_add_row(table, NO_REF);
	int64_t token = sum_known(start, request->first_token);
	REQUEST_CELLS(table_set);
	if (request->decode != NO_VALUE && request->tokens_out > 1)
		table_set(table, row, "next_token_ns",
			  value_int(request->decode / (request->tokens_out - 1)));
	if (token != NO_VALUE && derived->steps_from_profile)
		set_request_steps(table, row, derived, request, token);
}

static void note_clock(struct table *table, const struct request_clock *clock, size_t elsewhere)
{
	char matched[128] = "Unix time";
	if (clock->steps)
		snprintf(matched, sizeof matched, "%zu of %zu tokens of %zu decode steps match it",
			 clock->tokens, clock->due, clock->steps);
	if (clock->unknown)
		table_note(table, "Not placed among the steps: %s.", clock->unknown);
	else
		table_note(table,
			   "Clock of the requests: offset %+.6f s (%s). %zu are before or after "
			   "the recording.",
			   (double)clock->offset / 1e9, matched, elsewhere);
}

bool build_requests(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	const struct requests *requests = profile->requests;
	const struct scope *scope = selection->scope;
	struct request_clock clock = { .unknown = "" };
	int64_t from = scope->has_time ? scope->time_first : 0;
	int64_t to = scope->has_time ? scope->time_last : profile->end_ns + 1;
	size_t elsewhere = 0;
	bool trace = profile->spans || profile->activities;
	if (requests && trace && !request_clock_find(&clock, selection->derived, query->progress))
		return false;
	for (size_t i = 0; requests && i < requests->count; i++) {
		const struct server_request *request = &requests->items[i];
		int64_t start =
			clock.unknown ? NO_VALUE : sum_known(request->arrival, clock.offset);
		int64_t end = last_token(request, sum_known(start, request->first_token));
		if (!progress_heavy_row(query->progress, "listing requests", i, requests->count, 8))
			return false;
		if (start != NO_VALUE && (start >= to || (end != NO_VALUE && end < from)))
			elsewhere++;
		else
			add_request_row(table, selection->derived, request, (int64_t)i + 1, start);
	}
	if (requests && trace)
		note_clock(table, &clock, elsewhere);
	else if (!requests)
		table_note(table, "No requests; open beside the trace what a benchmark saved with "
				  "details, or spans of the server (OTLP).");
	return true;
}
