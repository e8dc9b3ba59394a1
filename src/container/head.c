/* SPDX-License-Identifier: MIT */
/* To which kind of box the first bytes of a file, or the suffix of its name, belong. Nothing here looks
 * further into a file: whoever opens it finds out whether it is sound. */
#include "base/suffix.h"
#include "container/hdf5/format.h"
#include "container/inside.h"
#include "io/filters/filter.h"
#include <string.h>

static const char signature[] = SHEAF_HDF5_SIGNATURE;
enum { SIZE = sizeof signature - 1 };

/* A netCDF file before HDF5: CDF and its version, which whoever reads it checks. */
static bool is_classic(const uint8_t *head, size_t size)
{
	enum { MOST_VERSION = 8 }; /* 9 is a tab, after the name of a column that is called CDF */
	return size >= 4 && memcmp(head, "CDF", 3) == 0 && head[3] <= MOST_VERSION;
}

/* The name of the first member that is no folder, if the bytes are the beginning of a ZIP file that has all
 * of it; else nothing. */
static sheaf_bytes first_name(sheaf_bytes head)
{
	enum { LOCAL = 30 };
	while (head.size >= LOCAL && memcmp(head.data, "PK\3\4", 4) == 0) {
		size_t size = (size_t)(head.data[26] | head.data[27] << 8),
			   end = LOCAL + size + (size_t)(head.data[28] | head.data[29] << 8);
		if (size > head.size - LOCAL) break;
		if (size == 0 || head.data[LOCAL + size - 1] != '/') return (sheaf_bytes){head.data + LOCAL, size};
		if (end > head.size) break;
		head = (sheaf_bytes){head.data + end, head.size - end};
	}
	return (sheaf_bytes){0};
}

/* Recognises the first bytes of Zarr: the metadata of a folder; or a ZIP file of one, whose first member
 * is metadata, or a chunk: the last part of its name is a number. */
static bool is_zarr(sheaf_bytes head)
{
	static const char key[] = "\"zarr_format\"";
	static const char *const names[] = {"zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"};
	if (head.size && head.data[0] == '{') return memmem(head.data, head.size, key, sizeof key - 1);
	sheaf_bytes name = first_name(head);
	const uint8_t *end = name.data + name.size;
	size_t digits = 0;
	while (digits < name.size && end[-1 - (ptrdiff_t)digits] >= '0' && end[-1 - (ptrdiff_t)digits] <= '9')
		digits++;
	if (digits > 0 && digits < name.size && end[-1 - (ptrdiff_t)digits] == '/') return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);
		if (name.size >= n && memcmp(end - n, names[i], n) == 0 &&
		    (name.size == n || end[-(ptrdiff_t)n - 1] == '/'))
			return true;
	}
	return false;
}

/* A ZIP file whose first member is an array of NumPy. */
bool sheaf_box_is_archive(sheaf_bytes head)
{
	sheaf_bytes name = first_name(head);
	return name.size > 4 && memcmp(name.data + name.size - 4, ".npy", 4) == 0;
}

sheaf_box_kind sheaf_box_recognise(sheaf_bytes head)
{
	if (is_zarr(head)) return SHEAF_BOX_ZARR;
	if (is_classic(head.data, head.size)) return SHEAF_BOX_CLASSIC;
	if (head.size >= SIZE && memcmp(head.data, signature, SIZE) == 0) return SHEAF_BOX_HDF5;
	for (size_t at = 512; at + SIZE <= head.size; at *= 2)
		if (memcmp(head.data + at, signature, SIZE) == 0) return SHEAF_BOX_HDF5;
	return SHEAF_NO_BOX;
}

/* The ending before that of a compression, if there is one: "a.h5.gz" is HDF5. */
static bool ends_with(const char *name, const char *const *suffixes)
{
	const sheaf_filter *filter = sheaf_filter_by_suffix(name);
	size_t n = strlen(name), bare = filter ? sheaf_without_suffix(name, n, filter->suffix) : n;
	for (; *suffixes; suffixes++)
		if (sheaf_without_suffix(name, bare, *suffixes) < bare) return true;
	return false;
}

/* Returns the kind of box that a name's ending means; SHEAF_NO_BOX: it means none. */
sheaf_box_kind sheaf_box_kind_by_name(const char *name)
{
	static const char *const archive[] = {".npz", NULL}, *const zarr[] = {".zip", ".zarr", ".zarr/", NULL},
							 *const netcdf[] = {".nc", ".nc4", ".cdf", NULL},
							 *const hdf5[] = {".h5", ".hdf5", ".hdf", ".he5", NULL};
	return ends_with(name, archive)  ? SHEAF_BOX_ARCHIVE
	       : ends_with(name, zarr)   ? SHEAF_BOX_ZARR
	       : ends_with(name, netcdf) ? SHEAF_BOX_NETCDF
	       : ends_with(name, hdf5)   ? SHEAF_BOX_HDF5
	                                 : SHEAF_NO_BOX;
}

bool sheaf_box_is_folder(sheaf_box_kind kind, const char *name)
{
	return (kind == SHEAF_BOX_ZARR || kind == SHEAF_BOX_ZARR_2) && !sheaf_has_suffix(name, ".zip");
}
