#include "base/mask.h"

#include "base/buffer.h"
#include "base/pattern.h"

/* A name that ends like this; in capitals, as in an environment, further ones. */
#define NAME                                                                                       \
	"(?:secret|token|passw(?:or)?d|passphrase|credentials?|"                                   \
	"(?:api|access|private|auth|account|encryption|signing|license)[_-]?key)"
#define NAME_CAPITALS "\\b[A-Z][A-Z0-9_]*_(?:KEY|PAT|AUTH|PASS|PWD|DSN)"

/* What is no secret, and what is: in quotes up to the next one, else up to a blank or bracket. */
#define PLAIN                                                                                      \
	"(?!\\\\?[\"']?(?:[<\\[]|\\(masked\\)|(?:[0-9.]+|true|false|null|none)\\b"                 \
	"(?![^\\s\"',;&)}\\]\\\\])))"
#define VALUE PLAIN "(?:\\\\?\"\\K[^\"\\\\]{3,}|\\\\?'\\K[^'\\\\]{3,}|\\K[^\\s\"',;&)}\\]\\\\]{3,})"

#define ASSIGNED "\\\\?[\"']?\\s*[:=]\\s*" VALUE

/* Each finds what to replace. Those without a capital ignore case (base/pattern.h). */
static const char *const rules[] = {
	NAME ASSIGNED,
	"--[a-z0-9_-]*" NAME "\\s+" VALUE,
	NAME_CAPITALS ASSIGNED,
	"://[^/\\s:@\"']*:\\K[^/\\s@\"']+(?=@)",
	"\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b|\\bhf_[A-Za-z0-9]{20,}|\\bgh[pousr]_[A-Za-z0-9]{20,}|"
	"\\bgithub_pat_\\w{20,}|\\bsk-[\\w-]{20,}|\\bxox[abprs]-[\\w-]{10,}|\\bglpat-[\\w-]{16,}|"
	"\\bAIza[\\w-]{30,}|\\beyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)?|"
	"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*",
};

enum { RULES = sizeof rules / sizeof *rules };

/* Replace in TEXT what RULE finds. What cannot be searched to its end is masked whole. */
static void apply(struct buffer *text, const char *rule)
{
	struct pattern *pattern = pattern_new_rule(rule);
	struct buffer out = { 0 };
	size_t at = 0, start, end;
	while (at < text->length &&
	       pattern_match(pattern, text->data + at, text->length - at, &start, &end) &&
	       end > start) {
		buffer_add(&out, text->data + at, start);
		buffer_puts(&out, MASKED);
		at += end;
	}
	if (at || !pattern_completed(pattern, NULL)) {
		if (pattern_completed(pattern, NULL))
			buffer_add(&out, text->data + at, text->length - at);
		else
			buffer_puts(&out, MASKED);
		buffer_free(text);
		*text = out;
	}
	pattern_free(pattern);
}

/* Is what has this name a secret? Asked of a value that is one if any is. */
static bool is_secret_name(const char *key)
{
	AUTO_BUFFER struct buffer probe = { 0 };
	buffer_printf(&probe, "%s=%s", key, "probe");
	size_t before = probe.length;
	for (int i = 0; i < RULES; i++)
		apply(&probe, rules[i]);
	return probe.length > before &&
	       strcmp(probe.data + probe.length - strlen(MASKED), MASKED) == 0;
}

static bool masks_nothing;

void mask_nothing(void)
{
	masks_nothing = true;
}

void mask_secrets(struct buffer *out, const char *key, const char *text, size_t length)
{
	AUTO_BUFFER struct buffer value = { 0 };
	size_t digits = 0;
	while (digits < length && strchr("0123456789.", text[digits]))
		digits++;
	if (masks_nothing || length < 3 || digits == length || *text == '<') {
		buffer_add(out, text, length);
		return;
	}
	if (is_secret_name(key))
		buffer_puts(&value, MASKED);
	else
		buffer_add(&value, text, length);
	for (int i = 0; i < RULES && value.length; i++)
		apply(&value, rules[i]);
	buffer_add(out, BUFFERED(&value));
}
