/* SPDX-License-Identifier: MIT */
/* The two checksums of HDF5 files. */
#ifndef SHEAF_BOX_HDF5_CHECKSUM_H
#define SHEAF_BOX_HDF5_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of metadata: Bob Jenkins' lookup3, begun with 0. */
uint32_t sheaf_hdf5_checksum(const void *data, size_t size);

/* Of chunks: Fletcher's sum over big-endian words of 16 bits. */
uint32_t sheaf_hdf5_fletcher(const void *data, size_t size);
/* Whether the sum that stands after a chunk, read as little-endian, is that of its bytes. Old files have the
 * bytes of each half in the other order. */
_Bool sheaf_hdf5_is_fletcher(uint32_t stored, uint32_t sum);

#endif
