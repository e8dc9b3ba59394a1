/* SPDX-License-Identifier: MIT */
/* One radix sort for each size of values: T is the value's type, NAME(x) the name of its x. Included once for
 * each size, by radix.c. */

/* One pass over n entries by the digit of `bits` bits from `shift` on; starts[] has where each digit's
 * entries go. */
static void NAME(pass)(sheaf_pairs from, size_t n, int shift, uint64_t mask, uint32_t *restrict starts,
                       sheaf_pairs to)
{
	const uint64_t *restrict keys = from.keys;
	const T *restrict values = (const T *)from.values;
	uint64_t *restrict to_keys = to.keys;
	T *restrict to_values = (T *)to.values;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = keys[i];
		uint32_t at = starts[key >> shift & mask]++;
		to_keys[at] = key;
		to_values[at] = values[i];
	}
}

/* Insertion sort of few entries by the bits of their keys from `low` on, stable. */
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

/* The range of bits is divided into as few digits of at most MOST_BITS as possible, all about as wide. Each
 * pass moves all entries from one pair of arrays to the other, from the lowest digit on; since a pass keeps
 * the order of equal digits, the last one leaves them sorted by all. Returns whether they end in `to`. */
static bool NAME(sort)(sheaf_pairs from, sheaf_pairs to, size_t n, int low, int high)
{
	enum { FEW = 40, MOST_BITS = 11 };
	uint32_t starts[1 << MOST_BITS];
	bool swapped = false;
	if (n <= FEW) {
		NAME(insert)(from.keys, (T *)from.values, n, low);
		return false;
	}
	while (low < high) {
		int passes = (high - low + MOST_BITS - 1) / MOST_BITS, bits = (high - low + passes - 1) / passes;
		uint64_t mask = ((uint64_t)1 << bits) - 1;
		memset(starts, 0, sizeof *starts << bits);
		for (size_t i = 0; i < n; i++) starts[from.keys[i] >> low & mask]++;
		sheaf_begin_of_each(starts, (size_t)1 << bits);
		NAME(pass)(from, n, low, mask, starts, to);
		sheaf_pairs sorted = to;
		to = from, from = sorted;
		swapped = !swapped;
		low += bits;
	}
	return swapped;
}

#undef T
#undef NAME
