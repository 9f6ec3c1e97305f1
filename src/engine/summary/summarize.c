#include "summary/summarize.h"

#include "analysis/packed_ranks.h"
#include "analysis/histogram.h"
#include "analysis/rank_summary.h"
#include "base/buffer.h"
#include "base/crc64.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/replace.h"
#include "base/text.h"
#include "input/summary_file/summary_file.h"
#include "session/file_sample.h"
#include "session/index.h"
#include "session/load.h"
#include "session/runs/run_files.h"
#include "session/summary_parts.h"
#include "summary/keep_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Path of the summary: "DIRECTORY/trace.json.gz.summary_file". The caller frees. */
static char *summary_path(const struct summary_job *job)
{
	return mem_printf("%s/%s%s", job->directory, text_file_name(job->trace),
			  SUMMARY_FILE_SUFFIX);
}

/* ---- is it current ---- */

struct summarize_checking {
	const char *path, *made; /* of the trace as it is now */
	struct file_sample sample;
};

static bool check_trace(void *context, const struct summary_part *part, struct error *error)
{
	const struct summarize_checking *now = context;
	struct summary_file_trace trace;
	AUTO_INTERN struct intern *strings = intern_new();
	return summary_file_unpack_trace(part->block, strings, &trace) &&
	       strcmp(trace.path, now->path) == 0 && strcmp(trace.made, now->made) == 0 &&
	       trace.bytes == now->sample.size && trace.head == now->sample.head &&
	       trace.tail == now->sample.tail;
}

static bool is_newer(const char *path, const char *trace)
{
	struct stat summary, status;
	return stat(path, &summary) == 0 && stat(trace, &status) == 0 &&
	       (summary.st_mtim.tv_sec > status.st_mtim.tv_sec ||
		(summary.st_mtim.tv_sec == status.st_mtim.tv_sec &&
		 summary.st_mtim.tv_nsec >= status.st_mtim.tv_nsec));
}

/* All of it is read, so that a damaged one is written again. */
bool summary_is_current(const struct summary_job *job)
{
	char *path = summary_path(job), *trace = realpath(job->trace, NULL);
	struct summarize_checking now = { .path = trace, .made = job->made };
	bool current = trace && is_newer(path, job->trace) &&
		       file_sample_path(&now.sample, job->trace) &&
		       summary_parts_visit(path, check_trace, &now, NULL, NULL);
	free(trace);
	mem_free(path);
	return current;
}

/* ---- making ---- */

struct summary_making {
	const struct summary_job *job;
	const struct run *run;
	const char *name; /* of the file that is written */
	char *trace;      /* whole path of that of the rank */
	struct file_sample sample;
	const struct progress *progress;
	struct error *error;
	struct summary_file_part *parts;
	struct buffer blocks;
};

/* The rank as it is known; a position among files says nothing of other files. */
static int64_t known_rank(const struct summary_making *making, const struct rank *rank)
{
	int64_t named = run_files_number(making->trace);
	if (rank->process != NO_ROW || rank->profile->rank != NO_VALUE ||
	    making->run->rank_count > 1)
		return rank->number;
	return named != NO_VALUE ? named : making->job->rank;
}

static bool pack_histograms(const struct summary_making *making, const struct rank *rank,
			    struct intern *texts, struct buffer *out)
{
	struct histograms histograms;
	histograms_init(&histograms);
	bool done =
		histograms_collect(&histograms, rank->derived, rank->summary, making->progress) ||
		error_set(making->error, ERROR_CANCELLED, "cancelled");
	if (done)
		histograms_pack(&histograms, texts, out);
	histograms_clear(&histograms);
	return done;
}

static bool add_rank_block(struct summary_making *making, const struct rank *rank)
{
	struct buffer content[SUMMARY_FILE_SECTIONS] = { 0 };
	AUTO_INTERN struct intern *texts = intern_new(), *table_texts = intern_new();
	const struct file_sample *sample = &making->sample;
	const struct summary_file_trace trace = { .path = making->trace,
						  .made = making->job->made,
						  .bytes = sample->size,
						  .head = sample->head,
						  .tail = sample->tail };
	summary_file_pack_profile(rank->profile, trace, texts, &content[SUMMARY_FILE_PROFILE]);
	rank_summary_pack(rank->summary, texts, &content[SUMMARY_FILE_RANK]);
	struct kept_output output = { table_texts, &content[SUMMARY_FILE_TABLES], texts,
				      &content[SUMMARY_FILE_FINDINGS] };
	bool done =
		pack_histograms(making, rank, texts, &content[SUMMARY_FILE_HISTOGRAMS]) &&
		keep_tables(making->run, rank->number, &output, making->progress, making->error);
	packed_add_texts(&content[SUMMARY_FILE_TEXTS], texts);
	packed_add_texts(&content[SUMMARY_FILE_TABLE_TEXTS], table_texts);
	for (int section = 0; section < SUMMARY_FILE_SECTIONS; section++) {
		if (done)
			summary_file_add_section(&making->blocks,
						 (enum summary_file_section)section,
						 &content[section]);
		buffer_free(&content[section]);
	}
	return done;
}

/* Of a rank that is a summary itself: its block. */
static bool copy_block(struct summary_making *making, const struct rank *rank,
		       struct summary_file_part *part)
{
	struct summary_file summary_file = { 0 };
	AUTO_BUFFER struct buffer bytes = { 0 };
	struct source *source = source_open(rank->path, making->progress, making->error);
	bool done = source && summary_file_open(&summary_file, source, making->error) &&
		    (rank->part <= summary_file.count ||
		     error_set(making->error, ERROR_INPUT, "has fewer ranks than before")) &&
		    summary_file_read(&summary_file, rank->part - 1, &bytes, making->error);
	if (done) {
		*part = summary_file.parts[rank->part - 1];
		part->rank = rank->number;
		buffer_add(&making->blocks, bytes.data, bytes.length);
	}
	summary_file_close(&summary_file);
	source_close(source);
	return done;
}

static bool find_trace(struct summary_making *making, const struct rank *rank)
{
	free(making->trace);
	making->trace = realpath(rank->path, NULL);
	return (making->trace && file_sample_path(&making->sample, making->trace)) ||
	       error_set(making->error, ERROR_INPUT, "cannot open: %s", strerror(errno));
}

static bool make_block(struct summary_making *making, size_t index, struct summary_file_part *part)
{
	const struct rank *rank = run_acquire(making->run, making->run->ranks[index].number,
					      making->progress, making->error);
	size_t from = making->blocks.length;
	if (!rank)
		return false;
	bool done = find_trace(making, rank) && add_rank_block(making, rank);
	if (done) {
		part->rank = known_rank(making, rank);
		part->world = rank->summary->world_size;
		part->size = making->blocks.length - from;
		part->whole = part->checksum = crc64(0, making->blocks.data + from, part->size);
	}
	run_release(making->run, rank);
	if (done && part->size > SUMMARY_FILE_BLOCK_MAX)
		return error_set(making->error, ERROR_LIMIT,
				 "the summary would exceed the limit of 256 MiB");
	return done;
}

static bool add_rank_part(struct summary_making *making, size_t index)
{
	const struct rank *rank = &making->run->ranks[index];
	struct summary_file_part *part = &making->parts[index];
	return rank->part ? copy_block(making, rank, part) : make_block(making, index, part);
}

static bool write_file(const struct summary_making *making)
{
	AUTO_BUFFER struct buffer head = { 0 };
	AUTO_FREE char *path = mem_printf("%s/%s", making->job->directory, making->name);
	summary_file_add_head(&head, making->parts, making->run->rank_count);
	struct replace *file = replace_begin(path, making->job->force, making->error);
	bool done = file && replace_write(file, head.data, head.length, making->error) &&
		    replace_write(file, making->blocks.data, making->blocks.length, making->error);
	return replace_end(file, done, making->error);
}

static bool summarize_make(struct summary_making *making)
{
	const struct run *run = making->run;
	bool ok = true;
	making->parts = mem_zalloc(run->rank_count, sizeof *making->parts);
	for (size_t i = 0; i < run->rank_count && ok; i++)
		ok = add_rank_part(making, i);
	ok = ok && index_create_directory(making->job->directory, making->error) &&
	     write_file(making);
	mem_free(making->parts);
	buffer_free(&making->blocks);
	free(making->trace);
	return ok;
}

bool summary_write_run(const char *const *paths, size_t count, const struct summary_job *job,
		       const char *name, const struct progress *progress, struct error *error)
{
	struct summary_making making = {
		.job = job, .name = name, .progress = progress, .error = error
	};
	struct run *run = run_open(paths, count, job->load, progress, error);
	making.run = run;
	bool done = run && summarize_make(&making);
	run_free(run);
	return done;
}

bool summary_write(const struct summary_job *job, const struct progress *progress,
		   struct error *error)
{
	char *path = summary_path(job), *slash = strrchr(path, '/');
	bool done = summary_write_run(&job->trace, 1, job, slash + 1, progress, error);
	mem_free(path);
	return done;
}
