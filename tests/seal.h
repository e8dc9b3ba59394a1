/* SPDX-License-Identifier: MIT */
/* The hashes of files of ours, for tests and fuzzers that change their bytes: whatever the bytes say, nothing
 * outside of them is touched, and where they say nothing sensible, nothing is changed. */
#ifndef SHEAF_TESTS_SEAL_H
#define SHEAF_TESTS_SEAL_H

#include <stddef.h>
#include <stdint.h>

/* Little-endian numbers of 1 to 8 bytes. */
uint64_t seal_load(const uint8_t *at, int bytes);
void seal_store(uint8_t *at, uint64_t v, int bytes);

/* Of the head and of three tables; of what is before the foot, and the foot; of all. */
void seal_index(uint8_t *index, size_t size);
void seal_part(uint8_t *part, size_t size);
void seal_summary(uint8_t *summary, size_t size);
/* The sums of the stored members of a ZIP file. */
void seal_archive(uint8_t *archive, size_t size);

#endif
