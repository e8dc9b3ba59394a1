/* SPDX-License-Identifier: MIT */
/* Files in parts, and parts in one file again. */
#ifndef SHEAF_SPLIT_H
#define SHEAF_SPLIT_H

#include <sheaf/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sheaf_split_options {
	size_t size;                    /* sizeof(sheaf_split_options) */
	const sheaf_open_options *open; /* how inputs are opened; NULL: all defaults */
	bool force; /* outputs that are there are replaced; else they are refused, as in sheaf_create_options */
	/* "0.9,0.1": each row goes to a part that is drawn with these probabilities, which add up to 1, by its
	 * sheaf_row_hash: rows whose hash is below 0.9 of 2^64 to the first. NULL: parts are of equal length, in
	 * order */
	const char *fractions;
	uint64_t seed; /* of what is drawn */
} sheaf_split_options;

/* Shares the rows of a file out among n files: to each as many as to the others, or one less. A tensor's
 * slices are its rows here: positions along its first dimension, which each part counts from 0. options NULL:
 * all defaults. rows[i] becomes how many rows the i-th has got, or entries of a tensor; NULL: nobody asks.
 *
 * Where a file of the format is its rows and nothing else (SHEAF_CAN_SPLIT), and nothing is drawn, rows are
 * copied as they stand: what they hold is not looked at, but where they end is: DATA or SHORT where the last
 * one is not whole. Otherwise they are read and written anew, in the format that the suffix of the first
 * output names, or the input's. On failure no output is changed that is a file. Outputs that are files in one
 * folder are replaced together: where the process is killed while it does so, the next sink that is opened in
 * that folder finishes the set, with a WARNING. */
SHEAF_API SHEAF_USE sheaf_status sheaf_split(const char *input, const char *const *outputs, int n,
                                             const sheaf_split_options *options, sheaf_context *cx,
                                             int64_t *rows, sheaf_error *err);

/* Where the inputs are part files (sheaf_convert_options.part): makes the output of the conversion of all of
 * its parts, in whatever order they are named, and the same bytes as without parts. Its options are those of
 * the parts; what was found in them is reported here again, in order, and counted together, so the context
 * tolerates as many errors as one for the whole. USAGE or DATA, by name, where a part is missing, there
 * twice, damaged, of other inputs or made with other options.
 *
 * Else: copies the rows of n files, one file after the other, to one: as they stand where sheaf_split does
 * so, and parts that it has made become the same bytes again; otherwise by sheaf_convert. *rows becomes how
 * many there are, -1 where they were converted; NULL: nobody asks. Nothing is read twice that is copied, so
 * any input may be a pipe then. */
SHEAF_API SHEAF_USE sheaf_status sheaf_merge(const char *const *inputs, int n, const char *output,
                                             const sheaf_split_options *options, sheaf_context *cx,
                                             int64_t *rows, sheaf_error *err);

typedef struct sheaf_gathering_options {
	size_t size;        /* sizeof(sheaf_gathering_options) */
	const char *output; /* a path */
	bool force;         /* as in sheaf_split_options */
	/* Where bytes of a part go into a plain file as they are, they are left out of it, and who has them
	 * writes them there: `size` bytes from byte `from` of sources[part] on, at byte `to` of the output. NULL:
	 * they are copied. */
	void (*leave_out)(void *user, int part, int64_t from, int64_t to, int64_t size);
	/* Before the output takes its place: what was left out has to be in the file `path`, which has the name
	 * of a temporary still, and on the disk. Only where something was left out. */
	sheaf_status (*fill)(void *user, const char *path, sheaf_error *err);
	void *user;
} sheaf_gathering_options;

/* sheaf_merge of the parts of a conversion, in whatever order and wherever they are, such as in the memory of
 * other processes (sheaf_source_ranges). The sources are gone afterwards, whatever comes out. */
SHEAF_API SHEAF_USE sheaf_status sheaf_merge_sources(sheaf_source *const *sources, int n,
                                                     const sheaf_gathering_options *options,
                                                     sheaf_context *cx, int64_t *rows, sheaf_error *err);

/* ---- entries sorted by several processes ---- */

/* Where a conversion brings the entries of a tensor into another order (a matrix that is to be stored by rows
 * and was not), its parts are sorted entries, and who merges them has all of them go through its hands.
 * Processes that can send each other bytes do that together. Each opens its part as a slice; they choose keys
 * that divide the entries of all evenly, one less than they are, and send each other entries: those below the
 * first key to the first process, and so on. Each then makes a part again of what it has got, of entries that
 * are encoded; sheaf_merge_sources makes the same output of these. A slice is used by one thread. */
typedef struct sheaf_slice sheaf_slice;

/* *out is NULL where the part holds anything else than sorted entries, or one process has to make the output;
 * then all parts do, and are merged as they are. `output`: the path of the output. The source is the slice's
 * from now on, also on failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_slice_open(sheaf_source *part, const char *output, sheaf_context *cx,
                                                  sheaf_slice **out, sheaf_error *err);
SHEAF_API void sheaf_slice_close(sheaf_slice *slice);

/* The sorted entries of a part: where they stand in it, one after the other, each its key and its value. */
typedef struct sheaf_slice_entries {
	int64_t entries; /* how many */
	int64_t begin;   /* byte of the part at which the first one begins */
	int64_t bytes;   /* of an entry */
	int key_words; /* of a key: numbers of 64 bits, of which the first counts most; at most SHEAF_MAX_RANK */
} sheaf_slice_entries;
SHEAF_API void sheaf_slice_describe(const sheaf_slice *slice, sheaf_slice_entries *out);
/* The key of an entry, 0 <= entry < entries. */
SHEAF_API SHEAF_USE sheaf_status sheaf_slice_key(sheaf_slice *slice, int64_t entry,
                                                 uint64_t key[SHEAF_MAX_RANK], sheaf_error *err);
/* How many entries have a key below this one. */
SHEAF_API SHEAF_USE sheaf_status sheaf_slice_find(sheaf_slice *slice, const uint64_t *key, int64_t *out,
                                                  sheaf_error *err);
/* What came from n parts, in their order: counts[i] entries of the i-th, the bytes of all of them one after
 * the other in the source, which is the slice's from now on, also on failure. Once. *rows becomes how many
 * entries the output has of these: fewer where several have one position and become one. */
SHEAF_API SHEAF_USE sheaf_status sheaf_slice_take(sheaf_slice *slice, sheaf_source *entries,
                                                  const int64_t *counts, int n, int64_t *rows,
                                                  sheaf_error *err);
/* After that: writes the part to the sink, and commits it. `row`: the rows of all slices before this one;
 * `rows`: those of all. The sink is the slice's from now on, also on failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_slice_make(sheaf_slice *slice, int64_t row, int64_t rows,
                                                  sheaf_sink *sink, sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
