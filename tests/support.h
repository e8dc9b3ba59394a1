/* SPDX-License-Identifier: MIT */
/* What the tests share: checks that show messages, an allocator that counts and fails, a folder, bytes in
 * memory, and datasets built value by value. */
#ifndef SHEAF_TESTS_SUPPORT_H
#define SHEAF_TESTS_SUPPORT_H

#include "base/buffer.h"
#include "format/format.h"
#include "frame/frame.h"
#include <sheaf/sheaf.h>

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- checks; each failing call fills `err` ---- */

extern sheaf_error err;

#define assert_ok(expression) check_status(SHEAF_OK, (expression), __FILE__, __LINE__)
#define assert_status(wanted, expression) check_status((wanted), (expression), __FILE__, __LINE__)
#define assert_message(part) check_message((part), __FILE__, __LINE__)
/* A part of the last message: "file", "stream", "place", "expected" or "found". */
#define assert_part(wanted, name) check_part((wanted), err.name, __FILE__, __LINE__)
#define assert_text(wanted, found) check_text((wanted), (found), __FILE__, __LINE__)

void check_status(sheaf_status wanted, sheaf_status status, const char *file, int line);
/* The message of `err` has this part. */
void check_message(const char *part, const char *file, int line);
void check_part(const char *wanted, sheaf_span part, const char *file, int line);
void check_text(const char *wanted, const char *found, const char *file, int line);

/* ---- chance ---- */

/* A fixed start for each test, so that failures can be repeated. */
void seed_random(uint64_t seed);
uint64_t next_random(void);
/* From 0 to n - 1. */
int64_t random_below(int64_t n);

/* ---- memory ---- */

/* Counts what it gives. Call number fail_at (from 1; 0: none) fails, and with `stay` all later ones. */
typedef struct allocator {
	_Atomic int64_t bytes, calls, peak;
	int64_t fail_at;
	bool stay;
} allocator;

/* A context's options with this allocator; `user` is the allocator, so callbacks that want more keep it
 * elsewhere. */
sheaf_context_options options_with(allocator *memory);
sheaf_context *context_with(const sheaf_context_options *options);
/* A context of all defaults. */
sheaf_context *usual_context(void);
/* Frees a context; no memory may be leaked. */
void end_context(sheaf_context *cx);

/* ---- bytes ---- */

typedef struct bytes_sink {
	uint8_t *data;
	size_t size, room;
} bytes_sink;

/* A sheaf_write_function for a bytes_sink. */
int write_bytes(void *user, const void *data, size_t size);
void free_bytes(bytes_sink *bytes);
void assert_same_bytes(const bytes_sink *a, const bytes_sink *b);

/* A sheaf_read_function that gives `step` bytes at a time. */
typedef struct bytes_source {
	sheaf_bytes rest;
	size_t step;
} bytes_source;
int64_t read_bytes(void *user, void *data, size_t size);

/* ---- files ---- */

extern char folder[64];

/* cmocka set-up and tear-down: an empty `folder`, removed afterwards with everything in it. */
int make_folder(void **state);
int remove_folder(void **state);
/* Path of a name in the folder; the last few stay valid. */
const char *in_folder(const char *name);
void write_file(const char *name, const void *data, size_t size);
void write_text(const char *name, const char *text);
bytes_sink read_file(const char *name);
bool file_exists(const char *name);
/* Number of files in the folder, hidden ones included. */
int files_in_folder(void);

/* ---- datasets ---- */

/* Whether this build reads and writes it. */
bool is_built(const sheaf_format *format);
/* What a format holds, as far as tests generate it; beside SHEAF_CAN_... in abilities. */
enum {
	HOLDS_NONFINITE = 1 << 16,  /* NaN and infinities */
	HOLDS_EMPTY_ROWS = 1 << 17, /* a stream without samples in a sequence */
	HOLDS_UNALIGNED = 1 << 18,  /* streams of different lengths in a sequence */
	HOLDS_DOUBLES = 1 << 19,    /* values that float32 does not */
	HOLDS_REPEATS = 1 << 20,    /* an index twice in a sparse sample */
	HOLDS_UNSORTED = 1 << 21,   /* the indices of a sparse sample in the order in which they come */
	HOLDS_SCHEMA = 1 << 22,     /* whether there were keys: equal contents may be different bytes */
	HOLDS_UNSPELLED = 1 << 23,  /* names and widths of columns that a declaration could not spell */
	HOLDS_NOTHING = 1 << 24,    /* no rows, no entries, extents of 0 */
	HOLDS_SHORT = 1 << 25 /* nothing but numbers that are the same as float32 and float64, also as text */
};
unsigned abilities(const sheaf_format *format);
/* Whether a format holds sequences in general: not only those of one shape, or only beside other kinds
 * of rows. */
bool holds_streams(const sheaf_format *format);

/* A schema and one frame of it. */
typedef struct table {
	sheaf_context *cx;
	sheaf_schema schema;
	sheaf_frame frame;
} table;

/* Fills the column of a stream: its values, the end of each sample, the end of each row. */
typedef struct filler {
	const sheaf_field *field;
	sheaf_builder lists, entries, indices, values;
	int64_t samples, stored;
} filler;

table new_table(sheaf_context *cx);
void free_table(table *t);
void add_stream(table *t, const char *name, bool sparse, int64_t dim, sheaf_type type);

void begin_filling(filler *f, const sheaf_field *field, sheaf_context *cx);
/* A value, rounded to its type; index -1 in dense streams. */
void fill_value(filler *f, int64_t index, double value);
/* A value of the field's own type, unchanged. */
void fill_raw(filler *f, int64_t index, const void *value);
void end_sample(filler *f);
void end_row(filler *f);
void finish_filling(filler *f, sheaf_column *column);

/* Fills a stream from a short text: rows separated by ';', samples by ',', values by spaces, sparse ones as
 * index:value. "" is no sample; an empty sample is "_". */
void fill_text(table *t, int column, const char *rows);
/* A table of one stream, for short tests. */
table stream_table(sheaf_context *cx, const char *name, bool sparse, int64_t dim, sheaf_type type,
                   const char *rows);
void assert_same_row(const sheaf_frame *a, int64_t row_a, const sheaf_frame *b, int64_t row_b);
/* Three rows of stream "x" (1, 2, 3), with these keys. */
table keyed_table(sheaf_context *cx, const uint64_t *three);

/* A buffer over the caller's array. */
#define borrow(array) ((sheaf_buffer){(uint8_t *)(array), sizeof(array), NULL})

/* Opens bytes as a dataset; options NULL: all defaults. */
sheaf_status open_bytes(sheaf_bytes bytes, const char *name, const sheaf_open_options *options,
                        sheaf_context *cx, sheaf_dataset **out);
/* Rows [from, to) of the table into memory, `step` rows at a time (0: all at once). */
sheaf_status write_table(const table *t, const sheaf_create_options *options, int64_t step, bytes_sink *out,
                         sheaf_context *cx);
/* The hash of a table's frame, or of all that a dataset gives. */
void hash_table(const table *t, bool keys, bool types, char text[33]);
sheaf_status hash_dataset(sheaf_dataset *dataset, bool keys, bool types, char text[33]);

/* Whether the text is one JSON value and nothing else. */
bool is_json(const char *text, size_t size);

#endif
