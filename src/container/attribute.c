/* SPDX-License-Identifier: MIT */
/* Attributes, read like the elements of arrays. A driver describes an attribute as an item of a small
 * catalog of its own, whose root it is, and gives the stored bytes; conversion is that of arrays, and so is
 * the refusal of numbers that do not fit. Listings show all attributes of an item, as JSON. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/extend.h"
#include "base/status.h"
#include "container/bits.h"
#include "container/inside.h"
#include "frame/schema/json_text.h"
#include "frame/value.h"
#include "io/descriptor.h"
#include "number/number.h"
#include <string.h>

/* Turns the first `count` numbers of other types than ours into ours, in place: they may become wider. */
static sheaf_status expand(const sheaf_box_item *what, sheaf_builder *bytes, size_t count, sheaf_error *err)
{
	size_t room = count * sheaf_type_size(what->type);
	if (room > bytes->size && !sheaf_builder_room(bytes, room - bytes->size))
		return sheaf_builder_status(bytes, err);
	if (what->inside->bits) sheaf_box_expand(what->inside->bits, what->type, bytes->data, count);
	return SHEAF_OK;
}

/* Describes an attribute as the root of a catalog, and appends its elements as they are stored; UNKNOWN if
 * there is none. */
static sheaf_status take(sheaf_box *box, const char *path, const char *name, sheaf_catalog *catalog,
                         sheaf_builder *bytes, sheaf_error *err)
{
	const sheaf_box_item *item = sheaf_catalog_find(&box->catalog, path);
	if (box->failure.status) return sheaf_fail_again(err, &box->failure);
	if (item && item->inside->target && box->driver->attribute)
		return box->driver->attribute(box->state, item, name, catalog, bytes, err);
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none", box->name,
	                  path, name);
}

/* Reads an attribute of numbers as a type into *out, which the caller resets; UNKNOWN if there is none.
 * A number that the type does not hold is an error. */
sheaf_status sheaf_box_numbers(sheaf_box *box, const char *path, const char *name, sheaf_type type,
                               sheaf_buffer *out, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_catalog_close) sheaf_catalog catalog = {0};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bytes = {.cx = box->cx}, b = {.cx = box->cx};
	sheaf_buffer_reset(out);
	SHEAF_TRY(take(box, path, name, &catalog, &bytes, err));
	const sheaf_box_item *attribute = &catalog.items[0];
	bool is_number = attribute->what == SHEAF_BOX_NUMBERS || attribute->what == SHEAF_BOX_BOOLS;
	if (is_number) {
		size_t count = (size_t)attribute->count, size = count * sheaf_type_size(type);
		SHEAF_TRY(expand(attribute, &bytes, count, err));
		if (!sheaf_builder_room(&b, size ? size : 1)) return sheaf_builder_status(&b, err);
		sheaf_box_stored stored = {attribute->type, attribute->inside->is_swapped, bytes.data, count};
		int64_t changed = sheaf_box_convert(stored, type, b.data);
		b.size = size;
		if (changed < 0) return sheaf_builder_finish(&b, out, err);
	}
	return sheaf_fail(err, SHEAF_DATA, "%s: /%s: expected the attribute \"%s\" to be %s, found %s", box->name,
	                  path, name, is_number ? sheaf_type_name(type) : "numbers",
	                  is_number ? "another number" : attribute->of);
}

/* Reads an attribute that is a list of texts: their bytes one after another, and where each begins, one
 * offset more than there are texts. A list of nothing has any type. */
sheaf_status sheaf_box_texts(sheaf_box *box, const char *path, const char *name, sheaf_buffer *bytes,
                             sheaf_buffer *offsets, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_catalog_close) sheaf_catalog catalog = {0};
	SHEAF_SCOPED(sheaf_builder_drop)
	sheaf_builder stored = {.cx = box->cx}, texts = {.cx = box->cx}, ends = {.cx = box->cx};
	SHEAF_TRY(take(box, path, name, &catalog, &stored, err));
	const sheaf_box_item *attribute = &catalog.items[0];
	int64_t count = attribute->count;
	if (count > 0 && attribute->what != SHEAF_BOX_TEXTS)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: /%s: expected the attribute \"%s\" to be a list of texts, found %s", box->name,
		                  path, name, attribute->of);
	sheaf_builder_i64(&ends, 0);
	for (int64_t i = 0; i < count; i++) {
		const uint8_t *element = stored.data + (size_t)i * (stored.size / (size_t)count);
		SHEAF_TRY(box->driver->text_of(box->state, attribute, element, &texts, err));
		sheaf_builder_i64(&ends, (int64_t)texts.size);
	}
	SHEAF_TRY(sheaf_builder_finish(&texts, bytes, err));
	return sheaf_builder_finish(&ends, offsets, err);
}

/* ---- for listings ---- */

void sheaf_box_put_text(sheaf_builder *json, const void *text, size_t size)
{
	enum { MOST = 400 };
	bool is_long = size > MOST;
	sheaf_json_string(json, (const char *)text, is_long ? MOST : size);
	if (is_long && !json->failed) json->size--;
	if (is_long) sheaf_builder_text(json, "...\"");
}

/* Numbers that JSON does not have (nan, inf) are texts. */
static void put_number(const sheaf_box_item *what, const uint8_t *at, sheaf_builder *json)
{
	char text[SHEAF_NUMBER_MAX + 1];
	uint64_t value = 0;
	sheaf_box_convert((sheaf_box_stored){what->type, what->inside->is_swapped, at, 1}, what->type, &value);
	*sheaf_value_print(what->type, &value, 0, text) = '\0';
	sheaf_builder_printf(json, strpbrk(text, "in") ? "\"%s\"" : "%s", text);
}

/* Appends element i of an attribute. */
static sheaf_status put_element(const sheaf_box_notes *notes, const sheaf_box_item *what,
                                const sheaf_builder *elements, int64_t i, sheaf_builder *json,
                                sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder text = {.cx = notes->box->cx};
	size_t size = what->what == SHEAF_BOX_TEXTS ? what->inside->width : sheaf_type_size(what->type);
	const uint8_t *at = elements->data + (size_t)i * size * (size_t)what->inside->per;
	switch (what->what) {
	case SHEAF_BOX_TEXTS:
		SHEAF_TRY(notes->box->driver->text_of(notes->box->state, what, at, &text, err));
		sheaf_box_put_text(json, text.data, text.size);
		return SHEAF_OK;
	case SHEAF_BOX_BOOLS:
		if (*at > 1) break;
		sheaf_builder_text(json, *at ? "true" : "false");
		return SHEAF_OK;
	case SHEAF_BOX_COMPLEX:
		sheaf_builder_byte(json, '[');
		put_number(what, at, json);
		sheaf_builder_byte(json, ',');
		put_number(what, at + size, json);
		sheaf_builder_byte(json, ']');
		return SHEAF_OK;
	default: break;
	}
	put_number(what, at, json);
	return SHEAF_OK;
}

/* Appends the elements of an attribute, of which the first few stand for all of a long list. */
static sheaf_status put_elements(const sheaf_box_notes *notes, const sheaf_box_item *what,
                                 sheaf_builder *elements, sheaf_builder *json, sheaf_error *err)
{
	enum { MOST = 16 };
	int64_t count = what->count / what->inside->per, shown = count < MOST ? count : MOST;
	if (what->is_null) return sheaf_builder_text(json, "null"), sheaf_builder_status(json, err);
	SHEAF_TRY(expand(what, elements, (size_t)(shown * what->inside->per), err));
	if (count != 1) sheaf_builder_byte(json, '[');
	for (int64_t i = 0; i < shown; i++) {
		if (i) sheaf_builder_byte(json, ',');
		SHEAF_TRY(put_element(notes, what, elements, i, json, err));
	}
	if (count > shown) sheaf_builder_text(json, ",\"...\"");
	if (count != 1) sheaf_builder_byte(json, ']');
	return sheaf_builder_status(json, err);
}

sheaf_status sheaf_box_note_json(sheaf_box_notes *notes, sheaf_bytes name, const sheaf_builder *json,
                                 sheaf_error *err)
{
	sheaf_box_attribute it;
	SHEAF_TRY(sheaf_builder_status(json, err));
	SHEAF_TRY(sheaf_catalog_copy_bytes(notes->catalog, name.data, name.size, &it.name, err));
	SHEAF_TRY(sheaf_catalog_copy_bytes(notes->catalog, json->data, json->size, &it.value, err));
	sheaf_builder_append(&notes->list, &it, sizeof it);
	return sheaf_builder_status(&notes->list, err);
}

sheaf_status sheaf_box_note_refused(sheaf_box_notes *notes, sheaf_bytes name, const char *type,
                                    const char *why, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder json = {.cx = notes->box->cx};
	sheaf_builder_byte(&json, '{');
	if (type) sheaf_member_text(&json, "type", type);
	if (why) sheaf_member_text(&json, "refused", why);
	sheaf_builder_byte(&json, '}');
	return sheaf_box_note_json(notes, name, &json, err);
}

/* Notes the value of an attribute, or, if it is not read, why. Failures that the file has not caused end the
 * listing. */
sheaf_status sheaf_box_note(sheaf_box_notes *notes, sheaf_bytes name, const sheaf_box_item *what,
                            sheaf_builder *elements, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder json = {.cx = notes->box->cx};
	sheaf_error failure = {0};
	if (what->what >= SHEAF_BOX_RECORDS) return sheaf_box_note_refused(notes, name, what->of, NULL, err);
	sheaf_status status = put_elements(notes, what, elements, &json, &failure);
	if (!status) return sheaf_box_note_json(notes, name, &json, err);
	if (!sheaf_is_flaw(status)) return sheaf_fail_again(err, &failure);
	return sheaf_box_note_refused(notes, name, what->of, failure.message, err);
}

/* Completes an item. If its attributes cannot even be listed, the reason stands in their place. */
sheaf_status sheaf_box_complete(sheaf_box *box, sheaf_box_item *item, sheaf_catalog *catalog,
                                sheaf_error *err)
{
	sheaf_error failure = {0};
	SHEAF_TRY(sheaf_catalog_open(catalog, box->cx, err));
	if (!item->inside->target || !box->driver->complete) return SHEAF_OK;
	sheaf_box_notes notes = {box, item, catalog, {.cx = box->cx}};
	sheaf_status status = box->driver->complete(box->state, &notes, &failure);
	if (status && sheaf_is_flaw(status))
		status = sheaf_box_note_refused(&notes, (sheaf_bytes){(const uint8_t *)"(others)", 8}, NULL,
		                                failure.message, &failure);
	item->nattributes = (int64_t)(notes.list.size / sizeof *item->attributes);
	if (!status)
		status = sheaf_catalog_copy_bytes(catalog, notes.list.data, notes.list.size, &item->attributes,
		                                  &failure);
	sheaf_builder_drop(&notes.list);
	return status ? sheaf_fail_again(err, &failure) : SHEAF_OK;
}

sheaf_status sheaf_box_attributes(sheaf_box *box, const sheaf_box_item *item, sheaf_builder *names,
                                  sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_catalog_close) sheaf_catalog catalog = {0};
	sheaf_box_item whole = *item;
	SHEAF_TRY(sheaf_box_complete(box, &whole, &catalog, err));
	for (int64_t i = 0; i < whole.nattributes; i++)
		sheaf_builder_append(names, whole.attributes[i].name, strlen(whole.attributes[i].name) + 1);
	return sheaf_builder_status(names, err);
}
