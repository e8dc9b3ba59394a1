/* SPDX-License-Identifier: MIT */
/* The inside of profiles: gathered by profile.c and mirrors.c, printed by profile_text.c. */
#ifndef SHEAF_REPORT_MATRIX_PROFILE_H
#define SHEAF_REPORT_MATRIX_PROFILE_H

#include "frame/element.h"
#include "frame/spread.h"
#include "report/matrix/mirrors.h"
#include "sparse/arrange.h"
#include <sheaf/tensor.h>

/* What the entries of a tensor are like as a whole, with those that the structure implies: how many each
 * slice has, and of a matrix the diagonal, the bandwidth and its structure. */
typedef struct sheaf_profile sheaf_profile;

/* One dimension. */
typedef struct sheaf_profile_side {
	int64_t *counts;     /* of entries in each slice; NULL: there are too many slices */
	bool lent;           /* somebody else counts them */
	int64_t occupied;    /* slices with entries; -1: they were not counted */
	sheaf_spread spread; /* distribution of the numbers of entries in all slices */
} sheaf_profile_side;

struct sheaf_profile {
	sheaf_context *cx;
	char *name;
	sheaf_schema schema;      /* as it was given */
	sheaf_schema plain;       /* of what is counted: without a structure, not dense */
	sheaf_arranger *expander; /* makes the second from the first; NULL: they are the same */
	sheaf_element element;
	int rank;
	bool square;
	bool counted; /* given entry by entry: nothing is known that takes all of them */
	sheaf_profile_side sides[SHEAF_MAX_RANK];
	int64_t entries;
	int64_t diagonal, lower, upper; /* of a matrix: entries on the diagonal, and how far from it they reach */
	bool pattern, symmetric, hermitian, skew;
	int64_t mirrored, equal; /* entries off the diagonal that have a mirror, and one of the same value */
	bool exact;              /* these two are counts, not estimates */
	sheaf_mirrors mirrors;   /* of a square matrix */
};

/* The caller counts the entries of each slice of a dimension, including those that a structure implies and
 * without those that fill a dense tensor; until the profile is finished. */
void sheaf_profile_lend(sheaf_profile *p, int d, int64_t *counts);
/* The fractions of entries off the diagonal that have a mirror entry, and one of the same value; 1 if there
 * are none. */
double sheaf_profile_mirrored(const sheaf_profile *p);
double sheaf_profile_equal(const sheaf_profile *p);
/* "symmetric", "hermitian", "skew_symmetric", or "none". */
const char *sheaf_profile_values(const sheaf_profile *p);

/* The bytes that all entries of a matrix take as arrays, with indices of 4 bytes if they fit and pointers of
 * 8. */
typedef struct sheaf_layouts {
	double coo, csr, csc, dense;
} sheaf_layouts;
sheaf_layouts sheaf_profile_layouts(const sheaf_profile *p);

/* ---- profile.c ---- */

SHEAF_USE sheaf_status sheaf_profile_new(const sheaf_schema *schema, const char *name, sheaf_context *cx,
                                         sheaf_profile **out, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_profile_add(sheaf_profile *profile, const sheaf_frame *frame, sheaf_error *err);
/* After the last frame. */
SHEAF_USE sheaf_status sheaf_profile_finish(sheaf_profile *profile, sheaf_error *err);
/* Whether the matrix is as this structure says; GENERAL always is. False for everything that is not a square
 * matrix. */
bool sheaf_profile_has(const sheaf_profile *profile, sheaf_structure structure);
void sheaf_profile_list(const sheaf_profile *profile, const sheaf_listing *to);
void sheaf_profile_free(sheaf_profile *profile);

#endif
