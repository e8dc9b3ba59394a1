/* SPDX-License-Identifier: MIT */
/* NumPy's array files: one array and nothing else. format.c reads, write.c writes; src/array handles
 * arrays. */
#ifndef SHEAF_FORMAT_NPY_NPY_H
#define SHEAF_FORMAT_NPY_NPY_H

#include "array/array.h"

extern const sheaf_writing sheaf_npy_writing;

#endif
