/*
 * What is wrong with a profile is named, counted, and costs nothing else: each cause in a text
 * that has it.
 */
#include "text_profile_case.h"

#include "base/mem.h"

#include <string.h>

enum { ANY = -1, REFUSED = -2 };

static const struct {
	const char *text; /* a ` stands for a NUL */
	const char *cause;
	unsigned count;
	int rows; /* spans that are kept; of what is refused the message has the cause */
} cases[] = {
#define ONE(name, ts)                                                                              \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts    \
	",\"dur\":2"
#define TRACE(events) "{\"schemaVersion\":1,\"traceEvents\":[" events "]}"
#define A ONE("a", "1") "}"
#define B ONE("b", "5") "}"
	{ TRACE(A "," B), NULL, 0, 2 },
	{ TRACE(A "," B) "\n" TRACE(A), "another trace after the first", 1, 3 },
	{ TRACE(A "," TRACE(B)), "another trace starts inside this one", 1, 2 },
	{ TRACE(A "," ONE("b", "5") ",\"args\":5}"), "args not an object", 1, 2 },
	{ TRACE(A "," ONE("b", "5") ",\"args\":{\"Ev Idx\":what}}"), "bare word instead of a value",
	  1, 2 },
	{ TRACE(A ",," B), "comma without an event", 1, 2 },
	{ TRACE(A "," ONE("b\tc", "5") "}"), "control byte in a name", 1, 2 },
	{ "{\"schemaVersion\":1,\"traceEvents\":[" A "," B "]", "document not closed", 1, 2 },
	{ "{\"schemaVersion\":1,\"traceEvents\":[" A "," B, "event array not closed", 1, 2 },
	{ TRACE(A
		",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":\"x\"}"),
	  "duration not a number", 1, 2 },
	{ TRACE(A
		",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":-2}"),
	  "negative duration", 1, 2 },
	{ TRACE(A ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":5}"),
	  "missing duration", 1, 2 },
	{ TRACE(A ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":2}"),
	  "missing name", 1, 2 },
	{ TRACE(A " " B), "missing comma between events", 1, 2 },
	{ TRACE(A ",{\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":2}"),
	  "event without a phase", 1, 1 },
	{ TRACE(A
		",{\"ph\":\"q\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":2}"),
	  "unknown phase", 1, 1 },
	{ TRACE(A "," ONE("b", "\"x\"") "}"), "event without a valid time", 1, 1 },
	{ TRACE(A "," ONE("b", "5") ",\"dur\":3}"), "duplicate key in an event", 1, 2 },
	{ TRACE(A "," B) " more", "text after the end of the document", 1, 2 },
	{ "{\"schemaVersion\":1 x,\"traceEvents\":[" A "," B "]}", "text between document members",
	  1, 2 },
	{ "{\"schemaVersion\":1,\"traceEvents\":[" A ",{\"ph\":\"X\",\"na",
	  "truncated inside an event", 1, 1 },
	{ TRACE(A "," ONE("b\"c", "5") "}"), "unescaped quote or backslash in a string", 1, 2 },
	{ TRACE(A "," B "," ONE("c", "190000000000") "}"),
	  "time more than a day outside the capture", 1, 2 },
	{ TRACE(A ",`" B), "NUL bytes in the text", 1, 2 },
	{ TRACE(A ",{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":5}"),
	  "begin without end", 1, 2 },
	{ TRACE(A ",{\"ph\":\"E\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":5}"),
	  "end without begin", 1, 1 },
/* the only profile of speedscope */
#define SCOPE(profile)                                                                                                    \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"f\"}]}," \
	"\"profiles\":[{\"name\":\"p\",\"unit\":\"seconds\",\"startValue\":0,\"endValue\":9," profile                     \
	"}]}"
	{ SCOPE("\"type\":\"sampled\",\"samples\":[[0],[0]],\"weights\":[1]"),
	  "fewer weights than samples", 0, REFUSED },
	{ SCOPE("\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[1,2]"),
	  "fewer samples than weights", 0, REFUSED },
	{ SCOPE("\"type\":\"sampled\",\"samples\":[[0],[7]],\"weights\":[1,2]"),
	  "frame that does not exist", 0, REFUSED },
	{ SCOPE("\"type\":\"sampled\",\"samples\":[[0],[0]],\"weights\":[1,-2]"),
	  "weight not a positive number", 0, REFUSED },
	{ SCOPE("\"type\":\"evented\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1},{\"type\":\"C\",\"frame\":0,\"at\":2},"
		"{\"type\":\"O\",\"frame\":0,\"at\":3}]"),
	  "frames that are never closed", 0, REFUSED },
	{ SCOPE("\"type\":\"evented\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":5},{\"type\":\"C\",\"frame\":0,\"at\":2}]"),
	  "time that runs backwards", 0, REFUSED },
	/* tables */
	{ "import time: self [us] | cumulative | imported package\nimport time:       100 |        100 |   a\n"
	  "import time:       what |        200 | b\nimport time:       100 |        200 | c\n",
	  "line not an import", 1, ANY },
	{ "#Date       Time        gpu   pwr  sm\n#YYYYMMDD   HH:MM:SS    Idx     W   %\n 20260104   12:00:00      0    99   5\n"
	  " what\n 20260104   12:00:01      0    98   6\n",
	  "line without a time and a GPU", 1, ANY },
};

static void assert_named(size_t i)
{
	struct error error = { 0 };
	size_t length = strlen(cases[i].text);
	char *bytes = memcpy(mem_alloc(length + 1), cases[i].text, length + 1);
	for (size_t at = 0; at < length; at++)
		bytes[at] = bytes[at] == '`' ? '\0' : bytes[at];
	struct profile *profile = trace_open_bytes(bytes, length, &error);
	mem_free(bytes);
	if (!profile && cases[i].rows == REFUSED && strstr(error.message, cases[i].cause))
		return;
	if (!profile || cases[i].rows == REFUSED)
		fail_msg("%s: %s", cases[i].cause ?: "-", profile ? "is read" : error.message);
	uint64_t count = 0;
	for (size_t k = 0; cases[i].cause && k < profile->damage_count; k++)
		if (strcmp(profile->damages[k].cause, cases[i].cause) == 0)
			count = profile->damages[k].count;
	if (count != cases[i].count || (!cases[i].cause && profile->damage_count) ||
	    (cases[i].rows >= 0 && profile->spans != (uint32_t)cases[i].rows))
		fail_msg("%s: %d times instead of %u, %u rows; %zu causes, first %s",
			 cases[i].cause, (int)count, cases[i].count, profile->spans,
			 profile->damage_count,
			 profile->damage_count ? profile->damages[0].cause : "none");
	profile_free(profile);
}

TEST(what_is_wrong_is_named)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_named(i);
}
