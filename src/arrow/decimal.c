/* SPDX-License-Identifier: MIT */
/* Decimals: whole numbers of 4 to 32 bytes, so many of whose digits come after a point. What a type becomes
 * follows from its digits, so that each of its values has a place there: integers, floats that print the same
 * digits again, or else texts. */
#include "arrow/take.h"
#include "base/endian.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Digits that fit every int64, and every float64 and back; powers of ten up to the last exact one. */
enum { INTEGERS = 18, FLOATS = 15, POWERS = 22 };
enum { MOST_DIGITS = 76, LIMBS = 8, GROUP = 9, GROUPS = 9, ROOM = GROUP * GROUPS, BILLION = 1000000000 };

/* Reads "precision,scale" or "precision,scale,bits", where 128 bits are usual. The precision is the number of
 * digits, the scale is how many of them come after the point; one below 0 means zeros before the point. What
 * they become: integers if all fit, floats if they print the same digits again, else texts (U8). A format
 * that is none gives a type of no class. */
sheaf_arrow_type sheaf_arrow_decimal_type(const char *format)
{
	char *end;
	sheaf_arrow_type type = {.class = SHEAF_IS_DECIMAL, .width = 16};
	long precision = strtol(format, &end, 10);
	long scale = *end == ',' ? strtol(end + 1, &end, 10) : MOST_DIGITS + 1;
	if (*end == ',') type.width = strtol(end + 1, &end, 10) / 8;
	bool sized = type.width == 4 || type.width == 8 || type.width == 16 || type.width == 32;
	if (*end || !sized || precision < 1 || precision > MOST_DIGITS || labs(scale) > MOST_DIGITS)
		return (sheaf_arrow_type){0};
	type.digits = (int)scale;
	type.number = scale <= 0 && precision - scale <= INTEGERS           ? SHEAF_I64
	              : scale > 0 && scale <= POWERS && precision <= FLOATS ? SHEAF_F64
	                                                                    : SHEAF_U8;
	return type;
}

/* ---- one of them ---- */

typedef struct whole {
	uint32_t limbs[LIMBS]; /* the lowest first, of what it is without its sign */
	bool is_negative;
} whole;

/* Loads a number of `width` bytes in two's complement, in this machine's order, as its sign and the limbs of
 * its absolute value: a negative one has all bits turned over, and 1 added. */
static whole load(const uint8_t *bytes, int64_t width)
{
	uint8_t all[LIMBS * sizeof(uint32_t)];
	sheaf_copy_le(all, bytes, 1, (size_t)width);
	whole w = {.is_negative = all[width - 1] >> 7};
	uint32_t carry = w.is_negative;
	memset(all + width, w.is_negative ? 0xff : 0, sizeof all - (size_t)width);
	for (int i = 0; i < LIMBS; i++) {
		uint32_t limb = sheaf_load_u32le(all + sizeof(uint32_t) * (size_t)i);
		w.limbs[i] = w.is_negative ? ~limb + carry : limb;
		carry = carry && w.limbs[i] == 0;
	}
	return w;
}

/* Writes the absolute value as ROOM digits, and returns how many zeros these begin with. Long division of the
 * limbs by 10^9 leaves nine digits each time, from the last group to the first. */
static int digits_of(whole w, char digits[ROOM])
{
	int zeros = 0;
	for (int g = GROUPS - 1; g >= 0; g--) {
		uint64_t rest = 0;
		for (int i = LIMBS - 1; i >= 0; i--) {
			rest = rest << 32 | w.limbs[i];
			w.limbs[i] = (uint32_t)(rest / BILLION);
			rest %= BILLION;
		}
		uint32_t group = (uint32_t)rest;
		for (int i = GROUP - 1; i >= 0; i--, group /= 10) digits[g * GROUP + i] = (char)('0' + group % 10);
	}
	while (zeros < ROOM && digits[zeros] == '0') zeros++;
	return zeros;
}

/* Appends a decimal as text, such as "-12.30": with as many digits after the point as its scale says, a 0
 * before the point if nothing else is there, and for a scale below 0 as many zeros at the end. */
static void put_text(const whole *w, int scale, sheaf_builder *to)
{
	char digits[ROOM];
	int zeros = digits_of(*w, digits), n = ROOM - zeros, before = n - (scale > 0 ? scale : 0);
	if (w->is_negative) sheaf_builder_byte(to, '-');
	if (before > 0) sheaf_builder_append(to, digits + zeros, (size_t)before);
	if (before <= 0) sheaf_builder_byte(to, '0');
	for (int i = scale; i < 0 && n > 0; i++) sheaf_builder_byte(to, '0');
	if (scale <= 0) return;
	sheaf_builder_byte(to, '.');
	for (int i = before; i < 0; i++) sheaf_builder_byte(to, '0');
	int after = before < 0 ? n : scale;
	sheaf_builder_append(to, &digits[ROOM - after], (size_t)after);
}

/* ---- all of them ---- */

/* Appends a decimal of at most 18 digits as an integer, or as a float of at most 15. For floats, both the
 * digits and the power of ten are exact, so the quotient is the float next to the decimal. False if the value
 * has more digits than its type allows: only its lowest two limbs may be in use. */
static bool put_number(const whole *w, const sheaf_arrow_type *type, sheaf_builder *to)
{
	int64_t most = 1;
	double power = 1;
	uint64_t low = (uint64_t)w->limbs[1] << 32 | w->limbs[0];
	int digits = type->number == SHEAF_F64 ? FLOATS : INTEGERS + type->digits;
	for (int i = 0; i < digits; i++) most *= 10;
	for (int i = 2; i < LIMBS; i++)
		if (w->limbs[i]) return false;
	if (low >= (uint64_t)most) return false; /* at most 18 digits */
	int64_t value = w->is_negative ? -(int64_t)low : (int64_t)low;
	for (int i = type->digits; i < 0; i++) value *= 10;
	for (int i = type->digits; i > 0; i--) power *= 10;
	if (type->number == SHEAF_F64)
		sheaf_put_real(to, SHEAF_F64, (double)value / power);
	else
		sheaf_builder_i64(to, value);
	return true;
}

bool sheaf_arrow_put_decimal(const sheaf_arrow_type *type, const uint8_t *bytes, sheaf_builder *to)
{
	const whole none = {0};
	whole w = bytes ? load(bytes, type->width) : none;
	if (type->number != SHEAF_U8) return put_number(&w, type, to);
	if (bytes) put_text(&w, type->digits, to);
	return true;
}
