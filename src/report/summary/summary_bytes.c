/* SPDX-License-Identifier: MIT */
/* A summary as bytes:
 *
 *     "sheafSUM", version (4 bytes), schema, what is counted for each field, counts, hash (8 bytes)
 *
 * All numbers are little-endian. A count is a variable-length number of seven bits in each byte, the lowest
 * first; the eighth bit says that more follow. A table is the number of its counts other than zero, and for
 * each the number of zeros before it and the count. Equal summaries have equal bytes.
 *
 * Each part is described once, for both directions: a function writes what it is given, or reads into it.
 * Reading checks for consistency: a total is the sum of its parts, so that only results that counting can
 * produce are accepted. */
#include "base/memory.h"
#include "base/need.h"
#include "base/third/xxhash.h"
#include "frame/frame.h"
#include "frame/schema/schema_bytes.h"
#include "report/summary/summary.h"
#include <math.h>
#include <stdlib.h>

static const char mark[8] = {'s', 'h', 'e', 'a', 'f', 'S', 'U', 'M'};
enum { VERSION = 4, SIDE_SHIFT = 8, HASH = 8, WORD_BITS = 7, WORD_MORE = 0x80, DIGIT_BITS = 32 };

typedef struct passage {
	sheaf_builder *to; /* NULL: bytes are read */
	sheaf_cursor from;
	sheaf_summary *s;  /* that is read */
	const char *wrong; /* what was expected at the first contradiction; afterwards everything else is 0 */
} passage;

/* ---- numbers ---- */

/* Takes note of the first contradiction in bytes that are read: `what` was expected there. What is written is
 * always sound. */
static void expect(passage *p, bool sound, const char *what)
{
	if (!p->to && !sound && !p->wrong) p->wrong = what;
}

static bool has_failed(const passage *p) { return p->wrong || p->from.failed; }

static void put_word(sheaf_builder *b, uint64_t v)
{
	for (; v >= WORD_MORE; v >>= WORD_BITS) sheaf_builder_byte(b, (char)(uint8_t)(v | WORD_MORE));
	sheaf_builder_byte(b, (char)(uint8_t)v);
}

static uint64_t get_word(passage *p, const char *field)
{
	uint64_t v = 0;
	for (int shift = 0; shift < 64 && !p->wrong; shift += WORD_BITS) {
		uint8_t byte = sheaf_cursor_u8(&p->from, field);
		v |= (uint64_t)(byte & (WORD_MORE - 1)) << shift;
		if (!(byte & WORD_MORE)) return p->from.failed ? 0 : v;
	}
	expect(p, false, field);
	return 0;
}

/* Writes a number, or reads one from 0 to `most`, which is 0 if it is wrong. */
static void pass_number(passage *p, int64_t *v, int64_t most, const char *field)
{
	if (p->to) {
		put_word(p->to, (uint64_t)*v);
		return;
	}
	uint64_t word = get_word(p, field);
	expect(p, word <= (uint64_t)most, field);
	*v = p->wrong ? 0 : (int64_t)word;
}

static void pass_count(passage *p, int64_t *v, const char *field)
{
	pass_number(p, v, sheaf_most_counted, field);
}

/* Writes or reads any 64 bits: a hash, a signed sum, a double. */
static void pass_bits(passage *p, void *eight, const char *field)
{
	uint64_t bits;
	memcpy(&bits, eight, sizeof bits);
	if (p->to) {
		sheaf_builder_u64le(p->to, bits);
		return;
	}
	bits = sheaf_cursor_u64le(&p->from, field);
	memcpy(eight, &bits, sizeof bits);
}

/* Writes a table of n counts, or fills a table of zeros with those that it reads. Returns the sum of the
 * counts; what is read may add up to sheaf_most_counted. */
static int64_t pass_table(passage *p, int64_t *counts, int64_t n, const char *field)
{
	int64_t some = 0, sum = 0;
	for (int64_t i = 0; p->to && i < n; i++) some += counts[i] != 0;
	pass_count(p, &some, field);
	for (int64_t at = 0, i = 0; i < some && !has_failed(p); i++, at++) {
		int64_t before = 0, count;
		while (p->to && counts[at + before] == 0) before++;
		count = p->to ? counts[at + before] : 0;
		pass_count(p, &before, field);
		pass_count(p, &count, field);
		expect(p, before < n - at && count > 0 && count <= sheaf_most_counted - sum, field);
		if (p->wrong) return 0;
		at += before;
		if (!p->to) counts[at] = count;
		sum += count;
	}
	return sum;
}

/* ---- fields ---- */

/* Writes or reads counts of lengths; what is read must be possible: the mean is between the least and the
 * largest length, all counts are too, and they add up. */
static sheaf_status pass_lengths(passage *p, sheaf_length_counts *h, sheaf_error *err)
{
	static const char what[] = "counts of lengths";
	pass_count(p, &h->n, what);
	if (h->n == 0) return SHEAF_OK;
	pass_count(p, &h->least, what);
	pass_count(p, &h->most, what);
	pass_count(p, &h->total, what);
	int64_t mean = h->total / h->n;
	expect(p, h->least <= mean && mean + (h->total % h->n != 0) <= h->most, what);
	if (p->wrong) return SHEAF_OK;
	if (!p->to) SHEAF_TRY(sheaf_length_counts_reserve(h, h->most, p->s->cx, err));
	int64_t sum = pass_table(p, h->counts, (int64_t)h->room, what);
	sum += pass_table(p, h->bins, h->bins ? SHEAF_LENGTH_BINS : 0, what);
	expect(p, sum == h->n, what);
	for (int64_t i = 0; i < (int64_t)h->room; i++)
		expect(p, (i >= h->least && i <= h->most) || h->counts[i] == 0, what);
	return SHEAF_OK;
}

/* Writes or reads an exact sum: its digits after carrying, of which only the last may be negative. */
static void pass_exact(passage *p, sheaf_exact *sum)
{
	static const char what[] = "a sum";
	sheaf_exact s = *sum;
	int64_t *top = &s.digits[SHEAF_EXACT_DIGITS - 1];
	sheaf_exact_carry(&s);
	pass_table(p, s.digits, SHEAF_EXACT_DIGITS - 1, what);
	for (int i = 0; i + 1 < SHEAF_EXACT_DIGITS; i++) expect(p, s.digits[i] >> DIGIT_BITS == 0, what);
	pass_bits(p, top, what);
	expect(p, *top > -sheaf_most_counted && *top < sheaf_most_counted, what);
	if (!p->to) *sum = s;
}

/* Writes or reads counts of values; what is read must be possible: kinds of values are no more than all, the
 * range is one of finite values if there are any, and the bins add up to the values that have one. */
static void pass_values(passage *p, sheaf_value_counts *v)
{
	static const char what[] = "counts of values";
	int64_t *const counts[] = {&v->n,    &v->zeros,       &v->negatives,  &v->fractions,
	                           &v->nans, &v->infinite[0], &v->infinite[1]};
	double least = v->least, most = v->most;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) pass_count(p, counts[i], what);
	int64_t others = v->zeros + v->nans + v->infinite[0] + v->infinite[1];
	expect(p, others <= v->n && v->negatives <= v->n - others && v->fractions <= v->n - others, what);
	if (v->n == 0 || p->wrong) return;
	pass_bits(p, &least, what);
	pass_bits(p, &most, what);
	expect(p,
	       sheaf_values_finite(v) > 0 ? isfinite(least) && isfinite(most) && least <= most
	                                  : least == INFINITY && most == -INFINITY,
	       what);
	if (!p->to) v->least = sheaf_unsigned_zero(least), v->most = sheaf_unsigned_zero(most);
	pass_exact(p, &v->sum);
	pass_exact(p, &v->squares);
	if (!v->cells.counts || p->wrong || v->least > v->most) return;
	sheaf_cells_reach(&v->cells, v->least, v->most);
	expect(p, pass_table(p, v->cells.counts, SHEAF_CELLS_KEPT, what) == sheaf_values_finite(v), what);
}

/* Writes or reads the sample in the order of its hashes: as many values as there are, or as it keeps. */
static void pass_sample(passage *p, sheaf_sample *s, const sheaf_value_counts *v)
{
	static const char what[] = "a sample";
	int64_t finite = sheaf_values_finite(v);
	sheaf_sampled last = {0};
	int n = finite < SHEAF_SAMPLE_KEPT ? (int)finite : SHEAF_SAMPLE_KEPT;
	for (int i = 0; i < n && !has_failed(p); i++) {
		sheaf_sampled one = s->values[i];
		pass_bits(p, &one.hash, what);
		pass_bits(p, &one.value, what);
		expect(p, one.hash >= last.hash && one.value >= v->least && one.value <= v->most, what);
		if (!p->to) sheaf_sample_add(s, one.hash, sheaf_unsigned_zero(one.value));
		last = one;
	}
	if (!p->to) sheaf_sample_trim(s);
}

/* Writes or reads a picture: counts, and a magnitude for each cell that has a count; none beyond its lines.
 */
static void pass_raster(passage *p, sheaf_raster *r)
{
	enum { SIDE = SHEAF_RASTER_SIDE, CELLS = SIDE * SIDE };
	static const char what[] = "a picture";
	int64_t rows = r->rows;
	pass_number(p, &rows, INT64_MAX, what);
	if (p->wrong) return;
	if (!p->to) sheaf_raster_reach(r, rows);
	pass_table(p, r->counts, CELLS, what);
	int width = sheaf_raster_width(r), height = sheaf_raster_height(r);
	for (int i = 0; i < CELLS; i++) {
		if (!r->counts[i]) continue;
		pass_bits(p, &r->magnitudes[i], what);
		expect(p, i % SIDE < width && i / SIDE < height && r->magnitudes[i] >= 0, what);
	}
}

/* How the slots of both tables of hashes begin (sampled_template.h). */
typedef struct slot {
	uint64_t low, high;
	int64_t count; /* 0: it is empty */
} slot;

static int by_hash(const void *a, const void *b)
{
	const slot *x = *(const slot *const *)a, *y = *(const slot *const *)b;
	if (x->high != y->high) return x->high < y->high ? -1 : 1;
	return x->low < y->low ? -1 : x->low > y->low;
}

/* Lists the slots of a table that have something, in the order of their hashes, since the slot of an item
 * depends on what came before it, and equal summaries have equal bytes. `out` has room for all that a table
 * keeps. */
static void sort_slots(const void *slots, int n, size_t size, const void **out)
{
	size_t used = 0;
	for (int i = 0; i < n; i++) {
		const void *one = (const uint8_t *)slots + (size_t)i * size;
		if (((const slot *)one)->count) out[used++] = one;
	}
	qsort(out, used, sizeof *out, by_hash);
}

/* Writes or reads counts of items in the order of their hashes. The size of an item and whether it was cut
 * are one number, whose last bit is the latter. */
static void pass_items(passage *p, sheaf_frequent *f)
{
	static const char what[] = "counts of items";
	const void *items[SHEAF_FREQUENT_KEPT] = {0};
	int64_t halvings = f->halvings, kept = f->kept, sum = 0;
	pass_number(p, &halvings, 63, what);
	pass_number(p, &kept, SHEAF_FREQUENT_KEPT, what);
	if (p->to)
		sort_slots(f->slots, SHEAF_FREQUENT_SLOTS, sizeof *f->slots, items);
	else
		f->halvings = (int)halvings;
	for (int64_t i = 0; i < kept && !has_failed(p); i++) {
		sheaf_item_count item = {0};
		if (p->to) item = *(const sheaf_item_count *)items[i];
		int64_t size = item.size << 1 | item.cut;
		pass_bits(p, &item.low, what);
		pass_bits(p, &item.high, what);
		pass_count(p, &item.count, what);
		pass_number(p, &size, SHEAF_ITEM_BYTES << 1 | 1, what);
		expect(p, item.count > 0 && item.count <= sheaf_most_counted - sum, what);
		if (p->wrong) return;
		sum += item.count;
		item.size = (uint8_t)(size >> 1);
		item.cut = size & 1;
		if (p->to) {
			sheaf_builder_append(p->to, item.bytes, item.size);
			continue;
		}
		const uint8_t *bytes = sheaf_cursor_bytes(&p->from, item.size, 1, what);
		if (bytes && item.size) memcpy(item.bytes, bytes, item.size);
		expect(p, sheaf_frequent_put(f, &item), what);
	}
}

/* Writes or reads all counts of a field. Which tables it has is known already. Indices are passed as one more
 * than they are, since -1, none, has to be a number from 0 on. */
static sheaf_status pass_field(passage *p, sheaf_field_summary *f, sheaf_error *err)
{
	static const char units[] = "means of units", indices[] = "indices";
	const sheaf_pattern *pattern = &f->pattern;
	int64_t least = f->least_index + 1, most = f->most_index + 1;
	SHEAF_TRY(pass_lengths(p, &f->lengths, err));
	SHEAF_TRY(pass_lengths(p, &f->entries, err));
	pass_values(p, &f->values);
	if (f->sample.values) pass_sample(p, &f->sample, &f->values);
	pass_count(p, &f->missing, "missing");
	pass_table(p, f->codes, SHEAF_MISSING_CODES, "missing");
	pass_count(p, &f->other_keys, "keys");
	pass_number(p, &least, INT64_MAX, indices);
	pass_number(p, &most, INT64_MAX, indices);
	expect(p, least <= most && (most == 0 || most <= f->dim) && (least == 0) == (most == 0), indices);
	if (!p->to) f->least_index = least - 1, f->most_index = most - 1;
	if (f->uses) pass_table(p, f->uses, f->dim, "uses of indices");
	if (f->raster.counts) pass_raster(p, &f->raster);
	if (f->frequent.slots) pass_items(p, &f->frequent);
	for (int64_t i = 0; pattern->cells && i < pattern->units * pattern->events && !has_failed(p); i++) {
		pass_count(p, &pattern->cells[i].n, units);
		if (pattern->cells[i].n) pass_bits(p, &pattern->cells[i].sum, units);
	}
	return SHEAF_OK;
}

/* ---- all of it ---- */

/* Writes or reads the contradictions: the number 0 if they are not searched for, else one more than the
 * number of halvings, then the inputs that are kept. */
static sheaf_status pass_contradictions(passage *p, sheaf_contradictions *c, sheaf_error *err)
{
	static const char what[] = "contradictions";
	const void *all[SHEAF_INPUTS_KEPT];
	int64_t halvings = c->slots ? c->halvings + 1 : 0, kept = c->kept, sum = 0;
	pass_number(p, &halvings, 64, what);
	if (halvings == 0 || has_failed(p)) return SHEAF_OK;
	pass_number(p, &kept, SHEAF_INPUTS_KEPT, what);
	if (p->to) {
		sort_slots(c->slots, SHEAF_INPUTS_SLOTS, sizeof *c->slots, all);
	} else {
		SHEAF_TRY(sheaf_contradictions_begin(c, p->s->cx, err));
		c->halvings = (int)halvings - 1;
	}
	for (int64_t i = 0; i < kept && !has_failed(p); i++) {
		sheaf_same_inputs rows = {.other = -1};
		if (p->to) rows = *(const sheaf_same_inputs *)all[i];
		int64_t other = rows.other + 1; /* -1: no row has other targets */
		pass_bits(p, &rows.low, what);
		pass_bits(p, &rows.high, what);
		pass_bits(p, &rows.targets, what);
		pass_count(p, &rows.count, what);
		pass_count(p, &rows.first, what);
		pass_count(p, &other, what);
		expect(p, rows.count > 0 && rows.count <= sheaf_most_counted - sum, what);
		if (p->wrong) break;
		sum += rows.count;
		rows.other = other - 1;
		if (!p->to) expect(p, sheaf_contradictions_put(c, &rows), what);
	}
	return SHEAF_OK;
}

static sheaf_status pass_counts(passage *p, sheaf_summary *s, sheaf_error *err)
{
	pass_count(p, &s->rows, "rows");
	pass_count(p, &s->entries, "entries");
	pass_count(p, &s->band.diagonal, "a band");
	pass_number(p, &s->band.lower, INT64_MAX, "a band");
	pass_number(p, &s->band.upper, INT64_MAX, "a band");
	if (!has_failed(p)) SHEAF_TRY(pass_contradictions(p, &s->contradictions, err));
	for (int f = 0; f < s->schema.nfields && !has_failed(p); f++)
		SHEAF_TRY(pass_field(p, &s->fields[f], err));
	return SHEAF_OK;
}

/* Writing changes nothing in the summary. */
sheaf_status sheaf_summary_save(const sheaf_summary *s, sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(s, "a summary");
	SHEAF_TRY(sheaf_summary_join(s, err));
	sheaf_builder b;
	passage p = {.to = &b};
	sheaf_builder_begin(&b, s->cx, out);
	sheaf_builder_append(&b, mark, sizeof mark);
	sheaf_builder_u32le(&b, VERSION);
	sheaf_schema_to_bytes(&s->schema, &b);
	for (int f = 0; f < s->schema.nfields; f++)
		put_word(&b, sheaf_field_counted(&s->fields[f]) | (unsigned)s->fields[f].side << SIDE_SHIFT);
	sheaf_status status = pass_counts(&p, (sheaf_summary *)(uintptr_t)s, err);
	if (!b.failed) sheaf_builder_u64le(&b, sheaf_xxhash(b.data, b.size, VERSION).low);
	if (status) sheaf_builder_drop(&b);
	return status ? status : sheaf_builder_finish(&b, out, err);
}

/* Reads which tables field f has, and its side; a set with a table that such a field cannot have is wrong. */
static unsigned flags_of(void *user, const sheaf_summary *s, int f)
{
	passage *p = (passage *)user;
	uint64_t word = get_word(p, "what is counted"), counts = word & ((1u << SIDE_SHIFT) - 1),
			 side = word >> SIDE_SHIFT;
	expect(p, side <= SHEAF_SIDE_TARGET && (!side || sheaf_field_is_stream(&s->schema.fields[f])), "sides");
	if (!p->wrong) s->fields[f].side = (sheaf_side)side;
	expect(p, (counts & ~(uint64_t)sheaf_field_counts(s, f)) == 0, "what is counted");
	return p->wrong ? 0 : (unsigned)counts;
}

static sheaf_status read_all(passage *p, sheaf_context *cx, sheaf_error *err)
{
	sheaf_schema schema;
	SHEAF_TRY(sheaf_schema_from_bytes(&p->from, cx, &schema, err));
	sheaf_status status = sheaf_summary_begin(&schema, cx, flags_of, p, &p->s, err);
	sheaf_schema_free(&schema);
	if (status == SHEAF_USAGE || status == SHEAF_UNSUPPORTED)
		return sheaf_fail(err, SHEAF_DATA, "summary: expected the schema of rows, found another one");
	SHEAF_TRY(status);
	SHEAF_TRY(pass_counts(p, p->s, err));
	if (!has_failed(p) && sheaf_cursor_left(&p->from) == 0) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "summary: expected %s, found bytes that are not",
	                  p->wrong         ? p->wrong
	                  : p->from.failed ? p->from.failed
	                                   : "its end");
}

/* The mark, the version and the hash are checked first, so that bytes of something else, of another version
 * or damaged ones are refused as such. */
sheaf_status sheaf_summary_load(const void *data, size_t size, sheaf_context *cx, sheaf_summary **out,
                                sheaf_error *err)
{
	enum { HEAD = sizeof mark + sizeof(uint32_t) };
	const uint8_t *bytes = (const uint8_t *)data;
	passage p = {0};
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(data, "bytes");
	SHEAF_NEED(cx, "a context");
	if (size < HEAD + HASH || memcmp(data, mark, sizeof mark) != 0)
		return sheaf_fail(err, SHEAF_DATA, "summary: expected one that was saved, found other bytes");
	uint32_t version = sheaf_load_u32le(bytes + sizeof mark);
	if (version != VERSION)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "summary: expected version %d, found %u: make it again",
		                  VERSION, (unsigned)version);
	if (sheaf_xxhash(data, size - HASH, VERSION).low != sheaf_load_u64le(bytes + size - HASH))
		return sheaf_fail(err, SHEAF_DATA, "summary: expected bytes that match its hash, found changed ones");
	p.from = sheaf_cursor_over(bytes + HEAD, size - HEAD - HASH, HEAD);
	sheaf_status status = read_all(&p, cx, err);
	if (status)
		sheaf_summary_free(p.s);
	else
		*out = p.s;
	return status;
}
