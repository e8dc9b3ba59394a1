/* SPDX-License-Identifier: MIT */
/* The set of examples: flat arrays that grow at their ends, and a name for each place in them. An example has
 * a run of events, of lists and of settings; a list has a run of ranges, and a range a run of values or of
 * units. So a set of any number of examples takes eight blocks of memory, a part of a set is a number for
 * each array, and an event shares a list by having its number. */
#include "format/lens/edits.h"
#include "format/lens/filling.h"
#include <math.h>

const float sheaf_lens_defaults[SHEAF_LENS_FIELDS] = {1, 0, 0, 0, 1, 0, 1};

void sheaf_lens_set_begin(sheaf_lens_set *set, const sheaf_lens_header *header, sheaf_context *cx)
{
	*set = (sheaf_lens_set){.cx = cx, .header = header, .plain = {.proc = SHEAF_LENS_ABSENT}};
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++)
		set->plain.fields[f] = f < SHEAF_LENS_DEF_I ? NAN : header->fields[f];
	for (int i = 0; i < SHEAF_LENS_ARRAYS; i++) sheaf_builder_begin(&set->arrays[i], cx, NULL);
}

static void free_groups(sheaf_lens_set *set)
{
	sheaf_names_free(&set->groups);
	set->groups = (sheaf_names){0};
	sheaf_arena_free(&set->arena, set->cx);
}

void sheaf_lens_set_clear(sheaf_lens_set *set)
{
	free_groups(set);
	for (int i = 0; i < SHEAF_LENS_ARRAYS; i++) set->arrays[i].size = 0;
}

void sheaf_lens_set_free(sheaf_lens_set *set)
{
	if (!set->cx) return;
	free_groups(set);
	for (int i = 0; i < SHEAF_LENS_ARRAYS; i++) sheaf_builder_drop(&set->arrays[i]);
}

sheaf_status sheaf_lens_set_status(const sheaf_lens_set *set, sheaf_error *err)
{
	const sheaf_lens_set *s = set;
	if (!(s->texts.failed | s->examples.failed | s->events.failed | s->lists.failed | s->ranges.failed |
	      s->traits.failed | s->values.failed | s->units.failed))
		return SHEAF_OK;
	for (int i = 0; i < SHEAF_LENS_ARRAYS; i++) SHEAF_TRY(sheaf_builder_status(&set->arrays[i], err));
	return SHEAF_OK;
}

/* ---- reading ---- */

const sheaf_lens_range *sheaf_lens_ranges_of(const sheaf_lens_set *set, const sheaf_lens_example *example,
                                             int32_t list, int32_t *count)
{
	*count = 0;
	if (list < 0) return NULL;
	const sheaf_lens_list *found = LENS_ITEMS(set, sheaf_lens_list, lists) + example->lists + list;
	*count = found->count;
	return LENS_ITEMS(set, sheaf_lens_range, ranges) + found->first;
}

const float *sheaf_lens_values_of(const sheaf_lens_set *set, const sheaf_lens_range *dense)
{
	return dense->count ? LENS_ITEMS(set, float, values) + dense->at : NULL;
}

const int32_t *sheaf_lens_units_of(const sheaf_lens_set *set, const sheaf_lens_range *sparse)
{
	return sparse->count ? LENS_ITEMS(set, int32_t, units) + sparse->at : NULL;
}

/* ---- filling ---- */

void sheaf_lens_set_expect(sheaf_lens_set *set, int64_t examples, int64_t bytes)
{
	enum { LIST_BYTES = 8 }; /* of the file, or slightly less */
	size_t n = (size_t)examples,
		   lists = (size_t)(2 * examples < bytes / LIST_BYTES ? 2 * examples : bytes / LIST_BYTES);
	sheaf_builder_room(&set->examples, n * sizeof(sheaf_lens_example));
	sheaf_builder_room(&set->events, n * sizeof(sheaf_lens_event));
	sheaf_builder_room(&set->lists, lists * sizeof(sheaf_lens_list));
	sheaf_builder_room(&set->ranges, lists * sizeof(sheaf_lens_range));
}

bool sheaf_lens_items_room(sheaf_builder *items, size_t n, int64_t more)
{
	enum { MOST = 4 << 20 };
	size_t expected = more < MOST ? (size_t)more : MOST;
	if (items->capacity - items->size >= n) return true;
	return sheaf_builder_room(items, expected > n ? expected : n);
}

sheaf_lens_text sheaf_lens_add_text(sheaf_lens_set *set, const void *text, size_t size)
{
	sheaf_lens_text at = (sheaf_lens_text)set->texts.size;
	sheaf_builder_append(&set->texts, text, size);
	sheaf_builder_byte(&set->texts, '\0');
	return at;
}

sheaf_status sheaf_lens_group(sheaf_lens_set *set, const void *name, size_t size, int32_t *out,
                              sheaf_error *err)
{
	char *copy;
	sheaf_lens_edits_rename(set->edits, &name, &size);
	*out = sheaf_names_find(&set->groups, name, size, set->groups.count - 1);
	if (*out >= 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_arena_copy_text(&set->arena, set->cx, (const char *)name, size, &copy, err));
	SHEAF_TRY(sheaf_names_add(&set->groups, set->cx, copy, size, err));
	*out = set->groups.count - 1;
	return SHEAF_OK;
}

sheaf_status sheaf_lens_begin_example(sheaf_lens_set *set, int32_t nevents, sheaf_lens_example **out,
                                      sheaf_error *err)
{
	static const sheaf_lens_event plain = {-1, -1, -1};
	if (!sheaf_builder_room(&set->examples, sizeof **out)) return sheaf_builder_status(&set->examples, err);
	if (!sheaf_builder_room(&set->events, (uint64_t)nevents * sizeof plain))
		return sheaf_builder_status(&set->events, err);
	sheaf_lens_example *example = (sheaf_lens_example *)(void *)(set->examples.data + set->examples.size);
	*example = (sheaf_lens_example){
		.name = SHEAF_LENS_ABSENT, .proc = SHEAF_LENS_ABSENT, .frequency = 1, .nevents = nevents};
	example->events = LENS_COUNT(set, sheaf_lens_event, events);
	example->lists = LENS_COUNT(set, sheaf_lens_list, lists);
	example->traits = LENS_COUNT(set, sheaf_lens_traits, traits);
	sheaf_lens_event *events = LENS_ITEMS(set, sheaf_lens_event, events) + example->events;
	for (int32_t i = 0; i < nevents; i++) events[i] = plain;
	set->events.size += (size_t)nevents * sizeof plain;
	*out = example;
	return SHEAF_OK;
}

int32_t sheaf_lens_add_traits(sheaf_lens_set *set, sheaf_lens_example *example,
                              const sheaf_lens_traits *traits)
{
	int64_t last = LENS_COUNT(set, sheaf_lens_traits, traits) - 1;
	if (!set->traits.failed && !set->texts.failed && last >= example->traits) {
		const sheaf_lens_traits *had = LENS_ITEMS(set, sheaf_lens_traits, traits) + last;
		bool same = had->proc == traits->proc ||
		            (had->proc >= 0 && traits->proc >= 0 &&
		             strcmp(sheaf_lens_string(set, had->proc), sheaf_lens_string(set, traits->proc)) == 0);
		if (same && memcmp(had->fields, traits->fields, sizeof had->fields) == 0) return example->ntraits - 1;
	}
	sheaf_builder_append(&set->traits, traits, sizeof *traits);
	return example->ntraits++;
}

/* ---- going back ---- */

void sheaf_lens_set_mark(const sheaf_lens_set *set, sheaf_lens_mark *mark)
{
	for (int i = 0; i < SHEAF_LENS_ARRAYS; i++) mark->sizes[i] = set->arrays[i].size;
}

void sheaf_lens_set_shorten(sheaf_lens_set *set, int64_t n)
{
	set->examples.size = (size_t)n * sizeof(sheaf_lens_example);
}

void sheaf_lens_set_back(sheaf_lens_set *set, const sheaf_lens_mark *mark)
{
	for (int i = 0; i < SHEAF_LENS_ARRAYS; i++) set->arrays[i].size = mark->sizes[i];
}
