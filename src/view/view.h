/* SPDX-License-Identifier: MIT */
/* Views: rows of one kind made of rows of another. A view is a format on top of a format: it cuts the pieces
 * of the one below, decodes them with it and makes its own frames from theirs, on any thread. So pieces,
 * random access and minibatches need not know about views.
 *
 *     cut       in order: a piece below, or rows that were decoded early because cutting depends on them
 *     decode    on any thread: the frame below goes into the notes of the view's frame
 *     place     in order: what depends on the number of the first row below, which is known only then
 *     review    in order: the format below reviews its own frame, so that it finds what it would find alone
 */
#ifndef SHEAF_VIEW_VIEW_H
#define SHEAF_VIEW_VIEW_H

#include "base/context.h"
#include "dataset/input/decoding.h"
#include "dataset/input/input.h"
#include "frame/frame_builder.h"
#include <sheaf/dataset.h>

/* The head of every view. */
typedef struct sheaf_row_view {
	SHEAF_BASE(sheaf_reader, reader);
	sheaf_format format;          /* which the dataset uses instead of the format below */
	const sheaf_format *inner;    /* the format below, which may be a view, too, */
	sheaf_reader *in;             /* and its reader, which the view owns */
	struct sheaf_row_view *under; /* the view that the format below is, or NULL */
	int64_t inner_row;            /* the number of the next row below to be reviewed */
	sheaf_buffer lengths; /* int64 for each sequence that is part of a tensor, if they were requested */
	bool keeps_rows;      /* each row of the view is the row below with the same number */
	bool has_placed;      /* frames of the view below need not be completed any more: that was done when they
	                       * were cut, or `place` does it */
	/* Makes the rows of a frame from those below: all buffers, and their number. NULL: the view has a decode
	 * of its own. */
	sheaf_status (*fill)(const struct sheaf_row_view *view, const sheaf_frame *below, sheaf_frame_builder *to,
	                     sheaf_error *err);
	/* Frees the rest of the view. NULL: nothing. */
	void (*release)(struct sheaf_row_view *view);
	/* Completes frames in order, once the number of their first row below is known. NULL: no need. */
	sheaf_status (*place)(struct sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err);
} sheaf_row_view;

/* What says how long sequences were before they were padded into a tensor. */
typedef struct sheaf_padding {
	const char *file; /* that has their lengths; NULL: nothing */
	bool is_named;    /* by somebody; else it was found beside the tensor */
	/* Reads those of `rows` sequences: an int64 for each. */
	sheaf_status (*read)(const char *file, int64_t rows, sheaf_context *cx, sheaf_buffer *out,
	                     sheaf_error *err);
} sheaf_padding;

/* Puts views over the input of a dataset until its rows are those that are wanted. The next row that the
 * format gives is number `row`. */
SHEAF_USE sheaf_status sheaf_view_rows(sheaf_input *input, const sheaf_open_options *options,
                                       const sheaf_padding *padding, int64_t row, sheaf_error *err);
/* Sequences as rows of a table. */
SHEAF_USE sheaf_status sheaf_view_samples(sheaf_input *input, sheaf_samples_as as, sheaf_error *err);
/* Such rows as sequences; all of them are looked at, so none may have been passed over. */
SHEAF_USE sheaf_status sheaf_view_sequences(sheaf_input *input, sheaf_samples_as as, sheaf_error *err);
/* Whether views may have to read all of the input first, and begin again. */
bool sheaf_view_may_survey(const sheaf_open_options *options);
/* Completes a frame of the view (NULL: there is none) before its review. */
SHEAF_USE sheaf_status sheaf_view_place(struct sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err);

/* ---- for views ---- */

/* Whether a column of a table may lack values. */
static inline bool sheaf_view_may_miss(const sheaf_field *field)
{
	return field->nlevels == 1 && field->levels[0].missing == SHEAF_NULLABLE;
}

/* Makes a view of `size` bytes over the dataset's format, whose members are those of the format below as far
 * as they apply. It takes over what is below. Of the facts below it has only how they were guessed. */
SHEAF_USE sheaf_status sheaf_view_new(sheaf_input *input, size_t size, sheaf_row_view **out,
                                      sheaf_error *err);
/* Decodes a piece with the format below. Its frame, *below, is in *notes, the notes of the view's frame, and
 * stays until that frame is reviewed. */
SHEAF_USE sheaf_status sheaf_view_decode_below(const sheaf_row_view *v, const sheaf_piece *piece,
                                               sheaf_buffer *notes, const sheaf_frame **below,
                                               sheaf_context *cx, sheaf_error *err);
/* The same, and the frame consists of rows below: all columns, or `some` of them in this order (NULL:
 * all). */
typedef struct sheaf_column_numbers {
	const int *columns;
	int n;
} sheaf_column_numbers;
SHEAF_USE sheaf_status sheaf_view_slice_below(const sheaf_row_view *v, const sheaf_piece *piece,
                                              const sheaf_column_numbers *some, sheaf_frame *frame,
                                              sheaf_context *cx, sheaf_error *err);
/* Coordinates or numbers of rows (int32 or int64), which `fill` has counted from 0, as those of the input:
 * for `place`. */
void sheaf_view_number(const sheaf_row_view *v, sheaf_column *column, int64_t n);
/* A `cut` for views whose slices differ from those of the format below. */
SHEAF_USE sheaf_status sheaf_view_cut_whole(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
/* The view's pieces are recalled like those of the format below. */
void sheaf_view_pass_random(sheaf_row_view *v);
/* A frame in a buffer, which takes it over; it may then be NULL. */
SHEAF_USE sheaf_status sheaf_view_wrap_frame(sheaf_frame *frame, sheaf_context *cx, sheaf_buffer *out,
                                             sheaf_error *err);
static inline sheaf_frame *sheaf_view_unwrap(const sheaf_buffer *buffer)
{
	return buffer->size ? (sheaf_frame *)(void *)buffer->data : NULL;
}
/* For views that read the rows below themselves: the next ones in order, complete and reviewed; the first is
 * number `row`; after the last one the format below reviews the whole input. */
SHEAF_USE sheaf_status sheaf_view_next_below(const sheaf_row_view *v, sheaf_decoding *decoding, int64_t row,
                                             const sheaf_frame **out, sheaf_error *err);
/* The same for views that decode these rows while they cut their own. What is found goes to whoever reads the
 * view's rows: its context must last until the view is rewound or closed (sheaf_decoding_end_pass). */
typedef struct sheaf_rows_below {
	sheaf_row_view *view;
	sheaf_decoding decoding; /* if it is open */
	bool is_open;
	int64_t row; /* the number of the next row below */
} sheaf_rows_below;
void sheaf_rows_below_begin(sheaf_rows_below *r, sheaf_row_view *view, int64_t row);
SHEAF_USE sheaf_status sheaf_rows_below_next(sheaf_rows_below *r, int64_t bytes, const sheaf_frame **out,
                                             sheaf_error *err);
SHEAF_USE sheaf_status sheaf_rows_below_rewind(sheaf_rows_below *r, sheaf_error *err);
void sheaf_rows_below_end(sheaf_rows_below *r);
/* The number of rows below: as they say it, or counted. */
SHEAF_USE sheaf_status sheaf_view_count_rows(sheaf_row_view *v, int64_t *rows, sheaf_error *err);
/* Reports a finding in a cell of a table below. */
SHEAF_USE sheaf_status sheaf_view_report_cell(const sheaf_row_view *v, int64_t row, const char *column,
                                              sheaf_finding finding, sheaf_error *err);
/* Releases what a piece has, so that it has no place in the input. */
void sheaf_view_empty_piece(sheaf_piece *piece);
/* Goes through all rows below, quietly, and begins again. */
SHEAF_USE sheaf_status sheaf_view_survey(sheaf_row_view *v,
                                         sheaf_status (*see)(void *user, const sheaf_frame *frame,
                                                             sheaf_error *err),
                                         void *user, sheaf_error *err);

/* Puts a view of some of the rows on the input. */
SHEAF_USE sheaf_status sheaf_view_select(sheaf_input *input, const sheaf_selection *selection, int64_t row,
                                         sheaf_error *err);
/* Some streams or columns of all, in the order that is given. */
SHEAF_USE sheaf_status sheaf_view_columns(sheaf_input *input, const char *streams, const char *columns,
                                          sheaf_error *err);
/* Rows that can be read only in order, kept in a temporary file so that they can be read in any: in pieces of
 * about `piece_bytes`; 0: the default. */
SHEAF_USE sheaf_status sheaf_view_spool(sheaf_input *input, int64_t piece_bytes, sheaf_error *err);
/* Entries of a tensor whose dimensions are reversed. */
SHEAF_USE sheaf_status sheaf_view_transpose(sheaf_input *input, sheaf_error *err);
/* Entries as sequences: the outermost dimension's slices are rows. `padding` NULL: as long as they are. */
SHEAF_USE sheaf_status sheaf_view_group(sheaf_input *input, const sheaf_open_options *options,
                                        const sheaf_padding *padding, sheaf_error *err);
/* Sequences as entries: of one stream. */
SHEAF_USE sheaf_status sheaf_view_ungroup(sheaf_input *input, const sheaf_open_options *options,
                                          sheaf_error *err);
/* Rows of a table as entries: some columns are coordinates, one the value. */
SHEAF_USE sheaf_status sheaf_view_coordinates(sheaf_input *input, const sheaf_tensor_options *tensor,
                                              sheaf_error *err);
/* Rows of a table of numbers as those of a matrix, and the reverse. */
SHEAF_USE sheaf_status sheaf_view_matrix(sheaf_input *input, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_view_wide(sheaf_input *input, const sheaf_open_options *options,
                                       sheaf_error *err);
/* Rows of a table as sequences of one sample: each number is a stream. */
SHEAF_USE sheaf_status sheaf_view_cells(sheaf_input *input, sheaf_error *err);
/* Entries, including those that their structure implies; of a dense tensor the `content` alone. */
SHEAF_USE sheaf_status sheaf_view_expand(sheaf_input *input, bool content, sheaf_error *err);
/* Entries as rows of a table. */
SHEAF_USE sheaf_status sheaf_view_table(sheaf_input *input, sheaf_error *err);

#endif
