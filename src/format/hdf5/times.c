/* SPDX-License-Identifier: MIT */
/* Times as the CF conventions have them (section 4.4): numbers with the attribute units, "days since 1990-1-1
 * 12:00", and perhaps a calendar. Those of the Gregorian calendar become times; where it is "standard", the
 * reference may lie before 1582-10-15, and is a date of the Julian calendar then. Other calendars, and units
 * of no fixed length, are refused. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "format/hdf5/hdf5.h"
#include "number/date.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { GREGORIAN = -141427 /* 1582-10-15 in days since 1970-01-01 */ };

static sheaf_status refuse(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p, const char *what,
                           const char *found, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s: /%.200s: expected %s, found \"%.60s\" (" SHEAF_OPTION("raw") " reads numbers)",
	                  in->file, p->item->path, what, found);
}

/* Days since 1970-01-01 of a date of the Gregorian calendar, or the Julian one. */
static int64_t days_of(int64_t year, int month, int day, bool is_julian)
{
	enum { EPOCH = 2440588 };
	int64_t early = month < 3, y = year + 4800 - early, m = month + 12 * early - 3;
	int64_t days = day + (153 * m + 2) / 5 + 365 * y + y / 4;
	return (is_julian ? days - 32083 : days - y / 100 + y / 400 - 32045) - EPOCH;
}

/* Reads "1990-1-1 12:0:0.0 -6:00", of which only the date is needed, as seconds since 1970. */
static bool scan_reference(const char *text, bool is_mixed, int64_t *seconds)
{
	int year, month, day, n = 0, clock[3] = {0};
	int64_t ahead = 0;
	if (sscanf(text, "%d-%2d-%2d%n", &year, &month, &day, &n) < 3) return false;
	if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return false;
	bool is_julian = is_mixed && days_of(year, month, day, false) < GREGORIAN;
	if (day > days_of(year, month + 1, 1, is_julian) - days_of(year, month, 1, is_julian)) return false;
	text += n;
	if (*text == 'T' || *text == ' ') {
		n = 0;
		if (sscanf(text + 1, "%2d:%2d%n:%2d%n", &clock[0], &clock[1], &n, &clock[2], &n) >= 2) text += 1 + n;
		if (*text == '.') text += 1 + strspn(text + 1, "0");
	}
	for (int i = 0; i < 3; i++)
		if (clock[i] < 0 || clock[i] > (i ? 59 : 23)) return false;
	while (*text == ' ') text++;
	const char *end = text + strlen(text);
	bool is_utc = text == end || strcasecmp(text, "UTC") == 0 || strcasecmp(text, "GMT") == 0;
	if (!is_utc && sheaf_scan_zone(text, end, &ahead) != end) return false;
	*seconds = days_of(year, month, day, is_julian) * SHEAF_DAY_SECONDS + 3600 * (int64_t)clock[0] +
	           60 * (int64_t)clock[1] + clock[2] - ahead;
	return true;
}

/* Reads a text of the array, without a text a "". */
static sheaf_status take_text(const sheaf_hdf_reader *in, const sheaf_box_item *item, const char *name,
                              char out[100], sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer text = {0};
	bool has;
	SHEAF_TRY(sheaf_box_has_text(in->box, item->path, name, &has, err));
	if (has) SHEAF_TRY(sheaf_box_text(in->box, item->path, name, &text, err));
	snprintf(out, 100, "%.*s", (int)text.size, text.size ? (const char *)text.data : "");
	return SHEAF_OK;
}

/* The units that have a fixed length, in parts of a second, of which `digits` says how many it has. */
static const struct {
	const char *name;
	int digits;
	int64_t parts;
} units[] = {{"day", 0, 86400}, {"d", 0, 86400},       {"hour", 0, 3600}, {"h", 0, 3600},
             {"minute", 0, 60}, {"min", 0, 60},        {"second", 0, 1},  {"sec", 0, 1},
             {"s", 0, 1},       {"millisecond", 3, 1}, {"ms", 3, 1},      {"microsecond", 6, 1},
             {"us", 6, 1},      {"nanosecond", 9, 1},  {"ns", 9, 1}};

/* Finds the unit that the first `n` bytes name, in any case, and in the plural. */
static bool find_unit(const char *text, size_t n, sheaf_hdf_packing *p)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t size = strlen(units[i].name);
		bool fits = n == size || (n == size + 1 && (text[size] | 32) == 's');
		if (!fits || strncasecmp(text, units[i].name, size) != 0) continue;
		p->digits = units[i].digits;
		p->unit = units[i].parts;
		return true;
	}
	return false;
}

/* Whether numbers of units are whole ones, as they are stored. */
static bool is_whole(const sheaf_hdf_packing *p)
{
	return p->item->type < SHEAF_F32 && !p->is_scaled && p->wrap == 0;
}

/* Counts times in microseconds, to which other programs round fractions of a unit, if there is one that is no
 * whole number of what the unit counts. All times are looked at. */
static sheaf_status find_digits(const sheaf_hdf_reader *in, sheaf_hdf_packing *p, sheaf_error *err)
{
	enum { STEP = 1 << 12, MICROSECONDS = 6 };
	double numbers[STEP];
	double scale = p->digits < 3 ? 1e6 : p->digits < MICROSECONDS ? 1e3 : 1; /* microseconds in a part */
	bool has_fraction = false;
	for (int64_t at = 0, n; at < p->item->count && !has_fraction; at += n) {
		n = p->item->count - at < STEP ? p->item->count - at : STEP;
		SHEAF_TRY(sheaf_check_stop(in->cx, err));
		SHEAF_TRY(sheaf_hdf_unpack(in, p, at, n, numbers, err));
		for (int64_t i = 0; i < n; i++) {
			double parts = round((numbers[i] - floor(numbers[i])) * (double)p->unit * scale);
			has_fraction |= fmod(parts, scale) > 0;
		}
	}
	for (; has_fraction && p->digits < MICROSECONDS; p->digits += 3) p->unit *= 1000;
	return SHEAF_OK;
}

sheaf_status sheaf_hdf_find_time(const sheaf_hdf_reader *in, sheaf_hdf_packing *p, sheaf_error *err)
{
	char text[100], calendar[100];
	if (p->item->what != SHEAF_BOX_NUMBERS || in->is_raw) return SHEAF_OK;
	SHEAF_TRY(take_text(in, p->item, "units", text, err));
	const char *since = strstr(text, " since "), *word = text;
	if (!since) return SHEAF_OK;
	while (*word == ' ') word++;
	size_t n = strcspn(word, " ");
	if (word + n != since) return SHEAF_OK;
	SHEAF_TRY(take_text(in, p->item, "calendar", calendar, err));
	bool is_proleptic = strcasecmp(calendar, "proleptic_gregorian") == 0;
	p->is_mixed = !is_proleptic;
	if (*calendar && !is_proleptic && strcasecmp(calendar, "standard") != 0 &&
	    strcasecmp(calendar, "gregorian") != 0)
		return refuse(in, p, "times of the Gregorian calendar", calendar, err);
	if (!find_unit(word, n, p)) return refuse(in, p, "days or a unit below since a date", text, err);
	for (since += 7; *since == ' ';) since++;
	if (!scan_reference(since, p->is_mixed, &p->origin))
		return refuse(in, p, "units since a date and a time", text, err);
	if (!is_whole(p)) SHEAF_TRY(find_digits(in, p, err));
	for (int i = 0; i < p->digits; i++)
		if (!sheaf_mul_i64(&p->origin, p->origin, 10))
			return refuse(in, p, "times that 64 bits hold", text, err);
	p->is_time = true;
	return SHEAF_OK;
}

/* Whether a stored number means that there is none. */
static bool is_missing(const sheaf_hdf_packing *p, int64_t number)
{
	bool missing = (double)number < p->least || (double)number > p->most;
	for (int k = 0; k < p->nmissing; k++)
		missing |= (double)number == p->missing[k] && number == (int64_t)p->missing[k];
	return missing;
}

/* Puts the times of rows [first, first + n): of whole numbers with all of their 64 bits. */
sheaf_status sheaf_hdf_put_times(const sheaf_hdf_reader *in, const sheaf_hdf_packing *p, int64_t first,
                                 int64_t n, sheaf_column_builder *to, sheaf_error *err)
{
	const double most = 9e18;
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder b = {.cx = in->cx};
	sheaf_box_run run = {p->item, first, first + n};
	if (!sheaf_builder_room(&b, (size_t)n * sizeof most)) return sheaf_builder_status(&b, err);
	double *numbers = (double *)(void *)b.data;
	SHEAF_TRY(is_whole(p) ? sheaf_box_read_into(in->box, run, SHEAF_I64, b.data, err)
	                      : sheaf_hdf_unpack(in, p, first, n, numbers, err));
	for (int64_t i = 0; i < n; i++) {
		int64_t whole = ((const int64_t *)(const void *)b.data)[i], time = 0;
		double floored = is_whole(p) ? 0 : floor(numbers[i]), rest = is_whole(p) ? 0 : numbers[i] - floored;
		bool is_there = is_whole(p) ? !is_missing(p, whole) : !isnan(floored), fits = fabs(floored) < most;
		int32_t unused;
		if (!is_whole(p) && is_there && fits) whole = (int64_t)floored;
		if (!is_there)
			sheaf_level_miss(&to->levels[0], i, 0);
		else if (!fits || !sheaf_mul_i64(&time, whole, p->unit) || !sheaf_add_i64(&time, time, p->origin) ||
		         !sheaf_add_i64(&time, time, llround(rest * (double)p->unit)))
			return refuse(in, p, "times that 64 bits hold", "others", err);
		else if (p->is_mixed &&
		         sheaf_split_time(time, p->digits, &unused) < (int64_t)GREGORIAN * SHEAF_DAY_SECONDS)
			return refuse(in, p, "times of the Gregorian calendar, from 1582-10-15 on", "others", err);
		sheaf_builder_i64(&to->values, time);
	}
	return SHEAF_OK;
}
