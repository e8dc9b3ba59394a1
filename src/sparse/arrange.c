/* SPDX-License-Identifier: MIT */
/* Arrangers: decide which steps lead from the given entries to the requested ones, and run them. The plan is
 * made once, from what the schema says of the entries and what the caller wants of the outcome: whether the
 * structure changes, whether entries are kept until they can be sorted, whether repeated positions are looked
 * for, merged or left alone, and whether missing positions are filled in. What need not be done is not done:
 * entries that are in order already pass as they are, in the memory of the frame in which they came. */
#include "sparse/arrange.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/status.h"
#include "frame/frame.h"
#include "frame/schema/structure.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- planning ---- */

/* Whether a matrix of this shape and type of values can have a structure, which the input says that it has or
 * the caller wants: it must be square, skew-symmetric values need a sign, Hermitian ones two parts. */
static sheaf_status check_structure(const sheaf_arranger *a, sheaf_structure structure, sheaf_error *err)
{
	const sheaf_tensor *t = &a->from;
	bool is_signed = a->element.type >= SHEAF_I8 && !a->element.boolean;
	if (structure == SHEAF_GENERAL) return SHEAF_OK;
	if (t->rank != 2 || t->shape[0] != t->shape[1])
		return sheaf_fail(err, SHEAF_DATA, "%sexpected a square matrix, since it is %s, found another shape",
		                  a->name, sheaf_structure_name(structure));
	if (sheaf_structure_is_skew(structure) && !is_signed)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%sexpected values with a sign, since the matrix is %s, found %s", a->name,
		                  sheaf_structure_name(structure),
		                  a->element.boolean ? "truth values" : sheaf_type_name(a->element.type));
	if (sheaf_structure_is_hermitian(structure) && !a->element.complex)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%sexpected complex values, since the matrix is %s, found %s", a->name,
		                  sheaf_structure_name(structure), sheaf_type_name(a->element.type));
	return SHEAF_OK;
}

/* Chooses what happens to the entries of a triangle, if the outcome is to have another structure than the
 * input: a structure becomes GENERAL by expansion, GENERAL becomes a structure by leaving the other triangle
 * out, and the two triangles of one structure are exchanged. */
static sheaf_status plan_structure(sheaf_arranger *a, sheaf_error *err)
{
	sheaf_structure from = a->from.structure, to = a->to.structure;
	if (from == to) return SHEAF_OK;
	SHEAF_TRY(check_structure(a, from, err));
	SHEAF_TRY(check_structure(a, to, err));
	/* Structures come in pairs: the lower triangle, then the upper one. */
	if (from != SHEAF_GENERAL && to != SHEAF_GENERAL && (from - 1) / 2 != (to - 1) / 2)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%sexpected a structure that a %s matrix can have, found %s; expand it first",
		                  a->name, sheaf_structure_name(from), sheaf_structure_name(to));
	a->triangle = to == SHEAF_GENERAL     ? SHEAF_TRIANGLE_EXPAND
	              : from == SHEAF_GENERAL ? SHEAF_TRIANGLE_KEEP
	                                      : SHEAF_TRIANGLE_EXCHANGE;
	return SHEAF_OK;
}

/* Decides whether entries are sorted, and what becomes of repeated positions. Keys are laid out for the
 * wanted order, or for that of the input if any order will do. `known` is what is known of the order in which
 * entries reach the keys: mirrored ones come in no known order.
 *
 * Repeated positions are an error, which takes no sorting to find in sorted entries (`refuses`), or they are
 * merged, for which equal positions must be neighbours (`merges`). Layout bits that are loose need not be
 * sorted by: all of them if any order will do, so that the key order is done from the beginning. */
static void plan_order(sheaf_arranger *a)
{
	sheaf_tensor known = a->from, wanted = a->to;
	if (a->triangle == SHEAF_TRIANGLE_EXPAND || a->triangle == SHEAF_TRIANGLE_EXCHANGE) known.sorted = false;
	bool errs = a->options.duplicates == SHEAF_DUPLICATES_ERROR;
	bool refuses = a->to.unique && errs && !a->to.sorted && !a->fills;
	bool merges = (a->to.unique || !errs) && !a->from.unique && !refuses;
	bool any_order = !a->to.sorted && !merges && !a->fills;
	if (!a->to.sorted && known.sorted) memcpy(wanted.order, known.order, sizeof wanted.order);
	sheaf_key_layout_make(&a->layout, &known, &wanted);
	a->checks = refuses && !a->from.unique && !known.sorted;
	a->unique = a->to.unique || a->from.unique;
	a->ordered = !any_order || known.sorted;
	if (any_order) a->layout.loose = a->layout.bits;
	a->sorts = a->options.hold || !sheaf_key_order_is_done(&a->layout.by);
	a->crosses = a->to.rank == 2;
	a->passes = !a->sorts && !merges && !a->fills && !a->drops && a->triangle == SHEAF_TRIANGLE_AS_IS;
}

/* Counts the positions of the outcome, made dense; LIMIT if 64 bits do not hold their number. An extent of 0
 * makes no position, however large the others are, so it is looked for first. */
static sheaf_status count_positions(const sheaf_arranger *a, int64_t *out, sheaf_error *err)
{
	int64_t n = 1;
	for (int d = 0; d < a->to.rank; d++)
		if (a->to.shape[d] == 0) n = 0;
	for (int d = 0; d < a->to.rank && n; d++)
		if (!sheaf_mul_i64(&n, n, a->to.shape[d]))
			return sheaf_fail(err, SHEAF_LIMIT, "%sexpected fewer positions than 2^63, found more", a->name);
	*out = n;
	return SHEAF_OK;
}

/* Makes the plan once, from what the schema says and what the caller wants, and refuses what it cannot do:
 * other columns than those of entries, another shape, values that are not one number each, and a tensor that
 * would not fit memory once it is dense. */
static sheaf_status plan(sheaf_arranger *a, sheaf_error *err)
{
	const sheaf_tensor *from = &a->from, *to = &a->to;
	a->value = sheaf_schema_value(&a->schema);
	if (a->schema.rows != SHEAF_ENTRIES || a->value != from->rank || a->value + 1 != a->schema.nfields)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%sexpected entries of a tensor: a coordinate for each dimension, then one value, "
		                  "found other columns",
		                  a->name);
	if (to->rank != from->rank || memcmp(to->shape, from->shape, (size_t)to->rank * sizeof *to->shape) != 0)
		return sheaf_fail(err, SHEAF_USAGE, "%sexpected the same rank and shape, found others", a->name);
	if (!sheaf_element_of(&a->schema.fields[a->value], &a->element))
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"%sexpected values that are one number each, none missing, found column \"%s\" (%s)", a->name,
			a->schema.fields[a->value].name, sheaf_field_storage(&a->schema.fields[a->value]));
	/* A dense skew-symmetric matrix need not store its diagonal. */
	a->fills = to->dense && (!from->dense || sheaf_structure_is_skew(from->structure));
	a->drops = from->dense && !to->dense && a->options.drop_fill;
	/* Entries that are dropped must be implied by the output; entries that are filled in were implied by the
	 * input. */
	const sheaf_tensor *says = a->drops ? to : from, *fill = says->has_fill ? says : a->drops ? from : to;
	if (fill->has_fill) memcpy(a->fill, fill->fill, a->element.size);
	SHEAF_TRY(plan_structure(a, err));
	plan_order(a);
	/* Sparse tensors often have shapes that would fit neither memory nor disk. */
	int64_t positions = 0, bytes;
	if (a->fills) SHEAF_TRY(count_positions(a, &positions, err));
	if (!sheaf_mul_i64(&bytes, positions, (int64_t)a->element.size) || bytes > sheaf_max_memory(a->cx))
		return sheaf_fail(
			err, SHEAF_LIMIT,
			"%sexpected a tensor that, made dense, takes no more than the memory that is allowed "
			"(" SHEAF_OPTION("max-memory") "), found %" PRId64 " positions of %zu bytes",
			a->name, positions, a->element.size);
	for (int d = 0; d < to->rank; d++) a->is_full |= to->shape[d] == 0;
	return SHEAF_OK;
}

/* ---- memory ---- */

static int64_t between(int64_t v, int64_t least, int64_t most)
{
	return v < least ? least : v > most ? most : v;
}

/* Allocates the room that an arranger always has. Entries in memory take a SHARE-th of what the context
 * allows, divided by the arrangers that share it; blocks of output and of the sorter are a SMALL part of
 * that, within bounds. An arranger that only passes entries on needs no output and no sorter. */
static sheaf_status allocate(sheaf_arranger *a, sheaf_error *err)
{
	enum {
		SHARE = 4,
		SMALL = 64,
		LEAST = 256,
		MOST_OUT = 16 << 10,
		MOST_BLOCK = 256 << 10,
		FEW = 1024,
		LONG = 3 /* long keys are sorted by index */
	};
	size_t key = (size_t)a->layout.words * sizeof(uint64_t), entry = key + a->element.size;
	a->memory = sheaf_max_memory(a->cx) / SHARE / (a->layout.words > 1 ? LONG : 1) /
	            (a->options.share > 1 ? a->options.share : 1);
	a->out_room = between(a->memory / SMALL / (int64_t)entry, LEAST, MOST_OUT);
	SHEAF_TRY(sheaf_allocate_array(a->cx, (uint64_t)2 * SHEAF_ARRANGE_CHUNK, key, &a->chunk_keys, err));
	SHEAF_TRY(sheaf_allocate_array(a->cx, (uint64_t)2 * SHEAF_ARRANGE_CHUNK, a->element.size,
	                               &a->chunk_values, err));
	if (a->passes) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(a->cx, (uint64_t)a->out_room, key, &a->out_keys, err));
	SHEAF_TRY(sheaf_allocate_array(a->cx, (uint64_t)a->out_room, a->element.size, &a->out_values, err));
	sheaf_entry_sorter_begin(&a->sorter, &a->layout.by, a->element.size,
	                         between(a->memory / SMALL / (int64_t)entry, FEW, MOST_BLOCK), a->cx);
	return SHEAF_OK;
}

void sheaf_arranger_free(sheaf_arranger *a)
{
	if (!a) return;
	sheaf_arranger_free(a->positions);
	size_t key = (size_t)a->layout.words * sizeof(uint64_t);
	sheaf_frame_free(&a->given);
	sheaf_frame_free(&a->frame);
	if (a->sorter.cx) sheaf_entry_sorter_clear(&a->sorter);
	sheaf_runs_close(&a->runs);
	sheaf_release(a->cx, a->out_keys, (size_t)a->out_room * key);
	sheaf_release(a->cx, a->out_values, (size_t)a->out_room * a->element.size);
	sheaf_release(a->cx, a->chunk_keys, (size_t)2 * SHEAF_ARRANGE_CHUNK * key);
	sheaf_release(a->cx, a->chunk_values, (size_t)2 * SHEAF_ARRANGE_CHUNK * a->element.size);
	sheaf_release_text(a->cx, a->name);
	sheaf_schema_free(&a->schema);
	sheaf_release(a->cx, a, sizeof *a);
}

/* Makes a second arranger, which sorts the positions of all entries to find those that occur twice, while the
 * entries themselves pass in the order in which they come. Its values, which nobody looks at, are one byte
 * each. */
static sheaf_status begin_check(sheaf_arranger *a, sheaf_error *err)
{
	sheaf_schema schema;
	sheaf_tensor to = a->from;
	sheaf_arrange_options options = {.share = 2, .name = a->options.name};
	to.sorted = to.unique = true;
	for (int d = 0; d < to.rank && !a->from.sorted; d++) to.order[d] = d;
	SHEAF_TRY(sheaf_schema_copy(&a->schema, a->cx, &schema, err));
	sheaf_field *value = &schema.fields[a->value];
	value->meaning = SHEAF_NUMBER;
	value->type = SHEAF_U8;
	value->nlevels = 0;
	schema.tensor.has_fill = schema.tensor.sorted =
		false; /* the arranger itself finds what breaks a promised order */
	sheaf_status status = sheaf_arranger_new(&schema, &to, &options, a->cx, &a->positions, err);
	sheaf_schema_free(&schema);
	return status;
}

sheaf_status sheaf_arranger_new(const sheaf_schema *schema, const sheaf_tensor *to,
                                const sheaf_arrange_options *options, sheaf_context *cx, sheaf_arranger **out,
                                sheaf_error *err)
{
	*out = NULL;
	sheaf_arranger *a;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_arranger), &a, err));
	*a = (sheaf_arranger){.cx = cx, .to = *to, .rises = true};
	if (options) a->options = *options;
	char name[512] = ""; /* messages begin with it */
	if (a->options.name) snprintf(name, sizeof name, "%s: ", a->options.name);
	a->from = schema->tensor;
	sheaf_status status = sheaf_schema_copy(schema, a->cx, &a->schema, err);
	if (!status) status = sheaf_copy_text(a->cx, name, strlen(name), &a->name, err);
	if (!status) status = plan(a, err);
	if (!status) status = allocate(a, err);
	if (!status && a->checks) status = begin_check(a, err);
	if (status)
		sheaf_arranger_free(a);
	else
		*out = a;
	return status;
}

/* ---- doing it ---- */

/* Takes all entries that are ready from an arranger and appends them to a frame, or drops them if that is
 * NULL: the arranger of positions is only asked whether it fails. */
static sheaf_status drain(sheaf_arranger *a, sheaf_frame *out, sheaf_error *err)
{
	const sheaf_frame *ready;
	sheaf_status status;
	while ((status = sheaf_arranger_next(a, &ready, err)) == SHEAF_OK)
		if (out) SHEAF_TRY(sheaf_frame_append(out, ready, 0, ready->nrows, a->cx, err));
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* Takes a frame of entries: they are kept until they are sorted, or a slice of the frame stays in `given`
 * until the next one comes, for sheaf_arranger_next. The arranger of positions gets the same entries, and
 * fails where a position occurs twice. */
static sheaf_status add(sheaf_arranger *a, const sheaf_frame *frame, sheaf_error *err)
{
	if (a->finished)
		return sheaf_fail(err, SHEAF_USAGE, "%sexpected no entries after the end, found some", a->name);
	if (a->checks) {
		SHEAF_TRY(add(a->positions, frame, err));
		SHEAF_TRY(drain(a->positions, NULL, err));
	}
	if (a->sorts) return sheaf_arrange_keep(a, frame, err);
	SHEAF_TRY(sheaf_frame_slice(frame, 0, frame->nrows, &a->given, err));
	a->given_at = 0;
	return a->passes ? sheaf_arrange_look(a, &a->given, err) : SHEAF_OK;
}

sheaf_status sheaf_arranger_add(sheaf_arranger *a, const sheaf_frame *frame, sheaf_error *err)
{
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, &a->schema, err));
	return add(a, frame, err);
}

sheaf_status sheaf_arranger_finish(sheaf_arranger *a, sheaf_error *err)
{
	if (a->finished) return SHEAF_OK;
	a->finished = true;
	if (a->checks) {
		SHEAF_TRY(sheaf_arranger_finish(a->positions, err));
		SHEAF_TRY(drain(a->positions, NULL, err));
	}
	return a->sorts ? sheaf_arrange_sort(a, err) : SHEAF_OK;
}

sheaf_status sheaf_arranger_next(sheaf_arranger *a, const sheaf_frame **out, sheaf_error *err)
{
	*out = NULL;
	if (!a->passes) {
		SHEAF_TRY(sheaf_arrange_give(a, err));
		*out = &a->frame;
		return SHEAF_OK;
	}
	if (a->given_at >= a->given.nrows) {
		sheaf_frame_free(&a->given); /* its buffers may be reused */
		return SHEAF_END;
	}
	a->given_at = a->given.nrows;
	*out = &a->given;
	return SHEAF_OK;
}

sheaf_status sheaf_arrange_rewind(sheaf_arranger *a, sheaf_error *err)
{
	a->input = (sheaf_keyed){0};
	a->input_at = 0;
	a->has_held = a->has_ready = false;
	memset(&a->position, 0, sizeof a->position);
	if (a->spilled) return sheaf_runs_begin(&a->runs, err);
	sheaf_entry_sorter_rewind(&a->sorter);
	return SHEAF_OK;
}

int64_t sheaf_arrange_known(const sheaf_arranger *a)
{
	int64_t n;
	if (!a->sorts || !a->finished) return -1;
	if (a->fills)
		return sheaf_put_off(count_positions(a, &n, NULL), "a writer that must know asks for the count") ? -1
		                                                                                                 : n;
	return a->options.duplicates == SHEAF_DUPLICATES_ERROR ? a->kept : -1;
}

/* If it is not known how many entries merging leaves, all of them are given once, only to be counted, and the
 * output begins again. */
sheaf_status sheaf_arranger_count(sheaf_arranger *a, int64_t *out, sheaf_error *err)
{
	*out = 0;
	sheaf_status status;
	if (!a->sorts || !a->finished)
		return sheaf_fail(err, SHEAF_USAGE, "%sexpected entries without missing values, found a missing one",
		                  a->name);
	if (a->fills) return count_positions(a, out, err);
	*out = sheaf_arrange_known(a);
	if (*out >= 0) return SHEAF_OK;
	*out = 0;
	while ((status = sheaf_arrange_give(a, err)) == SHEAF_OK) *out += a->frame.nrows;
	return status == SHEAF_END ? sheaf_arrange_rewind(a, err) : status;
}

/* ---- at once ---- */

sheaf_status sheaf_frame_arrange(const sheaf_frame *frame, const sheaf_schema *schema, const sheaf_tensor *to,
                                 const sheaf_arrange_options *options, sheaf_context *cx, sheaf_frame *out,
                                 sheaf_error *err)
{
	*out = (sheaf_frame){0};
	SHEAF_TRY(sheaf_frame_fits(__func__, frame, schema, err));
	sheaf_arranger *a;
	SHEAF_TRY(sheaf_arranger_new(schema, to, options, cx, &a, err));
	sheaf_status status = sheaf_frame_begin(out, &a->schema, a->cx, err);
	if (!status) status = sheaf_arranger_add(a, frame, err);
	if (!status) status = drain(a, out, err);
	if (!status) status = sheaf_arranger_finish(a, err);
	if (!status) status = drain(a, out, err);
	if (status) sheaf_frame_free(out);
	sheaf_arranger_free(a);
	return status;
}
