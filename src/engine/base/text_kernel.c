#include "base/any_of.h"
#include "base/text_kernel.h"

#include "base/text.h"
#include "base/text_slice.h"
#include "text_tables.h"

#include <ctype.h>

/* ---- kernels that are named after how they divide the work ---- */

/* Kernels of PyTorch and rocPRIM, by a part of their names: an argument says what they compute. */
static const char *const generic[] = { KERNEL_GENERIC_ROWS };

/* Whole names of CUTLASS and Composable Kernel that say nothing. */
static const char *const empty[] = { "Kernel", "Kernel2", "device_kernel", "kentry" };

/* Their arguments that contain another one, which says it. */
static const char *const wrappers[] = { KERNEL_WRAPPER_ROWS };

/* Arguments that do not say it. */
static const char *const types[] = { KERNEL_TYPE_ROWS };

static bool is_one_of(const char *const *list, size_t count, const char *text, size_t length)
{
	return any_of(i, count, text_is(text, length, list[i]));
}

static bool is_generic(const char *text, size_t length)
{
	return any_of(i, sizeof generic / sizeof *generic,
		      memmem(text, length, generic[i], strlen(generic[i])));
}

static size_t identifier_end(const char *text, size_t length, size_t at)
{
	while (at < length && (isalnum((unsigned char)text[at]) || text[at] == '_'))
		at++;
	return at;
}

/* After the argument at AT: the comma or bracket that ends it. */
static size_t argument_end(const char *text, size_t length, size_t at)
{
	for (size_t depth = 0; at < length; at++) {
		bool opens = strchr("<({[", text[at]) && text[at];
		bool closes = strchr(">)}]", text[at]) && text[at];
		if (!depth && (closes || text[at] == ','))
			return at;
		depth += opens;
		depth -= closes;
	}
	return length;
}

/* Is the identifier the name of something that computes? */
static bool says_what(const char *text, size_t length)
{
	bool target = length > 3 && !memcmp(text, "gfx", 3) && isdigit((unsigned char)text[3]);
	return length && !isdigit((unsigned char)*text) && !target &&
	       !is_one_of(types, sizeof types / sizeof *types, text, length) &&
	       !text_ends(text, length, "Metadata");
}

bool kernel_functor(const char *text, size_t length, struct kernel_functor *functor)
{
	static const char no_type[] = "void ";
	size_t at = identifier_end(text, length, 0);
	bool alone = is_one_of(empty, sizeof empty / sizeof *empty, text, at);
	if (at == length || text[at] != '<' || (!alone && !is_generic(text, at)))
		return false;
	while (at < length && (text[at] == '<' || text[at] == ',')) {
		at += 1 + strspn(text + at + 1, " ");
		if (!strncmp(text + at, no_type, sizeof no_type - 1))
			at += sizeof no_type - 1;
		size_t end = identifier_end(text, length, at);
		bool open = end < length && text[end] == '<';
		if (!says_what(text + at, end - at)) {
			at = argument_end(text, length, at);
		} else if (open && is_one_of(wrappers, sizeof wrappers / sizeof *wrappers,
					     text + at, end - at)) {
			at = end;
		} else {
			size_t inner = open ? argument_end(text, length, end + 1) : end;
			while (open && inner < length && text[inner] == ',')
				inner = argument_end(text, length, inner + 1);
			*functor =
				(struct kernel_functor){ at, end, inner + (open && inner < length),
							 alone };
			return true;
		}
	}
	return false;
}

size_t kernel_library(const char *text, size_t length)
{
	size_t size = text_start(text, length, "ncclKernel_|ncclDevKernel_");
	return size < length ? size : 0;
}

/* ---- tiles ---- */

/* What names of kernels with a tile start with, and columns of it that say what they do. */
static const struct {
	const char *head;
	bool prefixed;    /* with the architecture: "sm80_" */
	size_t least;     /* columns after the prefix */
	const char *mark; /* what is before the tile */
	size_t kept;      /* bytes of it that belong to the tile */
} tiled[] = {
	{ "Cijk_", false, 4, "_MT", 2 },    /* Tensile */
	{ "sm", true, 10, "_tilesize", 0 }, /* cuDNN, cuBLAS, TensorRT: "xmma_wgrad" */
};

bool kernel_tile(const char *text, size_t length, struct kernel_tile *tile)
{
	const char *at = NULL;
	size_t i = 0;
	for (; i < sizeof tiled / sizeof *tiled; i++) {
		if (text_begins(text, length, tiled[i].head))
			at = memmem(text, length, tiled[i].mark, strlen(tiled[i].mark));
		if (at)
			break;
	}
	if (!at || text_width(text, length) != length) /* wide characters */
		return false;
	tile->start = (size_t)(at - text) + strlen(tiled[i].mark) - tiled[i].kept;
	tile->prefix = tiled[i].prefixed ? strcspn(text, "_") + 1 : 0;
	tile->least = tile->prefix + tiled[i].least;
	const char *end = memchr(text + tile->start, '_', length - tile->start);
	tile->end = end ? (size_t)(end - text) : length;
	return true;
}
