/* SPDX-License-Identifier: MIT */
/* Messages one after the other: a schema, then batches, each of which is a piece. In a file a signature
 * precedes them, and a footer follows, which says where they are, and is not needed here.
 *
 *   ff ff ff ff   size of the head    head: a flatbuffer    padding to 8    body: buffers
 *
 * Dictionaries are messages between the batches that need them. In an input where any byte can be read, all
 * heads are surveyed first: that gives the number of rows, shows which fields have missing entries (the
 * schema says only that they may), and all dictionaries, so that batches can be decoded in any order. In one
 * that is compressed, they are met in their turn. */
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "format/arrow/ipc.h"
#include "frame/frame.h"
#include "frame/frame_builder.h"
#include "io/descriptor.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>

/* The input ends within the message at a byte. */
static sheaf_status cut_short(const sheaf_ipc_reader *in, int64_t byte, const char *expected,
                              sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_SHORT, "%s: byte %" PRId64 ": expected %s, found the end of the input",
	                  sheaf_source_name(in->source), byte, expected);
}

/* ---- the next message of the stream ---- */

/* The next message, whose head stays valid until the source moves. END after the last one, which a file marks
 * and a stream may mark. */
static sheaf_status look_at_message(sheaf_ipc_reader *in, sheaf_ipc_message *out, sheaf_error *err)
{
	sheaf_ipc_prefix prefix;
	sheaf_bytes bytes;
	int64_t byte = sheaf_source_tell(in->source);
	SHEAF_TRY(sheaf_source_ahead(in->source, SHEAF_IPC_PREFIX, &bytes, err));
	prefix = sheaf_ipc_prefix_of(bytes.data, bytes.size);
	if (prefix.ends) return SHEAF_END;
	if (!prefix.head) return cut_short(in, byte, "the size of a message", err);
	size_t size = (size_t)(prefix.before + prefix.head);
	SHEAF_TRY(sheaf_source_ahead(in->source, size, &bytes, err));
	if (bytes.size < size) return cut_short(in, byte, "the rest of a message's header", err);
	return sheaf_ipc_judge_message(in, (sheaf_bytes){bytes.data, size}, byte, out, err);
}

/* Takes the message whose head was just looked at out of the source, head and body, as one buffer. */
static sheaf_status take_message(sheaf_ipc_reader *in, const sheaf_ipc_message *message, sheaf_buffer *out,
                                 sheaf_error *err)
{
	sheaf_bytes bytes;
	int64_t byte = sheaf_source_tell(in->source);
	uint64_t size = (uint64_t)message->head + (uint64_t)message->body;
	if (size > SIZE_MAX / 2) return sheaf_ipc_unsound(in, byte, "a body longer than any memory", err);
	SHEAF_TRY(sheaf_source_ahead(in->source, (size_t)size, &bytes, err));
	if (bytes.size < size) return cut_short(in, byte, "the rest of a batch", err);
	sheaf_source_take(in->source, (size_t)size, out);
	return SHEAF_OK;
}

/* ---- all messages, where any byte can be read ---- */

/* Reads the head of the message at a byte of an input where any byte can be read; *head holds its bytes. END
 * where the stream says that it ends. */
static sheaf_status read_head(sheaf_ipc_reader *in, int64_t byte, sheaf_buffer *head, sheaf_ipc_message *out,
                              sheaf_error *err)
{
	uint8_t first[SHEAF_IPC_PREFIX];
	SHEAF_TRY(sheaf_source_read_at(in->source, byte, first, sizeof first, err));
	sheaf_ipc_prefix prefix = sheaf_ipc_prefix_of(first, sizeof first);
	if (prefix.ends) return SHEAF_END;
	size_t size = (size_t)(prefix.before + prefix.head);
	SHEAF_TRY(sheaf_source_view_at(in->source, byte, size, head, err));
	return sheaf_ipc_judge_message(in, (sheaf_bytes){head->data, size}, byte, out, err);
}

/* A message of a stream. */
typedef struct place {
	int64_t byte, size;
} place;

/* Goes through the heads of all messages: counts the rows and the batches, notes which fields have missing
 * entries, and lists where dictionaries are. Returns SHORT, without a message, where one does not fit the
 * input; what was counted up to there is then no fact. */
static sheaf_status survey(sheaf_ipc_reader *in, sheaf_builder *dictionaries, sheaf_error *err)
{
	enum { LENGTH };
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer head = {0};
	int64_t rows = 0, batches = 0, byte = in->first, size = sheaf_source_size(in->source);
	sheaf_status status = SHEAF_OK;
	while (!status && byte < size) {
		sheaf_ipc_message message;
		status = read_head(in, byte, &head, &message, err);
		if (status) break;
		bool is_batch = message.kind == SHEAF_IPC_BATCH;
		place at = {byte, message.head + message.body};
		int64_t n = is_batch ? sheaf_fb_number(&message.table, LENGTH, 8, 0) : 0;
		if (n < 0 || rows > INT64_MAX - n || message.body > size - byte - message.head) {
			status = SHEAF_SHORT;
			break;
		}
		rows += n;
		batches += is_batch;
		if (is_batch) sheaf_ipc_survey_nulls(in, &message);
		if (message.kind == SHEAF_IPC_DICTIONARY) sheaf_builder_append(dictionaries, &at, sizeof at);
		byte += at.size;
	}
	if (!status || status == SHEAF_END) in->facts.rows = rows, in->facts.chunks = batches;
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* Reads the dictionaries that the survey has found, in their order: later ones replace or extend earlier
 * ones. */
static sheaf_status read_dictionaries(sheaf_ipc_reader *in, const sheaf_builder *places, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	for (size_t at = 0; at < places->size; at += sizeof(place)) {
		place p;
		memcpy(&p, places->data + at, sizeof p);
		SHEAF_TRY(sheaf_source_view_at(in->source, p.byte, (size_t)p.size, &bytes, err));
		SHEAF_TRY(sheaf_ipc_read_dictionary(in, &bytes, p.byte, err));
	}
	return SHEAF_OK;
}

/* Whether a failure is not the input's fault, so that going on would not help. */
static bool is_of_system(sheaf_status status)
{
	return status == SHEAF_IO || status == SHEAF_NOMEM || status == SHEAF_LIMIT || status == SHEAF_STOPPED;
}

/* Surveys the batches, chooses the columns, and reads all dictionaries. Errors in messages are found again,
 * and reported, in their turn; until then, rows are given as far as they are sound. */
static sheaf_status learn_all(sheaf_ipc_reader *in, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder places = {.cx = in->cx};
	sheaf_status found = survey(in, &places, err);
	if (is_of_system(found)) return found;
	SHEAF_TRY(sheaf_builder_status(&places, err));
	SHEAF_TRY(sheaf_ipc_choose_columns(in, err));
	sheaf_status status = read_dictionaries(in, &places, err);
	if (is_of_system(status)) return status;
	if (!status) status = found;
	in->known = status == SHEAF_OK;
	if (in->known) return SHEAF_OK;
	in->facts = SHEAF_NO_FACTS;
	return sheaf_forgive(status, "cutting meets it in its place");
}

/* ---- opening ---- */

/* Reads the schema, which comes first, and chooses the columns. Some of what the schema leaves open, only the
 * heads of all batches say: they are surveyed if any byte can be read anyway, or if the columns depend on it.
 * In the latter case a compressed input is unpacked to where any byte can be read. */
static sheaf_status open_stream(sheaf_ipc_reader *in, sheaf_error *err)
{
	sheaf_ipc_message message;
	bool plain = sheaf_source_is_plain(in->source);
	if (plain) SHEAF_TRY(sheaf_source_make_seekable(in->source, err));
	sheaf_status status = look_at_message(in, &message, err);
	if (status == SHEAF_END) return sheaf_ipc_unsound(in, 0, "no message", err);
	SHEAF_TRY(status);
	if (message.kind != SHEAF_IPC_SCHEMA || message.body)
		return sheaf_ipc_unsound(in, 0, "another one before the schema", err);
	SHEAF_TRY(sheaf_ipc_learn_schema(in, &message.table, err));
	in->first = message.head;
	bool whole = plain || sheaf_ipc_depends_on_nulls(in);
	if (whole) SHEAF_TRY(sheaf_source_make_seekable(in->source, err));
	SHEAF_TRY(whole ? learn_all(in, err) : sheaf_ipc_choose_columns(in, err));
	return sheaf_ipc_rewind(in, NULL, err);
}

sheaf_status sheaf_ipc_open(void *reader, const sheaf_values *values, const sheaf_opening *how,
                            sheaf_error *err)
{
	sheaf_ipc_reader *in = (sheaf_ipc_reader *)reader;
	sheaf_bytes head;
	(void)values, (void)how; /* neither changes what the schema and the heads of all batches say */
	in->facts = SHEAF_NO_FACTS;
	in->last_dictionary = -1;
	SHEAF_TRY(sheaf_source_ahead(in->source, SHEAF_IPC_FIRST, &head, err));
	if (head.size >= 4 && memcmp(head.data, "FEA1", 4) == 0)
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"%s: expected Arrow's own format, found the first version of Feather; pyarrow reads it, "
			"and writes the second one",
			sheaf_source_name(in->source));
	in->is_file =
		head.size >= SHEAF_IPC_MAGIC_SIZE && memcmp(head.data, SHEAF_IPC_MAGIC, SHEAF_IPC_MAGIC_SIZE) == 0;
	return in->is_file ? sheaf_ipc_open_file(in, err) : open_stream(in, err);
}

void sheaf_ipc_close(void *reader)
{
	sheaf_ipc_reader *in = (sheaf_ipc_reader *)reader;
	sheaf_ipc_free_dictionaries(in);
	sheaf_buffer_reset(&in->blocks);
	sheaf_buffer_reset(&in->batch.bytes);
	sheaf_arrow_plan_free(&in->plan);
	if (in->columns.release) in->columns.release(&in->columns);
}

/* ---- cutting ---- */

/* Takes the next batch of a stream into in->batch. Dictionaries before it are read in their turn, unless they
 * were read already: all of them at once (`known`), or the first time through, which is up to the byte
 * last_dictionary. */
static sheaf_status next_batch(sheaf_ipc_reader *in, sheaf_error *err)
{
	sheaf_ipc_message message = {0};
	for (;;) {
		SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
		SHEAF_TRY(look_at_message(in, &message, err));
		in->batch.byte = sheaf_source_tell(in->source);
		if (message.kind == SHEAF_IPC_BATCH) return take_message(in, &message, &in->batch.bytes, err);
		if (message.kind == SHEAF_IPC_SCHEMA)
			return sheaf_ipc_unsound(in, in->batch.byte, "another schema", err);
		SHEAF_TRY(take_message(in, &message, &bytes, err));
		if (!in->known && in->last_dictionary < in->batch.byte)
			SHEAF_TRY(sheaf_ipc_read_dictionary(in, &bytes, in->batch.byte, err));
	}
}

/* Decides how the batch that was just taken is cut: into one piece (rows and step are -1), or into runs of
 * `step` rows, if it is more than LONG times as long as a piece should be and not compressed, as buffers are
 * unpacked whole. A batch that is resumed at a row was cut like that before, whatever size pieces have now.
 */
static sheaf_status begin_batch(sheaf_ipc_reader *in, int64_t bytes, sheaf_error *err)
{
	enum { LENGTH, LONG = 4 };
	sheaf_ipc_message message;
	sheaf_buffer body;
	int64_t size = (int64_t)in->batch.bytes.size;
	in->batch.number = in->number++;
	in->batch.row = in->resumed;
	in->batch.rows = in->batch.step = -1;
	in->resumed = 0;
	if (size / LONG <= bytes && in->batch.row == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_ipc_read_taken(in, &in->batch.bytes, in->batch.byte, &message, &body, err));
	int64_t rows = sheaf_fb_number(&message.table, LENGTH, 8, 0), pieces = size / bytes + 1;
	if (in->batch.row > 0 && in->batch.row >= rows)
		return sheaf_ipc_unsound(in, in->batch.byte, "a shorter batch there", err);
	if (message.codec != SHEAF_IPC_PLAIN && in->batch.row == 0) return SHEAF_OK;
	if (rows < 2) return SHEAF_OK;
	in->batch.rows = rows;
	in->batch.step = rows / pieces + (rows % pieces != 0);
	return SHEAF_OK;
}

/* Gives the next run of the current batch, or begins the next batch. All pieces of a batch share its bytes.
 * What is a column in text is here the number of a piece's first row in its batch, from 1 on; -1 for a whole
 * batch. So a place that names a piece also says where in the batch it begins. */
sheaf_status sheaf_ipc_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_ipc_reader *in = (sheaf_ipc_reader *)reader;
	sheaf_ipc_batch *b = &in->batch;
	if (!b->bytes.size) {
		SHEAF_TRY(in->is_file ? sheaf_ipc_next_in_file(in, err) : next_batch(in, err));
		SHEAF_TRY(begin_batch(in, bytes, err));
	}
	int64_t n = b->rows - b->row < b->step ? b->rows - b->row : b->step;
	piece->byte = b->byte;
	piece->size = (int64_t)b->bytes.size;
	piece->line = -1;
	piece->column = b->rows < 0 ? -1 : b->row + 1;
	piece->chunk = b->number;
	SHEAF_TRY(sheaf_ipc_note(in, b->row, n, piece, err));
	sheaf_buffer_reset(&piece->bytes);
	piece->bytes = sheaf_buffer_ref(&b->bytes);
	b->row += n;
	if (b->row >= b->rows) sheaf_buffer_reset(&b->bytes);
	return SHEAF_OK;
}

/* ---- batches in any order ---- */

/* Refuses to read batches in any order if a column has a dictionary and the dictionaries were not all read
 * when the input was opened. */
static sheaf_status check_known(const sheaf_ipc_reader *in, sheaf_error *err)
{
	int64_t i = 0;
	while (i < in->lexicon.n && !in->lexicon.words[i].field) i++;
	if (in->known || i == in->lexicon.n) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s: expected an input that is not compressed, since column \"%s\" has dictionaries, "
	                  "found one that is",
	                  sheaf_source_name(in->source), in->lexicon.words[i].field->name);
}

/* The place of a piece says whether it is a whole batch, or a run, of as many rows as it is known to have. */
sheaf_status sheaf_ipc_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_ipc_reader *in = (const sheaf_ipc_reader *)reader;
	SHEAF_TRY(check_known(in, err));
	bool is_run = piece->column > 0;
	if (piece->byte < 0 || piece->size < SHEAF_IPC_PREFIX || (is_run && piece->slices < 1))
		return sheaf_ipc_unsound(in, piece->byte, "none there", err);
	SHEAF_TRY(sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err));
	return sheaf_ipc_note(in, is_run ? piece->column - 1 : 0, is_run ? piece->slices : -1, piece, err);
}

/* Goes to the beginning (`to` NULL), or to the batch of a piece, in which cutting resumes at the piece's row.
 * A file is addressed by the number of the batch, a stream by its byte. */
sheaf_status sheaf_ipc_rewind(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	sheaf_ipc_reader *in = (sheaf_ipc_reader *)reader;
	sheaf_bytes head;
	if (to) SHEAF_TRY(check_known(in, err));
	in->number = to ? to->chunk : 0;
	in->resumed = to && to->column > 0 ? to->column - 1 : 0;
	sheaf_buffer_reset(&in->batch.bytes);
	if (in->is_file) return SHEAF_OK;
	if (to) return sheaf_source_seek(in->source, to->byte, err);
	SHEAF_TRY(sheaf_source_rewind(in->source, err));
	SHEAF_TRY(sheaf_source_ahead(in->source, (size_t)in->first, &head, err));
	sheaf_source_consume(in->source, (size_t)in->first);
	return SHEAF_OK;
}

/* ---- decoding ---- */

/* Puts the rows of a piece into a builder: the batch becomes an array of Arrow's, and that becomes columns,
 * by the plan if the schema is one of ours, else as Arrow's types say. Runs on any thread. */
static sheaf_status take_rows(const sheaf_ipc_reader *in, const sheaf_piece *piece, sheaf_frame_builder *b,
                              sheaf_context *cx, sheaf_error *err)
{
	sheaf_ipc_message message;
	sheaf_arrow_taken *taken;
	struct ArrowArray rows;
	sheaf_ipc_notes notes;
	const struct ArrowSchema *columns = &in->columns;
	memcpy(&notes, piece->notes.data, sizeof notes);
	sheaf_ipc_body body = {.byte = piece->byte,
	                       .lexicon = &in->lexicon,
	                       .first = notes.first,
	                       .rows = notes.rows,
	                       .swapped = in->swapped,
	                       .whole = in->plan.tops != NULL,
	                       .cx = cx};
	SHEAF_TRY(sheaf_ipc_read_taken(in, &piece->bytes, piece->byte, &message, &body.bytes, err));
	body.message = &message;
	if (message.kind != SHEAF_IPC_BATCH)
		return sheaf_ipc_unsound(in, piece->byte, "a message of another kind", err);
	SHEAF_TRY(sheaf_ipc_read_rows(&body, &in->columns, &rows, err));
	sheaf_status status = sheaf_arrow_taken_new(&rows, cx, &taken, err);
	if (status) {
		rows.release(&rows);
		return status;
	}
	status = in->plan.tops ? sheaf_arrow_restore(&in->plan, taken, columns, b, err)
	                       : sheaf_arrow_take(taken, columns, b, err);
	sheaf_arrow_taken_let_go(taken);
	return status;
}

/* Decodes a piece. If its batch has an error, nothing in it can be relied on: none of its rows is given. Bad
 * data is a finding, with the message of the failure as what was found; every other failure is returned. */
sheaf_status sheaf_ipc_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                              sheaf_context *cx, sheaf_error *err)
{
	const sheaf_ipc_reader *in = (const sheaf_ipc_reader *)reader;
	sheaf_frame_builder b;
	sheaf_error failure = {0};
	sheaf_status status = sheaf_frame_builder_begin(&b, &in->schema, frame, cx, &failure);
	if (!status) status = take_rows(in, piece, &b, cx, &failure);
	status = sheaf_frame_builder_end(&b, status, frame, &failure);
	if (!status) status = sheaf_ipc_empty_missing(frame, &in->schema, cx, &failure);
	if (!status) status = sheaf_frame_check(frame, &in->schema, SHEAF_CHECK_FULL, &failure);
	if (!status) return SHEAF_OK;
	frame->nrows = 0;
	if (status == SHEAF_DATA) {
		char found[sizeof failure.message];
		snprintf(found, sizeof found, "%s", failure.message);
		sheaf_problem problem = sheaf_problem_in(
			sheaf_source_name(in->source),
			&SHEAF_FINDING(SHEAF_FATAL, "record batch", "a batch that keeps to the schema", found));
		problem.place.byte = piece->byte;
		problem.place.chunk = piece->chunk;
		failure = (sheaf_error){0};
		status = sheaf_report(cx, &problem, &failure);
	}
	if (status == SHEAF_UNSUPPORTED)
		return sheaf_fail_within(err, &failure, "%s: byte %" PRId64, sheaf_source_name(in->source),
		                         piece->byte);
	return status ? sheaf_fail_again(err, &failure) : SHEAF_OK;
}
