/* SPDX-License-Identifier: MIT */
/* What only the library can fetch: chunks, and values that lie inside the metadata. */
#include "box/libhdf5/libhdf5.h"
#include <inttypes.h>
#include <string.h>

hid_t sheaf_h5_dataset(sheaf_h5 *h5, const sheaf_box_item *item)
{
	sheaf_box_detail *inside = item->inside;
	if (inside->handle > 0) return inside->handle;
	/* We unpack chunks ourselves, so the library need not keep any. */
	hid_t access = H5Pcreate(H5P_DATASET_ACCESS), dataset = H5I_INVALID_HID;
	if (access >= 0 && H5Pset_chunk_cache(access, 0, 0, 1.0) >= 0)
		dataset = H5Dopen2(h5->file, inside->target, access);
	if (access >= 0) H5Pclose(access);
	inside->handle = dataset;
	return dataset;
}

/* Rows [from, to) of a dataset as a selection of its space. */
static hid_t select_rows(hid_t dataset, int64_t from, int64_t to)
{
	hsize_t start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
	hid_t space = H5Dget_space(dataset);
	if (space < 0 || H5Sget_simple_extent_type(space) != H5S_SIMPLE) return space;
	int rank = H5Sget_simple_extent_dims(space, count, NULL);
	start[0] = (hsize_t)from;
	if (rank > 0) count[0] = (hsize_t)(to - from);
	if (rank == 0 || (rank > 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0))
		return space;
	H5Sclose(space);
	return H5I_INVALID_HID;
}

static bool read_selection(sheaf_h5 *h5, hid_t dataset, const sheaf_box_item *item, int64_t from, int64_t to,
                           void *out)
{
	hid_t file = select_rows(dataset, from, to),
		  type = item->inside->is_variable ? sheaf_h5_reference_type(h5) : H5Dget_type(dataset),
		  memory = H5I_INVALID_HID;
	if (file >= 0) {
		hsize_t places = (hsize_t)H5Sget_select_npoints(file);
		memory = H5Screate_simple(1, &places, NULL);
	}
	bool fine = type >= 0 && memory >= 0 && H5Dread(dataset, type, memory, file, H5P_DEFAULT, out) >= 0;
	if (file >= 0) H5Sclose(file);
	if (memory >= 0) H5Sclose(memory);
	if (type >= 0) H5Tclose(type);
	return fine;
}

sheaf_status sheaf_h5_read_rows(void *state, const sheaf_box_item *item, int64_t from, int64_t to, void *out,
                                sheaf_error *err)
{
	sheaf_h5 *h5 = (sheaf_h5 *)state;
	sheaf_h5_enter();
	hid_t dataset = sheaf_h5_dataset(h5, item);
	sheaf_status status = SHEAF_OK;
	if (dataset < 0 || !read_selection(h5, dataset, item, from, to, out))
		status = sheaf_h5_fail(h5, item->path, "values", err);
	sheaf_h5_leave();
	return status;
}

/* ---- chunks ---- */

/* Where a chunk begins, and how far it lies within the array. */
typedef struct chunk_place {
	hsize_t at[H5S_MAX_RANK], inside[H5S_MAX_RANK], extent[H5S_MAX_RANK];
	hsize_t elements;
} chunk_place;

static chunk_place place_of_chunk(const sheaf_box_item *item, int64_t chunk)
{
	chunk_place p = {.elements = 1};
	for (int i = item->rank - 1; i >= 0; i--) {
		int64_t extent = item->inside->grid[i], along = (item->dims[i] - 1) / extent + 1;
		int64_t at = chunk % along * extent, left = item->dims[i] - at;
		p.at[i] = (hsize_t)at;
		p.extent[i] = (hsize_t)extent;
		p.inside[i] = (hsize_t)(left < extent ? left : extent);
		p.elements *= p.extent[i];
		chunk /= along;
	}
	return p;
}

static bool read_part(sheaf_h5 *h5, hid_t dataset, const sheaf_box_item *item, const chunk_place *p,
                      void *out)
{
	static const hsize_t begin[H5S_MAX_RANK];
	hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(item->rank, p->extent, NULL),
		  type = item->inside->is_variable ? sheaf_h5_reference_type(h5) : H5Dget_type(dataset);
	bool fine = file >= 0 && memory >= 0 && type >= 0 &&
	            H5Sselect_hyperslab(file, H5S_SELECT_SET, p->at, NULL, p->inside, NULL) >= 0 &&
	            H5Sselect_hyperslab(memory, H5S_SELECT_SET, begin, NULL, p->inside, NULL) >= 0 &&
	            H5Dread(dataset, type, memory, file, H5P_DEFAULT, out) >= 0;
	if (file >= 0) H5Sclose(file);
	if (memory >= 0) H5Sclose(memory);
	if (type >= 0) H5Tclose(type);
	return fine;
}

/* A chunk without filters is read as a selection, which is as long as the layout says: the library's quick
 * way reads as many bytes as an entry of the file's index says, into a buffer as long as the layout says. */
static sheaf_status read_plain_chunk(sheaf_h5 *h5, hid_t dataset, const sheaf_box_item *item,
                                     const chunk_place *p, sheaf_builder *bytes, sheaf_error *err)
{
	size_t size = (size_t)p->elements * item->inside->width;
	if (!sheaf_builder_room(bytes, size)) return sheaf_builder_status(bytes, err);
	memset(bytes->data + bytes->size, 0, size);
	if (!read_part(h5, dataset, item, p, bytes->data + bytes->size))
		return sheaf_h5_fail(h5, item->path, "a chunk", err);
	bytes->size += size;
	return SHEAF_OK;
}

/* Bytes that a chunk with filters takes in the file; 0 where it was never written, which the quick way takes
 * for a failure. */
static bool find_chunk(hid_t dataset, const hsize_t at[], hsize_t *size)
{
	unsigned skipped;
	haddr_t address = HADDR_UNDEF;
	if (H5Dget_chunk_storage_size(dataset, at, size) >= 0) return true;
	return H5Dget_chunk_info_by_coord(dataset, at, &skipped, &address, size) >= 0 && *size == 0;
}

static sheaf_status read_packed_chunk(sheaf_h5 *h5, hid_t dataset, const sheaf_box_item *item,
                                      const chunk_place *p, uint32_t *skipped, sheaf_builder *bytes,
                                      sheaf_error *err)
{
	int64_t most;
	hsize_t size = 0;
	if (!find_chunk(dataset, p->at, &size)) return sheaf_h5_fail(h5, item->path, "a chunk", err);
	if (size == 0) return SHEAF_OK;
	SHEAF_TRY(h5->store->size(h5->store->user, &most, err));
	if (size > (hsize_t)most)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: /%s: expected a chunk within the file, found one of %" PRIu64 " bytes",
		                  h5->store->name, item->path, (uint64_t)size);
	if (!sheaf_builder_room(bytes, (uint64_t)size)) return sheaf_builder_status(bytes, err);
	if (H5Dread_chunk(dataset, H5P_DEFAULT, p->at, skipped, bytes->data + bytes->size) < 0)
		return sheaf_h5_fail(h5, item->path, "a chunk", err);
	bytes->size += (size_t)size;
	return SHEAF_OK;
}

static sheaf_status read_chunk(sheaf_h5 *h5, const sheaf_box_item *item, int64_t chunk, uint32_t *skipped,
                               sheaf_builder *bytes, sheaf_error *err)
{
	hid_t dataset = sheaf_h5_dataset(h5, item);
	chunk_place p = place_of_chunk(item, chunk);
	if (dataset < 0) return sheaf_h5_fail(h5, item->path, "a chunk", err);
	return item->inside->nfilters ? read_packed_chunk(h5, dataset, item, &p, skipped, bytes, err)
	                              : read_plain_chunk(h5, dataset, item, &p, bytes, err);
}

sheaf_status sheaf_h5_read_chunk(void *state, const sheaf_box_item *item, int64_t chunk, uint32_t *skipped,
                                 sheaf_builder *bytes, sheaf_error *err)
{
	sheaf_h5_enter();
	sheaf_status status = read_chunk((sheaf_h5 *)state, item, chunk, skipped, bytes, err);
	sheaf_h5_leave();
	return status;
}
