/* SPDX-License-Identifier: MIT */
/* A sparse matrix into an archive, as save_npz writes it. How many entries there are, and where rows begin,
 * is known after the last one, so the arrays are kept until then. */
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "data/frame.h"
#include "format/npz/npz.h"
#include "io/sink.h"
#include "third/deflate.h"
#include <inttypes.h>
#include <string.h>
#include <strings.h>

typedef struct writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_dtype dtype;
	sheaf_npz_layout layout;
	int level;
	int64_t count;
	sheaf_builder majors, minors, values; /* majors: a pointer for each list; of coo the rows */
	sheaf_builder directory;
	int nmembers;
} writer;

/* ---- accept ---- */

/* NPZ_LAYOUTS: there is none of that name, or none that is written. */
static sheaf_npz_layout layout_of(const sheaf_tensor *t, const sheaf_values *values)
{
	const char *name = sheaf_values_text(values, "layout");
	if (!name) return strncmp(t->layout, "COO", 3) == 0 ? NPZ_COO : NPZ_CSR;
	return strcasecmp(name, "csr") == 0   ? NPZ_CSR
	       : strcasecmp(name, "csc") == 0 ? NPZ_CSC
	       : strcasecmp(name, "coo") == 0 ? NPZ_COO
	                                      : NPZ_LAYOUTS;
}

static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_dtype dtype;
	sheaf_tensor *t = &schema->tensor;
	sheaf_npz_layout layout = layout_of(t, values);
	if (layout == NPZ_LAYOUTS)
		return sheaf_fail_option(err, SHEAF_USAGE, "layout", ": expected csr|csc|coo, found %.40s",
		                         sheaf_values_text(values, "layout"));
	if (t->rank != 2)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "tensor: expected a matrix of two dimensions, found %d",
		                  t->rank);
	if (sheaf_schema_value(schema) < 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "tensor: expected values, found none");
	if (sheaf_values_number(values, "deflate", 0) > SHEAF_DEFLATE_MOST)
		return sheaf_fail_option(err, SHEAF_USAGE, "deflate",
		                         ": expected a level of at most %d, found another", SHEAF_DEFLATE_MOST);
	SHEAF_TRY(sheaf_array_dtype(schema, 0, schema->cx, &dtype, err));
	sheaf_dtype_free(&dtype, schema->cx);
	t->dense = false;
	t->structure = SHEAF_GENERAL;
	if (layout == NPZ_COO) return SHEAF_OK;
	t->sorted = t->unique = true;
	t->order[0] = layout == NPZ_CSC;
	t->order[1] = layout != NPZ_CSC;
	return SHEAF_OK;
}

/* ---- create, encode, append ---- */

static void close_output(void *created)
{
	writer *out = (writer *)created;
	sheaf_builder_drop(&out->majors);
	sheaf_builder_drop(&out->minors);
	sheaf_builder_drop(&out->values);
	sheaf_builder_drop(&out->directory);
	sheaf_dtype_free(&out->dtype, out->cx);
}

static sheaf_status tell_of_fill(const writer *out, sheaf_error *err)
{
	static const uint8_t zeros[16];
	const sheaf_tensor *t = &out->schema.tensor;
	if (!t->has_fill || memcmp(t->fill, zeros, sizeof zeros) == 0) return SHEAF_OK;
	sheaf_problem problem = {
		SHEAF_ERROR,   SHEAF_LOSS,      "fill value", SHEAF_NOWHERE, "0, which is all that SciPy knows",
		"another one", "it is left out"};
	problem.place.file = sheaf_sink_name(out->sink);
	return sheaf_report(out->cx, &problem, err);
}

/* There is a pointer for each row, or column, also where no entry is in it. */
static sheaf_status check_pointers(writer *out, const sheaf_facts *totals, const sheaf_values *values,
                                   sheaf_error *err)
{
	const sheaf_tensor *t = &out->schema.tensor;
	int64_t slices = t->shape[out->layout == NPZ_CSC], bytes;
	if (out->layout == NPZ_COO) return SHEAF_OK;
	if (!sheaf_values_text(values, "layout") && sheaf_is_hypersparse(slices, totals->rows)) {
		out->layout = NPZ_COO;
		return sheaf_tell_of_layout(out->cx, sheaf_sink_name(out->sink), slices, "coo", "csr", err);
	}
	if (!sheaf_mul_i64(&bytes, slices, sizeof(int32_t))) bytes = INT64_MAX;
	return sheaf_sink_check_size(out->sink, bytes, err);
}

static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	out->level = (int)sheaf_values_number(values, "deflate", 0);
	out->layout = layout_of(&out->schema.tensor, values);
	sheaf_builder_begin(&out->majors, out->cx, NULL);
	sheaf_builder_begin(&out->minors, out->cx, NULL);
	sheaf_builder_begin(&out->values, out->cx, NULL);
	sheaf_builder_begin(&out->directory, out->cx, NULL);
	SHEAF_TRY(sheaf_array_dtype(&out->schema, 0, out->cx, &out->dtype, err));
	SHEAF_TRY(tell_of_fill(out, err));
	return check_pointers(out, totals, values, err);
}

static void put_places(sheaf_builder *b, const sheaf_column *column, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		sheaf_builder_i64(b, column->type == SHEAF_I32
		                         ? ((const int32_t *)(const void *)column->values.data)[i]
		                         : ((const int64_t *)(const void *)column->values.data)[i]);
}

/* Majors, minors, values, one after the other. */
static sheaf_status encode(const void *opened, const sheaf_frame *frame, int64_t row, sheaf_blob *blob,
                           sheaf_context *cx, sheaf_error *err)
{
	const writer *out = (const writer *)opened;
	int major = out->layout == NPZ_CSC;
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, &blob->bytes);
	put_places(&b, &frame->columns[major], frame->nrows);
	put_places(&b, &frame->columns[!major], frame->nrows);
	sheaf_status status =
		sheaf_array_put_items(&out->dtype, &out->schema, frame, row, sheaf_sink_name(out->sink), &b, cx, err);
	if (status) {
		sheaf_builder_drop(&b);
		return status;
	}
	blob->rows = frame->nrows;
	return sheaf_builder_finish(&b, &blob->bytes, err);
}

/* Where each list begins, up to the one of the entry to come. */
static void put_pointers(writer *out, int64_t until)
{
	while ((int64_t)(out->majors.size / sizeof(int64_t)) <= until && !out->majors.failed)
		sheaf_builder_i64(&out->majors, out->count);
}

static sheaf_status append(void *opened, const sheaf_blob *blob, sheaf_error *err)
{
	writer *out = (writer *)opened;
	const uint8_t *majors = blob->bytes.data, *minors = majors + (size_t)blob->rows * sizeof(int64_t),
				  *values = minors + (size_t)blob->rows * sizeof(int64_t);
	for (int64_t i = 0; i < blob->rows; i++) {
		int64_t major;
		memcpy(&major, majors + (size_t)i * sizeof major, sizeof major);
		if (out->layout == NPZ_COO)
			sheaf_builder_i64(&out->majors, major);
		else
			put_pointers(out, major);
		out->count++;
	}
	sheaf_builder_append(&out->minors, minors, (size_t)blob->rows * sizeof(int64_t));
	sheaf_builder_append(&out->values, values, (size_t)blob->rows * (size_t)out->dtype.size);
	SHEAF_TRY(sheaf_builder_status(&out->majors, err));
	SHEAF_TRY(sheaf_builder_status(&out->minors, err));
	return sheaf_builder_status(&out->values, err);
}

/* ---- members ---- */

static void put_u16(sheaf_builder *b, unsigned v)
{
	sheaf_builder_byte(b, (char)(v & 255));
	sheaf_builder_byte(b, (char)(v >> 8));
}

static uint32_t narrow(uint64_t v) { return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX; }

typedef struct member {
	const char *name;
	uint64_t size, stored, at;
	uint32_t sum;
	unsigned method;
} member;

/* What the heads before a member and in the list have in common. 1980-01-01 stands for no date. */
static void put_head(sheaf_builder *b, const member *m, bool is_long)
{
	enum { VERSION = 20, LONG_VERSION = 45, NO_DATE = 1 << 5 | 1 };
	put_u16(b, is_long ? LONG_VERSION : VERSION);
	put_u16(b, 0);
	put_u16(b, m->method);
	put_u16(b, 0);
	put_u16(b, NO_DATE);
	sheaf_builder_u32le(b, m->sum);
	sheaf_builder_u32le(b, is_long ? UINT32_MAX : (uint32_t)m->stored);
	sheaf_builder_u32le(b, is_long ? UINT32_MAX : (uint32_t)m->size);
	put_u16(b, (unsigned)strlen(m->name));
}

static bool is_long(const member *m)
{
	return m->size >= UINT32_MAX || m->stored >= UINT32_MAX || m->at >= UINT32_MAX;
}

static void put_local(sheaf_builder *b, const member *m)
{
	sheaf_builder_u32le(b, 0x04034b50);
	put_head(b, m, is_long(m));
	put_u16(b, is_long(m) ? 20 : 0);
	sheaf_builder_text(b, m->name);
	if (!is_long(m)) return;
	put_u16(b, 1), put_u16(b, 16);
	sheaf_builder_u64le(b, m->size), sheaf_builder_u64le(b, m->stored);
}

static void put_in_list(sheaf_builder *b, const member *m)
{
	enum { MADE_BY_UNIX = 3 << 8 | 45, REGULAR = 0100644 };
	sheaf_builder_u32le(b, 0x02014b50);
	put_u16(b, MADE_BY_UNIX);
	put_head(b, m, is_long(m));
	put_u16(b, is_long(m) ? 28 : 0);
	put_u16(b, 0), put_u16(b, 0), put_u16(b, 0);
	sheaf_builder_u32le(b, (uint32_t)REGULAR << 16);
	sheaf_builder_u32le(b, is_long(m) ? UINT32_MAX : (uint32_t)m->at);
	sheaf_builder_text(b, m->name);
	if (!is_long(m)) return;
	put_u16(b, 1), put_u16(b, 24);
	sheaf_builder_u64le(b, m->size), sheaf_builder_u64le(b, m->stored), sheaf_builder_u64le(b, m->at);
}

static sheaf_status deflate(const writer *out, const sheaf_builder *from, sheaf_builder *to, sheaf_error *err)
{
	sheaf_deflater *deflater = sheaf_deflater_new(out->level);
	if (!deflater)
		return sheaf_fail(err, SHEAF_NOMEM, "%s: expected memory to compress with, found none",
		                  sheaf_sink_name(out->sink));
	if (sheaf_builder_room(to, from->size))
		to->size = sheaf_deflate_raw(deflater, from->data, from->size, to->data, from->size);
	sheaf_deflater_free(deflater);
	return sheaf_builder_status(to, err);
}

/* An array of the items in `values`, with its header, as a member. What deflating makes no shorter is
 * stored. */
static sheaf_status put_member(writer *out, const char *name, const sheaf_dtype *dtype, int rank,
                               int64_t extent, const sheaf_builder *values, sheaf_error *err)
{
	sheaf_builder plain, packed, head;
	sheaf_builder_begin(&plain, out->cx, NULL), sheaf_builder_begin(&packed, out->cx, NULL),
		sheaf_builder_begin(&head, out->cx, NULL);
	sheaf_array_put_header(&plain, dtype, rank, &extent);
	sheaf_builder_append(&plain, values->data, values->size);
	sheaf_status status = sheaf_builder_status(&plain, err);
	if (status == SHEAF_OK && out->level) status = deflate(out, &plain, &packed, err);
	member m = {.name = name,
	            .at = (uint64_t)sheaf_sink_tell(out->sink),
	            .size = plain.size,
	            .sum = sheaf_crc32(0, plain.data, plain.size)};
	const sheaf_builder *stored = packed.size ? &packed : &plain;
	m.method = packed.size ? 8 : 0;
	m.stored = stored->size;
	put_local(&head, &m);
	put_in_list(&out->directory, &m);
	out->nmembers++;
	if (status == SHEAF_OK) status = sheaf_builder_status(&head, err);
	if (status == SHEAF_OK) status = sheaf_sink_write(out->sink, head.data, head.size, err);
	if (status == SHEAF_OK) status = sheaf_sink_write(out->sink, stored->data, stored->size, err);
	sheaf_builder_drop(&plain), sheaf_builder_drop(&packed), sheaf_builder_drop(&head);
	return status;
}

/* Whole numbers, in four bytes where all of them fit, as SciPy likes them. */
static sheaf_status put_indices(writer *out, const char *name, sheaf_builder *from, bool wide,
                                sheaf_error *err)
{
	sheaf_part part = {.kind = 'i', .size = wide ? 8 : 4, .scale = 1};
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = part.size};
	int64_t n = (int64_t)(from->size / sizeof(int64_t));
	for (int64_t i = 0; i < n && !wide; i++) {
		int64_t v;
		memcpy(&v, from->data + (size_t)i * sizeof v, sizeof v);
		int32_t small = (int32_t)v;
		memcpy(from->data + (size_t)i * sizeof small, &small, sizeof small); /* shorter: it never overtakes */
	}
	from->size = (size_t)n * (size_t)part.size;
	return put_member(out, name, &dtype, 1, n, from, err);
}

static sheaf_status put_words(writer *out, sheaf_error *err)
{
	sheaf_part text = {.kind = 'S', .size = 3, .scale = 1}, number = {.kind = 'i', .size = 8, .scale = 1};
	sheaf_dtype texts = {.parts = &text, .nparts = 1, .size = 3},
				numbers = {.parts = &number, .nparts = 1, .size = 8};
	sheaf_builder b;
	sheaf_builder_begin(&b, out->cx, NULL);
	sheaf_builder_text(&b, sheaf_npz_layouts[out->layout]);
	sheaf_status status = put_member(out, "format.npy", &texts, 0, 0, &b, err);
	b.size = 0;
	for (int d = 0; d < 2; d++) sheaf_builder_i64(&b, out->schema.tensor.shape[d]);
	if (status == SHEAF_OK) status = put_member(out, "shape.npy", &numbers, 1, 2, &b, err);
	sheaf_builder_drop(&b);
	return status;
}

static sheaf_status put_matrix(writer *out, sheaf_error *err)
{
	const int64_t *shape = out->schema.tensor.shape;
	bool wide = shape[0] > INT32_MAX || shape[1] > INT32_MAX || out->count > INT32_MAX,
		 coo = out->layout == NPZ_COO;
	if (!coo) put_pointers(out, shape[out->layout == NPZ_CSC]);
	SHEAF_TRY(sheaf_builder_status(&out->majors, err));
	SHEAF_TRY(
		put_indices(out, coo ? "row.npy" : "indices.npy", coo ? &out->majors : &out->minors, wide, err));
	SHEAF_TRY(put_indices(out, coo ? "col.npy" : "indptr.npy", coo ? &out->minors : &out->majors, wide, err));
	SHEAF_TRY(put_words(out, err));
	return put_member(out, "data.npy", &out->dtype, 1, out->count, &out->values, err);
}

/* The list of members; its long form where 32 bits do not hold its place. */
static sheaf_status put_list(writer *out, sheaf_error *err)
{
	sheaf_builder *b = &out->directory;
	uint64_t at = (uint64_t)sheaf_sink_tell(out->sink), size = b->size;
	if (at >= UINT32_MAX) {
		enum { REST = 44, VERSION = 45 };
		sheaf_builder_u32le(b, 0x06064b50), sheaf_builder_u64le(b, REST);
		put_u16(b, VERSION), put_u16(b, VERSION);
		sheaf_builder_u32le(b, 0), sheaf_builder_u32le(b, 0);
		sheaf_builder_u64le(b, (uint64_t)out->nmembers), sheaf_builder_u64le(b, (uint64_t)out->nmembers);
		sheaf_builder_u64le(b, size), sheaf_builder_u64le(b, at);
		sheaf_builder_u32le(b, 0x07064b50), sheaf_builder_u32le(b, 0), sheaf_builder_u64le(b, at + size),
			sheaf_builder_u32le(b, 1);
	}
	sheaf_builder_u32le(b, 0x06054b50);
	put_u16(b, 0), put_u16(b, 0);
	put_u16(b, (unsigned)out->nmembers), put_u16(b, (unsigned)out->nmembers);
	sheaf_builder_u32le(b, (uint32_t)size), sheaf_builder_u32le(b, narrow(at));
	put_u16(b, 0);
	SHEAF_TRY(sheaf_builder_status(b, err));
	return sheaf_sink_write(out->sink, b->data, b->size, err);
}

static sheaf_status finish(void *created, sheaf_error *err)
{
	writer *out = (writer *)created;
	SHEAF_TRY(put_matrix(out, err));
	return put_list(out, err);
}

const sheaf_writing sheaf_npz_writing = {
	.takes = SHEAF_TAKES_ENTRIES,
	.output_size = sizeof(writer),
	.accept = accept,
	.create = create,
	.encode = encode,
	.append = append,
	.finish = finish,
	.close = close_output,
};
