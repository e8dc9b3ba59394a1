/* SPDX-License-Identifier: MIT */
/* Examples in text: their headers, and the order in which events get inputs and targets. */
#include "base/context.h"
#include "format/lens/filling.h"
#include "format/lens/text.h"
#include <stdio.h>

/* ---- header ---- */

static sheaf_status read_frequency(sheaf_lens_parsing *p, float *out)
{
	bool is_real;
	SHEAF_TRY(sheaf_lens_read_real(p, out, &is_real));
	return is_real ? SHEAF_OK : sheaf_lens_flaw_here(p, "example frequency", "the frequency of an example");
}

static sheaf_status read_count(sheaf_lens_parsing *p, const uint8_t *example, int32_t *out)
{
	char found[SHEAF_SHOWN_SIZE];
	const uint8_t *at = p->at;
	sheaf_lens_integer kind = sheaf_lens_scan_integer(&p->at, p->end, out);
	if (kind == SHEAF_LENS_INTEGER && *out > 0)
		return sheaf_lens_check_events(&p->teller, (sheaf_bytes){example, (size_t)(p->end - example)}, at,
		                               *out);
	return sheaf_lens_flaw(&p->teller, "number of events", at, "a number of events from 1 to 2147483647",
	                       sheaf_show(at, p->end, ';', found));
}

static sheaf_status read_example_header(sheaf_lens_parsing *p)
{
	sheaf_lens_example head = {
		.name = SHEAF_LENS_ABSENT, .proc = SHEAF_LENS_ABSENT, .frequency = 1, .nevents = 1};
	const uint8_t *begin = p->at;
	while (sheaf_lens_pass_blank(p)) {
		if (sheaf_lens_follows(p, "name:"))
			SHEAF_TRY(sheaf_lens_read_text(p, "example name", "the name of an example", &head.name));
		else if (sheaf_lens_follows(p, "freq:"))
			SHEAF_TRY(read_frequency(p, &head.frequency));
		else if (sheaf_lens_follows(p, "proc:"))
			SHEAF_TRY(sheaf_lens_read_text(p, "example proc", "the proc of an example", &head.proc));
		else if (sheaf_lens_is(*p->at, LENS_DIGIT))
			SHEAF_TRY(read_count(p, begin, &head.nevents));
		else
			break;
	}
	SHEAF_TRY(sheaf_lens_begin_example(p->set, head.nevents, &p->example, p->teller.err));
	p->example->name = head.name;
	p->example->proc = head.proc;
	p->example->frequency = head.frequency;
	p->input.seen = p->target.seen = true;
	p->input.next = p->target.next = 0;
	return SHEAF_OK;
}

/* ---- inputs and targets ---- */

static float active_of(const sheaf_lens_parsing *p, int32_t event, bool is_input)
{
	const sheaf_lens_event *e = sheaf_lens_event_at(p->set, p->example, event);
	return sheaf_lens_event_traits(p->set, p->example, e)
	    ->fields[is_input ? SHEAF_LENS_ACT_I : SHEAF_LENS_ACT_T];
}

static sheaf_status tell_bare(sheaf_lens_parsing *p, const uint8_t *word)
{
	char found[sizeof "nothing after i:"];
	snprintf(found, sizeof found, "nothing after %c:", *word);
	return sheaf_lens_report(&p->teller, word,
	                         SHEAF_FINDING(SHEAF_NOTE, "turn without units", "values or units", found,
	                                       "an event's turn passes without values"));
}

/* B: gives the same list to both sides; its sparse ranges get the active value of the inputs. */
static sheaf_status read_io(sheaf_lens_parsing *p)
{
	const uint8_t *word = p->at;
	uint8_t letter = *word | 0x20;
	bool inputs = letter != 't', targets = letter != 'i';
	int32_t input_owner = -1, target_owner = -1, list;
	p->at += 2;
	if (inputs) SHEAF_TRY(sheaf_lens_take_turn(p, &p->input, word, &input_owner));
	if (targets) SHEAF_TRY(sheaf_lens_take_turn(p, &p->target, word, &target_owner));
	float active = active_of(p, inputs ? input_owner : target_owner, inputs);
	SHEAF_TRY(sheaf_lens_read_ranges(p, *word == letter, active, &list));
	if (list < 0) SHEAF_TRY(tell_bare(p, word));
	if (inputs) SHEAF_TRY(sheaf_lens_give(p, &p->input, word, input_owner, list));
	return targets ? sheaf_lens_give(p, &p->target, word, target_owner, list) : SHEAF_OK;
}

static bool announces_io(const sheaf_lens_parsing *p)
{
	if (p->end - p->at < 2 || p->at[1] != ':') return false;
	uint8_t letter = *p->at | 0x20;
	return letter == 'i' || letter == 't' || letter == 'b';
}

static sheaf_status read_example(sheaf_lens_parsing *p)
{
	SHEAF_TRY(read_example_header(p));
	while (sheaf_lens_pass_blank(p)) {
		if (announces_io(p))
			SHEAF_TRY(read_io(p));
		else if (sheaf_lens_follows(p, ";"))
			return SHEAF_OK;
		else if (sheaf_lens_follows(p, "["))
			SHEAF_TRY(sheaf_lens_read_events(p));
		else
			break;
	}
	return sheaf_lens_flaw_here(p, "missing semicolon",
	                            "'[', inputs, targets, or the ';' that ends the example");
}

/* ---- pieces ---- */

/* An example without its errors, or none; the next one begins after the ';' in either case. */
static sheaf_status add_example(sheaf_lens_parsing *p, sheaf_lens_scan *scan)
{
	sheaf_lens_mark mark;
	const uint8_t *from = p->at;
	sheaf_lens_set_mark(p->set, &mark);
	p->teller.flawed = false;
	sheaf_status status = read_example(p);
	if (status == SHEAF_OK) {
		p->example->byte = p->teller.byte + (from - p->begin);
		sheaf_lens_end_example(p->set);
		return sheaf_lens_set_status(p->set, p->teller.err);
	}
	sheaf_lens_set_back(p->set, &mark);
	if (!p->teller.flawed) return status;
	sheaf_lens_text_start(scan, false);
	scan->last = true;
	p->at = sheaf_lens_text_end(scan, from, (size_t)(p->end - from)) ? from + scan->at : p->end;
	return SHEAF_OK;
}

sheaf_status sheaf_lens_text_parse(const sheaf_lens_reader *in, const sheaf_piece *piece, sheaf_lens_set *set,
                                   sheaf_context *cx, sheaf_error *err)
{
	int64_t before;
	sheaf_lens_scan scan = {0};
	sheaf_lens_parsing p = {.teller = sheaf_lens_teller_of(in, piece, cx, err),
	                        .line_start = piece->column == 1,
	                        .kernel = sheaf_kernel_chosen(),
	                        .set = set};
	p.begin = p.at = piece->bytes.data;
	p.end = p.begin + piece->bytes.size;
	p.input = (sheaf_lens_side){.name = "inputs", .is_input = true};
	p.target = (sheaf_lens_side){.name = "targets"};
	sheaf_builder_begin(&p.string, cx, NULL);
	sheaf_builder_begin(&p.active, cx, NULL);
	sheaf_lens_set_expect(set, sheaf_lens_piece_examples(piece, &before), piece->size);
	sheaf_status status = sheaf_lens_set_status(set, err);
	while (status == SHEAF_OK && sheaf_lens_pass_blank(&p)) {
		status = sheaf_check_stop(cx, err);
		if (status == SHEAF_OK) status = add_example(&p, &scan);
	}
	sheaf_builder_drop(&p.string);
	sheaf_builder_drop(&p.active);
	return status;
}

static bool is_nothing(sheaf_bytes rest, bool line_start)
{
	sheaf_lens_parsing p = {
		.begin = rest.data, .at = rest.data, .end = rest.data + rest.size, .line_start = line_start};
	return !sheaf_lens_pass_blank(&p);
}

const sheaf_lens_way sheaf_lens_text_way = {
	.begin = sheaf_lens_text_begin,
	.start = sheaf_lens_text_start,
	.find_end = sheaf_lens_text_end,
	.is_nothing = is_nothing,
	.parse = sheaf_lens_text_parse,
};
