/* SPDX-License-Identifier: MIT */
/* sheaf hash: a hash of the contents. */
#include "cli.h"

/* Rows that a part keeps for the merge, which hashes them, are skipped. */
static sheaf_status gather(sheaf_hash *hash, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, err)) == SHEAF_OK) {
		if (sheaf_dataset_keeps_part(dataset)) continue;
		sheaf_hash_go_on_at(hash, sheaf_dataset_row(dataset));
		SHEAF_TRY(sheaf_hash_add(hash, frame, err));
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status add_state(void *user, sheaf_bytes state, sheaf_error *err)
{
	return sheaf_hash_merge((sheaf_hash *)user, state.data, state.size, err);
}

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

static sheaf_status hash_file(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_values *values = &s->args->values;
	sheaf_hash *hash;
	SHEAF_TRY(part_begin(s, dataset, SHEAF_PART_NUMBERED, err));
	bool keys = sheaf_values_flag(values, "compare=keys"),
		 types = sheaf_values_flag(values, "compare=types") || sheaf_values_flag(values, "strict");
	SHEAF_TRY(sheaf_hash_new(sheaf_dataset_schema(dataset), keys, types, s->cx, &hash, err));
	sheaf_status status = gather(hash, dataset, err);
	if (status == SHEAF_OK) status = finish(s, dataset, hash, err);
	sheaf_hash_free(hash);
	return status;
}

int run_hash(const arguments *args)
{
	return visit_files(args, (opening){.entries = SHEAF_ENTRIES_CONTENT}, hash_file);
}
