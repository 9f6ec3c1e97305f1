/*
 * Detectors of input problems: data loading and copies.
 */
#include "analysis/advice/detect.h"
#include "base/hash.h"
#include "model/recording.h"

enum { INPUT_LIMIT_ROWS(_) };

/* Does a call take time of the window, even if it began before it? */
static bool takes_time(const struct diagnosis *diagnosis, uint32_t span)
{
	int64_t start = diagnosis->profile->span_start[span];
	int64_t end = start + diagnosis->profile->span_dur[span];
	return span_counts(diagnosis, span) ||
	       (selection_has_span(diagnosis->selection, span) &&
		intervals_length_in(&diagnosis->window, start, end));
}

void detect_dataloader(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t calls = 0, cost = diagnosis->cause_ns[CAUSE_DATALOADER];
	bool single = false;
	uint32_t spans = spans_in_role(diagnosis, NAME_DATALOADER);
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++) {
		if (profile->span_kind[i] == SPAN_GPU_ANNOTATION ||
		    !(diagnosis->derived->role[profile->span_name[i]] & NAME_DATALOADER) ||
		    !takes_time(diagnosis, i))
			continue;
		calls++;
		single |= strstr(profile_string(profile, profile->span_name[i]),
				 "_SingleProcess") != NULL;
	}
	if (profile_is_sums(profile)) {
		judge_python_functions(diagnosis, finding, true);
	} else if (!profile->spans) {
		report_unknown(finding, profile_recording(profile)->operators,
			       "No CPU events were recorded.");
	} else if (window_percent(diagnosis, cost) <= LOADER_PERCENT) {
		report_ok(finding, "%s data loader calls; the GPU is idle in them for %s.",
			  COUNT(calls), share_of_time(SHARE, diagnosis, cost));
	} else {
		report_problem(
			finding, "The data loader %s %s, %s per step; %s call%s%s",
			profile_all_rows(profile).activities ? "keeps the GPU idle for" : "takes",
			share_of_time(SHARE, diagnosis, cost), DURATION(cost / diagnosis->steps),
			COUNT(calls), PLURAL(calls),
			single ? ", all in the training process (_SingleProcessDataLoaderIter: num_workers=0)"
			       : "");
		claim_cause(diagnosis, finding, CAUSE_DATALOADER);
		blame_cause_in(diagnosis, finding, CAUSE_DATALOADER, &diagnosis->window);
	}
}

/* ---- copies ---- */

struct copies {
	int64_t count, ns;
	int64_t sized, bytes;  /* of those whose size was recorded */
	struct intervals busy; /* on the critical device */
};

static bool is_copy(const struct diagnosis *diagnosis, uint32_t activity)
{
	return diagnosis->profile->activity_kind[activity] == ACTIVITY_MEMCPY &&
	       activity_counts(diagnosis, activity);
}

static void add_copy(const struct diagnosis *diagnosis, struct finding *finding,
		     struct copies *copies, uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	int64_t start = profile->activity_start[activity], dur = profile->activity_dur[activity];
	copies->count++;
	copies->ns += dur;
	if (profile->activity_bytes[activity] != NO_VALUE) {
		copies->sized++;
		copies->bytes += profile->activity_bytes[activity];
	}
	blame_activity(diagnosis, finding, activity);
	if (is_critical(diagnosis, activity))
		intervals_add(&copies->busy, start, start + dur);
}

static bool goes(const struct profile *profile, uint32_t activity, const char *direction)
{
	return strstr(profile_string(profile, profile->activity_name[activity]), direction) != NULL;
}

/* Too small for bandwidth or pinned memory to matter, like the copies of .item(). */
static bool is_small(const struct profile *profile, uint32_t activity)
{
	return profile->activity_bytes[activity] != NO_VALUE &&
	       profile->activity_bytes[activity] < SMALL_COPY_BYTES;
}

void choose_pinning(struct finding *finding, double to_host, double all)
{
	if (2 * to_host > all)
		finding->recommendation =
			"Copy results to the host less often, or into pinned memory with non_blocking=True.";
}

static void tell_pageable(struct finding *finding, const struct copies *pageable,
			  int64_t host_copies)
{
	report_problem(finding, "%s of %s host-GPU copies are pageable", COUNT(pageable->count),
		       COUNT(host_copies));
	if (pageable->sized == pageable->count)
		buffer_printf(&finding->evidence, " and at least 64 KiB: %s in %s (%s/s)",
			      BYTES(pageable->bytes), DURATION(pageable->ns),
			      BYTES((double)pageable->bytes * 1e9 /
				    (double)(pageable->ns ? pageable->ns : 1)));
	else
		buffer_printf(&finding->evidence, ": %s; not all sizes were recorded",
			      DURATION(pageable->ns));
}

void detect_pageable_copies(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct copies pageable = { 0 };
	int64_t host_copies = 0, told = 0, to_host = 0;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t name = profile->activity_name[i];
		if (!is_copy(diagnosis, i) || !name_has(diagnosis, name, MARK_HOST_COPY))
			continue;
		host_copies++;
		told += name_has(diagnosis, name, MARK_PINNED | MARK_PAGEABLE);
		if (name_has(diagnosis, name, MARK_PAGEABLE) && !is_small(profile, i)) {
			add_copy(diagnosis, finding, &pageable, i);
			to_host += goes(profile, i, "DtoH") ? profile->activity_dur[i] : 0;
		}
	}
	choose_pinning(finding, (double)to_host, (double)pageable.ns);
	claim_common(diagnosis, finding, &pageable.busy, &diagnosis->device->set[CAUSE_COPY]);
	bool many = window_percent(diagnosis, pageable.ns) > PAGEABLE_PERCENT ||
		    pageable.count > PAGEABLE_A_STEP * diagnosis->steps;
	if (host_copies && !told)
		report_unknown(finding, NULL,
			       "The copies do not record whether their memory is pinned.");
	else if (!profile->activities)
		report_unknown(finding, profile_recording_device(profile),
			       "No GPU events were recorded.");
	else if (many)
		tell_pageable(finding, &pageable, host_copies);
	else
		report_ok(finding, "%s of %s host-GPU copies are pageable and at least 64 KiB.",
			  COUNT(pageable.count), COUNT(host_copies));
}

int64_t kernels_beside(const struct diagnosis *diagnosis, int64_t exposed)
{
	int64_t ns = diagnosis->dur - exposed - intervals_length(&diagnosis->idle);
	return ns > 0 ? ns : 0;
}

/* Called by what moves parameters of a model from the host when a layer needs them? */
static bool is_offload(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t at = profile->activity_launch[activity];
	while (at != NO_ROW && !name_has(diagnosis, profile->span_name[at], MARK_OFFLOAD))
		at = profile->span_parent[at];
	return at != NO_ROW &&
	       name_has(diagnosis, profile->activity_name[activity], MARK_HOST_COPY);
}

void detect_exposed_copies(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct copies copies = { 0 };
	int64_t cost = diagnosis->cause_ns[CAUSE_COPY], offloaded = 0, moved = 0;
	for (uint32_t i = 0; i < diagnosis->profile->activities && detect_heavy_row(diagnosis, i);
	     i++) {
		if (!is_copy(diagnosis, i))
			continue;
		add_copy(diagnosis, finding, &copies, i);
		if (derived_is_migration(diagnosis->derived, i))
			moved += diagnosis->profile->activity_dur[i];
		if (is_offload(diagnosis, i))
			offloaded += diagnosis->profile->activity_dur[i];
	}
	intervals_free(&copies.busy);
	if (window_percent(diagnosis, cost) < COPY_PERCENT) {
		report_ok(finding, "Copies and memsets are exposed for %s.",
			  share_of_time(SHARE, diagnosis, cost));
		return;
	}
	report_problem(finding, "Copies and memsets are exposed for %s; %s %s %s",
		       share_of_time(SHARE, diagnosis, cost), COUNT(copies.count),
		       copies.count == 1 ? "copy moves" : "copies move",
		       AMOUNT(copies.sized == copies.count, copies.bytes));
	int64_t hidden = kernels_beside(diagnosis, cost);
	claim_cause(diagnosis, finding, CAUSE_COPY);
	blame_settle(diagnosis, finding);
	if (2 * offloaded > copies.ns) {
		buffer_puts(
			&finding->evidence,
			"; they move parameters from the host when layers need them (CPU offload)");
		finding->recommendation =
			"Keep the parameters on the GPU: without CPU offload, shard them over more GPUs, or hold them in fewer bits.";
	} else if (2 * moved > copies.ns) {
		finding->recommendation =
			"Prefetch pages with cudaMemPrefetchAsync before they are touched.";
	} else if (2 * hidden < cost) {
		buffer_printf(&finding->evidence, "; kernels to hide them take only %s",
			      share_of_time(SHARE, diagnosis, hidden));
		finding->recommendation =
			"Copy less: keep on the GPU what is copied in each step, or copy smaller types.";
	} else if (hidden < cost) {
		finding->cost_ns = hidden;
	}
}

/* Claim the copies in SMALL when nothing else works, and the waits for launches between them. */
static int64_t claim_small(const struct diagnosis *diagnosis, struct finding *finding,
			   struct copies *small)
{
	static const enum time_cause causes[] = { CAUSE_COPY, CAUSE_LAUNCH, CAUSE_SYNC };
	AUTO_INTERVALS struct intervals within = { 0 };
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
		AUTO_INTERVALS struct intervals set = { 0 };
		causes_set_in(diagnosis->device, causes[i], &diagnosis->window, &set);
		intervals_unite(&within, &set, &within);
	}
	return claim_common(diagnosis, finding, &small->busy, &within);
}

void detect_small_copies(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct copies small = { 0 };
	int64_t sized = 0, host_copies = 0;
	uint32_t last = NO_ROW; /* small one */
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (!is_copy(diagnosis, i) || derived_is_migration(diagnosis->derived, i) ||
		    !name_has(diagnosis, profile->activity_name[i], MARK_HOST_COPY))
			continue;
		host_copies++;
		sized += profile->activity_bytes[i] != NO_VALUE;
		if (!is_small(profile, i))
			continue;
		add_copy(diagnosis, finding, &small, i);
		/* one copy takes neither the others' time nor the waits between them */
		if (is_critical(diagnosis, i) && is_next_work(profile, last, i))
			intervals_add(&small.busy, profile->activity_start[last],
				      profile->activity_start[i]);
		last = i;
	}
	int64_t alone = claim_small(diagnosis, finding, &small);
	if (!profile->activities || (host_copies && !sized))
		report_unknown(finding, profile_recording_device(profile),
			       "Copy sizes were not recorded.");
	else if (small.count > SMALL_COPIES_A_STEP * diagnosis->steps &&
		 window_percent(diagnosis, alone > small.ns ? alone : small.ns) >
			 SMALL_COPY_PERCENT)
		report_problem(
			finding,
			"%s copies per step are smaller than 64 KiB and take %s; with the waits between them %s",
			COUNT(small.count / diagnosis->steps),
			share_of_time(SHARE, diagnosis, small.ns), DURATION(alone));
	else
		report_ok(finding, "%s copies are smaller than 64 KiB and take %s.",
			  COUNT(small.count), share_of_time(SHARE, diagnosis, small.ns));
}

/* ---- copies between devices ---- */

/* The copy from a device to the host of the call that also copied ACTIVITY to another device. */
static uint32_t first_half(const struct diagnosis *diagnosis, const struct hash *by_launch,
			   uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	int32_t device = profile_activity_device(profile, activity);
	return hash_where(at, by_launch, profile->activity_launch[activity],
			  profile_activity_device(profile, at) != device);
}

/* Copies from device to host whose call is known, by that call. */
static struct hash *find_first_halves(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	struct hash *by_launch = hash_new(64);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++)
		if (is_copy(diagnosis, i) && profile->activity_launch[i] != NO_ROW &&
		    goes(profile, i, "DtoH"))
			hash_add(by_launch, profile->activity_launch[i], i);
	return by_launch;
}

void detect_peer_copies(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct copies staged = { 0 };
	if (diagnosis->device_count < 2) {
		report_ok(finding, "Work runs on one GPU.");
		return;
	}
	AUTO_HASH struct hash *by_launch = find_first_halves(diagnosis);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (!is_copy(diagnosis, i) || profile->activity_launch[i] == NO_ROW ||
		    !goes(profile, i, "HtoD"))
			continue;
		uint32_t half = first_half(diagnosis, by_launch, i);
		if (half == NO_ROW)
			continue;
		add_copy(diagnosis, finding, &staged, i);
		add_copy(diagnosis, finding, &staged, half);
	}
	claim_common(diagnosis, finding, &staged.busy, &diagnosis->device->set[CAUSE_COPY]);
	int64_t copies = staged.count / 2;
	if (window_percent(diagnosis, staged.ns) >= PEER_PERCENT)
		report_problem(finding, "%s cop%s from GPU to GPU through the host: %s in %s",
			       COUNT(copies), copies == 1 ? "y" : "ies",
			       AMOUNT(staged.sized == staged.count, staged.bytes / 2),
			       DURATION(staged.ns));
	else
		report_ok(finding, "%s cop%s from GPU to GPU through the host.", COUNT(copies),
			  copies == 1 ? "y" : "ies");
}
