/* SPDX-License-Identifier: MIT */
/* Spreads of counts. */
#include "data/spread.h"
#include "data/print.h"
#include <inttypes.h>

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

void sheaf_spread_json(sheaf_builder *b, const char *name, const sheaf_spread *s)
{
	bool first = true;
	sheaf_builder_printf(
		b, ",\"%s\":{\"count\":%" PRId64 ",\"min\":%" PRId64 ",\"max\":%" PRId64 ",\"mean\":", name, s->n,
		s->least, s->most);
	sheaf_json_real(b, sheaf_spread_mean(s));
	sheaf_builder_text(b, ",\"histogram\":[");
	for (int k = 0; k < SHEAF_SPREAD_BUCKETS; k++) {
		if (s->buckets[k] == 0) continue;
		uint64_t low = k ? (uint64_t)1 << (k - 1) : 0, high = k ? low * 2 - 1 : 0;
		sheaf_builder_printf(b, "%s{\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"count\":%" PRId64 "}",
		                     first ? "" : ",", low, high, s->buckets[k]);
		first = false;
	}
	sheaf_builder_text(b, "]}");
}

void sheaf_spread_text(sheaf_builder *b, const char *what, const sheaf_spread *s)
{
	enum { WIDTH = 40 };
	if (s->n == 0) return;
	sheaf_builder_printf(b, "  %s: %" PRId64 " to %" PRId64 ", mean %.6g\n", what, s->least, s->most,
	                     sheaf_spread_mean(s));
	for (int k = 0; k < SHEAF_SPREAD_BUCKETS; k++) {
		if (s->buckets[k] == 0) continue;
		uint64_t low = k ? (uint64_t)1 << (k - 1) : 0, high = k ? low * 2 - 1 : 0;
		int bar = 1 + (int)((double)s->buckets[k] / (double)s->n * (WIDTH - 1));
		sheaf_builder_printf(b, "    %10" PRIu64 " .. %-10" PRIu64 " %12" PRId64 " %.*s\n", low, high,
		                     s->buckets[k], bar, "########################################");
	}
}
