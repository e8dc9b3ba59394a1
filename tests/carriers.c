/* SPDX-License-Identifier: MIT */
#include "carriers.h"
#include "frame/print.h"
#include "frame/schema/schema_bytes.h"
#include "seal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 64 << 20 };

static void must(bool is, const char *rule, const char *what)
{
	if (is) return;
	fprintf(stderr, "carriers: broken: %s: %s\n", rule, what);
	abort();
}

static sheaf_context *new_context(void)
{
	static const sheaf_context_options options = {.size = sizeof options, .max_memory = MEMORY, .threads = 1};
	sheaf_context *cx;
	must(!sheaf_context_new(&options, &cx, NULL), "a context can be made", "none");
	return cx;
}

static void end_context(sheaf_context *cx)
{
	must(!sheaf_context_memory(cx, NULL), "memory is given back", "some is left");
	sheaf_context_free(cx);
}

/* ---- files ---- */

static void put_file(const char *name, const uint8_t *data, size_t size)
{
	FILE *f = fopen(name, "wb");
	must(f && fwrite(data, 1, size, f) == size && !fclose(f), "a file can be written", name);
}

static void get_file(const char *name, carrier *c)
{
	enum { MOST = 1 << 20 };
	FILE *f = fopen(name, "rb");
	c->bytes = (uint8_t *)malloc(MOST);
	must(f && c->bytes, "a file can be read", name);
	c->size = fread(c->bytes, 1, MOST, f);
	fclose(f);
}

void carrier_write_inputs(void)
{
	static const char *const inputs[][2] = {
		{"a.csv",
	     "i,f,s,t,b\n1,0.5,one,2020-01-02 03:04:05,true\n,,,,\n3,1.5,two,2021-01-02 03:04:05.25,false\n"},
		{"a.ctf", "7 |A 1 2 |B 3:0.5 9:1\n7 |A 3 4 |B 0:1\n9 |A 3 5 |B 0:1\n"},
		{"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 2.5\n3 4 1\n"}};
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
		put_file(inputs[i][0], (const uint8_t *)inputs[i][1], strlen(inputs[i][1]));
}

/* ---- rows ---- */

static void put_row(FILE *out, const sheaf_frame *frame, const sheaf_dataset *dataset, int64_t r,
                    sheaf_context *cx)
{
	sheaf_builder row;
	sheaf_builder_begin(&row, cx, NULL);
	sheaf_row_text(&row, frame, sheaf_dataset_schema(dataset), SHEAF_JSON, sheaf_dataset_row(dataset), r);
	fwrite(row.data, 1, row.size, out);
	sheaf_builder_drop(&row);
}

/* As JSON, and counted. */
static sheaf_status put_rows(sheaf_dataset *dataset, sheaf_summary *summary, FILE *out, sheaf_context *cx,
                             sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, err)) == SHEAF_OK) {
		SHEAF_TRY(sheaf_summary_add(summary, frame, sheaf_dataset_row(dataset), err));
		for (int64_t r = 0; r < frame->nrows && out; r++) put_row(out, frame, dataset, r, cx);
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* The rows of a file, and their summary, both of which may be left out. */
static sheaf_status read_file(const char *name, sheaf_index_policy index, FILE *out, sheaf_buffer *saved,
                              sheaf_context *cx, sheaf_error *err)
{
	sheaf_dataset *dataset = NULL;
	sheaf_summary *summary = NULL;
	const sheaf_open_options options = {.size = sizeof options, .index = index};
	sheaf_status status = sheaf_open(name, &options, cx, &dataset, err);
	if (!status) status = sheaf_summary_new(sheaf_dataset_schema(dataset), cx, &summary, err);
	if (!status) status = put_rows(dataset, summary, out, cx, err);
	if (!status && saved) status = sheaf_summary_save(summary, saved, err);
	sheaf_summary_free(summary);
	sheaf_close(dataset);
	return status;
}

/* ---- files of rows ---- */

static sheaf_status make_rows(const carrier_way *way, sheaf_context *cx, sheaf_error *err)
{
	const sheaf_convert_options options = {.size = sizeof options, .force = true};
	return sheaf_convert(&way->input, 1, way->file, &options, cx, err);
}

static sheaf_status read_rows(const carrier_way *way, FILE *out, sheaf_context *cx, sheaf_error *err)
{
	return read_file(way->file, SHEAF_INDEX_NEVER, out, NULL, cx, err);
}

static void seal_nothing(uint8_t *bytes, size_t size) { (void)bytes, (void)size; }

/* ---- indices ---- */

static sheaf_status make_index(const carrier_way *way, sheaf_context *cx, sheaf_error *err)
{
	sheaf_dataset *dataset;
	SHEAF_TRY(sheaf_open(way->input, NULL, cx, &dataset, err));
	sheaf_status status = sheaf_dataset_write_index(dataset, NULL, err);
	sheaf_close(dataset);
	return status;
}

static sheaf_status read_with_index(const carrier_way *way, FILE *out, sheaf_context *cx, sheaf_error *err)
{
	return read_file(way->input, SHEAF_INDEX_USE, out, NULL, cx, err);
}

/* ---- summaries ---- */

static sheaf_status make_summary(const carrier_way *way, sheaf_context *cx, sheaf_error *err)
{
	sheaf_buffer saved = {0};
	SHEAF_TRY(read_file(way->input, SHEAF_INDEX_NEVER, NULL, &saved, cx, err));
	put_file(way->file, saved.data, saved.size);
	sheaf_buffer_reset(&saved);
	return SHEAF_OK;
}

/* What is loaded can be shown, and saved again. */
static sheaf_status show_summary(sheaf_bytes bytes, FILE *out, sheaf_context *cx, sheaf_error *err)
{
	sheaf_summary *s;
	sheaf_buffer text = {0};
	SHEAF_TRY(sheaf_summary_load(bytes.data, bytes.size, cx, &s, err));
	must(!sheaf_summary_text(s, NULL, &text, err), "what is loaded can be shown", err->message);
	fwrite(text.data, 1, text.size, out);
	must(!sheaf_summary_save(s, &text, err), "what is loaded can be saved", err->message);
	sheaf_buffer_reset(&text);
	sheaf_summary_free(s);
	return SHEAF_OK;
}

static sheaf_status read_summary(const carrier_way *way, FILE *out, sheaf_context *cx, sheaf_error *err)
{
	carrier c = {0};
	get_file(way->file, &c);
	sheaf_status status = show_summary((sheaf_bytes){c.bytes, c.size}, out, cx, err);
	carrier_free(&c);
	return status;
}

/* ---- states, which parts of a reading have ---- */

static sheaf_status finish_state(sheaf_dataset *dataset, const char *file, sheaf_context *cx,
                                 sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_summary *summary;
	sheaf_buffer state = {0};
	SHEAF_TRY(sheaf_sink_path(file, true, cx, &sink, err));
	SHEAF_TRY(sheaf_dataset_take_part(dataset, "1/1", SHEAF_PART_COUNTED, sink, err));
	SHEAF_TRY(sheaf_summary_new(sheaf_dataset_schema(dataset), cx, &summary, err));
	sheaf_status status = put_rows(dataset, summary, NULL, cx, err);
	if (!status) status = sheaf_summary_save(summary, &state, err);
	const sheaf_part_outcome outcome = {
		.size = sizeof outcome, .job = "stats", .options = "", .state = state.data, .state_size = state.size};
	if (!status) status = sheaf_dataset_finish_part(dataset, &outcome, err);
	sheaf_buffer_reset(&state);
	sheaf_summary_free(summary);
	return status;
}

static sheaf_status make_state(const carrier_way *way, sheaf_context *cx, sheaf_error *err)
{
	sheaf_dataset *dataset;
	SHEAF_TRY(sheaf_open(way->input, NULL, cx, &dataset, err));
	sheaf_status status = finish_state(dataset, way->file, cx, err);
	sheaf_close(dataset);
	return status;
}

static sheaf_status read_state(const carrier_way *way, FILE *out, sheaf_context *cx, sheaf_error *err)
{
	sheaf_source *source;
	sheaf_parts *parts;
	sheaf_bytes state;
	SHEAF_TRY(sheaf_source_path(way->file, cx, &source, err));
	SHEAF_TRY(sheaf_parts_open(&source, 1, cx, &parts, err));
	sheaf_status status = sheaf_parts_state(parts, 0, &state, err);
	if (!status) status = show_summary(state, out, cx, err);
	sheaf_parts_close(parts);
	return status;
}

/* The summary has a hash of its own, and its size before it. */
static void seal_state(uint8_t *part, size_t size)
{
	static const char mark[] = "sheafSUM";
	uint8_t *summary = (uint8_t *)memmem(part, size, mark, sizeof mark - 1);
	if (summary) seal_summary(summary, (size_t)seal_load(summary - 8, 8));
	seal_part(part, size);
}

/* ---- all of them ---- */

const carrier_way carrier_ways[CARRIERS] = {
	{"a.csv", "b.csv.arrow", true, CARRIES_SAME_KIND, seal_nothing, make_rows, read_rows},
	{"a.ctf", "b.ctf.arrow", true, CARRIES_SAME_KIND, seal_nothing, make_rows, read_rows},
	{"a.csv", "b.csv.arrows", true, CARRIES_SAME_KIND, seal_nothing, make_rows, read_rows},
	{"a.ctf", "b.ctf.arrows", true, CARRIES_SAME_KIND, seal_nothing, make_rows, read_rows},
	{"a.csv", "b.csv.npz", false, CARRIES_SAME_KIND, seal_archive, make_rows, read_rows},
	{"a.ctf", "b.ctf.npz", false, CARRIES_SAME_KIND, seal_archive, make_rows, read_rows},
	{"a.csv", "a.csv.sheaf-index", false, CARRIES_SAME, seal_index, make_index, read_with_index},
	{"a.ctf", "a.ctf.sheaf-index", false, CARRIES_SAME, seal_index, make_index, read_with_index},
	{"a.csv", "b.csv.state.part", false, CARRIES_ANYTHING, seal_state, make_state, read_state},
	{"a.ctf", "b.ctf.state.part", false, CARRIES_ANYTHING, seal_state, make_state, read_state},
	{"a.mtx", "b.mtx.state.part", false, CARRIES_ANYTHING, seal_state, make_state, read_state},
	{"a.csv", "b.csv.summary", false, CARRIES_ANYTHING, seal_summary, make_summary, read_summary},
	{"a.ctf", "b.ctf.summary", false, CARRIES_ANYTHING, seal_summary, make_summary, read_summary},
	{"a.mtx", "b.mtx.summary", false, CARRIES_ANYTHING, seal_summary, make_summary, read_summary},
};

static const char digits[] = "0123456789abcdef";

/* The schema with which an input is read, as it is in the file. */
static void find_schema(carrier *c, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_error err;
	sheaf_builder b, spelled;
	const char *name = c->way->promise == CARRIES_SAME_KIND ? c->way->file : c->way->input;
	must(!sheaf_open(name, NULL, cx, &dataset, &err), "a file can be opened", err.message);
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_builder_begin(&spelled, cx, NULL);
	sheaf_schema_to_bytes(sheaf_dataset_schema(dataset), &b);
	for (size_t i = 0; i < b.size && c->way->is_hex; i++) {
		sheaf_builder_byte(&spelled, digits[b.data[i] >> 4]);
		sheaf_builder_byte(&spelled, digits[b.data[i] & 15]);
	}
	const sheaf_builder *wanted = c->way->is_hex ? &spelled : &b;
	const uint8_t *at = NULL, *end = c->bytes + c->size;
	/* An Arrow file has it twice, of which the last counts. */
	for (const uint8_t *next = c->bytes;
	     (next = (const uint8_t *)memmem(next, (size_t)(end - next), wanted->data, wanted->size)); next++)
		at = next;
	must(at, "a file has its schema", c->way->file);
	c->at = (size_t)(at - c->bytes);
	c->length = wanted->size;
	sheaf_builder_drop(&b);
	sheaf_builder_drop(&spelled);
	sheaf_close(dataset);
}

carrier carrier_make(const carrier_way *way)
{
	sheaf_error err;
	carrier c = {.way = way};
	sheaf_context *cx = new_context();
	must(!way->make(way, cx, &err), way->file, err.message);
	get_file(way->file, &c);
	find_schema(&c, cx);
	end_context(cx);
	return c;
}

void carrier_free(carrier *c)
{
	free(c->bytes);
	*c = (carrier){0};
}

size_t carrier_length(const carrier *c) { return c->way->is_hex ? c->length / 2 : c->length; }

void carrier_change(const carrier *c, size_t at, uint8_t value)
{
	uint8_t *to = c->bytes + c->at + (c->way->is_hex ? 2 * at : at);
	to[0] = c->way->is_hex ? (uint8_t)digits[value >> 4] : value;
	if (c->way->is_hex) to[1] = (uint8_t)digits[value & 15];
}

char *carrier_read(const carrier *c, sheaf_error *err)
{
	char *text = NULL;
	size_t size = 0;
	sheaf_context *cx = new_context();
	FILE *out = open_memstream(&text, &size);
	must(out, "memory is enough", "none");
	*err = (sheaf_error){0};
	c->way->seal(c->bytes, c->size);
	put_file(c->way->file, c->bytes, c->size);
	sheaf_status status = c->way->read(c->way, out, cx, err);
	fclose(out);
	end_context(cx);
	must(!status || *err->message, "a failure has a message", c->way->file);
	if (!status) return text;
	free(text);
	return NULL;
}
