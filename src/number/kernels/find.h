/* SPDX-License-Identifier: MIT */
/* Searching for bytes in long texts, sixteen at a time on any machine whose compiler has vectors. */
#ifndef SHEAF_NUMBER_KERNELS_FIND_H
#define SHEAF_NUMBER_KERNELS_FIND_H

#include <stddef.h>
#include <stdint.h>

enum { SHEAF_WANTED = 6 };

/* Bytes to search for, each sixteen times; some may be equal. */
typedef struct sheaf_wanted {
	uint8_t bytes[SHEAF_WANTED][16];
} sheaf_wanted;
#define SHEAF_SIXTEEN(byte) \
	{ \
		byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte \
	}

typedef const uint8_t *sheaf_finder(const uint8_t *at, const uint8_t *end, const sheaf_wanted *wanted);

/* The first byte of [at, end) that is one of them; `end` if there is none. */
const uint8_t *sheaf_find_any(const uint8_t *at, const uint8_t *end, const sheaf_wanted *wanted);

#endif
