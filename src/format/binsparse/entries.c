/* SPDX-License-Identifier: MIT */
/* A piece into entries, or the tensor into one row: what a structure promises of them, and the values. Each
 * piece notes how many of its entries are on the diagonal, or -1 if it is broken; the sum is compared with
 * the descriptor's number at the end, which no piece could do alone. */
#include "base/buffer.h"
#include "base/carried.h"
#include "base/context.h"
#include "base/cursor.h"
#include "format/binsparse/reader.h"
#include "frame/element.h"
#include "frame/schema/structure.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct decoding {
	const sheaf_bsp_tensor *t;
	const sheaf_run *ranges; /* above each level; the last one is that of the entries */
	sheaf_frame_builder to;
	sheaf_context *cx;
	sheaf_error *err;
	int64_t n; /* entries */
	int64_t diagonal;
	bool is_broken;
} decoding;

/* ---- structure ---- */

/* An entry on the diagonal: counted, and held to what the structure promises of it. */
static sheaf_status check_diagonal(decoding *d, int64_t i)
{
	const sheaf_bsp_type type = d->t->d.values;
	const sheaf_element e = {type.type, type.is_complex, type.is_bool, sheaf_bsp_size(type)};
	const uint8_t *value = d->to.columns[2].values.data + (size_t)i * e.size;
	sheaf_structure s = d->t->d.structure;
	int64_t at = d->ranges[d->t->d.layout.nlevels].begin + i;
	d->diagonal++;
	if (sheaf_structure_is_skew(s) && !sheaf_element_is_zero(&e, value))
		return sheaf_bsp_report(
			d->t,
			SHEAF_FINDING(SHEAF_BREACH, "diagonal of a skew-symmetric matrix", .found = "another value"),
			d->cx, d->err, "values[%" PRId64 "], which is on the diagonal, to be 0", at);
	if (sheaf_structure_is_hermitian(s) && !sheaf_element_is_real(&e, value))
		return sheaf_bsp_report(
			d->t, SHEAF_FINDING(SHEAF_BREACH, "diagonal of a Hermitian matrix", .found = "a complex number"),
			d->cx, d->err, "values[%" PRId64 "], which is on the diagonal, to be real", at);
	return SHEAF_OK;
}

/* An entry in the triangle that the structure says is not stored: which of the two is wrong cannot be known.
 */
static sheaf_status report_triangle(decoding *d, int64_t i, int64_t row, int64_t column)
{
	char found[64];
	snprintf(found, sizeof found, "(%" PRId64 ", %" PRId64 ")", row, column);
	d->is_broken = true;
	return sheaf_bsp_report(d->t, SHEAF_FINDING(SHEAF_FATAL, "triangle", .found = found), d->cx, d->err,
	                        "element %" PRId64 " in the %s triangle",
	                        d->ranges[d->t->d.layout.nlevels].begin + i,
	                        sheaf_structure_is_lower(d->t->d.structure) ? "lower" : "upper");
}

static size_t item_size(const decoding *d, int column)
{
	return column < 2 ? sheaf_type_size(d->to.columns[column].field->type) : sheaf_bsp_size(d->t->d.values);
}

static int64_t coordinate_at(const decoding *d, int dimension, int64_t i)
{
	const sheaf_column_builder *column = &d->to.columns[dimension];
	return sheaf_index_at(column->values.data, column->field->type, i);
}

/* If all positions are stored, those of the other triangle mean nothing: the others move up. Values may be a
 * view of the file, within which nothing can be moved, so they are copied first. */
static sheaf_status check_structure(decoding *d)
{
	bool lower = sheaf_structure_is_lower(d->t->d.structure),
		 dense = sheaf_bsp_layout_is_dense(&d->t->d.layout);
	sheaf_builder *values = &d->to.columns[2].values;
	int64_t kept = 0;
	SHEAF_TRY(sheaf_frame_builder_status(&d->to, d->err));
	if (dense) {
		sheaf_builder own = {.cx = d->cx};
		sheaf_builder_append(&own, values->data, values->size);
		sheaf_builder_drop(values);
		*values = own;
		SHEAF_TRY(sheaf_builder_status(values, d->err));
	}
	for (int64_t i = 0; i < d->n; i++) {
		int64_t row = coordinate_at(d, 0, i), column = coordinate_at(d, 1, i);
		bool wrong = lower ? row < column : row > column;
		if (wrong && dense) continue;
		if (wrong) SHEAF_TRY(report_triangle(d, i, row, column));
		if (row == column) SHEAF_TRY(check_diagonal(d, i));
		for (int c = 0; c < 3 && dense; c++) {
			size_t size = item_size(d, c);
			uint8_t *data = d->to.columns[c].values.data;
			memcpy(data + (size_t)kept * size, data + (size_t)i * size, size);
		}
		kept++;
	}
	d->n = kept;
	for (int c = 0; c < 3; c++) d->to.columns[c].values.size = (size_t)kept * item_size(d, c);
	return SHEAF_OK;
}

/* ---- the piece ---- */

static sheaf_status read_entries(decoding *d, const sheaf_piece *piece)
{
	const sheaf_bsp_tensor *t = d->t;
	d->ranges = sheaf_bsp_ranges_of(piece);
	sheaf_run entries = d->ranges[t->d.layout.nlevels];
	d->n = sheaf_run_length(entries);
	SHEAF_TRY(sheaf_sparse_put_entries(&t->sparse, d->ranges, &d->to, &d->is_broken, d->err));
	if (!d->is_broken)
		SHEAF_TRY(sheaf_bsp_read_values(t, entries.begin, entries.end,
		                                &d->to.columns[t->d.layout.rank].values, d->err));
	if (!d->is_broken && t->d.structure) SHEAF_TRY(check_structure(d));
	if (d->is_broken)
		sheaf_frame_builder_clear(&d->to);
	else
		d->to.nrows = d->n;
	sheaf_builder_i64(&d->to.notes, d->is_broken ? -1 : d->diagonal);
	return SHEAF_OK;
}

/* The tensor as one row, whose levels are its own. */
static sheaf_status put_whole(decoding *d, sheaf_depth depth)
{
	const sheaf_bsp_tensor *t = d->t;
	sheaf_column_builder *column = &d->to.columns[0];
	SHEAF_TRY(sheaf_sparse_put_whole(&t->sparse, depth, column, &d->is_broken, d->err));
	SHEAF_TRY(sheaf_bsp_read_values(t, 0, sheaf_sparse_entries(&t->sparse), &column->values, d->err));
	if (d->is_broken)
		sheaf_frame_builder_clear(&d->to);
	else
		d->to.nrows = 1;
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                              sheaf_context *cx, sheaf_error *err)
{
	const sheaf_bsp_reader *in = (const sheaf_bsp_reader *)reader;
	decoding d = {.t = sheaf_bsp_only(in), .cx = cx, .err = err};
	sheaf_status status = sheaf_frame_builder_begin(&d.to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK)
		status = in->schema.rows == SHEAF_WHOLE       ? put_whole(&d, in->depth)
		         : in->schema.rows == SHEAF_SEQUENCES ? sheaf_bsp_decode_rows(in, piece, &d.to, err)
		                                              : read_entries(&d, piece);
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}

sheaf_status sheaf_bsp_carry(void *reader, const sheaf_carried *counts, sheaf_error *err)
{
	sheaf_bsp_reader *in = (sheaf_bsp_reader *)reader;
	int64_t before = in->diagonal, more = before;
	sheaf_carry(counts, &more);
	if (counts->from && before >= 0) in->diagonal = (int64_t)((uint64_t)before + (uint64_t)more);
	if (counts->from && more < 0) in->diagonal = -1;
	return sheaf_carried_status(counts, err);
}

/* ---- all pieces ---- */

/* At the end, the number of diagonal elements that the descriptor states, if all pieces were sound. */
sheaf_status sheaf_bsp_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	sheaf_bsp_reader *in = (sheaf_bsp_reader *)reader;
	const sheaf_bsp_tensor *t = sheaf_bsp_only(in);
	char text[32];
	(void)row;
	if (in->schema.rows != SHEAF_ENTRIES) return SHEAF_OK;
	if (frame) {
		int64_t found = sheaf_numbers(&frame->notes)[0];
		in->diagonal = found < 0 || in->diagonal < 0 ? -1 : in->diagonal + found;
		return SHEAF_OK;
	}
	if (!t->d.structure || t->d.diagonal < 0 || in->diagonal < 0 || in->diagonal == t->d.diagonal)
		return SHEAF_OK;
	snprintf(text, sizeof text, "%" PRId64, in->diagonal);
	return sheaf_bsp_report(
		t, SHEAF_FINDING(SHEAF_WARNING, "number of diagonal elements", .found = text), in->cx, err,
		"%" PRId64 " elements on the diagonal, as number_of_diagonal_elements has it", t->d.diagonal);
}
