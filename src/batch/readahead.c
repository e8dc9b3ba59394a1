/* SPDX-License-Identifier: MIT */
#include "batch/readahead.h"
#include "base/context.h"
#include "batch/reserve.h"

sheaf_status sheaf_readahead_open(sheaf_readahead *a, sheaf_error *err)
{
	void *offered;
	a->lists = sheaf_plan_lists(a->plan);
	SHEAF_TRY(sheaf_allocate_array(a->cx, (uint64_t)a->lists, sizeof *a->offered, &offered, err));
	a->offered = (sheaf_offered *)offered;
	return SHEAF_OK;
}

void sheaf_readahead_close(sheaf_readahead *a)
{
	sheaf_release_reserved(a->cx, a->offered, (size_t)a->lists, sizeof *a->offered);
	*a = (sheaf_readahead){0};
}

/* Requests the pieces of one lane that contain the rows of a chunk; false if one has to wait. */
static bool offer_lane(sheaf_readahead *a, sheaf_offered *o, int64_t chunk)
{
	int64_t near = chunk, piece, at, last = -1;
	for (int64_t end = a->source->first_row[chunk + 1]; o->row < end; o->row++) {
		sheaf_row_source_locate(a->source, o->lane, o->row, &near, &piece, &at);
		if (piece != last && !sheaf_piece_cache_offer(a->cache, piece)) return false;
		last = piece;
	}
	return true;
}

/* Requests the pieces of a chunk: its own, and those that are joined to it. */
static bool offer_chunk(sheaf_readahead *a, sheaf_offered *o, int64_t chunk)
{
	if (a->source->lanes == 1) return sheaf_piece_cache_offer(a->cache, a->source->piece_of_chunk[chunk]);
	for (; o->lane < a->source->lanes; o->lane++) {
		if (o->row < a->source->first_row[chunk] || o->row >= a->source->first_row[chunk + 1])
			o->row = a->source->first_row[chunk];
		if (!offer_lane(a, o, chunk)) return false;
	}
	o->lane = 0;
	return true;
}

/* Requests the next chunk of a list; false if there is none, or it has to wait. A shard that owns whole
 * chunks needs no others. */
static bool offer_next(sheaf_readahead *a, int list)
{
	sheaf_offered *o = &a->offered[list];
	int64_t sweep = sheaf_plan_sweep(a->plan, list);
	if (o->sweep != sweep) *o = (sheaf_offered){.sweep = sweep};
	if (o->chunk >= sheaf_plan_needed(a->plan, list)) return false;
	bool own = o->chunk % a->world == a->rank;
	if (own && !offer_chunk(a, o, sheaf_plan_chunk(a->plan, list, o->chunk))) return false;
	o->chunk++;
	return true;
}

/* Lists take turns, so that none of them takes all the room. */
void sheaf_readahead_offer(sheaf_readahead *a)
{
	if (!sheaf_piece_cache_reads_ahead(a->cache)) return;
	for (bool any = true; any;) {
		any = false;
		for (int list = 0; list < a->lists; list++) any |= offer_next(a, list);
	}
}
