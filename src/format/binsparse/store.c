/* SPDX-License-Identifier: MIT */
/* Arrays whose length, and smallest type, are known once everything has been seen. */
#include "format/binsparse/writer.h"
#include <inttypes.h>

enum { MOST_HELD = 4 << 20, STEP = 1 << 16 };

void sheaf_bsp_store_begin(sheaf_bsp_store *s, sheaf_type type, sheaf_context *cx)
{
	*s = (sheaf_bsp_store){.cx = cx, .type = type};
	sheaf_builder_begin(&s->held, cx, NULL);
}

void sheaf_bsp_store_drop(sheaf_bsp_store *s)
{
	if (!s->cx) return;
	sheaf_builder_drop(&s->held);
	if (s->is_spooled) sheaf_spool_close(&s->spool);
	s->cx = NULL;
}

static sheaf_status spool(sheaf_bsp_store *s, sheaf_error *err)
{
	if (!s->is_spooled) SHEAF_TRY(sheaf_spool_open(&s->spool, s->cx, err));
	s->is_spooled = true;
	SHEAF_TRY(sheaf_spool_append(&s->spool, s->held.data, s->held.size, err));
	s->held.size = 0;
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_store_add(sheaf_bsp_store *s, const void *values, int64_t n, sheaf_error *err)
{
	size_t size = (size_t)n * sheaf_type_size(s->type);
	if (s->held.size && s->held.size + size > MOST_HELD) SHEAF_TRY(spool(s, err));
	sheaf_builder_append(&s->held, values, size);
	s->count += n;
	return sheaf_builder_status(&s->held, err);
}

/* ---- out of it ---- */

#define NARROW(name, type) \
	static void narrow_##name(const int64_t *from, int64_t n, type to[]) \
	{ \
		for (int64_t i = 0; i < n; i++) to[i] = (type)from[i]; \
	}
NARROW(u8, uint8_t)
NARROW(u16, uint16_t)
NARROW(u32, uint32_t)
NARROW(i8, int8_t)
NARROW(i16, int16_t)
NARROW(i32, int32_t)

void sheaf_bsp_narrow(const int64_t *from, int64_t n, sheaf_type type, void *to)
{
	switch (type) {
	case SHEAF_U8: narrow_u8(from, n, (uint8_t *)to); break;
	case SHEAF_U16: narrow_u16(from, n, (uint16_t *)to); break;
	case SHEAF_U32: narrow_u32(from, n, (uint32_t *)to); break;
	case SHEAF_I8: narrow_i8(from, n, (int8_t *)to); break;
	case SHEAF_I16: narrow_i16(from, n, (int16_t *)to); break;
	case SHEAF_I32: narrow_i32(from, n, (int32_t *)to); break;
	default:
		if (n) memcpy(to, from, (size_t)n * sizeof *from);
		break;
	}
}

static sheaf_status pass(sheaf_box_array *array, sheaf_type from, const void *values, int64_t n, sheaf_type to, sheaf_error *err)
{
	int64_t narrow[1024];
	const int64_t *wide = (const int64_t *)values;
	if (from == to) return sheaf_box_append(array, values, n, err);
	for (int64_t i = 0; i < n; i += 1024) {
		int64_t m = n - i < 1024 ? n - i : 1024;
		sheaf_bsp_narrow(wide + i, m, to, narrow);
		SHEAF_TRY(sheaf_box_append(array, narrow, m, err));
	}
	return SHEAF_OK;
}

static sheaf_status pass_spool(sheaf_bsp_store *s, sheaf_box_array *array, sheaf_type type, sheaf_error *err)
{
	sheaf_builder b;
	size_t width = sheaf_type_size(s->type), step = STEP * width;
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&b, s->cx, NULL);
	if (!sheaf_builder_room(&b, step)) status = sheaf_builder_status(&b, err);
	for (int64_t at = 0; status == SHEAF_OK && at < s->spool.size; at += (int64_t)step) {
		size_t n = s->spool.size - at < (int64_t)step ? (size_t)(s->spool.size - at) : step;
		status = sheaf_spool_read(&s->spool, at, b.data, n, err);
		if (status == SHEAF_OK) status = pass(array, s->type, b.data, (int64_t)(n / width), type, err);
	}
	sheaf_builder_drop(&b);
	return status;
}

sheaf_status sheaf_bsp_store_put(sheaf_bsp_store *s, sheaf_box *box, const char *path, sheaf_type type, const sheaf_box_storing *storing, sheaf_error *err)
{
	sheaf_box_array *array;
	/* Nothing cannot be compressed. */
	static const sheaf_box_storing plain;
	SHEAF_TRY(sheaf_box_new_array(box, path, type, s->count, s->count ? storing : &plain, &array, err));
	sheaf_status status = s->is_spooled ? pass_spool(s, array, type, err) : SHEAF_OK;
	if (status == SHEAF_OK) status = pass(array, s->type, s->held.data, (int64_t)(s->held.size / sheaf_type_size(s->type)), type, err);
	if (status) return status; /* the box lets the array go */
	return sheaf_box_end_array(array, err);
}
