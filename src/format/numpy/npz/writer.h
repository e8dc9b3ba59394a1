/* SPDX-License-Identifier: MIT */
/* Writing an archive. Members are written in one of three ways, depending on what is known when:
 *
 *   planned    the number of entries is given: each member has its place before its bytes, which several
 *              strands then write into their places; headers and checksums come last
 *   as it comes  the checksum and the sizes follow the bytes, and the sink need not be a random one
 *   from memory  the strands have stayed in memory, since they are to be compressed, or are short
 *
 *   members.c       arrays as members     tensor_write.c  a tensor
 *   streams_write.c sequences and tables  write.c         decides between the two */
#ifndef SHEAF_FORMAT_NUMPY_NPZ_WRITER_H
#define SHEAF_FORMAT_NUMPY_NPZ_WRITER_H

#include "container/zip/zip_write.h"
#include "format/numpy/npz/streams.h"
#include "io/strand.h"

/* ---- members.c ---- */

/* The contents of a member: an array of items in several strands, one after the other. */
typedef struct sheaf_npz_content {
	const char *name;
	sheaf_array_head array;
	sheaf_strand *parts;
	int nparts;
} sheaf_npz_content;

/* A member whose place is known, with its array's header. */
typedef struct sheaf_npz_planned {
	sheaf_zip_head head;
	sheaf_builder header;
	sheaf_strand *parts;
	int nparts;
} sheaf_npz_planned;

enum { NPZ_MOST_MEMBERS = 8 };

/* The list of an archive that is being written, and the members still to be written. */
typedef struct sheaf_npz_list {
	sheaf_zip_output zip;
	int level;            /* of compression */
	sheaf_zip_head array; /* of the one that is written as it comes */
	sheaf_npz_planned planned[NPZ_MOST_MEMBERS];
	int nplanned;
} sheaf_npz_list;

void sheaf_npz_list_begin(sheaf_npz_list *list, sheaf_sink *sink, int level, sheaf_context *cx);
void sheaf_npz_list_drop(sheaf_npz_list *list);
/* Gives the next member its place; its bytes may be written before and after that. The sink is a random
 * one. */
SHEAF_USE sheaf_status sheaf_npz_plan_member(sheaf_npz_list *list, const sheaf_npz_content *content,
                                             sheaf_error *err);
/* Completes those that have a place. */
SHEAF_USE sheaf_status sheaf_npz_end_planned(sheaf_npz_list *list, sheaf_error *err);
/* A member whose strands have stayed in memory; deflated if that makes it shorter. */
SHEAF_USE sheaf_status sheaf_npz_put_member(sheaf_npz_list *list, const sheaf_npz_content *content,
                                            sheaf_error *err);
/* A member as it comes: its header, then its bytes, then its checksum and sizes. list->array has its name and
 * size. The first one need not be begun. */
SHEAF_USE sheaf_status sheaf_npz_begin_array(sheaf_npz_list *list, const sheaf_npz_content *content,
                                             sheaf_error *err);
SHEAF_USE sheaf_status sheaf_npz_write_array(sheaf_npz_list *list, const sheaf_npz_content *content,
                                             const void *bytes, size_t size, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_npz_end_array(sheaf_npz_list *list, sheaf_error *err);
/* The list itself, after the last member. */
SHEAF_USE sheaf_status sheaf_npz_put_list(sheaf_npz_list *list, sheaf_error *err);

/* ---- write.c ---- */

enum { NPZ_FORMAT, NPZ_SHAPE, NPZ_IS_ARRAY, NPZ_WORDS };

typedef struct sheaf_npz_tensor_writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_dtype dtype;
	sheaf_npz_layout layout;
	int64_t count;    /* of entries */
	bool planned;     /* where each member begins, for their number, which was given */
	sheaf_type place; /* of a coordinate */
	sheaf_stored_levels levels;
	sheaf_sparse_writer entries;
	sheaf_builder pointers; /* for csr and csc */
	/* Coordinates of each dimension; for csr and csc those pointers, and the others. */
	sheaf_strand places[SHEAF_MAX_RANK], values, words[NPZ_WORDS];
	sheaf_npz_list list;
} sheaf_npz_tensor_writer;

typedef struct sheaf_npz_streams_writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_npz_list list;
	sheaf_npz_slots slots;
	sheaf_builder held; /* blobs that are not in the spool yet */
	sheaf_spool spool;
	bool is_spooled;
	sheaf_builder extents; /* for each blob, where each slot's array is */
	bool *wanted;          /* for each slot: it is needed */
	int64_t nblobs;
	sheaf_dtype plain; /* of the only slot, where all is one array without fields; without parts: it is not */
} sheaf_npz_streams_writer;

typedef union sheaf_npz_either {
	sheaf_npz_tensor_writer tensor;
	sheaf_npz_streams_writer streams;
} sheaf_npz_either;

extern const sheaf_writing sheaf_npz_tensor_writing, sheaf_npz_streams_writing;

#endif
