/*
 * Cuts names to few columns: C++ signatures, places in files, methods of Python.
 */
#include "base/buffer.h"
#include "base/demangle.h"
#include "base/text.h"
#include "base/text_kernel.h"
#include "base/text_slice.h"

#include <ctype.h>

/* Start of the longest tail of at most COLUMNS columns; never a combining mark. */
static size_t tail_start(const char *text, size_t length, size_t total, size_t columns,
			 size_t *width)
{
	size_t i = 0, passed = 0;
	while (i < length) {
		int32_t point;
		size_t used = text_decode(text + i, length - i, &point);
		int wide = text_point_width(point);
		if (wide && total - passed <= columns)
			break;
		passed += (size_t)wide;
		i += used;
	}
	*width = total - passed;
	return i;
}

/* Bytes of a namespace without a name at the start of TEXT; Nsight Compute loses a bracket. */
static size_t unnamed_length(const char *text, size_t length)
{
	bool may = length && (*text == '(' || *text == '<' || *text == 'u');
	return may ? text_start(text, length, "(anonymous namespace)::|<unnamed>::|unnamed>::") : 0;
}

/* After the return type of "std::enable_if<(4 > 2), void>::type f<int>(int)"; 0: no such type. */
static size_t return_type_end(const char *text, size_t length)
{
	static const char end[] = "::type ";
	const char *at = text_begins(text, length, "std::enable_if<")
				 ? memmem(text, length, end, sizeof end - 1)
				 : NULL;
	return at ? (size_t)(at - text) + sizeof end - 1 : 0;
}

/*
 * Start of the function's own name in a C++ signature ("void at::native::softmax<float>(int)"),
 * after return type and namespaces; LENGTH for other text.
 */
static size_t function_start(const char *text, size_t length)
{
	size_t start = return_type_end(text, length);
	if (!length || (text[length - 1] != ')' && text[length - 1] != '>'))
		return length;
	for (size_t i = start; i < length; i++) {
		size_t unnamed = unnamed_length(text + i, length - i);
		if (unnamed) {
			i += unnamed - 1;
			start = i + 1;
		} else if (text[i] == '<' || text[i] == '(') {
			return i > start ? start : length;
		} else if (text[i] == ' ') {
			start = i + 1;
		} else if (text[i] == ':' && i + 1 < length && text[i + 1] == ':') {
			start = i + 2;
		}
	}
	return length;
}

/* Start of "gemvx::kernel", where the name at START alone says nothing; else START. */
static size_t family_start(const char *text, size_t length, size_t start)
{
	size_t at = start;
	if (!text_begins(text + start, length - start, "kernel<"))
		return start;
	at -= at > 2 && text[at - 1] == ':' ? 2 : 0;
	while (at && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_'))
		at--;
	return at;
}

/* Append without namespaces: "f<at::Half, std::array<int, 2>>" as "f<Half, array<int, 2>>". */
static void add_unqualified(struct buffer *out, const char *text, size_t length)
{
	size_t word = out->length; /* start of the last identifier */
	for (size_t i = 0; i < length; i++) {
		size_t unnamed = unnamed_length(text + i, length - i);
		if (unnamed) {
			i += unnamed - 1;
		} else if (text[i] == ':' && i + 1 < length && text[i + 1] == ':') {
			out->length = word;
			i++;
		} else {
			buffer_putc(out, text[i]);
			if (!isalnum((unsigned char)text[i]) && text[i] != '_')
				word = out->length;
		}
	}
}

/* End of the place at the start of "train.py(12): <module>", which is no signature; 0: none. */
static size_t frame_end(const char *text, size_t length)
{
	const char *open = memchr(text, '(', length), *end = text + length;
	if (!open || open + 1 == end || !isdigit((unsigned char)open[1]))
		return 0;
	const char *close = memmem(open, (size_t)(end - open), "): ", 3);
	return close ? (size_t)(close + 1 - text) : 0;
}

/* Likewise where nothing but a function follows: no further frames of a stack. */
static size_t place_end(const char *text, size_t length)
{
	size_t end = frame_end(text, length);
	bool stack =
		memchr(text + end, ';', length - end) || memmem(text + end, length - end, " < ", 3);
	return stack ? 0 : end;
}

bool text_address(const char *text, size_t length, size_t *start)
{
	static const char mark[] = " object at 0x";
	size_t end = length, digits = sizeof mark - 1;
	if (!length || text[length - 1] != '>')
		return false;
	const char *at = memmem(text, length, mark, digits);
	for (size_t i = at ? (size_t)(at - text) + digits : length; i + 1 < length; i++)
		end = isxdigit((unsigned char)text[i]) ? end : i;
	if (!at || end < length)
		return false;
	*start = (size_t)(at - text);
	return true;
}

/*
 * "<built-in method items of dict object at 0x7f12>", with or without the address or the type, and
 * "<method 'items' of 'dict' objects>".
 */
struct text_elide_method {
	const char *head;                      /* what its shorter form begins with */
	size_t name, name_end, type, type_end; /* offsets; type 0: none */
};

/* NAME ends before the first AFTER it, if there is one, and the type before END. */
static bool split_name(const char *text, size_t start, const char *after, size_t end,
		       struct text_elide_method *method)
{
	if (end <= start) /* "<built-in method object at 0x7f>" */
		return false;
	const char *at = memmem(text + start, end - start, after, strlen(after));
	method->name = start;
	method->name_end = at ? (size_t)(at - text) : end;
	method->type = at ? method->name_end + strlen(after) : 0;
	method->type_end = end;
	return method->name_end > start && (!at || end > method->type);
}

/* False: TEXT is something else, as a stack that begins and ends with such names. */
static bool split_method(const char *text, size_t length, struct text_elide_method *method)
{
	static const char function[] = "<built-in method ", plain[] = "<method '";
	static const char joined[] = "<built-in_method_", address[] = "_object_at_0x";
	static const char objects[] = "' objects>";
	size_t end = length;
	if (!length || memchr(text, '>', length - 1))
		return false;
	if (text_begins(text, length, function) && text[length - 1] == '>') {
		end = length - 1;
		text_address(text, length, &end);
		method->head = "<built-in ";
		return split_name(text, sizeof function - 1, " of ", end, method);
	}
	if (text_begins(text, length, joined) && text[length - 1] == '>') {
		/* in collapsed stacks of PyTorch */
		const char *at = memmem(text, length, address, sizeof address - 1);
		method->head = "<built-in ";
		return split_name(text, sizeof joined - 1, "_of_",
				  at ? (size_t)(at - text) : length - 1, method);
	}
	if (!text_begins(text, length, plain) || !text_ends(text, length, objects))
		return false;
	method->head = "<method ";
	return split_name(text, sizeof plain - 1, "' of '", length - (sizeof objects - 1), method);
}

/* Bytes before the parameters of a signature that ends in them; LENGTH if it has none. */
static size_t parameters_start(const char *text, size_t length)
{
	size_t depth = 0;
	for (size_t i = length; i-- > 1;) {
		depth += text[i] == ')';
		depth -= text[i] == '(' && depth;
		if (!depth)
			return text[i] == '(' ? i : length;
	}
	return length;
}

/* A text to be elided: HEAD columns stay at its start, and what fits at its end. */
struct elided {
	size_t length, width, head;
	bool joined; /* something was left out after the head already */
};

/*
 * What is kept of a signature in too few COLUMNS: it loses its parameters, and its template
 * arguments where little of them would be left.
 */
static struct elided shorten(const char *text, size_t length, size_t columns)
{
	enum { ARGUMENTS_MIN = 8 };
	size_t name = 0, kept = parameters_start(text, length);
	while (name < kept && text[name] != '<')
		name++;
	size_t wide = text_width(text, name);
	if (columns < wide + ARGUMENTS_MIN && columns <= text_width(text, kept))
		return (struct elided){ name, wide, columns / 2, false };
	return (struct elided){ kept, text_width(text, kept), columns - 1, false };
}

/*
 * Likewise of a kernel whose name says nothing: the functor at START alone. That of CUTLASS loses
 * "cutlass_80_tensorop_" if it does not fit.
 */
static struct elided shorten_alone(struct buffer *text, size_t start, size_t end, size_t columns)
{
	static const char product[] = "tensorop_";
	const char *at = end - start > columns ? memmem(text->data + start, end - start, product,
							sizeof product - 1)
					       : NULL;
	size_t after = at ? (size_t)(at - text->data) + sizeof product - 1 : end;
	start = after < end ? after : start;
	text->length = end - start;
	memmove(text->data, text->data + start, text->length);
	text->data[text->length] = '\0';
	return shorten(text->data, text->length, columns);
}

/*
 * Likewise of a kernel whose name says little: the start of the name and its functor, with the
 * functor's template arguments if enough of the name is left; the functor alone if little is.
 */
static struct elided shorten_generic(struct buffer *text, struct kernel_functor functor,
				     size_t columns)
{
	enum { NAME_MIN = 8, NAME_LEAST = 4, MARK = 1 };
	size_t name = strcspn(text->data, "<");
	size_t all = functor.arguments_end - functor.start, bare = functor.end - functor.start;
	if (functor.alone)
		return shorten_alone(text, functor.start, functor.arguments_end, columns);
	size_t kept = all + MARK + NAME_MIN <= columns ? all : bare;
	bool named = kept + MARK + NAME_LEAST <= columns;
	name = named ? name : 0;
	memmove(text->data + name, text->data + functor.start, kept);
	text->length = name + kept;
	text->data[text->length] = '\0';
	size_t head = named ? columns - MARK - kept : columns / 2;
	return (struct elided){ text->length, text_width(text->data, text->length),
				named && name < head ? name : head, named };
}

/* Likewise of a place with its function: first the function gives way, then the file. */
static struct elided shorten_place(const char *text, size_t length, size_t columns)
{
	enum { SEPARATOR = 2, FUNCTION_MIN = 4, FILE_MIN = 4 };
	size_t end = place_end(text, length), wide = text_width(text, end);
	size_t file = (size_t)((const char *)memchr(text, '(', end) - text);
	size_t line = text_width(text + file, end - file), before = wide + SEPARATOR;
	if (columns >= before + FUNCTION_MIN)
		return (struct elided){ length, text_width(text, length),
					before + (columns - before) / 2, false };
	bool both = columns >= FILE_MIN + 1 + line;
	return (struct elided){ end, wide, both ? columns - 1 - line : columns / 2, false };
}

/* Likewise of an operation of a communication library, without the library. */
static struct elided shorten_operation(const char *text, size_t length, size_t columns)
{
	size_t kept = parameters_start(text, length);
	return (struct elided){ kept, text_width(text, kept), columns - 1, false };
}

static struct elided shorten_middle(const char *text, size_t length, size_t columns)
{
	return (struct elided){ length, text_width(text, length), columns / 2, false };
}

/* Append TEXT, which is wider than COLUMNS. */
static size_t elide(struct buffer *out, const char *text, struct elided kept, size_t columns,
		    const char *mark)
{
	if (kept.width < columns && !kept.joined) {
		buffer_add(out, text, kept.length);
		buffer_puts(out, mark);
		return kept.width + 1;
	}
	size_t head_width, tail_width;
	size_t head = text_head(text, kept.length, kept.head, &head_width);
	size_t room = columns - 1 - head_width, left = kept.width - head_width;
	size_t tail =
		tail_start(text, kept.length, kept.width, room < left ? room : left, &tail_width);
	buffer_add(out, text, head);
	buffer_puts(out, mark);
	buffer_add(out, text + tail, kept.length - tail);
	return head_width + 1 + tail_width;
}

/* Start of a path that ends before END, without the folders that make it wider by EXCESS. */
static size_t folders_end(const char *text, size_t end, size_t excess)
{
	size_t start = 0, dropped = 0;
	for (size_t i = 0; i < end && text[i] != '(' && dropped < excess; i++)
		if (text[i] == '/' || text[i] == '\\') {
			dropped += text_width(text + start, i + 1 - start);
			start = i + 1;
		}
	return start;
}

/* Where the line begins in "/a/b.py:12(f)", as pstats writes functions; 0 in other text. */
static size_t stats_line(const char *text, size_t length)
{
	for (size_t i = 1; i + 2 < length && text[length - 1] == ')'; i++) {
		size_t end = i + 1;
		while (text[i] == ':' && end < length && isdigit((unsigned char)text[end]))
			end++;
		if (end > i + 1 && text[end] == '(')
			return i;
	}
	return 0;
}

/* Append the first of the shorter forms of a method of C that fits, else the shortest. */
static void add_method(struct buffer *out, const char *text, const struct text_elide_method *method,
		       size_t columns)
{
	for (int left_out = 0; left_out < 3; left_out++) {
		buffer_clear(out);
		buffer_puts(out, left_out < 2 ? method->head : "<");
		buffer_add(out, text + method->name, method->name_end - method->name);
		if (left_out < 1 && method->type) {
			buffer_puts(out, " of ");
			buffer_add(out, text + method->type, method->type_end - method->type);
		}
		buffer_putc(out, '>');
		if (text_width(out->data, out->length) <= columns)
			return;
	}
}

/* Append what is left of TEXT before it is elided in COLUMNS, and say how to do that. */
static struct elided reduce(struct buffer *out, const char *text, size_t length, size_t columns)
{
	struct text_elide_method method;
	struct kernel_functor functor;
	size_t library = kernel_library(text, length);
	size_t start = function_start(text, length), place = place_end(text, length);
	place = place ?: stats_line(text, length);
	if (place) {
		start = folders_end(text, place, text_width(text, length) - columns);
		buffer_add(out, text + start, length - start);
		return place_end(text, length) ? shorten_place(out->data, out->length, columns)
					       : shorten_middle(out->data, out->length, columns);
	}
	if (library && text_width(text, parameters_start(text, length)) >= columns) {
		buffer_add(out, text + library, length - library);
		return shorten_operation(out->data, out->length, columns);
	}
	if (split_method(text, length, &method)) {
		add_method(out, text, &method, columns);
	} else if (start < length && !frame_end(text + start, length - start)) {
		size_t family = family_start(text, length, start);
		buffer_add(out, text + family, start - family);
		add_unqualified(out, text + start, length - start);
		size_t kept = parameters_start(out->data, out->length);
		if (text_width(out->data, kept) >= columns &&
		    kernel_functor(out->data, kept, &functor))
			return shorten_generic(out, functor, columns);
		return shorten(out->data, out->length, columns);
	} else { /* "/src/model.py:7 forward" loses its folders */
		const char *colon = memchr(text, ':', length);
		bool line = colon && colon + 1 < text + length && isdigit((unsigned char)colon[1]);
		size_t folders = line ? text_folders(text, length) : 0;
		buffer_add(out, text + folders, length - folders);
	}
	return shorten_middle(out->data, out->length, columns);
}

/*
 * "Cijk_~MT128x256x32~WG16_4_4": of two kernels for one product, the tile is what differs. In few
 * columns "sm80_xmma_wgrad_..." is "xmma_wgrad~128x64x32~". False: TEXT has no tile, or it does not
 * fit.
 */
static bool fit_tile(struct buffer *out, const char *text, size_t length, size_t columns,
		     const char *mark)
{
	enum { MARKS = 2, TAIL_MIN = 6 };
	struct kernel_tile tile;
	if (!kernel_tile(text, length, &tile))
		return false;
	size_t start = columns < tile.least + MARKS + tile.end - tile.start ? tile.prefix : 0;
	text += start, length -= start, tile.start -= start, tile.end -= start;
	if (columns < tile.least - start + MARKS + tile.end - tile.start)
		return false;
	size_t rest = columns - MARKS - (tile.end - tile.start), least = tile.least - start;
	size_t tail = rest - least < rest / 2 ? rest - least : rest / 2;
	size_t after = length - tile.end;
	tail = tail < after ? (tail < TAIL_MIN ? 0 : tail) : after;
	size_t head = rest - tail < tile.start ? rest - tail : tile.start;
	tail = after < rest - head ? after : rest - head;
	buffer_add(out, text, head);
	buffer_puts(out, head < tile.start ? mark : "");
	buffer_add(out, text + tile.start, tile.end - tile.start);
	buffer_puts(out, tail < after ? mark : "");
	buffer_add(out, text + length - tail, tail);
	return true;
}

/* Bytes before " [clone .kd]", which compilers add to names of kernels. */
static size_t clone_start(const char *text, size_t length)
{
	static const char clone[] = " [clone ";
	const char *at = length && text[length - 1] == ']'
				 ? memmem(text, length, clone, sizeof clone - 1)
				 : NULL;
	return at ? (size_t)(at - text) : length;
}

/* Frames of a stack by the names of their files: "train.py(16): main;pool.py(531): join". */
static void add_frames(struct buffer *out, const char *text, size_t length)
{
	for (const char *end = text + length; text < end;) {
		const char *mark = memchr(text, ';', (size_t)(end - text));
		size_t frame = mark ? (size_t)(mark + 1 - text) : (size_t)(end - text);
		size_t folders = text_folders(text, frame);
		buffer_add(out, text + folders, frame - folders);
		text += frame;
	}
}

/* Append TEXT in at most COLUMNS columns. */
static size_t text_elide_fit(struct buffer *out, const char *text, size_t length, size_t columns,
			     const char *mark)
{
	size_t total = text_width(text, length);
	if (total <= columns) {
		buffer_add(out, text, length);
		return total;
	}
	if (!columns)
		return 0;
	AUTO_BUFFER struct buffer stack = { 0 };
	if (memchr(text, ';', length)) {
		add_frames(&stack, text, length);
		if (stack.length < length)
			return text_elide_fit(out, BUFFERED(&stack), columns, mark);
	}
	size_t before = out->length;
	if (fit_tile(out, text, length, columns, mark))
		return text_width(out->data + before, out->length - before);
	length = clone_start(text, length);
	AUTO_BUFFER struct buffer plain = { 0 };
	struct elided kept = reduce(&plain, text, length, columns);
	total = text_width(plain.data, plain.length);
	if (total <= columns && !kept.joined)
		buffer_add(out, plain.data, plain.length);
	else
		total = elide(out, plain.data, kept, columns, mark);
	return total;
}

static size_t elide_line(struct buffer *out, const char *text, size_t length, size_t columns,
			 bool unicode)
{
	size_t indent = 0;
	if (text_width(text, length) <= columns) {
		buffer_add(out, text, length);
		return text_width(text, length);
	}
	while (indent < length && indent < columns && text[indent] == ' ')
		indent++;
	buffer_add(out, text, indent);
	return indent + text_elide_fit(out, text + indent, length - indent, columns - indent,
				       unicode ? "\u2026" : "~");
}

bool text_is_symbol(const char *text, size_t length)
{
	return length > 2 && !memcmp(text, "_Z", 2);
}

size_t text_cut(struct buffer *out, const char *text, size_t length, size_t columns, bool unicode)
{
	size_t width = text_width(text, length), head;
	if (width <= columns || !columns) {
		buffer_add(out, text, columns ? length : 0);
		return columns ? width : 0;
	}
	size_t kept = text_head(text, length, columns - 1, &head);
	buffer_add(out, text, kept);
	buffer_puts(out, unicode ? "\u2026" : "~");
	return head + 1;
}

size_t text_elide(struct buffer *out, const char *text, size_t length, size_t columns, bool unicode)
{
	AUTO_BUFFER struct buffer symbol = { 0 }, readable = { 0 };
	size_t indent = 0;
	while (indent < length && text[indent] == ' ')
		indent++;
	if (text_is_symbol(text + indent, length - indent)) {
		buffer_add(&symbol, text + indent, length - indent);
		buffer_add(&readable, text, indent);
		if (demangle(&readable, buffer_text(&symbol)) ||
		    demangle_name(&readable, buffer_text(&symbol), unicode ? "\u2026" : "~")) {
			text = buffer_text(&readable);
			length = readable.length;
		}
	}
	return elide_line(out, text, length, columns, unicode);
}
