/* SPDX-License-Identifier: MIT */
/* Declarations of streams, read and written: what --stream takes, and what a report prints so that it can be
 * given to --stream. The parts after the name come in any order, except that an alias ends the declaration,
 * since it may contain colons. What is not given is the caller's choice. */
#include "frame/schema/declare.h"
#include "base/status.h"
#include <inttypes.h>
#include <sheaf/option.h>
#include <stdio.h>
#include <string.h>

static bool is_word(const char *part, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(part, word, n) == 0;
}

/* Digits alone: no sign, no space, and nothing beyond 64 bits. */
static bool dim_from_text(const char *part, size_t n, int64_t *out)
{
	int64_t v = 0;
	for (size_t i = 0; i < n; i++) {
		if (part[i] < '0' || part[i] > '9') return false;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, part[i] - '0', &v)) return false;
	}
	*out = v;
	return n > 0 && v > 0;
}

/* What may have been meant by a part that is none. */
static const char *word_at(const void *user, int i)
{
	static const char *const words[] = {"dense", "sparse", "float", "double", NULL};
	(void)user;
	return words[i];
}

/* Reads one part of a declaration, which stands between colons: a word, or the dim. A part may be repeated,
 * but not contradict itself. */
static sheaf_status read_part(const char *text, const char *part, size_t n, sheaf_declared *out,
                              sheaf_error *err)
{
	char word[40];
	sheaf_declared before = *out;
	if (is_word(part, n, "dense") || is_word(part, n, "sparse")) {
		out->sparse = *part == 's';
	} else if (is_word(part, n, "float") || is_word(part, n, "double")) {
		out->type = *part == 'f' ? SHEAF_F32 : SHEAF_F64;
	} else if (!dim_from_text(part, n, &out->dim)) {
		snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), part);
		sheaf_status status = sheaf_fail_option(
			err, SHEAF_USAGE, "stream",
			" %s: expected a dim of at least 1, dense, sparse, float, double or alias=NAME, found \"%.*s\"",
			text, (int)n, part);
		sheaf_error_append_near(err, sheaf_nearest_word(word, word_at, NULL));
		return status;
	}
	bool twice = (before.sparse >= 0 && before.sparse != out->sparse) ||
	             (before.type >= 0 && before.type != out->type) ||
	             (before.dim >= 0 && before.dim != out->dim);
	if (twice)
		return sheaf_fail_option(err, SHEAF_USAGE, "stream",
		                         " %s: expected each part once, found \"%.*s\" after another one", text,
		                         (int)n, part);
	return SHEAF_OK;
}

sheaf_status sheaf_declared_from_text(const char *text, sheaf_declared *out, sheaf_error *err)
{
	static const char alias[] = "alias=";
	*out =
		(sheaf_declared){.name = text, .name_size = strcspn(text, ":"), .dim = -1, .sparse = -1, .type = -1};
	if (out->name_size == 0)
		return sheaf_fail_option(err, SHEAF_USAGE, "stream", " %s: expected a name first, found none", text);
	const char *part = text + out->name_size;
	while (*part == ':') {
		part++;
		if (strncmp(part, alias, sizeof alias - 1) == 0) {
			/* The rest is the alias, whatever it contains. */
			out->alias = part + sizeof alias - 1;
			out->alias_size = strlen(out->alias);
			if (out->alias_size == 0)
				return sheaf_fail_option(err, SHEAF_USAGE, "stream",
				                         " %s: expected a name after alias=, found none", text);
			return SHEAF_OK;
		}
		size_t n = strcspn(part, ":");
		SHEAF_TRY(read_part(text, part, n, out, err));
		part += n;
	}
	return SHEAF_OK;
}

void sheaf_declared_to_text(sheaf_builder *b, const sheaf_field *field, bool alias)
{
	sheaf_builder_printf(b, "%s:%" PRId64 ":%s", field->name, sheaf_field_dim(field),
	                     sheaf_field_is_sparse(field) ? "sparse" : "dense");
	if (field->type == SHEAF_F64) sheaf_builder_text(b, ":double");
	if (alias && field->alias) sheaf_builder_printf(b, ":alias=%s", field->alias);
}
