/* SPDX-License-Identifier: MIT */
/* Comparing two tensors whatever their storage: the entries of both are brought into one order and merged. */
#include "dataset/dataset.h"
#include "frame/compare.h"
#include "frame/element.h"
#include "frame/frame.h"
#include "frame/print.h"
#include "io/source.h"
#include "sparse/arrange.h"
#include "sparse/key_layout.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct side {
	sheaf_dataset *dataset;
	const sheaf_schema *schema;
	sheaf_arranger *arranger;
	const sheaf_frame *frame;
	int64_t at;
	bool read, ended; /* all of the file has been read; all entries have been given */
} side;

typedef struct comparison {
	const sheaf_diff_options *options;
	side a, b;
	int rank;
	bool equal, enough;
} comparison;

static void report(comparison *c, const char *place, const char *a, const char *b)
{
	sheaf_difference difference = {-1, NULL, -1, a, b, place};
	c->equal = false;
	if (!c->options->on_difference || !c->options->on_difference(c->options->user, &difference))
		c->enough = true;
}

/* ---- comparing shapes and fills ---- */

static void shape_text(const sheaf_tensor *t, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "shape (");
	for (int d = 0; d < t->rank && used < size; d++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, d ? "," : "", t->shape[d]);
	if (used < size) snprintf(text + used, size - used, ")");
}

static bool compare_shapes(comparison *c)
{
	char a[200], b[200];
	shape_text(&c->a.schema->tensor, a, sizeof a);
	shape_text(&c->b.schema->tensor, b, sizeof b);
	if (strcmp(a, b) == 0) return true;
	report(c, NULL, a, b);
	return false;
}

static const sheaf_field *value_of(const side *s) { return &s->schema->fields[s->schema->tensor.rank]; }

/* A fill of 0 equals no fill. */
static void fill_text(const side *s, char *text, size_t size)
{
	sheaf_element e;
	const sheaf_tensor *t = &s->schema->tensor;
	char value[96];
	bool any = sheaf_element_of(value_of(s), &e) && t->has_fill && !sheaf_element_is_zero(&e, t->fill);
	snprintf(text, size, "fill %s", any ? sheaf_element_text(&e, t->fill, value, sizeof value) : "0");
}

static void compare_wholes(comparison *c)
{
	char a[128], b[128];
	fill_text(&c->a, a, sizeof a);
	fill_text(&c->b, b, sizeof b);
	if (strcmp(a, b) != 0 && !c->a.schema->tensor.dense && !c->b.schema->tensor.dense) report(c, NULL, a, b);
	if (c->enough || !c->options->types) return;
	const char *type_a = sheaf_type_name(value_of(&c->a)->type),
			   *type_b = sheaf_type_name(value_of(&c->b)->type);
	if (strcmp(type_a, type_b) != 0) report(c, NULL, type_a, type_b);
}

/* ---- entries ---- */

static sheaf_status begin(side *s, sheaf_error *err)
{
	sheaf_tensor to = s->schema->tensor;
	sheaf_arrange_options options = {.drop_fill = true,
	                                 .name = sheaf_source_name(sheaf_dataset_source(s->dataset))};
	to.sorted = true;
	to.unique = to.dense = false;
	to.structure = SHEAF_GENERAL;
	for (int d = 0; d < to.rank; d++) to.order[d] = d;
	return sheaf_arranger_new(s->schema, &to, &options, s->dataset->cx, &s->arranger, err);
}

static sheaf_status read_more(side *s, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status = sheaf_next(s->dataset, &frame, err);
	s->read = status == SHEAF_END;
	if (s->read) return sheaf_arranger_finish(s->arranger, err);
	SHEAF_TRY(status);
	return sheaf_arranger_add(s->arranger, frame, err);
}

static sheaf_status refill(side *s, sheaf_error *err)
{
	while (!s->ended && (!s->frame || s->at == s->frame->nrows)) {
		sheaf_status status = sheaf_arranger_next(s->arranger, &s->frame, err);
		s->at = 0;
		if (status != SHEAF_END)
			SHEAF_TRY(status);
		else if (s->read)
			s->ended = true;
		else
			SHEAF_TRY(read_more(s, err));
	}
	return SHEAF_OK;
}

static int64_t coordinate(const side *s, int d) { return sheaf_coordinate_at(&s->frame->columns[d], s->at); }

/* Which of two entries comes first; the end comes last. */
static int order_of(const comparison *c)
{
	if (c->a.ended || c->b.ended) return (int)c->a.ended - (int)c->b.ended;
	for (int d = 0; d < c->rank; d++) {
		int64_t a = coordinate(&c->a, d), b = coordinate(&c->b, d);
		if (a != b) return a < b ? -1 : 1;
	}
	return 0;
}

static const sheaf_column *values_of(const comparison *c, const side *s)
{
	return &s->frame->columns[c->rank];
}

static const char *value_text(const comparison *c, const side *s, char *text, size_t size)
{
	sheaf_element e;
	if (!sheaf_element_of(value_of(s), &e)) return "?";
	return sheaf_element_text(&e, values_of(c, s)->values.data + (size_t)s->at * e.size, text, size);
}

static void place_text(const comparison *c, const side *s, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "(");
	for (int d = 0; d < c->rank && used < size; d++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, d ? "," : "", coordinate(s, d));
	if (used < size) snprintf(text + used, size - used, ")");
}

/* An entry of one side that is 0, as are those that a dense tensor has without a word. */
static bool is_implied(const comparison *c, const side *s, const side *other)
{
	sheaf_element e;
	return other->schema->tensor.dense && !other->schema->tensor.has_fill &&
	       sheaf_element_of(value_of(s), &e) &&
	       sheaf_element_is_zero(&e, values_of(c, s)->values.data + (size_t)s->at * e.size);
}

static void compare_entry(comparison *c, int order)
{
	char place[200], a[200], b[200];
	bool equal = order == 0
	                 ? sheaf_positions_equal(values_of(c, &c->a), 0, c->a.at, values_of(c, &c->b), 0, c->b.at)
	             : order < 0 ? is_implied(c, &c->a, &c->b)
	                         : is_implied(c, &c->b, &c->a);
	if (!equal) {
		bool typed = order == 0 && value_of(&c->a)->type != value_of(&c->b)->type;
		place_text(c, order <= 0 ? &c->a : &c->b, place, sizeof place);
		const char *text_a = order <= 0 ? value_text(c, &c->a, a, 100) : "none",
				   *text_b = order >= 0 ? value_text(c, &c->b, b, 100) : "none";
		if (typed) snprintf(a + strlen(a), 100, " as %s", sheaf_type_name(value_of(&c->a)->type));
		if (typed) snprintf(b + strlen(b), 100, " as %s", sheaf_type_name(value_of(&c->b)->type));
		report(c, place, text_a, text_b);
	}
	c->a.at += order <= 0;
	c->b.at += order >= 0;
}

static sheaf_status compare_all(comparison *c, sheaf_error *err)
{
	if (!compare_shapes(c)) return SHEAF_OK;
	compare_wholes(c);
	SHEAF_TRY(begin(&c->a, err));
	SHEAF_TRY(begin(&c->b, err));
	while (!c->enough) {
		SHEAF_TRY(refill(&c->a, err));
		SHEAF_TRY(refill(&c->b, err));
		if (c->a.ended && c->b.ended) return SHEAF_OK;
		compare_entry(c, order_of(c));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_diff_tensors(sheaf_dataset *a, sheaf_dataset *b, const sheaf_diff_options *options,
                                bool *equal, sheaf_error *err)
{
	comparison c = {.options = options, .a = {.dataset = a}, .b = {.dataset = b}, .equal = true};
	c.a.schema = sheaf_dataset_schema(a);
	c.b.schema = sheaf_dataset_schema(b);
	c.rank = c.a.schema->tensor.rank;
	sheaf_status status = compare_all(&c, err);
	sheaf_arranger_free(c.a.arranger);
	sheaf_arranger_free(c.b.arranger);
	*equal = status == SHEAF_OK && c.equal;
	return status;
}
