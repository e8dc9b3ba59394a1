/* SPDX-License-Identifier: MIT */
/* A text into a box, line by line. */
#include "box_text.h"
#include "frame/value.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 600, MOST_VALUES = 1 << 16 };

typedef struct reading {
	sheaf_box *box;
	const char *at, *end;
	int64_t line;
	char group[PATH_SIZE / 2];
	sheaf_error *err;
} reading;

static sheaf_status expect(const reading *r, const char *expected)
{
	return sheaf_fail(r->err, SHEAF_DATA, "line %" PRId64 ": expected %s", r->line, expected);
}

static const char *end_of_line(const reading *r, const char *at)
{
	const char *feed = at < r->end ? (const char *)memchr(at, '\n', (size_t)(r->end - at)) : NULL;
	return feed ? feed : r->end;
}

/* ---- groups and attributes ---- */

static sheaf_status enter_group(reading *r, const char *from, const char *to)
{
	if ((size_t)(to - from) >= sizeof r->group || memchr(from, '\0', (size_t)(to - from)))
		return expect(r, "a path that is not so long");
	snprintf(r->group, sizeof r->group, "%.*s", (int)(to - from), from);
	return sheaf_box_make_group(r->box, r->group, r->err);
}

/* A text continues in indented lines. */
static sheaf_status put_text(reading *r, const char *name, const char *from)
{
	const char *to = end_of_line(r, from);
	while (to + 1 < r->end && (to[1] == ' ' || to[1] == '\t')) {
		to = end_of_line(r, to + 1);
		r->line++;
	}
	r->at = to;
	return sheaf_box_set_text(r->box, r->group, name, from, (size_t)(to - from), r->err);
}

/* ---- arrays ---- */

static bool type_named(const char *name, sheaf_type *out)
{
	for (int t = 0; t < SHEAF_TYPES; t++) {
		if (strcmp(name, sheaf_type_name((sheaf_type)t)) != 0) continue;
		*out = (sheaf_type)t;
		return true;
	}
	return false;
}

/* One value, with the bytes of the type; larger numbers keep their low bytes. */
static void store(sheaf_type type, const char *word, uint8_t *to)
{
	double wide = strtod(word, NULL);
	float narrow = (float)wide;
	uint64_t whole = *word == '-' ? (uint64_t)strtoll(word, NULL, 10) : strtoull(word, NULL, 10);
	if (type == SHEAF_F32)
		memcpy(to, &narrow, sizeof narrow);
	else if (type == SHEAF_F64)
		memcpy(to, &wide, sizeof wide);
	else
		for (size_t size = sheaf_type_size(type), i = 0; i < size; i++)
			to[i] = (uint8_t)(whole >> 8 * (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i));
}

/* The next word of a line, or false. */
static bool next_word(const char **at, const char *end, char word[40])
{
	while (*at < end && **at == ' ') ++*at;
	const char *from = *at;
	while (*at < end && **at != ' ') ++*at;
	snprintf(word, 40, "%.*s", (int)(*at - from < 39 ? *at - from : 39), from);
	return *at > from;
}

static sheaf_status put_array(reading *r, const char *name, const char *from, const char *to)
{
	static uint8_t values[8 * MOST_VALUES];
	static const sheaf_box_storing plain;
	char word[40], path[PATH_SIZE];
	int64_t n = 0;
	sheaf_type type;
	if (!next_word(&from, to, word) || !type_named(word, &type))
		return expect(r, "the type of the array, uint8 to float64");
	for (; next_word(&from, to, word); n++) {
		if (n == MOST_VALUES) return expect(r, "fewer values");
		store(type, word, values + (size_t)n * sheaf_type_size(type));
	}
	snprintf(path, sizeof path, "%s%s%s", r->group, *r->group ? "/" : "", name);
	return sheaf_box_put(r->box, path, (sheaf_box_values){type, values, n}, &plain, r->err);
}

/* ---- lines ---- */

/* A name, then a mark for what it names. */
static sheaf_status take_named(reading *r, const char *end)
{
	char name[200];
	const char *mark = r->at;
	while (mark < end && *mark != ':' && *mark != ' ' && *mark) mark++;
	size_t n = (size_t)(mark - r->at);
	bool is_array = mark < end && *mark == ':', is_text = end - mark > 2 && memcmp(mark, " = ", 3) == 0;
	if ((!is_array && !is_text) || !n || n >= sizeof name || memchr(r->at, '/', n))
		return expect(r, "\"/group\", \"name: type values\" or \"name = text\"");
	snprintf(name, sizeof name, "%.*s", (int)n, r->at);
	if (is_text) return put_text(r, name, mark + 3);
	r->at = end;
	return put_array(r, name, mark + 1, end);
}

static sheaf_status take_line(reading *r)
{
	const char *from = r->at, *end = end_of_line(r, from);
	if (from == end || *from == '#') {
		r->at = end;
		return SHEAF_OK;
	}
	if (*from != '/') return take_named(r, end);
	r->at = end;
	while (from < end && *from == '/') from++;
	return enter_group(r, from, end);
}

sheaf_status box_of_text(sheaf_box *box, const char *text, size_t size, sheaf_error *err)
{
	reading r = {.box = box, .at = text, .end = text + size, .err = err};
	while (r.at < r.end) {
		r.line++;
		SHEAF_TRY(take_line(&r));
		if (r.at < r.end) r.at++;
	}
	return SHEAF_OK;
}
