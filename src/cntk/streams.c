/* SPDX-License-Identifier: MIT */
/* The `input` of a reader: a setting for each of its streams.
 *
 *   input = [ features = [ dim = 784; format = "dense" ]  labels = [ dim = 10; format = "sparse"; alias = "y"
 * ] ]
 *
 * becomes "features:784:dense" and "labels:10:sparse:alias=y", as if they were given by options. */
#include "base/extend.h"
#include "base/memory.h"
#include "cntk/config.h"
#include <inttypes.h>

typedef struct stream {
	sheaf_cntk_span name;
	int64_t dim; /* -1: not given */
	int sparse;  /* -1: not given */
	char *alias; /* NULL: none */
	bool main;
} stream;

/* Takes one field of a stream's record into *s, whose alias is the stream's own text; an unknown key is only
 * warned of. */
static sheaf_status read_stream_key(const sheaf_cntk *c, sheaf_field_span field, stream *s)
{
	if (sheaf_cntk_is_name(c, field.name, "dim")) {
		SHEAF_TRY(sheaf_cntk_count(c, field, &s->dim));
		return s->dim > 0 ? SHEAF_OK
		                  : sheaf_cntk_fail(c, field.value.at, "dim: expected at least 1, found 0");
	}
	if (sheaf_cntk_is_name(c, field.name, "format"))
		return sheaf_cntk_choice(c, field, "dense|sparse", &s->sparse);
	if (sheaf_cntk_is_name(c, field.name, "definesMBSize")) return sheaf_cntk_bool(c, field, &s->main);
	if (!sheaf_cntk_is_name(c, field.name, "alias"))
		return sheaf_cntk_warn(c, field.name, "unknown key", "a key of an input", "it is ignored");
	sheaf_release_text(c->cx, s->alias);
	SHEAF_TRY(sheaf_cntk_text(c, field, &s->alias));
	return *s->alias ? SHEAF_OK : sheaf_cntk_fail(c, field.value.at, "alias: expected a name, found nothing");
}

/* Adds a stream as --stream takes it: NAME[:DIM:STORAGE][:alias=A]; and that it is the main one, if it is. */
static sheaf_status add_stream(const sheaf_cntk *c, const stream *s, sheaf_setting_list to)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = c->cx};
	const char *name = c->text + s->name.at;
	size_t size = s->name.end - s->name.at;
	sheaf_builder_append(&b, name, size);
	if (s->dim > 0) sheaf_builder_printf(&b, ":%" PRId64 ":%s", s->dim, s->sparse ? "sparse" : "dense");
	if (s->alias) {
		sheaf_builder_text(&b, ":alias=");
		sheaf_builder_text(&b, s->alias);
	}
	SHEAF_TRY(sheaf_builder_status(&b, c->err));
	SHEAF_TRY(sheaf_cntk_add_text(c, to, "stream", (const char *)b.data, b.size));
	return s->main ? sheaf_cntk_add_text(c, to, "main-stream", name, size) : SHEAF_OK;
}

/* Reads a stream, and adds its setting. All records of its name are one stream, at the position of `field`,
 * the first of them. `declares`: the record must have dim and format; otherwise both or neither. */
static sheaf_status read_stream(const sheaf_cntk *c, const sheaf_config_record *streams,
                                sheaf_field_span field, bool declares, sheaf_setting_list to)
{
	sheaf_config_record record;
	sheaf_cntk_span name = field.name;
	stream s = {name, -1, -1, NULL, false};
	sheaf_status status = sheaf_cntk_inner(c, streams, name, &record);
	if (status == SHEAF_END)
		return sheaf_cntk_fail(c, field.value.at, "input \"%.*s\": this is not a record in [ ] or { }",
		                       (int)(name.end - name.at), c->text + name.at);
	if (status) return status;
	sheaf_field_walk walk = sheaf_cntk_walk(&record);
	while (status == SHEAF_OK && (status = sheaf_cntk_step(c, &walk, &field)) == SHEAF_OK)
		status = read_stream_key(c, field, &s);
	if (status == SHEAF_END) status = SHEAF_OK;
	const char *missing = s.dim < 0 && (declares || s.sparse >= 0)   ? "dim"
	                      : s.sparse < 0 && (declares || s.dim >= 0) ? "format"
	                                                                 : NULL;
	if (status == SHEAF_OK && missing)
		status = sheaf_cntk_fail(c, name.at, "input \"%.*s\": expected dim and format, found no %s",
		                         (int)(name.end - name.at), c->text + name.at, missing);
	/* A stream of a file that declares its own needs no setting unless the record changes something. */
	if (status == SHEAF_OK && (s.dim > 0 || s.alias || s.main)) status = add_stream(c, &s, to);
	sheaf_release_text(c->cx, s.alias);
	return status;
}

/* Only a reader whose files do not declare their streams (`declares`) must have an `input`. */
sheaf_status sheaf_cntk_streams(const sheaf_cntk *c, const sheaf_config_record *reader, bool declares,
                                sheaf_setting_list to)
{
	sheaf_config_record streams;
	sheaf_field_span field;
	bool first;
	int count = 0;
	sheaf_status status = sheaf_cntk_find(c, reader, "input", &field);
	if (status == SHEAF_END && declares)
		return sheaf_cntk_fail(c, reader->parts[0].at,
		                       "expected an `input` section in this reader, found none");
	if (status) return sheaf_cntk_may_lack(status);
	status = sheaf_cntk_inner(c, reader, field.name, &streams);
	if (status == SHEAF_END)
		return sheaf_cntk_fail(c, field.value.at, "input: this is not a record in [ ] or { }");
	SHEAF_TRY(status);
	sheaf_field_walk walk = sheaf_cntk_walk(&streams);
	while ((status = sheaf_cntk_step(c, &walk, &field)) == SHEAF_OK) {
		if (count++ == CNTK_NAMES)
			return sheaf_cntk_fail(c, field.name.at, "input: expected at most %d streams, found more",
			                       CNTK_NAMES);
		SHEAF_TRY(sheaf_cntk_is_first(c, &streams, field.name, &first));
		if (first) SHEAF_TRY(read_stream(c, &streams, field, declares, to));
	}
	return sheaf_cntk_may_lack(status);
}
