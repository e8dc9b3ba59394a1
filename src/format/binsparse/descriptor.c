/* SPDX-License-Identifier: MIT */
/* JSON into a descriptor (version 0.1 of the specification):
 *
 *   {"binsparse": {"version": "0.1", "format": "CSR", "shape": [3, 4], "number_of_stored_values": 5,
 *                  "data_types": {"pointers_to_1": "uint64", "indices_1": "uint64", "values": "float32"}},
 *    ... keys of the user ...}
 *
 * Each key has its own errors, which name the key, and what it says. Deviations of other programs that are
 * known are accepted with a warning; those that could hide an error only if the user is lenient. Nothing that
 * the descriptor says of arrays is believed here: tensor.c compares it with the arrays.
 * docs/formats/binsparse.md lists all of that. */
#include "format/binsparse/descriptor.h"
#include "base/context.h"
#include "base/spell.h"
#include "frame/schema/structure.h"
#include <stdio.h>
#include <string.h>

typedef struct parsing {
	const char *where;
	bool lenient;
	sheaf_context *cx;
	sheaf_bsp_descriptor *out;
	sheaf_json *inner;
	sheaf_error *err;
} parsing;

/* ---- errors ---- */

/* A key with an unusable value. */
static sheaf_status expect(const parsing *p, const char *key, const char *expected, const sheaf_json *value)
{
	char text[80];
	return sheaf_fail(p->err, SHEAF_DATA, "%s: descriptor, %s: expected %s, found %s", p->where, key,
	                  expected, sheaf_bsp_found(value, text));
}

/* A key that must be there. */
static sheaf_status require(const parsing *p, const char *key, const char *expected, sheaf_json **out)
{
	*out = sheaf_json_get(p->inner, key);
	if (*out) return SHEAF_OK;
	return sheaf_fail(p->err, SHEAF_DATA, "%s: descriptor: expected the key \"%s\", %s, found none", p->where,
	                  key, expected);
}

static sheaf_status report(const parsing *p, sheaf_severity severity, const char *rule, const char *expected,
                           const char *found_text, const char *consequence)
{
	sheaf_problem problem = {severity, SHEAF_DATA, rule, SHEAF_NOWHERE, expected, found_text, consequence};
	problem.place.file = p->where;
	return sheaf_report(p->cx, &problem, p->err);
}

/* An optional key: if it is missing, the user has allowed that. */
static sheaf_status ask(const parsing *p, const char *key, const char *expected, const char *consequence,
                        sheaf_json **out)
{
	char text[160];
	*out = sheaf_json_get(p->inner, key);
	if (*out) return SHEAF_OK;
	snprintf(text, sizeof text, "the key \"%s\", %s", key, expected);
	if (p->lenient) return report(p, SHEAF_WARNING, "missing key", text, "none", consequence);
	return sheaf_fail(
		p->err, SHEAF_DATA,
		"%s: descriptor: expected %s, found none (" SHEAF_OPTION("allow") " breach reads the file anyway)",
		p->where, text);
}

/* ---- version ---- */

/* A number of a version, of at most nine digits; NULL if there is none. */
static const char *number_at(const char *text, int64_t *out)
{
	const char *at = text;
	for (*out = 0; *at >= '0' && *at <= '9' && at - text < 9; at++) *out = *out * 10 + (*at - '0');
	return at == text ? NULL : at;
}

/* "major.minor", followed by ".patch" and whatever else semantic versions have. Older files have 0.1 without
 * quotes, as a number. */
static sheaf_status parse_version(parsing *p)
{
	sheaf_json *value;
	int64_t major, minor = 0;
	double number;
	char *version = p->out->version;
	size_t size = sizeof p->out->version;
	SHEAF_TRY(ask(p, "version", "the version of the specification", "0.1 is taken", &value));
	const char *text = value ? sheaf_json_text(value, NULL) : "0.1";
	if (text ? strlen(text) >= size : !sheaf_json_number(value, &number))
		return expect(p, "version", "a text like \"0.1\"", value);
	if (text)
		snprintf(version, size, "%s", text);
	else
		snprintf(version, size, "%.6g", number);
	if (!text)
		SHEAF_TRY(
			report(p, SHEAF_BREACH, "version", "the version as a text", "a number", "it is taken as one"));
	const char *at = number_at(version, &major);
	if (at && *at == '.') at = number_at(at + 1, &minor);
	if (!at || (*at && *at != '.' && *at != '-' && *at != '+'))
		return expect(p, "version", "a version like \"0.1\"", value);
	if (major != 0)
		return sheaf_fail(p->err, SHEAF_UNSUPPORTED,
		                  "%s: descriptor, version: expected one of major version 0, found \"%s\"", p->where,
		                  version);
	if (minor == 1) return SHEAF_OK;
	if (!p->lenient)
		return sheaf_fail(p->err, SHEAF_UNSUPPORTED,
		                  "%s: descriptor, version: expected 0.1, found \"%s\" (" SHEAF_OPTION(
							  "allow") " breach reads it as 0.1)",
		                  p->where, version);
	return report(p, SHEAF_WARNING, "version", "version 0.1", version, "it is read as 0.1");
}

/* ---- shape and format ---- */

/* The shape, and the number of stored values. Extents of 0 are allowed: such a tensor has no entries. */
static sheaf_status parse_shape(parsing *p)
{
	sheaf_json *shape, *stored;
	SHEAF_TRY(require(p, "shape", "an array of the sizes of the dimensions", &shape));
	if (sheaf_json_kind_of(shape) != SHEAF_JSON_ARRAY)
		return expect(p, "shape", "an array of whole numbers", shape);
	size_t rank = sheaf_json_size(shape);
	if (rank > BSP_MAX_RANK)
		return sheaf_fail(p->err, SHEAF_UNSUPPORTED,
		                  "%s: descriptor, shape: expected at most %d dimensions, found %zu", p->where,
		                  BSP_MAX_RANK, rank);
	for (size_t k = 0; k < rank; k++) {
		sheaf_json *value = sheaf_json_at(shape, k);
		if (!sheaf_json_i64(value, &p->out->shape[k]) || p->out->shape[k] < 0)
			return expect(p, "shape", "whole numbers from 0 to 9223372036854775807", value);
	}
	p->out->layout.rank = (int)rank;
	p->out->stored = -1;
	SHEAF_TRY(
		ask(p, "number_of_stored_values", "a whole number", "there are as many as the arrays have", &stored));
	if (!stored || (sheaf_json_i64(stored, &p->out->stored) && p->out->stored >= 0)) return SHEAF_OK;
	return expect(p, "number_of_stored_values", "a whole number from 0 to 9223372036854775807", stored);
}

/* A name beside a custom section must be that of the same levels. The rank of the shape must be that of the
 * format; vectors used to be written with the shape [n, 1]. */
static sheaf_status parse_format(parsing *p)
{
	sheaf_json *format = sheaf_json_get(p->inner, "format"), *custom = sheaf_json_get(p->inner, "custom");
	sheaf_stored_levels named = {0}, layout = {0};
	int rank = p->out->layout.rank;
	if (!format && !custom) SHEAF_TRY(require(p, "format", "the name of the storage format", &format));
	const char *text = format ? sheaf_json_text(format, NULL) : "custom";
	if (!text) return expect(p, "format", "a text", format);
	bool is_custom = strcmp(text, "custom") == 0;
	if (is_custom && !custom) SHEAF_TRY(require(p, "custom", "since format is \"custom\"", &custom));
	if (!is_custom && !sheaf_bsp_layout_named(text, &named))
		return sheaf_fail(p->err, SHEAF_DATA,
		                  "%s: descriptor, format: expected one of %s, custom, found \"%.40s\"", p->where,
		                  sheaf_bsp_layout_names, text);
	snprintf(p->out->format, sizeof p->out->format, "%s", text);
	int levels_rank = !is_custom && named.rank == 1 && rank == 2 ? 1 : rank;
	if (custom) SHEAF_TRY(sheaf_bsp_custom_parse(custom, levels_rank, p->where, &layout, p->err));
	bool is_column = named.rank == 1 && rank == 2 && p->out->shape[1] == 1;
	if (!is_custom && is_column)
		SHEAF_TRY(report(p, SHEAF_WARNING, "shape of a vector", "one dimension", "two, the second of size 1",
		                 "the second is left out"));
	if (!is_custom && named.rank != rank && !is_column)
		return sheaf_fail(p->err, SHEAF_DATA,
		                  "%s: descriptor, shape: expected %d dimension%s in format %s, found %d", p->where,
		                  named.rank, named.rank == 1 ? "" : "s", p->out->format, rank);
	p->out->layout = custom ? layout : named;
	if (is_custom || !custom || sheaf_bsp_layout_equal(&named, &layout)) return SHEAF_OK;
	return sheaf_fail(p->err, SHEAF_DATA,
	                  "%s: descriptor: expected a custom section that is format %s, found one that is not",
	                  p->where, text);
}

/* ---- types ---- */

/* The declared type of an array, which must be there for each array that the layout has. */
static sheaf_status parse_type(parsing *p, sheaf_json *types, const char *name, sheaf_bsp_type *out)
{
	sheaf_json *value = sheaf_json_get(types, name);
	const char *text = sheaf_json_text(value, NULL);
	char text_of[80];
	if (!value)
		return sheaf_fail(p->err, SHEAF_DATA,
		                  "%s: descriptor, data_types: expected the type of \"%s\", found none", p->where,
		                  name);
	if (text && sheaf_bsp_type_parse(text, out)) return SHEAF_OK;
	return sheaf_fail(p->err, SHEAF_DATA,
	                  "%s: descriptor, data_types, %s: expected a data type (uint8 to float64, bint8, "
	                  "complex[float32], iso[...]), found %s",
	                  p->where, name, sheaf_bsp_found(value, text_of));
}

/* Pointers and indices are whole numbers, of any width, with a sign or without. */
static sheaf_status parse_index_type(parsing *p, sheaf_json *types, const char *name, int *out)
{
	sheaf_bsp_type type = {0};
	SHEAF_TRY(parse_type(p, types, name, &type));
	if (type.is_bool || type.is_complex || type.is_iso || type.type >= SHEAF_F32)
		return expect(p, name, "a whole number type", sheaf_json_get(types, name));
	*out = (int)type.type;
	return SHEAF_OK;
}

/* The root has no pointers: their type is not declared. */
static sheaf_status parse_types(parsing *p)
{
	sheaf_json *types;
	char name[BSP_NAME_SIZE];
	sheaf_bsp_descriptor *d = p->out;
	SHEAF_TRY(require(p, "data_types", "an object with the type of each array", &types));
	if (sheaf_json_kind_of(types) != SHEAF_JSON_OBJECT) return expect(p, "data_types", "an object", types);
	for (int l = 0, k = 0; l < d->layout.nlevels; l++) {
		int end = k + d->layout.levels[l].rank;
		bool is_sparse = d->layout.levels[l].is_sparse;
		if (is_sparse && l > 0)
			SHEAF_TRY(parse_index_type(p, types, sheaf_bsp_pointers_name(k, name), &d->pointers[k]));
		for (; k < end; k++)
			if (is_sparse)
				SHEAF_TRY(parse_index_type(p, types, sheaf_bsp_indices_name(k, name), &d->indices[k]));
	}
	SHEAF_TRY(parse_type(p, types, "values", &d->values));
	d->fill = d->values;
	if (sheaf_json_get(types, "fill_value")) SHEAF_TRY(parse_type(p, types, "fill_value", &d->fill));
	d->fill.is_iso = false;
	sheaf_json *fill = sheaf_json_get(p->inner, "fill");
	if (fill && sheaf_json_kind_of(fill) != SHEAF_JSON_BOOL) return expect(p, "fill", "true or false", fill);
	d->has_fill = sheaf_json_is_true(fill);
	return SHEAF_OK;
}

/* ---- structure ---- */

/* Matrices of which only a triangle is stored. A name without its triangle, as some programs write it, means
 * the lower one. */
static sheaf_status structure_named(parsing *p, const char *text)
{
	static const struct {
		const char *name;
		sheaf_structure means;
	} loose[] = {{"symmetric", SHEAF_SYMMETRIC_LOWER},
	             {"hermitian", SHEAF_HERMITIAN_LOWER},
	             {"skew_symmetric", SHEAF_SKEW_SYMMETRIC_LOWER}};
	for (int s = 0; s < SHEAF_STRUCTURES; s++) {
		if (strcmp(text, sheaf_structure_name((sheaf_structure)s)) != 0) continue;
		p->out->structure = (sheaf_structure)s;
		return SHEAF_OK;
	}
	for (size_t i = 0; i < sizeof loose / sizeof *loose; i++) {
		if (strcmp(text, loose[i].name) != 0) continue;
		p->out->structure = loose[i].means;
		return report(p, SHEAF_WARNING, "structure", "a structure that names its triangle", text,
		              "the lower triangle is meant");
	}
	return sheaf_fail(p->err, SHEAF_DATA,
	                  "%s: descriptor, structure: expected one of "
	                  "{symmetric,hermitian,skew_symmetric}_{lower,upper}, found \"%.40s\"",
	                  p->where, text);
}

/* A structure needs a square matrix, and a Hermitian one complex values. A skew-symmetric one of unsigned
 * values is read with a warning, as only expanding it fails. */
static sheaf_status parse_structure(parsing *p)
{
	sheaf_json *value = sheaf_json_get(p->inner, "structure");
	const char *text = sheaf_json_text(value, NULL);
	const sheaf_bsp_descriptor *d = p->out;
	if (!value) return SHEAF_OK;
	if (!text) return expect(p, "structure", "a text", value);
	SHEAF_TRY(structure_named(p, text));
	if (d->structure == SHEAF_GENERAL) return SHEAF_OK;
	if (d->layout.rank != 2 || d->shape[0] != d->shape[1])
		return expect(p, "structure", "none, since the tensor is no square matrix", value);
	if (sheaf_structure_is_hermitian(d->structure) && !d->values.is_complex)
		return expect(p, "structure", "none of Hermitian matrices, since the values are not complex", value);
	bool is_signed = d->values.type >= SHEAF_I8;
	if (sheaf_structure_is_skew(d->structure) && !is_signed)
		return report(p, SHEAF_WARNING, "skew of unsigned values",
		              "values with a sign in a skew-symmetric matrix", "a type without",
		              "it cannot be expanded");
	return SHEAF_OK;
}

/* ---- all of it ---- */

/* Some programs write the object without the name around it. */
static sheaf_status find_inner(parsing *p)
{
	sheaf_json *json = p->out->json, *inner = sheaf_json_get(json, BSP_ATTRIBUTE);
	if (sheaf_json_kind_of(json) != SHEAF_JSON_OBJECT) return expect(p, "all of it", "an object", json);
	p->out->is_bare = !inner && (sheaf_json_get(json, "format") || sheaf_json_get(json, "custom"));
	if (!inner && !p->out->is_bare)
		return sheaf_fail(p->err, SHEAF_DATA,
		                  "%s: descriptor: expected the key \"binsparse\", an object, found none", p->where);
	if (inner && sheaf_json_kind_of(inner) != SHEAF_JSON_OBJECT)
		return expect(p, "binsparse", "an object", inner);
	p->inner = p->out->inner = inner ? inner : json;
	if (!p->out->is_bare) return SHEAF_OK;
	return report(p, SHEAF_WARNING, "bare descriptor", "the descriptor inside of \"binsparse\"", "it without",
	              "it is read anyway");
}

bool sheaf_bsp_is_key(const char *key)
{
	static const char *const known[] = {"version",     "shape",     "number_of_stored_values",
	                                    "fill",        "format",    "custom",
	                                    "data_types",  "structure", "attributes",
	                                    BSP_ATTRIBUTE, BSP_OWN};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(key, known[i]) == 0) return true;
	return false;
}

/* A key that the specification has not could change what the others mean. Those of a bare descriptor may be
 * the user's. */
static sheaf_status check_keys(const parsing *p)
{
	char text[80];
	const char *key;
	void *at = NULL;
	while (!p->out->is_bare && sheaf_json_next(p->inner, &at, &key)) {
		if (sheaf_bsp_is_key(key)) continue;
		snprintf(text, sizeof text, "the key \"%.40s\"", key);
		if (!p->lenient)
			return sheaf_fail(p->err, SHEAF_UNSUPPORTED,
			                  "%s: descriptor: expected keys of version 0.1, found %s (" SHEAF_OPTION(
								  "allow") " breach keeps it as an attribute)",
			                  p->where, text);
		SHEAF_TRY(report(p, SHEAF_WARNING, "unknown key", "keys of version 0.1", text,
		                 "it is kept as an attribute"));
	}
	return SHEAF_OK;
}

/* In an order in which each step has what it needs: the version says which keys there can be, the shape gives
 * the rank that the format must have, and the layout says which types are declared. */
sheaf_status sheaf_bsp_descriptor_parse(sheaf_bytes text, const char *where, bool lenient, sheaf_context *cx,
                                        sheaf_bsp_descriptor *out, sheaf_error *err)
{
	parsing p = {where, lenient, cx, out, NULL, err};
	*out = (sheaf_bsp_descriptor){.diagonal = -1};
	for (int k = 0; k < BSP_MAX_RANK; k++) out->pointers[k] = out->indices[k] = -1;
	char name[400];
	snprintf(name, sizeof name, "%s: descriptor", where);
	SHEAF_TRY(sheaf_json_parse(text.data, text.size, name, &out->json, err));
	SHEAF_TRY(find_inner(&p));
	SHEAF_TRY(parse_version(&p));
	SHEAF_TRY(check_keys(&p));
	SHEAF_TRY(parse_shape(&p));
	SHEAF_TRY(parse_format(&p));
	SHEAF_TRY(parse_types(&p));
	SHEAF_TRY(parse_structure(&p));
	/* Attributes are the user's, but for one that the specification has. */
	sheaf_json *attributes = sheaf_json_get(p.inner, "attributes"),
			   *value = sheaf_json_get(attributes, "number_of_diagonal_elements");
	if (attributes && sheaf_json_kind_of(attributes) != SHEAF_JSON_OBJECT)
		return expect(&p, "attributes", "an object", attributes);
	if (!value) return SHEAF_OK;
	if (sheaf_json_i64(value, &p.out->diagonal) && p.out->diagonal >= 0) return SHEAF_OK;
	return expect(&p, "number_of_diagonal_elements", "a whole number of at least 0", value);
}

void sheaf_bsp_descriptor_free(sheaf_bsp_descriptor *d)
{
	sheaf_json_free(d->json);
	d->json = d->inner = NULL;
}
