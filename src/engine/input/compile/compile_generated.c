/*
 * Code that Inductor generated: its kernels, the nodes of the graph that each computes, and the
 * lines of Python that these are from.
 */
#include "base/platform.h"
#include "input/compile/compile_private.h"
#include "input/text_lines.h"

void compile_take_graph(struct compile_reading *reading, const struct compile_record *record)
{
	const char *at = record->payload.text, *end = at + record->payload.length, *line;
	size_t length;
	uint32_t place = 0;
	keyed_clear(&reading->nodes);
	mem_free(reading->places);
	reading->places = NULL;
	reading->graph = record->range;
	while (text_line(&at, end, &line, &length)) {
		struct text_slice rest = slice_trim((struct text_slice){ line, length });
		const char *colon = memchr(rest.text, ':', rest.length);
		if (slice_skip(&rest, "# File: "))
			place = compile_add_text(reading, rest);
		else if (slice_begins(rest, "#"))
			place = 0; /* "# No stacktrace found for following nodes" */
		else if (colon) {
			uint32_t name = compile_add_text(reading, slice_until(rest, colon));
			*keyed_item(&reading->nodes, reading->places, &name) = place;
		}
	}
}

/* The module that a place calls: "fc1" of "train.py:12 in forward, code: x = self.fc1(x)". */
static struct text_slice module_of_place(const char *place)
{
	static const char self[] = "self.";
	const char *at = strstr(place, self), *name = at ? at + strlen(self) : "";
	size_t length = strcspn(name, "( =,+-*/@)");
	return (struct text_slice){ name, name[length] == '(' ? length : 0 };
}

/* The lists of a kernel's texts, by enum compile_text; the part that each was given last. */
struct kernel_lists {
	struct buffer list[KERNEL_TEXTS];
	struct text_slice last[KERNEL_TEXTS];
};

static void add_listed(struct kernel_lists *lists, enum compile_text text, struct text_slice part,
		       const char *separator)
{
	struct buffer *list = &lists->list[text];
	struct text_slice *last = &lists->last[text];
	if (!part.length ||
	    (part.length == last->length && memcmp(part.text, last->text, part.length) == 0))
		return;
	*last = part;
	buffer_printf(list, "%s%.*s", list->length ? separator : "", (int)part.length, part.text);
}

/* A node of a kernel, and the line of Python that it is from. */
static void add_graph_node(struct compile_reading *reading, struct kernel_lists *lists,
			   struct text_slice name)
{
	uint32_t id = compile_add_text(reading, name),
		 at = keyed_find(&reading->nodes, &id, sizeof id);
	const char *place =
		at == UINT32_MAX ? "" : profile_string(reading->profile, reading->places[at]);
	struct text_slice python = { place, strlen(place) };
	const char *in = slice_find(python, " in ");
	add_listed(lists, KERNEL_NODES, name, ", ");
	add_listed(lists, KERNEL_PLACES, in ? slice_until(python, in) : python, ", ");
	add_listed(lists, KERNEL_PYTHON, python, "\n");
	add_listed(lists, KERNEL_MODULES, module_of_place(place), ", ");
}

static bool is_between(char c)
{
	return c == ' ' || c == ',' || c == '"' || c == '[' || c == ']' || c == '\n' || c == '\t';
}

/* Set the nodes of a kernel, names in an array of JSON or separated by ", ", and their places. */
static void set_nodes(struct compile_reading *reading, struct compile_item *kernel,
		      struct text_slice names)
{
	struct kernel_lists lists = { 0 };
	for (size_t at = 0, from; at < names.length;) {
		while (at < names.length && is_between(names.text[at]))
			at++;
		for (from = at; at < names.length && !is_between(names.text[at]);)
			at++;
		if (at > from)
			add_graph_node(reading, &lists,
				       (struct text_slice){ names.text + from, at - from });
	}
	for (int i = 0; i < KERNEL_TEXTS; i++)
		if (lists.list[i].length)
			kernel->text[i] = profile_take(reading->profile, &lists.list[i]);
}

static const char called[] = "async_compile.";

/*
 * The name in "NAME = async_compile.cpp_pybind(" or, in C++, "async_compile.triton('NAME', "; empty
 * in other lines.
 */
static struct text_slice defined_in(struct text_slice line)
{
	const char *at = slice_find(line, called), *quote;
	struct text_slice none = { "", 0 };
	if (!at)
		return none;
	struct text_slice before = slice_trim(slice_until(line, at)),
			  after = slice_from(line, at + strlen(called));
	if (slice_ends(before, " ="))
		return slice_until(before, memchr(before.text, ' ', before.length));
	if (before.length || !slice_skip(&after, "triton('"))
		return none;
	quote = memchr(after.text, '\'', after.length);
	return quote ? slice_until(after, quote) : none;
}

/* "NAME:2", a debug handle: the kernel of that compilation; NULL. */
static struct compile_item *kernel_of_key(struct compile_reading *reading, uint32_t compilation,
					  struct text_slice key)
{
	struct compile_items *kernels = &reading->log->items[OF_KERNEL];
	const char *colon = platform_memrchr(key.text, ':', key.length);
	struct text_slice name = colon ? slice_until(key, colon) : key;
	uint32_t id = intern_find(reading->profile->strings, name.text, name.length);
	int64_t handle;
	for (size_t i = kernels->count; i-- && kernels->at[i].id == compilation;) {
		if (kernels->at[i].text[KERNEL_NAME] != id)
			continue;
		if (colon && slice_count(slice_from(key, colon + 1), &handle))
			kernels->at[i].number[KERNEL_HANDLE] = handle;
		return &kernels->at[i];
	}
	return NULL;
}

void compile_take_mapping(struct compile_reading *reading, const struct compile_record *record)
{
	struct json_slice object, kernels;
	uint32_t compilation = compile_id_of(reading, record);
	if (!compile_document(record, JSON_OBJECT, &object) ||
	    !json_find_type(&object, "cppCodeToPost", JSON_OBJECT, &kernels))
		return;
	for (struct json_members at = json_members(&kernels); json_each(&at);) {
		struct compile_item *kernel = kernel_of_key(
			reading, compilation, (struct text_slice){ at.key.text, at.key.length });
		if (kernel)
			set_nodes(reading, kernel,
				  (struct text_slice){ at.value.text, at.value.length });
	}
}

/* The next MARK from LINE on, or END; *NEXT is the one found before. */
static const char *next_mark(const char **next, const char *line, const char *end, const char *mark)
{
	if (*next < line)
		*next = memmem(line, (size_t)(end - line), mark, strlen(mark)) ?: end;
	return *next;
}

void compile_take_code(struct compile_reading *reading, const struct compile_record *record)
{
	static const char path[] = "# kernel path: ", mark[] = "Source Nodes: [";
	const char *text = record->payload.text, *end = text + record->payload.length;
	const char *line, *at, *call = NULL, *mark_at = NULL;
	struct text_slice nodes = { "", 0 }, own = { "", 0 };
	size_t length;
	for (int64_t number = 1; text_line(&text, end, &line, &length); number++) {
		size_t tab = length && *line == '\t';
		struct text_slice rest = { line + tab, length - tab }, name = { "", 0 };
		if (next_mark(&call, line, end, called) < line + length)
			name = defined_in(rest);
		if (slice_skip(&rest, path))
			own = rest;
		else if ((at = next_mark(&mark_at, line, end, mark)) < line + length)
			nodes = slice_from(rest, at + strlen(mark));
		if (!name.length)
			continue;
		struct compile_item *kernel = compile_add_of(reading, record, OF_KERNEL);
		kernel->text[KERNEL_NAME] = compile_add_text(reading, name);
		kernel->text[KERNEL_OWN_FILE] = own.length ? compile_add_text(reading, own) : 0;
		kernel->text[KERNEL_FILE] =
			json_find_text(&record->value, "filename", reading->profile->strings);
		kernel->number[KERNEL_LINE] = number;
		kernel->range = record->range;
		kernel->graph = reading->graph;
		at = memchr(nodes.text, ']', nodes.length);
		set_nodes(reading, kernel, at ? slice_until(nodes, at) : nodes);
		nodes.length = own.length = 0;
	}
}
