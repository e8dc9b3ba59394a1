/* SPDX-License-Identifier: MIT */
/* Integers of any type as those of 64 bits. */
#ifndef SHEAF_DATA_INTEGERS_H
#define SHEAF_DATA_INTEGERS_H

#include <sheaf/frame.h>

/* `from` may be at any address. Values of U64 above 2^63-1 become negative. */
void sheaf_integers_widen(sheaf_type type, const void *from, int64_t n, int64_t *to);

#endif
