/* SPDX-License-Identifier: MIT */
/* Layouts: the names of Binsparse's pre-defined formats, and a notation of levels for all others. "DS" is a
 * dense level with a sparse one inside, which is CSR; "S3" is one sparse level of three dimensions; "DS@10"
 * has dimension 1 outside and dimension 0 inside, which is CSC; "E" is an element alone. "D2" is "DD". */
#include "base/spell.h"
#include "format/binsparse/descriptor.h"
#include <stdio.h>
#include <string.h>

/* Of equal ones the first is the name that is written. */
static const struct {
	const char *name, *levels;
} formats[] = {
	{"DVEC", "D"},     {"DMATR", "DD"}, {"DMAT", "DD"},   {"DMATC", "DD@10"},
	{"CVEC", "S"},     {"CSR", "DS"},   {"CSC", "DS@10"}, {"DCSR", "SS"},
	{"DCSC", "SS@10"}, {"COO", "S2"},   {"COOR", "S2"},   {"COOC", "S2@10"},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char sheaf_bsp_layout_names[] = "DVEC, DMATR, DMAT, DMATC, CVEC, CSR, CSC, DCSR, DCSC, COO, COOR, COOC";

/* ---- spelling ---- */

/* The notation, up to its end; false for any other text. A rank is one digit. A dense level of several
 * dimensions becomes as many levels of one, which mean the same; a sparse one stays whole. The digits after
 * '@' are the dimensions of the tensor from the outside in, each once. */
static bool parse_spelling(const char *text, sheaf_stored_levels *out)
{
	unsigned seen = 0;
	*out = (sheaf_stored_levels){0};
	for (int k = 0; k < BSP_MAX_RANK; k++) out->order[k] = k;
	if (strcmp(text, "E") == 0) return true;
	while (*text == 'D' || *text == 'S') {
		bool sparse = *text++ == 'S';
		int rank = *text >= '1' && *text <= '9' ? *text++ - '0' : 1;
		if (out->rank + rank > BSP_MAX_RANK) return false;
		out->rank += rank;
		for (int i = 0; i < (sparse ? 1 : rank); i++)
			out->levels[out->nlevels++] = (sheaf_stored_level){sparse, sparse ? rank : 1};
	}
	if (!out->rank || *text == '\0') return out->rank;
	if (*text++ != '@' || strlen(text) != (size_t)out->rank) return false;
	for (int k = 0; k < out->rank; k++) {
		int d = text[k] - '0';
		if (d < 0 || d >= out->rank || seen >> d & 1) return false;
		seen |= 1u << d;
		out->order[k] = d;
	}
	return true;
}

const char *sheaf_bsp_layout_text(const sheaf_stored_levels *layout, char text[BSP_LAYOUT_SIZE])
{
	char *at = text;
	if (layout->nlevels == 0) *at++ = 'E';
	for (int l = 0; l < layout->nlevels; l++) {
		*at++ = layout->levels[l].is_sparse ? 'S' : 'D';
		if (layout->levels[l].rank > 1) *at++ = (char)('0' + layout->levels[l].rank);
	}
	if (sheaf_bsp_is_transposed(layout)) *at++ = '@';
	for (int k = 0; k < layout->rank && sheaf_bsp_is_transposed(layout); k++)
		*at++ = (char)('0' + layout->order[k]);
	*at = '\0';
	return text;
}

/* ---- names ---- */

bool sheaf_bsp_layout_named(const char *name, sheaf_stored_levels *out)
{
	for (int i = 0; i < FORMATS; i++)
		if (strcmp(name, formats[i].name) == 0) return parse_spelling(formats[i].levels, out);
	return false;
}

const char *sheaf_bsp_layout_name(const sheaf_stored_levels *layout, bool may_be_empty)
{
	char text[BSP_LAYOUT_SIZE];
	sheaf_bsp_layout_text(layout, text);
	if (may_be_empty && strncmp(text, "SS", 2) == 0) return NULL;
	for (int i = 0; i < FORMATS; i++)
		if (strcmp(text, formats[i].levels) == 0) return formats[i].name;
	return NULL;
}

sheaf_status sheaf_bsp_layout_parse(const char *text, sheaf_stored_levels *out, sheaf_error *err)
{
	if (sheaf_bsp_layout_named(text, out) || parse_spelling(text, out)) return SHEAF_OK;
	return sheaf_fail(
		err, SHEAF_USAGE,
		SHEAF_OPTION(
			"layout") ": expected one of %s, or levels from the outside in (DSS, S3, S3@120), found %.40s",
		sheaf_bsp_layout_names, text);
}

/* ---- questions ---- */

/* Equal layouts are spelled in the same way. */
bool sheaf_bsp_layout_equal(const sheaf_stored_levels *a, const sheaf_stored_levels *b)
{
	char text_a[BSP_LAYOUT_SIZE], text_b[BSP_LAYOUT_SIZE];
	return strcmp(sheaf_bsp_layout_text(a, text_a), sheaf_bsp_layout_text(b, text_b)) == 0;
}

bool sheaf_bsp_layout_is_dense(const sheaf_stored_levels *layout)
{
	for (int l = 0; l < layout->nlevels; l++)
		if (layout->levels[l].is_sparse) return false;
	return true;
}

bool sheaf_bsp_is_transposed(const sheaf_stored_levels *layout)
{
	for (int k = 0; k < layout->rank; k++)
		if (layout->order[k] != k) return true;
	return false;
}

const char *sheaf_bsp_pointers_name(int depth, char name[BSP_NAME_SIZE])
{
	snprintf(name, BSP_NAME_SIZE, "pointers_to_%d", depth);
	return name;
}

const char *sheaf_bsp_indices_name(int dimension, char name[BSP_NAME_SIZE])
{
	snprintf(name, BSP_NAME_SIZE, "indices_%d", dimension);
	return name;
}
