/* SPDX-License-Identifier: MIT */
/* Reading: declarations that its files share.
 *
 *   reader.c     the tensors that it has open
 *   open.c       the box, its tensors, and what rows they give
 *   members.c    all tensors of a box
 *   mend.c       entries out of order, or twice
 *   cut.c        entries into pieces
 *   entries.c    a piece into coordinates and values, or all of it as one row
 *   rows.c       rows of sequences into pieces
 *   sequences.c  a piece into streams
 *   info.c       what `info` and `schema` say */
#ifndef SHEAF_FORMAT_BINSPARSE_READER_H
#define SHEAF_FORMAT_BINSPARSE_READER_H

#include "format/binsparse/tensor.h"
#include "format/format.h"
#include "frame/frame_builder.h"

typedef struct sheaf_bsp_reader {
	SHEAF_BASE(sheaf_reader, reader);
	const char *file;
	sheaf_box *box;
	int room, ntensors; /* one; for sequences one for each stream */
	sheaf_bsp_tensor *tensors;
	sheaf_depth depth; /* of a whole tensor */
	sheaf_bsp_tolerance tolerance;
	/* the position of cut */
	bool is_done;
	int64_t next;                      /* entry, or row for sequences */
	int64_t slice;                     /* outermost coordinate of that entry, if the entry is its first one */
	bool is_inside;                    /* it is not its first one */
	int64_t covered[BSP_MAX_RANK + 1]; /* positions above each level that earlier pieces cover */
	sheaf_sparse_view *views;          /* of each tensor */
	int64_t diagonal;                  /* elements seen on it */
} sheaf_bsp_reader;

static inline const sheaf_bsp_tensor *sheaf_bsp_only(const sheaf_bsp_reader *in) { return &in->tensors[0]; }

/* ---- reader.c ---- */

/* Room for n tensors, of which none is open yet. */
SHEAF_USE sheaf_status sheaf_bsp_make_room(sheaf_bsp_reader *in, int n, sheaf_error *err);
/* Opens the tensor of a group, and mends it if requested. */
SHEAF_USE sheaf_status sheaf_bsp_open_tensor(sheaf_bsp_reader *in, const char *path, sheaf_bsp_tensor *out,
                                             sheaf_error *err);
void sheaf_bsp_close(void *reader);

/* ---- members.c ---- */

/* Whether a group has such an attribute; running out of memory does not mean that it has none. */
SHEAF_USE sheaf_status sheaf_bsp_has(sheaf_box *box, const sheaf_box_item *item, const char *name, bool *has,
                                     sheaf_error *err);
/* Whether there is a descriptor in the file, or it cannot be read. */
sheaf_likely sheaf_bsp_judge(sheaf_glimpse *at);
SHEAF_USE sheaf_status sheaf_bsp_list(const void *reader, sheaf_source *source,
                                      const sheaf_item_teller *teller, sheaf_error *err);
/* The path inside the box of the tensor that `member` selects (NULL: the root's, or the only one), "" for the
 * root. USAGE, UNKNOWN. */
SHEAF_USE sheaf_status sheaf_bsp_choose(sheaf_box *box, const char *file, const char *member,
                                        sheaf_context *cx, char **path, sheaf_error *err);

/* ---- open.c ---- */

SHEAF_USE sheaf_status sheaf_bsp_open(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                      sheaf_error *err);
/* The same for any box, which the reader takes over, also on failure. */
SHEAF_USE sheaf_status sheaf_bsp_open_box(sheaf_bsp_reader *in, sheaf_box *box, const char *file,
                                          const sheaf_values *values, const sheaf_opening *how,
                                          sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_rewind(void *reader, const sheaf_piece *to, sheaf_error *err);
/* The user keys of a tensor as attributes of the dataset. */
SHEAF_USE sheaf_status sheaf_bsp_add_keys(sheaf_bsp_reader *in, const sheaf_bsp_tensor *t, sheaf_error *err);

/* ---- mend.c ---- */

/* Makes the arrays of a tensor again if its entries are out of order. */
SHEAF_USE sheaf_status sheaf_bsp_mend(sheaf_bsp_tensor *t, sheaf_error *err);

/* ---- cut.c ---- */

SHEAF_USE sheaf_status sheaf_bsp_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_recall(const void *reader, sheaf_piece *piece, sheaf_error *err);
/* The notes of a piece: ranges of positions above each level; the last one is that of the entries. */
const sheaf_run *sheaf_bsp_ranges_of(const sheaf_piece *piece);
/* Size of an element in all its arrays. */
int64_t sheaf_bsp_entry_bytes(const sheaf_bsp_tensor *t);

/* ---- entries.c ---- */

SHEAF_USE sheaf_status sheaf_bsp_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                        sheaf_context *cx, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_review(void *reader, const sheaf_frame *frame, int64_t row,
                                        sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_carry(void *in, const struct sheaf_carried *counts, sheaf_error *err);
/* Values [from, to) of a tensor, one for each even if all are the same, into an empty builder. */
SHEAF_USE sheaf_status sheaf_bsp_read_values(const sheaf_bsp_tensor *t, int64_t from, int64_t to,
                                             sheaf_builder *out, sheaf_error *err);

/* ---- rows.c ---- */

/* Whether the tensor can be a stream as it is, and whether it was written from one. */
bool sheaf_bsp_is_stream(const sheaf_bsp_tensor *t);
bool sheaf_bsp_was_stream(const sheaf_bsp_tensor *t);
/* Opens the tensors that a group names as its streams. */
SHEAF_USE sheaf_status sheaf_bsp_open_streams(sheaf_bsp_reader *in, const char *group, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_rows_schema(sheaf_bsp_reader *in, sheaf_error *err);
void sheaf_bsp_rows_facts(const sheaf_bsp_reader *in, sheaf_facts *facts);
SHEAF_USE sheaf_status sheaf_bsp_cut_rows(sheaf_bsp_reader *in, int64_t bytes, sheaf_piece *piece,
                                          sheaf_error *err);

/* ---- sequences.c ---- */

SHEAF_USE sheaf_status sheaf_bsp_decode_rows(const sheaf_bsp_reader *in, const sheaf_piece *piece,
                                             sheaf_frame_builder *to, sheaf_error *err);

/* ---- info.c ---- */

SHEAF_USE sheaf_status sheaf_bsp_describe(const void *reader, const sheaf_listing *to, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_bsp_declare(const sheaf_schema *schema, const char *file, bool own,
                                         sheaf_context *cx, sheaf_buffer *text, sheaf_error *err);

#endif
