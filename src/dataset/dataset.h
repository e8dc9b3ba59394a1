/* SPDX-License-Identifier: MIT */
/* The inside of datasets: shared by opening, writing and converting. */
#ifndef SHEAF_DATASET_DATASET_H
#define SHEAF_DATASET_DATASET_H

#include "index/index.h"
#include "input/decoding.h"
#include <sheaf/dataset.h>
#include <sheaf/pieces.h>

/* A dataset being read. */
struct sheaf_dataset {
	SHEAF_BASE(sheaf_indexed, indexed);
	sheaf_decoding decoding; /* open once a frame was requested */
	int64_t row, next_row;   /* of the last frame, and of the next */
	sheaf_source **kept;     /* gets the source when the dataset is closed; NULL: nobody */
	bool ended;
	bool ranged; /* only some of its pieces are read: nothing is made or reported about the whole */
	bool ends_before; /* ... and of these, the last one is not the input's */
	struct sheaf_part_making *part; /* that is made of what is read; NULL: none */
	struct sheaf_parts *merged;     /* which provides what is read; NULL: the input does */
	/* Gets rows after their review, and NULL at the end, for the part; and provides those of the parts. */
	sheaf_status (*keep)(struct sheaf_dataset *d, const sheaf_frame *frame, sheaf_error *err);
	sheaf_status (*next_kept)(struct sheaf_dataset *d, const sheaf_frame **out, sheaf_error *err);
};

/* USAGE if an option is out of range; options NULL are fine. `function` is for the message. */
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

/* sheaf_open_source; `rewindable`: sheaf_dataset_count may follow. */
SHEAF_USE sheaf_status sheaf_open_with(sheaf_source *source, const sheaf_open_options *options,
                                       bool rewindable, sheaf_context *cx, sheaf_dataset **out,
                                       sheaf_error *err);
/* Counts rows, samples and, if `keys` matter, keys by a pass over the whole input, as far as a writer needs
 * them; everything if `rows` are needed. Opens the input again. */
SHEAF_USE sheaf_status sheaf_dataset_count(sheaf_dataset *dataset, bool keys, bool rows, sheaf_facts *facts,
                                           sheaf_error *err);

/* sheaf_create_sink with marks for the settings used, and a writer that works while its caller continues:
 * findings and failures of a write may come with a later call. */
typedef struct sheaf_creation {
	const sheaf_create_options *options;
	bool *used;   /* one for each setting, set if the format uses it; NULL: all must be used */
	bool overlap; /* chunks are encoded by threads, which sheaf_writer_settle waits for */
	bool lends;   /* the schema lives as long as the writer: it is not copied */
} sheaf_creation;
SHEAF_USE sheaf_status sheaf_create_overlapping(sheaf_sink *sink, const sheaf_schema *schema,
                                                const sheaf_creation *how, sheaf_context *cx,
                                                sheaf_writer **out, sheaf_error *err);
/* sheaf_finish without the last step: the caller commits the sink together with others. */
SHEAF_USE sheaf_status sheaf_finish_into(sheaf_writer *writer, sheaf_sink **sink, sheaf_error *err);
/* The size of the input limits that of the output, in bytes. */
void sheaf_writer_bound(sheaf_writer *writer, int64_t input);
/* Waits until what was written is on its way to the output, and reports what was found in it. */
SHEAF_USE sheaf_status sheaf_writer_settle(sheaf_writer *writer, sheaf_error *err);

/* ---- outputs in parts ---- */

/* Whether rows can be encoded separately, and the bytes appended one after the other: sheaf_writer_take then
 * puts them into one output. Otherwise it writes the rows themselves. */
bool sheaf_writes_in_parts(const sheaf_format *format, const sheaf_schema *schema);
/* The size in bytes of each row of the writer's schema, into an array with room for all, if these sizes
 * decide where chunks begin; *chunk_bytes becomes the size of a chunk, or 0 if there are no such chunks. */
SHEAF_USE sheaf_status sheaf_writer_sizes(sheaf_writer *writer, const sheaf_frame *frame,
                                          int64_t *bytes_of_row, int64_t *chunk_bytes, sheaf_error *err);
/* Before the first row: encoded bytes go to `divert` (sheaf_output.divert). The first row is number `row` of
 * the output, and `before` is the size of those before it. */
void sheaf_writer_divert(sheaf_writer *writer, int64_t row, int64_t before,
                         sheaf_status (*divert)(void *user, const sheaf_blob *blob, sheaf_error *err),
                         void *user);
/* All rows of the part are encoded, or a loss that is not allowed says why not. Frees the writer. */
SHEAF_USE sheaf_status sheaf_finish_diverted(sheaf_writer *writer, sheaf_error *err);
/* Appends what another writer of the same schema has diverted: `size` bytes of a source made seekable. */
SHEAF_USE sheaf_status sheaf_writer_take(sheaf_writer *writer, sheaf_source *source, int64_t offset,
                                         int64_t size, const sheaf_blob *blob, sheaf_error *err);

/* ---- entries in parts ---- */

/* Whether the writer keeps entries to bring them into another order: then each of several writers can do that
 * for some of the entries, before the first of them is written. */
bool sheaf_writer_orders(const sheaf_writer *writer);
/* For such a writer: words in a key, each a uint64, and bytes in a value. */
typedef struct sheaf_entry_shape {
	uint32_t key_words, value_size;
} sheaf_entry_shape;
sheaf_entry_shape sheaf_writer_entry(const sheaf_writer *writer);
static inline int64_t sheaf_entry_bytes(const sheaf_entry_shape *shape)
{
	return (int64_t)shape->key_words * (int64_t)sizeof(uint64_t) + shape->value_size;
}
/* After the last row: gives all entries in order, each with its key and its value, n at a time, and frees the
 * writer. */
SHEAF_USE sheaf_status sheaf_writer_give(sheaf_writer *writer,
                                         sheaf_status (*take)(void *user, const void *entries, int64_t n,
                                                              sheaf_error *err),
                                         void *user, sheaf_error *err);

/* Entries that writers have given. */
typedef struct sheaf_sorted_run {
	sheaf_source *source; /* seekable */
	int64_t at, n;        /* first byte; number of entries */
} sheaf_sorted_run;
/* Instead of rows: all entries that others have given, merged in their order. The sources outlive the
 * writer. */
SHEAF_USE sheaf_status sheaf_writer_supply(sheaf_writer *writer, const sheaf_sorted_run *runs, int n,
                                           sheaf_error *err);

/* Whether entries can be encoded separately, slice by slice: a slice is a run of them in the order of the
 * output. */
bool sheaf_writer_slices(const sheaf_writer *writer);
/* For a writer that was supplied with a slice: the number of entries that it will write. */
SHEAF_USE sheaf_status sheaf_writer_count(sheaf_writer *writer, int64_t *rows, sheaf_error *err);
/* Encodes the entries of the slice, which begins with number `row` of `rows` in all, to `divert`
 * (sheaf_output.divert). Frees the writer. */
typedef struct sheaf_slicing {
	int64_t row, rows;
	sheaf_status (*divert)(void *user, const sheaf_blob *blob, sheaf_error *err);
	void *user;
} sheaf_slicing;
SHEAF_USE sheaf_status sheaf_writer_slice(sheaf_writer *writer, const sheaf_slicing *how, sheaf_error *err);
/* For another writer: sheaf_writer_take will take slices that were diverted, of `rows` entries in all. */
SHEAF_USE sheaf_status sheaf_writer_await(sheaf_writer *writer, int64_t rows, sheaf_error *err);

/* sheaf_survey_begin, before anything was read. */
SHEAF_USE sheaf_status sheaf_dataset_survey(sheaf_dataset *d, sheaf_error *err);
/* sheaf_dataset_read_piece for a piece whose entry is known, even if no table has it yet. */
SHEAF_USE sheaf_status sheaf_dataset_read_entry(const sheaf_dataset *d, const sheaf_piece_entry *entry,
                                                sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);

/* Whether the keys of its rows are their numbers, as far as that is known without reading them. */
bool sheaf_dataset_is_ordinal(const sheaf_dataset *dataset);
/* The keys of the rows of a piece, into room for as many as its entry has. Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_read_keys(const sheaf_dataset *dataset, const sheaf_piece_entry *entry,
                                               uint64_t *keys, sheaf_context *cx, sheaf_error *err);

/* Whether rows of its pieces can be taken without decoding them. */
bool sheaf_dataset_locates(const sheaf_dataset *dataset);
/* Finds the rows of a piece: refills *located, whose parts the caller resets. END if the piece has to be read
 * with sheaf_dataset_read_piece. Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_locate(const sheaf_dataset *dataset, const sheaf_piece_entry *entry,
                                            sheaf_located *located, sheaf_context *cx, sheaf_error *err);
void sheaf_located_reset(sheaf_located *located);
/* The same; then releases the pages of the piece that this brought into memory. */
void sheaf_dataset_let_go(const sheaf_dataset *dataset, sheaf_located *located);
/* Refills the frame with rows of located pieces, of this dataset or of others with the same format and
 * schema. Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_pick(const sheaf_dataset *dataset, const sheaf_row_at *rows, size_t n,
                                          sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);

/* sheaf_diff of two datasets of entries. */
SHEAF_USE sheaf_status sheaf_diff_tensors(sheaf_dataset *a, sheaf_dataset *b,
                                          const sheaf_diff_options *options, bool *equal, sheaf_error *err);

#endif
