/* SPDX-License-Identifier: MIT */
/* Runs of numbers with AVX-512. */
#include "number/kernels/entries_parts.h"
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include "number/x86/kernel_avx512.h"

/* Loads 64 bytes, and finds the classes that every run needs: digits, spaces, and bytes that end the list. */
INLINE block load(const sheaf_numbers *run)
{
	const sheaf_delimiters *is = run->delimiters;
	block b = {.bytes = load_bytes(run->at, run->end)};
	b.digit = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(b.bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
	b.space = find(b.bytes, is->spaces[0]) | find(b.bytes, is->spaces[1]);
	b.end = find(b.bytes, is->mark) | find(b.bytes, is->feed) | find(b.bytes, is->before_feed);
	return b;
}

/* ---- integers of one to three digits ---- */

INLINE void store_small(sheaf_numbers *run, __m512i words, size_t n, bool wide)
{
	__m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words)),
			high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1));
	if (wide) {
		double *to = (double *)run->values + run->count;
		_mm512_storeu_pd(to, _mm512_cvtepi32_pd(_mm512_castsi512_si256(low)));
		_mm512_storeu_pd(to + 8, _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(low, 1)));
		_mm512_storeu_pd(to + 16, _mm512_cvtepi32_pd(_mm512_castsi512_si256(high)));
		_mm512_storeu_pd(to + 24, _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(high, 1)));
	} else {
		float *to = (float *)run->values + run->count;
		_mm512_storeu_ps(to, _mm512_cvtepi32_ps(low));
		_mm512_storeu_ps(to + 16, _mm512_cvtepi32_ps(high));
	}
	run->count += n;
}

/* Digits and spaces alternate, as in lists of zeros and ones: a digit and its space are a word. The start of
 * the next block is known before this one is read, so several are in progress at a time. */
INLINE bool try_single(sheaf_numbers *run, const block *b, bool wide)
{
	const uint64_t turns = 0x5555555555555555;
	if (b->digit != turns || b->space != ~turns) return false;
	store_small(run, _mm512_and_si512(b->bytes, _mm512_set1_epi16(0x0f)), (size_t)LANES * 4, wide);
	run->at += 64;
	return true;
}

/* Every digit is combined with the two digits before it; where a number ends, the three are its value. No
 * step depends on a number. */
INLINE void read_small(sheaf_numbers *run, __m512i bytes, uint64_t digit, uint64_t last, bool wide)
{
	const __m512i tens =
		_mm512_broadcast_i32x4(_mm_setr_epi8(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 0, 0, 0, 0, 0, 0));
	__m512i digits = _mm512_maskz_sub_epi8(digit, bytes, _mm512_set1_epi8('0'));
	__m512i before =
		_mm512_maskz_permutexvar_epi8(~1ull, _mm512_sub_epi8(iota(), _mm512_set1_epi8(1)), digits);
	__m512i hundreds = _mm512_maskz_permutexvar_epi8(digit & digit << 1 & ~3ull,
	                                                 _mm512_sub_epi8(iota(), _mm512_set1_epi8(2)), digits);
	__m512i rest = _mm512_add_epi8(digits, _mm512_shuffle_epi8(tens, before));
	__m512i r = _mm512_maskz_compress_epi8(last, rest), h = _mm512_maskz_compress_epi8(last, hundreds);
	__m512i words = _mm512_add_epi16(
		_mm512_cvtepu8_epi16(_mm512_castsi512_si256(r)),
		_mm512_mullo_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(h)), _mm512_set1_epi16(100)));
	store_small(run, words, (size_t)_mm_popcnt_u64(last), wide);
}

/* Moves run->at past the numbers of a block that were read; `after` has the byte after each of them, `halt`
 * the first byte of neither a digit nor a space, if there is one. That is to the end of the list, or after
 * spaces at the byte that stops, so that a byte which cannot precede a number may identify it; *more becomes
 * whether a number may be there. */
INLINE void pass_read(sheaf_numbers *run, const block *b, uint64_t after, uint64_t halt, bool *more)
{
	unsigned last = 63 - (unsigned)_lzcnt_u64(after), at = halt & after ? last : last + 1;
	bool meets = halt && !((b->digit & (halt - 1)) >> last); /* no number begins before it */
	if (meets) at = (unsigned)_tzcnt_u64(halt);
	run->at += at;
	if (meets && run->at < run->end)
		*more = *run->at == '-' || *run->at == '.' || (uint8_t)(*run->at - '0') <= 9;
}

/* Reads the block's numbers if all up to a list's end are such integers. */
INLINE bool try_small(sheaf_numbers *run, const block *b, bool wide, bool *more)
{
	uint64_t halt = _blsi_u64(~(b->digit | b->space)),
			 digit = b->digit & (halt - 1); /* all of them if nothing stops */
	uint64_t after = digit << 1 & ~digit & (b->space | b->end);
	if ((digit & digit << 1 & digit << 2 & digit << 3) || !after) return false;
	read_small(run, b->bytes, digit, after >> 1, wide);
	pass_read(run, b, after, halt, more);
	return true;
}

/* ---- all other numbers: eight in a step ---- */

/* The numbers up to the end of the list, or up to a flaw. Each pair mark has an index before it and a number
 * after it. */
INLINE numbers find_numbers(const block *b, bool pairs)
{
	numbers m = {.number = b->digit | b->dot | b->minus | b->e | b->plus};
	uint64_t first = m.number & ~(m.number << 1);
	m.first = pairs ? first & b->pair << 1 : first;
	m.flaws = ~(m.number | b->space | b->end | b->pair);
	find_mantissas(b, &m);
	if (pairs) {
		m.index = first ^ m.first;
		m.colon = (b->digit + m.index) & ~b->digit;
		m.flaws |= (m.colon ^ b->pair) | (b->pair << 1 & ~first);
		m.after &= ~b->pair;
	}
	uint64_t halt = _blsi_u64(m.flaws | b->end);
	m.after &= (halt - 1) | (halt & ~m.flaws);
	unsigned n = (unsigned)_mm_popcnt_u64(m.after);
	m.n = n < LANES ? n : LANES;
	return m;
}

INLINE unsigned store_floats(sheaf_numbers *run, lanes *l)
{
	uint64_t integers[LANES];
	__m256 floats = to_floats(l);
	unsigned n = _tzcnt_u32(l->left | 0x100u);
	_mm256_storeu_ps((float *)run->values + run->count, floats);
	if (!l->is_long) return n;
	_mm512_storeu_si512(integers, l->integers);
	for (unsigned rounded = _bzhi_u32(find_rounded(l, floats), n); rounded; rounded &= rounded - 1)
		run->rounded += sheaf_has_many_digits(integers[__builtin_ctz(rounded)]);
	return n;
}

INLINE unsigned store_doubles(const sheaf_numbers *run, const lanes *l)
{
	_mm512_storeu_pd((double *)run->values + run->count, l->values);
	return _tzcnt_u32(l->left | 0x100u);
}

INLINE void store_indices(const sheaf_numbers *run, __m512i index, lanes *l)
{
	l->left |= _mm512_cmpge_epu64_mask(index, _mm512_set1_epi64((long long)run->limit));
	if (run->wide_indices)
		_mm512_storeu_si512((int64_t *)run->indices + run->count, index);
	else
		_mm256_storeu_si256((__m256i *)(void *)((int32_t *)run->indices + run->count),
		                    _mm512_cvtepi64_epi32(index));
}

/* Skips spaces when no number can be read; false: there is something else. */
INLINE bool pass_spaces(sheaf_numbers *run, const block *b)
{
	unsigned n = (unsigned)_tzcnt_u64(~b->space);
	run->at += n;
	return n > 0;
}

/* Reads some numbers; false: the next item is none, or none for this kernel. */
INLINE bool step(sheaf_numbers *run, block *b, bool pairs, bool wide)
{
	find_parts_of_numbers(b);
	if (pairs) b->pair = find(b->bytes, run->delimiters->pair);
	numbers m = find_numbers(b, pairs);
	if (m.n == 0) return pass_spaces(run, b);
	__m512i text = press(b, &m);
	lanes l = read_values(b, &m, text);
	if (pairs) store_indices(run, read_indices(&m, text, &l.left), &l);
	unsigned n = wide ? store_doubles(run, &l) : store_floats(run, &l);
	if (n < m.n) {
		run->count += n;
		run->at += _tzcnt_u64(_pdep_u64(1ull << n, pairs ? m.index : m.first));
		return false;
	}
	/* Follows from the masks alone, so the next step need not wait for the values of this one. */
	run->count += m.n;
	uint64_t last = _pdep_u64(1ull << (m.n - 1), m.after);
	run->at += _tzcnt_u64(last) + !(last & b->end);
	return !(last & b->end);
}

INLINE void read_run(sheaf_numbers *caller, bool pairs, bool wide)
{
	sheaf_numbers run = *caller; /* whose address is never taken: it can stay in registers */
	bool more = true;
	if (!pairs && run.at < run.end && *run.at == run.delimiters->spaces[0])
		run.at++; /* so that the first block begins with a number */
	while (more && run.room - run.count >= SHEAF_NUMBERS_ROOM) {
		block b = load(&run);
		if (pairs || !(try_single(&run, &b, wide) || try_small(&run, &b, wide, &more)))
			more = step(&run, &b, pairs, wide);
	}
	*caller = run;
}

/* ---- whole numbers of up to four digits ---- */

/* As in read_small, but every two digits are combined with the two before them. */
INLINE void put_whole(sheaf_numbers *run, __m512i bytes, uint64_t digit, uint64_t last)
{
	const __m512i tens =
		_mm512_broadcast_i32x4(_mm_setr_epi8(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 0, 0, 0, 0, 0, 0));
	__m512i digits = _mm512_maskz_sub_epi8(digit, bytes, _mm512_set1_epi8('0'));
	__m512i before =
		_mm512_maskz_permutexvar_epi8(~1ull, _mm512_sub_epi8(iota(), _mm512_set1_epi8(1)), digits);
	__m512i rest = _mm512_add_epi8(digits, _mm512_shuffle_epi8(tens, before));
	__m512i hundreds = _mm512_maskz_permutexvar_epi8(digit << 1 & digit << 2,
	                                                 _mm512_sub_epi8(iota(), _mm512_set1_epi8(2)), rest);
	__m512i r = _mm512_maskz_compress_epi8(last, rest), h = _mm512_maskz_compress_epi8(last, hundreds);
	__m512i words = _mm512_add_epi16(
		_mm512_cvtepu8_epi16(_mm512_castsi512_si256(r)),
		_mm512_mullo_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(h)), _mm512_set1_epi16(100)));
	int32_t *to = (int32_t *)run->values + run->count;
	_mm512_storeu_si512(to, _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words)));
	_mm512_storeu_si512(to + 16, _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1)));
	run->count += (size_t)_mm_popcnt_u64(last);
}

/* Reads the numbers up to the end of the list, up to one with more digits, or up to anything else. False: the
 * list does not continue here. */
INLINE bool step_whole(sheaf_numbers *run)
{
	bool more = true;
	block b = load(run);
	uint64_t fifth = b.digit & b.digit << 1 & b.digit << 2 & b.digit << 3 & b.digit << 4;
	uint64_t halt = _blsi_u64(~(b.digit | b.space) | fifth >> 4),
			 digit = b.digit & (halt - 1); /* all of them if nothing stops */
	uint64_t after = digit << 1 & ~digit & (b.space | b.end);
	if (!after) {
		unsigned spaces = (unsigned)_tzcnt_u64(~b.space);
		run->at += spaces;
		return spaces > 0;
	}
	put_whole(run, b.bytes, digit, after >> 1);
	pass_read(run, &b, after, halt, &more);
	return more;
}

AVX512 static void whole_i32(sheaf_numbers *caller)
{
	sheaf_numbers run = *caller; /* whose address is never taken: it can stay in registers */
	while (run.room - run.count >= SHEAF_NUMBERS_ROOM && step_whole(&run)) {
	}
	*caller = run;
	if (run.at < run.end && (uint8_t)(*run.at - '0') <= 9) sheaf_whole_i32_portable(caller);
}

/* ---- the kernel ---- */

AVX512 static void dense_f32(sheaf_numbers *run) { read_run(run, false, false); }
AVX512 static void dense_f64(sheaf_numbers *run) { read_run(run, false, true); }
AVX512 static void pairs_f32(sheaf_numbers *run) { read_run(run, true, false); }
AVX512 static void pairs_f64(sheaf_numbers *run) { read_run(run, true, true); }

static bool is_available(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

const sheaf_kernel sheaf_kernel_avx512 = {
	.name = "avx512",
	.is_available = is_available,
	.dense_f32 = dense_f32,
	.dense_f64 = dense_f64,
	.pairs_f32 = pairs_f32,
	.pairs_f64 = pairs_f64,
	.whole_i32 = whole_i32,
	.find_feeds = sheaf_find_feeds_avx512,
	.count_feeds = sheaf_count_feeds_avx2,
	.count_ends = sheaf_count_ends_avx512,
	.lines_f32 = sheaf_tape_f32_avx512,
	.lines_f64 = sheaf_tape_f64_avx512,
	.alike = sheaf_alike_avx512,
	.find_any = sheaf_find_any_avx512,
	.skip_utf8 = sheaf_skip_utf8_avx2,
	.copy_words = sheaf_copy_words_avx512,
	.copy_reals = sheaf_copy_reals_avx512,
	.entries = sheaf_entries_avx512,
	.fields = &sheaf_fields_avx512,
	.spell_f32 = sheaf_spell_f32_avx512,
	.spell_f64 = sheaf_spell_f64_avx512,
};
#endif
