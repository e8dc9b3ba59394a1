/* SPDX-License-Identifier: MIT */
/* A summary as bytes:
 *
 *     "sheafSUM", version (4 bytes), schema, what is counted for each field, counts, hash (8 bytes)
 *
 * All numbers are little-endian. A count is a variable-length number of seven bits in each byte, the lowest
 * first; the eighth bit says that more follow. A table is the number of its counts other than zero, and for
 * each the number of zeros before it and the count. Reading checks for consistency: a total is the sum of its
 * parts, so that only results that counting can produce are accepted. */
#include "base/memory.h"
#include "base/need.h"
#include "base/third/xxhash.h"
#include "frame/frame.h"
#include "frame/schema/schema_bytes.h"
#include "report/summary/summary.h"
#include <math.h>
#include <stdlib.h>

static const char mark[8] = {'s', 'h', 'e', 'a', 'f', 'S', 'U', 'M'};
enum { VERSION = 3, SIDE_SHIFT = 8, HASH = 8, WORD_BITS = 7, WORD_MORE = 0x80, DIGIT_BITS = 32 };

/* ---- to bytes ---- */

static void put_word(sheaf_builder *b, uint64_t v)
{
	for (; v >= WORD_MORE; v >>= WORD_BITS) sheaf_builder_byte(b, (char)(uint8_t)(v | WORD_MORE));
	sheaf_builder_byte(b, (char)(uint8_t)v);
}

static void put_count(sheaf_builder *b, int64_t v) { put_word(b, (uint64_t)v); }

static void put_double(sheaf_builder *b, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	sheaf_builder_u64le(b, bits);
}

/* Their number, and for each the number of zeros before it. */
static void put_table(sheaf_builder *b, const int64_t *counts, int64_t n)
{
	int64_t some = 0, before = 0;
	for (int64_t i = 0; i < n; i++) some += counts[i] != 0;
	put_count(b, some);
	for (int64_t i = 0; i < n; i++) {
		if (counts[i] == 0) continue;
		put_count(b, i - before);
		put_count(b, counts[i]);
		before = i + 1;
	}
}

static void put_lengths(sheaf_builder *b, const sheaf_length_counts *h)
{
	put_count(b, h->n);
	if (h->n == 0) return;
	put_count(b, h->least);
	put_count(b, h->most);
	put_count(b, h->total);
	put_table(b, h->counts, (int64_t)h->room);
	put_table(b, h->bins, h->bins ? SHEAF_LENGTH_BINS : 0);
}

static void put_exact(sheaf_builder *b, const sheaf_exact *sum)
{
	sheaf_exact s = *sum;
	sheaf_exact_carry(&s);
	put_table(b, s.digits, SHEAF_EXACT_DIGITS - 1);
	sheaf_builder_u64le(b, (uint64_t)s.digits[SHEAF_EXACT_DIGITS - 1]);
}

static void put_values(sheaf_builder *b, const sheaf_value_counts *v)
{
	const int64_t counts[] = {v->n, v->zeros, v->negatives, v->nans, v->infinite[0], v->infinite[1]};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) put_count(b, counts[i]);
	if (v->n == 0) return;
	put_double(b, v->least);
	put_double(b, v->most);
	put_exact(b, &v->sum);
	put_exact(b, &v->squares);
	if (v->bins) put_table(b, v->bins, SHEAF_VALUE_BINS);
}

static void put_raster(sheaf_builder *b, const sheaf_raster *r)
{
	enum { CELLS = SHEAF_RASTER_SIDE * SHEAF_RASTER_SIDE };
	put_count(b, r->rows);
	put_table(b, r->counts, CELLS);
	for (int i = 0; i < CELLS; i++)
		if (r->counts[i]) put_double(b, r->magnitudes[i]);
}

/* Pointers to slots, each of which begins with its hash: the low half, then the high one. */
static int by_hash(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;
	if (x[1] != y[1]) return x[1] < y[1] ? -1 : 1;
	return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* In the order of their hashes, since the slot of an item in its table depends on what came before it: equal
 * summaries have equal bytes. */
static void put_items(sheaf_builder *b, const sheaf_frequent *f)
{
	const sheaf_item_count *items[SHEAF_FREQUENT_KEPT] = {0};
	int n = 0;
	put_count(b, f->halvings);
	put_count(b, f->kept);
	for (int i = 0; i < SHEAF_FREQUENT_SLOTS; i++)
		if (f->slots[i].count) items[n++] = &f->slots[i];
	qsort(items, (size_t)n, sizeof *items, by_hash);
	for (int i = 0; i < n; i++) {
		sheaf_builder_u64le(b, items[i]->low);
		sheaf_builder_u64le(b, items[i]->high);
		put_count(b, items[i]->count);
		put_count(b, items[i]->size << 1 | items[i]->cut);
		sheaf_builder_append(b, items[i]->bytes, items[i]->size);
	}
}

static void put_field(sheaf_builder *b, const sheaf_field_summary *f)
{
	const sheaf_pattern *p = &f->pattern;
	put_lengths(b, &f->lengths);
	put_lengths(b, &f->entries);
	put_values(b, &f->values);
	put_count(b, f->missing);
	put_table(b, f->codes, SHEAF_MISSING_CODES);
	put_count(b, f->other_keys);
	put_count(b, f->least_index + 1);
	put_count(b, f->most_index + 1);
	if (f->uses) put_table(b, f->uses, f->dim);
	if (f->raster.counts) put_raster(b, &f->raster);
	if (f->frequent.slots) put_items(b, &f->frequent);
	for (int64_t i = 0; p->cells && i < p->units * p->events; i++) {
		put_count(b, p->cells[i].n);
		if (p->cells[i].n) sheaf_builder_u64le(b, (uint64_t)p->cells[i].sum);
	}
}

static void put_contradictions(sheaf_builder *b, const sheaf_contradictions *c)
{
	const sheaf_same_inputs *all[SHEAF_INPUTS_KEPT];
	int n = 0;
	put_count(b, c->slots ? c->halvings + 1 : 0);
	if (!c->slots) return;
	put_count(b, c->kept);
	for (int i = 0; i < SHEAF_INPUTS_SLOTS; i++)
		if (c->slots[i].count) all[n++] = &c->slots[i];
	qsort(all, (size_t)n, sizeof *all, by_hash);
	for (int i = 0; i < n; i++) {
		sheaf_builder_u64le(b, all[i]->low);
		sheaf_builder_u64le(b, all[i]->high);
		sheaf_builder_u64le(b, all[i]->targets);
		put_count(b, all[i]->count);
		put_count(b, all[i]->first);
		put_count(b, all[i]->other + 1); /* -1: no row has other targets */
	}
}

sheaf_status sheaf_summary_save(const sheaf_summary *s, sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(s, "a summary");
	SHEAF_TRY(sheaf_summary_join(s, err));
	sheaf_builder b;
	sheaf_builder_begin(&b, s->cx, out);
	sheaf_builder_append(&b, mark, sizeof mark);
	sheaf_builder_u32le(&b, VERSION);
	sheaf_schema_to_bytes(&s->schema, &b);
	for (int f = 0; f < s->schema.nfields; f++)
		put_word(&b, sheaf_field_counted(&s->fields[f]) | (unsigned)s->fields[f].side << SIDE_SHIFT);
	put_count(&b, s->rows);
	put_count(&b, s->entries);
	put_count(&b, s->band.diagonal);
	put_count(&b, s->band.lower);
	put_count(&b, s->band.upper);
	put_contradictions(&b, &s->contradictions);
	for (int f = 0; f < s->schema.nfields; f++) put_field(&b, &s->fields[f]);
	if (!b.failed) sheaf_builder_u64le(&b, sheaf_xxhash(b.data, b.size, VERSION).low);
	return sheaf_builder_finish(&b, out, err);
}

/* ---- from bytes ---- */

typedef struct reading {
	sheaf_cursor c;
	sheaf_summary *s;
	const char *wrong; /* what was expected at the first contradiction */
} reading;

static void expect(reading *r, bool sound, const char *what)
{
	if (!sound && !r->wrong) r->wrong = what;
}

/* After an error, everything else is 0. */
static uint64_t get_word(reading *r, const char *field)
{
	uint64_t v = 0;
	for (int shift = 0; shift < 64 && !r->wrong; shift += WORD_BITS) {
		uint8_t byte = sheaf_cursor_u8(&r->c, field);
		v |= (uint64_t)(byte & (WORD_MORE - 1)) << shift;
		if (!(byte & WORD_MORE)) return r->c.failed ? 0 : v;
	}
	expect(r, false, field);
	return 0;
}

static int64_t get_count(reading *r, const char *field)
{
	uint64_t v = get_word(r, field);
	if (v <= (uint64_t)sheaf_most_counted) return (int64_t)v;
	expect(r, false, field);
	return 0;
}

/* A number of rows or columns, which is not limited. */
static int64_t get_size(reading *r, const char *field)
{
	uint64_t v = get_word(r, field);
	if (v <= INT64_MAX) return (int64_t)v;
	expect(r, false, field);
	return 0;
}

static double get_double(reading *r, const char *field)
{
	double v;
	uint64_t bits = sheaf_cursor_u64le(&r->c, field);
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* Fills a table of zeros; returns the sum of its counts, -1 if it is too large. */
static int64_t get_table(reading *r, int64_t *counts, int64_t n, const char *field)
{
	int64_t some = get_count(r, field), at = 0, sum = 0;
	for (int64_t i = 0; i < some && !r->wrong && !r->c.failed; i++, at++) {
		int64_t before = get_count(r, field), count = get_count(r, field);
		expect(r, before < n - at && count > 0 && count <= sheaf_most_counted - sum, field);
		if (r->wrong) return 0;
		at += before;
		counts[at] = count;
		sum += count;
	}
	return sum;
}

static sheaf_status get_lengths(reading *r, sheaf_length_counts *h, sheaf_error *err)
{
	static const char what[] = "counts of lengths";
	h->n = get_count(r, what);
	if (h->n == 0) return SHEAF_OK;
	h->least = get_count(r, what);
	h->most = get_count(r, what);
	h->total = get_count(r, what);
	/* The mean is between the least and the largest length. */
	int64_t mean = h->total / h->n;
	expect(r, h->least <= mean && mean + (h->total % h->n != 0) <= h->most, what);
	if (r->wrong) return SHEAF_OK;
	SHEAF_TRY(sheaf_length_counts_reserve(h, h->most, r->s->cx, err));
	int64_t sum = get_table(r, h->counts, (int64_t)h->room, what);
	sum += get_table(r, h->bins, h->bins ? SHEAF_LENGTH_BINS : 0, what);
	expect(r, sum == h->n, what);
	for (int64_t i = 0; i < (int64_t)h->room; i++)
		expect(r, (i >= h->least && i <= h->most) || h->counts[i] == 0, what);
	return SHEAF_OK;
}

static void get_exact(reading *r, sheaf_exact *sum)
{
	static const char what[] = "a sum";
	get_table(r, sum->digits, SHEAF_EXACT_DIGITS - 1, what);
	for (int i = 0; i + 1 < SHEAF_EXACT_DIGITS; i++) expect(r, sum->digits[i] >> DIGIT_BITS == 0, what);
	int64_t top = sheaf_cursor_i64le(&r->c, what);
	expect(r, top > -sheaf_most_counted && top < sheaf_most_counted, what);
	sum->digits[SHEAF_EXACT_DIGITS - 1] = top;
}

static void get_values(reading *r, sheaf_value_counts *v)
{
	static const char what[] = "counts of values";
	int64_t *const counts[] = {&v->n, &v->zeros, &v->negatives, &v->nans, &v->infinite[0], &v->infinite[1]};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) *counts[i] = get_count(r, what);
	int64_t others = v->zeros + v->nans + v->infinite[0] + v->infinite[1];
	expect(r, others <= v->n && v->negatives <= v->n - others, what);
	if (v->n == 0 || r->wrong) return;
	v->least = sheaf_unsigned_zero(get_double(r, what));
	v->most = sheaf_unsigned_zero(get_double(r, what));
	bool finite = sheaf_values_finite(v) > 0;
	expect(r,
	       finite ? isfinite(v->least) && isfinite(v->most) && v->least <= v->most
	              : v->least == INFINITY && v->most == -INFINITY,
	       what);
	get_exact(r, &v->sum);
	get_exact(r, &v->squares);
	if (v->bins) expect(r, get_table(r, v->bins, SHEAF_VALUE_BINS, what) == v->n - others, what);
}

static void get_raster(reading *r, sheaf_raster *raster)
{
	enum { SIDE = SHEAF_RASTER_SIDE, CELLS = SIDE * SIDE };
	static const char what[] = "a picture";
	int64_t rows = get_size(r, what);
	if (r->wrong) return;
	sheaf_raster_reach(raster, rows);
	get_table(r, raster->counts, CELLS, what);
	int width = sheaf_raster_width(raster), height = sheaf_raster_height(raster);
	for (int i = 0; i < CELLS; i++) {
		if (!raster->counts[i]) continue;
		raster->magnitudes[i] = get_double(r, what);
		expect(r, i % SIDE < width && i / SIDE < height && raster->magnitudes[i] >= 0, what);
	}
}

static void get_items(reading *r, sheaf_frequent *f)
{
	static const char what[] = "counts of items";
	int64_t halvings = get_count(r, what), kept = get_count(r, what), sum = 0;
	expect(r, halvings < 64 && kept <= SHEAF_FREQUENT_KEPT, what);
	if (!r->wrong) f->halvings = (int)halvings;
	for (int64_t i = 0; i < kept && !r->wrong && !r->c.failed; i++) {
		sheaf_item_count item = {0};
		item.low = sheaf_cursor_u64le(&r->c, what);
		item.high = sheaf_cursor_u64le(&r->c, what);
		item.count = get_count(r, what);
		uint64_t size = get_word(r, what);
		expect(r, item.count > 0 && item.count <= sheaf_most_counted - sum && size >> 1 <= SHEAF_ITEM_BYTES,
		       what);
		if (r->wrong) return;
		sum += item.count;
		item.size = (uint8_t)(size >> 1);
		item.cut = size & 1;
		const uint8_t *bytes = sheaf_cursor_bytes(&r->c, item.size, 1, what);
		if (bytes && item.size) memcpy(item.bytes, bytes, item.size);
		expect(r, sheaf_frequent_put(f, &item), what);
	}
}

static sheaf_status get_field(reading *r, sheaf_field_summary *f, sheaf_error *err)
{
	static const char units[] = "means of units";
	const sheaf_pattern *p = &f->pattern;
	SHEAF_TRY(get_lengths(r, &f->lengths, err));
	SHEAF_TRY(get_lengths(r, &f->entries, err));
	get_values(r, &f->values);
	f->missing = get_count(r, "missing");
	get_table(r, f->codes, SHEAF_MISSING_CODES, "missing");
	f->other_keys = get_count(r, "keys");
	f->least_index = get_size(r, "indices") - 1;
	f->most_index = get_size(r, "indices") - 1;
	expect(r,
	       f->least_index <= f->most_index && (f->most_index < 0 || f->most_index < f->dim) &&
	           (f->least_index < 0) == (f->most_index < 0),
	       "indices");
	if (f->uses) get_table(r, f->uses, f->dim, "uses of indices");
	if (f->raster.counts) get_raster(r, &f->raster);
	if (f->frequent.slots) get_items(r, &f->frequent);
	for (int64_t i = 0; p->cells && i < p->units * p->events && !r->wrong && !r->c.failed; i++) {
		p->cells[i].n = get_count(r, units);
		if (p->cells[i].n) p->cells[i].sum = sheaf_cursor_i64le(&r->c, units);
	}
	return SHEAF_OK;
}

static sheaf_status get_contradictions(reading *r, sheaf_contradictions *c, sheaf_error *err)
{
	static const char what[] = "contradictions";
	int64_t halvings = get_count(r, what), sum = 0;
	expect(r, halvings <= 64, what);
	if (halvings == 0 || r->wrong || r->c.failed) return SHEAF_OK;
	SHEAF_TRY(sheaf_contradictions_begin(c, r->s->cx, err));
	c->halvings = (int)halvings - 1;
	int64_t kept = get_count(r, what);
	expect(r, kept <= SHEAF_INPUTS_KEPT, what);
	for (int64_t i = 0; i < kept && !r->wrong && !r->c.failed; i++) {
		sheaf_same_inputs rows = {.low = sheaf_cursor_u64le(&r->c, what)};
		rows.high = sheaf_cursor_u64le(&r->c, what);
		rows.targets = sheaf_cursor_u64le(&r->c, what);
		rows.count = get_count(r, what);
		rows.first = get_count(r, what);
		rows.other = get_count(r, what) - 1;
		expect(r, rows.count > 0 && rows.count <= sheaf_most_counted - sum, what);
		if (r->wrong) break;
		sum += rows.count;
		expect(r, sheaf_contradictions_put(c, &rows), what);
	}
	return SHEAF_OK;
}

/* What the next field counts, which is limited to what can be counted for it. */
static unsigned flags_of(void *user, const sheaf_summary *s, int f)
{
	reading *r = (reading *)user;
	uint64_t word = get_word(r, "what is counted"), counts = word & ((1u << SIDE_SHIFT) - 1),
			 side = word >> SIDE_SHIFT;
	expect(r, side <= SHEAF_SIDE_TARGET && (!side || sheaf_field_is_stream(&s->schema.fields[f])), "sides");
	if (!r->wrong) s->fields[f].side = (sheaf_side)side;
	expect(r, (counts & ~(uint64_t)sheaf_field_counts(s, f)) == 0, "what is counted");
	return r->wrong ? 0 : (unsigned)counts;
}

static sheaf_status read_all(reading *r, sheaf_context *cx, sheaf_error *err)
{
	sheaf_schema schema;
	SHEAF_TRY(sheaf_schema_from_bytes(&r->c, cx, &schema, err));
	sheaf_status status = sheaf_summary_begin(&schema, cx, flags_of, r, &r->s, err);
	sheaf_schema_free(&schema);
	if (status == SHEAF_USAGE || status == SHEAF_UNSUPPORTED)
		return sheaf_fail(err, SHEAF_DATA, "summary: expected the schema of rows, found another one");
	SHEAF_TRY(status);
	sheaf_summary *s = r->s;
	s->rows = get_count(r, "rows");
	s->entries = get_count(r, "entries");
	s->band.diagonal = get_count(r, "a band");
	s->band.lower = get_size(r, "a band");
	s->band.upper = get_size(r, "a band");
	if (!r->wrong && !r->c.failed) SHEAF_TRY(get_contradictions(r, &s->contradictions, err));
	for (int f = 0; f < s->schema.nfields && !r->wrong && !r->c.failed; f++)
		SHEAF_TRY(get_field(r, &s->fields[f], err));
	if (!r->wrong && !r->c.failed && sheaf_cursor_left(&r->c) == 0) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "summary: expected %s, found bytes that are not",
	                  r->wrong      ? r->wrong
	                  : r->c.failed ? r->c.failed
	                                : "its end");
}

/* The bytes between the version and the hash. */
static sheaf_status open_bytes(const uint8_t *data, size_t size, sheaf_cursor *c, sheaf_error *err)
{
	enum { HEAD = sizeof mark + sizeof(uint32_t) };
	if (size < HEAD + HASH || memcmp(data, mark, sizeof mark) != 0)
		return sheaf_fail(err, SHEAF_DATA, "summary: expected one that was saved, found other bytes");
	uint32_t version = sheaf_load_u32le(data + sizeof mark);
	if (version != VERSION)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "summary: expected version %d, found %u: make it again",
		                  VERSION, (unsigned)version);
	if (sheaf_xxhash(data, size - HASH, VERSION).low != sheaf_load_u64le(data + size - HASH))
		return sheaf_fail(err, SHEAF_DATA, "summary: expected bytes that match its hash, found changed ones");
	*c = sheaf_cursor_over(data + HEAD, size - HEAD - HASH, HEAD);
	return SHEAF_OK;
}

sheaf_status sheaf_summary_load(const void *data, size_t size, sheaf_context *cx, sheaf_summary **out,
                                sheaf_error *err)
{
	reading r = {0};
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(data, "bytes");
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(open_bytes((const uint8_t *)data, size, &r.c, err));
	sheaf_status status = read_all(&r, cx, err);
	if (status)
		sheaf_summary_free(r.s);
	else
		*out = r.s;
	return status;
}
