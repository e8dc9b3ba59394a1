/* SPDX-License-Identifier: MIT */
/* Rows into arrays. Rows come in blobs, and each blob has a part of every array:
 *
 *   blob 0    [size, offsets][size, values]        one after the other, at multiples of 8
 *   blob 1    [size, offsets][size, values]
 *
 * Blobs are kept in a temporary file in the order in which they come, or in memory while they are few; in the
 * end each array is gathered from all of them, as an archive has its arrays one after the other. Offsets of a
 * blob count from its own beginning, and are moved up then. */
#include "base/checked.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/numpy/npz/writer.h"
#include "frame/frame.h"
#include "frame/schema/schema_bytes.h"
#include "io/filters/filter.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where the bytes of an array are in a blob. */
typedef struct extent {
	int64_t at, size;
} extent;

typedef sheaf_npz_streams_writer writer;

/* ---- accept ---- */

/* Refuses what cannot become streams or columns in an archive: another layout than "streams", which needs
 * a tensor, and texts for showing, which are no data. All other columns of levels and numbers can be
 * written. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	const char *layout = sheaf_values_text(values, "layout");
	char names[300];
	if (layout && strcmp(layout, "streams") != 0) {
		int n = sheaf_schema_list_streams(schema, names, sizeof names);
		return sheaf_fail_option(
			err, SHEAF_USAGE, "layout",
			" %.40s: expected one stream, which is to become a tensor, found %d (%s); choose "
			"one (" SHEAF_OPTION("value") " NAME), or take " SHEAF_OPTION("layout") " streams",
			layout, n, names);
	}
	for (int f = 0; f < schema->nfields; f++)
		if (schema->fields[f].meaning == SHEAF_SPELLING)
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "rows: expected streams or columns, found texts for showing");
	return SHEAF_OK;
}

/* ---- create ---- */

static void close_output(void *created)
{
	writer *out = (writer *)created;
	sheaf_npz_list_drop(&out->list);
	sheaf_builder_drop(&out->held);
	sheaf_builder_drop(&out->extents);
	if (out->is_spooled) sheaf_spool_close(&out->spool);
	sheaf_release(out->cx, out->wanted, (size_t)out->slots.n * sizeof *out->wanted);
	sheaf_npz_free_slots(&out->slots);
	sheaf_dtype_free(&out->plain, out->cx);
}

/* Prepares the writer: the archive's list, and the slots, which are the arrays to come. A table of one
 * column of texts or times that an array without fields can hold becomes such an array, out->plain, as it
 * was read from one; its only slot is called arr_0, as numpy.savez names it. Attributes have no place
 * beside that array, and a user who asks for a layout gets arrays in parts. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	const sheaf_schema *schema = &out->schema;
	int level;
	(void)totals;
	SHEAF_TRY(sheaf_compression_of(values, &level, NULL, err));
	sheaf_npz_list_begin(&out->list, out->sink, level, out->cx);
	sheaf_builder_begin(&out->held, out->cx, NULL);
	sheaf_builder_begin(&out->extents, out->cx, NULL);
	if (schema->rows == SHEAF_CELLS && schema->nfields == 1 && schema->nattributes == 0 &&
	    !sheaf_values_text(values, "layout"))
		SHEAF_TRY(sheaf_forgive(sheaf_array_dtype(schema, 0, out->cx, &out->plain, err),
		                        "a column that is no such array is written in parts"));
	/* An array with fields is no plain one: such a column is written in parts after all. */
	if (out->plain.structured) sheaf_dtype_free(&out->plain, out->cx);
	if (out->plain.parts) {
		sheaf_npz_slots *slots = &out->slots;
		*slots = (sheaf_npz_slots){.cx = out->cx, .room = 1, .n = 1};
		SHEAF_TRY(sheaf_allocate_array(out->cx, 1, sizeof *slots->slots, &slots->slots, err));
		*slots->slots = (sheaf_npz_slot){.what = NPZ_VALUES, .item = *out->plain.parts, .per = 1};
		SHEAF_TRY(sheaf_copy_text(out->cx, "arr_0", 5, &slots->slots->name, err));
	} else {
		SHEAF_TRY(sheaf_npz_make_slots(schema, out->cx, &out->slots, err));
	}
	return sheaf_allocate_array(out->cx, (uint64_t)out->slots.n, sizeof *out->wanted, &out->wanted, err);
}

/* ---- rows into a blob ---- */

/* The arrays of a column's level from one offset on; each begins with its size, at a multiple of 8. */
typedef struct putting {
	sheaf_run run; /* positions of the level */
	sheaf_builder *b;
} putting;

static void begin_array(const putting *p, int64_t size)
{
	while (p->b->size % sizeof(int64_t) && !p->b->failed) sheaf_builder_byte(p->b, 0);
	sheaf_builder_i64(p->b, size);
}

static void put_offsets(const putting *p, const sheaf_level *level)
{
	const int64_t *o = sheaf_level_offsets(level) + p->run.begin;
	int64_t n = sheaf_run_length(p->run);
	begin_array(p, n * (int64_t)sizeof *o);
	for (int64_t i = 1; i <= n && !p->b->failed; i++) sheaf_builder_i64(p->b, o[i] - o[0]);
}

/* Whether positions have a value, or the codes of why they have none. */
static void put_marks(const putting *p, const sheaf_level *level, bool codes)
{
	begin_array(p, sheaf_run_length(p->run));
	for (int64_t i = p->run.begin; i < p->run.end && !p->b->failed; i++)
		sheaf_builder_byte(p->b, (char)(codes ? sheaf_level_code(level, i) : sheaf_level_has(level, i)));
}

/* The run of an array of numbers: indices, or values. */
static void put_numbers(const putting *p, const sheaf_buffer *numbers, sheaf_type type)
{
	int64_t size = (int64_t)sheaf_type_size(type), n = sheaf_run_length(p->run);
	begin_array(p, n * size);
	if (n) sheaf_builder_numbers(p->b, numbers->data + p->run.begin * size, (size_t)n, (size_t)size);
}

/* Appends the arrays of a column's rows to a blob, in the order of the column's slots: of each level what
 * is missing, the offsets and the indices, and at last the values. The run is the positions of the level
 * at hand, and narrows from level to level. */
static void put_column(const sheaf_column *column, int64_t rows, sheaf_builder *b)
{
	putting p = {{0, rows}, b};
	for (int l = 0; l < column->nlevels; l++) {
		const sheaf_level *level = &column->levels[l];
		bool coordinates = level->shape.kind == SHEAF_COORD;
		if (level->shape.missing != SHEAF_NEVER) put_marks(&p, level, false), put_marks(&p, level, true);
		if (level->shape.kind != SHEAF_FIXED) put_offsets(&p, level);
		p.run = sheaf_level_below(level, p.run);
		for (int r = 0; coordinates && r < level->shape.rank; r++)
			put_numbers(&p, &level->indices[r], level->shape.index_type);
		if (coordinates) begin_array(&p, 0); /* the dim comes from the schema */
	}
	put_numbers(&p, &column->values, column->type);
	size_t values = (size_t)sheaf_run_length(p.run) * sheaf_type_size(column->type);
	/* Any byte but 0 means true in a column, while NumPy's truth values are 0 and 1. */
	for (size_t i = b->size - values; column->meaning == SHEAF_BOOL && !b->failed && i < b->size; i++)
		b->data[i] = b->data[i] != 0;
}

/* Encodes the rows of a frame as a blob on a worker's thread: the items of the only array if there is one
 * (out->plain), else the arrays of each column. A frame without rows makes an empty blob in the second
 * case. */
static sheaf_status encode(const void *opened, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const writer *out = (const writer *)opened;
	(void)samples;
	if (out->plain.parts) {
		sheaf_items_written rows = {&out->schema, frame, row, sheaf_sink_name(out->sink)};
		begin_array(&(putting){.b = b}, frame->nrows * out->plain.size);
		return sheaf_array_put_items(&out->plain, &rows, b, b->cx, err);
	}
	for (int c = 0; c < frame->ncolumns && frame->nrows > 0; c++)
		put_column(&frame->columns[c], frame->nrows, b);
	return sheaf_builder_status(b, err);
}

/* ---- blobs as they arrive ---- */

/* Records where each array of a blob will be among the blobs that are held or spooled, and marks the slots
 * that are needed: all but the codes of missing values, which are needed only if one of them is not 0. Each
 * array in a blob is padding up to a multiple of eight bytes, its size in eight bytes, and its bytes. The
 * bytes are those of `encode`, so that they are not checked: a format that appends writes no parts. */
static sheaf_status note_arrays(writer *out, const sheaf_blob *blob, sheaf_error *err)
{
	int64_t blob_at = (out->is_spooled ? out->spool.size : 0) + (int64_t)out->held.size;
	extent e = {blob_at, 0};
	for (int i = 0; i < out->slots.n; i++) {
		const uint8_t *array = blob->bytes.data + (size_t)(e.at + e.size - blob_at + 7) / 8 * 8;
		memcpy(&e.size, array, sizeof e.size);
		array += sizeof e.size;
		e.at = blob_at + (array - blob->bytes.data);
		bool needed = out->slots.slots[i].what != NPZ_CODES;
		for (int64_t byte = 0; !needed && byte < e.size; byte++) needed = array[byte] != 0;
		out->wanted[i] |= needed;
		sheaf_builder_append(&out->extents, &e, sizeof e);
	}
	out->nblobs++;
	return sheaf_builder_status(&out->extents, err);
}

/* Keeps the arrays of a blob of encoded rows until the end, since a member of the archive holds an array
 * of all rows. Blobs stay in memory up to MOST bytes, or a SHARE-th of the memory that may be used, and
 * then move to a spool file. Their ends are padded to eight bytes, so that the places in note_arrays stay
 * aligned. */
static sheaf_status append(void *opened, const sheaf_blob *blob, sheaf_error *err)
{
	enum { MOST = 16 << 20, SHARE = 16 };
	writer *out = (writer *)opened;
	sheaf_builder *held = &out->held;
	int64_t share = sheaf_max_memory(out->cx) / SHARE, most = share < MOST ? share : MOST;
	if (blob->rows == 0) return SHEAF_OK;
	if (held->size > 0 && (int64_t)(held->size + blob->bytes.size) > most) {
		SHEAF_TRY(sheaf_builder_status(held, err));
		if (!out->is_spooled) SHEAF_TRY(sheaf_spool_open(&out->spool, out->cx, err));
		out->is_spooled = true;
		SHEAF_TRY(sheaf_spool_append(&out->spool, held->data, held->size, err));
		held->size = 0;
	}
	SHEAF_TRY(note_arrays(out, blob, err));
	sheaf_builder_append(held, blob->bytes.data, blob->bytes.size);
	while (held->size % sizeof(int64_t) && !held->failed) sheaf_builder_byte(held, 0);
	return sheaf_builder_status(held, err);
}

/* ---- arrays of all blobs ---- */

/* An array being written: into the archive, or into memory if it is to be compressed. */
typedef struct gathering {
	writer *out;
	int slot;
	sheaf_npz_content content;
	int64_t shape[1 + SHEAF_MAX_LEVELS];
	sheaf_builder *step; /* buffered bytes */
	sheaf_strand *strand;
	sheaf_error *err;
} gathering;

static sheaf_status deliver(const gathering *g, const void *bytes, size_t n)
{
	if (g->strand) return sheaf_strand_add(g->strand, bytes, n, g->err);
	return sheaf_npz_write_array(&g->out->list, &g->content, bytes, n, g->err);
}

/* Reads n bytes of the blobs from place `at` into g->step. Places count through all blobs: the first ones
 * are in the spool file, the last ones still in memory. */
static sheaf_status read_back(const gathering *g, int64_t at, size_t n)
{
	const writer *out = g->out;
	int64_t spooled = out->is_spooled ? out->spool.size : 0;
	g->step->size = 0;
	uint8_t *to = sheaf_builder_extend(g->step, n);
	if (!to) return sheaf_builder_status(g->step, g->err);
	if (at >= spooled) {
		memcpy(to, out->held.data + (at - spooled), n);
		return SHEAF_OK;
	}
	return sheaf_spool_read(&out->spool, at, to, n, g->err);
}

/* Delivers the array of one slot from the parts of it that the blobs have, at most STEP bytes at a time.
 * Each blob counts its offsets from 0 and leaves the leading 0 out: the array gets one 0, and the offsets
 * of each blob are raised by the last offset before it. The last delivery, of no bytes, begins the member
 * of an array without items. */
static sheaf_status gather(const gathering *g)
{
	enum { STEP = 1 << 20 };
	int64_t raised_by = 0, last_offset = 0;
	const writer *out = g->out;
	const extent *extents = (const extent *)(const void *)out->extents.data;
	bool offsets = out->slots.slots[g->slot].what == NPZ_OFFSETS;
	if (offsets) SHEAF_TRY(deliver(g, &raised_by, sizeof raised_by));
	for (int64_t b = 0; b < out->nblobs; b++, raised_by = last_offset) {
		extent e = extents[b * out->slots.n + g->slot];
		SHEAF_TRY(sheaf_check_stop(out->cx, g->err));
		for (int64_t at = 0; at < e.size; at += STEP) {
			size_t n = (size_t)(e.size - at < STEP ? e.size - at : STEP);
			SHEAF_TRY(read_back(g, e.at + at, n));
			int64_t *numbers = (int64_t *)(void *)g->step->data;
			for (size_t i = 0; offsets && i < n / sizeof *numbers; i++) {
				last_offset = numbers[i] + raised_by;
				sheaf_store_u64le(&numbers[i], (uint64_t)last_offset);
			}
			SHEAF_TRY(deliver(g, g->step->data, n));
		}
	}
	return deliver(g, "", 0);
}

/* ---- members ---- */

/* Writes a member whose bytes `fill` delivers: at once to the sink, or, as compressing needs them all,
 * through a strand in memory. */
static sheaf_status put_member(gathering *g, sheaf_status (*fill)(const gathering *g))
{
	SHEAF_SCOPED(sheaf_strand_drop) sheaf_strand strand = {0};
	sheaf_npz_list *list = &g->out->list;
	if (list->level == 0) {
		SHEAF_TRY(sheaf_npz_begin_array(list, &g->content, g->err));
		SHEAF_TRY(fill(g));
		return sheaf_npz_end_array(list, g->err);
	}
	sheaf_strand_begin(&strand, true, g->out->cx);
	g->strand = g->content.parts = &strand;
	g->content.nparts = 1;
	SHEAF_TRY(fill(g));
	return sheaf_npz_put_member(list, &g->content, g->err);
}

static sheaf_status fill_step(const gathering *g) { return deliver(g, g->step->data, g->step->size); }

/* Writes the array of one slot as a member of the archive. Its first extent follows from the size of its
 * parts: items, divided by those of a position, and one more for offsets. The codes of missing values
 * have no member if none of them is other than 0. The dim of a sparse stream is a single number of the
 * schema, all others are gathered from the blobs. */
static sheaf_status put_slot(writer *out, int i, sheaf_builder *step, sheaf_error *err)
{
	char name[1100];
	const sheaf_npz_slot *slot = &out->slots.slots[i];
	sheaf_part part = slot->item;
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = part.size};
	gathering g = {.out = out, .slot = i, .step = step, .err = err};
	bool is_dim = slot->what == NPZ_DIM;
	int64_t bytes = 0;
	const extent *extents = (const extent *)(const void *)out->extents.data;
	if (slot->what == NPZ_CODES && !out->wanted[i]) return SHEAF_OK;
	if (snprintf(name, sizeof name, "%s.npy", slot->name) >= (int)sizeof name)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "columns: expected names of at most 1000 bytes, found a longer name");
	for (int64_t b = 0; b < out->nblobs; b++) bytes += extents[b * out->slots.n + i].size;
	g.shape[0] = bytes / slot->item.size / slot->per + (slot->what == NPZ_OFFSETS);
	memcpy(g.shape + 1, slot->tail, (size_t)slot->ntail * sizeof *slot->tail);
	g.content =
		(sheaf_npz_content){.name = name, .array = {&dtype, is_dim ? 0 : 1 + slot->ntail, g.shape, false}};
	step->size = 0;
	if (is_dim) sheaf_builder_i64le(step, out->schema.fields[slot->field].levels[slot->level].extent);
	SHEAF_TRY(sheaf_builder_status(step, err));
	return put_member(&g, is_dim ? fill_step : gather);
}

/* Writes the member sheaf.schema, which archives of ours have: the bytes of the schema as an array of
 * unsigned bytes. */
static sheaf_status put_schema(writer *out, sheaf_builder *step, sheaf_error *err)
{
	sheaf_part part = {.kind = 'u', .size = 1, .scale = 1};
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = 1};
	gathering g = {.out = out, .step = step, .err = err};
	step->size = 0;
	sheaf_schema_to_bytes(&out->schema, step);
	SHEAF_TRY(sheaf_builder_status(step, err));
	g.shape[0] = (int64_t)step->size;
	g.content = (sheaf_npz_content){.name = "sheaf.schema.npy", .array = {&dtype, 1, g.shape, false}};
	return put_member(&g, fill_step);
}

static sheaf_status finish(void *created, sheaf_error *err)
{
	writer *out = (writer *)created;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder step = {.cx = out->cx};
	for (int i = 0; i < out->slots.n; i++) SHEAF_TRY(put_slot(out, i, &step, err));
	if (!out->plain.parts) SHEAF_TRY(put_schema(out, &step, err));
	return sheaf_npz_put_list(&out->list, err);
}

const sheaf_writing sheaf_npz_streams_writing = {
	.accept = accept,
	.create = create,
	.encode = encode,
	.append = append,
	.finish = finish,
	.close = close_output,
};
