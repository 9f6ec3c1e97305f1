#include "tui/core/pane.h"

#include "base/buffer.h"
#include "base/error.h"

void *pane_new(size_t size, const struct pane_ops *ops, const char *name)
{
	static uint64_t panes;
	struct pane *pane = mem_zalloc(1, size);
	pane->number = ++panes;
	pane->ops = ops;
	pane->name = name;
	pane->context = ops->context;
	return pane;
}

struct pane_subject pane_subject(const struct pane *pane)
{
	struct pane_subject subject = { .kind = pane ? pane->ops->kind : PANE_TEXT };
	if (pane && pane->ops->subject)
		pane->ops->subject(pane, &subject);
	return subject;
}

bool pane_refuse(enum query_part part, struct error *error)
{
	return error_usage(error,
			   part == QUERY_LANE       ? "lanes exist on the timeline only"
			   : part == QUERY_SHORTEST ? "the timeline alone leaves out short events"
			   : part == QUERY_FILTER   ? "only tables and the timeline can be filtered"
						    : "no table here");
}

bool pane_requery(struct pane *pane, struct tui *tui, enum query_part part, const char *text,
		  struct error *error)
{
	return pane->ops->requery ? pane->ops->requery(pane, tui, part, text, error)
				  : pane_refuse(part, error);
}

struct ref pane_ref(const struct pane *pane, const struct tui *tui)
{
	return pane->ops->ref ? pane->ops->ref(pane, tui, pane->ops->row(pane)) : NO_REF;
}

int pane_strip_set(struct ref ref)
{
	return ref.kind == REF_LAUNCH || ref.kind == REF_NONE ? REF_CALL : (int)ref.kind;
}

void pane_position(struct buffer *out, size_t at, size_t count)
{
	size_t row = count > 0 ? at + 1 : 0;
	if (count > 0)
		buffer_printf(out, "%d%% ", (int)(100.0 * (double)row / (double)count));
	buffer_printf(out, "%zu/%zu", row, count);
}
