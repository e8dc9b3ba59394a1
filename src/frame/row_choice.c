/* SPDX-License-Identifier: MIT */
/* The rows of a selection: from its texts (--rows, --skip, --sample) to numbers that each reader applies by
 * itself. Whether a row is in a sample depends on its number and the seed alone, not on the order in which
 * rows are read nor on the number of threads, so that every worker makes the same choice. */
#include "frame/row_choice.h"
#include "base/memory.h"
#include "number/number.h"
#include <fnmatch.h>
#include <string.h>

/* ---- hashes ---- */

/* The finalizer of SplitMix64, which is a permutation. */
static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static const uint64_t GOLDEN = 0x9e3779b97f4a7c15u;

uint64_t sheaf_row_hash(uint64_t seed, int64_t row)
{
	return mix(mix(seed + GOLDEN) + (uint64_t)row * GOLDEN);
}

/* ---- texts ---- */

/* Reads the whole number at *at, and moves past it; false, with *at where it was, if there is none or it is
 * beyond 64 bits. */
static bool take_number(const char **at, int64_t *out)
{
	uint64_t number;
	sheaf_scanned scanned = sheaf_scan_u64(*at, *at + strlen(*at), &number);
	if (scanned.flaw || number > INT64_MAX) return false;
	*at = scanned.end;
	*out = (int64_t)number;
	return true;
}

/* Reads "N", for rows [0, N), or "A:B", "A:", ":B"; a side that is left out is 0, or INT64_MAX for no end. */
static bool read_rows(const char *at, int64_t *from, int64_t *to)
{
	*from = 0;
	*to = INT64_MAX;
	bool first = take_number(&at, from);
	if (*at == '\0' && first) {
		*to = *from;
		*from = 0;
		return true;
	}
	if (*at++ != ':') return false;
	return (*at == '\0' || take_number(&at, to)) && *at == '\0' && *from <= *to;
}

/* Reads a number of rows, or "N%": the rows whose hashes are at most that share of 2^64. All hashes are below
 * 2^64, so 100% is everything. */
static bool read_sample(const char *at, sheaf_row_choice *out)
{
	static const double range = 18446744073709551616.0;
	double percent;
	out->sampled = true;
	if (!strchr(at, '%')) return take_number(&at, &out->count) && *at == '\0';
	sheaf_scanned scanned = sheaf_scan_f64(at, at + strlen(at), &percent);
	if (scanned.flaw || strcmp(scanned.end, "%") != 0 || !(percent > 0 && percent <= 100)) return false;
	double limit = sheaf_rounded(sheaf_rounded(percent / 100) * range);
	out->limit = limit >= range ? UINT64_MAX : limit >= 1 ? (uint64_t)limit - 1 : 0;
	return true;
}

/* --skip moves the rows that --rows names: both are counted from the first row that is not skipped. */
sheaf_status sheaf_choice_read(const sheaf_selection *s, sheaf_row_choice *out, sheaf_error *err)
{
	*out = (sheaf_row_choice){.to = INT64_MAX, .seed = s->seed, .count = -1};
	if (s->skip < 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "skip", ": expected a number of at least 0, found %lld",
		                         (long long)s->skip);
	if (s->rows && !read_rows(s->rows, &out->from, &out->to))
		return sheaf_fail_option(
			err, SHEAF_USAGE, "rows",
			": expected a number N, for the first N rows, or A:B, for those from A (counted from 0) up to B "
			"without it, found \"%s\"",
			s->rows);
	if (s->sample && !read_sample(s->sample, out))
		return sheaf_fail_option(
			err, SHEAF_USAGE, "sample",
			": expected a number of rows, or a share above 0%% and up to 100%% such as 10%%, found \"%s\"",
			s->sample);
	if (__builtin_add_overflow(out->from, s->skip, &out->from)) out->from = INT64_MAX;
	if (__builtin_add_overflow(out->to, s->skip, &out->to)) out->to = INT64_MAX;
	return SHEAF_OK;
}

bool sheaf_choice_is_all(const sheaf_row_choice *c)
{
	return c->from == 0 && c->to == INT64_MAX && !c->sampled;
}

/* ---- the rows with the smallest hashes ---- */

/* Lets element `at` of a heap, whose largest comes first, sink to its place. */
static void sink(uint64_t *heap, int64_t n, int64_t at)
{
	for (int64_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && heap[child + 1] > heap[child]) child++;
		if (heap[at] >= heap[child]) return;
		uint64_t kept = heap[at];
		heap[at] = heap[child];
		heap[child] = kept;
	}
}

/* How many of `rows` rows are within the chosen range, whether they are sampled or not. */
static int64_t rows_between(const sheaf_row_choice *c, int64_t rows)
{
	int64_t to = rows < c->to ? rows : c->to;
	return to > c->from ? to - c->from : 0;
}

/* The limit is the largest of the `count` smallest hashes: they are kept in a heap while each row is seen,
 * and a smaller hash takes the place of the largest. A count of 0 makes the range empty; one of all rows
 * or more sets no limit. */
sheaf_status sheaf_choice_limit(sheaf_row_choice *c, int64_t rows, sheaf_context *cx, sheaf_error *err)
{
	uint64_t *heap;
	int64_t n = c->count, between = rows_between(c, rows);
	if (n < 0) return SHEAF_OK;
	c->limit = UINT64_MAX;
	if (n == 0) c->to = c->from;
	if (n == 0 || n >= between) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)n, sizeof *heap, &heap, err));
	for (int64_t i = 0; i < n; i++) heap[i] = sheaf_row_hash(c->seed, c->from + i);
	for (int64_t i = n / 2; i-- > 0;) sink(heap, n, i);
	for (int64_t i = n; i < between; i++) {
		uint64_t hash = sheaf_row_hash(c->seed, c->from + i);
		if (hash >= heap[0]) continue;
		heap[0] = hash;
		sink(heap, n, 0);
	}
	c->limit = heap[0];
	sheaf_release(cx, heap, (size_t)n * sizeof *heap);
	return SHEAF_OK;
}

int64_t sheaf_choice_count(const sheaf_row_choice *c, int64_t rows)
{
	if (rows < 0 || (c->sampled && c->count < 0)) return -1;
	int64_t between = rows_between(c, rows);
	return c->count >= 0 && c->count < between ? c->count : between;
}

/* ---- names ---- */

bool sheaf_name_matches(const char *wanted, const char *name)
{
	return strcmp(wanted, name) == 0 || fnmatch(wanted, name, 0) == 0;
}

sheaf_status sheaf_refuse_where(const char *where, const char *file, sheaf_error *err)
{
	return sheaf_fail_option(err, SHEAF_USAGE, "where",
	                         ": expected the name of a row of %s, or a pattern for names, found \"%s\", "
	                         "which none of them has",
	                         file, where);
}
