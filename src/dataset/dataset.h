/* SPDX-License-Identifier: MIT */
/* Datasets from the inside: what opening, writing and converting share. */
#ifndef SHEAF_DATASET_DATASET_H
#define SHEAF_DATASET_DATASET_H

#include "index/index.h"
#include "input/decoding.h"
#include <sheaf/dataset.h>
#include <sheaf/pieces.h>

/* A dataset being read. */
struct sheaf_dataset {
	SHEAF_BASE(sheaf_indexed, indexed);
	sheaf_decoding decoding; /* open once a frame was asked for */
	int64_t row, next_row;   /* of the frame given last, and of the one to come */
	bool ended;
	bool ranged; /* what is read are some of its pieces: nothing is made or reported of the whole */
	struct sheaf_part_making *part; /* that is made of what is read; NULL: none */
	struct sheaf_parts *merged;     /* from which comes what is read; NULL: from the input */
	/* Gets rows after their review, and NULL at the end, for the part; and gives those of the parts. */
	sheaf_status (*keep)(struct sheaf_dataset *d, const sheaf_frame *frame, sheaf_error *err);
	sheaf_status (*next_kept)(struct sheaf_dataset *d, const sheaf_frame **out, sheaf_error *err);
};

/* USAGE where an option is out of range; options NULL: all is well. `function` is for the message. */
SHEAF_USE sheaf_status sheaf_check_open_options(const char *function, const sheaf_open_options *options,
                                                sheaf_error *err);

/* The file beside a padded tensor that has the lengths of its sequences, x.lengths.npy beside x.npy. USAGE
 * where its path is too long. */
enum { SHEAF_LENGTHS_PATH = 4096 };
SHEAF_USE sheaf_status sheaf_name_lengths(const char *tensor, char path[SHEAF_LENGTHS_PATH],
                                          sheaf_error *err);
/* Which file has them where these options read a tensor: the one that is named, or one beside it, whose path
 * is `beside`. */
struct sheaf_padding sheaf_find_lengths(const sheaf_source *source, const sheaf_open_options *options,
                                        char beside[SHEAF_LENGTHS_PATH]);

/* Those of `rows` sequences, of an open file: an int64 for each. */
SHEAF_USE sheaf_status sheaf_read_lengths(sheaf_dataset *lengths, const char *file, int64_t rows,
                                          sheaf_buffer *out, sheaf_error *err);

/* Whether a selection leaves out rows at most, and nothing of each. */
bool sheaf_selects_rows_alone(const sheaf_selection *selection);

/* sheaf_open_source after which sheaf_dataset_count may follow, where `rewindable`. */
SHEAF_USE sheaf_status sheaf_open_rewindable(sheaf_source *source, const sheaf_open_options *options,
                                             bool rewindable, sheaf_context *cx, sheaf_dataset **out,
                                             sheaf_error *err);
/* Counts rows, samples and, where `keys` matter, keys by a pass over the whole input, as far as a writer
 * needs to know them: all of it where `rows` are wanted. Opens the input anew. */
SHEAF_USE sheaf_status sheaf_dataset_count(sheaf_dataset *dataset, bool keys, bool rows, sheaf_facts *facts,
                                           sheaf_error *err);

/* sheaf_create_sink with marks for the settings used, and a writer that works while its caller goes on:
 * findings and failures of a write may come with a later call. */
typedef struct sheaf_creation {
	const sheaf_create_options *options;
	bool *used;   /* one for each setting, set where the format uses it; NULL: all must be used */
	bool overlap; /* chunks are encoded by threads, which sheaf_writer_settle waits for */
	bool lends;   /* the schema stays as long as the writer: no copy is made */
} sheaf_creation;
SHEAF_USE sheaf_status sheaf_create_overlapping(sheaf_sink *sink, const sheaf_schema *schema,
                                                const sheaf_creation *how, sheaf_context *cx,
                                                sheaf_writer **out, sheaf_error *err);
/* sheaf_finish but for the last step: the sink is the caller's, to commit it with others. */
SHEAF_USE sheaf_status sheaf_finish_into(sheaf_writer *writer, sheaf_sink **sink, sheaf_error *err);
/* The output is bounded by the size of its input, in bytes. */
void sheaf_writer_bound(sheaf_writer *writer, int64_t input);
/* Waits until what was written is on its way out, and reports what was found in it. */
SHEAF_USE sheaf_status sheaf_writer_settle(sheaf_writer *writer, sheaf_error *err);

/* ---- outputs in parts ---- */

/* Whether rows can be encoded apart from the others, and the bytes put one after the other: what is put into
 * one output by sheaf_writer_take then. Else rows are put into it as they are. */
bool sheaf_writes_in_parts(const sheaf_format *format, const sheaf_schema *schema);
/* The bytes that rows of the writer's schema will take, one for each, into room for as many, where chunks
 * are opened by them; *chunk_bytes becomes the bytes of a chunk, 0 where there are no such chunks. */
SHEAF_USE sheaf_status sheaf_writer_sizes(sheaf_writer *writer, const sheaf_frame *frame,
                                          int64_t *bytes_of_row, int64_t *chunk_bytes, sheaf_error *err);
/* Before the first row: what is encoded goes to `divert` (sheaf_output.divert). The first row is number `row`
 * of the output, and `before` the bytes of those before it. */
void sheaf_writer_divert(sheaf_writer *writer, int64_t row, int64_t before,
                         sheaf_status (*divert)(void *user, const sheaf_blob *blob, sheaf_error *err),
                         void *user);
/* All rows of the part are encoded, or a loss that is not allowed says why not. Frees the writer. */
SHEAF_USE sheaf_status sheaf_finish_diverted(sheaf_writer *writer, sheaf_error *err);
/* Puts what another writer of the same schema has diverted: `size` bytes of a source made seekable. */
SHEAF_USE sheaf_status sheaf_writer_take(sheaf_writer *writer, sheaf_source *source, int64_t offset,
                                         int64_t size, const sheaf_blob *blob, sheaf_error *err);

/* ---- entries in parts ---- */

/* Whether the writer keeps entries to bring them into another order: each of several writers can do that for
 * some of the entries, before the first of them goes out. */
bool sheaf_writer_orders(const sheaf_writer *writer);
/* Of such a writer: words of a key, each a uint64, and bytes of a value. */
typedef struct sheaf_entry_shape {
	uint32_t key_words, value_size;
} sheaf_entry_shape;
sheaf_entry_shape sheaf_writer_entry(const sheaf_writer *writer);
static inline int64_t sheaf_entry_bytes(const sheaf_entry_shape *shape)
{
	return (int64_t)shape->key_words * (int64_t)sizeof(uint64_t) + shape->value_size;
}
/* After the last row: gives all entries in order, each its key and its value, n at a time, and frees the
 * writer. */
SHEAF_USE sheaf_status sheaf_writer_give(sheaf_writer *writer,
                                         sheaf_status (*take)(void *user, const void *entries, int64_t n,
                                                              sheaf_error *err),
                                         void *user, sheaf_error *err);

/* Entries as writers have given them. */
typedef struct sheaf_sorted_run {
	sheaf_source *source; /* seekable */
	int64_t at, n;        /* first byte; entries */
} sheaf_sorted_run;
/* Instead of rows: what others have given of all entries, in the order of these. The sources outlive the
 * writer. */
SHEAF_USE sheaf_status sheaf_writer_supply(sheaf_writer *writer, const sheaf_sorted_run *runs, int n,
                                           sheaf_error *err);

/* Whether entries can be encoded apart, slice by slice: runs of them in the order in which they go out. */
bool sheaf_writer_slices(const sheaf_writer *writer);
/* A writer that was supplied with a slice: how many entries go out of it. */
SHEAF_USE sheaf_status sheaf_writer_count(sheaf_writer *writer, int64_t *rows, sheaf_error *err);
/* Of `rows` entries of the whole those of the slice, of which the first is number `row`, are encoded and go
 * to `divert` (sheaf_output.divert). Frees the writer. */
typedef struct sheaf_slicing {
	int64_t row, rows;
	sheaf_status (*divert)(void *user, const sheaf_blob *blob, sheaf_error *err);
	void *user;
} sheaf_slicing;
SHEAF_USE sheaf_status sheaf_writer_slice(sheaf_writer *writer, const sheaf_slicing *how, sheaf_error *err);
/* Another writer: what is taken by sheaf_writer_take are slices that were diverted, of `rows` entries. */
SHEAF_USE sheaf_status sheaf_writer_await(sheaf_writer *writer, int64_t rows, sheaf_error *err);

/* sheaf_survey_begin, where nothing has been read. */
SHEAF_USE sheaf_status sheaf_dataset_survey(sheaf_dataset *d, sheaf_error *err);
/* sheaf_dataset_read_piece for a piece of which the entry is known, be it in a table yet or not. */
SHEAF_USE sheaf_status sheaf_dataset_read_entry(const sheaf_dataset *d, const sheaf_piece_entry *entry,
                                                sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);

/* Whether the keys of its rows are their numbers, as far as that is known without reading them. */
bool sheaf_dataset_is_ordinal(const sheaf_dataset *dataset);
/* The keys of the rows of a piece, into room for as many as its entry has. Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_read_keys(const sheaf_dataset *dataset, const sheaf_piece_entry *entry,
                                               uint64_t *keys, sheaf_context *cx, sheaf_error *err);

/* Whether rows of its pieces can be taken without decoding them. */
bool sheaf_dataset_locates(const sheaf_dataset *dataset);
/* Finds the rows of a piece: refills *located, whose parts the caller resets. END where the piece has to be
 * read with sheaf_dataset_read_piece. Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_locate(const sheaf_dataset *dataset, const sheaf_piece_entry *entry,
                                            sheaf_located *located, sheaf_context *cx, sheaf_error *err);
void sheaf_located_reset(sheaf_located *located);
/* The same, and the pages of the piece, which a walk over it and its rows have brought in, are let go. */
void sheaf_dataset_let_go(const sheaf_dataset *dataset, sheaf_located *located);
/* Refills the frame with rows of pieces located so, of this dataset or of others of its format and schema.
 * Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_pick(const sheaf_dataset *dataset, const sheaf_row_at *rows, size_t n,
                                          sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);

/* sheaf_diff of two datasets of entries. */
SHEAF_USE sheaf_status sheaf_diff_tensors(sheaf_dataset *a, sheaf_dataset *b,
                                          const sheaf_diff_options *options, bool *equal, sheaf_error *err);

#endif
