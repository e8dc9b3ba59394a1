/* SPDX-License-Identifier: MIT */
/* What comes of schemas, rows and summaries that were kept as bytes, one number of which is another one, or
 * which end early: each file has its own numbers, all files together have them all. */
#include "base/cursor.h"
#include "frame/frame.h"
#include "frame/frame_bytes.h"
#include "frame/schema/schema_bytes.h"
#include "outcome.h"
#include "seal.h"
#include <string.h>

enum { CHANGES = 100 };

/* A dataset, its first rows, and the bytes. */
typedef struct kept {
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_context *cx;
	sheaf_buffer bytes;
} kept;

/* ---- schemas ---- */

static sheaf_status save_schema(kept *k, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, k->cx, NULL);
	sheaf_schema_to_bytes(sheaf_dataset_schema(k->dataset), &b);
	return sheaf_builder_finish(&b, &k->bytes, err);
}

static sheaf_status load_schema(const kept *k, const sheaf_buffer *bytes, outcome *o)
{
	sheaf_schema schema;
	sheaf_cursor c = sheaf_cursor_over(bytes->data, bytes->size, 0);
	SHEAF_TRY(sheaf_schema_from_bytes(&c, k->cx, &schema, &o->error));
	mix_schema(o, &schema);
	mix_number(o, sheaf_cursor_tell(&c));
	sheaf_schema_free(&schema);
	return SHEAF_OK;
}

/* ---- rows ---- */

static sheaf_status save_rows(kept *k, sheaf_error *err)
{
	sheaf_frame copy = {0};
	sheaf_builder b;
	sheaf_builder_begin(&b, k->cx, NULL);
	sheaf_status status = sheaf_frame_append(&copy, k->frame, 0, k->frame->nrows, k->cx, err);
	if (!status) sheaf_frame_to_bytes(&copy, &b);
	sheaf_frame_free(&copy);
	return status ? status : sheaf_builder_finish(&b, &k->bytes, err);
}

static sheaf_status load_rows(const kept *k, const sheaf_buffer *bytes, outcome *o)
{
	const sheaf_schema *schema = sheaf_dataset_schema(k->dataset);
	sheaf_frame frame;
	sheaf_hash *hash = NULL;
	SHEAF_TRY(sheaf_frame_from_bytes(bytes, schema, k->cx, &frame, &o->error));
	sheaf_status status = sheaf_hash_new(schema, true, true, k->cx, &hash, &o->error);
	if (!status) status = sheaf_hash_add(hash, &frame, -1, &o->error);
	if (!status) sheaf_hash_text(hash, o->hash);
	mix_number(o, frame.nrows);
	mix(o, frame.lines.data, frame.lines.size);
	mix(o, frame.numbers.data, frame.numbers.size);
	mix_text(o, o->hash);
	sheaf_hash_free(hash);
	sheaf_frame_free(&frame);
	return status;
}

/* ---- summaries ---- */

static sheaf_status save_summary(kept *k, sheaf_error *err)
{
	sheaf_summary *summary;
	SHEAF_TRY(sheaf_summary_new(sheaf_dataset_schema(k->dataset), k->cx, &summary, err));
	sheaf_status status = sheaf_summary_add(summary, k->frame, 0, err);
	if (!status) status = sheaf_summary_save(summary, &k->bytes, err);
	sheaf_summary_free(summary);
	return status;
}

static sheaf_status load_summary(const kept *k, const sheaf_buffer *bytes, outcome *o)
{
	sheaf_summary *summary;
	sheaf_buffer text = {0};
	const sheaf_summary_options options = {.size = sizeof options, .style = SHEAF_JSON};
	SHEAF_TRY(sheaf_summary_load(bytes->data, bytes->size, k->cx, &summary, &o->error));
	sheaf_status status = sheaf_summary_text(summary, &options, &text, &o->error);
	mix(o, text.data, text.size);
	sheaf_buffer_reset(&text);
	sheaf_summary_free(summary);
	return status;
}

/* ---- changes ---- */

static const struct {
	sheaf_status (*save)(kept *k, sheaf_error *err);
	sheaf_status (*load)(const kept *k, const sheaf_buffer *bytes, outcome *o);
	void (*seal)(uint8_t *data, size_t size);
	size_t step; /* between numbers */
} kinds[] = {{save_schema, load_schema, NULL, 1},
             {save_rows, load_rows, NULL, 4},
             {save_summary, load_summary, seal_summary, 1}};

void change_number(uint8_t *at, uint64_t which)
{
	static const uint64_t limits[] = {0, 1, UINT64_MAX, INT64_MAX, UINT64_C(1) << 63};
	enum { LIMITS = sizeof limits / sizeof *limits };
	int width = which % 2 ? 8 : 4;
	uint64_t kind = which / 2 % (LIMITS + 2), old = seal_load(at, width);
	uint64_t value = kind < LIMITS ? limits[kind] : kind == LIMITS ? old + 1 : old - 1;
	seal_store(at, width == 4 && kind > 2 && kind < LIMITS ? value >> 32 : value, width);
}

static sheaf_status try_change(const kept *k, int number, uint64_t which, outcome *o)
{
	sheaf_builder b;
	sheaf_buffer bytes = {0};
	size_t step = kinds[number].step, places = (k->bytes.size - 8) / step + 1;
	sheaf_builder_begin(&b, k->cx, NULL);
	sheaf_builder_append(&b, k->bytes.data, k->bytes.size);
	SHEAF_TRY(sheaf_builder_status(&b, &o->error));
	size_t place = which / 16 % places * step;
	if (which % 16 == 15)
		b.size = place;
	else
		change_number(b.data + place, which);
	if (kinds[number].seal) kinds[number].seal(b.data, b.size);
	sheaf_status status = sheaf_builder_finish(&b, &bytes, &o->error);
	if (!status) status = kinds[number].load(k, &bytes, o);
	sheaf_buffer_reset(&bytes);
	return status;
}

void try_bytes(const job *j, int number, outcome *o)
{
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, o);
	sheaf_open_options open = open_options(j, (sheaf_open_options){.index = SHEAF_INDEX_NEVER});
	kept k = {.cx = cx};
	outcome name = {.sum = (uint64_t)number};
	mix_text(&name, j->name);
	o->status = sheaf_open(j->path, &open, cx, &k.dataset, &o->error);
	if (!o->status) o->status = sheaf_next(k.dataset, &k.frame, &o->error);
	if (!o->status) o->status = kinds[number].save(&k, &o->error);
	for (int i = 0; i < CHANGES && !o->status && k.bytes.size >= 8; i++) {
		outcome one = {.sum = 0};
		mix_number(&name, i);
		one.status = try_change(&k, number, name.sum, &one);
		mix_failure(&one);
		mix_number(o, (int64_t)one.sum);
	}
	if (o->status == SHEAF_END) o->status = SHEAF_OK;
	sheaf_buffer_reset(&k.bytes);
	sheaf_close(k.dataset);
	end_outcome(o, cx);
}
