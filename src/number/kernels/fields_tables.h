/* SPDX-License-Identifier: MIT */
/* Tables for numbers in vectors of sixteen bytes. */
#ifndef SHEAF_NUMBER_KERNELS_FIELDS_TABLES_H
#define SHEAF_NUMBER_KERNELS_FIELDS_TABLES_H

#include <stdint.h>

enum { LANES = 16 };

/* From byte 16 - n on: the last n of 16 bytes. */
static const uint8_t last_bytes[2 * LANES] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                              0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                              255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

/* From byte 15 - p on, together with `all`: all bytes up to p move one up. */
static const uint8_t moves[2 * LANES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

#endif
