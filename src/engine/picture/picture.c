#include "picture/picture.h"

#include "model/tool.h"

const struct picture *picture_at(size_t index)
{
	for (const struct tool *const *tool = tools; *tool; tool++)
		for (const struct picture *const *picture = (*tool)->pictures; picture && *picture;
		     picture++)
			if (index-- == 0)
				return *picture;
	return NULL;
}

const struct picture *picture_find(const char *name)
{
	for (size_t i = 0; picture_at(i); i++)
		if (strcmp(picture_at(i)->name, name) == 0)
			return picture_at(i);
	return NULL;
}
