/* SPDX-License-Identifier: MIT */
/* Sorting entries of a tensor across ranks, each of which has sorted its own: samples from all ranks give the
 * keys that divide the entries evenly, and each rank receives its slice from every other, which it merges and
 * encodes. */
#include "team.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sorting {
	session session;
	const char *output;
	hold *h, got, made; /* a sorted part; what came from others; the part of the slice */
	sheaf_slice *slice; /* while it is open */
	bool slices;        /* otherwise rank 0 merges the parts as they are */
	sheaf_slice_entries has;
	uint64_t *keys; /* that divide all entries */
	int64_t *cuts, *counts;
	int64_t rows; /* of the slice */
} sorting;

/* ---- sources ---- */

static int64_t read_hold(void *user, int64_t offset, void *data, size_t n)
{
	int failed = hold_read(user, offset, data, n);
	return failed ? -failed : (int64_t)n;
}

static sheaf_status open_hold(const hold *h, sheaf_context *cx, sheaf_source **out, sheaf_error *err)
{
	return sheaf_source_ranges(read_hold, (void *)(uintptr_t)h, h->size, h->name, cx, out, err);
}

static sheaf_status open_slice(sorting *z, sheaf_error *err)
{
	sheaf_source *source;
	sheaf_status status = open_hold(z->h, z->session.cx, &source, err);
	if (status == SHEAF_OK) status = sheaf_slice_open(source, z->output, z->session.cx, &z->slice, err);
	z->slices = z->slice;
	sheaf_slice_describe(z->slice, &z->has);
	return status;
}

/* ---- which keys ---- */

static int words; /* of a key */

static int by_key(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;
	for (int w = 0; w < words; w++)
		if (one[w] != other[w]) return one[w] < other[w] ? -1 : 1;
	return 0;
}

/* Enough from all ranks together to make slices nearly equal, taken evenly from all entries. */
static sheaf_status take_samples(sorting *z, uint64_t **samples, int64_t *n, sheaf_error *err)
{
	enum { OF_EACH = 256 };
	int64_t step = team_sum(z->has.entries) / ((int64_t)OF_EACH * team_size) + 1;
	sheaf_status status = SHEAF_OK;
	*n = 0;
	*samples = calloc((size_t)(z->has.entries / step + 1), (size_t)z->has.key_words * sizeof **samples);
	if (!*samples)
		return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for samples of keys, found none");
	for (int64_t i = step / 2; i < z->has.entries && status == SHEAF_OK; i += step) {
		uint64_t key[SHEAF_MAX_RANK];
		status = sheaf_slice_key(z->slice, i, key, err);
		memcpy(*samples + *n, key, (size_t)z->has.key_words * sizeof *key);
		*n += z->has.key_words;
	}
	return status;
}

static sheaf_status choose_keys(sorting *z, sheaf_error *err)
{
	uint64_t *samples;
	int64_t n, total;
	sheaf_status status = take_samples(z, &samples, &n, err);
	z->keys = team_gather_all(samples, status ? 0 : n, &total);
	free(samples);
	words = z->has.key_words;
	total /= words;
	qsort(z->keys, (size_t)total, (size_t)words * sizeof *z->keys, by_key);
	for (int r = 1; r < team_size && total > 0; r++)
		memmove(z->keys + (int64_t)(r - 1) * words, z->keys + total * r / team_size * words,
		        (size_t)words * sizeof *z->keys);
	if (total == 0) z->has.key_words = 0;
	return status;
}

/* Without samples there are no entries. */
static sheaf_status cut(sorting *z, sheaf_error *err)
{
	z->cuts = calloc((size_t)team_size + 1, sizeof *z->cuts);
	z->counts = calloc((size_t)team_size, sizeof *z->counts);
	if (!z->cuts || !z->counts)
		return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for the ranks, found none");
	for (int r = 1; r < team_size && z->has.key_words; r++)
		if (sheaf_slice_find(z->slice, z->keys + (int64_t)(r - 1) * words, &z->cuts[r], err))
			return err->status;
	z->cuts[team_size] = z->has.entries;
	return SHEAF_OK;
}

/* ---- slices ---- */

static sheaf_status send_entries(sorting *z, sheaf_error *err)
{
	const exchange what = {z->has.begin, z->has.bytes, z->cuts, z->counts};
	int failed = team_exchange(z->h, &what, &z->got);
	if (failed)
		return sheaf_fail_sys(err, failed, "%s: expected room for the entries of rank %d", z->output,
		                      team_rank);
	hold_end(z->h);
	return SHEAF_OK;
}

static sheaf_status take_entries(sorting *z, sheaf_error *err)
{
	sheaf_source *source;
	sheaf_status status = open_hold(&z->got, z->session.cx, &source, err);
	return status ? status : sheaf_slice_take(z->slice, source, z->counts, team_size, &z->rows, err);
}

static sheaf_status make_slice(sorting *z, sheaf_error *err)
{
	sheaf_sink *sink;
	int64_t before = team_before(z->rows), all = team_sum(z->rows);
	sheaf_status status = hold_open(&z->made, z->session.cx, &sink, err);
	return status ? status : sheaf_slice_make(z->slice, before, all, sink, err);
}

/* ---- all of it ---- */

static int run_step(sorting *z, sheaf_status (*step)(sorting *z, sheaf_error *err))
{
	sheaf_error err;
	return agree(step(z, &err) ? say_failure(&err) : EXIT_FINE);
}

static int run_steps(sorting *z)
{
	static sheaf_status (*const steps[])(sorting * z, sheaf_error * err) = {choose_keys, cut, send_entries,
	                                                                        take_entries, make_slice};
	int code = run_step(z, open_slice);
	for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_FINE && z->slices; i++)
		code = run_step(z, steps[i]);
	return code;
}

/* Findings are reported when the parts are merged. */
static int sort_all(sorting *z, const arguments *args)
{
	sheaf_error err;
	const session_options options = {.label = z->output, .inputs = 1};
	sheaf_status status = session_begin(&z->session, args, &options, &err);
	int code = agree(status ? say_failure(&err) : EXIT_FINE);
	if (code == EXIT_FINE) code = run_steps(z);
	sheaf_slice_close(z->slice);
	z->slice = NULL;
	if (status == SHEAF_OK) session_end(&z->session);
	return code;
}

int sort_entries(const arguments *args, const char *output, hold *h)
{
	sorting z = {.output = output, .h = h};
	char part[32];
	hold_begin(&z.got, h->most / 2, h->name, h->folder);
	hold_begin(&z.made, h->most / 2, h->name, h->folder);
	snprintf(part, sizeof part, "%d/%d", team_rank + 1, team_size);
	parts_make(part, (part_maker){.open = hold_open, .user = &z.made}, true);
	int code = sort_all(&z, args);
	parts_make_none();
	hold_end(&z.got);
	free(z.keys);
	free(z.cuts);
	free(z.counts);
	if (code || !z.slices) {
		hold_end(&z.made);
		return code;
	}
	hold_end(h);
	*h = z.made;
	return EXIT_FINE;
}
