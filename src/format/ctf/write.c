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

static bool can_be_name(const char *name)
{
	if (!*name || *name == '#') return false;
	for (const char *c = name; *c; c++)
		if (sheaf_ctf_is((uint8_t)*c, CTF_ENDS_NAME)) return false;
	return true;
}

/* The short name that --alias gives a field, or NULL. */
static const char *alias_for(const sheaf_field *field, const sheaf_values *values)
{
	const char *text;
	size_t n = strlen(field->name);
	const char *alias = NULL;
	for (int k = 0; (text = sheaf_values_nth(values, "alias", k)); k++) {
		if (strcmp(text, "keep") == 0)
			alias = field->alias ? field->alias : alias;
		else if (strncmp(text, field->name, n) == 0 && text[n] == '=')
			return text + n + 1;
	}
	return alias;
}

static sheaf_status name_field(sheaf_schema *schema, sheaf_field *field, const sheaf_values *values,
                               sheaf_error *err)
{
	const char *alias = alias_for(field, values);
	if (!alias) field->alias = NULL; /* that of another file means nothing for this one */
	if (alias && alias != field->alias)
		SHEAF_TRY(sheaf_schema_set_alias(schema, field, alias, strlen(alias), err));
	const char *written = field->alias ? field->alias : field->name;
	if (can_be_name(written)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "stream \"%s\": expected a name without spaces, '|', control characters and a leading "
	                  "'#', found \"%s\"; give it one with " SHEAF_OPTION("alias"),
	                  field->name, written);
}

static const char *written_name(const sheaf_field *field)
{
	return field->alias ? field->alias : field->name;
}

static sheaf_status add_name(sheaf_names *names, const sheaf_schema *schema, const sheaf_field *field,
                             sheaf_error *err)
{
	const char *text = written_name(field);
	if (sheaf_names_find(names, text, strlen(text), -1) >= 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "alias",
		                         ": expected a name for each stream, found \"%s\" twice", text);
	return sheaf_names_add(names, schema->cx, text, strlen(text), err);
}

static sheaf_status check_names(const sheaf_schema *schema, sheaf_error *err)
{
	sheaf_names names = {0};
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < schema->nfields && status == SHEAF_OK; i++)
		if (schema->fields[i].meaning != SHEAF_KEY)
			status = add_name(&names, schema, &schema->fields[i], err);
	sheaf_names_free(&names);
	return status;
}

static sheaf_status check_aliases(const sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	const char *text;
	for (int k = 0; (text = sheaf_values_nth(values, "alias", k)); k++) {
		bool used = strcmp(text, "keep") == 0;
		for (int i = 0; i < schema->nfields && !used; i++) {
			size_t n = strlen(schema->fields[i].name);
			used = strncmp(text, schema->fields[i].name, n) == 0 && text[n] == '=';
		}
		if (!used)
			return sheaf_fail_option(err, SHEAF_USAGE, "alias",
			                         ": expected NAME=A with the name of a stream, or keep, found %s", text);
	}
	return SHEAF_OK;
}

static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	SHEAF_TRY(check_aliases(schema, values, err));
	for (int i = 0; i < schema->nfields; i++) {
		sheaf_field *field = &schema->fields[i];
		if (field->meaning == SHEAF_KEY) continue;
		SHEAF_TRY(sheaf_field_need_stream(field, err));
		/* Readers of the text know only floats: digits beyond their precision are lost. */
		if (field->type == SHEAF_I64 || field->type == SHEAF_U64) field->type = SHEAF_F64;
		SHEAF_TRY(name_field(schema, field, values, err));
	}
	return check_names(schema, err);
}

/* ---- create, finish ---- */

static bool fits_float(sheaf_type type) { return type == SHEAF_F32 || sheaf_type_size(type) < sizeof(float); }

/* A value that a float does not hold loses digits when it is read back: the user must know. */
static sheaf_status report_types(const sheaf_ctf_writer *out, sheaf_error *err)
{
	for (int i = 0; i < out->schema.nfields; i++) {
		const sheaf_field *field = &out->schema.fields[i];
		char found[80];
		if (field->meaning == SHEAF_KEY || fits_float(field->type)) continue;
		snprintf(found, sizeof found, "%s values, which it does not", sheaf_type_name(field->type));
		sheaf_problem problem = {SHEAF_WARNING,
		                         SHEAF_DATA,
		                         "element type not stored",
		                         SHEAF_NOWHERE,
		                         "an element type that the format records",
		                         found,
		                         "read them back with " SHEAF_OPTION("precision") " double"};
		problem.place.file = sheaf_sink_name(out->sink);
		problem.place.stream = field->name;
		return sheaf_report(out->cx, &problem, err);
	}
	return SHEAF_OK;
}

static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	sheaf_ctf_writer *out = (sheaf_ctf_writer *)created;
	(void)values;
	out->key = sheaf_schema_key(&out->schema);
	out->ids = !(totals->ordinal_keys == 1 && totals->longest >= 0 && totals->longest <= 1);
	return report_types(out, err);
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
	sheaf_context *cx;
	sheaf_error *err;
} encoding;

static sheaf_status lose(const encoding *e, int stream, int64_t r, sheaf_finding finding)
{
	finding.severity = SHEAF_ERROR;
	finding.status = SHEAF_LOSS;
	sheaf_problem problem = sheaf_problem_in(sheaf_sink_name(e->out->sink), &finding);
	problem.place.stream = e->out->schema.fields[stream].name;
	problem.place.row = e->row + r;
	return sheaf_report(e->cx, &problem, e->err);
}

static bool is_finite(const sheaf_column *column, int64_t at, double *value)
{
	sheaf_canon c;
	if (column->type != SHEAF_F32 && column->type != SHEAF_F64) return true;
	sheaf_canon_values(column->type, column->values.data, at, 1, &c);
	*value = c.nearest;
	return isfinite(c.nearest);
}

/* The nearest value that the format can express: a number beyond the type's range for an infinity, 0 for a
 * NaN. */
static sheaf_status put_nonfinite(const encoding *e, int stream, int64_t r, double value)
{
	sheaf_finding nan = {.rule = "NaN", .expected = "a finite value", .found = "NaN"},
				  infinity = {.rule = "infinity", .expected = "a finite value", .found = "an infinity"};
	nan.consequence = "0 is written";
	infinity.consequence = "a number that overflows is written";
	sheaf_builder_text(e->b, isnan(value) ? "0" : value > 0 ? "1e999" : "-1e999");
	return lose(e, stream, r, isnan(value) ? nan : infinity);
}

static sheaf_status put_value(const encoding *e, int stream, int64_t r, int64_t at)
{
	double value = 0;
	sheaf_builder *b = e->b;
	const sheaf_column *column = &e->frame->columns[stream];
	if (!is_finite(column, at, &value)) return put_nonfinite(e, stream, r, value);
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

static sheaf_status put_sample(const encoding *e, int stream, int64_t r, int64_t sample)
{
	const sheaf_column *column = &e->frame->columns[stream];
	sheaf_run run = sheaf_level_below_one(&column->levels[1], sample);
	for (int64_t at = run.begin; at < run.end;) {
		at = sheaf_finite_text(e->b, column, (sheaf_run){at, run.end}, ' ');
		if (at < run.end) SHEAF_TRY(put_entry(e, stream, r, at++));
	}
	return SHEAF_OK;
}

static void put_name(const sheaf_ctf_writer *out, sheaf_builder *b, int stream, bool first)
{
	if (!first) sheaf_builder_byte(b, ' ');
	sheaf_builder_byte(b, '|');
	sheaf_builder_text(b, written_name(&out->schema.fields[stream]));
}

static uint64_t key_of(const encoding *e, int64_t r)
{
	return e->out->key < 0 ? (uint64_t)(e->row + r)
	                       : ((const uint64_t *)(const void *)e->frame->columns[e->out->key].values.data)[r];
}

static void put_id(const encoding *e, int64_t r)
{
	sheaf_builder *b = e->b;
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX)) return;
	b->size = (size_t)(sheaf_print_u64((char *)b->data + b->size, key_of(e, r)) - (char *)b->data);
}

/* The totals have shown that lines need no ids. */
static sheaf_status check_totals(int64_t row, uint64_t key, int64_t lines, sheaf_error *err)
{
	if (lines > 1)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "sequence %" PRId64 ": expected one sample, as the totals say, found %" PRId64, row,
		                  lines);
	if (key != (uint64_t)row)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "sequence %" PRId64
		                  ": expected this number for its key, as the totals say, found %" PRIu64,
		                  row, key);
	return SHEAF_OK;
}

static sheaf_run samples_of(const sheaf_frame *frame, int stream, int64_t r)
{
	return sheaf_level_below_one(&frame->columns[stream].levels[0], r);
}

static sheaf_status put_line(const encoding *e, int64_t r, int64_t line)
{
	bool first = !e->out->ids;
	if (e->out->ids) put_id(e, r);
	for (int s = 0; s < e->frame->ncolumns; s++) {
		if (s == e->out->key) continue;
		sheaf_run samples = samples_of(e->frame, s, r);
		int64_t n = sheaf_run_length(samples);
		if (line >= (n ? n : 1)) continue;
		put_name(e->out, e->b, s, first);
		first = false;
		if (n == 0)
			SHEAF_TRY(lose(e, s, r,
			               SHEAF_FINDING(.rule = "stream without samples",
			                             .expected = "at least one sample of every stream in every sequence",
			                             .found = "none", .consequence = "an empty sample is written")));
		else
			SHEAF_TRY(put_sample(e, s, r, samples.begin + line));
	}
	sheaf_builder_byte(e->b, '\n');
	return SHEAF_OK;
}

static sheaf_status put_row(const encoding *e, int64_t r)
{
	int64_t lines = 1;
	for (int s = 0; s < e->frame->ncolumns; s++)
		if (s != e->out->key && sheaf_run_length(samples_of(e->frame, s, r)) > lines)
			lines = sheaf_run_length(samples_of(e->frame, s, r));
	if (!e->out->ids) SHEAF_TRY(check_totals(e->row + r, key_of(e, r), lines, e->err));
	for (int64_t line = 0; line < lines && !e->b->failed; line++) SHEAF_TRY(put_line(e, r, line));
	return SHEAF_OK;
}

static sheaf_status encode(const void *writer, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	encoding e = {(const sheaf_ctf_writer *)writer, frame, row, b, b->cx, err};
	(void)samples;
	for (int64_t r = 0; r < frame->nrows && !b->failed; r++) SHEAF_TRY(put_row(&e, r));
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
