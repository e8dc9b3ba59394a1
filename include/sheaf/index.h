/* SPDX-License-Identifier: MIT */
/* Index files: the results of one pass over a large input, stored beside it as FILE.sheaf-index (or in the
 * user's cache folder, if that folder cannot be written), so that opening it again reads only a page, if the
 * streams and types are declared; others are inferred from all of the input each time. docs/index-file.md
 * describes the bytes.
 *
 * An index is used only if the input has the same size, time of change and hash, and if the settings that
 * decide which rows there are have not changed. Any other index, or a damaged one, is ignored. */
#ifndef SHEAF_INDEX_H
#define SHEAF_INDEX_H

#include <sheaf/part.h>

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

/* Makes the table of pieces if there is none yet, as sheaf_dataset_pieces does and under the same conditions,
 * and writes the index, whole or not at all. `parts` NULL: all rows are looked at; else what the parts of
 * sheaf_dataset_index_part have found is used. Parts of another job are USAGE; parts stay the caller's.
 * UNSUPPORTED if the input is not an uncompressed regular file; UNKNOWN if something else has the index's
 * name. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_write_index(sheaf_dataset *dataset, const sheaf_parts *parts,
                                                           sheaf_error *err);

/* Compares the whole index with the input: the dataset must have been opened with SHEAF_INDEX_NEVER, and is
 * at its beginning before and after. DATA, with the first difference, if they do not agree; UNKNOWN if there
 * is no index. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_check_index(sheaf_dataset *dataset, sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
