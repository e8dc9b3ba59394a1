/* SPDX-License-Identifier: MIT */
/* Format strings with which cells may have been written. Nothing in a file says which, so each is judged by
 * how few bits encode the contents of the cells: a type that fits has values in a narrow range, or reals of
 * usual sizes, and a wrong one has neither. Either cells have a fixed size, which divides the file's; or
 * texts, which are preceded by their sizes, show where they begin. */
#include "base/endian.h"
#include "base/memory.h"
#include "format/scidb/scidb.h"
#include "io/source.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
	HEAD = 256 << 10,  /* bytes that are examined */
	MOST_CELL = 512,   /* bytes of cells of fixed size */
	MOST_CELLS = 300,  /* cells that are examined */
	MOST_TEXTS = 8,    /* longest cell */
	MOST_FOUND = 4000, /* texts that are searched for */
	FIELD_BITS = 6,    /* the cost of each entry by itself */
	NEVER = 1 << 20
};

/* A run of bytes of a fixed length that each cell has. */
typedef struct strip {
	const uint8_t *const *starts;
	int n;
	int width;
} strip;

/* ---- how well values fit a type, in bits ---- */

static int64_t integer_at(const uint8_t *at, int size)
{
	uint64_t v = 0;
	for (int i = size - 1; i >= 0; i--) v = v << 8 | at[i];
	int shift = 64 - 8 * size;
	return (int64_t)(v << shift) >> shift;
}

typedef struct range {
	int64_t least, most;
} range;

static range range_at(const strip *s, int offset, int size)
{
	range r = {INT64_MAX, INT64_MIN};
	for (int c = 0; c < s->n; c++) {
		int64_t v = integer_at(s->starts[c] + offset, size);
		if (v < r.least) r.least = v;
		if (v > r.most) r.most = v;
	}
	return r;
}

static double bits_of_range(range r) { return log2((double)r.most - (double)r.least + 1); }

static double weigh_integer(const strip *s, int offset, int size)
{
	return bits_of_range(range_at(s, offset, size)) + FIELD_BITS;
}

/* Reals of usual sizes, most of which are not 0. */
static double weigh_real(const strip *s, int offset, int size)
{
	enum { FLOAT_BITS = 14, DOUBLE_BITS = 40 };
	int odd = 0, zeros = 0;
	for (int c = 0; c < s->n; c++) {
		const uint8_t *at = s->starts[c] + offset;
		float narrow;
		double v;
		sheaf_copy_le(&narrow, at, 1, sizeof narrow);
		if (size == sizeof narrow)
			v = (double)narrow;
		else
			sheaf_copy_le(&v, at, 1, sizeof v);
		zeros += v == 0;
		odd += !(v == 0 || (fabs(v) > 1e-9 && fabs(v) < 1e15)) && !isnan(v);
	}
	if (odd * 50 > s->n || zeros * 10 > s->n * 9) return NEVER;
	return (size == 4 ? FLOAT_BITS : DOUBLE_BITS) + FIELD_BITS;
}

/* Seconds from 1973 to 2100. */
static double weigh_date(const strip *s, int offset, int size)
{
	const int64_t first = 100000000, last = 4102444800;
	range r = range_at(s, offset, 8);
	(void)size;
	return r.least >= first && r.most <= last ? bits_of_range(r) + FIELD_BITS - 3 : NEVER;
}

static bool is_printed(uint8_t c) { return (c >= 0x20 && c < 0x7f) || c >= 0x80 || c == '\n' || c == '\t'; }

static double weigh_char(const strip *s, int offset, int size)
{
	(void)size;
	for (int c = 0; c < s->n; c++)
		if (s->starts[c][offset] < 0x20 || s->starts[c][offset] >= 0x7f) return NEVER;
	return bits_of_range(range_at(s, offset, 1)) + 3;
}

static double weigh_bool(const strip *s, int offset, int size)
{
	range r = range_at(s, offset, 1);
	(void)size;
	return r.least == 0 && r.most == 1 ? FIELD_BITS : NEVER;
}

typedef struct trial {
	const char *name;
	int size;
	double (*weigh)(const strip *s, int offset, int size);
} trial;

static const trial trials[] = {
	{"datetime", 8, weigh_date}, {"double", 8, weigh_real},   {"int64", 8, weigh_integer},
	{"float", 4, weigh_real},    {"int32", 4, weigh_integer}, {"int16", 2, weigh_integer},
	{"bool", 1, weigh_bool},     {"char", 1, weigh_char},     {"int8", 1, weigh_integer},
};
enum { TRIALS = sizeof trials / sizeof *trials };

/* Bits that a null byte saves or costs before a value of `size` bytes: 0xFF before one, a small reason before
 * zeros. A few of the latter are no accident. */
static double weigh_null(const strip *s, int offset, int size)
{
	enum { REASONS = 20, FEW = 3, SAVED = -4 };
	int there = 0;
	for (int c = 0; c < s->n; c++) {
		const uint8_t *at = s->starts[c] + offset;
		if (at[0] == 0xff) {
			there++;
			continue;
		}
		if (at[0] > REASONS) return NEVER;
		for (int i = 1; i <= size; i++)
			if (at[i]) return NEVER;
	}
	return there == 0 ? NEVER : there == s->n ? 1 : s->n - there < FEW ? 3 : SAVED;
}

/* ---- entries of a strip: those that take the fewest bits ---- */

typedef struct step {
	double bits;
	int trial; /* the entry by which this place is reached; -1: none */
	bool nullable;
} step;

/* Goes from one place in a strip to the next with an entry, which may have a null byte: then only the values
 * that are present say how well the type fits. */
static void try_step(const strip *s, step *steps, int at, int t)
{
	const trial *way = &trials[t];
	const uint8_t *there[MOST_CELLS];
	strip some = {there, 0, s->width};
	if (at + way->size <= s->width) {
		double bits = steps[at].bits + way->weigh(s, at, way->size);
		if (bits < steps[at + way->size].bits) steps[at + way->size] = (step){bits, t, false};
	}
	if (at + 1 + way->size > s->width) return;
	double null = weigh_null(s, at, way->size);
	if (null >= NEVER) return;
	for (int c = 0; c < s->n; c++)
		if (s->starts[c][at] == 0xff) there[some.n++] = s->starts[c];
	double bits = steps[at].bits + null + way->weigh(&some, at + 1, way->size);
	if (bits < steps[at + 1 + way->size].bits) steps[at + 1 + way->size] = (step){bits, t, true};
}

/* The words of the entries that lead to the end of the strip. Chars in a row are a string of their number. */
static void put_words(sheaf_builder *b, const step *steps, int width)
{
	int n = 0, back[MOST_CELL];
	for (int at = width; at > 0; at -= trials[steps[at].trial].size + steps[at].nullable) back[n++] = at;
	for (int i = n - 1; i >= 0; i--) {
		const step *one = &steps[back[i]];
		int run = 1;
		bool chars = strcmp(trials[one->trial].name, "char") == 0 && !one->nullable;
		while (chars && i - run >= 0 && steps[back[i - run]].trial == one->trial &&
		       !steps[back[i - run]].nullable)
			run++;
		sheaf_builder_text(b, b->size > 1 ? ", " : "");
		if (run > 1)
			sheaf_builder_printf(b, "string(%d)", run);
		else
			sheaf_builder_printf(b, "%s%s", trials[one->trial].name, one->nullable ? " null" : "");
		i -= run - 1;
	}
}

/* Appends the entries to those after the opening bracket, unless `b` is NULL; returns the bits of a cell. The
 * cheapest way to each place in the strip is known before those that go on from there are tried. */
static double weigh_strip(const strip *s, sheaf_builder *b)
{
	step steps[MOST_CELL + 1];
	if (s->width == 0) return 0;
	if (s->width > MOST_CELL) {
		if (b) sheaf_builder_printf(b, "%sskip(%d)", b->size > 1 ? ", " : "", s->width);
		return 8.0 * s->width;
	}
	steps[0] = (step){0, -1, false};
	for (int at = 1; at <= s->width; at++) steps[at] = (step){NEVER, -1, false};
	for (int at = 0; at < s->width; at++)
		for (int t = 0; t < TRIALS && steps[at].bits < NEVER; t++) try_step(s, steps, at, t);
	if (b) put_words(b, steps, s->width);
	return steps[s->width].bits;
}

/* ---- telling ---- */

typedef struct guess {
	sheaf_context *cx;
	sheaf_bytes head;
	int64_t size; /* of the whole input; -1: not known */
	sheaf_candidate_teller tell;
	void *user;
	sheaf_error *err;
} guess;

static void begin_words(const guess *g, sheaf_builder *words)
{
	sheaf_builder_begin(words, g->cx, NULL);
	sheaf_builder_byte(words, '(');
}

/* Tells a format string, which lacks its end; the builder is dropped. */
static sheaf_status tell(const guess *g, sheaf_builder *words, double bits, const char *evidence)
{
	sheaf_builder_append(words, ")", sizeof ")");
	sheaf_status status = sheaf_builder_status(words, g->err);
	if (status == SHEAF_OK) {
		sheaf_candidate candidate = {"scidb", "format-string", (const char *)words->data, bits, evidence};
		status = g->tell(g->user, &candidate, g->err);
	}
	sheaf_builder_drop(words);
	return status;
}

/* ---- cells of one size ---- */

enum { BEST = 3 };

typedef struct sized {
	int width;
	double bits; /* of a byte */
} sized;

static int cut_fixed(const guess *g, int width, const uint8_t *starts[MOST_CELLS])
{
	int n = 0;
	for (size_t at = 0; at + (size_t)width <= g->head.size && n < MOST_CELLS; at += (size_t)width)
		starts[n++] = g->head.data + at;
	return n;
}

/* The best sizes first. A size is no better than one that divides it. */
static void keep_size(sized best[BEST], sized one)
{
	for (int i = 0; i < BEST; i++)
		if (best[i].width && one.width % best[i].width == 0 && one.bits > 0.95 * best[i].bits) return;
	for (int i = 0; i < BEST; i++) {
		if (best[i].width && best[i].bits <= one.bits) continue;
		sized held = best[i];
		best[i] = one;
		one = held;
	}
}

/* Sizes that divide the input's; with fewer than five cells, or as many bits as random bytes have, nothing is
 * reported, since it would fit anything. */
static sheaf_status guess_sizes(const guess *g)
{
	enum { LEAST_CELLS = 5 };
	const uint8_t *starts[MOST_CELLS];
	sized best[BEST] = {{0}};
	for (int width = 1; width <= MOST_CELL && width <= g->size; width++) {
		if (g->size % width) continue;
		strip s = {starts, cut_fixed(g, width, starts), width};
		SHEAF_TRY(sheaf_check_stop(g->cx, g->err));
		keep_size(best, (sized){width, weigh_strip(&s, NULL) / width});
	}
	for (int i = 0; i < BEST && best[i].width; i++) {
		char evidence[200];
		sheaf_builder words;
		strip s = {starts, cut_fixed(g, best[i].width, starts), best[i].width};
		if (s.n < LEAST_CELLS || best[i].bits > 7.9) continue;
		begin_words(g, &words);
		weigh_strip(&s, &words);
		snprintf(evidence, sizeof evidence,
		         "cells of %d bytes, which divide the %" PRId64 " of the file into %" PRId64
		         "; values of these types take %.1f bits per byte",
		         best[i].width, g->size, g->size / best[i].width, best[i].bits);
		SHEAF_TRY(tell(g, &words, best[i].bits, evidence));
	}
	return SHEAF_OK;
}

/* ---- cells with texts ---- */

/* A text with its size: where the size is, and where the text ends. */
typedef struct text {
	int64_t at, end;
} text;

/* The end of the text whose size is at a byte; 0 if there is none. */
static int64_t text_at(sheaf_bytes head, int64_t at)
{
	enum { LEAST = 3, MOST = 4096 };
	if (at + 4 > (int64_t)head.size) return 0;
	int64_t n = integer_at(head.data + at, 4), end = at + 4 + n;
	if (n < LEAST || n > MOST || end > (int64_t)head.size || head.data[end - 1]) return 0;
	for (int64_t i = at + 4; i < end - 1; i++)
		if (!is_printed(head.data[i])) return 0;
	return end;
}

/* The parts of a cell: gaps[0] bytes, a text, ..., a text, gaps[ntexts] bytes. */
typedef struct pattern {
	int ntexts;
	int64_t gaps[MOST_TEXTS + 1];
} pattern;

/* The end of the cell, with where its strips begin; -1 if it is none. */
static int64_t follow(sheaf_bytes head, const pattern *p, int64_t at, int64_t begins[MOST_TEXTS + 1])
{
	for (int t = 0; t <= p->ntexts; t++) {
		begins[t] = at;
		at += p->gaps[t];
		if (t == p->ntexts) break;
		if (at + 4 > (int64_t)head.size) return -1;
		int64_t n = integer_at(head.data + at, 4);
		at += 4 + n;
		if (n < 0 || at > (int64_t)head.size || (n > 0 && head.data[at - 1])) return -1;
	}
	return at <= (int64_t)head.size ? at : -1;
}

/* Where the strips of the examined cells begin: strip t of cell c at starts[t][c]. */
typedef const uint8_t *strips[MOST_TEXTS + 1][MOST_CELLS];

/* Whether the byte before each text is its null byte: 0xFF, or a code and no text after it. */
static bool is_null_byte(const uint8_t *const *starts, int64_t gap, int n)
{
	bool is = gap > 0;
	for (int c = 0; is && c < n; c++) {
		uint8_t byte = starts[c][gap - 1];
		is = byte == 0xff || (byte < 0x80 && integer_at(starts[c] + gap, 4) == 0);
	}
	return is;
}

static double weigh_texts(const pattern *p, strips starts, int n, sheaf_builder *words)
{
	double bits = 0;
	for (int t = 0; t <= p->ntexts; t++) {
		bool nullable = t < p->ntexts && is_null_byte(starts[t], p->gaps[t], n);
		strip s = {starts[t], n, (int)p->gaps[t] - nullable};
		bits += weigh_strip(&s, words);
		if (t < p->ntexts)
			sheaf_builder_printf(words, "%sstring%s", words->size > 1 ? ", " : "", nullable ? " null" : "");
	}
	return bits;
}

/* Follows the pattern from the beginning, as many cells as there are, the first of them strip by strip, and
 * tells it if it holds for all that is examined, except for a cell that is cut by the end of that. */
static sheaf_status tell_pattern(const guess *g, const pattern *p, strips starts, bool *told)
{
	enum { LEAST_CELLS = 2 };
	char evidence[200];
	sheaf_builder words;
	int n = 0;
	int64_t begins[MOST_TEXTS + 1], end, next, size = (int64_t)g->head.size;
	for (end = 0; end < size; end = next, n++) {
		next = follow(g->head, p, end, begins);
		if (next <= end) break;
		for (int t = 0; t <= p->ntexts && n < MOST_CELLS; t++) starts[t][n] = g->head.data + begins[t];
	}
	*told = n >= LEAST_CELLS && (end == size || (g->size > size && size - end < MOST_CELL + 4096));
	if (!*told) return SHEAF_OK;
	begin_words(g, &words);
	double bits =
		8 * weigh_texts(p, starts, n < MOST_CELLS ? n : MOST_CELLS, &words) / (double)(end ? end * 8 / n : 1);
	snprintf(evidence, sizeof evidence,
	         "%d cells one after the other, with %d counted texts each that end with NUL; they end at byte "
	         "%" PRId64 "%s",
	         n, p->ntexts, end, end == g->size ? ", the end of the file" : "");
	return tell(g, &words, bits, evidence);
}

/* Tells the first pattern that holds with k texts, of which found[0] is the first of some cell: short or
 * missing texts are not found, so that a cell may begin elsewhere. What is between the last text of a cell
 * and the first of the next is divided in all ways. */
static sheaf_status try_texts(const guess *g, const text *found, int k, strips starts, bool *told)
{
	pattern p = {.ntexts = k};
	int64_t rest = found[k].at - found[k - 1].end;
	sheaf_status status = SHEAF_OK;
	for (int t = 1; t < k; t++) p.gaps[t] = found[t].at - found[t - 1].end;
	for (int64_t before = 0; before <= rest && before <= MOST_CELL && !status && !*told; before++) {
		p.gaps[0] = before;
		p.gaps[k] = rest - before;
		status = tell_pattern(g, &p, starts, told);
	}
	return status;
}

/* Finds texts, and takes the smallest number of them after which the gaps between texts repeat. */
static sheaf_status guess_texts(const guess *g, bool *told)
{
	struct {
		text found[MOST_FOUND];
		strips starts;
	} * work;
	int n = 0;
	enum { FEW = 24 };
	sheaf_status status = sheaf_allocate(g->cx, sizeof *work, &work, g->err);
	*told = false;
	SHEAF_TRY(status);
	text *found = work->found;
	for (int64_t at = 0, end; at < (int64_t)g->head.size && n < MOST_FOUND; at++) {
		if (!(end = text_at(g->head, at))) continue;
		found[n++] = (text){at, end};
		at = end - 1;
	}
	for (int k = 1; k <= MOST_TEXTS && 2 * k <= n && status == SHEAF_OK && !*told; k++)
		for (int from = 0; from < FEW && from + k < n && status == SHEAF_OK && !*told; from++)
			status = try_texts(g, found + from, k, work->starts, told);
	sheaf_release(g->cx, work, sizeof *work);
	return status;
}

sheaf_status sheaf_scidb_guess(sheaf_source *source, sheaf_context *cx, sheaf_candidate_teller teller,
                               void *user, sheaf_error *err)
{
	guess g = {.cx = cx, .tell = teller, .user = user, .err = err};
	bool told;
	SHEAF_TRY(sheaf_source_ahead(source, HEAD, &g.head, err));
	if (g.head.size > HEAD) g.head.size = HEAD;
	g.size = sheaf_source_size(source);
	if (g.size < 0) g.size = (int64_t)g.head.size;
	SHEAF_TRY(guess_texts(&g, &told));
	return told ? SHEAF_OK : guess_sizes(&g);
}
