/* SPDX-License-Identifier: MIT */
/* Sequences: each stream becomes a tensor of sequences, samples and dimensions. If each sequence has one
 * sample, it is a matrix. */
#include "base/context.h"
#include "base/memory.h"
#include "format/binsparse/writer.h"
#include "frame/frame.h"
#include "frame/integers.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Precedes each stream in a blob. It is followed by the samples of each row and the entries of each sample
 * (int64), then indices, then values, each at a multiple of 8. */
typedef struct parcel {
	int64_t rows, samples, entries;
} parcel;

typedef struct encoding {
	const sheaf_bsp_writer *out;
	const sheaf_bsp_building *t;
	const sheaf_column *column;
	int64_t row;
	sheaf_run samples, entries; /* of all rows */
	sheaf_builder *b;
	sheaf_context *cx;
	sheaf_error *err;
} encoding;

static void pad(sheaf_builder *b)
{
	while (b->size % 8 && !b->failed) sheaf_builder_byte(b, 0);
}

static bool is_sparse(const encoding *e) { return e->column->levels[1].shape.kind == SHEAF_COORD; }

/* ---- sorting ---- */

typedef struct item {
	int64_t index, position;
} item;

/* Stable: of an index that occurs twice the last one stays last. */
static void sort_items(item *items, item *scratch, int64_t n)
{
	for (int64_t width = 1; width < n; width *= 2) {
		for (int64_t from = 0; from < n; from += 2 * width) {
			int64_t middle = from + width < n ? from + width : n,
					to = from + 2 * width < n ? from + 2 * width : n, a = from, b = middle;
			for (int64_t k = from; k < to; k++) {
				bool left = a < middle && (b == to || items[a].index <= items[b].index);
				scratch[k] = items[left ? a++ : b++];
			}
		}
		memcpy(items, scratch, (size_t)n * sizeof *items);
	}
}

static sheaf_status report(const encoding *e, int64_t row, sheaf_finding finding)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_sink_name(e->out->sink), &finding);
	problem.place.row = e->row + row;
	problem.place.stream = e->t->field->name;
	return sheaf_report(e->cx, &problem, e->err);
}

static sheaf_status report_order(const encoding *e, int64_t row, bool repeated, int64_t index)
{
	char found[32];
	snprintf(found, sizeof found, "%" PRId64, index);
	if (!repeated)
		return report(e, row,
		              SHEAF_FINDING(SHEAF_WARNING, "order of indices", "indices that ascend", found,
		                            "they are sorted"));
	return report(e, row,
	              SHEAF_FINDING(SHEAF_ERROR, "index twice in a sample", "each index once", found,
	                            "the last of its values is kept", .status = SHEAF_LOSS));
}

/* The positions of a sample's entries in ascending order of index, each index once; returns their number. */
static sheaf_status order_sample(const encoding *e, int64_t row, sheaf_run sample, item *items, item *scratch,
                                 int64_t *kept)
{
	const sheaf_level *level = &e->column->levels[1];
	int64_t n = sheaf_run_length(sample), unsorted = -1, repeated = -1, k = 0;
	for (int64_t i = 0; i < n; i++) {
		items[i] = (item){sheaf_level_index(level, 0, sample.begin + i), sample.begin + i};
		if (i && items[i].index <= items[i - 1].index) unsorted = items[i].index;
	}
	*kept = n;
	if (unsorted < 0) return SHEAF_OK;
	sort_items(items, scratch, n);
	for (int64_t i = 0; i < n; i++) {
		if (k && items[i].index == items[k - 1].index) repeated = items[--k].index;
		items[k++] = items[i];
	}
	*kept = k;
	return report_order(e, row, repeated >= 0, repeated >= 0 ? repeated : unsorted);
}

/* ---- a stream ---- */

static bool is_in_order(const encoding *e)
{
	const sheaf_level *level = &e->column->levels[1];
	int sound = 1;
	for (int64_t s = e->samples.begin; s < e->samples.end; s++) {
		sheaf_run run = sheaf_level_below_one(level, s);
		for (int64_t i = run.begin + 1; i < run.end; i++)
			sound &= sheaf_level_index(level, 0, i) > sheaf_level_index(level, 0, i - 1);
	}
	return sound;
}

static void put_rows(const encoding *e, int64_t rows)
{
	const int64_t *o = sheaf_level_offsets(&e->column->levels[0]);
	for (int64_t r = 0; r < rows; r++) sheaf_builder_i64(e->b, o[r + 1] - o[r]);
}

static void put_index(const encoding *e, int64_t index)
{
	uint64_t room;
	sheaf_integers_narrow(&index, 1, e->t->indices[2].type, &room);
	sheaf_builder_append(e->b, &room, sheaf_type_size(e->t->indices[2].type));
}

/* A column without values has no bytes, and no address, either. */
static void put_values(const encoding *e)
{
	size_t size = sheaf_type_size(e->column->type), n = (size_t)sheaf_run_length(e->entries);
	if (n) sheaf_builder_append(e->b, e->column->values.data + (size_t)e->entries.begin * size, n * size);
}

static void put_sorted(const encoding *e)
{
	const sheaf_level *level = &e->column->levels[1];
	for (int64_t s = e->samples.begin; s < e->samples.end; s++)
		sheaf_builder_i64(e->b, sheaf_run_length(sheaf_level_below_one(level, s)));
	for (int64_t i = e->entries.begin; i < e->entries.end; i++) put_index(e, sheaf_level_index(level, 0, i));
	pad(e->b);
	put_values(e);
}

typedef struct sorted {
	sheaf_builder counts, positions; /* entries of each sample; their positions in the column */
	item *items;
	int64_t room;
	int64_t entries;
} sorted;

static sheaf_status sort_row(const encoding *e, int64_t row, sorted *s)
{
	sheaf_run samples = sheaf_level_below_one(&e->column->levels[0], row);
	for (int64_t p = samples.begin; p < samples.end; p++) {
		int64_t kept;
		sheaf_run run = sheaf_level_below_one(&e->column->levels[1], p);
		SHEAF_TRY(order_sample(e, row, run, s->items, s->items + s->room, &kept));
		sheaf_builder_i64(&s->counts, kept);
		for (int64_t i = 0; i < kept; i++) sheaf_builder_i64(&s->positions, s->items[i].position);
		s->entries += kept;
	}
	return SHEAF_OK;
}

static sheaf_status put_sorting(const encoding *e, int64_t rows, sorted *s)
{
	size_t size = sheaf_type_size(e->column->type);
	for (int64_t r = 0; r < rows; r++) SHEAF_TRY(sort_row(e, r, s));
	SHEAF_TRY(sheaf_builder_status(&s->counts, e->err));
	SHEAF_TRY(sheaf_builder_status(&s->positions, e->err));
	const int64_t *positions = (const int64_t *)(const void *)s->positions.data;
	sheaf_builder_append(e->b, s->counts.data, s->counts.size);
	for (int64_t i = 0; i < s->entries; i++)
		put_index(e, sheaf_level_index(&e->column->levels[1], 0, positions[i]));
	pad(e->b);
	for (int64_t i = 0; i < s->entries; i++)
		sheaf_builder_append(e->b, e->column->values.data + (size_t)positions[i] * size, size);
	return SHEAF_OK;
}

static sheaf_status sort_and_put(const encoding *e, int64_t rows, int64_t *entries)
{
	void *memory;
	sorted s = {.room = 0};
	for (int64_t p = e->samples.begin; p < e->samples.end; p++) {
		int64_t n = sheaf_run_length(sheaf_level_below_one(&e->column->levels[1], p));
		if (n > s.room) s.room = n;
	}
	SHEAF_TRY(sheaf_allocate_array(e->cx, 2 * (uint64_t)s.room, sizeof *s.items, &memory, e->err));
	s.items = (item *)memory;
	sheaf_builder_begin(&s.counts, e->cx, NULL);
	sheaf_builder_begin(&s.positions, e->cx, NULL);
	sheaf_status status = put_sorting(e, rows, &s);
	*entries = s.entries;
	sheaf_builder_drop(&s.counts);
	sheaf_builder_drop(&s.positions);
	sheaf_release(e->cx, memory, 2 * (size_t)s.room * sizeof *s.items);
	return status;
}

static sheaf_status encode_stream(encoding *e, int64_t rows)
{
	size_t begin = e->b->size;
	e->samples = sheaf_level_below(&e->column->levels[0], (sheaf_run){0, rows});
	e->entries = sheaf_level_below(&e->column->levels[1], e->samples);
	parcel p = {rows, sheaf_run_length(e->samples), sheaf_run_length(e->entries)};
	sheaf_builder_append(e->b, &p, sizeof p);
	put_rows(e, rows);
	if (!is_sparse(e))
		put_values(e);
	else if (is_in_order(e))
		put_sorted(e);
	else
		SHEAF_TRY(sort_and_put(e, rows, &p.entries));
	pad(e->b);
	SHEAF_TRY(sheaf_builder_status(e->b, e->err));
	memcpy(e->b->data + begin, &p, sizeof p);
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_encode_streams(const sheaf_bsp_writer *out, const sheaf_frame *frame, int64_t row,
                                      sheaf_builder *b, sheaf_error *err)
{
	for (int s = 0; s < out->ntensors; s++) {
		encoding e = {.out = out,
		              .t = &out->tensors[s],
		              .column = &frame->columns[s],
		              .row = row,
		              .b = b,
		              .cx = b->cx,
		              .err = err};
		SHEAF_TRY(encode_stream(&e, frame->nrows));
	}
	return SHEAF_OK;
}

/* ---- appending ---- */

/* Where each of n runs ends, if they begin at *total. */
static sheaf_status add_ends(sheaf_bsp_store *s, const int64_t *lengths, int64_t n, int64_t *total,
                             sheaf_error *err)
{
	int64_t block[512];
	if (s->count == 0) SHEAF_TRY(sheaf_bsp_store_add(s, total, 1, err));
	for (int64_t i = 0; i < n; i += 512) {
		int64_t m = n - i < 512 ? n - i : 512;
		for (int64_t k = 0; k < m; k++) block[k] = *total += lengths[i + k];
		SHEAF_TRY(sheaf_bsp_store_add(s, block, m, err));
	}
	return SHEAF_OK;
}

static sheaf_status append_stream(sheaf_bsp_building *t, const uint8_t **at, sheaf_error *err)
{
	const parcel *p = (const parcel *)(const void *)*at;
	const int64_t *rows = (const int64_t *)(const void *)(p + 1), *samples = rows + p->rows;
	bool sparse = sheaf_field_is_sparse(t->field);
	const uint8_t *indices = (const uint8_t *)(sparse ? samples + p->samples : samples);
	size_t index_bytes = sparse ? ((size_t)p->entries * sheaf_type_size(t->indices[2].type) + 7) / 8 * 8 : 0;
	for (int64_t r = 0; r < p->rows; r++) {
		if (rows[r] > t->longest) t->longest = rows[r];
		t->is_one_each &= rows[r] == 1;
	}
	t->rows += p->rows;
	SHEAF_TRY(add_ends(&t->pointers[1], rows, p->rows, &t->samples, err));
	if (sparse) SHEAF_TRY(add_ends(&t->pointers[2], samples, p->samples, &t->elements, err));
	if (sparse) SHEAF_TRY(sheaf_bsp_store_add(&t->indices[2], indices, p->entries, err));
	SHEAF_TRY(sheaf_bsp_store_add(&t->values, indices + index_bytes, p->entries, err));
	*at = indices + index_bytes + ((size_t)p->entries * sheaf_type_size(t->values.type) + 7) / 8 * 8;
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_append_streams(sheaf_bsp_writer *out, const sheaf_blob *blob, sheaf_error *err)
{
	const uint8_t *at = blob->bytes.data;
	for (int s = 0; s < out->ntensors; s++) SHEAF_TRY(append_stream(&out->tensors[s], &at, err));
	return SHEAF_OK;
}

/* ---- at the end ---- */

/* The numbers of the samples in each sequence, from the sequences' offsets. */
static sheaf_status number_samples(sheaf_bsp_building *t, const int64_t *ends, int64_t n, int64_t *before,
                                   sheaf_error *err)
{
	for (int64_t i = 0; i < n; i++) {
		for (int64_t k = 0; k < ends[i] - *before; k++) {
			uint64_t room;
			sheaf_integers_narrow(&k, 1, t->indices[1].type, &room);
			SHEAF_TRY(sheaf_bsp_store_add(&t->indices[1], &room, 1, err));
		}
		*before = ends[i];
	}
	return SHEAF_OK;
}

static sheaf_status number_all_samples(sheaf_bsp_building *t, sheaf_error *err)
{
	int64_t block[512], before = 0;
	const sheaf_strand *rows = &t->pointers[1].strand;
	int64_t spooled = rows->is_spooled ? rows->spool.size / 8 : 0;
	for (int64_t i = 0; i < spooled; i += 512) {
		int64_t m = spooled - i < 512 ? spooled - i : 512;
		SHEAF_TRY(sheaf_spool_read(&rows->spool, i * 8, block, (size_t)m * sizeof *block, err));
		SHEAF_TRY(number_samples(t, block, m, &before, err));
	}
	return number_samples(t, (const int64_t *)(const void *)rows->held.data, (int64_t)(rows->held.size / 8),
	                      &before, err);
}

static void move_store(sheaf_bsp_store *to, sheaf_bsp_store *from)
{
	sheaf_bsp_store_drop(to);
	*to = *from;
	*from = (sheaf_bsp_store){0};
}

/* Sequences of one sample each: the level of samples is removed. */
static void make_matrix(sheaf_bsp_building *t, bool sparse)
{
	(void)sheaf_bsp_layout_named(sparse ? "CSR" : "DMATR", &t->d.layout);
	t->d.shape[0] = t->rows;
	t->d.shape[1] = sheaf_field_dim(t->field);
	if (!sparse) {
		sheaf_bsp_store_drop(&t->pointers[1]);
		return;
	}
	move_store(&t->pointers[1], &t->pointers[2]);
	move_store(&t->indices[1], &t->indices[2]);
}

sheaf_status sheaf_bsp_complete_stream(sheaf_bsp_writer *out, sheaf_bsp_building *t, sheaf_error *err)
{
	bool sparse = sheaf_field_is_sparse(t->field);
	/* Without any rows there are no offsets yet. */
	SHEAF_TRY(add_ends(&t->pointers[1], NULL, 0, &t->samples, err));
	if (sparse) SHEAF_TRY(add_ends(&t->pointers[2], NULL, 0, &t->elements, err));
	t->d.stored = t->values.count;
	if (t->is_one_each) {
		make_matrix(t, sparse);
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_bsp_layout_parse(sparse ? "DSS" : "DSD", &t->d.layout, err));
	t->d.shape[0] = t->rows;
	t->d.shape[1] = t->longest;
	t->d.shape[2] = sheaf_field_dim(t->field);
	sheaf_bsp_store_begin(&t->indices[1], sheaf_bsp_index_type(out, t->longest - 1), out->cx);
	return number_all_samples(t, err);
}
