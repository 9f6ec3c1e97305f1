/*
 * Files compiled into the program, so that a copied binary is whole: themes, terminals, the sample
 * run, the brief for agents, names of functions.
 */
#pragma once

#include <stddef.h>

/* Prefix of paths that stand for such files: "builtin:demo.trace.json.gz". */
#define EMBEDDED_PREFIX "builtin:"

struct embedded {
	const char *name;           /* "dark.theme", without folder; NULL ends the list */
	const unsigned char *bytes; /* then a NUL */
	size_t length;
};

extern const struct embedded embedded_files[];

const struct embedded *embedded_find(const char *name);    /* NULL if there is none */
const struct embedded *embedded_of_path(const char *path); /* NULL unless it is such a path */
