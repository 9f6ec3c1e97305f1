#include "report/output.h"

#include "base/error.h"
#include "base/replace.h"
#include "base/write_all.h"

enum { WORTH_A_CALL = 1 << 16 };

bool output_open(struct output *output, const char *path, int standard, bool force,
		 struct error *error)
{
	*output = (struct output){ .path = path, .descriptor = standard };
	if (!path)
		return true;
	output->file = replace_begin(path, force, error);
	if (output->file)
		output->descriptor = replace_descriptor(output->file);
	return output->file != NULL;
}

static void flush(struct output *output)
{
	if (!output->failure &&
	    !write_all(output->descriptor, output->text.data, output->text.length))
		output->failure = errno;
	buffer_clear(&output->text);
}

void output_row(struct output *output)
{
	if (output->text.length >= WORTH_A_CALL)
		flush(output);
}

bool output_commit(struct output *output, struct error *error)
{
	flush(output);
	int failure = output->failure == EPIPE ? 0 : output->failure;
	if (failure) {
		output_discard(output);
		return error_output(error, "%s: cannot write: %s",
				    output->path ? output->path : "standard output",
				    strerror(failure));
	}
	buffer_free(&output->text);
	struct replace *file = output->file;
	output->file = NULL;
	return !file || replace_commit(file, error);
}

void output_discard(struct output *output)
{
	replace_discard(output->file);
	output->file = NULL;
	buffer_free(&output->text);
}
