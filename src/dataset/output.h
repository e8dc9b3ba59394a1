/* SPDX-License-Identifier: MIT */
/* An output of a format: its memory, and the head that all outputs have. */
#ifndef SHEAF_DATASET_OUTPUT_H
#define SHEAF_DATASET_OUTPUT_H

#include "format/format.h"

/* On success the output takes over the sink. The schema belongs to the caller, and must stay. */
SHEAF_USE sheaf_status sheaf_output_create(const sheaf_writing *write, const sheaf_output *head,
                                           const sheaf_facts *totals, const sheaf_values *values,
                                           sheaf_output **created, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_output_append(const sheaf_writing *write, sheaf_output *out,
                                           const sheaf_blob *blob, sheaf_error *err);
/* Both free it. *sink (NULL: it is committed) gets the sink, which the caller commits. */
SHEAF_USE sheaf_status sheaf_output_finish(const sheaf_writing *write, sheaf_output *out, sheaf_sink **sink,
                                           sheaf_error *err);
void sheaf_output_abandon(const sheaf_writing *write, sheaf_output *out);

#endif
