/*
 * Stacks for speedscope: a "sampled" profile of its file format, in which each stack is a sample
 * whose weight is its time, or what else was sampled.
 */
#include "report/format.h"

#include <inttypes.h>

struct speedscope_samples {
	const struct column *column; /* of the weights */
	struct intern *frames;
	struct buffer samples, weights; /* members of JSON arrays */
	int64_t total;
};

/* STACK is "root;frame;leaf". */
static void add_sample(struct speedscope_samples *sampled, const char *stack, size_t length,
		       int64_t ns)
{
	const char *end = stack + length, *comma = sampled->total ? "," : "";
	buffer_printf(&sampled->samples, "%s[", comma);
	for (const char *at = stack, *stop; at <= end; at = stop + 1) {
		stop = memchr(at, ';', (size_t)(end - at)) ?: end;
		uint32_t frame = intern_add(sampled->frames, at, (size_t)(stop - at));
		buffer_printf(&sampled->samples, "%s%" PRIu32, at == stack ? "" : ",", frame);
	}
	buffer_putc(&sampled->samples, ']');
	buffer_printf(&sampled->weights, "%s%" PRId64, comma, ns);
	sampled->total += ns;
}

static void write_sampled(struct output *output, const struct speedscope_samples *sampled)
{
	struct buffer *out = &output->text;
	enum unit unit = sampled->column->unit;
	const char *name = unit == UNIT_NS ? "nanoseconds" : unit == UNIT_BYTES ? "bytes" : "none";
	buffer_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			 "\"exporter\":\"" PACKAGE_STRING "\",\"shared\":{\"frames\":[");
	for (uint32_t i = 0; i < intern_count(sampled->frames); i++) {
		buffer_puts(out, i ? ",{\"name\":" : "{\"name\":");
		format_json_text(out, INTERNED(sampled->frames, i));
		buffer_putc(out, '}');
		output_row(output);
	}
	buffer_printf(out,
		      "]},\"profiles\":[{\"type\":\"sampled\",\"name\":\"%s by call stack\","
		      "\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRId64 ",\"samples\":[",
		      sampled->column->title, name, sampled->total);
	buffer_add(out, BUFFERED(&sampled->samples));
	buffer_puts(out, "],\"weights\":[");
	buffer_add(out, BUFFERED(&sampled->weights));
	buffer_puts(out, "]}]}\n");
}

FORMAT_WRITER(format_write_speedscope)
{
	const struct table *table = extract->table;
	int stack = table_need(table, "stack"), time = table_need(table, "value_ns");
	AUTO_INTERN struct intern *frames = intern_new();
	struct speedscope_samples sampled = { .column = table->column[time], .frames = frames };
	bool done = true;
	for (size_t i = 0; i < extract->row_count && done; i++) {
		struct value text = table_value(table, extract->rows[i], (size_t)stack);
		struct value ns = table_value(table, extract->rows[i], (size_t)time);
		done = format_go_on(extract, i, progress, error);
		if (ns.integer > 0)
			add_sample(&sampled, text.text, text.length, ns.integer);
	}
	if (done)
		write_sampled(output, &sampled);
	buffer_free(&sampled.samples);
	buffer_free(&sampled.weights);
	return done;
}
