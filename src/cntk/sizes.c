/* SPDX-License-Identifier: MIT */
/* How much a section takes from its reader at a time: minibatches and epochs. Training sets this in its SGD
 * record, other actions in the section itself. */
#include "base/memory.h"
#include "cntk/config.h"
#include <sheaf/option.h>
#include <string.h>

static const struct {
	const char *key, *setting;
	bool trains; /* only in training */
} sizes[] = {
	{"minibatchSize", "size", false}, {"epochSize", "epoch-size", false}, {"maxEpochs", "epochs", true}};

/* Reads the first number of a value such as "256:1024*3:2048", which has one for each epoch; *rest is the
 * byte after it, or 0. False if the value does not begin with a number, perhaps after "(". */
static bool first_number(const char *text, int64_t *number, char *rest)
{
	char first[24];
	text += strspn(text, "( ");
	size_t n = strspn(text, "0123456789");
	if (n >= sizeof first) return false;
	memcpy(first, text, n);
	first[n] = '\0';
	*rest = text[n];
	return strchr(" ):*", *rest) && sheaf_size_from_text(first, number);
}

/* Reads a size, and warns if not all of it is used. Anything but a number is an expression of another
 * language, or a mistake: only CNTK would know, and *number is then 0. */
static sheaf_status read_size(const sheaf_cntk *c, sheaf_field_span field, int64_t *number)
{
	char *text, rest;
	SHEAF_TRY(sheaf_cntk_text(c, field, &text));
	bool sound = first_number(text, number, &rest);
	sheaf_release_text(c->cx, text);
	if (!sound) *number = 0;
	if (!sound)
		return sheaf_cntk_warn(c, field.value, "size", "a whole number",
		                       "it is ignored; use the option instead");
	return rest == ':' || rest == '*' ? sheaf_cntk_warn(c, field.value, "size by epochs",
	                                                    "one size for all epochs", "the first counts")
	                                  : SHEAF_OK;
}

/* Adds the sizes that a record, or one around it, sets; those of training only if it `trains`. */
static sheaf_status add_sizes(const sheaf_cntk *c, const sheaf_config_record *from, bool trains,
                              sheaf_setting_list to)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		sheaf_field_span field;
		int64_t number = 0;
		if (sizes[i].trains && !trains) continue;
		sheaf_status status = sheaf_cntk_said(c, from, true, sizes[i].key, &field);
		if (status == SHEAF_OK) status = read_size(c, field, &number);
		if (status == SHEAF_OK && number > 0) status = sheaf_cntk_add_count(c, to, sizes[i].setting, number);
		SHEAF_TRY(sheaf_cntk_may_lack(status));
	}
	return SHEAF_OK;
}

/* Where a section trains, the record SGD of the nearest section around the reader has the sizes. */
sheaf_status sheaf_cntk_sizes(const sheaf_cntk *c, const sheaf_config_record *reader, sheaf_setting_list to)
{
	const sheaf_config_record *section = reader->outer;
	sheaf_config_record training;
	sheaf_cntk_action action;
	sheaf_status status = SHEAF_END;
	if (!section) return SHEAF_OK;
	SHEAF_TRY(sheaf_cntk_action_of(c, section, true, &action));
	if (action == CNTK_EVALUATES || action == CNTK_WRITES) return add_sizes(c, section, false, to);
	for (; section && status == SHEAF_END; section = section->outer)
		status = sheaf_cntk_inner_named(c, section, "SGD", &training);
	if (status == SHEAF_END) return SHEAF_OK;
	SHEAF_TRY(status);
	return add_sizes(c, &training, true, to);
}
