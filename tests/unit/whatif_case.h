/* Events of traces that are replayed. */
#pragma once

#include "trace_case.h"

#define CALL(name, ts, dur, correlation)                                                           \
	EVENT("cuda_runtime", name, "1", "1", ts, dur, "{\"correlation\":" correlation "}")
#define ON_STREAM(name, stream, ts, dur, correlation)                                              \
	EVENT("kernel", name, "0", stream, ts, dur,                                                \
	      "{\"device\":0,\"stream\":" stream ",\"correlation\":" correlation "}")
