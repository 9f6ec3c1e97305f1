#include "analysis/advice/platform_names.h"

#include "base/data_table.h"
#include "base/text_slice.h"
#include "model/device_label.h"
#include "model/python_stats.h"
#include "model/tool.h"

#include <ctype.h>

struct platform_name {
	const char *cuda, *other[PLATFORMS]; /* NULL: the same */
	bool part;                           /* of a device: stands in evidence, too */
};

/* ---- which one ---- */

/* By the name of a launch call; PLATFORMS: not told. */
static enum platform platform_of_call(const char *name)
{
	if (!strncmp(name, "hip", 3))
		return PLATFORM_HIP;
	if (!strncmp(name, "cuda", 4) ||
	    (!strncmp(name, "cu", 2) && isupper((unsigned char)name[2])))
		return PLATFORM_CUDA;
	return PLATFORMS;
}

/* By the name of a device; PLATFORMS: not told. */
static enum platform platform_of_device(const char *name)
{
	size_t length = strlen(name);
	return text_has_one(name, length, "AMD|Instinct|Radeon")           ? PLATFORM_HIP
	       : text_has_one(name, length, "NVIDIA|Tesla|GeForce|Quadro") ? PLATFORM_CUDA
	       : strstr(name, "Ascend")                                    ? PLATFORM_ASCEND
									   : PLATFORMS;
}

/* By the devices on which something ran. */
static enum platform platform_of_tracks(const struct profile *profile)
{
	for (size_t t = 0; t < profile->track_count; t++) {
		int32_t device = profile->tracks[t].device;
		if (device < 0 || !profile->tracks[t].activities)
			continue;
		switch (device >> DEVICE_KIND_SHIFT) {
		case DEVICE_NPU: return PLATFORM_ASCEND;
		case DEVICE_TPU: return PLATFORM_OTHER;
		default: break;
		}
	}
	return PLATFORMS;
}

/* By what a table of operators calls the device, else by its calls. */
static enum platform platform_of_table(const struct profile *profile)
{
	const struct python_stats *table = profile->python;
	enum platform platform = PLATFORMS;
	for (size_t i = 0; table && i < table->fact_count; i++)
		if (strcmp(table->facts[i].metric, PYTHON_DEVICE) == 0)
			platform = strcmp(profile_string(profile, table->facts[i].text), "NPU") == 0
					   ? PLATFORM_ASCEND
					   : PLATFORM_OTHER;
	for (size_t i = 0; table && i < table->operator_count && platform == PLATFORMS; i++)
		platform = platform_of_call(profile_string(profile, table->operators[i].name));
	return platform;
}

enum platform platform_of(const struct profile *profile)
{
	enum platform platform = strcmp(tools[profile->tool]->name, "ROCm") == 0
					 ? PLATFORM_HIP
					 : platform_of_tracks(profile);
	bool launched = false;
	if (platform == PLATFORMS)
		platform = platform_of_table(profile);
	for (uint32_t i = 0; i < profile->activities && !launched && platform == PLATFORMS; i++) {
		uint32_t call = profile->activity_launch[i];
		launched = call != NO_ROW;
		if (launched)
			platform =
				platform_of_call(profile_string(profile, profile->span_name[call]));
	}
	for (size_t i = 0; i < profile->device_count && platform == PLATFORMS; i++)
		platform = platform_of_device(profile_string(profile, profile->devices[i].name));
	for (uint32_t i = 0; i < profile->spans && !launched && platform == PLATFORMS; i++)
		if (profile->span_kind[i] == SPAN_RUNTIME || profile->span_kind[i] == SPAN_OTHER)
			platform = platform_of_call(profile_string(profile, profile->span_name[i]));
	if (platform != PLATFORMS)
		return platform;
	return launched ? PLATFORM_OTHER : PLATFORM_CUDA;
}

/* ---- names ---- */

/* Append the platform's name of what TEXT begins with; the length of CUDA's, or 0. */
static size_t platform_add_name(struct buffer *out, enum platform platform, const char *text,
				bool action)
{
	for (const struct platform_name *name =
		     DATA_ROWS("platform_names.txt", struct platform_name, PLATFORM_FIELD_ROWS);
	     name->cuda; name++) {
		size_t length = strlen(name->cuda);
		if (!(action || name->part) || !name->other[platform] ||
		    strncmp(text, name->cuda, length) != 0)
			continue;
		buffer_puts(out, name->other[platform]);
		return length;
	}
	return 0;
}

/* Nsight Compute and its options. */
static size_t add_profiler(struct buffer *out, enum platform platform, const char *text)
{
	static const char last[] = "--launch-count 3";
	static const char *const profilers[PLATFORMS] = { PLATFORM_PROFILER_ROWS };
	const char *end = strncmp(text, "ncu --", 6) == 0 ? strstr(text, last) : NULL;
	if (!end)
		return 0;
	buffer_puts(out, profilers[platform]);
	return (size_t)(end - text) + strlen(last);
}

/* cudaMemcpyAsync: HIP's functions have the same names but for the prefix. */
static size_t platform_add_function(struct buffer *out, enum platform platform, const char *text)
{
	if (platform != PLATFORM_HIP || strncmp(text, "cuda", 4) != 0 ||
	    !isupper((unsigned char)text[4]))
		return 0;
	buffer_puts(out, "hip");
	return 4;
}

void platform_add_text(struct buffer *out, enum platform platform, const char *text, bool action)
{
	action &= platform != PLATFORM_CUDA;
	while (*text) {
		size_t length = platform_add_name(out, platform, text, action);
		if (!length && action)
			length = add_profiler(out, platform, text)
					 ?: platform_add_function(out, platform, text);
		if (!length) {
			buffer_putc(out, *text);
			length = 1;
		}
		text += length;
	}
}
