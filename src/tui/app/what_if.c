/*
 * What if: a pane with an edit of what is selected and, beside it, what is predicted; kept, the run
 * under it is the base run.
 */
#include "analysis/advice/detectors.h"
#include "analysis/whatif/whatif_scenario.h"
#include "session/load.h"
#include "tui/app/app.h"
#include "views/whatif_model.h"

#include <inttypes.h>
#include <math.h>

static const char prefix[] = "whatif:";

/* ---- the prediction ---- */

/* Used by jobs, one at a time; counted by the screen's thread. */
struct what_if_graph {
	struct shared_run *shared;
	int64_t rank;
	struct whatif_model model; /* made by the first job that is not cancelled */
	int references;
};

static void graph_drop(struct what_if_graph *graph)
{
	if (!graph || --graph->references)
		return;
	whatif_model_clear(&graph->model);
	shared_run_drop(graph->shared);
	mem_free(graph);
}

struct what_if_job {
	struct job job;
	struct app *app;
	struct what_if_graph *graph;
	char *edits[WHAT_IF_ANSWERS]; /* those asked for, then those of the curve */
	size_t count;
	struct what_if_answer answers[WHAT_IF_ANSWERS];
};

static bool has_factor(enum whatif_what what)
{
	return strchr(whatif_kinds[what].text, ' ') != NULL;
}

static bool predict_one(const struct whatif *whatif, const char *text,
			struct what_if_answer *answer, const struct progress *progress,
			struct error *error)
{
	struct whatif_edits edits;
	bool ok = whatif_edits_parse(&edits, text, error);
	answer->refused = ok ? whatif_refusal(whatif, edits.item, edits.count) : NULL;
	if (ok && !answer->refused)
		ok = whatif_predict(whatif, edits.item, edits.count, &answer->prediction,
				    progress) ||
		     error_set(error, ERROR_CANCELLED, "canceled");
	for (size_t i = 0; i < whatif->graph->wait_count; i++)
		answer->guesses += whatif->graph->waits[i].guessed;
	whatif_edits_clear(&edits);
	return ok;
}

static bool predict_run(struct job *job, const struct progress *progress, struct error *error)
{
	struct what_if_job *self = (struct what_if_job *)job;
	struct whatif_model *model = &self->graph->model;
	bool ok = true;
	if (!model->whatif) {
		whatif_model_clear(model);
		if (!whatif_model_make(model, self->graph->shared->run, self->graph->rank, NULL,
				       true, WHATIF_ROWS_MAX, progress, error))
			return false;
	}
	for (size_t i = 0; i < self->count && ok; i++)
		ok = predict_one(model->whatif, self->edits[i], &self->answers[i], progress, error);
	return ok;
}

static void predict_finish(struct job *job, bool good, const struct error *error)
{
	AUTO_FREE struct what_if_job *self = (struct what_if_job *)job;
	struct what_if *pane = &self->app->what_if;
	if (good && pane->graph == self->graph) {
		memcpy(pane->answers, self->answers, self->count * sizeof *pane->answers);
		pane->known = true;
		pane->drawn |= self->count > 1 && !pane->answers[0].refused;
	} else if (!good && error->code != ERROR_CANCELLED) {
		tui_say_error(&self->app->tui, error);
	}
	self->app->tui.dirty = true;
	graph_drop(self->graph);
	for (size_t i = 0; i < self->count; i++)
		mem_free(self->edits[i]);
}

/* ---- the edit ---- */

static bool is_of_work(enum whatif_what what)
{
	return whatif_kinds[what].touches & WHATIF_OF_WORK;
}

/* Kind INDEX that the edit may be of: first its own, then others of work, or of the host;
   WHATIF_KINDS past the end. */
static enum whatif_what kind_at(const struct what_if *pane, size_t index)
{
	enum whatif_what own = pane->part[0].own, what = 0;
	for (; index && what < WHATIF_KINDS; what++)
		index -= what != own && is_of_work(what) == is_of_work(own) &&
			 what != WHATIF_KERNELS && what != WHATIF_COMM && what != WHATIF_COPIES;
	return index ? WHATIF_KINDS : what ? what - 1 : own;
}

static int kind_length(enum whatif_what what)
{
	return (int)strcspn(whatif_kinds[what].text, " ");
}

static void add_edit(const struct what_if *pane, double factor, struct buffer *out)
{
	buffer_puts(out, pane->added ? pane->added : "");
	for (size_t i = 0; i < pane->parts; i++) {
		const struct what_if_part *part = &pane->part[i];
		enum whatif_what what = pane->what == pane->part[0].own ? part->own : pane->what;
		buffer_printf(out, "%s%.*s", i ? "; " : "", kind_length(what),
			      whatif_kinds[what].text);
		buffer_puts(out, part->of);
		if (has_factor(what))
			buffer_printf(out, " x%g", factor);
	}
}

/* With the curve over the factor from 0 to 1, once for each kind. */
static void predict(struct app *app)
{
	struct what_if *pane = &app->what_if;
	struct what_if_job *self = mem_zalloc(1, sizeof *self);
	self->job.what = "What if";
	self->job.run = predict_run;
	self->job.finish = predict_finish;
	self->app = app;
	self->graph = pane->graph;
	self->graph->references++;
	size_t count = has_factor(pane->what) && !pane->drawn ? WHAT_IF_ANSWERS : 1;
	for (; self->count < count; self->count++) {
		AUTO_BUFFER struct buffer edits = { 0 };
		double point = (double)self->count - 1;
		add_edit(pane, self->count ? point / (WHAT_IF_POINTS - 1) : pane->factor, &edits);
		self->edits[self->count] = mem_strdup(buffer_text(&edits));
	}
	worker_submit(app->tui.worker, &self->job);
}

static void choose_kind(struct what_if *pane)
{
	size_t i = 0;
	while (kind_at(pane, i) != pane->what)
		i++;
	pane->what = kind_at(pane, i + 1) == WHATIF_KINDS ? kind_at(pane, 0) : kind_at(pane, i + 1);
	pane->factor = whatif_kinds[pane->what].factor;
	pane->drawn = false;
}

/* Without what was added. */
static void close_edit(struct what_if *pane)
{
	graph_drop(pane->graph);
	for (size_t i = 0; i < pane->parts; i++)
		mem_free(pane->part[i].of);
	mem_free(pane->about);
	*pane = (struct what_if){ .added = pane->added };
}

void what_if_close(struct app *app)
{
	close_edit(&app->what_if);
	mem_free(app->what_if.added);
	app->what_if.added = NULL;
}

/* ---- what is selected ---- */

/* The selected finding's detector, in a table of findings; a missing value elsewhere. */
static struct value selected_detector(const struct pane *pane)
{
	const struct table *table = pane->ops->table ? pane->ops->table(pane) : NULL;
	int column = table ? table_column(table, "detector") : -1;
	size_t row = pane->ops->row(pane);
	return column < 0 || row == SIZE_MAX ? value_missing()
					     : table_value(table, row, (size_t)column);
}

/* By the id of a finding's detector, or its headline; one without an edit if there is none. */
static const struct detector *detector_of(const char *name)
{
	const struct detector *detector = detectors();
	while (detector->id && strcmp(name, detector->id) != 0 &&
	       strcmp(name, detector->problem) != 0)
		detector++;
	return detector;
}

/* What an edit calls work of this name; WHATIF_KINDS: nothing recorded has it. */
static enum whatif_what kind_of_name(struct app *app, const char *name)
{
	AUTO_RANK struct rank *rank = run_peek(app->tui.run, app->tui.nav.here->scope.rank);
	uint32_t id = rank ? profile_find(rank->profile, name) : NO_ROW;
	const uint16_t roles = NAME_COMMUNICATION | NAME_COMMUNICATION_KERNEL;
	if (!rank || id >= rank->derived->names)
		return WHATIF_KINDS;
	return rank->derived->role[id] & roles                              ? WHATIF_COMM
	       : !strncmp(name, "Memcpy", 6) || !strncmp(name, "Memset", 6) ? WHATIF_COPIES
									    : WHATIF_KERNELS;
}

/* An expression for the names (in lines) of a kind; blanks and semicolons would end it. */
static void set_part(struct app *app, const char *names, enum whatif_what kind)
{
	AUTO_FREE char *lines = mem_strdup(names);
	AUTO_BUFFER struct buffer name = { 0 };
	struct what_if *pane = &app->what_if;
	char *rest = lines;
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (!*line || kind_of_name(app, line) != kind)
			continue;
		buffer_puts(&name, name.length ? "|" : "^(");
		pattern_quote(&name, line, strlen(line));
	}
	if (!name.length)
		return;
	buffer_puts(&name, ")$");
	for (size_t i = 0; i < name.length; i++)
		if (strchr(" ;", name.data[i]))
			name.data[i] = '.';
	pane->part[pane->parts++] = (struct what_if_part){ kind, mem_printf(":%s", name.data) };
}

/* Of a finding's edit: "fuse:softmax", "copies x0". */
static void set_finding(struct what_if *pane, const char *text)
{
	struct whatif_edit edit;
	struct error error;
	size_t kind = strcspn(text, ": ");
	if (whatif_edit_parse(&edit, text, &error))
		pane->part[pane->parts++] = (struct what_if_part){
			edit.what, mem_printf("%.*s", (int)strcspn(text + kind, " "), text + kind)
		};
	whatif_edit_clear(&edit);
}

/* Of one row of a table: the kernels of a layer, a step or a stream. */
static void set_place(struct app *app, const struct pane *from)
{
	AUTO_RANK struct rank *rank = run_peek(app->tui.run, app->tui.nav.here->scope.rank);
	AUTO_BUFFER struct buffer text = { 0 };
	struct what_if *pane = &app->what_if;
	size_t marked = from->ops->marked ? from->ops->marked(from, 0) : SIZE_MAX;
	struct ref ref = { .kind = REF_NONE };
	if (rank && from->ops->ref)
		ref = from->ops->ref(from, &app->tui,
				     marked == SIZE_MAX ? from->ops->row(from) : marked);
	if (ref.kind == REF_LAYER) {
		buffer_puts(&text, " under:");
		layer_path(rank->derived, ref.a, &text);
	} else if (ref.kind == REF_STEP) {
		buffer_printf(&text, " steps:%" PRId64, rank->derived->steps[ref.a].number);
	} else if (ref.kind == REF_TRACK && rank->profile->tracks[ref.a].device >= 0) {
		buffer_printf(&text, " stream:%" PRId64 " device:%d",
			      rank->profile->tracks[ref.a].tid,
			      rank->profile->tracks[ref.a].device);
	}
	if (text.length && !strpbrk(text.data + 1, ref.kind == REF_LAYER ? " ;" : ";"))
		pane->part[pane->parts++] =
			(struct what_if_part){ WHATIF_KERNELS, mem_strdup(text.data) };
}

void what_if_ask(struct app *app)
{
	struct pane *from = app_pane(app);
	struct what_if *pane = &app->what_if;
	AUTO_BUFFER struct buffer names = { 0 };
	struct value finding = selected_detector(from);
	size_t count =
		finding.kind == VALUE_TEXT ? 1 : from->ops->copy(from, &app->tui, false, &names);
	if (finding.kind == VALUE_TEXT)
		buffer_add(&names, finding.text, finding.length);
	while (names.length && names.data[names.length - 1] == '\n')
		names.data[--names.length] = '\0';
	const struct detector *detector = detector_of(buffer_text(&names));
	const char *edit = count == 1 && detector->id ? detector->edit : NULL;
	close_edit(pane);
	if (edit)
		set_finding(pane, edit);
	else if (count == 1)
		set_place(app, from);
	bool named = !pane->parts && names.length;
	for (enum whatif_what kind = 0; kind < WHATIF_KINDS && named; kind++)
		set_part(app, names.data, kind);
	if (!pane->parts) {
		app_say(app, MESSAGE_INFO, "no edit is known for this (:whatif EDIT tries one)");
		return;
	}
	struct what_if_graph *graph = mem_zalloc(1, sizeof *graph);
	*graph = (struct what_if_graph){ .shared = take_hold(app->tui.shared),
					 .rank = app->tui.nav.here->scope.rank,
					 .references = 1 };
	pane->graph = graph;
	pane->about = count > 1 ? mem_printf("%zu names", count)
				: mem_strdup(edit ? detector->problem : names.data);
	pane->of_finding = edit != NULL;
	pane->what = pane->part[0].own;
	pane->factor = whatif_kinds[pane->what].factor;
	pane->open = true;
	predict(app);
}

/* ---- keys ---- */

static void add_quoted(struct buffer *out, const char *text, size_t length)
{
	buffer_putc(out, '\'');
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\'')
			buffer_puts(out, "'\\''");
		else
			buffer_putc(out, text[i]);
	buffer_putc(out, '\'');
}

/* The edits as a command. */
static void copy_command(struct app *app)
{
	AUTO_BUFFER struct buffer edits = { 0 }, command = { 0 };
	add_edit(&app->what_if, app->what_if.factor, &edits);
	buffer_puts(&command, "strata whatif");
	for (const char *at = buffer_text(&edits); *at; at += strspn(at, "; ")) {
		size_t length = strcspn(at, ";");
		buffer_puts(&command, " -e ");
		add_quoted(&command, at, length);
		at += length;
	}
	for (size_t i = 0; i < app->options->path_count; i++) {
		buffer_putc(&command, ' ');
		add_quoted(&command, app->options->paths[i], strlen(app->options->paths[i]));
	}
	copy_text(app, &command, "the command");
}

static void keep_edit(struct app *app)
{
	AUTO_BUFFER struct buffer edits = { 0 };
	struct error error;
	add_edit(&app->what_if, app->what_if.factor, &edits);
	what_if_close(app);
	what_if_run(app, buffer_text(&edits), &error);
}

/* Others are changed with it once they are chosen. */
static void add_another(struct app *app)
{
	AUTO_BUFFER struct buffer edits = { 0 };
	add_edit(&app->what_if, app->what_if.factor, &edits);
	mem_replace(app->what_if.added, mem_printf("%s; ", buffer_text(&edits)));
	close_edit(&app->what_if);
	app_say(app, MESSAGE_INFO, "edit kept: choose what else to change, and press w");
}

void what_if_act(struct app *app, enum action action)
{
	struct what_if *pane = &app->what_if;
	double more = action == ACTION_WHAT_IF_MORE ? 1 : action == ACTION_WHAT_IF_LESS ? -1 : 0;
	switch (action) {
	case ACTION_WHAT_IF_LESS:
	case ACTION_WHAT_IF_MORE:
	case ACTION_WHAT_IF_ZERO:
		if (!has_factor(pane->what)) {
			app_say(app, MESSAGE_INFO, "this edit has no factor");
			return;
		}
		pane->factor = more != 0 ? fmin(fmax(round(pane->factor * 20 + more) / 20, 0),
						WHATIF_FACTOR_MAX)
					 : 0;
		predict(app);
		return;
	case ACTION_WHAT_IF_KIND:
		choose_kind(pane);
		predict(app);
		return;
	case ACTION_WHAT_IF_COPY: copy_command(app); return;
	case ACTION_WHAT_IF_KEEP: keep_edit(app); return;
	case ACTION_WHAT_IF_ADD: add_another(app); return;
	case ACTION_WHAT_IF_CLOSE: what_if_close(app); return;
	default: app_say(app, MESSAGE_INFO, "close what-if first (Esc)");
	}
}

/* ---- the screen ---- */

/* "nosync  [nosync] host pauses …" */
static void add_kinds(const struct what_if *pane, struct buffer *out)
{
	buffer_printf(out, "What if   %s%s  ", pane->added ? "(with others) " : "", pane->about);
	for (size_t i = 0; kind_at(pane, i) != WHATIF_KINDS; i++) {
		enum whatif_what what = kind_at(pane, i);
		buffer_printf(out, what == pane->what ? " [%.*s]" : " %.*s", kind_length(what),
			      whatif_kinds[what].text);
	}
	buffer_puts(out, "   Tab kind");
}

/* Gains by factor from 0 to 1, and the knee: the highest factor at which something else limits. */
static void add_curve(const struct what_if *pane, bool ascii, struct buffer *out)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const struct what_if_answer *curve = pane->answers + 1;
	double gain[WHAT_IF_POINTS], most = 0;
	int knee = WHAT_IF_POINTS - 1;
	for (int i = 0; i < WHAT_IF_POINTS; i++) {
		const struct whatif_prediction *prediction = &curve[i].prediction;
		gain[i] = fmax(whatif_gain(prediction, prediction->predicted), 0);
		most = fmax(most, gain[i]);
	}
	while (knee > 0 &&
	       curve[knee].prediction.limit == curve[WHAT_IF_POINTS - 1].prediction.limit)
		knee--;
	buffer_puts(out, "   gain from x 0 to 1 ");
	for (int i = 0; i < WHAT_IF_POINTS; i++) {
		int level = most > 0 ? (int)(gain[i] / most * 7.999) : 0;
		buffer_printf(out, "%.*s", ascii ? 1 : 3,
			      ascii ? &"_.:-=+*#"[level] : blocks[level]);
	}
	if (knee > 0)
		buffer_printf(out, ", from x %.2f on %s", (double)knee / (WHAT_IF_POINTS - 1),
			      whatif_limit_name(curve[knee].prediction.limit));
}

static void add_slider(const struct what_if *pane, struct buffer *out)
{
	enum { CELLS = 20 };
	int knob = (int)fmin(round(pane->factor * CELLS), CELLS);
	if (has_factor(pane->what)) {
		buffer_printf(out, "x %.2f   |", pane->factor);
		for (int i = 0; i <= CELLS; i++)
			buffer_putc(out, i < knob ? '=' : i == knob ? 'o' : '-');
		buffer_puts(out, "|   Left Right 0.05   0 removes");
	}
	buffer_printf(out, "%sEnter keep   a add edit   Esc close", out->length ? "   " : "");
}

static void add_prediction(const struct what_if *pane, struct buffer *out)
{
	const struct whatif_prediction *prediction = &pane->answers->prediction;
	if (pane->answers[0].refused)
		buffer_printf(out, "nothing is predicted: %s", pane->answers[0].refused);
	else if (prediction->nothing)
		buffer_puts(out, "nothing of this was recorded in the steps that are judged");
	else {
		whatif_describe(prediction, out);
		buffer_printf(out, "   device idle %.0f -> %.0f %%", prediction->idle_pct[0],
			      prediction->idle_pct[1]);
	}
}

/* What the path is made of, the most first. */
static void add_path(const struct what_if *pane, struct buffer *out)
{
	const struct whatif_prediction *prediction = &pane->answers->prediction;
	int64_t all = 0, last = INT64_MAX;
	for (int i = 0; i < WHATIF_LIMITS; i++)
		all += prediction->path[i];
	buffer_printf(out, "next limit: %s   path", whatif_limit_name(prediction->limit));
	for (int n = 0; n < WHATIF_LIMITS && all > 0; n++) {
		int most = -1;
		for (int i = 0; i < WHATIF_LIMITS; i++)
			if (prediction->path[i] < last &&
			    (most < 0 || prediction->path[i] > prediction->path[most]))
				most = i;
		if (most < 0 || prediction->path[most] * 200 < all)
			return;
		last = prediction->path[most];
		buffer_printf(out, "  %s %.0f %%", whatif_limit_name((enum whatif_limit)most),
			      100 * (double)last / (double)all);
	}
}

static void add_grounds(const struct what_if *pane, struct buffer *out)
{
	buffer_printf(out, "%s; relies on the recorded order and waits%s",
		      whatif_kinds[pane->what].words,
		      pane->answers[0].prediction.at_most
			      ? "; a bound: what needs the result is not recorded"
			      : "");
	if (pane->answers[0].guesses)
		buffer_printf(out, ", %zu waits known by time alone", pane->answers[0].guesses);
	buffer_printf(out, "%s   y copy as command",
		      pane->of_finding ? "; findings may share this gain" : "");
}

void what_if_draw(struct app *app, struct rect at)
{
	static void (*const lines[])(const struct what_if *,
				     struct buffer *) = { add_kinds, add_slider, add_prediction,
							  add_path, add_grounds };
	const struct what_if *pane = &app->what_if;
	bool busy = worker_busy(app->tui.worker, NULL);
	AUTO_BUFFER struct buffer text = { 0 };
	grid_rule(&app->tui.grid, at.row, at.column, at.columns, false);
	for (int i = 0; i + 1 < at.rows; i++) {
		buffer_clear(&text);
		if (i < 2 || (pane->known && (i == 2 || !pane->answers[0].refused)))
			lines[i](pane, &text);
		if (i == 1 && pane->drawn)
			add_curve(pane, app->tui.grid.ascii, &text);
		if (i == 2 && busy)
			buffer_puts(&text, " ...");
		grid_puts(&app->tui.grid, at.row + 1 + i, at.column + 1, at.columns - 1,
			  i == 2 ? ROLE_TITLE : ROLE_TEXT, buffer_text(&text));
	}
}

/* ---- the predicted run ---- */

bool what_if_run(struct app *app, const char *argument, struct error *error)
{
	AUTO_FREE char *base = mem_printf("%s%s", prefix, argument);
	AUTO_FREE char *group = mem_printf("edit=%s", argument);
	const struct pane_subject table = { .kind = PANE_TABLE,
					    .view = view_find("whatif"),
					    .query.group = group };
	if (*argument && app->tui.run->rank_count > 1) /* the ranks wait for each other */
		nav_push_new(&app->tui, &table, NULL);
	else if (*argument)
		load_files(app, base);
	else
		nav_view(&app->tui, view_find("whatif"));
	return true;
}

const char *what_if_edits(const struct path_list *base)
{
	bool is = base->count && strncmp(base->path[0], prefix, sizeof prefix - 1) == 0;
	return is ? base->path[0] + sizeof prefix - 1 : NULL;
}

void what_if_count(const struct app *app, struct buffer *out)
{
	const char *edits = what_if_edits(&app->base);
	int count = edits != NULL;
	for (; edits && *edits; edits++)
		count += *edits == ';';
	if (count)
		buffer_printf(out, "what-if: %d edit%s  ", count, count == 1 ? "" : "s");
}

void what_if_drop(struct app *app)
{
	if (!what_if_edits(&app->base)) {
		app_say(app, MESSAGE_INFO, "no run is predicted (w predicts one)");
		return;
	}
	path_list_clear(&app->base);
	load_files(app, NULL);
}

void what_if_say(struct app *app)
{
	const struct run *base = app->tui.run->base;
	AUTO_RANK struct rank *rank = base ? run_peek(base, app->tui.nav.here->scope.rank) : NULL;
	if (rank)
		app_say(app, MESSAGE_INFO, "what-if: %s",
			profile_metadata(rank->profile, WHATIF_SCENARIO));
}
