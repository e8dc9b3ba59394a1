/* SPDX-License-Identifier: MIT */
/* Sequences: each stream becomes a tensor of sequences, samples and dimensions. If each sequence has one
 * sample, it is a matrix.
 *
 *     layout "DSS" of a sparse stream           "DSD" of a dense one     matrix: CSR, or DMATR
 *       pointers_to_1  samples of sequences       the same                 -
 *       indices_1      their numbers, from 0      the same                 -
 *       pointers_to_2  entries of samples         -                        pointers_to_1
 *       indices_2      their indices              -                        indices_1
 *
 * Binsparse wants indices that ascend, each once: samples in another order are sorted, with a warning. Any
 * thread encodes rows; one appends them. Which of the two tensors it is shows only at the end. */
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

/* The positions of a sample's entries in ascending order of index, each index once; *kept is
 * their number. A sample out of order is reported, or one with an index twice, of which one value is lost. */
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
	char found[32];
	snprintf(found, sizeof found, "%" PRId64, repeated >= 0 ? repeated : unsorted);
	sheaf_problem problem = sheaf_problem_in(
		sheaf_sink_name(e->out->sink),
		repeated >= 0 ? &SHEAF_FINDING(SHEAF_ERROR, "index twice in a sample", "each index once", found,
	                                   "the last of its values is kept", .status = SHEAF_LOSS)
					  : &SHEAF_FINDING(SHEAF_WARNING, "order of indices", "indices that ascend", found,
	                                   "they are sorted"));
	problem.place.row = e->row + row;
	problem.place.stream = e->t->field->name;
	return sheaf_report(e->cx, &problem, e->err);
}

/* ---- a stream ---- */

/* Whether all samples are in order already, as most are: without a branch for each index. */
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

static void put_index(const encoding *e, int64_t index)
{
	uint64_t room;
	sheaf_integers_narrow(&index, 1, e->t->indices[2].type, &room);
	sheaf_builder_append(e->b, &room, sheaf_type_size(e->t->indices[2].type));
}

/* Samples whose indices are not all in order: the entries of each, then indices and values by their new
 * positions. */
static sheaf_status put_sorting(const encoding *e, int64_t rows, int64_t *entries)
{
	const sheaf_level *rows_of = &e->column->levels[0], *level = &e->column->levels[1];
	size_t size = sheaf_type_size(e->column->type);
	int64_t room = 0;
	sheaf_builder positions;
	item *items;
	for (int64_t p = e->samples.begin; p < e->samples.end; p++) {
		int64_t n = sheaf_run_length(sheaf_level_below_one(level, p));
		if (n > room) room = n;
	}
	SHEAF_TRY(sheaf_allocate_array(e->cx, 2 * (uint64_t)room, sizeof *items, &items, e->err));
	sheaf_builder_begin(&positions, e->cx, NULL);
	sheaf_status status = SHEAF_OK;
	*entries = 0;
	for (int64_t r = 0, p = e->samples.begin; r < rows && !status; r++) {
		for (int64_t end = sheaf_level_below_one(rows_of, r).end; p < end && !status; p++) {
			int64_t kept = 0;
			status = order_sample(e, r, sheaf_level_below_one(level, p), items, items + room, &kept);
			sheaf_builder_i64(e->b, kept);
			for (int64_t i = 0; i < kept; i++) sheaf_builder_i64(&positions, items[i].position);
			*entries += kept;
		}
	}
	if (!status) status = sheaf_builder_status(&positions, e->err);
	const int64_t *at = (const int64_t *)(const void *)positions.data;
	for (int64_t i = 0; i < *entries && !status; i++) put_index(e, sheaf_level_index(level, 0, at[i]));
	pad(e->b);
	for (int64_t i = 0; i < *entries && !status; i++)
		sheaf_builder_append(e->b, e->column->values.data + (size_t)at[i] * size, size);
	sheaf_builder_drop(&positions);
	sheaf_release(e->cx, items, 2 * (size_t)room * sizeof *items);
	return status;
}

/* A stream of some rows into the blob: a parcel, whose number of entries is known after sorting. */
static sheaf_status encode_stream(encoding *e, int64_t rows)
{
	size_t begin = e->b->size;
	const sheaf_level *level = &e->column->levels[1];
	const int64_t *offsets = sheaf_level_offsets(&e->column->levels[0]);
	bool is_sparse = level->shape.kind == SHEAF_COORD;
	e->samples = sheaf_level_below(&e->column->levels[0], (sheaf_run){0, rows});
	e->entries = sheaf_level_below(level, e->samples);
	parcel p = {rows, sheaf_run_length(e->samples), sheaf_run_length(e->entries)};
	sheaf_builder_append(e->b, &p, sizeof p);
	for (int64_t r = 0; r < rows; r++) sheaf_builder_i64(e->b, offsets[r + 1] - offsets[r]);
	if (is_sparse && !is_in_order(e)) {
		SHEAF_TRY(put_sorting(e, rows, &p.entries));
	} else {
		for (int64_t s = e->samples.begin; s < e->samples.end && is_sparse; s++)
			sheaf_builder_i64(e->b, sheaf_run_length(sheaf_level_below_one(level, s)));
		for (int64_t i = e->entries.begin; i < e->entries.end && is_sparse; i++)
			put_index(e, sheaf_level_index(level, 0, i));
		pad(e->b);
		/* A column without values has no bytes, and no address, either. */
		size_t size = sheaf_type_size(e->column->type), n = (size_t)p.entries;
		if (n) sheaf_builder_append(e->b, e->column->values.data + (size_t)e->entries.begin * size, n * size);
	}
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

static size_t padded(size_t size) { return (size + 7) / 8 * 8; }

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

sheaf_status sheaf_bsp_append_streams(sheaf_bsp_writer *out, const sheaf_blob *blob, sheaf_error *err)
{
	const uint8_t *at = blob->bytes.data;
	for (int s = 0; s < out->ntensors; s++) {
		sheaf_bsp_building *t = &out->tensors[s];
		const parcel *p = (const parcel *)(const void *)at;
		const int64_t *rows = (const int64_t *)(const void *)(p + 1), *samples = rows + p->rows;
		bool sparse = sheaf_field_is_sparse(t->field);
		at = (const uint8_t *)(sparse ? samples + p->samples : samples);
		for (int64_t r = 0; r < p->rows; r++) {
			if (rows[r] > t->longest) t->longest = rows[r];
			t->is_one_each &= rows[r] == 1;
		}
		t->rows += p->rows;
		SHEAF_TRY(add_ends(&t->pointers[1], rows, p->rows, &t->samples, err));
		if (sparse) {
			SHEAF_TRY(add_ends(&t->pointers[2], samples, p->samples, &t->elements, err));
			SHEAF_TRY(sheaf_bsp_store_add(&t->indices[2], at, p->entries, err));
			at += padded((size_t)p->entries * sheaf_type_size(t->indices[2].type));
		}
		SHEAF_TRY(sheaf_bsp_store_add(&t->values, at, p->entries, err));
		at += padded((size_t)p->entries * sheaf_type_size(t->values.type));
	}
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

static void move_store(sheaf_bsp_store *to, sheaf_bsp_store *from)
{
	sheaf_bsp_store_drop(to);
	*to = *from;
	*from = (sheaf_bsp_store){0};
}

/* Which of the two tensors it is: with one sample in each sequence, the level of samples says nothing. */
sheaf_status sheaf_bsp_complete_stream(sheaf_bsp_writer *out, sheaf_bsp_building *t, sheaf_error *err)
{
	bool sparse = sheaf_field_is_sparse(t->field);
	/* Without any rows there are no offsets yet. */
	SHEAF_TRY(add_ends(&t->pointers[1], NULL, 0, &t->samples, err));
	if (sparse) SHEAF_TRY(add_ends(&t->pointers[2], NULL, 0, &t->elements, err));
	t->d.stored = t->values.count;
	t->d.shape[0] = t->rows;
	if (t->is_one_each) { /* the level of samples is removed */
		(void)sheaf_bsp_layout_named(sparse ? "CSR" : "DMATR", &t->d.layout);
		t->d.shape[1] = sheaf_field_dim(t->field);
		move_store(&t->pointers[1], &t->pointers[2]);
		move_store(&t->indices[1], &t->indices[2]);
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_bsp_layout_parse(sparse ? "DSS" : "DSD", &t->d.layout, err));
	t->d.shape[1] = t->longest;
	t->d.shape[2] = sheaf_field_dim(t->field);
	sheaf_bsp_store_begin(&t->indices[1], sheaf_bsp_index_type(out, t->longest - 1), out->cx);
	/* The samples of all sequences are numbered; the offsets are in the strand, those in its file first. */
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
