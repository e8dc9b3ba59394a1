/* SPDX-License-Identifier: MIT */
/* Splitting files into parts, and merging parts into one file. */
#ifndef SHEAF_SPLIT_H
#define SHEAF_SPLIT_H

#include <sheaf/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sheaf_split_options {
	size_t size;                    /* sizeof(sheaf_split_options) */
	const sheaf_open_options *open; /* how inputs are opened; NULL: all defaults */
	bool force; /* existing outputs are replaced; else they are refused, as in sheaf_create_options */
	/* "0.9,0.1": each row goes to a part that is drawn with these probabilities, which add up to 1, by its
	 * sheaf_row_hash: rows whose hash is below 0.9 of 2^64 to the first. NULL: parts are of equal length, in
	 * order */
	const char *fractions;
	uint64_t seed; /* of what is drawn */
} sheaf_split_options;

/* Distributes the rows of a file over n files, whose numbers of rows differ by at most one. The rows of a
 * tensor are its slices here: positions along its first dimension, which each part counts from 0. options
 * NULL: all defaults. rows[i] becomes the number of rows, or entries of a tensor, in output i; may be NULL.
 *
 * If files of the format consist of rows only (SHEAF_CAN_SPLIT), and nothing is drawn, rows are copied as
 * they are: their values are not checked, but their ends are: DATA or SHORT if the last row is not whole.
 * Otherwise rows are read and written again, in the format that the suffix of the first output names, or the
 * input's. On failure no output that is a file is changed. Outputs that are files in one folder are replaced
 * together: if the process is killed meanwhile, the next sink that is opened in that folder finishes the set,
 * with a WARNING. */
SHEAF_API SHEAF_USE sheaf_status sheaf_split(const char *input, const char *const *outputs, int n,
                                             const sheaf_split_options *options, sheaf_context *cx,
                                             int64_t *rows, sheaf_error *err);

/* If the inputs are part files (sheaf_convert_options.part): makes the output of the conversion from all of
 * its parts, named in any order, with the same bytes as without parts. The options are those of the parts;
 * findings in the parts are reported here again, in order, and counted together, so the context's max_errors
 * applies to the whole. USAGE or DATA, with the name, if a part is missing, given twice, damaged, or made
 * from other inputs or with other options.
 *
 * Otherwise: copies the rows of n files, one file after the other, to one file: as they are in the formats in
 * which sheaf_split copies them, so that its parts become the same bytes again, and in other formats by
 * sheaf_convert, which lets the slices of each tensor follow those of the one before. *rows becomes the
 * number of rows, or -1 if they were converted; may be NULL. Copied inputs are read only once, so they may be
 * pipes. */
SHEAF_API SHEAF_USE sheaf_status sheaf_merge(const char *const *inputs, int n, const char *output,
                                             const sheaf_split_options *options, sheaf_context *cx,
                                             int64_t *rows, sheaf_error *err);

typedef struct sheaf_gathering_options {
	size_t size;        /* sizeof(sheaf_gathering_options) */
	const char *output; /* a path */
	bool force;         /* as in sheaf_split_options */
	/* If bytes of a part go into a plain file unchanged, they are left out, and the process that has them
	 * writes them: `size` bytes of sources[part], from byte `from` on, to byte `to` of the output. NULL: they
	 * are copied. */
	void (*leave_out)(void *user, int part, int64_t from, int64_t to, int64_t size);
	/* Called before the output is renamed, if bytes were left out: these must now be in the file `path`,
	 * which still has a temporary name, and on the disk. */
	sheaf_status (*fill)(void *user, const char *path, sheaf_error *err);
	void *user;
	/* NULL, or a sink that was opened for `output`, to which nothing was written: it is used instead of a new
	 * one, and closed, also on failure but USAGE; its context may be another one, which outlives the call.
	 * Others may have written bytes of parts into its temporary file before (sheaf_sink_temporary,
	 * sheaf_convert_options.place_part); leave_out is called for these, too. */
	sheaf_sink *output_sink;
} sheaf_gathering_options;

/* sheaf_merge of the parts of a conversion, in whatever order and wherever they are, such as in the memory of
 * other processes (sheaf_source_ranges). The sources are closed, also on failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_merge_sources(sheaf_source *const *sources, int n,
                                                     const sheaf_gathering_options *options,
                                                     sheaf_context *cx, int64_t *rows, sheaf_error *err);

/* ---- entries sorted by several processes ---- */

/* If a conversion changes the order of a tensor's entries (for example, to store a matrix by rows), its parts
 * are sorted entries, and a single merging process must handle all of them. Processes that can send each
 * other bytes can share that work. Each opens its part as a slice. Together they choose keys that divide all
 * entries evenly, one key fewer than there are processes, and send each other entries: those below the first
 * key go to the first process, and so on. Each process then makes a part of encoded entries from what it has
 * received; sheaf_merge_sources makes the same output from these parts. One thread at a time may use a slice.
 */
typedef struct sheaf_slice sheaf_slice;

/* *out is NULL if the part does not hold sorted entries, or if a single process must make the output; this is
 * then so for all parts, and they are merged as they are. `output`: the path of the output. The slice takes
 * the source over, also on failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_slice_open(sheaf_source *part, const char *output, sheaf_context *cx,
                                                  sheaf_slice **out, sheaf_error *err);
SHEAF_API void sheaf_slice_close(sheaf_slice *slice);

/* The place of the sorted entries in a part. They follow one another, each with its key and its value. */
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
/* Takes the entries that came from n parts, in their order: counts[i] entries of part i, whose bytes follow
 * one another in the source, which the slice takes over, also on failure. Call it once. *rows becomes the
 * number of entries that the output has from these: fewer if entries of the same position are combined. */
SHEAF_API SHEAF_USE sheaf_status sheaf_slice_take(sheaf_slice *slice, sheaf_source *entries,
                                                  const int64_t *counts, int n, int64_t *rows,
                                                  sheaf_error *err);
/* After sheaf_slice_take: writes the part to the sink, and commits it. `row`: the number of rows in all
 * slices before this one; `rows`: in all slices. The slice takes the sink over, also on failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_slice_make(sheaf_slice *slice, int64_t row, int64_t rows,
                                                  sheaf_sink *sink, sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
