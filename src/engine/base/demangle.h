/*
 * Demangles C++ symbol names.
 */
#pragma once

#include <stdbool.h>

struct buffer;

/*
 * Append the demangled SYMBOL to OUT ("_ZN5torch3addEv": "torch::add()"). False, leaving OUT
 * unchanged, when SYMBOL is not a mangled name, when it or its demangled form exceeds a limit (a
 * short name can expand to gigabytes), or when the program was built without a demangler.
 */
bool demangle(struct buffer *out, const char *symbol);

/*
 * Append only the qualified name of the function, with MARK for its template arguments
 * ("_ZN5torch3addIfEvv": "torch::add<~>"): for symbols that the demangler does not know, as those
 * with C++20's kinds of template parameters. False, leaving OUT unchanged, when SYMBOL does not
 * begin with a plain or nested name.
 */
bool demangle_name(struct buffer *out, const char *symbol, const char *mark);
