/* SPDX-License-Identifier: MIT */
/* Which of Arrow's fields a schema becomes. A column is a chain of levels that ends in values; Arrow's field
 * for it is a chain of lists that ends in numbers, texts or times. Where the last level and the values are
 * one item for Arrow, as a text is, they are one node.
 *
 *   LIST, FIXED(2), values         list<fixed_size_list<item, 2>>
 *   LIST, COORD(1), values         list<list<struct<index, value>>>
 *   LIST over bytes, a string      string
 *
 * Nodes are not kept: whoever walks the tree asks for the children of a node (sheaf_arrow_child). Only the
 * tops are. */
#include "arrow/arrow.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "frame/frame.h"

/* ---- one column ---- */

/* Which of Arrow's kinds a level of a column is; level number nlevels stands for its values. Each position of
 * the last level may be one item for Arrow, a run with a single meaning or a number that may be missing: then
 * the level and the values are one node. Any other level is a list. */
static sheaf_arrow_kind kind_at(const sheaf_field *field, int level)
{
	if (level == field->nlevels) return field->meaning == SHEAF_BOOL ? SHEAF_ARROW_BITS : SHEAF_ARROW_VALUES;
	const sheaf_level_shape *shape = &field->levels[level];
	bool one = shape->kind == SHEAF_FIXED && shape->extent == 1 && shape->missing == SHEAF_NULLABLE;
	if (level + 1 < field->nlevels || !(sheaf_means_run(field->meaning) || one))
		return shape->kind == SHEAF_FIXED ? SHEAF_ARROW_FIXED_LIST : SHEAF_ARROW_LIST;
	switch (field->meaning) {
	case SHEAF_DATETIMETZ: return SHEAF_ARROW_INSTANTS;
	case SHEAF_STRING:
	case SHEAF_SPELLING: return SHEAF_ARROW_TEXT;
	case SHEAF_BYTES: return shape->kind == SHEAF_LIST ? SHEAF_ARROW_TEXT : SHEAF_ARROW_BYTES;
	case SHEAF_COMPLEX: return SHEAF_ARROW_FIXED_LIST;
	case SHEAF_BOOL: return SHEAF_ARROW_BITS;
	default: return SHEAF_ARROW_VALUES;
	}
}

/* The node at a level of the same column. In a field beside a column, which holds zones, codes or imputed
 * positions, lists lead down to the level that these belong to (`stop`), and end there. */
static sheaf_arrow_node node_at(sheaf_arrow_node above, int level)
{
	above.level = level;
	if (above.leaf == SHEAF_ARROW_VALUES)
		above.kind = kind_at(above.field, level);
	else if (level == above.stop)
		above.kind = above.leaf;
	else
		above.kind =
			above.field->levels[level].kind == SHEAF_FIXED ? SHEAF_ARROW_FIXED_LIST : SHEAF_ARROW_LIST;
	return above;
}

/* An entry has an index for each dimension of its level, and what it covers. */
int sheaf_arrow_children(const sheaf_arrow_node *node)
{
	switch (node->kind) {
	case SHEAF_ARROW_LIST:
	case SHEAF_ARROW_FIXED_LIST: return 1;
	case SHEAF_ARROW_ENTRY: return node->field->levels[node->level].rank + 1;
	default: return 0;
	}
}

/* Between the list of a COORD level and what its entries cover stands a struct, the entry. Beside a column
 * there is none, since indices are in the column's own field. */
sheaf_arrow_node sheaf_arrow_child(const sheaf_arrow_node *node, int i)
{
	sheaf_arrow_node child = *node;
	const sheaf_level_shape *shape = &node->field->levels[node->level];
	bool entries = node->kind == SHEAF_ARROW_LIST && shape->kind == SHEAF_COORD;
	if (entries && node->leaf == SHEAF_ARROW_VALUES) {
		child.kind = SHEAF_ARROW_ENTRY;
	} else if (node->kind == SHEAF_ARROW_ENTRY && i < shape->rank) {
		child.kind = SHEAF_ARROW_INDEX;
		child.dimension = i;
	} else {
		child = node_at(*node, node->level + 1);
	}
	return child;
}

const sheaf_level_shape *sheaf_arrow_nulls(const sheaf_arrow_node *node)
{
	bool level = node->level < node->field->nlevels && node->kind != SHEAF_ARROW_ENTRY &&
	             node->kind != SHEAF_ARROW_INDEX && node->kind != SHEAF_ARROW_CODES &&
	             node->kind != SHEAF_ARROW_IMPUTED;
	const sheaf_level_shape *shape = level ? &node->field->levels[node->level] : NULL;
	return shape && shape->missing == SHEAF_NULLABLE ? shape : NULL;
}

/* ---- all of them ---- */

/* Adds a top, or only counts it while there is no memory yet. */
static void add(sheaf_arrow_plan *plan, const sheaf_field *field, int column, sheaf_arrow_kind leaf, int stop)
{
	sheaf_arrow_node node = {.field = field, .leaf = leaf, .column = column, .stop = stop};
	if (plan->tops) plan->tops[plan->n] = node_at(node, 0);
	plan->n++;
}

/* Each column, and the fields beside it. */
static void add_fields(sheaf_arrow_plan *plan, const sheaf_schema *schema)
{
	plan->n = 0;
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		add(plan, field, f, SHEAF_ARROW_VALUES, field->nlevels);
		if (field->meaning == SHEAF_DATETIMETZ) add(plan, field, f, SHEAF_ARROW_ZONES, field->nlevels - 1);
		for (int l = 0; l < field->nlevels; l++) {
			sheaf_missing missing = field->levels[l].missing;
			if (missing == SHEAF_IMPUTED) add(plan, field, f, SHEAF_ARROW_IMPUTED, l);
			if (missing != SHEAF_NEVER && plan->options.codes) add(plan, field, f, SHEAF_ARROW_CODES, l);
		}
	}
}

/* The fields are added twice: first they are only counted, then there is memory for them. */
sheaf_status sheaf_arrow_plan_new(const sheaf_schema *schema, const sheaf_arrow_options *options,
                                  sheaf_context *cx, sheaf_arrow_plan *out, sheaf_error *err)
{
	*out = (sheaf_arrow_plan){.cx = sheaf_context_owner(cx)};
	if (options) SHEAF_TRY(sheaf_check_size("arrow options", options->size, sizeof *options, err));
	if (options) out->options = *options;
	if (schema->rows == SHEAF_WHOLE)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "arrow: expected rows, found a tensor that is one row; read it as entries");
	add_fields(out, schema);
	out->room = out->n;
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)out->room, sizeof *out->tops, &out->tops, err));
	add_fields(out, schema);
	return SHEAF_OK;
}

void sheaf_arrow_plan_free(sheaf_arrow_plan *plan)
{
	sheaf_release(plan->cx, plan->tops, (size_t)plan->room * sizeof *plan->tops);
	*plan = (sheaf_arrow_plan){0};
}
