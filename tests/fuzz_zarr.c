/* SPDX-License-Identifier: MIT */
/* The fuzz target of Zarr's metadata: an array or an attribute is described by its JSON, or refused, and
 * all memory is freed. */
#include "base/context.h"
#include "base/extend.h"
#include "container/zarr/zarr.h"
#include "frame/schema/read_json.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_item(const sheaf_box_item *item)
{
	if (item->refused || item->is_group) return;
	if (item->rank < 0 || item->rank > 32 || item->count < 0) abort();
	for (int i = 0; i < item->rank; i++)
		if (item->dims[i] < 0 || (item->inside->grid && item->inside->grid[i] < 1)) abort();
	size_t values = (size_t)item->inside->per * sheaf_type_size(item->type);
	bool is_own_type = item->what != SHEAF_BOX_TEXTS && !item->inside->bits;
	if (is_own_type && item->inside->width != values) abort();
}

static void describe(const sheaf_json *json, int version, sheaf_context *cx)
{
	sheaf_catalog catalog;
	sheaf_error err = {0};
	void *memory;
	if (sheaf_catalog_open(&catalog, cx, &err)) abort();
	sheaf_box_item *item = &catalog.items[0];
	item->is_group = false;
	if (sheaf_catalog_allocate(&catalog, sizeof(sheaf_zarr_own), &memory, &err)) abort();
	item->inside->zarr = (sheaf_zarr_own *)memory;
	item->inside->zarr->version = version;
	sheaf_status status = sheaf_zarr_describe(json, &catalog, item, "input", &err);
	if (status && (status != err.status || !err.message[0])) abort();
	if (!status) check_item(item);
	sheaf_catalog_close(&catalog);
}

static void describe_value(const sheaf_json *json, sheaf_context *cx)
{
	sheaf_catalog catalog;
	sheaf_error err = {0};
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder bytes = {.cx = cx};
	if (sheaf_catalog_open(&catalog, cx, &err)) abort();
	sheaf_status status = sheaf_zarr_describe_value(json, &catalog, &bytes, &err);
	if (status && (status != err.status || !err.message[0])) abort();
	const sheaf_box_item *item = &catalog.items[0];
	bool is_known = item->what == SHEAF_BOX_NUMBERS || item->what == SHEAF_BOX_TEXTS;
	if (!status && is_known && bytes.size != (size_t)item->count * item->inside->width) abort();
	sheaf_catalog_close(&catalog);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sheaf_context *cx;
	sheaf_context_options options = {.size = sizeof options, .max_memory = 64 << 20, .threads = 1};
	sheaf_json *json = NULL;
	sheaf_json_flaw flaw;
	if (sheaf_context_new(&options, &cx, NULL)) abort();
	if (sheaf_json_take(data, size, cx, &json, &flaw, NULL) == SHEAF_OK) {
		describe(json, 2, cx);
		describe(json, 3, cx);
		describe_value(json, cx);
		sheaf_json_give_back(json, size, cx);
	}
	if (sheaf_context_memory(cx, NULL) != 0) abort();
	sheaf_context_free(cx);
	return 0;
}
