/*
 * A list on the whole screen from which the user picks rows, and to which rows can come meanwhile.
 */
#pragma once

#include "tui/app/explorer.h"

struct error;
struct picker;

/* Take the terminal; of OPTIONS, those of its looks count. NULL with ERROR if it is not usable. */
struct picker *picker_open(const struct tui_options *options, const char *title,
			   struct error *error);
void picker_close(struct picker *picker); /* restores the terminal; NULL is allowed */

int picker_input(const struct picker *picker); /* descriptor to poll */
void picker_add(struct picker *picker, const char *label);

enum picker_state { PICKER_OPEN, PICKER_PICKED, PICKER_LEFT };

/* Act on the keys that were pressed, and draw. */
enum picker_state picker_turn(struct picker *picker);

/* Was row INDEX, in the order in which they came, picked? */
bool picker_has(const struct picker *picker, size_t index);
