/* SPDX-License-Identifier: MIT */
/* HDF5 files from the inside, for conform_hdf5.py. usage:
 *   hdf5_tool list FILE                    objects, their types, attributes and bytes, a line of JSON each
 *   hdf5_tool map FILE                     structures: where each is, and its checksum in it
 *   hdf5_tool mend FILE                    a file of which bytes were changed: mends its checksums
 *   hdf5_tool mutate SEED COUNT FILE...    COUNT changed copies of each file, in memory, are read
 *
 * A mutant has one to three fields changed, in structures of its file, with their checksums mended, so
 * that the damage reaches as deep as possible. What must hold: reading ends, at worst with an error, makes no
 * access out of bounds (see sanitizers), and frees all memory. */
#include "hdf5_mutants.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool load(hdf5_file *f, const char *name)
{
	FILE *in = fopen(name, "rb");
	*f = (hdf5_file){.name = name};
	if (!in) return false;
	fseek(in, 0, SEEK_END);
	f->size = (size_t)ftell(in);
	rewind(in);
	f->bytes = malloc(f->size ? f->size : 1);
	bool fine = f->bytes && fread(f->bytes, 1, f->size, in) == f->size;
	fclose(in);
	return fine;
}

/* ---- mutants ---- */

static void mutate(const hdf5_file *f, uint64_t seed)
{
	hdf5_file mutant = {.name = "mutant", .size = f->size};
	sheaf_error err = {0};
	mutant.bytes = malloc(f->size);
	if (!mutant.bytes) abort();
	memcpy(mutant.bytes, f->bytes, f->size);
	hdf5_change(f, mutant.bytes, seed);
	const char *keep = getenv("KEEP_MUTANT");
	FILE *out = keep ? fopen(keep, "wb") : NULL;
	if (out) {
		fwrite(mutant.bytes, 1, mutant.size, out);
		fclose(out);
	}
	sheaf_status status = hdf5_show(&mutant, false, false, &err);
	if (status && (status != err.status || !err.message[0])) abort();
	free(mutant.bytes);
}

static int mutate_all(int argc, char **argv)
{
	uint64_t seed = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10), done = 0;
	for (int i = 4; i < argc; i++) {
		hdf5_file f;
		sheaf_error err = {0};
		if (!load(&f, argv[i])) return 2;
		if (hdf5_show(&f, false, true, &err)) fprintf(stderr, "%s\n", err.message);
		for (uint64_t n = 0; n < count && f.count; n++, done++) {
			char text[600];
			int size = snprintf(text, sizeof text, "%s %" PRIu64 "\n", argv[i], seed + n);
			/* The last line says which mutant crashed. */
			if (getenv("MUTANT_LOG") && pwrite(STDERR_FILENO, text, (size_t)size, 0) < 0) return 2;
			mutate(&f, seed + n);
		}
		free(f.structures);
		free(f.bytes);
	}
	printf("%" PRIu64 " mutants\n", done);
	return 0;
}

/* A structure with a wrong checksum is mapped, but what it leads to is not. */
static int mend_all(const char *name)
{
	hdf5_file f;
	sheaf_error err = {0};
	if (!load(&f, name)) return 2;
	for (int depth = 0; depth < 10; depth++) {
		f.count = 0;
		(void)hdf5_show(&f, false, true, &err);
		hdf5_mend(&f, f.bytes);
	}
	FILE *out = fopen(name, "wb");
	if (!out || fwrite(f.bytes, 1, f.size, out) != f.size || fclose(out)) return 2;
	free(f.structures);
	free(f.bytes);
	return 0;
}

int main(int argc, char **argv)
{
	hdf5_file f;
	sheaf_error err = {0};
	if (argc == 3 && strcmp(argv[1], "mend") == 0) return mend_all(argv[2]);
	if (argc > 4 && strcmp(argv[1], "mutate") == 0) return mutate_all(argc, argv);
	if (argc != 3 || !load(&f, argv[2])) return 2;
	bool maps = strcmp(argv[1], "map") == 0;
	sheaf_status status = hdf5_show(&f, !maps, maps, &err);
	for (size_t i = 0; maps && i < f.count; i++)
		printf("%s %" PRId64 " %zu %" PRId64 "\n", f.structures[i].what, f.structures[i].byte,
		       f.structures[i].size, f.structures[i].sum);
	if (status) fprintf(stderr, "%s: %s\n", sheaf_status_name(status), err.message);
	free(f.structures);
	free(f.bytes);
	return status ? 1 : 0;
}
