/* SPDX-License-Identifier: MIT */
/* Conversion between any two formats: the rows of all inputs into one output.
 *
 * A conversion opens its inputs, joins their schemas to one, finds out what the output must know before its
 * first row, and copies rows; or makes one part of that (part.c), or takes what parts have made (merged.c);
 * or, if input and output are files of a format that can rewrite its own model, does not look at rows at all.
 *
 * Undeclared text is looked at twice: once for its columns, once for its rows. To spare the first look, a
 * conversion speculates that the first part of a file shows all columns. Findings wait until the end of the
 * input has proved that. If it proves the opposite, or anything else fails, the conversion begins again
 * without. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/spell.h"
#include "dataset/input/input.h"
#include "dataset/input/lost.h"
#include "dataset/range.h"
#include "frame/frame.h"
#include "io/sink.h"
#include "io/source.h"
#include "job/part.h"
#include <string.h>

/* Opens an input of the conversion, or uses the source that was opened before the others (c->first). A
 * tensor of several inputs is read entry by entry, since a structure such as symmetry holds within one of
 * them at most. The input is opened so that it can be read a second time if something looks at all rows
 * before the first one is written. */
static sheaf_status open_input(sheaf_conversion *c, const char *path, sheaf_dataset **out, sheaf_error *err)
{
	sheaf_source *source = c->first;
	const sheaf_convert_options *convert = &c->options->convert;
	const sheaf_open_options *given = &c->options->open;
	sheaf_tensor_options tensor = c->options->tensor;
	tensor.table = tensor.matrix;
	tensor.entries = c->ninputs > 1 ? SHEAF_ENTRIES_EXPANDED : SHEAF_ENTRIES_STORED;
	const sheaf_sequence_options sequences = {
		.samples = sheaf_samples_of(c->to, given->settings, given->nsettings),
		.layout = c->options->sequences.layout,
		.lengths = c->options->sequences.lengths,
		.keep_lengths = convert->pad,
	};
	const sheaf_open_options open = {
		.format = given->format,
		.settings = given->settings,
		.nsettings = given->nsettings,
		.used = c->used,
		.piece_bytes = given->piece_bytes,
		.index = given->index,
		.glance = c->speculates ? SHEAF_GLANCE_SPECULATIVE : SHEAF_GLANCE_NOT,
		.rows = sheaf_format_about(c->to).takes & (convert->pad ? SHEAF_TAKES_ENTRIES : ~0U),
		.select = given->select,
		.container = &(sheaf_container_options){.member = c->options->container.member},
		.tensor = &tensor,
		.sequences = &sequences,
	};
	c->first = NULL;
	if (!source) SHEAF_TRY(sheaf_source_named(path, c->cx, &source, err));
	bool compares_keys = c->ninputs > 1 && (sheaf_format_about(c->to).can & SHEAF_CAN_KEYS);
	bool is_read_twice = sheaf_needs_totals(c->to) || convert->structure || compares_keys;
	return sheaf_open_with(source, &open, is_read_twice, c->cx, out, err);
}

/* ---- rows ---- */

/* Writes all rows of an input, from the input itself or from the parts that have them. Where the size of
 * the inputs is unknown, the bytes that were read bound the output. Rows that were read before a failure are
 * written before it is reported. */
static sheaf_status copy_rows(sheaf_conversion *c, int number, sheaf_error *err)
{
	sheaf_dataset *input = c->inputs[number];
	sheaf_error failure;
	const sheaf_frame *frame;
	sheaf_status status;
	int64_t read = 0;
	int *columns;
	bool has_schema = c->ninputs == 1; /* the schema belongs to the input */
	if (c->merged) SHEAF_TRY(sheaf_dataset_take_input(input, c->merged->parts, number, err));
	SHEAF_TRY(sheaf_conversion_columns(c, input, &columns, err));
	while ((status = sheaf_next(input, &frame, &failure)) == SHEAF_OK) {
		sheaf_frame ordered = {0};
		if (c->input_bytes < 0 && !c->options->convert.allow_large) {
			int64_t position = sheaf_source_tell(input->source);
			if (position > read) read = position;
			sheaf_writer_bound(c->writer, c->read + read);
		}
		if (!has_schema) status = sheaf_conversion_frame(c, input, frame, columns, &ordered, &failure);
		if (status == SHEAF_OK) status = sheaf_write(c->writer, has_schema ? frame : &ordered, &failure);
		sheaf_frame_free(&ordered);
		if (status) break;
	}
	sheaf_release(c->cx, columns, (size_t)c->schema.nfields * sizeof *columns);
	c->read += read;
	SHEAF_TRY(sheaf_writer_settle(c->writer, err));
	if (status == SHEAF_END) return SHEAF_OK;
	if (err) *err = failure;
	return status;
}

/* Finds the size of all inputs, decompressed, which limits that of the output; -1 if one is a pipe or a
 * compressed file, which shows its size only at the end. Refuses more sequences than the inputs have bytes: a
 * row takes at least a byte, even an empty one. */
static sheaf_status weigh_inputs(sheaf_conversion *c, sheaf_error *err)
{
	int64_t rows = 0;
	c->input_bytes = 0;
	for (int i = 0; i < c->ninputs; i++) {
		sheaf_facts facts;
		const sheaf_source *source = c->inputs[i]->source;
		int64_t size = sheaf_source_is_plain(source) ? sheaf_source_bytes(source) : -1;
		c->input_bytes = c->input_bytes < 0 || size < 0 ? -1 : c->input_bytes + size;
		sheaf_dataset_facts(c->inputs[i], &facts);
		if (facts.rows > 0 && !sheaf_add_i64(&rows, rows, facts.rows)) rows = INT64_MAX;
	}
	if (c->input_bytes < 0 || c->options->convert.allow_large) return SHEAF_OK;
	return sheaf_check_output(c->output, c->input_bytes, c->schema.rows == SHEAF_SEQUENCES ? rows : 0, err);
}

/* Tells the caller that rows become rows of another kind, such as a table sequences. Tensors stay tensors,
 * whether as entries or as a whole, so nothing is said of them. */
static void say_change(const sheaf_conversion *c)
{
	sheaf_row_kind from = c->inputs[0]->stored, to = c->schema.rows;
	bool stay_tensors = from >= SHEAF_ENTRIES && to >= SHEAF_ENTRIES;
	const sheaf_convert_options *o = &c->options->convert;
	if (from != to && !stay_tensors && o->on_change) o->on_change(o->user, from, to);
}

/* Ends speculation, as all of the input is known to be as its first part: what was found in it is reported,
 * and counts. */
static sheaf_status end_speculation(sheaf_conversion *c, sheaf_error *err)
{
	if (!c->speculates) return SHEAF_OK;
	c->speculates = false;
	if (c->schema.nfields > 0) say_change(c); /* otherwise there are no rows */
	return sheaf_findings_report(&c->held, c->caller, err);
}

/* Creates the output, writes the rows of all inputs, and finishes it; on failure there is no output. The
 * writer is closed in any case. Speculation ends before the writer is finished: until then the conversion can
 * begin again without anybody having seen an output. */
static sheaf_status write_output(sheaf_conversion *c, sheaf_error *err)
{
	sheaf_sink *sink;
	SHEAF_TRY(sheaf_sink_path(c->output, c->replaces, c->cx, &sink, err));
	if (c->input_bytes >= 0 && !c->options->convert.allow_large) sheaf_sink_bound(sink, c->input_bytes);
	sheaf_status status = sheaf_conversion_create(c, sink, err);
	for (int i = 0; i < c->ninputs && status == SHEAF_OK; i++) status = copy_rows(c, i, err);
	if (status == SHEAF_OK && c->merged) status = sheaf_conversion_take_bytes(c, err);
	if (status == SHEAF_OK) status = end_speculation(c, err);
	if (status == SHEAF_OK)
		status =
			c->options->convert.pad ? sheaf_conversion_finish_padded(c, err) : sheaf_finish(c->writer, err);
	else
		sheaf_abandon(c->writer);
	c->writer = NULL;
	return status;
}

/* ---- without rows ---- */

/* Lets the format rewrite its own model, such as a graph with its weights, without looking at rows: what is
 * not rows stays, too. */
static sheaf_status transcode(sheaf_conversion *c, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_values values;
	int n = c->options->open.nsettings;
	SHEAF_TRY(sheaf_settings_pick(c->to, SHEAF_READING | SHEAF_WRITING,
	                              &(sheaf_given_settings){c->options->open.settings, n, NULL}, c->cx, &values,
	                              err));
	sheaf_status status = sheaf_sink_path(c->output, c->replaces, c->cx, &sink, err);
	if (status == SHEAF_OK)
		status = c->to->model->transcode(c->first, sink, &values, &c->options->open.select, c->cx, err);
	sheaf_settings_release(c->cx, &values, n);
	return status;
}

/* Finds out whether there is one file, of the requested format, whose model can be written again without
 * rows. A setting that is not an edit of the model, and omitted streams, would require rows. The file stays
 * open as the first input. */
static sheaf_status can_transcode(sheaf_conversion *c, const char *input, bool *can, sheaf_error *err)
{
	const sheaf_format *from;
	const sheaf_open_options *open = &c->options->open;
	bool chooses = (open->container && open->container->member) || c->options->convert.structure ||
	               c->options->convert.pad;
	*can = (sheaf_format_about(c->to).can & SHEAF_CAN_TRANSCODE) && c->ninputs == 1 && !chooses &&
	       sheaf_selects_rows_alone(&open->select);
	for (int i = 0; i < open->nsettings && *can; i++) {
		const char *const *edit = c->to->model->edits;
		while (edit && *edit && strcmp(*edit, open->settings[i].name) != 0) edit++;
		*can = edit && *edit;
	}
	if (!*can) return SHEAF_OK;
	SHEAF_TRY(sheaf_source_named(input, c->cx, &c->first, err));
	const sheaf_values settings = {open->settings, open->nsettings};
	SHEAF_TRY(sheaf_recognise(c->first, open->format, &settings, &from, err));
	*can = from == c->to;
	if (!*can) return SHEAF_OK;
	sheaf_status status = c->to->model->transcode(c->first, NULL, &settings, &open->select, c->cx, err);
	*can = status != SHEAF_END;
	return *can ? status : SHEAF_OK;
}

/* ---- the whole ---- */

/* Finds what must be known before the first row is written, or is left to a part: sizes, the structure of a
 * tensor, lengths for padding, and totals. Decides whether a part holds rows (c->stores) or bytes of the
 * output. */
static sheaf_status find_facts(sheaf_conversion *c, const char *input, sheaf_error *err)
{
	for (int i = 0; i < c->ninputs; i++) SHEAF_TRY(sheaf_conversion_report_others(c, c->inputs[i], err));
	SHEAF_TRY(weigh_inputs(c, err));
	if (c->merged) {
		c->structured = c->merged->states->structured;
		c->structure = c->merged->states->structure;
	} else {
		SHEAF_TRY(sheaf_conversion_find_structure(c, input, err));
	}
	if (c->options->convert.pad) {
		SHEAF_TRY(sheaf_dataset_lengths(c->inputs[0], &c->lengths, err));
		if (c->lengths.size == 0 && c->inputs[0]->stored != SHEAF_SEQUENCES)
			return sheaf_fail_option(err, SHEAF_USAGE, "pad",
			                         ": expected sequences, which are to become a tensor, found none in %s",
			                         sheaf_source_name(c->inputs[0]->source));
	}
	/* A part holds bytes of the output, unless an error could omit rows, which would change the numbers of
	 * later ones. */
	bool encodes = sheaf_writes_in_parts(c->to, &c->schema) && !sheaf_leaves_out(c->outer) &&
	               !sheaf_is_validating(c->outer);
	c->stores = c->parts && !encodes;
	return c->merged ? sheaf_conversion_merged_totals(c, err) : sheaf_conversion_gather_totals(c, err);
}

/* Opens all inputs and does the conversion, or makes a part of it. STALE means that speculation cannot find
 * out whether it was right, so that the conversion begins again without. */
static sheaf_status run(sheaf_conversion *c, const char *const *inputs, sheaf_error *err)
{
	bool copies;
	SHEAF_TRY(can_transcode(c, inputs[0], &copies, err));
	if (c->merged && c->merged->shared.copies != copies)
		return sheaf_part_refuse(c->merged->parts->set.parts, "a format that is copied without rows", err);
	if (copies && c->parts) return sheaf_convert_part(c, c->output, err);
	if (copies) {
		SHEAF_TRY(end_speculation(c, err));
		return transcode(c, err);
	}
	for (int i = 0; i < c->ninputs; i++) SHEAF_TRY(open_input(c, inputs[i], &c->inputs[i], err));
	SHEAF_TRY(sheaf_conversion_join_schemas(c, inputs, err));
	if (!c->speculates) say_change(c);
	/* A part or a merge cannot find out about all rows: an index says what these have, or the parts do. If
	 * neither does, the conversion begins again. */
	const sheaf_dataset *first = c->inputs[0];
	bool speculative = sheaf_dataset_below(first).in->speculative, is_confirmed = true;
	if (speculative && c->parts) is_confirmed = sheaf_index_confirms(&first->indexed);
	if (speculative && c->merged) is_confirmed = !sheaf_parts_check_schema(c->merged->parts, 0, first, NULL);
	if (!is_confirmed) return SHEAF_STALE;
	if (!speculative || c->parts || c->merged) SHEAF_TRY(end_speculation(c, err));
	SHEAF_TRY(find_facts(c, inputs[0], err));
	sheaf_status status = c->parts ? sheaf_convert_part(c, c->output, err) : write_output(c, err);
	/* A table that was read as sequences may have been meant as a tensor. */
	if (status == SHEAF_LOSS && c->schema.cells && (sheaf_format_about(c->to).takes & SHEAF_TAKES_ENTRIES))
		sheaf_error_append(err, "; if its rows are entries of a tensor, say which columns are coordinates "
		                        "(" SHEAF_OPTION("coordinates") " NAME,...)");
	return status;
}

/* ---- findings ---- */

/* Passes a finding in rows on, after what the writer has found in earlier ones. Each part that met keys
 * that become positions has reported them, but the caller hears of that once. */
static sheaf_status report_in_order(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	sheaf_conversion *c = (sheaf_conversion *)user;
	bool is_of_keys = c->merged && strcmp(problem->rule, SHEAF_RULE_KEYS) == 0;
	if (is_of_keys && c->told_of_keys) return SHEAF_OK; /* each part that met one has reported it */
	c->told_of_keys |= is_of_keys;
	if (c->writer) SHEAF_TRY(sheaf_writer_settle(c->writer, err));
	return sheaf_report(c->outer, problem, err);
}

/* Keeps a finding until the end of the input, while the conversion speculates. A loss that is not allowed,
 * or too many findings, end it with STALE: they are for a conversion that does not speculate. */
static sheaf_status hold_findings(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	sheaf_conversion *c = (sheaf_conversion *)user;
	if (!c->speculates) return sheaf_report(c->caller, problem, err);
	SHEAF_TRY(sheaf_report(c->held.cx, problem, err));
	if (!c->held.over && (!c->held.lossy || sheaf_allows_loss(c->caller))) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_STALE, "%s: expected findings that can wait, found losses, or too many",
	                  c->output);
}

/* ---- options ---- */

/* Whether an output can be written anew after a failure: what has gone into a pipe cannot be taken back. */
static bool can_begin_again(const char *output)
{
	struct stat info;
	if (strcmp(output, "-") == 0) return false;
	return stat(output, &info) != 0 || S_ISREG(info.st_mode);
}

/* Whether the conversion may take the first part of the input as if it showed all streams: the input can be
 * read again if it does not, and nothing else looks at all of it before rows are written. */
static bool can_speculate(const sheaf_conversion *c, const char *const *inputs)
{
	struct stat info;
	const sheaf_convert_options *o = &c->options->convert;
	bool in_one_pass = (c->parts || c->merged || !sheaf_needs_totals(c->to)) && !o->structure && !o->pad;
	bool keeps_nothing = !sheaf_leaves_out(c->caller) && !sheaf_is_validating(c->caller) &&
	                     !sheaf_settings_update(c->to, c->options->open.settings, c->options->open.nsettings);
	bool is_regular = strcmp(inputs[0], "-") != 0 && stat(inputs[0], &info) == 0 && S_ISREG(info.st_mode);
	return c->ninputs == 1 && in_one_pass && keeps_nothing && is_regular && can_begin_again(c->output);
}

/* Chooses the format of the output, and refuses combinations of options before anything is opened. c->part
 * and c->parts are those of the option, or 0. */
static sheaf_status prepare(sheaf_conversion *c, sheaf_error *err)
{
	const sheaf_convert_options *o = &c->options->convert;
	const sheaf_open_options *open = &c->options->open;
	if (o->part) SHEAF_TRY(sheaf_part_number(o->part->part, &c->part, &c->parts, err));
	c->to = o->to      ? sheaf_format_find(o->to)
	        : c->parts ? sheaf_part_target(c->output)
	                   : sheaf_format_of_name(c->output);
	if (!c->to && o->to) return sheaf_refuse_format("to", o->to, err);
	if (!c->to)
		SHEAF_TRY(sheaf_imply_output(c->output, open->settings, open->nsettings, c->outer, &c->to, err));
	SHEAF_TRY(sheaf_check_writable(c->to, err));
	bool updates = sheaf_settings_update(c->to, open->settings, open->nsettings);
	if (c->parts) SHEAF_TRY(sheaf_part_check_options(c->options, err));
	if (c->parts && updates)
		return sheaf_fail_option(err, SHEAF_UNSUPPORTED, "part",
		                         ": expected a new output, found one that is updated");
	c->replaces = o->force || updates;
	if (!c->replaces) SHEAF_TRY(sheaf_target_check_path(c->output, err));
	if (!o->pad) return SHEAF_OK;
	if (c->parts)
		return sheaf_fail_option(
			err, SHEAF_UNSUPPORTED, "pad",
			": expected a conversion of all rows, since their lengths must be known, found a part");
	if (!(sheaf_format_about(c->to).takes & SHEAF_TAKES_ENTRIES))
		return sheaf_fail_option(err, SHEAF_USAGE, "pad",
		                         ": expected a format of tensors, which need it, found %s", c->to->name);
	return sheaf_conversion_check_lengths(c, err);
}

/* Runs a copy of the prepared conversion, and closes everything that it has opened. If speculation fails at
 * what may be its own fault, which is everything but the refusals of the system and of the caller, the
 * conversion begins again without. */
static sheaf_status attempt(const sheaf_conversion *prepared, const char *const *inputs, bool speculates,
                            sheaf_error *err)
{
	sheaf_conversion c = *prepared;
	size_t ninputs = (size_t)c.ninputs, nsettings = (size_t)c.options->open.nsettings;
	sheaf_status status = SHEAF_OK;
	c.speculates = speculates;
	if (speculates) status = sheaf_findings_open(&c.held, c.caller, err);
	if (speculates && status == SHEAF_OK)
		status = sheaf_context_listen(c.caller, (sheaf_listener){hold_findings, &c}, &c.outer, err);
	if (status == SHEAF_OK) status = sheaf_allocate_array(c.outer, ninputs, sizeof *c.inputs, &c.inputs, err);
	if (status == SHEAF_OK) status = sheaf_allocate_array(c.outer, nsettings, sizeof *c.used, &c.used, err);
	if (status == SHEAF_OK)
		status = sheaf_context_listen(c.outer, (sheaf_listener){report_in_order, &c}, &c.cx, err);
	if (status == SHEAF_OK) status = run(&c, inputs, err);
	bool begins_again = c.speculates && status && status != SHEAF_IO && status != SHEAF_STOPPED &&
	                    !sheaf_is_of_memory(status);
	sheaf_status held_status = begins_again ? SHEAF_OK : end_speculation(&c, NULL);
	for (size_t i = 0; c.inputs && i < ninputs; i++) sheaf_close(c.inputs[i]);
	sheaf_source_close(c.first);
	if (ninputs > 1) sheaf_schema_free(&c.schema);
	sheaf_buffer_reset(&c.lengths);
	sheaf_context_end_listening(c.cx);
	sheaf_release(c.outer, c.used, nsettings * sizeof *c.used);
	sheaf_release(c.outer, c.inputs, ninputs * sizeof *c.inputs);
	sheaf_findings_close(&c.held);
	if (c.outer != c.caller) sheaf_context_end_listening(c.outer);
	if (begins_again) return attempt(prepared, inputs, false, err);
	return status ? status : held_status;
}

/* Converts inputs again, with all rows coming from the parts that were made of them. */
sheaf_status sheaf_conversion_merge(sheaf_merging *merged, const char *const *inputs, const char *output,
                                    const sheaf_conversion_options *options, sheaf_context *cx,
                                    sheaf_error *err)
{
	sheaf_conversion c = {.caller = cx,
	                      .outer = cx,
	                      .options = options,
	                      .ninputs = merged->parts->set.parts->head.ninputs,
	                      .output = output,
	                      .merged = merged};
	SHEAF_TRY(prepare(&c, err));
	return attempt(&c, inputs, can_speculate(&c, inputs), err);
}

/* Converts inputs into one output, for callers of the library. The options as given, or the defaults, are
 * copied with all that they point to, since a second attempt changes them. If an index contradicts its file,
 * the conversion begins again without indices. */
sheaf_status sheaf_convert(const char *const *inputs, int ninputs, const char *output,
                           const sheaf_convert_options *options, sheaf_context *cx, sheaf_error *err)
{
	sheaf_conversion_options o = {0};
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(output, "a path for the output");
	if (ninputs > 0) SHEAF_TRY(sheaf_check_texts(__func__, "paths of inputs", inputs, ninputs, err));
	if (options) SHEAF_TRY(sheaf_check_size("convert options", options->size, sizeof *options, err));
	if (options) o.convert = *options;
	SHEAF_TRY(sheaf_take_open_options(__func__, o.convert.open, &o.open, err));
	o.container = *o.open.container;
	o.tensor = *o.open.tensor;
	o.sequences = *o.open.sequences;
	const sheaf_part_options *part = o.convert.part;
	if (part) SHEAF_TRY(sheaf_check_size("part options", part->size, sizeof *part, err));
	SHEAF_NEED(!part || part->part, "a part");
	SHEAF_EXPECT((unsigned)o.convert.duplicates <= SHEAF_DUPLICATES_LAST, "a word for duplicates",
	             (int)o.convert.duplicates);
	if (ninputs < 1) return sheaf_fail(err, SHEAF_USAGE, "convert: expected at least one input, found none");
	sheaf_conversion c = {.caller = cx, .outer = cx, .options = &o, .ninputs = ninputs, .output = output};
	SHEAF_TRY(prepare(&c, err));
	sheaf_status status = attempt(&c, inputs, can_speculate(&c, inputs), err);
	bool may_repeat = o.open.index != SHEAF_INDEX_REQUIRE && can_begin_again(output);
	if (status != SHEAF_STALE || !may_repeat) return status;
	/* An index contradicts its file: once more without, and without telling the caller twice what changes. */
	o.convert.on_change = NULL;
	o.open.index = SHEAF_INDEX_NEVER;
	return attempt(&c, inputs, false, err);
}
