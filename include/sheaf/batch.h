/* SPDX-License-Identifier: MIT */
/* Minibatches: sequences of one or several datasets in an order, cut into batches, for one shard of any
 * number.
 *
 * The terms are CNTK's. A sweep is one pass over all sequences, T samples long; positions count samples from
 * the beginning of sweep 0, over all shards. An epoch is a stretch of that line: epoch e of size E covers the
 * positions [e*E, (e+1)*E); the sequence in which one ends belongs to it as a whole. The length of a sequence
 * is the number of samples of its main stream if one is named, else of its longest stream.
 *
 * Most used: sheaf_batches_open, sheaf_batches_schema, sheaf_batches_next, sheaf_batches_state,
 * sheaf_batches_close. */
#ifndef SHEAF_BATCH_H
#define SHEAF_BATCH_H

#include <sheaf/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the size of a batch counts. A batch has at least one sequence, and none is ever split (except
 * by SHEAF_PACK_TRUNCATED). */
typedef enum sheaf_size_unit {
	SHEAF_SIZE_SAMPLES,   /* the sum of lengths: CNTK's rule */
	SHEAF_SIZE_SEQUENCES, /* how many */
	SHEAF_SIZE_TOKENS     /* sequences times the longest of them: what they take once padded */
} sheaf_size_unit;

/* What to do with a batch that is smaller than its size, because the epoch ends, or a sweep that batches do
 * not cross. */
typedef enum sheaf_rest {
	SHEAF_REST_SHORT, /* it comes short */
	SHEAF_REST_DROP,  /* it is dropped */
	SHEAF_REST_PAD, /* its own sequences are repeated until it is full; sheaf_batch.repeated says how many */
	SHEAF_REST_WRAP /* it is filled with the sequences that come next */
} sheaf_rest;

/* How sequences are laid out side by side. */
typedef enum sheaf_packing {
	SHEAF_PACK_NONE,      /* one after the other: sheaf_batch.frame */
	SHEAF_PACK_SEQUENCES, /* CNTK's: as wide as the longest; each goes to the first row that has room for it
	                         after others */
	SHEAF_PACK_FRAMES,    /* CNTK's frame mode: each has one sample, and a row of its own; DATA where one has
	                         more */
	SHEAF_PACK_TRUNCATED, /* CNTK's truncated back-propagation through time: rows of `truncation` steps; what
	                       * does not fit continues in the next batch. batch_size / truncation rows, but at
	                       * least one, shared among the shards */
	SHEAF_PACK_PADDED     /* each has a row of its own, as wide as the longest, rounded up to a multiple of
	                         `pad_multiple` */
} sheaf_packing;

/* Within what rows are shuffled. `size` is sizeof of this struct, or 0, here and in the next ones. */
typedef struct sheaf_window_options {
	size_t size;
	int64_t length; /* in chunks (or samples); 0: all that the memory limit allows; in order "cntk" CNTK's
	                 * default: 4 GiB of chunks, or all samples */
	bool in_samples;
	int64_t chunk_bytes; /* the size of pieces that the datasets were opened with, by which CNTK chooses its
	                        window; 0: 32 MiB */
} sheaf_window_options;

/* Which epochs are given. */
typedef struct sheaf_epoch_options {
	size_t size;
	int64_t sweeps;      /* the length of an epoch in sweeps; 0: 1 */
	int64_t epoch_size;  /* or in samples; 0: as `sweeps` says */
	int64_t first_epoch; /* from 0 */
	int64_t epochs;      /* 0: 1 */
} sheaf_epoch_options;

/* Which batches, and what of them, this process has. */
typedef struct sheaf_shard_options {
	size_t size;
	int64_t rank, world; /* this shard, of `world` shards; world 0 is 1 */
	/* How shards count in the orders "cntk" and "file", where each shard has sequences of its own: each for
	 * itself up to its share of the size (CNTK's local timeline), or all of them together up to the size (its
	 * global one: a batch may be empty). */
	bool global_timeline;
	/* Of every `stride` batches only the first is made, and the others are skipped: for one of
	 * `stride` loaders that take turns. 0: 1. */
	int64_t stride;
} sheaf_shard_options;

typedef struct sheaf_packing_options {
	size_t size;
	sheaf_packing packing;
	int64_t truncation;   /* > 0 where sequences are truncated */
	int64_t pad_multiple; /* 0: 1 */
} sheaf_packing_options;

typedef struct sheaf_batch_options {
	size_t size;        /* sizeof(sheaf_batch_options) */
	const char *order;  /* "sheaf": a shuffle that is the same for any number of shards; "cntk": CNTK's;
	                     * "file": as in the file; "random": drawn with replacement; "frequency": the same,
	                     * weighted by the column "freq". NULL: "sheaf" */
	uint64_t seed;      /* of sweep 0; each sweep gets a new shuffle */
	int64_t batch_size; /* 0: 256 */
	sheaf_size_unit unit;
	sheaf_rest rest;
	bool bucket;            /* batches have sequences of about the same length; order "sheaf" only */
	bool stop_at_sweep_end; /* no batch has sequences of two sweeps */
	bool join; /* datasets stand side by side, by the keys of their sequences; else one after the other */
	/* Not NULL: sequences are drawn from the datasets by these weights, one for each, > 0; order "sheaf"
	 * only. Of every W sequences, W being their sum, each dataset gives as many as its weight says, and goes
	 * through sweeps of its own; a sweep of all is as many sequences as all have. Must stay valid until the
	 * batches are closed. */
	const int64_t *weights;
	bool keep_in_memory; /* pieces stay in memory, as far as its limit allows, when they will not be needed
	                        before the next sweep */
	/* NULL: all defaults. Needed only during the call. */
	const sheaf_window_options *window;
	const sheaf_epoch_options *epochs;
	const sheaf_shard_options *shard;
	const sheaf_packing_options *packing;
} sheaf_batch_options;

/* The number of a shard, the number of all shards, and where both come from. */
typedef struct sheaf_shard {
	int64_t rank, world; /* 0 <= rank < world */
	char origin[160];    /* of "env", in words: "torchrun (RANK=0, WORLD_SIZE=2)"; else "" */
} sheaf_shard;

/* Reads "RANK/WORLD", or "env": the variables of torchrun, Open MPI, MPICH and its relatives, or Slurm, in
 * this order, since a launcher inside a Slurm job knows more about its processes than Slurm does. The
 * environment is read only on request, since a shell inside a job has such variables, too; show `origin` to
 * the user. USAGE if the text is neither, or the environment has no such variables. */
SHEAF_API SHEAF_USE sheaf_status sheaf_shard_from_text(const char *text, sheaf_shard *out, sheaf_error *err);

/* A sequence in a packed batch: it takes the steps [begin, end) of a row. Below 0 and from `width` on are
 * steps in other batches. */
typedef struct sheaf_placed {
	int64_t sequence; /* its number in the batch */
	int64_t row, begin, end;
} sheaf_placed;

/* One stream of a packed batch: a grid of rows and steps, each place of which has a sample or none. The
 * sample of a row at a step is number row * row_stride + step * step_stride: steps outermost, as CNTK has it,
 * but rows outermost where they are padded. */
typedef struct sheaf_packed {
	int field; /* of sheaf_batches_schema */
	int64_t rows, width, row_stride, step_stride;
	sheaf_buffer values;  /* dense: dim values of each sample, zeros where there is none; sparse: of all
	                         entries, sample by sample */
	sheaf_buffer indices; /* sparse: int32 of each entry */
	sheaf_buffer starts;  /* sparse: int32, where the entries of each sample begin, and one more */
	sheaf_buffer mask;    /* uint8 of each sample: 1 where there is one */
	const sheaf_placed *placed;
	int64_t nplaced;
} sheaf_packed;

/* One minibatch. Everything that it points to is borrowed and valid until the next call with the same
 * batches; buffers of the frame may be kept longer by reference. */
typedef struct sheaf_batch {
	int64_t number;     /* from 0, since the batches were opened or placed */
	int64_t begin, end; /* positions before its first and after its last sequence: samples, of all shards */
	int64_t sweep;      /* in which it begins */
	bool sweep_end, epoch_end;  /* an end of a sweep, or of the epoch, is in it or after it; where sequences
	                             * are truncated, with the last samples of the sequence before that end */
	int64_t sequences, samples; /* of this shard */
	int64_t repeated;           /* the last ones of them, which only fill it up: SHEAF_REST_PAD */
	const uint64_t *keys; /* of the sequences; their numbers where the format has no keys, or datasets stand
	                         one after the other */
	const uint32_t *lengths;    /* of the sequences, in samples */
	const sheaf_packed *packed; /* of each stream; NULL where nothing is packed */
	int npacked;
	const sheaf_frame *frame; /* NULL where it is packed. Its rows are the sequences; columns as in
	                             sheaf_batches_schema. Offsets need not begin at 0 */
} sheaf_batch;

/* A source of minibatches. One thread at a time may use it. */
typedef struct sheaf_batches sheaf_batches;

/* Over n datasets, opened with SHEAF_RANDOM; they must outlive the batches, and nothing else may read from
 * them meanwhile. Joined datasets: the first one leads, and its sequences that another one lacks are left out
 * with a warning (CNTK's composite reader). Otherwise all must have the same streams, and are read one after
 * the other. Chunks are the pieces of the datasets (piece_bytes in sheaf_open_options). USAGE where an option
 * does not fit another one; DATA where there is no sample at all. */
SHEAF_API SHEAF_USE sheaf_status sheaf_batches_open(sheaf_dataset *const *datasets, int n,
                                                    const sheaf_batch_options *options, sheaf_context *cx,
                                                    sheaf_batches **out, sheaf_error *err);
SHEAF_API void sheaf_batches_close(sheaf_batches *batches);

/* Borrowed; valid until sheaf_batches_close. */
SHEAF_API const sheaf_schema *sheaf_batches_schema(const sheaf_batches *batches);
/* Sequences and samples of a sweep, over all shards (-1 until they are known: in order "file", without an
 * index, they are found as they are needed), and sequences that were left out because they have no partner.
 * Each of the pointers may be NULL. */
SHEAF_API void sheaf_batches_facts(const sheaf_batches *batches, int64_t *sequences, int64_t *samples,
                                   int64_t *dropped);

/* The next batch, or END after the last epoch. If an input fails, the call for the batch that needs it, and
 * each further call, returns the error. */
SHEAF_API SHEAF_USE sheaf_status sheaf_batches_next(sheaf_batches *batches, const sheaf_batch **out,
                                                    sheaf_error *err);

/* What is in a batch that these batches have given, as a JSON object, into *out, which is reset first (its
 * memory is reused if nobody else owns it): a list for each stream or column, with an item for each
 * sequence, as rows of SHEAF_JSON have them: {"A":[[[1,2]],[[3,4],[5,6]]]}. A packed stream has a list for
 * each row of its grid, with a sample for each step, or null where there is none. */
SHEAF_API SHEAF_USE sheaf_status sheaf_batch_text(const sheaf_batches *batches, const sheaf_batch *batch,
                                                  sheaf_buffer *out, sheaf_error *err);

/* A packed batch as rows that formats hold: *out and its *schema, which the caller frees. Each row of the
 * grid is a sequence of as many samples as the grid has steps, zeros where there is none. Beside each stream,
 * A, there is A.mask: 1 where there is a sample, else 0. If sequences have rows of their own (FRAMES,
 * PADDED), a row has the key of its sequence. Otherwise each sample has that in A.key, and its number in the
 * sequence in A.step, counted from 0, also if the sequence began in an earlier batch. A stream with fewer
 * rows than another one has zeros in the last rows, too. Columns that are no streams are not packed, and left
 * out. USAGE if the batch is not packed, or a stream has one of these names. */
SHEAF_API SHEAF_USE sheaf_status sheaf_batch_grid(const sheaf_batches *batches, const sheaf_batch *batch,
                                                  sheaf_schema *schema, sheaf_frame *out, sheaf_error *err);

/* Skips n batches, n >= 0, without reading their rows; END if there are no more. */
SHEAF_API SHEAF_USE sheaf_status sheaf_batches_skip(sheaf_batches *batches, int64_t n, sheaf_error *err);

/* Goes to the first sequence at or after a position, 0 <= position, of whatever sweep. */
SHEAF_API SHEAF_USE sheaf_status sheaf_batches_seek(sheaf_batches *batches, int64_t position,
                                                    sheaf_error *err);

/* Goes to the beginning of an epoch, and gives `epochs` epochs from there, at least 1, as if the batches had
 * been opened with these numbers. Data in memory stay there. */
SHEAF_API SHEAF_USE sheaf_status sheaf_batches_start_epoch(sheaf_batches *batches, int64_t epoch,
                                                           int64_t epochs, sheaf_error *err);

/* Where the batches stand, as one JSON object: {"version":1,"sweep":0,"ordinal":3,...}. It is the same on
 * every shard (except on a local timeline, where each shard advances at its own pace), and identifies the
 * data and options that it belongs to. */
enum { SHEAF_STATE_SIZE = 256 };
SHEAF_API void sheaf_batches_state(const sheaf_batches *batches, char state[SHEAF_STATE_SIZE]);
/* Goes to the place of a state: the next batches are those that would have followed. USAGE if the text is not
 * a state, or belongs to other data or options; the number of shards may differ. */
SHEAF_API SHEAF_USE sheaf_status sheaf_batches_resume(sheaf_batches *batches, const char *state,
                                                      sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
