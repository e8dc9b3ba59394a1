/* SPDX-License-Identifier: MIT */
/* The output of `info`: the tree of a file, each array with its type, shape, chunks and filters. */
#include "base/buffer.h"
#include "base/spell.h"
#include "data/json_text.h"
#include "format/hdf5/hdf5.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reporting {
	sheaf_box *box;
	sheaf_builder *b;
	bool json;
} reporting;

static void put_quoted(sheaf_builder *b, const char *text) { sheaf_json_string(b, text, strlen(text)); }

/* Reasons may name options, each in the user's own spelling. */
static const char *spell(const char *why, char text[600])
{
	char advice[32] = "";
	snprintf(text, 600, "%s", why);
	sheaf_spell(text, 600, advice);
	return text;
}

static const char *word_of(const sheaf_hdf_found *found)
{
	static const char *const words[] = {"", "dense", "texts", "table", "CSR", "COO"};
	return found->kind == HDF_COMPRESSED && found->by_columns ? "CSC" : words[found->kind];
}

static void put_dims(sheaf_builder *b, const int64_t *dims, int rank, const char *between)
{
	for (int d = 0; d < rank; d++) sheaf_builder_printf(b, "%s%" PRId64, d ? between : "", dims[d]);
}

static const char *storage_of(const sheaf_box_item *item)
{
	static const char *const names[] = {"contiguous", "chunked", "compact"};
	return names[item->storage];
}

static void report_json(const reporting *t, const sheaf_box_item *item, const sheaf_hdf_found *found)
{
	char why[600];
	sheaf_builder *b = t->b;
	sheaf_builder_text(b, "{\"path\":");
	put_quoted(b, *item->path ? item->path : "/");
	sheaf_builder_text(b, ",\"type\":");
	put_quoted(b, item->of);
	if (!item->is_group && !item->refused) {
		sheaf_builder_text(b, ",\"shape\":[");
		put_dims(b, item->dims, item->rank, ",");
		sheaf_builder_printf(b, "],\"storage\":\"%s\",\"chunks\":[", storage_of(item));
		if (item->chunks) put_dims(b, item->chunks, item->rank, ",");
		sheaf_builder_text(b, "],\"filters\":");
		put_quoted(b, item->filters ? item->filters : "");
		sheaf_builder_printf(b, ",\"bytes\":%" PRId64, item->bytes);
	}
	if (found->kind != HDF_NOTHING) sheaf_builder_printf(b, ",\"dataset\":\"%s\"", word_of(found));
	if (found->maker) sheaf_builder_printf(b, ",\"maker\":\"%s\"", found->maker);
	if (item->dimensions) {
		sheaf_builder_text(b, ",\"dimensions\":");
		put_quoted(b, item->dimensions);
	}
	for (int i = 0; i < item->nattributes; i++) {
		sheaf_builder_text(b, i ? "," : ",\"attributes\":{");
		put_quoted(b, item->attributes[i].name);
		sheaf_builder_printf(b, ":%s", item->attributes[i].value);
	}
	if (item->nattributes) sheaf_builder_byte(b, '}');
	if (item->refused) {
		sheaf_builder_text(b, ",\"refused\":");
		put_quoted(b, spell(item->refused, why));
	}
	sheaf_builder_byte(b, '}');
}

static void report_text(const reporting *t, const sheaf_box_item *item, const sheaf_hdf_found *found)
{
	sheaf_builder *b = t->b;
	char why[600];
	sheaf_builder_text(b, "  /");
	sheaf_put_visibly(b, item->path);
	sheaf_builder_printf(b, "  %s", item->of);
	if (item->refused) {
		if (strcmp(item->refused, item->of) != 0)
			sheaf_builder_printf(b, "  not read: %s", spell(item->refused, why));
		else
			sheaf_builder_text(b, "  not read");
	} else if (!item->is_group) {
		sheaf_builder_text(b, item->rank ? "  " : "  scalar");
		put_dims(b, item->dims, item->rank, " x ");
		sheaf_builder_printf(b, "  %s", storage_of(item));
		if (item->chunks) {
			sheaf_builder_byte(b, ' ');
			put_dims(b, item->chunks, item->rank, " x ");
		}
		if (item->filters) sheaf_builder_printf(b, "  %s", item->filters);
		if (item->bytes >= 0) sheaf_builder_printf(b, "  %" PRId64 " bytes", item->bytes);
	}
	if (item->dimensions) {
		sheaf_builder_text(b, item->is_group ? "  dimensions: " : "  of ");
		sheaf_put_visibly(b, item->dimensions);
	}
	if (item->is_group && found->kind != HDF_NOTHING)
		sheaf_builder_printf(b, "  %s%s%s", found->maker ? found->maker : "", found->maker ? ", " : "",
		                     word_of(found));
	sheaf_builder_byte(b, '\n');
	for (int i = 0; i < item->nattributes; i++) {
		sheaf_builder_text(b, "    ");
		sheaf_put_visibly(b, item->attributes[i].name);
		sheaf_builder_printf(b, ": %s\n", item->attributes[i].value);
	}
}

static sheaf_status report_tree(const reporting *t, sheaf_error *err)
{
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(t->box, &count);
	sheaf_builder_text(t->b, t->json ? ",\"tree\":[" : "tree:\n");
	for (int64_t i = 0; i < count; i++) {
		sheaf_hdf_found found;
		SHEAF_TRY(sheaf_hdf_find(t->box, &items[i], &found, err));
		if (t->json && i) sheaf_builder_byte(t->b, ',');
		t->json ? report_json(t, &items[i], &found) : report_text(t, &items[i], &found);
	}
	if (t->json) sheaf_builder_byte(t->b, ']');
	return SHEAF_OK;
}

static sheaf_status describe(sheaf_box *box, bool json, sheaf_context *cx, sheaf_buffer *text,
                             sheaf_error *err)
{
	sheaf_builder b;
	reporting t = {box, &b, json};
	sheaf_builder_resume(&b, cx, text);
	sheaf_status status = report_tree(&t, err);
	if (!status) return sheaf_builder_finish(&b, text, err);
	sheaf_builder_drop(&b);
	return status;
}

sheaf_status sheaf_hdf_describe(const void *reader, bool json, sheaf_context *cx, sheaf_buffer *text,
                                sheaf_error *err)
{
	return describe(((const sheaf_hdf_reader *)reader)->box, json, cx, text, err);
}

sheaf_status sheaf_hdf_besides(sheaf_source *source, bool json, sheaf_context *cx, sheaf_buffer *text,
                               sheaf_error *err)
{
	sheaf_box *box;
	SHEAF_TRY(sheaf_hdf_box(source, cx, &box, err));
	sheaf_status status = describe(box, json, cx, text, err);
	sheaf_box_close(box);
	return status;
}
