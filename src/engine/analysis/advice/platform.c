#include "analysis/advice/platform.h"

#include <ctype.h>
#include <string.h>

struct name {
	const char *cuda, *hip;
};

static const struct name parts[] = {
	{ "Tensor Core", "matrix core" },
	{ "SMs", "CUs" },
};

static const struct name names[] = {
	{ "cudaMallocHost", "hipHostMalloc" },
	{ "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES" },
	{ "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF" },
	{ "CUDA graph", "HIP graph" },
	{ "CUDA", "HIP" },
	{ "cuBLAS", "hipBLASLt" },
	{ "cuDNN or MIOpen", "MIOpen" },
	{ "cuDNN batch normalization", "MIOpen batch normalization" },
	{ "NVLink", "Infinity Fabric" },
	{ "nvidia-smi topo -p2p r", "amd-smi topology" },
	{ "nvidia-smi nvlink -s", "amd-smi topology" },
	{ "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER", "amd-smi metric --clock --power" },
	{ "nvidia-smi -lgc", "rocm-smi --setperfdeterminism" },
	{ "nccl-tests", "rccl-tests" },
};

bool platform_is_hip(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t call = profile->activity_launch[i];
		const char *name =
			call == NO_ROW ? "" : profile_string(profile, profile->span_name[call]);
		if (call != NO_ROW)
			return strncmp(name, "hip", 3) == 0;
	}
	for (size_t i = 0; i < profile->device_count; i++) {
		const char *name = profile_string(profile, profile->devices[i].name);
		if (strstr(name, "AMD") || strstr(name, "Instinct") || strstr(name, "Radeon"))
			return true;
	}
	return false;
}

/* Append the other name of what TEXT begins with; its length, or 0. */
static size_t add_name(struct buffer *out, const char *text, const struct name *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(list[i].cuda);
		if (strncmp(text, list[i].cuda, length) != 0)
			continue;
		buffer_puts(out, list[i].hip);
		return length;
	}
	return 0;
}

/* Nsight Compute and its options. */
static size_t add_profiler(struct buffer *out, const char *text)
{
	static const char last[] = "--launch-count 3";
	const char *end = strncmp(text, "ncu --", 6) == 0 ? strstr(text, last) : NULL;
	if (!end)
		return 0;
	buffer_puts(out, "rocprof-compute");
	return (size_t)(end - text) + strlen(last);
}

/* cudaMemcpyAsync: HIP's functions have the same names but for the prefix. */
static size_t add_function(struct buffer *out, const char *text)
{
	if (strncmp(text, "cuda", 4) != 0 || !isupper((unsigned char)text[4]))
		return 0;
	buffer_puts(out, "hip");
	return 4;
}

void platform_add_action(struct buffer *out, const char *text)
{
	while (*text) {
		size_t length = add_name(out, text, names, sizeof names / sizeof *names);
		length = length ? length : add_name(out, text, parts, sizeof parts / sizeof *parts);
		length = length ? length : add_profiler(out, text);
		length = length ? length : add_function(out, text);
		if (!length) {
			buffer_putc(out, *text);
			length = 1;
		}
		text += length;
	}
}

void platform_add_evidence(struct buffer *out, const char *text)
{
	while (*text) {
		size_t length = add_name(out, text, parts, sizeof parts / sizeof *parts);
		if (!length) {
			buffer_putc(out, *text);
			length = 1;
		}
		text += length;
	}
}
