/* SPDX-License-Identifier: MIT */
/* The record of a reader into inputs and settings. One table says what each key means here. */
#include "base/context.h"
#include "base/memory.h"
#include "config/config.h"
#include "format/format.h"
#include <inttypes.h>
#include <sheaf/dataset.h>
#include <stdio.h>
#include <string.h>

/* ---- keys ---- */

typedef enum kind {
	QUIET,  /* known, and without meaning here */
	FLAG,   /* the setting stands, without a value, where true */
	TRUTH,  /* the first of `words` where true, else the second */
	COUNT,  /* a whole number */
	WINDOW, /* a whole number, or "auto", which sets nothing */
	CHOICE  /* one of `words` */
} kind;

/* Whose a key is: of an input, or of the reader as a whole. In a reader with one input both stand in one
 * record. */
enum { INPUT = 1, READER = 2, OUTER = 4 /* and the nearest one around counts, too */ };

typedef struct key {
	const char *name;
	kind kind;
	unsigned of;
	const char *setting, *words;
	const char
		*usual; /* the setting where nothing is said and CNTK's default is not this library's; or NULL */
} key;

static const key keys[] = {
	{"precision", CHOICE, INPUT | OUTER, "precision", "float|double", NULL},
	{"skipSequenceIds", FLAG, INPUT, "skip-sequence-ids", NULL, NULL},
	{"maxErrors", COUNT, INPUT, "max-errors", NULL, NULL},
	{"chunkSizeInBytes", COUNT, INPUT | OUTER, "chunk-bytes", NULL, NULL},
	{"keepDataInMemory", FLAG, INPUT | OUTER, "keep-in-memory", NULL, NULL},
	{"cacheIndex", TRUTH, INPUT | OUTER, "index", "write|auto", NULL},
	{"traceLevel", CHOICE, READER | OUTER, "trace-level", "0|1|2", NULL},
	{"randomize", TRUTH, READER | OUTER, "order", "cntk|file", "cntk"},
	{"randomizationSeed", COUNT, READER | OUTER, "seed", NULL, NULL},
	{"randomizationWindow", WINDOW, READER | OUTER, "window", NULL, NULL},
	{"sampleBasedRandomizationWindow", TRUTH, READER | OUTER, "window-unit", "samples|chunks", NULL},
	{"frameMode", FLAG, READER | OUTER, "frame-mode", NULL, NULL},
	{"localTimeline", TRUTH, READER | OUTER, "timeline", "local|global", NULL},
	{"truncated", QUIET, READER | OUTER, NULL, NULL, NULL},
	{"truncationLength", QUIET, READER | OUTER, NULL, NULL, NULL},
	{"readerType", QUIET, INPUT | READER, NULL, NULL, NULL},
	{"type", QUIET, INPUT | READER, NULL, NULL, NULL},
	{"module", QUIET, INPUT | READER, NULL, NULL, NULL},
	{"file", QUIET, INPUT, NULL, NULL, NULL},
	{"input", QUIET, INPUT, NULL, NULL, NULL},
	{"deserializers", QUIET, READER, NULL, NULL, NULL},
	{"verbosity", QUIET, INPUT | READER, NULL, NULL, NULL},
	{"prefetch", QUIET, READER, NULL, NULL, NULL},
	{"nbruttsineachrecurrentiter", QUIET, READER, NULL, NULL, NULL},
	{"multiThreadedDeserialization", QUIET, READER, NULL, NULL, NULL},
	{"checkData", QUIET, READER, NULL, NULL, NULL},
	{"useNumericSequenceKeys", QUIET, READER, NULL, NULL, NULL},
	{"action", QUIET, READER, NULL, NULL, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

static const char *const stream_keys[] = {"dim", "format", "alias", "definesMBSize"};
enum { STREAM_KEYS = sizeof stream_keys / sizeof *stream_keys };

/* ---- settings ---- */

typedef struct settings {
	sheaf_setting **list;
	int *count;
} settings;

/* Takes over `value`. */
static sheaf_status add_setting(const sheaf_cntk *c, settings s, const char *name, char *value)
{
	void *memory = *s.list;
	size_t size = (size_t)*s.count * sizeof **s.list;
	sheaf_status status = sheaf_reallocate(c->cx, &memory, size, size + sizeof **s.list, c->err);
	if (status) {
		sheaf_release_text(c->cx, value);
		return status;
	}
	*s.list = (sheaf_setting *)memory;
	(*s.list)[(*s.count)++] = (sheaf_setting){name, value};
	return SHEAF_OK;
}

static sheaf_status add_copy(const sheaf_cntk *c, settings s, const char *name, const char *value, size_t n)
{
	char *copy;
	SHEAF_TRY(sheaf_copy_text(c->cx, value, n, &copy, c->err));
	return add_setting(c, s, name, copy);
}

/* The i-th of "a|b|c". */
static sheaf_status add_word(const sheaf_cntk *c, settings s, const char *name, const char *words, int i)
{
	while (i-- > 0) words += strcspn(words, "|") + 1;
	return add_copy(c, s, name, words, strcspn(words, "|"));
}

static sheaf_status add_count(const sheaf_cntk *c, settings s, const char *name, int64_t count)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%" PRId64, count);
	return add_copy(c, s, name, text, (size_t)n);
}

/* ---- keys into settings ---- */

static sheaf_status find_key(const sheaf_cntk *c, const sheaf_config_record *record, const char *name,
                             bool outer, const sheaf_config_record **where, sheaf_field_span *field)
{
	sheaf_status status = SHEAF_END;
	for (; record && status == SHEAF_END; record = outer ? record->outer : NULL) {
		*where = record;
		status = sheaf_cntk_find(c, record, name, field);
	}
	return status;
}

static sheaf_status read_window(const sheaf_cntk *c, const sheaf_config_record *where, sheaf_field_span field,
                                const key *k, settings s)
{
	int word;
	int64_t count;
	sheaf_error failure;
	sheaf_cntk quiet = *c;
	quiet.err = &failure;
	sheaf_status status = sheaf_cntk_choice(&quiet, where, field, "auto", &word);
	if (!status) return SHEAF_OK;
	status = sheaf_forgive(status, "what is no word is read as a number");
	if (status) return sheaf_fail(c->err, status, "%s", failure.message);
	SHEAF_TRY(sheaf_cntk_count(c, where, field, &count));
	return add_count(c, s, k->setting, count);
}

static sheaf_status read_key(const sheaf_cntk *c, const sheaf_config_record *where, sheaf_field_span field,
                             const key *k, settings s)
{
	bool yes;
	int word;
	int64_t count;
	switch (k->kind) {
	case FLAG:
		SHEAF_TRY(sheaf_cntk_bool(c, where, field, &yes));
		return yes ? add_setting(c, s, k->setting, NULL) : SHEAF_OK;
	case TRUTH:
		SHEAF_TRY(sheaf_cntk_bool(c, where, field, &yes));
		return add_word(c, s, k->setting, k->words, !yes);
	case COUNT:
		SHEAF_TRY(sheaf_cntk_count(c, where, field, &count));
		return add_count(c, s, k->setting, count);
	case WINDOW: return read_window(c, where, field, k, s);
	case CHOICE:
		SHEAF_TRY(sheaf_cntk_choice(c, where, field, k->words, &word));
		return add_word(c, s, k->setting, k->words, word);
	case QUIET: break;
	}
	return SHEAF_OK;
}

static sheaf_status read_keys(const sheaf_cntk *c, const sheaf_config_record *record, unsigned of, settings s)
{
	for (int i = 0; i < KEYS; i++) {
		const sheaf_config_record *where;
		sheaf_field_span field;
		if (!(keys[i].of & of) || keys[i].kind == QUIET) continue;
		sheaf_status status = find_key(c, record, keys[i].name, keys[i].of & OUTER, &where, &field);
		if (status == SHEAF_OK) status = read_key(c, where, field, &keys[i], s);
		if (status == SHEAF_END && keys[i].usual)
			status = add_copy(c, s, keys[i].setting, keys[i].usual, strlen(keys[i].usual));
		if (status != SHEAF_OK && status != SHEAF_END) return status;
	}
	return SHEAF_OK;
}

static sheaf_status warn_of_key(const sheaf_cntk *c, sheaf_span name, const char *owner)
{
	char expected[64], found[80];
	sheaf_problem problem = {SHEAF_WARNING, SHEAF_DATA, "unknown key",  SHEAF_NOWHERE,
	                         expected,      found,      "it is ignored"};
	snprintf(expected, sizeof expected, "a key of %s", owner);
	snprintf(found, sizeof found, "\"%.*s\"", (int)(name.end - name.at > 60 ? 60 : name.end - name.at),
	         c->text + name.at);
	sheaf_cntk_place(c, name.at, &problem.place);
	return sheaf_report(c->cx, &problem, c->err);
}

static bool is_known(const sheaf_cntk *c, sheaf_span name, unsigned of)
{
	for (int i = 0; i < KEYS; i++)
		if ((keys[i].of & of) && sheaf_cntk_is_name(c, name, keys[i].name)) return true;
	return false;
}

static sheaf_status name_unknown(const sheaf_cntk *c, const sheaf_config_record *record, unsigned of)
{
	sheaf_span rest = record->inside;
	sheaf_field_span field;
	sheaf_status status;
	while ((status = sheaf_cntk_next(c, &rest, &field)) == SHEAF_OK)
		if (!is_known(c, field.name, of)) SHEAF_TRY(warn_of_key(c, field.name, "a reader"));
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* ---- streams ---- */

static bool is_stream_key(const sheaf_cntk *c, sheaf_span name)
{
	for (int i = 0; i < STREAM_KEYS; i++)
		if (sheaf_cntk_is_name(c, name, stream_keys[i])) return true;
	return false;
}

typedef struct stream {
	sheaf_span name;
	int64_t dim; /* -1: not said */
	int sparse;  /* -1: not said */
	char *alias; /* NULL: none */
	bool main;
} stream;

static sheaf_status read_stream_key(const sheaf_cntk *c, const sheaf_config_record *record,
                                    sheaf_field_span field, stream *s)
{
	if (sheaf_cntk_is_name(c, field.name, "dim")) {
		SHEAF_TRY(sheaf_cntk_count(c, record, field, &s->dim));
		return s->dim > 0 ? SHEAF_OK
		                  : sheaf_cntk_fail(c, field.value.at, "dim: expected at least 1, found 0");
	}
	if (sheaf_cntk_is_name(c, field.name, "format"))
		return sheaf_cntk_choice(c, record, field, "dense|sparse", &s->sparse);
	if (sheaf_cntk_is_name(c, field.name, "definesMBSize"))
		return sheaf_cntk_bool(c, record, field, &s->main);
	sheaf_release_text(c->cx, s->alias);
	SHEAF_TRY(sheaf_cntk_text(c, record, field.value, &s->alias));
	return *s->alias ? SHEAF_OK : sheaf_cntk_fail(c, field.value.at, "alias: expected a name, found nothing");
}

static sheaf_status read_stream_keys(const sheaf_cntk *c, const sheaf_config_record *record, stream *s)
{
	sheaf_span rest = record->inside;
	sheaf_field_span field;
	sheaf_status status;
	while ((status = sheaf_cntk_next(c, &rest, &field)) == SHEAF_OK)
		SHEAF_TRY(is_stream_key(c, field.name) ? read_stream_key(c, record, field, s)
		                                       : warn_of_key(c, field.name, "an input"));
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status check_stream(const sheaf_cntk *c, const stream *s, bool declares)
{
	const char *missing = s->dim < 0 && (declares || s->sparse >= 0)   ? "dim"
	                      : s->sparse < 0 && (declares || s->dim >= 0) ? "format"
	                                                                   : NULL;
	if (!missing) return SHEAF_OK;
	return sheaf_cntk_fail(c, s->name.at, "input \"%.*s\": expected dim and format, found no %s",
	                       (int)(s->name.end - s->name.at), c->text + s->name.at, missing);
}

/* As --stream takes it: NAME[:DIM:STORAGE][:alias=A]. */
static sheaf_status add_stream(const sheaf_cntk *c, const stream *s, settings to)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, c->cx, NULL);
	sheaf_builder_append(&b, c->text + s->name.at, s->name.end - s->name.at);
	if (s->dim > 0) sheaf_builder_printf(&b, ":%" PRId64 ":%s", s->dim, s->sparse ? "sparse" : "dense");
	if (s->alias) {
		sheaf_builder_text(&b, ":alias=");
		sheaf_builder_text(&b, s->alias);
	}
	sheaf_status status = sheaf_builder_status(&b, c->err);
	if (status == SHEAF_OK) status = add_copy(c, to, "stream", (const char *)b.data, b.size);
	sheaf_builder_drop(&b);
	if (status == SHEAF_OK && s->main)
		status = add_copy(c, to, "main-stream", c->text + s->name.at, s->name.end - s->name.at);
	return status;
}

static sheaf_status read_stream(const sheaf_cntk *c, const sheaf_config_record *outer, sheaf_field_span field,
                                bool declares, settings to)
{
	sheaf_config_record record = {.outer = outer};
	stream s = {field.name, -1, -1, NULL, false};
	if (!sheaf_cntk_is_record(c, field.value, &record.inside))
		return sheaf_cntk_fail(c, field.value.at,
		                       "input \"%.*s\": expected a record in [ ] or { }, found something else",
		                       (int)(field.name.end - field.name.at), c->text + field.name.at);
	sheaf_status status = read_stream_keys(c, &record, &s);
	if (status == SHEAF_OK) status = check_stream(c, &s, declares);
	/* A stream of a file that declares its own needs no word unless one is said. */
	if (status == SHEAF_OK && (s.dim > 0 || s.alias || s.main)) status = add_stream(c, &s, to);
	sheaf_release_text(c->cx, s.alias);
	return status;
}

static sheaf_status read_streams(const sheaf_cntk *c, const sheaf_config_record *record, bool declares,
                                 settings to)
{
	sheaf_field_span field;
	sheaf_config_record streams = {.outer = record};
	sheaf_status status = sheaf_cntk_find(c, record, "input", &field);
	if (status == SHEAF_END && !declares) return SHEAF_OK;
	if (status == SHEAF_END)
		return sheaf_cntk_fail(c, record->inside.at,
		                       "expected an `input` section in this reader, found none");
	SHEAF_TRY(status);
	if (!sheaf_cntk_is_record(c, field.value, &streams.inside))
		return sheaf_cntk_fail(c, field.value.at,
		                       "input: expected a record in [ ] or { }, found something else");
	sheaf_span rest = streams.inside;
	while ((status = sheaf_cntk_next(c, &rest, &field)) == SHEAF_OK)
		SHEAF_TRY(read_stream(c, &streams, field, declares, to));
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* ---- inputs ---- */

/* The format whose readers CNTK calls so. */
static const sheaf_format *find_format(const char *word, bool *declares)
{
	const sheaf_format *format;
	for (int i = 0; (format = sheaf_format_at(i)); i++)
		for (const sheaf_reader_name *r = format->readers; r && r->name; r++) {
			*declares = r->declares;
			if (strcmp(r->name, word) == 0) return format;
		}
	return NULL;
}

static sheaf_status read_type(const sheaf_cntk *c, const sheaf_config_record *record,
                              const sheaf_format **format, bool *declares)
{
	sheaf_field_span field;
	char *word;
	sheaf_status status = sheaf_cntk_find(c, record, "readerType", &field);
	if (status == SHEAF_END) status = sheaf_cntk_find(c, record, "type", &field);
	if (status == SHEAF_END)
		return sheaf_cntk_fail(
			c, record->inside.at,
			"expected a readerType (or a deserializer's type) in this section, found none");
	SHEAF_TRY(status);
	SHEAF_TRY(sheaf_cntk_text(c, record, field.value, &word));
	*format = find_format(word, declares);
	if (!*format)
		status =
			sheaf_cntk_fail(c, field.value.at,
		                    "expected the name of a reader whose files this build reads, found \"%s\"", word);
	sheaf_release_text(c->cx, word);
	return status;
}

static sheaf_status read_file(const sheaf_cntk *c, const sheaf_config_record *record, char **path)
{
	sheaf_field_span field;
	sheaf_status status = sheaf_cntk_find(c, record, "file", &field);
	if (status == SHEAF_END)
		return sheaf_cntk_fail(c, record->inside.at, "expected `file` in this section, found none");
	SHEAF_TRY(status);
	SHEAF_TRY(sheaf_cntk_text(c, record, field.value, path));
	char *written = *path;
	*path = NULL;
	return sheaf_cntk_locate(c, written, path);
}

static bool is_read_by(const sheaf_format *format, const char *name)
{
	const sheaf_option *option = sheaf_option_find(sheaf_format_options(format), name);
	return option && (option->use & SHEAF_READING);
}

/* Settings of the format come first, in their order, and the others after them. */
static void part_settings(const sheaf_format *format, sheaf_config_input *input)
{
	int n = input->nsettings, own = 0;
	for (int i = 0; i < n; i++) {
		sheaf_setting setting = input->settings[i];
		if (!is_read_by(format, setting.name)) continue;
		memmove(input->settings + own + 1, input->settings + own, (size_t)(i - own) * sizeof setting);
		input->settings[own++] = setting;
	}
	input->nsettings = own;
	input->others = input->settings + own;
	input->nothers = n - own;
}

static sheaf_status read_input(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_config *out)
{
	const sheaf_format *format = NULL;
	bool declares = false;
	void *memory = out->inputs;
	size_t size = (size_t)out->ninputs * sizeof *out->inputs;
	SHEAF_TRY(sheaf_reallocate(c->cx, &memory, size, size + sizeof *out->inputs, c->err));
	out->inputs = (sheaf_config_input *)memory;
	sheaf_config_input *input = &out->inputs[out->ninputs++];
	*input = (sheaf_config_input){0};
	settings s = {&input->settings, &input->nsettings};
	SHEAF_TRY(read_type(c, record, &format, &declares));
	input->format = format->name;
	SHEAF_TRY(read_file(c, record, &input->path));
	SHEAF_TRY(read_streams(c, record, declares, s));
	SHEAF_TRY(read_keys(c, record, INPUT, s));
	part_settings(format, input);
	return SHEAF_OK;
}

static sheaf_status read_inputs(const sheaf_cntk *c, const sheaf_config_record *reader,
                                sheaf_field_span array, sheaf_config *out)
{
	sheaf_span rest, element;
	sheaf_status status;
	if (!sheaf_cntk_is_array(c, array.value, &rest))
		return sheaf_cntk_fail(c, array.value.at,
		                       "deserializers: expected an array in ( ), found something else");
	while ((status = sheaf_cntk_element(c, &rest, &element)) == SHEAF_OK) {
		sheaf_config_record record = {.outer = reader};
		if (!sheaf_cntk_is_record(c, element, &record.inside))
			return sheaf_cntk_fail(c, element.at,
			                       "deserializers: expected a record in [ ] or { }, found something else");
		SHEAF_TRY(name_unknown(c, &record, INPUT));
		SHEAF_TRY(read_input(c, &record, out));
	}
	if (status == SHEAF_END && out->ninputs == 0)
		return sheaf_cntk_fail(c, array.value.at, "deserializers: expected at least one, found none");
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* Truncation needs both of its keys; a length alone means nothing. */
static sheaf_status read_truncation(const sheaf_cntk *c, const sheaf_config_record *reader, settings s)
{
	const sheaf_config_record *where;
	sheaf_field_span truncated, length;
	bool yes = false;
	int64_t count = 0;
	sheaf_status status = find_key(c, reader, "truncated", true, &where, &truncated);
	if (status == SHEAF_OK) status = sheaf_cntk_bool(c, where, truncated, &yes);
	if (status == SHEAF_END || (status == SHEAF_OK && !yes)) return SHEAF_OK;
	SHEAF_TRY(status);
	status = find_key(c, reader, "truncationLength", true, &where, &length);
	if (status == SHEAF_OK) status = sheaf_cntk_count(c, where, length, &count);
	if (status != SHEAF_OK && status != SHEAF_END) return status;
	if (count == 0)
		return sheaf_cntk_fail(c, truncated.value.at,
		                       "truncated: expected a truncationLength of at least 1 beside it, found none");
	return add_count(c, s, "truncate", count);
}

sheaf_status sheaf_cntk_reader(const sheaf_cntk *c, const sheaf_config_record *reader, sheaf_config *out)
{
	sheaf_field_span array;
	settings s = {&out->settings, &out->nsettings};
	sheaf_status status = sheaf_cntk_find(c, reader, "deserializers", &array);
	SHEAF_TRY(name_unknown(c, reader, status == SHEAF_OK ? READER : INPUT | READER));
	if (status == SHEAF_OK)
		status = read_inputs(c, reader, array, out);
	else if (status == SHEAF_END)
		status = read_input(c, reader, out);
	SHEAF_TRY(status);
	SHEAF_TRY(read_keys(c, reader, READER, s));
	return read_truncation(c, reader, s);
}
