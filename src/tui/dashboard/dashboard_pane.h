/*
 * The dashboard pane: the panels of picture/dashboard with a cursor on their lines.
 */
#pragma once

#include "tui/core/pane.h"

struct pane *dashboard_pane_new(const struct pane_subject *subject);

/*
 * The label at *AT (0: the first) of those that Enter opens something of, and that in SUBJECT; *AT
 * advances. NULL at the end, or if PANE is no dashboard.
 */
const char *dashboard_name(const struct pane *pane, size_t *at, struct pane_subject *subject);
