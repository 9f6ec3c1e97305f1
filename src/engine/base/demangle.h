/*
 * Demangles C++ symbol names.
 */
#ifndef STRATA_BASE_DEMANGLE_H
#define STRATA_BASE_DEMANGLE_H

#include <stdbool.h>

struct buffer;

/*
 * Append the demangled SYMBOL to OUT ("_ZN5torch3addEv": "torch::add()"). False, leaving OUT
 * unchanged, when SYMBOL is not a mangled name, when it or its demangled form exceeds a limit (a
 * short name can expand to gigabytes), or when the program was built without a demangler.
 */
bool demangle(struct buffer *out, const char *symbol);

#endif
