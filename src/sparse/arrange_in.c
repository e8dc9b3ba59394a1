/* SPDX-License-Identifier: MIT */
/* Incoming entries: their structure is changed, and they are kept, in memory or in runs of a temporary file,
 * until they can be sorted. */
#include "base/buffer.h"
#include "base/context.h"
#include "frame/frame.h"
#include "frame/schema/structure.h"
#include "sparse/arrange.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint8_t *value_at(const sheaf_arranger *a, const sheaf_frame *frame, int64_t row)
{
	return frame->columns[a->value].values.data + (size_t)row * a->element.size;
}

/* ---- structures ---- */

static sheaf_status refuse_entry(const sheaf_arranger *a, const uint64_t *key, const char *expected,
                                 sheaf_error *err)
{
	char place[64];
	return sheaf_fail(err, SHEAF_DATA, "%sentry %s: expected %s", a->name,
	                  sheaf_key_layout_text(&a->layout, key, place, sizeof place), expected);
}

/* Copies a key or a value; the two places may be the same. The usual size is a constant for the compiler, so
 * that it needs no call. */
static void copy(void *to, const void *from, size_t size)
{
	if (size == sizeof(uint64_t))
		memmove(to, from, sizeof(uint64_t));
	else
		memmove(to, from, size);
}

/* Writes the value that the mirror of an entry has: the same, its conjugate in a Hermitian matrix, its
 * negative in a skew-symmetric one. Unsigned types and the least number of a signed type have no negative,
 * which is a flaw. The zeros of a dense triangle stand for no entry: they have no sign to turn. */
static sheaf_status mirror_value(const sheaf_arranger *a, sheaf_structure structure, const uint64_t *key,
                                 const uint8_t *from, uint8_t *to, sheaf_error *err)
{
	char text[80], expected[160];
	bool is_turned = (sheaf_structure_is_hermitian(structure) || sheaf_structure_is_skew(structure)) &&
	                 !(a->from.dense && sheaf_element_is_zero(&a->element, from));
	if (!is_turned) {
		copy(to, from, a->element.size);
	} else if (sheaf_structure_is_hermitian(structure)) {
		sheaf_element_conjugate(&a->element, from, to);
	} else if (!sheaf_element_negate(&a->element, from, to)) {
		snprintf(expected, sizeof expected, "a value that has a negative in %s, found %s",
		         sheaf_type_name(a->element.type), sheaf_element_text(&a->element, from, text, sizeof text));
		return refuse_entry(a, key, expected, err);
	}
	return SHEAF_OK;
}

/* Refuses a value on the diagonal that the structure forbids: a skew-symmetric matrix equals its negative
 * there, so it is 0, and a Hermitian one equals its conjugate, so it is real. */
static sheaf_status check_diagonal(const sheaf_arranger *a, sheaf_structure structure, const uint64_t *key,
                                   const uint8_t *value, sheaf_error *err)
{
	char text[80], expected[160];
	bool sound = sheaf_structure_is_skew(structure)
	                 ? sheaf_element_is_zero(&a->element, value)
	                 : !sheaf_structure_is_hermitian(structure) || sheaf_element_is_real(&a->element, value);
	if (sound) return SHEAF_OK;
	snprintf(expected, sizeof expected, "%s on the diagonal of a %s matrix, found %s",
	         sheaf_structure_is_skew(structure) ? "0" : "a real number", sheaf_structure_name(structure),
	         sheaf_element_text(&a->element, value, text, sizeof text));
	return refuse_entry(a, key, expected, err);
}

/* Appends one entry to the chunk, which has room for two of each that is taken. */
static void put(sheaf_arranger *a, const uint64_t *key, const uint8_t *value)
{
	copy(a->chunk_keys + a->chunk_n * a->layout.words, key, (size_t)a->layout.words * sizeof *key);
	copy(a->chunk_values + (size_t)a->chunk_n * a->element.size, value, a->element.size);
	a->chunk_n++;
}

/* Puts what becomes of one entry of a matrix that has a structure, or gets one: nothing, the entry itself,
 * its mirror, or both. `key` and `swapped` are the keys of the entry and of its mirror. An entry in the wrong
 * triangle is left out if the structure is being made, and a flaw if the input says that it has it. */
static sheaf_status put_entry(sheaf_arranger *a, const uint64_t *key, const uint64_t *swapped,
                              const uint8_t *value, sheaf_error *err)
{
	sheaf_structure structure = a->triangle == SHEAF_TRIANGLE_KEEP ? a->to.structure : a->from.structure;
	int64_t i = sheaf_key_layout_coordinate(&a->layout, key, 0),
			j = sheaf_key_layout_coordinate(&a->layout, key, 1);
	bool inside = sheaf_structure_is_lower(structure) ? i >= j : i <= j;
	if (!inside && a->triangle == SHEAF_TRIANGLE_KEEP) return SHEAF_OK;
	if (!inside)
		return refuse_entry(a, key,
		                    sheaf_structure_is_lower(structure)
		                        ? "it in the lower triangle, found it in the upper"
		                        : "it in the upper triangle, found it in the lower",
		                    err);
	if (i == j) SHEAF_TRY(check_diagonal(a, structure, key, value, err));
	if (a->triangle != SHEAF_TRIANGLE_EXCHANGE) put(a, key, value);
	if (a->triangle == SHEAF_TRIANGLE_KEEP || (a->triangle == SHEAF_TRIANGLE_EXPAND && i == j))
		return SHEAF_OK; /* its mirror is no entry of its own */
	uint8_t mirrored[16];
	SHEAF_TRY(mirror_value(a, structure, key, value, mirrored, err));
	put(a, swapped, mirrored);
	return SHEAF_OK;
}

/* Makes the keys of a run of entries, or refuses the first whose coordinates are out of range. */
static sheaf_status pack(const sheaf_arranger *a, const sheaf_frame *frame, sheaf_run run, bool swapped,
                         uint64_t *keys, sheaf_error *err)
{
	int64_t good = sheaf_key_layout_pack(&a->layout, frame, run.begin, run.end, swapped, keys);
	if (good == run.end) return SHEAF_OK;
	for (int d = 0; d < a->from.rank; d++) {
		int64_t c = sheaf_coordinate_at(&frame->columns[d], good);
		if (c >= 0 && c < a->from.shape[d]) continue;
		return sheaf_fail(err, SHEAF_DATA,
		                  "%sdimension \"%s\": expected coordinates below %" PRId64 ", found %" PRId64,
		                  a->name, a->schema.fields[d].name, a->from.shape[d], c);
	}
	return sheaf_fail(err, SHEAF_DATA, "%sexpected coordinates within the shape, found others", a->name);
}

/* The chunk's own memory has the outcome, until the next call. Keys of a structure are made in steps, with
 * those of the mirrors beside them; only a matrix has a structure, so its keys have at most two words. At the
 * end the chunk is compacted in place if positions that hold the fill value are dropped: put() never writes
 * past the entry that is being looked at. */
sheaf_status sheaf_arrange_transform(sheaf_arranger *a, const sheaf_frame *frame, int64_t *at,
                                     sheaf_keyed *out, sheaf_error *err)
{
	enum { STEP = 128, WORDS = 2 };
	uint64_t keys[STEP * WORDS], swapped[STEP * WORDS];
	int64_t from = *at, words = a->layout.words,
			to = frame->nrows - from < SHEAF_ARRANGE_CHUNK ? frame->nrows : from + SHEAF_ARRANGE_CHUNK;
	*at = to;
	a->chunk_n = 0;
	if (a->triangle == SHEAF_TRIANGLE_AS_IS) {
		SHEAF_TRY(pack(a, frame, (sheaf_run){from, to}, false, a->chunk_keys, err));
		memcpy(a->chunk_values, value_at(a, frame, from), (size_t)(to - from) * a->element.size);
		a->chunk_n = to - from;
		from = to;
	}
	for (; from < to; from += STEP) {
		int64_t end = to - from < STEP ? to : from + STEP;
		SHEAF_TRY(pack(a, frame, (sheaf_run){from, end}, false, keys, err));
		SHEAF_TRY(pack(a, frame, (sheaf_run){from, end}, true, swapped, err));
		for (int64_t r = from; r < end; r++)
			SHEAF_TRY(put_entry(a, keys + (r - from) * words, swapped + (r - from) * words,
			                    value_at(a, frame, r), err));
	}
	int64_t n = a->chunk_n;
	if (a->drops) a->chunk_n = 0;
	for (int64_t i = 0; i < n && a->drops; i++) {
		const uint8_t *value = a->chunk_values + (size_t)i * a->element.size;
		if (!sheaf_element_equal(&a->element, value, a->fill)) put(a, a->chunk_keys + i * words, value);
	}
	*out = (sheaf_keyed){a->chunk_keys, a->chunk_values, a->chunk_n};
	return SHEAF_OK;
}

/* ---- keeping ---- */

/* The key that the same position would have with the other coordinate in the upper bits: entries of a matrix
 * that is wanted by rows and comes by columns have ascending crossed keys. The lower coordinate has `low`
 * bits and moves up by as many as the upper one has. If either has no bits, there is nothing to exchange. */
static uint64_t crossed(const sheaf_key_layout *k, uint64_t key)
{
	int low = k->places[k->order[0]].shift;
	return low == 0 || low == k->bits ? key
	                                  : (key & ((UINT64_C(1) << low) - 1)) << (k->bits - low) | key >> low;
}

/* Looks whether keys still come in order: in the wanted one (`rises`), or in that of the other coordinate
 * (`crosses`). Many files are in some order without saying so. Entries that come in the wanted order are not
 * sorted at all, and entries that come by the other coordinate are sorted by the bits of one coordinate only.
 * Keys of several words, and those with loose bits, are not looked at. */
static void look_at_order(sheaf_arranger *a, const uint64_t *keys, int64_t n)
{
	if (a->layout.words > 1 || a->layout.loose) a->rises = a->crosses = false;
	for (int64_t i = 0; i < n && a->rises; i++) {
		a->rises = keys[i] >= a->last_key;
		a->last_key = keys[i];
	}
	for (int64_t i = 0; i < n && a->crosses; i++) {
		uint64_t key = crossed(&a->layout, keys[i]);
		a->crosses = key >= a->last_crossed;
		a->last_crossed = key;
	}
}

/* How many of the lowest bits of a key need not be sorted by, because entries with equal higher bits came in
 * the order of these: all of them, those of the lower coordinate, or what the plan has found. */
static int loose_bits(const sheaf_arranger *a)
{
	if (a->rises) return a->layout.bits;
	return a->crosses ? a->layout.places[a->layout.order[0]].shift : a->layout.loose;
}

/* Sorts what is in the sorter, writes it as a run of the temporary file, and empties the sorter. The loose
 * bits are set for this run only. */
static sheaf_status spill(sheaf_arranger *a, sheaf_error *err)
{
	enum { SHARE = 4 /* of the memory for entries, when they are also being partitioned */ };
	int loose = a->layout.loose;
	if (a->sorter.n == 0) return SHEAF_OK;
	if (!a->spilled) {
		a->spilled = true;
		SHEAF_TRY(sheaf_runs_open(&a->runs, &a->layout.by, a->element.size, a->memory / SHARE, a->cx, err));
	}
	a->layout.loose = loose_bits(a);
	SHEAF_TRY(sheaf_entry_sorter_sort(&a->sorter, err));
	SHEAF_TRY(sheaf_runs_add(&a->runs, &a->sorter, err));
	a->layout.loose = loose; /* the rest may be in no order */
	sheaf_entry_sorter_clear(&a->sorter);
	return SHEAF_OK;
}

/* Adds entries to the sorter, and writes a run when memory is full. With `made` NULL they are all entries of
 * the frame, whose keys are made in the sorter's own memory; otherwise `made` has the entries that a change
 * of structure has made of some of them, and they are copied. */
static sheaf_status keep(sheaf_arranger *a, const sheaf_frame *frame, const sheaf_keyed *made,
                         sheaf_error *err)
{
	uint64_t *keys;
	uint8_t *values;
	size_t words = (size_t)a->layout.words;
	const uint8_t *from = made ? made->values : value_at(a, frame, 0);
	int64_t all = made ? made->n : frame->nrows, room;
	for (int64_t at = 0, n; at < all; at += n) {
		SHEAF_TRY(sheaf_check_stop(a->cx, err));
		if (sheaf_entry_sorter_bytes(&a->sorter) >= a->memory) SHEAF_TRY(spill(a, err));
		SHEAF_TRY(sheaf_entry_sorter_room(&a->sorter, &keys, &values, &room, err));
		n = all - at < room ? all - at : room;
		if (made)
			memcpy(keys, made->keys + (size_t)at * words, (size_t)n * words * sizeof *keys);
		else
			SHEAF_TRY(pack(a, frame, (sheaf_run){at, at + n}, false, keys, err));
		memcpy(values, from + (size_t)at * a->element.size, (size_t)n * a->element.size);
		look_at_order(a, keys, n);
		sheaf_entry_sorter_added(&a->sorter, n);
		a->kept += n;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_arrange_keep(sheaf_arranger *a, const sheaf_frame *frame, sheaf_error *err)
{
	if (a->triangle == SHEAF_TRIANGLE_AS_IS && !a->drops) return keep(a, frame, NULL, err);
	for (int64_t at = 0; at < frame->nrows;) {
		sheaf_keyed entries;
		SHEAF_TRY(sheaf_arrange_transform(a, frame, &at, &entries, err));
		SHEAF_TRY(keep(a, frame, &entries, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_arrange_sort(sheaf_arranger *a, sheaf_error *err)
{
	if (!a->spilled) {
		a->layout.loose = loose_bits(a);
		return a->rises ? SHEAF_OK : sheaf_entry_sorter_sort(&a->sorter, err);
	}
	SHEAF_TRY(spill(a, err));
	return sheaf_runs_begin(&a->runs, err);
}

sheaf_status sheaf_arrange_sorted(sheaf_arranger *a, sheaf_keyed *out, sheaf_error *err)
{
	if (a->spilled) return sheaf_runs_next(&a->runs, out, err);
	return a->rises ? sheaf_entry_sorter_next_block(&a->sorter, out, err)
	                : sheaf_entry_sorter_next(&a->sorter, out, err);
}
