/*
 * A tool: the files of another profiler that strata reads, and the reports of it that strata
 * prints.
 *
 * Lower layers reach readers, views, presets and columns through `tools` alone, so that a new tool
 * is a folder and a line in tools/tools.c.
 */
#ifndef STRATA_MODEL_TOOL_H
#define STRATA_MODEL_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct column;
struct error;
struct facts;
struct intern;
struct picture;
struct preset;
struct progress;
struct reader;
struct recording;
struct view;

/* Steps that are the iterations of one operator, which runs once in each: the key node. */
struct step_rule {
	/*
	 * Replace the steps of FACTS by the iterations of the operator with this id or name.
	 * STRINGS are the profile's.  False with ERROR_USAGE: no such operator, or ERROR_CANCELLED.
	 */
	bool (*cut)(struct facts *facts, struct intern *strings, const char *key,
		    const struct progress *progress, struct error *error);
	/* Append to ID the id of the operator that a host span is or lies in.  False: it is in
	 * none. */
	bool (*key_of_span)(const struct facts *facts, uint32_t span, struct buffer *id);
};

/* Lists end in NULL, arrays in an empty entry; any may be NULL. */
struct tool {
	const char *name;                      /* "DLProf" */
	const struct reader *const *readers;   /* input/reader.h */
	const struct recording *recording;     /* of what the readers read (recording.h) */
	const struct view *const *views;       /* of the registry (table/view.h) */
	const struct picture *const *pictures; /* picture/picture.h */
	const struct preset *presets;          /* report/preset.h */
	const struct column *columns;          /* beside table/columns.c */
	const struct step_rule *steps;
};

/*
 * All tools; ends in NULL.  Defined in tools/tools.c.  The first is strata itself, which also
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

/* The one tool that has a rule for steps. */
static inline const struct step_rule *tool_step_rule(void)
{
	const struct tool *const *tool = tools;
	while (!(*tool)->steps)
		tool++;
	return (*tool)->steps;
}

#endif
