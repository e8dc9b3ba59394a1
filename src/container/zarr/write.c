/* SPDX-License-Identifier: MIT */
/* The driver that writes Zarr: chunks as they come, and at the end the JSON of each group and array. In a
 * folder each member is a file; in a ZIP file members follow each other uncompressed, since chunks are
 * packed already, and so that a part of one can be read. */
#include "base/context.h"
#include "base/endian.h"
#include "base/extend.h"
#include "base/memory.h"
#include "container/filter.h"
#include "container/zarr/zarr.h"
#include "container/zip/zip_write.h"
#include "frame/schema/json_text.h"
#include "io/filters/filter.h"
#include "io/sink.h"
#include <inttypes.h>
#include <string.h>

/* A box that is being written. */
typedef struct state {
	sheaf_context *cx;
	sheaf_box *box;
	int version;
	bool is_zip;
	sheaf_zip_output zip;
} state;

/* An array that is being written. */
typedef struct array {
	state *s;
	sheaf_box_plan *plan; /* the caller's, whose path is known once the array is listed */
	sheaf_builder texts;  /* as they come, all of one size */
} array;

/* ---- members ---- */

/* Writes a member whose bytes are all there: a file, whose folders the sink makes, or the next member of
 * the archive, stored without compression. */
static sheaf_status put_member(state *s, const char *folder, const char *name, sheaf_bytes bytes,
                               sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder path = {.cx = s->cx};
	sheaf_builder_printf(&path, "%s%s%s", folder, *folder ? "/" : "", name);
	sheaf_builder_byte(&path, '\0');
	SHEAF_TRY(sheaf_builder_status(&path, err));
	const char *text = (const char *)path.data;
	if (s->is_zip) {
		sheaf_zip_head head = {.name = text,
		                       .size = bytes.size,
		                       .stored = bytes.size,
		                       .sum = sheaf_crc32(0, bytes.data, bytes.size)};
		SHEAF_TRY(sheaf_zip_reserve(&s->zip, &head, false, err));
		SHEAF_TRY(sheaf_zip_put(&s->zip, &head, (sheaf_bytes){0}, err));
		int64_t at = (int64_t)(head.at + sheaf_zip_local_size(&head));
		return sheaf_sink_write_at(s->box->sink, at, bytes.data, bytes.size, err);
	}
	return sheaf_sink_put(s->box->sink, text, bytes, err);
}

/* ---- attributes, kept as JSON until the end ---- */

/* An attribute whose JSON is in a builder. */
static sheaf_status keep(const sheaf_box_item *item, const char *name, const sheaf_builder *json,
                         sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_status(json, err));
	return sheaf_memory_set_text(NULL, item, name, (const char *)json->data, json->size, err);
}

/* Keeps an attribute. The text of an object of JSON is written as the object, as it is also read like
 * that; any other text as a string. */
static sheaf_status set_text(void *memory, const sheaf_box_item *item, const char *name, const char *text,
                             size_t size, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder json = {.cx = ((const state *)memory)->cx};
	sheaf_json *value = NULL;
	sheaf_status status = SHEAF_DATA;
	if (size && text[0] == '{') status = sheaf_json_parse(text, size, "attribute", &value, NULL);
	if (!status && sheaf_json_kind_of(value) == SHEAF_JSON_OBJECT)
		sheaf_builder_append(&json, text, size);
	else
		sheaf_json_string(&json, text, size);
	sheaf_json_free(value);
	return keep(item, name, &json, err);
}

/* Keeps numbers as an attribute of an item, as a list of JSON. Integers beyond 2^63 are refused, as not
 * everyone would read them as they are. */
static sheaf_status set_numbers(void *memory, const sheaf_box_item *item, const char *name,
                                sheaf_box_values values, sheaf_error *err)
{
	const state *s = (const state *)memory;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder json = {.cx = s->cx};
	bool is_scalar = values.shape && values.rank == 0;
	if (!is_scalar) sheaf_builder_byte(&json, '[');
	for (int64_t i = 0; i < values.count; i++) {
		const uint8_t *at = (const uint8_t *)values.values + (size_t)i * sheaf_type_size(values.type);
		sheaf_box_stored one = {values.type, false, at, 1};
		int64_t whole;
		double real;
		if (i) sheaf_builder_byte(&json, ',');
		if (values.what == SHEAF_BOX_BOOLS) {
			sheaf_builder_text(&json, *at ? "true" : "false");
			continue;
		}
		if (values.type >= SHEAF_F32) {
			sheaf_box_convert(one, SHEAF_F64, &real);
			sheaf_json_real(&json, real);
			continue;
		}
		if (sheaf_box_convert(one, SHEAF_I64, &whole) >= 0)
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "%s: expected numbers below 2^63 in \"%s\", found another", s->box->name, name);
		sheaf_builder_printf(&json, "%" PRId64, whole);
	}
	if (!is_scalar) sheaf_builder_byte(&json, ']');
	return keep(item, name, &json, err);
}

/* Keeps a list of texts as an attribute. */
static sheaf_status set_texts(void *memory, const sheaf_box_item *item, const char *name,
                              const char *const *texts, int count, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder json = {.cx = ((const state *)memory)->cx};
	sheaf_builder_byte(&json, '[');
	for (int i = 0; i < count; i++) {
		if (i) sheaf_builder_byte(&json, ',');
		sheaf_json_string(&json, texts[i], strlen(texts[i]));
	}
	sheaf_builder_byte(&json, ']');
	return keep(item, name, &json, err);
}

/* Attributes that are being written are never read: they are JSON already, and whoever asks wants the text.
 */
static sheaf_status get_text(void *memory, const sheaf_box_item *item, const char *name, sheaf_builder *text,
                             sheaf_error *err)
{
	(void)text;
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\" to read, found one to write",
	                  ((const state *)memory)->box->name, item->path, name);
}

/* The attributes of an item, which are JSON already. */
static void put_attributes(const sheaf_box_item *item, sheaf_builder *json)
{
	sheaf_box_text_at at = {0};
	sheaf_builder_byte(json, '{');
	for (int i = 0; sheaf_box_next_text(item, &at); i++) {
		if (i) sheaf_builder_byte(json, ',');
		sheaf_json_string(json, at.name, strlen(at.name));
		sheaf_builder_byte(json, ':');
		sheaf_builder_append(json, at.text, at.size);
	}
	sheaf_builder_byte(json, '}');
}

/* ---- metadata ---- */

/* A list of a first number, and of the other extents of the array, each at least `least`. */
static void put_list(const sheaf_box_plan *plan, int64_t first, int64_t least, sheaf_builder *json)
{
	sheaf_builder_byte(json, '[');
	for (int d = 0; d < plan->rank; d++) {
		int64_t extent = plan->shape[d] > least ? plan->shape[d] : least;
		sheaf_builder_printf(json, d ? ",%" PRId64 : "%" PRId64, d ? extent : first);
	}
	sheaf_builder_byte(json, ']');
}

/* The extents of a chunk, all of which are at least 1: whole rows. */
static void put_extents(const sheaf_box_plan *plan, sheaf_builder *json)
{
	int64_t rows = plan->chunk / sheaf_box_row(plan);
	put_list(plan, rows > 1 ? rows : 1, 1, json);
}

/* Texts are counted one by one; the plan counts their bytes. */
static void put_shape(const sheaf_box_plan *plan, sheaf_builder *json)
{
	int64_t per = plan->text_size ? plan->text_size : sheaf_box_parts(plan);
	put_list(plan, plan->rank == 1 ? plan->count / per : plan->shape[0], 0, json);
}

/* What elements that are not stored are. */
static const char *fill_of(const sheaf_box_plan *plan)
{
	if (plan->what == SHEAF_BOX_COMPLEX) return "[0.0,0.0]";
	if (plan->what == SHEAF_BOX_BOOLS) return "false";
	return plan->text_size ? "\"\"" : plan->type >= SHEAF_F32 ? "0.0" : "0";
}

/* The name of a type in version 3. */
static const char *type_of(const sheaf_box_plan *plan)
{
	if (plan->what == SHEAF_BOX_COMPLEX) return plan->type == SHEAF_F32 ? "complex64" : "complex128";
	if (plan->what == SHEAF_BOX_BOOLS) return "bool";
	return plan->text_size ? "string" : sheaf_type_name(plan->type);
}

/* gzip has no level above 9; those are ours alone. */
static int level_of(const sheaf_box_plan *plan) { return plan->deflate > 9 ? 9 : plan->deflate; }

/* Appends the members of zarr.json that describe an array in version 3; the attributes follow in the same
 * file. */
static void put_new_array(const sheaf_box_plan *plan, sheaf_builder *json)
{
	sheaf_builder_text(json, "\"shape\":");
	put_shape(plan, json);
	sheaf_builder_printf(json,
	                     ",\"data_type\":\"%s\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{"
	                     "\"chunk_shape\":",
	                     type_of(plan));
	put_extents(plan, json);
	sheaf_builder_printf(json,
	                     "}},\"chunk_key_encoding\":{\"name\":\"default\",\"configuration\":{\"separator\":"
	                     "\"/\"}},\"fill_value\":%s,\"codecs\":[",
	                     fill_of(plan));
	if (plan->text_size)
		sheaf_builder_text(json, "{\"name\":\"vlen-utf8\"}");
	else
		sheaf_builder_text(json, "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}");
	if (plan->zstd)
		sheaf_builder_text(json, ",{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":true}}");
	else if (plan->deflate)
		sheaf_builder_printf(json, ",{\"name\":\"gzip\",\"configuration\":{\"level\":%d}}", level_of(plan));
	sheaf_builder_text(json, "],");
}

/* Stores the JSON that a builder has as a member. */
static sheaf_status put_built(state *s, const char *folder, const char *name, sheaf_builder *json,
                              sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_status(json, err));
	return put_member(s, folder, name, sheaf_builder_bytes(json), err);
}

/* Writes the metadata of an item in version 2, which has three kinds of files: .zgroup or .zarray, and
 * .zattrs if there are attributes. Texts are objects with the filter vlen-utf8. */
static sheaf_status put_old(state *s, const sheaf_box_item *item, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder json = {.cx = s->cx}, attributes = {.cx = s->cx};
	sheaf_builder_text(&json, "{\"zarr_format\":2");
	if (!item->is_group) {
		const sheaf_box_plan *plan = &item->inside->zarr->plan;
		sheaf_builder_text(&json, ",\"shape\":");
		put_shape(plan, &json);
		sheaf_builder_text(&json, ",\"chunks\":");
		put_extents(plan, &json);
		sheaf_builder_text(&json, ",\"dtype\":");
		size_t size = sheaf_type_size(plan->type) * (size_t)sheaf_box_parts(plan);
		char order = size == 1 ? '|' : '<';
		char kind = (char)(plan->type >= SHEAF_F32 ? 'f' : plan->type >= SHEAF_I8 ? 'i' : 'u');
		if (plan->what == SHEAF_BOX_COMPLEX) kind = 'c';
		if (plan->what == SHEAF_BOX_BOOLS) kind = 'b';
		if (plan->text_size)
			sheaf_builder_text(&json, "\"|O\"");
		else
			sheaf_builder_printf(&json, "\"%c%c%zu\"", order, kind, size);
		sheaf_builder_printf(&json, ",\"fill_value\":%s,\"order\":\"C\",\"filters\":%s,\"compressor\":",
		                     plan->what == SHEAF_BOX_COMPLEX ? "null" : fill_of(plan),
		                     plan->text_size ? "[{\"id\":\"vlen-utf8\"}]" : "null");
		if (plan->zstd)
			sheaf_builder_text(&json, "{\"id\":\"zstd\",\"level\":3}");
		else if (plan->deflate)
			sheaf_builder_printf(&json, "{\"id\":\"gzip\",\"level\":%d}", level_of(plan));
		else
			sheaf_builder_text(&json, "null");
	}
	sheaf_builder_byte(&json, '}');
	SHEAF_TRY(put_built(s, item->path, item->is_group ? ".zgroup" : ".zarray", &json, err));
	if (item->inside->texts.size == 0) return SHEAF_OK;
	put_attributes(item, &attributes);
	return put_built(s, item->path, ".zattrs", &attributes, err);
}

/* ---- chunks ---- */

/* Packs a chunk by Zstandard, or as a gzip member: its head, deflate, the checksum and the size. *out
 * points into f, or is the chunk itself if nothing is to pack. A chunk is packed even if that makes it
 * larger, because readers expect the codec. */
sheaf_status sheaf_zarr_pack(const sheaf_box_plan *plan, sheaf_filtering *f, sheaf_bytes chunk,
                             sheaf_bytes *out, sheaf_error *err)
{
	enum { HEAD = 10, TAIL = 8 };
	static const uint8_t head[HEAD] = {0x1f, 0x8b, 8, [9] = 255};
	sheaf_builder *b = &f->bytes[0];
	const char *found;
	*out = chunk;
	if (!plan->zstd && !plan->deflate) return SHEAF_OK;
	if (!b->cx) sheaf_builder_begin(b, f->cx, NULL);
	b->size = 0;
	if (plan->zstd) {
		sheaf_status status = sheaf_filter_pack(&sheaf_filter_zstd, chunk, b, &found);
		*out = sheaf_builder_bytes(b);
		return status ? sheaf_fail(err, status, "expected to compress a chunk by Zstandard, found %s", found)
		              : SHEAF_OK;
	}
	size_t room = sheaf_deflate_raw_room(chunk.size);
	if (!f->deflater) f->deflater = sheaf_deflater_new(plan->deflate);
	if (!f->deflater) return sheaf_fail(err, SHEAF_NOMEM, "expected memory to compress a chunk, found none");
	sheaf_builder_append(b, head, HEAD);
	if (!sheaf_builder_room(b, room + TAIL)) return sheaf_builder_status(b, err);
	size_t packed = sheaf_deflate_raw(f->deflater, chunk.data, chunk.size, b->data + HEAD, room);
	if (packed == 0)
		return sheaf_fail(err, SHEAF_LIMIT, "expected to compress a chunk of %zu bytes into %zu, found more",
		                  chunk.size, room);
	b->size += packed;
	sheaf_builder_u32le(b, sheaf_crc32(0, chunk.data, chunk.size));
	sheaf_builder_u32le(b, (uint32_t)chunk.size);
	*out = sheaf_builder_bytes(b);
	return sheaf_builder_status(b, err);
}

/* The member of a chunk: all its numbers after the first are 0, since chunks are whole rows. */
static sheaf_status write_chunk(void *handle, int64_t chunk, uint32_t skipped, const void *bytes, size_t size,
                                sheaf_error *err)
{
	char name[60], number[24];
	const array *a = (const array *)handle;
	(void)skipped;
	bool is_new = a->s->version == 3;
	int zeros = a->plan->rank > 1 ? a->plan->rank - 1 : 0;
	snprintf(number, sizeof number, is_new ? "/%" PRId64 : "%" PRId64, chunk);
	snprintf(name, sizeof name, "%s%s%.*s", is_new ? "c" : "", is_new && a->plan->rank == 0 ? "" : number,
	         2 * zeros, is_new ? "/0/0/0/0/0/0/0" : ".0.0.0.0.0.0.0");
	return put_member(a->s, a->plan->path, name, (sheaf_bytes){(const uint8_t *)bytes, size}, err);
}

/* ---- arrays ---- */

static void drop_array(void *handle) { sheaf_builder_drop(&((array *)handle)->texts); }

/* Begins an array. One that needs no particular chunks gets chunks of a usual size, as Zarr has nothing
 * else. */
static sheaf_status new_array(void *memory, sheaf_box_plan *plan, void *handle, sheaf_error *err)
{
	enum { USUAL = 1 << 20 };
	state *s = (state *)memory;
	if (plan->shuffle)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected no shuffle in Zarr, found a request for it",
		                  s->box->name);
	if (!plan->chunk && !plan->text_size) plan->chunk = sheaf_box_chunk_of(plan, plan->count ? USUAL : 0);
	plan->offset = -1;
	*(array *)handle = (array){.s = s, .plan = plan, .texts = {.cx = s->cx}};
	return SHEAF_OK;
}

/* Texts, which are few and wait in memory: everything else is in chunks. */
static sheaf_status append(void *handle, const void *values, size_t bytes, sheaf_error *err)
{
	array *a = (array *)handle;
	sheaf_builder_append(&a->texts, values, bytes);
	return sheaf_builder_status(&a->texts, err);
}

/* Writes the texts of an array as its only chunk: the number of texts, and each after its size, without
 * the NULs that padded it on the way here. An array without texts has no chunk. */
static sheaf_status put_texts(array *a, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder chunk = {.cx = a->s->cx};
	SHEAF_SCOPED(sheaf_filtering_close) sheaf_filtering filtering = {.cx = a->s->cx};
	size_t size = (size_t)a->plan->text_size, count = a->texts.size / size;
	sheaf_bytes packed;
	a->plan->chunk = count ? (int64_t)count : 1;
	if (count == 0) return SHEAF_OK;
	if (count > UINT32_MAX)
		return sheaf_fail(err, SHEAF_LIMIT, "%s: /%s: expected fewer than 2^32 texts, found %zu",
		                  a->s->box->name, a->plan->path, count);
	sheaf_builder_u32le(&chunk, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		const uint8_t *text = a->texts.data + i * size;
		size_t n = size;
		while (n > 0 && text[n - 1] == 0) n--;
		sheaf_builder_u32le(&chunk, (uint32_t)n);
		sheaf_builder_append(&chunk, text, n);
	}
	SHEAF_TRY(sheaf_builder_status(&chunk, err));
	SHEAF_TRY(sheaf_zarr_pack(a->plan, &filtering, sheaf_builder_bytes(&chunk), &packed, err));
	return write_chunk(a, 0, 0, packed.data, packed.size, err);
}

/* The plan is kept for the metadata, which come at the end: only then are all attributes known. */
static sheaf_status end_array(void *handle, int64_t count, sheaf_box_item *item, sheaf_error *err)
{
	array *a = (array *)handle;
	if (a->plan->text_size) SHEAF_TRY(put_texts(a, err));
	SHEAF_TRY(sheaf_catalog_allocate(&a->s->box->catalog, sizeof(sheaf_zarr_own), &item->inside->zarr, err));
	item->inside->zarr->plan = *a->plan;
	item->inside->zarr->plan.count = count;
	return SHEAF_OK;
}

/* ---- opening and finishing ---- */

static void close_state(void *memory) { sheaf_zip_drop(&((state *)memory)->zip); }

/* The version and the form of the output follow from the kind and the name. */
static sheaf_status open_state(sheaf_box *box, void *memory, sheaf_error *err)
{
	state *s = (state *)memory;
	(void)err;
	*s = (state){.cx = box->cx, .box = box};
	sheaf_zip_begin(&s->zip, box->sink, box->cx);
	s->version = box->kind == SHEAF_BOX_ZARR_2 ? 2 : 3;
	s->is_zip = !sheaf_box_is_folder(box->kind, box->sink->name);
	return SHEAF_OK;
}

/* Writes the metadata of all groups and arrays, and the end of an archive. The root's comes first in a
 * ZIP file's list, whatever the order of the bytes: it is looked up by name. */
static sheaf_status finish(void *memory, sheaf_error *err)
{
	int64_t count;
	state *s = (state *)memory;
	const sheaf_box_item *items = sheaf_box_items(s->box, &count);
	for (int64_t i = 0; i < count; i++) {
		SHEAF_TRY(sheaf_check_stop(s->cx, err));
		if (s->version == 3) {
			SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder json = {.cx = s->cx};
			sheaf_builder_printf(&json, "{\"zarr_format\":3,\"node_type\":\"%s\",",
			                     items[i].is_group ? "group" : "array");
			if (!items[i].is_group) put_new_array(&items[i].inside->zarr->plan, &json);
			sheaf_builder_text(&json, "\"attributes\":");
			put_attributes(&items[i], &json);
			sheaf_builder_byte(&json, '}');
			SHEAF_TRY(put_built(s, items[i].path, "zarr.json", &json, err));
		} else {
			SHEAF_TRY(put_old(s, &items[i], err));
		}
	}
	return s->is_zip ? sheaf_zip_finish(&s->zip, err) : SHEAF_OK;
}

const sheaf_box_driver sheaf_zarr_writing_driver = {
	.state_size = sizeof(state),
	.array_size = sizeof(array),
	.open = open_state,
	.finish = finish,
	.close = close_state,
	.text = get_text,
	.set_text = set_text,
	.set_texts = set_texts,
	.set_numbers = set_numbers,
	.new_array = new_array,
	.append = append,
	.pack = sheaf_zarr_pack,
	.write_chunk = write_chunk,
	.end_array = end_array,
	.drop_array = drop_array,
};
