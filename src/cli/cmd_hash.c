/* SPDX-License-Identifier: MIT */
/* sheaf hash: a hash of the contents, which is the same in every format that holds them, and for any number
 * of threads or parts. Entries of a tensor are taken by their content, whatever stores them. */
#include "cli.h"

static sheaf_status add_state(void *user, sheaf_bytes state, sheaf_error *err)
{
	return sheaf_hash_merge((sheaf_hash *)user, state.data, state.size, err);
}

/* Prints the hash, or saves the state of a part's, which sheaf merge adds to those of the others. */
static sheaf_status finish(const session *s, sheaf_dataset *dataset, sheaf_hash *hash, sheaf_error *err)
{
	char text[33];
	if (part_is_made()) {
		sheaf_buffer state = {0};
		SHEAF_TRY(sheaf_hash_save(hash, &state, err));
		sheaf_status status = part_end(s, dataset, &state, NULL, err);
		sheaf_buffer_reset(&state);
		return status;
	}
	SHEAF_TRY(part_states(add_state, hash, err));
	sheaf_hash_text(hash, text);
	bool json = as_json(s->args);
	fact_open(json, NULL, "", "{");
	fact_text(json, "file", NULL, s->label);
	fact_text(json, "hash", "%  ", text);
	fact_text(json, NULL, "%\n", s->label);
	fact_close(json, "", "}\n");
	return SHEAF_OK;
}

/* Rows that a part keeps for the merge, which hashes them, are skipped. Those of several parts are hashed as
 * if they came one after the other: the hash goes on at the number that a row has in the whole file. */
static sheaf_status hash_file(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_values *values = &s->args->values;
	const sheaf_frame *frame;
	sheaf_hash *hash;
	SHEAF_TRY(part_begin(s, dataset, SHEAF_PART_NUMBERED, err));
	bool keys = sheaf_values_flag(values, "compare=keys"),
		 types = sheaf_values_flag(values, "compare=types") || sheaf_values_flag(values, "strict");
	SHEAF_TRY(sheaf_hash_new(sheaf_dataset_schema(dataset), keys, types, s->cx, &hash, err));
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, err)) == SHEAF_OK) {
		if (sheaf_dataset_keeps_part(dataset)) continue;
		sheaf_hash_go_on_at(hash, sheaf_dataset_row(dataset));
		status = sheaf_hash_add(hash, frame, err);
		if (status) break;
	}
	if (status == SHEAF_END) status = finish(s, dataset, hash, err);
	sheaf_hash_free(hash);
	return status;
}

int run_hash(const arguments *args)
{
	return visit_files(args, (opening){.entries = SHEAF_ENTRIES_CONTENT}, hash_file);
}
