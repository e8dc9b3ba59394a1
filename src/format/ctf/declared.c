/* SPDX-License-Identifier: MIT */
/* Whether declared streams exist: a mistyped name would be an empty stream. The names on the first lines say
 * so. In a longer input a stream may begin later, unless its name looks like one that is there mistyped. */
#include "base/context.h"
#include "base/spell.h"
#include "format/ctf/look.h"
#include "io/source.h"
#include <sheaf/option.h>
#include <stdio.h>
#include <string.h>

enum { LOOK = 64 << 10, UNKNOWN = 8, NAME = 64 };

static const char *unknown_at(const void *user, int i) { return ((const char *const *)user)[i]; }

/* A message names the first few streams that are in the file and not declared. `unknown` ends with NULL. */
static sheaf_status judge(const sheaf_ctf_reader *in, const sheaf_ctf_look *look, bool whole,
                          sheaf_error *err)
{
	const char *unknown[UNKNOWN + 1] = {NULL};
	for (int i = 0, n = 0; i < look->names.count && n < UNKNOWN; i++) {
		const sheaf_name *name = &look->names.names[i];
		if (name->size < NAME && sheaf_names_find(&in->names, name->text, name->size, -1) < 0)
			unknown[n++] = name->text;
	}
	for (int s = 0; s < in->names.count && look->names.count; s++) {
		const sheaf_name *name = &in->names.names[s];
		if (sheaf_names_find(&look->names, name->text, name->size, s - 1) >= 0) continue;
		const char *near = sheaf_nearest_word(name->text, unknown_at, unknown);
		if (!near && !whole) continue;
		const char *source = sheaf_source_name(in->source);
		if (near)
			return sheaf_fail_option(
				err, SHEAF_USAGE, "stream",
				" %s: expected a stream of %s, found none of that name; did you mean %s?", name->text, source,
				near);
		char found[UNKNOWN * (NAME + 2) + 8];
		size_t used = (size_t)snprintf(found, sizeof found, "%s", unknown[0] ? "" : "no other");
		for (int i = 0; unknown[i]; i++)
			used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", i ? ", " : "", unknown[i]);
		return sheaf_fail_option(
			err, SHEAF_USAGE, "stream",
			" %s: expected a stream of %s, found none of that name, but %s (" SHEAF_OPTION(
				"allow") " missing reads it as empty)",
			name->text, source, found);
	}
	return SHEAF_OK;
}

/* A name that may continue beyond what is looked at is ignored. */
sheaf_status sheaf_ctf_check_names(const sheaf_ctf_reader *in, sheaf_error *err)
{
	sheaf_bytes head;
	sheaf_error failure;
	sheaf_ctf_look look;
	if (in->allow_missing || in->names.count == 0) return SHEAF_OK;
	sheaf_status status = sheaf_source_ahead(in->source, LOOK, &head, &failure);
	status = sheaf_forgive(status, "what is wrong with the input is said when it is read");
	if (status) return sheaf_fail_again(err, &failure);
	bool whole = head.size < LOOK;
	if (!whole) head.size = LOOK;
	while (!whole && head.size && !sheaf_ctf_is(head.data[head.size - 1], CTF_ENDS_NAME)) head.size--;
	SHEAF_TRY(sheaf_ctf_look_begin(&look, in, false, err));
	status = sheaf_ctf_look_at(&look, head.data, head.data + head.size, in->line, false, err);
	if (status == SHEAF_OK) status = judge(in, &look, whole, err);
	sheaf_ctf_look_free(&look);
	return status;
}
