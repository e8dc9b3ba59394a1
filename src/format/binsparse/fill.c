/* SPDX-License-Identifier: MIT */
/* The value of all unstored positions, as the option gives it: a number of the type of the values, exactly,
 * as a fill value that is rounded would be another value. */
#include "format/binsparse/writer.h"
#include "frame/element.h"
#include "frame/value.h"
#include "number/nonfinite.h"
#include "number/number.h"
#include <string.h>

/* One number of this type; false if the text is anything else, or the type does not hold it exactly, as far
 * as whole numbers are concerned. */
static bool take_part(const sheaf_element *e, const char *text, size_t n, void *out)
{
	if (e->boolean && !(n == 1 && (*text == '0' || *text == '1'))) return false;
	if (e->type == SHEAF_F32 || e->type == SHEAF_F64) {
		double value = 0;
		bool is_word = sheaf_scan_nonfinite((const uint8_t *)text, (const uint8_t *)text + n, &value) ==
		               (const uint8_t *)text + n;
		float single = (float)value;
		sheaf_scanned s = {.end = text + n};
		if (!is_word)
			s = e->type == SHEAF_F32 ? sheaf_scan_f32(text, text + n, &single)
			                         : sheaf_scan_f64(text, text + n, &value);
		memcpy(out, e->type == SHEAF_F32 ? (void *)&single : (void *)&value, sheaf_type_size(e->type));
		return !s.flaw && !s.infinite && s.end == text + n;
	}
	uint64_t digits;
	sheaf_canon canon;
	bool minus = n > 0 && *text == '-';
	sheaf_scanned s = sheaf_scan_u64(text + minus, text + n, &digits);
	if (s.flaw || s.end != text + n || (minus && digits > (uint64_t)INT64_MAX + 1)) return false;
	if (minus) digits = 0 - digits;
	sheaf_canon_values(minus ? SHEAF_I64 : SHEAF_U64, &digits, 0, 1, &canon);
	return sheaf_canon_store(e->type, &canon, 1, out, 0) == 0;
}

/* "1.5", or of a complex number "1.5,-2", whose second part may be missing. */
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
	const char *text = sheaf_values_text(values, "fill-value");
	if (!text) return SHEAF_OK;
	if (schema->rows == SHEAF_SEQUENCES)
		return sheaf_fail_option(err, SHEAF_USAGE, "fill-value", ": expected a tensor, found sequences");
	const sheaf_field *field = &schema->fields[schema->tensor.rank];
	uint8_t fill[sizeof schema->tensor.fill] __attribute__((aligned(8)));
	if (!sheaf_element_of(field, &e) || !take_value(&e, text, fill))
		return sheaf_fail_option(err, SHEAF_USAGE, "fill-value", ": expected a value of type %s%s, found %s",
		                         e.complex ? "complex " : "",
		                         e.boolean ? "bool, 0 or 1" : sheaf_type_name(field->type), text);
	if (schema->tensor.has_fill && !sheaf_element_equal(&e, schema->tensor.fill, fill))
		return sheaf_fail_option(err, SHEAF_USAGE, "fill-value",
		                         ": expected the fill value of the input, found %s", text);
	memcpy(schema->tensor.fill, fill, e.size);
	schema->tensor.has_fill = true;
	return SHEAF_OK;
}
