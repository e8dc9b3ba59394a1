/* SPDX-License-Identifier: MIT */
/* Binsparse descriptors, the JSON beside the arrays of a tensor: parsed and written.
 *
 *   types.c        data types and their modifiers
 *   layout.c       formats, level trees, and which are equivalent
 *   descriptor.c   JSON into a descriptor, every rule
 *   compose.c      a descriptor into JSON
 *   levels.c       the custom section */
#ifndef SHEAF_FORMAT_BINSPARSE_DESCRIPTOR_H
#define SHEAF_FORMAT_BINSPARSE_DESCRIPTOR_H

#include "base/third/json.h"
#include "sparse/sparse.h"

#define BSP_ATTRIBUTE "binsparse" /* of the group that has the arrays; and the name of the object inside */
#define BSP_OWN "sheaf"           /* the user key that names the stream from which a tensor was written */

enum { BSP_MAX_RANK = SHEAF_MAX_RANK, BSP_NAME_SIZE = 32, BSP_LAYOUT_SIZE = 40 };

/* ---- types.c ---- */

typedef struct sheaf_bsp_type {
	sheaf_type type;
	bool is_bool; /* bint8: U8 that is 0 or 1 */
	bool is_complex, is_iso;
} sheaf_bsp_type;

/* "float32", "bint8", "complex[float64]", "iso[complex[float32]]"; false if the text is none of these. */
bool sheaf_bsp_type_parse(const char *text, sheaf_bsp_type *out);
/* Into text[BSP_NAME_SIZE]; returns text. */
const char *sheaf_bsp_type_text(sheaf_bsp_type type, char text[BSP_NAME_SIZE]);
/* Values in an element: 2 for a complex one. */
static inline int sheaf_bsp_parts(sheaf_bsp_type type) { return type.is_complex ? 2 : 1; }
static inline size_t sheaf_bsp_size(sheaf_bsp_type type)
{
	return sheaf_type_size(type.type) * (size_t)sheaf_bsp_parts(type);
}
/* The smallest unsigned type that holds all numbers from 0 to most. */
sheaf_type sheaf_bsp_smallest(int64_t most);
/* Whether a type of whole numbers holds this one, which is not negative. */
bool sheaf_bsp_type_holds(sheaf_type type, int64_t most);

/* A value as text for messages, into text[80]; returns text. */
const char *sheaf_bsp_found(const sheaf_json *value, char text[80]);

/* ---- layout.c ---- */

/* Dense levels of rank r are kept as r levels of rank 1, which have the same arrays. */

/* The layout of a pre-defined format ("CSR", "COO", ...), spelled exactly so; false: no format has that
 * name. */
bool sheaf_bsp_layout_named(const char *name, sheaf_stored_levels *out);
/* The pre-defined format with the same layout, or NULL. "Doubly compressed" ones are not used if inner slices
 * may be empty. */
const char *sheaf_bsp_layout_name(const sheaf_stored_levels *layout, bool may_be_empty);
/* All their names, separated by commas. */
extern const char sheaf_bsp_layout_names[];
/* In the notation of --layout: a name, or levels from the outside in, D and S with a rank ("DSS", "S3"), and
 * "@" with a permutation ("S3@120"). USAGE. */
SHEAF_USE sheaf_status sheaf_bsp_layout_parse(const char *text, sheaf_stored_levels *out, sheaf_error *err);
/* The second notation for any layout, into text[BSP_LAYOUT_SIZE]; returns text. */
const char *sheaf_bsp_layout_text(const sheaf_stored_levels *layout, char text[BSP_LAYOUT_SIZE]);
bool sheaf_bsp_layout_equal(const sheaf_stored_levels *a, const sheaf_stored_levels *b);
bool sheaf_bsp_layout_is_dense(const sheaf_stored_levels *layout);
bool sheaf_bsp_is_transposed(const sheaf_stored_levels *layout);

/* "pointers_to_2", "indices_0" into name[BSP_NAME_SIZE]; returns name. */
const char *sheaf_bsp_pointers_name(int depth, char name[BSP_NAME_SIZE]);
const char *sheaf_bsp_indices_name(int dimension, char name[BSP_NAME_SIZE]);

/* ---- descriptor.c ---- */

typedef struct sheaf_bsp_descriptor {
	char version[24];
	char format[16]; /* as the file says; "custom" if it does not */
	sheaf_stored_levels layout;
	int64_t shape[BSP_MAX_RANK];
	int64_t stored; /* number_of_stored_values; -1: not given */
	bool has_fill;
	sheaf_structure structure;
	int64_t diagonal; /* number_of_diagonal_elements; -1: not given */
	sheaf_bsp_type values, fill;
	int pointers[BSP_MAX_RANK]; /* declared types by depth and by dimension; -1: none */
	int indices[BSP_MAX_RANK];
	bool is_bare;
	sheaf_json *json;  /* all of it, including user keys */
	sheaf_json *inner; /* the object with the keys above */
} sheaf_bsp_descriptor;

/* Applies every rule that a descriptor alone can break: DATA or UNSUPPORTED, and tolerated deviations are
 * reported to `cx`. `where` is used in messages; `lenient`: optional keys may be missing. *out is set either
 * way, and freed with sheaf_bsp_descriptor_free. */
SHEAF_USE sheaf_status sheaf_bsp_descriptor_parse(sheaf_bytes text, const char *where, bool lenient,
                                                  sheaf_context *cx, sheaf_bsp_descriptor *out,
                                                  sheaf_error *err);
/* Whether the specification has this key in `binsparse`, or we do. */
bool sheaf_bsp_is_key(const char *key);
void sheaf_bsp_descriptor_free(sheaf_bsp_descriptor *d);
/* Extent of dimension k of the levels. */
static inline int64_t sheaf_bsp_extent(const sheaf_bsp_descriptor *d, int k)
{
	return d->shape[d->layout.order[k]];
}

/* ---- levels.c ---- */

/* The custom section into a layout of this rank. */
SHEAF_USE sheaf_status sheaf_bsp_custom_parse(sheaf_json *custom, int rank, const char *where,
                                              sheaf_stored_levels *out, sheaf_error *err);
/* A custom section; NULL if memory runs out. */
sheaf_json *sheaf_bsp_custom_json(const sheaf_stored_levels *layout);

/* ---- compose.c ---- */

/* A whole descriptor: {"binsparse": {...}}, from everything in *d but `json`, `inner` and `is_bare`.
 * `may_be_empty`: see sheaf_bsp_layout_name. NULL if memory runs out. */
sheaf_json *sheaf_bsp_descriptor_json(const sheaf_bsp_descriptor *d, bool may_be_empty);
/* Prints it after the contents of *text. */
SHEAF_USE sheaf_status sheaf_bsp_json_text(const sheaf_json *json, int indent, sheaf_context *cx,
                                           sheaf_buffer *text, sheaf_error *err);

#endif
