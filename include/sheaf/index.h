/* SPDX-License-Identifier: MIT */
/* Index files: what one pass over a large input has found, kept beside it as FILE.sheaf-index (where that
 * folder cannot be written, in the user's cache folder), so that opening it again reads a page.
 * docs/index-file.md describes the bytes.
 *
 * An index counts only where the input has the same size, time of change and hash, and where the settings
 * that decide which rows there are are the same. Any other, and any that is damaged, is passed over:
 * everything is then as without one. */
#ifndef SHEAF_INDEX_H
#define SHEAF_INDEX_H

#include <sheaf/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sheaf_index_info {
	const char *path;    /* where it is, or would be; NULL where the input can have none */
	bool found;          /* there is one; not looked for under SHEAF_INDEX_NEVER */
	bool fresh;          /* it is in use */
	const char *why;     /* why it is not, or NULL */
	int64_t bytes;       /* its size; this and what follows is -1 where it is not fresh */
	int64_t piece_bytes; /* about how long its pieces are; 0: chunks of the format */
	int64_t pieces, rows, samples;
	bool inferred; /* it has the streams, too, which the input does not declare */
} sheaf_index_info;

/* What is known of the index of an open dataset. The texts live as long as the dataset. */
SHEAF_API void sheaf_dataset_index(const sheaf_dataset *dataset, sheaf_index_info *out);

/* Makes the table of pieces where there is none yet, as sheaf_dataset_pieces does and under the same
 * conditions, and writes the index, as a whole or not at all. UNSUPPORTED where the input is no uncompressed
 * regular file; UNKNOWN where something else has the index's name. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_write_index(sheaf_dataset *dataset, sheaf_error *err);

/* Compares the index with the input, all of it: the dataset must have been opened with SHEAF_INDEX_NEVER, and
 * is at its beginning before and after. DATA, with the first difference, where they do not agree; UNKNOWN
 * where there is no index. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_check_index(sheaf_dataset *dataset, sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
