/* SPDX-License-Identifier: MIT */
/* The size of a batch, in each of the units in which it can be given. */
#ifndef SHEAF_BATCH_AMOUNT_H
#define SHEAF_BATCH_AMOUNT_H

#include <sheaf/batch.h>

typedef struct sheaf_amount {
	int64_t sequences, samples, longest;
} sheaf_amount;

static inline sheaf_amount sheaf_amount_with(sheaf_amount a, uint32_t samples)
{
	a.sequences++;
	a.samples += samples;
	if (samples > a.longest) a.longest = samples;
	return a;
}

static inline int64_t sheaf_amount_in(sheaf_amount a, sheaf_size_unit unit)
{
	return unit == SHEAF_SIZE_SAMPLES     ? a.samples
	       : unit == SHEAF_SIZE_SEQUENCES ? a.sequences
	                                      : a.sequences * a.longest;
}

#endif
