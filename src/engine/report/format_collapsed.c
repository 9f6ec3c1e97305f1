/*
 * Collapsed stacks for flame graph tools: one line "frame;frame;leaf 1234" per stack.
 */
#include "base/text.h"
#include "report/format.h"

FORMAT_WRITER(format_write_collapsed)
{
	const struct table *table = extract->table;
	int stack = table_need(table, "stack"), time = table_need(table, "value_ns");
	for (size_t i = 0; i < extract->row_count; i++) {
		struct value text = table_value(table, extract->rows[i], (size_t)stack);
		struct value ns = table_value(table, extract->rows[i], (size_t)time);
		if (!format_go_on(extract, i, progress, error))
			return false;
		/* escaped, since a newline in a name would end the record */
		text_escape(&output->text, text.text, text.length);
		buffer_printf(&output->text, " %lld\n", (long long)ns.integer);
		output_row(output);
	}
	return true;
}
