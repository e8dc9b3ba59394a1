/* SPDX-License-Identifier: MIT */
/* Columns restored to what they were before they became Arrow's. A file of ours says which schema its rows
 * had; if the plan of that schema makes the very fields that the file has, the plan says of each of Arrow's
 * arrays what it was, and nothing has to be guessed: imputed positions, codes, offsets of times and keys come
 * back. */
#include "arrow/restore.h"
#include "arrow/part.h"
#include "base/checked.h"
#include <inttypes.h>
#include <string.h>

/* ---- checking the schema ---- */

/* Whether two fields are the same, with all below them. */
static bool are_alike(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
	const int64_t nullable = ARROW_FLAG_NULLABLE;
	bool alike = strcmp(a->format, b->format) == 0 && strcmp(a->name, b->name) == 0 && !a->dictionary &&
	             (a->flags & nullable) == (b->flags & nullable) && a->n_children == b->n_children;
	for (int64_t i = 0; alike && i < a->n_children; i++) alike = are_alike(a->children[i], b->children[i]);
	return alike;
}

/* Compares the fields with a schema that is made from the plan for this purpose. A column of another name is
 * decisive; if all names are right, a difference in types is. */
sheaf_status sheaf_arrow_is_of_plan(const sheaf_arrow_plan *plan, const struct ArrowSchema *rows,
                                    sheaf_arrow_likeness *out, sheaf_error *err)
{
	struct ArrowSchema made;
	SHEAF_TRY(sheaf_arrow_export_schema(plan, &made, err));
	*out = rows->n_children == made.n_children ? SHEAF_ARROW_ALIKE : SHEAF_ARROW_OTHER_COLUMNS;
	for (int64_t i = 0; *out && i < rows->n_children; i++) {
		if (strcmp(rows->children[i]->name, made.children[i]->name) != 0)
			*out = SHEAF_ARROW_OTHER_COLUMNS;
		else if (!are_alike(rows->children[i], made.children[i]))
			*out = SHEAF_ARROW_OTHER_TYPES;
	}
	made.release(&made);
	return SHEAF_OK;
}

/* ---- fields beside a column ---- */

/* Gives times with a zone back their offset from UTC. The column is there already, as pairs of a time in UTC
 * and the offset 0. Each offset, in seconds, goes into its pair, and is added to the time, which is a local
 * one in ours and counts parts of a second as the field's digits say. */
static sheaf_status restore_zones(const sheaf_arrow_part *p, sheaf_column_builder *to, sheaf_error *err)
{
	int64_t *pairs = (int64_t *)(void *)to->values.data;
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	if (to->values.size / sizeof *pairs / 2 != (uint64_t)p->n)
		return sheaf_arrow_damaged(p, "an offset for each time, found", p->n, err);
	for (int64_t i = 0; i < p->n; i++) {
		int32_t ahead;
		memcpy(&ahead, (const char *)p->array->buffers[1] + sizeof ahead * (size_t)(p->at + i), sizeof ahead);
		int64_t parts_ahead = ahead;
		for (int d = to->field->digits; d > 0; d--) parts_ahead *= 10; /* nine digits of 32 bits fit */
		if (!sheaf_add_i64(&pairs[2 * i], pairs[2 * i], parts_ahead))
			return sheaf_arrow_damaged(p, "times that 64 bits hold, found a larger one, ahead of UTC by",
			                           ahead, err);
		pairs[2 * i + 1] = ahead;
	}
	return SHEAF_OK;
}

/* ---- columns ---- */

/* Restores what a node of the plan was, with all below it, from the part of Arrow's array that belongs to it.
 * In a field beside a column, only what is at its end is taken. */
static sheaf_status restore_node(const sheaf_arrow_node *node, const sheaf_arrow_part *p,
                                 sheaf_column_builder *to, sheaf_error *err);

/* Restores what stands beside a column at the level where the field ends: offsets of its times, a truth value
 * for each position that says whether it is imputed, or a code for each. An imputed position has a bit of 0,
 * as a missing one has. Codes that are all 0 say nothing, and are left out. */
static sheaf_status restore_beside(const sheaf_arrow_node *node, const sheaf_arrow_part *p,
                                   sheaf_column_builder *to, sheaf_error *err)
{
	bool any = false;
	sheaf_level_builder *level = &to->levels[node->stop];
	if (node->kind == SHEAF_ARROW_ZONES) return restore_zones(p, to, err); /* missing if its time is */
	SHEAF_TRY(sheaf_arrow_refuse_nulls(p, err));
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	if (node->kind == SHEAF_ARROW_IMPUTED) {
		const uint8_t *bits = (const uint8_t *)p->array->buffers[1];
		for (int64_t i = 0; i < p->n; i++)
			if (bits[(p->at + i) / 8] >> ((p->at + i) % 8) & 1) sheaf_level_miss(level, i, 0);
		return sheaf_arrow_end_nulls(p, level, err);
	}
	const int8_t *codes = (const int8_t *)p->array->buffers[1] + p->at;
	for (int64_t i = 0; i < p->n; i++) any |= codes[i] != 0;
	sheaf_builder_drop(level->codes);
	if (any) sheaf_builder_append(level->codes, codes, (size_t)p->n);
	return sheaf_builder_status(level->codes, err);
}

/* Restores a list level. A list of the column itself has the level's offsets; one in a field beside it leads
 * to the same positions, and its offsets are read only to pass them. */
static sheaf_status restore_list(const sheaf_arrow_node *node, const sheaf_arrow_part *p,
                                 sheaf_column_builder *to, sheaf_error *err)
{
	sheaf_arrow_below below;
	sheaf_builder beside = {.cx = p->b->cx};
	bool main = node->leaf == SHEAF_ARROW_VALUES;
	sheaf_builder *offsets = main ? &to->levels[node->level].offsets : &beside;
	sheaf_status status = sheaf_arrow_take_offsets(p, offsets, &below, err);
	sheaf_builder_drop(&beside);
	SHEAF_TRY(status);
	sheaf_arrow_node child = sheaf_arrow_child(node, 0);
	sheaf_arrow_part part = sheaf_arrow_part_of_child(p, 0, below.from, below.n);
	return restore_node(&child, &part, to, err);
}

/* Restores a FIXED level, which has no buffers of its own: each position covers as many below it as the
 * extent says. */
static sheaf_status restore_fixed(const sheaf_arrow_node *node, const sheaf_arrow_part *p,
                                  sheaf_column_builder *to, sheaf_error *err)
{
	int64_t width = node->field->levels[node->level].extent, from, n;
	SHEAF_TRY(sheaf_arrow_check_part(p, 1, err));
	if (!sheaf_mul_i64(&from, p->at, width) || !sheaf_mul_i64(&n, p->n, width))
		return sheaf_arrow_damaged(p, "positions that 64 bits count, found", p->n, err);
	sheaf_arrow_node child = sheaf_arrow_child(node, 0);
	sheaf_arrow_part part = sheaf_arrow_part_of_child(p, 0, from, n);
	return restore_node(&child, &part, to, err);
}

/* Restores the entries of a COORD level: a struct of the indices of each, and of what it covers. */
static sheaf_status restore_entries(const sheaf_arrow_node *node, const sheaf_arrow_part *p,
                                    sheaf_column_builder *to, sheaf_error *err)
{
	sheaf_level_builder *level = &to->levels[node->level];
	SHEAF_TRY(sheaf_arrow_check_part(p, 1, err));
	SHEAF_TRY(sheaf_arrow_refuse_nulls(p, err));
	for (int i = 0; i < sheaf_arrow_children(node); i++) {
		sheaf_arrow_node child = sheaf_arrow_child(node, i);
		sheaf_arrow_part part = sheaf_arrow_part_of_child(p, i, p->at, p->n);
		if (child.kind == SHEAF_ARROW_INDEX)
			SHEAF_TRY(sheaf_arrow_take_numbers(&part, &level->indices[i], err));
		else
			SHEAF_TRY(restore_node(&child, &part, to, err));
	}
	return SHEAF_OK;
}

/* Restores the level of a node, without its nulls, by its kind. */
static sheaf_status restore_level(const sheaf_arrow_node *node, const sheaf_arrow_part *p,
                                  sheaf_column_builder *to, sheaf_error *err)
{
	switch (node->kind) {
	case SHEAF_ARROW_LIST: return restore_list(node, p, to, err);
	case SHEAF_ARROW_FIXED_LIST: return restore_fixed(node, p, to, err);
	case SHEAF_ARROW_ENTRY: return restore_entries(node, p, to, err);
	default: return sheaf_arrow_take_values(p, to, node->level, err);
	}
}

/* Nulls of a level that may miss positions are taken around the level itself; other levels refuse them. In a
 * field beside a column nobody looks at nulls before the end: they are those of the column. */
static sheaf_status restore_node(const sheaf_arrow_node *node, const sheaf_arrow_part *p,
                                 sheaf_column_builder *to, sheaf_error *err)
{
	bool beside = node->leaf != SHEAF_ARROW_VALUES;
	if (beside && node->kind == node->leaf) return restore_beside(node, p, to, err);
	if (beside || !sheaf_arrow_nulls(node)) {
		if (!beside) SHEAF_TRY(sheaf_arrow_refuse_nulls(p, err));
		return restore_level(node, p, to, err);
	}
	sheaf_level_builder *level = &to->levels[node->level];
	SHEAF_TRY(sheaf_arrow_take_nulls(p, level, err));
	SHEAF_TRY(restore_level(node, p, to, err));
	return sheaf_arrow_end_nulls(p, level, err);
}

/* Fields beside a column come after it in the plan, so that the column is there when they are restored. */
sheaf_status sheaf_arrow_restore(const sheaf_arrow_plan *plan, sheaf_arrow_taken *taken,
                                 const struct ArrowSchema *rows, sheaf_frame_builder *b, sheaf_error *err)
{
	sheaf_arrow_part all = sheaf_arrow_part_of_rows(taken, rows, b);
	SHEAF_TRY(sheaf_arrow_check_part(&all, 1, err));
	for (int c = 0; c < b->schema->nfields; c++) {
		b->columns[c].given = true;
		for (int l = 0; l < b->columns[c].field->nlevels; l++) b->columns[c].levels[l].offsets.size = 0;
	}
	for (int i = 0; i < plan->n; i++) {
		const sheaf_arrow_node *top = &plan->tops[i];
		sheaf_arrow_part column = sheaf_arrow_part_of_child(&all, i, all.at, all.n);
		column.name = column.schema->name;
		SHEAF_TRY(restore_node(top, &column, &b->columns[top->column], err));
	}
	sheaf_build_rows(b, all.n);
	return SHEAF_OK;
}
