/* SPDX-License-Identifier: MIT */
/* Sharing rows with other programs of the same process without copying them: buffers that are held, and the
 * Arrow C data interface in both directions.
 *
 * What these functions return holds everything that it needs: it may outlive its dataset, frame and context,
 * and any thread may release it. Until then its memory counts against the context's limit.
 *
 * Most used: sheaf_frame_hold, sheaf_held_free, sheaf_arrow_schema, sheaf_arrow_frame,
 * sheaf_arrow_dataset. */
#ifndef SHEAF_EXCHANGE_H
#define SHEAF_EXCHANGE_H

#include <sheaf/batch.h>
#include <sheaf/build.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- buffers ---- */

/* The buffers of a frame, held. */
typedef struct sheaf_held sheaf_held;

/* One of them. `part` and `at` are those of sheaf_build_wrap. */
typedef struct sheaf_flat {
	const void *data; /* NULL where count is 0 */
	int64_t count;    /* elements from `data` on; of VALID, bits after the first one */
	int64_t first;    /* VALID: the bit of `data` that is position 0, counted from the lowest; else 0 */
	int32_t column;   /* of the frame */
	int32_t part;     /* sheaf_column_part */
	int32_t at;       /* the level, or the dimension */
	int32_t type;     /* sheaf_type of an element: U8 for VALID, I8 for CODES, I64 for OFFSETS */
} sheaf_flat;

/* Holds the buffers of a frame of this schema. Free *out with sheaf_held_free. */
SHEAF_API SHEAF_USE sheaf_status sheaf_frame_hold(const sheaf_frame *frame, const sheaf_schema *schema,
                                                  sheaf_context *cx, sheaf_held **out, sheaf_error *err);
/* *n buffers, column by column: for each level, from the outermost, OFFSETS, INDICES, VALID and CODES, as far
 * as they exist; then VALUES. Valid until sheaf_held_free. */
SHEAF_API const sheaf_flat *sheaf_held_buffers(const sheaf_held *held, int *n);
/* The rows as a frame that shares the same buffers; borrowed until sheaf_held_free. NULL for a packed batch.
 */
SHEAF_API const sheaf_frame *sheaf_held_frame(const sheaf_held *held);
SHEAF_API void sheaf_held_free(sheaf_held *held);

/* `size` bytes at *data, aligned to 64 bytes, not initialised, for results of the caller. They count against
 * the context's max_memory (NOMEM, LIMIT: *data and *out are NULL then) and are valid until sheaf_held_free,
 * which any thread may call; the library then keeps the memory for the next buffer of that size, as it does
 * that of frames. sheaf_held_frame gives NULL. */
SHEAF_API SHEAF_USE sheaf_status sheaf_hold_memory(int64_t size, sheaf_context *cx, void **data,
                                                   sheaf_held **out, sheaf_error *err);

/* Parts of a batch that frames do not have. */
enum {
	SHEAF_PART_STARTS = 16, /* I32: where the entries of each sample of a packed sparse stream begin, and one
	                           more */
	SHEAF_PART_MASK,        /* U8: 1 for each sample of a packed stream that is there */
	SHEAF_PART_KEYS,        /* U64 of each sequence; column -1 */
	SHEAF_PART_LENGTHS      /* U32 of each sequence, in samples; column -1 */
};
/* Holds all arrays of a batch: of its frame, or VALUES, INDICES, STARTS and MASK of each packed stream, whose
 * `column` is its field; then KEYS and LENGTHS, which are copied. */
SHEAF_API SHEAF_USE sheaf_status sheaf_batch_hold(const sheaf_batch *batch, const sheaf_schema *schema,
                                                  sheaf_context *cx, sheaf_held **out, sheaf_error *err);

/* ---- the Arrow C data and stream interfaces ----
 *
 * The structures are those of the Arrow specification ("The Arrow C data interface", "The Arrow C stream
 * interface"), under the guards that it asks for, so that other headers may define them, too. */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

#endif

/* How rows become Arrow's. A frame is a struct with a child for each column:
 *
 *   dense samples              large_list<fixed_size_list<T>[dim]>       no copy
 *   sparse samples             large_list<large_list<struct<index, value>>>  no copy; metadata "sheaf.dim"
 *   numbers, keys, coordinates T, with nulls where they may be missing   no copy
 *   texts                      large_utf8                                no copy
 *   bytes                      large_binary, fixed_size_binary           no copy
 *   truth values               bool                                      an eighth of the bytes
 *   times, spans of time       timestamp, duration, in their own unit    no copy
 *   times with a zone          timestamp in UTC, and int32 NAME.offset   copied
 *   complex numbers            fixed_size_list<T>[2]                     no copy
 *   codes of what is missing   int8 NAME.code beside the column, on request  no copy
 *   what is imputed            bool NAME.imputed beside the column       a bit each
 *
 * Other chains of levels follow the same rules level by level. Bits of what is missing are copied where they
 * do not begin at a byte. Arrow has no form for a tensor as one row: USAGE. */
typedef struct sheaf_arrow_options {
	size_t size;        /* sizeof(sheaf_arrow_options) */
	bool small_offsets; /* list, utf8 and binary with offsets of 32 bits, which are copied; LIMIT where one
	                       does not fit */
	bool text_as_bytes; /* texts as large_binary, since they may not be UTF-8; without it such a text is DATA
	                     */
	bool codes;         /* int8 NAME.code beside each column that may be missing: why it is. Without it a code
	                       other than 0 is LOSS */
} sheaf_arrow_options;

/* options NULL: all defaults. The caller, or whoever *out is moved to, releases it. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arrow_schema(const sheaf_schema *schema,
                                                    const sheaf_arrow_options *options, sheaf_context *cx,
                                                    struct ArrowSchema *out, sheaf_error *err);
/* A struct array of frame->nrows rows. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arrow_frame(const sheaf_frame *frame, const sheaf_schema *schema,
                                                   const sheaf_arrow_options *options, sheaf_context *cx,
                                                   struct ArrowArray *out, sheaf_error *err);

/* Where the frames of a stream come from. */
typedef struct sheaf_feed {
	/* The next frame, borrowed until the next call, or END. */
	sheaf_status (*next)(void *user, const sheaf_frame **out, sheaf_error *err);
	void (*close)(void *user); /* called once, at the end; NULL: nothing to close */
	void *user;
} sheaf_feed;

/* A stream of struct arrays, one for each frame, whose functions any one thread at a time may call. A failure
 * is an errno, and its message get_last_error's: EINVAL for data that break their rules, ENOMEM, EIO,
 * ECANCELED after a stop. The feed is closed with the stream, or at once where this fails. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arrow_stream(const sheaf_feed *feed, const sheaf_schema *schema,
                                                    const sheaf_arrow_options *options, sheaf_context *cx,
                                                    struct ArrowArrayStream *out, sheaf_error *err);
/* The rows of a dataset from here on. The dataset is taken over, also on failure, and so is `owned`: the
 * context that it was opened in, to be freed with the stream, or NULL where that stays the caller's. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arrow_dataset(sheaf_dataset *dataset, sheaf_context *owned,
                                                     const sheaf_arrow_options *options,
                                                     struct ArrowArrayStream *out, sheaf_error *err);

/* ---- taking Arrow's rows ---- */

/* Another program's stream, as frames. Lists of numbers or of lists of fixed size are dense streams, lists
 * of lists of struct<index, value> sparse ones, whose dim is the metadata's "sheaf.dim"; a fixed-size list by
 * itself is a dense stream with one sample in each row; other lists are columns of nested levels, and fields
 * of structs are columns with dotted names; everything else is a column with one item in each row. With lists
 * among them rows are sequences, and uint64 named "key" is their key, else cells of a table. Arrays are
 * wrapped, and copied only if our form differs: offsets of 32 bits, truth values, dictionaries, runs, views,
 * half floats, days, times with a zone, and what is not aligned. A column of a type that has no place here is
 * left out with a warning; UNSUPPORTED: no column is left. */
typedef struct sheaf_arrow_reader sheaf_arrow_reader;

/* Takes the stream over (its `release` is then NULL), also on failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arrow_reader_new(struct ArrowArrayStream *stream, sheaf_context *cx,
                                                        sheaf_arrow_reader **out, sheaf_error *err);
/* The same for one array of a schema; takes both over. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arrow_reader_of(struct ArrowSchema *schema, struct ArrowArray *array,
                                                       sheaf_context *cx, sheaf_arrow_reader **out,
                                                       sheaf_error *err);
/* Borrowed until the reader is freed. */
SHEAF_API const sheaf_schema *sheaf_arrow_reader_schema(const sheaf_arrow_reader *reader);
/* The next rows, or END. *out, which is overwritten, owns them: free it with sheaf_frame_free. It may outlive
 * the reader. The rows are checked in full: DATA says what is wrong with them. */
SHEAF_API SHEAF_USE sheaf_status sheaf_arrow_reader_next(sheaf_arrow_reader *reader, sheaf_frame *out,
                                                         sheaf_error *err);
SHEAF_API void sheaf_arrow_reader_free(sheaf_arrow_reader *reader);

/* ---- Python's capsules ----
 *
 * PyCapsule objects with the names of Arrow's PyCapsule interface, which say what `from` and the content are:
 * "arrow_schema" an ArrowSchema, "arrow_array" an ArrowArray, "arrow_array_stream" an ArrowArrayStream. For
 * callers that hold the interpreter's lock (ctypes.PyDLL); nothing here needs Python's headers. */

/* A new reference to a capsule that releases what it holds unless a consumer has taken it; the structure is
 * moved from. NULL, and *from released, where the process has no Python or the capsule cannot be made; NULL
 * for other names, and *from stays the caller's. */
SHEAF_API void *sheaf_capsule_new(const char *name, void *from);
/* What a capsule of that name holds, which the caller may move from; NULL where it is none. */
SHEAF_API void *sheaf_capsule_content(const char *name, void *capsule);
/* Releases a reference to an object, on any thread, also while an exception is being raised: the `close` of a
 * feed whose `user` is such an object. Does nothing if the process has no Python. */
SHEAF_API void sheaf_object_drop(void *object);

#ifdef __cplusplus
}
#endif
#endif
