#include "model/python_stats.h"
#include "session/load.h"
#include "tui/app/app.h"
#include "tui/text/text_pane.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

/* Missing values are empty lines. */
enum bookmark_line { BOOKMARK_LINE_ROWS(LISTED) LINE_COUNT };

#define NUMBER_ONE(member) +1
enum { NUMBER_COUNT = BOOKMARK_NUMBERS(NUMBER_ONE) };

static void to_numbers(int64_t *out, const struct ref *ref, const struct scope *scope)
{
#define NUMBER_OUT(member) *out++ = member;
	BOOKMARK_NUMBERS(NUMBER_OUT)
}

static void from_numbers(const int64_t *in, struct ref *ref, struct scope *scope)
{
#define NUMBER_IN(member) member = (__typeof__(member))*in++;
	BOOKMARK_NUMBERS(NUMBER_IN)
}

static void write_list(struct buffer *out, const int64_t *numbers, int count)
{
	for (int i = 0; i < count; i++)
		buffer_printf(out, "%s%" PRId64, i > 0 ? " " : "", numbers[i]);
	buffer_putc(out, '\n');
}

static int read_list(const char *text, int64_t *numbers, int max)
{
	int count = 0;
	char *end;
	for (; *text && count < max; text = end) {
		numbers[count] = strtoll(text, &end, 10);
		if (end == text)
			break;
		count++;
	}
	return count;
}

/* ---- saving ---- */

static const char *bookmark_key_of(char letter)
{
	static char key[] = "position.x";
	key[sizeof key - 2] = letter;
	return key;
}

static void bookmark_keep(struct app *app, char letter)
{
	const struct pane *pane = app_pane(app);
	const struct pane_subject subject = pane_subject(pane);
	AUTO_BUFFER struct buffer text = { 0 };
	int64_t numbers[NUMBER_COUNT];
	if (!app->tui.settings.state || !subject.view)
		return;
	const struct scope *scope = &pane->level->scope;
	buffer_printf(&text, "%s\n%s\n%s\n", app->tui.state.stamp, subject.view->name,
		      subject.query.group ? subject.query.group : "");
	struct ref ref = pane_ref(pane, &app->tui);
	to_numbers(numbers, &ref, scope);
	write_list(&text, numbers, NUMBER_COUNT);
	write_list(&text, scope->devices.id, scope->devices.count);
	write_list(&text, scope->streams.id, scope->streams.count);
	write_list(&text, scope->threads.id, scope->threads.count);
	buffer_printf(&text, "%s\n%s\n", scope->under ? scope->under : "",
		      scope->filter ? scope->filter : "");
	state_set(&app->tui.state, bookmark_key_of(letter), text.data);
	state_save(&app->tui.state);
}

/* ---- loading ---- */

static bool is_index(uint32_t id, uint32_t count)
{
	return id == NO_ROW || id < count;
}

/* True if everything the scope refers to by number exists, or the rank is not loaded. */
static bool scope_exists(const struct run *run, const struct scope *scope)
{
	AUTO_RANK const struct rank *rank = run_peek(run, scope->rank);
	if (!rank)
		return run_rank(run, scope->rank) != NULL;
	uint32_t names = intern_count(rank->profile->strings);
	return is_index(scope->layer, rank->derived->layers.count) &&
	       is_index(scope->operator_name, names) && is_index(scope->operator_shapes, names) &&
	       is_index(scope->operator_stack, names) && is_index(scope->kernel_name, names) &&
	       is_index(scope->call, rank->profile->spans) &&
	       is_index(scope->track, (uint32_t)rank->profile->track_count) &&
	       python_function_exists(rank->profile->python, scope->function);
}

static void read_scope(struct scope *scope, struct ref *ref, char *const lines[LINE_COUNT],
		       const int64_t numbers[NUMBER_COUNT])
{
	scope_init(scope);
	from_numbers(numbers, ref, scope);
	scope->devices.count = read_list(lines[LINE_DEVICES], scope->devices.id, SCOPE_LIST_MAX);
	scope->streams.count = read_list(lines[LINE_STREAMS], scope->streams.id, SCOPE_LIST_MAX);
	scope->threads.count = read_list(lines[LINE_THREADS], scope->threads.id, SCOPE_LIST_MAX);
	if (*lines[LINE_UNDER])
		scope_set_text(&scope->under, lines[LINE_UNDER]);
	if (*lines[LINE_FILTER])
		scope_set_text(&scope->filter, lines[LINE_FILTER]);
}

/* Split TEXT into its lines; false if there are too few. */
static bool split_lines(char *text, char *lines[LINE_COUNT])
{
	for (int i = 0; i < LINE_COUNT; i++) {
		char *end = strchr(text, '\n');
		if (!end)
			return false;
		*end = '\0';
		lines[i] = text;
		text = end + 1;
	}
	return true;
}

/* A parsed bookmark; clear its scope. */
struct bookmark {
	const struct view *view;
	const char *group; /* points into the lines */
	struct ref ref;
	struct scope scope;
};

/* False if it belongs to other files or another version of the program. */
static bool bookmark_read_lines(struct app *app, char *const lines[LINE_COUNT],
				struct bookmark *bookmark)
{
	int64_t numbers[NUMBER_COUNT];
	bookmark->view = view_find(lines[LINE_VIEW]);
	bookmark->group = lines[LINE_GROUP];
	if (!bookmark->view || strcmp(lines[LINE_STAMP], app->tui.state.stamp) != 0 ||
	    read_list(lines[LINE_NUMBERS], numbers, NUMBER_COUNT) != NUMBER_COUNT)
		return false;
	read_scope(&bookmark->scope, &bookmark->ref, lines, numbers);
	if (scope_exists(app->tui.run, &bookmark->scope))
		return true;
	scope_clear(&bookmark->scope);
	return false;
}

/* Call USE with the bookmark LETTER; false if there is none. */
static bool with_bookmark(struct app *app, char letter,
			  void (*use)(struct app *app, const struct bookmark *bookmark,
				      void *context),
			  void *context)
{
	const char *kept = state_get(&app->tui.state, bookmark_key_of(letter));
	char *lines[LINE_COUNT];
	struct bookmark bookmark;
	if (!kept)
		return false;
	AUTO_FREE char *text = mem_strdup(kept);
	bool good = split_lines(text, lines) && bookmark_read_lines(app, lines, &bookmark);
	if (good) {
		use(app, &bookmark, context);
		scope_clear(&bookmark.scope);
	}
	return good;
}

static void open_bookmark(struct app *app, const struct bookmark *bookmark, void *context)
{
	const struct pane_subject subject = { .kind = PANE_TABLE,
					      .view = bookmark->view,
					      .query.group = bookmark->group,
					      .target = bookmark->ref };
	nav_push_new(&app->tui, &subject, &bookmark->scope);
}

static void bookmark_describe(struct app *app, const struct bookmark *bookmark, void *context)
{
	buffer_printf(context, "%s: ", bookmark->view->title);
	view_breadcrumb(app->tui.run, &bookmark->scope, context);
}

/* ---- letters ---- */

static int index_of(char letter)
{
	if (!isalpha((unsigned char)letter))
		return -1;
	return islower((unsigned char)letter) ? letter - 'a' : letter - 'A' + 26;
}

void bookmark_set(struct app *app, char letter)
{
	int index = index_of(letter);
	if (index < 0) {
		app_say(app, MESSAGE_WARNING, "a bookmark's name is a letter");
		return;
	}
	place_clear(&app->bookmarks[index]);
	app->bookmarks[index] = nav_place(&app->tui);
	bookmark_keep(app, letter);
	app_say(app, MESSAGE_INFO, "bookmark %c set ('%c returns here)", letter, letter);
}

void bookmark_go(struct app *app, char letter)
{
	int index = index_of(letter);
	if (index >= 0 && !place_exists(&app->bookmarks[index]) &&
	    with_bookmark(app, letter, open_bookmark, NULL))
		return;
	if (index < 0 || !place_exists(&app->bookmarks[index])) {
		app_say(app, MESSAGE_WARNING, "no such bookmark (m LETTER sets one)");
		return;
	}
	nav_record(&app->tui);
	nav_go(&app->tui, &app->bookmarks[index]);
}

static bool describe_letter(struct app *app, char letter, struct buffer *out)
{
	const struct place *place = &app->bookmarks[index_of(letter)];
	if (!place_exists(place))
		return with_bookmark(app, letter, bookmark_describe, out);
	struct tab tab = nav_tab_named(place->pane->name);
	buffer_printf(out, "%s: ", tab.name ? tab.title : "text");
	view_breadcrumb(app->tui.run, &place->level->scope, out);
	return true;
}

void bookmark_list(struct app *app)
{
	struct pane *pane = text_pane_new("positions");
	AUTO_BUFFER struct buffer text = { 0 };
	bool any = false;
	text_pane_heading(pane, "Bookmarks (m LETTER sets one, ' LETTER goes there)");
	for (char letter = 'A'; letter <= 'z'; letter++) {
		char label[] = { '\'', letter, '\0' };
		buffer_clear(&text);
		if (index_of(letter) < 0 || !describe_letter(app, letter, &text))
			continue;
		text_pane_item(pane, label, buffer_text(&text));
		any = true;
	}
	if (!any)
		text_pane_item(pane, "", "No bookmarks.");
	nav_push(&app->tui, pane, NULL);
}
