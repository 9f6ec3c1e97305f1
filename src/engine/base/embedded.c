#include "base/embedded.h"

#include <string.h>

const struct embedded *embedded_find(const char *name)
{
	for (const struct embedded *file = embedded_files; file->name; file++)
		if (strcmp(file->name, name) == 0)
			return file;
	return NULL;
}

const struct embedded *embedded_of_path(const char *path)
{
	size_t prefix = strlen(EMBEDDED_PREFIX);
	return strncmp(path, EMBEDDED_PREFIX, prefix) == 0 ? embedded_find(path + prefix) : NULL;
}
