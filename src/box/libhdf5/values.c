/* SPDX-License-Identifier: MIT */
/* Values of arrays, and texts of arrays and attributes, in the requested form. */
#include "box/libhdf5/libhdf5.h"
#include <stdlib.h>
#include <string.h>

/* Rows [from, to) of a space, or all of a scalar. */
static bool select_rows(hid_t space, hsize_t from, hsize_t to)
{
	hsize_t start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
	int rank = H5Sget_simple_extent_dims(space, count, NULL);
	if (rank <= 0) return rank == 0;
	if (from > to || to > count[0]) return false;
	start[0] = from;
	count[0] = to - from;
	return H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
}

/* Elements [from, to) in storage order, given the rows that contain them. */
static bool select_elements(hid_t space, hsize_t from, hsize_t to)
{
	hsize_t dims[H5S_MAX_RANK], row = 1;
	int rank = H5Sget_simple_extent_dims(space, dims, NULL);
	for (int i = 1; i < rank; i++) row *= dims[i];
	if (rank <= 1 || (from % row == 0 && to % row == 0)) return select_rows(space, from / row, to / row);
	size_t n = (size_t)(to - from);
	hsize_t *points = (hsize_t *)calloc(n * (size_t)rank, sizeof *points);
	if (!points) return false;
	for (size_t k = 0; k < n; k++) {
		hsize_t at = from + k;
		for (int i = rank - 1; i >= 0; at /= dims[i--]) points[k * (size_t)rank + (size_t)i] = at % dims[i];
	}
	bool fine = H5Sselect_elements(space, H5S_SELECT_SET, n, points) >= 0;
	free(points);
	return fine;
}

/* The selection, as elements of *width bytes; NULL if the library refuses. */
static void *read_selected(const sheaf_h5_array *array, hid_t dataset, hid_t space, size_t *bytes)
{
	hssize_t n = H5Sget_select_npoints(space);
	size_t width = H5Tget_size(array->memory);
	hsize_t places = n < 0 ? 0 : (hsize_t)n;
	hid_t memory = H5Screate_simple(1, &places, NULL);
	void *out = n >= 0 && width > 0 && places <= SIZE_MAX / width ? calloc((size_t)places + 1, width) : NULL;
	*bytes = (size_t)places * width;
	if (out && (memory < 0 || H5Dread(dataset, array->memory, memory, space, H5P_DEFAULT, out) < 0)) {
		free(out);
		out = NULL;
	}
	if (memory >= 0) H5Sclose(memory);
	return out;
}

bool sheaf_h5_send_rows(const sheaf_h5_array *array, hid_t file, hsize_t from, hsize_t to)
{
	size_t bytes;
	hid_t dataset = H5Dopen2(file, array->path, H5P_DEFAULT);
	hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
	void *values =
		space >= 0 && select_rows(space, from, to) ? read_selected(array, dataset, space, &bytes) : NULL;
	if (values) sheaf_h5_send_bytes(values, bytes);
	free(values);
	if (space >= 0) H5Sclose(space);
	if (dataset >= 0) H5Dclose(dataset);
	return values != NULL;
}

/* A text without its padding. */
static size_t length_of(hid_t type, const char *text, size_t room)
{
	size_t n = strnlen(text, room);
	if (H5Tget_strpad(type) == H5T_STR_SPACEPAD)
		for (n = room; n > 0 && text[n - 1] == ' ';) n--;
	return n;
}

static void send_text(hid_t type, const void *element, bool with_size)
{
	const char *text = (const char *)element;
	size_t size = H5Tget_size(type);
	if (H5Tis_variable_str(type) > 0) {
		memcpy(&text, element, sizeof text);
		size = text ? strlen(text) : 0;
	} else {
		size = length_of(type, text, size);
	}
	uint32_t head = (uint32_t)(size > UINT32_MAX ? UINT32_MAX : size);
	if (with_size) sheaf_h5_send_bytes(&head, sizeof head);
	sheaf_h5_send_bytes(text, head);
}

bool sheaf_h5_send_texts(const sheaf_h5_array *array, hid_t file, hsize_t from, hsize_t to)
{
	size_t bytes = 0, width = H5Tget_size(array->memory);
	hid_t dataset = H5Dopen2(file, array->path, H5P_DEFAULT);
	hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
	char *values = NULL;
	if (space >= 0 && select_elements(space, from, to))
		values = (char *)read_selected(array, dataset, space, &bytes);
	for (size_t at = 0; values && at < bytes; at += width) send_text(array->memory, values + at, true);
	hsize_t places = values ? bytes / width : 0;
	hid_t memory = values ? H5Screate_simple(1, &places, NULL) : H5I_INVALID_HID;
	if (memory >= 0) {
		if (H5Tis_variable_str(array->memory) > 0)
			(void)H5Dvlen_reclaim(array->memory, memory, H5P_DEFAULT, values);
		H5Sclose(memory);
	}
	free(values);
	if (space >= 0) H5Sclose(space);
	if (dataset >= 0) H5Dclose(dataset);
	return values != NULL;
}

static bool send_open_attribute(hid_t attribute, const char **why)
{
	hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
	bool is_text = type >= 0 && H5Tget_class(type) == H5T_STRING;
	hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
	bool fine = count == 0 && space >= 0 && H5Sget_simple_extent_type(space) == H5S_NULL && is_text;
	if (!is_text)
		*why = "another type";
	else if (!fine && count != 1)
		*why = "several";
	void *value = !fine && !*why ? calloc(1, H5Tget_size(type) + sizeof(char *)) : NULL;
	if (value && H5Aread(attribute, type, value) >= 0) {
		send_text(type, value, false);
		fine = true;
	}
	free(value);
	if (type >= 0) H5Tclose(type);
	if (space >= 0) H5Sclose(space);
	return fine;
}

bool sheaf_h5_send_attribute(hid_t file, const char *path, const char *name, const char **why)
{
	hid_t object = path ? H5Oopen(file, path, H5P_DEFAULT) : H5I_INVALID_HID;
	bool fine = false;
	if (object >= 0 && H5Aexists(object, name) == 0) *why = "none";
	hid_t attribute = object >= 0 && !*why ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
	if (attribute >= 0) fine = send_open_attribute(attribute, why);
	if (attribute >= 0) H5Aclose(attribute);
	if (object >= 0) H5Oclose(object);
	return fine;
}
