/* SPDX-License-Identifier: MIT */
/* The fuzz target of summaries: of saved ones, whose bytes an input changes, and of names in pages, see
 * README.md.
 *
 * What must hold: changed bytes are refused, or make a summary that can be shown, added up and saved again;
 * whatever the names contain, a page is UTF-8 without control characters and has the same markup as with
 * harmless names; all memory is freed. */
#include "seal.h"
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 12, HASH = 8, ROWS = 40, MOST_NAME = 200, MEMORY = 256 << 20 };
/* Of byte 0. */
enum { NAMES = 1, MATRIX = 2 };

static sheaf_context *cx;
static sheaf_error err;

static void broken(const char *rule, const char *message)
{
	fprintf(stderr, "fuzz_summary: broken: %s: %s\n", rule, message);
	abort();
}

static void must(sheaf_status status, const char *rule)
{
	if (status) broken(rule, err.message);
}

/* ---- summaries ---- */

static void add_rows(sheaf_frame_builder *b, const char *text, size_t size)
{
	for (int64_t r = 0; r < ROWS; r++) {
		for (int64_t k = 0; k <= r % 3; k++) {
			int64_t indices[] = {r % 7, 20 + k};
			sheaf_build_dense(b, 0, (float[]){(float)(r % 2), (float)k}, 1);
			sheaf_build_sparse(b, 1, indices, (double[]){1, (double)r / 3}, 2);
		}
		sheaf_build_text(b, 2, text, size);
		sheaf_build_row(b);
	}
}

static void add_entries(sheaf_frame_builder *b)
{
	for (int64_t r = 0; r < ROWS; r++) {
		sheaf_build_integer(b, 0, r * 7 % 30);
		sheaf_build_integer(b, 1, r * 11 % 40);
		sheaf_build_number(b, 2, (double)r - 9);
		sheaf_build_row(b);
	}
}

static sheaf_status declare(sheaf_schema *schema, const char *name, bool matrix)
{
	char other[MOST_NAME + 8];
	sheaf_tensor tensor = {.rank = 2, .shape = {30, 40}};
	if (matrix) return sheaf_schema_add_entries(schema, &tensor, SHEAF_NUMBER, SHEAF_F64, &err);
	snprintf(other, sizeof other, "%s.target", name);
	sheaf_status status = sheaf_schema_add_dense(schema, name, 2, SHEAF_F32, &err);
	if (status == SHEAF_OK) status = sheaf_schema_add_sparse(schema, other, 30, SHEAF_F64, &err);
	if (status == SHEAF_OK)
		status = sheaf_schema_add_column(schema, "text", SHEAF_STRING, SHEAF_U8, SHEAF_NULLABLE, &err);
	return status;
}

/* NULL if a schema cannot have the name. */
static sheaf_summary *make(const char *name, const char *text, size_t size, bool matrix)
{
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b;
	sheaf_frame frame;
	sheaf_summary *s = NULL;
	if (declare(&schema, name, matrix) == SHEAF_OK) {
		must(sheaf_frame_builder_new(&schema, cx, &b, &err), "frames can be made");
		if (matrix)
			add_entries(b);
		else
			add_rows(b, text, size);
		must(sheaf_frame_builder_take(b, &frame, &err), "rows can be made");
		must(sheaf_summary_new(&schema, cx, &s, &err), "a summary can be made");
		must(sheaf_summary_add(s, &frame, 0, &err), "rows can be added");
		sheaf_frame_free(&frame);
		sheaf_frame_builder_free(b);
	}
	sheaf_schema_free(&schema);
	return s;
}

static sheaf_status take(void *user, const char *name, const sheaf_buffer *svg, sheaf_error *unused)
{
	(void)unused;
	*(size_t *)user += svg->size + strlen(name);
	return SHEAF_OK;
}

static sheaf_buffer page_of(const sheaf_summary *s, const char *title, const char *text)
{
	sheaf_buffer page = {0};
	size_t taken = 0;
	sheaf_fact fact = {text, text};
	sheaf_page_options options = {.size = sizeof options,
	                              .title = title,
	                              .card = &fact,
	                              .ncard = 1,
	                              .findings = &fact,
	                              .nfindings = 1,
	                              .rows = text,
	                              .other = s,
	                              .other_title = title,
	                              .take = take,
	                              .user = &taken};
	must(sheaf_summary_page(s, &options, &page, &err), "a page can be made");
	return page;
}

/* ---- names ---- */

static size_t tags_of(const sheaf_buffer *page)
{
	size_t n = 0;
	for (size_t i = 0; i < page->size; i++) n += page->data[i] == '<';
	return n;
}

/* Bytes of the character at `at`; 0 where there is none that UTF-8 has. */
static size_t character(const uint8_t *at, size_t left)
{
	size_t n = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
	if (n == 0 || n > left) return 0;
	for (size_t i = 1; i < n; i++)
		if (at[i] >> 6 != 2) return 0;
	return n;
}

static void look_at(const sheaf_buffer *page)
{
	for (size_t i = 0, n; i < page->size; i += n) {
		n = character(page->data + i, page->size - i);
		if (n == 0) broken("a page is UTF-8", "other bytes");
		if (page->data[i] < ' ' && page->data[i] != '\n' && page->data[i] != '\t')
			broken("a page has no control characters", "one");
	}
}

/* Of a page with harmless names, which is the same for all inputs. */
static size_t harmless_tags(bool matrix)
{
	static size_t tags[2];
	if (!tags[matrix]) {
		sheaf_summary *plain = make("x", "x", 1, matrix);
		sheaf_buffer page = page_of(plain, "x", "x");
		tags[matrix] = tags_of(&page);
		sheaf_buffer_reset(&page);
		sheaf_summary_free(plain);
	}
	return tags[matrix];
}

static void try_names(const uint8_t *data, size_t size, bool matrix)
{
	char name[MOST_NAME + 2];
	size_t n = size < MOST_NAME ? size : MOST_NAME;
	memcpy(name, data, n);
	memcpy(name + n, "x", 2); /* no name says that a stream is an input */
	sheaf_summary *s = make(name, (const char *)data, n, matrix);
	if (s) {
		sheaf_buffer page = page_of(s, name, name);
		look_at(&page);
		/* An empty text has no rows to show, and its column nothing but that. */
		if (n && *name && tags_of(&page) != harmless_tags(matrix)) broken("names are no markup", name);
		sheaf_buffer_reset(&page);
	}
	sheaf_summary_free(s);
}

/* ---- bytes ---- */

/* Pages cost far more than all else: one is made of one input of eight. */
static bool with_pages;

static void show(const sheaf_summary *s)
{
	sheaf_buffer text = {0}, page = {0};
	const sheaf_summary_options as_json = {.size = sizeof as_json, .style = SHEAF_JSON, .other = s};
	const sheaf_summary_options drawn = {
		.size = sizeof drawn, .draw = true, .drawing = {.width = 80, .unicode = true}};
	if (with_pages) page = page_of(s, "x", "x");
	look_at(&page);
	must(sheaf_summary_text(s, &as_json, &text, &err), "numbers can be shown");
	must(sheaf_summary_text(s, &drawn, &text, &err), "lines can be shown");
	sheaf_buffer_reset(&text);
	sheaf_buffer_reset(&page);
}

static void save_again(sheaf_summary *s)
{
	sheaf_buffer bytes = {0}, again = {0};
	sheaf_summary *loaded;
	must(sheaf_summary_save(s, &bytes, &err), "what was loaded can be saved");
	must(sheaf_summary_load(bytes.data, bytes.size, cx, &loaded, &err), "what was saved can be loaded");
	must(sheaf_summary_save(loaded, &again, &err), "what was loaded can be saved");
	if (again.size != bytes.size || memcmp(again.data, bytes.data, bytes.size) != 0)
		broken("what is saved stays the same", "it does not");
	sheaf_status status = sheaf_summary_merge(loaded, s, &err);
	if (status == SHEAF_OK) show(loaded);
	sheaf_buffer_reset(&bytes);
	sheaf_buffer_reset(&again);
	sheaf_summary_free(loaded);
}

typedef struct some {
	uint8_t *data;
	size_t size;
} some;

static some copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);
	if (!copy) abort();
	return (some){memcpy(copy, data, size), size};
}

/* A saved summary, which is the same for all inputs; to be freed. */
static some saved(bool matrix)
{
	static some kept[2];
	some *k = &kept[matrix];
	if (!k->data) {
		sheaf_buffer bytes = {0};
		sheaf_summary *s = make("a.input", "word", 4, matrix);
		must(sheaf_summary_save(s, &bytes, &err), "a summary can be saved");
		sheaf_summary_free(s);
		*k = copy_of(bytes.data, bytes.size);
		sheaf_buffer_reset(&bytes);
	}
	return copy_of(k->data, k->size);
}

static void try_bytes(const uint8_t *data, size_t size, bool matrix)
{
	some bytes = saved(matrix);
	sheaf_summary *loaded;
	size_t n = size && data[0] ? bytes.size * data[0] / 256 : bytes.size;
	if (n < HEAD + HASH) n = HEAD + HASH;
	for (size_t i = 1; i + 2 < size; i += 3) {
		size_t at = HEAD + (size_t)(data[i] | data[i + 1] << 8);
		if (at < n - HASH) bytes.data[at] = data[i + 2];
	}
	seal_summary(bytes.data, n);
	sheaf_status status = sheaf_summary_load(bytes.data, n, cx, &loaded, &err);
	if (status == SHEAF_OK) {
		show(loaded);
		save_again(loaded);
		sheaf_summary_free(loaded);
	} else if (!err.message[0]) {
		broken("a failure has a message", "none");
	}
	free(bytes.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const sheaf_context_options options = {.size = sizeof options, .max_memory = MEMORY, .threads = 1};
	if (size == 0) return 0;
	err = (sheaf_error){0};
	must(sheaf_context_new(&options, &cx, &err), "a context can be made");
	with_pages = size % 8 == 0;
	(data[0] & NAMES ? try_names : try_bytes)(data + 1, size - 1, data[0] & MATRIX);
	if (sheaf_context_memory(cx, NULL)) broken("memory is given back", "some is left");
	sheaf_context_free(cx);
	return 0;
}
