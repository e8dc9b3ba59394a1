/* SPDX-License-Identifier: MIT */
/* The lengths of sequences that were padded, in a file beside the output, of its format: "x.lengths.npz"
 * beside "x.npz". */
#ifndef SHEAF_JOB_LENGTHS_H
#define SHEAF_JOB_LENGTHS_H

#include <sheaf/dataset.h>

/* The output beside which they are. */
typedef struct sheaf_lengths_output {
	const char *output, *format;
	bool replaces; /* whether it exists */
} sheaf_lengths_output;

/* USAGE if no such file can be made, or if one exists that must not be replaced. */
SHEAF_USE sheaf_status sheaf_check_lengths(const char *output, bool replaces, sheaf_error *err);
/* Finishes the writer of the output, and writes an int64 for each sequence: either both files appear, or none
 * does. */
SHEAF_USE sheaf_status sheaf_finish_with_lengths(sheaf_writer *writer, const sheaf_lengths_output *to,
                                                 const sheaf_buffer *lengths, sheaf_context *cx,
                                                 sheaf_error *err);

#endif
