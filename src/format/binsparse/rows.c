/* SPDX-License-Identifier: MIT */
/* Tensors that are streams of sequences: which ones belong together, their schema, and rows into pieces. A
 * piece's byte is the number of its first row, its size the number of its rows. A stream is recognised by the
 * user key that our writer leaves, or by a layout that can be one, if the caller asks for sequences. */
#include "base/buffer.h"
#include "base/memory.h"
#include "format/binsparse/reader.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <string.h>

/* ---- what is a stream ---- */

static const char *stream_name(const sheaf_bsp_tensor *t)
{
	return sheaf_json_text(sheaf_json_get(sheaf_json_get(t->d.json, BSP_OWN), "stream"), NULL);
}

bool sheaf_bsp_was_stream(const sheaf_bsp_tensor *t)
{
	return stream_name(t) != NULL && sheaf_bsp_is_stream(t);
}

/* Rows of samples (matrices), or of sequences of samples; without anything that only tensors have. */
bool sheaf_bsp_is_stream(const sheaf_bsp_tensor *t)
{
	static const char *const layouts[] = {"DS", "DD", "DSS", "DSD"};
	char text[BSP_LAYOUT_SIZE];
	const sheaf_bsp_descriptor *d = &t->d;
	sheaf_bsp_layout_text(&d->layout, text);
	if (d->structure || d->has_fill || d->values.is_complex || d->values.is_bool) return false;
	if (d->layout.rank == 3 && !stream_name(t)) return false;
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (strcmp(text, layouts[i]) == 0) return true;
	return false;
}

static bool has_samples(const sheaf_bsp_tensor *t) { return t->d.layout.rank == 3; }

/* ---- the schema ---- */

/* The streams in the order of the group's list. All must have as many sequences as the first. */
sheaf_status sheaf_bsp_rows_schema(sheaf_bsp_reader *in, sheaf_error *err)
{
	in->schema.rows = SHEAF_SEQUENCES;
	for (const sheaf_bsp_tensor *t = in->tensors; t < in->tensors + in->ntensors; t++) {
		sheaf_field *field;
		const sheaf_bsp_descriptor *d = &t->d;
		const char *name = stream_name(t);
		if (!name) name = "value";
		if (!sheaf_bsp_is_stream(t))
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: expected a tensor that is a stream of sequences, found another", t->where);
		if (sheaf_schema_find(&in->schema, name) >= 0)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: expected a stream of another name, found \"%.100s\" twice", t->where,
			                  name);
		if (d->shape[0] != in->tensors[0].d.shape[0])
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: expected %" PRId64 " sequences, as in the other streams, found %" PRId64,
			                  t->where, in->tensors[0].d.shape[0], d->shape[0]);
		SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, name, strlen(name), &field, err));
		sheaf_field_make_stream(field, d->layout.levels[d->layout.nlevels - 1].is_sparse,
		                        d->shape[d->layout.rank - 1], d->values.type);
		field->main = sheaf_json_is_true(sheaf_json_get(sheaf_json_get(d->json, BSP_OWN), "main"));
	}
	return SHEAF_OK;
}

void sheaf_bsp_rows_facts(const sheaf_bsp_reader *in, sheaf_facts *facts)
{
	facts->rows = in->tensors[0].d.shape[0];
	facts->ordinal_keys = 1;
	facts->longest = facts->rows > 0;
	for (int i = 0; i < in->ntensors; i++) {
		const sheaf_bsp_tensor *t = &in->tensors[i];
		if (has_samples(t) && t->d.shape[1] > facts->longest) facts->longest = t->d.shape[1];
		/* A sequence may have no sample: the length of the longest is then only a bound. */
		if (has_samples(t) && facts->longest <= 1) facts->longest = -1;
		if (facts->longest < 0) return;
	}
	if (facts->longest > 2) facts->longest = 2;
}

/* ---- pieces ---- */

/* Bytes of all rows before this one: of offsets, and of their elements. */
static sheaf_status bytes_before(sheaf_bsp_reader *in, int64_t row, int64_t *bytes, sheaf_error *err)
{
	*bytes = row * 8 * in->ntensors;
	for (int i = 0; i < in->ntensors; i++) {
		const sheaf_bsp_tensor *t = &in->tensors[i];
		int64_t at = row;
		for (int l = 1; l < t->d.layout.nlevels; l++)
			SHEAF_TRY(sheaf_sparse_below(&t->sparse, &in->views[i], l, at, &at, err));
		*bytes += at * sheaf_bsp_entry_bytes(t);
	}
	return SHEAF_OK;
}

/* As many rows as have about `bytes` bytes, at least one: steps that double, then binary search. */
sheaf_status sheaf_bsp_cut_rows(sheaf_bsp_reader *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	int64_t rows = in->tensors[0].d.shape[0], before = 0, after, low = in->next + 1, high = low;
	if (in->next < rows)
		SHEAF_TRY(bytes_before(in, in->next, &before, err));
	else
		low = high = rows;
	for (int64_t step = 1; high < rows; step *= 2) {
		high = rows - low > step ? low + step : rows;
		SHEAF_TRY(bytes_before(in, high, &after, err));
		if (after - before > bytes) break;
		low = high;
	}
	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;
		SHEAF_TRY(bytes_before(in, middle, &after, err));
		if (after - before > bytes)
			high = middle - 1;
		else
			low = middle;
	}
	piece->byte = in->next;
	piece->size = low - in->next;
	in->next = low;
	in->is_done = low == rows;
	return SHEAF_OK;
}

/* ---- which ones belong together ---- */

/* Opens a stream of the group. */
static sheaf_status open_one(sheaf_bsp_reader *in, const char *group, const char *name, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, in->cx, NULL);
	if (*group) sheaf_builder_printf(&b, "%s/", group);
	sheaf_builder_append(&b, name, strlen(name) + 1);
	sheaf_status status = sheaf_builder_status(&b, err);
	in->ntensors++;
	if (status == SHEAF_OK)
		status = sheaf_bsp_open_tensor(in, (const char *)b.data, &in->tensors[in->ntensors - 1], err);
	sheaf_builder_drop(&b);
	return status;
}

sheaf_status sheaf_bsp_open_streams(sheaf_bsp_reader *in, const char *group, sheaf_error *err)
{
	sheaf_json *own = NULL;
	sheaf_buffer text = {0};
	SHEAF_TRY(sheaf_box_text(in->box, group, BSP_OWN, &text, err));
	sheaf_status status = sheaf_json_parse(text.data, text.size, in->file, &own, err);
	sheaf_buffer_reset(&text);
	SHEAF_TRY(status);
	const sheaf_json *streams = sheaf_json_get(own, "streams");
	size_t n = sheaf_json_kind_of(streams) == SHEAF_JSON_ARRAY ? sheaf_json_size(streams) : 0;
	status = n > 0 && n <= 100000
	             ? sheaf_bsp_make_room(in, (int)n, err)
	             : sheaf_fail(err, SHEAF_DATA,
	                          "%s: attribute \"sheaf\": expected a list of streams, found another value",
	                          in->file);
	for (size_t i = 0; i < n && status == SHEAF_OK; i++) {
		const char *name = sheaf_json_text(sheaf_json_at(streams, i), NULL);
		status = name ? open_one(in, group, name, err)
		              : sheaf_fail(err, SHEAF_DATA,
		                           "%s: attribute \"sheaf\": expected names of groups, found another value",
		                           in->file);
	}
	sheaf_json_free(own);
	return status;
}
