/* SPDX-License-Identifier: MIT */
/* Strands: a few bytes wait in memory, the others in a temporary file or in their place. */
#include "io/strand.h"
#include "base/context.h"
#include "base/third/deflate.h"

enum {
	MOST_HELD = 4 << 20, /* bytes that wait in memory until their place is known */
	MOST_STEP = 2 << 20, /* bytes that are written to their place at a time */
	SHARE = 64           /* fraction of the memory limit, if that is less */
};

static size_t most_held(const sheaf_strand *s)
{
	int64_t share = sheaf_max_memory(s->cx) / SHARE, most = s->take ? MOST_STEP : MOST_HELD;
	return (size_t)(share < most ? share : most);
}

void sheaf_strand_begin(sheaf_strand *s, bool stays, sheaf_context *cx)
{
	*s = (sheaf_strand){.cx = cx, .stays = stays};
	sheaf_builder_begin(&s->held, cx, NULL);
}

void sheaf_strand_drop(sheaf_strand *s)
{
	if (!s->cx) return;
	sheaf_builder_drop(&s->held);
	if (s->is_spooled) sheaf_spool_close(&s->spool);
	s->cx = NULL;
}

/* Passes on the bytes in memory: to their place, or to the temporary file. */
static sheaf_status pass_held(sheaf_strand *s, sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_status(&s->held, err));
	if (s->take) {
		SHEAF_TRY(s->take(s->to, s->held.data, s->held.size, err));
	} else {
		if (!s->is_spooled) SHEAF_TRY(sheaf_spool_open(&s->spool, s->cx, err));
		s->is_spooled = true;
		SHEAF_TRY(sheaf_spool_append(&s->spool, s->held.data, s->held.size, err));
	}
	s->held.size = 0;
	return SHEAF_OK;
}

sheaf_status sheaf_strand_add(sheaf_strand *s, const void *bytes, size_t n, sheaf_error *err)
{
	size_t most = most_held(s);
	if (!s->stays && s->held.size > 0 && s->held.size + n > most) SHEAF_TRY(pass_held(s, err));
	s->size += n;
	if (!s->stays && s->take && n >= most) return s->take(s->to, bytes, n, err);
	sheaf_builder_append(&s->held, bytes, n);
	return sheaf_builder_status(&s->held, err);
}

sheaf_status sheaf_strand_send(sheaf_strand *s, sheaf_strand_taker take, void *to, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_status status = SHEAF_OK;
	s->take = take;
	s->to = to;
	size_t step = (most_held(s) | 15) + 1;
	if (!s->is_spooled) return SHEAF_OK;
	sheaf_builder_begin(&b, s->cx, NULL);
	if (!sheaf_builder_room(&b, step)) status = sheaf_builder_status(&b, err);
	for (int64_t done = 0; status == SHEAF_OK && done < s->spool.size; done += (int64_t)step) {
		size_t n = s->spool.size - done < (int64_t)step ? (size_t)(s->spool.size - done) : step;
		status = sheaf_check_stop(s->cx, err);
		if (status == SHEAF_OK) status = sheaf_spool_read(&s->spool, done, b.data, n, err);
		if (status == SHEAF_OK) status = take(to, b.data, n, err);
	}
	sheaf_builder_drop(&b);
	sheaf_spool_close(&s->spool);
	s->is_spooled = false;
	return status;
}

static sheaf_status put_in_sink(void *strand, const void *bytes, size_t n, sheaf_error *err)
{
	sheaf_strand *s = (sheaf_strand *)strand;
	s->sum = sheaf_crc32(s->sum, bytes, n);
	SHEAF_TRY(sheaf_sink_write_at(s->sink, s->at, bytes, n, err));
	s->at += (int64_t)n;
	return SHEAF_OK;
}

sheaf_status sheaf_strand_place(sheaf_strand *s, sheaf_sink *sink, int64_t at, sheaf_error *err)
{
	s->sink = sink;
	s->at = at;
	return sheaf_strand_send(s, put_in_sink, s, err);
}

sheaf_status sheaf_strand_end(sheaf_strand *s, sheaf_error *err)
{
	return s->held.size || s->held.failed ? pass_held(s, err) : SHEAF_OK;
}
