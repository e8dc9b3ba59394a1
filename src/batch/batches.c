/* SPDX-License-Identifier: MIT */
/* Minibatches: the plan says which sequences, the shelf has their pieces, gathering puts them into one frame. */
#include "base/context.h"
#include "batch/array.h"
#include "batch/packing.h"
#include "batch/shelf.h"
#include "batch/state.h"
#include "batch/truncate.h"
#include "data/frame.h"
#include <inttypes.h>

struct sheaf_batches {
	sheaf_context *cx;
	sheaf_supply supply;
	sheaf_plan_options options;
	sheaf_packing packing;
	int64_t truncation, pad_multiple;
	sheaf_plan *plan;
	sheaf_truncation *cut; /* where sequences are truncated */
	sheaf_packings packings;
	sheaf_shelf *shelf;
	sheaf_state state; /* behind the last batch given */
	sheaf_planned planned;
	sheaf_pick *picks; /* lane by lane */
	int64_t *scratch;
	uint64_t *keys;
	uint32_t *lengths;
	size_t picks_room, scratch_room, keys_room, lengths_room;
	int64_t ahead_sweep, ahead; /* chunks of this sweep that have been offered to be read ahead */
	sheaf_frame gathered, view;
	sheaf_batch batch;
	sheaf_error failure; /* the first one; every call gives it again */
};

void sheaf_batches_close(sheaf_batches *b)
{
	if (!b) return;
	sheaf_shelf_close(b->shelf);
	sheaf_truncation_close(b->cut);
	sheaf_packings_close(&b->packings);
	sheaf_plan_close(b->plan);
	sheaf_supply_close(&b->supply);
	sheaf_planned_free(&b->planned, b->cx);
	sheaf_array_release(b->cx, b->picks, b->picks_room, sizeof *b->picks);
	sheaf_array_release(b->cx, b->scratch, b->scratch_room, sizeof *b->scratch);
	sheaf_array_release(b->cx, b->keys, b->keys_room, sizeof *b->keys);
	sheaf_array_release(b->cx, b->lengths, b->lengths_room, sizeof *b->lengths);
	sheaf_frame_free(&b->gathered);
	sheaf_frame_free(&b->view);
	sheaf_release(b->cx, b, sizeof *b);
}

/* ---- options ---- */

static sheaf_status refuse(sheaf_error *err, const char *option, const char *expected, int64_t found)
{
	return sheaf_fail(err, SHEAF_USAGE, "%s: expected %s, found %" PRId64, option, expected, found);
}

static sheaf_status check_numbers(const sheaf_batch_options *o, sheaf_error *err)
{
	if (o->size != sizeof *o) return sheaf_fail(err, SHEAF_USAGE, "batch options: expected size %zu, found %zu", sizeof *o, o->size);
	if (o->batch_size < 1) return refuse(err, "size of a batch", "a number above 0", o->batch_size);
	if (o->world < 0 || o->rank < 0 || o->rank >= (o->world ? o->world : 1))
		return refuse(err, "shard", "a rank from 0 to one below the number of shards", o->rank);
	if (o->window < 0) return refuse(err, "window", "a number above 0", o->window);
	if (o->sweeps < 0 || o->epoch_size < 0 || o->first_epoch < 0 || o->epochs < 0 || o->chunk_bytes < 0)
		return sheaf_fail(err, SHEAF_USAGE, "batch options: expected sweeps, epochs and sizes of 0 and more, found less");
	return SHEAF_OK;
}

static sheaf_status check_together(const sheaf_batch_options *o, const sheaf_order *order, sheaf_error *err)
{
	if (o->sweeps && o->epoch_size) return sheaf_fail(err, SHEAF_USAGE, "epoch: expected a size in sweeps or in samples, found both");
	if (o->rest == SHEAF_REST_WRAP && o->stop_at_sweep_end)
		return sheaf_fail(err, SHEAF_USAGE, "rest of a sweep: expected batches that may cross its end where they wrap, found ones that may not");
	if (o->bucket && order->dealing != SHEAF_DEAL_BATCH)
		return sheaf_fail(err, SHEAF_USAGE, "buckets: expected an order that is dealt batch by batch, found \"%s\"", order->name);
	if (o->weights && (o->join || o->bucket || order->dealing != SHEAF_DEAL_BATCH || order->by_frequency || o->rest == SHEAF_REST_WRAP))
		return sheaf_fail(err, SHEAF_USAGE, "weights: expected datasets that are not joined, no buckets, no rests that wrap and order \"sheaf\", found others");
	if (o->packing == SHEAF_PACK_TRUNCATED && (o->truncation < 1 || o->unit != SHEAF_SIZE_SAMPLES || o->rest != SHEAF_REST_SHORT || o->bucket))
		return sheaf_fail(err, SHEAF_USAGE, "truncation: expected steps above 0, sizes in samples, short rests and no buckets, found others");
	return SHEAF_OK;
}

/* What CNTK takes for its window: so many chunks as have 4 GiB. */
static int64_t usual_window(const sheaf_batch_options *o)
{
	enum { USUAL_CHUNK = 32 << 20 };
	const int64_t bytes = (int64_t)4 << 30;
	int64_t chunk = o->chunk_bytes ? o->chunk_bytes : USUAL_CHUNK;
	if (o->window_in_samples) return 0;
	return chunk < bytes ? bytes / chunk : 1;
}

/* Each dataset is drawn from, by its weight. */
static sheaf_status mix(sheaf_batches *b, const int64_t *weights, sheaf_error *err)
{
	sheaf_supply *s = &b->supply;
	int64_t sum = 0;
	if (!weights) return SHEAF_OK;
	for (int i = 0; i < s->nparts; i++) {
		if (weights[i] < 1 || weights[i] > INT32_MAX - sum) return refuse(err, "weights", "numbers above 0 with a sum below 2^31", weights[i]);
		if (s->first_chunks[i] == s->first_chunks[i + 1]) return refuse(err, "weights", "sequences in each dataset, none in number", i);
		sum += weights[i];
	}
	b->options.first_chunks = s->first_chunks;
	b->options.weights = weights;
	b->options.mixed = s->nparts;
	s->rows.uneven = true;
	return SHEAF_OK;
}

static sheaf_status translate(sheaf_batches *b, const sheaf_batch_options *o, sheaf_error *err)
{
	sheaf_plan_options *p = &b->options;
	*p = (sheaf_plan_options){
		.order = sheaf_order_find(o->order ? o->order : "sheaf"), .size = o->batch_size, .unit = o->unit, .rest = o->rest, .bucket = o->bucket};
	SHEAF_TRY(check_numbers(o, err));
	if (!p->order) return sheaf_fail(err, SHEAF_USAGE, "order: expected sheaf, cntk, file, random or frequency, found \"%s\"", o->order);
	SHEAF_TRY(check_together(o, p->order, err));
	p->arranged = (sheaf_order_options){o->seed, o->window, o->window_in_samples};
	if (o->window == 0 && p->order->uses_chunks) p->arranged.window = usual_window(o);
	SHEAF_TRY(mix(b, o->weights, err));
	if (p->order->by_frequency) SHEAF_TRY(sheaf_supply_weigh(&b->supply, err));
	b->supply.rows.uneven |= p->order->replaces;
	p->crosses = !o->stop_at_sweep_end;
	p->global = o->global_timeline || p->order->dealing == SHEAF_DEAL_BATCH;
	p->rank = o->rank;
	p->world = o->world ? o->world : 1;
	p->first_epoch = o->first_epoch;
	p->epochs = o->epochs ? o->epochs : 1;
	p->epoch_size = o->epoch_size;
	b->packing = o->packing;
	b->truncation = o->truncation;
	b->pad_multiple = o->pad_multiple;
	if (o->packing == SHEAF_PACK_TRUNCATED) {
		/* Rows take sequences one by one. */
		p->size = 1;
		p->one_by_one = true;
		p->global = false;
	}
	if (!o->epoch_size && __builtin_mul_overflow(o->sweeps ? o->sweeps : 1, b->supply.rows.samples, &p->epoch_size))
		return refuse(err, "sweeps", "fewer than have 2^63 samples", o->sweeps);
	return SHEAF_OK;
}

/* ---- memory ---- */

/* Half of what is allowed is for pieces; batches, plans and what is being read share the rest. */
static int64_t bytes_for_pieces(const sheaf_batches *b) { return sheaf_max_memory(b->cx) / 2; }

static int64_t bytes_in_files(const sheaf_supply *s)
{
	int64_t sum = 0;
	for (int64_t i = 0; i < s->pieces; i++) sum += sheaf_supply_piece_size(s, i);
	return sum;
}

/* Bytes in memory for each byte of the files, as the first piece has it. */
static sheaf_status measure_growth(sheaf_batches *b, double *growth, sheaf_error *err)
{
	int64_t piece = b->supply.piece_of_chunk[0], before = sheaf_context_memory(b->cx, NULL), size = sheaf_supply_piece_size(&b->supply, piece);
	sheaf_frame frame = {0};
	SHEAF_TRY(sheaf_supply_read(&b->supply, piece, &frame, b->cx, err));
	*growth = (double)(sheaf_context_memory(b->cx, NULL) - before) / (double)(size > 0 ? size : 1);
	sheaf_frame_free(&frame);
	return SHEAF_OK;
}

/* A shuffle of everything needs everything in memory. Where that does not fit, it goes by windows, two of which fit: the one in use, and the next. */
static sheaf_status fit_window(sheaf_batches *b, sheaf_error *err)
{
	enum { MOST_GROWTH = 8 };
	int64_t bytes = bytes_in_files(&b->supply), room = bytes_for_pieces(b);
	double growth;
	if (b->options.order->dealing != SHEAF_DEAL_BATCH || b->options.arranged.window || bytes <= room / MOST_GROWTH) return SHEAF_OK;
	SHEAF_TRY(measure_growth(b, &growth, err));
	if ((double)bytes * growth <= (double)room) return SHEAF_OK;
	double chunks = (double)room / 2 / (b->options.mixed ? b->options.mixed : 1) / ((double)bytes * growth / (double)b->supply.rows.chunks);
	b->options.arranged = (sheaf_order_options){b->options.arranged.seed, chunks < 1 ? 1 : (int64_t)chunks, false};
	return SHEAF_OK;
}

/* How many pieces are of use later in the sweep; 0: no saying. */
static int64_t pieces_to_keep(const sheaf_batches *b, bool keep)
{
	const sheaf_order_options *arranged = &b->options.arranged;
	enum { SPARE = 2 };
	if (keep || b->supply.lanes > 1 || b->options.mixed) return 0;
	if (b->options.order->in_file_order) return SPARE;
	return arranged->window && !arranged->window_in_samples ? 2 * arranged->window + SPARE : 0;
}

/* ---- opening ---- */

/* Where the batches stand now, whatever brought them there. */
static void note_place(sheaf_batches *b)
{
	b->state.mark = sheaf_plan_mark(b->plan);
	if (b->cut) sheaf_truncation_place(b->cut, &b->state.mark, &b->state.step);
}

static void stand_at(sheaf_batches *b)
{
	if (b->cut) sheaf_truncation_clear(b->cut);
	note_place(b);
	b->batch.number = -1;
}

/* CNTK's number of rows, and its way to share them out. */
static sheaf_status open_truncation(sheaf_batches *b, int64_t size, sheaf_error *err)
{
	int64_t rows = size / b->truncation, world = b->options.world;
	if (rows < 1) rows = 1;
	if (rows < world) return refuse(err, "truncation", "at least as many rows (size of a batch by steps) as shards", rows);
	return sheaf_truncation_open(b->plan, rows / world + (b->options.rank < rows % world), b->truncation, b->cx, &b->cut, err);
}

static sheaf_status open_packing(sheaf_batches *b, int64_t size, sheaf_error *err)
{
	if (b->packing == SHEAF_PACK_NONE) return SHEAF_OK;
	SHEAF_TRY(sheaf_packings_open(&b->packings, &b->supply, b->cx, err));
	return b->packing == SHEAF_PACK_TRUNCATED ? open_truncation(b, size, err) : SHEAF_OK;
}

static uint32_t options_fingerprint(const sheaf_batches *b, int64_t size)
{
	bool cut = b->packing == SHEAF_PACK_TRUNCATED;
	int64_t more[] = {cut ? size : 0, cut ? b->truncation : 0, cut ? b->options.world : 0}; /* a row is one shard's from end to end */
	uint32_t hash = sheaf_options_fingerprint(&b->options, more, sizeof more / sizeof *more);
	return b->options.mixed ? sheaf_options_fingerprint(&b->options, b->options.weights, (size_t)b->options.mixed) ^ hash : hash;
}

static sheaf_status open_all(sheaf_batches *b, sheaf_dataset *const *datasets, int n, const sheaf_batch_options *options, sheaf_error *err)
{
	if (n < 1) return refuse(err, "datasets", "one at least", n);
	SHEAF_TRY(check_numbers(options, err));
	SHEAF_TRY(sheaf_supply_open(&b->supply, datasets, n, options->join, b->cx, err));
	SHEAF_TRY(translate(b, options, err));
	SHEAF_TRY(fit_window(b, err));
	SHEAF_TRY(sheaf_plan_open(&b->supply.rows, &b->options, b->cx, &b->plan, err));
	SHEAF_TRY(sheaf_shelf_open(&b->supply, pieces_to_keep(b, options->keep_in_memory), bytes_for_pieces(b), b->cx, &b->shelf, err));
	SHEAF_TRY(open_packing(b, options->batch_size, err));
	stand_at(b);
	b->state.seed = options->seed;
	b->state.options = options_fingerprint(b, options->batch_size);
	b->state.data = (uint32_t)sheaf_supply_fingerprint(&b->supply, b->options.order->uses_chunks || b->options.arranged.window);
	return SHEAF_OK;
}

sheaf_status sheaf_batches_open(sheaf_dataset *const *datasets, int n, const sheaf_batch_options *options, sheaf_context *cx, sheaf_batches **out,
                                sheaf_error *err)
{
	void *memory;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_batches), &memory, err));
	sheaf_batches *b = (sheaf_batches *)memory;
	*b = (sheaf_batches){.cx = cx};
	sheaf_status status = open_all(b, datasets, n, options, err);
	if (status)
		sheaf_batches_close(b);
	else
		*out = b;
	return status;
}

const sheaf_schema *sheaf_batches_schema(const sheaf_batches *b) { return &b->supply.schema; }

void sheaf_batches_facts(const sheaf_batches *b, int64_t *sequences, int64_t *samples, int64_t *dropped)
{
	*sequences = b->supply.rows.rows;
	*samples = b->supply.rows.samples;
	*dropped = b->supply.match_room - b->supply.matched;
}

/* ---- places ---- */

sheaf_status sheaf_batches_seek(sheaf_batches *b, int64_t position, sheaf_error *err)
{
	if (position < 0) return refuse(err, "position", "0 or more", position);
	SHEAF_TRY(sheaf_plan_seek(b->plan, position, err));
	stand_at(b);
	return SHEAF_OK;
}

void sheaf_batches_state(const sheaf_batches *b, char state[SHEAF_STATE_SIZE]) { sheaf_state_write(&b->state, state); }

/* What is in the rows follows from the batches given since the epoch began: they are planned again, without data. */
static sheaf_status repeat_steps(sheaf_batches *b, int64_t steps, sheaf_error *err)
{
	for (int64_t i = 0; i < steps; i++) {
		SHEAF_TRY(sheaf_check_stop(b->cx, err));
		sheaf_status status = sheaf_truncation_next(b->cut, &b->planned, &b->packings.cut, err);
		if (status == SHEAF_END) return refuse(err, "state", "a step that the epoch has", steps);
		SHEAF_TRY(status);
	}
	note_place(b);
	return SHEAF_OK;
}

sheaf_status sheaf_batches_resume(sheaf_batches *b, const char *text, sheaf_error *err)
{
	sheaf_state state;
	SHEAF_TRY(sheaf_state_read(text, &state, err));
	if (state.data != b->state.data)
		return sheaf_fail(err, SHEAF_USAGE, "state: expected one of these data, %08" PRIx32 ", found one of others, %08" PRIx32, b->state.data, state.data);
	if (state.seed != b->state.seed) return sheaf_fail(err, SHEAF_USAGE, "state: expected seed %" PRIu64 ", found %" PRIu64, b->state.seed, state.seed);
	if (state.options != b->state.options)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "state: expected one of the same order, window, size, rest, buckets, packing and epoch size, found one of other options");
	if (state.step && !b->cut) return refuse(err, "state", "step 0 where sequences are whole", state.step);
	SHEAF_TRY(sheaf_plan_resume(b->plan, state.mark, err));
	stand_at(b);
	return repeat_steps(b, state.step, err);
}

/* ---- assembling ---- */

static sheaf_status grow(sheaf_batches *b, size_t n, sheaf_error *err)
{
	void *picks = b->picks, *scratch = b->scratch, *keys = b->keys, *lengths = b->lengths;
	SHEAF_TRY(sheaf_array_room(b->cx, &picks, &b->picks_room, n * (size_t)b->supply.lanes, sizeof *b->picks, err));
	b->picks = (sheaf_pick *)picks;
	SHEAF_TRY(sheaf_array_room(b->cx, &scratch, &b->scratch_room, 2 * n, sizeof *b->scratch, err));
	b->scratch = (int64_t *)scratch;
	SHEAF_TRY(sheaf_array_room(b->cx, &keys, &b->keys_room, n, sizeof *b->keys, err));
	b->keys = (uint64_t *)keys;
	SHEAF_TRY(sheaf_array_room(b->cx, &lengths, &b->lengths_room, n, sizeof *b->lengths, err));
	b->lengths = (uint32_t *)lengths;
	return SHEAF_OK;
}

/* Finds where each sequence of one lane is, and sees to it that it is in memory. */
static sheaf_status pick_lane(sheaf_batches *b, int lane, sheaf_error *err)
{
	sheaf_pick *picks = b->picks + (size_t)lane * b->planned.count;
	int64_t last = -1, chunk = 0, piece, at;
	for (size_t i = 0; i < b->planned.count; i++) {
		sheaf_supply_locate(&b->supply, lane, b->planned.items[i].row, &chunk, &piece, &at);
		picks[i] = i ? picks[i - 1] : (sheaf_pick){NULL, 0};
		if (piece != last) SHEAF_TRY(sheaf_shelf_get(b->shelf, piece, &picks[i].frame, err));
		picks[i].row = at;
		last = piece;
	}
	return SHEAF_OK;
}

/* Whether the sequences stand one behind the other in one piece. */
static bool is_run(const sheaf_batches *b)
{
	if (b->supply.lanes > 1) return false;
	for (size_t i = 1; i < b->planned.count; i++)
		if (b->picks[i].frame != b->picks->frame || b->picks[i].row != b->picks[i - 1].row + 1) return false;
	return b->planned.count > 0;
}

static sheaf_status gather(sheaf_batches *b, sheaf_error *err)
{
	size_t n = b->planned.count;
	SHEAF_TRY(sheaf_frame_begin(&b->gathered, &b->supply.schema, b->cx, err));
	for (int c = 0; c < b->supply.schema.nfields; c++) {
		sheaf_origin origin = b->supply.origins[c];
		SHEAF_TRY(sheaf_gather_column(&b->gathered.columns[c], b->picks + (size_t)origin.lane * n, n, origin.column, b->scratch, b->cx, err));
	}
	b->gathered.nrows = (int64_t)n;
	b->batch.frame = &b->gathered;
	return SHEAF_OK;
}

static sheaf_status assemble(sheaf_batches *b, sheaf_error *err)
{
	SHEAF_TRY(grow(b, b->planned.count, err));
	sheaf_shelf_begin_batch(b->shelf);
	for (int lane = 0; lane < b->supply.lanes; lane++) SHEAF_TRY(pick_lane(b, lane, err));
	if (b->packing) return sheaf_packings_fill(&b->packings, &b->supply, b->packing, b->pad_multiple, b->picks, b->planned.count, err);
	if (!is_run(b)) return gather(b, err);
	b->batch.frame = &b->view;
	return sheaf_frame_slice(b->picks->frame, b->picks->row, b->picks->row + (int64_t)b->planned.count, NULL, 0, &b->view, err);
}

static const uint64_t *tell_keys(sheaf_batches *b)
{
	int key = b->supply.key;
	for (size_t i = 0; i < b->planned.count; i++) {
		const sheaf_pick *pick = &b->picks[i]; /* keys are the first lane's */
		b->keys[i] = key < 0 ? (uint64_t)b->planned.items[i].row : ((const uint64_t *)(const void *)pick->frame->columns[key].values.data)[pick->row];
	}
	return b->keys;
}

static int64_t samples_in(const sheaf_layout *cut)
{
	int64_t sum = 0;
	for (size_t i = 0; i < cut->count; i++) sum += cut->extracts[i].count;
	return sum;
}

static void describe(sheaf_batches *b)
{
	const sheaf_planned *p = &b->planned;
	sheaf_batch *batch = &b->batch;
	batch->number++;
	batch->begin = p->before.position;
	batch->end = p->after.position;
	batch->sweep = p->before.sweep;
	batch->sweep_end = p->sweep_end;
	batch->epoch_end = p->epoch_end;
	batch->sequences = (int64_t)p->count;
	batch->repeated = (int64_t)p->repeated;
	batch->samples = 0;
	for (size_t i = 0; i < p->count; i++) batch->samples += b->lengths[i] = p->items[i].samples;
	if (b->cut) batch->samples = samples_in(&b->packings.cut);
	batch->packed = b->packings.packed;
	batch->npacked = b->packings.count;
	batch->lengths = b->lengths;
	batch->keys = tell_keys(b);
	if (b->cut)
		note_place(b);
	else
		b->state.mark = p->after;
}

/* Has what comes next read while this batch is made and used. A shard that owns whole chunks needs no others. */
static void read_ahead(sheaf_batches *b)
{
	if (b->ahead_sweep != b->planned.before.sweep) b->ahead = 0;
	b->ahead_sweep = b->planned.before.sweep;
	for (int64_t needed = sheaf_plan_needed(b->plan); b->ahead < needed; b->ahead++) {
		bool own = !b->options.order->owns_chunks || b->ahead % b->options.world == b->options.rank;
		if (own && !sheaf_shelf_offer(b->shelf, b->supply.piece_of_chunk[sheaf_plan_chunk(b->plan, b->ahead)])) return;
	}
}

static sheaf_status next(sheaf_batches *b, sheaf_error *err)
{
	SHEAF_TRY(sheaf_check_stop(b->cx, err));
	SHEAF_TRY(b->cut ? sheaf_truncation_next(b->cut, &b->planned, &b->packings.cut, err) : sheaf_plan_next(b->plan, &b->planned, err));
	read_ahead(b);
	SHEAF_TRY(assemble(b, err));
	describe(b);
	return SHEAF_OK;
}

sheaf_status sheaf_batches_next(sheaf_batches *b, const sheaf_batch **out, sheaf_error *err)
{
	*out = NULL;
	if (b->failure.status) return sheaf_fail(err, b->failure.status, "%s", b->failure.message);
	sheaf_status status = next(b, &b->failure);
	if (status == SHEAF_OK) *out = &b->batch;
	if (status == SHEAF_OK || status == SHEAF_END) {
		b->failure = (sheaf_error){0};
		return status;
	}
	b->failure.status = status;
	if (err) *err = b->failure;
	return status;
}
