/*
 * Conservative scan of an expression. An alternative needs each of its parts, so that its best one,
 * a literal or a group of alternatives, stands for it; the alternatives together need one of those.
 */
#include "base/any_of.h"
#include "base/text_slice.h"
#include "base/pattern_literals.h"

enum { DEPTH_MAX = 16 };

struct pattern_literals_scan {
	const char *at;
	bool given_up; /* found an unsupported construct */
	int depth;
};

static bool is_literal(char c)
{
	return c && !strchr("\\^$.[]|()?*+{}#", c) && (unsigned char)c < 0x80;
}

/* The shortest decides how much a part tells. */
static size_t shortest(const struct pattern_literals *part)
{
	size_t length = part->count ? SIZE_MAX : 0;
	for (size_t i = 0; i < part->count; i++)
		length = part->item[i].length < length ? part->item[i].length : length;
	return length;
}

static void keep_better(struct pattern_literals *best, const struct pattern_literals *part)
{
	if (shortest(part) > shortest(best))
		*best = *part;
}

/* Pass over a quantifier; false when it lets the part before be absent. */
static bool take_quantifier(struct pattern_literals_scan *scan)
{
	bool needed = !*scan->at || !strchr("?*{", *scan->at);
	if (*scan->at == '{')
		scan->given_up = true;
	while (*scan->at && strchr("?*+", *scan->at))
		scan->at++;
	return needed;
}

static void take_run(struct pattern_literals_scan *scan, struct pattern_literals *best)
{
	struct pattern_literals run = { .item = { { scan->at, 0 } }, .count = 1 };
	size_t length = 0;
	while (is_literal(scan->at[length]))
		length++;
	scan->at += length;
	/* What follows applies to the last byte only. */
	if (!take_quantifier(scan))
		length--;
	run.item[0].length = length;
	keep_better(best, &run);
}

static void skip_class(struct pattern_literals_scan *scan)
{
	scan->at++;
	scan->at += *scan->at == '^';
	scan->at += *scan->at == ']';
	while (*scan->at && *scan->at != ']') {
		scan->given_up |= *scan->at == '[' || *scan->at == '\\';
		scan->at++;
	}
	scan->given_up |= !*scan->at;
	scan->at += *scan->at != 0;
	take_quantifier(scan);
}

static void find_pattern_literals(struct pattern_literals_scan *scan,
				  struct pattern_literals *found);

/* Look-around matches no text of its own; what it asks for is not counted on. */
static void take_group(struct pattern_literals_scan *scan, struct pattern_literals *best)
{
	bool looks_around = false;
	struct pattern_literals group;
	scan->at++;
	if (*scan->at == '?') {
		size_t start = text_start(scan->at, SIZE_MAX, "?:|?=|?!|?<=|?<!");
		scan->given_up |= !start;
		looks_around = scan->at[1] != ':';
		scan->at += start;
	}
	scan->given_up |= *scan->at == '*' || ++scan->depth > DEPTH_MAX;
	if (scan->given_up)
		return;
	find_pattern_literals(scan, &group);
	scan->depth--;
	scan->given_up |= *scan->at != ')';
	scan->at += *scan->at != 0;
	if (take_quantifier(scan) && !looks_around)
		keep_better(best, &group);
}

static void take_part(struct pattern_literals_scan *scan, struct pattern_literals *best)
{
	switch (*scan->at) {
	case '[': skip_class(scan); break;
	case '(': take_group(scan, best); break;
	case '\\':
		/* Others have operands or change what follows. */
		scan->given_up |= !scan->at[1] || !strchr("dDwWsSbB", scan->at[1]);
		scan->at += 1 + (scan->at[1] != 0);
		take_quantifier(scan);
		break;
	case '^':
	case '$':
	case '.':
		scan->at++;
		take_quantifier(scan);
		break;
	default:
		if (is_literal(*scan->at))
			take_run(scan, best);
		else
			scan->given_up = true;
	}
}

/* The alternatives up to the end or a closing bracket; none FOUND when one of them tells nothing.
 */
static void find_pattern_literals(struct pattern_literals_scan *scan,
				  struct pattern_literals *found)
{
	bool all = true;
	*found = (struct pattern_literals){ 0 };
	for (;; scan->at++) {
		struct pattern_literals best = { 0 };
		while (*scan->at && *scan->at != '|' && *scan->at != ')' && !scan->given_up)
			take_part(scan, &best);
		all &= shortest(&best) > 1 && found->count + best.count <= LITERALS_MAX;
		if (all)
			memcpy(&found->item[found->count], best.item,
			       best.count * sizeof *best.item);
		found->count += all ? best.count : 0;
		if (*scan->at != '|' || scan->given_up)
			break;
	}
	found->count = all ? found->count : 0;
}

void pattern_literals_find(struct pattern_literals *literals, const char *expression)
{
	struct pattern_literals_scan scan = { .at = expression };
	find_pattern_literals(&scan, literals);
	if (scan.given_up || *scan.at)
		literals->count = 0;
}

static unsigned pattern_literals_place_of(const char *pair)
{
	unsigned first = (unsigned char)pair[0] | 0x20u, second = (unsigned char)pair[1] | 0x20u;
	return (first << 5 ^ second) % LETTER_PAIRS;
}

void letter_pairs_of(struct letter_pairs *pairs, const char *text, size_t length)
{
	unsigned char all = 0;
	memset(pairs->bit, 0, sizeof pairs->bit);
	for (size_t i = 0; i < length; i++)
		all |= (unsigned char)text[i];
	for (size_t i = 0; i + 1 < length; i++)
		pairs->bit[pattern_literals_place_of(text + i) / 64] |=
			UINT64_C(1) << pattern_literals_place_of(text + i) % 64;
	pairs->is_ascii = all < 0x80;
}

static bool may_contain(const struct letter_pairs *pairs, const struct pattern_literal *literal)
{
	for (size_t i = 0; i + 1 < literal->length; i++) {
		unsigned place = pattern_literals_place_of(literal->at + i);
		if (!(pairs->bit[place / 64] >> place % 64 & 1))
			return false;
	}
	return true;
}

bool pattern_literals_fit(const struct pattern_literals *literals, const struct letter_pairs *pairs)
{
	if (!literals->count || !pairs->is_ascii)
		return true;
	return any_of(i, literals->count, may_contain(pairs, &literals->item[i]));
}
