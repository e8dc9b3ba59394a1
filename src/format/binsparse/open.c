/* SPDX-License-Identifier: MIT */
/* Opening: the box, its tensor, and its rows. User keys, which stand beside the descriptor, become attributes
 * of the dataset, and come back when they are written again: the name of an attribute's loss says where it
 * was. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "format/binsparse/binsparse.h"
#include "format/binsparse/reader.h"
#include "frame/frame.h"
#include "io/source.h"
#include <stdio.h>
#include <string.h>

/* ---- user keys ---- */

/* A value that is no text, as its JSON. */
static sheaf_status add_json(sheaf_bsp_reader *in, const char *name, const sheaf_json *value,
                             const char *loss, sheaf_error *err)
{
	sheaf_buffer text = {0};
	sheaf_status status = sheaf_bsp_json_text(value, 0, in->cx, &text, err);
	sheaf_builder b;
	if (status) return status;
	sheaf_builder_resume(&b, in->cx, &text);
	sheaf_builder_byte(&b, '\0');
	status = sheaf_builder_finish(&b, &text, err);
	if (status == SHEAF_OK)
		status = sheaf_schema_put_attribute(&in->schema, in->cx, name, (const char *)text.data, loss, err);
	sheaf_buffer_reset(&text);
	return status;
}

/* Texts are attributes as they are, other values become their JSON: the name of an attribute's loss tells
 * them apart when it is written again. */
static sheaf_status add_keys(sheaf_bsp_reader *in, sheaf_json *object, bool inner, sheaf_error *err)
{
	const char *key;
	void *at = NULL;
	sheaf_json *value;
	while ((value = sheaf_json_next(object, &at, &key))) {
		size_t size;
		const char *text = sheaf_json_text(value, &size);
		/* Matrix Market's comments are not compared, even if they have passed through such a file. */
		const char *loss = strcmp(key, "comment") == 0 ? NULL : BSP_TEXT_KEY;
		if (sheaf_bsp_is_key(key)) continue;
		if (text && strlen(text) == size && !inner)
			SHEAF_TRY(sheaf_schema_put_attribute(&in->schema, in->cx, key, text, loss, err));
		else
			SHEAF_TRY(add_json(in, key, value, inner ? BSP_INNER_KEY : BSP_JSON_KEY, err));
	}
	return SHEAF_OK;
}

/* The descriptor's own "attributes" are keys like others, except the count, which is computed again. */
sheaf_status sheaf_bsp_add_keys(sheaf_bsp_reader *in, const sheaf_bsp_tensor *t, sheaf_error *err)
{
	const char *key;
	void *at = NULL;
	sheaf_json *attributes = sheaf_json_get(t->d.inner, "attributes"), *value;
	while (attributes && (value = sheaf_json_next(attributes, &at, &key)))
		if (strcmp(key, "number_of_diagonal_elements") != 0)
			SHEAF_TRY(add_json(in, key, value, BSP_ATTRIBUTE_KEY, err));
	SHEAF_TRY(add_keys(in, t->d.json, false, err));
	return t->d.is_bare ? SHEAF_OK : add_keys(in, t->d.inner, true, err);
}

/* ---- the schema ---- */

/* Which kind of rows it gives, among those wanted: tensors that were streams are streams again, all others
 * are entries. A layout without a name is shown as its levels, if there is room: for up to seven dimensions
 * there always is. */
static sheaf_status choose_rows(sheaf_bsp_reader *in, unsigned wanted, sheaf_error *err)
{
	const sheaf_bsp_tensor *t = sheaf_bsp_only(in);
	const sheaf_bsp_descriptor *d = &t->d;
	sheaf_tensor *out = &in->schema.tensor;
	bool only = wanted == SHEAF_TAKES_SEQUENCES;
	char levels[BSP_LAYOUT_SIZE];
	sheaf_stored_levels named;
	if ((wanted & SHEAF_TAKES_SEQUENCES) && (sheaf_bsp_was_stream(t) || (only && sheaf_bsp_is_stream(t))))
		return sheaf_bsp_rows_schema(in, err);
	in->schema.cx = in->cx;
	SHEAF_TRY(sheaf_bsp_entries_schema(t, &in->schema, err));
	memcpy(out->order, d->layout.order, sizeof out->order);
	out->sorted = out->unique = true;
	out->structure = d->structure;
	out->dense = sheaf_bsp_layout_is_dense(&d->layout);
	out->iso = d->values.is_iso;
	out->has_fill = d->has_fill;
	memcpy(out->fill, t->fill, sizeof out->fill);
	bool fits = strlen(sheaf_bsp_layout_text(&d->layout, levels)) < sizeof out->layout;
	bool is_named = sheaf_bsp_layout_named(d->format, &named);
	snprintf(out->layout, sizeof out->layout, "%.15s", is_named || !fits ? d->format : levels);
	return wanted == SHEAF_TAKES_WHOLE ? sheaf_sparse_make_whole(&t->sparse, &in->schema, err) : SHEAF_OK;
}

/* ---- opening ---- */

/* The tensor that is asked for, or the only one. */
static sheaf_status open_tensor(sheaf_bsp_reader *in, const char *member, sheaf_error *err)
{
	char *path;
	SHEAF_TRY(sheaf_bsp_choose(in->box, in->file, member, in->cx, &path, err));
	sheaf_status status = sheaf_bsp_make_room(in, 1, err);
	if (status == SHEAF_OK) {
		in->ntensors = 1;
		status = sheaf_bsp_open_tensor(in, path, &in->tensors[0], err);
	}
	sheaf_release_text(in->cx, path);
	return status;
}

/* The group of this name, if it lists the streams in it. */
static sheaf_status find_group(sheaf_bsp_reader *in, const char *member, char **group, sheaf_error *err)
{
	*group = NULL;
	if (!member) member = "";
	while (*member == '/') member++;
	SHEAF_TRY(sheaf_copy_text(in->cx, member, strlen(member), group, err));
	bool has;
	sheaf_status status = sheaf_bsp_has(in->box, sheaf_box_find(in->box, *group), BSP_OWN, &has, err);
	if (status == SHEAF_OK && has) return SHEAF_OK;
	sheaf_release_text(in->cx, *group);
	*group = NULL;
	return status;
}

/* A group that lists its streams is opened as all of them; a table shows which streams they were, too. */
sheaf_status sheaf_bsp_open_box(sheaf_bsp_reader *in, sheaf_box *box, const char *file,
                                const sheaf_values *values, const sheaf_opening *how, sheaf_error *err)
{
	static const char *const depths[] = {"none", "sizes", "offsets", "full"};
	const char *depth = sheaf_values_text(values, "check");
	in->box = box;
	in->file = file;
	in->depth = SHEAF_CHECK_FULL;
	for (int d = SHEAF_CHECK_NONE; depth && d <= SHEAF_CHECK_FULL; d++)
		if (strcmp(depth, depths[d]) == 0) in->depth = (sheaf_depth)d;
	in->tolerance.repair = sheaf_values_flag(values, "repair");
	in->tolerance.lenient = sheaf_values_flag(values, "allow=breach");
	unsigned wanted = how->rows ? how->rows : SHEAF_TAKES_SEQUENCES | SHEAF_TAKES_ENTRIES;
	char *group = NULL;
	if (wanted & SHEAF_TAKES_CELLS) wanted |= SHEAF_TAKES_SEQUENCES;
	if (wanted & SHEAF_TAKES_SEQUENCES) SHEAF_TRY(find_group(in, how->member, &group, err));
	sheaf_status status = group ? sheaf_bsp_open_streams(in, group, err) : open_tensor(in, how->member, err);
	if (status == SHEAF_OK) status = group ? sheaf_bsp_rows_schema(in, err) : choose_rows(in, wanted, err);
	if (group) sheaf_release_text(in->cx, group);
	SHEAF_TRY(status);
	const sheaf_bsp_tensor *t = sheaf_bsp_only(in);
	SHEAF_TRY(sheaf_bsp_add_keys(in, t, err));
	if (t->is_broken) return SHEAF_OK;
	if (in->schema.rows == SHEAF_SEQUENCES)
		sheaf_bsp_rows_facts(in, &in->facts);
	else if (in->schema.rows == SHEAF_WHOLE)
		in->facts.rows = 1;
	else if (!t->d.structure || !sheaf_bsp_layout_is_dense(&t->d.layout)) /* else some are no entries */
		in->facts.rows = sheaf_sparse_entries(&t->sparse);
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_open(void *reader, const sheaf_values *values, const sheaf_opening *how,
                            sheaf_error *err)
{
	sheaf_bsp_reader *in = (sheaf_bsp_reader *)reader;
	sheaf_box *box;
	SHEAF_TRY(sheaf_box_open_known(in->source, in->cx, &box, err));
	return sheaf_bsp_open_box(in, box, sheaf_source_name(in->source), values, how, err);
}
