/* SPDX-License-Identifier: MIT */
/* All tensors of a box: the groups that have a descriptor, an attribute "binsparse". A file without one in
 * its root may have several, one of which is read: by its path, or if it is the only one. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/status.h"
#include "container/listing.h"
#include "format/binsparse/reader.h"
#include "io/descriptor.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

sheaf_status sheaf_bsp_has(sheaf_box *box, const sheaf_box_item *item, const char *name, bool *has,
                           sheaf_error *err)
{
	*has = false;
	return item && item->is_group && !item->refused ? sheaf_box_has_text(box, item->path, name, has, err)
	                                                : SHEAF_OK;
}

/* Calls for each group with a descriptor, in the order of the box. */
static sheaf_status for_each(sheaf_box *box, sheaf_context *cx, sheaf_member_teller show, void *user,
                             sheaf_error *err)
{
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(box, &count);
	for (int64_t i = 0; i < count; i++) {
		bool has;
		SHEAF_TRY(sheaf_check_stop(cx, err));
		SHEAF_TRY(sheaf_bsp_has(box, &items[i], BSP_ATTRIBUTE, &has, err));
		if (!has) continue;
		SHEAF_TRY(show(user, *items[i].path ? items[i].path : "/", err));
	}
	return SHEAF_OK;
}

static sheaf_status mark(sheaf_box *box, sheaf_box_item *item, sheaf_error *err)
{
	bool has;
	SHEAF_TRY(sheaf_bsp_has(box, item, BSP_ATTRIBUTE, &has, err));
	if (has) item->dataset = "tensor";
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_list(const void *reader, sheaf_source *source, const sheaf_item_teller *teller,
                            sheaf_error *err)
{
	const sheaf_bsp_reader *in = (const sheaf_bsp_reader *)reader;
	return sheaf_box_list(in ? in->box : NULL, source, mark, teller, err);
}

/* Found: no need to search further. */
static sheaf_status stop(void *user, const char *path, sheaf_error *err)
{
	(void)path, (void)err;
	*(bool *)user = true;
	return SHEAF_END;
}

/* A damaged archive is NumPy's; any other input that cannot be read is ours: opening says what is wrong with
 * it. Of sound archives, those are ours in which an array has the descriptor's name. Whoever reads a box
 * opens it next, so ours stays open. */
sheaf_likely sheaf_bsp_judge(sheaf_glimpse *at)
{
	bool may = true, does = false;
	sheaf_context *cx = at->source->cx;
	sheaf_box *box = NULL;
	sheaf_status status = SHEAF_OK;
	if (sheaf_box_is_archive(at->head))
		status = sheaf_box_archive_has(at->source, BSP_ATTRIBUTE, cx, &may, &at->failure);
	if (sheaf_is_flaw(status)) {
		at->failure = (sheaf_error){0};
		return SHEAF_NO;
	}
	if (!may) return SHEAF_NO;
	if (status == SHEAF_OK) status = sheaf_box_open_known(at->source, cx, &box, &at->failure);
	if (status == SHEAF_OK) status = for_each(box, cx, stop, &does, &at->failure);
	if (does)
		sheaf_box_leave(box);
	else
		sheaf_box_close(box);
	if (status == SHEAF_DATA || status == SHEAF_SHORT || status == SHEAF_UNSUPPORTED) does = true;
	if (status == SHEAF_OK || does) at->failure = (sheaf_error){0};
	return does ? SHEAF_CERTAIN : SHEAF_NO;
}

/* ---- choosing one ---- */

typedef struct listing {
	int count;
	const char *first;
	sheaf_builder text;
} listing;

/* Counts tensors, and keeps the names of the first few for a message. */
static sheaf_status list(void *user, const char *path, sheaf_error *err)
{
	enum { MOST = 10 };
	listing *l = (listing *)user;
	if (l->count == 0) l->first = path;
	if (l->count < MOST) sheaf_builder_printf(&l->text, "%s%s", l->count ? ", " : "", path);
	if (l->count++ == MOST) sheaf_builder_text(&l->text, ", ...");
	return sheaf_builder_status(&l->text, err);
}

/* The only tensor of a box whose root is none. */
static sheaf_status choose_only(sheaf_box *box, const char *file, sheaf_context *cx, char **path,
                                sheaf_error *err)
{
	listing l = {0};
	sheaf_builder_begin(&l.text, cx, NULL);
	sheaf_status status = for_each(box, cx, list, &l, err);
	sheaf_builder_byte(&l.text, '\0');
	if (status == SHEAF_OK) status = sheaf_builder_status(&l.text, err);
	if (status == SHEAF_OK && l.count == 0)
		status = sheaf_fail(
			err, SHEAF_DATA,
			"%s: expected a group with a descriptor (the attribute \"binsparse\"), found none", file);
	if (status == SHEAF_OK && l.count > 1)
		status = sheaf_fail(err, SHEAF_USAGE,
		                    "%s: expected one tensor, or " SHEAF_OPTION(
								"dataset") " with the path of one of them, found %d: %.600s",
		                    file, l.count, (char *)l.text.data);
	sheaf_builder_drop(&l.text);
	return status ? status : sheaf_copy_text(cx, l.first, strlen(l.first), path, err);
}

/* Slashes around a path mean nothing; an empty one is the root. */
sheaf_status sheaf_bsp_choose(sheaf_box *box, const char *file, const char *member, sheaf_context *cx,
                              char **path, sheaf_error *err)
{
	bool has = true;
	*path = NULL;
	if (!member) SHEAF_TRY(sheaf_bsp_has(box, sheaf_box_find(box, ""), BSP_ATTRIBUTE, &has, err));
	if (!has) return choose_only(box, file, cx, path, err);
	if (!member) return sheaf_copy_text(cx, "", 0, path, err);
	while (*member == '/') member++;
	size_t n = strlen(member);
	while (n && member[n - 1] == '/') n--;
	SHEAF_TRY(sheaf_copy_text(cx, member, n, path, err));
	const sheaf_box_item *item = sheaf_box_find(box, *path);
	sheaf_status status = sheaf_bsp_has(box, item, BSP_ATTRIBUTE, &has, err);
	if (!status && has) return SHEAF_OK;
	const char *found =
		!item            ? "nothing there"
		: item->is_group ? "a group without a descriptor"
		: item->what == SHEAF_BOX_TEXTS
			? "a text, which is not a tensor by itself (sheaf info lists the tensors)"
			: "an array, which is not a tensor by itself (sheaf info lists the tensors; " SHEAF_OPTION(
				  "dataset") " takes the group of one)";
	if (!status)
		status = sheaf_fail(err, SHEAF_UNKNOWN, "%s: expected a tensor at \"%.200s\", found %s", file,
		                    **path ? *path : "/", found);
	sheaf_release_text(cx, *path);
	*path = NULL;
	return status;
}
