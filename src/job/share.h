/* SPDX-License-Identifier: MIT */
/* Distributing the rows of a file among several, decoded and written again: for formats whose files contain
 * more than rows, and for parts that are drawn. */
#ifndef SHEAF_JOB_SHARE_H
#define SHEAF_JOB_SHARE_H

#include "dataset/dataset.h"

typedef struct sheaf_sharing {
	sheaf_source *source;           /* the input, which is taken over */
	const sheaf_format *to;         /* what the parts become */
	const sheaf_open_options *open; /* how the input is opened; its settings are also those of the outputs */
	int n;
	const char *fractions; /* "0.9,0.1"; NULL: parts of equal length, in order */
	uint64_t seed;
	const char *const *outputs; /* paths of the parts */
	bool force;                 /* existing ones are replaced */
	int64_t *rows;              /* of each part, or NULL */
} sheaf_sharing;

/* All parts appear together, or none does. */
SHEAF_USE sheaf_status sheaf_share(const sheaf_sharing *sharing, sheaf_context *cx, sheaf_error *err);

#endif
