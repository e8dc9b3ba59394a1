/* SPDX-License-Identifier: MIT */
/* Opening a tensor: checks that its arrays exist, with suitable types, and with the lengths that follow from
 * the shape, the number of stored values and the other arrays:
 *
 *   dense level     as many positions as the level above has, times its extent
 *   sparse level    as many as its indices; pointers are one more than the positions above, and end there
 *   values          one for each position of the last level, or one for all (iso), two numbers if complex
 *
 * Only the last pointer of each level is read for that. Pointers and indices between are checked as pieces
 * are read, so that a file may be opened in the same time whatever its size. A tensor whose lengths
 * contradict each other is broken: under validation other checks go on, and no entry is read. */
#include "format/binsparse/tensor.h"
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/show.h"
#include "base/spell.h"
#include "format/binsparse/binsparse.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sheaf_bsp_tensor_close(sheaf_bsp_tensor *t)
{
	sheaf_sparse_close(&t->sparse);
	sheaf_buffer_reset(&t->values.held);
	sheaf_bsp_descriptor_free(&t->d);
	sheaf_release_text(t->cx, t->path);
	sheaf_release_text(t->cx, t->place);
	t->path = t->place = NULL;
}

sheaf_status sheaf_bsp_report(const sheaf_bsp_tensor *t, sheaf_finding finding, sheaf_context *cx,
                              sheaf_error *err, const char *expected, ...)
{
	char text[200];
	va_list args;
	va_start(args, expected);
	vsnprintf(text, sizeof text, expected, args);
	va_end(args);
	finding.expected = text;
	sheaf_problem problem = sheaf_problem_in(t->where, &finding);
	return sheaf_report(cx, &problem, err);
}

/* An error after which reading is impossible; only validation continues, with a tensor that gives nothing. */
static sheaf_status fail(sheaf_bsp_tensor *t, const char *rule, int64_t found, sheaf_error *err,
                         const char *expected, ...) SHEAF_PRINTF(5, 6);
static sheaf_status fail(sheaf_bsp_tensor *t, const char *rule, int64_t found, sheaf_error *err,
                         const char *expected, ...)
{
	char text[200], number[32];
	va_list args;
	va_start(args, expected);
	vsnprintf(text, sizeof text, expected, args);
	va_end(args);
	snprintf(number, sizeof number, "%" PRId64, found);
	t->is_broken = true;
	return sheaf_bsp_report(t, SHEAF_FINDING(SHEAF_FATAL, rule, .found = number), t->cx, err, "%s", text);
}

/* ---- finding arrays ---- */

/* Finds an array of the tensor by its name; that there is none is no error yet. */
static sheaf_status find(sheaf_bsp_tensor *t, const char *name, sheaf_stored_array *out, sheaf_error *err)
{
	sheaf_builder path;
	snprintf(out->name, sizeof out->name, "%s", name);
	sheaf_builder_begin(&path, t->cx, NULL);
	if (*t->path) sheaf_builder_printf(&path, "%s/", t->path);
	sheaf_builder_append(&path, name, strlen(name) + 1);
	sheaf_status status = sheaf_builder_status(&path, err);
	const sheaf_box_item *item = status ? NULL : sheaf_box_find(t->box, (const char *)path.data);
	sheaf_builder_drop(&path);
	SHEAF_TRY(status);
	sheaf_box_store(out, item);
	if (!item) return SHEAF_OK;
	if (item->refused)
		return sheaf_fail(err, item->is_damaged ? SHEAF_DATA : SHEAF_UNSUPPORTED,
		                  "%s: %s: expected a readable array, found %s", t->where, name, item->refused);
	if (item->is_group)
		return sheaf_fail(err, SHEAF_DATA, "%s: %s: expected an array, found a group", t->where, name);
	if (item->what == SHEAF_BOX_TEXTS || item->what == SHEAF_BOX_OTHER)
		return sheaf_fail(err, SHEAF_DATA, "%s: %s: expected an array of numbers, found one of %s", t->where,
		                  name, item->of);
	return SHEAF_OK;
}

/* A missing array is an empty one, in files whose writer could not write empty arrays; otherwise the file is
 * incomplete. */
static sheaf_status check_there(sheaf_bsp_tensor *t, const sheaf_stored_array *a, sheaf_error *err)
{
	if (sheaf_bsp_item(a)) return SHEAF_OK;
	if (t->d.stored)
		return sheaf_fail(err, SHEAF_DATA, "%s: expected the array \"%s\", found none", t->where, a->name);
	return sheaf_bsp_report(t,
	                        SHEAF_FINDING(SHEAF_BREACH, "missing array", .found = "none",
	                                      .consequence = "the tensor is empty, and so is the array"),
	                        t->cx, err, "the array \"%s\"", a->name);
}

/* For types that are read in either case. */
static sheaf_severity breach(const sheaf_bsp_tensor *t)
{
	return t->tolerance.lenient ? SHEAF_WARNING : SHEAF_BREACH;
}

/* An array of several dimensions is read in the order of its elements. */
static sheaf_status report_dimensions(const sheaf_bsp_tensor *t, const char *name, sheaf_error *err)
{
	return sheaf_bsp_report(t,
	                        SHEAF_FINDING(SHEAF_BREACH, "dimensions of an array", .found = "more",
	                                      .consequence = "its values are taken in their order"),
	                        t->cx, err, "%s with one dimension", name);
}

/* An array of pointers or indices. Its stored type counts; the declared one is only compared. */
static sheaf_status find_integers(sheaf_bsp_tensor *t, const char *name, int declared,
                                  sheaf_stored_array *out, sheaf_error *err)
{
	SHEAF_TRY(find(t, name, out, err));
	SHEAF_TRY(check_there(t, out, err));
	const sheaf_box_item *item = sheaf_bsp_item(out);
	if (!item) return SHEAF_OK;
	if (item->what != SHEAF_BOX_NUMBERS || item->type >= SHEAF_F32)
		return sheaf_fail(err, SHEAF_DATA, "%s: %s: expected an array of whole numbers, found one of %s",
		                  t->where, name, item->of);
	if (item->rank > 1) SHEAF_TRY(report_dimensions(t, name, err));
	if ((int)item->type == declared) return SHEAF_OK;
	return sheaf_bsp_report(t,
	                        SHEAF_FINDING(breach(t), "declared type", .found = sheaf_type_name(item->type),
	                                      .consequence = "the values are read as they are stored"),
	                        t->cx, err, "%s of the declared type %s", name,
	                        sheaf_type_name((sheaf_type)declared));
}

/* Values may be stored in other types than declared, with a finding, if that changes none of them; complex
 * numbers also as pairs, or in two columns. */
static sheaf_status check_values(sheaf_bsp_tensor *t, const sheaf_stored_array *a, sheaf_bsp_type declared,
                                 sheaf_error *err)
{
	char text[BSP_NAME_SIZE];
	const sheaf_box_item *item = sheaf_bsp_item(a);
	if (!item) return SHEAF_OK;
	bool pairs = declared.is_complex && item->rank == 2 && item->dims[1] == 2;
	if (item->what == SHEAF_BOX_COMPLEX && !declared.is_complex)
		return sheaf_fail(err, SHEAF_DATA, "%s: %s: expected values of type %s, found complex ones", t->where,
		                  a->name, sheaf_bsp_type_text(declared, text));
	if (pairs || item->what == SHEAF_BOX_COMPLEX)
		SHEAF_TRY(sheaf_bsp_report(
			t,
			SHEAF_FINDING(SHEAF_BREACH, "storage of complex values",
		                  .found = item->what == SHEAF_BOX_COMPLEX ? "pairs" : "two columns"),
			t->cx, err, "%s with real and imaginary parts by turns", a->name));
	else if (item->rank > 1)
		SHEAF_TRY(report_dimensions(t, a->name, err));
	/* Values stored as they should be need no warning, nor do truth values in bytes. */
	bool bytes = item->what == SHEAF_BOX_NUMBERS && (item->type == SHEAF_U8 || item->type == SHEAF_I8);
	if (declared.is_bool ? item->what == SHEAF_BOX_BOOLS || bytes : item->type == declared.type)
		return SHEAF_OK;
	return sheaf_bsp_report(
		t,
		SHEAF_FINDING(breach(t), "declared type", .found = item->of,
	                  .consequence = "values that are the same in the declared type are read"),
		t->cx, err, "%s of the declared type %s", a->name, sheaf_bsp_type_text(declared, text));
}

/* ---- lengths ---- */

/* Pointers that end at another number than the length of their indices. If they have wrapped around in a
 * small type, the true ones follow from their order (repair.c), and are kept in memory; otherwise nothing can
 * be read. */
static sheaf_status repair(sheaf_bsp_tensor *t, int l, int64_t last, int64_t wanted, sheaf_error *err)
{
	sheaf_stored_array *pointers = &t->pointers[l];
	sheaf_buffer unwrapped = {0};
	char number[24];
	SHEAF_TRY(sheaf_bsp_unwrap(t, pointers, wanted, &unwrapped, err));
	if (!unwrapped.data) {
		t->is_broken = true;
		return sheaf_bsp_report(
			t,
			SHEAF_FINDING(SHEAF_FATAL, "last pointer", .found = sheaf_stored_spell(pointers, last, number)),
			t->cx, err, "%s to end with %" PRId64 ", the length of its indices", pointers->name, wanted);
	}
	if (!t->tolerance.repair) {
		sheaf_buffer_reset(&unwrapped);
		return fail(t, "wrapped pointers", last, err,
		            "%s to end with %" PRId64 ", the length of its indices (" SHEAF_OPTION(
						"repair") " mends them: "
		                          "they have wrapped around in a type too small for them)",
		            pointers->name, wanted);
	}
	pointers->held = unwrapped;
	pointers->held_as = SHEAF_I64;
	return sheaf_bsp_report(t,
	                        SHEAF_FINDING(SHEAF_WARNING, "wrapped pointers",
	                                      .found = "ones that have wrapped around",
	                                      .consequence = "they are repaired"),
	                        t->cx, err, "%s in a type that holds %" PRId64, pointers->name, wanted);
}

/* A sparse level has as many positions as indices, in each of its dimensions; the last pointer says the same
 * number. */
static sheaf_status count_sparse(sheaf_bsp_tensor *t, int l, sheaf_error *err)
{
	int depth = sheaf_levels_depth(&t->d.layout, l);
	const sheaf_stored_array *pointers = &t->pointers[l];
	int64_t length = t->indices[depth].count, last = 0;
	sheaf_window window = {0};
	for (int r = 1; r < t->d.layout.levels[l].rank; r++) {
		const sheaf_stored_array *other = &t->indices[depth + r];
		if (other->count != length)
			SHEAF_TRY(fail(t, "length of indices", other->count, err,
			               "%s with %" PRId64 " values, as many as %s", other->name, length,
			               t->indices[depth].name));
	}
	t->counts[l + 1] = length;
	if (l == 0 || !sheaf_bsp_item(pointers)) return SHEAF_OK;
	if (pointers->count != t->counts[l] + 1)
		return fail(t, "length of pointers", pointers->count, err,
		            "%s with %" PRId64 " values, one more than positions above", pointers->name,
		            t->counts[l] + 1);
	sheaf_status status = sheaf_stored_look(&t->sparse, pointers, &window, pointers->count - 1, &last, err);
	sheaf_buffer_reset(&window.values);
	return status || last == length ? status : repair(t, l, last, length, err);
}

/* One value can stand for very many if nothing lists their places: nobody could read them to the end. */
static sheaf_status check_size_of_same(const sheaf_bsp_tensor *t, int64_t elements, sheaf_error *err)
{
	enum { OF_AN_INDEX = 1032 };
	static const int64_t always = INT64_C(1) << 30;
	int64_t bytes, listed = 1;
	int64_t size = (int64_t)sheaf_type_size(t->d.values.type) * sheaf_bsp_parts(t->d.values);
	for (int k = 0; k < BSP_MAX_RANK; k++) listed += t->indices[k].count;
	if (!sheaf_mul_i64(&bytes, elements, size)) bytes = INT64_MAX;
	if (bytes <= always || elements / OF_AN_INDEX <= listed || sheaf_context_allows_large(t->cx))
		return SHEAF_OK;
	return sheaf_fail(err, SHEAF_LIMIT,
	                  "%s: values: expected at most 1 GiB, or %d for each index, since all are the same, "
	                  "found %" PRId64 " values (" SHEAF_OPTION("allow") " large reads them anyway)",
	                  t->where, OF_AN_INDEX, elements);
}

/* One value represents all if all are the same. */
static sheaf_status check_number_of_values(sheaf_bsp_tensor *t, sheaf_error *err)
{
	int64_t elements = sheaf_sparse_entries(&t->sparse), have = t->values.count;
	int64_t parts = sheaf_bsp_parts(t->d.values);
	if (t->d.stored < 0) t->d.stored = elements;
	if (elements != t->d.stored)
		SHEAF_TRY(fail(t, "number of stored values", elements, err,
		               "%" PRId64 " stored values, as number_of_stored_values has it", t->d.stored));
	if (!t->d.values.is_iso) {
		if (have == elements * parts) return SHEAF_OK;
		return fail(t, "length of values", have, err, "values with %" PRId64 " numbers", elements * parts);
	}
	if (have == parts || (have == 0 && elements == 0)) return check_size_of_same(t, elements, err);
	if (have < parts)
		return fail(t, "length of values", have, err,
		            "values with %" PRId64 " number, since all are the same", parts);
	/* Some writers say iso for arrays that have a value for each entry: then the common value is unknown. */
	char found[32];
	bool each = have == elements * parts;
	const char *plural = parts == 1 ? "" : "s";
	if (!each || !t->tolerance.lenient)
		return fail(t, "length of values", have, err,
		            "values with %" PRId64 " number%s, since all are the same%s", parts, plural,
		            each ? " (" SHEAF_OPTION("allow") " breach reads one for each entry)" : "");
	t->d.values.is_iso = false;
	snprintf(found, sizeof found, "%" PRId64, have);
	return sheaf_bsp_report(t,
	                        SHEAF_FINDING(SHEAF_WARNING, "length of values", .found = found,
	                                      .consequence = "one is read for each entry"),
	                        t->cx, err, "values with %" PRId64 " number%s, since all are the same", parts,
	                        plural);
}

/* Levels from the outside in: the number of positions of each. */
static sheaf_status count_levels(sheaf_bsp_tensor *t, sheaf_error *err)
{
	t->counts[0] = 1;
	for (int l = 0; l < t->d.layout.nlevels && !t->is_broken; l++) {
		if (t->d.layout.levels[l].is_sparse) {
			SHEAF_TRY(count_sparse(t, l, err));
			continue;
		}
		int64_t extent = sheaf_bsp_extent(&t->d, sheaf_levels_depth(&t->d.layout, l));
		if (!sheaf_mul_i64(&t->counts[l + 1], t->counts[l], extent) || t->counts[l + 1] > INT64_MAX / 16)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: shape: expected fewer positions than %" PRId64 ", found more", t->where,
			                  INT64_MAX / 16);
	}
	return t->is_broken ? SHEAF_OK : check_number_of_values(t, err);
}

/* ---- all of it ---- */

/* The value of unstored positions, in the type of the values. */
static sheaf_status read_fill(sheaf_bsp_tensor *t, sheaf_error *err)
{
	sheaf_stored_array fill;
	int parts = sheaf_bsp_parts(t->d.values);
	if (!t->d.has_fill) return SHEAF_OK;
	SHEAF_TRY(find(t, "fill_value", &fill, err));
	if (!sheaf_bsp_item(&fill))
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected the array \"fill_value\", since fill is true, found none", t->where);
	SHEAF_TRY(check_values(t, &fill, t->d.fill, err));
	if (fill.count != parts)
		return fail(t, "length of fill_value", fill.count, err, "fill_value with %d number%s", parts,
		            parts == 1 ? "" : "s");
	sheaf_type type = t->d.values.is_bool ? sheaf_bsp_item(&fill)->type : t->d.values.type;
	return sheaf_box_read_into(t->box, (sheaf_box_run){sheaf_bsp_item(&fill), 0, parts}, type, t->fill, err);
}

/* Some programs write names of user keys in Latin-1. */
static sheaf_status read_descriptor(sheaf_bsp_tensor *t, sheaf_error *err)
{
	sheaf_buffer text = {0};
	sheaf_status status = sheaf_box_text(t->box, t->path, BSP_ATTRIBUTE, &text, err);
	if (status == SHEAF_OK && !sheaf_is_utf8(text.data, text.size)) {
		status =
			sheaf_bsp_report(t,
		                     SHEAF_FINDING(SHEAF_WARNING, "text that is not UTF-8", .found = "other bytes",
		                                   .consequence = "it is taken as Latin-1"),
		                     t->cx, err, "a descriptor in UTF-8");
		sheaf_builder b;
		sheaf_builder_resume(&b, t->cx, &text);
		sheaf_builder_make_utf8(&b, 0);
		if (status)
			sheaf_builder_drop(&b);
		else
			status = sheaf_builder_finish(&b, &text, err);
	}
	if (status == SHEAF_OK)
		status = sheaf_bsp_descriptor_parse((sheaf_bytes){text.data, text.size}, t->where,
		                                    t->tolerance.lenient, t->cx, &t->d, err);
	sheaf_buffer_reset(&text);
	return status;
}

sheaf_status sheaf_bsp_tensor_open(sheaf_bsp_tensor *t, const char *file, const char *path, sheaf_error *err)
{
	char where[600];
	snprintf(where, sizeof where, "%s%s%.200s%s", file, *path ? ", tensor \"" : "", path, *path ? "\"" : "");
	SHEAF_TRY(sheaf_copy_text(t->cx, path, strlen(path), &t->path, err));
	SHEAF_TRY(sheaf_copy_text(t->cx, where, strlen(where), &t->place, err));
	t->where = t->place;
	SHEAF_TRY(read_descriptor(t, err));
	t->levels = t->d.layout;
	memcpy(t->shape, t->d.shape, sizeof t->shape);
	/* The pre-defined formats that omit empty rows have none. */
	t->no_empty = sheaf_bsp_layout_name(&t->levels, false) && t->d.format[0] == 'D';
	/* All arrays that the layout has. */
	const sheaf_stored_levels *layout = &t->d.layout;
	char name[BSP_NAME_SIZE];
	for (int l = 0, depth = 0; l < layout->nlevels; depth += layout->levels[l++].rank) {
		if (!layout->levels[l].is_sparse) continue;
		if (l > 0)
			SHEAF_TRY(find_integers(t, sheaf_bsp_pointers_name(depth, name), t->d.pointers[depth],
			                        &t->pointers[l], err));
		for (int r = 0; r < layout->levels[l].rank; r++)
			SHEAF_TRY(find_integers(t, sheaf_bsp_indices_name(depth + r, name), t->d.indices[depth + r],
			                        &t->indices[depth + r], err));
	}
	SHEAF_TRY(find(t, "values", &t->values, err));
	SHEAF_TRY(check_there(t, &t->values, err));
	SHEAF_TRY(check_values(t, &t->values, t->d.values, err));
	SHEAF_TRY(count_levels(t, err));
	return read_fill(t, err);
}

sheaf_status sheaf_bsp_entries_schema(const sheaf_bsp_tensor *t, sheaf_schema *schema, sheaf_error *err)
{
	sheaf_field *value;
	const sheaf_bsp_descriptor *d = &t->d;
	SHEAF_TRY(
		sheaf_schema_make_entries(schema, t->cx, (sheaf_dimensions){d->layout.rank, d->shape}, &value, err));
	value->type = d->values.type;
	if (d->values.is_bool) value->meaning = SHEAF_BOOL;
	if (!d->values.is_complex) return SHEAF_OK;
	value->meaning = SHEAF_COMPLEX;
	value->nlevels = 1;
	value->levels[0] = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = 2};
	return SHEAF_OK;
}
