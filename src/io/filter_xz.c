/* SPDX-License-Identifier: MIT */
/* xz streams by liblzma. */
#include "base/context.h"
#include "base/memory.h"
#include "io/filter.h"
#include <lzma.h>

enum { PRESET = 6 };

typedef struct xz_state {
	lzma_stream z;
	lzma_allocator allocator;
	sheaf_filter_memory *memory;
} xz_state;

static void *allocate(void *memory, size_t count, size_t size) { return sheaf_filter_allocate((sheaf_filter_memory *)memory, count, size); }
static void release(void *memory, void *allocated) { sheaf_filter_free((sheaf_filter_memory *)memory, allocated); }

static sheaf_status new_state(sheaf_filter_memory *memory, xz_state **out)
{
	void *state;
	SHEAF_TRY(sheaf_allocate(memory->cx, sizeof **out, &state, NULL));
	*out = (xz_state *)state;
	(*out)->memory = memory;
	(*out)->allocator = (lzma_allocator){allocate, release, memory};
	(*out)->z = (lzma_stream)LZMA_STREAM_INIT;
	(*out)->z.allocator = &(*out)->allocator;
	return SHEAF_OK;
}

static void close_state(void *state)
{
	xz_state *s = (xz_state *)state;
	if (!s) return;
	lzma_end(&s->z);
	sheaf_release(s->memory->cx, s, sizeof *s);
}

/* Bytes that the context has left to give. */
static uint64_t budget(const sheaf_filter_memory *memory)
{
	int64_t left = sheaf_max_memory(memory->cx) - sheaf_context_memory(memory->cx, NULL);
	return left > 0 ? (uint64_t)left : 1;
}

/* Also makes an open decoder ready again: liblzma keeps what it can reuse. */
static sheaf_status decoder_restart(void *state)
{
	xz_state *s = (xz_state *)state;
	/* What this decoder holds already is within the budget, too. */
	uint64_t limit = budget(s->memory) + lzma_memusage(&s->z);
	return lzma_stream_decoder(&s->z, limit, 0) == LZMA_OK ? SHEAF_OK : sheaf_filter_refused(s->memory);
}

static sheaf_status decoder_open(sheaf_filter_memory *memory, void **out)
{
	xz_state *s = NULL;
	SHEAF_TRY(new_state(memory, &s));
	sheaf_status status = decoder_restart(s);
	if (status)
		close_state(s);
	else
		*out = s;
	return status;
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

static sheaf_status decode(void *state, sheaf_filter_step *step)
{
	xz_state *s = (xz_state *)state;
	switch (run(s, step, LZMA_RUN)) {
	case LZMA_OK:
	case LZMA_STREAM_END:
	case LZMA_BUF_ERROR: return SHEAF_OK;
	case LZMA_MEM_ERROR: return sheaf_filter_refused(s->memory);
	case LZMA_MEMLIMIT_ERROR: return SHEAF_LIMIT;
	case LZMA_OPTIONS_ERROR: step->found = "options that this liblzma does not know"; return SHEAF_UNSUPPORTED;
	case LZMA_FORMAT_ERROR: step->found = "a wrong header"; return SHEAF_DATA;
	default: step->found = "a block that its checksum or its structure contradicts"; return SHEAF_DATA;
	}
}

/* The usual preset, or the best one that leaves half of the memory for others. */
static uint32_t affordable_preset(const sheaf_filter_memory *memory)
{
	uint32_t preset = PRESET;
	while (preset > 0 && lzma_easy_encoder_memusage(preset) > budget(memory) / 2) preset--;
	return preset;
}

static sheaf_status encoder_open(sheaf_filter_memory *memory, void **out)
{
	xz_state *s = NULL;
	SHEAF_TRY(new_state(memory, &s));
	if (lzma_easy_encoder(&s->z, affordable_preset(memory), LZMA_CHECK_CRC64) != LZMA_OK) {
		close_state(s);
		return sheaf_filter_refused(memory);
	}
	*out = s;
	return SHEAF_OK;
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
	.decoder_open = decoder_open,
	.decoder_restart = decoder_restart,
	.decode = decode,
	.decoder_close = close_state,
	.encoder_open = encoder_open,
	.encode = encode,
	.encoder_close = close_state,
};
