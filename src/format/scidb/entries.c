/* SPDX-License-Identifier: MIT */
/* Parsing and printing of format strings: "(" entry { "," entry } ")", an entry being a type or skip,
 * followed by a size in brackets if only this entry's size is fixed, and null. */
#include "format/scidb/entries.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/scidb/text.h"
#include "number/number.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the list ---- */

/* The least size of a cell is the sum of null bytes, sizes and counts; it is the size of each cell as long as
 * no entry has a count. */
sheaf_status sheaf_scidb_entries_add(sheaf_scidb_entries *entries, sheaf_scidb_entry entry, sheaf_error *err)
{
	bool fixed = entry.size > 0 && (entries->count == 0 || entries->cell_bytes > 0);
	SHEAF_TRY(sheaf_scidb_make_room(entries->cx, &entries->list, entries->count, &entries->room, sizeof entry,
	                                err));
	if (!sheaf_add_i64(&entries->least, entries->least,
	                   (entry.nullable ? 1 : 0) + (entry.size ? entry.size : SCIDB_COUNT)))
		return sheaf_fail(err, SHEAF_LIMIT, "format string: expected cells below 2^63 bytes, found more");
	entry.attribute = entry.type ? entries->attributes++ : -1;
	entries->cell_bytes = fixed ? entries->least : 0;
	entries->list[entries->count++] = entry;
	return SHEAF_OK;
}

void sheaf_scidb_entries_free(sheaf_scidb_entries *entries)
{
	sheaf_release(entries->cx, entries->list, (size_t)entries->room * sizeof *entries->list);
	*entries = (sheaf_scidb_entries){0};
}

/* ---- reading ---- */

/* A type or skip, and "(k)" after one whose values have any length. Older servers' words for skip are no
 * types, but may occur in a script: the message names skip. */
static sheaf_status read_type(sheaf_scidb_text *text, sheaf_scidb_types *types, sheaf_scidb_entry *entry)
{
	char expected[96], wanted[SCIDB_EXPECTED];
	uint64_t size;
	sheaf_name word = sheaf_scidb_text_word(text, false);
	bool skip = sheaf_scidb_word_is(word, "skip"),
		 was_skip = sheaf_scidb_word_is(word, "dummy") || sheaf_scidb_word_is(word, "void");
	if (word.size == 0) return sheaf_scidb_text_expected(text, word.text, "a type or skip");
	if (!skip) SHEAF_TRY(sheaf_scidb_types_find(types, word, &entry->type, text->err));
	if (!skip && !entry->type)
		return sheaf_scidb_text_expected(text, word.text,
		                                 was_skip ? "a type or skip, as it is called since version 15"
		                                          : sheaf_scidb_types_expected(types, word, wanted));
	if (!skip) entry->size = entry->type->size;
	if (!sheaf_scidb_text_is_at(text, '(')) return SHEAF_OK;
	if (entry->size) {
		snprintf(expected, sizeof expected, "no size after %.32s, which always has %" PRId64 " bytes",
		         entry->type->name, entry->size);
		return sheaf_scidb_text_expected(text, text->at, expected);
	}
	text->at++;
	sheaf_scidb_text_pass(text);
	const char *digits = text->at;
	text->at = sheaf_scan_u64(digits, text->end, &size).end;
	if (size == 0 || size > INT32_MAX)
		return sheaf_scidb_text_expected(text, digits, "a size from 1 to 2147483647");
	entry->size = (int64_t)size;
	return sheaf_scidb_text_need(text, ')', "\")\" after the size");
}

/* The whole text, from bracket to bracket. The word for the server's backup format has a message of its own.
 */
static sheaf_status read_entries(sheaf_scidb_entries *entries, sheaf_scidb_text *text,
                                 sheaf_scidb_types *types)
{
	sheaf_scidb_entry entry;
	if (sheaf_scidb_word_is(sheaf_scidb_text_look(text), "opaque"))
		return sheaf_fail_option(text->err, SHEAF_UNSUPPORTED, text->option,
		                         ": expected a format string in brackets, found %s, the server's own backup "
		                         "format, which is not read",
		                         "opaque");
	SHEAF_TRY(sheaf_scidb_text_need(text, '(', "\"(\" at the start of a format string"));
	do {
		entry = (sheaf_scidb_entry){0};
		SHEAF_TRY(read_type(text, types, &entry));
		sheaf_name word = sheaf_scidb_text_look(text);
		if (sheaf_scidb_word_is(word, "not"))
			return sheaf_scidb_text_expected(
				text, word.text,
				"\",\", \")\" or null (in a format string what does not say null "
				"is not nullable)");
		entry.nullable = sheaf_scidb_text_keyword(text, "null");
		SHEAF_TRY(sheaf_scidb_entries_add(entries, entry, text->err));
	} while (sheaf_scidb_text_take(text, ','));
	SHEAF_TRY(sheaf_scidb_text_need(text, ')', entry.nullable ? "\",\" or \")\"" : "\",\", \")\" or null"));
	sheaf_scidb_text_pass(text);
	if (text->at < text->end) return sheaf_scidb_text_expected(text, text->at, "nothing after \")\"");
	if (entries->attributes) return SHEAF_OK;
	return sheaf_scidb_text_found(text, text->begin, "an entry that is not skipped", "none");
}

sheaf_status sheaf_scidb_entries_read(sheaf_scidb_entries *entries, const char *words,
                                      sheaf_scidb_types *types, sheaf_error *err)
{
	sheaf_scidb_text text = sheaf_scidb_text_over("format-string", words, false, err);
	entries->cx = types->cx;
	sheaf_status status = read_entries(entries, &text, types);
	if (status) sheaf_scidb_entries_free(entries);
	return status;
}

/* ---- writing ---- */

/* Such as "(int64, string(10) null, skip)". */
void sheaf_scidb_entries_text(const sheaf_scidb_entries *entries, sheaf_builder *b)
{
	for (int i = 0; i < entries->count; i++) {
		const sheaf_scidb_entry *entry = &entries->list[i];
		sheaf_builder_printf(b, "%s%s", i ? ", " : "(", entry->type ? entry->type->name : "skip");
		if (entry->size && !(entry->type && entry->type->size))
			sheaf_builder_printf(b, "(%" PRId64 ")", entry->size);
		if (entry->nullable) sheaf_builder_text(b, " null");
	}
	sheaf_builder_byte(b, ')');
}
