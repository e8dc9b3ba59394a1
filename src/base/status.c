/* SPDX-License-Identifier: MIT */
/* Statuses and errors. */
#include "base/status.h"
#include "base/message.h"
#include "base/spell.h"
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

static void begin(sheaf_error *err, sheaf_status status)
{
	sheaf_message_clear(err);
	err->status = status;
	err->sys = 0;
	err->option[0] = err->advice[0] = '\0';
}

static void SHEAF_PRINTF(4, 0)
	fill(sheaf_error *err, sheaf_status status, const char *before, const char *format, va_list args)
{
	va_list copy;
	if (!format) format = "";
	int n = snprintf(err->message, sizeof err->message, "%s", before);
	size_t used = n < 0 ? 0 : (size_t)n;
	begin(err, status);
	va_copy(copy, args);
	if (used < sizeof err->message) vsnprintf(err->message + used, sizeof err->message - used, format, copy);
	va_end(copy);
	sheaf_message_find(err, used, format, args);
}

sheaf_status sheaf_misuse(sheaf_error *err, const char *function, const char *format, ...)
{
	char before[100];
	if (!err) return SHEAF_USAGE;
	snprintf(before, sizeof before, "%s: ", function);
	va_list args;
	va_start(args, format);
	fill(err, SHEAF_USAGE, before, format, args);
	va_end(args);
	sheaf_message_spell(err);
	return SHEAF_USAGE;
}

sheaf_status sheaf_fail_list(sheaf_error *err, sheaf_status status, const char *format, va_list args)
{
	if (!err) return status;
	fill(err, status, "", format, args);
	sheaf_message_spell(err);
	return status;
}

sheaf_status sheaf_fail(sheaf_error *err, sheaf_status status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	status = sheaf_fail_list(err, status, format, args);
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
	err->place = (sheaf_span){0, (uint16_t)strlen(before)};
	sheaf_message_spell(err);
	memcpy(err->option, err->advice, sizeof err->option);
	err->advice[0] = '\0';
	return status;
}

void sheaf_error_append(sheaf_error *err, const char *format, ...)
{
	if (!err) return;
	size_t used = strlen(err->message);
	va_list args;
	va_start(args, format);
	vsnprintf(err->message + used, sizeof err->message - used, format, args);
	va_end(args);
	sheaf_message_spell(err);
}

void sheaf_error_append_near(sheaf_error *err, const char *near)
{
	if (near) sheaf_error_append(err, "; did you mean %s?", near);
}

sheaf_status sheaf_fail_sys(sheaf_error *err, int sys, const char *format, ...)
{
	if (!err) return SHEAF_IO;
	va_list args;
	va_start(args, format);
	fill(err, SHEAF_IO, "", format, args);
	va_end(args);
	err->sys = sys;
	sheaf_error_append(err, "; the system says: ");
	size_t used = strlen(err->message);
	sheaf_error_append(err, "%s", strerror(sys));
	err->found = (sheaf_span){(uint16_t)used, (uint16_t)(strlen(err->message) - used)};
	return SHEAF_IO;
}

sheaf_status sheaf_fail_problem(sheaf_error *err, const sheaf_problem *problem)
{
	if (!err) return problem->status;
	begin(err, problem->status);
	sheaf_message_put(err, problem);
	sheaf_message_spell(err);
	return problem->status;
}

sheaf_status sheaf_fail_again(sheaf_error *err, const sheaf_error *from)
{
	if (err && err != from) *err = *from;
	return from->status;
}

sheaf_status sheaf_fail_within(sheaf_error *err, const sheaf_error *from, const char *format, ...)
{
	char whole[200];
	sheaf_error outer;
	if (!err) return from->status;
	/* The format's own parts are found as if the message followed it. */
	snprintf(whole, sizeof whole, "%s: expected ", format);
	va_list args;
	va_start(args, format);
	fill(&outer, from->status, "", whole, args);
	va_end(args);
	sheaf_message_spell(&outer);
	size_t used = strlen(outer.message) - strlen("expected ");
	sheaf_message_join(&outer, used, from);
	*err = outer;
	return from->status;
}
