/* SPDX-License-Identifier: MIT */
/* The custom section: a tree of levels, each inside the one before, that ends in an element. */
#include "format/binsparse/descriptor.h"
#include <inttypes.h>
#include <string.h>

typedef struct parsing {
	const char *where;
	sheaf_stored_levels *out;
	int rank;
	sheaf_error *err;
} parsing;

static sheaf_status expect(const parsing *p, const char *key, const char *expected, const sheaf_json *found)
{
	char text[80];
	return sheaf_fail(p->err, SHEAF_DATA, "%s: custom: %s: expected %s, found %s", p->where, key, expected,
	                  sheaf_bsp_found(found, text));
}

/* Refuses keys other than these, which could change what they mean. */
static sheaf_status check_keys(const parsing *p, const sheaf_json *object, const char *const *known)
{
	const char *key;
	void *at = NULL;
	while (sheaf_json_next(object, &at, &key)) {
		const char *const *k = known;
		while (*k && strcmp(*k, key) != 0) k++;
		if (!*k)
			return sheaf_fail(p->err, SHEAF_UNSUPPORTED,
			                  "%s: custom: expected keys of version 0.1, found the key \"%.40s\"", p->where,
			                  key);
	}
	return SHEAF_OK;
}

static sheaf_status add_level(parsing *p, bool sparse, sheaf_json *level)
{
	sheaf_json *value = sheaf_json_get(level, "rank");
	int64_t rank;
	if (!sheaf_json_i64(value, &rank) || rank < 1)
		return expect(p, "rank", "a whole number of at least 1 in a dense or sparse level", value);
	if (rank > p->rank - p->out->rank)
		return sheaf_fail(p->err, SHEAF_DATA,
		                  "%s: custom: expected levels of rank %d in all, as shape has it, found more",
		                  p->where, p->rank);
	for (int64_t i = 0; i < (sparse ? 1 : rank); i++)
		p->out->levels[p->out->nlevels++] = (sheaf_stored_level){sparse, sparse ? (int)rank : 1};
	p->out->rank += (int)rank;
	return SHEAF_OK;
}

static sheaf_status parse_tree(parsing *p, sheaf_json *level)
{
	for (;; level = sheaf_json_get(level, "level")) {
		const sheaf_json *kind = sheaf_json_get(level, "level_desc");
		const char *text = sheaf_json_text(kind, NULL);
		if (sheaf_json_kind_of(level) != SHEAF_JSON_OBJECT) return expect(p, "level", "an object", level);
		if (!text) return expect(p, "level_desc", "\"element\", \"dense\" or \"sparse\"", kind);
		SHEAF_TRY(check_keys(p, level, (const char *const[]){"level_desc", "rank", "level", NULL}));
		if (strcmp(text, "element") == 0) return SHEAF_OK;
		bool sparse = strcmp(text, "sparse") == 0;
		if (!sparse && strcmp(text, "dense") != 0)
			return expect(p, "level_desc", "\"element\", \"dense\" or \"sparse\"", kind);
		SHEAF_TRY(add_level(p, sparse, level));
	}
}

static sheaf_status parse_transpose(parsing *p, sheaf_json *transpose)
{
	static const char expected[] = "a permutation of the dimensions, each number from 0 once";
	unsigned seen = 0;
	if (sheaf_json_kind_of(transpose) != SHEAF_JSON_ARRAY || sheaf_json_size(transpose) != (size_t)p->rank)
		return expect(p, "transpose", expected, transpose);
	for (int k = 0; k < p->rank; k++) {
		int64_t d;
		const sheaf_json *value = sheaf_json_at(transpose, (size_t)k);
		if (!sheaf_json_i64(value, &d)) return expect(p, "transpose", expected, value);
		if (d < 0 || d >= p->rank || seen >> d & 1)
			return sheaf_fail(p->err, SHEAF_DATA,
			                  "%s: custom: transpose: expected %s, found %" PRId64 " at position %d",
			                  p->where, expected, d, k);
		seen |= 1u << d;
		p->out->order[k] = (int)d;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_custom_parse(sheaf_json *custom, int rank, const char *where, sheaf_stored_levels *out,
                                    sheaf_error *err)
{
	parsing p = {where, out, rank, err};
	*out = (sheaf_stored_levels){0};
	for (int k = 0; k < BSP_MAX_RANK; k++) out->order[k] = k;
	if (sheaf_json_kind_of(custom) != SHEAF_JSON_OBJECT)
		return expect(&p, "the section", "an object", custom);
	SHEAF_TRY(check_keys(&p, custom, (const char *const[]){"level", "transpose", NULL}));
	SHEAF_TRY(parse_tree(&p, sheaf_json_get(custom, "level")));
	if (out->rank != rank)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: custom: expected levels of rank %d in all, as shape has it, found %d", where,
		                  rank, out->rank);
	sheaf_json *transpose = sheaf_json_get(custom, "transpose");
	return transpose ? parse_transpose(&p, transpose) : SHEAF_OK;
}

/* ---- making ---- */

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

static bool put_transpose(sheaf_json *custom, const sheaf_stored_levels *layout)
{
	sheaf_json *transpose = sheaf_json_new_array();
	bool fine = true;
	for (int k = 0; k < layout->rank; k++)
		fine &= sheaf_json_append(transpose, sheaf_json_new_i64(layout->order[k]));
	return sheaf_json_set(custom, "transpose", transpose) && fine;
}

sheaf_json *sheaf_bsp_custom_json(const sheaf_stored_levels *layout)
{
	sheaf_json *custom = sheaf_json_new_object();
	bool fine = !sheaf_bsp_is_transposed(layout) || put_transpose(custom, layout);
	if (fine && sheaf_json_set(custom, "level", level_json(layout, 0))) return custom;
	sheaf_json_free(custom);
	return NULL;
}
