/* SPDX-License-Identifier: MIT */
/* The parts of a message are found while it is made: a format says where they are, and the length of what a
 * part of the format makes says where that is in the message. */
#include "base/message.h"
#include "base/spell.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPANS = 5, MOST_FORMAT = 1000 };

static void spans_of(sheaf_error *err, sheaf_span *spans[SPANS])
{
	spans[0] = &err->place;
	spans[1] = &err->file;
	spans[2] = &err->stream;
	spans[3] = &err->expected;
	spans[4] = &err->found;
}

void sheaf_message_clear(sheaf_error *err)
{
	sheaf_span *spans[SPANS];
	spans_of(err, spans);
	for (int s = 0; s < SPANS; s++) *spans[s] = (sheaf_span){0, 0};
	err->line = err->column = err->byte = err->chunk = err->row = -1;
}

/* From one byte to another; a message that was cut to fit may end before them. */
static sheaf_span between(const sheaf_error *err, size_t at, size_t end)
{
	size_t size = strlen(err->message);
	if (end > size) end = size;
	return at < end ? (sheaf_span){(uint16_t)at, (uint16_t)(end - at)} : (sheaf_span){0, 0};
}

/* ---- by a format ---- */

typedef struct search {
	sheaf_error *err;
	const char *format;
	size_t begin; /* of what the format has made */
	va_list *args;
} search;

/* The offset in the message of the text produced up to `end`. */
static size_t place_of(const search *s, const char *end)
{
	char cut[MOST_FORMAT];
	va_list args;
	size_t n = (size_t)(end - s->format);
	if (n >= sizeof cut) return sizeof s->err->message;
	memcpy(cut, s->format, n);
	cut[n] = '\0';
	va_copy(args, *s->args);
	int made = vsnprintf(NULL, 0, cut, args);
	va_end(args);
	return made < 0 ? sizeof s->err->message : s->begin + (size_t)made;
}

static sheaf_span span_of(const search *s, const char *from, const char *end)
{
	return between(s->err, place_of(s, from), place_of(s, end));
}

static bool follows(const search *s, const char *at, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(at - s->format) >= n && memcmp(at - n, word, n) == 0;
}

static bool follows_row(const search *s, const char *at)
{
	static const char *const words[] = {"row ", "sequence ", "cell ", "entry ", "example "};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (follows(s, at, words[i])) return true;
	return false;
}

/* What a conversion of the place is, by the words before it. */
static int64_t *number_at(const search *s, const char *at)
{
	sheaf_error *err = s->err;
	if (follows(s, at, "byte ")) return &err->byte;
	if (follows(s, at, "chunk ")) return &err->chunk;
	if (follows_row(s, at)) return &err->row;
	if (follows(s, at, ":")) return err->line < 0 ? &err->line : &err->column;
	return NULL;
}

/* The end of a conversion: after its letter. */
static const char *end_of(const char *conversion)
{
	const char *at = conversion + 1;
	at += strspn(at, "0123456789.*-+ #hlzjtq");
	return *at ? at + 1 : at;
}

static void find_place(const search *s, const char *end)
{
	sheaf_error *err = s->err;
	const char *at = s->format;
	if (strncmp(at, "%s", 2) == 0 && strchr(":/ ,(", at[2])) {
		at += strcspn(at, ":, (");
		err->file = span_of(s, s->format, at);
	}
	for (; (at = strchr(at, '%')) && at < end; at = end_of(at)) {
		bool is_text = end_of(at)[-1] == 's';
		int64_t *number = is_text ? NULL : number_at(s, at);
		bool is_stream = is_text && follows(s, at, "\"");
		if (!number && !is_stream) continue;
		sheaf_span span = span_of(s, at, end_of(at));
		if (is_stream) err->stream = span;
		if (number && span.size) *number = strtoll(err->message + span.at, NULL, 10); /* it may be cut off */
	}
}

/* The parts of a plain sentence: "%s:%d: ... " begins with a place, "cannot open %s" names a file. */
static void find_in_sentence(const search *s)
{
	const char *colon = strstr(s->format, ": "), *name = strchr(s->format, '%');
	if (strncmp(s->format, "cannot ", 7) == 0 && name && name[1] == 's') {
		s->err->file = span_of(s, name, name + strcspn(name, " ,;:"));
	} else if (s->begin == 0 && colon) {
		s->err->place = span_of(s, s->format, colon);
		find_place(s, colon);
	}
}

void sheaf_message_find(sheaf_error *err, size_t begin, const char *format, va_list args)
{
	va_list copy;
	va_copy(copy, args);
	const search s = {err, format, begin, &copy};
	const char *expected = strstr(format, "expected ");
	if (!expected) {
		find_in_sentence(&s);
		va_end(copy);
		return;
	}
	const char *what = expected + strlen("expected "), *found = strstr(what, ", found ");
	if (!found) found = strstr(what, "; found ");
	if (found) {
		const char *first = found + strlen(", found ");
		err->found = span_of(&s, first, first + strcspn(first, ";"));
	}
	err->expected = span_of(&s, what, found ? found : what + strcspn(what, ";"));
	if (begin == 0 && expected >= format + 2) {
		err->place = span_of(&s, format, expected - 2);
		find_place(&s, expected - 2);
	}
	va_end(copy);
}

/* ---- shown ---- */

/* How many bytes the first n of a text have when they are shown. */
static size_t shown_size(const char *text, size_t n)
{
	char shown[SHEAF_SHOWN];
	size_t size = 0;
	for (size_t i = 0, all = strlen(text); i < n && i < all; size += strlen(shown))
		i += sheaf_show_character(text + i, all - i, shown);
	return size;
}

/* Writes a text as it is shown, cut to fit; false if that is how it is. */
static bool show_all(const char *text, char *to, size_t size)
{
	char shown[SHEAF_SHOWN];
	size_t used = 0;
	bool differs = false;
	for (size_t i = 0, n = strlen(text), length; i < n; used += strlen(shown)) {
		i += length = sheaf_show_character(text + i, n - i, shown);
		differs |= length != strlen(shown);
		if (strlen(shown) >= size - used) break;
		memcpy(to + used, shown, strlen(shown));
	}
	if (size > 0) to[used] = '\0';
	return differs;
}

/* ---- of a problem ---- */

typedef struct text {
	char *text;
	size_t size, used;
} text;

/* Appends, cut to fit, and returns where that begins. */
static size_t put(text *t, const char *format, ...) SHEAF_PRINTF(2, 3);
static size_t put(text *t, const char *format, ...)
{
	size_t at = t->used;
	if (at >= t->size) return at;
	va_list args;
	va_start(args, format);
	int n = vsnprintf(t->text + at, t->size - at, format, args);
	va_end(args);
	t->used += n < 0 ? 0 : (size_t)n;
	return at;
}

/* "train.ctf:812:17 (byte 40211)" */
static void put_line(text *t, const sheaf_place *place)
{
	put(t, place->file ? ":%" PRId64 : "line %" PRId64, place->line);
	if (place->column > 0) put(t, ":%" PRId64, place->column);
	if (place->byte >= 0) put(t, " (byte %" PRId64 ")", place->byte);
}

/* Returns where the name of the stream begins. */
static size_t put_place(text *t, const sheaf_place *place)
{
	size_t stream = 0;
	if (place->file) put(t, "%s", place->file);
	if (place->line > 0) put_line(t, place);
	bool deeper = place->chunk >= 0 || place->row >= 0 || place->stream;
	if (place->line <= 0 && place->byte >= 0 && !deeper)
		put(t, t->used ? " (byte %" PRId64 ")" : "byte %" PRId64, place->byte);
	const char *lead = t->used ? ": " : "";
	if (place->chunk >= 0) put(t, "%schunk %" PRId64, lead, place->chunk), lead = ", ";
	if (place->row >= 0)
		put(t, "%s%s %" PRId64, lead, place->row_word ? place->row_word : "sequence", place->row),
			lead = ", ";
	if (place->stream) {
		put(t, "%s%s \"", lead, place->stream_word ? place->stream_word : "stream"), lead = ", ";
		stream = put(t, "%s", place->stream);
		put(t, "\"");
	}
	if (place->line <= 0 && place->byte >= 0 && deeper) put(t, "%sbyte %" PRId64, lead, place->byte);
	return stream;
}

const char *sheaf_place_text(const sheaf_place *place, char *to, size_t size)
{
	if (to && size) to[0] = '\0';
	char made[sizeof((sheaf_error *)0)->message] = "";
	if (!to || !place) return to ? to : "";
	put_place(&(text){made, sizeof made, 0}, place);
	show_all(made, to, size);
	return to;
}

/* Where in the text the parts begin, and the end of the place. */
typedef struct marks {
	size_t place_end, stream, expected, found;
} marks;

static marks put_problem(text *t, const sheaf_problem *problem)
{
	marks m = {.stream = put_place(t, &problem->place)};
	m.place_end = t->used;
	put(t, "%sexpected ", t->used ? ": " : "");
	m.expected = put(t, "%s", problem->expected);
	put(t, ", found ");
	m.found = put(t, "%s", problem->found);
	if (problem->consequence) put(t, "; %s", problem->consequence);
	return m;
}

const char *sheaf_problem_text(const sheaf_problem *problem, char *to, size_t size)
{
	if (to && size) to[0] = '\0';
	char made[2 * sizeof((sheaf_error *)0)->message] = "";
	if (!to || !problem) return to ? to : "";
	put_problem(&(text){made, sizeof made, 0}, problem);
	show_all(made, to, size);
	return to;
}

static int64_t known(int64_t number, int64_t least) { return number < least ? -1 : number; }

static sheaf_span span_at(const sheaf_error *err, size_t at, const char *part)
{
	return part ? between(err, at, at + strlen(part)) : (sheaf_span){0, 0};
}

void sheaf_message_put(sheaf_error *err, const sheaf_problem *problem)
{
	const sheaf_place *place = &problem->place;
	marks m = put_problem(&(text){err->message, sizeof err->message, 0}, problem);
	err->line = known(place->line, 1);
	err->column = known(place->column, 1);
	err->byte = known(place->byte, 0);
	err->chunk = known(place->chunk, 0);
	err->row = known(place->row, 0);
	err->place = between(err, 0, m.place_end);
	err->file = span_at(err, 0, place->file);
	err->stream = span_at(err, m.stream, place->stream);
	err->expected = span_at(err, m.expected, problem->expected);
	err->found = span_at(err, m.found, problem->found);
}

/* ---- of another failure ---- */

static sheaf_span moved(const sheaf_error *err, sheaf_span span, size_t by)
{
	return between(err, by + span.at, by + span.at + span.size);
}

static int64_t either(int64_t inner, int64_t outer) { return inner < 0 ? outer : inner; }

void sheaf_message_join(sheaf_error *err, size_t at, const sheaf_error *inner)
{
	snprintf(err->message + at, sizeof err->message - at, "%s", inner->message);
	memcpy(err->option, inner->option, sizeof err->option);
	memcpy(err->advice, inner->advice, sizeof err->advice);
	err->sys = inner->sys;
	err->line = either(inner->line, err->line);
	err->column = either(inner->column, err->column);
	err->byte = either(inner->byte, err->byte);
	err->chunk = either(inner->chunk, err->chunk);
	err->row = either(inner->row, err->row);
	err->expected = moved(err, inner->expected, at);
	err->found = moved(err, inner->found, at);
	if (inner->stream.size) err->stream = moved(err, inner->stream, at);
	if (inner->place.size) err->place = between(err, 0, at + inner->place.at + inner->place.size);
}

/* ---- options ---- */

/* A message was made of the text `before`, of whose first n bytes it has `size`(before, n). */
static void move_spans(sheaf_error *err, const char *before, size_t (*size)(const char *text, size_t n))
{
	sheaf_span *spans[SPANS];
	spans_of(err, spans);
	for (int s = 0; s < SPANS; s++) {
		size_t at = spans[s]->at, end = at + spans[s]->size;
		*spans[s] = between(err, size(before, at), size(before, end));
	}
}

void sheaf_message_spell(sheaf_error *err)
{
	char before[sizeof err->message];
	if (sheaf_is_to_spell(err->message)) {
		memcpy(before, err->message, sizeof before);
		sheaf_spell(err->message, sizeof err->message, err->advice);
		move_spans(err, before, sheaf_spelled_size);
	}
	memcpy(before, err->message, sizeof before);
	if (show_all(before, err->message, sizeof err->message)) move_spans(err, before, shown_size);
}

void sheaf_message_rename(sheaf_error *err, const char *option)
{
	char named[sizeof err->message];
	size_t before = err->place.size;
	int name = snprintf(named, sizeof named, SHEAF_OPTION("%.31s"), option);
	snprintf(named + name, sizeof named - (size_t)name, "%.*s", (int)sizeof named - name - 1,
	         err->message + before);
	size_t size = sheaf_spelled_size(named, (size_t)name), by = size - before; /* by less than 0 it wraps */
	err->option[0] = '\0';
	sheaf_spell(named, sizeof named, err->option);
	memcpy(err->message, named, sizeof named);
	err->place = between(err, 0, size);
	err->expected = moved(err, err->expected, by);
	err->found = moved(err, err->found, by);
}
