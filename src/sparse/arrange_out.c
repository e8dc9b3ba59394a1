/* SPDX-License-Identifier: MIT */
/* Outgoing entries: their order is checked, repeated positions are merged, gaps are filled in, and frames are
 * made. */
#include "base/buffer.h"
#include "base/spell.h"
#include "frame/frame_builder.h"
#include "sparse/arrange.h"
#include <string.h>

static size_t key_size(const sheaf_arranger *a) { return (size_t)a->layout.words * sizeof(uint64_t); }

static const uint64_t *input_key(const sheaf_arranger *a)
{
	return a->input.keys + a->input_at * a->layout.words;
}

static const uint8_t *input_value(const sheaf_arranger *a)
{
	return a->input.values + (size_t)a->input_at * a->element.size;
}

/* Copies a key and its value into a place for one entry. */
static void set(const sheaf_arranger *a, sheaf_one_entry *to, const uint64_t *key, const uint8_t *value)
{
	memcpy(to->key, key, key_size(a));
	memcpy(to->value, value, a->element.size);
}

/* Copies n entries to the output. */
static void emit(sheaf_arranger *a, const uint64_t *keys, const uint8_t *values, int64_t n)
{
	memcpy(a->out_keys + a->out_n * a->layout.words, keys, (size_t)n * key_size(a));
	memcpy(a->out_values + (size_t)a->out_n * a->element.size, values, (size_t)n * a->element.size);
	a->out_n += n;
}

/* ---- order ---- */

static sheaf_status refuse_order(const sheaf_arranger *a, const uint64_t *before, const uint64_t *key,
                                 sheaf_error *err)
{
	char first[64], second[64];
	return sheaf_fail(err, SHEAF_DATA,
	                  "%sexpected entries in the order that the file promises, found %s after %s", a->name,
	                  sheaf_key_layout_text(&a->layout, key, second, sizeof second),
	                  sheaf_key_layout_text(&a->layout, before, first, sizeof first));
}

static sheaf_status refuse_repeat(const sheaf_arranger *a, const uint64_t *key, sheaf_error *err)
{
	char place[64];
	return sheaf_fail(err, SHEAF_DATA,
	                  "%sexpected each position once, found %s twice (" SHEAF_OPTION(
						  "duplicates") " sum or last makes one of them)",
	                  a->name, sheaf_key_layout_text(&a->layout, key, place, sizeof place));
}

/* Deals with an entry that has the position of the held one: it is refused, replaces the held value, is added
 * to it or, if repeated positions may stay, becomes the held one, while the one before is ready. Entries of
 * one position come in the order in which they were added, so the last is the last of the input. */
static sheaf_status merge(sheaf_arranger *a, const uint64_t *key, const uint8_t *value, sheaf_error *err)
{
	char place[64];
	if (a->options.duplicates == SHEAF_DUPLICATES_ERROR && a->unique) return refuse_repeat(a, key, err);
	if (a->options.duplicates == SHEAF_DUPLICATES_LAST) {
		memcpy(a->held.value, value, a->element.size);
	} else if (a->options.duplicates == SHEAF_DUPLICATES_SUM) {
		if (!sheaf_element_add(&a->element, a->held.value, value))
			return sheaf_fail(err, SHEAF_DATA,
			                  "%sentry %s: expected a sum that fits %s, found one that does not", a->name,
			                  sheaf_key_layout_text(&a->layout, key, place, sizeof place),
			                  sheaf_type_name(a->element.type));
	} else {
		a->ready = a->held;
		a->has_ready = true;
		memcpy(a->held.value, value, a->element.size);
	}
	return SHEAF_OK;
}

/* Takes the next entry of the input. One entry is always held back, since the next may have its position and
 * be merged with it; if the new one has another position, the held one is ready to be written. An entry that
 * comes before the held one breaks the order that the schema promised. */
static sheaf_status take(sheaf_arranger *a, sheaf_error *err)
{
	const uint64_t *key = input_key(a);
	const uint8_t *value = input_value(a);
	int order = a->has_held ? sheaf_key_order_compare(&a->layout.by, a->held.key, key) : -1;
	if (order > 0) return refuse_order(a, a->held.key, key, err);
	a->input_at++;
	if (order == 0) return merge(a, key, value, err);
	a->has_ready = a->has_held;
	a->ready = a->held;
	set(a, &a->held, key, value);
	a->has_held = true;
	return SHEAF_OK;
}

/* ---- many at once ---- */

/* The short way for input that ascends without repetition: passes as many such entries on as there are, or as
 * the output has room for, first the held one and then all but the last of them, which is now held, since its
 * position may come again. More than MANY are not copied: `direct` says where they are, and they end the
 * frame. Does nothing where entry by entry must be looked at: for keys of several words, if positions are
 * filled in, and if an entry is ready or does not follow the held one. */
static void take_rising(sheaf_arranger *a)
{
	enum { MANY = 256 };
	int64_t room = a->out_room - a->out_n, left = a->input.n - a->input_at;
	const uint64_t *keys = input_key(a);
	bool one_by_one = a->layout.words > 1 || a->fills || a->has_ready;
	if (one_by_one || room < 2 || left < 2) return;
	if (a->has_held && a->held.key[0] >= keys[0]) return;
	int64_t n = 1, most = left < room - 1 ? left : room - 1;
	while (n < most && keys[n - 1] < keys[n]) n++;
	if (a->has_held) emit(a, a->held.key, a->held.value, 1);
	if (n > MANY)
		a->direct = (sheaf_keyed){keys, input_value(a), n - 1};
	else
		emit(a, keys, input_value(a), n - 1);
	a->input_at += n - 1;
	set(a, &a->held, input_key(a), input_value(a));
	a->has_held = true;
	a->input_at++;
}

/* ---- filling in ---- */

/* Writes the fill value at the next position, and advances it; after the last position the tensor is full. */
static void emit_fill(sheaf_arranger *a)
{
	emit(a, a->position.key, a->fill, 1);
	a->is_full = !sheaf_key_layout_advance(&a->layout, a->position.key);
}

/* One step of writing the entry that is ready: if positions are filled in and the next one is before that of
 * the entry, that position gets the fill value, and the entry stays ready; otherwise the entry is written. */
static void emit_ready(sheaf_arranger *a)
{
	if (a->fills && sheaf_key_order_compare(&a->layout.by, a->position.key, a->ready.key) < 0) {
		emit_fill(a);
		return;
	}
	emit(a, a->ready.key, a->ready.value, 1);
	a->has_ready = false;
	if (a->fills) a->is_full = !sheaf_key_layout_advance(&a->layout, a->position.key);
}

/* One step after the input has no more entries for now. At the very end the held entry becomes ready, and
 * then the positions after the last entry are filled in, one in each step. False if nothing is left to do. */
static bool take_end_step(sheaf_arranger *a)
{
	if (!a->finished) return false;
	if (a->has_held) {
		a->ready = a->held;
		a->has_ready = true;
		a->has_held = false;
		return true;
	}
	if (!a->fills || a->is_full) return false;
	emit_fill(a);
	return true;
}

/* ---- steps ---- */

/* Gets the next entries of the input: sorted ones or, if nothing is kept, those of the given frame with their
 * structure changed. END if there are none, for now or for good. */
static sheaf_status refill(sheaf_arranger *a, sheaf_error *err)
{
	a->input_at = 0;
	a->input.n = 0;
	if (a->sorts) return a->finished ? sheaf_arrange_sorted(a, &a->input, err) : SHEAF_END;
	while (a->input.n == 0) {
		if (a->given_at >= a->given.nrows) return SHEAF_END;
		SHEAF_TRY(sheaf_arrange_transform(a, &a->given, &a->given_at, &a->input, err));
	}
	return SHEAF_OK;
}

/* Collects the entries of one frame, first copied ones in the output, then those of `direct`: until the
 * output is full, no entries are left, or enough of them can be passed on unchanged. What is ready goes
 * first, then more input is got, and entries in no particular order are only copied. */
static sheaf_status gather(sheaf_arranger *a, sheaf_error *err)
{
	a->out_n = 0;
	a->direct.n = 0;
	while (a->out_n < a->out_room && a->direct.n == 0) {
		if (a->has_ready) {
			emit_ready(a);
			continue;
		}
		if (a->input_at == a->input.n) {
			sheaf_status status = refill(a, err);
			if (status == SHEAF_END && !take_end_step(a)) break;
			if (status == SHEAF_END) continue;
			SHEAF_TRY(status);
		}
		if (!a->ordered) {
			int64_t room = a->out_room - a->out_n, n = a->input.n - a->input_at;
			if (n > room) n = room;
			emit(a, input_key(a), input_value(a), n);
			a->input_at += n;
			continue;
		}
		take_rising(a);
		if (a->direct.n == 0 && a->input_at < a->input.n && a->out_n < a->out_room) SHEAF_TRY(take(a, err));
	}
	return SHEAF_OK;
}

/* Appends some entries to column c of the frame: their values, or coordinate c out of their keys. */
static void add_to_column(const sheaf_arranger *a, const sheaf_keyed *entries, int c,
                          sheaf_column_builder *column)
{
	sheaf_type type = column->field->type;
	size_t size = c == a->value ? a->element.size : sheaf_type_size(type);
	uint8_t *to = sheaf_builder_extend(&column->values, (uint64_t)entries->n * size);
	if (!to || entries->n == 0) return;
	if (c == a->value)
		memcpy(to, entries->values, (size_t)entries->n * size);
	else
		sheaf_key_layout_unpack(&a->layout, entries->keys, entries->n, c, type, to);
}

/* Copied entries come first, then those that are taken from where they are. */
sheaf_status sheaf_arrange_give(sheaf_arranger *a, sheaf_error *err)
{
	sheaf_frame_builder to;
	SHEAF_TRY(gather(a, err));
	if (a->out_n + a->direct.n == 0) return SHEAF_END;
	sheaf_status status = sheaf_frame_builder_begin(&to, &a->schema, &a->frame, a->cx, err);
	to.nrows = a->out_n + a->direct.n;
	sheaf_keyed copied = {a->out_keys, a->out_values, a->out_n};
	for (int c = 0; c < a->schema.nfields && !status; c++) {
		sheaf_column_builder *column = &to.columns[c];
		size_t size = c == a->value ? a->element.size : sheaf_type_size(column->field->type);
		sheaf_builder_room(&column->values, (uint64_t)to.nrows * size);
		add_to_column(a, &copied, c, column);
		add_to_column(a, &a->direct, c, column);
	}
	return sheaf_frame_builder_end(&to, status, &a->frame, err);
}

/* Of passing entries only the last key is remembered, in `held`, to compare it with the first of the next
 * frame. */
sheaf_status sheaf_arrange_look(sheaf_arranger *a, const sheaf_frame *frame, sheaf_error *err)
{
	int words = a->layout.words;
	for (int64_t at = 0; at < frame->nrows && a->ordered;) {
		sheaf_keyed entries;
		SHEAF_TRY(sheaf_arrange_transform(a, frame, &at, &entries, err));
		for (int64_t i = 0; i < entries.n; i++) {
			const uint64_t *key = entries.keys + i * words;
			const uint64_t *before = i > 0 ? key - words : a->held.key;
			bool is_first = i == 0 && !a->has_held;
			int order = is_first ? -1 : sheaf_key_order_compare(&a->layout.by, before, key);
			if (order > 0) return refuse_order(a, before, key, err);
			if (order == 0 && a->unique) return refuse_repeat(a, key, err);
		}
		if (entries.n > 0) memcpy(a->held.key, entries.keys + (entries.n - 1) * words, key_size(a));
		a->has_held = a->has_held || entries.n > 0;
	}
	return SHEAF_OK;
}
