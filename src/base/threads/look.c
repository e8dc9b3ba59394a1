/* SPDX-License-Identifier: MIT */
#include "base/threads/look.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/threads/pipeline.h"

typedef struct item {
	sheaf_status status;
	sheaf_error error;
	uint64_t piece[]; /* the memory that the caller fills */
} item;

static void see(void *user, void *memory)
{
	const sheaf_look *look = (const sheaf_look *)user;
	item *i = (item *)memory;
	i->status = look->see ? look->see(look->user, i->piece, &i->error) : SHEAF_OK;
}

static void drop(void *user, void *memory)
{
	const sheaf_look *look = (const sheaf_look *)user;
	look->drop(look->user, ((item *)memory)->piece);
}

static sheaf_status add(const sheaf_look *look, item *i, sheaf_context *cx, sheaf_error *err)
{
	SHEAF_TRY(sheaf_check_stop(cx, err));
	if (i->status && err) *err = i->error;
	SHEAF_TRY(i->status);
	SHEAF_TRY(look->add(look->user, i->piece, err));
	look->drop(look->user, i->piece);
	return SHEAF_OK;
}

/* END after the last piece. */
static sheaf_status look_at_pieces(const sheaf_look *look, sheaf_pipeline *pipeline, sheaf_context *cx,
                                   sheaf_error *err)
{
	sheaf_error failure;
	sheaf_status cut = SHEAF_OK;
	for (item *i;; sheaf_pipeline_pass(pipeline)) {
		while (cut == SHEAF_OK && (i = (item *)sheaf_pipeline_free_item(pipeline))) {
			cut = look->cut(look->user, i->piece, &failure);
			if (cut == SHEAF_OK) sheaf_pipeline_submit(pipeline);
		}
		i = (item *)sheaf_pipeline_first(pipeline);
		if (!i) break;
		SHEAF_TRY(add(look, i, cx, err));
	}
	if (cut != SHEAF_END && err) *err = failure;
	return cut;
}

static sheaf_status look_at_depth(const sheaf_look *look, int depth, sheaf_context *cx, sheaf_error *err)
{
	sheaf_pipeline pipeline = {0};
	const sheaf_pipeline_steps steps = {see, NULL, drop, (void *)(uintptr_t)look};
	SHEAF_TRY(look->begin(look->user, err));
	SHEAF_TRY(sheaf_pipeline_open(&pipeline, cx, sizeof(item) + look->size, depth, steps, err));
	sheaf_status status = look_at_pieces(look, &pipeline, cx, err);
	sheaf_pipeline_close(&pipeline);
	return status == SHEAF_END ? SHEAF_OK : status;
}

sheaf_status sheaf_look_at_all(const sheaf_look *look, sheaf_context *cx, sheaf_error *err)
{
	int threads = look->see ? sheaf_context_threads(cx) : 1;
	sheaf_status status = look_at_depth(look, threads > 1 ? threads + 1 : 1, cx, err);
	return threads > 1 && sheaf_is_of_memory(status) ? look_at_depth(look, 1, cx, err) : status;
}
