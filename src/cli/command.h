/*
 * The commands: the first word of the command line, and what runs it.
 */
#ifndef STRATA_CLI_COMMAND_H
#define STRATA_CLI_COMMAND_H

#include "cli/session.h"

struct command {
	const char *name;  /* NULL: no word, the explorer */
	const char *usage; /* what follows the name */
	const char *summary;
	unsigned set;                        /* its options: one enum option_set */
	int (*run)(struct session *session); /* returns the exit status */
};

int command_open(struct session *session);
int command_report(struct session *session);
int command_diff(struct session *session);
int command_query(struct session *session);
int command_export(struct session *session);
int command_info(struct session *session);
int command_views(struct session *session);
int command_cache(struct session *session);

/* Open the explorer on the paths from word FIRST on. */
int explore(struct session *session, size_t first);
/* Everything that `strata report` prints, a name a line. */
void list_reports(FILE *out);
/* --list-keys, as the configuration that OPTIONS name binds them; returns the exit status. */
int list_keys(const struct options *options);

/*
 * Print one view of the paths from word FIRST on, as `strata report` does: for the commands that
 * are a report under another name.
 */
int report_view(struct session *session, const struct view *view, size_t first);

/* The plot that a report is named after ("plot-memory"), or NULL; and its report. */
struct plot_kind;
const struct plot_kind *plot_of_word(const char *word);
int report_plot(struct session *session, const struct plot_kind *kind);

/* Columns a line of what is printed may take; 0: any.  And may it have more than 7-bit characters?
 */
int print_width(const struct options *options);
bool print_unicode(const struct options *options);

/* Print a table as the options say; returns the exit status. */
int print_table(struct session *session, const struct table *table);

#endif
