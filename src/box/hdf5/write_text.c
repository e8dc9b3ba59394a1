/* SPDX-License-Identifier: MIT */
/* Attributes: texts, which are scalars of variable length in UTF-8, and lists of numbers. */
#include "box/hdf5/write.h"

static sheaf_hdf5_message *find_attribute(const sheaf_hdf5_object *object, const char *name)
{
	for (sheaf_hdf5_message *m = object->attributes.first; m; m = m->next)
		if (!m->is_gone && strcmp(m->name, name) == 0) return m;
	return NULL;
}

void sheaf_hdf5_remove_attribute(const sheaf_hdf5_object *object, const char *name)
{
	sheaf_hdf5_message *m = find_attribute(object, name);
	if (m) m->is_gone = true;
}

static sheaf_status begin(sheaf_hdf5_writer *w, sheaf_hdf5_object *object)
{
	w->message.size = w->type.size = w->space.size = w->value.size = 0;
	return sheaf_hdf5_list_attributes(w, object);
}

/* Of what is in the builders. */
static sheaf_status replace(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                            sheaf_hdf5_message **out)
{
	SHEAF_TRY(sheaf_hdf5_put_attribute(w, name));
	sheaf_hdf5_remove_attribute(object, name);
	SHEAF_TRY(sheaf_hdf5_add_attribute(w, object, name, out));
	object->attributes_change = true;
	return SHEAF_OK;
}

static sheaf_status write_text(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                               sheaf_bytes text)
{
	sheaf_hdf5_message *message;
	int64_t at;
	SHEAF_TRY(begin(w, object));
	sheaf_hdf5_put_text_type(w, &w->type);
	sheaf_hdf5_put_scalar(&w->space);
	SHEAF_TRY(sheaf_hdf5_store_text(w, text, text.size, &w->value, &at));
	SHEAF_TRY(replace(w, object, name, &message));
	message->text = at;
	message->text_size = text.size;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_set_text(void *state, const sheaf_box_item *item, const char *name, const char *text,
                                 size_t size, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *object;
	w->err = err;
	SHEAF_TRY(sheaf_hdf5_find_object(w, item->inside->target, &object));
	return write_text(w, object, name, (sheaf_bytes){(const uint8_t *)text, size});
}

sheaf_status sheaf_hdf5_set_numbers(void *state, const sheaf_box_item *item, const char *name,
                                    sheaf_box_values values, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *object;
	sheaf_hdf5_message *message;
	w->err = err;
	SHEAF_TRY(sheaf_hdf5_find_object(w, item->inside->target, &object));
	SHEAF_TRY(begin(w, object));
	sheaf_hdf5_put_type(&w->type, values.type, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	sheaf_hdf5_put_space(w, &w->space, values.count, true);
	sheaf_builder_append(&w->value, values.values, (size_t)values.count * sheaf_type_size(values.type));
	return replace(w, object, name, &message);
}

/* Of what was written here: the text itself is in the file, or on its way there. */
sheaf_status sheaf_hdf5_read_new_text(sheaf_hdf5_writer *w, const sheaf_box_item *item, const char *name,
                                      sheaf_builder *text, bool *found)
{
	const sheaf_hdf5_object *object = sheaf_hdf5_known_object(w, item->inside->target);
	const sheaf_hdf5_message *m = object ? find_attribute(object, name) : NULL;
	*found = m && m->text;
	return *found ? sheaf_hdf5_read_text(w, m->text, m->text_size, text) : SHEAF_OK;
}
