/* SPDX-License-Identifier: MIT */
/* Zarr, versions 2 and 3: a folder, or a ZIP file of one, in which each array and group is a folder with JSON
 * that describes it, and each chunk is a member. Nothing leads out of the folder: members are opened name by
 * name, and links are not followed. */
#ifndef SHEAF_CONTAINER_ZARR_ZARR_H
#define SHEAF_CONTAINER_ZARR_ZARR_H

#include "base/third/json.h"
#include "container/inside.h"
#include "container/zip/zip.h"

/* ---- members.c: what the folder holds ---- */

/* Where members are. */
typedef struct sheaf_zarr_members {
	sheaf_context *cx;
	const char *name; /* for messages */
	int folder;       /* -1: a ZIP file, */
	sheaf_zip zip;
	_Atomic int64_t
		*begins; /* for each stored member the byte of its contents, once their checksum was correct */
} sheaf_zarr_members;

/* For a source that is a folder, or a ZIP file of one. The second function closes it, also after a
 * failure. */
SHEAF_USE sheaf_status sheaf_zarr_open_members(sheaf_zarr_members *m, sheaf_source *source, sheaf_context *cx,
                                               sheaf_error *err);
void sheaf_zarr_close_members(sheaf_zarr_members *m);

/* Bytes of a member: `size` at `at`, at its end, or all, if there are at most `size`. */
enum { SHEAF_ZARR_END = -1, SHEAF_ZARR_WHOLE = -2 };
typedef struct sheaf_zarr_part {
	int64_t at, size;
} sheaf_zarr_part;

/* Appends them; *found: whether the member is there. DATA if it is shorter; LIMIT if all are too many. */
SHEAF_USE sheaf_status sheaf_zarr_read(const sheaf_zarr_members *m, const char *path, sheaf_zarr_part part,
                                       sheaf_builder *bytes, bool *found, sheaf_error *err);
typedef sheaf_status (*sheaf_zarr_child)(void *user, const char *name, sheaf_error *err);
/* The folders in a folder, in any order. */
SHEAF_USE sheaf_status sheaf_zarr_children(const sheaf_zarr_members *m, const char *path,
                                           sheaf_zarr_child child, void *user, sheaf_error *err);

/* The bytes of all members in a folder; -1: they cannot be counted. */
SHEAF_USE sheaf_status sheaf_zarr_stored(const sheaf_zarr_members *m, const char *path, int64_t *bytes,
                                         sheaf_error *err);

/* ---- metadata.c ---- */

/* The JSON of a group or an array, whose memory counts until it is dropped. Begins as zeros. */
typedef struct sheaf_zarr_json {
	sheaf_context *cx;
	sheaf_json *value; /* NULL: there is none */
	size_t size;
} sheaf_zarr_json;

/* Reads the member `name` of a folder; nothing if there is none. */
SHEAF_USE sheaf_status sheaf_zarr_load(const sheaf_zarr_members *m, const char *folder, const char *name,
                                       sheaf_zarr_json *out, sheaf_error *err);
void sheaf_zarr_drop(sheaf_zarr_json *json);

/* ---- known.c ---- */

/* The first key of a node's metadata, in version 3, or of a codec, a data type, a grid or the like and of its
 * settings, that nobody knows; NULL: there is none. */
const char *sheaf_zarr_unknown_member(const sheaf_json *json);
const char *sheaf_zarr_unknown_setting(const sheaf_json *it);
/* The filter that a codec is, or SHEAF_NO_FILTER. */
sheaf_box_filter sheaf_zarr_filter(const char *name);

/* ---- describe.c ---- */

/* How elements that are texts are stored. */
typedef enum sheaf_zarr_text {
	SHEAF_ZARR_NO_TEXT,
	SHEAF_ZARR_PADDED, /* bytes, padded with NULs */
	SHEAF_ZARR_UTF32,
	SHEAF_ZARR_VARIABLE /* chunks of counts and lengths: elements are references */
} sheaf_zarr_text;

/* What the driver knows about a group or an array. */
typedef struct sheaf_zarr_own {
	int version;
	sheaf_zarr_text text;
	bool is_big;     /* UTF32 */
	char separator;  /* of the numbers of a chunk */
	bool has_prefix; /* "c" precedes them */
	/* Shards, members that contain many chunks and where each is; NULL: each chunk is a member. */
	const int64_t *shard; /* extents, in chunks */
	bool is_index_first, is_index_summed;
	sheaf_box_plan plan; /* of an array that is written */
} sheaf_zarr_own;

/* Finds what an array is, and whether it can be read. */
SHEAF_USE sheaf_status sheaf_zarr_describe(const sheaf_json *json, sheaf_catalog *catalog,
                                           sheaf_box_item *item, const char *name, sheaf_error *err);

/* ---- list.c ---- */

/* Adds every group and array of the folder to the catalog. A node whose metadata is damaged or unknown is
 * there with the reason. */
SHEAF_USE sheaf_status sheaf_zarr_list(const sheaf_zarr_members *m, sheaf_catalog *catalog, sheaf_error *err);

/* ---- attribute.c ---- */

/* Describes an attribute as the catalog's root, and gives its elements. */
SHEAF_USE sheaf_status sheaf_zarr_describe_value(const sheaf_json *value, sheaf_catalog *catalog,
                                                 sheaf_builder *bytes, sheaf_error *err);
/* Notes all attributes of a group or an array for listings. */
SHEAF_USE sheaf_status sheaf_zarr_note_attributes(const sheaf_json *attributes, sheaf_box_notes *notes,
                                                  sheaf_error *err);
/* For sheaf_json_print: appends to a builder. */
bool sheaf_zarr_append_json(void *builder, const char *text, size_t size);

#endif
