/* SPDX-License-Identifier: MIT */
/* A netCDF-4 file is an HDF5 file in which every array has dimensions with names: datasets without values of
 * their own, that are marked as dimension scales. Its document says how: "NetCDF-4 File Format
 * Specification", appendix B of the netCDF User's Guide. */
#include "box/libhdf5/libhdf5.h"
#include <string.h>

#define NOT_A_VARIABLE "This is a netCDF dimension but not a netCDF variable."

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

bool sheaf_h5_is_dimension(hid_t dataset)
{
	return has_text(dataset, "CLASS", "DIMENSION_SCALE") && has_text(dataset, "NAME", NOT_A_VARIABLE);
}
