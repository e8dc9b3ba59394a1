/* SPDX-License-Identifier: MIT */
/* Index files: what docs/index-file.md describes, written and read. Only one of this user's or of the
 * input's owner is read, and nothing in it is trusted before its hash has been compared, nor much then:
 * whoever may write there can write a file with right hashes. */
#ifndef SHEAF_INDEX_INDEX_FILE_H
#define SHEAF_INDEX_INDEX_FILE_H

#include "index/pieces.h"
#include "io/identity.h"

#define SHEAF_INDEX_SUFFIX ".sheaf-index"

enum { SHEAF_INDEX_WITNESSES = 16 };

/* What stands before the tables: enough to know whether they are wanted. */
typedef struct sheaf_index_head {
	sheaf_identity input;
	int64_t piece_bytes; /* 0: chunks of the format */
	int64_t count, rows, samples;
	bool inferred; /* the schema was found by reading all of the input */
	sheaf_schema schema;
	int64_t witnesses[SHEAF_INDEX_WITNESSES]; /* of an inferred one, as the format gave them */
	int nwitnesses;
	char *counting; /* what decides which rows there are and how long */
	char *settings; /* the format and all its settings for reading */
} sheaf_index_head;

typedef struct sheaf_index_file {
	sheaf_context *cx;
	sheaf_source *source;
	sheaf_index_head head;
	int64_t size, input;                      /* bytes of it, and of what it is of */
	int64_t entries, blocks, bits, bits_size; /* where the tables are */
	uint64_t entries_hash, blocks_hash;
	int64_t counts, counts_size;
	uint64_t counts_hash;
} sheaf_index_file;

/* Writes `path` whole, or leaves it as it was. */
SHEAF_USE sheaf_status sheaf_index_write(const char *path, const sheaf_source *input,
                                         const sheaf_index_head *head, const sheaf_pieces *pieces,
                                         sheaf_context *cx, sheaf_error *err);
/* Reads the head. Fails with what is wrong: UNKNOWN where there is no such file, or it is something else or
 * somebody else's, UNSUPPORTED where it is of another version, DATA or SHORT where it is damaged. On failure
 * *out is reset. */
SHEAF_USE sheaf_status sheaf_index_open(const char *path, const sheaf_source *input, sheaf_context *cx,
                                        sheaf_index_file *out, sheaf_error *err);
/* The tables. Entries are checked at once, lengths block by block when they are asked for. */
SHEAF_USE sheaf_status sheaf_index_pieces(sheaf_index_file *file, sheaf_pieces **out, sheaf_error *err);
void sheaf_index_close(sheaf_index_file *file);
void sheaf_index_head_free(sheaf_index_head *head, sheaf_context *cx);

#endif
