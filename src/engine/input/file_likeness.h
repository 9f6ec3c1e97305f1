/*
 * Says what a file that no reader knows looks like, and what is nearest to it.
 */
#ifndef STRATA_INPUT_FILE_LIKENESS_H
#define STRATA_INPUT_FILE_LIKENESS_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/* Refuse a file that begins with HEAD, and is unpacked from WRAPPING ("gzip"; "": none). */
bool refuse_unknown(const char *head, size_t length, const char *wrapping, struct error *error);

/* Is HEAD of a structured log of torch.compile (TORCH_TRACE)? */
bool is_compile_log(const char *head);

#endif
