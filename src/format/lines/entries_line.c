/* SPDX-License-Identifier: MIT */
/* One line: an entry, nothing, or an error. The scanner (number/) defines what a number is.
 *
 *   3 7 0.25        coordinates from 1 on, and a value
 *   0.25            a value alone, where the order says its place
 *
 * Functions that read something say by *ok whether it is sound. If it is not, they have reported it, and
 * their status is that of the report: with an error the reading ends, without one the line is left out. */
#include "base/context.h"
#include "base/spell.h"
#include "format/lines/entries.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>

static sheaf_status refuse(const sheaf_entry_decoding *d, const char *rule, const uint8_t *at,
                           const char *expected)
{
	return sheaf_lined_refuse(&d->text, rule, at, NULL, expected);
}

static void pass_spaces(sheaf_entry_decoding *d)
{
	d->text.at = sheaf_lined_pass_spaces(d->in->syntax, d->text.at, d->text.end);
}

static bool ends_word(const sheaf_entry_decoding *d, const uint8_t *at)
{
	return sheaf_lined_ends_word(d->in->syntax, at, d->text.end);
}

/* ---- habits ---- */

/* Counts the line of a deviation that is read; false if it is not. */
static bool meet(sheaf_entry_decoding *d, sheaf_entry_habit habit)
{
	sheaf_entry_count *met = &d->met[habit];
	if (!(d->in->habits >> habit & 1)) return false;
	if (met->lines == 0) met->first = d->text.line;
	met->lines += met->lines == 0 || met->last != d->text.line;
	met->last = d->text.line;
	return true;
}

/* Skips the ".", ".0", ".00" of a whole number, if that is read. */
static void pass_decimals(sheaf_entry_decoding *d, sheaf_entry_habit habit)
{
	const uint8_t *at = d->text.at;
	if (at == d->text.end || *at != '.') return;
	for (at++; at < d->text.end && *at == '0';) at++;
	if (ends_word(d, at) && meet(d, habit)) d->text.at = at;
}

/* ---- coordinates ---- */

/* Reports coordinate number c at `at`: a word that is no number, or a number out of range. */
static sheaf_status refuse_coordinate(const sheaf_entry_decoding *d, int c, const uint8_t *at, bool is_number)
{
	char expected[96];
	const char *const *names = d->in->rules->names;
	if (!is_number && names)
		snprintf(expected, sizeof expected, "the number of a %s", names[c]);
	else if (!is_number)
		snprintf(expected, sizeof expected, "coordinate %d of %d", c + 1, d->in->rank);
	else if (d->in->inferred)
		snprintf(expected, sizeof expected, "a coordinate from 1 on");
	else
		snprintf(expected, sizeof expected, "a %s from 1 to %" PRId64, names ? names[c] : "coordinate",
		         d->in->schema.tensor.shape[c]);
	return refuse(d, is_number ? "coordinate range" : "not a coordinate", at, expected);
}

/* Reads a coordinate from 1 to the extent, which becomes one from 0 on. Beyond a shape that was inferred,
 * it is read all the same, and the whole line is refused at its end, since something in it was wrong
 * then. *ok is false if it is flawed. */
static sheaf_status read_coordinate(sheaf_entry_decoding *d, int c, int64_t *out, bool *ok)
{
	uint64_t value;
	pass_spaces(d);
	const uint8_t *at = d->text.at;
	bool has_sign = at < d->text.end && *at == '+' && meet(d, SHEAF_ENTRY_SIGNED_PLACE);
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at + has_sign, (const char *)d->text.end, &value);
	d->text.at = (const uint8_t *)scanned.end;
	if (!scanned.flaw) pass_decimals(d, SHEAF_ENTRY_DECIMAL_PLACE);
	bool is_number = scanned.flaw != SHEAF_NUMBER_NO_DIGIT && ends_word(d, d->text.at);
	bool is_place = is_number && !scanned.flaw && value >= 1 && value <= INT64_MAX;
	bool is_beyond = is_place && value > (uint64_t)d->in->schema.tensor.shape[c];
	if (is_beyond && d->in->inferred) d->beyond = true;
	*ok = is_place && (!is_beyond || d->in->inferred);
	*out = (int64_t)(value - 1);
	return *ok ? SHEAF_OK : refuse_coordinate(d, c, at, is_number);
}

/* Reads the coordinates of the line, or takes the place that its number gives (bare). *ok is false if the
 * line is flawed or one too many. */
static sheaf_status read_place(sheaf_entry_decoding *d, int64_t *place, bool *ok)
{
	char expected[96];
	*ok = true;
	for (int c = 0; c < d->in->rank && *ok && !d->in->bare; c++)
		SHEAF_TRY(read_coordinate(d, c, &place[c], ok));
	if (!d->in->bare) return SHEAF_OK;
	*ok = d->entry < d->in->entries;
	memcpy(place, d->place, (size_t)d->in->rank * sizeof *place);
	if (*ok) return SHEAF_OK;
	snprintf(expected, sizeof expected, "no more values than %" PRId64 ", %s", d->in->entries,
	         d->in->rules->announced);
	return refuse(d, "too many entries", d->text.at, expected);
}

/* ---- values ---- */

/* Reads an integer into d->values as its 64 bits, signed or not. *ok is false if the word is none, or
 * does not fit, which is then reported; the entry is left out, or the status ends the reading. */
static sheaf_status read_integer(sheaf_entry_decoding *d, bool is_signed, bool *ok)
{
	uint64_t value;
	pass_spaces(d);
	const uint8_t *at = d->text.at;
	bool negative = at < d->text.end && *at == '-';
	sheaf_scanned scanned = sheaf_scan_u64((const char *)at + (at < d->text.end && (negative || *at == '+')),
	                                       (const char *)d->text.end, &value);
	d->text.at = (const uint8_t *)scanned.end;
	if (!scanned.flaw) pass_decimals(d, SHEAF_ENTRY_DECIMAL_VALUE);
	*ok = false;
	if (scanned.flaw == SHEAF_NUMBER_NO_DIGIT || !ends_word(d, d->text.at))
		return refuse(d, "not an integer", at, "an integer");
	if (!is_signed && (scanned.flaw || (negative && value)))
		return refuse(d, "integer range", at, "an integer from 0 to 18446744073709551615");
	if (is_signed && (scanned.flaw || value > (uint64_t)INT64_MAX + negative))
		return refuse(d, "integer range", at,
		              "an integer of 64 bits, from -9223372036854775808 to 9223372036854775807");
	value = negative ? 0 - value : value;
	sheaf_builder_append(d->values, &value, sizeof value);
	*ok = true;
	return SHEAF_OK;
}

/* Reads n real numbers into the values; *ok is false after a flaw, where the caller removes those before
 * it. */
static sheaf_status read_reals(sheaf_entry_decoding *d, int n, bool *ok)
{
	double value;
	*ok = true;
	for (int k = 0; k < n && *ok; k++) {
		pass_spaces(d);
		SHEAF_TRY(sheaf_lined_read_real(&d->text, SHEAF_F64, NULL, &value, ok));
		if (*ok) sheaf_builder_append(d->values, &value, sizeof value);
	}
	return SHEAF_OK;
}

/* Reads the value of an entry as the header declares it. An entry of a pattern has none, and becomes 1. */
static sheaf_status read_value(sheaf_entry_decoding *d, bool *ok)
{
	switch (d->in->value) {
	case SHEAF_ENTRY_REAL: return read_reals(d, 1, ok);
	case SHEAF_ENTRY_COMPLEX: return read_reals(d, 2, ok);
	case SHEAF_ENTRY_INTEGER: return read_integer(d, true, ok);
	case SHEAF_ENTRY_UNSIGNED: return read_integer(d, false, ok);
	case SHEAF_ENTRY_PATTERN: break;
	}
	sheaf_builder_byte(d->values, 1);
	return SHEAF_OK;
}

/* ---- lines ---- */

/* Reads the end of a line. Nothing may follow a value, except where the format or the user allows text. A
 * coordinate beyond an inferred shape refuses the line here. */
static sheaf_status read_end(sheaf_entry_decoding *d, bool *ok)
{
	pass_spaces(d);
	*ok = sheaf_lined_ends_row(d->in->syntax, d->text.at, d->text.end) || meet(d, SHEAF_ENTRY_MORE_TEXT);
	if (!*ok) return refuse(d, "text after an entry", d->text.at, "the end of the line");
	*ok = !d->beyond;
	if (*ok) return SHEAF_OK;
	return refuse(d, "coordinate range", d->text.line_start,
	              d->in->guessed ? "coordinates as in the first part (" SHEAF_OPTION("shape") " says more)"
	                             : "coordinates as when the shape was inferred");
}

/* Reads one line as an entry: coordinates, value, end of the line. It takes the whole line or nothing: a
 * value is removed again if something else follows it. Where places follow from the order of lines
 * (bare), the next place is counted even if the value is flawed. */
static sheaf_status read_entry(sheaf_entry_decoding *d)
{
	int64_t place[SHEAF_MAX_RANK] = {0};
	size_t values_before = d->values->size;
	bool ok;
	d->beyond = false;
	SHEAF_TRY(read_place(d, place, &ok));
	if (ok) SHEAF_TRY(read_value(d, &ok));
	if (ok) SHEAF_TRY(read_end(d, &ok));
	if (ok) {
		for (int c = 0; c < d->in->rank; c++)
			sheaf_put_index(&d->to.columns[c].values, d->wide[c] ? SHEAF_I64 : SHEAF_I32, place[c]);
		sheaf_builder_i64(d->lines, d->text.line);
		d->to.nrows++;
	} else {
		d->values->size = values_before;
	}
	if (d->in->bare && d->entry < d->in->entries) d->in->rules->pass_places(d, 1);
	return SHEAF_OK;
}

/* Reads one line: an entry, a comment, which the format may report, or a blank one. The text moves to the
 * next line. */
sheaf_status sheaf_entry_read_line(sheaf_entry_decoding *d)
{
	const sheaf_entry_rules *rules = d->in->rules;
	d->text.line_start = d->text.at;
	pass_spaces(d);
	bool blank = d->text.at == d->text.end || *d->text.at == '\n',
		 comment = !blank && *d->text.at == d->in->syntax->comment;
	if (comment && rules->report_comment) SHEAF_TRY(rules->report_comment(d));
	if (!blank && !comment) SHEAF_TRY(read_entry(d));
	d->text.at = sheaf_lined_pass_line(d->text.at, d->text.end);
	d->text.line++;
	return sheaf_builder_status(d->values, d->text.err);
}
