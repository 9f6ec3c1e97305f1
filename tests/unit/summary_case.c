#include "summary_case.h"

#include "analysis/advice/summary_findings.h"
#include "analysis/packed_ranks.h"
#include "analysis/rank_summary.h"
#include "analysis/histogram.h"
#include "base/crc64.h"
#include "base/intern.h"
#include "base/mem.h"
#include "input/summary_file/summary_file.h"
#include "model/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t draw(uint64_t *state, int64_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (int64_t)((*state >> 33) % (uint64_t)limit);
}

static void make_slices(struct rank_summary *summary, uint64_t *state)
{
	if (summary->end - summary->start < RANK_SLICES)
		return;
	summary->slice_count = RANK_SLICES;
	summary->slices = mem_zalloc(RANK_SLICES, sizeof *summary->slices);
	for (size_t i = 0; i < RANK_SLICES; i++) {
		uint16_t busy = (uint16_t)draw(state, RANK_SLICE_WHOLE + 1);
		summary->slices[i] =
			(struct rank_slice){ busy / 2, busy - busy / 2, (uint16_t)0, busy };
	}
}

static struct rank_summary *make_rank(const struct summary_case *how, uint64_t *state)
{
	struct rank_summary *summary = mem_zalloc(1, sizeof *summary);
	summary->strings = intern_new();
	summary->host = intern_add(summary->strings, "node", 4);
	summary->pid = 1000 + how->rank;
	summary->world_size = how->world;
	summary->device_count = 1;
	summary->devices = mem_zalloc(1, sizeof *summary->devices);
	summary->devices->name = intern_add(summary->strings, "GPU", 3);
	summary->start = 1000000000;
	summary->end = summary->start + (int64_t)how->steps * 10000000;
	summary->step_count = how->steps;
	summary->steps = mem_zalloc(how->steps, sizeof *summary->steps);
	for (size_t i = 0; i < how->steps; i++) {
		int64_t busy = 4000000 + draw(state, 1000000), idle = 3000000 + draw(state, 500000);
		summary->steps[i] = (struct step_summary){ .number = (int64_t)i,
							   .dur = busy + 2000000 + idle,
							   .computation = busy,
							   .communication = 2000000,
							   .other = idle,
							   .idle = idle };
	}
	summary->collective_count = how->collectives;
	summary->collectives = mem_zalloc(how->collectives, sizeof *summary->collectives);
	uint32_t name = intern_add(summary->strings, "nccl:all_reduce", 15);
	for (size_t i = 0; i < how->collectives; i++) {
		int64_t start = summary->start + (int64_t)i * 1000000 + draw(state, 100000);
		summary->collectives[i] = (struct collective){
			.name = name,
			.sequence = (int64_t)i,
			.bytes = 4096,
			.group_size = how->world,
			.step = (int64_t)(how->steps ? i % how->steps : 0),
			.start = start,
			.end = summary->start + (int64_t)i * 1000000 + 200000,
		};
	}
	make_slices(summary, state);
	return summary;
}

/* Two findings, the second on every third rank, and one of the run, which no rank has. */
static void pack_findings(int64_t rank, struct intern *texts, struct buffer *out)
{
	struct summary_finding finding = {
		"launch_bound",     "high",          "Launch-bound", "20 % of the time",
		"Use CUDA graphs.", 1000 + rank % 7, 10000,          10
	};
	summary_finding_pack(&finding, texts, out);
	finding.detector = "comm_imbalance";
	finding.evidence = "of the whole run";
	summary_finding_pack(&finding, texts, out);
	finding.detector = "dataloader";
	finding.evidence = "20 % of the time";
	finding.gain_pct = NAN;
	if (rank % 3 == 0)
		summary_finding_pack(&finding, texts, out);
}

static void pack_histograms(struct intern *texts, struct buffer *out, uint64_t *state)
{
	struct histograms histograms;
	histograms_init(&histograms);
	for (int i = 0; i < 200; i++) {
		char name[32];
		int length = snprintf(name, sizeof name, "kernel_%d", (int)draw(state, 20));
		histograms_count(&histograms, HISTOGRAM_KERNELS, name, (size_t)length,
				 draw(state, 1000000));
	}
	histograms_pack(&histograms, texts, out);
	histograms_clear(&histograms);
}

static void make_block(struct buffer *block, const struct summary_case *how)
{
	struct buffer content[SUMMARY_FILE_SECTIONS] = { 0 };
	struct intern *texts = intern_new();
	struct profile *profile = profile_new("made-up.json");
	uint64_t state = how->seed;
	struct rank_summary *summary = make_rank(how, &state);
	profile->format = "made-up trace";
	profile->rank = how->rank;
	profile->world_size = how->world;
	summary_file_pack_profile(
		profile, (struct summary_file_trace){ .path = "/made-up.json", .made = "test" },
		texts, &content[SUMMARY_FILE_PROFILE]);
	rank_summary_pack(summary, texts, &content[SUMMARY_FILE_RANK]);
	packed_add(&content[SUMMARY_FILE_TABLES], 0);
	pack_histograms(texts, &content[SUMMARY_FILE_HISTOGRAMS], &state);
	pack_findings(how->rank, texts, &content[SUMMARY_FILE_FINDINGS]);
	packed_add_texts(&content[SUMMARY_FILE_TEXTS], texts);
	for (int section = 0; section < SUMMARY_FILE_SECTIONS; section++) {
		summary_file_add_section(block, (enum summary_file_section)section,
					 &content[section]);
		buffer_free(&content[section]);
	}
	rank_summary_free(summary);
	profile_free(profile);
	intern_free(texts);
}

void summary_case_make(struct buffer *bytes, const struct summary_case *how)
{
	struct buffer block = { 0 };
	make_block(&block, how);
	uint64_t checksum = crc64(0, block.data, block.length);
	struct summary_file_part part = { how->rank, how->world, block.length, checksum, checksum };
	buffer_clear(bytes);
	summary_file_add_head(bytes, &part, 1);
	buffer_add(bytes, block.data, block.length);
	buffer_free(&block);
}
