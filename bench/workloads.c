/* SPDX-License-Identifier: MIT */
/* The texts that are read, made from fixed seeds: the same bytes in every run. */
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 20, LONGEST_LINE = 64 << 10 };

struct bench_text {
	FILE *file;
	const char *path;
	int64_t written;
	uint64_t random; /* state */
	uint64_t id;     /* of the sequence that is being written */
	int left;        /* lines that it still has to get */
	size_t used;
	char bytes[BUFFER];
};

/* ---- random numbers: splitmix64 ---- */

static uint64_t draw(bench_text *t)
{
	uint64_t z = t->random += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static unsigned below(bench_text *t, unsigned n) { return (unsigned)((draw(t) >> 32) * n >> 32); }

/* ---- putting ---- */

static void put_text(bench_text *t, const char *s)
{
	size_t n = strlen(s);
	memcpy(t->bytes + t->used, s, n);
	t->used += n;
}

static void put_byte(bench_text *t, char c) { t->bytes[t->used++] = c; }

/* With leading zeros up to `least` digits. */
static void put_digits(bench_text *t, uint64_t value, int least)
{
	char digits[24];
	int n = 0;
	for (; value || n < least; value /= 10) digits[n++] = (char)('0' + value % 10);
	while (n) put_byte(t, digits[--n]);
}

static void put_number(bench_text *t, uint64_t value) { put_digits(t, value, 1); }

static void flush(bench_text *t)
{
	if (fwrite(t->bytes, 1, t->used, t->file) != t->used)
		die("%s: expected room for the workload, found none", t->path);
	t->written += (int64_t)t->used;
	t->used = 0;
}

/* ---- lines ---- */

/* Like handwritten digits of 28 by 28 pixels: a stroke of dark pixels, faint at its ends, crosses most
 * rows; 2.3 bytes a value. */
static void integers_line(bench_text *t)
{
	enum { SIDE = 28, FIRST_ROW = 4, LAST_ROW = 23, DIGITS = 10 };
	unsigned digit = below(t, DIGITS);
	put_text(t, "|labels");
	for (unsigned i = 0; i < DIGITS; i++) put_text(t, i == digit ? " 1" : " 0");
	put_text(t, " |features");
	for (unsigned y = 0; y < SIDE; y++) {
		bool crossed = y >= FIRST_ROW && y <= LAST_ROW;
		unsigned from = 4 + below(t, 12), to = crossed ? from + 2 + below(t, 12) : from;
		for (unsigned x = 0; x < SIDE; x++) {
			bool dark = x >= from && x < to, faint = x == from || x + 1 == to;
			put_byte(t, ' ');
			put_number(t, !dark ? 0 : faint ? 1 + below(t, 254) : 200 + below(t, 56));
		}
	}
	put_byte(t, '\n');
}

/* Bags of 40 words, their counts small: 8 bytes a pair. */
static void pairs_line(bench_text *t)
{
	unsigned index = 0;
	put_text(t, "|words");
	for (int i = 0; i < 40; i++) {
		index += 1 + below(t, 4999);
		put_byte(t, ' ');
		put_number(t, index);
		put_byte(t, ':');
		put_number(t, below(t, 10) ? 1 + below(t, 9) : 10 + below(t, 90));
	}
	put_byte(t, '\n');
}

/* Words and their tags, one pair of indices a line, sequences of up to 20 lines: 25 bytes a line. */
static void lines_line(bench_text *t)
{
	if (t->left == 0) {
		t->id++;
		t->left = 1 + (int)below(t, 20);
	}
	t->left--;
	put_number(t, t->id);
	put_text(t, "\t|S0 ");
	put_number(t, below(t, 943));
	put_text(t, ":1\t|S2 ");
	put_number(t, below(t, 129));
	put_text(t, ":1\n");
}

/* Eight significant digits, as d.ddddddd or in exponent form. */
static void put_float(bench_text *t, bool exponent)
{
	unsigned value = 10000000 + below(t, 90000000);
	put_byte(t, ' ');
	if (draw(t) & 1) put_byte(t, '-');
	put_number(t, value / 10000000);
	put_byte(t, '.');
	put_digits(t, value % 10000000, 7);
	if (!exponent) return;
	put_text(t, draw(t) & 1 ? "e-" : "e+");
	put_digits(t, 1 + below(t, 20), 2);
}

static void put_floats(bench_text *t, unsigned exponents_of_ten)
{
	put_text(t, "|features");
	for (int i = 0; i < 100; i++) put_float(t, exponents_of_ten && below(t, 10) < exponents_of_ten);
	put_byte(t, '\n');
}

static void floats_line(bench_text *t) { put_floats(t, 0); }

static void exponents_line(bench_text *t) { put_floats(t, 1); }

static void streams_line(bench_text *t)
{
	for (unsigned i = 0; i < 1000; i++) {
		put_text(t, i ? " |s" : "|s");
		put_number(t, i);
		put_byte(t, ' ');
		put_number(t, below(t, 100));
	}
	put_byte(t, '\n');
}

static void put_bits(bench_text *t, int n)
{
	for (int i = 0; i < n; i++) put_text(t, draw(t) & 1 ? " 1" : " 0");
}

/* An example of 100 inputs and 10 targets. */
static void reals_line(bench_text *t)
{
	put_text(t, "I:");
	for (int i = 0; i < 100; i++) {
		put_text(t, draw(t) & 1 ? " 0." : " -0.");
		put_digits(t, below(t, 1000000), 6);
	}
	put_text(t, " T:");
	put_bits(t, 10);
	put_text(t, ";\n");
}

static void bits_line(bench_text *t)
{
	put_text(t, "I:");
	put_bits(t, 100);
	put_text(t, " T:");
	put_bits(t, 10);
	put_text(t, ";\n");
}

/* 20 active units of 1000, and one of 10. */
static void units_line(bench_text *t)
{
	unsigned unit = 0;
	put_text(t, "i:");
	for (int i = 0; i < 20; i++) {
		unit += 1 + below(t, 49);
		put_byte(t, ' ');
		put_number(t, unit);
	}
	put_text(t, " t: ");
	put_number(t, below(t, 10));
	put_text(t, ";\n");
}

/* ---- cells: not lines, but bytes ---- */

/* The lowest `size` bytes of a number. */
static void put_bytes(bench_text *t, uint64_t value, int size)
{
	for (int i = 0; i < size; i++) put_byte(t, (char)(value >> 8 * i));
}

/* A null byte and a number; one in ten is null. */
static void put_nullable(bench_text *t, uint64_t value, int size)
{
	bool null = below(t, 10) == 0;
	put_byte(t, null ? '\0' : '\xff');
	put_bytes(t, null ? 0 : value, size);
}

static uint64_t real_bits(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* A word of 3 to 17 letters, its count and its NUL. */
static void put_word(bench_text *t)
{
	unsigned n = 3 + below(t, 15);
	put_bytes(t, n + 1, 4);
	for (unsigned i = 0; i < n; i++) put_byte(t, (char)('a' + below(t, 26)));
	put_byte(t, '\0');
}

static void mixed_cell(bench_text *t)
{
	put_bytes(t, ++t->id, 8);
	put_nullable(t, below(t, 1000000), 4);
	put_nullable(t, real_bits(below(t, 1000000) / 8.0), 8);
	bool null = below(t, 10) == 0;
	put_byte(t, null ? '\0' : '\xff');
	if (null)
		put_bytes(t, 0, 4);
	else
		put_word(t);
	put_nullable(t, 1300000000 + t->id, 8);
	put_bytes(t, 0x3f000000 + below(t, 1 << 23), 4);
	put_word(t);
}

static void fixed_cell(bench_text *t)
{
	put_bytes(t, ++t->id, 8);
	put_nullable(t, below(t, 1000000), 4);
	put_nullable(t, real_bits(below(t, 1000000) / 8.0), 8);
	put_nullable(t, 1300000000 + t->id, 8);
	put_bytes(t, 0x3f000000 + below(t, 1 << 23), 4);
}

/* ---- entries of a matrix ---- */

/* The header's last number is known only at the end: spaces follow it. */
enum { SIDE_BITS = 18, COUNT_SIZE = 12 };
#define HEAD(field, symmetry) \
	"%%MatrixMarket matrix coordinate " field " " symmetry "\n262144 262144             \n"

/* Places at random, none twice: steps that can be undone, of the number of the line. */
static uint64_t place_of(uint64_t line)
{
	const uint64_t mask = (UINT64_C(1) << 2 * SIDE_BITS) - 1;
	uint64_t z = line * 0x9e3779b97f4a7c15u & mask;
	z = ((z ^ (z >> SIDE_BITS)) * 0xbf58476d1ce4e5b9u) & mask;
	return z ^ (z >> SIDE_BITS);
}

/* A value of 16 digits: 32 bytes a line. */
static void entry_line(bench_text *t)
{
	uint64_t place = place_of(t->id++);
	put_number(t, 1 + (place >> SIDE_BITS));
	put_byte(t, ' ');
	put_number(t, 1 + (place & ((1 << SIDE_BITS) - 1)));
	put_text(t, " 0.");
	put_digits(t, draw(t) % UINT64_C(10000000000000000), 16);
	put_byte(t, '\n');
}

/* Below the diagonal or on it, none twice: the left half of the square, with its part above the diagonal
 * turned around the middle. Values of up to four digits and 13 after the point, half of them with a sign: 37
 * bytes a line. */
static void symmetric_line(bench_text *t)
{
	const uint64_t side = UINT64_C(1) << SIDE_BITS;
	uint64_t place, row, column;
	do place = place_of(t->id + (uint64_t)t->left++);
	while ((column = place & (side - 1)) >= side / 2);
	row = place >> SIDE_BITS;
	t->left--;
	t->id++;
	put_number(t, column <= row ? row + 1 : side - row);
	put_byte(t, ' ');
	put_number(t, column <= row ? column + 1 : side - column);
	put_text(t, draw(t) & 1 ? " -" : " ");
	put_number(t, below(t, 10000));
	put_byte(t, '.');
	put_digits(t, draw(t) % UINT64_C(10000000000000), 13);
	put_byte(t, '\n');
}

/* Places alone: 14 bytes a line. */
static void place_line(bench_text *t)
{
	uint64_t place = place_of(t->id++);
	put_number(t, 1 + (place >> SIDE_BITS));
	put_byte(t, ' ');
	put_number(t, 1 + (place & ((1 << SIDE_BITS) - 1)));
	put_byte(t, '\n');
}

static void put_count(bench_text *t, const char *head)
{
	flush(t);
	if (fseek(t->file, (long)strlen(head) - COUNT_SIZE - 1, SEEK_SET) != 0 ||
	    fprintf(t->file, "%-*llu", COUNT_SIZE, (unsigned long long)t->id) != COUNT_SIZE)
		die("%s: expected room for the workload, found none", t->path);
}

static const bench_kind matrix = {
	"mtx", "h5", "", HEAD("real", "general"), "SHEAF convert --quiet --index never --layout CSR TEXT OUTPUT",
	1};
static const bench_kind deflated = {
	"mtx",
	"h5",
	"",
	HEAD("real", "general"),
	"SHEAF convert --quiet --index never --layout CSR --compression deflate TEXT OUTPUT",
	1};
static const bench_kind symmetric = {"mtx", "h5", "", HEAD("real", "symmetric"), NULL, 1};
static const bench_kind pattern = {"mtx", "h5", "", HEAD("pattern", "general"), NULL, 1};
static const bench_kind cntk = {
	"ctf", "cbf", "stream", "", "SHEAF convert --quiet --index never STREAMS TEXT OUTPUT", 0};
static const bench_kind lens = {
	"ex", "bex", "group", ";\n", "SHEAF convert --quiet --index never TEXT OUTPUT", 0};

static const bench_kind scidb = {
	"scidb", "npy", "format-string", "", "SHEAF convert --quiet --index never STREAMS TEXT OUTPUT", 0};

static const bench_workload workloads[] = {
	{.name = "integers",
     .kind = &cntk,
     .streams = {"labels:10:dense", "features:784:dense"},
     .line = integers_line},
	{.name = "pairs", .kind = &cntk, .streams = {"words:200000:sparse"}, .sparse = true, .line = pairs_line},
	{.name = "lines",
     .kind = &cntk,
     .streams = {"S0:943:sparse", "S2:129:sparse"},
     .sparse = true,
     .line = lines_line},
	{.name = "floats", .kind = &cntk, .streams = {"features:100:dense"}, .line = floats_line},
	{.name = "exponents", .kind = &cntk, .streams = {"features:100:dense"}, .line = exponents_line},
	{.name = "streams", .kind = &cntk, .streams = {"s%d:1:dense"}, .repeated = 1000, .line = streams_line},
	{.name = "reals", .kind = &lens, .streams = {"in:100:input", "out:10:output"}, .line = reals_line},
	{.name = "bits", .kind = &lens, .streams = {"in:100:input", "out:10:output"}, .line = bits_line},
	{.name = "mixed",
     .kind = &scidb,
     .streams = {"(int64, int32 null, double null, string null, datetime null, float, string)"},
     .line = mixed_cell},
	{.name = "fixed",
     .kind = &scidb,
     .streams = {"(int64, int32 null, double null, datetime null, float)"},
     .line = fixed_cell},
	{.name = "matrix", .kind = &matrix, .sparse = true, .line = entry_line},
	{.name = "deflated", .kind = &deflated, .sparse = true, .line = entry_line},
	{.name = "symmetric", .kind = &symmetric, .sparse = true, .line = symmetric_line},
	{.name = "pattern", .kind = &pattern, .sparse = true, .line = place_line},
	{.name = "units",
     .kind = &lens,
     .streams = {"in:1000:input:sparse", "out:10:output:sparse"},
     .line = units_line},
};

const bench_workload *workload_find(const char *name)
{
	for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
		if (strcmp(workloads[i].name, name) == 0) return &workloads[i];
	die("expected a workload, found the name %s", name);
}

sheaf_setting *workload_settings(const bench_workload *work, int *n)
{
	enum { STREAM_SIZE = 128 };
	*n = work->repeated;
	while (!work->repeated && work->streams[*n]) ++*n;
	sheaf_setting *settings = (sheaf_setting *)need((size_t)*n * sizeof *settings);
	for (int i = 0; i < *n; i++) {
		char *stream = (char *)need(STREAM_SIZE);
		snprintf(stream, STREAM_SIZE, work->streams[work->repeated ? 0 : i], i);
		settings[i] = (sheaf_setting){work->kind->setting, stream};
	}
	return settings;
}

void workload_settings_free(sheaf_setting *settings, int n)
{
	for (int i = 0; i < n; i++) free((char *)settings[i].value);
	free(settings);
}

void workload_write(const bench_workload *work, int64_t bytes, const char *path)
{
	bench_text *t = (bench_text *)need(sizeof *t);
	t->random = 20170418;
	t->path = path;
	t->file = fopen(path, "w");
	if (!t->file) die("%s: expected to create it, found that it cannot be", path);
	put_text(t, work->kind->head);
	while (t->written + (int64_t)t->used < bytes) {
		work->line(t);
		if (t->used > BUFFER - LONGEST_LINE) flush(t);
	}
	flush(t);
	if (work->kind->numbers) put_count(t, work->kind->head);
	if (fclose(t->file) != 0) die("%s: expected room for the workload, found none", path);
	free(t);
}
