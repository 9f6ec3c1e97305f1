/*
 * Unified memory, as in `nsys stats`: migrations by address (um_sum), their totals (um_total_sum),
 * host page faults by function (um_cpu_page_faults_sum).
 */
#include "base/intern.h"
#include "base/sort.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_views.h"
#include "views/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What happened to the pages at an address. NO_VALUE: nothing of that kind. */
struct page {
	int64_t address;
	int64_t to_device, to_host; /* bytes */
	int64_t host_faults, device_faults;
	int64_t dur; /* of the migrations */
};

/* Where host faults happened: interned by its bytes. */
struct nsys_unified_report_place {
	uint32_t function, file, line; /* strings, NO_ROW */
};

struct nsys_unified_report_unified {
	const struct profile *profile;
	struct page *page;
	size_t count, capacity;
	struct intern *addresses; /* of pages, by bytes */
	struct intern *places;
	int64_t *faults; /* by place */
	size_t place_cap;
};

static int64_t plus(int64_t sum, int64_t more)
{
	return sum == NO_VALUE ? more : sum + more;
}

static struct page *page_at(struct nsys_unified_report_unified *unified, int64_t address)
{
	uint32_t at = intern_add(unified->addresses, (const char *)&address, sizeof address) - 1;
	if (at == unified->count) {
		mem_grow(unified->page, unified->capacity, unified->count + 1);
		unified->page[unified->count++] =
			(struct page){ address, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE, 0 };
	}
	return &unified->page[at];
}

static void add_place(struct nsys_unified_report_unified *unified, uint32_t span)
{
	const struct profile *profile = unified->profile;
	struct nsys_unified_report_place place = {
		nsys_span_attribute(profile, span, PAGE_FAULT_FUNCTION),
		nsys_span_attribute(profile, span, PAGE_FAULT_FILE),
		nsys_span_attribute(profile, span, PAGE_FAULT_LINE)
	};
	uint32_t at = intern_add(unified->places, (const char *)&place, sizeof place);
	size_t known = unified->place_cap;
	mem_grow(unified->faults, unified->place_cap, (size_t)at + 1);
	if (unified->place_cap > known)
		memset(unified->faults + known, 0,
		       (unified->place_cap - known) * sizeof *unified->faults);
	unified->faults[at]++;
}

static void add_fault(struct nsys_unified_report_unified *unified, uint32_t span)
{
	const struct profile *profile = unified->profile;
	enum span_kind kind = (enum span_kind)profile->span_kind[span];
	if ((kind != SPAN_INSTANT && kind != SPAN_OTHER) ||
	    strcmp(profile_string(profile, profile->span_info[span]), CATEGORY_PAGE_FAULT) != 0)
		return;
	int64_t address =
		nsys_number_of(profile, nsys_span_attribute(profile, span, MEMORY_ADDRESS));
	int64_t number =
		nsys_number_of(profile, nsys_span_attribute(profile, span, PAGE_FAULT_COUNT));
	struct page *page = page_at(unified, address);
	if (kind == SPAN_INSTANT) {
		page->host_faults = plus(page->host_faults, 1);
		add_place(unified, span);
	} else {
		page->device_faults = plus(page->device_faults, number == NO_VALUE ? 1 : number);
	}
}

static void add_migration(struct nsys_unified_report_unified *unified, uint32_t activity)
{
	static const char to_device[] = "Memcpy UVM HtoD", to_host[] = "Memcpy UVM DtoH";
	const struct profile *profile = unified->profile;
	const char *name = profile_string(profile, profile->activity_name[activity]);
	bool up = strncmp(name, to_device, sizeof to_device - 1) == 0;
	if (profile->activity_kind[activity] != ACTIVITY_MEMCPY ||
	    (!up && strncmp(name, to_host, sizeof to_host - 1) != 0))
		return;
	int64_t bytes = profile->activity_bytes[activity];
	struct page *page =
		page_at(unified, nsys_number_of(profile, nsys_activity_attribute(profile, activity,
										 MEMORY_ADDRESS)));
	int64_t *sum = up ? &page->to_device : &page->to_host;
	*sum = plus(*sum, bytes == NO_VALUE ? 0 : bytes);
	page->dur += profile->activity_dur[activity];
}

static bool nsys_unified_report_collect(struct nsys_unified_report_unified *unified,
					const struct selection *selection,
					const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (selection_has_span(selection, i))
			add_fault(unified, i);
		if (!progress_row(progress, "finding page faults", i, profile->spans))
			return false;
	}
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (selection_has_activity(selection, i))
			add_migration(unified, i);
		if (!progress_row(progress, "finding migrations", i, profile->activities))
			return false;
	}
	return true;
}

/* ---- rows ---- */

static struct value address_text(struct table *table, int64_t address)
{
	char text[24];
	if (address == NO_VALUE)
		return value_missing();
	int length = snprintf(text, sizeof text, "0x%" PRIX64, (uint64_t)address);
	return table_copy_text(table, text, (size_t)length);
}

/* Bytes per second of a page's migrations; nsys stats divides integers. */
static int64_t rate_of(const struct page *page)
{
	int64_t up = page->to_device == NO_VALUE ? 0 : page->to_device;
	int64_t down = page->to_host == NO_VALUE ? 0 : page->to_host, rate;
	bool moved = page->to_device != NO_VALUE || page->to_host != NO_VALUE;
	if (!moved || page->dur <= 0 ||
	    __builtin_mul_overflow(up + down, INT64_C(1000000000) / page->dur, &rate))
		return NO_VALUE;
	return rate;
}

/* Pages with host faults first, then with device faults, moved to the host, to the device. */
static int nsys_unified_report_class_of(const struct page *page)
{
	return page->host_faults != NO_VALUE     ? 0
	       : page->device_faults != NO_VALUE ? 1
	       : page->to_host != NO_VALUE       ? 2
						 : 3;
}

/* The fastest first, those without migrations last; ties as the query meets them. */
static int compare_pages(const void *a, const void *b)
{
	const struct page *x = a, *y = b;
	int64_t first = rate_of(x), second = rate_of(y);
	if (first != second)
		return first > second ? -1 : 1;
	int order = nsys_unified_report_class_of(x) - nsys_unified_report_class_of(y);
	return order ? order : (x->address > y->address) - (x->address < y->address);
}

static bool add_pages(struct table *table, struct nsys_unified_report_unified *unified,
		      const struct progress *progress)
{
	if (!sort_runs(unified->page, unified->count, sizeof *unified->page, compare_pages,
		       progress))
		return false;
	for (size_t i = 0; i < unified->count; i++) {
		const struct page *page = &unified->page[i];
		size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
		table_set(table, row, "address", address_text(table, page->address));
		table_set(table, row, "htod_bytes", cell_int(page->to_device));
		table_set(table, row, "dtoh_bytes", cell_int(page->to_host));
		table_set(table, row, "host_faults", cell_int(page->host_faults));
		table_set(table, row, "device_faults", cell_int(page->device_faults));
		table_set(table, row, "bytes_per_s", cell_int(rate_of(page)));
	}
	return true;
}

/* Lowest and highest address of each kind; nsys stats shows none unless all four kinds have one. */
struct extremes {
	int64_t low, high;
};

static void extend(struct extremes *extremes, int64_t address, int64_t amount, unsigned *kinds,
		   unsigned kind)
{
	if (amount == NO_VALUE || address == NO_VALUE)
		return;
	*kinds |= 1U << kind;
	extremes->low = address < extremes->low ? address : extremes->low;
	extremes->high = address > extremes->high ? address : extremes->high;
}

static bool add_totals(struct table *table, struct nsys_unified_report_unified *unified,
		       const struct progress *progress)
{
	enum { ALL_KINDS = 0xf };
	struct page total = { NO_VALUE, NO_VALUE, NO_VALUE, 0, NO_VALUE, 0 };
	struct extremes extremes = { INT64_MAX, INT64_MIN };
	unsigned kinds = 0;
	for (size_t i = 0; i < unified->count; i++) {
		const struct page *page = &unified->page[i];
		int64_t *const sums[] = { &total.to_device, &total.to_host, &total.host_faults,
					  &total.device_faults };
		const int64_t amounts[] = { page->to_device, page->to_host, page->host_faults,
					    page->device_faults };
		for (unsigned j = 0; j < 4; j++) {
			if (amounts[j] != NO_VALUE)
				*sums[j] = plus(*sums[j], amounts[j]);
			extend(&extremes, page->address, amounts[j], &kinds, j);
		}
	}
	bool recorded = profile_metadata(unified->profile, UNIFIED_FAULTS) || unified->count;
	if (!recorded)
		return true;
	size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
	table_set(table, row, "htod_bytes", cell_int(total.to_device));
	table_set(table, row, "dtoh_bytes", cell_int(total.to_host));
	table_set(table, row, "host_faults", cell_int(total.host_faults));
	table_set(table, row, "device_faults", cell_int(total.device_faults));
	if (kinds != ALL_KINDS)
		return true;
	table_set(table, row, "min_address", address_text(table, extremes.low));
	table_set(table, row, "max_address", address_text(table, extremes.high));
	return true;
}

struct nsys_unified_report_line {
	struct nsys_unified_report_place place;
	int64_t faults;
};

static int compare_ids(uint32_t a, uint32_t b)
{
	return (a + 1 > b + 1) - (a + 1 < b + 1); /* NO_ROW first */
}

static int nsys_unified_report_compare_lines(const void *a, const void *b)
{
	const struct nsys_unified_report_line *x = a, *y = b;
	if (x->faults != y->faults)
		return x->faults > y->faults ? -1 : 1;
	int order = compare_ids(x->place.function, y->place.function);
	if (!order)
		order = compare_ids(x->place.file, y->place.file);
	return order ? order : compare_ids(x->place.line, y->place.line);
}

static bool add_places(struct table *table, struct nsys_unified_report_unified *unified,
		       const struct progress *progress)
{
	const struct profile *profile = unified->profile;
	uint32_t count = intern_count(unified->places);
	struct nsys_unified_report_line *lines = mem_alloc(((size_t)count + 1) * sizeof *lines);
	size_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (intern_length(unified->places, i) != sizeof(struct nsys_unified_report_place))
			continue;
		memcpy(&lines[kept].place, intern_text(unified->places, i),
		       sizeof(struct nsys_unified_report_place));
		lines[kept++].faults = unified->faults[i];
	}
	bool ok =
		sort_runs(lines, kept, sizeof *lines, nsys_unified_report_compare_lines, progress);
	for (size_t i = 0; i < kept && ok; i++) {
		const struct nsys_unified_report_place *place = &lines[i].place;
		size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
		table_set(table, row, "host_faults", value_int(lines[i].faults));
		table_set(table, row, "function", cell_text(profile, place->function));
		table_set(table, row, "file", cell_text(profile, place->file));
		table_set(table, row, "line", cell_int(nsys_number_of(profile, place->line)));
	}
	mem_free(lines);
	return ok;
}

static bool build_unified(struct table *table, const struct view_query *query)
{
	struct nsys_unified_report_unified unified = { .profile = query->selection->profile,
						       .addresses = intern_new(),
						       .places = intern_new() };
	bool done = nsys_unified_report_collect(&unified, query->selection, query->progress);
	if (done && table->view == &view_nsys_migrations)
		done = add_pages(table, &unified, query->progress);
	else if (done && table->view == &view_nsys_migration_totals)
		done = add_totals(table, &unified, query->progress);
	else if (done)
		done = add_places(table, &unified, query->progress);
	if (!table->rows)
		table_note(table, "No unified memory events in this scope; record them with nsys "
				  "profile --cuda-um-cpu-page-faults=true "
				  "--cuda-um-gpu-page-faults=true.");
	intern_free(unified.addresses);
	intern_free(unified.places);
	mem_free(unified.page);
	mem_free(unified.faults);
	return done;
}

#define UNIFIED(id, what, line, about, list)                                                       \
	const struct view view_nsys_##id = {                                                       \
		.name = "nsys-" what,                                                              \
		.title = what,                                                                     \
		.row = line,                                                                       \
		.summary = "nsys stats: " about ".",                                               \
		.columns = list,                                                                   \
		.default_columns = list,                                                           \
		.default_sort = "",                                                                \
		.build = build_unified,                                                            \
	}

UNIFIED(migrations, "um_sum", "pages of one address", "migrations and faults of unified memory",
	"address,htod_bytes,dtoh_bytes,host_faults,device_faults,bytes_per_s");
UNIFIED(migration_totals, "um_total_sum", "the whole capture",
	"totals of unified memory migrations and faults",
	"htod_bytes,dtoh_bytes,host_faults,device_faults,min_address,max_address");
UNIFIED(faults, "um_cpu_page_faults_sum", "a place in the code",
	"host page faults of unified memory", "host_faults,function,file,line");
