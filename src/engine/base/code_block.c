#include "base/code_block.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { TAB_STOP = 8 };

struct code_block_scan {
	const char *at, *end;
	size_t row; /* of AT, from 1 */
};

struct indent {
	size_t characters, column; /* column: tabs advance to the next stop */
};

struct logical_line {                  /* a statement, with the lines that continue it */
	bool decorator, opens, lambda; /* opens: def or class */
};

static struct indent skip_indent(struct code_block_scan *scan)
{
	struct indent indent = { 0, 0 };
	for (; scan->at < scan->end; scan->at++, indent.characters++) {
		if (*scan->at == ' ')
			indent.column++;
		else if (*scan->at == '\t')
			indent.column += TAB_STOP - indent.column % TAB_STOP;
		else if (*scan->at == '\f')
			indent.column = 0;
		else
			break;
	}
	return indent;
}

/* To the newline. */
static void skip_rest(struct code_block_scan *scan)
{
	const char *newline = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
	scan->at = newline ? newline : scan->end;
}

/* Past a newline, unless at the end. */
static void next_row(struct code_block_scan *scan)
{
	if (scan->at < scan->end) {
		scan->at++;
		scan->row++;
	}
}

static bool starts_with(const struct code_block_scan *scan, const char *text, size_t length)
{
	return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

/* A string with one or three quotes; one with one quote ends at the newline at the latest. */
static void skip_string(struct code_block_scan *scan)
{
	const char quotes[3] = { *scan->at, *scan->at, *scan->at };
	size_t count = starts_with(scan, quotes, 3) ? 3 : 1;
	scan->at += count;
	while (scan->at < scan->end) {
		if (starts_with(scan, quotes, count)) {
			scan->at += count;
			return;
		}
		if (*scan->at == '\n' && count == 1)
			return;
		if (*scan->at == '\\' && scan->at + 1 < scan->end)
			scan->at++;
		if (*scan->at == '\n')
			scan->row++;
		scan->at++;
	}
}

static bool is_word(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

static void read_word(struct code_block_scan *scan, struct logical_line *line)
{
	const char *start = scan->at;
	while (scan->at < scan->end && is_word(*scan->at))
		scan->at++;
	size_t length = (size_t)(scan->at - start);
	if (line->decorator || line->opens || line->lambda)
		return;
	line->opens = (length == 3 && memcmp(start, "def", 3) == 0) ||
		      (length == 5 && memcmp(start, "class", 5) == 0);
	line->lambda = length == 6 && memcmp(start, "lambda", 6) == 0;
}

/* To the newline that ends the statement; it is in the scan's row. */
static struct logical_line read_logical_line(struct code_block_scan *scan)
{
	struct logical_line line = { .decorator = *scan->at == '@' };
	size_t depth = 0;
	while (scan->at < scan->end && (*scan->at != '\n' || depth)) {
		char byte = *scan->at;
		if (byte == '#') {
			skip_rest(scan);
		} else if (byte == '"' || byte == '\'') {
			skip_string(scan);
		} else if (is_word(byte)) {
			read_word(scan, &line);
		} else {
			depth += byte == '(' || byte == '[' || byte == '{';
			depth -= depth && (byte == ')' || byte == ']' || byte == '}');
			if (byte == '\\' && scan->at + 1 < scan->end && scan->at[1] == '\r')
				scan->at++;
			if (byte == '\\' && scan->at + 1 < scan->end)
				scan->at++;
			scan->row += *scan->at == '\n';
			scan->at++;
		}
	}
	return line;
}

size_t code_block_lines(const char *text, size_t length)
{
	struct code_block_scan scan = { text, text + length, 1 };
	struct indent head = { 0, 0 }, body = { 0, 0 };
	bool started = false, in_body = false;
	size_t last = length ? 1 : 0;
	for (; scan.at < scan.end; next_row(&scan)) {
		struct indent indent = skip_indent(&scan);
		if (scan.at == scan.end || *scan.at == '\n' || starts_with(&scan, "\r\n", 2)) {
			skip_rest(&scan);
			continue;
		}
		if (*scan.at == '#') {
			if (in_body && indent.characters >= body.characters)
				last = scan.row;
			skip_rest(&scan);
			continue;
		}
		if (started && indent.column <= head.column)
			break;
		if (in_body && indent.column < body.column)
			break;
		if (started && !in_body)
			body = indent;
		in_body = started;
		struct logical_line line = read_logical_line(&scan);
		last = scan.row;
		if (!started && line.lambda)
			break;
		if (!started && line.opens)
			head = indent;
		started |= line.opens;
	}
	return last;
}
