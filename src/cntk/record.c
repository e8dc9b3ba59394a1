/* SPDX-License-Identifier: MIT */
/* Records and their fields. A name may have several records, which act as one; and CNTK looks for a key that
 * a record does not have in the records around it. */
#include "cntk/config.h"
#include <string.h>

sheaf_config_record sheaf_cntk_whole(const sheaf_cntk *c)
{
	return (sheaf_config_record){.parts = {{0, c->size}}, .nparts = 1};
}

/* ---- fields ---- */

sheaf_field_walk sheaf_cntk_walk(const sheaf_config_record *record)
{
	return (sheaf_field_walk){record, 0, record->parts[0]};
}

sheaf_status sheaf_cntk_step(const sheaf_cntk *c, sheaf_field_walk *walk, sheaf_field_span *out)
{
	for (;;) {
		sheaf_status status = sheaf_cntk_next(c, &walk->rest, out);
		if (status != SHEAF_END || walk->part + 1 >= walk->record->nparts) return status;
		walk->rest = walk->record->parts[++walk->part];
	}
}

sheaf_status sheaf_cntk_find(const sheaf_cntk *c, const sheaf_config_record *record, const char *name,
                             sheaf_field_span *out)
{
	sheaf_field_walk walk = sheaf_cntk_walk(record);
	sheaf_field_span field;
	sheaf_status found = SHEAF_END, status;
	while ((status = sheaf_cntk_step(c, &walk, &field)) == SHEAF_OK) {
		if (!sheaf_cntk_is_name(c, field.name, name)) continue;
		*out = field;
		found = SHEAF_OK;
	}
	return status == SHEAF_END ? found : status;
}

sheaf_status sheaf_cntk_said(const sheaf_cntk *c, const sheaf_config_record *record, bool outward,
                             const char *name, sheaf_field_span *out)
{
	sheaf_status status = SHEAF_END;
	for (; record && status == SHEAF_END; record = outward ? record->outer : NULL)
		status = sheaf_cntk_find(c, record, name, out);
	SHEAF_TRY(status);
	sheaf_cntk_span value = out->value;
	SHEAF_TRY(sheaf_cntk_unquote(c, &value));
	bool is_default = value.end - value.at == 7 && memcmp(c->text + value.at, "default", 7) == 0;
	return is_default ? SHEAF_END : SHEAF_OK;
}

sheaf_status sheaf_cntk_has(const sheaf_cntk *c, const sheaf_config_record *record, const char *name,
                            bool *yes)
{
	sheaf_field_span field;
	sheaf_status status = record ? sheaf_cntk_find(c, record, name, &field) : SHEAF_END;
	*yes = status == SHEAF_OK;
	return sheaf_cntk_may_lack(status);
}

sheaf_status sheaf_cntk_flag(const sheaf_cntk *c, const sheaf_config_record *record, const char *name,
                             bool *yes, sheaf_field_span *field)
{
	sheaf_status status = sheaf_cntk_said(c, record, true, name, field);
	return status ? sheaf_cntk_may_lack(status) : sheaf_cntk_bool(c, *field, yes);
}

sheaf_status sheaf_cntk_is_first(const sheaf_cntk *c, const sheaf_config_record *record, sheaf_cntk_span name,
                                 bool *yes)
{
	sheaf_field_walk walk = sheaf_cntk_walk(record);
	sheaf_field_span field;
	sheaf_status status;
	*yes = false;
	while ((status = sheaf_cntk_step(c, &walk, &field)) == SHEAF_OK) {
		if (!sheaf_cntk_is_same(c, field.name, name)) continue;
		*yes = field.name.at == name.at;
		return SHEAF_OK;
	}
	return sheaf_cntk_may_lack(status);
}

/* ---- records in records ---- */

/* Takes one more field of the name into *out. If it consists of records in [ ], they are added to those
 * before it; otherwise it replaces them, by records in { } or, if it is no record, by nothing. */
static sheaf_status take_field(const sheaf_cntk *c, sheaf_field_span field, sheaf_config_record *out)
{
	sheaf_cntk_span parts[CNTK_PARTS];
	int n = sheaf_cntk_records(c, field.value, parts);
	bool joins = n > 0 && c->text[field.value.at] == '[';
	if (!joins) out->nparts = 0;
	if (n == 0) SHEAF_TRY(sheaf_cntk_check_names(c, field));
	for (int i = 0; i < n; i++) {
		if (out->nparts == CNTK_PARTS)
			return sheaf_cntk_fail(c, field.name.at, "expected at most %d records of one name, found more",
			                       CNTK_PARTS);
		out->parts[out->nparts++] = parts[i];
	}
	return SHEAF_OK;
}

sheaf_status sheaf_cntk_inner(const sheaf_cntk *c, const sheaf_config_record *outer, sheaf_cntk_span name,
                              sheaf_config_record *out)
{
	sheaf_field_walk walk = sheaf_cntk_walk(outer);
	sheaf_field_span field;
	sheaf_status status;
	*out = (sheaf_config_record){.outer = outer, .name = name};
	while ((status = sheaf_cntk_step(c, &walk, &field)) == SHEAF_OK)
		if (sheaf_cntk_is_same(c, field.name, name)) SHEAF_TRY(take_field(c, field, out));
	if (status != SHEAF_END) return status;
	return out->nparts ? SHEAF_OK : SHEAF_END;
}

sheaf_status sheaf_cntk_inner_named(const sheaf_cntk *c, const sheaf_config_record *outer, const char *name,
                                    sheaf_config_record *out)
{
	sheaf_field_span field;
	SHEAF_TRY(sheaf_cntk_find(c, outer, name, &field));
	return sheaf_cntk_inner(c, outer, field.name, out);
}

/* ---- paths ---- */

/* The path is put together from its end, the innermost name; names for which there is no room are left out.
 */
const char *sheaf_cntk_path(const sheaf_cntk *c, const sheaf_config_record *record, char path[CNTK_PATH])
{
	path[0] = '\0';
	for (; record && record->outer; record = record->outer) {
		size_t used = strlen(path), n = record->name.end - record->name.at, dot = used > 0;
		if (n + dot + used + 1 > CNTK_PATH) continue;
		memmove(path + n + dot, path, used + 1);
		if (dot) path[n] = '.';
		memcpy(path, c->text + record->name.at, n);
	}
	return path;
}
