/* SPDX-License-Identifier: MIT */
/* Groups and arrays that are made. Space is given at once and filled by nobody but us, so that values go past
 * the library. */
#include "base/memory.h"
#include "box/libhdf5/libhdf5.h"

typedef struct array {
	sheaf_h5 *h5;
	const char *path;
	hid_t dataset;
	int64_t chunk, extent;
	bool grows; /* the count is not known */
} array;

static hid_t link_properties(void)
{
	hid_t links = H5Pcreate(H5P_LINK_CREATE);
	if (links >= 0) (void)H5Pset_char_encoding(links, H5T_CSET_UTF8);
	return links;
}

sheaf_status sheaf_h5_make_group(void *state, const char *path, sheaf_error *err)
{
	sheaf_h5 *h5 = (sheaf_h5 *)state;
	sheaf_status status = SHEAF_OK;
	unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
	sheaf_h5_enter();
	hid_t links = link_properties(), creation = H5Pcreate(H5P_GROUP_CREATE), group = H5I_INVALID_HID;
	bool fine = links >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0;
	if (fine && h5->kind == SHEAF_BOX_NETCDF)
		fine = H5Pset_link_creation_order(creation, order) >= 0 &&
		       H5Pset_attr_creation_order(creation, order) >= 0;
	if (fine) group = H5Gcreate2(h5->file, path, links, creation, H5P_DEFAULT);
	if (group < 0 || H5Gclose(group) < 0) status = sheaf_h5_fail(h5, path, "to make a group", err);
	if (creation >= 0) H5Pclose(creation);
	if (links >= 0) H5Pclose(links);
	sheaf_h5_leave();
	return status;
}

sheaf_status sheaf_h5_remove(void *state, const sheaf_box_item *item, sheaf_error *err)
{
	sheaf_h5 *h5 = (sheaf_h5 *)state;
	H5L_info_t link;
	sheaf_status status = SHEAF_OK;
	sheaf_h5_enter();
	if (h5->kind == SHEAF_BOX_NETCDF && item->inside->target) {
		hid_t dataset = sheaf_h5_dataset(h5, item);
		if (dataset >= 0) sheaf_h5_leave_dimensions(dataset);
	}
	if (item->inside->handle > 0) H5Dclose(item->inside->handle);
	item->inside->handle = 0;
	/* To free what it takes, the library opens it. */
	if (H5Lget_info(h5->file, item->path, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD &&
	    !item->inside->target)
		status = sheaf_h5_check_header(h5, link.u.address, err);
	if (!status && H5Ldelete(h5->file, item->path, H5P_DEFAULT) < 0)
		status = sheaf_h5_fail(h5, item->path, "to take an array out", err);
	sheaf_h5_leave();
	return status;
}

/* ---- arrays ---- */

static bool set_storage(hid_t creation, const sheaf_box_plan *plan)
{
	hsize_t chunk = (hsize_t)plan->chunk;
	/* Without times: the same values make the same file. */
	bool fine =
		H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0 && H5Pset_obj_track_times(creation, false) >= 0;
	if (!plan->chunk)
		return fine && H5Pset_layout(creation, H5D_CONTIGUOUS) >= 0 &&
		       H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0;
	fine = fine && H5Pset_chunk(creation, 1, &chunk) >= 0;
	if (plan->shuffle) fine = fine && H5Pset_shuffle(creation) >= 0;
	if (plan->deflate)
		fine = fine && H5Pset_deflate(creation, plan->deflate > 9 ? 9 : (unsigned)plan->deflate) >= 0;
	return fine;
}

static hid_t make_dataset(sheaf_h5 *h5, const sheaf_box_plan *plan, hid_t links, hid_t creation)
{
	hsize_t count = plan->count < 0 ? 0 : (hsize_t)plan->count,
			most = plan->count < 0 ? H5S_UNLIMITED : count;
	hid_t space = H5Screate_simple(1, &count, &most), dataset = H5I_INVALID_HID;
	bool fine = space >= 0 && set_storage(creation, plan);
	if (fine && h5->kind == SHEAF_BOX_NETCDF)
		fine = H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0;
	if (fine)
		dataset =
			H5Dcreate2(h5->file, plan->path, sheaf_h5_type(plan->type), space, links, creation, H5P_DEFAULT);
	if (space >= 0) H5Sclose(space);
	return dataset;
}

static sheaf_status create(array *a, sheaf_box_plan *plan, sheaf_error *err)
{
	hid_t links = link_properties(), creation = H5Pcreate(H5P_DATASET_CREATE);
	if (links >= 0 && creation >= 0) a->dataset = make_dataset(a->h5, plan, links, creation);
	if (links >= 0) H5Pclose(links);
	if (creation >= 0) H5Pclose(creation);
	if (a->dataset < 0) return sheaf_h5_fail(a->h5, plan->path, "to make an array", err);
	if (plan->chunk || plan->count == 0) return SHEAF_OK;
	haddr_t at = H5Dget_offset(a->dataset);
	if (at == HADDR_UNDEF || at > INT64_MAX)
		return sheaf_h5_fail(a->h5, plan->path, "space for an array", err);
	plan->offset = (int64_t)at;
	return SHEAF_OK;
}

sheaf_status sheaf_h5_new_array(void *state, sheaf_box_plan *plan, void **out, sheaf_error *err)
{
	sheaf_h5 *h5 = (sheaf_h5 *)state;
	void *memory;
	SHEAF_TRY(sheaf_allocate(h5->cx, sizeof(array), &memory, err));
	array *a = (array *)memory;
	*a = (array){.h5 = h5, .dataset = H5I_INVALID_HID, .chunk = plan->chunk, .grows = plan->count < 0};
	sheaf_h5_enter();
	sheaf_status status = create(a, plan, err);
	sheaf_h5_leave();
	if (status)
		sheaf_h5_drop_array(a);
	else
		*out = a;
	return status;
}

/* Only an array of no values has neither a place nor chunks. */
sheaf_status sheaf_h5_append(void *handle, const void *values, size_t bytes, sheaf_error *err)
{
	const array *a = (const array *)handle;
	(void)values;
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected no values, found %zu bytes", a->h5->store->name, bytes);
}

static bool grow(array *a, int64_t count)
{
	hsize_t extent = (hsize_t)count;
	a->extent = count;
	return H5Dset_extent(a->dataset, &extent) >= 0;
}

sheaf_status sheaf_h5_write_chunk(void *handle, int64_t chunk, uint32_t skipped, const void *bytes,
                                  size_t size, sheaf_error *err)
{
	array *a = (array *)handle;
	hsize_t at = (hsize_t)chunk * (hsize_t)a->chunk;
	sheaf_status status = SHEAF_OK;
	sheaf_h5_enter();
	bool fine = !a->grows || grow(a, (chunk + 1) * a->chunk);
	fine = fine && H5Dwrite_chunk(a->dataset, H5P_DEFAULT, skipped, &at, size, bytes) >= 0;
	if (!fine || a->h5->failure.status) status = sheaf_h5_fail(a->h5, "", "to write a chunk", err);
	sheaf_h5_leave();
	return status;
}

sheaf_status sheaf_h5_end_array(void *handle, int64_t count, sheaf_box_item *item, sheaf_error *err)
{
	array *a = (array *)handle;
	sheaf_status status = SHEAF_OK;
	sheaf_h5_enter();
	bool fine = !a->grows || a->extent == count || grow(a, count);
	if (fine && a->h5->kind == SHEAF_BOX_NETCDF)
		fine = sheaf_h5_add_dimension(a->h5, item->path, a->dataset, count);
	fine = H5Dclose(a->dataset) >= 0 && fine;
	a->dataset = H5I_INVALID_HID;
	if (!fine) status = sheaf_h5_fail(a->h5, item->path, "to complete an array", err);
	item->refused = "one that can be read once the file is complete";
	sheaf_h5_leave();
	sheaf_h5_drop_array(a);
	return status;
}

void sheaf_h5_drop_array(void *handle)
{
	array *a = (array *)handle;
	sheaf_h5_enter();
	if (a->dataset >= 0) H5Dclose(a->dataset);
	sheaf_h5_leave();
	sheaf_release(a->h5->cx, a, sizeof *a);
}
