#include "analysis/advice/own_code.h"

#include "model/profile.h"
#include "base/any_of.h"

/* Libraries whose functions do what a line of the user asks for; as recorded, or in a path. */
static const char *const libraries[] = { "/torch/",  "/numpy/", "/scipy/",
					 "/pandas/", "/PIL/",   "/importlib/" };

/* Functions in which a thread only waits, with the ends of paths; NULL: parts of built-in ones. */
static const struct {
	const char *file, *functions; /* between blanks; of built-in ones between bars */
	enum wait_for who;
} waits[] = { WAIT_ROWS };

static bool has_word(const char *words, struct text_slice word)
{
	for (const char *at = words; (at = strchr(at, ' ')); at++)
		if (!strncmp(at + 1, word.text, word.length) && at[1 + word.length] == ' ')
			return true;
	return false;
}

bool path_ends(struct text_slice path, const char *end)
{
	size_t length = strlen(end), skipped = path.length + 1 == length;
	for (end += skipped, length -= skipped; length && path.length >= length; length--) {
		char byte = path.text[path.length - length];
		if (byte != *end && !(byte == '\\' && *end == '/'))
			return false;
		end++;
	}
	return !length;
}

enum wait_for wait_of(struct text_slice file, struct text_slice function)
{
	for (size_t i = 0; i < sizeof waits / sizeof *waits && function.length; i++)
		if (waits[i].file ? path_ends(file, waits[i].file) &&
					    has_word(waits[i].functions, function)
				  : strchr("<{", *function.text) &&
					    text_has_one(function.text, function.length,
							 waits[i].functions))
			return waits[i].who;
	return WAIT_NONE;
}

bool is_own_path(const char *path)
{
	static const char installed[] = "site-packages|dist-packages|/lib/python|\\lib\\|\\Lib\\";
	return *path && !strchr("<~", *path) && !text_has_one(path, strlen(path), installed) &&
	       is_own_code(path);
}

bool is_own_code(const char *name)
{
	static const char module[] = "nn.Module: "; /* a layer, not a place in code */
	if (*name == '<' || !strncmp(name, module, sizeof module - 1))
		return false;
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		const char *folder = libraries[i];
		if (!strncmp(name, folder + 1, strlen(folder + 1)) || strstr(name, folder))
			return false;
	}
	return true;
}

struct code_frame own_frame_of_stack(const char *stack)
{
	static const char blanks[] = " \r\n\t";
	const char *frame = stack + strspn(stack, blanks);
	for (const char *at = stack; at; at = strchr(at, ';')) {
		at += *at == ';';
		at += strspn(at, blanks);
		if (*at && is_own_code(at)) {
			frame = at;
			break;
		}
	}
	return (struct code_frame){ frame, strcspn(frame, ";\r\n") };
}

struct code_frame own_frame_around(const struct profile *profile, uint32_t span)
{
	const struct op_info *info = profile_op_info(profile, span);
	if (info && info->stack)
		return own_frame_of_stack(profile_string(profile, info->stack));
	span = row_upwards(at, profile->span_parent[span], profile->span_parent,
			   profile->span_kind[at] == SPAN_PYTHON &&
				   is_own_code(profile_string(profile, profile->span_name[at])));
	const char *name = span == NO_ROW ? "" : profile_string(profile, profile->span_name[span]);
	return (struct code_frame){ name, strlen(name) };
}

struct code_frame own_frame_of(const struct profile *profile, uint32_t span)
{
	if (span == NO_ROW)
		return (struct code_frame){ NULL, 0 };
	const char *name = profile_string(profile, profile->span_name[span]);
	return profile->span_kind[span] == SPAN_PYTHON && is_own_code(name)
		       ? (struct code_frame){ name, strlen(name) }
		       : own_frame_around(profile, span);
}
