/* SPDX-License-Identifier: MIT */
/* Moving entries into buckets, for one kind of keys and values: K and T are their types, NAME(x) the name of
 * its x. Included once for each kind, by partition.c. */

typedef struct NAME(lane) {
	K keys[LANE];
	T values[LANE];
} NAME(lane);

/* Moves n entries of a thread's part to its places in their buckets. An entry waits in the lane of its
 * bucket, in the slot that it has in its cache line; full lines are written at once, since a scattered write
 * would fetch a line for each entry. The first line of a bucket may belong to the bucket before it, up to
 * where this bucket begins, so of such a line only the own slots are written. */
static void NAME(move)(const run *r, const uint64_t *restrict keys, const void *restrict from, int64_t n)
{
	const T *restrict values = (const T *)from;
	NAME(lane) *restrict lanes = (NAME(lane) *)r->lanes;
	size_t *restrict next = r->next;
	K *to_keys = (K *)r->keys;
	T *to_values = (T *)r->values;
	for (int64_t i = 0; i < n; i++) {
		uint64_t key = keys[i];
		size_t digit = (size_t)(key >> r->shift & r->digits), at = next[digit]++, slot = at % LANE;
		NAME(lane) *lane = &lanes[digit];
		lane->keys[slot] = (K)(key & r->mask);
		lane->values[slot] = values[i];
		if (slot < LANE - 1) continue;
		size_t line = at - slot, first = r->begins[digit] > line ? r->begins[digit] - line : 0;
		if (first == 0) {
			sheaf_stream(to_keys + line, lane->keys, sizeof lane->keys);
			sheaf_stream(to_values + line, lane->values, sizeof lane->values);
		} else {
			memcpy(to_keys + line + first, lane->keys + first, (LANE - first) * sizeof(K));
			memcpy(to_values + line + first, lane->values + first, (LANE - first) * sizeof(T));
		}
	}
}

/* Writes what waits in the lanes after the last entry: of each bucket the line that is not full. */
static void NAME(flush)(const run *r)
{
	const NAME(lane) *lanes = (const NAME(lane) *)r->lanes;
	K *to_keys = (K *)r->keys;
	T *to_values = (T *)r->values;
	for (size_t b = 0; b <= r->digits; b++) {
		size_t end = r->next[b], line = end / LANE * LANE, from = r->begins[b] > line ? r->begins[b] : line;
		if (from == end) continue; /* without entries the arrays may be NULL */
		memcpy(to_keys + from, lanes[b].keys + (from - line), (end - from) * sizeof(K));
		memcpy(to_values + from, lanes[b].values + (from - line), (end - from) * sizeof(T));
	}
}

#undef K
#undef T
#undef NAME
