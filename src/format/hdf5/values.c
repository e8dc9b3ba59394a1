/* SPDX-License-Identifier: MIT */
/* Values of entries, and encoded numbers as in netCDF (NetCDF's attribute conventions, and CF, section 8.1):
 *
 *   stored number  ->  _Unsigned: negative ones wrap
 *                  ->  missing, if it is _FillValue or missing_value, or outside of the valid range
 *                  ->  times scale_factor, plus add_offset
 *
 * Without such attributes values are read as they are, into the column's own memory. With _Unsigned alone
 * they are the unsigned integers of the same bits; with any other they are floats, NaN where one is missing.
 * An attribute that makes no sense is an error if numbers would be wrong without it, and a warning if only
 * some would not be missing. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/status.h"
#include "format/hdf5/hdf5.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- netCDF's attributes ---- */

sheaf_status sheaf_hdf_warn(const sheaf_hdf_reader *in, const char *rule, const char *expected,
                            const char *found, const char *consequence, sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(
		in->file, &SHEAF_FINDING(SHEAF_WARNING, rule, expected, found, consequence, SHEAF_UNSUPPORTED));
	return sheaf_report(in->cx, &problem, err);
}

/* An attribute that is not applied. */
static sheaf_status warn(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p, const char *name,
                         const char *expected, sheaf_error *err)
{
	char found[300];
	snprintf(found, sizeof found, "others in \"%s\" of /%.200s", name, p->item->path);
	return sheaf_hdf_warn(in, "attribute not applied", expected, found, "all numbers are read without it",
	                      err);
}

/* Reads the numbers of an attribute of the values into `out`. *n is the room, and becomes how many there
 * are; 0 if there is no such attribute, or an empty one. Any other content is an error. */
static sheaf_status take(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p, const char *name,
                         double *out, size_t *n, sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer found = {0};
	sheaf_error failure = {0};
	size_t most = *n;
	*n = 0;
	sheaf_status status = sheaf_box_numbers(in->box, p->item->path, name, SHEAF_F64, &found, &failure);
	if (status == SHEAF_UNKNOWN) return sheaf_forgive(status, "nothing is said");
	if (status) return sheaf_fail_again(err, &failure);
	size_t count = found.size / sizeof *out;
	if (count > most)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: /%s: expected the attribute \"%s\" to be %s, found %zu numbers", in->file,
		                  p->item->path, name, most == 1 ? "one number" : "a few numbers", count);
	if (count) memcpy(out, found.data, found.size);
	*n = count;
	return SHEAF_OK;
}

/* Reads an attribute without which the numbers are right, too, though some of them may be missing: one
 * that makes no sense is warned of and not applied. Parameters and results are those of `take`. */
static sheaf_status take_mark(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p, const char *name,
                              double *out, size_t *n, sheaf_error *err)
{
	sheaf_error failure = {0};
	sheaf_status status = take(in, p, name, out, n, &failure);
	if (status != SHEAF_DATA) return status ? sheaf_fail_again(err, &failure) : SHEAF_OK;
	return warn(in, p, name, "one number, or as many as the name means", err);
}

/* The number that an attribute or a value means where stored numbers are unsigned ones in a signed type: -1
 * of eight bits is 255. */
static double wrapped(const sheaf_hdf_packing *p, double number)
{
	return number < 0 ? number + p->wrap : number;
}

/* Whether the stored type, or the unsigned one of its size, has this number. */
static bool can_be_stored(const sheaf_hdf_packing *p, double number)
{
	sheaf_type type = p->item->type;
	int bits = 8 * (int)sheaf_type_size(type);
	bool is_signed = type >= SHEAF_I8, is_wide = !is_signed || p->wrap > 0;
	if (type >= SHEAF_F32) return true;
	return number == floor(number) && number >= (is_signed ? -ldexp(1, bits - 1) : 0) &&
	       number < ldexp(1, is_wide ? bits : bits - 1);
}

/* Reads the limits of valid numbers, from valid_range or else valid_min and valid_max. Limits are of the
 * stored type, as the CF conventions say: others are warned of and not applied, and of a range neither
 * is. */
static sheaf_status take_range(const sheaf_hdf_reader *in, sheaf_hdf_packing *p, sheaf_error *err)
{
	static const char *const names[] = {"valid_min", "valid_max"}, *const range = "valid_range";
	double limits[2], *const to[] = {&p->least, &p->most};
	size_t n = 2;
	SHEAF_TRY(take_mark(in, p, range, limits, &n, err));
	if (n == 1) return warn(in, p, range, "two limits", err);
	if (n && (!can_be_stored(p, limits[0]) || !can_be_stored(p, limits[1])))
		return warn(in, p, range, "limits of the type of the stored numbers", err);
	for (int i = 0; i < 2; i++) {
		size_t one = 1;
		if (n == 0) SHEAF_TRY(take_mark(in, p, names[i], &limits[i], &one, err));
		if (one && !can_be_stored(p, limits[i]))
			SHEAF_TRY(warn(in, p, names[i], "a limit of the type of the stored numbers", err));
		else if (one)
			*to[i] = wrapped(p, limits[i]);
	}
	return SHEAF_OK;
}

/* Reads the numbers that mean missing values: up to one of _FillValue, and several of missing_value. */
static sheaf_status take_missing(const sheaf_hdf_reader *in, sheaf_hdf_packing *p, sheaf_error *err)
{
	static const char *const names[] = {"_FillValue", "missing_value"};
	for (int i = 0; i < 2; i++) {
		size_t n = i ? SHEAF_HDF_MOST_MISSING - 1 : 1;
		double *at = &p->missing[p->nmissing];
		SHEAF_TRY(take_mark(in, p, names[i], at, &n, err));
		for (size_t k = 0; k < n; k++) at[k] = wrapped(p, at[k]);
		p->nmissing += (int)n;
	}
	return SHEAF_OK;
}

/* Finds out from the attributes of an array which numbers the stored ones stand for, as netCDF and the CF
 * conventions say: unsigned ones, missing ones, limits, scale and offset. The result is of 32 bits only if
 * scale and offset and the stored numbers are. Nothing is applied if the user wants stored numbers. */
sheaf_status sheaf_hdf_find_packing(const sheaf_hdf_reader *in, const sheaf_box_item *item,
                                    sheaf_hdf_packing *p, sheaf_error *err)
{
	size_t scale = 1, offset = 1;
	bool is_unsigned;
	*p = (sheaf_hdf_packing){.item = item, .scale = 1, .least = (double)-INFINITY, .most = (double)INFINITY};
	if (item->what != SHEAF_BOX_NUMBERS || in->is_raw) return SHEAF_OK;
	for (int i = 0; i < 2 && p->wrap == 0 && item->type >= SHEAF_I8 && item->type <= SHEAF_I64; i++) {
		SHEAF_TRY(sheaf_hdf_says(in->box, item, "_Unsigned", i ? "True" : "true", &is_unsigned, err));
		if (is_unsigned) p->wrap = ldexp(1, 8 * (int)sheaf_type_size(item->type));
	}
	SHEAF_TRY(take_missing(in, p, err));
	SHEAF_TRY(take_range(in, p, err));
	SHEAF_TRY(take(in, p, "scale_factor", &p->scale, &scale, err));
	SHEAF_TRY(take(in, p, "add_offset", &p->offset, &offset, err));
	p->is_scaled = scale || offset;
	p->is_packed = p->is_scaled || p->nmissing || isfinite(p->least) || isfinite(p->most);
	p->is_narrow = item->type == SHEAF_F32 && p->scale == (double)(float)p->scale &&
	               p->offset == (double)(float)p->offset;
	return SHEAF_OK;
}

sheaf_type sheaf_hdf_type_of(const sheaf_hdf_packing *p)
{
	if (p->is_packed) return p->is_narrow ? SHEAF_F32 : SHEAF_F64;
	return p->wrap > 0 ? p->item->type - (SHEAF_I8 - SHEAF_U8) : p->item->type;
}

/* ---- values ---- */

/* Reads the numbers that those from `first` on stand for, NaN where they are missing. An unsigned number
 * of 64 bits that a double does not hold is an error. */
sheaf_status sheaf_hdf_unpack(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p, int64_t first,
                              int64_t n, double *numbers, sheaf_error *err)
{
	SHEAF_TRY(
		sheaf_box_read_into(in->box, (sheaf_box_run){p->item, first, first + n}, SHEAF_F64, numbers, err));
	for (int64_t i = 0; i < n; i++) {
		double number = wrapped(p, numbers[i]);
		if (numbers[i] < 0 && number - p->wrap != numbers[i])
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: /%s: expected unsigned numbers that float64 holds, found the bits of %.0f",
			                  in->file, p->item->path, numbers[i]);
		bool missing = number < p->least || number > p->most;
		for (int k = 0; k < p->nmissing; k++) missing |= number == p->missing[k];
		numbers[i] = missing ? (double)NAN : number * p->scale + p->offset;
	}
	return SHEAF_OK;
}

/* Puts the values of rows [first, first + n): the numbers that the stored ones stand for. They are
 * computed as doubles, in the column's memory; float32 columns are narrowed in place afterwards, from the
 * first on, so that no number is overwritten before it is read. */
static sheaf_status put_unpacked(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p, int64_t first,
                                 int64_t n, sheaf_column_builder *to, sheaf_error *err)
{
	size_t width = sheaf_type_size(to->field->type);
	if (!sheaf_builder_room(&to->values, (size_t)n * sizeof(double) + 1))
		return sheaf_builder_status(&to->values, err);
	double *numbers = (double *)(void *)to->values.data;
	SHEAF_TRY(sheaf_hdf_unpack(in, p, first, n, numbers, err));
	for (int64_t i = 0; i < n && to->field->type == SHEAF_F32; i++) {
		float narrow = (float)numbers[i];
		memcpy(to->values.data + (size_t)i * width, &narrow, width);
	}
	to->values.size = (size_t)n * width;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf_check_truth(const sheaf_hdf_reader *in, const uint8_t *values, int64_t n, int64_t row,
                                   sheaf_error *err)
{
	for (int64_t i = 0; i < n; i++)
		if (values[i] > 1)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: /%s: value %" PRId64 ": expected a truth value, 0 or 1, found %d",
			                  in->file, in->set.at->path, row + i, values[i]);
	return SHEAF_OK;
}

/* Puts the values of rows [first, first + n): as they are stored, or unpacked as netCDF's attributes say.
 * Signed numbers that mean unsigned ones have the same bits, and are read as they are. */
sheaf_status sheaf_hdf_put_values(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p, int64_t first,
                                  int64_t n, sheaf_column_builder *to, sheaf_error *err)
{
	int64_t parts = to->field->meaning == SHEAF_COMPLEX ? 2 : 1;
	const sheaf_box_item *item = p->item;
	size_t size = (size_t)(n * parts) * sheaf_type_size(to->field->type);
	if (p->is_packed) return put_unpacked(in, p, first, n, to, err);
	if (!sheaf_builder_room(&to->values, size + 1)) return sheaf_builder_status(&to->values, err);
	/* Signed numbers have the bits of the unsigned ones that they stand for. */
	sheaf_type type = p->wrap > 0 ? item->type : to->field->type;
	SHEAF_TRY(sheaf_box_read_into(in->box, (sheaf_box_run){item, first * parts, (first + n) * parts}, type,
	                              to->values.data, err));
	if (to->field->meaning == SHEAF_BOOL)
		SHEAF_TRY(sheaf_hdf_check_truth(in, to->values.data, n, first, err));
	to->values.size = size;
	return SHEAF_OK;
}
