/* SPDX-License-Identifier: MIT */
/* A summary as its users see it. Frames are counted by the threads of the context, a few at a time, each into
 * a summary of its own; these are merged before anybody sees the counts. They add up in any order, so it does
 * not matter who has counted what. Only a profile needs the frames in their order: it takes one after the
 * other, once they are counted. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/threads/pipeline.h"
#include "frame/frame.h"
#include "report/matrix/profile.h"
#include "report/summary/summary.h"

/* A frame on its way into one of the summaries. */
typedef struct share {
	sheaf_summary *into;
	sheaf_frame frame;
	int64_t row;
	sheaf_status status;
	sheaf_error error;
} share;

struct sheaf_shares {
	sheaf_summary *whole;
	sheaf_summary *into[SHEAF_MOST_THREADS]; /* n of them; the first is the whole one */
	int n, next;                             /* the next frame's */
	sheaf_pipeline pipeline;
};

/* ---- what several threads may take ---- */

enum { SHARE = 8 /* of the memory: for summaries beside the whole one, and for frames */ };

static bool is_kept(const sheaf_buffer *buffer) { return buffer->size == 0 || buffer->block; }

/* Whether a reference to a frame keeps its contents alive: none of its buffers is borrowed from a caller, who
 * may change it once sheaf_summary_add has returned. */
static bool is_frame_kept(const sheaf_frame *frame)
{
	bool kept = is_kept(&frame->lines) && is_kept(&frame->numbers);
	for (int c = 0; kept && c < frame->ncolumns; c++) {
		const sheaf_column *column = &frame->columns[c];
		kept = is_kept(&column->values);
		for (int l = 0; l < column->nlevels; l++) {
			const sheaf_level *level = &column->levels[l];
			kept = kept && is_kept(&level->offsets);
			if (level->gaps) kept = kept && is_kept(&level->gaps->valid) && is_kept(&level->gaps->codes);
			for (int r = 0; r < level->shape.rank; r++) kept = kept && is_kept(&level->indices[r]);
		}
	}
	return kept;
}

/* ---- beginning and ending ---- */

/* The pipeline's step that counts a frame, on any thread; the summary of this thread is its alone. */
static void count(void *user, void *item)
{
	share *i = (share *)item;
	(void)user;
	i->status = sheaf_summary_count(i->into, &i->frame, i->row, &i->error);
}

/* The pipeline's step that takes frames in their order, one at a time. */
static void add_to_profile(void *user, void *item)
{
	const struct sheaf_shares *h = (const struct sheaf_shares *)user;
	share *i = (share *)item;
	if (i->status == SHEAF_OK) i->status = sheaf_profile_add(h->whole->gathered, &i->frame, &i->error);
}

static void drop(void *user, void *item)
{
	(void)user;
	sheaf_frame_free(&((share *)item)->frame);
}

/* Which tables a field of a summary beside the whole one has: those that the whole one (`user`) has. Also
 * gives the field its side. */
static unsigned same_counts(void *user, const sheaf_summary *s, int f)
{
	const sheaf_summary *whole = (const sheaf_summary *)user;
	s->fields[f].side = whole->fields[f].side;
	return sheaf_field_counted(&whole->fields[f]);
}

static void end_shares(sheaf_summary *s)
{
	struct sheaf_shares *h = s->shares;
	if (!h) return;
	sheaf_pipeline_close(&h->pipeline);
	while (h->n > 1) sheaf_summary_end(h->into[--h->n]);
	sheaf_release(s->cx, h, sizeof *h);
	s->shares = NULL;
}

/* Begins to count on several threads: makes as many summaries as threads, or as fit into a share of the
 * memory beside the whole one, and opens the pipeline. */
static sheaf_status begin_shares(sheaf_summary *s, sheaf_error *err)
{
	enum { LENGTHS = sizeof(int64_t) * 2 * SHEAF_LENGTHS_EXACT /* while a table grows, there are two */ };
	void *memory;
	size_t size = sizeof *s + (s->contradictions.slots ? SHEAF_INPUTS_SLOTS * sizeof(sheaf_same_inputs) : 0);
	for (int f = 0; f < s->schema.nfields; f++) {
		const sheaf_field *field = &s->schema.fields[f];
		size += sizeof *s->fields + sheaf_field_cost(s, f, sheaf_field_counted(&s->fields[f]));
		for (int l = 0; l < field->nlevels; l++) size += field->levels[l].kind == SHEAF_FIXED ? 0 : LENGTHS;
	}
	int64_t others = sheaf_max_memory(s->cx) / SHARE / (int64_t)size;
	int threads = sheaf_context_threads(s->cx), n = others < threads ? (int)others + 1 : threads;
	sheaf_status status = SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(s->cx, sizeof *s->shares, &memory, err));
	struct sheaf_shares *h = s->shares = (struct sheaf_shares *)memory;
	*h = (struct sheaf_shares){.whole = s, .into = {s}, .n = 1};
	while (status == SHEAF_OK && h->n < n) {
		sheaf_summary **into = &h->into[h->n];
		status = sheaf_summary_begin(&s->schema, s->cx, same_counts, s, into, err);
		if (status) break;
		h->n++;
		if (s->contradictions.slots)
			status = sheaf_contradictions_begin(&(*into)->contradictions, s->cx, err);
	}
	sheaf_pipeline_steps steps = {count, s->gathered ? add_to_profile : NULL, drop, h};
	if (status == SHEAF_OK) status = sheaf_pipeline_open(&h->pipeline, s->cx, sizeof(share), n, steps, err);
	if (status) end_shares(s);
	return status;
}

void sheaf_summary_free(sheaf_summary *s)
{
	if (s) end_shares(s);
	sheaf_summary_end(s);
}

/* ---- counting ---- */

/* Waits for the frame that was submitted first, returns the status with which it was counted, and lets go of
 * it, so that its buffers may be reused. */
static sheaf_status end_first(sheaf_pipeline *p, sheaf_error *err)
{
	share *i = (share *)sheaf_pipeline_first(p);
	sheaf_status status = i->status;
	if (status && err) *err = i->error;
	sheaf_frame_free(&i->frame);
	sheaf_pipeline_pass(p);
	return status;
}

static sheaf_status end_all(struct sheaf_shares *h, sheaf_error *err)
{
	while (h && sheaf_pipeline_count(&h->pipeline) > 0) SHEAF_TRY(end_first(&h->pipeline, err));
	return SHEAF_OK;
}

/* With threads a reference to the frame is handed to the next summary, once the pipeline has room for it; a
 * frame whose buffers are a caller's is counted at once, after all that are on their way. */
sheaf_status sheaf_summary_add(sheaf_summary *s, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	SHEAF_NEED(s, "a summary");
	SHEAF_EXPECT(row >= 0, "a row of at least 0", row);
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, &s->schema, err));
	if (!frame->checked) SHEAF_TRY(sheaf_frame_check(frame, &s->schema, SHEAF_CHECK_FULL, err));
	/* Frames that take little are not worth a thread, unless there are threads already. */
	enum { LITTLE = 1 << 16 };
	int threads = sheaf_context_threads(s->cx);
	int64_t bytes = sheaf_frame_bytes(frame);
	if (threads > 1 && (s->shares || bytes >= LITTLE) && bytes <= sheaf_max_memory(s->cx) / SHARE / threads &&
	    is_frame_kept(frame)) {
		if (!s->shares) SHEAF_TRY(begin_shares(s, err));
		struct sheaf_shares *h = s->shares;
		sheaf_pipeline *p = &h->pipeline;
		sheaf_frame whole = *frame;
		whole.cx = s->cx;
		while (sheaf_pipeline_is_ready(p) || !sheaf_pipeline_free_item(p)) SHEAF_TRY(end_first(p, err));
		share *i = (share *)sheaf_pipeline_free_item(p);
		SHEAF_TRY(sheaf_frame_slice(&whole, 0, frame->nrows, &i->frame, err));
		i->into = h->into[h->next++ % h->n];
		i->row = row;
		sheaf_pipeline_submit(p);
		return SHEAF_OK;
	}
	SHEAF_TRY(end_all(s->shares, err));
	SHEAF_TRY(sheaf_summary_count(s, frame, row, err));
	return s->gathered ? sheaf_profile_add(s->gathered, frame, err) : SHEAF_OK;
}

/* ---- adding up ---- */

sheaf_status sheaf_summary_join(const sheaf_summary *s, sheaf_error *err)
{
	struct sheaf_shares *h = s->shares;
	SHEAF_TRY(end_all(h, err));
	for (; h && h->n > 1; sheaf_summary_end(h->into[--h->n]))
		SHEAF_TRY(sheaf_summary_count_merge(h->whole, h->into[h->n - 1], err));
	if (h) end_shares(h->whole);
	for (int f = 0; f < s->schema.nfields; f++) sheaf_sample_trim(&s->fields[f].sample);
	return SHEAF_OK;
}

sheaf_status sheaf_summary_merge(sheaf_summary *s, const sheaf_summary *other, sheaf_error *err)
{
	SHEAF_NEED(s, "a summary");
	SHEAF_NEED(other, "another summary");
	SHEAF_TRY(sheaf_summary_join(s, err));
	SHEAF_TRY(sheaf_summary_join(other, err));
	SHEAF_TRY(sheaf_summary_count_merge(s, other, err));
	sheaf_profile_free(s->profile);
	sheaf_profile_free(s->gathered);
	s->profile = s->gathered = NULL;
	return SHEAF_OK;
}

sheaf_status sheaf_summary_finish(sheaf_summary *s, sheaf_error *err)
{
	SHEAF_NEED(s, "a summary");
	SHEAF_TRY(sheaf_summary_join(s, err));
	if (!s->gathered) return SHEAF_OK;
	SHEAF_TRY(sheaf_profile_finish(s->gathered, err));
	s->profile = s->gathered;
	s->gathered = NULL;
	return SHEAF_OK;
}
