/* SPDX-License-Identifier: MIT */
/* The inputs of a conversion taken together: one schema, their totals, and the structure of a tensor.
 *
 * The first input says which columns there are. The others must have the same, in any order, with types that
 * differ at most in what a wider type holds; a column in which an input has nothing takes the type that
 * others show. Rows follow one another; of tensors it is the slices along the first dimension that do. */
#include "base/checked.h"
#include "base/context.h"
#include "base/spell.h"
#include "dataset/range.h"
#include "frame/frame.h"
#include "io/source.h"
#include "job/part.h"
#include "report/matrix/profile.h"
#include "sparse/sort/sorter.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- datasets that are left out ---- */

/* Warns that a container has datasets that are not converted: nobody must take the one for all of them.
 * Streams that are read together are one dataset each. */
sheaf_status sheaf_conversion_report_others(const sheaf_conversion *c, const sheaf_dataset *input,
                                            sheaf_error *err)
{
	int64_t count = 0, streams = 0;
	char found[80];
	const sheaf_schema *schema = sheaf_dataset_schema(input);
	if (c->options->container.member || c->options->tensor.value || !(input->native->can & SHEAF_CAN_CONTAIN))
		return SHEAF_OK;
	SHEAF_TRY(sheaf_each_dataset(input->native, input->source, sheaf_count_member, &count, err));
	for (int f = 0; f < schema->nfields && schema->rows == SHEAF_SEQUENCES; f++)
		streams += sheaf_field_is_stream(&schema->fields[f]);
	int64_t others = count - (streams > 1 ? streams : 1);
	if (others <= 0) return SHEAF_OK;
	snprintf(found, sizeof found, "%" PRId64 " other%s beside the one at the root", others,
	         others == 1 ? "" : "s");
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_DATA,
	                         "other datasets",
	                         SHEAF_NOWHERE,
	                         "one dataset, or " SHEAF_OPTION("dataset") " with the path of one of them",
	                         found,
	                         others == 1 ? "it is not converted" : "they are not converted"};
	problem.place.file = sheaf_source_name(input->source);
	return sheaf_report(c->outer, &problem, err);
}

/* ---- one schema for all inputs ---- */

/* The number of levels that count for the shape of a field. A level that an item has only to be missing
 * does not: a column of numbers and one of numbers that may be missing have the same shape. */
static int levels_of_item(const sheaf_field *field)
{
	const sheaf_level_shape *first = field->levels;
	bool is_only_nullable =
		field->nlevels == 1 && first->kind == SHEAF_FIXED && first->missing == SHEAF_NULLABLE;
	return is_only_nullable && !sheaf_means_run(field->meaning) ? 0 : field->nlevels;
}

/* Whether rows of both fields fit into one column without a change. The kinds of two levels must agree, and
 * the extents of fixed ones; whether items are missing, and how wide the indices are, may differ. */
static bool same_shape(const sheaf_field *a, const sheaf_field *b)
{
	if (a->type != b->type || a->meaning != b->meaning || a->digits != b->digits) return false;
	if (levels_of_item(a) != levels_of_item(b)) return false;
	if (levels_of_item(a) == 0) return true;
	for (int l = 0; l < a->nlevels; l++) {
		const sheaf_level_shape *la = &a->levels[l], *lb = &b->levels[l];
		if (la->kind != lb->kind || la->rank != lb->rank) return false;
		if (la->kind == SHEAF_FIXED && la->extent != lb->extent) return false;
	}
	return true;
}

/* Makes a field wide enough for the rows of another one of the same shape. Sparse dims may differ,
 * especially inferred ones: the largest is used for all. What may be missing in one input may be missing in
 * all. Types of text, which say how long the texts may be, take the longer form of the same kind; where the
 * spellings differ otherwise, nothing is said. */
static void widen(sheaf_field *field, const sheaf_field *other)
{
	bool same_spelling = strcmp(field->spelled, other->spelled) == 0;
	bool same_text_kind = sheaf_means_text(field->meaning) && field->spelled[0] == other->spelled[0];
	if (!same_spelling && !same_text_kind) field->spelled[0] = '\0';
	if (!same_spelling && same_text_kind &&
	    strtoll(field->spelled + 1, NULL, 10) < strtoll(other->spelled + 1, NULL, 10))
		memcpy(field->spelled, other->spelled, sizeof field->spelled);
	if (other->nlevels > field->nlevels) field->levels[0] = other->levels[0];
	if (other->nlevels > field->nlevels) field->nlevels = other->nlevels;
	for (int level = 0; level < other->nlevels; level++) {
		if (field->levels[level].missing == SHEAF_NEVER)
			field->levels[level].missing = other->levels[level].missing;
		if (other->levels[level].index_type == SHEAF_I64) field->levels[level].index_type = SHEAF_I64;
		if (other->levels[level].extent > field->levels[level].extent)
			field->levels[level].extent = other->levels[level].extent;
	}
}

/* Whether an input may have nothing at all in a column. Such a column was inferred to be one of texts, but
 * takes the type of the others; frames show whether it is such a one (sheaf_conversion_frame). */
static bool may_be_nothing(const sheaf_dataset *d, const sheaf_field *field)
{
	return d->in->facts.guess && d->in->schema.rows == SHEAF_CELLS && field->meaning == SHEAF_STRING &&
	       sheaf_field_is_nullable(field);
}

/* Whether each row has one item of the field, rather than a list of samples. */
static bool is_item(const sheaf_field *field)
{
	const sheaf_level_shape *level = field->levels;
	bool single = field->nlevels == 1 && level->kind == SHEAF_FIXED && level->extent == 1;
	return field->nlevels == 0 || single || (field->nlevels == 1 && sheaf_means_run(field->meaning));
}

/* Makes a field of the conversion's schema wide enough for the rows of one more input, or says that they
 * are something else. */
static sheaf_status join_field(sheaf_conversion *c, int number, const sheaf_dataset *input, const char *path,
                               sheaf_error *err)
{
	const sheaf_schema *other = sheaf_dataset_schema(input);
	char expected[80], found[80];
	sheaf_field *field = &c->schema.fields[number];
	const char *word = c->schema.rows == SHEAF_SEQUENCES ? "stream" : "column";
	int other_number = sheaf_schema_find_near(other, field->name, number);
	if (other_number < 0)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected a %s \"%s\" as in the first input, found none", path,
		                  word, field->name);
	/* The first coordinate of slices that follow others may need more bits. */
	bool is_slice_number = c->schema.rows == SHEAF_ENTRIES && number == 0;
	if (is_slice_number || same_shape(field, &other->fields[other_number])) {
		widen(field, &other->fields[other_number]);
		return SHEAF_OK;
	}
	bool is_nothing = may_be_nothing(input, &other->fields[other_number]),
		 are_items = is_item(field) && is_item(&other->fields[other_number]);
	if (are_items && (is_nothing || may_be_nothing(c->inputs[0], field))) {
		/* The type is that of the side that has items, which may be missing in the other. */
		const sheaf_field *from = is_nothing ? field : &other->fields[other_number];
		int64_t width = from->nlevels && from->levels[0].kind == SHEAF_FIXED ? from->levels[0].extent : -1;
		int digits = from->digits;
		sheaf_field_make_cell(field, from->meaning, from->type, width, true);
		field->digits = digits;
		return SHEAF_OK;
	}
	sheaf_status status =
		sheaf_fail(err, SHEAF_DATA, "%s: %s \"%s\": expected the same as in the first input (%s), found %s",
	               path, word, field->name, sheaf_field_text(field, expected, sizeof expected),
	               sheaf_field_text(&other->fields[other_number], found, sizeof found));
	/* Types that were inferred from each input by itself can be declared for all. */
	const sheaf_format *format = sheaf_dataset_format(c->inputs[0]);
	if (format->options && sheaf_option_find(format->options, "columns"))
		sheaf_error_append(err, " (" SHEAF_OPTION("columns") " declares them for all inputs)");
	return status;
}

/* ---- one tensor of all inputs: the slices of each follow those of the one before ---- */

/* Refuses a tensor that cannot be followed by others. A shape that follows from the entries does not count
 * slices without entries, and coordinates in columns of a table are not relative to its file. */
static sheaf_status check_slices(const sheaf_dataset *d, const char *path, sheaf_error *err)
{
	const char *reason = NULL;
	if (d->stored != SHEAF_ENTRIES)
		reason = "of which each is stored as a tensor";
	else if (d->in->facts.guess)
		reason = "of which each has its shape, rather than one that is inferred from its entries";
	else if (d->in->schema.tensor.rank == 0)
		reason = "of which each has a dimension";
	return reason ? sheaf_fail(err, SHEAF_UNSUPPORTED,
	                           "%s: expected one input, since it is a tensor, or several %s, found another",
	                           path, reason)
	              : SHEAF_OK;
}

/* Adds the slices of one more input to the conversion's tensor: all extents but the first must agree.
 * Slices that are sorted one after the other are sorted together only if the first coordinate counts most. */
static sheaf_status join_tensor(sheaf_conversion *c, const char *path, const sheaf_dataset *input,
                                sheaf_error *err)
{
	sheaf_tensor *all = &c->schema.tensor;
	const sheaf_tensor *t = &sheaf_dataset_schema(input)->tensor;
	SHEAF_TRY(check_slices(input, path, err));
	if (t->rank != all->rank)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected %d dimensions as in the first input, found %d", path,
		                  all->rank, t->rank);
	for (int d = 1; d < t->rank; d++)
		if (t->shape[d] != all->shape[d])
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: dimension %d: expected extent %" PRId64
			                  " as in the first input, found %" PRId64,
			                  path, d + 1, all->shape[d], t->shape[d]);
	if (all->has_fill != t->has_fill || (t->has_fill && memcmp(all->fill, t->fill, sizeof t->fill) != 0))
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected the fill value of the first input, found another or none", path);
	if (!sheaf_add_i64(&all->shape[0], all->shape[0], t->shape[0]))
		return sheaf_fail(err, SHEAF_LIMIT, "%s: expected fewer than 2^63 slices in all inputs, found more",
		                  path);
	if (memcmp(all->order, t->order, (size_t)t->rank * sizeof *t->order) != 0 || t->order[0] != 0 ||
	    !t->sorted)
		all->sorted = false;
	all->unique &= t->unique;
	all->dense &= t->dense;
	/* Each may have another common value; of truth values it is nearly always true, and writers check it. */
	all->iso &= t->iso && c->schema.fields[sheaf_schema_value(&c->schema)].meaning == SHEAF_BOOL;
	if (strcmp(all->layout, t->layout) != 0) all->layout[0] = '\0';
	if (all->shape[0] - 1 > INT32_MAX) c->schema.fields[0].type = SHEAF_I64;
	return SHEAF_OK;
}

/* Joins the schema of one more input to the conversion's. Columns are matched by their names; keys are not
 * among them, since they stay or go for all inputs together. */
static sheaf_status join_schema(sheaf_conversion *c, const char *path, const sheaf_dataset *input,
                                sheaf_error *err)
{
	const sheaf_schema *other = sheaf_dataset_schema(input);
	if (other->rows != c->schema.rows)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected %s as in the first input, found %s", path,
		                  sheaf_row_kind_name(c->schema.rows), sheaf_row_kind_name(other->rows));
	if (other->rows == SHEAF_ENTRIES) SHEAF_TRY(join_tensor(c, path, input, err));
	for (int f = 0; f < c->schema.nfields; f++)
		if (c->schema.fields[f].meaning != SHEAF_KEY) SHEAF_TRY(join_field(c, f, input, path, err));
	for (int f = 0; f < other->nfields; f++)
		if (other->fields[f].meaning != SHEAF_KEY &&
		    sheaf_schema_find_near(&c->schema, other->fields[f].name, f) < 0)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: expected only the %ss of the first input, found also \"%s\"", path,
			                  c->schema.rows == SHEAF_SEQUENCES ? "stream" : "column", other->fields[f].name);
	return SHEAF_OK;
}

/* ---- keys ---- */

/* The keys of several inputs, and whether one of them came twice. */
typedef struct seen_keys {
	sheaf_sorter *sorter;
	uint64_t last;
	bool any, repeated;
} seen_keys;

/* Looks at the next key of the sorted ones: the same one twice comes twice in a row. END stops the sorter,
 * as one repeated key is enough. */
static sheaf_status see_key(void *user, uint64_t key, uint64_t unused)
{
	seen_keys *seen = (seen_keys *)user;
	(void)unused;
	if (seen->any && key == seen->last) seen->repeated = true;
	seen->any = true;
	seen->last = key;
	return seen->repeated ? SHEAF_END : SHEAF_OK;
}

/* Adds the keys of all rows of an input to the sorter, or only that of its first row, and goes back to the
 * beginning. */
static sheaf_status read_keys(seen_keys *seen, sheaf_dataset *d, bool all, sheaf_error *err)
{
	sheaf_context *quiet;
	const sheaf_frame *frame;
	sheaf_decoding decoding = {0};
	int key = sheaf_schema_key(&d->in->schema);
	bool goes_on = true;
	SHEAF_TRY(sheaf_context_quiet(d->cx, &quiet, err));
	sheaf_status status = sheaf_decoding_open(&decoding, d->format, d->in, d->piece_bytes, quiet, err);
	while (goes_on && status == SHEAF_OK &&
	       (status = sheaf_decoding_next(&decoding, &frame, err)) == SHEAF_OK) {
		const uint64_t *keys = (const uint64_t *)(const void *)frame->columns[key].values.data;
		for (int64_t r = 0; r < frame->nrows && goes_on && status == SHEAF_OK; r++) {
			status = sheaf_sorter_add(seen->sorter, keys[r], 0, err);
			goes_on = all;
		}
	}
	status = sheaf_decoding_end_pass(&decoding, status, err);
	sheaf_context_free(quiet);
	return status;
}

/* Finds out whether two rows have the same key: among all rows of all inputs, or only among the first row
 * of each. */
static sheaf_status find_repeat(const sheaf_conversion *c, bool all, bool *repeated, sheaf_error *err)
{
	seen_keys seen = {0};
	sheaf_status status = sheaf_sorter_need(c->cx, &seen.sorter, err);
	for (int i = 0; i < c->ninputs && status == SHEAF_OK; i++)
		status = read_keys(&seen, c->inputs[i], all, err);
	if (status == SHEAF_OK) status = sheaf_sorter_finish(seen.sorter, see_key, &seen, err);
	sheaf_sorter_free(seen.sorter);
	*repeated = seen.repeated;
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* Makes the conversion's schema of those of all inputs. With one input, its schema is borrowed. With
 * several, keys stay if no two rows have the same. Often each input counts from 0, which its first row shows,
 * so first rows are compared before all of them are read. */
sheaf_status sheaf_conversion_join_schemas(sheaf_conversion *c, const char *const *paths, sheaf_error *err)
{
	c->schema = *sheaf_dataset_schema(c->inputs[0]);
	if (c->ninputs == 1) return SHEAF_OK;
	SHEAF_TRY(sheaf_schema_copy(sheaf_dataset_schema(c->inputs[0]), c->cx, &c->schema, err));
	int key = sheaf_schema_key(&c->schema);
	bool keep = (sheaf_format_about(c->to).can & SHEAF_CAN_KEYS) != 0, repeated = false;
	for (int i = 0; i < c->ninputs; i++) keep &= sheaf_schema_key(sheaf_dataset_schema(c->inputs[i])) >= 0;
	if (c->merged) keep = c->merged->shared.keyed;
	bool must_compare = keep && !c->merged;
	if (must_compare) SHEAF_TRY(find_repeat(c, false, &repeated, err));
	if (must_compare && !repeated) SHEAF_TRY(find_repeat(c, true, &repeated, err));
	if (key >= 0 && (!keep || repeated)) sheaf_schema_remove(&c->schema, key);
	if (c->schema.rows == SHEAF_ENTRIES) SHEAF_TRY(check_slices(c->inputs[0], paths[0], err));
	for (int i = 1; i < c->ninputs; i++) SHEAF_TRY(join_schema(c, paths[i], c->inputs[i], err));
	return SHEAF_OK;
}

/* ---- totals ---- */

/* Finds what the output must know of all rows before the first one. It uses what the inputs say themselves,
 * and an index only for a part, whose merge finds out whether it was right, since a writer relies on the
 * facts. An input is counted where they are not enough: if the number of rows is needed by itself, and for
 * sequences, unless one of several samples, or a key that is no number of a row, already decides how rows are
 * written. */
sheaf_status sheaf_conversion_gather_totals(sheaf_conversion *c, sheaf_error *err)
{
	bool counts_keys = c->ninputs == 1; /* those of several are positions, or else left out */
	c->totals = SHEAF_NO_FACTS;
	if (!sheaf_needs_totals(c->to) || c->stores) {
		if (c->ninputs == 1) c->totals.rows = c->inputs[0]->in->facts.rows;
		return SHEAF_OK;
	}
	bool needs_rows = c->to->write->needs_rows;
	c->totals.ordinal_keys = sheaf_schema_key(&c->schema) < 0;
	if (needs_rows) c->totals.rows = 0;
	for (int i = 0; i < c->ninputs; i++) {
		sheaf_facts facts = c->inputs[i]->in->facts;
		if (c->parts) sheaf_dataset_counted(c->inputs[i], &facts);
		bool knows_shape = c->schema.rows != SHEAF_SEQUENCES || facts.longest > 1 ||
		                   (counts_keys && facts.ordinal_keys == 0) ||
		                   (facts.longest >= 0 && (!counts_keys || facts.ordinal_keys == 1));
		if (!knows_shape || (needs_rows && facts.rows < 0))
			SHEAF_TRY(sheaf_dataset_count(c->inputs[i], counts_keys, needs_rows, &facts, err));
		if (needs_rows && !sheaf_add_i64(&c->totals.rows, c->totals.rows, facts.rows))
			return sheaf_fail(err, SHEAF_LIMIT, "%s: expected fewer than 2^63 rows in all inputs, found more",
			                  sheaf_source_name(c->inputs[i]->source));
		if (facts.longest > c->totals.longest) c->totals.longest = facts.longest;
		if (counts_keys) c->totals.ordinal_keys = facts.ordinal_keys;
	}
	return SHEAF_OK;
}

/* ---- structure ---- */

/* Looks at all entries of an input to find which structures a matrix has, in a context that reports
 * nothing, and goes back to the beginning. */
static sheaf_status profile_input(sheaf_dataset *d, sheaf_context *quiet, sheaf_profile **out,
                                  sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_decoding decoding = {0};
	SHEAF_TRY(sheaf_profile_new(&d->in->schema, sheaf_source_name(d->source), quiet, out, err));
	sheaf_status status = sheaf_decoding_open(&decoding, d->format, d->in, d->piece_bytes, quiet, err);
	while (status == SHEAF_OK && (status = sheaf_decoding_next(&decoding, &frame, err)) == SHEAF_OK)
		status = sheaf_profile_add(*out, frame, err);
	if (status == SHEAF_END) status = sheaf_profile_finish(*out, err);
	return sheaf_decoding_end_pass(&decoding, status, err);
}

/* Chooses the structure of the output. "auto" takes the first of the structures that save space which all
 * entries have. A structure that was named must be one that they have. */
static sheaf_status choose_structure(sheaf_conversion *c, const sheaf_profile *profile, const char *path,
                                     sheaf_error *err)
{
	static const sheaf_structure candidates[] = {SHEAF_SYMMETRIC_LOWER, SHEAF_HERMITIAN_LOWER,
	                                             SHEAF_SKEW_SYMMETRIC_LOWER, SHEAF_GENERAL};
	const char *wanted = c->options->convert.structure;
	int i = 0;
	while (!sheaf_profile_has(profile, candidates[i])) i++;
	c->structured = true;
	c->structure = candidates[i];
	if (strcmp(wanted, "auto") == 0) return SHEAF_OK;
	for (int s = 0; s < SHEAF_STRUCTURES; s++)
		if (strcmp(wanted, sheaf_structure_name((sheaf_structure)s)) == 0 &&
		    sheaf_profile_has(profile, (sheaf_structure)s)) {
			c->structure = (sheaf_structure)s;
			return SHEAF_OK;
		}
	return sheaf_fail(err, SHEAF_DATA, "%s: expected a %s matrix, found one that is %s", path, wanted,
	                  sheaf_structure_name(c->structure));
}

/* Finds the structure that the option asks for. A matrix whose file already has a structure keeps it under
 * "auto", and "general" is what any matrix is, so neither needs a look at the entries. */
sheaf_status sheaf_conversion_find_structure(sheaf_conversion *c, const char *path, sheaf_error *err)
{
	sheaf_context *quiet;
	sheaf_profile *profile = NULL;
	const char *wanted = c->options->convert.structure;
	if (!wanted || c->part > 1) return SHEAF_OK; /* the first part reports it for all */
	if (c->schema.rows != SHEAF_ENTRIES)
		return sheaf_fail_option(err, SHEAF_USAGE, "structure",
		                         ": expected entries of a matrix to be written, found other rows");
	bool kept = strcmp(wanted, "auto") == 0 && c->schema.tensor.structure != SHEAF_GENERAL;
	if (kept) return SHEAF_OK;
	if (strcmp(wanted, "general") == 0) {
		c->structured = true;
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_context_quiet(c->outer, &quiet, err));
	sheaf_status status = profile_input(c->inputs[0], quiet, &profile, err);
	if (status == SHEAF_OK) status = choose_structure(c, profile, path, err);
	sheaf_profile_free(profile);
	sheaf_context_free(quiet);
	return status;
}
