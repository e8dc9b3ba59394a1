/* SPDX-License-Identifier: MIT */
/* Some columns of all, in the order in which they are named. The frames share the buffers of those below;
 * nothing is copied. Streams and columns are named by options of their own, since a stream and a column
 * beside it may be wanted independently. */
#include "base/memory.h"
#include "base/status.h"
#include "frame/frame.h"
#include "io/source.h"
#include "view/view.h"
#include <stdio.h>
#include <string.h>

typedef struct narrowed {
	sheaf_row_view view;
	int *columns; /* below, in the order of the schema */
	int ncolumns, room;
} narrowed;

/* ---- rows ---- */

/* Decodes a piece into the chosen columns of the rows below, which are not copied. */
static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const narrowed *n = (const narrowed *)in;
	return sheaf_view_slice_below(&n->view, piece, &(sheaf_column_numbers){n->columns, n->ncolumns}, frame,
	                              cx, err);
}

/* ---- names ---- */

/* Fails because no stream or column has this name; the message lists those that there are, and names the
 * nearest one. */
static sheaf_status refuse(const narrowed *n, const char *option, const char *name, size_t size,
                           sheaf_error *err)
{
	char names[300] = "";
	size_t used = 0;
	const sheaf_schema *below = &n->view.in->schema;
	bool wants_streams = strcmp(option, "streams") == 0;
	for (int f = 0; f < below->nfields && used < sizeof names; f++) {
		if (!sheaf_schema_lists(below, f, wants_streams)) continue;
		int written =
			snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", below->fields[f].name);
		used += written > 0 ? (size_t)written : 0;
	}
	char wanted[64];
	snprintf(wanted, sizeof wanted, "%.*s", (int)size, name);
	sheaf_status status =
		sheaf_fail_option(err, SHEAF_USAGE, option, ": expected %s of %s (%s), found \"%.*s\"",
	                      wants_streams ? "streams" : "columns", sheaf_source_name(n->view.source),
	                      used ? names : "it has none", (int)size, name);
	sheaf_error_append_near(err, sheaf_schema_nearest(below, wants_streams, wanted));
	return status;
}

/* Adds the streams or the columns of a list "a,b" in its order; all of them if there is no list (NULL).
 * Each name must exist and come once. */
static sheaf_status add(narrowed *n, const char *option, const char *text, sheaf_error *err)
{
	const sheaf_schema *below = &n->view.in->schema;
	bool wants_streams = strcmp(option, "streams") == 0;
	for (int f = 0; !text && f < below->nfields; f++)
		if (sheaf_schema_lists(below, f, wants_streams)) n->columns[n->ncolumns++] = f;
	if (!text) return SHEAF_OK;
	for (const char *name = text;; name++) {
		size_t size = strcspn(name, ",");
		int f = 0;
		while (f < below->nfields &&
		       (strlen(below->fields[f].name) != size || memcmp(below->fields[f].name, name, size) != 0 ||
		        !sheaf_schema_lists(below, f, wants_streams)))
			f++;
		if (f == below->nfields) return refuse(n, option, name, size, err);
		int earlier = 0;
		while (earlier < n->ncolumns && n->columns[earlier] != f) earlier++;
		if (earlier < n->ncolumns)
			return sheaf_fail_option(err, SHEAF_USAGE, option,
			                         ": expected each name once, found \"%.*s\" twice", (int)size, name);
		n->columns[n->ncolumns++] = f;
		name += size;
		if (*name == '\0') return SHEAF_OK;
	}
}

/* ---- opening ---- */

static void release(sheaf_row_view *view)
{
	narrowed *n = (narrowed *)view;
	if (n->columns) sheaf_release(view->cx, n->columns, (size_t)n->room * sizeof *n->columns);
}

/* Puts the view on the input that keeps the named streams and columns (NULL: all). The longest sequence may
 * be one that was judged by a stream that is left out, so its length is no longer known, and neither is the
 * number of samples. */
sheaf_status sheaf_view_columns(sheaf_input *input, const char *streams, const char *columns,
                                sheaf_error *err)
{
	sheaf_row_view *view;
	const sheaf_schema *below = &input->in->schema;
	int key = sheaf_schema_key(below);
	SHEAF_TRY(sheaf_view_new(input, sizeof(narrowed), &view, err));
	narrowed *n = (narrowed *)view;
	view->release = release;
	view->keeps_rows = true;
	n->room = below->nfields;
	SHEAF_TRY(sheaf_allocate_array(view->cx, (size_t)n->room, sizeof *n->columns, &n->columns, err));
	/* The key keeps its place; streams come before other columns of rows. */
	if (key >= 0) n->columns[n->ncolumns++] = key;
	SHEAF_TRY(add(n, "streams", streams, err));
	SHEAF_TRY(add(n, "columns", columns, err));
	sheaf_schema without = *below;
	without.nfields = 0;
	SHEAF_TRY(sheaf_schema_copy(&without, view->cx, &view->schema, err));
	for (int i = 0; i < n->ncolumns; i++)
		SHEAF_TRY(sheaf_schema_add_copy(&view->schema, view->cx, &below->fields[n->columns[i]], err));
	view->facts = view->in->facts;
	view->facts.samples = -1;
	if (view->facts.longest > 1) view->facts.longest = -1;
	view->format.decode = decode;
	sheaf_view_pass_random(view);
	return SHEAF_OK;
}
