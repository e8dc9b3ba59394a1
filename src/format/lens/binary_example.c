/* SPDX-License-Identifier: MIT */
/* Examples in binary, in the order of the parts that binary_scan.c lists. Two kinds of errors differ: a value
 * that makes no sense leaves the example out, and the next one begins where its counts say; a count that the
 * rest of the piece cannot hold ends the piece (END), since nothing says where the next example begins. */
#include "format/lens/binary.h"
#include "format/lens/filling.h"
#include <inttypes.h>
#include <stdio.h>

static sheaf_status flaw_number(sheaf_lens_parsing *p, const char *rule, const uint8_t *at,
                                const char *expected, int32_t number)
{
	char found[24];
	snprintf(found, sizeof found, "%" PRId32, number);
	return sheaf_lens_flaw(p, rule, at, expected, found);
}

static sheaf_status tell_cut_short(sheaf_lens_parsing *p)
{
	char expected[120];
	snprintf(expected, sizeof expected, "%s (%" PRIu64 " bytes)", p->c.failed, p->c.needed);
	SHEAF_TRY(sheaf_lens_report(
		p, p->from + (p->c.failed_at - p->c.base),
		SHEAF_FINDING(SHEAF_FATAL, "truncated", expected, "the end of the file", .status = SHEAF_SHORT)));
	return SHEAF_END;
}

/* What the cursor could not read: nothing after it can be read. */
static inline sheaf_status cut_short(sheaf_lens_parsing *p)
{
	return p->c.failed ? tell_cut_short(p) : SHEAF_OK;
}

static sheaf_status refuse_count(sheaf_lens_parsing *p, const char *what, const uint8_t *at, int32_t count)
{
	char expected[120], found[24];
	snprintf(expected, sizeof expected, "%s that the rest of the file can hold", what);
	snprintf(found, sizeof found, "%" PRId32, count);
	SHEAF_TRY(sheaf_lens_report(p, at,
	                            SHEAF_FINDING(SHEAF_FATAL, "count", expected, found,
	                                          .status = count < 0 ? SHEAF_DATA : SHEAF_SHORT)));
	return SHEAF_END;
}

/* A number of things of at least `least` bytes each. */
static inline sheaf_status read_count(sheaf_lens_parsing *p, const char *what, uint64_t least, int32_t *count)
{
	const uint8_t *at = p->c.at;
	*count = sheaf_cursor_i32be(&p->c, what);
	bool fits = *count >= 0 && (uint64_t)*count * least <= sheaf_cursor_left(&p->c);
	return fits || p->c.failed ? cut_short(p) : refuse_count(p, what, at, *count);
}

/* Reads a string into p->string, as UTF-8. False if it is empty, which means none. */
static bool read_string(sheaf_lens_parsing *p, const char *what)
{
	size_t size;
	const uint8_t *text = sheaf_cursor_string(&p->c, &size, what);
	if (size == 0) return false;
	p->string.size = 0;
	sheaf_builder_append(&p->string, text, size);
	sheaf_builder_make_utf8(&p->string, 0);
	return true;
}

/* Text of the set. Most strings are empty. */
static inline sheaf_lens_text read_text(sheaf_lens_parsing *p, const char *what)
{
	if (!p->c.failed && p->c.at < p->c.end && !*p->c.at) {
		p->c.at++;
		return SHEAF_LENS_ABSENT;
	}
	if (!read_string(p, what)) return SHEAF_LENS_ABSENT;
	return sheaf_lens_add_text(p->set, p->string.data, p->string.size);
}

/* ---- events ---- */

static sheaf_status read_head(sheaf_lens_parsing *p)
{
	char found[40];
	sheaf_lens_text name = read_text(p, "the name of an example");
	sheaf_lens_text proc = read_text(p, "the proc of an example");
	const uint8_t *at = p->c.at;
	const uint8_t *real = sheaf_cursor_bytes(&p->c, 1, 4, "the frequency of an example");
	float frequency = real ? sheaf_lens_load_real(real) : 0;
	int32_t nevents = sheaf_cursor_i32be(&p->c, "the number of events");
	SHEAF_TRY(cut_short(p));
	if (frequency < 0) {
		snprintf(found, sizeof found, "%.9g", (double)frequency);
		return sheaf_lens_flaw(p, "example frequency", at, "a frequency of at least 0", found);
	}
	if (nevents <= 0)
		return flaw_number(p, "number of events", at + 4, "a number of events from 1 to 2147483647", nevents);
	SHEAF_TRY(sheaf_lens_check_events(p, at + 4, nevents));
	SHEAF_TRY(sheaf_lens_begin_example(p->set, nevents, &p->example, p->err));
	p->example->name = name;
	p->example->proc = proc;
	p->example->frequency = frequency;
	return SHEAF_OK;
}

/* Events with settings of their own: number, proc, seven reals. */
static sheaf_status read_specials(sheaf_lens_parsing *p)
{
	int32_t count;
	sheaf_lens_traits traits;
	const uint8_t *at = p->c.at;
	SHEAF_TRY(read_count(p, "a number of special events", LENS_SPECIAL_BYTES, &count));
	if (count > p->example->nevents)
		return flaw_number(p, "special events", at, "at most as many special events as events", count);
	for (int32_t i = 0; i < count; i++) {
		at = p->c.at;
		int32_t event = sheaf_cursor_i32be(&p->c, "the number of a special event");
		traits.proc = read_text(p, "the proc of an event");
		sheaf_lens_read_reals(&p->c, "the times and values of an event", traits.fields);
		SHEAF_TRY(cut_short(p));
		if (event < 0 || event >= p->example->nevents)
			return flaw_number(p, "event out of range", at, "an event of the example", event);
		sheaf_lens_event_to_fill(p->set, p->example, event)->traits =
			sheaf_lens_add_traits(p->set, p->example, &traits);
	}
	return count ? sheaf_lens_set_status(p->set, p->err) : SHEAF_OK;
}

/* An event, or the negative of the last one of a run that began after the event before: Lens treats a list
 * that begins with such an end as beginning with event 1. *before is where the reader of Lens then stands. */
static sheaf_status read_event(sheaf_lens_parsing *p, int32_t *before)
{
	const uint8_t *at = p->c.at;
	int32_t event = sheaf_cursor_i32be(&p->c, "a list of events"), nevents = p->example->nevents;
	if (event >= nevents || event <= -nevents)
		return flaw_number(p, "event out of range", at, "an event of the example", event);
	sheaf_lens_span s = {event < 0 ? *before + 1 : event, event < 0 ? -event : event};
	bool none = s.first > s.last;
	*before = none ? s.first : s.last + (event < 0);
	if (event < 0 && (p->spans.size == 0 || none))
		SHEAF_TRY(sheaf_lens_report(
			p, at,
			SHEAF_FINDING(SHEAF_BREACH, "event range without a start", "the end of a range after its start",
		                  p->spans.size ? "an end before the start" : "an end that begins the list",
		                  "read as Lens does")));
	if (!none) sheaf_builder_append(&p->spans, &s, sizeof s);
	return sheaf_builder_status(&p->spans, p->err);
}

static sheaf_status read_events(sheaf_lens_parsing *p)
{
	int32_t count, event = 0;
	const uint8_t *at = p->c.at;
	p->spans.size = 0;
	SHEAF_TRY(read_count(p, "a number of events in a list", 4, &count));
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(read_event(p, &event));
	return p->spans.size ? SHEAF_OK : flaw_number(p, "no events", at, "a list of one event or more", count);
}

/* The list becomes the input or target of the events that were read last, replacing any that they had. */
static sheaf_status give(sheaf_lens_parsing *p, bool is_input, int32_t list, const uint8_t *at)
{
	bool again = false;
	const sheaf_lens_span *spans = (const sheaf_lens_span *)(const void *)p->spans.data;
	for (size_t i = 0; i < p->spans.size / sizeof *spans; i++) {
		for (int32_t e = spans[i].first; e <= spans[i].last; e++) {
			int32_t *had = sheaf_lens_slot(p->set, p->example, e, is_input);
			again |= *had >= 0 && *had != list;
			*had = list;
		}
	}
	if (!again) return SHEAF_OK;
	return sheaf_lens_report(
		p, at,
		SHEAF_FINDING(SHEAF_BREACH, is_input ? "inputs twice" : "targets twice",
	                  is_input ? "inputs at most once for each event" : "targets at most once for each event",
	                  "an event that has them already", "the later ones count, as in Lens"));
}

/* ---- ranges ---- */

/* What is at `start` is the value or the first unit; `count` items follow at `items`, four bytes each. False
 * if a list has too many ranges. */
static inline bool add_range(sheaf_lens_parsing *p, sheaf_lens_range *range, const uint8_t *start,
                             const uint8_t *items, int32_t count, sheaf_lens_list *list)
{
	sheaf_builder *to = range->sparse ? &p->set->units : &p->set->values;
	if (range->sparse)
		range->value = sheaf_lens_load_real(start);
	else
		range->first = sheaf_load_i32be(start);
	if (count && sheaf_lens_items_room(to, (size_t)count * 4, p->end - items)) {
		uint32_t *words = (uint32_t *)(void *)(to->data + to->size);
		(range->sparse ? sheaf_copy_words : sheaf_copy_reals)(words, items, (size_t)count);
		to->size += (size_t)count * 4;
	}
	return sheaf_lens_end_range(p->set, range, list);
}

static sheaf_status read_range(sheaf_lens_parsing *p, float active, sheaf_lens_list *list)
{
	int32_t group = -1;
	if (read_string(p, "the group of a range")) {
		SHEAF_TRY(sheaf_builder_status(&p->string, p->err));
		SHEAF_TRY(sheaf_lens_group(p->set, p->string.data, p->string.size, &group, p->err));
	}
	const uint8_t *at = p->c.at;
	int32_t count = sheaf_cursor_i32be(&p->c, "the number of units of a range");
	bool sparse = sheaf_cursor_u8(&p->c, "the kind of a range") != 0;
	const uint8_t *start =
		sheaf_cursor_bytes(&p->c, 1, 4, sparse ? "the value of a range" : "the first unit of a range");
	SHEAF_TRY(cut_short(p));
	if (count < 0)
		return flaw_number(p, "number of units", at, "a number of units from 0 to 2147483647", count);
	const uint8_t *items = sheaf_cursor_bytes(&p->c, (uint64_t)count, 4,
	                                          sparse ? "the units of a range" : "the values of a range");
	SHEAF_TRY(cut_short(p));
	if (add_range(p, sheaf_lens_begin_range(p->set, sparse, group, active), start, items, count, list))
		return SHEAF_OK;
	return flaw_number(p, "range too long", at, "fewer ranges in a list", count);
}

/* The ranges of a list, for the events that were read last. A list without ranges is treated as none: Lens
 * drops it, too. */
static sheaf_status read_ranges(sheaf_lens_parsing *p, bool is_input, int32_t *number)
{
	sheaf_lens_list list;
	int32_t count, owner = ((const sheaf_lens_span *)(const void *)p->spans.data)->first;
	float active = sheaf_lens_active(p->set, p->example, owner, is_input);
	*number = -1;
	sheaf_lens_begin_list(p->set, &list);
	SHEAF_TRY(read_count(p, "a number of ranges", LENS_RANGE_BYTES, &count));
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(read_range(p, active, &list));
	if (count) *number = sheaf_lens_end_list(p->set, p->example, &list);
	return SHEAF_OK;
}

/* Most lists are one range without a group, for one event that has none yet: then everything before its items
 * is read at once. False: this list is different, or something about it must be reported. */
static bool read_plain_list(sheaf_lens_parsing *p, bool is_input, int32_t *number)
{
	enum { EVENTS = 0, EVENT = 4, RANGES = 8, GROUP = 12, COUNT = 13, KIND = 17, START = 18, ITEMS = 22 };
	const uint8_t *at = p->c.at;
	size_t left = sheaf_cursor_left(&p->c);
	if (left < ITEMS || sheaf_load_u32be(at + EVENTS) != 1 || sheaf_load_u32be(at + RANGES) != 1 || at[GROUP])
		return false;
	uint32_t event = sheaf_load_u32be(at + EVENT), count = sheaf_load_u32be(at + COUNT);
	if (event >= (uint32_t)p->example->nevents || count > INT32_MAX || count > (left - ITEMS) / 4)
		return false;
	int32_t *had = sheaf_lens_slot(p->set, p->example, (int32_t)event, is_input);
	if (*had >= 0) return false;
	sheaf_lens_list list;
	float active = sheaf_lens_active(p->set, p->example, (int32_t)event, is_input);
	sheaf_lens_begin_list(p->set, &list);
	add_range(p, sheaf_lens_begin_range(p->set, at[KIND] != 0, -1, active), at + START, at + ITEMS,
	          (int32_t)count, &list);
	p->c.at = at + ITEMS + (size_t)count * 4;
	*had = *number = sheaf_lens_end_list(p->set, p->example, &list);
	return true;
}

static sheaf_status read_list(sheaf_lens_parsing *p, bool is_input)
{
	int32_t list;
	const uint8_t *at = p->c.at;
	if (!read_plain_list(p, is_input, &list)) {
		SHEAF_TRY(read_events(p));
		SHEAF_TRY(read_ranges(p, is_input, &list));
		SHEAF_TRY(give(p, is_input, list, at));
	}
	if (!is_input) return SHEAF_OK;
	bool shared = sheaf_cursor_u8(&p->c, "whether targets share inputs") != 0;
	SHEAF_TRY(cut_short(p));
	if (!shared) return SHEAF_OK;
	at = p->c.at;
	SHEAF_TRY(read_events(p));
	return give(p, false, list, at);
}

/* ---- examples ---- */

static sheaf_status read_example(sheaf_lens_parsing *p)
{
	int32_t inputs, targets;
	p->c = sheaf_cursor_over(p->at, (size_t)(p->end - p->at), p->byte + (p->at - p->begin));
	SHEAF_TRY(read_head(p));
	SHEAF_TRY(read_specials(p));
	SHEAF_TRY(read_count(p, "a number of input lists", LENS_INPUT_LIST_BYTES, &inputs));
	for (int32_t i = 0; i < inputs; i++) SHEAF_TRY(read_list(p, true));
	SHEAF_TRY(read_count(p, "a number of target lists", LENS_TARGET_LIST_BYTES, &targets));
	for (int32_t i = 0; i < targets; i++) SHEAF_TRY(read_list(p, false));
	p->at = p->c.at;
	return sheaf_builder_status(&p->string, p->err);
}

const sheaf_lens_way sheaf_lens_binary_way = {
	.show_header = sheaf_lens_binary_show_header,
	.read_header = sheaf_lens_binary_read_header,
	.start = sheaf_lens_binary_start,
	.find_end = sheaf_lens_binary_end,
	.read_example = read_example,
};
