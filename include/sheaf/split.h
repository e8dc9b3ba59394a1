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

#ifdef __cplusplus
}
#endif
#endif
