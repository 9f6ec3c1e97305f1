/*
 * Which of the Python functions around a call its user wrote, as far as their names say: there one
 * can change something.
 */
#ifndef STRATA_ANALYSIS_ADVICE_OWN_CODE_H
#define STRATA_ANALYSIS_ADVICE_OWN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/* Is this the name of a Python function ("train.py(51): step") outside of the framework? */
bool is_own_code(const char *name);

/* A frame in a text that lives as long as the profile; a length of 0 is none. */
struct code_frame {
	const char *text;
	size_t length;
};

/* Of a recorded stack, frames innermost first with ';' between them, the first own one, else the
 * first. */
struct code_frame own_frame_of_stack(const char *stack);

/* The innermost own function around SPAN: of those recorded as spans, else of its stack. */
struct code_frame own_frame_around(const struct profile *profile, uint32_t span);

#endif
