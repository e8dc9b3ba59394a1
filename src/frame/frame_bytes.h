/* SPDX-License-Identifier: MIT */
/* The buffers of a frame as bytes, to be kept in a file. */
#ifndef SHEAF_FRAME_FRAME_BYTES_H
#define SHEAF_FRAME_FRAME_BYTES_H

#include "base/buffer.h"
#include <sheaf/frame.h>

enum { SHEAF_FRAME_ALIGNMENT = 64 /* alignment of such bytes and of each buffer in them */ };

/* Appends the frame, its rows, lines and numbers, but no notes, to an aligned builder. Sliced rows take all
 * of their shared buffers with them: append them to a frame of their own first. */
void sheaf_frame_to_bytes(const sheaf_frame *frame, sheaf_builder *b);
/* A frame of this schema whose buffers refer to *bytes. DATA if the bytes are not those of a sound frame:
 * everything is checked. On failure *out is empty. */
SHEAF_USE sheaf_status sheaf_frame_from_bytes(const sheaf_buffer *bytes, const sheaf_schema *schema,
                                              sheaf_context *cx, sheaf_frame *out, sheaf_error *err);

#endif
