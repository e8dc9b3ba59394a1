/* SPDX-License-Identifier: MIT */
/* The lengths of sequences that were padded into a tensor: an integer for each, in a file beside it.
 *
 * The file is named like the tensor, with ".lengths" before the suffixes that say its format and compression.
 * It is any file of this library's formats with a vector of integers or a column of them, so a user can write
 * it with another program, and name it. */
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

/* Writes the path of the lengths beside a tensor: ".lengths" comes before the suffixes of format and
 * compression, at most two. False: the path is too long. */
static bool put_name(const char *tensor, char path[SHEAF_LENGTHS_PATH])
{
	char without_suffix[SHEAF_LENGTHS_PATH];
	const char *slash = strrchr(tensor, '/');
	size_t stem = strlen(tensor), name_begin = slash ? (size_t)(slash + 1 - tensor) : 0;
	for (int i = 0; i < 2; i++) {
		size_t dot = stem;
		while (dot > name_begin + 1 && tensor[dot - 1] != '.') dot--;
		if (dot <= name_begin + 1) break;
		stem = dot - 1;
		snprintf(without_suffix, sizeof without_suffix, "%.*s", (int)stem, tensor);
		if (!sheaf_format_of_name(without_suffix)) break;
	}
	int written = snprintf(path, SHEAF_LENGTHS_PATH, "%.*s.lengths%s", (int)stem, tensor, tensor + stem);
	return written > 0 && written < SHEAF_LENGTHS_PATH;
}

sheaf_status sheaf_name_lengths(const char *tensor, char path[SHEAF_LENGTHS_PATH], sheaf_error *err)
{
	if (put_name(tensor, path)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected a shorter path, beside which lengths can be", tensor);
}

/* ---- reading them ---- */

/* Fails because a file has no lengths for this many sequences. */
static sheaf_status refuse(const char *file, int64_t rows, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected %" PRId64
	                  " whole numbers, the lengths of as many sequences, found %s (" SHEAF_OPTION(
						  "lengths") " none reads the tensor without them)",
	                  file, rows, found);
}

/* Checks that a file has lengths of sequences: a vector of integers, or a table with a column of them,
 * before which their numbers may stand. */
static sheaf_status check_lengths(const sheaf_dataset *d, const char *file, int64_t rows, sheaf_error *err)
{
	char found[96];
	const sheaf_schema *schema = sheaf_dataset_schema(d);
	const sheaf_field *field = schema->nfields > 0 ? &schema->fields[schema->nfields - 1] : NULL;
	bool is_vector = schema->rows == SHEAF_ENTRIES && schema->tensor.rank == 1;
	bool is_column = schema->rows == SHEAF_CELLS && schema->nfields <= 2;
	if (!field || (!is_vector && !is_column)) return refuse(file, rows, "no list of numbers", err);
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *other = &schema->fields[f];
		bool integer = other->nlevels == 0 && other->meaning == SHEAF_NUMBER && other->type != SHEAF_F32 &&
		               other->type != SHEAF_F64;
		if (!integer && other->meaning != SHEAF_COORDINATE)
			return refuse(file, rows, sheaf_field_storage(other), err);
	}
	if (!is_vector || schema->tensor.shape[0] == rows) return SHEAF_OK;
	snprintf(found, sizeof found, "%" PRId64 " of them", schema->tensor.shape[0]);
	return refuse(file, rows, found, err);
}

/* The integer in row r of a column, of whatever type, as an int64. */
static int64_t integer_at(const sheaf_column *column, int64_t r)
{
	int64_t value;
	size_t size = sheaf_type_size(column->type);
	sheaf_integers_widen(column->type, column->values.data + (size_t)r * size, 1, &value);
	return value;
}

/* Reads the lengths of all sequences into the builder. The number of a sequence is a coordinate, the first
 * of two columns, or else the number of the row. Positions of a vector without an entry are 0; a table must
 * have all of them, so -1 marks those that have not come. */
static sheaf_status take_all(sheaf_dataset *d, const char *file, int64_t rows, sheaf_builder *lengths_builder,
                             sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	bool is_vector = sheaf_dataset_schema(d)->rows == SHEAF_ENTRIES;
	int64_t seen = 0, none = is_vector ? 0 : -1;
	SHEAF_TRY(check_lengths(d, file, rows, err));
	for (int64_t r = 0; r < rows && !lengths_builder->failed; r++) sheaf_builder_i64(lengths_builder, none);
	SHEAF_TRY(sheaf_builder_status(lengths_builder, err));
	while ((status = sheaf_next(d, &frame, err)) == SHEAF_OK) {
		int64_t *lengths = (int64_t *)(void *)lengths_builder->data;
		int length_column = frame->ncolumns - 1;
		for (int64_t r = 0; r < frame->nrows; r++) {
			int64_t sequence = length_column ? integer_at(&frame->columns[0], r) : sheaf_dataset_row(d) + r;
			if (sequence < 0 || sequence >= rows)
				return refuse(sheaf_source_name(d->source), rows, "others", err);
			lengths[sequence] = integer_at(&frame->columns[length_column], r);
		}
		seen += frame->nrows;
	}
	if (status != SHEAF_END) return status;
	return !is_vector && seen != rows ? refuse(file, rows, "fewer of them", err) : SHEAF_OK;
}

/* Reads the lengths of all sequences into *out, an int64 for each. */
sheaf_status sheaf_read_lengths(sheaf_dataset *d, const char *file, int64_t rows, sheaf_buffer *out,
                                sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, d->cx, NULL);
	sheaf_status status = take_all(d, file, rows, &b, err);
	if (status == SHEAF_OK) status = sheaf_builder_finish(&b, out, err);
	sheaf_builder_drop(&b);
	return status;
}

/* ---- which file ---- */

/* Finds the file of lengths for a tensor: the one that the options name, or one beside it. A file beside
 * the tensor counts only where nothing but sequences can be used, and where the file has one tensor. */
sheaf_padding sheaf_find_lengths(const sheaf_source *source, const sheaf_open_options *options,
                                 char beside[SHEAF_LENGTHS_PATH])
{
	sheaf_padding padding = {0};
	const char *lengths = options->sequences->lengths;
	unsigned others = SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES;
	bool is_file = source->raw.kind == SHEAF_RAW_FILE || sheaf_source_folder(source) >= 0;
	bool may_be = !lengths && !options->container->member && is_file &&
	              (options->rows & SHEAF_TAKES_SEQUENCES) && !(options->rows & others);
	padding.is_named = lengths && strcmp(lengths, "none") != 0;
	if (padding.is_named)
		padding.file = lengths;
	else if (may_be && put_name(sheaf_source_name(source), beside) && access(beside, R_OK) == 0)
		padding.file = beside;
	return padding;
}
