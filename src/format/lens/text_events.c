/* SPDX-License-Identifier: MIT */
/* Lists of events, "[0-2 4 max:3]", and to which event the next inputs or targets belong. After a list of
 * events, the first I: and the first T: are for all of its events; each later one is for one event, the one
 * after those that had their turn. Before any list, the first ones are for event 0. */
#include "format/lens/filling.h"
#include "format/lens/text.h"
#include <inttypes.h>
#include <stdio.h>

static const sheaf_lens_span *spans_of(const sheaf_lens_parsing *p, size_t *count)
{
	*count = p->spans.size / sizeof(sheaf_lens_span);
	return (const sheaf_lens_span *)(const void *)p->spans.data;
}

/* ---- the list ---- */

/* An event from `least` on. */
static sheaf_status read_event(sheaf_lens_parsing *p, int32_t least, int32_t *event)
{
	char expected[80], found[SHEAF_SHOWN_SIZE];
	const uint8_t *at = p->at;
	int32_t nevents = p->example->nevents;
	sheaf_lens_integer kind = sheaf_lens_scan_integer(&p->at, p->end, event);
	if (kind == SHEAF_LENS_NO_INTEGER)
		return sheaf_lens_flaw_text(p, "event range", at, "the last event of a range");
	if (kind == SHEAF_LENS_INTEGER && *event >= least && *event < nevents) return SHEAF_OK;
	if (least == 0)
		snprintf(expected, sizeof expected, "an event from 0 to %" PRId32, nevents - 1);
	else
		snprintf(expected, sizeof expected, "an event above %" PRId32 " and below %" PRId32, least - 1,
		         nevents);
	return sheaf_lens_flaw(p, "event out of range", at, expected, sheaf_show(at, p->end, ']', found));
}

/* Numbers, spans and stars, or nothing, which means all events. */
static sheaf_status read_list(sheaf_lens_parsing *p)
{
	const sheaf_lens_span all = {0, p->example->nevents - 1};
	p->spans.size = 0;
	while (sheaf_lens_pass_blank(p) && (sheaf_lens_is(*p->at, LENS_DIGIT) || *p->at == '*')) {
		sheaf_lens_span span = all;
		if (!sheaf_lens_follows(p, "*")) {
			SHEAF_TRY(read_event(p, 0, &span.first));
			span.last = span.first;
			if (sheaf_lens_match(p, "-")) {
				sheaf_lens_pass_blank(p);
				SHEAF_TRY(read_event(p, span.first + 1, &span.last));
			}
		}
		sheaf_builder_append(&p->spans, &span, sizeof span);
	}
	if (p->spans.size == 0) sheaf_builder_append(&p->spans, &all, sizeof all);
	return sheaf_builder_status(&p->spans, p->err);
}

/* ---- settings of events ---- */

/* Gives the listed events these settings, those of the fields that are `given`; the others stay. Events with
 * equal traits share them again. */
static void apply(sheaf_lens_parsing *p, const sheaf_lens_traits *by, unsigned given)
{
	size_t n;
	const sheaf_lens_span *spans = spans_of(p, &n);
	int32_t before = -2, after = -2;
	for (size_t i = 0; i < n; i++) {
		for (int32_t e = spans[i].first; e <= spans[i].last; e++) {
			sheaf_lens_event *event = sheaf_lens_event_to_fill(p->set, p->example, e);
			if (event->traits == after) continue; /* once is enough */
			if (event->traits != before) {
				sheaf_lens_traits traits = *sheaf_lens_event_traits(p->set, p->example, event);
				for (int f = 0; f < SHEAF_LENS_FIELDS; f++)
					if (given & 1u << f) traits.fields[f] = by->fields[f];
				if (by->proc >= 0) traits.proc = by->proc;
				before = event->traits;
				after = sheaf_lens_add_traits(p->set, p->example, &traits);
			}
			event->traits = after;
		}
	}
}

sheaf_status sheaf_lens_read_events(sheaf_lens_parsing *p)
{
	unsigned given = 0;
	bool found = true;
	sheaf_lens_traits traits = {.proc = SHEAF_LENS_ABSENT};
	SHEAF_TRY(read_list(p));
	while (!sheaf_lens_match(p, "]")) {
		if (sheaf_lens_match(p, "proc:"))
			SHEAF_TRY(sheaf_lens_read_text(p, "event proc", "the proc of an event", &traits.proc));
		else
			SHEAF_TRY(sheaf_lens_read_field(p, "event header", traits.fields, &given, &found));
		if (!found)
			return sheaf_lens_flaw_text(p, "unexpected in event header", p->at,
			                            "an event, a field or ']' in the event header");
	}
	if (given || traits.proc >= 0) apply(p, &traits, given);
	p->input.seen = p->target.seen = false;
	return sheaf_lens_set_status(p->set, p->err);
}

/* ---- turns ---- */

static sheaf_status flaw_twice(sheaf_lens_parsing *p, const sheaf_lens_side *side, const uint8_t *word,
                               int32_t event)
{
	char expected[80], found[80];
	snprintf(expected, sizeof expected, "%s at most once for each event", side->name);
	snprintf(found, sizeof found, "%s for event %" PRId32 " again", side->name, event);
	return sheaf_lens_flaw(p, side->is_input ? "inputs twice" : "targets twice", word, expected, found);
}

sheaf_status sheaf_lens_take_turn(sheaf_lens_parsing *p, sheaf_lens_side *side, const uint8_t *word,
                                  int32_t *owner)
{
	size_t n;
	char expected[80], found[80];
	const sheaf_lens_span *spans = spans_of(p, &n);
	*owner = side->next;
	if (side->seen && side->next >= p->example->nevents) {
		snprintf(expected, sizeof expected, "%s for events below %" PRId32, side->name, p->example->nevents);
		snprintf(found, sizeof found, "%s for event %" PRId32, side->name, side->next);
		return sheaf_lens_flaw(p, side->is_input ? "inputs beyond the events" : "targets beyond the events",
		                       word, expected, found);
	}
	if (side->seen) {
		side->next++;
		return SHEAF_OK;
	}
	*owner = spans[0].first;
	for (size_t i = 1; i < n; i++)
		if (spans[i].first < *owner) *owner = spans[i].first;
	return *sheaf_lens_slot(p->set, p->example, *owner, side->is_input) < 0
	           ? SHEAF_OK
	           : flaw_twice(p, side, word, *owner);
}

sheaf_status sheaf_lens_give(sheaf_lens_parsing *p, sheaf_lens_side *side, const uint8_t *word, int32_t owner,
                             int32_t list)
{
	size_t n;
	const sheaf_lens_span *spans = spans_of(p, &n);
	*sheaf_lens_slot(p->set, p->example, owner, side->is_input) = list;
	if (side->seen) return SHEAF_OK;
	for (size_t i = 0; i < n; i++) {
		for (int32_t e = spans[i].first; e <= spans[i].last; e++) {
			int32_t *had = sheaf_lens_slot(p->set, p->example, e, side->is_input);
			if (*had >= 0 && *had != list) return flaw_twice(p, side, word, e);
			*had = list;
		}
		if (spans[i].last >= side->next) side->next = spans[i].last + 1;
	}
	side->seen = true;
	return SHEAF_OK;
}
