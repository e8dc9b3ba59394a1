/* SPDX-License-Identifier: MIT */
/* Attributes that are texts: scalars of variable length, in UTF-8. */
#include "box/hdf5/write.h"

static sheaf_hdf5_message *find_attribute(const sheaf_hdf5_object *object, const char *name)
{
	for (sheaf_hdf5_message *m = object->attributes.first; m; m = m->next)
		if (!m->is_gone && strcmp(m->name, name) == 0) return m;
	return NULL;
}

static sheaf_status write_text(sheaf_hdf5_writer *w, sheaf_hdf5_object *object, const char *name,
                               sheaf_bytes text, sheaf_error *err)
{
	sheaf_hdf5_message *old = find_attribute(object, name), *message;
	sheaf_builder *b = &w->message;
	int64_t at;
	b->size = 0;
	w->type.size = w->space.size = w->value.size = 0;
	sheaf_hdf5_text_type(w, &w->type);
	sheaf_hdf5_scalar(&w->space);
	SHEAF_TRY(sheaf_hdf5_put_text(w, text, text.size, &w->value, &at, err));
	SHEAF_TRY(sheaf_hdf5_describe_attribute(w, name, err));
	SHEAF_TRY(sheaf_hdf5_add_attribute(w, object, name, &message, err));
	message->text = at;
	message->text_size = text.size;
	if (old) old->is_gone = true;
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
	sheaf_hdf5_object *object;
	*found = false;
	SHEAF_TRY(sheaf_hdf5_find_object(w, item->inside->target, &object, err));
	const sheaf_hdf5_message *m = find_attribute(object, name);
	*found = m && m->text;
	return *found ? sheaf_hdf5_read_text(w, m->text, m->text_size, text, err) : SHEAF_OK;
}
