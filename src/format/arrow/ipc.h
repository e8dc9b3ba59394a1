/* SPDX-License-Identifier: MIT */
/* The inside of Arrow's files and streams: declarations that their files share.
 *
 *   flat_read.c, flat_write.c   FlatBuffers, in which heads of messages are written
 *   message.c        a message's head: what it is, and how long its body
 *   fields.c         the fields of a schema message, as the C data interface has them
 *   own_schema.c     the schema of columns that were ours
 *   nulls.c          which fields have missing entries, and what missing lists cover
 *   body.c           the buffers of a record batch, checked against its bytes, as an array of that interface
 *   lexicon.c        which dictionaries columns need
 *   dictionaries.c   the texts that indices mean, and from which byte of the input on
 *   compress.c       buffers compressed one by one
 *   read.c           opening, cutting, decoding; streams
 *   file.c           the same of files, by their footers
 *   list.c           the fields as a tree
 *   put_fields.c     fields into a schema message
 *   write.c          rows into record batches, and the footer of a file
 *   format.c         the table entry
 *
 * src/arrow converts fields and arrays, for files and for the exchange with other programs. What is read and
 * why is in docs/formats/arrow.md. Sections are those of Arrow's "Columnar format" page. */
#ifndef SHEAF_FORMAT_ARROW_IPC_H
#define SHEAF_FORMAT_ARROW_IPC_H

#include "arrow/restore.h"
#include "format/arrow/flat.h"
#include "format/format.h"
#include <stdatomic.h>

#define SHEAF_IPC_MAGIC "ARROW1"
/* Prefixes of the names of attributes in the schema's metadata: of those that must not be lost, and of
 * others. */
#define SHEAF_IPC_ATTRIBUTE "sheaf.attribute."
#define SHEAF_IPC_NOTE "sheaf.note."
/* The schema before its columns became Arrow's, and the options with which they were converted. */
#define SHEAF_IPC_SCHEMA_KEY "sheaf.schema"
enum { SHEAF_IPC_CODES = 1, SHEAF_IPC_TEXT_AS_BYTES = 2 };
enum {
	SHEAF_IPC_MAGIC_SIZE = 6,
	SHEAF_IPC_FIRST = 8,       /* byte of a file at which its messages begin */
	SHEAF_IPC_PREFIX = 8,      /* bytes before a message's head: four of 0xff, and the head's size */
	SHEAF_IPC_ALIGNMENT = 64,  /* alignment of the buffers that we write */
	SHEAF_IPC_METADATA_V4 = 3, /* the oldest version that is read */
	SHEAF_IPC_METADATA_V5 = 4
};

typedef enum sheaf_ipc_kind { SHEAF_IPC_SCHEMA = 1, SHEAF_IPC_DICTIONARY, SHEAF_IPC_BATCH } sheaf_ipc_kind;

/* How the buffers of a batch are compressed: the numbers of BodyCompression. */
enum { SHEAF_IPC_PLAIN = -1, SHEAF_IPC_LZ4, SHEAF_IPC_ZSTD };

/* A message whose head has been read. */
typedef struct sheaf_ipc_message {
	sheaf_ipc_kind kind;
	int64_t head, body; /* sizes: of the prefix and the head, of the body */
	sheaf_fb flat;
	sheaf_fb_table table; /* the schema, the dictionary batch, the record batch */
	sheaf_fb_table batch; /* the record batch, also that of a dictionary */
	int codec;            /* of its buffers */
	bool old;             /* it has version 4 */
} sheaf_ipc_message;

/* Reads the head of the message that begins with these bytes, all of them. DATA with *found if it is not
 * sound; END: the stream ends here. */
typedef struct sheaf_ipc_prefix {
	bool ends;
	int64_t before, head; /* size of the prefix, and of what it counts */
} sheaf_ipc_prefix;
sheaf_ipc_prefix sheaf_ipc_prefix_of(const uint8_t *bytes, size_t size);
/* DATA or UNSUPPORTED with *found. `bytes` must live as long. */
SHEAF_USE sheaf_status sheaf_ipc_read_message(const uint8_t *bytes, size_t size, sheaf_ipc_message *out,
                                              const char **found);

/* ---- fields ---- */

/* The columns of a schema, and whether the numbers in its batches begin with their highest byte; *out is
 * released by its `release`. */
SHEAF_USE sheaf_status sheaf_ipc_read_schema(const sheaf_fb_table *schema, const char *name,
                                             sheaf_context *cx, struct ArrowSchema *out, bool *is_big,
                                             sheaf_error *err);
/* How many buffers a batch has of such a field, its children, and those of views, left out. */
int sheaf_ipc_buffers_of(const struct ArrowSchema *field);
/* Whether some batch has missing entries of it; and remembers that one has. */
bool sheaf_ipc_misses(const struct ArrowSchema *field);
void sheaf_ipc_mark_missing(const struct ArrowSchema *field);
/* The number of the dictionary in which such a field's values are looked up. */
int64_t sheaf_ipc_dictionary_of(const struct ArrowSchema *field);
enum { SHEAF_IPC_SCHEMA_METADATA = 2 }; /* slot of Schema */
/* The value of a key of the metadata in a slot; without data if there is none. */
sheaf_bytes sheaf_ipc_metadata(const sheaf_fb_table *table, int slot, const char *key);
/* The attributes in it that are ours. */
SHEAF_USE sheaf_status sheaf_ipc_read_attributes(const sheaf_fb_table *schema, sheaf_schema *to,
                                                 sheaf_error *err);

/* ---- dictionaries ---- */

typedef struct sheaf_ipc_dictionary {
	struct sheaf_ipc_dictionary *before; /* the one of the same number that was read before it */
	int64_t byte;                        /* the position in the input from which it is valid */
	struct ArrowArray values;
} sheaf_ipc_dictionary;

/* All dictionaries of one number. They are only added to, by the thread that cuts; each is valid for what
 * comes after it in the input, so threads that decode need not know how many there are by then. */
typedef struct sheaf_ipc_words {
	int64_t id;
	const struct ArrowSchema *field; /* one whose values are in them; NULL: only columns left out have such */
	_Atomic(sheaf_ipc_dictionary *) newest;
} sheaf_ipc_words;

/* Those that a schema needs, by their numbers. */
typedef struct sheaf_ipc_lexicon {
	int64_t n, room;
	sheaf_ipc_words *words;
} sheaf_ipc_lexicon;

/* ---- bodies ---- */

/* A record batch, or that of a dictionary, and what its buffers are checked against. */
typedef struct sheaf_ipc_body {
	const sheaf_ipc_message *message;
	sheaf_buffer bytes;               /* borrowed */
	int64_t byte;                     /* of the message in the input */
	bool swapped;                     /* numbers are not in the order of this machine */
	const sheaf_ipc_lexicon *lexicon; /* NULL: no field has a dictionary */
	sheaf_context *cx;
	int64_t first, rows; /* which of them are needed; only their buffers are checked; rows -1: all */
	bool whole;          /* no column is left out */
} sheaf_ipc_body;

/* The rows of a batch, a struct of columns; or the values of one field. DATA if something does not fit. */
SHEAF_USE sheaf_status sheaf_ipc_read_rows(sheaf_ipc_body *body, const struct ArrowSchema *columns,
                                           struct ArrowArray *out, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ipc_read_values(sheaf_ipc_body *body, struct ArrowSchema *values,
                                             struct ArrowArray *out, sheaf_error *err);

/* Values of a dictionary, then those that a delta adds to it. Both stay. UNSUPPORTED for types other than
 * numbers, times, bytes or texts with offsets. */
SHEAF_USE sheaf_status sheaf_ipc_join_values(sheaf_ipc_body *body, const struct ArrowSchema *values,
                                             const struct ArrowArray *const parts[2], struct ArrowArray *out,
                                             sheaf_error *err);

/* Buffers: unpacked into exactly `size` bytes, DATA if that is not their size; packed and appended. */
SHEAF_USE sheaf_status sheaf_ipc_decompress(int codec, sheaf_bytes from, uint8_t *to, size_t size,
                                            sheaf_context *cx, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ipc_compress(int codec, sheaf_bytes from, sheaf_builder *to, sheaf_error *err);

/* ---- reading ---- */

/* A batch that is cut into runs of `step` rows, pieces whose `column` is the first of them, from 1; if rows
 * is -1, it is one piece. */
typedef struct sheaf_ipc_batch {
	sheaf_buffer bytes; /* none: there is no such batch */
	int64_t byte, number, row, rows, step;
} sheaf_ipc_batch;

typedef struct sheaf_ipc_reader {
	SHEAF_BASE(sheaf_reader, reader);
	bool is_file;          /* with a footer, after a signature */
	bool known;            /* all dictionaries of the input were read when it was opened */
	bool swapped;          /* numbers are not in the order of this machine */
	int64_t first;         /* a stream's: byte of the first message after the schema */
	int64_t number;        /* of the next batch */
	int64_t resumed;       /* its first row that is not cut yet */
	sheaf_ipc_batch batch; /* the one that is being cut */
	sheaf_buffer blocks;   /* a file's: where its batches are, from the footer */
	struct ArrowSchema columns;
	sheaf_arrow_plan plan; /* of columns that were ours; without tops: they were not */
	sheaf_ipc_lexicon lexicon;
	int64_t last_dictionary; /* byte of the last one that was read; -1: none was */
} sheaf_ipc_reader;

/* The words of a number; NULL: no field has them. */
sheaf_ipc_words *sheaf_ipc_find_words(const sheaf_ipc_lexicon *lexicon, int64_t id);
/* Lists the numbers of the columns, once these are chosen. */
SHEAF_USE sheaf_status sheaf_ipc_list_dictionaries(sheaf_ipc_reader *in, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ipc_add_dictionary(sheaf_ipc_reader *in, sheaf_ipc_message *message,
                                                const sheaf_buffer *bytes, int64_t byte, sheaf_error *err);
void sheaf_ipc_free_dictionaries(sheaf_ipc_reader *in);

/* The schema in a message or a footer. */
SHEAF_USE sheaf_status sheaf_ipc_learn_schema(sheaf_ipc_reader *in, const sheaf_fb_table *schema,
                                              sheaf_error *err);
/* All columns but those that are left out, once all batches were surveyed that can be. */
SHEAF_USE sheaf_status sheaf_ipc_choose_columns(sheaf_ipc_reader *in, sheaf_error *err);
/* Whether the columns depend on all batches: a schema says of lists only that entries may be missing. */
bool sheaf_ipc_depends_on_nulls(const sheaf_ipc_reader *in);
/* Remembers which fields have missing entries in the batch. */
void sheaf_ipc_survey_nulls(const sheaf_ipc_reader *in, const sheaf_ipc_message *batch);
/* In Arrow, missing lists may cover positions, which mean nothing; in a frame they cover none. */
SHEAF_USE sheaf_status sheaf_ipc_empty_missing(sheaf_frame *frame, const sheaf_schema *schema,
                                               sheaf_context *cx, sheaf_error *err);
/* A message that is here completely, and its body, which is borrowed. */
SHEAF_USE sheaf_status sheaf_ipc_read_taken(const sheaf_ipc_reader *in, const sheaf_buffer *bytes,
                                            int64_t byte, sheaf_ipc_message *out, sheaf_buffer *body,
                                            sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ipc_read_dictionary(sheaf_ipc_reader *in, const sheaf_buffer *bytes,
                                                 int64_t byte, sheaf_error *err);
/* A piece's notes: which rows of its batch it has. */
typedef struct sheaf_ipc_notes {
	int64_t first, rows; /* rows -1: all */
} sheaf_ipc_notes;
/* Notes for the next rows of the reader's batch: as many as have about `bytes`. */
SHEAF_USE sheaf_status sheaf_ipc_note(const sheaf_ipc_reader *in, int64_t first, int64_t rows,
                                      sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ipc_open_file(sheaf_ipc_reader *in, sheaf_error *err);
/* The next batch of a file into in->batch, or END. */
SHEAF_USE sheaf_status sheaf_ipc_next_in_file(sheaf_ipc_reader *in, sheaf_error *err);
/* Reads the head of the message at a byte of the input, or says what is wrong with it. */
SHEAF_USE sheaf_status sheaf_ipc_judge_message(const sheaf_ipc_reader *in, sheaf_bytes bytes, int64_t byte,
                                               sheaf_ipc_message *out, sheaf_error *err);
/* DATA: what was found instead of a message. */
SHEAF_USE sheaf_status sheaf_ipc_unsound(const sheaf_ipc_reader *in, int64_t byte, const char *found,
                                         sheaf_error *err);

SHEAF_USE sheaf_status sheaf_ipc_open(void *in, const sheaf_values *values, const sheaf_opening *how,
                                      sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ipc_cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ipc_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                        sheaf_context *cx, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ipc_rewind(void *in, const sheaf_piece *to, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ipc_recall(const void *in, sheaf_piece *piece, sheaf_error *err);
void sheaf_ipc_close(void *reader);

/* ---- list.c ---- */

struct sheaf_item_teller;
SHEAF_USE sheaf_status sheaf_ipc_list(const void *opened, sheaf_source *source,
                                      const struct sheaf_item_teller *teller, sheaf_error *err);

/* ---- writing ---- */

/* Fields and attributes into the head of a schema message, without its prefix; into a footer at `from`. */
void sheaf_ipc_put_schema(sheaf_fb_writer *w, size_t from, const struct ArrowSchema *rows,
                          const sheaf_schema *schema, const sheaf_arrow_options *options);

extern const sheaf_writing sheaf_ipc_writing;

#endif
