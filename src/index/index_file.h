/* SPDX-License-Identifier: MIT */
/* Index files: what docs/index-file.md describes, written and read. Nothing in one is trusted before its hash
 * has been compared, and nothing that could lead outside of memory is trusted then: anybody can write a file
 * with right hashes. */
#ifndef SHEAF_INDEX_INDEX_FILE_H
#define SHEAF_INDEX_INDEX_FILE_H

#include "index/pieces.h"
#include "io/identity.h"

#define SHEAF_INDEX_SUFFIX ".sheaf-index"

/* What stands before the tables: enough to tell whether they are wanted. */
typedef struct sheaf_index_head {
	sheaf_identity input;
	int64_t piece_bytes; /* 0: chunks of the format */
	int64_t count, rows, samples;
	bool inferred; /* the schema was found by reading all of the input, and these are the facts found with it:
	                */
	sheaf_facts facts; /* without a guess */
	sheaf_schema schema;
	char *counting; /* what decides which rows there are and how long */
	char *settings; /* the format and all its settings for reading */
} sheaf_index_head;

typedef struct sheaf_index_file {
	sheaf_context *cx;
	sheaf_source *source;
	sheaf_index_head head;
	int64_t size;
	int64_t entries, blocks, bits, bits_size; /* where the tables are */
	uint64_t entries_hash, blocks_hash;
} sheaf_index_file;

/* Writes `path` whole, or leaves it as it was. */
SHEAF_USE sheaf_status sheaf_index_write(const char *path, const sheaf_source *input,
                                         const sheaf_index_head *head, const sheaf_pieces *pieces,
                                         sheaf_context *cx, int64_t *size, sheaf_error *err);
/* Reads the head. Fails with what is wrong: IO where there is no such file, UNKNOWN where it is something
 * else, UNSUPPORTED where it is of another version, DATA or SHORT where it is damaged. On failure *out is
 * reset. */
SHEAF_USE sheaf_status sheaf_index_open(const char *path, sheaf_context *cx, sheaf_index_file *out,
                                        sheaf_error *err);
/* The tables. Entries are checked at once, lengths block by block when they are asked for. */
SHEAF_USE sheaf_status sheaf_index_pieces(sheaf_index_file *file, sheaf_pieces **out, sheaf_error *err);
void sheaf_index_close(sheaf_index_file *file);
void sheaf_index_head_free(sheaf_index_head *head, sheaf_context *cx);

#endif
