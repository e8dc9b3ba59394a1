/* SPDX-License-Identifier: MIT */
/* One line: an entry, nothing, or what is wrong with it. What a number is, the scanner says; beside that
 * there are the words for what is no finite number. */
#include "base/context.h"
#include "format/matrixmarket/matrixmarket.h"
#include "number/nonfinite.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static sheaf_status refuse(const sheaf_mtx_decoding *d, const char *rule, const uint8_t *at,
                           const char *expected)
{
	return sheaf_lined_report_at(&d->text, SHEAF_FATAL, rule, at, NULL, expected, NULL);
}

static void pass_spaces(sheaf_mtx_decoding *d)
{
	d->text.at = sheaf_lined_pass_spaces(&sheaf_mtx_syntax, d->text.at, d->text.end);
}

static bool ends_word(const sheaf_mtx_decoding *d, const uint8_t *at)
{
	return sheaf_lined_ends_word(&sheaf_mtx_syntax, at, d->text.end);
}

/* ---- coordinates ---- */

static sheaf_status read_coordinate(sheaf_mtx_decoding *d, const char *what, int64_t limit, int64_t *out,
                                    bool *ok)
{
	char expected[64];
	uint64_t value;
	pass_spaces(d);
	const uint8_t *at = d->text.at;
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at, (const char *)d->text.end, &value);
	d->text.at = (const uint8_t *)scanned.end;
	*ok = false;
	if (scanned.flaw == SHEAF_NUMBER_NO_DIGIT || !ends_word(d, d->text.at)) {
		snprintf(expected, sizeof expected, "the number of a %s", what);
		return refuse(d, "not a coordinate", at, expected);
	}
	if (scanned.flaw || value < 1 || value > (uint64_t)limit) {
		snprintf(expected, sizeof expected, "a %s from 1 to %" PRId64, what, limit);
		return refuse(d, "coordinate range", at, expected);
	}
	*out = (int64_t)value - 1;
	*ok = true;
	return SHEAF_OK;
}

/* ---- values ---- */

static sheaf_status read_real(sheaf_mtx_decoding *d, double *out, bool *ok)
{
	const uint8_t *at = d->text.at;
	const uint8_t *word_end = sheaf_scan_nonfinite(at, d->text.end, out);
	*ok = word_end && ends_word(d, word_end);
	if (*ok) d->text.at = word_end;
	if (*ok) return SHEAF_OK;
	sheaf_scanned scanned = sheaf_scan_f64((const char *)at, (const char *)d->text.end, out);
	d->text.at = (const uint8_t *)scanned.end;
	*ok = scanned.flaw == SHEAF_NUMBER_OK && ends_word(d, d->text.at);
	if (!*ok) return refuse(d, "not a number", scanned.flaw ? d->text.at : at, "a number");
	if (!scanned.infinite) return SHEAF_OK;
	return sheaf_lined_report_at(&d->text, SHEAF_WARNING, "value overflow", at, NULL,
	                             "a value that float64 can hold", "read as infinity");
}

/* An integer, as the bits of its 64. */
static sheaf_status read_integer(sheaf_mtx_decoding *d, bool is_signed, int64_t *out, bool *ok)
{
	uint64_t value;
	const uint8_t *at = d->text.at;
	bool negative = at < d->text.end && *at == '-';
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at + (at < d->text.end && (negative || *at == '+')),
	                                       (const char *)d->text.end, &value);
	d->text.at = (const uint8_t *)scanned.end;
	*ok = false;
	if (scanned.flaw == SHEAF_NUMBER_NO_DIGIT || !ends_word(d, d->text.at))
		return refuse(d, "not an integer", at, "an integer");
	if (!is_signed && (scanned.flaw || (negative && value)))
		return refuse(d, "integer range", at, "an integer from 0 to 18446744073709551615");
	if (is_signed && (scanned.flaw || value > (uint64_t)INT64_MAX + negative))
		return refuse(d, "integer range", at,
		              "an integer of 64 bits, from -9223372036854775808 to 9223372036854775807");
	value = negative ? 0 - value : value;
	memcpy(out, &value, sizeof *out);
	*ok = true;
	return SHEAF_OK;
}

static sheaf_status read_numbers(sheaf_mtx_decoding *d, int n, double *out, bool *ok)
{
	*ok = true;
	for (int k = 0; k < n && *ok; k++) {
		pass_spaces(d);
		SHEAF_TRY(read_real(d, &out[k], ok));
	}
	if (*ok) sheaf_builder_append(d->values, out, (size_t)n * sizeof *out);
	return SHEAF_OK;
}

static sheaf_status read_value(sheaf_mtx_decoding *d, bool *ok)
{
	double numbers[2];
	int64_t integer = 0;
	pass_spaces(d);
	switch (d->in->field) {
	case MTX_REAL: return read_numbers(d, 1, numbers, ok);
	case MTX_COMPLEX: return read_numbers(d, 2, numbers, ok);
	case MTX_PATTERN: sheaf_builder_byte(d->values, 1); return SHEAF_OK;
	default: break;
	}
	SHEAF_TRY(read_integer(d, d->in->field == MTX_INTEGER, &integer, ok));
	if (*ok) sheaf_builder_i64(d->values, integer);
	return SHEAF_OK;
}

/* ---- lines ---- */

static sheaf_status read_place(sheaf_mtx_decoding *d, int64_t *i, int64_t *j, bool *ok)
{
	const sheaf_mtx_reader *in = d->in;
	char expected[96];
	if (!in->array) {
		SHEAF_TRY(read_coordinate(d, "row", in->rows, i, ok));
		return *ok ? read_coordinate(d, "column", in->columns, j, ok) : SHEAF_OK;
	}
	*ok = d->entry < in->entries;
	*i = d->row;
	*j = d->column;
	if (*ok) return SHEAF_OK;
	snprintf(expected, sizeof expected, "no more values than %" PRId64 ", as the sizes say", in->entries);
	return refuse(d, "too many entries", d->text.at, expected);
}

/* The whole line or nothing: a value that was read goes again where something else stands after it. */
static sheaf_status read_entry(sheaf_mtx_decoding *d)
{
	int64_t i = 0, j = 0;
	bool ok;
	size_t before = d->values->size;
	SHEAF_TRY(read_place(d, &i, &j, &ok));
	if (ok) SHEAF_TRY(read_value(d, &ok));
	pass_spaces(d);
	bool ended = sheaf_lined_ends_row(&sheaf_mtx_syntax, d->text.at, d->text.end);
	if (ok && !ended) SHEAF_TRY(refuse(d, "text after an entry", d->text.at, "the end of the line"));
	if (ok && ended)
		sheaf_mtx_put_entry(d, i, j);
	else
		d->values->size = before;
	return SHEAF_OK;
}

static sheaf_status pass_comment(sheaf_mtx_decoding *d)
{
	return sheaf_lined_report(&d->text, SHEAF_BREACH, "comment among the entries", d->text.at, NULL,
	                          "an entry, since comments stand before the sizes", "a comment",
	                          "it is passed over");
}

sheaf_status sheaf_mtx_read_line(sheaf_mtx_decoding *d)
{
	d->text.line_start = d->text.at;
	pass_spaces(d);
	bool blank = d->text.at == d->text.end || *d->text.at == '\n', comment = !blank && *d->text.at == '%';
	if (comment) SHEAF_TRY(pass_comment(d));
	if (!blank && !comment) {
		SHEAF_TRY(read_entry(d));
		if (d->in->array && d->entry < d->in->entries) sheaf_mtx_pass_places(d, 1);
	}
	d->text.at = sheaf_lined_pass_line(d->text.at, d->text.end);
	d->text.line++;
	return sheaf_builder_status(d->values, d->text.err);
}
