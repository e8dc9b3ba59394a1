/* SPDX-License-Identifier: MIT */
/* How values are distributed: a sample of them, which is all of them while they are few, and exact counts in
 * cells of equal width. Both depend only on the values and their places in the dataset, not on the order in
 * which they come, nor on how they are divided into parts.
 *
 * A place has a hash, and the sample has the values whose hashes are smallest: a bottom-k sketch (Cohen and
 * Kaplan, "Summarizing data using bottom-k sketches", PODC 2007). Cells are as wide as a power of two, begin
 * at its multiples, and double whenever the range of values outgrows them. */
#ifndef SHEAF_REPORT_SUMMARY_SKETCH_H
#define SHEAF_REPORT_SUMMARY_SKETCH_H

#include "base/buffer.h"
#include "report/matrix/mix.h"

enum {
	SHEAF_SAMPLE_KEPT = 1 << 14,
	SHEAF_SAMPLE_ROOM = SHEAF_SAMPLE_KEPT + (1 << 12),
	SHEAF_SAMPLE_BLOCK = 16, /* places of which one comes before the others */
	SHEAF_CELLS_KEPT = 1 << 14,
	/* Of both, the sample first. */
	SHEAF_SKETCH_BYTES = SHEAF_SAMPLE_ROOM * 16 + SHEAF_CELLS_KEPT * 8
};

typedef struct sheaf_sampled {
	uint64_t hash;
	double value;
} sheaf_sampled;

/* Begins as zeros, with room for SHEAF_SAMPLE_ROOM values; values NULL: there is no sample. */
typedef struct sheaf_sample {
	sheaf_sampled *values;
	int n;
	uint64_t beyond; /* 2^64 less the hash above which none is taken */
} sheaf_sample;

/* The hash of a block of places of a row. One place of it, at random, has the first half of all hashes, so
 * that of many places most blocks need a single look. */
static inline uint64_t sheaf_place_hash(uint64_t block, int at)
{
	bool first = (int)(block % SHEAF_SAMPLE_BLOCK) == at;
	return first ? block >> 1 : sheaf_mix(block ^ (unsigned)(at + 1)) >> 1 | UINT64_C(1) << 63;
}

static inline bool sheaf_sample_takes(const sheaf_sample *s, uint64_t hash) { return hash <= ~s->beyond; }
void sheaf_sample_add(sheaf_sample *s, uint64_t hash, double value);
void sheaf_sample_merge(sheaf_sample *s, const sheaf_sample *other);
/* Drops what the sample has too many, and sorts it by hashes: equal samples have equal values. */
void sheaf_sample_trim(sheaf_sample *s);

/* Begins as zeros, with room for SHEAF_CELLS_KEPT counts; counts NULL: there are none. */
typedef struct sheaf_cells {
	int64_t *counts;
	int64_t first; /* the number of the first cell: it begins at first * 2^power */
	int power;
	bool begun;
} sheaf_cells;

/* Covers a range of finite values, which includes all earlier ones. */
void sheaf_cells_reach(sheaf_cells *c, double least, double most);
/* Counts values that it covers. */
void sheaf_cells_add(sheaf_cells *c, const double *values, int n);
/* The other has a part of the range that this one covers. */
void sheaf_cells_merge(sheaf_cells *c, const sheaf_cells *other);
/* The beginning of the cell nearest to a value. */
double sheaf_cells_edge(const sheaf_cells *c, double v);
/* How many values are at least `from` and less than `to`, which are edges. */
int64_t sheaf_cells_between(const sheaf_cells *c, double from, double to);

#endif
