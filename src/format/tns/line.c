/* SPDX-License-Identifier: MIT */
/* One line: an entry, nothing, or what is wrong with it. */
#include "base/context.h"
#include "format/tns/tns.h"
#include "number/nonfinite.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static sheaf_status refuse(const sheaf_tns_decoding *d, const char *rule, const uint8_t *at,
                           const char *expected)
{
	return sheaf_lined_report_at(&d->text, SHEAF_FATAL, rule, at, NULL, expected, NULL);
}

static void pass_spaces(sheaf_tns_decoding *d)
{
	d->text.at = sheaf_lined_pass_spaces(&sheaf_tns_syntax, d->text.at, d->text.end);
}

static bool ends_word(const sheaf_tns_decoding *d, const uint8_t *at)
{
	return sheaf_lined_ends_word(&sheaf_tns_syntax, at, d->text.end);
}

static sheaf_status read_coordinate(sheaf_tns_decoding *d, int c, int64_t *out, bool *ok)
{
	char expected[64];
	uint64_t value;
	int64_t limit = d->in->schema.tensor.shape[c];
	const uint8_t *at = d->text.at;
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at, (const char *)d->text.end, &value);
	d->text.at = (const uint8_t *)scanned.end;
	*ok = !scanned.flaw && ends_word(d, d->text.at) && value >= 1 && value <= (uint64_t)limit;
	*out = (int64_t)(value - 1);
	if (!*ok && d->in->inferred && !scanned.flaw && ends_word(d, d->text.at) && value >= 1 &&
	    value <= INT64_MAX)
		*ok = d->beyond = true;
	if (*ok) return SHEAF_OK;
	if (scanned.flaw == SHEAF_NUMBER_NO_DIGIT || !ends_word(d, d->text.at)) {
		snprintf(expected, sizeof expected, "coordinate %d of %d", c + 1, d->in->rank);
		return refuse(d, "not a coordinate", at, expected);
	}
	snprintf(expected, sizeof expected,
	         d->in->inferred ? "a coordinate from 1 on" : "a coordinate from 1 to %" PRId64, limit);
	return refuse(d, "coordinate range", at, expected);
}

static sheaf_status read_integer(sheaf_tns_decoding *d, bool *ok)
{
	uint64_t value;
	const uint8_t *at = d->text.at;
	bool negative = at < d->text.end && *at == '-';
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at + negative, (const char *)d->text.end, &value);
	d->text.at = (const uint8_t *)scanned.end;
	*ok = !scanned.flaw && ends_word(d, d->text.at) && value <= (uint64_t)INT64_MAX + negative;
	if (!*ok) return refuse(d, "not an integer", at, "an integer of 64 bits");
	value = negative ? 0 - value : value;
	sheaf_builder_append(d->values, &value, sizeof value);
	return SHEAF_OK;
}

static sheaf_status read_real(sheaf_tns_decoding *d, bool *ok)
{
	double value;
	const uint8_t *at = d->text.at, *word_end = sheaf_scan_nonfinite(at, d->text.end, &value);
	sheaf_scanned scanned = {.flaw = SHEAF_NUMBER_OK};
	if (!word_end) scanned = sheaf_scan_f64((const char *)at, (const char *)d->text.end, &value);
	d->text.at = word_end ? word_end : (const uint8_t *)scanned.end;
	*ok = !scanned.flaw && ends_word(d, d->text.at);
	if (!*ok) return refuse(d, "not a number", scanned.flaw ? d->text.at : at, "a number");
	sheaf_builder_append(d->values, &value, sizeof value);
	if (!scanned.infinite) return SHEAF_OK;
	return sheaf_lined_report_at(&d->text, SHEAF_WARNING, "value overflow", at, NULL,
	                             "a value that float64 can hold", "read as infinity");
}

/* The whole line or nothing. */
static sheaf_status read_entry(sheaf_tns_decoding *d)
{
	int64_t at[SHEAF_MAX_RANK];
	size_t before = d->values->size;
	bool ok = true;
	d->beyond = false;
	for (int c = 0; c < d->in->rank && ok; c++) {
		pass_spaces(d);
		SHEAF_TRY(read_coordinate(d, c, &at[c], &ok));
	}
	pass_spaces(d);
	if (ok) SHEAF_TRY(d->in->integers ? read_integer(d, &ok) : read_real(d, &ok));
	pass_spaces(d);
	bool ended = sheaf_lined_ends_row(&sheaf_tns_syntax, d->text.at, d->text.end);
	if (ok && !ended) SHEAF_TRY(refuse(d, "text after an entry", d->text.at, "the end of the line"));
	if (ok && ended && d->beyond)
		SHEAF_TRY(refuse(d, "coordinate range", d->text.line_start,
		                 d->in->guessed ? "coordinates as in the first part (--dims says more)"
		                                : "coordinates as when the shape was inferred"));
	if (ok && ended && !d->beyond)
		sheaf_tns_put_entry(d, at);
	else
		d->values->size = before;
	return SHEAF_OK;
}

sheaf_status sheaf_tns_read_line(sheaf_tns_decoding *d)
{
	d->text.line_start = d->text.at;
	if (sheaf_lined_is_row(&sheaf_tns_syntax, d->text.at, d->text.end)) SHEAF_TRY(read_entry(d));
	d->text.at = sheaf_lined_pass_line(d->text.at, d->text.end);
	d->text.line++;
	return sheaf_builder_status(d->values, d->text.err);
}
