/*
 * Verifies the numbers of a sentence against the rows that it cites.
 */
#pragma once

struct buffer;
struct table;

/*
 * Append to OUT whether SENTENCE is verified, and a row for each of its numbers: the cell of ROWS
 * that it is, rounded as it is written and in its unit ("14.8 %", "4.92 ms", "1,024 calls"). Digits
 * within names are no numbers. A sentence without a number is not verified.
 */
void serve_check(const char *sentence, const struct table *rows, struct buffer *out);
