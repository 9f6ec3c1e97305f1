/*
 * C++ symbol names as people write them.
 */
#ifndef STRATA_BASE_DEMANGLE_H
#define STRATA_BASE_DEMANGLE_H

#include <stdbool.h>

struct buffer;

/*
 * Append what SYMBOL stands for ("_ZN5torch3addEv": "torch::add()") to OUT.  False, with OUT as it
 * was, when it is no mangled name, when it or its readable form passes a limit (a short name can
 * stand for gigabytes), or when the program was built without a demangler.
 */
bool demangle(struct buffer *out, const char *symbol);

#endif
