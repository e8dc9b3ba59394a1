/* SPDX-License-Identifier: MIT */
/* Arrays and descriptors into the box. Arrays whose length and type are known with the number of entries are
 * opened at once, so that what comes next is written in its place; all others are opened at the end, when
 * it is known which type holds all pointers. The descriptor is an attribute of the group that has the
 * arrays, and comes last: a file that breaks off has none, and is no tensor. */
#include "base/context.h"
#include "base/memory.h"
#include "base/show.h"
#include "base/spell.h"
#include "format/binsparse/binsparse.h"
#include "format/binsparse/writer.h"
#include "io/sink.h"
#include <inttypes.h>
#include <string.h>

/* ---- arrays ---- */

/* The path of an array of the tensor; a buffer that has been used before is used again. */
static sheaf_status path_of(const sheaf_bsp_writer *out, const sheaf_bsp_building *t, const char *name,
                            sheaf_buffer *path, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, out->cx, path);
	if (*t->group) sheaf_builder_printf(&b, "%s/", t->group);
	sheaf_builder_append(&b, name, strlen(name) + 1);
	return sheaf_builder_finish(&b, path, err);
}

static sheaf_status open_array(const sheaf_bsp_writer *out, const sheaf_bsp_building *t, sheaf_bsp_store *s,
                               const char *name, sheaf_box_values values, sheaf_error *err)
{
	sheaf_buffer path = {0};
	SHEAF_TRY(path_of(out, t, name, &path, err));
	sheaf_status status =
		sheaf_bsp_store_open(s, out->box, (const char *)path.data, values, &out->storing, err);
	sheaf_buffer_reset(&path);
	return status;
}

static sheaf_status put_array(const sheaf_bsp_writer *out, const sheaf_bsp_building *t, sheaf_bsp_store *s,
                              const char *name, sheaf_type type, sheaf_error *err)
{
	if (!s->array) SHEAF_TRY(open_array(out, t, s, name, (sheaf_box_values){type, NULL, s->count}, err));
	return sheaf_bsp_store_end(s, err);
}

/* Makes the group ready, once: what is left of a previous tensor, which may have had another layout, goes. */
static sheaf_status begin_tensor(const sheaf_bsp_writer *out, sheaf_bsp_building *t, sheaf_error *err)
{
	char name[BSP_NAME_SIZE];
	sheaf_buffer path = {0};
	if (t->is_begun) return SHEAF_OK;
	t->is_begun = true;
	sheaf_status status = sheaf_box_make_group(out->box, t->group, err);
	for (int i = 0; i < 2 * BSP_MAX_RANK + 2 && status == SHEAF_OK; i++) {
		const char *what = i < BSP_MAX_RANK       ? sheaf_bsp_pointers_name(i, name)
		                   : i < 2 * BSP_MAX_RANK ? sheaf_bsp_indices_name(i - BSP_MAX_RANK, name)
		                   : i % 2                ? "values"
		                                          : "fill_value";
		status = path_of(out, t, what, &path, err);
		if (status == SHEAF_OK) status = sheaf_box_remove(out->box, (const char *)path.data, err);
	}
	sheaf_buffer_reset(&path);
	return status;
}

/* A type that was asked for must hold all pointers. */
static sheaf_status pointer_type(const sheaf_bsp_writer *out, int64_t most, sheaf_type *type,
                                 sheaf_error *err)
{
	*type = sheaf_bsp_index_type(out, most);
	if (sheaf_bsp_type_holds(*type, most)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s: " SHEAF_OPTION("index-type") ": expected one that holds %" PRId64
	                                                    " stored values, found %s",
	                  sheaf_sink_name(out->sink), most, sheaf_type_name(*type));
}

/* Completes all arrays that the layout has, and notes their types for the descriptor. */
static sheaf_status put_arrays(sheaf_bsp_writer *out, sheaf_bsp_building *t, sheaf_error *err)
{
	static const sheaf_box_storing plain;
	const sheaf_stored_levels *layout = &t->d.layout;
	sheaf_buffer path = {0};
	char name[BSP_NAME_SIZE];
	for (int l = 0, k = 0; l < layout->nlevels; l++) {
		int end = k + layout->levels[l].rank;
		sheaf_type type;
		if (l > 0 && layout->levels[l].is_sparse) {
			SHEAF_TRY(pointer_type(out, t->indices[k].count, &type, err));
			t->d.pointers[k] = (int)type;
			SHEAF_TRY(put_array(out, t, &t->pointers[l], sheaf_bsp_pointers_name(k, name), type, err));
		}
		for (; k < end; k++) {
			if (!layout->levels[l].is_sparse) continue;
			type = t->indices[k].type;
			t->d.indices[k] = (int)type;
			SHEAF_TRY(put_array(out, t, &t->indices[k], sheaf_bsp_indices_name(k, name), type, err));
		}
	}
	SHEAF_TRY(put_array(out, t, &t->values, "values", t->values.type, err));
	if (!t->d.has_fill) return SHEAF_OK;
	SHEAF_TRY(path_of(out, t, "fill_value", &path, err));
	sheaf_box_values fill = {t->d.fill.type, t->fill, sheaf_bsp_parts(t->d.fill)};
	sheaf_status status = sheaf_box_put(out->box, (const char *)path.data, fill, &plain, err);
	sheaf_buffer_reset(&path);
	return status;
}

/* ---- user keys ---- */

static bool set_json(sheaf_json *object, const char *name, const char *text)
{
	sheaf_json *value;
	sheaf_status status = sheaf_json_parse(text, strlen(text), name, &value, NULL);
	if (sheaf_forgive(status, "what is no JSON is a text")) return false;
	if (status) value = sheaf_json_new_text(text);
	return sheaf_json_set(object, name, value);
}

/* Where a key belongs is in the name of its loss: reading has put it there. A key of another format is a text
 * beside the descriptor. */
static bool put_key(sheaf_json *json, const sheaf_attribute *a)
{
	sheaf_json *inner = sheaf_json_get(json, BSP_ATTRIBUTE);
	const char *loss = a->loss ? a->loss : "";
	if (strcmp(loss, BSP_ATTRIBUTE_KEY) == 0)
		return (sheaf_json_get(inner, "attributes") ||
		        sheaf_json_set(inner, "attributes", sheaf_json_new_object())) &&
		       set_json(sheaf_json_get(inner, "attributes"), a->name, a->text);
	if (strcmp(loss, BSP_INNER_KEY) == 0)
		return sheaf_json_get(inner, a->name) || set_json(inner, a->name, a->text);
	if (strcmp(loss, BSP_JSON_KEY) == 0) return set_json(json, a->name, a->text);
	return sheaf_json_set(json, a->name, sheaf_json_new_text(a->text));
}

/* A text in another encoding, which JSON cannot have, becomes UTF-8. */
static sheaf_status put_latin1(const sheaf_bsp_writer *out, sheaf_json *json, const sheaf_attribute *a,
                               bool *put, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_attribute converted = *a;
	sheaf_builder_begin(&b, out->cx, NULL);
	sheaf_builder_text(&b, a->text);
	sheaf_builder_make_utf8(&b, 0);
	sheaf_builder_byte(&b, '\0');
	sheaf_status status = sheaf_builder_status(&b, err);
	converted.text = (char *)b.data;
	*put = status == SHEAF_OK && put_key(json, &converted);
	sheaf_builder_drop(&b);
	if (status) return status;
	sheaf_problem problem = {SHEAF_WARNING,   SHEAF_DATA,    "text that is not UTF-8", SHEAF_NOWHERE,
	                         "text in UTF-8", "other bytes", "it is taken as Latin-1"};
	problem.place.file = sheaf_sink_name(out->sink);
	problem.place.stream = a->name;
	problem.place.stream_word = "attribute";
	return sheaf_report(out->cx, &problem, err);
}

/* The attributes of the dataset as user keys. */
static sheaf_status put_keys(const sheaf_bsp_writer *out, sheaf_json *json, sheaf_error *err)
{
	for (int i = 0; i < out->schema.nattributes; i++) {
		const sheaf_attribute *a = &out->schema.attributes[i];
		if (strcmp(a->name, BSP_ATTRIBUTE) == 0 || strcmp(a->name, BSP_OWN) == 0)
			return sheaf_fail(
				err, SHEAF_UNSUPPORTED,
				"attribute \"%s\": expected a name that descriptors do not use, found one that they do",
				a->name);
		bool put;
		if (sheaf_is_utf8((const uint8_t *)a->text, strlen(a->text)))
			put = put_key(json, a);
		else
			SHEAF_TRY(put_latin1(out, json, a, &put, err));
		if (!put)
			return sheaf_fail(
				err, SHEAF_UNSUPPORTED,
				"attribute \"%.100s\": expected UTF-8 without U+0001 at its start, found another text",
				a->name);
	}
	return SHEAF_OK;
}

/* ---- descriptors ---- */

/* JSON as an attribute of a group. */
static sheaf_status put_text(sheaf_bsp_writer *out, const char *group, const char *name,
                             const sheaf_json *json, sheaf_error *err)
{
	sheaf_buffer text = {0};
	sheaf_status status = sheaf_bsp_json_text(json, 0, out->cx, &text, err);
	if (status == SHEAF_OK)
		status = sheaf_box_set_text(out->box, group, name, (const char *)text.data, text.size, err);
	sheaf_buffer_reset(&text);
	return status;
}

/* The first tensor has the user keys of all. */
sheaf_status sheaf_bsp_put_tensor(sheaf_bsp_writer *out, sheaf_bsp_building *t, bool is_first,
                                  sheaf_error *err)
{
	SHEAF_TRY(begin_tensor(out, t, err));
	SHEAF_TRY(put_arrays(out, t, err));
	sheaf_json *json = sheaf_bsp_descriptor_json(&t->d, false);
	if (!json) return sheaf_fail(err, SHEAF_NOMEM, "descriptor: expected memory for its JSON, found none");
	sheaf_status status = is_first ? put_keys(out, json, err) : SHEAF_OK;
	if (status == SHEAF_OK && t->field) { /* the stream that the tensor was written from */
		sheaf_json *own = sheaf_json_new_object();
		bool fine = sheaf_json_set(own, "stream", sheaf_json_new_text(t->field->name));
		if (fine && t->field->main) fine = sheaf_json_set(own, "main", sheaf_json_new_bool(true));
		fine = sheaf_json_set(json, BSP_OWN, own) && fine;
		if (!fine)
			status = sheaf_fail(err, SHEAF_UNSUPPORTED,
			                    "stream \"%s\": expected a name in UTF-8, found another", t->field->name);
	}
	if (status == SHEAF_OK) status = put_text(out, t->group, BSP_ATTRIBUTE, json, err);
	sheaf_json_free(json);
	return status;
}

/* ---- when the number of entries is known ---- */

/* How many pointers the level of the entries has is known if all levels above are dense. */
static sheaf_status open_inner_level(const sheaf_bsp_writer *out, sheaf_bsp_building *t, int64_t rows,
                                     sheaf_error *err)
{
	char name[BSP_NAME_SIZE];
	const sheaf_sparse_writer *w = &t->entries;
	sheaf_type type;
	int64_t above = 1;
	bool is_known = w->inner > 0;
	for (int l = 0; l < w->inner; l++) {
		is_known &= !t->d.layout.levels[l].is_sparse;
		if (is_known) above *= sheaf_bsp_extent(&t->d, l); /* each dense level has one dimension */
	}
	if (is_known) {
		SHEAF_TRY(pointer_type(out, rows, &type, err));
		SHEAF_TRY(open_array(out, t, &t->pointers[w->inner], sheaf_bsp_pointers_name(w->outer_rank, name),
		                     (sheaf_box_values){type, NULL, above + 1}, err));
	}
	for (int k = w->outer_rank; k < t->d.layout.rank; k++)
		SHEAF_TRY(open_array(out, t, &t->indices[k], sheaf_bsp_indices_name(k, name),
		                     (sheaf_box_values){t->indices[k].type, NULL, rows}, err));
	return SHEAF_OK;
}

/* Compressed arrays keep a few chunks each until they are complete: with little memory they are opened one
 * after the other at the end. Dense levels inside sparse ones have more values than entries. */
sheaf_status sheaf_bsp_plan(sheaf_bsp_writer *out, sheaf_error *err)
{
	enum { USUAL = 1 << 20, COPIES = 3, SHARE = 8 };
	sheaf_bsp_building *t = &out->tensors[0];
	const sheaf_box_storing *s = &out->storing;
	int64_t rows = out->expected_rows;
	bool is_dense = t->entries.block && t->entries.outer_rank == 0;
	int64_t chunk = s->chunk_bytes ? s->chunk_bytes : s->deflate || s->shuffle ? USUAL : 0;
	if (chunk > sheaf_max_memory(out->cx) / SHARE / COPIES / (t->d.layout.rank + 2)) return SHEAF_OK;
	if (rows <= 0 || (t->entries.block && !is_dense)) return SHEAF_OK;
	SHEAF_TRY(begin_tensor(out, t, err));
	if (!is_dense) SHEAF_TRY(open_inner_level(out, t, rows, err));
	if (t->d.values.is_iso || t->values.same) return SHEAF_OK;
	return open_array(out, t, &t->values, "values",
	                  (sheaf_box_values){t->values.type, NULL, rows * sheaf_bsp_parts(t->d.values)}, err);
}

/* ---- streams ---- */

/* The names of the streams, by which they are found again as one dataset. */
sheaf_status sheaf_bsp_put_group(sheaf_bsp_writer *out, sheaf_error *err)
{
	sheaf_json *own = sheaf_json_new_object(), *streams = sheaf_json_new_array();
	size_t before = *out->into ? strlen(out->into) + 1 : 0;
	bool fine = true;
	for (int s = 0; s < out->ntensors; s++)
		fine &= sheaf_json_append(streams, sheaf_json_new_text(out->tensors[s].group + before));
	sheaf_status status =
		sheaf_json_set(own, "streams", streams) && fine
			? put_text(out, out->into, BSP_OWN, own, err)
			: sheaf_fail(err, SHEAF_NOMEM, "descriptor: expected memory for its JSON, found none");
	sheaf_json_free(own);
	return status;
}
