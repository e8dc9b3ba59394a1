/* SPDX-License-Identifier: MIT */
/* Arrays of a box as arrays of sparse tensors, for the formats whose files are boxes. */
#ifndef SHEAF_CONTAINER_STORED_H
#define SHEAF_CONTAINER_STORED_H

#include "container/box.h"
#include "sparse/sparse.h"

/* Opens a source that is supposed to be a box: anything else is DATA. */
SHEAF_USE sheaf_status sheaf_box_open_known(sheaf_source *source, sheaf_context *cx, sheaf_box **out,
                                            sheaf_error *err);
/* The array, under its own name; NULL: there is none. */
void sheaf_box_store(sheaf_stored_array *array, const sheaf_box_item *item);
/* Reads such arrays of a tensor that is `from` a box. */
SHEAF_USE sheaf_status sheaf_box_read_stored(const sheaf_sparse *sparse, const sheaf_stored_array *array,
                                             sheaf_run run, sheaf_type type, sheaf_builder *to,
                                             sheaf_error *err);

#endif
