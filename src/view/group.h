/* SPDX-License-Identifier: MIT */
/* Sorted entries as rows: which row, which sample of it and which element of that an entry is. */
#ifndef SHEAF_VIEW_GROUP_H
#define SHEAF_VIEW_GROUP_H

#include "frame/frame_builder.h"

/* For a tensor whose slices are rows. With one or two dimensions a row is one sample; with more, the second
 * one counts samples, and the others together form one element index, with the last one varying fastest. */
typedef struct sheaf_grouping {
	int rank;
	int64_t rows, samples, dim; /* most samples in a row */
	bool one_sample;            /* each row has one */
	bool dense;
	int64_t shape[SHEAF_MAX_RANK];
	const int64_t *lengths; /* samples of each row, where others were padded; NULL: nothing was */
	bool cuts;              /* what comes after these samples need not be zeros */
	const char *name;       /* of the file, for messages */
} sheaf_grouping;

/* UNSUPPORTED if a slice has more elements than can be counted. */
SHEAF_USE sheaf_status sheaf_grouping_make(sheaf_grouping *g, const sheaf_tensor *tensor, const char *name,
                                           sheaf_error *err);
/* Builds rows [row, row + n) of the one stream that there is: `entries` are all of theirs. DATA where they
 * are not in order, not in these rows, not all there though the tensor is dense, or values of samples that a
 * row does not have. */
SHEAF_USE sheaf_status sheaf_group(const sheaf_grouping *g, const sheaf_frame *entries, int64_t row,
                                   int64_t n, sheaf_frame_builder *to, sheaf_error *err);
/* The outermost coordinate of an entry. */
int64_t sheaf_group_row(const sheaf_grouping *g, const sheaf_frame *entries, int64_t entry);

#endif
