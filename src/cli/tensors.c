/* SPDX-License-Identifier: MIT */
/* What info prints about tensors: about one, and about all of a file, as a tree of groups with a line for
 * each dataset. Each is opened with a quick look, which reads its description and no values. */
#include "cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Prints what a schema says about its tensor, as a line such as "CSR, 3 x 4, float32, symmetric_lower, 4
 * stored" or as the member "tensor" of a JSON object. `stored` is the number of entries in the file; -1: it
 * is not known, and left out. A tensor without a column of values has the type "none". In JSON the order of
 * a sorted tensor is the numbers of its dimensions, the outermost first; in a line it is their names, and a
 * vector, which has only one order, shows none. */
void print_tensor(const sheaf_schema *schema, int64_t stored, bool json)
{
	const sheaf_tensor *t = &schema->tensor;
	int value_field = sheaf_schema_value(schema);
	const sheaf_field *value = value_field < 0 ? NULL : &schema->fields[value_field];
	bool is_complex = value && value->meaning == SHEAF_COMPLEX;
	fact_open(json, "tensor", "", "{");
	if (t->layout[0]) fact_text(json, "format", "%, ", t->layout);
	fact_shape(json, "shape", t->rank ? "%, " : "scalar, ", t->shape, t->rank);
	fact_text(json, "type", is_complex ? "complex %" : "%", value ? sheaf_type_name(value->type) : "none");
	if (json) {
		json_flag("complex", is_complex);
		json_flag("dense", t->dense);
		json_flag("iso", t->iso);
	} else if (t->dense) {
		out_text(", dense");
	}
	fact_text(json, "structure", t->structure ? ", %" : NULL, sheaf_structure_name(t->structure));
	if (t->iso && !json) out_text(", all of one value");
	if (t->sorted && (json || t->rank > 1)) {
		fact_open(json, "order", ", sorted by ", "[");
		for (int d = 0; d < t->rank; d++)
			if (json)
				json_count(NULL, t->order[d]);
			else
				out_printf("%s%s", d ? "," : "", schema->fields[t->order[d]].name);
		fact_close(json, "", "]");
	}
	if (stored >= 0) fact_count(json, "stored", ", % stored", stored);
	fact_close(json, "\n", "}");
}

/* ---- all of them ---- */

/* Opening a dataset lists the whole container: if there are more than this, only the names are printed. */
enum { MOST_OPENED = 256 };

typedef struct tree {
	session *s;
	const char *path; /* of the file */
	bool json, names_only;
	char before[512]; /* the last dataset listed */
} tree;

/* Prints the path of a dataset as a branch of the tree: the folders that the path before it does not have, a
 * line each, and then the beginning of the dataset's own line, its name. Each level is indented by two blanks
 * more. */
static void print_branch(const char *before, const char *path)
{
	size_t common = 0; /* bytes of the folders that both paths have */
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

/* Prints the line of a dataset that is no tensor: "2 sequences of A (dense, dim 2, float32)". `rows` -1:
 * their number is not known. */
static void print_rows_of(const sheaf_schema *schema, int64_t rows)
{
	const char *comma = "";
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

/* How many levels deep the lines below the name of a dataset are: the name is one level deeper than its
 * folders, of which each has a '/' after it, and the lines are one level deeper than the name. */
static int depth_below(const char *path)
{
	int depth = 2;
	for (; *path; path++) depth += *path == '/' && path[1];
	return depth;
}

/* Prints what is known about a dataset, after its name: the tensor, or the rows and fields; and the names of
 * the attributes on a line of their own, `depth` levels deep. `rows` -1: their number is not known. */
static void print_dataset(const sheaf_schema *schema, int64_t rows, int depth, bool json)
{
	if (schema->rows == SHEAF_ENTRIES) {
		print_tensor(schema, rows, json);
	} else if (json) {
		if (rows >= 0) json_count(rows_word(schema), rows);
		json_fields(schema, schema->rows == SHEAF_SEQUENCES);
	} else {
		print_rows_of(schema, rows);
	}
	if (schema->nattributes == 0) return;
	if (!json) out_printf("%*s", depth * 2, "");
	fact_open(json, "attributes", "attributes: ", "[");
	for (int i = 0; i < schema->nattributes; i++) {
		const char *name = schema->attributes[i].name;
		if (json) {
			json_text(NULL, name);
		} else {
			out_text(i ? ", " : "");
			out_visibly(name);
		}
	}
	fact_close(json, "\n", "]");
}

/* Lists the dataset at `path`: its name, and what a quick look at it shows, unless there are too many
 * (names_only). A dataset that cannot be read is listed with the reason; any other failure ends the list. */
static sheaf_status list_one(void *user, const char *path, sheaf_error *err)
{
	tree *t = (tree *)user;
	sheaf_dataset *dataset = NULL;
	sheaf_facts facts;
	sheaf_error why = {0};
	const opening how = {.glance = true, .member = path};
	sheaf_status status = t->names_only ? SHEAF_OK : session_open(t->s, t->path, &how, &dataset, &why);
	bool refused = status == SHEAF_UNSUPPORTED || status == SHEAF_DATA || status == SHEAF_SHORT;
	if (status && !refused) {
		*err = why;
		return status;
	}
	fact_open(t->json, NULL, "", "{");
	if (t->json)
		json_text("path", path);
	else
		print_branch(t->before, path);
	if (dataset) {
		sheaf_dataset_facts(dataset, &facts);
		print_dataset(sheaf_dataset_schema(dataset), facts.rows, depth_below(path), t->json);
	} else if (t->json) {
		if (refused) json_text("refused", why.message);
	} else {
		out_visibly(why.message);
		out_text("\n");
	}
	fact_close(t->json, "", "}");
	sheaf_close(dataset);
	snprintf(t->before, sizeof t->before, "%s", path);
	return out_check(err);
}

/* Adds one dataset to the count that `user` points to. */
static sheaf_status count_one(void *user, const char *path, sheaf_error *err)
{
	(void)path, (void)err;
	++*(int *)user;
	return SHEAF_OK;
}

sheaf_status each_member(session *s, const char *path, sheaf_member_teller show, void *user, sheaf_error *err)
{
	opening_options how;
	read_opening(s->args, &how);
	return sheaf_members(path, &how.open, s->cx, show, user, err);
}

sheaf_status count_members(session *s, const char *path, int *out, sheaf_error *err)
{
	*out = 0;
	return each_member(s, path, count_one, out, err);
}

sheaf_status print_members(session *s, const char *path, int64_t count, bool json, sheaf_error *err)
{
	tree t = {.s = s, .path = path, .json = json, .names_only = count > MOST_OPENED};
	fact_open(json, "datasets", "", "[");
	SHEAF_TRY(each_member(s, path, list_one, &t, err));
	fact_close(json, "", "]");
	return out_check(err);
}
