/* SPDX-License-Identifier: MIT */
/* What a dataset is, and whether it can be read: everything that would lead out of the file, or to code that
 * is not ours, is found here, before anything is read. */
#include "base/checked.h"
#include "box/libhdf5/libhdf5.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct description {
	sheaf_h5 *h5;
	hid_t dataset, type, space, creation;
	sheaf_catalog *catalog;
	sheaf_box_item *item;
	sheaf_box_detail *inside;
	size_t width; /* bytes of an element */
	sheaf_error *err;
} description;

static hid_t type_of(sheaf_type type)
{
	switch (type) {
	case SHEAF_U8: return H5T_NATIVE_UINT8;
	case SHEAF_U16: return H5T_NATIVE_UINT16;
	case SHEAF_U32: return H5T_NATIVE_UINT32;
	case SHEAF_U64: return H5T_NATIVE_UINT64;
	case SHEAF_I8: return H5T_NATIVE_INT8;
	case SHEAF_I16: return H5T_NATIVE_INT16;
	case SHEAF_I32: return H5T_NATIVE_INT32;
	case SHEAF_I64: return H5T_NATIVE_INT64;
	case SHEAF_F32: return H5T_NATIVE_FLOAT;
	default: return H5T_NATIVE_DOUBLE;
	}
}

/* ---- types ---- */

/* The first reason counts. */
static void refuse(const description *d, const char *why)
{
	if (!d->item->refused) d->item->refused = why;
}

/* Whether it is one of ours, in either byte order. */
static bool find_type(hid_t type, sheaf_type *out, bool *is_swapped)
{
	for (int t = 0; t < SHEAF_TYPES; t++) {
		hid_t native = type_of((sheaf_type)t), other = H5Tcopy(native);
		H5T_order_t order = H5Tget_order(native) == H5T_ORDER_LE ? H5T_ORDER_BE : H5T_ORDER_LE;
		bool same = H5Tequal(type, native) > 0,
			 swapped = other >= 0 && H5Tset_order(other, order) >= 0 && H5Tequal(type, other) > 0;
		if (other >= 0) H5Tclose(other);
		*out = (sheaf_type)t;
		*is_swapped = swapped && !same;
		if (same || swapped) return true;
	}
	return false;
}

static sheaf_status name_type(const description *d, const char *prefix, const char *name)
{
	bool is_big = d->inside->is_swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	return sheaf_catalog_text(d->catalog, &d->item->of, d->err, "%s%s%s",
	                          d->inside->is_swapped ? is_big ? "big-endian " : "little-endian " : "", prefix,
	                          name);
}

static bool is_member(hid_t type, unsigned i, const char *name)
{
	char *its = H5Tget_member_name(type, i);
	bool is = its && strcmp(its, name) == 0;
	if (its) (void)H5free_memory(its);
	return is;
}

/* {r, i}, as h5py writes complex numbers. */
static sheaf_status describe_compound(description *d)
{
	hid_t parts[2] = {H5I_INVALID_HID, H5I_INVALID_HID};
	bool fine = H5Tget_nmembers(d->type) == 2 && is_member(d->type, 0, "r") && is_member(d->type, 1, "i");
	for (unsigned i = 0; fine && i < 2; i++) fine = (parts[i] = H5Tget_member_type(d->type, i)) >= 0;
	fine = fine && H5Tequal(parts[0], parts[1]) > 0 &&
	       find_type(parts[0], &d->item->type, &d->inside->is_swapped) && d->item->type >= SHEAF_F32;
	size_t width = sheaf_type_size(d->item->type);
	fine = fine && d->width == 2 * width && H5Tget_member_offset(d->type, 0) == 0 &&
	       H5Tget_member_offset(d->type, 1) == width;
	for (int i = 0; i < 2; i++)
		if (parts[i] >= 0) H5Tclose(parts[i]);
	if (!fine) {
		d->item->of = "compound";
		return SHEAF_OK;
	}
	d->item->what = SHEAF_BOX_COMPLEX;
	d->inside->per = 2;
	return name_type(d, "complex ", sheaf_type_name(d->item->type));
}

/* FALSE and TRUE in a byte, as h5py writes them. */
static void describe_enumeration(description *d)
{
	hid_t base = H5Tget_super(d->type);
	signed char values[2] = {0, 0};
	bool fine = base >= 0 && d->width == 1 && find_type(base, &d->item->type, &d->inside->is_swapped) &&
	            H5Tget_nmembers(d->type) == 2;
	for (unsigned i = 0; fine && i < 2; i++)
		fine =
			is_member(d->type, i, i ? "TRUE" : "FALSE") && H5Tget_member_value(d->type, i, &values[i]) >= 0;
	if (base >= 0) H5Tclose(base);
	d->item->of = "enumeration";
	if (!fine || values[0] != 0 || values[1] != 1) return;
	d->item->what = SHEAF_BOX_BOOLS;
	d->item->of = "bool";
}

static void describe_bits(description *d)
{
	d->item->of = "bits";
	if (d->width != 1 || H5Tget_precision(d->type) != 8) return;
	d->item->what = SHEAF_BOX_BOOLS;
	d->item->type = SHEAF_U8;
}

static sheaf_status describe_number(description *d)
{
	if (find_type(d->type, &d->item->type, &d->inside->is_swapped)) {
		d->item->what = SHEAF_BOX_NUMBERS;
		return name_type(d, "", sheaf_type_name(d->item->type));
	}
	return sheaf_catalog_text(d->catalog, &d->item->of, d->err, "%zu-bit %s", H5Tget_precision(d->type),
	                          H5Tget_class(d->type) == H5T_FLOAT ? "float" : "integer");
}

static sheaf_status describe_type(description *d)
{
	static const char *const others[] = {
		"", "", "time", "text", "", "opaque", "", "reference", "", "variable length", "array"};
	H5T_class_t class = H5Tget_class(d->type);
	d->width = H5Tget_size(d->type);
	if (class < 0 || d->width == 0) return sheaf_h5_fail(d->h5, d->item->path, "a type", d->err);
	if (H5Tcommitted(d->type) > 0) refuse(d, "a type that stands by itself");
	if (class == H5T_INTEGER || class == H5T_FLOAT) return describe_number(d);
	if (class == H5T_COMPOUND) return describe_compound(d);
	if (class == H5T_ENUM)
		describe_enumeration(d);
	else if (class == H5T_BITFIELD)
		describe_bits(d);
	else
		d->item->of = (size_t) class < sizeof others / sizeof *others ? others[class] : "unknown";
	if (class == H5T_STRING) {
		d->item->what = SHEAF_BOX_TEXTS;
		d->inside->is_variable = H5Tis_variable_str(d->type) > 0;
		if (d->inside->is_variable) d->width = SHEAF_H5_REFERENCE(d->h5);
	}
	return SHEAF_OK;
}

/* ---- places ---- */

static sheaf_status describe_simple(description *d)
{
	hsize_t dims[H5S_MAX_RANK];
	void *memory;
	int64_t count = 1;
	d->item->rank = H5Sget_simple_extent_dims(d->space, dims, NULL);
	if (d->item->rank < 0) return sheaf_h5_fail(d->h5, d->item->path, "dimensions", d->err);
	SHEAF_TRY(
		sheaf_catalog_allocate(d->catalog, (size_t)(d->item->rank + 1) * sizeof(int64_t), &memory, d->err));
	int64_t *own = (int64_t *)memory;
	d->item->dims = own;
	bool fits = true, empty = false;
	for (int i = 0; i < d->item->rank; i++) {
		own[i] = dims[i] > INT64_MAX ? INT64_MAX : (int64_t)dims[i];
		empty |= own[i] == 0;
		fits = fits && sheaf_mul_i64(&count, count, own[i]);
	}
	if (!fits && !empty) refuse(d, "more elements than can be counted");
	d->item->count = empty || !fits ? 0 : count;
	return SHEAF_OK;
}

static sheaf_status describe_space(description *d)
{
	static const int64_t none[1] = {0};
	H5S_class_t class = H5Sget_simple_extent_type(d->space);
	if (class == H5S_SIMPLE) return describe_simple(d);
	if (class != H5S_SCALAR && class != H5S_NULL)
		return sheaf_h5_fail(d->h5, d->item->path, "a space", d->err);
	d->item->rank = class == H5S_NULL;
	d->item->dims = none;
	d->item->count = class == H5S_SCALAR;
	return SHEAF_OK;
}

/* ---- storage ---- */

static sheaf_status file_size(const description *d, int64_t *size)
{
	return d->h5->store->size(d->h5->store->user, size, d->err);
}

/* However it is packed, a byte of the file gives no more than so many: what promises more is refused before
 * anybody asks for memory. */
static sheaf_status check_size(const description *d)
{
	enum { MOST = 1032 /* of deflate */ };
	int64_t size, bytes;
	SHEAF_TRY(file_size(d, &size));
	bool fits = sheaf_mul_i64(&bytes, d->item->count, (int64_t)d->width);
	if (!fits || bytes / MOST > size) refuse(d, "more elements than a file of this size can hold");
	return SHEAF_OK;
}

static sheaf_status describe_contiguous(description *d)
{
	int64_t size;
	haddr_t at = H5Dget_offset(d->dataset);
	d->item->storage = SHEAF_BOX_CONTIGUOUS;
	d->inside->is_absent = H5Dget_storage_size(d->dataset) == 0;
	if (H5Pget_external_count(d->creation) != 0) refuse(d, "values in another file");
	if (d->item->refused || d->inside->is_absent || d->item->count == 0) return SHEAF_OK;
	SHEAF_TRY(file_size(d, &size));
	int64_t bytes = d->item->count * (int64_t)d->width;
	if (at > (haddr_t)size || bytes > size - (int64_t)at)
		refuse(d, "values after the end of the file");
	else
		d->inside->offset = (int64_t)at;
	return SHEAF_OK;
}

static bool add_filter(description *d, int code, unsigned flags, unsigned parameter, char *names, size_t room)
{
	size_t n = strlen(names);
	const char *comma = n ? ", " : "";
	sheaf_box_filter filter = SHEAF_FILTER_SHUFFLE;
	(void)flags;
	if (code == H5Z_FILTER_SHUFFLE) {
		snprintf(names + n, room - n, "%sshuffle", comma);
		if (parameter != d->width) return false;
	} else if (code == H5Z_FILTER_DEFLATE) {
		snprintf(names + n, room - n, "%sdeflate %u", comma, parameter);
		filter = SHEAF_FILTER_DEFLATE;
	} else if (code == H5Z_FILTER_FLETCHER32) {
		snprintf(names + n, room - n, "%sfletcher32", comma);
		filter = SHEAF_FILTER_FLETCHER;
	} else {
		snprintf(names + n, room - n, "%sfilter %d", comma, code);
		return false;
	}
	for (int i = 0; i < d->inside->nfilters; i++)
		if (d->inside->filters[i] == filter) return false;
	d->inside->filters[d->inside->nfilters++] = filter;
	return true;
}

static sheaf_status describe_filters(description *d)
{
	char names[200] = "";
	int n = H5Pget_nfilters(d->creation);
	bool fine = n >= 0;
	for (int i = 0; i < n; i++) {
		unsigned flags, parameters[1] = {0}, config;
		size_t count = 1;
		int code = H5Pget_filter2(d->creation, (unsigned)i, &flags, &count, parameters, 0, NULL, &config);
		fine = add_filter(d, code, flags, parameters[0], names, sizeof names) && fine;
	}
	if (!fine) refuse(d, "a filter that is not one of ours (shuffle, deflate, fletcher32, once each)");
	return n > 0 ? sheaf_catalog_text(d->catalog, &d->item->filters, d->err, "%s", names) : SHEAF_OK;
}

static sheaf_status keep_grid(const description *d, int rank, const hsize_t dims[])
{
	void *memory;
	SHEAF_TRY(sheaf_catalog_allocate(d->catalog, (size_t)rank * sizeof(int64_t), &memory, d->err));
	int64_t *grid = (int64_t *)memory;
	for (int i = 0; i < rank; i++) grid[i] = (int64_t)dims[i];
	d->inside->grid = grid;
	return SHEAF_OK;
}

/* Chunks without filters take what the layout says, each of them; the file's index says so once more. */
static bool are_as_long_as_said(const description *d, hsize_t bytes)
{
	hsize_t chunks;
	if (d->inside->nfilters > 0) return true;
	if (H5Dget_num_chunks(d->dataset, d->space, &chunks) < 0) return false;
	return chunks <= UINT64_MAX / bytes && H5Dget_storage_size(d->dataset) == chunks * bytes;
}

static sheaf_status describe_chunks(description *d)
{
	enum { MOST = 1 << 30 };
	hsize_t dims[H5S_MAX_RANK];
	int rank = H5Pget_chunk(d->creation, H5S_MAX_RANK, dims);
	d->item->storage = SHEAF_BOX_CHUNKED;
	if (rank != d->item->rank)
		return sheaf_h5_fail(d->h5, d->item->path, "chunks of as many dimensions as the array", d->err);
	SHEAF_TRY(describe_filters(d));
	hsize_t bytes = d->width;
	for (int i = 0; i < rank; i++)
		bytes = dims[i] == 0 || bytes > MOST / dims[i] ? MOST + 1U : bytes * dims[i];
	if (bytes > MOST)
		refuse(d, "chunks of more than a gigabyte");
	else if (!are_as_long_as_said(d, bytes))
		refuse(d, "chunks of other sizes than its layout says");
	if (d->item->refused) return SHEAF_OK;
	SHEAF_TRY(keep_grid(d, rank, dims));
	if (rank != 1 || d->item->what == SHEAF_BOX_TEXTS) return SHEAF_OK;
	d->inside->chunk = (int64_t)dims[0];
	d->item->chunk = d->inside->chunk * d->inside->per;
	return SHEAF_OK;
}

static sheaf_status describe_fill(description *d)
{
	H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
	if (d->width > sizeof d->inside->fill || d->item->what == SHEAF_BOX_TEXTS) return SHEAF_OK;
	if (H5Pfill_value_defined(d->creation, &defined) < 0)
		return sheaf_h5_fail(d->h5, d->item->path, "a fill value", d->err);
	if (defined != H5D_FILL_VALUE_USER_DEFINED ||
	    H5Pget_fill_value(d->creation, d->type, d->inside->fill) >= 0)
		return SHEAF_OK;
	return sheaf_h5_fail(d->h5, d->item->path, "a fill value", d->err);
}

static sheaf_status describe_storage(description *d)
{
	SHEAF_TRY(check_size(d));
	SHEAF_TRY(describe_fill(d));
	switch (H5Pget_layout(d->creation)) {
	case H5D_CONTIGUOUS: return describe_contiguous(d);
	case H5D_CHUNKED: return describe_chunks(d);
	case H5D_COMPACT:
		d->item->storage = SHEAF_BOX_COMPACT;
		if (H5Dget_storage_size(d->dataset) < (hsize_t)d->item->count * d->width)
			refuse(d, "fewer values than its dimensions say");
		return SHEAF_OK;
	default: refuse(d, "a kind of storage that is not known"); return SHEAF_OK;
	}
}

static sheaf_status describe(description *d)
{
	if (d->type < 0 || d->creation < 0) return sheaf_h5_fail(d->h5, d->item->path, "a dataset", d->err);
	/* Before the space: that of a virtual dataset is made of other files. */
	if (H5Pget_layout(d->creation) == H5D_VIRTUAL) {
		d->item->of = "virtual";
		d->item->refused = "a virtual dataset, whose values are in other files";
		return SHEAF_OK;
	}
	d->space = H5Dget_space(d->dataset);
	if (d->space < 0) return sheaf_h5_fail(d->h5, d->item->path, "a space", d->err);
	SHEAF_TRY(describe_type(d));
	d->inside->width = d->width;
	SHEAF_TRY(describe_space(d));
	SHEAF_TRY(describe_storage(d));
	if (d->item->what == SHEAF_BOX_OTHER) refuse(d, d->item->of);
	d->item->count *= d->inside->per;
	hsize_t bytes =
		d->item->refused && d->item->storage == SHEAF_BOX_CHUNKED ? 0 : H5Dget_storage_size(d->dataset);
	d->item->bytes = bytes > INT64_MAX ? -1 : (int64_t)bytes;
	return SHEAF_OK;
}

sheaf_status sheaf_h5_describe(sheaf_h5 *h5, hid_t dataset, sheaf_catalog *catalog, sheaf_box_item *item,
                               sheaf_error *err)
{
	sheaf_error failure = {0};
	description d = {h5,
	                 dataset,
	                 H5Dget_type(dataset),
	                 H5I_INVALID_HID,
	                 H5Dget_create_plist(dataset),
	                 catalog,
	                 item,
	                 item->inside,
	                 0,
	                 &failure};
	sheaf_status status = describe(&d);
	if (d.type >= 0) H5Tclose(d.type);
	if (d.space >= 0) H5Sclose(d.space);
	if (d.creation >= 0) H5Pclose(d.creation);
	/* One damaged array leaves the others as they are. */
	if (status == SHEAF_DATA && !h5->failure.status) {
		item->what = SHEAF_BOX_OTHER;
		item->is_damaged = true;
		return sheaf_catalog_text(catalog, &item->refused, err, "one that is damaged (%.300s)",
		                          failure.message);
	}
	return status ? sheaf_fail(err, status, "%s", failure.message) : SHEAF_OK;
}
