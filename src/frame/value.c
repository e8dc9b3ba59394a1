/* SPDX-License-Identifier: MIT */
/* Canonical values: the functions of each element type, generated from one text (value_template.h), and the
 * canonical form of times, which do not depend on their unit. */
#include "frame/value.h"
#include "frame/frame.h"
#include "number/date.h"
#include "number/number.h"
#include <math.h>
#include <string.h>

static sheaf_canon canon_real(double v) { return (sheaf_canon){isnan(v) ? (double)NAN : v, 0}; }

/* 2^63 as a double is one more than INT64_MAX: a value that rounds up to it has a negative rest, computed
 * without overflow. */
static sheaf_canon canon_signed(int64_t v)
{
	double d = sheaf_rounded((double)v);
	int64_t rest = d >= 0x1p63 ? -(INT64_MAX - v) - 1 : v - (int64_t)d;
	return (sheaf_canon){d, rest};
}

static sheaf_canon canon_unsigned(uint64_t v)
{
	double d = sheaf_rounded((double)v);
	int64_t rest = d >= 0x1p64 ? -(int64_t)(UINT64_MAX - v) - 1 : (int64_t)(v - (uint64_t)d);
	return (sheaf_canon){d, rest};
}

/* The integer from -high - 1 to high that is nearest to a value; 0 for NaN. The nearest double of the largest
 * int64s is 2^63, which is none: such a value is computed from its negative rest alone. */
static int64_t store_signed(sheaf_canon c, int64_t high)
{
	int64_t low = -high - 1;
	if (isnan(c.nearest)) return 0;
	if (c.nearest < (double)low) return low;
	if (c.nearest >= 0x1p63)
		return c.nearest == 0x1p63 && c.rest < 0 && high == INT64_MAX ? INT64_MAX + (c.rest + 1) : high;
	int64_t v = (int64_t)c.nearest + c.rest;
	return v < low ? low : v > high ? high : v;
}

/* The integer from 0 to high that is nearest to a value, in the same way; 0 for NaN. */
static uint64_t store_unsigned(sheaf_canon c, uint64_t high)
{
	if (isnan(c.nearest) || c.nearest <= 0) return 0;
	if (c.nearest >= 0x1p64)
		return c.nearest == 0x1p64 && c.rest < 0 && high == UINT64_MAX ? UINT64_MAX - (uint64_t)(-1 - c.rest)
		                                                               : high;
	uint64_t v = (uint64_t)c.nearest + (uint64_t)c.rest;
	return v > high ? high : v;
}

/* A double from which a conversion to float rounds as from the number itself, so that it is rounded once and
 * not twice. If `nearest` is not the whole number and its last bit is 0, it may lie halfway between two
 * floats: it is moved to its neighbour in the direction of the rest, which is odd and lies on the right side.
 */
static double odd_double(sheaf_canon c)
{
	uint64_t bits;
	memcpy(&bits, &c.nearest, sizeof bits);
	if (c.rest == 0 || (bits & 1)) return c.nearest;
	return nextafter(c.nearest, c.rest > 0 ? (double)INFINITY : -(double)INFINITY);
}

bool sheaf_canon_equal(sheaf_canon a, sheaf_canon b)
{
	if (isnan(a.nearest) || isnan(b.nearest)) return isnan(a.nearest) && isnan(b.nearest);
	return memcmp(&a.nearest, &b.nearest, sizeof a.nearest) == 0 && a.rest == b.rest;
}

/* Each group of types has its own CANON and STORE: the largest value of an unsigned type is (T)-1, and that
 * of a signed one has one bit less than it has in all. */
#define CANON canon_unsigned
#define STORE(c) store_unsigned(c, (T)-1)
#define T uint8_t
#define NAME u8
#include "frame/value_template.h"
#define T uint16_t
#define NAME u16
#include "frame/value_template.h"
#define T uint32_t
#define NAME u32
#include "frame/value_template.h"
#define T uint64_t
#define NAME u64
#include "frame/value_template.h"
#undef CANON
#undef STORE
#define CANON canon_signed
#define STORE(c) store_signed(c, INT64_MAX >> (64 - 8 * sizeof(T)))
#define T int8_t
#define NAME i8
#include "frame/value_template.h"
#define T int16_t
#define NAME i16
#include "frame/value_template.h"
#define T int32_t
#define NAME i32
#include "frame/value_template.h"
#define T int64_t
#define NAME i64
#include "frame/value_template.h"
#undef CANON
#undef STORE
#define CANON canon_real
#define STORE(c) (sizeof(T) == sizeof(float) ? odd_double(c) : (c).nearest)
#define T float
#define NAME f32
#include "frame/value_template.h"
#define T double
#define NAME f64
#include "frame/value_template.h"

void sheaf_canon_values(sheaf_type type, const void *values, int64_t at, int64_t n, sheaf_canon *out)
{
	static void (*const by_type[SHEAF_TYPES])(const void *, int64_t, int64_t, sheaf_canon *) = {
		canon_u8,  canon_u16, canon_u32, canon_u64, canon_i8,
		canon_i16, canon_i32, canon_i64, canon_f32, canon_f64};
	by_type[type](values, at, n, out);
}

/* The canonical form of a time is that of its whole seconds, and of a fraction, in nanoseconds, far above any
 * rest that seconds can have: so times of any unit are equal if they are the same. Of zoned times every other
 * value is a time, the others are offsets. A day is the time at which it begins; one that is beyond 64 bits
 * of seconds equals no time. */
void sheaf_canon_items(const sheaf_column *column, int64_t at, int64_t n, sheaf_canon *out)
{
	enum { NANOSECOND = 1 << 12 }; /* the rest of 64 bits of seconds is smaller */
	const int64_t *values = sheaf_i64s(column->values.data);
	bool zoned = column->meaning == SHEAF_DATETIMETZ;
	sheaf_canon_values(column->type, column->values.data, at, n, out);
	if (column->type != SHEAF_I64 || (!column->digits && column->meaning != SHEAF_DATE)) return;
	for (int64_t k = zoned ? at % 2 : 0; column->digits && k < n; k += zoned ? 2 : 1) {
		int32_t nanoseconds;
		out[k] = canon_signed(sheaf_split_time(values[at + k], column->digits, &nanoseconds));
		out[k].rest += (int64_t)nanoseconds * NANOSECOND;
	}
	for (int64_t k = 0, seconds; column->meaning == SHEAF_DATE && k < n; k++)
		out[k] = __builtin_mul_overflow(values[at + k], (int64_t)SHEAF_DAY_SECONDS, &seconds)
		             ? (sheaf_canon){(double)values[at + k] * SHEAF_DAY_SECONDS, values[at + k]}
		             : canon_signed(seconds);
}

int64_t sheaf_canon_store(sheaf_type type, const sheaf_canon *from, int64_t n, void *values, int64_t at)
{
	static int64_t (*const by_type[SHEAF_TYPES])(const sheaf_canon *, int64_t, void *, int64_t) = {
		store_u8,  store_u16, store_u32, store_u64, store_i8,
		store_i16, store_i32, store_i64, store_f32, store_f64};
	return by_type[type](from, n, values, at);
}

char *sheaf_value_print(sheaf_type type, const void *values, int64_t at, char *to)
{
	sheaf_canon c;
	if (type == SHEAF_F32) return sheaf_print_f32(to, ((const float *)values)[at]);
	if (type == SHEAF_F64) return sheaf_print_f64(to, ((const double *)values)[at]);
	if (type == SHEAF_U64) return sheaf_print_u64(to, ((const uint64_t *)values)[at]);
	sheaf_canon_values(type, values, at, 1, &c);
	return sheaf_print_i64(to, store_signed(c, INT64_MAX));
}
