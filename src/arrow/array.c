/* SPDX-License-Identifier: MIT */
/* Frames as Arrow's arrays, by Arrow's C data interface. Each node of the plan (plan.c) is an array, its
 * children are those of the node, and its buffers are, in Arrow's order: a bit for each position that is
 * there, offsets, values.
 *
 * Buffers are shared wherever Arrow's form equals ours; that is the case for offsets of 64 bits, indices,
 * numbers, texts and bits that begin with a byte. An array holds a reference to each of its buffers, and the
 * consumer releases all of it at some time, perhaps on another thread, and after the context's user has let
 * go of the context. */
#include "arrow/arrow.h"
#include "arrow/memory.h"
#include "base/buffer.h"
#include "base/extend.h"
#include "base/need.h"
#include "base/show.h"
#include "base/spell.h"
#include "frame/frame.h"
#include "number/kernels/utf8.h"
#include <inttypes.h>
#include <string.h>

enum { MOST_BUFFERS = 3 };

/* What an array owns, in one block with its children, which follow it. */
typedef struct array_memory {
	sheaf_context *owner;
	size_t size;
	sheaf_buffer held[MOST_BUFFERS];   /* references */
	const void *buffers[MOST_BUFFERS]; /* the bytes of these */
	struct ArrowArray *children;
	struct ArrowArray *pointers[];
} array_memory;

static const int64_t zero_offsets[2]; /* of arrays without positions, in either width */

/* The `release` of an array that was made here: lets go of its buffers and its children. A consumer may have
 * moved a child, which then has no `release` here. */
static void release_array(struct ArrowArray *array)
{
	array_memory *memory = (array_memory *)array->private_data;
	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release) array->children[i]->release(array->children[i]);
	for (int i = 0; i < MOST_BUFFERS; i++) sheaf_buffer_reset(&memory->held[i]);
	array->release = NULL;
	sheaf_arrow_release(memory->owner, memory, memory->size);
}

/* Makes an array in one block: what it owns, then the pointers to its n children, and these children, which
 * are zeros and therefore count as released. It has one buffer, the validity bitmap, which is NULL. */
static sheaf_status new_array(sheaf_context *cx, int64_t length, int n, struct ArrowArray *out,
                              sheaf_error *err)
{
	void *block;
	size_t size =
		sizeof(array_memory) + (size_t)n * (sizeof(struct ArrowArray *) + sizeof(struct ArrowArray));
	SHEAF_TRY(sheaf_arrow_allocate(cx, size, &block, err));
	array_memory *m = (array_memory *)block;
	m->owner = sheaf_context_owner(cx);
	m->size = size;
	m->children = (struct ArrowArray *)(void *)(m->pointers + n);
	for (int i = 0; i < n; i++) m->pointers[i] = &m->children[i];
	*out = (struct ArrowArray){.length = length,
	                           .n_buffers = 1,
	                           .n_children = n,
	                           .buffers = m->buffers,
	                           .children = n ? m->pointers : NULL,
	                           .release = release_array,
	                           .private_data = m};
	return SHEAF_OK;
}

/* ---- buffers ---- */

/* The source of a node's buffers. */
typedef struct making {
	const sheaf_arrow_plan *plan;
	const sheaf_arrow_node *node;
	const sheaf_column *column;
	const sheaf_level *level; /* whose positions are those of the array; NULL: they are values */
	int64_t n;                /* number of positions */
	int64_t row;              /* number of the first row, for messages */
	struct ArrowArray *out;
} making;

/* The number of the row to which a position belongs, for messages. It goes up from the position's level:
 * above a FIXED level by division, above any other to the last position that does not end before it. */
static int64_t row_of(const making *m, int64_t position)
{
	for (int l = m->level ? m->node->level : m->column->nlevels; l-- > 0;) {
		const sheaf_level *level = &m->column->levels[l];
		const int64_t *ends = sheaf_level_offsets(level);
		int64_t above = level->shape.kind == SHEAF_FIXED ? position / level->shape.extent : 0;
		while (level->shape.kind != SHEAF_FIXED && ends[above + 1] <= position) above++;
		position = above;
	}
	return m->row + position;
}

/* Makes a buffer the next one of the array, which takes it over. One without bytes is not NULL, as consumers
 * may read the first offset of an array without positions. */
static void put(const making *m, sheaf_buffer *buffer)
{
	array_memory *memory = (array_memory *)m->out->private_data;
	int64_t i = m->out->n_buffers++;
	memory->held[i] = *buffer;
	memory->buffers[i] = buffer->size ? (const void *)buffer->data : zero_offsets;
	*buffer = (sheaf_buffer){0};
}

static sheaf_status put_built(const making *m, sheaf_builder *b, sheaf_error *err)
{
	sheaf_buffer buffer = {0};
	SHEAF_TRY(sheaf_builder_finish(b, &buffer, err));
	put(m, &buffer);
	return SHEAF_OK;
}

/* Makes the first n elements of one of our buffers, of `size` bytes each, the next buffer of the array:
 * shared if they are aligned, else copied. */
static sheaf_status put_elements(const making *m, const sheaf_buffer *from, int64_t n, size_t size,
                                 sheaf_error *err)
{
	sheaf_buffer shared;
	sheaf_builder b;
	if ((uintptr_t)from->data % size == 0) {
		shared = sheaf_buffer_part(from, 0, (size_t)n * size);
		put(m, &shared);
		return SHEAF_OK;
	}
	sheaf_builder_begin(&b, m->plan->cx, NULL);
	sheaf_builder_append(&b, from->data, (size_t)n * size);
	return put_built(m, &b, err);
}

/* Room for n zero bytes, or NULL if there is none, which the builder reports when it is finished. */
static uint8_t *zeros(sheaf_builder *b, int64_t n)
{
	if (n == 0 || !sheaf_builder_room(b, (uint64_t)n)) return NULL;
	memset(b->data, 0, (size_t)n);
	b->size = (size_t)n;
	return b->data;
}

static void set_bit(uint8_t *bits, int64_t i) { bits[i / 8] |= (uint8_t)(1u << (i % 8)); }

/* A bit for each position, 1 where `is` says so. */
static sheaf_status put_bits(const making *m, bool (*is)(const making *m, int64_t p), sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, m->plan->cx, NULL);
	uint8_t *bits = zeros(&b, (m->n + 7) / 8);
	for (int64_t p = 0; bits && p < m->n; p++)
		if (is(m, p)) set_bit(bits, p);
	return put_built(m, &b, err);
}

static bool is_there(const making *m, int64_t p) { return sheaf_level_has(m->level, p); }
static bool is_imputed(const making *m, int64_t p) { return !sheaf_level_has(m->level, p); }
static bool is_true(const making *m, int64_t p) { return m->column->values.data[p] != 0; }

/* Makes the first buffer: the validity bitmap, which new_array has counted already, so that counting begins
 * again. It is NULL if nothing is missing. A null_count of -1 leaves counting to the consumer. Bits that
 * begin with a byte are shared, others are copied. Arrow cannot say why a position is missing; so unless the
 * codes have a field of their own, or the caller drops them, there must be none. */
static sheaf_status put_nulls(const making *m, sheaf_error *err)
{
	m->out->n_buffers = 0;
	sheaf_buffer none = {0};
	const sheaf_level_shape *nulls = sheaf_arrow_nulls(m->node);
	bool checks = nulls && !m->plan->options.codes && !m->plan->drops_codes && sheaf_level_codes(m->level);
	for (int64_t p = 0; checks && p < m->n; p++)
		if (sheaf_level_code(m->level, p))
			return sheaf_fail_option(err, SHEAF_LOSS, "codes",
			                         ": expected it for column \"%s\", whose missing values say why, "
			                         "found code %d",
			                         m->node->field->name, sheaf_level_code(m->level, p));
	if (!nulls || !sheaf_level_has_gaps(m->level)) {
		put(m, &none);
		m->out->buffers[0] = NULL;
		return SHEAF_OK;
	}
	m->out->null_count = -1;
	const sheaf_gaps *gaps = m->level->gaps;
	if (gaps->valid_at % 8) return put_bits(m, is_there, err);
	sheaf_buffer shared = sheaf_buffer_part(&gaps->valid, (size_t)gaps->valid_at / 8, (size_t)(m->n + 7) / 8);
	put(m, &shared);
	return SHEAF_OK;
}

/* Makes the offsets of the array's positions the next buffer: ours, of 64 bits, or copies of 32 bits for
 * programs that take only those, if they fit. */
static sheaf_status put_offsets(const making *m, sheaf_error *err)
{
	const sheaf_buffer *offsets = &m->level->offsets;
	if (!offsets->size) return put_elements(m, offsets, 0, sizeof(int64_t), err);
	if (!m->plan->options.small_offsets) return put_elements(m, offsets, m->n + 1, sizeof(int64_t), err);
	const int64_t *ends = sheaf_level_offsets(m->level);
	sheaf_builder b;
	if (ends[m->n] > INT32_MAX)
		return sheaf_fail_option(err, SHEAF_LIMIT, "small-offsets",
		                         ": expected at most %d positions in column \"%s\", found %" PRId64,
		                         INT32_MAX, m->node->field->name, ends[m->n]);
	sheaf_builder_begin(&b, m->plan->cx, NULL);
	for (int64_t p = 0; p <= m->n; p++)
		sheaf_builder_append(&b, &(int32_t){(int32_t)ends[p]}, sizeof(int32_t));
	return put_built(m, &b, err);
}

/* ---- leaves ---- */

/* The positions below the first n of a level. */
static int64_t count_below(const sheaf_level *level, int64_t n)
{
	if (level->shape.kind == SHEAF_FIXED) return n * level->shape.extent;
	return level->offsets.size ? sheaf_level_offsets(level)[n] : 0;
}

/* Makes the offsets and bytes of texts, or of bytes, the next two buffers. What Arrow calls text is UTF-8,
 * and programs rely on it without looking, so that a text which is not fails. */
static sheaf_status put_text(const making *m, sheaf_error *err)
{
	const int64_t *o = sheaf_level_offsets(m->level);
	const uint8_t *data = m->column->values.data;
	bool text = sheaf_means_text(m->node->field->meaning) && !m->plan->options.text_as_bytes;
	SHEAF_TRY(put_offsets(m, err));
	int64_t p = text && m->level->offsets.size ? sheaf_find_not_utf8(data, o, m->n) : m->n;
	if (p == m->n) return put_elements(m, &m->column->values, count_below(m->level, m->n), 1, err);
	size_t valid = (size_t)o[p] + sheaf_utf8_prefix(data + o[p], (size_t)(o[p + 1] - o[p]));
	return sheaf_fail(err, SHEAF_DATA,
	                  "row %" PRId64 ", column \"%s\": expected UTF-8 (" SHEAF_OPTION(
						  "text-as-bytes") " takes any bytes), found byte 0x%02x",
	                  row_of(m, p), m->node->field->name, data[valid]);
}

/* Copies days, and times of day in seconds and thousandths of them, into 32 bits, which is what Arrow has for
 * them. What is missing becomes 0, whatever lies there. */
static sheaf_status put_narrow(const making *m, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = m->plan->cx};
	const int64_t *values = (const int64_t *)(const void *)m->column->values.data;
	for (int64_t p = 0; p < m->n; p++) {
		int64_t value = !m->level || sheaf_level_has(m->level, p) ? values[p] : 0;
		if (value < INT32_MIN || value > INT32_MAX)
			return sheaf_fail(err, SHEAF_DATA,
			                  "row %" PRId64 ", column \"%s\": expected a date or time of day that 32 bits "
			                  "hold, found %" PRId64,
			                  row_of(m, p), m->node->field->name, value);
		sheaf_builder_append(&b, &(int32_t){(int32_t)value}, sizeof(int32_t));
	}
	return put_built(m, &b, err);
}

/* Makes one of the two buffers that times with a zone become. A time with a zone is two int64 here: the local
 * time, in its unit, and the seconds that it is ahead of UTC. Arrow has the time in UTC (INSTANTS), and its
 * zone, which is one for all of a column, has no place for the offset; that is a field of its own (ZONES).
 * Both fields check both. */
static sheaf_status put_times(const making *m, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = m->plan->cx};
	const int64_t *pairs = (const int64_t *)(const void *)m->column->values.data;
	bool zones = m->node->kind == SHEAF_ARROW_ZONES;
	for (int64_t p = 0; p < m->n; p++) {
		int64_t ahead = pairs[2 * p + 1], parts = ahead, instant = 0;
		bool there = sheaf_level_has(m->level, p), fits = ahead >= INT32_MIN && ahead <= INT32_MAX;
		for (int d = m->column->digits; d > 0 && fits; d--)
			fits = !__builtin_mul_overflow(parts, (int64_t)10, &parts);
		if (there && !(fits && !__builtin_sub_overflow(pairs[2 * p], parts, &instant)))
			return sheaf_fail(err, SHEAF_DATA,
			                  "row %" PRId64 ", column \"%s\": expected a time that 64 bits hold in UTC, "
			                  "found %" PRId64 ", %" PRId64 " seconds ahead",
			                  row_of(m, p), m->node->field->name, pairs[2 * p], ahead);
		int32_t zone = there ? (int32_t)ahead : 0;
		if (zones)
			sheaf_builder_append(&b, &zone, sizeof zone);
		else
			sheaf_builder_i64(&b, there ? instant : 0);
	}
	return put_built(m, &b, err);
}

/* A code for each position, 0 for those that are there. */
static sheaf_status put_codes(const making *m, sheaf_error *err)
{
	sheaf_builder b;
	if (sheaf_level_codes(m->level)) return put_elements(m, &m->level->gaps->codes, m->n, 1, err);
	sheaf_builder_begin(&b, m->plan->cx, NULL);
	zeros(&b, m->n);
	return put_built(m, &b, err);
}

/* Makes the buffers after the first, as the kind of the node demands. */
static sheaf_status put_rest(const making *m, sheaf_error *err)
{
	const sheaf_column *column = m->column;
	switch (m->node->kind) {
	case SHEAF_ARROW_LIST: return put_offsets(m, err);
	case SHEAF_ARROW_FIXED_LIST:
	case SHEAF_ARROW_ENTRY: return SHEAF_OK;
	case SHEAF_ARROW_INDEX:
		return put_elements(m, &m->level->indices[m->node->dimension], m->n,
		                    sheaf_type_size(m->level->shape.index_type), err);
	case SHEAF_ARROW_VALUES:
		if (column->meaning == SHEAF_DATE || (column->meaning == SHEAF_TIME && column->digits <= 3))
			return put_narrow(m, err);
		return put_elements(m, &column->values, m->n, sheaf_type_size(column->type), err);
	case SHEAF_ARROW_BITS: return put_bits(m, is_true, err);
	case SHEAF_ARROW_TEXT: return put_text(m, err);
	case SHEAF_ARROW_BYTES: return put_elements(m, &column->values, count_below(m->level, m->n), 1, err);
	case SHEAF_ARROW_INSTANTS:
	case SHEAF_ARROW_ZONES: return put_times(m, err);
	case SHEAF_ARROW_CODES: return put_codes(m, err);
	case SHEAF_ARROW_IMPUTED: return put_bits(m, is_imputed, err);
	}
	return SHEAF_OK;
}

/* ---- the tree ---- */

/* Makes the array of a node, for the first n positions of its level, and the arrays below it. `above` has the
 * plan, the column and the first row, which are the same for all nodes of a column. */
static sheaf_status export_node(const making *above, const sheaf_arrow_node *node, int64_t n,
                                struct ArrowArray *out, sheaf_error *err)
{
	int children = sheaf_arrow_children(node);
	making m = *above;
	m.node = node;
	m.level = node->level < m.column->nlevels ? &m.column->levels[node->level] : NULL;
	m.n = n;
	m.out = out;
	SHEAF_TRY(new_array(m.plan->cx, n, children, out, err));
	sheaf_status status = put_nulls(&m, err);
	if (!status) status = put_rest(&m, err);
	int64_t below = children == 0 || node->kind == SHEAF_ARROW_ENTRY ? n : count_below(m.level, n);
	for (int i = 0; i < children && !status; i++) {
		sheaf_arrow_node child = sheaf_arrow_child(node, i);
		status = export_node(&m, &child, below, out->children[i], err);
	}
	if (status) out->release(out);
	return status;
}

/* A frame is an array of structs, whose children are the plan's fields. */
sheaf_status sheaf_arrow_export_frame(const sheaf_arrow_plan *plan, const sheaf_frame *frame, int64_t row,
                                      struct ArrowArray *out, sheaf_error *err)
{
	SHEAF_TRY(new_array(plan->cx, frame->nrows, plan->n, out, err));
	for (int i = 0; i < plan->n; i++) {
		const sheaf_arrow_node *top = &plan->tops[i];
		const making all = {.plan = plan, .column = &frame->columns[top->column], .row = row};
		sheaf_status status = export_node(&all, top, frame->nrows, out->children[i], err);
		if (status) {
			out->release(out);
			return status;
		}
	}
	return SHEAF_OK;
}

/* The plan is only needed while the arrays are made; these hold the buffers of the frame, which may be freed.
 */
sheaf_status sheaf_arrow_frame(const sheaf_frame *frame, const sheaf_schema *schema,
                               const sheaf_arrow_options *options, sheaf_context *cx, struct ArrowArray *out,
                               sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_arrow_plan_free) sheaf_arrow_plan plan = {0};
	SHEAF_NEED(out, "a place for the outcome");
	out->release = NULL;
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, schema, err));
	SHEAF_TRY(sheaf_arrow_plan_new(schema, options, cx, &plan, err));
	return sheaf_arrow_export_frame(&plan, frame, 0, out, err);
}
