/* SPDX-License-Identifier: MIT */
/* The two checksums of HDF5 files. */
#ifndef SHEAF_CONTAINER_HDF5_CHECKSUM_H
#define SHEAF_CONTAINER_HDF5_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of metadata: Bob Jenkins' lookup3, with the initial value 0. */
uint32_t sheaf_hdf5_checksum(const void *data, size_t size);

/* Of chunks: Fletcher's sum over big-endian words of 16 bits. */
uint32_t sheaf_hdf5_fletcher(const void *data, size_t size);
/* Whether the checksum that follows a chunk, read as little-endian, is correct. Old files have the bytes of
 * each half swapped. */
_Bool sheaf_hdf5_is_fletcher(uint32_t stored, uint32_t sum);

#endif
