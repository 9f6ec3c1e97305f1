#include "views/fact_rows.h"

#include "base/any_of.h"
#include "derived/inferences.h"
#include "model/device_label.h"
#include "views/views.h"

static void fact_rows_add_row(struct table *table, const char *section, const char *metric,
			      struct value value, const char *unit, struct ref about)
{
	size_t row = table_add_row(table, about);
	table_set(table, row, "section", value_text(section));
	table_set(table, row, "metric", value_text(metric));
	table_set(table, row, "value", value);
	table_set(table, row, "unit", value_text(unit));
}

/* Is the data of a sum's column, or of the times it is a share of, lacking? */
static bool is_unknown(struct table *table, const char *metric, struct value value)
{
	size_t length = strlen(metric);
	char times[64] = "";
	if (value.kind == VALUE_TEXT)
		return false;
	if (length > 4 && strcmp(metric + length - 4, "_pct") == 0)
		snprintf(times, sizeof times, "%.*s_ns", (int)length - 4, metric);
	enum lacking own = table_lacks(table, metric), whole = table_lacks(table, times);
	return own == LACKS_ALL || whole == LACKS_ALL ||
	       ((own || whole) && value_number(value, 1) == 0);
}

void fact_add(struct table *table, const char *section, const char *metric, struct value value,
	      const char *unit)
{
	fact_add_about(table, section, metric, value, unit,
		       (struct ref){ REF_FACT, (uint32_t)table->rows, NO_ROW, 0 });
}

void fact_add_about(struct table *table, const char *section, const char *metric,
		    struct value value, const char *unit, struct ref about)
{
	if (value.kind != VALUE_MISSING && !is_unknown(table, metric, value))
		fact_rows_add_row(table, section, metric, value, unit, about);
}

const char *fact_device_section(struct table *table, const struct profile *profile, int32_t id)
{
	char label[DEVICE_LABEL_MAX];
	bool mixed = any_of(i, profile->device_count,
			    profile->devices[i].id >> DEVICE_KIND_SHIFT != id >> DEVICE_KIND_SHIFT);
	const char *name = device_label(label, id);
	return table_printf(table, "device %s", mixed ? name : name + strcspn(name, "0123456789"))
		.text;
}

void fact_add_blank(struct table *table, const char *section, const char *metric,
		    struct value value, const char *unit)
{
	fact_rows_add_row(table, section, metric, value, unit,
			  (struct ref){ REF_FACT, (uint32_t)table->rows, NO_ROW, 0 });
}

static void add_replayed(const struct derived *derived, uint32_t activity,
			 struct link_coverage *coverage)
{
	const struct profile *profile = derived->profile;
	int64_t dur = profile->activity_dur[activity];
	if (profile->activity_kind[activity] == ACTIVITY_KERNEL &&
	    derived->role[profile->span_name[profile->activity_launch[activity]]] &
		    NAME_GRAPH_LAUNCH)
		coverage->replayed_ns += dur;
}

/* True if the layer is inferred. */
static bool add_inferred(const struct derived *derived, uint32_t activity,
			 struct link_coverage *coverage)
{
	const struct inference *inference = derived_inference(derived, activity);
	int64_t dur = derived->profile->activity_dur[activity];
	if (!inference)
		return false;
	bool captured = derived->inferred->sources[inference->source].rank == NO_VALUE;
	struct inferred *sums = captured ? &coverage->capture : &coverage->rank;
	sums->operator_ns += inference->operator_name ? dur : 0;
	sums->shapes_ns += inference->shapes ? dur : 0;
	sums->layer_ns += inference->place != NO_ROW ? dur : 0;
	sums->line_ns += inference->line ? dur : 0;
	return inference->place != NO_ROW;
}

/* False when cancelled. */
static bool cover(const struct selection *selection, struct link_coverage *sums,
		  const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	const struct derived *derived = selection->derived;
	struct link_coverage coverage = { 0 };
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, "checking links") {
		int64_t dur = profile->activity_dur[i];
		if (!profile_is_work(profile, i) || !selection_has_activity(selection, i))
			continue;
		coverage.total++;
		coverage.total_ns += dur;
		bool placed = add_inferred(derived, i, &coverage);
		if (placed || (derived_work_row(derived, i) != NO_ROW &&
			       layer_enclosing(derived, derived->layers.activity_node[i]) != 0))
			coverage.in_layer_ns += dur;
		if (derived->activity_operator[i] != NO_ROW) {
			coverage.owned++;
			coverage.owned_ns += dur;
		}
		if (profile->activity_launch[i] == NO_ROW)
			continue;
		coverage.launched++;
		coverage.launched_ns += dur;
		coverage.early += profile_launch_delay(profile, i) == NO_VALUE;
		if (derived_layer_source(derived, i) != i)
			coverage.inferred_ns += dur;
		add_replayed(derived, i, &coverage);
	}
	*sums = coverage;
	return ok;
}

void fact_add_steps_from(struct table *table, const char *section, const struct derived *derived)
{
	fact_add(table, section, "steps from", cell_step_source(table, derived), "");
}

static void add_inferred_shares(struct table *table, const char *section, const char *from,
				const struct inferred *sums, int64_t total)
{
	const struct {
		const char *what;
		int64_t ns;
	} shares[] = { KNOWN_SHARE_ROWS };
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		if (shares[i].ns) {
			struct value metric = table_printf(table, "%s inferred from %s, GPU time",
							   shares[i].what, from);
			fact_add(table, section, metric.text, cell_share(shares[i].ns, total), "%");
		}
}

/* How much of the work is the same on the rank that others are inferred from. */
static void add_alike(struct table *table, const char *section,
		      const struct inference_source *source)
{
	struct value metric = table_printf(table, "same GPU work as rank %" PRId64, source->rank);
	if (source->rank == NO_VALUE)
		return;
	if (source->whole)
		fact_add(table, section, metric.text,
			 value_text(source->alike ? "yes" : "no; nothing inferred from it"), "");
	else
		fact_add(table, section, metric.text,
			 table_printf(table, "in %" PRIu32 " of %" PRIu32 " steps%s", source->alike,
				      source->steps,
				      source->alike == source->steps
					      ? ""
					      : "; nothing inferred in the others"),
			 "");
}

static void add_inferred_facts(struct table *table, const char *section,
			       const struct derived *derived, const struct link_coverage *coverage)
{
	const struct inferences *inferred = derived->inferred;
	add_inferred_shares(table, section, "graph capture", &coverage->capture,
			    coverage->total_ns);
	add_inferred_shares(table, section, "another rank", &coverage->rank, coverage->total_ns);
	for (size_t i = 0; inferred && i < inferred->source_count; i++)
		add_alike(table, section, &inferred->sources[i]);
}

bool link_facts_count(const struct selection *selection, struct link_facts *facts,
		      const struct progress *progress)
{
	return cover(selection, &facts->coverage, progress) &&
	       links_count(selection->derived, selection->span, &facts->counts, progress);
}

void fact_add_links(struct table *table, const char *section, const struct selection *selection,
		    const struct link_facts *facts)
{
	struct link_coverage coverage = facts->coverage;
	struct link_counts links = facts->counts;
	fact_add(table, section, "GPU events", value_int(coverage.total), "count");
	if (coverage.total) {
		LINK_FACTS(fact_add);
		if (coverage.inferred_ns)
			fact_add(table, section, "layer inferred from eager run, GPU time",
				 cell_share(coverage.inferred_ns, coverage.total_ns), "%");
		if (coverage.replayed_ns)
			fact_add(table, section, "kernels of graph launches, GPU time",
				 cell_share(coverage.replayed_ns, coverage.total_ns), "%");
		add_inferred_facts(table, section, selection->derived, &coverage);
	}
	if (coverage.early)
		fact_add(table, section, "start before their launch call",
			 value_int(coverage.early), "count");
	fact_add(table, section, "backward operators", value_int((int64_t)links.backward), "count");
	if (links.backward)
		fact_add(table, section, "linked to forward operator",
			 value_int((int64_t)links.linked), "count");
}
