/* SPDX-License-Identifier: MIT */
/* Two steps are a pipeline of two items. */
#include "base/both.h"
#include "base/pipeline.h"

typedef struct half {
	sheaf_step *step;
	sheaf_status status;
	sheaf_error error;
} half;

static void do_step(void *user, void *item)
{
	half *h = (half *)item;
	h->status = h->step(user, &h->error);
}

static void drop(void *user, void *item) { (void)user, (void)item; }

static void submit(sheaf_pipeline *p, sheaf_step *step)
{
	((half *)sheaf_pipeline_free_item(p))->step = step;
	sheaf_pipeline_submit(p);
}

sheaf_status sheaf_do_both(sheaf_context *cx, sheaf_step *one, sheaf_step *other, void *user,
                           sheaf_error *err)
{
	sheaf_pipeline p = {0};
	const half *h;
	sheaf_status status = SHEAF_OK;
	SHEAF_TRY(
		sheaf_pipeline_open(&p, cx, sizeof(half), 2, (sheaf_pipeline_steps){do_step, NULL, drop, user}, err));
	submit(&p, one);
	submit(&p, other);
	while ((h = (const half *)sheaf_pipeline_first(&p))) {
		if (status == SHEAF_OK && h->status && err) *err = h->error;
		if (status == SHEAF_OK) status = h->status;
		sheaf_pipeline_pass(&p);
	}
	sheaf_pipeline_close(&p);
	return status;
}
