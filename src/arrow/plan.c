/* SPDX-License-Identifier: MIT */
/* Which of Arrow's fields a schema becomes. */
#include "arrow/arrow.h"
#include "base/context.h"
#include "base/memory.h"
#include "data/frame.h"

/* ---- one column ---- */

/* What the item is at the positions of the field's last level. */
static sheaf_arrow_kind kind_of_item(const sheaf_field *field, const sheaf_level_shape *shape)
{
	if (field->meaning == SHEAF_DATETIMETZ) return SHEAF_ARROW_INSTANTS;
	switch (field->meaning) {
	case SHEAF_STRING:
	case SHEAF_SPELLING: return SHEAF_ARROW_TEXT;
	case SHEAF_BYTES: return shape->kind == SHEAF_LIST ? SHEAF_ARROW_TEXT : SHEAF_ARROW_BYTES;
	case SHEAF_COMPLEX: return SHEAF_ARROW_FIXED_LIST;
	case SHEAF_BOOL: return SHEAF_ARROW_BITS;
	default: return SHEAF_ARROW_VALUES;
	}
}

/* Whether each position of the last level is one item: a run with a single meaning, or a number that may be
 * missing. */
static bool is_item(const sheaf_field *field, int level)
{
	const sheaf_level_shape *shape = &field->levels[level];
	return level + 1 == field->nlevels &&
	       (sheaf_means_run(field->meaning) ||
	        (shape->kind == SHEAF_FIXED && shape->extent == 1 && shape->missing == SHEAF_NULLABLE));
}

static sheaf_arrow_kind kind_at(const sheaf_field *field, int level)
{
	if (level == field->nlevels) return field->meaning == SHEAF_BOOL ? SHEAF_ARROW_BITS : SHEAF_ARROW_VALUES;
	const sheaf_level_shape *shape = &field->levels[level];
	if (is_item(field, level)) return kind_of_item(field, shape);
	return shape->kind == SHEAF_FIXED ? SHEAF_ARROW_FIXED_LIST : SHEAF_ARROW_LIST;
}

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

int sheaf_arrow_children(const sheaf_arrow_node *node)
{
	switch (node->kind) {
	case SHEAF_ARROW_LIST:
	case SHEAF_ARROW_FIXED_LIST: return 1;
	case SHEAF_ARROW_ENTRY: return node->field->levels[node->level].rank + 1;
	default: return 0;
	}
}

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

static void add(sheaf_arrow_plan *plan, const sheaf_field *field, int column, sheaf_arrow_kind leaf, int stop)
{
	sheaf_arrow_node node = {.field = field, .leaf = leaf, .column = column, .stop = stop};
	if (plan->tops) plan->tops[plan->n] = node_at(node, 0);
	plan->n++;
}

/* The column, and the fields beside it. */
static void add_field(sheaf_arrow_plan *plan, const sheaf_field *field, int column)
{
	add(plan, field, column, SHEAF_ARROW_VALUES, field->nlevels);
	if (field->meaning == SHEAF_DATETIMETZ) add(plan, field, column, SHEAF_ARROW_ZONES, field->nlevels - 1);
	for (int l = 0; l < field->nlevels; l++) {
		if (field->levels[l].missing == SHEAF_IMPUTED) add(plan, field, column, SHEAF_ARROW_IMPUTED, l);
		if (field->levels[l].missing != SHEAF_NEVER && plan->options.codes)
			add(plan, field, column, SHEAF_ARROW_CODES, l);
	}
}

static void add_fields(sheaf_arrow_plan *plan, const sheaf_schema *schema)
{
	plan->n = 0;
	for (int f = 0; f < schema->nfields; f++) add_field(plan, &schema->fields[f], f);
}

sheaf_status sheaf_arrow_plan_new(const sheaf_schema *schema, const sheaf_arrow_options *options,
                                  sheaf_context *cx, sheaf_arrow_plan *out, sheaf_error *err)
{
	void *memory;
	*out = (sheaf_arrow_plan){.cx = sheaf_context_owner(cx)};
	if (options && options->size && options->size != sizeof *options)
		return sheaf_fail(err, SHEAF_USAGE, "arrow options: expected size %zu, found %zu", sizeof *options,
		                  options->size);
	if (options) out->options = *options;
	if (schema->rows == SHEAF_WHOLE)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "arrow: expected rows, found a tensor that is one row; read it as entries");
	add_fields(out, schema);
	out->room = out->n;
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)out->room, sizeof *out->tops, &memory, err));
	out->tops = (sheaf_arrow_node *)memory;
	add_fields(out, schema);
	return SHEAF_OK;
}

void sheaf_arrow_plan_free(sheaf_arrow_plan *plan)
{
	if (plan->tops) sheaf_release(plan->cx, plan->tops, (size_t)plan->room * sizeof *plan->tops);
	*plan = (sheaf_arrow_plan){0};
}
