#include "picture/role.h"

#include "base/buffer.h"
#include "base/data_table.h"
#include "base/text_slice.h"

const struct role_info *role_info(enum role role)
{
	const struct role_info *rows = DATA_ROWS("roles.txt", struct role_info, ROLE_FIELD_ROWS);
	return &rows[role];
}

bool role_attributes(const char *words, unsigned *attributes)
{
	/* by the bits of STYLE_… */
	static const char names[] = "bold|dim|italic|underline|reverse";
	for (size_t length; words && *words; words += length) {
		words += strspn(words, " ");
		length = strcspn(words, " ");
		int bit = text_choice(words, length, names);
		if (bit >= 0)
			*attributes |= 1u << bit;
		else if (length != 1 || *words != '-')
			return false;
	}
	return true;
}

bool role_start(enum role role, struct buffer *out)
{
	const char *start = role_info(role)->start;
	if (start)
		buffer_printf(out, "\033[%sm", start);
	return start != NULL;
}

enum role role_of_text(const char *text, size_t length)
{
	static const struct {
		const char *text;
		enum role role;
	} kinds[] = { TEXT_ROLES_ROWS };
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strlen(kinds[i].text) == length && !memcmp(kinds[i].text, text, length))
			return kinds[i].role;
	if (text_ends(text, length, " slower")) /* likely, or "2 of 16" */
		return ROLE_WORSE;
	return text_ends(text, length, " faster") ? ROLE_BETTER : ROLE_TEXT;
}
