#include "picture/plot/time_parts.h"

#include <math.h>
#include <string.h>

const struct time_part time_parts_by_class[] = {
	{ "kernel_ns", "Kernel", NULL, ROLE_KERNEL, "K", "█" },
	{ "memcpy_ns", "Memcpy", NULL, ROLE_MEMCPY, "M", "▒" },
	{ "memset_ns", "Memset", NULL, ROLE_MEMCPY, "S", "s" },
	{ "communication_ns", "Communication", "Comm", ROLE_COMMUNICATION, "C", "▓" },
	{ "runtime_ns", "Runtime", NULL, ROLE_RUNTIME, "r", "r" },
	{ "dataloader_ns", "Data Loader", "Loader", ROLE_WARNING, "D", "D" },
	{ "cpu_exec_ns", "CPU", NULL, ROLE_OPERATOR, "u", "░" },
	{ "other_ns", "Other", NULL, ROLE_DIM, ".", "·" },
	{ 0 },
};

const struct time_part time_parts_by_cause[] = {
	{ "compute_ns", "Compute", NULL, ROLE_KERNEL, "K", "█" },
	{ "compute_overlapped_ns", "Overlapped", "Overlap", ROLE_FORWARD, "O", "O" },
	{ "exposed_communication_ns", "Communication", "Comm", ROLE_COMMUNICATION, "C", "▓" },
	{ "exposed_copy_ns", "Copies", NULL, ROLE_MEMCPY, "M", "▒" },
	{ "idle_launch_ns", "Launch-Bound", "Launch", ROLE_RUNTIME, "l", "l" },
	{ "idle_sync_ns", "Sync", NULL, ROLE_RUNTIME, "w", "w" },
	{ "idle_dataloader_ns", "Data Loader", "Loader", ROLE_WARNING, "D", "D" },
	{ "idle_allocator_ns", "Allocator", "Alloc", ROLE_MEMCPY, "a", "a" },
	{ "idle_compile_ns", "Compile", NULL, ROLE_PYTHON, "c", "c" },
	{ "idle_dependency_ns", "Dependency", NULL, ROLE_COMMUNICATION, "d", "d" },
	{ "idle_overhead_ns", "Overhead", NULL, ROLE_DIM, "v", "v" },
	{ "idle_host_ns", "CPU", NULL, ROLE_OPERATOR, "u", "░" },
	{ "idle_unknown_ns", "Unknown", NULL, ROLE_DIM, ".", "·" },
	{ "idle_outside_ns", "Outside", NULL, ROLE_DIM, " ", " " },
	{ 0 },
};

const struct time_part time_parts_by_tensor_core[] = {
	{ "tc_ns", "Tensor Cores", NULL, ROLE_KERNEL, "T", "█" },
	{ "non_tc_ns", "Other Kernels", NULL, ROLE_FORWARD, "K", "▒" },
	{ "dataloader_ns", "Input", NULL, ROLE_WARNING, "D", "D" },
	{ 0 },
};

const struct time_part time_parts_of_ranks[] = {
	{ "computation_ns", "Computation", NULL, ROLE_KERNEL, "K", "█", "overlap_ns" },
	{ "overlap_ns", "Overlapped", NULL, ROLE_FORWARD, "O", "O" },
	{ "communication_ns", "Communication", NULL, ROLE_COMMUNICATION, "C", "▓", "overlap_ns" },
	{ "other_ns", "Other", NULL, ROLE_DIM, ".", "·" },
	{ 0 },
};

const struct time_part time_parts_of_collectives[] = {
	{ "transfer_ns", "Transfer", NULL, ROLE_COMMUNICATION, "C", "▓" },
	{ "sync_ns", "Rank Wait", NULL, ROLE_WARNING, "w", "w" },
	{ 0 },
};

const struct time_part time_parts_of_compiles[] = {
	{ "dynamo_ns", "Dynamo", NULL, ROLE_PYTHON, "D", "D" },
	{ "aot_ns", "AOTAutograd", "AOT", ROLE_OPERATOR, "A", "░" },
	{ "inductor_ns", "Inductor", NULL, ROLE_FORWARD, "I", "▒" },
	{ "triton_ns", "Triton", NULL, ROLE_KERNEL, "T", "█" },
	{ 0 },
};

const struct time_part *time_parts_of_view(const char *view)
{
	return !strcmp(view, "ranks")         ? time_parts_of_ranks
	       : !strcmp(view, "collectives") ? time_parts_of_collectives
	       : !strcmp(view, "steps")       ? time_parts_by_tensor_core
					      : NULL;
}

double time_part_value(const struct table *table, const struct time_part *part, size_t row)
{
	double value = value_number(table_cell(table, row, part->column), 0);
	if (part->minus)
		value -= value_number(table_cell(table, row, part->minus), 0);
	return fmax(value, 0);
}

double time_parts_sum(const struct plot *plot, const struct time_part *parts, size_t row)
{
	double sum = 0;
	for (size_t i = 0; parts[i].column; i++)
		sum += time_part_value(plot->table, &parts[i], row);
	return sum;
}

void plot_add_part(struct plot *plot, const struct time_part *part, const double *places)
{
	double sum = 0;
	for (size_t row = 0; row < plot->table->rows; row++)
		sum += time_part_value(plot->table, part, row);
	if (!(sum > 0))
		return;
	struct plot_series *series =
		plot_add_series(plot, 0, part->name, PLOT_STACK, part->role,
				(struct plot_glyphs){ { part->ascii }, { part->unicode } });
	for (size_t row = 0; row < plot->table->rows; row++)
		plot_add_point(series,
			       (struct plot_point){ .x = places[row] - 0.5,
						    .width = 1,
						    .y = time_part_value(plot->table, part, row),
						    .row = (uint32_t)row });
}
