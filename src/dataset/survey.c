/* SPDX-License-Identifier: MIT */
/* One pass that finds the pieces of a dataset and the lengths of its rows. */
#include "base/context.h"
#include "dataset/dataset.h"
#include "dataset/index.h"
#include "dataset/measure.h"
#include <inttypes.h>

/* Not less under a small memory limit, unlike the pieces of sheaf_next: the table must not depend on that. */
static const int64_t USUAL_PIECE = 2 << 20;

int64_t sheaf_table_bytes(const sheaf_dataset *d)
{
	sheaf_facts facts = SHEAF_NO_FACTS;
	if (d->format->facts) d->format->facts(d->in, &facts);
	return facts.chunks >= 0 ? 0 : d->table_bytes > 0 ? d->table_bytes : USUAL_PIECE;
}

static sheaf_status add_pieces(sheaf_dataset *d, sheaf_measurer *m, sheaf_gathering *g, sheaf_error *err)
{
	sheaf_status status;
	int64_t bytes = sheaf_table_bytes(d);
	if (bytes == 0) bytes = INT64_MAX;
	while ((status = d->format->cut(d->in, bytes, &d->piece, err)) == SHEAF_OK) {
		SHEAF_TRY(sheaf_measure(m, &d->piece, err));
		sheaf_gathering_add(g, &d->piece, m->lengths, m->rows);
		SHEAF_TRY(sheaf_check_stop(d->cx, err));
	}
	return status == SHEAF_END ? d->format->rewind(d->in, err) : status;
}

sheaf_status sheaf_survey(sheaf_dataset *d, sheaf_error *err)
{
	sheaf_gathering g;
	sheaf_measurer m;
	SHEAF_TRY(sheaf_measurer_begin(&m, d, err));
	sheaf_status status = sheaf_gathering_begin(&g, d->cx, err);
	if (status == SHEAF_OK) status = add_pieces(d, &m, &g, err);
	if (status == SHEAF_OK) status = sheaf_gathering_finish(&g, &d->surveyed, err);
	d->pieces = d->surveyed;
	sheaf_gathering_drop(&g);
	sheaf_measurer_end(&m);
	return status;
}

sheaf_status sheaf_dataset_pieces(sheaf_dataset *d, const sheaf_pieces **out, sheaf_error *err)
{
	const char *file = sheaf_source_name(d->source);
	*out = d->pieces;
	if (d->pieces) return SHEAF_OK;
	if (!d->format->recall)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected a format whose pieces can be read in any order, found %s", file, d->format->name);
	if (d->decoding.format || d->ended || d->failed)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a call for its pieces before the first row is read, found it behind %" PRId64 " rows", file,
		                  d->next_row);
	SHEAF_TRY(sheaf_source_make_seekable(d->source, err));
	SHEAF_TRY(sheaf_index_table(d, sheaf_table_bytes(d), &d->pieces, err));
	sheaf_status status = d->pieces ? SHEAF_OK : sheaf_survey(d, err);
	d->failed = status != SHEAF_OK;
	*out = d->pieces;
	return status;
}
