/* SPDX-License-Identifier: MIT */
/* Sequences into lines: line j has sample j of every stream that has one, so a sequence takes as many lines
 * as its longest stream has samples. Ids are on every line, or on none if each sequence is one line and the
 * keys are 0, 1, 2, ... */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/ctf/ctf.h"
#include "frame/item.h"
#include "frame/value.h"
#include "io/sink.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct sheaf_ctf_writer {
	SHEAF_BASE(sheaf_output, output); /* names as they are written */
	int key;                          /* field, or -1 */
	bool ids;
} sheaf_ctf_writer;

/* ---- names ---- */

/* Whether --alias NAME=A is about this field. */
static const char *alias_in(const char *text, const sheaf_field *field)
{
	size_t n = strlen(field->name);
	return strncmp(text, field->name, n) == 0 && text[n] == '=' ? text + n + 1 : NULL;
}

/* The short name that --alias gives a field; "keep" gives it that of the input, and otherwise this means
 * nothing for the output. */
static sheaf_status name_field(sheaf_schema *schema, sheaf_field *field, const sheaf_values *values,
                               sheaf_error *err)
{
	const char *text, *given = NULL;
	char *alias = NULL;
	for (int k = 0; (text = sheaf_values_nth(values, "alias", k)) && !given; k++) {
		if (strcmp(text, "keep") == 0 && field->alias) alias = field->alias;
		if (strcmp(text, "keep") != 0) given = alias_in(text, field);
	}
	if (given)
		SHEAF_TRY(sheaf_schema_set_alias(schema, field, given, strlen(given), err));
	else
		field->alias = alias;
	const char *written = sheaf_ctf_name_of(field), *at = written;
	while (*at && !sheaf_ctf_is((uint8_t)*at, CTF_ENDS_NAME)) at++;
	if (*written && *written != '#' && !*at) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "stream \"%s\": expected a name without spaces, '|', control characters and a leading "
	                  "'#', found \"%s\"; give it one with " SHEAF_OPTION("alias"),
	                  field->name, written);
}

/* Streams must differ in the names that are written, which may be aliases. */
static sheaf_status check_names(const sheaf_schema *schema, sheaf_error *err)
{
	sheaf_names names = {0};
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < schema->nfields && status == SHEAF_OK; i++) {
		if (schema->fields[i].meaning == SHEAF_KEY) continue;
		const char *text = sheaf_ctf_name_of(&schema->fields[i]);
		status = sheaf_names_find(&names, text, strlen(text), -1) < 0
		             ? sheaf_names_add(&names, schema->cx, text, strlen(text), err)
		             : sheaf_fail_option(err, SHEAF_USAGE, "alias",
		                                 ": expected a name for each stream, found \"%s\" twice", text);
	}
	sheaf_names_free(&names);
	return status;
}

/* Readers of the text know only floats: digits beyond their precision are lost. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	const char *text;
	for (int k = 0; (text = sheaf_values_nth(values, "alias", k)); k++) {
		bool used = strcmp(text, "keep") == 0;
		for (int i = 0; i < schema->nfields && !used; i++) used = alias_in(text, &schema->fields[i]) != NULL;
		if (!used)
			return sheaf_fail_option(err, SHEAF_USAGE, "alias",
			                         ": expected NAME=A with the name of a stream, or keep, found %s", text);
	}
	for (int i = 0; i < schema->nfields; i++) {
		sheaf_field *field = &schema->fields[i];
		if (field->meaning == SHEAF_KEY) continue;
		SHEAF_TRY(sheaf_field_need_stream(field, err));
		if (field->type == SHEAF_I64 || field->type == SHEAF_U64) field->type = SHEAF_F64;
		SHEAF_TRY(name_field(schema, field, values, err));
	}
	return check_names(schema, err);
}

/* ---- create, finish ---- */

/* Lines need no ids if each sequence is one line and its id would be its number. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	sheaf_ctf_writer *out = (sheaf_ctf_writer *)created;
	(void)values;
	out->key = sheaf_schema_key(&out->schema);
	out->ids = !(totals->ordinal_keys == 1 && totals->longest >= 0 && totals->longest <= 1);
	/* A value that a float does not hold loses digits when it is read back: the user must know. */
	char found[80];
	for (int i = 0; i < out->schema.nfields; i++) {
		const sheaf_field *field = &out->schema.fields[i];
		bool fits = field->type == SHEAF_F32 || sheaf_type_size(field->type) < sizeof(float);
		if (field->meaning == SHEAF_KEY || fits) continue;
		snprintf(found, sizeof found, "%s values, which it does not", sheaf_type_name(field->type));
		sheaf_problem problem =
			sheaf_problem_in(sheaf_sink_name(out->sink),
		                     &SHEAF_FINDING(SHEAF_WARNING, "element type not stored",
		                                    "an element type that the format records", found,
		                                    "read them back with " SHEAF_OPTION("element-type") " double"));
		problem.place.stream = field->name;
		return sheaf_report(out->cx, &problem, err);
	}
	return SHEAF_OK;
}

static sheaf_status finish(void *created, sheaf_error *err)
{
	const sheaf_ctf_writer *out = (const sheaf_ctf_writer *)created;
	if (out->written > 0) return SHEAF_OK;
	return sheaf_fail(
		err, SHEAF_UNSUPPORTED,
		"%s: expected at least one sequence, since an empty file is invalid in this format, found none",
		sheaf_sink_name(out->sink));
}

/* ---- encode ---- */

/* Rows that are being written. */
typedef struct encoding {
	const sheaf_ctf_writer *out;
	const sheaf_frame *frame;
	int64_t row; /* number of the frame's first */
	sheaf_builder *b;
	sheaf_error *err;
} encoding;

static sheaf_status lose(const encoding *e, int stream, int64_t r, sheaf_finding finding)
{
	finding.severity = SHEAF_ERROR;
	finding.status = SHEAF_LOSS;
	sheaf_problem problem = sheaf_problem_in(sheaf_sink_name(e->out->sink), &finding);
	problem.place.stream = e->out->schema.fields[stream].name;
	problem.place.row = e->row + r;
	return sheaf_report(e->b->cx, &problem, e->err);
}

/* The nearest value that the format can express: a number beyond the type's range for an infinity, 0 for a
 * NaN. */
static sheaf_status put_value(const encoding *e, int stream, int64_t r, int64_t at)
{
	sheaf_builder *b = e->b;
	const sheaf_column *column = &e->frame->columns[stream];
	if (column->type == SHEAF_F32 || column->type == SHEAF_F64) {
		sheaf_canon c;
		sheaf_canon_values(column->type, column->values.data, at, 1, &c);
		bool nan = isnan(c.nearest);
		if (!isfinite(c.nearest)) {
			sheaf_builder_text(b, nan ? "0" : c.nearest > 0 ? "1e999" : "-1e999");
			return lose(
				e, stream, r,
				SHEAF_FINDING(.rule = nan ? "NaN" : "infinity", .expected = "a finite value",
			                  .found = nan ? "NaN" : "an infinity",
			                  .consequence = nan ? "0 is written" : "a number that overflows is written"));
		}
	}
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX)) return SHEAF_OK;
	b->size = (size_t)(sheaf_value_print(column->type, column->values.data, at, (char *)b->data + b->size) -
	                   (char *)b->data);
	return SHEAF_OK;
}

/* The text of an entry: a space, the index and ':', the value. */
static sheaf_status put_entry(const encoding *e, int stream, int64_t r, int64_t at)
{
	const sheaf_level *level = &e->frame->columns[stream].levels[1];
	sheaf_builder *b = e->b;
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX + 2)) return SHEAF_OK; /* the builder keeps the failure */
	char *to = (char *)b->data + b->size;
	*to++ = ' ';
	if (level->shape.kind == SHEAF_COORD) {
		to = sheaf_print_i64(to, sheaf_level_index(level, 0, at));
		*to++ = ':';
	}
	b->size = (size_t)(to - (char *)b->data);
	return put_value(e, stream, r, at);
}

static uint64_t key_of(const encoding *e, int64_t r)
{
	return e->out->key < 0 ? (uint64_t)(e->row + r)
	                       : ((const uint64_t *)(const void *)e->frame->columns[e->out->key].values.data)[r];
}

static sheaf_run samples_of(const sheaf_frame *frame, int stream, int64_t r)
{
	return sheaf_level_below_one(&frame->columns[stream].levels[0], r);
}

/* Line number `line` of a sequence: the next sample of each stream that still has one. A stream without any
 * sample gets an empty one on the first line: readers would take its absence from the sequence for an error.
 */
static sheaf_status put_line(const encoding *e, int64_t r, int64_t line)
{
	sheaf_builder *b = e->b;
	if (e->out->ids && sheaf_builder_room(b, SHEAF_NUMBER_MAX))
		b->size = (size_t)(sheaf_print_u64((char *)b->data + b->size, key_of(e, r)) - (char *)b->data);
	const char *mark = e->out->ids ? " |" : "|";
	for (int s = 0; s < e->frame->ncolumns; s++) {
		if (s == e->out->key) continue;
		sheaf_run samples = samples_of(e->frame, s, r);
		int64_t n = sheaf_run_length(samples);
		if (line >= (n ? n : 1)) continue;
		sheaf_builder_text(b, mark);
		sheaf_builder_text(b, sheaf_ctf_name_of(&e->out->schema.fields[s]));
		mark = " |";
		if (n == 0)
			SHEAF_TRY(lose(e, s, r,
			               SHEAF_FINDING(.rule = "stream without samples",
			                             .expected = "at least one sample of every stream in every sequence",
			                             .found = "none", .consequence = "an empty sample is written")));
		if (n == 0) continue;
		const sheaf_column *column = &e->frame->columns[s];
		sheaf_run run = sheaf_level_below_one(&column->levels[1], samples.begin + line);
		while (run.begin < run.end) { /* finite values many at once; what stops them by itself */
			run.begin = sheaf_finite_text(b, column, run, ' ');
			if (run.begin < run.end) SHEAF_TRY(put_entry(e, s, r, run.begin++));
		}
	}
	sheaf_builder_byte(b, '\n');
	return SHEAF_OK;
}

/* If the totals have shown that lines need no ids, a row must be as they say. */
static sheaf_status encode(const void *writer, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	encoding e = {(const sheaf_ctf_writer *)writer, frame, row, b, err};
	(void)samples;
	for (int64_t r = 0; r < frame->nrows && !b->failed; r++) {
		int64_t lines = 1;
		for (int s = 0; s < frame->ncolumns; s++) {
			int64_t n = s == e.out->key ? 0 : sheaf_run_length(samples_of(frame, s, r));
			if (n > lines) lines = n;
		}
		if (!e.out->ids && lines > 1)
			return sheaf_fail(err, SHEAF_USAGE,
			                  "sequence %" PRId64 ": expected one sample, as the totals say, found %" PRId64,
			                  row + r, lines);
		if (!e.out->ids && key_of(&e, r) != (uint64_t)(row + r))
			return sheaf_fail(err, SHEAF_USAGE,
			                  "sequence %" PRId64
			                  ": expected this number for its key, as the totals say, found %" PRIu64,
			                  row + r, key_of(&e, r));
		for (int64_t line = 0; line < lines && !b->failed; line++) SHEAF_TRY(put_line(&e, r, line));
	}
	return sheaf_builder_status(b, err);
}

const sheaf_writing sheaf_ctf_writing = {
	.takes = SHEAF_TAKES_SEQUENCES,
	.needs_totals = true,
	.output_size = sizeof(sheaf_ctf_writer),
	.accept = accept,
	.create = create,
	.encode = encode,
	.finish = finish,
};
