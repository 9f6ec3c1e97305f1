/*
 * What the reader of telemetry says of its samples, for what joins them to a trace.
 */
#ifndef STRATA_INPUT_TELEMETRY_TELEMETRY_H
#define STRATA_INPUT_TELEMETRY_TELEMETRY_H

/* Metadata: of what clock the times are. */
#define TELEMETRY_CLOCK "clock of the samples"
#define TELEMETRY_UNIX "Unix time"
#define TELEMETRY_LOCAL "local time without a zone, read as UTC"
#define TELEMETRY_DAYLESS "time of an unknown day"
#define TELEMETRY_UNTIMED "none; a second from one sample to the next is assumed"

#endif
