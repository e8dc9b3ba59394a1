/* SPDX-License-Identifier: MIT */
/* Statuses, errors and the text of problems. */
#include "base/status.h"
#include "base/spell.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifndef SHEAF_VERSION
#define SHEAF_VERSION "0.0.0"
#endif

const char *sheaf_version(void) { return SHEAF_VERSION; }

const char *sheaf_status_name(sheaf_status status)
{
	static const char *const names[] = {"ok",          "end",  "nomem", "io",    "unknown", "data", "short",
	                                    "unsupported", "loss", "limit", "usage", "stopped", "stale"};
	if ((size_t)status >= sizeof names / sizeof *names) return "status?";
	return names[status];
}

sheaf_status sheaf_forgive(sheaf_status status, const char *reason)
{
	(void)reason; /* for readers of the call */
	bool stays =
		status == SHEAF_END || status == SHEAF_IO || status == SHEAF_NOMEM || status == SHEAF_STOPPED;
	return stays ? status : SHEAF_OK;
}

bool sheaf_put_off(sheaf_status status, const char *until)
{
	(void)until;
	return status != SHEAF_OK;
}

static void fill(sheaf_error *err, sheaf_status status, const char *before, const char *format, va_list args)
{
	int n = snprintf(err->message, sizeof err->message, "%s", before);
	size_t used = n < 0 ? 0 : (size_t)n;
	err->status = status;
	err->sys = 0;
	err->option[0] = err->advice[0] = '\0';
	if (used < sizeof err->message) vsnprintf(err->message + used, sizeof err->message - used, format, args);
	sheaf_spell(err->message, sizeof err->message, err->advice);
}

sheaf_status sheaf_fail(sheaf_error *err, sheaf_status status, const char *format, ...)
{
	if (!err) return status;
	va_list args;
	va_start(args, format);
	fill(err, status, "", format, args);
	va_end(args);
	return status;
}

sheaf_status sheaf_fail_option(sheaf_error *err, sheaf_status status, const char *option, const char *format,
                               ...)
{
	char before[sizeof err->option + 2];
	if (!err) return status;
	snprintf(before, sizeof before, SHEAF_OPTION("%.31s"), option);
	va_list args;
	va_start(args, format);
	fill(err, status, before, format, args);
	va_end(args);
	memcpy(err->option, err->advice, sizeof err->option);
	err->advice[0] = '\0';
	return status;
}

sheaf_status sheaf_fail_sys(sheaf_error *err, int sys, const char *format, ...)
{
	if (!err) return SHEAF_IO;
	va_list args;
	va_start(args, format);
	fill(err, SHEAF_IO, "", format, args);
	va_end(args);
	err->sys = sys;
	sheaf_error_append(err, "; the system says: %s", strerror(sys));
	return SHEAF_IO;
}

/* Appends to text[size] at *used, cut to fit. */
static void put(char *text, size_t size, size_t *used, const char *format, ...) SHEAF_PRINTF(4, 5);
static void put(char *text, size_t size, size_t *used, const char *format, ...)
{
	if (*used >= size) return;
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text + *used, size - *used, format, args);
	va_end(args);
	*used += n < 0 ? 0 : (size_t)n;
}

/* "train.ctf:812:17 (byte 40211)" */
static void put_line(char *text, size_t size, size_t *used, const sheaf_place *place)
{
	put(text, size, used, place->file ? ":%" PRId64 : "line %" PRId64, place->line);
	if (place->column > 0) put(text, size, used, ":%" PRId64, place->column);
	if (place->byte >= 0) put(text, size, used, " (byte %" PRId64 ")", place->byte);
}

static void put_place(char *text, size_t size, size_t *used, const sheaf_place *place)
{
	if (place->file) put(text, size, used, "%s", place->file);
	if (place->line > 0) put_line(text, size, used, place);
	bool deeper = place->chunk >= 0 || place->row >= 0 || place->stream;
	if (place->line <= 0 && place->byte >= 0 && !deeper)
		put(text, size, used, *used ? " (byte %" PRId64 ")" : "byte %" PRId64, place->byte);
	const char *lead = *used ? ": " : "";
	if (place->chunk >= 0) put(text, size, used, "%schunk %" PRId64, lead, place->chunk), lead = ", ";
	if (place->row >= 0)
		put(text, size, used, "%s%s %" PRId64, lead, place->row_word ? place->row_word : "sequence",
		    place->row),
			lead = ", ";
	if (place->stream)
		put(text, size, used, "%s%s \"%s\"", lead, place->stream_word ? place->stream_word : "stream",
		    place->stream),
			lead = ", ";
	if (place->line <= 0 && place->byte >= 0 && deeper)
		put(text, size, used, "%sbyte %" PRId64, lead, place->byte);
}

const char *sheaf_problem_text(const sheaf_problem *problem, char *text, size_t size)
{
	if (text && size) text[0] = '\0';
	if (!text || !problem) return text ? text : "";
	size_t used = 0;
	put_place(text, size, &used, &problem->place);
	if (used) put(text, size, &used, ": ");
	put(text, size, &used, "expected %s, found %s", problem->expected, problem->found);
	if (problem->consequence) put(text, size, &used, "; %s", problem->consequence);
	return text;
}
