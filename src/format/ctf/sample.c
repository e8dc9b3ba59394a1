/* SPDX-License-Identifier: MIT */
/* The values of a sample. A dense one is a list of numbers, a sparse one of index:value pairs; a byte that
 * ends a list ends the sample. Anything else rejects the whole sample. */
#include "base/context.h"
#include "format/ctf/ctf.h"
#include "number/kernels/kernel.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char rejected[] = "the sample is left out";

/* Quotes the whole word that is no number; the place is the first invalid byte. */
static sheaf_status report_number(sheaf_ctf_decoding *d, int stream, sheaf_scanned scanned)
{
	char found[CTF_FOUND_SIZE];
	const uint8_t *at = (const uint8_t *)scanned.end;
	bool exponent = scanned.flaw == SHEAF_NUMBER_NO_EXPONENT_DIGIT;
	return sheaf_ctf_report(d, at, stream,
	                        SHEAF_FINDING(SHEAF_ERROR, "not a number",
	                                      exponent ? "a digit of an exponent" : "a number",
	                                      sheaf_ctf_found(at, d->end, found), rejected));
}

static sheaf_status note_number(sheaf_ctf_decoding *d, int stream, const uint8_t *at, sheaf_scanned scanned)
{
	char found[CTF_FOUND_SIZE];
	if (scanned.infinite) {
		bool wide = d->columns[stream].wide_values;
		return sheaf_ctf_report(
			d, at, stream,
			SHEAF_FINDING(SHEAF_WARNING, "value overflow",
		                  wide ? "a value that float64 can hold" : "a value that float32 can hold",
		                  sheaf_ctf_found(at, (const uint8_t *)scanned.end, found), "read as infinity"));
	}
	if (!scanned.unusual || !sheaf_is_validating(d->cx)) return SHEAF_OK;
	return sheaf_ctf_report(d, at, stream,
	                        SHEAF_FINDING(SHEAF_NOTE, "number that CNTK refuses",
	                                      "a digit before the point, and one between a point and an exponent",
	                                      sheaf_ctf_found(at, (const uint8_t *)scanned.end, found)));
}

/* Any float32 can be written with nine significant digits; more of them mean a float64, which loses something
 * unless its value happens to be that of a float32. A value other than 0 that becomes 0 loses everything. */
static void note_rounding(sheaf_ctf_decoding *d, int stream, const uint8_t *at, const uint8_t *end,
                          double read)
{
	enum { KEPT = 9 };
	double exact;
	int digits = 0, zeros = 0; /* zeros: after the last digit that is none */
	sheaf_scan_f64((const char *)at, (const char *)end, &exact);
	if (exact == read || isinf(read)) return;
	for (; at < end && (*at | 0x20) != 'e'; at++) {
		if (!sheaf_ctf_is_digit(*at)) continue;
		zeros = *at == '0' ? zeros + 1 : 0;
		digits += digits || *at != '0';
	}
	if (digits - zeros > KEPT || read == 0) d->columns[stream].rounded++;
}

/* A dense sample has as many values as its stream's dim. A longer one is reported at its beginning, and one
 * that ends early, which the rest of the dim follows as zeros, at its end. At the end of a file without LF,
 * CNTK takes any number of values except none. */
static sheaf_status report_count(sheaf_ctf_decoding *d, int stream, const uint8_t *begin, int64_t count)
{
	char expected[112], found[32];
	int64_t dim = d->columns[stream].dim;
	bool longer = count > dim;
	snprintf(expected, sizeof expected, "%s%" PRId64 " values%s", longer ? "at most " : "", dim,
	         longer && d->in->guessed ? " (as in the first part; declare the stream to read more)" : "");
	snprintf(found, sizeof found, "%" PRId64, count);
	if (longer)
		return sheaf_ctf_report(
			d, begin, stream, SHEAF_FINDING(SHEAF_ERROR, "dense sample too long", expected, found, rejected));
	return sheaf_ctf_report(
		d, d->at, stream,
		count == 0 && d->at == d->end
			? SHEAF_FINDING(SHEAF_ERROR, "dense sample without values", expected, "the end of the file",
	                        rejected)
			: SHEAF_FINDING(SHEAF_BREACH, "dense sample too short", expected, found, "the rest is zeros"));
}

static sheaf_status report_found(sheaf_ctf_decoding *d, const char *rule, int stream, const char *expected)
{
	char found[CTF_FOUND_SIZE];
	return sheaf_ctf_report(
		d, d->at, stream,
		SHEAF_FINDING(SHEAF_ERROR, rule, expected, sheaf_ctf_found(d->at, d->end, found), rejected));
}

static void pass_space(sheaf_ctf_decoding *d)
{
	while (d->at < d->end && sheaf_ctf_is(*d->at, CTF_SPACE)) d->at++;
}

static bool ends_values(const sheaf_ctf_decoding *d)
{
	return d->at == d->end || sheaf_ctf_is(*d->at, CTF_ENDS_VALUES);
}

/* A number may follow another without a space if a sign separates them, as in "1+2": CNTK reads it like
 * that. */
static sheaf_status check_separated(sheaf_ctf_decoding *d, int stream, bool *ok)
{
	char found[CTF_FOUND_SIZE];
	*ok = (*d->at == '+' || *d->at == '-') && d->at + 1 < d->end && sheaf_ctf_is_digit(d->at[1]);
	if (!*ok) return report_found(d, "not a number", stream, "a space between values");
	return sheaf_ctf_report(d, d->at, stream,
	                        SHEAF_FINDING(SHEAF_BREACH, "values not separated", "a space between values",
	                                      sheaf_ctf_found(d->at, d->end, found),
	                                      "read as a value of its own"));
}

static uint64_t index_limit(const sheaf_ctf_decoding *d, int stream)
{
	return d->in->guessed ? INT64_MAX : (uint64_t)d->columns[stream].dim;
}

static sheaf_status read_index(sheaf_ctf_decoding *d, int stream, int64_t *index, bool *ok)
{
	char expected[48], found[CTF_FOUND_SIZE];
	const uint8_t *at = d->at;
	uint64_t read;
	bool over;
	*ok = false;
	if (!sheaf_ctf_read_id(&d->at, d->end, &read, &over))
		return report_found(d, "not an index", stream, "an index");
	if (over || read >= index_limit(d, stream)) {
		snprintf(expected, sizeof expected, "an index below %" PRId64, d->columns[stream].dim);
		return sheaf_ctf_report(
			d, at, stream,
			SHEAF_FINDING(SHEAF_ERROR, "index range", expected, sheaf_ctf_found(at, d->at, found), rejected));
	}
	if (d->at == d->end || *d->at != ':')
		return report_found(d, "no ':' after an index", stream, "':' and a value directly after the index");
	d->at++;
	*index = (int64_t)read;
	*ok = true;
	return SHEAF_OK;
}

/* ---- many at once ---- */

/* A column's first values in a piece are read without a kernel, which needs room for many: if a row has a
 * million streams, most have only one value. */
enum { FEW = 4 };

static sheaf_numbers begin_run(const sheaf_ctf_decoding *d, const sheaf_ctf_column *column, size_t value_size)
{
	return (sheaf_numbers){.delimiters = &sheaf_ctf_delimiters,
	                       .at = d->at,
	                       .end = d->end,
	                       .values = column->values->data + column->values->size,
	                       .room = (column->values->capacity - column->values->size) / value_size};
}

/* A float32 always holds the digits of short texts. */
enum { SHORT_NUMBER = 6 };
#define T float
#define NAME f32
#define NOTE_ROUNDING(d, stream, at, value) \
	if ((d)->at - (at) > SHORT_NUMBER || ((value) == 0 && (d)->at - (at) > 1)) \
	note_rounding(d, stream, at, (d)->at, (double)(value))
#include "format/ctf/sample_template.h"
#define T double
#define NAME f64
#define NOTE_ROUNDING(d, stream, at, value) (void)0
#include "format/ctf/sample_template.h"

sheaf_status sheaf_ctf_read_sample(sheaf_ctf_decoding *d, int stream, bool *kept)
{
	static sheaf_status (*const readers[2][2])(sheaf_ctf_decoding *, int, bool *) = {
		{read_dense_f32, read_dense_f64}, {read_sparse_f32, read_sparse_f64}};
	sheaf_ctf_column *column = &d->columns[stream];
	size_t values = column->values->size, indices = column->indices->size;
	*kept = false;
	SHEAF_TRY(readers[column->sparse][column->wide_values](d, stream, kept));
	SHEAF_TRY(sheaf_builder_status(column->values, d->err));
	SHEAF_TRY(sheaf_builder_status(column->indices, d->err));
	if (!*kept) {
		column->values->size = values;
		column->indices->size = indices;
		return SHEAF_OK;
	}
	sheaf_ctf_add_samples(d, stream, 1);
	size_t size = column->wide_values ? sizeof(double) : sizeof(float);
	if (column->sparse) sheaf_builder_i64(column->entries, (int64_t)(column->values->size / size));
	return SHEAF_OK;
}
