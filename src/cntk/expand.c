/* SPDX-License-Identifier: MIT */
/* The text of a configuration with its names replaced. CNTK does this to the text of a section before parsing
 * it: names are those of the fields at the top level, and a value may be a record, or any part of one. */
#include "cntk/config.h"
#include <string.h>

/* Without bounds a short file could produce endless text. */
enum { MOST_BYTES = 1 << 20, MOST_NAMES = 1000, DEEPEST = 100 };

typedef struct top_field {
	sheaf_cntk_span name, value;
} top_field;

typedef struct expansion {
	const sheaf_cntk *c;
	sheaf_cntk_memory *memory;
	sheaf_builder fields;            /* at the top level: top_field of each */
	int names;                       /* that were replaced so far */
	sheaf_cntk_span within[DEEPEST]; /* the names whose values are being inserted, one inside the other */
	int depth;
} expansion;

/* ---- fields at the top level ---- */

static size_t count_fields(const expansion *x) { return x->fields.size / sizeof(top_field); }

static const top_field *field_at(const expansion *x, size_t i)
{
	return (const top_field *)(const void *)x->fields.data + i;
}

/* Finds the fields that make up the value of a name: *first is the index of the first, and the result their
 * number, 0 if there is none. The last field of the name that is not a record in [ ] begins the value, or the
 * first field if all are records, and the records of that name after it are joined to it. */
static size_t find_fields(const expansion *x, sheaf_cntk_span name, size_t *first)
{
	size_t found = 0;
	for (size_t i = 0; i < count_fields(x); i++) {
		const top_field *f = field_at(x, i);
		if (!sheaf_cntk_is_same(x->c, f->name, name)) continue;
		bool is_record = f->value.at < f->value.end && x->c->text[f->value.at] == '[';
		if (found == 0 || !is_record) {
			*first = i;
			found = 0;
		}
		found++;
	}
	return found;
}

/* ---- putting text together ---- */

/* Notes that the text which is put next comes from byte `from` of the file: from there on byte by byte, or,
 * if `whole`, all of it from this place, as what replaces a name does. */
static void begin_run(expansion *x, size_t from, bool whole)
{
	sheaf_cntk_run run = {x->memory->text.size, from, whole};
	sheaf_builder_append(&x->memory->runs, &run, sizeof run);
}

/* Copies a part of the file. */
static void put(expansion *x, sheaf_cntk_span span)
{
	if (span.at == span.end) return;
	begin_run(x, span.at, false);
	sheaf_builder_append(&x->memory->text, x->c->text + span.at, span.end - span.at);
}

static sheaf_status put_value(expansion *x, sheaf_cntk_span value);

static sheaf_status check_bounds(const expansion *x, size_t at)
{
	if (x->names > MOST_NAMES)
		return sheaf_cntk_fail(x->c, at, "expected at most %d names between dollars, found more", MOST_NAMES);
	if (x->memory->text.size > MOST_BYTES)
		return sheaf_cntk_fail(x->c, at, "expected at most %d bytes after names are replaced, found more",
		                       MOST_BYTES);
	return SHEAF_OK;
}

/* Whether a name may be replaced by `value`: not inside its own value, which would never end, nor too deep in
 * values of other names, nor if the value is `default`, which means that it is not set. */
static bool has_value(const expansion *x, sheaf_cntk_span name, sheaf_cntk_span value)
{
	for (int i = 0; i < x->depth; i++)
		if (sheaf_cntk_is_same(x->c, x->within[i], name)) return false;
	bool is_default = value.end - value.at == 7 && memcmp(x->c->text + value.at, "default", 7) == 0;
	return x->depth < DEEPEST && !is_default;
}

/* Puts what $NAME$ stands for; `name` is the span between the dollars. That is the value of a field, in which
 * names are replaced in turn, the folder of the configuration for $ConfigDir$, or else $NAME$ as it is. The
 * fields that make up a value are separated by blanks. */
static sheaf_status put_named(expansion *x, sheaf_cntk_span name)
{
	size_t first = 0, count = find_fields(x, name, &first);
	x->names++;
	SHEAF_TRY(check_bounds(x, name.at));
	if (count && has_value(x, name, field_at(x, first)->value)) {
		sheaf_status status = SHEAF_OK;
		x->within[x->depth++] = name;
		for (size_t i = first; count > 0 && status == SHEAF_OK; i++) {
			sheaf_cntk_span value = field_at(x, i)->value;
			if (!sheaf_cntk_is_same(x->c, field_at(x, i)->name, name)) continue;
			status = sheaf_cntk_unquote(x->c, &value);
			if (status == SHEAF_OK) status = put_value(x, value);
			if (--count > 0) sheaf_builder_byte(&x->memory->text, ' ');
		}
		x->depth--;
		return status;
	}
	if (count || !sheaf_cntk_is_name(x->c, name, "ConfigDir")) {
		put(x, (sheaf_cntk_span){name.at - 1, name.end + 1});
		return SHEAF_OK;
	}
	const char *file = x->c->file, *slash = strrchr(file, '/');
	begin_run(x, name.at - 1, true);
	if (!slash)
		sheaf_builder_byte(&x->memory->text, '.');
	else
		sheaf_builder_append(&x->memory->text, file, slash == file ? 1 : (size_t)(slash - file));
	return SHEAF_OK;
}

/* Puts a part of the text, with its names replaced, except for those in comments. Text up to `done` is put
 * already. */
static sheaf_status put_value(expansion *x, sheaf_cntk_span value)
{
	size_t done = value.at, at = value.at;
	while (at < value.end) {
		size_t past = sheaf_cntk_past_comment(x->c, at, value.end), n = 0;
		if (past == at) n = sheaf_cntk_named(x->c, at, value.end);
		if (n == 0) {
			at = past > at ? past : at + 1;
			continue;
		}
		put(x, (sheaf_cntk_span){done, at});
		SHEAF_TRY(put_named(x, (sheaf_cntk_span){at + 1, at + 1 + n}));
		done = at = at + n + 2;
	}
	put(x, (sheaf_cntk_span){done, value.end});
	return SHEAF_OK;
}

/* The fields at the top level are found first, since a name may be set after it is used. */
sheaf_status sheaf_cntk_expand(const sheaf_cntk *written, sheaf_cntk_memory *memory, sheaf_cntk *out)
{
	expansion x = {.c = written, .memory = memory};
	sheaf_cntk_span rest = {0, written->size};
	sheaf_field_span field;
	size_t done = 0;
	sheaf_builder_begin(&memory->text, written->cx, NULL);
	sheaf_builder_begin(&memory->runs, written->cx, NULL);
	sheaf_builder_begin(&x.fields, written->cx, NULL);
	sheaf_status status;
	while ((status = sheaf_cntk_next(written, &rest, &field)) == SHEAF_OK) {
		top_field top = {field.name, field.value};
		if (!field.bare) sheaf_builder_append(&x.fields, &top, sizeof top);
	}
	if (status == SHEAF_END) status = sheaf_builder_status(&x.fields, written->err);
	/* Only values have names that are replaced; the text between them is copied. */
	for (size_t i = 0; status == SHEAF_OK && i < count_fields(&x); i++) {
		sheaf_cntk_span value = field_at(&x, i)->value;
		put(&x, (sheaf_cntk_span){done, value.at});
		status = put_value(&x, value);
		done = value.end;
	}
	if (status == SHEAF_OK) {
		put(&x, (sheaf_cntk_span){done, written->size});
		status = check_bounds(&x, 0);
	}
	if (status == SHEAF_OK) status = sheaf_builder_status(&memory->text, written->err);
	if (status == SHEAF_OK) status = sheaf_builder_status(&memory->runs, written->err);
	*out = *written;
	out->written = written;
	out->text = memory->text.data ? (const char *)memory->text.data : "";
	out->size = memory->text.size;
	out->runs = (const sheaf_cntk_run *)(const void *)memory->runs.data;
	out->nruns = memory->runs.size / sizeof *out->runs;
	sheaf_builder_drop(&x.fields);
	return status;
}

void sheaf_cntk_drop(sheaf_cntk_memory *memory)
{
	sheaf_builder_drop(&memory->text);
	sheaf_builder_drop(&memory->runs);
}
