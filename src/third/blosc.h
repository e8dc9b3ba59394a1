/* SPDX-License-Identifier: MIT */
/* The one door to libblosc: chunks packed by Blosc 1, where it is installed. Any thread. */
#ifndef SHEAF_THIRD_BLOSC_H
#define SHEAF_THIRD_BLOSC_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it can be opened. */
bool sheaf_blosc_is_here(void);
/* Bytes that a chunk gives; false where it is none, or says more than it can. */
bool sheaf_blosc_size(const void *data, size_t size, size_t *out);
/* False where the data are damaged, or are not exactly `to_size` bytes unpacked. */
bool sheaf_blosc_unpack(const void *data, size_t size, void *to, size_t to_size);

#endif
