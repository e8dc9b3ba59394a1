/* SPDX-License-Identifier: MIT */
/* Reading ahead: the blocks are the items of a pipeline with one thread, which fills them in order, and they
 * are given in the same order. While it is open, that thread alone uses the decoder and the raw input, with a
 * context that can be stopped without stopping the caller's. */
#include "io/ahead.h"
#include "base/context.h"
#include "base/memory.h"
#include "io/descriptor.h"
#include <string.h>

enum { BLOCK = 256 << 10 };

typedef struct block {
	uint8_t *data;
	size_t size, at; /* bytes that were read, and bytes of these that were given */
	int64_t done;    /* the position in the stored input after the block */
	sheaf_status status;
	sheaf_error error; /* comes after the bytes of the block */
} block;

sheaf_status sheaf_read_stored(sheaf_decoder *decoder, sheaf_raw *raw, void *data, size_t size, size_t *got,
                               sheaf_error *err)
{
	return decoder->filter ? sheaf_decoder_read(decoder, raw, data, size, got, err)
	                       : sheaf_raw_read(raw, data, size, got, err);
}

/* On the thread of the pipeline. */
static void fill(void *user, void *item)
{
	sheaf_ahead *a = (sheaf_ahead *)user;
	block *b = (block *)item;
	b->at = b->size = 0;
	b->status = sheaf_read_stored(a->decoder, a->raw, b->data, BLOCK, &b->size, &b->error);
	b->done = a->decoder->filter ? a->raw->at - (int64_t)a->decoder->in_left : a->raw->at;
	atomic_fetch_add(&a->filled, b->size);
}

static void drop(void *user, void *item)
{
	sheaf_release(((sheaf_ahead *)user)->cx, ((block *)item)->data, BLOCK);
}

int sheaf_ahead_blocks(const sheaf_context *cx)
{
	enum { MOST = 16, LEAST = 2, SHARE = 64 };
	int64_t share = sheaf_max_memory(cx) / SHARE / BLOCK;
	return sheaf_context_threads(cx) == 1 || share < LEAST ? 0 : share > MOST ? MOST : (int)share;
}

sheaf_status sheaf_ahead_open(sheaf_ahead *a, sheaf_decoder *decoder, sheaf_raw *raw, sheaf_error *err)
{
	sheaf_context *cx;
	SHEAF_TRY(sheaf_context_listen(raw->cx, (sheaf_listener){NULL, NULL}, &cx, err));
	*a = (sheaf_ahead){.cx = cx, .before = raw->cx, .decoder = decoder, .raw = raw};
	sheaf_status status = sheaf_pipeline_open(&a->pipeline, cx, sizeof(block), sheaf_ahead_blocks(cx),
	                                          (sheaf_pipeline_steps){NULL, fill, drop, a}, err);
	raw->cx = cx;
	raw->is_polled = true;
	if (status) sheaf_ahead_close(a);
	return status;
}

void sheaf_ahead_close(sheaf_ahead *a)
{
	if (!a->cx) return;
	sheaf_context_stop(a->cx);
	sheaf_pipeline_close(&a->pipeline);
	a->raw->cx = a->before;
	a->raw->is_polled = false;
	sheaf_context_end_listening(a->cx);
	*a = (sheaf_ahead){0};
}

sheaf_status sheaf_ahead_read(sheaf_ahead *a, void *data, size_t size, size_t *got, sheaf_error *err)
{
	sheaf_status status = SHEAF_OK;
	block *b;
	*got = 0;
	while (!status && (b = (block *)sheaf_pipeline_free_item(&a->pipeline))) {
		if (!b->data) status = sheaf_reallocate(a->cx, &b->data, 0, BLOCK, err);
		if (!status) sheaf_pipeline_submit(&a->pipeline);
	}
	/* If some blocks cannot be allocated, those that are there must do. */
	if (status && sheaf_pipeline_count(&a->pipeline) == 0) return status;
	b = (block *)sheaf_pipeline_first(&a->pipeline);
	*got = b->size - b->at < size ? b->size - b->at : size;
	memcpy(data, b->data + b->at, *got);
	b->at += *got;
	a->done = b->done;
	atomic_fetch_sub(&a->filled, *got);
	status = b->status ? sheaf_fail_again(err, &b->error) : SHEAF_OK;
	if (b->at == b->size) sheaf_pipeline_pass(&a->pipeline);
	return status;
}

size_t sheaf_ahead_at_hand(const sheaf_ahead *a) { return atomic_load(&a->filled); }
