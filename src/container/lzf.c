/* SPDX-License-Identifier: MIT */
/* LZF, which h5py includes: runs of literal bytes, and of earlier bytes. */
#include "container/lzf.h"
#include <string.h>

/* Unpacks bytes of LZF into exactly `size` bytes at `to`; false if they are damaged. A control byte below
 * 32: one more than that many bytes follow, and are copied. Otherwise its upper three bits are a length,
 * where 7 means that the next byte has more, and its lower five the upper bits of a distance: that many
 * bytes before come again. The two runs may overlap, so they are copied byte by byte. */
bool sheaf_lzf_unpack(sheaf_bytes packed, uint8_t *to, size_t size)
{
	const uint8_t *at = packed.data, *end = at + packed.size, *begin = to, *stop = to + size;
	while (at < end) {
		size_t control = *at++, n = control + 1;
		if (control < 32) {
			if (n > (size_t)(end - at) || n > (size_t)(stop - to)) return false;
			memcpy(to, at, n);
			at += n;
			to += n;
			continue;
		}
		size_t distance = (control & 31) << 8;
		n = (control >> 5) + 2;
		if (n == 9 && at < end) n += *at++;
		if (at == end) return false;
		distance += *at++ + (size_t)1;
		if (distance > (size_t)(to - begin) || n > (size_t)(stop - to)) return false;
		for (; n > 0; n--, to++) *to = *(to - distance);
	}
	return to == stop;
}
