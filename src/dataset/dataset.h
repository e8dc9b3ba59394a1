/* SPDX-License-Identifier: MIT */
/* The inside of datasets: shared by opening, writing and converting. */
#ifndef SHEAF_DATASET_DATASET_H
#define SHEAF_DATASET_DATASET_H

#include "dataset/index/index.h"
#include "dataset/input/decoding.h"
#include <sheaf/dataset.h>
#include <sheaf/pieces.h>

/* A dataset being read. */
struct sheaf_dataset {
	SHEAF_BASE(sheaf_indexed, indexed);
	sheaf_decoding decoding; /* open once a frame was requested */
	int64_t row, next_row;   /* of the last frame, and of the next */
	sheaf_source **kept;     /* gets the source when the dataset is closed; NULL: nobody */
	bool ended;
	bool ranged;      /* only some of its pieces are read: nothing is made or reported about the whole */
	bool ends_before; /* ... and of these, the last one is not the input's */
	/* What parts of a job (job/part) set: `keep` gets rows after their review, and NULL at the end, for the
	 * part that is made of what is read; `next_kept` provides rows of the merged parts instead of the input;
	 * `leave` lets go of either when the dataset is closed: before its reader, and after it. */
	struct sheaf_part_making *part;
	struct sheaf_parts *merged;
	sheaf_status (*keep)(struct sheaf_dataset *d, const sheaf_frame *frame, sheaf_error *err);
	sheaf_status (*next_kept)(struct sheaf_dataset *d, const sheaf_frame **out, sheaf_error *err);
	void (*leave)(struct sheaf_dataset *d, bool closed);
};

/* The given options, or the defaults (NULL), in which no struct is missing: as all of the library but the
 * public functions has them. USAGE if one is out of range; `function` is for the message. */
SHEAF_USE sheaf_status sheaf_take_open_options(const char *function, const sheaf_open_options *given,
                                               sheaf_open_options *out, sheaf_error *err);

/* The file beside a padded tensor that has the lengths of its sequences, x.lengths.npy beside x.npy. USAGE
 * where its path is too long. */
enum { SHEAF_LENGTHS_PATH = 4096 };
SHEAF_USE sheaf_status sheaf_name_lengths(const char *tensor, char path[SHEAF_LENGTHS_PATH],
                                          sheaf_error *err);
/* Finds the file that has the lengths where these options read a tensor: the one that is named, or one
 * beside it, whose path is put into `beside`. */
struct sheaf_padding sheaf_find_lengths(const sheaf_source *source, const sheaf_open_options *options,
                                        char beside[SHEAF_LENGTHS_PATH]);

/* Reads the lengths of `rows` sequences from an open file: an int64 for each. */
SHEAF_USE sheaf_status sheaf_read_lengths(sheaf_dataset *lengths, const char *file, int64_t rows,
                                          sheaf_buffer *out, sheaf_error *err);

/* The paths of the datasets in a container; none if the format is no container. */
SHEAF_USE sheaf_status sheaf_each_dataset(const sheaf_format *format, sheaf_source *source,
                                          sheaf_member_teller show, void *user, sheaf_error *err);
/* A teller that counts them in an int64_t. */
sheaf_status sheaf_count_member(void *count, const char *path, sheaf_error *err);

/* Copies the caller's options, or the defaults, and checks them. */
SHEAF_USE sheaf_status sheaf_take_tree_options(const char *function, const sheaf_tree_options *given,
                                               sheaf_tree_options *out, sheaf_error *err);
/* Appends the tree of a source, or of what a reader has opened (`in`). */
SHEAF_USE sheaf_status sheaf_put_tree(const sheaf_format *format, const void *in, sheaf_source *source,
                                      const sheaf_tree_options *options, sheaf_builder *b, sheaf_error *err);

/* Whether a selection leaves out rows at most, and nothing of each. */
bool sheaf_selects_rows_alone(const sheaf_selection *selection);

/* sheaf_open_source with options that were taken; `rewindable`: sheaf_dataset_count may follow. */
SHEAF_USE sheaf_status sheaf_open_with(sheaf_source *source, const sheaf_open_options *options,
                                       bool rewindable, sheaf_context *cx, sheaf_dataset **out,
                                       sheaf_error *err);
/* Counts rows, samples and, if `keys` matter, keys by a pass over the whole input, as far as a writer needs
 * them; everything if `rows` are needed. Opens the input again. */
SHEAF_USE sheaf_status sheaf_dataset_count(sheaf_dataset *dataset, bool keys, bool rows, sheaf_facts *facts,
                                           sheaf_error *err);

/* Skips rows at the beginning, before the first sheaf_next: of the first `rows` rows, those that are in whole
 * pieces; none if the input cannot be read at random, or has no more than `rows` rows, since its end must
 * then be read. The skipped rows are counted, or found in an index, but not read, so errors in them are not
 * reported. sheaf_dataset_row says where the next frame begins. */
SHEAF_USE sheaf_status sheaf_skip(sheaf_dataset *dataset, int64_t rows, sheaf_error *err);
/* The key of a row of the last frame: its key where the format has keys, else its number. */
uint64_t sheaf_row_key(const sheaf_dataset *dataset, const sheaf_frame *frame, int64_t row);

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
 * puts them into one output. Otherwise parts have the rows themselves. */
bool sheaf_writes_in_parts(const sheaf_format *format, const sheaf_schema *schema);
/* Lets the bytes of rows go to `sink`, which the caller keeps; called before the first row, which is number
 * `row` of the output. */
void sheaf_writer_divert(sheaf_writer *writer, int64_t row, sheaf_sink *sink);
/* All rows of the part are encoded, or a loss that is not allowed says why not. Frees the writer, and gives
 * the number of samples in them. */
SHEAF_USE sheaf_status sheaf_finish_diverted(sheaf_writer *writer, int64_t *samples, sheaf_error *err);
/* Appends what another writer of the same schema has diverted: bytes of a source made seekable, from `offset`
 * on, of which the blob has the size, and rows and samples. */
SHEAF_USE sheaf_status sheaf_writer_take(sheaf_writer *writer, sheaf_source *source, int64_t offset,
                                         const sheaf_blob *blob, sheaf_error *err);

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
/* Frees what sheaf_dataset_locate has found, and releases the pages of the piece that this brought into
 * memory. */
void sheaf_dataset_let_go(const sheaf_dataset *dataset, sheaf_located *located);
/* Refills the frame with rows of located pieces, of this dataset or of others with the same format and
 * schema. Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_pick(const sheaf_dataset *dataset, const sheaf_row_at *rows, size_t n,
                                          sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);

/* sheaf_diff of two datasets of entries. */
SHEAF_USE sheaf_status sheaf_diff_tensors(sheaf_dataset *a, sheaf_dataset *b,
                                          const sheaf_diff_options *options, bool *equal, sheaf_error *err);

#endif
