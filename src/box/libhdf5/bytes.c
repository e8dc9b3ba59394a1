/* SPDX-License-Identifier: MIT */
/* A virtual file for libhdf5: its bytes come over the wire, in larger blocks than requested, since the
 * library asks for few at a time. */
#include "box/libhdf5/libhdf5.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 << 10 };

typedef struct bytes_file {
	H5FD_t public;
	haddr_t end; /* of the allocated memory */
	int64_t size;
	int64_t block; /* the number of the block that is here; -1: none */
	char bytes[BLOCK];
} bytes_file;

/* Passed through the library's list of properties. */
typedef struct passed {
	int64_t size;
} passed;

static H5FD_t *open_bytes(const char *name, unsigned flags, hid_t access, haddr_t most)
{
	static int opened;
	const passed *it = (const passed *)H5Pget_driver_info(access);
	(void)name, (void)flags, (void)most;
	/* A second file would be one that the first one names. */
	if (!it || opened++) return NULL;
	bytes_file *f = (bytes_file *)calloc(1, sizeof *f);
	if (!f) return NULL;
	f->size = it->size;
	f->block = -1;
	return &f->public;
}

static herr_t close_bytes(H5FD_t *file)
{
	free(file);
	return 0;
}

static int compare_bytes(const H5FD_t *a, const H5FD_t *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static herr_t query(const H5FD_t *file, unsigned long *flags)
{
	(void)file;
	*flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
	return 0;
}

static haddr_t get_end(const H5FD_t *file, H5FD_mem_t type)
{
	(void)type;
	return ((const bytes_file *)file)->end;
}

static herr_t set_end(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
	(void)type;
	((bytes_file *)file)->end = address;
	return 0;
}

static haddr_t get_size(const H5FD_t *file, H5FD_mem_t type)
{
	(void)type;
	return (haddr_t)((const bytes_file *)file)->size;
}

static void load(bytes_file *f, int64_t block)
{
	int64_t at = block * BLOCK, left = f->size - at;
	if (f->block == block) return;
	sheaf_h5_fetch(at, f->bytes, left < BLOCK ? (size_t)left : BLOCK);
	f->block = block;
}

static herr_t read_bytes(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t from, size_t size, void *data)
{
	bytes_file *f = (bytes_file *)file;
	(void)type, (void)transfer;
	if (from > (haddr_t)f->size || size > (haddr_t)f->size - from) return -1;
	int64_t at = (int64_t)from;
	char *out = (char *)data;
	if (size > BLOCK) {
		sheaf_h5_fetch(at, out, size);
		return 0;
	}
	while (size > 0) {
		load(f, at / BLOCK);
		size_t inside = (size_t)(at % BLOCK), n = BLOCK - inside < size ? BLOCK - inside : size;
		memcpy(out, f->bytes + inside, n);
		out += n;
		at += (int64_t)n;
		size -= n;
	}
	return 0;
}

/* Functions that the library requires. */
static herr_t write_bytes(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                          const void *data)
{
	(void)file, (void)type, (void)transfer, (void)at, (void)size, (void)data;
	return -1;
}

static const H5FD_class_t class_of_bytes = {
	.name = "sheaf",
	.maxaddr = INT64_MAX,
	.fc_degree = H5F_CLOSE_STRONG,
	.fapl_size = sizeof(passed),
	.open = open_bytes,
	.close = close_bytes,
	.cmp = compare_bytes,
	.query = query,
	.get_eoa = get_end,
	.set_eoa = set_end,
	.get_eof = get_size,
	.read = read_bytes,
	.write = write_bytes,
	.fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t sheaf_h5_access(int64_t size)
{
	passed it = {size};
	hid_t driver = H5FDregister(&class_of_bytes), access = H5Pcreate(H5P_FILE_ACCESS);
	bool fine = access >= 0 && H5Pset_driver(access, driver, &it) >= 0 &&
	            H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
	return fine ? access : H5I_INVALID_HID;
}
