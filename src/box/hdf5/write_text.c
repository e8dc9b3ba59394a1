/* SPDX-License-Identifier: MIT */
/* Attributes that are texts: scalars of variable length, in UTF-8. */
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

static sheaf_status write_text(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                               sheaf_bytes text, sheaf_error *err)
{
	sheaf_hdf5_message *message;
	int64_t at;
	SHEAF_TRY(sheaf_hdf5_list_attributes(w, object, err));
	w->message.size = w->type.size = w->space.size = w->value.size = 0;
	sheaf_hdf5_put_text_type(w, &w->type);
	sheaf_hdf5_put_scalar(&w->space);
	SHEAF_TRY(sheaf_hdf5_store_text(w, text, text.size, &w->value, &at, err));
	SHEAF_TRY(sheaf_hdf5_put_attribute(w, name, err));
	sheaf_hdf5_remove_attribute(object, name);
	SHEAF_TRY(sheaf_hdf5_add_attribute(w, object, name, &message, err));
	object->attributes_change = true;
	message->text = at;
	message->text_size = text.size;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf5_set_text(void *state, const sheaf_box_item *item, const char *name, const char *text,
                                 size_t size, sheaf_error *err)
{
	sheaf_hdf5_writer *w = (sheaf_hdf5_writer *)state;
	sheaf_hdf5_object *object;
	SHEAF_TRY(sheaf_hdf5_find_object(w, item->inside->target, &object, err));
	return write_text(w, object, name, (sheaf_bytes){(const uint8_t *)text, size}, err);
}

/* Of what was written here: the text itself is in the file, or on its way there. */
sheaf_status sheaf_hdf5_read_new_text(sheaf_hdf5_writer *w, const sheaf_box_item *item, const char *name,
                                      sheaf_builder *text, bool *found, sheaf_error *err)
{
	const sheaf_hdf5_object *object = sheaf_hdf5_known_object(w, item->inside->target);
	const sheaf_hdf5_message *m = object ? find_attribute(object, name) : NULL;
	*found = m && m->text;
	return *found ? sheaf_hdf5_read_text(w, m->text, m->text_size, text, err) : SHEAF_OK;
}
