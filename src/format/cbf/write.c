/* SPDX-License-Identifier: MIT */
/* Sequences into chunks, one stream after the other, and the header with the chunk table at the end. A chunk
 * goes to the output when the first row of the next one arrives, so nothing that is written is changed later,
 * and the output may be a pipe. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/cbf/cbf.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_CHUNK = 32 << 20 };

typedef struct writer {
	SHEAF_BASE(sheaf_output, output);
	int64_t chunk_bytes;
	bool sort_indices;
	int main; /* stream whose samples count as those of the sequence, or -1: the largest */
	sheaf_builder table;
	uint64_t nchunks;
	sheaf_blob *blobs; /* of the chunk that is being made: it is written once all of it is there */
	int64_t nblobs, room;
} writer;

/* ---- accepted schemas ---- */

/* Indices have 31 bits, and dims 32. A name may not be empty: readers refuse an empty one. Floats hold
 * integers of up to 16 bits, doubles those of up to 32; longer ones are LOSS if they do not fit. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	const char *precision = sheaf_values_text(values, "element-type");
	if (schema->nfields == 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected at least one stream to write, found %d", 0);
	for (int i = 0; i < schema->nfields; i++) {
		sheaf_field *field = &schema->fields[i];
		int64_t most = sheaf_field_is_sparse(field) ? INT32_MAX : UINT32_MAX;
		SHEAF_TRY(sheaf_field_need_stream(field, err));
		if (sheaf_field_dim(field) < 1 || sheaf_field_dim(field) > most)
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "stream \"%s\": expected a dim from 1 to %" PRId64 ", found %" PRId64,
			                  field->name, most, sheaf_field_dim(field));
		if (!*field->name)
			return sheaf_fail(err, SHEAF_UNSUPPORTED, "stream: expected a name of at least 1 byte, found %s",
			                  "none");
		bool wide = precision ? strcmp(precision, "double") == 0
		                      : field->type != SHEAF_F32 && sheaf_type_size(field->type) > 2;
		field->type = wide ? SHEAF_F64 : SHEAF_F32;
	}
	/* The main stream by its name; without such a stream the one that the input has marked counts: its reader
	 * may have found it by its alias. */
	const char *name = sheaf_values_text(values, "main-stream");
	int main = name ? sheaf_schema_find(schema, name) : -1;
	bool any = false;
	for (int i = 0; i < schema->nfields; i++) any |= schema->fields[i].main;
	if (!name || (main < 0 && any)) return SHEAF_OK;
	if (main < 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "main-stream",
		                         ": expected the name of a stream, found \"%s\"", name);
	for (int i = 0; i < schema->nfields; i++) schema->fields[i].main = i == main;
	return SHEAF_OK;
}

/* ---- create ---- */

static void drop_blobs(writer *out)
{
	while (out->nblobs > 0) sheaf_buffer_reset(&out->blobs[--out->nblobs].bytes);
}

static void close_output(void *created)
{
	writer *out = (writer *)created;
	sheaf_builder_drop(&out->table);
	drop_blobs(out);
	sheaf_release(out->cx, out->blobs, (size_t)out->room * sizeof *out->blobs);
}

static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	uint8_t prefix[CBF_PREFIX];
	(void)totals;
	out->main = -1;
	out->sort_indices = sheaf_values_flag(values, "sort-indices");
	out->chunk_bytes = sheaf_values_number(values, "chunk-bytes", USUAL_CHUNK);
	if (out->chunk_bytes < 1) out->chunk_bytes = 1; /* each sequence its own chunk, as in CNTK */
	sheaf_builder_begin(&out->table, out->cx, NULL);
	for (int i = 0; i < out->schema.nfields; i++)
		if (out->schema.fields[i].main) out->main = i;
	SHEAF_TRY(sheaf_cbf_note_mixture(&out->schema, out->cx, sheaf_sink_name(out->sink), SHEAF_WARNING,
	                                 SHEAF_OPTION("out-element-type") " makes them one", err));
	for (int i = 0; i < out->schema.nfields; i++) {
		const char *c = out->schema.fields[i].name;
		while (*c && (unsigned char)*c < 0x80) c++;
		if (!*c) continue;
		sheaf_problem problem =
			sheaf_problem_in(sheaf_sink_name(out->sink), &SHEAF_FINDING(SHEAF_WARNING, "name beyond ASCII",
		                                                                "a stream name of ASCII characters",
		                                                                "others", "written as UTF-8"));
		problem.place.stream = out->schema.fields[i].name;
		SHEAF_TRY(sheaf_report(out->cx, &problem, err));
	}
	sheaf_store_u64le(prefix, CBF_MAGIC);
	sheaf_store_u32le(prefix + 8, CBF_VERSION);
	return sheaf_sink_write(out->sink, prefix, sizeof prefix, err);
}

/* ---- chunks ----
 *
 * A chunk has the lengths of its sequences, then all samples of the first stream, then those of the second,
 * and so on. So that it is never in memory twice, as rows and as bytes, it is encoded in blobs of some rows,
 * each of which has such segments, too, after the offsets at which they end (uint64). */

static int count_segments(const writer *out) { return 1 + out->schema.nfields; }

static sheaf_status write_chunk(writer *out, sheaf_error *err)
{
	int64_t rows = 0, samples = 0;
	if (out->nblobs == 0) return SHEAF_OK;
	for (int64_t i = 0; i < out->nblobs; i++) {
		rows += out->blobs[i].rows;
		samples += out->blobs[i].samples;
	}
	/* The table records where the chunk begins. */
	if (out->nchunks == UINT32_MAX)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected at most %" PRIu32
		                  " chunks, found more: raise " SHEAF_OPTION("chunk-bytes"),
		                  sheaf_sink_name(out->sink), UINT32_MAX);
	if (rows > UINT32_MAX || samples > UINT32_MAX)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: chunk %" PRIu64 ": expected at most %" PRIu32
		                  " sequences and samples in a chunk, found more: lower " SHEAF_OPTION("chunk-bytes"),
		                  sheaf_sink_name(out->sink), out->nchunks, UINT32_MAX);
	out->nchunks++;
	sheaf_builder_u64le(&out->table, (uint64_t)sheaf_sink_tell(out->sink));
	sheaf_builder_u32le(&out->table, (uint32_t)rows);
	sheaf_builder_u32le(&out->table, (uint32_t)samples);
	SHEAF_TRY(sheaf_builder_status(&out->table, err));
	for (int s = 0; s < count_segments(out); s++)
		for (int64_t i = 0; i < out->nblobs; i++) {
			const uint8_t *blob = out->blobs[i].bytes.data, *ends = blob + (size_t)s * sizeof(uint64_t);
			size_t begin = s ? (size_t)sheaf_load_u64le(ends - sizeof(uint64_t))
			                 : (size_t)count_segments(out) * sizeof(uint64_t),
				   end = (size_t)sheaf_load_u64le(ends);
			if (end > begin) SHEAF_TRY(sheaf_sink_write(out->sink, blob + begin, end - begin, err));
		}
	drop_blobs(out);
	return SHEAF_OK;
}

/* Keeps a blob until its chunk is complete; `begins` marks the first one of the next chunk. */
static sheaf_status append(void *created, const sheaf_blob *blob, sheaf_error *err)
{
	enum { FEW = 64 };
	writer *out = (writer *)created;
	if (blob->begins) SHEAF_TRY(write_chunk(out, err));
	if (out->nblobs == out->room) {
		int64_t room = out->room ? 2 * out->room : FEW;
		SHEAF_TRY(sheaf_reallocate(out->cx, &out->blobs, (size_t)out->room * sizeof *out->blobs,
		                           (size_t)room * sizeof *out->blobs, err));
		out->room = room;
	}
	out->blobs[out->nblobs] = *blob;
	out->blobs[out->nblobs++].bytes = sheaf_buffer_ref(&blob->bytes);
	return SHEAF_OK;
}

/* ---- finish ---- */

static sheaf_status finish(void *created, sheaf_error *err)
{
	writer *out = (writer *)created;
	SHEAF_TRY(write_chunk(out, err));
	/* The header ends with its own position, by which readers find it. */
	sheaf_builder b;
	uint64_t at = (uint64_t)sheaf_sink_tell(out->sink);
	sheaf_builder_begin(&b, out->cx, NULL);
	sheaf_builder_u64le(&b, CBF_MAGIC);
	sheaf_builder_u32le(&b, (uint32_t)out->nchunks);
	sheaf_builder_u32le(&b, (uint32_t)out->schema.nfields);
	for (int i = 0; i < out->schema.nfields; i++) {
		const sheaf_field *field = &out->schema.fields[i];
		sheaf_builder_byte(&b, sheaf_field_is_sparse(field) ? 1 : 0);
		sheaf_builder_u32le(&b, (uint32_t)strlen(field->name));
		sheaf_builder_text(&b, field->name);
		sheaf_builder_byte(&b, field->type == SHEAF_F64 ? 1 : 0);
		sheaf_builder_u32le(&b, (uint32_t)sheaf_field_dim(field));
	}
	sheaf_builder_append(&b, out->table.data, out->table.size);
	sheaf_builder_u64le(&b, at);
	sheaf_status status = sheaf_builder_status(&b, err);
	if (status == SHEAF_OK) status = sheaf_sink_write(out->sink, b.data, b.size, err);
	sheaf_builder_drop(&b);
	return status;
}

/* ---- encode ---- */

static sheaf_run samples_of(const sheaf_column *column, int64_t r)
{
	return sheaf_level_below_one(&column->levels[0], r);
}

/* The bytes of a sequence in one stream: counts, values and indices. */
static int64_t stream_bytes(const sheaf_column *column, int64_t r)
{
	sheaf_run samples = samples_of(column, r), entries = sheaf_level_below(&column->levels[1], samples);
	int64_t n = sheaf_run_length(samples), values = sheaf_run_length(entries),
			size = (int64_t)sheaf_type_size(column->type);
	return column->levels[1].shape.kind == SHEAF_COORD ? 8 + values * (size + 4) + n * 4 : 4 + values * size;
}

static int64_t sizes(const void *created, const sheaf_frame *frame, int64_t *bytes_of_row)
{
	for (int64_t r = 0; r < frame->nrows; r++) {
		bytes_of_row[r] = 4;
		for (int s = 0; s < frame->ncolumns; s++) bytes_of_row[r] += stream_bytes(&frame->columns[s], r);
	}
	return ((const writer *)created)->chunk_bytes;
}

/* Values or indices as the file has them; an empty buffer has no address. */
static void put_array(sheaf_builder *b, const sheaf_buffer *from, int64_t first, int64_t count, size_t size)
{
	if (count) sheaf_cbf_put_array(b, from->data + (size_t)first * size, (size_t)count, size);
}

/* Bottom-up merge of positions by index: stable, so equal indices keep their order, as in CNTK's
 * converter. */
static void sort_positions(const sheaf_level *level, int64_t *positions, int64_t *scratch, int64_t n)
{
	for (int64_t width = 1; width < n; width *= 2) {
		for (int64_t low = 0; low < n; low += 2 * width) {
			int64_t middle = low + width < n ? low + width : n,
					high = low + 2 * width < n ? low + 2 * width : n, a = low, b = middle;
			for (int64_t k = low; k < high; k++) {
				bool left = a < middle && (b >= high || sheaf_level_index(level, 0, positions[a]) <=
				                                            sheaf_level_index(level, 0, positions[b]));
				scratch[k] = positions[left ? a++ : b++];
			}
		}
		memcpy(positions, scratch, (size_t)n * sizeof *positions);
	}
}

/* Values and indices of one sequence, each sample's in ascending order of index. */
static sheaf_status put_sorted(sheaf_builder *b, const sheaf_column *column, sheaf_run samples,
                               sheaf_error *err)
{
	const sheaf_level *level = &column->levels[1];
	sheaf_run all = sheaf_level_below(level, samples);
	size_t n = (size_t)sheaf_run_length(all), size = sheaf_type_size(column->type);
	int64_t *positions;
	SHEAF_TRY(sheaf_allocate_array(b->cx, 2 * n, sizeof(int64_t), &positions, err));
	for (size_t k = 0; k < n; k++) positions[k] = all.begin + (int64_t)k;
	for (int64_t p = samples.begin; p < samples.end; p++) {
		sheaf_run one = sheaf_level_below_one(level, p);
		sort_positions(level, positions + (one.begin - all.begin), positions + n, sheaf_run_length(one));
	}
	for (size_t k = 0; k < n; k++) put_array(b, &column->values, positions[k], 1, size);
	for (size_t k = 0; k < n; k++)
		sheaf_builder_u32le(b, (uint32_t)sheaf_level_index(level, 0, positions[k]));
	sheaf_release(b->cx, positions, 2 * n * sizeof(int64_t));
	return SHEAF_OK;
}

/* Rows that are being written into a chunk. */
typedef struct encoding {
	const writer *out;
	const sheaf_frame *frame;
	int64_t row; /* number of the frame's first */
	sheaf_builder *b;
	sheaf_error *err;
} encoding;

static sheaf_status too_many(const encoding *e, int stream, int64_t r, const char *what, int64_t most,
                             int64_t found)
{
	return sheaf_fail(e->err, SHEAF_UNSUPPORTED,
	                  "sequence %" PRId64 ", stream \"%s\": expected at most %" PRId64 " %s, found %" PRId64,
	                  e->row + r, e->out->schema.fields[stream].name, most, what, found);
}

/* Counts, values, and of a sparse stream indices and the non-zeros of each sample, in this order. */
static sheaf_status put_sequence(const encoding *e, int stream, int64_t r)
{
	sheaf_builder *b = e->b;
	const sheaf_column *column = &e->frame->columns[stream];
	const sheaf_level *level = &column->levels[1];
	sheaf_run samples = samples_of(column, r), entries = sheaf_level_below(level, samples);
	int64_t n = sheaf_run_length(samples), values = sheaf_run_length(entries);
	bool sparse = level->shape.kind == SHEAF_COORD;
	if (n > UINT32_MAX) return too_many(e, stream, r, "samples", UINT32_MAX, n);
	if (sparse && values > INT32_MAX) return too_many(e, stream, r, "non-zeros", INT32_MAX, values);
	sheaf_builder_u32le(b, (uint32_t)n);
	if (sparse) sheaf_builder_u32le(b, (uint32_t)values);
	if (sparse && e->out->sort_indices) {
		SHEAF_TRY(put_sorted(b, column, samples, e->err));
	} else {
		put_array(b, &column->values, entries.begin, values, sheaf_type_size(column->type));
		bool narrow = level->shape.index_type == SHEAF_I32;
		if (sparse && narrow) put_array(b, &level->indices[0], entries.begin, values, 4);
		for (int64_t p = entries.begin; sparse && !narrow && p < entries.end; p++)
			sheaf_builder_u32le(b, (uint32_t)sheaf_level_index(level, 0, p));
	}
	for (int64_t p = samples.begin; sparse && p < samples.end; p++)
		sheaf_builder_u32le(b, (uint32_t)sheaf_run_length(sheaf_level_below_one(level, p)));
	return SHEAF_OK;
}

/* Segment s of the blob that begins at `blob` ends here. */
static void end_segment(sheaf_builder *b, size_t blob, int s)
{
	if (!b->failed) sheaf_store_u64le(b->data + blob + (size_t)s * sizeof(uint64_t), b->size - blob);
}

/* There is room for all of it at once: chunks are large, and growing would touch twice as much memory. */
static sheaf_status encode(const void *created, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	encoding e = {(const writer *)created, frame, row, b, err};
	size_t blob = b->size;
	uint64_t bytes = (uint64_t)count_segments(e.out) * sizeof(uint64_t) + 4 * (uint64_t)frame->nrows;
	for (int s = 0; s < frame->ncolumns; s++)
		for (int64_t r = 0; r < frame->nrows; r++) bytes += (uint64_t)stream_bytes(&frame->columns[s], r);
	if (!sheaf_builder_room(b, bytes)) return SHEAF_OK; /* the builder will say so */
	for (int s = 0; s < count_segments(e.out); s++) sheaf_builder_u64le(b, 0);
	*samples = 0;
	for (int64_t r = 0; r < frame->nrows; r++) {
		int64_t n = 0; /* the samples that the sequence counts as */
		for (int s = 0; s < frame->ncolumns; s++) {
			int64_t own = sheaf_run_length(samples_of(&frame->columns[s], r));
			if (s == e.out->main || (e.out->main < 0 && own > n)) n = own;
		}
		sheaf_builder_u32le(b, (uint32_t)n);
		*samples += n;
	}
	end_segment(b, blob, 0);
	for (int s = 0; s < frame->ncolumns; s++) {
		for (int64_t r = 0; r < frame->nrows && !b->failed; r++) SHEAF_TRY(put_sequence(&e, s, r));
		end_segment(b, blob, 1 + s);
	}
	return SHEAF_OK;
}

const sheaf_writing sheaf_cbf_writing = {
	.takes = SHEAF_TAKES_SEQUENCES,
	.output_size = sizeof(writer),
	.accept = accept,
	.create = create,
	.sizes = sizes,
	.joins = true,
	.encode = encode,
	.append = append,
	.finish = finish,
	.close = close_output,
};
