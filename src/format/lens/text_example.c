/* SPDX-License-Identifier: MIT */
/* Examples in text: a header in any order, then lists of events, inputs and targets, up to a ';'.
 *
 *   name:{a} freq:2 2 [0 max:3] I: 1 0 T: 1 [1] i: 3 7 t: 0 ;
 *
 * I:, T: and B: begin with a dense range, their small letters with a sparse one. */
#include "base/context.h"
#include "format/lens/filling.h"
#include "format/lens/text.h"
#include <stdio.h>

static sheaf_status read_example_header(sheaf_lens_parsing *p)
{
	sheaf_lens_example head = {
		.name = SHEAF_LENS_ABSENT, .proc = SHEAF_LENS_ABSENT, .frequency = 1, .nevents = 1};
	while (sheaf_lens_pass_blank(p)) {
		if (sheaf_lens_follows(p, "name:")) {
			SHEAF_TRY(sheaf_lens_read_text(p, "example name", "the name of an example", &head.name));
		} else if (sheaf_lens_follows(p, "freq:")) {
			SHEAF_TRY(
				sheaf_lens_read_real(p, "example frequency", "the frequency of an example", &head.frequency));
		} else if (sheaf_lens_follows(p, "proc:")) {
			SHEAF_TRY(sheaf_lens_read_text(p, "example proc", "the proc of an example", &head.proc));
		} else if (!sheaf_lens_is(*p->at, LENS_DIGIT)) {
			break;
		} else {
			const uint8_t *at = p->at;
			sheaf_lens_integer kind = sheaf_lens_scan_integer(&p->at, p->end, &head.nevents);
			if (kind != SHEAF_LENS_INTEGER || head.nevents <= 0)
				return sheaf_lens_flaw_text(p, "number of events", at,
				                            "a number of events from 1 to 2147483647");
			SHEAF_TRY(sheaf_lens_check_events(p, at, head.nevents));
		}
	}
	SHEAF_TRY(sheaf_lens_begin_example(p->set, head.nevents, &p->example, p->err));
	p->example->name = head.name;
	p->example->proc = head.proc;
	p->example->frequency = head.frequency;
	p->input = (sheaf_lens_side){.name = "inputs", .is_input = true, .seen = true};
	p->target = (sheaf_lens_side){.name = "targets", .seen = true};
	return SHEAF_OK;
}

/* After I: and the like, at `word`. B: gives the same list to both sides; its sparse ranges get the active
 * value of the inputs. Without values or units, the event's turn passes. */
static sheaf_status read_io(sheaf_lens_parsing *p, const uint8_t *word)
{
	char found[sizeof "nothing after i:"];
	uint8_t letter = *word | 0x20;
	bool inputs = letter != 't', targets = letter != 'i';
	int32_t input_owner = -1, target_owner = -1, list;
	if (inputs) SHEAF_TRY(sheaf_lens_take_turn(p, &p->input, word, &input_owner));
	if (targets) SHEAF_TRY(sheaf_lens_take_turn(p, &p->target, word, &target_owner));
	float active = sheaf_lens_active(p->set, p->example, inputs ? input_owner : target_owner, inputs);
	SHEAF_TRY(sheaf_lens_read_ranges(p, *word == letter, active, &list));
	if (list < 0) {
		snprintf(found, sizeof found, "nothing after %c:", *word);
		SHEAF_TRY(sheaf_lens_report(p, word,
		                            SHEAF_FINDING(SHEAF_NOTE, "turn without units", "values or units", found,
		                                          "an event's turn passes without values")));
	}
	if (inputs) SHEAF_TRY(sheaf_lens_give(p, &p->input, word, input_owner, list));
	return targets ? sheaf_lens_give(p, &p->target, word, target_owner, list) : SHEAF_OK;
}

static sheaf_status read_example(sheaf_lens_parsing *p)
{
	SHEAF_TRY(read_example_header(p));
	while (sheaf_lens_pass_blank(p)) {
		const uint8_t *word = p->at;
		uint8_t letter = *word | 0x20;
		bool is_io = letter == 'i' || letter == 't' || letter == 'b';
		if (is_io && p->end - word >= 2 && word[1] == ':') {
			p->at += 2;
			SHEAF_TRY(read_io(p, word));
		} else if (sheaf_lens_follows(p, ";")) {
			return SHEAF_OK;
		} else if (sheaf_lens_follows(p, "[")) {
			SHEAF_TRY(sheaf_lens_read_events(p));
		} else {
			break;
		}
	}
	return sheaf_lens_flaw_text(p, "missing semicolon", p->at,
	                            "'[', inputs, targets, or the ';' that ends the example");
}

const sheaf_lens_way sheaf_lens_text_way = {
	.show_header = sheaf_lens_text_show_header,
	.read_header = sheaf_lens_text_read_header,
	.start = sheaf_lens_text_start,
	.find_end = sheaf_lens_text_end,
	.has_more = sheaf_lens_pass_blank,
	.read_example = read_example,
};
