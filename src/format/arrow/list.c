/* SPDX-License-Identifier: MIT */
/* The fields of a schema as a tree: each with its type in words, whether it may be missing, and its children.
 * They are those of the C data interface, also of columns that are left out. */
#include "base/extend.h"
#include "base/memory.h"
#include "base/status.h"
#include "container/box.h"
#include "format/arrow/ipc.h"
#include "frame/frame.h"
#include "io/source.h"
#include <string.h>

/* Words for the formats of the C data interface: the longest beginning that fits counts, and what follows it
 * (units, zones, sizes) is shown as it is. */
static const struct {
	const char *begins, *word;
} words[] = {{"n", "null"},
             {"b", "bool"},
             {"c", "int8"},
             {"C", "uint8"},
             {"s", "int16"},
             {"S", "uint16"},
             {"i", "int32"},
             {"I", "uint32"},
             {"l", "int64"},
             {"L", "uint64"},
             {"e", "float16"},
             {"f", "float32"},
             {"g", "float64"},
             {"z", "bytes"},
             {"Z", "large bytes"},
             {"vz", "views of bytes"},
             {"u", "text"},
             {"U", "large text"},
             {"vu", "views of text"},
             {"d:", "decimal "},
             {"w:", "bytes of "},
             {"td", "date "},
             {"tt", "time "},
             {"ts", "timestamp "},
             {"tD", "duration "},
             {"ti", "interval "},
             {"+l", "list"},
             {"+L", "large list"},
             {"+vl", "list view"},
             {"+vL", "large list view"},
             {"+w:", "list of "},
             {"+s", "struct"},
             {"+m", "map"},
             {"+u", "union "},
             {"+r", "runs"}};

typedef struct listing {
	const sheaf_item_teller *teller;
	const sheaf_ipc_reader *in;
} listing;

/* Whether a column is read: as a field of its name, or, of a struct, as fields whose names begin with it.
 * Columns that were ours are all read. */
static bool is_read(const sheaf_ipc_reader *in, const char *name)
{
	size_t n = strlen(name);
	bool found = in->plan.tops;
	for (int f = 0; f < in->schema.nfields && !found; f++) {
		const char *field = in->schema.fields[f].name;
		found = strncmp(field, name, n) == 0 && (field[n] == '\0' || field[n] == '.');
	}
	return found;
}

static void put_type(sheaf_builder *b, const struct ArrowSchema *field)
{
	const char *format = field->dictionary ? field->dictionary->format : field->format;
	size_t best = 0, n;
	const char *word = "unknown";
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if ((n = strlen(words[i].begins)) > best && strncmp(format, words[i].begins, n) == 0) {
			best = n;
			word = words[i].word;
		}
	sheaf_builder_printf(b, "%s%s%s%s", field->dictionary ? "dictionary of " : "", word, format + best,
	                     field->flags & ARROW_FLAG_NULLABLE ? ", nullable" : "");
	sheaf_builder_byte(b, '\0');
}

/* Shows a field and its children; `above` is the path of its parent, "" for a column. */
static sheaf_status show_field(const listing *l, const struct ArrowSchema *field, const char *above,
                               sheaf_error *err)
{
	SHEAF_SCOPED(sheaf_builder_drop) sheaf_builder path = {.cx = l->in->cx}, type = path;
	bool is_left_out = !*above && !is_read(l->in, field->name);
	sheaf_builder_printf(&path, "%s%s%s", above, *above ? "/" : "", field->name);
	sheaf_builder_byte(&path, '\0');
	put_type(&type, field);
	SHEAF_TRY(sheaf_builder_status(&path, err));
	SHEAF_TRY(sheaf_builder_status(&type, err));
	const sheaf_box_item item = {.path = (const char *)path.data,
	                             .name = field->name,
	                             .of = (const char *)type.data,
	                             .refused = is_left_out ? "a column that is left out" : NULL};
	SHEAF_TRY(l->teller->show(l->teller->user, NULL, &item, err));
	for (int64_t i = 0; i < field->n_children; i++)
		SHEAF_TRY(show_field(l, field->children[i], item.path, err));
	return SHEAF_OK;
}

static sheaf_status show_all(const sheaf_ipc_reader *in, const sheaf_item_teller *teller, sheaf_error *err)
{
	const struct ArrowSchema *all = &in->columns;
	const listing l = {teller, in};
	const sheaf_box_item root = {.path = "", .is_group = true, .of = "schema", .count = all->n_children};
	SHEAF_TRY(teller->show(teller->user, NULL, &root, err));
	for (int64_t i = 0; i < all->n_children; i++) SHEAF_TRY(show_field(&l, all->children[i], "", err));
	return SHEAF_OK;
}

/* Shows the fields of what a reader has opened. A source that was not opened is: its schema may be there even
 * if no column of it is read. */
sheaf_status sheaf_ipc_list(const void *opened, sheaf_source *source, const sheaf_item_teller *teller,
                            sheaf_error *err)
{
	sheaf_ipc_reader *in;
	sheaf_error failure = {0};
	if (opened) return show_all((const sheaf_ipc_reader *)opened, teller, err);
	SHEAF_TRY(sheaf_allocate(source->cx, sizeof *in, &in, err));
	in->cx = source->cx;
	in->source = source;
	sheaf_status status = sheaf_ipc_open(in, &(sheaf_values){0}, &(sheaf_opening){0}, &failure);
	if (status == SHEAF_UNSUPPORTED && in->columns.release)
		status = sheaf_forgive(status, "the fields are listed, though no row is read");
	status = status ? sheaf_fail_again(err, &failure) : show_all(in, teller, err);
	sheaf_ipc_close(in);
	sheaf_schema_free(&in->schema);
	sheaf_release(source->cx, in, sizeof *in);
	return status;
}
