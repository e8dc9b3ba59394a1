/* SPDX-License-Identifier: MIT */
/* What the options of an output require of its box, and whether boxes of that kind support it. */
#include "base/spell.h"
#include "box/box.h"
#include "io/filter.h"
#include <sheaf/option.h>
#include <string.h>

static const char *asked(const sheaf_values *values, const char *const flags[], const char *const numbers[],
                         const char *const texts[])
{
	for (; *flags; flags++)
		if (sheaf_values_flag(values, *flags)) return *flags;
	for (; *numbers; numbers++)
		if (sheaf_values_number(values, *numbers, 0)) return *numbers;
	for (; *texts; texts++)
		if (sheaf_values_text(values, *texts)) return *texts;
	return NULL;
}

static sheaf_status check_kind(sheaf_box_kind kind, const sheaf_values *values, sheaf_error *err)
{
	static const char *const none[] = {NULL}, *const zstd[] = {"zstd", NULL}, *const zarr[] = {"zarr", NULL},
							 *const shuffle[] = {"shuffle", NULL}, *const into[] = {"into", NULL},
							 *const chunks[] = {"chunk-bytes", NULL};
	bool is_zarr = kind == SHEAF_BOX_ZARR || kind == SHEAF_BOX_ZARR_2, is_archive = kind == SHEAF_BOX_ARCHIVE;
	const char *other = is_zarr      ? asked(values, shuffle, none, into)
	                    : is_archive ? asked(values, shuffle, chunks, into)
	                                 : NULL;
	if (other)
		return sheaf_fail_option(err, SHEAF_USAGE, other,
		                         ": expected an HDF5 or netCDF-4 file (.h5, .nc), found %s",
		                         is_zarr ? "Zarr" : "an archive (.npz)");
	other = is_zarr ? NULL : asked(values, zstd, none, zarr);
	return other ? sheaf_fail_option(
					   err, SHEAF_USAGE, other,
					   ": expected Zarr (a name that ends in .zarr or .zip), found another output")
	             : SHEAF_OK;
}

sheaf_status sheaf_box_settings(const char *name, const sheaf_values *values, sheaf_box_kind *kind,
                                sheaf_box_storing *storing, sheaf_error *err)
{
	enum { MOST_LEVEL = 12 };
	const char *version = sheaf_values_text(values, "zarr");
	int64_t level = sheaf_values_number(values, "deflate", 0);
	*kind = sheaf_box_kind_by_name(name);
	if (*kind == SHEAF_NO_BOX) *kind = SHEAF_BOX_HDF5;
	const sheaf_filter *packed = sheaf_filter_by_suffix(name);
	if (*kind == SHEAF_BOX_ZARR && packed)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: Zarr compresses its chunks (" SHEAF_OPTION("deflate") ", " SHEAF_OPTION(
							  "zstd") "), and is not compressed as a whole; name it without %s",
		                  name, packed->suffix);
	SHEAF_TRY(check_kind(*kind, values, err));
	if (*kind == SHEAF_BOX_ZARR && version && strcmp(version, "2") == 0) *kind = SHEAF_BOX_ZARR_2;
	if (level > MOST_LEVEL)
		return sheaf_fail_option(err, SHEAF_USAGE, "deflate",
		                         ": expected a level of at most %d, found another", MOST_LEVEL);
	*storing = (sheaf_box_storing){.deflate = (int)level,
	                               .zstd = sheaf_values_flag(values, "zstd"),
	                               .shuffle = sheaf_values_flag(values, "shuffle"),
	                               .chunk_bytes = sheaf_values_number(values, "chunk-bytes", 0)};
	if (!storing->zstd || !storing->deflate) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, "zstd",
	                         ": expected one compression, found " SHEAF_OPTION("deflate") ", too");
}
