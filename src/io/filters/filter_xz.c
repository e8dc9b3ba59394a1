/* SPDX-License-Identifier: MIT */
/* xz streams by liblzma. */
#include "base/context.h"
#include "io/filters/filter.h"
#include <lzma.h>

enum { PRESET = 6 };

typedef struct xz_state {
	sheaf_filter_memory *memory;
	lzma_stream z;
	lzma_allocator allocator;
} xz_state;

static void *allocate(void *memory, size_t count, size_t size)
{
	return sheaf_filter_allocate((sheaf_filter_memory *)memory, count, size);
}
static void release(void *memory, void *allocated)
{
	sheaf_filter_free((sheaf_filter_memory *)memory, allocated);
}

static lzma_stream *stream_of(void *state)
{
	xz_state *s = (xz_state *)state;
	s->allocator = (lzma_allocator){allocate, release, s->memory};
	s->z = (lzma_stream)LZMA_STREAM_INIT;
	s->z.allocator = &s->allocator;
	return &s->z;
}

static void stop(void *state) { lzma_end(&((xz_state *)state)->z); }

/* Bytes that the context still allows. */
static uint64_t budget(const sheaf_filter_memory *memory)
{
	int64_t left = sheaf_max_memory(memory->cx) - sheaf_context_memory(memory->cx, NULL);
	return left > 0 ? (uint64_t)left : 1;
}

/* Also prepares an open decoder again: liblzma keeps what it can reuse. */
static sheaf_status restart_decoding(void *state)
{
	xz_state *s = (xz_state *)state;
	/* The memory that this decoder already has is part of the budget, too. */
	uint64_t limit = budget(s->memory) + lzma_memusage(&s->z);
	return lzma_stream_decoder(&s->z, limit, 0) == LZMA_OK ? SHEAF_OK : sheaf_filter_refused(s->memory);
}

static sheaf_status start_decoding(void *state)
{
	stream_of(state);
	return restart_decoding(state);
}

static lzma_ret run(xz_state *s, sheaf_filter_step *step, lzma_action action)
{
	s->z.next_in = step->in;
	s->z.avail_in = step->in_left;
	s->z.next_out = step->out;
	s->z.avail_out = step->out_left;
	lzma_ret result = lzma_code(&s->z, action);
	step->in = s->z.next_in;
	step->in_left = s->z.avail_in;
	step->out = s->z.next_out;
	step->out_left = s->z.avail_out;
	step->ended = result == LZMA_STREAM_END;
	return result;
}

static sheaf_status decode(void *state, sheaf_filter_step *step, bool finish)
{
	(void)finish;
	xz_state *s = (xz_state *)state;
	switch (run(s, step, LZMA_RUN)) {
	case LZMA_OK:
	case LZMA_STREAM_END:
	case LZMA_BUF_ERROR: return SHEAF_OK;
	case LZMA_MEM_ERROR: return sheaf_filter_refused(s->memory);
	case LZMA_MEMLIMIT_ERROR: return SHEAF_LIMIT;
	case LZMA_OPTIONS_ERROR:
		step->found = "options that this liblzma does not know";
		return SHEAF_UNSUPPORTED;
	case LZMA_FORMAT_ERROR: step->found = "a wrong header"; return SHEAF_DATA;
	default: step->found = "a block whose checksum or structure is wrong"; return SHEAF_DATA;
	}
}

/* The usual preset, or the best one that leaves half of the memory for others. */
static uint32_t affordable_preset(const sheaf_filter_memory *memory)
{
	uint32_t preset = PRESET;
	while (preset > 0 && lzma_easy_encoder_memusage(preset) > budget(memory) / 2) preset--;
	return preset;
}

static sheaf_status start_encoding(void *state)
{
	sheaf_filter_memory *memory = ((xz_state *)state)->memory;
	return lzma_easy_encoder(stream_of(state), affordable_preset(memory), LZMA_CHECK_CRC64) == LZMA_OK
	           ? SHEAF_OK
	           : sheaf_filter_refused(memory);
}

static sheaf_status encode(void *state, sheaf_filter_step *step, bool finish)
{
	xz_state *s = (xz_state *)state;
	switch (run(s, step, finish ? LZMA_FINISH : LZMA_RUN)) {
	case LZMA_OK:
	case LZMA_STREAM_END:
	case LZMA_BUF_ERROR: return SHEAF_OK;
	case LZMA_MEM_ERROR: return sheaf_filter_refused(s->memory);
	default: step->found = "an error of liblzma"; return SHEAF_USAGE;
	}
}

const sheaf_filter sheaf_filter_xz = {
	.name = "xz",
	.a_member = "an xz member",
	.suffix = ".xz",
	.magics = {{6, {0xfd, '7', 'z', 'X', 'Z', 0}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}},
	.zero_padded = true,
	.decoder = {sizeof(xz_state), start_decoding, restart_decoding, decode, stop},
	.encoder = {sizeof(xz_state), start_encoding, NULL, encode, stop},
};
