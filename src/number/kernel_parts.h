/* SPDX-License-Identifier: MIT */
/* The kernels of this build. */
#ifndef SHEAF_NUMBER_KERNEL_PARTS_H
#define SHEAF_NUMBER_KERNEL_PARTS_H

#include "number/kernel.h"

extern const sheaf_kernel sheaf_kernel_portable;

#if defined(__x86_64__) && defined(__GNUC__)
#define SHEAF_KERNEL_X86 1
extern const sheaf_kernel sheaf_kernel_avx512;
#endif

#endif
