/* SPDX-License-Identifier: MIT */
/* Arrays and descriptors into the box. */
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

/* What is left of a previous tensor, which may have had another layout. */
static sheaf_status remove_old(const sheaf_bsp_writer *out, const sheaf_bsp_building *t, sheaf_error *err)
{
	char name[BSP_NAME_SIZE];
	sheaf_buffer path = {0};
	sheaf_status status = SHEAF_OK;
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

static sheaf_status put_level(sheaf_bsp_writer *out, sheaf_bsp_building *t, int l, int depth,
                              sheaf_error *err)
{
	char name[BSP_NAME_SIZE];
	sheaf_type type;
	if (l > 0) {
		SHEAF_TRY(pointer_type(out, t->indices[depth].count, &type, err));
		t->d.pointers[depth] = (int)type;
		SHEAF_TRY(put_array(out, t, &t->pointers[l], sheaf_bsp_pointers_name(depth, name), type, err));
	}
	for (int k = depth; k < depth + t->d.layout.levels[l].rank; k++) {
		t->d.indices[k] = (int)t->indices[k].type;
		SHEAF_TRY(
			put_array(out, t, &t->indices[k], sheaf_bsp_indices_name(k, name), t->indices[k].type, err));
	}
	return SHEAF_OK;
}

static sheaf_status put_arrays(sheaf_bsp_writer *out, sheaf_bsp_building *t, sheaf_error *err)
{
	const sheaf_stored_levels *layout = &t->d.layout;
	sheaf_buffer path = {0};
	for (int l = 0, depth = 0; l < layout->nlevels; depth += layout->levels[l++].rank)
		if (layout->levels[l].is_sparse) SHEAF_TRY(put_level(out, t, l, depth, err));
	SHEAF_TRY(put_array(out, t, &t->values, "values", t->values.type, err));
	if (!t->d.has_fill) return SHEAF_OK;
	SHEAF_TRY(path_of(out, t, "fill_value", &path, err));
	static const sheaf_box_storing plain;
	sheaf_status status =
		sheaf_box_put(out->box, (const char *)path.data,
	                  (sheaf_box_values){t->d.fill.type, t->fill, sheaf_bsp_parts(t->d.fill)}, &plain, err);
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

static bool put_attribute(sheaf_json *inner, const sheaf_attribute *a)
{
	sheaf_json *attributes = sheaf_json_get(inner, "attributes");
	if (!attributes && !sheaf_json_set(inner, "attributes", sheaf_json_new_object())) return false;
	return set_json(sheaf_json_get(inner, "attributes"), a->name, a->text);
}

static bool put_key(sheaf_json *json, const sheaf_attribute *a)
{
	sheaf_json *inner = sheaf_json_get(json, BSP_ATTRIBUTE);
	const char *loss = a->loss ? a->loss : "";
	if (strcmp(loss, BSP_ATTRIBUTE_KEY) == 0) return put_attribute(inner, a);
	if (strcmp(loss, BSP_INNER_KEY) == 0)
		return sheaf_json_get(inner, a->name) || set_json(inner, a->name, a->text);
	if (strcmp(loss, BSP_JSON_KEY) == 0) return set_json(json, a->name, a->text);
	return sheaf_json_set(json, a->name, sheaf_json_new_text(a->text));
}

static sheaf_status report_latin1(const sheaf_bsp_writer *out, const char *name, sheaf_error *err)
{
	sheaf_problem problem = {SHEAF_WARNING,   SHEAF_DATA,    "text that is not UTF-8", SHEAF_NOWHERE,
	                         "text in UTF-8", "other bytes", "it is taken as Latin-1"};
	problem.place.file = sheaf_sink_name(out->sink);
	problem.place.stream = name;
	problem.place.stream_word = "attribute";
	return sheaf_report(out->cx, &problem, err);
}

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
	return status ? status : report_latin1(out, a->name, err);
}

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

/* The stream that the tensor was written from. */
static bool put_own(sheaf_json *json, const sheaf_bsp_building *t)
{
	sheaf_json *own = sheaf_json_new_object();
	bool fine = sheaf_json_set(own, "stream", sheaf_json_new_text(t->field->name));
	if (fine && t->field->main) fine = sheaf_json_set(own, "main", sheaf_json_new_bool(true));
	return sheaf_json_set(json, BSP_OWN, own) && fine;
}

/* ---- descriptors ---- */

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

static sheaf_status put_descriptor(sheaf_bsp_writer *out, const sheaf_bsp_building *t, bool is_first,
                                   sheaf_error *err)
{
	sheaf_json *json = sheaf_bsp_descriptor_json(&t->d, false);
	sheaf_status status =
		json ? SHEAF_OK
			 : sheaf_fail(err, SHEAF_NOMEM, "descriptor: expected memory for its JSON, found none");
	if (status == SHEAF_OK && is_first) status = put_keys(out, json, err);
	if (status == SHEAF_OK && t->field && !put_own(json, t))
		status = sheaf_fail(err, SHEAF_UNSUPPORTED, "stream \"%s\": expected a name in UTF-8, found another",
		                    t->field->name);
	if (status == SHEAF_OK) status = put_text(out, t->group, BSP_ATTRIBUTE, json, err);
	sheaf_json_free(json);
	return status;
}

static sheaf_status begin_tensor(const sheaf_bsp_writer *out, sheaf_bsp_building *t, sheaf_error *err)
{
	if (t->is_begun) return SHEAF_OK;
	t->is_begun = true;
	SHEAF_TRY(sheaf_box_make_group(out->box, t->group, err));
	return remove_old(out, t, err);
}

sheaf_status sheaf_bsp_put_tensor(sheaf_bsp_writer *out, sheaf_bsp_building *t, bool is_first,
                                  sheaf_error *err)
{
	SHEAF_TRY(begin_tensor(out, t, err));
	SHEAF_TRY(put_arrays(out, t, err));
	return put_descriptor(out, t, is_first, err);
}

/* ---- when the number of entries is known ---- */

/* Positions of the dense levels above level l; -1: a level is sparse, and only the end shows how many it
 * has. */
static int64_t positions_above(const sheaf_bsp_building *t, int l)
{
	int64_t positions = 1;
	for (int k = 0, depth = 0; k < l; depth += t->d.layout.levels[k++].rank) {
		if (t->d.layout.levels[k].is_sparse) return -1;
		positions *= sheaf_bsp_extent(&t->d, depth);
	}
	return positions;
}

static sheaf_status open_inner_level(const sheaf_bsp_writer *out, sheaf_bsp_building *t, int64_t rows,
                                     sheaf_error *err)
{
	char name[BSP_NAME_SIZE];
	sheaf_type type;
	int64_t above = positions_above(t, t->entries.inner);
	if (t->entries.inner > 0 && above >= 0) {
		SHEAF_TRY(pointer_type(out, rows, &type, err));
		SHEAF_TRY(open_array(out, t, &t->pointers[t->entries.inner],
		                     sheaf_bsp_pointers_name(t->entries.outer_rank, name),
		                     (sheaf_box_values){type, NULL, above + 1}, err));
	}
	for (int k = t->entries.outer_rank; k < t->d.layout.rank; k++)
		SHEAF_TRY(open_array(out, t, &t->indices[k], sheaf_bsp_indices_name(k, name),
		                     (sheaf_box_values){t->indices[k].type, NULL, rows}, err));
	return SHEAF_OK;
}

/* Compressed arrays keep a few chunks each until they are complete. */
static bool is_affordable(const sheaf_bsp_writer *out, const sheaf_bsp_building *t)
{
	enum { USUAL = 1 << 20, COPIES = 3, SHARE = 8 };
	const sheaf_box_storing *s = &out->storing;
	int64_t chunk = s->chunk_bytes ? s->chunk_bytes : s->deflate || s->shuffle ? USUAL : 0;
	return chunk <= sheaf_max_memory(out->cx) / SHARE / COPIES / (t->d.layout.rank + 2);
}

sheaf_status sheaf_bsp_expect(void *writer, int64_t rows, sheaf_error *err)
{
	sheaf_bsp_writer *out = (sheaf_bsp_writer *)writer;
	sheaf_bsp_building *t = &out->tensors[0];
	bool is_dense = t->entries.block && t->entries.outer_rank == 0, is_empty = rows == 0;
	if (is_empty || !is_affordable(out, t) || (t->entries.block && !is_dense)) return SHEAF_OK;
	SHEAF_TRY(begin_tensor(out, t, err));
	if (!is_dense) SHEAF_TRY(open_inner_level(out, t, rows, err));
	if (t->d.values.is_iso || t->values.same) return SHEAF_OK;
	return open_array(out, t, &t->values, "values",
	                  (sheaf_box_values){t->values.type, NULL, rows * sheaf_bsp_parts(t->d.values)}, err);
}

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
