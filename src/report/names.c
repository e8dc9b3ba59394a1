/* SPDX-License-Identifier: MIT */
/* Names of indices: the lines of a text, unchanged, as CNTK's label mapping files have them. Line i, counted
 * from 0, is the name of index i; it is looked for line by line, since only the few names of the most used
 * indices are shown. */
#include "report/names.h"
#include "base/need.h"
#include "frame/frame.h"
#include "io/source.h"
#include <string.h>

/* The whole text is kept as it is, in place of any that the field had. */
sheaf_status sheaf_summary_names(sheaf_summary *s, const char *field, sheaf_source *source, sheaf_error *err)
{
	SHEAF_NEED(s, "a summary");
	SHEAF_NEED(field, "the name of a field");
	SHEAF_NEED(source, "a source");
	enum { AT_ONCE = 1 << 16 };
	sheaf_bytes bytes;
	int f = sheaf_schema_find(&s->schema, field);
	if (f < 0) return sheaf_refuse_stream("names", field, "the dataset", &s->schema, err);
	sheaf_builder b;
	sheaf_builder_begin(&b, s->cx, NULL);
	sheaf_status status;
	do {
		status = sheaf_source_ahead(source, AT_ONCE, &bytes, err);
		if (status) break;
		sheaf_builder_append(&b, bytes.data, bytes.size);
		sheaf_source_consume(source, bytes.size);
	} while (bytes.size && !b.failed);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, &s->fields[f].names, err);
	sheaf_builder_drop(&b);
	return status;
}

/* The name points into the text, without the end of its line, and is cut after SHEAF_INDEX_NAME bytes; an
 * empty line is no name. */
bool sheaf_index_name(const sheaf_field_summary *f, int64_t index, const char **name, size_t *size)
{
	const uint8_t *at = f->names.data, *end = f->names.size ? at + f->names.size : at;
	for (int64_t line = 0; at < end; line++) {
		const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop) stop = end;
		if (line == index) {
			*name = (const char *)at;
			*size = (size_t)(stop - at);
			if (*size && stop[-1] == '\r') --*size;
			if (*size > SHEAF_INDEX_NAME) *size = SHEAF_INDEX_NAME;
			return *size > 0;
		}
		at = stop + (stop < end);
	}
	return false;
}
