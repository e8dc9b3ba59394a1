/* SPDX-License-Identifier: MIT */
/* Which views make the rows that are requested, and in which order. The kinds of rows, and the views between
 * them:
 *
 *     sequences <--group-- entries --table--> cells        cells --coordinates--> entries
 *     sequences --ungroup--> entries                       cells --cells, sequences--> sequences
 *     sequences --samples--> cells                         cells --matrix--> entries --wide--> cells
 *
 * Selections of rows and columns are applied where rows first have the kind that they mean. */
#include "base/spell.h"
#include "base/status.h"
#include "frame/frame.h"
#include "io/source.h"
#include "view/view.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Puts the view on the input that leads towards one of the wanted kinds (a bit for each, 1 << kind); it may
 * take two views to arrive. Fails, naming the wanted kinds, if no view leads there. */
static sheaf_status put_view(sheaf_input *input, const sheaf_open_options *options,
                             const sheaf_padding *padding, unsigned wanted, sheaf_error *err)
{
	sheaf_row_kind kind = input->in->schema.rows;
	char names[160] = "";
	size_t names_size = 0;
	bool has_coordinates = kind == SHEAF_CELLS && options->tensor->coordinates;
	if (has_coordinates && (wanted & (SHEAF_TAKES_ENTRIES | SHEAF_TAKES_SEQUENCES)))
		return sheaf_view_coordinates(input, options->tensor, err);
	if (kind == SHEAF_ENTRIES && (wanted & SHEAF_TAKES_CELLS)) return sheaf_view_table(input, err);
	if (kind == SHEAF_ENTRIES && (wanted & SHEAF_TAKES_SEQUENCES))
		return sheaf_view_group(input, options, padding, err);
	if (kind == SHEAF_CELLS && (wanted & SHEAF_TAKES_SEQUENCES)) return sheaf_view_cells(input, err);
	if (kind == SHEAF_SEQUENCES && (wanted & (SHEAF_TAKES_ENTRIES | SHEAF_TAKES_CELLS)))
		return sheaf_view_ungroup(input, options, err);
	for (int candidate = SHEAF_SEQUENCES; candidate <= SHEAF_WHOLE; candidate++)
		if (wanted & 1u << candidate)
			names_size +=
				(size_t)snprintf(names + names_size, sizeof names - names_size, "%s%s",
			                     names_size ? " or " : "", sheaf_row_kind_name((sheaf_row_kind)candidate));
	sheaf_status status = sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected %s, found %s",
	                                 sheaf_source_name(input->source), names, sheaf_row_kind_name(kind));
	if (kind == SHEAF_CELLS && (wanted & SHEAF_TAKES_ENTRIES))
		sheaf_error_append(err,
		                   "; say which columns are coordinates (" SHEAF_OPTION("coordinates") " NAME,...)");
	return status;
}

/* Reads the option that says in which layout a table holds sequences: *out is SHEAF_SAMPLES_NOT without the
 * option. It is wrong for input that is no table. */
static sheaf_status find_layout(const sheaf_input *input, const sheaf_open_options *options,
                                sheaf_samples_as *out, sheaf_error *err)
{
	static const char *const words[] = {"wide", "long", "lists"};
	const char *layout = options->sequences->layout;
	const sheaf_schema *schema = &input->in->schema;
	*out = SHEAF_SAMPLES_NOT;
	if (!layout) return SHEAF_OK;
	for (int i = 0; i < 3; i++)
		if (strcmp(layout, words[i]) == 0) *out = (sheaf_samples_as)(SHEAF_SAMPLES_WIDE + i);
	if (*out == SHEAF_SAMPLES_NOT)
		return sheaf_fail_option(err, SHEAF_USAGE, "sequences", ": expected wide, long or lists, found %s",
		                         layout);
	if (schema->rows == SHEAF_CELLS) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, "sequences", ": expected rows of a table, found %s in %s",
	                         sheaf_row_kind_name(schema->rows), sheaf_source_name(input->source));
}

/* Whether opening with these options may read all rows before the first one is given: views of sequences as
 * something else do so, and those for which an option asks. */
bool sheaf_view_may_survey(const sheaf_open_options *options)
{
	const sheaf_tensor_options *tensor = options->tensor;
	bool sequences = options->rows && !(options->rows & SHEAF_TAKES_SEQUENCES);
	return sequences || options->sequences->layout || tensor->coordinates || tensor->value ||
	       tensor->matrix || options->select.sample;
}

/* Whether one of several streams is requested by its name, to become a tensor. */
static bool is_named_stream(const sheaf_input *input, const sheaf_open_options *options)
{
	return options->tensor->value && input->in->schema.rows == SHEAF_SEQUENCES;
}

/* Whether the input already is a tensor of the extents in `given`, like "3,4". An option that says the same
 * is then no mistake: another file with which it is compared may need it. */
static bool has_shape(const sheaf_schema *schema, const char *given)
{
	char shape[SHEAF_MAX_RANK * 21] = "";
	size_t used = 0;
	for (int d = 0; d < schema->tensor.rank; d++)
		used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%" PRId64, d ? "," : "",
		                         schema->tensor.shape[d]);
	return schema->rows == SHEAF_ENTRIES && strcmp(shape, given) == 0;
}

/* Refuses options that name coordinates, a value, a shape or a matrix where the input has nothing that they
 * could mean, so that no option is silently ignored. */
static sheaf_status check_named(const sheaf_input *input, const sheaf_open_options *options, unsigned wanted,
                                sheaf_error *err)
{
	const sheaf_tensor_options *tensor = options->tensor;
	sheaf_row_kind kind = input->in->schema.rows;
	const char *file = sheaf_source_name(input->source);
	bool may_have_coordinates = kind == SHEAF_CELLS || kind == SHEAF_ENTRIES;
	bool lacks_coordinates = kind == SHEAF_CELLS && !tensor->coordinates;
	if (tensor->coordinates && !may_have_coordinates)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected rows of a table, whose columns may be coordinates, found %s", file,
		                  sheaf_row_kind_name(kind));
	if ((tensor->value || tensor->shape) && lacks_coordinates)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected the columns that are coordinates (" SHEAF_OPTION(
							  "coordinates") " NAME,...) beside " SHEAF_OPTION("%s") ", found none",
		                  file, tensor->value ? "value" : "shape");
	if (tensor->shape && !tensor->coordinates && !has_shape(&input->in->schema, tensor->shape))
		return sheaf_fail_option(err, SHEAF_USAGE, "shape",
		                         ": expected " SHEAF_OPTION("coordinates") " beside it, found none");
	if (tensor->matrix && kind != SHEAF_CELLS && !tensor->table)
		return sheaf_fail_option(err, SHEAF_USAGE, "matrix", ": expected rows of a table, found %s in %s",
		                         sheaf_row_kind_name(kind), file);
	if (is_named_stream(input, options) && !(wanted & (SHEAF_TAKES_ENTRIES | SHEAF_TAKES_CELLS)))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected no " SHEAF_OPTION(
							  "value") ", since sequences stay sequences with all of their streams, found %s",
		                  file, tensor->value);
	return SHEAF_OK;
}

/* ---- selections ---- */

/* What of a selection has been applied while views are put on the input. */
typedef struct selecting {
	sheaf_input *input;
	const sheaf_selection *selection;
	int64_t row; /* of the format's next row */
	bool rows, columns, transposed;
} selecting;

/* Applies each part of the selection as soon as rows have the kind that it means, and only once: the
 * transposition to entries, rows to anything but entries, columns to sequences or tables. `last` says that no
 * other kind will come, so rows are then selected of entries, too. Streams are those of sequences; columns
 * are those of tables, or those beside the streams of sequences. */
static sheaf_status select_here(selecting *s, bool last, sheaf_error *err)
{
	const sheaf_selection *given = s->selection;
	const sheaf_schema *schema = &s->input->in->schema;
	if (schema->rows == SHEAF_ENTRIES && given->transpose && !s->transposed) {
		s->transposed = true;
		SHEAF_TRY(sheaf_view_transpose(s->input, err));
	}
	if (!s->rows && (s->input->in->schema.rows != SHEAF_ENTRIES || last)) {
		s->rows = true;
		SHEAF_TRY(sheaf_view_select(s->input, given, s->row, err));
	}
	schema = &s->input->in->schema;
	bool sequences = schema->rows == SHEAF_SEQUENCES;
	bool has_kind = given->streams ? sequences : (sequences && !schema->cells) || schema->rows == SHEAF_CELLS;
	bool selects_columns = given->streams || given->columns;
	if (s->columns || !selects_columns || !has_kind) return SHEAF_OK;
	s->columns = true;
	return sheaf_view_columns(s->input, given->streams, given->columns, err);
}

/* Fails if a part of the selection met no rows to which it applies. */
static sheaf_status check_selected(const selecting *s, sheaf_error *err)
{
	const sheaf_selection *given = s->selection;
	const char *found = sheaf_row_kind_name(s->input->in->schema.rows);
	if (given->transpose && !s->transposed)
		return sheaf_fail_option(err, SHEAF_USAGE, "transpose", ": expected a tensor, found %s in %s", found,
		                         sheaf_source_name(s->input->source));
	bool selects_columns = given->streams || given->columns;
	if (s->columns || !selects_columns) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, given->streams ? "streams" : "columns",
	                         ": expected %s, found %s in %s",
	                         given->streams ? "sequences, which have streams" : "rows with columns", found,
	                         sheaf_source_name(s->input->source));
}

/* Whether sequences have one stream, and nothing but keys beside it. */
static bool is_one_stream(const sheaf_schema *schema)
{
	int streams = 0, others = 0;
	for (int f = 0; f < schema->nfields; f++) {
		bool stream = sheaf_field_is_stream(&schema->fields[f]);
		streams += stream;
		others += !stream && schema->fields[f].meaning != SHEAF_KEY;
	}
	return schema->rows == SHEAF_SEQUENCES && streams == 1 && others == 0;
}

/* Puts the view that makes rows of a table from sequences, if the options ask for it. SHEAF_SAMPLES_SEVERAL
 * makes rows of samples (wide) of them unless they are a single stream and nothing else. An explicit layout
 * of something that is not sequences, or of a single stream of them, is an error. */
static sheaf_status put_samples(sheaf_input *input, const sheaf_open_options *options, unsigned wanted,
                                sheaf_error *err)
{
	const sheaf_tensor_options *tensor = options->tensor;
	const sheaf_schema *schema = &input->in->schema;
	sheaf_samples_as as = options->sequences->samples;
	bool is_explicit = as > SHEAF_SAMPLES_SEVERAL && as < SHEAF_SAMPLES_TENSOR;
	bool takes_table = (wanted & SHEAF_TAKES_CELLS) && !tensor->value;
	if (is_explicit && (schema->rows != SHEAF_SEQUENCES || !takes_table))
		return sheaf_fail_option(
			err, SHEAF_USAGE, "layout", ": expected sequences of streams, found %s%s in %s",
			sheaf_row_kind_name(schema->rows), tensor->value ? ", of which one stream becomes a tensor," : "",
			sheaf_source_name(input->source));
	if (as == SHEAF_SAMPLES_SEVERAL) as = is_one_stream(schema) ? SHEAF_SAMPLES_NOT : SHEAF_SAMPLES_WIDE;
	if (as == SHEAF_SAMPLES_NOT || as == SHEAF_SAMPLES_TENSOR) return SHEAF_OK;
	if (schema->rows != SHEAF_SEQUENCES || !takes_table) return SHEAF_OK;
	return sheaf_view_samples(input, as, err);
}

/* Puts the view that makes sequences of a table's rows, if an option says in which layout the table holds
 * them. Rows that were passed over before the first one are not sequences, so the input begins again. */
static sheaf_status put_sequences(selecting *s, const sheaf_open_options *options, sheaf_error *err)
{
	sheaf_samples_as as;
	sheaf_input *input = s->input;
	SHEAF_TRY(find_layout(input, options, &as, err));
	if (as == SHEAF_SAMPLES_NOT) return SHEAF_OK;
	if (s->row > 0) SHEAF_TRY(input->format->rewind(input->in, NULL, err));
	s->row = 0;
	return sheaf_view_sequences(input, as, err);
}

/* Puts views on the input until its rows have a wanted kind, and selections are applied. The order matters:
 * a layout of sequences comes first, since names are checked against its result; then named coordinates make
 * a table a tensor, and named lengths make a tensor sequences, whatever becomes of them next. Last come
 * implied entries, and the temporary file for rows that must be read in any order. */
sheaf_status sheaf_view_rows(sheaf_input *input, const sheaf_open_options *options,
                             const sheaf_padding *padding, int64_t row, sheaf_error *err)
{
	const sheaf_tensor_options *tensor = options->tensor;
	unsigned wanted = options->rows ? options->rows : ~0u;
	selecting s = {.input = input, .selection = &options->select, .row = row};
	SHEAF_TRY(put_sequences(&s, options, err));
	SHEAF_TRY(check_named(input, options, wanted, err));
	SHEAF_TRY(select_here(&s, false, err));
	if (options->sequences->samples == SHEAF_SAMPLES_TENSOR && is_one_stream(&input->in->schema))
		wanted = SHEAF_TAKES_ENTRIES;
	bool is_table = input->in->schema.rows == SHEAF_CELLS;
	if (is_table && tensor->coordinates) SHEAF_TRY(sheaf_view_coordinates(input, options->tensor, err));
	sheaf_row_kind kind = input->in->schema.rows;
	/* Lengths that were named must apply to something. */
	if (padding->is_named && kind != SHEAF_ENTRIES)
		return sheaf_fail_option(err, SHEAF_USAGE, "lengths",
		                         ": expected a tensor of sequences, samples and elements, found %s in %s",
		                         sheaf_row_kind_name(kind), sheaf_source_name(input->source));
	if (padding->is_named) SHEAF_TRY(sheaf_view_group(input, options, padding, err));
	if (tensor->matrix && input->in->schema.rows == SHEAF_CELLS) SHEAF_TRY(sheaf_view_matrix(input, err));
	if (options->sequences->samples) SHEAF_TRY(put_samples(input, options, wanted, err));
	if (is_named_stream(input, options) && !padding->is_named)
		SHEAF_TRY(sheaf_view_ungroup(input, options, err));
	if (tensor->table && (!is_table || tensor->coordinates) && (wanted & SHEAF_TAKES_CELLS))
		SHEAF_TRY(sheaf_view_wide(input, options, err));
	/* Go on, view by view, until the kind is one that is wanted. */
	while (!(wanted & 1u << input->in->schema.rows)) {
		SHEAF_TRY(select_here(&s, false, err));
		SHEAF_TRY(put_view(input, options, padding, wanted, err));
	}
	/* Entries of a dataset are selected as they are stored. */
	if (tensor->entries == SHEAF_ENTRIES_CONTENT) SHEAF_TRY(select_here(&s, true, err));
	if (tensor->entries != SHEAF_ENTRIES_STORED && input->in->schema.rows == SHEAF_ENTRIES)
		SHEAF_TRY(sheaf_view_expand(input, tensor->entries == SHEAF_ENTRIES_CONTENT, err));
	SHEAF_TRY(select_here(&s, true, err));
	SHEAF_TRY(check_selected(&s, err));
	/* Views without random access are kept in a temporary file where rows are wanted in any order. */
	bool spools = options->access == SHEAF_RANDOM && input->view && !input->format->random;
	return spools ? sheaf_view_spool(input, options->piece_bytes, err) : SHEAF_OK;
}
