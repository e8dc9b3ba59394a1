/* SPDX-License-Identifier: MIT */
/* gzip members by zlib. */
#include "base/memory.h"
#include "io/filter.h"
#include <limits.h>
#include <zlib.h>

enum { GZIP_WINDOW_BITS = 15 + 16 /* zlib's way to ask for the gzip wrapping */, LEVEL = 6, MEMORY_LEVEL = 8 };

typedef struct gzip_state {
	z_stream z;
	sheaf_filter_memory *memory;
} gzip_state;

static voidpf allocate(voidpf memory, uInt count, uInt size) { return sheaf_filter_allocate((sheaf_filter_memory *)memory, count, size); }
static void release(voidpf memory, voidpf allocated) { sheaf_filter_free((sheaf_filter_memory *)memory, allocated); }

static sheaf_status new_state(sheaf_filter_memory *memory, gzip_state **out)
{
	void *state;
	SHEAF_TRY(sheaf_allocate(memory->cx, sizeof **out, &state, NULL));
	*out = (gzip_state *)state;
	(*out)->memory = memory;
	(*out)->z.zalloc = allocate;
	(*out)->z.zfree = release;
	(*out)->z.opaque = memory;
	return SHEAF_OK;
}

static void free_state(gzip_state *s) { sheaf_release(s->memory->cx, s, sizeof *s); }

/* zlib counts in 32 bits: a step shows it as much as fits, and the callers go on. */
static uInt clamp(size_t n) { return n < UINT_MAX ? (uInt)n : UINT_MAX; }

static void show(z_stream *z, const sheaf_filter_step *step)
{
	z->next_in = (z_const Bytef *)(uintptr_t)step->in; /* not written, though old headers lack the const */
	z->avail_in = clamp(step->in_left);
	z->next_out = step->out;
	z->avail_out = clamp(step->out_left);
}

static void move_on(const z_stream *z, sheaf_filter_step *step)
{
	step->in_left -= (size_t)(z->next_in - step->in);
	step->out_left -= (size_t)(z->next_out - step->out);
	step->in = z->next_in;
	step->out = z->next_out;
}

static sheaf_status decoder_open(sheaf_filter_memory *memory, void **out)
{
	gzip_state *s = NULL;
	SHEAF_TRY(new_state(memory, &s));
	if (inflateInit2(&s->z, GZIP_WINDOW_BITS) != Z_OK) {
		free_state(s);
		return sheaf_filter_refused(memory);
	}
	*out = s;
	return SHEAF_OK;
}

static sheaf_status decoder_restart(void *state) { return inflateReset(&((gzip_state *)state)->z) == Z_OK ? SHEAF_OK : SHEAF_NOMEM; }

static sheaf_status decode(void *state, sheaf_filter_step *step)
{
	gzip_state *s = (gzip_state *)state;
	show(&s->z, step);
	int result = inflate(&s->z, Z_NO_FLUSH);
	move_on(&s->z, step);
	step->ended = result == Z_STREAM_END;
	if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return SHEAF_OK;
	if (result == Z_MEM_ERROR) return sheaf_filter_refused(s->memory);
	step->found = s->z.msg ? s->z.msg : "bytes that are none";
	return SHEAF_DATA;
}

static void decoder_close(void *state)
{
	gzip_state *s = (gzip_state *)state;
	if (!s) return;
	inflateEnd(&s->z);
	free_state(s);
}

static sheaf_status encoder_open(sheaf_filter_memory *memory, void **out)
{
	gzip_state *s = NULL;
	SHEAF_TRY(new_state(memory, &s));
	/* zlib's header has no name and no time: the same content gives the same file. */
	if (deflateInit2(&s->z, LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
		free_state(s);
		return sheaf_filter_refused(memory);
	}
	*out = s;
	return SHEAF_OK;
}

static sheaf_status encode(void *state, sheaf_filter_step *step, bool finish)
{
	gzip_state *s = (gzip_state *)state;
	show(&s->z, step);
	/* Finishing waits until zlib has been shown the last byte. */
	int result = deflate(&s->z, finish && step->in_left <= UINT_MAX ? Z_FINISH : Z_NO_FLUSH);
	move_on(&s->z, step);
	step->ended = result == Z_STREAM_END;
	if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return SHEAF_OK;
	step->found = "an error of zlib";
	return SHEAF_USAGE;
}

static void encoder_close(void *state)
{
	gzip_state *s = (gzip_state *)state;
	if (!s) return;
	deflateEnd(&s->z);
	free_state(s);
}

const sheaf_filter sheaf_filter_gzip = {
	.name = "gzip",
	.a_member = "a gzip member",
	.suffix = ".gz",
	.magics = {{3, {0x1f, 0x8b, 8 /* deflate, the only method there is */}, {0xff, 0xff, 0xff}}},
	.zero_padded = true,
	.decoder_open = decoder_open,
	.decoder_restart = decoder_restart,
	.decode = decode,
	.decoder_close = decoder_close,
	.encoder_open = encoder_open,
	.encode = encode,
	.encoder_close = encoder_close,
};
