/* SPDX-License-Identifier: MIT */
/* Sparse arrays as files have them. A format says where its arrays are; this room makes entries and whole
 * rows of them, checks what they promise, and makes them from entries.
 *
 * A matrix is stored as levels, from the outside in. A dense level has all coordinates of its dimension, a
 * sparse one lists those that occur: its `indices`, and its `pointers`, which say where the list of each
 * position above begins, and where the last list ends. The matrix
 *
 *     . 5 . 7        CSR   dense, sparse     pointers 0 2 2 3    indices 1 3 2             values 5 7 9
 *     . . . .        CSC   the same of       pointers 0 0 1 2 3  indices 0 2 0             values 5 9 7
 *     . . 9 .              columns
 *                    DCSR  sparse, sparse    indices 0 2   pointers 0 2 3   indices 1 3 2  values 5 7 9
 *                    COO   sparse of two     indices 0 0 2 and 1 3 2                       values 5 7 9
 *                          dimensions
 *
 * A sparse level may have several dimensions at once: one array of indices for each. The outermost level has
 * one position above, the root, and therefore no pointers. Values belong to the positions below the last
 * level, which are the entries.
 *
 *   arrays.c    numbers of one array, by runs and one by one
 *   check.c     what pointers and indices promise
 *   place.c     positions: from levels down to entries, and up again
 *   entries.c   a run of entries as columns of coordinates
 *   whole.c     all of them as one row
 *   unroll.c    the entries of such a row
 *   write.c     the other way: entries into the arrays of levels
 *   hypersparse.c  many more rows than entries
 *
 * Beside that, entries are brought into order: compress.h (by rows or columns, in memory), arrange.h (any
 * order, structure and number of entries), both by the keys of key_layout.h. */
#ifndef SHEAF_SPARSE_SPARSE_H
#define SHEAF_SPARSE_SPARSE_H

#include "frame/frame.h"
#include "frame/frame_builder.h"

typedef struct sheaf_stored_level {
	bool is_sparse;
	int rank; /* dimensions; of a dense level 1 */
} sheaf_stored_level;

typedef struct sheaf_stored_levels {
	int rank; /* of the tensor */
	int nlevels;
	sheaf_stored_level levels[SHEAF_MAX_RANK];
	int order[SHEAF_MAX_RANK]; /* dimension k of the levels is dimension order[k] of the tensor */
} sheaf_stored_levels;

/* An array of whole numbers in a file. */
typedef struct sheaf_stored_array {
	char name[32];  /* for messages */
	const void *at; /* as the format knows it; NULL: there is no array, and each of its numbers is 0 */
	int64_t count;
	int64_t chunk;      /* numbers that are unpacked together; 0: any can be read alone */
	bool is_unsigned;   /* with 64 bits: numbers above 2^63 - 1 become negative ones */
	sheaf_buffer held;  /* its numbers, if they are in memory, */
	sheaf_type held_as; /* as I64, or as I32: then those in the file, if there is one, may be larger */
} sheaf_stored_array;

typedef struct sheaf_sparse sheaf_sparse;

/* Numbers `run` of an array as I32 or I64 into an empty builder, which shares the file's bytes if they are
 * stored so. Numbers that do not fit become negative ones. */
typedef sheaf_status (*sheaf_numbers_reader)(const sheaf_sparse *sparse, const sheaf_stored_array *array,
                                             sheaf_run run, sheaf_type type, sheaf_builder *to,
                                             sheaf_error *err);

struct sheaf_sparse {
	sheaf_context *cx;
	const char *where; /* the file, and the tensor in it, for messages */
	sheaf_stored_levels levels;
	int64_t shape[SHEAF_MAX_RANK];
	sheaf_stored_array pointers[SHEAF_MAX_RANK]; /* by level */
	sheaf_stored_array indices[SHEAF_MAX_RANK];  /* by dimension of the levels */
	int64_t counts[SHEAF_MAX_RANK + 1];          /* positions above each level; the last one: entries */
	sheaf_numbers_reader read;
	void *from; /* what it reads from, if it wants to know */
	/* The file promises indices that ascend in each list: every broken promise is a finding. Otherwise lists
	 * have any order, and the first index outside of the shape fails. */
	bool is_strict;
	bool no_empty; /* below sparse levels no list is empty */
};

/* Extent of dimension k of the levels. */
static inline int64_t sheaf_sparse_extent(const sheaf_sparse *s, int k)
{
	return s->shape[s->levels.order[k]];
}
static inline int64_t sheaf_sparse_entries(const sheaf_sparse *s) { return s->counts[s->levels.nlevels]; }
/* The number of dimensions in the levels above level l. */
int sheaf_levels_depth(const sheaf_stored_levels *levels, int l);
/* One level of each dimension, of which the last one is sparse; or one sparse level of all. */
void sheaf_levels_of_lists(sheaf_stored_levels *levels, int rank, bool by_columns);
void sheaf_levels_of_coordinates(sheaf_stored_levels *levels, int rank);
/* Releases what arrays hold. */
void sheaf_sparse_close(sheaf_sparse *s);

/* ---- arrays.c ---- */

SHEAF_USE sheaf_status sheaf_stored_read(const sheaf_sparse *s, const sheaf_stored_array *a, sheaf_run run,
                                         sheaf_type type, sheaf_builder *to, sheaf_error *err);
/* The same as int64, into a buffer with memory of `cx`. */
SHEAF_USE sheaf_status sheaf_stored_i64(const sheaf_sparse *s, const sheaf_stored_array *a, sheaf_run run,
                                        sheaf_context *cx, sheaf_buffer *out, sheaf_error *err);
static inline const int64_t *sheaf_numbers(const sheaf_buffer *buffer)
{
	return (const int64_t *)(const void *)buffer->data;
}

/* A number of the array as the file has it, for messages. */
const char *sheaf_stored_spell(const sheaf_stored_array *a, int64_t number, char text[24]);

/* A part of an array that moves to where it is needed. Begins as zeros; belongs to one thread. */
typedef struct sheaf_window {
	int64_t from, to;
	sheaf_buffer values; /* int64 */
} sheaf_window;
SHEAF_USE sheaf_status sheaf_stored_look(const sheaf_sparse *s, const sheaf_stored_array *a,
                                         sheaf_window *window, int64_t at, int64_t *value, sheaf_error *err);
/* Advances *at to the first number that is at least `value`; to the end if there is none. Numbers ascend. */
SHEAF_USE sheaf_status sheaf_stored_search(const sheaf_sparse *s, const sheaf_stored_array *a,
                                           sheaf_window *window, int64_t value, int64_t *at,
                                           sheaf_error *err);
/* Windows over all arrays, for one thread. Begins as zeros. */
typedef struct sheaf_sparse_view {
	sheaf_window pointers[SHEAF_MAX_RANK], indices[SHEAF_MAX_RANK];
} sheaf_sparse_view;
void sheaf_sparse_view_close(sheaf_sparse_view *view);

/* ---- check.c ---- */

/* Reads the pointers of a level once and for all, and counts the positions below it: they begin with 0, never
 * decrease, and end within the indices. */
SHEAF_USE sheaf_status sheaf_sparse_take_pointers(sheaf_sparse *s, int l, sheaf_error *err);
/* Whether entries come in the order of the levels, each after the one before, without repetition. `checked`:
 * all indices are found to be within the shape. */
SHEAF_USE sheaf_status sheaf_sparse_is_sorted(const sheaf_sparse *s, bool checked, bool *sorted,
                                              sheaf_error *err);

/* A run of a level that is being read: positions above it, and all positions below these. */
typedef struct sheaf_level_run {
	const sheaf_sparse *s;
	int l;
	sheaf_run above, below;
	const int64_t *pointers; /* of positions above.begin to above.end; NULL: the root */
	sheaf_context *cx;
	sheaf_error *err;
	bool is_broken; /* something was found that makes what is read worthless */
} sheaf_level_run;
/* Checks that pointers ascend within the indices, from 0. */
SHEAF_USE sheaf_status sheaf_level_check_pointers(sheaf_level_run *run);
/* Reads the indices of `below`, one builder for each dimension of the level, as these types, and checks
 * them. */
SHEAF_USE sheaf_status sheaf_level_read_indices(sheaf_level_run *run, sheaf_builder *const to[],
                                                const sheaf_type types[]);
/* Checks indices that were read like this. */
SHEAF_USE sheaf_status sheaf_level_check_indices(sheaf_level_run *run, const void *const indices[],
                                                 const sheaf_type types[]);

/* ---- place.c ---- */

/* Where the positions below position p of level l begin, 0 <= p <= counts[l]; at most counts[l + 1] whatever
 * the file says. */
SHEAF_USE sheaf_status sheaf_sparse_below(const sheaf_sparse *s, sheaf_sparse_view *view, int l, int64_t p,
                                          int64_t *out, sheaf_error *err);
/* Advances *at to the position of level l above position q of level l + 1; it is not before *at. */
SHEAF_USE sheaf_status sheaf_sparse_above(const sheaf_sparse *s, sheaf_sparse_view *view, int l, int64_t q,
                                          int64_t *at, sheaf_error *err);
/* Which positions above each level cover the entries ranges[nlevels]. `covered`: those that earlier runs
 * have covered, up to which empty lists also belong to this one; or NULL. */
SHEAF_USE sheaf_status sheaf_sparse_locate(const sheaf_sparse *s, sheaf_sparse_view *view,
                                           const int64_t *covered, sheaf_run ranges[SHEAF_MAX_RANK + 1],
                                           sheaf_error *err);

/* ---- entries.c ---- */

/* The coordinates of a run of entries, into the first columns of a frame. *broken: something was found, and
 * nothing was made. */
SHEAF_USE sheaf_status sheaf_sparse_put_entries(const sheaf_sparse *s,
                                                const sheaf_run ranges[SHEAF_MAX_RANK + 1],
                                                sheaf_frame_builder *to, bool *broken, sheaf_error *err);

/* The same of any run, if pointers are in memory and broken promises fail. */
SHEAF_USE sheaf_status sheaf_sparse_put_run(const sheaf_sparse *s, sheaf_run entries, sheaf_frame_builder *to,
                                            sheaf_error *err);

/* ---- whole.c ---- */

/* Turns a schema of entries into that of one row with all of them: a FIXED level for a dense one, a COORD
 * level for a sparse one. */
SHEAF_USE sheaf_status sheaf_sparse_make_whole(const sheaf_sparse *s, sheaf_schema *schema, sheaf_error *err);
/* The levels of that row, whose buffers are views of the file if it has them in that form, checked to that
 * depth. */
SHEAF_USE sheaf_status sheaf_sparse_put_whole(const sheaf_sparse *s, sheaf_depth depth,
                                              sheaf_column_builder *to, bool *broken, sheaf_error *err);

/* ---- write.c ---- */

enum { SHEAF_POINTERS_WAIT = 512 };

typedef enum sheaf_level_part { SHEAF_POINTERS, SHEAF_INDICES, SHEAF_VALUES } sheaf_level_part;

/* Entries on their way into the arrays of levels. They come in the order of the levels; those of a single
 * sparse level may come in any. Begins as zeros; the format sets the first members. */
typedef struct sheaf_sparse_writer {
	sheaf_context *cx;
	const sheaf_stored_levels *levels;
	const int64_t *shape;             /* of the tensor */
	sheaf_type types[SHEAF_MAX_RANK]; /* of indices, by dimension of the levels */
	/* If the last levels are dense: the size of the value of each of their positions, and the value of those
	 * without an entry. 0: values do not go through here. */
	size_t value_size;
	const uint8_t *fill;
	/* Takes the next n numbers of an array: pointers (int64) of level k, indices of dimension k, or
	 * values. */
	sheaf_status (*take)(void *to, sheaf_level_part part, int k, const void *numbers, int64_t n,
	                     sheaf_error *err);
	void *to;
	/* the plan: */
	int inner;      /* the first level whose positions are those of entries: a sparse one, or dense ones to
	                   the end */
	int outer_rank; /* dimensions above it */
	int64_t block;  /* positions of the dense levels from there on; 0: it is sparse */
	/* so far: */
	int64_t counts[SHEAF_MAX_RANK + 1]; /* positions above each level, if the one before is sparse; the last
	                                       one: entries */
	int64_t pointers[SHEAF_MAX_RANK];   /* of each level, that were given away */
	int64_t last[SHEAF_MAX_RANK];       /* outer coordinates of the entry before */
	bool has_last;
	int waits; /* the level whose pointers wait to be given away together */
	int nwaiting;
	int64_t waiting[SHEAF_POINTERS_WAIT];
} sheaf_sparse_writer;

/* Sets the plan. False: there are more dense positions than can be counted. */
bool sheaf_sparse_plan(sheaf_sparse_writer *w);
/* Appends where the entries of a frame are; their values follow. On any thread. The first byte is at a
 * multiple of 8. */
void sheaf_sparse_encode(const sheaf_sparse_writer *w, const sheaf_frame *frame, sheaf_builder *b);
/* Takes such bytes, in order, and advances *bytes to the values, of which it takes those in dense levels. */
SHEAF_USE sheaf_status sheaf_sparse_append(sheaf_sparse_writer *w, const uint8_t **bytes, sheaf_error *err);
/* Completes pointers, and dense positions, to the end of the shape. */
SHEAF_USE sheaf_status sheaf_sparse_finish(sheaf_sparse_writer *w, sheaf_error *err);
/* Pointers in memory, int64, to this number of entries: they become I32 if that holds it, as SciPy prefers,
 * else stay as they are. Returns their type. */
sheaf_type sheaf_narrow_pointers(sheaf_builder *pointers, int64_t entries);

/* ---- hypersparse.c ---- */

/* Whether a matrix has far more rows (or columns) than entries, so that a pointer for each of them would be
 * most of the file; entries -1: their number is not known. */
bool sheaf_is_hypersparse(int64_t slices, int64_t entries);
/* Warns that such a matrix gets another layout than it would have had. */
SHEAF_USE sheaf_status sheaf_report_layout(sheaf_context *cx, const char *file, int64_t slices,
                                           const char *layout, const char *usual, sheaf_error *err);

#endif
