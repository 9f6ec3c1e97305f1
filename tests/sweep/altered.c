/*
 * Seeds with other numbers and words, with those of other rows, without some or with more rows, and
 * profiles with damage in fixed places.
 */
#include "rows.h"

#include "../fuzz/fuzz.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "model/scope.h"
#include "session/load.h"
#include "table/view.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALL_OF = 7 }; /* one of seven is read by all views */

/* ---- altered seeds ---- */

/* What is altered: numbers, and words of some length. */
static bool is_part(char byte, bool words)
{
	bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
	return words ? letter : byte >= '0' && byte <= '9';
}

size_t sweep_part_at(const char *bytes, size_t length, size_t at, bool words)
{
	enum { WORD_MIN = 3 };
	size_t end = at;
	if (at > 0 && is_part(bytes[at - 1], words))
		return 0;
	while (end < length && is_part(bytes[end], words))
		end++;
	return words && end - at < WORD_MIN ? 0 : end - at;
}

size_t sweep_find_part(const char *bytes, size_t length, bool words, size_t number, size_t *place)
{
	size_t count = 0;
	for (size_t i = 0; i < length; i++)
		if (sweep_part_at(bytes, length, i, words) && count++ == number)
			*place = i;
	return count;
}

/* The seed with LENGTH_OLD bytes from PLACE on written as TEXT. */
void sweep_alter(struct buffer *out, const char *bytes, size_t length, size_t place,
		 size_t length_old, const char *text, size_t length_text)
{
	buffer_add(out, bytes, place);
	buffer_add(out, text, length_text);
	buffer_add(out, bytes + place + length_old, length - place - length_old);
}

void sweep_print_read(FILE *out, const char *file, bool all)
{
	static const char reading[] = "spans launches operators counters metrics devices python "
				      "attributes compiles collectives memory-events steps";
	struct error error = { 0 };
	struct run *run = run_open(&file, 1, NULL, NULL, &error);
	struct scope scope;
	if (!run) {
		fprintf(out, "%s\n", error.message);
		return;
	}
	scope_init(&scope);
	for (size_t i = 0; view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i);
		bool wanted = all ? sweep_lists(view) : text_is_listed(reading, view->name);
		struct table *table =
			wanted ? view_build(view, run, &scope, NULL, NULL, NULL) : NULL;
		for (size_t row = 0; table && row < table->rows && row < ROWS; row++)
			sweep_row(out, table, row);
		table_free(table);
	}
	scope_clear(&scope);
	run_free(run);
}

/* What of the file was kept, and what was lost. */
static void print_damaged(FILE *out, const struct buffer *bytes, const char *title)
{
	static const char *const path = "damaged";
	struct error error = { 0 };
	fprintf(out, "== %s\n", title);
	sweep_write(path, bytes->data, bytes->length);
	struct run *run = run_open(&path, 1, NULL, NULL, &error);
	struct rank *rank = run ? run_acquire(run, run->ranks[0].number, NULL, &error) : NULL;
	for (size_t i = 0; rank && i < rank->profile->damage_count; i++)
		fprintf(out, "%s: %llu\n", rank->profile->damages[i].cause,
			(unsigned long long)rank->profile->damages[i].count);
	if (rank)
		run_release(run, rank);
	run_free(run);
	sweep_print_read(out, path, false);
	unlink(path);
}

static void print_variant(FILE *out, const struct buffer *seed, bool all)
{
	size_t size;
	char *made = sweep_read(fuzz_profile((const uint8_t *)seed->data, seed->length), &size);
	sweep_write("altered", made, size);
	free(made);
	sweep_print_read(out, "altered", all);
	unlink("altered");
}

/* A number becomes negative, zero, too large, missing, a fraction or text. */
static void print_number(FILE *out, const char *bytes, size_t length, size_t number, size_t variant)
{
	static const char *const texts[] = {
		"-1", "0", "99999999999999999999", "", "1.5", "x", "3"
	};
	const char *text = texts[variant % (sizeof texts / sizeof *texts)];
	struct buffer seed = { 0 };
	size_t place = 0;
	sweep_find_part(bytes, length, false, number, &place);
	sweep_alter(&seed, bytes, length, place, sweep_part_at(bytes, length, place, false), text,
		    strlen(text));
	fprintf(out, "== number %zu: \"%s\"\n", number, text);
	print_variant(out, &seed, variant % ALL_OF == 0);
	buffer_free(&seed);
}

/* A word becomes the next one but OTHER. */
static void print_word(FILE *out, const char *bytes, size_t length, size_t number, size_t other)
{
	struct buffer seed = { 0 };
	size_t place = 0, from = 0;
	size_t words = sweep_find_part(bytes, length, true, number, &place);
	sweep_find_part(bytes, length, true, (number + 1 + other) % words, &from);
	sweep_alter(&seed, bytes, length, place, sweep_part_at(bytes, length, place, true),
		    bytes + from, sweep_part_at(bytes, length, from, true));
	fprintf(out, "== word %zu\n", number);
	print_variant(out, &seed, other % ALL_OF == 0);
	buffer_free(&seed);
}

static bool is_word(char byte)
{
	return is_part(byte, true) || is_part(byte, false);
}

/* Length of the name AT of a member of JSON, or of a column of a database; 0: there is none. */
static size_t name_at(const char *bytes, size_t length, size_t at)
{
	size_t end = at;
	if (!at || is_word(bytes[at - 1]) || !is_part(bytes[at], true))
		return 0;
	while (end < length && is_word(bytes[end]))
		end++;
	bool quoted = (bytes[at - 1] == '"' || bytes[at - 1] == '\'') && end + 1 < length &&
		      bytes[end] == bytes[at - 1] && bytes[end + 1] == ':';
	bool column = bytes[at - 1] == ' ' && end < length && bytes[end] == '=';
	return quoted || column ? end - at : 0;
}

/* Names of members and columns, some of them, are others: recordings of another version lack them.
 */
static void print_lacking(FILE *out, const char *bytes, size_t length)
{
	enum { NAMES = 400, VARIANTS = 70 };
	struct {
		size_t at, length;
	} names[NAMES];
	size_t count = 0;
	for (size_t i = 0; i < length && count < NAMES; i++) {
		size_t size = name_at(bytes, length, i), known = 0;
		while (known < count && (names[known].length != size ||
					 memcmp(bytes + names[known].at, bytes + i, size) != 0))
			known++;
		if (size > 1 && known == count)
			names[count].at = i, names[count++].length = size;
	}
	size_t variants = count < VARIANTS ? count : VARIANTS;
	for (size_t i = 0; i < variants; i++) {
		const char *name = bytes + names[i * count / variants].at;
		size_t size = names[i * count / variants].length;
		struct buffer seed = { 0 };
		buffer_add(&seed, bytes, length);
		for (size_t at = 0; at < length; at++)
			if (name_at(bytes, length, at) == size &&
			    memcmp(bytes + at, name, size) == 0)
				seed.data[at + size - 1] = '0';
		fprintf(out, "== without %.*s\n", (int)size, name);
		print_variant(out, &seed, false);
		buffer_free(&seed);
	}
}

/* Numbers and words all over the seed, one at a time, and as often as VARIANTS. */
void print_altered(const char *file, const char *path)
{
	enum { VARIANTS = 21, TEXTS = 7, LARGEST = 16 << 10 };
	size_t length, place;
	char *bytes = sweep_read(path, &length);
	bool small = length <= LARGEST;
	size_t numbers = small ? sweep_find_part(bytes, length, false, SIZE_MAX, &place) : 0;
	size_t words = small ? sweep_find_part(bytes, length, true, SIZE_MAX, &place) : 0;
	FILE *out = sweep_open(file, "altered");
	for (size_t i = 0; i < VARIANTS && numbers; i++)
		print_number(out, bytes, length, (i * numbers / VARIANTS + i / TEXTS) % numbers, i);
	for (size_t i = 0; i < VARIANTS && words > 1; i++)
		print_word(out, bytes, length, (i * words / VARIANTS) % words, i);
	if (small)
		print_lacking(out, bytes, length);
	fclose(out);
	free(bytes);
}

/* ---- grown seeds ---- */

static uint32_t drawn(uint64_t *random, uint32_t limit)
{
	*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*random >> 33) % limit;
}

/* A row with some of its numbers larger, and others equal. */
static void add_like(struct buffer *out, const char *row, size_t length, uint64_t *random)
{
	for (size_t i = 0; i < length;) {
		size_t digits = sweep_part_at(row, length, i, false);
		bool fraction = i && (row[i - 1] == '.' || is_part(row[i - 1], true));
		if (digits && digits < 16 && !fraction && row[i] != '0' &&
		    drawn(random, 100) < 60) {
			unsigned long long number = strtoull(row + i, NULL, 10);
			number += (number / 8 + (digits > 1)) * drawn(random, 4);
			buffer_printf(out, "%llu", number);
		} else {
			digits += !digits;
			buffer_add(out, row + i, digits);
		}
		i += digits;
	}
}

/* The length of the object of JSON that is the element of a list AT, its end included; 0: there is
 * none. */
static size_t element_at(const char *bytes, size_t length, size_t at)
{
	enum { LARGEST = 1500 };
	size_t before = at, depth = 0, end = at;
	bool quoted = false;
	while (before && strchr(" \n\t", bytes[before - 1]))
		before--;
	if (bytes[at] != '{' || !before || (bytes[before - 1] != '[' && bytes[before - 1] != ','))
		return 0;
	do {
		quoted ^= bytes[end] == '"' && bytes[end - 1] != '\\';
		depth += !quoted && strchr("{[", bytes[end]) != NULL;
		depth -= !quoted && strchr("}]", bytes[end]) != NULL;
		end++;
	} while (depth && end < length && end - at < LARGEST);
	return depth ? 0 : end - at;
}

/* Length of the line AT; 0: none with numbers begins there. */
static size_t line_at(const char *bytes, size_t length, size_t at)
{
	const char *end = memchr(bytes + at, '\n', length - at);
	size_t size = end ? (size_t)(end - bytes) - at : 0;
	bool begins = !at || bytes[at - 1] == '\n';
	return begins && strcspn(bytes + at, "0123456789") < size ? size : 0;
}

static bool is_quote(char byte)
{
	return byte == '"' || byte == '\'';
}

/* Length of the number or text AT, the value of a key in JSON or a literal of Python; 0: there is
 * none. */
static size_t value_at(const char *bytes, size_t length, size_t at)
{
	size_t colon = at, end = at;
	while (colon && bytes[colon - 1] == ' ')
		colon--;
	if (colon < 2 || bytes[colon - 1] != ':' || !is_quote(bytes[colon - 2]))
		return 0;
	if (is_quote(bytes[at])) {
		for (end++; end < length && bytes[end] != bytes[at];)
			end++;
		return end < length ? end + 1 - at : 0;
	}
	while (end < length && ((bytes[end] >= '0' && bytes[end] <= '9') || bytes[end] == '.'))
		end++;
	return end - at;
}

/* Length of the value AT of a column in a row of a database; 0: there is none. */
static size_t cell_at(const char *bytes, size_t length, size_t at)
{
	size_t end = at;
	if (at < 2 || bytes[at - 1] != '=' || !is_part(bytes[at - 2], true))
		return 0;
	if (bytes[at] != '\'')
		return strcspn(bytes + at, " \n");
	for (end++; end < length && bytes[end] != '\'' && bytes[end] != '\n';)
		end++;
	return end - at + 1;
}

/* A value, and the name of what it is a value of. */
struct named_value {
	size_t at, length, name, name_length;
};

static struct named_value named_value_at(const char *bytes, size_t length, size_t at)
{
	struct named_value value = { at, cell_at(bytes, length, at), at, 0 };
	value.length = value.length ?: value_at(bytes, length, at);
	while (value.length && value.name && strchr("\"': =", bytes[value.name - 1]))
		value.name--;
	value.name_length = value.name;
	while (value.length && value.name && !strchr("\"' \n", bytes[value.name - 1]))
		value.name--;
	value.name_length -= value.name;
	return value;
}

size_t sweep_exchange(struct buffer *out, const char *bytes, size_t length, uint64_t random,
		      uint32_t percent)
{
	enum { VALUES = 1500, TRIES = 40 };
	static struct named_value values[VALUES];
	size_t count = 0, from = 0;
	for (size_t i = 0; i < length && count < VALUES; i++) {
		values[count] = named_value_at(bytes, length, i);
		i += values[count].length;
		count += values[count].length > 0;
	}
	for (size_t i = 0; i < count; i++) {
		size_t other = i, tries = drawn(&random, 100) < percent ? TRIES : 0;
		for (; tries && other == i; tries--) {
			size_t at = drawn(&random, (uint32_t)count);
			if (values[at].name_length == values[i].name_length &&
			    memcmp(bytes + values[at].name, bytes + values[i].name,
				   values[i].name_length) == 0)
				other = at;
		}
		buffer_add(out, bytes + from, values[i].at - from);
		buffer_add(out, bytes + values[other].at, values[other].length);
		from = values[i].at + values[i].length;
	}
	buffer_add(out, bytes + from, length - from);
	return count;
}

static void print_exchanged(FILE *out, const char *bytes, size_t length, uint64_t random)
{
	enum { PERCENT = 40 };
	struct buffer seed = { 0 };
	fprintf(out, "== exchanged %d\n", (int)random);
	if (sweep_exchange(&seed, bytes, length, random, PERCENT))
		print_variant(out, &seed, true);
	buffer_free(&seed);
}

/* Each row of a list, table or text, a few times, with other numbers. */
static void print_rows_like(FILE *out, const char *bytes, size_t length, size_t times)
{
	struct buffer seed = { 0 };
	uint64_t random = length + times;
	bool json = bytes[strspn(bytes, " \n")] == '{' || bytes[0] == '[';
	for (size_t i = 0; i < length;) {
		size_t size = json ? element_at(bytes, length, i) : line_at(bytes, length, i);
		buffer_add(&seed, bytes + i, size + !size);
		for (size_t time = 0; size && time < times; time++) {
			buffer_puts(&seed, json ? ", " : "\n");
			add_like(&seed, bytes + i, size, &random);
		}
		i += size + !size;
	}
	fprintf(out, "== %zu times\n", times);
	print_variant(out, &seed, true);
	buffer_free(&seed);
}

void print_grown(const char *file, const char *path)
{
	enum { LARGEST = 12 << 10, EXCHANGES = 3 };
	size_t length;
	char *bytes = sweep_read(path, &length);
	FILE *out = sweep_open(file, "grown");
	bytes[length] = '\0';
	if (length <= LARGEST && strlen(bytes) == length) {
		print_rows_like(out, bytes, length, 4);
		for (uint64_t i = 1; i <= EXCHANGES; i++)
			print_exchanged(out, bytes, length, i);
	}
	fclose(out);
	free(bytes);
}

/* ---- damaged profiles ---- */

/* The file ends early, and some of its bytes are none that were written. */
static void print_broken(FILE *out, const char *bytes, size_t length)
{
	enum { CUTS = 3, PLACES = 7, BYTES = 6 };
	char title[40];
	for (size_t i = 1; i <= CUTS; i++) {
		struct buffer cut = { 0 };
		buffer_add(&cut, bytes, length * i / (CUTS + 1));
		snprintf(title, sizeof title, "cut %zu", i);
		print_damaged(out, &cut, title);
		buffer_free(&cut);
	}
	for (size_t i = 1; i < 3; i++) { /* it begins again, after its end or before */
		struct buffer twice = { 0 };
		buffer_add(&twice, bytes, length * i / 2);
		buffer_add(&twice, bytes, length);
		snprintf(title, sizeof title, "again %zu", i);
		print_damaged(out, &twice, title);
		buffer_free(&twice);
	}
	struct buffer later = { 0 };
	buffer_puts(&later, "\r\n\t ");
	buffer_add(&later, bytes, length);
	print_damaged(out, &later, "after blanks");
	buffer_free(&later);
	for (size_t i = 0; i < PLACES; i++) {
		struct buffer wrong = { 0 };
		size_t place = length * (2 * i + 1) / (2 * PLACES);
		size_t end = place + BYTES < length ? place + BYTES : length;
		const char *text = i % 2 ? "\xff\xff\xff\xff\xff\xff" : "\0\0\0\0\0\0";
		sweep_alter(&wrong, bytes, length, place, end - place, text, end - place);
		snprintf(title, sizeof title, "bytes %zu", i);
		print_damaged(out, &wrong, title);
		buffer_free(&wrong);
	}
}

/* The place of value NUMBER, from 0; their count past the last. */
static size_t find_value(const char *bytes, size_t length, size_t number, size_t *place)
{
	size_t count = 0;
	for (size_t i = 0; i < length; i++)
		if (value_at(bytes, length, i) && count++ == number)
			*place = i;
	return count;
}

/* The value is of another type or too large, or the key is there twice, with another value. */
static void print_mistyped(FILE *out, const char *bytes, size_t length)
{
	enum { VARIANTS = 18 };
	static const char *const texts[] = { "\"x\"", "[1]", "{\"a\":1}", "true",
					     "null",  NULL,  "1e400",     "-9223372036854775808" };
	size_t place = 0, values = find_value(bytes, length, SIZE_MAX, &place);
	for (size_t i = 0; i < VARIANTS && values; i++) {
		const char *text = texts[i % (sizeof texts / sizeof *texts)];
		struct buffer changed = { 0 }, twice = { 0 };
		char title[40];
		size_t number = i * values / VARIANTS;
		find_value(bytes, length, number, &place);
		size_t size = value_at(bytes, length, place), key = place;
		if (!text) {
			for (int quotes = 0; quotes < 2;)
				quotes += is_quote(bytes[--key]);
			buffer_add(&twice, bytes + place, size);
			buffer_puts(&twice, ", ");
			buffer_add(&twice, bytes + key, place - key);
			buffer_puts(&twice, "5");
		}
		sweep_alter(&changed, bytes, length, place, size, text ?: buffer_text(&twice),
			    text ? strlen(text) : twice.length);
		snprintf(title, sizeof title, "value %zu: %s", number, text ?: "twice");
		print_damaged(out, &changed, title);
		buffer_free(&changed);
		buffer_free(&twice);
	}
}

/* Single bytes all over a file that is no text are one more: mostly other numbers. */
static void print_bumped(FILE *out, const char *bytes, size_t length)
{
	enum { PLACES = 48 };
	static const char database[] = "SQLite format";
	if (!memchr(bytes, 0, length) || strncmp(bytes, database, strlen(database)) == 0)
		return;
	for (size_t i = 0; i < PLACES && i < length; i++) {
		struct buffer bumped = { 0 };
		char title[40], byte;
		size_t place = length * i / PLACES + i % 7;
		place = place < length ? place : i;
		byte = (char)(bytes[place] ^ (i % 3 ? 1 : 2));
		sweep_alter(&bumped, bytes, length, place, 1, &byte, 1);
		snprintf(title, sizeof title, "byte %zu: %d", place, byte);
		print_damaged(out, &bumped, title);
		buffer_free(&bumped);
	}
}

void print_damages(const char *file)
{
	enum { LARGEST = 128 << 10 };
	size_t length;
	char *bytes = sweep_read(file, &length);
	FILE *out = sweep_open(file, "damaged");
	if (length <= LARGEST) {
		print_broken(out, bytes, length);
		print_mistyped(out, bytes, length);
		print_bumped(out, bytes, length);
	}
	fclose(out);
	free(bytes);
}
