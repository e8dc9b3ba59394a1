/* SPDX-License-Identifier: MIT */
/* Adding up the summaries of parts. The sum does not depend on the order of the parts, and a sum that would
 * count more than a saved summary may say is refused, so that no count overflows. */
#include "base/status.h"
#include "frame/frame.h"
#include "report/summary/summary.h"
#include <math.h>
#include <string.h>

/* Adds the counts of a field to those of the same field of another summary. A table that only one of the two
 * has is dropped: the sum has what both count. */
static void merge_field(sheaf_summary *s, sheaf_field_summary *to, const sheaf_field_summary *from)
{
	sheaf_field_drop(to, sheaf_field_counted(to) & ~sheaf_field_counted(from), s->cx);
	sheaf_length_counts_merge(&to->lengths, &from->lengths);
	sheaf_length_counts_merge(&to->entries, &from->entries);
	sheaf_value_counts *v = &to->values;
	const sheaf_value_counts *other = &from->values;
	v->n += other->n;
	v->zeros += other->zeros;
	v->negatives += other->negatives;
	v->nans += other->nans;
	v->fractions += other->fractions;
	for (int i = 0; i < 2; i++) v->infinite[i] += other->infinite[i];
	v->least = fmin(v->least, other->least);
	v->most = fmax(v->most, other->most);
	sheaf_exact_merge(&v->sum, &other->sum);
	sheaf_exact_merge(&v->squares, &other->squares);
	if (v->cells.counts && v->least <= v->most) {
		sheaf_cells_reach(&v->cells, v->least, v->most);
		sheaf_cells_merge(&v->cells, &other->cells);
		sheaf_sample_merge(&to->sample, &from->sample);
	}
	to->missing += from->missing;
	for (int c = 1; c < SHEAF_MISSING_CODES; c++) to->codes[c] += from->codes[c];
	to->other_keys += from->other_keys;
	if (from->least_index >= 0) sheaf_field_see(to, from->least_index), sheaf_field_see(to, from->most_index);
	for (int64_t i = 0; to->uses && i < to->dim; i++) to->uses[i] += from->uses[i];
	if (to->raster.counts) sheaf_raster_merge(&to->raster, &from->raster);
	if (to->frequent.slots) sheaf_frequent_merge(&to->frequent, &from->frequent);
	if (to->pattern.cells) sheaf_pattern_merge(&to->pattern, &from->pattern);
}

/* Whether both count the same fields, in the same way. */
static bool is_alike(const sheaf_summary *a, const sheaf_summary *b)
{
	if (a->schema.rows != b->schema.rows || a->schema.nfields != b->schema.nfields) return false;
	if (a->schema.rows == SHEAF_ENTRIES && a->schema.tensor.structure != b->schema.tensor.structure)
		return false;
	for (int f = 0; f < a->schema.nfields; f++) {
		const sheaf_field *one = &a->schema.fields[f], *other = &b->schema.fields[f];
		if (strcmp(one->name, other->name) != 0 || one->meaning != other->meaning ||
		    strcmp(sheaf_field_storage(one), sheaf_field_storage(other)) != 0 ||
		    a->fields[f].dim != b->fields[f].dim || a->fields[f].side != b->fields[f].side ||
		    (sheaf_field_has_pattern(one) && sheaf_field_dim(one) != sheaf_field_dim(other)))
			return false;
	}
	return true;
}

sheaf_status sheaf_summary_count_merge(sheaf_summary *s, const sheaf_summary *other, sheaf_error *err)
{
	if (!is_alike(s, other))
		return sheaf_misuse(err, "sheaf_summary_merge",
		                    "expected summaries of the same fields, found others");
	bool fits = s->rows + other->rows <= sheaf_most_counted;
	for (int f = 0; f < s->schema.nfields; f++) {
		const sheaf_field_summary *a = &s->fields[f], *b = &other->fields[f];
		fits &= a->values.n + b->values.n <= sheaf_most_counted &&
		        a->lengths.n + b->lengths.n <= sheaf_most_counted &&
		        a->lengths.total + b->lengths.total <= sheaf_most_counted &&
		        a->entries.n + b->entries.n <= sheaf_most_counted &&
		        a->entries.total + b->entries.total <= sheaf_most_counted;
	}
	if (!fits)
		return sheaf_fail(err, SHEAF_LIMIT, "%s: expected at most 2^56 rows and values, found more",
		                  "sheaf_summary_merge");
	/* All memory is allocated before anything is added, so that a failure leaves the sum as it was. */
	for (int f = 0; f < s->schema.nfields; f++) {
		SHEAF_TRY(sheaf_length_counts_prepare(&s->fields[f].lengths, &other->fields[f].lengths, s->cx, err));
		SHEAF_TRY(sheaf_length_counts_prepare(&s->fields[f].entries, &other->fields[f].entries, s->cx, err));
	}
	s->rows += other->rows;
	s->entries += other->entries;
	s->band.diagonal += other->band.diagonal;
	if (other->band.lower > s->band.lower) s->band.lower = other->band.lower;
	if (other->band.upper > s->band.upper) s->band.upper = other->band.upper;
	if (!other->contradictions.slots) sheaf_contradictions_free(&s->contradictions, s->cx);
	if (s->contradictions.slots) sheaf_contradictions_merge(&s->contradictions, &other->contradictions);
	for (int f = 0; f < s->schema.nfields; f++) merge_field(s, &s->fields[f], &other->fields[f]);
	return SHEAF_OK;
}
