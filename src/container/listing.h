/* SPDX-License-Identifier: MIT */
/* What is in a container, as lines or as JSON: its groups, arrays and fields with everything that is known of
 * them. Containers show their items one after the other, depth first, and this prints them. */
#ifndef SHEAF_CONTAINER_LISTING_H
#define SHEAF_CONTAINER_LISTING_H

#include "container/box.h"
#include "format/format.h"

enum { SHEAF_TREE_LEVELS = 64 };

/* How far the items of a level have been listed. */
typedef struct sheaf_tree_level {
	int64_t shown, hidden;
	const char *path; /* of the last one that was shown */
} sheaf_tree_level;

typedef struct sheaf_tree_listing {
	sheaf_listing to;
	int64_t depth; /* levels below the root that are shown; 0: all */
	int level;     /* of the last item; */
	int cut;       /* items below this level are hidden, since theirs was */
	sheaf_tree_level levels[SHEAF_TREE_LEVELS];
} sheaf_tree_listing;

/* Marks an item that is a dataset. */
typedef sheaf_status (*sheaf_box_marker)(sheaf_box *box, sheaf_box_item *item, sheaf_error *err);
/* Shows all items of a box, marked; `box` NULL: of the one in the source. */
SHEAF_USE sheaf_status sheaf_box_list(sheaf_box *box, sheaf_source *source, sheaf_box_marker mark,
                                      const sheaf_item_teller *teller, sheaf_error *err);

void sheaf_tree_begin(sheaf_tree_listing *tree);
/* Lists one item, for a sheaf_item_teller whose user is a sheaf_tree_listing. What is read only for listings
 * comes from the box; NULL: the item has everything. */
SHEAF_USE sheaf_status sheaf_tree_show(void *tree, sheaf_box *box, const sheaf_box_item *item,
                                       sheaf_error *err);
void sheaf_tree_end(sheaf_tree_listing *tree);

#endif
