/* SPDX-License-Identifier: MIT */
/* Splitting files into parts, and merging parts into one file. */
#ifndef SHEAF_SPLIT_H
#define SHEAF_SPLIT_H

#include <sheaf/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sheaf_split_options {
	size_t size;                    /* sizeof(sheaf_split_options) */
	const sheaf_open_options *open; /* how inputs are opened; NULL: all defaults */
	bool force; /* existing outputs are replaced; else they are refused, as in sheaf_create_options */
	/* "0.9,0.1": each row goes to a part that is drawn with these probabilities, which add up to 1, by the
	 * hash of its number and the seed (docs/selecting.md): rows whose hash is below 0.9 of 2^64 to the first.
	 * NULL: parts are of equal length, in order */
	const char *fractions;
	uint64_t seed; /* of what is drawn */
	/* sheaf_merge: the part files, instead of paths, in whatever order and wherever they are, such as in the
	 * memory of other processes (sheaf_source_ranges). They are closed, also on failure, unless `size` is
	 * wrong. NULL: there are paths */
	sheaf_source *const *sources;
} sheaf_split_options;

/* Distributes the rows of a file over n files, whose numbers of rows differ by at most one. The rows of a
 * tensor are its slices here: positions along its first dimension, which each part counts from 0. options
 * NULL: all defaults. rows[i] becomes the number of rows, or entries of a tensor, in output i; may be NULL.
 *
 * If files of the format consist of rows only (SHEAF_CAN_SPLIT), and nothing is drawn, rows are copied as
 * they are: their values are not checked, but their ends are: DATA or SHORT if the last row is not whole.
 * Otherwise rows are read and written again, in the format that the suffix of the first output names, or the
 * input's. On failure no output that is a file is changed. Outputs that are files in one folder are replaced
 * together: if the process is killed meanwhile, the next sink that is opened in that folder finishes the set,
 * with a WARNING. */
SHEAF_API SHEAF_USE sheaf_status sheaf_split(const char *input, const char *const *outputs, int n,
                                             const sheaf_split_options *options, sheaf_context *cx,
                                             int64_t *rows, sheaf_error *err);

/* If the n inputs are part files (sheaf_part_options), or sources of such: makes the output of the conversion
 * from all of its parts, named in any order, with the same bytes as without parts. The options are those of
 * the parts; findings in the parts are reported here again, in order, and counted together, so the context's
 * max_errors applies to the whole. USAGE or DATA, with the name, if a part is missing, given twice, damaged,
 * or made from other inputs or with other options.
 *
 * Otherwise: copies the rows of n files, one file after the other, to one file: as they are in the formats in
 * which sheaf_split copies them, so that its parts become the same bytes again, and in other formats by
 * sheaf_convert, which lets the slices of each tensor follow those of the one before. *rows becomes the
 * number of rows, or -1 if they were converted; may be NULL. Copied inputs are read only once, so they may be
 * pipes. */
SHEAF_API SHEAF_USE sheaf_status sheaf_merge(const char *const *inputs, int n, const char *output,
                                             const sheaf_split_options *options, sheaf_context *cx,
                                             int64_t *rows, sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
