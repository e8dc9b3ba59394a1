/* SPDX-License-Identifier: MIT */
/* Items into columns: sharing the file's own bytes if they have the form that the column needs, else copied
 * one by one.
 *
 *   item r     [null][ part 0      ][ part 1 ] ...
 *   item r+1   [null][ part 0      ][ part 1 ] ...      a strip is one part of all items
 *              |<------ stride ------------->|
 *
 * Whatever the file has, columns are of this machine's byte order, floats of two bytes become four, times are
 * counted in a unit of a power of ten below a second, and texts are UTF-8 without the NULs that pad them. The
 * bytes are there: the header has been compared with the size of the file. What they say is not trusted:
 * times, characters and indices are checked as they are taken. */
#include "base/context.h"
#include "base/endian.h"
#include "base/show.h"
#include "format/numpy/array.h"
#include "frame/integers.h"
#include "number/date.h"
#include "number/half.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A part of n items, at a distance of `stride` bytes. */
typedef struct strip {
	const sheaf_array *array;
	const sheaf_part *part;
	const uint8_t *items;
	int64_t stride, n, first; /* first: number of the first item, for messages */
	sheaf_error *err;
} strip;

static const uint8_t *item_at(const strip *s, int64_t i) { return s->items + i * s->stride + s->part->at; }

/* Size of a number in the part, in bytes: complex numbers and zoned times have two numbers. Bytes are turned
 * within a number. */
static size_t number_size(const sheaf_part *part)
{
	return (size_t)(part->kind == 'c' || part->zoned ? part->size / 2 : part->size);
}

/* Copies the bytes of item i to `to`, in this machine's order. */
static inline void take_number(const strip *s, int64_t i, uint8_t *to)
{
	size_t size = (size_t)s->part->size, one = number_size(s->part);
	const uint8_t *from = item_at(s, i);
	if (!s->part->swapped) memcpy(to, from, size);
	for (size_t at = 0; s->part->swapped && at < size; at += one)
		for (size_t k = one; k-- > 0;) *to++ = from[at + k];
}

/* ---- times ---- */

static bool is_there(const strip *s, int64_t i)
{
	return !s->part->nullable || (s->items[i * s->stride + s->part->null_at] & 0x80);
}

static bool is_timed(const sheaf_part *part) { return part->kind == 'M' || part->kind == 'm'; }

/* Whether a time, the first number of item i, is NumPy's NaT. */
static inline bool is_nat(const strip *s, int64_t i)
{
	uint8_t number[16];
	int64_t v;
	take_number(s, i, number);
	memcpy(&v, number, sizeof v);
	return v == INT64_MIN;
}

/* Converts times from the unit of the file, which may be weeks or years, to that of the column: parts of
 * a second, days or seconds. NumPy's NaT, the smallest 64-bit number, and items without a value become 0,
 * as their level says that they are missing. A time that does not fit in 64 bits is an error. */
static sheaf_status take_times(const strip *s, uint8_t *to)
{
	for (int64_t i = 0; i < s->n; i++) {
		int64_t v, seconds;
		take_number(s, i, (uint8_t *)&v);
		bool is_time = v != INT64_MIN && is_there(s, i);
		seconds = is_time ? v : 0;
		bool fits = !is_time || !__builtin_mul_overflow(v, s->part->scale, &seconds);
		if (is_time && fits && s->part->months) fits = sheaf_seconds_of_month(seconds, &seconds);
		if (!fits)
			return sheaf_fail(s->err, SHEAF_DATA,
			                  "%s: field '%s': expected times within 64 bits of their unit, found one "
			                  "beyond, in item %" PRId64,
			                  s->array->holding.name, s->part->name, s->first + i);
		memcpy(to + i * (int64_t)sizeof seconds, &seconds, sizeof seconds);
	}
	return SHEAF_OK;
}

/* Marks the parts of times that contain NaT as `absent`. A column may have missing values only if its
 * schema says so, and the schema comes before the rows: so all times of the array are read here, about
 * AT_ONCE bytes at once, up to the first NaT of each part. */
sheaf_status sheaf_array_look_for_absent(sheaf_array *a, sheaf_error *err)
{
	enum { AT_ONCE = 1 << 20 };
	bool timed = false;
	int64_t items_at_once = AT_ONCE / (a->dtype.size ? a->dtype.size : 1) + 1;
	sheaf_buffer bytes = {0};
	for (int p = 0; p < a->dtype.nparts; p++) timed |= is_timed(&a->dtype.parts[p]);
	for (int64_t first = 0; timed && first < a->count; first += items_at_once) {
		int64_t n = a->count - first < items_at_once ? a->count - first : items_at_once;
		SHEAF_TRY(sheaf_holding_view(&a->holding, a->data_at + first * a->dtype.size, n * a->dtype.size,
		                             &bytes, err));
		for (int p = 0; p < a->dtype.nparts; p++) {
			sheaf_part *part = &a->dtype.parts[p];
			strip s = {.array = a, .part = part, .items = bytes.data, .stride = a->dtype.size, .n = n};
			for (int64_t i = 0; i < n && is_timed(part) && !part->absent; i++)
				part->absent = is_there(&s, i) && is_nat(&s, i);
		}
		sheaf_buffer_reset(&bytes);
	}
	return SHEAF_OK;
}

/* ---- numbers ---- */

/* Whether the items are contiguous, as the column needs them. */
static bool is_as_it_stands(const strip *s, size_t size)
{
	const sheaf_part *part = s->part;
	return part->kind && strchr("iufcb", part->kind) && !part->swapped && s->stride == part->size &&
	       (size_t)part->size == size;
}

/* An array in an archive may begin at any byte; a column's numbers do not. */
static bool is_aligned(const strip *s) { return (uintptr_t)s->items % number_size(s->part) == 0; }

/* Converts the numbers of a strip to the column's type, `size` bytes each: copied at once where they have
 * that form in the file; floats of two bytes widened to four; times converted to the column's unit;
 * others copied one by one, with their bytes turned if the file has the other order. */
static sheaf_status take_values(const strip *s, sheaf_builder *b, size_t size)
{
	uint64_t bytes = (uint64_t)s->n * size;
	if (!sheaf_builder_room(b, bytes ? bytes : 1)) return sheaf_builder_status(b, s->err);
	if (bytes && is_as_it_stands(s, size))
		memcpy(b->data, s->items, (size_t)bytes);
	else if (s->part->kind == 'f' && s->part->size == 2)
		for (int64_t i = 0; i < s->n; i++) {
			uint16_t half;
			take_number(s, i, (uint8_t *)&half);
			float value = sheaf_float_of_half(half);
			memcpy(b->data + (size_t)i * size, &value, sizeof value);
		}
	else if (is_timed(s->part) && !s->part->zoned)
		SHEAF_TRY(take_times(s, b->data));
	else
		for (int64_t i = 0; i < s->n; i++) take_number(s, i, b->data + (size_t)i * size);
	b->size = (size_t)bytes;
	return SHEAF_OK;
}

/* ---- texts ---- */

/* Appends the text of item i, which has characters of four bytes, as UTF-8, without the NULs that pad it.
 * A NUL is the same in either byte order, so the padding is found before the order matters. Numbers that
 * are no characters of Unicode are an error. */
static sheaf_status take_characters(const strip *s, int64_t i, sheaf_builder *b)
{
	const uint8_t *from = item_at(s, i);
	int64_t n = s->part->size / 4;
	bool little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != s->part->swapped;
	while (n > 0 && sheaf_load_u32le(from + 4 * (n - 1)) == 0) n--;
	if (!sheaf_builder_room(b, (uint64_t)n * 4 + 4)) return SHEAF_OK;
	for (int64_t k = 0; k < n; k++) {
		uint32_t point = little ? sheaf_load_u32le(from + 4 * k) : sheaf_load_u32be(from + 4 * k);
		if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
			return sheaf_fail(s->err, SHEAF_DATA,
			                  "%s: field '%s', item %" PRId64
			                  ": expected characters of Unicode, found 0x%" PRIx32,
			                  s->array->holding.name, s->part->name, s->first + i, point);
		b->size += sheaf_utf8_put(point, b->data + b->size);
	}
	return SHEAF_OK;
}

/* Appends the texts of a strip to a column, without the NULs that pad them; items without a value are
 * empty texts. */
static sheaf_status take_texts(const strip *s, sheaf_column_builder *to)
{
	for (int64_t i = 0; i < s->n; i++) {
		const uint8_t *from = item_at(s, i);
		int64_t n = is_there(s, i) ? s->part->size : 0;
		if (n > 0 && s->part->kind == 'U') {
			SHEAF_TRY(take_characters(s, i, &to->values));
		} else {
			while (n > 0 && from[n - 1] == 0) n--;
			sheaf_builder_append(&to->values, from, (size_t)n);
		}
		sheaf_level_end(&to->levels[0], (int64_t)to->values.size);
	}
	return SHEAF_OK;
}

/* Marks the items of a strip that have no value: a null byte below 128 is the code of a missing item,
 * while a NaT has no code. */
static void take_missing(const strip *s, sheaf_level_builder *level)
{
	for (int64_t i = 0; i < s->n; i++) {
		bool there = is_there(s, i);
		if (!there || (s->part->absent && is_nat(s, i)))
			sheaf_level_miss(level, i, there ? 0 : s->items[i * s->stride + s->part->null_at]);
	}
}

/* ---- columns ---- */

/* Converts a strip, one part of some items, into a column: what is missing, then the values. Numbers that
 * are in the file as the column needs them, and aligned, are shared with it. */
static sheaf_status take_column(const strip *s, const sheaf_buffer *bytes, sheaf_column_builder *to)
{
	size_t size = s->part->kind == 'f' && s->part->size == 2 ? sizeof(float) : (size_t)s->part->size;
	const sheaf_field *field = to->field;
	if (field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE) take_missing(s, &to->levels[0]);
	bool texts =
		sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES; /* samples are lists, too */
	if (texts && field->levels[0].kind == SHEAF_LIST) return take_texts(s, to);
	if (!is_as_it_stands(s, size) || !is_aligned(s)) return take_values(s, &to->values, size);
	sheaf_buffer part = sheaf_buffer_part(bytes, 0, (size_t)s->n * size);
	sheaf_builder_hold(&to->values, &part);
	return SHEAF_OK;
}

sheaf_status sheaf_array_values(const sheaf_array *a, const sheaf_buffer *bytes, int64_t first, int64_t n,
                                sheaf_column_builder *to, sheaf_error *err)
{
	strip s = {a, &a->dtype.parts[0], bytes->data, a->dtype.size, n, first, err};
	return take_column(&s, bytes, to);
}

/* Appends the coordinates of items [first, first + n) in one dimension. A coordinate stays for as many
 * items as the dimensions that change faster have (`below`), then the next one follows. Counting up saves
 * a division for each item. */
static void take_places(const sheaf_array *a, int dimension, int64_t first, int64_t n,
                        sheaf_column_builder *to)
{
	sheaf_type type = to->field->type;
	size_t size = sheaf_type_size(type);
	int64_t below = 1, extent = a->shape[dimension];
	for (int d = 0; d < a->rank; d++)
		if (a->fortran ? d < dimension : d > dimension) below *= a->shape[d];
	if (n == 0 || !sheaf_builder_room(&to->values, (uint64_t)n * size)) return;
	int64_t coordinate = first / below % extent, repeats = below - first % below;
	for (int64_t i = 0; i < n; i++) {
		if (type == SHEAF_I32)
			((int32_t *)(void *)to->values.data)[i] = (int32_t)coordinate;
		else
			((int64_t *)(void *)to->values.data)[i] = coordinate;
		if (--repeats > 0) continue;
		repeats = below;
		coordinate = coordinate + 1 == extent ? 0 : coordinate + 1;
	}
	to->values.size = (size_t)n * size;
}

int64_t sheaf_array_items_of_row(const sheaf_array *a, const sheaf_schema *schema)
{
	if (schema->rows == SHEAF_WHOLE) return a->count;
	return schema->rows == SHEAF_SEQUENCES ? a->shape[1] : 1;
}

int64_t sheaf_array_count_rows(const sheaf_array *a, const sheaf_schema *schema)
{
	return schema->rows == SHEAF_WHOLE ? 1 : a->count / sheaf_array_items_of_row(a, schema);
}

void sheaf_array_facts(const sheaf_schema *schema, int64_t rows, sheaf_facts *out)
{
	*out = SHEAF_NO_FACTS;
	out->rows = rows;
	if (schema->rows != SHEAF_SEQUENCES) return;
	out->samples = rows;
	out->longest = rows > 0;
	out->ordinal_keys = 1;
}

/* Makes rows [first, first + n) from the bytes of their items: coordinates if they are entries, then a
 * column for each part. A row of a sequence is one sample. */
sheaf_status sheaf_array_rows(const sheaf_array *a, const sheaf_buffer *bytes, int64_t first, int64_t n,
                              sheaf_frame_builder *to, sheaf_error *err)
{
	const sheaf_schema *schema = to->schema;
	int64_t items = sheaf_array_items_of_row(a, schema);
	int coordinates = schema->rows == SHEAF_ENTRIES ? a->rank : 0;
	for (int d = 0; d < coordinates; d++) take_places(a, d, first, n, &to->columns[d]);
	for (int p = 0; p < a->dtype.nparts; p++) {
		strip s = {a, &a->dtype.parts[p], bytes->data, a->dtype.size, n * items, first, err};
		SHEAF_TRY(take_column(&s, bytes, &to->columns[coordinates + p]));
	}
	for (int64_t r = 0; schema->rows == SHEAF_SEQUENCES && r < n; r++)
		sheaf_level_end(&to->columns[0].levels[0], r + 1);
	to->nrows = n;
	return SHEAF_OK;
}

/* ---- indices ---- */

/* Converts integers of any width, in either byte order, to int64. Those of the other order are turned one
 * by one. */
static void widen(const strip *s, int64_t *out)
{
	static const sheaf_type types[2][4] = {{SHEAF_U8, SHEAF_U16, SHEAF_U32, SHEAF_U64},
	                                       {SHEAF_I8, SHEAF_I16, SHEAF_I32, SHEAF_I64}};
	int width = s->part->size == 1 ? 0 : s->part->size == 2 ? 1 : s->part->size == 4 ? 2 : 3;
	sheaf_type type = types[s->part->kind == 'i'][width];
	if (!s->part->swapped) sheaf_integers_widen(type, s->items, s->n, out);
	for (int64_t i = 0; s->part->swapped && i < s->n; i++) {
		uint8_t number[8];
		take_number(s, i, number);
		sheaf_integers_widen(type, number, 1, out + i);
	}
}

/* Views n integers from number `first` on as a strip; the caller resets *bytes. */
static sheaf_status view_integers(const sheaf_array *a, int64_t first, int64_t n, sheaf_buffer *bytes,
                                  strip *out, sheaf_error *err)
{
	const sheaf_part *part = &a->dtype.parts[0];
	if (a->dtype.structured || (part->kind != 'i' && part->kind != 'u'))
		return sheaf_fail(err, SHEAF_DATA, "%s: expected integers, found items of kind '%c'", a->holding.name,
		                  part->kind);
	SHEAF_TRY(sheaf_holding_view(&a->holding, a->data_at + first * part->size, n * part->size, bytes, err));
	*out = (strip){a, part, bytes->data, part->size, n, first, err};
	return SHEAF_OK;
}

/* Reads numbers [first, first + n) as int64. Of unsigned numbers of eight bytes, those of 2^63 and above
 * have become negative; all are looked at together, by the sign of their union, before the first one is
 * looked for. */
sheaf_status sheaf_array_integers(const sheaf_array *a, int64_t first, int64_t n, int64_t *out,
                                  sheaf_error *err)
{
	strip s;
	sheaf_buffer bytes = {0};
	SHEAF_TRY(view_integers(a, first, n, &bytes, &s, err));
	widen(&s, out);
	sheaf_buffer_reset(&bytes);
	bool may_wrap = s.part->kind == 'u' && s.part->size == 8;
	int64_t sign_of_any = 0;
	for (int64_t i = 0; may_wrap && i < n; i++) sign_of_any |= out[i];
	if (sign_of_any >= 0) return SHEAF_OK;
	while (*out >= 0) out++, first++;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s, item %" PRId64 ": expected an integer from 0 to 2^63-1, found another",
	                  a->holding.name, first);
}

/* Converts the integers of a strip to indices of `size` bytes, through 64 bits, a few at a time, so that
 * one that does not fit the narrow type is seen. */
static void convert_indices(strip *s, size_t size, uint8_t *to)
{
	enum { AT_ONCE = 1024 };
	int64_t wide[AT_ONCE], left = s->n;
	for (; left > 0; left -= s->n, s->items += s->n * s->stride, to += (size_t)s->n * size) {
		s->n = left < AT_ONCE ? left : AT_ONCE;
		widen(s, wide);
		if (size == sizeof(int32_t))
			sheaf_integers_narrow(wide, s->n, SHEAF_I32, to);
		else
			memcpy(to, wide, (size_t)s->n * size);
	}
}

/* Appends numbers [first, first + n) of an array of integers as indices of a type. Bytes that already
 * have that type and are aligned are shared with the file if `to` is empty; else they are copied, or
 * converted, where a number that is not an index of that type becomes negative. */
sheaf_status sheaf_array_indices(const sheaf_array *a, int64_t first, int64_t n, sheaf_type type,
                                 sheaf_builder *to, sheaf_error *err)
{
	strip s;
	size_t size = sheaf_type_size(type), all = (size_t)n * size;
	sheaf_buffer bytes = {0};
	SHEAF_TRY(view_integers(a, first, n, &bytes, &s, err));
	if (is_as_it_stands(&s, size) && is_aligned(&s) && to->size == 0) {
		sheaf_builder_hold(to, &bytes);
	} else if (sheaf_builder_room(to, all + 1)) {
		if (n && is_as_it_stands(&s, size))
			memcpy(to->data + to->size, s.items, all);
		else
			convert_indices(&s, size, to->data + to->size);
		to->size += all;
	}
	sheaf_buffer_reset(&bytes);
	return sheaf_builder_status(to, err);
}
