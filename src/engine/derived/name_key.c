#include "derived/name_key.h"

#include "base/buffer.h"
#include "base/text_slice.h"

#include <ctype.h>

enum {
	ADDRESS_DIGITS = 5, /* minimum hexadecimal digits of an address */
	HASH_LENGTH = 20,   /* minimum length of a hash … */
	HASH_MIX = 4,       /* … and of its letters and of its digits */
};

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* The length without a signature "_0d1d2de": argument numbers marked constant or divisible. */
static size_t without_signature(const char *name, size_t length)
{
	size_t at = length;
	bool marked = false;
	while (at && (isdigit((unsigned char)name[at - 1]) ||
		      (name[at - 1] >= 'c' && name[at - 1] <= 'e')))
		marked |= name[--at] == 'd';
	return at > 1 && at < length && marked && name[at] == '0' && name[at - 1] == '_' ? at - 1
											 : length;
}

static size_t without_counter(const char *name, size_t length, uint64_t *counter)
{
	size_t at = length;
	uint64_t number = 0, scale = 1;
	for (; at && isdigit((unsigned char)name[at - 1]) && length - at < 18; at--, scale *= 10)
		number += scale * (uint64_t)(name[at - 1] - '0');
	if (at == length || at < 2 || name[at - 1] != '_')
		return length;
	*counter = number;
	return at - 1;
}

/* Length of the address at the start of TEXT; 0: none. */
static size_t address_length(const char *text, size_t length)
{
	size_t end = 2;
	if (length < 2 || text[0] != '0' || text[1] != 'x')
		return 0;
	while (end < length && isxdigit((unsigned char)text[end]))
		end++;
	return end >= 2 + ADDRESS_DIGITS ? end : 0;
}

static size_t word_length(const char *text, size_t length)
{
	size_t end = 0;
	while (end < length &&
	       (isdigit((unsigned char)text[end]) || is_lower((char)(text[end] | ' '))))
		end++;
	return end;
}

static bool is_hash(const char *word, size_t length)
{
	size_t digits = 0, letters = 0;
	for (size_t i = 0; i < length; i++) {
		digits += isdigit((unsigned char)word[i]) != 0;
		letters += is_lower(word[i]);
	}
	return length >= HASH_LENGTH && digits + letters == length && digits >= HASH_MIX &&
	       letters >= HASH_MIX;
}

/* "Optimizer.step#SGD.step": without the class. */
static size_t without_class(const char *name, size_t length)
{
	const char *mark = text_start(name, length, "Optimizer.|enumerate(DataLoader)")
				   ? memchr(name, '#', length)
				   : NULL;
	return mark ? (size_t)(mark - name) : length;
}

uint64_t name_key(struct buffer *key, const char *name, size_t length, bool counted)
{
	static const char generated[] = "triton_";
	uint64_t counter = 0;
	length = without_signature(name, without_class(name, length));
	if (counted ||
	    (length > sizeof generated && memcmp(name, generated, sizeof generated - 1) == 0))
		length = without_counter(name, length, &counter);
	for (size_t at = 0; at < length;) {
		size_t address = address_length(name + at, length - at);
		size_t word = word_length(name + at, length - at);
		if (address)
			buffer_puts(key, "0x");
		else if (is_hash(name + at, word))
			buffer_putc(key, '#');
		else
			buffer_add(key, name + at, word ? word : 1);
		at += address ? address : word ? word : 1;
	}
	return counter;
}
