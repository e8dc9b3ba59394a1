/* SPDX-License-Identifier: MIT */
/* Arrow's arrays into a frame builder: wrapped where Arrow's form is ours, else converted. */
#include "exchange/take.h"
#include "base/checked.h"
#include "base/need.h"
#include "exchange/arrow.h"
#include "exchange/memory.h"
#include "number/half.h"
#include <inttypes.h>
#include <sheaf/arrays.h>
#include <stdatomic.h>
#include <string.h>

struct sheaf_arrow_taken {
	atomic_int owners;
	sheaf_context *owner;
	struct ArrowArray array;
};

sheaf_status sheaf_arrow_taken_new(struct ArrowArray *array, sheaf_context *cx, sheaf_arrow_taken **out,
                                   sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_exchange_allocate(cx, sizeof(sheaf_arrow_taken), &memory, err));
	sheaf_arrow_taken *taken = (sheaf_arrow_taken *)memory;
	taken->owner = sheaf_context_owner(cx);
	taken->array = *array;
	atomic_init(&taken->owners, 1);
	array->release = NULL;
	*out = taken;
	return SHEAF_OK;
}

void sheaf_arrow_taken_let_go(sheaf_arrow_taken *taken)
{
	if (!taken || atomic_fetch_sub(&taken->owners, 1) != 1) return;
	if (taken->array.release) taken->array.release(&taken->array);
	sheaf_exchange_release(taken->owner, taken, sizeof *taken);
}

static void let_go(void *user, uint8_t *data, size_t size)
{
	(void)data, (void)size;
	sheaf_arrow_taken_let_go((sheaf_arrow_taken *)user);
}

/* ---- what is taken ---- */

/* n positions of an array from `at` on. */
typedef struct part {
	sheaf_arrow_taken *taken;
	sheaf_frame_builder *b;
	const struct ArrowSchema *schema;
	const struct ArrowArray *array;
	const char *name; /* of the column */
	int64_t at, n;
} part;

static sheaf_status damaged(const part *p, const char *expected, int64_t found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "arrow column \"%s\": expected %s, found %" PRId64, p->name, expected,
	                  found);
}

/* The part's positions must lie in the array, which must have the buffers of its type. */
static sheaf_status check_part(const part *p, int64_t buffers, sheaf_error *err)
{
	int64_t end;
	if (p->array->n_buffers < buffers || (buffers > 0 && !p->array->buffers))
		return damaged(p, "the buffers of its type", p->array->n_buffers, err);
	if (p->n < 0 || !sheaf_add_i64(&end, p->at, p->n) || p->array->length < 0 ||
	    end > p->array->offset + p->array->length)
		return damaged(p, "as many positions as its parent covers", p->array->length, err);
	if (p->n > 0 && buffers > 1 && !p->array->buffers[1])
		return damaged(p, "a buffer with its elements", 0, err);
	if (p->array->n_children != p->schema->n_children)
		return damaged(p, "the children of its schema", p->array->n_children, err);
	return SHEAF_OK;
}

/* Positions [from, from + n) of the part's child, counted from its beginning. */
static part part_of_child(const part *p, int child, int64_t from, int64_t n)
{
	part below = *p;
	below.schema = p->schema->children[child];
	below.array = p->array->children[child];
	below.at = below.array->offset + from;
	below.n = n;
	return below;
}

/* ---- buffers ---- */

/* n elements of buffer number i from element `at` on: wrapped where they are aligned. */
static sheaf_status take_elements(const part *p, int i, int64_t at, int64_t n, size_t size, sheaf_builder *to,
                                  sheaf_error *err)
{
	size_t bytes, before;
	sheaf_buffer buffer = {0};
	sheaf_builder_drop(to);
	if (n == 0) return SHEAF_OK;
	const uint8_t *data = (const uint8_t *)p->array->buffers[i];
	if (!data || !sheaf_mul_size(&bytes, (uint64_t)n, size) || !sheaf_mul_size(&before, (uint64_t)at, size))
		return damaged(p, "a buffer with its elements", i, err);
	data += before;
	if ((uintptr_t)data % size) {
		sheaf_builder_append(to, data, bytes);
		return sheaf_builder_status(to, err);
	}
	/* Nobody writes there. */
	SHEAF_TRY(sheaf_buffer_wrap(p->b->cx, (uint8_t *)(uintptr_t)data, bytes, let_go, p->taken, &buffer, err));
	atomic_fetch_add(&p->taken->owners, 1);
	sheaf_builder_hold(to, &buffer);
	return SHEAF_OK;
}

static bool bit_at(const uint8_t *bits, int64_t i) { return bits[i / 8] >> (i % 8) & 1; }

/* The bits of what is there; NULL: everything is. */
static const uint8_t *valid_bits(const part *p)
{
	bool none = p->array->null_count == 0 || p->array->n_buffers < 1 || !p->array->buffers;
	return none ? NULL : (const uint8_t *)p->array->buffers[0];
}

static bool is_there(const part *p, int64_t i)
{
	const uint8_t *bits = valid_bits(p);
	return !bits || bit_at(bits, p->at + i);
}

/* A bit for each position, where any is missing. */
static sheaf_status take_nulls(const part *p, sheaf_level_builder *level, sheaf_error *err)
{
	for (int64_t i = 0; valid_bits(p) && i < p->n; i++)
		if (!is_there(p, i)) {
			if (level->shape->missing == SHEAF_NEVER)
				return damaged(p, "no nulls, as its schema says: one at row", i, err);
			sheaf_level_miss(level, i, 0);
		}
	return SHEAF_OK;
}

/* The bits end with the last one that is missing: they are filled up. */
static sheaf_status end_nulls(const part *p, sheaf_level_builder *level, sheaf_error *err)
{
	size_t bytes = (size_t)(p->n + 7) / 8, have = level->valid->size;
	if (have && have < bytes && sheaf_builder_room(level->valid, bytes - have)) {
		memset(level->valid->data + have, 0xff, bytes - have);
		level->valid->size = bytes;
	}
	return sheaf_builder_status(level->valid, err);
}

static sheaf_status refuse_nulls(const part *p, sheaf_error *err)
{
	for (int64_t i = 0; valid_bits(p) && i < p->n; i++)
		if (!is_there(p, i)) return damaged(p, "no nulls, which samples cannot be: one at position", i, err);
	return SHEAF_OK;
}

/* Offset i of the part's positions. */
static int64_t offset_at(const part *p, bool small, int64_t i)
{
	const void *offsets = p->array->buffers[1];
	int32_t narrow;
	int64_t wide;
	if (small)
		memcpy(&narrow, (const char *)offsets + (size_t)(p->at + i) * sizeof narrow, sizeof narrow);
	else
		memcpy(&wide, (const char *)offsets + (size_t)(p->at + i) * sizeof wide, sizeof wide);
	return small ? narrow : wide;
}

/* The offsets of a list; *below is where the last position ends. */
static sheaf_status take_offsets(const part *p, sheaf_builder *to, int64_t *below, sheaf_error *err)
{
	bool small = sheaf_arrow_type_of(p->schema).small;
	*below = 0;
	SHEAF_TRY(check_part(p, 2, err));
	sheaf_builder_drop(to);
	if (p->n == 0) {
		sheaf_builder_i64(to, 0);
		return sheaf_builder_status(to, err);
	}
	if (!p->array->buffers[1]) return damaged(p, "offsets", 0, err);
	*below = offset_at(p, small, p->n);
	if (*below < 0 || offset_at(p, small, 0) < 0) return damaged(p, "offsets of at least 0", *below, err);
	if (!small) return take_elements(p, 1, p->at, p->n + 1, sizeof(int64_t), to, err);
	for (int64_t i = 0; i <= p->n; i++) sheaf_builder_i64(to, offset_at(p, small, i));
	return sheaf_builder_status(to, err);
}

/* ---- numbers ---- */

static sheaf_status take_numbers(const part *p, sheaf_builder *to, sheaf_error *err)
{
	SHEAF_TRY(check_part(p, 2, err));
	size_t size = sheaf_type_size(sheaf_arrow_type_of(p->schema).number);
	return take_elements(p, 1, p->at, p->n, size, to, err);
}

static int64_t integer_at(const void *data, sheaf_type type, int64_t i)
{
	sheaf_items items = {.type = type};
	items.data = data;
	return sheaf_items_integer(&items, i);
}

/* Indices of entries, in the type that the dim asks for; all that are not inside it are found by the check of
 * the frame. */
static sheaf_status take_indices(const part *p, const sheaf_level_shape *shape, sheaf_builder *to,
                                 sheaf_error *err)
{
	sheaf_type type = sheaf_arrow_type_of(p->schema).number;
	if (type == shape->index_type) return take_numbers(p, to, err);
	SHEAF_TRY(check_part(p, 2, err));
	sheaf_builder_drop(to);
	for (int64_t i = 0; i < p->n; i++) {
		int64_t index = integer_at(p->array->buffers[1], type, p->at + i);
		if (index < 0 || index >= shape->extents[0]) return damaged(p, "an index below its dim", index, err);
		sheaf_put_index(to, shape->index_type, index);
	}
	return sheaf_builder_status(to, err);
}

static sheaf_status take_halves(const part *p, sheaf_builder *to, sheaf_error *err)
{
	SHEAF_TRY(check_part(p, 2, err));
	const uint16_t *halves = (const uint16_t *)p->array->buffers[1];
	for (int64_t i = 0; i < p->n; i++) {
		float value = sheaf_float_of_half(halves[p->at + i]);
		sheaf_builder_append(to, &value, sizeof value);
	}
	return sheaf_builder_status(to, err);
}

static sheaf_status take_bits(const part *p, sheaf_builder *to, sheaf_error *err)
{
	SHEAF_TRY(check_part(p, 2, err));
	const uint8_t *bits = (const uint8_t *)p->array->buffers[1];
	for (int64_t i = 0; i < p->n; i++) sheaf_builder_byte(to, (char)bit_at(bits, p->at + i));
	return sheaf_builder_status(to, err);
}

/* Seconds since 1970, with a zone two numbers: Arrow's instants are UTC's. */
static sheaf_status take_times(const part *p, sheaf_builder *to, sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(p->schema);
	SHEAF_TRY(check_part(p, 2, err));
	for (int64_t i = 0; i < p->n; i++) {
		int64_t time = is_there(p, i) ? integer_at(p->array->buffers[1], type.number, p->at + i) : 0;
		if (!sheaf_mul_i64(&time, time, type.seconds))
			return damaged(p, "times that 64 bits hold: one beyond", time, err);
		sheaf_builder_i64(to, time);
		if (type.zoned) sheaf_builder_i64(to, 0);
	}
	return sheaf_builder_status(to, err);
}

/* ---- texts ---- */

/* Text number i of an array of texts, of any layout. */
static sheaf_bytes text_at(const part *p, const sheaf_arrow_type *type, int64_t i)
{
	enum { VIEW = 16, SHORT = 12 };
	if (!type->views) {
		int64_t begin = offset_at(p, type->small, i), end = offset_at(p, type->small, i + 1);
		if (begin < 0 || end < begin) return (sheaf_bytes){0};
		return (sheaf_bytes){(const uint8_t *)p->array->buffers[2] + begin, (size_t)(end - begin)};
	}
	/* 16 bytes: the length, then the bytes themselves, or their first four, a buffer and a place in it. */
	const uint8_t *view = (const uint8_t *)p->array->buffers[1] + (p->at + i) * VIEW;
	int32_t head[4];
	memcpy(head, view, sizeof head);
	if (head[0] <= SHORT) return (sheaf_bytes){view + 4, head[0] > 0 ? (size_t)head[0] : 0};
	if (head[2] < 0 || head[3] < 0 || head[2] + 2 >= p->array->n_buffers - 1) return (sheaf_bytes){0};
	return (sheaf_bytes){(const uint8_t *)p->array->buffers[2 + head[2]] + head[3], (size_t)head[0]};
}

static void append_text(sheaf_column_builder *to, sheaf_bytes text)
{
	sheaf_builder_append(&to->values, text.data, text.size);
	sheaf_level_end(&to->levels[0], (int64_t)to->values.size);
}

/* Text by text: what is missing covers nothing, whatever Arrow's offsets say. */
static sheaf_status copy_texts(const part *p, sheaf_column_builder *to, sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(p->schema);
	SHEAF_TRY(check_part(p, type.views ? 2 : 3, err));
	sheaf_builder_i64(&to->levels[0].offsets, 0);
	for (int64_t i = 0; i < p->n; i++)
		append_text(to, is_there(p, i) ? text_at(p, &type, i) : (sheaf_bytes){0});
	return sheaf_builder_status(&to->levels[0].offsets, err);
}

/* An index for each row, into an array of texts. */
static sheaf_status copy_words(const part *p, sheaf_column_builder *to, sheaf_error *err)
{
	const struct ArrowArray *words = p->array->dictionary;
	sheaf_arrow_type index = sheaf_arrow_type_of(p->schema),
					 type = sheaf_arrow_type_of(p->schema->dictionary);
	SHEAF_TRY(check_part(p, 2, err));
	if (!words || index.class != SHEAF_IS_NUMBER || index.number >= SHEAF_F32)
		return damaged(p, "a dictionary and indices into it", 0, err);
	part all = *p;
	all.schema = p->schema->dictionary;
	all.array = words;
	all.at = words->offset;
	all.n = words->length;
	SHEAF_TRY(check_part(&all, type.views ? 2 : 3, err));
	sheaf_builder_i64(&to->levels[0].offsets, 0);
	for (int64_t i = 0; i < p->n; i++) {
		int64_t word = is_there(p, i) ? integer_at(p->array->buffers[1], index.number, p->at + i) : -1;
		if (is_there(p, i) && (word < 0 || word >= all.n))
			return damaged(p, "an index below the size of its dictionary", word, err);
		bool there = word >= 0 && is_there(&all, word);
		if (word >= 0 && !there && !(p->schema->flags & ARROW_FLAG_NULLABLE))
			return damaged(p, "no nulls in the dictionary of a column without them: row", i, err);
		if (word >= 0 && !there) sheaf_level_miss(&to->levels[0], i, 0);
		append_text(to, there ? text_at(&all, &type, word) : (sheaf_bytes){0});
	}
	return sheaf_builder_status(&to->levels[0].offsets, err);
}

static sheaf_status take_texts(const part *p, sheaf_column_builder *to, sheaf_error *err)
{
	int64_t size;
	if (p->schema->dictionary) return copy_words(p, to, err);
	if (sheaf_arrow_type_of(p->schema).views || valid_bits(p)) return copy_texts(p, to, err);
	SHEAF_TRY(check_part(p, 3, err));
	SHEAF_TRY(take_offsets(p, &to->levels[0].offsets, &size, err));
	return take_elements(p, 2, 0, size, 1, &to->values, err);
}

/* ---- columns ---- */

static sheaf_status take_values(const part *p, sheaf_column_builder *to, sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(p->schema->dictionary ? p->schema->dictionary : p->schema);
	switch (type.class) {
	case SHEAF_IS_HALF: return take_halves(p, &to->values, err);
	case SHEAF_IS_BITS: return take_bits(p, &to->values, err);
	case SHEAF_IS_TIME: return take_times(p, &to->values, err);
	case SHEAF_IS_TEXT:
	case SHEAF_IS_BYTES: return take_texts(p, to, err);
	case SHEAF_IS_FIXED_BYTES:
		SHEAF_TRY(check_part(p, 2, err));
		return take_elements(p, 1, p->at * type.width, p->n * type.width, 1, &to->values, err);
	case SHEAF_IS_NULLS:
		for (int64_t i = 0; i < p->n; i++) {
			sheaf_level_miss(&to->levels[0], i, 0);
			sheaf_put_real(&to->values, SHEAF_F64, 0);
		}
		return sheaf_builder_status(&to->values, err);
	default: return take_numbers(p, &to->values, err);
	}
}

static sheaf_status take_item(const part *p, sheaf_column_builder *to, sheaf_error *err)
{
	sheaf_level_builder *level = to->field->nlevels ? &to->levels[0] : NULL;
	SHEAF_TRY(level ? take_nulls(p, level, err) : refuse_nulls(p, err));
	SHEAF_TRY(take_values(p, to, err));
	return level ? end_nulls(p, level, err) : SHEAF_OK;
}

/* The numbers that the positions of a fixed list cover. */
static sheaf_status take_fixed(const part *p, sheaf_builder *to, sheaf_error *err)
{
	int64_t width = sheaf_arrow_type_of(p->schema).width, from, n;
	SHEAF_TRY(check_part(p, 1, err));
	if (!sheaf_mul_i64(&from, p->at, width) || !sheaf_mul_i64(&n, p->n, width))
		return damaged(p, "positions that 64 bits count", p->n, err);
	part values = part_of_child(p, 0, from, n);
	SHEAF_TRY(refuse_nulls(&values, err));
	return take_numbers(&values, to, err);
}

static sheaf_status take_dense(const part *p, sheaf_column_builder *to, sheaf_error *err)
{
	int64_t samples;
	SHEAF_TRY(refuse_nulls(p, err));
	SHEAF_TRY(take_offsets(p, &to->levels[0].offsets, &samples, err));
	part below = part_of_child(p, 0, 0, samples);
	SHEAF_TRY(refuse_nulls(&below, err));
	if (sheaf_arrow_type_of(below.schema).class == SHEAF_IS_FIXED_LIST)
		return take_fixed(&below, &to->values, err);
	return take_numbers(&below, &to->values, err);
}

static sheaf_status take_vectors(const part *p, sheaf_column_builder *to, sheaf_error *err)
{
	SHEAF_TRY(refuse_nulls(p, err));
	for (int64_t i = 0; i <= p->n; i++) sheaf_builder_i64(&to->levels[0].offsets, i);
	SHEAF_TRY(sheaf_builder_status(&to->levels[0].offsets, err));
	return take_fixed(p, &to->values, err);
}

static sheaf_status take_sparse(const part *p, sheaf_column_builder *to, sheaf_error *err)
{
	int64_t samples, entries;
	SHEAF_TRY(refuse_nulls(p, err));
	SHEAF_TRY(take_offsets(p, &to->levels[0].offsets, &samples, err));
	part sample = part_of_child(p, 0, 0, samples);
	SHEAF_TRY(refuse_nulls(&sample, err));
	SHEAF_TRY(take_offsets(&sample, &to->levels[1].offsets, &entries, err));
	part entry = part_of_child(&sample, 0, 0, entries);
	SHEAF_TRY(check_part(&entry, 1, err));
	SHEAF_TRY(refuse_nulls(&entry, err));
	part index = part_of_child(&entry, 0, entry.at, entries),
		 value = part_of_child(&entry, 1, entry.at, entries);
	SHEAF_TRY(refuse_nulls(&index, err));
	SHEAF_TRY(refuse_nulls(&value, err));
	SHEAF_TRY(take_indices(&index, to->levels[1].shape, &to->levels[1].indices[0], err));
	return take_numbers(&value, &to->values, err);
}

static sheaf_status take_column(const part *p, sheaf_column_builder *to, sheaf_error *err)
{
	sheaf_taking taking;
	SHEAF_TRY(sheaf_arrow_taking(p->schema, &taking, err));
	to->given = true;
	for (int l = 0; l < to->field->nlevels; l++) to->levels[l].offsets.size = 0;
	switch (taking) {
	case SHEAF_TAKE_DENSE: return take_dense(p, to, err);
	case SHEAF_TAKE_VECTOR: return take_vectors(p, to, err);
	case SHEAF_TAKE_SPARSE: return take_sparse(p, to, err);
	case SHEAF_TAKE_COMPLEX:
		SHEAF_TRY(take_nulls(p, &to->levels[0], err));
		SHEAF_TRY(end_nulls(p, &to->levels[0], err));
		return take_fixed(p, &to->values, err);
	case SHEAF_TAKE_ITEM: break;
	}
	return take_item(p, to, err);
}

sheaf_status sheaf_arrow_take(sheaf_arrow_taken *taken, const struct ArrowSchema *rows,
                              sheaf_frame_builder *b, sheaf_error *err)
{
	part all = {.taken = taken,
	            .b = b,
	            .schema = rows,
	            .array = &taken->array,
	            .name = "",
	            .at = taken->array.offset,
	            .n = taken->array.length};
	SHEAF_TRY(check_part(&all, 1, err));
	SHEAF_TRY(refuse_nulls(&all, err));
	for (int c = 0; c < (int)rows->n_children; c++) {
		part column = part_of_child(&all, c, all.at, all.n);
		column.name = column.schema->name;
		SHEAF_TRY(take_column(&column, &b->columns[c], err));
	}
	sheaf_build_rows(b, all.n);
	return SHEAF_OK;
}
