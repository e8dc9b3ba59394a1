/* SPDX-License-Identifier: MIT */
/* Comparing two tensors whatever their storage: the entries of both are brought into one order and merged.
 *
 * Files have entries by rows, by columns, by blocks or in no order, as a triangle or with all zeros. An
 * arranger (sparse/arrange.h) gives those of each side sorted by their coordinates, one for each place,
 * without the ones that equal the fill value. Then the two sequences are merged: a place that only one side
 * has is a difference, unless its value is the one that the other side has there without saying so. */
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
	bool equal, enough;
} comparison;

/* Tells the caller of a difference, who decides whether that is enough; `place` is NULL unless it is in an
 * entry. */
static void report(comparison *c, const char *place, const char *a, const char *b)
{
	sheaf_difference difference = {-1, NULL, -1, a, b, place};
	c->equal = false;
	if (!c->options->on_difference || !c->options->on_difference(c->options->user, &difference))
		c->enough = true;
}

/* ---- comparing shapes and fills ---- */

enum { MOST_TEXT = 200 };

/* "shape (2,3)", or "(0,1)" for a place. */
static void list_text(const char *before, const int64_t *numbers, int n, char text[MOST_TEXT])
{
	size_t used = (size_t)snprintf(text, MOST_TEXT, "%s(", before);
	for (int i = 0; i < n && used < MOST_TEXT; i++)
		used += (size_t)snprintf(text + used, MOST_TEXT - used, "%s%" PRId64, i ? "," : "", numbers[i]);
	if (used < MOST_TEXT) snprintf(text + used, MOST_TEXT - used, ")");
}

/* The field of the values, which comes after those of the coordinates. */
static const sheaf_field *value_of(const side *s) { return &s->schema->fields[s->schema->tensor.rank]; }

/* Writes the fill of a tensor, "fill 0" if it has none: the two mean the same. */
static void fill_text(const side *s, char *text, size_t size)
{
	sheaf_element e;
	const sheaf_tensor *t = &s->schema->tensor;
	char value[96];
	bool any = sheaf_element_of(value_of(s), &e) && t->has_fill && !sheaf_element_is_zero(&e, t->fill);
	snprintf(text, size, "fill %s", any ? sheaf_element_text(&e, t->fill, value, sizeof value) : "0");
}

/* ---- entries ---- */

/* Makes the arranger of a side, which gives its entries in one order whatever they are stored as: by rows,
 * without implied ones left out, and without those that equal the fill. */
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

/* Goes to a frame of arranged entries that has a next one, or to the end. The arranger asks for more until
 * the file has been read; then its end is the end of the entries. */
static sheaf_status refill(side *s, sheaf_error *err)
{
	const sheaf_frame *read;
	while (!s->ended && (!s->frame || s->at == s->frame->nrows)) {
		sheaf_status status = sheaf_arranger_next(s->arranger, &s->frame, err);
		s->at = 0;
		if (status == SHEAF_END && s->read) {
			s->ended = true;
			return SHEAF_OK;
		}
		if (status == SHEAF_END) {
			status = sheaf_next(s->dataset, &read, err);
			s->read = status == SHEAF_END;
			if (s->read)
				status = sheaf_arranger_finish(s->arranger, err);
			else if (status == SHEAF_OK)
				status = sheaf_arranger_add(s->arranger, read, err);
		}
		SHEAF_TRY(status);
	}
	return SHEAF_OK;
}

static int64_t coordinate(const side *s, int d) { return sheaf_coordinate_at(&s->frame->columns[d], s->at); }

static const sheaf_column *values_of(const side *s) { return &s->frame->columns[s->schema->tensor.rank]; }

/* Shows the value of the current entry of a side. */
static const char *value_text(const side *s, char *text, size_t size)
{
	sheaf_element e;
	if (!sheaf_element_of(value_of(s), &e)) return "?";
	return sheaf_element_text(&e, values_of(s)->values.data + (size_t)s->at * e.size, text, size);
}

/* Whether an entry that only one side has is 0, and the other side is a dense tensor: those leave out zeros
 * when they are arranged, without a word. */
static bool is_implied(const side *s, const side *other)
{
	sheaf_element e;
	return other->schema->tensor.dense && !other->schema->tensor.has_fill &&
	       sheaf_element_of(value_of(s), &e) &&
	       sheaf_element_is_zero(&e, values_of(s)->values.data + (size_t)s->at * e.size);
}

/* Compares the next place of either side, or of both if it is the same, and moves past it. `order` is below
 * 0 if the place of a comes first; the end of a side comes after all places. */
static void compare_entry(comparison *c)
{
	char place[MOST_TEXT], a[200], b[200];
	int order = (int)c->a.ended - (int)c->b.ended;
	int rank = c->a.schema->tensor.rank;
	for (int d = 0; d < rank && !c->a.ended && !c->b.ended && order == 0; d++) {
		int64_t at_a = coordinate(&c->a, d), at_b = coordinate(&c->b, d);
		order = (at_a > at_b) - (at_a < at_b);
	}
	bool equal = order == 0
	                 ? sheaf_positions_equal(values_of(&c->a), 0, c->a.at, values_of(&c->b), 0, c->b.at)
	             : order < 0 ? is_implied(&c->a, &c->b)
	                         : is_implied(&c->b, &c->a);
	if (!equal) {
		int64_t numbers[SHEAF_MAX_RANK];
		bool typed = order == 0 && value_of(&c->a)->type != value_of(&c->b)->type;
		for (int d = 0; d < rank; d++) numbers[d] = coordinate(order <= 0 ? &c->a : &c->b, d);
		list_text("", numbers, rank, place);
		const char *text_a = order <= 0 ? value_text(&c->a, a, 100) : "none",
				   *text_b = order >= 0 ? value_text(&c->b, b, 100) : "none";
		if (typed) snprintf(a + strlen(a), 100, " as %s", sheaf_type_name(value_of(&c->a)->type));
		if (typed) snprintf(b + strlen(b), 100, " as %s", sheaf_type_name(value_of(&c->b)->type));
		report(c, place, text_a, text_b);
	}
	c->a.at += order <= 0;
	c->b.at += order >= 0;
}

/* Compares shapes, fills, types and entries. Nothing else is compared of tensors with different shapes. A
 * fill value matters only where it may stand for something: a dense tensor has no places without an entry. */
static sheaf_status compare_all(comparison *c, sheaf_error *err)
{
	char a[MOST_TEXT], b[MOST_TEXT];
	const sheaf_tensor *of_a = &c->a.schema->tensor, *of_b = &c->b.schema->tensor;
	const char *type_a = sheaf_type_name(value_of(&c->a)->type),
			   *type_b = sheaf_type_name(value_of(&c->b)->type);
	list_text("shape ", of_a->shape, of_a->rank, a);
	list_text("shape ", of_b->shape, of_b->rank, b);
	if (strcmp(a, b) != 0) {
		report(c, NULL, a, b);
		return SHEAF_OK;
	}
	fill_text(&c->a, a, sizeof a);
	fill_text(&c->b, b, sizeof b);
	if (strcmp(a, b) != 0 && !of_a->dense && !of_b->dense) report(c, NULL, a, b);
	if (!c->enough && c->options->types && strcmp(type_a, type_b) != 0) report(c, NULL, type_a, type_b);
	SHEAF_TRY(begin(&c->a, err));
	SHEAF_TRY(begin(&c->b, err));
	while (!c->enough) {
		SHEAF_TRY(refill(&c->a, err));
		SHEAF_TRY(refill(&c->b, err));
		if (c->a.ended && c->b.ended) return SHEAF_OK;
		compare_entry(c);
	}
	return SHEAF_OK;
}

/* Compares two tensors, each entry with the one at its place. */
sheaf_status sheaf_diff_tensors(sheaf_dataset *a, sheaf_dataset *b, const sheaf_diff_options *options,
                                bool *equal, sheaf_error *err)
{
	comparison c = {.options = options, .a = {.dataset = a}, .b = {.dataset = b}, .equal = true};
	c.a.schema = sheaf_dataset_schema(a);
	c.b.schema = sheaf_dataset_schema(b);

	sheaf_status status = compare_all(&c, err);
	sheaf_arranger_free(c.a.arranger);
	sheaf_arranger_free(c.b.arranger);
	*equal = status == SHEAF_OK && c.equal;
	return status;
}
