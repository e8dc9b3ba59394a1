/* SPDX-License-Identifier: MIT */
/* The contents of a file. Only hard links are followed, and no group twice: links of other kinds are names,
 * and a name may lead anywhere. Anything that leads out of the file is found before anything is read. */
#include "box/libhdf5/libhdf5.h"
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is sent about an item. */
typedef struct listed {
	sheaf_hdf5_item item;
	hsize_t dims[SHEAF_HDF5_ARRAY_RANK];
	const char *path;
	char of[100], refused[400], filters[300];
	const char *target; /* of a soft link, instead of `refused` */
	hid_t memory;
} listed;

typedef struct walk {
	sheaf_h5_file *file;
	const char *folder; /* "" or "/a/b" */
	void *seen;         /* a tree of addresses of groups */
	int depth;
} walk;

typedef struct group {
	haddr_t address;
	const char *path;
} group;

/* The first reason counts. */
static void refuse(listed *it, const char *why)
{
	if (!it->refused[0]) snprintf(it->refused, sizeof it->refused, "%s", why);
}

/* ---- types ---- */

static bool is_member(hid_t type, unsigned i, const char *name)
{
	char *its = H5Tget_member_name(type, i);
	bool is = its && strcmp(its, name) == 0;
	if (its) (void)H5free_memory(its);
	return is;
}

/* Our type that holds all numbers of an integer or float; false if there is none. */
static bool find_number(hid_t type, sheaf_type *out, hid_t *memory)
{
	size_t bits = H5Tget_precision(type), at, exponent_at, exponents, mantissa_at, mantissas;
	if (bits == 0 || H5Tget_size(type) > 8) return false;
	if (H5Tget_class(type) == H5T_FLOAT) {
		if (H5Tget_fields(type, &at, &exponent_at, &exponents, &mantissa_at, &mantissas) < 0) return false;
		bool is_small = exponents <= 8 && mantissas <= 23;
		*out = is_small ? SHEAF_F32 : SHEAF_F64;
		*memory = is_small ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
		return exponents <= 11 && mantissas <= 52;
	}
	const hid_t natives[2][4] = {{H5T_NATIVE_UINT8, H5T_NATIVE_UINT16, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64},
	                             {H5T_NATIVE_INT8, H5T_NATIVE_INT16, H5T_NATIVE_INT32, H5T_NATIVE_INT64}};
	static const sheaf_type ours[2][4] = {{SHEAF_U8, SHEAF_U16, SHEAF_U32, SHEAF_U64},
	                                      {SHEAF_I8, SHEAF_I16, SHEAF_I32, SHEAF_I64}};
	int wide = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3, sign = H5Tget_sign(type) == H5T_SGN_2;
	*out = ours[sign][wide];
	*memory = natives[sign][wide];
	return bits <= 64;
}

static void name_number(hid_t type, const char *prefix, listed *it)
{
	size_t bits = H5Tget_precision(type);
	bool is_float = H5Tget_class(type) == H5T_FLOAT, is_plain = bits == 8 * H5Tget_size(type);
	const char *order = bits > 8 && H5Tget_order(type) == H5T_ORDER_BE ? "big-endian " : "";
	if (is_plain && (bits & (bits - 1)) == 0)
		snprintf(it->of, sizeof it->of, "%s%s%s%zu", order, prefix,
		         is_float                         ? "float"
		         : H5Tget_sign(type) == H5T_SGN_2 ? "int"
		                                          : "uint",
		         bits);
	else
		snprintf(it->of, sizeof it->of, "%s%s%zu-bit %s", prefix, order, bits,
		         is_float ? "float" : "integer");
}

static void describe_number(hid_t type, const char *prefix, listed *it)
{
	sheaf_type found;
	name_number(type, prefix, it);
	if (!find_number(type, &found, &it->memory)) return;
	it->item.kind = SHEAF_HDF5_NUMBERS;
	it->item.type = (uint8_t)found;
}

/* {r, i} or {real, imag} of the same float type, as h5py and MATLAB write complex numbers. */
static void describe_compound(hid_t type, listed *it)
{
	hid_t part = H5I_INVALID_HID, other = H5I_INVALID_HID;
	sheaf_type found = SHEAF_U8;
	snprintf(it->of, sizeof it->of, "compound");
	bool short_names = is_member(type, 0, "r");
	const char *real = short_names ? "r" : "real", *imaginary = short_names ? "i" : "imag";
	bool fine = H5Tget_nmembers(type) == 2 && is_member(type, 0, real) && is_member(type, 1, imaginary) &&
	            (part = H5Tget_member_type(type, 0)) >= 0 && (other = H5Tget_member_type(type, 1)) >= 0 &&
	            H5Tequal(part, other) > 0 && H5Tget_class(part) == H5T_FLOAT &&
	            find_number(part, &found, &it->memory) && H5Tget_size(part) == H5Tget_size(it->memory);
	size_t width = fine ? H5Tget_size(part) : 0;
	hid_t memory = fine ? H5Tcreate(H5T_COMPOUND, 2 * width) : H5I_INVALID_HID;
	if (memory < 0 || H5Tinsert(memory, real, 0, it->memory) < 0 ||
	    H5Tinsert(memory, imaginary, width, it->memory) < 0)
		return;
	name_number(part, "complex ", it);
	it->item.kind = SHEAF_HDF5_PAIRS;
	it->item.type = (uint8_t)found;
	it->memory = memory;
}

/* FALSE and TRUE in a byte, as h5py writes them; others become their numbers. */
static void describe_enumeration(hid_t type, listed *it)
{
	signed char values[2] = {1, 0};
	hid_t base = H5Tget_super(type);
	bool is_bool = H5Tget_nmembers(type) == 2 && H5Tget_size(type) == 1 && is_member(type, 0, "FALSE") &&
	               is_member(type, 1, "TRUE") && H5Tget_member_value(type, 0, &values[0]) >= 0 &&
	               H5Tget_member_value(type, 1, &values[1]) >= 0 && values[0] == 0 && values[1] == 1;
	describe_number(base, "enumeration of ", it);
	if (it->item.kind == SHEAF_HDF5_NUMBERS) it->memory = H5Tget_native_type(type, H5T_DIR_DEFAULT);
	if (!is_bool) return;
	it->item.kind = SHEAF_HDF5_BOOLS;
	it->item.type = SHEAF_U8;
	snprintf(it->of, sizeof it->of, "bool");
}

static void describe_type(hid_t type, listed *it)
{
	static const char *const others[] = {
		"", "", "time", "text", "bits", "opaque", "", "reference", "", "variable length", "array"};
	H5T_class_t class = H5Tget_class(type);
	it->item.kind = SHEAF_HDF5_OTHER;
	if (class == H5T_INTEGER || class == H5T_FLOAT) {
		describe_number(type, "", it);
		return;
	}
	if (class == H5T_COMPOUND) describe_compound(type, it);
	if (class == H5T_ENUM) describe_enumeration(type, it);
	if (it->of[0]) return;
	bool is_known = class >= 0 && (size_t)class < sizeof others / sizeof *others;
	snprintf(it->of, sizeof it->of, "%s", is_known ? others[class] : "unknown");
	if (class == H5T_STRING) {
		it->item.kind = SHEAF_HDF5_TEXT;
		it->memory = H5Tcopy(type);
	}
	if (class == H5T_BITFIELD && H5Tget_size(type) == 1 && H5Tget_precision(type) == 8) {
		it->item.kind = SHEAF_HDF5_BOOLS;
		it->memory = H5Tcopy(type);
	}
}

/* ---- spaces and storage ---- */

static bool describe_space(hid_t dataset, listed *it)
{
	hid_t space = H5Dget_space(dataset);
	if (space < 0) return false;
	H5S_class_t class = H5Sget_simple_extent_type(space);
	int rank = class == H5S_SIMPLE ? H5Sget_simple_extent_dims(space, it->dims, NULL) : class == H5S_NULL;
	H5Sclose(space);
	it->item.rank = (uint8_t)(rank < 0 ? 0 : rank);
	for (int i = 0; i < rank; i++)
		if (it->dims[i] > INT64_MAX) {
			it->dims[i] = 0;
			refuse(it, "more elements than can be counted");
		}
	return rank >= 0;
}

static void describe_filters(hid_t creation, listed *it)
{
	int n = H5Pget_nfilters(creation);
	bool has_all = true;
	for (int i = 0; i < n; i++) {
		unsigned flags, config, parameters[1] = {0};
		size_t count = 1, used = strlen(it->filters);
		char name[60] = "";
		H5Z_filter_t id =
			H5Pget_filter2(creation, (unsigned)i, &flags, &count, parameters, sizeof name, name, &config);
		has_all = has_all && id >= 0 && H5Zfilter_avail(id) > 0;
		snprintf(it->filters + used, sizeof it->filters - used, "%s%.50s", i ? ", " : "",
		         id == H5Z_FILTER_SHUFFLE      ? "shuffle"
		         : id == H5Z_FILTER_FLETCHER32 ? "fletcher32"
		                                       : name);
		used = strlen(it->filters);
		if (id == H5Z_FILTER_DEFLATE)
			snprintf(it->filters + used, sizeof it->filters - used, " %u", parameters[0]);
	}
	if (has_all || it->refused[0]) return;
	snprintf(it->refused, sizeof it->refused, "a filter that the HDF5 library does not have (%.300s)",
	         it->filters);
}

static bool describe_array(hid_t dataset, hid_t type, hid_t creation, listed *it)
{
	static const sheaf_box_storage storages[] = {SHEAF_BOX_COMPACT, SHEAF_BOX_CONTIGUOUS, SHEAF_BOX_CHUNKED};
	if (type < 0 || creation < 0) return false;
	H5D_layout_t layout = H5Pget_layout(creation);
	/* Before the dataspace: that of a virtual dataset comes from other files. */
	if (layout == H5D_VIRTUAL) {
		snprintf(it->of, sizeof it->of, "virtual");
		refuse(it, SHEAF_BOX_VIRTUAL_OUT);
		return true;
	}
	describe_type(type, it);
	if (H5Pget_external_count(creation) != 0) refuse(it, SHEAF_BOX_VALUES_OUT);
	if (layout < H5D_COMPACT || layout > H5D_CHUNKED)
		refuse(it, "a kind of storage that is not known");
	else
		it->item.storage = (uint8_t)storages[layout];
	if (layout == H5D_CHUNKED) describe_filters(creation, it);
	if (it->item.kind == SHEAF_HDF5_OTHER) refuse(it, it->of);
	it->item.bytes = it->refused[0] ? 0 : (int64_t)H5Dget_storage_size(dataset);
	return describe_space(dataset, it);
}

/* ---- dimensions of netCDF ---- */

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

/* A dimension and nothing else: except for netCDF there is no such array. */
static bool is_dimension(hid_t dataset)
{
	return has_text(dataset, "CLASS", "DIMENSION_SCALE") &&
	       has_text(dataset, "NAME", "This is a netCDF dimension but not a netCDF variable.");
}

/* ---- items ---- */

static void append(char *payload, size_t *size, const void *data, size_t n)
{
	size_t room = SHEAF_HDF5_MESSAGE - *size;
	memcpy(payload + *size, data, n < room ? n : room);
	*size += n < room ? n : room;
}

/* Sends it, and keeps what is needed for reading it. */
static bool send_item(sheaf_h5_file *f, const listed *it)
{
	static char payload[SHEAF_HDF5_MESSAGE];
	const char *why = it->target ? it->target : it->refused;
	size_t size = 0;
	append(payload, &size, &it->item, sizeof it->item);
	append(payload, &size, it->dims, it->item.rank * sizeof *it->dims);
	append(payload, &size, it->path + 1, strlen(it->path));
	append(payload, &size, it->of, strlen(it->of) + 1);
	append(payload, &size, why, strlen(why) + 1);
	append(payload, &size, it->filters, strlen(it->filters) + 1);
	sheaf_h5_send(SHEAF_HDF5_ITEM, payload, size);
	if (f->count == f->room) {
		f->room = f->room ? 2 * f->room : 64;
		sheaf_h5_array *more = (sheaf_h5_array *)realloc(f->items, f->room * sizeof *more);
		if (!more) return false;
		f->items = more;
	}
	bool has_texts = it->item.kind != SHEAF_HDF5_SOFT && it->item.kind != SHEAF_HDF5_GROUP
	                     ? !it->refused[0]
	                     : it->item.kind == SHEAF_HDF5_GROUP;
	f->items[f->count++] = (sheaf_h5_array){has_texts ? strdup(it->path) : NULL, it->memory};
	return true;
}

static bool send_damaged(sheaf_h5_file *f, listed *it)
{
	it->item.kind = SHEAF_HDF5_OTHER;
	it->item.is_damaged = 1;
	it->item.rank = 0;
	(void)H5Eclear2(H5E_DEFAULT);
	snprintf(it->refused, sizeof it->refused, "something that the HDF5 library cannot open");
	return send_item(f, it);
}

static bool add_dataset(const walk *w, hid_t dataset, listed *it)
{
	if (is_dimension(dataset)) {
		w->file->is_netcdf = 1;
		return true;
	}
	hid_t type = H5Dget_type(dataset), creation = H5Dget_create_plist(dataset);
	bool fine = describe_array(dataset, type, creation, it);
	if (type >= 0) H5Tclose(type);
	if (creation >= 0) H5Pclose(creation);
	return fine ? send_item(w->file, it) : send_damaged(w->file, it);
}

static herr_t visit(hid_t folder, const char *name, const H5L_info_t *link, void *user);

static int compare_groups(const void *a, const void *b)
{
	haddr_t x = ((const group *)a)->address, y = ((const group *)b)->address;
	return (x > y) - (x < y);
}

/* The path of a group that was met before, or NULL, and then it is recorded; false: memory ran out. */
static bool meet(walk *w, haddr_t address, const char *path, const char **before)
{
	group *it = (group *)malloc(sizeof *it);
	if (!it) return false;
	*it = (group){address, path};
	group **place = (group **)tsearch(it, &w->seen, compare_groups);
	*before = place && *place != it ? (*place)->path : NULL;
	return place != NULL;
}

static bool add_group(walk *w, hid_t object, haddr_t address, listed *it)
{
	const char *before, *folder = w->folder;
	it->item.kind = SHEAF_HDF5_GROUP;
	snprintf(it->of, sizeof it->of, "group");
	if (!meet(w, address, it->path, &before)) return false;
	if (before) snprintf(it->refused, sizeof it->refused, "a second name of the group %.200s", before);
	if (w->depth + 1 >= SHEAF_BOX_MAX_DEPTH) refuse(it, "a group nested too deeply");
	if (!send_item(w->file, it)) return false;
	if (it->refused[0]) return true;
	w->folder = it->path;
	w->depth++;
	herr_t result = H5Literate(object, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit, w);
	w->depth--;
	w->folder = folder;
	return result >= 0;
}

static bool add_object(walk *w, hid_t folder, const char *name, listed *it)
{
	H5O_info_t info;
	hid_t object = H5Oopen(folder, name, H5P_DEFAULT);
	bool fine = object >= 0 && H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0;
	if (!fine) {
		fine = send_damaged(w->file, it);
	} else if (info.type == H5O_TYPE_GROUP) {
		fine = add_group(w, object, info.addr, it);
	} else if (info.type == H5O_TYPE_DATASET) {
		fine = add_dataset(w, object, it);
	} else {
		snprintf(it->of, sizeof it->of, "a type by itself");
		refuse(it, it->of);
		fine = send_item(w->file, it);
	}
	if (object >= 0) H5Oclose(object);
	return fine;
}

static bool add_link(walk *w, hid_t folder, const char *name, const H5L_info_t *link, listed *it)
{
	char target[4096] = "";
	if (link->type == H5L_TYPE_HARD) return add_object(w, folder, name, it);
	snprintf(it->of, sizeof it->of, "link");
	if (link->type == H5L_TYPE_SOFT) {
		if (link->u.val_size >= sizeof target ||
		    H5Lget_val(folder, name, target, sizeof target, H5P_DEFAULT) < 0)
			target[0] = '\0';
		it->item.kind = SHEAF_HDF5_SOFT;
		it->target = target;
	}
	refuse(it, link->type == H5L_TYPE_EXTERNAL ? SHEAF_BOX_LINK_OUT : "a link of a kind that is not known");
	bool fine = send_item(w->file, it);
	it->target = NULL;
	return fine;
}

static herr_t visit(hid_t folder, const char *name, const H5L_info_t *link, void *user)
{
	walk *w = (walk *)user;
	listed it = {.item = {.kind = SHEAF_HDF5_OTHER, .bytes = -1}};
	size_t size = strlen(w->folder) + strlen(name) + 2;
	if (*name == '\0' || strchr(name, '/')) return -1;
	/* These are kept: the paths of groups refer to them. */
	char *path = (char *)malloc(size);
	if (!path) return -1;
	snprintf(path, size, "%s/%s", w->folder, name);
	it.path = path;
	bool fine = add_link(w, folder, name, link, &it);
	if (it.item.kind != SHEAF_HDF5_GROUP) free(path);
	return fine ? 0 : -1;
}

bool sheaf_h5_list(sheaf_h5_file *f)
{
	H5O_info_t info;
	const char *before;
	walk w = {.file = f, .folder = ""};
	if (H5Oget_info2(f->file, &info, H5O_INFO_BASIC) < 0 || !meet(&w, info.addr, "/", &before)) return false;
	if (H5Aexists(f->file, "_NCProperties") > 0) f->is_netcdf = 1;
	return H5Literate(f->file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit, &w) >= 0;
}
