/* SPDX-License-Identifier: MIT */
/* Lens example files: the table entry, and the reader of a dataset. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/suffix.h"
#include "format/lens/dataset.h"
#include "format/lens/text.h"
#include "io/source.h"
#include <stdio.h>

static const char *const suffixes[] = {".ex", ".bex", NULL};

static const sheaf_option options[] = {
	{"group", SHEAF_OPTION_TEXTS, SHEAF_READING | SHEAF_WRITING, "NAME:SIZE:input|output[:sparse]",
     "a group of the network (repeat it for each, in the network's order); without any, groups and sizes are "
     "those that the file uses",
     0},
	{"allow", SHEAF_OPTION_WORDS, SHEAF_READING, "missing",
     "missing: read examples that have groups other than those declared", 0},
	{"loop", SHEAF_OPTION_FLAG, SHEAF_READING, NULL,
     "begin again at the end of the input, forever (head and cat)", 0},
	{"rename-group", SHEAF_OPTION_TEXTS, SHEAF_READING, "OLD=NEW",
     "give a group another name (repeat it for each)", 0},
	{"frequency", SHEAF_OPTION_TEXTS, SHEAF_READING, "[NAME=]F",
     "set the frequency of all examples, or of those with this name or with names that match this pattern "
     "(repeat it; the last one that fits counts)",
     0},
	SHEAF_ENCODING_OPTION,
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* ---- recognising ---- */

/* Likely is text that begins with a header or an example that is empty, or with a word with which headers,
 * examples or events begin: after blanks, comments, and the ends of headers and of empty examples. */
static sheaf_likely probe(sheaf_glimpse *at)
{
	static const char *const words[] = {
		"proc:", "max:",  "min:", "grace:", "defI:", "actI:", "defT:", "actT:",
		"name:", "freq:", "I:",   "i:",     "T:",    "t:",    "B:",    "b:"};
	sheaf_bytes head = at->head;
	sheaf_lens_parsing p = {
		.begin = head.data, .at = head.data, .end = head.data + head.size, .line_start = true};
	if (sheaf_lens_is_binary(head)) return SHEAF_SURE;
	while (sheaf_lens_match(&p, ";")) continue;
	if (head.size && (*head.data == ';' || (p.at < p.end && *p.at == '['))) return SHEAF_LIKELY;
	for (size_t w = 0; w < sizeof words / sizeof *words; w++)
		if (sheaf_lens_follows(&p, words[w])) return SHEAF_LIKELY;
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO;
}

/* ---- opening ---- */

static void close_dataset(void *dataset)
{
	sheaf_lens_dataset *in = (sheaf_lens_dataset *)dataset;
	if (in->current != in->first) sheaf_lens_close(in->current);
	sheaf_lens_close(in->first);
	sheaf_lens_streams_free(&in->streams);
	sheaf_lens_streams_free(&in->survey.found);
	sheaf_lens_edits_free(&in->edits);
	sheaf_buffer_reset(&in->heading);
}

static sheaf_status make_showing_schema(sheaf_lens_dataset *in, sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, "example", 7, &field, err));
	field->meaning = SHEAF_SPELLING;
	field->type = SHEAF_U8;
	field->nlevels = 1;
	field->levels[0] = (sheaf_level_shape){.kind = SHEAF_LIST};
	/* Rows are also selected by their names. */
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, "name", 4, &field, err));
	sheaf_field_make_cell(field, SHEAF_STRING, SHEAF_U8, -1, true);
	return sheaf_lens_show_heading(in, err);
}

/* Streams must be known before the first row: from the user, or from a survey, for which the input must be
 * available. */
static sheaf_status find_streams(sheaf_lens_dataset *in, sheaf_error *err)
{
	bool given = in->streams.given, showing = in->how.glance == SHEAF_GLANCE_SHOWING;
	if (in->how.view != SHEAF_VIEW_STREAMS) return SHEAF_OK;
	if (in->how.loop && !in->how.pipe)
		return sheaf_fail_option(err, SHEAF_USAGE, "loop",
		                         ": expected a command that shows rows as they arrive (head, cat), found one "
		                         "that waits for the end");
	if (!given && in->how.pipe)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected the groups of the network (" SHEAF_OPTION(
							  "group") "), since nothing may be read ahead, found none",
		                  sheaf_source_name(in->source));
	bool wanted = !given || showing ||
	              sheaf_is_validating(in->cx); /* when validating, all names of groups are counted */
	if (!in->how.pipe && wanted)
		SHEAF_TRY(sheaf_lens_make_survey(in->source, showing, &in->edits, in->cx, &in->survey, err));
	if (given && !in->how.pipe) SHEAF_TRY(sheaf_lens_check_groups(in, err));
	if (!given) SHEAF_TRY(sheaf_lens_streams_of_survey(&in->survey, &in->streams, err));
	if (!given)
		snprintf(in->guess, sizeof in->guess, "%s",
		         in->survey.complete ? "as the examples use them" : "as the first examples use them");
	return SHEAF_OK;
}

/* How many rows there are is said by the file, if it is binary, or by the survey of all of it. */
static sheaf_status open_dataset(void *dataset, const sheaf_values *values, const sheaf_opening *how,
                                 sheaf_error *err)
{
	sheaf_lens_dataset *in = (sheaf_lens_dataset *)dataset;
	sheaf_facts *facts = &in->facts;
	in->how = *how;
	in->how.loop |= sheaf_values_flag(values, "loop");
	sheaf_lens_streams_begin(&in->streams, in->cx);
	SHEAF_TRY(sheaf_lens_read_groups(&in->streams, values, err));
	SHEAF_TRY(sheaf_lens_edits_read(&in->edits, values, in->cx, err));
	SHEAF_TRY(find_streams(in, err));
	SHEAF_TRY(sheaf_lens_open(in->source, in->cx, &in->first, err));
	sheaf_lens_edit_with(in->first, &in->edits);
	in->current = in->first;
	SHEAF_TRY(
		in->how.view == SHEAF_VIEW_STREAMS
			? sheaf_lens_make_schema(&in->streams, sheaf_lens_header_of(in->first), in->cx, &in->schema, err)
			: make_showing_schema(in, err));
	facts->ordinal_keys = 1;
	facts->rows = in->how.loop ? -1 : sheaf_lens_examples_stated(in->first);
	facts->guess = in->guess[0] ? in->guess : NULL;
	facts->heading = (const char *)in->heading.data;
	if (!in->survey.complete) return SHEAF_OK;
	facts->rows = in->survey.examples;
	facts->samples = in->survey.events;
	facts->longest = in->survey.longest;
	return SHEAF_OK;
}

/* ---- reading ---- */

/* In a loop the input is opened again after its last example, as Lens does with a pipe that has run dry,
 * unless it had none. Earlier pieces may still use the first header, so the new one must be the same. */
static sheaf_status cut(void *dataset, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_lens_dataset *in = (sheaf_lens_dataset *)dataset;
	sheaf_lens_reader *fresh;
	if (in->how.pipe) bytes = 1; /* one example at a time */
	if (in->survey.complete && !in->streams.given) bytes = sheaf_lens_share(&in->survey, bytes);
	sheaf_status status = sheaf_lens_cut(in->current, bytes, piece, err);
	if (status == SHEAF_END && in->how.loop && in->any) {
		SHEAF_TRY(sheaf_source_reopen(in->source, err));
		SHEAF_TRY(sheaf_lens_open(in->source, in->cx, &fresh, err));
		sheaf_lens_edit_with(fresh, &in->edits);
		if (in->current != in->first) sheaf_lens_close(in->current);
		in->current = fresh;
		in->any = false;
		const sheaf_lens_header *first = sheaf_lens_header_of(in->first), *now = sheaf_lens_header_of(fresh);
		bool same = first->proc && now->proc ? strcmp(first->proc, now->proc) == 0 : first->proc == now->proc;
		if (!same || memcmp(first->fields, now->fields, sizeof now->fields) != 0)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: expected the same header as the first time, found another",
			                  sheaf_source_name(in->source));
		status = sheaf_lens_cut(in->current, bytes, piece, err);
	}
	in->any |= status == SHEAF_OK;
	return status;
}

static sheaf_status recall(const void *dataset, sheaf_piece *piece, sheaf_error *err)
{
	return sheaf_lens_recall(((const sheaf_lens_dataset *)dataset)->first, piece, err);
}

/* What frames have noted, and at the end of the input what its rows do not say one by one. */
static sheaf_status review(void *dataset, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	enum { MOST = 12 };
	sheaf_lens_dataset *in = (sheaf_lens_dataset *)dataset;
	const sheaf_names *names = &in->survey.found.names;
	const char *file = sheaf_source_name(in->source);
	(void)row;
	if (frame) {
		sheaf_lens_note_rows(in, frame);
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_lens_edits_check(&in->edits, file, err));
	SHEAF_TRY(sheaf_lens_settle_groups(in, err));
	bool many = names->count - (sheaf_names_find(names, "", 0, -1) >= 0) > MOST;
	if (!in->survey.complete || !many) return SHEAF_OK;
	sheaf_problem problem = sheaf_problem_in(
		file, &SHEAF_FINDING(SHEAF_NOTE, "more than 12 groups",
	                         "at most 12 names of groups, as many as Lens has room for", "more"));
	return sheaf_report(in->cx, &problem, err);
}

static sheaf_status rewind_dataset(void *dataset, const sheaf_piece *to, sheaf_error *err)
{
	(void)to;
	return sheaf_lens_rewind(((sheaf_lens_dataset *)dataset)->first, err);
}

static const sheaf_random_access random_access = {
	.recall = recall,
	.measure = sheaf_lens_measure,
};

static const sheaf_writing writing = {
	.takes = SHEAF_TAKES_SEQUENCES,
	.columns = sheaf_lens_columns,
	.accept = sheaf_lens_accept,
	.output_size = sizeof(sheaf_lens_output),
	.create = sheaf_lens_create,
	.encode = sheaf_lens_encode,
	.append = sheaf_lens_append,
	.finish = sheaf_lens_finish,
	.close = sheaf_lens_close_output,
};

static const char *const edits[] = {"rename-group", "frequency", NULL};

static const sheaf_model model = {
	.transcode = sheaf_lens_transcode,
	.edits = edits,
	.describe = sheaf_lens_describe,
	.declare = sheaf_lens_declare,
};

const sheaf_format sheaf_format_lens = {
	.name = "lens",
	.summary = "Lens example files, text and binary: examples of events, inputs and targets by group",
	.suffixes = suffixes,
	.can = SHEAF_CAN_PIPE,
	.may_omit_compression_suffix = true,
	.text = SHEAF_TEXT_OF_NUMBERS,
	.options = options,
	.random = &random_access,
	.write = &writing,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(sheaf_lens_dataset),
	.open = open_dataset,
	.cut = cut,
	.decode = sheaf_lens_decode,
	.review = review,
	.rewind = rewind_dataset,
	.close = close_dataset,
};
