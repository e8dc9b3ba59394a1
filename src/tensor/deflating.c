/* SPDX-License-Identifier: MIT */
/* Blocks 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, ... are deflated. */
#include "tensor/deflating.h"
#include "base/memory.h"
#include "third/deflate.h"
#include <string.h>

enum { LEVEL = 4, BLOCK = SHEAF_DEFLATING_BLOCK };

/* The next block after this one that is deflated. */
static int64_t block_after(int64_t k)
{
	if (k < 4) return k + 1;
	return k & (k - 1) ? k + k / 3 : k + k / 2;
}

static size_t item_size(const sheaf_deflating *p)
{
	size_t size = 0;
	for (int i = 0; i < SHEAF_DEFLATING_ARRAYS; i++) size += p->sizes[i];
	return size;
}

void sheaf_deflating_free(sheaf_deflating *p, sheaf_context *cx)
{
	if (p->block) sheaf_release(cx, p->block, BLOCK * item_size(p));
	p->block = NULL;
}

/* Arrays that do not become smaller are stored. */
static double deflate_array(sheaf_deflater *deflater, const uint8_t *data, size_t size, uint8_t *room)
{
	size_t packed = size ? sheaf_deflate(deflater, data, size, room, size) : 0;
	return (double)(packed ? packed : size);
}

static sheaf_status deflate_arrays(sheaf_deflating *p, size_t items, sheaf_context *cx, sheaf_error *err)
{
	void *room;
	size_t at = 0;
	sheaf_deflater *deflater = sheaf_deflater_new(LEVEL);
	if (!deflater) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room to deflate, found none");
	sheaf_status status = sheaf_allocate(cx, BLOCK * item_size(p), &room, err);
	for (int i = 0; status == SHEAF_OK && i < SHEAF_DEFLATING_ARRAYS; i++) {
		p->last[i] = deflate_array(deflater, p->block + at, items * p->sizes[i], (uint8_t *)room);
		at += BLOCK * p->sizes[i];
	}
	if (status == SHEAF_OK) sheaf_release(cx, room, BLOCK * item_size(p));
	sheaf_deflater_free(deflater);
	return status;
}

static sheaf_status end_block(sheaf_deflating *p, sheaf_context *cx, sheaf_error *err)
{
	int64_t block = p->from / BLOCK, after = block_after(block);
	SHEAF_TRY(deflate_arrays(p, BLOCK, cx, err));
	for (int i = 0; i < SHEAF_DEFLATING_ARRAYS; i++) p->sums[i] += p->last[i] * (double)(after - block);
	p->from = after * BLOCK;
	return SHEAF_OK;
}

sheaf_status sheaf_deflating_put(sheaf_deflating *p, const void *const items[SHEAF_DEFLATING_ARRAYS],
                                 sheaf_context *cx, sheaf_error *err)
{
	size_t at = 0, slot = (size_t)(p->n - p->from);
	void *memory;
	if (!p->block) {
		SHEAF_TRY(sheaf_allocate(cx, BLOCK * item_size(p), &memory, err));
		p->block = (uint8_t *)memory;
	}
	for (int i = 0; i < SHEAF_DEFLATING_ARRAYS; i++) {
		if (p->sizes[i]) memcpy(p->block + at + slot * p->sizes[i], items[i], p->sizes[i]);
		at += BLOCK * p->sizes[i];
	}
	p->n++;
	return slot + 1 == BLOCK ? end_block(p, cx, err) : SHEAF_OK;
}

sheaf_status sheaf_deflating_finish(sheaf_deflating *p, sheaf_context *cx, sheaf_error *err)
{
	if (p->n > p->from) {
		SHEAF_TRY(deflate_arrays(p, (size_t)(p->n - p->from), cx, err));
		for (int i = 0; i < SHEAF_DEFLATING_ARRAYS; i++) p->sums[i] += p->last[i];
	} else {
		/* The last block represents fewer blocks than was assumed. */
		double missing = (double)(p->from - p->n) / BLOCK;
		for (int i = 0; i < SHEAF_DEFLATING_ARRAYS; i++) p->sums[i] -= p->last[i] * missing;
	}
	sheaf_deflating_free(p, cx);
	return SHEAF_OK;
}
