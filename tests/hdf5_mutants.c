/* SPDX-License-Identifier: MIT */
#include "hdf5_mutants.h"
#include "base/buffer.h"
#include "base/endian.h"
#include "container/hdf5/checksum.h"
#include "container/hdf5/read.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a file in memory ---- */

static sheaf_status read_bytes(void *user, int64_t at, void *data, size_t size, sheaf_error *err)
{
	const hdf5_file *f = (const hdf5_file *)user;
	if (at < 0 || (size_t)at > f->size || size > f->size - (size_t)at)
		return sheaf_fail(err, SHEAF_SHORT, "%s: expected more bytes", f->name);
	if (size) memcpy(data, f->bytes + at, size);
	return SHEAF_OK;
}

static sheaf_status size_of_bytes(void *user, int64_t *size, sheaf_error *err)
{
	(void)err;
	*size = (int64_t)((const hdf5_file *)user)->size;
	return SHEAF_OK;
}

static void note(void *user, const char *what, int64_t byte, size_t size, int64_t sum)
{
	hdf5_file *f = (hdf5_file *)user;
	if (f->count == f->room) {
		f->room = f->room ? f->room * 2 : 64;
		f->structures = realloc(f->structures, f->room * sizeof *f->structures);
		if (!f->structures) abort();
	}
	hdf5_structure *s = &f->structures[f->count++];
	*s = (hdf5_structure){.byte = byte, .sum = sum, .size = size};
	snprintf(s->what, sizeof s->what, "%s", what);
}

/* ---- showing ---- */

static void put_hex(const uint8_t *bytes, size_t size)
{
	putchar('"');
	for (size_t i = 0; i < size; i++) printf("%02x", bytes[i]);
	putchar('"');
}

static void put_text(const void *text, size_t size)
{
	const uint8_t *bytes = (const uint8_t *)text;
	putchar('"');
	for (size_t i = 0; i < size; i++)
		if (bytes[i] < ' ' || bytes[i] == '"' || bytes[i] == '\\')
			printf("\\u%04x", bytes[i]);
		else
			putchar(bytes[i]);
	putchar('"');
}

typedef struct showing {
	hdf5_file *f;
	sheaf_hdf5_reader *r;
	sheaf_context *cx;
	bool prints, is_first;
	sheaf_error err;
} showing;

static bool is_text(const sheaf_hdf5_type *type)
{
	return type->class == SHEAF_HDF5_STRING || type->is_variable_text;
}

static sheaf_status show_texts(showing *s, const sheaf_hdf5_type *type, const uint8_t *elements,
                               uint64_t count)
{
	sheaf_status status = SHEAF_OK;
	if (s->prints) putchar('[');
	for (uint64_t i = 0; i < count && !status; i++) {
		sheaf_builder text;
		sheaf_builder_begin(&text, s->cx, NULL);
		status = sheaf_hdf5_append_text(s->r, type, elements + i * type->size, &text, &s->err);
		if (s->prints && i) putchar(',');
		if (s->prints) put_text(text.data, text.size);
		sheaf_builder_drop(&text);
	}
	if (s->prints) putchar(']');
	return status;
}

static sheaf_status show_attribute(void *user, const sheaf_hdf5_attribute *a)
{
	showing *s = (showing *)user;
	if (s->prints) {
		printf("%s", s->is_first ? "" : ",");
		put_text(a->name, a->name_size);
		printf(":{\"class\":%u,\"size\":%u,\"null\":%s,\"dims\":[", a->type.class, a->type.size,
		       a->space.is_null ? "true" : "false");
		for (int i = 0; i < a->space.rank; i++) printf("%s%" PRIu64, i ? "," : "", a->space.dims[i]);
		printf("],\"value\":");
	}
	s->is_first = false;
	sheaf_status status = SHEAF_OK;
	if (is_text(&a->type))
		status = show_texts(s, &a->type, a->value.data, a->space.count);
	else if (s->prints)
		put_hex(a->value.data, a->value.size);
	if (s->prints) putchar('}');
	return status;
}

static sheaf_status show_attributes(showing *s, const sheaf_box_item *item)
{
	sheaf_hdf5_look l;
	sheaf_hdf5_header h = {0};
	if (!item->inside->own || !item->inside->target) return SHEAF_OK;
	sheaf_hdf5_look_begin(&l, s->r, NULL, &s->err);
	s->is_first = true;
	if (s->prints) printf(",\"attributes\":{");
	sheaf_status status = sheaf_hdf5_header_read(&l, item->inside->own->address, &h);
	if (!status) status = sheaf_hdf5_attributes(&l, &h, NULL, show_attribute, s);
	if (s->prints) putchar('}');
	sheaf_hdf5_header_drop(&h);
	sheaf_hdf5_look_end(&l);
	return status;
}

/* Elements as they are stored, whatever they are. */
static sheaf_status show_elements(showing *s, sheaf_box *box, const sheaf_box_item *item)
{
	enum { MOST = 16 << 20 };
	int64_t rows = item->rank ? item->dims[0] : 1, count = item->count / item->inside->per;
	size_t size = (size_t)count * item->inside->width;
	if (count == 0 || size > MOST) return SHEAF_OK;
	uint8_t *bytes = malloc(size);
	if (!bytes) abort();
	sheaf_status status = sheaf_box_read_elements(box, item, 0, rows, bytes, &s->err);
	if (s->prints) printf(",\"elements\":");
	if (!status && item->what == SHEAF_BOX_TEXTS)
		status = show_texts(s, &item->inside->own->type, bytes, (uint64_t)count);
	else if (s->prints && !status)
		put_hex(bytes, size);
	else if (s->prints)
		printf("null");
	free(bytes);
	return status;
}

/* If the only problem is that we do not read the type of its values, they are there all the same. */
/* Of values that are not printed only a limited number is read: a small file may have millions of chunks that
 * are not stored.
 */
static bool is_worth_it(const showing *s, const sheaf_box_item *item)
{
	enum { MOST = 1 << 20 };
	return s->prints || item->count <= MOST / (int64_t)(item->inside->width ? item->inside->width : 1);
}

static bool has_elements(const sheaf_box_item *item)
{
	return !item->is_group && (!item->refused || item->refused == item->of) && item->inside->own &&
	       item->inside->own->type.size > 0;
}

static void show_item(showing *s, sheaf_box *box, const sheaf_box_item *item)
{
	s->err = (sheaf_error){0};
	if (s->prints) {
		printf("{\"path\":");
		put_text(item->path, strlen(item->path));
		printf(",\"group\":%s,\"of\":\"%s\",\"refused\":", item->is_group ? "true" : "false", item->of);
		item->refused ? put_text(item->refused, strlen(item->refused)) : (void)printf("null");
		printf(",\"storage\":%d,\"filters\":\"%s\",\"bytes\":%" PRId64 ",\"rank\":%d,\"dims\":[",
		       (int)item->storage, item->filters ? item->filters : "", item->bytes, item->rank);
		for (int i = 0; !item->is_group && i < item->rank; i++)
			printf("%s%" PRId64, i ? "," : "", item->dims ? item->dims[i] : -1);
		printf("]");
		if (item->inside->own && !item->is_group)
			printf(",\"class\":%u,\"size\":%u", item->inside->own->type.class, item->inside->own->type.size);
	}
	sheaf_status status = show_attributes(s, item);
	if (has_elements(item) && is_worth_it(s, item)) {
		/* The first failure counts. */
		sheaf_error first = s->err;
		sheaf_status read = show_elements(s, box, item);
		if (status)
			s->err = first;
		else
			status = read;
	}
	if (s->prints) {
		if (status) {
			printf(",\"unread\":");
			put_text(s->err.message, strlen(s->err.message));
		}
		printf("}\n");
	}
	if (status && (status != s->err.status || !s->err.message[0])) abort();
}

/* Reads all that there is. */
sheaf_status hdf5_show(hdf5_file *f, bool prints, bool maps, sheaf_error *err)
{
	sheaf_context *cx;
	sheaf_context_options options = {.size = sizeof options, .max_memory = 256 << 20, .threads = 1};
	if (sheaf_context_new(&options, &cx, NULL)) abort();
	sheaf_store store = {.name = f->name, .read = read_bytes, .size = size_of_bytes, .user = f};
	sheaf_box box = {.cx = cx, .name = f->name, .store = store, .driver = &sheaf_hdf5_reading_driver};
	sheaf_hdf5_reader reader;
	if (sheaf_catalog_open(&box.catalog, cx, err)) abort();
	reader = (sheaf_hdf5_reader){.on_structure = maps ? note : NULL, .user = f};
	sheaf_status status = sheaf_hdf5_reader_open(&reader, &store, &box.catalog, cx, err);
	bool is_open = status == SHEAF_OK;
	box.state = &reader;
	showing s = {.f = f, .r = &reader, .cx = cx, .prints = prints};
	for (int64_t i = 0; is_open && i < box.catalog.count; i++) show_item(&s, &box, &box.catalog.items[i]);
	if (is_open) sheaf_hdf5_reader_close(&reader);
	sheaf_catalog_close(&box.catalog);
	if (sheaf_context_memory(cx, NULL) != 0) {
		fprintf(stderr, "expected all memory back\n");
		abort();
	}
	sheaf_context_free(cx);
	return status;
}

/* ---- changes ---- */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return below ? random_state * UINT64_C(0x2545f4914f6cdd1d) % below : 0;
}

static uint64_t odd_number(const hdf5_file *f, uint64_t old)
{
	const hdf5_structure *other = &f->structures[draw(f->count)];
	switch (draw(12)) {
	case 0: return 0;
	case 1: return UINT64_MAX;
	case 2: return old + 1;
	case 3: return old - 1;
	case 4: return old ^ UINT64_C(1) << draw(64);
	case 5: return (uint64_t)INT64_MAX - draw(64);
	case 6: return (uint64_t)f->size - draw(64);
	case 7: return (uint64_t)other->byte;
	case 8: return draw(256);
	case 9: return UINT64_C(1) << draw(64);
	case 10: return old * 2;
	default: return draw(f->size);
	}
}

static void mend(uint8_t *bytes, const hdf5_structure *s)
{
	uint8_t *it = bytes + s->byte;
	if (s->sum < 4) return; /* there is none, or it would be in the signature */
	bool is_at_end = (size_t)s->sum + 4 == s->size;
	if (!is_at_end) memset(it + s->sum, 0, 4);
	sheaf_store_u32le(it + s->sum, sheaf_hdf5_checksum(it, is_at_end ? (size_t)s->sum : s->size));
}

/* The superblock's place in the map is not known to the reader: its checksum stands at the end of 48 bytes.
 */
static void change_field(const hdf5_file *f, uint8_t *bytes)
{
	const hdf5_structure *s = &f->structures[draw(f->count)];
	size_t width = (size_t)1 << draw(4);
	if (s->size < width) return;
	/* Most fields are at the beginning. */
	size_t reach = draw(2) && s->size > 64 ? 64 : s->size, at = (size_t)draw(reach - width + 1);
	uint8_t *field = bytes + s->byte + at;
	uint64_t value = 0;
	for (size_t i = width; i-- > 0;) value = value << 8 | field[i];
	value = odd_number(f, value);
	for (size_t i = 0; i < width; i++) field[i] = (uint8_t)(value >> 8 * i);
	mend(bytes, s);
}

void hdf5_change(const hdf5_file *f, uint8_t *bytes, uint64_t seed)
{
	random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	if (f->count == 0) return;
	for (uint64_t n = 1 + draw(3); n > 0; n--) change_field(f, bytes);
}

void hdf5_mend(const hdf5_file *f, uint8_t *bytes)
{
	for (size_t i = 0; i < f->count; i++) mend(bytes, &f->structures[i]);
}
