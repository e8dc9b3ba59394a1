/* SPDX-License-Identifier: MIT */
/* The output of `info` and `schema`: the descriptor, the arrays as they are stored, and what else is in the
 * box. */
#include "base/buffer.h"
#include "data/json_text.h"
#include "format/binsparse/reader.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reporting {
	const sheaf_bsp_reader *in;
	sheaf_builder *b;
	bool json;
} reporting;

/* ---- texts ---- */

static void put_quoted(sheaf_builder *b, const char *text) { sheaf_json_string(b, text, strlen(text)); }

static const char *named(const sheaf_bsp_tensor *t) { return *t->path ? t->path : "/"; }

/* "dense, sparse 2, element" */
static void put_levels(sheaf_builder *b, const sheaf_bsp_layout *layout)
{
	for (int l = 0; l < layout->nlevels; l++) {
		sheaf_builder_text(b, layout->levels[l].is_sparse ? "sparse" : "dense");
		if (layout->levels[l].rank > 1) sheaf_builder_printf(b, " %d", layout->levels[l].rank);
		sheaf_builder_text(b, ", ");
	}
	sheaf_builder_text(b, "element");
	if (!sheaf_bsp_is_transposed(layout)) return;
	sheaf_builder_text(b, "; transposed");
	for (int k = 0; k < layout->rank; k++) sheaf_builder_printf(b, " %d", layout->order[k]);
}

static void put_shape(sheaf_builder *b, const sheaf_bsp_descriptor *d, const char *between)
{
	for (int k = 0; k < d->layout.rank; k++)
		sheaf_builder_printf(b, "%s%" PRId64, k ? between : "", d->shape[k]);
}

/* Elements of both triangles; -1 if that is not known. */
static int64_t logical(const sheaf_bsp_descriptor *d)
{
	if (d->structure == SHEAF_GENERAL || sheaf_bsp_layout_is_dense(&d->layout)) return d->stored;
	return d->diagonal < 0 || d->diagonal > d->stored ? -1 : 2 * d->stored - d->diagonal;
}

/* ---- one tensor ---- */

static const char *storage(const sheaf_box_item *item)
{
	static const char *const names[] = {"contiguous", "chunked", "compact"};
	return names[item->storage];
}

static void report_array(const reporting *t, const sheaf_bsp_array *a, int number)
{
	if (!a->name[0]) return;
	if (t->json) {
		sheaf_builder_printf(t->b, "%s{\"name\":\"%s\",\"type\":", number ? "," : "", a->name);
		put_quoted(t->b, a->item ? a->item->of : "");
		sheaf_builder_printf(t->b, ",\"values\":%" PRId64 ",\"storage\":\"%s\",\"filters\":", a->count,
		                     a->item ? storage(a->item) : "none");
		put_quoted(t->b, a->item && a->item->filters ? a->item->filters : "");
		sheaf_builder_printf(t->b, ",\"bytes\":%" PRId64 "}", a->item ? a->item->bytes : 0);
		return;
	}
	if (!a->item) {
		sheaf_builder_printf(t->b, "  %s  missing, since it is empty\n", a->name);
		return;
	}
	sheaf_builder_printf(t->b, "  %s  %s  %" PRId64 "  %s", a->name, a->item->of, a->count, storage(a->item));
	if (a->item->filters) sheaf_builder_printf(t->b, "  %s", a->item->filters);
	if (a->item->bytes >= 0) sheaf_builder_printf(t->b, "  %" PRId64 " bytes", a->item->bytes);
	sheaf_builder_byte(t->b, '\n');
}

static void report_arrays(const reporting *t, const sheaf_bsp_tensor *tensor)
{
	int n = 0;
	for (int k = 0; k < BSP_MAX_RANK; k++)
		if (tensor->pointers[k].name[0]) report_array(t, &tensor->pointers[k], n++);
	for (int k = 0; k < BSP_MAX_RANK; k++)
		if (tensor->indices[k].name[0]) report_array(t, &tensor->indices[k], n++);
	report_array(t, &tensor->values, n);
}

static void report_keys(const reporting *t, const sheaf_bsp_tensor *tensor)
{
	const char *key;
	void *at = NULL;
	int n = 0;
	if (tensor->d.is_bare) return;
	while (sheaf_json_next(tensor->d.json, &at, &key)) {
		if (strcmp(key, BSP_ATTRIBUTE) == 0) continue;
		if (t->json) {
			sheaf_builder_text(t->b, n ? "," : "");
			put_quoted(t->b, key);
		} else {
			sheaf_builder_text(t->b, n ? ", " : "user keys: ");
			sheaf_put_visibly(t->b, key);
		}
		n++;
	}
	if (!t->json && n) sheaf_builder_byte(t->b, '\n');
}

static void report_text(const reporting *t, const sheaf_bsp_tensor *tensor)
{
	const sheaf_bsp_descriptor *d = &tensor->d;
	char type[BSP_NAME_SIZE];
	sheaf_builder_text(t->b, "tensor ");
	sheaf_put_visibly(t->b, named(tensor));
	sheaf_builder_printf(t->b, ": binsparse %s, format %s: ", d->version, d->format);
	put_levels(t->b, &d->layout);
	sheaf_builder_text(t->b, "\nshape: ");
	put_shape(t->b, d, " x ");
	sheaf_builder_printf(t->b, "\nvalues: %s\nstored values: %" PRId64 "\n",
	                     sheaf_bsp_type_text(d->values, type), d->stored);
	if (d->structure) sheaf_builder_printf(t->b, "structure: %s\n", sheaf_structure_name(d->structure));
	if (d->structure && logical(d) >= 0)
		sheaf_builder_printf(t->b, "values of both triangles: %" PRId64 "\n", logical(d));
	if (d->has_fill) sheaf_builder_text(t->b, "fill: yes\n");
	sheaf_builder_text(t->b, "arrays:\n");
	report_arrays(t, tensor);
	report_keys(t, tensor);
}

static void report_json(const reporting *t, const sheaf_bsp_tensor *tensor)
{
	const sheaf_bsp_descriptor *d = &tensor->d;
	char type[BSP_NAME_SIZE];
	sheaf_builder_text(t->b, "{\"tensor\":");
	put_quoted(t->b, named(tensor));
	sheaf_builder_text(t->b, ",\"version\":");
	put_quoted(t->b, d->version);
	sheaf_builder_printf(t->b, ",\"format\":\"%s\",\"levels\":\"", d->format);
	put_levels(t->b, &d->layout);
	sheaf_builder_text(t->b, "\",\"shape\":[");
	put_shape(t->b, d, ",");
	sheaf_builder_printf(t->b, "],\"type\":\"%s\",\"stored\":%" PRId64, sheaf_bsp_type_text(d->values, type),
	                     d->stored);
	if (d->structure) sheaf_builder_printf(t->b, ",\"structure\":\"%s\"", sheaf_structure_name(d->structure));
	if (logical(d) >= 0) sheaf_builder_printf(t->b, ",\"logical\":%" PRId64, logical(d));
	sheaf_builder_printf(t->b, ",\"fill\":%s,\"arrays\":[", d->has_fill ? "true" : "false");
	report_arrays(t, tensor);
	sheaf_builder_text(t->b, "],\"user_keys\":[");
	report_keys(t, tensor);
	sheaf_builder_text(t->b, "]}");
}

/* ---- the rest of the box ---- */

/* Other tensors, or arrays of texts. */
static sheaf_status belongs(sheaf_box *box, const sheaf_box_item *item, bool texts, bool *out,
                            sheaf_error *err)
{
	*out = texts && !item->is_group && !item->refused && item->what == SHEAF_BOX_TEXTS;
	return texts ? SHEAF_OK : sheaf_bsp_has(box, item, BSP_ATTRIBUTE, out, err);
}

/* All of them, anywhere in the box. */
static sheaf_status report_others(sheaf_box *box, bool json, bool texts, sheaf_builder *b, sheaf_error *err)
{
	int64_t count, n = 0;
	const sheaf_box_item *items = sheaf_box_items(box, &count);
	for (int64_t i = 0; i < count; i++) {
		bool listed;
		SHEAF_TRY(belongs(box, &items[i], texts, &listed, err));
		if (!listed) continue;
		const char *path = *items[i].path ? items[i].path : "/";
		if (json) {
			sheaf_builder_text(b, n ? "," : "");
			put_quoted(b, path);
		} else if (texts) {
			sheaf_builder_text(b, n ? ", " : "texts: ");
			sheaf_put_visibly(b, path);
			sheaf_builder_printf(b, " (%" PRId64 ")", items[i].count);
		} else {
			sheaf_builder_text(b, n ? ", " : "tensors: ");
			sheaf_put_visibly(b, path);
		}
		n++;
	}
	if (!json && n) sheaf_builder_byte(b, '\n');
	return SHEAF_OK;
}

static sheaf_status report_all(const reporting *t, sheaf_error *err)
{
	if (t->json) sheaf_builder_text(t->b, ",\"tensors\":[");
	SHEAF_TRY(report_others(t->in->box, t->json, false, t->b, err));
	if (t->json) sheaf_builder_text(t->b, "],\"texts\":[");
	SHEAF_TRY(report_others(t->in->box, t->json, true, t->b, err));
	if (t->json) sheaf_builder_text(t->b, "],\"binsparse\":[");
	for (int i = 0; i < t->in->ntensors; i++) {
		if (t->json && i) sheaf_builder_byte(t->b, ',');
		t->json ? report_json(t, &t->in->tensors[i]) : report_text(t, &t->in->tensors[i]);
	}
	if (t->json) sheaf_builder_byte(t->b, ']');
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_describe(const void *reader, bool json, sheaf_context *cx, sheaf_buffer *text,
                                sheaf_error *err)
{
	sheaf_builder b;
	reporting t = {(const sheaf_bsp_reader *)reader, &b, json};
	sheaf_builder_resume(&b, cx, text);
	sheaf_status status = report_all(&t, err);
	if (!status) return sheaf_builder_finish(&b, text, err);
	sheaf_builder_drop(&b);
	return status;
}

/* Besides tensors, only texts are arrays that belong to them. */
sheaf_status sheaf_bsp_besides(sheaf_source *source, bool json, sheaf_context *cx, sheaf_buffer *text,
                               sheaf_error *err)
{
	sheaf_builder b;
	sheaf_box *box;
	SHEAF_TRY(sheaf_bsp_box(source, cx, &box, err));
	sheaf_builder_resume(&b, cx, text);
	if (json) sheaf_builder_text(&b, ",\"texts\":[");
	sheaf_status status = report_others(box, json, true, &b, err);
	if (json) sheaf_builder_byte(&b, ']');
	sheaf_box_close(box);
	if (!status) return sheaf_builder_finish(&b, text, err);
	sheaf_builder_drop(&b);
	return status;
}

/* ---- the schema ---- */

static void describe_schema(const sheaf_schema *schema, const sheaf_field *value, sheaf_bsp_descriptor *d)
{
	const sheaf_tensor *tensor = &schema->tensor;
	snprintf(d->version, sizeof d->version, "0.1");
	snprintf(d->format, sizeof d->format, "%s", tensor->layout);
	sheaf_status status = sheaf_bsp_layout_parse(tensor->layout, &d->layout, NULL);
	if (status || d->layout.rank != tensor->rank) { /* another program's word for a layout */
		d->layout = (sheaf_bsp_layout){
			.rank = tensor->rank, .nlevels = tensor->rank > 0, .levels = {{true, tensor->rank}}};
		memcpy(d->layout.order, tensor->order, sizeof d->layout.order);
	}
	memcpy(d->shape, tensor->shape, sizeof d->shape);
	for (int l = 0, depth = 0; l < d->layout.nlevels; depth += d->layout.levels[l++].rank) {
		if (d->layout.levels[l].is_sparse && l > 0) d->pointers[depth] = SHEAF_U64;
		for (int r = 0; r < d->layout.levels[l].rank && d->layout.levels[l].is_sparse; r++)
			d->indices[depth + r] = (int)sheaf_bsp_smallest(sheaf_bsp_extent(d, depth + r) - 1);
	}
	d->values = (sheaf_bsp_type){value->type, value->meaning == SHEAF_BOOL, value->meaning == SHEAF_COMPLEX,
	                             tensor->iso};
	d->fill = d->values;
	d->fill.is_iso = false;
	d->has_fill = tensor->has_fill;
	d->structure = tensor->structure;
}

/* The descriptor, as far as a schema determines it: without the number of stored values. */
sheaf_status sheaf_bsp_declare(const sheaf_schema *schema, const char *file, bool own, sheaf_context *cx,
                               sheaf_buffer *text, sheaf_error *err)
{
	sheaf_bsp_descriptor d = {.diagonal = -1, .stored = -1};
	int value = sheaf_schema_value(schema);
	(void)file, (void)own;
	if (schema->rows != SHEAF_ENTRIES || value < 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected entries of a tensor, found other rows");
	for (int k = 0; k < BSP_MAX_RANK; k++) d.pointers[k] = d.indices[k] = -1;
	describe_schema(schema, &schema->fields[value], &d);
	sheaf_json *json = sheaf_bsp_descriptor_json(&d, true);
	sheaf_json_remove(sheaf_json_get(json, BSP_ATTRIBUTE), "number_of_stored_values");
	sheaf_status status = sheaf_bsp_json_text(json, 2, cx, text, err);
	sheaf_json_free(json);
	if (status) return status;
	sheaf_builder b;
	sheaf_builder_resume(&b, cx, text);
	sheaf_builder_byte(&b, '\n');
	return sheaf_builder_finish(&b, text, err);
}
