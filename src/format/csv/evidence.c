/* SPDX-License-Identifier: MIT */
/* Whether the first line has names. Each kind of evidence compares how often a line of names is as this
 * one is with how often a line of values is: the latter is found in the lines below it, by comparing some
 * of them with the others. Logarithms of such odds are added up, above 0 for names.
 *
 * Three things are looked at: single fields (cell), a line as a whole (line, counting), and a column of
 * fields with that of the first line above it (column). The constants are estimates of shares of lines or
 * of fields; for values, `share` draws them from what is usual towards what this file shows. Numbers say
 * most, since they are rare as names; words say little. docs/formats/csv.md has the evidence in a table,
 * and how often the decision is wrong. */
#include "base/spell.h"
#include "format/csv/delimited.h"
#include "number/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef sheaf_delimited_opening opening;

enum {
	SAMPLES = 16, /* lines below that are compared with the others */
	COMPARED = 64 /* columns in which fields of a line are compared with each other */
};

/* ---- fields ---- */

typedef enum kind { WORD, CODE, WHOLE, REAL, TRUTH, ABSENT, KINDS } kind;

/* How often a name, and a value of an unknown column, is of a kind. Codes begin like numbers: dates, times,
 * addresses. */
static const struct {
	double names, values;
} usual[KINDS] = {[WORD] = {.93, .7},    [CODE] = {.03, .1},    [WHOLE] = {.02, .2},
                  [REAL] = {.0015, .15}, [TRUTH] = {.002, .02}, [ABSENT] = {.015, .03}};

typedef struct cell {
	kind kind;
	bool quoted;       /* in quotes that it does not need */
	bool plain, named; /* it has letters, blanks and lines alone, or digits after them as well */
	double number;
	uint32_t text, shape; /* hashes: of all bytes; of runs of letters, digits and others */
	sheaf_word word;
} cell;

/* Returns the kind of a word. Its quotes do not matter here: some programs put all fields in quotes.
 * Words such as nan and inf count as absent ones. */
static kind kind_of(sheaf_word word, const sheaf_dialect *dialect)
{
	word.quoted = false;
	unsigned found = sheaf_word_kind(&word, dialect);
	size_t n = (size_t)(word.end - word.at);
	if (found & (KIND_NULL | KIND_BLANK | KIND_ABSENT)) return ABSENT;
	if (found & (KIND_INTEGER | KIND_LARGE)) return WHOLE;
	bool begins = sheaf_begins_as_number(word.at, n);
	if (found & (KIND_REAL | KIND_COMMA)) return begins ? REAL : ABSENT; /* not a number, infinite */
	if (found & KIND_BOOL) return TRUTH;
	while (n > 0 && word.at[n - 1] >= '0' && word.at[n - 1] <= '9') n--;
	return n == 0 ? WHOLE : begins ? CODE : WORD; /* zeros may come first */
}

static bool is_letter(uint8_t c) { return (uint8_t)((c | 32) - 'a') < 26; }

/* A hash by FNV-1a: one more byte. */
static uint32_t add(uint32_t hash, uint8_t byte) { return (hash ^ byte) * UINT32_C(16777619); }

/* Sets the hashes of a word. Its shape has one byte for each run of bytes of a type: small letters,
 * capitals and digits are three types, and every other byte is its own, so that "AB-12" and "XYZ-7" have
 * the same shape. */
static void describe(cell *c)
{
	uint8_t before = 0;
	c->text = c->shape = UINT32_C(2166136261);
	c->plain = c->named = true;
	for (const uint8_t *at = c->word.at; at < c->word.end; at++) {
		uint8_t type = *at;
		if (*at >= 0x80 || is_letter(*at)) type = *at >= 'a' ? 'a' : 'A';
		if (*at >= '0' && *at <= '9') type = '9';
		bool is_plain = type == 'a' || type == 'A' || type == '_' || type == ' ' || type == '.';
		c->plain &= is_plain;
		c->named &= is_plain || (type == '9' && before);
		c->text = add(c->text, *at);
		if (type != before) c->shape = add(c->shape, type);
		before = type;
	}
}

/* Looks at a field of the file as the evidence sees it: its kind, its number if it has one, whether its
 * quotes are needless, and the hashes of its text. */
static cell look(sheaf_word word, const sheaf_dialect *dialect)
{
	cell c = {.word = sheaf_word_trim(word)};
	size_t n = (size_t)(c.word.end - c.word.at);
	c.kind = kind_of(c.word, dialect);
	c.quoted = word.quoted && !(n && (memchr(c.word.at, dialect->delimiter, n) ||
	                                  memchr(c.word.at, dialect->quote, n) || memchr(c.word.at, '\n', n)));
	if (c.kind == WHOLE || c.kind == REAL)
		sheaf_scan_f64((const char *)c.word.at, (const char *)c.word.end, &c.number);
	for (const uint8_t *at = c.word.at; c.kind == CODE && at < c.word.end && *at >= '0' && *at <= '9'; at++)
		c.number = c.number * 10 + (*at - '0');
	describe(&c);
	return c;
}

/* Line 0 is the first one; the others are some of those below. */
static cell look_at(const opening *o, int line, int lines, int column)
{
	const sheaf_dialect *dialect = &o->in->dialect;
	if (line == 0) return look(sheaf_header_word(o, column), dialect);
	int64_t record = (line - 1) * o->sample.count / (lines - 1);
	return look(sheaf_word_of(&o->sample, dialect, record, (uint32_t)column), dialect);
}

/* ---- lines ---- */

enum { UNQUOTED, QUOTED, MIXED };

typedef struct line {
	int numbers, filled; /* how many there are, if they count; fields that have a text */
	double counts;       /* how often names count so */
	bool even, twice;    /* in equal steps; two of its first fields are equal */
	int quotes;
} line;

/* Numbers that count stand side by side and go up or down: years, columns from 0 or 1 on, equal steps, or
 * many. They may begin codes: "0-4", "2019Q1". */
typedef struct counting {
	int numbers, words;
	double first, step, last;
	uint32_t text;
	bool up, down, even, years, codes, over, broken;
	bool index; /* the field above the names of rows is empty */
} counting;

/* Notes the line's next field, from left to right, in what is known of the line as a row of numbers that
 * count. Numbers must stand side by side: `over` is a word after a number, `broken` is a number after
 * that, or a code beside a number. Codes of one number whose texts differ, such as 2019Q1 and
 * 2019Q2, count up or down as well. */
static void count(counting *n, const cell *c)
{
	enum { FIRST_YEAR = 1500, LAST_YEAR = 2200 };
	const double NEARLY = 1e-6;
	n->words += c->kind == WORD;
	if (c->kind != WHOLE && c->kind != REAL && c->kind != CODE) {
		n->over |= n->numbers > 0;
		return;
	}
	n->years &= c->kind != REAL && c->number >= FIRST_YEAR && c->number <= LAST_YEAR;
	n->broken |= n->over || (n->numbers > 0 && (c->kind == CODE) != n->codes);
	n->codes = c->kind == CODE;
	if (n->numbers == 0) {
		n->first = c->number;
	} else {
		double step = c->number - n->last;
		bool is_next_code = step == 0 && c->kind == CODE && c->text != n->text; /* 2019Q1, 2019Q2 */
		if (n->numbers == 1) n->step = step;
		n->even &= fabs(step - n->step) <= NEARLY * fabs(n->step);
		n->up &= step > 0 || is_next_code;
		n->down &= step < 0 || is_next_code;
	}
	n->last = c->number;
	n->text = c->text;
	n->numbers++;
}

/* Returns how often lines of names count as this one does, between 0 and 1; 0: its numbers do not count.
 * pandas numbers columns from 0 on, with nothing above the names of rows. */
static double counts(const counting *n)
{
	enum { MANY = 6, SOME = 3 };
	const double MOSTLY = .2, OFTEN = .05, SELDOM = .01;
	bool columns = n->even && n->step == 1 && (n->first == 0 || n->first == 1);
	if (n->broken || (!n->up && !n->down)) return 0;
	if (n->index && !n->words && n->first == 0 && (columns || n->numbers == 1)) return MOSTLY; /* pandas */
	if (n->years) return n->numbers > 1 ? OFTEN : 0;
	if (columns) return n->numbers + (n->words > 0) < SOME ? 0 : n->first == 0 ? OFTEN : SELDOM;
	return n->numbers >= (n->even || n->codes ? SOME : MANY) ? SELDOM : 0;
}

/* Looks at line `number` of `lines` as a whole: whether its numbers count, whether two of its first
 * COMPARED fields are equal, and which of its fields are in quotes that they do not need. Numbers that do
 * not count are noted as none. */
static line look_at_line(const opening *o, int number, int lines)
{
	counting n = {.up = true, .down = true, .even = true, .years = true};
	uint32_t texts[COMPARED];
	int ntexts = 0, quoted = 0, unquoted = 0;
	line l = {0};
	for (int c = 0; c < o->in->width; c++) {
		cell field = look_at(o, number, lines, c);
		count(&n, &field);
		if (c == 0) n.index = field.kind == ABSENT;
		bool filled = field.word.at < field.word.end;
		l.filled += filled;
		quoted += field.quoted;
		unquoted += !field.quoted && !field.word.quoted && field.kind != ABSENT;
		for (int i = 0; i < ntexts && filled; i++) l.twice |= texts[i] == field.text;
		if (ntexts < COMPARED && filled) texts[ntexts++] = field.text;
	}
	l.counts = counts(&n);
	l.numbers = l.counts > 0 ? n.numbers : 0;
	l.even = n.even;
	l.quotes = quoted == 0 ? UNQUOTED : unquoted == 0 ? QUOTED : MIXED;
	return l;
}

/* ---- odds ---- */

typedef struct weighing {
	const opening *o;
	int lines; /* the first one, and those that it is compared with */
	line first;
	double *odds;
} weighing;

/* How often names are so, and how often values are. */
static void weigh(const weighing *w, sheaf_header_evidence what, double names, double values)
{
	w->odds[what] += log(names / values);
}

/* The share of lines of values that are so, given what was found in `of` of them; what is usual counts like
 * half a line. */
static double share(double found, double of, double usually) { return (found + usually / 2) / (of + .5); }

/* Weighs what the first line is as a whole against the lines below that it is compared with: numbers that
 * count, quotes, and fields that differ from each other. The chance that n numbers are in order
 * is 1 in n!, and a tenth of that if they have equal steps. */
static void weigh_lines(weighing *w)
{
	const double LEAST = 1e-5;
	double below = w->lines - 1, series = 0, alike = 0, twice = 0, chance = 1;
	w->first = look_at_line(w->o, 0, w->lines);
	for (int i = 1; i < w->lines; i++) {
		line l = look_at_line(w->o, i, w->lines);
		series += l.numbers > 0;
		alike += l.quotes == w->first.quotes;
		twice += l.twice == w->first.twice;
	}
	for (int i = 2; i <= w->first.numbers; i++) chance /= i; /* of numbers in order */
	if (w->first.even) chance /= 10;
	if (w->first.numbers) weigh(w, HEADER_COUNTS, w->first.counts, fmax(share(series, below, chance), LEAST));
	weigh(w, HEADER_QUOTES, w->first.quotes == MIXED ? .03 : alike > 0 ? .95 : .5, share(alike, below, .33));
	weigh(w, HEADER_DISTINCT, w->first.twice || !w->first.filled ? .02 : .98,
	      share(twice, below, w->first.twice ? .2 : .8));
}

/* What is in a column below the first line, beside the fields of the lines that it is compared with. */
typedef struct column {
	int64_t kinds[KINDS];
	double least[2], most[2];                        /* the two least and the two largest numbers */
	cell cells[1 + SAMPLES];                         /* of these lines */
	int64_t texts[1 + SAMPLES], shapes[1 + SAMPLES]; /* fields like them */
} column;

static bool is_number(const cell *c) { return c->kind == WHOLE || c->kind == REAL; }
static bool is_text(const cell *c) { return c->kind == WORD || c->kind == CODE; }

/* Goes through the fields of column `at` below the first line: counts their kinds, keeps the two smallest
 * and the two largest numbers, and counts how many fields have the text, and the shape, of each of the
 * compared lines. Texts and shapes are compared by their hashes. */
static void gather(const weighing *w, int at, column *c)
{
	const opening *o = w->o;
	*c = (column){.least = {INFINITY, INFINITY}, .most = {-INFINITY, -INFINITY}};
	for (int i = 0; i < w->lines; i++) c->cells[i] = look_at(o, i, w->lines, at);
	for (int64_t r = 0; r < o->sample.count; r++) {
		cell field = look(sheaf_word_of(&o->sample, &o->in->dialect, r, (uint32_t)at), &o->in->dialect);
		c->kinds[field.kind]++;
		if (is_number(&field)) {
			double v = field.number;
			c->least[1] = fmin(c->least[1], fmax(v, c->least[0]));
			c->least[0] = fmin(c->least[0], v);
			c->most[1] = fmax(c->most[1], fmin(v, c->most[0]));
			c->most[0] = fmax(c->most[0], v);
		}
		for (int i = 0; i < w->lines && is_text(&field); i++) {
			c->texts[i] += c->cells[i].text == field.text;
			c->shapes[i] += c->cells[i].shape == field.shape;
		}
	}
}

/* Whether a number is far from all others: by more than these are from each other, and than their size.
 * `below`: it is one of the column, and the least or the largest is compared with the next one. */
static bool is_far(const column *c, const cell *of, bool below)
{
	double least = c->least[below && of->number == c->least[0]],
		   most = c->most[below && of->number == c->most[0]],
		   reach = fmax(most - least, fmax(fabs(most), fabs(least)));
	return of->number < least - reach || of->number > most + reach;
}

/* Weighs a number above numbers: it is a name if it is far from them, as a year is from amounts. If the
 * line's numbers count, a near one is no evidence: that was weighed with the line. */
static void weigh_number(const weighing *w, const column *c)
{
	double numbers = 0, far = 0;
	for (int i = 1; i < w->lines; i++) {
		if (!is_number(&c->cells[i])) continue;
		numbers++;
		far += is_far(c, &c->cells[i], true);
	}
	bool is_first_far = is_far(c, &c->cells[0], false);
	if (w->first.numbers && !is_first_far) return;
	numbers = fmax(numbers - 1, 0); /* one alone is not far from anything */
	far = share(fmin(far, numbers), numbers, .3);
	weigh(w, HEADER_COUNTS, is_first_far ? .7 : .3, is_first_far ? far : 1 - far);
}

/* Words of which names of columns are made, more often than values. */
static const char *const name_words[] = {
	"address",   "age",   "amount", "category",    "city",  "class",    "code",   "color",  "count",
	"country",   "date",  "day",    "description", "email", "gender",   "group",  "height", "id",
	"index",     "item",  "key",    "label",       "lat",   "latitude", "length", "level",  "lon",
	"longitude", "month", "name",   "number",      "price", "quantity", "rank",   "rating", "region",
	"score",     "sex",   "size",   "species",     "state", "status",   "text",   "time",   "title",
	"total",     "type",  "url",    "user",        "value", "weight",   "width",  "word",   "year",
};

static bool is_name_word(const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < sizeof name_words / sizeof *name_words; i++)
		if (strlen(name_words[i]) == n && strncasecmp(name_words[i], (const char *)at, n) == 0) return true;
	return false;
}

/* Whether one of a few words, which signs or a capital after a small letter separate, is such a word. */
static bool has_name_word(const cell *c)
{
	enum { FEW = 3 };
	int words = 0;
	bool found = false;
	for (const uint8_t *at = c->word.at, *end; at < c->word.end; at = end) {
		for (end = at; end < c->word.end && is_letter(*end); end++)
			if (end > at && *end < 'a' && end[-1] >= 'a') break;
		found |= is_name_word(at, (size_t)(end - at));
		words += end > at;
		end += end == at;
	}
	return found && words <= FEW;
}

/* Weighs a word of the first line. Words that occur again below, or have the shape of others, are rather
 * values; if most below do, and the first one does not, it is rather a name. A text of a line below
 * always counts itself, so that 1 means that it is new. */
static void weigh_text(const weighing *w, const column *c)
{
	const cell *first = &c->cells[0];
	double texts = 0, new_texts = 0, new_shapes = 0;
	for (int i = 1; i < w->lines; i++) {
		if (!is_text(&c->cells[i])) continue;
		texts++;
		new_texts += c->texts[i] == 1;
		new_shapes += c->shapes[i] == 1;
	}
	new_texts = share(new_texts, texts, .9);
	new_shapes = share(new_shapes, texts, .5);
	if (c->texts[0])
		weigh(w, HEADER_TEXTS, .02, fmax(1 - new_texts, .2));
	else
		weigh(w, HEADER_TEXTS, .95, fmin(new_texts, .95));
	if (!c->shapes[0])
		weigh(w, HEADER_SHAPES, first->named || w->first.numbers ? .6 : .15, fmin(new_shapes, .6));
	else if (!first->plain && !w->first.numbers)
		weigh(w, HEADER_SHAPES, .1, fmax(1 - new_shapes, .2));
}

/* Weighs what the first line has in column `at` against what is below. Words that are not made of those
 * of names are no evidence: they may be those of another language. An empty field above empty ones is
 * none, either. */
static void weigh_column(const weighing *w, int at)
{
	const double OFTEN = .3, SELDOM = .01; /* such words in names, and in values */
	column c;
	gather(w, at, &c);
	const cell *first = &c.cells[0];
	double below = (double)w->o->sample.count, numbers = (double)(c.kinds[WHOLE] + c.kinds[REAL]);
	double names = usual[first->kind].names;
	if (first->kind == ABSENT && below > 0 && (double)c.kinds[ABSENT] == below) return;
	if (first->kind == ABSENT && at == 0 && w->first.filled) names = .15; /* above the names of rows */
	if (w->first.numbers && (is_number(first) || first->kind == CODE)) names = .7;
	weigh(w, HEADER_KINDS, names, share((double)c.kinds[first->kind], below, usual[first->kind].values));
	if (is_number(first) && numbers > 0) weigh_number(w, &c);
	if (has_name_word(first)) {
		double named = 0;
		for (int i = 1; i < w->lines; i++) named += has_name_word(&c.cells[i]);
		weigh(w, HEADER_NAMES, OFTEN, fmin(fmax(share(named, w->lines - 1, SELDOM), SELDOM), OFTEN));
	}
	if (is_text(first) && (below == 0 || c.kinds[WORD] + c.kinds[CODE] > 0)) weigh_text(w, &c);
}

/* Most tables have names, so that a table that shows nothing is taken for one with them: the odds begin at
 * exp(.5), which is 1.6 to 1. */
double sheaf_header_weigh(const opening *o, double odds[HEADER_EVIDENCE])
{
	weighing w = {.o = o, .odds = odds};
	double total = 0;
	w.lines = 1 + (int)(o->sample.count < SAMPLES ? o->sample.count : SAMPLES);
	for (int e = 0; e < HEADER_EVIDENCE; e++) odds[e] = 0;
	odds[HEADER_USUAL] = .5;
	odds[HEADER_WIDTH] = o->in->unnamed_first ? 4 : 0;
	weigh_lines(&w);
	for (int c = 0; c < o->in->width; c++) weigh_column(&w, c);
	for (int e = 0; e < HEADER_EVIDENCE; e++) total += odds[e];
	return total;
}
