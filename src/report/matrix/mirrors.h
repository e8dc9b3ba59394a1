/* SPDX-License-Identifier: MIT */
/* How far the entries of a square matrix equal their mirror entries, without keeping the entries.
 *
 * A matrix is symmetric if its entries (i, j, v) are the same as its entries (j, i, v): then the sums of
 * their hashes are equal, and otherwise they differ, but for a chance of 2^-128, since the hashes have a
 * secret key. The same holds of the pattern, and of conjugated and negated values. How many entries have a
 * mirror is counted for pairs whose hash is below a threshold, all of them while they are few. */
#ifndef SHEAF_REPORT_MATRIX_MIRRORS_H
#define SHEAF_REPORT_MATRIX_MIRRORS_H

#include "base/buffer.h"
#include "frame/element.h"

enum { SHEAF_PAIRS_KEPT = 1 << 13, SHEAF_PAIRS_SLOTS = 1 << 14 };

/* The entries at two positions that mirror each other. */
typedef struct sheaf_pair_count {
	uint64_t low, high; /* the hash of the positions */
	int64_t count;      /* of both; 0: an empty slot */
	int64_t above;      /* of those above the diagonal */
	uint64_t values;    /* the sum of the hashes of values below, less those above */
} sheaf_pair_count;

typedef struct sheaf_mirror_pairs {
	sheaf_pair_count *slots;
	int kept, halvings;
} sheaf_mirror_pairs;

SHEAF_USE sheaf_status sheaf_mirror_pairs_begin(sheaf_mirror_pairs *p, sheaf_context *cx, sheaf_error *err);
void sheaf_mirror_pairs_free(sheaf_mirror_pairs *p, sheaf_context *cx);
void sheaf_mirror_pairs_merge(sheaf_mirror_pairs *p, const sheaf_mirror_pairs *other);
bool sheaf_mirror_pairs_put(sheaf_mirror_pairs *p, const sheaf_pair_count *pair);

enum { SHEAF_MIRROR_LANES = 2 };
typedef struct sheaf_mirror_sum {
	uint64_t lanes[SHEAF_MIRROR_LANES];
} sheaf_mirror_sum;

typedef struct sheaf_mirrors {
	sheaf_element element;
	uint64_t key[SHEAF_MIRROR_LANES];
	sheaf_mirror_sum pattern, symmetric, hermitian, skew; /* 0 if they are so */
	bool not_hermitian, not_skew;                         /* for a reason that no sum shows */
	sheaf_mirror_pairs pairs;
} sheaf_mirrors;

SHEAF_USE sheaf_status sheaf_mirrors_begin(sheaf_mirrors *m, const sheaf_element *element, sheaf_context *cx,
                                           sheaf_error *err);
void sheaf_mirrors_free(sheaf_mirrors *m, sheaf_context *cx);
/* An entry of a matrix in which entries that a structure implies have come, too. */
void sheaf_mirrors_add(sheaf_mirrors *m, int64_t row, int64_t column, const void *value);

/* The entries off the diagonal that have a mirror, and one of the same value; *exact: they are no estimates.
 */
void sheaf_mirrors_count(const sheaf_mirrors *m, int64_t *mirrored, int64_t *equal, bool *exact);
bool sheaf_mirrors_cancel(const sheaf_mirror_sum *sum);

#endif
