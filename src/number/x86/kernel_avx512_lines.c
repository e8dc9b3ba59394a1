/* SPDX-License-Identifier: MIT */
/* Short lines with AVX-512: names and ids are found by masks like numbers, so no line, list or id restarts
 * the search. A line is an id, or none, and lists, each of which is a mark, directly after it a name, and
 * numbers or pairs:
 *
 *     line     7 |x 1 2.5 |y 3:1 \n      (here the mark is '|')
 *     ids      ^
 *     names      ^^       ^^
 *
 * Masks have one bit for each byte of a block, and runs of ones are found by carries, as kernel_avx512.h
 * explains. */
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include "number/x86/kernel_avx512.h"

enum { EVENTS = 16 };

/* At which part of a line a step begins. */
typedef struct place {
	uint64_t at_start;    /* 1: at its first byte */
	uint64_t before_mark; /* 1: before its first list */
} place;

/* Masks of the bytes around numbers, one bit for each byte of the block. */
typedef struct frame {
	uint64_t mark, feed;         /* bytes that begin a name; that end a line */
	uint64_t run;                /* all bytes but spaces and feeds: words, of which a line consists */
	uint64_t ids, names;         /* all their bytes; names with their marks */
	uint64_t first_id, after_id; /* the first byte of each id; the byte after it */
	uint64_t flaws;              /* bytes at which the kernel stops: what it does not read for certain */
} frame;

/* Finds the names, with their marks. `back` has the bytes that may stand before a feed (carriage returns),
 * which belong to no name. Adding the marks to the letters carries through each word from its mark on, so the
 * letters that the sum no longer has are the names. A second mark in a word puts its own bit into the sum
 * again, so it is none of them. Flaws are such marks, an empty name, a name that begins with another mark or
 * with what makes it a comment, and bytes of names below 0x20 or above 0x7f. `after` has the byte after each
 * mark. */
INLINE void find_names(frame *f, const block *b, const sheaf_delimiters *is, uint64_t back)
{
	uint64_t letters = f->run & ~back, after = f->mark << 1;
	f->names = letters & ~(letters + f->mark);
	f->flaws |= f->mark & ~f->names; /* in a name */
	f->flaws |= after & (~letters | f->mark | find(b->bytes, is->comment));
	f->flaws |=
		(_mm512_movepi8_mask(b->bytes) | _mm512_cmplt_epu8_mask(b->bytes, _mm512_set1_epi8(0x20))) & f->names;
}

/* Finds the ids: digits from the start of a line. `starts` has the first byte of each line, `outside` the
 * bytes of lines before their first mark, by a carry from there; of these, words other than ids are flaws. A
 * block may begin within a line (p). */
INLINE void find_ids(frame *f, const block *b, const place *p)
{
	uint64_t starts = f->feed << 1 | p->at_start, outside = ~(f->mark | f->feed);
	outside &= ~(outside + (starts | p->before_mark));
	f->first_id = starts & b->digit;
	uint64_t carried = b->digit + f->first_id;
	f->ids = b->digit & ~carried;
	f->after_id = carried & ~b->digit;
	f->flaws |= (f->after_id & ~(b->space | f->mark | f->feed)) | (outside & f->run & ~f->ids);
}

/* Removes bytes outside numbers from the numbers' masks. */
INLINE void hide(block *b, uint64_t bytes)
{
	b->digit &= ~bytes;
	b->zero &= ~bytes;
	b->dot &= ~bytes;
	b->minus &= ~bytes;
	b->plus &= ~bytes;
	b->e &= ~bytes;
	b->pair &= ~bytes;
}

/* Finds all masks of a block but those of numbers, and takes what belongs to names and ids out of those of
 * bytes, so that numbers are looked for in what is left. A `before_feed` byte that is not directly before a
 * feed is a flaw. */
INLINE frame find_frame(block *b, const sheaf_delimiters *is, const place *p)
{
	uint64_t back = find(b->bytes, is->before_feed);
	frame f = {.mark = find(b->bytes, is->mark), .feed = find(b->bytes, is->feed)};
	b->digit = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(b->bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
	b->space = find(b->bytes, is->spaces[0]) | find(b->bytes, is->spaces[1]);
	b->pair = find(b->bytes, is->pair);
	f.run = ~(b->space | f.feed);
	f.flaws = back & ~(f.feed >> 1);
	find_names(&f, b, is, back);
	find_parts_of_numbers(b);
	find_ids(&f, b, p);
	hide(b, f.ids | f.names);
	b->end = f.mark | f.feed | back;
	b->space |= f.ids | f.names; /* whatever they are, they separate numbers */
	return f;
}

/* Numbers that end in a pair mark are indices; a value follows each of them. */
INLINE numbers find_numbers(const block *b)
{
	numbers m = {.number = b->digit | b->dot | b->minus | b->e | b->plus};
	uint64_t first = m.number & ~(m.number << 1), after = (m.number << 1) & ~m.number;
	m.index = _pdep_u64(_pext_u64(b->pair, after), first);
	m.first = first ^ m.index;
	m.flaws = ~(m.number | b->space | b->end | b->pair);
	find_mantissas(b, &m);
	m.colon = (b->digit + m.index) & ~b->digit;
	m.flaws |= (m.colon ^ b->pair) | (b->pair << 1 & ~m.first);
	m.after &= ~b->pair;
	return m;
}

/* The bits before bit number n + 1 of a mask; all if it has no more than n. */
INLINE uint64_t before_bit(uint64_t mask, unsigned n) { return _pdep_u64(1ull << n, mask) - 1; }

/* How many bytes the step takes: whole runs, without flaws, and never more of anything than there are
 * lanes. */
INLINE unsigned find_cut(const frame *f, const numbers *m)
{
	uint64_t seen = _blsi_u64(f->flaws | m->flaws) - 1;
	seen &=
		before_bit(m->first, LANES) & before_bit(f->first_id, LANES) & before_bit(f->mark | f->feed, EVENTS);
	return 64 - (unsigned)_lzcnt_u64(~f->run & seen);
}

/* One event for each lane. Its rank among events and values, minus its rank among events, is the number of
 * values before it. */
INLINE void store_events(sheaf_tape *tape, const uint8_t *at, uint64_t events, uint64_t values,
                         uint64_t indices)
{
	__m512i bytes = _mm512_maskz_compress_epi8(events, iota());
	__m512i before =
		_mm512_sub_epi8(_mm512_maskz_compress_epi8(_pext_u64(events, events | values), iota()), iota());
	__m512i indices_before =
		_mm512_sub_epi8(_mm512_maskz_compress_epi8(_pext_u64(events, events | indices), iota()), iota());
	size_t n = tape->nevents;
	_mm512_storeu_si512(tape->at + n, _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes)),
	                                                   _mm512_set1_epi32((int)(at - tape->begin))));
	_mm512_storeu_si512(tape->values_before + n,
	                    _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(before)),
	                                     _mm512_set1_epi32((int)tape->nvalues)));
	_mm512_storeu_si512(tape->indices_before + n,
	                    _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(indices_before)),
	                                     _mm512_set1_epi32((int)tape->nindices)));
}

/* Values onto the tape, after its end. False if one is left. */
INLINE bool store_values(sheaf_tape *tape, lanes *l, bool wide)
{
	if (wide) {
		_mm512_storeu_pd(tape->values.f64 + tape->nvalues, l->values);
		return true;
	}
	__m256 floats = to_floats(l);
	_mm256_storeu_ps(tape->values.f32 + tape->nvalues, floats);
	return !l->is_long || !find_rounded(l, floats); /* they are counted when they are read */
}

INLINE bool store_ids(sheaf_tape *tape, const frame *f, const numbers *m, __m512i text, uint64_t taken)
{
	__m512i from = places(f->first_id & taken, m->kept), to = places(f->after_id & taken, m->kept);
	_mm512_storeu_si512(tape->ids + tape->nids, eight_digits(text, from, to));
	return !any_above(_mm512_sub_epi8(to, from), LANE_DIGITS);
}

/* Reads the part of a block that is certain, up to the first flaw or to where lanes and room for events end;
 * false if the rest is left, or if none is. Whatever was stored after the ends of the tape's arrays counts
 * only once the numbers of entries are raised. */
INLINE bool step(sheaf_tape *tape, const uint8_t **at, place *p, bool wide)
{
	block b = {.bytes = load_bytes(*at, tape->end)};
	frame f = find_frame(&b, tape->delimiters, p);
	numbers m = find_numbers(&b);
	unsigned cut = find_cut(&f, &m);
	if (cut == 0) return false;
	uint64_t taken = _bzhi_u64(~0ull, cut), events = (f.mark | f.feed) & taken, values = m.after & taken,
			 indices = m.colon & taken;
	m.n = (unsigned)_mm_popcnt_u64(values);
	__m512i text = press(&b, &m);
	lanes l = read_values(&b, &m, text);
	__mmask8 left = 0;
	__m512i index = read_indices(&m, text, &left);
	_mm256_storeu_si256((__m256i *)(void *)(tape->indices + tape->nindices), _mm512_cvtepi64_epi32(index));
	bool has_values = store_values(tape, &l, wide), has_ids = store_ids(tape, &f, &m, text, taken);
	if (!has_values || !has_ids || _bzhi_u32(l.left, m.n) || left) return false;
	store_events(tape, *at, events, values >> 1, indices);
	tape->nvalues += m.n;
	tape->nindices += (size_t)_mm_popcnt_u64(indices);
	tape->nids += (size_t)_mm_popcnt_u64(f.first_id & taken);
	tape->nevents += (size_t)_mm_popcnt_u64(events);
	p->at_start = f.feed >> (cut - 1) & 1;
	p->before_mark = events ? (f.feed & taken) > (f.mark & taken) : p->before_mark;
	*at += cut;
	return true;
}

INLINE bool has_room(const sheaf_tape *tape)
{
	return tape->nvalues < SHEAF_TAPE_ROOM && tape->nevents < SHEAF_TAPE_ROOM &&
	       tape->nids < SHEAF_TAPE_ROOM && tape->nindices < SHEAF_TAPE_ROOM;
}

INLINE void read_lines(sheaf_tape *tape, bool wide)
{
	const uint8_t *at = tape->begin;
	place p = {1, 1};
	tape->nvalues = tape->nindices = tape->nids = tape->nevents = 0;
	while (at < tape->end && has_room(tape) && step(tape, &at, &p, wide)) {
	}
}

AVX512 void sheaf_tape_f32_avx512(sheaf_tape *tape) { read_lines(tape, false); }
AVX512 void sheaf_tape_f64_avx512(sheaf_tape *tape) { read_lines(tape, true); }
#endif
