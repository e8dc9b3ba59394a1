/* SPDX-License-Identifier: MIT */
/* sheaf index: writes or checks the index beside a file, which says where the pieces of the file begin and
 * what a look at the whole file has found (docs/index-file.md). In parts, each part indexes its own range,
 * and sheaf merge joins them. */
#include "cli.h"
#include <inttypes.h>

/* Prints the index of a file, and what was done with it: `state` is "written", "fresh", "sound" or "bad". A
 * bad index is described by what was found in it, `what`, which is NULL otherwise; its numbers are not
 * printed. */
static sheaf_status print(const session *s, sheaf_dataset *dataset, const char *state, const char *what,
                          sheaf_error *err)
{
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_index_info index;
	bool json = as_json(s->args), sequences = schema->rows == SHEAF_SEQUENCES;
	sheaf_dataset_index(dataset, &index);
	fact_open(json, NULL, "", "{");
	fact_text(json, "file", "%: ", s->label);
	fact_text(json, "state", what ? NULL : "%\n", state);
	if (what) fact_text(json, "found", "%\n", what);
	if (index.path) fact_text(json, "index", what ? NULL : "index: %\n", index.path);
	if (!what && (index.fresh || !json)) {
		double bits = index.rows > 0 ? 8.0 * (double)index.bytes / (double)index.rows : 0;
		fact_count(json, "bytes", "bytes: %", index.bytes);
		if (!json) out_printf(" (%.2f bits for each row)\n", bits);
		fact_count(json, "pieces", "pieces: %", index.pieces);
		fact_count(json, "piece_bytes", index.piece_bytes > 0 ? " of about % bytes\n" : "\n",
		           index.piece_bytes);
		if (!json) out_text(rows_word(schema));
		fact_count(json, rows_word(schema), ": %\n", index.rows);
		if (sequences) fact_count(json, "samples", "samples: %\n", index.samples);
		if (json) json_flag("inferred", index.inferred);
		fact_text(json, NULL, sequences ? "streams: %\n" : "columns: %\n",
		          index.inferred ? "inferred from the whole input" : "as declared");
	}
	fact_close(json, "", "}\n");
	return out_check(err);
}

/* Writes the index of a file, or the part of it that --part names. One that is fresh is not written again,
 * unless --chunk-bytes asks for pieces of another size. */
static sheaf_status write(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	sheaf_index_info index;
	int64_t piece_bytes = sheaf_values_number(&s->args->values, "chunk-bytes", 0);
	if (part_is_made() || parts_are_merged()) {
		bool done; /* a part was made, and is no index yet */
		SHEAF_TRY(part_of_index(s, dataset, &done, err));
		return done ? SHEAF_OK : print(s, dataset, "written", NULL, err);
	}
	sheaf_dataset_index(dataset, &index);
	bool fits = index.piece_bytes == 0 || piece_bytes == 0 || piece_bytes == index.piece_bytes;
	if (index.fresh && fits) return print(s, dataset, "fresh", NULL, err);
	SHEAF_TRY(sheaf_dataset_write_index(dataset, NULL, err));
	return print(s, dataset, "written", NULL, err);
}

/* Compares the index with the file. A bad index, and none (UNKNOWN), is a result, not a failure. */
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
	opening how = {.piece_bytes = sheaf_values_number(&args->values, "chunk-bytes", 0),
	               .index = checks || in_parts ? SHEAF_INDEX_NEVER : SHEAF_INDEX_USE};
	return visit_files(args, how, checks ? check : write);
}
