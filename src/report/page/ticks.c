/* SPDX-License-Identifier: MIT */
/* Round numbers for an axis: 1, 2 or 5 times a power of ten; of times, numbers of seconds, minutes, hours or
 * days, or the beginnings of months and years. */
#include "report/page/ticks.h"
#include "frame/frame.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

static const double round_parts[] = {1, 2, 5, 10};

/* The least round step of which at most `wanted` cover a span. */
static double round_step(double span, int wanted)
{
	double rough = span / wanted, power = pow(10, floor(log10(rough)));
	int i = 0;
	while (i < 3 && round_parts[i] * power < rough) i++;
	return round_parts[i] * power;
}

static void put_number(sheaf_tick *to, double v)
{
	static const char *const powers[] = {"", " k", " M", " G", " T", " P"};
	int i = 0;
	if (fabs(v) >= 1e4)
		for (; i < 5 && fabs(v) >= 1e3; i++) v /= 1e3;
	snprintf(to->text, sizeof to->text, "%.6g%s", v == 0 ? 0 : v, powers[i]);
}

/* Multiples of a step in the range. */
static int put_multiples(double least, double most, double step, sheaf_tick *ticks)
{
	int n = 0;
	for (double k = ceil(least / step - 1e-9); k * step <= most + step * 1e-9 && n < SHEAF_MOST_TICKS;
	     k++, n++) {
		ticks[n].at = k * step;
		put_number(&ticks[n], k * step);
	}
	return n;
}

static int put_powers(double least, double most, sheaf_tick *ticks)
{
	double sign = most <= 0 ? -1 : 1, from = fmax(sign > 0 ? least : -most, 1e-300),
		   to = sign > 0 ? most : -least;
	int n = 0, parts = to / from >= 1e3 ? 1 : 3, decades = (int)(log10(to / from) / 8) + 1;
	for (int k = (int)floor(log10(from)); k <= 308 && n < SHEAF_MOST_TICKS; k += decades)
		for (int i = 0; i < parts && n < SHEAF_MOST_TICKS; i++) {
			double v = round_parts[i] * pow(10, k);
			if (v > to * (1 + 1e-9)) return n;
			if (v < from * (1 - 1e-9)) continue;
			ticks[n].at = sign * v;
			snprintf(ticks[n++].text, SHEAF_TICK_TEXT, fabs(v) >= 1e6 || v < 1e-4 ? "%.0e" : "%.6g",
			         sign * v);
		}
	return n;
}

/* The beginnings of every few months. */
static int put_months(const sheaf_field *field, double least, double most, int months, sheaf_tick *ticks)
{
	double unit = sheaf_seconds_of(field);
	time_t begin = (time_t)floor(least * unit);
	struct tm at;
	int n = 0;
	if (!gmtime_r(&begin, &at)) return 0;
	int month = ((at.tm_year + 1900) * 12 + at.tm_mon) / months * months;
	for (; n < SHEAF_MOST_TICKS; month += months) {
		struct tm first = {.tm_year = month / 12 - 1900, .tm_mon = month % 12, .tm_mday = 1};
		double v = (double)timegm(&first) / unit;
		if (v > most) break;
		if (v < least) continue;
		ticks[n].at = v;
		snprintf(ticks[n++].text, SHEAF_TICK_TEXT, months % 12 ? "%d-%02d" : "%d", month / 12,
		         month % 12 + 1);
	}
	return n;
}

/* Durations and times of a day have no months, and neither have ranges of a few weeks. */
static int put_times(const sheaf_field *field, double least, double most, int wanted, sheaf_tick *ticks)
{
	static const int steps[] = {1,    2,    5,    10,    15,    30,    60,    120,    300,    600,   900,
	                            1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000};
	enum { DAY = 86400, DATE = 10, MINUTES = 16, MONTH = 30, YEAR = 365 };
	bool calendar = field->meaning == SHEAF_DATE || field->meaning == SHEAF_DATETIME;
	double unit = sheaf_seconds_of(field), span = (most - least) * unit, step = round_step(span, wanted);
	int n, size = (int)(sizeof steps / sizeof *steps), i = 0;
	while (i < size && span > (double)steps[i] * wanted) i++;
	if (calendar && i == size) {
		double months = span / DAY / MONTH / wanted;
		return put_months(field, least, most,
		                  months <= 1   ? 1
		                  : months <= 3 ? 3
		                  : months <= 6 ? 6
		                                : 12 * (int)round_step(fmax(months / 12, 1), 1),
		                  ticks);
	}
	if (step >= 1) step = i < size ? steps[i] : ceil(step / DAY) * DAY;
	n = put_multiples(least, most, step / unit, ticks);
	for (int k = 0; k < n; k++) {
		char text[80];
		sheaf_value_words(field, ticks[k].at, text, sizeof text);
		snprintf(ticks[k].text, SHEAF_TICK_TEXT, "%.*s",
		         !calendar     ? SHEAF_TICK_TEXT - 1
		         : step >= DAY ? DATE
		         : step >= 60  ? MINUTES
		                       : SHEAF_TICK_TEXT - 1,
		         text);
	}
	return n;
}

int sheaf_ticks(const sheaf_field *field, double least, double most, bool logarithmic, int wanted,
                sheaf_tick ticks[SHEAF_MOST_TICKS])
{
	if (!(least < most) || !isfinite(most - least)) return 0;
	if (logarithmic) return put_powers(least, most, ticks);
	if (field && sheaf_means_time(field->meaning)) return put_times(field, least, most, wanted, ticks);
	int n = put_multiples(least, most, round_step(most - least, wanted), ticks);
	return n < 3 ? put_multiples(least, most, round_step(most - least, 2 * wanted), ticks) : n;
}
