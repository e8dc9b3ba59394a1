/* SPDX-License-Identifier: MIT */
/* How counts are spread: their number, least, largest and mean, and a histogram by powers of two. */
#ifndef SHEAF_FRAME_SPREAD_H
#define SHEAF_FRAME_SPREAD_H

#include "frame/schema/listing.h"

enum { SHEAF_SPREAD_BUCKETS = 65 };

/* Begins as zeros. Bucket 0 counts 0, bucket k counts [2^(k-1), 2^k). */
typedef struct sheaf_spread {
	int64_t n, least, most;
	double total;
	int64_t buckets[SHEAF_SPREAD_BUCKETS];
} sheaf_spread;

/* Adds a count v >= 0, as many times as `times` says. */
void sheaf_spread_add(sheaf_spread *s, int64_t v, int64_t times);
double sheaf_spread_mean(const sheaf_spread *s);
/* An object of this name, or lines of which the first begins with these words; no lines if nothing was
 * counted. */
void sheaf_spread_list(const sheaf_spread *s, const sheaf_listing *to, const char *name, const char *words);

#endif
