/* SPDX-License-Identifier: MIT */
/* Types that nobody declared: what the columns of all records contain. One thread cuts the input into parts,
 * all look at what is in these (see.c), and the sets of kinds are joined (base/threads/look.h). No values are
 * kept, so that this takes little memory; the input is read a second time for them. */
#include "base/context.h"
#include "base/threads/look.h"
#include "format/csv/delimited.h"
#include "io/source.h"

typedef struct inference {
	sheaf_delimited_reader *in;
	sheaf_seen *seen; /* of all pieces so far */
} inference;

/* A part of the input, and what is in it. */
typedef struct item {
	sheaf_piece piece;
	sheaf_seen seen;
} item;

static sheaf_status begin(void *user, sheaf_error *err)
{
	const inference *f = (const inference *)user;
	sheaf_seen_free(f->seen, f->in->cx, f->in->width);
	SHEAF_TRY(sheaf_source_rewind(f->in->source, err));
	SHEAF_TRY(sheaf_delimited_begin(f->in, err));
	return sheaf_seen_begin(f->seen, f->in->cx, f->in->width, err);
}

static sheaf_status cut(void *user, void *memory, sheaf_error *err)
{
	const inference *f = (const inference *)user;
	return sheaf_delimited_cut(f->in, (int64_t)sheaf_infer_part_size(f->in->cx), &((item *)memory)->piece,
	                           err);
}

static sheaf_status see(void *user, void *memory, sheaf_error *err)
{
	const inference *f = (const inference *)user;
	item *i = (item *)memory;
	sheaf_bytes text = {i->piece.bytes.data, (size_t)i->piece.size};
	SHEAF_TRY(sheaf_seen_begin(&i->seen, f->in->cx, f->in->width, err));
	return sheaf_see(&i->seen, f->in, text, err);
}

static sheaf_status add(void *user, void *memory, sheaf_error *err)
{
	const inference *f = (const inference *)user;
	const sheaf_seen *from = &((const item *)memory)->seen;
	(void)err;
	for (int c = 0; c < f->in->width; c++) f->seen->kinds[c] |= from->kinds[c];
	f->seen->rows += from->rows;
	f->seen->flawed |= from->flawed;
	return SHEAF_OK;
}

static void drop(void *user, void *memory)
{
	const inference *f = (const inference *)user;
	item *i = (item *)memory;
	sheaf_seen_free(&i->seen, f->in->cx, f->in->width);
	sheaf_buffer_reset(&i->piece.bytes);
}

/* An input that breaks off is inferred from the rows before, if there are some: whoever reads gets these, and
 * then the failure. How many rows it has is not known then, as after records that were skipped. */
sheaf_status sheaf_infer_whole(sheaf_delimited_reader *in, sheaf_seen *seen, sheaf_error *err)
{
	inference f = {in, seen};
	const sheaf_look look = {sizeof(item), begin, cut, see, add, drop, &f};
	sheaf_status status = sheaf_look_at_all(&look, in->cx, err);
	if (in->truncated && seen->rows > 0 && status == in->truncated)
		status = sheaf_forgive(status, "reading an input that breaks off meets that again, in its place");
	seen->flawed |= in->truncated != SHEAF_OK;
	SHEAF_TRY(status);
	return sheaf_source_rewind(in->source, err);
}
