/* SPDX-License-Identifier: MIT */
/* Examples in binary. */
#include "base/context.h"
#include "format/lens/binary.h"
#include <inttypes.h>
#include <stdio.h>

/* A piece being read. */
typedef struct reading {
	sheaf_lens_teller teller;
	sheaf_cursor c;
	sheaf_lens_set *set;
	sheaf_lens_example example; /* under way */
	sheaf_builder text, spans;  /* the last string; the last list of events */
} reading;

typedef struct span {
	int32_t first, last;
} span;

static sheaf_status flaw_number(reading *r, const char *rule, const uint8_t *at, const char *expected, int32_t number)
{
	char found[24];
	snprintf(found, sizeof found, "%" PRId32, number);
	return sheaf_lens_flaw(&r->teller, rule, at, expected, found);
}

/* What the cursor could not read: nothing can be read behind it. */
static sheaf_status cut_short(reading *r)
{
	char expected[120];
	if (!r->c.failed) return SHEAF_OK;
	snprintf(expected, sizeof expected, "%s (%" PRIu64 " bytes)", r->c.failed, r->c.needed);
	SHEAF_TRY(sheaf_lens_tell(&r->teller, SHEAF_FATAL, SHEAF_SHORT, "truncated", r->c.begin + (r->c.failed_at - r->c.base), expected,
	                          "that the file ends before", NULL));
	return SHEAF_END;
}

/* A number of things of at least `least` bytes each. */
static sheaf_status read_count(reading *r, const char *what, uint64_t least, int32_t *count)
{
	char expected[120];
	const uint8_t *at = r->c.at;
	*count = sheaf_cursor_i32be(&r->c, what);
	if (r->c.failed || (*count >= 0 && (uint64_t)*count * least <= sheaf_cursor_left(&r->c))) return cut_short(r);
	snprintf(expected, sizeof expected, "%s that the rest of the file can hold", what);
	char found[24];
	snprintf(found, sizeof found, "%" PRId32, *count);
	SHEAF_TRY(sheaf_lens_tell(&r->teller, SHEAF_FATAL, *count < 0 ? SHEAF_DATA : SHEAF_SHORT, "count", at, expected, found, NULL));
	return SHEAF_END;
}

/* Text of the set; absent where it is empty. */
static sheaf_lens_text read_text(reading *r, const char *what)
{
	size_t size;
	const uint8_t *text = sheaf_cursor_string(&r->c, &size, what);
	if (size == 0) return SHEAF_LENS_ABSENT;
	r->text.size = 0;
	sheaf_builder_append(&r->text, text, size);
	sheaf_lens_make_utf8(&r->text);
	return sheaf_lens_add_text(r->set, r->text.data, r->text.size);
}

/* ---- events ---- */

static sheaf_status read_head(reading *r)
{
	char found[40];
	sheaf_lens_text name = read_text(r, "the name of an example");
	sheaf_lens_text proc = read_text(r, "the proc of an example");
	const uint8_t *at = r->c.at;
	const uint8_t *real = sheaf_cursor_bytes(&r->c, 1, 4, "the frequency of an example");
	float frequency = real ? sheaf_lens_load_real(real) : 0;
	int32_t nevents = sheaf_cursor_i32be(&r->c, "the number of events");
	SHEAF_TRY(cut_short(r));
	snprintf(found, sizeof found, "%.9g", (double)frequency);
	if (frequency < 0) return sheaf_lens_flaw(&r->teller, "example frequency", at, "a frequency of at least 0", found);
	if (nevents <= 0) return flaw_number(r, "number of events", at + 4, "a number of events from 1 to 2147483647", nevents);
	SHEAF_TRY(sheaf_lens_begin_example(r->set, nevents, &r->example, r->teller.err));
	r->example.name = name;
	r->example.proc = proc;
	r->example.frequency = frequency;
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
	if (event < 0 || event >= r->example.nevents) return flaw_number(r, "event out of range", at, "an event of the example", event);
	sheaf_lens_event_to_fill(r->set, &r->example, event)->traits = sheaf_lens_add_traits(r->set, &r->example, &traits);
	return SHEAF_OK;
}

static sheaf_status read_specials(reading *r)
{
	int32_t count;
	const uint8_t *at = r->c.at;
	SHEAF_TRY(read_count(r, "a number of special events", LENS_SPECIAL_BYTES, &count));
	if (count > r->example.nevents) return flaw_number(r, "special events", at, "at most as many special events as events", count);
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(read_special(r));
	return sheaf_lens_set_status(r->set, r->teller.err);
}

/* An event, or the negative of the last one of a run that began behind the event before: Lens takes a list that begins with such an end to
 * begin with event 1. */
static sheaf_status read_event(reading *r, int32_t *at_event)
{
	const uint8_t *at = r->c.at;
	int32_t event = sheaf_cursor_i32be(&r->c, "a list of events"), nevents = r->example.nevents;
	if (event >= nevents || event <= -nevents) return flaw_number(r, "event out of range", at, "an event of the example", event);
	span s = {event < 0 ? *at_event + 1 : event, event < 0 ? -event : event};
	*at_event = event < 0 && s.first > s.last ? s.first : s.last + (event < 0); /* where the reader of Lens stands then */
	if (event < 0 && (r->spans.size == 0 || s.first > s.last))
		SHEAF_TRY(sheaf_lens_tell(&r->teller, SHEAF_BREACH, SHEAF_DATA, "event range without a start", at, "the end of a range behind its start",
		                          r->spans.size ? "an end before the start" : "an end that begins the list", "read as Lens does"));
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

/* The list becomes the input or target of the events read last, in place of any they had. */
static sheaf_status give(reading *r, bool is_input, int32_t list, const uint8_t *at)
{
	bool again = false;
	const span *spans = (const span *)(const void *)r->spans.data;
	for (size_t i = 0; i < r->spans.size / sizeof *spans; i++) {
		for (int32_t e = spans[i].first; e <= spans[i].last; e++) {
			sheaf_lens_event *event = sheaf_lens_event_to_fill(r->set, &r->example, e);
			int32_t *had = is_input ? &event->input : &event->target;
			again |= *had >= 0 && *had != list;
			*had = list;
		}
	}
	if (!again) return SHEAF_OK;
	return sheaf_lens_tell(&r->teller, SHEAF_BREACH, SHEAF_DATA, is_input ? "inputs twice" : "targets twice", at,
	                       is_input ? "inputs at most once for each event" : "targets at most once for each event", "an event that has them already",
	                       "the later ones count, as in Lens");
}

/* ---- ranges ---- */

static void copy_values(sheaf_builder *values, const uint8_t *from, int32_t count)
{
	if (count == 0 || !sheaf_builder_room(values, (size_t)count * 4)) return;
	uint32_t *to = (uint32_t *)(void *)(values->data + values->size);
	for (int32_t i = 0; i < count; i++) to[i] = sheaf_lens_one_nan(sheaf_load_u32be(from + (ptrdiff_t)4 * i));
	values->size += (size_t)count * 4;
}

static void copy_units(sheaf_builder *units, const uint8_t *from, int32_t count)
{
	if (count == 0 || !sheaf_builder_room(units, (size_t)count * 4)) return;
	uint32_t *to = (uint32_t *)(void *)(units->data + units->size);
	for (int32_t i = 0; i < count; i++) to[i] = sheaf_load_u32be(from + (ptrdiff_t)4 * i);
	units->size += (size_t)count * 4;
}

static sheaf_status read_group(reading *r, int32_t *group)
{
	size_t size;
	*group = -1;
	const uint8_t *name = sheaf_cursor_string(&r->c, &size, "the group of a range");
	if (size == 0) return SHEAF_OK;
	r->text.size = 0;
	sheaf_builder_append(&r->text, name, size);
	sheaf_lens_make_utf8(&r->text);
	SHEAF_TRY(sheaf_builder_status(&r->text, r->teller.err));
	return sheaf_lens_group(r->set, r->text.data, r->text.size, group, r->teller.err);
}

static sheaf_status read_range(reading *r, float active, sheaf_lens_list *list)
{
	sheaf_lens_range range = {.value = active};
	SHEAF_TRY(read_group(r, &range.group));
	const uint8_t *at = r->c.at;
	int32_t count = sheaf_cursor_i32be(&r->c, "the number of units of a range");
	bool sparse = sheaf_cursor_u8(&r->c, "the kind of a range") != 0;
	const uint8_t *start = sheaf_cursor_bytes(&r->c, 1, 4, sparse ? "the value of a range" : "the first unit of a range");
	SHEAF_TRY(cut_short(r));
	if (count < 0) return flaw_number(r, "number of units", at, "a number of units from 0 to 2147483647", count);
	const uint8_t *items = sheaf_cursor_bytes(&r->c, (uint64_t)count, 4, sparse ? "the units of a range" : "the values of a range");
	SHEAF_TRY(cut_short(r));
	sheaf_lens_begin_range(r->set, sparse, &range);
	if (sparse) {
		range.value = sheaf_lens_load_real(start);
		copy_units(&r->set->units, items, count);
	} else {
		range.first = sheaf_load_i32be(start);
		copy_values(&r->set->values, items, count);
	}
	if (sheaf_lens_end_range(r->set, &range, list)) return SHEAF_OK;
	return flaw_number(r, "range too long", at, "fewer ranges in a list", count);
}

/* A list without ranges is none: Lens forgets it, too. */
static sheaf_status read_ranges(reading *r, bool is_input, int32_t *number)
{
	sheaf_lens_list list;
	int32_t count;
	*number = -1;
	const sheaf_lens_event *owner = sheaf_lens_event_at(r->set, &r->example, ((const span *)(const void *)r->spans.data)->first);
	float active = sheaf_lens_event_traits(r->set, &r->example, owner)->fields[is_input ? SHEAF_LENS_ACT_I : SHEAF_LENS_ACT_T];
	sheaf_lens_begin_list(r->set, &list);
	SHEAF_TRY(read_count(r, "a number of ranges", LENS_RANGE_BYTES, &count));
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(read_range(r, active, &list));
	SHEAF_TRY(sheaf_lens_set_status(r->set, r->teller.err));
	if (count) *number = sheaf_lens_end_list(r->set, &r->example, &list);
	return SHEAF_OK;
}

static sheaf_status read_list(reading *r, bool is_input)
{
	int32_t list;
	const uint8_t *at = r->c.at;
	SHEAF_TRY(read_events(r));
	SHEAF_TRY(read_ranges(r, is_input, &list));
	SHEAF_TRY(give(r, is_input, list, at));
	if (!is_input) return SHEAF_OK;
	bool shared = sheaf_cursor_u8(&r->c, "whether targets share inputs") != 0;
	SHEAF_TRY(cut_short(r));
	if (!shared) return SHEAF_OK;
	at = r->c.at;
	SHEAF_TRY(read_events(r));
	return give(r, false, list, at);
}

static sheaf_status read_lists(reading *r, bool is_input)
{
	int32_t count;
	SHEAF_TRY(
		read_count(r, is_input ? "a number of input lists" : "a number of target lists", is_input ? LENS_INPUT_LIST_BYTES : LENS_TARGET_LIST_BYTES, &count));
	for (int32_t i = 0; i < count; i++) SHEAF_TRY(read_list(r, is_input));
	return SHEAF_OK;
}

/* ---- pieces ---- */

static sheaf_status read_example(reading *r)
{
	int64_t byte = sheaf_cursor_tell(&r->c);
	SHEAF_TRY(read_head(r));
	r->example.byte = byte;
	SHEAF_TRY(read_specials(r));
	SHEAF_TRY(read_lists(r, true));
	SHEAF_TRY(read_lists(r, false));
	sheaf_lens_end_example(r->set, &r->example);
	return sheaf_lens_set_status(r->set, r->teller.err);
}

/* An example without its flaws, or none. The next one begins where its counts say. */
static sheaf_status add_example(reading *r)
{
	sheaf_lens_scan scan;
	sheaf_lens_mark mark = sheaf_lens_set_mark(r->set);
	const uint8_t *from = r->c.at;
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

sheaf_status sheaf_lens_binary_parse(const sheaf_lens_reader *in, const sheaf_piece *piece, sheaf_lens_set *set, sheaf_context *cx, sheaf_error *err)
{
	int64_t before, examples = sheaf_lens_piece_examples(piece, &before);
	reading r = {.teller = sheaf_lens_teller_of(in, piece, cx, err), .set = set};
	r.c = sheaf_cursor_over(piece->bytes.data, piece->bytes.size, piece->byte);
	r.teller.begin = r.c.begin;
	sheaf_builder_begin(&r.text, cx, NULL);
	sheaf_builder_begin(&r.spans, cx, NULL);
	sheaf_status status = SHEAF_OK;
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
