/* SPDX-License-Identifier: MIT */
/* NumPy's archives as boxes: ZIP files of arrays, whose names may have slashes. A text by itself, of no
 * dimension, is an attribute of the group that it is in. */
#ifndef SHEAF_BOX_ARCHIVE_ARCHIVE_H
#define SHEAF_BOX_ARCHIVE_ARCHIVE_H

#include "array/array.h"
#include "box/inside.h"
#include "io/zip.h"
#include <stdatomic.h>

/* What the reading driver knows of an array. */
typedef struct sheaf_archive_own {
	const sheaf_zip_member *member;
	int64_t at;             /* byte of the contents, where they are stored as they are; else -1 */
	atomic_bool is_checked; /* against their sum */
} sheaf_archive_own;

#endif
