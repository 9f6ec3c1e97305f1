#include "picture/plot/time_parts.h"

const struct time_part time_parts_by_class[] = {
	{ "kernel_ns", "Kernel", ROLE_KERNEL, { { "K" }, { "█" } } },
	{ "memcpy_ns", "Memcpy", ROLE_MEMCPY, { { "M" }, { "▒" } } },
	{ "memset_ns", "Memset", ROLE_MEMCPY, { { "S" }, { "s" } } },
	{ "communication_ns", "Communication", ROLE_COMMUNICATION, { { "C" }, { "▓" } } },
	{ "runtime_ns", "Runtime", ROLE_RUNTIME, { { "r" }, { "r" } } },
	{ "dataloader_ns", "Data Loader", ROLE_WARNING, { { "D" }, { "D" } } },
	{ "cpu_exec_ns", "CPU", ROLE_OPERATOR, { { "u" }, { "░" } } },
	{ "other_ns", "Other", ROLE_DIM, { { "." }, { "·" } } },
	{ 0 },
};

const struct time_part time_parts_by_cause[] = {
	{ "compute_ns", "Compute", ROLE_KERNEL, { { "K" }, { "█" } } },
	{ "compute_overlapped_ns", "Overlapped", ROLE_FORWARD, { { "O" }, { "O" } } },
	{ "exposed_communication_ns", "Communication", ROLE_COMMUNICATION, { { "C" }, { "▓" } } },
	{ "exposed_copy_ns", "Copies", ROLE_MEMCPY, { { "M" }, { "▒" } } },
	{ "idle_launch_ns", "Launch-Bound", ROLE_RUNTIME, { { "l" }, { "l" } } },
	{ "idle_sync_ns", "Sync", ROLE_RUNTIME, { { "w" }, { "w" } } },
	{ "idle_dataloader_ns", "Data Loader", ROLE_WARNING, { { "D" }, { "D" } } },
	{ "idle_allocator_ns", "Allocator", ROLE_MEMCPY, { { "a" }, { "a" } } },
	{ "idle_compile_ns", "Compile", ROLE_PYTHON, { { "c" }, { "c" } } },
	{ "idle_dependency_ns", "Dependency", ROLE_COMMUNICATION, { { "d" }, { "d" } } },
	{ "idle_overhead_ns", "Overhead", ROLE_DIM, { { "v" }, { "v" } } },
	{ "idle_host_ns", "CPU", ROLE_OPERATOR, { { "u" }, { "░" } } },
	{ "idle_unknown_ns", "Unknown", ROLE_DIM, { { "." }, { "·" } } },
	{ "idle_outside_ns", "Outside", ROLE_DIM, { { " " }, { " " } } },
	{ 0 },
};
