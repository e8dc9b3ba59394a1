/* SPDX-License-Identifier: MIT */
/* One line: an entry, nothing, or what is wrong with it. */
#include "base/context.h"
#include "format/tns/tns.h"
#include "number/nonfinite.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static sheaf_status report(sheaf_tns_decoding *d, sheaf_severity severity, const char *rule, const uint8_t *at, const char *expected, const char *found,
                           const char *consequence)
{
	sheaf_problem problem = {severity, SHEAF_DATA, rule, SHEAF_NOWHERE, expected, found, consequence};
	problem.place.file = sheaf_source_name(d->in->source);
	problem.place.line = d->line;
	problem.place.column = at - d->line_start + 1;
	problem.place.byte = d->piece->byte + (at - d->begin);
	return sheaf_report(d->cx, &problem, d->err);
}

static const char *found_at(const sheaf_tns_decoding *d, const uint8_t *at, char text[SHEAF_SHOWN_SIZE])
{
	while (at < d->end && *at == '\r') at++;
	return sheaf_show(at, d->end, '#', text);
}

static sheaf_status refuse(sheaf_tns_decoding *d, const char *rule, const uint8_t *at, const char *expected)
{
	char found[SHEAF_SHOWN_SIZE];
	return report(d, SHEAF_FATAL, rule, at, expected, found_at(d, at, found), NULL);
}

static void pass_spaces(sheaf_tns_decoding *d)
{
	while (d->at < d->end && sheaf_tns_is_space(*d->at)) d->at++;
}

static bool ends_word(const sheaf_tns_decoding *d, const uint8_t *at) { return at == d->end || *at == '\n' || *at == '#' || sheaf_tns_is_space(*at); }

static sheaf_status read_coordinate(sheaf_tns_decoding *d, int c, int64_t *out, bool *ok)
{
	char expected[64];
	uint64_t value;
	int64_t limit = d->in->schema.tensor.shape[c];
	const uint8_t *at = d->at;
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at, (const char *)d->end, &value);
	d->at = (const uint8_t *)scanned.end;
	*ok = !scanned.flaw && ends_word(d, d->at) && value >= 1 && value <= (uint64_t)limit;
	*out = (int64_t)(value - 1);
	if (!*ok && d->in->inferred && !scanned.flaw && ends_word(d, d->at) && value >= 1 && value <= INT64_MAX) *ok = d->beyond = true;
	if (*ok) return SHEAF_OK;
	if (scanned.flaw == SHEAF_NUMBER_NO_DIGIT || !ends_word(d, d->at)) {
		snprintf(expected, sizeof expected, "coordinate %d of %d", c + 1, d->in->rank);
		return refuse(d, "not a coordinate", at, expected);
	}
	snprintf(expected, sizeof expected, d->in->inferred ? "a coordinate from 1 on" : "a coordinate from 1 to %" PRId64, limit);
	return refuse(d, "coordinate range", at, expected);
}

static sheaf_status read_integer(sheaf_tns_decoding *d, bool *ok)
{
	uint64_t value;
	const uint8_t *at = d->at;
	bool negative = at < d->end && *at == '-';
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at + negative, (const char *)d->end, &value);
	d->at = (const uint8_t *)scanned.end;
	*ok = !scanned.flaw && ends_word(d, d->at) && value <= (uint64_t)INT64_MAX + negative;
	if (!*ok) return refuse(d, "not an integer", at, "an integer of 64 bits");
	value = negative ? 0 - value : value;
	sheaf_builder_append(&d->values, &value, sizeof value);
	return SHEAF_OK;
}

static sheaf_status read_real(sheaf_tns_decoding *d, bool *ok)
{
	char found[SHEAF_SHOWN_SIZE];
	double value;
	const uint8_t *at = d->at, *word_end = sheaf_scan_nonfinite(at, d->end, &value);
	sheaf_scanned scanned = {.flaw = SHEAF_NUMBER_OK};
	if (!word_end) scanned = sheaf_scan_f64((const char *)at, (const char *)d->end, &value);
	d->at = word_end ? word_end : (const uint8_t *)scanned.end;
	*ok = !scanned.flaw && ends_word(d, d->at);
	if (!*ok) return refuse(d, "not a number", scanned.flaw ? d->at : at, "a number");
	sheaf_builder_append(&d->values, &value, sizeof value);
	if (!scanned.infinite) return SHEAF_OK;
	return report(d, SHEAF_WARNING, "value overflow", at, "a value that float64 can hold", found_at(d, at, found), "read as infinity");
}

/* The whole line or nothing. */
static sheaf_status read_entry(sheaf_tns_decoding *d)
{
	int64_t at[SHEAF_MAX_RANK];
	size_t before = d->values.size;
	bool ok = true;
	d->beyond = false;
	for (int c = 0; c < d->in->rank && ok; c++) {
		pass_spaces(d);
		SHEAF_TRY(read_coordinate(d, c, &at[c], &ok));
	}
	pass_spaces(d);
	if (ok) SHEAF_TRY(d->in->integers ? read_integer(d, &ok) : read_real(d, &ok));
	pass_spaces(d);
	bool ended = d->at == d->end || *d->at == '\n' || *d->at == '#';
	if (ok && !ended) SHEAF_TRY(refuse(d, "text behind an entry", d->at, "the end of the line"));
	if (ok && ended && d->beyond)
		SHEAF_TRY(refuse(d, "coordinate range", d->line_start, d->in->guessed ? "coordinates as in the first part (--dims says more)" : "coordinates as when the shape was inferred"));
	if (ok && ended && !d->beyond)
		sheaf_tns_put_entry(d, at);
	else
		d->values.size = before;
	return SHEAF_OK;
}

sheaf_status sheaf_tns_read_line(sheaf_tns_decoding *d)
{
	d->line_start = d->at;
	if (sheaf_tns_is_entry(d->at, d->end)) SHEAF_TRY(read_entry(d));
	const uint8_t *feed = d->at < d->end ? (const uint8_t *)memchr(d->at, '\n', (size_t)(d->end - d->at)) : NULL;
	d->at = feed ? feed + 1 : d->end;
	d->line++;
	return sheaf_builder_status(&d->values, d->err);
}
