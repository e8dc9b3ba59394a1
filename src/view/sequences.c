/* SPDX-License-Identifier: MIT */
/* Examining tables of sequences: what their columns are shows only when all cells were seen. A column of
 * texts, for example, is a sparse stream if all of them are entries like "3:1 7:0.5", and else an item beside
 * the streams. Each part of the sequences collects what its cells can be:
 *
 *     wide     columns of numbers are dense streams, A.0, A.1, ... one of them; texts decide (see_text)
 *     long     a stream is dense until a sample of it is incomplete or out of order (see_long)
 *     lists    the items of the lists decide (see_json)
 *
 * and sheaf_sequence_table_end makes the schema of that. */
#include "view/sequences.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "frame/schema/read_json.h"
#include "io/descriptor.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <sheaf/arrays.h>
#include <stdio.h>
#include <string.h>

/* What the cells of a column of texts were so far: any text, entries, a list of numbers or of texts, a list
 * of lists of numbers or of pairs. */
enum { PLAIN = 1, ENTRIES = 2, NUMBERS = 4, TEXTS = 8, DENSE_LISTS = 16, SPARSE_LISTS = 32 };

/* ---- numbers ---- */

/* Finds out whether a part's numbers need float64. A number does if the shortest digits of its float32 are
 * those of another number, so that float32 would not keep what was written: 0.1 may become a float32,
 * 0.123456789 may not. */
static void see_number(sheaf_sequence_part *p, double v)
{
	char text[SHEAF_NUMBER_MAX];
	double back;
	float narrow = (float)v;
	if (p->is_wide || isnan(v) || (double)narrow == v) return;
	if (!isinf(narrow)) sheaf_scan_f64(text, sheaf_print_f32(text, narrow), &back);
	p->is_wide = isinf(narrow) || back != v;
}

/* ---- sequences ---- */

uint64_t sheaf_sequence_key(const sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r)
{
	return ((const uint64_t *)(const void *)rows->columns[t->key].values.data)[r];
}

/* The number of the sample in row r; -1 if the row has none, the table has no column of them, or the number
 * is no whole number from 0 on. */
int64_t sheaf_sequence_sample(const sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r)
{
	double number;
	if (t->sample < 0 || !sheaf_sequence_number(&rows->columns[t->sample], r, &number)) return -1;
	return sheaf_sequence_is_place(number) ? (int64_t)number : -1;
}

/* Whether a sequence begins with row r, after a row with `key` and the sample number `sample` (-1: it had
 * none). In lists each row is a sequence. Otherwise a row with another key begins one; where rows are
 * samples, so does a row whose sample does not come after the one before, and the row after one without
 * samples. */
static bool begins_after(const sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r, uint64_t key,
                         int64_t sample)
{
	if (t->as == SHEAF_SAMPLES_LISTS || sheaf_sequence_key(t, rows, r) != key) return true;
	return t->as == SHEAF_SAMPLES_WIDE && (sample < 0 || sheaf_sequence_sample(t, rows, r) <= sample);
}

bool sheaf_sequence_begins(const sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r)
{
	return r == 0 || begins_after(t, rows, r, sheaf_sequence_key(t, rows, r - 1),
	                              sheaf_sequence_sample(t, rows, r - 1));
}

/* Fails because of a cell. The sequence is named by the key of the last row, which is the one that is
 * examined. */
static sheaf_status refuse(const sheaf_sequence_table *t, const char *column, const char *expected,
                           const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: sequence %" PRIu64 ", column \"%s\": expected %s, found %s",
	                  t->file, t->last_key, column, expected, found);
}

/* Writes a number into `text` for a message, and returns it. */
static const char *show(double number, char text[SHEAF_NUMBER_MAX + 1])
{
	*sheaf_print_f64(text, number) = 0;
	return text;
}

/* Fails because of the key or the number of a sequence in the row that is examined. */
static sheaf_status refuse_key(const sheaf_sequence_table *t, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: row %" PRId64 ", column \"%s\": expected a number from 0 on, found %s", t->file,
	                  t->rows_seen, t->has_keys ? "key" : "sequence", found);
}

/* Checks the number of the sample in row r. Samples of a sequence are numbered 0, 1, ...; where each has
 * one row (wide), row r must have number `next`, or none. A table without a column of samples has nothing to
 * check. */
static sheaf_status see_sample_number(const sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r,
                                      int64_t next, sheaf_error *err)
{
	double number;
	char text[SHEAF_NUMBER_MAX + 1], expected[64];
	if (t->sample < 0) return SHEAF_OK;
	if (!sheaf_sequence_number(&rows->columns[t->sample], r, &number))
		return t->as == SHEAF_SAMPLES_WIDE ? SHEAF_OK
		                                   : refuse(t, "sample", "the number of a sample", "none", err);
	if (!sheaf_sequence_is_place(number))
		return refuse(t, "sample", "a whole number from 0 on", show(number, text), err);
	if (t->as != SHEAF_SAMPLES_WIDE || (int64_t)number == next) return SHEAF_OK;
	snprintf(expected, sizeof expected, "sample %" PRId64, next);
	return refuse(t, "sample", expected, show(number, text), err);
}

/* Checks the key and the sample number of row r and makes them those of the current row; t->row becomes the
 * number of its sequence, which increases where a sequence begins. */
static sheaf_status see_row(sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r, sheaf_error *err)
{
	double key;
	char text[SHEAF_NUMBER_MAX + 1];
	if (!sheaf_sequence_number(&rows->columns[t->key], r, &key)) return refuse_key(t, "none", err);
	if (key < 0) return refuse_key(t, show(key, text), err);
	bool begins = !t->has_row || begins_after(t, rows, r, t->last_key, t->last_sample);
	if (begins) t->row += t->has_row;
	t->last_key = sheaf_sequence_key(t, rows, r);
	SHEAF_TRY(see_sample_number(t, rows, r, begins ? 0 : t->last_sample + 1, err));
	t->last_sample = sheaf_sequence_sample(t, rows, r);
	t->has_row = true;
	t->rows_seen++;
	return SHEAF_OK;
}

/* Refuses an integer of 64 bits that no float64 holds exactly. */
static sheaf_status check_exact(const sheaf_sequence_table *t, const char *name, const sheaf_column *column,
                                int64_t r, sheaf_error *err)
{
	char text[SHEAF_SEQUENCE_INTEGER];
	const char *found = sheaf_sequence_inexact(column, r, text);
	return found ? refuse(t, name, "a number that float64 holds", found, err) : SHEAF_OK;
}

/* ---- texts ---- */

/* Says what the items of a list are, as bits: NUMBERS, TEXTS, both, or 0 if there are no items but null;
 * PLAIN alone if another kind is among them. */
static unsigned kind_of_list(const sheaf_json *list, sheaf_sequence_part *p)
{
	unsigned kinds = 0;
	double v;
	for (size_t i = 0; i < sheaf_json_size(list); i++) {
		const sheaf_json *item = sheaf_json_at(list, i);
		if (sheaf_json_number(item, &v) || sheaf_json_special(item, &v)) {
			see_number(p, v);
			kinds |= NUMBERS;
		} else if (sheaf_json_kind_of(item) == SHEAF_JSON_TEXT) {
			kinds |= TEXTS;
		} else if (sheaf_json_kind_of(item) != SHEAF_JSON_NULL) {
			return PLAIN;
		} else {
			p->may_miss = true;
		}
	}
	return kinds;
}

/* Says what a sample, a list within the list of a cell, can be, as bits: numbers make a dense one
 * (DENSE_LISTS) if they are as many as in each sample before; pairs [index, number] make a sparse one; an
 * empty list counts as sparse. p->nvalues is set by the first dense sample, and p->dim becomes larger than
 * each index. */
static unsigned see_sample(const sheaf_json *sample, sheaf_sequence_part *p)
{
	unsigned kinds = 0;
	int64_t sample_size = (int64_t)sheaf_json_size(sample), index;
	double v;
	if (sample_size == 0) return SPARSE_LISTS;
	if (sheaf_json_kind_of(sheaf_json_at(sample, 0)) != SHEAF_JSON_ARRAY) {
		kinds = kind_of_list(sample, p);
		if (p->nvalues == 0) p->nvalues = sample_size;
		return kinds == NUMBERS && p->nvalues == sample_size ? DENSE_LISTS : PLAIN;
	}
	for (int64_t i = 0; i < sample_size; i++) {
		const sheaf_json *pair = sheaf_json_at(sample, (size_t)i);
		bool is_pair = sheaf_json_kind_of(pair) == SHEAF_JSON_ARRAY && sheaf_json_size(pair) == 2 &&
		               sheaf_json_i64(sheaf_json_at(pair, 0), &index) && index >= 0 && index < INT64_MAX;
		const sheaf_json *value = is_pair ? sheaf_json_at(pair, 1) : NULL;
		bool has_number = value && (sheaf_json_number(value, &v) || sheaf_json_special(value, &v));
		if (!has_number) {
			kinds |= PLAIN;
			continue;
		}
		see_number(p, v);
		if (index >= p->dim) p->dim = index + 1;
		kinds |= SPARSE_LISTS;
	}
	return kinds;
}

/* Examines a cell of JSON and adds to p->kinds_seen what it can be: a list of samples, or of items. A text
 * that is no list is an item itself (PLAIN), and so is a text that only begins like one. */
static sheaf_status see_json(sheaf_sequence_table *t, sheaf_sequence_part *p, const uint8_t *text,
                             size_t size, sheaf_error *err)
{
	sheaf_json *list;
	sheaf_json_flaw flaw;
	sheaf_error none = {0};
	if (size == 0 || *text != '[') {
		p->kinds_seen |= PLAIN;
		return SHEAF_OK;
	}
	sheaf_status status = sheaf_json_take(text, size, t->cx, &list, &flaw, &none);
	if (status == SHEAF_DATA) {
		p->kinds_seen |= PLAIN;
		return sheaf_forgive(status, "it is a text that is no list");
	}
	if (status) return sheaf_fail_again(err, &none);
	bool samples = sheaf_json_kind_of(sheaf_json_at(list, 0)) == SHEAF_JSON_ARRAY;
	if (!samples) p->kinds_seen |= kind_of_list(list, p);
	for (size_t i = 0; samples && i < sheaf_json_size(list); i++) {
		const sheaf_json *sample = sheaf_json_at(list, i);
		p->kinds_seen |= sheaf_json_kind_of(sample) == SHEAF_JSON_ARRAY ? see_sample(sample, p) : PLAIN;
	}
	sheaf_json_give_back(list, size, t->cx);
	return SHEAF_OK;
}

/* Compares an item beside the streams with the one before in its sequence. An item that changes belongs to
 * samples, not to the sequence; in rows of single values it may not change within a sample. The part keeps
 * the item, its sequence and its sample for the next comparison. */
static sheaf_status see_change(const sheaf_sequence_table *t, sheaf_sequence_part *p, const void *item,
                               size_t size, sheaf_error *err)
{
	bool same = p->last_item.size == size && (size == 0 || memcmp(p->last_item.data, item, size) == 0);
	if (p->row == t->row && !same) {
		if (t->as == SHEAF_SAMPLES_LONG && p->sample == t->last_sample)
			return refuse(t, p->name, "one item in all rows of a sample", "another", err);
		p->kind = SHEAF_PART_OF_SAMPLE;
	}
	p->row = t->row;
	p->sample = t->last_sample;
	p->last_item.size = 0;
	sheaf_builder_append(&p->last_item, item, size);
	return sheaf_builder_status(&p->last_item, err);
}

/* Examines a cell of a column of texts. In rows of samples (wide) it may consist of entries like "3:1
 * 7:0.5", whose largest index the part keeps; in lists it may be JSON; anything else is PLAIN, after which no
 * cell can change what the column is. */
static sheaf_status see_text(sheaf_sequence_table *t, sheaf_sequence_part *p, const sheaf_column *column,
                             int64_t r, sheaf_error *err)
{
	const uint8_t *text = (const uint8_t *)"";
	size_t size = 0;
	int64_t index;
	double value;
	bool has_text = sheaf_sequence_text(column, r, &text, &size);
	if (!has_text) p->may_miss = true;
	SHEAF_TRY(see_change(t, p, text, size, err));
	if (!has_text || (p->kinds_seen & PLAIN)) return SHEAF_OK;
	if (t->as == SHEAF_SAMPLES_LISTS) return see_json(t, p, text, size, err);
	const char *rest = (const char *)text, *end = rest + size;
	while (t->as == SHEAF_SAMPLES_WIDE && sheaf_sequence_entry(&rest, end, &index, &value)) {
		see_number(p, value);
		if (index >= p->dim) p->dim = index + 1;
	}
	p->kinds_seen |= t->as == SHEAF_SAMPLES_WIDE && rest == end ? ENTRIES : PLAIN;
	return SHEAF_OK;
}

/* ---- values in rows of their own ---- */

/* Ends a sample whose values had rows of their own. A stream stays dense only while all of its samples have
 * as many values as the first one. */
static void end_sample(sheaf_sequence_part *p)
{
	if (p->sample_values == 0) return;
	if (p->nvalues == 0) p->nvalues = p->sample_values;
	if (p->nvalues != p->sample_values) p->kind = SHEAF_PART_SPARSE;
	p->sample_values = 0;
}

/* Adds a part with these members and a copy of the name. Its last row and sample are -1, which differ from
 * every real one, so that its first row always counts as new. */
static sheaf_status add_part(sheaf_sequence_table *t, const char *name, size_t size, sheaf_sequence_part part,
                             sheaf_error *err)
{
	if (t->nparts == t->room) {
		int new_room = t->room ? 2 * t->room : 16;
		SHEAF_TRY(sheaf_reallocate(t->cx, &t->parts, (size_t)t->room * sizeof *t->parts,
		                           (size_t)new_room * sizeof *t->parts, err));
		t->room = new_room;
	}
	part.row = part.sample = -1;
	part.last_item = (sheaf_builder){.cx = t->cx};
	SHEAF_TRY(sheaf_copy_text(t->cx, name, size, &part.name, err));
	t->parts[t->nparts++] = part;
	return SHEAF_OK;
}

/* Finds the part for a stream whose values are in rows of their own: these parts are the last ones, in the
 * order of t->streams; -1: there is none. Rows of a stream often follow one another, and sheaf_names_find
 * first tries the name after the one that it is given, so it is given the one before *last. */
int sheaf_sequence_part_find(const sheaf_sequence_table *t, const uint8_t *name, size_t size, int *last)
{
	int stream = sheaf_names_find(&t->streams, name, size, *last > 0 ? *last - 1 : -1);
	if (stream < 0) return -1;
	*last = stream;
	return t->nparts - t->streams.count + stream;
}

/* Adds a part for a stream whose values have rows of their own. Its name must differ from those of columns,
 * since both become fields of one schema. These parts are the last ones, in the order of t->streams. */
static sheaf_status add_stream(sheaf_sequence_table *t, const uint8_t *name, size_t size, sheaf_error *err)
{
	for (int p = 0; p < t->nparts - t->streams.count; p++)
		if (strlen(t->parts[p].name) == size && memcmp(t->parts[p].name, name, size) == 0)
			return refuse(t, "stream", "another name than that of a column", t->parts[p].name, err);
	SHEAF_TRY(add_part(t, (const char *)name, size,
	                   (sheaf_sequence_part){.kind = SHEAF_PART_DENSE, .first_column = -1}, err));
	return sheaf_names_add(&t->streams, t->cx, t->parts[t->nparts - 1].name, size, err);
}

/* Examines a row that has one value: the name of its stream, its index in the sample, and the value. The
 * stream is dense as long as its samples are 0, 1, ... without gaps, and each has the indices 0, 1, ... up to
 * the same one. */
static sheaf_status see_long(sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r, sheaf_error *err)
{
	const uint8_t *name;
	size_t size;
	double index, value;
	char text[SHEAF_NUMBER_MAX + 1];
	if (!sheaf_sequence_text(&rows->columns[t->stream], r, &name, &size) || size == 0)
		return refuse(t, "stream", "the name of a stream", "none", err);
	if (!sheaf_sequence_number(&rows->columns[t->index], r, &index))
		return refuse(t, "index", "a whole number from 0 on", "none", err);
	if (!sheaf_sequence_is_place(index))
		return refuse(t, "index", "a whole number from 0 on", show(index, text), err);
	if (!sheaf_sequence_number(&rows->columns[t->value], r, &value))
		return refuse(t, "value", "a number", "none", err);
	SHEAF_TRY(check_exact(t, "value", &rows->columns[t->value], r, err));
	int part = sheaf_sequence_part_find(t, name, size, &t->last_stream);
	if (part < 0) {
		part = t->nparts;
		SHEAF_TRY(add_stream(t, name, size, err));
	}
	sheaf_sequence_part *p = &t->parts[part];
	if (p->row != t->row || p->sample != t->last_sample) {
		int64_t next = p->row == t->row ? p->sample + 1 : 0;
		end_sample(p);
		if (t->last_sample != next) p->kind = SHEAF_PART_SPARSE;
	}
	if ((int64_t)index != p->sample_values) p->kind = SHEAF_PART_SPARSE;
	p->sample_values++;
	p->row = t->row;
	p->sample = t->last_sample;
	if ((int64_t)index >= p->dim) p->dim = (int64_t)index + 1;
	see_number(p, value);
	return SHEAF_OK;
}

/* ---- all rows ---- */

/* Examines the numbers of a part in row r: the values of a dense sample, or a single item beside streams,
 * whose change is noticed. A missing number of a dense sample is no error here: the second pass decides
 * whether the sample is missing as a whole. */
static sheaf_status see_numbers(sheaf_sequence_table *t, sheaf_sequence_part *p, const sheaf_frame *rows,
                                int64_t r, sheaf_error *err)
{
	double value = 0;
	bool has_number = false;
	int64_t nvalues = p->kind == SHEAF_PART_DENSE ? p->nvalues : 1;
	for (int64_t i = 0; i < nvalues; i++) {
		const sheaf_column *column = &rows->columns[p->first_column + i];
		has_number = sheaf_sequence_number(column, r, &value);
		if (!has_number) p->may_miss = true;
		if (!has_number) continue;
		SHEAF_TRY(check_exact(t, p->name, column, r, err));
		see_number(p, value);
	}
	return p->kind == SHEAF_PART_DENSE ? SHEAF_OK
	                                   : see_change(t, p, &value, has_number ? sizeof value : 0, err);
}

/* Examines all cells of some rows, in the order of the file. Where samples have a column, a row without a
 * sample stands for a sequence without samples: only items of the sequence are looked at. */
sheaf_status sheaf_sequence_table_see(void *user, const sheaf_frame *rows, sheaf_error *err)
{
	sheaf_sequence_table *t = (sheaf_sequence_table *)user;
	for (int64_t r = 0; r < rows->nrows; r++) {
		if (r % 4096 == 0) SHEAF_TRY(sheaf_check_stop(t->cx, err));
		SHEAF_TRY(see_row(t, rows, r, err));
		if (t->as == SHEAF_SAMPLES_LONG) SHEAF_TRY(see_long(t, rows, r, err));
		bool has_samples = t->sample < 0 || t->last_sample >= 0;
		for (sheaf_sequence_part *p = t->parts; p < t->parts + t->nparts; p++) {
			bool has_column = p->first_column >= 0, has_item = has_samples || p->kind == SHEAF_PART_OF_ROW;
			if (!has_column || !has_item) continue;
			SHEAF_TRY(p->is_text ? see_text(t, p, &rows->columns[p->first_column], r, err)
			                     : see_numbers(t, p, rows, r, err));
		}
	}
	return SHEAF_OK;
}

/* ---- the header ---- */

/* Whether a column holds one number or truth value in each row, which may be missing. */
static bool is_number(const sheaf_field *field)
{
	bool alone = field->nlevels == 0 || (field->nlevels == 1 && field->levels[0].kind == SHEAF_FIXED &&
	                                     field->levels[0].extent == 1);
	return alone && (field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_BOOL);
}

static bool is_text(const sheaf_field *field)
{
	return field->meaning == SHEAF_STRING && field->nlevels == 1 && field->levels[0].kind == SHEAF_LIST;
}

/* Finds a column that the layout requires, of texts (`text`) or of numbers; *out is its number. Its
 * absence, or another type, is a USAGE error, since the option has named the layout. */
static sheaf_status find_column(const sheaf_sequence_table *t, const sheaf_schema *schema, const char *name,
                                bool text, int *out, sheaf_error *err)
{
	*out = sheaf_schema_find(schema, name);
	const sheaf_field *field = *out < 0 ? NULL : &schema->fields[*out];
	if (field && (text ? is_text(field) : is_number(field))) return SHEAF_OK;
	return sheaf_fail_option(
		err, SHEAF_USAGE, "sequences", ": expected a column \"%s\" of %s, found %s in %s", name,
		text ? "texts" : "numbers", field ? sheaf_field_storage(field) : "none", t->file);
}

/* Whether a column's name says that it is no stream: in the tables of this library, "freq" and "event.*"
 * are items beside streams. */
static bool stands_beside(const char *name)
{
	return strcmp(name, "freq") == 0 || strncmp(name, "event.", 6) == 0;
}

/* Makes a part of column *f, or of it and the following ones if they are the values of a dense stream, A.0,
 * A.1, ...; *f moves past them. A column "A.0" alone keeps its name. Whether a column of texts is a stream is
 * decided later, by its cells. */
static sheaf_status add_column(sheaf_sequence_table *t, const sheaf_schema *schema, int *f, sheaf_error *err)
{
	const sheaf_field *field = &schema->fields[*f];
	char wanted[400];
	size_t name_size = strlen(field->name);
	sheaf_sequence_part part = {.first_column = *f, .is_text = is_text(field), .kind = SHEAF_PART_OF_ROW};
	bool streams = t->as == SHEAF_SAMPLES_WIDE && !stands_beside(field->name);
	if (!part.is_text && !is_number(field))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: column \"%s\": expected numbers or texts beside sequences, found %s", t->file,
		                  field->name, sheaf_field_storage(field));
	if (strncmp(field->name, "event.", 6) == 0 && t->as != SHEAF_SAMPLES_LISTS)
		part.kind = SHEAF_PART_OF_SAMPLE;
	++*f;
	if (part.is_text || !streams) return add_part(t, field->name, name_size, part, err);
	part.kind = SHEAF_PART_DENSE;
	part.nvalues = 1;
	if (name_size < 3 || name_size > 300 || strcmp(field->name + name_size - 2, ".0") != 0)
		return add_part(t, field->name, name_size, part, err);
	for (; *f < schema->nfields && is_number(&schema->fields[*f]); ++*f, part.nvalues++) {
		snprintf(wanted, sizeof wanted, "%.*s.%" PRId64, (int)name_size - 2, field->name, part.nvalues);
		if (strcmp(schema->fields[*f].name, wanted) != 0) break;
	}
	return add_part(t, field->name, part.nvalues > 1 ? name_size - 2 : name_size, part, err);
}

/* Finds the columns of the layout by their names, and makes parts of all others. A sequence is known by a
 * column "key", or else by its number in "sequence"; if both are there, the first one counts. */
sheaf_status sheaf_sequence_table_begin(sheaf_sequence_table *t, const sheaf_schema *schema, sheaf_error *err)
{
	t->sample = t->stream = t->index = t->value = -1;
	int number = sheaf_schema_find(schema, "sequence"), key = sheaf_schema_find(schema, "key");
	t->last_stream = -1;
	t->has_keys = number < 0 || (key >= 0 && key < number);
	SHEAF_TRY(find_column(t, schema, t->has_keys ? "key" : "sequence", false, &t->key, err));
	if (schema->fields[t->key].type != SHEAF_I64 && schema->fields[t->key].type != SHEAF_U64)
		return sheaf_fail_option(err, SHEAF_USAGE, "sequences", ": expected keys of 64 bits, found %s in %s",
		                         sheaf_type_name(schema->fields[t->key].type), t->file);
	if (t->as != SHEAF_SAMPLES_LISTS) SHEAF_TRY(find_column(t, schema, "sample", false, &t->sample, err));
	if (t->as == SHEAF_SAMPLES_LONG) {
		SHEAF_TRY(find_column(t, schema, "stream", true, &t->stream, err));
		SHEAF_TRY(find_column(t, schema, "index", false, &t->index, err));
		SHEAF_TRY(find_column(t, schema, "value", false, &t->value, err));
	}
	/* Nothing stands before the keys but the names of rows, in a column that R and pandas do not name. */
	int first_column = t->key == 1 && strcmp(schema->fields[0].name, "a0") == 0;
	for (int f = first_column; f < schema->nfields;) {
		bool is_of_layout = f == t->key || f == t->sample || f == t->stream || f == t->index || f == t->value;
		if (is_of_layout)
			f++;
		else
			SHEAF_TRY(add_column(t, schema, &f, err));
	}
	return SHEAF_OK;
}

/* ---- the schema ---- */

/* Decides what a column of texts is, after all of its cells were seen: p->kinds_seen has a bit for each kind
 * that was among them, so only a single bit makes it a stream or a list of items. */
static void settle_text(const sheaf_sequence_table *t, sheaf_sequence_part *p)
{
	if (t->as == SHEAF_SAMPLES_WIDE && p->kinds_seen == ENTRIES && !stands_beside(p->name))
		p->kind = SHEAF_PART_SPARSE;
	if (t->as != SHEAF_SAMPLES_LISTS || (p->kinds_seen & PLAIN)) return;
	if (p->kinds_seen == DENSE_LISTS) p->kind = SHEAF_PART_DENSE;
	if (p->kinds_seen == SPARSE_LISTS) p->kind = SHEAF_PART_SPARSE;
	bool is_list = p->kinds_seen == NUMBERS || p->kinds_seen == TEXTS ||
	               (p->kinds_seen == 0 && strncmp(p->name, "event.", 6) == 0);
	if (is_list) p->kind = SHEAF_PART_OF_SAMPLE;
	if (p->kinds_seen == NUMBERS) p->is_text = false;
}

/* Makes the schema of sequences from what all cells have shown: each part becomes a stream or a column
 * beside the streams, and float64 only where float32 would change a number. Fails if no column is a
 * stream. */
sheaf_status sheaf_sequence_table_end(sheaf_sequence_table *t, sheaf_schema *out, sheaf_error *err)
{
	int streams = 0;
	out->rows = SHEAF_SEQUENCES;
	if (t->has_keys) SHEAF_TRY(sheaf_schema_add_key(out, t->cx, err));
	for (sheaf_sequence_part *p = t->parts; p < t->parts + t->nparts; p++) {
		sheaf_field *field;
		sheaf_type type = p->is_wide ? SHEAF_F64 : SHEAF_F32;
		if (p->first_column < 0) end_sample(p);
		if (p->is_text) settle_text(t, p);
		bool dense = p->kind == SHEAF_PART_DENSE, sparse = p->kind == SHEAF_PART_SPARSE;
		SHEAF_TRY(sheaf_schema_add(out, t->cx, p->name, strlen(p->name), &field, err));
		if (dense || sparse) {
			int64_t sparse_dim = p->dim ? p->dim : 1;
			sheaf_field_make_stream(field, sparse, dense ? p->nvalues : sparse_dim, type);
			streams++;
		} else {
			sheaf_field_make_cell(field, p->is_text ? SHEAF_STRING : SHEAF_NUMBER,
			                      p->is_text ? SHEAF_U8 : type, p->is_text ? -1 : 1, p->may_miss);
		}
		if (p->kind == SHEAF_PART_OF_SAMPLE) {
			if (field->nlevels) field->levels[1] = field->levels[0];
			field->levels[0] = (sheaf_level_shape){.kind = SHEAF_LIST};
			field->nlevels++;
		}
		sheaf_builder_drop(&p->last_item);
	}
	if (streams) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected columns of streams beside those of sequences, found none", t->file);
}

void sheaf_sequence_table_free(sheaf_sequence_table *t)
{
	for (int p = 0; p < t->nparts; p++) {
		sheaf_builder_drop(&t->parts[p].last_item);
		sheaf_release_text(t->cx, t->parts[p].name);
	}
	sheaf_names_free(&t->streams);
	if (t->parts) sheaf_release(t->cx, t->parts, (size_t)t->room * sizeof *t->parts);
}
