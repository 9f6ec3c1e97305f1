/*
 * The readers of all formats, for the lists of the tools (model/tool.h).
 */
#pragma once

#include "input/reader.h"

/* ---- PyTorch ---- */

/* Dumps of the flight recorder (NCCL), as pickles of plain data or JSON. */
extern const struct reader flight_pickle_reader, flight_json_reader;

/* Structured logs of torch.compile (TORCH_TRACE). */
extern const struct reader compile_log_reader;

/* Execution traces: operators and their arguments, without times. */
extern const struct reader execution_trace_reader;

/* Snapshots of the caching allocator (torch.cuda.memory._dump_snapshot(), pickles of plain data).
 */
extern const struct reader snapshot_reader, memory_timeline_reader;

/* What DeepSpeed's flops profiler prints: a summary, and the modules of the model as a tree. */
extern const struct reader flops_report_reader;

/* ---- NVIDIA ---- */

/*
 * Nsight Systems exports (nsys export -t sqlite) of any schema version: tables and columns are
 * probed; missing ones disable what depends on them. The recorded environment of the profiled
 * process is never read.
 */
extern const struct reader nsys_reader, nsys_printed_reader, nsys_trace_csv_reader;

/* Nsight Compute: reports (.ncu-rep, .ncu-repz), `ncu --csv`, and what ncu prints. */
extern const struct reader ncu_report_reader, ncu_printed_reader;

/* Databases of nvprof and the Visual Profiler: CUPTI activity records; nvprof's printed summary. */
extern const struct reader nvprof_reader, nvprof_trace_reader, nvprof_printed_reader;

/*
 * Databases of DLProf (dlprof_dldb.sqlite), versions 1.3 to 1.8. The correlated profile becomes
 * rows of the profile; everything stored is kept in its struct dlprof.
 */
extern const struct reader dlprof_reader;

/*
 * PyProf's net.dict of any generation: one kernel per line, as a Python dict.
 *
 * The file holds only durations. Kernels are placed one after another in file order; layers,
 * operators and the launch enclosing them last as long as they do. Every member of a line is kept
 * as an attribute of its kernel, in Python syntax (strings unquoted); "line" is the line number.
 */
extern const struct reader pyprof_reader;

/* What trtexec of TensorRT exports (layer times, run times, layers); its printed layer times. */
extern const struct reader tensorrt_reader, trtexec_table_reader;

/* ---- AMD and Ascend ---- */

/*
 * rocpd (rocprofv3, rocprof-sys), RPD (rocmProfileData), rocprofv3 JSON, and tables of rocprof,
 * rocprofv2 and rocprofv3.
 */
extern const struct reader rocpd_reader, rpd_reader, rocprof_database_reader, rocprof_json_reader,
	rocprof_csv_reader, rocprof_trace_reader, rocprof_stats_reader, rocprof_compute_reader;

/* What torch_npu and msprof write, apart from the trace, which is Chrome's (input/kineto). */
extern const struct reader ascend_database_reader; /* ascend_pytorch_profiler_0.db, msprof_1.db */
extern const struct reader ascend_kernels_reader;  /* kernel_details.csv */

/* ---- other runtimes ---- */

/* Samples of GPUs by nvidia-smi, dcgmi, rocm-smi and amd-smi, alone or beside a trace. */
extern const struct reader telemetry_reader;

/* Requests to inference servers, as benchmarks and tracing (OTLP) saved them, beside a trace. */
extern const struct reader requests_reader;

/* JAX, TensorFlow and PyTorch/XLA: XSpace protobufs (xplane.pb), and the Chrome trace of one. */
extern const struct reader xplane_reader, xla_trace_reader;

/* ONNX Runtime's profiles: nodes, session events, kernels. */
extern const struct reader onnxruntime_reader;

/* Profiles of Triton's Proton (.hatchet). */
extern const struct reader proton_reader;

/* Perfetto traces (.pftrace, .perfetto-trace): the events of tracks. */
extern const struct reader pftrace_reader;

/* ---- Python ---- */

/* cProfile (marshal) and line_profiler (pickle): totals without timeline. */
extern const struct reader pstats_reader, lprof_reader;

/* Lines and functions with shares of the run's time and memory, as JSON, any version. */
extern const struct reader scalene_reader;

/*
 * Memory samples become the curve; calls of profiled functions become Python spans with attributes
 * "start MiB" and "end MiB"; child processes become counters.
 */
extern const struct reader mprof_reader;

/*
 * "frame;frame 12", one stack per line (export_stacks, austin, py-spy record -f raw,
 * stackcollapse); other lines are counted and skipped.
 */
extern const struct reader collapsed_reader;

/* Flame graphs that py-spy, inferno and flamegraph.pl drew (SVG): the stacks that they show. */
extern const struct reader flame_svg_reader;

/* What py-spy dump (text, JSON) and faulthandler print: the stack of each thread at one moment. */
extern const struct reader dump_reader;

/* What memray stats --json and memray transform csv write: places that allocate, or stacks. */
extern const struct reader memray_reader;

/* What python -X importtime prints: modules, and the imports in which they were imported. */
extern const struct reader importtime_reader;

/*
 * Printed tables of pstats, Lightning, memory_profiler, torch.utils.bottleneck and key_averages,
 * alone or among other lines.
 */
extern const struct reader printed_reader;

/* speedscope's JSON, as py-spy, pyinstrument and others write it. */
extern const struct reader speedscope_reader;

/* What perf script prints. */
extern const struct reader perf_script_reader;

/* ---- any language ---- */

/* pprof's profile.proto: Go, gperftools, JAX device memory. */
extern const struct reader pprof_reader;
