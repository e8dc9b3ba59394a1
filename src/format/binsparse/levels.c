/* SPDX-License-Identifier: MIT */
/* The custom section: a tree of levels, each inside the one before, that ends in an element. "transpose" says
 * which dimension each dimension of the levels is, as sheaf_stored_levels.order does.
 *
 *     {"level": {"level_desc": "dense", "rank": 1,
 *                "level": {"level_desc": "sparse", "rank": 1, "level": {"level_desc": "element"}}},
 *      "transpose": [1, 0]} */
#include "format/binsparse/descriptor.h"
#include <inttypes.h>
#include <string.h>

static sheaf_status expect(const char *where, const char *key, const char *expected, const sheaf_json *found,
                           sheaf_error *err)
{
	char text[80];
	return sheaf_fail(err, SHEAF_DATA, "%s: custom: %s: expected %s, found %s", where, key, expected,
	                  sheaf_bsp_found(found, text));
}

/* Refuses keys other than these, which could change what they mean. */
static sheaf_status check_keys(const sheaf_json *object, const char *const *known, const char *where,
                               sheaf_error *err)
{
	const char *key;
	void *at = NULL;
	while (sheaf_json_next(object, &at, &key)) {
		const char *const *k = known;
		while (*k && strcmp(*k, key) != 0) k++;
		if (!*k)
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "%s: custom: expected keys of version 0.1, found the key \"%.40s\"", where,
			                  key);
	}
	return SHEAF_OK;
}

/* The levels from this one on, of `rank` dimensions at most, into *out from the outside in. A dense level of
 * several dimensions becomes as many levels of one, which mean the same; a sparse one stays whole. */
static sheaf_status parse_tree(sheaf_json *level, int rank, const char *where, sheaf_stored_levels *out,
                               sheaf_error *err)
{
	static const char *const keys[] = {"level_desc", "rank", "level", NULL};
	static const char kinds[] = "\"element\", \"dense\" or \"sparse\"";
	for (;; level = sheaf_json_get(level, "level")) {
		sheaf_json *kind = sheaf_json_get(level, "level_desc"), *value = sheaf_json_get(level, "rank");
		const char *text = sheaf_json_text(kind, NULL);
		int64_t more;
		if (sheaf_json_kind_of(level) != SHEAF_JSON_OBJECT)
			return expect(where, "level", "an object", level, err);
		if (!text) return expect(where, "level_desc", kinds, kind, err);
		SHEAF_TRY(check_keys(level, keys, where, err));
		if (strcmp(text, "element") == 0) return SHEAF_OK;
		bool sparse = strcmp(text, "sparse") == 0;
		if (!sparse && strcmp(text, "dense") != 0) return expect(where, "level_desc", kinds, kind, err);
		if (!sheaf_json_i64(value, &more) || more < 1)
			return expect(where, "rank", "a whole number of at least 1 in a dense or sparse level", value,
			              err);
		if (more > rank - out->rank)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: custom: expected levels of rank %d in all, as shape has it, found more",
			                  where, rank);
		for (int64_t i = 0; i < (sparse ? 1 : more); i++)
			out->levels[out->nlevels++] = (sheaf_stored_level){sparse, sparse ? (int)more : 1};
		out->rank += (int)more;
	}
}

/* The levels must have as many dimensions as the shape has; without "transpose" they are in their own order.
 */
sheaf_status sheaf_bsp_custom_parse(sheaf_json *custom, int rank, const char *where, sheaf_stored_levels *out,
                                    sheaf_error *err)
{
	static const char expected[] = "a permutation of the dimensions, each number from 0 once";
	static const char *const keys[] = {"level", "transpose", NULL};
	unsigned seen = 0;
	*out = (sheaf_stored_levels){0};
	for (int k = 0; k < BSP_MAX_RANK; k++) out->order[k] = k;
	if (sheaf_json_kind_of(custom) != SHEAF_JSON_OBJECT)
		return expect(where, "the section", "an object", custom, err);
	SHEAF_TRY(check_keys(custom, keys, where, err));
	SHEAF_TRY(parse_tree(sheaf_json_get(custom, "level"), rank, where, out, err));
	if (out->rank != rank)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: custom: expected levels of rank %d in all, as shape has it, found %d", where,
		                  rank, out->rank);
	sheaf_json *transpose = sheaf_json_get(custom, "transpose");
	if (!transpose) return SHEAF_OK;
	if (sheaf_json_kind_of(transpose) != SHEAF_JSON_ARRAY || sheaf_json_size(transpose) != (size_t)rank)
		return expect(where, "transpose", expected, transpose, err);
	for (int k = 0; k < rank; k++) {
		int64_t d;
		const sheaf_json *value = sheaf_json_at(transpose, (size_t)k);
		if (!sheaf_json_i64(value, &d)) return expect(where, "transpose", expected, value, err);
		if (d < 0 || d >= rank || seen >> d & 1)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: custom: transpose: expected %s, found %" PRId64 " at position %d", where,
			                  expected, d, k);
		seen |= 1u << d;
		out->order[k] = (int)d;
	}
	return SHEAF_OK;
}

/* ---- making ---- */

/* Level l with those inside of it, the innermost of which is the element; NULL if memory runs out. */
static sheaf_json *level_json(const sheaf_stored_levels *layout, int l)
{
	sheaf_json *level = sheaf_json_new_object();
	const char *kind = l == layout->nlevels ? "element" : layout->levels[l].is_sparse ? "sparse" : "dense";
	bool fine = sheaf_json_set(level, "level_desc", sheaf_json_new_text(kind));
	if (fine && l < layout->nlevels)
		fine = sheaf_json_set(level, "rank", sheaf_json_new_i64(layout->levels[l].rank)) &&
		       sheaf_json_set(level, "level", level_json(layout, l + 1));
	if (fine) return level;
	sheaf_json_free(level);
	return NULL;
}

/* Dimensions in their own order need no "transpose". */
sheaf_json *sheaf_bsp_custom_json(const sheaf_stored_levels *layout)
{
	sheaf_json *custom = sheaf_json_new_object();
	bool fine = true;
	if (sheaf_bsp_is_transposed(layout)) {
		sheaf_json *transpose = sheaf_json_new_array();
		for (int k = 0; k < layout->rank; k++)
			fine &= sheaf_json_append(transpose, sheaf_json_new_i64(layout->order[k]));
		fine &= sheaf_json_set(custom, "transpose", transpose);
	}
	if (fine && sheaf_json_set(custom, "level", level_json(layout, 0))) return custom;
	sheaf_json_free(custom);
	return NULL;
}
