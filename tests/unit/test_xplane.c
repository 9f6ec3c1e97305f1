/* XSpace protobufs: planes, lines, events, names after their use, damage. */
#include "proto_case.h"
#include "trace_case.h"

#include "base/mem.h"
#include "model/device_label.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void put_map(struct buffer *plane, uint32_t field, uint64_t id, const char *name)
{
	struct buffer entry = { 0 }, value = { 0 };
	proto_put_int(&value, 1, id);
	proto_put_text(&value, 2, name);
	proto_put_int(&entry, 1, id);
	proto_put(&entry, 2, &value);
	proto_put(plane, field, &entry);
	buffer_free(&entry);
	buffer_free(&value);
}

/* Statistic ids: 1 correlation_id, 2 kernel_details, 3 hlo_op, 4 memcpy_details, 5 a text. */
static void put_stat(struct buffer *event, uint64_t id, int64_t number, const char *text)
{
	struct buffer stat = { 0 };
	proto_put_int(&stat, 1, id);
	if (text)
		proto_put_text(&stat, 5, text);
	else
		proto_put_int(&stat, id == 3 ? 7 : 3, (uint64_t)number);
	proto_put(event, 4, &stat);
	buffer_free(&stat);
}

/* Times in ps; an offset below 0 makes an aggregate. */
static struct buffer event_of(uint64_t kind, int64_t offset, int64_t duration)
{
	struct buffer event = { 0 };
	proto_put_int(&event, 1, kind);
	proto_put_int(&event, offset < 0 ? 5 : 2, offset < 0 ? 9 : (uint64_t)offset);
	proto_put_int(&event, 3, (uint64_t)duration);
	return event;
}

static void put_line(struct buffer *plane, uint64_t id, const char *name, struct buffer *events,
		     size_t count)
{
	struct buffer line = { 0 };
	proto_put_int(&line, 1, id);
	proto_put_text(&line, 2, name);
	proto_put_int(&line, 3, 1000000);
	for (size_t i = 0; i < count; i++) {
		proto_put(&line, 4, &events[i]);
		buffer_free(&events[i]);
	}
	proto_put(plane, 3, &line);
	buffer_free(&line);
}

static void put_names(struct buffer *plane)
{
	static const char *const events[] = { "gemm_kernel",       "MemcpyH2D",    "cuLaunchKernel",
					      "$train.py:12 step", "PjitFunction", "7" };
	static const char *const stats[] = {
		"correlation_id", "kernel_details", "hlo_op", "memcpy_details",
		"dot.1",          "step_num",       "name"
	};
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		put_map(plane, 4, i + 1, events[i]);
	for (size_t i = 0; i < sizeof stats / sizeof *stats; i++)
		put_map(plane, 5, i + 1, stats[i]);
}

static void put_gpu(struct buffer *space)
{
	struct buffer plane = { 0 };
	struct buffer events[] = { event_of(1, 5000499, 2000501), event_of(2, 9000000, 1000000),
				   event_of(1, -1, 77) };
	put_stat(&events[0], 1, 40, NULL);
	put_stat(&events[0], 2, 0,
		 "regs:32 static_shared:64 dynamic_shared:16 grid:4,2,1 "
		 "block:128,1,1 occ_pct:50");
	put_stat(&events[0], 3, 5, NULL);
	put_stat(&events[1], 4, 0, "kind_src:host kind_dst:device size:4096 async:1");
	proto_put_text(&plane, 2, "/device:GPU:1");
	put_line(&plane, 3, "Stream #13(Compute,MemcpyH2D)", events, 1);
	put_line(&plane, 4, "Stream #14(MemcpyH2D)", events + 1, 2);
	struct buffer derived[] = { event_of(1, 0, 50) };
	put_line(&plane, 5, "XLA Ops", derived, 1);
	put_names(&plane);
	proto_put(space, 1, &plane);
	buffer_free(&plane);
}

static void put_tpu(struct buffer *space)
{
	struct buffer plane = { 0 };
	struct buffer work[] = { event_of(1, 0, 3000000) };
	struct buffer steps[] = { event_of(6, 0, 4000000), event_of(5, 5000000, 4000000) };
	proto_put_text(&plane, 2, "/device:TPU:1");
	put_line(&plane, 1, "XLA Ops", work, 1);
	put_line(&plane, 2, "Steps", steps, 2);
	put_names(&plane);
	proto_put(space, 1, &plane);
	buffer_free(&plane);
}

static struct buffer space(void)
{
	struct buffer out = { 0 }, plane = { 0 };
	struct buffer events[] = { event_of(3, 1000000, 1000000), event_of(4, 0, 20000000),
				   event_of(5, 500000, 4000000) };
	put_gpu(&out);
	put_tpu(&out);
	put_stat(&events[0], 1, 40, NULL);
	proto_put_text(&plane, 2, "/host:CPU");
	put_line(&plane, 77, "python", events, 3);
	put_names(&plane);
	proto_put(&out, 1, &plane);
	buffer_free(&plane);
	return out;
}

TEST(events_become_rows)
{
	struct buffer bytes = space();
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(bytes.data, bytes.length, &error);
	assert_non_null(profile);
	assert_int_equal(profile->activities, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct launch_config *config = profile_config(profile, i);
		if (!config)
			continue;
		assert_string_equal(profile_string(profile, profile->activity_name[i]),
				    "gemm_kernel");
		assert_int_equal(profile->activity_dur[i], 2001);
		assert_int_equal(config->grid[1], 2);
		assert_int_equal(config->regs_per_thread, 32);
		assert_int_equal(config->shared_mem_bytes, 80);
		assert_int_equal(profile->tracks[profile->activity_track[i]].tid, 13);
		assert_int_equal(profile->activity_launch[i],
				 span_named(profile, "cuLaunchKernel"));
	}
	uint32_t copy = activity_named(profile, "Memcpy HtoD");
	assert_int_equal(profile->activity_kind[copy], ACTIVITY_MEMCPY);
	assert_int_equal(profile->activity_bytes[copy], 4096);
	assert_int_equal(profile->span_kind[span_named(profile, "train.py(12): step")],
			 SPAN_PYTHON);
	assert_string_equal(profile_metadata(profile, "events without a place in time, not loaded"),
			    "1");
	profile_free(profile);
	buffer_free(&bytes);
}

TEST(a_tpu_has_work_and_steps)
{
	struct buffer bytes = space();
	struct run *run = trace_run_bytes(bytes.data, bytes.length);
	struct table *table = trace_view(run, "launches", NULL, NULL);
	size_t tpu = 0;
	for (size_t row = 0; row < table->rows; row++)
		tpu += !strcmp(table_cell(table, row, "device").text, "TPU1");
	assert_int_equal(tpu, 1);
	table_free(table);
	table = trace_view(run, "steps", NULL, NULL);
	assert_int_equal(table->rows, 2);
	assert_int_equal(table_number(table, 0, "step"), 7);
	table_free(table);
	table = trace_view(run, "spans", NULL, NULL);
	assert_int_equal(table->rows, 3); /* steps of a device are no events of the host */
	table_free(table);
	table = trace_view(run, "streams", NULL, NULL);
	for (size_t row = 0; row < table->rows; row++) /* nor its work */
		assert_string_not_equal(table_cell(table, row, "track").text, "TPU1 Steps");
	table_free(table);
	run_free(run);
	buffer_free(&bytes);
}

/* Statistics of a device, a number each; its clock is in kHz. */
TEST(a_device_has_its_clock_and_sizes)
{
	static const char *const names[] = { "clock_rate", "core_count", "memory_size",
					     "memory_bandwidth" };
	static const uint64_t numbers[] = { 1410000, 108, 42000000000, 1555000000000 };
	struct buffer out = { 0 }, plane = { 0 };
	struct buffer events[] = { event_of(1, 0, 5000000) };
	proto_put_text(&plane, 2, "/device:GPU:0");
	put_line(&plane, 3, "Stream #13(Compute)", events, 1);
	put_map(&plane, 4, 1, "gemm_kernel");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buffer stat = { 0 };
		put_map(&plane, 5, i + 1, names[i]);
		proto_put_int(&stat, 1, i + 1);
		proto_put_int(&stat, 3, numbers[i]);
		proto_put(&plane, 6, &stat);
		buffer_free(&stat);
	}
	proto_put(&out, 1, &plane);
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(out.data, out.length, &error);
	assert_non_null(profile);
	assert_int_equal(profile->devices[0].clock_hz, INT64_C(1410000000));
	assert_int_equal(profile->devices[0].sm_count, 108);
	assert_int_equal(profile->devices[0].memory_bytes, INT64_C(42000000000));
	assert_int_equal(profile->devices[0].memory_bandwidth, INT64_C(1555000000000));
	profile_free(profile);
	buffer_free(&plane);
	buffer_free(&out);
}

/* Planes that are neither of a device nor of the host, also with numbers that no device has. */
TEST(events_of_other_planes_are_not_read)
{
	static const char *const names[] = {
		"/host:CPU",
		"/host:metadata",
		"Task Environment",
		"/device:GPU:0",
		"/device:GPU:x",
		"/device:GPU:",
		"/device:GPU:0 more",
		"/device:CUSTOM:0",
		"/device:GPU:9999999999",
		"#Chip TPU:0#",
		"",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buffer bytes = space(), plane = { 0 };
		struct buffer events[] = { event_of(4, 0, 20000000) };
		struct error error = { 0 };
		struct profile *before = trace_open_bytes(bytes.data, bytes.length, &error);
		proto_put_text(&plane, 2, names[i]);
		put_line(&plane, 9, "Stream #13(Compute)", events, 1);
		put_names(&plane);
		proto_put(&bytes, 1, &plane);
		struct profile *after = trace_open_bytes(bytes.data, bytes.length, &error);
		assert_non_null(before);
		assert_non_null(after);
		bool read = before->spans + before->activities != after->spans + after->activities;
		if (read != (i == 0 || i == 3))
			fail_msg("%s", names[i]);
		profile_free(before);
		profile_free(after);
		buffer_free(&bytes);
	}
}

/* The same number in each of its forms; a real one is known while it is exact. */
TEST(a_number_is_written_as_any_kind)
{
	enum { REAL = 2, UNSIGNED = 3, SIGNED = 4 };
	static const struct {
		int form;
		double number;
		bool known;
	} cases[] = {
		{ REAL, 4096, true },       { UNSIGNED, 4096, true }, { SIGNED, 4096, true },
		{ REAL, 8e15, true },       { REAL, 1e16, false },    { REAL, -1e16, false },
		{ REAL, 1e300, false },     { REAL, -1e300, false },  { REAL, INFINITY, false },
		{ REAL, -INFINITY, false }, { UNSIGNED, 1e16, true }, { REAL, (double)NAN, false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buffer out = { 0 }, host = { 0 }, device = { 0 };
		struct buffer events[] = { event_of(3, 1000000, 1000000),
					   event_of(1, 5000000, 1000) };
		for (int e = 0; e < 2; e++) {
			struct buffer stat = { 0 };
			proto_put_int(&stat, 1, 1);
			if (cases[i].form == REAL)
				proto_put_real(&stat, REAL, cases[i].number);
			else
				proto_put_int(&stat, (uint32_t)cases[i].form,
					      (uint64_t)cases[i].number);
			proto_put(&events[e], 4, &stat);
		}
		proto_put_text(&device, 2, "/device:GPU:0");
		put_line(&device, 3, "Stream #13(Compute)", events + 1, 1);
		put_names(&device);
		proto_put(&out, 1, &device);
		proto_put_text(&host, 2, "/host:CPU");
		put_line(&host, 77, "python", events, 1);
		put_names(&host);
		proto_put(&out, 1, &host);
		struct error error = { 0 };
		struct profile *profile = trace_open_bytes(out.data, out.length, &error);
		assert_non_null(profile);
		assert_int_equal(profile->activities, 1);
		if ((profile->activity_launch[0] != NO_ROW) != cases[i].known)
			fail_msg("form %d of %g", cases[i].form, cases[i].number);
		profile_free(profile);
		buffer_free(&out);
	}
}

/* What holds other operations is no work; a name that begins with the same word is. */
TEST(control_of_a_tpu_is_no_work)
{
	static const char *const names[] = { "while.1",     "while_fusion", "call",
					     "call_target", "callback.2",   "conditional.7" };
	enum { NAMES = sizeof names / sizeof *names };
	struct buffer out = { 0 }, plane = { 0 }, events[NAMES];
	proto_put_text(&plane, 2, "/device:TPU:0");
	for (int i = 0; i < NAMES; i++) {
		put_map(&plane, 4, (uint64_t)i + 1, names[i]);
		events[i] = event_of((uint64_t)i + 1, i * 3000000L, 2000000);
	}
	put_line(&plane, 1, "XLA Ops", events, NAMES);
	proto_put(&out, 1, &plane);
	struct run *run = trace_run_bytes(out.data, out.length);
	assert_rows(run, "kernels", NULL, NULL, "name,calls",
		    "while_fusion,1\ncall_target,1\ncallback.2,1\n");
	run_free(run);
	buffer_free(&plane);
	buffer_free(&out);
}

/* jax.profiler.StepTraceAnnotation: an annotation with the number of a step. */
TEST(annotated_steps)
{
	struct buffer out = { 0 }, plane = { 0 };
	struct buffer events[] = { event_of(5, 0, 9000000), event_of(5, 10000000, 9000000),
				   event_of(3, 1000000, 1000000) };
	put_stat(&events[0], 6, 41, NULL);
	put_stat(&events[1], 6, 42, NULL);
	put_gpu(&out);
	proto_put_text(&plane, 2, "/host:CPU");
	put_line(&plane, 77, "python", events, 3);
	put_names(&plane);
	proto_put(&out, 1, &plane);
	struct run *run = trace_run_bytes(out.data, out.length);
	assert_rows(run, "steps", NULL, NULL, "step,dur_ns", "41,9000\n42,9000\n");
	struct table *table = trace_view(run, "spans", NULL, NULL);
	size_t named = 0;
	for (size_t row = 0; row < table->rows; row++)
		named += !strcmp(table_cell(table, row, "name").text, "PjitFunction");
	assert_int_equal(named, 2);
	table_free(table);
	run_free(run);
	buffer_free(&plane);
	buffer_free(&out);
}

static void put_steps(struct buffer *space, const char *name, struct buffer *steps, size_t count)
{
	struct buffer plane = { 0 };
	proto_put_text(&plane, 2, name);
	put_line(&plane, 2, "Steps", steps, count);
	put_names(&plane);
	proto_put(space, 1, &plane);
	buffer_free(&plane);
}

/* A step lasts from its start on the first device to its end on the last one. */
TEST(a_step_is_of_all_devices)
{
	struct buffer out = { 0 };
	struct buffer first[] = { event_of(6, 1000000, 2000000), event_of(5, 4000000, 1000000) };
	struct buffer second[] = { event_of(6, 3000000, 4000000), event_of(6, 9000000, 1000000) };
	struct buffer third[] = { event_of(5, 20000000, 1000000) };
	put_stat(&third[0], 6, 8, NULL);
	put_gpu(&out);
	put_steps(&out, "/device:GPU:0", first, 2);
	put_steps(&out, "/device:GPU:1", second, 2); /* of a number twice, and not of all */
	put_steps(&out, "/device:GPU:2", third, 1);
	struct run *run = trace_run_bytes(out.data, out.length);
	assert_rows(run, "steps", NULL, NULL, "step,dur_ns", "7,6000\n1,1000\n8,1000\n");
	run_free(run);
	buffer_free(&out);
}

/* Steps that the device recorded stay, however little of its work they hold. */
TEST(steps_of_a_device_are_believed)
{
	struct buffer out = { 0 };
	struct buffer steps[] = { event_of(6, 20000000, 2000000) };
	put_gpu(&out);
	put_steps(&out, "/device:GPU:1", steps, 1);
	struct run *run = trace_run_bytes(out.data, out.length);
	assert_rows(run, "steps", NULL, NULL, "step,dur_ns", "7,2000\n");
	run_free(run);
	buffer_free(&out);
}

/* Functions around an operation are its layers, of kernels with and without a call. */
TEST(scopes_are_layers)
{
	struct buffer out = { 0 }, plane = { 0 };
	struct buffer events[] = { event_of(1, 1000, 5000000), event_of(1, 9000000, 2000000),
				   event_of(1, 19000000, 1000000) };
	put_stat(&events[0], 7, 0, "jit(f)/jit(main)/jvp(a/b)/dot");
	put_stat(&events[1], 7, 0, "jit(f)/jit(main)/transpose(jvp(a))/dot");
	proto_put_text(&plane, 2, "/device:GPU:0");
	put_line(&plane, 3, "Stream #13(Compute)", events, 3);
	put_names(&plane);
	proto_put(&out, 1, &plane);
	struct run *run = trace_run_bytes(out.data, out.length);
	assert_rows(run, "layers", NULL, NULL, "path,kind,pass,calls,gpu_total_ns",
		    "run,run,both,1,8000\n"
		    "jit(f),annotation,both,,7000\n"
		    "jit(f)/jit(main),annotation,both,,7000\n"
		    "jit(f)/jit(main)/jvp(a/b),annotation,fwd,,5000\n"
		    "jit(f)/jit(main)/jvp(a/b)/dot,operator,fwd,,5000\n"
		    "jit(f)/jit(main)/jvp(a/b)/dot/gemm_kernel,kernel,fwd,1,5000\n"
		    "jit(f)/jit(main)/transpose(jvp(a)),annotation,bwd,,2000\n"
		    "jit(f)/jit(main)/transpose(jvp(a))/dot,operator,bwd,,2000\n"
		    "jit(f)/jit(main)/transpose(jvp(a))/dot/gemm_kernel,kernel,bwd,1,2000\n"
		    "(not launched in this profile),unlinked,,,1000\n"
		    "(not launched in this profile)/gemm_kernel,kernel,,1,1000\n");
	assert_rows(run, "launches", NULL, NULL, "pass,dur_ns", "fwd,5000\nbwd,2000\n,1000\n");
	/* the last of them is the operator of what runs */
	struct buffer detail = { 0 };
	view_detail(run, &(struct scope){ 0 }, (struct ref){ REF_LAUNCH, 0, 0, 0 }, &detail);
	assert_non_null(strstr(buffer_text(&detail), "Operator\tdot\n"));
	buffer_clear(&detail);
	view_detail(run, &(struct scope){ 0 }, (struct ref){ REF_LAUNCH, 2, 0, 0 }, &detail);
	assert_null(strstr(buffer_text(&detail), "Operator"));
	buffer_free(&detail);
	run_free(run);
	buffer_free(&plane);
	buffer_free(&out);
}

TEST(labels_of_devices)
{
	char label[DEVICE_LABEL_MAX];
	assert_string_equal(device_label(label, -1), "CPU");
	assert_string_equal(device_label(label, 1000), "GPU1000");
	assert_string_equal(device_label(label, device_of_kind(DEVICE_TPU, 3)), "TPU3");
	assert_string_equal(device_label(label, device_of_kind(DEVICE_NPU, 0)), "NPU0");
	assert_string_equal(device_label(label, INT32_MAX), "GPU2147483647");
}

/* As the profiler of TensorFlow and JAX says it. */
TEST(lost_events_are_counted)
{
	struct buffer bytes = space();
	proto_put_text(
		&bytes, 3,
		"Detected GPU events dropped on h: Profiler has collected 5 driver events and "
		"7 device events. 12 events dropped because a; 3 events dropped because b.");
	proto_put_text(&bytes, 2, "no events dropped");
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(bytes.data, bytes.length, &error);
	assert_non_null(profile);
	assert_int_equal(damage_count(profile, "events lost by the profiler"), 15);
	profile_free(profile);
	buffer_free(&bytes);
}

TEST(cut_and_damaged_spaces)
{
	struct buffer bytes = space();
	assert_survives_damage(&bytes, 20);
	buffer_free(&bytes);
}

/* A file that was decoded and encoded as text cannot be read, and says why. */
TEST(a_file_changed_to_text_is_refused)
{
	static const char bytes[] = "\x0a\xef\xbf\xbd\x02\x12\x09/host:CPU\x1a\xef\xbf\xbd";
	struct error error = { 0 };
	assert_null(trace_open_bytes(bytes, sizeof bytes - 1, &error));
	assert_non_null(strstr(error.message, "binary"));
}

static void write_host(const char *path, const char *host)
{
	struct buffer bytes = space();
	proto_put_text(&bytes, 4, host);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes.data, 1, bytes.length, file), bytes.length);
	fclose(file);
	buffer_free(&bytes);
}

/* PLUGINS/RUN/HOST.xplane.pb: the files of one folder are hosts of one run. */
TEST(files_of_several_hosts_are_one_run)
{
	static const char *const second[] = { "b", "a" }; /* another host, the same */
	for (size_t i = 0; i < 2; i++) {
		char folder[] = "hosts-XXXXXX", first_path[32], second_path[32];
		struct error error = { 0 };
		assert_non_null(mkdtemp(folder));
		snprintf(first_path, sizeof first_path, "%s/x.xplane.pb", folder);
		snprintf(second_path, sizeof second_path, "%s/y.xplane.pb", folder);
		write_host(first_path, "a");
		write_host(second_path, second[i]);
		const char *paths[] = { folder };
		struct run *run = run_open(paths, 1, NULL, NULL, &error);
		assert_non_null(run);
		assert_int_equal(run->runs, i ? 2 : 1);
		assert_int_equal(run->rank_count, i ? 1 : 2);
		if (!i)
			assert_rows(run, "ranks", NULL, NULL, "rank,host", "0,a\n1,b\n");
		run_free(run);
		unlink(first_path);
		unlink(second_path);
		rmdir(folder);
	}
}
