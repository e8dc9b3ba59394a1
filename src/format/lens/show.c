/* SPDX-License-Identifier: MIT */
/* Examples for people and programs: in the text spelling, and as JSON with everything in the model. */
#include "format/lens/dataset.h"
#include "frame/print.h"
#include "io/source.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>

/* ---- JSON ---- */

/* As text has it, so that it is the same float32; NaN and the infinities as strings. */
static void put_real(sheaf_builder *b, float v)
{
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX + 2)) return;
	char *at = (char *)b->data + b->size;
	if (!isfinite(v)) *at++ = '"';
	at = sheaf_print_f32(at, v);
	if (!isfinite(v)) *at++ = '"';
	b->size = (size_t)(at - (char *)b->data);
}

/* `inherits`: a time that is NaN is the set's. */
static void put_fields(sheaf_builder *b, const char *proc, const float fields[SHEAF_LENS_FIELDS],
                       bool inherits)
{
	static const char *const names[SHEAF_LENS_FIELDS] = {"max",  "min",  "grace", "defI",
	                                                     "actI", "defT", "actT"};
	sheaf_member_text(b, "proc", proc);
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++) {
		sheaf_member(b, names[f]);
		if (inherits && f <= SHEAF_LENS_GRACE && isnan(fields[f]))
			sheaf_builder_text(b, "null");
		else
			put_real(b, fields[f]);
	}
}

static void put_list_number(sheaf_builder *b, const char *name, int32_t list)
{
	if (list < 0)
		sheaf_member_text(b, name, NULL);
	else
		sheaf_member_count(b, name, list);
}

static void put_values(sheaf_builder *b, const sheaf_lens_set *set, const sheaf_lens_range *range)
{
	const float *values = sheaf_lens_values_of(set, range);
	sheaf_member_open(b, "dense", '[');
	for (int32_t k = 0; k < range->count && !b->failed; k++) {
		if (k) sheaf_builder_byte(b, ',');
		put_real(b, values[k]);
	}
	sheaf_builder_byte(b, ']');
	sheaf_member_count(b, "first", range->first);
}

/* A span is a list of its first and its last unit. */
static void put_units(sheaf_builder *b, const sheaf_lens_set *set, const sheaf_lens_range *range)
{
	const int32_t *units = sheaf_lens_units_of(set, range);
	if (range->count && units[0] < 0) {
		sheaf_member_text(b, "sparse", "*");
	} else {
		sheaf_member_open(b, "sparse", '[');
		for (int32_t k = 0; k < range->count && !b->failed; k++) {
			bool span = k + 1 < range->count && units[k] >= 0 && units[k + 1] < 0;
			if (k) sheaf_builder_byte(b, ',');
			if (span)
				sheaf_builder_printf(b, "[%" PRId32 ",%" PRId64 "]", units[k], -(int64_t)units[k + 1]);
			else
				sheaf_builder_printf(b, "%" PRId32, units[k]);
			k += span;
		}
		sheaf_builder_byte(b, ']');
	}
	sheaf_member(b, "value");
	put_real(b, range->value);
}

/* Events name their lists by numbers, so that lists that events share are shown once. */
static void put_example(sheaf_builder *b, const sheaf_lens_set *set, const sheaf_lens_example *example,
                        int64_t number)
{
	int32_t count;
	sheaf_builder_byte(b, '{');
	sheaf_member_count(b, "example", number);
	sheaf_member_text(b, "name", sheaf_lens_string(set, example->name));
	sheaf_member_text(b, "proc", sheaf_lens_string(set, example->proc));
	sheaf_member(b, "freq");
	put_real(b, example->frequency);
	sheaf_member_open(b, "events", '[');
	for (int32_t e = 0; e < example->nevents; e++) {
		const sheaf_lens_event *event = sheaf_lens_event_at(set, example, e);
		const sheaf_lens_traits *traits = sheaf_lens_event_traits(set, example, event);
		sheaf_member_open(b, NULL, '{');
		put_fields(b, sheaf_lens_string(set, traits->proc), traits->fields, true);
		put_list_number(b, "inputs", event->input);
		put_list_number(b, "targets", event->target);
		sheaf_builder_byte(b, '}');
	}
	sheaf_builder_byte(b, ']');
	sheaf_member_open(b, "lists", '[');
	for (int32_t l = 0; l < example->nlists; l++) {
		const sheaf_lens_range *ranges = sheaf_lens_ranges_of(set, example, l, &count);
		sheaf_member_open(b, NULL, '[');
		for (int32_t r = 0; r < count; r++) {
			sheaf_member_open(b, NULL, '{');
			sheaf_member_text(b, "group", sheaf_lens_group_name(set, &ranges[r]));
			(ranges[r].sparse ? put_units : put_values)(b, set, &ranges[r]);
			sheaf_builder_byte(b, '}');
		}
		sheaf_builder_byte(b, ']');
	}
	sheaf_builder_text(b, "]}\n");
}

/* ---- rows ---- */

/* Each row is the text of an example, and has its name, by which rows are selected. */
sheaf_status sheaf_lens_show(const sheaf_lens_dataset *in, const sheaf_piece *piece,
                             const sheaf_lens_set *set, sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_lens_writing w;
	int64_t before;
	sheaf_status status = SHEAF_OK;
	sheaf_column_builder *rows = &to->columns[0], *names = &to->columns[1];
	sheaf_lens_piece_examples(piece, &before);
	if (before < 0) before = 0;
	sheaf_lens_writing_begin(&w, sheaf_source_name(in->source), to->cx);
	for (int64_t x = 0; x < sheaf_lens_count(set) && !rows->values.failed && status == SHEAF_OK; x++) {
		const sheaf_lens_example *example = sheaf_lens_example_at(set, x);
		if (in->how.view == SHEAF_VIEW_JSON)
			put_example(&rows->values, set, example, before + x);
		else
			status = sheaf_lens_text_spelling.put_example(&w, set, example, before + x, &rows->values, err);
		sheaf_level_end(&rows->levels[0], (int64_t)rows->values.size);
		sheaf_column_put_text_or_none(names, sheaf_lens_string(set, example->name));
	}
	sheaf_lens_writing_end(&w);
	return status;
}

sheaf_status sheaf_lens_show_heading(sheaf_lens_dataset *in, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_status status = SHEAF_OK;
	const sheaf_lens_header *header = sheaf_lens_header_of(in->first);
	sheaf_lens_writing w = {.cx = in->cx, .file = sheaf_source_name(in->source)};
	sheaf_builder_begin(&b, in->cx, NULL);
	if (in->how.view == SHEAF_VIEW_JSON) {
		sheaf_builder_text(&b, "{\"set\":{");
		put_fields(&b, header->proc, header->fields, false);
		sheaf_builder_text(&b, "}}\n");
	} else {
		status = sheaf_lens_text_spelling.put_header(&w, header, -1, &b, err);
	}
	sheaf_builder_byte(&b, '\0');
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, &in->heading, err);
	sheaf_builder_drop(&b);
	return status;
}

/* ---- facts about a file ---- */

sheaf_status sheaf_lens_describe(const void *dataset, const sheaf_listing *to, sheaf_error *err)
{
	const sheaf_lens_dataset *in = (const sheaf_lens_dataset *)dataset;
	const sheaf_lens_survey *s = &in->survey;
	(void)err;
	if (!s->made) return SHEAF_OK;
	sheaf_listing_count(to, "examples", s->complete ? "examples: %\n" : "examples in its first part: %\n",
	                    s->examples);
	sheaf_listing_count(to, "events", s->complete ? "events: %\n" : "events in its first part: %\n",
	                    s->events);
	sheaf_listing_flag(to, "complete", NULL, s->complete);
	sheaf_listing_count(to, "procs", s->complete ? "procs: %\n" : "procs in its first part: %\n", s->procs);
	sheaf_listing_open(to, "first_lines", "", '[');
	for (int k = 0; k < SHEAF_LENS_SHOWN_PROCS && s->lines[k]; k++) {
		/* Control bytes of a proc could affect a terminal: lines show them as JSON does, too. */
		if (to->json)
			sheaf_member(to->b, NULL);
		else
			sheaf_builder_text(to->b, "  ");
		sheaf_json_string(to->b, s->lines[k], strlen(s->lines[k]));
		if (!to->json) sheaf_builder_byte(to->b, '\n');
	}
	sheaf_listing_close(to, "", ']');
	return SHEAF_OK;
}
