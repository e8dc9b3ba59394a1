/* SPDX-License-Identifier: MIT */
/* The fuzz target of our reader of HDF5 files: reading ends, at worst with an error, makes no access
 * out of bounds, and frees all memory. Mutations change structures of the file and mend their checksums, so
 * that the damage reaches as deep as possible. */
#include "hdf5_mutants.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sheaf_error err = {0};
	hdf5_file f = {.name = "input", .bytes = malloc(size ? size : 1), .size = size};
	if (!f.bytes) abort();
	if (size) memcpy(f.bytes, data, size);
	sheaf_status status = hdf5_show(&f, false, false, &err);
	if (status && (status != err.status || !err.message[0])) abort();
	free(f.bytes);
	return 0;
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION

/* Three of four are changes of fields; others are libFuzzer's, of the same length where checksums are
 * mended. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	sheaf_error err = {0};
	hdf5_file f = {.name = "input", .bytes = data, .size = size};
	sheaf_status status = hdf5_show(&f, false, true, &err);
	if (status && f.count == 0) return LLVMFuzzerMutate(data, size, most);
	if (seed % 4) {
		hdf5_change(&f, data, seed);
	} else {
		size_t now = LLVMFuzzerMutate(data, size, seed % 8 ? most : size);
		if (now == size) hdf5_mend(&f, data);
		size = now;
	}
	free(f.structures);
	return size;
}

#endif
