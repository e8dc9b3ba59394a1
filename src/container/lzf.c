/* SPDX-License-Identifier: MIT */
/* LZF, which h5py includes: runs of literal bytes, and of earlier bytes. */
#include "container/lzf.h"
#include <string.h>

typedef struct unpacking {
	const uint8_t *at, *end;
	uint8_t *begin, *to, *stop;
} unpacking;

/* A control byte below 32: one more than that many bytes follow, and are copied. */
static bool copy_literals(unpacking *u, size_t control)
{
	size_t n = control + 1;
	if (n > (size_t)(u->end - u->at) || n > (size_t)(u->stop - u->to)) return false;
	memcpy(u->to, u->at, n);
	u->at += n;
	u->to += n;
	return true;
}

/* Otherwise its upper three bits are a length, where 7 means that the next byte has more, and its lower five
 * the upper bits of a distance. The two runs may overlap. */
static bool copy_again(unpacking *u, size_t control)
{
	size_t n = (control >> 5) + 2, distance = (control & 31) << 8;
	if (n == 9 && u->at < u->end) n += *u->at++;
	if (u->at == u->end) return false;
	distance += *u->at++ + (size_t)1;
	if (distance > (size_t)(u->to - u->begin) || n > (size_t)(u->stop - u->to)) return false;
	for (; n > 0; n--, u->to++) *u->to = *(u->to - distance);
	return true;
}

bool sheaf_lzf_unpack(sheaf_bytes packed, uint8_t *to, size_t size)
{
	unpacking u = {packed.data, packed.data + packed.size, to, to, to + size};
	while (u.at < u.end) {
		size_t control = *u.at++;
		if (!(control < 32 ? copy_literals(&u, control) : copy_again(&u, control))) return false;
	}
	return u.to == u.stop;
}
