/* SPDX-License-Identifier: MIT */
/* Files in parts, and parts in one file again, without decoding a row: of formats whose files are rows one
 * after the other, with nothing before them and nothing after. */
#ifndef SHEAF_SPLIT_H
#define SHEAF_SPLIT_H

#include <sheaf/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sheaf_split_options {
	size_t size;                    /* sizeof(sheaf_split_options) */
	const sheaf_open_options *open; /* how inputs are opened; NULL: all defaults */
	bool force; /* outputs that are there are replaced; else they are refused, as in sheaf_create_options */
} sheaf_split_options;

/* Copies the rows of a file, in their order, to n files, to each as many as to the others, or one less.
 * options NULL: all defaults. rows[i] becomes how many the i-th has got; NULL:
 * nobody asks. What the rows hold is not looked at, but where they end is: DATA or SHORT where the last one
 * is not whole. UNSUPPORTED where the format is of another kind. On failure no output is changed that is a
 * file. Outputs that are files in one folder are replaced together: where the process is killed while it does
 * so, the next sink that is opened in that folder finishes the set, with a WARNING. */
SHEAF_API SHEAF_USE sheaf_status sheaf_split(const char *input, const char *const *outputs, int n,
                                             const sheaf_split_options *options, sheaf_context *cx,
                                             int64_t *rows, sheaf_error *err);

/* Copies the rows of n files, one file after the other, to one. Parts that sheaf_split has made become the
 * same bytes again. *rows becomes how many there are; NULL: nobody asks. Nothing is read twice, so any input
 * may be a pipe. */
SHEAF_API SHEAF_USE sheaf_status sheaf_merge(const char *const *inputs, int n, const char *output,
                                             const sheaf_split_options *options, sheaf_context *cx,
                                             int64_t *rows, sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
