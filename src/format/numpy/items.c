/* SPDX-License-Identifier: MIT */
/* Rows into items: each part of an item gets the value of its column, at a fixed place.
 *
 *   item r     [null][ part 0      ][ part 1 ] ...
 *   item r+1   [null][ part 0      ][ part 1 ] ...      dtype->size bytes each
 *
 * Items are zeroed before. What an item cannot hold, such as a text that is too long, or the reason why a
 * time is missing, is a loss, which is reported for its row and column; reports may be errors or warnings, as
 * the user has asked. */
#include "base/context.h"
#include "base/endian.h"
#include "base/show.h"
#include "base/spell.h"
#include "format/numpy/array.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct putting {
	const sheaf_part *part;
	const sheaf_column *column;
	const sheaf_level *level; /* NULL: none */
	const char *file;
	int64_t row;
	sheaf_context *cx;
	sheaf_error *err;
} putting;

static sheaf_status lose(const putting *p, int64_t r, const char *rule, const char *expected,
                         const char *found, const char *consequence)
{
	sheaf_problem problem = sheaf_problem_in(
		p->file, &SHEAF_FINDING(SHEAF_ERROR, rule, expected, found, consequence, SHEAF_LOSS));
	problem.place.row = p->row + r;
	problem.place.row_word = "row";
	problem.place.stream = p->part->name;
	problem.place.stream_word = "column";
	return sheaf_report(p->cx, &problem, p->err);
}

static sheaf_status lose_nul(const putting *p, int64_t r)
{
	return lose(p, r, "NUL at the end of a text", "none", "one", "it is no longer part of the text");
}

/* Puts the text of row r at `to`, where the item has been zeroed. Texts are padded with NULs, so NULs at
 * their end are lost, as is what exceeds the item. */
static sheaf_status put_text(const putting *p, int64_t r, sheaf_run run, uint8_t *to)
{
	char expected[64], found[48];
	size_t size = (size_t)p->part->size;
	sheaf_bytes text = sheaf_column_bytes(p->column, run);
	snprintf(expected, sizeof expected, "at most %zu bytes", size);
	snprintf(found, sizeof found, "%zu", text.size);
	memcpy(to, text.data, text.size < size ? text.size : size);
	if (text.size > size) return lose(p, r, "text cut", expected, found, "the rest is cut off");
	return text.size && text.data[text.size - 1] == 0 ? lose_nul(p, r) : SHEAF_OK;
}

/* Puts the text of row r at `to` as characters of four bytes, padded with NULs. What exceeds the item is
 * counted on, to see whether it is UTF-8, and lost. */
static sheaf_status put_characters(const putting *p, int64_t r, sheaf_run run, uint8_t *to)
{
	char expected[64];
	int64_t room = p->part->size / 4, n = 0;
	sheaf_bytes text = sheaf_column_bytes(p->column, run);
	uint32_t point = 1;
	for (size_t at = 0, size; at < text.size; at += size, n++) {
		size = sheaf_utf8_take(text.data + at, text.size - at, &point);
		if (size == 0)
			return lose(p, r, "text that is not UTF-8", "characters", "other bytes", "the rest is cut off");
		if (n < room) sheaf_store_u32le(to + 4 * n, point);
	}
	snprintf(expected, sizeof expected, "at most %" PRId64 " characters", room);
	if (n > room) return lose(p, r, "text cut", expected, "more", "the rest is cut off");
	return n && point == 0 ? lose_nul(p, r) : SHEAF_OK;
}

/* Puts the value of row r into its item. A missing value is either a null byte that has its code, beside
 * zeros, or NaT, for which no code can be stored, so that a code is a loss. A value that is there has the
 * null byte 255. A time that is there may be the number that means NaT, which is a loss, too. */
static sheaf_status put_item(const putting *p, int64_t r, uint8_t *item)
{
	const sheaf_part *part = p->part;
	uint8_t *to = item + part->at;
	sheaf_run run = p->level ? sheaf_level_below_one(p->level, r) : (sheaf_run){r, r + 1};
	bool may_lack = part->nullable || part->absent, is_there = !may_lack || sheaf_level_has(p->level, r);
	int code = is_there ? 0 : sheaf_level_code(p->level, r);
	int64_t first = INT64_MIN;
	if (part->nullable) item[part->null_at] = is_there ? 255 : (uint8_t)code;
	if (!is_there && part->nullable) return SHEAF_OK;
	if (!is_there) {
		char found[32];
		sheaf_store_u64le(to, (uint64_t)first);
		snprintf(found, sizeof found, "code %d", code);
		return code ? lose(p, r, "code of what is missing", "none, as times have no place for it", found,
		                   "it is left out")
		            : SHEAF_OK;
	}
	if (part->kind == 'U') return put_characters(p, r, run, to);
	if (part->kind == 'S' && p->column->meaning != SHEAF_CHAR) return put_text(p, r, run, to);
	size_t size = sheaf_type_size(p->column->type);
	const uint8_t *from = p->column->values.data + (size_t)run.begin * size;
	sheaf_copy_le(to, from, (size_t)part->size / size, size);
	if (part->kind != 'M' && part->kind != 'm') return SHEAF_OK;
	memcpy(&first, from, sizeof first);
	return first == INT64_MIN
	           ? lose(p, r, "time that means missing", "a time other than the smallest number of seconds",
	                  "that one", "it is read back as a missing time")
	           : SHEAF_OK;
}

/* Puts the values of a part into the items of all rows, which are `stride` bytes apart. Numbers that are
 * alone in the items, and have the same form in the column, are copied all at once. */
static sheaf_status put_part(const putting *p, int64_t nrows, int64_t stride, uint8_t *items)
{
	const sheaf_part *part = p->part;
	if (nrows > 0 && !p->level && part->at == 0 && part->size == stride &&
	    (size_t)stride == sheaf_type_size(p->column->type) && part->kind && strchr("iufb", part->kind)) {
		sheaf_copy_le(items, p->column->values.data, (size_t)nrows, (size_t)stride);
		return SHEAF_OK;
	}
	for (int64_t r = 0; r < nrows; r++) SHEAF_TRY(put_item(p, r, items + r * stride));
	return SHEAF_OK;
}

/* Appends the samples of sequences, which become an array by rows if each has one sample, whose values
 * are then the array as it is. */
static sheaf_status put_samples(const sheaf_items_written *rows, sheaf_builder *b, sheaf_error *err)
{
	const sheaf_schema *schema = rows->schema;
	const sheaf_frame *frame = rows->frame;
	const sheaf_column *column = &frame->columns[0];
	const int64_t *o = sheaf_level_offsets(&column->levels[0]);
	size_t dim = (size_t)sheaf_field_dim(&schema->fields[0]), size = sheaf_type_size(column->type);
	for (int64_t r = 0; r < frame->nrows; r++)
		if (o[r + 1] - o[r] != 1)
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "%s: sequence %" PRId64 ": expected one sample in each sequence, found %" PRId64
			                  "; " SHEAF_OPTION("value") " %s makes a tensor of sequences and samples",
			                  rows->file, rows->row + r, o[r + 1] - o[r], schema->fields[0].name);
	if (frame->nrows)
		sheaf_builder_numbers(b, column->values.data + (size_t)o[0] * dim * size,
		                      (size_t)frame->nrows * dim, size);
	return SHEAF_OK;
}

/* Appends the items of a frame's rows, dtype->size bytes each. They are zeroed first, as texts are padded
 * with NULs; then each part puts its column's values at its place in all items. Memory that runs out is
 * kept as the builder's failure. */
sheaf_status sheaf_array_put_items(const sheaf_dtype *dtype, const sheaf_items_written *rows,
                                   sheaf_builder *b, sheaf_context *cx, sheaf_error *err)
{
	const sheaf_schema *schema = rows->schema;
	const sheaf_frame *frame = rows->frame;
	uint64_t bytes = (uint64_t)frame->nrows * (uint64_t)dtype->size;
	if (schema->rows == SHEAF_SEQUENCES) return put_samples(rows, b, err);
	if (!sheaf_builder_room(b, bytes + 1)) return SHEAF_OK; /* the builder keeps the failure */
	uint8_t *items = b->data + b->size;
	memset(items, 0, (size_t)bytes);
	for (int i = 0; i < dtype->nparts; i++) {
		const sheaf_column *column =
			&frame->columns[schema->rows == SHEAF_ENTRIES ? sheaf_schema_value(schema) : i];
		const sheaf_level *level = column->nlevels ? &column->levels[0] : NULL;
		putting p = {&dtype->parts[i], column, level, rows->file, rows->row, cx, err};
		SHEAF_TRY(put_part(&p, frame->nrows, dtype->size, items));
	}
	b->size += (size_t)bytes;
	return SHEAF_OK;
}
