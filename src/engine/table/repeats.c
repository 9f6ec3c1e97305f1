#include "base/compare.h"
#include "table/repeats.h"

#include "base/buffer.h"
#include "base/hash.h"
#include "base/moments.h"
#include "base/sort.h"
#include "base/text_slice.h"

#include <ctype.h>
#include <math.h>

static const double DEVIATION_OF_MEDIAN = 1.4826; /* scales the MAD to a standard deviation */
static const double OUTLIER_DEVIATIONS = 5, OUTLIER_SHARE = 0.1; /* of the median */

static const char stage[] = "folding repeats";

enum { NUMBER_DIGITS = 18 };

struct name_class name_class(const char *name, size_t length)
{
	struct name_class class = { .text = name, .length = length };
	size_t digits = 0;
	uint64_t number = 0, scale = 1;
	for (; digits < length && digits <= NUMBER_DIGITS; digits++, scale *= 10) {
		char c = name[length - 1 - digits];
		if (!isdigit((unsigned char)c))
			break;
		if (digits < NUMBER_DIGITS)
			number += scale * (uint64_t)(c - '0');
	}
	if (!digits || digits > NUMBER_DIGITS || length - digits < 2 ||
	    !strchr("_.#", name[length - digits - 1]))
		return class;
	class.length = length - digits - 1;
	class.number = number;
	class.numbered = true;
	return class;
}

/* A row that may be folded. */
struct repeats_candidate {
	uint32_t parent, class, row;
	uint64_t shape; /* equal if the classes below are */
};

struct repeats_folding {
	struct table *table;
	const struct repeat_rules *rules;
	const struct progress *progress;
	size_t rows; /* before folding */
	int name, kind;
	uint32_t *parent; /* by row; NO_ROW for roots */
	uint32_t *end;    /* by row: first row after its subtree */
	uint32_t *folded; /* by row: if it is a first member, the folded row */
	uint32_t *next;   /* by row: next member of its repeat */
	uint8_t *deeper;  /* by row: 1 for members */
	GROWING(struct repeats_candidate, candidates, count);
};

static struct value repeats_name_of(const struct repeats_folding *self, size_t row)
{
	struct value name = table_value(self->table, row, (size_t)self->name);
	return name.kind == VALUE_TEXT ? name : value_text("");
}

static struct name_class repeats_class_of(const struct repeats_folding *self, size_t row)
{
	struct value name = repeats_name_of(self, row);
	return name_class(name.text, name.length);
}

bool is_layer_kind(struct value kind)
{
	return kind.kind == VALUE_TEXT &&
	       text_choice(kind.text, kind.length, "module|annotation|python") >= 0;
}

static bool repeats_is_layer(const struct repeats_folding *self, size_t row)
{
	return is_layer_kind(table_value(self->table, row, (size_t)self->kind));
}

static bool find_subtrees(struct repeats_folding *self)
{
	AUTO_FREE uint32_t *above = NULL;
	size_t depth_before = 0;
	for (size_t row = 0; row <= self->rows; row++) {
		size_t depth = row < self->rows ? table_depth(self->table, row) : 0;
		if (!progress_row(self->progress, stage, row, self->rows))
			return false;
		for (size_t d = depth; row > 0 && d <= depth_before; d++)
			self->end[above[d]] = (uint32_t)row;
		if (row == self->rows)
			break;
		mem_grow(above, depth + 1);
		above[depth] = (uint32_t)row;
		self->parent[row] = depth ? above[depth - 1] : NO_ROW;
		depth_before = depth;
	}
	return true;
}

/* The path without numbers: "ViT/ViTLayer/Linear". */
static void add_class_path(struct buffer *out, const char *path, size_t length)
{
	for (size_t at = 0, end; at < length; at = end + 1) {
		const char *slash = memchr(path + at, '/', length - at);
		end = slash ? (size_t)(slash - path) : length;
		struct name_class class = name_class(path + at, end - at);
		if (at)
			buffer_putc(out, '/');
		buffer_add(out, class.text, class.length);
	}
}

static bool find_paths(struct repeats_folding *self)
{
	AUTO_INTERN struct intern *classes = intern_new();
	AUTO_BUFFER struct buffer path = { 0 };
	bool good = true;
	for_rows (good, row, self->rows, self->progress, stage) {
		struct value name = repeats_name_of(self, row);
		if (!repeats_is_layer(self, row))
			continue;
		buffer_clear(&path);
		add_class_path(&path, name.text, name.length);
		*mem_push(self->candidates, self->count) =
			(struct repeats_candidate){ NO_ROW, intern_add(classes, BUFFERED(&path)),
						    (uint32_t)row, 0 };
	}
	return good;
}

/* From the last row to the first: children precede their parent. */
static bool find_candidates(struct repeats_folding *self)
{
	AUTO_INTERN struct intern *classes = intern_new();
	AUTO_FREE uint64_t *below = mem_zalloc(self->rows + 1, sizeof *below);
	bool good = true;
	for (size_t row = self->rows; row-- > 0 && good;) {
		uint64_t shape = below[row];
		good = progress_row(self->progress, stage, row, self->rows);
		if (repeats_is_layer(self, row)) {
			struct name_class class = repeats_class_of(self, row);
			uint32_t id = intern_add(classes, class.text, class.length);
			shape = hash_pair(id, shape);
			if (class.numbered && self->parent[row] != NO_ROW) {
				*mem_push(self->candidates, self->count) =
					(struct repeats_candidate){ self->parent[row], id,
								    (uint32_t)row, shape };
			}
		}
		if (self->parent[row] != NO_ROW)
			below[self->parent[row]] += shape;
	}
	return good;
}

/* Parents descending, so that inner repeats come first. */
COMPARE_MEMBERS(by_class, struct repeats_candidate, DOWN(parent) UP(class) UP(shape) UP(row))

/* Member whose time stands out, or SIZE_MAX. Reorders SORTED. */
static size_t find_outlier(const double *times, double *sorted, size_t count)
{
	double middle = median_double(sorted, count);
	size_t best = 0;
	for (size_t i = 0; i < count; i++) {
		sorted[i] = fabs(times[i] - middle);
		if (fabs(times[i] - middle) > fabs(times[best] - middle))
			best = i;
	}
	double spread = DEVIATION_OF_MEDIAN * median_double(sorted, count);
	double away = fabs(times[best] - middle);
	return away > OUTLIER_DEVIATIONS * spread && away > OUTLIER_SHARE * fabs(middle) ? best
											 : SIZE_MAX;
}

/* Times of the members by the first measure that any has; all 0 without one. */
static void read_times(const struct repeats_folding *self, const struct repeat *repeat,
		       double *times)
{
	bool any = false;
	for (size_t m = 0; m < 2 && !any; m++) {
		int column = self->rules->measures[m]
				     ? table_column(self->table, self->rules->measures[m])
				     : -1;
		for (size_t i = 0; i < repeat->count; i++) {
			times[i] = value_number(
				table_value_or_missing(self->table, repeat->members[i], column), 0);
			any |= times[i] != 0;
		}
	}
}

static void set_statistics(const struct repeats_folding *self, const struct repeat *repeat)
{
	size_t count = repeat->count;
	double *times = mem_alloc(2 * count * sizeof *times), sum = 0, squares = 0;
	read_times(self, repeat, times);
	for (size_t i = 0; i < count; i++)
		sum += times[i];
	double mean = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (times[i] - mean) * (times[i] - mean);
	memcpy(times + count, times, count * sizeof *times);
	size_t outlier = find_outlier(times, times + count, count);
	table_set_listed(self->table, repeat->row, "repeats", value_int((int64_t)count));
	table_set_listed(self->table, repeat->row, "repeat_mean_ns", value_int(llround(mean)));
	if (mean > 0)
		table_set_listed(self->table, repeat->row, "repeat_spread_pct",
				 value_real(100 * sqrt(squares / (double)(count - 1)) / mean));
	if (outlier != SIZE_MAX)
		table_set_listed(self->table, repeat->row, "outlier",
				 repeats_name_of(self, repeat->members[outlier]));
	mem_free(times);
}

/* "ViT/ViTLayer/Linear ×72" */
static void set_path(const struct repeats_folding *self, const struct repeat *repeat)
{
	struct value name = repeats_name_of(self, repeat->members[0]);
	AUTO_BUFFER struct buffer path = { 0 };
	add_class_path(&path, name.text, name.length);
	table_set_at(self->table, repeat->row, (size_t)self->name,
		     table_printf(self->table, "%s ×%zu", buffer_text(&path), repeat->count));
}

/* "ViTLayer_{0..11} ×12" */
static void set_name(const struct repeats_folding *self, const struct repeat *repeat)
{
	struct table *table = self->table;
	size_t first = repeat->members[0];
	struct value name = repeats_name_of(self, first);
	struct name_class class = repeats_class_of(self, first);
	uint64_t low = class.number, high = class.number;
	for (size_t i = 1; i < repeat->count; i++) {
		uint64_t number = repeats_class_of(self, repeat->members[i]).number;
		low = number < low ? number : low;
		high = number > high ? number : high;
	}
	struct value folded =
		table_printf(table, "%.*s{%llu..%llu} ×%zu", (int)class.length + 1, name.text,
			     (unsigned long long)low, (unsigned long long)high, repeat->count);
	table_set_at(table, repeat->row, (size_t)self->name, folded);
	int column = table_column(table, "path");
	struct value path = table_value_or_missing(table, first, column);
	if (path.kind != VALUE_TEXT || path.length < name.length)
		return;
	table_set_at(table, repeat->row, (size_t)column,
		     table_printf(table, "%.*s%s", (int)(path.length - name.length), path.text,
				  folded.text));
}

static void repeats_fold(struct repeats_folding *self, const uint32_t *members, size_t count)
{
	struct table *table = self->table;
	struct ref ref = table_ref(table, members[0]);
	uint32_t node = ref.kind == REF_LAYER ? ref.a : NO_ROW;
	uint32_t depth = table_depth(table, members[0]);
	struct repeat repeat = { 0, members, count };
	repeat.row = table_add_row(table, (struct ref){ REF_REPEAT, node, (uint32_t)count, 0 });
	table_set_depth(table, repeat.row, depth);
	if (self->rules->paths)
		set_path(self, &repeat);
	else
		set_name(self, &repeat);
	table_set_at(table, repeat.row, (size_t)self->kind, value_text("class"));
	set_statistics(self, &repeat);
	self->rules->fill(self->rules->context, table, &repeat);
	self->folded[members[0]] = (uint32_t)repeat.row;
	for (size_t i = 0; i < count; i++) {
		self->deeper[members[i]] = 1;
		self->next[members[i]] = i + 1 < count ? members[i + 1] : NO_ROW;
	}
}

static bool same_class(const struct repeats_candidate *a, const struct repeats_candidate *b)
{
	return a->parent == b->parent && a->class == b->class && a->shape == b->shape;
}

static bool fold_classes(struct repeats_folding *self)
{
	AUTO_FREE uint32_t *members = mem_alloc((self->count + 1) * sizeof *members);
	bool good = true;
	sort_items(self->candidates, self->count, by_class);
	for (size_t i = 0, end; i < self->count && good; i = end) {
		for (end = i;
		     end < self->count && same_class(&self->candidates[i], &self->candidates[end]);
		     end++)
			members[end - i] = self->candidates[end].row;
		good = progress_row(self->progress, stage, i, self->count);
		if (good && end - i >= REPEATS_MIN)
			repeats_fold(self, members, end - i);
	}
	return good;
}

/* Rows from AT to before END, then what is below on the stack. */
struct repeats_range {
	uint32_t at, end, deeper;
	uint32_t member; /* AT is this member of a repeat, the rest of which follows; or NO_ROW */
};

/* List the rows with members next to each other, and deepen what is folded. */
static void arrange(struct repeats_folding *self)
{
	struct table *table = self->table;
	AUTO_FREE uint32_t *order = mem_alloc((table->rows + 1) * sizeof *order);
	AUTO_FREE struct repeats_range *stack = NULL;
	size_t depth = 0, count = 0;
	mem_grow(stack, 1);
	stack[depth++] = (struct repeats_range){ 0, (uint32_t)self->rows, 0, NO_ROW };
	while (depth) {
		struct repeats_range *top = &stack[depth - 1];
		uint32_t row = top->at;
		if (row >= top->end) {
			uint32_t next = top->member == NO_ROW ? NO_ROW : self->next[top->member];
			if (next == NO_ROW)
				depth--;
			else
				*top = (struct repeats_range){ next, self->end[next], top->deeper,
							       next };
			continue;
		}
		if (self->deeper[row] && top->member != row) {
			uint32_t deeper = top->deeper;
			top->at = self->end[row];
			if (self->folded[row] == NO_ROW)
				continue;
			order[count] = self->folded[row];
			table_set_depth(table, order[count],
					table_depth(table, order[count]) + deeper);
			count++;
			*mem_push(stack, depth) =
				(struct repeats_range){ row, self->end[row], deeper + 1, row };
			continue;
		}
		table_set_depth(table, row, table_depth(table, row) + top->deeper);
		order[count++] = row;
		top->at = row + 1;
	}
	table_keep(table, order, count);
}

/* A row of the outermost level, by its change. */
struct ranked {
	double change[2];
	uint32_t row;
};

static int by_change(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	for (int i = 0; i < 2; i++)
		if (x->change[i] != y->change[i])
			return x->change[i] > y->change[i] ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The same of a list: folded rows with their members, largest change first. */
static void arrange_list(struct repeats_folding *self)
{
	struct table *table = self->table;
	AUTO_FREE uint32_t *order = mem_alloc((table->rows + 1) * sizeof *order);
	AUTO_FREE struct ranked *outer = mem_alloc((table->rows + 1) * sizeof *outer);
	size_t count = 0, outers = 0;
	for (size_t row = 0; row < self->rows; row++) {
		if (self->deeper[row] && self->folded[row] == NO_ROW)
			continue;
		struct ranked *one = &outer[outers++];
		one->row = (uint32_t)row;
		size_t at = self->deeper[row] ? self->folded[row] : row;
		for (int i = 0; i < 2; i++)
			one->change[i] =
				fabs(self->rules->change(self->rules->context, table, at, i));
	}
	qsort(outer, outers, sizeof *outer, by_change);
	for (size_t i = 0; i < outers; i++) {
		uint32_t row = outer[i].row;
		if (!self->deeper[row]) {
			order[count++] = row;
			continue;
		}
		order[count++] = self->folded[row];
		for (; row != NO_ROW; row = self->next[row]) {
			table_set_depth(table, row, 1);
			order[count++] = row;
		}
	}
	table->is_tree = true;
	table_keep(table, order, count);
}

bool table_fold_repeats(struct table *table, const struct repeat_rules *rules,
			const struct progress *progress)
{
	struct repeats_folding self = { .table = table,
					.rules = rules,
					.progress = progress,
					.rows = table->rows,
					.name = table_need(table, "name"),
					.kind = table_need(table, "kind"),
					.parent = mem_no_rows(table->rows + 1),
					.end = mem_no_rows(table->rows + 1),
					.folded = mem_no_rows(table->rows + 1),
					.next = mem_no_rows(table->rows + 1),
					.deeper = mem_zalloc(table->rows + 1, 1) };
	bool good = (rules->paths ? find_paths(&self)
				  : find_subtrees(&self) && find_candidates(&self)) &&
		    fold_classes(&self);
	if (good && table->rows > self.rows)
		(rules->paths ? arrange_list : arrange)(&self);
	mem_free_all(self.parent, self.end, self.folded, self.next, self.deeper, self.candidates);
	return good;
}
