/* SPDX-License-Identifier: MIT */
/* Arrays on their way into the box: at once if length and smallest type are known, else once everything has
 * come; until then numbers wait in a strand, as int64 where their type is still open, in memory or in a
 * temporary file. While all values are the same, one is held for them. */
#include "format/binsparse/writer.h"
#include "frame/integers.h"

void sheaf_bsp_store_begin(sheaf_bsp_store *s, sheaf_type type, sheaf_context *cx)
{
	*s = (sheaf_bsp_store){.type = type};
	sheaf_strand_begin(&s->strand, false, cx);
}

void sheaf_bsp_store_drop(sheaf_bsp_store *s) { sheaf_strand_drop(&s->strand); }

/* ---- into the array ---- */

/* Passes on what the strand has, in the type that the array has got. */
static sheaf_status pass(void *store, const void *bytes, size_t size, sheaf_error *err)
{
	enum { SOME = 4096 };
	int64_t narrow[SOME];
	const sheaf_bsp_store *s = (const sheaf_bsp_store *)store;
	const int64_t *wide = (const int64_t *)bytes;
	int64_t n = (int64_t)(size / sheaf_type_size(s->type));
	if (s->type == s->stored) return sheaf_box_append(s->array, bytes, n, err);
	for (int64_t i = 0; i < n; i += SOME) {
		int64_t m = n - i < SOME ? n - i : SOME;
		sheaf_integers_narrow(wide + i, m, s->stored, narrow);
		SHEAF_TRY(sheaf_box_append(s->array, narrow, m, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_store_open(sheaf_bsp_store *s, sheaf_box *box, const char *path,
                                  sheaf_box_values values, const sheaf_box_storing *storing, sheaf_error *err)
{
	/* An empty array cannot be compressed. */
	static const sheaf_box_storing plain;
	s->stored = values.type;
	SHEAF_TRY(sheaf_box_new_array(box, path, values, values.count ? storing : &plain, &s->array, err));
	return sheaf_strand_send(&s->strand, pass, s, err);
}

/* On failure the box drops the array. */
sheaf_status sheaf_bsp_store_end(sheaf_bsp_store *s, sheaf_error *err)
{
	sheaf_box_array *array = s->array;
	SHEAF_TRY(sheaf_strand_end(&s->strand, err));
	s->array = NULL;
	return sheaf_box_end_array(array, err);
}

/* ---- values that may all be the same ---- */

void sheaf_bsp_store_compare(sheaf_bsp_store *s, int parts)
{
	s->same = (size_t)parts * sheaf_type_size(s->type);
}

bool sheaf_bsp_store_is_same(sheaf_bsp_store *s)
{
	bool same = s->same && s->count;
	if (same) s->count = (int64_t)(s->same / sheaf_type_size(s->type));
	s->same = 0;
	return same;
}

/* All values are the same as long as the first of them is equal to the one that is held, and each is equal to
 * the one before. */
sheaf_status sheaf_bsp_store_add(sheaf_bsp_store *s, const void *values, int64_t n, sheaf_error *err)
{
	size_t width = sheaf_type_size(s->type), size = (size_t)n * width, same = s->same;
	const uint8_t *bytes = (const uint8_t *)values;
	s->count += n;
	if (!same || size == 0) return sheaf_strand_add(&s->strand, values, size, err);
	uint8_t one[16];
	if (s->strand.held.size == 0) SHEAF_TRY(sheaf_strand_add(&s->strand, values, same, err));
	memcpy(one, s->strand.held.data, same);
	if (memcmp(bytes, one, same) == 0 && memcmp(bytes, bytes + same, size - same) == 0) return SHEAF_OK;
	/* They are not: the held value is followed by all those that it represented. */
	s->same = 0;
	int64_t left = (s->count - n) * (int64_t)width / (int64_t)same - 1;
	if (left < 0) return sheaf_strand_add(&s->strand, bytes + same, size - same, err);
	for (; left > 0; left--) SHEAF_TRY(sheaf_strand_add(&s->strand, one, same, err));
	return sheaf_strand_add(&s->strand, values, size, err);
}
