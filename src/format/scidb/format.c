/* SPDX-License-Identifier: MIT */
/* SciDB's binary files: the table entry, options, recognition and opening. Nothing in a file says what it
 * holds, so it is opened only with a format string or a schema, and recognized by its suffix alone. */
#include "base/buffer.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/suffix.h"
#include "format/scidb/scidb.h"
#include "io/source.h"
#include <string.h>

static const char *const suffixes[] = {".scidb", NULL};

static const sheaf_option options[] = {
	{"format-string", SHEAF_OPTION_TEXT, SHEAF_READING | SHEAF_WRITING, "TEXT",
     "what a cell of a SciDB binary file holds: (int64, string null, skip(8), double)", 0},
	{"schema", SHEAF_OPTION_TEXT, SHEAF_READING | SHEAF_WRITING, "TEXT",
     "the attributes, and dimensions, of a SciDB array: <a:int64 NOT NULL,b:string>[i=0:*]; without a format "
     "string, it follows from the schema",
     0},
	{"type", SHEAF_OPTION_TEXTS, SHEAF_READING | SHEAF_WRITING, "NAME=BYTES",
     "a type of a plugin and its size, such as rational=16; repeatable", 0},
	{"not-null-default", SHEAF_OPTION_FLAG, SHEAF_READING | SHEAF_WRITING, NULL,
     "attributes without NULL or NOT NULL in the schema are not nullable, as before SciDB 15.12", 0},
	{"dimensions", SHEAF_OPTION_FLAG, SHEAF_READING | SHEAF_WRITING, NULL,
     "add the coordinates of each cell as columns: they follow from the dimensions of the schema, with the "
     "cells in the order of chunks",
     0},
	{"fill-cells", SHEAF_OPTION_FLAG, SHEAF_WRITING, NULL,
     "with dimensions: write cells without a row as null, or as 0 if they may not be null", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

/* ---- recognition ---- */

/* Chunk images of the server's backup format begin with a signature of their own; those of the first versions
 * with another. */
static const uint32_t OPAQUE = 0x5ac00e, OLD_OPAQUE = 0x0aecac;

static bool is_opaque(sheaf_bytes head)
{
	enum { LAST_VERSION = 2 };
	if (head.size < 8) return false;
	uint32_t magic = sheaf_load_u32le(head.data), version = sheaf_load_u32le(head.data + 4);
	return magic == OLD_OPAQUE || (magic == OPAQUE && version >= 1 && version <= LAST_VERSION);
}

/* Nothing in a file says that it is one. */
static sheaf_likely probe(sheaf_glimpse *at)
{
	if (is_opaque(at->head)) return SHEAF_SURE;
	return sheaf_has_suffix_of(at->name, suffixes) ? SHEAF_PERHAPS : SHEAF_NO;
}

/* ---- opening ---- */

/* What is allocated with the reader, also after a failure to open. */
static void close_reader(void *reader)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	sheaf_scidb_layout_free(&in->layout);
	sheaf_scidb_entries_free(&in->entries);
	sheaf_scidb_array_free(&in->array);
	sheaf_scidb_types_free(&in->types);
}

static sheaf_status add_field(sheaf_scidb_reader *in, const char *name, const sheaf_scidb_type *type,
                              int64_t width, bool nullable, sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(sheaf_schema_add(&in->schema, in->cx, name, strlen(name), &field, err));
	sheaf_scidb_make_field(field, type, width, nullable);
	return SHEAF_OK;
}

/* The coordinates, if they are wanted, then the attributes. */
static sheaf_status make_schema(sheaf_scidb_reader *in, const sheaf_values *values, sheaf_error *err)
{
	in->schema.rows = SHEAF_CELLS;
	in->schema.cx = in->cx;
	if (sheaf_values_flag(values, "dimensions")) {
		SHEAF_TRY(sheaf_scidb_check_dimensions(&in->array, err));
		in->coordinates = in->array.ndimensions;
	}
	for (int i = 0; i < in->coordinates; i++)
		SHEAF_TRY(
			add_field(in, in->array.dimensions[i].name, sheaf_scidb_type_of(SCIDB_INT64), 0, false, err));
	for (int i = 0; i < in->layout.count; i++) {
		const sheaf_scidb_item *item = &in->layout.items[i];
		if (item->column >= 0)
			SHEAF_TRY(add_field(in, in->array.attributes[item->column].name, item->type,
			                    item->converts ? 0 : item->entry.size, item->nullable, err));
	}
	return sheaf_scidb_label(&in->schema, &in->entries, &in->array, in->cx, err);
}

/* Cells of a fixed size in a plain file are not read through: pieces are views of the file, and its size says
 * how many rows there are, unless a part of a cell is left. */
static sheaf_status open_reader(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	sheaf_bytes head;
	(void)how;
	in->evidence.first_odd = -1;
	in->types.cx = in->cx;
	SHEAF_TRY(sheaf_source_ahead(in->source, 8, &head, err));
	if (is_opaque(head))
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"%s (byte 0): expected cells, found a file of the server's format opaque, which only "
			"the server reads: save it with a format string",
			sheaf_source_name(in->source));
	SHEAF_TRY(sheaf_scidb_read_options(values, &in->types, &in->entries, &in->array, err));
	if (in->entries.count == 0)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected " SHEAF_OPTION("format-string") " or " SHEAF_OPTION(
							  "schema") ", since nothing in the file says what it "
		                                "holds, found neither",
		                  sheaf_source_name(in->source));
	SHEAF_TRY(sheaf_scidb_layout_make(&in->layout, &in->entries, &in->array, false, err));
	SHEAF_TRY(make_schema(in, values, err));
	/* The format string decides where cells end; nullability of attributes, dimensions and conversions do not
	 * matter for that. */
	in->counting = sheaf_schema_attribute(&in->schema, SCIDB_LABEL_ENTRIES);
	int64_t cell = in->layout.cell_bytes;
	in->views = cell > 0 && sheaf_source_size(in->source) >= 0;
	in->facts.ordinal_keys = 1;
	if (!in->views) return SHEAF_OK;
	SHEAF_TRY(sheaf_source_make_seekable(in->source, err));
	int64_t size = sheaf_source_size(in->source);
	if (size % cell == 0) in->facts.rows = in->facts.samples = size / cell;
	return SHEAF_OK;
}

static sheaf_status rewind_reader(void *reader, const sheaf_piece *to, sheaf_error *err)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	if (to) return sheaf_scidb_resume(in, to, err);
	in->cell = 0;
	in->ended = false;
	in->evidence = (sheaf_scidb_evidence){.first_odd = -1};
	return in->views ? SHEAF_OK : sheaf_source_rewind(in->source, err);
}

/* ---- facts ---- */

static sheaf_status describe(const void *reader, const sheaf_listing *to, sheaf_error *err)
{
	const sheaf_scidb_reader *in = (const sheaf_scidb_reader *)reader;
	(void)err;
	sheaf_listing_text(to, "format_string", "format string: %\n", in->counting);
	if (in->layout.cell_bytes)
		sheaf_listing_count(to, "cell_bytes", "cell bytes: %\n", in->layout.cell_bytes);
	return SHEAF_OK;
}

static const sheaf_random_access random_access = {
	.recall = sheaf_scidb_recall,
	.resumes = true,
	.measure = sheaf_scidb_measure,
};

static const sheaf_model model = {
	.describe = describe,
	.guess = sheaf_scidb_guess,
	.declare = sheaf_scidb_declare,
};

const sheaf_format sheaf_format_scidb = {
	.name = "scidb",
	.summary = "SciDB binary files: rows of typed attributes, as a format string or array schema says",
	.suffixes = suffixes,
	.can = SHEAF_CAN_SPLIT,
	.options = options,
	.random = &random_access,
	.write = &sheaf_scidb_writing,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(sheaf_scidb_reader),
	.open = open_reader,
	.cut = sheaf_scidb_cut,
	.decode = sheaf_scidb_decode,
	.review = sheaf_scidb_review,
	.rewind = rewind_reader,
	.carry = sheaf_scidb_carry,
	.close = close_reader,
};
