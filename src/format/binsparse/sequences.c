/* SPDX-License-Identifier: MIT */
/* A piece into streams: levels of the tensor are levels of the column, except for the outermost, which is
 * that of the rows. The layout says which levels there are: DSS has rows, samples and entries, CSR rows and
 * entries, of one sample each. A piece has a run of rows; each level's pointers say which run that is at the
 * level below. They are checked as they are read, since the file may say anything between their ends. */
#include "base/buffer.h"
#include "base/context.h"
#include "format/binsparse/reader.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A stream of some rows. If one of its arrays is broken, that has been reported, and the piece gives no rows.
 */
typedef struct decoding {
	const sheaf_bsp_tensor *t;
	sheaf_column_builder *column;
	int64_t from, to; /* rows */
	sheaf_context *cx;
	sheaf_error *err;
	bool is_broken;
} decoding;

/* Offsets that begin at 0, made from pointers. */
static void put_offsets(const int64_t *pointers, int64_t n, sheaf_level_builder *level)
{
	for (int64_t i = 1; i <= n && !level->offsets.failed; i++)
		sheaf_level_end(level, pointers[i] - pointers[0]);
}

/* Pointers of positions [from, to) of a level, checked: they cover [first, last). */
static sheaf_status read_pointers(decoding *d, int l, int64_t from, int64_t to, sheaf_buffer *out)
{
	sheaf_level_run c = {.s = &d->t->sparse, .l = l, .above = {from, to}, .cx = d->cx, .err = d->err};
	SHEAF_TRY(
		sheaf_stored_i64(&d->t->sparse, &d->t->pointers[l], (sheaf_run){from, to + 1}, d->cx, out, d->err));
	c.pointers = sheaf_numbers(out);
	SHEAF_TRY(sheaf_level_check_pointers(&c));
	d->is_broken |= c.is_broken || c.pointers[0] < 0;
	return SHEAF_OK;
}

/* Samples are numbered from 0 in each sequence. */
static sheaf_status check_numbers(decoding *d, const int64_t *pointers, const int64_t *stored, int64_t base)
{
	for (int64_t r = 0; r < d->to - d->from && !d->is_broken; r++)
		for (int64_t i = pointers[r]; i < pointers[r + 1]; i++) {
			if (stored[i - base] == i - pointers[r]) continue;
			char found[32];
			snprintf(found, sizeof found, "%" PRId64, stored[i - base]);
			d->is_broken = true;
			return sheaf_bsp_report(d->t, SHEAF_FINDING(SHEAF_FATAL, "number of a sample", .found = found),
			                        d->cx, d->err, "indices_1[%" PRId64 "] to be %" PRId64, i,
			                        i - pointers[r]);
		}
	return SHEAF_OK;
}

/* The level of samples: [*from, *to) become those of the piece's rows. */
static sheaf_status put_samples(decoding *d, int64_t *from, int64_t *to)
{
	sheaf_buffer pointers = {0}, stored = {0};
	sheaf_status status = read_pointers(d, 1, *from, *to, &pointers);
	if (status == SHEAF_OK && !d->is_broken) {
		const int64_t *p = sheaf_numbers(&pointers);
		int64_t first = p[0], last = p[d->to - d->from];
		status = sheaf_stored_i64(&d->t->sparse, &d->t->indices[1], (sheaf_run){first, last}, d->cx, &stored,
		                          d->err);
		if (status == SHEAF_OK) status = check_numbers(d, p, sheaf_numbers(&stored), first);
		if (status == SHEAF_OK) put_offsets(p, d->to - d->from, &d->column->levels[0]);
		*from = first;
		*to = last;
	}
	sheaf_buffer_reset(&pointers);
	sheaf_buffer_reset(&stored);
	return status;
}

/* Samples [*from, *to), which become their entries. */
static sheaf_status put_sparse(decoding *d, int l, int64_t *from, int64_t *to)
{
	sheaf_buffer pointers = {0};
	int64_t n = *to - *from;
	sheaf_status status = read_pointers(d, l, *from, *to, &pointers);
	if (status == SHEAF_OK && !d->is_broken) {
		const int64_t *p = sheaf_numbers(&pointers);
		sheaf_level_builder *level = &d->column->levels[1];
		sheaf_level_run run = {.s = &d->t->sparse,
		                       .l = l,
		                       .above = {*from, *to},
		                       .below = {p[0], p[n]},
		                       .pointers = p,
		                       .cx = d->cx,
		                       .err = d->err};
		status = sheaf_level_read_indices(&run, &level->indices, &level->shape->index_type);
		d->is_broken |= run.is_broken;
		if (status == SHEAF_OK) put_offsets(p, n, level);
		*from = p[0];
		*to = p[n];
	}
	sheaf_buffer_reset(&pointers);
	return status;
}

/* A stream of matrices has a sample in each row; a piece of it that is broken gives no rows. */
sheaf_status sheaf_bsp_decode_rows(const sheaf_bsp_reader *in, const sheaf_piece *piece,
                                   sheaf_frame_builder *to, sheaf_error *err)
{
	bool broken = false;
	for (int i = 0; i < in->ntensors; i++) {
		const sheaf_bsp_tensor *t = &in->tensors[i];
		sheaf_column_builder *column = &to->columns[i];
		int last = t->d.layout.nlevels - 1;
		int64_t from = piece->byte, until = from + piece->size, extent = sheaf_bsp_extent(&t->d, last);
		decoding d = {.t = t, .column = column, .from = from, .to = until, .cx = to->cx, .err = err};
		if (last == 2) SHEAF_TRY(put_samples(&d, &from, &until));
		for (int64_t r = 1; r <= piece->size && last < 2; r++) sheaf_level_end(&column->levels[0], r);
		if (!d.is_broken && t->d.layout.levels[last].is_sparse) {
			SHEAF_TRY(put_sparse(&d, last, &from, &until));
		} else if (!d.is_broken) {
			from *= extent;
			until *= extent;
		}
		if (!d.is_broken) SHEAF_TRY(sheaf_bsp_read_values(t, from, until, &column->values, err));
		broken |= d.is_broken;
	}
	if (broken)
		sheaf_frame_builder_clear(to);
	else
		to->nrows = piece->size;
	return SHEAF_OK;
}
