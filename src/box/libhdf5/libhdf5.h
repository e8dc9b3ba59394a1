/* SPDX-License-Identifier: MIT */
/* The only file that uses libhdf5, for the program of this folder. It is a separate process: if a file makes
 * the library crash, hang or use up all memory, this program ends, and the process that started it reports
 * that. It opens no files: it gets bytes over the socket that is its standard input, and could not open
 * any. */
#ifndef SHEAF_BOX_LIBHDF5_LIBHDF5_H
#define SHEAF_BOX_LIBHDF5_LIBHDF5_H

#include "box/box.h"
#include "box/libhdf5/protocol.h"
#include <stddef.h>

#define H5_USE_110_API
#include <hdf5.h>

/* ---- wire.c ---- */

/* All of these end the program if the other end of the socket is closed. */
void sheaf_h5_send(sheaf_hdf5_word word, const void *data, size_t size);
/* Two parts as one message. */
void sheaf_h5_send_two(sheaf_hdf5_word word, const void *head, size_t head_size, const void *data,
                       size_t size);
/* Any number of bytes, in messages. */
void sheaf_h5_send_bytes(const void *data, size_t size);
void sheaf_h5_send_failure(sheaf_hdf5_failure failure, const char *text);
/* A request, and the text after it with a NUL. */
sheaf_hdf5_word sheaf_h5_hear(sheaf_hdf5_request *request, char text[SHEAF_HDF5_MESSAGE + 1]);
/* Bytes of the file. */
void sheaf_h5_fetch(int64_t at, void *out, size_t size);

/* ---- bytes.c ---- */

/* Access to a file of `size` bytes, which come over the wire; below 0 if the library refuses. */
hid_t sheaf_h5_access(int64_t size);

/* ---- list.c ---- */

/* A listed array. */
typedef struct sheaf_h5_array {
	char *path;   /* NULL: it is no array, or cannot be read */
	hid_t memory; /* the type that values are read as */
} sheaf_h5_array;

typedef struct sheaf_h5_file {
	hid_t file;
	sheaf_h5_array *items; /* by number */
	size_t count, room;
	char is_netcdf;
} sheaf_h5_file;

/* Sends all items; false: the library refuses, with the reason. */
bool sheaf_h5_list(sheaf_h5_file *f);

/* ---- values.c ---- */

bool sheaf_h5_send_rows(const sheaf_h5_array *array, hid_t file, hsize_t from, hsize_t to);
bool sheaf_h5_send_texts(const sheaf_h5_array *array, hid_t file, hsize_t from, hsize_t to);
/* False with *why, or with the library's message if *why is NULL. */
bool sheaf_h5_send_attribute(hid_t file, const char *path, const char *name, const char **why);

#endif
