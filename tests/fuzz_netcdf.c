/* SPDX-License-Identifier: MIT */
/* The fuzz target of netCDF's classic formats: a file is listed and read, or refused with a message, and all
 * memory is freed. */
#include "base/context.h"
#include "container/inside.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 16 };

static void check_status(sheaf_status status, const sheaf_error *err)
{
	if (status && (status != err->status || !err->message[0])) abort();
}

static void read_values(sheaf_box *box, const sheaf_box_item *item)
{
	sheaf_error err = {0};
	sheaf_buffer bytes = {0}, offsets = {0};
	int64_t n = item->count < MOST ? item->count : MOST, from = item->count - n;
	size_t width = item->inside->width;
	if (item->rank < 0 || item->rank > 32 || item->count < 0 || (int64_t)width * n > 64 * MOST) return;
	sheaf_box_run run = {item, from, item->count};
	sheaf_status status = item->what == SHEAF_BOX_TEXTS
	                          ? sheaf_box_read_texts(box, run, &bytes, &offsets, &err)
	                          : sheaf_box_read(box, run, item->type, &bytes, &err);
	check_status(status, &err);
	if (!status && item->what != SHEAF_BOX_TEXTS && bytes.size != (size_t)n * width) abort();
	if (!status && item->what == SHEAF_BOX_TEXTS && offsets.size != ((size_t)n + 1) * sizeof(int64_t))
		abort();
	sheaf_buffer_reset(&bytes);
	sheaf_buffer_reset(&offsets);
}

static void read_attributes(sheaf_box *box, const sheaf_box_item *item)
{
	for (int i = 0; i < item->nattributes; i++) {
		sheaf_error err = {0};
		sheaf_buffer bytes = {0};
		const char *name = item->attributes[i].name;
		if (!item->attributes[i].value[0]) abort();
		check_status(sheaf_box_numbers(box, item->path, name, SHEAF_F64, &bytes, &err), &err);
		check_status(sheaf_box_text(box, item->path, name, &bytes, &err), &err);
		sheaf_buffer_reset(&bytes);
	}
}

static void read_all(sheaf_box *box)
{
	int64_t n;
	const sheaf_box_item *items = sheaf_box_items(box, &n);
	for (int64_t i = 0; i < n; i++) {
		if (!items[i].is_group && !items[i].refused) read_values(box, &items[i]);
		read_attributes(box, &items[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sheaf_context *cx;
	sheaf_context_options options = {.size = sizeof options, .max_memory = 64 << 20, .threads = 1};
	sheaf_source *source;
	sheaf_box *box;
	sheaf_error err = {0};
	if (size < 4 || memcmp(data, "CDF", 3) != 0) return 0;
	if (sheaf_context_new(&options, &cx, NULL)) abort();
	if (sheaf_source_memory((sheaf_bytes){data, size}, "input", cx, &source, &err)) abort();
	sheaf_status status = sheaf_box_open(source, cx, &box, &err);
	check_status(status, &err);
	if (!status) read_all(box);
	sheaf_box_close(box);
	sheaf_source_close(source);
	if (sheaf_context_memory(cx, NULL) != 0) abort();
	sheaf_context_free(cx);
	return 0;
}
