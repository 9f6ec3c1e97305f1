/*
 * vary writer|layout|names FILE: writes a variant of a trace to standard output.
 *
 * writer: as another program would write it: members the other way round, without blanks.
 * layout: members in random order and one of three styles, so that few events share a layout.
 * names: a thousand variants of each name, about a hundred thousand distinct ones per 100 MB.
 */
#include "base/buffer.h"
#include "base/mem.h"
#include "input/json.h"

#include <stdio.h>
#include <stdlib.h>

enum { VARIANTS = 1000, MEMBERS_MAX = 256 };

static uint32_t random_state = 1;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

static void put(const char *text, size_t length)
{
	fwrite(text, 1, length, stdout);
}

/* Text before a member and after its colon. */
static const struct style {
	const char *member, *value;
} styles[] = { { "", "" }, { " ", " " }, { "\n    ", " " } };

/* The value as written, including quotes. */
static void put_value(const struct json_slice *value)
{
	bool quoted = value->type == JSON_STRING;
	put(value->text - quoted, value->length + 2 * quoted);
}

/* Without a style: the other way round. */
static void shuffle_object(const struct json_slice *object, const struct style *style)
{
	bool turned = !style;
	struct json_slice key[MEMBERS_MAX], value[MEMBERS_MAX];
	struct json_cursor cursor;
	uint32_t order[MEMBERS_MAX], count = 0;
	style = turned ? &styles[0] : style;
	json_enter(&cursor, object);
	while (count < MEMBERS_MAX && json_member(&cursor, &key[count], &value[count])) {
		order[count] = count;
		count++;
	}
	putchar('{');
	for (uint32_t i = 0; i < count; i++) {
		uint32_t other = turned ? count - 1 - i : i + draw(count - i);
		uint32_t at = turned ? other : order[other];
		order[other] = order[i];
		if (i)
			putchar(',');
		fputs(style->member, stdout);
		put_value(&key[at]);
		putchar(':');
		fputs(style->value, stdout);
		if (value[at].type == JSON_OBJECT)
			shuffle_object(&value[at], turned ? NULL : style);
		else
			put_value(&value[at]);
	}
	putchar('}');
}

/* The event with a number appended to its name. */
static void rename_event(const struct json_slice *event)
{
	struct json_slice key, value;
	struct json_cursor cursor;
	const char *from = event->text, *end = event->text + event->length;
	bool is_span = false;
	json_enter(&cursor, event);
	while (json_member(&cursor, &key, &value))
		is_span |= json_equal(&key, "ph") && json_equal(&value, "X");
	json_enter(&cursor, event);
	while (is_span && json_member(&cursor, &key, &value)) {
		if (!json_equal(&key, "name"))
			continue;
		put(from, (size_t)(value.text + value.length - from));
		printf(" %u", draw(VARIANTS));
		from = value.text + value.length;
	}
	put(from, (size_t)(end - from));
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;
	struct buffer text = { 0 };
	char block[1 << 16];
	size_t got;
	if (!file) {
		fprintf(stderr, "usage: vary writer|layout|names FILE\n");
		return 2;
	}
	while ((got = fread(block, 1, sizeof block, file)) > 0)
		buffer_add(&text, block, got);
	fclose(file);
	const char *array = strstr(buffer_text(&text), "\"traceEvents\": [");
	if (!array)
		return 1;
	array = strchr(array, '[') + 1;
	struct json_cursor cursor = { .at = array, .end = text.data + text.length, .final = true };
	struct json_slice event;
	char c;
	put(text.data, (size_t)(array - text.data));
	while (json_next(&cursor, &c) == JSON_OK && c != ']') {
		if (c == ',')
			putchar(*cursor.at++);
		put("\n", 1);
		if (json_value(&cursor, &event) != JSON_OK)
			return 1;
		if (strcmp(argv[1], "writer") == 0)
			shuffle_object(&event, NULL);
		else if (strcmp(argv[1], "layout") == 0)
			shuffle_object(&event, &styles[draw(3)]);
		else
			rename_event(&event);
	}
	put(cursor.at, (size_t)(cursor.end - cursor.at));
	buffer_free(&text);
	return 0;
}
