/* SPDX-License-Identifier: MIT */
/* Types that nobody declared. All threads look at pieces of the input; the results are combined. */
#include "base/context.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "delimited/delimited.h"

static void add_seen(sheaf_seen *to, const sheaf_seen *from, int width)
{
	for (int c = 0; c < width; c++) to->kinds[c] |= from->kinds[c];
	to->rows += from->rows;
	to->flawed |= from->flawed;
}

typedef struct inference {
	sheaf_delimited_reader *in;
	sheaf_error *err;
	sheaf_seen *seen;
	sheaf_pipeline pipeline;
	sheaf_status cut; /* of the last cut */
	sheaf_error cut_error;
} inference;

typedef struct item {
	sheaf_piece piece;
	sheaf_seen seen;
	sheaf_frame frame; /* if it was decoded as well */
	sheaf_status status;
	sheaf_error error;
} item;

static void look_at_piece(void *user, void *memory)
{
	const inference *f = (const inference *)user;
	item *i = (item *)memory;
	sheaf_bytes text = {i->piece.bytes.data, (size_t)i->piece.size};
	bool done = false;
	i->status = sheaf_seen_begin(&i->seen, f->in->cx, f->in->width, &i->error);
	if (i->status == SHEAF_OK)
		i->status = sheaf_foresee_piece(f->in, &i->piece, &i->seen, &i->frame, &done, &i->error);
	if (i->status == SHEAF_OK && !done) i->status = sheaf_see(&i->seen, f->in, text, &i->error);
}

static void drop_piece(const inference *f, item *i)
{
	sheaf_seen_free(&i->seen, f->in->cx, f->in->width);
	sheaf_buffer_reset(&i->piece.bytes);
}

static void drop(void *user, void *memory)
{
	drop_piece((const inference *)user, (item *)memory);
	sheaf_frame_free(&((item *)memory)->frame);
}

static void cut_ahead(inference *f)
{
	item *i;
	while (f->cut == SHEAF_OK && (i = (item *)sheaf_pipeline_free_item(&f->pipeline))) {
		f->cut =
			sheaf_delimited_cut(f->in, (int64_t)sheaf_infer_part_size(f->in->cx), &i->piece, &f->cut_error);
		if (f->cut == SHEAF_OK) sheaf_pipeline_submit(&f->pipeline);
	}
}

static sheaf_status add_first(inference *f)
{
	item *i = (item *)sheaf_pipeline_first(&f->pipeline);
	SHEAF_TRY(sheaf_check_stop(f->in->cx, f->err));
	if (i->status && f->err) *f->err = i->error;
	SHEAF_TRY(i->status);
	add_seen(f->seen, &i->seen, f->in->width);
	SHEAF_TRY(sheaf_foresee_add(f->in, &i->piece, &i->frame, f->err));
	drop_piece(f, i);
	sheaf_pipeline_pass(&f->pipeline);
	return SHEAF_OK;
}

static sheaf_status look_at_pieces(inference *f)
{
	for (cut_ahead(f); sheaf_pipeline_count(&f->pipeline) > 0; cut_ahead(f)) SHEAF_TRY(add_first(f));
	if (f->cut == SHEAF_END) return SHEAF_OK;
	if (f->err) *f->err = f->cut_error;
	bool broken = f->in->truncated && f->seen->rows > 0 && f->cut == f->in->truncated;
	return broken ? sheaf_forgive(f->cut, "reading an input that breaks off meets that again, in its place")
	              : f->cut;
}

static sheaf_status look_at_depth(inference *f, int depth)
{
	f->cut = SHEAF_OK;
	SHEAF_TRY(sheaf_delimited_begin(f->in, f->err));
	SHEAF_TRY(sheaf_seen_begin(f->seen, f->in->cx, f->in->width, f->err));
	SHEAF_TRY(sheaf_pipeline_open(&f->pipeline, f->in->cx, sizeof(item), depth,
	                              (sheaf_pipeline_steps){look_at_piece, NULL, drop, f}, f->err));
	sheaf_status status = look_at_pieces(f);
	sheaf_pipeline_close(&f->pipeline);
	return status;
}

/* From the beginning, and without foresight. */
static sheaf_status look_again(inference *f, int depth)
{
	sheaf_foresee_drop(f->in);
	sheaf_seen_free(f->seen, f->in->cx, f->in->width);
	SHEAF_TRY(sheaf_source_rewind(f->in->source, f->err));
	return look_at_depth(f, depth);
}

/* If memory is too small for several pieces, or for all rows, begins again with one piece at a time. */
sheaf_status sheaf_infer_whole(sheaf_delimited_reader *in, bool at_once, sheaf_seen *seen, sheaf_error *err)
{
	inference f = {.in = in, .err = err, .seen = seen};
	int threads = sheaf_context_threads(in->cx), depth = threads > 1 ? threads + 1 : 1;
	if (at_once) {
		SHEAF_TRY(sheaf_foresee(in, err));
		SHEAF_TRY(sheaf_source_rewind(in->source, err));
	}
	sheaf_status status = look_at_depth(&f, depth);
	if (sheaf_is_of_memory(status) && (threads > 1 || in->foresight.kinds)) status = look_again(&f, 1);
	if (status == SHEAF_OK && !sheaf_foresee_settle(in, seen)) status = look_again(&f, depth);
	if (seen->flawed == false && in->truncated) seen->flawed = true;
	SHEAF_TRY(status);
	return sheaf_source_rewind(in->source, err);
}
