/* SPDX-License-Identifier: MIT */
/* Entries into lines, in the order in which they come: the format prescribes none. The lines of an array have
 * no coordinates, so that entries of one must come column by column, each position once. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/matrixmarket/matrixmarket.h"
#include "frame/schema/structure.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct sheaf_mtx_writer {
	SHEAF_BASE(sheaf_output, output);
	bool array;
	sheaf_mtx_symmetry symmetry;
	sheaf_entry_style style;
	int64_t rows, columns, entries;
} sheaf_mtx_writer;

/* ---- accept ---- */

/* What an array can hold as a triangle: the lower one, with its diagonal. */
static bool is_triangle(const sheaf_tensor *t)
{
	return t->dense && (t->structure == SHEAF_SYMMETRIC_LOWER || t->structure == SHEAF_HERMITIAN_LOWER);
}

/* Asks a field for a type that the format has for values: integers and unsigned integers of 64 bits,
 * reals, and complex numbers; in a skew-symmetric matrix values have signs. */
static sheaf_status accept_value(sheaf_field *field, bool is_skew, sheaf_error *err)
{
	bool is_number = field->meaning == SHEAF_NUMBER && field->nlevels == 0,
		 is_real = field->type == SHEAF_F32 || field->type == SHEAF_F64;
	if (is_number && !is_real) field->type = field->type == SHEAF_U64 && !is_skew ? SHEAF_U64 : SHEAF_I64;
	if (field->meaning == SHEAF_COMPLEX || (is_number && is_real)) field->type = SHEAF_F64;
	bool nullable = field->nlevels && field->levels[0].missing == SHEAF_NULLABLE;
	if (!nullable && (is_number || field->meaning == SHEAF_COMPLEX || field->meaning == SHEAF_BOOL))
		return SHEAF_OK;
	return sheaf_fail(
		err, SHEAF_UNSUPPORTED,
		"\"%s\": expected numbers, complex numbers or truth values, none of which may be missing, found %s%s",
		field->name, sheaf_field_storage(field), nullable ? " that may be missing" : "");
}

/* Asks a tensor of one or two dimensions for what the layout holds. Dense tensors are written as arrays,
 * unless a setting says otherwise; an array is by columns and has all positions, or those of a triangle.
 * One whose structure an array does not hold is written with all of its positions. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_tensor *t = &schema->tensor;
	const char *layout = sheaf_values_text(values, "layout");
	bool is_array =
		layout ? strcmp(layout, "array") == 0 : is_triangle(t) || (t->dense && t->structure == SHEAF_GENERAL);
	int value = sheaf_schema_value(schema);
	if (t->rank < 1 || t->rank > 2)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "tensor: expected one or two dimensions, found %d",
		                  t->rank);
	SHEAF_TRY(accept_value(&schema->fields[value], sheaf_structure_is_skew(t->structure), err));
	t->has_fill = false;
	if (!is_array) {
		t->dense = false;
		t->unique = true;
		return SHEAF_OK;
	}
	if (!is_triangle(t)) t->structure = SHEAF_GENERAL;
	t->dense = t->sorted = t->unique = true;
	for (int d = 0; d < t->rank; d++) t->order[d] = t->rank - 1 - d; /* columns first */
	return SHEAF_OK;
}

/* ---- the header ---- */

/* Returns the field of the banner. Truth values that are all true are a pattern, which only says where
 * they are. */
static sheaf_entry_value field_of(const sheaf_schema *schema, const sheaf_mtx_writer *out)
{
	const sheaf_field *value = &schema->fields[sheaf_schema_value(schema)];
	if (value->meaning == SHEAF_COMPLEX) return SHEAF_ENTRY_COMPLEX;
	if (value->meaning == SHEAF_BOOL)
		return schema->tensor.iso && !out->array && out->symmetry != MTX_SKEW ? SHEAF_ENTRY_PATTERN
		                                                                      : SHEAF_ENTRY_INTEGER;
	if (value->type == SHEAF_U64) return SHEAF_ENTRY_UNSIGNED;
	return value->type == SHEAF_F64 ? SHEAF_ENTRY_REAL : SHEAF_ENTRY_INTEGER;
}

/* Returns the symmetry of the banner. A real matrix that is hermitian is symmetric. */
static sheaf_mtx_symmetry symmetry_of(const sheaf_schema *schema)
{
	static const sheaf_mtx_symmetry symmetries[SHEAF_STRUCTURES] = {
		MTX_GENERAL, MTX_SYMMETRIC, MTX_SYMMETRIC, MTX_HERMITIAN, MTX_HERMITIAN, MTX_SKEW, MTX_SKEW};
	sheaf_mtx_symmetry symmetry = symmetries[schema->tensor.structure];
	bool complex = schema->fields[sheaf_schema_value(schema)].meaning == SHEAF_COMPLEX;
	return symmetry == MTX_HERMITIAN && !complex ? MTX_SYMMETRIC : symmetry;
}

/* Writes the banner, the comments, and the line of sizes: rows, columns unless it is a vector, and
 * entries unless it is an array. The attribute "comment" becomes a comment for each of its lines. */
static sheaf_status write_header(const sheaf_mtx_writer *out, const sheaf_schema *schema, sheaf_error *err)
{
	bool is_vector = out->style.rank == 1 && !out->style.one_column;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = out->cx};
	sheaf_builder_printf(&b, "%%%%MatrixMarket %s %s %s %s\n", is_vector ? "vector" : "matrix",
	                     out->array ? "array" : "coordinate", sheaf_mtx_fields[out->style.value],
	                     sheaf_mtx_symmetries[out->symmetry]);
	for (const char *text = sheaf_schema_attribute(schema, "comment"), *feed; text;
	     text = feed ? feed + 1 : NULL) {
		feed = strchr(text, '\n');
		sheaf_builder_byte(&b, '%');
		sheaf_builder_append(&b, text, feed ? (size_t)(feed - text) : strlen(text));
		sheaf_builder_byte(&b, '\n');
	}
	sheaf_builder_printf(&b, "%" PRId64, out->rows);
	if (!is_vector) sheaf_builder_printf(&b, " %" PRId64, out->columns);
	if (!out->array) sheaf_builder_printf(&b, " %" PRId64, out->entries);
	sheaf_builder_byte(&b, '\n');
	return sheaf_entry_write_header(&out->output, &b, err);
}

/* ---- create ---- */

static sheaf_status report(const sheaf_mtx_writer *out, sheaf_finding finding, sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_sink_name(out->sink), &finding);
	return sheaf_report(out->cx, &problem, err);
}

/* Prepares the writer and writes the header. The line of sizes comes before the entries, so that their
 * number must be known: of an array, it is that of all positions, or of those of the lower triangle with
 * its diagonal. An entry above the diagonal is written as the one below that it implies: with the
 * negative number in a skew-symmetric matrix, with the conjugate in a hermitian one. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	sheaf_mtx_writer *out = (sheaf_mtx_writer *)created;
	const sheaf_schema *schema = &out->schema;
	const sheaf_tensor *t = &schema->tensor;
	const char *object = sheaf_values_text(values, "object");
	bool is_upper = t->structure != SHEAF_GENERAL && !sheaf_structure_is_lower(t->structure);
	out->rows = t->shape[0];
	out->columns = t->rank == 2 ? t->shape[1] : 1;
	out->array = t->dense;
	out->symmetry = symmetry_of(schema);
	out->style = (sheaf_entry_style){.rank = t->rank,
	                                 .ncoordinates = out->array ? 0 : t->rank,
	                                 .columns = {is_upper, !is_upper},
	                                 .one_column = t->rank == 1 && object && strcmp(object, "matrix") == 0,
	                                 .value = field_of(schema, out)};
	if (is_upper && out->symmetry == MTX_SKEW) out->style.sign = SHEAF_ENTRY_OPPOSITE;
	if (is_upper && out->symmetry == MTX_HERMITIAN) out->style.sign = SHEAF_ENTRY_CONJUGATE;
	out->entries = totals->rows;
	if (out->array && __builtin_mul_overflow(out->rows, out->columns, &out->entries))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "tensor: expected a shape of less than 2^63 positions, found more");
	if (out->array && out->symmetry != MTX_GENERAL)
		out->entries = out->entries / 2 + out->rows / 2 + (out->rows & 1);
	for (int a = 0; a < schema->nattributes; a++)
		if (schema->attributes[a].loss && strcmp(schema->attributes[a].name, "comment") != 0)
			SHEAF_TRY(
				report(out,
			           SHEAF_FINDING(SHEAF_ERROR, schema->attributes[a].loss, "no attributes but a comment",
			                         schema->attributes[a].name, "it is left out", .status = SHEAF_LOSS),
			           err));
	if (t->rank == 1 && !object)
		SHEAF_TRY(report(
			out,
			SHEAF_FINDING(
				SHEAF_WARNING, "vector", "a matrix, which all programs read", "a tensor of one dimension",
				"it is written as a vector (" SHEAF_OPTION("object") " matrix: as a matrix of one column)"),
			err));
	return write_header(out, schema, err);
}

/* ---- encode ---- */

/* Where column j of an array begins. */
static int64_t first_row(const sheaf_mtx_writer *out, int64_t j)
{
	return out->symmetry == MTX_GENERAL ? 0 : j;
}

/* Refuses entries of an array that are not in the order of its lines, column by column, since these lines
 * do not contain the places of their values. `row` is the number of the frame's first entry, whose column
 * is found by taking the length of each column off. */
static sheaf_status check_order(const sheaf_mtx_writer *out, const sheaf_frame *frame, int64_t row,
                                sheaf_error *err)
{
	if (!out->array) return SHEAF_OK;
	int64_t below = row, column = 0;
	for (int64_t n; column < out->columns && below >= (n = out->rows - first_row(out, column)); column++)
		below -= n;
	int64_t line = first_row(out, column) + below;
	for (int64_t r = 0; r < frame->nrows; r++) {
		int64_t i = sheaf_coordinate_at(&frame->columns[0], r),
				j = out->style.rank == 2 ? sheaf_coordinate_at(&frame->columns[1], r) : 0;
		if (i != line || j != column)
			return sheaf_fail(err, SHEAF_USAGE,
			                  "%s: expected an entry for each position, column by column, found (%" PRId64
			                  ", %" PRId64 ") as number %" PRId64,
			                  sheaf_sink_name(out->sink), i, j, row + r);
		if (++line == out->rows) line = first_row(out, ++column);
	}
	return SHEAF_OK;
}

/* Encodes entries as lines on a worker's thread. A pattern only says that entries are there, so false
 * would be read back as true, which is reported as a loss. */
static sheaf_status encode(const void *writer, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const sheaf_mtx_writer *out = (const sheaf_mtx_writer *)writer;
	(void)samples;
	for (int64_t r = 0; r < frame->nrows && out->style.value == SHEAF_ENTRY_PATTERN; r++) {
		if (frame->columns[out->style.rank].values.data[r]) continue;
		sheaf_problem problem =
			sheaf_problem_in(sheaf_sink_name(out->sink),
		                     &SHEAF_FINDING(SHEAF_ERROR, "false entry in a pattern", "true entries",
		                                    "a false one", "it is written as true", SHEAF_LOSS));
		problem.place.row = row + r;
		SHEAF_TRY(sheaf_report(b->cx, &problem, err));
	}
	SHEAF_TRY(check_order(out, frame, row, err));
	return sheaf_entry_encode(&out->style, frame, b, err);
}

/* ---- finish ---- */

static sheaf_status finish(void *created, sheaf_error *err)
{
	const sheaf_mtx_writer *out = (const sheaf_mtx_writer *)created;
	SHEAF_TRY(sheaf_check_positions(&out->schema.tensor, out->written, sheaf_sink_name(out->sink), err));
	if (out->written == out->entries) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected %" PRId64 " entries, as the totals say, found %" PRId64,
	                  sheaf_sink_name(out->sink), out->entries, out->written);
}

const sheaf_writing sheaf_mtx_writing = {
	.takes = SHEAF_TAKES_ENTRIES,
	.needs_rows = true,
	.output_size = sizeof(sheaf_mtx_writer),
	.columns = SHEAF_NO_COLUMN,
	.accept = accept,
	.create = create,
	.encode = encode,
	.finish = finish,
};
