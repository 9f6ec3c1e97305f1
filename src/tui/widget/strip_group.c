/*
 * The order of the entries of the detail strip: identity, time, launch, data.
 */
#include "base/any_of.h"
#include "base/buffer.h"
#include "base/data_table.h"
#include "base/listed.h"
#include "base/text.h"
#include "tui/widget/strip.h"

enum entry_group { ENTRY_GROUP_ROWS(LISTED) GROUPS };

#define ABSENT "-"

struct strip_kind {
	const char *label, *instead;
	enum entry_group group;
	int columns;
};

static const char *const group_names[] = { ENTRY_GROUP_ROWS(LISTED_NAME) NULL };

static const struct strip_kind *strip_kinds(void)
{
	return DATA_ROWS("strip.txt", struct strip_kind, STRIP_FIELD_ROWS);
}

/* Is it "Mean" or "GPU Mean"? */
static bool ends_with(const char *label, size_t length, const char *end)
{
	size_t size = strlen(end);
	return size <= length && !strncmp(label + length - size, end, size);
}

/* The row with the longest label that LABEL starts with, or the last. */
static const struct strip_kind *kind_of(const char *label, size_t length)
{
	static const char *const spread[] = { "Min", "Max", "StdDev", "Median" };
	const struct strip_kind *kind = strip_kinds(), *best = NULL;
	for (size_t i = 0; i < sizeof spread / sizeof *spread; i++) {
		if (ends_with(label, length, spread[i])) {
			label = "StdDev";
			length = strlen(label);
		}
	}
	for (; kind->group != GROUP_OTHER; kind++) {
		size_t size = strlen(kind->label);
		if (size <= length && !strncmp(kind->label, label, size) &&
		    (!best || size > strlen(best->label)))
			best = kind;
	}
	return best && !ends_with(label, length, "Mean") ? best : kind;
}

/* Does an argument have a shape? */
static bool has_tensors(const char *text)
{
	const char *shapes = strstr(text, "\nInput Shapes\t");
	return shapes && strcspn(shapes + 1, "0123456789") < strcspn(shapes + 1, "\n");
}

/* The list of arguments in full, which Data has in short or which has scalars only. */
static bool is_long_form(const struct buffer *text, const struct strip_line *line)
{
	static const char *const forms[] = { "Inputs", "Input Shapes", "Input Types", "Strides" };
	static const char data[] = "\nData\t";
	const char *brief = strstr(buffer_text(text), data);
	bool told = brief && brief[strlen(data)] != '\n', tensors = has_tensors(buffer_text(text));
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strip_label_is(line, forms[i]))
			return told || (i > 0 && !tensors);
	return false;
}

/* Drop entries without a text unless ABSENT, and lists in full unless LONG_FORMS. */
static void keep_entries(struct buffer *text, bool absent, bool long_forms)
{
	struct buffer kept = { 0 };
	struct strip_line line;
	for (const char *at = buffer_text(text); strip_next(&at, &line);) {
		bool empty = line.text == line.label + line.label_length + 1 && !line.text_length;
		if ((absent || !empty) && (long_forms || !is_long_form(text, &line)))
			buffer_printf(&kept, "%.*s\n",
				      (int)(line.text + line.text_length - line.label), line.label);
	}
	buffer_free(text);
	*text = kept;
}

void strip_drop_long_forms(struct buffer *text)
{
	keep_entries(text, true, false);
}

void strip_drop_absent(struct buffer *text)
{
	keep_entries(text, false, true);
}

/* An amount of nothing, "0 ns". */
static bool is_zero(const struct strip_line *line)
{
	return line->text_length > 1 && line->text[0] == '0' &&
	       (line->text[1] == ' ' || !strncmp(line->text, "0.0%", line->text_length));
}

/* ---- places ---- */

void strip_places_free(struct strip_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		mem_free(places->place[i].label);
	mem_free(places->place);
	*places = (struct strip_places){ 0 };
}

static bool same_text(const char *text, const char *bytes, size_t length)
{
	return strlen(text) == length && !memcmp(text, bytes, length);
}

/* The label whose place entries of LABEL have. */
static const char *place_label(const char *label, size_t *length)
{
	const struct strip_kind *kind = strip_kinds();
	while (kind->group != GROUP_OTHER &&
	       (!kind->instead || !same_text(kind->label, label, *length)))
		kind++;
	*length = kind->instead ? strlen(kind->instead) : *length;
	return kind->instead ?: label;
}

static struct strip_place *place_of_label(const struct strip_places *places, int set,
					  const char *label, size_t length)
{
	label = place_label(label, &length);
	return first_of(at, places->place, places->count,
			at->set == set && same_text(at->label, label, length));
}

bool strip_places_have(const struct strip_places *places, int set, const char *label)
{
	return place_of_label(places, set, label, strlen(label)) != NULL;
}

/* Order of places: by group and, in a group, by label; shared places have an order of their own.
 */
enum { ORDER_OF_GROUP = 200, ORDER_OF_LABEL = 20 };

static struct strip_place *add_place(struct strip_places *places, int set, const char *label,
				     size_t length)
{
	label = place_label(label, &length);
	const struct strip_kind *kind = kind_of(label, length);
	size_t at = places->count;
	int order =
		ORDER_OF_GROUP * (int)kind->group + ORDER_OF_LABEL + (int)(kind - strip_kinds());
	const struct strip_place made = {
		.set = set,
		.label = mem_strndup(label, length),
		.order = order,
		.columns = (int)length + 1 + kind->columns,
	};
	mem_grow(places->place, places->count + 1);
	for (places->count++; at > 0 && places->place[at - 1].order > order; at--)
		places->place[at] = places->place[at - 1];
	places->place[at] = made;
	return &places->place[at];
}

/* Labels with the same places in events of several kinds. */
static const struct {
	const char *label;
	enum entry_group group;
	int at;   /* below ORDER_OF_LABEL: before the others of the group */
	bool all; /* events of all kinds have it */
} shared[] = { SHARED_PLACES };

/* Move the place at INDEX to where its new order belongs. */
static void reorder(struct strip_places *places, size_t index, int order)
{
	struct strip_place moved = places->place[index];
	moved.order = order;
	for (; index > 0 && places->place[index - 1].order > order; index--)
		places->place[index] = places->place[index - 1];
	for (; index + 1 < places->count && places->place[index + 1].order < order; index++)
		places->place[index] = places->place[index + 1];
	places->place[index] = moved;
}

static void share(struct strip_places places[], size_t count, size_t which, int set)
{
	const char *label = shared[which].label;
	size_t length = strlen(label);
	int columns = 0;
	for (size_t i = 0; i < count; i++) {
		const struct strip_place *own = place_of_label(&places[i], set, label, length);
		if (own && own->rows && own->columns > columns)
			columns = own->columns;
	}
	for (size_t i = 0; columns > 0 && i < count; i++) {
		struct strip_place *own = place_of_label(&places[i], set, label, length);
		if (!own && !shared[which].all)
			continue;
		own = own ?: add_place(&places[i], set, label, length);
		own->columns = columns;
		own->rows += !own->rows && shared[which].all;
		reorder(&places[i], (size_t)(own - places[i].place),
			ORDER_OF_GROUP * (int)shared[which].group + shared[which].at);
	}
}

void strip_places_share(struct strip_places places[], size_t count, int set)
{
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
		share(places, count, i, set);
	for (size_t i = 0; i < count; i++)
		places[i].shared = true;
}

/* The first of two rows, one after another, has a link to the second. */
static size_t first_row(const char *text)
{
	const char *second = strstr(text, "\n\n");
	return second ? (size_t)(second - text) + 1 : strlen(text);
}

static int entry_width(const struct strip_line *line)
{
	return (int)(text_width(line->label, line->label_length) + 1 +
		     text_width(line->text, line->text_length));
}

void strip_places_note(struct strip_places *places, int set, const char *text)
{
	const char *end = text + first_row(text);
	for (struct strip_line line; text < end && strip_next(&text, &line);) {
		int columns = entry_width(&line);
		if (kind_of(line.label, line.label_length)->group == GROUP_FULL)
			continue;
		struct strip_place *place =
			place_of_label(places, set, line.label, line.label_length);
		if (!place && places->count < STRIP_PLACES_MAX)
			place = add_place(places, set, line.label, line.label_length);
		if (place && place->columns < columns)
			place->columns = columns;
		if (place)
			place->rows += line.text_length > 0 && !is_zero(&line);
	}
}

/* ---- grouping ---- */

struct entry_grouping {
	strip_shows *shows;
	const struct pane *pane;
	struct buffer out;
	enum entry_group last; /* GROUPS: none yet */
	bool rare, shared;
	bool blank; /* the next entry just holds its place */
};

static enum entry_group group_of_place(const struct strip_place *place)
{
	return (enum entry_group)(place->order / ORDER_OF_GROUP);
}

/* An entry at least COLUMNS wide. */
static void add_grouped(struct entry_grouping *self, enum entry_group group,
			const struct strip_line *line, int columns)
{
	const char *dash = line->text_length ? "" : ABSENT;
	int have = entry_width(line) + (int)strlen(dash);
	if (self->shows(self->pane, line->label, line->label_length) == SHOWN_EVERYWHERE)
		return;
	if (group != self->last)
		buffer_putc(&self->out, STRIP_GROUP);
	self->last = group;
	if (self->rare)
		buffer_putc(&self->out, STRIP_RARE);
	if (group == GROUP_LAUNCH ||
	    (group == GROUP_IDENTITY && !(self->shared && strip_label_is(line, "Name"))))
		buffer_putc(&self->out, STRIP_SHORTENS);
	if (self->blank)
		buffer_putc(&self->out, STRIP_BLANK);
	if (group == GROUP_DATA || (group > GROUP_DATA && self->shared))
		buffer_putc(&self->out, STRIP_LIST);
	buffer_printf(&self->out, "%.*s\t%.*s%s%*s\n", (int)line->label_length, line->label,
		      (int)line->text_length, line->text, dash, columns > have ? columns - have : 0,
		      "");
}

/*
 * The last entry of TEXT with a text that belongs at PLACE: of its label, or one that rows have
 * instead. False: it has none.
 */
static bool entry_at(const struct strip_place *place, const struct buffer *text,
		     struct strip_line *found)
{
	bool any = false;
	struct strip_line line;
	for (const char *at = buffer_text(text); strip_next(&at, &line);) {
		size_t length = line.label_length;
		const char *label = place_label(line.label, &length);
		if (!line.text_length || !same_text(place->label, label, length))
			continue;
		any = true;
		*found = line;
	}
	return any;
}

/* Is the text of LINE that of an entry already added? */
static bool is_told(const struct entry_grouping *self, const struct strip_line *line)
{
	struct strip_line told;
	for (const char *at = buffer_text(&self->out); strip_next(&at, &told);)
		if (line->text_length > 1 && told.text_length >= line->text_length &&
		    !memcmp(told.text, line->text, line->text_length) &&
		    strspn(told.text + line->text_length, " ") ==
			    told.text_length - line->text_length)
			return true;
	return false;
}

/* Do fewer than an eighth of the rows with the most common label have this one of no group? */
static bool is_rare(const struct strip_places *places, const struct strip_place *place)
{
	enum { FEW = 8 };
	size_t most = 0;
	for (size_t i = 0; i < places->count; i++)
		if (places->place[i].set == place->set && places->place[i].rows > most)
			most = places->place[i].rows;
	return group_of_place(place) == GROUP_OTHER && place->rows * FEW < most;
}

/* All entries that rows of SET have; if RARE those that few have, if this one has them. */
static void add_places(struct entry_grouping *self, const struct buffer *text,
		       const struct strip_places *places, int set, bool rare)
{
	for_each (place, places->place, places->count) {
		if (place->set != set || place->rows == 0 || is_rare(places, place) != rare)
			continue;
		enum entry_group group = group_of_place(place);
		struct strip_line own = { place->label, "", strlen(place->label), 0 };
		bool found = entry_at(place, text, &own);
		if (rare && !found)
			continue;
		self->rare = rare;
		self->blank = found ? is_zero(&own) ||
					      (group == GROUP_IDENTITY && is_told(self, &own)) ||
					      self->shows(self->pane, own.label,
							  own.label_length) == SHOWN_HERE
				    : group != GROUP_LAUNCH;
		add_grouped(self, group, &own, place->columns);
	}
	self->blank = false;
}

/* The entries of this row. */
static void add_entries(struct entry_grouping *self, const struct buffer *text)
{
	struct strip_line line;
	for (const struct strip_kind *kind = strip_kinds(); kind->label; kind++)
		for (const char *at = buffer_text(text); strip_next(&at, &line);) {
			int columns = (int)line.label_length + 1 + kind->columns;
			if (line.text_length && kind->group != GROUP_FULL && !is_zero(&line) &&
			    kind_of(line.label, line.label_length) == kind)
				add_grouped(self, kind->group, &line,
					    kind->group == GROUP_OTHER ? 0 : columns);
		}
}

void strip_group(struct buffer *text, strip_shows *shows, const struct pane *pane,
		 struct strip_places *places, int set, int columns)
{
	struct entry_grouping self = { shows, pane, { 0 }, GROUPS, false, places && places->shared,
				       false };
	bool steady = places && columns >= STRIP_STEADY;
	size_t first = first_row(buffer_text(text));
	bool two = first < text->length && text->data[first + 1];
	if (two && !steady)
		return;
	if (two) {
		text->length = first;
		text->data[first] = '\0';
	}
	if (steady) {
		strip_places_note(places, set, buffer_text(text));
		add_places(&self, text, places, set, false);
		add_places(&self, text, places, set, true);
	} else {
		add_entries(&self, text);
	}
	buffer_free(text);
	*text = self.out;
}
