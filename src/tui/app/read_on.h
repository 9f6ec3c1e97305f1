/*
 * Reading on in files that grow: they are loaded again when they have changed, all positions kept.
 */
#pragma once

#include "tui/app/app.h"

enum {
	FOLLOW_MS = 1000, /* between looks at the files */
	FOLLOW_REST = 9,  /* times as long as loading took, none begins again: they cost a tenth */
};

void follow_begin(struct app *app); /* loading begins */
void follow_turn(struct app *app);  /* load again if they have changed */
void follow_say(struct app *app);   /* how far it is */
