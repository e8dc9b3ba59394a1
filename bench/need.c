/* SPDX-License-Identifier: MIT */
/* Ends the bench if something that it needs is missing. */
#include "bench.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("bench: error: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(1);
}

void *need(size_t bytes)
{
	void *memory = calloc(1, bytes ? bytes : 1);
	if (!memory) die("expected %zu bytes of memory, found none", bytes);
	return memory;
}
