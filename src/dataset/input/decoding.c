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
	bool decode_again; /* its result had to be dropped: it is decoded once more, in its turn */
} item;

/* The usual size of a piece, so that several in progress take only a share of the context's memory. */
int64_t sheaf_usual_piece(const sheaf_context *cx)
{
	enum { USUAL = 512 << 10, AT_ONCE = 4 };
	int64_t share = sheaf_max_memory(cx) / SHARE / AT_ONCE;
	return share > USUAL ? USUAL : share < LEAST ? LEAST : share;
}

/* Decodes an item, as a step of the pipeline on any thread. Findings are kept with the item. */
static void decode(void *user, void *memory)
{
	const sheaf_decoding *p = (const sheaf_decoding *)user;
	item *i = (item *)memory;
	i->frame.nrows = 0;
	i->status = p->format->decode(p->in, &i->piece, &i->frame, i->findings.cx, &i->error);
}

/* Gives the memory of an item's frame back; the piece is decoded once more in its turn. */
static void let_go(item *i)
{
	sheaf_frame_free(&i->frame);
	i->decode_again = true;
}

/* Frees what an item holds, when the pipeline is closed. */
static void drop(void *user, void *memory)
{
	item *i = (item *)memory;
	(void)user;
	let_go(i);
	sheaf_piece_reset(&i->piece);
	sheaf_findings_close(&i->findings);
}

/* Opens a pipeline with one item more than there are threads, so that none waits while the caller processes
 * a frame; with fewer where the memory is too small for that. A view that decodes while it cuts (in->decoder)
 * has the threads for itself, and reports to this context. */
sheaf_status sheaf_decoding_open(sheaf_decoding *p, const sheaf_format *format, sheaf_reader *in,
                                 int64_t piece_bytes, sheaf_context *cx, sheaf_error *err)
{
	int threads = in->decoder ? 1 : sheaf_context_threads(cx);
	int64_t most_items = sheaf_max_memory(cx) / SHARE / (piece_bytes > LEAST ? piece_bytes : LEAST);
	int depth = threads == 1 || most_items < 2 ? 1 : most_items < threads + 1 ? (int)most_items : threads + 1;
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

/* Closes a pass and goes back to the beginning. A failure of the pass comes before one of going back. */
sheaf_status sheaf_decoding_end_pass(sheaf_decoding *p, sheaf_status status, sheaf_error *err)
{
	bool fails = status && status != SHEAF_END;
	sheaf_decoding_close(p);
	sheaf_status rewound = p->format->rewind(p->in, NULL, fails ? NULL : err);
	return fails && (rewound == SHEAF_OK || sheaf_put_off(rewound, "the pass has failed before")) ? status
	                                                                                              : rewound;
}

/* ---- cutting ahead ---- */

/* Cuts the next piece into an item that may have had another one. */
static sheaf_status cut_one(sheaf_decoding *p, item *i, sheaf_error *err)
{
	SHEAF_TRY(sheaf_check_stop(p->cx, err));
	if (!i->findings.cx) SHEAF_TRY(sheaf_findings_open(&i->findings, p->cx, err));
	sheaf_findings_clear(&i->findings);
	i->decode_again = false;
	return sheaf_cut(p->format, p->in, p->piece_bytes, &i->piece, err);
}

/* Cuts pieces until enough are in progress, or one cut does not succeed, which p->cut keeps. Nothing is cut
 * ahead if that would mean waiting for input: available rows are given first. */
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

/* Whether a piece is to be decoded again alone, because memory was too small for several pieces: from now
 * on there is one at a time. False if there already was, or if the status is another one. */
static bool goes_alone(sheaf_decoding *p, sheaf_status status)
{
	if (!sheaf_is_of_memory(status) || p->pipeline.held) return false;
	p->ahead = 1;
	sheaf_pipeline_hold(&p->pipeline);
	for (int64_t n = 0; n < p->pipeline.depth; n++) let_go((item *)sheaf_pipeline_item(&p->pipeline, n));
	return true;
}

/* ---- giving in order ---- */

/* Completes the frame of an item, in its turn: reports what was found in it, or decodes it here if its
 * result had to be dropped. Everything after a finding that ends the work was decoded in vain: the piece is
 * decoded again, up to that finding. */
static sheaf_status give(sheaf_decoding *p, item *i, sheaf_error *err)
{
	sheaf_findings *findings = &i->findings;
	if (goes_alone(p, i->status) || i->decode_again || findings->over) {
		i->frame.nrows = 0;
		return p->format->decode(p->in, &i->piece, &i->frame, p->cx, err);
	}
	sheaf_status status = sheaf_findings_report(findings, p->cx, err);
	int64_t last_reported = findings->reported;
	bool ends_within = sheaf_is_flaw(status) && (!i->status || last_reported != findings->heard);
	if (ends_within) {
		sheaf_findings_clear(findings);
		findings->last = last_reported;
		i->frame.nrows = 0;
		sheaf_status redone = p->format->decode(p->in, &i->piece, &i->frame, findings->cx, NULL);
		if (sheaf_put_off(redone, "the finding that ended it was reported") && !sheaf_is_flaw(redone))
			i->frame.nrows = 0;
	}
	SHEAF_TRY(status);
	if (i->status && err) *err = i->error;
	return i->status;
}

/* Gives the next frame. If a flaw ends its piece, the frame with the rows before it is given first, and the
 * flaw is kept for the next call (p->flaw). If memory was too small for the pieces that were cut ahead, and
 * none of them is left, the next one is cut once more, alone. */
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

/* Gives the next frame, or END. If the context drops what is incomplete, an input that breaks off (SHORT)
 * ends here like a complete one. */
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
