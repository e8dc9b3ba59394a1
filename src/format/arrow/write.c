/* SPDX-License-Identifier: MIT */
/* Rows into record batches. A stream is a schema, batches and an end; a file has a signature before them, and
 * after them a footer that says where each batch is.
 *
 * Frames become arrays of the C data interface first (src/arrow), whose buffers are then put into the body of
 * a batch one after the other, each at a multiple of 64 bytes. A batch is made on any thread, without a place
 * in the output; the footer's list of places is made as batches are appended. */
#include "arrow/arrow.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/spell.h"
#include "base/suffix.h"
#include "format/arrow/ipc.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>

enum { USUAL_BATCH = 1 << 20 };

typedef struct writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_arrow_plan plan;
	int64_t batch_bytes;
	int codec;
	bool is_file, keeps_codes;
	struct ArrowSchema rows;
	sheaf_builder blocks; /* of the footer: where each batch is */
	int64_t nblocks;
} writer;

static const uint8_t end_of_stream[SHEAF_IPC_PREFIX] = {0xff, 0xff, 0xff, 0xff};

/* ---- messages ---- */

/* Begins a message at the builder's end, with room for the size of its head, which is appended next. Returns
 * where it begins, for end_head. */
static size_t begin_message(sheaf_builder *to)
{
	size_t begin = to->size;
	sheaf_builder_u32le(to, UINT32_MAX);
	sheaf_builder_u32le(to, 0);
	return begin;
}

/* Pads the head that begins at `begin`, so that the body begins at a multiple of 64, and writes the head's
 * size into its prefix. `at` is the place of the message in the output, a multiple of 8; 0 for one whose
 * place is not known yet. */
static void end_head(sheaf_builder *to, size_t begin, size_t at)
{
	while (!to->failed && (to->size - begin + at) % SHEAF_IPC_ALIGNMENT) sheaf_builder_byte(to, 0);
	if (!to->failed) sheaf_store_u32le(to->data + begin + 4, (uint32_t)(to->size - begin - SHEAF_IPC_PREFIX));
}

/* The root of a message's head; returns the slot of its content. */
static size_t put_message(sheaf_fb_writer *w, sheaf_ipc_kind kind, int64_t body)
{
	enum { VERSION, KIND, HEADER, BODY, SLOTS };
	sheaf_fb_slot slots[SLOTS] = {[VERSION] = {2, SHEAF_IPC_METADATA_V5, 0},
	                              [KIND] = {1, kind, 0},
	                              [HEADER] = {SHEAF_FB_POINTER, 0, 0},
	                              [BODY] = {8, body, 0}};
	sheaf_fb_put_table(w, SHEAF_FB_ROOT, slots, SLOTS);
	return slots[HEADER].at;
}

/* ---- bodies ---- */

/* A batch that is being gathered. */
typedef struct gathering {
	const writer *out;
	sheaf_builder body, nodes, buffers; /* two int64 each of the latter */
	int64_t nnodes, nbuffers;
	sheaf_context *cx;
	sheaf_error *err;
} gathering;

static void drop(gathering *g)
{
	sheaf_builder_drop(&g->body);
	sheaf_builder_drop(&g->nodes);
	sheaf_builder_drop(&g->buffers);
}

/* Appends a buffer to the body. If buffers are compressed, each begins with its size; -1 says that it is
 * stored as it is, since compressing does not make it shorter. */
static sheaf_status append_buffer(gathering *g, const void *data, int64_t size)
{
	static const uint8_t zeros[SHEAF_IPC_ALIGNMENT];
	size_t begin = g->body.size;
	if (size > 0 && g->out->codec == SHEAF_IPC_PLAIN) sheaf_builder_append(&g->body, data, (size_t)size);
	if (size > 0 && g->out->codec != SHEAF_IPC_PLAIN) {
		sheaf_builder_i64(&g->body, (int64_t)sheaf_u64_in_le((uint64_t)size));
		size_t after = g->body.size;
		SHEAF_TRY(sheaf_ipc_compress(g->out->codec, (sheaf_bytes){(const uint8_t *)data, (size_t)size},
		                             &g->body, g->err));
		if (!g->body.failed && g->body.size - after >= (size_t)size) {
			g->body.size = begin;
			sheaf_builder_i64(&g->body, -1);
			sheaf_builder_append(&g->body, data, (size_t)size);
		}
	}
	sheaf_builder_u64le(&g->buffers, (uint64_t)begin);
	sheaf_builder_u64le(&g->buffers, (uint64_t)(g->body.size - begin));
	g->nbuffers++;
	size_t over = g->body.size % SHEAF_IPC_ALIGNMENT;
	if (over) sheaf_builder_append(&g->body, zeros, SHEAF_IPC_ALIGNMENT - over);
	return SHEAF_OK;
}

/* Appends a buffer of numbers of `unit` bytes to the body: files have the lowest byte first, whatever this
 * machine has. */
static sheaf_status put_buffer(gathering *g, const void *data, int64_t size, size_t unit)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = g->cx};
	data = sheaf_numbers_of_files(&b, data, (size_t)size / unit, unit);
	SHEAF_TRY(sheaf_builder_status(&b, g->err));
	return append_buffer(g, data, size);
}

static sheaf_status put_built(gathering *g, const sheaf_builder *b, size_t unit)
{
	SHEAF_TRY(sheaf_builder_status(b, g->err));
	return put_buffer(g, b->data, (int64_t)b->size, unit);
}

/* The positions of an array that are written: a frame may be a part of another one, whose arrays continue
 * beyond it. */
typedef struct range {
	int64_t from, n;
} range;

static bool bit_at(const uint8_t *bits, int64_t i) { return bits[i / 8] >> (i % 8) & 1; }

/* Appends the bits of a range as a buffer that begins with a byte; *zeros becomes how many are 0. */
static sheaf_status put_bits(gathering *g, const uint8_t *bits, range r, int64_t *zeros)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = g->cx};
	uint8_t byte = 0;
	*zeros = 0;
	for (int64_t i = 0; i < r.n; i++) {
		bool bit = bit_at(bits, r.from + i);
		*zeros += !bit;
		if (bit) byte = (uint8_t)(byte | 1U << ((unsigned)i % 8));
		if (i % 8 != 7 && i + 1 != r.n) continue;
		sheaf_builder_byte(&b, (char)byte);
		byte = 0;
	}
	return put_built(g, &b, 1);
}

/* Appends the offsets of a range as a buffer of offsets that begin with 0; *below becomes the range that they
 * cover. */
static sheaf_status put_offsets(gathering *g, const int64_t *offsets, range r, range *below)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = g->cx};
	int64_t first = offsets[r.from];
	*below = (range){first, offsets[r.from + r.n] - first};
	if (first == 0)
		return put_buffer(g, offsets + r.from, (r.n + 1) * (int64_t)sizeof *offsets, sizeof *offsets);
	for (int64_t i = 0; i <= r.n; i++) sheaf_builder_i64(&b, offsets[r.from + i] - first);
	return put_built(g, &b, sizeof *offsets);
}

/* Appends the items of a range, of `width` bytes each, as a buffer; they are numbers of `unit` bytes. */
static sheaf_status put_items(gathering *g, const struct ArrowArray *array, int buffer, range r,
                              int64_t width, size_t unit)
{
	const uint8_t *data = (const uint8_t *)array->buffers[buffer];
	return put_buffer(g, r.n ? data + r.from * width : NULL, r.n * width, unit);
}

/* Appends the buffers of an array after the first; *below becomes the range of its children that it covers.
 */
static sheaf_status put_values(gathering *g, const sheaf_arrow_type *type, const struct ArrowArray *array,
                               range r, range *below)
{
	int64_t zeros, width = (int64_t)sheaf_type_size(type->number);
	*below = r;
	switch (type->class) {
	case SHEAF_IS_LIST: return put_offsets(g, (const int64_t *)array->buffers[1], r, below);
	case SHEAF_IS_BITS: return put_bits(g, (const uint8_t *)array->buffers[1], r, &zeros);
	case SHEAF_IS_NUMBER:
	case SHEAF_IS_TIME: return put_items(g, array, 1, r, width, (size_t)width);
	case SHEAF_IS_FIXED_BYTES: return put_items(g, array, 1, r, type->width, 1);
	case SHEAF_IS_FIXED_LIST: *below = (range){r.from * type->width, r.n * type->width}; return SHEAF_OK;
	case SHEAF_IS_TEXT:
	case SHEAF_IS_BYTES:
		SHEAF_TRY(put_offsets(g, (const int64_t *)array->buffers[1], r, below));
		return put_items(g, array, 2, *below, 1, 1);
	default: return SHEAF_OK;
	}
}

/* Gathers a range of an array, and what it covers of its children: for each a node, which is its length and
 * its nulls, and its buffers, of which the first are the validity bits, if anything is missing. The number of
 * nulls is written into the node when they were counted. */
static sheaf_status put_array(gathering *g, const struct ArrowSchema *field, const struct ArrowArray *array,
                              range r)
{
	sheaf_arrow_type type = sheaf_arrow_type_of(field);
	range below;
	const uint8_t *bits = (const uint8_t *)array->buffers[0];
	bool all = true;
	int64_t nulls = 0;
	size_t node = g->nodes.size + sizeof(int64_t);
	sheaf_builder_u64le(&g->nodes, (uint64_t)r.n);
	sheaf_builder_u64le(&g->nodes, 0);
	g->nnodes++;
	for (int64_t i = 0; bits && i < r.n && all; i++) all = bit_at(bits, r.from + i);
	SHEAF_TRY(all ? put_buffer(g, NULL, 0, 1) : put_bits(g, bits, r, &nulls));
	if (!g->nodes.failed) sheaf_store_u64le(g->nodes.data + node, (uint64_t)nulls);
	SHEAF_TRY(put_values(g, &type, array, r, &below));
	for (int64_t i = 0; i < array->n_children; i++)
		SHEAF_TRY(put_array(g, field->children[i], array->children[i], below));
	return SHEAF_OK;
}

/* A vector of two int64 each. */
static void put_pairs(sheaf_fb_writer *w, size_t from, const sheaf_builder *pairs, int64_t n)
{
	sheaf_fb_put_vector(w, from, n, 2 * sizeof(int64_t));
	sheaf_builder_append(w->to, pairs->data, pairs->size);
}

/* Appends a whole batch message from what was gathered: its head, then its body. */
static void put_batch(const gathering *g, int64_t rows, sheaf_builder *to)
{
	enum { LENGTH, NODES, BUFFERS, COMPRESSION, SLOTS };
	bool plain = g->out->codec == SHEAF_IPC_PLAIN;
	sheaf_fb_slot slots[SLOTS] = {[LENGTH] = {8, rows, 0},
	                              [NODES] = {SHEAF_FB_POINTER, 0, 0},
	                              [BUFFERS] = {SHEAF_FB_POINTER, 0, 0},
	                              [COMPRESSION] = {plain ? 0 : SHEAF_FB_POINTER, 0, 0}};
	sheaf_fb_slot codec[] = {{1, g->out->codec, 0}, {1, 0, 0}};
	size_t begin = begin_message(to);
	sheaf_fb_writer w = sheaf_fb_begin(to);
	sheaf_fb_put_table(&w, put_message(&w, SHEAF_IPC_BATCH, (int64_t)g->body.size), slots, SLOTS);
	put_pairs(&w, slots[NODES].at, &g->nodes, g->nnodes);
	put_pairs(&w, slots[BUFFERS].at, &g->buffers, g->nbuffers);
	if (!plain) sheaf_fb_put_table(&w, slots[COMPRESSION].at, codec, 2);
	end_head(to, begin, 0);
	sheaf_builder_append(to, g->body.data, g->body.size);
}

/* Turns a frame into an array of Arrow's, gathers its buffers, and appends the batch. Data that only Arrow
 * cannot hold are valid, so that their failure is UNSUPPORTED here. */
static sheaf_status gather(gathering *g, const sheaf_frame *frame, int64_t row, sheaf_builder *to)
{
	struct ArrowArray rows;
	sheaf_error failure;
	sheaf_status status = sheaf_arrow_export_frame(&g->out->plan, frame, row, &rows, &failure);
	/* These are texts in other encodings, and times beyond 64 bits. */
	if (status == SHEAF_DATA) failure.status = SHEAF_UNSUPPORTED;
	if (status == SHEAF_DATA) return sheaf_fail_within(g->err, &failure, "%s", sheaf_sink_name(g->out->sink));
	if (status) return sheaf_fail_again(g->err, &failure);
	for (int64_t i = 0; i < rows.n_children && !status; i++)
		status = put_array(g, g->out->rows.children[i], rows.children[i], (range){0, frame->nrows});
	rows.release(&rows);
	SHEAF_TRY(status);
	SHEAF_TRY(sheaf_builder_status(&g->body, g->err));
	SHEAF_TRY(sheaf_builder_status(&g->nodes, g->err));
	SHEAF_TRY(sheaf_builder_status(&g->buffers, g->err));
	put_batch(g, frame->nrows, to);
	return SHEAF_OK;
}

/* ---- losses ---- */

/* Whether missing values of a column have codes other than 0. */
static bool says_why(const sheaf_column *column)
{
	for (int l = 0; l < column->nlevels; l++) {
		const sheaf_gaps *gaps = column->levels[l].gaps;
		for (size_t p = 0; gaps && p < gaps->codes.size; p++)
			if (gaps->codes.data[p]) return true;
	}
	return false;
}

/* Reports each column of a frame whose missing values say why, which Arrow's nulls cannot, unless the caller
 * has asked for fields of codes. */
static sheaf_status lose_codes(const writer *out, const sheaf_frame *frame, int64_t row, sheaf_context *cx,
                               sheaf_error *err)
{
	for (int c = 0; c < frame->ncolumns && !out->keeps_codes; c++) {
		if (!says_why(&frame->columns[c])) continue;
		sheaf_problem problem = sheaf_problem_in(
			sheaf_sink_name(out->sink),
			&SHEAF_FINDING(SHEAF_ERROR, "missing code",
		                   "missing values that do not say why (" SHEAF_OPTION("code-columns") " keeps it)",
		                   "some that do", "the codes are left out", SHEAF_LOSS));
		problem.place.row = row;
		problem.place.stream = out->schema.fields[c].name;
		SHEAF_TRY(sheaf_report(cx, &problem, err));
	}
	return SHEAF_OK;
}

/* Encodes a frame as one batch, on any thread; a frame without rows makes none. */
static sheaf_status encode(const void *created, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const writer *out = (const writer *)created;
	SHEAF_SCOPED(drop)
	gathering g = {.out = out,
	               .body = {.cx = b->cx},
	               .nodes = {.cx = b->cx},
	               .buffers = {.cx = b->cx},
	               .cx = b->cx,
	               .err = err};
	(void)samples;
	SHEAF_TRY(lose_codes(out, frame, row, b->cx, err));
	return frame->nrows ? gather(&g, frame, row, b) : SHEAF_OK;
}

/* ---- batches of about as many bytes each ---- */

/* About how many bytes one row of a column takes: its offsets, indices and values. */
static int64_t bytes_of(const sheaf_column *column, int64_t row)
{
	int64_t begin = row, end = row + 1, bytes = 0;
	for (int l = 0; l < column->nlevels; l++) {
		const sheaf_level *level = &column->levels[l];
		if (level->shape.kind == SHEAF_FIXED) {
			begin *= level->shape.extent;
			end *= level->shape.extent;
			continue;
		}
		const int64_t *offsets = sheaf_level_offsets(level);
		bytes += (end - begin) * (int64_t)sizeof *offsets;
		begin = offsets[begin];
		end = offsets[end];
		bytes += (end - begin) * level->shape.rank * (int64_t)sheaf_type_size(level->shape.index_type);
	}
	return bytes + (end - begin) * (int64_t)sheaf_type_size(column->type);
}

static int64_t sizes(const void *created, const sheaf_frame *frame, int64_t *bytes_of_row)
{
	for (int64_t r = 0; r < frame->nrows; r++) {
		bytes_of_row[r] = 1;
		for (int c = 0; c < frame->ncolumns; c++) bytes_of_row[r] += bytes_of(&frame->columns[c], r);
	}
	return ((const writer *)created)->batch_bytes;
}

/* ---- the output ---- */

static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	(void)values;
	if (schema->nfields == 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected at least one column to write, found %d", 0);
	return SHEAF_OK;
}

static sheaf_status write_built(const writer *out, const sheaf_builder *b, sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_status(b, err));
	return sheaf_sink_write(out->sink, b->data, b->size, err);
}

/* The signature of a file, and the schema. */
static sheaf_status begin_output(writer *out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = out->cx};
	if (out->is_file) sheaf_builder_append(&b, SHEAF_IPC_MAGIC "\0", SHEAF_IPC_FIRST);
	size_t at = b.size, begin = begin_message(&b);
	sheaf_fb_writer w = sheaf_fb_begin(&b);
	sheaf_ipc_put_schema(&w, put_message(&w, SHEAF_IPC_SCHEMA, 0), &out->rows, &out->schema,
	                     &out->plan.options);
	end_head(&b, begin, at);
	return write_built(out, &b, err);
}

/* Takes the options, makes the plan of Arrow's fields, and writes what comes before the batches. The suffix
 * of the name decides between file and stream: only those of files get a signature and a footer. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	static const char *const files[] = {".arrow", ".feather", ".ipc", NULL};
	writer *out = (writer *)created;
	const char *codec = sheaf_values_text(values, "compression");
	sheaf_arrow_options options = {.size = sizeof options,
	                               .codes = sheaf_values_flag(values, "code-columns"),
	                               .text_as_bytes = sheaf_values_flag(values, "text-as-bytes")};
	(void)totals;
	out->keeps_codes = options.codes;
	out->batch_bytes = sheaf_values_number(values, "chunk-bytes", USUAL_BATCH);
	if (out->batch_bytes < 1) out->batch_bytes = 1;
	out->codec = !codec || strcmp(codec, "none") == 0 ? SHEAF_IPC_PLAIN
	             : strcmp(codec, "lz4") == 0          ? SHEAF_IPC_LZ4
	                                                  : SHEAF_IPC_ZSTD;
	out->is_file = sheaf_has_suffix_of(sheaf_sink_name(out->sink), files);
	sheaf_builder_begin(&out->blocks, out->cx, NULL);
	SHEAF_TRY(sheaf_arrow_plan_new(&out->schema, &options, out->cx, &out->plan, err));
	out->plan.drops_codes = !options.codes; /* encode has reported it */
	SHEAF_TRY(sheaf_arrow_export_schema(&out->plan, &out->rows, err));
	return begin_output(out, err);
}

/* Writes a batch, and notes its block for the footer: where it begins, the size of its head, and that of its
 * body. */
static sheaf_status append(void *created, const sheaf_blob *blob, sheaf_error *err)
{
	writer *out = (writer *)created;
	if (blob->bytes.size == 0) return SHEAF_OK;
	int64_t head = SHEAF_IPC_PREFIX + (int64_t)sheaf_load_u32le(blob->bytes.data + 4);
	sheaf_builder_u64le(&out->blocks, (uint64_t)sheaf_sink_tell(out->sink));
	sheaf_builder_u64le(&out->blocks, (uint64_t)head); /* 32 bits, and 32 of padding */
	sheaf_builder_u64le(&out->blocks, (uint64_t)blob->bytes.size - (uint64_t)head);
	out->nblocks++;
	SHEAF_TRY(sheaf_builder_status(&out->blocks, err));
	return sheaf_sink_write(out->sink, blob->bytes.data, blob->bytes.size, err);
}

/* Writes the end of the stream and, of a file, the footer: the schema once more, the blocks, the footer's
 * size, the signature. */
static sheaf_status finish(void *created, sheaf_error *err)
{
	enum { VERSION, SCHEMA, DICTIONARIES, BATCHES, SLOTS, BLOCK = 24 };
	const writer *out = (const writer *)created;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = out->cx};
	sheaf_fb_slot slots[SLOTS] = {[VERSION] = {2, SHEAF_IPC_METADATA_V5, 0},
	                              [SCHEMA] = {SHEAF_FB_POINTER, 0, 0},
	                              [DICTIONARIES] = {SHEAF_FB_POINTER, 0, 0},
	                              [BATCHES] = {SHEAF_FB_POINTER, 0, 0}};
	sheaf_builder_append(&b, end_of_stream, sizeof end_of_stream);
	if (out->is_file) {
		size_t begin = b.size;
		sheaf_fb_writer w = sheaf_fb_begin(&b);
		sheaf_fb_put_table(&w, SHEAF_FB_ROOT, slots, SLOTS);
		sheaf_ipc_put_schema(&w, slots[SCHEMA].at, &out->rows, &out->schema, &out->plan.options);
		sheaf_fb_put_vector(&w, slots[DICTIONARIES].at, 0, BLOCK);
		sheaf_fb_put_vector(&w, slots[BATCHES].at, out->nblocks, BLOCK);
		sheaf_builder_append(&b, out->blocks.data, out->blocks.size);
		sheaf_builder_u32le(&b, (uint32_t)(b.size - begin));
		sheaf_builder_text(&b, SHEAF_IPC_MAGIC);
	}
	return write_built(out, &b, err);
}

static void close_output(void *created)
{
	writer *out = (writer *)created;
	if (out->rows.release) out->rows.release(&out->rows);
	sheaf_arrow_plan_free(&out->plan);
	sheaf_builder_drop(&out->blocks);
}

const sheaf_writing sheaf_ipc_writing = {
	.takes = SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_CELLS,
	.columns = SHEAF_ANY_COLUMN,
	.accept = accept,
	.output_size = sizeof(writer),
	.create = create,
	.sizes = sizes,
	.encode = encode,
	.append = append,
	.finish = finish,
	.close = close_output,
};
