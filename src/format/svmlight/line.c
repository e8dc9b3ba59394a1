/* SPDX-License-Identifier: MIT */
/* One row: labels, perhaps a query, features, perhaps a comment. An error in any of it leaves out the row.
 *
 *   3.5 qid:7 1:0.25 9:-2 # comment      a number as label
 *   2,5 1:0.25                           several labels, whole numbers, in a sparse stream
 *   3.5:0.1 1:0.25                       a label and its weight, as XGBoost has them
 *   3.5 cost:0.1 1:0.25                  the same, as SVMlight has them
 *
 * Functions that read something say by *ok whether it is sound. If it is not, they have reported it, and
 * their status is that of the report. */
#include "base/context.h"
#include "format/svmlight/svmlight.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static sheaf_status leave_out(const sheaf_svm_decoding *d, const char *rule, const uint8_t *at,
                              const char *stream, const char *expected)
{
	return sheaf_lined_refuse(&d->text, rule, at, stream, expected);
}

static bool ends_word(const sheaf_svm_decoding *d, const uint8_t *at)
{
	return sheaf_lined_ends_word(&sheaf_svm_syntax, at, d->text.end);
}

/* ---- numbers ---- */

static sheaf_status read_number(sheaf_svm_decoding *d, const char *stream, double *out, bool *ok)
{
	return sheaf_lined_read_real(&d->text, d->in->wide ? SHEAF_F64 : SHEAF_F32, stream, out, ok);
}

/* Scans a whole number below the limit, which the text moves past; false if there is none. */
static bool scan_whole(sheaf_svm_decoding *d, uint64_t limit, int64_t *out)
{
	uint64_t value;
	sheaf_scanned scanned = sheaf_scan_u64((const char *)d->text.at, (const char *)d->text.end, &value);
	if (scanned.flaw || value >= limit) return false;
	d->text.at = (const uint8_t *)scanned.end;
	*out = (int64_t)value;
	return true;
}

static sheaf_status read_whole(sheaf_svm_decoding *d, const char *stream, sheaf_finding wanted,
                               uint64_t limit, int64_t *out, bool *ok)
{
	*ok = scan_whole(d, limit, out);
	return *ok ? SHEAF_OK : leave_out(d, wanted.rule, d->text.at, stream, wanted.expected);
}

/* ---- weights ---- */

/* Reads a weight, of which a row has at most one; without a column for it, it is only checked. *ok is
 * false if it is flawed. */
static sheaf_status read_weight(sheaf_svm_decoding *d, bool *ok)
{
	double weight;
	const uint8_t *at = d->text.at;
	SHEAF_TRY(read_number(d, "weight", &weight, ok));
	if (!*ok || !d->weights) return SHEAF_OK;
	if (d->weighed) {
		*ok = false;
		return leave_out(d, "weight twice", at, "weight", "one weight of a row");
	}
	d->weighed = true;
	sheaf_put_real(d->weights, d->in->wide ? SHEAF_F64 : SHEAF_F32, weight);
	return SHEAF_OK;
}

/* ---- labels ---- */

/* Reads one of several labels: a whole number, which is the index of an entry whose value is 1. *ok is
 * false if it is none, or too large; the row is left out then. */
static sheaf_status read_one_of_many(sheaf_svm_decoding *d, bool *ok)
{
	char expected[80];
	int64_t label = 0, dim = sheaf_field_dim(&d->in->schema.fields[0]);
	snprintf(expected, sizeof expected, "a whole label from 0 to %" PRId64 ", since labels are lists",
	         dim - 1);
	const uint8_t *at = d->text.at;
	SHEAF_TRY(read_whole(d, "labels", SHEAF_FINDING(.rule = "not a label", .expected = expected),
	                     (uint64_t)dim, &label, ok));
	if (*ok && !ends_word(d, d->text.at) && *d->text.at != ',') {
		*ok = false;
		return leave_out(d, "not a label", at, "labels", expected);
	}
	if (!*ok) return SHEAF_OK;
	sheaf_svm_put_index(&d->labels, label);
	sheaf_svm_put_value(d, &d->labels, 1);
	return SHEAF_OK;
}

/* The only label, which may be any number. */
static sheaf_status read_label(sheaf_svm_decoding *d, bool *ok)
{
	double label;
	SHEAF_TRY(read_number(d, "label", &label, ok));
	if (*ok) sheaf_svm_put_value(d, &d->labels, label);
	return SHEAF_OK;
}

/* Reads the label, or the label and the weight after it, of a word with a colon. */
static sheaf_status read_pair(sheaf_svm_decoding *d, bool *ok)
{
	const uint8_t *end = d->text.end, *colon = d->text.at;
	while (!ends_word(d, colon) && *colon != ':') colon++;
	if (colon == end || *colon != ':') return read_label(d, ok);
	d->text.end = colon;
	sheaf_status status = read_label(d, ok);
	d->text.end = end;
	d->text.at = colon + 1;
	return status || !*ok ? status : read_weight(d, ok);
}

/* Reads the label or the labels at the beginning of a row. Where rows have lists of labels, one that
 * begins with a feature has none. *ok is false after a flaw. */
static sheaf_status read_labels(sheaf_svm_decoding *d, bool *ok)
{
	const uint8_t *first = d->text.at;
	*ok = true;
	if (!d->in->many) return d->in->paired ? read_pair(d, ok) : read_label(d, ok);
	while (!ends_word(d, first) && *first != ':') first++;
	if (first < d->text.end && *first == ':') return SHEAF_OK;
	for (;;) {
		SHEAF_TRY(read_one_of_many(d, ok));
		if (!*ok || d->text.at == d->text.end || *d->text.at != ',') return SHEAF_OK;
		d->text.at++;
		if (ends_word(d, d->text.at)) return SHEAF_OK; /* some write a comma after the last one, too */
	}
}

/* ---- queries, features, comments ---- */

/* Takes the beginning of the word, if it is this one. */
static bool take_name(sheaf_svm_decoding *d, const char *name)
{
	size_t n = strlen(name);
	d->text.at = sheaf_lined_pass_spaces(&sheaf_svm_syntax, d->text.at, d->text.end);
	if ((size_t)(d->text.end - d->text.at) < n || memcmp(d->text.at, name, n) != 0) return false;
	d->text.at += n;
	return true;
}

/* Reads the id of a query, of which a row has at most one, after "qid:". *ok is false if it is flawed;
 * the row is left out then. Nobody keeps it where d->queries is NULL. */
static sheaf_status read_query(sheaf_svm_decoding *d, bool *ok)
{
	int64_t query = 0;
	const uint8_t *at = d->text.at;
	if (d->queried) {
		*ok = false;
		return leave_out(d, "query id twice", at, "qid", "one query id of a row");
	}
	d->queried = true;
	SHEAF_TRY(read_whole(d, "qid",
	                     SHEAF_FINDING(.rule = "not a query id", .expected = "a whole number below 2^63"),
	                     INT64_MAX, &query, ok));
	if (*ok && !ends_word(d, d->text.at)) {
		*ok = false;
		return leave_out(d, "not a query id", at, "qid", "a whole number below 2^63");
	}
	if (*ok && d->queries) sheaf_builder_i64(d->queries, query);
	return SHEAF_OK;
}

/* Reads a feature's index and its value, without a blank between them. If the number of features was only
 * guessed from the first lines, larger indices are no errors of the row. *ok is false if it is flawed. */
static sheaf_status read_feature(sheaf_svm_decoding *d, bool *ok)
{
	const sheaf_svm_reader *in = d->in;
	int64_t index, dim = sheaf_field_dim(&in->schema.fields[1]);
	uint64_t limit = in->guessed ? INT32_MAX : (uint64_t)dim + (uint64_t)in->base;
	double value;
	const uint8_t *at = d->text.at;
	*ok = scan_whole(d, limit, &index) && index >= in->base;
	if (!*ok) {
		char expected[96];
		snprintf(expected, sizeof expected, "the index of a feature from %d to %" PRId64, in->base,
		         dim - 1 + in->base);
		return leave_out(d, "feature index", at, "features", expected);
	}
	*ok = d->text.at < d->text.end && *d->text.at == ':';
	if (!*ok)
		return leave_out(d, "no ':' after an index", d->text.at, "features",
		                 "':' and a value directly after the index");
	d->text.at++;
	SHEAF_TRY(read_number(d, "features", &value, ok));
	if (!*ok) return SHEAF_OK;
	sheaf_svm_put_index(&d->features, index - in->base);
	sheaf_svm_put_value(d, &d->features, value);
	return SHEAF_OK;
}

/* Reads the features of a row. Most are read many at once; what a kernel leaves is read here, or
 * reported. */
static sheaf_status read_features(sheaf_svm_decoding *d, bool *ok)
{
	*ok = true;
	for (;;) {
		d->text.at = sheaf_lined_pass_spaces(&sheaf_svm_syntax, d->text.at, d->text.end);
		if (sheaf_lined_ends_row(&sheaf_svm_syntax, d->text.at, d->text.end)) return SHEAF_OK;
		if (sheaf_svm_read_many(d)) continue;
		SHEAF_TRY(read_feature(d, ok));
		if (!*ok) return SHEAF_OK;
	}
}

/* Reads the comment after '#' into the comment's column, if the schema has one. SVMlight's files may be
 * in any encoding, so that bytes other than UTF-8 are taken as Latin-1, with a warning. */
static sheaf_status read_comment(sheaf_svm_decoding *d)
{
	if (d->text.at == d->text.end || *d->text.at != '#' || !d->comment) return SHEAF_OK;
	const uint8_t *begin = d->text.at + 1,
				  *feed = (const uint8_t *)memchr(begin, '\n', (size_t)(d->text.end - begin)),
				  *end = feed ? feed : d->text.end;
	d->text.at = end;
	if (end > begin && end[-1] == '\r') end--;
	size_t from = d->comment->values.size;
	sheaf_builder_append(&d->comment->values, begin, (size_t)(end - begin));
	bool latin1 = sheaf_builder_make_utf8(&d->comment->values, from);
	sheaf_column_put_text(d->comment, NULL, 0);
	d->commented = true;
	if (!latin1) return SHEAF_OK;
	return sheaf_lined_report(&d->text, begin, "comment",
	                          SHEAF_FINDING(SHEAF_WARNING, "text that is not UTF-8", SHEAF_UTF8_EXPECTED,
	                                        "other bytes", "it is taken as Latin-1"));
}

/* Reads one row: labels, a query's id and a weight in any order, features, comment. *kept is false if the
 * row has an error and is left out. libsvm and scikit-learn require ascending indices, and say so; their
 * meaning does not depend on it, so that others are only reported. */
sheaf_status sheaf_svm_read_row(sheaf_svm_decoding *d, bool *kept)
{
	char found[64];
	size_t from = d->features.indices->size;
	d->commented = d->queried = d->weighed = false;
	d->text.at = sheaf_lined_pass_spaces(&sheaf_svm_syntax, d->text.at, d->text.end);
	SHEAF_TRY(read_labels(d, kept));
	for (bool query; *kept && ((query = take_name(d, "qid:")) || take_name(d, "cost:"));)
		SHEAF_TRY(query ? read_query(d, kept) : read_weight(d, kept));
	if (*kept) SHEAF_TRY(read_features(d, kept));
	if (!*kept) return SHEAF_OK;
	int64_t index = sheaf_svm_find_descent(&d->features, from);
	if (index >= 0) {
		snprintf(found, sizeof found, "%" PRId64 " after one that is not below", index + d->in->base);
		SHEAF_TRY(sheaf_lined_report(&d->text, d->text.line_start, "features",
		                             SHEAF_FINDING(SHEAF_BREACH, "indices do not ascend",
		                                           "indices that ascend", found, "kept in their order")));
	}
	return read_comment(d);
}
