/* SPDX-License-Identifier: MIT */
/* What the first bytes of a file show about its dialect: how lines end, which quotes surround fields, and
 * what separates them. */
#include "base/context.h"
#include "format/csv/delimited.h"
#include <string.h>

enum { CANDIDATES = 5 };

/* ---- the ends of lines ---- */

/* Returns the byte that ends lines: a carriage return if there is no line feed outside of quotes. The
 * delimiter is not known yet, so that a quote after any of the usual ones may open a field. */
static uint8_t find_feed(const sheaf_dialect *dialect, sheaf_bytes head)
{
	static const char before[] = {'\r', '\n', ',', ';', '\t', '|'};
	const uint8_t *end = head.data + head.size;
	uint8_t found = '\n';
	for (const uint8_t *at = head.data; at < end; at++) {
		if (dialect->quote && *at == '"' && (at == head.data || memchr(before, at[-1], sizeof before))) {
			at = sheaf_records_close(&(sheaf_dialect){.quote = '"'}, at + 1, end);
			if (!at) return found;
		} else if (*at == '\n') {
			return '\n';
		} else if (*at == '\r' && at + 1 < end && at[1] != '\n') {
			found = '\r';
		}
	}
	return found;
}

/* Whether the field that begins at `at` is in these quotes from its first byte to its last. */
static bool stands_in(const sheaf_dialect *dialect, const uint8_t *at, const uint8_t *end, uint8_t quote)
{
	for (const uint8_t *close = at + 1;
	     (close = (const uint8_t *)memchr(close, quote, (size_t)(end - close))); close++) {
		if (close + 1 == end || close[1] == dialect->delimiter || close[1] == '\n' || close[1] == '\r')
			return true;
		if (close[1] == quote) close++;
	}
	return false;
}

/* ---- records ---- */

/* The whole records of the first bytes; of all of a file, its last record may lack a line feed. */
static sheaf_bytes sample_of(const sheaf_dialect *dialect, sheaf_file_head file)
{
	sheaf_bytes head = file.bytes;
	if (file.is_all) return head;
	const uint8_t *end = sheaf_records_last_end(dialect, head.data, head.data + head.size);
	return (sheaf_bytes){head.data, end ? (size_t)(end - head.data) : 0};
}

/* The records that a delimiter gives. */
typedef struct parting {
	uint32_t width;         /* fields of the first one */
	int64_t alike, records; /* records with that number of fields, and all records except blank ones */
	int64_t wider;          /* records of one field more */
	bool flawed;            /* quotes are not sound */
	bool inside;            /* some are inside of a field */
} parting;

/* Parts a sample into records by a dialect, and counts in *out how regular they are: the number of fields
 * of the first record, records that have as many, records at all, records of one field more, and whether
 * quotes are in wrong places. */
static sheaf_status part_sample(const sheaf_dialect *dialect, sheaf_bytes sample, sheaf_context *cx,
                                parting *out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_records_drop) sheaf_records records;
	sheaf_records_begin(&records, cx);
	*out = (parting){.width = 0};
	sheaf_status status = sheaf_records_find(&records, dialect, 0, sample, 1, err);
	const sheaf_record_finding *f = (const sheaf_record_finding *)(const void *)records.findings.data;
	for (size_t n = records.findings.size / sizeof *f; status == SHEAF_OK && n > 0; n--, f++) {
		out->records += f->flaw == RECORD_COUNT;
		out->wider += f->flaw == RECORD_COUNT && f->count == records.width + 1;
		out->flawed |=
			f->flaw == RECORD_OPEN || f->flaw == RECORD_AFTER_QUOTE || f->flaw == RECORD_AFTER_LINES;
		out->inside |= f->flaw == RECORD_INNER_QUOTE;
	}
	out->width = records.width;
	out->alike = records.count;
	out->records += records.count;
	return status;
}

/* ---- quotes ---- */

/* Gives a dialect without quotes double ones if all quotes of the sample are around whole fields. Part of
 * a field of several lines may be missing at the end. */
static sheaf_status find_all_quotes(sheaf_dialect *dialect, sheaf_file_head head, sheaf_context *cx,
                                    sheaf_error *err)
{
	sheaf_dialect other = *dialect;
	parting with, without;
	other.quote = '"';
	other.escape = 0;
	sheaf_bytes sample = sample_of(dialect, head), some = sample_of(&other, head);
	if (some.size < sample.size / 2 || some.size == 0 || !memchr(some.data, '"', some.size)) return SHEAF_OK;
	SHEAF_TRY(part_sample(&other, some, cx, &with, err));
	SHEAF_TRY(part_sample(dialect, sample, cx, &without, err));
	bool is_even_enough = with.alike == with.records || without.alike < without.records;
	if (is_even_enough && !with.flawed && !with.inside) *dialect = other;
	return SHEAF_OK;
}

/* Gives a dialect with quotes those of the first field that is in quotes: double ones, or SciDB's single
 * ones, which come with a backslash as escape. */
static sheaf_status find_quotes(sheaf_dialect *dialect, sheaf_file_head head, sheaf_context *cx,
                                sheaf_error *err)
{
	const uint8_t *begin = head.bytes.data, *end = begin + head.bytes.size;
	if (!dialect->quote) return find_all_quotes(dialect, head, cx, err);
	for (const uint8_t *at = begin; at < end; at++) {
		bool begins = at == begin || at[-1] == dialect->delimiter || at[-1] == dialect->feed;
		if (!begins || (*at != '"' && *at != '\'') || !stands_in(dialect, at, end, *at)) continue;
		dialect->quote = *at;
		dialect->escape = *at == '\'' ? '\\' : 0;
		break;
	}
	return SHEAF_OK;
}

/* ---- delimiters ---- */

/* All records have the same number of fields, more than one; or all but the header, which may have one
 * less. */
static bool is_even(const parting *p)
{
	bool alike = p->alike == p->records, short_header = p->alike == 1 && p->wider + 1 == p->records;
	return p->width > 1 && !p->flawed && (alike || short_header);
}

/* Returns whether all commas are in numbers, like decimal commas (in_numbers); or, for a comma as
 * delimiter, whether some are in sentences. */
static bool has_commas(sheaf_bytes sample, bool in_numbers)
{
	const uint8_t *end = sample.data + sample.size;
	bool any = false;
	for (const uint8_t *at = sample.data; at < end; at++) {
		if (*at != ',') continue;
		bool inside = at > sample.data && at[-1] >= '0' && at[-1] <= '9' && at + 1 < end && at[1] >= '0' &&
		              at[1] <= '9';
		if (!in_numbers && at + 1 < end && at[1] == ' ') return true;
		if (in_numbers && !inside) return false;
		any = true;
	}
	return in_numbers && any;
}

/* The records that a dialect gives, after its quotes were found if they are open. */
static sheaf_status try_dialect(sheaf_dialect *dialect, bool quotes, sheaf_file_head head, sheaf_context *cx,
                                parting *out, sheaf_error *err)
{
	if (quotes) SHEAF_TRY(find_quotes(dialect, head, cx, err));
	return part_sample(dialect, sample_of(dialect, head), cx, out, err);
}

/* Whether the usual delimiter leaves no doubt: its records are mostly alike, or there is nothing to judge
 * by. */
static bool is_settled(const parting *usual, const sheaf_dialect *dialect, sheaf_bytes sample)
{
	bool mostly =
		usual->width > 1 && usual->alike > 1 && 2 * usual->alike >= usual->records && !usual->flawed;
	return (is_even(usual) || mostly) && !(dialect->delimiter == ',' && has_commas(sample, true));
}

/* Replaces the dialect's delimiter if the usual one leaves doubts: by the one that makes the most fields
 * in records that are all alike. The decimal point is no candidate, nor is a comma that may belong to
 * numbers. */
static sheaf_status find_delimiter(sheaf_dialect *dialect, bool quotes, sheaf_file_head head,
                                   sheaf_context *cx, sheaf_error *err)
{
	static const uint8_t candidates[CANDIDATES] = {'\t', ';', '|', ','};
	sheaf_dialect usual = *dialect, best;
	parting usual_parting;
	uint32_t widest = 1;
	SHEAF_TRY(try_dialect(&usual, quotes, head, cx, &usual_parting, err));
	sheaf_bytes sample = sample_of(&usual, head);
	best = usual;
	for (const uint8_t *c = candidates; *c && sample.size && !is_settled(&usual_parting, &usual, sample);
	     c++) {
		if (*c == usual.delimiter || *c == usual.point || (*c == ',' && has_commas(sample, false))) continue;
		sheaf_dialect other = *dialect;
		parting other_parting;
		other.delimiter = *c;
		SHEAF_TRY(try_dialect(&other, quotes, head, cx, &other_parting, err));
		if (!is_even(&other_parting) || other_parting.width <= widest) continue;
		widest = other_parting.width;
		best = other;
	}
	*dialect = best;
	return SHEAF_OK;
}

/* Finds what the settings leave open about a dialect from the first bytes of a file. *sample becomes the
 * part of them that ends with a whole record, or is empty. Finding the delimiter finds the quotes, too,
 * if they are open. */
sheaf_status sheaf_dialect_detect(sheaf_dialect *dialect, sheaf_dialect_guess guess, sheaf_file_head head,
                                  sheaf_context *cx, sheaf_bytes *sample, sheaf_error *err)
{
	*sample = (sheaf_bytes){head.bytes.data, 0};
	if (head.bytes.size == 0) return SHEAF_OK;
	dialect->feed = find_feed(dialect, head.bytes);
	if (guess.delimiter)
		SHEAF_TRY(find_delimiter(dialect, guess.quotes, head, cx, err));
	else if (guess.quotes)
		SHEAF_TRY(find_quotes(dialect, head, cx, err));
	*sample = sample_of(dialect, head);
	return SHEAF_OK;
}
