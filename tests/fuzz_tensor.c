/* SPDX-License-Identifier: MIT */
/* The fuzz target of descriptors, and of arrays that may or may not fit them. An input is four bytes of
 * choices and the text of a box, see README.md.
 *
 * What must hold: no access is out of bounds, memory keeps to its limit and is all freed, each failure is
 * explained, each frame is sound, and the size of pieces changes neither contents nor findings. A sound
 * tensor is the same from an HDF5 file, and in another layout. */
#include "base/buffer.h"
#include "base/context.h"
#include "box_text.h"
#include "format/binsparse/reader.h"
#include "frame/frame.h"
#include <sheaf/sheaf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	CHOICES = 4,
	MEMORY = 64 << 20,
	MOST_ROWS = 1 << 14,
	MOST_POSITIONS = 1 << 16,
	SHOWN_ROWS = 4,
	MOST_RULES = 96
};
/* Byte 0, then byte 1: two bits each for the kind of rows and for the depth of checks, then the rest. */
enum { VALIDATE = 1, STRICT = 2, FORGIVING = 4, REPAIR = 8, THROUGH_FILE = 16, NETCDF = 32 };

typedef struct choice {
	unsigned how, rows, depth, layout;
	int64_t piece_bytes;
	sheaf_bytes text;
} choice;

/* The outcome of a reading. */
typedef struct outcome {
	sheaf_status status;
	sheaf_error error;
	char hash[33];
	int64_t rows, errors, fatal;
	sheaf_tally tally[MOST_RULES];
	int rules;
	bool is_long; /* more rows than there is time for */
} outcome;

static void broken(const char *rule, const sheaf_error *error)
{
	fprintf(stderr, "fuzz_tensor: broken: %s: %s\n", rule, error ? error->message : "");
	abort();
}

static bool is_about_memory(sheaf_status status) { return status == SHEAF_LIMIT || status == SHEAF_NOMEM; }

static bool choose(choice *c, const uint8_t *data, size_t size)
{
	if (size < CHOICES) return false;
	*c = (choice){.how = data[0] & 63u,
	              .rows = data[1] & 3u,
	              .depth = data[1] >> 2 & 3u,
	              .layout = data[2] & 63u,
	              .piece_bytes = 1 + (data[3] & 63) * (data[3] & 63)};
	c->text = (sheaf_bytes){data + CHOICES, size - CHOICES};
	return true;
}

/* ---- contexts ---- */

static sheaf_context *new_context(unsigned how)
{
	sheaf_context *cx;
	sheaf_context_options options = {.size = sizeof options, .max_memory = MEMORY, .threads = 1};
	options.validate = how & VALIDATE;
	options.strict = how & STRICT;
	options.max_errors = how & FORGIVING ? 1000 : 0;
	if (sheaf_context_new(&options, &cx, NULL) != SHEAF_OK) abort();
	return cx;
}

static void end_context(sheaf_context *cx)
{
	int64_t peak;
	if (sheaf_context_memory(cx, &peak) != 0) broken("memory is not given back", NULL);
	if (peak > MEMORY) broken("memory goes beyond its limit", NULL);
	sheaf_context_free(cx);
}

/* ---- reading from memory ---- */

static sheaf_status use_frame(const sheaf_bsp_reader *in, const sheaf_frame *frame, sheaf_depth depth,
                              sheaf_hash *hash, sheaf_buffer *text, outcome *o)
{
	const sheaf_schema *schema = &in->schema;
	bool whole = schema->rows == SHEAF_WHOLE;
	if (sheaf_frame_check(frame, schema, whole ? depth : SHEAF_CHECK_FULL, &o->error) != SHEAF_OK)
		broken("a frame is not sound", &o->error);
	if (whole) return SHEAF_OK;
	SHEAF_TRY(sheaf_hash_add(hash, frame, -1, &o->error));
	return sheaf_rows_text(frame, schema, SHEAF_JSON, o->rows, 0,
	                       frame->nrows < SHOWN_ROWS ? frame->nrows : SHOWN_ROWS, text, &o->error);
}

static sheaf_status use_pieces(sheaf_bsp_reader *in, const choice *c, int64_t piece_bytes, sheaf_hash *hash,
                               sheaf_context *cx, outcome *o)
{
	sheaf_piece piece = {0};
	sheaf_frame frame = {0};
	sheaf_buffer text = {0};
	sheaf_status status = SHEAF_OK;
	while (!o->is_long && (status = sheaf_bsp_cut(in, piece_bytes, &piece, &o->error)) == SHEAF_OK) {
		status = sheaf_bsp_decode(in, &piece, &frame, cx, &o->error);
		if (status == SHEAF_OK) status = use_frame(in, &frame, (sheaf_depth)c->depth, hash, &text, o);
		if (status == SHEAF_OK) status = sheaf_bsp_review(in, &frame, o->rows, &o->error);
		if (status) break;
		o->rows += frame.nrows;
		o->is_long = o->rows > MOST_ROWS;
	}
	if (!o->is_long && status == SHEAF_END) status = sheaf_bsp_review(in, NULL, 0, &o->error);
	sheaf_buffer_reset(&text);
	sheaf_buffer_reset(&piece.notes);
	sheaf_buffer_reset(&piece.bytes);
	sheaf_frame_free(&frame);
	return o->is_long ? SHEAF_OK : status;
}

static sheaf_status use_tensor(sheaf_bsp_reader *in, const choice *c, int64_t piece_bytes, sheaf_context *cx,
                               outcome *o)
{
	sheaf_hash *hash = NULL;
	sheaf_builder text = {.cx = cx};
	const sheaf_listing to = {&text, c->how & VALIDATE};
	sheaf_status status = sheaf_bsp_describe(in, &to, &o->error);
	if (status == SHEAF_OK) status = sheaf_hash_new(&in->schema, false, false, cx, &hash, &o->error);
	if (status == SHEAF_OK) status = use_pieces(in, c, piece_bytes, hash, cx, o);
	if (status == SHEAF_OK) sheaf_hash_text(hash, o->hash);
	sheaf_hash_free(hash);
	sheaf_builder_drop(&text);
	return status;
}

static sheaf_status read_box(const choice *c, int64_t piece_bytes, sheaf_context *cx, outcome *o)
{
	static const char *const depths[] = {"none", "sizes", "offsets", "full"};
	static const unsigned rows[] = {0, SHEAF_TAKES_ENTRIES, SHEAF_TAKES_WHOLE, SHEAF_TAKES_SEQUENCES};
	sheaf_setting settings[] = {{"check", depths[c->depth]}, {"repair", NULL}};
	sheaf_values values = {settings, c->how & REPAIR ? 2 : 1};
	sheaf_opening how = {.rows = rows[c->rows]};
	sheaf_box *box;
	sheaf_bsp_reader in = {.cx = cx, .facts = SHEAF_NO_FACTS};
	SHEAF_TRY(sheaf_box_in_memory(cx, &box, &o->error));
	sheaf_status status = box_of_text(box, (const char *)c->text.data, c->text.size, &o->error);
	if (status) {
		sheaf_box_close(box);
		return status;
	}
	status = sheaf_bsp_open_box(&in, box, "input", &values, &how, &o->error);
	if (status == SHEAF_OK) status = use_tensor(&in, c, piece_bytes, cx, o);
	sheaf_bsp_close(&in);
	sheaf_schema_free(&in.schema);
	return status;
}

static void read_text(const choice *c, int64_t piece_bytes, outcome *o)
{
	sheaf_context *cx = new_context(c->how);
	*o = (outcome){.status = SHEAF_OK};
	o->status = read_box(c, piece_bytes, cx, o);
	if (o->status && (o->status != o->error.status || !o->error.message[0]))
		broken("a failure is not explained", &o->error);
	while (o->rules < MOST_RULES && sheaf_context_tally(cx, o->rules, &o->tally[o->rules])) o->rules++;
	o->errors = sheaf_context_problems(cx, SHEAF_ERROR);
	o->fatal = sheaf_context_problems(cx, SHEAF_FATAL);
	end_context(cx);
}

static void compare(const outcome *a, const outcome *b)
{
	if (a->is_long || b->is_long || is_about_memory(a->status) || is_about_memory(b->status)) return;
	/* Arrays of a piece are read before its entries are checked, so its size decides which of two flaws
	 * comes first: one that fails, or one that is reported as fatal. */
	bool a_ends = a->status || a->fatal, b_ends = b->status || b->fatal;
	if (a_ends != b_ends)
		broken("the status depends on the size of pieces", a->status ? &a->error : &b->error);
	if (a->status && b->status && a->status != b->status)
		broken("the kind of failure depends on the size of pieces", &a->error);
	/* The findings of a flawed piece end with its first flaws. */
	if (a->status || a->fatal) return;
	if (a->rules != b->rules || a->rows != b->rows || strcmp(a->hash, b->hash) != 0)
		broken("contents depend on the size of pieces", NULL);
}

/* ---- files ---- */

typedef struct bytes {
	uint8_t *data;
	size_t size;
} bytes;

static int keep(void *user, const void *data, size_t size)
{
	bytes *b = (bytes *)user;
	uint8_t *larger = realloc(b->data, b->size + size + 1);
	if (!larger) abort();
	memcpy(larger + b->size, data, size);
	b->data = larger;
	b->size += size;
	return 0;
}

static sheaf_status write_box(const choice *c, sheaf_context *cx, bytes *file, sheaf_error *error)
{
	sheaf_sink *sink;
	sheaf_box *box;
	SHEAF_TRY(sheaf_sink_function(keep, file, c->how & NETCDF ? "input.nc" : "input.h5", cx, &sink, error));
	sheaf_status status = sheaf_box_create(sink, SHEAF_NO_BOX, false, cx, &box, error);
	if (status == SHEAF_OK) {
		status = box_of_text(box, (const char *)c->text.data, c->text.size, error);
		if (status == SHEAF_OK)
			status = sheaf_box_finish(box, error);
		else
			sheaf_box_abandon(box);
	}
	if (status == SHEAF_OK) return sheaf_sink_commit(sink, error);
	sheaf_sink_abandon(sink);
	return status;
}

static sheaf_status open_file(const bytes *file, const choice *c, sheaf_entries_as as, sheaf_context *cx,
                              sheaf_dataset **out, sheaf_error *error)
{
	sheaf_source *source;
	sheaf_setting settings[] = {{"repair", NULL}};
	sheaf_open_options options = {.size = sizeof options,
	                              .format = "binsparse",
	                              .settings = settings,
	                              .nsettings = c && c->how & REPAIR ? 1 : 0};
	options.rows = SHEAF_TAKES_ENTRIES;
	options.tensor = &(sheaf_tensor_options){.entries = as};
	*out = NULL;
	SHEAF_TRY(sheaf_source_memory((sheaf_bytes){file->data, file->size}, "file", cx, &source, error));
	return sheaf_open_source(source, &options, cx, out, error);
}

static sheaf_status hash_file(const bytes *file, const choice *c, sheaf_entries_as as, char text[33],
                              sheaf_error *error)
{
	sheaf_dataset *dataset;
	sheaf_hash *hash = NULL;
	const sheaf_frame *frame;
	sheaf_context *cx = new_context(0);
	sheaf_status status = open_file(file, c, as, cx, &dataset, error);
	if (status == SHEAF_OK)
		status = sheaf_hash_new(sheaf_dataset_schema(dataset), false, false, cx, &hash, error);
	while (status == SHEAF_OK && (status = sheaf_next(dataset, &frame, error)) == SHEAF_OK)
		status = sheaf_hash_add(hash, frame, -1, error);
	if (status == SHEAF_END) status = SHEAF_OK;
	if (status == SHEAF_OK) sheaf_hash_text(hash, text);
	sheaf_hash_free(hash);
	sheaf_close(dataset);
	end_context(cx);
	return status;
}

/* A layout that the tensor can have; NULL: the one it has. Dense levels take long if the tensor is large. */
static const char *layout_of(unsigned which, const sheaf_tensor *tensor, bool *is_sparse)
{
	enum { SPARSE = 5, SMALL = 3 };
	static const char *const names[][8] = {
		{"E", "E", "E", "E", "E", "E", "E", "E"},
		{"S", "CVEC", "S", "CVEC", "S", "D", "DVEC", "D"},
		{"COO", "COOC", "DCSR", "CSR", "CSC", "DMATR", "DMATC", "SD"},
		{"SSS", "S3@120", "S2S", "DSS", "SDS@201", "DDD", "DDD@120", "SSD"},
	};
	double positions = 1;
	for (int k = 0; k < tensor->rank; k++) positions *= 1 + (double)tensor->shape[k];
	which %= positions > MOST_POSITIONS ? SMALL : 8;
	*is_sparse = which < SPARSE;
	return tensor->rank < 4 ? names[tensor->rank][which] : NULL;
}

static sheaf_status convert(const bytes *from, const choice *c, bytes *to, bool *is_sparse,
                            sheaf_error *error)
{
	sheaf_dataset *dataset;
	sheaf_writer *writer = NULL;
	sheaf_sink *sink;
	const sheaf_frame *frame;
	sheaf_context *cx = new_context(0);
	sheaf_status status = open_file(from, c, SHEAF_ENTRIES_STORED, cx, &dataset, error);
	if (status == SHEAF_OK) status = sheaf_sink_function(keep, to, "output.h5", cx, &sink, error);
	if (status == SHEAF_OK) {
		const sheaf_schema *schema = sheaf_dataset_schema(dataset);
		const char *layout = layout_of(c->layout, &schema->tensor, is_sparse);
		sheaf_setting settings[] = {{"layout", layout}};
		sheaf_create_options options = {
			.size = sizeof options,
			.format = "binsparse",
			.settings = settings,
			.nsettings = layout ? 1 : 0,
		};
		status = sheaf_create_sink(sink, schema, &options, cx, &writer, error);
		while (status == SHEAF_OK && (status = sheaf_next(dataset, &frame, error)) == SHEAF_OK)
			status = sheaf_write(writer, frame, error);
		if (status == SHEAF_END)
			status = sheaf_finish(writer, error);
		else if (writer)
			sheaf_abandon(writer);
	}
	sheaf_close(dataset);
	end_context(cx);
	return status;
}

/* Sound entries in another layout are the same tensor. In dense ones zeros that were stored cannot be told
 * from others. */
static void compare_layouts(const choice *c, const bytes *file)
{
	bytes other = {NULL, 0};
	char first[33], second[33];
	sheaf_error error;
	bool is_sparse = true;
	sheaf_status status = hash_file(file, c, SHEAF_ENTRIES_CONTENT, first, &error);
	/* What is stored may be read where what it implies cannot be: a Hermitian matrix with a diagonal that is
	 * not real. */
	if (status) return;
	status = convert(file, c, &other, &is_sparse, &error);
	if (status == SHEAF_OK) {
		status = hash_file(&other, NULL, SHEAF_ENTRIES_CONTENT, second, &error);
		if (status && !is_about_memory(status)) broken("what was converted cannot be read", &error);
		if (!status && is_sparse && strcmp(first, second) != 0)
			broken("another layout holds something else", NULL);
	} else if (status != SHEAF_LOSS && status != SHEAF_UNSUPPORTED && !is_about_memory(status)) {
		broken("what was read cannot be converted", &error);
	}
	free(other.data);
}

/* Sound entries: a file of them holds the same. */
static void through_file(const choice *c, const outcome *before)
{
	bytes file = {NULL, 0};
	char hash[33];
	sheaf_error error;
	sheaf_context *cx = new_context(0);
	sheaf_status status = sheaf_box_available(SHEAF_BOX_HDF5, &error);
	if (status == SHEAF_OK) status = write_box(c, cx, &file, &error);
	end_context(cx);
	if (status == SHEAF_OK) {
		status = hash_file(&file, c, SHEAF_ENTRIES_STORED, hash, &error);
		if (status && !is_about_memory(status))
			broken("what memory gives cannot be read from a file", &error);
		if (!status && strcmp(hash, before->hash) != 0)
			broken("a file holds something else than memory", NULL);
	}
	if (status == SHEAF_OK) compare_layouts(c, &file);
	free(file.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	choice c;
	outcome first, second;
	if (!choose(&c, data, size)) return 0;
	read_text(&c, c.piece_bytes, &first);
	read_text(&c, c.piece_bytes < 500 ? 1 << 20 : 1, &second);
	compare(&first, &second);
	bool is_sound = first.status == SHEAF_OK && first.errors == 0 && !first.is_long;
	if (is_sound && c.rows == 1 && (c.how & THROUGH_FILE)) through_file(&c, &first);
	return 0;
}
