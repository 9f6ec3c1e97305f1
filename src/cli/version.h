/*
 * The version of the program and of its libraries.
 */
#ifndef STRATA_CLI_VERSION_H
#define STRATA_CLI_VERSION_H

#include <stdio.h>

void print_version(FILE *out);

#endif
