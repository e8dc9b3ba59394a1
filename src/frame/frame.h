/* SPDX-License-Identifier: MIT */
/* Making schemas and frames: used by decoders, the writer and the tests. */
#ifndef SHEAF_FRAME_FRAME_H
#define SHEAF_FRAME_FRAME_H

#include <sheaf/build.h>
#include <sheaf/frame.h>

/* ---- schemas ---- */

/* Appends a field of no levels and type F32; the name is copied. *out is valid until the next field is
 * added. */
SHEAF_USE sheaf_status sheaf_schema_add(sheaf_schema *schema, sheaf_context *cx, const char *name, size_t n,
                                        sheaf_field **out, sheaf_error *err);
/* Makes room for levels of one of its fields beyond the two with which it begins, up to SHEAF_MAX_LEVELS. */
SHEAF_USE sheaf_status sheaf_schema_make_levels(sheaf_schema *schema, sheaf_field *field, int nlevels,
                                                sheaf_error *err);
/* Appends a copy of a field of another schema, without its alias. */
SHEAF_USE sheaf_status sheaf_schema_add_like(sheaf_schema *schema, sheaf_context *cx, const sheaf_field *from,
                                             sheaf_field **out, sheaf_error *err);
/* Appends a copy of a field. */
SHEAF_USE sheaf_status sheaf_schema_add_copy(sheaf_schema *schema, sheaf_context *cx, const sheaf_field *from,
                                             sheaf_error *err);
/* sheaf_schema_find that tries field number `near` first: schemas that are compared mostly have the same
 * order. */
int sheaf_schema_find_near(const sheaf_schema *schema, const char *name, int near);
/* The same, for callers that add thousands of fields; -1: the name is new. */
SHEAF_USE sheaf_status sheaf_schema_look_up(sheaf_schema *schema, const char *name, int *found,
                                            sheaf_error *err);
/* Shapes a field as a sequence stream: LIST, then FIXED(dim) or COORD(1; dim). */
void sheaf_field_make_stream(sheaf_field *field, bool sparse, int64_t dim, sheaf_type type);
/* Shapes a field as a cell. A number has no level, or FIXED(1) if it may be missing; a run of `width` items
 * of `type` is FIXED(width), or LIST if width is -1. */
void sheaf_field_make_cell(sheaf_field *field, sheaf_meaning meaning, sheaf_type type, int64_t width,
                           bool nullable);
/* Of a tensor. */
typedef struct sheaf_dimensions {
	int rank;
	const int64_t *extents;
	const char *const *names; /* NULL: i, j, k, ... */
} sheaf_dimensions;

/* Makes the schema one of entries: coordinates of these dimensions, I32 if the extent fits, and the value's
 * field, which stays as sheaf_schema_add made it; the tensor is sorted by rows and unique until the caller
 * changes that. */
SHEAF_USE sheaf_status sheaf_schema_make_entries(sheaf_schema *schema, sheaf_context *cx,
                                                 sheaf_dimensions dimensions, sheaf_field **value,
                                                 sheaf_error *err);
/* Columns beside streams are lost by name where a format has no place for them: those of sequences that have
 * no such name get one. */
void sheaf_schema_name_losses(sheaf_schema *schema);
/* The short name of one of its fields; copied. */
SHEAF_USE sheaf_status sheaf_schema_set_alias(sheaf_schema *schema, sheaf_field *field, const char *alias,
                                              size_t n, sheaf_error *err);
/* Renames one of its fields; the old name becomes its alias. */
SHEAF_USE sheaf_status sheaf_schema_rename(sheaf_schema *schema, sheaf_field *field, const char *name,
                                           size_t n, sheaf_error *err);
/* "sparse, dim 10, float32", or "float64 that may be missing", into text[size]; returns text. */
const char *sheaf_field_text(const sheaf_field *field, char *text, size_t size);
/* The key column of sequences: uint64, named "key". */
SHEAF_USE sheaf_status sheaf_schema_add_key(sheaf_schema *schema, sheaf_context *cx, sheaf_error *err);
/* Text about the dataset as a whole; the texts are copied, `loss` is static. */
SHEAF_USE sheaf_status sheaf_schema_put_attribute(sheaf_schema *schema, sheaf_context *cx, const char *name,
                                                  const char *text, const char *loss, sheaf_error *err);
/* "A, B": the names of the streams, cut to fit text[size]; "none". Returns their number. */
int sheaf_schema_list_streams(const sheaf_schema *schema, char *text, size_t size);
/* Whether a field is one of the streams of sequences, or else of the columns, keys aside; and the name of one
 * of these that was probably meant, or NULL. */
bool sheaf_schema_lists(const sheaf_schema *schema, int field, bool streams);
const char *sheaf_schema_nearest(const sheaf_schema *schema, bool streams, const char *wanted);
/* Whether anything of it may be missing. */
static inline bool sheaf_field_is_nullable(const sheaf_field *field)
{
	bool any = false;
	for (int l = 0; l < field->nlevels; l++) any |= field->levels[l].missing == SHEAF_NULLABLE;
	return any;
}
/* Whether it would be a stream if none of its lists, samples and values could be missing. */
bool sheaf_field_lacks_samples(const sheaf_field *field);
/* UNSUPPORTED if the field is neither a dense nor a sparse stream, for formats that store nothing else. */
SHEAF_USE sheaf_status sheaf_field_need_stream(const sheaf_field *field, sheaf_error *err);
/* USAGE: the option names a stream that is not in the schema; the message suggests the one that was probably
 * meant. */
sheaf_status sheaf_refuse_stream(const char *option, const char *wanted, const char *file,
                                 const sheaf_schema *schema, sheaf_error *err);
/* "rows of a table" */
const char *sheaf_row_kind_name(sheaf_row_kind rows);
/* What messages call rows of a kind, and their columns. */
void sheaf_place_words(sheaf_place *place, sheaf_row_kind rows);
void sheaf_schema_remove(sheaf_schema *schema, int field);
SHEAF_USE sheaf_status sheaf_schema_copy(const sheaf_schema *schema, sheaf_context *cx, sheaf_schema *out,
                                         sheaf_error *err);

/* Whether there can be such a schema, field or tensor: meanings have their types and levels, rows their
 * fields. `otherwise` with the first thing that is wrong. */
SHEAF_USE sheaf_status sheaf_schema_check(const sheaf_schema *schema, sheaf_status otherwise,
                                          sheaf_error *err);
SHEAF_USE sheaf_status sheaf_field_check(const sheaf_schema *schema, int field, sheaf_status otherwise,
                                         sheaf_error *err);
SHEAF_USE sheaf_status sheaf_tensor_check(const sheaf_tensor *tensor, sheaf_status otherwise,
                                          sheaf_error *err);

/* ---- runs of positions ---- */

/* The numbers of a buffer: blocks are aligned for them. */
static inline const int64_t *sheaf_i64s(const void *data) { return (const int64_t *)data; }

typedef struct sheaf_run {
	int64_t begin, end;
} sheaf_run;

static inline int64_t sheaf_run_length(sheaf_run run) { return run.end - run.begin; }
/* A run of the bytes of a column: where values are bytes, a text. Never NULL, though an empty column has no
 * bytes to point into. */
static inline sheaf_bytes sheaf_column_bytes(const sheaf_column *column, sheaf_run run)
{
	if (run.begin >= run.end) return (sheaf_bytes){(const uint8_t *)"", 0};
	return (sheaf_bytes){column->values.data + run.begin, (size_t)sheaf_run_length(run)};
}

/* The run of positions below a level that one of its positions covers. */
static inline sheaf_run sheaf_level_below(const sheaf_level *level, sheaf_run run)
{
	if (level->shape.kind == SHEAF_FIXED)
		return (sheaf_run){run.begin * level->shape.extent, run.end * level->shape.extent};
	const int64_t *o = sheaf_level_offsets(level);
	return (sheaf_run){o[run.begin], o[run.end]};
}

static inline sheaf_run sheaf_level_below_one(const sheaf_level *level, int64_t p)
{
	return sheaf_level_below(level, (sheaf_run){p, p + 1});
}

/* Whether position p is empty: imputed values are something. */
static inline bool sheaf_level_is_null(const sheaf_level *level, int64_t p)
{
	return level->shape.missing == SHEAF_NULLABLE && !sheaf_level_has(level, p);
}

static inline bool sheaf_means_text(sheaf_meaning meaning)
{
	return meaning == SHEAF_STRING || meaning == SHEAF_SPELLING;
}

static inline bool sheaf_means_time(sheaf_meaning meaning)
{
	return meaning == SHEAF_DATE || meaning == SHEAF_TIME || meaning == SHEAF_DATETIME ||
	       meaning == SHEAF_DATETIMETZ || meaning == SHEAF_DURATION;
}

/* Whether values of this meaning can count such parts of a second. */
static inline bool sheaf_means_parts(sheaf_meaning meaning, int digits)
{
	return digits == 0 || (sheaf_means_time(meaning) && meaning != SHEAF_DATE &&
	                       (digits == 3 || digits == 6 || digits == 9));
}

/* Whether the last level of such a column makes one item of what it covers: a text, bytes, the parts of a
 * complex number. */
static inline bool sheaf_means_run(sheaf_meaning meaning)
{
	return sheaf_means_text(meaning) || meaning == SHEAF_BYTES || meaning == SHEAF_DATETIMETZ ||
	       meaning == SHEAF_COMPLEX;
}

/* Whether each position of the level is one item: such a run, or a number that may be missing. */
static inline bool sheaf_level_is_item(const sheaf_column *column, int level)
{
	const sheaf_level_shape *shape = &column->levels[level].shape;
	if (level + 1 < column->nlevels) return false;
	return sheaf_means_run(column->meaning) ||
	       (shape->kind == SHEAF_FIXED && shape->extent == 1 && shape->missing == SHEAF_NULLABLE);
}

/* Why each position is missing; NULL: nothing says why. */
static inline const int8_t *sheaf_level_codes(const sheaf_level *level)
{
	return level->gaps && level->gaps->codes.size ? (const int8_t *)level->gaps->codes.data : NULL;
}

/* Why position p is missing. */
static inline int sheaf_level_code(const sheaf_level *level, int64_t p)
{
	const int8_t *codes = sheaf_level_codes(level);
	return codes ? codes[p] : 0;
}

/* From here on nothing is missing. */
void sheaf_level_close_gaps(sheaf_level *level);

/* Indices and coordinates are I32 or I64. */
static inline int64_t sheaf_index_at(const void *data, sheaf_type type, int64_t p)
{
	return type == SHEAF_I32 ? ((const int32_t *)data)[p] : ((const int64_t *)data)[p];
}

/* Index number p of a COORD level. */
static inline int64_t sheaf_level_index(const sheaf_level *level, int r, int64_t p)
{
	return sheaf_index_at(level->indices[r].data, level->shape.index_type, p);
}

/* The coordinate of row r in a column of coordinates. */
static inline int64_t sheaf_coordinate_at(const sheaf_column *column, int64_t r)
{
	return sheaf_index_at(column->values.data, column->type, r);
}

/* ---- frames ---- */

/* Shapes the frame like the schema and sets it to no rows. Buffers stay, for builders to reuse. */
SHEAF_USE sheaf_status sheaf_frame_begin(sheaf_frame *frame, const sheaf_schema *schema, sheaf_context *cx,
                                         sheaf_error *err);
/* *out (zeros, or an earlier slice) becomes rows [from, to) of the frame, sharing its buffers. */
SHEAF_USE sheaf_status sheaf_frame_slice(const sheaf_frame *frame, int64_t from, int64_t to, sheaf_frame *out,
                                         sheaf_error *err);
/* The same for all rows of the n columns with these numbers; of all columns if `columns` is NULL. */
SHEAF_USE sheaf_status sheaf_frame_pick(const sheaf_frame *frame, const int *columns, int n, sheaf_frame *out,
                                        sheaf_error *err);
/* The same for columns that become the fields of `schema`, from which they differ only where items may be
 * missing. */
SHEAF_USE sheaf_status sheaf_frame_fit(const sheaf_frame *frame, const int *columns,
                                       const sheaf_schema *schema, sheaf_frame *out, sheaf_error *err);
/* Copies rows [from, to) of `rows` after those of *to, which has the same columns (or none yet). */
SHEAF_USE sheaf_status sheaf_frame_append(sheaf_frame *to, const sheaf_frame *rows, int64_t from,
                                          int64_t until, sheaf_context *cx, sheaf_error *err);
/* Makes room for `times` as many rows as there are, of the same length, if there is memory for it: appended
 * rows then need not be moved again and again. */
SHEAF_USE sheaf_status sheaf_frame_expect(sheaf_frame *frame, double times, sheaf_context *cx,
                                          sheaf_error *err);
/* Appends to one column: rows `run` after the `before` ones that *to has. */
SHEAF_USE sheaf_status sheaf_column_append(sheaf_column *to, int64_t before, const sheaf_column *from,
                                           sheaf_run run, sheaf_context *cx, sheaf_error *err);
/* No rows; buffers without other owners stay for reuse. */
void sheaf_frame_clear(sheaf_frame *frame);
void sheaf_column_clear(sheaf_column *column);
/* The size of its buffers in bytes. */
int64_t sheaf_frame_bytes(const sheaf_frame *frame);

/* Whether casting leaves the frame unchanged. */
bool sheaf_frame_is_cast(const sheaf_frame *frame, const sheaf_schema *to);
/* Turns columns' values into the types of `to`. Values that change are reported as LOSS, once for each row
 * that has some; `file` and `row`, the number of the frame's first row, say where. */
SHEAF_USE sheaf_status sheaf_frame_cast(sheaf_frame *frame, const sheaf_schema *to, const char *file,
                                        int64_t row, sheaf_context *cx, sheaf_error *err);

/* USAGE if a frame does not fit this schema: columns of other shapes, or buffers shorter than `nrows` need.
 * It looks at the levels and their ends, not at the rows. `function` is for the message. */
SHEAF_USE sheaf_status sheaf_frame_fits(const char *function, const sheaf_frame *frame,
                                        const sheaf_schema *schema, sheaf_error *err);

/* How many entries a dense tensor has: the positions that its structure stores; -1 for any other tensor, and
 * for a skew-symmetric one, whose diagonal may be stored or not. */
int64_t sheaf_tensor_positions(const sheaf_tensor *tensor);
/* DATA if a dense tensor has come with another number of entries, since the input breaks off: values are not
 * made up. */
SHEAF_USE sheaf_status sheaf_check_positions(const sheaf_tensor *tensor, int64_t entries, const char *file,
                                             sheaf_error *err);

#endif
