/* SPDX-License-Identifier: MIT */
/* Reading and writing index files: docs/index-file.md describes them. Only a file of this user or of the
 * input's owner is read, and nothing in it is used before its hash has been compared; even then it is not
 * fully trusted, since anyone who can write there can write a file with correct hashes. */
#ifndef SHEAF_DATASET_INDEX_INDEX_FILE_H
#define SHEAF_DATASET_INDEX_INDEX_FILE_H

#include "dataset/index/pieces.h"
#include "io/identity.h"

#define SHEAF_INDEX_SUFFIX ".sheaf-index"

/* What precedes the tables: enough to decide whether they are needed. */
typedef struct sheaf_index_head {
	sheaf_identity input;
	int64_t piece_bytes; /* 0: chunks of the format */
	int64_t count, rows, samples;
	bool inferred; /* the schema was found by reading all of the input */
	sheaf_schema schema;
	char *counting; /* what decides which rows there are and how long they are */
	char *settings; /* the format and all its settings for reading */
} sheaf_index_head;

typedef struct sheaf_index_file {
	sheaf_context *cx;
	sheaf_source *source;
	sheaf_index_head head;
	int64_t size, input;                      /* its size, and that of its input */
	int64_t entries, blocks, bits, bits_size; /* where the tables are */
	uint64_t entries_hash, blocks_hash;
	int64_t counts, counts_size;
	uint64_t counts_hash;
} sheaf_index_file;

/* Writes `path` whole, or leaves it as it was. */
SHEAF_USE sheaf_status sheaf_index_write(const char *path, const sheaf_source *input,
                                         const sheaf_index_head *head, const sheaf_pieces *pieces,
                                         sheaf_context *cx, sheaf_error *err);
/* Reads the head. Fails with the reason: UNKNOWN if there is no such file, or it is something else or
 * somebody else's, UNSUPPORTED if it has another version, DATA or SHORT if it is damaged. On failure *out is
 * reset. */
SHEAF_USE sheaf_status sheaf_index_open(const char *path, const sheaf_source *input, sheaf_context *cx,
                                        sheaf_index_file *out, sheaf_error *err);
/* The tables. Entries are checked at once, lengths block by block when they are used. */
SHEAF_USE sheaf_status sheaf_index_pieces(sheaf_index_file *file, sheaf_pieces **out, sheaf_error *err);
void sheaf_index_close(sheaf_index_file *file);

#endif
