/* SPDX-License-Identifier: MIT */
/* Compression of the bytes given to a sink, piece by piece in bounded memory. */
#ifndef SHEAF_IO_FILTERS_ENCODER_H
#define SHEAF_IO_FILTERS_ENCODER_H

#include "io/filters/filter.h"

/* Takes all bytes, or fails. */
typedef sheaf_status (*sheaf_store_function)(void *user, const void *data, size_t size, sheaf_error *err);
typedef struct sheaf_byte_store {
	sheaf_store_function store;
	void *user;
} sheaf_byte_store;

typedef struct sheaf_encoder {
	const sheaf_filter *filter; /* NULL: not open */
	void *state;                /* the filter's */
	sheaf_filter_memory memory;
	const char *name; /* the sink's */
	uint8_t *out;     /* compressed bytes to be stored */
} sheaf_encoder;

/* Opens it; the encoder must not move in memory, and `name` must live as long. */
SHEAF_USE sheaf_status sheaf_encoder_open(sheaf_encoder *e, const sheaf_filter *filter, sheaf_context *cx,
                                          const char *name, sheaf_error *err);
/* Compresses the bytes, which are the last ones if `finish` is set, and stores the result. */
SHEAF_USE sheaf_status sheaf_encoder_write(sheaf_encoder *e, const void *data, size_t size, bool finish,
                                           sheaf_byte_store to, sheaf_error *err);
void sheaf_encoder_close(sheaf_encoder *e);

#endif
