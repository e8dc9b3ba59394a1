/* SPDX-License-Identifier: MIT */
/* sheaf hash: a hash of the contents. */
#include "cli.h"

static sheaf_status gather(sheaf_hash *hash, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, err)) == SHEAF_OK)
		SHEAF_TRY(sheaf_hash_add(hash, frame, err));
	return status == SHEAF_END ? SHEAF_OK : status;
}

static void print_hash(const session *s, const char *hash)
{
	bool first = true;
	if (!sheaf_values_flag(&s->args->values, "json")) {
		out_text(hash);
		out_text("  ");
		out_text(s->label);
		out_text("\n");
		return;
	}
	out_text("{");
	out_json_member(&first, "file", s->label);
	out_json_member(&first, "hash", hash);
	out_text("}\n");
}

static sheaf_status hash_file(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_values *values = &s->args->values;
	sheaf_hash *hash;
	char text[33];
	SHEAF_TRY(sheaf_hash_new(sheaf_dataset_schema(dataset), sheaf_values_flag(values, "keys"),
	                         sheaf_values_flag(values, "strict"), s->cx, &hash, err));
	sheaf_status status = gather(hash, dataset, err);
	sheaf_hash_text(hash, text);
	sheaf_hash_free(hash);
	if (status == SHEAF_OK) print_hash(s, text);
	return status;
}

int run_hash(const arguments *args)
{
	return visit_files(args, (opening){.entries = SHEAF_ENTRIES_CONTENT}, hash_file);
}
