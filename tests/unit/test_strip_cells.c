/*
 * The detail strip and the table say the same: what a row has in a column that is also an entry of
 * the strip. Over the views of the sample run and of a profile of each kind.
 */
#include "test.h"
#include "file_case.h"

#include "explorer_case.h"

#include "table/table.h"
#include "tui/table/table_pane.h"
#include "tui/widget/strip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { ROWS = 30 }; /* of a view */

static enum strip_shown shows_nothing(const struct pane *pane, const char *title, size_t length)
{
	(void)pane, (void)title, (void)length;
	return false;
}

/* The column of this title; -1: none, or several. */
static int column_of(const struct table *table, const char *title, size_t length)
{
	int found = -1;
	for (size_t c = 0; c < table->columns; c++) {
		const char *own = table->column[c]->title;
		if (strlen(own) != length || strncasecmp(own, title, length) != 0)
			continue;
		if (found >= 0)
			return -1;
		found = (int)c;
	}
	return found;
}

static size_t trimmed(const char *text, size_t length)
{
	while (length > 0 && text[length - 1] == ' ')
		length--;
	return length;
}

struct spot {
	const char *file, *view;
	size_t row;
};

static size_t differences;

/* The same in another form: "128 x 1 x 1", "821 us in 1 GPU event", built-in functions in "~". */
static bool is_another_form(const char *label, size_t label_length, const char *text, size_t length,
			    const struct buffer *cell)
{
	static const char *const forms[] = { "Grid", "Block", "Stack", "Pass" };
	const char *wanted = buffer_text(cell);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strlen(forms[i]) == label_length && !memcmp(label, forms[i], label_length))
			return length > 1 && strncmp(text, "-", length) != 0;
	if (!strcmp(wanted, "~") || (!strncasecmp(label, "line", 4) && !strcmp(wanted, "0")))
		return true;
	return length > cell->length && !memcmp(text, wanted, cell->length) &&
	       text[cell->length] == ' ';
}

static void check_entry(const struct spot *place, const struct table *table, const char *label,
			size_t label_length, const char *text, size_t length)
{
	int column = column_of(table, label, label_length);
	struct buffer cell = { 0 };
	if (column >= 0)
		table_format(&cell, table, place->row, (size_t)column, false);
	length = trimmed(text, length);
	cell.length = trimmed(buffer_text(&cell), cell.length);
	if (column >= 0 && cell.length > 0 &&
	    (length != cell.length || memcmp(text, buffer_text(&cell), length) != 0) &&
	    !is_another_form(label, label_length, text, length, &cell)) {
		print_error("%s, %s, row %zu: the strip has %s '%.*s', the table '%s'\n",
			    place->file, place->view, place->row, table->column[column]->title,
			    (int)length, text, buffer_text(&cell));
		differences++;
	}
	buffer_free(&cell);
}

static void check_row(struct explorer *explorer, struct spot *place)
{
	struct pane *pane = app_pane(&explorer->app);
	const struct table *table = pane->ops->table(pane);
	struct buffer text = { 0 };
	pane->ops->detail(pane, &explorer->app.tui, &text);
	strip_drop_long_forms(&text);
	strip_group(&text, shows_nothing, pane, pane->places,
		    pane_strip_set(pane_ref(pane, &explorer->app.tui)),
		    explorer->app.tui.grid.columns);
	for (const char *line = buffer_text(&text); *line;) {
		size_t length = strcspn(line, "\n"), skip = strspn(line, "\f\v\b\a\r");
		size_t label = strcspn(line, "\t\n");
		if (label < length)
			check_entry(place, table, line + skip, label - skip, line + label + 1,
				    length - label - 1);
		line += length + (line[length] == '\n');
	}
	buffer_free(&text);
}

static void check_view(struct explorer *explorer, const char *file, const char *view)
{
	char keys[96];
	snprintf(keys, sizeof keys, ":view %s<Enter>", view);
	explorer_type(explorer, keys);
	explorer_settle(explorer);
	struct pane *pane = app_pane(&explorer->app);
	const struct table *table = pane->ops->table ? pane->ops->table(pane) : NULL;
	struct spot place = { file, view, 0 };
	for (size_t i = 0; table && i < table->rows && i < ROWS; i++) {
		size_t row = table_selected(table_pane_of(pane));
		if (row == SIZE_MAX)
			break;
		place.row = row;
		check_row(explorer, &place);
		explorer_type(explorer, "j");
		explorer_settle(explorer);
	}
}

/* SIZE: that of the screen, NULL: 160x45. */
static void check_file(const char *path, const char *size)
{
	const char *const paths[] = { path };
	struct explorer explorer;
	explorer_open(&explorer, paths, 1);
	if (size)
		explorer_type(&explorer, size);
	explorer_settle(&explorer);
	for (size_t i = 0; view_at(i); i++)
		check_view(&explorer, path, view_at(i)->name);
	explorer_close(&explorer);
}

TEST(the_sample_run)
{
	check_file("demo.trace.json.gz", NULL);
	check_file("demo.trace.json.gz", ":resize 80x24<Enter>");
	assert_int_equal(differences, 0);
}

/* One profile of each kind, where they are here. */
TEST(profiles_of_each_kind)
{
	static const char *const files[] = {
		"kineto/hta/trace_diff/test/test.json.gz",
		"kineto/tracelens/torch_compile_triton/trace.json.gz",
		"nsys/MohanadOdema__DLProf/w_Relu__nsys_profile.sqlite",
		"nsys/GindaChen__nsys-ai/mfu_2gpu_after.sqlite",
		"dlprof/MohanadOdema__DLProf/w_Relu__dlprof_dldb_1.sqlite",
		"nvprof/UCBerkeley-Spring2022-CS267-project__blinkplus-nccl-base/output.nvvp",
		"rpd/mytrace.rpd",
		"rocpd/rocpd_3.0.3_graphs.db",
		"xplane/jax_te_fused_attn.xplane.pb",
		"memory_snapshot/softmax_peak_small.pickle",
		"ncu/silu_cuda_a100_3_kernels.ncu-rep",
		"pyprof/fixtures/g200_nsys.dict",
		"pstats_text/threads_cumulative_top20.txt",
		"speedscope/pyspy_layout_two_threads.speedscope.json",
		"onnxruntime/generated_cuda.json",
		"proton/triton.hatchet",
	};
	size_t found = 0;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *path = test_sampled(i, 5) ? corpus_path(files[i]) : NULL;
		if (!path)
			continue;
		check_file(path, NULL);
		found++;
	}
	if (!found)
		skip();
	assert_int_equal(differences, 0);
}
