/* SPDX-License-Identifier: MIT */
/* Arrays of a box as arrays of sparse tensors. */
#include "container/stored.h"
#include <stdio.h>

void sheaf_box_store(sheaf_stored_array *array, const sheaf_box_item *item)
{
	if (item) snprintf(array->name, sizeof array->name, "%s", item->name);
	array->at = item;
	array->count = item ? item->count : 0;
	array->chunk = item ? item->chunk : 0;
	array->is_unsigned = item && item->type == SHEAF_U64;
}

sheaf_status sheaf_box_read_stored(const sheaf_sparse *sparse, const sheaf_stored_array *array, sheaf_run run,
                                   sheaf_type type, sheaf_builder *to, sheaf_error *err)
{
	sheaf_box_run of = {(const sheaf_box_item *)array->at, run.begin, run.end};
	return sheaf_box_read_indices((sheaf_box *)sparse->from, of, type, to, err);
}
