#include "input/nsys/nsys_private.h"

#include "base/platform.h"

/* Frames without a symbol are named by module: addresses are meaningless and mostly unique. */
static uint32_t file_name(struct nsys *nsys, int64_t module)
{
	struct nsys_text *text = nsys_text(nsys, module);
	if (!text)
		return profile_intern(nsys->profile, "[unknown]");
	if (text->file_name == NO_ROW) {
		const char *slash = platform_memrchr(text->text, '/', text->length);
		const char *name = slash && slash[1] ? slash + 1 : text->text;
		bool bracketed = *name == '[';
		struct buffer bracket = { 0 };
		buffer_printf(&bracket, bracketed ? "%s" : "[%s]", name);
		text->file_name = profile_take(nsys->profile, &bracket);
	}
	return text->file_name;
}

static uint32_t frame_name(struct nsys *nsys, int64_t symbol, int64_t module, int64_t unresolved)
{
	const struct nsys_text *text = nsys_text(nsys, symbol);
	bool nameless = !text || !text->length || (unresolved != NO_VALUE && unresolved) ||
			strncmp(text->text, "0x", 2) == 0;
	return nameless ? file_name(nsys, module) : nsys_string(nsys, symbol);
}

struct call_chains nsys_chains_read(struct nsys *nsys, const char *table)
{
	enum { CHAIN, SYMBOL, MODULE, UNRESOLVED, DEPTH, COLUMNS };
	struct call_chains chains = { 0 };
	sqlite_each (rows, nsys->database, table, "id! symbol! module unresolved stackDepth!",
		     COLUMNS)
		call_chains_add(&chains, sqlite_int(rows, CHAIN), sqlite_int(rows, DEPTH),
				frame_name(nsys, sqlite_int(rows, SYMBOL), sqlite_int(rows, MODULE),
					   sqlite_int(rows, UNRESOLVED)));
	call_chains_sort(&chains);
	return chains;
}
