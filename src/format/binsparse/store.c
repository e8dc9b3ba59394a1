/* SPDX-License-Identifier: MIT */
/* Arrays on their way into the box: at once if length and smallest type are known, else once everything has
 * come. */
#include "base/context.h"
#include "format/binsparse/writer.h"
#include "frame/integers.h"
#include "io/source.h"
#include <inttypes.h>

enum {
	MOST_HELD = 4 << 20, /* bytes that wait in memory until the length is known */
	MOST_STEP =
		2 << 20, /* bytes that are written to an array at a time: enough for the disk to begin writing */
	STEP = 1 << 16,
	SHARE = 64 /* share of the memory limit, if that is less */
};

static size_t share_of(const sheaf_bsp_store *s, size_t most)
{
	int64_t share = sheaf_max_memory(s->cx) / SHARE;
	return share < (int64_t)most ? (size_t)share : most;
}

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

/* ---- into the array ---- */

static sheaf_status pass(const sheaf_bsp_store *s, const void *values, int64_t n, sheaf_error *err)
{
	enum { SOME = 4096 };
	int64_t narrow[SOME];
	const int64_t *wide = (const int64_t *)values;
	if (s->type == s->stored) return sheaf_box_append(s->array, values, n, err);
	for (int64_t i = 0; i < n; i += SOME) {
		int64_t m = n - i < SOME ? n - i : SOME;
		sheaf_integers_narrow(wide + i, m, s->stored, narrow);
		SHEAF_TRY(sheaf_box_append(s->array, narrow, m, err));
	}
	return SHEAF_OK;
}

static sheaf_status pass_held(sheaf_bsp_store *s, sheaf_error *err)
{
	SHEAF_TRY(pass(s, s->held.data, (int64_t)(s->held.size / sheaf_type_size(s->type)), err));
	s->held.size = 0;
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_store_open(sheaf_bsp_store *s, sheaf_box *box, const char *path,
                                  sheaf_box_values values, const sheaf_box_storing *storing, sheaf_error *err)
{
	/* An empty array cannot be compressed. */
	static const sheaf_box_storing plain;
	s->stored = values.type;
	s->step = share_of(s, MOST_STEP);
	return sheaf_box_new_array(box, path, values, values.count ? storing : &plain, &s->array, err);
}

/* ---- adding ---- */

static sheaf_status spool(sheaf_bsp_store *s, sheaf_error *err)
{
	if (!s->is_spooled) SHEAF_TRY(sheaf_spool_open(&s->spool, s->cx, err));
	s->is_spooled = true;
	SHEAF_TRY(sheaf_spool_append(&s->spool, s->held.data, s->held.size, err));
	s->held.size = 0;
	return SHEAF_OK;
}

/* Before `more` bytes are kept, too. */
static sheaf_status make_room(sheaf_bsp_store *s, size_t size, sheaf_error *err)
{
	size_t most = s->array ? s->step : share_of(s, MOST_HELD);
	if (s->held.size == 0 || s->held.size + size <= most) return SHEAF_OK;
	return s->array ? pass_held(s, err) : spool(s, err);
}

static sheaf_status add(sheaf_bsp_store *s, const void *values, int64_t n, sheaf_error *err)
{
	size_t size = (size_t)n * sheaf_type_size(s->type);
	SHEAF_TRY(make_room(s, size, err));
	s->count += n;
	if (s->array && size >= s->step) return pass(s, values, n, err);
	sheaf_builder_append(&s->held, values, size);
	return sheaf_builder_status(&s->held, err);
}

/* ---- values that may all be the same ---- */

void sheaf_bsp_store_compare(sheaf_bsp_store *s, int parts)
{
	s->same = (size_t)parts * sheaf_type_size(s->type);
}

/* Whether these equal the held value, or each other if there is none. */
static bool is_same(const sheaf_bsp_store *s, const uint8_t *values, size_t size)
{
	bool like_held = s->count == 0 || memcmp(values, s->held.data, s->same) == 0;
	return size == 0 || (like_held && memcmp(values, values + s->same, size - s->same) == 0);
}

/* Replaces the held value by all those that it represented. */
static sheaf_status tell_apart(sheaf_bsp_store *s, sheaf_error *err)
{
	uint8_t one[16];
	int64_t parts = (int64_t)(s->same / sheaf_type_size(s->type)), left = s->count / parts - 1;
	if (s->count) memcpy(one, s->held.data, s->same);
	s->same = 0;
	for (s->count = s->count ? parts : 0; left > 0; left--) SHEAF_TRY(add(s, one, parts, err));
	return SHEAF_OK;
}

bool sheaf_bsp_store_is_same(sheaf_bsp_store *s)
{
	bool same = s->same && s->count;
	if (same) s->count = (int64_t)(s->same / sheaf_type_size(s->type));
	s->same = 0;
	return same;
}

sheaf_status sheaf_bsp_store_add(sheaf_bsp_store *s, const void *values, int64_t n, sheaf_error *err)
{
	size_t size = (size_t)n * sheaf_type_size(s->type);
	if (!s->same) return add(s, values, n, err);
	if (!is_same(s, (const uint8_t *)values, size)) {
		SHEAF_TRY(tell_apart(s, err));
		return add(s, values, n, err);
	}
	if (s->count == 0 && n) sheaf_builder_append(&s->held, values, s->same);
	s->count += n;
	return sheaf_builder_status(&s->held, err);
}

/* ---- the end ---- */

static sheaf_status pass_spool(sheaf_bsp_store *s, sheaf_error *err)
{
	sheaf_builder b;
	size_t width = sheaf_type_size(s->type), step = (share_of(s, (STEP - 1) * width) / width + 1) * width;
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&b, s->cx, NULL);
	if (!sheaf_builder_room(&b, step)) status = sheaf_builder_status(&b, err);
	for (int64_t at = 0; status == SHEAF_OK && at < s->spool.size; at += (int64_t)step) {
		size_t n = s->spool.size - at < (int64_t)step ? (size_t)(s->spool.size - at) : step;
		status = sheaf_spool_read(&s->spool, at, b.data, n, err);
		if (status == SHEAF_OK) status = pass(s, b.data, (int64_t)(n / width), err);
	}
	sheaf_builder_drop(&b);
	return status;
}

/* On failure the box drops the array. */
sheaf_status sheaf_bsp_store_end(sheaf_bsp_store *s, sheaf_error *err)
{
	sheaf_box_array *array = s->array;
	if (s->is_spooled) SHEAF_TRY(pass_spool(s, err));
	SHEAF_TRY(pass_held(s, err));
	s->array = NULL;
	return sheaf_box_end_array(array, err);
}
