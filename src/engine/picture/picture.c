#include "picture/picture.h"

#include <string.h>

static const struct picture *const pictures[] = {
	&picture_timeline,
};

const struct picture *picture_at(size_t index)
{
	return index < sizeof pictures / sizeof *pictures ? pictures[index] : NULL;
}

const struct picture *picture_find(const char *name)
{
	for (size_t i = 0; picture_at(i); i++)
		if (strcmp(picture_at(i)->name, name) == 0)
			return picture_at(i);
	return NULL;
}
