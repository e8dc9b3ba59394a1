/* SPDX-License-Identifier: MIT */
/* The shortest digits of eight floats with AVX-512: the algorithm of binary_to_decimal.c, lane by lane. The
 * ends of the interval are a power of two away from the value, so additions to its product with the power of
 * ten give them. Integers only, except where an estimate is corrected: the rounding mode does not matter. */
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include "number/digits.h"
#include "number/powers.h"
#include "number/spell.h"
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,bmi,bmi2,lzcnt,popcnt")))
#define INLINE AVX512 static inline __attribute__((always_inline))

enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC, MOST_DIGITS = 17, LANES = 8 };

INLINE __m512i all(int64_t value) { return _mm512_set1_epi64(value); }

/* ---- wide integers: the lowest word last ---- */

typedef struct words {
	__m512i high, middle, low;
} words;

INLINE __m512i add_bit(__m512i a, __mmask8 bit) { return _mm512_mask_sub_epi64(a, bit, a, all(-1)); }
INLINE __m512i take_bit(__m512i a, __mmask8 bit) { return _mm512_mask_add_epi64(a, bit, a, all(-1)); }

/* a * b */
INLINE void multiply(__m512i a, __m512i b, __m512i *high, __m512i *low)
{
	const __m512i half = all(UINT32_MAX);
	__m512i a1 = _mm512_srli_epi64(a, 32), b1 = _mm512_srli_epi64(b, 32);
	__m512i outer = _mm512_mul_epu32(a, b),
			inner = _mm512_add_epi64(_mm512_mul_epu32(a1, b), _mm512_srli_epi64(outer, 32));
	__m512i other = _mm512_add_epi64(_mm512_mul_epu32(a, b1), _mm512_and_si512(inner, half));
	*high = _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epu32(a1, b1), _mm512_srli_epi64(inner, 32)),
	                         _mm512_srli_epi64(other, 32));
	*low = _mm512_or_si512(_mm512_slli_epi64(other, 32), _mm512_and_si512(outer, half));
}

INLINE words times(__m512i x, __m512i high, __m512i low)
{
	words p;
	__m512i over;
	multiply(x, high, &p.high, &p.middle);
	multiply(x, low, &over, &p.low);
	p.middle = _mm512_add_epi64(p.middle, over);
	p.high = add_bit(p.high, _mm512_cmplt_epu64_mask(p.middle, over));
	return p;
}

INLINE words shifted(__m512i high, __m512i low, __m512i bits)
{
	__m512i rest = _mm512_sub_epi64(all(64), bits);
	return (words){_mm512_srlv_epi64(high, rest),
	               _mm512_or_si512(_mm512_sllv_epi64(high, bits), _mm512_srlv_epi64(low, rest)),
	               _mm512_sllv_epi64(low, bits)};
}

/* The upper word, odd if anything but the lowest is below it. */
INLINE __m512i to_odd(__m512i high, __m512i middle)
{
	return _mm512_mask_or_epi64(high, _mm512_test_epi64_mask(middle, middle), high, all(1));
}

INLINE __m512i sum_to_odd(words a, words b)
{
	__mmask8 carry = _mm512_cmplt_epu64_mask(_mm512_add_epi64(a.low, b.low), b.low);
	__m512i middle = _mm512_add_epi64(a.middle, b.middle),
			high = add_bit(_mm512_add_epi64(a.high, b.high), _mm512_cmplt_epu64_mask(middle, b.middle));
	__m512i carried = add_bit(middle, carry);
	return to_odd(add_bit(high, carry & _mm512_testn_epi64_mask(carried, carried)), carried);
}

INLINE __m512i difference_to_odd(words a, words b)
{
	__mmask8 borrow = _mm512_cmplt_epu64_mask(a.low, b.low);
	__m512i middle = _mm512_sub_epi64(a.middle, b.middle),
			high = take_bit(_mm512_sub_epi64(a.high, b.high), _mm512_cmplt_epu64_mask(a.middle, b.middle));
	return to_odd(take_bit(high, borrow & _mm512_testn_epi64_mask(middle, middle)), take_bit(middle, borrow));
}

/* v / 10^8, and the rest, where v < 10^17: an estimate is off by one at most. */
INLINE __m512i divide(__m512i v, __m512i *rest)
{
	const __m512i by = all(100000000);
	__m512d estimate =
		_mm512_mul_round_pd(_mm512_cvt_roundepi64_pd(v, NEAREST), _mm512_set1_pd(1e-8), NEAREST);
	__m512i quotient = _mm512_cvttpd_epi64(estimate), r = _mm512_sub_epi64(v, _mm512_mul_epu32(quotient, by));
	__mmask8 above = _mm512_movepi64_mask(r), below = _mm512_cmpge_epi64_mask(r, by);
	*rest = _mm512_mask_sub_epi64(_mm512_mask_add_epi64(r, above, r, by), below, r, by);
	return add_bit(take_bit(quotient, above), below);
}

/* v % 10, where v < 2^58: 2^28 leaves the remainder 1 when divided by 5. */
INLINE __m512i last_digit(__m512i v)
{
	__m512i sum = _mm512_add_epi64(_mm512_and_si512(v, all((1 << 28) - 1)), _mm512_srli_epi64(v, 28));
	__m512i fives = _mm512_srli_epi64(_mm512_mul_epu32(sum, all(3435973837)), 34),
			rest = _mm512_sub_epi64(sum, _mm512_mul_epu32(fives, all(5)));
	return _mm512_mask_add_epi64(rest, _mm512_test_epi64_mask(_mm512_xor_si512(rest, v), all(1)), rest,
	                             all(5));
}

/* ---- the shortest decimal ---- */

/* mantissa * 2^ulp; lowest: floats below lie twice as close. */
typedef struct binaries {
	__m512i mantissa, ulp;
	__mmask8 lowest;
} binaries;

INLINE binaries take_apart(__m512i bits)
{
	const __m512i hidden = all(INT64_C(1) << 52);
	__m512i fraction = _mm512_and_si512(bits, all((INT64_C(1) << 52) - 1)),
			exponent = _mm512_srli_epi64(bits, 52);
	__mmask8 normal = _mm512_test_epi64_mask(exponent, exponent);
	binaries b = {.mantissa = _mm512_mask_or_epi64(fraction, normal, fraction, hidden)};
	b.ulp = _mm512_sub_epi64(_mm512_max_epi64(exponent, all(1)), all(1075));
	b.lowest = _mm512_testn_epi64_mask(fraction, fraction) & _mm512_cmpgt_epi64_mask(exponent, all(1));
	return b;
}

/* Which of s, s + 1, and the multiples of ten around s read back as the value. */
typedef struct candidates {
	__mmask8 tens_down, tens_up, down, up;
} candidates;

/* As `choose` does there: s, or one of its neighbours, or of the multiples of ten beside it. */
INLINE __m512i choose(__m512i s, __m512i tens, candidates in, __mmask8 nearer_up)
{
	__mmask8 only_one = in.down ^ in.up,
			 shorter = (in.tens_down ^ in.tens_up) & _mm512_cmpge_epu64_mask(s, all(10));
	__mmask8 next = (__mmask8)((only_one & in.up) | (~only_one & nearer_up));
	__m512i ten = _mm512_mask_add_epi64(tens, in.tens_up, tens, all(10));
	return _mm512_mask_mov_epi64(add_bit(s, next), shorter, ten);
}

/* The same with s truncated from four times s. */
INLINE __m512i choose_of_fourths(__m512i below, __m512i value, __m512i above)
{
	__m512i s = _mm512_srli_epi64(value, 2), tens = _mm512_sub_epi64(s, last_digit(s)),
			four_s = _mm512_slli_epi64(s, 2), four_tens = _mm512_slli_epi64(tens, 2);
	candidates in = {.tens_down = _mm512_cmple_epu64_mask(below, four_tens),
	                 .tens_up = _mm512_cmple_epu64_mask(_mm512_add_epi64(four_tens, all(40)), above),
	                 .down = _mm512_cmple_epu64_mask(below, four_s),
	                 .up = _mm512_cmple_epu64_mask(_mm512_add_epi64(four_s, all(4)), above)};
	__m512i weight = _mm512_add_epi64(_mm512_and_si512(value, all(3)), _mm512_and_si512(s, all(1)));
	return choose(s, tens, in, _mm512_cmpgt_epu64_mask(weight, all(2)));
}

/* Those that have digits; 1 for the others. */
INLINE __m512i load_bits(const double *values)
{
	const __m512i infinite = all(INT64_C(2047) << 52);
	__m512i bits = _mm512_and_si512(_mm512_loadu_si512(values), all(INT64_MAX));
	return _mm512_mask_mov_epi64(
		bits, _mm512_testn_epi64_mask(bits, bits) | _mm512_cmpge_epi64_mask(bits, infinite),
		all(INT64_C(1023) << 52));
}

/* First step, of value number k on: four times the value in units of its last decimal place, and the ends of
 * its interval, for the next step. */
INLINE void scale(sheaf_spelling *s, size_t k)
{
	binaries b = take_apart(load_bits(s->values + k));
	__m512i scaled = _mm512_mul_epi32(b.ulp, all(315653));
	__m512i exponent = _mm512_srai_epi64(_mm512_mask_sub_epi64(scaled, b.lowest, scaled, all(131008)), 20),
			power = _mm512_sub_epi64(all(0), exponent);
	__m512i log2 = _mm512_srai_epi64(_mm512_mul_epi32(power, all(217706)), 16);
	__m512i shift = add_bit(_mm512_add_epi64(b.ulp, log2), 0xff),
			index = _mm512_slli_epi64(_mm512_sub_epi64(power, all(SHEAF_POWER_FIRST)), 1);
	__m512i low = add_bit(_mm512_i64gather_epi64(index, &sheaf_powers[0].low, 8), 0xff);
	__m512i high =
		add_bit(_mm512_i64gather_epi64(index, &sheaf_powers[0].high, 8), _mm512_testn_epi64_mask(low, low));
	words value = times(_mm512_sllv_epi64(_mm512_slli_epi64(b.mantissa, 2), shift), high, low),
		  up = shifted(high, low, add_bit(shift, 0xff));
	words down = shifted(high, low, add_bit(shift, (__mmask8)~b.lowest));
	__m512i open = _mm512_and_si512(b.mantissa, all(1));
	_mm512_storeu_si512(s->first + k, _mm512_add_epi64(difference_to_odd(value, down), open));
	_mm512_storeu_si512(s->next + k, to_odd(value.high, value.middle));
	_mm512_storeu_si512(s->last + k, _mm512_sub_epi64(sum_to_odd(value, up), open));
	_mm512_storeu_si512(s->exponent + k, exponent);
}

/* ---- digits into text ---- */

INLINE __m512i count_digits(__m512i v)
{
	__m512i bits = _mm512_sub_epi64(all(64), _mm512_lzcnt_epi64(v)),
			n = _mm512_srli_epi64(_mm512_mul_epu32(bits, all(1233)), 12);
	return add_bit(n, _mm512_cmpge_epu64_mask(v, _mm512_i64gather_epi64(n, sheaf_tens, 8)));
}

/* The eight digits of v < 10^8, as bytes 0 to 9. */
INLINE __m512i eight_digits(__m512i v)
{
	__m512i high = _mm512_srli_epi64(_mm512_mul_epu32(v, all(109951163)), 40),
			low = _mm512_sub_epi64(v, _mm512_mul_epu32(high, all(10000)));
	__m512i fours = _mm512_or_si512(high, _mm512_slli_epi64(low, 32)),
			hundreds = _mm512_srli_epi16(_mm512_mulhi_epu16(fours, _mm512_set1_epi16(5243)), 3);
	__m512i units = _mm512_sub_epi16(fours, _mm512_mullo_epi16(hundreds, _mm512_set1_epi16(100))),
			pairs = _mm512_or_si512(hundreds, _mm512_slli_epi32(units, 16));
	__m512i tens = _mm512_mulhi_epu16(pairs, _mm512_set1_epi16(6554)),
			ones = _mm512_sub_epi16(pairs, _mm512_mullo_epi16(tens, _mm512_set1_epi16(10)));
	return _mm512_or_si512(tens, _mm512_slli_epi16(ones, 8));
}

/* Bytes up to the last that is not 0. */
INLINE __m512i bytes_used(__m512i v)
{
	return _mm512_sub_epi64(all(8), _mm512_srli_epi64(_mm512_lzcnt_epi64(v), 3));
}

/* Second step: seventeen digits, and the exponent of the first of them. */
INLINE void find_digits(sheaf_spelling *s, size_t k)
{
	__m512i digits = choose_of_fourths(_mm512_loadu_si512(s->first + k), _mm512_loadu_si512(s->next + k),
	                                   _mm512_loadu_si512(s->last + k)),
			size = count_digits(digits);
	__m512i more = _mm512_max_epi64(_mm512_sub_epi64(all(MOST_DIGITS), size), all(0));
	_mm512_storeu_si512(s->first + k,
	                    _mm512_mullo_epi64(digits, _mm512_i64gather_epi64(more, sheaf_tens, 8)));
	_mm512_storeu_si512(
		s->exponent + k,
		_mm512_add_epi64(_mm512_add_epi64(_mm512_loadu_si512(s->exponent + k), size), all(-1)));
}

/* Last step: their text. */
INLINE void put_text(sheaf_spelling *s, size_t k)
{
	const __m512i zeros = all((int64_t)SHEAF_ZEROS);
	__m512i low, nine = divide(_mm512_loadu_si512(s->first + k), &low),
				 first = _mm512_srli_epi64(_mm512_mul_epu32(nine, all(1441151881)), 57);
	__m512i next = eight_digits(_mm512_sub_epi64(nine, _mm512_mul_epu32(first, all(100000000)))),
			last = eight_digits(low);
	__mmask8 is_long = _mm512_test_epi64_mask(last, last);
	__m512i count = add_bit(bytes_used(_mm512_mask_mov_epi64(next, is_long, last)), 0xff);
	_mm512_storeu_si512(s->count + k, _mm512_mask_add_epi64(count, is_long, count, all(8)));
	_mm512_storeu_si512(s->first + k, _mm512_add_epi64(first, all('0')));
	_mm512_storeu_si512(s->next + k, _mm512_or_si512(next, zeros));
	_mm512_storeu_si512(s->last + k, _mm512_or_si512(last, zeros));
}

/* Step by step for all: each is short enough for a core to run several lanes' chains in parallel. */
AVX512 void sheaf_spell_f64_avx512(sheaf_spelling *s, size_t n)
{
	for (size_t k = 0; k < n; k += LANES) scale(s, k);
	for (size_t k = 0; k < n; k += LANES) find_digits(s, k);
	for (size_t k = 0; k < n; k += LANES) put_text(s, k);
}

/* ---- float32s, as float64s ---- */

/* The vector form of `shortest_in_a_word` in binary_to_decimal.c, for floats whose scaled mantissa fits 64
 * bits: mantissa * 2^ulp with a mantissa between 2^23 and 2^24, and an ulp of -40 to -1. */
INLINE __m512i choose_in_a_word(__m512i mantissa, __m512i ulp, __m512i places)
{
	const __m512i fives_low = _mm512_setr_epi64(1, 5, 25, 125, 625, 3125, 15625, 78125);
	const __m512i fives_high =
		_mm512_setr_epi64(390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 0, 0);
	__m512i half = _mm512_permutex2var_epi64(fives_low, places, fives_high),
			value = _mm512_slli_epi64(_mm512_mul_epu32(mantissa, half), 1),
			unit = _mm512_sub_epi64(_mm512_sub_epi64(all(1), ulp), places);
	__m512i open = _mm512_and_si512(mantissa, all(1)),
			below = _mm512_add_epi64(_mm512_sub_epi64(value, half), open),
			above = _mm512_sub_epi64(_mm512_add_epi64(value, half), open);
	__m512i s = _mm512_srlv_epi64(value, unit), tens = _mm512_sub_epi64(s, last_digit(s)),
			cut = _mm512_sllv_epi64(s, unit), one = _mm512_sllv_epi64(all(1), unit);
	__m512i cut_tens = _mm512_sllv_epi64(tens, unit),
			next_tens = _mm512_sllv_epi64(_mm512_add_epi64(tens, all(10)), unit);
	candidates in = {.tens_down = _mm512_cmpge_epu64_mask(cut_tens, below),
	                 .tens_up = _mm512_cmple_epu64_mask(next_tens, above),
	                 .down = _mm512_cmpge_epu64_mask(cut, below),
	                 .up = _mm512_cmple_epu64_mask(_mm512_add_epi64(cut, one), above)};
	__m512i twice = _mm512_slli_epi64(_mm512_sub_epi64(value, cut), 1),
			weight = _mm512_add_epi64(twice, _mm512_and_si512(s, all(1)));
	return choose(s, tens, in, _mm512_cmpgt_epu64_mask(weight, one));
}

/* All nine digits and their text. */
INLINE void spell_f32(sheaf_spelling *s, size_t k)
{
	const __m512i fraction_bits = all((INT64_C(1) << 52) - 1), zeros = all((int64_t)SHEAF_ZEROS);
	__m512i bits = _mm512_and_si512(_mm512_loadu_si512(s->values + k), all(INT64_MAX)),
			fraction = _mm512_and_si512(bits, fraction_bits);
	__m512i ulp = _mm512_sub_epi64(_mm512_srli_epi64(bits, 52), all(1046));
	__mmask8 fits = _mm512_test_epi64_mask(fraction, fraction) & _mm512_cmpge_epi64_mask(ulp, all(-40)) &
	                _mm512_cmplt_epi64_mask(ulp, all(0));
	ulp = _mm512_mask_mov_epi64(all(-1), fits, ulp);
	__m512i mantissa = _mm512_srli_epi64(_mm512_or_si512(fraction, all(INT64_C(1) << 52)), 29),
			places = _mm512_sub_epi64(all(0), _mm512_srai_epi64(_mm512_mul_epi32(ulp, all(315653)), 20));
	__m512i digits = choose_in_a_word(mantissa, ulp, places), size = count_digits(digits);
	__m512i more = _mm512_i64gather_epi64(_mm512_sub_epi64(all(9), size), sheaf_tens, 8),
			nine = _mm512_mul_epu32(digits, more),
			first = _mm512_srli_epi64(_mm512_mul_epu32(nine, all(1441151881)), 57);
	__m512i next = eight_digits(_mm512_sub_epi64(nine, _mm512_mul_epu32(first, all(100000000))));
	_mm512_storeu_si512(s->count + k, _mm512_maskz_mov_epi64(fits, add_bit(bytes_used(next), 0xff)));
	_mm512_storeu_si512(s->exponent + k, _mm512_sub_epi64(size, _mm512_add_epi64(places, all(1))));
	_mm512_storeu_si512(s->first + k, _mm512_add_epi64(first, all('0')));
	_mm512_storeu_si512(s->next + k, _mm512_or_si512(next, zeros));
	_mm512_storeu_si512(s->last + k, zeros);
}

AVX512 void sheaf_spell_f32_avx512(sheaf_spelling *s, size_t n)
{
	for (size_t k = 0; k < n; k += LANES) spell_f32(s, k);
}
#endif
