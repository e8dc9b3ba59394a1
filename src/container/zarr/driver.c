/* SPDX-License-Identifier: MIT */
/* The driver that reads Zarr: fetches chunks, attributes and texts. An open box does not change, except
 * for the last chunk of texts and the last index of a shard that were read, which have locks: neighbors
 * are usually asked for one after the other. */
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/extend.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/threads/thread.h"
#include "container/characters.h"
#include "container/filter.h"
#include "container/zarr/zarr.h"
#include "io/descriptor.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

enum { MOST_DIMENSIONS = 32, TEXTS = 0, SHARDS = 1 };

typedef struct state {
	sheaf_context *cx;
	sheaf_box *box;
	sheaf_zarr_members members;
	int nlocks; /* that exist */
	sheaf_mutex locks[2];
	/* Under locks[TEXTS], the last chunk of texts that was read: */
	char *path; /* its array (NULL: none is kept), */
	int64_t number;
	sheaf_builder bytes;  /* its bytes, */
	sheaf_builder places; /* and the offset and the size of each text, as uint64_t */
	/* Under locks[SHARDS], the last index of a shard that was read: */
	char *shard;         /* its path (NULL: none is kept), */
	sheaf_builder index; /* and its bytes; */
	int64_t stored;      /* and the size of all members; 0: not counted yet */
} state;

/* ---- opening ---- */

/* Drops all that was read; the source stays open. An opening that has failed may have got only one of the
 * locks. */
static void close_state(void *memory)
{
	state *s = (state *)memory;
	sheaf_zarr_close_members(&s->members);
	sheaf_builder_drop(&s->bytes);
	sheaf_builder_drop(&s->places);
	sheaf_builder_drop(&s->index);
	sheaf_release_text(s->cx, s->path);
	sheaf_release_text(s->cx, s->shard);
	while (s->nlocks > 0) sheaf_mutex_destroy(&s->locks[--s->nlocks]);
}

/* Opens a Zarr folder, or a ZIP file of one, which begins with P, and lists it; what else has come here
 * is a file of metadata inside a folder, which is refused. */
static sheaf_status open_state(sheaf_box *box, void *memory, sheaf_error *err)
{
	state *s = (state *)memory;
	sheaf_bytes head;
	*s = (state){.cx = box->cx,
	             .box = box,
	             .members = {.cx = box->cx, .folder = -1},
	             .bytes = {.cx = box->cx},
	             .places = {.cx = box->cx},
	             .index = {.cx = box->cx}};
	SHEAF_TRY(sheaf_source_ahead(box->source, 1, &head, err));
	if (sheaf_source_folder(box->source) < 0 && (head.size == 0 || head.data[0] != 'P'))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a Zarr folder, found a file in one (give the folder)", box->name);
	for (; s->nlocks < 2; s->nlocks++) {
		int sys = sheaf_mutex_init(&s->locks[s->nlocks]);
		if (sys) return sheaf_fail_sys(err, sys, "%s: expected a lock", box->name);
	}
	box->kind = SHEAF_BOX_ZARR;
	SHEAF_TRY(sheaf_zarr_open_members(&s->members, box->source, box->cx, err));
	return sheaf_zarr_list(&s->members, &box->catalog, err);
}

/* ---- attributes ---- */

/* Loads all attributes of an item. Metadata are read again for each: most boxes are asked for few. */
static sheaf_status load_attributes(const state *s, const sheaf_box_item *item, sheaf_zarr_json *json,
                                    const sheaf_json **all, sheaf_error *err)
{
	bool is_new = item->inside->zarr->version == 3;
	SHEAF_TRY(
		sheaf_zarr_load(&s->members, item->inside->target, is_new ? "zarr.json" : ".zattrs", json, err));
	*all = is_new ? sheaf_json_get(json->value, "attributes") : json->value;
	return SHEAF_OK;
}

static sheaf_status load_attribute(const state *s, const sheaf_box_item *item, const char *name,
                                   sheaf_zarr_json *json, const sheaf_json **value, sheaf_error *err)
{
	const sheaf_json *all;
	SHEAF_TRY(load_attributes(s, item, json, &all, err));
	*value = sheaf_json_get(all, name);
	if (*value) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_UNKNOWN, "%s: /%s: expected an attribute \"%s\", found none",
	                  s->members.name, item->path, name);
}

/* Appends an attribute that is a text; or an object, as its text: files keep descriptors in either form. */
static sheaf_status read_text(void *memory, const sheaf_box_item *item, const char *name, sheaf_builder *text,
                              sheaf_error *err)
{
	const state *s = (const state *)memory;
	SHEAF_SCOPED(sheaf_zarr_drop) sheaf_zarr_json json = {0};
	const sheaf_json *value;
	size_t size;
	SHEAF_TRY(load_attribute(s, item, name, &json, &value, err));
	const char *found = sheaf_json_text(value, &size);
	if (found)
		sheaf_builder_append(text, found, size);
	else if (sheaf_json_kind_of(value) == SHEAF_JSON_OBJECT)
		sheaf_json_print(value, 0, sheaf_zarr_append_json, text);
	else
		return sheaf_fail(err, SHEAF_DATA, "%s: /%s: expected the attribute \"%s\" to be a text, found %s",
		                  s->members.name, item->path, name, sheaf_json_kind_name(value));
	return sheaf_builder_status(text, err);
}

/* Reads an attribute, whose value becomes the item of a catalog of its own. */
static sheaf_status read_attribute(void *memory, const sheaf_box_item *item, const char *name,
                                   sheaf_catalog *catalog, sheaf_builder *bytes, sheaf_error *err)
{
	const state *s = (const state *)memory;
	SHEAF_SCOPED(sheaf_zarr_drop) sheaf_zarr_json json = {0};
	const sheaf_json *value;
	SHEAF_TRY(load_attribute(s, item, name, &json, &value, err));
	SHEAF_TRY(sheaf_catalog_open(catalog, s->cx, err));
	return sheaf_zarr_describe_value(value, catalog, bytes, err);
}

/* Notes attributes, and how many bytes an array's chunks and metadata have. */
static sheaf_status complete(void *memory, sheaf_box_notes *notes, sheaf_error *err)
{
	const state *s = (const state *)memory;
	sheaf_box_item *item = notes->item;
	SHEAF_SCOPED(sheaf_zarr_drop) sheaf_zarr_json json = {0};
	const sheaf_json *all;
	if (!item->is_group) SHEAF_TRY(sheaf_zarr_stored(&s->members, item->inside->target, &item->bytes, err));
	SHEAF_TRY(load_attributes(s, item, &json, &all, err));
	return sheaf_zarr_note_attributes(all, notes, err);
}

/* ---- sparsely stored arrays ---- */

/* Refuses to read an array that is larger than what is stored can mean. Chunks may be missing, and an
 * existing one may be packed very small: a few bytes can describe an array that nobody could read to its
 * end. The limit of its bytes is the most that deflate can pack into a byte, as in HDF5; looking for a
 * chunk that is not there takes as long as reading many values. The stored bytes are counted once (0: not
 * yet, -1: that failed). */
static sheaf_status prepare(void *memory, const sheaf_box_item *item, sheaf_error *err)
{
	enum { OF_A_BYTE = 1032, ALWAYS_CHUNKS = 1 << 16 };
	static const int64_t always = INT64_C(1) << 30;
	state *s = (state *)memory;
	const sheaf_box_detail *inside = item->inside;
	int64_t bytes, stored, chunks = 1; /* more than can be counted are INT64_MAX */
	for (int i = 0; i < item->rank && item->chunks && chunks < INT64_MAX; i++)
		if (!sheaf_mul_i64(&chunks, chunks,
		                   (item->dims[i] - 1) / (item->chunks[i] ? item->chunks[i] : 1) + 1))
			chunks = INT64_MAX;
	if (!sheaf_mul_i64(&bytes, item->count / inside->per, (int64_t)inside->width)) bytes = INT64_MAX;
	if ((bytes <= always && chunks <= ALWAYS_CHUNKS) || sheaf_context_allows_large(s->cx)) return SHEAF_OK;
	sheaf_mutex_lock(&s->locks[SHARDS]);
	if (s->stored == 0) s->stored = sheaf_source_bytes(s->box->source);
	stored = s->stored;
	sheaf_mutex_unlock(&s->locks[SHARDS]);
	if (stored < 0)
		return sheaf_fail(err, SHEAF_IO, "%s: expected to count the bytes of its files, found a failure",
		                  s->members.name);
	if (bytes > always && bytes / OF_A_BYTE > stored)
		return sheaf_fail(err, SHEAF_LIMIT,
		                  "%s: /%s: expected an array of at most 1 GiB, or %d times the %" PRId64
		                  " bytes that are stored, found one of %" PRId64
		                  " bytes (" SHEAF_OPTION("allow") " large reads it anyway)",
		                  s->members.name, item->path, OF_A_BYTE, stored, bytes);
	if (chunks <= ALWAYS_CHUNKS || chunks <= stored) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_LIMIT,
	                  "%s: /%s: expected at most %d chunks, or as many as the %" PRId64
	                  " bytes that are stored, found %" PRId64
	                  " (" SHEAF_OPTION("allow") " large reads them anyway)",
	                  s->members.name, item->path, ALWAYS_CHUNKS, stored, chunks);
}

/* ---- chunks ---- */

/* Where a chunk is: its member, and its number among those of a shard. */
typedef struct place {
	char path[4096];
	int64_t inner, inners;
} place;

/* Finds where a chunk is: from its number to its place in the grid, from there to the name of its member,
 * and, in a shard, to the number inside it (out->inner, of out->inners). Names have a prefix "c" or none,
 * and a separator between the indices. */
static sheaf_status find_place(const state *s, const sheaf_box_item *item, int64_t number, place *out,
                               sheaf_error *err)
{
	const sheaf_zarr_own *own = item->inside->zarr;
	const char *path = item->inside->target, between[] = {own->separator, '\0'};
	int64_t at[MOST_DIMENSIONS] = {0};
	for (int i = item->rank - 1; i >= 0; i--) {
		int64_t extent = item->chunks[i] ? item->chunks[i] : 1, along = (item->dims[i] - 1) / extent + 1;
		at[i] = number % along;
		number /= along;
	}
	out->inner = 0;
	out->inners = 1;
	size_t n = (size_t)snprintf(out->path, sizeof out->path, "%s%s%s", path, *path ? "/" : "",
	                            own->has_prefix ? "c"
	                            : item->rank    ? ""
	                                            : "0");
	for (int i = 0; i < item->rank && n < sizeof out->path; i++) {
		int64_t along = own->shard ? own->shard[i] : 1;
		out->inner = out->inner * along + at[i] % along;
		out->inners *= along;
		n += (size_t)snprintf(out->path + n, sizeof out->path - n, "%s%" PRId64,
		                      i || own->has_prefix ? between : "", at[i] / along);
	}
	if (n < sizeof out->path) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_LIMIT, "%s: /%.200s: expected paths of less than 4 KiB, found another",
	                  s->members.name, item->path);
}

/* Loads the index of a shard, unless it is the one in memory: 16 bytes for each chunk, where it begins
 * and how long it is, and perhaps a checksum, which is that of the codec crc32c. *found is false if there is
 * no such shard. The caller holds the lock of shards. */
static sheaf_status hold_index(state *s, const sheaf_box_item *item, const place *p, bool *found,
                               sheaf_error *err)
{
	enum { ENTRY = 16, SUM = 4, MOST = 1 << 26 };
	const sheaf_zarr_own *own = item->inside->zarr;
	*found = true;
	if (s->shard && strcmp(s->shard, p->path) == 0) return SHEAF_OK;
	sheaf_release_text(s->cx, s->shard);
	s->shard = NULL;
	s->index.size = 0;
	if (p->inners > MOST / ENTRY)
		return sheaf_fail(err, SHEAF_LIMIT, "%s: /%s: expected fewer chunks in a shard, found %" PRId64,
		                  s->members.name, item->path, p->inners);
	size_t size = (size_t)p->inners * ENTRY;
	bool has_sum = own->is_index_summed;
	sheaf_zarr_part part = {own->is_index_first ? 0 : SHEAF_ZARR_END, (int64_t)size + (has_sum ? SUM : 0)};
	SHEAF_TRY(sheaf_zarr_read(&s->members, p->path, part, &s->index, found, err));
	if (!*found) return SHEAF_OK;
	if (has_sum && sheaf_load_u32le(s->index.data + size) != sheaf_crc32c(s->index.data, size))
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s/%s: expected an index of chunks with its checksum, found another",
		                  s->members.name, p->path);
	return sheaf_copy_text(s->cx, p->path, strlen(p->path), &s->shard, err);
}

/* Reads the stored bytes of a chunk from a member of its own, or from a part of a shard; *found is false
 * if it is missing. All ones in both numbers of the index: the chunk is empty. Numbers beyond any file
 * are cut to the largest one, and found outside by the reader. */
static sheaf_status fetch(state *s, const sheaf_box_item *item, int64_t number, sheaf_builder *bytes,
                          bool *found, sheaf_error *err)
{
	place p;
	sheaf_zarr_part part = {SHEAF_ZARR_WHOLE, (int64_t)1 << 31};
	*found = true;
	SHEAF_TRY(find_place(s, item, number, &p, err));
	if (item->inside->zarr->shard) {
		uint64_t at = UINT64_MAX, size = UINT64_MAX;
		sheaf_mutex_lock(&s->locks[SHARDS]);
		sheaf_status status = hold_index(s, item, &p, found, err);
		if (!status && *found) {
			at = sheaf_load_u64le(s->index.data + 16 * p.inner);
			size = sheaf_load_u64le(s->index.data + 16 * p.inner + 8);
		}
		sheaf_mutex_unlock(&s->locks[SHARDS]);
		SHEAF_TRY(status);
		*found &= at != UINT64_MAX || size != UINT64_MAX;
		part = (sheaf_zarr_part){at > INT64_MAX ? INT64_MAX : (int64_t)at,
		                         size > INT64_MAX ? INT64_MAX : (int64_t)size};
	}
	return *found ? sheaf_zarr_read(&s->members, p.path, part, bytes, found, err) : SHEAF_OK;
}

/* Appends the stored bytes of a chunk; nothing if it is missing. A chunk that is there has bytes,
 * whatever its codec is; one without would be taken for a missing one, and is damage. */
static sheaf_status read_chunk(void *memory, const sheaf_box_item *item, int64_t number, uint32_t *skipped,
                               sheaf_builder *bytes, sheaf_error *err)
{
	bool found;
	*skipped = 0;
	size_t before = bytes->size;
	SHEAF_TRY(fetch((state *)memory, item, number, bytes, &found, err));
	if (!found || bytes->size > before) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: /%s, chunk %" PRId64 ": expected a chunk that takes bytes, found an empty one",
	                  ((const state *)memory)->members.name, item->path, number);
}

/* ---- texts of any length ---- */

/* Makes the elements of rows [from, to) that are not in a grid of chunks. A scalar is a chunk of one
 * element. Texts of any length have references as elements, made here: the number of their chunk, and
 * their index in it, 8 bytes each. Nothing of them is read yet. */
static sheaf_status read_rows(void *memory, const sheaf_box_item *item, int64_t from, int64_t to, void *out,
                              sheaf_error *err)
{
	int64_t row = item->rank ? item->count / item->dims[0] : 1;
	if (item->inside->zarr->text != SHEAF_ZARR_VARIABLE) {
		state *s = (state *)memory;
		SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bytes = {.cx = s->cx};
		SHEAF_SCOPED(sheaf_filtering_close) sheaf_filtering filtering = {.cx = s->cx};
		const sheaf_box_detail *inside = item->inside;
		sheaf_error failure = {0};
		sheaf_bytes element = {inside->fill, 0};
		bool found;
		SHEAF_TRY(fetch(s, item, 0, &bytes, &found, err));
		sheaf_filtered stored = {inside, 0, sheaf_builder_bytes(&bytes), inside->width};
		sheaf_status status =
			found ? sheaf_unfilter(&filtering, &stored, NULL, &element, &failure) : SHEAF_OK;
		if (status) return sheaf_fail_within(err, &failure, "%s: /%s", s->members.name, item->path);
		memset(out, 0, inside->width);
		memcpy(out, element.data,
		       found || inside->width < sizeof inside->fill ? inside->width : sizeof inside->fill);
		return SHEAF_OK;
	}
	for (int64_t nth = from * row; nth < to * row; nth++) {
		int64_t at[2] = {0}, step[2] = {1, 1}, rest = nth; /* distances between neighbors */
		for (int i = item->rank - 1; i >= 0; i--) {
			int64_t extent = item->chunks[i], index = rest % item->dims[i];
			rest /= item->dims[i];
			at[0] += index / extent * step[0];
			at[1] += index % extent * step[1];
			step[0] *= (item->dims[i] - 1) / extent + 1;
			step[1] *= extent;
		}
		memcpy((uint8_t *)out + (size_t)(nth - from * row) * item->inside->width, at, sizeof at);
	}
	return SHEAF_OK;
}

/* The chunk of texts is not what its codec says. */
static sheaf_status flaw(const state *s, const sheaf_box_item *item, const char *expected, const char *found,
                         sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: /%s, chunk %" PRId64 ": expected %s, found %s", s->members.name,
	                  item->path, s->number, expected, found);
}

/* Unpacks a chunk of texts, unless it is the last one that was: a count, and that number of texts, each
 * after its size (numcodecs' VLenUTF8). Every size is checked against the bytes that are left, so a count
 * that lies ends at the first text that is not there. s->places gets where each text begins and its size;
 * a missing chunk has no texts. s->path is set last, so that a failed chunk is not taken for the one in
 * memory. */
static sheaf_status hold_chunk(state *s, const sheaf_box_item *item, int64_t number, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder stored = {.cx = s->cx};
	SHEAF_SCOPED(sheaf_filtering_close) sheaf_filtering filtering = {.cx = s->cx};
	sheaf_error failure = {0};
	sheaf_bytes texts;
	const char *target = item->inside->target;
	bool found;
	if (s->path && strcmp(s->path, target) == 0 && s->number == number) return SHEAF_OK;
	sheaf_release_text(s->cx, s->path);
	s->path = NULL;
	s->number = number;
	s->bytes.size = s->places.size = 0;
	SHEAF_TRY(fetch(s, item, number, &stored, &found, err));
	if (found) {
		sheaf_filtered chunk = {item->inside, 0, sheaf_builder_bytes(&stored), SHEAF_ANY_SIZE};
		sheaf_status status = sheaf_unfilter(&filtering, &chunk, NULL, &texts, &failure);
		if (status)
			return sheaf_fail_within(err, &failure, "%s: /%s, chunk %" PRId64, s->members.name, item->path,
			                         number);
		sheaf_builder_append(&s->bytes, texts.data, texts.size);
		SHEAF_TRY(sheaf_builder_status(&s->bytes, err));
		size_t left = s->bytes.size, at = 4;
		uint32_t count = left < 4 ? 0 : sheaf_load_u32le(s->bytes.data);
		if (left < 4) return flaw(s, item, "texts within their chunk", "a shorter one", err);
		if (count == 0) return flaw(s, item, "a text for each element", "fewer", err);
		for (uint32_t i = 0; i < count; i++) {
			uint64_t text[2] = {at + 4, left - at < 4 ? 0 : sheaf_load_u32le(s->bytes.data + at)};
			if (left - at < 4 || text[1] > left - at - 4)
				return flaw(s, item, "texts within their chunk", "a longer one", err);
			sheaf_builder_append(&s->places, text, sizeof text);
			at += 4 + (size_t)text[1];
		}
		SHEAF_TRY(sheaf_builder_status(&s->places, err));
	}
	return sheaf_copy_text(s->cx, target, strlen(target), &s->path, err);
}

/* Appends a text of any length, by the number of its chunk and its index in it, which are the element.
 * The caller holds the lock of texts. */
static sheaf_status append_variable(state *s, const sheaf_box_item *item, const uint8_t *element,
                                    sheaf_builder *text, sheaf_error *err)
{
	int64_t at[2];
	uint64_t found[2];
	memcpy(at, element, sizeof at);
	SHEAF_TRY(hold_chunk(s, item, at[0], err));
	if (s->places.size == 0) return SHEAF_OK; /* a chunk that is not there */
	if ((uint64_t)at[1] >= s->places.size / sizeof found)
		return flaw(s, item, "a text for each element", "fewer", err);
	memcpy(found, s->places.data + (size_t)at[1] * sizeof found, sizeof found);
	sheaf_builder_append(text, s->bytes.data + found[0], (size_t)found[1]);
	return sheaf_builder_status(text, err);
}

/* Appends the text of an element in any of the three forms: a reference to a text of any length, UTF-32,
 * or bytes padded with NULs. */
static sheaf_status text_of(void *memory, const sheaf_box_item *item, const uint8_t *element,
                            sheaf_builder *text, sheaf_error *err)
{
	state *s = (state *)memory;
	const sheaf_box_detail *inside = item->inside;
	size_t n = inside->width;
	if (inside->zarr->text == SHEAF_ZARR_VARIABLE) {
		sheaf_mutex_lock(&s->locks[TEXTS]);
		sheaf_status status = append_variable(s, item, element, text, err);
		sheaf_mutex_unlock(&s->locks[TEXTS]);
		return status;
	}
	if (inside->zarr->text == SHEAF_ZARR_UTF32)
		sheaf_box_put_utf32(text, element, n, inside->zarr->is_big);
	else
		sheaf_box_put_padded(text, element, n);
	return sheaf_builder_status(text, err);
}

const sheaf_box_driver sheaf_zarr_driver = {
	.state_size = sizeof(state),
	.open = open_state,
	.close = close_state,
	.text = read_text,
	.attribute = read_attribute,
	.complete = complete,
	.prepare = prepare,
	.read_rows = read_rows,
	.read_chunk = read_chunk,
	.text_of = text_of,
};
