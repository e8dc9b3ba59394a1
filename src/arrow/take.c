/* SPDX-License-Identifier: MIT */
/* Arrow's columns into a frame builder, each by what it becomes (take_schema.c). Nothing is known of the
 * array but what the program says that has made it: numbers of positions, buffers and children are checked
 * before they are used (part.c), offsets where they begin and end. What is between them, the check of the
 * frame finds later. */
#include "arrow/part.h"
#include "base/checked.h"
#include "base/extend.h"
#include <string.h>

/* Takes the nulls of a part as the missing positions of a level. If the column has no such level, or its
 * positions cannot be missing, the first null is refused. */
static sheaf_status take_gaps(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                              sheaf_error *err)
{
	bool may_miss = level < to->field->nlevels && to->levels[level].shape->missing == SHEAF_NULLABLE;
	if (!may_miss) return sheaf_arrow_refuse_nulls(p, err);
	SHEAF_TRY(sheaf_arrow_take_nulls(p, &to->levels[level], err));
	return sheaf_arrow_end_nulls(p, &to->levels[level], err);
}

/* What the positions of a fixed-size list cover, as many positions each as the list is wide. */
static sheaf_status part_of_fixed(const sheaf_arrow_part *p, sheaf_arrow_part *out, sheaf_error *err)
{
	int64_t width = sheaf_arrow_type_of(p->schema).width, from, n;
	SHEAF_TRY(sheaf_arrow_check_part(p, 1, err));
	if (!sheaf_mul_i64(&from, p->at, width) || !sheaf_mul_i64(&n, p->n, width))
		return sheaf_arrow_damaged(p, "positions that 64 bits count, found", p->n, err);
	*out = sheaf_arrow_part_of_child(p, 0, from, n);
	return SHEAF_OK;
}

/* Takes the numbers that the positions of a fixed-size list cover. They may be missing at a level of their
 * own (`level`). */
static sheaf_status take_fixed(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                               sheaf_error *err)
{
	sheaf_arrow_part values;
	SHEAF_TRY(part_of_fixed(p, &values, err));
	SHEAF_TRY(take_gaps(&values, to, level, err));
	return sheaf_arrow_take_values(&values, to, level, err);
}

enum { LISTS, SAMPLES, VALUES }; /* levels of a dense column */

/* Takes a column of dense samples. In Arrow it is lists of numbers, each of which is a sample of one value,
 * or lists of fixed-size lists, each of which is a sample of several. A number that may be missing has a
 * level of its own below its sample. */
static sheaf_status take_dense(const sheaf_arrow_part *p, sheaf_column_builder *to, sheaf_error *err)
{
	sheaf_arrow_part below;
	sheaf_arrow_lookup lookup;
	SHEAF_TRY(take_gaps(p, to, LISTS, err));
	sheaf_status status = sheaf_arrow_take_lists(p, &to->levels[LISTS].offsets, &lookup, &below, err);
	bool is_list = !status && sheaf_arrow_type_of(below.schema).class == SHEAF_IS_FIXED_LIST;
	if (!status) status = take_gaps(&below, to, is_list ? SAMPLES : VALUES, err);
	if (is_list && !status)
		status = take_fixed(&below, to, VALUES, err);
	else if (!status)
		status = sheaf_arrow_take_values(&below, to, VALUES, err);
	bool may_miss = to->field->nlevels > VALUES;
	if (may_miss && !status && !is_list) status = sheaf_arrow_end_nulls(&below, &to->levels[VALUES], err);
	sheaf_builder_drop(&lookup.indices);
	return status;
}

/* Takes a column of sparse samples. In Arrow it is lists of samples, which are lists of entries, which are
 * structs of an index and a value. None of these may be null. */
static sheaf_status take_sparse(const sheaf_arrow_part *p, sheaf_column_builder *to, sheaf_error *err)
{
	sheaf_arrow_below samples, entries;
	SHEAF_TRY(sheaf_arrow_refuse_nulls(p, err));
	SHEAF_TRY(sheaf_arrow_take_offsets(p, &to->levels[0].offsets, &samples, err));
	sheaf_arrow_part sample = sheaf_arrow_part_of_child(p, 0, samples.from, samples.n);
	SHEAF_TRY(sheaf_arrow_refuse_nulls(&sample, err));
	SHEAF_TRY(sheaf_arrow_take_offsets(&sample, &to->levels[1].offsets, &entries, err));
	sheaf_arrow_part entry = sheaf_arrow_part_of_child(&sample, 0, entries.from, entries.n);
	SHEAF_TRY(sheaf_arrow_check_part(&entry, 1, err));
	SHEAF_TRY(sheaf_arrow_refuse_nulls(&entry, err));
	sheaf_arrow_part index = sheaf_arrow_part_of_child(&entry, 0, entry.at, entries.n),
					 value = sheaf_arrow_part_of_child(&entry, 1, entry.at, entries.n);
	SHEAF_TRY(sheaf_arrow_refuse_nulls(&index, err));
	SHEAF_TRY(sheaf_arrow_refuse_nulls(&value, err));
	SHEAF_TRY(sheaf_arrow_take_indices(&index, to->levels[1].shape, &to->levels[1].indices[0], err));
	return sheaf_arrow_take_numbers(&value, &to->values, err);
}

/* Takes items, or lists of them, from a level of the column on. Items that may be missing, and
 * texts, have a level. */
static sheaf_status take_nested(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                                sheaf_error *err)
{
	sheaf_arrow_part below;
	sheaf_arrow_lookup lookup;
	sheaf_arrow_class class = sheaf_arrow_type_of(p->schema).class;
	sheaf_level_builder *gaps = level < to->field->nlevels ? &to->levels[level] : NULL;
	SHEAF_TRY(gaps ? sheaf_arrow_take_nulls(p, gaps, err) : sheaf_arrow_refuse_nulls(p, err));
	if (!p->schema->dictionary && class == SHEAF_IS_FIXED_LIST) {
		SHEAF_TRY(part_of_fixed(p, &below, err));
		SHEAF_TRY(take_nested(&below, to, level + 1, err));
	} else if (!p->schema->dictionary && (class == SHEAF_IS_LIST || class == SHEAF_IS_LIST_VIEW)) {
		sheaf_status status = sheaf_arrow_take_lists(p, &gaps->offsets, &lookup, &below, err);
		if (!status) status = take_nested(&below, to, level + 1, err);
		sheaf_builder_drop(&lookup.indices);
		SHEAF_TRY(status);
	} else {
		SHEAF_TRY(sheaf_arrow_take_values(p, to, level, err));
	}
	return gaps ? sheaf_arrow_end_nulls(p, gaps, err) : SHEAF_OK;
}

/* Takes one column into its builder, by what its type becomes. The column counts as given in whole runs, so
 * its offsets begin empty. A vector in each row is a sequence of one sample, so that the offsets of its lists
 * are 0, 1, 2, ... */
static sheaf_status take_column(const sheaf_arrow_part *p, sheaf_column_builder *to, sheaf_error *err)
{
	sheaf_taking taking;
	SHEAF_TRY(sheaf_arrow_taking(p->schema, &taking, err));
	to->given = true;
	for (int l = 0; l < to->field->nlevels; l++) to->levels[l].offsets.size = 0;
	switch (taking) {
	case SHEAF_TAKE_DENSE: return take_dense(p, to, err);
	case SHEAF_TAKE_VECTOR:
		SHEAF_TRY(take_gaps(p, to, SAMPLES, err));
		for (int64_t i = 0; i <= p->n; i++) sheaf_builder_i64(&to->levels[LISTS].offsets, i);
		SHEAF_TRY(sheaf_builder_status(&to->levels[LISTS].offsets, err));
		return take_fixed(p, to, VALUES, err);
	case SHEAF_TAKE_SPARSE: return take_sparse(p, to, err);
	case SHEAF_TAKE_COMPLEX: SHEAF_TRY(take_gaps(p, to, 0, err)); return take_fixed(p, to, VALUES, err);
	case SHEAF_TAKE_NESTED:
	case SHEAF_TAKE_ITEM: break;
	}
	return take_nested(p, to, 0, err);
}

/* Takes the columns of the children of a struct, the rows or one of their columns, from field *next on. They
 * come in the order of the fields; those that were left out have no field of their name. */
static sheaf_status take_columns(const sheaf_arrow_part *above, const char *prefix, sheaf_frame_builder *b,
                                 int *next, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder name = {.cx = b->cx};
	for (int64_t i = 0; i < above->schema->n_children && *next < b->schema->nfields; i++) {
		sheaf_arrow_part column = sheaf_arrow_part_of_child(above, (int)i, above->at, above->n);
		column.above = *prefix ? above : NULL;
		name.size = 0;
		sheaf_builder_printf(&name, "%s%s", prefix, column.schema->name ? column.schema->name : "");
		bool is_struct = sheaf_arrow_is_struct(column.schema);
		if (is_struct) sheaf_builder_byte(&name, '.');
		sheaf_builder_byte(&name, '\0');
		SHEAF_TRY(sheaf_builder_status(&name, err));
		if (is_struct) {
			SHEAF_TRY(sheaf_arrow_check_part(&column, 1, err));
			SHEAF_TRY(take_columns(&column, (const char *)name.data, b, next, err));
			continue;
		}
		const char *field = b->schema->fields[*next].name;
		bool is_there = strcmp(field, (const char *)name.data) == 0;
		if (!is_there || sheaf_arrow_is_left_out(column.schema)) continue;
		column.name = field;
		SHEAF_TRY(take_column(&column, &b->columns[(*next)++], err));
	}
	return SHEAF_OK;
}

/* Rows themselves must not be null: only their items can be. */
sheaf_status sheaf_arrow_take(sheaf_arrow_taken *taken, const struct ArrowSchema *rows,
                              sheaf_frame_builder *b, sheaf_error *err)
{
	int next = 0;
	sheaf_arrow_part all = sheaf_arrow_part_of_rows(taken, rows, b);
	SHEAF_TRY(sheaf_arrow_check_part(&all, 1, err));
	SHEAF_TRY(sheaf_arrow_refuse_nulls(&all, err));
	SHEAF_TRY(take_columns(&all, "", b, &next, err));
	sheaf_build_rows(b, all.n);
	return SHEAF_OK;
}
