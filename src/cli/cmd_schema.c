/* SPDX-License-Identifier: MIT */
/* sheaf schema: the streams of a file, in the words that each format's users write for them: options of this
 * command, an `input` section of CNTK, a schema of SciDB. A declaration names a file: the one that was read,
 * or its name with another format's suffix. */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct declaration {
	session *s;
	const sheaf_schema *schema;
	const sheaf_format *own; /* of the file */
	bool json;
	sheaf_buffer text;
	int printed;
} declaration;

static void json_begin(const declaration *d)
{
	json_open(NULL, "{");
	json_text("file", d->s->label);
	json_text("format", sheaf_format_about(d->own).name);
	json_schema(d->schema, -1);
	json_open("declarations", "{");
}

/* Prints the declaration of the schema in a format's words, or as a member of the object of JSON, which the
 * first declaration begins. It names the file, or for another format than the file's its name with that
 * format's suffix. A format that has nothing to declare for this schema prints nothing, not even a heading.
 */
static sheaf_status declare(declaration *d, const sheaf_format *format, bool heading, sheaf_error *err)
{
	/* The file to which the declaration refers: this one, or its name in another format. */
	const char *label = d->s->label, *slash = strrchr(label, '/'), *dot = strchr(slash ? slash : label, '.');
	const char *suffix = sheaf_format_about(format).suffixes[0];
	char name[1024];
	snprintf(name, sizeof name, "%.*s%s", dot ? (int)(dot - label) : (int)strlen(label), label,
	         suffix ? suffix : "");
	sheaf_buffer_reset(&d->text);
	SHEAF_TRY(sheaf_declare(format, d->schema, format == d->own ? label : name, format == d->own, d->s->cx,
	                        &d->text, err));
	if (d->text.size == 0) return SHEAF_OK;
	if (d->json) {
		char *text = calloc(1, d->text.size + 1);
		if (!text) return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for a declaration, found none");
		memcpy(text, d->text.data, d->text.size);
		if (d->printed++ == 0) json_begin(d);
		json_text(sheaf_format_about(format).name, text);
		free(text);
		return SHEAF_OK;
	}
	if (d->printed++) out_text("\n");
	if (heading) fact_text(false, NULL, "# %\n", sheaf_format_about(format).name);
	out_bytes(d->text.data, d->text.size);
	if (d->text.data[d->text.size - 1] != '\n') out_text("\n");
	return SHEAF_OK;
}

/* Prints the declarations of an open file: in the format of --to, or in all formats but those that cannot
 * declare its streams (UNSUPPORTED), with a heading each. Without --to, as JSON, the object has the streams
 * even if there is no declaration. */
static sheaf_status print_schema(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const char *wanted = sheaf_values_text(&s->args->values, "to");
	const sheaf_format *format;
	declaration d = {.s = s,
	                 .schema = sheaf_dataset_schema(dataset),
	                 .own = sheaf_dataset_format(dataset),
	                 .json = as_json(s->args)};
	int declaring = 0;
	sheaf_status status = wanted ? declare(&d, sheaf_format_find(wanted), false, err) : SHEAF_OK;
	for (int i = 0; (format = sheaf_format_at(i)); i++)
		declaring += (sheaf_format_about(format).can & SHEAF_CAN_DECLARE) != 0;
	for (int i = 0; !wanted && !status && (format = sheaf_format_at(i)); i++) {
		sheaf_status one = declare(&d, format, declaring > 1, err);
		if (one && one != SHEAF_UNSUPPORTED) status = one;
	}
	if (!wanted && !status && !d.printed && !d.json)
		status = sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: no format can declare its streams", s->label);
	if (d.json && status == SHEAF_OK && !d.printed) json_begin(&d);
	if (d.json && status == SHEAF_OK) out_text("}}\n");
	sheaf_buffer_reset(&d.text);
	return status;
}

int run_schema(const arguments *args) { return visit_files(args, (opening){0}, print_schema); }
