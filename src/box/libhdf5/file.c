/* SPDX-License-Identifier: MIT */
/* Files of libhdf5 that are no files to it: what it reads comes through a store, so that it never
 * sees a path, and opens nothing that a file names. */
#include "base/memory.h"
#include "box/libhdf5/libhdf5.h"
#include <stdlib.h>
#include <string.h>

/* ---- the driver below the library ---- */

/* Not of the context: where a damaged file cannot be closed, the library keeps it for ever. */
typedef struct sheaf_h5_bytes {
	H5FD_t public;
	sheaf_h5 *h5; /* NULL: the box is closed */
	haddr_t end;  /* of what is allocated */
} bytes_file;

/* What goes through the library's list of properties. */
typedef struct passed {
	sheaf_h5 *h5;
} passed;

static H5FD_t *open_bytes(const char *name, unsigned flags, hid_t access, haddr_t most)
{
	const passed *it = (const passed *)H5Pget_driver_info(access);
	(void)name, (void)flags, (void)most;
	/* A second file of the same box is one that the first one names. */
	if (!it || it->h5->bytes) return NULL;
	bytes_file *f = (bytes_file *)calloc(1, sizeof *f);
	if (!f) return NULL;
	f->h5 = it->h5;
	f->h5->bytes = f;
	return &f->public;
}

static herr_t close_bytes(H5FD_t *file)
{
	bytes_file *f = (bytes_file *)file;
	if (f->h5) f->h5->bytes = NULL;
	free(f);
	return 0;
}

static int compare_bytes(const H5FD_t *a, const H5FD_t *b)
{
	const sheaf_h5 *x = ((const bytes_file *)a)->h5, *y = ((const bytes_file *)b)->h5;
	return (x > y) - (x < y);
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
	const bytes_file *f = (const bytes_file *)file;
	int64_t size = 0;
	(void)type;
	if (!f->h5) return HADDR_UNDEF;
	sheaf_status status = f->h5->store->size(f->h5->store->user, &size, &f->h5->failure);
	return status ? HADDR_UNDEF : (haddr_t)size;
}

static herr_t read_bytes(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *data)
{
	const bytes_file *f = (const bytes_file *)file;
	(void)type, (void)transfer;
	if (!f->h5 || at > INT64_MAX || size > INT64_MAX - at) return -1;
	sheaf_status status = f->h5->store->read(f->h5->store->user, (int64_t)at, data, size, &f->h5->failure);
	return status ? -1 : 0;
}

/* The library wants to know of one. */
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

hid_t sheaf_h5_access(sheaf_h5 *h5)
{
	static hid_t driver = H5I_INVALID_HID;
	passed it = {h5};
	if (driver < 0) driver = H5FDregister(&class_of_bytes);
	hid_t access = H5Pcreate(H5P_FILE_ACCESS);
	if (access < 0) return access;
	bool fine = H5Pset_driver(access, driver, &it) >= 0 &&
	            H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
	            H5Pset_cache(access, 0, 0, 0, 1.0) >= 0;
	if (fine) return access;
	H5Pclose(access);
	return H5I_INVALID_HID;
}

/* ---- opening and closing ---- */

static bool find_sizes(sheaf_h5 *h5)
{
	hsize_t base = 0;
	hid_t creation = H5Fget_create_plist(h5->file);
	bool fine = creation >= 0 && H5Pget_sizes(creation, &h5->address_size, &h5->length_size) >= 0 &&
	            H5Pget_userblock(creation, &base) >= 0;
	if (creation >= 0) H5Pclose(creation);
	h5->base = (int64_t)base;
	return fine && (h5->address_size == 4 || h5->address_size == 8) &&
	       (h5->length_size == 4 || h5->length_size == 8);
}

static sheaf_status open_file(sheaf_h5 *h5, sheaf_catalog *catalog, sheaf_error *err)
{
	hid_t access = sheaf_h5_access(h5);
	if (access < 0) return sheaf_h5_fail(h5, "", "a driver for files", err);
	hid_t file = H5Fopen("box", H5F_ACC_RDONLY, access);
	H5Pclose(access);
	if (file < 0) return sheaf_h5_fail(h5, "", "an HDF5 file", err);
	h5->file = file;
	if (!find_sizes(h5)) return sheaf_h5_fail(h5, "", "sizes of addresses", err);
	return sheaf_h5_walk(h5, catalog, err);
}

static void close_file(sheaf_h5 *h5)
{
	if (h5->file >= 0) H5Fclose(h5->file);
	h5->file = H5I_INVALID_HID;
	if (h5->bytes) h5->bytes->h5 = NULL;
	sheaf_builder_drop(&h5->heap);
}

sheaf_status sheaf_h5_open(const sheaf_store *store, bool fresh, sheaf_box_kind *kind, sheaf_catalog *catalog,
                           sheaf_context *cx, void **state, sheaf_error *err)
{
	void *memory;
	(void)fresh;
	*state = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_h5), &memory, err));
	sheaf_h5 *h5 = (sheaf_h5 *)memory;
	*h5 = (sheaf_h5){
		.cx = cx, .store = store, .kind = SHEAF_BOX_HDF5, .file = H5I_INVALID_HID, .collection = -1};
	sheaf_builder_begin(&h5->heap, cx, NULL);
	sheaf_h5_enter();
	sheaf_status status = open_file(h5, catalog, err);
	if (status) close_file(h5);
	sheaf_h5_leave();
	if (status) {
		sheaf_release(cx, h5, sizeof *h5);
		return status;
	}
	*kind = h5->kind;
	*state = h5;
	return SHEAF_OK;
}

void sheaf_h5_close(void *state)
{
	sheaf_h5 *h5 = (sheaf_h5 *)state;
	sheaf_h5_enter();
	close_file(h5);
	sheaf_h5_leave();
	sheaf_release(h5->cx, h5, sizeof *h5);
}
