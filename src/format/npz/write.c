/* SPDX-License-Identifier: MIT */
/* A tensor into an archive: a sparse one as save_npz writes it, whose arrays are kept until the last entry
 * has come, since how many there are and where rows begin is known then; a dense one as an array that is
 * written as it comes, its sum and sizes after it. */
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "data/frame_builder.h"
#include "format/npz/npz.h"
#include "io/sink.h"
#include "third/deflate.h"
#include <inttypes.h>
#include <string.h>
#include <strings.h>

typedef struct member {
	const char *name;
	uint64_t size, stored, at;
	uint32_t sum;
	unsigned method;
	bool later; /* its sum and sizes stand after it */
	bool is_long;
} member;

typedef struct writer {
	SHEAF_BASE(sheaf_output, output);
	sheaf_dtype dtype;
	sheaf_npz_layout layout;
	int level;
	int64_t count;
	bool wide; /* indices have eight bytes */
	/* Coordinates of each dimension; but of csr and csc where each list begins, in eight bytes, and the
	 * others. */
	sheaf_builder places[SHEAF_MAX_RANK], values;
	member array; /* of a dense tensor, where that is written as it comes */
	sheaf_builder directory;
	int nmembers;
} writer;

/* ---- accept ---- */

static bool is_compressed(sheaf_npz_layout layout) { return layout == NPZ_CSR || layout == NPZ_CSC; }

/* NPZ_LAYOUTS: there is none of that name, or none that is written. */
static sheaf_npz_layout layout_of(const sheaf_tensor *t, bool dense, const sheaf_values *values)
{
	static const sheaf_npz_layout written[] = {NPZ_CSR, NPZ_CSC, NPZ_COO, NPZ_DENSE};
	const char *name = sheaf_values_text(values, "layout");
	if (!name)
		return dense ? NPZ_DENSE : t->rank != 2 || strncmp(t->layout, "COO", 3) == 0 ? NPZ_COO : NPZ_CSR;
	for (size_t i = 0; i < sizeof written / sizeof *written; i++)
		if (strcasecmp(name, sheaf_npz_layouts[written[i]]) == 0) return written[i];
	return NPZ_LAYOUTS;
}

static sheaf_status check_layout(const sheaf_tensor *t, sheaf_npz_layout layout, const sheaf_values *values,
                                 sheaf_error *err)
{
	if (layout == NPZ_LAYOUTS)
		return sheaf_fail_option(err, SHEAF_USAGE, "layout", ": expected csr|csc|coo|dense, found %.40s",
		                         sheaf_values_text(values, "layout"));
	if (is_compressed(layout) && t->rank != 2)
		return sheaf_fail_option(err, SHEAF_UNSUPPORTED, "layout",
		                         " %s: expected a matrix of two dimensions, found %d",
		                         sheaf_npz_layouts[layout], t->rank);
	if (layout == NPZ_COO && t->rank == 0)
		return sheaf_fail_option(err, SHEAF_UNSUPPORTED, "layout",
		                         " coo: expected a tensor of at least one dimension, found %d", 0);
	return SHEAF_OK;
}

static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_dtype dtype;
	sheaf_tensor *t = &schema->tensor;
	sheaf_npz_layout layout = layout_of(t, t->dense || t->rank == 0, values);
	SHEAF_TRY(check_layout(t, layout, values, err));
	if (sheaf_schema_value(schema) < 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "tensor: expected values, found none");
	if (sheaf_values_number(values, "deflate", 0) > SHEAF_DEFLATE_MOST)
		return sheaf_fail_option(err, SHEAF_USAGE, "deflate",
		                         ": expected a level of at most %d, found another", SHEAF_DEFLATE_MOST);
	SHEAF_TRY(sheaf_array_dtype(schema, 0, schema->cx, &dtype, err));
	sheaf_dtype_free(&dtype, schema->cx);
	t->dense = layout == NPZ_DENSE;
	t->structure = SHEAF_GENERAL;
	if (layout == NPZ_COO) return SHEAF_OK;
	t->sorted = t->unique = true;
	for (int d = 0; d < t->rank; d++) t->order[d] = layout == NPZ_CSC ? !d : d;
	return SHEAF_OK;
}

/* ---- create, encode, append ---- */

static void close_output(void *created)
{
	writer *out = (writer *)created;
	for (int d = 0; d < SHEAF_MAX_RANK; d++) sheaf_builder_drop(&out->places[d]);
	sheaf_builder_drop(&out->values);
	sheaf_builder_drop(&out->directory);
	sheaf_dtype_free(&out->dtype, out->cx);
}

static sheaf_status tell_of_fill(const writer *out, sheaf_error *err)
{
	static const uint8_t zeros[16];
	const sheaf_tensor *t = &out->schema.tensor;
	if (out->layout == NPZ_DENSE || !t->has_fill || memcmp(t->fill, zeros, sizeof zeros) == 0)
		return SHEAF_OK;
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
	if (!is_compressed(out->layout)) return SHEAF_OK;
	if (!sheaf_values_text(values, "layout") && sheaf_is_hypersparse(slices, totals->rows)) {
		out->layout = NPZ_COO;
		return sheaf_tell_of_layout(out->cx, sheaf_sink_name(out->sink), slices, "coo", "csr", err);
	}
	if (!sheaf_mul_i64(&bytes, slices, sizeof(int32_t))) bytes = INT64_MAX;
	return sheaf_sink_check_size(out->sink, bytes, err);
}

/* How many values the array has. */
static sheaf_status count_positions(writer *out, sheaf_error *err)
{
	int64_t bytes;
	const sheaf_tensor *t = &out->schema.tensor;
	if (out->layout != NPZ_DENSE) return SHEAF_OK;
	out->count = 1;
	bool fits = true;
	for (int d = 0; d < t->rank; d++) fits = fits && sheaf_mul_i64(&out->count, out->count, t->shape[d]);
	if (!fits || !sheaf_mul_i64(&bytes, out->count, out->dtype.size) || bytes > INT64_MAX / 2)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "tensor: expected less than 2^62 bytes of values, found more");
	out->array = (member){.name = "arr_0.npy", .size = (uint64_t)bytes, .later = true};
	return sheaf_sink_check_size(out->sink, bytes, err);
}

static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	writer *out = (writer *)created;
	const sheaf_tensor *t = &out->schema.tensor;
	out->level = (int)sheaf_values_number(values, "deflate", 0);
	out->layout = layout_of(t, t->dense, values);
	for (int d = 0; d < t->rank; d++) {
		sheaf_builder_begin(&out->places[d], out->cx, NULL);
		out->wide |= t->shape[d] > INT32_MAX;
	}
	sheaf_builder_begin(&out->values, out->cx, NULL);
	sheaf_builder_begin(&out->directory, out->cx, NULL);
	SHEAF_TRY(sheaf_array_dtype(&out->schema, 0, out->cx, &out->dtype, err));
	SHEAF_TRY(tell_of_fill(out, err));
	SHEAF_TRY(count_positions(out, err));
	return check_pointers(out, totals, values, err);
}

/* Bytes of a coordinate. */
static size_t place_size(const writer *out) { return out->wide ? sizeof(int64_t) : sizeof(int32_t); }

static void put_places(sheaf_builder *b, const sheaf_column *column, int64_t n, bool wide)
{
	if (wide == (column->type == SHEAF_I64)) {
		sheaf_builder_append(b, column->values.data, (size_t)n * (wide ? sizeof(int64_t) : sizeof(int32_t)));
		return;
	}
	for (int64_t i = 0; i < n; i++)
		sheaf_put_index(b, wide ? SHEAF_I64 : SHEAF_I32, sheaf_coordinate_at(column, i));
}

/* Coordinates, one dimension after the other, the lists' first; then values. */
static sheaf_status encode(const void *opened, const sheaf_frame *frame, int64_t row, sheaf_blob *blob,
                           sheaf_context *cx, sheaf_error *err)
{
	const writer *out = (const writer *)opened;
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, &blob->bytes);
	for (int d = 0; d < out->schema.tensor.rank && out->layout != NPZ_DENSE; d++)
		put_places(&b, &frame->columns[out->layout == NPZ_CSC ? !d : d], frame->nrows, out->wide);
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
	sheaf_builder *b = &out->places[0];
	while ((int64_t)(b->size / sizeof(int64_t)) <= until && !b->failed) sheaf_builder_i64(b, out->count);
}

/* Entries of one list follow each other, so that most need no look at the pointers. */
static void put_lists(writer *out, const uint8_t *majors, int64_t n)
{
	int64_t list = -1;
	for (int64_t i = 0; i < n; i++, out->count++) {
		int64_t major = 0;
		int32_t narrow;
		if (out->wide) {
			memcpy(&major, majors + (size_t)i * sizeof major, sizeof major);
		} else {
			memcpy(&narrow, majors + (size_t)i * sizeof narrow, sizeof narrow);
			major = narrow;
		}
		if (major != list) put_pointers(out, major);
		list = major;
	}
}

static sheaf_status write_array(writer *out, const void *bytes, size_t size, sheaf_error *err);

static sheaf_status append(void *opened, const sheaf_blob *blob, sheaf_error *err)
{
	writer *out = (writer *)opened;
	const uint8_t *at = blob->bytes.data;
	size_t places = (size_t)blob->rows * place_size(out),
		   values = (size_t)blob->rows * (size_t)out->dtype.size;
	if (out->layout == NPZ_DENSE && out->level == 0) return write_array(out, at, values, err);
	for (int d = 0; d < out->schema.tensor.rank && out->layout != NPZ_DENSE; d++, at += places) {
		if (d == 0 && is_compressed(out->layout))
			put_lists(out, at, blob->rows);
		else
			sheaf_builder_append(&out->places[d], at, places);
		SHEAF_TRY(sheaf_builder_status(&out->places[d], err));
	}
	if (out->layout == NPZ_COO) out->count += blob->rows;
	sheaf_builder_append(&out->values, at, values);
	return sheaf_builder_status(&out->values, err);
}

/* ---- members ---- */

static void put_u16(sheaf_builder *b, unsigned v)
{
	sheaf_builder_byte(b, (char)(v & 255));
	sheaf_builder_byte(b, (char)(v >> 8));
}

static uint32_t narrow(uint64_t v) { return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX; }

/* What the heads before a member and in the list have in common. 1980-01-01 stands for no date. Where the sum
 * and the sizes stand after the member, the head before it leaves them out. */
static void put_head(sheaf_builder *b, const member *m, bool in_list)
{
	enum { VERSION = 20, LONG_VERSION = 45, LATER = 8, NO_DATE = 1 << 5 | 1 };
	bool known = in_list || !m->later;
	put_u16(b, m->is_long ? LONG_VERSION : VERSION);
	put_u16(b, m->later ? LATER : 0);
	put_u16(b, m->method);
	put_u16(b, 0);
	put_u16(b, NO_DATE);
	sheaf_builder_u32le(b, known ? m->sum : 0);
	sheaf_builder_u32le(b, !known ? 0 : m->is_long ? UINT32_MAX : (uint32_t)m->stored);
	sheaf_builder_u32le(b, !known ? 0 : m->is_long ? UINT32_MAX : (uint32_t)m->size);
	put_u16(b, (unsigned)strlen(m->name));
}

static void find_length(member *m)
{
	enum { HEADER_MOST = 1 << 16 }; /* more than the header of an array of numbers has */
	m->is_long = m->size >= UINT32_MAX - HEADER_MOST || m->stored >= UINT32_MAX || m->at >= UINT32_MAX;
}

static void put_local(sheaf_builder *b, const member *m)
{
	sheaf_builder_u32le(b, 0x04034b50);
	put_head(b, m, false);
	put_u16(b, m->is_long ? 20 : 0);
	sheaf_builder_text(b, m->name);
	if (!m->is_long) return;
	put_u16(b, 1), put_u16(b, 16);
	sheaf_builder_u64le(b, m->later ? 0 : m->size), sheaf_builder_u64le(b, m->later ? 0 : m->stored);
}

/* After a member whose head has neither. */
static void put_sum(sheaf_builder *b, const member *m)
{
	sheaf_builder_u32le(b, 0x08074b50), sheaf_builder_u32le(b, m->sum);
	if (m->is_long)
		sheaf_builder_u64le(b, m->stored), sheaf_builder_u64le(b, m->size);
	else
		sheaf_builder_u32le(b, (uint32_t)m->stored), sheaf_builder_u32le(b, (uint32_t)m->size);
}

static void put_in_list(sheaf_builder *b, const member *m)
{
	enum { MADE_BY_UNIX = 3 << 8 | 45, REGULAR = 0100644 };
	sheaf_builder_u32le(b, 0x02014b50);
	put_u16(b, MADE_BY_UNIX);
	put_head(b, m, true);
	put_u16(b, m->is_long ? 28 : 0);
	put_u16(b, 0), put_u16(b, 0), put_u16(b, 0);
	sheaf_builder_u32le(b, (uint32_t)REGULAR << 16);
	sheaf_builder_u32le(b, m->is_long ? UINT32_MAX : (uint32_t)m->at);
	sheaf_builder_text(b, m->name);
	if (!m->is_long) return;
	put_u16(b, 1), put_u16(b, 24);
	sheaf_builder_u64le(b, m->size), sheaf_builder_u64le(b, m->stored), sheaf_builder_u64le(b, m->at);
}

/* ---- a dense tensor ---- */

static sheaf_status write_built(writer *out, sheaf_builder *b, sheaf_error *err)
{
	sheaf_status status = sheaf_builder_status(b, err);
	if (status == SHEAF_OK) status = sheaf_sink_write(out->sink, b->data, b->size, err);
	sheaf_builder_drop(b);
	return status;
}

/* The head of the member, and of the array in it. */
static sheaf_status begin_array(writer *out, sheaf_error *err)
{
	sheaf_builder head, header;
	const sheaf_tensor *t = &out->schema.tensor;
	out->array.at = (uint64_t)sheaf_sink_tell(out->sink);
	find_length(&out->array);
	out->array.size = 0; /* from now on those that are written */
	sheaf_builder_begin(&head, out->cx, NULL);
	sheaf_builder_begin(&header, out->cx, NULL);
	put_local(&head, &out->array);
	sheaf_array_put_header(&header, &out->dtype, t->rank, t->shape);
	out->array.sum = sheaf_crc32(0, header.data, header.size);
	out->array.size = out->array.stored = header.size;
	out->nmembers = 1;
	sheaf_status status = write_built(out, &head, err);
	if (status == SHEAF_OK) return write_built(out, &header, err);
	sheaf_builder_drop(&header);
	return status;
}

static sheaf_status write_array(writer *out, const void *bytes, size_t size, sheaf_error *err)
{
	if (out->nmembers == 0) SHEAF_TRY(begin_array(out, err));
	out->array.sum = sheaf_crc32(out->array.sum, bytes, size);
	out->array.size += size;
	out->array.stored += size;
	return sheaf_sink_write(out->sink, bytes, size, err);
}

static sheaf_status end_array(writer *out, sheaf_error *err)
{
	sheaf_builder sum;
	SHEAF_TRY(write_array(out, "", 0, err));
	sheaf_builder_begin(&sum, out->cx, NULL);
	put_sum(&sum, &out->array);
	put_in_list(&out->directory, &out->array);
	return write_built(out, &sum, err);
}

/* ---- other members ---- */

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

/* What is in a member: an array of items that stand in several builders, one after the other. */
typedef struct content {
	const char *name;
	const sheaf_dtype *dtype;
	int rank;
	const int64_t *shape;
	const sheaf_builder *parts;
	int nparts;
} content;

static sheaf_status write_stored(writer *out, const content *c, const sheaf_builder *header, sheaf_error *err)
{
	sheaf_builder head;
	member m = {.name = c->name, .at = (uint64_t)sheaf_sink_tell(out->sink), .size = header->size};
	m.sum = sheaf_crc32(0, header->data, header->size);
	for (int i = 0; i < c->nparts; i++) {
		m.size += c->parts[i].size;
		m.sum = sheaf_crc32(m.sum, c->parts[i].data, c->parts[i].size);
	}
	m.stored = m.size;
	find_length(&m);
	sheaf_builder_begin(&head, out->cx, NULL);
	put_local(&head, &m);
	put_in_list(&out->directory, &m);
	SHEAF_TRY(write_built(out, &head, err));
	SHEAF_TRY(sheaf_sink_write(out->sink, header->data, header->size, err));
	for (int i = 0; i < c->nparts; i++)
		SHEAF_TRY(sheaf_sink_write(out->sink, c->parts[i].data, c->parts[i].size, err));
	return SHEAF_OK;
}

/* Where deflating makes it no shorter, *done stays false. */
static sheaf_status write_deflated(writer *out, const content *c, const sheaf_builder *header, bool *done,
                                   sheaf_error *err)
{
	sheaf_builder plain, packed, head;
	sheaf_builder_begin(&plain, out->cx, NULL), sheaf_builder_begin(&packed, out->cx, NULL);
	sheaf_builder_append(&plain, header->data, header->size);
	for (int i = 0; i < c->nparts; i++) sheaf_builder_append(&plain, c->parts[i].data, c->parts[i].size);
	sheaf_status status = sheaf_builder_status(&plain, err);
	if (status == SHEAF_OK) status = deflate(out, &plain, &packed, err);
	*done = packed.size > 0;
	if (status == SHEAF_OK && *done) {
		member m = {.name = c->name,
		            .at = (uint64_t)sheaf_sink_tell(out->sink),
		            .size = plain.size,
		            .stored = packed.size,
		            .sum = sheaf_crc32(0, plain.data, plain.size),
		            .method = 8};
		find_length(&m);
		sheaf_builder_begin(&head, out->cx, NULL);
		put_local(&head, &m);
		put_in_list(&out->directory, &m);
		status = write_built(out, &head, err);
		if (status == SHEAF_OK) status = sheaf_sink_write(out->sink, packed.data, packed.size, err);
	}
	sheaf_builder_drop(&plain), sheaf_builder_drop(&packed);
	return status;
}

static sheaf_status put_member(writer *out, const content *c, sheaf_error *err)
{
	sheaf_builder header;
	bool done = false;
	for (int i = 0; i < c->nparts; i++) SHEAF_TRY(sheaf_builder_status(&c->parts[i], err));
	sheaf_builder_begin(&header, out->cx, NULL);
	sheaf_array_put_header(&header, c->dtype, c->rank, c->shape);
	sheaf_status status = sheaf_builder_status(&header, err);
	if (status == SHEAF_OK && out->level) status = write_deflated(out, c, &header, &done, err);
	if (status == SHEAF_OK && !done) status = write_stored(out, c, &header, err);
	out->nmembers++;
	sheaf_builder_drop(&header);
	return status;
}

/* ---- sparse tensors ---- */

static sheaf_status put_integers(writer *out, const char *name, const sheaf_builder *parts, int nparts,
                                 int64_t size, sheaf_error *err)
{
	sheaf_part part = {.kind = 'i', .size = size, .scale = 1};
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = size};
	int64_t shape[2] = {nparts, (int64_t)parts->size / size};
	content c = {name, &dtype, nparts > 1 ? 2 : 1, nparts > 1 ? shape : shape + 1, parts, nparts};
	return put_member(out, &c, err);
}

/* In four bytes where all of them fit, as SciPy likes them. */
static sheaf_status put_pointer_array(writer *out, sheaf_error *err)
{
	sheaf_builder *b = &out->places[0];
	int64_t n = (int64_t)(b->size / sizeof(int64_t));
	if (out->count > INT32_MAX) return put_integers(out, "indptr.npy", b, 1, sizeof(int64_t), err);
	for (int64_t i = 0; i < n; i++) {
		int64_t v;
		memcpy(&v, b->data + (size_t)i * sizeof v, sizeof v);
		int32_t small = (int32_t)v;
		memcpy(b->data + (size_t)i * sizeof small, &small, sizeof small); /* shorter: it never overtakes */
	}
	b->size = (size_t)n * sizeof(int32_t);
	return put_integers(out, "indptr.npy", b, 1, sizeof(int32_t), err);
}

/* A single item of `size` bytes. */
static sheaf_status put_word(writer *out, const char *name, char kind, const char *bytes, size_t size,
                             sheaf_error *err)
{
	sheaf_part part = {.kind = kind, .size = (int64_t)size, .scale = 1};
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = (int64_t)size};
	sheaf_builder b;
	sheaf_builder_begin(&b, out->cx, NULL);
	sheaf_builder_append(&b, bytes, size);
	sheaf_status status = put_member(out, &(content){name, &dtype, 0, NULL, &b, 1}, err);
	sheaf_builder_drop(&b);
	return status;
}

static sheaf_status put_words(writer *out, sheaf_error *err)
{
	const sheaf_tensor *t = &out->schema.tensor;
	const char *layout = sheaf_npz_layouts[out->layout];
	sheaf_builder b;
	SHEAF_TRY(put_word(out, "format.npy", 'S', layout, strlen(layout), err));
	sheaf_builder_begin(&b, out->cx, NULL);
	for (int d = 0; d < t->rank; d++) sheaf_builder_i64(&b, t->shape[d]);
	sheaf_status status = put_integers(out, "shape.npy", &b, 1, sizeof(int64_t), err);
	sheaf_builder_drop(&b);
	/* SciPy has matrices of two dimensions, and arrays of any number. */
	return status || t->rank == 2 ? status : put_word(out, "_is_array.npy", 'b', "\1", 1, err);
}

static sheaf_status put_places_array(writer *out, sheaf_error *err)
{
	int64_t size = (int64_t)place_size(out);
	int rank = out->schema.tensor.rank;
	if (is_compressed(out->layout)) {
		put_pointers(out, out->schema.tensor.shape[out->layout == NPZ_CSC]);
		SHEAF_TRY(put_integers(out, "indices.npy", &out->places[1], 1, size, err));
		return put_pointer_array(out, err);
	}
	if (rank == 2) {
		SHEAF_TRY(put_integers(out, "row.npy", &out->places[0], 1, size, err));
		return put_integers(out, "col.npy", &out->places[1], 1, size, err);
	}
	sheaf_part part = {.kind = 'i', .size = size, .scale = 1};
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = size};
	int64_t shape[2] = {rank, out->count};
	return put_member(out, &(content){"coords.npy", &dtype, 2, shape, out->places, rank}, err);
}

static sheaf_status put_tensor(writer *out, sheaf_error *err)
{
	const sheaf_tensor *t = &out->schema.tensor;
	content values = {"arr_0.npy", &out->dtype, t->rank, t->shape, &out->values, 1};
	if (out->layout == NPZ_DENSE) return out->level ? put_member(out, &values, err) : end_array(out, err);
	SHEAF_TRY(put_places_array(out, err));
	SHEAF_TRY(put_words(out, err));
	values = (content){"data.npy", &out->dtype, 1, &out->count, &out->values, 1};
	return put_member(out, &values, err);
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
	if (out->layout == NPZ_DENSE && out->written != out->count)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected %" PRId64 " values, as the shape says, found %" PRId64,
		                  sheaf_sink_name(out->sink), out->count, out->written);
	SHEAF_TRY(put_tensor(out, err));
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
