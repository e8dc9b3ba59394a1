/* SPDX-License-Identifier: MIT */
/* What a dataset is, and whether it can be read: everything that would lead out of the file, or to an
 * unsupported filter, is found here, before anything is read. A dataset that cannot be read stays in the
 * list with the reason, so that its neighbors can be read.
 *
 * There are two kinds of reasons: `refuse` for a dataset as a whole, of which the first one counts, and
 * `damaged` for messages that contradict each other, with the byte. The layout, the type and the space
 * are read first; the fill value and the storage must agree with them. */
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/spell.h"
#include "container/bits.h"
#include "container/hdf5/read.h"
#include "io/descriptor.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The dataset that is being described. Attributes and committed types are described by it too; they have no
 * layout. */
typedef struct description {
	sheaf_hdf5_look *l;
	const sheaf_hdf5_header *h;
	sheaf_catalog *catalog;
	sheaf_box_item *item;
	sheaf_box_detail *inside;
	sheaf_hdf5_own *own;
	sheaf_hdf5_layout layout;
	sheaf_hdf5_space space;
} description;

/* The first reason counts. */
static void refuse(const description *d, const char *why)
{
	if (!d->item->refused) d->item->refused = why;
}

/* Damage of the header as a whole, at the byte where it begins. */
static sheaf_status damaged(const description *d, const char *expected, uint64_t found)
{
	return sheaf_hdf5_refuse(d->l, d->l->r->base + d->h->address, expected, found);
}

/* ---- types ---- */

enum { IMPLIED = 2 /* the leading bit of a mantissa */ };

/* Returns whether a number is one of our types: an integer all of whose bits are used, or a float of IEEE
 * 754. `size` is that of a value, of which a complex number has two. */
static bool is_ours(const sheaf_hdf5_type *type, bool is_float, uint32_t size, sheaf_type *out)
{
	bool is_wide = size == 8;
	int mantissa = is_wide ? 52 : 23, exponent = is_wide ? 11 : 8;
	if (type->offset != 0 || type->precision != 8 * size) return false;
	if (!is_float) return sheaf_box_number_type(type->is_signed ? 'i' : 'u', size, out);
	return sheaf_box_number_type('f', size, out) && type->bits.norm == IMPLIED && type->bits.mantissa == 0 &&
	       type->bits.mantissa_bits == mantissa && type->bits.exponent == mantissa &&
	       type->bits.exponent_bits == exponent && type->bits.sign == 8 * size - 1 &&
	       type->bits.bias == (1U << (exponent - 1)) - 1;
}

/* Describes a number of one of our types, or one that one of our types holds exactly (16-bit floats,
 * integers of 24 bits, bit fields): those are read through `bits`. A number that none of them holds keeps
 * its name and is not read. `prefix` begins the type's name in listings. */
static sheaf_status describe_number(const description *d, const char *prefix)
{
	const sheaf_hdf5_type *type = &d->own->type;
	bool is_float = type->class == SHEAF_HDF5_FLOAT;
	if (is_ours(type, is_float, type->size, &d->item->type)) {
		d->item->what = SHEAF_BOX_NUMBERS;
		return sheaf_catalog_name_numbers(d->catalog, d->item, type->is_big, prefix, d->l->err);
	}
	/* Two floats of 16 bits have names of their own. */
	char name[40];
	unsigned parts =
		is_float && type->size == 2 ? type->bits.exponent_bits << 8 | type->bits.mantissa_bits : 0;
	snprintf(name, sizeof name, "%u-bit %s", type->precision, is_float ? "float" : "integer");
	SHEAF_TRY(sheaf_catalog_text(d->catalog, &d->item->of, d->l->err, "%s%s%s", prefix,
	                             type->is_big ? "big-endian " : "",
	                             parts == (5 << 8 | 10)  ? "float16"
	                             : parts == (8 << 8 | 7) ? "bfloat16"
	                                                     : name));
	sheaf_box_bits *bits;
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, sizeof(sheaf_box_bits), &bits, d->l->err));
	*bits = (sheaf_box_bits){.size = type->size <= 8 ? (uint8_t)type->size : 0,
	                         .is_big = type->is_big,
	                         .is_signed = type->is_signed,
	                         .is_float = is_float,
	                         .at = type->offset < 64 ? (uint8_t)type->offset : 64,
	                         .count = type->precision <= 64 ? (uint8_t)type->precision : 0,
	                         .parts = {.sign = type->bits.sign,
	                                   .exponent = type->bits.exponent,
	                                   .exponent_bits = type->bits.exponent_bits,
	                                   .mantissa = type->bits.mantissa,
	                                   .mantissa_bits = type->bits.mantissa_bits}};
	bool is_usual = !is_float || (type->bits.norm == IMPLIED && type->bits.exponent_bits < 32 &&
	                              type->bits.bias == (1U << type->bits.exponent_bits) / 2 - 1);
	if (!is_usual || !sheaf_box_bits_type(bits, &d->item->type)) return SHEAF_OK;
	d->item->what = SHEAF_BOX_NUMBERS;
	d->inside->bits = bits;
	return SHEAF_OK;
}

static sheaf_status describe_type(const description *d);

/* Describes a compound as records, if at least one of its members can be read. A member is described like
 * a dataset of its own; its offset in the record stands for a position in the file. Members that are too
 * wide, or of types that are not read, are refused one by one. */
static sheaf_status describe_members(const description *d)
{
	sheaf_builder *list = d->l->members;
	size_t n = list ? list->size / sizeof(sheaf_hdf5_member) : 0;
	sheaf_box_item *items;
	if (n == 0 || n > INT16_MAX) return SHEAF_OK;
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, n * sizeof(sheaf_box_item), &items, d->l->err));
	d->l->members = NULL; /* compounds within it have no list */
	for (size_t i = 0; i < n; i++) {
		sheaf_hdf5_member it;
		description own = {.l = d->l, .catalog = d->catalog, .item = &items[i]};
		memcpy(&it, list->data + i * sizeof it, sizeof it);
		SHEAF_TRY(sheaf_catalog_allocate(d->catalog, sizeof *own.inside, &own.inside, d->l->err));
		SHEAF_TRY(sheaf_catalog_allocate(d->catalog, sizeof *own.own, &own.own, d->l->err));
		items[i].name = it.name;
		own.own->type = it.type;
		*own.inside = (sheaf_box_detail){.offset = (int64_t)it.offset, .per = 1, .own = own.own};
		items[i].inside = own.inside;
		items[i].what = SHEAF_BOX_OTHER;
		SHEAF_TRY(describe_type(&own));
		bool is_wide = items[i].what < SHEAF_BOX_TEXTS && own.inside->width > SHEAF_BOX_MAX_ELEMENT;
		if (items[i].what == SHEAF_BOX_OTHER || is_wide)
			items[i].refused = items[i].of;
		else
			d->item->what = SHEAF_BOX_RECORDS;
	}
	d->item->members = items;
	d->item->nmembers = (int)n;
	return SHEAF_OK;
}

/* A text of fixed length, or a reference into the heap of texts. */
static void describe_text(const description *d, bool is_variable)
{
	d->item->what = SHEAF_BOX_TEXTS;
	d->item->of = "text";
	d->inside->is_variable = is_variable;
}

/* Describes what the elements are, by the class of the type, in the numbers of the specification.
 * Enumerations FALSE, TRUE are h5py's booleans, compounds of two equal floats (r, i) its complex numbers. */
static sheaf_status describe_type(const description *d)
{
	static const char *const others[] = {
		"", "", "time", "", "", "opaque", "", "reference", "", "variable length", "array"};
	const sheaf_hdf5_type *type = &d->own->type;
	d->inside->width = type->is_list ? type->stored : type->size;
	d->item->names = type->names;
	d->item->nnames = type->nnames;
	if (type->is_list) {
		SHEAF_TRY(describe_number(d, "list of "));
		d->item->what = d->inside->bits ? SHEAF_BOX_OTHER : SHEAF_BOX_LISTS;
		d->inside->bits = NULL;
		d->inside->is_variable = true;
		return SHEAF_OK;
	}
	switch (type->class) {
	case SHEAF_HDF5_INTEGER:
	case SHEAF_HDF5_FLOAT: return describe_number(d, "");
	case SHEAF_HDF5_BITS: return describe_number(d, "bits of ");
	case SHEAF_HDF5_COMPOUND:
	case SHEAF_HDF5_COMPLEX:
		d->item->of = type->class == SHEAF_HDF5_COMPLEX ? "complex" : "compound";
		if (!type->is_complex) return describe_members(d);
		if (!is_ours(type, true, type->size / 2, &d->item->type)) return SHEAF_OK;
		d->item->what = SHEAF_BOX_COMPLEX;
		d->inside->per = 2;
		return sheaf_catalog_name_numbers(d->catalog, d->item, type->is_big, "", d->l->err);
	case SHEAF_HDF5_ENUMERATION:
		if (!type->is_bool) return describe_number(d, "enumeration of ");
		d->item->what = SHEAF_BOX_BOOLS;
		d->item->type = SHEAF_U8;
		d->item->of = "bool";
		break;
	case SHEAF_HDF5_STRING: describe_text(d, false); break;
	default: d->item->of = others[type->class];
	}
	if (type->is_variable_text) describe_text(d, true);
	return SHEAF_OK;
}

/* ---- places ---- */

/* Describes the extents, those of the elements last, if these are arrays. A null space has no elements, and
 * is shown as one empty dimension. */
static sheaf_status describe_space(const description *d)
{
	static const int64_t none[1] = {0};
	d->item->rank = d->space.is_null ? 1 : d->space.rank;
	d->item->dims = none;
	d->item->is_null = d->space.is_null;
	if (d->space.is_null) return SHEAF_OK;
	int64_t *dims, *limits, count = 1;
	const sheaf_hdf5_type *type = &d->own->type;
	d->item->rank += type->rank;
	size_t size = (size_t)(d->item->rank + 1) * sizeof(int64_t);
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, 2 * size, &dims, d->l->err));
	limits = dims + d->item->rank + 1;
	for (int i = 0; i < d->space.rank; i++) {
		uint64_t extent = d->space.dims[i], most = d->space.most[i];
		dims[i] = extent > INT64_MAX ? INT64_MAX : (int64_t)extent;
		limits[i] = most == UINT64_MAX ? -1 : most > INT64_MAX ? INT64_MAX : (int64_t)most;
		if (most != extent) d->item->limits = limits;
	}
	d->item->dims = dims;
	for (int i = 0; i < type->rank; i++) {
		limits[d->space.rank + i] = dims[d->space.rank + i] = type->dims[i];
		count *= type->dims[i];
	}
	bool fits = d->space.count <= INT64_MAX && sheaf_mul_i64(&count, (int64_t)d->space.count, count);
	d->item->count = fits ? count : 0;
	if (!fits) refuse(d, "more elements than can be counted");
	return SHEAF_OK;
}

/* Makes texts of netCDF's characters, as long as the last dimension, unless that is the one of records: as
 * they are in its classic format. Those whose chunks have parts of texts stay single ones. */
static sheaf_status join_characters(const description *d)
{
	enum { PADDED_BY_EITHER = 3 /* NULs and spaces, which no file says */ };
	int last = d->space.rank - 1;
	bool is_netcdf;
	sheaf_hdf5_attribute dimensions;
	sheaf_hdf5_type *type = &d->own->type;
	if (type->class != SHEAF_HDF5_STRING || type->stored != 1 || last < 0 || d->space.count == 0)
		return SHEAF_OK;
	bool is_cut = d->layout.rank > 0 && d->layout.extents[last] != d->space.dims[last];
	if (is_cut || d->space.most[last] > UINT32_MAX) return SHEAF_OK;
	SHEAF_TRY(sheaf_hdf5_attribute_named(d->l, d->h, "DIMENSION_LIST", &dimensions, &is_netcdf));
	if (!is_netcdf) return SHEAF_OK;
	d->item->rank--;
	d->item->count /= d->item->dims[last];
	d->inside->width = type->size = (uint32_t)d->space.dims[last];
	type->flags = PADDED_BY_EITHER;
	return SHEAF_OK;
}

/* ---- filters ---- */

/* A filter; the first of its parameters is the number of them. */
typedef struct filter {
	unsigned id;
	uint32_t *parameters;
} filter;

static const struct {
	unsigned id;
	sheaf_box_filter ours;
	const char *name;
} filters[] = {{1, SHEAF_FILTER_DEFLATE, "deflate"},
               {2, SHEAF_FILTER_SHUFFLE, "shuffle"},
               {3, SHEAF_FILTER_FLETCHER, "fletcher32"},
               {32000, SHEAF_FILTER_LZF, "lzf"},
#if SHEAF_SZIP
               {4, SHEAF_FILTER_SZIP, "szip"},
#else
               {4, SHEAF_NO_FILTER, "szip, for which this build has no libaec,"},
#endif
               {5, SHEAF_FILTER_NBIT, "nbit"},
               {6, SHEAF_FILTER_SCALEOFFSET, "scaleoffset"},
               {305, SHEAF_NO_FILTER, "lzo"},
               {307, SHEAF_FILTER_BZIP2, "bzip2"},
               {32001, SHEAF_FILTER_BLOSC, "blosc"},
               {32004, SHEAF_LZ4 ? SHEAF_FILTER_LZ4 : SHEAF_NO_FILTER, "lz4"},
               {32008, SHEAF_FILTER_BITSHUFFLE, "bitshuffle"},
               {32013, SHEAF_NO_FILTER, "zfp"},
               {32015, SHEAF_FILTER_ZSTD, "zstd"},
               {32026, SHEAF_NO_FILTER, "blosc2"},
               {0, SHEAF_NO_FILTER, "filter"}};

/* Notes a filter if it is ours, else returns false; its name joins `names` in any case, for the message. */
static bool add_filter(const description *d, const filter *f, char *names, size_t room)
{
	char number[16] = "";
	size_t n = strlen(names), k = 0;
	sheaf_box_detail *inside = d->inside;
	while (filters[k].id && filters[k].id != f->id) k++;
	sheaf_box_filter our_filter = filters[k].ours;
	if (our_filter == SHEAF_FILTER_DEFLATE || our_filter == SHEAF_NO_FILTER)
		snprintf(number, sizeof number, " %u", our_filter == SHEAF_NO_FILTER ? f->id : f->parameters[1]);
	snprintf(names + n, room - n, "%s%s%s", n ? ", " : "", filters[k].name, number);
	if (our_filter == SHEAF_NO_FILTER || inside->nfilters == SHEAF_BOX_MAX_FILTERS) return false;
	inside->parameters[inside->nfilters] = f->parameters;
	inside->filters[inside->nfilters++] = our_filter;
	return true;
}

/* Describes the pipeline message, which lists the filters. Names of filters are only in version 1, and in
 * version 2 for filters that are registered elsewhere (256 and above). All filters are named before one
 * is refused. An odd number of parameters is padded in version 1. */
static sheaf_status describe_filters(const description *d)
{
	const sheaf_hdf5_part *part = sheaf_hdf5_part_find(d->h, SHEAF_HDF5_FILTERS);
	char names[200] = "";
	bool are_known = true;
	filter f;
	if (!part) return SHEAF_OK;
	if (part->flags & SHEAF_HDF5_SHARED)
		return sheaf_hdf5_decline(d->l, part->byte, "filters in a table of shared ones");
	sheaf_cursor c = sheaf_hdf5_part_cursor(d->h, part);
	unsigned version = sheaf_hdf5_byte(&c, 1, 2, "filters of version 1 or 2");
	unsigned count = sheaf_hdf5_byte(&c, 0, 32, "at most 32 filters");
	sheaf_cursor_bytes(&c, 1, version == 1 ? 6 : 0, "filters");
	SHEAF_TRY(sheaf_hdf5_done(d->l, &c));
	for (unsigned i = 0; i < count; i++) {
		enum { FIRST_NAMED = 256 };
		static const char what[] = "a filter";
		f.id = (unsigned)sheaf_hdf5_take(&c, 2, what);
		uint64_t values,
			name = version == 1 || f.id >= FIRST_NAMED ? sheaf_hdf5_take(&c, 2, "a length of a name") : 0;
		SHEAF_TRY(sheaf_hdf5_fields(d->l, &c, "-22", what, (int64_t *)&values));
		sheaf_cursor_bytes(&c, 1, version == 1 ? (name + 7) / 8 * 8 : name, "a name of a filter");
		const uint8_t *parameters = sheaf_cursor_bytes(&c, values, 4, "parameters of a filter");
		if (version == 1 && values % 2) sheaf_cursor_bytes(&c, 1, 4, "parameters of a filter");
		SHEAF_TRY(sheaf_hdf5_done(d->l, &c));
		SHEAF_TRY(sheaf_catalog_allocate(d->catalog, (values + 2) * 4, &f.parameters, d->l->err));
		f.parameters[0] = (uint32_t)values;
		for (uint64_t k = 0; k < values; k++) f.parameters[k + 1] = sheaf_load_u32le(parameters + 4 * k);
		are_known = add_filter(d, &f, names, sizeof names) && are_known;
	}
	if (count > 0) SHEAF_TRY(sheaf_catalog_text(d->catalog, &d->item->filters, d->l->err, "%s", names));
	if (are_known || d->item->refused) return SHEAF_OK;
	return sheaf_catalog_text(d->catalog, &d->item->refused, d->l->err,
	                          "a filter that is not one of ours (%s; `h5repack -f NONE` undoes it)", names);
}

/* ---- fill values ---- */

/* Keeps the value of elements that are not stored. The newer message wins over the old one, which has
 * only a size and the value; versions 1 and 2 of the newer one say before these when to allocate and to
 * fill, and whether there is a value; version 3 has flags. A value of more than 16 bytes is read only if
 * it is all zeros, which is what `fill` begins as. */
static sheaf_status describe_fill(const description *d)
{
	enum { DEFINED = 0x20 };
	const sheaf_hdf5_part *part = sheaf_hdf5_part_find(d->h, SHEAF_HDF5_FILL);
	bool is_old = !part, has_value = true;
	if (is_old) part = sheaf_hdf5_part_find(d->h, SHEAF_HDF5_OLD_FILL);
	if (!part) return SHEAF_OK;
	if (part->flags & SHEAF_HDF5_SHARED)
		return sheaf_hdf5_decline(d->l, part->byte, "a fill value in a table of shared ones");
	sheaf_cursor c = sheaf_hdf5_part_cursor(d->h, part);
	unsigned version = is_old ? 0 : sheaf_hdf5_byte(&c, 1, 3, "a fill value of version 1 to 3");
	if (version == 3) {
		has_value = sheaf_hdf5_byte(&c, 0, 0x3f, "flags of a fill value") & DEFINED;
	} else if (version) {
		sheaf_hdf5_byte(&c, 0, 3, "a time of allocation");
		sheaf_hdf5_byte(&c, 0, 2, "a time of filling");
		has_value = sheaf_hdf5_byte(&c, 0, 1, "whether there is a fill value") || version == 1;
	}
	int32_t size = has_value ? sheaf_cursor_i32le(&c, "a size of a fill value") : -1;
	int64_t byte = sheaf_cursor_tell(&c);
	const uint8_t *value =
		sheaf_cursor_bytes(&c, 1, size > 0 ? (uint64_t)size : 0, "a fill value within its message");
	SHEAF_TRY(sheaf_hdf5_done(d->l, &c));
	if (size <= 0 || d->inside->is_variable) return SHEAF_OK;
	if ((size_t)size != d->own->type.stored)
		return sheaf_hdf5_refuse(d->l, byte, "a fill value as wide as an element", (uint64_t)size);
	if ((size_t)size <= sizeof d->inside->fill && (size_t)size == d->inside->width) {
		memcpy(d->inside->fill, value, (size_t)size);
		return SHEAF_OK;
	}
	for (int32_t i = 0; i < size; i++)
		if (value[i]) refuse(d, "a fill value of more than 16 bytes, of an array or of characters");
	return SHEAF_OK;
}

/* ---- storage ---- */

/* Keeps the extents of a chunk. A run of numbers in chunks of one dimension is read chunk by chunk
 * without a grid (`chunk`), which is the fast way for sparse matrices. */
static sheaf_status keep_grid(const description *d)
{
	int rank = d->item->rank;
	int64_t *grid;
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, (size_t)(rank + 1) * sizeof(int64_t), &grid, d->l->err));
	for (int i = 0; i < rank; i++)
		grid[i] = i < d->layout.rank ? (int64_t)d->layout.extents[i] : d->item->dims[i];
	d->inside->grid = grid;
	d->item->chunks = grid;
	if (rank != 1 || d->item->what >= SHEAF_BOX_TEXTS || d->inside->bits) return SHEAF_OK;
	d->inside->chunk = grid[0];
	d->item->chunk = d->inside->chunk * d->inside->per;
	return SHEAF_OK;
}

/* Describes a dataset in chunks: filters, grid, and the index, which is read here, at the opening of the
 * file: a chunk that is missing is then known to be missing, and how many bytes are stored is known even if
 * nobody can unpack them. The extents of chunks end with the size of an element, which must be that of the
 * type. */
static sheaf_status describe_chunks(const description *d)
{
	enum { MOST = 1 << 30 };
	int rank = d->layout.rank;
	d->item->storage = SHEAF_BOX_CHUNKED;
	d->item->bytes = 0;
	bool is_countable = !d->item->refused;
	if (rank != d->space.rank || d->space.is_null)
		return damaged(d, "chunks of as many dimensions as the array", (uint64_t)rank);
	SHEAF_TRY(describe_filters(d));
	d->own->chunk_size = 1;
	for (int i = 0; i <= rank; i++) d->own->chunk_size *= d->layout.extents[i];
	if (d->layout.extents[rank] != d->own->type.stored)
		return damaged(d, "chunks of elements as wide as their type", d->layout.extents[rank]);
	is_countable = is_countable && d->own->chunk_size <= MOST;
	if (d->own->chunk_size > MOST) refuse(d, "chunks of more than a gigabyte");
	d->own->edges_are_plain = d->layout.edges_are_plain;
	d->item->bytes = -1;
	SHEAF_TRY(keep_grid(d));
	if (!is_countable) return SHEAF_OK;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder chunks = {.cx = d->l->r->cx};
	SHEAF_TRY(sheaf_hdf5_index(d->l, &d->layout, &d->space, sheaf_hdf5_part_find(d->h, SHEAF_HDF5_FILTERS),
	                           &chunks));
	SHEAF_TRY(sheaf_catalog_copy_bytes(d->catalog, chunks.data, chunks.size, &d->own->chunks, d->l->err));
	d->own->nchunks = (int64_t)(chunks.size / sizeof *d->own->chunks);
	d->item->bytes = 0;
	for (int64_t i = 0; i < d->own->nchunks; i++)
		if (!sheaf_add_i64(&d->item->bytes, d->item->bytes, (int64_t)d->own->chunks[i].size))
			d->item->bytes = INT64_MAX;
	return SHEAF_OK;
}

/* Describes where the values are. Compact values are in the header, contiguous ones in one piece of the
 * file; an undefined address means that nothing was stored. Values that the file cannot hold refuse the
 * array. */
static sheaf_status describe_storage(const description *d)
{
	if (d->layout.class == SHEAF_HDF5_CHUNKED) return describe_chunks(d);
	if (d->layout.class == SHEAF_HDF5_COMPACT) {
		d->item->storage = SHEAF_BOX_COMPACT;
		d->item->bytes = (int64_t)d->layout.size;
		d->own->data = d->layout.byte;
		if (!d->item->refused && d->layout.size < (uint64_t)d->item->count * d->inside->width)
			refuse(d, "fewer values than its dimensions say");
	} else {
		const sheaf_hdf5_reader *r = d->l->r;
		int64_t bytes = d->item->refused ? 0 : d->item->count * (int64_t)d->inside->width,
				at = d->layout.address;
		d->item->storage = SHEAF_BOX_CONTIGUOUS;
		d->inside->is_absent = at < 0;
		d->item->bytes = at < 0 ? 0 : bytes;
		if (!(d->item->refused || at < 0 || d->item->count == 0)) {
			if (at > r->size - r->base || bytes > r->size - r->base - at)
				refuse(d, "values after the end of the file");
			else if (d->layout.size < (uint64_t)bytes)
				refuse(d, "fewer values than its dimensions say");
			else
				d->inside->offset = r->base + at;
		}
	}
	return SHEAF_OK;
}

/* ---- messages ---- */

/* The message of a type that must be there. */
static sheaf_status find_part(const description *d, sheaf_hdf5_message_type type, const char *expected,
                              const sheaf_hdf5_part **part, sheaf_cursor *c)
{
	*part = sheaf_hdf5_part_find(d->h, type);
	if (!*part) return damaged(d, expected, 0);
	*c = sheaf_hdf5_part_cursor(d->h, *part);
	return SHEAF_OK;
}

/* Takes the type of an object and describes it; `members` has those of a compound as long as that lasts. */
static sheaf_status take_type(const description *d, sheaf_builder *members)
{
	const sheaf_hdf5_part *part;
	sheaf_cursor c;
	SHEAF_TRY(find_part(d, SHEAF_HDF5_TYPE, "a dataset that has a type", &part, &c));
	d->l->members = members;
	d->l->catalog = d->catalog;
	sheaf_status status = sheaf_hdf5_take_type(d->l, &c, part->flags & SHEAF_HDF5_SHARED, &d->own->type);
	if (!status) status = describe_type(d);
	d->l->members = NULL;
	d->l->catalog = NULL;
	return status;
}

/* Describes a dataset from the messages of its header in turn. Members of compounds are noted while the type
 * is read. The extents come first, so that they are known of an item whose type or storage is not read. An
 * item that cannot be read gets the reason in item->refused; only damage and failures are a status. */
static sheaf_status describe(description *d)
{
	const sheaf_hdf5_part *part;
	sheaf_cursor c;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder members = {.cx = d->l->r->cx};
	SHEAF_TRY(find_part(d, SHEAF_HDF5_SPACE, "a dataset that has a space", &part, &c));
	if (part->flags & SHEAF_HDF5_SHARED)
		return sheaf_hdf5_decline(d->l, part->byte, "a space in a table of shared ones");
	SHEAF_TRY(sheaf_hdf5_take_space(d->l, &c, &d->space));
	SHEAF_TRY(describe_space(d));
	SHEAF_TRY(take_type(d, &members));
	if (d->own->type.rank) SHEAF_TRY(describe_space(d)); /* which has the extents of the type as well */
	SHEAF_TRY(find_part(d, SHEAF_HDF5_LAYOUT, "a dataset that says where its values are", &part, &c));
	SHEAF_TRY(sheaf_hdf5_take_layout(d->l, &c, &d->layout));
	if (d->layout.class == SHEAF_HDF5_VIRTUAL) {
		d->item->what = SHEAF_BOX_OTHER;
		d->item->refused = SHEAF_BOX_VIRTUAL_OUT;
		return SHEAF_OK;
	}
	SHEAF_TRY(join_characters(d));
	/* A large dataset that claims more than deflate can make of the file is refused before memory is
	 * allocated.
	 */
	enum { MOST = 1032, ALWAYS = 1 << 30 };
	int64_t bytes;
	bool fits = sheaf_mul_i64(&bytes, d->item->count, (int64_t)d->inside->width);
	bool is_likely =
		bytes <= ALWAYS || bytes / MOST <= d->l->r->size || sheaf_context_allows_large(d->l->r->cx);
	if (!fits || !is_likely)
		refuse(d, "more elements than a file of this size should hold (" SHEAF_OPTION(
					  "allow") " large reads them)");
	SHEAF_TRY(describe_fill(d));
	if (sheaf_hdf5_part_find(d->h, SHEAF_HDF5_EXTERNAL)) refuse(d, SHEAF_BOX_VALUES_OUT);
	SHEAF_TRY(describe_storage(d));
	if (d->item->what == SHEAF_BOX_OTHER) refuse(d, d->item->of);
	d->item->count *= d->inside->per;
	return SHEAF_OK;
}

/* Describes a committed type, which is no array. */
sheaf_status sheaf_hdf5_describe_type(sheaf_hdf5_look *l, const sheaf_hdf5_header *h, sheaf_catalog *catalog,
                                      sheaf_box_item *item)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder members = {.cx = l->r->cx};
	description d = {
		.l = l, .h = h, .catalog = catalog, .item = item, .inside = item->inside, .own = item->inside->own};
	SHEAF_TRY(take_type(&d, &members));
	item->what = SHEAF_BOX_OTHER;
	item->refused = "a type by itself";
	return SHEAF_OK;
}

/* What the file has caused becomes the reason in the list; anything else, such as that memory runs out,
 * is a failure of the call. */
sheaf_status sheaf_hdf5_leave_out(sheaf_catalog *catalog, sheaf_box_item *item, const sheaf_error *failure,
                                  sheaf_error *err)
{
	if (failure->status == SHEAF_UNSUPPORTED)
		return sheaf_catalog_text(catalog, &item->refused, err, "one that is not read here (%.300s)",
		                          failure->message);
	if (failure->status != SHEAF_DATA) return sheaf_fail_again(err, failure);
	item->is_damaged = true;
	return sheaf_catalog_text(catalog, &item->refused, err, "one that is damaged (%.300s)", failure->message);
}

/* Describes an attribute, which has a type and a space, as the root of a catalog of its own. */
sheaf_status sheaf_hdf5_describe_attribute(sheaf_hdf5_look *l, const sheaf_hdf5_attribute *a,
                                           sheaf_catalog *catalog)
{
	sheaf_box_item *item = &catalog->items[0];
	description d = {.l = l, .catalog = catalog, .item = item, .inside = item->inside, .space = a->space};
	SHEAF_TRY(sheaf_catalog_allocate(catalog, sizeof *d.own, &d.own, l->err));
	item->inside->own = d.own;
	d.own->type = a->type;
	SHEAF_TRY(describe_type(&d));
	SHEAF_TRY(describe_space(&d));
	item->count *= item->inside->per;
	return SHEAF_OK;
}

/* Describes a dataset. Errors go to `failure` meanwhile, and become the reason why the item is left out.
 * One that is left out has no grid, so that nobody reads it by chunks. */
sheaf_status sheaf_hdf5_describe(sheaf_hdf5_look *l, const sheaf_hdf5_header *h, sheaf_catalog *catalog,
                                 sheaf_box_item *item)
{
	sheaf_error failure = {0}, *err = l->err;
	description d = {
		.l = l, .h = h, .catalog = catalog, .item = item, .inside = item->inside, .own = item->inside->own};
	l->err = &failure;
	sheaf_status status = describe(&d);
	l->err = err;
	if (!status) return SHEAF_OK;
	item->what = SHEAF_BOX_OTHER;
	item->inside->grid = NULL;
	item->inside->chunk = item->chunk = 0;
	return sheaf_hdf5_leave_out(catalog, item, &failure, err);
}
