/*
 * Questions of somebody who opens a profile for the first time, each answered by at most three keys
 * in a terminal: why is this gap, what runs between A and B, which line allocated this, who calls
 * this, what changed against the base. On the sample run and profiles of other people; the answers
 * are those of the views.
 */
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TALL = 45, BROAD = 160, NARROW_ROWS = 24, NARROW = 80, KEYS_MAX = 3, TEXT_MAX = 512 };

/* A path of the corpus, or "--demo"; NULL: it is not here. */
static const char *profile(const char *name)
{
	return strcmp(name, "--demo") != 0 ? corpus_path(name) : name;
}

static struct pty *open_profile(const char *path, const char *base, int rows, int columns)
{
	struct pty *pty =
		base ? run_strata(utf8, rows, columns, "--base", base, path, "--no-state", NULL)
		     : run_strata(utf8, rows, columns, path, "--no-state", NULL);
	expect_text(pty, "[1 Overview]");
	expect_text(pty, "? Help");
	return pty;
}

/* Press KEYS, at most three, and await TEXT; the screen. */
static const char *answer(struct pty *pty, const char *keys, const char *text)
{
	size_t count = strlen(keys);
	assert_in_range(count, 1, KEYS_MAX);
	for (size_t i = 0; i < count; i++) {
		char key[] = { keys[i], 0 };
		pty_send(pty, key);
		pty_settle(pty);
	}
	expect_text(pty, text);
	pty_settle(pty);
	return pty_text(pty);
}

static void leave(struct pty *pty)
{
	pty_send(pty, "Q");
	expect_exit(pty, 0);
}

/* Line 2 of what strata prints, up to a tab; the caller frees. */
static char *ask(const char *format, const char *path)
{
	char command[2 * TEXT_MAX];
	snprintf(command, sizeof command, format, path);
	char *text = output_of(command), *from = strchr(text, '\n');
	assert_non_null(from);
	memmove(text, from + 1, strlen(from));
	text[strcspn(text, "\t\r\n")] = '\0';
	assert_true(*text);
	return text;
}

/* What follows LABEL on the screen, up to a comma or two blanks. */
static const char *entry(const char *screen, const char *label)
{
	static char text[TEXT_MAX];
	const char *at = strstr(screen, label);
	if (!at)
		fail_msg("no %s on the screen:\n%s", label, screen);
	at += strlen(label);
	size_t length = 0;
	while (at[length] && !strchr(",\n", at[length]) && strncmp(at + length, "  ", 2) != 0)
		length++;
	snprintf(text, sizeof text, "%.*s", (int)length, at);
	return text;
}

/* Names are shown without types and namespaces, and elided. */
static void expect_part(const char *shown, const char *name)
{
	enum { KEPT = 6 };
	char start[KEPT + 1];
	snprintf(start, sizeof start, "%s", shown);
	if (!strstr(name, start))
		fail_msg("%s is not %s", shown, name);
}

static const char *const on_devices[] = {
	"--demo", "nsys/gxxxh__ml_predict/resnet.sqlite", "xplane/jax_conv_mi300_legacy.xplane.pb",
	"rpd/mytrace.rpd", "kineto/hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz"
};

/* The time of the gap is one of the view, its cause that of the view. */
EXPECTATION(why_this_gap)
{
	for (size_t i = 0; i < sizeof on_devices / sizeof *on_devices; i++) {
		const char *path = profile(on_devices[i]);
		if (!path)
			continue;
		char command[2 * TEXT_MAX], row[TEXT_MAX], cause[TEXT_MAX];
		struct pty *pty = open_profile(path, NULL, TALL, BROAD);
		const char *screen = answer(pty, "5}", "lane idle ");
		snprintf(
			command, sizeof command,
			"./strata report gaps -q -n 100000 -c dur_ns,cause '%s' | sed 's/^ *//; s/  */ /g'",
			path);
		snprintf(row, sizeof row, "\n%s ", entry(screen, " Idle "));
		snprintf(cause, sizeof cause, "%s", entry(screen, "Cause "));
		char *gaps = output_of(command), *at = strstr(gaps, row);
		assert_non_null(at);
		at += strlen(row);
		at[strcspn(at, "\n")] = '\0';
		const char *said = strcmp(at, "host") == 0 ? "CPU work" : at;
		if (!strstr(screen, said))
			fail_msg("%s: the cause is %s, not %s", path, said, cause);
		free(gaps);
		leave(pty);
	}
}

static void expect_work(int rows, int columns)
{
	for (size_t i = 0; i < sizeof on_devices / sizeof *on_devices; i++) {
		const char *path = profile(on_devices[i]);
		if (!path)
			continue;
		char *name = ask("./strata query -q -f tsv \"SELECT name FROM launches "
				 "WHERE kind <> 'sync' "
				 "GROUP BY name ORDER BY sum(dur_ns) DESC LIMIT 1\" '%s'",
				 path);
		struct pty *pty = open_profile(path, NULL, rows, columns);
		const char *screen = answer(pty, "5 G", "Top GPU Work");
		expect_part(entry(screen, "Top GPU Work "), name);
		assert_non_null(strstr(screen, "GPU Busy "));
		leave(pty);
		free(name);
	}
}

/* The range goes from the first event of a lane to its last, the work is that of the whole run. */
EXPECTATION(what_runs_between_a_and_b)
{
	expect_work(TALL, BROAD);
}

EXPECTATION(what_runs_between_a_and_b_on_a_small_screen)
{
	expect_work(NARROW_ROWS, NARROW);
}

/* Without a device it is what the CPU does; a gap says what runs meanwhile. */
EXPECTATION(what_the_cpu_does)
{
	static const char *const names[] = {
		"kineto/torch113/convnet_train/convnet_adam_all.pt.trace.json.gz",
		"kineto/hta/cpu_only/"
		"rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz"
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *path = corpus_path(names[i]);
		if (!path)
			continue;
		struct pty *pty = open_profile(path, NULL, TALL, BROAD);
		char *name = ask("./strata query -q -f tsv 'SELECT name FROM operators "
				 "ORDER BY cpu_self_ns DESC LIMIT 1' '%s'",
				 path);
		expect_part(entry(answer(pty, "5 G", "Top CPU Time"), "Top CPU Time "), name);
		leave(pty);
		pty = open_profile(path, NULL, TALL, BROAD);
		answer(pty, "5}", "lane idle ");
		expect_text(pty, i ? "Meanwhile nothing was recorded. Record with"
				   : "Meanwhile gen_torch.py(65): train_step");
		leave(pty);
		free(name);
	}
}

/* Of a snapshot the line that holds most; of a trace the line of the operator that allocated most.
 */
EXPECTATION(which_line_allocated_this)
{
	const char *path = corpus_path("memory_snapshot/train_step_1024_torch2.x_proto4.pickle");
	if (path) {
		char *name = ask("./strata query -q -f tsv 'SELECT name FROM memory "
				 "ORDER BY peak_bytes DESC LIMIT 1' '%s'",
				 path);
		const char *line = strrchr(name, '/') + 1;
		struct pty *pty = open_profile(path, NULL, TALL, BROAD);
		answer(pty, "6", line);
		expect_selected(pty, line);
		char *bytes = ask(
			"./strata query -q -f tsv \"SELECT round(max(size_bytes) / 1048576.0, 2) || '.00 MiB' "
			"FROM memory_events GROUP BY owner HAVING owner LIKE '%%nn_utils.py:6 %%'\" '%s'",
			path);
		press(pty, "\r", "[Memory Events]");
		expect_text(pty, " 1/48");
		expect_selected(pty, line);
		expect_selected(pty, strtok(bytes, "."));
		leave(pty);
		free(name);
		free(bytes);
	}
	struct pty *pty = open_profile("--demo", NULL, TALL, BROAD);
	answer(pty, "6\r", "[Calls]");
	expect_text(pty, "Line resnet.py(284): forward");
	expect_text(pty, "Caller aten::_batch_norm_impl_index");
	leave(pty);
}

/* Of functions the caller with most time; of operators the operator around. */
EXPECTATION(who_calls_this)
{
	static const char *const names[] = {
		"python/py_cprofile/Redhatt__TF-NeRF-IMPL__profile.prof",
		"python/py_cprofile/"
		"AugustEhl__MLOps_Amazon_review_project__train.prof"
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *path = corpus_path(names[i]);
		if (!path)
			continue;
		char *caller = ask(
			"./strata query -q -f tsv \"SELECT caller FROM python WHERE group_by = 'caller' "
			"AND function = (SELECT function FROM python ORDER BY self_ns DESC LIMIT 1) "
			"ORDER BY self_ns DESC LIMIT 1\" '%s'",
			path);
		struct pty *pty = open_profile(path, NULL, TALL, BROAD);
		answer(pty, "2\r", "run > <");
		expect_selected(pty, strrchr(caller, '(') ? strrchr(caller, '(') + 1 : caller);
		leave(pty);
		free(caller);
	}
	char *caller = ask(
		"./strata query -q -f tsv 'SELECT caller FROM calls WHERE name = (SELECT name FROM operators "
		"ORDER BY gpu_self_ns DESC LIMIT 1) ORDER BY start_ns LIMIT 1' %s",
		"--demo");
	struct pty *pty = open_profile("--demo", NULL, TALL, BROAD);
	expect_part(entry(answer(pty, "3\r", "Caller "), "Caller "), caller);
	leave(pty);
	free(caller);
}

/* The row that is first in the comparison. */
EXPECTATION(what_changed_against_the_base)
{
	static const struct {
		const char *base, *path;
	} pairs[] = {
		{ "kineto/torch113/convnet_train/convnet_adam_plain.pt.trace.json.gz",
		  "kineto/torch113/convnet_train/convnet_adam_all.pt.trace.json.gz" },
		{ "nsys/GindaChen__nsys-ai/mfu_2gpu_before.sqlite",
		  "nsys/GindaChen__nsys-ai/mfu_2gpu_after.sqlite" },
		{ "memory_snapshot/softmax_peak_small.pickle",
		  "memory_snapshot/train_step_1024_torch2.x_proto4.pickle" },
		{ "python/py_cprofile/Redhatt__TF-NeRF-IMPL__profile.prof",
		  "python/py_cprofile/AugustEhl__MLOps_Amazon_review_project__train.prof" },
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const char *base = corpus_path(pairs[i].base), *path = corpus_path(pairs[i].path);
		char format[TEXT_MAX];
		if (!base || !path)
			continue;
		snprintf(format, sizeof format,
			 "./strata diff '%s' '%%s' -q -n 1 -f tsv -c verdict,name", base);
		char *verdict = ask(format, path);
		struct pty *pty = open_profile(path, base, TALL, BROAD);
		expect_text(pty, "Changed ");
		answer(pty, "d", "[Diff]");
		expect_text(pty, " 1/");
		expect_selected(pty, verdict);
		leave(pty);
		free(verdict);
	}
}
