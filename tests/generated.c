/* SPDX-License-Identifier: MIT */
/* Random datasets: any values, with the ends of their ranges; names, lengths and gaps of every kind. */
#include "generated.h"
#include "frame/frame.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- generated datasets ---- */

static double special(bool wide)
{
	static const double narrow[] = {0,
	                                -0.0,
	                                1,
	                                -1,
	                                (double)FLT_MAX,
	                                -(double)FLT_MAX,
	                                (double)FLT_MIN,
	                                0x1p-149,
	                                -0x1p-149,
	                                0x1.fffffcp-127,
	                                0x1p-126,
	                                16777216,
	                                0.5,
	                                1e10,
	                                1e16};
	static const double more[] = {DBL_MAX,
	                              -DBL_MAX,
	                              DBL_MIN,
	                              0x1p-1074,
	                              -0x1p-1074,
	                              0x1.ffffffffffffep-1023,
	                              9007199254740993.0,
	                              0.1,
	                              1e-5,
	                              1e17,
	                              123456789012345678.0};
	int64_t k = random_below(wide ? (int64_t)(COUNT(narrow) + COUNT(more)) : (int64_t)COUNT(narrow));
	return k < (int64_t)COUNT(narrow) ? narrow[k] : more[k - (int64_t)COUNT(narrow)];
}

/* Any bits that are finite, small numbers as people write them, and the ends of the range. */
static double any_value(sheaf_type type, unsigned can)
{
	uint64_t bits = next_random();
	uint32_t half = (uint32_t)bits;
	double wide;
	float narrow;
	if (can & HOLDS_SHORT) return (double)(random_below(2000) - 1000) / 8;
	if ((can & HOLDS_NONFINITE) && random_below(20) == 0)
		return random_below(2) ? (double)NAN : random_below(2) ? (double)INFINITY : -(double)INFINITY;
	switch (random_below(4)) {
	case 0: return special(type == SHEAF_F64);
	case 1: return (double)random_below(200) - 100;
	case 2: return (double)((float)random_below(100000) / 1000.0f);
	default: break;
	}
	memcpy(&wide, &bits, sizeof wide);
	memcpy(&narrow, &half, sizeof narrow);
	if (type == SHEAF_F64) return isfinite(wide) ? wide : 0.25;
	return isfinite(narrow) ? (double)narrow : 0.25;
}

static void make_sample(filler *f, unsigned can)
{
	const sheaf_field *field = f->field;
	bool sparse = sheaf_field_is_sparse(field);
	int64_t dim = sheaf_field_dim(field), n = sparse ? random_below(dim < 8 ? dim + 1 : 8) : dim;
	uint64_t used = 0; /* dims are at most 50 */
	int64_t least = 0;
	/* Indices as they come: not in order, and now and then twice. */
	for (int64_t i = 0; i < n; i++) {
		if (sparse && least >= dim) break;
		int64_t index = sparse ? least + random_below(dim - least) : -1;
		if (!(can & HOLDS_UNSORTED)) least = index + 1;
		if (sparse && !(can & HOLDS_REPEATS) && used >> index & 1) continue;
		if (sparse) used |= UINT64_C(1) << index;
		fill_value(f, index, any_value(field->type, can));
	}
	end_sample(f);
}

enum { MOST_ROWS = 30 };

/* From 1, or rarely 0, to `most`. */
static int64_t any_count(int64_t most, unsigned can)
{
	return (can & HOLDS_NOTHING) && random_below(8) == 0 ? 0 : 1 + random_below(most);
}

typedef struct plan {
	unsigned can;
	int64_t rows, most_samples;
	int64_t samples[MOST_ROWS]; /* of all streams, where they cannot be of different lengths */
} plan;

static int64_t samples_of_row(const plan *p, int64_t r)
{
	if (!(p->can & HOLDS_UNALIGNED)) return p->samples[r];
	if ((p->can & HOLDS_EMPTY_ROWS) && random_below(6) == 0) return 0;
	return 1 + random_below(p->most_samples);
}

static void make_stream(table *t, int column, const plan *p)
{
	filler f;
	const sheaf_field *field = &t->schema.fields[column];
	begin_filling(&f, field, t->cx);
	for (int64_t r = 0; r < p->rows; r++) {
		int64_t samples = samples_of_row(p, r);
		for (int64_t s = 0; s < samples; s++) make_sample(&f, p->can);
		end_row(&f);
	}
	finish_filling(&f, &t->frame.columns[column]);
}

static void make_keys(table *t, int column, const plan *p)
{
	sheaf_builder b;
	bool ordinal = random_below(2);
	uint64_t key = 0;
	sheaf_builder_begin(&b, t->cx, NULL);
	for (int64_t r = 0; r < p->rows; r++) {
		/* Explicit ones: any, but no two in a row alike. */
		key = ordinal                                     ? (uint64_t)r
		      : random_below(8) == 0 && key != UINT64_MAX ? UINT64_MAX
		                                                  : key / 3 + 1 + (uint64_t)random_below(1000000);
		sheaf_builder_append(&b, &key, sizeof key);
	}
	assert_ok(sheaf_builder_finish(&b, &t->frame.columns[column].values, &err));
}

table make_dataset(sheaf_context *cx, unsigned can)
{
	static const char *const names[MOST_STREAMS] = {"features",          "x",       "S0=a",
	                                                "\xc3\xa9t\xc3\xa9", "a-b.c/d", "9"};
	table t = new_table(cx);
	plan p = {.can = can, .rows = any_count(MOST_ROWS, can), .most_samples = random_below(3) ? 4 : 1};
	for (int64_t r = 0; r < p.rows; r++) p.samples[r] = 1 + random_below(p.most_samples);
	int streams = 1 + (int)random_below(MOST_STREAMS);
	bool keyed = random_below(3) > 0;
	for (int s = 0; s < streams; s++)
		add_stream(&t, names[s], random_below(2), 1 + random_below(50),
		           (can & HOLDS_DOUBLES) && random_below(2) ? SHEAF_F64 : SHEAF_F32);
	if (keyed) assert_ok(sheaf_schema_add_key(&t.schema, cx, &err));
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	t.frame.nrows = p.rows;
	for (int s = 0; s < streams; s++) make_stream(&t, s, &p);
	if (keyed) make_keys(&t, streams, &p);
	assert_ok(sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	return t;
}

/* ---- generated tables and tensors ---- */

enum { MOST_CELLS = 6 };

/* What a cell may be: meaning, type, width (-1: any number of bytes), digits of fractions. */
static const struct {
	sheaf_meaning meaning;
	sheaf_type type;
	int64_t width;
	int digits;
} kinds_of_cells[] = {{SHEAF_NUMBER, SHEAF_U8, 1, 0},      {SHEAF_NUMBER, SHEAF_U16, 1, 0},
                      {SHEAF_NUMBER, SHEAF_U32, 1, 0},     {SHEAF_NUMBER, SHEAF_U64, 1, 0},
                      {SHEAF_NUMBER, SHEAF_I8, 1, 0},      {SHEAF_NUMBER, SHEAF_I16, 1, 0},
                      {SHEAF_NUMBER, SHEAF_I32, 1, 0},     {SHEAF_NUMBER, SHEAF_I64, 1, 0},
                      {SHEAF_NUMBER, SHEAF_F32, 1, 0},     {SHEAF_NUMBER, SHEAF_F64, 1, 0},
                      {SHEAF_BOOL, SHEAF_U8, 1, 0},        {SHEAF_CHAR, SHEAF_U8, 1, 0},
                      {SHEAF_STRING, SHEAF_U8, -1, 0},     {SHEAF_STRING, SHEAF_U8, -1, 0},
                      {SHEAF_BYTES, SHEAF_U8, -1, 0},      {SHEAF_BYTES, SHEAF_U8, 3, 0},
                      {SHEAF_COMPLEX, SHEAF_F32, 2, 0},    {SHEAF_COMPLEX, SHEAF_F64, 2, 0},
                      {SHEAF_DATETIME, SHEAF_I64, 1, 0},   {SHEAF_DATETIME, SHEAF_I64, 1, 3},
                      {SHEAF_DATETIME, SHEAF_I64, 1, 6},   {SHEAF_DATETIME, SHEAF_I64, 1, 9},
                      {SHEAF_DATETIMETZ, SHEAF_I64, 2, 0}, {SHEAF_DATETIMETZ, SHEAF_I64, 2, 3},
                      {SHEAF_DATETIMETZ, SHEAF_I64, 2, 6}, {SHEAF_DATETIMETZ, SHEAF_I64, 2, 9},
                      {SHEAF_DURATION, SHEAF_I64, 1, 0},   {SHEAF_DURATION, SHEAF_I64, 1, 3},
                      {SHEAF_DURATION, SHEAF_I64, 1, 6},   {SHEAF_DURATION, SHEAF_I64, 1, 9},
                      {SHEAF_DATE, SHEAF_I64, 1, 0},       {SHEAF_TIME, SHEAF_I64, 1, 0},
                      {SHEAF_TIME, SHEAF_I64, 1, 3},       {SHEAF_TIME, SHEAF_I64, 1, 6},
                      {SHEAF_TIME, SHEAF_I64, 1, 9}};

static int64_t any_integer(sheaf_type type)
{
	unsigned bits = (unsigned)sheaf_type_size(type) * 8;
	uint64_t v = next_random() >> random_below(bits);
	return (int64_t)v;
}

static void put_integer(sheaf_builder *b, sheaf_type type, int64_t v)
{
	sheaf_builder_append(b, &v, sheaf_type_size(type)); /* little-endian, as all machines that run this */
}

static void put_real(sheaf_builder *b, sheaf_type type, double v)
{
	float narrow = (float)v;
	if (type == SHEAF_F64)
		sheaf_builder_append(b, &v, sizeof v);
	else
		sheaf_builder_append(b, &narrow, sizeof narrow);
}

/* Of the years 53 to 8052, or of all that nanoseconds hold, in the unit of the field. */
static int64_t any_time(const sheaf_field *field)
{
	enum { YEARS_8000 = 8000 * 365, DAY = 86400 };
	int64_t unit = 1, day = random_below(YEARS_8000) - 700000;
	for (int d = 0; d < field->digits; d++) unit *= 10;
	if (field->meaning == SHEAF_DATE) return day;
	if (field->meaning == SHEAF_TIME) return random_below(DAY * unit);
	if (field->digits == 9) return (int64_t)next_random();
	return (day * DAY + random_below(DAY)) * unit + (random_below(2) ? random_below(unit) : 0);
}

/* One value of a cell that is no run of bytes. */
static void put_cell_value(sheaf_builder *b, const sheaf_field *field, unsigned can)
{
	sheaf_meaning meaning = field->meaning;
	int64_t width = field->nlevels ? field->levels[field->nlevels - 1].extent : 1;
	if (meaning == SHEAF_BOOL)
		put_integer(b, SHEAF_U8, random_below(2));
	else if (meaning == SHEAF_CHAR)
		put_integer(b, SHEAF_U8, 33 + random_below(90));
	else if (meaning == SHEAF_DATETIME || meaning == SHEAF_DATE || meaning == SHEAF_TIME)
		put_integer(b, SHEAF_I64, any_time(field));
	else if (meaning == SHEAF_DATETIMETZ) {
		put_integer(b, SHEAF_I64, any_time(field));
		put_integer(b, SHEAF_I64, (random_below(27) - 13) * 3600 + random_below(2) * 1800);
	} else
		for (int64_t i = 0; i < width; i++)
			if (field->type == SHEAF_F32 || field->type == SHEAF_F64)
				put_real(b, field->type, any_value(field->type, can));
			else
				put_integer(b, field->type, can & HOLDS_SHORT ? random_below(100) : any_integer(field->type));
}

/* Texts with a special meaning somewhere, and any letters. */
static void put_word(sheaf_builder *b, bool text)
{
	static const char *const words[] = {"",
	                                    "null",
	                                    "?5",
	                                    "\\N",
	                                    "a,b",
	                                    "a\tb",
	                                    "it's",
	                                    "say \"x\"",
	                                    "line\nfeed",
	                                    "\r\n",
	                                    " edge ",
	                                    "12",
	                                    "1e5",
	                                    "true",
	                                    "nan",
	                                    "\xc3\xa9t\xc3\xa9",
	                                    "\\",
	                                    "#",
	                                    "2012-05-25 14:13:29"};
	if (text && random_below(2)) {
		sheaf_builder_text(b, words[random_below((int64_t)COUNT(words))]);
		return;
	}
	for (int64_t n = random_below(12); n > 0; n--)
		put_integer(b, SHEAF_U8, text ? 'a' + random_below(26) : random_below(256));
}

static void fill_cells(table *t, int c, int64_t rows, unsigned can)
{
	const sheaf_field *field = &t->schema.fields[c];
	sheaf_column *column = &t->frame.columns[c];
	bool nullable = field->nlevels && field->levels[0].missing == SHEAF_NULLABLE,
		 list = field->nlevels && field->levels[0].kind == SHEAF_LIST, coded = random_below(2);
	int64_t of = nullable && random_below(4) == 0 ? 1 : 4; /* all are missing, or one of four */
	sheaf_builder values, offsets, codes;
	uint8_t valid[(MOST_ROWS + 7) / 8] = {0};
	sheaf_builder_begin(&values, t->cx, NULL), sheaf_builder_begin(&offsets, t->cx, NULL),
		sheaf_builder_begin(&codes, t->cx, NULL);
	sheaf_builder_i64(&offsets, 0);
	for (int64_t r = 0; r < rows; r++) {
		bool missing = nullable && random_below(of) == 0;
		if (!missing) valid[r / 8] = (uint8_t)(valid[r / 8] | 1u << (r % 8));
		put_integer(&codes, SHEAF_I8, missing && coded ? random_below(128) : 0);
		if (list && !missing) put_word(&values, field->meaning == SHEAF_STRING);
		if (!list) put_cell_value(&values, field, can);
		sheaf_builder_i64(&offsets, (int64_t)values.size);
	}
	assert_ok(sheaf_builder_finish(&values, &column->values, &err));
	if (list) assert_ok(sheaf_builder_finish(&offsets, &column->levels[0].offsets, &err));
	if (nullable) assert_ok(sheaf_builder_finish(&codes, &column->levels[0].gaps->codes, &err));
	sheaf_builder_drop(&offsets), sheaf_builder_drop(&codes);
	if (!nullable) return;
	sheaf_builder_begin(&offsets, t->cx, NULL);
	sheaf_builder_append(&offsets, valid, sizeof valid);
	assert_ok(sheaf_builder_finish(&offsets, &column->levels[0].gaps->valid, &err));
}

static table make_cells(sheaf_context *cx, unsigned can)
{
	static const char *const plain[MOST_CELLS] = {"A", "b", "c_3", "Dee", "e", "f9"},
							 *const any[MOST_CELLS] = {"a b:c", "\xc3\xa9 t\xc3\xa9", "null",
	                                                   "12",    "say \"x\", y",       "# -"};
	table t = new_table(cx);
	int n = 1 + (int)random_below(MOST_CELLS);
	const char *const *names = (can & HOLDS_UNSPELLED) && random_below(4) == 0 ? any : plain;
	t.schema.rows = SHEAF_CELLS;
	for (int c = 0; c < n; c++) {
		sheaf_field *field;
		size_t kind;
		do kind = (size_t)random_below((int64_t)COUNT(kinds_of_cells));
		while (kinds_of_cells[kind].width == 3 && !(can & HOLDS_UNSPELLED));
		assert_ok(sheaf_schema_add(&t.schema, cx, names[c], strlen(names[c]), &field, &err));
		sheaf_field_make_cell(field, kinds_of_cells[kind].meaning, kinds_of_cells[kind].type,
		                      kinds_of_cells[kind].width, random_below(2));
		field->digits = kinds_of_cells[kind].digits;
	}
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	t.frame.nrows = any_count(MOST_ROWS, can);
	for (int c = 0; c < n; c++) fill_cells(&t, c, t.frame.nrows, can);
	assert_ok(sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	return t;
}

/* Entries sorted by rows, none twice: positions are drawn in order. */
static table make_entries(sheaf_context *cx, unsigned can)
{
	static const sheaf_type types[] = {SHEAF_I32, SHEAF_I64, SHEAF_F32, SHEAF_F64, SHEAF_F64};
	table t = new_table(cx);
	int rank = 1 + (int)random_below(3);
	int64_t shape[SHEAF_MAX_RANK], cells = 1, at[MOST_ROWS], n = 0;
	for (int d = 0; d < rank; d++) cells *= shape[d] = any_count(12, can);
	bool some = any_count(1, can) > 0;
	for (int64_t p = 0; some && p < cells && n < MOST_ROWS; p++)
		if (random_below(cells) < MOST_ROWS / 2) at[n++] = p;
	if (n == 0 && some && cells > 0) at[n++] = random_below(cells);
	sheaf_field *value;
	assert_ok(sheaf_schema_make_entries(&t.schema, cx, (sheaf_dimensions){rank, shape}, &value, &err));
	value->type = types[random_below((int64_t)COUNT(types))];
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	t.frame.nrows = n;
	int64_t below = 1;
	for (int d = rank - 1; d >= 0; below *= shape[d], d--) {
		sheaf_builder b;
		sheaf_builder_begin(&b, cx, NULL);
		for (int64_t r = 0; r < n; r++) put_integer(&b, t.schema.fields[d].type, at[r] / below % shape[d]);
		assert_ok(sheaf_builder_finish(&b, &t.frame.columns[d].values, &err));
	}
	fill_cells(&t, rank, n, can);
	assert_ok(sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	return t;
}

table make_rows(sheaf_context *cx, sheaf_row_kind kind, unsigned can)
{
	return kind == SHEAF_CELLS     ? make_cells(cx, can)
	       : kind == SHEAF_ENTRIES ? make_entries(cx, can)
	                               : make_dataset(cx, can);
}
