/*
 * trace CASE [AMOUNT]: writes a malicious trace to standard output; AMOUNT is in units of the case
 * (bytes, events, levels). Without arguments: lists the cases.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "{\"schemaVersion\":1,\"traceEvents\":[\n"
#define TAIL "]}\n"

/* Lane and time of an event; the caller writes the name before and other members after. */
#define LANE(at, dur) ",\"pid\":1,\"tid\":1,\"ts\":%" PRIu64 ",\"dur\":%d", (uint64_t)(at), (dur)

static void repeat(const char *text, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		fputs(text, stdout);
}

/* Repeats a byte in blocks: gigabytes take seconds. */
static void fill(char byte, uint64_t length)
{
	static char block[1 << 16];
	memset(block, byte, sizeof block);
	for (; length > sizeof block; length -= sizeof block)
		fwrite(block, 1, sizeof block, stdout);
	fwrite(block, 1, length, stdout);
}

static void plain_event(const char *name, uint64_t at, const char *behind)
{
	printf("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\"", name);
	printf(LANE(at, 10));
	printf("}%s\n", behind);
}

/* ---- cases ---- */

static void depth_in_arguments(uint64_t levels)
{
	fputs(HEAD, stdout);
	plain_event("before", 0, ",");
	printf("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"deep\",\"args\":{\"Input Dims\":");
	repeat("[", levels);
	repeat("]", levels);
	printf(",\"other\":");
	repeat("{\"a\":[", levels);
	repeat("]}", levels);
	printf("}");
	printf(LANE(20, 10));
	printf("},\n");
	plain_event("behind", 40, "");
	fputs(TAIL, stdout);
}

/* Unclosed brackets. */
static void depth_of_document(uint64_t levels)
{
	repeat("{\"traceEvents\":[", levels / 2);
	repeat("[", levels);
}

/* Nested spans, and a kernel launched by the innermost one. */
static void depth_of_spans(uint64_t levels)
{
	fputs(HEAD, stdout);
	for (uint64_t i = 0; i < levels; i++) {
		printf("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"nn.Module: Deep_%" PRIu64
		       "\",\"pid\":1,\"tid\":1,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 "},\n",
		       i % 2 ? "cpu_op" : "python_function", i, i, 2 * (levels - i) + 10);
	}
	printf("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
	       "\"args\":{\"correlation\":7}");
	printf(LANE(levels, 2));
	printf("},\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
	       "\"ts\":%" PRIu64 ",\"dur\":5,\"args\":{\"device\":0,\"stream\":7,"
	       "\"correlation\":7}}\n" TAIL,
	       levels + 3);
}

static void long_string(uint64_t bytes)
{
	fputs(HEAD, stdout);
	plain_event("before", 0, ",");
	printf("{\"ph\":\"X\",\"cat\":\"cpu_op\"");
	printf(LANE(20, 10));
	printf(",\"name\":\"");
	fill('a', bytes);
	printf("\"},\n");
	plain_event("behind", 40, "");
	fputs(TAIL, stdout);
}

/* A string without its closing quote. */
static void endless_string(uint64_t bytes)
{
	fputs(HEAD, stdout);
	plain_event("before", 0, ",");
	printf("{\"ph\":\"X\",\"name\":\"");
	fill('a', bytes);
}

/* Blanks between two events. */
static void blanks(uint64_t bytes)
{
	fputs(HEAD, stdout);
	plain_event("before", 0, ",");
	fill(' ', bytes);
	plain_event("behind", 40, "");
	fputs(TAIL, stdout);
}

static void empty_events(uint64_t events)
{
	fputs(HEAD, stdout);
	plain_event("before", 0, ",");
	for (uint64_t i = 0; i < events; i++)
		fwrite("{},", 1, 3, stdout);
	plain_event("behind", 40, "");
	fputs(TAIL, stdout);
}

/* Numbers with DIGITS digits in every numeric field. */
static void long_numbers(uint64_t digits)
{
	static const char *const members[] = { "ts", "dur", "pid", "tid", "id" };
	static const char *const arguments[] = { "External id",
						 "correlation",
						 "device",
						 "stream",
						 "bytes",
						 "registers per thread",
						 "shared memory",
						 "blocks per SM",
						 "warps per SM",
						 "est. achieved occupancy %",
						 "Sequence number",
						 "Fwd thread id",
						 "Addr",
						 "Bytes",
						 "Total Allocated",
						 "Device Id",
						 "Ev Idx",
						 "sort_index" };
	static const char *const categories[] = { "cpu_op", "kernel", "cuda_runtime",
						  "gpu_memcpy" };
	static const char *const forms[] = { "", "-", "0.", "1e", "-1e-", "\"" };
	fputs(HEAD, stdout);
	plain_event("before", 0, ",");
	for (size_t c = 0; c < 4; c++) {
		for (size_t f = 0; f < 6; f++) {
			for (size_t m = 0; m < 23; m++) {
				printf("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"n\"",
				       categories[c]);
				if (m >= 2)
					printf(",\"ts\":20,\"dur\":10");
				if (m < 2 || m >= 4)
					printf(",\"pid\":1,\"tid\":1");
				printf(m < 5 ? ",\"%s\":%s" : ",\"args\":{\"%s\":%s",
				       m < 5 ? members[m] : arguments[m - 5], forms[f]);
				fill('9', digits);
				printf("%s%s%s},\n", forms[f][0] == '"' ? "\"" : "",
				       m == 0   ? ",\"dur\":10"
				       : m == 1 ? ",\"ts\":20"
						: "",
				       m < 5 ? "" : "}");
			}
		}
	}
	printf("{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":30,"
	       "\"args\":{\"Addr\":1,\"Bytes\":9223372036854775807,\"Device Type\":1,"
	       "\"Device Id\":0,\"Total Allocated\":9223372036854775807}},\n"
	       "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":31,"
	       "\"args\":{\"Addr\":2,\"Bytes\":9223372036854775807,\"Device Type\":1,"
	       "\"Device Id\":0,\"Total Allocated\":9223372036854775807}},\n");
	plain_event("behind", 40, "");
	fputs(TAIL, stdout);
}

/* Inverse of the hash function of 64-bit keys, without its secret. */
static uint64_t unmix(uint64_t hash)
{
	uint64_t factor = UINT64_C(0x9fb21c651e98df25), inverted = factor;
	for (int i = 0; i < 6; i++) /* Newton: doubles the correct bits each round */
		inverted *= 2 - factor * inverted;
	hash ^= hash >> 29 ^ hash >> 58;
	hash *= inverted;
	hash ^= hash >> 32;
	hash *= inverted;
	return hash ^ hash >> 32;
}

/* Ids that collide in a table without a secret. */
static void colliding_ids(uint64_t count)
{
	fputs(HEAD, stdout);
	for (uint64_t i = 1; i <= count; i++) {
		int64_t id = (int64_t)unmix(i << 40);
		printf("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
		       "\"args\":{\"correlation\":%" PRId64 ",\"External id\":%" PRId64 "}",
		       id, id);
		printf(LANE(20 * i, 10));
		printf("},\n");
	}
	plain_event("behind", 40, "");
	fputs(TAIL, stdout);
}

/* Names whose first half cancels the second half in a hash without a secret. */
static void colliding_names(uint64_t count)
{
	static const unsigned char key[8] = { 0xdb, 0x28, 0xb4, 0xa0, 0xd1, 0x7e, 0x03, 0xe7 };
	fputs(HEAD, stdout);
	for (uint64_t i = 0; i < count; i++) {
		printf("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"");
		fwrite(key, 1, sizeof key, stdout);
		printf("%08" PRIx64 "\"", i & UINT64_C(0xffffffff));
		printf(LANE(20 * i, 10));
		printf("},\n");
	}
	plain_event("behind", 40, "");
	fputs(TAIL, stdout);
}

/* Every event has its own process, thread, name, step and key. */
static void many_lanes(uint64_t count)
{
	printf("{\"schemaVersion\":1,");
	for (uint64_t i = 0; i < count; i++)
		printf("\"key %" PRIu64 "\":%" PRIu64 ",\n", i, i);
	printf("\"traceEvents\":[\n");
	for (uint64_t i = 0; i < count; i++) {
		printf("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
		       ",\"args\":{\"name\":\"t\"}},\n",
		       i, i);
		printf("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"ProfilerStep#%" PRIu64
		       "\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"ts\":%" PRIu64
		       ",\"dur\":5,\"args\":{\"device\":%" PRIu64 ",\"stream\":%" PRIu64 "}},\n",
		       i % 3 == 0   ? "kernel"
		       : i % 3 == 1 ? "cpu_op"
				    : "user_annotation",
		       i, i, i, 10 * i, i, i);
	}
	plain_event("behind", 40, "");
	fputs(TAIL, stdout);
}

static void long_name(uint64_t bytes)
{
	fputs(HEAD, stdout);
	for (int i = 0; i < 3; i++) {
		printf("{\"ph\":\"X\",\"cat\":\"cpu_op\"");
		printf(LANE(20 * i, 10));
		printf(",\"args\":{\"Input Dims\":[");
		repeat("[8,8],", bytes / 6);
		printf("[8]]},\"name\":\"%d", i);
		fill(i == 0 ? 'n' : i == 1 ? '\xcc' : ' ', bytes);
		printf("\"},\n");
	}
	plain_event("behind", 100, "");
	fputs(TAIL, stdout);
}

/* Names with control sequences, in every place for a name. */
static void odd_names(uint64_t count)
{
	static const char *const names[] = { "\\u001b[2J\\u001b[31mred\\u001b]0;title\\u0007",
					     "\x1b[2J raw \x1b]52;c;AAAA\x07",
					     "\\u202eoverride\\u2066isolate\\u200f",
					     "\xe2\x80\xae raw \xe2\x81\xa6",
					     "nul\\u0000behind",
					     "\\u009b31m\\u0090q\\u009c",
					     "\xc2\x9b"
					     "31m",
					     "\xff\xfe\xc0\x80\xed\xa0\x80",
					     "\\ud800\\udc",
					     "new\\nline\\r\\ttab\\b\\f\\u007f",
					     "\\u0301\\u0301combining",
					     "a\\ufeff\\u200bb\\u2028c\\u2029d" };
	fputs(HEAD, stdout);
	for (uint64_t i = 0; i < count; i++) {
		const char *name = names[i % (sizeof names / sizeof *names)];
		printf("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%" PRIu64 ",\"args\":"
		       "{\"name\":\"%s\"}},\n",
		       i, name);
		printf("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
		       ",\"args\":{\"name\":\"%s\"}},\n",
		       i, i, name);
		printf("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%" PRIu64
		       ",\"tid\":%" PRIu64 ",\"ts\":%" PRIu64 ",\"dur\":5,\"args\":{\"%s\":\"%s\","
		       "\"Input Dims\":\"%s\",\"Call stack\":\"%s\",\"device\":0,\"stream\":7}},\n",
		       i % 3 == 0   ? "kernel"
		       : i % 3 == 1 ? "cpu_op"
				    : "user_annotation",
		       name, i, i, 10 * i, name, name, name, name);
	}
	plain_event("behind", 40, "");
	printf("],\"%s\":\"%s\"}\n", names[0], names[1]);
}

/* ---- the table ---- */

static const struct {
	const char *name;
	void (*write)(uint64_t amount);
	uint64_t amount;
} cases[] = {
	{ "depth-in-arguments", depth_in_arguments, 1000000 },
	{ "depth-of-document", depth_of_document, 1000000 },
	{ "depth-of-spans", depth_of_spans, 100000 },
	{ "long-string", long_string, UINT64_C(4) << 30 },
	{ "endless-string", endless_string, UINT64_C(4) << 30 },
	{ "blanks", blanks, UINT64_C(4) << 30 },
	{ "empty-events", empty_events, 100000000 },
	{ "long-numbers", long_numbers, 1000 },
	{ "colliding-ids", colliding_ids, 1000000 },
	{ "colliding-names", colliding_names, 1000000 },
	{ "many-lanes", many_lanes, 300000 },
	{ "long-name", long_name, 1 << 20 },
	{ "odd-names", odd_names, 36 },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (argc < 2) {
			printf("%s %" PRIu64 "\n", cases[i].name, cases[i].amount);
		} else if (strcmp(cases[i].name, argv[1]) == 0) {
			cases[i].write(argc > 2 ? strtoull(argv[2], NULL, 10) : cases[i].amount);
			return fflush(stdout) == 0 ? 0 : 1;
		}
	}
	return argc < 2 ? 0 : 2;
}
