/*
 * Derives DLProf's data from a profile of another tool.
 *
 * Ops are the outermost operators; the k-th of a name in each step is one op. Paths are those of
 * DLProf's markers, else of the layer tree; a backward op has the name of its forward op. Ranges
 * outside operators are ops, too, of the calls that no op inside them makes. Other runtime calls
 * are unassociated ops. Without PyTorch's operators all executions of a name are one op, as DLProf
 * does it for other frameworks. Steps are the iterations; without any, the run is one from time 0.
 */
#pragma once

#include "input/dlprof/dlprof.h"

struct derived;
struct progress;

/*
 * DLProf's time of the profile's zero: where the file's clock starts with the recording, DLProf's
 * times are on it; else they count from the first event.
 */
int64_t dlprof_clock(const struct profile *profile);

/*
 * If the profile has no steps, executions of KEY (id or name of an op; NULL: none) delimit the
 * iterations in which ops are numbered; *KEY is replaced by its name, which lives as long as
 * STRINGS.
 *
 * Texts are added to STRINGS, which must not be the profile's. The result has one aggregation with
 * only the iterations, or none without steps. The caller frees it with dlprof_free. NULL when
 * cancelled.
 */
struct dlprof *dlprof_derive(const struct derived *derived, struct intern *strings,
			     const char **key, const struct progress *progress);

/* ---- texts of ops ---- */

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
