/* SPDX-License-Identifier: MIT */
/* Opening minibatches: checks that options fit together, translates them for the plan, and divides the memory
 * limit among pieces, batches and what is read. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "batch/batches.h"
#include <stdio.h>

void sheaf_batches_close(sheaf_batches *b)
{
	if (!b) return;
	sheaf_pipeline_close(&b->makers);
	sheaf_readahead_close(&b->ahead);
	sheaf_piece_cache_close(b->cache);
	sheaf_truncation_close(b->cut);
	sheaf_plan_close(b->plan);
	sheaf_row_source_close(&b->source);
	sheaf_release(b->cx, b, sizeof *b);
}

/* ---- options ---- */

/* Those of the caller, and the structs that they point to, which are never used through pointers. */
typedef struct choices {
	sheaf_batch_options batch;
	sheaf_window_options window;
	sheaf_epoch_options epochs;
	sheaf_shard_options shard;
	sheaf_packing_options packing;
} choices;

/* Checks that each number by itself is within its limits; USAGE with its name if one is not. An enumeration
 * may hold any int, since the caller sets it. */
static sheaf_status check_numbers(const choices *o, sheaf_error *err)
{
	int64_t world = o->shard.world, last_rank = world > 0 ? world - 1 : world < 0 ? -1 : 0;
	const struct {
		int64_t given, most;
		const char *name, *expected;
	} numbers[] = {
		{o->batch.batch_size, INT64_MAX, "size of a batch", "a number of at least 0"},
		{o->shard.rank, last_rank, "shard", "a rank from 0 to one below the number of shards"},
		{o->window.length, INT64_MAX, "window", "a number of at least 0"},
		{(int)o->batch.unit, SHEAF_SIZE_TOKENS, "unit", "samples, sequences or tokens"},
		{(int)o->batch.rest, SHEAF_REST_WRAP, "rest", "short, drop, pad or wrap"},
		{(int)o->packing.packing, SHEAF_PACK_PADDED, "packing", "a packing"},
		{o->packing.truncation, INT64_MAX, "truncation", "steps of at least 0"},
		{o->shard.stride, INT64_MAX, "stride", "a number of at least 0"},
		{o->packing.pad_multiple, INT64_MAX, "pad multiple", "a number of at least 0"},
	};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].given < 0 || numbers[i].given > numbers[i].most)
			return sheaf_refuse_number(err, numbers[i].name, numbers[i].expected, numbers[i].given);
	if (o->epochs.sweeps < 0 || o->epochs.epoch_size < 0 || o->epochs.first_epoch < 0 ||
	    o->epochs.epochs < 0 || o->window.chunk_bytes < 0)
		return sheaf_fail(err, SHEAF_USAGE, "batch options: sweeps, epochs and sizes must be at least 0");
	return SHEAF_OK;
}

static sheaf_status clash(sheaf_error *err, const char *why)
{
	return sheaf_fail(err, SHEAF_USAGE, "%s", why);
}

/* Checks that the options fit each other and the order, each of them being sound by itself. */
static sheaf_status check_together(const choices *o, const sheaf_order *order, sheaf_error *err)
{
	bool by_batch = order->dealing == SHEAF_DEAL_BATCH;
	if (o->epochs.sweeps && o->epochs.epoch_size)
		return clash(err, "the size of an epoch is given in sweeps or in samples, not in both");
	if (o->batch.rest == SHEAF_REST_WRAP && o->batch.stop_at_sweep_end)
		return clash(err, "batches that wrap at the end of a sweep must be allowed to cross it");
	if (o->batch.bucket && !by_batch)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "buckets: expected an order that is dealt batch by batch, found \"%s\"",
		                  order->name);
	if (o->batch.weights) {
		if (o->batch.join) return clash(err, "weights cannot be used with joined datasets");
		if (o->batch.bucket) return clash(err, "weights cannot be used with buckets");
		if (!by_batch || order->by_frequency)
			return sheaf_fail(err, SHEAF_USAGE, "weights: expected order \"sheaf\", found %s", order->name);
		if (o->batch.rest == SHEAF_REST_WRAP)
			return clash(err, "weights cannot be used with rests that wrap");
	}
	if (o->packing.packing != SHEAF_PACK_TRUNCATED) return SHEAF_OK;
	if (o->packing.truncation < 1)
		return sheaf_refuse_number(err, "truncation", "steps above 0", o->packing.truncation);
	if (o->batch.unit != SHEAF_SIZE_SAMPLES) return clash(err, "truncation needs a size in samples");
	if (o->batch.rest != SHEAF_REST_SHORT) return clash(err, "truncation cannot drop, pad or wrap rests");
	return o->batch.bucket ? clash(err, "truncation cannot be used with buckets") : SHEAF_OK;
}

/* The window that is used if none is given: as in CNTK, as many chunks as make up 4 GiB. 0 means everything,
 * as a window in samples does where no length is given. */
static int64_t usual_window(const choices *o)
{
	enum { USUAL_CHUNK = 32 << 20 };
	const int64_t bytes = (int64_t)4 << 30;
	int64_t chunk = o->window.chunk_bytes ? o->window.chunk_bytes : USUAL_CHUNK;
	if (o->window.in_samples) return 0;
	return chunk < bytes ? bytes / chunk : 1;
}

/* Has the plan draw from each dataset by its weight, instead of reading one dataset after the other. */
static sheaf_status mix(sheaf_batches *b, const int64_t *weights, sheaf_error *err)
{
	sheaf_row_source *s = &b->source;
	int64_t sum = 0; /* of the weights */
	if (!weights) return SHEAF_OK;
	for (int i = 0; i < s->nparts; i++) {
		if (weights[i] < 1 || weights[i] > INT32_MAX - sum)
			return sheaf_refuse_number(err, "weights", "numbers above 0 with a sum below 2^31", weights[i]);
		if (s->first_chunks[i] == s->first_chunks[i + 1])
			return sheaf_fail(err, SHEAF_USAGE,
			                  "weights: expected sequences in each dataset, found none in number %d", i);
		sum += weights[i];
	}
	b->options.first_chunks = s->first_chunks;
	b->options.weights = weights;
	b->options.mixed = s->nparts;
	s->rows.uneven = true;
	return SHEAF_OK;
}

/* Translates the caller's options into those of the plan (b->options), of the making of batches (b->settings)
 * and the numbers beside them. The source is open, since weights and frequencies need it. CNTK's conventions
 * are the defaults where there are any. */
static sheaf_status translate(sheaf_batches *b, const choices *o, sheaf_error *err)
{
	sheaf_plan_options *p = &b->options;
	*p = (sheaf_plan_options){.order = sheaf_order_find(o->batch.order ? o->batch.order : "sheaf"),
	                          .size = o->batch.batch_size,
	                          .unit = o->batch.unit,
	                          .rest = o->batch.rest,
	                          .bucket = o->batch.bucket};
	if (!p->order)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "order: expected sheaf, cntk, file, random or frequency, found \"%s\"",
		                  o->batch.order);
	SHEAF_TRY(check_together(o, p->order, err));
	p->arranged = (sheaf_order_options){o->batch.seed, o->window.length, o->window.in_samples};
	if (o->window.length == 0 && p->order->uses_chunks) p->arranged.window = usual_window(o);
	SHEAF_TRY(mix(b, o->batch.weights, err));
	if (p->order->by_frequency) SHEAF_TRY(sheaf_row_source_weigh(&b->source, err));
	b->source.rows.uneven |= p->order->replaces;
	p->crosses = !o->batch.stop_at_sweep_end;
	p->global = o->shard.global_timeline || p->order->dealing == SHEAF_DEAL_BATCH;
	p->rank = o->shard.rank;
	p->world = o->shard.world ? o->shard.world : 1;
	p->first_epoch = o->epochs.first_epoch;
	p->epochs = o->epochs.epochs ? o->epochs.epochs : 1;
	p->epoch_size = o->epochs.epoch_size;
	p->sweeps = o->epochs.sweeps;
	b->settings = (sheaf_batch_settings){&b->source, o->packing.packing, o->packing.pad_multiple, b->cx};
	b->truncation = o->packing.truncation;
	b->stride = o->shard.stride ? o->shard.stride : 1;
	if (o->packing.packing == SHEAF_PACK_TRUNCATED) {
		/* The rows of the grid take sequences one by one, so the plan gives batches of one sequence; how many
		 * sequences make up a batch is decided on top of it (truncate.c). */
		p->size = 1;
		p->one_by_one = true;
		p->global = false;
	}
	return SHEAF_OK;
}

/* ---- memory ---- */

/* The share of the limit that pieces get; batches, plans and reading have the other half. */
enum { SHARE_OF_PIECES = 2 };

/* The bytes that all pieces of a source have in their files. */
static int64_t bytes_in_files(const sheaf_row_source *s)
{
	int64_t sum = 0;
	for (int64_t i = 0; i < s->pieces; i++) sum += sheaf_row_source_piece_size(s, i);
	return sum;
}

/* Whether pieces are only located, and rows decoded as they are gathered, from the system's cache of the
 * file. Data that the user wants to keep in memory are decoded at once. */
static bool locates(const sheaf_batches *b, bool keep)
{
	return !keep && sheaf_row_source_locates(&b->source);
}

/* Gives a shuffle of everything a window if that does not fit into memory, whose number of chunks lets two
 * windows fit, the current one and the next. Orders that have a window, or are not dealt batch by batch, stay
 * as they are. The first piece is decoded to measure how much larger pieces are in memory. */
static sheaf_status fit_window(sheaf_batches *b, bool keep, sheaf_error *err)
{
	enum { MOST_GROWTH = 8 }; /* data of which that many times their bytes fit are not measured */
	sheaf_order_options *arranged = &b->options.arranged;
	int64_t bytes = bytes_in_files(&b->source), room = sheaf_max_memory(b->cx) / SHARE_OF_PIECES;
	double growth = 1; /* bytes in memory for each byte of the files; 1 where pieces are only located */
	if (b->options.order->dealing != SHEAF_DEAL_BATCH || arranged->window || bytes <= room / MOST_GROWTH)
		return SHEAF_OK;
	if (!locates(b, keep)) {
		/* The first piece shows how much larger pieces are when they are decoded. */
		sheaf_loaded_piece loaded = {0};
		sheaf_piece_ref ref = sheaf_row_source_piece(&b->source, b->source.piece_of_chunk[0]);
		int64_t before = sheaf_context_memory(b->cx, NULL);
		SHEAF_TRY(sheaf_row_source_read(&ref, false, &loaded, b->cx, err));
		growth = (double)(sheaf_context_memory(b->cx, NULL) - before) /
		         (double)(ref.entry.size > 0 ? ref.entry.size : 1);
		sheaf_loaded_piece_free(&loaded);
	}
	if ((double)bytes * growth <= (double)room) return SHEAF_OK;
	double bytes_of_chunk = (double)bytes * growth / (double)b->source.rows.chunks;
	double chunks = (double)room / 2 / (b->options.mixed ? b->options.mixed : 1) / bytes_of_chunk;
	arranged->window = chunks < 1 ? 1 : (int64_t)chunks;
	arranged->window_in_samples = false;
	return SHEAF_OK;
}

/* The number of pieces that the cache has to keep since they are used again later in the sweep: those of two
 * windows, and SPARE more; in the order of the file only these. 0: as many as fit. */
static int64_t pieces_to_keep(const sheaf_batches *b, bool keep)
{
	const sheaf_order_options *arranged = &b->options.arranged;
	enum { SPARE = 2 };
	if (keep || b->source.lanes > 1 || b->options.mixed) return 0;
	if (b->options.order->in_file_order) return SPARE;
	return arranged->window && !arranged->window_in_samples ? 2 * arranged->window + SPARE : 0;
}

/* ---- opening ---- */

/* The pipeline's step that makes a batch, on any thread; `user`: the settings, `item`: the builder. */
static void make(void *user, void *item)
{
	sheaf_batch_builder_make((sheaf_batch_builder *)item, (const sheaf_batch_settings *)user);
}

static void drop(void *user, void *item)
{
	sheaf_batch_builder_free((sheaf_batch_builder *)item, (const sheaf_batch_settings *)user);
}

/* Warns that columns beside streams are not among packed rows. */
static sheaf_status note_unpacked(const sheaf_batches *b, sheaf_error *err)
{
	int n = 0;
	char found[160];
	const sheaf_field *first = NULL;
	for (int f = b->source.schema.nfields - 1; f >= 0; f--) {
		const sheaf_field *field = &b->source.schema.fields[f];
		if (field->meaning == SHEAF_KEY || sheaf_field_is_stream(field)) continue;
		first = field;
		n++;
	}
	if (!first) return SHEAF_OK;
	snprintf(found, sizeof found, "%d beside them, the first \"%.80s\"", n, first->name);
	sheaf_problem problem = sheaf_problem_in(
		NULL, &SHEAF_FINDING(SHEAF_WARNING, "not packed", "streams, which are packed", found,
		                     "these columns are left out"));
	return sheaf_report(b->cx, &problem, err);
}

/* Opens the pipeline in which batches are made, for batches of `size`. Batches are made ahead if making them
 * takes longer than waking a thread, and if they do not take much memory; never if sequences are truncated,
 * since such batches are planned from what the rows of the grid hold. Also opens the grids of the first
 * builder, so that a source that cannot be packed is refused here. */
static sheaf_status open_makers(sheaf_batches *b, int64_t size, sheaf_error *err)
{
	/* AHEAD batches more than threads, so that a thread seldom has to be woken, which takes as long as a
	 * small batch; LEAST bytes in a batch; one SHAREth of the limit for all of them. */
	enum { AHEAD = 6, LEAST = 64 << 10, SHARE = 16 };
	const sheaf_rows *rows = &b->source.rows;
	int threads = sheaf_context_threads(b->cx), depth = threads + AHEAD;
	/* What a batch takes on average, as far as bytes of files tell that. */
	int64_t all = b->options.unit == SHEAF_SIZE_SEQUENCES ? rows->rows : rows->samples;
	double bytes = (double)bytes_in_files(&b->source) / (double)all * (double)size / (double)b->options.world;
	bool is_large = bytes >= LEAST, fits = bytes * depth <= (double)sheaf_max_memory(b->cx) / SHARE;
	b->makes_ahead = threads > 1 && !b->cut && is_large && fits;
	SHEAF_TRY(sheaf_pipeline_open(&b->makers, b->cx, sizeof(sheaf_batch_builder), b->makes_ahead ? depth : 1,
	                              (sheaf_pipeline_steps){make, NULL, drop, &b->settings}, err));
	sheaf_batch_builder *first = (sheaf_batch_builder *)sheaf_pipeline_free_item(&b->makers);
	if (!b->settings.packing) return SHEAF_OK;
	SHEAF_TRY(sheaf_packings_open(&first->packings, &b->source, b->cx, err));
	return note_unpacked(b, err);
}

/* A hash of the options that a state must agree with, or its place would be that of another batch. `size` is
 * that of a batch, which the plan does not have if sequences are truncated; then the number of shards counts
 * as well, since one row of the grid belongs to one shard from end to end. */
static uint32_t options_fingerprint(const sheaf_batches *b, int64_t size)
{
	bool cut = b->settings.packing == SHEAF_PACK_TRUNCATED;
	int64_t of_truncation[] = {cut ? size : 0, cut ? b->truncation : 0, cut ? b->options.world : 0};
	uint32_t hash =
		sheaf_options_fingerprint(&b->options, of_truncation, sizeof of_truncation / sizeof *of_truncation);
	return b->options.mixed
	           ? sheaf_options_fingerprint(&b->options, b->options.weights, (size_t)b->options.mixed) ^ hash
	           : hash;
}

/* Opens the grid rows of truncated sequences: as many as in CNTK (the size of a batch by the steps of a row),
 * of which the first shards get one more than the others if they cannot be divided evenly. */
static sheaf_status open_truncation(sheaf_batches *b, int64_t size, sheaf_error *err)
{
	int64_t rows = size / b->truncation, world = b->options.world;
	if (rows < 1) rows = 1;
	if (rows < world)
		return sheaf_refuse_number(err, "truncation",
		                           "at least as many rows (size of a batch by steps) as shards", rows);
	return sheaf_truncation_open(b->plan, rows / world + (b->options.rank < rows % world), b->truncation,
	                             b->cx, &b->cut, err);
}

/* Opens everything that batches need, one after the other: the table of rows, the plan, the cache of pieces,
 * reading ahead, truncation and the pipeline; then the state of the beginning. After a failure the caller
 * closes what was opened. */
static sheaf_status open_all(sheaf_batches *b, sheaf_dataset *const *datasets, int n, const choices *options,
                             sheaf_error *err)
{
	const sheaf_order *order = sheaf_order_find(options->batch.order ? options->batch.order : "sheaf");
	bool in_file_order = order && order->in_file_order, keep = options->batch.keep_in_memory;
	/* In the order of the file the number of rows need not be known before the end is reached, unless
	 * something is counted from there. */
	sheaf_union how = options->batch.join                                 ? SHEAF_UNION_JOIN
	                  : in_file_order && options->epochs.first_epoch == 0 ? SHEAF_UNION_GROW
	                                                                      : SHEAF_UNION_FOLLOW;
	SHEAF_TRY(check_numbers(options, err));
	SHEAF_TRY(sheaf_row_source_open(&b->source, datasets, n, how, b->cx, err));
	SHEAF_TRY(translate(b, options, err));
	SHEAF_TRY(fit_window(b, keep, err));
	SHEAF_TRY(sheaf_plan_open(&b->source.rows, &b->options, b->cx, &b->plan, err));
	sheaf_piece_cache_options cached = {locates(b, keep), pieces_to_keep(b, keep),
	                                    sheaf_max_memory(b->cx) / SHARE_OF_PIECES};
	SHEAF_TRY(sheaf_piece_cache_open(&b->source, &cached, b->cx, &b->cache, err));
	bool owns = order->owns_chunks; /* then this shard needs only every world-th chunk */
	b->ahead = (sheaf_readahead){.source = &b->source,
	                             .plan = b->plan,
	                             .cache = b->cache,
	                             .rank = owns ? b->options.rank : 0,
	                             .world = owns ? b->options.world : 1,
	                             .cx = b->cx};
	SHEAF_TRY(sheaf_readahead_open(&b->ahead, err));
	if (options->packing.packing == SHEAF_PACK_TRUNCATED)
		SHEAF_TRY(open_truncation(b, options->batch.batch_size, err));
	SHEAF_TRY(open_makers(b, options->batch.batch_size, err));
	sheaf_batches_stand_at(b);
	b->state.seed = options->batch.seed;
	b->state.options = options_fingerprint(b, options->batch.batch_size);
	sheaf_likeness likeness = in_file_order && !options->batch.join              ? SHEAF_LIKE_INPUTS
	                          : order->uses_chunks || b->options.arranged.window ? SHEAF_LIKE_CHUNKS
	                                                                             : SHEAF_LIKE_ROWS;
	return sheaf_row_source_fingerprint(&b->source, likeness, &b->state.data, err);
}

/* The structs to which the options point are copied, and zeros are the defaults of those that are not given.
 */
sheaf_status sheaf_batches_open(sheaf_dataset *const *datasets, int n, const sheaf_batch_options *options,
                                sheaf_context *cx, sheaf_batches **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(options, "options");
	SHEAF_EXPECT(n > 0, "a number of datasets of at least 1", n);
	SHEAF_NEED(datasets, "datasets");
	for (int i = 0; i < n; i++) SHEAF_NEED(datasets[i], "datasets");
	sheaf_batches *b;
	SHEAF_TRY(sheaf_allocate(cx, sizeof *b, &b, err));
	*b = (sheaf_batches){.cx = cx};
	enum { USUAL_SIZE = 256 };
	choices taken = {0};
	sheaf_status status = sheaf_check_size("batch options", options->size, sizeof *options, err);
	if (!status) taken.batch = *options;
	if (!taken.batch.batch_size) taken.batch.batch_size = USUAL_SIZE;
	if (taken.batch.window) taken.window = *options->window;
	if (taken.batch.epochs) taken.epochs = *options->epochs;
	if (taken.batch.shard) taken.shard = *options->shard;
	if (taken.batch.packing) taken.packing = *options->packing;
	if (!status) status = sheaf_check_size("window options", taken.window.size, sizeof taken.window, err);
	if (!status) status = sheaf_check_size("epoch options", taken.epochs.size, sizeof taken.epochs, err);
	if (!status) status = sheaf_check_size("shard options", taken.shard.size, sizeof taken.shard, err);
	if (!status) status = sheaf_check_size("packing options", taken.packing.size, sizeof taken.packing, err);
	if (!status) status = open_all(b, datasets, n, &taken, err);
	if (status)
		sheaf_batches_close(b);
	else
		*out = b;
	return status;
}

const sheaf_schema *sheaf_batches_schema(const sheaf_batches *b) { return b ? &b->source.schema : NULL; }

void sheaf_batches_facts(const sheaf_batches *b, int64_t *sequences, int64_t *samples, int64_t *dropped)
{
	bool known = b && !b->source.rows.grow; /* the table of rows has reached its end */
	if (sequences) *sequences = known ? b->source.rows.rows : -1;
	if (samples) *samples = known ? b->source.rows.samples : -1;
	if (dropped) *dropped = b ? b->source.match_room - b->source.matched : -1;
}
