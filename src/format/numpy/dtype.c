/* SPDX-License-Identifier: MIT */
/* Types of items, as the value of "descr" spells them: a text of a byte order, a letter and a size,
 *
 *   '<f8'                            a float of eight bytes, little-endian
 *   '<M8[10ms]'                      a time, counted in units of ten milliseconds
 *   [('a', '<i4'), ('b', '|S5')]     a structure: fields that follow one another without gaps,
 *   [('', '|V3'), ('a', '<i4')]      except where one without a name is padding
 *   [('c', '<f4', (2, 3))]           a field with a shape: a subarray
 *
 * A structure becomes a flat list of parts, each of which is a column. A structure within it is read only if
 * it has one of two meanings, which our own writers give it, since NumPy has neither: (null, val) is a value
 * that may be missing, (time, tz) a time with its zone. Of a subarray, each element is a part of its own,
 * named "c[1,2]"; the shape is kept in `spelled`, so that a writer can put the elements together again.
 *
 * Sizes come from an untrusted header. Each sum is checked, an item has less than 2^31 bytes, and the number
 * of parts and the depth are limited, so that a short header cannot ask for much memory. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "format/numpy/array.h"
#include "frame/schema/names.h"
#include "number/date.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 3 };

typedef struct reading {
	sheaf_literal *l;
	sheaf_context *cx;
	sheaf_dtype *out;
	const char *file;
	sheaf_error *err;
} reading;

static sheaf_status refuse(const reading *r, const char *type, const char *expected)
{
	return sheaf_fail(r->err, SHEAF_UNSUPPORTED, "%s: expected items of %s, found type '%s'", r->file,
	                  expected, type);
}

void sheaf_dtype_free(sheaf_dtype *dtype, sheaf_context *cx)
{
	sheaf_release(cx, dtype->parts, (size_t)dtype->room * sizeof *dtype->parts);
	*dtype = (sheaf_dtype){.parts = NULL};
}

/* Appends a part without a type, called `name`, to the list. The list moves as it grows: pointers to
 * other parts do not outlive this call. */
static sheaf_status add_part(sheaf_dtype *dtype, sheaf_context *cx, const char *name, sheaf_part **out,
                             sheaf_error *err)
{
	enum { FIRST = 4 };
	if (dtype->nparts == SHEAF_MOST_ITEMS)
		return sheaf_fail(err, SHEAF_LIMIT, "expected at most %d fields in an item, found more",
		                  SHEAF_MOST_ITEMS);
	if (dtype->nparts == dtype->room) {
		void *parts = dtype->parts;
		int room = dtype->room ? dtype->room * 2 : FIRST;
		SHEAF_TRY(sheaf_reallocate(cx, &parts, (size_t)dtype->room * sizeof **out,
		                           (size_t)room * sizeof **out, err));
		dtype->parts = (sheaf_part *)parts;
		dtype->room = room;
	}
	*out = &dtype->parts[dtype->nparts++];
	**out = (sheaf_part){.kind = '\0', .scale = 1};
	snprintf((*out)->name, sizeof(*out)->name, "%s", name);
	return SHEAF_OK;
}

/* ---- simple types ---- */

/* Returns whether items of a kind of NumPy's may have this size in bytes. Floats of 16 bytes have no type
 * here. */
static bool is_size(char kind, int64_t size)
{
	switch (kind) {
	case 'b': return size == 1;
	case 'i':
	case 'u': return size == 1 || size == 2 || size == 4 || size == 8;
	case 'f': return size == 2 || size == 4 || size == 8;
	case 'c': return size == 8 || size == 16;
	case 'M':
	case 'm': return size == 8;
	case 'S':
	case 'V': return size > 0;
	default: return kind == 'U' && size > 0 && size % 4 == 0;
	}
}

/* Reads the unit of a time or a span of time, such as "[s]" or "[10ms]", up to the end of the text, into
 * the part's scale, digits, months and days. A week is 7 days, a year 12 months; the days of a span
 * become seconds, as only dates count in days. Returns false if there is no such unit, or if it has no fixed
 * length, which a span of time needs: months and years. */
static bool read_unit(const char *text, sheaf_part *part)
{
	static const struct {
		const char *unit;
		int64_t scale;
		int digits;
		char of; /* days or months */
	} units[] = {{"ns]", 1, 9, 0},  {"us]", 1, 6, 0},   {"ms]", 1, 3, 0},  {"s]", 1, 0, 0},
	             {"m]", 60, 0, 0},  {"h]", 3600, 0, 0}, {"D]", 1, 0, 'D'}, {"W]", 7, 0, 'D'},
	             {"M]", 1, 0, 'M'}, {"Y]", 12, 0, 'M'}};
	uint64_t count = 1;
	if (*text++ != '[') return false;
	size_t counted = strspn(text, "0123456789");
	if (counted && sheaf_scan_u64(text, text + counted, &count).flaw) return false;
	text += counted;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(text, units[i].unit) != 0 || count == 0 || count > INT32_MAX) continue;
		part->scale = units[i].scale * (int64_t)count;
		part->digits = units[i].digits;
		part->months = units[i].of == 'M';
		part->days = units[i].of == 'D' && part->kind == 'M';
		if (units[i].of == 'D' && !part->days) part->scale *= SHEAF_DAY_SECONDS; /* a span of days */
		return !(part->months && part->kind == 'm');
	}
	return false;
}

/* Reads a simple type, such as "<f8", "|S5" or "<M8[s]": a byte order, which is that of this machine
 * where it is missing or '=' or '|', a letter, a size in bytes, and for times a unit. The size of 'U'
 * counts characters of four bytes. A size that is too large becomes -1 and is refused. Objects ('O') are
 * pickles, and reading those would run code from the file. */
static sheaf_status read_simple(const reading *r, const char *type, sheaf_part *part)
{
	uint64_t size = 0;
	const char *at = type, *end = type + strlen(type);
	char order = (char)(*at && strchr("<>|=", *at) ? *at++ : '=');
	part->kind = (char)(*at ? *at++ : '\0');
	part->swapped = order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<');
	if (part->kind == 'O')
		return refuse(r, type, "plain bytes, not objects of Python, which are never unpickled");
	if (part->kind == '?') part->kind = 'b', size = 1;
	sheaf_scanned scanned = sheaf_scan_u64(at, end, &size);
	if (!scanned.flaw) at = scanned.end;
	if (part->kind == 'U' && size < INT32_MAX) size *= 4;
	part->size = size <= INT32_MAX ? (int64_t)size : -1;
	bool is_timed = part->kind == 'M' || part->kind == 'm';
	if (part->size > 0 && strchr("USMm", part->kind))
		snprintf(part->spelled, sizeof part->spelled, "%c%" PRId64, part->kind,
		         part->kind == 'U' ? part->size / 4 : part->size);
	if (part->size >= 0 && is_size(part->kind, part->size) && (is_timed ? read_unit(at, part) : at == end))
		return SHEAF_OK;
	return refuse(r, type,
	              "booleans, integers, floats of 2, 4 and 8 bytes, complex numbers, times in nanoseconds to "
	              "years, spans of time in nanoseconds to weeks, strings or bytes");
}

/* ---- fields ---- */

static sheaf_status read_fields(const reading *r, int depth);

static bool add_size(int64_t *size, int64_t more)
{
	return sheaf_add_i64(size, *size, more) && *size <= INT32_MAX;
}

/* Joins the two parts that a structure within a structure has added, from number `first` on, into one
 * part with the name of the field. (null, val) is a value that may be missing: the byte before it stays
 * known as null_at. (time, tz) is a time and its zone, which must be adjacent and in one unit and byte
 * order, as the column takes both numbers in one piece. Other structures are refused. */
static sheaf_status join_parts(const reading *r, int first, const char *name)
{
	sheaf_dtype *d = r->out;
	/* The array of no fields may be NULL. */
	if (d->nparts != first + 2)
		return refuse(r, name, "fields of simple types, of (null, val), or of (time, tz)");
	sheaf_part *a = &d->parts[first], *b = a + 1;
	if (strcmp(a->name, "null") == 0 && strcmp(b->name, "val") == 0 && (a->kind == 'u' || a->kind == 'i') &&
	    a->size == 1 && !b->nullable) {
		int64_t null_at = a->at;
		*a = *b;
		a->nullable = true;
		a->null_at = null_at;
	} else if (strcmp(a->name, "time") == 0 && strcmp(b->name, "tz") == 0 && a->kind == 'M' &&
	           b->kind == 'm' && a->scale == 1 && !a->days && b->scale == 1 && !b->digits &&
	           a->swapped == b->swapped && b->at == a->at + a->size && !a->nullable) {
		a->zoned = true;
		a->size = 16;
	} else {
		return refuse(r, name, "fields of simple types, of (null, val), or of (time, tz)");
	}
	snprintf(a->name, sizeof a->name, "%s", name);
	d->nparts--;
	return SHEAF_OK;
}

/* Reads the type of a field called `name`, which begins at byte d->size of the item, and adds its part. A
 * list is a structure within the structure, and is followed at most DEPTH times, more than a value with a
 * meaning of its own needs. A flaw of the literal is noted in r->l and is no status. */
static sheaf_status read_type(const reading *r, const char *name, int depth)
{
	char type[64];
	sheaf_part *part = NULL;
	sheaf_dtype *d = r->out;
	int first = d->nparts;
	if (sheaf_literal_takes(r->l, '[')) {
		if (depth == DEPTH) return refuse(r, name, "fields that are not nested any deeper");
		SHEAF_TRY(read_fields(r, depth + 1));
		return r->l->expected ? SHEAF_OK : join_parts(r, first, name);
	}
	sheaf_literal_string(r->l, type, sizeof type);
	if (r->l->expected) return SHEAF_OK;
	SHEAF_TRY(add_part(d, r->cx, name, &part, r->err));
	SHEAF_TRY(read_simple(r, type, part));
	part->at = d->size;
	if (!add_size(&d->size, part->size)) return refuse(r, type, "at most 2^31-1 bytes");
	if (name[0] == '\0' && part->kind == 'V') d->nparts--; /* padding between fields */
	return SHEAF_OK;
}

/* ---- subarrays ---- */

/* Makes the name of element number k of a subarray of a shape: "a[1,2]". */
static void name_element(char *text, size_t size, const char *name, const int64_t *shape, int rank, int64_t k)
{
	int64_t at[SHEAF_MAX_RANK] = {0};
	size_t used = (size_t)snprintf(text, size, "%.200s", name);
	for (int d = rank - 1; d >= 0; d--) at[d] = k % shape[d], k /= shape[d];
	for (int d = 0; d < rank; d++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRId64 "%s", d ? "," : "[", at[d],
		                         d + 1 < rank ? "" : "]");
}

/* Reads a shape such as "(2,3)"; *n becomes the number of its elements. False if it is no shape, or has
 * too many elements: each extent is compared before it is multiplied, so that the product cannot
 * overflow. */
static bool read_extents(sheaf_literal *l, int64_t *shape, int *rank, int64_t *n)
{
	*n = 1;
	*rank = 0;
	sheaf_literal_needs(l, '(', "'(' of the shape of a field");
	for (int k = 0; sheaf_literal_next(l, &k, ')', "')' after the shape of a field");) {
		int64_t extent = sheaf_literal_integer(l);
		if (l->expected || *rank == SHEAF_MAX_RANK || extent < 0 || extent > SHEAF_MOST_ITEMS) return false;
		shape[(*rank)++] = extent;
		*n *= extent;
		if (*n > SHEAF_MOST_ITEMS) return false;
	}
	return !l->expected;
}

/* Reads the shape of a field and replaces its one part, number `first`, by a part for each element of the
 * subarray; the elements take their places from the first byte of that part. `spelled` keeps the shape,
 * such as "(2,3)", for a writer that joins them again. A shape that is too long for it is forgotten, and
 * such elements remain columns. */
static sheaf_status spread_field(const reading *r, const char *name, int first)
{
	int64_t shape[SHEAF_MAX_RANK], n;
	int rank;
	sheaf_dtype *d = r->out;
	bool simple = d->nparts == first + 1 && !d->parts[first].nullable && !d->parts[first].zoned;
	bool read = read_extents(r->l, shape, &rank, &n);
	if (r->l->expected) return SHEAF_OK;
	if (!read || !simple || rank == 0)
		return refuse(r, name,
		              "fields of a simple type with a shape of at most 8 dimensions and 10000 items");
	sheaf_part part = d->parts[first], *to;
	char spelled[64];
	size_t used = (size_t)snprintf(spelled, sizeof spelled, "(");
	for (int k = 0; k < rank; k++)
		used += (size_t)snprintf(spelled + used, sizeof spelled - used, "%s%" PRId64, k ? "," : "", shape[k]);
	used += (size_t)snprintf(spelled + used, sizeof spelled - used, ")");
	if (used < sizeof part.spelled) memcpy(part.spelled, spelled, used + 1);
	d->nparts = first;
	d->size = part.at;
	for (int64_t k = 0; k < n; k++) {
		name_element(part.name, sizeof part.name, name, shape, rank, k);
		SHEAF_TRY(add_part(d, r->cx, "", &to, r->err));
		*to = part;
		to->at = d->size;
		if (!add_size(&d->size, part.size)) return refuse(r, name, "at most 2^31-1 bytes");
	}
	return SHEAF_OK;
}

/* Returns how many parts from number `first` on form one subarray, and spells its shape; 1 and an empty
 * text if they do not. The columns that a writer gets need not be those of a subarray as it was read:
 * some may be missing, or have other types. So each of them must have the name and the type that its
 * place in the shape asks for. */
int sheaf_subarray_parts(const sheaf_dtype *dtype, int first, char *shape, size_t size)
{
	const sheaf_part *a = dtype->parts + first;
	int64_t extents[SHEAF_MAX_RANK], n = 0;
	int rank = 0;
	char name[SHEAF_ITEM_NAME], wanted[SHEAF_ITEM_NAME];
	size_t length = strlen(a->spelled);
	const char *bracket = strrchr(a->name, '[');
	sheaf_literal l = {.begin = a->spelled, .at = a->spelled, .end = a->spelled + length};
	shape[0] = '\0';
	if (a->spelled[0] != '(' || !bracket || !read_extents(&l, extents, &rank, &n)) return 1;
	if (n < 1 || n > dtype->nparts - first || bracket - a->name > 200) return 1;
	snprintf(name, sizeof name, "%.*s", (int)(bracket - a->name), a->name);
	for (int64_t k = 0; k < n; k++) {
		const sheaf_part *b = a + k;
		name_element(wanted, sizeof wanted, name, extents, rank, k);
		if (strcmp(wanted, b->name) != 0 || a->kind != b->kind || a->size != b->size ||
		    a->digits != b->digits || a->nullable || b->nullable || a->zoned ||
		    strcmp(a->spelled, b->spelled) != 0)
			return 1;
	}
	snprintf(shape, size, "%.*s%s)", (int)length - 1, a->spelled, rank == 1 ? "," : "");
	return (int)n;
}

/* Reads the fields of a structure up to the ']' after them; the '[' has been read. A field is ('name',
 * type), (('title', 'name'), type) or ('name', type, shape); the title is dropped, as a column has no
 * place for it. */
static sheaf_status read_fields(const reading *r, int depth)
{
	char name[SHEAF_ITEM_NAME];
	sheaf_literal *l = r->l;
	for (int k = 0; sheaf_literal_next(l, &k, ']', "',' or ']' after a field");) {
		int first = r->out->nparts;
		sheaf_literal_needs(l, '(', "'(' of a field");
		if (sheaf_literal_takes(l, '(')) {
			sheaf_literal_string(l, name, sizeof name);
			sheaf_literal_needs(l, ',', "',' after a title");
			sheaf_literal_string(l, name, sizeof name);
			sheaf_literal_needs(l, ')', "')' after a title and a name");
		} else {
			sheaf_literal_string(l, name, sizeof name);
		}
		sheaf_literal_needs(l, ',', "',' after the name of a field");
		SHEAF_TRY(read_type(r, name, depth));
		bool comma_follows = sheaf_literal_takes(l, ',');
		if (l->expected || sheaf_literal_takes(l, ')')) continue;
		if (comma_follows) SHEAF_TRY(spread_field(r, name, first));
		sheaf_literal_needs(l, ')', "')' after a field");
	}
	return SHEAF_OK;
}

/* Reads the type of an array's items into a list of parts, which the caller frees even after an error. A
 * type without fields has one part, SHEAF_ITEM. Names are compared last, since those of subarrays are
 * made from names and may meet one that the header gives. */
sheaf_status sheaf_dtype_read(sheaf_literal *l, sheaf_context *cx, sheaf_dtype *out, const char *file,
                              sheaf_error *err)
{
	reading r = {l, cx, out, file, err};
	*out = (sheaf_dtype){.parts = NULL};
	out->structured = sheaf_literal_takes(l, '[');
	SHEAF_TRY(out->structured ? read_fields(&r, 0) : read_type(&r, SHEAF_ITEM, 0));
	if (l->expected || !out->structured) return SHEAF_OK;
	if (out->nparts == 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected items of at least one field, found none",
		                  file);
	sheaf_names names = {.count = 0};
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < out->nparts && !status; i++) {
		const char *name = out->parts[i].name;
		size_t size = strlen(name);
		if (!size)
			status = sheaf_fail(err, SHEAF_DATA,
			                    "%s: expected a name for each field, found none for field %d", file, i);
		else if (sheaf_names_find(&names, name, size, -1) >= 0)
			status = sheaf_fail(err, SHEAF_DATA, "%s: expected fields of different names, found '%s' twice",
			                    file, name);
		else
			status = sheaf_names_add(&names, cx, name, size, err);
	}
	sheaf_names_free(&names);
	return status;
}

/* ---- spelling ---- */

/* Single bytes, and rows of them, have no byte order. */
static void spell_simple(char kind, int64_t size, const char *unit, sheaf_builder *b)
{
	bool plain = size == 1 || kind == 'S' || kind == 'V' || kind == 'b';
	char order = plain ? '|' : '<';
	sheaf_builder_printf(b, "'%c%c%" PRId64 "%s'", order, kind, kind == 'U' ? size / 4 : size,
	                     kind == 'M' || kind == 'm' ? unit : "");
}

/* Appends the type of a part as NumPy spells it. A value that may be missing, or a time with a zone, is a
 * structure of two fields, as our own reader joins them again. */
void sheaf_part_spell(const sheaf_part *part, sheaf_builder *b)
{
	static const char *const units[] = {"[s]", "[ms]", "[us]", "[ns]"};
	const char *unit = part->days ? "[D]" : units[part->digits / 3];
	if (part->nullable) sheaf_builder_text(b, "[('null', '|u1'), ('val', ");
	if (part->zoned) {
		sheaf_builder_text(b, "[('time', ");
		spell_simple('M', 8, unit, b);
		sheaf_builder_text(b, "), ('tz', ");
		spell_simple('m', 8, "[s]", b);
		sheaf_builder_text(b, ")]");
	} else {
		spell_simple(part->kind, part->size, unit, b);
	}
	if (part->nullable) sheaf_builder_text(b, ")]");
}
