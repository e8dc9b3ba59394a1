/* SPDX-License-Identifier: MIT */
/* A netCDF-4 file is an HDF5 file in which every array has dimensions with names: datasets without values of
 * their own, that are marked as dimension scales. Its document says how: "NetCDF-4 File Format
 * Specification", appendix B of the netCDF User's Guide. */
#include "box/libhdf5/libhdf5.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_OF_DIMENSION "_Netcdf4Dimid"
#define NOT_A_VARIABLE "This is a netCDF dimension but not a netCDF variable."

static bool put_text(hid_t object, const char *name, const char *text)
{
	hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), attribute = H5I_INVALID_HID;
	bool fine = type >= 0 && space >= 0 && H5Tset_size(type, strlen(text)) >= 0;
	if (fine) attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	fine = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
	if (attribute >= 0) H5Aclose(attribute);
	if (space >= 0) H5Sclose(space);
	if (type >= 0) H5Tclose(type);
	return fine;
}

bool sheaf_h5_begin_netcdf(sheaf_h5 *h5)
{
	char text[100];
	unsigned major = 0, minor = 0, release = 0;
	(void)H5get_libversion(&major, &minor, &release);
	snprintf(text, sizeof text, "version=2,sheaf=%s,hdf5=%u.%u.%u", SHEAF_VERSION, major, minor, release);
	hid_t root = H5Gopen2(h5->file, "/", H5P_DEFAULT);
	bool fine = root >= 0 && put_text(root, "_NCProperties", text);
	if (root >= 0) H5Gclose(root);
	return fine;
}

/* The number that a dimension has been given. */
static bool read_number(hid_t scale, int *out)
{
	hid_t attribute = H5Aexists(scale, NUMBER_OF_DIMENSION) > 0
	                      ? H5Aopen(scale, NUMBER_OF_DIMENSION, H5P_DEFAULT)
	                      : H5I_INVALID_HID;
	hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
	bool fine = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
	            H5Aread(attribute, H5T_NATIVE_INT, out) >= 0;
	if (space >= 0) H5Sclose(space);
	if (attribute >= 0) H5Aclose(attribute);
	return fine;
}

static bool write_number(sheaf_h5 *h5, hid_t scale)
{
	int number = (int)h5->next_dimension++;
	hid_t space = H5Screate(H5S_SCALAR), attribute = H5I_INVALID_HID;
	if (space >= 0)
		attribute = H5Acreate2(scale, NUMBER_OF_DIMENSION, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
	bool fine = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, &number) >= 0;
	if (attribute >= 0) H5Aclose(attribute);
	if (space >= 0) H5Sclose(space);
	return fine;
}

static bool has_text(hid_t object, const char *name, const char *begins)
{
	char text[256] = "";
	hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
	hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
	bool fits = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
	            H5Tget_size(type) < sizeof text && H5Aget_storage_size(attribute) < sizeof text;
	bool has = fits && H5Aread(attribute, type, text) >= 0 && strncmp(text, begins, strlen(begins)) == 0;
	if (type >= 0) H5Tclose(type);
	if (attribute >= 0) H5Aclose(attribute);
	return has;
}

bool sheaf_h5_is_dimension(sheaf_h5 *h5, hid_t dataset)
{
	int number;
	if (!has_text(dataset, "CLASS", "DIMENSION_SCALE")) return false;
	if (!read_number(dataset, &number)) number = (int)h5->next_dimension;
	if (number >= h5->next_dimension) h5->next_dimension = (int64_t)number + 1;
	return has_text(dataset, "NAME", NOT_A_VARIABLE);
}

/* ---- new arrays ---- */

/* Makes the dataset that is the dimension. netCDF gives it places and no values. */
static hid_t make_scale(sheaf_h5 *h5, const char *path, int64_t count)
{
	char name[100];
	hsize_t places = (hsize_t)count;
	hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &places, NULL),
		  scale = H5I_INVALID_HID;
	bool fine = creation >= 0 && space >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
	            H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0;
	if (fine) scale = H5Dcreate2(h5->file, path, H5T_IEEE_F32BE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
	snprintf(name, sizeof name, NOT_A_VARIABLE "%10" PRId64, count);
	fine = scale >= 0 && H5DSset_scale(scale, name) >= 0 && write_number(h5, scale);
	if (space >= 0) H5Sclose(space);
	if (creation >= 0) H5Pclose(creation);
	if (fine) return scale;
	if (scale >= 0) H5Dclose(scale);
	return H5I_INVALID_HID;
}

/* Whether an open dataset is a dimension of so many places. */
static bool is_scale_of(sheaf_h5 *h5, hid_t dataset, int64_t count)
{
	hid_t space = H5Dget_space(dataset);
	bool is =
		space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_npoints(space) == count;
	if (space >= 0) H5Sclose(space);
	return is && sheaf_h5_is_dimension(h5, dataset);
}

/* The dimension for arrays of `count` values in the group of `path`: "length_12", or where something else has
 * that name, "length_12_2" and so on. */
static hid_t find_or_make_scale(sheaf_h5 *h5, const char *path, int64_t count)
{
	enum { TRIES = 100, ROOM = 4400 };
	char name[ROOM];
	const char *slash = strrchr(path, '/');
	for (int i = 1; i <= TRIES; i++) {
		char more[16] = "";
		if (i > 1) snprintf(more, sizeof more, "_%d", i);
		int n = snprintf(name, sizeof name, "%.*slength_%" PRId64 "%s", slash ? (int)(slash - path) + 1 : 0,
		                 path, count, more);
		if (n < 0 || (size_t)n >= sizeof name) return H5I_INVALID_HID;
		htri_t exists = H5Lexists(h5->file, name, H5P_DEFAULT);
		if (exists == 0) return make_scale(h5, name, count);
		H5L_info_t link;
		bool is_hard =
			exists > 0 && H5Lget_info(h5->file, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
		hid_t object = is_hard ? H5Oopen(h5->file, name, H5P_DEFAULT) : H5I_INVALID_HID;
		if (object >= 0 && H5Iget_type(object) == H5I_DATASET && is_scale_of(h5, object, count))
			return object;
		if (object >= 0) H5Oclose(object);
	}
	return H5I_INVALID_HID;
}

bool sheaf_h5_add_dimension(sheaf_h5 *h5, const char *path, hid_t dataset, int64_t count)
{
	hid_t scale = find_or_make_scale(h5, path, count);
	if (scale < 0) return false;
	bool fine = H5DSattach_scale(dataset, scale, 0) >= 0;
	return H5Dclose(scale) >= 0 && fine;
}

/* ---- old arrays ---- */

typedef struct leaving {
	hid_t scales[32];
	unsigned count;
} leaving;

/* The library may not be asked to change what it is walking through. */
static herr_t note_scale(hid_t dataset, unsigned dimension, hid_t scale, void *user)
{
	leaving *l = (leaving *)user;
	(void)dataset, (void)dimension;
	if (l->count >= sizeof l->scales / sizeof *l->scales) return 1;
	if (H5Iinc_ref(scale) >= 0) l->scales[l->count++] = scale;
	return 0;
}

void sheaf_h5_leave_dimensions(hid_t dataset)
{
	hid_t space = H5Dget_space(dataset);
	int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
	if (space >= 0) H5Sclose(space);
	for (int i = 0; i < rank; i++) {
		leaving l = {.count = 0};
		(void)H5DSiterate_scales(dataset, (unsigned)i, NULL, note_scale, &l);
		while (l.count > 0) {
			hid_t scale = l.scales[--l.count];
			(void)H5DSdetach_scale(dataset, scale, (unsigned)i);
			H5Idec_ref(scale);
		}
	}
}
