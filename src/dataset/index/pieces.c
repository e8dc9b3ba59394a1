/* SPDX-License-Identifier: MIT */
/* The table of pieces: making it, and querying it.
 *
 * A piece is a run of whole rows that can be recalled and decoded by itself: some bytes of a text, or a
 * chunk. Its entry is nine words: byte, size, line, column, chunk, first row, rows, samples, hash. The
 * entries are kept as they are in an index file, so that a table of millions of pieces is used where it is
 * mapped, and an entry is decoded when somebody asks for it. Lengths of rows are beside them, packed
 * (lengths.h). */
#include "dataset/index/pieces.h"
#include "base/checked.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/third/xxhash.h"
#include "dataset/input/measure.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

enum { ENTRY = SHEAF_PIECES_ENTRY };

/* ---- making ---- */

sheaf_status sheaf_gathering_begin(sheaf_gathering *g, sheaf_context *cx, sheaf_error *err)
{
	*g = (sheaf_gathering){.cx = cx};
	sheaf_builder_begin(&g->entries, cx, NULL);
	sheaf_builder_begin(&g->counts, cx, NULL);
	return sheaf_packer_begin(&g->packer, cx, err);
}

void sheaf_gathering_drop(sheaf_gathering *g)
{
	sheaf_builder_drop(&g->entries);
	sheaf_builder_drop(&g->counts);
	sheaf_packer_drop(&g->packer);
}

/* Adds a piece to the table that is being made, with the lengths of its rows and the hash of its bytes (0:
 * none), and returns its entry. Samples are the sum of the lengths. If memory runs out,
 * sheaf_gathering_finish reports it. */
sheaf_piece_entry sheaf_gathering_add(sheaf_gathering *g, const sheaf_piece *piece, const uint32_t *lengths,
                                      int64_t rows, uint64_t hash)
{
	sheaf_piece_entry e = {piece->byte,    piece->size, piece->line, piece->column, piece->chunk,
	                       g->packer.rows, rows,        0,           hash};
	for (int64_t r = 0; r < rows; r++) e.samples += lengths[r];
	const int64_t words[] = {e.byte, e.size, e.line,    e.column,       e.chunk,
	                         e.row,  e.rows, e.samples, (int64_t)e.hash};
	for (size_t w = 0; w < sizeof words / sizeof *words; w++)
		sheaf_builder_u64le(&g->entries, (uint64_t)words[w]);
	sheaf_packer_add(&g->packer, lengths, rows);
	g->samples += e.samples;
	return e;
}

/* Makes a table of what was gathered; the gathering is empty afterwards. Counts are there if somebody has
 * added them along with the pieces. */
sheaf_status sheaf_gathering_finish(sheaf_gathering *g, sheaf_pieces **out, sheaf_error *err)
{
	*out = NULL;
	sheaf_pieces *p;
	SHEAF_TRY(sheaf_allocate(g->cx, sizeof(sheaf_pieces), &p, err));
	*p = (sheaf_pieces){.cx = g->cx, .rows = g->packer.rows, .samples = g->samples};
	sheaf_status status = sheaf_packer_finish(&g->packer, &p->lengths, err);
	if (status == SHEAF_OK) status = sheaf_builder_finish(&g->entries, &p->entries, err);
	if (status == SHEAF_OK) status = sheaf_builder_finish(&g->counts, &p->counts, err);
	if (status) {
		sheaf_pieces_free(p);
		return status;
	}
	p->count = (int64_t)(p->entries.size / ENTRY);
	*out = p;
	return SHEAF_OK;
}

/* Computes the hash of a piece's bytes in the file. They are at hand unless the format keeps none of them
 * in the piece, or others: then they are viewed in the source. */
sheaf_status sheaf_piece_hash(const sheaf_input *d, const sheaf_piece *piece, uint64_t *out, sheaf_error *err)
{
	sheaf_buffer bytes = {0};
	const sheaf_buffer *all = &piece->bytes;
	if (piece->bytes.size != (size_t)piece->size) {
		SHEAF_TRY(sheaf_source_view_at(d->source, piece->byte, (size_t)piece->size, &bytes, err));
		all = &bytes;
	}
	*out = sheaf_xxhash(all->data, all->size, 0).low;
	sheaf_buffer_reset(&bytes);
	return SHEAF_OK;
}

void sheaf_pieces_free(sheaf_pieces *p)
{
	if (!p) return;
	sheaf_buffer_reset(&p->entries);
	sheaf_lengths_free(&p->lengths);
	sheaf_buffer_reset(&p->counts);
	sheaf_release(p->cx, p, sizeof *p);
}

/* ---- asking ---- */

int64_t sheaf_pieces_count(const sheaf_pieces *p)
{
	if (!p) return 0;
	return p->count;
}
int64_t sheaf_pieces_rows(const sheaf_pieces *p) { return p->rows; }
/* Decodes entry i of the table; an entry without a place (-1) if there is none. */
void sheaf_pieces_at(const sheaf_pieces *p, int64_t i, sheaf_piece_entry *out)
{
	if (!out) return;
	*out = (sheaf_piece_entry){.line = -1, .column = -1, .chunk = -1};
	if (!p || i < 0 || i >= p->count) return;
	const uint8_t *record = p->entries.data + (size_t)i * ENTRY;
	*out = (sheaf_piece_entry){
		sheaf_load_i64le(record),      sheaf_load_i64le(record + 8),  sheaf_load_i64le(record + 16),
		sheaf_load_i64le(record + 24), sheaf_load_i64le(record + 32), sheaf_load_i64le(record + 40),
		sheaf_load_i64le(record + 48), sheaf_load_i64le(record + 56), sheaf_load_u64le(record + 64),
	};
}

/* The piece of an entry, without its bytes. Rows that are slices of a tensor are numbered like slices. */
sheaf_piece sheaf_piece_of(const sheaf_piece_entry *entry)
{
	return (sheaf_piece){.byte = entry->byte,
	                     .size = entry->size,
	                     .line = entry->line,
	                     .column = entry->column,
	                     .chunk = entry->chunk,
	                     .slice = entry->row,
	                     .slices = entry->rows};
}

/* Finds the last piece that begins at the row or before it, by a binary search. Pieces without rows begin
 * where the next one does, so the last of several is the one with the row. */
int64_t sheaf_pieces_find(const sheaf_pieces *p, int64_t row)
{
	if (!p || row < 0 || row >= p->rows) return -1;
	int64_t low = 0, high = p->count;
	sheaf_piece_entry entry;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		sheaf_pieces_at(p, middle, &entry);
		if (entry.row <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Fails because a piece has other rows than when the table was made. */
sheaf_status sheaf_pieces_refuse(const sheaf_input *input, const sheaf_piece_entry *entry, int64_t found,
                                 sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s (byte %" PRId64 "): expected %" PRId64
	                  " rows, as when its pieces were found, found %" PRId64,
	                  sheaf_source_name(input->source), entry->byte, entry->rows, found);
}

/* ---- lengths ---- */

/* Recalls and measures the piece of an entry. It must be the one that the index has, since the lengths
 * stand for those of the index: otherwise STALE. */
static sheaf_status measure_piece(sheaf_measurer *m, const sheaf_piece_entry *entry, sheaf_error *err)
{
	sheaf_piece piece = sheaf_piece_of(entry);
	uint64_t hash = 0;
	sheaf_status status = m->input->format->random->recall(m->input->in, &piece, err);
	if (status == SHEAF_OK) status = sheaf_piece_hash(m->input, &piece, &hash, err);
	if (status == SHEAF_OK) status = sheaf_measure(m, &piece, err);
	if (status == SHEAF_OK && (m->rows != entry->rows || hash != entry->hash))
		status = sheaf_fail(err, SHEAF_STALE,
		                    "%s (byte %" PRId64 "): expected a piece that its index has, found another",
		                    sheaf_source_name(m->input->source), entry->byte);
	sheaf_piece_reset(&piece);
	return status;
}

/* Measures rows of a block that is damaged in the index in the input itself, piece by piece. */
static sheaf_status measure_rows(const sheaf_pieces *p, int64_t row, int64_t n, uint32_t *lengths,
                                 sheaf_error *err)
{
	sheaf_measurer m;
	SHEAF_TRY(sheaf_measurer_begin(&m, p->input, err));
	sheaf_status status = SHEAF_OK;
	for (int64_t i = sheaf_pieces_find(p, row); n > 0; i++) {
		sheaf_piece_entry entry;
		sheaf_pieces_at(p, i, &entry);
		status = measure_piece(&m, &entry, err);
		if (status) break;
		int64_t first_in_piece = row - entry.row,
				run = entry.rows - first_in_piece < n ? entry.rows - first_in_piece : n;
		if (run > 0) memcpy(lengths, m.lengths + first_in_piece, (size_t)run * sizeof *lengths);
		lengths += run;
		row += run;
		n -= run;
	}
	sheaf_measurer_end(&m);
	return status;
}

/* Gives the lengths of rows, block by block, from the packed ones where the block is sound, and measured in
 * the input where it is not. */
sheaf_status sheaf_pieces_lengths(const sheaf_pieces *p, int64_t row, int64_t n, uint32_t *lengths,
                                  sheaf_error *err)
{
	int64_t end;
	if (row < 0 || n < 0 || !sheaf_add_i64(&end, row, n) || end > p->rows)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "lengths: expected rows from 0 to %" PRId64 ", found %" PRId64
		                  " rows from %" PRId64,
		                  p->rows, n, row);
	while (n > 0) {
		int64_t left_in_block = SHEAF_LENGTHS_BLOCK - row % SHEAF_LENGTHS_BLOCK,
				run = left_in_block < n ? left_in_block : n;
		if (sheaf_lengths_is_sound(&p->lengths, row / SHEAF_LENGTHS_BLOCK))
			sheaf_lengths_unpack(&p->lengths, row, run, lengths);
		else
			SHEAF_TRY(measure_rows(p, row, run, lengths, err));
		lengths += run;
		row += run;
		n -= run;
	}
	return SHEAF_OK;
}
