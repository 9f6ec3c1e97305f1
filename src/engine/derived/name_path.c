#include "derived/name_path.h"

#include "base/buffer.h"

void name_path_begin(struct name_path *path)
{
	path->count = path->length = 0; /* names are not cleared: thousands of entries */
}

bool name_path_add(struct name_path *path, struct name_part name)
{
	size_t room = path->length < NAME_PATH_MAX ? NAME_PATH_MAX - path->length : 0;
	bool fits = name.length < room && path->count < NAME_PATH_MAX / 2;
	/* Show the end of an overlong name, without cutting a UTF-8 character. */
	if (!fits && path->count == 0) {
		name.text += name.length - room;
		name.length = room;
		for (; name.length && ((unsigned char)*name.text & 0xc0) == 0x80; name.length--)
			name.text++;
		path->names[path->count++] = name;
	}
	path->length = fits ? path->length + name.length + 1 : NAME_PATH_MAX + 1;
	if (fits)
		path->names[path->count++] = name;
	return fits;
}

void name_path_write(const struct name_path *path, struct buffer *out)
{
	if (path->length > NAME_PATH_MAX)
		buffer_puts(out, ".../");
	for (size_t i = path->count; i-- > 0;) {
		buffer_add(out, path->names[i].text, path->names[i].length);
		if (i)
			buffer_putc(out, '/');
	}
}
