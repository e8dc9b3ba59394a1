/* SPDX-License-Identifier: MIT */
/* Which events use a list, found for all lists of an example at once. */
#include "format/lens/writing.h"

void sheaf_lens_writing_begin(sheaf_lens_writing *w, const char *file, sheaf_context *cx)
{
	*w = (sheaf_lens_writing){.cx = cx, .file = file};
	sheaf_builder_begin(&w->starts, cx, NULL);
	sheaf_builder_begin(&w->events, cx, NULL);
}

void sheaf_lens_writing_end(sheaf_lens_writing *w)
{
	sheaf_builder_drop(&w->starts);
	sheaf_builder_drop(&w->events);
}

static int32_t list_of(const sheaf_lens_event *event, bool is_input)
{
	return is_input ? event->input : event->target;
}

/* Counts the events of each list, adds up where each begins, and stores the events there, from the last to
 * the first. */
static void sort(const sheaf_lens_event *events, const sheaf_lens_example *example, bool is_input,
                 int32_t *starts, int32_t *sorted)
{
	memset(starts, 0, ((size_t)example->nlists + 1) * sizeof *starts);
	for (int32_t e = 0; e < example->nevents; e++)
		if (list_of(&events[e], is_input) >= 0) starts[list_of(&events[e], is_input)]++;
	for (int32_t l = 1; l <= example->nlists; l++) starts[l] += starts[l - 1];
	for (int32_t e = example->nevents; e-- > 0;)
		if (list_of(&events[e], is_input) >= 0) sorted[--starts[list_of(&events[e], is_input)]] = e;
}

sheaf_status sheaf_lens_find_users(sheaf_lens_writing *w, const sheaf_lens_set *set,
                                   const sheaf_lens_example *example, sheaf_error *err)
{
	w->set = set;
	w->example = example;
	w->starts.size = w->events.size = 0;
	sheaf_builder_room(&w->starts, 2 * ((uint64_t)example->nlists + 1) * sizeof(int32_t));
	sheaf_builder_room(&w->events, 2 * (uint64_t)example->nevents * sizeof(int32_t));
	SHEAF_TRY(sheaf_builder_status(&w->starts, err));
	SHEAF_TRY(sheaf_builder_status(&w->events, err));
	for (int side = 0; side < 2; side++) {
		int32_t *starts = (int32_t *)(void *)w->starts.data + (ptrdiff_t)side * (example->nlists + 1);
		int32_t *sorted = (int32_t *)(void *)w->events.data + (ptrdiff_t)side * example->nevents;
		sort(sheaf_lens_event_at(set, example, 0), example, side == SHEAF_LENS_INPUTS, starts, sorted);
	}
	return SHEAF_OK;
}

const int32_t *sheaf_lens_users_of(const sheaf_lens_writing *w, sheaf_lens_direction side, int32_t list,
                                   int32_t *count)
{
	const int32_t *starts =
		(const int32_t *)(const void *)w->starts.data + (ptrdiff_t)side * (w->example->nlists + 1);
	*count = starts[list + 1] - starts[list];
	return (const int32_t *)(const void *)w->events.data + (ptrdiff_t)side * w->example->nevents +
	       starts[list];
}

bool sheaf_lens_owns(const sheaf_lens_writing *w, sheaf_lens_direction side, int32_t event)
{
	int32_t count, list = list_of(sheaf_lens_event_at(w->set, w->example, event), side == SHEAF_LENS_INPUTS);
	return list >= 0 && *sheaf_lens_users_of(w, side, list, &count) == event;
}

int32_t sheaf_lens_end_of_run(const int32_t *events, int32_t count, int32_t from)
{
	int32_t to = from + 1;
	while (to < count && events[to] == events[to - 1] + 1) to++;
	return to;
}

/* The sign of a zero matters. */
static bool same(float a, float b) { return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

bool sheaf_lens_same_fields(const float a[SHEAF_LENS_FIELDS], const float b[SHEAF_LENS_FIELDS])
{
	int f = 0;
	while (f < SHEAF_LENS_FIELDS && same(a[f], b[f])) f++;
	return f == SHEAF_LENS_FIELDS;
}

bool sheaf_lens_is_special(const sheaf_lens_set *set, const sheaf_lens_traits *traits)
{
	return traits->proc >= 0 || !sheaf_lens_same_fields(traits->fields, set->plain.fields);
}
