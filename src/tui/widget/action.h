/*
 * Actions: what keys can do (keys.txt), and the keys bound to them.
 */
#pragma once

#include "tui/term/key.h"

#include <stdbool.h>

/*
 * Contexts of key bindings. Tree extends table; table and text extend all; the rest are
 * independent.
 */
enum context { CONTEXT_ROWS(LISTED) CONTEXT_COUNT };

enum action_group { ACTION_GROUP_ROWS(LISTED) GROUP_COUNT };

enum action {
	ACTION_NONE,
#include "action_ids.h" /* one for each row of keys.txt */
	ACTION_COUNT
};

struct action_info {
	const char *name;
	enum action_group group;
	const char *keys; /* NULL: none */
	const char *help;
};

const struct action_info *action_info(enum action action);
const char *action_group_name(enum action_group group); /* "timeline" */
enum action action_find(const char *name);              /* ACTION_NONE if unknown */
const char *context_title(enum context context);        /* "in a tree" */
const char *context_name(enum context context);         /* "tree" */
bool context_find(const char *name, size_t length, enum context *context);

/*
 * Bind KEY to ACTION in CONTEXT (ACTION_NONE: no action, even if a parent has one), replacing other
 * bindings of it; CONTEXT_ALL also replaces the default bindings of panes. Global for the process.
 */
void action_bind(enum context context, tui_key key, enum action action);
void action_bindings_reset(void); /* restore the defaults */
/* Binding INDEX of those made by action_bind; false past the end. */
bool action_rebound(size_t index, enum context *context, tui_key *key, enum action *action);

/* Action of KEY in CONTEXT, or ACTION_NONE. */
enum action action_of_key(enum context context, tui_key key);

/* Rows that ACTION moves a cursor down, or up if negative, by PAGE; 0: it moves none. */
int action_rows(enum action action, int page);
/* Row AT, that many rows further, but not before the first one. */
size_t action_moved(size_t at, int rows);

/* First key of ACTION that works in CONTEXT, or TUI_KEY_NONE. */
tui_key action_key(enum action action, enum context context);

struct buffer;
/* Names of the keys bound to ACTION in exactly CONTEXT, blank-separated. */
void action_keys(struct buffer *out, enum action action, enum context context);
