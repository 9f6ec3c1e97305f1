#include "base/bytes.h"

const unsigned char *bytes_read(struct bytes *bytes, size_t count)
{
	if (count > bytes->length - bytes->at)
		return NULL;
	const unsigned char *taken = bytes->from + bytes->at;
	bytes->at += count;
	return taken;
}

bool bytes_read_number(struct bytes *bytes, size_t width, uint64_t *value)
{
	const unsigned char *taken = bytes_read(bytes, width);
	*value = 0;
	for (size_t i = 0; taken && i < width && i < sizeof *value; i++)
		*value |= (uint64_t)taken[i] << 8 * i;
	return taken != NULL;
}

int64_t bytes_sign_extend(uint64_t value, size_t width)
{
	if (width == 0 || width >= sizeof value)
		return (int64_t)value;
	unsigned unused = 64 - 8 * (unsigned)width;
	return (int64_t)(value << unused) >> unused;
}
