/* SPDX-License-Identifier: MIT */
/* Arrays of a box as arrays of sparse tensors: src/sparse knows arrays by a name, a count and a function that
 * reads a run of them, and nothing of boxes. */
#include "container/stored.h"
#include "base/status.h"
#include <stdio.h>

/* Whoever calls this knows from the name, or from another file, that it is a box: then anything else is
 * damage. */
sheaf_status sheaf_box_open_known(sheaf_source *source, sheaf_context *cx, sheaf_box **out, sheaf_error *err)
{
	sheaf_error failure = {0};
	sheaf_status status = sheaf_box_open(source, cx, out, &failure);
	if (!status) return SHEAF_OK;
	if (failure.status == SHEAF_UNKNOWN) failure.status = SHEAF_DATA;
	return sheaf_fail_again(err, &failure);
}

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
