/* SPDX-License-Identifier: MIT */
/* The inside of profiles: gathered by profile.c, profile_sides.c and mirrors.c, printed by profile_text.c. */
#ifndef SHEAF_REPORT_MATRIX_PROFILE_H
#define SHEAF_REPORT_MATRIX_PROFILE_H

#include "frame/element.h"
#include "frame/spread.h"
#include "report/matrix/slices.h"
#include "sparse/arrange.h"
#include <sheaf/tensor.h>

/* What the entries of a tensor are like as a whole, with those that the structure implies: how many each
 * slice has, and of a matrix the diagonal, the bandwidth and its structure. They are sorted once for each
 * dimension. */
typedef struct sheaf_profile sheaf_profile;

/* One dimension, and the entries in its order if that is needed. */
typedef struct sheaf_profile_side {
	int64_t *counts;          /* of entries in each slice; NULL: there are too many slices */
	bool lent;                /* somebody else counts them */
	sheaf_arranger *arranger; /* by this dimension first; NULL: entries are not needed in that order */
	const sheaf_frame *frame;
	int64_t at;
	int64_t slice, run;  /* the current slice: its number, and its entries so far */
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
	sheaf_slices slices;     /* of a square matrix without a structure, while its entries come in order */
	int slice;               /* the dimension of these; -1: not yet known */
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

/* ---- mirrors.c ---- */

/* Before the first frame of a square matrix: entries will be compared with their mirror entries. */
SHEAF_USE sheaf_status sheaf_mirrors_begin(sheaf_profile *p, sheaf_error *err);
/* Entries without a structure, or those made from one. */
SHEAF_USE sheaf_status sheaf_mirrors_add(sheaf_profile *p, const sheaf_frame *frame, sheaf_error *err);
/* After the last one. */
SHEAF_USE sheaf_status sheaf_mirrors_finish(sheaf_profile *p, sheaf_error *err);

/* ---- profile_sides.c ---- */

/* Sorts the coming entries by this dimension first. */
SHEAF_USE sheaf_status sheaf_profile_sort(sheaf_profile *p, int d, sheaf_error *err);
/* The next entry of a side in its order; *any is false after the last one. */
SHEAF_USE sheaf_status sheaf_profile_next(sheaf_profile *p, int d, bool *any, sheaf_error *err);
/* After the last entry: the number in each slice, of entries that were counted. */
void sheaf_profile_count(sheaf_profile *p, int d);

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
