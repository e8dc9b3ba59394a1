/* SPDX-License-Identifier: MIT */
#include "batch/prefetch.h"
#include "base/context.h"
#include "base/findings.h"
#include "base/memory.h"

typedef struct item {
	int64_t piece;
	sheaf_piece_ref ref;
	bool locate;
	sheaf_held *held; /* NULL: none is under way */
	sheaf_findings findings;
	sheaf_status status;
} item;

static void read_piece(void *user, void *memory)
{
	const sheaf_prefetch *p = (const sheaf_prefetch *)user;
	item *i = (item *)memory;
	sheaf_error ignored; /* it will be told when it is met again */
	i->status = sheaf_supply_read(&i->ref, i->locate, i->held, i->findings.cx, &ignored);
	i->held->frame.cx = p->cx; /* the frame outlives the listener */
}

static void drop(void *user, void *memory)
{
	const sheaf_prefetch *p = (const sheaf_prefetch *)user;
	item *i = (item *)memory;
	if (i->held) sheaf_held_free(i->held);
	if (i->held) sheaf_release(p->cx, i->held, sizeof *i->held);
	i->held = NULL;
	sheaf_findings_close(&i->findings);
}

/* A piece takes some 8 times its size when decoded at worst, twice over while a buffer grows. */
static int depth_for(const sheaf_supply *supply, const sheaf_context *cx)
{
	enum { SHARE = 16 };
	int64_t largest = 1;
	int threads = sheaf_context_threads(cx);
	for (int64_t i = 0; i < supply->pieces; i++)
		if (sheaf_supply_piece_size(supply, i) > largest) largest = sheaf_supply_piece_size(supply, i);
	int64_t most = sheaf_max_memory(cx) / SHARE / largest;
	int wanted = threads > 1
	                 ? threads + 1
	                 : 1; /* so that a thread has something to do while what is ready waits to be taken */
	return most < 1 ? 1 : most < wanted ? (int)most : wanted;
}

sheaf_status sheaf_prefetch_open(sheaf_prefetch *p, const sheaf_supply *supply, sheaf_context *cx,
                                 sheaf_error *err)
{
	*p = (sheaf_prefetch){.supply = supply, .cx = cx};
	return sheaf_pipeline_open(&p->pipeline, cx, sizeof(item), depth_for(supply, cx),
	                           (sheaf_pipeline_steps){read_piece, NULL, drop, p}, err);
}

void sheaf_prefetch_close(sheaf_prefetch *p)
{
	if (p->cx) sheaf_pipeline_close(&p->pipeline);
}

/* With one thread reading ahead would only be reading early. */
bool sheaf_prefetch_has_room(sheaf_prefetch *p)
{
	return sheaf_context_threads(p->cx) > 1 && sheaf_pipeline_free_item(&p->pipeline) != NULL;
}

sheaf_status sheaf_prefetch_begin(sheaf_prefetch *p, int64_t piece, bool locate, sheaf_held *held,
                                  sheaf_error *err)
{
	item *i = (item *)sheaf_pipeline_free_item(&p->pipeline);
	if (!i->findings.cx) SHEAF_TRY(sheaf_findings_open(&i->findings, p->cx, err));
	sheaf_findings_clear(&i->findings);
	i->piece = piece;
	i->ref = sheaf_supply_piece(p->supply, piece);
	i->locate = locate;
	i->held = held;
	sheaf_pipeline_submit(&p->pipeline);
	return SHEAF_OK;
}

int64_t sheaf_prefetch_count(const sheaf_prefetch *p) { return sheaf_pipeline_count(&p->pipeline); }

bool sheaf_prefetch_is_ready(sheaf_prefetch *p) { return sheaf_pipeline_is_ready(&p->pipeline); }

void sheaf_prefetch_take(sheaf_prefetch *p, int64_t *piece, sheaf_held **held, bool *clean)
{
	item *i = (item *)sheaf_pipeline_first(&p->pipeline);
	*piece = i->piece;
	*held = i->held;
	*clean = i->status == SHEAF_OK && i->findings.list.size == 0 && !i->findings.over;
	i->held = NULL;
	sheaf_pipeline_pass(&p->pipeline);
}
