/* SPDX-License-Identifier: MIT */
/* What an array is, from its metadata (zarr.json, or .zarray), and whether it can be read: anything
 * unknown is refused by name, before any chunk is looked at. The specifications are "Zarr core
 * specification (version 3)" and that of version 2; codecs and types beyond them are those that
 * zarr-python writes.
 *
 * A refusal is a reason in the list, not an error, so most steps return OK after it and those that
 * follow still run; what they find does not replace the first reason. */
#include "base/checked.h"
#include "base/extend.h"
#include "container/bits.h"
#include "container/codec.h"
#include "container/zarr/zarr.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 32, MOST_TEXT = 1 << 20 };

/* A type, in NumPy's notation in both versions. */
typedef struct dtype {
	char kind;   /* b i u f c S U, O for texts of any length; 0: none */
	size_t size; /* of an element */
	bool is_big;
} dtype;

/* The array that is being described. */
typedef struct description {
	const sheaf_json *json;
	sheaf_catalog *catalog;
	sheaf_box_item *item;
	sheaf_box_detail *inside;
	sheaf_zarr_own *own;
	const char *name; /* of the box, for messages */
	SHEAF_BASE(dtype, type);
	dtype stored; /* what filters have made of it so far */
	sheaf_error *err;
} description;

/* What is not read here. The first reason counts. */
static sheaf_status refuse(const description *d, const char *what, const char *found)
{
	if (d->item->refused) return SHEAF_OK;
	return sheaf_catalog_text(d->catalog, &d->item->refused, d->err, "%s (%.200s)", what, found);
}

/* What contradicts the specification. */
static sheaf_status damaged(const description *d, const char *expected, const char *found)
{
	if (d->item->refused) return SHEAF_OK;
	d->item->is_damaged = true;
	return sheaf_catalog_text(d->catalog, &d->item->refused, d->err,
	                          "one that is damaged (expected %s, found %.200s)", expected, found);
}

/* A text, or what kind of value is there instead, for messages. */
static const char *text_of(const sheaf_json *value)
{
	const char *text = sheaf_json_text(value, NULL);
	return text ? text : sheaf_json_kind_name(value);
}

/* The same of a member. */
static const char *text_at(const sheaf_json *object, const char *key)
{
	return text_of(sheaf_json_get(object, key));
}

/* A setting with a key that nobody here knows may change the meaning of all others. */
static sheaf_status know(const description *d, const sheaf_json *it)
{
	const char *key = sheaf_zarr_unknown_setting(it);
	return key ? refuse(d, "metadata with a key that is not known", key) : SHEAF_OK;
}

/* ---- shapes ---- */

/* Takes a list of extents of at least `least`; `what` says in messages what they are. The catalog gets it
 * even if it is wrong, since others look at it. */
static sheaf_status take_extents(const description *d, const sheaf_json *list, int64_t least,
                                 const char *what, const int64_t **out)
{
	size_t n = sheaf_json_size(list);
	int64_t *extents;
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, (n + 1) * sizeof(int64_t), &extents, d->err));
	*out = extents;
	if (sheaf_json_kind_of(list) != SHEAF_JSON_ARRAY || n > MOST_DIMENSIONS)
		return damaged(d, what, sheaf_json_kind_name(list));
	for (size_t i = 0; i < n; i++)
		if (!sheaf_json_i64(sheaf_json_at(list, i), &extents[i]) || extents[i] < least)
			return damaged(d, what, "another value");
	return SHEAF_OK;
}

/* Describes the shape, and counts the elements. An array with an extent of 0 has none, however large the
 * other extents are. */
static sheaf_status describe_shape(const description *d)
{
	sheaf_box_item *item = d->item;
	const sheaf_json *shape = sheaf_json_get(d->json, "shape");
	SHEAF_TRY(take_extents(d, shape, 0, "a shape of up to 32 extents", &item->dims));
	item->rank = (int)sheaf_json_size(shape);
	item->count = 1;
	if (item->refused) item->rank = 0;
	for (int i = 0; i < item->rank; i++)
		if (item->dims[i] == 0) return item->count = 0, SHEAF_OK;
	for (int i = 0; i < item->rank; i++)
		if (!sheaf_mul_i64(&item->count, item->count, item->dims[i]) || item->count > INT64_MAX / 32) {
			item->count = 0;
			return refuse(d, "more elements than can be counted", "shape");
		}
	return SHEAF_OK;
}

/* ---- types ---- */

/* Returns a type of version 2, "<f8" and the like; what takes several bytes has an order
 * of them. NumPy counts U in characters of four bytes. Anything else leaves the kind at 0, which nobody
 * reads. */
static dtype old_type(const char *text)
{
	dtype d = {0};
	if (!text || !strchr("<>|", text[0]) || !text[0] || !text[1]) return d;
	const char *at = text + 2;
	d.is_big = text[0] == '>';
	for (; isdigit((unsigned char)*at) && d.size < MOST_TEXT; at++)
		d.size = d.size * 10 + (size_t)(*at - '0');
	bool has_order = text[0] != '|' || text[1] == 'S' || text[1] == 'O' || d.size == 1;
	if (*at || !has_order) return d;
	if (text[1] == 'U') d.size *= 4;
	if (text[1] == 'O' || d.size > 0) d.kind = text[1];
	return d;
}

/* Takes kind and size of a type of version 3: a name, or an object for types with a length, which are
 * zarr-python's. An unknown type leaves both as they are. */
static void take_new_type(description *d, const sheaf_json *type)
{
	static const struct {
		const char *name;
		char kind;
		size_t size;
	} names[] = {{"bool", 'b', 1},      {"int8", 'i', 1},        {"int16", 'i', 2},   {"int32", 'i', 4},
	             {"int64", 'i', 8},     {"uint8", 'u', 1},       {"uint16", 'u', 2},  {"uint32", 'u', 4},
	             {"uint64", 'u', 8},    {"float16", 'f', 2},     {"float32", 'f', 4}, {"float64", 'f', 8},
	             {"complex64", 'c', 8}, {"complex128", 'c', 16}, {"string", 'O', 0}};
	const char *name = sheaf_json_text(type, NULL);
	const sheaf_json *configuration = sheaf_json_get(type, "configuration");
	int64_t size;
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i].name) == 0) {
			d->kind = names[i].kind;
			d->size = names[i].size;
		}
	const char *object_name = sheaf_json_text(sheaf_json_get(type, "name"), NULL);
	if (!object_name || !sheaf_json_i64(sheaf_json_get(configuration, "length_bytes"), &size) || size < 1 ||
	    size > MOST_TEXT)
		return;
	d->size = (size_t)size;
	if (strcmp(object_name, "fixed_length_utf32") == 0 && size % 4 == 0) d->kind = 'U';
	if (strcmp(object_name, "null_terminated_bytes") == 0) d->kind = 'S';
}

/* Describes an array of truth values, numbers of our types, or float16, which has no type of ours: it is
 * expanded to float32. The number of elements becomes that of values, of which a complex number has two. */
static sheaf_status describe_number(const description *d)
{
	sheaf_box_item *item = d->item;
	item->what = d->kind == 'c' ? SHEAF_BOX_COMPLEX : d->kind == 'b' ? SHEAF_BOX_BOOLS : SHEAF_BOX_NUMBERS;
	d->inside->per = d->kind == 'c' ? 2 : 1;
	item->count *= d->inside->per;
	if (d->kind == 'f' && d->size == 2) {
		sheaf_box_bits *bits;
		SHEAF_TRY(sheaf_catalog_allocate(d->catalog, sizeof(sheaf_box_bits), &bits, d->err));
		*bits = (sheaf_box_bits){.size = 2,
		                         .is_big = d->is_big,
		                         .is_signed = true,
		                         .is_float = true,
		                         .count = 16,
		                         .parts = {15, 10, 5, 0, 10}};
		d->inside->bits = bits;
		item->type = SHEAF_F32;
		item->of = d->is_big ? "big-endian float16" : "float16";
		return SHEAF_OK;
	}
	return sheaf_catalog_name_numbers(d->catalog, item, d->is_big, "", d->err);
}

/* Describes what an array's elements are. The byte order in version 3 is that of its codec, which was
 * taken before. Texts of any length have references of 16 bytes as elements. A type that is not read
 * refuses the array by its name. */
static sheaf_status describe_type(description *d)
{
	enum { REFERENCE = 16 };
	const sheaf_json *type = sheaf_json_get(d->json, d->own->version == 2 ? "dtype" : "data_type");
	if (d->own->version == 2)
		d->type = old_type(sheaf_json_text(type, NULL));
	else
		take_new_type(d, type);
	SHEAF_TRY(know(d, type));
	d->inside->width = d->size;
	if ((d->kind == 'f' && d->size == 2) || sheaf_box_number_type(d->kind, d->size, &d->item->type))
		return describe_number(d);
	d->own->text = d->kind == 'S'   ? SHEAF_ZARR_PADDED
	               : d->kind == 'U' ? SHEAF_ZARR_UTF32
	               : d->kind == 'O' ? SHEAF_ZARR_VARIABLE
	                                : SHEAF_ZARR_NO_TEXT;
	d->own->is_big = d->is_big;
	if (d->kind == 'O') d->inside->width = REFERENCE;
	d->inside->is_variable = d->kind == 'O';
	if (d->own->text) {
		d->item->what = SHEAF_BOX_TEXTS;
		d->item->of = "text";
		return SHEAF_OK;
	}
	const char *name = sheaf_json_text(type, NULL);
	if (!name) name = sheaf_json_text(sheaf_json_get(type, "name"), NULL);
	SHEAF_TRY(sheaf_catalog_text(d->catalog, &d->item->of, d->err, "%.100s", name ? name : "records"));
	return refuse(d, "a type that is not read", d->item->of);
}

/* ---- fill values ---- */

/* Finds the bits of a number, as an unsigned integer; false: it is not of the array's type. Floats that
 * JSON has not are texts ("NaN", "-Infinity"), in both versions the same ones; version 3 can also give
 * the bits of a float in hexadecimal digits. */
static bool bits_of(const description *d, const sheaf_json *value, uint64_t *bits)
{
	double x;
	bool is_float = d->kind == 'f' || d->kind == 'c', is_true = sheaf_json_is_true(value);
	*bits = is_true;
	if (sheaf_json_kind_of(value) == SHEAF_JSON_BOOL) return d->kind == 'b';
	const char *text = sheaf_json_text(value, NULL);
	if (text && is_float && strncmp(text, "0x", 2) == 0 &&
	    strlen(text) == 2 + 2 * (d->size / (size_t)d->inside->per)) {
		*bits = strtoull(text + 2, NULL, 16);
		return strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2);
	}
	if (!is_float) {
		/* An integer of this type, or a truth value, which may be spelled 0 or 1. */
		int64_t i;
		size_t size = 8 * sheaf_type_size(d->item->type);
		uint64_t most = d->kind == 'b' ? 1 : UINT64_MAX >> (64 - size + (d->kind == 'i'));
		if (sheaf_json_u64(value, bits)) return *bits <= most;
		if (d->kind != 'i' || !sheaf_json_i64(value, &i) || i < -(int64_t)most - 1) return false;
		*bits = (uint64_t)i;
		return true;
	}
	if (text && strcmp(text, "NaN") == 0)
		x = (double)NAN;
	else if (text && strcmp(text + (*text == '-'), "Infinity") == 0)
		x = *text == '-' ? -HUGE_VAL : HUGE_VAL;
	else if (!sheaf_json_number(value, &x))
		return false;
	float f = (float)x;
	uint32_t word;
	memcpy(&word, &f, sizeof word);
	if (d->item->type == SHEAF_F64)
		memcpy(bits, &x, sizeof x);
	else
		*bits = word;
	return true;
}

/* Keeps the fill value as the file would store it. No fill value, null, means that missing elements may
 * be anything: they are zeros. Texts are only supported with an empty one, and float16 with 0, infinities
 * and NaN. A complex number has a list of two
 * values, or a real one. */
static sheaf_status describe_fill(const description *d)
{
	const sheaf_json *value = sheaf_json_get(d->json, "fill_value");
	sheaf_json_kind kind = sheaf_json_kind_of(value);
	size_t size = d->size / (size_t)d->inside->per;
	uint64_t bits = 0;
	if (kind == SHEAF_JSON_NULL || d->item->refused) return SHEAF_OK;
	if (d->own->text) {
		const char *text = sheaf_json_text(value, NULL);
		bool is_empty = text ? strspn(text, d->kind == 'S' ? "A=" : "") == strlen(text)
		                     : sheaf_json_u64(value, &bits) && !bits;
		return is_empty ? SHEAF_OK : refuse(d, "a fill value that is a text", text_of(value));
	}
	for (int i = 0; i < d->inside->per; i++) {
		const sheaf_json *one = kind == SHEAF_JSON_ARRAY ? sheaf_json_at(value, (size_t)i) : i ? NULL : value;
		if (!one && kind != SHEAF_JSON_ARRAY) return SHEAF_OK; /* a real number */
		if (!bits_of(d, one, &bits)) return damaged(d, "a fill value of the array's type", text_of(value));
		if (d->inside->bits && bits > UINT16_MAX) {
			/* The bits of the float32 become those of the float16 with that value. */
			bool is_special = (bits & 0x7f800000) == 0x7f800000;
			if (!is_special && (bits & 0x7fffffff) != 0)
				return refuse(d, "a fill value of float16 that is a number other than 0", "fill_value");
			bits = (bits >> 16 & 0x8000) | (is_special ? 0x7c00 | (bits & 0x7fffff ? 0x200 : 0) : 0);
		}
		uint8_t *to = d->inside->fill + (size_t)i * size;
		for (size_t k = 0; k < size; k++) to[k] = (uint8_t)(bits >> 8 * (d->is_big ? size - 1 - k : k));
	}
	return SHEAF_OK;
}

/* ---- filters ---- */

/* Filters are kept in the order in which they were applied. */
static sheaf_status add_filter(const description *d, sheaf_box_filter filter, const void *parameters,
                               const char *name)
{
	sheaf_box_detail *inside = d->inside;
	if (inside->nfilters == SHEAF_BOX_MAX_FILTERS) return refuse(d, "more filters than are known", name);
	inside->parameters[inside->nfilters] = parameters;
	inside->filters[inside->nfilters++] = filter;
	return sheaf_catalog_text(d->catalog, &d->item->filters, d->err, "%s%s%s",
	                          d->item->filters ? d->item->filters : "", d->item->filters ? ", " : "", name);
}

/* The type that a codec has: NumPy also leaves out the order of the processor, which is little-endian. */
static dtype dtype_of(const sheaf_json *text)
{
	char ordered[8];
	const char *name = text_of(text);
	snprintf(ordered, sizeof ordered, "%s%s", isalpha((unsigned char)*name) ? "<" : "", name);
	return old_type(ordered);
}

static bool is_same(dtype a, dtype b)
{
	return a.kind == b.kind && a.size == b.size && (a.size == 1 || a.is_big == b.is_big);
}

/* Adds a codec that makes other numbers of numbers. What it makes them of must be what the array has, or the
 * codec before it; version 3 has one order of bytes for all, and none of its dimensions may be transposed. */
static sheaf_status add_scaling(description *d, const char *name, const sheaf_json *setting)
{
	sheaf_box_scaling *s;
	const bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const sheaf_json *astype = sheaf_json_get(setting, "astype"), *scale = sheaf_json_get(setting, "scale");
	dtype before = dtype_of(sheaf_json_get(setting, "dtype")), after = astype ? dtype_of(astype) : before;
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, sizeof *s, &s, d->err));
	bool is_known = is_same(before, d->stored) && strchr("iuf", before.kind) && strchr("iuf", after.kind) &&
	                sheaf_box_number_type(before.kind, before.size, &s->type) &&
	                sheaf_box_number_type(after.kind, after.size, &s->stored);
	if (d->own->version == 3)
		is_known &= is_same(after, (dtype){after.kind, after.size, d->is_big}) && !d->inside->turn;
	if (!is_known) return refuse(d, "numbers made of numbers of another type", name);
	s->is_delta = strstr(name, "delta");
	s->is_swapped = before.is_big != is_big;
	s->stored_is_swapped = after.is_big != is_big;
	if (!s->is_delta && (!sheaf_json_number(scale, &s->scale) || s->scale == 0 ||
	                     !sheaf_json_number(sheaf_json_get(setting, "offset"), &s->offset)))
		return damaged(d, "an offset and a scale", "others");
	d->stored = after;
	return add_filter(d, SHEAF_FILTER_SCALING, s, name);
}

/* Adds the codec of chunks called `name`; both versions use the same names. What it makes is no numbers. */
static sheaf_status add_packing(description *d, const char *name, const sheaf_json *setting)
{
	sheaf_box_filter filter = sheaf_zarr_filter(name);
	const sheaf_json *location = sheaf_json_get(setting, "location"),
					 *format = sheaf_json_get(setting, "format");
	int64_t width = 4, xz = 1;
	uint32_t *parameters;
	if (filter == SHEAF_NO_FILTER) return refuse(d, "a filter that is not one of ours", name);
	if (filter == SHEAF_FILTER_SCALING) return add_scaling(d, name, setting);
	d->stored.kind = 0;
	bool is_known = (!format || (sheaf_json_i64(format, &xz) && xz == 1)) &&
	                (!location || strcmp(text_of(location), "end") == 0);
	if (!is_known) return refuse(d, "a filter with a setting that is not known", name);
	if (filter != SHEAF_FILTER_SHUFFLE) return add_filter(d, filter, NULL, name);
	const sheaf_json *size = sheaf_json_get(setting, "elementsize");
	if (size && (!sheaf_json_i64(size, &width) || width < 1 || width > MOST_TEXT))
		return damaged(d, "a size of elements", text_of(size));
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, 2 * sizeof *parameters, &parameters, d->err));
	parameters[0] = 1;
	parameters[1] = (uint32_t)width;
	return add_filter(d, filter, parameters, name);
}

/* Describes the packing of version 2: filters, then one compressor. Texts of any length are objects whose
 * first filter is vlen-utf8. The elements of a chunk are by rows (C), or by columns (F): then the first
 * dimension varies fastest. */
static sheaf_status describe_packing_2(description *d)
{
	const sheaf_json *filters = sheaf_json_get(d->json, "filters"),
					 *compressor = sheaf_json_get(d->json, "compressor"),
					 *value = sheaf_json_get(d->json, "order");
	sheaf_json_kind kind = sheaf_json_kind_of(filters);
	bool is_text = false;
	if (kind != SHEAF_JSON_NULL && kind != SHEAF_JSON_ARRAY)
		return damaged(d, "a list of filters, or null", text_of(filters));
	for (size_t i = 0; i < sheaf_json_size(filters) && !d->item->refused; i++) {
		const sheaf_json *filter = sheaf_json_at(filters, i);
		const char *id = text_at(filter, "id");
		SHEAF_TRY(know(d, filter));
		if (i == 0 && d->kind == 'O' && strcmp(id, "vlen-utf8") == 0)
			is_text = true;
		else
			SHEAF_TRY(add_packing(d, id, filter));
	}
	if (d->kind == 'O' && !is_text) return refuse(d, "a type that is not read", "objects");
	if (sheaf_json_kind_of(compressor) != SHEAF_JSON_NULL) {
		SHEAF_TRY(know(d, compressor));
		SHEAF_TRY(add_packing(d, text_at(compressor, "id"), compressor));
	}
	const char *order = value ? text_of(value) : "C";
	int rank = d->item->rank, *turn;
	if (strcmp(order, "F") != 0)
		return strcmp(order, "C") == 0 ? SHEAF_OK : damaged(d, "an order of elements that is C or F", order);
	if (rank <= 1) return SHEAF_OK;
	if (d->kind == 'O') return refuse(d, "texts of any length by columns", "order F");
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, (size_t)rank * sizeof *turn, &turn, d->err));
	for (int i = 0; i < rank; i++) turn[i] = rank - 1 - i;
	d->inside->turn = turn;
	return SHEAF_OK;
}

/* Takes the order of the dimensions in a chunk, each once, as the codec transpose gives it. The usual
 * order needs no turn. Transposing twice would have to be undone one by one; nobody writes that, and it
 * is refused. */
static sheaf_status take_turn(const description *d, const sheaf_json *order)
{
	int64_t at;
	unsigned seen = 0;
	bool is_identity = true;
	int rank = d->item->rank;
	int *turn;
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, (size_t)(rank + 1) * sizeof(int), &turn, d->err));
	for (int i = 0; i < rank; i++) {
		bool is_dimension = sheaf_json_i64(sheaf_json_at(order, (size_t)i), &at) && at >= 0 && at < rank;
		if (!is_dimension || (seen >> at & 1))
			return damaged(d, "an order of the array's dimensions", "another");
		seen |= 1u << at;
		turn[i] = (int)at;
		is_identity &= at == i;
	}
	if ((int)sheaf_json_size(order) != rank)
		return damaged(d, "an order of the array's dimensions", "another");
	if (!is_identity && (d->kind == 'O' || d->inside->turn || d->inside->nfilters))
		return refuse(d, "texts, differences, or dimensions that are transposed twice", "transpose");
	if (!is_identity) d->inside->turn = turn;
	return SHEAF_OK;
}

/* The byte order, before the type needs it. In shards, it is that of the chunks inside. */
static void take_order(description *d, const sheaf_json *codecs)
{
	for (size_t i = 0; i < sheaf_json_size(codecs); i++) {
		const sheaf_json *it = sheaf_json_at(codecs, i), *more = sheaf_json_get(it, "configuration");
		const char *name = text_at(it, "name"), *endian = text_at(more, "endian");
		if (strcmp(name, "bytes") == 0) d->is_big = strcmp(endian, "big") == 0;
		if (strcmp(name, "sharding_indexed") == 0) take_order(d, sheaf_json_get(more, "codecs"));
	}
}

/* Describes the codec sharding_indexed: a member of the folder has several chunks (item->chunks become
 * those inside it), and an index of where they are, at its end or its beginning, of little-endian numbers
 * and perhaps their checksum. */
static sheaf_status describe_shards(const description *d, const sheaf_json *configuration)
{
	sheaf_box_item *item = d->item;
	const int64_t *shard_extents = item->chunks;
	SHEAF_TRY(take_extents(d, sheaf_json_get(configuration, "chunk_shape"), 1, "extents of chunks in a shard",
	                       &item->chunks));
	const sheaf_json *codecs = sheaf_json_get(configuration, "index_codecs");
	const sheaf_json *location = sheaf_json_get(configuration, "index_location");
	const char *place = location ? text_of(location) : "end";
	size_t n = sheaf_json_size(codecs);
	const char *first = text_at(sheaf_json_at(codecs, 0), "name"),
			   *second = n > 1 ? text_at(sheaf_json_at(codecs, 1), "name") : "crc32c";
	const sheaf_json *order =
		sheaf_json_get(sheaf_json_get(sheaf_json_at(codecs, 0), "configuration"), "endian");
	d->own->is_index_first = strcmp(place, "start") == 0;
	bool is_known = n >= 1 && n <= 2 && strcmp(first, "bytes") == 0 && strcmp(second, "crc32c") == 0 &&
	                strcmp(text_of(order), "little") == 0;
	if (!d->own->is_index_first && strcmp(place, "end") != 0) {
		SHEAF_TRY(refuse(d, "shards whose index is elsewhere", place));
	} else {
		for (size_t i = 0; i < n; i++) SHEAF_TRY(know(d, sheaf_json_at(codecs, i)));
		d->own->is_index_summed = n > 1;
		if (!is_known) SHEAF_TRY(refuse(d, "shards whose index is of another kind", first));
	}
	if ((int)sheaf_json_size(sheaf_json_get(configuration, "chunk_shape")) != item->rank)
		return damaged(d, "chunks of as many dimensions as the array", "others");
	int64_t *shard;
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, (size_t)(item->rank + 1) * sizeof(int64_t), &shard, d->err));
	for (int i = 0; i < item->rank && !item->refused; i++) {
		shard[i] = shard_extents[i] / item->chunks[i];
		if (shard_extents[i] % item->chunks[i]) return damaged(d, "shards of whole chunks", "parts of some");
	}
	d->own->shard = shard;
	if (d->inside->grid) d->inside->grid = item->chunks;
	if (d->inside->chunk) d->inside->chunk = item->chunks[0];
	if (item->chunk) item->chunk = item->chunks[0] * d->inside->per;
	return SHEAF_OK;
}

/* Describes the codecs of version 3: from arrays to arrays (transpose), one from an array to bytes, and
 * codecs of bytes, in this order. Shards have a list of their own, which may not have shards again
 * (may_be_shards). */
static sheaf_status describe_codecs(description *d, const sheaf_json *codecs, bool may_be_shards)
{
	const char *bytes = d->kind == 'O' ? "vlen-utf8" : "bytes";
	bool has_bytes = false;
	size_t n = sheaf_json_size(codecs);
	for (size_t i = 0; i < n && !d->item->refused; i++) {
		const sheaf_json *codec = sheaf_json_at(codecs, i),
						 *configuration = sheaf_json_get(codec, "configuration");
		const char *name = sheaf_json_text(codec, NULL);
		if (!name) name = text_at(codec, "name");
		SHEAF_TRY(know(d, codec));
		if (may_be_shards && n == 1 && strcmp(name, "sharding_indexed") == 0) {
			SHEAF_TRY(describe_shards(d, configuration));
			return describe_codecs(d, sheaf_json_get(configuration, "codecs"), false);
		}
		if (!has_bytes && strcmp(name, "transpose") == 0) {
			SHEAF_TRY(take_turn(d, sheaf_json_get(configuration, "order")));
			continue;
		}
		if (!has_bytes && sheaf_zarr_filter(name) == SHEAF_FILTER_SCALING) {
			SHEAF_TRY(add_packing(d, name, configuration));
			continue;
		}
		if (!has_bytes && strcmp(name, bytes) != 0) return refuse(d, "a codec that is not one of ours", name);
		if (!has_bytes && d->kind != 'O') {
			/* The byte order that this codec says, which a type of one byte needs not. */
			const sheaf_json *endian = sheaf_json_get(configuration, "endian");
			const char *text = text_of(endian);
			bool is_none = sheaf_json_kind_of(endian) == SHEAF_JSON_NULL; /* also where it is not there */
			bool is_known = strcmp(text, "little") == 0 || strcmp(text, "big") == 0,
				 is_needed = d->size > 1;
			if (!is_known && (!is_none || (is_needed && d->kind != 'S')))
				SHEAF_TRY(
					damaged(d, "an order of bytes (endian) that is little or big", is_none ? "none" : text));
		}
		if (has_bytes) SHEAF_TRY(add_packing(d, name, configuration));
		has_bytes = true;
	}
	return has_bytes || d->item->refused ? SHEAF_OK : damaged(d, "codecs that make bytes", "none");
}

/* ---- chunks ---- */

/* Describes how the member of a chunk is called: "c/0/1" in version 3, "0.1" or "0/1" in version 2. */
static sheaf_status describe_keys(const description *d)
{
	bool is_old = d->own->version == 2;
	const sheaf_json *encoding = sheaf_json_get(d->json, "chunk_key_encoding");
	const char *name = is_old ? "v2" : text_at(encoding, "name");
	const sheaf_json *more = is_old ? d->json : sheaf_json_get(encoding, "configuration");
	const sheaf_json *between = sheaf_json_get(more, is_old ? "dimension_separator" : "separator");
	bool is_default = strcmp(name, "default") == 0;
	const char *separator = between ? text_of(between) : is_default ? "/" : ".";
	if (!is_default && strcmp(name, "v2") != 0) return refuse(d, "names of chunks of another kind", name);
	if (!is_old) SHEAF_TRY(know(d, encoding));
	d->own->has_prefix = is_default;
	d->own->separator = *separator;
	return strcmp(separator, ".") == 0 || strcmp(separator, "/") == 0
	           ? SHEAF_OK
	           : damaged(d, "a dot or a slash between the numbers of a chunk", separator);
}

/* Describes the grid of chunks of equal extents. Arrays of one dimension are read chunk by chunk; texts
 * of any length have no grid, because their elements have no width. */
static sheaf_status describe_grid(const description *d)
{
	enum { MOST = 1 << 30 };
	sheaf_box_item *item = d->item;
	const sheaf_json *grid = sheaf_json_get(d->json, "chunk_grid"),
					 *extents = sheaf_json_get(d->json, "chunks");
	int64_t bytes = (int64_t)(d->kind == 'O' ? 1 : d->size);
	if (d->own->version == 3) {
		extents = sheaf_json_get(sheaf_json_get(grid, "configuration"), "chunk_shape");
		const char *name = text_at(grid, "name");
		if (strcmp(name, "regular") != 0) return refuse(d, "chunks of a grid of another kind", name);
		SHEAF_TRY(know(d, grid));
	}
	SHEAF_TRY(take_extents(d, extents, 0, "extents of chunks", &item->chunks));
	if ((int)sheaf_json_size(extents) != item->rank)
		return damaged(d, "chunks of as many dimensions as the array", "others");
	for (int i = 0; i < item->rank && !item->refused; i++) {
		if (item->chunks[i] == 0 && item->dims[i] > 0) return damaged(d, "chunks that hold something", "0");
		if (item->chunks[i] && (!sheaf_mul_i64(&bytes, bytes, item->chunks[i]) || bytes > MOST))
			return refuse(d, "chunks of more than a gigabyte", "chunks");
	}
	item->storage = item->rank ? SHEAF_BOX_CHUNKED : SHEAF_BOX_COMPACT;
	if (item->refused || item->rank == 0 || d->kind == 'O' || item->count == 0) return SHEAF_OK;
	d->inside->grid = item->chunks;
	if (item->rank != 1 || item->what == SHEAF_BOX_TEXTS || d->inside->bits) return SHEAF_OK;
	d->inside->chunk = item->chunks[0];
	item->chunk = item->chunks[0] * d->inside->per;
	return SHEAF_OK;
}

/* Describes an array by its metadata: shape, type, names of chunks, grid, packing, fill value. The type
 * of version 3 needs the byte order, which a codec has: so that is looked up first. An array that is
 * refused has no grid, so that nobody reads its chunks. */
sheaf_status sheaf_zarr_describe(const sheaf_json *json, sheaf_catalog *catalog, sheaf_box_item *item,
                                 const char *name, sheaf_error *err)
{
	description d = {json, catalog, item, item->inside, item->inside->zarr, name, .err = err};
	SHEAF_TRY(describe_shape(&d));
	if (d.own->version == 3) take_order(&d, sheaf_json_get(json, "codecs"));
	SHEAF_TRY(describe_type(&d));
	d.stored = d.type;
	SHEAF_TRY(describe_keys(&d));
	SHEAF_TRY(describe_grid(&d));
	SHEAF_TRY(d.own->version == 2 ? describe_packing_2(&d)
	                              : describe_codecs(&d, sheaf_json_get(json, "codecs"), true));
	if (sheaf_json_size(sheaf_json_get(d.json, "storage_transformers")) != 0)
		SHEAF_TRY(refuse(&d, "chunks that are stored in another way", "storage_transformers"));
	SHEAF_TRY(describe_fill(&d));
	if (item->refused) {
		item->inside->grid = NULL;
		item->inside->chunk = item->chunk = 0;
	}
	return SHEAF_OK;
}
