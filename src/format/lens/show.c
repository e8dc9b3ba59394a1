/* SPDX-License-Identifier: MIT */
/* Examples for people and programs: in the text spelling, and as JSON with everything in the model. */
#include "format/lens/dataset.h"
#include "frame/print.h"
#include "io/source.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>

/* ---- JSON ---- */

static void put_string(sheaf_builder *b, const char *text)
{
	if (text)
		sheaf_json_string(b, text, strlen(text));
	else
		sheaf_builder_text(b, "null");
}

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
	sheaf_builder_text(b, "\"proc\":");
	put_string(b, proc);
	for (int f = 0; f < SHEAF_LENS_FIELDS; f++) {
		sheaf_builder_printf(b, ",\"%s\":", names[f]);
		if (inherits && f <= SHEAF_LENS_GRACE && isnan(fields[f]))
			sheaf_builder_text(b, "null");
		else
			put_real(b, fields[f]);
	}
}

static void put_list_number(sheaf_builder *b, const char *name, int32_t list)
{
	if (list < 0)
		sheaf_builder_printf(b, ",\"%s\":null", name);
	else
		sheaf_builder_printf(b, ",\"%s\":%" PRId32, name, list);
}

static void put_event(sheaf_builder *b, const sheaf_lens_set *set, const sheaf_lens_example *example,
                      int32_t number)
{
	const sheaf_lens_event *event = sheaf_lens_event_at(set, example, number);
	const sheaf_lens_traits *traits = sheaf_lens_event_traits(set, example, event);
	sheaf_builder_text(b, number ? ",{" : "{");
	put_fields(b, sheaf_lens_string(set, traits->proc), traits->fields, true);
	put_list_number(b, "inputs", event->input);
	put_list_number(b, "targets", event->target);
	sheaf_builder_byte(b, '}');
}

static void put_values(sheaf_builder *b, const sheaf_lens_set *set, const sheaf_lens_range *range)
{
	const float *values = sheaf_lens_values_of(set, range);
	sheaf_builder_text(b, ",\"dense\":[");
	for (int32_t k = 0; k < range->count && !b->failed; k++) {
		if (k) sheaf_builder_byte(b, ',');
		put_real(b, values[k]);
	}
	sheaf_builder_printf(b, "],\"first\":%" PRId32 "}", range->first);
}

static void put_units(sheaf_builder *b, const sheaf_lens_set *set, const sheaf_lens_range *range)
{
	const int32_t *units = sheaf_lens_units_of(set, range);
	bool all = range->count && units[0] < 0;
	sheaf_builder_text(b, all ? ",\"sparse\":\"*\"" : ",\"sparse\":[");
	for (int32_t k = 0; k < range->count && !all && !b->failed; k++) {
		if (k) sheaf_builder_byte(b, ',');
		bool span = k + 1 < range->count && units[k] >= 0 && units[k + 1] < 0;
		if (span)
			sheaf_builder_printf(b, "[%" PRId32 ",%" PRId64 "]", units[k], -(int64_t)units[k + 1]);
		else
			sheaf_builder_printf(b, "%" PRId32, units[k]);
		k += span;
	}
	sheaf_builder_text(b, all ? ",\"value\":" : "],\"value\":");
	put_real(b, range->value);
	sheaf_builder_byte(b, '}');
}

static void put_list(sheaf_builder *b, const sheaf_lens_set *set, const sheaf_lens_example *example,
                     int32_t list)
{
	int32_t count;
	const sheaf_lens_range *ranges = sheaf_lens_ranges_of(set, example, list, &count);
	sheaf_builder_text(b, list ? ",[" : "[");
	for (int32_t r = 0; r < count; r++) {
		const sheaf_name *group = ranges[r].group < 0 ? NULL : &set->groups.names[ranges[r].group];
		sheaf_builder_text(b, r ? ",{\"group\":" : "{\"group\":");
		if (group)
			sheaf_json_string(b, group->text, group->size);
		else
			sheaf_builder_text(b, "null");
		(ranges[r].sparse ? put_units : put_values)(b, set, &ranges[r]);
	}
	sheaf_builder_byte(b, ']');
}

static void put_example(sheaf_builder *b, const sheaf_lens_set *set, const sheaf_lens_example *example,
                        int64_t number)
{
	sheaf_builder_printf(b, "{\"example\":%" PRId64 ",\"name\":", number);
	put_string(b, sheaf_lens_string(set, example->name));
	sheaf_builder_text(b, ",\"proc\":");
	put_string(b, sheaf_lens_string(set, example->proc));
	sheaf_builder_text(b, ",\"freq\":");
	put_real(b, example->frequency);
	sheaf_builder_text(b, ",\"events\":[");
	for (int32_t e = 0; e < example->nevents; e++) put_event(b, set, example, e);
	sheaf_builder_text(b, "],\"lists\":[");
	for (int32_t l = 0; l < example->nlists; l++) put_list(b, set, example, l);
	sheaf_builder_text(b, "]}\n");
}

/* ---- rows ---- */

static sheaf_status show_examples(sheaf_lens_writing *writing, bool json, const sheaf_lens_set *set,
                                  int64_t before, sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_column_builder *rows = &to->columns[0], *names = &to->columns[1];
	for (int64_t x = 0; x < sheaf_lens_count(set) && !rows->values.failed; x++) {
		const sheaf_lens_example *example = sheaf_lens_example_at(set, x);
		if (json)
			put_example(&rows->values, set, example, before + x);
		else
			SHEAF_TRY(
				sheaf_lens_text_spelling.put_example(writing, set, example, before + x, &rows->values, err));
		sheaf_level_end(&rows->levels[0], (int64_t)rows->values.size);
		sheaf_column_put_text_or_none(names, sheaf_lens_string(set, example->name));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_lens_show(const sheaf_lens_dataset *in, const sheaf_piece *piece,
                             const sheaf_lens_set *set, sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_lens_writing writing;
	int64_t before;
	sheaf_lens_piece_examples(piece, &before);
	if (before < 0) before = 0;
	sheaf_lens_writing_begin(&writing, sheaf_source_name(in->source), to->cx);
	sheaf_status status = show_examples(&writing, in->how.view == SHEAF_VIEW_JSON, set, before, to, err);
	sheaf_lens_writing_end(&writing);
	return status;
}

sheaf_status sheaf_lens_show_heading(sheaf_lens_dataset *in, sheaf_error *err)
{
	sheaf_lens_writing w;
	sheaf_builder b;
	sheaf_status status = SHEAF_OK;
	const sheaf_lens_header *header = sheaf_lens_header_of(in->first);
	sheaf_builder_begin(&b, in->cx, NULL);
	if (in->how.view == SHEAF_VIEW_JSON) {
		sheaf_builder_text(&b, "{\"set\":{");
		put_fields(&b, header->proc, header->fields, false);
		sheaf_builder_text(&b, "}}\n");
	} else {
		sheaf_lens_writing_begin(&w, sheaf_source_name(in->source), in->cx);
		status = sheaf_lens_text_spelling.put_header(&w, header, -1, &b, err);
		sheaf_lens_writing_end(&w);
	}
	sheaf_builder_byte(&b, '\0');
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, &in->heading, err);
	sheaf_builder_drop(&b);
	return status;
}

/* ---- facts about a file ---- */

sheaf_status sheaf_lens_describe(const void *dataset, sheaf_source *source, const sheaf_listing *to,
                                 sheaf_error *err)
{
	const sheaf_lens_dataset *in = (const sheaf_lens_dataset *)dataset;
	const sheaf_lens_survey *s = &in->survey;
	(void)source, (void)err;
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
