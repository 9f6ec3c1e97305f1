/*
 * Processes, tracks and launch configs have one row each, however many are asked for by turns.
 */
#include "test.h"

#include "base/intern.h"
#include "model/builder.h"

#include <math.h>
#include <string.h>

enum { PROCESSES = 5, THREADS = 150, ROUNDS = 3 };

TEST(one_row_for_each_track)
{
	struct profile *profile = profile_new("");
	struct builder *builder = builder_new(profile);
	uint32_t label = intern_add(profile->strings, "label", 5);
	for (uint32_t i = 0; i < ROUNDS * PROCESSES * THREADS * 4; i++) {
		uint32_t at = i % (PROCESSES * THREADS * 4), pid = at % PROCESSES;
		int64_t tid = at / PROCESSES % THREADS;
		uint32_t kind =
			at / (PROCESSES * THREADS); /* labelled or not, of a device or not */
		uint32_t process = builder_process(builder, pid * 64, 0);
		uint32_t track = builder_track(builder, process, tid, kind & 1 ? label : 0,
					       kind & 2 ? 1 : -1);
		assert_int_equal(process, pid);
		assert_int_equal(track, at);
		assert_int_equal(profile->processes[process].pid, pid * 64);
		assert_int_equal(profile->tracks[track].process, process);
		assert_int_equal(profile->tracks[track].tid, tid);
		assert_int_equal(profile->tracks[track].label, kind & 1 ? label : 0);
		assert_int_equal(profile->tracks[track].device, kind & 2 ? 1 : -1);
	}
	assert_int_equal(profile->process_count, PROCESSES);
	assert_int_equal(profile->track_count, PROCESSES * THREADS * 4);
	builder_free(builder);
	profile_free(profile);
}

/* A labelled process is another than the one of the same pid. */
TEST(labelled_processes)
{
	struct profile *profile = profile_new("");
	struct builder *builder = builder_new(profile);
	uint32_t label = intern_add(profile->strings, "[TP00] 83", 9);
	for (int i = 0; i < ROUNDS; i++) {
		assert_int_equal(builder_process(builder, 83, label), 0);
		assert_int_equal(builder_process(builder, 83, 0), 1);
		assert_int_equal(builder_process(builder, 83, 0), 1);
	}
	builder_free(builder);
	profile_free(profile);
}

/* Each request for a device beyond the limit counts as damage, also the same one again. */
TEST(devices_beyond_the_limit)
{
	enum { LIMIT = 1024, MORE = 3 };
	struct profile *profile = profile_new("");
	struct builder *builder = builder_new(profile);
	uint32_t process = builder_process(builder, 1, 0);
	for (int i = 0; i < ROUNDS; i++)
		for (int32_t device = 0; device < LIMIT + MORE; device++)
			assert_int_equal(builder_track(builder, process, 0, 0, device),
					 device < LIMIT ? device : LIMIT - 1);
	assert_int_equal(profile->damage_count, 1);
	assert_int_equal(profile->damages[0].count, ROUNDS * MORE);
	builder_free(builder);
	profile_free(profile);
}

static void make_config(struct launch_config *config, int32_t grid, int32_t block)
{
	memset(config, 0, sizeof *config); /* compared as bytes */
	for (int i = 0; i < 3; i++) {
		config->grid[i] = grid;
		config->block[i] = block;
	}
	config->blocks_per_sm = config->warps_per_sm = config->occupancy_pct = NAN;
}

TEST(one_row_for_each_config)
{
	enum { CONFIGS = 500 };
	struct profile *profile = profile_new("");
	struct builder *builder = builder_new(profile);
	struct launch_config config;
	make_config(&config, 1, 1);
	for (int i = 0; i < ROUNDS * CONFIGS; i++) {
		config.grid[0] = 1 + i % CONFIGS / 2;
		config.block[0] = 1 + i % 2;
		assert_int_equal(builder_config(builder, &config), i % CONFIGS);
	}
	assert_int_equal(profile->config_count, CONFIGS);
	builder_free(builder);
	profile_free(profile);
}

/* A grid or block of size 0 in one dimension is unknown in all, and the other one stays. */
TEST(empty_sizes_are_unknown)
{
	for (int which = 0; which < 6; which++) {
		struct profile *profile = profile_new("");
		struct builder *builder = builder_new(profile);
		struct launch_config config;
		make_config(&config, 7, 32);
		*(which < 3 ? &config.grid[which] : &config.block[which - 3]) = 0;
		for (int i = 0; i < ROUNDS; i++)
			assert_int_equal(builder_config(builder, &config), 0);
		assert_int_equal(profile->config_count, 1);
		assert_int_equal(profile->damage_count, 0);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(profile->configs[0].grid[i], which < 3 ? -1 : 7);
			assert_int_equal(profile->configs[0].block[i], which < 3 ? 32 : -1);
		}
		builder_free(builder);
		profile_free(profile);
	}
}
