/*
 * What DLProf says of an operator: its path, call stack, data type and shapes.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_TEXTS_H
#define STRATA_TOOLS_DLPROF_DLPROF_TEXTS_H

#include "model/profile.h"

/* Letters of the dimensions of an op type, as DLProf names them; NULL: none. */
struct dlprof_format {
	const char *types, *input, *output, *parameters;
};
const struct dlprof_format *dlprof_format_of(const char *type);

/*
 * Append the path "/module/Net::forward/conv2d" that DLProf's markers around a span give; false
 * without any.
 */
bool dlprof_function_path(const struct profile *profile, uint32_t span, struct buffer *out);

/* Append the Python frames around a span as lines of file:line, outermost first; or nothing. */
void dlprof_stack(const struct profile *profile, uint32_t span, struct buffer *out);

/* The type of the first tensor in Python's spelling, or "". */
const char *dlprof_data_type(const struct profile *profile, const struct op_info *info);

/* Append the shapes of the tensors as JSON. */
void dlprof_input_shapes(const struct profile *profile, const struct op_info *info,
			 struct buffer *out);

/*
 * Append the shape of the output of a call with FORMAT, and its parameters (stride, padding,
 * dilation, groups), as JSON; nothing where an argument is not known. An argument that was not
 * passed has its default.
 */
void dlprof_output_shapes(const struct profile *profile, const struct op_info *info,
			  const struct dlprof_format *format, struct buffer *out);
void dlprof_parameters(const struct profile *profile, const struct op_info *info,
		       const struct dlprof_format *format, struct buffer *out);

#endif
