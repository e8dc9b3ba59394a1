/* SPDX-License-Identifier: MIT */
/* Rows into arrays. Those of a blob follow one another, and blobs are kept in a temporary file in the order
 * in which they come, or in memory while they are few; in the end each array is gathered from all of them. */
#include "base/checked.h"
#include "base/context.h"
#include "base/cursor.h"
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
	if (out->wanted) sheaf_release(out->cx, out->wanted, (size_t)out->slots.n * sizeof *out->wanted);
	sheaf_npz_free_slots(&out->slots);
	sheaf_dtype_free(&out->plain, out->cx);
}

/* Texts and times that an array without fields can hold, as it was read from one. Attributes have no place
 * beside it. */
static sheaf_status find_plain(writer *out, const sheaf_values *values, sheaf_error *err)
{
	const sheaf_schema *schema = &out->schema;
	if (schema->rows != SHEAF_CELLS || schema->nfields != 1 || schema->nattributes > 0) return SHEAF_OK;
	if (sheaf_values_text(values, "layout")) return SHEAF_OK;
	SHEAF_TRY(sheaf_forgive(sheaf_array_dtype(&out->schema, 0, out->cx, &out->plain, err),
	                        "a column that is no such array is written in parts"));
	if (out->plain.structured) sheaf_dtype_free(&out->plain, out->cx);
	return SHEAF_OK;
}

/* The only slot. */
static sheaf_status make_slot(writer *out, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate(out->cx, sizeof *out->slots.slots, &memory, err));
	out->slots = (sheaf_npz_slots){.cx = out->cx, .slots = (sheaf_npz_slot *)memory, .room = 1, .n = 1};
	*out->slots.slots = (sheaf_npz_slot){.what = NPZ_VALUES, .item = *out->plain.parts, .per = 1};
	return sheaf_copy_text(out->cx, "arr_0", 5, &out->slots.slots->name, err);
}

static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	int level;
	(void)totals;
	SHEAF_TRY(sheaf_compression_of(values, &level, NULL, err));
	sheaf_npz_list_begin(&out->list, out->sink, level, out->cx);
	sheaf_builder_begin(&out->held, out->cx, NULL);
	sheaf_builder_begin(&out->extents, out->cx, NULL);
	SHEAF_TRY(find_plain(out, values, err));
	SHEAF_TRY(out->plain.parts ? make_slot(out, err)
	                           : sheaf_npz_make_slots(&out->schema, out->cx, &out->slots, err));
	SHEAF_TRY(sheaf_allocate_array(out->cx, (uint64_t)out->slots.n, sizeof *out->wanted, &out->wanted, err));
	return SHEAF_OK;
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
	if (n) sheaf_builder_append(p->b, numbers->data + p->run.begin * size, (size_t)(n * size));
}

/* In the order of its slots. */
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
	for (size_t i = b->size - values; column->meaning == SHEAF_BOOL && !b->failed && i < b->size; i++)
		b->data[i] = b->data[i] != 0;
}

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

static int64_t most_held(const writer *out)
{
	enum { MOST = 16 << 20, SHARE = 16 };
	int64_t share = sheaf_max_memory(out->cx) / SHARE;
	return share < MOST ? share : MOST;
}

static sheaf_status spill(writer *out, sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_status(&out->held, err));
	if (!out->is_spooled) SHEAF_TRY(sheaf_spool_open(&out->spool, out->cx, err));
	out->is_spooled = true;
	SHEAF_TRY(sheaf_spool_append(&out->spool, out->held.data, out->held.size, err));
	out->held.size = 0;
	return SHEAF_OK;
}

static bool says_something(const uint8_t *codes, int64_t n)
{
	uint8_t all = 0;
	for (int64_t i = 0; i < n; i++) all |= codes[i];
	return all;
}

/* Records where each array of the blob is. The blob may come from a part file. */
static sheaf_status note_arrays(writer *out, const sheaf_blob *blob, sheaf_error *err)
{
	sheaf_cursor c = sheaf_cursor_over(blob->bytes.data, blob->bytes.size, 0);
	int64_t base = (out->is_spooled ? out->spool.size : 0) + (int64_t)out->held.size;
	for (int i = 0; i < out->slots.n; i++) {
		size_t odd = (size_t)(c.at - c.begin) % sizeof(int64_t);
		if (odd) sheaf_cursor_bytes(&c, sizeof(int64_t) - odd, 1, "padding");
		const uint8_t *head = sheaf_cursor_bytes(&c, sizeof(int64_t), 1, "size of an array");
		extent e = {0, 0};
		if (head) memcpy(&e.size, head, sizeof e.size);
		e.at = base + (c.at - c.begin);
		const uint8_t *bytes = e.size < 0 ? NULL : sheaf_cursor_bytes(&c, (uint64_t)e.size, 1, "an array");
		if (!bytes || c.failed)
			return sheaf_fail(err, SHEAF_DATA, "%s: expected rows as arrays, found other bytes",
			                  sheaf_sink_name(out->sink));
		bool codes = out->slots.slots[i].what == NPZ_CODES;
		out->wanted[i] |= !codes || says_something(bytes, e.size);
		sheaf_builder_append(&out->extents, &e, sizeof e);
	}
	out->nblobs++;
	return sheaf_builder_status(&out->extents, err);
}

static sheaf_status append(void *opened, const sheaf_blob *blob, sheaf_error *err)
{
	writer *out = (writer *)opened;
	if (blob->rows == 0) return SHEAF_OK;
	if (out->held.size > 0 && (int64_t)(out->held.size + blob->bytes.size) > most_held(out))
		SHEAF_TRY(spill(out, err));
	SHEAF_TRY(note_arrays(out, blob, err));
	sheaf_builder_append(&out->held, blob->bytes.data, blob->bytes.size);
	while (out->held.size % sizeof(int64_t) && !out->held.failed) sheaf_builder_byte(&out->held, 0);
	return sheaf_builder_status(&out->held, err);
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

static sheaf_status gather_extent(const gathering *g, extent e, int64_t *base)
{
	enum { STEP = 1 << 20 };
	int64_t next = *base;
	bool offsets = g->out->slots.slots[g->slot].what == NPZ_OFFSETS;
	SHEAF_TRY(sheaf_check_stop(g->out->cx, g->err));
	for (int64_t at = 0; at < e.size; at += STEP) {
		size_t n = (size_t)(e.size - at < STEP ? e.size - at : STEP);
		SHEAF_TRY(read_back(g, e.at + at, n));
		/* Offsets so far count from the beginning of their blob. */
		int64_t *numbers = (int64_t *)(void *)g->step->data;
		for (size_t i = 0; offsets && i < n / sizeof *numbers; i++) next = numbers[i] += *base;
		SHEAF_TRY(deliver(g, g->step->data, n));
	}
	*base = next;
	return SHEAF_OK;
}

static sheaf_status gather(const gathering *g)
{
	int64_t base = 0;
	const extent *extents = (const extent *)(const void *)g->out->extents.data;
	if (g->out->slots.slots[g->slot].what == NPZ_OFFSETS) SHEAF_TRY(deliver(g, &base, sizeof base));
	for (int64_t b = 0; b < g->out->nblobs; b++)
		SHEAF_TRY(gather_extent(g, extents[b * g->out->slots.n + g->slot], &base));
	return deliver(g, "", 0); /* an array without items is one, too */
}

/* ---- members ---- */

static sheaf_status put_member(gathering *g, sheaf_status (*fill)(const gathering *g))
{
	sheaf_strand strand;
	sheaf_npz_list *list = &g->out->list;
	if (list->level == 0) {
		SHEAF_TRY(sheaf_npz_begin_array(list, &g->content, g->err));
		SHEAF_TRY(fill(g));
		return sheaf_npz_end_array(list, g->err);
	}
	sheaf_strand_begin(&strand, true, g->out->cx);
	g->strand = g->content.parts = &strand;
	g->content.nparts = 1;
	sheaf_status status = fill(g);
	if (status == SHEAF_OK) status = sheaf_npz_put_member(list, &g->content, g->err);
	sheaf_strand_drop(&strand);
	g->strand = g->content.parts = NULL;
	return status;
}

static sheaf_status fill_step(const gathering *g) { return deliver(g, g->step->data, g->step->size); }

/* Of the codes of missing values there is no array if none says anything: if no row came, either. */
static sheaf_status put_slot(writer *out, int i, sheaf_builder *step, sheaf_error *err)
{
	char name[1100];
	const sheaf_npz_slot *slot = &out->slots.slots[i];
	sheaf_part part = slot->item;
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = part.size};
	gathering g = {.out = out, .slot = i, .step = step, .err = err};
	bool dim = slot->what == NPZ_DIM;
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
		(sheaf_npz_content){.name = name, .array = {&dtype, dim ? 0 : 1 + slot->ntail, g.shape, false}};
	step->size = 0;
	if (dim) sheaf_builder_i64(step, out->schema.fields[slot->field].levels[slot->level].extent);
	SHEAF_TRY(sheaf_builder_status(step, err));
	return put_member(&g, dim ? fill_step : gather);
}

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
	sheaf_builder step;
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&step, out->cx, NULL);
	for (int i = 0; i < out->slots.n && status == SHEAF_OK; i++) status = put_slot(out, i, &step, err);
	if (status == SHEAF_OK && !out->plain.parts) status = put_schema(out, &step, err);
	sheaf_builder_drop(&step);
	SHEAF_TRY(status);
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
