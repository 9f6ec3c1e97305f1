/* Databases of rocprof-compute: dispatches, and metrics of kernels. */
#include "database_case.h"

#include <math.h>

#define TABLES                                                                                     \
	"CREATE TABLE compute_kernel (kernel_uuid INT, workload_id INT, kernel_name TEXT);"        \
	"CREATE TABLE compute_dispatch (dispatch_uuid INT, kernel_uuid INT, dispatch_id INT,"      \
	" gpu_id INT, start_timestamp INT, end_timestamp INT);"                                    \
	"CREATE TABLE compute_metric_definition (metric_uuid INT, name TEXT, metric_id TEXT,"      \
	" table_name TEXT, sub_table_name TEXT, unit TEXT);"                                       \
	"CREATE TABLE compute_kernel_metric_value (metric_uuid INT, kernel_uuid INT,"              \
	" value_name TEXT, value);"                                                                \
	"INSERT INTO compute_kernel VALUES (1, 1, 'gemm'), (2, 1, 'relu');"                        \
	"INSERT INTO compute_metric_definition VALUES"                                             \
	" (9, 'VALU', '10.1.0', 'Mix', 'All', 'Instructions');"

TEST(metrics_belong_to_kernels)
{
	struct profile *profile = database_open(
		TABLES "INSERT INTO compute_dispatch VALUES (1, 1, 0, 2, 100, 130),"
		       "(2, 2, 1, 2, 140, 150), (3, 1, 2, 2, 160, 180);"
		       "INSERT INTO compute_kernel_metric_value VALUES (9, 1, 'Avg', 2.5),"
		       "(9, 2, 'Max', NULL), (8, 1, 'Avg', 1), (9, 7, 'Avg', 1);");
	const struct metric *metrics = profile->metrics;
	assert_int_equal(profile->activities, 3);
	assert_int_equal(profile_activity_device(profile, 0), 2);
	assert_int_equal(profile->metric_count, 2);
	assert_int_equal(metrics[0].of_kernel, 1);
	assert_int_equal(metrics[0].activity, activity_named(profile, "gemm"));
	assert_true(metrics[0].value == 2.5);
	assert_string_equal(profile_string(profile, metrics[0].name), "10.1.0");
	assert_string_equal(profile_string(profile, metrics[0].title), "VALU");
	assert_string_equal(profile_string(profile, metrics[0].section), "Mix");
	assert_string_equal(profile_string(profile, metrics[0].statistic), "Avg");
	assert_true(isnan(metrics[1].value));
	assert_int_equal(damage_count(profile, "value without metric or kernel"), 2);
	profile_free(profile);
}

TEST(odd_rows_are_skipped)
{
	struct profile *profile = database_open(
		TABLES "INSERT INTO compute_dispatch VALUES (1, 1, 0, -7, 100, 130),"
		       "(2, 'x', NULL, 1e300, 140, 150), (3, 1, 2, 2, NULL, 180),"
		       "(4, 99, 2, 2, 9223372036854775807, -9223372036854775807);"
		       "INSERT INTO compute_kernel_metric_value VALUES (NULL, NULL, NULL, 'x'),"
		       "('y', 1, x'00ff', 1), (9, 1, NULL, 9e999);");
	activity_named(profile, "gemm");
	profile_free(profile);
}
