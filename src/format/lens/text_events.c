/* SPDX-License-Identifier: MIT */
/* Lists of events, their settings, and to which event the next inputs or targets belong. */
#include "format/lens/filling.h"
#include "format/lens/text.h"
#include <inttypes.h>
#include <stdio.h>

static const sheaf_lens_span *spans_of(const sheaf_lens_parsing *p, size_t *count)
{
	*count = p->active.size / sizeof(sheaf_lens_span);
	return (const sheaf_lens_span *)(const void *)p->active.data;
}

/* ---- the list ---- */

static sheaf_status flaw_event(sheaf_lens_parsing *p, const uint8_t *at, int32_t least)
{
	char expected[80], found[SHEAF_SHOWN_SIZE];
	if (least == 0)
		snprintf(expected, sizeof expected, "an event from 0 to %" PRId32, p->example->nevents - 1);
	else
		snprintf(expected, sizeof expected, "an event above %" PRId32 " and below %" PRId32, least - 1,
		         p->example->nevents);
	return sheaf_lens_flaw(&p->teller, "event out of range", at, expected,
	                       sheaf_show(at, p->end, ']', found));
}

/* An event from `least` on. */
static sheaf_status read_event(sheaf_lens_parsing *p, int32_t least, int32_t *event)
{
	const uint8_t *at = p->at;
	sheaf_lens_integer kind = sheaf_lens_scan_integer(&p->at, p->end, event);
	if (kind == SHEAF_LENS_NO_INTEGER)
		return sheaf_lens_flaw_here(p, "event range", "the last event of a range");
	if (kind == SHEAF_LENS_INTEGER_OVER || *event < least || *event >= p->example->nevents)
		return flaw_event(p, at, least);
	return SHEAF_OK;
}

static sheaf_status read_span(sheaf_lens_parsing *p, sheaf_lens_span *span)
{
	*span = (sheaf_lens_span){0, p->example->nevents - 1};
	if (*p->at == '*') {
		p->at++;
		return SHEAF_OK;
	}
	SHEAF_TRY(read_event(p, 0, &span->first));
	span->last = span->first;
	if (!sheaf_lens_match(p, "-")) return SHEAF_OK;
	sheaf_lens_pass_blank(p);
	return read_event(p, span->first + 1, &span->last);
}

static sheaf_status read_list(sheaf_lens_parsing *p)
{
	sheaf_lens_span span = {0, p->example->nevents - 1};
	p->active.size = 0;
	while (sheaf_lens_pass_blank(p) && (sheaf_lens_is(*p->at, LENS_DIGIT) || *p->at == '*')) {
		SHEAF_TRY(read_span(p, &span));
		sheaf_builder_append(&p->active, &span, sizeof span);
	}
	if (p->active.size == 0) sheaf_builder_append(&p->active, &span, sizeof span);
	return sheaf_builder_status(&p->active, p->teller.err);
}

/* ---- settings of events ---- */

static sheaf_status read_fields(sheaf_lens_parsing *p, sheaf_lens_traits *traits, unsigned *given)
{
	bool found = true;
	while (!sheaf_lens_match(p, "]")) {
		if (sheaf_lens_match(p, "proc:"))
			SHEAF_TRY(sheaf_lens_read_text(p, "event proc", "the proc of an event", &traits->proc));
		else
			SHEAF_TRY(sheaf_lens_read_field(p, "event header", traits->fields, given, &found));
		if (!found)
			return sheaf_lens_flaw_here(p, "unexpected in event header",
			                            "an event, a field or ']' in the event header");
	}
	return SHEAF_OK;
}

static void override(sheaf_lens_traits *traits, const sheaf_lens_traits *by, unsigned given)
{
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++)
		if (given & 1u << f) traits->fields[f] = by->fields[f];
	if (by->proc >= 0) traits->proc = by->proc;
}

/* Events with equal traits share them again. */
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
				override(&traits, by, given);
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
	sheaf_lens_traits traits = {.proc = SHEAF_LENS_ABSENT};
	SHEAF_TRY(read_list(p));
	SHEAF_TRY(read_fields(p, &traits, &given));
	if (given || traits.proc >= 0) apply(p, &traits, given);
	p->input.seen = p->target.seen = false;
	return sheaf_lens_set_status(p->set, p->teller.err);
}

/* ---- turns ---- */

static int32_t *slot(sheaf_lens_parsing *p, const sheaf_lens_side *side, int32_t number)
{
	sheaf_lens_event *event = sheaf_lens_event_to_fill(p->set, p->example, number);
	return side->is_input ? &event->input : &event->target;
}

static sheaf_status flaw_twice(sheaf_lens_parsing *p, const sheaf_lens_side *side, const uint8_t *word,
                               int32_t event)
{
	char expected[80], found[80];
	snprintf(expected, sizeof expected, "%s at most once for each event", side->name);
	snprintf(found, sizeof found, "%s for event %" PRId32 " again", side->name, event);
	return sheaf_lens_flaw(&p->teller, side->is_input ? "inputs twice" : "targets twice", word, expected,
	                       found);
}

static sheaf_status flaw_beyond(sheaf_lens_parsing *p, const sheaf_lens_side *side, const uint8_t *word)
{
	char expected[80], found[80];
	snprintf(expected, sizeof expected, "%s for events below %" PRId32, side->name, p->example->nevents);
	snprintf(found, sizeof found, "%s for event %" PRId32, side->name, side->next);
	return sheaf_lens_flaw(&p->teller,
	                       side->is_input ? "inputs beyond the events" : "targets beyond the events", word,
	                       expected, found);
}

sheaf_status sheaf_lens_take_turn(sheaf_lens_parsing *p, sheaf_lens_side *side, const uint8_t *word,
                                  int32_t *owner)
{
	size_t n;
	const sheaf_lens_span *spans = spans_of(p, &n);
	*owner = side->next;
	if (side->seen) {
		if (side->next >= p->example->nevents) return flaw_beyond(p, side, word);
		side->next++;
		return SHEAF_OK;
	}
	*owner = spans[0].first;
	for (size_t i = 1; i < n; i++)
		if (spans[i].first < *owner) *owner = spans[i].first;
	return *slot(p, side, *owner) < 0 ? SHEAF_OK : flaw_twice(p, side, word, *owner);
}

sheaf_status sheaf_lens_give(sheaf_lens_parsing *p, sheaf_lens_side *side, const uint8_t *word, int32_t owner,
                             int32_t list)
{
	size_t n;
	const sheaf_lens_span *spans = spans_of(p, &n);
	*slot(p, side, owner) = list;
	if (side->seen) return SHEAF_OK;
	for (size_t i = 0; i < n; i++) {
		for (int32_t e = spans[i].first; e <= spans[i].last; e++) {
			int32_t *had = slot(p, side, e);
			if (*had >= 0 && *had != list) return flaw_twice(p, side, word, e);
			*had = list;
		}
		if (spans[i].last >= side->next) side->next = spans[i].last + 1;
	}
	side->seen = true;
	return SHEAF_OK;
}
