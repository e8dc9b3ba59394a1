/* SPDX-License-Identifier: MIT */
/* The groups and arrays of a folder, found by walking through it and reading the metadata of each. The
 * version is that of the root, and all below it must have the same. Consolidated metadata, a copy at the
 * root, are not used: they may be out of date. */
#include "base/context.h"
#include "base/extend.h"
#include "container/zarr/zarr.h"
#include <inttypes.h>
#include <string.h>

/* The state of the walk: groups that wait, and the names in the one that is being listed. */
typedef struct walk {
	sheaf_context *cx;
	const sheaf_zarr_members *members;
	sheaf_catalog *catalog;
	const char *folder;  /* being listed */
	int version;         /* of the whole */
	sheaf_builder queue; /* paths of groups */
	sheaf_builder found; /* names, each with its NUL */
} walk;

/* Names are noted before any of them is opened, so that one folder at a time is open. */
static sheaf_status note_child(void *user, const char *name, sheaf_error *err)
{
	walk *w = (walk *)user;
	sheaf_builder_append(&w->found, name, strlen(name) + 1);
	return sheaf_builder_status(&w->found, err);
}

/* Checks a node's metadata of version 3. Later versions, kinds of nodes and keys may be right, and are
 * not known here: they are UNSUPPORTED, not damage. */
static sheaf_status check_new(const walk *w, const char *path, const sheaf_json *json, sheaf_error *err)
{
	int64_t version = 0;
	const char *folder = w->members->name;
	const char *kind = sheaf_json_text(sheaf_json_get(json, "node_type"), NULL);
	if (!sheaf_json_i64(sheaf_json_get(json, "zarr_format"), &version) || version < 3)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s/%s/zarr.json: expected zarr_format 3, found %" PRId64 ", or no number", folder,
		                  path, version);
	if (!kind)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s/%s/zarr.json: no node_type says whether it is a group or an array", folder,
		                  path);
	if (version > 3)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s/%s/zarr.json: expected zarr_format 3, found version %" PRId64, folder, path,
		                  version);
	if (strcmp(kind, "group") != 0 && strcmp(kind, "array") != 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s/%s/zarr.json: expected a node_type that is a group or an array, found %.100s",
		                  folder, path, kind);
	const char *unknown = sheaf_zarr_unknown_member(json);
	if (!unknown) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s/%s/zarr.json: the key \"%.100s\" is not known, and does not say that it may be "
	                  "ignored (must_understand)",
	                  folder, path, unknown);
}

/* Loads what a folder is, by the metadata of the whole's version: *json begins empty, and stays empty if
 * the folder is neither a group nor an array. In version 2, .zarray comes before .zgroup. */
static sheaf_status load_node(const walk *w, const char *path, sheaf_zarr_json *json, bool *is_group,
                              sheaf_error *err)
{
	const sheaf_zarr_members *m = w->members;
	int64_t version = 0;
	if (w->version == 3) {
		SHEAF_TRY(sheaf_zarr_load(m, path, "zarr.json", json, err));
		const char *kind = sheaf_json_text(sheaf_json_get(json->value, "node_type"), NULL);
		*is_group = kind && strcmp(kind, "group") == 0;
		return json->value ? check_new(w, path, json->value, err) : SHEAF_OK;
	}
	SHEAF_TRY(sheaf_zarr_load(m, path, ".zarray", json, err));
	*is_group = !json->value;
	if (*is_group) SHEAF_TRY(sheaf_zarr_load(m, path, ".zgroup", json, err));
	if (!json->value) return SHEAF_OK;
	if (sheaf_json_i64(sheaf_json_get(json->value, "zarr_format"), &version) && version == w->version)
		return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s/%s: expected metadata of version %d (zarr_format), found %" PRId64 ", or no number",
	                  m->name, path, w->version, version);
}

/* What the driver knows about a node. */
static sheaf_status give_own(const walk *w, sheaf_box_item *item, sheaf_error *err)
{
	SHEAF_TRY(sheaf_catalog_allocate(w->catalog, sizeof(sheaf_zarr_own), &item->inside->zarr, err));
	item->inside->zarr->version = w->version;
	return SHEAF_OK;
}

/* Describes an array at once; a group waits to be listed, unless it is deeper than anybody makes groups:
 * then it is listed without its contents. */
static sheaf_status describe_node(walk *w, sheaf_box_item *item, const sheaf_zarr_json *json, bool is_group,
                                  sheaf_error *err)
{
	SHEAF_TRY(give_own(w, item, err));
	item->is_group = is_group;
	if (!is_group) return sheaf_zarr_describe(json->value, w->catalog, item, w->members->name, err);
	item->of = "group";
	int depth = *item->path != '\0';
	for (const char *at = item->path; *at; at++) depth += *at == '/';
	if (depth > SHEAF_BOX_MAX_DEPTH) {
		item->refused = "a group nested too deeply";
		return SHEAF_OK;
	}
	sheaf_builder_append(&w->queue, &item->path, sizeof item->path);
	return sheaf_builder_status(&w->queue, err);
}

/* Adds a folder in the one that is being listed (w->folder) to the catalog, if it is a node. A node that
 * is damaged, or unknown, is listed with the reason, and everything else is read. It has no target, so
 * that nobody asks for its attributes. Failures that the folder did not cause, such as that memory runs
 * out, end the walk. */
static sheaf_status add_child(walk *w, const char *name, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_zarr_drop) sheaf_zarr_json json = {0};
	sheaf_error failure = {0};
	sheaf_box_item *item;
	bool is_group = false;
	char path[4096];
	int n = snprintf(path, sizeof path, "%s%s%s", w->folder, *w->folder ? "/" : "", name);
	sheaf_status status =
		n < (int)sizeof path
			? load_node(w, path, &json, &is_group, &failure)
			: sheaf_fail(&failure, SHEAF_LIMIT, "expected paths of less than 4 KiB, found another");
	if (!status && !json.value) return SHEAF_OK;
	bool is_unknown = status == SHEAF_UNSUPPORTED;
	if (status && !is_unknown && status != SHEAF_DATA && status != SHEAF_LIMIT && status != SHEAF_SHORT)
		return sheaf_fail_again(err, &failure);
	SHEAF_TRY(sheaf_catalog_add(w->catalog, w->folder, name, false, &item, err));
	if (!status) return describe_node(w, item, &json, is_group, err);
	item->is_damaged = !is_unknown;
	item->inside->target = NULL;
	return sheaf_catalog_text(
		w->catalog, &item->refused, err,
		is_unknown ? "metadata that is not known (%.300s)" : "one that is damaged (%.300s)", failure.message);
}

/* Lists the groups and arrays in the group at `path`. Folders that are neither are passed over: chunks
 * are in folders as well. */
static sheaf_status list_group(walk *w, const char *path, sheaf_error *err)
{
	w->folder = path;
	w->found.size = 0;
	SHEAF_TRY(sheaf_zarr_children(w->members, path, note_child, w, err));
	for (size_t at = 0; at < w->found.size; at += strlen((const char *)w->found.data + at) + 1) {
		SHEAF_TRY(sheaf_check_stop(w->cx, err));
		SHEAF_TRY(add_child(w, (const char *)w->found.data + at, err));
	}
	return SHEAF_OK;
}

static void end_walk(walk *w)
{
	sheaf_builder_drop(&w->queue);
	sheaf_builder_drop(&w->found);
}

/* Lists all groups and arrays of a folder. The version is that of the root's metadata, 3 before 2. The
 * root is a group, or the only array, which then is in an unnamed group as "array". Groups wait in a
 * queue and are listed one after another, not one within the other, so that depth takes no stack. */
sheaf_status sheaf_zarr_list(const sheaf_zarr_members *m, sheaf_catalog *catalog, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_zarr_drop) sheaf_zarr_json node = {0};
	SHEAF_SCOPED(end_walk)
	walk w = {.cx = m->cx, .members = m, .catalog = catalog, .queue = {.cx = m->cx}, .found = {.cx = m->cx}};
	sheaf_box_item *item;
	bool is_group;
	for (w.version = 3; w.version >= 2 && !node.value; w.version--)
		SHEAF_TRY(load_node(&w, "", &node, &is_group, err));
	w.version++;
	if (!node.value)
		return sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected a folder of Zarr, found none of its metadata",
		                  m->name);
	SHEAF_TRY(give_own(&w, &catalog->items[0], err));
	if (!is_group) {
		SHEAF_TRY(sheaf_catalog_add(catalog, "", "array", false, &item, err));
		item->inside->target = "";
		return describe_node(&w, item, &node, false, err);
	}
	SHEAF_TRY(list_group(&w, "", err));
	/* An empty-looking group may declare that it has something. */
	const sheaf_json *all = sheaf_json_get(sheaf_json_get(node.value, "consolidated_metadata"), "metadata");
	if (catalog->count <= 1 && sheaf_json_size(all) > 0)
		return sheaf_fail(
			err, SHEAF_DATA,
			"%s: expected groups and arrays with metadata of their own, found those of %zu in the "
			"root's zarr.json alone (consolidated)",
			m->name, sheaf_json_size(all));
	for (size_t at = 0; at < w.queue.size; at += sizeof(const char *)) {
		const char *path;
		memcpy(&path, w.queue.data + at, sizeof path);
		SHEAF_TRY(list_group(&w, path, err));
	}
	return SHEAF_OK;
}
