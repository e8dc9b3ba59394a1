/* SPDX-License-Identifier: MIT */
/* The one door to libhdf5, for the files of this folder only. They are a module of their own, with its own
 * copy of what it needs of the base; it knows nothing of sources and sinks. */
#ifndef SHEAF_BOX_LIBHDF5_LIBHDF5_H
#define SHEAF_BOX_LIBHDF5_LIBHDF5_H

#include "box/inside.h"

#define H5_USE_110_API
#include <hdf5.h>

/* An open file. */
typedef struct sheaf_h5 {
	sheaf_context *cx;
	const sheaf_store *store;
	sheaf_box_kind kind;
	hid_t file;
	sheaf_error failure;              /* of the bytes after: worth more than what the library makes of it */
	struct sheaf_h5_bytes *bytes;     /* the library's view of the store */
	size_t address_size, length_size; /* bytes of each in the file */
	int64_t base;                     /* byte at which the file begins for the library */
	sheaf_builder heap;               /* the last collection of texts that was read, */
	int64_t collection;               /* and the byte at which it stands; -1: none */
} sheaf_h5;

/* Bytes of a reference to a text: its size, the address of a collection, a number in it. */
#define SHEAF_H5_REFERENCE(h5) (8 + (h5)->address_size)

/* ---- lock.c ---- */

/* The library is entered by one thread at a time, and prints nothing meanwhile. */
void sheaf_h5_enter(void);
void sheaf_h5_leave(void);

/* A failure of the library: what it says itself, from its innermost, or what the bytes after have said.
 * While inside. */
sheaf_status sheaf_h5_fail(sheaf_h5 *h5, const char *path, const char *expected, sheaf_error *err);

/* ---- file.c ---- */

/* The driver that reads a store; below 0 where the library refuses. */
hid_t sheaf_h5_access(sheaf_h5 *h5);
SHEAF_USE sheaf_status sheaf_h5_open(const sheaf_store *store, bool fresh, sheaf_box_kind *kind,
                                     sheaf_catalog *catalog, sheaf_context *cx, void **state,
                                     sheaf_error *err);
void sheaf_h5_close(void *state);

/* ---- walk.c ---- */

/* Lists what is in the file. */
SHEAF_USE sheaf_status sheaf_h5_walk(sheaf_h5 *h5, sheaf_catalog *catalog, sheaf_error *err);

/* ---- header.c ---- */

/* What can be refused of an object before the library opens it. */
SHEAF_USE sheaf_status sheaf_h5_check_header(sheaf_h5 *h5, haddr_t address, sheaf_error *err);

/* ---- describe.c ---- */

/* What an open dataset is. */
SHEAF_USE sheaf_status sheaf_h5_describe(sheaf_h5 *h5, hid_t dataset, sheaf_catalog *catalog,
                                         sheaf_box_item *item, sheaf_error *err);

/* ---- text.c ---- */

SHEAF_USE sheaf_status sheaf_h5_text(void *state, const sheaf_box_item *item, const char *name,
                                     sheaf_builder *text, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_h5_text_of(void *state, const sheaf_box_item *item, const uint8_t *element,
                                        sheaf_builder *text, sheaf_error *err);

/* ---- heap.c ---- */

/* A type for memory that gives references as they are stored, where texts of variable length are read; the
 * caller closes it. While inside. */
hid_t sheaf_h5_reference_type(sheaf_h5 *h5);
/* Appends the text that a reference leads to. */
SHEAF_USE sheaf_status sheaf_h5_dereference(sheaf_h5 *h5, const uint8_t *reference, sheaf_builder *text,
                                            sheaf_error *err);

/* ---- read.c ---- */

SHEAF_USE sheaf_status sheaf_h5_read_rows(void *state, const sheaf_box_item *item, int64_t from, int64_t to,
                                          void *out, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_h5_read_chunk(void *state, const sheaf_box_item *item, int64_t chunk,
                                           uint32_t *skipped, sheaf_builder *bytes, sheaf_error *err);
/* The dataset of an item, which stays open with the file; below 0 where the library refuses. While inside. */
hid_t sheaf_h5_dataset(sheaf_h5 *h5, const sheaf_box_item *item);

/* ---- dimension.c ---- */

/* Whether a dataset is a dimension of netCDF, and nothing else. */
bool sheaf_h5_is_dimension(hid_t dataset);

#endif
