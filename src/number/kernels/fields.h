/* SPDX-License-Identifier: MIT */
/* Fields of delimited text: where they end, and numbers in the fields of a column. Like other kernels, these
 * read what they are certain of and leave the rest; so a kernel that does nothing is correct. */
#ifndef SHEAF_NUMBER_KERNELS_FIELDS_H
#define SHEAF_NUMBER_KERNELS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- where fields end ---- */

/* A walk over regular records of `width` fields: each field with a quote begins and ends with one, and the
 * others inside it are doubled. */
typedef struct sheaf_fields_cut {
	const uint8_t *begin, *end; /* the text, from the first byte of a record */
	uint8_t delimiter, feed;
	uint8_t quote; /* 0: there are none */
	uint32_t width;
	int64_t first_line;
	uint32_t *starts, *ends; /* for each record its first byte, for each field the byte after it */
	int64_t *lines;          /* on which a record begins */
	size_t records;          /* complete ones */
	bool stopped;            /* something in the record after these is irregular */
	/* The state of the walk: */
	const uint8_t *block;
	size_t nends, before; /* found so far; in the complete records */
	uint32_t record, record_line, line;
	uint64_t inside;                 /* all bits: in quotes */
	uint64_t after_end, after_close; /* 1: the byte before ends a field, or is a quote that closes one */
} sheaf_fields_cut;

enum { SHEAF_FIELDS_BLOCK = 64 };

/* Continues over blocks of 64 bytes that end before `until`, until something is irregular. There is room for
 * as many starts, lines and ends as there are bytes, and 64 more. */
typedef void sheaf_fields_cutter(sheaf_fields_cut *cut, const uint8_t *until);

void sheaf_fields_cut_begin(sheaf_fields_cut *cut);

/* ---- their contents ---- */

/* The fields of a column: number i is from starts[i * start_step] + skip to ends[i * end_step] of the text.
 */
typedef struct sheaf_fields {
	const uint8_t *text;
	const uint32_t *starts, *ends;
	size_t start_step, end_step;
	uint32_t skip;
	bool last; /* of a record: carriage returns before the line feed do not belong to it */
	size_t count;
} sheaf_fields;

static inline __attribute__((always_inline)) void sheaf_field_at(const sheaf_fields *f, size_t i,
                                                                 const uint8_t **at, const uint8_t **end)
{
	*at = f->text + f->starts[i * f->start_step] + f->skip;
	*end = f->text + f->ends[i * f->end_step];
	while (f->last && *end > *at && (*end)[-1] == '\r') --*end;
}

/* What the fields contained. */
enum { SHEAF_FIELD_WHOLE = 1, SHEAF_FIELD_NEGATIVE = 2, SHEAF_FIELD_REAL = 4 };

/* These begin with field `from` and return the number of the first one that is left. Values go to to[i].
 * Floats contain no integers that they cannot hold exactly. Whatever they read, the looker sees; it sees
 * whole numbers alone in what becomes an int64. */
typedef size_t sheaf_fields_f64_reader(const sheaf_fields *fields, size_t from, double *to);
typedef size_t sheaf_fields_i64_reader(const sheaf_fields *fields, size_t from, int64_t *to);
/* Adds to *seen: whole numbers of at most 18 digits, negative ones, and ones with a point. Numbers that begin
 * with more than one zero, and -0, are left. */
typedef size_t sheaf_fields_looker(const sheaf_fields *fields, size_t from, unsigned *seen);
/* Times such as "2012-05-25 14:13:29", as seconds since 1970; years far from now are left. `to` NULL: only
 * examines them. */
typedef size_t sheaf_fields_time_reader(const sheaf_fields *fields, size_t from, int64_t *to);
/* Days such as "2012-05-25", since 1970; the same. */
typedef size_t sheaf_fields_day_reader(const sheaf_fields *fields, size_t from, int64_t *to);
/* "true" and "false", as 1 and 0; the same. */
typedef size_t sheaf_fields_bool_reader(const sheaf_fields *fields, size_t from, uint8_t *to);

/* All for one kind of processor. */
typedef struct sheaf_fields_kernel {
	sheaf_fields_cutter *cut;
	sheaf_fields_looker *look;
	sheaf_fields_f64_reader *read_f64;
	sheaf_fields_i64_reader *read_i64;
	sheaf_fields_time_reader *read_times;
	sheaf_fields_day_reader *read_days;
	sheaf_fields_bool_reader *read_bools;
} sheaf_fields_kernel;

#endif
