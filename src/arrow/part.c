/* SPDX-License-Identifier: MIT */
/* Arrow's buffers as ours: wrapped if Arrow's form equals ours, else converted.
 *
 * A wrapped buffer keeps the array that it is of, and the array is released with the last of its buffers, on
 * whatever thread that is. All that is read is a part of an array: some positions of it, from `at` on in its
 * buffers, where the array's own offset is already added. Arrow's buffers have no sizes, so that what a part
 * says of its positions is all that can be checked; the format checks sizes before, where the array comes
 * from a file. */
#include "arrow/part.h"
#include "base/checked.h"
#include "number/date.h"
#include "number/half.h"
#include <inttypes.h>
#include <sheaf/arrays.h>
#include <string.h>

/* ---- arrays that are shared ---- */

sheaf_status sheaf_arrow_taken_new(struct ArrowArray *array, sheaf_context *cx, sheaf_arrow_taken **out,
                                   sheaf_error *err)
{
	sheaf_arrow_taken *taken;
	SHEAF_TRY(sheaf_arrow_allocate(cx, sizeof *taken, &taken, err));
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
	sheaf_arrow_release(taken->owner, taken, sizeof *taken);
}

/* What a wrapped buffer does at its end. */
static void let_go(void *user, uint8_t *data, size_t size)
{
	(void)data, (void)size;
	sheaf_arrow_taken_let_go((sheaf_arrow_taken *)user);
}

/* ---- ranges of arrays ---- */

sheaf_status sheaf_arrow_damaged(const sheaf_arrow_part *p, const char *sentence, int64_t number,
                                 sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "arrow column \"%s\": expected %s %" PRId64, p->name, sentence,
	                  number);
}

/* Arrow's buffers have no sizes, so this compares the part with the array's own length, offset and numbers of
 * buffers and children. Buffer 0 has the validity bits, and may be NULL; buffer 1 has the elements or offsets
 * of every type that has more than one buffer, so it must be there if there are positions. */
sheaf_status sheaf_arrow_check_part(const sheaf_arrow_part *p, int64_t buffers, sheaf_error *err)
{
	int64_t end;
	if (p->array->n_buffers < buffers || (buffers > 0 && !p->array->buffers))
		return sheaf_arrow_damaged(p, "the buffers of its type, found", p->array->n_buffers, err);
	if (!sheaf_add_i64(&end, p->at, p->n) || p->array->length < 0 ||
	    end > p->array->offset + p->array->length)
		return sheaf_arrow_damaged(p, "as many positions as its parent covers, found", p->array->length, err);
	if (p->n > 0 && buffers > 1 && !p->array->buffers[1])
		return sheaf_arrow_damaged(p, "its elements, found none in buffer", 1, err);
	if (p->array->n_children != p->schema->n_children)
		return sheaf_arrow_damaged(p, "the children of its schema, found", p->array->n_children, err);
	return SHEAF_OK;
}

sheaf_arrow_part sheaf_arrow_part_of_rows(sheaf_arrow_taken *taken, const struct ArrowSchema *rows,
                                          sheaf_frame_builder *b)
{
	return (sheaf_arrow_part){.taken = taken,
	                          .b = b,
	                          .schema = rows,
	                          .array = &taken->array,
	                          .name = "",
	                          .at = taken->array.offset,
	                          .n = taken->array.length};
}

/* The child has an offset of its own, which is added here, as in every part. */
sheaf_arrow_part sheaf_arrow_part_of_child(const sheaf_arrow_part *p, int child, int64_t from, int64_t n)
{
	sheaf_arrow_part below = *p;
	below.above = NULL;
	below.schema = p->schema->children[child];
	below.array = p->array->children[child];
	below.at = below.array->offset + from;
	below.n = n;
	return below;
}

/* ---- buffers ---- */

/* Takes elements `which` of the array's buffer number i, of `size` bytes each, into an emptied builder.
 * Aligned ones are wrapped: the builder holds Arrow's own memory, and the array gets one more owner, which
 * lets it go when the last buffer over it is released. Others are copied. */
static sheaf_status take_elements(const sheaf_arrow_part *p, int i, sheaf_arrow_below which, size_t size,
                                  sheaf_builder *to, sheaf_error *err)
{
	size_t bytes, before;
	sheaf_buffer buffer = {0};
	sheaf_builder_drop(to);
	if (which.n == 0) return SHEAF_OK;
	const uint8_t *data = (const uint8_t *)p->array->buffers[i];
	if (!data || !sheaf_mul_size(&bytes, (uint64_t)which.n, size) ||
	    !sheaf_mul_size(&before, (uint64_t)which.from, size))
		return sheaf_arrow_damaged(p, "its elements, found none in buffer", i, err);
	data += before;
	if ((uintptr_t)data % size) {
		sheaf_builder_append(to, data, bytes);
		return sheaf_builder_status(to, err);
	}
	/* Nobody writes to it. */
	SHEAF_TRY(sheaf_buffer_wrap(p->b->cx, (sheaf_lent){(uint8_t *)(uintptr_t)data, bytes, let_go, p->taken},
	                            &buffer, err));
	atomic_fetch_add(&p->taken->owners, 1);
	sheaf_builder_hold(to, &buffer);
	return SHEAF_OK;
}

static bool bit_at(const uint8_t *bits, int64_t i) { return bits[i / 8] >> (i % 8) & 1; }

/* The validity bits of the array, one for each of its positions, 1 for those that are there. NULL: nothing is
 * missing. A null_count of -1 means that nobody has counted, so the bits are looked at. */
static const uint8_t *valid_bits(const sheaf_arrow_part *p)
{
	bool none = p->array->null_count == 0 || p->array->n_buffers < 1 || !p->array->buffers;
	return none ? NULL : (const uint8_t *)p->array->buffers[0];
}

/* Whether positions of the part may be missing, or those of a struct that it is in. */
static bool may_miss(const sheaf_arrow_part *p) { return valid_bits(p) || (p->above && may_miss(p->above)); }

/* Whether the part's position i is not missing. */
static bool is_there(const sheaf_arrow_part *p, int64_t i)
{
	const uint8_t *bits = valid_bits(p);
	return (!bits || bit_at(bits, p->at + i)) && (!p->above || is_there(p->above, i));
}

/* Marks each null of the part as a missing position of the level. A null in a column whose schema allows none
 * is a flaw. */
sheaf_status sheaf_arrow_take_nulls(const sheaf_arrow_part *p, sheaf_level_builder *level, sheaf_error *err)
{
	for (int64_t i = 0; may_miss(p) && i < p->n; i++)
		if (!is_there(p, i)) {
			if (level->shape->missing == SHEAF_NEVER)
				return sheaf_arrow_damaged(p, "no nulls, as its schema says, found one in row", i, err);
			sheaf_level_miss(level, i, 0);
		}
	return SHEAF_OK;
}

/* The bits of a level end with its last missing position. This extends them to the part's last position, by
 * ones, since no position after it is missing; a level without bits keeps none. */
sheaf_status sheaf_arrow_end_nulls(const sheaf_arrow_part *p, sheaf_level_builder *level, sheaf_error *err)
{
	size_t bytes = (size_t)(p->n + 7) / 8, have = level->valid->size;
	if (have && have < bytes && sheaf_builder_room(level->valid, bytes - have)) {
		memset(level->valid->data + have, 0xff, bytes - have);
		level->valid->size = bytes;
	}
	return sheaf_builder_status(level->valid, err);
}

/* Fails at the first null, for positions that cannot be missing in ours, such as samples. A schema that
 * allows nulls makes them something that we do not support, and no flaw of the data. */
sheaf_status sheaf_arrow_refuse_nulls(const sheaf_arrow_part *p, sheaf_error *err)
{
	bool allowed = p->above || p->schema->flags & ARROW_FLAG_NULLABLE;
	sheaf_status status = allowed ? SHEAF_UNSUPPORTED : SHEAF_DATA;
	for (int64_t i = 0; may_miss(p) && i < p->n; i++)
		if (!is_there(p, i))
			return sheaf_fail(err, status,
			                  "arrow column \"%s\": expected samples that are there, found a null at "
			                  "position %" PRId64 " (the program that has written it can fill nulls, or "
			                  "leave them out)",
			                  p->name, i);
	return SHEAF_OK;
}

/* Offset i of the part: where what its position i covers begins. `small` offsets have 32 bits, others 64.
 * They are copied out, since buffers need not be aligned. */
static int64_t offset_at(const sheaf_arrow_part *p, bool small, int64_t i)
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

/* Takes the offsets of a list, of a text or of bytes, and finds the positions of the child, or bytes, that
 * they cover. Ours are of 64 bits and begin with 0: Arrow's are wrapped if they are like that, else
 * converted. Only the first and the last are looked at here; the check of the frame finds others that
 * descend. */
sheaf_status sheaf_arrow_take_offsets(const sheaf_arrow_part *p, sheaf_builder *to, sheaf_arrow_below *below,
                                      sheaf_error *err)
{
	bool small = sheaf_arrow_type_of(p->schema).small;
	*below = (sheaf_arrow_below){0};
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	sheaf_builder_drop(to);
	if (p->n == 0) {
		sheaf_builder_i64(to, 0);
		return sheaf_builder_status(to, err);
	}
	if (!p->array->buffers[1]) return sheaf_arrow_damaged(p, "offsets, found", 0, err);
	int64_t first = offset_at(p, small, 0), end = offset_at(p, small, p->n);
	if (first < 0 || end < first)
		return sheaf_arrow_damaged(p, "offsets that ascend from 0 on, found", end, err);
	*below = (sheaf_arrow_below){first, end - first};
	if (!small && first == 0)
		return take_elements(p, 1, (sheaf_arrow_below){p->at, p->n + 1}, sizeof(int64_t), to, err);
	for (int64_t i = 0; i <= p->n; i++) sheaf_builder_i64(to, offset_at(p, small, i) - first);
	return sheaf_builder_status(to, err);
}

/* ---- numbers ---- */

sheaf_status sheaf_arrow_take_numbers(const sheaf_arrow_part *p, sheaf_builder *to, sheaf_error *err)
{
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	size_t size = sheaf_type_size(sheaf_arrow_type_of(p->schema).number);
	return take_elements(p, 1, (sheaf_arrow_below){p->at, p->n}, size, to, err);
}

/* Integer i of an array of this type, which may lie at any address if another program made it. */
static int64_t integer_at(const void *data, sheaf_type type, int64_t i)
{
	int64_t room;
	size_t size = sheaf_type_size(type);
	sheaf_items items = {.type = type, .count = 1};
	items.data = memcpy(&room, (const uint8_t *)data + (size_t)i * size, size);
	return sheaf_items_integer(&items, 0);
}

/* Indices that have our type already are taken as they are, and the check of the frame finds those that are
 * out of range; others are checked here, while they are converted one by one. */
sheaf_status sheaf_arrow_take_indices(const sheaf_arrow_part *p, const sheaf_level_shape *shape,
                                      sheaf_builder *to, sheaf_error *err)
{
	sheaf_type type = sheaf_arrow_type_of(p->schema).number;
	if (type == shape->index_type) return sheaf_arrow_take_numbers(p, to, err);
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	sheaf_builder_drop(to);
	for (int64_t i = 0; i < p->n; i++) {
		int64_t index = integer_at(p->array->buffers[1], type, p->at + i);
		if (index < 0 || index >= shape->extent)
			return sheaf_arrow_damaged(p, "an index below its dim, found", index, err);
		sheaf_put_index(to, shape->index_type, index);
	}
	return sheaf_builder_status(to, err);
}

/* Appends the part's floats of 16 bits as floats of 32, which hold all of them. */
static sheaf_status take_halves(const sheaf_arrow_part *p, sheaf_builder *to, sheaf_error *err)
{
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	const uint8_t *halves = (const uint8_t *)p->array->buffers[1]; /* at any address */
	for (int64_t i = 0; i < p->n; i++) {
		uint16_t half;
		memcpy(&half, halves + (size_t)(p->at + i) * sizeof half, sizeof half);
		float value = sheaf_float_of_half(half);
		sheaf_builder_append(to, &value, sizeof value);
	}
	return sheaf_builder_status(to, err);
}

/* Appends the part's truth values, which Arrow packs as bits, as one byte each. */
static sheaf_status take_bits(const sheaf_arrow_part *p, sheaf_builder *to, sheaf_error *err)
{
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	const uint8_t *bits = (const uint8_t *)p->array->buffers[1];
	for (int64_t i = 0; i < p->n; i++) sheaf_builder_byte(to, (char)bit_at(bits, p->at + i));
	return sheaf_builder_status(to, err);
}

/* Appends the part's dates, times of day, timestamps or durations as int64. A time with a zone becomes two
 * numbers, of which the second is its offset from UTC: 0, because Arrow's timestamps are in UTC. What is
 * missing becomes 0, whatever lies under it. */
static sheaf_status take_times(const sheaf_arrow_part *p, sheaf_builder *to, sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(p->schema);
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	for (int64_t i = 0; i < p->n; i++) {
		int64_t time = is_there(p, i) ? integer_at(p->array->buffers[1], type.number, p->at + i) : 0;
		if (type.meaning == SHEAF_TIME && !sheaf_is_clock(time, type.digits))
			return sheaf_arrow_damaged(p, "times of day, found none in row", i, err);
		sheaf_builder_i64(to, time);
		if (type.meaning == SHEAF_DATETIMETZ) sheaf_builder_i64(to, 0);
	}
	return sheaf_builder_status(to, err);
}

/* Appends the part's decimals as the type that sheaf_arrow_decimal_type has chosen: integers, floats or texts
 * (U8), of which `level` gets the offsets. Each lies in `width` bytes; a missing one is an empty text, or 0.
 */
static sheaf_status take_decimals(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                                  sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(p->schema);
	sheaf_builder *offsets = type.number == SHEAF_U8 ? &to->levels[level].offsets : NULL;
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	const uint8_t *bytes = (const uint8_t *)p->array->buffers[1];
	if (offsets) sheaf_builder_i64(offsets, 0);
	for (int64_t i = 0; i < p->n && !to->values.failed; i++) {
		const uint8_t *decimal = is_there(p, i) ? bytes + (size_t)(p->at + i) * (size_t)type.width : NULL;
		if (!sheaf_arrow_put_decimal(&type, decimal, &to->values))
			return sheaf_arrow_damaged(p, "decimals of as many digits as their type says, found more in row",
			                           i, err);
		if (offsets) sheaf_builder_i64(offsets, (int64_t)to->values.size);
	}
	if (offsets) SHEAF_TRY(sheaf_builder_status(offsets, err));
	return sheaf_builder_status(&to->values, err);
}

/* ---- texts ---- */

/* Text i of the part, borrowed from the array: between two offsets into the bytes of buffer 2, or as a view.
 * Offsets that descend, and views whose numbers cannot be right, give an empty text: the format has refused
 * them if the array comes from a file, and from a program nothing more can be checked. */
static sheaf_bytes text_at(const sheaf_arrow_part *p, const sheaf_arrow_type *type, int64_t i)
{
	enum { VIEW = 16, SHORT = 12 };
	if (!type->views) {
		int64_t begin = offset_at(p, type->small, i), end = offset_at(p, type->small, i + 1);
		if (begin < 0 || end < begin) return (sheaf_bytes){0};
		return (sheaf_bytes){(const uint8_t *)p->array->buffers[2] + begin, (size_t)(end - begin)};
	}
	/* 16 bytes: the length, then either the bytes themselves, or their first four, a buffer index and an
	 * offset in it. */
	const uint8_t *view = (const uint8_t *)p->array->buffers[1] + (p->at + i) * VIEW;
	int32_t head[4];
	memcpy(head, view, sizeof head);
	if (head[0] <= SHORT) return (sheaf_bytes){view + 4, head[0] > 0 ? (size_t)head[0] : 0};
	if (head[2] < 0 || head[3] < 0 || head[2] + 2 >= p->array->n_buffers - 1) return (sheaf_bytes){0};
	return (sheaf_bytes){(const uint8_t *)p->array->buffers[2 + head[2]] + head[3], (size_t)head[0]};
}

/* Appends a text, and where it ends. */
static void append_text(sheaf_column_builder *to, int level, sheaf_bytes text)
{
	sheaf_builder_append(&to->values, text.data, text.size);
	sheaf_level_end(&to->levels[level], (int64_t)to->values.size);
}

/* Copies the part's texts one by one into the column, with their offsets in `level`. Missing ones cover
 * nothing, whatever Arrow's offsets say. */
static sheaf_status copy_texts(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                               sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(p->schema);
	SHEAF_TRY(sheaf_arrow_check_part(p, type.views ? 2 : 3, err));
	sheaf_builder_i64(&to->levels[level].offsets, 0);
	for (int64_t i = 0; i < p->n; i++)
		append_text(to, level, is_there(p, i) ? text_at(p, &type, i) : (sheaf_bytes){0});
	return sheaf_builder_status(&to->levels[level].offsets, err);
}

/* The part is encoded by a dictionary: its elements are integers, each the position of an item in another
 * array, the dictionary. *out becomes the part of all items of the dictionary. */
static sheaf_status find_dictionary(const sheaf_arrow_part *p, sheaf_arrow_part *out, sheaf_error *err)
{
	const struct ArrowArray *dictionary = p->array->dictionary;
	sheaf_arrow_type index = sheaf_arrow_type_of(p->schema);
	SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
	if (!dictionary || index.class != SHEAF_IS_NUMBER || index.number >= SHEAF_F32)
		return sheaf_arrow_damaged(p, "a dictionary and indices into it, found", 0, err);
	*out = *p;
	out->above = NULL;
	out->schema = p->schema->dictionary;
	out->array = dictionary;
	out->at = dictionary->offset;
	out->n = dictionary->length;
	return SHEAF_OK;
}

/* Finds which item of the dictionary position i stands for. *out is -1 if it stands for none: the position is
 * null, which whoever reads the column marks as missing, or the item itself is null, which is marked in
 * `level` here (NULL: the column has no level that could miss one, and that is a flaw). */
static sheaf_status find_index(const sheaf_arrow_part *p, const sheaf_arrow_part *dictionary, int64_t i,
                               sheaf_level_builder *level, int64_t *out, sheaf_error *err)
{
	*out = -1;
	if (!is_there(p, i)) return SHEAF_OK;
	int64_t index = integer_at(p->array->buffers[1], sheaf_arrow_type_of(p->schema).number, p->at + i);
	if (index < 0 || index >= dictionary->n)
		return sheaf_arrow_damaged(p, "an index below the size of its dictionary, found", index, err);
	if (is_there(dictionary, index)) {
		*out = index;
		return SHEAF_OK;
	}
	if (!level || !(p->schema->flags & ARROW_FLAG_NULLABLE))
		return sheaf_arrow_damaged(p, "no nulls in the dictionary of a column without them, found one in row",
		                           i, err);
	sheaf_level_miss(level, i, 0);
	return SHEAF_OK;
}

/* Copies the texts of a column that is encoded by a dictionary of texts: for each row the text that its index
 * stands for, with its end in `level`. A row that stands for none gets an empty text. */
static sheaf_status copy_dictionary_texts(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                                          sheaf_error *err)
{
	int64_t index;
	sheaf_arrow_part dictionary = {0};
	SHEAF_TRY(find_dictionary(p, &dictionary, err));
	sheaf_arrow_type type = sheaf_arrow_type_of(dictionary.schema);
	SHEAF_TRY(sheaf_arrow_check_part(&dictionary, type.views ? 2 : 3, err));
	sheaf_builder_i64(&to->levels[level].offsets, 0);
	for (int64_t i = 0; i < p->n; i++) {
		SHEAF_TRY(find_index(p, &dictionary, i, &to->levels[level], &index, err));
		append_text(to, level, index >= 0 ? text_at(&dictionary, &type, index) : (sheaf_bytes){0});
	}
	return sheaf_builder_status(&to->levels[level].offsets, err);
}

static void append_zeros(sheaf_builder *to, size_t n)
{
	static const uint8_t zeros[64];
	for (size_t left = n; left > 0; left -= left < sizeof zeros ? left : sizeof zeros)
		sheaf_builder_append(to, zeros, left < sizeof zeros ? left : sizeof zeros);
}

/* Copies the items of a column that is encoded by a dictionary of items of one size, such as numbers or
 * times. All items of the dictionary are first converted into a column of their own, `items`, which shares
 * the levels of *to but not its values; then each row gets a copy of its item. A row that stands for none
 * gets zeros, since every position has room for an item. */
static sheaf_status copy_dictionary_items(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                                          sheaf_error *err)
{
	int64_t index;
	sheaf_arrow_part dictionary = {0};
	SHEAF_TRY(find_dictionary(p, &dictionary, err));
	int nlevels = to->field->nlevels;
	const sheaf_level_shape *last = nlevels ? &to->field->levels[nlevels - 1] : NULL;
	sheaf_level_builder *gaps = level < nlevels ? &to->levels[level] : NULL;
	sheaf_column_builder items = *to;
	items.values = (sheaf_builder){.cx = p->b->cx};
	sheaf_status status = sheaf_arrow_take_values(&dictionary, &items, level, err);
	bool run = last && last->kind == SHEAF_FIXED && sheaf_means_run(to->field->meaning);
	size_t size = sheaf_type_size(to->field->type) * (run ? (size_t)last->extent : 1);
	for (int64_t i = 0; i < p->n && !status; i++) {
		status = find_index(p, &dictionary, i, gaps, &index, err);
		if (index < 0)
			append_zeros(&to->values, size);
		else
			sheaf_builder_append(&to->values, items.values.data + (size_t)index * size, size);
	}
	sheaf_builder_drop(&items.values);
	return status ? status : sheaf_builder_status(&to->values, err);
}

/* Takes a column of texts, or of bytes, with its offsets in `level`. Texts that are all there, in one buffer,
 * are wrapped; others are copied one by one. */
static sheaf_status take_texts(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                               sheaf_error *err)
{
	sheaf_arrow_below bytes;
	if (p->schema->dictionary) return copy_dictionary_texts(p, to, level, err);
	if (sheaf_arrow_type_of(p->schema).views || may_miss(p)) return copy_texts(p, to, level, err);
	SHEAF_TRY(sheaf_arrow_check_part(p, 3, err));
	SHEAF_TRY(sheaf_arrow_take_offsets(p, &to->levels[level].offsets, &bytes, err));
	return take_elements(p, 2, bytes, 1, &to->values, err);
}

/* ---- what is looked up ---- */

/* Makes *out the positions that the indices stand for, as many as there are, of a part's child. The
 * lookup holds what that part consists of. */
static sheaf_status look_up(const sheaf_arrow_part *p, int child, sheaf_arrow_lookup *lookup,
                            sheaf_arrow_part *out, sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_status(&lookup->indices, err));
	*out = *p;
	lookup->buffers[1] = lookup->indices.data;
	lookup->schema = (struct ArrowSchema){
		.format = "l", .flags = ARROW_FLAG_NULLABLE, .dictionary = p->schema->children[child]};
	lookup->array = (struct ArrowArray){.length = (int64_t)(lookup->indices.size / sizeof(int64_t)),
	                                    .n_buffers = 2,
	                                    .buffers = lookup->buffers,
	                                    .dictionary = p->array->children[child]};
	out->above = NULL;
	out->schema = &lookup->schema;
	out->array = &lookup->array;
	out->at = 0;
	out->n = lookup->array.length;
	return SHEAF_OK;
}

/* Size i of a list view. */
static int64_t size_at(const sheaf_arrow_part *p, bool small, int64_t i)
{
	return integer_at(p->array->buffers[2], small ? SHEAF_I32 : SHEAF_I64, p->at + i);
}

/* A list view has an offset and a size for each position, whose runs may overlap, or come in any order. A
 * missing one covers nothing. A few bytes could stand for any number of items, so that there is a limit. */
sheaf_status sheaf_arrow_take_lists(const sheaf_arrow_part *p, sheaf_builder *to, sheaf_arrow_lookup *lookup,
                                    sheaf_arrow_part *below, sheaf_error *err)
{
	enum { EACH = 64 };
	sheaf_arrow_below covered;
	sheaf_arrow_type type = sheaf_arrow_type_of(p->schema);
	*lookup = (sheaf_arrow_lookup){.indices = {.cx = p->b->cx}};
	if (type.class == SHEAF_IS_LIST) {
		SHEAF_TRY(sheaf_arrow_take_offsets(p, to, &covered, err));
		*below = sheaf_arrow_part_of_child(p, 0, covered.from, covered.n);
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_arrow_check_part(p, 3, err));
	if (p->n > 0 && !p->array->buffers[2]) return sheaf_arrow_damaged(p, "sizes of lists, found", 0, err);
	int64_t length = p->array->children[0]->length;
	sheaf_builder_drop(to);
	sheaf_builder_i64(to, 0);
	for (int64_t i = 0; i < p->n; i++) {
		int64_t from = offset_at(p, type.small, i), n = is_there(p, i) ? size_at(p, type.small, i) : 0;
		if (n && (from < 0 || n < 0 || from > length || n > length - from))
			return sheaf_arrow_damaged(p, "lists inside of their items, found one outside, in row", i, err);
		if ((int64_t)(lookup->indices.size / sizeof(int64_t)) / EACH > length + p->n)
			return sheaf_arrow_damaged(p, "lists that share items a few times, found more, in row", i, err);
		for (int64_t k = 0; k < n && !lookup->indices.failed; k++)
			sheaf_builder_i64(&lookup->indices, from + k);
		sheaf_builder_i64(to, (int64_t)(lookup->indices.size / sizeof(int64_t)));
	}
	SHEAF_TRY(sheaf_builder_status(to, err));
	return look_up(p, 0, lookup, below, err);
}

/* Finds for each position of the part the run that covers it: runs say where they end. */
static sheaf_status find_runs(const sheaf_arrow_part *p, sheaf_builder *indices, sheaf_error *err)
{
	sheaf_arrow_part ends = sheaf_arrow_part_of_child(p, 0, 0, p->array->children[0]->length);
	sheaf_type type = sheaf_arrow_type_of(ends.schema).number;
	SHEAF_TRY(sheaf_arrow_check_part(&ends, 2, err));
	for (int64_t i = 0, run = 0, end = 0; i < p->n && !indices->failed; i++) {
		for (; p->at + i >= end; run++) {
			if (run == ends.n)
				return sheaf_arrow_damaged(p, "runs for all positions, found none for row", i, err);
			int64_t next = integer_at(ends.array->buffers[1], type, ends.at + run);
			if (next <= end) return sheaf_arrow_damaged(p, "runs whose ends ascend, found", next, err);
			end = next;
		}
		sheaf_builder_i64(indices, run - 1);
	}
	return SHEAF_OK;
}

/* Takes runs of equal items. Those that are missing are missing among the items. */
static sheaf_status take_runs(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                              sheaf_error *err)
{
	sheaf_arrow_part items;
	sheaf_arrow_lookup lookup = {.indices = {.cx = p->b->cx}};
	SHEAF_TRY(sheaf_arrow_check_part(p, 0, err));
	sheaf_status status = find_runs(p, &lookup.indices, err);
	if (!status) status = look_up(p, 1, &lookup, &items, err);
	items.above = p->above;
	if (!status) status = sheaf_arrow_take_values(&items, to, level, err);
	sheaf_builder_drop(&lookup.indices);
	return status;
}

/* ---- items ---- */

/* Chooses by the class of the type, that of the dictionary's items if there is a dictionary. A column of
 * nulls becomes zeros that are all missing. */
sheaf_status sheaf_arrow_take_values(const sheaf_arrow_part *p, sheaf_column_builder *to, int level,
                                     sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(p->schema->dictionary ? p->schema->dictionary : p->schema);
	bool is_text = type.class == SHEAF_IS_TEXT || type.class == SHEAF_IS_BYTES;
	if (!p->schema->dictionary && type.class == SHEAF_IS_RUNS) return take_runs(p, to, level, err);
	if (p->schema->dictionary && !is_text) return copy_dictionary_items(p, to, level, err);
	switch (type.class) {
	case SHEAF_IS_HALF: return take_halves(p, &to->values, err);
	case SHEAF_IS_BITS: return take_bits(p, &to->values, err);
	case SHEAF_IS_TIME: return take_times(p, &to->values, err);
	case SHEAF_IS_DECIMAL: return take_decimals(p, to, level, err);
	case SHEAF_IS_TEXT:
	case SHEAF_IS_BYTES: return take_texts(p, to, level, err);
	case SHEAF_IS_FIXED_BYTES:
		SHEAF_TRY(sheaf_arrow_check_part(p, 2, err));
		return take_elements(p, 1, (sheaf_arrow_below){p->at * type.width, p->n * type.width}, 1, &to->values,
		                     err);
	case SHEAF_IS_NULLS:
		for (int64_t i = 0; i < p->n; i++) {
			sheaf_level_miss(&to->levels[level], i, 0);
			sheaf_put_real(&to->values, SHEAF_F64, 0);
		}
		return sheaf_builder_status(&to->values, err);
	default: return sheaf_arrow_take_numbers(p, &to->values, err);
	}
}
