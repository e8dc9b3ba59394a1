/* SPDX-License-Identifier: MIT */
/* The public calls of the frame builder: each checks that it fits the column, and records the first that does
 * not. Nothing else is done after a failure, so a caller asks once, when it takes the frame. A column is
 * filled in one of two ways: row by row, with an item or some samples before each sheaf_build_row, or in
 * whole runs, where the caller gives the buffers of the column and says with sheaf_build_rows how many rows
 * they are. Items and samples are checked as they come, runs when the frame is taken. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "frame/frame_builder.h"
#include "frame/value.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- failures ---- */

/* Records why a call was refused, with the number of the row that is being filled and, unless `column` is -1,
 * the name of the column. Only the first failure is kept: what is wrong after it may follow from it. */
static void SHEAF_PRINTF(4, 5)
	fail(sheaf_frame_builder *b, sheaf_status status, int column, const char *format, ...)
{
	sheaf_error failure;
	va_list args;
	if (b->failure.status) return;
	va_start(args, format);
	failure.status = sheaf_fail_list(&failure, status, format, args);
	va_end(args);
	if (column < 0)
		b->failure.status = sheaf_fail_within(&b->failure, &failure, "frame builder: row %" PRId64, b->nrows);
	else
		b->failure.status =
			sheaf_fail_within(&b->failure, &failure, "frame builder: row %" PRId64 ", column \"%s\"",
		                      b->nrows, b->schema->fields[column].name);
}

/* The builder of a column; NULL, which every call answers by doing nothing, if there is no builder, if an
 * earlier call has failed, or if there is no such column, which is then the failure. */
static sheaf_column_builder *column_of(sheaf_frame_builder *b, int column)
{
	if (!b || b->failure.status) return NULL;
	if (column >= 0 && column < b->schema->nfields) return &b->columns[column];
	fail(b, SHEAF_USAGE, -1, "expected a column below %d, found %d", b->schema->nfields, column);
	return NULL;
}

/* Whether the caller has given an address where there are n elements to read. NULL for some elements is a
 * failure of this column; `what` names them in its message. NULL for none of them is fine. */
static bool is_given(sheaf_frame_builder *b, int column, const void *data, size_t n, const char *what)
{
	if (n && !data) fail(b, SHEAF_USAGE, column, "expected %s, found NULL", what);
	return data || !n;
}

/* How many bytes the caller's array of `count` elements has: bits of missing positions lie eight in a byte,
 * any other element takes `size` bytes. SIZE_MAX stands for a negative count, and for one that is too large
 * for memory. */
static size_t bytes_of(sheaf_column_part part, int64_t count, size_t size)
{
	size_t bytes;
	if (count < 0) return SIZE_MAX;
	if (part == SHEAF_PART_VALID) return ((size_t)count + 7) / 8;
	return sheaf_mul_size(&bytes, (uint64_t)count, size) ? bytes : SIZE_MAX;
}

/* ---- a new one ---- */

/* The builder copies the schema, so that the caller may free its own. It begins with a frame that has no
 * buffers to give: `none` is only shaped, and freed at once. */
sheaf_status sheaf_frame_builder_new(const sheaf_schema *schema, sheaf_context *cx, sheaf_frame_builder **out,
                                     sheaf_error *err)
{
	sheaf_frame none = {0};
	if (out) *out = NULL;
	if (!schema || !cx || !out)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "frame builder: expected a schema, a context and room for the builder, found NULL");
	sheaf_frame_builder *b;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_frame_builder), &b, err));
	*b = (sheaf_frame_builder){.cx = cx, .schema = &b->own};
	sheaf_status status = sheaf_schema_copy(schema, cx, &b->own, err);
	if (!status) status = sheaf_frame_builder_begin(b, &b->own, &none, cx, err);
	sheaf_frame_free(&none);
	if (status) {
		sheaf_frame_builder_free(b);
		return status;
	}
	*out = b;
	return SHEAF_OK;
}

void sheaf_frame_builder_free(sheaf_frame_builder *b)
{
	sheaf_frame none = {0};
	if (!b) return;
	(void)!sheaf_frame_builder_end(b, SHEAF_STOPPED, &none, NULL);
	sheaf_schema_free(&b->own);
	sheaf_release(b->cx, b, sizeof *b);
}

/* ---- items ---- */

/* Whether the column can be filled item by item: each row is one number, one text, or one other run that
 * counts as a single item, and has no further level below it. */
static bool has_items(const sheaf_field *field)
{
	const sheaf_level_shape *first = &field->levels[0];
	if (field->nlevels == 0) return true;
	return field->nlevels == 1 &&
	       (sheaf_means_run(field->meaning) || (first->kind == SHEAF_FIXED && first->extent == 1));
}

static bool is_list(const sheaf_field *field)
{
	return field->nlevels > 0 && field->levels[0].kind == SHEAF_LIST;
}

/* The column that takes the next item, for the calls that add one. NULL if an earlier call has failed, or if
 * this one does now: because the column does not take such items (`fits` is false), because it gets whole
 * runs, or because it has an item in this row already. `what` names the item in the message. */
static sheaf_column_builder *item_column(sheaf_frame_builder *b, int column, const char *what, bool fits)
{
	sheaf_column_builder *to = column_of(b, column);
	if (!to) return NULL;
	if (!fits || to->given || !has_items(to->field) || b->schema->rows == SHEAF_WHOLE)
		fail(b, SHEAF_USAGE, column, "expected what \"%s\" storage takes, found %s",
		     sheaf_field_storage(to->field), what);
	else if (sheaf_column_count(to, 0) != b->nrows)
		fail(b, SHEAF_USAGE, column, "expected one item in each row, found two");
	return b->failure.status ? NULL : to;
}

/* The field of a column, or an empty one if there is no such column: callers look at it before item_column
 * has checked the number of the column. */
static const sheaf_field *field_of(const sheaf_frame_builder *b, int column)
{
	static const sheaf_field none;
	return b && column >= 0 && column < b->schema->nfields ? &b->schema->fields[column] : &none;
}

/* Appends a number of one type to a column of another. A column of integers refuses a number that it does not
 * hold; a column of floats takes the nearest value that it has. */
static void put_number(sheaf_frame_builder *b, int column, sheaf_type type, const void *number)
{
	uint64_t value;
	char text[32];
	sheaf_canon canon;
	bool fits = !sheaf_means_run(field_of(b, column)->meaning);
	sheaf_column_builder *to = item_column(b, column, "a number", fits);
	if (!to) return;
	sheaf_canon_values(type, number, 0, 1, &canon);
	type = to->field->type;
	if (sheaf_canon_store(type, &canon, 1, &value, 0) && type < SHEAF_F32) {
		snprintf(text, sizeof text, "%.17g", canon.nearest);
		fail(b, SHEAF_DATA, column, "expected a value that %s holds, found %s", sheaf_type_name(type), text);
		return;
	}
	sheaf_builder_append(&to->values, &value, sheaf_type_size(type));
}

void sheaf_build_number(sheaf_frame_builder *b, int column, double value)
{
	put_number(b, column, SHEAF_F64, &value);
}

void sheaf_build_integer(sheaf_frame_builder *b, int column, int64_t value)
{
	put_number(b, column, SHEAF_I64, &value);
}

void sheaf_build_key(sheaf_frame_builder *b, uint64_t key)
{
	if (!b) return;
	int column = sheaf_schema_key(b->schema);
	if (column < 0)
		fail(b, SHEAF_USAGE, -1, "expected a schema with keys, found one without");
	else
		put_number(b, column, SHEAF_U64, &key);
}

void sheaf_build_text(sheaf_frame_builder *b, int column, const void *text, size_t n)
{
	sheaf_column_builder *to = item_column(b, column, "a text", is_list(field_of(b, column)));
	if (to && is_given(b, column, text, n, "a text")) sheaf_column_put_text(to, text, n);
}

/* Size of an item that is no LIST, in bytes. */
static size_t item_size(const sheaf_field *field)
{
	return sheaf_type_size(field->type) * (size_t)(field->nlevels ? field->levels[0].extent : 1);
}

void sheaf_build_item(sheaf_frame_builder *b, int column, const void *item)
{
	sheaf_column_builder *to =
		item_column(b, column, "an item of a fixed size", !is_list(field_of(b, column)));
	if (to && is_given(b, column, item, item_size(to->field), "an item"))
		sheaf_builder_append(&to->values, item, item_size(to->field));
}

/* A missing text covers nothing, so its list ends where it begins; a missing item of a fixed size has zeros
 * in its place, since its position has room for them anyway. */
void sheaf_build_missing(sheaf_frame_builder *b, int column, int code)
{
	sheaf_column_builder *to = item_column(b, column, "a missing item", true);
	if (!to) return;
	if (to->field->nlevels == 0 || to->levels[0].shape->missing != SHEAF_NULLABLE) {
		fail(b, SHEAF_USAGE, column, "expected an item, since none may be missing, found none");
	} else if (code < 0 || code > 127) {
		fail(b, SHEAF_USAGE, column, "expected a code from 0 to 127, found %d", code);
	} else if (is_list(to->field)) {
		sheaf_level_miss(&to->levels[0], b->nrows, code);
		sheaf_level_end(&to->levels[0], (int64_t)to->values.size);
	} else if (sheaf_builder_pad(&to->values, to->values.size + item_size(to->field), 0)) {
		sheaf_level_miss(&to->levels[0], b->nrows, code);
	}
}

/* ---- samples ---- */

/* Appends n samples of a dense stream, of as many values each as the stream has dimensions. The row that they
 * belong to is ended by sheaf_build_row. */
void sheaf_build_dense(sheaf_frame_builder *b, int column, const void *values, int64_t n)
{
	sheaf_column_builder *to = column_of(b, column);
	if (!to) return;
	size_t sample_size = sheaf_type_size(to->field->type) * (size_t)sheaf_field_dim(to->field);
	size_t size = bytes_of(SHEAF_PART_VALUES, n, sample_size);
	if (to->given || !sheaf_field_is_dense(to->field))
		fail(b, SHEAF_USAGE, column, "expected what \"%s\" storage takes, found dense samples",
		     sheaf_field_storage(to->field));
	else if (size == SIZE_MAX)
		fail(b, SHEAF_USAGE, column, "expected samples that fit memory, found %" PRId64, n);
	else if (is_given(b, column, values, size, "values"))
		sheaf_builder_append(&to->values, values, size);
}

/* Appends one sample of a sparse stream: n indices, each with its value. All indices are checked before the
 * first is kept, so that a sample is there as a whole, or not at all. */
void sheaf_build_sparse(sheaf_frame_builder *b, int column, const int64_t *indices, const void *values,
                        int64_t n)
{
	sheaf_column_builder *to = column_of(b, column);
	if (!to) return;
	if (to->given || !sheaf_field_is_sparse(to->field) || n < 0) {
		fail(b, SHEAF_USAGE, column,
		     "expected what \"%s\" storage takes, found a sparse sample of %" PRId64 " entries",
		     sheaf_field_storage(to->field), n);
		return;
	}
	if (!is_given(b, column, indices, (size_t)n, "indices") ||
	    !is_given(b, column, values, (size_t)n, "values"))
		return;
	size_t size = sheaf_type_size(to->field->type);
	int64_t dim = sheaf_field_dim(to->field);
	for (int64_t k = 0; k < n; k++)
		if (indices[k] < 0 || indices[k] >= dim) {
			fail(b, SHEAF_DATA, column, "expected an index below %" PRId64 ", found %" PRId64, dim,
			     indices[k]);
			return;
		}
	for (int64_t k = 0; k < n; k++)
		sheaf_put_index(&to->levels[1].indices[0], to->levels[1].shape->index_type, indices[k]);
	sheaf_builder_append(&to->values, values, (size_t)n * size); /* no more bytes than the indices have */
	sheaf_level_end(&to->levels[1], (int64_t)(to->values.size / size));
}

/* ---- rows ---- */

/* Ends the row in each column. A stream takes the samples that were added since the row before, which may be
 * none; any other column must have got its item. A key that the caller has not given becomes the number of
 * the row. */
void sheaf_build_row(sheaf_frame_builder *b)
{
	if (!b) return;
	if (b->schema->rows == SHEAF_WHOLE)
		fail(b, SHEAF_USAGE, -1, "expected the levels of a tensor in runs (sheaf_build_rows), found a row");
	for (int c = 0; c < b->schema->nfields && !b->failure.status; c++) {
		sheaf_column_builder *to = &b->columns[c];
		uint64_t key = (uint64_t)b->nrows;
		bool is_stream = sheaf_field_is_stream(to->field);
		if (to->given || (!is_stream && !has_items(to->field)))
			fail(b, SHEAF_USAGE, c, "expected rows in runs (sheaf_build_rows), found a single row");
		else if (is_stream)
			sheaf_level_end(&to->levels[0], sheaf_column_count(to, 1));
		else if (sheaf_column_count(to, 0) <= b->nrows && to->field->meaning == SHEAF_KEY)
			sheaf_builder_append(&to->values, &key, sizeof key);
		else if (sheaf_column_count(to, 0) <= b->nrows)
			fail(b, SHEAF_USAGE, c, "expected an item, found none");
	}
	if (!b->failure.status) b->nrows++;
}

/* Says that the runs that the caller has given are n further rows. Nothing is compared with the runs here:
 * that their sizes fit is checked when the frame is taken. Keys without a run become the numbers of rows. */
void sheaf_build_rows(sheaf_frame_builder *b, int64_t n)
{
	if (!b || b->failure.status) return;
	if (n < 0 || n > INT64_MAX - b->nrows)
		fail(b, SHEAF_USAGE, -1, "expected a number of rows, found %" PRId64, n);
	for (int c = 0; c < b->schema->nfields && !b->failure.status; c++)
		if (!b->columns[c].given && b->schema->fields[c].meaning != SHEAF_KEY)
			fail(b, SHEAF_USAGE, c,
			     "expected runs of the column (sheaf_build_wrap, sheaf_build_copy), found none");
	int key = sheaf_schema_key(b->schema);
	bool makes_keys = key >= 0 && !b->columns[key].given && !b->failure.status;
	for (int64_t r = 0; makes_keys && r < n; r++) {
		uint64_t number = (uint64_t)(b->nrows + r);
		sheaf_builder_append(&b->columns[key].values, &number, sizeof number);
	}
	if (!b->failure.status) b->nrows += n;
}

/* ---- whole runs ---- */

/* The builder of the buffer that the caller means by a part and its number, and through *size the size of an
 * element in bytes; NULL, and a failure, if the column has no such part. Offsets, bits and codes are numbered
 * by level. Indices are numbered through all levels: those of the first COORD level come first, one for each
 * of its dimensions, then those of the next. Values have no number. */
static sheaf_builder *part_of(sheaf_frame_builder *b, int column, sheaf_column_part part, int number,
                              size_t *size)
{
	sheaf_column_builder *to = column_of(b, column);
	if (!to) return NULL;
	int nlevels = to->field->nlevels, dimension = number;
	sheaf_level_builder *level = number >= 0 && number < nlevels ? &to->levels[number] : NULL;
	*size = part == SHEAF_PART_OFFSETS ? sizeof(int64_t) : 1;
	if (part == SHEAF_PART_VALUES) {
		*size = sheaf_type_size(to->field->type);
		return &to->values;
	}
	if (part == SHEAF_PART_OFFSETS && level && level->shape->kind != SHEAF_FIXED) return &level->offsets;
	if (part == SHEAF_PART_VALID && level && level->shape->missing) return level->valid;
	if (part == SHEAF_PART_CODES && level && level->shape->missing) return level->codes;
	for (int l = 0; part == SHEAF_PART_INDICES && dimension >= 0 && l < nlevels; l++) {
		int rank = to->levels[l].shape->rank;
		if (dimension < rank) {
			*size = sheaf_type_size(to->levels[l].shape->index_type);
			return &to->levels[l].indices[dimension];
		}
		dimension -= rank;
	}
	fail(b, SHEAF_USAGE, column, "expected a part that the column has, found part %d, number %d", (int)part,
	     number);
	return NULL;
}

/* From the first run on the column is filled by whole runs alone (`given`). Its offsets are then all the
 * caller's, so the 0 with which they began is dropped. A column that has rows or values already fails. */
static void begin_runs(sheaf_frame_builder *b, int column)
{
	sheaf_column_builder *to = &b->columns[column];
	if (to->given) return;
	if (b->nrows || to->values.size) {
		fail(b, SHEAF_USAGE, column, "expected runs, or rows one by one, found both");
		return;
	}
	to->given = true;
	for (int l = 0; l < to->field->nlevels; l++) to->levels[l].offsets.size = 0;
}

/* How an array goes back to the caller when its last buffer is released: by the caller's function, which may
 * run on any thread. The holder is freed then, too. */
typedef struct holder {
	void (*release)(void *user, const void *data);
	void *user;
	sheaf_context *cx;
} holder;

/* What the buffer over such an array calls at its end. */
static void release(void *user, uint8_t *data, size_t size)
{
	holder *h = (holder *)user;
	(void)size;
	h->release(h->user, data);
	sheaf_release(h->cx, h, sizeof *h);
}

/* Makes *out a buffer over the caller's array, without a copy. An array without a function that takes it back
 * has no owner here: the caller keeps it for as long as the frame lives. */
static sheaf_status hold(sheaf_context *cx, const sheaf_foreign *array, size_t bytes, sheaf_buffer *out,
                         sheaf_error *err)
{
	void *memory;
	uint8_t *data = (uint8_t *)(uintptr_t)array->data; /* nobody writes to it */
	*out = (sheaf_buffer){data, bytes, NULL};
	if (!array->release) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(holder), &memory, err));
	*(holder *)memory = (holder){array->release, array->user, sheaf_context_owner(cx)};
	sheaf_status status = sheaf_buffer_wrap(cx, (sheaf_lent){data, bytes, release, memory}, out, err);
	if (status) sheaf_release(cx, memory, sizeof(holder));
	return status;
}

/* Whether the caller's array can be read: `bytes` is its size from bytes_of, and it must be aligned to `size`
 * bytes. Otherwise, or if an earlier call has failed, the builder has failed. */
static bool is_array(sheaf_frame_builder *b, int column, const void *data, int64_t count, size_t bytes,
                     size_t size)
{
	if (bytes == SIZE_MAX || (bytes && !data))
		fail(b, SHEAF_USAGE, column, "expected an array, found %" PRId64 " elements%s", count,
		     data ? "" : " at NULL");
	else if ((uintptr_t)data % size)
		fail(b, SHEAF_USAGE, column, "expected an array aligned to %zu bytes, found another", size);
	return !b->failure.status;
}

/* An array that is refused is given back at once: it is the builder's from the call on. */
void sheaf_build_wrap(sheaf_frame_builder *b, int column, sheaf_column_part part, int at,
                      const sheaf_foreign *array)
{
	size_t size = 1, bytes;
	sheaf_buffer buffer;
	sheaf_error err;
	sheaf_builder *to = part_of(b, column, part, at, &size);
	if (!array) {
		if (to) (void)is_given(b, column, NULL, 1, "an array");
		return;
	}
	bytes = bytes_of(part, array->count, size);
	if (to && is_array(b, column, array->data, array->count, bytes, size)) {
		begin_runs(b, column);
		sheaf_status status = b->failure.status ? SHEAF_USAGE : hold(b->cx, array, bytes, &buffer, &err);
		if (!status) {
			sheaf_builder_hold(to, &buffer);
			return;
		}
		if (!b->failure.status) b->failure = err;
	}
	if (array->release) array->release(array->user, array->data);
}

void sheaf_build_copy(sheaf_frame_builder *b, int column, sheaf_column_part part, int at, const void *data,
                      int64_t count)
{
	size_t size = 1;
	sheaf_builder *to = part_of(b, column, part, at, &size);
	if (!to) return;
	size_t bytes = bytes_of(part, count, size);
	if (is_array(b, column, data, count, bytes, 1)) begin_runs(b, column);
	if (part == SHEAF_PART_VALID && to->size)
		fail(b, SHEAF_USAGE, column, "expected all bits in one call, found another call");
	if (!b->failure.status) sheaf_builder_append(to, data, bytes);
}

/* ---- taking ---- */

/* Fails if there are items or samples after the last row that was ended: the caller has forgotten a
 * sheaf_build_row. A stream has such samples if it has more than its last offset says. Columns of whole runs
 * are checked with the frame. */
static void refuse_open_row(sheaf_frame_builder *b)
{
	for (int c = 0; c < b->schema->nfields && !b->failure.status; c++) {
		const sheaf_column_builder *column = &b->columns[c];
		bool stream = sheaf_field_is_stream(column->field);
		if (column->given) continue;
		const int64_t *offsets = stream ? sheaf_i64s(column->levels[0].offsets.data) : NULL;
		bool open = !stream ? sheaf_column_count(column, 0) != b->nrows
		                    : offsets && sheaf_column_count(column, 1) != offsets[b->nrows];
		if (open) fail(b, SHEAF_USAGE, c, "expected the row to be complete (sheaf_build_row), found it open");
	}
}

/* Begins the builder again, without rows and without a failure, for the frame that comes next. If even that
 * fails, for want of memory, this is the builder's failure: every later call then does nothing. */
static sheaf_status begin_again(sheaf_frame_builder *b, sheaf_error *err)
{
	sheaf_frame none = {0};
	sheaf_status status = sheaf_frame_builder_begin(b, b->schema, &none, b->cx, err);
	sheaf_frame_free(&none);
	if (status)
		b->failure.status =
			sheaf_fail(&b->failure, status, "frame builder: expected memory to begin again, found none");
	return status;
}

/* Gives the caller the rows that were built, or the first failure, and begins again in either case. Of
 * several failures the earliest is returned: memory that was not there while filling, then what a call has
 * recorded, then what is wrong with the frame, and last that the builder cannot begin again, in which case
 * the caller gets no frame either. What came in whole runs, or as coordinates, was not checked when it was
 * given, so the whole frame is checked. */
sheaf_status sheaf_frame_builder_take(sheaf_frame_builder *b, sheaf_frame *out, sheaf_error *err)
{
	sheaf_frame frame = {0};
	SHEAF_NEED(out, "a place for the frame");
	*out = frame;
	SHEAF_NEED(b, "a builder");
	sheaf_status status = sheaf_frame_begin(&frame, b->schema, b->cx, err);
	if (!status) status = sheaf_frame_builder_status(b, err);
	if (!status) refuse_open_row(b);
	if (!status && b->failure.status) {
		status = b->failure.status;
		if (err) *err = b->failure;
	}
	bool full = b->schema->rows == SHEAF_ENTRIES;
	for (int c = 0; !status && c < b->schema->nfields; c++) full |= b->columns[c].given;
	status = sheaf_frame_builder_end(b, status, &frame, err);
	if (!status)
		status = sheaf_frame_check(&frame, b->schema, full ? SHEAF_CHECK_FULL : SHEAF_CHECK_SIZES, err);
	sheaf_status restarted = begin_again(b, status ? NULL : err);
	if (!status) status = restarted;
	if (status) {
		sheaf_frame_free(&frame);
		return status;
	}
	frame.checked = true;
	*out = frame;
	return SHEAF_OK;
}
