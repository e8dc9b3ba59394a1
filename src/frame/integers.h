/* SPDX-License-Identifier: MIT */
/* Integers of any type as those of 64 bits. */
#ifndef SHEAF_FRAME_INTEGERS_H
#define SHEAF_FRAME_INTEGERS_H

#include "base/buffer.h"
#include <sheaf/frame.h>

/* `from` may be at any address. Values of U64 above 2^63-1 become negative. */
void sheaf_integers_widen(sheaf_type type, const void *from, int64_t n, int64_t *to);
/* n numbers of 64 bits as another type, which holds them; in I32, those that do not fit become -1, which is
 * outside of every extent. */
void sheaf_integers_narrow(const int64_t *from, int64_t n, sheaf_type type, void *to);
/* Appends n numbers as another type in the same way; between types of one size, their bits. */
void sheaf_integers_put(sheaf_type from, const void *numbers, int64_t n, sheaf_type type, sheaf_builder *to);

#endif
