/* Tables of GPU samples by nvidia-smi, dcgmi, rocm-smi and amd-smi: counters, clocks, damage. */
#include "text_profile_case.h"

#define SMI                                                                                        \
	"timestamp, index, power.draw [W], clocks.current.sm [MHz], memory.used [KiB], pstate, "   \
	"clocks_throttle_reasons.active\n"

static void check_counters(const char *text, const char *clock, const char *rows)
{
	struct run *run = trace_run(text);
	assert_rows(run, "counters", NULL, NULL, "device,name,value_count,mean_value,max_value",
		    rows);
	assert_string_equal(profile_metadata(run->ranks[0].profile, "clock of the samples"), clock);
	run_free(run);
}

#define LOCAL "local time without a zone, read as UTC"
#define UNTIMED "none; a second from one sample to the next is assumed"

TEST(nvidia_smi)
{
	check_counters(
		SMI "2025/04/24 15:58:57.879, 1, 20.5 W, 1410 MHz, 2 KiB, P0, 0x0000000000000004\n"
		    "2025/04/24 15:58:58.879, 1, 21.5 W, 1400 MHz, 4 KiB, P0, 0x0000000000000000\n"
		    "2025/04/24 15:58:59.879, 1, [N/A], [Not Supported], 6 KiB, P0, \n",
		LOCAL,
		"GPU1,power (W),2,21,21.5\n"
		"GPU1,SM clock (MHz),2,1405,1410\n"
		"GPU1,memory used (bytes),3,4096,6144\n"
		"GPU1,throttled by power cap,2,0.5,1\n"
		"GPU1,throttled by hardware slowdown,2,0,0\n"
		"GPU1,throttled by software thermal limit,2,0,0\n"
		"GPU1,throttled by hardware thermal limit,2,0,0\n"
		"GPU1,throttled by power brake,2,0,0\n");
}

/* nounits: the heading has them; noheader: the values have them. */
TEST(units_are_in_the_heading_or_the_values)
{
	check_counters("timestamp, memory.used [KiB], utilization.gpu [%]\n"
		       "2025/04/24 15:58:57.879, 3, 50\n",
		       LOCAL,
		       "GPU0,memory used (bytes),1,3072,3072\n"
		       "GPU0,GPU utilization (%),1,50,50\n");
	check_counters("2025/04/24 15:58:57.879, 18.81 W, 3 KiB\n"
		       "2025/04/24 15:58:57.979, 20.81 W, 5 KiB\n",
		       LOCAL,
		       "GPU0,power (W),2,19.81,20.81\n"
		       "GPU0,column 3,2,4096,5120\n");
	check_counters("2025/04/24 15:58:57.879, 18.81 W, 300.00 W\n", LOCAL,
		       "GPU0,column 2,1,18.81,18.81\n"
		       "GPU0,column 3,1,300,300\n");
}

TEST(dmon)
{
	check_counters("# gpu   pwr gtemp  pclk\n# Idx     W     C   MHz\n"
		       "    0    43     -   345\n    1    44    48   345\n"
		       "    0    45     -  1345\n",
		       UNTIMED,
		       "GPU0,power (W),2,44,45\n"
		       "GPU0,SM clock (MHz),2,845,1345\n"
		       "GPU1,power (W),1,44,44\n"
		       "GPU1,temperature (C),1,48,48\n"
		       "GPU1,SM clock (MHz),1,345,345\n");
	check_counters("#Date       Time        gpu   pwr\n#YYYYMMDD   HH:MM:SS   Idx     W\n"
		       " 20250424   15:58:57      0    43\n",
		       LOCAL, "GPU0,power (W),1,43,43\n");
	check_counters("#Entity   GPUTL  POWER\nID\nGPU 2     10     50.5\n", UNTIMED,
		       "GPU2,GPU utilization (%),1,10,10\nGPU2,power (W),1,50.5,50.5\n");
}

TEST(amd)
{
	check_counters("device,Average Graphics Package Power (W),sclk clock speed:\n"
		       "card1,30.0,(1700Mhz)\n",
		       UNTIMED, "GPU1,power (W),1,30,30\nGPU1,SM clock (MHz),1,1700,1700\n");
	check_counters("timestamp,gpu,power_usage,gfx_clk\n1733527095,0,120,1200\n"
		       "1733527096,0,121,N/A\n",
		       "Unix time",
		       "GPU0,power (W),2,120.5,121\nGPU0,SM clock (MHz),1,1200,1200\n");
}

TEST(the_capture_is_that_of_the_samples)
{
	struct profile *profile = trace_open("timestamp, power.draw [W]\n"
					     "2025/04/24 15:58:57.879, 18.81 W\n"
					     "2025/04/24 15:58:59.000, 19.00 W\n");
	assert_int_equal(profile->base_ns, 1745510337879000000);
	assert_int_equal(profile->end_ns, 1121000000);
	assert_int_equal(profile->counters[0].time, 0);
	profile_free(profile);
}

TEST(other_tables_are_not_telemetry)
{
	assert_refused(BYTES("time,value\n1,2\n"));
	assert_refused(BYTES("device,name,index\n0,1,2\n"));
	assert_refused(BYTES("2025/04/24 lunch, 12 people\n"));
}

TEST(cut_and_damaged_tables)
{
	assert_survives(
		BYTES(SMI "2025/04/24 15:58:57.879, 1, 20.5 W, 1410 MHz, 2 KiB, P0, 0x4\n"));
	/* years and months below any number, and times that add up to more than there is */
	assert_survives(BYTES("timestamp,index,power.draw [W]\n"
			      "-2147483648/-2147483648/1 10:00:00,0,5 W\n"));
	assert_survives(
		BYTES("timestamp,timestamp,timestamp,index,power.draw [W]\n"
		      "2100/12/31 10:00:00,2100/12/31 10:00:00,2100/12/31 10:00:00,0,5 W\n"));
	assert_survives(BYTES("# gpu pwr sm pclk\n0 43 5 345\n99999999999 1e999 5 5\n"));
}
