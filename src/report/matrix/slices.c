/* SPDX-License-Identifier: MIT */
/* Entries in blocks, so that they are never moved. While entries come, `end` of a slice counts them, and at
 * the end it becomes the place after its last one:
 *
 *     block 0                          block 1
 *     slice 0 | slice 1 ... | slice 2  : (continued) | slice 3 ...
 *
 * Slices whose entries did not come in order are sorted at the end, which needs room for the longest of them.
 */
#include "report/matrix/slices.h"
#include "base/memory.h"
#include "sparse/sort/radix.h"
#include <string.h>

static size_t slices_size(const sheaf_slices *s) { return (size_t)s->extent * sizeof *s->all; }

static size_t block_size(const sheaf_slices *s)
{
	return SHEAF_SLICE_BLOCK * (sizeof(int32_t) + s->value_size);
}

/* To sort a slice: two arrays of numbers, and of values. */
static size_t sorting_size(const sheaf_slices *s)
{
	return (size_t)s->longest * 2 * (sizeof(uint64_t) + (s->value_size ? s->value_size : 1));
}

/* How many blocks are allocated together with block i, if it is the first of them; 0 if it is not. These are
 * 1, 1, 2, 4, 8, 16, 16, ... blocks, since larger pieces of memory have larger pages. */
static int64_t blocks_at(int64_t i)
{
	enum { MOST = 16 };
	bool is_first = i < MOST ? (i & (i - 1)) == 0 : i % MOST == 0;
	if (i == 0) return 1;
	return !is_first ? 0 : i < MOST ? i : MOST;
}

/* The bytes of all that the slices take if `more` blocks are added, and of what sorting will take. */
static int64_t bytes_of(const sheaf_slices *s, int64_t more)
{
	enum { SLICE = 2 * sizeof(int64_t) };
	return (s->extent + 1) * SLICE + (s->nblocks + more) * (int64_t)block_size(s) + (int64_t)sorting_size(s);
}

sheaf_status sheaf_slices_begin(sheaf_slices *s, int64_t extent, size_t value_size, int64_t room,
                                sheaf_context *cx, sheaf_error *err)
{
	*s = (sheaf_slices){
		.cx = cx, .extent = extent, .value_size = value_size, .room = room, .slice = -1, .other = -1};
	if (extent >= INT32_MAX || extent < 1 || bytes_of(s, 1) > room) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(cx, slices_size(s), &s->all, err));
	return SHEAF_OK;
}

void sheaf_slices_free(sheaf_slices *s)
{
	for (int64_t i = 0; i < s->nblocks; i++)
		if (blocks_at(i)) sheaf_release(s->cx, s->blocks[i].others, (size_t)blocks_at(i) * block_size(s));
	if (s->blocks) sheaf_release(s->cx, s->blocks, (size_t)s->blocks_room * sizeof *s->blocks);
	if (s->all) sheaf_release(s->cx, s->all, slices_size(s));
	*s = (sheaf_slices){0};
}

/* Allocates the next blocks. In their memory the coordinates of all are beside each other, and so are the
 * values. */
static sheaf_status grow(sheaf_slices *s, sheaf_error *err)
{
	enum { FIRST = 64 };
	void *memory = NULL;
	int64_t more = blocks_at(s->nblocks), room = s->blocks_room ? s->blocks_room * 2 : FIRST;
	if (s->nblocks + more > s->blocks_room) {
		SHEAF_TRY(sheaf_reallocate(s->cx, &s->blocks, (size_t)s->blocks_room * sizeof *s->blocks,
		                           (size_t)room * sizeof *s->blocks, err));
		s->blocks_room = room;
	}
	SHEAF_TRY(sheaf_reallocate(s->cx, &memory, 0, (size_t)more * block_size(s), err));
	int32_t *others = (int32_t *)memory;
	uint8_t *values = (uint8_t *)(others + more * SHEAF_SLICE_BLOCK);
	for (int64_t i = 0; i < more; i++)
		s->blocks[s->nblocks++] = (sheaf_slice_block){others + i * SHEAF_SLICE_BLOCK,
		                                              values + (size_t)i * SHEAF_SLICE_BLOCK * s->value_size};
	return SHEAF_OK;
}

/* Takes note of whether the entries of a slice come in order, and says whether there is room for another one:
 * a slice that does not has to be sorted at the end, which takes memory, and must not be too long. */
static bool see_order(sheaf_slices *s, int64_t slice, int64_t other)
{
	enum { LONGEST = 1 << 24 };
	int64_t length = s->all[slice].end + 1;
	bool same = slice == s->slice;
	s->disordered = same && (s->disordered || other < s->other);
	if (!s->disordered) return true;
	if (length > s->longest) s->longest = length;
	return length <= LONGEST && bytes_of(s, 0) <= s->room;
}

/* An entry is kept if its slice does not come before that of the last one, and if there is room; *kept false
 * is no failure, and leaves the entries as they are. */
sheaf_status sheaf_slices_add(sheaf_slices *s, int64_t slice, int64_t other, const void *value, bool *kept,
                              sheaf_error *err)
{
	int64_t at = s->n % SHEAF_SLICE_BLOCK, nth = s->n / SHEAF_SLICE_BLOCK;
	*kept = s->all && slice >= s->slice && see_order(s, slice, other);
	if (*kept && nth == s->nblocks) *kept = bytes_of(s, blocks_at(nth)) <= s->room;
	if (!*kept) return SHEAF_OK;
	if (nth == s->nblocks) SHEAF_TRY(grow(s, err));
	sheaf_slice_block *block = &s->blocks[nth];
	block->others[at] = (int32_t)other;
	if (s->value_size == sizeof(double)) /* the usual one: no call */
		memcpy(block->values + (size_t)at * sizeof(double), value, sizeof(double));
	else if (s->value_size)
		memcpy(block->values + (size_t)at * s->value_size, value, s->value_size);
	s->all[slice].end++;
	s->slice = slice;
	s->other = other;
	s->n++;
	return SHEAF_OK;
}

/* ---- slices in order ---- */

/* Sorts the entries of a slice by their other coordinate, in the arrays `entries` and `spare`, since the
 * slice may be in several blocks. */
static void sort_slice(sheaf_slices *s, int64_t slice, sheaf_pairs entries, sheaf_pairs spare)
{
	enum { BITS = 31 };
	int64_t begin = sheaf_slice_begin(s, slice), n = s->all[slice].end - begin;
	uint8_t *values = (uint8_t *)entries.values;
	for (int64_t k = 0; k < n; k++) {
		entries.keys[k] = (uint64_t)sheaf_slices_other(s, begin + k);
		memcpy(values + (size_t)k * s->value_size, sheaf_slices_value(s, begin + k), s->value_size);
	}
	sheaf_pairs sorted =
		sheaf_radix_sort(entries, spare, s->value_size ? s->value_size : 1, (size_t)n, 0, BITS) ? spare
																								: entries;
	values = (uint8_t *)sorted.values;
	for (int64_t k = 0; k < n; k++) {
		sheaf_slice_block *block = &s->blocks[(begin + k) / SHEAF_SLICE_BLOCK];
		size_t at = (size_t)((begin + k) % SHEAF_SLICE_BLOCK);
		block->others[at] = (int32_t)sorted.keys[k];
		memcpy(block->values + at * s->value_size, values + (size_t)k * s->value_size, s->value_size);
	}
}

/* Counts become the places after the last entries, slices that did not come in order are sorted, and each
 * slice is set to its first entry (next). */
sheaf_status sheaf_slices_finish(sheaf_slices *s, sheaf_error *err)
{
	if (!s->all) return SHEAF_OK;
	for (int64_t i = 1; i < s->extent; i++) s->all[i].end += s->all[i - 1].end;
	if (s->longest) {
		size_t n = (size_t)s->longest, size = sorting_size(s);
		uint64_t *keys;
		SHEAF_TRY(sheaf_allocate(s->cx, size, &keys, err));
		uint8_t *values = (uint8_t *)(keys + 2 * n);
		sheaf_pairs entries = {keys, values}, spare = {keys + n, values + n * s->value_size};
		for (int64_t i = 0; i < s->extent; i++) {
			int64_t at = sheaf_slice_begin(s, i) + 1;
			while (at < s->all[i].end && sheaf_slices_other(s, at - 1) <= sheaf_slices_other(s, at)) at++;
			if (at < s->all[i].end) sort_slice(s, i, entries, spare);
		}
		sheaf_release(s->cx, keys, size);
	}
	for (int64_t i = 0; i < s->extent; i++) s->all[i].next = sheaf_slice_begin(s, i);
	return SHEAF_OK;
}
