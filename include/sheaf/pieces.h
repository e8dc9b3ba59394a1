/* SPDX-License-Identifier: MIT */
/* The table of pieces of a dataset: the places of runs of whole rows that can be read without reading what is
 * before them, and the length of each row. Minibatches, and everything else that needs rows in another order
 * than the file's, are built on it. */
#ifndef SHEAF_PIECES_H
#define SHEAF_PIECES_H

#include <sheaf/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Never changes once made: any number of threads may use it at the same time. */
typedef struct sheaf_pieces sheaf_pieces;

typedef struct sheaf_piece_entry {
	int64_t byte, size;   /* in the decompressed input */
	int64_t line, column; /* of its first byte, from 1; -1 in binary formats */
	int64_t chunk;        /* -1 in formats without chunks */
	int64_t row, rows;    /* number of its first row, and how many it has */
	int64_t samples;      /* sum of the lengths of its rows */
	uint64_t hash;        /* of its bytes as they were when it was found; 0 if no index was requested */
} sheaf_piece_entry;

/* The table of a dataset, made by the first call, which must come before sheaf_next: the chunks of a format
 * that has chunks; else pieces of sheaf_open_options.piece_bytes (0: 2 MiB), found in one pass that counts
 * lines and ids but reads no values where the format can do so, and decodes everything where it cannot.
 * Errors in the rows are reported only when the rows are read. The same input, settings and piece size give
 * the same table. If the source is not a plain file, it must be seekable (SHEAF_RANDOM). *out is
 * borrowed and valid until sheaf_close. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_pieces(sheaf_dataset *dataset, const sheaf_pieces **out,
                                                      sheaf_error *err);

SHEAF_API int64_t sheaf_pieces_count(const sheaf_pieces *pieces);
/* 0 <= i < sheaf_pieces_count; zeros and -1 for others. */
SHEAF_API void sheaf_pieces_at(const sheaf_pieces *pieces, int64_t i, sheaf_piece_entry *out);

/* What one part of a job has (sheaf_part_options). */
typedef struct sheaf_part_share {
	int64_t pieces, bytes, rows;
} sheaf_part_share;

/* Distributes the pieces of a dataset over n parts, at most 2^20, as conversions in parts do: out[i] becomes
 * the share of part i + 1. (If the output has chunks of a given size, the borders are at chunks instead.)
 * Uses an index, or one pass that counts, under the conditions of sheaf_dataset_pieces. UNSUPPORTED, with the
 * reason, if the first part would have all rows. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_shares(sheaf_dataset *dataset, int n, sheaf_part_share *out,
                                                      sheaf_error *err);

/* Decodes piece i, 0 <= i < sheaf_pieces_count, into *frame, which is zeros or an earlier frame whose buffers
 * are reused; free it with sheaf_frame_free. Any thread may call it, several at once and beside sheaf_next,
 * each with a frame of its own, after sheaf_dataset_pieces. Memory and findings belong to `cx`, except for
 * findings that concern the whole input. DATA if the piece does not have the rows in the table: the input was
 * changed meanwhile. STALE if the table comes from an index that does not agree with the piece. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_read_piece(const sheaf_dataset *dataset, int64_t i,
                                                          sheaf_frame *frame, sheaf_context *cx,
                                                          sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
