/* SPDX-License-Identifier: MIT */
/* NumPy's archives as boxes: ZIP files of arrays, whose names may have slashes. A single text, without
 * dimensions, is an attribute of its group. */
#ifndef SHEAF_CONTAINER_ZIP_ARCHIVE_H
#define SHEAF_CONTAINER_ZIP_ARCHIVE_H

#include "container/inside.h"
#include "container/zip/zip.h"
#include "format/numpy/array.h"
#include <stdatomic.h>

/* What the reading driver knows about an array. */
typedef struct sheaf_archive_own {
	const sheaf_zip_member *member;
	int64_t at;             /* byte of the contents, if they are stored uncompressed; else -1 */
	atomic_bool is_checked; /* against their checksum */
} sheaf_archive_own;

#endif
