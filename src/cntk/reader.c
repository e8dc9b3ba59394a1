/* SPDX-License-Identifier: MIT */
/* Turns the record of a reader into inputs and settings. One table says which keys each kind of record has,
 * and what they mean here. */
#include "base/context.h"
#include "base/memory.h"
#include "cntk/config.h"
#include "format/format.h"
#include <sheaf/dataset.h>
#include <stdio.h>
#include <string.h>

/* ---- keys ---- */

/* What a record means to CNTK: a reader of one file by itself, text or binary; a reader that joins
 * deserializers; one of these, text or binary. Only deserializers do not look for keys in the enclosing
 * records. */
enum {
	TEXT = 1,
	BINARY = 2,
	SINGLE = TEXT | BINARY,
	COMPOSITE = 4,
	TEXT_PART = 8,
	BINARY_PART = 16,
	PART = TEXT_PART | BINARY_PART,
	ANY_TEXT = TEXT | TEXT_PART
};

typedef enum kind {
	QUIET, /* read elsewhere, or has no meaning here */
	FLAG,  /* the setting is given if true, with `words` as its value */
	TRUTH, /* the first of `words` if true, else the second */
	COUNT, /* a whole number */
	LEVEL  /* the same, but a number outside the range that `words` gives becomes the nearest one in it */
} kind;

typedef struct key {
	const char *name;
	kind kind;
	unsigned of; /* kinds of records that have it */
	const char *setting, *words;
} key;

static const key keys[] = {
	{"skipSequenceIds", FLAG, ANY_TEXT, "skip-sequence-ids", NULL},
	{"maxErrors", COUNT, ANY_TEXT, "max-errors", NULL},
	{"chunkSizeInBytes", COUNT, ANY_TEXT, "chunk-bytes", NULL},
	{"keepDataInMemory", FLAG, SINGLE | PART, "keep-in-memory", NULL},
	{"cacheIndex", TRUTH, ANY_TEXT, "index", "write|auto"},
	{"traceLevel", LEVEL, SINGLE | COMPOSITE, "trace-level", "0|1|2"},
	{"frameMode", FLAG, TEXT, "pack", "frames"},
	{"precision", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"randomize", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"randomizationSeed", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"randomizationWindow", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"sampleBasedRandomizationWindow", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"readerType", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"file", QUIET, SINGLE | PART, NULL, NULL},
	{"input", QUIET, SINGLE | PART, NULL, NULL},
	{"type", QUIET, SINGLE | PART, NULL, NULL},
	{"module", QUIET, SINGLE | PART, NULL, NULL},
	{"composable", QUIET, PART, NULL, NULL},
	{"verbosity", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"prefetch", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"nbruttsineachrecurrentiter", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"action", QUIET, SINGLE | COMPOSITE, NULL, NULL},
	{"deserializers", QUIET, COMPOSITE, NULL, NULL},
	{"chunkSizeInBytes", QUIET, COMPOSITE, NULL, NULL},
	{"frameMode", QUIET, COMPOSITE, NULL, NULL},
	{"truncated", QUIET, COMPOSITE, NULL, NULL},
	{"truncationLength", QUIET, COMPOSITE, NULL, NULL},
	{"localTimeline", QUIET, COMPOSITE, NULL, NULL},
	{"maxErrors", QUIET, COMPOSITE, NULL, NULL}, /* counts sequences, not lines */
	{"multiThreadedDeserialization", QUIET, COMPOSITE, NULL, NULL},
	{"checkData", QUIET, COMPOSITE, NULL, NULL},
	{"useNumericSequenceKeys", QUIET, COMPOSITE, NULL, NULL},
	{"hashSequenceKeys", QUIET, COMPOSITE, NULL, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* Adds a level: a whole number of any size and sign, of which only 0, 1 and 2 are settings; others become the
 * nearest of these. */
static sheaf_status add_level(const sheaf_cntk *c, sheaf_field_span field, const key *k, sheaf_setting_list s)
{
	char *text;
	int64_t level = INT64_MAX;
	SHEAF_TRY(sheaf_cntk_text(c, field, &text));
	bool negative = *text == '-';
	const char *digits = text + negative;
	bool sound = *digits && digits[strspn(digits, "0123456789")] == '\0';
	if (negative || (sound && !sheaf_size_from_text(digits, &level))) level = negative ? 0 : INT64_MAX;
	sheaf_status status = sound
	                          ? sheaf_cntk_add_word(c, s, k->setting, k->words, (int)(level < 2 ? level : 2))
	                          : sheaf_cntk_refuse(c, field, "a whole number", text);
	sheaf_release_text(c->cx, text);
	return status;
}

/* Adds the setting that a field becomes, by the kind of its key. */
static sheaf_status add_key(const sheaf_cntk *c, sheaf_field_span field, const key *k, sheaf_setting_list s)
{
	bool yes;
	int64_t count;
	switch (k->kind) {
	case FLAG:
		SHEAF_TRY(sheaf_cntk_bool(c, field, &yes));
		if (!yes) return SHEAF_OK;
		return k->words ? sheaf_cntk_add_word(c, s, k->setting, k->words, 0)
		                : sheaf_cntk_add(c, s, k->setting, NULL);
	case TRUTH:
		SHEAF_TRY(sheaf_cntk_bool(c, field, &yes));
		return sheaf_cntk_add_word(c, s, k->setting, k->words, !yes);
	case COUNT:
		SHEAF_TRY(sheaf_cntk_count(c, field, &count));
		return sheaf_cntk_add_count(c, s, k->setting, count);
	case LEVEL: return add_level(c, field, k, s);
	case QUIET: break;
	}
	return SHEAF_OK;
}

/* Adds the settings of all keys that a kind of record (`of`) has, in the order of the table. Readers also
 * find keys in the records around them, deserializers do not. */
static sheaf_status add_keys(const sheaf_cntk *c, const sheaf_config_record *record, unsigned of,
                             sheaf_setting_list s)
{
	for (int i = 0; i < KEYS; i++) {
		sheaf_field_span field;
		if (!(keys[i].of & of) || keys[i].kind == QUIET) continue;
		sheaf_status status = sheaf_cntk_said(c, record, !(of & PART), keys[i].name, &field);
		if (status == SHEAF_OK) status = add_key(c, field, &keys[i], s);
		SHEAF_TRY(sheaf_cntk_may_lack(status));
	}
	return SHEAF_OK;
}

/* Warns of keys that this kind of reader does not read, since another kind reads them or none. */
static sheaf_status name_unknown(const sheaf_cntk *c, const sheaf_config_record *record, unsigned of)
{
	const char *expected = of & PART ? "a key of such a deserializer" : "a key of such a reader";
	sheaf_field_walk walk = sheaf_cntk_walk(record);
	sheaf_field_span field;
	sheaf_status status;
	while ((status = sheaf_cntk_step(c, &walk, &field)) == SHEAF_OK) {
		int i = 0;
		while (i < KEYS && (!(keys[i].of & of) || !sheaf_cntk_is_name(c, field.name, keys[i].name))) i++;
		if (i == KEYS) SHEAF_TRY(sheaf_cntk_warn(c, field.name, "unknown key", expected, "it is ignored"));
	}
	return sheaf_cntk_may_lack(status);
}

/* ---- which reader ---- */

/* Finds the row for CNTK's name of a reader, and the format that has it; `word` NULL: for the reader that is
 * meant if none is named. NULL if no format has it. */
static const sheaf_reader_name *find_reader(const char *word, const sheaf_format **out)
{
	for (int i = 0; (*out = sheaf_format_at(i)); i++)
		for (const sheaf_reader_name *r = (*out)->readers; r && r->name; r++)
			if (word ? strcmp(r->name, word) == 0 : r->usual) return r;
	return NULL;
}

/* What is known about an input before its file is known. */
typedef struct origin {
	const sheaf_config_record *record; /* that names its file: a deserializer, or a reader of one file */
	const sheaf_config_record *reader; /* around the deserializer, or the same record */
	const sheaf_reader_name *name;
	const sheaf_format *format;
} origin;

static unsigned kind_of(const origin *o)
{
	bool part = o->record != o->reader;
	return o->name->declares ? part ? TEXT_PART : TEXT : part ? BINARY_PART : BINARY;
}

/* Reads which reader a record names, into o->name and o->format; *found: it is one whose files this build
 * reads, and otherwise *field has the name. A reader without a name is common; a deserializer without one is
 * an error. */
static sheaf_status read_type(const sheaf_cntk *c, origin *o, sheaf_field_span *field, bool *found)
{
	char *word = NULL;
	sheaf_status status = SHEAF_END;
	if (o->record == o->reader) status = sheaf_cntk_said(c, o->record, true, "readerType", field);
	if (status == SHEAF_END) status = sheaf_cntk_said(c, o->record, false, "type", field);
	if (status == SHEAF_END && o->record != o->reader)
		return sheaf_cntk_fail(c, o->record->parts[0].at,
		                       "expected a deserializer's type in this section, found none");
	if (status == SHEAF_OK) status = sheaf_cntk_text(c, *field, &word);
	SHEAF_TRY(sheaf_cntk_may_lack(status));
	o->name = find_reader(word, &o->format);
	*found = o->name;
	sheaf_release_text(c->cx, word);
	return SHEAF_OK;
}

/* Refuses a reader whose files this build does not read, with advice after the message ("": none). */
static sheaf_status refuse_type(const sheaf_cntk *c, sheaf_field_span field, const char *advice)
{
	char *word;
	SHEAF_TRY(sheaf_cntk_text(c, field, &word));
	sheaf_status status = sheaf_cntk_fail(
		c, field.value.at, "expected the name of a reader whose files this build reads, found \"%s\"%s", word,
		advice);
	sheaf_release_text(c->cx, word);
	return status;
}

/* ---- inputs ---- */

/* Adds the type of values: a text (o->name->declares) is read as numbers of this type, float by default; a
 * binary file must have the type that the configuration names, if it does. */
static sheaf_status add_precision(const sheaf_cntk *c, const origin *o, sheaf_setting_list s)
{
	static const char words[] = "float|double";
	sheaf_field_span field;
	int word = 0;
	sheaf_status status = sheaf_cntk_said(c, o->reader, true, "precision", &field);
	bool said = status == SHEAF_OK;
	if (said) status = sheaf_cntk_choice(c, field, words, &word);
	SHEAF_TRY(sheaf_cntk_may_lack(status));
	return said || !o->name->declares ? sheaf_cntk_add_word(c, s, "element-type", words, word) : SHEAF_OK;
}

/* Parts the settings of an input in two, each in their order: those that are options of the format for
 * reading come first, the others after them. Both are in one array, which has one owner. */
static void part_settings(const sheaf_format *format, sheaf_config_input *input)
{
	int n = input->nsettings, own = 0;
	for (int i = 0; i < n; i++) {
		sheaf_setting setting = input->settings[i];
		const sheaf_option *option = sheaf_option_find(sheaf_format_about(format).options, setting.name);
		if (!option || !(option->use & SHEAF_READING)) continue;
		memmove(input->settings + own + 1, input->settings + own, (size_t)(i - own) * sizeof setting);
		input->settings[own++] = setting;
	}
	input->nsettings = own;
	input->others = input->settings ? input->settings + own : NULL;
	input->nothers = n - own;
}

/* Adds an input to the configuration: its format, where its file is, and its settings. What is complete of it
 * after a failure is freed with the configuration. */
static sheaf_status add_input(const sheaf_cntk *c, const origin *o, sheaf_config *out)
{
	size_t size = (size_t)out->ninputs * sizeof *out->inputs;
	SHEAF_TRY(sheaf_reallocate(c->cx, &out->inputs, size, size + sizeof *out->inputs, c->err));
	sheaf_config_input *input = &out->inputs[out->ninputs++];
	*input = (sheaf_config_input){.format = o->format->name};
	sheaf_setting_list s = {&input->settings, &input->nsettings};
	sheaf_field_span file;
	char *written;
	sheaf_status status = sheaf_cntk_said(c, o->record, o->record == o->reader, "file", &file);
	if (status == SHEAF_END)
		return sheaf_cntk_fail(c, o->record->parts[0].at, "expected `file` in this section, found none");
	SHEAF_TRY(status);
	SHEAF_TRY(sheaf_cntk_text(c, file, &written));
	SHEAF_TRY(sheaf_cntk_locate(c, written, &input->path));
	SHEAF_TRY(sheaf_cntk_streams(c, o->record, o->name->declares, s));
	SHEAF_TRY(add_precision(c, o, s));
	SHEAF_TRY(add_keys(c, o->record, kind_of(o), s));
	part_settings(o->format, input);
	return SHEAF_OK;
}

/* ---- a reader of one file ---- */

/* Reads a reader of one file. */
static sheaf_status read_single(const sheaf_cntk *c, const sheaf_config_record *reader, sheaf_config *out)
{
	origin o = {.record = reader, .reader = reader};
	sheaf_setting_list s = {&out->settings, &out->nsettings};
	sheaf_field_span field;
	bool found;
	SHEAF_TRY(read_type(c, &o, &field, &found));
	if (!found) return refuse_type(c, field, "");
	SHEAF_TRY(name_unknown(c, reader, kind_of(&o)));
	SHEAF_TRY(add_input(c, &o, out));
	return sheaf_cntk_shuffle(c, (sheaf_cntk_reading){reader, false, o.name->declares}, s);
}

/* ---- a reader that joins several ---- */

/* The elements of the array, one after the other. */
typedef struct parts {
	const sheaf_config_record *reader;
	sheaf_cntk_span rest;
	int count;
} parts;

/* Finds the array of deserializers in a reader that has one; no element is read yet. */
static sheaf_status begin_parts(const sheaf_cntk *c, const sheaf_config_record *reader, parts *p)
{
	sheaf_field_span array;
	*p = (parts){.reader = reader};
	SHEAF_TRY(sheaf_cntk_find(c, reader, "deserializers", &array));
	if (sheaf_cntk_is_array(c, array.value, &p->rest)) return SHEAF_OK;
	SHEAF_TRY(sheaf_cntk_check_names(c, array));
	return sheaf_cntk_fail(c, array.value.at, "deserializers: this is not an array in ( )");
}

/* *out becomes the record of the next deserializer in the array; END after the last one. */
static sheaf_status next_part(const sheaf_cntk *c, parts *p, sheaf_config_record *out)
{
	sheaf_cntk_span element;
	SHEAF_TRY(sheaf_cntk_element(c, &p->rest, &element));
	*out = (sheaf_config_record){.outer = p->reader, .element = p->count++};
	out->nparts = sheaf_cntk_records(c, element, out->parts);
	if (out->nparts) return SHEAF_OK;
	return sheaf_cntk_fail(c, element.at, "deserializers: this is not a record in [ ] or { }");
}

/* *number becomes the index of the first deserializer whose files this build reads, or -1. */
static sheaf_status find_readable(const sheaf_cntk *c, const sheaf_config_record *reader, int *number)
{
	parts p;
	sheaf_config_record record;
	sheaf_status status = begin_parts(c, reader, &p);
	*number = -1;
	while (status == SHEAF_OK && *number < 0 && (status = next_part(c, &p, &record)) == SHEAF_OK) {
		origin o = {.record = &record, .reader = reader};
		sheaf_field_span field;
		bool found = false;
		status = read_type(c, &o, &field, &found);
		if (found) *number = record.element;
	}
	return sheaf_cntk_may_lack(status);
}

/* Reads one deserializer as an input; *text becomes true if it reads texts. One whose files this build does
 * not read is refused, with the advice to read another one alone. */
static sheaf_status read_part(const sheaf_cntk *c, const sheaf_config_record *record, bool *text,
                              sheaf_config *out)
{
	origin o = {.record = record, .reader = record->outer};
	sheaf_field_span field;
	bool found = false;
	SHEAF_TRY(read_type(c, &o, &field, &found));
	if (!found) {
		/* Images and speech belong to other programs; a part beside them can be read alone. */
		char path[CNTK_PATH], advice[CNTK_PATH + 100] = "";
		int number;
		SHEAF_TRY(find_readable(c, o.reader, &number));
		if (number >= 0)
			snprintf(advice, sizeof advice, "; another part can be read alone, as :%s.deserializers.%d",
			         sheaf_cntk_path(c, o.reader, path), number);
		return refuse_type(c, field, advice);
	}
	SHEAF_TRY(name_unknown(c, record, kind_of(&o)));
	*text |= o.name->declares;
	return add_input(c, &o, out);
}

/* Reads all deserializers of a reader as inputs, at least one; *text becomes true if any reads texts. */
static sheaf_status read_parts(const sheaf_cntk *c, const sheaf_config_record *reader, bool *text,
                               sheaf_config *out)
{
	parts p;
	sheaf_config_record record;
	sheaf_status status = begin_parts(c, reader, &p);
	while (status == SHEAF_OK && (status = next_part(c, &p, &record)) == SHEAF_OK)
		status = read_part(c, &record, text, out);
	if (status == SHEAF_END && out->ninputs == 0)
		return sheaf_cntk_fail(c, reader->parts[0].at, "deserializers: expected at least one, found none");
	return sheaf_cntk_may_lack(status);
}

/* Adds how sequences are packed: frameMode, or truncated with a truncationLength, of which only one may be
 * set. A section that writes gives its output sequence by sequence, whatever the configuration says. */
static sheaf_status add_packing(const sheaf_cntk *c, const sheaf_config_record *reader, sheaf_setting_list s)
{
	sheaf_field_span frames, truncated;
	bool is_framed = false, is_truncated = false;
	sheaf_cntk_action action;
	SHEAF_TRY(sheaf_cntk_flag(c, reader, "frameMode", &is_framed, &frames));
	SHEAF_TRY(sheaf_cntk_flag(c, reader, "truncated", &is_truncated, &truncated));
	if (is_framed && is_truncated)
		return sheaf_cntk_fail(c, truncated.value.at,
		                       "truncated: expected this key or frameMode, found both");
	SHEAF_TRY(sheaf_cntk_action_of(c, reader, true, &action));
	if (action == CNTK_WRITES) return SHEAF_OK;
	if (is_framed) return sheaf_cntk_add_word(c, s, "pack", "frames", 0);
	if (!is_truncated) return SHEAF_OK;
	sheaf_field_span length;
	int64_t count = 0;
	sheaf_status status = sheaf_cntk_said(c, reader, true, "truncationLength", &length);
	if (status == SHEAF_OK) status = sheaf_cntk_count(c, length, &count);
	SHEAF_TRY(sheaf_cntk_may_lack(status));
	if (count > 0) return sheaf_cntk_add_count(c, s, "pack", count);
	return sheaf_cntk_fail(c, truncated.value.at,
	                       "truncated: expected a truncationLength of at least 1 beside it, found none");
}

/* Reads a reader that joins deserializers. `only`: one of these, which is read alone; NULL: all of them. */
static sheaf_status read_composite(const sheaf_cntk *c, const sheaf_config_record *reader,
                                   const sheaf_config_record *only, sheaf_config *out)
{
	sheaf_setting_list s = {&out->settings, &out->nsettings};
	bool text = false;
	SHEAF_TRY(name_unknown(c, reader, COMPOSITE));
	SHEAF_TRY(only ? read_part(c, only, &text, out) : read_parts(c, reader, &text, out));
	SHEAF_TRY(add_keys(c, reader, COMPOSITE, s));
	SHEAF_TRY(sheaf_cntk_shuffle(c, (sheaf_cntk_reading){reader, true, text}, s));
	return add_packing(c, reader, s);
}

sheaf_status sheaf_cntk_reader(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_config *out)
{
	sheaf_setting_list s = {&out->settings, &out->nsettings};
	bool joins, outer_joins;
	SHEAF_TRY(sheaf_cntk_has(c, record, "deserializers", &joins));
	SHEAF_TRY(sheaf_cntk_has(c, record->outer, "deserializers", &outer_joins));
	/* A path may also lead to one of the deserializers. */
	bool is_part = outer_joins && !joins && sheaf_cntk_is_name(c, record->name, "deserializers");
	const sheaf_config_record *reader = is_part ? record->outer : record;
	SHEAF_TRY(joins || is_part ? read_composite(c, reader, is_part ? record : NULL, out)
	                           : read_single(c, record, out));
	return sheaf_cntk_sizes(c, reader, s);
}
