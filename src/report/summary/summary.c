/* SPDX-License-Identifier: MIT */
/* What is counted for each field, where it is stored, and a profile of all entries together.
 *
 * Numbers and lengths of each field are always counted. Five tables are counted only for the first fields,
 * and only as far as memory goes: samples and cells of values, items, a picture of entries, uses of indices,
 * and means of units. A set of SHEAF_COUNTS_ says which tables a field can have, or has; sums of summaries
 * have those that both have. */
#include "report/summary/summary.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "frame/frame.h"
#include "frame/value.h"
#include "report/matrix/profile.h"
#include "report/summary/sides.h"
#include <math.h>

int sheaf_schema_rank(const sheaf_schema *schema)
{
	return schema->rows == SHEAF_ENTRIES ? schema->tensor.rank : 0;
}

/* ---- beginning and ending ---- */

static bool is_matrix(const sheaf_summary *s)
{
	return s->schema.rows == SHEAF_ENTRIES && s->schema.tensor.rank == 2;
}

bool sheaf_field_has_pattern(const sheaf_field *field)
{
	return sheaf_field_is_dense(field) && sheaf_field_dim(field) > 1 &&
	       sheaf_field_dim(field) <= SHEAF_PATTERN_UNITS;
}

unsigned sheaf_field_counts(const sheaf_summary *s, int f)
{
	const sheaf_field *field = &s->schema.fields[f];
	int64_t dim = s->fields[f].dim;
	bool entries = is_matrix(s) ? f == sheaf_schema_value(&s->schema) : sheaf_field_is_sparse(field);
	/* Items that are worth naming individually: cells, and samples of one value. */
	bool items = s->schema.rows == SHEAF_CELLS ? field->meaning != SHEAF_COMPLEX
	                                           : sheaf_field_is_dense(field) && sheaf_field_dim(field) == 1;
	bool values = !sheaf_means_text(field->meaning) && field->meaning != SHEAF_BYTES &&
	              field->meaning != SHEAF_KEY && f >= sheaf_schema_rank(&s->schema);
	if (f >= SHEAF_PICTURED_FIELDS) return 0;
	return (values ? SHEAF_COUNTS_SKETCH : 0u) |
	       (dim > 0 && dim <= SHEAF_MOST_USES ? SHEAF_COUNTS_USES : 0u) |
	       (sheaf_field_has_pattern(field) ? SHEAF_COUNTS_PATTERN : 0u) |
	       (entries ? SHEAF_COUNTS_RASTER : 0u) | (items ? SHEAF_COUNTS_ITEMS : 0u);
}

unsigned sheaf_field_counted(const sheaf_field_summary *f)
{
	return (f->sample.values ? SHEAF_COUNTS_SKETCH : 0u) | (f->uses ? SHEAF_COUNTS_USES : 0u) |
	       (f->raster.counts ? SHEAF_COUNTS_RASTER : 0u) | (f->pattern.cells ? SHEAF_COUNTS_PATTERN : 0u) |
	       (f->frequent.slots ? SHEAF_COUNTS_ITEMS : 0u);
}

/* Allocates the tables of a field, of those that it may have (SHEAF_COUNTS_...). */
static sheaf_status begin_counts(sheaf_summary *s, int f, unsigned counts, sheaf_error *err)
{
	sheaf_field_summary *to = &s->fields[f];
	if (counts & SHEAF_COUNTS_SKETCH) {
		SHEAF_TRY(sheaf_allocate(s->cx, SHEAF_SKETCH_BYTES, &to->sample.values, err));
		to->values.cells.counts = (int64_t *)(void *)(to->sample.values + SHEAF_SAMPLE_ROOM);
	}
	if (counts & SHEAF_COUNTS_ITEMS) SHEAF_TRY(sheaf_frequent_begin(&to->frequent, s->cx, err));
	if (counts & SHEAF_COUNTS_RASTER) {
		const int64_t *shape = s->schema.tensor.shape;
		SHEAF_TRY(sheaf_raster_begin(&to->raster, is_matrix(s) ? shape[1] : to->dim, s->cx, err));
		if (is_matrix(s)) sheaf_raster_reach(&to->raster, shape[0]);
	}
	if (counts & SHEAF_COUNTS_USES) {
		SHEAF_TRY(sheaf_allocate_array(s->cx, (size_t)to->dim, sizeof *to->uses, &to->uses, err));
	}
	if (counts & SHEAF_COUNTS_PATTERN)
		SHEAF_TRY(sheaf_pattern_begin(&to->pattern, sheaf_field_dim(&s->schema.fields[f]), s->cx, err));
	return SHEAF_OK;
}

/* `counts` is asked for each field which of the tables that it can have it gets. */
sheaf_status sheaf_summary_begin(const sheaf_schema *schema, sheaf_context *cx,
                                 unsigned (*counts)(void *user, const sheaf_summary *s, int field),
                                 void *user, sheaf_summary **out, sheaf_error *err)
{
	sheaf_schema judged = *schema; /* those that a program has made need no context of their own */
	judged.cx = cx;
	if (schema->rows == SHEAF_WHOLE)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "summary: expected rows, found a tensor that is one row; read it as entries");
	SHEAF_TRY(sheaf_schema_check(&judged, SHEAF_USAGE, err));
	sheaf_summary *s;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_summary), &s, err));
	s->cx = cx;
	sheaf_status status = sheaf_schema_copy(schema, cx, &s->schema, err);
	if (status == SHEAF_OK)
		status = sheaf_allocate_array(cx, (size_t)schema->nfields, sizeof *s->fields, &s->fields, err);
	for (int f = 0; status == SHEAF_OK && f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		sheaf_field_summary *to = &s->fields[f];
		*to = (sheaf_field_summary){.least_index = -1, .most_index = -1};
		to->values.least = INFINITY;
		to->values.most = -INFINITY;
		if (f < sheaf_schema_rank(schema)) to->dim = schema->tensor.shape[f];
		if (sheaf_field_is_sparse(field)) to->dim = sheaf_field_dim(field);
	}
	for (int f = 0; status == SHEAF_OK && f < schema->nfields; f++)
		status = begin_counts(s, f, sheaf_field_counts(s, f) & counts(user, s, f), err);
	if (status) {
		sheaf_summary_end(s);
		return status;
	}
	*out = s;
	return SHEAF_OK;
}

size_t sheaf_field_cost(const sheaf_summary *s, int f, unsigned counts)
{
	enum { RASTER = SHEAF_RASTER_SIDE * SHEAF_RASTER_SIDE };
	size_t bytes = 0;
	if (counts & SHEAF_COUNTS_SKETCH) bytes += SHEAF_SKETCH_BYTES;
	if (counts & SHEAF_COUNTS_ITEMS) bytes += SHEAF_FREQUENT_SLOTS * sizeof(sheaf_item_count);
	if (counts & SHEAF_COUNTS_RASTER) bytes += RASTER * (sizeof(int64_t) + sizeof(double));
	if (counts & SHEAF_COUNTS_USES) bytes += (size_t)s->fields[f].dim * sizeof(int64_t);
	if (counts & SHEAF_COUNTS_PATTERN) bytes += sheaf_pattern_bytes(sheaf_field_dim(&s->schema.fields[f]));
	return bytes;
}

/* Which tables of a field fit into what is left of a quarter of the memory, the most useful tables first. */
static unsigned affordable(void *user, const sheaf_summary *s, int f)
{
	static const unsigned order[] = {SHEAF_COUNTS_SKETCH, SHEAF_COUNTS_ITEMS, SHEAF_COUNTS_RASTER,
	                                 SHEAF_COUNTS_USES, SHEAF_COUNTS_PATTERN};
	unsigned counts = 0, wanted = sheaf_field_counts(s, f);
	size_t *left = (size_t *)user;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		size_t bytes = sheaf_field_cost(s, f, wanted & order[i]);
		if (!(wanted & order[i]) || bytes > *left) continue;
		*left -= bytes;
		counts |= order[i];
	}
	return counts;
}

sheaf_status sheaf_summary_new(const sheaf_schema *schema, sheaf_context *cx, sheaf_summary **out,
                               sheaf_error *err)
{
	enum { SHARE = 4 };
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(schema, "a schema");
	SHEAF_NEED(cx, "a context");
	size_t left = (size_t)(sheaf_max_memory(cx) / SHARE);
	SHEAF_TRY(sheaf_summary_begin(schema, cx, affordable, &left, out, err));
	sheaf_sides_by_name(*out);
	sheaf_status status = sheaf_sides_begin(*out, &left, err);
	if (status) {
		sheaf_summary_end(*out);
		*out = NULL;
	}
	return status;
}

void sheaf_field_drop(sheaf_field_summary *f, unsigned counts, sheaf_context *cx)
{
	if (counts & SHEAF_COUNTS_SKETCH) {
		sheaf_release(cx, f->sample.values, SHEAF_SKETCH_BYTES);
		f->sample = (sheaf_sample){0};
		f->values.cells = (sheaf_cells){0};
	}
	if (counts & SHEAF_COUNTS_USES) {
		sheaf_release(cx, f->uses, (size_t)f->dim * sizeof *f->uses);
		f->uses = NULL;
	}
	if (counts & SHEAF_COUNTS_RASTER) sheaf_raster_free(&f->raster, cx);
	if (counts & SHEAF_COUNTS_ITEMS) sheaf_frequent_free(&f->frequent, cx);
	if (counts & SHEAF_COUNTS_PATTERN) sheaf_pattern_free(&f->pattern, cx);
}

void sheaf_summary_end(sheaf_summary *s)
{
	if (!s) return;
	sheaf_profile_free(s->profile);
	sheaf_profile_free(s->gathered);
	sheaf_contradictions_free(&s->contradictions, s->cx);
	for (int f = 0; s->fields && f < s->schema.nfields; f++) {
		sheaf_field_summary *field = &s->fields[f];
		sheaf_length_counts_free(&field->lengths, s->cx);
		sheaf_length_counts_free(&field->entries, s->cx);
		sheaf_buffer_reset(&field->names);
		sheaf_field_drop(field, sheaf_field_counted(field), s->cx);
	}
	if (s->fields) sheaf_release(s->cx, s->fields, (size_t)s->schema.nfields * sizeof *s->fields);
	sheaf_schema_free(&s->schema);
	sheaf_release(s->cx, s, sizeof *s);
}

/* ---- profiles ---- */

sheaf_status sheaf_summary_profile(sheaf_summary *s, const char *name, sheaf_error *err)
{
	SHEAF_NEED(s, "a summary");
	if (s->shares || s->rows || s->profile || s->gathered)
		return sheaf_misuse(err, __func__, "expected a call before the first frame, found one after it");
	if (s->schema.rows != SHEAF_ENTRIES) return SHEAF_OK;
	sheaf_status status = sheaf_profile_new(&s->schema, name, s->cx, &s->gathered, err);
	if (status == SHEAF_UNSUPPORTED)
		return sheaf_forgive(status, "values that are no numbers have no profile");
	SHEAF_TRY(status);
	for (int d = 0; d < s->schema.tensor.rank; d++)
		if (s->fields[d].uses) sheaf_profile_lend(s->gathered, d, s->fields[d].uses);
	return SHEAF_OK;
}
