/* SPDX-License-Identifier: MIT */
/* Named values as lines or as JSON. A report states each value once, with its name and its words, and these
 * functions choose the form, so that neither form can lack what the other one has by oversight. */
#include "frame/schema/listing.h"
#include <inttypes.h>

/* Writes the words before the value, and returns those after it; NULL if a line leaves the value out. */
static const char *begin_line(const sheaf_listing *to, const char *words)
{
	if (to->json || !words) return NULL;
	size_t before = strcspn(words, "%");
	sheaf_builder_append(to->b, words, before);
	return words[before] ? words + before + 1 : NULL;
}

/* The name of an element is empty here, and NULL in JSON's own functions. */
static const char *named(const char *name) { return *name ? name : NULL; }

void sheaf_listing_text(const sheaf_listing *to, const char *name, const char *words, const char *text)
{
	if (to->json && name) sheaf_member_text(to->b, named(name), text);
	const char *after = begin_line(to, words);
	if (!after) return;
	sheaf_put_visibly(to->b, text);
	sheaf_builder_text(to->b, after);
}

void sheaf_listing_count(const sheaf_listing *to, const char *name, const char *words, int64_t n)
{
	if (to->json && name) sheaf_member_count(to->b, named(name), n);
	const char *after = begin_line(to, words);
	if (!after) return;
	sheaf_builder_printf(to->b, "%" PRId64 "%s", n, after);
}

void sheaf_listing_real(const sheaf_listing *to, const char *name, const char *words, double v)
{
	if (to->json && name) sheaf_member_real(to->b, named(name), v);
	const char *after = begin_line(to, words);
	if (!after) return;
	sheaf_builder_printf(to->b, "%.6g%s", v, after);
}

void sheaf_listing_flag(const sheaf_listing *to, const char *name, const char *words, bool flag)
{
	if (to->json)
		sheaf_member_flag(to->b, named(name), flag);
	else
		sheaf_listing_text(to, NULL, words, flag ? "yes" : "no");
}

void sheaf_listing_shape(const sheaf_listing *to, const char *name, const char *words, const int64_t *dims,
                         int n)
{
	const char *after = to->json ? "]" : begin_line(to, words);
	if (!after) return;
	if (to->json) sheaf_member_open(to->b, named(name), '[');
	for (int d = 0; d < n; d++)
		sheaf_builder_printf(to->b, "%s%" PRId64, !d ? "" : to->json ? "," : " x ", dims[d]);
	sheaf_builder_text(to->b, after);
}

void sheaf_listing_open(const sheaf_listing *to, const char *name, const char *words, char bracket)
{
	if (to->json)
		sheaf_member_open(to->b, named(name), bracket);
	else
		sheaf_builder_text(to->b, words);
}

void sheaf_listing_close(const sheaf_listing *to, const char *words, char bracket)
{
	if (to->json)
		sheaf_builder_byte(to->b, bracket);
	else
		sheaf_builder_text(to->b, words);
}
