/* SPDX-License-Identifier: MIT */
/* The body of a record batch as an array of the C data interface (section "RecordBatch message"). Nothing in
 * that interface says how long a buffer is, so everything on which its readers rely is checked here: each
 * buffer has the size that its type and length require, offsets ascend and end within the bytes, views are
 * within theirs. */
#include "arrow/memory.h"
#include "base/checked.h"
#include "base/endian.h"
#include "format/arrow/ipc.h"
#include "io/filters/filter.h"
#include <inttypes.h>
#include <stdio.h>

enum { LENGTH, NODES, BUFFERS, VARIADIC = 4 }; /* slots of RecordBatch */
enum { NODE = 16, BUFFER = 16, COUNT = 8 };    /* size of their items */
enum { VIEW = 16, SHORT_VIEW = 12, ALIGNED = 8 };

static const int64_t nothing; /* for texts of no bytes */
/* A dictionary without values, of any type. */
static const void *const no_buffers[3];
static const struct ArrowArray no_words = {.n_buffers = 3, .buffers = (const void **)(uintptr_t)no_buffers};

/* Positions of an array: n of them from number `from` on. */
typedef struct range {
	int64_t from, n;
} range;

/* What an array owns, in one block with its children and its buffers, which follow it. */
typedef struct array_memory {
	sheaf_context *owner;
	size_t size;
	int64_t nbuffers;
	sheaf_buffer *held;
	struct ArrowArray *children;
	struct ArrowArray *pointers[];
} array_memory;

/* A walk through nodes and buffers in the order of the fields. */
typedef struct walk {
	sheaf_ipc_body *body;
	sheaf_fb_vector nodes, buffers, variadic;
	int64_t node, buffer, count; /* the next ones */
	int depth;                   /* below columns, in their lists */
	int64_t nulls, of_nulls;     /* arrays of nulls so far, and the buffers of each */
	const char *column;          /* for messages */
	sheaf_error *err;
} walk;

/* The sentence says what was expected and found, up to a number. */
static sheaf_status unsound(const walk *w, const char *sentence, int64_t number)
{
	if (!*w->column) return sheaf_fail(w->err, SHEAF_DATA, "arrow: expected %s %" PRId64, sentence, number);
	return sheaf_fail(w->err, SHEAF_DATA, "arrow column \"%s\": expected %s %" PRId64, w->column, sentence,
	                  number);
}

/* ---- buffers ---- */

static sheaf_status copy_bytes(const walk *w, sheaf_bytes from, sheaf_buffer *out)
{
	sheaf_builder b = {.cx = w->body->cx};
	sheaf_builder_append(&b, from.data, from.size);
	return sheaf_builder_finish(&b, out, w->err);
}

/* Unpacks a stored buffer. It begins with the size that it has unpacked; -1 says that it is not compressed
 * after all. */
static sheaf_status decompress(const walk *w, sheaf_bytes stored, sheaf_buffer *out)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = w->body->cx};
	if (stored.size < ALIGNED)
		return unsound(w, "8 bytes with the size of a compressed buffer, found", (int64_t)stored.size);
	int64_t size = sheaf_load_i64le(stored.data);
	stored = (sheaf_bytes){stored.data + ALIGNED, stored.size - ALIGNED};
	if (size == -1) return copy_bytes(w, stored, out);
	if (size < 0) return unsound(w, "a buffer of 0 bytes or more, found", size);
	if (size > 0 && sheaf_builder_room(&b, (uint64_t)size)) {
		SHEAF_TRY(sheaf_ipc_decompress(w->body->message->codec, stored, b.data, (size_t)size, b.cx, w->err));
		b.size = (size_t)size;
	}
	return sheaf_builder_finish(&b, out, w->err);
}

/* Turns the numbers of a buffer, of `unit` bytes each, into the order of this machine. A view has the size of
 * its text and either the text itself, if that is short, or its first four letters and two more numbers: all
 * words are turned, and then the letters are put back. */
static sheaf_status swap(const walk *w, int64_t unit, bool views, sheaf_buffer *buffer)
{
	enum { WORD = 4, LETTERS = 4 };
	sheaf_builder b = {.cx = w->body->cx};
	size_t each = views ? WORD : (size_t)unit;
	uint8_t *to = sheaf_builder_extend(&b, buffer->size);
	if (to) sheaf_copy_reversed(to, buffer->data, buffer->size / each, each);
	for (size_t at = 0; to && views && at + VIEW <= buffer->size; at += VIEW) {
		int32_t size;
		memcpy(&size, to + at, sizeof size);
		size_t kept = size >= 0 && size <= SHORT_VIEW ? SHORT_VIEW : LETTERS;
		memcpy(to + at + WORD, buffer->data + at + WORD, kept);
	}
	sheaf_buffer_reset(buffer);
	return sheaf_builder_finish(&b, buffer, w->err);
}

/* Takes the next buffer of the walk: a part of the body or, if it is compressed or not at a multiple of 8,
 * memory of its own. One without bytes is left empty, wherever it claims to be. */
static sheaf_status take_buffer(walk *w, sheaf_buffer *out)
{
	int64_t at = sheaf_fb_long_at(&w->buffers, BUFFER, w->buffer, 0);
	int64_t size = sheaf_fb_long_at(&w->buffers, BUFFER, w->buffer++, 1);
	const sheaf_buffer *bytes = &w->body->bytes;
	if (size == 0) return SHEAF_OK;
	if (at < 0 || size < 0 || (uint64_t)at > bytes->size || (uint64_t)size > bytes->size - (uint64_t)at)
		return unsound(w, "buffers inside of the body, found one at byte", at);
	sheaf_bytes stored = {bytes->data + at, (size_t)size};
	if (w->body->message->codec != SHEAF_IPC_PLAIN) return decompress(w, stored, out);
	if ((uintptr_t)stored.data % ALIGNED) return copy_bytes(w, stored, out);
	*out = sheaf_buffer_part(bytes, (size_t)at, (size_t)size);
	return SHEAF_OK;
}

/* ---- arrays ---- */

/* The `release` of an array that was made here. Children that could not be made, or were moved, have none. */
static void release_array(struct ArrowArray *array)
{
	array_memory *m = (array_memory *)array->private_data;
	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release) array->children[i]->release(array->children[i]);
	for (int64_t i = 0; i < m->nbuffers; i++) sheaf_buffer_reset(&m->held[i]);
	array->release = NULL;
	sheaf_arrow_release(m->owner, m, m->size);
}

/* Makes an array in one block: what it owns, the pointers to its n children, these, which are zeros and
 * therefore count as released, the buffers that it holds, which are empty, and their addresses, which are
 * NULL. */
static sheaf_status new_array(const walk *w, int64_t nbuffers, int64_t n, struct ArrowArray *out)
{
	array_memory *m;
	size_t each = sizeof(struct ArrowArray *) + sizeof(struct ArrowArray);
	size_t size = sizeof(array_memory) + (size_t)n * each +
	              (size_t)nbuffers * (sizeof(sheaf_buffer) + sizeof(void *)) + sizeof(void *);
	SHEAF_TRY(sheaf_arrow_allocate(w->body->cx, size, &m, w->err));
	m->owner = sheaf_context_owner(w->body->cx);
	m->size = size;
	m->nbuffers = nbuffers;
	m->children = (struct ArrowArray *)(void *)(m->pointers + n);
	m->held = (sheaf_buffer *)(void *)(m->children + n);
	for (int64_t i = 0; i < n; i++) m->pointers[i] = &m->children[i];
	*out = (struct ArrowArray){.n_buffers = nbuffers,
	                           .n_children = n,
	                           .buffers = (const void **)(void *)(m->held + nbuffers),
	                           .children = n ? m->pointers : NULL,
	                           .release = release_array,
	                           .private_data = m};
	return SHEAF_OK;
}

/* The buffers that an array owns. */
static sheaf_buffer *held(const struct ArrowArray *array)
{
	return ((array_memory *)array->private_data)->held;
}

/* Shows readers a buffer that the array owns by now. One of texts without bytes is not NULL, as some readers
 * rely on that. */
static void show(struct ArrowArray *array, int64_t i)
{
	const sheaf_buffer *buffer = &held(array)[i];
	array->buffers[i] = buffer->size ? buffer->data : i > 1 ? (const void *)&nothing : NULL;
}

/* How many bytes buffer 1 holds for each position; 0: it holds bits, or there is none. */
static int64_t width_of(const sheaf_arrow_type *type)
{
	switch (type->class) {
	case SHEAF_IS_NUMBER:
	case SHEAF_IS_TIME: return (int64_t)sheaf_type_size(type->number);
	case SHEAF_IS_HALF: return 2;
	case SHEAF_IS_DECIMAL:
	case SHEAF_IS_FIXED_BYTES: return type->width;
	case SHEAF_IS_TEXT:
	case SHEAF_IS_BYTES:
	case SHEAF_IS_LIST:
	case SHEAF_IS_LIST_VIEW: return type->views ? VIEW : type->small ? 4 : 8;
	default: return 0;
	}
}

/* How many bytes buffer 1 of such an array must have for n positions; -1: it has none. Offsets are one more
 * than positions, except that an array without positions may leave them out. INT64_MAX stands for more than
 * can be counted, and no buffer has that. */
static int64_t bytes_for(const sheaf_arrow_type *type, int64_t n)
{
	int64_t width = width_of(type), bytes;
	bool offsets =
		type->class == SHEAF_IS_TEXT || type->class == SHEAF_IS_BYTES || type->class == SHEAF_IS_LIST;
	if (type->class == SHEAF_IS_BITS) return n / 8 + (n % 8 != 0);
	if (width == 0) return -1;
	n += offsets && !type->views && n > 0 && n < INT64_MAX;
	return sheaf_mul_i64(&bytes, n, width) ? bytes : INT64_MAX;
}

/* A number of 32 bits in the order of this machine, at any address. */
static int64_t word_at(const uint8_t *from)
{
	int32_t word;
	memcpy(&word, from, sizeof word);
	return word;
}

/* Offset i of a list, or of texts. */
static int64_t offset_at(const sheaf_arrow_type *type, const uint8_t *offsets, int64_t i)
{
	int64_t wide;
	if (type->small) return word_at(offsets + 4 * i);
	memcpy(&wide, offsets + 8 * i, sizeof wide);
	return wide;
}

/* Checks the offsets of texts, or of bytes, in a range: they ascend from 0 or more, and end within the bytes.
 */
static sheaf_status check_texts(const walk *w, const sheaf_arrow_type *type, const struct ArrowArray *array,
                                range r)
{
	int64_t last = 0;
	for (int64_t i = r.from; r.n > 0 && i <= r.from + r.n; i++) {
		int64_t offset = offset_at(type, held(array)[1].data, i);
		if (offset < last) return unsound(w, "offsets that ascend from 0 on, found", offset);
		last = offset;
	}
	if ((uint64_t)last > held(array)[2].size)
		return unsound(w, "texts that end within their bytes, found one that ends at byte", last);
	return SHEAF_OK;
}

/* Checks the views of texts, or of bytes, in a range. A view is the size of its text, then the text if it is
 * short; else its first four bytes, the number of a buffer after the views, and the byte in that where it
 * begins. The array's last buffer has sizes and no texts. */
static sheaf_status check_views(const walk *w, const struct ArrowArray *array, range r)
{
	for (int64_t i = r.from; i < r.from + r.n; i++) {
		const uint8_t *view = held(array)[1].data + VIEW * i;
		int64_t size = word_at(view), buffer = word_at(view + 8), at = word_at(view + 12);
		if (size >= 0 && size <= SHORT_VIEW) continue;
		if (size < 0 || buffer < 0 || at < 0 || buffer + 2 >= array->n_buffers - 1 ||
		    (uint64_t)(at + size) > held(array)[buffer + 2].size)
			return unsound(w, "texts that lie within their bytes, found one outside, in row", i);
	}
	return SHEAF_OK;
}

/* Finds how many buffers the batch has of the next array, and for views advances in the list of their
 * numbers. In version 4, unions and runs begin with one of what is missing. */
static sheaf_status count_buffers(walk *w, const struct ArrowSchema *field, int64_t *out)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(field);
	bool is_union_or_runs = strncmp(field->format, "+u", 2) == 0 || strcmp(field->format, "+r") == 0;
	*out = sheaf_ipc_buffers_of(field) + (w->body->message->old && is_union_or_runs);
	if (!type.views) return SHEAF_OK;
	int64_t n = w->count < w->variadic.count ? sheaf_fb_long_at(&w->variadic, COUNT, w->count++, 0) : -1;
	if (n < 0 || n > w->buffers.count)
		return unsound(w, "as many buffers for its views as there are, found", n);
	*out += n;
	return SHEAF_OK;
}

/* Passes what a batch has of a field and its children, unread: only counts nodes and buffers. */
static sheaf_status pass_array(walk *w, const struct ArrowSchema *field)
{
	int64_t n;
	SHEAF_TRY(count_buffers(w, field, &n));
	bool is_null = strcmp(field->format, "n") == 0;
	w->node++;
	w->nulls += is_null;
	w->buffer += is_null ? w->of_nulls : n;
	for (int64_t i = 0; i < field->n_children; i++) SHEAF_TRY(pass_array(w, field->children[i]));
	return SHEAF_OK;
}

/* Takes the buffers of an array, in the order of this machine, and checks them: the bits of what is missing
 * and the elements are as many as the array has positions, and texts of the range lie within their bytes. The
 * last buffer of views has only the sizes of the others, and is not in the batch. */
static sheaf_status take_buffers(walk *w, const sheaf_arrow_type *type, range r, struct ArrowArray *out)
{
	int64_t n = out->n_buffers - (type->views ? 1 : 0), bytes = bytes_for(type, out->length);
	for (int64_t i = 0; i < n; i++) {
		SHEAF_TRY(take_buffer(w, &held(out)[i]));
		bool counts = i == 1 || (i == 2 && type->class == SHEAF_IS_LIST_VIEW);
		bool numbers = counts && type->class != SHEAF_IS_FIXED_BYTES && width_of(type) > 1;
		if (w->body->swapped && numbers && held(out)[i].size)
			SHEAF_TRY(swap(w, width_of(type), type->views, &held(out)[i]));
		show(out, i);
	}
	uint64_t nulls = n > 0 ? held(out)[0].size : 0;
	if (n > 0 && nulls > 0 && nulls < (uint64_t)(out->length / 8 + (out->length % 8 != 0)))
		return unsound(w,
		               "a bit for each position that may be missing, found a bitmap whose size in bytes is",
		               (int64_t)nulls);
	if (n > 0 && nulls == 0 && out->null_count > 0)
		return unsound(w, "bits that say what is missing, found none, and a count of", out->null_count);
	if (nulls == 0) out->null_count = 0;
	if (bytes > 0 && (uint64_t)bytes > held(out)[1].size)
		return unsound(w, "a buffer as long as its type requires, found one whose size in bytes is",
		               (int64_t)held(out)[1].size);
	if (type->views) return check_views(w, out, r);
	if (type->class == SHEAF_IS_LIST_VIEW && (uint64_t)bytes > held(out)[2].size)
		return unsound(w, "a size for each list, found a buffer whose size in bytes is",
		               (int64_t)held(out)[2].size);
	return n == 3 && type->class != SHEAF_IS_LIST_VIEW ? check_texts(w, type, out, r) : SHEAF_OK;
}

static sheaf_status take_array(walk *w, const struct ArrowSchema *field, range r, struct ArrowArray *out);

/* Finds which positions of its children the positions of a range cover. */
static sheaf_status range_below(const walk *w, const sheaf_arrow_type *type, const struct ArrowArray *array,
                                range r, range *out)
{
	*out = r;
	if (type->class == SHEAF_IS_FIXED_LIST &&
	    (!sheaf_mul_i64(&out->from, r.from, type->width) || !sheaf_mul_i64(&out->n, r.n, type->width)))
		return unsound(w, "positions that 64 bits count, found", r.n);
	if (type->class == SHEAF_IS_LIST_VIEW || type->class == SHEAF_IS_RUNS) *out = (range){0, -1};
	if (type->class != SHEAF_IS_LIST) return SHEAF_OK;
	*out = (range){0};
	if (r.n == 0) return SHEAF_OK;
	int64_t from = offset_at(type, held(array)[1].data, r.from),
			end = offset_at(type, held(array)[1].data, r.from + r.n);
	if (from < 0 || end < from) return unsound(w, "offsets that ascend from 0 on, found", end);
	*out = (range){from, end - from};
	return SHEAF_OK;
}

/* Gives an array of indices the dictionary that was current when its batch was written: the newest one that
 * comes before the batch in the input. Without one an empty dictionary stands there, which is enough if all
 * indices are missing. The array does not own its dictionary. */
static sheaf_status look_up(const walk *w, const struct ArrowSchema *field, struct ArrowArray *out)
{
	int64_t id = sheaf_ipc_dictionary_of(field);
	const sheaf_ipc_words *words = w->body->lexicon ? sheaf_ipc_find_words(w->body->lexicon, id) : NULL;
	const sheaf_ipc_dictionary *d = words ? atomic_load_explicit(&words->newest, memory_order_acquire) : NULL;
	while (d && d->byte >= w->body->byte) d = d->before;
	out->dictionary = (struct ArrowArray *)(uintptr_t)&no_words;
	if (!d && out->null_count == out->length) return SHEAF_OK; /* nothing is looked up */
	if (!d)
		return unsound(w, "a dictionary before the first batch that needs it, found none with the number",
		               id);
	if (strcmp(words->field->dictionary->format, field->dictionary->format) != 0)
		return unsound(w, "values of one type in a dictionary, found another type in the one with the number",
		               id);
	out->dictionary = (struct ArrowArray *)&d->values; /* nobody writes to it, or releases it */
	return SHEAF_OK;
}

/* Takes the buffers of an array, and then its dictionary or its children. A field without buffers, whose
 * length costs nothing to write, must not be longer than EACH positions for each byte of the batch, beyond
 * FREE ones. */
static sheaf_status fill_array(walk *w, const struct ArrowSchema *field, const sheaf_arrow_type *type,
                               range r, struct ArrowArray *out)
{
	range below;
	enum { FREE = 1 << 16, EACH = 64 };
	if (out->n_buffers == 0 && out->length > FREE && (uint64_t)out->length / EACH > w->body->bytes.size)
		return unsound(w, "no more rows than a batch of its size has, found", out->length);
	SHEAF_TRY(take_buffers(w, type, r, out));
	if (field->dictionary) return look_up(w, field, out);
	SHEAF_TRY(range_below(w, type, out, r, &below));
	bool columns = !w->depth && !w->body->whole && sheaf_arrow_is_struct(field);
	w->depth += !columns;
	for (int64_t i = 0; i < out->n_children; i++) {
		if (columns && sheaf_arrow_is_left_out(field->children[i]))
			SHEAF_TRY(pass_array(w, field->children[i]));
		else
			SHEAF_TRY(take_array(w, field->children[i], below, out->children[i]));
	}
	w->depth -= !columns;
	return SHEAF_OK;
}

/* Takes the next array of the walk with all that is below it. For the positions in the range, everything on
 * which readers rely is checked; -1 of them stands for all. The array itself has all its positions. */
static sheaf_status take_array(walk *w, const struct ArrowSchema *field, range r, struct ArrowArray *out)
{
	struct ArrowArray node = {0};
	sheaf_arrow_type type = sheaf_arrow_type_of(field);
	int64_t n;
	node.length = sheaf_fb_long_at(&w->nodes, NODE, w->node, 0);
	node.null_count = sheaf_fb_long_at(&w->nodes, NODE, w->node++, 1);
	if (node.length < 0) return unsound(w, "a length of 0 or more, found", node.length);
	if (node.null_count < 0 || node.null_count > node.length)
		return unsound(w, "as many nulls as the length allows, found", node.null_count);
	if (r.n < 0) r = (range){0, node.length};
	if (r.from > node.length || r.n > node.length - r.from)
		return unsound(w, "as many positions as its parent covers, found a length of", node.length);
	SHEAF_TRY(count_buffers(w, field, &n));
	/* The last buffer of views has the sizes of the others. */
	SHEAF_TRY(new_array(w, n + type.views, field->n_children, out));
	if (type.class == SHEAF_IS_NULLS) w->buffer += w->of_nulls;
	out->length = node.length;
	out->null_count = node.null_count;
	sheaf_status status = fill_array(w, field, &type, r, out);
	if (status) out->release(out);
	return status;
}

/* ---- a batch ---- */

/* Begins a walk through a batch, after a first one that only counts: a batch has lengths and buffers of its
 * fields, and no others. Before version 0.17 a column of nulls had a buffer, which shows in their number. */
static sheaf_status begin(walk *w, sheaf_ipc_body *body, struct ArrowSchema *const *fields, int64_t n,
                          sheaf_error *err)
{
	const sheaf_fb_table *batch = &body->message->batch;
	*w = (walk){.body = body,
	            .nodes = sheaf_fb_items(batch, NODES, NODE),
	            .buffers = sheaf_fb_items(batch, BUFFERS, BUFFER),
	            .variadic = sheaf_fb_items(batch, VARIADIC, COUNT),
	            .column = "",
	            .err = err};
	walk all = *w;
	if (batch->in->broken)
		return unsound(w, "a header whose parts lie inside of it, found one outside; its size in bytes is",
		               (int64_t)batch->in->size);
	for (int64_t i = 0; i < n; i++) {
		all.column = fields[i]->name;
		SHEAF_TRY(pass_array(&all, fields[i]));
	}
	if (body->message->old && all.buffer + all.nulls == w->buffers.count) w->of_nulls = 1;
	if (all.node != w->nodes.count) return unsound(w, "a length for each field, found", w->nodes.count);
	if (all.buffer + all.nulls * w->of_nulls != w->buffers.count || all.count != w->variadic.count)
		return unsound(w, "the buffers of all columns, found another number,", w->buffers.count);
	return SHEAF_OK;
}

sheaf_status sheaf_ipc_read_values(sheaf_ipc_body *body, struct ArrowSchema *values, struct ArrowArray *out,
                                   sheaf_error *err)
{
	walk w;
	out->release = NULL;
	SHEAF_TRY(begin(&w, body, &values, 1, err));
	return take_array(&w, values, (range){0, -1}, out);
}

/* ---- values that are added to others ---- */

/* Joins two arrays of one type. */
typedef struct joint {
	const walk *w;
	const sheaf_arrow_type *type;
	const struct ArrowArray *const *parts;
} joint;

/* Joins the validity bits of both parts, one after the other; a part without bits has all its values. */
static void join_nulls(const joint *j, sheaf_builder *b)
{
	int64_t n = j->parts[0]->length + j->parts[1]->length, at = 0;
	uint8_t *to = sheaf_builder_extend(b, (uint64_t)(n / 8 + 1));
	if (!to) return;
	memset(to, 0, (size_t)(n / 8 + 1));
	for (int p = 0; p < 2; p++) {
		const uint8_t *bits = (const uint8_t *)j->parts[p]->buffers[0];
		for (int64_t i = 0; i < j->parts[p]->length; i++, at++)
			if (!bits || (bits[i / 8] >> i % 8 & 1)) to[at / 8] = (uint8_t)(to[at / 8] | 1u << at % 8);
	}
}

/* Appends an offset in the width of the type. */
static void put_offset(const joint *j, sheaf_builder *b, int64_t offset)
{
	int32_t narrow = (int32_t)offset;
	sheaf_builder_append(b, j->type->small ? (const void *)&narrow : &offset,
	                     j->type->small ? sizeof narrow : sizeof offset);
}

/* Joins texts: the bytes of both parts, one after the other, and offsets into these. */
static sheaf_status join_texts(const joint *j, sheaf_builder *offsets, sheaf_builder *bytes)
{
	int64_t end = 0;
	put_offset(j, offsets, 0);
	for (int p = 0; p < 2; p++) {
		const struct ArrowArray *part = j->parts[p];
		const uint8_t *from = (const uint8_t *)part->buffers[1];
		if (part->length == 0) continue;
		int64_t first = offset_at(j->type, from, 0), last = offset_at(j->type, from, part->length);
		for (int64_t i = 1; i <= part->length; i++)
			put_offset(j, offsets, end + offset_at(j->type, from, i) - first);
		sheaf_builder_append(bytes, (const uint8_t *)part->buffers[2] + first, (size_t)(last - first));
		end += last - first;
	}
	if (j->type->small && end > INT32_MAX)
		return unsound(j->w, "a dictionary whose texts can be counted with 32 bits", end);
	return SHEAF_OK;
}

/* Joins all buffers of two arrays of one type: the bits if anything is missing, then texts, or the elements
 * of numbers, times and items of a fixed size, one after the other. */
static sheaf_status join_buffers(const joint *j, sheaf_builder b[3])
{
	if (j->parts[0]->null_count || j->parts[1]->null_count) join_nulls(j, &b[0]);
	if (j->parts[0]->n_buffers == 3) return join_texts(j, &b[1], &b[2]);
	for (int p = 0; p < 2; p++) {
		int64_t n = bytes_for(j->type, j->parts[p]->length);
		if (n > 0) sheaf_builder_append(&b[1], j->parts[p]->buffers[1], (size_t)n);
	}
	return SHEAF_OK;
}

/* Buffers that the type does not have stay empty. The new array owns copies of both parts. */
sheaf_status sheaf_ipc_join_values(sheaf_ipc_body *body, const struct ArrowSchema *values,
                                   const struct ArrowArray *const parts[2], struct ArrowArray *out,
                                   sheaf_error *err)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(values);
	const walk w = {.body = body, .column = values->name ? values->name : "", .err = err};
	const joint j = {&w, &type, parts};
	sheaf_builder b[3] = {{.cx = body->cx}, {.cx = body->cx}, {.cx = body->cx}};
	out->release = NULL;
	bool joinable = bytes_for(&type, 1) >= 0 && type.class != SHEAF_IS_BITS && type.class != SHEAF_IS_LIST &&
	                !type.views && values->n_children == 0 && !values->dictionary;
	if (!joinable)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "expected dictionaries of numbers, times or texts to be added to, found %s",
		                  values->format);
	SHEAF_TRY(new_array(&w, parts[0]->n_buffers, 0, out));
	out->length = parts[0]->length + parts[1]->length;
	out->null_count = parts[0]->null_count + parts[1]->null_count;
	sheaf_status status = join_buffers(&j, b);
	for (int64_t i = 0; i < out->n_buffers && !status; i++) {
		status = sheaf_builder_finish(&b[i], &held(out)[i], err);
		show(out, i);
	}
	for (int i = 0; i < 3; i++) sheaf_builder_drop(&b[i]);
	if (status) out->release(out);
	return status;
}

static int64_t rows_of_batch(const walk *w)
{
	return sheaf_fb_number(&w->body->message->batch, LENGTH, 8, 0);
}

/* Takes the columns that are read as children of the rows, and passes the others. Each must have as many
 * positions as the batch has rows. */
static sheaf_status take_columns(walk *w, const struct ArrowSchema *columns, struct ArrowArray *out)
{
	for (int64_t i = 0; i < columns->n_children; i++) {
		struct ArrowSchema *field = columns->children[i];
		w->column = field->name;
		if (!w->body->whole && sheaf_arrow_is_left_out(field)) {
			SHEAF_TRY(pass_array(w, field));
			continue;
		}
		struct ArrowArray *to = out->children[i];
		SHEAF_TRY(take_array(w, field, (range){out->offset, out->length}, to));
		if (to->length != rows_of_batch(w))
			return unsound(w, "as many rows as the batch has, found", to->length);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_ipc_read_rows(sheaf_ipc_body *body, const struct ArrowSchema *columns,
                                 struct ArrowArray *out, sheaf_error *err)
{
	walk w;
	out->release = NULL;
	SHEAF_TRY(begin(&w, body, columns->children, columns->n_children, err));
	SHEAF_TRY(new_array(&w, 1, columns->n_children, out));
	out->offset = body->first;
	out->length = body->rows < 0 ? rows_of_batch(&w) : body->rows;
	sheaf_status status = out->length < 0 ? unsound(&w, "a batch of 0 rows or more", out->length) : SHEAF_OK;
	if (!status) status = take_columns(&w, columns, out);
	if (status) out->release(out);
	return status;
}
