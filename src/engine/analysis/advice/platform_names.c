#include "analysis/advice/platform_names.h"

#include "model/device_label.h"

#include <ctype.h>
#include <string.h>

/* NULL: the same. */
struct platform_name {
	const char *cuda, *other[PLATFORMS];
};

static const struct platform_name parts[] = {
	{ "Tensor Core", { [PLATFORM_HIP] = "matrix core", [PLATFORM_ASCEND] = "cube unit" } },
	{ "SMs", { [PLATFORM_HIP] = "CUs", [PLATFORM_ASCEND] = "AI Cores" } },
};

/* The first that fits counts. Sources: HIP's porting guide, the manuals of torch_npu and CANN. */
static const struct platform_name names[] = {
	{ "cudaMallocHost",
	  { [PLATFORM_HIP] = "hipHostMalloc", [PLATFORM_ASCEND] = "aclrtMallocHost" } },
	{ "cudaMemcpyAsync", { [PLATFORM_ASCEND] = "aclrtMemcpyAsync" } },
	{ "cudaDeviceSynchronize", { [PLATFORM_ASCEND] = "aclrtSynchronizeDevice" } },
	{ "CUDA_VISIBLE_DEVICES",
	  { [PLATFORM_HIP] = "HIP_VISIBLE_DEVICES",
	    [PLATFORM_ASCEND] = "ASCEND_RT_VISIBLE_DEVICES" } },
	{ " (before PyTorch 2.9: PYTORCH_CUDA_ALLOC_CONF)",
	  { [PLATFORM_HIP] = " (before PyTorch 2.9: PYTORCH_HIP_ALLOC_CONF)",
	    [PLATFORM_ASCEND] = "" } },
	{ "PYTORCH_ALLOC_CONF", { [PLATFORM_ASCEND] = "PYTORCH_NPU_ALLOC_CONF" } },
	{ "CUDA_LAUNCH_BLOCKING", { [PLATFORM_ASCEND] = "ASCEND_LAUNCH_BLOCKING" } },
	{ "CUDA graphs (torch.cuda.graph)",
	  { [PLATFORM_ASCEND] = "NPU graphs (torch.npu.graph)",
	    [PLATFORM_OTHER] = "captured graphs" } },
	{ "CUDA graph",
	  { [PLATFORM_HIP] = "HIP graph",
	    [PLATFORM_ASCEND] = "NPU graph",
	    [PLATFORM_OTHER] = "captured graph" } },
	{ ", copy with non_blocking=True, and find the rest with torch.cuda.set_sync_debug_mode(\"warn\")",
	  { [PLATFORM_OTHER] = ", and copy with non_blocking=True" } },
	{ "torch.autocast(\"cuda\"",
	  { [PLATFORM_ASCEND] = "torch.autocast(\"npu\"",
	    [PLATFORM_OTHER] = "torch.autocast(device_type" } },
	{ "torch.cuda.", { [PLATFORM_ASCEND] = "torch.npu." } },
	{ "CUDA", { [PLATFORM_HIP] = "HIP" } },
	{ "cuBLAS", { [PLATFORM_HIP] = "hipBLASLt" } },
	{ "cuDNN or MIOpen", { [PLATFORM_HIP] = "MIOpen" } },
	{ "cuDNN batch normalization", { [PLATFORM_HIP] = "MIOpen batch normalization" } },
	{ "NVLink", { [PLATFORM_HIP] = "Infinity Fabric", [PLATFORM_ASCEND] = "HCCS" } },
	{ "nvidia-smi topo -p2p r",
	  { [PLATFORM_HIP] = "amd-smi topology", [PLATFORM_ASCEND] = "npu-smi info -t topo" } },
	{ "nvidia-smi nvlink -s",
	  { [PLATFORM_HIP] = "amd-smi topology", [PLATFORM_ASCEND] = "npu-smi info -t topo" } },
	{ "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER",
	  { [PLATFORM_HIP] = "amd-smi metric --clock --power",
	    [PLATFORM_ASCEND] = "npu-smi info" } },
	{ "nvidia-smi -lgc", { [PLATFORM_HIP] = "rocm-smi --setperfdeterminism" } },
	{ "nccl-tests", { [PLATFORM_HIP] = "rccl-tests", [PLATFORM_ASCEND] = "hccl_test" } },
	{ "backend=\"nccl\"", { [PLATFORM_ASCEND] = "backend=\"hccl\"" } },
};

enum { PARTS = sizeof parts / sizeof *parts, NAMES = sizeof names / sizeof *names };

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
	static const char *const amd[] = { "AMD", "Instinct", "Radeon" };
	static const char *const nvidia[] = { "NVIDIA", "Tesla", "GeForce", "Quadro" };
	for (size_t i = 0; i < sizeof amd / sizeof *amd; i++)
		if (strstr(name, amd[i]))
			return PLATFORM_HIP;
	for (size_t i = 0; i < sizeof nvidia / sizeof *nvidia; i++)
		if (strstr(name, nvidia[i]))
			return PLATFORM_CUDA;
	return strstr(name, "Ascend") ? PLATFORM_ASCEND : PLATFORMS;
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

enum platform platform_of(const struct profile *profile)
{
	enum platform platform = platform_of_tracks(profile);
	bool launched = false;
	for (uint32_t i = 0; i < profile->activities && !launched && platform == PLATFORMS; i++) {
		uint32_t call = profile->activity_launch[i];
		launched = call != NO_ROW;
		if (launched)
			platform =
				platform_of_call(profile_string(profile, profile->span_name[call]));
	}
	for (size_t i = 0; i < profile->device_count && platform == PLATFORMS; i++)
		platform = platform_of_device(profile_string(profile, profile->devices[i].name));
	if (platform != PLATFORMS)
		return platform;
	return launched ? PLATFORM_OTHER : PLATFORM_CUDA;
}

/* ---- names ---- */

/* Append the platform's name of what TEXT begins with; the length of CUDA's, or 0. */
static size_t platform_add_name(struct buffer *out, enum platform platform, const char *text,
				const struct platform_name *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(list[i].cuda);
		if (!list[i].other[platform] || strncmp(text, list[i].cuda, length) != 0)
			continue;
		buffer_puts(out, list[i].other[platform]);
		return length;
	}
	return 0;
}

/* Nsight Compute and its options. */
static size_t add_profiler(struct buffer *out, enum platform platform, const char *text)
{
	static const char last[] = "--launch-count 3";
	static const char *const profilers[PLATFORMS] = {
		[PLATFORM_HIP] = "rocprof-compute",
		[PLATFORM_ASCEND] = "msprof op",
		[PLATFORM_OTHER] = "the profiler of the device's maker",
	};
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

static void platform_add_text(struct buffer *out, enum platform platform, const char *text,
			      bool action)
{
	while (*text) {
		size_t length = platform_add_name(out, platform, text, parts, PARTS);
		if (!length && action)
			length = platform_add_name(out, platform, text, names, NAMES)
					 ?: add_profiler(out, platform, text)
					 ?: platform_add_function(out, platform, text);
		if (!length) {
			buffer_putc(out, *text);
			length = 1;
		}
		text += length;
	}
}

void platform_add_action(struct buffer *out, enum platform platform, const char *text)
{
	platform_add_text(out, platform, text, platform != PLATFORM_CUDA);
}

void platform_add_evidence(struct buffer *out, enum platform platform, const char *text)
{
	platform_add_text(out, platform, text, false);
}
