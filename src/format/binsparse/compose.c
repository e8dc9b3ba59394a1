/* SPDX-License-Identifier: MIT */
/* A descriptor into JSON. Layouts with a name are written by name, all others as a custom section of levels.
 *
 *     {"binsparse": {"version": "0.1", "format": "CSR", "shape": [3, 4], "number_of_stored_values": 3,
 *                    "data_types": {"pointers_to_1": "uint8", "indices_1": "uint8", "values": "float64"}}}
 *
 * Setting a member fails if memory runs out or a text is not UTF-8: all members are tried, and one flaw makes
 * the whole object NULL. */
#include "base/buffer.h"
#include "format/binsparse/descriptor.h"

static bool put_type(sheaf_json *types, const char *name, sheaf_bsp_type type)
{
	char text[BSP_NAME_SIZE];
	return sheaf_json_set(types, name, sheaf_json_new_text(sheaf_bsp_type_text(type, text)));
}

/* The types of all arrays that the layout has: the others were never set. */
static bool put_types(sheaf_json *inner, const sheaf_bsp_descriptor *d)
{
	char name[BSP_NAME_SIZE];
	sheaf_json *types = sheaf_json_new_object();
	bool fine = true;
	for (int k = 0; k < BSP_MAX_RANK; k++) {
		if (d->pointers[k] >= 0)
			fine &= put_type(types, sheaf_bsp_pointers_name(k, name),
			                 (sheaf_bsp_type){.type = (sheaf_type)d->pointers[k]});
		if (d->indices[k] >= 0)
			fine &= put_type(types, sheaf_bsp_indices_name(k, name),
			                 (sheaf_bsp_type){.type = (sheaf_type)d->indices[k]});
	}
	fine &= put_type(types, "values", d->values);
	if (d->has_fill) fine &= put_type(types, "fill_value", d->fill);
	return sheaf_json_set(inner, "data_types", types) && fine;
}

sheaf_json *sheaf_bsp_descriptor_json(const sheaf_bsp_descriptor *d, bool may_be_empty)
{
	sheaf_json *json = sheaf_json_new_object(), *inner = sheaf_json_new_object(),
			   *shape = sheaf_json_new_array(),
			   *attributes = d->diagonal < 0 ? NULL : sheaf_json_new_object();
	sheaf_stored_levels named;
	const char *name = sheaf_bsp_layout_name(&d->layout, may_be_empty);
	/* If a format has two names, the one that was requested is written. */
	if (name && sheaf_bsp_layout_named(d->format, &named) && sheaf_bsp_layout_equal(&named, &d->layout))
		name = d->format;
	bool fine = sheaf_json_set(inner, "version", sheaf_json_new_text(d->version));
	fine &= sheaf_json_set(inner, "format", sheaf_json_new_text(name ? name : "custom"));
	if (!name) fine &= sheaf_json_set(inner, "custom", sheaf_bsp_custom_json(&d->layout));
	for (int k = 0; k < d->layout.rank; k++)
		fine &= sheaf_json_append(shape, sheaf_json_new_i64(d->shape[k]));
	fine &= sheaf_json_set(inner, "shape", shape);
	fine &= sheaf_json_set(inner, "number_of_stored_values", sheaf_json_new_i64(d->stored));
	fine &= put_types(inner, d);
	if (d->has_fill) fine &= sheaf_json_set(inner, "fill", sheaf_json_new_bool(true));
	const char *structure = sheaf_structure_name(d->structure);
	if (d->structure) fine &= sheaf_json_set(inner, "structure", sheaf_json_new_text(structure));
	if (attributes) {
		fine &= sheaf_json_set(attributes, "number_of_diagonal_elements", sheaf_json_new_i64(d->diagonal));
		fine &= sheaf_json_set(inner, "attributes", attributes);
	}
	if (sheaf_json_set(json, BSP_ATTRIBUTE, inner) && fine) return json;
	sheaf_json_free(json);
	return NULL;
}

static bool put(void *user, const char *text, size_t size)
{
	sheaf_builder *b = (sheaf_builder *)user;
	sheaf_builder_append(b, text, size);
	return !b->failed;
}

sheaf_status sheaf_bsp_json_text(const sheaf_json *json, int indent, sheaf_context *cx, sheaf_buffer *text,
                                 sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_resume(&b, cx, text);
	bool fine = json && sheaf_json_print(json, indent, put, &b);
	if (!fine && !b.failed) {
		sheaf_builder_drop(&b);
		return sheaf_fail(err, SHEAF_NOMEM, "descriptor: expected memory for its JSON, found none");
	}
	return sheaf_builder_finish(&b, text, err);
}
