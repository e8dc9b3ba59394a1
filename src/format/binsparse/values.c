/* SPDX-License-Identifier: MIT */
/* The values of a tensor, and the size of an entry. Values are a view of the file where they are stored as
 * declared; one value for all is repeated for each entry, as rows have no such thing. */
#include "base/buffer.h"
#include "format/binsparse/reader.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t item_bytes(const sheaf_stored_array *a)
{
	return sheaf_bsp_item(a) ? (int64_t)sheaf_type_size(sheaf_bsp_item(a)->type) : 1;
}

int64_t sheaf_bsp_entry_bytes(const sheaf_bsp_tensor *t)
{
	const sheaf_stored_levels *layout = &t->d.layout;
	int64_t bytes = t->d.values.is_iso ? 0 : item_bytes(&t->values) * sheaf_bsp_parts(t->d.values);
	int last = layout->nlevels - 1;
	for (int r = 0; last >= 0 && layout->levels[last].is_sparse && r < layout->levels[last].rank; r++)
		bytes += item_bytes(&t->indices[sheaf_levels_depth(layout, last) + r]);
	return bytes ? bytes : 1;
}

/* Every truth value other than 0 becomes 1. */
static sheaf_status make_truths(const sheaf_bsp_tensor *t, int64_t from, sheaf_context *cx, sheaf_buffer *out,
                                sheaf_error *err)
{
	sheaf_builder b;
	size_t at = 0;
	while (at < out->size && out->data[at] <= 1) at++;
	if (at == out->size) return SHEAF_OK;
	char found[16];
	snprintf(found, sizeof found, "%u", (unsigned)out->data[at]);
	SHEAF_TRY(sheaf_bsp_report(
		t, SHEAF_FINDING(SHEAF_BREACH, "bint8 value", .found = found, .consequence = "it is read as true"),
		cx, err, "values[%" PRId64 "] to be 0 or 1", from + (int64_t)at));
	sheaf_builder_begin(&b, cx, NULL);
	for (size_t i = 0; i < out->size; i++) sheaf_builder_byte(&b, (char)(out->data[i] != 0));
	return sheaf_builder_finish(&b, out, err);
}

/* Values that mending has made are in memory already. */
sheaf_status sheaf_bsp_read_values(const sheaf_bsp_tensor *t, int64_t from, int64_t to, sheaf_builder *out,
                                   sheaf_error *err)
{
	sheaf_buffer read = {0};
	int64_t parts = sheaf_bsp_parts(t->d.values), n = to - from;
	bool iso = t->d.values.is_iso;
	size_t size = sheaf_bsp_size(t->d.values);
	const sheaf_box_item *item = sheaf_bsp_item(&t->values);
	if (n == 0 || !item) return SHEAF_OK;
	if (t->values.held.data) {
		read = sheaf_buffer_part(&t->values.held, (size_t)from * size, (size_t)n * size);
		sheaf_builder_hold(out, &read);
		return SHEAF_OK;
	}
	/* Bytes of truth values are taken as they are, signed or not. */
	sheaf_type type = t->d.values.is_bool && sheaf_type_size(item->type) == 1 ? item->type : t->d.values.type;
	sheaf_box_run run = {item, iso ? 0 : from * parts, iso ? parts : to * parts};
	SHEAF_TRY(sheaf_box_read(t->box, run, type, &read, err));
	sheaf_status status =
		t->d.values.is_bool ? make_truths(t, iso ? 0 : from, out->cx, &read, err) : SHEAF_OK;
	uint8_t *same = status == SHEAF_OK && iso ? sheaf_builder_extend(out, (uint64_t)n * size) : NULL;
	for (int64_t i = 0; same && i < n; i++) memcpy(same + (size_t)i * size, read.data, size);
	if (status == SHEAF_OK && !iso) sheaf_builder_hold(out, &read);
	sheaf_buffer_reset(&read);
	return status ? status : sheaf_builder_status(out, err);
}
