/* SPDX-License-Identifier: MIT */
/* Common to the writers of both spellings. A set knows the lists of each event; files need it the other way
 * round, which events use a list, so this is found for all lists of an example at once. */
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

static int32_t list_of(const sheaf_lens_event *event, int side)
{
	return side == SHEAF_LENS_INPUTS ? event->input : event->target;
}

/* For each side, counts the events of each list, adds up where each begins, and stores the events there, from
 * the last to the first. */
sheaf_status sheaf_lens_find_users(sheaf_lens_writing *w, const sheaf_lens_set *set,
                                   const sheaf_lens_example *example, sheaf_error *err)
{
	const sheaf_lens_event *events = sheaf_lens_event_at(set, example, 0);
	int32_t nlists = example->nlists;
	w->set = set;
	w->example = example;
	w->starts.size = w->events.size = 0;
	sheaf_builder_room(&w->starts, 2 * ((uint64_t)nlists + 1) * sizeof(int32_t));
	sheaf_builder_room(&w->events, 2 * (uint64_t)example->nevents * sizeof(int32_t));
	SHEAF_TRY(sheaf_builder_status(&w->starts, err));
	SHEAF_TRY(sheaf_builder_status(&w->events, err));
	for (int side = 0; side < 2; side++) {
		int32_t *starts = (int32_t *)(void *)w->starts.data + (ptrdiff_t)side * (nlists + 1);
		int32_t *sorted = (int32_t *)(void *)w->events.data + (ptrdiff_t)side * example->nevents;
		memset(starts, 0, ((size_t)nlists + 1) * sizeof *starts);
		for (int32_t e = 0; e < example->nevents; e++)
			if (list_of(&events[e], side) >= 0) starts[list_of(&events[e], side)]++;
		for (int32_t l = 1; l <= nlists; l++) starts[l] += starts[l - 1];
		for (int32_t e = example->nevents; e-- > 0;)
			if (list_of(&events[e], side) >= 0) sorted[--starts[list_of(&events[e], side)]] = e;
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

int32_t sheaf_lens_owned(const sheaf_lens_writing *w, sheaf_lens_direction side, int32_t event)
{
	int32_t count, list = list_of(sheaf_lens_event_at(w->set, w->example, event), side);
	return list >= 0 && *sheaf_lens_users_of(w, side, list, &count) == event ? list : -1;
}

int32_t sheaf_lens_end_of_run(const int32_t *events, int32_t count, int32_t from)
{
	int32_t to = from + 1;
	while (to < count && events[to] == events[to - 1] + 1) to++;
	return to;
}

bool sheaf_lens_same(float a, float b) { return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

bool sheaf_lens_is_special(const sheaf_lens_set *set, const sheaf_lens_traits *traits)
{
	int f = 0;
	while (f < SHEAF_LENS_FIELDS && sheaf_lens_same(traits->fields[f], set->plain.fields[f])) f++;
	return traits->proc >= 0 || f < SHEAF_LENS_FIELDS;
}

sheaf_status sheaf_lens_tell(const sheaf_lens_writing *w, sheaf_finding finding)
{
	sheaf_problem problem = sheaf_problem_in(w->file, &finding);
	problem.place.row = w->row;
	return sheaf_report(w->cx, &problem, w->err);
}
