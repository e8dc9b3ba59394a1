/* SPDX-License-Identifier: MIT */
/* Examples into columns: what a network would see at each event. Every unit of a side gets the event's
 * default, then the ranges are applied in their order, so that later ones override earlier ones. */
#include "base/context.h"
#include "base/findings.h"
#include "base/spell.h"
#include "base/status.h"
#include "format/lens/dataset.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The rows of a piece that are being made. */
typedef struct filling {
	const sheaf_lens_dataset *in;
	const sheaf_piece *piece;
	const sheaf_lens_set *set;
	sheaf_context *cx;
	sheaf_error *err;
	const sheaf_lens_streams *streams;
	int nstreams;
	const sheaf_lens_example *example;
	int64_t number; /* of the example */
	int64_t left;   /* the number of units to which it may still give a value */
	/* Where the units of the current range are: in one stream, or, if it covers the whole network, in all of
	 * a side, with -1 for the stream. */
	int stream;
	bool target;
	int64_t width;
	sheaf_arena *arena;      /* of the next two */
	sheaf_lens_cells *cells; /* of each stream */
	int *stream_of;          /* 2 for each group of the set, preceded by 2 for the whole network */
	int only[2];             /* the only stream of each side, or -1 if there are several */
	sheaf_frame_builder *to;
	sheaf_column_builder *columns; /* SHEAF_LENS_COLUMNS of them */
	int64_t events;                /* so far */
	int64_t done;                  /* complete examples */
} filling;

static sheaf_status tell(const filling *f, sheaf_finding finding)
{
	sheaf_problem problem = sheaf_problem_in(NULL, &finding);
	problem.place = sheaf_lens_place(f->in->first, f->piece, f->example->byte);
	problem.place.row = f->number;
	return sheaf_report(f->cx, &problem, f->err);
}

/* ---- ranges ---- */

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
	return tell(f, SHEAF_FINDING(SHEAF_ERROR, "many units", expected, found, "they are left out"));
}

/* Gives units [from, to) these values, or one value if `values` is NULL; those that there are. Units of the
 * whole network are those of each stream of its side. */
static sheaf_status apply(filling *f, int64_t from, int64_t to, const float *values, float value)
{
	char expected[176], found[64];
	int64_t begin = from < 0 ? 0 : from, end = to > f->width ? f->width : to;
	bool ok = false;
	if (from < to && (begin > from || end < to)) {
		/* Ranges of the whole network, and of a network of one group without a name, have none. */
		sheaf_name group = {0};
		if (f->stream >= 0) group = sheaf_lens_stream_at(f->streams, f->stream)->group;
		const char *before = group.size ? " of group \"" : "", *after = group.size ? "\"" : "";
		snprintf(expected, sizeof expected, "units from 0 to %" PRId64 "%s%.*s%s", f->width - 1, before,
		         (int)group.size, group.size ? group.text : "", after);
		snprintf(found, sizeof found, "%" PRId64 " to %" PRId64, from, to - 1);
		SHEAF_TRY(
			tell(f, SHEAF_FINDING(SHEAF_ERROR, "unit out of range", expected, found, "they are left out")));
	}
	if (begin < end) SHEAF_TRY(spend(f, end - begin, &ok));
	if (ok && f->stream >= 0) {
		sheaf_lens_cells_set(&f->cells[f->stream], begin, end, values ? values + (begin - from) : NULL,
		                     value);
		f->cells[f->stream].said = true;
	}
	for (int k = 0; k < f->nstreams && ok && f->stream < 0; k++) {
		const sheaf_lens_stream *stream = sheaf_lens_stream_at(f->streams, k);
		int64_t first = begin > stream->before ? begin : stream->before,
				last = stream->before + stream->width;
		if (end < last) last = end;
		if (stream->target != f->target || first >= last) continue;
		sheaf_lens_cells_set(&f->cells[k], first - stream->before, last - stream->before,
		                     values ? values + (first - from) : NULL, value);
		f->cells[k].said = true;
	}
	return SHEAF_OK;
}

/* Most lists have single units of one stream: the first ones that begin no span, have a place, and are within
 * the limit. Returns how many these are. */
static int32_t apply_single(filling *f, const int32_t *units, int32_t count, float value)
{
	int32_t n = 0;
	while (f->stream >= 0 && n < count && n < f->left && units[n] >= 0 && units[n] < f->width) n++;
	if (n && n < count && units[n] < 0) n--;
	if (n == 0) return 0;
	f->left -= n;
	sheaf_lens_cells_set_units(&f->cells[f->stream], units, n, value);
	f->cells[f->stream].said = true;
	return n;
}

/* A list that begins with the end of a span means all units. */
static sheaf_status apply_sparse(filling *f, const sheaf_lens_range *range)
{
	char found[64];
	const int32_t *units = sheaf_lens_units_of(f->set, range);
	if (range->count && units[0] < 0) return apply(f, 0, f->width, NULL, range->value);
	for (int32_t k = 0; k < range->count; k++) {
		k += apply_single(f, units + k, range->count - k, range->value);
		if (k == range->count) break;
		int64_t from = units[k], last = from;
		if (k + 1 < range->count && units[k + 1] < 0) last = -(int64_t)units[++k];
		if (from >= 0 && last >= from) {
			SHEAF_TRY(apply(f, from, last + 1, NULL, range->value));
			continue;
		}
		snprintf(found, sizeof found, "%" PRId64 " to %" PRId64, from, last);
		SHEAF_TRY(tell(f, SHEAF_FINDING(SHEAF_ERROR, "unit span", "a unit, or a first and a last one", found,
		                                "the span is left out")));
	}
	return SHEAF_OK;
}

/* A group that the network does not have on this side is skipped, as in Lens. */
static sheaf_status apply_range(filling *f, const sheaf_lens_range *range, bool target)
{
	char found[128];
	bool whole = range->group < 0 && f->streams->given;
	f->target = target;
	f->stream = whole ? f->only[target] : f->stream_of[(range->group + 1) * 2 + target];
	if (!whole && f->stream < 0) {
		if (!f->streams->given) return SHEAF_OK;
		const sheaf_name *group = &f->set->groups.names[range->group];
		snprintf(found, sizeof found, "\"%.*s\"", group->size < 80 ? (int)group->size : 80, group->text);
		return tell(f,
		            SHEAF_FINDING(SHEAF_WARNING, "unknown group",
		                          target ? "an output group of the network" : "an input group of the network",
		                          found, "the range is left out"));
	}
	f->width = whole ? sheaf_lens_side_width(f->streams, target)
	                 : sheaf_lens_stream_at(f->streams, f->stream)->width;
	if (range->sparse) return apply_sparse(f, range);
	return apply(f, range->first, (int64_t)range->first + range->count, sheaf_lens_values_of(f->set, range),
	             0);
}

/* ---- events ---- */

static sheaf_status fill_side(filling *f, int32_t list, bool target, float usual)
{
	int32_t count;
	const sheaf_lens_range *ranges = sheaf_lens_ranges_of(f->set, f->example, list, &count);
	for (int s = 0; s < f->nstreams; s++) {
		const sheaf_lens_stream *stream = sheaf_lens_stream_at(f->streams, s);
		bool names_all = stream->sparse && (usual != 0 || signbit(usual)), ok = true;
		if (stream->target != target) continue;
		if (names_all) SHEAF_TRY(spend(f, stream->width, &ok));
		sheaf_lens_cells_start(&f->cells[s], ok ? usual : 0, list >= 0);
	}
	for (int32_t r = 0; r < count; r++) SHEAF_TRY(apply_range(f, &ranges[r], target));
	return SHEAF_OK;
}

/* A row: what examples have, and its events, each with its times, of which those to be inherited are those of
 * the set, its proc, and the values of both sides. Each example may name as many units as its bytes allow, so
 * that a short input does not become a large frame; declared groups say how large the network is, and set no
 * limit. */
static sheaf_status fill_example(filling *f, int64_t x, sheaf_builder *ends)
{
	static const sheaf_lens_field fields[3] = {SHEAF_LENS_MAX, SHEAF_LENS_MIN, SHEAF_LENS_GRACE};
	int64_t before, end = f->piece->byte + f->piece->size;
	const sheaf_lens_example *example = f->example = sheaf_lens_example_at(f->set, x);
	if (x + 1 < sheaf_lens_count(f->set)) end = sheaf_lens_example_at(f->set, x + 1)->byte;
	sheaf_lens_piece_examples(f->piece, &before);
	f->number = before < 0 ? -1 : before + x;
	f->left = SHEAF_LENS_USUAL_UNITS + SHEAF_LENS_UNITS_OF_A_BYTE * (end - example->byte);
	if (f->streams->given) f->left = INT64_MAX;
	sheaf_column_put_text_or_none(&f->columns[SHEAF_LENS_NAME], sheaf_lens_string(f->set, example->name));
	sheaf_column_put_text_or_none(&f->columns[SHEAF_LENS_PROC], sheaf_lens_string(f->set, example->proc));
	sheaf_builder_append(&f->columns[SHEAF_LENS_FREQUENCY].values, &example->frequency,
	                     sizeof example->frequency);
	for (int32_t e = 0; e < example->nevents; e++) {
		const sheaf_lens_event *event = sheaf_lens_event_at(f->set, example, e);
		const sheaf_lens_traits *traits = sheaf_lens_event_traits(f->set, example, event);
		for (int k = 0; k < 3; k++) {
			float own = traits->fields[fields[k]],
				  time = isnan(own) ? f->set->header->fields[fields[k]] : own;
			sheaf_builder_append(&f->columns[SHEAF_LENS_EVENT_MAX + k].values, &time, sizeof time);
		}
		sheaf_column_put_text_or_none(&f->columns[SHEAF_LENS_EVENT_PROC],
		                              sheaf_lens_string(f->set, traits->proc));
		f->events++;
		SHEAF_TRY(fill_side(f, event->input, false, traits->fields[SHEAF_LENS_DEF_I]));
		SHEAF_TRY(fill_side(f, event->target, true, traits->fields[SHEAF_LENS_DEF_T]));
	}
	sheaf_builder_i64(ends, f->events);
	return SHEAF_OK;
}

/* ---- rows ---- */

/* Finds the stream of each group of the set on each side once, and of those without a name. On a side of one
 * stream, units of the whole network are those of the stream. */
static sheaf_status begin(filling *f)
{
	void *memory;
	int groups = f->set->groups.count, count[2] = {0};
	int64_t events = LENS_COUNT(f->set, sheaf_lens_event, events);
	SHEAF_TRY(sheaf_arena_allocate(&f->arena, f->cx, ((size_t)groups + 1) * 2 * sizeof *f->stream_of, &memory,
	                               f->err));
	f->stream_of = (int *)memory;
	for (int g = -1; g < groups; g++)
		for (int side = 0; side < 2; side++) {
			sheaf_name name = g < 0 ? (sheaf_name){"", 0} : f->set->groups.names[g];
			f->stream_of[(g + 1) * 2 + side] = sheaf_lens_stream_of(f->streams, name, side);
		}
	SHEAF_TRY(
		sheaf_arena_allocate(&f->arena, f->cx, (size_t)f->nstreams * sizeof *f->cells, &memory, f->err));
	f->cells = (sheaf_lens_cells *)memory;
	for (int s = 0; s < f->nstreams; s++) {
		const sheaf_lens_stream *stream = sheaf_lens_stream_at(f->streams, s);
		f->only[stream->target] = count[stream->target]++ ? -1 : s;
		SHEAF_TRY(sheaf_lens_cells_begin(&f->cells[s], stream, events, &f->to->columns[s], f->err));
	}
	return SHEAF_OK;
}

/* Rows of examples; f->done counts them. All columns of events have the same offsets. The notes say which
 * streams have a named unit, for the review. */
static sheaf_status fill(filling *f)
{
	sheaf_builder *ends = &f->to->columns[f->to->schema->nfields - 1].levels[0].offsets;
	f->columns = f->to->columns + f->nstreams;
	SHEAF_TRY(begin(f));
	for (f->done = 0; f->done < sheaf_lens_count(f->set); f->done++)
		SHEAF_TRY(fill_example(f, f->done, ends));
	for (int s = 0; s < f->nstreams; s++) {
		sheaf_lens_cells_end(&f->cells[s]);
		sheaf_builder_byte(&f->to->notes, f->cells[s].said);
	}
	for (sheaf_column_builder *c = f->to->columns; c < f->columns + SHEAF_LENS_COLUMNS; c++) {
		bool of_events = c < f->columns || c >= f->columns + SHEAF_LENS_EVENT_MAX;
		if (of_events && &c->levels[0].offsets != ends) sheaf_builder_share(ends, &c->levels[0].offsets);
	}
	return SHEAF_OK;
}

/* Rows of the examples of a set, as streams or as texts; the set keeps those that became rows. */
static sheaf_status make_rows(const sheaf_lens_dataset *in, const sheaf_piece *piece, sheaf_lens_set *set,
                              sheaf_frame_builder *to, sheaf_error *err)
{
	filling f = {.in = in, .piece = piece, .set = set, .cx = to->cx, .err = err, .to = to, .only = {-1, -1}};
	f.streams = &in->streams;
	f.nstreams = sheaf_lens_streams_count(f.streams);
	f.done = sheaf_lens_count(set);
	sheaf_status status =
		in->how.view == SHEAF_VIEW_STREAMS ? fill(&f) : sheaf_lens_show(in, piece, set, to, err);
	sheaf_arena_free(&f.arena, f.cx);
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

sheaf_status sheaf_lens_decode(const void *dataset, const sheaf_piece *piece, sheaf_frame *frame,
                               sheaf_context *cx, sheaf_error *err)
{
	const sheaf_lens_dataset *in = (const sheaf_lens_dataset *)dataset;
	sheaf_frame_builder to;
	sheaf_status status = sheaf_frame_builder_begin(&to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) {
		sheaf_lens_set set = {0};
		sheaf_lens_set_begin(&set, sheaf_lens_header_of(in->first), cx);
		status = sheaf_lens_parse(in->first, piece, &set, cx, err);
		if (status == SHEAF_OK) status = make_rows(in, piece, &set, &to, err);
		if (sheaf_is_flaw(status)) make_rows_before(in, piece, &set, &to);
		to.nrows = sheaf_lens_count(&set);
		sheaf_lens_set_free(&set);
	}
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
