/* SPDX-License-Identifier: MIT */
/* The schema as CNTK's users write it: the reader section of a configuration. The file itself contains the
 * streams, so only renamed ones need a line. */
#include "base/buffer.h"
#include "format/cbf/cbf.h"

sheaf_status sheaf_cbf_declare(const sheaf_schema *schema, const char *file, bool own, sheaf_context *cx,
                               sheaf_buffer *text, sheaf_error *err)
{
	sheaf_builder b;
	bool renamed = false, wide = false;
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		if (field->meaning == SHEAF_KEY) continue;
		SHEAF_TRY(sheaf_field_need_stream(field, err));
		renamed |= own && field->alias != NULL;
		wide |= field->type == SHEAF_F64;
	}
	sheaf_builder_resume(&b, cx, text);
	sheaf_builder_printf(
		&b, "# CNTK reader section\n%sreader = [\n    readerType = \"CNTKBinaryReader\"\n    file = \"%s\"\n",
		wide ? "precision = \"double\"\n" : "", file);
	if (renamed) sheaf_builder_text(&b, "    input = [\n");
	for (int i = 0; i < schema->nfields && renamed; i++)
		if (schema->fields[i].alias)
			sheaf_builder_printf(&b, "        %s = [ alias = \"%s\" ]\n", schema->fields[i].name,
			                     schema->fields[i].alias);
	if (renamed) sheaf_builder_text(&b, "    ]\n");
	sheaf_builder_text(&b, "]\n");
	return sheaf_builder_finish(&b, text, err);
}
