/* SPDX-License-Identifier: MIT */
/* Stored elements, wherever they are: a range of the file, the metadata, or a grid of chunks of any
 * number of dimensions. A run of rows of the first dimension touches a block of the grid; each chunk of
 * it is read once, and its part is copied row by row to where it belongs.
 *
 * Chunks may have their dimensions in another order than the array (`turn`, in Zarr). At the edges
 * chunks are whole in the file, with elements that are outside the array. */
#include "base/context.h"
#include "base/extend.h"
#include "base/status.h"
#include "base/threads/pipeline.h"
#include "container/bits.h"
#include "container/filter.h"
#include <string.h>

enum { MOST_DIMENSIONS = 32 };

/* The part of an array that is read. */
typedef struct grid {
	sheaf_box *box;
	const sheaf_box_item *item;
	int64_t from, to; /* rows of the first dimension */
	uint8_t *out;
	size_t chunk_bytes;
} grid;

/* A chunk being read: fetched in order, and unpacked and copied on any thread, since no two have places in
 * common. */
typedef struct cell {
	int64_t at[MOST_DIMENSIONS], number;
	int64_t first[MOST_DIMENSIONS], end[MOST_DIMENSIONS]; /* the part of it that is needed */
	uint32_t skipped;                                     /* filters */
	sheaf_builder stored;
	sheaf_filtering filtering;
	sheaf_error failure;
} cell;

/* Chunks in a dimension; the last one may reach beyond the array. No extent is 0: arrays without elements
 * are not read. */
static int64_t chunks_along(const sheaf_box_item *item, int dimension)
{
	return (item->dims[dimension] - 1) / item->inside->grid[dimension] + 1;
}

/* Elements that are not stored. What is wider than the fill value, which has 16 bytes, ends in zeros. */
static void fill(const sheaf_box_detail *inside, uint8_t *to, size_t count)
{
	size_t known = inside->width < sizeof inside->fill ? inside->width : sizeof inside->fill;
	for (size_t i = 0; i < count; i++) {
		memset(to + i * inside->width, 0, inside->width);
		memcpy(to + i * inside->width, inside->fill, known);
	}
}

/* Gives the elements of a chunk in *out, which stay in the cell: those that are stored, without their
 * filters, or the fill value if none are. */
static sheaf_status unpack(const grid *g, cell *c, sheaf_bytes *out, sheaf_error *err)
{
	const sheaf_box_detail *inside = g->item->inside;
	if (c->stored.size == 0) {
		if (!sheaf_builder_room(&c->stored, g->chunk_bytes)) return sheaf_builder_status(&c->stored, err);
		fill(inside, c->stored.data, g->chunk_bytes / inside->width);
		*out = (sheaf_bytes){c->stored.data, g->chunk_bytes};
		return SHEAF_OK;
	}
	sheaf_filtered stored = {inside, c->skipped, sheaf_builder_bytes(&c->stored), g->chunk_bytes};
	c->filtering.cx = g->box->cx;
	return sheaf_unfilter(&c->filtering, &stored, NULL, out, err);
}

/* Moves to the next of those before `last` dimensions; false at the end. */
static bool step(int64_t place[], const int64_t first[], const int64_t end[], int last)
{
	for (int i = last - 1; i >= 0; i--) {
		if (++place[i] < end[i]) return true;
		place[i] = first[i];
	}
	return false;
}

/* Unpacks a chunk and copies the part of it that was requested into the rows to be read, on any thread:
 * chunks do not overlap, so nothing is locked. A failure stays in the cell. Elements that follow each
 * other in the last dimension are copied at once, unless that is not the last dimension in the chunk. */
static void work(void *user, void *item)
{
	const grid *g = (const grid *)user;
	cell *c = (cell *)item;
	const sheaf_box_detail *inside = g->item->inside;
	sheaf_bytes chunk;
	c->failure.status = SHEAF_OK;
	c->failure.status = unpack(g, c, &chunk, &c->failure);
	if (c->failure.status) return;
	int64_t place[MOST_DIMENSIONS];
	int last = g->item->rank - 1;
	/* Distances in bytes between neighbors in each dimension, in the chunk and in the requested rows. */
	size_t in_chunk[MOST_DIMENSIONS], in_rows[MOST_DIMENSIONS];
	size_t width = inside->width, chunk_step = width, row_step = width;
	for (int k = last; k >= 0; k--) {
		int i = inside->turn ? inside->turn[k] : k;
		in_chunk[i] = chunk_step;
		chunk_step *= (size_t)inside->grid[i];
		in_rows[k] = row_step;
		row_step *= (size_t)g->item->dims[k];
		/* The part of the chunk that is within the array and the requested rows. */
		int64_t extent = inside->grid[k], begin = c->at[k] * extent;
		int64_t low = k ? 0 : g->from, high = k ? g->item->dims[k] : g->to;
		c->first[k] = place[k] = begin > low ? begin : low;
		c->end[k] = high - begin < extent ? high : begin + extent;
	}
	size_t elements = (size_t)(c->end[last] - c->first[last]), step_in_chunk = in_chunk[last];
	do {
		uint8_t *to = g->out;
		const uint8_t *from = chunk.data;
		for (int i = 0; i <= last; i++) {
			to += (size_t)(place[i] - (i ? 0 : g->from)) * in_rows[i];
			from += (size_t)(place[i] - c->at[i] * inside->grid[i]) * in_chunk[i];
		}
		if (step_in_chunk == width)
			memcpy(to, from, elements * width);
		else
			for (size_t i = 0; i < elements; i++) memcpy(to + i * width, from + i * step_in_chunk, width);
	} while (step(place, c->first, c->end, last));
}

/* What a chunk in progress owns. */
static void drop(void *user, void *item)
{
	(void)user;
	cell *c = (cell *)item;
	sheaf_builder_drop(&c->stored);
	sheaf_filtering_close(&c->filtering);
}

/* Reads all chunks that have requested rows, the last dimension fastest. This thread reads the stored
 * bytes in order, threads of the pipeline unpack them. While the pipeline has no free cell, the first
 * chunk is awaited. */
static sheaf_status read_chunks(const grid *g, sheaf_pipeline *cells, sheaf_error *err)
{
	int64_t at[MOST_DIMENSIONS], low[MOST_DIMENSIONS] = {0}, high[MOST_DIMENSIONS];
	bool has_more = true;
	for (int i = 0; i < g->item->rank; i++) high[i] = chunks_along(g->item, i);
	low[0] = g->from / g->item->inside->grid[0];
	high[0] = (g->to - 1) / g->item->inside->grid[0] + 1;
	memcpy(at, low, sizeof low);
	while (has_more || sheaf_pipeline_count(cells) > 0) {
		SHEAF_TRY(sheaf_check_stop(g->box->cx, err));
		cell *c = has_more ? (cell *)sheaf_pipeline_free_item(cells) : NULL;
		if (!c) {
			/* The first failure counts, in the order of chunks, so that the message does not depend on
			 * threads. */
			char where[300];
			const cell *done = (const cell *)sheaf_pipeline_first(cells);
			sheaf_status status = done->failure.status;
			if (status)
				status = sheaf_fail_within(err, &done->failure, "%s, chunk %lld",
				                           sheaf_box_where(g->box, g->item, where), (long long)done->number);
			sheaf_pipeline_pass(cells);
			SHEAF_TRY(status);
			continue;
		}
		memcpy(c->at, at, sizeof at);
		/* The stored bytes of the chunk. */
		c->number = 0;
		c->skipped = 0;
		for (int i = 0; i < g->item->rank; i++) c->number = c->number * chunks_along(g->item, i) + c->at[i];
		if (!c->stored.cx) sheaf_builder_begin(&c->stored, g->box->cx, NULL);
		c->stored.size = 0;
		SHEAF_TRY(
			g->box->driver->read_chunk(g->box->state, g->item, c->number, &c->skipped, &c->stored, err));
		sheaf_pipeline_submit(cells);
		has_more = step(at, low, high, g->item->rank);
	}
	return SHEAF_OK;
}

int sheaf_box_depth(const sheaf_box *box, int64_t bytes, int share, int more)
{
	int64_t most = sheaf_max_memory(box->cx) / share / bytes;
	int threads = sheaf_context_threads(box->cx), depth = threads > 1 ? threads + more : 1;
	return depth < most ? depth : most > 1 ? (int)most : 1;
}

/* Reads the elements of rows [from, to) as they are stored into `out`, from where they are: in a grid of
 * chunks, nowhere (then they are the fill value), in a place that only the driver knows (offset -1), or
 * in one piece of the file. A row is all that has one index of the first dimension. */
sheaf_status sheaf_box_read_elements(sheaf_box *box, const sheaf_box_item *item, int64_t from, int64_t to,
                                     uint8_t *out, sheaf_error *err)
{
	const sheaf_box_detail *inside = item->inside;
	int64_t row = item->count / inside->per / (item->rank ? item->dims[0] : 1);
	if (inside->grid) {
		grid g = {.box = box, .item = item, .from = from, .to = to, .out = out};
		sheaf_pipeline cells = {0};
		g.chunk_bytes = item->inside->width;
		for (int i = 0; i < item->rank; i++) g.chunk_bytes *= (size_t)item->inside->grid[i];
		SHEAF_TRY(sheaf_pipeline_open(&cells, box->cx, sizeof(cell),
		                              sheaf_box_depth(box, (int64_t)g.chunk_bytes * 4, 8, 1),
		                              (sheaf_pipeline_steps){work, NULL, drop, &g}, err));
		sheaf_status status = read_chunks(&g, &cells, err);
		sheaf_pipeline_close(&cells);
		return status;
	}
	if (inside->is_absent) {
		fill(inside, out, (size_t)((to - from) * row));
		return SHEAF_OK;
	}
	if (inside->offset < 0) return box->driver->read_rows(box->state, item, from, to, out, err);
	int64_t width = (int64_t)inside->width;
	return box->store.read(box->store.user, inside->offset + from * row * width, out,
	                       (size_t)((to - from) * row * width), err);
}

/* ---- rows that are held ---- */

/* Returns how many rows of the first dimension are read at once: whole chunks, if memory allows it. */
static int64_t rows_at_once(const sheaf_box *box, const sheaf_box_item *item, int64_t row_bytes)
{
	enum { USUAL = 1 << 20, SHARE = 8 };
	const int64_t *extents = item->inside->grid;
	int64_t usual = USUAL / row_bytes + 1, most = sheaf_max_memory(box->cx) / SHARE / row_bytes + 1;
	if (!extents) return usual;
	int64_t whole = (usual + extents[0] - 1) / extents[0] * extents[0];
	return whole < most ? whole : most;
}

/* Some of the rows of a run, and the first among them. */
typedef struct band {
	int64_t begin, end;
	sheaf_buffer elements;
} band;

static void drop_band(band *b) { sheaf_buffer_reset(&b->elements); }

/* Reads the rows of a band as they are stored, or, if the array has bits, as numbers of ours. */
static sheaf_status read_band(sheaf_box *box, const sheaf_box_item *item, band *to, size_t size,
                              sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = box->cx};
	const sheaf_box_detail *inside = item->inside;
	if (!sheaf_builder_room(&b, size)) return sheaf_builder_status(&b, err);
	SHEAF_TRY(sheaf_box_read_elements(box, item, to->begin, to->end, b.data, err));
	if (inside->bits) sheaf_box_expand(inside->bits, item->type, b.data, size / sheaf_type_size(item->type));
	b.size = size;
	return sheaf_builder_finish(&b, &to->elements, err);
}

/* Refills the band with the first of the rows [rows.from, rows.to); a band is a run of rows in memory.
 * Chunks are read whole, so that the band begins and ends at their edges, and are kept at the item for
 * the next call if it will need their end; without chunks, only what is needed is read. */
static sheaf_status hold(sheaf_box *box, sheaf_box_run rows, band *to, sheaf_error *err)
{
	const sheaf_box_item *item = rows.item;
	sheaf_box_detail *inside = item->inside;
	int64_t all_rows = item->rank ? item->dims[0] : 1, row = item->count / inside->per / all_rows;
	size_t width = inside->bits ? sheaf_type_size(item->type) * (size_t)inside->per : inside->width;
	int64_t step = rows_at_once(box, item, row * (int64_t)width), end = inside->grid ? all_rows : rows.to;
	sheaf_buffer_reset(&to->elements);
	SHEAF_TRY(sheaf_check_stop(box->cx, err));
	to->begin = inside->grid ? rows.from / step * step : rows.from;
	to->end = end - to->begin < step ? end : to->begin + step;
	size_t size = (size_t)(to->end - to->begin) * (size_t)row * width;
	if (inside->grid) {
		/* The rows that an earlier call has left, if they are these. */
		sheaf_mutex_lock(&box->kept);
		if (inside->kept.data && inside->kept_number == to->begin && inside->kept.size == size)
			to->elements = sheaf_buffer_ref(&inside->kept);
		sheaf_mutex_unlock(&box->kept);
	}
	if (!to->elements.data) SHEAF_TRY(read_band(box, item, to, size, err));
	if (inside->grid) {
		/* Keeps the rows for the next call if it will need them, and gives up those that were needed last.
		 * Another reader of the same array may have left others meanwhile. */
		bool is_needed_again = to->end > rows.to;
		sheaf_mutex_lock(&box->kept);
		sheaf_buffer old = {0};
		if (is_needed_again || inside->kept_number == to->begin) {
			old = inside->kept;
			inside->kept = is_needed_again ? sheaf_buffer_ref(&to->elements) : (sheaf_buffer){0};
			inside->kept_number = to->begin;
		}
		sheaf_mutex_unlock(&box->kept);
		sheaf_buffer_reset(&old);
	}
	return SHEAF_OK;
}

/* Shows elements [run.from, run.to) band by band: `seen` gets the bytes of those that a band has, `width`
 * bytes each. A row is all that has one index of the first dimension. */
sheaf_status sheaf_box_bands(sheaf_box *box, sheaf_box_run run, size_t width, sheaf_box_elements_seen seen,
                             void *user, sheaf_error *err)
{
	const sheaf_box_item *item = run.item;
	int64_t row = item->count / (item->rank ? item->dims[0] : 1), end_row = (run.to - 1) / row + 1;
	SHEAF_SCOPED(drop_band) band b = {0};
	for (int64_t at = run.from / row; at < end_row; at = b.end) {
		SHEAF_TRY(hold(box, (sheaf_box_run){item, at, end_row}, &b, err));
		int64_t from = at * row > run.from ? at * row : run.from,
				to = b.end * row < run.to ? b.end * row : run.to;
		SHEAF_TRY(seen(user, b.elements.data + (size_t)(from - b.begin * row) * width, from, to - from, err));
	}
	return SHEAF_OK;
}
