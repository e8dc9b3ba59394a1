/* SPDX-License-Identifier: MIT */
/* Examples into columns: what a network would see at each event. Every unit of a side gets the event's
 * default, then the ranges are applied in their order, so that later ones override earlier ones. */
#include "base/context.h"
#include "base/findings.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/status.h"
#include "format/lens/dataset.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct filling {
	const sheaf_lens_dataset *in;
	const sheaf_piece *piece;
	const sheaf_lens_set *set;
	sheaf_context *cx;
	sheaf_error *err;
	const sheaf_lens_example *example;
	int64_t number;          /* of the example */
	int64_t left;            /* the number of units to which it may still give a value */
	sheaf_lens_cells *cells; /* of each stream */
	int *stream_of;          /* 2 for each group of the set, preceded by 2 for the whole network */
	int only[2];             /* the only stream of each side, or -1 if there are several */
	sheaf_frame_builder *to;
	sheaf_column_builder *columns; /* SHEAF_LENS_COLUMNS of them */
	sheaf_builder *ends;           /* int64_t: where the events of each example end, for all columns */
	int64_t events;                /* so far */
	int64_t done;                  /* complete examples */
} filling;

/* ---- errors in ranges ---- */

static sheaf_status report(const filling *f, sheaf_severity severity, const char *rule, const char *expected,
                           const char *found, const char *consequence)
{
	sheaf_problem problem = {
		severity, SHEAF_DATA, rule,       sheaf_lens_place(f->in->first, f->piece, f->example->byte),
		expected, found,      consequence};
	problem.place.row = f->number;
	return sheaf_report(f->cx, &problem, f->err);
}

static sheaf_status report_units(const filling *f, int64_t from, int64_t to, int64_t width)
{
	char expected[64], found[64];
	snprintf(expected, sizeof expected, "units from 0 to %" PRId64, width - 1);
	snprintf(found, sizeof found, "%" PRId64 " to %" PRId64, from, to - 1);
	return report(f, SHEAF_ERROR, "unit out of range", expected, found, "they are left out");
}

static sheaf_status report_group(const filling *f, const sheaf_name *group, bool target)
{
	char found[128];
	snprintf(found, sizeof found, "\"%.*s\"", group->size < 80 ? (int)group->size : 80, group->text);
	return report(f, SHEAF_WARNING, "unknown group",
	              target ? "an output group of the network" : "an input group of the network", found,
	              "the range is left out");
}

/* ---- ranges ---- */

/* Where the units of a range are: in one stream, or, if it covers the whole network, in all of a side. */
typedef struct scope {
	int stream; /* -1: all of the side */
	bool target;
	int64_t width;
} scope;

static void set_units(const filling *f, const scope *s, int64_t from, int64_t to, const float *values,
                      float value)
{
	if (s->stream >= 0) {
		sheaf_lens_cells_set(&f->cells[s->stream], from, to, values, value);
		f->cells[s->stream].said = true;
		return;
	}
	for (int k = 0; k < sheaf_lens_streams_count(&f->in->streams); k++) {
		const sheaf_lens_stream *stream = sheaf_lens_stream_at(&f->in->streams, k);
		int64_t begin = from > stream->before ? from : stream->before, end = stream->before + stream->width;
		if (to < end) end = to;
		if (stream->target != s->target || begin >= end) continue;
		sheaf_lens_cells_set(&f->cells[k], begin - stream->before, end - stream->before,
		                     values ? values + (begin - from) : NULL, value);
		f->cells[k].said = true;
	}
}

/* See SHEAF_LENS_USUAL_UNITS. */
static sheaf_status spend(filling *f, int64_t units, bool *ok)
{
	char expected[176], found[64];
	*ok = units <= f->left;
	if (*ok) f->left -= units;
	if (*ok) return SHEAF_OK;
	snprintf(expected, sizeof expected,
	         "at most %d units in all events of an example, and %d more for each of its bytes (" SHEAF_OPTION(
				 "group") " says how large the network is, and allows more)",
	         SHEAF_LENS_USUAL_UNITS, SHEAF_LENS_UNITS_OF_A_BYTE);
	snprintf(found, sizeof found, "%" PRId64 " when only %" PRId64 " are left", units, f->left);
	return report(f, SHEAF_ERROR, "many units", expected, found, "they are left out");
}

static sheaf_status apply_dense(filling *f, const scope *s, const sheaf_lens_range *range)
{
	int64_t from = range->first, to = from + range->count;
	const float *values = sheaf_lens_values_of(f->set, range);
	if (range->count == 0) return SHEAF_OK;
	if (from < 0 || to > s->width) SHEAF_TRY(report_units(f, from, to, s->width));
	int64_t begin = from < 0 ? 0 : from, end = to > s->width ? s->width : to;
	bool ok = false;
	if (begin < end) SHEAF_TRY(spend(f, end - begin, &ok));
	if (ok) set_units(f, s, begin, end, values + (begin - from), 0);
	return SHEAF_OK;
}

static sheaf_status apply_span(filling *f, const scope *s, int64_t from, int64_t to, float value)
{
	if (to > s->width) SHEAF_TRY(report_units(f, from, to, s->width));
	if (to > s->width) to = s->width;
	bool ok = false;
	if (from < to) SHEAF_TRY(spend(f, to - from, &ok));
	if (ok) set_units(f, s, from, to, NULL, value);
	return SHEAF_OK;
}

/* How many units, from the first on, begin no span, have a place, and are within the limit. */
static int32_t count_single(const filling *f, const scope *s, const int32_t *units, int32_t count)
{
	int32_t n = 0;
	while (n < count && n < f->left && units[n] >= 0 && units[n] < s->width) n++;
	return n && n < count && units[n] < 0 ? n - 1 : n;
}

/* Most lists have single units of one stream. */
static int32_t apply_single(filling *f, const scope *s, const int32_t *units, int32_t count, float value)
{
	int32_t n = s->stream < 0 ? 0 : count_single(f, s, units, count);
	if (n == 0) return 0;
	f->left -= n;
	sheaf_lens_cells_set_units(&f->cells[s->stream], units, n, value);
	f->cells[s->stream].said = true;
	return n;
}

/* A list that begins with the end of a span means all units. */
static sheaf_status apply_sparse(filling *f, const scope *s, const sheaf_lens_range *range)
{
	const int32_t *units = sheaf_lens_units_of(f->set, range);
	if (range->count && units[0] < 0) return apply_span(f, s, 0, s->width, range->value);
	for (int32_t k = 0; k < range->count; k++) {
		k += apply_single(f, s, units + k, range->count - k, range->value);
		if (k == range->count) break;
		int64_t from = units[k],
				last = k + 1 < range->count && units[k + 1] < 0 ? -(int64_t)units[++k] : from;
		if (from < 0 || last < from) {
			char found[64];
			snprintf(found, sizeof found, "%" PRId64 " to %" PRId64, from, last);
			SHEAF_TRY(report(f, SHEAF_ERROR, "unit span", "a unit, or a first and a last one", found,
			                 "the span is left out"));
			continue;
		}
		SHEAF_TRY(apply_span(f, s, from, last + 1, range->value));
	}
	return SHEAF_OK;
}

static sheaf_status apply_range(filling *f, const sheaf_lens_range *range, bool target)
{
	bool whole = range->group < 0 && f->in->streams.given;
	scope s = {whole ? f->only[target] : f->stream_of[(range->group + 1) * 2 + target], target, 0};
	/* A group that the network does not have on this side is skipped, as in Lens. */
	if (!whole && s.stream < 0)
		return f->in->streams.given ? report_group(f, &f->set->groups.names[range->group], target) : SHEAF_OK;
	s.width = whole ? sheaf_lens_side_width(&f->in->streams, target)
	                : sheaf_lens_stream_at(&f->in->streams, s.stream)->width;
	return range->sparse ? apply_sparse(f, &s, range) : apply_dense(f, &s, range);
}

/* ---- events ---- */

static sheaf_status fill_side(filling *f, int32_t list, bool target, float usual)
{
	int32_t count;
	const sheaf_lens_range *ranges = sheaf_lens_ranges_of(f->set, f->example, list, &count);
	for (int s = 0; s < sheaf_lens_streams_count(&f->in->streams); s++) {
		const sheaf_lens_stream *stream = sheaf_lens_stream_at(&f->in->streams, s);
		bool names_all = stream->sparse && (usual != 0 || signbit(usual)), ok = true;
		if (stream->target != target) continue;
		if (names_all) SHEAF_TRY(spend(f, stream->width, &ok));
		sheaf_lens_cells_start(&f->cells[s], ok ? usual : 0, list >= 0);
	}
	for (int32_t r = 0; r < count; r++) SHEAF_TRY(apply_range(f, &ranges[r], target));
	return SHEAF_OK;
}

/* An event: its times, of which those to be inherited are those of the set, its proc, and the values of both
 * sides. */
static sheaf_status fill_event(filling *f, const sheaf_lens_event *event)
{
	static const sheaf_lens_field fields[3] = {SHEAF_LENS_MAX, SHEAF_LENS_MIN, SHEAF_LENS_GRACE};
	const sheaf_lens_traits *traits = sheaf_lens_event_traits(f->set, f->example, event);
	for (int k = 0; k < 3; k++) {
		float own = traits->fields[fields[k]], time = isnan(own) ? f->set->header->fields[fields[k]] : own;
		sheaf_builder_append(&f->columns[SHEAF_LENS_EVENT_MAX + k].values, &time, sizeof time);
	}
	sheaf_column_put_text_or_none(&f->columns[SHEAF_LENS_EVENT_PROC],
	                              sheaf_lens_string(f->set, traits->proc));
	f->events++;
	SHEAF_TRY(fill_side(f, event->input, false, traits->fields[SHEAF_LENS_DEF_I]));
	return fill_side(f, event->target, true, traits->fields[SHEAF_LENS_DEF_T]);
}

/* A row: what examples have, and its events. */
static sheaf_status fill_example(filling *f)
{
	const sheaf_lens_example *example = f->example;
	sheaf_column_put_text_or_none(&f->columns[SHEAF_LENS_NAME], sheaf_lens_string(f->set, example->name));
	sheaf_column_put_text_or_none(&f->columns[SHEAF_LENS_PROC], sheaf_lens_string(f->set, example->proc));
	sheaf_builder_append(&f->columns[SHEAF_LENS_FREQUENCY].values, &example->frequency,
	                     sizeof example->frequency);
	for (int32_t e = 0; e < example->nevents; e++)
		SHEAF_TRY(fill_event(f, sheaf_lens_event_at(f->set, example, e)));
	sheaf_builder_i64(f->ends, f->events);
	return SHEAF_OK;
}

/* Each example may name as many units as its bytes allow, so that a short input does not become a large
 * frame; declared groups say how large the network is, and set no limit. */
static sheaf_status fill_examples(filling *f)
{
	int64_t before;
	sheaf_lens_piece_examples(f->piece, &before);
	for (int64_t x = 0; x < sheaf_lens_count(f->set); x++) {
		f->example = sheaf_lens_example_at(f->set, x);
		bool last = x + 1 == sheaf_lens_count(f->set);
		int64_t end =
			last ? f->piece->byte + (int64_t)f->piece->size : sheaf_lens_example_at(f->set, x + 1)->byte;
		f->number = before < 0 ? -1 : before + x;
		f->left = f->in->streams.given
		              ? INT64_MAX
		              : SHEAF_LENS_USUAL_UNITS + SHEAF_LENS_UNITS_OF_A_BYTE * (end - f->example->byte);
		f->done = x;
		SHEAF_TRY(fill_example(f));
	}
	f->done = sheaf_lens_count(f->set);
	return SHEAF_OK;
}

/* ---- beginning and end ---- */

static size_t cells_size(const filling *f)
{
	return (size_t)sheaf_lens_streams_count(&f->in->streams) * sizeof *f->cells;
}

static size_t map_size(const filling *f)
{
	return ((size_t)f->set->groups.count + 1) * 2 * sizeof *f->stream_of;
}

/* Finds the stream of each group of the set on each side once, and of those without a name. */
static sheaf_status map_groups(filling *f)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate(f->cx, map_size(f), &memory, f->err));
	f->stream_of = (int *)memory;
	for (int g = -1; g < f->set->groups.count; g++)
		for (int side = 0; side < 2; side++) {
			sheaf_name name = g < 0 ? (sheaf_name){"", 0} : f->set->groups.names[g];
			f->stream_of[(g + 1) * 2 + side] = sheaf_lens_stream_of(&f->in->streams, name, side);
		}
	return SHEAF_OK;
}

/* On a side of one stream, units of the whole network are those of the stream. */
static void find_only_streams(filling *f)
{
	int count[2] = {0};
	for (int s = 0; s < sheaf_lens_streams_count(&f->in->streams); s++) {
		bool target = sheaf_lens_stream_at(&f->in->streams, s)->target;
		count[target]++;
		f->only[target] = s;
	}
	for (int side = 0; side < 2; side++)
		if (count[side] != 1) f->only[side] = -1;
}

static sheaf_status begin(filling *f)
{
	void *memory;
	int streams = sheaf_lens_streams_count(&f->in->streams);
	int64_t events = (int64_t)(f->set->events.size / sizeof(sheaf_lens_event));
	f->columns = f->to->columns + streams;
	f->ends = &f->to->columns[f->to->schema->nfields - 1].levels[0].offsets;
	SHEAF_TRY(map_groups(f));
	find_only_streams(f);
	SHEAF_TRY(sheaf_allocate(f->cx, cells_size(f), &memory, f->err));
	f->cells = (sheaf_lens_cells *)memory;
	for (int s = 0; s < streams; s++)
		SHEAF_TRY(sheaf_lens_cells_begin(&f->cells[s], sheaf_lens_stream_at(&f->in->streams, s), events,
		                                 &f->to->columns[s], f->cx, f->err));
	return SHEAF_OK;
}

/* All columns of events have the same offsets. The notes say which streams have a named unit, for the review.
 */
static sheaf_status end(filling *f)
{
	int streams = sheaf_lens_streams_count(&f->in->streams);
	for (int s = 0; s < streams; s++) {
		sheaf_lens_cells_end(&f->cells[s]);
		SHEAF_TRY(sheaf_lens_cells_status(&f->cells[s], f->err));
	}
	for (sheaf_column_builder *c = f->to->columns; c < f->columns + SHEAF_LENS_COLUMNS; c++) {
		bool of_events = c < f->columns || c >= f->columns + SHEAF_LENS_EVENT_MAX;
		if (of_events && &c->levels[0].offsets != f->ends)
			sheaf_builder_share(f->ends, &c->levels[0].offsets);
	}
	for (int s = 0; s < streams; s++) sheaf_builder_byte(&f->to->notes, f->cells[s].said ? 1 : 0);
	return SHEAF_OK;
}

static void release(filling *f)
{
	for (int s = 0; f->cells && s < sheaf_lens_streams_count(&f->in->streams); s++)
		sheaf_lens_cells_free(&f->cells[s]);
	sheaf_release(f->cx, f->cells, cells_size(f));
	sheaf_release(f->cx, f->stream_of, map_size(f));
}

/* Makes rows from examples; f->done counts them. */
static sheaf_status fill(filling *f)
{
	sheaf_status status = begin(f);
	if (status == SHEAF_OK) status = fill_examples(f);
	if (status == SHEAF_OK) status = end(f);
	release(f);
	return status;
}

/* Rows of the examples of a set, as streams or as texts; the set keeps those that became rows. */
static sheaf_status make_rows(const sheaf_lens_dataset *in, const sheaf_piece *piece, sheaf_lens_set *set,
                              sheaf_frame_builder *to, sheaf_error *err)
{
	filling f = {.in = in, .piece = piece, .set = set, .cx = to->cx, .err = err, .to = to};
	f.done = sheaf_lens_count(set);
	sheaf_status status =
		in->how.view == SHEAF_VIEW_STREAMS ? fill(&f) : sheaf_lens_show(in, piece, set, to, err);
	sheaf_lens_set_shorten(set, f.done);
	return status;
}

/* Those before a flaw, which was reported. */
static void make_rows_before(const sheaf_lens_dataset *in, const sheaf_piece *piece, sheaf_lens_set *set,
                             sheaf_frame_builder *to)
{
	sheaf_findings ignored = {0};
	sheaf_context *cx = to->cx;
	sheaf_frame_builder_go_back(to);
	sheaf_status status = sheaf_findings_open(&ignored, cx, NULL);
	to->cx = ignored.cx ? ignored.cx : cx;
	if (status == SHEAF_OK) status = make_rows(in, piece, set, to, NULL);
	to->cx = cx;
	sheaf_findings_close(&ignored);
	if (sheaf_put_off(status, "there are then no rows before the flaw")) sheaf_lens_set_shorten(set, 0);
}

static sheaf_status parse_and_fill(const sheaf_lens_dataset *in, const sheaf_piece *piece,
                                   sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_lens_set set = {0};
	sheaf_lens_set_begin(&set, sheaf_lens_header_of(in->first), to->cx);
	sheaf_status status = sheaf_lens_parse(in->first, piece, &set, to->cx, err);
	if (status == SHEAF_OK) status = make_rows(in, piece, &set, to, err);
	if (sheaf_is_flaw(status)) make_rows_before(in, piece, &set, to);
	to->nrows = sheaf_lens_count(&set);
	sheaf_lens_set_free(&set);
	return status;
}

sheaf_status sheaf_lens_decode(const void *dataset, const sheaf_piece *piece, sheaf_frame *frame,
                               sheaf_context *cx, sheaf_error *err)
{
	const sheaf_lens_dataset *in = (const sheaf_lens_dataset *)dataset;
	sheaf_frame_builder to;
	sheaf_status status = sheaf_frame_builder_begin(&to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) status = parse_and_fill(in, piece, &to, err);
	return sheaf_frame_builder_end(&to, status, frame, err);
}

/* An example with an error is no row, so counting rows means reading everything. */
sheaf_status sheaf_lens_measure(const void *dataset, const sheaf_piece *piece, sheaf_context *cx,
                                sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err)
{
	const sheaf_lens_dataset *in = (const sheaf_lens_dataset *)dataset;
	sheaf_lens_set set = {0};
	sheaf_builder b;
	if (keys || in->how.view != SHEAF_VIEW_STREAMS) return SHEAF_END;
	sheaf_builder_begin(&b, cx, lengths);
	sheaf_lens_set_begin(&set, sheaf_lens_header_of(in->first), cx);
	sheaf_status status = sheaf_lens_parse(in->first, piece, &set, cx, err);
	for (int64_t x = 0; status == SHEAF_OK && x < sheaf_lens_count(&set); x++) {
		uint32_t events = (uint32_t)sheaf_lens_example_at(&set, x)->nevents;
		sheaf_builder_append(&b, &events, sizeof events);
	}
	sheaf_lens_set_free(&set);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, lengths, err);
	sheaf_builder_drop(&b);
	return status;
}
