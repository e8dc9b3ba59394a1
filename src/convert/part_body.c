/* SPDX-License-Identifier: MIT */
/* The bytes of a conversion's part: docs/part-file.md describes them. */
#include "convert/part_body.h"
#include "base/memory.h"
#include "data/frame.h"
#include "data/schema_bytes.h"
#include <inttypes.h>
#include <string.h>

enum { BLOB = 24, SEGMENT_LEAST = 32, SETTING_LEAST = 8, FORMAT_LEAST = 4 };

/* ---- the common part, to bytes ---- */

static void put_facts(sheaf_builder *b, const sheaf_facts *f)
{
	const int64_t numbers[] = {f->rows, f->samples, f->chunks, f->longest, f->ordinal_keys};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sheaf_part_put_i64(b, numbers[i]);
}

static void put_settings(sheaf_builder *b, const sheaf_convert_options *o)
{
	sheaf_builder_u32le(b, (uint32_t)o->nsettings);
	for (int i = 0; i < o->nsettings; i++) {
		sheaf_part_put_text(b, o->settings[i].name);
		sheaf_part_put_text(b, o->settings[i].value);
	}
}

void sheaf_part_put_whole(sheaf_builder *b, const sheaf_conversion *c)
{
	const sheaf_selection *select = &c->options->select;
	sheaf_builder_u32le(b, SHEAF_PAYLOAD_NONE);
	sheaf_part_put_text(b, c->to->name);
	put_settings(b, c->options);
	sheaf_part_put_i64(b, select->skip);
	sheaf_part_put_text(b, select->rows);
	sheaf_part_put_text(b, select->sample);
	sheaf_builder_u64le(b, select->seed);
	sheaf_part_put_text(b, select->where);
}

void sheaf_part_put_common(sheaf_builder *b, const sheaf_conversion *c)
{
	sheaf_payload payload = c->sorts    ? SHEAF_PAYLOAD_SORTED
	                        : c->stores ? SHEAF_PAYLOAD_ROWS
	                                    : SHEAF_PAYLOAD_OUTPUT;
	sheaf_entry_shape entry = c->sorts ? sheaf_writer_entry(c->writer) : (sheaf_entry_shape){0};
	sheaf_builder_u32le(b, payload);
	sheaf_builder_u32le(b, entry.key_words);
	sheaf_builder_u32le(b, entry.value_size);
	sheaf_part_put_text(b, c->to->name);
	sheaf_builder_u32le(b, c->options->allow_large);
	sheaf_builder_u32le(b, (uint32_t)c->options->duplicates);
	sheaf_part_put_i64(b, c->input_bytes);
	put_facts(b, &c->totals);
	sheaf_schema_to_bytes(&c->schema, b);
	put_settings(b, c->options);
	sheaf_part_put_text(b, c->options->member);
	sheaf_builder_u32le(b, (uint32_t)c->ninputs);
	for (int i = 0; i < c->ninputs; i++) sheaf_part_put_text(b, c->inputs[i]->native->name);
}

/* The kind of payload comes first. */
void sheaf_part_put_common_again(sheaf_builder *b, const sheaf_part_file *part, sheaf_payload payload)
{
	sheaf_builder_u32le(b, payload);
	sheaf_builder_append(b, part->common.data + sizeof(uint32_t), part->common.size - sizeof(uint32_t));
}

static void put_option(sheaf_builder *b, const char *name, const char *value)
{
	if (value) sheaf_builder_printf(b, "%s=%s\n", name, value);
}

void sheaf_part_put_options(sheaf_builder *b, const sheaf_conversion *c)
{
	const sheaf_convert_options *o = c->options;
	const sheaf_selection *s = &o->select;
	put_option(b, "to", c->to->name);
	put_option(b, "from", o->from);
	put_option(b, "dataset", o->member);
	put_option(b, "coordinates", o->coordinates);
	put_option(b, "sequences", o->sequences);
	put_option(b, "lengths", o->lengths);
	put_option(b, "value", o->value);
	put_option(b, "shape", o->shape);
	put_option(b, "structure", o->structure);
	put_option(b, "rows", s->rows);
	put_option(b, "sample", s->sample);
	put_option(b, "where", s->where);
	put_option(b, "streams", s->streams);
	put_option(b, "columns", s->columns);
	if (s->skip) sheaf_builder_printf(b, "skip=%" PRId64 "\n", s->skip);
	if (s->sample) sheaf_builder_printf(b, "seed=%" PRIu64 "\n", s->seed);
	if (s->transpose) put_option(b, "transpose", "");
	if (o->matrix) put_option(b, "matrix", "");
	if (o->duplicates) sheaf_builder_printf(b, "duplicates=%d\n", (int)o->duplicates);
	if (o->allow_large) put_option(b, "allow-large", "");
	for (int i = 0; i < o->nsettings; i++)
		put_option(b, o->settings[i].name, o->settings[i].value ? o->settings[i].value : "");
	put_option(b, "rows-are", c->sorts ? "sorted" : c->stores ? "kept" : "encoded");
	sheaf_builder_append(b, "", 1);
}

void sheaf_part_put_bytes(sheaf_builder *b, sheaf_bytes bytes)
{
	sheaf_builder_u64le(b, bytes.size);
	sheaf_builder_append(b, bytes.data, bytes.size);
}

/* ---- a sink that drops everything ---- */

static int forget(void *user, const void *data, size_t size)
{
	(void)user, (void)data, (void)size;
	return 0;
}

sheaf_status sheaf_part_scrap(const char *name, sheaf_context *cx, sheaf_sink **out, sheaf_error *err)
{
	return sheaf_sink_function(forget, NULL, name, cx, out, err);
}

/* ---- the common part, from bytes ---- */

static sheaf_status read_facts(sheaf_cursor *c, const sheaf_part_file *part, sheaf_facts *f, sheaf_error *err)
{
	*f = SHEAF_NO_FACTS;
	f->rows = sheaf_cursor_i64le(c, "rows");
	f->samples = sheaf_cursor_i64le(c, "samples");
	f->chunks = sheaf_cursor_i64le(c, "chunks");
	f->longest = sheaf_cursor_i64le(c, "longest");
	int64_t ordinal = sheaf_cursor_i64le(c, "kind of keys");
	f->ordinal_keys = (int)ordinal;
	return ordinal >= -1 && ordinal <= 1 ? SHEAF_OK : sheaf_part_refuse(part, "kind of keys", err);
}

static sheaf_status read_settings(sheaf_cursor *c, const sheaf_part_file *part, sheaf_part_common *to,
                                  sheaf_error *err)
{
	void *memory;
	uint32_t n = sheaf_cursor_count_u32le(c, SETTING_LEAST, "number of settings");
	if (c->failed || n > INT32_MAX) return sheaf_part_refuse(part, "settings", err);
	SHEAF_TRY(sheaf_allocate_array(to->cx, n, sizeof *to->settings, &memory, err));
	to->settings = (sheaf_setting *)memory;
	to->nsettings = (int)n;
	for (int i = 0; i < to->nsettings; i++) {
		char *name, *value;
		SHEAF_TRY(sheaf_part_read_text(c, part, &name, err));
		to->settings[i].name = name;
		SHEAF_TRY(sheaf_part_read_text(c, part, &value, err));
		to->settings[i].value = value;
		if (!name) return sheaf_part_refuse(part, "the name of a setting", err);
	}
	return SHEAF_OK;
}

static sheaf_status read_formats(sheaf_cursor *c, const sheaf_part_file *part, sheaf_part_common *to,
                                 sheaf_error *err)
{
	void *memory;
	uint32_t n = sheaf_cursor_count_u32le(c, FORMAT_LEAST, "number of inputs");
	if (c->failed || n != (uint32_t)part->head.ninputs) return sheaf_part_refuse(part, "inputs", err);
	SHEAF_TRY(sheaf_allocate_array(to->cx, n, sizeof *to->formats, &memory, err));
	to->formats = (char **)memory;
	to->ninputs = (int)n;
	for (int i = 0; i < to->ninputs; i++) {
		SHEAF_TRY(sheaf_part_read_text(c, part, &to->formats[i], err));
		if (!to->formats[i]) return sheaf_part_refuse(part, "the format of an input", err);
	}
	return SHEAF_OK;
}

static sheaf_status read_whole(sheaf_cursor *c, const sheaf_part_file *part, sheaf_part_common *to,
                               sheaf_error *err)
{
	char *text;
	SHEAF_TRY(sheaf_part_read_text(c, part, &to->to, err));
	if (!to->to || part->head.ninputs != 1) return sheaf_part_refuse(part, "a format, and one input", err);
	SHEAF_TRY(read_settings(c, part, to, err));
	to->select.skip = sheaf_cursor_i64le(c, "rows to skip");
	SHEAF_TRY(sheaf_part_read_text(c, part, &text, err));
	to->select.rows = text;
	SHEAF_TRY(sheaf_part_read_text(c, part, &text, err));
	to->select.sample = text;
	to->select.seed = sheaf_cursor_u64le(c, "seed");
	SHEAF_TRY(sheaf_part_read_text(c, part, &text, err));
	to->select.where = text;
	return c->failed || sheaf_cursor_left(c) ? sheaf_part_refuse(part, "what is common", err) : SHEAF_OK;
}

static sheaf_status read_common(const sheaf_part_file *part, sheaf_part_common *to, sheaf_error *err)
{
	sheaf_cursor c = sheaf_cursor_over(part->common.data, part->common.size, 0);
	uint32_t payload = sheaf_cursor_u32le(&c, "kind of payload");
	if (payload > SHEAF_PAYLOAD_NONE) return sheaf_part_refuse(part, "kind of payload", err);
	to->payload = (sheaf_payload)payload;
	if (to->payload == SHEAF_PAYLOAD_NONE) return read_whole(&c, part, to, err);
	to->entry.key_words = sheaf_cursor_u32le(&c, "words of a key");
	to->entry.value_size = sheaf_cursor_u32le(&c, "bytes of a value");
	SHEAF_TRY(sheaf_part_read_text(&c, part, &to->to, err));
	SHEAF_TRY(sheaf_part_read_mark(&c, part, "mark of size", &to->allow_large, err));
	uint32_t duplicates = sheaf_cursor_u32le(&c, "word for duplicates");
	to->input_bytes = sheaf_cursor_i64le(&c, "bytes of inputs");
	SHEAF_TRY(read_facts(&c, part, &to->totals, err));
	if (c.failed || !to->to || duplicates > SHEAF_DUPLICATES_LAST)
		return sheaf_part_refuse(part, "options", err);
	to->duplicates = (sheaf_duplicates)duplicates;
	SHEAF_TRY(sheaf_schema_from_bytes(&c, to->cx, &to->schema, err));
	SHEAF_TRY(read_settings(&c, part, to, err));
	SHEAF_TRY(sheaf_part_read_text(&c, part, &to->member, err));
	SHEAF_TRY(read_formats(&c, part, to, err));
	for (int i = 0; i < to->ninputs; i++) (void)sheaf_cursor_bytes(&c, 2, sizeof(int64_t), "pieces");
	return c.failed || sheaf_cursor_left(&c) ? sheaf_part_refuse(part, "what is common", err) : SHEAF_OK;
}

sheaf_status sheaf_part_read_common(const sheaf_part_file *part, sheaf_part_common *out, sheaf_error *err)
{
	*out = (sheaf_part_common){.cx = part->cx};
	sheaf_status status = read_common(part, out, err);
	if (status) sheaf_part_common_free(out);
	return status;
}

void sheaf_part_common_free(sheaf_part_common *common)
{
	sheaf_context *cx = common->cx;
	if (!cx) return;
	for (int i = 0; i < common->nsettings; i++) {
		sheaf_release_text(cx, (char *)(uintptr_t)common->settings[i].name);
		sheaf_release_text(cx, (char *)(uintptr_t)common->settings[i].value);
	}
	for (int i = 0; i < common->ninputs; i++) sheaf_release_text(cx, common->formats[i]);
	if (common->settings)
		sheaf_release(cx, common->settings, (size_t)common->nsettings * sizeof *common->settings);
	if (common->formats)
		sheaf_release(cx, common->formats, (size_t)common->ninputs * sizeof *common->formats);
	const char *const texts[] = {common->to, common->member, common->select.rows, common->select.sample,
	                             common->select.where};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		sheaf_release_text(cx, (char *)(uintptr_t)texts[i]);
	sheaf_schema_free(&common->schema);
	*common = (sheaf_part_common){0};
}

/* ---- the part's own data ---- */

void sheaf_part_put_own(sheaf_builder *b, const sheaf_part_own *own)
{
	sheaf_builder_u32le(b, own->structured);
	sheaf_builder_u32le(b, (uint32_t)own->structure);
	sheaf_part_put_i64(b, own->row);
	sheaf_part_put_i64(b, own->rows);
	sheaf_builder_u32le(b, own->is_last);
	put_facts(b, &own->facts);
	sheaf_part_put_bytes(b, own->opening);
	sheaf_part_put_bytes(b, own->closing);
	sheaf_builder_u64le(b, (uint64_t)own->nblobs);
	sheaf_builder_append(b, own->blobs.data, own->blobs.size);
	sheaf_builder_u32le(b, (uint32_t)own->nsegments);
	sheaf_builder_append(b, own->segments.at, sheaf_cursor_left(&own->segments));
}

sheaf_status sheaf_conversion_finish_part(const sheaf_conversion *c, sheaf_sink *sink, sheaf_part_head *head,
                                          const sheaf_builder *common, const sheaf_part_own *own,
                                          sheaf_error *err)
{
	sheaf_builder bytes, options;
	sheaf_builder_begin(&bytes, c->cx, NULL);
	sheaf_builder_begin(&options, c->cx, NULL);
	sheaf_part_put_own(&bytes, own);
	sheaf_part_put_options(&options, c);
	head->options = (char *)options.data;
	sheaf_status status = sheaf_builder_status(&options, err);
	if (status == SHEAF_OK)
		status = sheaf_part_finish(sink, head, common, &bytes, err);
	else
		sheaf_sink_abandon(sink);
	sheaf_builder_drop(&bytes);
	sheaf_builder_drop(&options);
	return status;
}

static sheaf_bytes read_bytes(sheaf_cursor *c, const char *what)
{
	uint64_t size = sheaf_cursor_u64le(c, what);
	const uint8_t *bytes = sheaf_cursor_bytes(c, size, 1, what);
	return (sheaf_bytes){bytes, bytes ? (size_t)size : 0};
}

void sheaf_part_blob(const sheaf_part_own *own, int64_t i, int64_t *size, int64_t *rows, int64_t *samples)
{
	sheaf_cursor c = sheaf_cursor_over(own->blobs.data + (size_t)i * BLOB, BLOB, 0);
	*size = sheaf_cursor_i64le(&c, "bytes");
	*rows = sheaf_cursor_i64le(&c, "rows");
	*samples = sheaf_cursor_i64le(&c, "samples");
}

/* Blobs follow one another in the payload, and contain all rows. */
static sheaf_status check_blobs(const sheaf_part_file *part, const sheaf_part_own *own, sheaf_error *err)
{
	int64_t left = part->payload, rows_left = own->rows, size, rows, samples;
	for (int64_t i = 0; i < own->nblobs; i++) {
		sheaf_part_blob(own, i, &size, &rows, &samples);
		if (size < 0 || size > left || rows < 0 || rows > rows_left || samples < 0)
			return sheaf_part_refuse(part, "bytes and rows", err);
		left -= size;
		rows_left -= rows;
	}
	return left || rows_left ? sheaf_part_refuse(part, "sums of bytes and rows", err) : SHEAF_OK;
}

sheaf_status sheaf_part_check_entries(const sheaf_part_file *part, const sheaf_part_own *own,
                                      const sheaf_entry_shape *entry, sheaf_error *err)
{
	int64_t bytes = sheaf_entry_bytes(entry);
	return part->payload / bytes == own->rows && part->payload % bytes == 0
	           ? SHEAF_OK
	           : sheaf_part_refuse(part, "number of entries", err);
}

sheaf_status sheaf_part_read_own(const sheaf_part_file *part, sheaf_part_own *out, sheaf_error *err)
{
	sheaf_cursor c = sheaf_cursor_over(part->own.data, part->own.size, 0);
	*out = (sheaf_part_own){0};
	SHEAF_TRY(sheaf_part_read_mark(&c, part, "mark of a structure", &out->structured, err));
	uint32_t structure = sheaf_cursor_u32le(&c, "structure");
	out->row = sheaf_cursor_i64le(&c, "first row");
	out->rows = sheaf_cursor_i64le(&c, "rows");
	SHEAF_TRY(sheaf_part_read_mark(&c, part, "mark of the end", &out->is_last, err));
	SHEAF_TRY(read_facts(&c, part, &out->facts, err));
	out->opening = read_bytes(&c, "findings");
	out->closing = read_bytes(&c, "findings");
	uint64_t nblobs = sheaf_cursor_u64le(&c, "number of blobs");
	const uint8_t *blobs = sheaf_cursor_bytes(&c, nblobs, BLOB, "blobs");
	uint32_t nsegments = sheaf_cursor_count_u32le(&c, SEGMENT_LEAST, "number of inputs");
	bool sane = !c.failed && structure < SHEAF_STRUCTURES && out->rows >= 0 && out->row >= 0 &&
	            out->row <= INT64_MAX - out->rows && nsegments <= INT32_MAX;
	if (!sane) return sheaf_part_refuse(part, "its rows", err);
	out->structure = (sheaf_structure)structure;
	out->blobs = (sheaf_bytes){blobs, (size_t)nblobs * BLOB};
	out->nblobs = (int64_t)nblobs;
	out->nsegments = (int)nsegments;
	out->segments = c;
	return check_blobs(part, out, err);
}

sheaf_status sheaf_part_next_segment(const sheaf_part_file *part, sheaf_part_own *own,
                                     sheaf_part_segment *out, sheaf_error *err)
{
	sheaf_cursor *c = &own->segments;
	uint32_t input = sheaf_cursor_u32le(c, "number of an input");
	SHEAF_TRY(sheaf_part_read_mark(c, part, "mark of an input", &out->settled, err));
	out->blob = sheaf_cursor_i64le(c, "first blob");
	out->findings = read_bytes(c, "findings");
	out->kept = read_bytes(c, "review");
	if (c->failed || input >= (uint32_t)part->head.ninputs || out->blob < 0 || out->blob > own->nblobs)
		return sheaf_part_refuse(part, "rows of an input", err);
	out->input = (int)input;
	return SHEAF_OK;
}
