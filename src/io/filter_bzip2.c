/* SPDX-License-Identifier: MIT */
/* bzip2 streams by libbzip2. */
#include "base/memory.h"
#include "io/filter.h"
#include <bzlib.h>
#include <limits.h>
#include <string.h>

enum { BLOCK_100K = 9, DEFAULT_WORK = 0, QUIET = 0, FAST = 0 /* not the slow way that halves the memory */ };

typedef struct bzip2_state {
	bz_stream z;
	sheaf_filter_memory *memory;
	bool is_open;
} bzip2_state;

static void *allocate(void *memory, int count, int size)
{
	if (count < 0 || size < 0) return NULL;
	return sheaf_filter_allocate((sheaf_filter_memory *)memory, (size_t)count, (size_t)size);
}

static void release(void *memory, void *allocated) { sheaf_filter_free((sheaf_filter_memory *)memory, allocated); }

static sheaf_status new_state(sheaf_filter_memory *memory, bzip2_state **out)
{
	void *state;
	SHEAF_TRY(sheaf_allocate(memory->cx, sizeof **out, &state, NULL));
	*out = (bzip2_state *)state;
	(*out)->memory = memory;
	return SHEAF_OK;
}

static void free_state(bzip2_state *s) { sheaf_release(s->memory->cx, s, sizeof *s); }

/* libbzip2 has no reset: every member begins with a clean structure. */
static void clean(bzip2_state *s)
{
	memset(&s->z, 0, sizeof s->z);
	s->z.bzalloc = allocate;
	s->z.bzfree = release;
	s->z.opaque = s->memory;
}

static unsigned clamp(size_t n) { return n < UINT_MAX ? (unsigned)n : UINT_MAX; }

static void show(bz_stream *z, const sheaf_filter_step *step)
{
	z->next_in = (char *)(uintptr_t)step->in; /* not written, though the header lacks the const */
	z->avail_in = clamp(step->in_left);
	z->next_out = (char *)step->out;
	z->avail_out = clamp(step->out_left);
}

static void move_on(const bz_stream *z, sheaf_filter_step *step)
{
	step->in_left -= (size_t)((const uint8_t *)z->next_in - step->in);
	step->out_left -= (size_t)((uint8_t *)z->next_out - step->out);
	step->in = (const uint8_t *)z->next_in;
	step->out = (uint8_t *)z->next_out;
}

static sheaf_status decoder_restart(void *state)
{
	bzip2_state *s = (bzip2_state *)state;
	if (s->is_open) BZ2_bzDecompressEnd(&s->z);
	clean(s);
	s->is_open = BZ2_bzDecompressInit(&s->z, QUIET, FAST) == BZ_OK;
	return s->is_open ? SHEAF_OK : sheaf_filter_refused(s->memory);
}

static void decoder_close(void *state)
{
	bzip2_state *s = (bzip2_state *)state;
	if (!s) return;
	if (s->is_open) BZ2_bzDecompressEnd(&s->z);
	free_state(s);
}

static sheaf_status decoder_open(sheaf_filter_memory *memory, void **out)
{
	bzip2_state *s = NULL;
	SHEAF_TRY(new_state(memory, &s));
	sheaf_status status = decoder_restart(s);
	if (status)
		decoder_close(s);
	else
		*out = s;
	return status;
}

static sheaf_status decode(void *state, sheaf_filter_step *step)
{
	bzip2_state *s = (bzip2_state *)state;
	show(&s->z, step);
	int result = BZ2_bzDecompress(&s->z);
	move_on(&s->z, step);
	step->ended = result == BZ_STREAM_END;
	if (result == BZ_OK || result == BZ_STREAM_END) return SHEAF_OK;
	if (result == BZ_MEM_ERROR) return sheaf_filter_refused(s->memory);
	step->found = result == BZ_DATA_ERROR_MAGIC ? "a wrong header" : "a block that its checksum or its structure contradicts";
	return SHEAF_DATA;
}

static sheaf_status encoder_open(sheaf_filter_memory *memory, void **out)
{
	bzip2_state *s = NULL;
	SHEAF_TRY(new_state(memory, &s));
	clean(s);
	if (BZ2_bzCompressInit(&s->z, BLOCK_100K, QUIET, DEFAULT_WORK) != BZ_OK) {
		free_state(s);
		return sheaf_filter_refused(memory);
	}
	*out = s;
	return SHEAF_OK;
}

static sheaf_status encode(void *state, sheaf_filter_step *step, bool finish)
{
	bzip2_state *s = (bzip2_state *)state;
	if (step->in_left == 0 && !finish) return SHEAF_OK; /* libbzip2 takes a call without input for a misuse */
	show(&s->z, step);
	int result = BZ2_bzCompress(&s->z, finish && step->in_left <= UINT_MAX ? BZ_FINISH : BZ_RUN);
	move_on(&s->z, step);
	step->ended = result == BZ_STREAM_END;
	if (result == BZ_RUN_OK || result == BZ_FINISH_OK || result == BZ_STREAM_END) return SHEAF_OK;
	step->found = "an error of libbzip2";
	return SHEAF_USAGE;
}

static void encoder_close(void *state)
{
	bzip2_state *s = (bzip2_state *)state;
	if (!s) return;
	BZ2_bzCompressEnd(&s->z);
	free_state(s);
}

/* "BZh", the block size as a digit, then the number pi for a first block, or its square root for an empty stream. */
const sheaf_filter sheaf_filter_bzip2 = {
	.name = "bzip2",
	.a_member = "a bzip2 member",
	.suffix = ".bz2",
	.magics = {{10, {'B', 'Z', 'h', 0x30, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59}, {0xff, 0xff, 0xff, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
               {10, {'B', 'Z', 'h', 0x30, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90}, {0xff, 0xff, 0xff, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}},
	.decoder_open = decoder_open,
	.decoder_restart = decoder_restart,
	.decode = decode,
	.decoder_close = decoder_close,
	.encoder_open = encoder_open,
	.encode = encode,
	.encoder_close = encoder_close,
};
