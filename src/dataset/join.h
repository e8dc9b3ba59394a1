/* SPDX-License-Identifier: MIT */
/* A chunk of an output, joined from blobs of some of its rows, so that it is never there twice: as rows and
 * as bytes. */
#ifndef SHEAF_DATASET_JOIN_H
#define SHEAF_DATASET_JOIN_H

#include "format/format.h"

/* Takes over the blob's bytes. */
SHEAF_USE sheaf_status sheaf_join(sheaf_output *out, sheaf_blob *blob, sheaf_error *err);
/* Rows and samples of all blobs, and no bytes. */
sheaf_blob sheaf_joining_total(const sheaf_output *out);
/* Segment s of n of blob i. */
sheaf_bytes sheaf_joining_segment(const sheaf_output *out, int64_t i, int s, int n);
void sheaf_drop_joining(sheaf_output *out);

#endif
