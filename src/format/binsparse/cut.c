/* SPDX-License-Identifier: MIT */
/* Entries into pieces, which are runs of stored elements. They end between outermost coordinates, unless one
 * of these has more elements than a piece should. A piece's byte and size are those of its elements as if all
 * arrays were one array of records: that is what finding it again needs. Its notes have, for each level, the
 * run of positions above that its elements belong to; threads that decode then need not search. */
#include "base/buffer.h"
#include "base/context.h"
#include "format/binsparse/reader.h"
#include <inttypes.h>
#include <string.h>

const sheaf_run *sheaf_bsp_ranges_of(const sheaf_piece *piece)
{
	return (const sheaf_run *)(const void *)piece->notes.data;
}

/* ---- positions ---- */

static sheaf_status note(const sheaf_bsp_tensor *t, const sheaf_run *ranges, sheaf_piece *piece,
                         sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, t->cx, &piece->notes);
	sheaf_builder_append(&b, ranges, (size_t)(t->d.layout.nlevels + 1) * sizeof *ranges);
	return sheaf_builder_finish(&b, &piece->notes, err);
}

/* ---- outermost coordinates ---- */

/* The outermost coordinate of element *at. *at moves back to the first element with the same one, but not
 * into what is covered. */
static sheaf_status find_outermost(const sheaf_bsp_tensor *t, sheaf_sparse_view *view, const int64_t *covered,
                                   int64_t *coordinate, int64_t *at, sheaf_error *err)
{
	const sheaf_stored_levels *layout = &t->d.layout;
	int64_t q = *at;
	for (int l = layout->nlevels - 1; l > 0; l--) {
		int64_t below = q;
		q = covered[l] > 0 ? covered[l] - 1 : 0;
		SHEAF_TRY(sheaf_sparse_above(&t->sparse, view, l, below, &q, err));
	}
	*coordinate = q;
	if (layout->levels[0].is_sparse) {
		SHEAF_TRY(sheaf_stored_look(&t->sparse, &t->indices[0], &view->indices[0], q, coordinate, err));
		if (layout->levels[0].rank > 1) {
			q = covered[1];
			SHEAF_TRY(
				sheaf_stored_search(&t->sparse, &t->indices[0], &view->indices[0], *coordinate, &q, err));
		}
	}
	for (int l = 1; l < layout->nlevels; l++) SHEAF_TRY(sheaf_sparse_below(&t->sparse, view, l, q, &q, err));
	*at = q;
	return SHEAF_OK;
}

/* Sets the piece's slices, and moves its end back to where an outermost coordinate begins, if there is such a
 * place. */
static sheaf_status cut_between(sheaf_bsp_reader *in, sheaf_piece *piece, int64_t *to, sheaf_error *err)
{
	const sheaf_bsp_tensor *t = sheaf_bsp_only(in);
	int64_t coordinate = t->d.layout.rank ? sheaf_bsp_extent(&t->d, 0) : 0, first = *to;
	if (t->d.layout.rank == 0) return SHEAF_OK;
	if (*to < sheaf_sparse_entries(&t->sparse))
		SHEAF_TRY(find_outermost(t, in->views, in->covered, &coordinate, &first, err));
	bool begins_inside = in->is_inside;
	in->is_inside = first <= in->next || first > *to;
	if (!in->is_inside) *to = first;
	if (!in->is_inside && !begins_inside && coordinate > in->slice) {
		piece->slice = in->slice;
		piece->slices = coordinate - in->slice;
	}
	in->slice = coordinate;
	return SHEAF_OK;
}

/* ---- pieces ---- */

/* The next run of elements, of about `bytes` bytes, with the positions above them at each level. Chunks are
 * decompressed whole: a piece consists of several of the longest ones, if memory allows. */
static sheaf_status cut_entries(sheaf_bsp_reader *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_run ranges[BSP_MAX_RANK + 1];
	const sheaf_bsp_tensor *t = sheaf_bsp_only(in);
	int64_t n = sheaf_sparse_entries(&t->sparse), each = sheaf_bsp_entry_bytes(t), wanted = bytes / each;
	int64_t chunk = t->values.chunk / sheaf_bsp_parts(t->d.values),
			most = sheaf_max_memory(t->cx) / 64 / each, to = n;
	for (int k = 0; k < t->d.layout.rank; k++)
		if (t->indices[k].chunk > chunk) chunk = t->indices[k].chunk;
	if (wanted < 1) wanted = 1;
	if (n - in->next > wanted) {
		to = in->next + wanted;
		if (chunk > 1 && chunk <= most) to = (to + chunk - 1) / chunk * chunk;
		if (to > n) to = n;
	}
	SHEAF_TRY(cut_between(in, piece, &to, err));
	ranges[t->d.layout.nlevels] = (sheaf_run){in->next, to};
	SHEAF_TRY(sheaf_sparse_locate(&t->sparse, in->views, in->covered, ranges, err));
	SHEAF_TRY(note(t, ranges, piece, err));
	piece->byte = in->next * each;
	piece->size = (to - in->next) * each;
	for (int l = 0; l <= t->d.layout.nlevels; l++) in->covered[l] = ranges[l].end;
	in->next = to;
	in->is_done = to == n;
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_bsp_reader *in = (sheaf_bsp_reader *)reader;
	if (in->is_done) return SHEAF_END;
	for (int i = 0; i < in->ntensors; i++)
		if (in->tensors[i].is_broken) return SHEAF_END;
	sheaf_buffer notes = piece->notes;
	sheaf_buffer_reset(&piece->bytes);
	*piece = (sheaf_piece){.line = -1, .column = -1, .chunk = -1, .notes = notes};
	if (in->schema.rows == SHEAF_ENTRIES) return cut_entries(in, bytes, piece, err);
	if (in->schema.rows == SHEAF_SEQUENCES) return sheaf_bsp_cut_rows(in, bytes, piece, err);
	in->is_done = true;
	return SHEAF_OK;
}

/* ---- any piece ---- */

/* Places may come from an index of another file: those of rows, and those of entries, are compared with what
 * the tensor has. */
static sheaf_status check_rows(const sheaf_bsp_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	int64_t rows = in->schema.rows == SHEAF_SEQUENCES ? in->tensors[0].d.shape[0] : 1;
	if (in->schema.rows == SHEAF_WHOLE ||
	    (piece->byte >= 0 && piece->size >= 0 && piece->byte <= rows && piece->size <= rows - piece->byte))
		return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected a piece of the %" PRId64 " sequences, found byte %" PRId64
	                  ", size %" PRId64,
	                  in->tensors[0].where, rows, piece->byte, piece->size);
}

static sheaf_status range_of(const sheaf_bsp_tensor *t, const sheaf_piece *piece, int64_t *from, int64_t *to,
                             sheaf_error *err)
{
	int64_t each = sheaf_bsp_entry_bytes(t), n = sheaf_sparse_entries(&t->sparse);
	if (piece->byte >= 0 && piece->size >= 0 && piece->byte % each == 0 && piece->size % each == 0 &&
	    piece->byte / each <= n && piece->size / each <= n - piece->byte / each) {
		*from = piece->byte / each;
		*to = *from + piece->size / each;
		return SHEAF_OK;
	}
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected a piece of the %" PRId64 " elements, found byte %" PRId64
	                  ", size %" PRId64,
	                  t->where, n, piece->byte, piece->size);
}

sheaf_status sheaf_bsp_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_bsp_reader *in = (const sheaf_bsp_reader *)reader;
	const sheaf_bsp_tensor *t = sheaf_bsp_only(in);
	sheaf_run ranges[BSP_MAX_RANK + 1];
	sheaf_sparse_view view = {0};
	int64_t from = 0, to = 0;
	if (in->schema.rows != SHEAF_ENTRIES) return check_rows(in, piece, err);
	SHEAF_TRY(range_of(t, piece, &from, &to, err));
	ranges[t->d.layout.nlevels] = (sheaf_run){from, to};
	sheaf_status status = sheaf_sparse_locate(&t->sparse, &view, NULL, ranges, err);
	sheaf_sparse_view_close(&view);
	return status ? status : note(t, ranges, piece, err);
}

/* To the start, or to a piece that was cut before: what `cut` remembers between pieces is then found again.
 */
sheaf_status sheaf_bsp_rewind(void *reader, const sheaf_piece *piece, sheaf_error *err)
{
	sheaf_bsp_reader *in = (sheaf_bsp_reader *)reader;
	const sheaf_bsp_tensor *t = sheaf_bsp_only(in);
	int64_t to, first;
	memset(in->covered, 0, sizeof in->covered);
	if (!piece) {
		in->is_done = in->is_inside = false;
		in->next = in->slice = in->diagonal = 0;
		return SHEAF_OK;
	}
	if (in->schema.rows != SHEAF_ENTRIES) {
		SHEAF_TRY(check_rows(in, piece, err));
		in->next = piece->byte;
		in->is_done = in->next > 0 && in->next == in->tensors[0].d.shape[0];
		return SHEAF_OK;
	}
	SHEAF_TRY(range_of(t, piece, &in->next, &to, err));
	in->is_done = in->next > 0 && in->next == sheaf_sparse_entries(&t->sparse);
	if (in->is_done || in->next == 0 || t->d.layout.rank == 0) return SHEAF_OK;
	first = in->next;
	SHEAF_TRY(find_outermost(t, in->views, in->covered, &in->slice, &first, err));
	in->is_inside = first < in->next;
	return SHEAF_OK;
}
