/* SPDX-License-Identifier: MIT */
/* Which streams there are: the file does not say how many features it has, at which number they begin, or
 * whether rows have one label each. */
#include "base/context.h"
#include "base/endian.h"
#include "base/spell.h"
#include "format/svmlight/svmlight.h"
#include "io/source.h"
#include "number/digits.h"
#include "number/number.h"
#include <string.h>

/* ---- looking ---- */

static bool is_digit(uint8_t c) { return (uint8_t)(c - '0') <= 9; }

/* Gives the whole number at `at`, or -1 if there is none or it may not fit 64 bits, which decoding reports.
 * *after becomes the first byte behind the digits that were read. */
static int64_t whole_at(const uint8_t *at, const uint8_t *end, const uint8_t **after)
{
	int64_t value = 0;
	const uint8_t *first = at;
	while (at < end && is_digit(*at) && value < INT64_MAX / 16) value = value * 10 + (*at++ - '0');
	*after = at;
	return at == first || (at < end && is_digit(*at)) ? -1 : value;
}

/* The high bits of bytes up to a space, or '#'; those above the lowest may be wrong. */
static uint64_t marks_of(uint64_t bytes)
{
	const uint64_t each = UINT64_C(0x0101010101010101), high = each * 0x80;
	uint64_t stops = bytes ^ (each * '#');
	return (((bytes - each * (' ' + 1)) & ~bytes) | ((stops - each) & ~stops)) & high;
}

/* Returns the end of the word at `at`: it passes eight bytes at a time, up to one that may be its end. */
static const uint8_t *end_of_word(const uint8_t *at, const uint8_t *end)
{
	for (;;) {
		uint64_t marks = 0;
		while ((size_t)(end - at) >= sizeof marks && !(marks = marks_of(sheaf_load_u64le(at))))
			at += sizeof marks;
		if (marks) at += sheaf_zeros_before(marks);
		while (at<end && * at> ' ' && *at != '#') at++;
		if (sheaf_lined_ends_word(&sheaf_svm_syntax, at, end)) return at;
		at++;
	}
}

/* Whether the word there comes before all features. */
static bool is_named(const uint8_t *at, const uint8_t *end)
{
	return end - at >= 5 && (memcmp(at, "qid:", 4) == 0 || memcmp(at, "cost:", 5) == 0);
}

/* Notes a word with a colon at the beginning of a row: a label and its weight, or a feature of a row
 * without labels. An index in the next word that is not larger shows that the first one is no feature.
 * Returns the word itself if it is neither, for decoding to report, else the end of it. */
static const uint8_t *look_at_pair(sheaf_svm_uses *uses, const uint8_t *begin, const uint8_t *at,
                                   const uint8_t *end)
{
	const uint8_t *after, *word_end = end_of_word(at, end), *next;
	int64_t index = whole_at(at, end, &after), following;
	if (!is_digit(*at) && !(strchr("+-.", *at) && at + 1 < end && (is_digit(at[1]) || at[1] == '.'))) {
		uses->several |= is_named(at, end);
		return at;
	}
	uses->pairs++;
	uses->spaced |= at > begin;
	if (index < 0 || *after != ':') {
		uses->weighted = true;
		return word_end;
	}
	if (index > uses->most_first) uses->most_first = index;
	if (index < uses->least_first) uses->least_first = index;
	next = sheaf_lined_pass_spaces(&sheaf_svm_syntax, word_end, end);
	following = whole_at(next, end, &after);
	uses->weighted |= is_named(next, end);
	uses->weighted |= following >= 0 && after < end && *after == ':' && following <= index;
	return word_end;
}

/* Notes the labels before the first space, which commas separate, and returns the end of them; there are
 * none if the line begins with a feature. */
static const uint8_t *look_at_labels(sheaf_svm_uses *uses, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *after, *word_end, *begin = at;
	at = sheaf_lined_pass_spaces(&sheaf_svm_syntax, at, end);
	word_end = end_of_word(at, end);
	uses->several |= memchr(at, ',', (size_t)(word_end - at)) != NULL;
	if (memchr(at, ':', (size_t)(word_end - at))) return look_at_pair(uses, begin, at, end);
	while (at < word_end) {
		int64_t label = whole_at(at, word_end, &after);
		if (label > uses->most_label) uses->most_label = label;
		const uint8_t *comma = (const uint8_t *)memchr(at, ',', (size_t)(word_end - at));
		at = comma ? comma + 1 : word_end;
	}
	return word_end;
}

/* Notes a word after the labels: a feature, a query's id or a weight. */
static void look_at_word(sheaf_svm_uses *uses, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *after;
	int64_t index = whole_at(at, end, &after);
	if (index < 0 && end - at >= 5) {
		uses->queries |= memcmp(at, "qid:", 4) == 0;
		uses->costs |= memcmp(at, "cost:", 5) == 0;
	}
	if (index < 0 || after == end || *after != ':') return;
	if (uses->rows == 1) uses->triples |= memchr(after + 1, ':', (size_t)(end - after - 1)) != NULL;
	if (index > uses->most_index) uses->most_index = index;
	if (index < uses->least_index) uses->least_index = index;
}

/* Notes what a line shows, and returns the next line, or the end. A comment that our own writer puts
 * there (SVM_LISTS) says that labels are lists, if no row shows it. */
static const uint8_t *look_at_line(sheaf_svm_uses *uses, const uint8_t *at, const uint8_t *end)
{
	const size_t lists = strlen(SVM_LISTS);
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
	} else if ((size_t)(end - at) >= lists && memcmp(at, SVM_LISTS, lists) == 0) {
		const uint8_t *after = at + lists;
		uses->several |= after == end || *after == '\n' || *after == '\r';
	}
	return sheaf_lined_pass_line(at, end);
}

static sheaf_status see(void *shown, const uint8_t *at, const uint8_t *end, sheaf_error *err)
{
	(void)err;
	while (at < end) at = look_at_line((sheaf_svm_uses *)shown, at, end);
	return SHEAF_OK;
}

static void begin(void *shown)
{
	*(sheaf_svm_uses *)shown = (sheaf_svm_uses){.most_index = -1,
	                                            .least_index = INT64_MAX,
	                                            .most_first = -1,
	                                            .least_first = INT64_MAX,
	                                            .most_label = -1};
}

static int64_t more(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t less(int64_t a, int64_t b) { return a < b ? a : b; }

/* Adds what the rows of a later part show to what those before it show. Only the input's first row says
 * whether there are triples (field:index:value). */
static void add(void *shown, const void *after)
{
	sheaf_svm_uses *a = (sheaf_svm_uses *)shown;
	const sheaf_svm_uses *b = (const sheaf_svm_uses *)after;
	a->triples |= a->rows == 0 && b->triples;
	a->rows += b->rows;
	a->pairs += b->pairs;
	a->most_index = more(a->most_index, b->most_index);
	a->least_index = less(a->least_index, b->least_index);
	a->most_first = more(a->most_first, b->most_first);
	a->least_first = less(a->least_first, b->least_first);
	a->most_label = more(a->most_label, b->most_label);
	a->several |= b->several;
	a->queries |= b->queries;
	a->costs |= b->costs;
	a->comments |= b->comments;
	a->spaced |= b->spaced;
	a->weighted |= b->weighted;
}

/* ---- the schema ---- */

/* A stream of the schema, of at least one value, since a dim of 0 is none. */
static sheaf_status add_stream(sheaf_svm_reader *in, const char *name, bool sparse, int64_t dim,
                               sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, name, strlen(name), &field, err));
	sheaf_field_make_stream(field, sparse, dim < 1 ? 1 : dim, in->wide ? SHEAF_F64 : SHEAF_F32);
	return SHEAF_OK;
}

/* A column beside the streams, and its number. */
static sheaf_status add_column(sheaf_svm_reader *in, const char *name, int *number, sheaf_field **out,
                               sheaf_error *err)
{
	*number = in->schema.nfields;
	return sheaf_schema_add(&in->schema, in->cx, name, strlen(name), out, err);
}

/* ---- labels or features ---- */

/* Decides what a pair at the beginning of a row is (in->paired: a label and its weight). If rows have
 * lists of labels, it is a feature of a row without any; otherwise it is a label and its weight if one of
 * them shows it, or if all rows begin with a pair. `wanted` is the setting, or NULL. */
static sheaf_status choose_pairs(sheaf_svm_reader *in, const char *wanted, sheaf_error *err)
{
	sheaf_svm_uses *u = &in->uses;
	bool all_begin_so = u->pairs == u->rows && !u->spaced;
	if (u->pairs && wanted && strcmp(wanted, "cost") == 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "labels",
		                         " cost: expected a label at the beginning of each row of %s, found "
		                         "number:number in some (weighted: a label and its weight; list: a feature)",
		                         sheaf_source_name(in->lined.source));
	in->paired = u->pairs && !u->several && (u->weighted || all_begin_so);
	if (wanted && strcmp(wanted, "auto") != 0) in->paired = strcmp(wanted, "weighted") == 0;
	if (in->paired) return SHEAF_OK;
	u->most_index = more(u->most_index, u->most_first); /* the pairs are features, too */
	u->least_index = less(u->least_index, u->least_first);
	return SHEAF_OK;
}

/* Makes the schema of label, features and those other columns that some row has. Indices begin with 1,
 * unless there is a 0 among them, or a setting says otherwise. A setting for the number of features
 * counts more than what was seen. */
static sheaf_status make_schema(sheaf_svm_reader *in, const sheaf_values *values, sheaf_error *err)
{
	const sheaf_svm_uses *u = &in->uses;
	const char *precision = sheaf_values_text(values, "element-type"),
			   *base = sheaf_values_text(values, "index-base"), *labels = sheaf_values_text(values, "labels");
	sheaf_field *field;
	SHEAF_TRY(choose_pairs(in, labels, err));
	in->base = base && strcmp(base, "auto") != 0 ? base[0] - '0' : u->least_index != 0;
	in->many = u->several || (u->pairs && !in->paired) || (labels && strcmp(labels, "list") == 0);
	in->wide = !precision || strcmp(precision, "double") == 0;
	int64_t dim = sheaf_values_number(values, "shape", -1);
	if (dim >= 0) in->guessed = false;
	SHEAF_TRY(add_stream(in, in->many ? "labels" : "label", in->many, in->many ? u->most_label + 1 : 1, err));
	SHEAF_TRY(add_stream(in, "features", true, dim >= 0 ? dim : u->most_index + 1 - in->base, err));
	if (u->queries) {
		SHEAF_TRY(add_column(in, "qid", &in->query, &field, err));
		field->type = SHEAF_I64;
		field->loss = "query id";
		field->usual = -1;
	}
	if (in->paired || u->costs) {
		SHEAF_TRY(add_column(in, "weight", &in->weight, &field, err));
		field->type = in->wide ? SHEAF_F64 : SHEAF_F32;
		field->loss = "weight";
		field->usual = 1;
	}
	if (!u->comments) return SHEAF_OK;
	SHEAF_TRY(add_column(in, "comment", &in->comment, &field, err));
	sheaf_field_make_cell(field, SHEAF_STRING, SHEAF_U8, -1, true);
	field->loss = "comment";
	return SHEAF_OK;
}

/* Looks at the rows, all of them or with `glance` the first ones, and makes the schema. A doubt is
 * reported: all rows begin with a pair, and nothing shows whether it is a label and its weight or a
 * feature. The number of rows is known only where none is left out. */
sheaf_status sheaf_svm_look(sheaf_svm_reader *in, const sheaf_values *values, bool glance, sheaf_error *err)
{
	static const sheaf_lined_survey survey = {sizeof in->uses, begin, see, add};
	const char *labels = sheaf_values_text(values, "labels"), *file = sheaf_source_name(in->lined.source);
	in->query = in->weight = in->comment = -1;
	SHEAF_TRY(sheaf_lined_look(&in->lined, &glance, &survey, &in->uses, err));
	in->guessed = glance;
	if (in->uses.triples)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected features as index:value, found field:index:value, as libffm has them",
		                  file);
	SHEAF_TRY(make_schema(in, values, err));
	if (in->paired && !in->uses.weighted && (!labels || strcmp(labels, "auto") == 0)) {
		sheaf_problem problem = sheaf_problem_in(
			file, &SHEAF_FINDING(SHEAF_WARNING, "label or feature", "a label at the beginning of each row",
		                         "number:number in all of them",
		                         "they are labels and their weights (" SHEAF_OPTION(
									 "labels") " list: features of rows without labels)"));
		SHEAF_TRY(sheaf_report(in->cx, &problem, err));
	}
	in->facts = SHEAF_NO_FACTS;
	in->facts.ordinal_keys = 1;
	in->facts.longest = 1;
	if (!in->guessed && !sheaf_leaves_out(in->cx) && !sheaf_is_validating(in->cx))
		in->facts.rows = in->facts.samples = in->uses.rows;
	in->facts.guess = in->guessed ? "inferred from the first 32768 bytes" : "inferred from the whole input";
	return SHEAF_OK;
}
