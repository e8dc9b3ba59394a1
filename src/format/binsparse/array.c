/* SPDX-License-Identifier: MIT */
/* Arrays of whole numbers of any type, as int64. */
#include "base/buffer.h"
#include "base/memory.h"
#include "data/integers.h"
#include "format/binsparse/tensor.h"

static sheaf_status zeros(sheaf_context *cx, uint64_t size, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, out);
	if (size && sheaf_builder_room(&b, size)) {
		memset(b.data, 0, (size_t)size);
		b.size = (size_t)size;
	}
	return sheaf_builder_finish(&b, out, err);
}

sheaf_status sheaf_bsp_read_raw(const sheaf_bsp_tensor *t, const sheaf_bsp_array *a, sheaf_bsp_range range,
                                sheaf_type *type, sheaf_buffer *out, sheaf_error *err)
{
	int64_t n = range.end - range.begin;
	sheaf_buffer_reset(out);
	if (a->repaired.data) {
		*type = SHEAF_I64;
		*out = sheaf_buffer_part(&a->repaired, (size_t)range.begin * sizeof(int64_t),
		                         (size_t)n * sizeof(int64_t));
		return SHEAF_OK;
	}
	*type = a->item ? a->item->type : SHEAF_U8;
	if (!a->item) return zeros(t->cx, (uint64_t)n, out, err);
	if (n == 0) return SHEAF_OK;
	return sheaf_box_read(t->box, (sheaf_box_run){a->item, range.begin, range.end}, *type, out, err);
}

static sheaf_status widened(sheaf_type type, const sheaf_buffer *raw, int64_t n, sheaf_context *cx,
                            sheaf_buffer *out, sheaf_error *err)
{
	sheaf_builder b;
	uint64_t size = (uint64_t)n * sizeof(int64_t);
	sheaf_builder_begin(&b, cx, out);
	if (size && sheaf_builder_room(&b, size)) {
		sheaf_integers_widen(type, raw->data, n, (int64_t *)(void *)b.data);
		b.size = (size_t)size;
	}
	return sheaf_builder_finish(&b, out, err);
}

sheaf_status sheaf_bsp_read_i64(const sheaf_bsp_tensor *t, const sheaf_bsp_array *a, sheaf_bsp_range range,
                                sheaf_context *cx, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_buffer raw = {0};
	sheaf_type type;
	SHEAF_TRY(sheaf_bsp_read_raw(t, a, range, &type, &raw, err));
	if (type == SHEAF_I64 || type == SHEAF_U64) {
		sheaf_buffer_reset(out);
		*out = raw;
		return SHEAF_OK;
	}
	sheaf_status status = widened(type, &raw, range.end - range.begin, cx, out, err);
	sheaf_buffer_reset(&raw);
	return status;
}

/* Windows begin at multiples of their length, so that moving back and forth around one of their ends reads no
 * more than two. Chunks are read whole anyway. */
sheaf_status sheaf_bsp_look(const sheaf_bsp_tensor *t, const sheaf_bsp_array *a, sheaf_bsp_window *window,
                            int64_t at, int64_t *value, sheaf_error *err)
{
	enum { LENGTH = 4096 };
	*value = 0;
	if (!a->item) return SHEAF_OK;
	if (at < window->from || at >= window->to || window->values.size == 0) {
		int64_t length = a->item && a->item->chunk > LENGTH ? a->item->chunk : LENGTH;
		int64_t from = at / length * length, to = a->count - from < length ? a->count : from + length;
		window->from = window->to = 0;
		SHEAF_TRY(sheaf_bsp_read_i64(t, a, (sheaf_bsp_range){from, to}, t->cx, &window->values, err));
		window->from = from;
		window->to = to;
	}
	*value = ((const int64_t *)(const void *)window->values.data)[at - window->from];
	return SHEAF_OK;
}
