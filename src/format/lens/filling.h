/* SPDX-License-Identifier: MIT */
/* Filling a set: a reader makes an example, its lists and their ranges one after the other, and adds them
 * when they are complete. These steps are done for every list of every example, so function calls would cost
 * more than the steps. */
#ifndef SHEAF_FORMAT_LENS_FILLING_H
#define SHEAF_FORMAT_LENS_FILLING_H

#include "format/lens/lens.h"

static inline sheaf_lens_event *sheaf_lens_event_to_fill(sheaf_lens_set *set,
                                                         const sheaf_lens_example *example, int32_t number)
{
	return LENS_ITEMS(set, sheaf_lens_event, events) + example->events + number;
}

/* Where the event has its list of inputs or of targets. */
static inline int32_t *sheaf_lens_slot(sheaf_lens_set *set, const sheaf_lens_example *example, int32_t event,
                                       bool is_input)
{
	sheaf_lens_event *e = sheaf_lens_event_to_fill(set, example, event);
	return is_input ? &e->input : &e->target;
}

static inline void sheaf_lens_begin_list(const sheaf_lens_set *set, sheaf_lens_list *list)
{
	*list = (sheaf_lens_list){.first = LENS_COUNT(set, sheaf_lens_range, ranges)};
}

/* A place after the set's ranges, until the next one is begun; the set's `lost` if memory has run out. The
 * items of the range are appended to the set's `values` or `units`. */
static inline sheaf_lens_range *sheaf_lens_begin_range(sheaf_lens_set *set, bool sparse, int32_t group,
                                                       float value)
{
	bool room = sheaf_builder_room(&set->ranges, sizeof(sheaf_lens_range));
	sheaf_lens_range *range =
		room ? (sheaf_lens_range *)(void *)(set->ranges.data + set->ranges.size) : &set->lost;
	range->at = sparse ? LENS_COUNT(set, int32_t, units) : LENS_COUNT(set, float, values);
	range->group = group;
	range->first = 0;
	range->value = value;
	range->sparse = sparse;
	return range;
}

/* The range that was begun last: counts its items. False if their number does not fit. */
static inline bool sheaf_lens_end_range(sheaf_lens_set *set, sheaf_lens_range *range, sheaf_lens_list *list)
{
	int64_t count =
		(range->sparse ? LENS_COUNT(set, int32_t, units) : LENS_COUNT(set, float, values)) - range->at;
	if (count > INT32_MAX || list->count == INT32_MAX) return false;
	range->count = (int32_t)count;
	list->count++;
	set->ranges.size += range == &set->lost ? 0 : sizeof *range;
	return true;
}

/* Returns the number for events. */
static inline int32_t sheaf_lens_end_list(sheaf_lens_set *set, sheaf_lens_example *example,
                                          const sheaf_lens_list *list)
{
	if (!sheaf_builder_room(&set->lists, sizeof *list)) return example->nlists++;
	sheaf_lens_list *to = (sheaf_lens_list *)(void *)(set->lists.data + set->lists.size);
	to->first = list->first;
	to->count = list->count;
	set->lists.size += sizeof *list;
	return example->nlists++;
}

/* The example that was begun last. */
static inline void sheaf_lens_end_example(sheaf_lens_set *set)
{
	set->examples.size += sizeof(sheaf_lens_example);
}

#endif
