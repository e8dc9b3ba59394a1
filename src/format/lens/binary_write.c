/* SPDX-License-Identifier: MIT */
/* The binary spelling, byte for byte as Lens writes it, except that strings are UTF-8. */
#include "base/context.h"
#include "format/lens/binary.h"
#include "format/lens/writing.h"
#include <inttypes.h>
#include <stdio.h>

static void put_integer(sheaf_builder *to, int64_t v)
{
	uint8_t bytes[4];
	sheaf_store_u32be(bytes, (uint32_t)v);
	sheaf_builder_append(to, bytes, sizeof bytes);
}

static void put_real(sheaf_builder *to, float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	put_integer(to, sheaf_one_nan(bits));
}

/* A count, written to the place reserved for it. */
static void put_count(sheaf_builder *to, size_t at, int32_t count)
{
	if (!to->failed) sheaf_store_u32be(to->data + at, (uint32_t)count);
}

static void put_flag(sheaf_builder *to, bool flag) { sheaf_builder_byte(to, (char)flag); }

static void put_string(sheaf_builder *to, const char *text)
{
	sheaf_builder_append(to, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void put_reals(sheaf_builder *to, const float fields[SHEAF_LENS_FIELDS])
{
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++) put_real(to, fields[f]);
}

/* Distinctions of the text spelling that are lost in binary: between no string and an empty one, and the kind
 * of an empty range. */
static sheaf_status report(const sheaf_lens_writing *w, const char *rule, const char *expected,
                           const char *found, const char *consequence, sheaf_error *err)
{
	sheaf_problem problem = {SHEAF_WARNING, SHEAF_DATA, rule, SHEAF_NOWHERE, expected, found, consequence};
	problem.place.file = w->file;
	problem.place.row = w->row;
	return sheaf_report(w->cx, &problem, err);
}

static sheaf_status put_text(const sheaf_lens_writing *w, const char *string, sheaf_builder *to,
                             sheaf_error *err)
{
	put_string(to, string);
	return string && !*string ? report(w, "empty string", "names and procs with text in them", "an empty one",
	                                   "written as none", err)
	                          : SHEAF_OK;
}

static sheaf_status put_header(sheaf_lens_writing *w, const sheaf_lens_header *header, int64_t examples,
                               sheaf_builder *to, sheaf_error *err)
{
	if (examples < 0 || examples > INT32_MAX)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected at most %" PRId32 " examples, found %" PRId64,
		                  w->file, INT32_MAX, examples);
	w->row = -1;
	put_integer(to, SHEAF_LENS_COOKIE);
	put_integer(to, 4); /* sizeof(real) */
	SHEAF_TRY(put_text(w, header->proc, to, err));
	put_reals(to, header->fields);
	put_integer(to, examples);
	return sheaf_builder_status(to, err);
}

/* ---- events ---- */

static sheaf_status put_specials(const sheaf_lens_writing *w, sheaf_builder *to, sheaf_error *err)
{
	size_t at = to->size;
	int32_t count = 0;
	put_integer(to, 0);
	for (int32_t e = 0; e < w->example->nevents; e++) {
		const sheaf_lens_traits *traits =
			sheaf_lens_event_traits(w->set, w->example, sheaf_lens_event_at(w->set, w->example, e));
		if (traits == &w->set->plain || !sheaf_lens_is_special(w->set, traits)) continue;
		put_integer(to, e);
		SHEAF_TRY(put_text(w, sheaf_lens_string(w->set, traits->proc), to, err));
		put_reals(to, traits->fields);
		count++;
	}
	put_count(to, at, count);
	return SHEAF_OK;
}

/* A run of events is its first and the negative of its last. */
static void put_users(const sheaf_lens_writing *w, sheaf_lens_direction side, int32_t list, sheaf_builder *to)
{
	size_t at = to->size;
	int32_t count, words = 0;
	const int32_t *events = sheaf_lens_users_of(w, side, list, &count);
	put_integer(to, 0);
	for (int32_t from = 0, after; from < count; from = after) {
		after = sheaf_lens_end_of_run(events, count, from);
		put_integer(to, events[from]);
		if (after > from + 1) put_integer(to, -(int64_t)events[after - 1]);
		words += after > from + 1 ? 2 : 1;
	}
	put_count(to, at, words);
}

/* ---- ranges ---- */

static void put_words(sheaf_builder *to, const void *words, int32_t count, uint32_t (*change)(uint32_t))
{
	const uint8_t *from = (const uint8_t *)words;
	if (!sheaf_builder_room(to, (uint64_t)count * 4)) return;
	for (int32_t i = 0; i < count; i++) {
		uint32_t word;
		memcpy(&word, from + (ptrdiff_t)4 * i, sizeof word);
		sheaf_store_u32be(to->data + to->size + (ptrdiff_t)4 * i, change ? change(word) : word);
	}
	to->size += (size_t)count * 4;
}

/* Lens writes an empty dense range as a sparse one. */
static sheaf_status put_range(const sheaf_lens_writing *w, const sheaf_lens_range *range, sheaf_builder *to,
                              sheaf_error *err)
{
	bool sparse = range->sparse || range->count == 0;
	put_string(to, range->group < 0 ? NULL : w->set->groups.names[range->group].text);
	put_integer(to, range->count);
	put_flag(to, sparse);
	if (sparse)
		put_real(to, range->value);
	else
		put_integer(to, range->first);
	if (sparse)
		put_words(to, sheaf_lens_units_of(w->set, range), range->count, NULL);
	else
		put_words(to, sheaf_lens_values_of(w->set, range), range->count, sheaf_one_nan);
	if (range->sparse || !sparse) return SHEAF_OK;
	return report(w, "empty dense range", "a dense range with a value in it", "an empty one",
	              "written as a sparse one", err);
}

static sheaf_status put_ranges(const sheaf_lens_writing *w, int32_t list, sheaf_builder *to, sheaf_error *err)
{
	int32_t count;
	const sheaf_lens_range *ranges = sheaf_lens_ranges_of(w->set, w->example, list, &count);
	put_integer(to, count);
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(put_range(w, &ranges[i], to, err));
	return SHEAF_OK;
}

static sheaf_status put_inputs(const sheaf_lens_writing *w, sheaf_builder *to, sheaf_error *err)
{
	size_t at = to->size;
	int32_t count = 0, sharers;
	put_integer(to, 0);
	for (int32_t e = 0; e < w->example->nevents; e++) {
		if (!sheaf_lens_owns(w, SHEAF_LENS_INPUTS, e)) continue;
		int32_t list = sheaf_lens_event_at(w->set, w->example, e)->input;
		put_users(w, SHEAF_LENS_INPUTS, list, to);
		SHEAF_TRY(put_ranges(w, list, to, err));
		sheaf_lens_users_of(w, SHEAF_LENS_TARGETS, list, &sharers);
		put_flag(to, sharers > 0);
		if (sharers) put_users(w, SHEAF_LENS_TARGETS, list, to);
		count++;
	}
	put_count(to, at, count);
	return SHEAF_OK;
}

static sheaf_status put_targets(const sheaf_lens_writing *w, sheaf_builder *to, sheaf_error *err)
{
	size_t at = to->size;
	int32_t count = 0, inputs;
	put_integer(to, 0);
	for (int32_t e = 0; e < w->example->nevents; e++) {
		if (!sheaf_lens_owns(w, SHEAF_LENS_TARGETS, e)) continue;
		int32_t list = sheaf_lens_event_at(w->set, w->example, e)->target;
		sheaf_lens_users_of(w, SHEAF_LENS_INPUTS, list, &inputs);
		if (inputs) continue; /* written with them */
		put_users(w, SHEAF_LENS_TARGETS, list, to);
		SHEAF_TRY(put_ranges(w, list, to, err));
		count++;
	}
	put_count(to, at, count);
	return SHEAF_OK;
}

/* Lens reads no frequency below 0 from a binary file, although it writes them. */
static sheaf_status put_frequency(const sheaf_lens_writing *w, float frequency, sheaf_builder *to,
                                  sheaf_error *err)
{
	char found[40];
	put_real(to, frequency < 0 ? 0 : frequency);
	if (!(frequency < 0)) return SHEAF_OK;
	snprintf(found, sizeof found, "%.9g", (double)frequency);
	sheaf_problem problem = {
		SHEAF_ERROR, SHEAF_LOSS,    "negative frequency", SHEAF_NOWHERE, "a frequency of at least 0",
		found,       "written as 0"};
	problem.place.file = w->file;
	problem.place.row = w->row;
	return sheaf_report(w->cx, &problem, err);
}

static sheaf_status put_example(sheaf_lens_writing *w, const sheaf_lens_set *set,
                                const sheaf_lens_example *example, int64_t row, sheaf_builder *to,
                                sheaf_error *err)
{
	w->row = row;
	SHEAF_TRY(sheaf_lens_find_users(w, set, example, err));
	SHEAF_TRY(put_text(w, sheaf_lens_string(set, example->name), to, err));
	SHEAF_TRY(put_text(w, sheaf_lens_string(set, example->proc), to, err));
	SHEAF_TRY(put_frequency(w, example->frequency, to, err));
	put_integer(to, example->nevents);
	SHEAF_TRY(put_specials(w, to, err));
	SHEAF_TRY(put_inputs(w, to, err));
	SHEAF_TRY(put_targets(w, to, err));
	return sheaf_builder_status(to, err);
}

const sheaf_lens_spelling sheaf_lens_binary_spelling = {.put_header = put_header, .put_example = put_example};
