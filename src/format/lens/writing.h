/* SPDX-License-Identifier: MIT */
/* Common to the writers of both spellings: which events use a list, and which events are special. */
#ifndef SHEAF_FORMAT_LENS_WRITING_H
#define SHEAF_FORMAT_LENS_WRITING_H

#include "base/context.h"
#include "format/lens/lens.h"

typedef enum sheaf_lens_direction { SHEAF_LENS_INPUTS, SHEAF_LENS_TARGETS } sheaf_lens_direction;

/* Finds the users of all lists of an example; the functions below return them until the next call. */
SHEAF_USE sheaf_status sheaf_lens_find_users(sheaf_lens_writing *w, const sheaf_lens_set *set,
                                             const sheaf_lens_example *example, sheaf_error *err);
/* Events that have the list on that side, in order. */
const int32_t *sheaf_lens_users_of(const sheaf_lens_writing *w, sheaf_lens_direction side, int32_t list,
                                   int32_t *count);
/* The list of the event on that side if it is the first event that has it there; -1: it has none, or another
 * event is the first. */
int32_t sheaf_lens_owned(const sheaf_lens_writing *w, sheaf_lens_direction side, int32_t event);
/* One past the last of the consecutive events from events[from] on. */
int32_t sheaf_lens_end_of_run(const int32_t *events, int32_t count, int32_t from);

/* The same bits, so that the sign of a zero matters, or both NaN. */
bool sheaf_lens_same(float a, float b);
/* Whether an event differs from one without settings. */
bool sheaf_lens_is_special(const sheaf_lens_set *set, const sheaf_lens_traits *traits);
/* Reports what the spelling cannot hold of the row. */
SHEAF_USE sheaf_status sheaf_lens_tell(const sheaf_lens_writing *w, sheaf_finding finding);

#endif
