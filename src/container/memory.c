/* SPDX-License-Identifier: MIT */
/* The box in memory: it is only a list, whose items hold their values. Drivers that write text attributes
 * at the end of a file keep them here until then. */
#include "base/extend.h"
#include "base/memory.h"
#include "container/inside.h"
#include <string.h>

typedef struct array {
	sheaf_builder values;
} array;

/* The catalog is all there is to open; the state is the context, which new arrays need. */
static sheaf_status open_box(sheaf_box *box, void *state, sheaf_error *err)
{
	(void)err;
	*(sheaf_context **)state = box->cx;
	return SHEAF_OK;
}

/* ---- texts ---- */

/* The layout of an attribute: its name, a NUL, its size, its bytes. */
typedef struct place {
	size_t begin, text, size;
	bool found;
} place;

/* Finds the attribute of that name in the list of an item, where each is its name with a NUL, its size
 * and its text. */
static place find_text(const sheaf_builder *texts, const char *name)
{
	for (size_t at = 0; at < texts->size;) {
		const char *its = (const char *)texts->data + at;
		size_t n = strlen(its) + 1, size;
		memcpy(&size, its + n, sizeof size);
		size_t text = at + n + sizeof size;
		if (strcmp(its, name) == 0) return (place){at, text, size, true};
		at = text + size;
	}
	return (place){0};
}

sheaf_status sheaf_memory_text(void *state, const sheaf_box_item *item, const char *name, sheaf_builder *text,
                               sheaf_error *err)
{
	(void)state;
	place p = find_text(&item->inside->texts, name);
	if (!p.found)
		return sheaf_fail(err, SHEAF_UNKNOWN, "/%s: expected an attribute \"%s\", found none", item->path,
		                  name);
	sheaf_builder_append(text, item->inside->texts.data + p.text, p.size);
	return SHEAF_OK;
}

/* Keeps an attribute at its item. A text of the same name is replaced: the old one is cut out, and the
 * new one comes last. */
sheaf_status sheaf_memory_set_text(void *state, const sheaf_box_item *item, const char *name,
                                   const char *text, size_t size, sheaf_error *err)
{
	(void)state;
	sheaf_builder *texts = &item->inside->texts;
	place old = find_text(texts, name);
	if (!sheaf_builder_room(texts, strlen(name) + 1 + sizeof size + size))
		return sheaf_builder_status(texts, err);
	if (old.found) {
		memmove(texts->data + old.begin, texts->data + old.text + old.size,
		        texts->size - old.text - old.size);
		texts->size -= old.text + old.size - old.begin;
	}
	sheaf_builder_append(texts, name, strlen(name) + 1);
	sheaf_builder_append(texts, &size, sizeof size);
	sheaf_builder_append(texts, text, size);
	return SHEAF_OK;
}

/* Gives the next attribute that is kept at an item in *at, which begins as zeros; false if there is none. */
bool sheaf_box_next_text(const sheaf_box_item *item, sheaf_box_text_at *at)
{
	const sheaf_builder *texts = &item->inside->texts;
	if (at->next >= texts->size) return false;
	at->name = (const char *)texts->data + at->next;
	size_t n = strlen(at->name) + 1;
	memcpy(&at->size, at->name + n, sizeof at->size);
	at->text = at->name + n + sizeof at->size;
	at->next += n + sizeof at->size + at->size;
	return true;
}

sheaf_status sheaf_memory_complete(void *state, sheaf_box_notes *notes, sheaf_error *err)
{
	(void)state;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder json = {.cx = notes->box->cx};
	for (sheaf_box_text_at at = {0}; sheaf_box_next_text(notes->item, &at);) {
		json.size = 0;
		sheaf_box_put_text(&json, at.text, at.size);
		SHEAF_TRY(sheaf_box_note_json(notes, (sheaf_bytes){(const uint8_t *)at.name, strlen(at.name)}, &json,
		                              err));
	}
	return SHEAF_OK;
}

/* ---- arrays ---- */

static sheaf_status remove_array(void *state, const sheaf_box_item *item, sheaf_error *err)
{
	(void)state, (void)item, (void)err;
	return SHEAF_OK;
}

/* Values are appended in memory, whatever the plan says about chunks. */
static sheaf_status new_array(void *state, sheaf_box_plan *plan, void *handle, sheaf_error *err)
{
	(void)err;
	((array *)handle)->values.cx = *(sheaf_context **)state;
	plan->chunk = 0;
	plan->offset = -1;
	return SHEAF_OK;
}

static sheaf_status append(void *handle, const void *values, size_t bytes, sheaf_error *err)
{
	array *a = (array *)handle;
	sheaf_builder_append(&a->values, values, bytes);
	return sheaf_builder_status(&a->values, err);
}

static void drop_array(void *handle) { sheaf_builder_drop(&((array *)handle)->values); }

/* The array can be read from now on. */
static sheaf_status end_array(void *handle, int64_t count, sheaf_box_item *item, sheaf_error *err)
{
	(void)count;
	sheaf_status status = sheaf_builder_finish(&((array *)handle)->values, &item->inside->held, err);
	item->bytes = (int64_t)item->inside->held.size;
	item->refused = NULL;
	return status;
}

const sheaf_box_driver sheaf_memory_driver = {
	.state_size = sizeof(sheaf_context *),
	.array_size = sizeof(array),
	.open = open_box,
	.text = sheaf_memory_text,
	.complete = sheaf_memory_complete,
	.remove = remove_array,
	.set_text = sheaf_memory_set_text,
	.new_array = new_array,
	.append = append,
	.end_array = end_array,
	.drop_array = drop_array,
};
