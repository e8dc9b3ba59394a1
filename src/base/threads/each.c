/* SPDX-License-Identifier: MIT */
/* Items submitted to a pipeline one after the other. */
#include "base/threads/each.h"
#include "base/context.h"
#include "base/threads/pipeline.h"

enum { LINE = 64 };

typedef struct each {
	void (*work)(void *, int64_t, void *);
	void *user;
} each;

typedef struct item {
	int64_t k;
	char rest[LINE - sizeof(int64_t)]; /* scratch begins after it, on its own cache line */
} item;

static void work(void *user, void *memory)
{
	const each *e = (const each *)user;
	item *i = (item *)memory;
	e->work(e->user, i->k, i + 1);
}

static void drop(void *user, void *memory) { (void)user, (void)memory; }

static void settle_first(sheaf_pipeline *p)
{
	sheaf_pipeline_first(p);
	sheaf_pipeline_pass(p);
}

static sheaf_status submit(sheaf_pipeline *p, int64_t k, sheaf_error *err)
{
	item *i;
	SHEAF_TRY(sheaf_check_stop(p->cx, err));
	while (!(i = (item *)sheaf_pipeline_free_item(p))) settle_first(p);
	i->k = k;
	sheaf_pipeline_submit(p);
	return SHEAF_OK;
}

sheaf_status sheaf_each(sheaf_context *cx, int64_t n, size_t scratch,
                        void (*call)(void *user, int64_t k, void *scratch), void *user, sheaf_error *err)
{
	each e = {call, user};
	sheaf_pipeline p = {0};
	int threads = sheaf_context_threads(cx);
	size_t size = sizeof(item) + (scratch + LINE - 1) / LINE * LINE;
	SHEAF_TRY(sheaf_pipeline_open(&p, cx, size, threads > 1 ? threads + 1 : 1,
	                              (sheaf_pipeline_steps){work, NULL, drop, &e}, err));
	sheaf_status status = SHEAF_OK;
	for (int64_t k = 0; k < n && status == SHEAF_OK; k++) status = submit(&p, k, err);
	while (status == SHEAF_OK && sheaf_pipeline_count(&p) > 0) settle_first(&p);
	sheaf_pipeline_close(&p);
	return status;
}
