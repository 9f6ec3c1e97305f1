/* RPD databases: both schemas, links of operations to calls, ranges and operators, monitors. */
#include "database_case.h"

#include <stdio.h>

#define STRINGS                                                                                    \
	"CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);"                         \
	"INSERT INTO rocpd_string VALUES (1,''),(2,'UserMarker'),(3,'hipLaunchKernel'),"           \
	"(4,'KernelExecution'),(5,'gemm'),(6,'CopyHostToDevice'),(7,'hipMemcpyAsync'),"            \
	"(8,'Task'),(9,'aten::mm'),(10,'step 1'),(11,'hipExtModuleLaunchKernel'),(12,'Copy'),"     \
	"(13,'FillBuffer'),(14,'a.py:1 inner'),(15,'b.py:2 outer');"
#define TABLES                                                                                     \
	"CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT,"    \
	" apiName_id INT, args_id INT);"                                                           \
	"CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INT, queueId INT, start INT,"        \
	" end INT, description_id INT, opType_id INT);"                                            \
	"CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INT, op_id INT);"              \
	"CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, gridX INT, gridY INT,"      \
	" gridZ INT, workgroupX INT, workgroupY INT, workgroupZ INT, groupSegmentSize INT);"       \
	"CREATE TABLE rocpd_copyapi (api_ptr_id INTEGER PRIMARY KEY, size, width, height, kind);"
#define BIG(n) "4294967296+" #n

TEST(the_version_of_the_schema_is_told)
{
	struct profile *profile = database_open(
		STRINGS TABLES
		"CREATE TABLE rocpd_metadata (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);"
		"INSERT INTO rocpd_metadata VALUES (1,'session_id','7'),"
		"(2,'schema_version','2'),(3,'schema_version','3');"
		"INSERT INTO rocpd_op VALUES (1,1,3,105,120,5,4);");
	assert_string_equal(profile_metadata(profile, "RPD schema"), "2");
	profile_free(profile);
}

TEST(operations_have_calls_and_parameters)
{
	struct profile *profile = database_open(STRINGS TABLES "INSERT INTO rocpd_api VALUES (" BIG(
		1) ",7,8,100,110,3,1),"
		   "(" BIG(2) ",7,8,120,130,11,1),(" BIG(
			   3) ",7,8,140,150,7,1),"
			      "(" BIG(4) ",7,8,90,500,2,10),(" BIG(
				      5) ",7,8,160,170,7,1);"
					 "INSERT INTO rocpd_op VALUES (" BIG(
						 1) ",1000,3,105,120,5,4),"
						    "(" BIG(2) ",2,0,200,210,5,4),(" BIG(3) ",2,0,210,220,1,6),(" BIG(
							    4) ",2,0,230,240,5,8),"
							       "(" BIG(5) ",2,0,250,260,1,12),(" BIG(
								       6) ",2,0,270,280,1,13);"
									  "INSERT INTO rocpd_api_ops (api_id,op_id) VALUES (" BIG(4) "," BIG(
										  1) "),"
										     "(" BIG(1) "," BIG(1) "),(" BIG(2) "," BIG(2) "),(" BIG(3) "," BIG(
											     3) "),"
												"(" BIG(5) "," BIG(
													5) ");"
													   "INSERT INTO rocpd_kernelapi VALUES (" BIG(
														   1) ",2,1,1,64,1,1,16),"
														      "(" BIG(2) ",640,1,1,64,1,1,0);"
																 "INSERT INTO rocpd_copyapi VALUES (" BIG(
																	 3) ",4096,'','',1),(" BIG(5) ",'',8,4,2);");
	uint32_t copy = activity_named(profile, "Memcpy HtoD");

	/* a range is no call; devices keep their number */
	for (uint32_t i = 0; i < profile->activities; i++) {
		const struct launch_config *config = profile_config(profile, i);
		int32_t device = profile_activity_device(profile, i);
		if (!config)
			continue;
		assert_int_equal(profile->activity_kind[i], ACTIVITY_KERNEL);
		assert_string_equal(span_text(profile, profile->activity_launch[i]),
				    device == 1000 ? "hipLaunchKernel"
						   : "hipExtModuleLaunchKernel");
		assert_int_equal(config->grid[0], device == 1000 ? 2 : 10);
	}
	assert_int_equal(profile->activity_bytes[copy], 4096);
	assert_int_equal(profile->activity_bytes[activity_named(profile, "Memcpy DtoH")], 32);
	assert_int_equal(profile->activity_kind[activity_named(profile, "FillBuffer")],
			 ACTIVITY_MEMSET);
	assert_int_equal(profile->span_kind[span_named(profile, "step 1")], SPAN_ANNOTATION);
	profile_free(profile);
}

TEST(operators_of_autograd)
{
	struct profile *profile = database_open(
		STRINGS TABLES
		"CREATE TABLE ext_autogradapi (api_ptr_id INTEGER PRIMARY KEY, autogradName_id INT,"
		" seq INT, sizes TEXT);"
		"INSERT INTO ext_autogradapi VALUES (1,9,'42','[[2, 3], [3, 4]]'),(2,9,'','');"
		"INSERT INTO rocpd_api VALUES (1,7,8,100,200,2,9),(2,7,8,300,400,2,9),"
		"(3,7,8,110,120,3,1);");
	uint32_t mm = span_named(profile, "aten::mm");
	const struct op_info *info = profile_op_info(profile, mm);

	assert_int_equal(profile->span_kind[mm], SPAN_OPERATOR);
	assert_int_equal(profile_op_ids(profile, mm)->sequence, 42);
	assert_string_equal(profile_string(profile, info->shapes), "[[2, 3], [3, 4]]");
	assert_int_equal(profile->span_parent[span_named(profile, "hipLaunchKernel")], mm);
	profile_free(profile);
}

/* Schema 3 has a table of arguments, stacks and monitors; values are texts. */
TEST(schema_3)
{
	struct profile *profile = database_open(
		STRINGS TABLES
		"CREATE TABLE rocpd_ustring (id INTEGER PRIMARY KEY, string TEXT);"
		"INSERT INTO rocpd_ustring VALUES (10,'other text');"
		"CREATE TABLE rocpd_stackframe (api_ptr_id INT, depth INT, name_id INT);"
		"INSERT INTO rocpd_stackframe VALUES (2,1,15),(2,0,14),(9,0,14);"
		"CREATE TABLE rocpd_monitor (deviceType TEXT, deviceId INT, monitorType TEXT,"
		" start INT, end INT, value TEXT);"
		"INSERT INTO rocpd_monitor VALUES ('gpu',1,'sclk',100,200,'800'),"
		"('gpu',1,'sclk',200,300,''),('gpu',1,'power',200,300,'x');"
		"INSERT INTO rocpd_api VALUES (1,7,8,100,200,2,10),(2,7,8,110,120,3,1);");
	uint32_t call = span_named(profile, "hipLaunchKernel");
	size_t count;
	const struct attribute *attributes = profile_span_attributes(profile, call, &count);

	span_named(profile, "other text");
	assert_int_equal(count, 1);
	assert_string_equal(profile_string(profile, attributes->text), "a.py:1 inner;b.py:2 outer");
	assert_int_equal(profile->counter_count, 1);
	assert_true(profile->counters[0].value == 800);
	assert_int_equal(profile->tracks[profile->counters[0].track].device, 1);
	assert_int_equal(damage_count(profile, "counter without name or value"), 2);
	profile_free(profile);
}

TEST(hostile_rows)
{
	char sql[8192];

	for (size_t i = 0; i < HOSTILE_VALUES; i++) {
		snprintf(
			sql, sizeof sql,
			STRINGS TABLES
			"INSERT INTO rocpd_api VALUES (1,7,8,100,200,3,1);"
			"INSERT INTO rocpd_api SELECT NULL,%1$s,%1$s,110,%1$s,%1$s,%1$s;"
			"INSERT INTO rocpd_op SELECT NULL,%1$s,%1$s,110,%1$s,%1$s,%1$s;"
			"INSERT INTO rocpd_op SELECT NULL,%1$s,%1$s,%1$s,%1$s,%1$s,4;"
			"INSERT INTO rocpd_api_ops SELECT NULL,%1$s,%1$s;"
			"INSERT INTO rocpd_kernelapi SELECT NULL,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s;"
			"INSERT INTO rocpd_copyapi SELECT NULL,%1$s,%1$s,%1$s,%1$s;"
			"CREATE TABLE rocpd_monitor (deviceType, deviceId, monitorType, start, value);"
			"INSERT INTO rocpd_monitor VALUES (%1$s,%1$s,%1$s,%1$s,%1$s);",
			database_hostile_values[i]);
		struct profile *profile = database_open(sql);
		span_named(profile, "hipLaunchKernel");
		profile_free(profile);
	}
	assert_database_refused(STRINGS TABLES, "RPD database without API calls");
}

#define TRACED                                                                                     \
	" (BeginNs INT, EndNs INT, \"dev-id\" INT, \"queue-id\" INT, Name TEXT, pid INT, tid INT," \
	" \"stream-id\" INT, \"Index\" INT);"

/* rocprof --hip-trace: calls, and what they began, by their number. */
TEST(calls_and_work_of_rocprof)
{
	struct run *run = database_run(
		"CREATE TABLE HIP (BeginNs INT, EndNs INT, pid INT, tid INT, Name TEXT, args TEXT,"
		" \"Index\" INT);CREATE TABLE OPS" TRACED "CREATE TABLE COPY" TRACED
		"CREATE TABLE KERN (\"Index\" INT, KernelName TEXT);"
		"INSERT INTO HIP VALUES (1000,1300,7,8,'hipMemcpy','',4),"
		"(1400,1420,7,8,'hipLaunchKernel','',8),(0,'x',7,8,'hipFree','',9);"
		"INSERT INTO OPS VALUES (1450,1500,4,0,'add(int)',7,8,1,8);"
		"INSERT INTO COPY VALUES (1100,1250,4,0,'CopyHostToDevice',7,8,0,4),"
		"(1600,1500,4,0,'CopyDeviceToHost',7,8,0,10);");
	const struct profile *profile = run->ranks[0].profile;
	assert_string_equal(profile->format, "rocprof database (SQLite)");
	assert_rows(run, "launches", NULL, NULL, "name,kind,dur_ns,launch_delay_ns",
		    "Memcpy HtoD,memcpy,150,100\nadd(int),kernel,50,50\nMemcpy DtoH,memcpy,0,\n");
	assert_rows(run, "spans", NULL, NULL, "name,dur_ns", "hipMemcpy,300\nhipLaunchKernel,20\n");
	assert_int_equal(profile->tracks[profile->activity_track[0]].device, 4);
	run_free(run);
}

/* Without tracing: kernels, in quotes, with the items of their grid. */
TEST(kernels_of_rocprof)
{
	struct run *run = database_run(
		"CREATE TABLE KERN (\"Index\" INT, KernelName TEXT, \"gpu-id\" INT, \"queue-id\" INT,"
		" pid INT, grd INT, wgr INT, lds INT, arch_vgpr INT, BeginNs INT, EndNs INT);"
		"INSERT INTO KERN VALUES (0,'\"copy.kd\"',2,0,7,1024,256,64,16,100,350),"
		"(1,'add',2,0,7,1000,256,0,8,400,410),(2,NULL,2,0,7,1,1,0,8,420,430),"
		"(3,'late',2,0,7,1,1,0,8,520,NULL);");
	assert_rows(run, "launches", NULL, NULL, "name,dur_ns,grid,block",
		    "copy,250,4,1,1,256,1,1\nadd,10,4,1,1,256,1,1\n,10,1,1,1,1,1,1\n");
	run_free(run);
}
