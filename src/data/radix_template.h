/* SPDX-License-Identifier: MIT */
/* One radix sort for each size of values: T is the value's type, NAME(x) the name of its x. Included once for each, by radix.c. */

/* One pass over n entries by the digit of `bits` bits from `shift` on; starts[] has where each digit's entries go. */
static void NAME(pass)(const uint64_t *restrict keys, const T *restrict values, size_t n, int shift, uint64_t mask, uint32_t *restrict starts,
                       uint64_t *restrict to_keys, T *restrict to_values)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t key = keys[i];
		uint32_t at = starts[key >> shift & mask]++;
		to_keys[at] = key;
		to_values[at] = values[i];
	}
}

static void NAME(insert)(uint64_t *keys, T *values, size_t n, int low)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t key = keys[i];
		T value = values[i];
		size_t at = i;
		for (; at > 0 && keys[at - 1] >> low > key >> low; at--) {
			keys[at] = keys[at - 1];
			values[at] = values[at - 1];
		}
		keys[at] = key;
		values[at] = value;
	}
}

/* An entry waits in the lane of its bucket, in the slot that it has in its line of memory; full lines are written at once, since a scattered write would fetch a
 * line for each entry. The first line of a bucket may belong to the one before it, up to where the bucket begins. */
static void NAME(partition)(const uint64_t *restrict keys, const void *restrict from, size_t n, int shift, uint64_t mask, sheaf_lane *restrict lanes,
                            size_t *restrict next, const size_t *restrict begins, uint64_t *restrict to_keys, void *restrict to)
{
	const T *values = (const T *)from;
	T *to_values = (T *)to;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = keys[i];
		size_t digit = key >> shift & mask, at = next[digit]++, slot = at % SHEAF_LANE;
		sheaf_lane *lane = &lanes[digit];
		T *held = (T *)(void *)lane->values;
		lane->keys[slot] = key;
		held[slot] = values[i];
		if (slot < SHEAF_LANE - 1) continue;
		size_t line = at - slot, first = begins[digit] > line ? begins[digit] - line : 0;
		if (first == 0) {
			memcpy(to_keys + line, lane->keys, sizeof lane->keys);
			memcpy(to_values + line, held, SHEAF_LANE * sizeof(T));
		} else {
			memcpy(to_keys + line + first, lane->keys + first, (SHEAF_LANE - first) * sizeof *to_keys);
			memcpy(to_values + line + first, held + first, (SHEAF_LANE - first) * sizeof(T));
		}
	}
}

static void NAME(flush)(size_t buckets, const sheaf_lane *lanes, const size_t *next, const size_t *begins, uint64_t *to_keys, void *to)
{
	T *to_values = (T *)to;
	for (size_t b = 0; b < buckets; b++) {
		size_t line = next[b] / SHEAF_LANE * SHEAF_LANE, from = begins[b] > line ? begins[b] : line;
		const T *held = (const T *)(const void *)lanes[b].values;
		if (from == next[b]) continue; /* no entries at all may have no arrays */
		memcpy(to_keys + from, lanes[b].keys + (from - line), (next[b] - from) * sizeof *to_keys);
		memcpy(to_values + from, held + (from - line), (next[b] - from) * sizeof(T));
	}
}

static bool NAME(sort)(uint64_t *keys, void *values, size_t n, int low, int high, uint64_t *spare_keys, void *spare_values)
{
	enum { FEW = 40, MOST_BITS = 11 };
	uint32_t starts[1 << MOST_BITS];
	bool swapped = false;
	if (n <= FEW) {
		NAME(insert)(keys, (T *)values, n, low);
		return false;
	}
	while (low < high) {
		int passes = (high - low + MOST_BITS - 1) / MOST_BITS, bits = (high - low + passes - 1) / passes;
		uint64_t mask = ((uint64_t)1 << bits) - 1;
		memset(starts, 0, sizeof *starts << bits);
		for (size_t i = 0; i < n; i++) starts[keys[i] >> low & mask]++;
		begin_of_each(starts, (size_t)1 << bits);
		NAME(pass)(keys, (const T *)values, n, low, mask, starts, spare_keys, (T *)spare_values);
		uint64_t *k = keys;
		void *v = values;
		keys = spare_keys, values = spare_values;
		spare_keys = k, spare_values = v;
		swapped = !swapped;
		low += bits;
	}
	return swapped;
}

#undef T
#undef NAME
