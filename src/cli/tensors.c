/* SPDX-License-Identifier: MIT */
/* What info prints about tensors: about one, and about all of a file, as a tree. */
#include "cli.h"
#include <inttypes.h>
#include <string.h>

static const char *value_type(const sheaf_schema *schema)
{
	int value = sheaf_schema_value(schema);
	return value < 0 ? "none" : sheaf_type_name(schema->fields[value].type);
}

static bool is_complex(const sheaf_schema *schema)
{
	int value = sheaf_schema_value(schema);
	return value >= 0 && schema->fields[value].meaning == SHEAF_COMPLEX;
}

/* "CSR, 3 x 4, float32, symmetric_lower, 4 stored" */
void print_tensor(const sheaf_schema *schema, int64_t stored)
{
	const sheaf_tensor *t = &schema->tensor;
	if (t->layout[0]) out_printf("%s, ", t->layout);
	for (int d = 0; d < t->rank; d++) out_printf("%s%" PRId64, d ? " x " : "", t->shape[d]);
	out_printf("%s%s%s%s", t->rank ? ", " : "scalar, ", is_complex(schema) ? "complex " : "",
	           value_type(schema), t->dense ? ", dense" : "");
	if (t->structure) out_printf(", %s", sheaf_structure_name(t->structure));
	if (t->iso) out_text(", all of one value");
	if (t->sorted && t->rank > 1) {
		out_text(", sorted by ");
		for (int d = 0; d < t->rank; d++) out_printf("%s%s", d ? "," : "", schema->fields[t->order[d]].name);
	}
	if (stored >= 0) out_printf(", %" PRId64 " stored", stored);
	out_text("\n");
}

static void json_order(const sheaf_tensor *t)
{
	out_text("[");
	for (int d = 0; d < t->rank; d++) out_printf("%s%d", d ? "," : "", t->order[d]);
	out_text("]");
}

static void json_flag(bool *first, const char *key, bool value)
{
	out_json_key(first, key);
	out_text(value ? "true" : "false");
}

void json_tensor(const sheaf_schema *schema, int64_t stored)
{
	const sheaf_tensor *t = &schema->tensor;
	bool first = true;
	out_text("{");
	if (t->layout[0]) out_json_member(&first, "format", t->layout);
	out_json_key(&first, "shape");
	out_text("[");
	for (int d = 0; d < t->rank; d++) out_printf("%s%" PRId64, d ? "," : "", t->shape[d]);
	out_text("]");
	out_json_member(&first, "type", value_type(schema));
	json_flag(&first, "complex", is_complex(schema));
	json_flag(&first, "dense", t->dense);
	json_flag(&first, "iso", t->iso);
	out_json_member(&first, "structure", sheaf_structure_name(t->structure));
	if (t->sorted) out_json_key(&first, "order"), json_order(t);
	if (stored >= 0) out_json_count(&first, "stored", stored);
	out_text("}");
}

/* ---- all of them ---- */

/* Opening a dataset lists the whole container: if there are more than this, only the names are printed. */
enum { MOST_OPENED = 256 };

typedef struct tree {
	session *s;
	const char *path; /* of the file */
	bool json, names_only;
	int count;
	char before[512]; /* the last dataset listed */
} tree;

/* The folders of a path that the previous one does not share, each on a line, and then the name. */
static void print_branch(const char *before, const char *path)
{
	size_t common = 0;
	int depth = 1;
	for (size_t i = 0; path[i] && path[i] == before[i]; i++)
		if (path[i] == '/') common = i + 1;
	for (const char *at = path; *at; depth++) {
		size_t n = strcspn(at, "/");
		bool last = at[n] == '\0', root = strcmp(path, "/") == 0;
		if (last || root || (size_t)(at - path) >= common) {
			out_printf("%*s", depth * 2, "");
			out_some_visibly(root ? "/" : at, root ? 1 : n);
			out_text(last || root ? "  " : "/\n");
		}
		if (last || root) return;
		at += n + 1;
	}
}

static void json_listed(const sheaf_schema *schema, int64_t rows)
{
	bool first = false, streams = schema->rows == SHEAF_SEQUENCES;
	if (schema->rows == SHEAF_ENTRIES) {
		out_json_key(&first, "tensor");
		json_tensor(schema, rows);
		return;
	}
	if (rows >= 0) out_json_count(&first, rows_word(schema), rows);
	out_json_key(&first, streams ? "streams" : "columns");
	json_fields(schema, streams);
}

/* "2 sequences of A (dense, dim 2, float32)": for datasets other than tensors, which have no shape. */
static void print_listed(const sheaf_schema *schema, int64_t rows)
{
	const char *comma = "";
	if (schema->rows == SHEAF_ENTRIES) {
		print_tensor(schema, rows);
		return;
	}
	if (rows >= 0) out_printf("%" PRId64 " ", rows);
	out_printf("%s of ", rows_word(schema));
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		if (field->meaning == SHEAF_KEY) continue;
		out_text(comma);
		out_visibly(field->name);
		out_printf(" (%s", sheaf_field_storage(field));
		if (sheaf_field_is_stream(field)) out_printf(", dim %" PRId64, sheaf_field_dim(field));
		out_printf(", %s)", sheaf_type_name(field->type));
		comma = ", ";
	}
	out_text("\n");
}

/* The description of a dataset, by name. */
static void print_attributes(const sheaf_schema *schema, int depth)
{
	for (int i = 0; i < schema->nattributes; i++) {
		if (i == 0) out_printf("%*sattributes: ", depth * 2, "");
		out_text(i ? ", " : "");
		out_visibly(schema->attributes[i].name);
	}
	if (schema->nattributes) out_text("\n");
}

static void json_attributes(const sheaf_schema *schema)
{
	bool first = false;
	if (schema->nattributes == 0) return;
	out_json_key(&first, "attributes");
	for (int i = 0; i < schema->nattributes; i++) {
		out_text(i ? "," : "[");
		out_json_text(schema->attributes[i].name);
	}
	out_text("]");
}

static int depth_of(const char *path)
{
	int depth = 1;
	for (; *path; path++) depth += *path == '/' && path[1];
	return depth;
}

static void remember(tree *t, const char *path)
{
	size_t n = strlen(path) < sizeof t->before ? strlen(path) : sizeof t->before - 1;
	t->count++;
	memcpy(t->before, path, n);
	t->before[n] = '\0';
}

static sheaf_status name_one(tree *t, const char *path, sheaf_error *err)
{
	bool first = true;
	if (t->json) {
		out_text(t->count ? ",{" : "{");
		out_json_member(&first, "path", path);
		out_text("}");
	} else {
		print_branch(t->before, path);
		out_text("\n");
	}
	remember(t, path);
	return out_check(err);
}

/* A dataset that cannot be read is listed with the reason. */
static sheaf_status list_refused(tree *t, const char *path, const sheaf_error *why, sheaf_error *err)
{
	bool first = true;
	if (t->json) {
		out_text(t->count ? ",{" : "{");
		out_json_member(&first, "path", path);
		out_json_member(&first, "refused", why->message);
		out_text("}");
	} else {
		print_branch(t->before, path);
		out_visibly(why->message);
		out_text("\n");
	}
	remember(t, path);
	return out_check(err);
}

static sheaf_status list_one(void *user, const char *path, sheaf_error *err)
{
	tree *t = (tree *)user;
	sheaf_dataset *dataset;
	sheaf_facts facts;
	if (t->names_only) return name_one(t, path, err);
	sheaf_error why = {0};
	sheaf_status status =
		session_open(t->s, t->path, &(opening){.glance = true, .member = path}, &dataset, &why);
	if (status == SHEAF_UNSUPPORTED || status == SHEAF_DATA || status == SHEAF_SHORT)
		return list_refused(t, path, &why, err);
	if (status) {
		*err = why;
		return status;
	}
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_dataset_facts(dataset, &facts);
	if (t->json) {
		bool first = true;
		out_text(t->count ? ",{" : "{");
		out_json_member(&first, "path", path);
		json_listed(schema, facts.rows);
		json_attributes(schema);
		out_text("}");
	} else {
		print_branch(t->before, path);
		print_listed(schema, facts.rows);
		print_attributes(schema, depth_of(path) + 1);
	}
	sheaf_close(dataset);
	remember(t, path);
	return out_check(err);
}

static sheaf_status count_one(void *user, const char *path, sheaf_error *err)
{
	(void)path, (void)err;
	++*(int *)user;
	return SHEAF_OK;
}

sheaf_status each_member(session *s, const char *path,
                         sheaf_status (*show)(void *user, const char *path, sheaf_error *err), void *user,
                         sheaf_error *err)
{
	sheaf_open_options open = {.size = sizeof open,
	                           .format = sheaf_values_text(&s->args->values, "from"),
	                           .settings = s->args->settings,
	                           .nsettings = s->args->nsettings};
	return sheaf_members(path, &open, s->cx, show, user, err);
}

sheaf_status count_members(session *s, const char *path, int *out, sheaf_error *err)
{
	*out = 0;
	return each_member(s, path, count_one, out, err);
}

sheaf_status print_members(session *s, const char *path, int64_t count, bool json, sheaf_error *err)
{
	tree t = {.s = s, .path = path, .json = json, .names_only = count > MOST_OPENED};
	sheaf_open_options open = {.size = sizeof open, .format = sheaf_values_text(&s->args->values, "from")};
	sheaf_buffer more = {0};
	SHEAF_TRY(each_member(s, path, list_one, &t, err));
	if (json) out_text("]");
	SHEAF_TRY(sheaf_besides(path, &open, json, s->cx, &more, err));
	out_bytes(more.data, more.size);
	sheaf_buffer_reset(&more);
	return out_check(err);
}
