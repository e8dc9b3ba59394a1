/* SPDX-License-Identifier: MIT */
/* LZ4 frames by liblz4, in builds that have it. Its contexts allocate their own memory, at most two blocks of
 * 4 MiB and what is between them. */
#include "base/third/filled.h"
#include "io/filters/filter.h"
#include <limits.h>
#include <lz4.h>
#include <lz4frame.h>
#include <string.h>

enum { INPUT_STEP = 1 << 16 };

typedef struct lz4_state {
	sheaf_filter_memory *memory;
	LZ4F_dctx *decoder;
	LZ4F_cctx *encoder;
	uint8_t *waiting; /* compressed bytes that did not fit yet */
	size_t at, end;
	bool begun, ended;
} lz4_state;

static const LZ4F_preferences_t preferences = {
	.frameInfo = {.blockSizeID = LZ4F_max256KB,
                  .blockMode = LZ4F_blockIndependent,
                  .contentChecksumFlag = LZ4F_contentChecksumEnabled},
	.autoFlush = 1};

static void stop(void *state)
{
	lz4_state *s = (lz4_state *)state;
	LZ4F_freeDecompressionContext(s->decoder);
	LZ4F_freeCompressionContext(s->encoder);
	if (s->waiting) sheaf_filter_free(s->memory, s->waiting);
}

static sheaf_status start_decoding(void *state)
{
	lz4_state *s = (lz4_state *)state;
	return LZ4F_isError(LZ4F_createDecompressionContext(&s->decoder, LZ4F_VERSION)) ? SHEAF_NOMEM : SHEAF_OK;
}

static sheaf_status restart_decoding(void *state)
{
	LZ4F_resetDecompressionContext(((lz4_state *)state)->decoder);
	return SHEAF_OK;
}

static sheaf_status decode(void *state, sheaf_filter_step *step, bool finish)
{
	lz4_state *s = (lz4_state *)state;
	size_t in = step->in_left, out = step->out_left;
	(void)finish;
	size_t result = LZ4F_decompress(s->decoder, step->out, &out, step->in, &in, NULL);
	if (LZ4F_isError(result)) {
		step->found = LZ4F_getErrorName(result);
		return SHEAF_DATA;
	}
	step->in += in;
	step->in_left -= in;
	step->out += out;
	step->out_left -= out;
	step->ended = result == 0;
	return SHEAF_OK;
}

static size_t waiting_room(void)
{
	return LZ4F_compressBound(INPUT_STEP, &preferences) + LZ4F_HEADER_SIZE_MAX;
}

static sheaf_status start_encoding(void *state)
{
	lz4_state *s = (lz4_state *)state;
	s->waiting = (uint8_t *)sheaf_filter_allocate(s->memory, 1, waiting_room());
	if (!s->waiting) return sheaf_filter_refused(s->memory);
	return LZ4F_isError(LZ4F_createCompressionContext(&s->encoder, LZ4F_VERSION)) ? SHEAF_NOMEM : SHEAF_OK;
}

/* Compresses more into the pending buffer, which is empty. */
static size_t compress_some(lz4_state *s, sheaf_filter_step *step, bool finish)
{
	size_t n = step->in_left < INPUT_STEP ? step->in_left : INPUT_STEP, result;
	if (!s->begun) {
		s->begun = true;
		return LZ4F_compressBegin(s->encoder, s->waiting, waiting_room(), &preferences);
	}
	if (n > 0) {
		result = LZ4F_compressUpdate(s->encoder, s->waiting, waiting_room(), step->in, n, NULL);
		step->in += n;
		step->in_left -= n;
		return result;
	}
	if (!finish) return 0;
	s->ended = true;
	return LZ4F_compressEnd(s->encoder, s->waiting, waiting_room(), NULL);
}

static sheaf_status encode(void *state, sheaf_filter_step *step, bool finish)
{
	lz4_state *s = (lz4_state *)state;
	while (step->out_left > 0) {
		size_t n = s->end - s->at < step->out_left ? s->end - s->at : step->out_left;
		memcpy(step->out, s->waiting + s->at, n);
		s->at += n;
		step->out += n;
		step->out_left -= n;
		if (s->at < s->end || s->ended || (s->begun && step->in_left == 0 && !finish)) break;
		size_t result = compress_some(s, step, finish);
		if (LZ4F_isError(result)) {
			step->found = LZ4F_getErrorName(result);
			return SHEAF_DATA;
		}
		s->at = 0;
		s->end = result;
	}
	step->ended = s->ended && s->at == s->end;
	return SHEAF_OK;
}

bool sheaf_lz4_block(sheaf_bytes from, uint8_t *to, size_t size)
{
	if (from.size > INT_MAX || size > INT_MAX) return false;
	SHEAF_FILLED(to, size);
	return LZ4_decompress_safe((const char *)from.data, (char *)to, (int)from.size, (int)size) == (int)size;
}

const sheaf_filter sheaf_filter_lz4 = {
	.name = "lz4",
	.a_member = "an LZ4 member",
	.suffix = ".lz4",
	.magics = {{4, {0x04, 0x22, 0x4d, 0x18}, {0xff, 0xff, 0xff, 0xff}}},
	.decoder = {sizeof(lz4_state), start_decoding, restart_decoding, decode, stop},
	.encoder = {sizeof(lz4_state), start_encoding, NULL, encode, stop},
};
