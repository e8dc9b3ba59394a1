/* SPDX-License-Identifier: MIT */
/* Mutations of binary inputs for libFuzzer, which finds the second function by its name. */
#ifndef SHEAF_FUZZ_MUTATOR_H
#define SHEAF_FUZZ_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* Changes data[size], which has room for `most` bytes, as `seed` says: the same for the same seed. Returns
 * the new size, 1 to `most`; 0, and nothing is changed, for texts and for inputs too short to have fields. */
size_t mutate_binary(uint8_t *data, size_t size, size_t most, unsigned seed);

/* The same for three seeds of four, else libFuzzer's own. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
/* libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#endif
