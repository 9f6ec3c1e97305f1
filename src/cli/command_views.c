#include "cli/commands.h"

#include "analysis/advice/detectors.h"
#include "analysis/work/device_peaks.h"
#include "base/text_slice.h"
#include "picture/picture.h"
#include "picture/plot/plot.h"
#include "report/catalog.h"

/* Wrap the list of columns for reading. */
static void print_wrapped(const char *list)
{
	enum { WIDTH = 78 };
	size_t used = 0;
	for (struct text_slice item; text_next_item(&list, &item);) {
		if (used && used + item.length + 2 > WIDTH) {
			printf(",\n");
			used = 0;
		}
		used += (size_t)printf("%s%.*s", used ? ", " : "    ", (int)item.length, item.text);
	}
	printf("\n");
}

static void print_plots(void)
{
	printf("\nPlots (text or SVG from strata report; P or :plot in the explorer):\n");
	for (size_t i = 0; plot_at(i); i++) {
		const struct plot_kind *kind = plot_at(i);
		printf("  plot-%s: %s\n    group by", kind->name, kind->summary);
		for (int group = 0; group < PLOT_GROUPS_MAX && kind->groups[group].name; group++)
			printf("%s %s", group ? "," : "", kind->groups[group].name);
		printf("\n");
	}
}

static void print_view(const struct view *view)
{
	printf("\n%s: a row is %s\n  %s\n", view->name, view->row, view->summary);
	for (int group = 0; group < VIEW_GROUPS_MAX && view->groups[group]; group++)
		printf("%s %s", group ? "," : "  group by", view->groups[group]);
	printf("%s", view->groups[0] ? "\n" : "");
	print_wrapped(view->columns);
}

static int print_views(void)
{
	for (size_t area = 0; view_area_at(area); area++) {
		printf("%sViews of %s:\n", area ? "\n" : "", view_area_at(area));
		for (size_t i = 0; view_at(i); i++)
			if (view_is_of(view_at(i), view_area_at(area)))
				print_view(view_at(i));
	}
	print_plots();
	printf("\nPictures (text from strata report; interactive in the explorer):\n");
	for (size_t i = 0; picture_at(i); i++)
		printf("  %s: %s\n", picture_at(i)->name, picture_at(i)->summary);
	return fflush(stdout) == 0 ? STATUS_DONE : STATUS_OUTPUT;
}

int command_views(struct session *session)
{
	const struct options *options = session->options;
	if (options->format == format_at(0) && !options->output)
		return print_views();
	AUTO_TABLE struct table *table = catalog_views();
	return print_table(session, table);
}

void list_detectors(FILE *out)
{
	for (const struct detector *detector = detectors(); detector->id; detector++)
		fprintf(out, "%s\t%s\t%s\n", detector->id, detector->problem, detector->condition);
}

void list_gpus(FILE *out)
{
	for (size_t i = 0; device_peaks_name(i); i++)
		fprintf(out, "%s\n", device_peaks_name(i));
}
