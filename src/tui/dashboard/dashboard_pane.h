/*
 * The dashboard pane: the panels of picture/dashboard with a cursor on their lines.
 */
#ifndef STRATA_TUI_DASHBOARD_DASHBOARD_PANE_H
#define STRATA_TUI_DASHBOARD_DASHBOARD_PANE_H

#include "tui/core/pane.h"

struct pane *dashboard_pane_new(const struct pane_subject *subject);

#endif
