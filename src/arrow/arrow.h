/* SPDX-License-Identifier: MIT */
/* How columns become Arrow's fields: a tree with one node for each of Arrow's fields, from which both the
 * schema and the arrays are made. */
#ifndef SHEAF_ARROW_ARROW_H
#define SHEAF_ARROW_ARROW_H

#include <sheaf/exchange.h>

typedef enum sheaf_arrow_kind {
	SHEAF_ARROW_LIST,
	SHEAF_ARROW_FIXED_LIST,
	SHEAF_ARROW_ENTRY,    /* struct of the indices of an entry and what it covers */
	SHEAF_ARROW_INDEX,    /* one of these indices */
	SHEAF_ARROW_VALUES,   /* values as they are */
	SHEAF_ARROW_BITS,     /* truth values */
	SHEAF_ARROW_TEXT,     /* offsets and bytes */
	SHEAF_ARROW_BYTES,    /* items of a fixed size */
	SHEAF_ARROW_INSTANTS, /* of dates with a zone */
	SHEAF_ARROW_ZONES,    /* offset of the local time from UTC */
	SHEAF_ARROW_CODES,    /* why positions of a level are missing */
	SHEAF_ARROW_IMPUTED   /* whether they are imputed */
} sheaf_arrow_kind;

/* Arrow's number types. */
extern const char sheaf_arrow_numbers[SHEAF_TYPES][2];

typedef struct sheaf_arrow_node {
	const sheaf_field *field;
	sheaf_arrow_kind kind;
	sheaf_arrow_kind leaf; /* the end of a chain: VALUES, or additional data at level `stop` */
	int column, level, stop;
	int dimension; /* INDEX: which one */
} sheaf_arrow_node;

/* What a frame of a schema becomes. */
typedef struct sheaf_arrow_plan {
	sheaf_arrow_options options;
	sheaf_context *cx;
	bool drops_codes; /* and without a warning: the caller has requested it */
	int n, room;
	sheaf_arrow_node *tops;
} sheaf_arrow_plan;

/* `schema` must live as long. Free with sheaf_arrow_plan_free. */
SHEAF_USE sheaf_status sheaf_arrow_plan_new(const sheaf_schema *schema, const sheaf_arrow_options *options,
                                            sheaf_context *cx, sheaf_arrow_plan *out, sheaf_error *err);
void sheaf_arrow_plan_free(sheaf_arrow_plan *plan);
int sheaf_arrow_children(const sheaf_arrow_node *node);
sheaf_arrow_node sheaf_arrow_child(const sheaf_arrow_node *node, int i);
/* The level whose missing positions are the node's nulls, or NULL. */
const sheaf_level_shape *sheaf_arrow_nulls(const sheaf_arrow_node *node);

SHEAF_USE sheaf_status sheaf_arrow_export_schema(const sheaf_arrow_plan *plan, struct ArrowSchema *out,
                                                 sheaf_error *err);
/* `row` is the number of the first row, for messages. */
SHEAF_USE sheaf_status sheaf_arrow_export_frame(const sheaf_arrow_plan *plan, const sheaf_frame *frame,
                                                int64_t row, struct ArrowArray *out, sheaf_error *err);

#endif
