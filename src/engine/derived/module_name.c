#include "derived/module_name.h"

#include <stdbool.h>
#include <string.h>

static const char torch_prefix[] = "nn.Module: ", lightning_prefix[] = "[pl][module]";

static bool starts_with(const char *text, size_t length, const char *prefix)
{
	return length > strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

/* The text after a prefix. */
static struct name_part after_prefix(const char *text, size_t length, const char *prefix)
{
	return (struct name_part){ text + strlen(prefix), length - strlen(prefix) };
}

struct name_part module_name(const char *text, size_t length)
{
	if (starts_with(text, length, torch_prefix))
		return after_prefix(text, length, torch_prefix);
	if (!starts_with(text, length, lightning_prefix))
		return (struct name_part){ text, length };
	struct name_part part = after_prefix(text, length, lightning_prefix);
	const char *colon = memmem(part.text, part.length, ": ", 2);
	if (!colon)
		return part;
	return (struct name_part){ colon + 2, part.length - (size_t)(colon + 2 - part.text) };
}

struct name_part module_class(const char *text, size_t length)
{
	if (starts_with(text, length, lightning_prefix)) {
		struct name_part part = after_prefix(text, length, lightning_prefix);
		const char *colon = memmem(part.text, part.length, ": ", 2);
		if (colon)
			part.length = (size_t)(colon - part.text);
		return part;
	}
	struct name_part name = module_name(text, length);
	size_t end = name.length;
	while (end && name.text[end - 1] >= '0' && name.text[end - 1] <= '9')
		end--;
	if (end > 1 && end < name.length && name.text[end - 1] == '_')
		name.length = end - 1;
	return name;
}
