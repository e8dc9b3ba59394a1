/* SPDX-License-Identifier: MIT */
/* The value of all that is not stored, as the option says it. */
#include "data/element.h"
#include "data/value.h"
#include "format/binsparse/writer.h"
#include "number/number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What no scanner of numbers takes. */
static bool take_word(const char *text, size_t n, double *out)
{
	static const struct {
		const char *word;
		double value;
	} words[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
	for (int i = 0; i < 3; i++)
		if (strlen(words[i].word) == n && strncasecmp(text, words[i].word, n) == 0) {
			*out = words[i].value;
			return true;
		}
	return false;
}

static bool take_float(sheaf_type type, const char *text, size_t n, void *out)
{
	double value = 0;
	bool is_word = take_word(text, n, &value);
	sheaf_scanned s = {0};
	if (type == SHEAF_F32) {
		float single = (float)value;
		if (!is_word) s = sheaf_scan_f32(text, text + n, &single);
		memcpy(out, &single, sizeof single);
	} else {
		if (!is_word) s = sheaf_scan_f64(text, text + n, &value);
		memcpy(out, &value, sizeof value);
	}
	return is_word || (!s.flaw && !s.infinite && s.end == text + n);
}

static bool take_integer(sheaf_type type, const char *text, size_t n, void *out)
{
	uint64_t digits;
	sheaf_canon canon;
	bool minus = n > 0 && *text == '-';
	sheaf_scanned s = sheaf_scan_u64(text + minus, text + n, &digits);
	if (s.flaw || s.end != text + n || (minus && digits > (uint64_t)INT64_MAX + 1)) return false;
	if (minus) digits = 0 - digits;
	sheaf_canon_values(minus ? SHEAF_I64 : SHEAF_U64, &digits, 0, 1, &canon);
	return sheaf_canon_store(type, &canon, 1, out, 0) == 0;
}

static bool take_part(const sheaf_element *e, const char *text, size_t n, void *out)
{
	bool is_float = e->type == SHEAF_F32 || e->type == SHEAF_F64;
	if (e->boolean && !(n == 1 && (*text == '0' || *text == '1'))) return false;
	return is_float ? take_float(e->type, text, n, out) : take_integer(e->type, text, n, out);
}

static bool take_value(const sheaf_element *e, const char *text, uint8_t *out)
{
	size_t n = strcspn(text, ","), half = e->size / 2;
	if (!e->complex) return take_part(e, text, strlen(text), out);
	memset(out, 0, e->size);
	if (!take_part(e, text, n, out)) return false;
	return text[n] == '\0' || take_part(e, text + n + 1, strlen(text + n + 1), out + half);
}

sheaf_status sheaf_bsp_take_fill(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	sheaf_element e;
	const char *text = sheaf_values_text(values, "fill");
	if (!text) return SHEAF_OK;
	if (schema->rows == SHEAF_SEQUENCES)
		return sheaf_fail_option(err, SHEAF_USAGE, "fill", ": expected a tensor, found sequences");
	const sheaf_field *field = &schema->fields[schema->tensor.rank];
	uint8_t fill[sizeof schema->tensor.fill] __attribute__((aligned(8)));
	if (!sheaf_element_of(field, &e) || !take_value(&e, text, fill))
		return sheaf_fail_option(err, SHEAF_USAGE, "fill", ": expected a value of type %s%s, found %s",
		                         e.complex ? "complex " : "",
		                         e.boolean ? "bool, 0 or 1" : sheaf_type_name(field->type), text);
	if (schema->tensor.has_fill && !sheaf_element_equal(&e, schema->tensor.fill, fill))
		return sheaf_fail_option(
			err, SHEAF_USAGE, "fill",
			": expected the value that the input says, which what it does not store has, "
			"found %s",
			text);
	memcpy(schema->tensor.fill, fill, e.size);
	schema->tensor.has_fill = true;
	return SHEAF_OK;
}
