/* SPDX-License-Identifier: MIT */
/* The pieces of an input: cut ahead by the thread that reads, decoded by any, given in order. Frames,
 * findings and failures are the same as if one thread cut and decoded one piece after the other. */
#ifndef SHEAF_DATASET_INPUT_DECODING_H
#define SHEAF_DATASET_INPUT_DECODING_H

#include "base/threads/pipeline.h"
#include "format/format.h"

/* Begins as zeros. */
typedef struct sheaf_decoding {
	const sheaf_format *format;
	sheaf_source *source;
	sheaf_reader *in;
	sheaf_context *cx;
	int64_t piece_bytes;
	sheaf_pipeline pipeline;
	int ahead;             /* how many pieces may be in progress now */
	bool given;            /* the first item is the caller's */
	sheaf_status cut;      /* of the last cut: what follows the pieces in progress */
	sheaf_error cut_error; /* if that is a failure */
	sheaf_status flaw;     /* of the piece whose first rows were given: it comes next */
	sheaf_error flaw_error;
} sheaf_decoding;

/* `in` comes from the format's `open`. Problems are reported to `cx`, which also owns the memory of
 * frames. */
SHEAF_USE sheaf_status sheaf_decoding_open(sheaf_decoding *p, const sheaf_format *format, sheaf_reader *in,
                                           int64_t piece_bytes, sheaf_context *cx, sheaf_error *err);
/* The next frame, or END; *out is borrowed until the next call. A failure comes when everything before it has
 * been given, including earlier rows of its piece. */
SHEAF_USE sheaf_status sheaf_decoding_next(sheaf_decoding *p, const sheaf_frame **out, sheaf_error *err);
/* The piece of the last frame. */
const sheaf_piece *sheaf_decoding_piece(sheaf_decoding *p);
/* The last frame, for completing it before anybody else sees it. */
sheaf_frame *sheaf_decoding_frame(sheaf_decoding *p);
/* Whether the last frame has only the rows of its piece before a flaw, which comes with the next call: such a
 * frame is not reviewed. */
bool sheaf_decoding_is_cut_short(const sheaf_decoding *p);
void sheaf_decoding_close(sheaf_decoding *p);
/* Closes it after a pass over the rows that was made beside reading, and returns to before the first one,
 * whatever came of the pass: so nothing below goes on in the context of the pass, which may now be freed. The
 * status of the pass, if it failed; END is none. */
SHEAF_USE sheaf_status sheaf_decoding_end_pass(sheaf_decoding *p, sheaf_status status, sheaf_error *err);

/* The usual size of a piece under the limit of a context. */
int64_t sheaf_usual_piece(const sheaf_context *cx);

#endif
