/* SPDX-License-Identifier: MIT */
/* The inside of CNTK's binary format: declarations that its files share.
 *
 *   format.c    the table entry, options, recognition
 *   header.c    prefix, stream headers, chunk table
 *   cut.c       chunks, and parts of long ones, as pieces
 *   walk.c      chunks, and where the sequences of long ones are
 *   decode.c    a piece into sequences, every rule checked
 *   run.c       the sequences of a sound sparse stream, all at once
 *   sequence.c  one sequence of one stream: its counts and arrays, and how they go into a frame
 *   locate.c    where the sequences of a chunk are, and some of them taken from there
 *   write.c     sequences into chunks, header at the end
 *   declare.c   the schema as CNTK's users write it
 *
 * What is read and why is in docs/formats/cbf.md. */
#ifndef SHEAF_FORMAT_CBF_CBF_H
#define SHEAF_FORMAT_CBF_CBF_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/endian.h"
#include "base/threads/pipeline.h"
#include "format/format.h"
#include "frame/frame_builder.h"
#include "frame/schema/names.h"

#define CBF_MAGIC UINT64_C(0x636e746b5f62696e)
enum { CBF_VERSION = 1, CBF_PREFIX = 12, CBF_TRAILER = 8, CBF_CHUNK_ENTRY = 16, CBF_STREAM_LEAST = 10 };

typedef struct sheaf_cbf_chunk {
	int64_t offset, end; /* its bytes are [offset, end) */
	uint32_t sequences, samples;
	int64_t row; /* number of its first sequence */
} sheaf_cbf_chunk;

/* The results of decoding a piece for one stream; the notes of its frame are one for each stream, then one
 * for the largest of each sequence. */
typedef struct sheaf_cbf_finding {
	int64_t differs;  /* sequences whose sample count is not this stream's */
	int64_t unsorted; /* samples whose indices do not ascend */
} sheaf_cbf_finding;

/* What determines the size of a sequence in one stream. */
typedef struct sheaf_cbf_shape {
	bool sparse;
	uint32_t dim, size; /* size: bytes in a value */
} sheaf_cbf_shape;

typedef struct sheaf_cbf_reader {
	SHEAF_BASE(sheaf_reader, reader); /* stream i is field and column i */
	sheaf_names names;                /* in the order of the file */
	sheaf_cbf_shape *shapes;
	int64_t header; /* its position: where the data end */
	sheaf_cbf_chunk *chunks;
	int64_t nchunks, rows, samples;
	sheaf_cbf_finding *findings; /* sums over the frames reviewed */
	/* the position of cut */
	int64_t next_chunk;
	int64_t next_sequence; /* in an open long chunk, else 0 */
	int64_t *starts;       /* for each stream in the open chunk: byte at which next_sequence begins */
	int64_t *passed;       /* for each stream: the byte up to which its pages were released */
	sheaf_pipeline walks;  /* over long chunks, the open one first */
	int64_t submitted;     /* chunks before this one are being walked over, were, or are not long */
} sheaf_cbf_reader;

/* A walk over a long chunk. */
typedef struct sheaf_cbf_walk {
	sheaf_piece piece; /* the chunk */
	int64_t stride;    /* number of sequences from one mark to the next */
	int64_t
		*marks; /* for every stride-th sequence, and for the end: its position in the chunk, in each stream */
	size_t capacity;
	bool sound; /* the counts fit the chunk */
} sheaf_cbf_walk;

/* What cut passes to decode about a piece: int64 words in its notes. */
typedef struct sheaf_cbf_part {
	int64_t first, count;  /* sequences of the chunk */
	const int64_t *starts; /* position in the chunk at which each stream's part begins; -1: where the stream
	                          before ends */
} sheaf_cbf_part;

/* ---- header.c ---- */

SHEAF_USE sheaf_status sheaf_cbf_read_header(sheaf_cbf_reader *in, sheaf_error *err);
/* Applies the --stream settings: renames by alias, and checks what else they state. */
SHEAF_USE sheaf_status sheaf_cbf_rename_streams(sheaf_cbf_reader *in, const sheaf_values *values,
                                                sheaf_error *err);

/* A note or warning if streams have both element types, which CNTK's reader does not take. */
SHEAF_USE sheaf_status sheaf_cbf_note_mixture(const sheaf_schema *schema, sheaf_context *cx, const char *file,
                                              sheaf_severity severity, const char *consequence,
                                              sheaf_error *err);

/* ---- sequence.c ---- */

/* The counts at the head of a sequence of a stream; also skips its bytes; false, with the cursor failed, if
 * they do not fit. */
typedef struct sheaf_cbf_extent {
	uint32_t samples;
	int32_t nonzeros; /* dense: 0; negative: corrupt, and nothing after it is skipped */
	const uint8_t *values, *indices, *counts;
} sheaf_cbf_extent;
bool sheaf_cbf_pass_sequence(sheaf_cursor *c, const sheaf_cbf_shape *shape, sheaf_cbf_extent *out);
/* The largest index; 0: there is none. A negative one is above any dim. */
uint32_t sheaf_cbf_most_index(const sheaf_cbf_extent *e);
/* The sum of the sample counts at the head of a chunk. */
uint64_t sheaf_cbf_sum_samples(const sheaf_piece *piece, int64_t sequences);

/* The buffers of a frame to which the sequences of a stream are appended. */
typedef struct sheaf_cbf_filling {
	sheaf_builder *lists, *entries, *indices, *values;
	int64_t samples, nonzeros; /* in them */
} sheaf_cbf_filling;
static inline sheaf_cbf_filling sheaf_cbf_fill(sheaf_column_builder *to)
{
	return (sheaf_cbf_filling){
		&to->levels[0].offsets, &to->levels[1].offsets, to->levels[1].indices, &to->values, 0, 0};
}
/* Where each sample ends. Each count is read once, for the check and for the offsets: another program may
 * change a mapped file meanwhile, and offsets must not leave the values. False, with nothing written, if the
 * counts are not those of the sequence. */
bool sheaf_cbf_put_ends(sheaf_cbf_filling *f, const sheaf_cbf_extent *e);
/* Its values, and its indices if it has any. */
void sheaf_cbf_put_arrays(sheaf_cbf_filling *f, const sheaf_cbf_shape *shape, const sheaf_cbf_extent *e);
static inline void sheaf_cbf_put_array(sheaf_builder *b, const uint8_t *from, size_t count, size_t size)
{
	if (count == 0 || !sheaf_builder_room(b, (uint64_t)count * size)) return;
	sheaf_copy_le(b->data + b->size, from, count, size);
	b->size += count * size;
}
static inline size_t sheaf_cbf_value_count(const sheaf_cbf_shape *shape, const sheaf_cbf_extent *e)
{
	return shape->sparse ? (size_t)e->nonzeros : (size_t)e->samples * shape->dim;
}

/* ---- walk.c ---- */

/* Releases the pages of a piece that are no longer needed, from *passed to `at`, if they are at least `least`
 * bytes. */
void sheaf_cbf_let_go(const sheaf_cbf_reader *in, const sheaf_piece *piece, int64_t *passed, int64_t at,
                      int64_t least);
/* Finds a chunk; with `view`, gives its bytes as well. */
void sheaf_cbf_place_chunk(const sheaf_cbf_reader *in, int64_t number, sheaf_piece *piece);
SHEAF_USE sheaf_status sheaf_cbf_view_chunk(const sheaf_cbf_reader *in, int64_t number, sheaf_piece *piece,
                                            sheaf_error *err);
/* Whether a chunk is cut into parts of about `bytes` bytes. */
bool sheaf_cbf_is_long(const sheaf_cbf_reader *in, int64_t number, int64_t bytes);

/* The walk over a long chunk; the reader owns it until it is passed. */
SHEAF_USE sheaf_status sheaf_cbf_walk_over(sheaf_cbf_reader *in, int64_t chunk, int64_t bytes,
                                           const sheaf_cbf_walk **out, sheaf_error *err);
void sheaf_cbf_pass_walk(sheaf_cbf_reader *in);
void sheaf_cbf_end_walks(sheaf_cbf_reader *in);

/* ---- cut.c ---- */

SHEAF_USE sheaf_status sheaf_cbf_cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
sheaf_cbf_part sheaf_cbf_part_of(const sheaf_piece *piece);
/* A piece of the table is a whole chunk. */
SHEAF_USE sheaf_status sheaf_cbf_recall(const void *in, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_cbf_resume(sheaf_cbf_reader *in, const sheaf_piece *piece, sheaf_error *err);
/* By the sample counts at the head of a chunk. */
SHEAF_USE sheaf_status sheaf_cbf_measure(const void *in, const sheaf_piece *piece, sheaf_context *cx,
                                         sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err);

/* ---- run.c ---- */

/* The sequences of a sparse stream, to be appended to its buffers. */
typedef struct sheaf_cbf_run {
	const sheaf_cbf_shape *shape;
	const uint8_t *at, *end; /* where they begin, and the end of the chunk */
	const uint8_t *counts;   /* at the head of the chunk: samples of the first of them */
	int64_t sequences;
	uint32_t *largest; /* samples of each one's largest stream, so far */
	sheaf_cbf_filling to;
	int64_t differs; /* sequences whose number of samples is not that of `counts` */
} sheaf_cbf_run;

/* False, with nothing appended, if one is not sound, or memory runs out: reading them one by one reports the
 * reason. */
bool sheaf_cbf_take_run(sheaf_cbf_run *run);

/* ---- decode.c ---- */

SHEAF_USE sheaf_status sheaf_cbf_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                        sheaf_context *cx, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_cbf_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_cbf_carry(void *in, const struct sheaf_carried *counts, sheaf_error *err);

/* ---- locate.c ---- */

SHEAF_USE sheaf_status sheaf_cbf_locate(const void *in, sheaf_located *located, sheaf_context *cx,
                                        sheaf_error *err);
SHEAF_USE sheaf_status sheaf_cbf_pick(const void *in, const sheaf_row_at *rows, size_t n, sheaf_frame *frame,
                                      sheaf_context *cx, sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_cbf_writing;

/* ---- declare.c ---- */

SHEAF_USE sheaf_status sheaf_cbf_declare(const sheaf_schema *schema, const char *file, bool own,
                                         sheaf_context *cx, sheaf_buffer *text, sheaf_error *err);

#endif
