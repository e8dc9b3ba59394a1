/* SPDX-License-Identifier: MIT */
/* sheaf stats: statistics of all rows. */
#include "cli.h"

static sheaf_status gather(sheaf_stats *stats, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, err)) == SHEAF_OK) SHEAF_TRY(sheaf_stats_add(stats, frame, err));
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status print_stats(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	sheaf_stats *stats;
	sheaf_buffer text = {0};
	sheaf_style style = sheaf_values_flag(&s->args->values, "json") ? SHEAF_JSON : SHEAF_TEXT;
	SHEAF_TRY(sheaf_stats_new(sheaf_dataset_schema(dataset), s->cx, &stats, err));
	sheaf_status status = gather(stats, dataset, err);
	if (status == SHEAF_OK) status = sheaf_stats_text(stats, style, &text, err);
	if (status == SHEAF_OK) out_bytes(text.data, text.size);
	sheaf_buffer_reset(&text);
	sheaf_stats_free(stats);
	return status;
}

int run_stats(const arguments *args) { return visit_files(args, (opening){0}, print_stats); }
