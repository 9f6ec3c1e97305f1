/*
 * A tool: a profiler whose files strata reads and whose reports it prints.
 *
 * Lower layers reach readers, views and presets only through `tools`, so a new tool is a
 * folder and a line in tools/tools.c.
 */
#pragma once

#include "model/recording.h"

struct buffer;
struct error;
struct derived;
struct intern;
struct picture;
struct preset;
struct progress;
struct reader;
struct view;

/* Steps defined as the iterations of an operator that runs once in each, the key node. */
struct step_rule {
	/*
	 * Replace the steps of DERIVED by the iterations of the operator with this id or name.
	 * STRINGS are the profile's. False with ERROR_USAGE when it does not exist, or
	 * ERROR_CANCELLED.
	 */
	bool (*cut)(struct derived *derived, struct intern *strings, const char *key,
		    const struct progress *progress, struct error *error);
	/* Append the id of the operator at or around a span to ID. False without one. */
	bool (*key_of_span)(const struct derived *derived, uint32_t span, struct buffer *id);
};

/* A finding that a profiler stored in its profile. Texts are copied by the visitor. */
struct stored_advice {
	const char *id;    /* "amp_detector" */
	const char *title; /* a term of art; NULL: the id */
	const char *problem, *recommendation;
	const struct view *view; /* where its rows are; NULL: not known */
};

typedef void stored_advice_visitor(void *context, const struct stored_advice *advice);

enum { TOOLS_MAX = 32 }; /* more than there are */

/* Lists end in NULL, arrays in an empty entry; any may be NULL. */
struct tool {
	const char *name;                      /* "DLProf" */
	const struct reader *const *readers;   /* input/reader.h */
	struct recording recording;            /* of its files, without the texts (recording.h) */
	const struct view *const *views;       /* for the registry (table/view.h) */
	const struct view *const *reports;     /* views of its presets: found by name, not listed */
	const struct picture *const *pictures; /* picture/picture.h */
	const struct preset *presets;          /* report/preset.h */
	const struct step_rule *steps;
	bool clock_from_start; /* times of its files count from the start of the recording */
	/* Visit the advice of this tool in a profile, which may be of another one. */
	void (*advice)(const struct profile *profile, stored_advice_visitor *visit, void *context);
};

/*
 * All tools; ends in NULL. Defined in tools/tools.c. The first is strata itself, which also
 * stands for profiles of an unknown profiler.
 */
extern const struct tool *const tools[];

static inline bool tool_exists(size_t index)
{
	for (size_t i = 0; tools[i]; i++)
		if (i == index)
			return true;
	return false;
}

/* The rule of the only tool that has one. */
static inline const struct step_rule *tool_step_rule(void)
{
	const struct tool *const *tool = tools;
	while (!(*tool)->steps)
		tool++;
	return (*tool)->steps;
}
