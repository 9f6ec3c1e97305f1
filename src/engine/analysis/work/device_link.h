/*
 * Bandwidth of the links that join devices of a host, from data sheets.
 */
#ifndef STRATA_ANALYSIS_WORK_DEVICE_LINK_H
#define STRATA_ANALYSIS_WORK_DEVICE_LINK_H

/* Bytes/s that a device sends to all its peers over NVLink or Infinity Fabric; NAN: unknown. */
double device_link_bytes(const char *device);

#endif
