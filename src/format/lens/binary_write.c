/* SPDX-License-Identifier: MIT */
/* The binary spelling, byte for byte as Lens writes it, except that strings are UTF-8. Distinctions of the
 * text spelling are lost in it: between no string and an empty one, and the kind of an empty range. */
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

static void put_reals(sheaf_builder *to, const float fields[SHEAF_LENS_FIELDS])
{
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++) put_real(to, fields[f]);
}

/* A count, written to the place reserved for it. */
static void put_count(sheaf_builder *to, size_t at, int32_t count)
{
	if (!to->failed) sheaf_store_u32be(to->data + at, (uint32_t)count);
}

static void put_string(sheaf_builder *to, const char *text)
{
	sheaf_builder_append(to, text ? text : "", text ? strlen(text) + 1 : 1);
}

static sheaf_status put_text(const sheaf_lens_writing *w, const char *string)
{
	put_string(w->to, string);
	if (!string || *string) return SHEAF_OK;
	return sheaf_lens_tell(w,
	                       SHEAF_FINDING(SHEAF_WARNING, "empty string", "names and procs with text in them",
	                                     "an empty one", "written as none"));
}

int64_t sheaf_lens_binary_header_size(const char *proc)
{
	return 8 + (int64_t)strlen(proc ? proc : "") + 1 + 4 * SHEAF_LENS_FIELDS + 4;
}

static sheaf_status put_header(sheaf_lens_writing *w, const sheaf_lens_header *header, int64_t examples,
                               sheaf_builder *to, sheaf_error *err)
{
	if (examples < 0 || examples > INT32_MAX)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected at most %" PRId32 " examples, found %" PRId64,
		                  w->file, INT32_MAX, examples);
	w->row = -1;
	w->to = to;
	w->err = err;
	put_integer(to, SHEAF_LENS_COOKIE);
	put_integer(to, 4); /* sizeof(real) */
	SHEAF_TRY(put_text(w, header->proc));
	put_reals(to, header->fields);
	put_integer(to, examples);
	return sheaf_builder_status(to, err);
}

/* ---- events ---- */

static sheaf_status put_specials(const sheaf_lens_writing *w)
{
	size_t at = w->to->size;
	int32_t count = 0;
	put_integer(w->to, 0);
	for (int32_t e = 0; e < w->example->nevents; e++) {
		const sheaf_lens_traits *traits =
			sheaf_lens_event_traits(w->set, w->example, sheaf_lens_event_at(w->set, w->example, e));
		if (traits == &w->set->plain || !sheaf_lens_is_special(w->set, traits)) continue;
		put_integer(w->to, e);
		SHEAF_TRY(put_text(w, sheaf_lens_string(w->set, traits->proc)));
		put_reals(w->to, traits->fields);
		count++;
	}
	put_count(w->to, at, count);
	return SHEAF_OK;
}

/* A run of events is its first and the negative of its last. */
static void put_users(const sheaf_lens_writing *w, sheaf_lens_direction side, int32_t list)
{
	size_t at = w->to->size;
	int32_t count, words = 0;
	const int32_t *events = sheaf_lens_users_of(w, side, list, &count);
	put_integer(w->to, 0);
	for (int32_t from = 0, after; from < count; from = after) {
		after = sheaf_lens_end_of_run(events, count, from);
		put_integer(w->to, events[from]);
		if (after > from + 1) put_integer(w->to, -(int64_t)events[after - 1]);
		words += after > from + 1 ? 2 : 1;
	}
	put_count(w->to, at, words);
}

/* ---- ranges ---- */

static void put_words(sheaf_builder *to, const void *words, int32_t count, bool reals)
{
	const uint8_t *from = (const uint8_t *)words;
	if (!sheaf_builder_room(to, (uint64_t)count * 4)) return;
	for (int32_t i = 0; i < count; i++) {
		uint32_t word;
		memcpy(&word, from + (ptrdiff_t)4 * i, sizeof word);
		sheaf_store_u32be(to->data + to->size + (ptrdiff_t)4 * i, reals ? sheaf_one_nan(word) : word);
	}
	to->size += (size_t)count * 4;
}

/* Lens writes an empty dense range as a sparse one. */
static sheaf_status put_range(const sheaf_lens_writing *w, const sheaf_lens_range *range)
{
	bool sparse = range->sparse || range->count == 0;
	put_string(w->to, sheaf_lens_group_name(w->set, range));
	put_integer(w->to, range->count);
	sheaf_builder_byte(w->to, (char)sparse);
	if (sparse) {
		put_real(w->to, range->value);
		put_words(w->to, sheaf_lens_units_of(w->set, range), range->count, false);
	} else {
		put_integer(w->to, range->first);
		put_words(w->to, sheaf_lens_values_of(w->set, range), range->count, true);
	}
	if (range->sparse || !sparse) return SHEAF_OK;
	return sheaf_lens_tell(w, SHEAF_FINDING(SHEAF_WARNING, "empty dense range",
	                                        "a dense range with a value in it", "an empty one",
	                                        "written as a sparse one"));
}

/* The lists of one side, each with the events that use it. Inputs that are also targets of some events are
 * written once, with the inputs. */
static sheaf_status put_lists(const sheaf_lens_writing *w, sheaf_lens_direction side)
{
	size_t at = w->to->size;
	int32_t count = 0, sharers, nranges;
	put_integer(w->to, 0);
	for (int32_t e = 0; e < w->example->nevents; e++) {
		int32_t list = sheaf_lens_owned(w, side, e);
		if (list < 0) continue;
		sheaf_lens_users_of(w, side == SHEAF_LENS_INPUTS ? SHEAF_LENS_TARGETS : SHEAF_LENS_INPUTS, list,
		                    &sharers);
		if (side == SHEAF_LENS_TARGETS && sharers) continue;
		put_users(w, side, list);
		const sheaf_lens_range *ranges = sheaf_lens_ranges_of(w->set, w->example, list, &nranges);
		put_integer(w->to, nranges);
		for (int32_t i = 0; i < nranges; i++) SHEAF_TRY(put_range(w, &ranges[i]));
		if (side == SHEAF_LENS_INPUTS) sheaf_builder_byte(w->to, sharers > 0);
		if (sharers) put_users(w, SHEAF_LENS_TARGETS, list);
		count++;
	}
	put_count(w->to, at, count);
	return SHEAF_OK;
}

/* Lens reads no frequency below 0 from a binary file, although it writes them. */
static sheaf_status put_example(sheaf_lens_writing *w, const sheaf_lens_set *set,
                                const sheaf_lens_example *example, int64_t row, sheaf_builder *to,
                                sheaf_error *err)
{
	char found[40];
	w->row = row;
	w->to = to;
	w->err = err;
	SHEAF_TRY(sheaf_lens_find_users(w, set, example, err));
	SHEAF_TRY(put_text(w, sheaf_lens_string(set, example->name)));
	SHEAF_TRY(put_text(w, sheaf_lens_string(set, example->proc)));
	put_real(to, example->frequency < 0 ? 0 : example->frequency);
	if (example->frequency < 0) {
		snprintf(found, sizeof found, "%.9g", (double)example->frequency);
		SHEAF_TRY(
			sheaf_lens_tell(w, SHEAF_FINDING(SHEAF_ERROR, "negative frequency", "a frequency of at least 0",
		                                     found, "written as 0", .status = SHEAF_LOSS)));
	}
	put_integer(to, example->nevents);
	SHEAF_TRY(put_specials(w));
	SHEAF_TRY(put_lists(w, SHEAF_LENS_INPUTS));
	SHEAF_TRY(put_lists(w, SHEAF_LENS_TARGETS));
	return sheaf_builder_status(to, err);
}

const sheaf_lens_spelling sheaf_lens_binary_spelling = {.put_header = put_header, .put_example = put_example};
