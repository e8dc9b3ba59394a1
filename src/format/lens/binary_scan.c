/* SPDX-License-Identifier: MIT */
/* Where a binary example ends: a walk over its counts, which can stop anywhere and continue when more bytes
 * are there. Errors in them are reported by the code that reads the example. */
#include "format/lens/binary.h"

/* What comes next, in the order of the file. */
enum {
	NAME,
	PROC,
	COUNTS,
	SPECIAL,
	SPECIAL_PROC,
	SPECIAL_REALS,
	LISTS,
	EVENTS,
	RANGES,
	GROUP,
	RANGE,
	SHARED,
	SHARED_EVENTS,
	END
};

void sheaf_lens_binary_start(sheaf_lens_scan *scan, bool line_start)
{
	*scan = (sheaf_lens_scan){.state = NAME, .line_start = line_start};
}

/* Bytes at the scan; NULL if they are not there yet. */
static const uint8_t *take(sheaf_lens_scan *scan, const uint8_t *data, size_t size, size_t n)
{
	if (size < scan->at || size - scan->at < n) {
		scan->needed = scan->at + n;
		return NULL;
	}
	scan->at += n;
	return data + scan->at - n;
}

static bool pass_string(sheaf_lens_scan *scan, const uint8_t *data, size_t size, int next)
{
	const uint8_t *nul =
		scan->at < size ? (const uint8_t *)memchr(data + scan->at, '\0', size - scan->at) : NULL;
	if (!nul) return false;
	scan->at = (size_t)(nul + 1 - data);
	scan->state = next;
	return true;
}

/* A count; negative ones end the walk. */
static bool read_count(sheaf_lens_scan *scan, const uint8_t *at, uint32_t *count)
{
	int32_t n = sheaf_load_i32be(at);
	scan->broken = n < 0;
	*count = (uint32_t)n;
	return !scan->broken;
}

/* After a list of ranges: an input list says whether targets share it. */
static int after_ranges(const sheaf_lens_scan *scan) { return scan->targets ? LISTS : SHARED; }

static bool step_counts(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	const uint8_t *at = take(scan, data, size, 12); /* frequency, events, special events */
	if (!at || !read_count(scan, at + 8, &scan->left)) return false;
	scan->state = SPECIAL;
	return true;
}

static bool step_special(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	if (scan->left == 0) {
		const uint8_t *at = take(scan, data, size, 4);
		if (!at || !read_count(scan, at, &scan->lists)) return false;
		scan->targets = false;
		scan->state = LISTS;
		return true;
	}
	if (!take(scan, data, size, 4)) return false;
	scan->left--;
	scan->state = SPECIAL_PROC;
	return true;
}

static bool step_lists(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	if (scan->lists > 0) {
		scan->lists--;
		scan->state = EVENTS;
		return true;
	}
	if (scan->targets) {
		scan->state = END;
		return true;
	}
	const uint8_t *at = take(scan, data, size, 4);
	if (!at || !read_count(scan, at, &scan->lists)) return false;
	scan->targets = true;
	return true;
}

/* Integers after their count. */
static bool step_events(sheaf_lens_scan *scan, const uint8_t *data, size_t size, int next)
{
	size_t start = scan->at;
	uint32_t count;
	const uint8_t *at = take(scan, data, size, 4);
	if (!at || !read_count(scan, at, &count)) return false;
	if (!take(scan, data, size, (size_t)count * 4)) {
		scan->at = start;
		return false;
	}
	scan->state = next;
	return true;
}

static bool step_ranges(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	const uint8_t *at = take(scan, data, size, 4);
	if (!at || !read_count(scan, at, &scan->ranges)) return false;
	scan->state = GROUP;
	return true;
}

static bool step_group(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	if (scan->ranges > 0) return pass_string(scan, data, size, RANGE);
	scan->state = after_ranges(scan);
	return true;
}

/* Count, kind, first unit or value, and then four bytes for each item of either kind. */
static bool step_range(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	size_t start = scan->at;
	uint32_t count;
	const uint8_t *at = take(scan, data, size, 9);
	if (!at || !read_count(scan, at, &count)) return false;
	if (!take(scan, data, size, (size_t)count * 4)) {
		scan->at = start;
		return false;
	}
	scan->ranges--;
	scan->state = GROUP;
	return true;
}

static bool step_shared(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	const uint8_t *at = take(scan, data, size, 1);
	if (!at) return false;
	scan->state = *at ? SHARED_EVENTS : LISTS;
	return true;
}

static bool step_reals(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	if (!take(scan, data, size, (size_t)4 * SHEAF_LENS_FIELDS)) return false;
	scan->state = SPECIAL;
	return true;
}

/* ---- complete examples ---- */

/* These walk without remembering how far they came: NULL if more bytes are needed, and if a count is
 * negative. */
static inline const uint8_t *walk(const uint8_t *at, const uint8_t *end, size_t n)
{
	return at && (size_t)(end - at) >= n ? at + n : NULL;
}

static inline const uint8_t *walk_string(const uint8_t *at, const uint8_t *end)
{
	if (!at || at == end) return NULL;
	const uint8_t *nul = *at ? (const uint8_t *)memchr(at, '\0', (size_t)(end - at)) : at;
	return nul ? nul + 1 : NULL;
}

static inline const uint8_t *walk_count(const uint8_t *at, const uint8_t *end, int32_t *count)
{
	const uint8_t *after = walk(at, end, 4);
	*count = after ? sheaf_load_i32be(at) : 0;
	return *count < 0 ? NULL : after;
}

static inline const uint8_t *walk_events(const uint8_t *at, const uint8_t *end)
{
	int32_t count;
	at = walk_count(at, end, &count);
	return walk(at, end, (size_t)count * 4);
}

/* The processor can predict neither where the next counts are, nor that all between them will be read. */
static inline void fetch(const uint8_t *at, size_t bytes)
{
	enum { AHEAD = 2048, LINE = 64, MOST = 4096 };
	if (bytes > MOST) bytes = MOST; /* long runs are prefetched by the processor */
	for (size_t line = 0; line < bytes; line += LINE)
		__builtin_prefetch((const void *)((uintptr_t)at + AHEAD + line));
}

static inline const uint8_t *walk_ranges(const uint8_t *at, const uint8_t *end)
{
	int32_t ranges, count;
	at = walk_count(at, end, &ranges);
	for (; at && ranges > 0; ranges--) {
		at = walk_count(walk_string(at, end), end, &count);
		at = walk(at, end, 5 + (size_t)count * 4);
		if (at) fetch(at, (size_t)count * 4);
	}
	return at;
}

static inline const uint8_t *walk_lists(const uint8_t *at, const uint8_t *end, bool inputs)
{
	int32_t lists;
	at = walk_count(at, end, &lists);
	for (; at && lists > 0; lists--) {
		const uint8_t *shared = walk_ranges(walk_events(at, end), end);
		at = inputs ? walk(shared, end, 1) : shared;
		if (inputs && at && *shared) at = walk_events(at, end);
	}
	return at;
}

static const uint8_t *walk_example(const uint8_t *at, const uint8_t *end)
{
	int32_t specials;
	at = walk(walk_string(walk_string(at, end), end), end, 8);
	at = walk_count(at, end, &specials);
	for (; at && specials > 0; specials--)
		at = walk(walk_string(walk(at, end, 4), end), end, (size_t)4 * SHEAF_LENS_FIELDS);
	return walk_lists(walk_lists(at, end, true), end, false);
}

/* ---- any ---- */

static bool step(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	switch (scan->state) {
	case NAME: return pass_string(scan, data, size, PROC);
	case PROC: return pass_string(scan, data, size, COUNTS);
	case COUNTS: return step_counts(scan, data, size);
	case SPECIAL: return step_special(scan, data, size);
	case SPECIAL_PROC: return pass_string(scan, data, size, SPECIAL_REALS);
	case SPECIAL_REALS: return step_reals(scan, data, size);
	case LISTS: return step_lists(scan, data, size);
	case EVENTS: return step_events(scan, data, size, RANGES);
	case RANGES: return step_ranges(scan, data, size);
	case GROUP: return step_group(scan, data, size);
	case RANGE: return step_range(scan, data, size);
	case SHARED: return step_shared(scan, data, size);
	default: return step_events(scan, data, size, LISTS);
	}
}

bool sheaf_lens_binary_end(sheaf_lens_scan *scan, const uint8_t *data, size_t size)
{
	if (scan->broken || size < scan->needed) return false;
	scan->needed = 0;
	const uint8_t *after =
		scan->state == NAME && scan->at < size ? walk_example(data + scan->at, data + size) : NULL;
	if (after) {
		scan->at = (size_t)(after - data);
		return true;
	}
	while (scan->state != END)
		if (!step(scan, data, size)) return false;
	scan->state = NAME;
	return true;
}
