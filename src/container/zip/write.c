/* SPDX-License-Identifier: MIT */
/* The driver that writes archives of NumPy (.npz). An array whose length is known gets its place at once,
 * and several may be open; others wait in temporary files, and those to be compressed in memory. Texts
 * are members of their own, after all arrays: arrays of NumPy without dimensions, in characters of four
 * bytes, which numpy.load gives as text. */
#include "base/context.h"
#include "base/extend.h"
#include "base/memory.h"
#include "base/third/deflate.h"
#include "container/characters.h"
#include "container/zip/archive.h"
#include "container/zip/zip_write.h"
#include "io/strand.h"
#include <string.h>

/* An archive that is being written. */
typedef struct state {
	sheaf_context *cx;
	sheaf_box *box;
	sheaf_zip_output zip;
} state;

/* An array that is being written: its values go through the strand, which counts them and their checksum. */
typedef struct array {
	state *s;
	sheaf_box_plan plan;
	sheaf_strand strand;
	sheaf_zip_head head;
	sheaf_builder name, header;
	bool is_placed;
} array;

/* ---- members ---- */

/* A member's name, once it has its NUL. */
static const char *name_of(const sheaf_builder *name) { return (const char *)name->data; }

/* numpy.load knows members by their names without .npy. */
static sheaf_status name_member(sheaf_builder *name, const char *group, const char *own, sheaf_error *err)
{
	sheaf_builder_printf(name, "%s%s%s.npy", group, *group ? "/" : "", own);
	sheaf_builder_byte(name, '\0');
	return sheaf_builder_status(name, err);
}

/* Writes a member that is whole in memory, deflated (method 8) if `level` is not 0 and that makes it
 * smaller, else stored as it is, at an aligned place. */
static sheaf_status put_whole(state *s, const char *name, const sheaf_builder *bytes, int level,
                              sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder packed = {.cx = s->cx};
	sheaf_zip_head head = {.name = name,
	                       .size = bytes->size,
	                       .stored = bytes->size,
	                       .sum = sheaf_crc32(0, bytes->data, bytes->size)};
	sheaf_bytes contents = {bytes->data, bytes->size};
	sheaf_deflater *deflater = level ? sheaf_deflater_new(level) : NULL;
	if (level && !deflater)
		return sheaf_fail(err, SHEAF_NOMEM, "%s: expected memory to compress with, found none", s->box->name);
	if (deflater && sheaf_builder_room(&packed, bytes->size))
		packed.size = sheaf_deflate_raw(deflater, bytes->data, bytes->size, packed.data, bytes->size);
	sheaf_deflater_free(deflater);
	SHEAF_TRY(sheaf_builder_status(&packed, err));
	if (packed.size) {
		contents = sheaf_builder_bytes(&packed);
		head.stored = packed.size;
		head.method = 8;
	}
	SHEAF_TRY(sheaf_zip_reserve(&s->zip, &head, head.method == 0, err));
	return sheaf_zip_put(&s->zip, &head, contents, err);
}

/* ---- arrays ---- */

/* What an array owns, complete or not. */
static void drop_array(void *handle)
{
	array *a = (array *)handle;
	sheaf_strand_drop(&a->strand);
	sheaf_builder_drop(&a->name);
	sheaf_builder_drop(&a->header);
}

/* Makes the header of an array's .npy file. A text of fixed size is NumPy's S. */
static void put_header(array *a, int64_t count)
{
	const char kinds[] = {'u', 'i', 'f'};
	sheaf_part part = {.kind = kinds[(a->plan.type >= SHEAF_I8) + (a->plan.type >= SHEAF_F32)],
	                   .size = (int64_t)sheaf_type_size(a->plan.type)};
	if (a->plan.text_size) {
		part = (sheaf_part){.kind = 'S', .size = a->plan.text_size};
		count /= a->plan.text_size;
	}
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = part.size};
	sheaf_array_put_header(&a->header, &(sheaf_array_head){&dtype, 1, &count, false});
}

/* Gives a member of known size its place in the file: local header, header of the array, values. */
static sheaf_status place_array(array *a, int64_t count, sheaf_error *err)
{
	put_header(a, count);
	SHEAF_TRY(sheaf_builder_status(&a->header, err));
	a->head = (sheaf_zip_head){.name = name_of(&a->name)};
	a->head.size = a->head.stored = a->header.size + (uint64_t)count * sheaf_type_size(a->plan.type);
	SHEAF_TRY(sheaf_zip_reserve(&a->s->zip, &a->head, true, err));
	a->is_placed = true;
	return sheaf_strand_place(&a->strand, a->s->box->sink,
	                          (int64_t)(a->head.at + sheaf_zip_local_size(&a->head) + a->header.size), err);
}

/* Begins an array. One that is packed waits in memory, as its size is known only at the end; any other
 * one of known length gets its place at once. */
static sheaf_status new_array(void *memory, sheaf_box_plan *plan, void *handle, sheaf_error *err)
{
	state *s = (state *)memory;
	array *a = (array *)handle;
	*a = (array){.s = s, .plan = *plan, .name = {.cx = s->cx}, .header = {.cx = s->cx}};
	sheaf_strand_begin(&a->strand, plan->deflate > 0, s->cx);
	plan->chunk = 0;
	plan->offset = -1;
	SHEAF_TRY(name_member(&a->name, "", plan->path, err));
	return plan->count >= 0 && !plan->deflate ? place_array(a, plan->count, err) : SHEAF_OK;
}

static sheaf_status append(void *handle, const void *values, size_t bytes, sheaf_error *err)
{
	return sheaf_strand_add(&((array *)handle)->strand, values, bytes, err);
}

/* Ends the member of an array of `count` values. Its checksum is that of its header and its values, which
 * were counted apart. */
static sheaf_status end_array(void *handle, int64_t count, sheaf_box_item *item, sheaf_error *err)
{
	array *a = (array *)handle;
	(void)item;
	if (a->plan.deflate) {
		put_header(a, count);
		sheaf_builder_append(&a->header, a->strand.held.data, a->strand.held.size);
		SHEAF_TRY(sheaf_builder_status(&a->strand.held, err));
		SHEAF_TRY(sheaf_builder_status(&a->header, err));
		return put_whole(a->s, name_of(&a->name), &a->header, a->plan.deflate, err);
	}
	if (!a->is_placed) SHEAF_TRY(place_array(a, count, err));
	SHEAF_TRY(sheaf_strand_end(&a->strand, err));
	uint32_t sum = sheaf_crc32(0, a->header.data, a->header.size);
	a->head.sum = sheaf_crc32_join(sum, a->strand.sum, a->strand.size);
	return sheaf_zip_put(&a->s->zip, &a->head, sheaf_builder_bytes(&a->header), err);
}

/* ---- texts ---- */

/* NumPy has no attributes: an array has no place for them. */
static sheaf_status set_text(void *memory, const sheaf_box_item *item, const char *name, const char *text,
                             size_t size, sheaf_error *err)
{
	const state *s = (const state *)memory;
	if (!item->is_group)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a text about a group, found one about the array /%s, for which an "
		                  "archive has no place",
		                  s->box->name, item->path);
	return sheaf_memory_set_text(NULL, item, name, text, size, err);
}

/* Writes a text as an array without dimensions. An empty one is a single NUL, since NumPy has no type of
 * size 0 for it. */
static sheaf_status put_text(state *s, const char *group, sheaf_box_text_at at, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop)
	sheaf_builder bytes = {.cx = s->cx}, name = {.cx = s->cx}, text = {.cx = s->cx};
	size_t count = sheaf_box_spread_utf8(&text, (const uint8_t *)at.text, at.size);
	if (count == 0) sheaf_builder_u32le(&text, 0), count = 1;
	sheaf_part part = {.kind = 'U', .size = 4 * (int64_t)count};
	sheaf_dtype dtype = {.parts = &part, .nparts = 1, .size = part.size};
	SHEAF_TRY(name_member(&name, group, at.name, err));
	sheaf_array_put_header(&bytes, &(sheaf_array_head){.dtype = &dtype});
	sheaf_builder_append(&bytes, text.data, text.size);
	SHEAF_TRY(sheaf_builder_status(text.failed ? &text : &bytes, err));
	return put_whole(s, name_of(&name), &bytes, 0, err);
}

/* ---- opening and finishing ---- */

static void close_state(void *memory) { sheaf_zip_drop(&((state *)memory)->zip); }

static sheaf_status open_state(sheaf_box *box, void *memory, sheaf_error *err)
{
	state *s = (state *)memory;
	(void)err;
	*s = (state){.cx = box->cx, .box = box};
	sheaf_zip_begin(&s->zip, box->sink, box->cx);
	return SHEAF_OK;
}

/* Writes the texts, which come last, when all of them are known, and the list of members. */
static sheaf_status finish(void *memory, sheaf_error *err)
{
	state *s = (state *)memory;
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(s->box, &count);
	for (int64_t i = 0; i < count; i++) {
		sheaf_box_text_at at = {0};
		while (sheaf_box_next_text(&items[i], &at)) SHEAF_TRY(put_text(s, items[i].path, at, err));
	}
	return sheaf_zip_finish(&s->zip, err);
}

const sheaf_box_driver sheaf_archive_writing_driver = {
	.state_size = sizeof(state),
	.array_size = sizeof(array),
	.open = open_state,
	.finish = finish,
	.close = close_state,
	.text = sheaf_memory_text,
	.set_text = set_text,
	.new_array = new_array,
	.append = append,
	.end_array = end_array,
	.drop_array = drop_array,
};
