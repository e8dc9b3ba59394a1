/* SPDX-License-Identifier: MIT */
/* Types take all of the input to know, and so rows would be decoded when it is read again. Where the caller
 * wants all rows at once, pieces are decoded while the types are inferred, by those of the first part. Mostly
 * these turn out to be right; then the rows are there. */
#include "base/context.h"
#include "base/memory.h"
#include "delimited/delimited.h"
#include "io/source.h"
#include <string.h>

static void give_up(sheaf_foresight *f)
{
	atomic_store(&f->over, true);
	sheaf_frame_free(&f->rows);
}

/* A short input takes no time. */
sheaf_status sheaf_foresee(sheaf_delimited_reader *in, sheaf_error *err)
{
	enum { PARTS = 2 };
	sheaf_foresight *f = &in->foresight;
	size_t part = sheaf_infer_part_size(in->cx);
	sheaf_bytes window;
	sheaf_seen first;
	bool complete;
	SHEAF_TRY(sheaf_delimited_begin(in, err));
	SHEAF_TRY(sheaf_forgive(sheaf_source_ahead(in->source, PARTS * part, &window, err),
	                        "reading meets it again, in its place"));
	if (window.size < PARTS * part) return SHEAF_OK;
	sheaf_status status = sheaf_infer_part(in, &first, &part, &complete, err);
	f->kinds = first.kinds;
	SHEAF_TRY(status);
	for (int c = 0; c < in->schema.nfields; c++)
		sheaf_infer_field(&in->schema.fields[c], f->kinds[in->columns[c]], true);
	return sheaf_frame_begin(&f->rows, &in->schema, in->cx, err);
}

static bool is_as_foreseen(const sheaf_delimited_reader *in, const sheaf_seen *seen)
{
	const unsigned *kinds = in->foresight.kinds;
	int c = 0;
	while (c < in->width && sheaf_infers_same(kinds[c], kinds[c] | seen->kinds[c])) c++;
	return c == in->width;
}

sheaf_status sheaf_foresee_piece(sheaf_delimited_reader *in, const sheaf_piece *piece, sheaf_seen *seen,
                                 sheaf_frame *frame, bool *done, sheaf_error *err)
{
	sheaf_foresight *f = &in->foresight;
	*done = false;
	if (!f->kinds || atomic_load_explicit(&f->over, memory_order_relaxed)) return SHEAF_OK;
	SHEAF_TRY(sheaf_delimited_suppose(in, piece, seen, frame, done, err));
	if (*done && is_as_foreseen(in, seen)) return SHEAF_OK;
	*done = false;
	atomic_store(&f->over, true);
	memset(seen->kinds, 0, (size_t)in->width * sizeof *seen->kinds);
	seen->rows = 0;
	return SHEAF_OK;
}

/* Room for all rows is made when their number has doubled. */
static sheaf_status make_room(sheaf_delimited_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	const double SPARE = 1.05;
	sheaf_foresight *f = &in->foresight;
	int64_t done, total, so_far = piece->byte + piece->size;
	f->pieces++;
	if (f->pieces & (f->pieces - 1)) return SHEAF_OK;
	sheaf_source_progress(in->source, &done, &total);
	if (!sheaf_source_is_plain(in->source)) so_far = done;
	if (so_far <= 0 || total <= so_far) return SHEAF_OK;
	return sheaf_frame_expect(&f->rows, SPARE * (double)total / (double)so_far, in->cx, err);
}

sheaf_status sheaf_foresee_add(sheaf_delimited_reader *in, const sheaf_piece *piece, sheaf_frame *frame,
                               sheaf_error *err)
{
	sheaf_foresight *f = &in->foresight;
	if (!f->kinds) return SHEAF_OK;
	if (atomic_load(&f->over)) {
		give_up(f);
		return SHEAF_OK;
	}
	sheaf_frame rows = *frame;
	rows.lines = (sheaf_buffer){0};
	SHEAF_TRY(sheaf_frame_append(&f->rows, &rows, 0, rows.nrows, in->cx, err));
	return make_room(in, piece, err);
}

bool sheaf_foresee_settle(sheaf_delimited_reader *in, const sheaf_seen *seen)
{
	sheaf_foresight *f = &in->foresight;
	bool sound = true;
	if (!f->kinds) return true;
	/* Of integers that a kernel reads it is not known whether some are negative. */
	for (int c = 0; c < in->width; c++) {
		unsigned foreseen = f->kinds[c] & (KIND_INTEGER | KIND_LARGE);
		sound &= foreseen != KIND_INTEGER || !(seen->kinds[c] & KIND_LARGE);
	}
	for (int c = 0; c < in->width; c++) seen->kinds[c] |= f->kinds[c];
	if (in->truncated || seen->flawed || f->rows.nrows != seen->rows) give_up(f);
	return sound;
}

void sheaf_foresee_drop(sheaf_delimited_reader *in)
{
	sheaf_foresight *f = &in->foresight;
	sheaf_frame_free(&f->rows);
	if (f->kinds) sheaf_release(in->cx, f->kinds, (size_t)in->width * sizeof *f->kinds);
	f->kinds = NULL;
}

bool sheaf_delimited_gather(void *reader, sheaf_frame *out)
{
	sheaf_delimited_reader *in = (sheaf_delimited_reader *)reader;
	if (in->foresight.rows.nrows == 0) return false;
	*out = in->foresight.rows;
	in->foresight.rows = (sheaf_frame){0};
	return true;
}
