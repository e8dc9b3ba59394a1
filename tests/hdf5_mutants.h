/* SPDX-License-Identifier: MIT */
/* HDF5 files in memory for tests: read whole, their structures mapped, and changed in them. */
#ifndef SHEAF_TESTS_HDF5_MUTANTS_H
#define SHEAF_TESTS_HDF5_MUTANTS_H

#include <sheaf/base.h>

typedef struct hdf5_structure {
	char what[40];
	int64_t byte, sum; /* in the file; of its checksum, in it (-1: none) */
	size_t size;
} hdf5_structure;

typedef struct hdf5_file {
	const char *name;
	uint8_t *bytes;
	size_t size;
	hdf5_structure *structures;
	size_t count, room;
	bool prints;
} hdf5_file;

/* Reads everything: prints it, or maps the structures, or neither. Ends the process if a failure is not
 * explained, or memory is not freed. */
sheaf_status hdf5_show(hdf5_file *f, bool prints, bool maps, sheaf_error *err);

/* Changes `bytes`, which are those of a file that was mapped: one to three fields, in structures of the
 * file, with their checksums mended. */
void hdf5_change(const hdf5_file *f, uint8_t *bytes, uint64_t seed);
/* Mends the checksums of all structures. */
void hdf5_mend(const hdf5_file *f, uint8_t *bytes);

#endif
