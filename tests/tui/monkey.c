/*
 * A monkey at the explorer: random keys, commands, resizes and signals, before results arrive and
 * after. Each session is a process of its own; one that crashes, hangs or draws a control byte
 * fails, and what it did is printed.
 *
 *   MONKEY_SECONDS=N   duration (default: 5; under sanitizers 15)
 *   MONKEY_SEED=N      seed of the first session (default: from the clock; printed)
 *   MONKEY_SESSIONS=1  play only that many sessions
 */
#include "database_case.h"
#include "../unit/file_case.h"
#include "tui/app/app.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "picture/plot/plot.h"
#include "table/view.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SHORTEST = 30, /* keys of a session */
	LONGEST = 150,
	PATIENCE = 300, /* seconds until a session counts as hanging */
	TAIL = 4096,    /* bytes of the log shown for a failed session */
	RANKS = 4,
	PATHS = 8,
	KEYS = 512,
};

/* ---- chance ---- */

static uint64_t state;

static uint64_t draw(void) /* splitmix64 */
{
	uint64_t z = state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t below(size_t limit)
{
	return draw() % limit;
}

static bool chance(int percent)
{
	return (int)below(100) < percent;
}

#define ONE_OF(array) (array)[below(sizeof(array) / sizeof(array)[0])]

/* ---- what is opened ---- */

struct prey {
	const char *name;
	const char *paths[PATHS];
	size_t count;
	const char *base;
};

static struct prey preys[24];
static size_t prey_count;

static void add_prey(const char *name, const char *path, const char *base)
{
	preys[prey_count++] =
		(struct prey){ .name = name, .paths = { path }, .count = 1, .base = base };
}

static char *generate(const char *options, const char *name)
{
	char command[4200], directory[4000];
	if (!getcwd(directory, sizeof directory))
		abort();
	snprintf(command, sizeof command, "./tracegen %s -o '%s'", options, name);
	if (system(command) != 0) {
		fprintf(stderr, "monkey: %s failed\n", command);
		exit(1);
	}
	return realpath(name, NULL);
}

static void add_ranks(const char *scratch)
{
	struct prey *ranks = &preys[prey_count++];
	*ranks = (struct prey){ .name = "ranks", .count = RANKS };
	for (int rank = 0; rank < RANKS; rank++) {
		char options[100], name[4096];
		snprintf(options, sizeof options,
			 "--steps 2 --layers 2 --stacks 2 --rank %d --world %d", rank, RANKS);
		snprintf(name, sizeof name, "%s/rank%d.json", scratch, rank);
		ranks->paths[rank] = generate(options, name);
	}
}

static void add_nsight(const char *scratch)
{
	char name[4096];
	char *made = database_file(
		NSYS_STRINGS NSYS_KERNELS NSYS_CALLS NSYS_RANGES
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 100 * i, 100 * i + 20," NSYS_THREAD(
			7,
			8) ",i,2 FROM n;"
			   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 30, start + 90,"
			   "correlationId % 2,7,correlationId," NSYS_PROCESS(
				   7) ",1,2,3,4,128,2,1,40,1024,512 FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
				      "INSERT INTO NVTX_EVENTS SELECT start - 5, start + 995, 59,"
				      "'step ' || correlationId / 10, NULL," NSYS_THREAD(7, 8) "," NSYS_THREAD(
					      7,
					      8) ",0 "
						 "FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId % 10 = 0;");
	snprintf(name, sizeof name, "%s/nsight.sqlite", scratch);
	if (rename(made, name) != 0)
		abort();
	mem_free(made);
	add_prey("nsight", mem_strdup(name), NULL);
}

/* Recordings of each kind, where the corpus is there. */
static void add_recorded(void)
{
	static const char *const recorded[] = {
		"kineto/hta/trace_filter/sampled_rank-0.json.gz",
		"nsys/tunguz__cuda13/nsys_easy.sqlite",
		"ncu/mlp_t4.raw.csv",
		"rocpd/rocpd_3.0.3_graphs.db",
		"xplane/generated_gpu_tpu.xplane.pb",
		"torch_trace/cache_hit_miss.log",
		"pprof/jax_model_parallel_memory.prof",
		"dlprof/MohanadOdema__DLProf/w_Relu__dlprof_dldb.sqlite",
		"python/torch_stacks/EmperorNiu__gpt2-profile__profiler_stacks.txt",
		"ascend/text/level1/rank0_ascend_pt",
		"nvprof/josiahdavis__profiling-lm/net.sql",
		"memory_snapshot/softmax_peak_small.pickle",
	};
	for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
		const char *path = corpus_path(recorded[i]);
		char *found = path ? realpath(path, NULL) : NULL;
		if (found)
			add_prey(recorded[i], found, NULL);
	}
}

static void find_preys(const char *scratch)
{
	char name[4096];
	char *demo = realpath("demo.trace.json.gz", NULL);
	snprintf(name, sizeof name, "%s/short.json", scratch);
	char *other = generate("--steps 2 --layers 3 --stacks 2 --slow layer1.0:2", name);
	add_prey("demo", demo, NULL);
	add_prey("diff", demo, other);
	add_ranks(scratch);
	add_nsight(scratch);
	add_recorded();
}

/* ---- what is done ---- */

static struct app *app;
static FILE *record;
static struct totals {
	uint64_t sessions, keys, commands;
} * totals; /* shared by all sessions */
static tui_key bound[KEYS];
static size_t bound_count;
static tui_key typed; /* to be read next */

static void find_keys(void)
{
	for (int action = 1; action < ACTION_COUNT; action++)
		for (int context = 0; context < CONTEXT_COUNT; context++) {
			tui_key key = action_key((enum action)action, (enum context)context);
			if (key != TUI_KEY_NONE && bound_count < KEYS)
				bound[bound_count++] = key;
		}
}

static tui_key read_key(struct terminal *term)
{
	tui_key key = typed;
	typed = TUI_KEY_NONE;
	return key;
}

static bool read_mouse(struct terminal *term, struct mouse_event *event)
{
	int rows, columns;
	term->ops->size(term, &rows, &columns);
	*event = (struct mouse_event){ .row = (int)below((size_t)rows),
				       .column = (int)below((size_t)columns),
				       .wheel = (int)below(3) - 1,
				       .twice = chance(30) };
	return true;
}

static void print_nothing(struct terminal *term, void (*print)(void *context), void *context)
{
	print(context); /* on standard output, which is /dev/null */
}

/* Keys that quit would end most sessions early. */
static bool ends(tui_key key)
{
	return key == 'Q' || key == tui_key_ctrl('c') || key == TUI_KEY_HANGUP;
}

static void press_key(void)
{
	static const tui_key others[] = { TUI_KEY_MOUSE,
					  TUI_KEY_UP,
					  TUI_KEY_DOWN,
					  TUI_KEY_ENTER,
					  TUI_KEY_ESCAPE,
					  TUI_KEY_DELETE,
					  TUI_KEY_BACKSPACE,
					  TUI_KEY_PASTE_BEGIN,
					  TUI_KEY_PASTE_END,
					  TUI_KEY_F1,
					  TUI_KEY_ALT | TUI_KEY_LEFT,
					  0x65e5 };
	char name[TUI_KEY_NAME_MAX];
	tui_key key = chance(70)   ? bound[below(bound_count)]
		      : chance(50) ? ONE_OF(others)
				   : (tui_key)(' ' + below('~' - ' '));
	if (ends(key) && !chance(2))
		return;
	fprintf(record, "%s\n", tui_key_name(key, name));
	typed = key;
	totals->keys++;
}

/* An argument that some command could want, or none of them. */
static const char *argument(void)
{
	static const char *const words[] = {
		"",
		"0",
		"1",
		"-1",
		"99",
		"1..2",
		"3..1",
		"0..",
		"1ms..2ms",
		"18446744073709551616",
		"(",
		"^.*$",
		"a",
		"!a",
		"name:conv",
		"tc:no",
		"on",
		"off",
		"none",
		"80x24",
		"1x1",
		"300x100",
		"layer1",
		"%s%n",
		"\xff\xfe",
		"\xe6\x97\xa5",
		"out.csv",
		"out.svg",
		"out.txt",
		"/nowhere/out.csv",
		"ascii",
		"braille",
		"memory",
		"mono",
		"aten::conv2d",
		"SELECT name, gpu_self_ns FROM operators ORDER BY 2 DESC",
		"SELECT * FROM kernels",
		"SELECT k.name FROM kernels k, launches l",
		"select * from nope",
		"name:desc",
		"+share_pct",
	};
	size_t kind = below(3);
	if (kind == 0)
		for (size_t i = below(40);; i = below(40))
			if (view_at(i))
				return view_at(i)->name;
	if (kind == 1)
		for (size_t i = below(300);; i = below(300))
			if (column_at(i))
				return column_at(i)->id;
	return ONE_OF(words);
}

/* Only for commands that read it. */
static const char *profile(void)
{
	const struct prey *prey = &preys[below(prey_count)];
	return prey->paths[below(prey->count)];
}

static void run_command(void)
{
	struct error error = { 0 };
	struct buffer line = { 0 };
	size_t count = 0;
	while (command_at(count))
		count++;
	const char *name = command_at(below(count))->name;
	if (!strcmp(name, "quit") && !chance(2))
		name = "view";
	buffer_puts(&line, name);
	for (size_t words = below(3); words > 0; words--) {
		buffer_puts(&line, " ");
		buffer_puts(&line, !strcmp(name, "base") ? profile() : argument());
	}
	fprintf(record, ":%s\n", buffer_text(&line));
	command_run(app, buffer_text(&line), &error); /* an error does not end the session */
	app->tui.dirty = true;
	totals->commands++;
	buffer_free(&line);
}

static void change_size(void)
{
	static const int sizes[][2] = { { 1, 1 },   { 2, 300 },  { 3, 20 }, { 12, 40 },
					{ 24, 80 }, { 45, 160 }, { 60, 1 }, { 200, 500 } };
	const int *size = ONE_OF(sizes);
	fprintf(record, "# resized to %dx%d\n", size[1], size[0]);
	app->term->ops->resize(app->term, size[0], size[1]);
	raise(SIGWINCH);
}

static void send_signal(void)
{
	static const int signals[] = { SIGWINCH, SIGCONT, SIGTSTP };
	static const int last[] = { SIGTERM, SIGHUP, SIGUSR1, SIGQUIT };
	int number = chance(2) ? ONE_OF(last) : ONE_OF(signals);
	fprintf(record, "# signal %d\n", number);
	raise(number);
}

static bool busy(void)
{
	return app->loading || worker_busy(app->tui.worker, NULL);
}

static void turn(void)
{
	app_turn(app);
	const struct grid *grid = &app->tui.grid;
	for (int i = 0; i < grid->rows * grid->columns; i++)
		for (const char *at = grid->cells[i].bytes; *at; at++)
			if ((unsigned char)*at < ' ' || *at == 0x7f) {
				fprintf(record, "# control byte %d on the screen\n", *at);
				abort();
			}
}

static void settle(void)
{
	while (!app->tui.quit && (busy() || app->held_count || app->tui.dirty || typed)) {
		turn();
		if (busy())
			worker_wait(app->loading ? app->reader : app->tui.worker, 10);
	}
}

static void act(void)
{
	int kind = (int)below(100);
	if (kind < 80)
		press_key();
	else if (kind < 93)
		run_command();
	else if (kind < 97)
		change_size();
	else
		send_signal();
	turn();
	if (chance(50))
		settle(); /* otherwise, results arrive late */
}

/* ---- sessions ---- */

static void play(uint64_t seed, const struct prey *prey)
{
	struct error error = { 0 };
	struct tui_options options = { .paths = prey->paths,
				       .path_count = prey->count,
				       .base = prey->base,
				       .view = prey->base ? "diff" : NULL,
				       .script = "/dev/null",
				       .size = "160x45",
				       .ascii = seed % 3 == 0,
				       .color = seed % 2 ? TUI_COLOR_ALWAYS : TUI_COLOR_NEVER,
				       .mouse = true,
				       .no_state = true };
	state = seed;
	alarm(PATIENCE);
	if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout))
		abort();
	app = mem_zalloc(1, sizeof *app);
	app->options = &options;
	if (!app_start(app, &error)) {
		fprintf(record, "# did not start: %s\n", error.message);
		abort();
	}
	if (!app->term) {
		fprintf(record, "# not opened: %s\n", app->failure.message);
		abort();
	}
	script_close(app);
	struct terminal_ops ops = *app->term->ops;
	ops.read = read_key;
	ops.mouse_event = read_mouse;
	ops.outside = print_nothing;
	app->term->ops = &ops;
	app->tui.dirty = true;
	if (chance(80))
		settle(); /* otherwise, keys arrive while it loads */
	find_keys();
	for (size_t left = SHORTEST + below(LONGEST - SHORTEST); left > 0 && !app->tui.quit; left--)
		act();
	app_stop(app);
	mem_free(app);
	totals->sessions++;
}

/* Print the end of what a failed session did. */
static void tell(const char *log)
{
	char text[TAIL + 1];
	FILE *file = fopen(log, "r");
	if (!file)
		return;
	fseek(file, 0, SEEK_END);
	long length = ftell(file);
	fseek(file, length > TAIL ? length - TAIL : 0, SEEK_SET);
	text[fread(text, 1, TAIL, file)] = '\0';
	fclose(file);
	printf("%s", text);
}

static bool session(uint64_t seed, const char *log)
{
	const struct prey *prey = &preys[seed % prey_count];
	int status = 0;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		record = fopen(log, "w");
		if (!record || chdir("files") != 0)
			abort();
		setvbuf(record, NULL, _IONBF, 0);
		play(seed, prey);
		exit(0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (status == 0)
		return true;
	printf("session %" PRIu64 " (%s) failed: %s %d; it did\n", seed, prey->name,
	       WIFSIGNALED(status) ? "signal" : "status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	tell(log);
	return false;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

int main(void)
{
	char scratch[] = "/tmp/strata-monkey-XXXXXX", log[100];
	const char *tools = getenv("SANITIZERS");
	uint64_t seconds = setting("MONKEY_SECONDS", tools && strstr(tools, "sanitize") ? 15 : 5);
	uint64_t seed = setting("MONKEY_SEED", (uint64_t)time(NULL));
	uint64_t most = setting("MONKEY_SESSIONS", UINT64_MAX);
	if (!mkdtemp(scratch))
		return 1;
	find_preys(scratch);
	totals = mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (totals == MAP_FAILED || chdir(scratch) != 0 || mkdir("files", 0700) != 0)
		return 1;
	setenv("XDG_CACHE_HOME", scratch, 1);
	snprintf(log, sizeof log, "%s/log", scratch);
	printf("seed %" PRIu64 ", %zu profiles, %" PRIu64 " s\n", seed, prey_count, seconds);
	time_t end = time(NULL) + (time_t)seconds;
	bool good = true;
	for (uint64_t i = 0; good && i < most && (i == 0 || time(NULL) < end); i++)
		good = session(seed + i, log);
	printf("%" PRIu64 " sessions, %" PRIu64 " keys and %" PRIu64 " commands, %.0f a session\n",
	       totals->sessions, totals->keys, totals->commands,
	       totals->sessions
		       ? (double)(totals->keys + totals->commands) / (double)totals->sessions
		       : 0.0);
	return good && chdir("/") == 0 && remove_folder(scratch) == 0 ? 0 : 1;
}
