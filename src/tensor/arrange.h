/* SPDX-License-Identifier: MIT */
/* The arranger from the inside: what comes in becomes keys and values, these are sorted where they must be,
 * and what goes out is merged, filled in and made a frame again. */
#ifndef SHEAF_TENSOR_ARRANGE_H
#define SHEAF_TENSOR_ARRANGE_H

#include "data/element.h"
#include "data/key_layout.h"
#include "sort/entry_sorter.h"
#include "sort/runs.h"
#include <sheaf/tensor.h>

enum {
	SHEAF_KEY_WORDS = SHEAF_MAX_RANK,
	SHEAF_ARRANGE_CHUNK = 1024 /* entries whose structure is changed at a time */
};

/* What is done with the entries of a triangle. */
typedef enum sheaf_triangle {
	SHEAF_TRIANGLE_AS_IS,
	SHEAF_TRIANGLE_EXPAND,  /* each one off the diagonal is there once more, mirrored */
	SHEAF_TRIANGLE_KEEP,    /* those of the other one are left out */
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
	int value; /* the value's column */
	sheaf_element element;
	sheaf_key_layout layout;
	/* what must be done */
	sheaf_triangle triangle;
	bool passes;               /* nothing but a look at the order */
	bool sorts;                /* entries are kept until all are there */
	bool ordered;              /* what goes out is in the order of keys */
	bool checks;               /* entries pass in no order, and must be unique all the same */
	bool unique;               /* a position twice is an error, or merged */
	sheaf_arranger *positions; /* where it checks: sorts what comes, apart from what goes out */
	bool fills, drops;
	uint8_t fill[16] __attribute__((aligned(8)));
	/* coming in */
	sheaf_frame given; /* where nothing is kept: the frame that is being gone through */
	int64_t given_at;
	uint64_t *chunk_keys; /* room for twice SHEAF_ARRANGE_CHUNK */
	uint8_t *chunk_values;
	int64_t memory; /* bytes of entries that are sorted in memory */
	sheaf_entry_sorter sorter;
	sheaf_runs runs;
	int64_t kept;
	bool rises, crosses; /* so far keys have come in order; in the order of the coordinates of a matrix
	                        changed over */
	uint64_t last_key, last_crossed;
	bool spilled, finished;
	bool supplied; /* runs are others': their keys may be anything */
	/* going out */
	sheaf_keyed input;
	int64_t input_at;
	sheaf_one_entry held, ready, position;
	bool has_held, has_ready, is_full; /* is_full: the last position was filled in */
	uint64_t *out_keys;
	uint8_t *out_values;
	int64_t out_n, out_room;
	sheaf_keyed direct; /* after these, where they lie */
	sheaf_frame frame;
	bool gave; /* the given frame itself */
};

/* How many entries come out of one that holds all of them, where it takes no pass over them to know; else
 * -1. */
int64_t sheaf_arrange_known(const sheaf_arranger *a);

/* Whether entries are brought into another order, which several arrangers can do for some of them each. */
bool sheaf_arrange_orders(const sheaf_arranger *a);
/* Instead of entries that are added and sorted: n that another arranger of the same schema has given by
 * sheaf_arrange_sorted, from byte `at` on of a seekable source, which outlives this one. Each time those
 * after the ones before: then what comes out is what one arranger of all would give. */
SHEAF_USE sheaf_status sheaf_arrange_supply(sheaf_arranger *a, sheaf_source *source, int64_t at, int64_t n,
                                            sheaf_error *err);

/* What comes out begins anew, of one that holds all entries until they are sorted. */
SHEAF_USE sheaf_status sheaf_arrange_rewind(sheaf_arranger *a, sheaf_error *err);

/* ---- arrange_in.c ---- */

/* Changes the structure of some of the given entries: *n of them come out, and the number taken is returned
 * through *at. */
SHEAF_USE sheaf_status sheaf_arrange_transform(sheaf_arranger *a, const sheaf_frame *frame, int64_t *at,
                                               sheaf_keyed *out, sheaf_error *err);
/* Keeps all entries of a frame until they are sorted. */
SHEAF_USE sheaf_status sheaf_arrange_keep(sheaf_arranger *a, const sheaf_frame *frame, sheaf_error *err);
/* After the last of them. */
SHEAF_USE sheaf_status sheaf_arrange_sort(sheaf_arranger *a, sheaf_error *err);
/* The next of the kept entries in order, or END. */
SHEAF_USE sheaf_status sheaf_arrange_sorted(sheaf_arranger *a, sheaf_keyed *out, sheaf_error *err);
/* From the first again. */
SHEAF_USE sheaf_status sheaf_arrange_again(sheaf_arranger *a, sheaf_error *err);
/* The coordinates of an entry are out of range. */
sheaf_status sheaf_arrange_refuse_place(const sheaf_arranger *a, const sheaf_frame *frame, int64_t row,
                                        sheaf_error *err);

/* ---- arrange_out.c ---- */

/* Fills the frame with the next entries, or END where there are none. */
SHEAF_USE sheaf_status sheaf_arrange_give(sheaf_arranger *a, sheaf_error *err);
/* Looks whether entries that pass are in the order in which they are said to be. */
SHEAF_USE sheaf_status sheaf_arrange_look(sheaf_arranger *a, const sheaf_frame *frame, sheaf_error *err);

#endif
