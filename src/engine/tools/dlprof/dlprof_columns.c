/*
 * Columns that only DLProf reports use, in DLProf's terms.
 */
#include "tools/dlprof/dlprof_views.h"

const struct column dlprof_columns[] = {
	{ "op_id", "Op ID", UNIT_TEXT, 18, "DLProf op ID: type and number." },
	{ "op_name", "Op Name", UNIT_TEXT, 40, "Path of the op in the program." },
	{ "direction", "Direction", UNIT_TEXT, 9, "Forward (fprop) or backward (bprop)." },
	{ "op_type", "Op Type", UNIT_TEXT, 16, "Type of the op." },
	{ "tc_used", "TC Used", UNIT_FLAG, 7, "Whether any of its kernels uses Tensor Cores.",
	  .device = true },
	{ "data_type", "Data Type", UNIT_TEXT, 10, "Element type that the op computes with." },
	{ "cpu_min_ns", "CPU Min", UNIT_NS, 10, "Minimum CPU time of a call.", COLUMN_MEAN },
	{ "cpu_max_ns", "CPU Max", UNIT_NS, 10, "Maximum CPU time of a call.", COLUMN_MEAN },
	{ "api_total_ns", "API Total", UNIT_NS, 10, "Total duration of the launch calls." },
	{ "api_avg_ns", "API Mean", UNIT_NS, 10, "Mean duration of a launch call.", COLUMN_MEAN },
	{ "api_min_ns", "API Min", UNIT_NS, 10, "Minimum duration of a launch call.", COLUMN_MEAN },
	{ "api_max_ns", "API Max", UNIT_NS, 10, "Maximum duration of a launch call.", COLUMN_MEAN },
	{ "ops", "Ops", UNIT_COUNT, 6, "Number of distinct ops." },
	{ "eligible_ops", "Eligible", UNIT_COUNT, 8, "Number of ops eligible for Tensor Cores." },
	{ "tc_ops", "TC Ops", UNIT_COUNT, 6, "Number of ops that use Tensor Cores.",
	  .device = true },
	{ "tc_kernels", "TC Kernels", UNIT_COUNT, 10,
	  "Number of distinct kernels that use Tensor Cores.", .device = true },
	{ "tc_kernel_names", "TC Kernel Names", UNIT_TEXT, 40,
	  "Names of the kernels that use Tensor Cores.", .device = true },
	{ "non_tc_kernels", "Non-TC Kernels", UNIT_COUNT, 14,
	  "Number of distinct kernels that do not use Tensor Cores." },
	{ "non_tc_kernel_names", "Non-TC Kernel Names", UNIT_TEXT, 40,
	  "Names of the kernels that do not use Tensor Cores." },
	{ "parameters", "Parameters", UNIT_TEXT, 24,
	  "Op parameters, such as strides and padding." },
	{ "output_shapes", "Output Shapes", UNIT_TEXT, 30, "Output shapes." },
	{ "long_name", "Long Name", UNIT_TEXT, 40, "Name with template arguments and parameters." },
	{ "count", "Count", UNIT_COUNT, 8, "Number of items." },
	{ .id = NULL },
};
