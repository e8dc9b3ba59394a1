/* SPDX-License-Identifier: MIT */
/* The output of `info` and `schema`: the descriptor, and the arrays as they are stored. Both people and
 * programs read it: the same calls write text and JSON (frame/schema/listing.h). */
#include "base/buffer.h"
#include "format/binsparse/reader.h"
#include <stdio.h>
#include <string.h>

/* "dense, sparse 2, element" */
static void put_levels(sheaf_builder *b, const sheaf_stored_levels *layout)
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

/* Elements of both triangles; -1 if that is not known. */
static int64_t logical(const sheaf_bsp_descriptor *d)
{
	if (d->structure == SHEAF_GENERAL || sheaf_bsp_layout_is_dense(&d->layout)) return d->stored;
	return d->diagonal < 0 || d->diagonal > d->stored ? -1 : 2 * d->stored - d->diagonal;
}

/* An array as it is stored; one that the layout has and the file lacks is empty. */
static void list_array(const sheaf_listing *to, const sheaf_stored_array *a)
{
	const sheaf_box_item *item = sheaf_bsp_item(a);
	const char *filters = item && item->filters ? item->filters : NULL;
	if (!a->name[0]) return;
	sheaf_listing_open(to, "", "  ", '{');
	sheaf_listing_text(to, "name", item ? "%" : "%  missing, since it is empty", a->name);
	sheaf_listing_text(to, "type", item ? "  %" : NULL, item ? item->of : "");
	sheaf_listing_count(to, "values", item ? "  %" : NULL, a->count);
	sheaf_listing_text(to, "storage", item ? "  %" : NULL, item ? sheaf_box_storage_name(item) : "none");
	sheaf_listing_text(to, "filters", filters ? "  %" : NULL, filters ? filters : "");
	sheaf_listing_count(to, "bytes", item && item->bytes >= 0 ? "  % bytes" : NULL, item ? item->bytes : 0);
	sheaf_listing_close(to, "\n", '}');
}

/* A tensor: its descriptor in the order in which people look for things, then its arrays, then user keys. */
static void list_tensor(const sheaf_listing *to, const sheaf_bsp_tensor *t)
{
	const sheaf_bsp_descriptor *d = &t->d;
	char type[BSP_NAME_SIZE];
	const char *key;
	void *at = NULL;
	int n = 0;
	sheaf_listing_open(to, "", "tensor ", '{');
	sheaf_listing_text(to, "tensor", "%: ", *t->path ? t->path : "/");
	sheaf_listing_text(to, "version", "binsparse %, ", d->version);
	sheaf_listing_text(to, "format", "format %: ", d->format);
	if (to->json) sheaf_member_open(to->b, "levels", '"');
	put_levels(to->b, &d->layout);
	sheaf_listing_close(to, "\n", '"');
	sheaf_listing_shape(to, "shape", "shape: %\n", d->shape, d->layout.rank);
	sheaf_listing_text(to, "type", "values: %\n", sheaf_bsp_type_text(d->values, type));
	sheaf_listing_count(to, "stored", "stored values: %\n", d->stored);
	if (d->structure)
		sheaf_listing_text(to, "structure", "structure: %\n", sheaf_structure_name(d->structure));
	if (logical(d) >= 0)
		sheaf_listing_count(to, "logical", d->structure ? "values of both triangles: %\n" : NULL, logical(d));
	sheaf_listing_flag(to, "fill", d->has_fill ? "fill: %\n" : NULL, d->has_fill);
	sheaf_listing_open(to, "arrays", "arrays:\n", '[');
	for (int k = 0; k < BSP_MAX_RANK; k++) list_array(to, &t->pointers[k]);
	for (int k = 0; k < BSP_MAX_RANK; k++) list_array(to, &t->indices[k]);
	list_array(to, &t->values);
	sheaf_listing_close(to, "", ']');
	sheaf_listing_open(to, "user_keys", "", '[');
	while (!d->is_bare && sheaf_json_next(d->json, &at, &key))
		if (strcmp(key, BSP_ATTRIBUTE) != 0) sheaf_listing_text(to, "", n++ ? ", %" : "user keys: %", key);
	sheaf_listing_close(to, n ? "\n" : "", ']');
	sheaf_listing_close(to, "", '}');
}

/* The arrays of a tensor, and everything else in the box, are in the tree. */
sheaf_status sheaf_bsp_describe(const void *reader, const sheaf_listing *to, sheaf_error *err)
{
	const sheaf_bsp_reader *in = (const sheaf_bsp_reader *)reader;
	(void)err;
	sheaf_listing_open(to, "binsparse", "", '[');
	for (int i = 0; i < in->ntensors; i++) list_tensor(to, &in->tensors[i]);
	sheaf_listing_close(to, "", ']');
	return SHEAF_OK;
}

/* ---- the schema ---- */

/* The types that a writer would choose: indices in the smallest type that the extent needs, and pointers in
 * the largest, as the number of entries is not known. */
static void describe_schema(const sheaf_schema *schema, const sheaf_field *value, sheaf_bsp_descriptor *d)
{
	const sheaf_tensor *tensor = &schema->tensor;
	snprintf(d->version, sizeof d->version, "0.1");
	snprintf(d->format, sizeof d->format, "%s", tensor->layout);
	sheaf_status status = sheaf_bsp_layout_parse(tensor->layout, &d->layout, NULL);
	if (status || d->layout.rank != tensor->rank) { /* another program's word for a layout */
		d->layout = (sheaf_stored_levels){
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
