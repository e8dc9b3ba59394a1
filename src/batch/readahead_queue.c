/* SPDX-License-Identifier: MIT */
/* Each piece is read with a context of its own, which keeps what there is to report. Only whether there is
 * anything is used: such a piece is read again in its turn, so that messages do not depend on threads. */
#include "batch/readahead_queue.h"
#include "base/context.h"
#include "base/findings.h"
#include "base/memory.h"

typedef struct item {
	int64_t piece;
	sheaf_piece_ref ref;
	bool locate;
	sheaf_loaded_piece *loaded; /* owned while the piece is in progress; else NULL */
	sheaf_findings findings;
	sheaf_status status;
} item;

/* The pipeline's step that reads one piece, on any thread; `memory`: the item. */
static void read_piece(void *user, void *memory)
{
	const sheaf_readahead_queue *p = (const sheaf_readahead_queue *)user;
	item *i = (item *)memory;
	sheaf_error ignored; /* it will be reported when the piece is read again */
	i->status = sheaf_row_source_read(&i->ref, i->locate, i->loaded, i->findings.cx, &ignored);
	i->loaded->frame.cx = p->cx; /* the frame outlives the context of the findings */
}

/* Frees an item, when the pipeline is closed, and the piece in it if nobody has taken that. */
static void drop(void *user, void *memory)
{
	const sheaf_readahead_queue *p = (const sheaf_readahead_queue *)user;
	item *i = (item *)memory;
	if (i->loaded) sheaf_loaded_piece_free(i->loaded);
	if (i->loaded) sheaf_release(p->cx, i->loaded, sizeof *i->loaded);
	i->loaded = NULL;
	sheaf_findings_close(&i->findings);
}

sheaf_status sheaf_readahead_queue_open(sheaf_readahead_queue *p, const sheaf_row_source *source,
                                        sheaf_context *cx, sheaf_error *err)
{
	/* One SHAREth of the limit for each: a decoded piece takes at most about 8 times its size, and twice that
	 * while a buffer grows. */
	enum { SHARE = 16 };
	int64_t largest = 1;
	for (int64_t i = 0; i < source->pieces; i++)
		if (sheaf_row_source_piece_size(source, i) > largest)
			largest = sheaf_row_source_piece_size(source, i);
	int64_t most = sheaf_max_memory(cx) / SHARE / largest;
	/* One more than threads, so that each has something to do while a finished piece waits to be taken. */
	int threads = sheaf_context_threads(cx), depth = threads > 1 ? threads + 1 : 1;
	if (depth > most) depth = most > 1 ? (int)most : 1;
	*p = (sheaf_readahead_queue){.source = source, .cx = cx};
	return sheaf_pipeline_open(&p->pipeline, cx, sizeof(item), depth,
	                           (sheaf_pipeline_steps){read_piece, NULL, drop, p}, err);
}

void sheaf_readahead_queue_close(sheaf_readahead_queue *p)
{
	if (p->cx) sheaf_pipeline_close(&p->pipeline);
}

/* With one thread, reading ahead would only be reading early. */
bool sheaf_readahead_queue_has_room(sheaf_readahead_queue *p)
{
	return sheaf_context_threads(p->cx) > 1 && sheaf_pipeline_free_item(&p->pipeline) != NULL;
}

sheaf_status sheaf_readahead_queue_begin(sheaf_readahead_queue *p, int64_t piece, bool locate,
                                         sheaf_loaded_piece *loaded, sheaf_error *err)
{
	item *i = (item *)sheaf_pipeline_free_item(&p->pipeline);
	if (!i->findings.cx) SHEAF_TRY(sheaf_findings_open(&i->findings, p->cx, err));
	sheaf_findings_clear(&i->findings);
	i->piece = piece;
	i->ref = sheaf_row_source_piece(p->source, piece);
	i->locate = locate;
	i->loaded = loaded;
	sheaf_pipeline_submit(&p->pipeline);
	return SHEAF_OK;
}

void sheaf_readahead_queue_take(sheaf_readahead_queue *p, int64_t *piece, sheaf_loaded_piece **loaded,
                                bool *clean)
{
	item *i = (item *)sheaf_pipeline_first(&p->pipeline);
	*piece = i->piece;
	*loaded = i->loaded;
	*clean = i->status == SHEAF_OK && i->findings.list.size == 0 && !i->findings.over;
	i->loaded = NULL;
	sheaf_pipeline_pass(&p->pipeline);
}
