/* SPDX-License-Identifier: MIT */
/* The schema as CNTK's users write it: --stream options, the reader section of a configuration, and the
 * converter's map file. Aliases count only if the schema is that of a file in this
 * format, which `own` says: those of another file mean nothing here. */
#include "frame/schema/declare.h"
#include "format/ctf/ctf.h"
#include <inttypes.h>
#include <string.h>

static const char *storage(const sheaf_field *field)
{
	return sheaf_field_is_sparse(field) ? "sparse" : "dense";
}

/* One option for each stream. A name may have any characters that CNTK takes, so the word is quoted where a
 * shell would read it as something else. */
static sheaf_status put_options(sheaf_builder *b, const sheaf_schema *schema, bool own, sheaf_error *err)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:=/,+@%";
	sheaf_builder word;
	sheaf_builder_text(b, "# options\n");
	for (int i = 0; i < schema->nfields; i++) {
		if (!sheaf_field_is_stream(&schema->fields[i])) continue;
		sheaf_builder_begin(&word, b->cx, NULL);
		sheaf_declared_to_text(&word, &schema->fields[i], own);
		sheaf_status status = sheaf_builder_status(&word, err);
		const char *text = (const char *)word.data;
		size_t n = status ? 0 : word.size;
		bool bare = n > 0;
		for (size_t k = 0; k < n; k++) bare &= text[k] && strchr(plain, text[k]) != NULL;
		sheaf_builder_text(b, bare ? "--stream " : "--stream '");
		for (size_t k = 0; k < n; k++) {
			if (text[k] == '\'') sheaf_builder_text(b, "'\\'");
			sheaf_builder_byte(b, text[k]);
		}
		sheaf_builder_text(b, bare ? "\n" : "'\n");
		sheaf_builder_drop(&word);
		SHEAF_TRY(status);
	}
	return SHEAF_OK;
}

/* Four words on a line, as CNTK's converter from text to binary files reads them. */
static void put_map(sheaf_builder *b, const sheaf_schema *schema, bool own)
{
	sheaf_builder_text(b, "\n# map file: name alias format dim\n");
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		if (sheaf_field_is_stream(field))
			sheaf_builder_printf(b, "%s %s %s %" PRId64 "\n", field->name,
			                     own ? sheaf_ctf_name_of(field) : field->name, storage(field),
			                     sheaf_field_dim(field));
	}
}

sheaf_status sheaf_ctf_declare(const sheaf_schema *schema, const char *file, bool own, sheaf_context *cx,
                               sheaf_buffer *text, sheaf_error *err)
{
	sheaf_builder b;
	for (int i = 0; i < schema->nfields; i++)
		if (schema->fields[i].meaning != SHEAF_KEY)
			SHEAF_TRY(sheaf_field_need_stream(&schema->fields[i], err));
	sheaf_builder_resume(&b, cx, text);
	sheaf_status status = put_options(&b, schema, own, err);
	if (status) {
		sheaf_builder_drop(&b);
		return status;
	}
	/* CNTK has one precision for all streams of a reader: double, if any stream has it. */
	bool wide = false;
	for (int i = 0; i < schema->nfields; i++)
		wide |= sheaf_field_is_stream(&schema->fields[i]) && schema->fields[i].type == SHEAF_F64;
	sheaf_builder_printf(&b,
	                     "\n# CNTK reader section\n%sreader = [\n    readerType = \"CNTKTextFormatReader\"\n "
	                     "   file = \"%s\"\n    input = [\n",
	                     wide ? "precision = \"double\"\n" : "", file);
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		if (!sheaf_field_is_stream(field)) continue;
		sheaf_builder_printf(&b, "        %s = [\n", field->name);
		if (own && field->alias) sheaf_builder_printf(&b, "            alias = \"%s\"\n", field->alias);
		sheaf_builder_printf(&b, "            dim = %" PRId64 "\n            format = \"%s\"\n",
		                     sheaf_field_dim(field), storage(field));
		if (field->main) sheaf_builder_text(&b, "            definesMBSize = true\n");
		sheaf_builder_text(&b, "        ]\n");
	}
	sheaf_builder_text(&b, "    ]\n]\n");
	put_map(&b, schema, own);
	return sheaf_builder_finish(&b, text, err);
}
