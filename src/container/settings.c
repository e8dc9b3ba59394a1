/* SPDX-License-Identifier: MIT */
/* What the options of an output require of its box, and whether boxes of that kind support it. The kind
 * follows from the name alone, so that a command can check its options before it reads anything. */
#include "base/spell.h"
#include "container/box.h"
#include "io/filters/filter.h"
#include <sheaf/option.h>
#include <string.h>

/* Refuses options that boxes of this kind do not have, by their names, rather than ignoring them: writing
 * into an existing file is HDF5's alone, archives have no chunks, and Zstandard and versions are Zarr's. */
static sheaf_status check_kind(sheaf_box_kind kind, const sheaf_values *values, bool zstd, sheaf_error *err)
{
	bool is_zarr = kind == SHEAF_BOX_ZARR || kind == SHEAF_BOX_ZARR_2, is_archive = kind == SHEAF_BOX_ARCHIVE;
	bool has_chunks = sheaf_values_number(values, "chunk-bytes", 0) > 0;
	const char *other = (is_zarr || is_archive) && sheaf_values_text(values, "into") ? "into"
	                    : is_archive && has_chunks                                   ? "chunk-bytes"
	                                                                                 : NULL;
	if (other)
		return sheaf_fail_option(err, SHEAF_USAGE, other,
		                         ": expected an HDF5 or netCDF-4 file (.h5, .nc), found %s",
		                         is_zarr ? "Zarr" : "an archive (.npz)");
	other = is_zarr ? NULL : zstd ? "compression" : sheaf_values_text(values, "zarr") ? "zarr" : NULL;
	if (!other) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, other,
	                         ": expected Zarr (a name that ends in .zarr or .zip)%s, found another output",
	                         zstd ? " for zstd" : "");
}

/* Reads from the settings, and the file's name, which kind of box to write and how: *kind is HDF5 if the
 * name says none. Zarr as a whole cannot be compressed by a suffix, as its chunks are. Shuffling belongs
 * to deflate in HDF5; Zarr's chunks are packed by Zstandard if nothing is said, as by zarr-python. */
sheaf_status sheaf_box_settings(const char *name, const sheaf_values *values, sheaf_box_kind *kind,
                                sheaf_box_storing *storing, sheaf_error *err)
{
	const char *version = sheaf_values_text(values, "zarr");
	int deflate;
	bool zstd;
	*kind = sheaf_box_kind_by_name(name);
	if (*kind == SHEAF_NO_BOX) *kind = SHEAF_BOX_HDF5;
	const sheaf_filter *packed = sheaf_filter_by_suffix(name);
	if (*kind == SHEAF_BOX_ZARR && packed)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: Zarr compresses its chunks (" SHEAF_OPTION(
							  "compression") "), and is not "
		                                     "compressed as a whole; name it without %s",
		                  name, packed->suffix);
	SHEAF_TRY(sheaf_compression_of(values, &deflate, &zstd, err));
	SHEAF_TRY(check_kind(*kind, values, zstd, err));
	zstd |= *kind == SHEAF_BOX_ZARR && !sheaf_values_text(values, "compression");
	if (*kind == SHEAF_BOX_ZARR && version && strcmp(version, "2") == 0) *kind = SHEAF_BOX_ZARR_2;
	*storing = (sheaf_box_storing){.deflate = deflate,
	                               .zstd = zstd,
	                               .shuffle = deflate && *kind == SHEAF_BOX_HDF5,
	                               .chunk_bytes = sheaf_values_number(values, "chunk-bytes", 0)};
	return SHEAF_OK;
}
