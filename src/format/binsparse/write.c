/* SPDX-License-Identifier: MIT */
/* Writing: what is stored, in which layout, and where. A tensor becomes one group of arrays; sequences become
 * a group for each stream. Its arrays are opened as soon as their lengths and types are known, at the latest
 * at the end (finish.c). The layout is the one that is asked for, else that of the input, else one that most
 * programs read. What it needs of the entries, such as an order, or all positions, is asked of whoever makes
 * them, in `accept`; entries are not sorted here. */
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/binsparse/writer.h"
#include "frame/frame.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- layout ---- */

/* As requested, else like the input; NULL: neither, since the input's layout is another program's. */
static const char *asked_layout(const sheaf_tensor *tensor, const sheaf_values *values)
{
	sheaf_stored_levels layout;
	const char *text = sheaf_values_text(values, "layout");
	if (text) return text;
	sheaf_status status = sheaf_bsp_layout_parse(tensor->layout, &layout, NULL);
	return !status && layout.rank == tensor->rank ? tensor->layout : NULL;
}

/* The layout, which must have the rank of the tensor; *name is as it is given, in capitals. Unless one was
 * asked for, it is what most programs read; a dense tensor stays dense, in its order. */
static sheaf_status choose_layout(const sheaf_tensor *tensor, const sheaf_values *values,
                                  sheaf_stored_levels *out, char name[BSP_LAYOUT_SIZE], sheaf_error *err)
{
	static const char *const sparse[] = {"E", "CVEC", "CSR", "S3", "S4", "S5", "S6", "S7", "S8"};
	sheaf_stored_levels dense = {.nlevels = tensor->rank, .rank = tensor->rank};
	char usual[BSP_LAYOUT_SIZE];
	const char *text = asked_layout(tensor, values);
	if (!text && !tensor->dense) text = sparse[tensor->rank];
	for (int d = 0; !text && d < tensor->rank; d++) {
		dense.levels[d] = (sheaf_stored_level){false, 1};
		dense.order[d] = tensor->order[d];
	}
	if (!text) text = sheaf_bsp_layout_name(&dense, false);
	if (!text) text = sheaf_bsp_layout_text(&dense, usual);
	snprintf(name, BSP_LAYOUT_SIZE, "%s", text);
	for (char *c = name; *c; c++)
		if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
	SHEAF_TRY(sheaf_bsp_layout_parse(strlen(text) < BSP_LAYOUT_SIZE ? name : text, out, err));
	if (out->rank == tensor->rank) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, "layout",
	                         ": expected one of %d dimensions, found %s, which has %d", tensor->rank, text,
	                         out->rank);
}

/* Whether the option says this word. */
static bool wants_iso(const sheaf_values *values, const char *word)
{
	const char *wanted = sheaf_values_text(values, "iso");
	return wanted && strcmp(wanted, word) == 0;
}

/* A number or truth value for each entry, or a complex one that is never missing, and what the layout needs
 * of the entries: its order, each position once, and all positions if its levels are dense. A structure is
 * kept where only stored entries are written. */
sheaf_status sheaf_bsp_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_stored_levels layout;
	char name[BSP_LAYOUT_SIZE];
	sheaf_tensor *tensor = &schema->tensor;
	for (int f = 0; schema->rows == SHEAF_SEQUENCES && f < schema->nfields; f++)
		SHEAF_TRY(sheaf_field_need_stream(&schema->fields[f], err));
	if (schema->rows == SHEAF_SEQUENCES) return sheaf_bsp_take_fill(schema, values, err);
	int value = sheaf_schema_value(schema);
	const sheaf_field *field = &schema->fields[tensor->rank];
	bool fits = value == tensor->rank && value + 1 == schema->nfields;
	if (fits && field->meaning == SHEAF_COMPLEX)
		fits = field->nlevels == 1 && field->levels[0].missing == SHEAF_NEVER;
	else if (fits)
		fits = (field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_BOOL) && field->nlevels == 0;
	if (!fits)
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"expected one value of each entry, a number, a complex number or a truth value, found others");
	SHEAF_TRY(sheaf_bsp_take_fill(schema, values, err));
	bool asked = asked_layout(tensor, values);
	SHEAF_TRY(choose_layout(tensor, values, &layout, name, err));
	bool dense = sheaf_bsp_layout_is_dense(&layout),
		 ends_dense = layout.nlevels && !layout.levels[layout.nlevels - 1].is_sparse;
	/* Filling in, and changing signs, produce values that may differ from all others. */
	if (ends_dense && (!tensor->dense || tensor->structure > SHEAF_SYMMETRIC_UPPER)) tensor->iso = false;
	if (wants_iso(values, "no")) tensor->iso = false;
	memcpy(tensor->order, layout.order, sizeof tensor->order);
	tensor->sorted = tensor->unique = true;
	tensor->dense = dense && layout.rank > 0;
	if (ends_dense) tensor->structure = SHEAF_GENERAL;
	snprintf(tensor->layout, sizeof tensor->layout, "%.15s", asked ? name : "");
	return SHEAF_OK;
}

/* ---- creating ---- */

void sheaf_bsp_close_output(void *writer)
{
	sheaf_bsp_writer *out = (sheaf_bsp_writer *)writer;
	if (out->box) sheaf_box_abandon(out->box);
	for (int s = 0; s < out->ntensors; s++) {
		sheaf_bsp_building *t = &out->tensors[s];
		for (int k = 0; k < BSP_MAX_RANK; k++) {
			sheaf_bsp_store_drop(&t->pointers[k]);
			sheaf_bsp_store_drop(&t->indices[k]);
		}
		sheaf_bsp_store_drop(&t->values);
		sheaf_release_text(out->cx, t->group);
	}
	if (out->tensors) sheaf_release(out->cx, out->tensors, (size_t)out->ntensors * sizeof *out->tensors);
}

/* What all tensors have: a version, no types of arrays yet, and values. */
static void begin_tensor(const sheaf_bsp_writer *out, sheaf_bsp_building *t, const sheaf_field *field)
{
	snprintf(t->d.version, sizeof t->d.version, "%s", out->version);
	for (int k = 0; k < BSP_MAX_RANK; k++) t->d.pointers[k] = t->d.indices[k] = -1;
	t->d.diagonal = -1;
	t->is_one_each = true;
	t->d.values =
		(sheaf_bsp_type){field->type, field->meaning == SHEAF_BOOL, field->meaning == SHEAF_COMPLEX, false};
	t->d.fill = t->d.values;
	sheaf_bsp_store_begin(&t->values, field->type, out->cx);
}

/* Pointers of a sparse level are written one by one for all positions of dense levels just above it: their
 * number must be possible, below each position of a sparse level, too. */
static sheaf_status check_outer(const sheaf_bsp_writer *out, const sheaf_bsp_building *t, sheaf_error *err)
{
	int64_t most = INT64_C(1) << 40, positions = 1;
	for (int l = 0; l < t->entries.inner; l++) {
		int64_t extent = sheaf_bsp_extent(&t->d, sheaf_levels_depth(&t->d.layout, l));
		if (t->d.layout.levels[l].is_sparse) extent = positions = 1;
		if (!sheaf_mul_i64(&positions, positions, extent) || positions > most)
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "%s: expected a layout with at most %" PRId64
			                  " dense positions, found more: choose one without dense levels (" SHEAF_OPTION(
								  "layout") " COO, DCSR, S3)",
			                  sheaf_sink_name(out->sink), most);
		SHEAF_TRY(sheaf_sink_check_size(out->sink, positions * (int64_t)sizeof(int64_t), err));
	}
	return SHEAF_OK;
}

/* The arrays of levels, and what brings entries into them. */
static sheaf_status begin_levels(const sheaf_bsp_writer *out, sheaf_bsp_building *t, sheaf_error *err)
{
	const sheaf_stored_levels *layout = &t->d.layout;
	const char *file = sheaf_sink_name(out->sink);
	sheaf_sparse_writer *w = &t->entries;
	int64_t bytes;
	*w = (sheaf_sparse_writer){.cx = out->cx,
	                           .levels = layout,
	                           .shape = t->d.shape,
	                           .fill = t->fill,
	                           .take = sheaf_bsp_take,
	                           .to = t};
	for (int l = 0, k = 0; l < layout->nlevels; l++) {
		int end = k + layout->levels[l].rank;
		if (l > 0 && layout->levels[l].is_sparse) sheaf_bsp_store_begin(&t->pointers[l], SHEAF_I64, out->cx);
		for (; k < end; k++) {
			int64_t extent = sheaf_bsp_extent(&t->d, k);
			w->types[k] = sheaf_bsp_index_type(out, extent - 1);
			if (!layout->levels[l].is_sparse) continue;
			if (!sheaf_bsp_type_holds(w->types[k], extent - 1))
				return sheaf_fail(
					err, SHEAF_UNSUPPORTED,
					"%s: " SHEAF_OPTION("index-type") ": expected one that holds indices below %" PRId64
													  ", found %s",
					file, extent, sheaf_type_name(w->types[k]));
			sheaf_bsp_store_begin(&t->indices[k], w->types[k], out->cx);
		}
	}
	if (!sheaf_sparse_plan(w))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a layout with fewer dense positions, found more than can be counted",
		                  file);
	if (!w->block || t->d.values.is_iso) return check_outer(out, t, err);
	w->value_size = sheaf_bsp_size(t->d.values);
	if (!sheaf_mul_i64(&bytes, w->block, (int64_t)w->value_size)) bytes = INT64_MAX;
	SHEAF_TRY(sheaf_sink_check_size(out->sink, bytes, err));
	return check_outer(out, t, err);
}

/* The tensor of entries. A matrix of very few entries in very many rows gets a layout without a pointer for
 * each row, unless another was asked for. */
static sheaf_status begin_entries(sheaf_bsp_writer *out, const sheaf_facts *totals,
                                  const sheaf_values *values, sheaf_error *err)
{
	const sheaf_tensor *tensor = &out->schema.tensor;
	sheaf_bsp_building *t = &out->tensors[0];
	char name[BSP_LAYOUT_SIZE];
	begin_tensor(out, t, &out->schema.fields[tensor->rank]);
	SHEAF_TRY(choose_layout(tensor, values, &t->d.layout, name, err));
	if (!asked_layout(tensor, values) && tensor->rank == 2 && !tensor->dense &&
	    sheaf_is_hypersparse(tensor->shape[0], totals->rows)) {
		snprintf(name, sizeof name, "DCSR");
		SHEAF_TRY(sheaf_bsp_layout_parse(name, &t->d.layout, err));
		SHEAF_TRY(
			sheaf_report_layout(out->cx, sheaf_sink_name(out->sink), tensor->shape[0], name, "CSR", err));
	}
	snprintf(t->d.format, sizeof t->d.format, "%.15s", name);
	memcpy(t->d.shape, tensor->shape, sizeof t->d.shape);
	t->d.values.is_iso = tensor->iso;
	if (wants_iso(values, "auto") && !tensor->iso)
		sheaf_bsp_store_compare(&t->values, sheaf_bsp_parts(t->d.values));
	t->d.structure = tensor->structure;
	t->d.diagonal = tensor->structure ? 0 : -1;
	t->d.has_fill = tensor->has_fill;
	if (tensor->has_fill) memcpy(t->fill, tensor->fill, sizeof t->fill);
	SHEAF_TRY(sheaf_copy_text(out->cx, out->into, strlen(out->into), &t->group, err));
	return begin_levels(out, t, err);
}

/* ---- streams ---- */

/* Of several streams, each has a group of its own inside: of its name, if that is plain, or of its number. */
static sheaf_status begin_stream(sheaf_bsp_writer *out, int number, sheaf_error *err)
{
	sheaf_bsp_building *t = &out->tensors[number];
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";
	char name[256] = "";
	sheaf_builder b;
	t->field = &out->schema.fields[number];
	const char *own = t->field->name;
	size_t n = strlen(own);
	bool is_plain =
		n && n <= 200 && strspn(own, plain) == n && strcmp(own, ".") != 0 && strcmp(own, "..") != 0;
	begin_tensor(out, t, t->field);
	sheaf_bsp_store_begin(&t->pointers[1], SHEAF_I64, out->cx);
	sheaf_bsp_store_begin(&t->pointers[2], SHEAF_I64, out->cx);
	sheaf_bsp_store_begin(&t->indices[2], sheaf_bsp_index_type(out, sheaf_field_dim(t->field) - 1), out->cx);
	if (out->ntensors > 1 && is_plain)
		snprintf(name, sizeof name, "%s", own);
	else if (out->ntensors > 1)
		snprintf(name, sizeof name, "stream %d", number);
	sheaf_builder_begin(&b, out->cx, NULL);
	sheaf_builder_printf(&b, "%s%s%s", out->into, *out->into && *name ? "/" : "", name);
	sheaf_status status = sheaf_builder_status(&b, err);
	if (status == SHEAF_OK) status = sheaf_copy_text(out->cx, (const char *)b.data, b.size, &t->group, err);
	sheaf_builder_drop(&b);
	return status;
}

/* ---- all of it ---- */

sheaf_status sheaf_bsp_create(void *writer, const sheaf_facts *totals, const sheaf_values *values,
                              sheaf_error *err)
{
	sheaf_bsp_writer *out = (sheaf_bsp_writer *)writer;
	bool streams = out->schema.rows == SHEAF_SEQUENCES;
	int n = streams ? out->schema.nfields : 1;
	sheaf_box_kind kind = SHEAF_BOX_HDF5;
	const char *into = sheaf_values_text(values, "into"), *type = sheaf_values_text(values, "index-type"),
			   *version = sheaf_values_text(values, "descriptor-version");
	out->into = into ? into : "";
	while (*out->into == '/') out->into++;
	size_t length = strlen(out->into);
	if (length && out->into[length - 1] == '/')
		return sheaf_fail_option(err, SHEAF_USAGE, "into", ": expected a path like A/sub, found \"%.100s\"",
		                         into);
	SHEAF_TRY(sheaf_box_settings(sheaf_sink_name(out->sink), values, &kind, &out->storing, err));
	bool is_old = kind == SHEAF_BOX_HDF5 || kind == SHEAF_BOX_NETCDF;
	out->version = version ? version : is_old ? "0.1" : "0.1.0";
	out->index_type = -1;
	for (int t = 0; type && t < SHEAF_F32; t++)
		if (strcmp(type, sheaf_type_name((sheaf_type)t)) == 0) out->index_type = t;
	if (n == 0) return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected at least one stream, found none");
	SHEAF_TRY(sheaf_allocate_array(out->cx, (uint64_t)n, sizeof *out->tensors, &out->tensors, err));
	out->ntensors = n;
	if (!streams) SHEAF_TRY(begin_entries(out, totals, values, err));
	for (int s = 0; streams && s < n; s++) SHEAF_TRY(begin_stream(out, s, err));
	return sheaf_box_create(out->sink, kind, into != NULL, out->cx, &out->box, err);
}

sheaf_status sheaf_bsp_encode(const void *writer, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                              int64_t *samples, sheaf_error *err)
{
	const sheaf_bsp_writer *out = (const sheaf_bsp_writer *)writer;
	if (out->schema.rows == SHEAF_SEQUENCES) return sheaf_bsp_encode_streams(out, frame, row, b, err);
	*samples = frame->nrows;
	return sheaf_bsp_encode_entries(out, frame, row, b, err);
}

sheaf_status sheaf_bsp_append(void *writer, const sheaf_blob *blob, sheaf_error *err)
{
	sheaf_bsp_writer *out = (sheaf_bsp_writer *)writer;
	return out->schema.rows == SHEAF_SEQUENCES ? sheaf_bsp_append_streams(out, blob, err)
	                                           : sheaf_bsp_append_entries(out, blob, err);
}

sheaf_status sheaf_bsp_finish(void *writer, sheaf_error *err)
{
	sheaf_bsp_writer *out = (sheaf_bsp_writer *)writer;
	if (out->schema.rows == SHEAF_ENTRIES)
		SHEAF_TRY(sheaf_check_positions(&out->schema.tensor, out->written, sheaf_sink_name(out->sink), err));
	for (int s = 0; s < out->ntensors; s++) {
		sheaf_bsp_building *t = &out->tensors[s];
		SHEAF_TRY(t->field ? sheaf_bsp_complete_stream(out, t, err) : sheaf_bsp_complete(t, err));
		SHEAF_TRY(sheaf_bsp_put_tensor(out, t, s == 0, err));
	}
	if (out->ntensors > 1) SHEAF_TRY(sheaf_bsp_put_group(out, err));
	sheaf_box *box = out->box;
	out->box = NULL;
	return sheaf_box_finish(box, err);
}
