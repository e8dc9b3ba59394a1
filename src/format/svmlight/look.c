/* SPDX-License-Identifier: MIT */
/* What streams there are: the file does not say how many features it has, from which number they count, or
 * whether rows have one label each. */
#include "base/context.h"
#include "format/svmlight/svmlight.h"
#include "number/number.h"
#include <string.h>

/* ---- looking ---- */

static bool is_digit(uint8_t c) { return (uint8_t)(c - '0') <= 9; }

/* The integer at `at`, as far as it is one; -1 where there is none or it is beyond 62 bits: decoding tells.
 * *end is after it. */
static int64_t whole_at(const uint8_t *at, const uint8_t *end, const uint8_t **after)
{
	int64_t value = 0;
	const uint8_t *first = at;
	while (at < end && is_digit(*at) && value < INT64_MAX / 16) value = value * 10 + (*at++ - '0');
	*after = at;
	return at == first || (at < end && is_digit(*at)) ? -1 : value;
}

static const uint8_t *end_of_word(const uint8_t *at, const uint8_t *end)
{
	while (!sheaf_lined_ends_word(&sheaf_svm_syntax, at, end)) at++;
	return at;
}

/* The labels before the first space: separated by commas, and none where the line begins with a feature. */
static const uint8_t *look_at_labels(sheaf_svm_uses *uses, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *after, *word_end;
	at = sheaf_lined_pass_spaces(&sheaf_svm_syntax, at, end);
	word_end = end_of_word(at, end);
	if (memchr(at, ':', (size_t)(word_end - at))) {
		uses->many = true;
		return at;
	}
	uses->many |= memchr(at, ',', (size_t)(word_end - at)) != NULL;
	while (at < word_end) {
		int64_t label = whole_at(at, word_end, &after);
		if (label > uses->most_label) uses->most_label = label;
		const uint8_t *comma = (const uint8_t *)memchr(at, ',', (size_t)(word_end - at));
		at = comma ? comma + 1 : word_end;
	}
	return word_end;
}

static void look_at_word(sheaf_svm_uses *uses, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *after;
	int64_t index = whole_at(at, end, &after);
	if (end - at >= 4 && memcmp(at, "qid:", 4) == 0) uses->queries = true;
	if (index < 0 || after == end || *after != ':') return;
	if (index > uses->most_index) uses->most_index = index;
	if (index < uses->least_index) uses->least_index = index;
}

/* Returns the next line, or the end. */
static const uint8_t *look_at_line(sheaf_svm_uses *uses, const uint8_t *at, const uint8_t *end)
{
	if (sheaf_lined_is_row(&sheaf_svm_syntax, at, end)) {
		uses->rows++;
		at = look_at_labels(uses, at, end);
		while (at = sheaf_lined_pass_spaces(&sheaf_svm_syntax, at, end),
		       !sheaf_lined_ends_row(&sheaf_svm_syntax, at, end)) {
			const uint8_t *word = at;
			at = end_of_word(at, end);
			look_at_word(uses, word, at);
		}
		uses->comments |= at < end && *at == '#';
	}
	return sheaf_lined_pass_line(at, end);
}

static sheaf_status look_at(void *user, const uint8_t *at, const uint8_t *end, sheaf_error *err)
{
	(void)err;
	while (at < end) at = look_at_line((sheaf_svm_uses *)user, at, end);
	return SHEAF_OK;
}

/* ---- the schema ---- */

static sheaf_status add_stream(sheaf_svm_reader *in, const char *name, bool sparse, int64_t dim,
                               sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, name, strlen(name), &field, err));
	sheaf_field_make_stream(field, sparse, dim < 1 ? 1 : dim, in->wide ? SHEAF_F64 : SHEAF_F32);
	return SHEAF_OK;
}

static sheaf_status add_query(sheaf_svm_reader *in, sheaf_error *err)
{
	sheaf_field *field;
	in->query = in->schema.nfields;
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, "qid", 3, &field, err));
	field->type = SHEAF_I64;
	field->loss = "query id";
	field->usual = -1;
	return SHEAF_OK;
}

static sheaf_status add_comment(sheaf_svm_reader *in, sheaf_error *err)
{
	sheaf_field *field;
	in->comment = in->schema.nfields;
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, "comment", 7, &field, err));
	sheaf_field_make_cell(field, SHEAF_STRING, SHEAF_U8, -1, true);
	field->loss = "comment";
	return SHEAF_OK;
}

/* Indices from 1 on, unless there is a 0 among them, or somebody knows better. */
static int choose_base(const sheaf_svm_reader *in, const char *wanted)
{
	if (wanted && strcmp(wanted, "auto") != 0) return wanted[0] - '0';
	return in->uses.least_index == 0 ? 0 : 1;
}

static sheaf_status make_schema(sheaf_svm_reader *in, const sheaf_values *values, sheaf_error *err)
{
	const sheaf_svm_uses *u = &in->uses;
	const char *precision = sheaf_values_text(values, "precision");
	in->base = choose_base(in, sheaf_values_text(values, "index-base"));
	in->many = u->many || sheaf_values_flag(values, "multilabel");
	in->wide = !precision || strcmp(precision, "double") == 0;
	int64_t dim = sheaf_values_number(values, "features", -1);
	if (dim >= 0) in->guessed = false;
	SHEAF_TRY(add_stream(in, in->many ? "labels" : "label", in->many, in->many ? u->most_label + 1 : 1, err));
	SHEAF_TRY(add_stream(in, "features", true, dim >= 0 ? dim : u->most_index + 1 - in->base, err));
	if (u->queries) SHEAF_TRY(add_query(in, err));
	return u->comments ? add_comment(in, err) : SHEAF_OK;
}

sheaf_status sheaf_svm_look(sheaf_svm_reader *in, const sheaf_values *values, bool glance, sheaf_error *err)
{
	in->uses = (sheaf_svm_uses){.most_index = -1, .least_index = INT64_MAX, .most_label = -1};
	in->query = in->comment = -1;
	SHEAF_TRY(sheaf_lined_look(&in->lined, &glance, look_at, &in->uses, err));
	in->guessed = glance;
	SHEAF_TRY(make_schema(in, values, err));
	in->facts = SHEAF_NO_FACTS;
	in->facts.ordinal_keys = 1;
	in->facts.longest = 1;
	if (!in->guessed && sheaf_max_errors(in->cx) == 0 && !sheaf_is_validating(in->cx))
		in->facts.rows = in->facts.samples = in->uses.rows;
	in->facts.guess = in->guessed ? "inferred from the first 32768 bytes" : "inferred from the whole input";
	return SHEAF_OK;
}
