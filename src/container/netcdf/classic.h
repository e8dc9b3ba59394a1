/* SPDX-License-Identifier: MIT */
/* netCDF before HDF5: the classic format, the one with 64-bit offsets, and CDF-5. A header says what there is
 * and where; arrays without the record dimension follow one by one, then records, each of which has a part of
 * every array that grows. All numbers are big-endian. */
#ifndef SHEAF_CONTAINER_NETCDF_CLASSIC_H
#define SHEAF_CONTAINER_NETCDF_CLASSIC_H

#include "base/cursor.h"
#include "container/inside.h"

/* Types of the file. */
typedef enum sheaf_classic_type {
	SHEAF_CLASSIC_BYTE = 1,
	SHEAF_CLASSIC_CHAR = 2,
	SHEAF_CLASSIC_DOUBLE = 6, /* the last one before CDF-5 */
	SHEAF_CLASSIC_UINT64 = 11
} sheaf_classic_type;

/* A name in the header, without a NUL. */
typedef struct sheaf_classic_name {
	const char *text;
	size_t size;
} sheaf_classic_name;

typedef struct sheaf_classic_dimension {
	sheaf_classic_name name;
	int64_t length; /* 0: of records */
} sheaf_classic_dimension;

/* A list of attributes: where it begins in the header, and how many there are. */
typedef struct sheaf_classic_attributes {
	size_t at;
	int64_t count;
} sheaf_classic_attributes;

typedef struct sheaf_classic_attribute {
	sheaf_classic_name name;
	int type;
	int64_t count;
	const uint8_t *values;
	size_t size;
} sheaf_classic_attribute;

typedef struct sheaf_classic_variable {
	sheaf_classic_name name;
	size_t dimensions; /* where their numbers begin in the header */
	int rank;
	sheaf_classic_attributes attributes;
	int type;
	int64_t begin;
	int64_t named_at; /* byte, for messages */
	/* From the dimensions: */
	bool grows;
	int64_t size; /* size: of all, or of its part of a record; -1: more than possible */
} sheaf_classic_variable;

/* A header, in memory. */
typedef struct sheaf_classic_header {
	sheaf_context *cx;
	const char *name; /* of the file, for messages */
	int version;
	int64_t records; /* -1: as many as the file has room for */
	sheaf_builder bytes;
	sheaf_builder dimensions; /* sheaf_classic_dimension */
	int64_t unlimited;        /* the number of the growing one; -1: there is none */
	sheaf_classic_attributes attributes;
	sheaf_builder variables; /* sheaf_classic_variable */
	size_t end;              /* size of the header */
	int64_t stride;          /* size of a record */
} sheaf_classic_header;

/* Reads the header of a file. DATA or SHORT if it is damaged, with the place. The second function closes it,
 * also after a failure. */
SHEAF_USE sheaf_status sheaf_classic_load(sheaf_classic_header *h, const sheaf_store *store,
                                          sheaf_context *cx, sheaf_error *err);
void sheaf_classic_drop(sheaf_classic_header *h);

int64_t sheaf_classic_variables(const sheaf_classic_header *h);
const sheaf_classic_variable *sheaf_classic_variable_at(const sheaf_classic_header *h, int64_t number);
/* Dimension `i` of a variable. */
const sheaf_classic_dimension *sheaf_classic_dimension_of(const sheaf_classic_header *h,
                                                          const sheaf_classic_variable *v, int i);
/* Attributes of a list, one after another: *at begins as 0. False if there are no more. */
bool sheaf_classic_next(const sheaf_classic_header *h, sheaf_classic_attributes list, int64_t *number,
                        size_t *at, sheaf_classic_attribute *out);
/* Size of a value; 0: there is no such type in a file of this version. */
size_t sheaf_classic_width(int version, int type);
sheaf_type sheaf_classic_type_of(int type);

/* Lists the contents of the header. */
SHEAF_USE sheaf_status sheaf_classic_list(sheaf_classic_header *h, sheaf_box *box, int64_t size,
                                          sheaf_error *err);

#endif
