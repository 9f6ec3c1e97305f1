#include "input/rocm/rocm.h"

#include "base/any_of.h"
#include "base/text_slice.h"
#include "input/cuda/cuda_names.h"
#include "input/nvtx/nvtx.h"

#include <strings.h>

/* ---- ranges ---- */

/* Categories begin so; rocprofv3 writes them in capitals, rocprof-sys as "rocm_hip_api". */
static const struct {
	const char *prefix;
	enum rocm_call call;
} calls[] = { ROCM_CALL_ROWS };

enum rocm_call rocm_call_of(const char *category)
{
	enum { CASE = 'a' ^ 'A' };
	if (!*category) /* only ranges of the program have none */
		return ROCM_MARKER;
	return looked_up(at, calls,
			 ((*category ^ *at->prefix) & ~CASE) == 0 &&
				 strncasecmp(category, at->prefix, strlen(at->prefix)) == 0,
			 at->call, ROCM_OTHER);
}

/* roctxRangePush and roctxRangePop nest; roctxRangeStart and roctxRangeStop may overlap others. */
static enum nvtx_nesting nesting_of(const struct profile *profile, uint32_t function)
{
	const char *name = profile_string(profile, function);
	if (strstr(name, "ThreadRange") || strstr(name, "RangePush"))
		return NVTX_NESTS;
	return strstr(name, "ProcessRange") || strstr(name, "RangeStart") ? NVTX_FREE : NVTX_EITHER;
}

void rocm_add_range(struct builder *builder, struct profile *profile, struct nvtx *nvtx,
		    const struct rocm_range *range)
{
	enum rocm_call call = rocm_call_of(profile_string(profile, range->category));
	if (call == ROCM_MARKER) {
		uint32_t text = range->message ? range->message : range->name;
		nvtx_range(nvtx, range->track, INTERNED(profile->strings, text), range->category,
			   range->start, range->start + range->dur,
			   nesting_of(profile, range->name));
		return;
	}
	struct call_info info = { range->correlation, NO_VALUE };
	uint32_t span = builder_span(builder, call == ROCM_API ? SPAN_RUNTIME : SPAN_OTHER,
				     range->track, range->name, range->start, range->dur,
				     call == ROCM_API ? builder_call_info(builder, &info)
						      : range->category);
	builder_span_attribute(builder, span, builder_key(builder, NVTX_DOMAIN), range->category);
}

void rocm_add_mark(struct builder *builder, const struct rocm_range *mark)
{
	uint32_t span = builder_span(builder, SPAN_INSTANT, mark->track,
				     mark->message ? mark->message : mark->name, mark->start, 0,
				     mark->category);
	builder_span_text(builder, span, NVTX_DOMAIN, mark->category);
}

/* ---- copies ---- */

uint32_t rocm_copy_name(struct profile *profile, const char *text, enum rocm_side from,
			enum rocm_side to)
{
	static const char *const sides[2][2] = { { "HtoH", "HtoD" }, { "DtoH", "DtoD" } };
	const char *direction = text ? cuda_copy_direction(text) : NULL;
	if (!direction)
		direction = from == ROCM_UNKNOWN || to == ROCM_UNKNOWN ? "?" : sides[from][to];
	return profile_print(profile, "Memcpy %s", direction);
}

/* ---- names ---- */

size_t rocm_kernel_length(const char *name)
{
	size_t length = strlen(name), end = text_end(name, length, " [clone .kd]|.kd");
	return end < length ? length - end : length;
}

/* ---- launches ---- */

/* Workgroups that hold ITEMS; the last one may be partly used. */
static int64_t workgroups(int64_t items, int64_t size)
{
	if (items < 0 || size <= 0)
		return NO_VALUE;
	return items / size + (items % size != 0);
}

uint32_t rocm_config(struct builder *builder, const struct rocm_launch *launch)
{
	struct launch_config config = launch_config_unknown();
	for (int i = 0; i < 3; i++) {
		config.block[i] = cuda_small(launch->block[i]);
		config.grid[i] =
			cuda_small(launch->items ? workgroups(launch->grid[i], launch->block[i])
						 : launch->grid[i]);
	}
	config.regs_per_thread = cuda_small(launch->registers);
	config.shared_mem_bytes = cuda_small(launch->shared);
	return builder_config(builder, &config);
}
