/* SPDX-License-Identifier: MIT */
/* sheaf stats: statistics of all rows. */
#include "cli.h"

typedef struct gathering {
	sheaf_stats *stats;
	sheaf_profile *profile; /* of a tensor; else NULL */
} gathering;

static sheaf_status begin(session *s, const sheaf_schema *schema, gathering *g, sheaf_error *err)
{
	SHEAF_TRY(sheaf_stats_new(schema, s->cx, &g->stats, err));
	return schema->rows == SHEAF_ENTRIES ? sheaf_profile_new(schema, s->label, s->cx, &g->profile, err)
	                                     : SHEAF_OK;
}

static sheaf_status gather(gathering *g, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, err)) == SHEAF_OK) {
		SHEAF_TRY(sheaf_stats_add(g->stats, frame, err));
		if (g->profile) SHEAF_TRY(sheaf_profile_add(g->profile, frame, err));
	}
	if (status != SHEAF_END) return status;
	return g->profile ? sheaf_profile_finish(g->profile, err) : SHEAF_OK;
}

/* What is known of the tensor stands in the same object. */
static sheaf_status print(const session *s, const gathering *g, bool json, sheaf_error *err)
{
	enum { BEGINNING = 1, ENDING = 2 /* "}" and a line feed */ };
	sheaf_buffer text = {0}, more = {0};
	sheaf_status status = sheaf_stats_text(g->stats, json ? SHEAF_JSON : SHEAF_TEXT, &text, err);
	if (status == SHEAF_OK && g->profile) status = sheaf_profile_text(g->profile, json, &more, err);
	if (status == SHEAF_OK) {
		size_t end = json && text.size > ENDING ? text.size - ENDING : text.size, begin = 0;
		if (json && s->args->nfiles > 1) {
			bool first = true;
			begin = BEGINNING;
			out_text("{");
			out_json_member(&first, "file", s->label);
			out_text(",");
		}
		out_bytes(text.data + begin, end - begin);
		out_bytes(more.data, more.size);
		out_bytes(text.data + end, text.size - end);
	}
	sheaf_buffer_reset(&text);
	sheaf_buffer_reset(&more);
	return status;
}

static sheaf_status print_stats(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	gathering g = {0};
	sheaf_status status = begin(s, sheaf_dataset_schema(dataset), &g, err);
	if (status == SHEAF_OK) status = gather(&g, dataset, err);
	if (status == SHEAF_OK) print_file_name(s);
	if (status == SHEAF_OK) status = print(s, &g, sheaf_values_flag(&s->args->values, "json"), err);
	sheaf_profile_free(g.profile);
	sheaf_stats_free(g.stats);
	return status;
}

int run_stats(const arguments *args) { return visit_files(args, (opening){0}, print_stats); }
