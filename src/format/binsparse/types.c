/* SPDX-License-Identifier: MIT */
/* Data types: eleven names, and modifiers in brackets around them: "iso" if one value stands for all,
 * "complex" if two numbers are one value. Names are compared as a whole: a type that is not in the list is
 * refused, and never taken for a similar one. */
#include "format/binsparse/descriptor.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether the text is `modifier`[...]; *inside is the text in the brackets. */
static bool unwrap(const char *text, const char *modifier, char inside[BSP_NAME_SIZE])
{
	size_t n = strlen(text), m = strlen(modifier);
	if (n < m + 2 || n >= BSP_NAME_SIZE + m || strncmp(text, modifier, m) != 0 || text[m] != '[' ||
	    text[n - 1] != ']')
		return false;
	if (n - m - 2 >= BSP_NAME_SIZE) return false;
	memcpy(inside, text + m + 1, n - m - 2);
	inside[n - m - 2] = '\0';
	return true;
}

/* `iso` is outside `complex`, and neither occurs twice. */
bool sheaf_bsp_type_parse(const char *text, sheaf_bsp_type *out)
{
	char in_iso[BSP_NAME_SIZE], in_complex[BSP_NAME_SIZE];
	int t = 0;
	*out = (sheaf_bsp_type){.type = SHEAF_U8};
	out->is_iso = unwrap(text, "iso", in_iso);
	if (out->is_iso) text = in_iso;
	out->is_complex = unwrap(text, "complex", in_complex);
	if (out->is_complex) text = in_complex;
	out->is_bool = strcmp(text, "bint8") == 0;
	while (!out->is_bool && t < SHEAF_TYPES && strcmp(text, sheaf_type_name((sheaf_type)t)) != 0) t++;
	if (t == SHEAF_TYPES) return false;
	out->type = (sheaf_type)t;
	return !out->is_complex || t == SHEAF_F32 || t == SHEAF_F64;
}

const char *sheaf_bsp_type_text(sheaf_bsp_type type, char text[BSP_NAME_SIZE])
{
	snprintf(text, BSP_NAME_SIZE, "%s%s%s%s%s", type.is_iso ? "iso[" : "", type.is_complex ? "complex[" : "",
	         type.is_bool ? "bint8" : sheaf_type_name(type.type), type.is_complex ? "]" : "",
	         type.is_iso ? "]" : "");
	return text;
}

sheaf_type sheaf_bsp_smallest(int64_t most)
{
	if (most <= UINT8_MAX) return SHEAF_U8;
	if (most <= UINT16_MAX) return SHEAF_U16;
	return most <= UINT32_MAX ? SHEAF_U32 : SHEAF_U64;
}

bool sheaf_bsp_type_holds(sheaf_type type, int64_t most)
{
	static const int64_t limits[] = {UINT8_MAX, UINT16_MAX, UINT32_MAX, INT64_MAX,
	                                 INT8_MAX,  INT16_MAX,  INT32_MAX,  INT64_MAX};
	return most <= limits[type];
}

const char *sheaf_bsp_found(const sheaf_json *value, char text[80])
{
	int64_t number;
	const char *string = sheaf_json_text(value, NULL);
	if (string)
		snprintf(text, 80, "\"%.60s\"", string);
	else if (sheaf_json_i64(value, &number))
		snprintf(text, 80, "%" PRId64, number);
	else
		snprintf(text, 80, "%s", sheaf_json_kind_name(value));
	return text;
}
