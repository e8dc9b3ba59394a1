/* SPDX-License-Identifier: MIT */
/* Pieces on their way from the input to the caller: cut in order by the caller's thread, decoded by any
 * thread, given in order.
 *
 * Each item of the pipeline is a piece, the frame it becomes, and what was found in it, which is reported in
 * its turn. So findings, failures and rows come as they would with one thread. Where something ends the work
 * within a piece, the rows before it are given first, and the failure with the next call. */
#include "dataset/input/decoding.h"
#include "base/context.h"
#include "base/findings.h"
#include "base/memory.h"
#include "base/status.h"
#include "dataset/input/input.h"
#include "io/source.h"

/* A decoded piece takes at most about 8 times its size, and twice that while a buffer grows. */
enum { SHARE = 16 };

enum { LEAST = 64 << 10 /* a smaller piece takes no less memory, since the window has at least this size */ };

typedef struct item {
	sheaf_piece piece;
	sheaf_frame frame;
	sheaf_findings findings;
	sheaf_status status;
	sheaf_error error;
	bool again; /* its result had to be dropped: it is decoded once more, in its turn */
} item;

int64_t sheaf_usual_piece(const sheaf_context *cx)
{
	enum { USUAL = 512 << 10, AT_ONCE = 4 };
	int64_t share = sheaf_max_memory(cx) / SHARE / AT_ONCE;
	return share > USUAL ? USUAL : share < LEAST ? LEAST : share;
}

static void decode(void *user, void *memory)
{
	const sheaf_decoding *p = (const sheaf_decoding *)user;
	item *i = (item *)memory;
	i->frame.nrows = 0;
	i->status = p->format->decode(p->in, &i->piece, &i->frame, i->findings.cx, &i->error);
}

/* The frame's memory is for others; the piece is decoded once more in its turn. */
static void let_go(item *i)
{
	sheaf_frame_free(&i->frame);
	i->again = true;
}

static void drop(void *user, void *memory)
{
	item *i = (item *)memory;
	(void)user;
	let_go(i);
	sheaf_piece_reset(&i->piece);
	sheaf_findings_close(&i->findings);
}

/* One item more than there are threads, so that none waits while the caller processes a frame; fewer where
 * the memory is too small for that. */
sheaf_status sheaf_decoding_open(sheaf_decoding *p, const sheaf_format *format, sheaf_reader *in,
                                 int64_t piece_bytes, sheaf_context *cx, sheaf_error *err)
{
	int threads = in->decoder ? 1 : sheaf_context_threads(cx);
	int64_t most = sheaf_max_memory(cx) / SHARE / (piece_bytes > LEAST ? piece_bytes : LEAST);
	int depth = threads == 1 || most < 2 ? 1 : most < threads + 1 ? (int)most : threads + 1;
	*p = (sheaf_decoding){
		.format = format, .source = in->source, .in = in, .cx = cx, .piece_bytes = piece_bytes, .ahead = 1};
	if (in->decoder) in->decoder->listener = cx;
	return sheaf_pipeline_open(&p->pipeline, cx, sizeof(item), depth,
	                           (sheaf_pipeline_steps){decode, NULL, drop, p}, err);
}

void sheaf_decoding_close(sheaf_decoding *p)
{
	sheaf_pipeline_close(&p->pipeline);
	if (p->in && p->in->decoder) p->in->decoder->listener = NULL;
}

sheaf_status sheaf_decoding_end_pass(sheaf_decoding *p, sheaf_status status, sheaf_error *err)
{
	bool fails = status && status != SHEAF_END;
	sheaf_decoding_close(p);
	sheaf_status back = p->format->rewind(p->in, NULL, fails ? NULL : err);
	return fails && (back == SHEAF_OK || sheaf_put_off(back, "the pass has failed before")) ? status : back;
}

/* ---- cutting ahead ---- */

/* The next piece, into an item that has had another one. */
static sheaf_status cut_one(sheaf_decoding *p, item *i, sheaf_error *err)
{
	SHEAF_TRY(sheaf_check_stop(p->cx, err));
	if (!i->findings.cx) SHEAF_TRY(sheaf_findings_open(&i->findings, p->cx, err));
	sheaf_findings_clear(&i->findings);
	i->again = false;
	return sheaf_cut(p->format, p->in, p->piece_bytes, &i->piece, err);
}

/* Nothing is cut ahead if that would mean waiting for input: available rows are given first. */
static void cut_ahead(sheaf_decoding *p)
{
	while (!p->cut) {
		int64_t count = sheaf_pipeline_count(&p->pipeline);
		if (count >= p->ahead || (count > 0 && !sheaf_source_is_at_hand(p->source, (size_t)p->piece_bytes)))
			return;
		p->cut = cut_one(p, (item *)sheaf_pipeline_free_item(&p->pipeline), &p->cut_error);
		if (!p->cut) sheaf_pipeline_submit(&p->pipeline);
	}
}

/* ---- when memory runs out ---- */

/* If memory is too small for several pieces, there is one at a time from now on. False if there already
 * was. */
static bool goes_alone(sheaf_decoding *p, sheaf_status status)
{
	if (!sheaf_is_of_memory(status) || p->pipeline.held) return false;
	p->ahead = 1;
	sheaf_pipeline_hold(&p->pipeline);
	for (int64_t n = 0; n < p->pipeline.depth; n++) let_go((item *)sheaf_pipeline_item(&p->pipeline, n));
	return true;
}

/* ---- giving in order ---- */

/* The frame of an item, after what was found in it. Everything after a finding that ends the work was decoded
 * in vain: the piece is decoded again, up to that finding. */
static sheaf_status give(sheaf_decoding *p, item *i, sheaf_error *err)
{
	sheaf_findings *f = &i->findings;
	if (goes_alone(p, i->status) || i->again || f->over) {
		i->frame.nrows = 0;
		return p->format->decode(p->in, &i->piece, &i->frame, p->cx, err);
	}
	sheaf_status status = sheaf_findings_report(f, p->cx, err);
	int64_t last = f->reported;
	if (sheaf_is_flaw(status) && (!i->status || last != f->heard)) {
		sheaf_findings_clear(f);
		f->last = last;
		i->frame.nrows = 0;
		sheaf_status again = p->format->decode(p->in, &i->piece, &i->frame, f->cx, NULL);
		if (sheaf_put_off(again, "the finding that ended it was reported") && !sheaf_is_flaw(again))
			i->frame.nrows = 0;
	}
	SHEAF_TRY(status);
	if (i->status && err) *err = i->error;
	return i->status;
}

/* A flaw is kept while the rows before it are given. If memory was too small for the pieces that were cut
 * ahead, and none of them is left, the next one is cut once more, alone. */
static sheaf_status next(sheaf_decoding *p, const sheaf_frame **out, sheaf_error *err)
{
	*out = NULL;
	if (p->flaw && err) *err = p->flaw_error;
	if (p->flaw) return p->flaw;
	if (p->given) sheaf_pipeline_pass(&p->pipeline);
	p->given = false;
	cut_ahead(p);
	bool empty = sheaf_pipeline_count(&p->pipeline) == 0;
	if (empty && goes_alone(p, p->cut)) {
		p->cut = SHEAF_OK;
		cut_ahead(p);
	}
	if (empty && p->cut && p->cut != SHEAF_END && err) *err = p->cut_error;
	if (empty) SHEAF_TRY(p->cut);
	item *i = (item *)sheaf_pipeline_first(&p->pipeline);
	p->given = true;
	if (p->ahead < p->pipeline.depth && !p->pipeline.held) p->ahead++;
	p->flaw_error = (sheaf_error){0};
	sheaf_status status = give(p, i, &p->flaw_error);
	bool cut_short = sheaf_is_flaw(status) && i->frame.nrows > 0;
	if (status && err) *err = p->flaw_error;
	if (!cut_short) SHEAF_TRY(status);
	p->flaw = status;
	*out = &i->frame;
	return SHEAF_OK;
}

sheaf_status sheaf_decoding_next(sheaf_decoding *p, const sheaf_frame **out, sheaf_error *err)
{
	sheaf_error why = {0};
	sheaf_status status = sheaf_source_end_early(p->source, next(p, out, &why), &why);
	if (status && status != SHEAF_END && err) *err = why;
	return status;
}

bool sheaf_decoding_is_cut_short(const sheaf_decoding *p) { return p->flaw != SHEAF_OK; }

const sheaf_piece *sheaf_decoding_piece(sheaf_decoding *p)
{
	return &((const item *)sheaf_pipeline_first(&p->pipeline))->piece;
}

sheaf_frame *sheaf_decoding_frame(sheaf_decoding *p)
{
	return &((item *)sheaf_pipeline_first(&p->pipeline))->frame;
}
