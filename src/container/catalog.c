/* SPDX-License-Identifier: MIT */
/* The list of a box's contents: items with their paths, sorted so that a group is followed by all that is
 * in it. All strings and details are in an arena, so pointers to them outlive the moves of items.
 *
 * Items that are added to a sorted list are put at its end and found by a table of names (`placed`)
 * until the next sorting, which happens when somebody asks for the items in order. */
#include "base/arena.h"
#include "base/memory.h"
#include "container/inside.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory that lives as long as the list ---- */

sheaf_status sheaf_catalog_allocate(sheaf_catalog *catalog, size_t size, void *out, sheaf_error *err)
{
	void *memory = NULL;
	sheaf_status status = sheaf_arena_allocate(&catalog->arena, catalog->cx, size, &memory, err);
	memcpy(out, &memory, sizeof memory);
	return status;
}

sheaf_status sheaf_catalog_copy_bytes(sheaf_catalog *catalog, const void *bytes, size_t size, void *out,
                                      sheaf_error *err)
{
	char *copy;
	SHEAF_TRY(sheaf_catalog_allocate(catalog, size + 1, &copy, err));
	if (size) memcpy(copy, bytes, size);
	memcpy(out, &copy, sizeof copy);
	return SHEAF_OK;
}

/* Makes a text by a format of printf; it lives as long as the catalog. The format is applied twice: to
 * measure, and to write. */
sheaf_status sheaf_catalog_text(sheaf_catalog *catalog, const char **out, sheaf_error *err,
                                const char *format, ...)
{
	va_list arguments, arguments_to_write;
	char *text;
	va_start(arguments, format);
	va_copy(arguments_to_write, arguments);
	int n = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	sheaf_status status = sheaf_catalog_allocate(catalog, (size_t)(n < 0 ? 0 : n) + 1, &text, err);
	if (!status && n >= 0) vsnprintf(text, (size_t)n + 1, format, arguments_to_write);
	va_end(arguments_to_write);
	*out = text;
	return status;
}

/* ---- items ---- */

/* Appends an item whose path lives as long as the catalog; its name is the end of the path, from byte
 * name_at on. The item has no parent yet, no bytes and an unknown type. The list may move, so that
 * pointers to items do not outlive this. */
static sheaf_status add(sheaf_catalog *catalog, const char *path, size_t name_at, bool is_group,
                        sheaf_box_item **out, sheaf_error *err)
{
	sheaf_box_detail *inside;
	*out = NULL;
	SHEAF_TRY(sheaf_catalog_allocate(catalog, sizeof *inside, &inside, err));
	/* The room doubles, so that adding items takes linear time in all. */
	if (catalog->count >= catalog->room) {
		int64_t room = catalog->room ? catalog->room * 2 : 16;
		void *items = catalog->items;
		SHEAF_TRY(sheaf_reallocate(catalog->cx, &items, (size_t)catalog->room * sizeof(sheaf_box_item),
		                           (size_t)room * sizeof(sheaf_box_item), err));
		catalog->items = (sheaf_box_item *)items;
		catalog->room = room;
	}
	*inside = (sheaf_box_detail){.target = path, .offset = -1, .per = 1, .texts = {.cx = catalog->cx}};
	sheaf_box_item *item = &catalog->items[catalog->count++];
	*item = (sheaf_box_item){.path = path,
	                         .name = path + name_at,
	                         .parent = -1,
	                         .is_group = is_group,
	                         .what = SHEAF_BOX_OTHER,
	                         .bytes = -1,
	                         .of = is_group ? "group" : "unknown",
	                         .inside = inside};
	*out = item;
	return SHEAF_OK;
}

sheaf_status sheaf_catalog_add(sheaf_catalog *catalog, const char *folder, const char *name, bool is_group,
                               sheaf_box_item **out, sheaf_error *err)
{
	size_t above = strlen(folder), before = above + (above > 0), room = before + strlen(name) + 1;
	char *path;
	SHEAF_TRY(sheaf_catalog_allocate(catalog, room, &path, err));
	snprintf(path, room, "%s%s%s", folder, above ? "/" : "", name);
	return add(catalog, path, before, is_group, out, err);
}

sheaf_status sheaf_catalog_add_path(sheaf_catalog *catalog, const char *path, bool is_group,
                                    sheaf_box_item **out, sheaf_error *err)
{
	const char *slash = strrchr(path, '/');
	return add(catalog, path, slash ? (size_t)(slash - path) + 1 : 0, is_group, out, err);
}

/* A value of one byte has no order. */
sheaf_status sheaf_catalog_name_numbers(sheaf_catalog *catalog, sheaf_box_item *item, bool is_big,
                                        const char *prefix, sheaf_error *err)
{
	bool is_big_here = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	item->inside->is_swapped = is_big != is_big_here && sheaf_type_size(item->type) > 1;
	const char *order = is_big && sheaf_type_size(item->type) > 1 ? "big-endian " : "";
	return sheaf_catalog_text(catalog, &item->of, err, "%s%s%s%s", order, prefix,
	                          item->what == SHEAF_BOX_COMPLEX ? "complex " : "",
	                          item->what == SHEAF_BOX_BOOLS ? "bool" : sheaf_type_name(item->type));
}

sheaf_status sheaf_catalog_open(sheaf_catalog *catalog, sheaf_context *cx, sheaf_error *err)
{
	sheaf_box_item *root;
	*catalog = (sheaf_catalog){.cx = cx};
	sheaf_status status = add(catalog, "", 0, true, &root, err);
	catalog->sorted = catalog->count;
	if (status) sheaf_catalog_close(catalog);
	return status;
}

/* What of an item's details is not in the arena. */
static void let_go(sheaf_box_detail *inside)
{
	sheaf_buffer_reset(&inside->held);
	sheaf_buffer_reset(&inside->kept);
	sheaf_builder_drop(&inside->texts);
}

void sheaf_catalog_close(sheaf_catalog *catalog)
{
	if (!catalog->cx) return; /* it was not opened */
	for (int64_t i = 0; i < catalog->count; i++) let_go(catalog->items[i].inside);
	sheaf_release(catalog->cx, catalog->items, (size_t)catalog->room * sizeof(sheaf_box_item));
	sheaf_arena_free(&catalog->arena, catalog->cx);
	sheaf_names_free(&catalog->placed);
	*catalog = (sheaf_catalog){0};
}

/* ---- order ---- */

/* Items by their paths, as if the slash came before every other byte, so that the contents of a group follow
 * it. */
static int compare_items(const void *left, const void *right)
{
	const char *a = ((const sheaf_box_item *)left)->path, *b = ((const sheaf_box_item *)right)->path;
	while (*a && *a == *b) a++, b++;
	int x = *a == '/' ? 1 : *a ? (uint8_t)*a + 1 : 0;
	int y = *b == '/' ? 1 : *b ? (uint8_t)*b + 1 : 0;
	return x - y;
}

/* Finds the group of item i, whose predecessors know theirs: it is the item before, or a group in which
 * that one is. */
static void find_parent(sheaf_catalog *catalog, int64_t i)
{
	sheaf_box_item *items = catalog->items;
	size_t n = (size_t)(items[i].name - items[i].path);
	if (n > 0) n--; /* the path of its group, without the slash */
	int64_t group = i - 1;
	while (group > 0 && !(items[group].is_group && strlen(items[group].path) == n &&
	                      memcmp(items[group].path, items[i].path, n) == 0))
		group = items[group].parent;
	items[i].parent = group;
	if (items[group].is_group) items[group].count++;
}

void sheaf_catalog_sort(sheaf_catalog *catalog)
{
	if (catalog->sorted == catalog->count) return; /* nothing was added */
	sheaf_names_free(&catalog->placed);
	catalog->sorted = catalog->count;
	qsort(catalog->items, (size_t)catalog->count, sizeof *catalog->items, compare_items);
	for (int64_t i = 0; i < catalog->count; i++)
		if (catalog->items[i].is_group) catalog->items[i].count = 0;
	catalog->items[0].parent = -1;
	for (int64_t i = 1; i < catalog->count; i++) find_parent(catalog, i);
}

/* Makes the last item findable by its path. One that belongs at the end keeps the list in its order;
 * otherwise the table of placed items gets it. If that fails, the item is gone. */
sheaf_status sheaf_catalog_place(sheaf_catalog *catalog, sheaf_error *err)
{
	int64_t last = catalog->count - 1;
	if (catalog->sorted == last && compare_items(&catalog->items[last - 1], &catalog->items[last]) < 0) {
		find_parent(catalog, last);
		catalog->sorted = catalog->count;
		return SHEAF_OK;
	}
	const char *path = catalog->items[last].path;
	sheaf_status status = sheaf_names_add(&catalog->placed, catalog->cx, path, strlen(path), err);
	if (status) let_go(catalog->items[--catalog->count].inside);
	return status;
}

/* A search by halves among the sorted items, after a look into the table. */
sheaf_box_item *sheaf_catalog_find(const sheaf_catalog *catalog, const char *path)
{
	sheaf_box_item key = {.path = path};
	int placed = sheaf_names_find(&catalog->placed, path, strlen(path), -1);
	if (placed >= 0) return &catalog->items[catalog->sorted + placed];
	return (sheaf_box_item *)bsearch(&key, catalog->items, (size_t)catalog->sorted, sizeof *catalog->items,
	                                 compare_items);
}

/* The items after it move, and so do the indexes of groups. */
void sheaf_catalog_remove(sheaf_catalog *catalog, const char *path)
{
	sheaf_catalog_sort(catalog);
	sheaf_box_item *item = sheaf_catalog_find(catalog, path);
	int64_t at = item - catalog->items;
	let_go(item->inside);
	memmove(item, item + 1, (size_t)(catalog->count - at - 1) * sizeof *item);
	catalog->sorted = --catalog->count;
	for (int64_t i = at; i < catalog->count; i++) catalog->items[i].parent -= catalog->items[i].parent > at;
}

/* ---- other names ---- */

/* Everything but the name: the second name shares what the driver knows. */
void sheaf_catalog_copy(sheaf_box_item *item, const sheaf_box_item *array)
{
	sheaf_box_item own = *item;
	*item = *array;
	item->path = own.path;
	item->name = own.name;
	item->parent = own.parent;
	item->link = own.link;
	item->target = own.target;
	*own.inside = *array->inside;
	item->inside = own.inside;
}

/* Resolves a soft link at `path`: its item becomes a copy of the array that it leads to. The target's
 * path is written over itself, without empty parts and ".", since it only becomes shorter. ".." is not
 * resolved, as in HDF5, which does not know it either. A link to nothing keeps the reason that it has. A
 * link to a group stays a name, because otherwise the same array would have many paths. */
sheaf_status sheaf_catalog_resolve(sheaf_catalog *catalog, const char *path, const char *link,
                                   sheaf_error *err)
{
	const char *slash = link[0] == '/' ? NULL : strrchr(path, '/'), *text;
	SHEAF_TRY(
		sheaf_catalog_text(catalog, &text, err, "%.*s/%s", slash ? (int)(slash - path) : 0, path, link));
	char *begin = (char *)(uintptr_t)text, *to = begin;
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, "/");
		bool is_last = !at[n];
		if (n > 0 && !(n == 1 && *at == '.')) {
			if (to != begin) *to++ = '/';
			memmove(to, at, n);
			to += n;
		}
		at += is_last ? n : n + 1;
	}
	*to = '\0';
	sheaf_box_item *item = sheaf_catalog_find(catalog, path);
	const sheaf_box_item *target = sheaf_catalog_find(catalog, begin);
	if (!target || !item) return SHEAF_OK;
	if (target->is_group || !target->inside->target) {
		item->of = "link";
		return sheaf_catalog_text(catalog, &item->refused, err, "a link to /%.200s", begin);
	}
	sheaf_catalog_copy(item, target);
	return SHEAF_OK;
}
