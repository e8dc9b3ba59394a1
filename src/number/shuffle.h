/* SPDX-License-Identifier: MIT */
/* Grouping bytes of equal rank, which makes numbers compress better. */
#ifndef SHEAF_NUMBER_SHUFFLE_H
#define SHEAF_NUMBER_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

/* Byte k of every element of `width` bytes, for each k; and the reverse. A rest shorter than an element stays
 * as it is. The two do not overlap. */
void sheaf_shuffle(const uint8_t *from, uint8_t *to, size_t size, size_t width);
void sheaf_unshuffle(const uint8_t *from, uint8_t *to, size_t size, size_t width);

#endif
