/* SPDX-License-Identifier: MIT */
/* Examples in binary. */
#include "base/context.h"
#include "format/lens/binary.h"
#include "format/lens/filling.h"
#include <inttypes.h>
#include <stdio.h>

/* A piece that is being read. */
typedef struct reading {
	sheaf_lens_reporter teller;
	sheaf_cursor c;
	sheaf_lens_set *set;
	sheaf_lens_example *example; /* the current one */
	sheaf_builder text, spans;   /* the last string; the last list of events */
} reading;

typedef struct span {
	int32_t first, last;
} span;

static sheaf_status flaw_number(reading *r, const char *rule, const uint8_t *at, const char *expected,
                                int32_t number)
{
	char found[24];
	snprintf(found, sizeof found, "%" PRId32, number);
	return sheaf_lens_flaw(&r->teller, rule, at, expected, found);
}

static sheaf_status tell_cut_short(reading *r)
{
	char expected[120];
	snprintf(expected, sizeof expected, "%s (%" PRIu64 " bytes)", r->c.failed, r->c.needed);
	SHEAF_TRY(sheaf_lens_report(
		&r->teller, r->c.begin + (r->c.failed_at - r->c.base),
		SHEAF_FINDING(SHEAF_FATAL, "truncated", expected, "the end of the file", .status = SHEAF_SHORT)));
	return SHEAF_END;
}

/* What the cursor could not read: nothing after it can be read. */
static inline sheaf_status cut_short(reading *r) { return r->c.failed ? tell_cut_short(r) : SHEAF_OK; }

static sheaf_status refuse_count(reading *r, const char *what, const uint8_t *at, int32_t count)
{
	char expected[120], found[24];
	snprintf(expected, sizeof expected, "%s that the rest of the file can hold", what);
	snprintf(found, sizeof found, "%" PRId32, count);
	SHEAF_TRY(sheaf_lens_report(&r->teller, at,
	                            SHEAF_FINDING(SHEAF_FATAL, "count", expected, found,
	                                          .status = count < 0 ? SHEAF_DATA : SHEAF_SHORT)));
	return SHEAF_END;
}

/* A number of things of at least `least` bytes each. */
static inline sheaf_status read_count(reading *r, const char *what, uint64_t least, int32_t *count)
{
	const uint8_t *at = r->c.at;
	*count = sheaf_cursor_i32be(&r->c, what);
	bool fits = *count >= 0 && (uint64_t)*count * least <= sheaf_cursor_left(&r->c);
	return fits || r->c.failed ? cut_short(r) : refuse_count(r, what, at, *count);
}

static sheaf_lens_text read_some_text(reading *r, const char *what)
{
	size_t size;
	const uint8_t *text = sheaf_cursor_string(&r->c, &size, what);
	if (size == 0) return SHEAF_LENS_ABSENT;
	r->text.size = 0;
	sheaf_builder_append(&r->text, text, size);
	sheaf_builder_make_utf8(&r->text, 0);
	return sheaf_lens_add_text(r->set, r->text.data, r->text.size);
}

/* Text of the set; absent if it is empty. */
static inline sheaf_lens_text read_text(reading *r, const char *what)
{
	if (r->c.failed || r->c.at == r->c.end || *r->c.at) return read_some_text(r, what);
	r->c.at++;
	return SHEAF_LENS_ABSENT;
}

/* ---- events ---- */

static sheaf_status flaw_frequency(reading *r, const uint8_t *at, float frequency)
{
	char found[40];
	snprintf(found, sizeof found, "%.9g", (double)frequency);
	return sheaf_lens_flaw(&r->teller, "example frequency", at, "a frequency of at least 0", found);
}

static sheaf_status read_head(reading *r)
{
	const uint8_t *begin = r->c.at;
	sheaf_lens_text name = read_text(r, "the name of an example");
	sheaf_lens_text proc = read_text(r, "the proc of an example");
	const uint8_t *at = r->c.at;
	const uint8_t *real = sheaf_cursor_bytes(&r->c, 1, 4, "the frequency of an example");
	float frequency = real ? sheaf_lens_load_real(real) : 0;
	int32_t nevents = sheaf_cursor_i32be(&r->c, "the number of events");
	SHEAF_TRY(cut_short(r));
	if (frequency < 0) return flaw_frequency(r, at, frequency);
	if (nevents <= 0)
		return flaw_number(r, "number of events", at + 4, "a number of events from 1 to 2147483647", nevents);
	SHEAF_TRY(sheaf_lens_check_events(&r->teller, (sheaf_bytes){begin, (size_t)(r->c.end - begin)}, at + 4,
	                                  nevents));
	SHEAF_TRY(sheaf_lens_begin_example(r->set, nevents, &r->example, r->teller.err));
	r->example->name = name;
	r->example->proc = proc;
	r->example->frequency = frequency;
	return SHEAF_OK;
}

static sheaf_status read_special(reading *r)
{
	const uint8_t *at = r->c.at;
	sheaf_lens_traits traits;
	int32_t event = sheaf_cursor_i32be(&r->c, "the number of a special event");
	traits.proc = read_text(r, "the proc of an event");
	sheaf_lens_read_reals(&r->c, "the times and values of an event", traits.fields);
	SHEAF_TRY(cut_short(r));
	if (event < 0 || event >= r->example->nevents)
		return flaw_number(r, "event out of range", at, "an event of the example", event);
	sheaf_lens_event_to_fill(r->set, r->example, event)->traits =
		sheaf_lens_add_traits(r->set, r->example, &traits);
	return SHEAF_OK;
}

static sheaf_status read_specials(reading *r)
{
	int32_t count;
	const uint8_t *at = r->c.at;
	SHEAF_TRY(read_count(r, "a number of special events", LENS_SPECIAL_BYTES, &count));
	if (count > r->example->nevents)
		return flaw_number(r, "special events", at, "at most as many special events as events", count);
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(read_special(r));
	return count ? sheaf_lens_set_status(r->set, r->teller.err) : SHEAF_OK;
}

/* An event, or the negative of the last one of a run that began after the event before: Lens treats a list
 * that begins with such an end as beginning with event 1. */
static sheaf_status read_event(reading *r, int32_t *at_event)
{
	const uint8_t *at = r->c.at;
	int32_t event = sheaf_cursor_i32be(&r->c, "a list of events"), nevents = r->example->nevents;
	if (event >= nevents || event <= -nevents)
		return flaw_number(r, "event out of range", at, "an event of the example", event);
	span s = {event < 0 ? *at_event + 1 : event, event < 0 ? -event : event};
	*at_event = event < 0 && s.first > s.last
	                ? s.first
	                : s.last + (event < 0); /* where the reader of Lens then stands */
	if (event < 0 && (r->spans.size == 0 || s.first > s.last))
		SHEAF_TRY(sheaf_lens_report(
			&r->teller, at,
			SHEAF_FINDING(SHEAF_BREACH, "event range without a start", "the end of a range after its start",
		                  r->spans.size ? "an end before the start" : "an end that begins the list",
		                  "read as Lens does")));
	if (s.first > s.last) return SHEAF_OK;
	sheaf_builder_append(&r->spans, &s, sizeof s);
	return sheaf_builder_status(&r->spans, r->teller.err);
}

static sheaf_status read_events(reading *r)
{
	int32_t count, event = 0;
	const uint8_t *at = r->c.at;
	r->spans.size = 0;
	SHEAF_TRY(read_count(r, "a number of events in a list", 4, &count));
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(read_event(r, &event));
	return r->spans.size ? SHEAF_OK : flaw_number(r, "no events", at, "a list of one event or more", count);
}

/* The list becomes the input or target of the events that were read last, replacing any that they had. */
static sheaf_status give(reading *r, bool is_input, int32_t list, const uint8_t *at)
{
	bool again = false;
	const span *spans = (const span *)(const void *)r->spans.data;
	for (size_t i = 0; i < r->spans.size / sizeof *spans; i++) {
		for (int32_t e = spans[i].first; e <= spans[i].last; e++) {
			sheaf_lens_event *event = sheaf_lens_event_to_fill(r->set, r->example, e);
			int32_t *had = is_input ? &event->input : &event->target;
			again |= *had >= 0 && *had != list;
			*had = list;
		}
	}
	if (!again) return SHEAF_OK;
	return sheaf_lens_report(
		&r->teller, at,
		SHEAF_FINDING(SHEAF_BREACH, is_input ? "inputs twice" : "targets twice",
	                  is_input ? "inputs at most once for each event" : "targets at most once for each event",
	                  "an event that has them already", "the later ones count, as in Lens"));
}

/* ---- ranges ---- */

/* Appends words of the file to an array. */
static void copy(reading *r, sheaf_builder *items, const uint8_t *from, int32_t count,
                 sheaf_word_copier *copier)
{
	if (count == 0 || !sheaf_lens_items_room(items, (size_t)count * 4, r->c.end - from)) return;
	copier((uint32_t *)(void *)(items->data + items->size), from, (size_t)count);
	items->size += (size_t)count * 4;
}

static sheaf_status read_group(reading *r, int32_t *group)
{
	size_t size;
	*group = -1;
	const uint8_t *name = sheaf_cursor_string(&r->c, &size, "the group of a range");
	if (size == 0) return SHEAF_OK;
	r->text.size = 0;
	sheaf_builder_append(&r->text, name, size);
	sheaf_builder_make_utf8(&r->text, 0);
	SHEAF_TRY(sheaf_builder_status(&r->text, r->teller.err));
	return sheaf_lens_group(r->set, r->text.data, r->text.size, group, r->teller.err);
}

/* What is at `start` is the value or the first unit. False if a list has too many ranges. */
static inline bool add_range(reading *r, sheaf_lens_range *range, const uint8_t *start, const uint8_t *items,
                             int32_t count, sheaf_lens_list *list)
{
	if (range->sparse) {
		range->value = sheaf_lens_load_real(start);
		copy(r, &r->set->units, items, count, sheaf_copy_words);
	} else {
		range->first = sheaf_load_i32be(start);
		copy(r, &r->set->values, items, count, sheaf_copy_reals);
	}
	return sheaf_lens_end_range(r->set, range, list);
}

static sheaf_status read_range(reading *r, float active, sheaf_lens_list *list)
{
	int32_t group;
	SHEAF_TRY(read_group(r, &group));
	const uint8_t *at = r->c.at;
	int32_t count = sheaf_cursor_i32be(&r->c, "the number of units of a range");
	bool sparse = sheaf_cursor_u8(&r->c, "the kind of a range") != 0;
	const uint8_t *start =
		sheaf_cursor_bytes(&r->c, 1, 4, sparse ? "the value of a range" : "the first unit of a range");
	SHEAF_TRY(cut_short(r));
	if (count < 0)
		return flaw_number(r, "number of units", at, "a number of units from 0 to 2147483647", count);
	const uint8_t *items = sheaf_cursor_bytes(&r->c, (uint64_t)count, 4,
	                                          sparse ? "the units of a range" : "the values of a range");
	SHEAF_TRY(cut_short(r));
	if (add_range(r, sheaf_lens_begin_range(r->set, sparse, group, active), start, items, count, list))
		return SHEAF_OK;
	return flaw_number(r, "range too long", at, "fewer ranges in a list", count);
}

/* A list without ranges is treated as none: Lens drops it, too. */
static sheaf_status read_ranges(reading *r, bool is_input, int32_t *number)
{
	sheaf_lens_list list;
	int32_t count;
	*number = -1;
	const sheaf_lens_event *owner =
		sheaf_lens_event_at(r->set, r->example, ((const span *)(const void *)r->spans.data)->first);
	float active = sheaf_lens_event_traits(r->set, r->example, owner)
	                   ->fields[is_input ? SHEAF_LENS_ACT_I : SHEAF_LENS_ACT_T];
	sheaf_lens_begin_list(r->set, &list);
	SHEAF_TRY(read_count(r, "a number of ranges", LENS_RANGE_BYTES, &count));
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(read_range(r, active, &list));
	if (count) *number = sheaf_lens_end_list(r->set, r->example, &list);
	return SHEAF_OK;
}

/* Most lists are one range without a group, for one event that has none yet: then everything before its items
 * is read at once. False: this list is different, or something about it must be reported. */
static bool read_plain_list(reading *r, bool is_input, int32_t *number)
{
	enum { EVENTS = 0, EVENT = 4, RANGES = 8, GROUP = 12, COUNT = 13, KIND = 17, START = 18, ITEMS = 22 };
	const uint8_t *at = r->c.at;
	size_t left = sheaf_cursor_left(&r->c);
	if (left < ITEMS || sheaf_load_u32be(at + EVENTS) != 1 || sheaf_load_u32be(at + RANGES) != 1 || at[GROUP])
		return false;
	uint32_t event = sheaf_load_u32be(at + EVENT), count = sheaf_load_u32be(at + COUNT);
	if (event >= (uint32_t)r->example->nevents || count > INT32_MAX || count > (left - ITEMS) / 4)
		return false;
	sheaf_lens_event *owner = sheaf_lens_event_to_fill(r->set, r->example, (int32_t)event);
	int32_t *had = is_input ? &owner->input : &owner->target;
	if (*had >= 0) return false;
	sheaf_lens_list list;
	float active = sheaf_lens_event_traits(r->set, r->example, owner)
	                   ->fields[is_input ? SHEAF_LENS_ACT_I : SHEAF_LENS_ACT_T];
	sheaf_lens_begin_list(r->set, &list);
	add_range(r, sheaf_lens_begin_range(r->set, at[KIND] != 0, -1, active), at + START, at + ITEMS,
	          (int32_t)count, &list);
	r->c.at = at + ITEMS + (size_t)count * 4;
	*had = *number = sheaf_lens_end_list(r->set, r->example, &list);
	return true;
}

static sheaf_status read_any_list(reading *r, bool is_input, int32_t *number)
{
	const uint8_t *at = r->c.at;
	SHEAF_TRY(read_events(r));
	SHEAF_TRY(read_ranges(r, is_input, number));
	return give(r, is_input, *number, at);
}

static sheaf_status read_list(reading *r, bool is_input)
{
	int32_t list;
	if (!read_plain_list(r, is_input, &list)) SHEAF_TRY(read_any_list(r, is_input, &list));
	if (!is_input) return SHEAF_OK;
	bool shared = sheaf_cursor_u8(&r->c, "whether targets share inputs") != 0;
	SHEAF_TRY(cut_short(r));
	if (!shared) return SHEAF_OK;
	const uint8_t *at = r->c.at;
	SHEAF_TRY(read_events(r));
	return give(r, false, list, at);
}

static sheaf_status read_lists(reading *r, bool is_input)
{
	int32_t count;
	SHEAF_TRY(read_count(r, is_input ? "a number of input lists" : "a number of target lists",
	                     is_input ? LENS_INPUT_LIST_BYTES : LENS_TARGET_LIST_BYTES, &count));
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(read_list(r, is_input));
	return SHEAF_OK;
}

/* ---- pieces ---- */

static sheaf_status read_example(reading *r)
{
	int64_t byte = sheaf_cursor_tell(&r->c);
	SHEAF_TRY(read_head(r));
	r->example->byte = byte;
	SHEAF_TRY(read_specials(r));
	SHEAF_TRY(read_lists(r, true));
	SHEAF_TRY(read_lists(r, false));
	sheaf_lens_end_example(r->set);
	return sheaf_lens_set_status(r->set, r->teller.err);
}

/* An example without its flaws, or none. The next one begins where its counts say. */
static sheaf_status add_example(reading *r)
{
	sheaf_lens_scan scan;
	sheaf_lens_mark mark;
	const uint8_t *from = r->c.at;
	sheaf_lens_set_mark(r->set, &mark);
	r->teller.flawed = false;
	sheaf_status status = read_example(r);
	if (status == SHEAF_OK) return SHEAF_OK;
	sheaf_lens_set_back(r->set, &mark);
	if (!r->teller.flawed) return status;
	sheaf_lens_binary_start(&scan, false);
	if (!sheaf_lens_binary_end(&scan, from, (size_t)(r->c.end - from))) return SHEAF_END;
	r->c.at = from + scan.at;
	return SHEAF_OK;
}

sheaf_status sheaf_lens_binary_parse(const sheaf_lens_reader *in, const sheaf_piece *piece,
                                     sheaf_lens_set *set, sheaf_context *cx, sheaf_error *err)
{
	int64_t before, examples = sheaf_lens_piece_examples(piece, &before);
	reading r = {.teller = sheaf_lens_teller_of(in, piece, cx, err), .set = set};
	r.c = sheaf_cursor_over(piece->bytes.data, piece->bytes.size, piece->byte);
	r.teller.begin = r.c.begin;
	sheaf_builder_begin(&r.text, cx, NULL);
	sheaf_builder_begin(&r.spans, cx, NULL);
	sheaf_lens_set_expect(set, examples, piece->size);
	sheaf_status status = sheaf_lens_set_status(set, err);
	for (int64_t i = 0; i < examples && status == SHEAF_OK; i++) {
		status = sheaf_check_stop(cx, err);
		if (status == SHEAF_OK) status = add_example(&r);
	}
	sheaf_builder_drop(&r.text);
	sheaf_builder_drop(&r.spans);
	return status == SHEAF_END ? SHEAF_OK : status;
}

const sheaf_lens_way sheaf_lens_binary_way = {
	.begin = sheaf_lens_binary_begin,
	.start = sheaf_lens_binary_start,
	.find_end = sheaf_lens_binary_end,
	.parse = sheaf_lens_binary_parse,
};
