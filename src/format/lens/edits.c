/* SPDX-License-Identifier: MIT */
/* Changes to examples while they are read: names of groups, frequencies. All readers see only the result, so
 * it appears in rows, in what is shown and in the other spelling. */
#include "format/lens/edits.h"
#include "base/memory.h"
#include "frame/row_choice.h"
#include "number/number.h"

/* ---- reading ---- */

static sheaf_status refuse(const char *option, const char *expected, const char *found, sheaf_error *err)
{
	return sheaf_fail_option(err, SHEAF_USAGE, option, ": expected %s, found \"%s\"", expected, found);
}

static sheaf_status add(sheaf_lens_edits *edits, const char *name, size_t n, sheaf_lens_edit **out,
                        sheaf_error *err)
{
	if (edits->count == SHEAF_LENS_MOST_EDITS)
		return sheaf_fail(err, SHEAF_LIMIT, "expected at most %d changes of examples, found more",
		                  SHEAF_LENS_MOST_EDITS);
	sheaf_lens_edit *edit = *out = &edits->items[edits->count];
	SHEAF_TRY(sheaf_copy_text(edits->cx, name, n, &edit->name, err));
	edits->count++;
	return SHEAF_OK;
}

/* "OLD=NEW" for groups; "F", or "NAME=F" with the last '=' of them, for frequencies. */
sheaf_status sheaf_lens_edits_read(sheaf_lens_edits *edits, const sheaf_values *values, sheaf_context *cx,
                                   sheaf_error *err)
{
	const char *text;
	sheaf_lens_edit *edit = NULL;
	*edits = (sheaf_lens_edits){.cx = cx};
	for (int k = 0; (text = sheaf_values_nth(values, "rename-group", k)); k++) {
		const char *equals = strchr(text, '=');
		if (!equals || equals == text || !equals[1]) return refuse("rename-group", "OLD=NEW", text, err);
		SHEAF_TRY(add(edits, text, (size_t)(equals - text), &edit, err));
		edit->is_group = true;
		SHEAF_TRY(sheaf_copy_text(cx, equals + 1, strlen(equals + 1), &edit->to, err));
	}
	for (int k = 0; (text = sheaf_values_nth(values, "frequency", k)); k++) {
		float value;
		const char *equals = strrchr(text, '='), *number = equals ? equals + 1 : text;
		sheaf_scanned scanned = sheaf_scan_f32(number, number + strlen(number), &value);
		if (scanned.flaw || *scanned.end || !(value >= 0))
			return refuse("frequency", "a number F of at least 0, or NAME=F", text, err);
		SHEAF_TRY(add(edits, equals ? text : "*", equals ? (size_t)(equals - text) : 1, &edit, err));
		edit->all = !equals;
		edit->value = value;
	}
	return SHEAF_OK;
}

void sheaf_lens_edits_free(sheaf_lens_edits *edits)
{
	for (int i = 0; i < SHEAF_LENS_MOST_EDITS && edits->cx; i++) {
		if (edits->items[i].name) sheaf_release_text(edits->cx, edits->items[i].name);
		if (edits->items[i].to) sheaf_release_text(edits->cx, edits->items[i].to);
	}
	*edits = (sheaf_lens_edits){0};
}

/* ---- changing ---- */

/* Examples are parsed by any thread. */
static void mark(sheaf_lens_edit *edit) { atomic_store_explicit(&edit->met, true, memory_order_relaxed); }

void sheaf_lens_edits_rename(sheaf_lens_edits *edits, const void **name, size_t *size)
{
	for (int i = 0; edits && i < edits->count; i++) {
		sheaf_lens_edit *edit = &edits->items[i];
		if (!edit->is_group || strlen(edit->name) != *size || memcmp(edit->name, *name, *size) != 0) continue;
		mark(edit);
		*name = edit->to;
		*size = strlen(edit->to);
		return;
	}
}

void sheaf_lens_edits_apply(sheaf_lens_edits *edits, sheaf_lens_set *set, int64_t from)
{
	for (int64_t x = from; edits && edits->count && x < sheaf_lens_count(set); x++) {
		sheaf_lens_example *example = LENS_ITEMS(set, sheaf_lens_example, examples) + x;
		const char *name = sheaf_lens_string(set, example->name);
		for (int i = 0; i < edits->count; i++) {
			sheaf_lens_edit *edit = &edits->items[i];
			if (edit->is_group) continue;
			if (!edit->all && !(name && sheaf_name_matches(edit->name, name))) continue;
			mark(edit);
			example->frequency = edit->value;
		}
	}
}

sheaf_status sheaf_lens_edits_check(const sheaf_lens_edits *edits, const char *file, sheaf_error *err)
{
	for (int i = 0; i < edits->count; i++) {
		const sheaf_lens_edit *edit = &edits->items[i];
		if (edit->all || atomic_load_explicit(&edit->met, memory_order_relaxed)) continue;
		return sheaf_fail_option(err, SHEAF_USAGE, edit->is_group ? "rename-group" : "frequency",
		                         ": expected the name of %s of %s, found \"%s\", which none of them has",
		                         edit->is_group ? "a group" : "an example", file, edit->name);
	}
	return SHEAF_OK;
}
