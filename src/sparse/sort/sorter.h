/* SPDX-License-Identifier: MIT */
/* Sorts any number of (key, value) records in bounded memory: in place while they fit, else by sorted runs in
 * an unlinked temporary file. The order is by key, then by value; with positions as values the sort is
 * stable. */
#ifndef SHEAF_SPARSE_SORT_SORTER_H
#define SHEAF_SPARSE_SORT_SORTER_H

#include <sheaf/base.h>

typedef struct sheaf_sorter sheaf_sorter;

/* Called for each record in order. A status other than OK ends the sort and is returned by
 * sheaf_sorter_finish; the callback fills the error that goes with it, through `user`. */
typedef sheaf_status (*sheaf_sorted_function)(void *user, uint64_t key, uint64_t value);

/* memory_bytes bounds the memory of the sorter; a minimum of a few kilobytes is always taken. */
SHEAF_USE sheaf_status sheaf_sorter_new(sheaf_context *cx, size_t memory_bytes, sheaf_sorter **out,
                                        sheaf_error *err);
SHEAF_USE sheaf_status sheaf_sorter_add(sheaf_sorter *sorter, uint64_t key, uint64_t value, sheaf_error *err);
/* Once, after the last record. */
SHEAF_USE sheaf_status sheaf_sorter_finish(sheaf_sorter *sorter, sheaf_sorted_function take, void *user,
                                           sheaf_error *err);
void sheaf_sorter_free(sheaf_sorter *sorter);

/* ---- for reviews, which note records on the side ---- */

struct sheaf_carried;

/* The sorter, created if there is none, with a modest share of the memory. */
SHEAF_USE sheaf_status sheaf_sorter_need(sheaf_context *cx, sheaf_sorter **sorter, sheaf_error *err);
/* Instead of sheaf_sorter_finish: writes all records, or adds those that are left; nothing if there is no
 * sorter. DATA if they are no records. */
SHEAF_USE sheaf_status sheaf_sorter_carry(sheaf_context *cx, sheaf_sorter **sorter,
                                          const struct sheaf_carried *records, sheaf_error *err);

#endif
