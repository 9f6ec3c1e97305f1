#include "analysis/advice/summary_findings.h"

#include "base/text_slice.h"

#include <math.h>

static const struct packed_type finding_type =
	PACKED_TYPE(struct summary_finding, FINDING_FIELD_ROWS);

void summary_finding_pack(const struct summary_finding *finding, struct intern *texts,
			  struct buffer *out)
{
	packed_add_row(&(struct packing){ .out = out, .texts = texts }, &finding_type, finding);
}

static const struct detector *detector_named(const char *id, size_t length)
{
	for (const struct detector *detector = detectors(); detector->id; detector++)
		if (text_is(id, length, detector->id))
			return detector;
	return NULL;
}

size_t detectors_of_rank(const char *ids, struct buffer *out)
{
	size_t count = 0;
	for (const char *at = ids; *at; at += *at == ',') {
		size_t length = strcspn(at, ",");
		const struct detector *detector = detector_named(at, length);
		if (!detector || !detector->of_run) {
			buffer_puts(out, count++ ? "," : "");
			buffer_add(out, at, length);
		}
		at += length;
	}
	return count;
}

bool detectors_need_peers(const char *ids)
{
	bool all = *ids != '\0';
	for (const char *at = ids; *at; at += *at == ',') {
		size_t length = strcspn(at, ",");
		const struct detector *detector = detector_named(at, length);
		all &= detector && detector->of_peers;
		at += length;
	}
	return all;
}

static void take_finding(struct finding *finding, const struct unpacking *unpacking)
{
	struct summary_finding found;
	packed_take_row(unpacking, &finding_type, &found);
	finding->detector = detector_named(found.detector, strlen(found.detector));
	finding->severity = severity_named(found.severity, strlen(found.severity));
	if (finding->severity > SEVERITY_HIGH) /* a headline has none */
		finding->severity = SEVERITY_LOW;
	finding->title = found.title;
	buffer_puts(&finding->evidence, found.evidence);
	MEMBERS(finding, &found, TAKE(recommendation) TAKE(cost_ns) TAKE(scope_ns) TAKE(gain_pct));
	unpacking->packed->bad |= finding->cost_ns < 0 && finding->cost_ns != NO_VALUE;
}

enum { TEXTS = 5, LEAST = TEXTS + 2 + 8 }; /* bytes of a finding */

bool summary_findings_take(struct findings *findings, int64_t rank, struct packed *packed,
			   const struct packed_texts *texts, struct intern *strings)
{
	const struct unpacking unpacking = { packed, texts, strings };
	size_t most = (size_t)(packed->end - packed->at) / LEAST;
	*findings = (struct findings){ mem_zalloc(most + 1, sizeof *findings->items), 0 };
	while (packed->at < packed->end && findings->count <= most) {
		struct finding *finding = &findings->items[findings->count];
		take_finding(finding, &unpacking);
		finding->rank = rank;
		findings->count++;
		if (finding->detector && !finding->detector->of_run)
			continue;
		buffer_free(&finding->evidence);
		findings->count--;
	}
	if (!packed->bad)
		return true;
	findings_free(findings);
	return false;
}

void findings_of_none(struct findings *findings)
{
	size_t count = 0;
	while (detectors()[count].id)
		count++;
	*findings = (struct findings){ mem_zalloc(count, sizeof *findings->items), count };
	for (size_t i = 0; i < count; i++)
		findings->items[i] = (struct finding){ .detector = &detectors()[i],
						       .answer = ANSWER_SILENT,
						       .cost_ns = NO_VALUE,
						       .gain_pct = NAN,
						       .rank = NO_VALUE };
}
