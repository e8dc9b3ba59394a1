/* SPDX-License-Identifier: MIT */
/* Profiles from the inside: gathered by profile.c, shown by profile_text.c. */
#ifndef SHEAF_TENSOR_PROFILE_H
#define SHEAF_TENSOR_PROFILE_H

#include "data/element.h"
#include "data/spread.h"
#include "tensor/components.h"
#include <sheaf/tensor.h>

/* One order of the entries, and what is found in it. */
typedef struct sheaf_profile_side {
	sheaf_arranger *arranger; /* by this dimension first */
	const sheaf_frame *frame;
	int64_t at;
	int64_t slice, run;  /* under way: its number, and its entries so far */
	int64_t occupied;    /* slices with entries; -1: they were not counted */
	sheaf_spread spread; /* of the numbers of entries in all slices */
} sheaf_profile_side;

struct sheaf_profile {
	sheaf_context *cx;
	sheaf_schema schema;
	sheaf_element element;
	int rank;
	bool square;
	bool counted; /* entry by entry: nothing is known that takes all of them */
	sheaf_profile_side sides[SHEAF_MAX_RANK];
	int64_t entries, repeats;
	int64_t diagonal, lower, upper; /* of a matrix: entries on the diagonal, and how far from it they reach */
	bool pattern, symmetric, hermitian, skew;
	int64_t mirrored, equal; /* entries off the diagonal that have a mirror, and one of the same value */
	bool connects;           /* components are looked for */
	sheaf_components components;
};

/* Looks for components, too, where they take at most `room` bytes. Before the first frame. */
SHEAF_USE sheaf_status sheaf_profile_connect(sheaf_profile *p, int64_t room, sheaf_error *err);
/* The shares of entries off the diagonal that have a mirror, and one of the same value; 1 where there are
 * none. */
double sheaf_profile_mirrored(const sheaf_profile *p);
double sheaf_profile_equal(const sheaf_profile *p);
/* "symmetric", "hermitian", "skew_symmetric", or "none". */
const char *sheaf_profile_values(const sheaf_profile *p);

#endif
