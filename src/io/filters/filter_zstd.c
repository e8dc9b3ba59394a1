/* SPDX-License-Identifier: MIT */
/* Zstandard frames by libzstd. The counted allocator needs the part of its interface that is declared only on
 * request; shared libraries export it anyway. */
#define ZSTD_STATIC_LINKING_ONLY
#include "io/filters/filter.h"
#include <zstd.h>
#include <zstd_errors.h>

/* The default level of `zstd`; and windows of any size, since the context's limit bounds the memory. */
enum { LEVEL = 3, WINDOW_LOG_MAX = sizeof(size_t) == 4 ? 30 : 31 };

typedef struct zstd_state {
	sheaf_filter_memory *memory;
	ZSTD_DStream *decoder;
	ZSTD_CStream *encoder;
} zstd_state;

static void *allocate(void *memory, size_t size)
{
	return sheaf_filter_allocate((sheaf_filter_memory *)memory, 1, size);
}
static void release(void *memory, void *allocated)
{
	sheaf_filter_free((sheaf_filter_memory *)memory, allocated);
}

static void stop(void *state)
{
	zstd_state *s = (zstd_state *)state;
	ZSTD_freeDStream(s->decoder);
	ZSTD_freeCStream(s->encoder);
}

static sheaf_status start_decoding(void *state)
{
	zstd_state *s = (zstd_state *)state;
	s->decoder = ZSTD_createDStream_advanced((ZSTD_customMem){allocate, release, s->memory});
	bool ready =
		s->decoder && !ZSTD_isError(ZSTD_DCtx_setParameter(s->decoder, ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
	return ready ? SHEAF_OK : sheaf_filter_refused(s->memory);
}

static sheaf_status restart_decoding(void *state)
{
	zstd_state *s = (zstd_state *)state;
	return ZSTD_isError(ZSTD_DCtx_reset(s->decoder, ZSTD_reset_session_only)) ? SHEAF_NOMEM : SHEAF_OK;
}

static sheaf_status explain(const zstd_state *s, size_t result, sheaf_filter_step *step)
{
	ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
	if (code == ZSTD_error_memory_allocation) return sheaf_filter_refused(s->memory);
	step->found = ZSTD_getErrorName(result);
	bool beyond_us = code == ZSTD_error_dictionary_wrong || code == ZSTD_error_version_unsupported ||
	                 code == ZSTD_error_frameParameter_windowTooLarge;
	return beyond_us ? SHEAF_UNSUPPORTED : SHEAF_DATA;
}

/* Translates between the step and libzstd's structures. */
static void show(const sheaf_filter_step *step, ZSTD_inBuffer *in, ZSTD_outBuffer *out)
{
	*in = (ZSTD_inBuffer){step->in, step->in_left, 0};
	*out = (ZSTD_outBuffer){step->out, step->out_left, 0};
}

static void move_on(sheaf_filter_step *step, const ZSTD_inBuffer *in, const ZSTD_outBuffer *out)
{
	step->in += in->pos;
	step->in_left -= in->pos;
	step->out += out->pos;
	step->out_left -= out->pos;
}

static sheaf_status decode(void *state, sheaf_filter_step *step, bool finish)
{
	zstd_state *s = (zstd_state *)state;
	ZSTD_inBuffer in;
	ZSTD_outBuffer out;
	(void)finish;
	show(step, &in, &out);
	size_t result = ZSTD_decompressStream(s->decoder, &out, &in);
	move_on(step, &in, &out);
	if (ZSTD_isError(result)) return explain(s, result, step);
	step->ended = result == 0;
	return SHEAF_OK;
}

static sheaf_status start_encoding(void *state)
{
	zstd_state *s = (zstd_state *)state;
	s->encoder = ZSTD_createCStream_advanced((ZSTD_customMem){allocate, release, s->memory});
	bool ready = s->encoder &&
	             !ZSTD_isError(ZSTD_CCtx_setParameter(s->encoder, ZSTD_c_compressionLevel, LEVEL)) &&
	             !ZSTD_isError(ZSTD_CCtx_setParameter(s->encoder, ZSTD_c_checksumFlag, 1));
	return ready ? SHEAF_OK : sheaf_filter_refused(s->memory);
}

static sheaf_status encode(void *state, sheaf_filter_step *step, bool finish)
{
	zstd_state *s = (zstd_state *)state;
	ZSTD_inBuffer in;
	ZSTD_outBuffer out;
	show(step, &in, &out);
	size_t result = ZSTD_compressStream2(s->encoder, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
	move_on(step, &in, &out);
	if (ZSTD_isError(result)) return explain(s, result, step);
	step->ended = finish && result == 0;
	return SHEAF_OK;
}

/* A frame with data, or one of the sixteen kinds to be skipped (parallel compressors put one first). */
const sheaf_filter sheaf_filter_zstd = {
	.name = "zstd",
	.a_member = "a zstd member",
	.suffix = ".zst",
	.magics = {{4, {0x28, 0xb5, 0x2f, 0xfd}, {0xff, 0xff, 0xff, 0xff}},
               {4, {0x50, 0x2a, 0x4d, 0x18}, {0xf0, 0xff, 0xff, 0xff}}},
	.decoder = {sizeof(zstd_state), start_decoding, restart_decoding, decode, stop},
	.encoder = {sizeof(zstd_state), start_encoding, NULL, encode, stop},
};
