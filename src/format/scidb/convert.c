/* SPDX-License-Identifier: MIT */
/* Values from one type into another, as the server does it: numbers as in C on its machines, without range
 * checks. Values that change are noted.
 *
 * The server converts silently. Sheaf gives the same value, so that an array has what it would have there,
 * and says what is lost: a value carries a flaw, which is what it should have been to stay unchanged. Only a
 * text that is no number or date has no value at all. */
#include "base/endian.h"
#include "format/scidb/scidb.h"
#include "number/date.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- supported conversions ---- */

static bool is_integer(sheaf_scidb_kind kind) { return kind >= SCIDB_CHAR && kind <= SCIDB_UINT64; }
static bool is_real(sheaf_scidb_kind kind) { return kind == SCIDB_FLOAT || kind == SCIDB_DOUBLE; }
static bool is_number(sheaf_scidb_kind kind) { return is_integer(kind) || is_real(kind); }
static bool is_unsigned(sheaf_scidb_kind kind) { return kind >= SCIDB_UINT8 && kind <= SCIDB_UINT64; }
static bool is_date(sheaf_scidb_kind kind) { return kind == SCIDB_DATETIME || kind == SCIDB_DATETIMETZ; }

/* The pairs for which the server has a converter. There is none for bool and binary as sources, nor between
 * complex or types of plugins and anything else. */
bool sheaf_scidb_converts(const sheaf_scidb_type *from, const sheaf_scidb_type *to)
{
	if (from == to) return true;
	if (to->kind == SCIDB_BOOL) return is_integer(from->kind);
	if (to->kind == SCIDB_DATETIME && (from->kind == SCIDB_INT64 || from->kind == SCIDB_DOUBLE)) return true;
	if (from->kind == SCIDB_DATETIME && (to->kind == SCIDB_INT64 || to->kind == SCIDB_DOUBLE)) return true;
	if (to->kind == SCIDB_STRING) return is_number(from->kind) || is_date(from->kind);
	if (from->kind == SCIDB_STRING)
		return (is_number(to->kind) && to->kind != SCIDB_CHAR) || is_date(to->kind);
	return is_number(from->kind) && is_number(to->kind);
}

/* ---- numbers from bytes ---- */

/* The sign of a number of less than 64 bits is extended; one of 64 bits without a sign keeps its bits. */
static int64_t load_integer(const sheaf_scidb_type *type, const uint8_t *at)
{
	uint64_t v = 0;
	int bits = 8 * (int)type->size;
	for (int64_t i = type->size; i-- > 0;) v = v << 8 | at[i];
	if (!is_unsigned(type->kind) && bits < 64 && v >> (bits - 1)) v |= UINT64_MAX << bits;
	return (int64_t)v;
}

static void load(const sheaf_scidb_type *type, sheaf_bytes payload, sheaf_scidb_value *v)
{
	float single;
	v->real = is_real(type->kind);
	if (type->kind == SCIDB_STRING) {
		v->text = (const char *)payload.data;
		v->size = payload.size;
	} else if (type->kind == SCIDB_FLOAT) {
		sheaf_copy_le(&single, payload.data, 1, sizeof single);
		v->d = (double)single;
	} else if (v->real) {
		sheaf_copy_le(&v->d, payload.data, 1, sizeof v->d);
	} else if (type->kind == SCIDB_DATETIMETZ) {
		v->i = sheaf_load_i64le(payload.data);
		v->offset = sheaf_load_i64le(payload.data + 8);
	} else {
		v->i = load_integer(type, payload.data);
	}
}

/* ---- numbers into numbers ---- */

/* The result of converting an out-of-range floating-point number to an integer on x86. */
static int64_t to_int64(double d)
{
	return d >= -9223372036854775808.0 && d < 9223372036854775808.0 ? (int64_t)d : INT64_MIN;
}
static int32_t to_int32(double d) { return d > -2147483649.0 && d < 2147483648.0 ? (int32_t)d : INT32_MIN; }

/* The low bytes of it, as a number of the type. */
static int64_t cut_integer(const sheaf_scidb_type *to, int64_t i)
{
	uint8_t bytes[8];
	sheaf_store_u64le(bytes, (uint64_t)i);
	return load_integer(to, bytes);
}

/* An integer as a double; `is_wide`: its bits are those of a uint64. */
static double real_of(bool is_wide, int64_t i)
{
	return sheaf_rounded(is_wide ? (double)(uint64_t)i : (double)i);
}

/* A real number goes through the widest integer that the server's machine converts to: int32, or int64 for
 * types of 8 bytes and uint32; for uint64 the upper half of the range has its own path. */
static void make_integer(const sheaf_scidb_type *from, const sheaf_scidb_type *to, sheaf_scidb_value *v)
{
	bool wide_from = from->kind == SCIDB_UINT64, wide_to = to->kind == SCIDB_UINT64;
	int64_t i = v->i;
	if (v->real && wide_to && v->d >= 0x1p63)
		i = (int64_t)((uint64_t)to_int64(v->d - 0x1p63) ^ UINT64_C(1) << 63);
	else if (v->real)
		i = to->size == 8 || to->kind == SCIDB_UINT32 ? to_int64(v->d) : to_int32(v->d);
	int64_t cut = cut_integer(to, i);
	if (v->real)
		v->flaw = real_of(wide_to, cut) == v->d ? NULL : "an integer that the attribute's type can hold";
	else if (cut != v->i || (wide_from != wide_to && v->i < 0))
		v->flaw = "a number that the attribute's type can hold";
	v->i = cut;
	v->real = false;
}

/* A float that overflows becomes an infinity, which is a flaw unless the number was one; an integer must be
 * the same when it is converted back. */
static void make_real(const sheaf_scidb_type *from, const sheaf_scidb_type *to, sheaf_scidb_value *v)
{
	bool wide = from->kind == SCIDB_UINT64;
	double d = v->real ? v->d : real_of(wide, v->i);
	if (to->kind == SCIDB_FLOAT) {
		float single = (float)d;
		if (isinf(single) && !isinf(d)) v->flaw = "a number that the attribute's type can hold";
		d = (double)single;
	}
	/* 2^64 and 2^63 are not integers of 64 bits, though a number may be rounded to them as a double. */
	bool fits = d < (wide ? 0x1p64 : 0x1p63) && d >= -0x1p63;
	if (!v->real && (!fits || (wide ? (int64_t)(uint64_t)d : (int64_t)d) != v->i))
		v->flaw = "an integer that the attribute's type does not round";
	v->d = d;
	v->real = true;
}

/* ---- texts ---- */

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* There is no value: what is written, or the placeholder in a column, is 0. */
static void fail(sheaf_scidb_value *v, const char *expected)
{
	v->flaw = expected;
	v->failed = true;
	v->real = false;
	v->i = 0;
}

/* Numbers of 8 bits are read strictly, and may be hexadecimal, without a sign; for others, anything after the
 * digits is skipped. A negative number wraps around in an unsigned type. */
static void integer_from_text(const sheaf_scidb_type *to, sheaf_scidb_value *v)
{
	const char *at = v->text, *end = v->text + v->size;
	bool strict = to->size == 1, natural = is_unsigned(to->kind);
	uint64_t magnitude = 0, most = UINT64_MAX >> (64 - 8 * to->size);
	while (at < end && is_blank(*at)) at++;
	bool hexadecimal = strict && end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x',
		 negative = at < end && *at == '-', found;
	if (hexadecimal) {
		const char *digits = at += 2;
		for (; at < end && magnitude <= most; at++) {
			char c = (char)(*at | 0x20);
			bool decimal = *at >= '0' && *at <= '9';
			if (!decimal && (c < 'a' || c > 'f')) break;
			magnitude = 16 * magnitude + (uint64_t)(decimal ? *at - '0' : c - 'a' + 10);
		}
		found = at > digits;
	} else {
		at += at < end && (*at == '-' || *at == '+');
		sheaf_scanned scanned = sheaf_scan_u64(at, end, &magnitude);
		found = !scanned.flaw;
		at = scanned.end;
	}
	while (at < end && is_blank(*at)) at++;
	bool rest = at < end, wraps = negative && magnitude && natural;
	if (!found || magnitude > (natural ? most : most / 2 + negative) || (strict && (rest || wraps))) {
		fail(v, "the text of an integer that the attribute's type can hold");
		return;
	}
	v->i = cut_integer(to, (int64_t)(negative ? 0 - magnitude : magnitude));
	if (rest) v->flaw = "a text with nothing after the number";
	if (wraps) v->flaw = "a number that the attribute's type can hold";
}

/* A number at the beginning of the text, in the syntax of C without hexadecimal digits, nan and inf. */
static void real_from_text(const sheaf_scidb_type *to, sheaf_scidb_value *v)
{
	const char *at = v->text, *end = v->text + v->size;
	float single = 0;
	while (at < end && is_blank(*at)) at++;
	sheaf_scanned scanned =
		to->kind == SCIDB_FLOAT ? sheaf_scan_f32(at, end, &single) : sheaf_scan_f64(at, end, &v->d);
	if (scanned.flaw || scanned.infinite) {
		fail(v, "the text of a number that the attribute's type can hold");
		return;
	}
	if (to->kind == SCIDB_FLOAT) v->d = (double)single;
	v->real = true;
	for (at = scanned.end; at < end && is_blank(*at);) at++;
	if (at < end) v->flaw = "a text with nothing after the number";
}

/* The server's digits: 6 for floats, 15 for doubles. The decimal sign is a point in every locale. */
static void real_to_text(const sheaf_scidb_type *from, sheaf_scidb_value *v)
{
	double back = 0;
	float single = 0;
	int n = snprintf(v->own, sizeof v->own, "%.*g", from->kind == SCIDB_FLOAT ? 6 : 15, v->d);
	v->size = 0;
	for (int i = 0; i < n; i++) {
		bool point = !strchr("0123456789+-einfa", v->own[i]);
		if (!point || (v->size && v->own[v->size - 1] != '.'))
			v->own[v->size++] = (char)(point ? '.' : v->own[i]); /* some characters have several bytes */
	}
	n = (int)v->size;
	if (!isfinite(v->d)) return;
	if (from->kind == SCIDB_FLOAT)
		(void)sheaf_scan_f32(v->own, v->own + n, &single);
	else
		(void)sheaf_scan_f64(v->own, v->own + n, &back);
	if ((from->kind == SCIDB_FLOAT ? (double)single : back) != v->d)
		v->flaw = "a number with no more digits than the server prints";
}

/* Dates without a zone have none in their text, either; a zone follows as hours and minutes, with a minus
 * sign before zero, as the server prints it. */
static void to_text(const sheaf_scidb_type *from, sheaf_scidb_value *v)
{
	char *to = v->own;
	v->text = v->own;
	if (is_real(from->kind)) {
		real_to_text(from, v);
		return;
	}
	if (from->kind == SCIDB_CHAR)
		*to++ = (char)v->i;
	else if (from->kind == SCIDB_UINT64)
		to = sheaf_print_u64(to, (uint64_t)v->i);
	else if (!is_date(from->kind))
		to = sheaf_print_i64(to, v->i);
	else
		to = sheaf_print_datetime(to, v->i, ' ');
	v->size = (size_t)(to - v->own);
	if (from->kind != SCIDB_DATETIMETZ) return;
	uint64_t away = v->offset < 0 ? 0 - (uint64_t)v->offset : (uint64_t)v->offset;
	if (away >= 360000 || away % 60) v->flaw = "an offset of whole minutes below 100 hours";
	int n = snprintf(to, sizeof v->own - v->size, " %c%02" PRIu64 ":%02" PRIu64, v->offset > 0 ? '+' : '-',
	                 away / 3600 % 100, away / 60 % 60);
	v->size += (size_t)n;
}

/* ---- all ---- */

void sheaf_scidb_convert(const sheaf_scidb_type *from, sheaf_bytes payload, const sheaf_scidb_type *to,
                         sheaf_scidb_value *out)
{
	load(from, payload, out);
	if (from == to) return;
	if (from->kind == SCIDB_STRING && is_date(to->kind)) {
		out->flaw = sheaf_scidb_read_date(out->text, out->size, to->kind == SCIDB_DATETIMETZ, &out->i,
		                                  &out->offset, &out->failed);
	} else if (from->kind == SCIDB_STRING && is_real(to->kind)) {
		real_from_text(to, out);
	} else if (from->kind == SCIDB_STRING) {
		integer_from_text(to, out);
	} else if (to->kind == SCIDB_STRING) {
		to_text(from, out);
	} else if (to->kind == SCIDB_BOOL) {
		if (out->i != 0 && out->i != 1) out->flaw = "0 or 1";
		out->i = out->i != 0;
	} else if (is_real(to->kind)) {
		make_real(from, to, out);
	} else {
		make_integer(from, to, out);
	}
}

void sheaf_scidb_convert_item(const sheaf_scidb_item *item, sheaf_bytes payload, sheaf_scidb_value *out)
{
	if (item->entry.type->kind == SCIDB_STRING) payload = sheaf_scidb_string_of(item, payload).text;
	sheaf_scidb_convert(item->entry.type, payload, item->type, out);
}

static void store_integer(uint64_t v, size_t size, bool little, uint8_t *to)
{
	bool lowest_first = little || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	for (size_t i = 0; i < size; i++) to[lowest_first ? i : size - 1 - i] = (uint8_t)(v >> 8 * i);
}

/* A number in fewer bytes than 8 is cut to its low ones: conversion has already made it fit. */
void sheaf_scidb_store(const sheaf_scidb_type *type, const sheaf_scidb_value *value, bool little, uint8_t *to)
{
	uint64_t bits = (uint64_t)value->i;
	float single = (float)value->d;
	uint32_t half;
	memcpy(&half, &single, sizeof half);
	if (type->kind == SCIDB_DOUBLE) memcpy(&bits, &value->d, sizeof bits);
	if (type->kind == SCIDB_FLOAT) bits = half;
	store_integer(bits, type->size < 8 ? (size_t)type->size : 8, little, to);
	if (type->kind == SCIDB_DATETIMETZ) store_integer((uint64_t)value->offset, 8, little, to + 8);
}
