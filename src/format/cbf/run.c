/* SPDX-License-Identifier: MIT */
/* The sequences of a sparse stream, all at once, in sound files. Whether indices are below the dim is checked
 * last, in the copy, which nobody can change meanwhile. */
#include "base/endian.h"
#include "format/cbf/cbf.h"

enum { HEAD = 8, BLOCK = 64, AHEAD = 1024 };

static inline uint8_t *room_for(sheaf_builder *b, uint64_t n)
{
	return sheaf_builder_room(b, n) ? b->data + b->size : NULL;
}

/* Short arrays are copied in blocks, beyond their end if there is more: a call that first finds out how to
 * copy a few bytes takes longer. */
static inline bool put_array(sheaf_builder *b, const uint8_t *from, size_t size, const uint8_t *end)
{
	enum { SHORT = 512 };
	uint8_t *to = room_for(b, (uint64_t)size + BLOCK);
	if (!to) return false;
	if (size <= SHORT && (size_t)(end - from) >= size + BLOCK)
		for (size_t i = 0; i < size; i += BLOCK) memcpy(to + i, from + i, BLOCK);
	else
		memcpy(to, from, size);
	b->size += size;
	return true;
}

/* Where each sample ends. Each count is read once: a mapped file may be changed meanwhile. */
static inline bool put_ends(sheaf_cbf_run *run, const uint8_t *counts, uint64_t samples, uint64_t nonzeros)
{
	int64_t *ends = (int64_t *)(void *)room_for(run->to.entries, samples * sizeof(int64_t));
	uint64_t end = (uint64_t)run->to.nonzeros, sound = end + nonzeros;
	uint32_t all = 0;
	if (!ends) return false;
	for (uint64_t i = 0; i < samples; i++) {
		uint32_t n = sheaf_load_u32le(counts + 4 * i);
		all |= n;
		end += n;
		ends[i] = (int64_t)end;
	}
	run->to.entries->size += (size_t)samples * sizeof(int64_t);
	run->to.nonzeros = (int64_t)end;
	return all <= INT32_MAX && end == sound;
}

static inline bool take_sequence(sheaf_cbf_run *run, uint64_t *samples)
{
	uint64_t left = (uint64_t)(run->end - run->at), size = run->shape->size;
	if (left < HEAD) return false;
	*samples = sheaf_load_u32le(run->at);
	uint64_t n = sheaf_load_u32le(run->at + 4), bytes = HEAD + n * (size + 4) + 4 * *samples;
	if (n > INT32_MAX || bytes > left) return false;
	const uint8_t *values = run->at + HEAD, *indices = values + n * size;
	run->at += bytes;
	/* The start of a sequence is known only when the one before has been read: the processor cannot prefetch
	 * it by itself. */
	__builtin_prefetch((const void *)((uintptr_t)run->at + AHEAD));
	return put_array(run->to.values, values, (size_t)(n * size), run->end) &&
	       put_array(run->to.indices, indices, (size_t)(n * 4), run->end) &&
	       put_ends(run, indices + 4 * n, *samples, n);
}

static bool take_sequences(sheaf_cbf_run *run)
{
	int64_t *lists = (int64_t *)(void *)room_for(run->to.lists, (uint64_t)run->sequences * sizeof(int64_t));
	if (!lists) return false;
	for (int64_t i = 0; i < run->sequences; i++) {
		uint64_t samples;
		if (!take_sequence(run, &samples)) return false;
		run->to.samples += (int64_t)samples;
		lists[i] = run->to.samples;
		run->differs += samples != sheaf_load_u32le(run->counts + 4 * i);
		if (samples > run->largest[i]) run->largest[i] = (uint32_t)samples;
	}
	run->to.lists->size += (size_t)run->sequences * sizeof(int64_t);
	return true;
}

/* The highest bit of an index, or of the difference to the last one, if an index is out of range. */
static bool are_below(const uint8_t *indices, size_t size, uint32_t dim)
{
	uint32_t all = 0, last = dim - 1;
	for (size_t i = 0; i < size / 4; i++) {
		uint32_t index;
		memcpy(&index, indices + 4 * i, sizeof index);
		all |= index | (last - index);
	}
	return all <= INT32_MAX;
}

bool sheaf_cbf_take_run(sheaf_cbf_run *run)
{
	sheaf_builder *all[] = {run->to.lists, run->to.entries, run->to.indices, run->to.values};
	size_t sizes[sizeof all / sizeof *all];
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	if (!little || run->shape->dim == 0 || run->shape->dim - 1 > INT32_MAX) return false;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (all[i]->failed) return false;
		sizes[i] = all[i]->size;
	}
	if (take_sequences(run) &&
	    are_below(run->to.indices->data + sizes[2], run->to.indices->size - sizes[2], run->shape->dim))
		return true;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) all[i]->size = sizes[i];
	return false;
}
