/* SPDX-License-Identifier: MIT */
/* Spreads of counts. */
#include "frame/spread.h"
#include <inttypes.h>

/* Bucket 0 counts the value 0, bucket k the values from 2^(k-1) to 2^k - 1: the number of bits chooses it. */
void sheaf_spread_add(sheaf_spread *s, int64_t v, int64_t times)
{
	if (times == 0) return;
	if (s->n == 0 || v < s->least) s->least = v;
	if (s->n == 0 || v > s->most) s->most = v;
	s->n += times;
	s->total += (double)v * (double)times;
	s->buckets[v == 0 ? 0 : 64 - __builtin_clzll((unsigned long long)v)] += times;
}

double sheaf_spread_mean(const sheaf_spread *s) { return s->n ? s->total / (double)s->n : 0; }

/* Each bucket that is not empty is a line with a bar, whose length is its share of all values; at least 1. */
void sheaf_spread_list(const sheaf_spread *s, const sheaf_listing *to, const char *name, const char *words)
{
	enum { WIDTH = 40 };
	sheaf_builder *b = to->b;
	if (s->n == 0 && !to->json) return;
	sheaf_listing_open(to, name, words, '{');
	sheaf_listing_count(to, "count", NULL, s->n);
	sheaf_listing_count(to, "min", "%", s->least);
	sheaf_listing_count(to, "max", " to %", s->most);
	sheaf_listing_real(to, "mean", ", mean %\n", sheaf_spread_mean(s));
	sheaf_listing_open(to, "histogram", "", '[');
	for (int k = 0; k < SHEAF_SPREAD_BUCKETS; k++) {
		if (s->buckets[k] == 0) continue;
		uint64_t low = k ? (uint64_t)1 << (k - 1) : 0, high = k ? low * 2 - 1 : 0;
		int bar = 1 + (int)((double)s->buckets[k] / (double)s->n * (WIDTH - 1));
		if (to->json) sheaf_member(b, NULL);
		sheaf_builder_printf(b,
		                     to->json ? "{\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"count\":%" PRId64 "}"
		                              : "    %10" PRIu64 " .. %-10" PRIu64 " %12" PRId64,
		                     low, high, s->buckets[k]);
		if (!to->json) sheaf_builder_printf(b, " %.*s\n", bar, "########################################");
	}
	sheaf_listing_close(to, "", ']');
	sheaf_listing_close(to, "", '}');
}
