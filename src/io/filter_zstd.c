/* SPDX-License-Identifier: MIT */
/* Zstandard frames by libzstd. The counted allocator needs the part of its interface that is declared only on demand;
 * shared libraries export it all the same. */
#define ZSTD_STATIC_LINKING_ONLY
#include "base/memory.h"
#include "io/filter.h"
#include <zstd.h>
#include <zstd_errors.h>

/* What `zstd` itself takes; and windows of any size, since the context's limit bounds the memory. */
enum { LEVEL = 3, WINDOW_LOG_MAX = sizeof(size_t) == 4 ? 30 : 31 };

typedef struct zstd_state {
	ZSTD_DStream *decoder;
	ZSTD_CStream *encoder;
	sheaf_filter_memory *memory;
} zstd_state;

static void *allocate(void *memory, size_t size) { return sheaf_filter_allocate((sheaf_filter_memory *)memory, 1, size); }
static void release(void *memory, void *allocated) { sheaf_filter_free((sheaf_filter_memory *)memory, allocated); }

static sheaf_status new_state(sheaf_filter_memory *memory, zstd_state **out)
{
	void *state;
	SHEAF_TRY(sheaf_allocate(memory->cx, sizeof **out, &state, NULL));
	*out = (zstd_state *)state;
	(*out)->memory = memory;
	return SHEAF_OK;
}

static void close_state(void *state)
{
	zstd_state *s = (zstd_state *)state;
	if (!s) return;
	ZSTD_freeDStream(s->decoder);
	ZSTD_freeCStream(s->encoder);
	sheaf_release(s->memory->cx, s, sizeof *s);
}

static sheaf_status decoder_open(sheaf_filter_memory *memory, void **out)
{
	zstd_state *s = NULL;
	SHEAF_TRY(new_state(memory, &s));
	s->decoder = ZSTD_createDStream_advanced((ZSTD_customMem){allocate, release, memory});
	if (!s->decoder || ZSTD_isError(ZSTD_DCtx_setParameter(s->decoder, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
		close_state(s);
		return sheaf_filter_refused(memory);
	}
	*out = s;
	return SHEAF_OK;
}

static sheaf_status decoder_restart(void *state)
{
	zstd_state *s = (zstd_state *)state;
	return ZSTD_isError(ZSTD_DCtx_reset(s->decoder, ZSTD_reset_session_only)) ? SHEAF_NOMEM : SHEAF_OK;
}

static sheaf_status explain(const zstd_state *s, size_t result, sheaf_filter_step *step)
{
	ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
	if (code == ZSTD_error_memory_allocation) return sheaf_filter_refused(s->memory);
	step->found = ZSTD_getErrorName(result);
	bool beyond_us = code == ZSTD_error_dictionary_wrong || code == ZSTD_error_version_unsupported || code == ZSTD_error_frameParameter_windowTooLarge;
	return beyond_us ? SHEAF_UNSUPPORTED : SHEAF_DATA;
}

static sheaf_status decode(void *state, sheaf_filter_step *step)
{
	zstd_state *s = (zstd_state *)state;
	ZSTD_inBuffer in = {step->in, step->in_left, 0};
	ZSTD_outBuffer out = {step->out, step->out_left, 0};
	size_t result = ZSTD_decompressStream(s->decoder, &out, &in);
	step->in += in.pos;
	step->in_left -= in.pos;
	step->out += out.pos;
	step->out_left -= out.pos;
	if (ZSTD_isError(result)) return explain(s, result, step);
	step->ended = result == 0;
	return SHEAF_OK;
}

static sheaf_status encoder_open(sheaf_filter_memory *memory, void **out)
{
	zstd_state *s = NULL;
	SHEAF_TRY(new_state(memory, &s));
	s->encoder = ZSTD_createCStream_advanced((ZSTD_customMem){allocate, release, memory});
	if (!s->encoder || ZSTD_isError(ZSTD_CCtx_setParameter(s->encoder, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(s->encoder, ZSTD_c_checksumFlag, 1))) {
		close_state(s);
		return sheaf_filter_refused(memory);
	}
	*out = s;
	return SHEAF_OK;
}

static sheaf_status encode(void *state, sheaf_filter_step *step, bool finish)
{
	zstd_state *s = (zstd_state *)state;
	ZSTD_inBuffer in = {step->in, step->in_left, 0};
	ZSTD_outBuffer out = {step->out, step->out_left, 0};
	size_t result = ZSTD_compressStream2(s->encoder, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
	step->in += in.pos;
	step->in_left -= in.pos;
	step->out += out.pos;
	step->out_left -= out.pos;
	if (ZSTD_isError(result)) return explain(s, result, step);
	step->ended = finish && result == 0;
	return SHEAF_OK;
}

/* A frame with data, or one of the sixteen kinds to be skipped (parallel compressors put one in front). */
const sheaf_filter sheaf_filter_zstd = {
	.name = "zstd",
	.a_member = "a zstd member",
	.suffix = ".zst",
	.magics = {{4, {0x28, 0xb5, 0x2f, 0xfd}, {0xff, 0xff, 0xff, 0xff}}, {4, {0x50, 0x2a, 0x4d, 0x18}, {0xf0, 0xff, 0xff, 0xff}}},
	.decoder_open = decoder_open,
	.decoder_restart = decoder_restart,
	.decode = decode,
	.decoder_close = close_state,
	.encoder_open = encoder_open,
	.encode = encode,
	.encoder_close = close_state,
};
