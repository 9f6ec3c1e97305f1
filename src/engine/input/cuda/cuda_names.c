#include "input/cuda/cuda_names.h"

#include "base/buffer.h"
#include "base/text_slice.h"

#include <ctype.h>
#include <stdlib.h>

static const char *const copy_kinds[] = { CUDA_COPY_ROWS };
static const char *const memory_kinds[] = { CUDA_MEMORY_KIND_ROWS };
static const char *const sync_kinds[] = { "Sync", "Event Sync", "Stream Wait Event", "Stream Sync",
					  "Context Sync" };

static const char *pick(const char *const *names, size_t count, int64_t number)
{
	return number >= 0 && (uint64_t)number < count ? names[number] : NULL;
}

static const char *memory_name(int64_t kind, enum cuda_numbering numbering)
{
	if (kind != NO_VALUE && numbering == CUDA_MEMORY_FROM_1)
		kind--;
	return pick(memory_kinds, sizeof memory_kinds / sizeof *memory_kinds, kind);
}

bool cuda_is_host_memory(int64_t kind, enum cuda_numbering numbering)
{
	enum { PAGEABLE, PINNED };
	if (kind != NO_VALUE && numbering == CUDA_MEMORY_FROM_1)
		kind--;
	return kind == PAGEABLE || kind == PINNED;
}

uint32_t cuda_copy_name(struct profile *profile, int64_t copy_kind, int64_t from, int64_t to,
			enum cuda_numbering numbering)
{
	const char *kind = pick(copy_kinds, sizeof copy_kinds / sizeof *copy_kinds, copy_kind);
	const char *source = memory_name(from, numbering), *target = memory_name(to, numbering);
	kind = kind ? kind : "?";
	return source && target
		       ? profile_print(profile, "Memcpy %s (%s -> %s)", kind, source, target)
		       : profile_print(profile, "Memcpy %s", kind);
}

uint32_t cuda_set_name(struct profile *profile, int64_t memory_kind, enum cuda_numbering numbering)
{
	const char *kind = memory_name(memory_kind, numbering);
	return kind ? profile_print(profile, "Memset (%s)", kind)
		    : profile_intern(profile, "Memset");
}

uint32_t cuda_sync_name(struct profile *profile, int64_t sync_kind)
{
	const char *name = pick(sync_kinds, sizeof sync_kinds / sizeof *sync_kinds, sync_kind);
	if (!name)
		name = sync_kinds[0];
	return profile_intern(profile, name);
}

/* "_v" and at least four digits: "_v2" is part of a driver function's name. */
static size_t version_length(const char *name, size_t length)
{
	size_t digits = 0;
	while (digits < length && name[length - 1 - digits] >= '0' &&
	       name[length - 1 - digits] <= '9')
		digits++;
	if (digits < 4 || length < digits + 2 || name[length - digits - 1] != 'v' ||
	    name[length - digits - 2] != '_')
		return 0;
	return digits + 2;
}

const char *cuda_copy_direction(const char *text)
{
	static const char *const directions[] = { "HtoD", "DtoH", "DtoD", "HtoH", "PtoP" };
	static const char *const words[] = { "HtoD|H2D", "DtoH|D2H", "DtoD|D2D", "HtoH|H2H",
					     "PtoP|P2P" };
	static const char *const long_words[] = { "hosttodevice", "devicetohost", "devicetodevice",
						  "hosttohost", "peertopeer" };
	char folded[64]; /* in lower case, letters only */
	size_t length = 0;
	for (const char *at = text; *at && length < sizeof folded; at++)
		if (isalpha((unsigned char)*at))
			folded[length++] = (char)tolower((unsigned char)*at);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (text_has_one(text, strlen(text), words[i]) ||
		    text_has_one(folded, length, long_words[i]))
			return directions[i];
	return NULL;
}

size_t cuda_call_name_length(const char *name, size_t length)
{
	length -= version_length(name, length);
	return length - text_end(name, length, "_ptsz|_ptds");
}

void cuda_version(struct buffer *out, const char *text, size_t length)
{
	enum { DIGITS_MIN = 4, DIGITS_MAX = 6 };
	long number = strtol(text, NULL, 10);
	if (length < DIGITS_MIN || length > DIGITS_MAX || text[strspn(text, "0123456789")])
		buffer_add(out, text, length);
	else
		buffer_printf(out, "%ld.%ld", number / 1000, number % 1000 / 10);
}
