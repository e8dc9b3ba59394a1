/* SPDX-License-Identifier: MIT */
/* Entries of a tensor whose dimensions are reversed: the columns of coordinates change places, and nothing is
 * copied. Entries keep their order, so that what was sorted by rows is sorted by columns. */
#include "base/memory.h"
#include "frame/frame.h"
#include "view/view.h"
#include <string.h>

/* Decodes a piece of the tensor below and reverses its columns of coordinates; the value stays the last
 * one. */
static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const sheaf_row_view *v = (const sheaf_row_view *)in;
	int columns[SHEAF_MAX_RANK + 1], rank = v->schema.tensor.rank;
	for (int d = 0; d <= rank; d++) columns[d] = d < rank ? rank - 1 - d : d;
	return sheaf_view_slice_below(v, piece, &(sheaf_column_numbers){columns, rank + 1}, frame, cx, err);
}

/* Puts the view on the input that reverses the dimensions of a tensor. What is at (i, j) of one triangle is
 * at (j, i) of the other. Fields change places, and names that only count the dimensions, i and j, count them
 * in the new order, too. */
sheaf_status sheaf_view_transpose(sheaf_input *input, sheaf_error *err)
{
	static const sheaf_structure mirrored[SHEAF_STRUCTURES] = {
		[SHEAF_GENERAL] = SHEAF_GENERAL,
		[SHEAF_SYMMETRIC_LOWER] = SHEAF_SYMMETRIC_UPPER,
		[SHEAF_SYMMETRIC_UPPER] = SHEAF_SYMMETRIC_LOWER,
		[SHEAF_HERMITIAN_LOWER] = SHEAF_HERMITIAN_UPPER,
		[SHEAF_HERMITIAN_UPPER] = SHEAF_HERMITIAN_LOWER,
		[SHEAF_SKEW_SYMMETRIC_LOWER] = SHEAF_SKEW_SYMMETRIC_UPPER,
		[SHEAF_SKEW_SYMMETRIC_UPPER] = SHEAF_SKEW_SYMMETRIC_LOWER,
	};
	sheaf_row_view *v;
	const sheaf_schema *below = &input->in->schema;
	SHEAF_TRY(sheaf_view_new(input, sizeof(sheaf_row_view), &v, err));
	v->format.decode = decode;
	v->format.cut = sheaf_view_cut_whole;
	v->facts = v->in->facts;
	SHEAF_TRY(sheaf_schema_copy(below, v->cx, &v->schema, err));
	const sheaf_tensor *before = &below->tensor;
	sheaf_tensor *t = &v->schema.tensor;
	sheaf_field *fields = v->schema.fields;
	bool names_count = true;
	for (int d = 0; d < t->rank; d++) {
		const char name[2] = {(char)('i' + d), '\0'};
		names_count &= strcmp(fields[d].name, name) == 0;
		t->shape[d] = before->shape[t->rank - 1 - d];
		t->order[d] = t->rank - 1 - before->order[d];
	}
	for (int front = 0, back = t->rank - 1; front < back; front++, back--) {
		sheaf_field first = fields[front], last = fields[back];
		fields[front] = last;
		fields[back] = first;
		if (!names_count) continue;
		fields[front].name = first.name;
		fields[back].name = last.name;
	}
	t->structure = mirrored[before->structure];
	t->layout[0] = '\0'; /* that of the file belongs to another tensor */
	return SHEAF_OK;
}
