#include "report/preset.h"

#include "base/data_table.h"
#include "base/error.h"
#include "model/tool.h"

const struct preset *preset_at(size_t index)
{
	for (const struct tool *const *tool = tools; *tool; tool++)
		for (const struct preset *preset = (*tool)->presets; preset && preset->name;
		     preset++)
			if (index-- == 0)
				return preset;
	return NULL;
}

const struct preset *preset_find(const char *name)
{
	const struct preset *preset;
	for (size_t i = 0; (preset = preset_at(i)); i++)
		if (view_same_name(preset->name, name) ||
		    (view_same_name(preset->name, preset->view->name) &&
		     view_has_name(preset->view, name)))
			return preset;
	return NULL;
}

const struct format *preset_form(const struct preset *preset, const struct format *format)
{
	if (format == format_at(0))
		return &preset->forms[0];
	for (int i = 0; i < PRESET_FORMS_MAX && preset->forms[i].name; i++)
		if (strcmp(preset->forms[i].name, format->name) == 0)
			return &preset->forms[i];
	return NULL;
}

bool preset_options_given(const struct preset_options *options)
{
	return options->sort_by || options->limited || options->by_shape || options->by_stack ||
	       options->csv || options->unit_s > 0 || options->skip_zero;
}

/* ---- sort keys ---- */

const struct preset_key *preset_next_key(const struct preset *preset, const struct preset_key *at)
{
	at = at ? at + 1 : DATA_ROWS("sort_keys.txt", struct preset_key, SORT_KEY_FIELD_ROWS);
	while (at->preset && strcmp(at->preset, preset->name) != 0)
		at++;
	return at->preset ? at : NULL;
}

/* The sort of KEY, or of all keys that begin with it; NULL if there is none or they differ. */
static const char *sort_of(const struct preset *preset, const char *key)
{
	const char *sort = NULL;
	bool differs = false;
	for (const struct preset_key *at = NULL; (at = preset_next_key(preset, at));) {
		if (strcmp(at->name, key) == 0)
			return at->sort;
		if (!*key || strncmp(at->name, key, strlen(key)))
			continue;
		differs |= sort && strcmp(sort, at->sort);
		sort = at->sort;
	}
	return differs ? NULL : sort;
}

const char *preset_sort(const struct preset *preset, const char *key, struct error *error)
{
	AUTO_BUFFER struct buffer known = { 0 };
	const char *sort = sort_of(preset, key);
	if (sort)
		return sort;
	for (const struct preset_key *at = NULL; (at = preset_next_key(preset, at));)
		buffer_printf(&known, "%s%s", known.length ? ", " : "", at->name);
	error_usage(error, "%s cannot be sorted by \"%s\" (%s)", preset->name, key,
		    buffer_text(&known));
	return NULL;
}

void preset_group(const struct preset_options *options, struct buffer *out)
{
	if (options->by_shape)
		buffer_puts(out, "shape");
	if (options->by_stack)
		buffer_printf(out, "%sstack=%s", out->length ? "-" : "", options->by_stack);
	if (options->key_node)
		buffer_printf(out, "%skey=%s", out->length ? "-" : "", options->key_node);
}
