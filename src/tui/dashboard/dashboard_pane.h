/*
 * The dashboard pane: the panels of picture/dashboard with a cursor on their lines.
 */
#pragma once

#include "tui/core/pane.h"

struct pane *dashboard_pane_new(const struct pane_subject *subject);
