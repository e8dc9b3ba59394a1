/* SPDX-License-Identifier: MIT */
/* The output of `info`: the tree of a file, each array with its type, shape, chunks and filters, and which of
 * its groups and arrays are datasets. People get a line for each; JSON has the same, and more, as members. */
#include "base/buffer.h"
#include "base/spell.h"
#include "format/hdf5/hdf5.h"
#include "frame/schema/listing.h"
#include "io/source.h"
#include <stdio.h>
#include <string.h>

static const char *word_of(const sheaf_hdf_found *found)
{
	static const char *const words[] = {"", "dense", "texts", "table", "table", "column", "CSR", "COO"};
	return found->kind == HDF_COMPRESSED && found->by_columns ? "CSC" : words[found->kind];
}

/* Lists an attribute, whose value is JSON already, in either form. */
static void list_attribute(const sheaf_listing *to, const sheaf_box_attribute *attribute)
{
	if (to->json)
		sheaf_member(to->b, attribute->name);
	else
		sheaf_listing_text(to, NULL, "    %: ", attribute->name);
	sheaf_builder_text(to->b, attribute->value);
	if (!to->json) sheaf_builder_byte(to->b, '\n');
}

/* Lists one item of the tree for `sheaf info`: its path, type, shape, storage, what it is as a dataset,
 * and its attributes. People see in the line why an array cannot be read, and JSON has that last. Reasons
 * may name options, each in the user's own spelling. */
static void list_item(const sheaf_listing *to, const sheaf_box_item *item, const sheaf_hdf_found *found)
{
	char why[600], advice[32] = "";
	const char *refused = item->refused ? why : NULL;
	snprintf(why, sizeof why, "%s", item->refused ? item->refused : "");
	sheaf_spell(why, sizeof why, advice);
	bool is_kind = found->kind != HDF_NOTHING && !found->is_part;
	sheaf_listing_open(to, "", "  /", '{');
	sheaf_listing_text(to, "path", "%", to->json && !*item->path ? "/" : item->path);
	sheaf_listing_text(to, "type", "  %", item->of);
	if (refused)
		sheaf_listing_text(to, NULL, strcmp(item->refused, item->of) ? "  not read: %" : "  not read",
		                   refused);
	else if (!item->is_group) {
		sheaf_listing_shape(to, "shape", item->rank ? "  %" : "  scalar", item->dims, item->rank);
		sheaf_listing_text(to, "storage", "  %", sheaf_box_storage_name(item));
		sheaf_listing_shape(to, "chunks", item->chunks ? " %" : NULL, item->chunks,
		                    item->chunks ? item->rank : 0);
		sheaf_listing_text(to, "filters", item->filters ? "  %" : NULL, item->filters ? item->filters : "");
		sheaf_listing_count(to, "bytes", item->bytes >= 0 ? "  % bytes" : NULL, item->bytes);
	}
	if (item->dimensions)
		sheaf_listing_text(to, NULL, item->is_group ? "  dimensions: %" : "  of %", item->dimensions);
	if (item->is_group && found->maker && is_kind) sheaf_listing_text(to, NULL, "  %,", found->maker);
	if (is_kind)
		sheaf_listing_text(to, "dataset",
		                   !item->is_group ? NULL
		                   : found->maker  ? " %"
		                                   : "  %",
		                   word_of(found));
	if (found->maker) sheaf_listing_text(to, "maker", NULL, found->maker);
	if (item->dimensions) sheaf_listing_text(to, "dimensions", NULL, item->dimensions);
	if (!to->json) sheaf_builder_byte(to->b, '\n');
	if (item->nattributes) sheaf_listing_open(to, "attributes", "", '{');
	for (int i = 0; i < item->nattributes; i++) list_attribute(to, &item->attributes[i]);
	if (item->nattributes) sheaf_listing_close(to, "", '}');
	if (refused) sheaf_listing_text(to, "refused", NULL, refused);
	sheaf_listing_close(to, "", '}');
}

/* Lists all items of a file for `sheaf info`. Without a reader (NULL), which an unreadable dataset does
 * not have, the box is opened from the source. */
sheaf_status sheaf_hdf_describe(const void *reader, sheaf_source *source, const sheaf_listing *to,
                                sheaf_error *err)
{
	const sheaf_hdf_reader *in = (const sheaf_hdf_reader *)reader;
	sheaf_box *box = in ? in->box : NULL;
	int64_t count;
	sheaf_status status = SHEAF_OK;
	if (!in) SHEAF_TRY(sheaf_box_open_known(source, source->cx, &box, err));
	const sheaf_box_item *items = sheaf_box_items(box, &count);
	sheaf_listing_open(to, "tree", "tree:\n", '[');
	for (int64_t i = 0; i < count && !status; i++) {
		sheaf_hdf_found found;
		status = sheaf_hdf_find(box, &items[i], &found, err);
		if (!status) list_item(to, &items[i], &found);
	}
	if (!status) sheaf_listing_close(to, "", ']');
	if (!in) sheaf_box_close(box);
	return status;
}
