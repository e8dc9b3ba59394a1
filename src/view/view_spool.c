/* SPDX-License-Identifier: MIT */
/* Rows that are needed in any order, although the input below can be read only in order: they are kept in a
 * temporary file, piece by piece. A piece of this view is the buffers of a frame, in an order that the schema
 * determines:
 *
 *     int64 number of rows | int64 size of each buffer | zeros | buffer | zeros | buffer | zeros ...
 *
 * Zeros fill up to a multiple of ALIGNMENT, so that buffers are used where they were read, without a copy. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "frame/frame.h"
#include "io/spool.h"
#include "view/view.h"

enum { ALIGNMENT = 64 };

typedef struct spooled {
	sheaf_row_view view;
	sheaf_spool spool;
	sheaf_builder ends; /* int64: where each piece ends in the file */
	int64_t next;       /* next piece to cut */
	int64_t row;        /* while the file is written: of the next row */
	int64_t bytes;      /* approximate size of a piece */
	sheaf_frame frame;  /* that is being filled */
} spooled;

/* ---- the buffers of a frame ---- */

/* The number of buffers that a frame of this schema has: the lines and numbers of rows, and for each column
 * those of its levels (offsets, gaps, indices) and its values. */
static int count_buffers(const sheaf_frame *frame)
{
	int n = 2;
	for (int c = 0; c < frame->ncolumns; c++) {
		n++;
		for (int l = 0; l < frame->columns[c].nlevels; l++) {
			const sheaf_level_shape *shape = &frame->columns[c].levels[l].shape;
			n += 1 + shape->rank + (shape->missing ? 2 : 0);
		}
	}
	return n;
}

/* Lists pointers to the n buffers of a frame, in the order in which they are in the file; the caller
 * releases the array. */
static sheaf_status list_buffers(sheaf_frame *frame, int n, sheaf_context *cx, sheaf_buffer ***out,
                                 sheaf_error *err)
{
	int count = 0;
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)n, sizeof **out, out, err));
	sheaf_buffer **list = *out;
	list[count++] = &frame->lines;
	list[count++] = &frame->numbers;
	for (int c = 0; c < frame->ncolumns; c++) {
		sheaf_column *column = &frame->columns[c];
		for (int l = 0; l < column->nlevels; l++) {
			sheaf_level *level = &column->levels[l];
			list[count++] = &level->offsets;
			if (level->shape.missing)
				list[count++] = &level->gaps->valid, list[count++] = &level->gaps->codes;
			for (int dimension = 0; dimension < level->shape.rank; dimension++)
				list[count++] = &level->indices[dimension];
		}
		list[count++] = &column->values;
	}
	return SHEAF_OK;
}

static size_t aligned(size_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* ---- writing ---- */

/* Writes the rows that have been gathered as a piece, and keeps where it ends; without rows it does
 * nothing. The frame is empty afterwards. */
static sheaf_status end_piece(spooled *s, sheaf_error *err)
{
	static const uint8_t zeros[ALIGNMENT] = {0};
	sheaf_context *cx = s->view.cx;
	sheaf_buffer **buffers;
	sheaf_builder head;
	int nbuffers = count_buffers(&s->frame);
	if (s->frame.nrows == 0) return SHEAF_OK;
	SHEAF_TRY(list_buffers(&s->frame, nbuffers, cx, &buffers, err));
	sheaf_builder_begin(&head, cx, NULL);
	sheaf_builder_i64(&head, s->frame.nrows);
	for (int i = 0; i < nbuffers; i++) sheaf_builder_i64(&head, (int64_t)buffers[i]->size);
	sheaf_builder_append(&head, zeros, aligned(head.size) - head.size);
	sheaf_status status = sheaf_builder_status(&head, err);
	if (status == SHEAF_OK) status = sheaf_spool_append(&s->spool, head.data, head.size, err);
	sheaf_builder_drop(&head);
	for (int i = 0; i < nbuffers && status == SHEAF_OK; i++) {
		size_t size = buffers[i]->size;
		if (size) status = sheaf_spool_append(&s->spool, buffers[i]->data, size, err);
		if (status == SHEAF_OK && aligned(size) > size)
			status = sheaf_spool_append(&s->spool, zeros, aligned(size) - size, err);
	}
	sheaf_release(cx, (void *)buffers, (size_t)nbuffers * sizeof *buffers);
	sheaf_frame_clear(&s->frame);
	sheaf_builder_i64(&s->ends, s->spool.size);
	SHEAF_TRY(status);
	return sheaf_builder_status(&s->ends, err);
}

/* Reads all rows below, completed and reviewed, as if the caller read them, and writes them to the
 * temporary file. What is found is reported here, and only once. */
static sheaf_status write_spool(spooled *s, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_decoding decoding = {0};
	SHEAF_TRY(sheaf_spool_open(&s->spool, s->view.cx, err));
	SHEAF_TRY(sheaf_decoding_open(&decoding, s->view.inner, s->view.in, sheaf_usual_piece(s->view.cx),
	                              s->view.cx, err));
	sheaf_status status = SHEAF_OK;
	while (status == SHEAF_OK) {
		status = sheaf_check_stop(s->view.cx, err);
		if (status == SHEAF_OK) status = sheaf_view_next_below(&s->view, &decoding, s->row, &frame, err);
		if (status != SHEAF_OK) break;
		s->row += frame->nrows;
		/* Rows are copied, so that buffers contain what belongs to them and nothing else. */
		status = sheaf_frame_append(&s->frame, frame, 0, frame->nrows, s->view.cx, err);
		if (status == SHEAF_OK && sheaf_frame_bytes(&s->frame) >= s->bytes) status = end_piece(s, err);
	}
	if (status == SHEAF_END) status = end_piece(s, err);
	sheaf_decoding_close(&decoding);
	sheaf_frame_free(&s->frame);
	return status;
}

/* ---- reading ---- */

static int64_t count_pieces(const spooled *s) { return (int64_t)(s->ends.size / sizeof(int64_t)); }

static int64_t end_of(const spooled *s, int64_t piece)
{
	return piece < 0 ? 0 : ((const int64_t *)(const void *)s->ends.data)[piece];
}

/* Reads a piece from the temporary file, by its number, from any thread. */
static sheaf_status recall(const void *in, sheaf_piece *piece, sheaf_error *err)
{
	const spooled *s = (const spooled *)in;
	sheaf_builder memory;
	int64_t begin = end_of(s, piece->chunk - 1);
	size_t size = (size_t)(end_of(s, piece->chunk) - begin);
	sheaf_buffer_reset(&piece->notes);
	sheaf_builder_begin(&memory, s->view.cx, &piece->bytes);
	if (sheaf_builder_room(&memory, size)) {
		sheaf_status status = sheaf_spool_read(&s->spool, begin, memory.data, size, err);
		if (status) sheaf_builder_drop(&memory);
		SHEAF_TRY(status);
		memory.size = size;
	}
	return sheaf_builder_finish(&memory, &piece->bytes, err);
}

/* Gives the next piece of the temporary file, whatever size is asked for. */
static sheaf_status cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	spooled *s = (spooled *)in;
	(void)bytes;
	if (s->next == count_pieces(s)) return SHEAF_END;
	sheaf_view_empty_piece(piece);
	piece->size = end_of(s, s->next) - end_of(s, s->next - 1);
	piece->chunk = s->next;
	SHEAF_TRY(recall(in, piece, err));
	s->next++;
	return SHEAF_OK;
}

/* Makes a frame whose buffers are parts of the piece. Their sizes are those that this view has written
 * itself, so they are not checked. */
static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const spooled *s = (const spooled *)in;
	sheaf_buffer **buffers;
	const int64_t *head = (const int64_t *)(const void *)piece->bytes.data;
	sheaf_frame_free(frame);
	SHEAF_TRY(sheaf_frame_begin(frame, &s->view.schema, cx, err));
	int nbuffers = count_buffers(frame);
	size_t offset = aligned(((size_t)nbuffers + 1) * sizeof *head);
	SHEAF_TRY(list_buffers(frame, nbuffers, cx, &buffers, err));
	for (int i = 0; i < nbuffers; i++) {
		size_t size = (size_t)head[i + 1];
		if (size) *buffers[i] = sheaf_buffer_part(&piece->bytes, offset, size);
		offset += aligned(size);
	}
	sheaf_release(cx, (void *)buffers, (size_t)nbuffers * sizeof *buffers);
	frame->nrows = head[0];
	return SHEAF_OK;
}

/* Makes a piece the next one to be cut, or the first one (NULL); the file has all pieces. */
static sheaf_status go_back(void *in, const sheaf_piece *to, sheaf_error *err)
{
	(void)err;
	((spooled *)in)->next = to ? to->chunk : 0;
	return SHEAF_OK;
}

static void release(sheaf_row_view *view)
{
	spooled *s = (spooled *)view;
	sheaf_frame_free(&s->frame);
	sheaf_builder_drop(&s->ends);
	if (s->spool.cx) sheaf_spool_close(&s->spool);
}

static const sheaf_random_access random_access = {.recall = recall, .resumes = true};

/* Puts the view on the input that keeps all rows in a temporary file, from which they can be read in any
 * order. They are read here, at once: nothing is completed or reviewed later. */
sheaf_status sheaf_view_spool(sheaf_input *input, int64_t piece_bytes, sheaf_error *err)
{
	enum { USUAL = 2 << 20 };
	sheaf_row_view *view;
	SHEAF_TRY(sheaf_view_new(input, sizeof(spooled), &view, err));
	spooled *s = (spooled *)view;
	view->release = release;
	s->bytes = piece_bytes > 0 ? piece_bytes : USUAL;
	s->spool.fd = -1;
	sheaf_builder_begin(&s->ends, view->cx, NULL);
	SHEAF_TRY(sheaf_schema_copy(&view->in->schema, view->cx, &view->schema, err));
	SHEAF_TRY(write_spool(s, err));
	view->facts = view->in->facts;
	view->facts.rows = s->row;
	view->facts.chunks = count_pieces(s);
	view->format.cut = cut;
	view->format.decode = decode;
	view->format.review = NULL;
	view->format.rewind = go_back;
	view->decoder = NULL;
	view->has_placed = true;
	view->format.random = &random_access;
	return SHEAF_OK;
}
