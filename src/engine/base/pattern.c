#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/pattern.h"

#include "base/buffer.h"
#include "base/error.h"

#include <ctype.h>
#include <pcre2.h>

enum {
	PATTERN_MAX = 4096,   /* limit: bytes of a regular expression */
	MATCH_STEPS = 200000, /* limit: backtracking steps of a match */
	MATCH_HEAP_KIB = 8192,
	JIT_STACK_FIRST = 32 << 10,
	JIT_STACK_MAX = 1 << 20,
	RULE_BYTES = 1 << 11, /* searched without machine code, at about 200 instructions each */
};

/* Match state, used by one thread at a time. */
struct scratch {
	pcre2_match_data *match; /* made by the first match */
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	bool gave_up;
	size_t rule_left; /* bytes until a rule is compiled to machine code; 0: it is */
};

struct pattern {
	pcre2_code *code;
	char *text;
	bool shared; /* the code belongs to another pattern */
	struct scratch *scratch;
};

/* Smart case: a literal capital, not one that is part of \S, \W or \p{Lu}. */
static bool has_capital(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\\' && c[1]) {
			c++;
			if ((*c == 'p' || *c == 'P') && c[1] == '{') {
				const char *close = strchr(c, '}');
				c = close ? close : c;
			}
		} else if (*c >= 'A' && *c <= 'Z') {
			return true;
		}
	}
	return false;
}

static pcre2_code *compile(const char *text, struct error *error)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
	if (!has_capital(text))
		options |= PCRE2_CASELESS;
	int code;
	PCRE2_SIZE offset;
	pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options,
					     &code, &offset, NULL);
	if (compiled)
		return compiled;
	PCRE2_UCHAR reason[160];
	pcre2_get_error_message(code, reason, sizeof reason);
	error_usage(error, "regular expression \"%s\" is invalid at byte %zu: %s", text,
		    (size_t)offset, (const char *)reason);
	error_brief(error, "invalid at byte %zu: %s", (size_t)offset, (const char *)reason);
	return NULL;
}

/* Without the JIT (some kernels forbid it) matching is slower, with equal results. */
static void use_machine_code(const struct pattern *pattern)
{
	struct scratch *scratch = pattern->scratch;
	size_t compiled = 0;
	if (!pattern->shared)
		pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);
	pcre2_pattern_info(pattern->code, PCRE2_INFO_JITSIZE, &compiled);
	if (compiled) {
		scratch->stack = pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_MAX, NULL);
		pcre2_jit_stack_assign(scratch->context, NULL, scratch->stack);
	}
}

static void pattern_prepare(struct pattern *pattern)
{
	struct scratch *scratch = pattern->scratch = mem_zalloc(1, sizeof *scratch);
	scratch->context = pcre2_match_context_create(NULL);
	if (!scratch->context)
		mem_fail(sizeof *scratch);
	pcre2_set_match_limit(scratch->context, MATCH_STEPS);
	pcre2_set_depth_limit(scratch->context, MATCH_STEPS);
	pcre2_set_heap_limit(scratch->context, MATCH_HEAP_KIB);
}

static struct pattern *new (const char *text, struct error *error)
{
	if (strlen(text) > PATTERN_MAX) {
		error_usage(error, "the regular expression is longer than %d bytes", PATTERN_MAX);
		return NULL;
	}
	pcre2_code *code = compile(text, error);
	if (!code)
		return NULL;
	struct pattern *pattern = mem_zalloc(1, sizeof *pattern);
	pattern->code = code;
	pattern->text = mem_strdup(text);
	pattern_prepare(pattern);
	return pattern;
}

struct pattern *pattern_new(const char *text, struct error *error)
{
	struct pattern *pattern = new (text, error);
	if (pattern)
		use_machine_code(pattern);
	return pattern;
}

struct pattern *pattern_new_rule(const char *text)
{
	struct pattern *pattern = new (text, NULL);
	if (!pattern)
		mem_fail(strlen(text));
	pattern->scratch->rule_left = RULE_BYTES;
	return pattern;
}

struct pattern *pattern_share(const struct pattern *pattern)
{
	struct pattern *shared = mem_zalloc(1, sizeof *shared);
	shared->code = pattern->code;
	shared->text = mem_strdup(pattern->text);
	shared->shared = true;
	pattern_prepare(shared);
	use_machine_code(shared);
	return shared;
}

void pattern_free(struct pattern *pattern)
{
	if (!pattern)
		return;
	struct scratch *scratch = pattern->scratch;
	pcre2_match_data_free(scratch->match);
	pcre2_match_context_free(scratch->context);
	pcre2_jit_stack_free(scratch->stack);
	mem_free_all(scratch, pattern->text);
	if (!pattern->shared)
		pcre2_code_free(pattern->code);
	mem_free(pattern);
}

void pattern_rest(struct pattern *pattern)
{
	if (!pattern)
		return;
	pcre2_match_data_free(pattern->scratch->match);
	pattern->scratch->match = NULL;
}

static void count_rule(const struct pattern *pattern, size_t length)
{
	struct scratch *scratch = pattern->scratch;
	if (length < scratch->rule_left) {
		scratch->rule_left -= length;
		return;
	}
	scratch->rule_left = 0;
	use_machine_code(pattern);
}

bool pattern_match(const struct pattern *pattern, const char *text, size_t length, size_t *start,
		   size_t *end)
{
	struct scratch *scratch = pattern->scratch;
	if (scratch->rule_left)
		count_rule(pattern, length);
	scratch->match = scratch->match ?: pcre2_match_data_create(1, NULL);
	if (!scratch->match)
		mem_fail(length + 1);
	int count = pcre2_match(pattern->code, (PCRE2_SPTR)text, length, 0, 0, scratch->match,
				scratch->context);
	if (count == PCRE2_ERROR_NOMEMORY)
		mem_fail(length + 1);
	if (count < 0) {
		if (count != PCRE2_ERROR_NOMATCH)
			scratch->gave_up = true;
		return false;
	}
	/* \K in a lookahead may set the start after the end. */
	const PCRE2_SIZE *range = pcre2_get_ovector_pointer(scratch->match);
	PCRE2_SIZE from = range[0] < range[1] ? range[0] : range[1];
	if (start)
		*start = from;
	if (end)
		*end = range[0] < range[1] ? range[1] : range[0];
	return true;
}

/* Must every match contain the code unit UNIT (according to TYPE), absent from CHARACTERS? */
static bool lacks(const struct pattern *pattern, uint32_t type, uint32_t unit,
		  const char *characters)
{
	uint32_t known = 0, code = 0;
	if (pcre2_pattern_info(pattern->code, type, &known) != 0 || known != 1 ||
	    pcre2_pattern_info(pattern->code, unit, &code) != 0 || code == 0 || code >= 0x80)
		return false;
	/* it may match in either case */
	return !strchr(characters, tolower((int)code)) && !strchr(characters, toupper((int)code));
}

/* Must every match start with a byte of a known set disjoint from CHARACTERS? */
static bool starts_outside(const struct pattern *pattern, const char *characters)
{
	const uint8_t *starts = NULL;
	if (pcre2_pattern_info(pattern->code, PCRE2_INFO_FIRSTBITMAP, &starts) != 0 || !starts)
		return false;
	for (; *characters; characters++) {
		unsigned char c = (unsigned char)*characters;
		if (starts[c / 8] >> c % 8 & 1)
			return false;
	}
	return true;
}

bool pattern_may_match(const struct pattern *pattern, const char *characters)
{
	return !starts_outside(pattern, characters) &&
	       !lacks(pattern, PCRE2_INFO_FIRSTCODETYPE, PCRE2_INFO_FIRSTCODEUNIT, characters) &&
	       !lacks(pattern, PCRE2_INFO_LASTCODETYPE, PCRE2_INFO_LASTCODEUNIT, characters);
}

void pattern_give_up(const struct pattern *pattern)
{
	pattern->scratch->gave_up = true;
}

bool pattern_completed(const struct pattern *pattern, struct error *error)
{
	return !pattern->scratch->gave_up ||
	       error_set(error, ERROR_LIMIT,
			 "matching the regular expression \"%s\" takes too many steps",
			 pattern->text);
}

void pattern_quote(struct buffer *out, const char *text, size_t length)
{
	buffer_puts(out, "(?-i)");
	for (size_t i = 0; i < length; i++) {
		if (text[i] && strchr("\\^$.|?*+()[]{}#", text[i]))
			buffer_putc(out, '\\');
		buffer_putc(out, text[i]);
	}
}
