/* SPDX-License-Identifier: MIT */
/* A complete format of binary records, as an example: vectors of one length, each of which is
 *
 *     length (int32, little-endian), that many values (float32, little-endian)
 *
 * Each is a sequence with one sample of the stream "vector". In a folder of src/format this file is a format.
 */
#include "base/endian.h"
#include "base/suffix.h"
#include "format/format.h"
#include "frame/frame_builder.h"
#include "io/source.h"
#include <inttypes.h>

static const char *const suffixes[] = {".fvecs", NULL};

typedef struct reader {
	SHEAF_BASE(sheaf_reader, reader);
	int64_t dim, bytes, next; /* values and bytes of a vector; the one to cut next */
} reader;

/* Nothing in a file says that it is one. */
static sheaf_likely probe(sheaf_glimpse *at)
{
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO;
}

/* The source is seekable (needs_seek), so its size is known; the first vector shows the length of all. */
static sheaf_status open_reader(void *opened, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	reader *in = (reader *)opened;
	uint8_t length[4];
	int64_t size = sheaf_source_size(in->source);
	(void)values, (void)how;
	SHEAF_TRY(sheaf_source_read_at(in->source, 0, length, sizeof length, err));
	in->dim = sheaf_load_i32le(length);
	in->bytes = 4 + 4 * in->dim;
	if (in->dim < 1 || size % in->bytes)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected vectors of %" PRId64 " values, found %" PRId64 " bytes",
		                  sheaf_source_name(in->source), in->dim, size);
	in->facts.rows = in->facts.samples = size / in->bytes;
	in->schema.cx = in->cx;
	return sheaf_schema_add_dense(&in->schema, "vector", in->dim, SHEAF_F32, err);
}

/* A piece whose place is known, perhaps from an index, which is not trusted, gets a view of the file. */
static sheaf_status recall(const void *opened, sheaf_piece *piece, sheaf_error *err)
{
	const reader *in = (const reader *)opened;
	if (piece->byte >= 0 && piece->byte % in->bytes == 0 && piece->size > 0 && piece->size % in->bytes == 0)
		return sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err);
	return sheaf_fail(err, SHEAF_DATA, "%s: expected the place of vectors, found byte %" PRId64,
	                  sheaf_source_name(in->source), piece->byte);
}

static sheaf_status cut(void *opened, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	reader *in = (reader *)opened;
	int64_t n = bytes > in->bytes ? bytes / in->bytes : 1, left = in->facts.rows - in->next;
	if (left == 0) return SHEAF_END;
	if (n > left) n = left;
	sheaf_buffer_reset(&piece->bytes);
	*piece = (sheaf_piece){in->next * in->bytes, n * in->bytes, .line = -1, .column = -1, .chunk = -1};
	in->next += n;
	return recall(in, piece, err);
}

static sheaf_status rewind_reader(void *opened, const sheaf_piece *to, sheaf_error *err)
{
	(void)err;
	((reader *)opened)->next = to ? to->byte / ((reader *)opened)->bytes : 0;
	return SHEAF_OK;
}

/* A row ends with its only sample, which is as many values as the schema says. */
static sheaf_status decode(const void *opened, const sheaf_piece *piece, sheaf_frame *frame,
                           sheaf_context *cx, sheaf_error *err)
{
	const reader *in = (const reader *)opened;
	sheaf_frame_builder to;
	sheaf_status status = sheaf_frame_builder_begin(&to, &in->schema, frame, cx, err);
	for (int64_t at = 0; status == SHEAF_OK && at < piece->size; at += in->bytes) {
		const uint8_t *vector = piece->bytes.data + at;
		if (sheaf_load_i32le(vector) != in->dim) {
			status = sheaf_fail(
				err, SHEAF_DATA, "%s: byte %" PRId64 ": expected %" PRId64 " values, found %d",
				sheaf_source_name(in->source), piece->byte + at, in->dim, sheaf_load_i32le(vector));
			break;
		}
		void *values = sheaf_builder_extend(&to.columns[0].values, 4 * (uint64_t)in->dim);
		if (values) sheaf_copy_le(values, vector + 4, (size_t)in->dim, 4);
		sheaf_level_end(&to.columns[0].levels[0], ++to.nrows);
	}
	return sheaf_frame_builder_end(&to, status, frame, err);
}

static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	(void)values;
	if (schema->nfields != 1 || !sheaf_field_is_dense(&schema->fields[0]))
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected one dense stream, found %d fields",
		                  schema->nfields);
	schema->fields[0].type = SHEAF_F32; /* what changes a value on the way is reported */
	return SHEAF_OK;
}

static sheaf_status encode(const void *out, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const sheaf_column *column = &frame->columns[0];
	int64_t dim = sheaf_field_dim(&((const sheaf_output *)out)->schema.fields[0]);
	for (int64_t r = 0; r < frame->nrows; r++, ++*samples) {
		sheaf_run run = sheaf_level_below_one(&column->levels[0], r);
		if (sheaf_run_length(run) != 1)
			return sheaf_fail(err, SHEAF_UNSUPPORTED, "row %" PRId64 ": expected one sample, found %" PRId64,
			                  row + r, sheaf_run_length(run));
		sheaf_builder_u32le(b, (uint32_t)dim);
		void *values = sheaf_builder_extend(b, 4 * (uint64_t)dim);
		if (values) sheaf_copy_le(values, column->values.data + 4 * run.begin * dim, (size_t)dim, 4);
	}
	return sheaf_builder_status(b, err);
}

static const sheaf_random_access by_place = {.recall = recall, .resumes = true};
static const sheaf_writing writing = {
	.takes = SHEAF_TAKES_SEQUENCES, .accept = accept, .output_size = sizeof(sheaf_output), .encode = encode};

const sheaf_format sheaf_format_fvecs = {.name = "fvecs",
                                         .summary = "vectors of float32, each after its length",
                                         .suffixes = suffixes,
                                         .needs_seek = true,
                                         .random = &by_place,
                                         .write = &writing,
                                         .probe = probe,
                                         .reader_size = sizeof(reader),
                                         .open = open_reader,
                                         .cut = cut,
                                         .decode = decode,
                                         .rewind = rewind_reader};
