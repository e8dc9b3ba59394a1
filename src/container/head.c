/* SPDX-License-Identifier: MIT */
/* To which kind of box the first bytes belong, and the errors that an HDF5 file's superblock shows: every
 * later structure is found by the sizes and addresses in it, so it is checked before anything else is
 * looked at. */
#include "base/endian.h"
#include "base/suffix.h"
#include "container/inside.h"
#include "io/filters/filter.h"
#include <inttypes.h>
#include <string.h>

static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* A netCDF file before HDF5: CDF and its version, which whoever reads it checks. */
static bool is_classic(const uint8_t *head, size_t size)
{
	enum { MOST_VERSION = 8 }; /* 9 is a tab, after the name of a column that is called CDF */
	return size >= 4 && memcmp(head, "CDF", 3) == 0 && head[3] <= MOST_VERSION;
}

/* The first metadata of a Zarr folder. */
static bool is_zarr(sheaf_bytes head)
{
	static const char key[] = "\"zarr_format\"";
	return head.size && head.data[0] == '{' && memmem(head.data, head.size, key, sizeof key - 1);
}

/* The last part of the name is a number: that of a chunk. */
static bool is_chunk(const uint8_t *name, size_t size)
{
	size_t digits = 0;
	while (digits < size && name[size - 1 - digits] >= '0' && name[size - 1 - digits] <= '9') digits++;
	return digits > 0 && digits < size && name[size - 1 - digits] == '/';
}

/* A ZIP file of such a folder, whose first member is metadata, or a chunk. */
static bool is_zipped_zarr(sheaf_bytes head)
{
	static const char *const names[] = {"zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"};
	enum { LOCAL = 30 };
	if (head.size < LOCAL || memcmp(head.data, "PK\3\4", 4) != 0) return false;
	size_t size = (size_t)(head.data[26] | head.data[27] << 8);
	if (size <= head.size - LOCAL && is_chunk(head.data + LOCAL, size)) return true;
	for (size_t i = 0; size <= head.size - LOCAL && i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);
		const uint8_t *end = head.data + LOCAL + size;
		if (size >= n && memcmp(end - n, names[i], n) == 0 && (size == n || end[-(ptrdiff_t)n - 1] == '/'))
			return true;
	}
	return false;
}

/* A ZIP file whose first member is an array of NumPy. */
bool sheaf_box_is_archive(sheaf_bytes head)
{
	enum { LOCAL = 30 };
	if (head.size <= LOCAL || memcmp(head.data, "PK\3\4", 4) != 0) return false;
	size_t size = (size_t)(head.data[26] | head.data[27] << 8);
	return size > 4 && size <= head.size - LOCAL && memcmp(head.data + LOCAL + size - 4, ".npy", 4) == 0;
}

sheaf_box_kind sheaf_box_recognise(sheaf_bytes head)
{
	if (is_zarr(head) || is_zipped_zarr(head)) return SHEAF_BOX_ZARR;
	if (is_classic(head.data, head.size)) return SHEAF_BOX_CLASSIC;
	if (head.size >= sizeof signature && memcmp(head.data, signature, sizeof signature) == 0)
		return SHEAF_BOX_HDF5;
	for (size_t at = 512; at + sizeof signature <= head.size; at *= 2)
		if (memcmp(head.data + at, signature, sizeof signature) == 0) return SHEAF_BOX_HDF5;
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

/* ---- the superblock ---- */

enum { HEAD = 128, UNDEFINED = -1 };

/* netCDF's old format is named, because its files have the same endings. */
static sheaf_status refuse_kind(const sheaf_store *store, sheaf_box_kind kind, sheaf_error *err)
{
	if (kind == SHEAF_BOX_CLASSIC)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected netCDF-4, found the classic netCDF format, which is not written "
		                  "(`nccopy -k nc4` makes netCDF-4 of it)",
		                  store->name);
	return sheaf_fail(err, SHEAF_UNKNOWN,
	                  "%s: expected an HDF5 or netCDF-4 file, found no signature of either", store->name);
}

/* The superblock is at 0, 512, 1024 and so on: a user block may precede it. */
static sheaf_status find_superblock(const sheaf_store *store, int64_t size, int64_t *base, uint8_t head[HEAD],
                                    sheaf_error *err)
{
	for (*base = 0; *base <= size - (int64_t)sizeof signature; *base = *base ? *base * 2 : 512) {
		memset(head, 0, HEAD);
		SHEAF_TRY(
			store->read(store->user, *base, head, size - *base < HEAD ? (size_t)(size - *base) : HEAD, err));
		if (memcmp(head, signature, sizeof signature) == 0) return SHEAF_OK;
		if (*base == 0 && is_classic(head, HEAD)) return refuse_kind(store, SHEAF_BOX_CLASSIC, err);
	}
	return refuse_kind(store, SHEAF_NO_BOX, err);
}

/* A number of the superblock's width. */
static int64_t address(const uint8_t *at, int64_t size)
{
	return size == 4 ? (int64_t)sheaf_load_u32le(at) : sheaf_load_i64le(at);
}

static sheaf_status refuse(const sheaf_store *store, int64_t byte, const char *expected, int64_t found,
                           sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s (byte %" PRId64 "): expected %s, found %" PRId64, store->name,
	                  byte, expected, found);
}

/* Signature, version, sizes of addresses and lengths, and the end of the file, in this order. A file that
 * is shorter than it says was cut. */
sheaf_status sheaf_box_check_head(const sheaf_store *store, int64_t *base, sheaf_error *err)
{
	uint8_t head[HEAD];
	int64_t size;
	SHEAF_TRY(store->size(store->user, &size, err));
	SHEAF_TRY(find_superblock(store, size, base, head, err));
	int version = head[8];
	if (version > 3)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s (byte %" PRId64 "): expected a superblock of version 0 to 3, found version %d",
		                  store->name, *base + 8, version);
	int at = head[8] < 2 ? 13 : 9;
	for (int i = 0; i < 2; i++)
		if (head[at + i] != 4 && head[at + i] != 8)
			return refuse(store, *base + at + i, "addresses and lengths of 4 or 8 bytes", head[at + i], err);
	/* Where the file itself says that it ends, and whether it is one of several. */
	int64_t width = version < 2 ? head[13] : head[9];
	int64_t field = version == 0 ? 24 : version == 1 ? 28 : 12;
	int64_t first = address(head + field, width), end = address(head + field + 2 * width, width);
	if (first != *base)
		return refuse(store, *base + field, "the base address to be that of the signature", first, err);
	if (end < field + 4 * width)
		return refuse(store, *base + field + 2 * width, "an end of the file after its superblock", end, err);
	if (end > size)
		return sheaf_fail(err, SHEAF_SHORT,
		                  "%s (byte %" PRId64 "): expected %" PRId64 " bytes, found %" PRId64, store->name,
		                  *base + field + 2 * width, end, size);
	if (version < 2 && address(head + field + 3 * width, width) != UNDEFINED && width == 8)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s (byte %" PRId64 "): expected a single file, found one of several", store->name,
		                  *base + field + 3 * width);
	return SHEAF_OK;
}
