/* SPDX-License-Identifier: MIT */
/* Fields of a configuration as text, numbers and words. A value that is none of what a field can have is
 * refused at its place, rather than replaced by a default that nobody has asked for. */
#include "base/memory.h"
#include "cntk/config.h"
#include <sheaf/option.h>
#include <string.h>
#include <strings.h>

/* Refuses a value that has a name between dollars: one that is still there after replacement is not set
 * anywhere. */
sheaf_status sheaf_cntk_check_names(const sheaf_cntk *c, sheaf_field_span field)
{
	for (size_t at = field.value.at; at < field.value.end; at++) {
		int n = (int)sheaf_cntk_named(c, at, field.value.end);
		if (n)
			return sheaf_cntk_fail(
				c, at,
				"%.*s: expected a value of $%.*s$, found none at the top of the file; set it "
				"with %.*s=VALUE",
				(int)(field.name.end - field.name.at), c->text + field.name.at, n, c->text + at + 1, n,
				c->text + at + 1);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_cntk_text(const sheaf_cntk *c, sheaf_field_span field, char **out)
{
	sheaf_cntk_span value = field.value;
	*out = NULL;
	if (field.bare) return sheaf_copy_text(c->cx, "true", 4, out, c->err);
	SHEAF_TRY(sheaf_cntk_check_names(c, field));
	SHEAF_TRY(sheaf_cntk_unquote(c, &value));
	return sheaf_copy_text(c->cx, c->text + value.at, value.end - value.at, out, c->err);
}

/* ---- values of texts ---- */

sheaf_status sheaf_cntk_refuse(const sheaf_cntk *c, sheaf_field_span field, const char *expected,
                               const char *found)
{
	return sheaf_cntk_fail(c, field.value.at, "%.*s: expected %s, found \"%s\"",
	                       (int)(field.name.end - field.name.at), c->text + field.name.at, expected, found);
}

sheaf_status sheaf_cntk_count(const sheaf_cntk *c, sheaf_field_span field, int64_t *out)
{
	char *text;
	SHEAF_TRY(sheaf_cntk_text(c, field, &text));
	bool sound = text[strspn(text, "0123456789")] == '\0' && sheaf_size_from_text(text, out);
	sheaf_status status = sound ? SHEAF_OK : sheaf_cntk_refuse(c, field, "a whole number", text);
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

sheaf_status sheaf_cntk_word(const sheaf_cntk *c, sheaf_field_span field, const char *words, int *out)
{
	char *text;
	SHEAF_TRY(sheaf_cntk_text(c, field, &text));
	*out = find_word(words, text);
	sheaf_release_text(c->cx, text);
	return SHEAF_OK;
}

/* *out becomes the number of the word in "a|b|c" that a field has, ignoring case; any other value is refused
 * with what was `expected`. */
static sheaf_status read_word(const sheaf_cntk *c, sheaf_field_span field, const char *words,
                              const char *expected, int *out)
{
	char *text;
	SHEAF_TRY(sheaf_cntk_text(c, field, &text));
	*out = find_word(words, text);
	sheaf_status status = *out < 0 ? sheaf_cntk_refuse(c, field, expected, text) : SHEAF_OK;
	sheaf_release_text(c->cx, text);
	return status;
}

sheaf_status sheaf_cntk_choice(const sheaf_cntk *c, sheaf_field_span field, const char *words, int *out)
{
	return read_word(c, field, words, words, out);
}

/* Reads a truth value. `randomize` may also be "none" or "auto", false and true. The words of each meaning
 * alternate, so that the last bit of a word's number is the value. */
sheaf_status sheaf_cntk_bool(const sheaf_cntk *c, sheaf_field_span field, bool *out)
{
	int word = 0;
	sheaf_status status = read_word(c, field, "false|true|f|t|0|1|no|yes|none|auto", "true or false", &word);
	*out = word & 1;
	return status;
}
