/*
 * The part of a kernel's name that distinguishes it from kernels with a similar name: kept when the
 * name is cut (text_elide).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* An argument "Functor<float>": offsets of its start, and of its end without and with arguments. */
struct kernel_functor {
	size_t start, end, arguments_end;
	bool alone; /* the kernel's own name says nothing */
};

/*
 * What a generic kernel of PyTorch, CUTLASS or Composable Kernel computes, of a signature without
 * return type, namespaces and parameters. False: TEXT names another kernel, or does not say it.
 */
bool kernel_functor(const char *text, size_t length, struct kernel_functor *functor);

/* Bytes of "ncclDevKernel_" before the operation, which says more; 0: another name. */
size_t kernel_library(const char *text, size_t length);

/*
 * "MT128x256x32" of "Cijk_Ailk_..._MT128x256x32_...": offsets. At least LEAST columns stay before
 * it, the first PREFIX of which ("sm80_") say least.
 */
struct kernel_tile {
	size_t start, end, least, prefix;
};

/* False: the name has none. */
bool kernel_tile(const char *text, size_t length, struct kernel_tile *tile);
