/* SPDX-License-Identifier: MIT */
/* The fields of a schema message, in the form of the C data interface: src/arrow knows only that, whether
 * columns come from a file or from another program. Each field keeps three facts more than the interface has:
 * how many buffers a batch has of it, the number of its dictionary, and whether the survey has found missing
 * entries. */
#include "arrow/memory.h"
#include "base/endian.h"
#include "format/arrow/ipc.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <stdio.h>

enum { ENDIANNESS, FIELDS, METADATA = SHEAF_IPC_SCHEMA_METADATA, FEATURES };    /* slots of Schema */
enum { NAME, NULLABLE, TYPE_KIND, TYPE, DICTIONARY, CHILDREN, FIELD_METADATA }; /* of Field */
enum { ID, INDEX_TYPE, DICTIONARY_KIND = 3 };                                   /* of DictionaryEncoding */
enum { KEY, VALUE };                                                            /* of KeyValue */
enum { FORMAT_ROOM = 160, DEPTH = 32 };

/* ---- types: the first slot of each says its width, its unit or its size ---- */

typedef enum type_kind {
	NOTHING = 1,
	INTEGER,
	REAL,
	BINARY,
	UTF8,
	BOOLEAN,
	DECIMAL,
	DATE,
	TIME,
	TIMESTAMP,
	INTERVAL,
	LIST,
	STRUCT,
	UNION,
	FIXED_BINARY,
	FIXED_LIST,
	MAP,
	DURATION,
	LARGE_BINARY,
	LARGE_UTF8,
	LARGE_LIST,
	RUN_END,
	BINARY_VIEW,
	UTF8_VIEW,
	LIST_VIEW,
	LARGE_LIST_VIEW,
	TYPE_KINDS
} type_kind;

/* What each kind is called in the C data interface, where its kind alone determines it, and how many buffers
 * a batch has of it, those of views left out. Other kinds are refused, since nobody knows where the column
 * after them begins; columns of these kinds of which src/arrow makes nothing are left out. */
static const struct {
	const char *format;
	int buffers;
} kinds[TYPE_KINDS] = {[NOTHING] = {"n", 0},       [INTEGER] = {NULL, 2},
                       [REAL] = {NULL, 2},         [BINARY] = {"z", 3},
                       [UTF8] = {"u", 3},          [BOOLEAN] = {"b", 2},
                       [DECIMAL] = {NULL, 2},      [DATE] = {NULL, 2},
                       [TIME] = {NULL, 2},         [TIMESTAMP] = {NULL, 2},
                       [INTERVAL] = {NULL, 2},     [LIST] = {"+l", 2},
                       [STRUCT] = {"+s", 1},       [UNION] = {NULL, 1},
                       [FIXED_BINARY] = {NULL, 2}, [FIXED_LIST] = {NULL, 1},
                       [MAP] = {"+m", 2},          [DURATION] = {NULL, 2},
                       [LARGE_BINARY] = {"Z", 3},  [LARGE_UTF8] = {"U", 3},
                       [LARGE_LIST] = {"+L", 2},   [RUN_END] = {"+r", 0},
                       [BINARY_VIEW] = {"vz", 2},  [UTF8_VIEW] = {"vu", 2},
                       [LIST_VIEW] = {"+vl", 3},   [LARGE_LIST_VIEW] = {"+vL", 3}};

/* The format text of an Int type; NULL for one of another width than 8, 16, 32 or 64 bits. */
static const char *format_of_integer(const sheaf_fb_table *type)
{
	int64_t bits = sheaf_fb_number(type, 0, 4, 0);
	bool has_sign = sheaf_fb_number(type, 1, 1, 0) != 0;
	switch (bits) {
	case 8: return has_sign ? "c" : "C";
	case 16: return has_sign ? "s" : "S";
	case 32: return has_sign ? "i" : "I";
	case 64: return has_sign ? "l" : "L";
	default: return NULL;
	}
}

/* The letter for the unit in a type's first slot, out of the letters of all units in order; 0 if there is no
 * such one. `absent` is the unit that a slot which is left out stands for. */
static char unit_of(const sheaf_fb_table *type, const char *letters, int64_t absent)
{
	int64_t unit = sheaf_fb_number(type, 0, 2, absent);
	if (unit < 0 || unit >= (int64_t)strlen(letters)) return '\0';
	return letters[unit];
}

/* Writes the format text of a Timestamp, such as "tsu:Europe/Berlin"; a zone that is longer than half
 * of the room is cut, since what matters is that there is one. */
static void put_timestamp(const sheaf_fb_table *type, char *text)
{
	enum { ZONE = 1 };
	sheaf_bytes zone = sheaf_fb_text(type, ZONE);
	char unit = unit_of(type, "smun", 0);
	int n = zone.size < FORMAT_ROOM / 2 ? (int)zone.size : FORMAT_ROOM / 2;
	if (unit) snprintf(text, FORMAT_ROOM, "ts%c:%.*s", unit, n, n ? (const char *)zone.data : "");
}

/* The C data interface's word for a type; "" where it has an unknown unit or width. A time of day ("tts") has
 * 32 bits up to milliseconds, and 64 bits from microseconds on; a decimal is "d:10,2" of 128 bits, and
 * "d:10,2,256" of others. */
static void put_format(type_kind kind, const sheaf_fb_table *type, char *text)
{
	enum { BITS = 1, SMALL = 32, LARGE = 64 };
	enum { PRECISION, SCALE, WIDTH, USUAL = 128 };
	static const struct {
		const char *before, *letters;
		int64_t absent;
	} units[TYPE_KINDS] = {[REAL] = {"", "efg", 0},
	                       [DATE] = {"td", "Dm", 1},
	                       [INTERVAL] = {"ti", "MDn", 0},
	                       [UNION] = {"+u", "sd", 0},
	                       [DURATION] = {"tD", "smun", 1}};
	const char *format = kind == INTEGER ? format_of_integer(type) : kinds[kind].format;
	const char letter = units[kind].before ? unit_of(type, units[kind].letters, units[kind].absent) : '\0';
	*text = '\0';
	switch (kind) {
	case TIMESTAMP: put_timestamp(type, text); break;
	case TIME: {
		char unit = unit_of(type, "smun", 1);
		int64_t bits = sheaf_fb_number(type, BITS, 4, SMALL);
		if (unit && bits == (unit == 's' || unit == 'm' ? SMALL : LARGE))
			snprintf(text, FORMAT_ROOM, "tt%c", unit);
		break;
	}
	case DECIMAL: {
		int64_t bits = sheaf_fb_number(type, WIDTH, 4, USUAL);
		int n = snprintf(text, FORMAT_ROOM, "d:%" PRId64 ",%" PRId64, sheaf_fb_number(type, PRECISION, 4, 0),
		                 sheaf_fb_number(type, SCALE, 4, 0));
		if (bits != USUAL) snprintf(text + n, (size_t)(FORMAT_ROOM - n), ",%" PRId64, bits);
		break;
	}
	case FIXED_BINARY: snprintf(text, FORMAT_ROOM, "w:%" PRId64, sheaf_fb_number(type, 0, 4, 0)); break;
	case FIXED_LIST: snprintf(text, FORMAT_ROOM, "+w:%" PRId64, sheaf_fb_number(type, 0, 4, 0)); break;
	default: break;
	}
	if (letter) snprintf(text, FORMAT_ROOM, "%s%c", units[kind].before, letter);
	if (format) snprintf(text, FORMAT_ROOM, "%s", format);
}

/* ---- one field ---- */

/* What a field owns, in one block with its children and its texts, which follow it. */
typedef struct field_memory {
	sheaf_context *owner;
	size_t size;
	int64_t dictionary; /* its number */
	int buffers;
	bool misses; /* entries, in some batch */
	struct ArrowSchema values, *children;
	struct ArrowSchema *pointers[];
} field_memory;

int64_t sheaf_ipc_dictionary_of(const struct ArrowSchema *field)
{
	return ((const field_memory *)field->private_data)->dictionary;
}

int sheaf_ipc_buffers_of(const struct ArrowSchema *field)
{
	return ((const field_memory *)field->private_data)->buffers;
}

bool sheaf_ipc_misses(const struct ArrowSchema *field)
{
	return ((const field_memory *)field->private_data)->misses;
}

void sheaf_ipc_mark_missing(const struct ArrowSchema *field)
{
	((field_memory *)field->private_data)->misses = true;
}

static void release_field(struct ArrowSchema *field)
{
	field_memory *m = (field_memory *)field->private_data;
	for (int64_t i = 0; i < field->n_children; i++)
		if (field->children[i]->release) field->children[i]->release(field->children[i]);
	if (m->values.release) m->values.release(&m->values);
	field->release = NULL;
	sheaf_arrow_release(m->owner, m, m->size);
}

/* The parts of a field. */
typedef struct field_words {
	sheaf_bytes name;
	const char *format;
	sheaf_fb_vector metadata;
	int64_t flags, children;
	int buffers;
} field_words;

/* Writes a text after its length, and moves past it. */
static void put_text(uint8_t **to, sheaf_bytes text)
{
	int32_t n = (int32_t)text.size;
	memcpy(*to, &n, sizeof n);
	if (n) memcpy(*to + sizeof n, text.data, text.size);
	*to += sizeof n + text.size;
}

/* Writes pairs of metadata in the form of the C data interface: their number, then the lengths and bytes of
 * each pair. Returns their size; with `to` NULL it writes nothing. */
static size_t put_metadata(const sheaf_fb_vector *pairs, uint8_t *to)
{
	size_t size = sizeof(int32_t);
	int32_t count = (int32_t)pairs->count;
	if (to) memcpy(to, &count, sizeof count), to += sizeof count;
	for (int32_t i = 0; i < count; i++) {
		sheaf_fb_table pair = sheaf_fb_table_at(pairs, i);
		sheaf_bytes key = sheaf_fb_text(&pair, KEY), value = sheaf_fb_text(&pair, VALUE);
		size += 2 * sizeof(int32_t) + key.size + value.size;
		if (to) put_text(&to, key), put_text(&to, value);
	}
	return size;
}

/* Makes a schema in one block: what it owns, the pointers to its children, these, which are zeros and
 * therefore count as released, its name, its format and its metadata. */
static sheaf_status new_field(const field_words *words, sheaf_context *cx, struct ArrowSchema *out,
                              sheaf_error *err)
{
	field_memory *m;
	size_t n = (size_t)words->children, format = strlen(words->format) + 1;
	size_t metadata = words->metadata.count ? put_metadata(&words->metadata, NULL) : 0;
	size_t size = sizeof(field_memory) + n * (sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema)) +
	              words->name.size + 1 + format + metadata;
	SHEAF_TRY(sheaf_arrow_allocate(cx, size, &m, err));
	m->owner = sheaf_context_owner(cx);
	m->size = size;
	m->buffers = words->buffers;
	m->children = (struct ArrowSchema *)(void *)(m->pointers + n);
	char *text = (char *)(m->children + n);
	for (size_t i = 0; i < n; i++) m->pointers[i] = &m->children[i];
	*out = (struct ArrowSchema){.flags = words->flags,
	                            .n_children = words->children,
	                            .children = n ? m->pointers : NULL,
	                            .release = release_field,
	                            .private_data = m};
	out->name = text;
	if (words->name.size) memcpy(text, words->name.data, words->name.size);
	out->format = text += words->name.size + 1;
	memcpy(text, words->format, format);
	text += format;
	if (metadata) put_metadata(&words->metadata, (uint8_t *)text), out->metadata = text;
	return SHEAF_OK;
}

/* What all fields of a schema have in common while they are read. */
typedef struct reading {
	sheaf_fb *in;
	const char *file;
	sheaf_context *cx;
} reading;

static sheaf_status unsound(const reading *r, const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA, "%s: schema: expected fields with names and types, found %s", r->file,
	                  found);
}

/* A column that cannot even be passed: nobody knows how many buffers it has. */
static sheaf_status unknown(const reading *r, const field_words *words, const char *what, sheaf_error *err)
{
	char name[100];
	snprintf(name, sizeof name, "%.*s", (int)(words->name.size < 99 ? words->name.size : 99),
	         words->name.size ? (const char *)words->name.data : "");
	return sheaf_fail(
		err, SHEAF_UNSUPPORTED,
		"%s: schema: column \"%s\" has a kind of %s that this version does not know, so the file "
		"cannot be read (the program that has written it can leave the column out)",
		r->file, name, what);
}

static sheaf_status read_field(const reading *r, const sheaf_fb_table *field, int depth,
                               struct ArrowSchema *out, sheaf_error *err);

/* Reads the children of a field, or the fields of the schema. What was read outside of the message is absent,
 * so it is enough to ask at the end whether something was. */
static sheaf_status read_children(const reading *r, const sheaf_fb_vector *fields, int depth,
                                  struct ArrowSchema *out, sheaf_error *err)
{
	for (int64_t i = 0; i < out->n_children; i++) {
		sheaf_fb_table child = sheaf_fb_table_at(fields, i);
		SHEAF_TRY(read_field(r, &child, depth + 1, out->children[i], err));
	}
	return r->in->broken ? unsound(r, "one that lies outside of its message", err) : SHEAF_OK;
}

/* Makes a field that was read one of indices, with itself as its dictionary: *out becomes the field of
 * indices, which owns the values. After a failure neither is left. */
static sheaf_status encode_field(const reading *r, const sheaf_fb_table *encoding, field_words *words,
                                 struct ArrowSchema *out, sheaf_error *err)
{
	struct ArrowSchema values = *out;
	sheaf_fb_table type = sheaf_fb_child(encoding, INDEX_TYPE);
	const char *format = type.in ? format_of_integer(&type) : "i";
	words->format = format ? format : "";
	words->children = 0;
	words->buffers = kinds[INTEGER].buffers;
	out->release = NULL;
	/* Of the kinds of dictionaries there is one, an array of values. */
	sheaf_status status = sheaf_fb_number(encoding, DICTIONARY_KIND, 2, 0) == 0
	                          ? new_field(words, r->cx, out, err)
	                          : unknown(r, words, "dictionary", err);
	if (status) {
		values.release(&values);
		return status;
	}
	field_memory *m = (field_memory *)out->private_data;
	m->values = values;
	m->dictionary = sheaf_fb_number(encoding, ID, 8, 0);
	out->dictionary = &m->values;
	return SHEAF_OK;
}

/* Reads a field and its children. Schemas of others may be as deep as they like, and a stack is not, so the
 * depth is limited. */
static sheaf_status read_field(const reading *r, const sheaf_fb_table *field, int depth,
                               struct ArrowSchema *out, sheaf_error *err)
{
	char format[FORMAT_ROOM];
	sheaf_fb_table type = sheaf_fb_child(field, TYPE), encoding = sheaf_fb_child(field, DICTIONARY);
	sheaf_fb_vector children = sheaf_fb_tables(field, CHILDREN);
	field_words words = {.name = sheaf_fb_text(field, NAME),
	                     .format = format,
	                     .metadata = sheaf_fb_tables(field, FIELD_METADATA),
	                     .flags = sheaf_fb_number(field, NULLABLE, 1, 0) ? ARROW_FLAG_NULLABLE : 0,
	                     .children = children.count};
	int64_t kind = sheaf_fb_number(field, TYPE_KIND, 1, 0);
	if (depth > DEPTH) return unsound(r, "more than 32 levels of them", err);
	if (words.name.size && memchr(words.name.data, '\0', words.name.size))
		return unsound(r, "a name with a zero byte", err);
	if (r->in->broken) return unsound(r, "one that lies outside of its message", err);
	if (kind < NOTHING || kind >= TYPE_KINDS) return unknown(r, &words, "type", err);
	put_format((type_kind)kind, &type, format);
	words.buffers = kinds[kind].buffers + (strcmp(format, "+ud") == 0);
	if (kind == UNION && !*format) return unknown(r, &words, "union", err);
	SHEAF_TRY(new_field(&words, r->cx, out, err));
	sheaf_status status = read_children(r, &children, depth, out, err);
	if (status) {
		out->release(out);
		return status;
	}
	return encoding.in ? encode_field(r, &encoding, &words, out, err) : SHEAF_OK;
}

/* ---- all of them ---- */

/* Reads the fields of a schema as the children of one struct. Features are what a reader has to know to read
 * the file at all, so that an unknown one is refused. */
sheaf_status sheaf_ipc_read_schema(const sheaf_fb_table *schema, const char *name, sheaf_context *cx,
                                   struct ArrowSchema *out, bool *is_big, sheaf_error *err)
{
	reading r = {schema->in, name, cx};
	enum { LITTLE, BIG, ORDERS, FEATURES_KNOWN = 3 /* none, new dictionaries, compressed bodies */ };
	sheaf_fb_vector fields = sheaf_fb_tables(schema, FIELDS),
					features = sheaf_fb_items(schema, FEATURES, sizeof(int64_t));
	field_words words = {.format = "+s", .children = fields.count, .buffers = kinds[STRUCT].buffers};
	int64_t order = sheaf_fb_number(schema, ENDIANNESS, 2, LITTLE);
	out->release = NULL;
	*is_big = order == BIG;
	if (order < 0 || order >= ORDERS)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: schema: expected 0 or 1 for the order of bytes, found %" PRId64, name, order);
	for (int64_t i = 0; i < features.count; i++) {
		int64_t feature = sheaf_fb_long_at(&features, sizeof(int64_t), i, 0);
		if (feature >= 0 && feature < FEATURES_KNOWN) continue;
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: schema: the file needs feature %" PRId64 ", which this version does not know",
		                  name, feature);
	}
	SHEAF_TRY(new_field(&words, cx, out, err));
	sheaf_status status = read_children(&r, &fields, 0, out, err);
	if (status) out->release(out);
	return status;
}

sheaf_bytes sheaf_ipc_metadata(const sheaf_fb_table *table, int slot, const char *key)
{
	sheaf_fb_vector pairs = sheaf_fb_tables(table, slot);
	for (int64_t i = 0; i < pairs.count; i++) {
		sheaf_fb_table pair = sheaf_fb_table_at(&pairs, i);
		sheaf_bytes name = sheaf_fb_text(&pair, KEY);
		if (name.size == strlen(key) && memcmp(name.data, key, name.size) == 0)
			return sheaf_fb_text(&pair, VALUE);
	}
	return (sheaf_bytes){0};
}

static bool begins_with(sheaf_bytes text, const char *prefix)
{
	size_t n = strlen(prefix);
	return text.size > n && memcmp(text.data, prefix, n) == 0;
}

/* Attributes of ours are pairs whose keys begin with a prefix of ours; those of other programs are left
 * alone. Texts of a message do not end with a zero byte for certain, so both are copied with one. */
sheaf_status sheaf_ipc_read_attributes(const sheaf_fb_table *schema, sheaf_schema *to, sheaf_error *err)
{
	sheaf_fb_vector pairs = sheaf_fb_tables(schema, METADATA);
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = to->cx};
	for (int64_t i = 0; i < pairs.count; i++) {
		sheaf_fb_table pair = sheaf_fb_table_at(&pairs, i);
		sheaf_bytes key = sheaf_fb_text(&pair, KEY), value = sheaf_fb_text(&pair, VALUE);
		bool note = begins_with(key, SHEAF_IPC_NOTE);
		if (!note && !begins_with(key, SHEAF_IPC_ATTRIBUTE)) continue;
		size_t prefix = note ? sizeof SHEAF_IPC_NOTE - 1 : sizeof SHEAF_IPC_ATTRIBUTE - 1;
		b.size = 0;
		sheaf_builder_append(&b, key.data + prefix, key.size - prefix);
		sheaf_builder_byte(&b, '\0');
		size_t text = b.size;
		sheaf_builder_append(&b, value.data, value.size);
		sheaf_builder_byte(&b, '\0');
		SHEAF_TRY(sheaf_builder_status(&b, err));
		SHEAF_TRY(sheaf_schema_put_attribute(to, to->cx, (const char *)b.data, (const char *)b.data + text,
		                                     note ? NULL : "attribute", err));
	}
	return SHEAF_OK;
}
