/* SPDX-License-Identifier: MIT */
/* sheaf hash: a hash of the contents, which is the same in every format that holds them, and for any number
 * of threads or parts. Entries of a tensor are taken by their content, whatever stores them. */
#include "cli.h"

static sheaf_status add_state(void *user, sheaf_bytes state, sheaf_error *err)
{
	return sheaf_hash_merge((sheaf_hash *)user, state.data, state.size, err);
}

/* Hashes all rows of a file, and prints the hash; of a part the state of the hash is saved instead, and a
 * merge adds up these states. Rows that a part keeps for the merge, which hashes them, are skipped. Those of
 * several parts are hashed as if they came one after the other: the hash goes on at the number that a row has
 * in the whole file. */
static sheaf_status hash_file(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_values *values = &s->args->values;
	const sheaf_frame *frame;
	sheaf_hash *hash;
	sheaf_buffer state = {0};
	char text[33];
	bool json = as_json(s->args);
	SHEAF_TRY(part_begin(s, dataset, SHEAF_PART_NUMBERED, err));
	bool keys = sheaf_values_flag(values, "compare=keys"),
		 types = sheaf_values_flag(values, "compare=types") || sheaf_values_flag(values, "strict");
	SHEAF_TRY(sheaf_hash_new(sheaf_dataset_schema(dataset), keys, types, s->cx, &hash, err));
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, err)) == SHEAF_OK) {
		if (sheaf_dataset_keeps_part(dataset)) continue;
		status = sheaf_hash_add(hash, frame, sheaf_dataset_row(dataset), err);
		if (status) break;
	}
	if (status == SHEAF_END && part_is_made()) {
		status = sheaf_hash_save(hash, &state, err);
		if (status == SHEAF_OK) status = part_end(s, dataset, &state, NULL, err);
		sheaf_buffer_reset(&state);
	} else if (status == SHEAF_END) {
		status = part_states(add_state, hash, err);
		sheaf_hash_text(hash, text);
		if (status == SHEAF_OK) {
			fact_open(json, NULL, "", "{");
			fact_text(json, "file", NULL, s->label);
			fact_text(json, "hash", "%  ", text);
			fact_text(json, NULL, "%\n", s->label);
			fact_close(json, "", "}\n");
		}
	}
	sheaf_hash_free(hash);
	return status;
}

int run_hash(const arguments *args)
{
	return visit_files(args, (opening){.entries = SHEAF_ENTRIES_CONTENT}, hash_file);
}
