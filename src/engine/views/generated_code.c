/*
 * The code that Inductor generated for a kernel, with the Python lines and nodes that it is from.
 */
#include "input/compile/compile_payload.h"
#include "input/text_lines.h"
#include "session/load.h"
#include "views/source_place.h"

/* Is LINE "  NAME: ..." or "  NAME = ..." of one of NODES, names separated by ", "? */
static bool is_of_nodes(struct text_slice line, const char *nodes)
{
	struct text_slice name = slice_trim(line);
	size_t length = 0;
	while (length < name.length && name.text[length] != ':' && name.text[length] != ' ')
		length++;
	for (size_t at; length && (at = strcspn(nodes, ","));
	     nodes += at + strspn(nodes + at, ", "))
		if (at == length && memcmp(nodes, name.text, at) == 0)
			return true;
	return false;
}

/* Add the lines of TEXT around the first that is WANTED or of NODES, numbered. */
static void add_code_lines(struct generated_code *code, enum generated_part part,
			   const struct buffer *text, int64_t wanted, const char *nodes)
{
	enum { CODE_AROUND = 2000 }; /* lines */
	const char *at = buffer_text(text), *end = at + text->length, *line;
	size_t length, lines = 0;
	int64_t last = INT64_MAX;
	for (int64_t number = 1; number <= last && text_line(&at, end, &line, &length); number++) {
		bool own =
			number == wanted || is_of_nodes((struct text_slice){ line, length }, nodes);
		if (own && last == INT64_MAX) {
			code->line[part] = lines;
			last = number + CODE_AROUND;
		}
		if (number + CODE_AROUND < wanted)
			continue;
		lines++;
		buffer_printf(&code->text[part], "%c%5lld\t%.*s\n", own ? '>' : ' ',
			      (long long)number, (int)length, line);
	}
}

/* From lines "/a/train.py:12 in forward, code: x = f(x)". */
static void add_python(struct buffer *out, const char *text)
{
	for (const char *code; (code = strstr(text, ", code: "));
	     text = code + strlen(", code: ")) {
		buffer_add(out, text, (size_t)(code - text));
		buffer_putc(out, '\t');
	}
	buffer_puts(out, *text || out->length ? text : "\tThe log names no line.");
}

static void read_code(const struct profile *profile, const struct compile_item *kernel,
		      struct generated_code *code)
{
	AUTO_BUFFER struct buffer graph = { 0 }, text = { 0 };
	add_python(&code->text[CODE_PYTHON], profile_string(profile, kernel->text[KERNEL_PYTHON]));
	compile_payload_read(profile->compile->path, kernel->graph, &graph);
	add_code_lines(code, CODE_NODES, &graph, 0,
		       profile_string(profile, kernel->text[KERNEL_NODES]));
	if (!compile_payload_read(profile->compile->path, kernel->range, &text))
		buffer_puts(&text, "The log has changed since it was opened.\n");
	add_code_lines(code, CODE_KERNEL, &text, kernel->number[KERNEL_LINE], "");
	buffer_printf(&code->title, "%s:%lld", profile_string(profile, kernel->text[KERNEL_FILE]),
		      (long long)kernel->number[KERNEL_LINE]);
}

bool view_generated_code(const struct run *run, const struct scope *scope, struct ref ref,
			 struct generated_code *code, const struct progress *progress)
{
	AUTO_RANK const struct rank *rank = run_acquire(run, scope->rank, progress, NULL);
	const struct compile_log *log = rank ? rank->profile->compile : NULL;
	const struct compile_item *kernel = NULL;
	struct location at;
	*code = (struct generated_code){ 0 };
	if (log && ref.kind != REF_CODE && ref.kind != REF_LAUNCH &&
	    view_locate(run, scope, ref, &at, progress))
		ref = at.event;
	if (log && ref.kind == REF_CODE)
		kernel = &log->items[OF_KERNEL].at[ref.a];
	else if (log && ref.kind == REF_LAUNCH)
		kernel = compile_kernel(log, compile_key_of(rank->profile, ref.a));
	if (kernel)
		read_code(rank->profile, kernel, code);
	return kernel;
}

void generated_code_clear(struct generated_code *code)
{
	for (int i = 0; i < CODE_PARTS; i++)
		buffer_free(&code->text[i]);
	buffer_free(&code->title);
}
