/* SPDX-License-Identifier: MIT */
/* The inside of the arranger: incoming entries become keys and values, these are sorted if necessary, and
 * outgoing entries are merged, filled in and turned into frames again. */
#ifndef SHEAF_SPARSE_ARRANGE_H
#define SHEAF_SPARSE_ARRANGE_H

#include "frame/element.h"
#include "sparse/key_layout.h"
#include "sparse/sort/entry_sorter.h"
#include "sparse/sort/runs.h"
#include <sheaf/tensor.h>

typedef struct sheaf_arrange_options {
	sheaf_duplicates duplicates; /* ERROR: only where the outcome must be unique, else they stay */
	bool drop_fill; /* positions of a dense tensor that hold its fill, or 0 where it has none, are no entries
	                   of a sparse one */
	bool hold; /* nothing comes out before sheaf_arranger_finish, so that sheaf_arranger_count is known by
	              then */
	int share; /* how many arrangers share the memory; 0: it is the only one */
	const char *name; /* of the file, for messages; NULL: none */
} sheaf_arrange_options;

/* Arranges entries in another order. They are sorted only if the order in which they come is not sufficient;
 * implied entries of a structure are added or left out; missing positions are filled in if the result is
 * dense. Entries of up to a quarter of the context's memory are sorted in memory, more in a temporary file.
 * The result is the same for any memory and any number of threads. */
typedef struct sheaf_arranger sheaf_arranger;

enum {
	SHEAF_KEY_WORDS = SHEAF_MAX_RANK,
	SHEAF_ARRANGE_CHUNK = 1024 /* entries whose structure is changed at a time */
};

/* What happens to the entries of a triangle. */
typedef enum sheaf_triangle {
	SHEAF_TRIANGLE_AS_IS,
	SHEAF_TRIANGLE_EXPAND,  /* each entry off the diagonal is repeated, mirrored */
	SHEAF_TRIANGLE_KEEP,    /* those of the other triangle are left out */
	SHEAF_TRIANGLE_EXCHANGE /* each one is mirrored */
} sheaf_triangle;

typedef struct sheaf_one_entry {
	uint64_t key[SHEAF_KEY_WORDS];
	uint8_t value[16];
} sheaf_one_entry;

struct sheaf_arranger {
	sheaf_context *cx;
	sheaf_schema schema;
	sheaf_tensor from, to;
	sheaf_arrange_options options;
	char *name;
	int value; /* the column of values */
	sheaf_element element;
	sheaf_key_layout layout;
	/* the steps: */
	sheaf_triangle triangle;
	bool passes;               /* only a check of the order */
	bool sorts;                /* entries are kept until all are there */
	bool ordered;              /* the output is in the order of keys */
	bool checks;               /* entries pass in no particular order, but must be unique all the same */
	bool unique;               /* a repeated position is an error, or its entries are merged */
	sheaf_arranger *positions; /* if it checks: sorts what comes, separately from the output */
	bool fills, drops;
	uint8_t fill[16] __attribute__((aligned(8)));
	/* input: */
	sheaf_frame given; /* if nothing is kept: the current frame */
	int64_t given_at;
	uint64_t *chunk_keys; /* room for twice SHEAF_ARRANGE_CHUNK */
	uint8_t *chunk_values;
	int64_t chunk_n; /* those whose structure was changed just now */
	int64_t memory;  /* size of the entries that are sorted in memory */
	sheaf_entry_sorter sorter;
	sheaf_runs runs;
	int64_t kept;
	bool rises, crosses; /* whether keys have come in order so far; and in the order of a matrix's exchanged
	                        coordinates */
	uint64_t last_key, last_crossed;
	bool spilled, finished;
	/* output: */
	sheaf_keyed input;
	int64_t input_at;
	sheaf_one_entry held, ready, position;
	bool has_held, has_ready, is_full; /* is_full: the last position was filled in */
	uint64_t *out_keys;
	uint8_t *out_values;
	int64_t out_n, out_room;
	sheaf_keyed direct; /* after these, where they are */
	sheaf_frame frame;
	bool gave; /* the given frame itself */
};

/* How many entries come from one that holds all of them, if that is known without a pass over them; else
 * -1. */
int64_t sheaf_arrange_known(const sheaf_arranger *a);

/* Begins the output again, for one that holds all entries until they are sorted. */
SHEAF_USE sheaf_status sheaf_arrange_rewind(sheaf_arranger *a, sheaf_error *err);

/* ---- arrange_in.c ---- */

/* Takes some entries of a frame, from row *at on, advances *at past them, and changes their structure: *out
 * becomes what came of them, which may be none, in memory of the arranger until the next call. */
SHEAF_USE sheaf_status sheaf_arrange_transform(sheaf_arranger *a, const sheaf_frame *frame, int64_t *at,
                                               sheaf_keyed *out, sheaf_error *err);
/* Keeps all entries of a frame until they are sorted. */
SHEAF_USE sheaf_status sheaf_arrange_keep(sheaf_arranger *a, const sheaf_frame *frame, sheaf_error *err);
/* After the last of them. */
SHEAF_USE sheaf_status sheaf_arrange_sort(sheaf_arranger *a, sheaf_error *err);
/* The next of the kept entries in order, or END. */
SHEAF_USE sheaf_status sheaf_arrange_sorted(sheaf_arranger *a, sheaf_keyed *out, sheaf_error *err);
/* ---- arrange_out.c ---- */

/* Fills the frame with the next entries, or END if there are none. */
SHEAF_USE sheaf_status sheaf_arrange_give(sheaf_arranger *a, sheaf_error *err);
/* Checks that passing entries are in the stated order. */
SHEAF_USE sheaf_status sheaf_arrange_look(sheaf_arranger *a, const sheaf_frame *frame, sheaf_error *err);

/* `schema` is that of the frames to come, `to` the tensor that is wanted: its order, sorted, unique, dense,
 * structure and, where it is dense, fill count; rank and shape must be those of the schema. Where the schema
 * says that entries are sorted, or unique, this is checked as they come. UNSUPPORTED where one structure
 * cannot become the other; LIMIT where a sparse tensor made dense would take more than the memory that is
 * allowed. */
SHEAF_USE sheaf_status sheaf_arranger_new(const sheaf_schema *schema, const sheaf_tensor *to,
                                          const sheaf_arrange_options *options, sheaf_context *cx,
                                          sheaf_arranger **out, sheaf_error *err);
/* The frame may be reused at once. */
SHEAF_USE sheaf_status sheaf_arranger_add(sheaf_arranger *arranger, const sheaf_frame *frame,
                                          sheaf_error *err);
/* After the last frame. */
SHEAF_USE sheaf_status sheaf_arranger_finish(sheaf_arranger *arranger, sheaf_error *err);
/* The next entries, or END where none are ready: ask after each frame that was added, and after the end. *out
 * is borrowed until the next call of any kind. */
SHEAF_USE sheaf_status sheaf_arranger_next(sheaf_arranger *arranger, const sheaf_frame **out,
                                           sheaf_error *err);
/* The total number of resulting entries. Call it after sheaf_arranger_finish of an arranger that holds them,
 * and before the first sheaf_arranger_next. */
SHEAF_USE sheaf_status sheaf_arranger_count(sheaf_arranger *arranger, int64_t *out, sheaf_error *err);
void sheaf_arranger_free(sheaf_arranger *arranger);
/* The same for entries in one frame: *out owns the result; free it with sheaf_frame_free. */
SHEAF_USE sheaf_status sheaf_frame_arrange(const sheaf_frame *frame, const sheaf_schema *schema,
                                           const sheaf_tensor *to, const sheaf_arrange_options *options,
                                           sheaf_context *cx, sheaf_frame *out, sheaf_error *err);

#endif
