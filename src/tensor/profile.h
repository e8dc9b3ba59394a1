/* SPDX-License-Identifier: MIT */
/* Profiles from the inside: gathered by profile.c, profile_sides.c and mirrors.c, shown by profile_text.c. */
#ifndef SHEAF_TENSOR_PROFILE_H
#define SHEAF_TENSOR_PROFILE_H

#include "data/element.h"
#include "data/spread.h"
#include "tensor/components.h"
#include "tensor/deflating.h"
#include "tensor/slices.h"
#include <sheaf/tensor.h>

/* One dimension, and the entries in its order where that is needed. */
typedef struct sheaf_profile_side {
	int64_t *counts;          /* of entries in each slice; NULL: there are too many slices */
	bool lent;                /* somebody else counts them */
	sheaf_arranger *arranger; /* by this dimension first; NULL: nobody wants entries in that order */
	const sheaf_frame *frame;
	int64_t at;
	int64_t slice, run;  /* under way: its number, and its entries so far */
	int64_t occupied;    /* slices with entries; -1: they were not counted */
	sheaf_spread spread; /* of the numbers of entries in all slices */
} sheaf_profile_side;

/* The order in which entries have come: none, by one dimension first, or so few that it may be both. */
typedef struct sheaf_profile_order {
	bool by[2];
	int64_t at[2]; /* the last one */
} sheaf_profile_order;

/* What the arrays of a matrix take when they are deflated, about; below 0 where it is not known. */
typedef struct sheaf_deflated {
	double coordinates, compressed; /* COO; CSR or CSC, without values */
	double values;
	bool by_columns; /* what is known is CSC */
} sheaf_deflated;

struct sheaf_profile {
	sheaf_context *cx;
	char *name;
	sheaf_schema schema;      /* as it was given */
	sheaf_schema plain;       /* of what is counted: without a structure, not dense */
	sheaf_arranger *expander; /* makes the second of the first; NULL: they are the same */
	sheaf_element element;
	int rank;
	bool square;
	bool counted; /* entry by entry: nothing is known that takes all of them */
	sheaf_profile_side sides[SHEAF_MAX_RANK];
	int64_t entries;
	int64_t diagonal, lower, upper; /* of a matrix: entries on the diagonal, and how far from it they reach */
	bool pattern, symmetric, hermitian, skew;
	int64_t mirrored, equal; /* entries off the diagonal that have a mirror, and one of the same value */
	sheaf_slices slices; /* of a square matrix without a structure, as long as its entries come in order */
	int slice;           /* the dimension of these; -1: not yet known */
	bool connects;       /* components are looked for */
	sheaf_components components;
	sheaf_strong strong;
	bool packs; /* arrays are deflated */
	sheaf_profile_order order;
	sheaf_deflating packed;
	sheaf_deflated deflated;
};

/* Looks for components, too, and deflates arrays, where this takes at most `room` bytes. Before the first
 * frame. */
SHEAF_USE sheaf_status sheaf_profile_connect(sheaf_profile *p, int64_t room, sheaf_error *err);
/* Somebody else counts the entries of each slice of a dimension, with those that a structure implies and
 * without what fills a dense tensor; until the profile is finished. */
void sheaf_profile_lend(sheaf_profile *p, int d, int64_t *counts);
/* The shares of entries off the diagonal that have a mirror, and one of the same value; 1 where there are
 * none. */
double sheaf_profile_mirrored(const sheaf_profile *p);
double sheaf_profile_equal(const sheaf_profile *p);
/* "symmetric", "hermitian", "skew_symmetric", or "none". */
const char *sheaf_profile_values(const sheaf_profile *p);

/* Bytes of all entries of a matrix as arrays, with indices of 4 bytes where they fit and pointers of 8; about
 * as many of them deflated, below 0 where that is not known. */
typedef struct sheaf_layouts {
	double coo, csr, csc, dense;
	double deflated_coo, deflated_csr, deflated_csc;
} sheaf_layouts;
sheaf_layouts sheaf_profile_layouts(const sheaf_profile *p);

/* ---- mirrors.c ---- */

/* Before the first frame of a square matrix: entries will be held against their mirrors. */
SHEAF_USE sheaf_status sheaf_mirrors_begin(sheaf_profile *p, sheaf_error *err);
/* Entries without a structure, or those that one has made. */
SHEAF_USE sheaf_status sheaf_mirrors_add(sheaf_profile *p, const sheaf_frame *frame, sheaf_error *err);
/* After the last one. */
SHEAF_USE sheaf_status sheaf_mirrors_finish(sheaf_profile *p, sheaf_error *err);

/* ---- profile_sides.c ---- */

/* Sorts the entries that are to come by this dimension first. */
SHEAF_USE sheaf_status sheaf_profile_sort(sheaf_profile *p, int d, sheaf_error *err);
/* The next entry of a side in its order; *any is false after the last one. */
SHEAF_USE sheaf_status sheaf_profile_next(sheaf_profile *p, int d, bool *any, sheaf_error *err);
/* After the last entry: how many each slice has, of entries that are sorted, or that were counted. */
SHEAF_USE sheaf_status sheaf_profile_count_sorted(sheaf_profile *p, int d, sheaf_error *err);
void sheaf_profile_count(sheaf_profile *p, int d);

#endif
