/* SPDX-License-Identifier: MIT */
/* The lengths of sequences that were padded into a tensor: an integer for each, in a file beside it. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "dataset/dataset.h"
#include "frame/frame.h"
#include "frame/integers.h"
#include "io/source.h"
#include "view/view.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The path without the suffixes that say format and compression. */
static size_t stem_of(const char *path)
{
	char rest[SHEAF_LENGTHS_PATH];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(path);
	for (int i = 0; i < 2; i++) {
		size_t dot = n;
		while (dot > (size_t)(name - path) + 1 && path[dot - 1] != '.') dot--;
		if (dot <= (size_t)(name - path) + 1) return n;
		n = dot - 1;
		snprintf(rest, sizeof rest, "%.*s", (int)n, path);
		if (!sheaf_format_of_name(rest)) return n;
	}
	return n;
}

/* Whether the path has room. */
static bool put_name(const char *tensor, char path[SHEAF_LENGTHS_PATH])
{
	size_t stem = stem_of(tensor);
	int n = snprintf(path, SHEAF_LENGTHS_PATH, "%.*s.lengths%s", (int)stem, tensor, tensor + stem);
	return n > 0 && n < SHEAF_LENGTHS_PATH;
}

sheaf_status sheaf_name_lengths(const char *tensor, char path[SHEAF_LENGTHS_PATH], sheaf_error *err)
{
	if (put_name(tensor, path)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected a shorter path, beside which lengths can be", tensor);
}

/* ---- reading them ---- */

static sheaf_status refuse(const char *file, int64_t rows, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected %" PRId64
	                  " whole numbers, the lengths of as many sequences, found %s (" SHEAF_OPTION(
						  "lengths") " none reads the tensor without them)",
	                  file, rows, found);
}

static bool is_integer(const sheaf_field *field)
{
	return field->nlevels == 0 && field->meaning == SHEAF_NUMBER && field->type != SHEAF_F32 &&
	       field->type != SHEAF_F64;
}

/* A vector of integers, or a table with a column of them, before which their numbers may stand. */
static sheaf_status check_lengths(const sheaf_dataset *d, const char *file, int64_t rows, sheaf_error *err)
{
	char found[96];
	const sheaf_schema *schema = sheaf_dataset_schema(d);
	const sheaf_field *field = schema->nfields > 0 ? &schema->fields[schema->nfields - 1] : NULL;
	bool vector = schema->rows == SHEAF_ENTRIES && schema->tensor.rank == 1;
	bool column = schema->rows == SHEAF_CELLS && schema->nfields <= 2;
	if (!field || (!vector && !column)) return refuse(file, rows, "no list of numbers", err);
	for (int f = 0; f < schema->nfields; f++)
		if (!is_integer(&schema->fields[f]) && schema->fields[f].meaning != SHEAF_COORDINATE)
			return refuse(file, rows, sheaf_field_storage(&schema->fields[f]), err);
	if (!vector || schema->tensor.shape[0] == rows) return SHEAF_OK;
	snprintf(found, sizeof found, "%" PRId64 " of them", schema->tensor.shape[0]);
	return refuse(file, rows, found, err);
}

static int64_t integer_at(const sheaf_column *column, int64_t r)
{
	int64_t value;
	size_t size = sheaf_type_size(column->type);
	sheaf_integers_widen(column->type, column->values.data + (size_t)r * size, 1, &value);
	return value;
}

static sheaf_status take(const sheaf_dataset *d, const sheaf_frame *frame, int64_t rows, int64_t *lengths,
                         sheaf_error *err)
{
	int last = frame->ncolumns - 1;
	int64_t first = sheaf_dataset_row(d);
	for (int64_t r = 0; r < frame->nrows; r++) {
		int64_t at = last ? integer_at(&frame->columns[0], r) : first + r;
		if (at < 0 || at >= rows)
			return refuse(sheaf_source_name(sheaf_dataset_source(d)), rows, "others", err);
		lengths[at] = integer_at(&frame->columns[last], r);
	}
	return SHEAF_OK;
}

/* Positions of a vector without an entry are 0; a table has all. */
static sheaf_status take_all(sheaf_dataset *d, const char *file, int64_t rows, sheaf_builder *b,
                             sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	bool vector = sheaf_dataset_schema(d)->rows == SHEAF_ENTRIES;
	int64_t seen = 0, none = vector ? 0 : -1;
	SHEAF_TRY(check_lengths(d, file, rows, err));
	for (int64_t r = 0; r < rows && !b->failed; r++) sheaf_builder_i64(b, none);
	SHEAF_TRY(sheaf_builder_status(b, err));
	while ((status = sheaf_next(d, &frame, err)) == SHEAF_OK) {
		SHEAF_TRY(take(d, frame, rows, (int64_t *)(void *)b->data, err));
		seen += frame->nrows;
	}
	if (status != SHEAF_END) return status;
	return !vector && seen != rows ? refuse(file, rows, "fewer of them", err) : SHEAF_OK;
}

sheaf_status sheaf_read_lengths(sheaf_dataset *d, const char *file, int64_t rows, sheaf_buffer *out,
                                sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, d->cx, NULL);
	sheaf_status status = take_all(d, file, rows, &b, err);
	if (!status) return sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}

/* ---- which file ---- */

/* Where sequences alone can be used, of a file with one tensor. */
static bool may_be_beside(const sheaf_source *source, const sheaf_open_options *options)
{
	unsigned others = SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES;
	bool file = source->raw.kind == SHEAF_RAW_FILE || sheaf_source_folder(source) >= 0;
	return !options->sequences->lengths && !options->container->member && file &&
	       (options->rows & SHEAF_TAKES_SEQUENCES) && !(options->rows & others);
}

sheaf_padding sheaf_find_lengths(const sheaf_source *source, const sheaf_open_options *options,
                                 char beside[SHEAF_LENGTHS_PATH])
{
	sheaf_padding padding = {0};
	const char *lengths = options->sequences->lengths;
	if (lengths && strcmp(lengths, "none") != 0) {
		padding.file = lengths;
		padding.is_named = true;
	} else if (may_be_beside(source, options) && put_name(sheaf_source_name(source), beside) &&
	           access(beside, R_OK) == 0) {
		padding.file = beside;
	}
	return padding;
}
