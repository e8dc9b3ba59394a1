/* SPDX-License-Identifier: MIT */
/* The order is asked for the chunks that come next, not the plan for the next batches: a few chunks cover
 * thousands of batches. */
#include "batch/readahead.h"
#include "batch/reserve.h"

sheaf_status sheaf_readahead_open(sheaf_readahead *a, sheaf_error *err)
{
	a->lists = sheaf_plan_lists(a->plan);
	SHEAF_TRY(sheaf_allocate_array(a->cx, (uint64_t)a->lists, sizeof *a->offered, &a->offered, err));
	return SHEAF_OK;
}

void sheaf_readahead_close(sheaf_readahead *a)
{
	sheaf_release(a->cx, a->offered, (size_t)a->lists * sizeof *a->offered);
	*a = (sheaf_readahead){0};
}

/* Requests the pieces of a chunk: its own, and those of the rows that are joined to its rows, lane by lane.
 * False: one has to wait, and *o, which records lane and row, lets the next call continue with it. */
static bool offer_chunk(sheaf_readahead *a, sheaf_offered *o, int64_t chunk)
{
	const int64_t *first_row = a->source->first_row;
	if (a->source->lanes == 1) return sheaf_piece_cache_offer(a->cache, a->source->piece_of_chunk[chunk]);
	for (; o->lane < a->source->lanes; o->lane++) {
		int64_t near = chunk, piece, at, last = -1;
		if (o->row < first_row[chunk] || o->row >= first_row[chunk + 1]) o->row = first_row[chunk];
		for (; o->row < first_row[chunk + 1]; o->row++) {
			sheaf_row_source_locate(a->source, o->lane, o->row, &near, &piece, &at);
			if (piece != last && !sheaf_piece_cache_offer(a->cache, piece)) return false;
			last = piece;
		}
	}
	o->lane = 0;
	return true;
}

/* Each list is requested chunk by chunk, from a->offered on, and begins again when its sweep changes. */
void sheaf_readahead_offer(sheaf_readahead *a)
{
	if (!sheaf_piece_cache_reads_ahead(a->cache)) return;
	/* Lists take turns, so that none of them takes all the room. */
	for (bool any = true; any;) {
		any = false;
		for (int list = 0; list < a->lists; list++) {
			sheaf_offered *o = &a->offered[list];
			int64_t sweep = sheaf_plan_sweep(a->plan, list);
			if (o->sweep != sweep) *o = (sheaf_offered){.sweep = sweep};
			if (o->chunk >= sheaf_plan_needed(a->plan, list)) continue;
			/* A shard that owns whole chunks needs no others. */
			bool own = o->chunk % a->world == a->rank;
			if (own && !offer_chunk(a, o, sheaf_plan_chunk(a->plan, list, o->chunk))) continue;
			o->chunk++;
			any = true;
		}
	}
}
