/* SPDX-License-Identifier: MIT */
/* One way to spell options for all messages of the process. */
#include "base/spell.h"
#include <stdio.h>
#include <string.h>

enum { OPENING = '\x01', CLOSING = '\x02', MOST = sizeof((sheaf_error *)0)->message };

static struct {
	char prefix[8], suffix[8], dash;
} spelling = {.dash = '-'};

void sheaf_spell_options(const char *prefix, const char *suffix, char dash)
{
	snprintf(spelling.prefix, sizeof spelling.prefix, "%s", prefix ? prefix : "");
	snprintf(spelling.suffix, sizeof spelling.suffix, "%s", suffix ? suffix : "");
	spelling.dash = '-';
	if (dash) spelling.dash = dash;
}

bool sheaf_is_to_spell(const char *text) { return text && strchr(text, OPENING); }

/* Appends n bytes to *used of to[size], cut to fit. */
static void put(char *to, size_t size, size_t *used, const char *text, size_t n)
{
	if (n > size - *used - 1) n = size - *used - 1;
	memcpy(to + *used, text, n);
	*used += n;
}

static void put_name(char *to, size_t size, size_t *used, const char *name, size_t n, char next)
{
	put(to, size, used, spelling.prefix, strlen(spelling.prefix));
	size_t at = *used;
	put(to, size, used, name, n);
	for (; at < *used; at++)
		if (to[at] == '-') to[at] = spelling.dash;
	if (next != ':') put(to, size, used, spelling.suffix, strlen(spelling.suffix));
}

/* Spells the first n bytes of a text into to[size], and returns the length. */
static size_t spell(const char *text, size_t n, char *to, size_t size, char advice[32])
{
	size_t used = 0;
	const char *at = text, *mark, *until = text + n;
	while ((mark = memchr(at, OPENING, (size_t)(until - at)))) {
		const char *name = mark + 1, *end = memchr(name, CLOSING, (size_t)(until - name));
		put(to, size, &used, at, (size_t)(mark - at));
		at = name;
		if (!end) continue; /* it is part of the input's name or content */
		if (advice && !advice[0]) snprintf(advice, 32, "%.*s", (int)(end - name), name);
		put_name(to, size, &used, name, (size_t)(end - name), end[1]);
		at = end + 1;
	}
	put(to, size, &used, at, (size_t)(until - at));
	to[used] = '\0';
	return used;
}

void sheaf_spell(char *text, size_t size, char advice[32])
{
	char to[MOST];
	if (!sheaf_is_to_spell(text)) return;
	if (size > sizeof to) size = sizeof to;
	size_t n = spell(text, strlen(text), to, size, advice);
	memcpy(text, to, n + 1);
}

size_t sheaf_spelled_size(const char *text, size_t n)
{
	char to[MOST];
	return spell(text, n, to, sizeof to, NULL);
}
