/* SPDX-License-Identifier: MIT */
/* bzip2 streams by libbzip2. */
#include "io/filters/filter.h"
#include <bzlib.h>
#include <limits.h>
#include <string.h>

enum {
	BLOCK_100K = 9,
	DEFAULT_WORK = 0,
	QUIET = 0,
	FAST = 0 /* not the slower mode that halves the memory */
};

typedef struct bzip2_state {
	sheaf_filter_memory *memory;
	bz_stream z;
} bzip2_state;

static void *allocate(void *memory, int count, int size)
{
	if (count < 0 || size < 0) return NULL;
	return sheaf_filter_allocate((sheaf_filter_memory *)memory, (size_t)count, (size_t)size);
}

static void release(void *memory, void *allocated)
{
	sheaf_filter_free((sheaf_filter_memory *)memory, allocated);
}

/* libbzip2 has no reset: every member begins with a clean structure. */
static bz_stream *clean_stream_of(void *state)
{
	bzip2_state *s = (bzip2_state *)state;
	memset(&s->z, 0, sizeof s->z);
	s->z.bzalloc = allocate;
	s->z.bzfree = release;
	s->z.opaque = s->memory;
	return &s->z;
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

static sheaf_status start_decoding(void *state)
{
	return BZ2_bzDecompressInit(clean_stream_of(state), QUIET, FAST) == BZ_OK
	           ? SHEAF_OK
	           : sheaf_filter_refused(((bzip2_state *)state)->memory);
}

static void stop_decoding(void *state) { BZ2_bzDecompressEnd(&((bzip2_state *)state)->z); }

static sheaf_status restart_decoding(void *state)
{
	stop_decoding(state);
	return start_decoding(state);
}

static sheaf_status decode(void *state, sheaf_filter_step *step, bool finish)
{
	(void)finish;
	bzip2_state *s = (bzip2_state *)state;
	show(&s->z, step);
	int result = BZ2_bzDecompress(&s->z);
	move_on(&s->z, step);
	step->ended = result == BZ_STREAM_END;
	if (result == BZ_OK || result == BZ_STREAM_END) return SHEAF_OK;
	if (result == BZ_MEM_ERROR) return sheaf_filter_refused(s->memory);
	step->found =
		result == BZ_DATA_ERROR_MAGIC ? "a wrong header" : "a block whose checksum or structure is wrong";
	return SHEAF_DATA;
}

static sheaf_status start_encoding(void *state)
{
	int result = BZ2_bzCompressInit(clean_stream_of(state), BLOCK_100K, QUIET, DEFAULT_WORK);
	return result == BZ_OK ? SHEAF_OK : sheaf_filter_refused(((bzip2_state *)state)->memory);
}

static sheaf_status encode(void *state, sheaf_filter_step *step, bool finish)
{
	bzip2_state *s = (bzip2_state *)state;
	if (step->in_left == 0 && !finish) return SHEAF_OK; /* libbzip2 treats a call without input as misuse */
	show(&s->z, step);
	int result = BZ2_bzCompress(&s->z, finish && step->in_left <= UINT_MAX ? BZ_FINISH : BZ_RUN);
	move_on(&s->z, step);
	step->ended = result == BZ_STREAM_END;
	if (result == BZ_RUN_OK || result == BZ_FINISH_OK || result == BZ_STREAM_END) return SHEAF_OK;
	step->found = "an error of libbzip2";
	return SHEAF_USAGE;
}

static void stop_encoding(void *state) { BZ2_bzCompressEnd(&((bzip2_state *)state)->z); }

/* "BZh", the block size as a digit, then the number pi for a first block, or its square root for an empty
 * stream. */
const sheaf_filter sheaf_filter_bzip2 = {
	.name = "bzip2",
	.a_member = "a bzip2 member",
	.suffix = ".bz2",
	.magics = {{10,
                {'B', 'Z', 'h', 0x30, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59},
                {0xff, 0xff, 0xff, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
               {10,
                {'B', 'Z', 'h', 0x30, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90},
                {0xff, 0xff, 0xff, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}},
	.decoder = {sizeof(bzip2_state), start_decoding, restart_decoding, decode, stop_decoding},
	.encoder = {sizeof(bzip2_state), start_encoding, NULL, encode, stop_encoding},
};
