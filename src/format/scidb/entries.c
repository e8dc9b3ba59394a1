/* SPDX-License-Identifier: MIT */
/* Parsing and printing of format strings: "(" entry { "," entry } ")", an entry being a type or skip,
 * followed by a size in brackets if only this entry's size is fixed, and null. */
#include "format/scidb/entries.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/scidb/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the list ---- */

static int64_t least_bytes(const sheaf_scidb_entry *entry)
{
	return (entry->nullable ? 1 : 0) + (entry->size ? entry->size : SCIDB_COUNT);
}

sheaf_status sheaf_scidb_entries_add(sheaf_scidb_entries *entries, sheaf_context *cx, sheaf_scidb_entry entry,
                                     sheaf_error *err)
{
	if (entries->count == entries->room) {
		int room = entries->room ? 2 * entries->room : 8;
		entries->cx = cx;
		SHEAF_TRY(sheaf_reallocate(cx, &entries->list, (size_t)entries->room * sizeof entry,
		                           (size_t)room * sizeof entry, err));
		entries->room = room;
	}
	bool first = entries->count == 0, fixed = entry.size > 0 && (first || entries->cell_bytes > 0);
	int64_t bytes = least_bytes(&entry);
	if (!sheaf_add_i64(&entries->least, entries->least, bytes))
		return sheaf_fail(err, SHEAF_LIMIT, "format string: expected cells below 2^63 bytes, found more");
	entry.attribute = entry.type ? entries->attributes++ : -1;
	entries->cell_bytes = fixed ? entries->least : 0;
	entries->list[entries->count++] = entry;
	return SHEAF_OK;
}

void sheaf_scidb_entries_free(sheaf_scidb_entries *entries)
{
	if (entries->list)
		sheaf_release(entries->cx, entries->list, (size_t)entries->room * sizeof *entries->list);
	*entries = (sheaf_scidb_entries){0};
}

/* ---- reading ---- */

/* Older servers' word for skip is no type, but may occur in a script. */
static bool was_skip(sheaf_scidb_word word)
{
	return sheaf_scidb_word_is(word, "dummy") || sheaf_scidb_word_is(word, "void");
}

static sheaf_status read_type(sheaf_scidb_text *text, sheaf_scidb_types *types, sheaf_scidb_entry *entry,
                              sheaf_error *err)
{
	char wanted[SCIDB_EXPECTED];
	sheaf_scidb_word word = sheaf_scidb_text_word(text, false);
	if (word.size == 0) return sheaf_scidb_text_expected(text, word.at, "a type or skip", NULL, err);
	if (sheaf_scidb_word_is(word, "skip")) return SHEAF_OK;
	SHEAF_TRY(sheaf_scidb_types_find(types, word.at, word.size, &entry->type, err));
	if (entry->type) return SHEAF_OK;
	if (was_skip(word))
		return sheaf_scidb_text_expected(text, word.at, "a type or skip, as it is called since version 15",
		                                 NULL, err);
	return sheaf_scidb_text_expected(
		text, word.at, sheaf_scidb_types_expected(types, word.at, word.size, wanted), NULL, err);
}

/* Takes the digits; 0 if they are no valid size. */
static int64_t read_digits(sheaf_scidb_text *text)
{
	int64_t n = 0;
	sheaf_scidb_text_pass(text);
	for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++)
		if (n <= INT32_MAX) n = 10 * n + (*text->at - '0');
	return n <= INT32_MAX ? n : 0;
}

/* "(k)" after a type whose values have any length. */
static sheaf_status read_size(sheaf_scidb_text *text, sheaf_scidb_entry *entry, sheaf_error *err)
{
	char expected[96];
	if (entry->type) entry->size = entry->type->size;
	if (!sheaf_scidb_text_is_at(text, '(')) return SHEAF_OK;
	if (entry->size) {
		snprintf(expected, sizeof expected, "no size after %.32s, which always has %" PRId64 " bytes",
		         entry->type->name, entry->size);
		return sheaf_scidb_text_expected(text, text->at, expected, NULL, err);
	}
	text->at++;
	sheaf_scidb_text_pass(text);
	const char *digits = text->at;
	entry->size = read_digits(text);
	if (entry->size == 0)
		return sheaf_scidb_text_expected(text, digits, "a size from 1 to 2147483647", NULL, err);
	if (!sheaf_scidb_text_take(text, ')'))
		return sheaf_scidb_text_expected(text, text->at, "\")\" after the size", NULL, err);
	return SHEAF_OK;
}

static sheaf_status read_entry(sheaf_scidb_text *text, sheaf_scidb_types *types, sheaf_scidb_entry *entry,
                               sheaf_error *err)
{
	*entry = (sheaf_scidb_entry){0};
	SHEAF_TRY(read_type(text, types, entry, err));
	SHEAF_TRY(read_size(text, entry, err));
	sheaf_scidb_word word = sheaf_scidb_text_look(text);
	if (sheaf_scidb_word_is(word, "not"))
		return sheaf_scidb_text_expected(
			text, word.at, "\",\", \")\" or null (in a format string what does not say null is not nullable)",
			NULL, err);
	entry->nullable = sheaf_scidb_text_keyword(text, "null");
	return SHEAF_OK;
}

static sheaf_status refuse_other(sheaf_scidb_text *text, sheaf_error *err)
{
	sheaf_scidb_word word = sheaf_scidb_text_look(text);
	if (sheaf_scidb_word_is(word, "opaque"))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a format string in brackets, found opaque, the server's own backup "
		                  "format, which is not read",
		                  text->option);
	return sheaf_scidb_text_expected(text, word.at, "\"(\" at the start of a format string", NULL, err);
}

static sheaf_status read_entries(sheaf_scidb_entries *entries, sheaf_scidb_text *text,
                                 sheaf_scidb_types *types, sheaf_context *cx, sheaf_error *err)
{
	sheaf_scidb_entry entry;
	if (!sheaf_scidb_text_take(text, '(')) return refuse_other(text, err);
	do {
		SHEAF_TRY(read_entry(text, types, &entry, err));
		SHEAF_TRY(sheaf_scidb_entries_add(entries, cx, entry, err));
	} while (sheaf_scidb_text_take(text, ','));
	if (!sheaf_scidb_text_take(text, ')'))
		return sheaf_scidb_text_expected(
			text, text->at, entry.nullable ? "\",\" or \")\"" : "\",\", \")\" or null", NULL, err);
	sheaf_scidb_text_pass(text);
	if (text->at < text->end)
		return sheaf_scidb_text_expected(text, text->at, "nothing after \")\"", NULL, err);
	if (entries->attributes == 0)
		return sheaf_scidb_text_expected(text, text->begin, "an entry that is not skipped", "none", err);
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_entries_read(sheaf_scidb_entries *entries, const char *option, const char *words,
                                      sheaf_scidb_types *types, sheaf_context *cx, sheaf_error *err)
{
	sheaf_scidb_text text = sheaf_scidb_text_over(option, words, false);
	sheaf_status status = read_entries(entries, &text, types, cx, err);
	if (status) sheaf_scidb_entries_free(entries);
	return status;
}

/* ---- writing ---- */

void sheaf_scidb_entry_text(const sheaf_scidb_entry *entry, sheaf_builder *b)
{
	sheaf_builder_text(b, entry->type ? entry->type->name : "skip");
	if (entry->size && !(entry->type && entry->type->size))
		sheaf_builder_printf(b, "(%" PRId64 ")", entry->size);
}

void sheaf_scidb_entries_text(const sheaf_scidb_entries *entries, sheaf_builder *b)
{
	for (int i = 0; i < entries->count; i++) {
		sheaf_builder_text(b, i ? ", " : "(");
		sheaf_scidb_entry_text(&entries->list[i], b);
		if (entries->list[i].nullable) sheaf_builder_text(b, " null");
	}
	sheaf_builder_byte(b, ')');
}
