/* SPDX-License-Identifier: MIT */
/* The readers of entries of this build. */
#ifndef SHEAF_NUMBER_KERNELS_ENTRIES_PARTS_H
#define SHEAF_NUMBER_KERNELS_ENTRIES_PARTS_H

#include "number/kernels/kernel_parts.h"

/* Significant digits that fit in a word whatever they are; leading zeros count. */
enum { SHEAF_ENTRIES_DIGITS = 19 };

sheaf_entries_reader sheaf_entries_portable;
/* Reads that many lines; false if one of them is left to the scanner, or there is no room. */
bool sheaf_entries_some(sheaf_entries *run, size_t lines);
#ifdef SHEAF_KERNEL_X86
sheaf_entries_reader sheaf_entries_avx2, sheaf_entries_avx512;
#endif

#endif
