/* SPDX-License-Identifier: MIT */
/* NumPy's array files: one array and nothing else. format.c reads, write.c writes; src/format/numpy handles
 * arrays. */
#ifndef SHEAF_FORMAT_NUMPY_NPY_NPY_H
#define SHEAF_FORMAT_NUMPY_NPY_NPY_H

#include "format/numpy/array.h"

extern const sheaf_writing sheaf_npy_writing;

#endif
