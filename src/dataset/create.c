/* SPDX-License-Identifier: MIT */
/* Creating a dataset: which format, and which of its fields, in which types and order.
 *
 * A writer has three schemas: the one that is given, with which frames come; the one that is stored, after
 * the format has dropped what it cannot hold and chosen types and order; and, if a tensor that is one row
 * becomes entries, that of the whole. Everything that can be refused without rows is refused here, before the
 * output is created. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/spell.h"
#include "dataset/input/input.h"
#include "dataset/input/lost.h"
#include "dataset/writer.h"
#include "frame/frame.h"
#include "io/descriptor.h"
#include "io/sink.h"
#include "sparse/arrange.h"
#include "sparse/unroll.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Frees a writer without completing its output. Rows may have been diverted into a sink of the caller, so
 * the output first gets its own sink back, which is then abandoned with it; `sink` is only left if there is
 * no output yet. Contexts end from the inner one to the outer one. */
void sheaf_abandon(sheaf_writer *w)
{
	if (!w) return;
	sheaf_context *caller = w->caller, *outer = w->outer;
	sheaf_encoding_close(&w->encoding);
	if (w->out) w->out->sink = w->output; /* rows may have been diverted */
	if (w->out) sheaf_output_abandon(w->format->write, w->out);
	sheaf_sink_abandon(w->sink);
	sheaf_frame_free(&w->cast);
	sheaf_frame_free(&w->entries);
	sheaf_frame_free(&w->rows);
	sheaf_arranger_free(w->arranger);
	sheaf_release(outer, w->bytes_of_row, w->bytes_size);
	sheaf_settings_release(outer, &w->values, w->nsettings);
	sheaf_release(outer, w->kept, (size_t)w->given.nfields * sizeof *w->kept);
	sheaf_release_text(outer, w->name);
	sheaf_schema_free(&w->whole);
	if (!w->lent) sheaf_schema_free(&w->given);
	sheaf_schema_free(&w->stored);
	if (w->cx != outer) sheaf_context_end_listening(w->cx);
	if (outer != caller) sheaf_context_end_listening(outer);
	sheaf_release(caller, w, sizeof *w);
}

/* ---- create ---- */

/* Finds the format of an output: by the name in the options, else by the suffix of the path. NULL if the
 * name is unknown, or the suffix belongs to no format or to several. */
static const sheaf_format *format_named(const sheaf_create_options *options, const char *name)
{
	return options->format ? sheaf_format_find(options->format) : sheaf_format_of_name(name);
}

/* Lists the fields that the format stores in w->kept, and removes the others from the stored schema. What
 * is lost with those shows in the rows, so it is reported there; attributes that are lost are reported
 * here. */
static sheaf_status keep_fields(sheaf_writer *w, sheaf_error *err)
{
	int nkept = 0;
	SHEAF_TRY(sheaf_allocate_array(w->cx, (uint64_t)w->given.nfields, sizeof *w->kept, &w->kept, err));
	for (int f = 0; f < w->given.nfields; f++)
		if (!sheaf_loses_field(w->format, &w->given.fields[f])) w->kept[nkept++] = f;
	for (int f = w->given.nfields - 1; f >= 0; f--)
		if (sheaf_loses_field(w->format, &w->given.fields[f])) sheaf_schema_remove(&w->stored, f);
	return sheaf_report_attributes(w->format, &w->given, w->name, w->cx, err);
}

/* Reports that the values of a sparse tensor that are not stored are not 0, if the output has no place for
 * that. */
static sheaf_status report_fill(sheaf_writer *w, sheaf_error *err)
{
	const sheaf_tensor *from = &w->given.tensor, *to = &w->stored.tensor;
	sheaf_element element;
	char found[96];
	bool known = sheaf_element_of(&w->given.fields[from->rank], &element);
	bool is_lost = known && from->has_fill && !to->has_fill && !to->dense &&
	               !sheaf_element_is_zero(&element, from->fill);
	if (!is_lost) return SHEAF_OK;
	sheaf_problem problem = {SHEAF_ERROR,
	                         SHEAF_LOSS,
	                         "fill value",
	                         SHEAF_NOWHERE,
	                         "0, since the format has no place for another one",
	                         NULL,
	                         "it is left out"};
	problem.found = sheaf_element_text(&element, from->fill, found, sizeof found);
	problem.place.file = w->name;
	return sheaf_report(w->cx, &problem, err);
}

/* Refuses sequences of different lengths for a dense tensor, unless they are to be filled up with zeros
 * (`pads`): the tensor has samples where a shorter sequence has none, and only lengths beside it could tell
 * them apart. */
static sheaf_status check_lengths(const sheaf_writer *w, bool pads, sheaf_error *err)
{
	const sheaf_tensor *from = &w->given.tensor;
	char expected[96], found[200];
	if (from->nshort == 0 || !w->stored.tensor.dense || pads) return SHEAF_OK;
	snprintf(expected, sizeof expected,
	         "sequences of the same length, %" PRId64 " samples, since the tensor is dense", from->shape[1]);
	snprintf(
		found, sizeof found,
		"%" PRId64 " with fewer, of which this is the first; " SHEAF_OPTION(
			"pad") " fills them up with zeros and writes the lengths, too; a layout that is not dense needs "
				   "neither",
		from->nshort);
	sheaf_problem problem = {
		.status = SHEAF_LOSS, .place = SHEAF_NOWHERE, .expected = expected, .found = found};
	problem.place.file = w->name;
	problem.place.row = from->first_short;
	problem.place.stream = w->given.fields[from->rank].name;
	return sheaf_fail_problem(err, &problem);
}

/* Whether the output has as many entries as the input: none is implied, joined or left out. */
static bool keeps_count(const sheaf_writer *w, const sheaf_create_options *options)
{
	const sheaf_tensor *from = &w->given.tensor, *to = &w->stored.tensor;
	return from->structure == to->structure && from->dense == to->dense &&
	       (from->unique || options->duplicates == SHEAF_DUPLICATES_ERROR);
}

/* Prepares the arranger of a tensor's entries. A format that must know the number of rows first gets it
 * when all have come, if it changes on the way (w->holds). A dense output that is larger than the memory and
 * the disk allow is refused here: positions without an entry take as much as others. */
static sheaf_status arrange(sheaf_writer *w, const sheaf_create_options *options, sheaf_error *err)
{
	sheaf_element element;
	const sheaf_tensor *from = &w->given.tensor, *to = &w->stored.tensor;
	if (w->totals.rows < 0) w->totals.rows = sheaf_tensor_positions(from);
	w->holds = w->format->write->needs_rows && (w->totals.rows < 0 || !keeps_count(w, options));
	const sheaf_arrange_options arranging = {
		.duplicates = options->duplicates, .drop_fill = true, .hold = w->holds, .name = w->name};
	if (!from->dense && to->dense && sheaf_element_of(&w->given.fields[to->rank], &element)) {
		int64_t bytes = (int64_t)element.size;
		for (int d = 0; d < to->rank; d++)
			if (!sheaf_mul_i64(&bytes, bytes, to->shape[d])) bytes = INT64_MAX;
		SHEAF_TRY(sheaf_sink_check_size(w->sink, bytes, err));
	}
	SHEAF_TRY(check_lengths(w, options->pad, err));
	SHEAF_TRY(sheaf_arranger_new(&w->given, to, &arranging, w->outer, &w->arranger, err));
	return report_fill(w, err);
}

/* Makes the schema of the rows that come (w->given) and a copy that becomes the stored one. A tensor that
 * is one row becomes entries if the format takes only those: its own schema is then w->whole. With `lends`
 * the given schema is the caller's, and is not freed. */
static sheaf_status copy_schema(sheaf_writer *w, const sheaf_schema *schema, bool lends, sheaf_error *err)
{
	bool unrolls = schema->rows == SHEAF_WHOLE && !(w->format->write->takes & SHEAF_TAKES_WHOLE) &&
	               w->format->write->takes & SHEAF_TAKES_ENTRIES;
	if (!unrolls && !(w->format->write->takes & 1u << schema->rows))
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected rows that format %s can hold, found %s",
		                  w->name, w->format->name, sheaf_row_kind_name(schema->rows));
	if (unrolls) SHEAF_TRY(sheaf_schema_copy(schema, w->cx, &w->whole, err));
	w->lent = lends && !unrolls;
	if (w->lent)
		w->given = *schema;
	else
		SHEAF_TRY(unrolls ? sheaf_unroll_schema(schema, w->cx, &w->given, err)
		                  : sheaf_schema_copy(schema, w->cx, &w->given, err));
	return sheaf_schema_copy(&w->given, w->cx, &w->stored, err);
}

/* Finds the format, and makes everything of a writer that can be made without rows: settings, schemas and
 * the arranger. The format may change types and order; it judges a schema alone, so its messages get the name
 * of the file here, unless they name an option. */
static sheaf_status prepare(sheaf_writer *w, const sheaf_schema *schema, const sheaf_creation *how,
                            const sheaf_given_settings *given, sheaf_error *err)
{
	sheaf_error why;
	sheaf_status status = SHEAF_OK;
	const sheaf_create_options *options = how->options;
	const char *name = sheaf_sink_name(w->sink);
	w->format = format_named(options, name);
	if (!w->format && options->format) return sheaf_refuse_format("to", options->format, err);
	if (!w->format) return sheaf_refuse_suffix(name, err);
	SHEAF_TRY(sheaf_check_writable(w->format, err));
	SHEAF_TRY(sheaf_copy_text(w->cx, name, strlen(name), &w->name, err));
	SHEAF_TRY(copy_schema(w, schema, how->lends, err));
	SHEAF_TRY(sheaf_settings_pick(w->format, SHEAF_WRITING, given, w->cx, &w->values, err));
	w->key = sheaf_schema_key(schema);
	SHEAF_TRY(keep_fields(w, err));
	if (options->structure) w->stored.tensor.structure = *options->structure;
	if (w->format->write->accept) status = w->format->write->accept(&w->stored, &w->values, &why);
	if (status)
		return why.option[0] ? sheaf_fail_again(err, &why) : sheaf_fail_within(err, &why, "%s", w->name);
	if (options->structure && w->stored.tensor.structure != *options->structure)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a format that can hold a %s matrix as such, found %s", w->name,
		                  sheaf_structure_name(*options->structure), w->format->name);
	w->totals = options->totals ? *options->totals : SHEAF_NO_FACTS;
	return w->given.rows == SHEAF_ENTRIES ? arrange(w, options, err) : SHEAF_OK;
}

/* Passes a problem on to the caller. Formats speak of sequences and streams; if rows of a table became
 * these, the caller knows them as rows and columns. */
static sheaf_status tell_in_words(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	const sheaf_writer *w = (const sheaf_writer *)user;
	sheaf_problem named = *problem;
	if (w->given.cells && !named.place.row_word && !named.place.stream_word)
		sheaf_place_words(&named.place, SHEAF_CELLS);
	return sheaf_report(w->caller, &named, err);
}

/* Passes a problem on, after all that encoding finds in earlier rows: so problems come in the order of
 * rows. */
static sheaf_status report_in_order(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	sheaf_writer *w = (sheaf_writer *)user;
	SHEAF_TRY(sheaf_encoding_settle(&w->encoding, err));
	return sheaf_report(w->outer, problem, err);
}

/* Creates the output of the format, which takes the sink over, and opens the encoding. From here on all
 * that the format must know first is in w->totals. */
sheaf_status sheaf_writer_start(sheaf_writer *w, sheaf_error *err)
{
	sheaf_output head = {.cx = w->cx, .sink = w->sink, .schema = w->stored, .expected_rows = -1};
	SHEAF_TRY(sheaf_output_create(w->format->write, &head, &w->totals, &w->values, &w->out, err));
	w->sink = NULL;
	return sheaf_encoding_open(&w->encoding, w->format, w->out, w->overlap, w->outer, err);
}

/* Builds a writer up to its first row. Two listeners stand between the format and the caller: one names
 * rows as the caller knows them, and one waits for what encoding has found in earlier rows. An output whose
 * number of rows is not known yet is created later, by sheaf_writer_start. */
static sheaf_status begin(sheaf_writer *w, const sheaf_schema *schema, const sheaf_creation *how,
                          const sheaf_given_settings *given, sheaf_error *err)
{
	sheaf_context *cx;
	SHEAF_TRY(sheaf_context_listen(w->caller, (sheaf_listener){tell_in_words, w}, &cx, err));
	w->outer = w->cx = cx;
	SHEAF_TRY(sheaf_context_listen(w->outer, (sheaf_listener){report_in_order, w}, &cx, err));
	w->cx = cx;
	SHEAF_TRY(prepare(w, schema, how, given, err));
	w->collects = !w->arranger && w->format->write->needs_rows && w->totals.rows < 0;
	if (w->holds || w->collects) return SHEAF_OK;
	SHEAF_TRY(sheaf_writer_start(w, err));
	if (w->arranger && !w->arranger->sorts && keeps_count(w, how->options))
		w->out->expected_rows = w->totals.rows;
	return SHEAF_OK;
}

/* Makes a writer for a sink, which it owns from here on: on failure the sink is abandoned. */
sheaf_status sheaf_create_overlapping(sheaf_sink *sink, const sheaf_schema *schema, const sheaf_creation *how,
                                      sheaf_context *cx, sheaf_writer **out, sheaf_error *err)
{
	sheaf_writer *w;
	*out = NULL;
	sheaf_status status = sheaf_allocate(cx, sizeof *w, &w, err);
	if (status) {
		sheaf_sink_abandon(sink);
		return status;
	}
	*w = (sheaf_writer){.caller = cx,
	                    .outer = cx,
	                    .cx = cx,
	                    .sink = sink,
	                    .output = sink,
	                    .overlap = how->overlap,
	                    .bounded = !how->overlap && !how->options->allow_large,
	                    .key = -1,
	                    .nsettings = how->options->nsettings,
	                    .losses_before = sheaf_context_losses(cx)};
	const sheaf_given_settings given = {how->options->settings, how->options->nsettings, how->used};
	status = begin(w, schema, how, &given, err);
	if (status == SHEAF_OK) {
		*out = w;
		return SHEAF_OK;
	}
	sheaf_settings_blame(&given, err);
	sheaf_abandon(w);
	return status;
}

/* ---- what callers may ask for ---- */

/* Checks the options of a caller: those that are none of the values that their types allow are misuse. */
static sheaf_status check_options(const sheaf_create_options *o, sheaf_error *err)
{
	SHEAF_TRY(sheaf_check_size("create options", o->size, sizeof *o, err));
	SHEAF_TRY(sheaf_check_settings("sheaf_create", o->settings, o->nsettings, err));
	SHEAF_EXPECT((unsigned)o->duplicates <= SHEAF_DUPLICATES_LAST, "a word for duplicates",
	             (int)o->duplicates);
	if (o->structure)
		SHEAF_EXPECT((unsigned)*o->structure < SHEAF_STRUCTURES, "a structure", (int)*o->structure);
	return SHEAF_OK;
}

static sheaf_status check_create(const sheaf_sink *sink, const sheaf_schema *schema,
                                 const sheaf_create_options *options, const sheaf_context *cx,
                                 sheaf_error *err)
{
	SHEAF_NEED(sink, "a sink");
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(options, "options with a format");
	SHEAF_NEED(cx, "a context");
	return check_options(options, err);
}

/* Makes a writer that the caller has asked for by the public interface. The sink is abandoned on any
 * failure, also where an argument is wrong. */
sheaf_status sheaf_create_sink(sheaf_sink *sink, const sheaf_schema *schema,
                               const sheaf_create_options *options, sheaf_context *cx, sheaf_writer **out,
                               sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	sheaf_status status = check_create(sink, schema, options, cx, err);
	sheaf_creation how = {.options = options};
	if (!status) return sheaf_create_overlapping(sink, schema, &how, cx, out, err);
	sheaf_sink_abandon(sink);
	return status;
}

/* Makes a writer for a path. An existing file is replaced only if the options say so, or a setting adds to
 * a file that is there. */
sheaf_status sheaf_create(const char *path, const sheaf_schema *schema, const sheaf_create_options *options,
                          sheaf_context *cx, sheaf_writer **out, sheaf_error *err)
{
	static const sheaf_create_options defaults = {.size = sizeof defaults};
	sheaf_sink *sink;
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(path, "a path");
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(schema, "a schema");
	if (!options) options = &defaults;
	SHEAF_TRY(check_options(options, err));
	bool replaces = options->force ||
	                sheaf_settings_update(format_named(options, path), options->settings, options->nsettings);
	SHEAF_TRY(sheaf_sink_path(path, replaces, cx, &sink, err));
	return sheaf_create_sink(sink, schema, options, cx, out, err);
}
