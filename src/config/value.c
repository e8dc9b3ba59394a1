/* SPDX-License-Identifier: MIT */
/* Fields of a configuration as text, numbers and words. */
#include "base/memory.h"
#include "config/config.h"
#include <sheaf/option.h>
#include <string.h>
#include <strings.h>

/* Names in one value, those in the values of names included: without a bound a short file could ask for
 * endless text. */
enum { MOST_NAMES = 100 };

/* A value being put together. */
typedef struct expansion {
	sheaf_builder text;
	int names;
} expansion;

static sheaf_status append_value(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_span value,
                                 expansion *x);

/* Without its quotes, in which a backslash is a character like any other. */
static sheaf_status unquote(const sheaf_cntk *c, sheaf_span *value)
{
	if (value->at >= value->end) return SHEAF_OK;
	char mark = c->text[value->at];
	if (mark != '"' && mark != '\'') return SHEAF_OK;
	const char *second = (const char *)memchr(c->text + value->at + 1, mark, value->end - value->at - 1);
	if (!second)
		return sheaf_cntk_fail(c, value->at,
		                       "expected a second %c to end this string, found the end of the line", mark);
	size_t end = (size_t)(second - c->text);
	if (end + 1 != value->end)
		return sheaf_cntk_fail(c, end + 1, "expected the end of the field after a string, found more");
	*value = (sheaf_span){value->at + 1, end};
	return SHEAF_OK;
}

/* The field that $NAME$ means: the nearest around that does not itself hold the name at `at`. */
static sheaf_status find_around(const sheaf_cntk *c, const sheaf_config_record *record, const char *name,
                                size_t at, const sheaf_config_record **where, sheaf_field_span *field)
{
	for (; record; record = record->outer) {
		sheaf_status status = sheaf_cntk_find(c, record, name, field);
		*where = record;
		bool itself = status == SHEAF_OK && field->value.at <= at && at < field->value.end;
		if (status != SHEAF_END && !itself) return status;
	}
	return SHEAF_END;
}

/* The folder that the configuration stands in, which CNTK calls $ConfigDir$. */
static void append_folder(const sheaf_cntk *c, sheaf_builder *b)
{
	const char *slash = strrchr(c->file, '/');
	if (!slash)
		sheaf_builder_byte(b, '.');
	else
		sheaf_builder_append(b, c->file, slash == c->file ? 1 : (size_t)(slash - c->file));
}

static sheaf_status append_named(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_span name,
                                 expansion *x)
{
	char word[128];
	const sheaf_config_record *where;
	sheaf_field_span field;
	size_t n = name.end - name.at;
	sheaf_status status = SHEAF_END;
	if (n < sizeof word) {
		memcpy(word, c->text + name.at, n);
		word[n] = '\0';
		status = find_around(c, record, word, name.at, &where, &field);
	}
	if (status == SHEAF_OK && x->names++ == MOST_NAMES)
		return sheaf_cntk_fail(
			c, name.at, "expected at most %d names in a value, found more, or names that mean each other",
			MOST_NAMES);
	if (status == SHEAF_OK) return append_value(c, where, field.value, x);
	if (status != SHEAF_END) return status;
	if (sheaf_cntk_is_name(c, name, "ConfigDir"))
		append_folder(c, &x->text);
	else
		sheaf_builder_append(&x->text, c->text + name.at - 1, n + 2);
	return SHEAF_OK;
}

static sheaf_status append_value(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_span value,
                                 expansion *x)
{
	SHEAF_TRY(unquote(c, &value));
	while (value.at < value.end) {
		const char *at = c->text + value.at, *mark = (const char *)memchr(at, '$', value.end - value.at);
		const char *second =
			mark ? (const char *)memchr(mark + 1, '$', value.end - value.at - (size_t)(mark + 1 - at)) : NULL;
		if (!second || second == mark + 1) {
			sheaf_builder_append(&x->text, at, value.end - value.at);
			return SHEAF_OK;
		}
		sheaf_builder_append(&x->text, at, (size_t)(mark - at));
		SHEAF_TRY(append_named(c, record,
		                       (sheaf_span){(size_t)(mark + 1 - c->text), (size_t)(second - c->text)}, x));
		value.at = (size_t)(second + 1 - c->text);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_cntk_text(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_span value,
                             char **out)
{
	expansion x = {.names = 0};
	*out = NULL;
	sheaf_builder_begin(&x.text, c->cx, NULL);
	sheaf_status status = append_value(c, record, value, &x);
	if (status == SHEAF_OK) status = sheaf_builder_status(&x.text, c->err);
	if (status == SHEAF_OK)
		status = sheaf_copy_text(c->cx, (const char *)x.text.data, x.text.size, out, c->err);
	sheaf_builder_drop(&x.text);
	return status;
}

/* ---- what texts mean ---- */

static sheaf_status refuse(const sheaf_cntk *c, sheaf_field_span field, const char *expected,
                           const char *found)
{
	return sheaf_cntk_fail(c, field.value.at, "%.*s: expected %s, found \"%s\"",
	                       (int)(field.name.end - field.name.at), c->text + field.name.at, expected, found);
}

sheaf_status sheaf_cntk_count(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_field_span field,
                              int64_t *out)
{
	static const sheaf_option whole = {"count", SHEAF_OPTION_COUNT, 0, "N", "", 0};
	char *text;
	SHEAF_TRY(sheaf_cntk_text(c, record, field.value, &text));
	sheaf_status status = sheaf_option_check(&whole, text, NULL);
	if (status || !sheaf_size_from_text(text, out)) status = refuse(c, field, "a whole number", text);
	sheaf_release_text(c->cx, text);
	return status;
}

/* The number of the word in "a|b|c", or -1. */
static int find_word(const char *words, const char *text)
{
	size_t n = strlen(text);
	for (int i = 0; *words; i++) {
		size_t word = strcspn(words, "|");
		if (word == n && strncasecmp(words, text, n) == 0) return i;
		words += word + (words[word] == '|');
	}
	return -1;
}

static sheaf_status read_word(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_field_span field,
                              const char *words, const char *expected, int *out)
{
	char *text;
	SHEAF_TRY(sheaf_cntk_text(c, record, field.value, &text));
	*out = find_word(words, text);
	sheaf_status status = *out < 0 ? refuse(c, field, expected, text) : SHEAF_OK;
	sheaf_release_text(c->cx, text);
	return status;
}

sheaf_status sheaf_cntk_choice(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_field_span field,
                               const char *words, int *out)
{
	return read_word(c, record, field, words, words, out);
}

/* "none" and "auto" are how `randomize` is written, too. */
sheaf_status sheaf_cntk_bool(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_field_span field,
                             bool *out)
{
	int word = 0;
	sheaf_status status =
		read_word(c, record, field, "false|true|0|1|no|yes|none|auto", "true or false", &word);
	*out = word & 1;
	return status;
}
