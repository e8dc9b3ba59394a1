/* SPDX-License-Identifier: MIT */
/* LZF, which h5py includes, and BloscLZ, which Blosc has of it: runs of literal bytes, and of earlier
 * bytes. */
#include "container/lzf.h"
#include <string.h>

/* Unpacks bytes of LZF to `to`, where there is room for *size. A control byte below
 * 32: one more than that many bytes follow, and are copied. Otherwise its upper three bits are a length,
 * where 7 means that the next byte has more, and its lower five the upper bits of a distance: that many
 * bytes before come again. The two runs may overlap, so they are copied byte by byte.
 *
 * BloscLZ begins with literals, continues lengths as long as their bytes are 255, and after the largest
 * distance has another of two bytes that is added to it. */
bool sheaf_lzf_unpack(sheaf_bytes packed, uint8_t *to, size_t *size, bool is_blosc)
{
	const uint8_t *at = packed.data, *end = at + packed.size, *begin = to, *stop = to + *size;
	while (at < end) {
		size_t control = is_blosc && at == packed.data ? *at++ & 31 : *at++, n = control + 1;
		if (control < 32) {
			if (n > (size_t)(end - at)) return false;
			if (n > (size_t)(stop - to)) return *size = SIZE_MAX, true;
			memcpy(to, at, n);
			at += n;
			to += n;
			continue;
		}
		size_t distance = (control & 31) << 8;
		n = (control >> 5) + 2;
		for (bool has_more = n == 9; has_more && at < end; has_more = is_blosc && at[-1] == 255) n += *at++;
		if (at == end) return false;
		distance += *at++ + (size_t)1;
		if (is_blosc && distance == 1 << 13) {
			if (end - at < 2) return false;
			distance += (size_t)at[0] << 8 | at[1];
			at += 2;
		}
		if (distance > (size_t)(to - begin)) return false;
		if (n > (size_t)(stop - to)) return *size = SIZE_MAX, true;
		for (; n > 0; n--, to++) *to = *(to - distance);
	}
	*size = (size_t)(to - begin);
	return true;
}
