/* SPDX-License-Identifier: MIT */
/* Fields of the C data interface, as src/arrow makes them, into a schema message. Beside the fields the
 * message has metadata: the schema of the frames, by which they are restored, and their attributes. Other
 * programs keep or ignore them. */
#include "format/arrow/ipc.h"
#include "frame/schema/schema_bytes.h"
#include <stdlib.h>

/* The types of the union: their numbers in it, and their slots. */
typedef struct type_words {
	const char *format; /* or its beginning */
	int kind;
	size_t width; /* of the first slot; 0: none */
	int64_t first;
	int second; /* the second slot: whether an Int has a sign, the bits of a Time; -1: none */
} type_words;

static const type_words types[] = {
	{"c", 2, 4, 8, 1},     {"C", 2, 4, 8, 0},     {"s", 2, 4, 16, 1},    {"S", 2, 4, 16, 0},
	{"i", 2, 4, 32, 1},    {"I", 2, 4, 32, 0},    {"l", 2, 4, 64, 1},    {"L", 2, 4, 64, 0},
	{"f", 3, 2, 1, -1},    {"g", 3, 2, 2, -1},    {"b", 6, 0, 0, -1},    {"U", 20, 0, 0, -1},
	{"Z", 19, 0, 0, -1},   {"+s", 13, 0, 0, -1},  {"+L", 21, 0, 0, -1},  {"tss", 10, 2, 0, -1},
	{"tsm", 10, 2, 1, -1}, {"tsu", 10, 2, 2, -1}, {"tsn", 10, 2, 3, -1}, {"tDs", 18, 2, 0, -1},
	{"tDm", 18, 2, 1, -1}, {"tDu", 18, 2, 2, -1}, {"tDn", 18, 2, 3, -1}, {"tdD", 8, 2, 0, -1},
	{"tts", 9, 2, 0, 32},  {"ttm", 9, 2, 1, 32},  {"ttu", 9, 2, 2, 64},  {"ttn", 9, 2, 3, 64},
	{"w", 15, 4, -1, -1},  {"+w", 16, 4, -1, -1},
};

/* The words for a format of the C data interface: the type is before the colon; a width may follow, or a
 * zone. */
static const type_words *type_of(const char *format)
{
	size_t n = strcspn(format, ":");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].format) == n && strncmp(types[i].format, format, n) == 0) return &types[i];
	return NULL; /* src/arrow makes no others */
}

/* Writes the table of a type into the slot at `from`. Its first slot is a width, a unit or a precision; the
 * second says whether an Int has a sign (one byte), how many bits a Time has (four), or the zone of a
 * Timestamp. */
static void put_type(sheaf_fb_writer *w, size_t from, const type_words *type, const char *format)
{
	const char *colon = strchr(format, ':');
	bool has_zone = format[0] == 't' && format[1] == 's' && colon[1];
	sheaf_fb_slot slots[] = {{type->width, type->first < 0 ? strtoll(colon + 1, NULL, 10) : type->first, 0},
	                         {type->second < 0   ? 0
	                          : type->second > 1 ? 4
	                                             : 1,
	                          type->second, 0}};
	if (has_zone) slots[1].width = SHEAF_FB_POINTER;
	sheaf_fb_put_table(w, from, slots, 2);
	if (has_zone) sheaf_fb_put_text(w, slots[1].at, colon + 1, strlen(colon + 1));
}

/* ---- metadata ---- */

/* Writes a pair of metadata into the slot at `from`. */
static void put_pair(sheaf_fb_writer *w, size_t from, sheaf_bytes key, sheaf_bytes value)
{
	sheaf_fb_slot slots[] = {{SHEAF_FB_POINTER, 0, 0}, {SHEAF_FB_POINTER, 0, 0}};
	sheaf_fb_put_table(w, from, slots, 2);
	sheaf_fb_put_text(w, slots[0].at, key.data, key.size);
	sheaf_fb_put_text(w, slots[1].at, value.data, value.size);
}

/* The text at *at, after its length, which moves past it. */
static sheaf_bytes next_text(const char **at)
{
	int32_t n;
	memcpy(&n, *at, sizeof n);
	sheaf_bytes text = {(const uint8_t *)*at + sizeof n, (size_t)n};
	*at += sizeof n + (size_t)n;
	return text;
}

/* Writes the metadata of a field, which come in the form of the C data interface: a number of pairs, then
 * each text after its length. */
static void put_metadata(sheaf_fb_writer *w, size_t from, const char *metadata)
{
	int32_t pairs;
	memcpy(&pairs, metadata, sizeof pairs);
	metadata += sizeof pairs;
	size_t first = sheaf_fb_put_tables(w, from, pairs);
	for (int32_t i = 0; i < pairs; i++) {
		sheaf_bytes key = next_text(&metadata), value = next_text(&metadata);
		put_pair(w, first + 4 * (size_t)i, key, value);
	}
}

/* Writes the pair that restores our columns: a byte of the options with which fields were made, and the
 * original schema, in hexadecimal digits, since metadata are texts. The parts of a message follow one another
 * in one builder, so this text is built beside it, and a failure there becomes one of the message. */
static void put_own_schema(sheaf_fb_writer *w, size_t from, const sheaf_schema *schema,
                           const sheaf_arrow_options *options)
{
	static const char digits[] = "0123456789abcdef", key[] = SHEAF_IPC_SCHEMA_KEY;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bytes = {.cx = w->to->cx};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder text = {.cx = w->to->cx};
	sheaf_builder_byte(&bytes, (char)((options->codes ? SHEAF_IPC_CODES : 0) |
	                                  (options->text_as_bytes ? SHEAF_IPC_TEXT_AS_BYTES : 0)));
	sheaf_schema_to_bytes(schema, &bytes);
	for (size_t i = 0; i < bytes.size; i++) {
		sheaf_builder_byte(&text, digits[bytes.data[i] >> 4]);
		sheaf_builder_byte(&text, digits[bytes.data[i] & 15]);
	}
	if (bytes.failed) w->to->failed = bytes.failed, w->to->wanted = bytes.wanted;
	if (text.failed) w->to->failed = text.failed, w->to->wanted = text.wanted;
	put_pair(w, from, (sheaf_bytes){(const uint8_t *)key, sizeof key - 1}, sheaf_builder_bytes(&text));
}

/* Writes an attribute of the dataset as a pair; one whose loss nobody reports has another prefix. */
static void put_attribute(sheaf_fb_writer *w, size_t from, const sheaf_attribute *a)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder name = {.cx = w->to->cx};
	sheaf_builder_text(&name, a->loss ? SHEAF_IPC_ATTRIBUTE : SHEAF_IPC_NOTE);
	sheaf_builder_text(&name, a->name);
	if (name.failed) w->to->failed = name.failed, w->to->wanted = name.wanted;
	put_pair(w, from, sheaf_builder_bytes(&name), (sheaf_bytes){(const uint8_t *)a->text, strlen(a->text)});
}

/* ---- fields ---- */

/* Writes a field, and those below it, into the slot at `from`. */
static void put_field(sheaf_fb_writer *w, size_t from, const struct ArrowSchema *field)
{
	enum { NAME, NULLABLE, TYPE_KIND, TYPE, DICTIONARY, CHILDREN, FIELD_METADATA, SLOTS };
	const type_words *type = type_of(field->format);
	sheaf_fb_slot slots[SLOTS] = {[NAME] = {SHEAF_FB_POINTER, 0, 0},
	                              [NULLABLE] = {1, field->flags & ARROW_FLAG_NULLABLE ? 1 : 0, 0},
	                              [TYPE_KIND] = {1, type->kind, 0},
	                              [TYPE] = {SHEAF_FB_POINTER, 0, 0},
	                              [CHILDREN] = {SHEAF_FB_POINTER, 0, 0},
	                              [FIELD_METADATA] = {field->metadata ? SHEAF_FB_POINTER : 0, 0, 0}};
	sheaf_fb_put_table(w, from, slots, SLOTS);
	sheaf_fb_put_text(w, slots[NAME].at, field->name, strlen(field->name));
	put_type(w, slots[TYPE].at, type, field->format);
	size_t first = sheaf_fb_put_tables(w, slots[CHILDREN].at, field->n_children);
	for (int64_t i = 0; i < field->n_children; i++) put_field(w, first + 4 * (size_t)i, field->children[i]);
	if (field->metadata) put_metadata(w, slots[FIELD_METADATA].at, field->metadata);
}

void sheaf_ipc_put_schema(sheaf_fb_writer *w, size_t from, const struct ArrowSchema *rows,
                          const sheaf_schema *schema, const sheaf_arrow_options *options)
{
	enum { ENDIANNESS, FIELDS, METADATA, SLOTS, ENTRY = 4 };
	sheaf_fb_slot slots[SLOTS] = {[FIELDS] = {SHEAF_FB_POINTER, 0, 0}, [METADATA] = {SHEAF_FB_POINTER, 0, 0}};
	sheaf_fb_put_table(w, from, slots, SLOTS);
	size_t at = sheaf_fb_put_tables(w, slots[FIELDS].at, rows->n_children);
	for (int64_t i = 0; i < rows->n_children; i++, at += ENTRY) put_field(w, at, rows->children[i]);
	at = sheaf_fb_put_tables(w, slots[METADATA].at, schema->nattributes + 1);
	put_own_schema(w, at, schema, options);
	for (int i = 0; i < schema->nattributes; i++) put_attribute(w, at += ENTRY, &schema->attributes[i]);
}
