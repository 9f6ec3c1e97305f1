/*
 * PyProf's net.dict of a profile: a line for each kernel, as parse.py prints it.
 */
#include "base/demangle.h"
#include "base/error.h"
#include "base/literal.h"
#include "model/device_label.h"
#include "tools/pyprof/pyprof_kernels.h"

static void pyprof_dict_put_text(struct buffer *out, const char *text)
{
	literal_repr(out, &(struct literal){
				  .kind = LITERAL_TEXT, .count = strlen(text), .text = text });
}

static void put_texts(struct buffer *out, const char *key, const struct pyprof_texts *texts)
{
	buffer_printf(out, "'%s': [", key);
	for (size_t i = 0; i < texts->count; i++) {
		buffer_puts(out, i ? ", " : "");
		pyprof_dict_put_text(out, texts->item[i]);
	}
	buffer_puts(out, "], ");
}

static void put_ids(struct buffer *out, const char *key, const struct pyprof_ids *ids)
{
	buffer_printf(out, "'%s': [", key);
	for (size_t i = 0; i < ids->count; i++)
		buffer_printf(out, "%s%lld", i ? ", " : "", (long long)ids->id[i]);
	buffer_puts(out, "], ");
}

/* Unknown sizes are 0: prof.py wants numbers. */
static void put_sizes(struct buffer *out, const char *key, const int32_t sizes[3])
{
	buffer_printf(out, "'%s': (%d, %d, %d), ", key, sizes[0] > 0 ? sizes[0] : 0,
		      sizes[1] > 0 ? sizes[1] : 0, sizes[2] > 0 ? sizes[2] : 0);
}

static void put_long_name(struct buffer *out, const char *name)
{
	AUTO_BUFFER struct buffer whole = { 0 };
	if (strncmp(name, "_Z", 2) != 0 || !demangle(&whole, name))
		buffer_puts(&whole, name);
	pyprof_dict_put_text(out, buffer_text(&whole));
}

static void put_kernel(struct buffer *out, const struct profile *profile,
		       const struct pyprof_kernel *kernel)
{
	static const int32_t unknown[3] = { 0 };
	uint32_t activity = kernel->activity;
	const struct launch_config *config = profile_config(profile, activity);
	const struct track *track = &profile->tracks[profile->activity_track[activity]];
	buffer_puts(out, "{'kShortName': ");
	pyprof_dict_put_text(out, kernel->name);
	buffer_printf(out, ", 'kDuration': %lld, ", (long long)profile->activity_dur[activity]);
	put_texts(out, "layer", &kernel->layer);
	put_texts(out, "trace", &kernel->trace);
	put_texts(out, "reprMarkers", &kernel->repr);
	put_texts(out, "marker", &kernel->marker);
	put_texts(out, "seqMarker", &kernel->sequences);
	put_ids(out, "seqId", &kernel->seq);
	buffer_printf(out, "'subSeqId': %lld, ", (long long)kernel->sub);
	put_ids(out, "altSeqId", &kernel->alt);
	buffer_printf(out, "'dir': '%s', ", kernel->backward ? "bprop" : "fprop");
	put_texts(out, "mod", &kernel->mod);
	put_texts(out, "op", &kernel->op);
	buffer_printf(out, "'tid': %lld, 'device': %d, 'stream': %lld, ", (long long)kernel->tid,
		      track->device & (DEVICE_NUMBER_MAX - 1),
		      (long long)(track->tid == NO_VALUE ? 0 : track->tid));
	put_sizes(out, "grid", config ? config->grid : unknown);
	put_sizes(out, "block", config ? config->block : unknown);
	buffer_puts(out, "'kLongName': ");
	put_long_name(out, profile_string(profile, profile->activity_name[activity]));
	buffer_putc(out, '}');
}

enum { ROW_WEIGHT = 64 }; /* for progress_heavy_row: a row has all texts of a kernel */

bool build_net_dict(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	AUTO(pyprof_kernels_free) struct pyprof_kernels kernels = { 0 };
	AUTO_BUFFER struct buffer line = { 0 };
	bool ok = pyprof_kernels_read(&kernels, selection->profile, query->progress);
	for_heavy_rows (ok, i, kernels.count, query->progress, "writing kernels", ROW_WEIGHT) {
		struct pyprof_kernel *kernel = &kernels.kernels[i];
		if (!selection_has_activity(selection, kernel->activity))
			continue;
		if (!kernel->marker.count)
			pyprof_arguments_add(kernel, kernels.arena, selection->derived);
		buffer_clear(&line);
		put_kernel(&line, selection->profile, kernel);
		size_t row =
			table_add_row(table, (struct ref){ REF_LAUNCH, kernel->activity, 0, 0 });
		table_set(table, row, "idx", value_int(kernel->line));
		table_set(table, row, "dict", table_copy_text(table, line.data, line.length));
	}
	if (ok && !table->rows)
		table->lacks = RECORDED_DEVICE;
	return ok || error_cancelled(query->error);
}

FORMAT_WRITER(pyprof_write_dict)
{
	size_t dict = (size_t)table_need(extract->table, "dict");
	for (size_t i = 0; i < extract->row_count; i++) {
		struct value line = table_value(extract->table, extract->rows[i], dict);
		if (!format_go_on(extract, i, progress, error))
			return false;
		buffer_add(&output->text, line.text, line.length);
		buffer_putc(&output->text, '\n');
		output_row(output);
	}
	return true;
}
