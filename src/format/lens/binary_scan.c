/* SPDX-License-Identifier: MIT */
/* Where a binary example ends: a walk over its counts, which can stop at any byte and continue when more
 * bytes are there. Errors are reported by the code that reads the example, so that a negative count only ends
 * the walk. An example is these parts, one after the other. A part that is not there as a whole is walked
 * over again when there are more bytes; each special event and each range is such a part.
 *
 *   HEAD      name, proc, frequency, number of events, number of special events
 *   SPECIALS  each special event: its number, proc, seven reals;
 *             then the number of input lists
 *   LISTS     the events of a list, the number of its ranges;
 *             after all input lists: the number of target lists
 *   RANGES    each range: group, number of items, kind, first unit or value, items;
 *             after those of an input list: whether targets share it, and the events of those that do
 *
 * Texts end with a NUL, numbers and items take four bytes, the kind and whether targets share take one. */
#include "format/lens/binary.h"

enum { HEAD, SPECIALS, LISTS, RANGES };

void sheaf_lens_binary_start(sheaf_lens_scan *scan, bool line_start)
{
	*scan = (sheaf_lens_scan){.state = HEAD, .line_start = line_start};
}

/* These four return what comes after a part of an example; NULL if `at` is, or if the part is not there yet.
 * `needed` then counts the bytes that are missing, or is 0 for a text without an end. */
static inline const uint8_t *skip(sheaf_lens_scan *scan, const uint8_t *at, const uint8_t *end, size_t n)
{
	if (!at) return NULL;
	if ((size_t)(end - at) >= n) return at + n;
	scan->needed = n - (size_t)(end - at);
	return NULL;
}

static inline const uint8_t *skip_text(const uint8_t *at, const uint8_t *end)
{
	if (!at || at == end) return NULL;
	const uint8_t *nul = *at ? (const uint8_t *)memchr(at, '\0', (size_t)(end - at)) : at;
	return nul ? nul + 1 : NULL;
}

static inline const uint8_t *read_count(sheaf_lens_scan *scan, const uint8_t *at, const uint8_t *end,
                                        uint32_t *count)
{
	const uint8_t *after = skip(scan, at, end, 4);
	int32_t n = after ? sheaf_load_i32be(at) : 0;
	*count = (uint32_t)n;
	if (n >= 0) return after;
	scan->broken = true;
	return NULL;
}

static inline const uint8_t *skip_events(sheaf_lens_scan *scan, const uint8_t *at, const uint8_t *end)
{
	uint32_t count;
	at = read_count(scan, at, end, &count);
	return skip(scan, at, end, (size_t)count * 4);
}

/* The processor can predict neither where the next counts are, nor that all between them will be read. */
static inline void fetch(const uint8_t *at, size_t bytes)
{
	enum { AHEAD = 2048, LINE = 64, MOST = 4096 };
	if (bytes > MOST) bytes = MOST; /* long runs are prefetched by the processor */
	for (size_t line = 0; line < bytes; line += LINE)
		__builtin_prefetch((const void *)((uintptr_t)at + AHEAD + line));
}

/* Walks over one part, or to the next kind of part, or over the ranges of a list: moves *at, and changes the
 * state, only over what is there. */
static inline bool step(sheaf_lens_scan *scan, const uint8_t **at, const uint8_t *end)
{
	uint32_t count;
	const uint8_t *next = *at;
	switch (scan->state) {
	case HEAD:
		next = skip(scan, skip_text(skip_text(next, end), end), end, 8);
		next = read_count(scan, next, end, &scan->left);
		if (next) scan->state = SPECIALS;
		break;
	case SPECIALS:
		if (scan->left > 0) {
			next = skip_text(skip(scan, next, end, 4), end);
			next = skip(scan, next, end, (size_t)4 * SHEAF_LENS_FIELDS);
			scan->left -= next != NULL;
			break;
		}
		next = read_count(scan, next, end, &scan->lists);
		scan->targets = false;
		if (next) scan->state = LISTS;
		break;
	case LISTS:
		if (scan->lists > 0) {
			next = read_count(scan, skip_events(scan, next, end), end, &scan->ranges);
			if (next) scan->lists--, scan->state = RANGES;
		} else if (scan->targets) {
			scan->state = HEAD;
		} else {
			next = read_count(scan, next, end, &scan->lists);
			scan->targets = next != NULL;
		}
		break;
	default:
		for (; scan->ranges > 0; scan->ranges--) {
			next = read_count(scan, skip_text(next, end), end, &count);
			next = skip(scan, next, end, 5 + (size_t)count * 4);
			if (!next) return false;
			fetch(next, (size_t)count * 4);
			*at = next;
		}
		if (!scan->targets) {
			const uint8_t *shared = next;
			next = skip(scan, next, end, 1);
			if (next && *shared) next = skip_events(scan, next, end);
		}
		if (next) scan->state = LISTS;
	}
	if (next) *at = next;
	return next != NULL;
}

bool sheaf_lens_binary_end(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	if (scan->broken || size < scan->needed || size <= scan->at) return false;
	const uint8_t *at = data + scan->at;
	bool walks = true;
	scan->needed = 0;
	do walks = step(scan, &at, data + size);
	while (walks && scan->state != HEAD);
	if (scan->needed) scan->needed += size;
	scan->at = (size_t)(at - data);
	return walks;
}
