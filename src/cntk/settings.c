/* SPDX-License-Identifier: MIT */
/* Lists of settings, and warnings about fields that make none. A setting is an option of a format or of a
 * minibatch source by its name, with its value as text, as if a user had given it; whoever opens the data
 * then need not know that a configuration was read. */
#include "base/context.h"
#include "base/memory.h"
#include "cntk/config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* On failure `value` is freed, too. */
sheaf_status sheaf_cntk_add(const sheaf_cntk *c, sheaf_setting_list s, const char *name, char *value)
{
	size_t size = (size_t)*s.count * sizeof **s.list;
	sheaf_status status = sheaf_reallocate(c->cx, s.list, size, size + sizeof **s.list, c->err);
	if (status)
		sheaf_release_text(c->cx, value);
	else
		(*s.list)[(*s.count)++] = (sheaf_setting){name, value};
	return status;
}

sheaf_status sheaf_cntk_add_text(const sheaf_cntk *c, sheaf_setting_list s, const char *name,
                                 const char *value, size_t n)
{
	char *copy;
	SHEAF_TRY(sheaf_copy_text(c->cx, value, n, &copy, c->err));
	return sheaf_cntk_add(c, s, name, copy);
}

sheaf_status sheaf_cntk_add_word(const sheaf_cntk *c, sheaf_setting_list s, const char *name,
                                 const char *words, int i)
{
	while (i-- > 0) words += strcspn(words, "|") + 1;
	return sheaf_cntk_add_text(c, s, name, words, strcspn(words, "|"));
}

sheaf_status sheaf_cntk_add_count(const sheaf_cntk *c, sheaf_setting_list s, const char *name, int64_t count)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%" PRId64, count);
	return sheaf_cntk_add_text(c, s, name, text, (size_t)n);
}

sheaf_status sheaf_cntk_warn(const sheaf_cntk *c, sheaf_cntk_span what, const char *rule,
                             const char *expected, const char *note)
{
	enum { SHOWN = 60 };
	char found[80];
	size_t n = what.end - what.at;
	sheaf_problem problem =
		sheaf_problem_in(NULL, &SHEAF_FINDING(SHEAF_WARNING, rule, expected, found, note));
	snprintf(found, sizeof found, "\"%.*s\"", (int)(n > SHOWN ? SHOWN : n), c->text + what.at);
	sheaf_cntk_place(c, what.at, &problem.place);
	return sheaf_report(c->cx, &problem, c->err);
}
