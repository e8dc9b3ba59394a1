/* SPDX-License-Identifier: MIT */
/* sheaf index: writes or checks the index beside a file. */
#include "cli.h"
#include <inttypes.h>

typedef struct outcome {
	const char *file, *state, *what; /* "written", "fresh", "sound", "bad"; the reason for a bad one */
	const sheaf_schema *schema;
	sheaf_index_info index;
} outcome;

/* Rows and their parts, in the words of info. */
static void print_counts(const outcome *o)
{
	out_printf("%s: %" PRId64 "\n", rows_word(o->schema), o->index.rows);
	if (o->schema->rows == SHEAF_SEQUENCES) out_printf("samples: %" PRId64 "\n", o->index.samples);
}

static double bits_of_row(const sheaf_index_info *index)
{
	return index->rows > 0 ? 8.0 * (double)index->bytes / (double)index->rows : 0;
}

static void print_text(const outcome *o)
{
	const sheaf_index_info *index = &o->index;
	out_text(o->file);
	out_text(": ");
	out_text(o->what ? o->what : o->state);
	out_text("\n");
	if (o->what) return;
	out_text("index: ");
	out_text(index->path);
	out_printf("\nbytes: %" PRId64 " (%.2f bits for each row)\n", index->bytes, bits_of_row(index));
	out_printf("pieces: %" PRId64, index->pieces);
	if (index->piece_bytes > 0) out_printf(" of about %" PRId64 " bytes", index->piece_bytes);
	out_text("\n");
	print_counts(o);
	out_text(o->schema->rows == SHEAF_SEQUENCES ? "streams: " : "columns: ");
	out_text(index->inferred ? "inferred from the whole input\n" : "as declared\n");
}

static void print_json(const outcome *o)
{
	const sheaf_index_info *index = &o->index;
	bool first = true;
	out_text("{");
	out_json_member(&first, "file", o->file);
	out_json_member(&first, "state", o->state);
	if (o->what) out_json_member(&first, "found", o->what);
	if (index->path) out_json_member(&first, "index", index->path);
	if (index->fresh && !o->what) {
		out_json_count(&first, "bytes", index->bytes);
		out_json_count(&first, "pieces", index->pieces);
		out_json_count(&first, "piece_bytes", index->piece_bytes);
		out_json_count(&first, rows_word(o->schema), index->rows);
		if (o->schema->rows == SHEAF_SEQUENCES) out_json_count(&first, "samples", index->samples);
		out_json_key(&first, "inferred");
		out_text(index->inferred ? "true" : "false");
	}
	out_text("}\n");
}

static sheaf_status print(const session *s, sheaf_dataset *dataset, const char *state, const char *what,
                          sheaf_error *err)
{
	outcome o = {.file = s->label, .state = state, .what = what, .schema = sheaf_dataset_schema(dataset)};
	sheaf_dataset_index(dataset, &o.index);
	if (sheaf_values_flag(&s->args->values, "json"))
		print_json(&o);
	else
		print_text(&o);
	return out_check(err);
}

static sheaf_status write_in_parts(const session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	bool done;
	SHEAF_TRY(part_of_index(s, dataset, &done, err));
	return done ? SHEAF_OK : print(s, dataset, "written", NULL, err);
}

static sheaf_status write(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	sheaf_index_info index;
	int64_t piece_bytes = sheaf_values_number(&s->args->values, "piece-bytes", 0);
	if (part_is_made() || parts_are_merged()) return write_in_parts(s, dataset, err);
	sheaf_dataset_index(dataset, &index);
	bool fits = index.piece_bytes == 0 || piece_bytes == 0 || piece_bytes == index.piece_bytes;
	if (index.fresh && fits) return print(s, dataset, "fresh", NULL, err);
	SHEAF_TRY(sheaf_dataset_write_index(dataset, err));
	return print(s, dataset, "written", NULL, err);
}

/* A bad index is a result, not a failure. */
static sheaf_status check(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	sheaf_error found;
	sheaf_status status = sheaf_dataset_check_index(dataset, &found);
	if (status == SHEAF_OK) return print(s, dataset, "sound", NULL, err);
	if (status != SHEAF_DATA && status != SHEAF_SHORT && status != SHEAF_UNKNOWN) {
		*err = found;
		return status;
	}
	s->code = EXIT_DIFFERENT;
	return print(s, dataset, "bad", found.message, err);
}

int run_index(const arguments *args)
{
	bool checks = sheaf_values_flag(&args->values, "check");
	bool in_parts = part_is_made() || parts_are_merged();
	if (checks && in_parts) {
		say("error", "--check: expected to write an index, since --part is given, found a comparison");
		return EXIT_USAGE;
	}
	opening how = {.piece_bytes = sheaf_values_number(&args->values, "piece-bytes", 0),
	               .index = checks || in_parts ? SHEAF_INDEX_NEVER : SHEAF_INDEX_USE};
	return visit_files(args, how, checks ? check : write);
}
