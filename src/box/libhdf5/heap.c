/* SPDX-License-Identifier: MIT */
/* Texts of variable length lie in collections of the file's global heap, which libhdf5 reads without looking
 * where they end. So it is asked for the references alone, as bytes, by a conversion that leaves them as they
 * are, and the collections are read here. */
#include "base/checked.h"
#include "base/endian.h"
#include "box/libhdf5/libhdf5.h"
#include <inttypes.h>
#include <string.h>

#define TAG "sheaf: a reference as it is stored"

/* ---- references ---- */

static bool is_ours(hid_t type)
{
	char *tag = H5Tget_tag(type);
	bool is = tag && strcmp(tag, TAG) == 0;
	if (tag) (void)H5free_memory(tag);
	return is;
}

static herr_t leave_as_is(hid_t from, hid_t to, H5T_cdata_t *data, size_t count, size_t stride,
                          size_t background_stride, void *values, void *background, hid_t transfer)
{
	(void)from, (void)count, (void)stride, (void)background_stride, (void)values, (void)background,
		(void)transfer;
	if (data->command != H5T_CONV_INIT) return 0;
	data->need_bkg = H5T_BKG_NO;
	return is_ours(to) ? 0 : -1;
}

hid_t sheaf_h5_reference_type(sheaf_h5 *h5)
{
	static bool is_registered;
	hid_t texts = H5Tcopy(H5T_C_S1), type = H5Tcreate(H5T_OPAQUE, SHEAF_H5_REFERENCE(h5));
	bool fine =
		texts >= 0 && type >= 0 && H5Tset_size(texts, H5T_VARIABLE) >= 0 && H5Tset_tag(type, TAG) >= 0;
	if (fine && !is_registered)
		is_registered = H5Tregister(H5T_PERS_SOFT, "sheaf", texts, type, leave_as_is) >= 0;
	if (texts >= 0) H5Tclose(texts);
	if (fine && is_registered) return type;
	if (type >= 0) H5Tclose(type);
	return H5I_INVALID_HID;
}

/* ---- collections ---- */

typedef struct place {
	uint32_t size, object;
	int64_t collection; /* byte of the file */
} place;

static int64_t number(const uint8_t *at, size_t size)
{
	return size == 4 ? (int64_t)sheaf_load_u32le(at) : sheaf_load_i64le(at);
}

static sheaf_status refuse(const sheaf_h5 *h5, int64_t byte, const char *expected, int64_t found,
                           sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s (byte %" PRId64 "): expected %s, found %" PRId64, h5->store->name,
	                  byte, expected, found);
}

/* Signature, version, three bytes, size. */
static size_t head_size(const sheaf_h5 *h5) { return 8 + h5->length_size; }

static sheaf_status read_collection(sheaf_h5 *h5, int64_t at, sheaf_error *err)
{
	uint8_t head[16];
	int64_t end;
	if (h5->collection == at) return SHEAF_OK;
	h5->collection = -1;
	SHEAF_TRY(h5->store->size(h5->store->user, &end, err));
	if (at < 0 || at > end - (int64_t)sizeof head)
		return refuse(h5, at, "a collection of texts within the file", at, err);
	SHEAF_TRY(h5->store->read(h5->store->user, at, head, sizeof head, err));
	int64_t size = number(head + 8, h5->length_size);
	if (memcmp(head, "GCOL\1", 5) != 0)
		return refuse(h5, at, "a collection of texts (GCOL, version 1)", head[0], err);
	if (size < (int64_t)head_size(h5) || size > end - at)
		return refuse(h5, at + 8, "a collection of texts that ends within the file", size, err);
	h5->heap.size = 0;
	if (!sheaf_builder_room(&h5->heap, (uint64_t)size)) return sheaf_builder_status(&h5->heap, err);
	SHEAF_TRY(h5->store->read(h5->store->user, at, h5->heap.data, (size_t)size, err));
	h5->heap.size = (size_t)size;
	h5->collection = at;
	return SHEAF_OK;
}

/* The bytes of an object: its number, a count, four bytes, its size, itself, and up to a multiple of eight.
 * Number 0 is what is free after all of them. */
static sheaf_status find_object(sheaf_h5 *h5, const place *p, const uint8_t **out, sheaf_error *err)
{
	const uint8_t *bytes = h5->heap.data;
	size_t head = 8 + h5->length_size;
	for (size_t at = head_size(h5), left; (left = h5->heap.size - at) >= head;) {
		uint32_t object = (uint32_t)bytes[at] | (uint32_t)bytes[at + 1] << 8;
		int64_t size = number(bytes + at + 8, h5->length_size);
		if (object == 0) break;
		if (size < 0 || (size_t)size > left - head)
			return refuse(h5, p->collection + (int64_t)at, "a text within its collection", size, err);
		if (object == p->object) {
			*out = bytes + at + head;
			return size >= p->size ? SHEAF_OK
			                       : refuse(h5, p->collection + (int64_t)at,
			                                "a text as long as its reference says", size, err);
		}
		size_t whole = head + ((size_t)size + 7) / 8 * 8;
		at += whole < left ? whole : left;
	}
	return refuse(h5, p->collection, "an object of the number that a text refers to in its collection",
	              p->object, err);
}

sheaf_status sheaf_h5_dereference(sheaf_h5 *h5, const uint8_t *reference, sheaf_builder *text,
                                  sheaf_error *err)
{
	const uint8_t *bytes = NULL;
	place p = {.size = sheaf_load_u32le(reference),
	           .object = sheaf_load_u32le(reference + 4 + h5->address_size)};
	int64_t address = number(reference + 4, h5->address_size);
	if (p.size == 0 || address == 0) return SHEAF_OK;
	if (!sheaf_add_i64(&p.collection, address, h5->base))
		return refuse(h5, -1, "a collection of texts within the file", address, err);
	SHEAF_TRY(read_collection(h5, p.collection, err));
	SHEAF_TRY(find_object(h5, &p, &bytes, err));
	sheaf_builder_append(text, bytes, strnlen((const char *)bytes, p.size));
	return sheaf_builder_status(text, err);
}
