/* SPDX-License-Identifier: MIT */
/* Whether a schema can be: for whoever makes one, and for each that comes from a file. A caller's mistake is
 * USAGE and a file's is DATA; the rules are the same. What is checked here is relied on everywhere: that a
 * meaning has its element types and its last level, that the bytes of an item can be counted, that entries
 * have a coordinate for each dimension and then a value, and that the levels of a whole tensor have the
 * extents of its shape. Nothing is read from rows (frame/check.c does that). */
#include "base/checked.h"
#include "frame/frame.h"
#include "frame/schema/names.h"
#include <inttypes.h>
#include <string.h>

/* What is judged, and the status of a refusal. */
typedef struct judging {
	const sheaf_schema *schema;
	const sheaf_field *field;
	sheaf_status otherwise;
	sheaf_error *err;
} judging;

#define REFUSE(j, ...) sheaf_fail((j)->err, (j)->otherwise, __VA_ARGS__)

/* ---- fields ---- */

/* What may be the last level of a meaning's fields. */
typedef enum ending { ANY, NONE, LISTS, RUNS, PAIRS } ending;

static const struct {
	unsigned types; /* a bit for each, 0: all */
	const char *words;
	ending ending;
} meanings[SHEAF_MEANINGS] = {
	[SHEAF_KEY] = {1 << SHEAF_U64, "uint64", NONE},
	[SHEAF_STRING] = {1 << SHEAF_U8, "uint8", LISTS},
	[SHEAF_SPELLING] = {1 << SHEAF_U8, "uint8", LISTS},
	[SHEAF_BYTES] = {1 << SHEAF_U8, "uint8", RUNS},
	[SHEAF_BOOL] = {1 << SHEAF_U8, "uint8", ANY},
	[SHEAF_CHAR] = {1 << SHEAF_U8, "uint8", ANY},
	[SHEAF_DATETIME] = {1 << SHEAF_I64, "int64", ANY},
	[SHEAF_DATETIMETZ] = {1 << SHEAF_I64, "int64", PAIRS},
	[SHEAF_COMPLEX] = {1 << SHEAF_F32 | 1 << SHEAF_F64, "float32 or float64", PAIRS},
	[SHEAF_COORDINATE] = {1 << SHEAF_I32 | 1 << SHEAF_I64, "int32 or int64", NONE},
	[SHEAF_DURATION] = {1 << SHEAF_I64, "int64", ANY},
	[SHEAF_DATE] = {1 << SHEAF_I64, "int64", ANY},
	[SHEAF_TIME] = {1 << SHEAF_I64, "int64", ANY},
};

/* Whether the last level is one that the meaning has. */
static bool ends_well(const sheaf_field *field)
{
	const sheaf_level_shape *last = field->nlevels ? &field->levels[field->nlevels - 1] : NULL;
	switch (meanings[field->meaning].ending) {
	case NONE: return !last;
	case LISTS: return last && last->kind == SHEAF_LIST;
	case RUNS: return last && last->kind != SHEAF_COORD;
	case PAIRS: return last && last->kind == SHEAF_FIXED && last->extent == 2;
	default: return true;
	}
}

/* Checks one level by itself: its numbers are those of a kind, and its extent, rank and type of indices are
 * possible for that. Only a whole tensor may have runs of nothing, or entries of several indices. */
static sheaf_status check_level(const judging *j, int number)
{
	const sheaf_level_shape *level = &j->field->levels[number];
	bool whole = j->schema->rows == SHEAF_WHOLE, coord = level->kind == SHEAF_COORD;
	bool wide = level->index_type == SHEAF_I64, narrow = level->index_type == SHEAF_I32;
	bool is_known = (unsigned)level->kind <= SHEAF_COORD && (unsigned)level->missing <= SHEAF_IMPUTED &&
	                (unsigned)level->index_type < SHEAF_TYPES;
	int most_rank = whole ? SHEAF_MAX_RANK : 1, least_extent = whole || level->kind == SHEAF_LIST ? 0 : 1;
	bool is_ranked = coord ? level->rank >= 1 && level->rank <= most_rank : level->rank == 0;
	if (!is_known || !is_ranked || level->extent < least_extent)
		return REFUSE(j, "field \"%s\", level %d: expected a level of a possible shape, found another one",
		              j->field->name, number);
	if (coord && !wide && !(narrow && level->extent - 1 <= INT32_MAX))
		return REFUSE(j, "level %d: expected indices of int32 if they fit, or int64, found %s", number,
		              sheaf_type_name(level->index_type));
	return SHEAF_OK;
}

/* Checks the levels of field `number`, and whether rows of this kind have such a field: that fixed runs of
 * values can be counted in bytes, that the last level is what the meaning needs, that coordinates are those
 * of entries, keys those of sequences, and that items of tables and tensors are one for each row. */
static sheaf_status check_shape(const judging *j, int number)
{
	const sheaf_field *field = j->field;
	bool coordinate = j->schema->rows == SHEAF_ENTRIES && number < j->schema->tensor.rank;
	int64_t bytes = (int64_t)sheaf_type_size(field->type);
	for (int l = 0; l < field->nlevels; l++) {
		SHEAF_TRY(check_level(j, l));
		bool fixed = field->levels[l].kind == SHEAF_FIXED;
		if (!fixed) bytes = (int64_t)sheaf_type_size(field->type);
		if (fixed && !sheaf_mul_i64(&bytes, bytes, field->levels[l].extent ? field->levels[l].extent : 1))
			return REFUSE(j, "field \"%s\": expected items whose bytes 64 bits can count, found larger ones",
			              field->name);
	}
	if (!ends_well(field))
		return REFUSE(j, "field \"%s\": expected the levels of what it means, found others", field->name);
	/* Entries that became rows of a table keep their coordinates. */
	bool is_one = field->meaning == SHEAF_COORDINATE, may_be = coordinate || j->schema->rows == SHEAF_CELLS;
	if (is_one ? !may_be : coordinate)
		return REFUSE(j, "field \"%s\": expected coordinates for the dimensions of entries, found %s",
		              field->name, is_one ? "others" : "none");
	if (field->meaning == SHEAF_KEY && j->schema->rows != SHEAF_SEQUENCES)
		return REFUSE(j, "keys: expected a schema of sequences, found %s",
		              sheaf_row_kind_name(j->schema->rows));
	const sheaf_level_shape *only = field->nlevels == 1 ? field->levels : NULL;
	bool one = only && only->missing != SHEAF_IMPUTED &&
	           (sheaf_means_run(field->meaning) || (only->kind == SHEAF_FIXED && only->extent == 1));
	if ((j->schema->rows == SHEAF_CELLS || j->schema->rows == SHEAF_ENTRIES) && field->nlevels && !one)
		return REFUSE(j, "field \"%s\": expected one item in each row, found another shape", field->name);
	return SHEAF_OK;
}

sheaf_status sheaf_field_check(const sheaf_schema *schema, int field, sheaf_status otherwise,
                               sheaf_error *err)
{
	const sheaf_field *f = &schema->fields[field];
	const judging j = {schema, f, otherwise, err};
	if ((unsigned)f->type >= SHEAF_TYPES)
		return REFUSE(&j, "field \"%s\": expected an element type, found number %d", f->name, (int)f->type);
	if ((unsigned)f->meaning >= SHEAF_MEANINGS || !sheaf_means_parts(f->meaning, f->digits))
		return REFUSE(&j, "field \"%s\": expected a meaning that a column may be given, found number %d",
		              f->name, (int)f->meaning);
	unsigned types = meanings[f->meaning].types;
	if (types && !(types >> f->type & 1))
		return REFUSE(&j, "field \"%s\": expected %s for what it means, found %s", f->name,
		              meanings[f->meaning].words, sheaf_type_name(f->type));
	return check_shape(&j, field);
}

/* ---- tensors ---- */

sheaf_status sheaf_tensor_check(const sheaf_tensor *tensor, sheaf_status otherwise, sheaf_error *err)
{
	if (tensor->rank < 0 || tensor->rank > SHEAF_MAX_RANK)
		return sheaf_fail(err, otherwise, "tensor: expected a rank from 0 to %d, found %d", SHEAF_MAX_RANK,
		                  tensor->rank);
	for (int d = 0; d < tensor->rank; d++)
		if (tensor->shape[d] < 0)
			return sheaf_fail(err, otherwise, "tensor: expected an extent of at least 0, found %" PRId64,
			                  tensor->shape[d]);
	if ((unsigned)tensor->structure >= SHEAF_STRUCTURES ||
	    (tensor->structure && (tensor->rank != 2 || tensor->shape[0] != tensor->shape[1])))
		return sheaf_fail(err, otherwise,
		                  "tensor: expected a square matrix, since it has a structure, found another shape");
	unsigned seen = 0; /* the order has each dimension once */
	for (int d = 0; d < tensor->rank; d++) {
		int at = tensor->order[d];
		if (at < 0 || at >= tensor->rank || seen & 1u << at)
			return sheaf_fail(
				err, otherwise,
				"tensor: expected an order of all %d dimensions, found dimension %d in place %d",
				tensor->rank, at, d);
		seen |= 1u << at;
	}
	return SHEAF_OK;
}

/* Checks the one field of a whole tensor: its levels are its dimensions, in the tensor's order, with several
 * dimensions in a COORD level, whose extent is the largest of theirs. The parts of complex numbers have one
 * more level. */
static sheaf_status check_whole(const judging *j)
{
	const sheaf_tensor *tensor = &j->schema->tensor;
	const sheaf_field *field = j->schema->fields;
	if (j->schema->nfields != 1)
		return REFUSE(j, "tensor: expected one field of all values, found %d", j->schema->nfields);
	int depth = 0, nlevels = field->nlevels - (field->meaning == SHEAF_COMPLEX);
	if (field->meaning != SHEAF_NUMBER && field->meaning != SHEAF_BOOL && field->meaning != SHEAF_COMPLEX)
		return REFUSE(j, "tensor: expected numbers, truth values or complex numbers, found meaning number %d",
		              (int)field->meaning);
	for (int l = 0; l < nlevels; l++) {
		const sheaf_level_shape *level = &field->levels[l];
		int rank = level->kind == SHEAF_COORD ? level->rank : 1;
		if (level->kind == SHEAF_LIST || level->missing)
			return REFUSE(j, "level %d: expected FIXED or COORD, found kind %d", l, (int)level->kind);
		if (rank < 1 || rank > tensor->rank - depth)
			return REFUSE(j, "level %d: expected at most the %d dimensions that are left, found %d", l,
			              tensor->rank - depth, rank);
		int longest = tensor->order[depth];
		for (int r = 0; r < rank; r++, depth++)
			if (tensor->shape[tensor->order[depth]] > tensor->shape[longest]) longest = tensor->order[depth];
		if (level->extent != tensor->shape[longest])
			return REFUSE(j, "level %d: expected the extent %" PRId64 " of dimension %d, found %" PRId64, l,
			              tensor->shape[longest], longest, level->extent);
	}
	if (depth != tensor->rank)
		return REFUSE(j, "tensor: expected levels of %d dimensions, found %d", tensor->rank, depth);
	return SHEAF_OK;
}

/* ---- all of it ---- */

/* Checks that each name occurs once; that of keys does not count. JSON and Arrow have columns with an empty
 * name. */
static sheaf_status check_names(const judging *j)
{
	sheaf_names names = {0};
	sheaf_status status = SHEAF_OK;
	for (int f = 0, keys = 0; !status && f < j->schema->nfields; f++) {
		const sheaf_field *field = &j->schema->fields[f];
		bool key = field->meaning == SHEAF_KEY;
		size_t size = strlen(field->name);
		if ((keys += key) > 1)
			status = REFUSE(j, "keys: expected one column of them, found two");
		else if (!key && sheaf_names_find(&names, field->name, size, -1) >= 0)
			status = REFUSE(j, "schema: expected each name once, found \"%s\" twice", field->name);
		else if (!key)
			status = sheaf_names_add(&names, j->schema->cx, field->name, size, j->err);
	}
	sheaf_names_free(&names);
	return status;
}

sheaf_status sheaf_schema_check(const sheaf_schema *schema, sheaf_status otherwise, sheaf_error *err)
{
	const judging j = {schema, NULL, otherwise, err};
	bool tensor = schema->rows == SHEAF_ENTRIES || schema->rows == SHEAF_WHOLE;
	if ((unsigned)schema->rows > SHEAF_WHOLE || (schema->cells && schema->rows != SHEAF_SEQUENCES))
		return REFUSE(&j, "schema: expected a kind of rows, found number %d", (int)schema->rows);
	if (tensor) SHEAF_TRY(sheaf_tensor_check(&schema->tensor, otherwise, err));
	if (schema->rows == SHEAF_WHOLE) SHEAF_TRY(check_whole(&j));
	int rank = schema->rows == SHEAF_ENTRIES ? schema->tensor.rank : -1;
	if (rank >= 0 && schema->nfields != rank + 1)
		return REFUSE(&j, "tensor: expected %d coordinates and a value, found %d fields", rank,
		              schema->nfields);
	for (int d = 0; d < rank; d++)
		if (schema->fields[d].type == SHEAF_I32 && schema->tensor.shape[d] - 1 > INT32_MAX)
			return REFUSE(&j, "tensor: expected coordinates of int64 for dimension %d, found int32", d);
	for (int f = 0; f < schema->nfields; f++) SHEAF_TRY(sheaf_field_check(schema, f, otherwise, err));
	return check_names(&j);
}
