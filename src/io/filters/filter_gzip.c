/* SPDX-License-Identifier: MIT */
/* gzip members by zlib. */
#include "io/filters/filter.h"
#include <limits.h>
#include <zlib.h>

enum { GZIP_WINDOW_BITS = 15 + 16 /* tells zlib to use the gzip wrapper */, LEVEL = 6, MEMORY_LEVEL = 8 };

typedef struct gzip_state {
	sheaf_filter_memory *memory;
	z_stream z;
} gzip_state;

static voidpf allocate(voidpf memory, uInt count, uInt size)
{
	return sheaf_filter_allocate((sheaf_filter_memory *)memory, count, size);
}
static void release(voidpf memory, voidpf allocated)
{
	sheaf_filter_free((sheaf_filter_memory *)memory, allocated);
}

static z_stream *stream_of(void *state)
{
	gzip_state *s = (gzip_state *)state;
	s->z.zalloc = allocate;
	s->z.zfree = release;
	s->z.opaque = s->memory;
	return &s->z;
}

/* zlib counts in 32 bits: a step gives it as much as fits, and the callers continue. */
static uInt clamp(size_t n) { return n < UINT_MAX ? (uInt)n : UINT_MAX; }

/* One call of inflate or deflate. */
static int run(z_stream *z, sheaf_filter_step *step, int (*library)(z_streamp z, int flush), int flush)
{
	z->next_in = (z_const Bytef *)(uintptr_t)step->in; /* not written, though old headers lack the const */
	z->avail_in = clamp(step->in_left);
	z->next_out = step->out;
	z->avail_out = clamp(step->out_left);
	int result = library(z, flush);
	step->in_left -= (size_t)(z->next_in - step->in);
	step->out_left -= (size_t)(z->next_out - step->out);
	step->in = z->next_in;
	step->out = z->next_out;
	step->ended = result == Z_STREAM_END;
	return result;
}

static sheaf_status start_decoding(void *state)
{
	return inflateInit2(stream_of(state), GZIP_WINDOW_BITS) == Z_OK
	           ? SHEAF_OK
	           : sheaf_filter_refused(((gzip_state *)state)->memory);
}

static sheaf_status restart_decoding(void *state)
{
	return inflateReset(&((gzip_state *)state)->z) == Z_OK ? SHEAF_OK : SHEAF_NOMEM;
}

static sheaf_status decode(void *state, sheaf_filter_step *step, bool finish)
{
	(void)finish;
	gzip_state *s = (gzip_state *)state;
	int result = run(&s->z, step, inflate, Z_NO_FLUSH);
	if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return SHEAF_OK;
	if (result == Z_MEM_ERROR) return sheaf_filter_refused(s->memory);
	step->found = s->z.msg ? s->z.msg : "bytes that are not compressed by gzip";
	return SHEAF_DATA;
}

static void stop_decoding(void *state) { inflateEnd(&((gzip_state *)state)->z); }

/* zlib's header has no name and no time: the same content gives the same file. */
static sheaf_status start_encoding(void *state)
{
	int result =
		deflateInit2(stream_of(state), LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
	return result == Z_OK ? SHEAF_OK : sheaf_filter_refused(((gzip_state *)state)->memory);
}

static sheaf_status encode(void *state, sheaf_filter_step *step, bool finish)
{
	gzip_state *s = (gzip_state *)state;
	/* Finishing waits until zlib has received the last byte. */
	int result = run(&s->z, step, deflate, finish && step->in_left <= UINT_MAX ? Z_FINISH : Z_NO_FLUSH);
	if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return SHEAF_OK;
	step->found = "an error of zlib";
	return SHEAF_USAGE;
}

static void stop_encoding(void *state) { deflateEnd(&((gzip_state *)state)->z); }

const sheaf_filter sheaf_filter_gzip = {
	.name = "gzip",
	.a_member = "a gzip member",
	.suffix = ".gz",
	.magics = {{3, {0x1f, 0x8b, 8 /* deflate, the only method there is */}, {0xff, 0xff, 0xff}}},
	.zero_padded = true,
	.decoder = {sizeof(gzip_state), start_decoding, restart_decoding, decode, stop_decoding},
	.encoder = {sizeof(gzip_state), start_encoding, NULL, encode, stop_encoding},
};
