/* SPDX-License-Identifier: MIT */
/* A tensor as one row: a chain of levels, whose buffers are views of the file if it has them in that form.
 * Nothing is expanded, so a CSR matrix stays one: its pointers are the offsets of a level, its column numbers
 * the indices. What is asked for by `depth` is checked where it is read. */
#include "base/buffer.h"
#include "sparse/sparse.h"

/* A dense level becomes a FIXED one, a sparse level a COORD one whose extent is the largest of those of its
 * dimensions, with indices of 64 bits if 32 do not hold it. The schema of entries is replaced only if all of
 * the new one could be made. */
sheaf_status sheaf_sparse_make_whole(const sheaf_sparse *s, sheaf_schema *schema, sheaf_error *err)
{
	sheaf_level_shape levels[SHEAF_MAX_RANK];
	sheaf_schema whole = {.cx = schema->cx};
	const sheaf_field *value = &schema->fields[s->levels.rank];
	for (int l = 0, k = 0; l < s->levels.nlevels; l++) {
		int end = k + s->levels.levels[l].rank;
		levels[l] = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = sheaf_sparse_extent(s, k)};
		if (s->levels.levels[l].is_sparse)
			levels[l] = (sheaf_level_shape){.kind = SHEAF_COORD, .rank = end - k, .index_type = SHEAF_I32};
		for (; k < end; k++) {
			int64_t extent = sheaf_sparse_extent(s, k);
			if (extent > levels[l].extent) levels[l].extent = extent;
			if (extent > INT32_MAX && levels[l].kind == SHEAF_COORD) levels[l].index_type = SHEAF_I64;
		}
	}
	sheaf_status status = sheaf_schema_add_levels(&whole, &schema->tensor, levels, s->levels.nlevels,
	                                              value->meaning, value->type, err);
	sheaf_schema_free(status ? &whole : schema);
	if (!status) *schema = whole;
	return status;
}

/* Reads one sparse level into the row, and checks it: its pointers become the offsets, its indices the
 * indices. A builder of offsets begins with a 0, which gives way to stored pointers. Where none are stored,
 * as in the first level, everything below belongs to the single position above, so each offset is the end. */
static sheaf_status put_level(sheaf_level_run *run, sheaf_depth depth, sheaf_level_builder *level)
{
	const sheaf_sparse *s = run->s;
	const sheaf_stored_array *pointers = &s->pointers[run->l];
	int k = sheaf_levels_depth(&s->levels, run->l);
	sheaf_type types[SHEAF_MAX_RANK];
	const void *indices[SHEAF_MAX_RANK] = {NULL};
	if (run->l > 0 && (pointers->at || pointers->held.data)) {
		level->offsets.size = 0;
		SHEAF_TRY(sheaf_stored_read(s, pointers, (sheaf_run){0, run->above.end + 1}, SHEAF_I64,
		                            &level->offsets, run->err));
	} else {
		for (int64_t p = 0; p < run->above.end; p++) sheaf_level_end(level, run->below.end);
		SHEAF_TRY(sheaf_builder_status(&level->offsets, run->err));
	}
	for (int r = 0; r < level->shape->rank; r++) {
		types[r] = level->shape->index_type;
		SHEAF_TRY(
			sheaf_stored_read(s, &s->indices[k + r], run->below, types[r], &level->indices[r], run->err));
		indices[r] = level->indices[r].data;
	}
	if (run->l > 0) run->pointers = sheaf_i64s(level->offsets.data);
	if (run->l > 0 && depth >= SHEAF_CHECK_OFFSETS && s->is_strict)
		SHEAF_TRY(sheaf_level_check_pointers(run));
	return depth >= SHEAF_CHECK_FULL ? sheaf_level_check_indices(run, indices, types) : SHEAF_OK;
}

sheaf_status sheaf_sparse_put_whole(const sheaf_sparse *s, sheaf_depth depth, sheaf_column_builder *to,
                                    bool *broken, sheaf_error *err)
{
	sheaf_level_run run = {.s = s, .cx = to->values.cx, .err = err};
	for (int l = 0; l < s->levels.nlevels; l++) {
		if (!s->levels.levels[l].is_sparse) continue;
		run.l = l;
		run.above = (sheaf_run){0, s->counts[l]};
		run.below = (sheaf_run){0, s->counts[l + 1]};
		run.pointers = NULL;
		SHEAF_TRY(put_level(&run, depth, &to->levels[l]));
	}
	*broken = run.is_broken;
	return SHEAF_OK;
}
