/* SPDX-License-Identifier: MIT */
/* Minibatches: sequences of one or several datasets in an order, cut into batches, for one shard of any number.
 *
 * The words are CNTK's. A sweep is one pass over all sequences, T samples long; positions count samples from the beginning of sweep 0, over all
 * shards. An epoch is a stretch of that line: epoch e of size E covers the positions [e*E, (e+1)*E); the sequence in which one ends belongs to it
 * as a whole. The length of a sequence is the samples of its main stream where the format names one, else those of its longest stream. */
#ifndef SHEAF_BATCH_H
#define SHEAF_BATCH_H

#include <sheaf/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the size of a batch counts. A batch has one sequence at least, and none is ever split (but by SHEAF_PACK_TRUNCATED). */
typedef enum sheaf_size_unit {
	SHEAF_SIZE_SAMPLES,   /* the sum of lengths: CNTK's rule */
	SHEAF_SIZE_SEQUENCES, /* how many */
	SHEAF_SIZE_TOKENS     /* sequences times the longest of them: what they take once padded */
} sheaf_size_unit;

/* What becomes of a batch that an end leaves short of its size: the end of the epoch, and of each sweep where batches do not cross it. */
typedef enum sheaf_rest {
	SHEAF_REST_SHORT, /* it comes short */
	SHEAF_REST_DROP,  /* it does not come */
	SHEAF_REST_PAD,   /* its own sequences are repeated until it is full; sheaf_batch.repeated says how many */
	SHEAF_REST_WRAP   /* it is filled with the sequences that come next */
} sheaf_rest;

#ifdef __cplusplus
}
#endif
#endif
