/*
 * CRC-64 (ECMA-182, reflected), equal with and without ISA-L: an index fits both.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Continues the checksum BEFORE (0: starts one). */
uint64_t crc64(uint64_t before, const void *data, size_t size);
