/* SPDX-License-Identifier: MIT */
/* The printer of trees. JSON has every item; in lines, groups of very many items are cut, with a count, and
 * so are lists of very many attributes. */
#include "container/listing.h"
#include "base/context.h"
#include "base/extend.h"
#include "base/spell.h"
#include "container/inside.h"
#include "container/stored.h"
#include "io/source.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 100 /* lines of a group, and of the attributes of an item */ };

/* ---- parts of an item ---- */

/* Spells the options in a reason, and gives it to the listing. */
static void put_spelled(const sheaf_listing *to, const char *name, const char *words, const char *reason)
{
	char text[700], advice[32] = "";
	snprintf(text, sizeof text, "%s", reason);
	sheaf_spell(text, sizeof text, advice);
	sheaf_listing_text(to, name, words, text);
}

static void put_limits(const sheaf_listing *to, const sheaf_box_item *item)
{
	if (!item->limits) return;
	sheaf_listing_open(to, "limits", " of up to ", '[');
	for (int d = 0; d < item->rank; d++) {
		if (item->limits[d] >= 0)
			sheaf_listing_count(to, "", d ? " x %" : "%", item->limits[d]);
		else if (to->json)
			sheaf_member_text(to->b, NULL, NULL);
		else
			sheaf_builder_text(to->b, d ? " x any" : "any");
	}
	sheaf_listing_close(to, "", ']');
}

/* The type, with the members of a compound, or the names of an enumeration. */
static void put_type(const sheaf_listing *to, const sheaf_box_item *item)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder type = {.cx = to->b->cx};
	int n = item->nmembers ? item->nmembers : item->nnames;
	sheaf_builder_printf(&type, "%s%s", item->of, n ? " {" : "");
	for (int i = 0; i < n && i < MOST; i++)
		if (item->nmembers)
			sheaf_builder_printf(&type, "%s%s: %s", i ? ", " : "", item->members[i].name,
			                     item->members[i].of);
		else
			sheaf_builder_printf(&type, "%s%s: %" PRId64, i ? ", " : "", item->names[i].text,
			                     item->names[i].code);
	if (n > MOST) sheaf_builder_printf(&type, ", ... %d more", n - MOST);
	sheaf_builder_append(&type, "}", n > 0);
	sheaf_builder_byte(&type, '\0');
	if (!type.failed) sheaf_listing_text(to, "type", "  %", (const char *)type.data);
}

/* The extents of an array, and how it is stored. */
static void put_storage(const sheaf_listing *to, const sheaf_box_item *item)
{
	if (item->is_group || !item->dims) return;
	if (item->is_null)
		sheaf_listing_flag(to, "null", to->json ? NULL : "  null", true);
	else
		sheaf_listing_shape(to, "shape", item->rank ? "  %" : "  scalar", item->dims, item->rank);
	put_limits(to, item);
	if (item->bytes < 0 && !item->chunks && item->refused) return; /* where it is, is not known */
	sheaf_listing_text(to, "storage", "  %", sheaf_box_storage_name(item));
	sheaf_listing_shape(to, "chunks", item->chunks ? " %" : NULL, item->chunks,
	                    item->chunks ? item->rank : 0);
	sheaf_listing_text(to, "filters", item->filters ? "  %" : NULL, item->filters ? item->filters : "");
	if (item->bytes >= 0) sheaf_listing_count(to, "bytes", "  % bytes", item->bytes);
}

/* Why an item is not read. A line does not repeat what it says before: its type, or where a link leads. */
static void put_reason(const sheaf_listing *to, const sheaf_box_item *item)
{
	const char *why = item->refused;
	bool is_said = why && strcmp(why, item->of) == 0;
	bool is_target = why && item->target && strncmp(why, "a link to /", 11) == 0;
	if (why && !is_target) put_spelled(to, NULL, is_said ? "  not read" : "  not read: %", why);
}

static void put_attributes(const sheaf_listing *to, const sheaf_box_item *item)
{
	int64_t n = item->nattributes;
	if (n == 0) return;
	sheaf_listing_open(to, "attributes", "", '{');
	for (int64_t i = 0; i < n && (to->json || i < MOST); i++) {
		const sheaf_box_attribute *it = &item->attributes[i];
		if (to->json)
			sheaf_member(to->b, it->name);
		else
			sheaf_listing_text(to, NULL, "      %: ", it->name);
		sheaf_builder_text(to->b, it->value);
		if (!to->json) sheaf_builder_byte(to->b, '\n');
	}
	if (!to->json && n > MOST) sheaf_listing_count(to, NULL, "      ... % more attributes\n", n - MOST);
	sheaf_listing_close(to, "", '}');
}

/* What the item is for somebody who asks for it by its path. */
static void put_dataset(const sheaf_listing *to, const sheaf_box_item *item)
{
	bool is_plain = !item->is_group && !item->maker; /* its type says it */
	if (item->dataset && item->maker) sheaf_listing_text(to, NULL, "  %,", item->maker);
	if (item->dataset)
		sheaf_listing_text(to, "dataset", is_plain ? NULL : item->maker ? " %" : "  %", item->dataset);
	if (item->maker) sheaf_listing_text(to, "maker", NULL, item->maker);
}

/* Lists an item. People see in its line why an array cannot be read, and JSON has that last. */
static void put_item(const sheaf_tree_listing *tree, const sheaf_box_item *item, bool is_deepest)
{
	const sheaf_listing *to = &tree->to;
	bool is_bare_link = item->link && strcmp(item->of, "link") == 0;
	sheaf_listing_open(to, "", item->dataset ? "* /" : "  /", '{');
	sheaf_listing_text(to, "path", "%", to->json && !*item->path ? "/" : item->path);
	if (item->link) {
		sheaf_listing_text(to, "target", item->target ? "  -> %" : NULL, item->target);
		sheaf_listing_text(to, "link", item->target ? " (%)" : "  %", item->link);
	}
	if (!is_bare_link) put_type(to, item);
	if (item->is_group && !item->refused)
		sheaf_listing_count(to, "items", is_deepest && item->count ? "  % items, not shown" : NULL,
		                    item->count);
	put_storage(to, item);
	if (item->dimensions)
		sheaf_listing_text(to, "dimensions", item->is_group ? "  dimensions: %" : "  of %", item->dimensions);
	put_dataset(to, item);
	if (!to->json) put_reason(to, item);
	if (!to->json) sheaf_builder_byte(to->b, '\n');
	put_attributes(to, item);
	if (item->refused) put_spelled(to, "refused", NULL, item->refused);
	sheaf_listing_close(to, "", '}');
}

/* ---- boxes ---- */

sheaf_status sheaf_box_list(sheaf_box *box, sheaf_source *source, sheaf_box_marker mark,
                            const sheaf_item_teller *teller, sheaf_error *err)
{
	int64_t count;
	bool is_ours = !box;
	sheaf_status status = SHEAF_OK;
	if (is_ours) SHEAF_TRY(sheaf_box_open_known(source, source->cx, &box, err));
	const sheaf_box_item *items = sheaf_box_items(box, &count);
	for (int64_t i = 0; i < count && !status; i++) {
		sheaf_box_item item = items[i];
		status = sheaf_check_stop(source->cx, err);
		if (!status) status = mark(box, &item, err);
		if (!status) status = teller->show(teller->user, box, &item, err);
	}
	if (is_ours) sheaf_box_leave(box);
	return status;
}

/* ---- the tree ---- */

/* Ends the levels below `level`: says how many items of each were hidden. */
static void close_levels(sheaf_tree_listing *tree, int level)
{
	for (; tree->level > level; tree->level--) {
		sheaf_tree_level *it = &tree->levels[tree->level];
		const char *slash = it->path ? strrchr(it->path, '/') : NULL;
		if (it->hidden) {
			char group[400];
			snprintf(group, sizeof group, "%.*s", slash ? (int)(slash - it->path) : 0, it->path);
			sheaf_listing_count(&tree->to, NULL, "  ... % more in /", it->hidden);
			sheaf_listing_text(&tree->to, NULL, "%\n", group);
		}
		*it = (sheaf_tree_level){0};
	}
}

void sheaf_tree_begin(sheaf_tree_listing *tree)
{
	const char *head = "tree (* can be given to " SHEAF_OPTION("dataset") "):";
	tree->cut = INT_MAX;
	if (tree->to.json)
		sheaf_listing_open(&tree->to, "tree", "", '[');
	else
		put_spelled(&tree->to, NULL, "%\n", head);
}

sheaf_status sheaf_tree_show(void *user, sheaf_box *box, const sheaf_box_item *item, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_catalog_close) sheaf_catalog catalog = {0};
	sheaf_tree_listing *tree = (sheaf_tree_listing *)user;
	sheaf_box_item whole = *item;
	int level = *item->path != '\0';
	for (const char *at = item->path; *at && level < SHEAF_TREE_LEVELS - 1; at++) level += *at == '/';
	close_levels(tree, level);
	if (level > tree->cut || (tree->depth > 0 && level > tree->depth)) return SHEAF_OK;
	tree->cut = INT_MAX;
	tree->level = level;
	sheaf_tree_level *here = &tree->levels[level];
	if (!tree->to.json && here->shown == MOST) {
		here->hidden++;
		tree->cut = level;
		return SHEAF_OK;
	}
	here->shown++;
	here->path = item->path;
	if (box) SHEAF_TRY(sheaf_box_complete(box, &whole, &catalog, err));
	put_item(tree, &whole, tree->depth > 0 && level == tree->depth);
	return sheaf_builder_status(tree->to.b, err);
}

void sheaf_tree_end(sheaf_tree_listing *tree)
{
	close_levels(tree, -1);
	sheaf_listing_close(&tree->to, "", ']');
}
