/* SPDX-License-Identifier: MIT */
/* The set of examples: flat arrays that grow at their ends, and a name for each place in them. */
#include "base/memory.h"
#include "format/lens/lens.h"
#include <math.h>

const float sheaf_lens_defaults[SHEAF_LENS_FIELDS] = {1, 0, 0, 0, 1, 0, 1};

enum { ARRAYS = 8 };

static void list_arrays(sheaf_lens_set *set, sheaf_builder *arrays[ARRAYS])
{
	sheaf_builder *all[ARRAYS] = {&set->texts, &set->examples, &set->events, &set->lists, &set->ranges, &set->traits, &set->values, &set->units};
	memcpy(arrays, all, sizeof all);
}

void sheaf_lens_set_begin(sheaf_lens_set *set, const sheaf_lens_header *header, sheaf_context *cx)
{
	sheaf_builder *arrays[ARRAYS];
	*set = (sheaf_lens_set){.cx = cx, .header = header, .plain = {.proc = SHEAF_LENS_ABSENT}};
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++) set->plain.fields[f] = f < SHEAF_LENS_DEF_I ? NAN : header->fields[f];
	list_arrays(set, arrays);
	for (int i = 0; i < ARRAYS; i++) sheaf_builder_begin(arrays[i], cx, NULL);
}

static void free_groups(sheaf_lens_set *set)
{
	for (int i = 0; i < set->groups.count; i++) sheaf_release_text(set->cx, (char *)(uintptr_t)set->groups.names[i].text);
	sheaf_names_free(&set->groups);
	set->groups = (sheaf_names){0};
}

void sheaf_lens_set_clear(sheaf_lens_set *set)
{
	sheaf_builder *arrays[ARRAYS];
	free_groups(set);
	list_arrays(set, arrays);
	for (int i = 0; i < ARRAYS; i++) arrays[i]->size = 0;
}

void sheaf_lens_set_free(sheaf_lens_set *set)
{
	sheaf_builder *arrays[ARRAYS];
	if (!set->cx) return;
	free_groups(set);
	list_arrays(set, arrays);
	for (int i = 0; i < ARRAYS; i++) sheaf_builder_drop(arrays[i]);
}

sheaf_status sheaf_lens_set_status(const sheaf_lens_set *set, sheaf_error *err)
{
	sheaf_builder *arrays[ARRAYS];
	const sheaf_lens_set *s = set;
	if (!(s->texts.failed | s->examples.failed | s->events.failed | s->lists.failed | s->ranges.failed | s->traits.failed | s->values.failed | s->units.failed))
		return SHEAF_OK;
	list_arrays((sheaf_lens_set *)(uintptr_t)set, arrays);
	for (int i = 0; i < ARRAYS; i++) SHEAF_TRY(sheaf_builder_status(arrays[i], err));
	return SHEAF_OK;
}

/* ---- reading ---- */

/* The items of an array. */
#define ITEMS(set, type, array) ((type *)(void *)(set)->array.data)
#define COUNT(set, type, array) ((int64_t)((set)->array.size / sizeof(type)))

int64_t sheaf_lens_count(const sheaf_lens_set *set) { return COUNT(set, sheaf_lens_example, examples); }

const sheaf_lens_example *sheaf_lens_example_at(const sheaf_lens_set *set, int64_t number) { return ITEMS(set, sheaf_lens_example, examples) + number; }

const sheaf_lens_event *sheaf_lens_event_at(const sheaf_lens_set *set, const sheaf_lens_example *example, int32_t number)
{
	return ITEMS(set, sheaf_lens_event, events) + example->events + number;
}

const sheaf_lens_traits *sheaf_lens_event_traits(const sheaf_lens_set *set, const sheaf_lens_example *example, const sheaf_lens_event *event)
{
	return event->traits < 0 ? &set->plain : ITEMS(set, sheaf_lens_traits, traits) + example->traits + event->traits;
}

const sheaf_lens_range *sheaf_lens_ranges_of(const sheaf_lens_set *set, const sheaf_lens_example *example, int32_t list, int32_t *count)
{
	*count = 0;
	if (list < 0) return NULL;
	const sheaf_lens_list *found = ITEMS(set, sheaf_lens_list, lists) + example->lists + list;
	*count = found->count;
	return ITEMS(set, sheaf_lens_range, ranges) + found->first;
}

const float *sheaf_lens_values_of(const sheaf_lens_set *set, const sheaf_lens_range *dense)
{
	return dense->count ? ITEMS(set, float, values) + dense->at : NULL;
}

const int32_t *sheaf_lens_units_of(const sheaf_lens_set *set, const sheaf_lens_range *sparse)
{
	return sparse->count ? ITEMS(set, int32_t, units) + sparse->at : NULL;
}

const char *sheaf_lens_string(const sheaf_lens_set *set, sheaf_lens_text text) { return text < 0 ? NULL : (const char *)set->texts.data + text; }

/* ---- filling ---- */

sheaf_lens_text sheaf_lens_add_text(sheaf_lens_set *set, const void *text, size_t size)
{
	sheaf_lens_text at = (sheaf_lens_text)set->texts.size;
	sheaf_builder_append(&set->texts, text, size);
	sheaf_builder_byte(&set->texts, '\0');
	return at;
}

sheaf_status sheaf_lens_group(sheaf_lens_set *set, const void *name, size_t size, int32_t *out, sheaf_error *err)
{
	char *copy = NULL;
	*out = sheaf_names_find(&set->groups, name, size, set->groups.count - 1);
	if (*out >= 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_copy_text(set->cx, (const char *)name, size, &copy, err));
	sheaf_status status = sheaf_names_add(&set->groups, set->cx, copy, size, err);
	if (status)
		sheaf_release_text(set->cx, copy);
	else
		*out = set->groups.count - 1;
	return status;
}

sheaf_status sheaf_lens_begin_example(sheaf_lens_set *set, int32_t nevents, sheaf_lens_example *out, sheaf_error *err)
{
	static const sheaf_lens_event plain = {-1, -1, -1};
	*out = (sheaf_lens_example){.name = SHEAF_LENS_ABSENT, .proc = SHEAF_LENS_ABSENT, .frequency = 1, .nevents = nevents};
	out->events = COUNT(set, sheaf_lens_event, events);
	out->lists = COUNT(set, sheaf_lens_list, lists);
	out->traits = COUNT(set, sheaf_lens_traits, traits);
	if (!sheaf_builder_room(&set->events, (size_t)nevents * sizeof plain)) return sheaf_builder_status(&set->events, err);
	sheaf_lens_event *events = ITEMS(set, sheaf_lens_event, events) + out->events;
	for (int32_t i = 0; i < nevents; i++) events[i] = plain;
	set->events.size += (size_t)nevents * sizeof plain;
	return SHEAF_OK;
}

sheaf_lens_event *sheaf_lens_event_to_fill(sheaf_lens_set *set, const sheaf_lens_example *example, int32_t number)
{
	return ITEMS(set, sheaf_lens_event, events) + example->events + number;
}

void sheaf_lens_begin_list(const sheaf_lens_set *set, sheaf_lens_list *list) { *list = (sheaf_lens_list){.first = COUNT(set, sheaf_lens_range, ranges)}; }

void sheaf_lens_begin_range(const sheaf_lens_set *set, bool sparse, sheaf_lens_range *range)
{
	range->sparse = sparse;
	range->at = sparse ? COUNT(set, int32_t, units) : COUNT(set, float, values);
}

bool sheaf_lens_end_range(sheaf_lens_set *set, sheaf_lens_range *range, sheaf_lens_list *list)
{
	int64_t count = (range->sparse ? COUNT(set, int32_t, units) : COUNT(set, float, values)) - range->at;
	if (count > INT32_MAX || list->count == INT32_MAX) return false;
	range->count = (int32_t)count;
	list->count++;
	sheaf_builder_append(&set->ranges, range, sizeof *range);
	return true;
}

int32_t sheaf_lens_end_list(sheaf_lens_set *set, sheaf_lens_example *example, const sheaf_lens_list *list)
{
	sheaf_builder_append(&set->lists, list, sizeof *list);
	return example->nlists++;
}

static bool are_same(const sheaf_lens_set *set, const sheaf_lens_traits *a, const sheaf_lens_traits *b)
{
	if (memcmp(a->fields, b->fields, sizeof a->fields) != 0) return false;
	return a->proc == b->proc || (a->proc >= 0 && b->proc >= 0 && strcmp(sheaf_lens_string(set, a->proc), sheaf_lens_string(set, b->proc)) == 0);
}

int32_t sheaf_lens_add_traits(sheaf_lens_set *set, sheaf_lens_example *example, const sheaf_lens_traits *traits)
{
	int64_t last = COUNT(set, sheaf_lens_traits, traits) - 1;
	bool failed = set->traits.failed || set->texts.failed;
	if (!failed && last >= example->traits && are_same(set, traits, ITEMS(set, sheaf_lens_traits, traits) + last)) return example->ntraits - 1;
	sheaf_builder_append(&set->traits, traits, sizeof *traits);
	return example->ntraits++;
}

void sheaf_lens_end_example(sheaf_lens_set *set, const sheaf_lens_example *example) { sheaf_builder_append(&set->examples, example, sizeof *example); }

/* ---- going back ---- */

sheaf_lens_mark sheaf_lens_set_mark(const sheaf_lens_set *set)
{
	return (sheaf_lens_mark){set->texts.size,  set->examples.size, set->events.size, set->lists.size,
	                         set->ranges.size, set->traits.size,   set->values.size, set->units.size};
}

void sheaf_lens_set_back(sheaf_lens_set *set, const sheaf_lens_mark *mark)
{
	set->texts.size = mark->texts;
	set->examples.size = mark->examples;
	set->events.size = mark->events;
	set->lists.size = mark->lists;
	set->ranges.size = mark->ranges;
	set->traits.size = mark->traits;
	set->values.size = mark->values;
	set->units.size = mark->units;
}
