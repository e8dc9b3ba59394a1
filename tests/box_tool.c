/* SPDX-License-Identifier: MIT */
/* For tests of boxes: lists a box with its values as JSON, or makes one. usage: box_tool list FILE | box_tool
 * make|into FILE [LEVEL] | box_tool slow FILE BYTES (writes so much into an existing box, and then waits
 * forever) | box_tool assemble FILE TEXT (see box_text.h) | box_tool many FILE COUNT (COUNT groups, and an
 * array of COUNT chunks) */
#include "base/buffer.h"
#include "box_text.h"
#include "container/box.h"
#include "frame/value.h"
#include "number/number.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_text(const uint8_t *text, size_t size)
{
	putchar('"');
	for (size_t i = 0; i < size; i++)
		if (text[i] < ' ' || text[i] == '"' || text[i] == '\\')
			printf("\\u%04x", text[i]);
		else
			putchar(text[i]);
	putchar('"');
}

static sheaf_status show_texts(sheaf_box *box, const sheaf_box_item *item, sheaf_error *err)
{
	sheaf_buffer bytes = {0}, offsets = {0};
	SHEAF_TRY(sheaf_box_read_texts(box, (sheaf_box_run){item, 0, item->count}, &bytes, &offsets, err));
	const int64_t *at = (const int64_t *)(const void *)offsets.data;
	for (int64_t i = 0; i < item->count; i++) {
		if (i) putchar(',');
		put_text(bytes.data + at[i], (size_t)(at[i + 1] - at[i]));
	}
	sheaf_buffer_reset(&bytes);
	sheaf_buffer_reset(&offsets);
	return SHEAF_OK;
}

/* Twice: at once, and in pieces regardless of chunks. */
static sheaf_status show_values(sheaf_box *box, const sheaf_box_item *item, sheaf_error *err)
{
	enum { PIECE = 77 };
	sheaf_buffer values = {0};
	uint64_t piece[PIECE];
	size_t width = sheaf_type_size(item->type);
	SHEAF_TRY(sheaf_box_read(box, (sheaf_box_run){item, 0, item->count}, item->type, &values, err));
	for (int64_t at = 0; at < item->count; at += PIECE) {
		int64_t n = item->count - at < PIECE ? item->count - at : PIECE;
		sheaf_status status =
			sheaf_box_read_into(box, (sheaf_box_run){item, at, at + n}, item->type, piece, err);
		bool same = !status && memcmp(piece, values.data + (size_t)at * width, (size_t)n * width) == 0;
		if (!status && !same)
			status = sheaf_fail(err, SHEAF_DATA, "expected the same values in pieces, found others");
		if (!same) {
			sheaf_buffer_reset(&values);
			return status;
		}
	}
	for (int64_t i = 0; i < item->count; i++) {
		char text[SHEAF_NUMBER_MAX];
		*sheaf_value_print(item->type, values.data, i, text) = '\0';
		printf("%s\"%s\"", i ? "," : "", text);
	}
	sheaf_buffer_reset(&values);
	return SHEAF_OK;
}

static void show_item(sheaf_box *box, const sheaf_box_item *item)
{
	sheaf_error err = {0};
	printf("{\"path\":\"%s\",\"group\":%s,\"of\":\"%s\",\"refused\":", item->path,
	       item->is_group ? "true" : "false", item->of);
	if (item->refused)
		put_text((const uint8_t *)item->refused, strlen(item->refused));
	else
		printf("null");
	sheaf_buffer text = {0};
	if (sheaf_box_text(box, item->path, "binsparse", &text, &err) == SHEAF_OK) {
		printf(",\"text\":");
		put_text(text.data, text.size);
	} else {
		printf(",\"trouble\":");
		put_text((const uint8_t *)err.message, strlen(err.message));
	}
	sheaf_buffer_reset(&text);
	if (!item->is_group && !item->refused) {
		printf(",\"rank\":%d,\"count\":%lld,\"storage\":%d,\"filters\":\"%s\",\"type\":\"%s\",\"values\":[",
		       item->rank, (long long)item->count, (int)item->storage, item->filters ? item->filters : "",
		       sheaf_type_name(item->type));
		sheaf_status status =
			item->what == SHEAF_BOX_TEXTS ? show_texts(box, item, &err) : show_values(box, item, &err);
		printf("]");
		if (status) {
			printf(",\"unread\":");
			put_text((const uint8_t *)err.message, strlen(err.message));
		}
	}
	printf("}\n");
}

static sheaf_status list(const char *path, sheaf_context *cx, sheaf_error *err)
{
	sheaf_source *source = NULL;
	sheaf_box *box = NULL;
	SHEAF_TRY(sheaf_source_path(path, cx, &source, err));
	sheaf_status status = sheaf_box_open(source, cx, &box, err);
	int64_t count;
	const sheaf_box_item *items = status ? NULL : sheaf_box_items(box, &count);
	for (int64_t i = 0; items && i < count; i++) show_item(box, &items[i]);
	sheaf_box_close(box);
	sheaf_source_close(source);
	return status;
}

/* An array of each type, of some lengths, in the group. */
static sheaf_status put_arrays(sheaf_box *box, const char *group, int level, sheaf_error *err)
{
	static const int64_t counts[] = {0, 1, 1000, 70000};
	static uint64_t values[70000];
	sheaf_box_storing storing = {level, level > 0, level > 0 ? 16 << 10 : 0};
	for (int t = 0; t < SHEAF_TYPES; t++)
		for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
			char path[200];
			for (int64_t i = 0; i < counts[c]; i++) switch (sheaf_type_size((sheaf_type)t)) {
				case 1: ((int8_t *)values)[i] = (int8_t)(i % 100); break;
				case 2: ((int16_t *)values)[i] = (int16_t)(i % 10000); break;
				case 4:
					t == SHEAF_F32 ? (void)(((float *)values)[i] = (float)i / 4)
								   : (void)(((int32_t *)values)[i] = (int32_t)i * 3);
					break;
				default:
					t == SHEAF_F64 ? (void)(((double *)values)[i] = (double)i / 4)
								   : (void)(((int64_t *)values)[i] = i * 3);
				}
			snprintf(path, sizeof path, "%s%s%s_%lld", group, *group ? "/" : "",
			         sheaf_type_name((sheaf_type)t), (long long)counts[c]);
			SHEAF_TRY(sheaf_box_put(box, path, (sheaf_box_values){(sheaf_type)t, values, counts[c]}, &storing,
			                        err));
		}
	return SHEAF_OK;
}

/* Numbers whose low bytes are noise, in chunks large enough to make a difference. */
static sheaf_status put_noise(sheaf_box *box, int level, sheaf_error *err)
{
	static double values[40000];
	uint64_t x = 1;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		x = x * 6364136223846793005U + 1;
		values[i] = (double)(x >> 11);
	}
	return sheaf_box_put(box, "noise", (sheaf_box_values){SHEAF_F64, values, sizeof values / sizeof *values},
	                     &(sheaf_box_storing){level, level > 0, 0}, err);
}

static sheaf_status fill(sheaf_box *box, int level, sheaf_error *err)
{
	SHEAF_TRY(put_noise(box, level, err));
	SHEAF_TRY(put_arrays(box, "", level, err));
	SHEAF_TRY(put_arrays(box, "A/sub", level, err));
	SHEAF_TRY(sheaf_box_set_text(box, "", "binsparse", "{\"made\":1}", 10, err));
	return sheaf_box_set_text(box, "A/sub", "binsparse", "\xc3\xa4", 2, err);
}

static sheaf_status wait_for_ever(sheaf_box *box, int64_t bytes, sheaf_error *err)
{
	static double zeros[8192];
	sheaf_box_array *array;
	SHEAF_TRY(sheaf_box_new_array(box, "slow", (sheaf_box_values){SHEAF_F64, NULL, bytes / 8 + 8192}, NULL,
	                              &array, err));
	for (int64_t at = 0; at < bytes; at += (int64_t)sizeof zeros)
		SHEAF_TRY(sheaf_box_append(array, zeros, 8192, err));
	puts("written");
	fflush(stdout);
	for (;;) pause();
}

static sheaf_status assemble(sheaf_box *box, const char *path, sheaf_error *err)
{
	static char text[1 << 20];
	FILE *file = fopen(path, "rb");
	if (!file) return sheaf_fail(err, SHEAF_IO, "%s: expected a text that can be read, found none", path);
	size_t size = fread(text, 1, sizeof text, file);
	fclose(file);
	return box_of_text(box, text, size, err);
}

static sheaf_status put_many(sheaf_box *box, int64_t count, sheaf_error *err)
{
	enum { WIDTH = 16 /* values of a chunk */ };
	sheaf_box_storing small = {.chunk_bytes = WIDTH * sizeof(int32_t)};
	sheaf_box_array *array;
	for (int64_t i = 0; i < count; i++) {
		char path[64];
		snprintf(path, sizeof path, "groups/g%lld", (long long)i);
		SHEAF_TRY(sheaf_box_make_group(box, path, err));
	}
	SHEAF_TRY(
		sheaf_box_new_array(box, "chunks", (sheaf_box_values){SHEAF_I32, NULL, -1}, &small, &array, err));
	for (int64_t i = 0; i < count; i++) {
		int32_t values[WIDTH];
		for (int k = 0; k < WIDTH; k++) values[k] = (int32_t)(i * WIDTH + k);
		SHEAF_TRY(sheaf_box_append(array, values, WIDTH, err));
	}
	return sheaf_box_end_array(array, err);
}

static sheaf_status put(sheaf_box *box, const char *how, const char *word, sheaf_error *err)
{
	if (strcmp(how, "assemble") == 0) return assemble(box, word, err);
	if (strcmp(how, "many") == 0) return put_many(box, atoll(word), err);
	return strcmp(how, "slow") == 0 ? wait_for_ever(box, atoll(word), err) : fill(box, atoi(word), err);
}

static sheaf_status make(const char *how, const char *path, const char *word, sheaf_context *cx,
                         sheaf_error *err)
{
	sheaf_sink *sink = NULL;
	sheaf_box *box = NULL;
	SHEAF_TRY(sheaf_sink_path(path, true, cx, &sink, err));
	bool into = strcmp(how, "into") == 0 || strcmp(how, "slow") == 0;
	sheaf_status status = sheaf_box_create(sink, SHEAF_NO_BOX, into, cx, &box, err);
	if (!status) status = put(box, how, word, err);
	if (!status)
		status = sheaf_box_finish(box, err);
	else
		sheaf_box_abandon(box);
	if (status) {
		sheaf_sink_abandon(sink);
		return status;
	}
	return sheaf_sink_commit(sink, err);
}

int main(int argc, char **argv)
{
	sheaf_context *cx;
	sheaf_error err = {0};
	sheaf_context_options options = {.size = sizeof options};
	if (getenv("BOX_MEMORY")) options.max_memory = atoll(getenv("BOX_MEMORY"));
	if (argc < 3 || sheaf_context_new(&options, &cx, &err)) return 2;
	sheaf_status status = strcmp(argv[1], "list") == 0
	                          ? list(argv[2], cx, &err)
	                          : make(argv[1], argv[2], argc > 3 ? argv[3] : "0", cx, &err);
	if (status) fprintf(stderr, "%s: %s\n", sheaf_status_name(status), err.message);
	if (sheaf_context_memory(cx, NULL) != 0) return 3;
	sheaf_context_free(cx);
	return status ? 1 : 0;
}
