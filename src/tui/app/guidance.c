/*
 * Guidance on mixed precision.
 */
#include "base/data_table.h"
#include "tui/app/app.h"
#include "tui/text/text_pane.h"

struct guidance {
	const char *label, *text;
};

static const struct guidance *guidance(void)
{
	return DATA_ROWS("guidance.txt", struct guidance, GUIDANCE_FIELD_ROWS);
}

void guidance_add(struct pane *pane)
{
	text_pane_heading(pane, "Mixed precision and Tensor Cores (:help mixed-precision)");
	for (const struct guidance *item = guidance(); item->label; item++)
		text_pane_item(pane, item->label, item->text);
}

void guidance_list(FILE *out)
{
	for (const struct guidance *item = guidance(); item->label; item++)
		fprintf(out, "%s\t%s\n", item->label, item->text);
}
