/* SPDX-License-Identifier: MIT */
/* The only file that uses libaec, by its interface of szip: chunks of HDF5, in builds that have it
 * (SHEAF_SZIP). Any thread. */
#ifndef SHEAF_BASE_THIRD_SZIP_H
#define SHEAF_BASE_THIRD_SZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parameters: options, pixels in a block, bits of a pixel, pixels in a line. False if they or the data are
 * damaged, or the data do not unpack to exactly `to_size` bytes. */
bool sheaf_szip_unpack(const uint32_t parameters[4], const void *data, size_t size, void *to, size_t to_size);

#endif
