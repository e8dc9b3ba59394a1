/* SPDX-License-Identifier: MIT */
/* A piece into sequences: lines, and the inputs on them. What counts as an error, what it rejects, and where
 * reading continues are as in CNTK's parser. */
#include "base/context.h"
#include "base/memory.h"
#include "format/ctf/ctf.h"
#include <string.h>

/* ---- lines ---- */

/* The sample of a stream, whose name ends at d->at. *kept: a sample was read, and is the stream's. */
static sheaf_status read_stream(sheaf_ctf_decoding *d, int stream, const uint8_t *name, bool *kept)
{
	sheaf_ctf_column *column = &d->columns[stream];
	uint8_t bits = 0;
	column->named = true;
	for (const uint8_t *at = name; at < d->at; at++) bits |= *at;
	if (bits >= 0x80 && sheaf_is_validating(d->cx))
		SHEAF_TRY(
			sheaf_ctf_report(d, name, -1,
		                     SHEAF_FINDING(SHEAF_NOTE, "name beyond ASCII", "a name of ASCII characters",
		                                   "others, which CNTK 2.0 refuses")));
	SHEAF_TRY(sheaf_ctf_read_sample(d, stream, kept));
	bool again = *kept && column->seen_on == d->line;
	if (*kept) column->seen_on = d->line;
	if (!again) return SHEAF_OK;
	return sheaf_ctf_report(d, name, stream,
	                        SHEAF_FINDING(SHEAF_BREACH, "stream twice on a line",
	                                      "each stream at most once on a line", "it again",
	                                      "both samples are kept"));
}

/* One input, from its '|' to its end. *stream becomes the stream of a sample that is kept, or stays as it
 * was. An input that is a comment, or whose name is none, is skipped up to the next '|'. */
static sheaf_status read_input(sheaf_ctf_decoding *d, int *stream, int64_t *samples)
{
	char text[CTF_FOUND_SIZE];
	const uint8_t *name = ++d->at;
	bool kept = false;
	if (name < d->end && *name == '#') {
		d->at = sheaf_ctf_next_input(name + 1, d->end);
		return SHEAF_OK;
	}
	while (d->at < d->end && !sheaf_ctf_is(*d->at, CTF_ENDS_NAME)) d->at++;
	int found = sheaf_names_find(&d->in->names, name, (size_t)(d->at - name), *stream);
	if (d->at == name)
		SHEAF_TRY(
			sheaf_ctf_report(d, name, -1,
		                     SHEAF_FINDING(SHEAF_ERROR, "no stream name", "a stream name directly after '|'",
		                                   sheaf_ctf_found(name, d->end, text), "the input is left out")));
	else if (found < 0)
		SHEAF_TRY(
			sheaf_ctf_report(d, name, -1,
		                     SHEAF_FINDING(SHEAF_BREACH, "unknown stream", "the name of a declared stream",
		                                   sheaf_ctf_found(name, d->at, text), "the input is left out")));
	else
		SHEAF_TRY(read_stream(d, found, name, &kept));
	if (!kept) d->at = sheaf_ctf_next_input(d->at, d->end);
	if (kept) *stream = found;
	*samples += kept;
	return SHEAF_OK;
}

/* All inputs on a line. What stands between them must be something that CNTK skips there. */
static sheaf_status read_inputs(sheaf_ctf_decoding *d, int64_t *samples)
{
	int stream = -1;
	char found[CTF_FOUND_SIZE];
	*samples = 0;
	while (d->at < d->end && *d->at != '\n') {
		if (*d->at == '|') {
			SHEAF_TRY(read_input(d, &stream, samples));
		} else if (sheaf_ctf_is(*d->at, CTF_SKIPPED)) {
			d->at++;
		} else {
			const char *expected = d->at > d->begin && d->at[-1] == '\r'
			                           ? "a line feed (a CR alone ends no line)"
			                           : "'|' and a stream name";
			SHEAF_TRY(sheaf_ctf_report(d, d->at, -1,
			                           SHEAF_FINDING(SHEAF_ERROR, "text outside an input", expected,
			                                         sheaf_ctf_found(d->at, d->end, found),
			                                         "the text up to the next '|' is left out")));
			d->at = sheaf_ctf_next_input(d->at, d->end);
		}
	}
	return SHEAF_OK;
}

/* At the end of the input, a last line without a line feed. */
static sheaf_status report_end(sheaf_ctf_decoding *d, int64_t samples)
{
	if (samples == 0)
		return sheaf_ctf_report(d, d->line_start, -1,
		                        SHEAF_FINDING(SHEAF_BREACH, "last line without samples",
		                                      "samples and a line feed", "the end of the file",
		                                      "the line is left out"));
	return sheaf_ctf_report(d, d->at, -1,
	                        SHEAF_FINDING(SHEAF_BREACH, "no line feed at the end",
	                                      "a line feed at the end of the last line", "the end of the file"));
}

/* A line: the id of its sequence, its inputs, and how it ends. */
static sheaf_status read_line(sheaf_ctf_decoding *d)
{
	uint64_t id = 0;
	int64_t samples;
	bool over = false, by_line = d->in->by_line;
	d->line_start = d->at;
	bool has_id = sheaf_ctf_read_id(&d->at, d->end, &id, &over);
	/* CNTK drops a last line of nothing but digits, and so do we. */
	if (!by_line && has_id && d->at == d->end && d->to.nrows + d->open > 0) return report_end(d, 0);
	if (has_id && over && !by_line) {
		SHEAF_TRY(sheaf_ctf_close_sequence(d)); /* errors before it come first */
		char found[CTF_FOUND_SIZE];
		SHEAF_TRY(sheaf_ctf_report(d, d->line_start, -1,
		                           SHEAF_FINDING(SHEAF_FATAL, "sequence id beyond 64 bits",
		                                         "a sequence id of at most 18446744073709551615",
		                                         sheaf_ctf_found(d->line_start, d->end, found))));
	}
	SHEAF_TRY(sheaf_ctf_enter_sequence(d, has_id, id));
	SHEAF_TRY(read_inputs(d, &samples));
	bool ended = d->at < d->end;
	if (!ended && samples == 0 && !has_id && !by_line) return report_end(d, 0);
	d->sequence_lines++;
	if (samples == 0)
		SHEAF_TRY(sheaf_ctf_report(d, d->line_start, -1,
		                           SHEAF_FINDING(SHEAF_ERROR, "empty row",
		                                         "at least one sample of a declared stream on a line", "none",
		                                         "the line adds nothing")));
	else if (!ended)
		SHEAF_TRY(report_end(d, samples));
	if (ended) d->at++;
	return SHEAF_OK;
}

/* ---- the frame ---- */

/* What reading asks for again and again is copied from the fields into the columns. */
static sheaf_status begin_columns(sheaf_ctf_decoding *d, sheaf_frame *frame)
{
	int n = d->in->nstreams;
	SHEAF_TRY(sheaf_frame_builder_begin(&d->to, &d->in->schema, frame, d->cx, d->err));
	SHEAF_TRY(sheaf_allocate_array(d->cx, (uint64_t)n, sizeof *d->columns, &d->columns, d->err));
	SHEAF_TRY(sheaf_allocate_array(d->cx, (uint64_t)n, sizeof *d->shown, &d->shown, d->err));
	for (int s = 0; s < n; s++) {
		const sheaf_field *field = &d->in->schema.fields[s];
		const sheaf_name *name = &d->in->names.names[s];
		sheaf_column_builder *to = &d->to.columns[s];
		sheaf_ctf_column *column = &d->columns[s];
		column->lists = &to->levels[0].offsets;
		column->entries = &to->levels[1].offsets;
		column->indices = to->levels[1].indices;
		column->values = &to->values;
		column->dim = sheaf_field_dim(field);
		column->sparse = sheaf_field_is_sparse(field);
		column->wide_values = field->type == SHEAF_F64;
		column->wide_indices = column->sparse && field->levels[1].index_type == SHEAF_I64;
		column->name_size = name->size;
		if (name->size > sizeof column->name) continue;
		memcpy(&column->name, name->text, name->size);
		memset(&column->name_bits, 0xff, name->size);
	}
	return SHEAF_OK;
}

/* The notes of a frame are, for each stream, how many values were rounded, and then whether its name has
 * occurred: a sample with an error does not count. */
sheaf_status sheaf_ctf_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                              sheaf_context *cx, sheaf_error *err)
{
	const sheaf_ctf_reader *in = (const sheaf_ctf_reader *)reader;
	sheaf_ctf_decoding d = {
		.in = in, .cx = cx, .err = err, .piece = piece, .kernel = sheaf_kernel_chosen(), .line = piece->line};
	d.begin = d.at = d.line_start = piece->bytes.data;
	d.end = d.begin + piece->size;
	sheaf_status status = begin_columns(&d, frame);
	while (status == SHEAF_OK && d.at < d.end) {
		status = sheaf_ctf_read_short(&d);
		if (status == SHEAF_OK && d.at < d.end) status = read_line(&d), d.line++;
	}
	if (status == SHEAF_OK) status = sheaf_ctf_close_sequence(&d);
	for (int s = 0; s < in->nstreams && status == SHEAF_OK; s++)
		sheaf_builder_i64(&d.to.notes, d.columns[s].rounded);
	for (int s = 0; s < in->nstreams && status == SHEAF_OK; s++)
		sheaf_builder_i64(&d.to.notes, d.columns[s].named);
	for (int s = 0; s < in->nstreams && d.shown; s++) sheaf_ctf_fill_lists(&d, s);
	sheaf_release(cx, d.columns, (size_t)in->nstreams * sizeof *d.columns);
	sheaf_release(cx, d.shown, (size_t)in->nstreams * sizeof *d.shown);
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}
