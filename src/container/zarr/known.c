/* SPDX-License-Identifier: MIT */
/* Which keys the objects of Zarr's metadata may have: each may change what an array means, so unknown ones
 * are refused. */
#include "container/zarr/zarr.h"
#include <string.h>

/* The settings of codecs, data types, grids and the like that are known by name. Those that say how well to
 * compress do not matter here. */
static const struct known {
	const char *name, *settings[6]; /* ends with NULL */
	sheaf_box_filter filter;
} known[] = {
	{"regular", {"chunk_shape"}},
	{"default", {"separator"}},
	{"v2", {"separator"}},
	{"bytes", {"endian"}},
	{"transpose", {"order"}},
	{"sharding_indexed", {"chunk_shape", "codecs", "index_codecs", "index_location"}},
	{"vlen-utf8", {NULL}},
	{"fixed_length_utf32", {"length_bytes"}},
	{"null_terminated_bytes", {"length_bytes"}},
	{"crc32c", {"location"}, SHEAF_FILTER_CRC32C},
	{"zlib", {"level"}, SHEAF_FILTER_DEFLATE},
	{"gzip", {"level"}, SHEAF_FILTER_GZIP},
	{"bz2", {"level"}, SHEAF_FILTER_BZIP2},
	{"zstd", {"level", "checksum"}, SHEAF_FILTER_ZSTD},
	{"lz4", {"acceleration"}, SHEAF_LZ4 ? SHEAF_FILTER_LZ4 : SHEAF_NO_FILTER},
	{"lzma", {"format", "check", "preset", "filters"}, SHEAF_FILTER_XZ},
	{"blosc", {"cname", "clevel", "shuffle", "typesize", "blocksize"}, SHEAF_FILTER_BLOSC},
	{"shuffle", {"elementsize"}, SHEAF_FILTER_SHUFFLE},
	{"delta", {"dtype", "astype"}, SHEAF_FILTER_SCALING},
	{"fixedscaleoffset", {"dtype", "astype", "offset", "scale"}, SHEAF_FILTER_SCALING},
};
static const char *const extension[] = {"name", "configuration", "must_understand", NULL},
						 *const node[] = {"zarr_format",
                                          "node_type",
                                          "shape",
                                          "data_type",
                                          "chunk_grid",
                                          "chunk_key_encoding",
                                          "fill_value",
                                          "codecs",
                                          "attributes",
                                          "storage_transformers",
                                          "dimension_names",
                                          "consolidated_metadata",
                                          NULL};

/* Finds what is known by a name, which zarr-python gives a prefix if it is one of numcodecs'. */
static const struct known *find(const char *name)
{
	static const char prefix[] = "numcodecs.";
	size_t n = sizeof prefix - 1;
	if (name && strncmp(name, prefix, n) == 0) name += n;
	for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, name) == 0) return &known[i];
	return NULL;
}

sheaf_box_filter sheaf_zarr_filter(const char *name)
{
	const struct known *found = find(name);
	return found ? found->filter : SHEAF_NO_FILTER;
}

/* Whether a list of names, which ends with NULL, has this one. */
static bool is_in(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0) return true;
	return false;
}

/* Returns a key of a node's metadata that is not known; NULL: there is none. Whoever wrote a key may say
 * that it may be ignored (must_understand is false), as version 3 has it. */
const char *sheaf_zarr_unknown_member(const sheaf_json *json)
{
	const char *name;
	void *at = NULL;
	for (const sheaf_json *value; (value = sheaf_json_next(json, &at, &name));) {
		const sheaf_json *must = sheaf_json_get(value, "must_understand");
		bool may_ignore = sheaf_json_kind_of(must) == SHEAF_JSON_BOOL && !sheaf_json_is_true(must);
		if (!is_in(node, name) && !may_ignore) return name;
	}
	return NULL;
}

/* The first key of an object that is not in the list; one more name may be there. */
static const char *unknown_key(const sheaf_json *object, const char *const *names, const char *but)
{
	const char *name;
	void *at = NULL;
	while (sheaf_json_next(object, &at, &name))
		if (!is_in(names, name) && (!but || strcmp(name, but) != 0)) return name;
	return NULL;
}

/* Returns a setting of a codec, grid or encoding that is not known; NULL: there is none. Version 2 has an
 * id beside the settings; version 3 has a name, and the settings apart (configuration). What has neither
 * name is not judged here: whoever needs it refuses it. */
const char *sheaf_zarr_unknown_setting(const sheaf_json *it)
{
	const char *id = sheaf_json_text(sheaf_json_get(it, "id"), NULL),
			   *name = id ? id : sheaf_json_text(sheaf_json_get(it, "name"), NULL);
	const struct known *found = find(name);
	if (!found) return NULL;
	if (id) return unknown_key(it, found->settings, "id");
	const char *key = unknown_key(it, extension, NULL);
	return key ? key : unknown_key(sheaf_json_get(it, "configuration"), found->settings, NULL);
}
