#include "summary/summarize.h"

#include "analysis/packed_ranks.h"
#include "analysis/rank_summary.h"
#include "analysis/histogram.h"
#include "base/buffer.h"
#include "base/crc64.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/replace.h"
#include "input/summary_file/summary_file.h"
#include "model/summary_tables.h"
#include "session/file_sample.h"
#include "session/index.h"
#include "session/load.h"
#include "session/runs/run_files.h"
#include "summary/keep_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Path of the summary: "DIRECTORY/trace.json.gz.summary_file". The caller frees. */
static char *summary_path(const struct summary_job *job)
{
	const char *slash = strrchr(job->trace, '/');
	struct buffer path = { 0 };
	buffer_printf(&path, "%s/%s%s", job->directory, slash ? slash + 1 : job->trace,
		      SUMMARY_FILE_SUFFIX);
	return path.data;
}

/* ---- is it current ---- */

static struct summary_tables identity_of(const struct file_sample *sample)
{
	return (struct summary_tables){ .trace_bytes = sample->size,
					.trace_head = sample->head,
					.trace_tail = sample->tail };
}

static bool same_trace(const struct summary_file_block *block, const struct summary_job *job,
		       const struct file_sample *sample)
{
	struct summary_tables then = { 0 }, now = identity_of(sample);
	struct buffer trace = { 0 }, made = { 0 };
	char *path = realpath(job->trace, NULL);
	bool same = path && summary_file_unpack_identity(block, &then, &trace, &made) &&
		    strcmp(buffer_text(&trace), path) == 0 &&
		    strcmp(buffer_text(&made), job->made) == 0 &&
		    then.trace_bytes == now.trace_bytes && then.trace_head == now.trace_head &&
		    then.trace_tail == now.trace_tail;
	free(path);
	buffer_free(&trace);
	buffer_free(&made);
	return same;
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
static bool is_sound(struct source *source, const struct summary_job *job,
		     const struct file_sample *sample)
{
	struct summary_file summary_file = { 0 };
	struct buffer bytes = { 0 };
	bool good = summary_file_open(&summary_file, source, NULL);
	for (size_t i = 0; good && i < summary_file.count; i++) {
		struct summary_file_block block = { 0 };
		good = summary_file_read(&summary_file, i, &bytes, NULL) &&
		       summary_file_block_open(&block, &bytes, NULL) &&
		       same_trace(&block, job, sample);
		summary_file_block_close(&block);
	}
	good = good && summary_file_ends(&summary_file, NULL);
	buffer_free(&bytes);
	summary_file_close(&summary_file);
	return good;
}

bool summary_is_current(const struct summary_job *job)
{
	struct file_sample sample;
	char *path = summary_path(job);
	struct source *source = is_newer(path, job->trace) ? source_open(path, NULL, NULL) : NULL;
	bool current =
		source && file_sample_path(&sample, job->trace) && is_sound(source, job, &sample);
	source_close(source);
	mem_free(path);
	return current;
}

/* ---- making ---- */

struct summarize_making {
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
static int64_t known_rank(const struct summarize_making *making, const struct rank *rank)
{
	int64_t named = run_files_number(making->trace);
	if (rank->process != NO_ROW || rank->profile->rank != NO_VALUE ||
	    making->run->rank_count > 1)
		return rank->number;
	return named != NO_VALUE ? named : making->job->rank;
}

static bool pack_tallies(const struct summarize_making *making, const struct rank *rank,
			 struct intern *texts, struct buffer *out)
{
	struct tallies tallies;
	tallies_init(&tallies);
	bool done = tallies_collect(&tallies, rank->derived, rank->summary, making->progress) ||
		    error_set(making->error, ERROR_CANCELLED, "cancelled");
	if (done)
		tallies_pack(&tallies, texts, out);
	tallies_clear(&tallies);
	return done;
}

static bool summarize_add_block(struct summarize_making *making, const struct rank *rank)
{
	struct buffer content[SUMMARY_FILE_SECTIONS] = { 0 };
	struct intern *texts = intern_new(), *table_texts = intern_new();
	struct summary_tables identity = identity_of(&making->sample);
	summary_file_pack_profile(rank->profile, making->trace, making->job->made, &identity, texts,
				  &content[SUMMARY_FILE_PROFILE]);
	rank_summary_pack(rank->summary, texts, &content[SUMMARY_FILE_RANK]);
	struct kept_output output = { table_texts, &content[SUMMARY_FILE_TABLES], texts,
				      &content[SUMMARY_FILE_FINDINGS] };
	bool done =
		pack_tallies(making, rank, texts, &content[SUMMARY_FILE_TALLIES]) &&
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
	intern_free(texts);
	intern_free(table_texts);
	return done;
}

/* Of a rank that is a summary itself: its block. */
static bool copy_block(struct summarize_making *making, const struct rank *rank,
		       struct summary_file_part *part)
{
	struct summary_file summary_file = { 0 };
	struct buffer bytes = { 0 };
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
	buffer_free(&bytes);
	summary_file_close(&summary_file);
	source_close(source);
	return done;
}

static bool find_trace(struct summarize_making *making, const struct rank *rank)
{
	free(making->trace);
	making->trace = realpath(rank->path, NULL);
	return (making->trace && file_sample_path(&making->sample, making->trace)) ||
	       error_set(making->error, ERROR_INPUT, "cannot open: %s", strerror(errno));
}

static bool make_block(struct summarize_making *making, size_t index,
		       struct summary_file_part *part)
{
	const struct rank *rank = run_acquire(making->run, making->run->ranks[index].number,
					      making->progress, making->error);
	size_t from = making->blocks.length;
	if (!rank)
		return false;
	bool done = find_trace(making, rank) && summarize_add_block(making, rank);
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

static bool summarize_add_part(struct summarize_making *making, size_t index)
{
	const struct rank *rank = &making->run->ranks[index];
	struct summary_file_part *part = &making->parts[index];
	return rank->part ? copy_block(making, rank, part) : make_block(making, index, part);
}

static bool write_bytes(int descriptor, const struct buffer *bytes)
{
	for (size_t at = 0; at < bytes->length;) {
		ssize_t written = write(descriptor, bytes->data + at, bytes->length - at);
		if (written < 0 && errno != EINTR)
			return false;
		at += written > 0 ? (size_t)written : 0;
	}
	return true;
}

static bool write_file(const struct summarize_making *making)
{
	struct buffer head = { 0 }, whole = { 0 };
	buffer_printf(&whole, "%s/%s", making->job->directory, making->name);
	const char *path = buffer_text(&whole);
	summary_file_add_head(&head, making->parts, making->run->rank_count);
	struct replace *file = replace_begin(path, making->job->force, making->error);
	bool done = file != NULL;
	if (done && (!write_bytes(replace_descriptor(file), &head) ||
		     !write_bytes(replace_descriptor(file), &making->blocks))) {
		done = error_set(making->error, ERROR_OUTPUT, "%s: cannot write: %s", path,
				 strerror(errno));
		replace_discard(file);
	} else if (done) {
		done = replace_commit(file, making->error);
	}
	buffer_free(&head);
	buffer_free(&whole);
	return done;
}

static bool summarize_make(struct summarize_making *making)
{
	const struct run *run = making->run;
	bool ok = true;
	making->parts = mem_zalloc(run->rank_count, sizeof *making->parts);
	for (size_t i = 0; i < run->rank_count && ok; i++)
		ok = summarize_add_part(making, i);
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
	struct summarize_making making = {
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
