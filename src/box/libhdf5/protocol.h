/* SPDX-License-Identifier: MIT */
/* The protocol between the library and the program that has libhdf5, over a socket: messages of a word, a
 * size and that many bytes, in the machine's byte order. The library sends one request at a time and receives
 * ITEMs or BYTES, then DONE, or FAIL. Meanwhile the program may WANT bytes of the file, and gets BYTES.
 * Neither trusts the other: the program is only as trustworthy as the file that it reads. */
#ifndef SHEAF_BOX_LIBHDF5_PROTOCOL_H
#define SHEAF_BOX_LIBHDF5_PROTOCOL_H

#include <stdint.h>

#define SHEAF_HDF5_PROGRAM "sheaf-hdf5"

enum {
	SHEAF_HDF5_PROTOCOL = 1,      /* the contents of HELLO */
	SHEAF_HDF5_MESSAGE = 1 << 20, /* most bytes of a message after its head */
	SHEAF_HDF5_SPARE = 256 << 20, /* memory that the program may use in addition to the limit */
	SHEAF_HDF5_ARRAY_RANK = 32
};

typedef enum sheaf_hdf5_word {
	SHEAF_HDF5_HELLO = 0x53480001, /* uint32_t, when the program begins */
	/* Requests, each with a sheaf_hdf5_request: */
	SHEAF_HDF5_OPEN,      /* from: bytes of the file; to: bytes of memory; item: seconds of each request */
	SHEAF_HDF5_ROWS,      /* rows [from, to) of the first dimension of an array of numbers */
	SHEAF_HDF5_TEXTS,     /* texts [from, to) of an array of texts: of each its size (uint32_t) and bytes */
	SHEAF_HDF5_ATTRIBUTE, /* with its name: the text of an attribute */
	/* Answers: */
	SHEAF_HDF5_ITEM, /* sheaf_hdf5_item, its dimensions, and four texts, each with its NUL */
	SHEAF_HDF5_BYTES,
	SHEAF_HDF5_WANT, /* sheaf_hdf5_request: bytes [from, to) of the file */
	SHEAF_HDF5_DONE, /* after OPEN: a byte, whether it is netCDF */
	SHEAF_HDF5_FAIL  /* uint32_t, a sheaf_hdf5_failure, and a text */
} sheaf_hdf5_word;

typedef struct sheaf_hdf5_head {
	uint32_t word, size;
} sheaf_hdf5_head;

typedef struct sheaf_hdf5_request {
	int64_t item; /* in the order in which they were listed, from 1; 0: the root */
	int64_t from, to;
} sheaf_hdf5_request;

typedef enum sheaf_hdf5_failure {
	SHEAF_HDF5_DAMAGED,
	SHEAF_HDF5_UNKNOWN,
	SHEAF_HDF5_TOO_MUCH
} sheaf_hdf5_failure;

typedef enum sheaf_hdf5_kind {
	SHEAF_HDF5_GROUP,
	SHEAF_HDF5_NUMBERS,
	SHEAF_HDF5_BOOLS,
	SHEAF_HDF5_PAIRS, /* complex numbers */
	SHEAF_HDF5_TEXT,
	SHEAF_HDF5_SOFT, /* a link, whose target is in the third text */
	SHEAF_HDF5_OTHER,
	SHEAF_HDF5_KINDS
} sheaf_hdf5_kind;

/* Its texts: the path, the type, why it cannot be read, and filters; empty if there is none. */
typedef struct sheaf_hdf5_item {
	uint8_t kind;
	uint8_t type;    /* sheaf_type: the type that ROWS returns */
	uint8_t storage; /* sheaf_box_storage */
	uint8_t rank;
	uint8_t is_damaged;
	uint8_t spare[3];
	int64_t bytes; /* in the file; -1: not known */
} sheaf_hdf5_item;

#endif
