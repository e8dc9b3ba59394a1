/* SPDX-License-Identifier: MIT */
/* Options as tables: finding rows, checking values, reading them. */
#include "base/need.h"
#include <sheaf/option.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 200 }; /* of the words of one option */

const sheaf_option *sheaf_option_find(const sheaf_option *table, const char *name)
{
	if (!name) return NULL;
	for (; table && table->name; table++)
		if (strcmp(table->name, name) == 0) return table;
	return NULL;
}

static bool digits_from_text(const char **text, int64_t *out)
{
	const char *at = *text;
	int64_t v = 0;
	if (*at < '0' || *at > '9') return false;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *at - '0', &v)) return false;
	*text = at;
	*out = v;
	return true;
}

/* ".5": the digits after the point, as a fraction of 10^digits. */
static void fraction_from_text(const char **text, int64_t *part, int64_t *scale)
{
	const char *at = *text;
	*part = 0;
	*scale = 1;
	if (*at != '.' || at[1] < '0' || at[1] > '9') return;
	for (at++; *at >= '0' && *at <= '9'; at++) {
		if (*scale >= (int64_t)1 << 20) continue; /* further digits are less than a byte in most units */
		*part = *part * 10 + (*at - '0');
		*scale *= 10;
	}
	*text = at;
}

/* "", "B", "K", "KB", "KiB" and so on, in any case: the power of 1024, or -1. */
static int unit_from_text(const char *at)
{
	static const char units[] = "KMGT";
	int power = 0;
	char first = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
	const char *unit = first ? strchr(units, first) : NULL;
	if (unit) power = (int)(unit - units) + 1, at++;
	if (power && (*at == 'i' || *at == 'I') && (at[1] == 'B' || at[1] == 'b')) at++;
	if (*at == 'B' || *at == 'b') at++;
	return *at ? -1 : power;
}

bool sheaf_size_from_text(const char *text, int64_t *out)
{
	if (!text || !out) return false;
	int64_t v, part, scale;
	if (!digits_from_text(&text, &v)) return false;
	fraction_from_text(&text, &part, &scale);
	int power = unit_from_text(text);
	if (power < 0 || (scale > 1 && power == 0)) return false;
	int64_t unit = (int64_t)1 << 10 * power;
	if (__builtin_mul_overflow(v, unit, &v)) return false;
	int64_t more = unit / scale * part + unit % scale * part / scale;
	return !__builtin_add_overflow(v, more, out);
}

bool sheaf_seed_from_text(const char *text, uint64_t *out)
{
	if (!text || !out) return false;
	bool negative = *text == '-';
	uint64_t v = 0;
	if (negative) text++;
	if (!*text) return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*text - '0'), &v))
			return false;
	if (*text || (negative && v > (uint64_t)1 << 63)) return false;
	*out = negative ? 0 - v : v;
	return true;
}

/* Whether the n bytes of a value are one of these words, which have | or commas between them. */
static bool is_choice(const char *words, const char *value, size_t n)
{
	while (*words) {
		size_t word = strcspn(words, "|,");
		if (word == n && memcmp(words, value, n) == 0) return true;
		words += word + (words[word] != '\0');
	}
	return false;
}

/* The words of a copy in which each ends with a NUL, and the last one with two. */
static const char *word_at(const void *user, int i)
{
	const char *at = (const char *)user;
	while (*at && i-- > 0) at += strlen(at) + 1;
	return *at ? at : NULL;
}

static sheaf_status check_words(const sheaf_option *option, const char *value, sheaf_error *err)
{
	char words[WORDS_MAX + 2] = "", wrong[WORDS_MAX];
	size_t n = strcspn(value, ",");
	for (; is_choice(option->argument, value, n); n = strcspn(value, ",")) {
		if (!value[n]) return SHEAF_OK;
		value += n + 1;
	}
	snprintf(words, WORDS_MAX, "%s", option->argument);
	for (char *at = words; (at = strchr(at, ','));) *at++ = '\0';
	snprintf(wrong, sizeof wrong, "%.*s", (int)n, value);
	const char *near = sheaf_nearest_word(wrong, word_at, words);
	return sheaf_fail_option(err, SHEAF_USAGE, option->name, ": expected words of %s, found %s%s%s%s",
	                         option->argument, wrong, near ? "; did you mean " : "", near ? near : "",
	                         near ? "?" : "");
}

sheaf_status sheaf_option_check(const sheaf_option *option, const char *value, const sheaf_values *before,
                                sheaf_error *err)
{
	SHEAF_NEED(option, "an option");
	int64_t number;
	const char *end = value;
	const char *found = value ? value : "nothing", *first = sheaf_values_text(before, option->name);
	if (first && value && option->kind < SHEAF_OPTION_TEXTS)
		return sheaf_fail_option(err, SHEAF_USAGE, option->name, ": expected one value, found two, %s and %s",
		                         first, value);
	switch (option->kind) {
	case SHEAF_OPTION_FLAG:
		if (value)
			return sheaf_fail_option(err, SHEAF_USAGE, option->name, ": expected no value, found %s", found);
		return SHEAF_OK;
	case SHEAF_OPTION_TEXT:
	case SHEAF_OPTION_TEXTS:
		if (!value)
			return sheaf_fail_option(err, SHEAF_USAGE, option->name, ": expected %s, found nothing",
			                         option->argument);
		return SHEAF_OK;
	case SHEAF_OPTION_COUNT:
		if (value && digits_from_text(&end, &number) && !*end) return SHEAF_OK;
		return sheaf_fail_option(err, SHEAF_USAGE, option->name, ": expected a whole number, found %s",
		                         found);
	case SHEAF_OPTION_SIZE:
		if (value && sheaf_size_from_text(value, &number)) return SHEAF_OK;
		return sheaf_fail_option(err, SHEAF_USAGE, option->name,
		                         ": expected a size such as 4096, 64K, 1.5G or 2GB, found %s", found);
	case SHEAF_OPTION_CHOICE:
		if (value && is_choice(option->argument, value, strlen(value))) return SHEAF_OK;
		return sheaf_fail_option(err, SHEAF_USAGE, option->name, ": expected %s, found %s", option->argument,
		                         found);
	case SHEAF_OPTION_WORDS: return check_words(option, found, err);
	}
	return sheaf_fail_option(err, SHEAF_USAGE, option->name,
	                         ": expected an option of a known kind, found kind %d", (int)option->kind);
}

const char *sheaf_values_nth(const sheaf_values *values, const char *name, int k)
{
	if (!values || !name || k < 0) return NULL;
	for (int i = 0; i < values->count; i++)
		if (strcmp(values->settings[i].name, name) == 0 && k-- == 0) return values->settings[i].value;
	return NULL;
}

const char *sheaf_values_text(const sheaf_values *values, const char *name)
{
	if (!values || !name) return NULL;
	for (int i = values->count; i-- > 0;)
		if (strcmp(values->settings[i].name, name) == 0) return values->settings[i].value;
	return NULL;
}

bool sheaf_values_flag(const sheaf_values *values, const char *name)
{
	if (!values || !name) return false;
	size_t n = strcspn(name, "=");
	const char *word = name[n] ? name + n + 1 : NULL;
	for (int i = 0; i < values->count; i++) {
		const sheaf_setting *s = &values->settings[i];
		if (strlen(s->name) != n || memcmp(s->name, name, n) != 0) continue;
		if (!word || (s->value && is_choice(s->value, word, strlen(word)))) return true;
	}
	return false;
}

int64_t sheaf_values_number(const sheaf_values *values, const char *name, int64_t otherwise)
{
	if (!values || !name) return otherwise;
	const char *text = sheaf_values_text(values, name);
	int64_t number;
	return text && sheaf_size_from_text(text, &number) ? number : otherwise;
}
