/* SPDX-License-Identifier: MIT */
/* The only file that uses libblosc: chunks packed by Blosc 1, if it is installed. Any thread. */
#ifndef SHEAF_BASE_THIRD_BLOSC_H
#define SHEAF_BASE_THIRD_BLOSC_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it can be opened. */
bool sheaf_blosc_is_here(void);
/* The number of bytes that a chunk unpacks to; false if it is no chunk, or claims more than is possible. */
bool sheaf_blosc_size(const void *data, size_t size, size_t *out);
/* False if the data are damaged, or do not unpack to exactly `to_size` bytes. */
bool sheaf_blosc_unpack(const void *data, size_t size, void *to, size_t to_size);

#endif
